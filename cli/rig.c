// rig.c: wrought rig: a recipe becomes an asset.
#include "cli.h"

#include "../src/file/json.h"

#include <math.h>
#include <stdio.h>

typedef struct job {
    const char *input, *output, *picture; // picture NULL: none
    int threads;
    bool fresh, quiet, json, watch;
    wr_read_options read; // of a published rig
    cli_progress progress;
    double seconds;
    wr_build_report report;
    cli_changes *changes; // NULL: nobody watches
} job;

// --- saying -----------------------------------------------------------------------------------

static void say_lattice(const job *j, const wr_rig *rig)
{
    const wr_lattice_report *l = &j->report.lattice;
    char gap[32], spacing[32];
    if (j->report.vertices > 0) {
        printf("  %-16s %d vertices, refined from %d (\"refine\")\n", "model", j->report.vertices,
               j->report.coarse_vertices);
    }
    printf("  %-16s %d %s, %d %s", "simulation mesh", rig->vertex_count,
           wri_plural(rig->vertex_count, "vertex", "vertices"), rig->element_count,
           rig->dimension == 3 ? wri_plural(rig->element_count, "tetrahedron", "tetrahedra")
                               : wri_plural(rig->element_count, "triangle", "triangles"));
    if (l->parts > 0) {
        printf(", %d %s, spacing %s", l->parts, wri_plural(l->parts, "part", "parts"),
               wri_length_text(spacing, l->spacing));
    }
    if (j->report.rides.outside > 0) {
        printf("; the model reaches up to %s out of it",
               wri_length_text(gap, j->report.rides.largest_outside));
    }
    printf("\n");
    if (l->trim_shells > 0) {
        printf("  %-16s %d small %s to what %s (\"trim\")\n", "", l->trim_shells,
               wri_plural(l->trim_shells, "shell belongs", "shells belong"),
               wri_plural(l->trim_shells, "it touches", "they touch"));
    }
    if (l->glued_shells > 0) {
        printf("  %-16s %d small %s joined with a neighbour: more vertices keep shells "
               "apart\n",
               "", l->glued_shells, wri_plural(l->glued_shells, "shell was", "shells were"));
    }
    if (j->report.flipped_elements > 0) {
        printf("  %-16s %d %s been turned\n", "", j->report.flipped_elements,
               wri_plural(j->report.flipped_elements, "tetrahedron was inside out and has",
                          "tetrahedra were inside out and have"));
    }
}

static void say_weights(const job *j)
{
    const wr_weights_report *w = &j->report.weights;
    if (w->levels == 0) {
        return; // they came with the model
    }
    printf("  %-16s exact to %s%s, ", "weights", WRI_NUMBER(w->kkt_residual, 1),
           w->has_converged ? "" : " (not converged)");
    if (j->report.weights_are_kept) {
        printf("found before\n");
    } else {
        printf("%.2f s\n", w->seconds);
    }
    if (w->local_maxima > 0) {
        printf("  %-16s vertices that follow a handle more than all around them do: %d\n", "",
               w->local_maxima);
    }
    if (w->loose_parts > 0) {
        printf("  %-16s parts without a handle of their own, following the nearest: %d\n", "",
               w->loose_parts);
    }
}

static const double FAR = 3.0; // sizes of a body, which no dent of it goes

// A micrometre is rounding of a car, and a dent in a grain of sand. At least 32 bytes of room.
static const char *move_text(char *out, double metres, double size)
{
    if (metres >= 1e-6 || metres <= 1e-6 * size) {
        return wri_length_text(out, metres);
    }
    snprintf(out, 32, "%s %% of its size", WRI_NUMBER(100.0 * metres / size, 2));
    return out;
}

