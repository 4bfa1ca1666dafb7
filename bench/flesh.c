// flesh.c: what a frame of flesh costs, at the numbers of nodes and bones of the thesis, and how
// that grows. After N. Galoppo, 2008, tables 3.1, 3.2 and 4.1.
#include "flesh_bench.h"

#include <math.h>
#include <stdio.h>

// A row of table 4.1; times in ms, as published.
typedef struct character {
    const char *name;
    flesh_body_desc body;
    double free, contact;
    double goal; // frames/s in contact
} character;

static const character CHARACTERS[] = {
    {"deer", {FLESH_DEER, 0, 0, 0}, 74.8, 123.8, 400.0},
    {"deer", {FLESH_DEER, 1, 0, 0}, 114.1, 160.4, NAN},
    {"deer", {FLESH_DEER, 2, 0, 0}, 310.0, 449.7, 100.0},
    {"snake", {FLESH_TUBE, 155, 20, 16}, 106.5, 140.6, 250.0},
    {"tube", {FLESH_TUBE, 29, 10, 2}, 9.5, 13.8, NAN},
    {"tube", {FLESH_TUBE, 29, 10, 5}, 14.6, 23.3, 1500.0},
};

static bool add_character(const character *c, const bench_options *options, bench_rows *rows,
                          wr_error *error)
{
    flesh_body body;
    flesh_run got;
    char name[64];
    if (!bench_goes_on(options, error) || !flesh_body_create(&body, &c->body, error)) {
        return false;
    }
    const flesh_run_desc loose = {&body, .steps = 1, .free = true, .alone = !options->full};
    const flesh_run_desc run = {&body, .steps = 1};
    const flesh_run_desc fine = {&body, .steps = 4, .alone = !options->full};
    const flesh_run_desc rough = {&body, .steps = 1, .alone = true, .published = true};
    snprintf(name, sizeof name, "%s, n %d, k %d", c->name, body.layer->node_count, body.bone_count);
    bool ok = flesh_measure(&loose, options, &got, error);
    if (ok) {
        flesh_add_frames(name, "free", &got, 1e3 / c->free, NAN, rows);
        ok = flesh_measure(&run, options, &got, error);
    }
    if (ok) {
        flesh_add_frames(name, "in contact", &got, 1e3 / c->contact, c->goal, rows);
        bench_add_row(rows, name, "contacts", "per step", got.contacts, NAN);
        ok = flesh_measure(&fine, options, &got, error);
    }
    if (ok) {
        flesh_add_frames(name, "at 4 x 1/240 s", &got, 1e3 / c->contact, NAN, rows);
        ok = flesh_measure(&rough, options, &got, error);
    }
    if (ok) { // by the thesis' own approximations
        flesh_add_frames(name, "published", &got, 1e3 / c->contact, NAN, rows);
        bench_add_row(rows, name, "published, contacts", "per step", got.contacts, NAN);
    }
    flesh_body_destroy(&body);
    return ok;
}

bool bench_flesh_characters(const bench_options *options, bench_rows *rows, wr_error *error)
{
    bool ok = true;
    for (int i = 0; ok && i < WRI_COUNT(CHARACTERS); i++) {
        ok = add_character(&CHARACTERS[i], options, rows, error);
    }
    return ok;
}

bool bench_flesh(const bench_options *options, bench_rows *rows, wr_error *error)
{
    return bench_flesh_characters(options, rows, error) &&
           bench_flesh_cores(options, rows, error) && bench_flesh_solve(options, rows, error) &&
           bench_flesh_peer(options, rows, error) && bench_flesh_meet(options, rows, error) &&
           bench_flesh_growth(options, rows, error);
}
