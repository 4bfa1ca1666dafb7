// texels.c: a surface sampled by texels: checks, order of the steps, the result, and how the
// source's vertices follow it.
#include "texels.h"

enum { COOKIE = 0x54455853 };

wr_texels_desc wr_texels_desc_default(void)
{
    return (wr_texels_desc){.side = 128, .vertex_limit = 1000000, .cookie = COOKIE};
}

static bool check(const wr_texels_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_texels_desc, desc, COOKIE) || !WRI_REQUIRE(error, desc->mesh) ||
        !wri_mesh_check(desc->mesh, error)) {
        return false;
    }
    return (desc->side >= WR_TEXELS_SIDE_MIN && desc->side <= WR_TEXELS_SIDE_MAX) ||
           wri_fail(error, WR_E_ARGUMENT, "side: %d texels, expected %d to %d", desc->side,
                    WR_TEXELS_SIDE_MIN, WR_TEXELS_SIDE_MAX);
}

// --- rides ------------------------------------------------------------------------------------

// Along the first edge of a triangle, across it, and along the normal; zero where there is none.
static void find_axes(const wr_texels *s, int triangle, const wr_vec3 *positions, wr_vec3 axes[3])
{
    const int *v = &s->triangles[3 * triangle];
    wr_vec3 e = wr_sub(positions[v[1]], positions[v[0]]);
    wr_vec3 n = wr_cross(e, wr_sub(positions[v[2]], positions[v[0]]));
    float length = wr_length(e), area = wr_length(n);
    axes[0] = length > 0.0f ? wr_scale(1.0f / length, e) : e;
    axes[2] = area > 0.0f ? wr_scale(1.0f / area, n) : n;
    axes[1] = wr_cross(axes[2], axes[0]);
}

wr_vec3 wri_texel_ride_point(const wr_texels *s, const wr_texel_ride *ride,
                             const wr_vec3 *positions)
{
    const int *v = &s->triangles[3 * ride->triangle];
    const float offset[3] = {ride->offset.x, ride->offset.y, ride->offset.z};
    wr_vec3 axes[3], p = {0.0f, 0.0f, 0.0f};
    find_axes(s, ride->triangle, positions, axes);
    for (int k = 0; k < 3; k++) {
        p = wr_add(p, wr_scale(ride->weights[k], positions[v[k]]));
        p = wr_add(p, wr_scale(offset[k], axes[k]));
    }
    return p;
}

wr_vec3 wri_texel_ride_offset(const wr_texels *s, const wr_texel_ride *ride, wr_vec3 vector)
{
    wr_vec3 axes[3];
    find_axes(s, ride->triangle, s->positions, axes);
    return wr_v3(wr_dot(axes[0], vector), wr_dot(axes[1], vector), wr_dot(axes[2], vector));
}

void wr_texels_follow(const wr_texels *texels, const wr_vec3 *positions, wr_vec3 *out)
{
    for (int i = 0; i < texels->ride_count; i++) {
        out[i] = wri_texel_ride_point(texels, &texels->rides[i], positions);
    }
}

void wr_texels_interpolate(const wr_texels *texels, int width, const float *values, float *out)
{
    size_t n = (size_t)width;
    for (int i = 0; i < texels->vertex_count; i++) {
        const wr_mesh_point *at = &texels->at[i];
        for (size_t k = 0; k < n; k++) {
            float sum = 0.0f;
            for (int c = 0; c < 3; c++) {
                sum += at->weights[c] * values[(size_t)at->vertices[c] * n + k];
            }
            out[(size_t)i * n + k] = sum;
        }
    }
}

// --- the result -------------------------------------------------------------------------------

// The owner of the result's arrays.
typedef struct block {
    wri_arena arena;
    wr_texels texels;
} block;

static wr_texels *alloc_result(const wri_texel_work *w, int vertices, int triangles)
{
    wri_arena arena = wri_arena_create(&w->arena.allocator);
    block *b = wri_arena_alloc(&arena, 1, sizeof *b);
    if (!b) {
        wri_arena_destroy(&arena);
        return NULL;
    }
    size_t n = (size_t)vertices, rides = (size_t)w->facets.mesh->vertex_count;
    wr_texels *s = &b->texels;
    s->positions = wri_arena_alloc(&arena, n, sizeof *s->positions);
    s->triangles = wri_arena_alloc(&arena, (size_t)triangles, 3 * sizeof *s->triangles);
    s->texel = wri_arena_alloc(&arena, n, sizeof *s->texel);
    s->at = wri_arena_alloc(&arena, n, sizeof *s->at);
    s->rides = wri_arena_alloc(&arena, rides, sizeof *s->rides);
    s->vertex_count = vertices;
    s->triangle_count = triangles;
    s->ride_count = (int)rides;
    s->memory = b;
    b->arena = arena;
    if (!s->positions || !s->triangles || !s->texel || !s->at || !s->rides) {
        wr_texels_destroy(s);
        return NULL;
    }
    return s;
}

void wr_texels_destroy(wr_texels *texels)
{
    if (texels) {
        wri_arena arena = ((block *)texels->memory)->arena;
        wri_arena_destroy(&arena);
    }
}

