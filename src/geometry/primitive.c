// primitive.c: boxes, balls, capsules and cylinders as triangles.
#include "wrought/geometry.h"

#include "../base/base.h"

enum { AROUND = 40, ARC = 10 }; // vertices around an axis, rows per quarter circle

static const char *const names[] = {"box", "sphere", "capsule", "cylinder"};

typedef struct builder {
    wr_model *model;
    wr_mesh *mesh;
} builder;

static int add_vertex(builder *b, wr_vec3 position, wr_vec3 normal, wr_vec2 uv)
{
    int i = b->mesh->vertex_count++;
    b->mesh->positions[i] = position;
    b->mesh->normals[i] = normal;
    b->mesh->uvs[i] = uv;
    return i;
}

static void add_triangle(builder *b, int i, int j, int k)
{
    int *t = &b->mesh->triangles[3 * b->mesh->triangle_count++];
    t[0] = i, t[1] = j, t[2] = k;
}

static bool start(builder *b, int vertices, int triangles, const char *name, wr_color color,
                  wr_error *error)
{
    b->model = wr_model_create(NULL, error);
    if (!b->model) {
        return false;
    }
    wr_model *m = b->model;
    m->name = name;
    m->meshes = wr_model_alloc(m, 1, sizeof *m->meshes);
    m->looks = wr_model_alloc(m, 1, sizeof *m->looks);
    m->nodes = wr_model_alloc(m, 1, sizeof *m->nodes);
    if (m->meshes) {
        b->mesh = m->meshes;
        b->mesh->positions = wr_model_alloc(m, (size_t)vertices, sizeof(wr_vec3));
        b->mesh->normals = wr_model_alloc(m, (size_t)vertices, sizeof(wr_vec3));
        b->mesh->uvs = wr_model_alloc(m, (size_t)vertices, sizeof(wr_vec2));
        b->mesh->triangles = wr_model_alloc(m, (size_t)triangles, 3 * sizeof(int));
        b->mesh->parts = wr_model_alloc(m, 1, sizeof(wr_mesh_part));
    }
    if (!m->meshes || !m->looks || !m->nodes || !b->mesh->positions || !b->mesh->normals ||
        !b->mesh->uvs || !b->mesh->triangles || !b->mesh->parts) {
        wr_model_destroy(m);
        return wri_fail_memory(error, (size_t)vertices * sizeof(wr_vec3));
    }
    b->mesh->name = name;
    b->mesh->part_count = 1;
    m->looks[0] = (wr_look){name, color, -1, 0.7f, 0.0f, false};
    m->nodes[0] = (wr_node){name, -1, 0, -1, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}};
    m->mesh_count = m->look_count = m->node_count = 1;
    return true;
}

static void build_box(builder *b, wr_vec3 size)
{
    const wr_vec3 half = wr_scale(0.5f, size);
    static const int sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            int corners[4];
            for (int k = 0; k < 4; k++) {
                float c[3], n[3] = {0};
                c[axis] = n[axis] = (float)side;
                c[(axis + 1) % 3] = (float)sign[k][0];
                c[(axis + 2) % 3] = (float)sign[k][1];
                wr_vec2 uv = {0.5f + 0.5f * (float)sign[k][0], 0.5f - 0.5f * (float)sign[k][1]};
                corners[k] = add_vertex(b, wr_v3(c[0] * half.x, c[1] * half.y, c[2] * half.z),
                                        wr_v3(n[0], n[1], n[2]), uv);
            }
            add_triangle(b, corners[0], corners[side > 0 ? 1 : 2], corners[side > 0 ? 2 : 1]);
            add_triangle(b, corners[0], corners[side > 0 ? 2 : 3], corners[side > 0 ? 3 : 2]);
        }
    }
}

// One ring of vertices at height y; the seam's vertex comes twice for its two texture coordinates.
static int add_ring(builder *b, float y, float radius, wr_vec2 profile_normal, float v)
{
    int first = b->mesh->vertex_count;
    for (int i = 0; i <= AROUND; i++) {
        float angle = 2.0f * WR_PI * (float)(i % AROUND) / (float)AROUND;
        float s = sinf(angle), c = cosf(angle);
        wr_vec3 normal = wr_v3(profile_normal.x * s, profile_normal.y, profile_normal.x * c);
        add_vertex(b, wr_v3(radius * s, y, radius * c), normal,
                   (wr_vec2){(float)i / (float)AROUND, v});
    }
    return first;
}

