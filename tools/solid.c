// solid.c: closed triangle surfaces built from a few kinds of pieces.
#include "solid.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct solid_vertex {
    wr_vec3 position;
    wr_vec2 uv;
    int group;
} solid_vertex;

typedef struct solid_triangle {
    int corner[3];
    int look;
} solid_triangle;

static void *need(void *memory)
{
    if (!memory) {
        fputs("make_models: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

solid solid_create(void)
{
    return (solid){
        .vertices = wri_array_create(NULL, sizeof(solid_vertex)),
        .triangles = wri_array_create(NULL, sizeof(solid_triangle)),
        .frame = frame_at(wr_v3(0.0f, 0.0f, 0.0f)),
    };
}

frame frame_at(wr_vec3 at)
{
    return (frame){at, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
}

frame frame_along(wr_vec3 from, wr_vec3 to, wr_vec3 up)
{
    wr_vec3 z = wr_normalize(wr_sub(to, from));
    wr_vec3 x = wr_normalize(wr_cross(up, z));
    return (frame){from, x, wr_cross(z, x), z};
}

static int add_vertex(solid *s, wr_vec3 p, float u, float v)
{
    const frame *f = &s->frame;
    solid_vertex *vertex = need(wri_array_add(&s->vertices, 1));
    vertex->position = wr_add_scaled(f->at, p.x, f->x);
    vertex->position = wr_add_scaled(vertex->position, p.y, f->y);
    vertex->position = wr_add_scaled(vertex->position, p.z, f->z);
    vertex->uv = (wr_vec2){u, v};
    vertex->group = s->groups;
    return s->vertices.count - 1;
}

static wr_vec3 position_of(const solid *s, int vertex)
{
    return WRI_ITEM(s->vertices, solid_vertex, vertex).position;
}

static bool same(wr_vec3 a, wr_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// A triangle whose corners meet, as at the axis of a turned piece, is left out.
static void add_triangle(solid *s, int a, int b, int c)
{
    wr_vec3 pa = position_of(s, a), pb = position_of(s, b), pc = position_of(s, c);
    if (!same(pa, pb) && !same(pb, pc) && !same(pc, pa)) {
        solid_triangle *triangle = need(wri_array_add(&s->triangles, 1));
        *triangle = (solid_triangle){{a, b, c}, s->look};
    }
}

static void add_quad(solid *s, int a, int b, int c, int d)
{
    add_triangle(s, a, b, c);
    add_triangle(s, a, c, d);
}

static float lerp(float a, float b, float t)
{
    return a + t * (b - a);
}

// --- boards -----------------------------------------------------------------------------------

// Corner k of an end touches the points 2k and 2k + 1 of the section, which starts at the bottom of
// the side at -y and goes over the top.
static void add_board_end(solid *s, wr_vec3 half, float bevel, float sign, const int section[8],
                          float u, const float v[8])
{
    wr_vec2 inner = {half.y - bevel, half.z - bevel};
    const float signs[4][2] = {{-1, -1}, {-1, 1}, {1, 1}, {1, -1}};
    int corner[4];
    for (int k = 0; k < 4; k++) {
        wr_vec3 p = wr_v3(sign * half.x, signs[k][0] * inner.x, signs[k][1] * inner.y);
        corner[k] = add_vertex(s, p, u, 0.5f * (v[2 * k] + v[2 * k + 1]));
    }
    for (int k = 0; k < 4; k++) {
        int next = (k + 1) % 4;
        int a = section[2 * k], b = section[2 * k + 1], c = section[2 * next];
        if (sign > 0.0f) {
            add_triangle(s, a, corner[k], b);
            add_quad(s, b, corner[k], corner[next], c);
        } else {
            add_triangle(s, a, b, corner[k]);
            add_quad(s, b, c, corner[next], corner[k]);
        }
    }
    if (sign > 0.0f) {
        add_quad(s, corner[3], corner[2], corner[1], corner[0]);
    } else {
        add_quad(s, corner[0], corner[1], corner[2], corner[3]);
    }
}

void solid_board(solid *s, wr_vec3 half, float bevel, area where)
{
    float y = half.y, z = half.z, b = bevel;
    const wr_vec2 outline[8] = {{b - y, -z}, {-y, b - z}, {-y, z - b}, {b - y, z},
                                {y - b, z},  {y, z - b},  {y, b - z},  {y - b, -z}};
    float side = 2.0f * z / (4.0f * z + 2.0f * y);
    const float across[8] = {0, 0, side, side, 1 - side, 1 - side, 1, 1};
    float v[8], inset = 0.5f * b / half.x;
    int ends[2][8];
    for (int i = 0; i < 8; i++) {
        v[i] = lerp(where.v0, where.v1, across[i]);
        wr_vec3 p = wr_v3(half.x - b, outline[i].x, outline[i].y);
        ends[1][i] = add_vertex(s, p, lerp(where.u0, where.u1, 1.0f - inset), v[i]);
        p.x = -p.x;
        ends[0][i] = add_vertex(s, p, lerp(where.u0, where.u1, inset), v[i]);
    }
    for (int i = 0; i < 8; i++) {
        int j = (i + 1) % 8;
        add_quad(s, ends[0][i], ends[1][i], ends[1][j], ends[0][j]);
    }
    add_board_end(s, half, bevel, -1.0f, ends[0], where.u0, v);
    add_board_end(s, half, bevel, 1.0f, ends[1], where.u1, v);
    s->groups++;
}

// --- turned pieces ----------------------------------------------------------------------------

static void add_turn_row(solid *s, turn_point point, int segments, const turn_zone *zone)
{
    area w = zone->where;
    for (int i = 0; i <= segments; i++) {
        double angle = 2.0 * 3.14159265358979323846 * (i % segments) / segments;
        float x = point.r * (float)cos(angle), z = point.r * (float)sin(angle);
        float u, v;
        if (zone->map == TURN_SIDE) {
            u = 1.0f - (float)i / (float)segments;
            v = 0.5f - 0.5f * point.y / zone->size;
        } else {
            u = 0.5f + 0.5f * x / zone->size;
            v = 0.5f + 0.5f * z / zone->size;
        }
        add_vertex(s, wr_v3(x, point.y, z), lerp(w.u0, w.u1, u), lerp(w.v0, w.v1, v));
    }
}

void solid_turn(solid *s, const turn_point *profile, int count, int segments,
                const turn_zone *zones)
{
    for (int j = 0; j + 1 < count; j++) {
        const turn_zone *zone = &zones[profile[j].zone];
        bool fresh = j == 0 || profile[j].hard || profile[j].zone != profile[j - 1].zone;
        if (profile[j].hard) {
            s->groups++;
        }
        if (fresh) {
            add_turn_row(s, profile[j], segments, zone);
        }
        int low = s->vertices.count - segments - 1, high = s->vertices.count;
        add_turn_row(s, profile[j + 1], segments, zone);
        for (int i = 0; i < segments; i++) {
            add_quad(s, low + i, high + i, high + i + 1, low + i + 1);
        }
    }
    s->groups++;
}

// --- rings ------------------------------------------------------------------------------------

void solid_ring(solid *s, ring shape, area where)
{
    int half = shape.straight > 0.0f ? shape.segments + 1 : shape.segments;
    int count = 2 * half, first = s->vertices.count;
    float arc = WR_PI * shape.radius, around = 2.0f * (arc + shape.straight), along = 0.0f;
    for (int i = 0; i <= count; i++) {
        int k = i % count;
        double a = 3.14159265358979323846 * (k < half ? k : k - half + shape.segments);
        a /= shape.segments;
        wr_vec3 out = wr_v3((float)cos(a), (float)sin(a), 0.0f);
        float middle = k < half ? 0.5f * shape.straight : -0.5f * shape.straight;
        float u = shape.turns * along / around;
        for (int j = 0; j <= shape.sides; j++) {
            double b = 2.0 * 3.14159265358979323846 * (j % shape.sides) / shape.sides;
            wr_vec3 p = wr_scale(shape.radius + shape.wire * (float)cos(b), out);
            p = wr_add(p, wr_v3(0.0f, middle, shape.wire * (float)sin(b)));
            float v = (float)j / (float)shape.sides;
            add_vertex(s, p, lerp(where.u0, where.u1, u), lerp(where.v0, where.v1, v));
        }
        bool bend = (k + 1) % half != 0 || shape.straight <= 0.0f;
        along += bend ? arc / (float)shape.segments : shape.straight;
    }
    int stride = shape.sides + 1;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < shape.sides; j++) {
            int a = first + i * stride + j;
            add_quad(s, a, a + stride, a + stride + 1, a + 1);
        }
    }
    s->groups++;
}

// --- extrusions -------------------------------------------------------------------------------

static float turn_of(wr_vec2 a, wr_vec2 b, wr_vec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool is_ear(const wr_vec2 *p, const int *ring_of, int count, int at)
{
    int ia = ring_of[(at + count - 1) % count], ib = ring_of[at], ic = ring_of[(at + 1) % count];
    if (turn_of(p[ia], p[ib], p[ic]) <= 1e-9f) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        int i = ring_of[k];
        if (i != ia && i != ib && i != ic && turn_of(p[ia], p[ib], p[i]) >= 0.0f &&
            turn_of(p[ib], p[ic], p[i]) >= 0.0f && turn_of(p[ic], p[ia], p[i]) >= 0.0f) {
            return false;
        }
    }
    return true;
}

// Ear clipping; up faces +z. The outline's vertices start at `first`.
static void add_cap(solid *s, const wr_vec2 *outline, int count, int first, bool up)
{
    int left[MAX_OUTLINE];
    for (int i = 0; i < count; i++) {
        left[i] = i;
    }
    for (int n = count; n >= 3; n--) {
        int at = 0;
        while (at < n && !is_ear(outline, left, n, at)) {
            at++;
        }
        at = at < n ? at : 0;
        int a = left[(at + n - 1) % n], b = left[at], c = left[(at + 1) % n];
        add_triangle(s, first + (up ? a : c), first + b, first + (up ? c : a));
        memmove(left + at, left + at + 1, (size_t)(n - at - 1) * sizeof left[0]);
    }
}

static void add_walls(solid *s, const extrusion *e, int piece)
{
    const station *from = &e->stations[piece], *to = from + 1;
    area w = from->where;
    float u0 = lerp(w.u0, w.u1, from->z / e->length), u1 = lerp(w.u0, w.u1, to->z / e->length);
    float v0 = w.v0, across = 0.0f;
    for (int i = 0; i < e->count; i++) {
        wr_vec2 a = e->outline[i], b = e->outline[(i + 1) % e->count];
        float wide = sqrtf((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
        across = e->around ? across + wide : wide;
        float v = lerp(w.v0, w.v1, fminf(across / e->height, 1.0f));
        int low_a = add_vertex(s, wr_v3(a.x, a.y, from->z), u0, v0);
        int low_b = add_vertex(s, wr_v3(b.x, b.y, from->z), u0, v);
        int high_b = add_vertex(s, wr_v3(b.x, b.y, to->z), u1, v);
        int high_a = add_vertex(s, wr_v3(a.x, a.y, to->z), u1, v0);
        add_quad(s, low_a, low_b, high_b, high_a);
        v0 = e->around ? v : w.v0;
        s->groups++;
    }
}

void solid_extrude(solid *s, const extrusion *e)
{
    WR_ASSERT(e->count <= MAX_OUTLINE && e->station_count >= 2);
    for (int i = 0; i + 1 < e->station_count; i++) {
        add_walls(s, e, i);
    }
    for (int end = 0; end < 2; end++) {
        const station *at = &e->stations[end ? e->station_count - 1 : 0];
        area w = e->stations[end ? e->station_count - 2 : 0].where;
        int first = s->vertices.count;
        for (int i = 0; i < e->count; i++) {
            wr_vec2 p = e->outline[i];
            float v = wr_clampf(0.5f + p.y / e->height, 0.0f, 1.0f);
            add_vertex(s, wr_v3(p.x, p.y, at->z), lerp(w.u0, w.u1, p.x / e->length),
                       lerp(w.v0, w.v1, v));
        }
        add_cap(s, e->outline, e->count, first, end == 1);
        s->groups++;
    }
}

void solid_bend(solid *s, wr_vec3 (*fn)(wr_vec3 position))
{
    for (int i = 0; i < s->vertices.count; i++) {
        solid_vertex *v = &WRI_ITEM(s->vertices, solid_vertex, i);
        v->position = fn(v->position);
    }
}

// --- finishing --------------------------------------------------------------------------------

// Area-weighted over all vertices of one place and group, so that a seam of the texture is not one
// of the light and a narrow bevel takes the normals of its broad neighbours.
static void fill_normals(const solid *s, wr_vec3 *normals)
{
    const solid_vertex *vertices = s->vertices.items;
    int count = s->vertices.count;
    int *twin = need(wri_alloc(NULL, (size_t)count, sizeof *twin)); // first of the same kind
    for (int i = 0; i < count; i++) {
        const solid_vertex *v = &vertices[i];
        int j = 0;
        while (vertices[j].group != v->group || !same(vertices[j].position, v->position)) {
            j++;
        }
        twin[i] = j;
    }
    for (int t = 0; t < s->triangles.count; t++) {
        const int *c = WRI_ITEM(s->triangles, solid_triangle, t).corner;
        wr_vec3 a = vertices[c[0]].position;
        wr_vec3 n =
            wr_cross(wr_sub(vertices[c[1]].position, a), wr_sub(vertices[c[2]].position, a));
        for (int k = 0; k < 3; k++) {
            normals[twin[c[k]]] = wr_add(normals[twin[c[k]]], n);
        }
    }
    for (int i = count - 1; i >= 0; i--) { // twins come earlier, so they are still sums
        normals[i] = wr_normalize(normals[twin[i]]);
    }
    wri_free(NULL, twin, (size_t)count, sizeof *twin);
}

static void fill_triangles(const solid *s, const wr_model *model, wr_mesh *mesh)
{
    for (int look = 0; look < model->look_count; look++) {
        wr_mesh_part part = {.first_triangle = mesh->triangle_count, .look = look};
        for (int t = 0; t < s->triangles.count; t++) {
            const solid_triangle *triangle = &WRI_ITEM(s->triangles, solid_triangle, t);
            if (triangle->look == look) {
                memcpy(mesh->triangles + 3 * mesh->triangle_count++, triangle->corner,
                       sizeof triangle->corner);
                part.triangle_count++;
            }
        }
        if (part.triangle_count > 0) {
            mesh->parts[mesh->part_count++] = part;
        }
    }
}

void solid_finish(solid *s, wr_model *model)
{
    size_t count = (size_t)s->vertices.count;
    wr_mesh *mesh = need(wr_model_alloc(model, 1, sizeof *mesh));
    mesh->name = model->name;
    mesh->vertex_count = s->vertices.count;
    mesh->positions = need(wr_model_alloc(model, count, sizeof *mesh->positions));
    mesh->normals = need(wr_model_alloc(model, count, sizeof *mesh->normals));
    mesh->uvs = need(wr_model_alloc(model, count, sizeof *mesh->uvs));
    mesh->triangles = need(wr_model_alloc(model, (size_t)s->triangles.count, 3 * sizeof(int)));
    mesh->parts = need(wr_model_alloc(model, (size_t)model->look_count, sizeof *mesh->parts));
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->positions[i] = WRI_ITEM(s->vertices, solid_vertex, i).position;
        mesh->uvs[i] = WRI_ITEM(s->vertices, solid_vertex, i).uv;
    }
    fill_normals(s, mesh->normals);
    fill_triangles(s, model, mesh);
    wr_node *node = need(wr_model_alloc(model, 1, sizeof *node));
    *node = (wr_node){model->name, -1, 0, -1, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}};
    model->meshes = mesh;
    model->nodes = node;
    model->mesh_count = model->node_count = 1;
    wri_array_destroy(&s->vertices);
    wri_array_destroy(&s->triangles);
}
