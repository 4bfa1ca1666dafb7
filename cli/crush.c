// crush.c: wrought crush: a tool pressed into a model, and what that did to it.
#include "cli.h"

#include "../src/file/json.h"
#include "../src/file/keys.h"

#include <stdio.h>

enum { MOST_WORDS = 64 };

typedef struct job {
    const char *input, *output, *place, *shape, *direction, *axis, *at, *rigid;
    const char *words[MOST_WORDS];
    int word_count, steps;
    double depth, size, hold, yield, bend, cell;
    double depth_asked; // by an option or the place, metres
    wr_read_options read;
    bool json, quiet;
    wr_model *model, *flat, *tool;
    int *parts;
    wr_vec3 *positions, *normals;
    wr_crush_report report;
    cli_progress progress;
    wri_arena arena;
} job;

static bool go_on(void *user)
{
    (void)user;
    return !cli_interrupted();
}

// --- options ----------------------------------------------------------------------------------

// "0,1,0"; -1: fine.
static int read_vector(const char *option, const char *text, wr_vec3 *out)
{
    float *n = &out->x;
    const char *at = text;
    for (int k = 0; k < 3; k++) {
        size_t length = strcspn(at, ",");
        double value;
        if (!wri_parse_double(at, length, &value) || (at[length] == ',') != (k < 2)) {
            return cli_complain(CLI_BAD_USAGE, "%s %s: expected three numbers, such as 0,0,-1",
                                option, text);
        }
        n[k] = (float)value;
        at += length + (k < 2);
    }
    return -1;
}

static int set_place(const job *j, wr_crush_desc *desc)
{
    const char *names[WR_CRUSH_PLACE_COUNT];
    for (int i = 0; i < WR_CRUSH_PLACE_COUNT; i++) {
        names[i] = wr_crush_place_name((wr_crush_place)i);
        if (strcmp(j->place, names[i]) == 0) {
            wr_crush_desc_set_place(desc, (wr_crush_place)i, wr_mesh_bounds(j->flat->meshes));
            return -1;
        }
    }
    char meant[200];
    return cli_complain(CLI_BAD_USAGE,
                        "--place %s: expected front, rear, left side, right side, roof or "
                        "flattened%s",
                        j->place,
                        wri_mean_words(meant, sizeof meant, j->place, names, WR_CRUSH_PLACE_COUNT));
}

// A word for a shape, or the file of a mesh.
static int set_shape(job *j, wr_crush_desc *desc, wr_error *error)
{
    for (int i = 0; i < WR_CRUSH_MESH; i++) {
        if (strcmp(j->shape, wr_crush_shape_name((wr_crush_shape)i)) == 0) {
            desc->shape = (wr_crush_shape)i;
            return -1;
        }
    }
    if (!wr_model_has_ending(j->shape)) {
        return cli_complain(CLI_BAD_USAGE,
                            "--shape %s: expected plane, sphere, post, box, wedge or a model file",
                            j->shape);
    }
    wr_model *model = wr_model_read(j->shape, &j->read, error);
    j->tool = model ? cli_flatten(model, j->shape, error) : NULL;
    wr_model_destroy(model);
    desc->shape = WR_CRUSH_MESH;
    desc->tool = j->tool ? j->tool->meshes : NULL;
    return j->tool ? -1 : cli_fail(error);
}

// What is not said is as the place has it.
static int set_desc(job *j, wr_crush_desc *desc, wr_error *error)
{
    int status = set_place(j, desc);
    if (status < 0 && j->shape) {
        status = set_shape(j, desc, error);
    }
    if (status < 0 && j->direction) {
        status = read_vector("--direction", j->direction, &desc->direction);
    }
    if (status < 0 && j->axis) {
        status = read_vector("--axis", j->axis, &desc->axis);
    }
    if (status < 0 && j->at) {
        desc->has_at = true;
        status = read_vector("--at", j->at, &desc->at);
    }
    if (j->depth >= 0.0) { // whatever crosses
        desc->depth = j->depth;
        desc->crossing = 1.0;
    }
    desc->size = j->size > 0.0 ? j->size : desc->size;
    desc->hold = j->hold > 0.0 ? j->hold : desc->hold;
    desc->yield = j->yield >= 0.0 ? j->yield : desc->yield;
    desc->bend = j->bend > 0.0 ? j->bend : desc->bend;
    desc->cell = j->cell > 0.0 ? j->cell : desc->cell;
    desc->steps = j->steps > 0 ? j->steps : desc->steps;
    return status;
}

static int read_words(job *j)
{
    for (const char *at = j->rigid; at && *at;) {
        size_t length = strcspn(at, ",");
        if (length > 0 && j->word_count < MOST_WORDS) {
            j->words[j->word_count++] = wri_arena_text(&j->arena, at, length);
        }
        at += length + (at[length] == ',');
    }
    return -1;
}

