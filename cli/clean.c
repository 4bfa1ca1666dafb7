// clean.c: wrought clean: a mended copy of a model, and what was found and mended.
#include "cli.h"

#include "../src/file/json.h"

#include <stdio.h>

typedef struct job {
    const char *input, *output;
    wr_clean_options options;
    wr_read_options read;
    bool json;
    wri_json_writer writer;
    wr_model *model;
    wr_model **cleaned; // of each mesh
    wr_mesh *meshes;    // theirs
    wr_mesh_report *before, *after;
    wr_clean_report *mended;
    wri_arena arena;
    bool is_changed, is_sound;
} job;

// --- saying -----------------------------------------------------------------------------------

typedef struct tally {
    const char *key, *words;
    int value;
} tally;

enum { COUNTS = 11 };

static void list_counts(const wr_clean_report *r, tally out[COUNTS])
{
    const tally list[COUNTS] = {
        {"moved_vertices", "vertices moved to a common place", r->moved_vertices},
        {"welded_vertices", "vertices welded", r->welded_vertices},
        {"dropped_vertices", "unused vertices dropped", r->dropped_vertices},
        {"dropped_degenerate", "degenerate triangles dropped", r->dropped_degenerate},
        {"swapped_edges", "edges swapped to mend thin triangles", r->swapped_edges},
        {"kept_degenerate", "thin triangles kept: dropping them would tear", r->kept_degenerate},
        {"dropped_duplicates", "duplicate triangles dropped", r->dropped_duplicates},
        {"dropped_back_to_back", "back sides dropped", r->dropped_back_to_back},
        {"turned_triangles", "triangles turned", r->turned_triangles},
        {"turned_shells", "shells turned outwards", r->turned_shells},
        {"turned_normals", "normals turned", r->turned_normals},
    };
    memcpy(out, list, sizeof list);
}

static void say_mended(job *j, const wr_clean_report *r)
{
    tally counts[COUNTS];
    list_counts(r, counts);
    if (j->json) {
        wri_json_begin_object(&j->writer, "mended");
        for (int i = 0; i < COUNTS; i++) {
            wri_json_write_int(&j->writer, counts[i].key, counts[i].value);
        }
        wri_json_write_number(&j->writer, "largest_move", r->largest_move);
        wri_json_write_bool(&j->writer, "changed", r->is_changed);
        wri_json_end_object(&j->writer);
        return;
    }
    printf("mended:%s\n", r->is_changed ? "" : " nothing, it comes out as it went in");
    for (int i = 0; i < COUNTS; i++) {
        if (counts[i].value > 0) {
            printf("  %-20d %s\n", counts[i].value, counts[i].words);
        }
    }
    if (r->largest_move > 0.0) {
        printf("  %-20s metres is the largest move\n", WRI_NUMBER(r->largest_move, 3));
    }
}

static void say(job *j, int index)
{
    const wr_mesh *mesh = &j->model->meshes[index];
    const wr_mesh_report *before = &j->before[index], *after = &j->after[index];
    const wr_clean_report *mended = &j->mended[index];
    if (j->json) {
        wri_json_begin_object(&j->writer, NULL);
        wri_json_write_string(&j->writer, "name", mesh->name);
        cli_print_mesh_report(before, &j->writer, "before");
        say_mended(j, mended);
        cli_print_mesh_report(after, &j->writer, "after");
        wri_json_end_object(&j->writer);
        return;
    }
    cli_say("mesh \"%s\": %d %s, %d %s", mesh->name, before->vertices,
            wri_plural(before->vertices, "vertex", "vertices"), before->triangles,
            wri_plural(before->triangles, "triangle", "triangles"));
    printf("found:\n");
    cli_print_mesh_report(before, NULL, NULL);
    say_mended(j, mended);
    if (mended->is_changed) {
        printf("left: %d %s, %d %s\n", after->vertices,
               wri_plural(after->vertices, "vertex", "vertices"), after->triangles,
               wri_plural(after->triangles, "triangle", "triangles"));
        cli_print_mesh_report(after, NULL, NULL);
    }
}

// --- doing ------------------------------------------------------------------------------------

static bool clean_mesh(job *j, int index, wr_error *error)
{
    const wr_mesh *mesh = &j->model->meshes[index];
    wr_model *cleaned =
        wr_mesh_clean(mesh, &j->options, &j->before[index], &j->mended[index], NULL, NULL, error);
    j->cleaned[index] = cleaned;
    if (!cleaned || !wr_mesh_inspect(cleaned->meshes, &j->options.tasks, &j->after[index], error)) {
        return false;
    }
    j->meshes[index] = cleaned->meshes[0];
    j->is_changed = j->is_changed || j->mended[index].is_changed;
    j->is_sound = j->is_sound && j->after[index].is_sound;
    return true;
}

