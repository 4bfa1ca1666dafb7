// new_scene.c: wrought new scene: a first scene around a model.
#include "cli.h"

#include <math.h>

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

static wr_vec3 triangle_center(const wr_mesh *mesh, int triangle, double *area)
{
    const int *t = mesh->triangles + 3 * triangle;
    wr_vec3 a = mesh->positions[t[0]], b = mesh->positions[t[1]], c = mesh->positions[t[2]];
    *area = 0.5 * (double)wr_length(wr_cross(wr_sub(b, a), wr_sub(c, a)));
    return wr_scale(1.0f / 3.0f, wr_add(a, wr_add(b, c)));
}

// The middle of the triangle that is nearest to the middle of the surface, which is in the air of a
// body that is bent or open.
static wr_vec3 find_aim(const wr_mesh *mesh)
{
    double sum[3] = {0.0}, whole = 0.0, area;
    for (int i = 0; i < mesh->triangle_count; i++) {
        wr_vec3 center = triangle_center(mesh, i, &area);
        for (int k = 0; k < 3; k++) {
            sum[k] += area * (double)(&center.x)[k];
        }
        whole += area;
    }
    wr_vec3 aim = wr_box_center(wr_mesh_bounds(mesh));
    float nearest = INFINITY;
    for (int i = 0; whole > 0.0 && i < mesh->triangle_count; i++) {
        wr_vec3 center = triangle_center(mesh, i, &area);
        float distance = wr_distance(center, wr_v3((float)(sum[0] / whole), (float)(sum[1] / whole),
                                                   (float)(sum[2] / whole)));
        if (distance < nearest) {
            nearest = distance;
            aim = center;
        }
    }
    return aim;
}

static void measure_mesh(const wr_mesh *mesh, wr_scene_start *start)
{
    start->bounds = wr_mesh_bounds(mesh);
    start->aim = find_aim(mesh);
}

static bool measure_asset(const job *j, wr_scene_start *start, wr_error *error)
{
    wr_asset *asset =
        wr_recipe_has_ending(j->input) ? build(j, error) : wr_asset_read(j->input, NULL, error);
    if (asset) {
        measure_mesh(asset->model->meshes, start);
        start->is_flat = asset->rig.dimension == 2;
    }
    wr_asset_destroy(asset);
    return asset != NULL;
}

static bool measure_model(const job *j, wr_scene_start *start, wr_error *error)
{
    wr_model *model = wr_model_read(j->input, NULL, error);
    wr_model *flat = model ? cli_flatten(model, j->input, error) : NULL;
    if (flat) {
        measure_mesh(flat->meshes, start);
    }
    wr_model_destroy(flat);
    wr_model_destroy(model);
    return flat != NULL;
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
    int status = cli_check_replace(j->output, j->force);
    if (status >= 0) {
        return status;
    }
    bool is_asset = wr_recipe_has_ending(j->input) || wr_asset_is_one(j->input);
    size_t size = 0;
    char *text = (is_asset ? measure_asset : measure_model)(j, &start, &error)
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
    }
    cli_say("%s: written. Next: wrought sim %s && wrought render out -o film.mp4", j->output,
            j->output);
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
        "camera, a weight falls on it and a ball is thrown at it, both in proportion to its size.\n"
        "A drawing stands in its plane. Edit it; docs/scene.md lists the keys.",
        "  wrought new car.glb --dents\n"
        "  wrought new scene car.recipe.json\n"
        "  wrought sim car.scene.json && wrought render out -o film.mp4\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &j.input, &count);
    if (status >= 0) {
        return status;
    }
    wri_arena arena = wri_arena_create(NULL);
    status = run(&j, &arena);
    wri_arena_destroy(&arena);
    return status;
}