// --- doing ------------------------------------------------------------------------------------

static bool write_result(job *j, wr_error *error)
{
    wr_mesh *mesh = j->flat->meshes;
    if (mesh->normals) {
        if (!wr_mesh_renew_normals(mesh, mesh->normals, j->positions, NULL, j->normals, error)) {
            return false;
        }
        memcpy(mesh->normals, j->normals, (size_t)mesh->vertex_count * sizeof *j->normals);
    }
    memcpy(mesh->positions, j->positions, (size_t)mesh->vertex_count * sizeof *j->positions);
    return wri_has_ending(j->output, ".obj") ? wr_model_write_obj(j->flat, NULL, j->output, error)
                                             : wr_model_write_glb(j->flat, j->output, error);
}

static void report(job *j)
{
    const wr_crush_report *r = &j->report;
    char length[32];
    if (j->json) {
        wri_json_writer w = wri_json_writer_create(NULL, true);
        wri_json_begin_object(&w, NULL);
        wri_json_write_string(&w, "file", j->input);
        wri_json_write_string(&w, "output", j->output);
        wri_json_write_number(&w, "depth", r->depth);
        wri_json_write_number(&w, "largest_move", r->largest_move);
        wri_json_write_number(&w, "length_change", r->length_change);
        wri_json_write_number(&w, "length_worst", r->length_worst);
        wri_json_write_int(&w, "creases", r->creases);
        wri_json_write_int(&w, "triangles", r->triangles);
        wri_json_write_int(&w, "crossing", r->crossing);
        wri_json_write_int(&w, "crossing_rest", r->crossing_rest);
        wri_json_write_number(&w, "struck_share", r->struck_share);
        wri_json_write_number(&w, "rigid_error", r->rigid_error);
        wri_json_end_object(&w);
        const char *text = wri_json_finish(&w);
        printf("%s\n", text ? text : "{}");
        wri_json_writer_destroy(&w);
        return;
    }
    cli_say(
        "%s: moves up to %s; lengths change by %.1f %% (median; 95 in 100 by less than %.1f %%)",
        j->output, wri_length_text(length, r->largest_move), 100.0 * r->length_change,
        100.0 * r->length_worst);
    if (r->depth < j->depth_asked) {
        char went[32], meant[32];
        cli_say("  pressed by %s of %s: deeper, too many triangles would cross; --depth allows it",
                wri_length_text(went, r->depth), wri_length_text(meant, j->depth_asked));
    }
    cli_say("  %d %s above 45 degrees; %d of %d triangles cross another; %.0f %% of the motion in "
            "the third that was struck",
            r->creases, wri_plural(r->creases, "crease", "creases"), r->crossing, r->triangles,
            100.0 * r->struck_share);
}

static int run(job *j)
{
    wr_error error = {0};
    wr_crush_desc desc = wr_crush_desc_default();
    j->model =
        wri_folder_check(j->output, &error) ? wr_model_read(j->input, &j->read, &error) : NULL;
    j->flat = j->model ? cli_flatten(j->model, j->input, &error) : NULL;
    if (!j->flat || !cli_warn_of_size(j->model, j->flat, &j->read, j->input, &error)) {
        return cli_fail(&error);
    }
    cli_warn(j->model->warning_count, j->model->warnings);
    wr_mesh *mesh = j->flat->meshes;
    size_t count = (size_t)mesh->vertex_count;
    j->positions = wri_arena_alloc(&j->arena, count, sizeof *j->positions);
    j->normals = wri_arena_alloc(&j->arena, count, sizeof *j->normals);
    j->parts = wri_arena_alloc(&j->arena, count, sizeof *j->parts);
    if (!j->positions || !j->normals || !j->parts) {
        return cli_complain(CLI_BAD_INPUT, "%s: out of memory", j->input);
    }
    int status = set_desc(j, &desc, &error);
    status = status < 0 ? read_words(j) : status;
    if (status >= 0) {
        return status;
    }
    if (j->word_count > 0 &&
        !wr_crush_find_rigid(j->model, mesh, j->words, j->word_count, j->parts, &error)) {
        return cli_complain(CLI_BAD_INPUT, "%s: %s", j->input, error.message);
    }
    desc.mesh = mesh;
    desc.rigid = j->word_count > 0 ? j->parts : NULL;
    j->depth_asked = desc.depth;
    desc.progress = cli_progress_hook(&j->progress);
    desc.go_on = go_on;
    bool ok = wr_crush(&desc, j->positions, &j->report, &error);
    cli_progress_end(&j->progress);
    if (!ok) {
        return error.code == WR_E_CANCELLED
                   ? cli_complain(CLI_INTERRUPTED, "interrupted; nothing was written")
                   : cli_complain(CLI_BAD_INPUT, "%s: %s", j->input, error.message);
    }
    if (!write_result(j, &error)) {
        return cli_fail(&error);
    }
    if (!j->quiet) {
        report(j);
    }
    return CLI_OK;
}

