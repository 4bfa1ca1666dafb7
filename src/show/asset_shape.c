// asset_shape.c: an asset's shapes: positions, normals, colours.
#include "asset_view.h"

#include "../file/asset.h"

bool wri_asset_shape_create(wri_asset_shape *s, const wr_asset *asset, wr_tasks tasks,
                            wr_error *error)
{
    const wr_rig *rig = &asset->rig;
    const wr_mesh *mesh = asset->model->meshes;
    size_t n = (size_t)rig->vertex_count, m = (size_t)mesh->vertex_count;
    size_t b = (size_t)rig->handle_count;
    *s = (wri_asset_shape){.asset = asset, .tasks = tasks, .arena = wri_arena_create(NULL)};
    s->E = wri_arena_alloc(&s->arena, n * (size_t)rig->example_count, sizeof *s->E);
    s->x = wri_arena_alloc(&s->arena, n, sizeof *s->x);
    s->F = wri_arena_alloc(&s->arena, n, sizeof *s->F);
    s->rest = wri_arena_alloc(&s->arena, m, sizeof *s->rest);
    s->positions = wri_arena_alloc(&s->arena, m, sizeof *s->positions);
    s->normals = mesh->normals ? wri_arena_alloc(&s->arena, m, sizeof *s->normals) : NULL;
    s->colors = wri_arena_alloc(&s->arena, m, sizeof *s->colors);
    s->pivots = wri_arena_alloc(&s->arena, b, sizeof *s->pivots);
    s->transforms = wri_arena_alloc(&s->arena, b, sizeof *s->transforms);
    s->handle_colors = wri_arena_alloc(&s->arena, b, sizeof *s->handle_colors);
    s->row = wri_arena_alloc(&s->arena, b, sizeof *s->row);
    if (!s->E || !s->x || !s->F || !s->rest || !s->positions || (mesh->normals && !s->normals) ||
        !s->colors || !s->pivots || !s->transforms || !s->handle_colors || !s->row) {
        return wri_fail_memory(error, n * (size_t)rig->example_count * sizeof *s->E);
    }
    for (int i = 0; i < rig->handle_count; i++) {
        s->handle_colors[i] = wr_handle_color(i, rig->handle_count);
    }
    wr_skin_desc desc = wr_skin_desc_default();
    s->skin = wr_skin_create(rig, &desc, error);
    if (!s->skin) {
        return false;
    }
    wr_skin_ride_positions(s->skin, NULL, rig->rest, NULL, 0, &tasks, s->rest);
    return true;
}

void wri_asset_shape_destroy(wri_asset_shape *s)
{
    wr_skin_destroy(s->skin);
    wri_arena_destroy(&s->arena);
}

// --- shapes -----------------------------------------------------------------------------------

// Flat bodies blend as a whole and may stretch; in solid ones every vertex blends for itself.
static void pose_solid(wri_asset_shape *s, int example, float share)
{
    const wr_rig *rig = &s->asset->rig;
    size_t examples = (size_t)rig->example_count;
    for (size_t i = 0; i < (size_t)rig->vertex_count; i++) {
        memset(s->E + i * examples, 0, examples * sizeof *s->E);
        s->E[i * examples] = 1.0f - share;
        s->E[i * examples + (size_t)example] += share;
    }
    if (rig->dimension == 2) {
        wr_skin_blend(s->skin, s->E, &s->tasks, s->transforms, s->x);
    } else {
        wr_skin_positions(s->skin, s->E, NULL, 0, &s->tasks, s->x);
    }
    for (int b = 0; b < rig->handle_count; b++) {
        s->pivots[b] =
            wr_add_scaled(rig->handles[b].pivot, share, rig->examples[example].poses[b].offset);
    }
}

// Details are finer than the simulation mesh, so its gradient does not know of them.
static bool turn_normals(wri_asset_shape *s, int example, wr_error *error)
{
    const wr_mesh *mesh = s->asset->model->meshes;
    if (!mesh->normals) {
        return true;
    }
    if (s->asset->rig.examples[example].details) {
        return wr_mesh_renew_normals(mesh, mesh->normals, s->positions, NULL, s->normals, error);
    }
    wr_skin_gradients(s->skin, s->x, NULL, 0, &s->tasks, s->F);
    wr_skin_ride_normals(s->skin, s->F, mesh->normals, NULL, 0, &s->tasks, s->normals);
    return true;
}

