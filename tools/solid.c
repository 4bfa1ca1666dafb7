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

typedef struct solid_morph {
    const char *name;
    wr_vec3 *positions;
    int count;
} solid_morph;

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
        .morphs = wri_array_create(NULL, sizeof(solid_morph)),
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

// Cut from b to d where the sum of row and column is odd, if the solid asks for it.
static void add_cell(solid *s, int a, int b, int c, int d, int parity)
{
    if (s->weave && parity % 2 == 1) {
        add_quad(s, b, c, d, a);
    } else {
        add_quad(s, a, b, c, d);
    }
}

static float lerp(float a, float b, float t)
{
    return a + t * (b - a);
}

int solid_add_vertex(solid *s, wr_vec3 position)
{
    return add_vertex(s, position, 0.0f, 0.0f);
}

void solid_add_face(solid *s, int a, int b, int c, int d)
{
    if (c == d) {
        add_triangle(s, a, b, c);
        return;
    }
    // The shorter diagonal follows a curved surface more closely.
    wr_vec3 pa = position_of(s, a), pb = position_of(s, b), pc = position_of(s, c);
    if (wr_distance(pa, pc) <= wr_distance(pb, position_of(s, d))) {
        add_quad(s, a, b, c, d);
    } else {
        add_quad(s, b, c, d, a);
    }
}

void solid_end_group(solid *s)
{
    s->groups++;
}

// --- boards -----------------------------------------------------------------------------------

// The section of a board: up the side at -y, over the top, down the other side, back below. Every
// point touches a corner of the ends, which lie inside it by the bevel: below those are numbered
// from 0 at -y, above from widths + 1.
typedef struct section {
    wr_vec2 points[8 + 2 * MAX_WIDTHS];
    float v[8 + 2 * MAX_WIDTHS];
    int corner[8 + 2 * MAX_WIDTHS];
    int count, widths;
} section;

static void add_section_point(section *c, float y, float z, float v, int corner)
{
    c->points[c->count] = (wr_vec2){y, z};
    c->v[c->count] = v;
    c->corner[c->count++] = corner;
}

static section make_section(wr_vec3 half, float bevel, int widths)
{
    float y = half.y, z = half.z, b = bevel, side = 2.0f * z / (4.0f * z + 2.0f * y);
    section c = {.widths = widths};
    int top = widths + 1;
    add_section_point(&c, b - y, -z, 0.0f, 0);
    add_section_point(&c, -y, b - z, 0.0f, 0);
    add_section_point(&c, -y, z - b, side, top);
    for (int i = 0; i <= widths; i++) {
        float t = (float)i / (float)widths;
        add_section_point(&c, lerp(b - y, y - b, t), z, lerp(side, 1.0f - side, t), top + i);
    }
    add_section_point(&c, y, z - b, 1.0f - side, top + widths);
    add_section_point(&c, y, b - z, 1.0f, widths);
    for (int i = widths; i > 0; i--) {
        float t = (float)i / (float)widths;
        add_section_point(&c, lerp(b - y, y - b, t), -z, t, i);
    }
    return c;
}

// `from` is the first vertex of the section at this end.
static void add_board_end(solid *s, const section *c, wr_vec3 half, float bevel, float sign,
                          int from, area where)
{
    int first = s->vertices.count, top = first + c->widths + 1;
    for (int k = 0; k < 2 * (c->widths + 1); k++) {
        float t = (float)(k % (c->widths + 1)) / (float)c->widths, v = 0.0f;
        for (int i = 0; i < c->count; i++) { // between the points it touches
            v = c->corner[i] == k ? c->v[i] : v;
        }
        float y = lerp(bevel - half.y, half.y - bevel, t), z = half.z - bevel;
        wr_vec3 p = wr_v3(sign * half.x, y, k > c->widths ? z : -z);
        add_vertex(s, p, sign > 0.0f ? where.u1 : where.u0, lerp(where.v0, where.v1, v));
    }
    for (int i = 0; i < c->count; i++) {
        int j = (i + 1) % c->count, a = from + i, b = from + j;
        int ca = first + c->corner[i], cb = first + c->corner[j];
        if (sign > 0.0f) {
            add_quad(s, a, ca, cb, b);
        } else {
            add_quad(s, b, cb, ca, a);
        }
    }
    for (int k = 0; k < c->widths; k++) {
        if (sign > 0.0f) {
            add_quad(s, first + k + 1, top + k + 1, top + k, first + k);
        } else {
            add_quad(s, first + k, top + k, top + k + 1, first + k + 1);
        }
    }
}

// The broken end of a piece: a flat facet for every strip between two teeth. `from` as above.
static void add_break(solid *s, const section *c, float sign, int from)
{
    int m = c->widths, n = c->count;
    for (int k = -1; k <= m; k++) { // and the bevels at both sides
        int quad[4] = {n - k - 1, 4 + k, 3 + k, (n - k) % n}, corner[4];
        if (k < 0) {
            memcpy(quad, (int[]){0, 3, 2, 1}, sizeof quad);
        } else if (k == m) {
            memcpy(quad, (int[]){m + 6, m + 5, m + 4, m + 3}, sizeof quad);
        }
        s->groups++;
        for (int i = 0; i < 4; i++) {
            solid_vertex *copy = need(wri_array_add(&s->vertices, 1));
            *copy = WRI_ITEM(s->vertices, solid_vertex, from + quad[sign > 0.0f ? i : 3 - i]);
            copy->group = s->groups;
            corner[i] = s->vertices.count - 1;
        }
        add_quad(s, corner[0], corner[1], corner[2], corner[3]);
    }
}

