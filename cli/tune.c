// tune.c: wrought tune: bend and yield of metal from a run in which nothing bends.
#include "cli.h"

#include "../src/file/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 12, HIT_ROWS = 6 }; // per family, unless all are asked for

typedef struct job {
    const char *input, *output;
    double share, margin;
    bool no_check, json, quiet, force, together, all, follow_links;
    wr_scene *scene, *written;
    wr_tuning *tuning;
    wri_arena arena;
    bool is_checked;
} job;

// --- saying -----------------------------------------------------------------------------------

static int compare_hardest(const void *a, const void *b)
{
    const wr_tune_body *x = *(const wr_tune_body *const *)a, *y = *(const wr_tune_body *const *)b;
    return x->hardest != y->hardest ? (x->hardest < y->hardest) - (x->hardest > y->hardest)
                                    : (x->body > y->body) - (x->body < y->body);
}

static const char *share_text(char out[16], double share)
{
    snprintf(out, 16, isnan(share) ? "-" : "%.0f %%", 100.0 * share);
    return out;
}

static void say_row(const char *name, int hits, double hardest, double resting, double load,
                    double expected, double reached)
{
    char e[16], r[16];
    cli_say("  %-24.24s %6d %9.2f %9.3f %6.1f %9s %8s", name, hits, hardest, resting, load,
            share_text(e, expected), share_text(r, reached));
}

static const wr_scene_body *scene_body(const job *j, const wr_tune_body *body)
{
    return &j->scene->bodies[body->body];
}

// The hardest hit first.
static void say_bodies(const job *j, const wr_tune_family *family)
{
    int count;
    const wr_tune_body *bodies = wr_tuning_bodies(j->tuning, &count) + family->first;
    const wr_tune_body **order = wri_alloc(NULL, (size_t)family->count, sizeof *order);
    if (!order) {
        return; // the values are what counts
    }
    for (int i = 0; i < family->count; i++) {
        order[i] = &bodies[i];
    }
    qsort(order, (size_t)family->count, sizeof *order, compare_hardest);
    int shown = j->all || family->count <= ROWS ? family->count : ROWS;
    for (int i = 0; i < shown; i++) {
        const wr_tune_body *b = order[i];
        say_row(scene_body(j, b)->name, b->hits, b->hardest, b->resting, b->load, b->expected,
                b->reached);
    }
    if (shown < family->count) {
        printf("  ... and %d more, which were hit less hard (--all shows them)\n",
               family->count - shown);
    }
    wri_free(NULL, order, (size_t)family->count, sizeof *order);
}

static int compare_hits(const void *a, const void *b)
{
    double x = ((const wr_tune_hit *)a)->speed, y = ((const wr_tune_hit *)b)->speed;
    return (x < y) - (x > y);
}

// When the body was hit that was hit hardest, and what of it leaves a dent; the hardest first.
static void say_hits(const job *j, const wr_tune_family *family)
{
    int count, hardest = family->first;
    const wr_tune_body *bodies = wr_tuning_bodies(j->tuning, &count);
    for (int i = family->first; i < family->first + family->count; i++) {
        hardest = bodies[i].hardest > bodies[hardest].hardest ? i : hardest;
    }
    const wr_tune_hit *hits = wr_tuning_hits(j->tuning, hardest, &count);
    wr_tune_hit *order = count ? wri_alloc(NULL, (size_t)count, sizeof *order) : NULL;
    if (!order) {
        return;
    }
    memcpy(order, hits, (size_t)count * sizeof *order);
    qsort(order, (size_t)count, sizeof *order, compare_hits);
    int shown = j->all || count <= HIT_ROWS ? count : HIT_ROWS;
    for (int i = 0; i < shown; i++) {
        char effect[32];
        snprintf(effect, sizeof effect,
                 order[i].expected < 0.01 ? "no dent" : "%.0f %% of an example",
                 100.0 * order[i].expected);
        cli_say("  \"%s\" at %.2f s: %.2f m/s, %s", scene_body(j, &bodies[hardest])->name,
                order[i].time, order[i].speed, effect);
    }
    if (shown < count) {
        printf("  ... and %d weaker hits (--all shows them)\n", count - shown);
    }
    wri_free(NULL, order, (size_t)count, sizeof *order);
}

