// asset_view.c: an asset's shapes: positions, normals, colours.
#include "asset_view.h"

bool cli_asset_view_create(cli_asset_view *v, const wr_asset *asset, wr_tasks tasks,
                           wr_error *error)
{
    const wr_rig *rig = &asset->rig;
    const wr_mesh *mesh = asset->model->meshes;
    size_t n = (size_t)rig->vertex_count, m = (size_t)mesh->vertex_count;
    size_t b = (size_t)rig->handle_count;
    *v = (cli_asset_view){.asset = asset, .tasks = tasks, .arena = wri_arena_create(NULL)};
    v->E = wri_arena_alloc(&v->arena, n * (size_t)rig->example_count, sizeof *v->E);
    v->x = wri_arena_alloc(&v->arena, n, sizeof *v->x);
    v->F = wri_arena_alloc(&v->arena, n, sizeof *v->F);
    v->rest = wri_arena_alloc(&v->arena, m, sizeof *v->rest);
    v->positions = wri_arena_alloc(&v->arena, m, sizeof *v->positions);
    v->normals = mesh->normals ? wri_arena_alloc(&v->arena, m, sizeof *v->normals) : NULL;
    v->colors = wri_arena_alloc(&v->arena, m, sizeof *v->colors);
    v->pivots = wri_arena_alloc(&v->arena, b, sizeof *v->pivots);
    v->transforms = wri_arena_alloc(&v->arena, b, sizeof *v->transforms);
    v->handle_colors = wri_arena_alloc(&v->arena, b, sizeof *v->handle_colors);
    v->row = wri_arena_alloc(&v->arena, b, sizeof *v->row);
    if (!v->E || !v->x || !v->F || !v->rest || !v->positions || (mesh->normals && !v->normals) ||
        !v->colors || !v->pivots || !v->transforms || !v->handle_colors || !v->row) {
        return wri_fail_memory(error, n * (size_t)rig->example_count * sizeof *v->E);
    }
    for (int i = 0; i < rig->handle_count; i++) {
        v->handle_colors[i] = wr_handle_color(i, rig->handle_count);
    }
    wr_skin_desc desc = wr_skin_desc_default();
    v->skin = wr_skin_create(rig, &desc, error);
    if (!v->skin) {
        return false;
    }
    wr_skin_ride_positions(v->skin, NULL, rig->rest, NULL, 0, &tasks, v->rest);
    return true;
}

void cli_asset_view_destroy(cli_asset_view *v)
{
    wr_skin_destroy(v->skin);
    wri_arena_destroy(&v->arena);
}

// --- shapes -----------------------------------------------------------------------------------

// Flat bodies blend as a whole and may stretch; in solid ones every vertex blends for itself.
static void pose_solid(cli_asset_view *v, int example, float share)
{
    const wr_rig *rig = &v->asset->rig;
    size_t examples = (size_t)rig->example_count;
    for (size_t i = 0; i < (size_t)rig->vertex_count; i++) {
        memset(v->E + i * examples, 0, examples * sizeof *v->E);
        v->E[i * examples] = 1.0f - share;
        v->E[i * examples + (size_t)example] += share;
    }
    if (rig->dimension == 2) {
        wr_skin_blend(v->skin, v->E, &v->tasks, v->transforms, v->x);
    } else {
        wr_skin_positions(v->skin, v->E, NULL, 0, &v->tasks, v->x);
    }
    for (int b = 0; b < rig->handle_count; b++) {
        v->pivots[b] =
            wr_add_scaled(rig->handles[b].pivot, share, rig->examples[example].poses[b].offset);
    }
}

// Details are finer than the simulation mesh, so its gradient does not know of them.
static bool turn_normals(cli_asset_view *v, int example, wr_error *error)
{
    const wr_mesh *mesh = v->asset->model->meshes;
    if (!mesh->normals) {
        return true;
    }
    if (v->asset->rig.examples[example].details) {
        return wr_mesh_renew_normals(mesh, mesh->normals, v->positions, NULL, v->normals, error);
    }
    wr_skin_gradients(v->skin, v->x, NULL, 0, &v->tasks, v->F);
    wr_skin_ride_normals(v->skin, v->F, mesh->normals, NULL, 0, &v->tasks, v->normals);
    return true;
}