static bool is_on_seam(const wri_half_mesh *m, int vertex)
{
    int first = wri_half_mesh_first(m, vertex);
    bool found = m->pinned[vertex] || m->twin[first] < 0;
    for (int h = first; h >= 0 && !found; h = wri_half_mesh_around(m, h, first)) {
        found = m->mark[h] & WRI_HALF_SEAM;
    }
    return found;
}

// Numbers what is left; texels come in the order of the atlas.
static void fill_vertices(const wri_texel_work *w, const int *number, wr_texels *s)
{
    const wri_half_mesh *m = &w->mesh;
    for (int v = 0; v < m->vertex_count; v++) {
        int i = number[v];
        if (i < 0) {
            continue;
        }
        bool is_texel = w->texel[v] >= 0, is_seam = !is_texel && is_on_seam(m, v);
        s->positions[i] = m->points[v];
        s->texel[i] = w->texel[v];
        s->at[i] = w->at[v];
        s->texel_count += is_texel;
        s->seam_count += is_seam;
        s->left_count += !is_texel && !is_seam;
    }
}

static void fill_triangles(const wri_half_mesh *m, const int *number, int *triangle_of,
                           wr_texels *s)
{
    int count = 0;
    for (int t = 0; t < m->triangle_count; t++) {
        triangle_of[t] = -1;
        if (m->corner[3 * t] >= 0) {
            for (int k = 0; k < 3; k++) {
                s->triangles[3 * count + k] = number[m->corner[3 * t + k]];
            }
            triangle_of[t] = count++;
        }
    }
}

static bool fail_limit(const wri_texel_work *w, int vertices, wr_error *error)
{
    return wri_fail(error, WR_E_LIMIT,
                    "mesh \"%s\": %d texels along a side make %d vertices, expected at most %d",
                    w->facets.mesh->name ? w->facets.mesh->name : "", w->desc->side, vertices,
                    w->desc->vertex_limit);
}

static bool build_result(wri_texel_work *w, wr_error *error)
{
    const wri_half_mesh *m = &w->mesh;
    int vertices = 0, triangles = 0;
    int *number = wri_arena_alloc(&w->arena, (size_t)m->vertex_count, sizeof *number);
    int *triangle_of = wri_arena_alloc(&w->arena, (size_t)m->triangle_count, sizeof *triangle_of);
    if (!number || !triangle_of) {
        return wri_fail_memory(error, w->arena.total);
    }
    for (int v = 0; v < m->vertex_count; v++) {
        number[v] = m->out[v] < 0 ? -1 : vertices++;
    }
    for (int t = 0; t < m->triangle_count; t++) {
        triangles += m->corner[3 * t] >= 0;
    }
    if (vertices > w->desc->vertex_limit) {
        return fail_limit(w, vertices, error);
    }
    w->out = alloc_result(w, vertices, triangles);
    if (!w->out) {
        return wri_fail_memory(error, (size_t)vertices * sizeof(wr_vec3));
    }
    fill_vertices(w, number, w->out);
    fill_triangles(m, number, triangle_of, w->out);
    return wri_texels_find_rides(w, triangle_of) || wri_fail_memory(error, w->arena.total);
}

// --- all --------------------------------------------------------------------------------------

static bool has_area(const wri_facets *f)
{
    bool found = false;
    for (int i = 0; i < f->count && !found; i++) {
        found = f->normal[i][0] != 0.0 || f->normal[i][1] != 0.0 || f->normal[i][2] != 0.0;
    }
    return found;
}

static bool sample(wri_texel_work *w, wr_error *error)
{
    int side = w->desc->side;
    wr_uv_report uvs;
    if (!wri_facets_create(&w->facets, &w->arena, w->desc->mesh)) {
        return wri_fail_memory(error, w->arena.total);
    }
    if (!has_area(&w->facets)) {
        return wri_fail(error, WR_E_ARGUMENT, "mesh \"%s\" has no triangle with any area",
                        w->desc->mesh->name ? w->desc->mesh->name : "");
    }
    if (!wri_atlas_from_uvs(&w->atlas, &w->facets, side, &uvs)) {
        return wri_fail_memory(error, w->arena.total);
    }
    if (!uvs.is_usable && !wri_atlas_generate(&w->atlas, &w->facets, side, error)) {
        return false;
    }
    if (!wri_texels_sample(w)) {
        return wri_fail_memory(error, w->arena.total);
    }
    bool ok = build_result(w, error);
    if (w->out) {
        w->out->side = side;
        w->out->chart_count = w->atlas.chart_count;
        w->out->is_generated = !uvs.is_usable;
        w->out->uvs = uvs;
    }
    return ok;
}

wr_texels *wr_texels_create(const wr_texels_desc *desc, wr_error *error)
{
    if (!check(desc, error)) {
        return NULL;
    }
    wri_texel_work w = {.desc = desc, .arena = wri_arena_create(&desc->allocator)};
    if (!sample(&w, error)) {
        wr_texels_destroy(w.out);
        w.out = NULL;
    }
    wri_arena_destroy(&w.arena);
    return w.out;
}