static void say_examples(const job *j, const wr_asset *asset)
{
    wr_vec3 extent = wr_box_size(wr_mesh_bounds(asset->model->meshes));
    double size = fmax(extent.x, fmax(extent.y, extent.z));
    for (int i = 0; i < j->report.example_count; i++) {
        const wr_example_report *e = &j->report.examples[i];
        char move[32], left[32], detail[32];
        char name[256];
        wri_escape_text(name, sizeof name, e->name);
        printf("  %-16s moves up to %s", name, move_text(move, e->largest_move, size));
        if (e->handle_error > 0.0) {
            printf("; handles leave %s, correctives %s", wri_length_text(left, e->handle_error),
                   wri_length_text(detail, e->detail_error));
        }
        if (e->is_registered) {
            printf("; covers %.1f %%, outline %.1f pixels off, colours %.1f %%", 100.0 * e->overlap,
                   e->outline, 100.0 * e->color);
        }
        printf("\n");
        if (e->largest_move > FAR * size) {
            printf("  %-16s warning: that is %s times the model's size: is it in another unit, "
                   "or not at its place?\n",
                   "", WRI_NUMBER(e->largest_move / size, 3));
        }
        if (e->is_poor) {
            printf("  %-16s warning: the cell was found poorly, outlines are up to %.0f pixels "
                   "apart; limbs that touch in the drawing cannot part: \"cell\" chooses another\n",
                   "", e->farthest);
        }
        if (e->half_move > 1.05 * e->largest_move) {
            printf(
                "  %-16s warning: moves further half way, %s: handles turn what they should not; "
                "place some\n",
                "", wri_length_text(move, e->half_move));
        }
        if (e->pin_gap > 1e-3 * e->largest_move) {
            printf("  %-16s warning: pulls layers %s apart at their pins\n", "",
                   wri_length_text(move, e->pin_gap));
        }
        if (e->inverted > 0) {
            printf("  %-16s warning: turns %d %s inside out\n", "", e->inverted,
                   wri_plural(e->inverted, "element", "elements"));
        }
    }
}

static void say_morph(const job *j)
{
    const wr_morph_build_report *m = &j->report.morph;
    char detail[32];
    if (m->target_count == 0) {
        return;
    }
    printf("  %-16s %d %s, %d %s, %d %s with the bones, %.2f s\n", "morph", m->target_count,
           wri_plural(m->target_count, "target", "targets"), m->mode_count,
           wri_plural(m->mode_count, "mode", "modes"), m->fixed_count,
           wri_plural(m->fixed_count, "vertex moves", "vertices move"), m->seconds);
    if (m->outside_bones > 0) {
        printf("  %-16s %d %s through no tetrahedron and %s the nearest vertices\n", "",
               m->outside_bones, wri_plural(m->outside_bones, "bone goes", "bones go"),
               wri_plural(m->outside_bones, "holds", "hold"));
    }
    if (m->turned_count > 0) {
        printf("  %-16s warning: targets would turn %d %s inside out, which %s as stiff as at "
               "rest\n",
               "", m->turned_count, wri_plural(m->turned_count, "tetrahedron", "tetrahedra"),
               wri_plural(m->turned_count, "is", "are"));
    }
    if (m->largest_detail > 0.0) {
        printf("  %-16s the surface keeps details of up to %s that tetrahedra cannot carry\n", "",
               wri_length_text(detail, m->largest_detail));
    }
}

static void say_cuts(const wr_asset *asset)
{
    const wr_fracture *f = &asset->fracture;
    if (f->fragment_count > 0) {
        printf("  %-16s %d fragments, held together by %d %s\n", "cuts", f->fragment_count,
               f->bond_count, wri_plural(f->bond_count, "bond", "bonds"));
    }
}

