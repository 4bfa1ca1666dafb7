// flesh_growth.c: how a step of flesh grows with nodes n, bones k and contacts m, one by one.
//
// Contacts are nodes on the underside that are held from below, each where it is at first, against
// a twentieth of the weight: so there are as many as wanted, and none is pressed to the core. All
// is on one thread. That nothing grows with k n or m n is seen from four sizes: t(n2, k2) over
// t(n2, k1) + t(n1, k2) - t(n1, k1), which is 1 for what grows with each alone.
#include "flesh_bench.h"

#include <math.h>
#include <stdio.h>

enum { HELD = 64 };

// ms per step, free where nothing is held.
static bool measure_step(const flesh_body *body, int held, const bench_options *options, double *ms,
                         wr_error *error)
{
    const flesh_run_desc run = {body, .steps = 1, .free = held == 0, .alone = true, .held = held};
    flesh_run got;
    bool ok = flesh_measure(&run, options, &got, error);
    *ms = 1e3 * got.alone;
    return ok;
}

// Of one body, free and with some contacts.
static bool measure_both(const flesh_body_desc *desc, const bench_options *options, double ms[2],
                         wr_error *error)
{
    flesh_body body;
    if (!bench_goes_on(options, error) || !flesh_body_create(&body, desc, error)) {
        return false;
    }
    bool ok = measure_step(&body, 0, options, &ms[0], error) &&
              measure_step(&body, HELD, options, &ms[1], error);
    flesh_body_destroy(&body);
    return ok;
}

static double power(const double x[], const double y[], int from, int to)
{
    return log(y[to] / y[from]) / log(x[to] / x[from]);
}

// --- nodes ------------------------------------------------------------------------------------

static bool add_nodes(const bench_options *options, bench_rows *rows, wr_error *error)
{
    enum { SIZES = 6, TEN = 3 }; // index of 10 002
    static const int details[SIZES] = {16, 25, 35, 50, 71, 100};
    static const char *const names[2] = {"free", "64 contacts"};
    const bench_plot plot = {"flesh-nodes", "What a step of flesh costs as bodies grow", "nodes",
                             "ms per step, one thread"};
    int at = bench_add_plot(rows, &plot);
    double n[SIZES], ms[2][SIZES];
    for (int i = 0; i < SIZES; i++) {
        const flesh_body_desc ball = {FLESH_BALL, details[i], 0, 1};
        double both[2];
        if (!options->full && i != 0 && i != TEN && i != SIZES - 1) {
            continue;
        }
        if (!measure_both(&ball, options, both, error)) {
            return false;
        }
        n[i] = 4 * details[i] * details[i] + 2;
        for (int k = 0; k < 2; k++) {
            ms[k][i] = both[k];
            bench_add_point(rows, at, names[k], true, n[i], both[k]);
        }
    }
    for (int k = 0; k < 2; k++) {
        bench_add_row(rows, names[k], "10 002 nodes", "ms/step", ms[k][TEN], NAN);
        bench_add_row(rows, names[k], "40 002 nodes", "ms/step", ms[k][SIZES - 1], NAN);
        bench_add_row(rows, names[k], "power of n, to 10 002", "", power(n, ms[k], 0, TEN), 1.15);
        bench_add_row(rows, names[k], "power of n, to 40 002", "", power(n, ms[k], 0, SIZES - 1),
                      1.5);
    }
    return true;
}

// --- bones ------------------------------------------------------------------------------------

static bool add_bones(const bench_options *options, bench_rows *rows, wr_error *error)
{
    enum { SIZES = 5, EIGHT = 2 };
    static const int bones[SIZES] = {2, 4, 8, 16, 32};
    static const char *const names[2] = {"3 102 nodes, free", "3 102 nodes, 64 contacts"};
    const bench_plot plot = {"flesh-bones", "What a step of flesh costs with more bones", "bones",
                             "ms per step, one thread"};
    int at = bench_add_plot(rows, &plot);
    double k[SIZES], ms[2][SIZES];
    for (int i = 0; i < SIZES; i++) {
        const flesh_body_desc tube = {FLESH_TUBE, 155, 20, bones[i]};
        double both[2];
        if (!options->full && i % 2 == 1) {
            continue;
        }
        if (!measure_both(&tube, options, both, error)) {
            return false;
        }
        k[i] = bones[i];
        for (int l = 0; l < 2; l++) {
            ms[l][i] = both[l];
            bench_add_point(rows, at, names[l], true, k[i], both[l]);
        }
    }
    for (int l = 0; l < 2; l++) {
        bench_add_row(rows, names[l], "2 bones", "ms/step", ms[l][0], NAN);
        bench_add_row(rows, names[l], "32 bones", "ms/step", ms[l][SIZES - 1], NAN);
        bench_add_row(rows, names[l], "power of k, 8 to 32", "", power(k, ms[l], EIGHT, SIZES - 1),
                      1.15);
    }
    return true;
}

