// new_scene.c: wrought new scene: a first scene around a model.
#include "cli.h"

#include "../src/file/model.h"
#include "../src/skin/rows.h"

typedef struct job {
    const char *input, *output;
    int threads;
    bool force;
} job;

// --- what stands in it ------------------------------------------------------------------------

static wr_asset *build(const job *j, wr_error *error)
{
    wr_asset *asset = NULL;
    wr_recipe *recipe = wr_recipe_read(j->input, NULL, error);
    cli_progress progress = cli_progress_start("building", "%", 0, 100, false);
    const wr_scene_options options = {.tasks = wr_tasks_openmp(j->threads),
                                      .progress = cli_progress_hook(&progress),
                                      .log = cli_log_notes(false)};
    if (recipe && wr_recipe_check_material(recipe, error) &&
        wr_recipe_simulate(recipe, &options, error)) {
        wr_build_desc desc = wr_build_desc_default();
        wr_build_report report = {0};
        desc.tasks = options.tasks;
        desc.progress = options.progress;
        asset = wr_recipe_build_cached(recipe, &desc, false, &report, error);
        wr_build_report_clear(&report);
    }
    cli_progress_end(&progress);
    wr_recipe_destroy(recipe);
    return asset;
}

// Keeps what is outside of a simulation mesh at rest, with room for it in each of its examples.
static wr_vec3 *keep_outside(const wr_mesh *outside, int shapes, wri_arena *arena,
                             wr_scene_start *start)
{
    size_t n = (size_t)outside->vertex_count, indices = 3 * (size_t)outside->triangle_count;
    wr_vec3 *points = wri_arena_alloc(arena, n * (size_t)(shapes + 1), sizeof *points);
    int *triangles = wri_arena_alloc(arena, indices, sizeof *triangles);
    if (!points || !triangles) {
        return NULL;
    }
    memcpy(triangles, outside->triangles, indices * sizeof *triangles);
    start->points = points;
    start->point_count = outside->vertex_count;
    start->shapes = points + n;
    start->shape_count = shapes;
    start->triangles = triangles;
    start->triangle_count = outside->triangle_count;
    return points;
}

// The outside of a solid simulation mesh, at rest and in every example.
static bool measure_solid(const wr_rig *rig, wri_arena *arena, wr_scene_start *start,
                          wr_error *error)
{
    size_t n = (size_t)rig->vertex_count, examples = (size_t)rig->example_count;
    float *rows = wri_arena_alloc(arena, n * examples, sizeof *rows);
    const wr_skin_desc desc = wr_skin_desc_default();
    wr_tet_mesh *mesh = wr_tet_mesh_create(rig->vertex_count, rig->element_count, 0, NULL, error);
    wr_skin *skin = rows && mesh ? wr_skin_create(rig, &desc, error) : NULL;
    bool ok = skin != NULL || (!rows && wri_fail_memory(error, n * examples * sizeof *rows));
    if (ok) {
        memcpy(mesh->tetrahedra, rig->elements, 4 * (size_t)rig->element_count * sizeof(int));
    }
    wr_vec3 *points = NULL;
    for (int i = 0; ok && i < rig->example_count; i++) { // example 0 is at rest
        wri_rows_fill(rows, n, examples, (size_t)i);
        wr_skin_positions(skin, rows, NULL, rig->vertex_count, NULL, mesh->positions);
        wr_model *outside = wr_tet_mesh_create_surface(mesh, NULL, error);
        points = i == 0 && outside
                     ? keep_outside(outside->meshes, rig->example_count - 1, arena, start)
                     : points;
        ok = outside && (points || wri_fail_memory(error, n * examples * sizeof *points));
        if (ok) {
            size_t m = (size_t)start->point_count;
            memcpy(points + (size_t)i * m, outside->meshes->positions, m * sizeof *points);
        }
        wr_model_destroy(outside);
    }
    wr_skin_destroy(skin);
    wr_tet_mesh_destroy(mesh);
    return ok;
}