bool cli_asset_view_pose(cli_asset_view *v, int example, float share, wr_error *error)
{
    int count = v->asset->model->meshes[0].vertex_count;
    pose_solid(v, example, share);
    wr_skin_ride_positions(v->skin, v->E, v->x, NULL, 0, &v->tasks, v->positions);
    v->largest_move = 0.0;
    for (int i = 0; i < count; i++) {
        v->largest_move = fmax(v->largest_move, wr_distance(v->positions[i], v->rest[i]));
    }
    return turn_normals(v, example, error);
}

wr_model *cli_asset_view_create_solid(const cli_asset_view *v, wr_error *error)
{
    const wr_rig *rig = &v->asset->rig;
    bool flat = rig->dimension == 2;
    const wr_tet_mesh mesh = {
        .vertex_count = rig->vertex_count,
        .tetrahedron_count = flat ? 0 : rig->element_count,
        .triangle_count = flat ? rig->element_count : 0,
        .positions = v->x,
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

void cli_paint_examples(const wr_rig *rig, const float *rows, wr_color *colors)
{
    float row[WR_SKIN_EXAMPLES_MAX];
    for (int i = 0; i < rig->ride_count; i++) {
        if (rows) {
            sample(rig, rows, rig->example_count, i, row);
        }
        colors[i] = rows ? wr_blend_color(row, rig->example_count) : wr_example_color(0, 1);
    }
}

void cli_asset_view_paint_examples(cli_asset_view *v)
{
    cli_paint_examples(&v->asset->rig, v->E, v->colors);
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

void cli_asset_view_paint_handles(cli_asset_view *v)
{
    const wr_rig *rig = &v->asset->rig;
    for (int i = 0; i < rig->ride_count; i++) {
        sample(rig, rig->weights, rig->handle_count, i, v->row);
        v->colors[i] = mix_handles(v->row, v->handle_colors, rig->handle_count);
    }
}

void cli_asset_view_paint_weight(cli_asset_view *v, int handle)
{
    const wr_rig *rig = &v->asset->rig;
    int corners = rig->dimension + 1;
    for (int i = 0; i < rig->ride_count; i++) {
        const wr_ride *r = &rig->rides[i];
        float weight = 0.0f;
        for (int k = 0; k < corners; k++) {
            size_t vertex = (size_t)rig->elements[r->element * corners + k];
            weight +=
                r->weights[k] * rig->weights[vertex * (size_t)rig->handle_count + (size_t)handle];
        }
        v->colors[i] = wr_ramp_color(weight);
    }
}

// --- names ------------------------------------------------------------------------------------

static int find_name(const char *const *names, int count, const char *path, const char *what,
                     const char *name, wr_error *error)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    const char *nearest = wri_nearest_word(name, names, count);
    if (nearest) {
        wri_fail(error, WR_E_ARGUMENT, "%s: has no %s \"%.100s\"; did you mean \"%.100s\"?", path,
                 what, name, nearest);
    } else if (count > 0) {
        wri_fail(error, WR_E_ARGUMENT, "%s: has no %s \"%.100s\"; the first of %d is \"%.100s\"",
                 path, what, name, count, names[0]);
    } else {
        wri_fail(error, WR_E_ARGUMENT, "%s: has no %ss, so none called \"%.100s\"", path, what,
                 name);
    }
    return -1;
}

int cli_find_example(const wr_asset *asset, const char *path, const char *name, wr_error *error)
{
    const char *names[WR_SKIN_EXAMPLES_MAX] = {0};
    int count = asset->rig.example_count;
    for (int i = 0; i < count; i++) {
        names[i] = asset->rig.examples[i].name;
    }
    return find_name(names, count, path, "example", name, error);
}

int cli_find_handle(const wr_asset *asset, const char *path, const char *name, wr_error *error)
{
    size_t count = (size_t)asset->rig.handle_count;
    const char **names = wri_alloc(NULL, count, sizeof *names);
    int found = -1;
    if (!names) {
        wri_fail_memory(error, count * sizeof *names);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = asset->rig.handles[i].name;
    }
    found = find_name(names, (int)count, path, "handle", name, error);
    wri_free(NULL, (void *)names, count, sizeof *names);
    return found;
}