// Where point i of the section lies along x.
static float end_of(const section *c, board_end end, float bevel, float sign, int i)
{
    return end.teeth ? end.x + end.teeth[c->corner[i] % (c->widths + 1)] : end.x - sign * bevel;
}

void solid_board_piece(solid *s, wr_vec3 half, float bevel, area where, board_end low,
                       board_end high)
{
    int lengths = s->lengths > 0 ? s->lengths : 1, widths = s->widths > 0 ? s->widths : 1;
    section c = make_section(half, bevel, widths);
    int first = s->vertices.count, last = first + lengths * c.count;
    for (int k = 0; k <= lengths; k++) {
        for (int i = 0; i < c.count; i++) {
            float x0 = end_of(&c, low, bevel, -1.0f, i), x1 = end_of(&c, high, bevel, 1.0f, i);
            float x = lerp(x0, x1, (float)k / (float)lengths);
            add_vertex(s, wr_v3(x, c.points[i].x, c.points[i].y),
                       lerp(where.u0, where.u1, 0.5f + 0.5f * x / half.x),
                       lerp(where.v0, where.v1, c.v[i]));
        }
    }
    for (int k = 0; k < lengths; k++) {
        for (int i = 0; i < c.count; i++) {
            int a = first + k * c.count, b = a + c.count, j = (i + 1) % c.count;
            add_cell(s, a + i, b + i, b + j, a + j, i + k);
        }
    }
    if (!low.teeth) {
        add_board_end(s, &c, half, bevel, -1.0f, first, where);
    }
    if (!high.teeth) {
        add_board_end(s, &c, half, bevel, 1.0f, last, where);
    }
    if (low.teeth) {
        add_break(s, &c, -1.0f, first);
    }
    if (high.teeth) {
        add_break(s, &c, 1.0f, last);
    }
    s->groups++;
}