static void say_values(const wr_tune_family *family)
{
    bool hit = family->hardest > 0.0;
    if (!hit) {
        printf("  nothing is hit%s\n", family->is_kept ? ": bend and yield stay as they are" : "");
    }
    if (!hit && family->is_kept) {
        return;
    }
    printf("  yield %s", WRI_NUMBER(family->yield, 6));
    if (!isnan(family->yield_speed)) {
        printf(" (%s m/s)", WRI_NUMBER(family->yield_speed, 6));
    }
    printf(", bend %s%s\n", WRI_NUMBER(family->bend, 6),
           family->is_tuned ? "" : " as before: no hit moves an example");
    if (family->is_limited) {
        printf("  bend met its limit: the hardest hits reach %.0f %% of an example with it\n",
               100.0 * family->expected);
    }
    if (family->is_tight) {
        printf("  contact at rest is hardly weaker than the hits: the yield is %s\n",
               family->resting < family->hardest ? "nearer to it than --margin wishes"
                                                 : "above both");
    }
    if (family->crept > 0) {
        double least = family->yield_speed / family->resting; // what a margin begins to count from
        printf("  in the check %d %s came from contact at rest: raise --margin", family->crept,
               wri_plural(family->crept, "hit", "hits"));
        printf(least > 1.0 && isfinite(least) ? " beyond %s\n" : "\n", WRI_NUMBER(least, 2));
    }
}

static bool changes(const job *j)
{
    int count;
    const wr_tune_family *families = wr_tuning_families(j->tuning, &count);
    for (int g = 0; g < count; g++) {
        if (!families[g].is_kept) {
            return true;
        }
    }
    return false;
}

static void say(const job *j)
{
    int count, body_count;
    const wr_tune_family *families = wr_tuning_families(j->tuning, &count);
    const wr_tune_body *bodies = wr_tuning_bodies(j->tuning, &body_count);
    const wr_tune_family *all = wr_tuning_all(j->tuning);
    printf("  %-24s %6s %9s %9s %6s %9s %8s\n", "body", "hits", "hardest", "resting", "load",
           "expected", "reached");
    printf("  %-24s %6s %9s %9s %6s %9s %8s\n", "", "", "m/s", "m/s", "weight", "example",
           j->is_checked ? "example" : "");
    printf("  (m/s: impulse of a hit, or of contact at rest, over the mass, as \"yield\" counts "
           "it)\n");
    for (int g = 0; g < count; g++) {
        const wr_scene_body *first = scene_body(j, &bodies[families[g].first]);
        cli_say("%s%s%s: %d %s", first->name, families[g].count > 1 ? " and others" : "",
                j->together ? ", values of all" : "", families[g].count,
                wri_plural(families[g].count, "body", "bodies"));
        say_bodies(j, &families[g]);
        say_hits(j, &families[g]);
        say_values(&families[g]);
    }
    if (count > 1 && !j->together) {
        printf("one set of values for all (--together):\n");
        say_values(all);
    }
    if (j->output) {
        cli_say("%s: written%s", j->output, changes(j) ? "" : ", with all values as they were");
    }
}

static void write_share(wri_json_writer *w, const char *key, double share)
{
    wri_json_write_number(w, key, share); // null when it is not known
}

static void write_values(wri_json_writer *w, const wr_tune_family *family)
{
    wri_json_write_int(w, "hits", family->hits);
    wri_json_write_number(w, "hardest", family->hardest);
    wri_json_write_number(w, "resting", family->resting);
    wri_json_write_number(w, "yield", family->yield);
    wri_json_write_number(w, "yield_speed", family->yield_speed);
    wri_json_write_number(w, "bend", family->bend);
    write_share(w, "expected", family->expected);
    write_share(w, "reached", family->reached);
    wri_json_write_int(w, "crept", family->crept);
    wri_json_write_bool(w, "tuned", family->is_tuned);
    wri_json_write_bool(w, "kept", family->is_kept);
    wri_json_write_bool(w, "limited", family->is_limited);
    wri_json_write_bool(w, "tight", family->is_tight);
}

static void write_hits(const job *j, wri_json_writer *w, int body)
{
    int count;
    const wr_tune_hit *hits = wr_tuning_hits(j->tuning, body, &count);
    wri_json_begin_array(w, "every_hit");
    for (int i = 0; i < count; i++) {
        wri_json_begin_object(w, NULL);
        wri_json_write_number(w, "time", hits[i].time);
        wri_json_write_number(w, "speed", hits[i].speed);
        wri_json_write_number(w, "expected", hits[i].expected);
        wri_json_end_object(w);
    }
    wri_json_end_array(w);
}

