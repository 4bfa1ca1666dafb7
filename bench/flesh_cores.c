// flesh_cores.c: bodies of one core with as many nodes as those of tables 3.1 and 3.2.
#include "flesh_bench.h"

#include <math.h>
#include <stdio.h>

typedef struct core_body {
    const char *name;
    flesh_body_desc body;
    double young;           // Pa
    double published, goal; // frames/s in contact
    double goal_published;  // likewise, by the thesis' own approximations; NaN: not measured
    bool is_quick;          // measured without --full
} core_body;

// Moduli are given for the cylinder alone (fig. 3.2); frames/s in the text of section 3.6.
static const core_body BODIES[] = {
    {"tyre", {FLESH_TYRE, 250, 124, 1}, 2e4, 0.5, NAN, NAN, false},
    {"cylinder, E 3e3", {FLESH_CYLINDER, 72, 0, 1}, 3e3, 6.0, NAN, NAN, true},
    {"cylinder, E 6e4", {FLESH_CYLINDER, 72, 0, 1}, 6e4, 1.5, NAN, NAN, false},
    {"pumpkin", {FLESH_PUMPKIN, 87, 0, 1}, 2e4, NAN, NAN, NAN, false},
    {"gear", {FLESH_GEAR, 85, 0, 1}, 2e4, 1.0, NAN, NAN, false},
    {"head", {FLESH_HEAD, 100, 0, 1}, 2e4, 2.0, 20.0, 30.0, true},
};

static int count_tetrahedra(const wr_layer *layer)
{
    int count = 0, tets[3][4];
    for (int i = 0; i < layer->triangle_count; i++) {
        count += wr_layer_split(layer, i, tets);
    }
    return count;
}

static void add_rows(const core_body *c, const flesh_body *body, const flesh_run *got,
                     bench_rows *rows)
{
    char name[64];
    double frames = 1.0 / got->alone, tets = count_tetrahedra(body->layer);
    bool is_soft = c->body.kind == FLESH_CYLINDER && c->young < 1e4; // what table 3.2 was taken of
    snprintf(name, sizeof name, "%s, n %d", c->name, body->layer->node_count);
    flesh_add_frames(name, "in contact", got, c->published, c->goal, rows);
    bench_add_compared(rows, name, "contacts", "per step", got->contacts, is_soft ? 2600.0 : NAN,
                       NAN, true);
    bench_add_compared(rows, name, "one thread", "nodes/s", frames * body->layer->node_count,
                       is_soft ? 120e3 : NAN, NAN, true);
    bench_add_compared(rows, name, "one thread", "tetrahedra/s", frames * tets, is_soft ? 1e6 : NAN,
                       NAN, true);
    bench_add_compared(rows, name, "one thread", "contacts/s", frames * got->contacts,
                       is_soft ? 15e3 : NAN, NAN, true);
}

// The same body by the thesis' own approximations: as it falls, when fewer nodes touch, since its
// skin is stiffer, and held by as many nodes as ours is.
static bool add_published(const core_body *c, const flesh_body *body, const flesh_run *ours,
                          const bench_options *options, bench_rows *rows, wr_error *error)
{
    static const char *const measures[] = {"published", "published, held"};
    static const char *const contacts[] = {"published, contacts", "published, held, contacts"};
    char name[64];
    bool ok = true;
    snprintf(name, sizeof name, "%s, n %d", c->name, body->layer->node_count);
    for (int held = 0; ok && held < 2; held++) {
        const flesh_run_desc run = {body,
                                    .young = c->young,
                                    .steps = 1,
                                    .alone = !options->full,
                                    .published = true,
                                    .held = held ? (int)ours->contacts : 0};
        flesh_run got;
        ok = flesh_measure(&run, options, &got, error);
        if (ok) {
            flesh_add_frames(name, measures[held], &got, c->published, c->goal_published, rows);
            bench_add_row(rows, name, contacts[held], "per step", got.contacts, NAN);
        }
    }
    return ok;
}

bool bench_flesh_cores(const bench_options *options, bench_rows *rows, wr_error *error)
{
    for (int i = 0; i < WRI_COUNT(BODIES); i++) {
        const core_body *c = &BODIES[i];
        flesh_body body;
        if (!c->is_quick && !options->full) {
            continue;
        }
        if (!bench_goes_on(options, error) || !flesh_body_create(&body, &c->body, error)) {
            return false;
        }
        const flesh_run_desc run = {&body, .young = c->young, .steps = 1,
                                    .alone = !options->full && isnan(c->goal)};
        flesh_run got;
        bool ok = flesh_measure(&run, options, &got, error);
        if (ok) {
            add_rows(c, &body, &got, rows);
            ok = isnan(c->goal_published) || add_published(c, &body, &got, options, rows, error);
        }
        flesh_body_destroy(&body);
        if (!ok) {
            return false;
        }
    }
    return true;
}
