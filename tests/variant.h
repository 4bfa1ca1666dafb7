// variant.h: a shape said in another way: turned, mirrored, of another size, its vertices in
// another order, its triangles in two objects. For what has to stay the same then.
#pragma once

#include "check.h"

#include "wrought/wrought.h"

// How the file differs from the original: x becomes size * map * x, then its order changes.
typedef struct variant {
    double map[3][3]; // orthogonal; of determinant -1: a mirror image, with its triangles turned
    double size;
    uint64_t shuffle; // seed for the order of vertices and triangles, 0: as they were
    bool split;       // two objects, on either side of a plane; vertices between them are in both
} variant;

static const double VARIANT_IDENTITY[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double VARIANT_MIRROR[3][3] = {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static inline variant variant_of(const double map[3][3], double size)
{
    variant v = {.size = size};
    memcpy(v.map, map, sizeof v.map);
    return v;
}

// A rotation about an axis, which need not have unit length.
static inline void variant_turn(double x, double y, double z, double degrees, double out[3][3])
{
    double length = sqrt(x * x + y * y + z * z), a[3] = {x / length, y / length, z / length};
    double c = cos(degrees * 0.017453292519943295), s = sin(degrees * 0.017453292519943295);
    for (int i = 0; i < 9; i++) {
        int row = i / 3, column = i % 3, third = 3 - row - column;
        double sign = (row + 1) % 3 == column ? -1.0 : 1.0;
        out[row][column] = row == column ? c + (1.0 - c) * a[row] * a[row]
                                         : (1.0 - c) * a[row] * a[column] + sign * s * a[third];
    }
}

static inline double variant_determinant(const double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// From the original to the variant, and back.
static inline wr_vec3 variant_map(const variant *v, wr_vec3 p)
{
    const double x[3] = {p.x, p.y, p.z}, (*m)[3] = v->map;
    double y[3];
    for (int i = 0; i < 3; i++) {
        y[i] = v->size * (m[i][0] * x[0] + m[i][1] * x[1] + m[i][2] * x[2]);
    }
    return wr_v3((float)y[0], (float)y[1], (float)y[2]);
}

static inline wr_vec3 variant_unmap(const variant *v, wr_vec3 p)
{
    const double x[3] = {p.x, p.y, p.z}, (*m)[3] = v->map;
    double y[3];
    for (int i = 0; i < 3; i++) {
        y[i] = (m[0][i] * x[0] + m[1][i] * x[1] + m[2][i] * x[2]) / v->size;
    }
    return wr_v3((float)y[0], (float)y[1], (float)y[2]);
}

// --- models -----------------------------------------------------------------------------------

typedef struct variant_maker {
    const variant *v;
    const wr_mesh *mesh; // the original
    int *vertices;       // of the original, in the order of the variant
    int *triangles;      // likewise
    uint8_t *sides;      // per triangle of the original: its object
    int *number;         // per vertex of the original: in the present object, -1: not there
    wr_model *model;
    int *source; // per vertex of the variant: of the original
    int count;   // of vertices so far
} variant_maker;

static inline void variant_shuffle(int *items, int count, uint64_t seed)
{
    for (int i = 0; i < count; i++) {
        items[i] = i;
    }
    for (int i = count - 1; seed && i > 0; i--) {
        int k = (int)(random_bits(&seed) % (uint64_t)(i + 1)), kept = items[i];
        items[i] = items[k];
        items[k] = kept;
    }
}

// Objects lie on either side of an oblique plane through the middle of the box.
static inline void variant_choose_sides(variant_maker *m)
{
    wr_vec3 middle = wr_box_center(wr_mesh_bounds(m->mesh)), normal = wr_v3(0.48f, 0.6f, -0.64f);
    for (int i = 0; i < m->mesh->triangle_count; i++) {
        wr_vec3 p = m->mesh->positions[m->mesh->triangles[3 * i]];
        m->sides[i] = m->v->split && wr_dot(normal, wr_sub(p, middle)) > 0.0f;
    }
}

// Numbers the vertices of one object; returns how many there are.
static inline int variant_number(variant_maker *m, int side)
{
    const wr_mesh *mesh = m->mesh;
    int count = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        m->number[i] = -1;
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        if (m->sides[i / 3] == side) {
            m->number[mesh->triangles[i]] = 0;
        }
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        int vertex = m->vertices[i];
        if (m->number[vertex] == 0) {
            m->number[vertex] = count;
            m->source[m->count + count++] = vertex;
        }
    }
    return count;
}

static inline void variant_put_triangles(const variant_maker *m, int side, wr_mesh *out)
{
    bool flip = variant_determinant(m->v->map) < 0.0;
    for (int i = 0; i < m->mesh->triangle_count; i++) {
        int from = m->triangles[i];
        const int *t = &m->mesh->triangles[3 * from];
        if (m->sides[from] != side) {
            continue;
        }
        int first = m->v->shuffle ? (i * 7 + from) % 3 : 0; // any corner may come first
        int *to = &out->triangles[3 * out->triangle_count++];
        for (int k = 0; k < 3; k++) {
            to[flip && k > 0 ? 3 - k : k] = m->number[t[(first + k) % 3]];
        }
    }
}

static inline void variant_put_object(variant_maker *m, int side)
{
    wr_mesh *out = &m->model->meshes[side];
    int begin = m->count, count = variant_number(m, side);
    *out = (wr_mesh){.name = side ? "second" : "first",
                     .vertex_count = count,
                     .positions = wr_model_alloc(m->model, (size_t)count, sizeof(wr_vec3)),
                     .triangles =
                         wr_model_alloc(m->model, (size_t)m->mesh->triangle_count, 3 * sizeof(int)),
                     .parts = wr_model_alloc(m->model, 1, sizeof(wr_mesh_part)),
                     .part_count = 1,
                     .morph_count = m->mesh->morph_count};
    out->morphs = wr_model_alloc(m->model, (size_t)out->morph_count, sizeof *out->morphs);
    variant_put_triangles(m, side, out);
    out->parts[0] = (wr_mesh_part){0, out->triangle_count, -1};
    for (int i = 0; i < count; i++) {
        out->positions[i] = variant_map(m->v, m->mesh->positions[m->source[begin + i]]);
    }
    for (int k = 0; k < out->morph_count; k++) {
        const wr_morph *from = &m->mesh->morphs[k];
        out->morphs[k].name = from->name;
        out->morphs[k].positions = wr_model_alloc(m->model, (size_t)count, sizeof(wr_vec3));
        for (int i = 0; i < count; i++) {
            out->morphs[k].positions[i] = variant_map(m->v, from->positions[m->source[begin + i]]);
        }
    }
    m->model->nodes[side] = (wr_node){out->name, -1, side, -1, WR_POSE_IDENTITY, {1, 1, 1}, NULL};
    m->count += count;
}

// The mesh, with its morphs, as a model of one or two objects. source: of every vertex of the
// flattened variant, that of the original; room for twice the vertices. Names are those of the
// mesh.
static inline wr_model *variant_create(const variant *v, const wr_mesh *mesh, int *source)
{
    size_t n = (size_t)mesh->vertex_count, t = (size_t)mesh->triangle_count;
    variant_maker m = {.v = v, .mesh = mesh, .source = source};
    m.vertices = malloc(n * sizeof(int));
    m.triangles = malloc(t * sizeof(int));
    m.sides = malloc(t);
    m.number = malloc(n * sizeof(int));
    m.model = wr_model_create(NULL, NULL);
    variant_shuffle(m.vertices, mesh->vertex_count, v->shuffle);
    variant_shuffle(m.triangles, mesh->triangle_count, v->shuffle ? v->shuffle + 1 : 0);
    variant_choose_sides(&m);
    m.model->mesh_count = m.model->node_count = v->split ? 2 : 1;
    m.model->meshes = wr_model_alloc(m.model, 2, sizeof(wr_mesh));
    m.model->nodes = wr_model_alloc(m.model, 2, sizeof(wr_node));
    for (int side = 0; side < m.model->mesh_count; side++) {
        variant_put_object(&m, side);
    }
    free(m.vertices);
    free(m.triangles);
    free(m.sides);
    free(m.number);
    return m.model;
}