static void write_family(const job *j, wri_json_writer *w, const wr_tune_family *family)
{
    int count;
    const wr_tune_body *bodies = wr_tuning_bodies(j->tuning, &count);
    wri_json_begin_object(w, NULL);
    write_values(w, family);
    wri_json_begin_array(w, "bodies");
    for (int i = family->first; i < family->first + family->count; i++) {
        const wr_tune_body *b = &bodies[i];
        wri_json_begin_object(w, NULL);
        wri_json_write_string(w, "name", scene_body(j, b)->name);
        wri_json_write_int(w, "hits", b->hits);
        wri_json_write_number(w, "hardest", b->hardest);
        wri_json_write_number(w, "resting", b->resting);
        wri_json_write_number(w, "load", b->load);
        write_share(w, "expected", b->expected);
        write_share(w, "reached", b->reached);
        wri_json_write_int(w, "crept", b->crept);
        write_hits(j, w, i);
        wri_json_end_object(w);
    }
    wri_json_end_array(w);
    wri_json_end_object(w);
}

static void say_json(const job *j)
{
    int count;
    const wr_tune_family *families = wr_tuning_families(j->tuning, &count);
    wri_json_writer w = wri_json_writer_create(NULL, true);
    wri_json_begin_object(&w, NULL);
    wri_json_write_string(&w, "scene", j->input);
    if (j->output) {
        wri_json_write_string(&w, "output", j->output);
    }
    wri_json_write_number(&w, "share", j->share);
    wri_json_write_number(&w, "margin", j->margin);
    wri_json_begin_array(&w, "groups");
    for (int g = 0; g < count; g++) {
        write_family(j, &w, &families[g]);
    }
    wri_json_end_array(&w);
    wri_json_begin_object(&w, "all");
    write_values(&w, wr_tuning_all(j->tuning));
    wri_json_end_object(&w);
    wri_json_end_object(&w);
    const char *text = wri_json_finish(&w);
    printf("%s\n", text ? text : "{}");
    wri_json_writer_destroy(&w);
}

// --- doing ------------------------------------------------------------------------------------

// -1: to its end.
static int run_scene(job *j, const char *verb, const char *interruption)
{
    wr_error error = {0};
    bool ok = true;
    int total = wr_scene_frame_count(j->scene);
    cli_progress progress = cli_progress_start(verb, "frames", 0, total, j->quiet || j->json);
    while (ok && wr_tuning_frame(j->tuning) < total && !cli_interrupted()) {
        ok = wr_tuning_step(j->tuning, &error);
        cli_progress_show(&progress, wr_tuning_frame(j->tuning), "");
    }
    cli_progress_end(&progress);
    return !ok                 ? cli_complain(CLI_TROUBLE, "%s: %s", j->input, error.message)
           : cli_interrupted() ? cli_complain(CLI_INTERRUPTED, "interrupted %s", interruption)
                               : -1;
}

static bool write_scene(job *j, wr_error *error)
{
    size_t size;
    const char *folder = wri_path_folder(&j->arena, j->output);
    char *text = folder ? wr_tuning_write(j->tuning, j->input, folder, &size, error) : NULL;
    bool ok = folder ? text && wri_file_write(j->output, text, strlen(text), error)
                     : wri_fail_memory(error, strlen(j->output));
    wr_text_destroy(text, text ? size : 0);
    return ok;
}

static void log_warning(void *user, const char *message)
{
    const job *j = user;
    if (!j->quiet) {
        cli_note("%s", message);
    }
}

static wr_scene *read_scene(const job *j, const char *path, wr_error *error)
{
    const wr_scene_options options = {.log = cli_log_notes(j->quiet),
                                      .follow_links = j->follow_links};
    return wr_scene_read(path, &options, error);
}

static bool start(job *j, wr_error *error)
{
    j->scene =
        (!j->output || wri_folder_check(j->output, error)) ? read_scene(j, j->input, error) : NULL;
    if (!j->scene) {
        return false;
    }
    cli_warn(j->scene->warning_count, j->scene->warnings);
    wr_tune_desc desc = wr_tune_desc_default();
    desc.scene = j->scene;
    desc.share = j->share;
    desc.margin = j->margin;
    desc.log = (wr_log){log_warning, j};
    j->tuning = wr_tuning_create(&desc, error);
    return j->tuning || wri_fail(error, error->code, "%s: %s", j->input, error->message);
}

