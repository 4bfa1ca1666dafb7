// morph.c: what a frame of soft characters with morph targets costs, at the numbers of the thesis,
// with and without targets. After N. Galoppo, 2008, table 5.1.
#include "morph_bench.h"

#include "../src/morph/morph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A row of table 5.1: frames/s as published, without and with targets; a limb of its size, and the
// figure of the gallery that is like it.
typedef struct model {
    const char *name;
    morph_body_desc body;
    const char *recipe, *clip;
    double full[2], linear[2], stvk[2];
    double preprocessing; // s, of the coefficients
    bool has_goals;
} model;

static const model MODELS[] = {
    {"elbow",
     {{15, 4, 4}, 4, 4, 0, 10, true},
     "elbow",
     "bend",
     {28, 25},
     {93, 89},
     {89, 64},
     21.2,
     false},
    {"swimmer",
     {{10, 4, 4}, 46, 3, 0, 10, true},
     "diver",
     "tuck",
     {36, 34},
     {96, 92},
     {90, 58},
     16.8,
     false},
    {"shoulder",
     {{21, 8, 8}, 4, 6, 1600, 14, true},
     "shoulder",
     "targets",
     {3, 3},
     {87, 85},
     {30, 22},
     661,
     true},
};

// One kind of body, without and with targets: frames/s.
typedef struct kind {
    const char *name;
    morph_run_desc run;
    const double *published;
    double goal;        // frames/s with targets; NaN: none
    const char *growth; // of the row that says how much more targets cost; NULL: none
    double most;        // its goal
} kind;

static bool add_kind(const char *name, const kind *k, bench_rows *rows, wr_error *error)
{
    double seconds[2], iterations;
    char label[64];
    morph_run_desc runs[2] = {k->run, k->run};
    runs[0].without_targets = true;
    runs[0].copies = runs[1].copies = 1;
    if (!morph_measure(runs, 2, seconds, &iterations, error)) {
        return false;
    }
    snprintf(label, sizeof label, "%s, %d dof", name,
             k->run.is_full ? 3 * k->run.body->free_count : k->run.body->data->mode_count);
    for (int with = 0; with < 2; with++) {
        char measure[32];
        snprintf(measure, sizeof measure, "%s%s", k->name, with ? ", targets" : "");
        bench_add_compared(rows, label, measure, "frames/s", 1.0 / seconds[with],
                           k->published ? k->published[with] : NAN, with ? k->goal : NAN, true);
    }
    if (k->growth) {
        bench_add_row(rows, label, k->growth, "x", seconds[1] / seconds[0], k->most);
    }
    if (k->run.is_full) {
        bench_add_row(rows, label, "iterations", "per step", iterations, NAN);
    }
    return true;
}

// Processor time of one thread for the coefficients of all targets.
static bool measure_coefficients(const morph_body *body, double *seconds, wr_error *error)
{
    size_t size = wr_morph_cubic_size(body->data->mode_count);
    float *out = malloc(size * sizeof *out);
    bool ok = out != NULL;
    double start = bench_processor_seconds();
    for (int target = 0; ok && target < body->data->target_count; target++) {
        ok = wri_cubic_make(body->data, target, NULL, NULL, out);
    }
    *seconds = bench_processor_seconds() - start;
    free(out);
    return ok || wri_fail_memory(error, 0);
}

// The kinds of bodies of one row, on a limb or a figure.
static bool add_kinds(const model *m, const char *name, const morph_body *body, bench_rows *rows,
                      wr_error *error)
{
    char label[64];
    bool g = m->has_goals;
    const kind kinds[] = {
        {"full linear",
         {body, .is_full = true},
         m->full,
         g ? 100 : NAN,
         "full: targets cost",
         g ? 10 : NAN},
        {"reduced linear, skin",
         {body, .with_skin = true},
         m->linear,
         g ? 15000 : NAN,
         "linear: targets cost",
         g ? 1.1 : NAN},
        {"reduced linear", {body}, NULL, g ? 100000 : NAN, NULL, NAN},
        {"reduced StVK, skin",
         {body, .elasticity = WR_MORPH_STVK, .with_skin = true},
         m->stvk,
         NAN,
         NULL,
         NAN},
        {"reduced StVK",
         {body, .elasticity = WR_MORPH_STVK},
         NULL,
         g ? 10000 : NAN,
         "StVK: targets cost",
         g ? 3 : NAN},
    };
    bool ok = true;
    for (int i = 0; ok && i < WRI_COUNT(kinds); i++) {
        ok = add_kind(name, &kinds[i], rows, error);
    }
    double seconds = NAN;
    ok = ok && measure_coefficients(body, &seconds, error);
    snprintf(label, sizeof label, "%s, %d tetrahedra", name, body->data->tet_count);
    bench_add_compared(rows, label, "StVK coefficients, 1 core", "s", seconds, m->preprocessing,
                       g ? 2 : NAN, false);
    return ok;
}