// The share of a surface that shows what is behind it, as its looks have it without their images.
static float find_clearness(const wr_model *model)
{
    const wr_mesh *mesh = model->meshes;
    double all = 0.0, clear = 0.0;
    for (int i = 0; i < mesh->part_count; i++) {
        const wr_mesh_part *part = &mesh->parts[i];
        const wr_look *look = part->look >= 0 ? &model->looks[part->look] : NULL;
        bool is_blend = look && look->alpha == WR_ALPHA_BLEND;
        float alpha = is_blend ? wr_clampf(look->base_color.a, 0.0f, 1.0f) : 1.0f;
        float through = look ? look->transmission * (1.0f - look->metallic) : 0.0f;
        for (int k = 0; k < part->triangle_count; k++) {
            const int *t = &mesh->triangles[3 * (size_t)(part->first_triangle + k)];
            wr_vec3 a = mesh->positions[t[0]];
            double area = (double)wr_length(
                wr_cross(wr_sub(mesh->positions[t[1]], a), wr_sub(mesh->positions[t[2]], a)));
            all += area;
            clear += area * (1.0 - (double)(alpha * (1.0f - through)));
        }
    }
    return all > 0.0 ? (float)(clear / all) : 0.0f;
}

static bool measure_rig(const wr_rig *rig, wri_arena *arena, wr_scene_start *start, wr_error *error)
{
    if (rig->dimension == 3) {
        return measure_solid(rig, arena, start, error);
    }
    size_t n = (size_t)rig->vertex_count;
    wr_vec3 *points = wri_arena_alloc(arena, n, sizeof *points);
    if (!points) {
        return wri_fail_memory(error, n * sizeof *points);
    }
    memcpy(points, rig->rest, n * sizeof *points);
    start->points = points;
    start->point_count = rig->vertex_count;
    return true;
}

static bool measure_asset(const job *j, wri_arena *arena, wr_scene_start *start, wr_error *error)
{
    wr_asset *asset =
        wr_recipe_has_ending(j->input) ? build(j, error) : wr_asset_read(j->input, NULL, error);
    bool ok = asset && measure_rig(&asset->rig, arena, start, error);
    if (ok) {
        start->bounds = wr_mesh_bounds(asset->model->meshes);
        start->clearness = find_clearness(asset->model);
        start->is_flat = asset->rig.dimension == 2;
        start->material = asset->material
                              ? wri_arena_text(arena, asset->material, strlen(asset->material))
                              : NULL;
        ok = start->material || !asset->material || wri_fail_memory(error, 1);
    }
    wr_asset_destroy(asset);
    return ok;
}

// Vertices and middles of triangles.
static bool measure_model(const job *j, wri_arena *arena, wr_scene_start *start, wr_error *error)
{
    wr_model *model = wr_model_read(j->input, NULL, error);
    wr_model *flat = model ? cli_flatten(model, j->input, error) : NULL;
    bool ok = flat != NULL;
    if (ok) {
        const wr_mesh *mesh = flat->meshes;
        start->point_count = mesh->vertex_count + mesh->triangle_count;
        wr_vec3 *points = wri_arena_alloc(arena, (size_t)start->point_count, sizeof *points);
        for (int i = 0; points && i < mesh->vertex_count; i++) {
            points[i] = mesh->positions[i];
        }
        for (int i = 0; points && i < mesh->triangle_count; i++) {
            const int *t = mesh->triangles + 3 * i;
            const wr_vec3 *p = mesh->positions;
            points[mesh->vertex_count + i] =
                wr_scale(1.0f / 3.0f, wr_add(p[t[0]], wr_add(p[t[1]], p[t[2]])));
        }
        start->points = points;
        start->bounds = wr_mesh_bounds(mesh);
        start->clearness = find_clearness(flat);
        ok = (points || wri_fail_memory(error, (size_t)start->point_count * sizeof *points)) &&
             wri_model_warn_of_size(flat, error, j->input, wr_box_size(start->bounds),
                                    WRI_UNIT_IN_SCENE);
        cli_warn(flat->warning_count, flat->warnings);
    }
    wr_model_destroy(flat);
    wr_model_destroy(model);
    return ok;
}

// --- names ------------------------------------------------------------------------------------