static void say(const job *j, const wr_asset *asset)
{
    char size[32], time[32];
    const wr_rig *rig = &asset->rig;
    cli_say("%-20s %s   %d %s, %d %s, %d %s", j->input,
            j->report.from_cache ? "built before (cached)" : "built", rig->vertex_count,
            wri_plural(rig->vertex_count, "vertex", "vertices"), rig->handle_count,
            wri_plural(rig->handle_count, "handle", "handles"), rig->example_count - 1,
            wri_plural(rig->example_count - 1, "example", "examples"));
    if (!j->report.from_cache) {
        say_lattice(j, rig);
        say_weights(j);
        say_morph(j);
    }
    say_cuts(asset);
    say_examples(j, asset);
    cli_say("done: %s in %s; %s", j->output, cli_seconds_text(time, j->seconds),
            cli_size_text(size, wri_file_size(j->output)));
}

static void say_json(const job *j, const wr_asset *asset)
{
    wri_json_writer w = wri_json_writer_create(NULL, true);
    const wr_rig *rig = &asset->rig;
    wri_json_begin_object(&w, NULL);
    wri_json_write_string(&w, "recipe", j->input);
    wri_json_write_string(&w, "output", j->output);
    wri_json_write_bool(&w, "cached", j->report.from_cache);
    wri_json_write_number(&w, "seconds", j->seconds);
    wri_json_write_int(&w, "vertices", rig->vertex_count);
    wri_json_write_int(&w, "elements", rig->element_count);
    wri_json_write_int(&w, "handles", rig->handle_count);
    if (asset->fracture.fragment_count > 0) {
        wri_json_write_int(&w, "fragments", asset->fracture.fragment_count);
        wri_json_write_int(&w, "bonds", asset->fracture.bond_count);
    }
    if (j->report.weights.levels > 0) { // found now
        wri_json_write_number(&w, "weights_residual", j->report.weights.kkt_residual);
        wri_json_write_number(&w, "weights_energy", j->report.weights.energy);
    }
    if (j->report.morph.target_count > 0) { // built now
        wri_json_begin_object(&w, "morph");
        wri_json_write_int(&w, "targets", j->report.morph.target_count);
        wri_json_write_int(&w, "modes", j->report.morph.mode_count);
        wri_json_write_int(&w, "fixed_vertices", j->report.morph.fixed_count);
        wri_json_write_int(&w, "turned_tetrahedra", j->report.morph.turned_count);
        wri_json_write_number(&w, "largest_detail", j->report.morph.largest_detail);
        wri_json_write_number(&w, "seconds", j->report.morph.seconds);
        wri_json_end_object(&w);
    }
    wri_json_begin_array(&w, "examples");
    for (int i = 0; i < j->report.example_count; i++) {
        const wr_example_report *e = &j->report.examples[i];
        wri_json_begin_object(&w, NULL);
        wri_json_write_string(&w, "name", e->name);
        wri_json_write_number(&w, "largest_move", e->largest_move);
        wri_json_write_number(&w, "half_way", e->half_move);
        if (e->handle_error > 0.0) { // fitted now
            wri_json_write_number(&w, "left_by_handles", e->handle_error);
            wri_json_write_number(&w, "left_by_correctives", e->detail_error);
        }
        wri_json_write_int(&w, "inverted_elements", e->inverted);
        if (e->is_registered) {
            wri_json_write_number(&w, "overlap", e->overlap);
            wri_json_write_number(&w, "outline_pixels", e->outline);
            wri_json_write_number(&w, "farthest_pixels", e->farthest);
            wri_json_write_number(&w, "color_difference", e->color);
            wri_json_write_bool(&w, "poor", e->is_poor);
        }
        if (asset->pin_count > 0) {
            wri_json_write_number(&w, "pin_gap", e->pin_gap);
        }
        wri_json_end_object(&w);
    }
    wri_json_end_array(&w);
    wri_json_end_object(&w);
    const char *text = wri_json_finish(&w);
    printf("%s\n", text ? text : "{}");
    wri_json_writer_destroy(&w);
}

// --- doing ------------------------------------------------------------------------------------