static bool add_model(const model *m, const bench_options *options, bench_rows *rows,
                      wr_error *error)
{
    morph_body body;
    if (!bench_goes_on(options, error) || !morph_body_create(&body, &m->body, error)) {
        return false;
    }
    bool ok = add_kinds(m, m->name, &body, rows, error);
    morph_body_destroy(&body);
    return ok;
}

static bool add_figure(const model *m, const bench_options *options, bench_rows *rows,
                       wr_error *error)
{
    morph_body body;
    char path[4096], name[32];
    if (!options->scenes) {
        return true;
    }
    snprintf(path, sizeof path, "%s/%s.recipe.json", options->scenes, m->recipe);
    snprintf(name, sizeof name, "figure %s", m->recipe);
    if (!bench_goes_on(options, error) || !morph_figure_create(&body, path, m->clip, error)) {
        return false;
    }
    bool ok = add_kinds(m, name, &body, rows, error);
    morph_body_destroy(&body);
    return ok;
}

// Vertices that were sculpted finer than their tetrahedra have a column per target of their own.
static bool add_details(const bench_options *options, bench_rows *rows, wr_error *error)
{
    morph_body_desc desc = MODELS[WRI_COUNT(MODELS) - 1].body;
    morph_body body;
    desc.with_cubic = false;
    desc.is_detailed = true;
    if (!bench_goes_on(options, error) || !morph_body_create(&body, &desc, error)) {
        return false;
    }
    const kind k = {
        "reduced linear, skin", {&body, .with_skin = true}, NULL, NAN, "linear: targets cost", NAN};
    bool ok = add_kind("shoulder with details", &k, rows, error);
    morph_body_destroy(&body);
    return ok;
}

// That nothing of a reduced body grows with its nodes but what is drawn.
static bool add_growth(const bench_options *options, bench_rows *rows, wr_error *error)
{
    static const int CELLS[][3] = {{10, 4, 4}, {16, 6, 6}, {24, 8, 8}, {36, 12, 12}};
    const bench_plot plot = {"morph-nodes", "What a step of a reduced body costs as its mesh grows",
                             "nodes", "microseconds per step, one thread"};
    int at = bench_add_plot(rows, &plot), count = options->full ? 4 : 3;
    double first = NAN, last = NAN;
    int nodes[2] = {0, 0};
    char name[64];
    for (int i = 0; i < count; i++) {
        const morph_body_desc desc = {
            {CELLS[i][0], CELLS[i][1], CELLS[i][2]}, 4, 4, 400, 12, false};
        morph_body body;
        double seconds;
        if (!bench_goes_on(options, error) || !morph_body_create(&body, &desc, error)) {
            return false;
        }
        const morph_run_desc run = {&body, .copies = 1};
        bool ok = morph_measure(&run, 1, &seconds, NULL, error);
        bench_add_point(rows, at, "reduced linear", true, body.data->node_count, 1e6 * seconds);
        first = i == 0 ? seconds : first;
        last = seconds;
        nodes[0] = i == 0 ? body.data->node_count : nodes[0];
        nodes[1] = body.data->node_count;
        morph_body_destroy(&body);
        if (!ok) {
            return false;
        }
    }
    snprintf(name, sizeof name, "reduced, %d against %d nodes", nodes[1], nodes[0]);
    bench_add_row(rows, name, "a step costs", "x", last / first, 1.25);
    return true;
}

static bool add_crowd(const bench_options *options, bench_rows *rows, wr_error *error)
{
    const morph_body_desc desc = {{12, 5, 5}, 8, 3, 1600, 10, false};
    morph_body body;
    double seconds[2];
    if (!bench_goes_on(options, error) || !morph_body_create(&body, &desc, error)) {
        return false;
    }
    bool ok = true;
    for (int skin = 0; ok && skin < 2; skin++) {
        morph_run_desc run = {&body, .with_skin = skin, .copies = 200};
        ok = morph_measure(&run, 1, &seconds[skin], NULL, error);
    }
    if (ok) {
        bench_add_row(rows, "crowd of 200", "a frame, 1 core", "ms", 1e3 * seconds[0], 2.0);
        bench_add_row(rows, "crowd of 200, 1600 vertices each", "a frame, 1 core", "ms",
                      1e3 * seconds[1], 8.0);
    }
    morph_body_destroy(&body);
    return ok;
}

bool bench_morph(const bench_options *options, bench_rows *rows, wr_error *error)
{
    bool ok = true;
    for (int i = 0; ok && i < WRI_COUNT(MODELS); i++) {
        ok = add_model(&MODELS[i], options, rows, error);
    }
    for (int i = 0; ok && i < WRI_COUNT(MODELS); i++) {
        ok = add_figure(&MODELS[i], options, rows, error);
    }
    return ok && add_details(options, rows, error) && add_growth(options, rows, error) &&
           add_crowd(options, rows, error);
}