// With an output, what was written is what is read and checked.
static bool start_check(job *j, wr_error *error)
{
    j->written = j->output ? read_scene(j, j->output, error) : NULL;
    j->is_checked = (!j->output || j->written) && wr_tuning_check(j->tuning, j->written, error);
    return j->is_checked;
}

static int run(job *j)
{
    wr_error error = {0};
    cli_catch_interrupts();
    if (!start(j, &error)) {
        return cli_fail(&error);
    }
    int status = run_scene(j, "rigid run", "in the rigid run; nothing was written");
    if (status >= 0) {
        return status;
    }
    if (!wr_tuning_propose(j->tuning, j->together, &error) ||
        (j->output && !write_scene(j, &error))) {
        return cli_fail(&error);
    }
    if (!j->no_check && !start_check(j, &error)) {
        return cli_fail(&error);
    }
    status = j->no_check ? -1 : run_scene(j, "checking", "in the check; the table is of a part");
    if (j->json) {
        say_json(j);
    } else {
        say(j);
    }
    return status < 0 ? CLI_OK : status;
}

// -1: fine.
static int check_paths(const job *j)
{
    if (!j->output) {
        return -1;
    }
    if (!wri_has_ending(j->output, ".json")) {
        return cli_complain(CLI_BAD_USAGE, "%s: unknown kind of file, expected .scene.json",
                            j->output);
    }
    int status = cli_check_other(j->input, j->output);
    if (status >= 0) {
        return status;
    }
    if (wri_is_folder(j->output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: is a folder, expected a file", j->output);
    }
    return cli_check_replace(j->output, j->force);
}

int cli_tune(int argc, char **argv)
{
    job j = {.share = 0.8, .margin = 1.5, .arena = wri_arena_create(NULL)};
    const cli_option table[] = {
        {"--output", 'o', CLI_PATH, &j.output, 0, 0, "FILE",
         "a copy of the scene with the values; everything else stays as it was written"},
        {"--reach-example", 0, CLI_NUMBER, &j.share, 0.01, 1, "PART",
         "weight of an example that the hardest hits reach (default: 0.8)"},
        {"--margin", 0, CLI_NUMBER, &j.margin, 1, 100, "FACTOR",
         "factor of the yield over contact at rest (default: 1.5)"},
        {"--together", 0, CLI_FLAG, &j.together, 0, 0, NULL, "one set of values for all bodies"},
        {"--no-check", 0, CLI_FLAG, &j.no_check, 0, 0, NULL,
         "do not simulate again with the values"},
        {"--all", 0, CLI_FLAG, &j.all, 0, 0, NULL,
         "show every body and hit, not the twelve bodies and six hits that are hardest"},
        CLI_FOLLOW_LINKS(j.follow_links),
        {"--force", 0, CLI_FLAG, &j.force, 0, 0, NULL, "replace the output if it exists"},
        {"--json", 0, CLI_FLAG, &j.json, 0, 0, NULL, "print the table as JSON"},
        {"--quiet", 'q', CLI_FLAG, &j.quiet, 0, 0, NULL, "no progress"},
    };
    const cli_usage usage = {
        "tune",
        "SCENE.json",
        "Proposes \"bend\" and \"yield\" for the metal of a scene: simulates it with everything "
        "rigid,\n"
        "watches every hit, and finds values so that the hardest hits reach 80 % of an example\n"
        "and contact at rest never bends anything. Bodies of the same asset and material get the\n"
        "same values. Then simulates again with them and says what was reached. docs/metal.md\n"
        "tells more.",
        "  wrought tune dock.scene.json\n"
        "  wrought tune dock.scene.json --reach-example 0.5 -o soft.scene.json\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &j.input, &count);
    status = status < 0 ? cli_expect_text(j.input, CLI_SCENE) : status;
    status = status < 0 ? check_paths(&j) : status;
    status = status < 0 ? run(&j) : status;
    wr_tuning_destroy(j.tuning);
    wr_scene_destroy(j.written);
    wr_scene_destroy(j.scene);
    wri_arena_destroy(&j.arena);
    return status;
}