void solid_board(solid *s, wr_vec3 half, float bevel, area where)
{
    solid_board_piece(s, half, bevel, where, (board_end){-half.x, NULL}, (board_end){half.x, NULL});
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
            add_cell(s, low + i, high + i, high + i + 1, low + i + 1, i + j);
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

// Ear clipping, short cuts first, so that a cap bends with its walls; up faces +z. The outline's
// vertices start at `first`.
static void add_cap(solid *s, const wr_vec2 *outline, int count, int first, bool up)
{
    int left[MAX_OUTLINE];
    for (int i = 0; i < count; i++) {
        left[i] = i;
    }
    for (int n = count; n >= 3; n--) {
        int at = 0;
        float least = INFINITY;
        for (int i = 0; i < n; i++) {
            wr_vec2 p = outline[left[(i + n - 1) % n]], q = outline[left[(i + 1) % n]];
            float across = (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
            if (across < least && is_ear(outline, left, n, i)) {
                least = across;
                at = i;
            }
        }
        int a = left[(at + n - 1) % n], b = left[at], c = left[(at + 1) % n];
        add_triangle(s, first + (up ? a : c), first + b, first + (up ? c : a));
        memmove(left + at, left + at + 1, (size_t)(n - at - 1) * sizeof left[0]);
    }
}

static bool same_area(area a, area b)
{
    return a.u0 == b.u0 && a.v0 == b.v0 && a.u1 == b.u1 && a.v1 == b.v1;
}

// One side of the outline through the stations; those of one area share vertices.
static void add_wall(solid *s, const extrusion *e, wr_vec2 a, wr_vec2 b, float across0,
                     float across1)
{
    for (int i = 0; i + 1 < e->station_count; i++) {
        const station *from = &e->stations[i];
        area w = from->where;
        float v0 = lerp(w.v0, w.v1, fminf(across0 / e->height, 1.0f));
        float v1 = lerp(w.v0, w.v1, fminf(across1 / e->height, 1.0f));
        bool fresh = i == 0 || !same_area(w, from[-1].where);
        for (int end = fresh ? 0 : 1; end < 2; end++) {
            float z = from[end].z, u = lerp(w.u0, w.u1, z / e->length);
            add_vertex(s, wr_v3(a.x, a.y, z), u, v0);
            add_vertex(s, wr_v3(b.x, b.y, z), u, v1);
        }
        int high = s->vertices.count - 2, low = high - 2;
        add_cell(s, low, low + 1, high + 1, high, i);
    }
    s->groups++;
}

static void add_walls(solid *s, const extrusion *e)
{
    float across = 0.0f;
    for (int i = 0; i < e->count; i++) {
        wr_vec2 a = e->outline[i], b = e->outline[(i + 1) % e->count];
        float wide = sqrtf((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
        add_wall(s, e, a, b, across, across + wide);
        across = e->around ? across + wide : 0.0f;
    }
}

void solid_extrude(solid *s, const extrusion *e)
{
    WR_ASSERT(e->count <= MAX_OUTLINE && e->station_count >= 2);
    add_walls(s, e);
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

// The first vertex of the same place and group as each.
static int *find_twins(const solid *s)
{
    const solid_vertex *vertices = s->vertices.items;
    int count = s->vertices.count;
    int *twin = need(wri_alloc(NULL, (size_t)count, sizeof *twin));
    for (int i = 0, first = 0; i < count; i++) {
        const solid_vertex *v = &vertices[i];
        first = vertices[first].group == v->group ? first : i; // groups follow one another
        int j = first;
        while (vertices[j].group != v->group || !same(vertices[j].position, v->position)) {
            j++;
        }
        twin[i] = j;
    }
    return twin;
}

// Area-weighted over all twins, so that a seam of the texture is not one of the light and a narrow
// bevel takes the normals of its broad neighbours.
static void fill_normals(const solid *s, const int *twin, const wr_vec3 *positions,
                         wr_vec3 *normals)
{
    for (int t = 0; t < s->triangles.count; t++) {
        const int *c = WRI_ITEM(s->triangles, solid_triangle, t).corner;
        wr_vec3 a = positions[c[0]];
        wr_vec3 n = wr_cross(wr_sub(positions[c[1]], a), wr_sub(positions[c[2]], a));
        for (int k = 0; k < 3; k++) {
            normals[twin[c[k]]] = wr_add(normals[twin[c[k]]], n);
        }
    }
    for (int i = s->vertices.count - 1; i >= 0; i--) { // twins come earlier: they are still sums
        normals[i] = wr_normalize(normals[twin[i]]);
    }
}

int solid_triangle_count(const solid *s)
{
    return s->triangles.count;
}

void solid_corners(const solid *s, int triangle, wr_vec3 corners[3])
{
    for (int k = 0; k < 3; k++) {
        corners[k] = position_of(s, WRI_ITEM(s->triangles, solid_triangle, triangle).corner[k]);
    }
}

int solid_vertex_count(const solid *s)
{
    return s->vertices.count;
}

wr_vec3 *solid_add_morph(solid *s, const char *name)
{
    solid_morph *morph = need(wri_array_add(&s->morphs, 1));
    morph->name = name;
    morph->count = s->vertices.count;
    morph->positions = need(wri_alloc(NULL, (size_t)morph->count, sizeof *morph->positions));
    for (int i = 0; i < morph->count; i++) {
        morph->positions[i] = position_of(s, i);
    }
    return morph->positions;
}

// The solid's morphs as offsets of places and normals.
static void fill_morphs(solid *s, const int *twin, wr_model *model, wr_mesh *mesh)
{
    size_t count = (size_t)mesh->vertex_count;
    mesh->morph_count = s->morphs.count;
    mesh->morphs = need(wr_model_alloc(model, (size_t)s->morphs.count, sizeof *mesh->morphs));
    for (int k = 0; k < s->morphs.count; k++) {
        solid_morph *from = &WRI_ITEM(s->morphs, solid_morph, k);
        wr_morph *to = &mesh->morphs[k];
        WR_ASSERT(from->count == mesh->vertex_count);
        to->name = from->name;
        to->positions = need(wr_model_alloc(model, count, sizeof *to->positions));
        to->normals = need(wr_model_alloc(model, count, sizeof *to->normals));
        fill_normals(s, twin, from->positions, to->normals);
        for (int i = 0; i < mesh->vertex_count; i++) {
            to->positions[i] = wr_sub(from->positions[i], mesh->positions[i]);
            to->normals[i] = wr_sub(to->normals[i], mesh->normals[i]);
        }
        wri_free(NULL, from->positions, count, sizeof *from->positions);
    }
    wri_array_destroy(&s->morphs);
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
    mesh->uvs = model->image_count ? need(wr_model_alloc(model, count, sizeof *mesh->uvs)) : NULL;
    mesh->triangles = need(wr_model_alloc(model, (size_t)s->triangles.count, 3 * sizeof(int)));
    mesh->parts = need(wr_model_alloc(model, (size_t)model->look_count, sizeof *mesh->parts));
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->positions[i] = WRI_ITEM(s->vertices, solid_vertex, i).position;
        if (mesh->uvs) {
            mesh->uvs[i] = WRI_ITEM(s->vertices, solid_vertex, i).uv;
        }
    }
    int *twin = find_twins(s);
    fill_normals(s, twin, mesh->positions, mesh->normals);
    fill_morphs(s, twin, model, mesh);
    wri_free(NULL, twin, count, sizeof *twin);
    fill_triangles(s, model, mesh);
    wr_node *node = need(wr_model_alloc(model, 1, sizeof *node));
    *node = (wr_node){model->name, -1, 0, -1, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}};
    model->meshes = mesh;
    model->nodes = node;
    model->mesh_count = model->node_count = 1;
    wri_array_destroy(&s->vertices);
    wri_array_destroy(&s->triangles);
}