// What its examples come from.
static bool simulate(job *j, wr_recipe *recipe, wr_error *error)
{
    const wr_scene_options options = {.tasks = wr_tasks_openmp(j->threads),
                                      .progress = cli_progress_hook(&j->progress),
                                      .log = cli_log_notes(j->quiet),
                                      .follow_links = j->read.follow_links};
    j->progress = cli_progress_start("preparing", "%", 0, 100, j->quiet || j->json);
    bool ok = wr_recipe_simulate(recipe, &options, error);
    cli_progress_end(&j->progress);
    return ok;
}

static wr_asset *build_recipe(job *j, const wr_recipe *recipe, wr_error *error)
{
    wr_build_desc desc = wr_build_desc_default();
    desc.tasks = wr_tasks_openmp(j->threads);
    desc.progress = cli_progress_hook(&j->progress);
    desc.log = cli_log_notes(j->quiet);
    j->progress = cli_progress_start("building", "%", 0, 100, j->quiet || j->json);
    wr_asset *asset = wr_recipe_build_cached(recipe, &desc, j->fresh, &j->report, error);
    cli_progress_end(&j->progress);
    return asset;
}

static bool report_published(job *j, const wr_asset *asset, wr_error *error)
{
    int count = asset->rig.example_count - 1;
    const wr_tasks tasks = wr_tasks_openmp(j->threads);
    j->report.examples = wri_alloc(NULL, (size_t)count, sizeof *j->report.examples);
    j->report.example_count = count;
    return j->report.examples ? wr_asset_measure(asset, &tasks, j->report.examples, error)
                              : wri_fail_memory(error, (size_t)count);
}

static int run(job *j)
{
    wr_error error = {0};
    double start = wri_seconds();
    wr_recipe *recipe = NULL;
    wr_asset *asset = NULL;
    if (wri_is_folder(j->input)) {
        asset = wr_asset_read_published(j->input, &j->read, NULL, &error);
        if (asset && !report_published(j, asset, &error)) {
            wr_asset_destroy(asset);
            asset = NULL;
        }
    } else {
        recipe = wr_recipe_read(j->input, NULL, &error);
        if (recipe) {
            wr_recipe_set_follow_links(recipe, j->read.follow_links);
        }
        if (recipe && wr_recipe_uses_file(recipe, j->output)) {
            wri_fail(&error, WR_E_ARGUMENT,
                     "%s: is part of the recipe and stays as it is; expected another output",
                     j->output);
        } else if (recipe && wr_recipe_check_material(recipe, &error) &&
                   simulate(j, recipe, &error)) {
            asset = build_recipe(j, recipe, &error);
        }
    }
    if (asset) {
        cli_warn(asset->model->warning_count, asset->model->warnings);
    }
    bool ok = asset && wr_asset_write(asset, j->output, &error);
    j->seconds = wri_seconds() - start;
    if (ok && j->json) {
        say_json(j, asset);
    } else if (ok && !j->quiet) {
        say(j, asset);
    }
    wr_build_report_clear(&j->report);
    wr_asset_destroy(asset);
    wr_recipe_destroy(recipe);
    return ok ? CLI_OK : cli_fail(&error);
}

// All examples in one picture.
static int draw(const job *j)
{
    cli_render_options render = cli_render_options_default();
    render.input = j->output;
    render.output = j->picture;
    render.view = "examples";
    render.sheet = 1;
    render.threads = j->threads;
    render.quiet = j->quiet || j->json;
    render.changes = j->changes;
    return cli_run_render(&render);
}

static int build_and_draw(job *j)
{
    cli_end_on_interrupts();
    int status = run(j);
    if (j->watch) {
        cli_catch_interrupts();
    }
    return status == CLI_OK && j->picture ? draw(j) : status;
}

static int work(void *user, cli_changes *changes)
{
    job *j = user;
    j->changes = changes;
    int status = build_and_draw(j);
    j->fresh = false;
    return status;
}