// Joins a ring with the ring above it, leaving out triangles that have no area at a pole.
static void join_rings(builder *b, int low, int high, bool low_is_pole, bool high_is_pole)
{
    for (int i = 0; i < AROUND; i++) {
        if (!low_is_pole) {
            add_triangle(b, low + i, low + i + 1, high + i);
        }
        if (!high_is_pole) {
            add_triangle(b, low + i + 1, high + i + 1, high + i);
        }
    }
}

static void build_capsule(builder *b, float radius, float length)
{
    float height = length + WR_PI * radius; // along the profile, for v
    int below = -1;
    int rows = 2 * ARC + 2; // the equator twice: the ends of the straight part
    for (int row = 0; row < rows; row++) {
        bool lower = row <= ARC;
        float angle = 0.5f * WR_PI * (float)(lower ? row - ARC : row - ARC - 1) / (float)ARC;
        float y = radius * sinf(angle) + (lower ? -0.5f : 0.5f) * length;
        bool pole = row == 0 || row == rows - 1;
        float r = pole ? 0.0f : radius * cosf(angle);
        float along = radius * (angle + 0.5f * WR_PI) + (lower ? 0.0f : length);
        int ring = add_ring(b, y, r, (wr_vec2){pole ? 0.0f : cosf(angle), sinf(angle)},
                            1.0f - along / height);
        if (row > 0 && !(row == ARC + 1 && length == 0.0f)) {
            join_rings(b, below, ring, row == 1, pole);
        }
        below = ring;
    }
}

static void build_cylinder(builder *b, float radius, float height)
{
    float half = 0.5f * height;
    int low = add_ring(b, -half, radius, (wr_vec2){1.0f, 0.0f}, 1.0f);
    int high = add_ring(b, half, radius, (wr_vec2){1.0f, 0.0f}, 0.0f);
    join_rings(b, low, high, false, false);
    int bottom = add_ring(b, -half, radius, (wr_vec2){0.0f, -1.0f}, 1.0f);
    int bottom_center = add_ring(b, -half, 0.0f, (wr_vec2){0.0f, -1.0f}, 0.5f);
    join_rings(b, bottom_center, bottom, true, false);
    int top = add_ring(b, half, radius, (wr_vec2){0.0f, 1.0f}, 0.0f);
    int top_center = add_ring(b, half, 0.0f, (wr_vec2){0.0f, 1.0f}, 0.5f);
    join_rings(b, top, top_center, false, true);
}

static bool check_size(wr_primitive primitive, wr_vec3 size, wr_error *error)
{
    bool positive = size.x > 0.0f;
    if (primitive == WR_PRIMITIVE_BOX) {
        positive = positive && size.y > 0.0f && size.z > 0.0f;
    } else if (primitive == WR_PRIMITIVE_CYLINDER) {
        positive = positive && size.y > 0.0f;
    } else if (primitive == WR_PRIMITIVE_CAPSULE) {
        positive = positive && size.y >= 0.0f; // without a straight part it is a ball
    }
    return (positive && wr_is_finite3(size)) ||
           wri_fail(error, WR_E_ARGUMENT, "%s: size %g %g %g, expected positive lengths",
                    names[primitive], (double)size.x, (double)size.y, (double)size.z);
}

wr_model *wr_model_create_primitive(wr_primitive primitive, wr_vec3 size, wr_color color,
                                    wr_error *error)
{
    enum { ROWS = 2 * ARC + 2, BOX_VERTICES = 24, BOX_TRIANGLES = 12 };
    if (!check_size(primitive, size, error)) {
        return NULL;
    }
    builder b = {0};
    bool box = primitive == WR_PRIMITIVE_BOX; // many scenes have thousands of different ones
    if (!start(&b, box ? BOX_VERTICES : ROWS * (AROUND + 1),
               box ? BOX_TRIANGLES : 2 * ROWS * AROUND, names[primitive], color, error)) {
        return NULL;
    }
    switch (primitive) {
    case WR_PRIMITIVE_BOX:
        build_box(&b, size);
        break;
    case WR_PRIMITIVE_SPHERE:
        build_capsule(&b, size.x, 0.0f);
        break;
    case WR_PRIMITIVE_CAPSULE:
        build_capsule(&b, size.x, size.y);
        break;
    case WR_PRIMITIVE_CYLINDER:
        build_cylinder(&b, size.x, size.y);
        break;
    }
    b.mesh->parts[0] = (wr_mesh_part){0, b.mesh->triangle_count, 0};
    return b.model;
}