static bool run(job *j, wr_error *error)
{
    j->model = wri_folder_check(j->output, error) ? wr_model_read(j->input, &j->read, error) : NULL;
    if (!j->model) {
        return false;
    }
    cli_warn(j->model->warning_count, j->model->warnings);
    size_t meshes = (size_t)j->model->mesh_count;
    j->cleaned = wri_arena_alloc(&j->arena, meshes, sizeof *j->cleaned);
    j->meshes = wri_arena_alloc(&j->arena, meshes, sizeof *j->meshes);
    j->before = wri_arena_alloc(&j->arena, meshes, sizeof *j->before);
    j->after = wri_arena_alloc(&j->arena, meshes, sizeof *j->after);
    j->mended = wri_arena_alloc(&j->arena, meshes, sizeof *j->mended);
    if (!j->cleaned || !j->meshes || !j->before || !j->after || !j->mended) {
        return wri_fail_memory(error, meshes * sizeof *j->meshes);
    }
    for (int i = 0; i < j->model->mesh_count; i++) {
        if (!clean_mesh(j, i, error)) {
            return false;
        }
    }
    wr_model result = *j->model; // nodes, looks, images, skins and clips as they were
    result.meshes = j->meshes;
    return wr_model_write_glb(&result, j->output, error);
}

// What was done, once it is done and written.
static void report(job *j)
{
    wri_json_begin_object(&j->writer, NULL);
    wri_json_write_string(&j->writer, "file", j->input);
    wri_json_write_string(&j->writer, "output", j->output);
    wri_json_begin_array(&j->writer, "meshes");
    for (int i = 0; i < j->model->mesh_count; i++) {
        say(j, i);
    }
    wri_json_end_array(&j->writer);
    wri_json_write_bool(&j->writer, "changed", j->is_changed);
    wri_json_write_bool(&j->writer, "sound", j->is_sound);
    wri_json_end_object(&j->writer);
    char size[32];
    const char *text = wri_json_finish(&j->writer);
    if (j->json) {
        printf("%s\n", text ? text : "{}");
    } else {
        cli_say("%s: %s, %s", j->output, cli_size_text(size, wri_file_size(j->output)),
                j->is_sound ? "sound" : "not sound: what is left needs the artist's hand");
    }
}

static int run_job(job *j)
{
    wr_error error = {0};
    j->writer = wri_json_writer_create(NULL, true);
    j->arena = wri_arena_create(NULL);
    j->is_sound = true;
    int status = run(j, &error) ? CLI_OK : cli_fail(&error);
    if (status == CLI_OK) {
        report(j);
    }
    for (int i = 0; j->cleaned && i < j->model->mesh_count; i++) {
        wr_model_destroy(j->cleaned[i]);
    }
    wr_model_destroy(j->model);
    wri_arena_destroy(&j->arena);
    wri_json_writer_destroy(&j->writer);
    return status;
}

// -1: fine.
static int check_paths(const job *j)
{
    size_t length = j->output ? strlen(j->output) : 0;
    if (!j->output) {
        return cli_complain(CLI_BAD_USAGE, "clean: expected an output, such as -o clean.glb");
    }
    if (length < 5 || strcmp(j->output + length - 4, ".glb") != 0) {
        return cli_complain(CLI_BAD_USAGE, "%s: unknown kind of file, expected .glb", j->output);
    }
    if (wri_is_folder(j->output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: is a folder, expected a file", j->output);
    }
    return cli_check_other(j->input, j->output);
}

int cli_clean(int argc, char **argv)
{
    job j = {.options = wr_clean_options_default()};
    bool no_weld = false, degenerate = false, duplicates = false, unused = false, sides = false;
    const cli_option table[] = {
        {"--output", 'o', CLI_PATH, &j.output, 0, 0, "FILE", "a .glb file, not the input"},
        {"--weld", 0, CLI_NUMBER, &j.options.weld, 0, 0.1, "PART",
         "weld vertices within this fraction of the size (default: 1e-6)"},
        {"--no-weld", 0, CLI_FLAG, &no_weld, 0, 0, NULL, "do not move or weld vertices"},
        {"--keep-degenerate", 0, CLI_FLAG, &degenerate, 0, 0, NULL, "keep triangles without area"},
        {"--keep-duplicates", 0, CLI_FLAG, &duplicates, 0, 0, NULL,
         "keep triangles that occur twice"},
        {"--keep-unused", 0, CLI_FLAG, &unused, 0, 0, NULL, "keep vertices that no triangle uses"},
        {"--keep-sides", 0, CLI_FLAG, &sides, 0, 0, NULL, "do not flip triangles"},
        {"--drop-back-sides", 0, CLI_FLAG, &j.options.drop_back_to_back, 0, 0, NULL,
         "drop triangles that lie on another one and face the other side"},
        CLI_READ_OPTIONS(j.read),
        {"--json", 0, CLI_FLAG, &j.json, 0, 0, NULL, "print as JSON"},
    };
    const cli_usage usage = {
        "clean",
        "MODEL",
        "Writes a repaired copy of a model and says what was found and what was repaired: welds\n"
        "vertices that agree in everything (seams stay), drops triangles without area and\n"
        "duplicates, makes triangles face the same side and closed shells outwards. Holes, "
        "crossing\n"
        "triangles and edges of three or more triangles are reported and left alone.",
        "  wrought clean scan.obj -o scan.glb\n"
        "  wrought clean scan.obj -o scan.glb --weld 1e-4 --keep-sides --json\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &j.input, &count);
    status = status < 0 ? check_paths(&j) : status;
    status = status < 0 ? cli_check_read_options(&j.read, j.input, true) : status;
    if (status >= 0) {
        return status;
    }
    j.options.weld_vertices = !no_weld;
    j.options.drop_degenerate = !degenerate;
    j.options.drop_duplicates = !duplicates;
    j.options.drop_unused = !unused;
    j.options.orient = !sides;
    j.options.tasks = wr_tasks_openmp(0);
    return run_job(&j);
}