// Length of a path without what says its kind: "toys/car" of toys/car.recipe.json.
static size_t stem_length(const char *path)
{
    static const char *const endings[] = {".recipe.json", ".asset.glb", ".json"};
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    for (int i = 0; i < WRI_COUNT(endings); i++) {
        if (wri_has_ending(path, endings[i])) {
            return strlen(path) - strlen(endings[i]);
        }
    }
    return dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);
}

static int run(job *j, wri_arena *arena)
{
    wr_error error = {0};
    size_t stem = stem_length(j->input);
    const char *slash = strrchr(j->input, '/');
    size_t folder = slash ? (size_t)(slash + 1 - j->input) : 0;
    wr_scene_start start = {
        .name = wri_arena_printf(arena, "%.*s", (int)(stem - folder), j->input + folder)};
    j->output =
        j->output ? j->output : wri_arena_printf(arena, "%.*s.scene.json", (int)stem, j->input);
    start.file = j->output ? cli_name_from(arena, j->input, j->output) : NULL;
    if (!start.name || !start.file) {
        return cli_complain(CLI_BAD_INPUT, "%s: out of memory", j->input);
    }
    int status = cli_check_other(j->input, j->output);
    if (status < 0 && !wri_has_ending(j->output, ".json")) {
        status = cli_complain(CLI_BAD_USAGE, "%s: unknown kind of file, expected .scene.json",
                              j->output);
    }
    status = status < 0 ? cli_check_replace(j->output, j->force) : status;
    if (status >= 0) {
        return status;
    }
    if (!wri_folder_check(j->output, &error)) {
        return cli_fail(&error);
    }
    bool is_asset = wr_recipe_has_ending(j->input) || wr_asset_is_one(j->input);
    size_t size = 0;
    char *text = (is_asset ? measure_asset : measure_model)(j, arena, &start, &error)
                     ? wr_scene_write_new(&start, &size, &error)
                     : NULL;
    bool ok = text && wri_file_write(j->output, text, strlen(text), &error);
    wr_text_destroy(text, size);
    if (!ok) {
        return cli_fail(&error);
    }
    if (!is_asset) {
        cli_note("%s is a model, which stays rigid: make a recipe of it for one that bends",
                 j->input);
    } else if (start.shape_count == 0 && !start.is_flat && start.material &&
               strstr(start.material, "metal")) {
        cli_note("%s has no examples, so its metal stays rigid: \"wrought new MODEL --dents\" "
                 "makes a recipe with some",
                 j->input);
    }
    cli_say("%s: written. Next: wrought sim %s && wrought render out -o film.mp4", j->output,
            cli_quote(arena, j->output));
    return CLI_OK;
}

int cli_new_scene(int argc, char **argv)
{
    job j = {0};
    const cli_option table[] = {
        {"--output", 'o', CLI_PATH, &j.output, 0, 0, "FILE",
         "the scene (default: beside the model, .scene.json)"},
        {"--threads", 0, CLI_WHOLE, &j.threads, 1, 1024, "N",
         "of a recipe that must be built first (default: one per core)"},
        {"--force", 0, CLI_FLAG, &j.force, 0, 0, NULL, "replace the scene if it exists"},
    };
    const cli_usage usage = {
        "new scene",
        "RECIPE.json|ASSET.glb|MODEL",
        "Starts a scene around a recipe, an asset or a model: it stands on a floor in front of a\n"
        "camera and three balls are thrown at it, in proportion to its size. Metal with examples "
        "is\n"
        "bolted to the floor and hit where most of what the camera sees of it bends.\n"
        "A drawing stands in its plane. Edit it; docs/scene.md lists the keys.",
        "  wrought new car.glb --dents\n"
        "  wrought new scene car.recipe.json\n"
        "  wrought sim car.scene.json && wrought render out -o film.mp4\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &j.input, &count);
    status = status < 0 && !wr_recipe_has_ending(j.input) ? cli_refuse_text(j.input) : status;
    if (status >= 0) {
        return status;
    }
    wri_arena arena = wri_arena_create(NULL);
    status = run(&j, &arena);
    wri_arena_destroy(&arena);
    return status;
}