bool wri_asset_shape_pose(wri_asset_shape *s, int example, float share, wr_error *error)
{
    int count = s->asset->model->meshes[0].vertex_count;
    pose_solid(s, example, share);
    wr_skin_ride_positions(s->skin, s->E, s->x, NULL, 0, &s->tasks, s->positions);
    s->largest_move = 0.0;
    for (int i = 0; i < count; i++) {
        s->largest_move = fmax(s->largest_move, wr_distance(s->positions[i], s->rest[i]));
    }
    return turn_normals(s, example, error);
}

wr_model *wri_asset_shape_create_solid(const wri_asset_shape *s, wr_error *error)
{
    const wr_rig *rig = &s->asset->rig;
    bool flat = rig->dimension == 2;
    const wr_tet_mesh mesh = {
        .vertex_count = rig->vertex_count,
        .tetrahedron_count = flat ? 0 : rig->element_count,
        .triangle_count = flat ? rig->element_count : 0,
        .positions = s->x,
        .tetrahedra = flat ? NULL : rig->elements,
        .triangles = flat ? rig->elements : NULL,
    };
    return wr_tet_mesh_create_surface(&mesh, NULL, error);
}

// --- paint ------------------------------------------------------------------------------------

// `width` numbers of a table with one row per simulation vertex, at a vertex of the render mesh.
// One that hangs outside its element must not go below 0 there.
static void sample(const wr_rig *rig, const float *table, int width, int ride, float *out)
{
    const wr_ride *r = &rig->rides[ride];
    int corners = rig->dimension + 1;
    memset(out, 0, (size_t)width * sizeof *out);
    for (int k = 0; k < corners; k++) {
        int vertex = rig->elements[(size_t)r->element * (size_t)corners + (size_t)k];
        const float *row = table + (size_t)vertex * (size_t)width;
        for (int i = 0; i < width; i++) {
            out[i] += r->weights[k] * row[i];
        }
    }
    for (int i = 0; i < width; i++) {
        out[i] = wr_clampf(out[i], 0.0f, 1.0f);
    }
}

void wri_paint_examples(const wr_rig *rig, const float *rows, wr_color *colors)
{
    float row[WR_SKIN_EXAMPLES_MAX];
    for (int i = 0; i < rig->ride_count; i++) {
        if (rows) {
            sample(rig, rows, rig->example_count, i, row);
        }
        colors[i] = rows ? wr_blend_color(row, rig->example_count) : wr_example_color(0, 1);
    }
}

void wri_paint_map(const wr_asset *asset, wr_map_kind kind, wr_color *colors)
{
    for (int i = 0; i < asset->rig.ride_count; i++) {
        colors[i] = wr_factor_color(wri_asset_map_at(asset, kind, i));
    }
}

void wri_asset_shape_paint_examples(wri_asset_shape *s)
{
    wri_paint_examples(&s->asset->rig, s->E, s->colors);
}

static wr_color mix_handles(const float *row, const wr_color *colors, int count)
{
    float r = 0.0f, g = 0.0f, b = 0.0f, sum = 1e-6f;
    for (int i = 0; i < count; i++) {
        r += row[i] * colors[i].r;
        g += row[i] * colors[i].g;
        b += row[i] * colors[i].b;
        sum += row[i];
    }
    return (wr_color){r / sum, g / sum, b / sum, 1.0f};
}

void wri_asset_shape_paint_handles(wri_asset_shape *s)
{
    const wr_rig *rig = &s->asset->rig;
    for (int i = 0; i < rig->ride_count; i++) {
        sample(rig, rig->weights, rig->handle_count, i, s->row);
        s->colors[i] = mix_handles(s->row, s->handle_colors, rig->handle_count);
    }
}

void wri_asset_shape_paint_weight(wri_asset_shape *s, int handle)
{
    const wr_rig *rig = &s->asset->rig;
    int corners = rig->dimension + 1;
    for (int i = 0; i < rig->ride_count; i++) {
        const wr_ride *r = &rig->rides[i];
        float weight = 0.0f;
        for (int k = 0; k < corners; k++) {
            size_t vertex = (size_t)rig->elements[r->element * corners + k];
            weight +=
                r->weights[k] * rig->weights[vertex * (size_t)rig->handle_count + (size_t)handle];
        }
        s->colors[i] = wr_ramp_color(weight);
    }
}