// car.recipe.json -> car.asset.glb, folder -> folder.asset.glb
static const char *default_output(wri_arena *arena, const char *input)
{
    size_t length = strlen(input);
    while (length > 1 && input[length - 1] == '/') {
        length--;
    }
    static const char *const endings[] = {".recipe.json", ".json"};
    for (int i = 0; i < WRI_COUNT(endings); i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && strncmp(input + length - tail, endings[i], tail) == 0) {
            length -= tail;
        }
    }
    return wri_arena_printf(arena, "%.*s.asset.glb", (int)length, input);
}

// -1: fine.
static int check_paths(const job *j)
{
    if (!wri_has_ending(j->output, ".glb")) {
        return cli_complain(CLI_BAD_USAGE, "%s: unknown kind of file, expected .glb", j->output);
    }
    if (j->picture && !wri_has_ending(j->picture, ".png")) {
        return cli_complain(CLI_BAD_USAGE, "%s: an asset becomes a picture, expected a .png",
                            j->picture);
    }
    wr_error error = {0};
    if (!wri_folder_check(j->output, &error) ||
        (j->picture && !wri_folder_check(j->picture, &error))) {
        return cli_fail(&error);
    }
    if (wri_file_exists(j->output) && !wr_asset_is_one(j->output)) {
        return cli_complain(CLI_BAD_INPUT,
                            "%s: exists and is no asset, it stays as it is; expected another "
                            "output",
                            j->output);
    }
    return -1;
}

int cli_rig(int argc, char **argv)
{
    job j = {0};
    const cli_option table[] = {
        {"--output", 'o', CLI_PATH, &j.output, 0, 0, "FILE",
         "the asset (default: beside the recipe, .asset.glb)"},
        {"--fresh", 0, CLI_FLAG, &j.fresh, 0, 0, NULL, "build again what was built before"},
        {"--threads", 0, CLI_WHOLE, &j.threads, 1, 1024, "N", "default: one per core"},
        {"--picture", 0, CLI_PATH, &j.picture, 0, 0, "FILE.png",
         "also a picture of all examples, as 'render --view examples --sheet' draws it"},
        {"--watch", 0, CLI_FLAG, &j.watch, 0, 0, NULL,
         "build again whenever the recipe or a file it names was written, until Ctrl-C"},
        CLI_READ_OPTIONS(j.read),
        {"--quiet", 'q', CLI_FLAG, &j.quiet, 0, 0, NULL, "print nothing but errors"},
        {"--json", 0, CLI_FLAG, &j.json, 0, 0, NULL, "print a report as JSON"},
    };
    const cli_usage usage = {
        "rig",
        "RECIPE.json",
        "Builds the asset of a recipe: simulation mesh, handles, weights, examples and morph\n"
        "targets in one standard .glb that any viewer opens. What was built before from the\n"
        "same files comes from the cache ($XDG_CACHE_HOME/wrought, at most 2 GB, which may be\n"
        "deleted at any time),\n"
        "piece by piece: after an edit only what it reaches is computed. A folder\n"
        "with mesh.mesh, coarseWeights.dmat and exampleGraph.txt is a published rig; --unit\n"
        "and --up are for these, a recipe states its own.",
        "  wrought rig car.recipe.json -o car.asset.glb\n"
        "  wrought rig car.recipe.json --watch --picture sheet.png\n"
        "  wrought render car.asset.glb --view examples --sheet -o sheet.png\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &j.input, &count);
    status = status < 0 ? cli_expect_text(j.input, CLI_RECIPE) : status;
    status = status < 0 ? cli_check_read_options(&j.read, j.input, wri_is_folder(j.input)) : status;
    if (status >= 0) {
        return status;
    }
    wri_arena arena = wri_arena_create(NULL);
    j.output = j.output ? j.output : default_output(&arena, j.input);
    status = j.output ? check_paths(&j) : cli_complain(CLI_BAD_INPUT, "out of memory");
    if (status < 0) {
        status = j.watch ? cli_work_on_changes(j.input, j.quiet, work, &j) : build_and_draw(&j);
    }
    wri_arena_destroy(&arena);
    return status;
}