// --- contacts ---------------------------------------------------------------------------------

static bool add_contacts(const bench_options *options, bench_rows *rows, wr_error *error)
{
    enum { SIZES = 4 };
    static const int counts[SIZES] = {16, 64, 256, 1024};
    const bench_plot plot = {"flesh-contacts", "What a step of flesh costs with more contacts",
                             "contacts", "ms per step, one thread"};
    const flesh_body_desc ball = {FLESH_BALL, 50, 0, 1};
    int at = bench_add_plot(rows, &plot);
    double m[SIZES], ms[SIZES];
    flesh_body body;
    if (!bench_goes_on(options, error) || !flesh_body_create(&body, &ball, error)) {
        return false;
    }
    bool ok = true;
    for (int i = 0; ok && i < SIZES; i++) {
        ok = measure_step(&body, counts[i], options, &ms[i], error);
        m[i] = counts[i];
        bench_add_point(rows, at, "10 002 nodes", true, m[i], ms[i]);
    }
    flesh_body_destroy(&body);
    if (ok) {
        bench_add_row(rows, "10 002 nodes", "16 contacts", "ms/step", ms[0], NAN);
        bench_add_row(rows, "10 002 nodes", "1 024 contacts", "ms/step", ms[SIZES - 1], NAN);
        bench_add_row(rows, "10 002 nodes", "power of m, 64 to 1 024", "",
                      power(m, ms, 1, SIZES - 1), 1.15);
    }
    return ok;
}

// --- products ---------------------------------------------------------------------------------

// Of the four, [0] is small in both, [1] and [2] in one.
static bool add_product(const flesh_body_desc bodies[4], const int held[4], const char *name,
                        const bench_options *options, bench_rows *rows, wr_error *error)
{
    double ms[4];
    for (int i = 0; i < 4; i++) {
        flesh_body body;
        if (!bench_goes_on(options, error) || !flesh_body_create(&body, &bodies[i], error)) {
            return false;
        }
        bool ok = measure_step(&body, held[i], options, &ms[i], error);
        flesh_body_destroy(&body);
        if (!ok) {
            return false;
        }
    }
    bench_add_row(rows, name, "over the sum of its parts", "", ms[3] / (ms[1] + ms[2] - ms[0]),
                  1.2);
    return true;
}

static bool add_products(const bench_options *options, bench_rows *rows, wr_error *error)
{
    static const flesh_body_desc tubes[] = {{FLESH_TUBE, 50, 20, 4},
                                            {FLESH_TUBE, 50, 20, 16},
                                            {FLESH_TUBE, 200, 20, 4},
                                            {FLESH_TUBE, 200, 20, 16}};
    static const flesh_body_desc balls[] = {{FLESH_BALL, 25, 0, 1},
                                            {FLESH_BALL, 25, 0, 1},
                                            {FLESH_BALL, 50, 0, 1},
                                            {FLESH_BALL, 50, 0, 1}};
    static const int same[4] = {HELD, HELD, HELD, HELD}, more[4] = {HELD, 8 * HELD, HELD, 8 * HELD};
    return add_product(tubes, same, "k n: n 1 002-4 002, k 4-16", options, rows, error) &&
           add_product(balls, more, "m n: n 2 502-10 002, m 64-512", options, rows, error);
}

bool bench_flesh_growth(const bench_options *options, bench_rows *rows, wr_error *error)
{
    return add_nodes(options, rows, error) && add_bones(options, rows, error) &&
           add_contacts(options, rows, error) && add_products(options, rows, error);
}