// -1: fine.
static int check_paths(const job *j)
{
    if (!j->output) {
        return cli_complain(CLI_BAD_USAGE, "crush: expected an output, such as -o crushed.glb");
    }
    if (!wri_has_ending(j->output, ".glb") && !wri_has_ending(j->output, ".obj")) {
        return cli_complain(CLI_BAD_USAGE, "%s: unknown kind of file, expected .glb or .obj",
                            j->output);
    }
    if (wri_is_folder(j->output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: is a folder, expected a file", j->output);
    }
    return cli_check_other(j->input, j->output);
}

int cli_crush(int argc, char **argv)
{
    job j = {.place = "front", .depth = -1, .yield = -1, .arena = wri_arena_create(NULL)};
    const cli_option table[] = {
        {"--output", 'o', CLI_PATH, &j.output, 0, 0, "FILE", "a .glb or .obj file, not the input"},
        {"--place", 'p', CLI_TEXT, &j.place, 0, 0, "PLACE",
         "front, rear, left side, right side, roof or flattened (default: front); the options "
         "below "
         "change what it stands for"},
        {"--shape", 0, CLI_TEXT, &j.shape, 0, 0, "SHAPE",
         "what presses: plane, sphere, post, box, wedge, or a model file"},
        {"--direction", 0, CLI_TEXT, &j.direction, 0, 0, "X,Y,Z", "which way it presses"},
        {"--depth", 0, CLI_NUMBER, &j.depth, 0, 1e6, "M",
         "how far, metres from the first touch, whatever crosses (default: as the place has it, "
         "and "
         "less where more than 0.5 % of the triangles would cross)"},
        {"--size", 0, CLI_NUMBER, &j.size, 1e-9, 1e6, "M",
         "radius of a sphere, post or wedge's edge, half the width of a box, metres"},
        {"--axis", 0, CLI_TEXT, &j.axis, 0, 0, "X,Y,Z", "along which a post, box or wedge lies"},
        {"--at", 0, CLI_TEXT, &j.at, 0, 0, "X,Y,Z", "a point that its middle goes through"},
        {"--hold", 0, CLI_NUMBER, &j.hold, 0.01, 1, "SHARE",
         "share of the body behind which it is held; 1: it lies against a wall"},
        {"--rigid", 0, CLI_TEXT, &j.rigid, 0, 0, "WORDS",
         "parts that stay rigid: words in names of nodes, meshes or looks, commas between"},
        {"--yield", 0, CLI_NUMBER, &j.yield, 0, 1e6, "K",
         "curvature that stays, times the body's size (default: 3)"},
        {"--bend", 0, CLI_NUMBER, &j.bend, 1e-6, 1e6, "D",
         "bending stiffness (default: 0.01); higher makes longer folds"},
        {"--steps", 0, CLI_WHOLE, &j.steps, 10, 100000, "N", "steps of the press (default: 400)"},
        {"--cell", 0, CLI_NUMBER, &j.cell, 1e-9, 1e6, "M",
         "length of the smallest folds, metres, at least a thousandth of the model (default: a "
         "little more than its edges)"},
        CLI_READ_OPTIONS(j.read),
        {"--json", 0, CLI_FLAG, &j.json, 0, 0, NULL, "print as JSON"},
        {"--quiet", 'q', CLI_FLAG, &j.quiet, 0, 0, NULL, "print errors only"},
    };
    const cli_usage usage = {
        "crush",
        "MODEL",
        "Presses a shape into a model as if it were made of sheet metal, and writes it crumpled,\n"
        "with the same vertices: a sculpt for a recipe, or a look at what 'crush' in a recipe\n"
        "does. Lengths are kept, folds stay. Says how much lengths changed, how many creases\n"
        "there are and how many triangles cross.",
        "  wrought crush car.glb --place roof --rigid wheel -o roof.glb\n"
        "  wrought crush car.glb --shape post --direction=0,0,-1 --depth 0.6 -o pole.glb\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &j.input, &count);
    status = status < 0 ? check_paths(&j) : status;
    status = status < 0 ? cli_check_read_options(&j.read, j.input, true) : status;
    if (status < 0) {
        cli_catch_interrupts();
        j.progress = cli_progress_start("crushing", "%", 0, 100, j.quiet || j.json);
        status = run(&j);
    }
    wr_model_destroy(j.tool);
    wr_model_destroy(j.flat);
    wr_model_destroy(j.model);
    wri_arena_destroy(&j.arena);
    return status;
}
