// flesh_solve.c: a solve with the factor of A = (1 + a dt) M + (b dt + dt^2) K against conjugate
// gradients on A, preconditioned by its blocks on the diagonal, to 1e-4 of the right side, which is
// the weight of the nodes. One thread each, processor time.
#include "flesh_bench.h"

#include "../src/flesh/flesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PRECISION = 1e-4;
static const double PUBLISHED = 4.0; // on the deer of 2 755 nodes, section 4.4.2
enum { ITERATIONS = 2000 };

typedef struct gradients {
    wri_blocks A;
    float (*inverse)[9]; // of the blocks on the diagonal
    float *b, *x, *r, *z, *d, *Ad;
    int iterations;
} gradients;

static void close_gradients(gradients *g)
{
    free(g->A.value);
    free(g->inverse);
    free(g->b); // and what follows it
}

static void invert(const float a[9], float out[9])
{
    for (int i = 0; i < 9; i++) {
        int r = i / 3, c = i % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3,
            c2 = (c + 2) % 3;
        out[3 * c + r] = a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1];
    }
    float det = a[0] * out[0] + a[1] * out[3] + a[2] * out[6];
    for (int i = 0; i < 9; i++) {
        out[i] /= det;
    }
}

static bool open_gradients(gradients *g, const wr_flesh_model *m, wr_error *error)
{
    size_t n = (size_t)m->node_count, entries = (size_t)m->K.begin[n];
    float stiff = m->damping_stiffness * m->dt + m->dt * m->dt;
    *g = (gradients){.A = m->K};
    g->A.value = malloc(entries * sizeof *g->A.value);
    g->inverse = malloc(n * sizeof *g->inverse);
    g->b = calloc(18 * n, sizeof *g->b);
    if (!g->A.value || !g->inverse || !g->b) {
        close_gradients(g);
        return wri_fail_memory(error, 0);
    }
    g->x = g->b + 3 * n, g->r = g->x + 3 * n, g->z = g->r + 3 * n;
    g->d = g->z + 3 * n, g->Ad = g->d + 3 * n;
    for (int i = 0; i < m->node_count; i++) {
        float mass = (1.0f + m->damping_mass * m->dt) * m->mass[i];
        for (int k = m->K.begin[i]; k < m->K.begin[i + 1]; k++) {
            bool is_own = m->K.column[k] == i;
            for (int l = 0; l < 9; l++) {
                g->A.value[k][l] = stiff * m->K.value[k][l] + (is_own && l % 4 == 0 ? mass : 0.0f);
            }
            if (is_own) {
                invert(g->A.value[k], g->inverse[i]);
            }
        }
        g->b[3 * i + 1] = -9.81f * m->dt * m->mass[i];
    }
    return true;
}

static double inner(const float *a, const float *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += (double)(a[i] * b[i]);
    }
    return sum;
}

static void precondition(const gradients *g)
{
    for (int i = 0; i < g->A.count; i++) {
        const float *m = g->inverse[i], *r = &g->r[3 * i];
        for (int k = 0; k < 3; k++) {
            g->z[3 * i + k] = m[3 * k] * r[0] + m[3 * k + 1] * r[1] + m[3 * k + 2] * r[2];
        }
    }
}

static void solve(gradients *g)
{
    int size = 3 * g->A.count;
    double enough = PRECISION * PRECISION * inner(g->b, g->b, size);
    memset(g->x, 0, (size_t)size * sizeof *g->x);
    memcpy(g->r, g->b, (size_t)size * sizeof *g->r);
    precondition(g);
    memcpy(g->d, g->z, (size_t)size * sizeof *g->d);
    double energy = inner(g->r, g->z, size);
    for (g->iterations = 0; g->iterations < ITERATIONS; g->iterations++) {
        wri_blocks_multiply(&g->A, g->d, g->Ad, NULL);
        float step = (float)(energy / inner(g->d, g->Ad, size));
        for (int i = 0; i < size; i++) {
            g->x[i] += step * g->d[i];
            g->r[i] -= step * g->Ad[i];
        }
        if (inner(g->r, g->r, size) <= enough) {
            g->iterations++;
            return;
        }
        precondition(g);
        double next = inner(g->r, g->z, size);
        for (int i = 0; i < size; i++) {
            g->d[i] = g->z[i] + (float)(next / energy) * g->d[i];
        }
        energy = next;
    }
}

// The shortest of several.
static double time_gradients(gradients *g, double budget)
{
    double best = INFINITY, start = bench_processor_seconds();
    for (int i = 0; i < 2 || bench_processor_seconds() - start < budget; i++) {
        double begin = bench_processor_seconds();
        solve(g);
        best = fmin(best, bench_processor_seconds() - begin);
    }
    return best;
}

static double time_factor(const wr_flesh_model *m, gradients *g, double budget)
{
    double best = INFINITY, start = bench_processor_seconds();
    for (int i = 0; i < 3 || bench_processor_seconds() - start < budget; i++) {
        memcpy(g->z, g->b, 3 * (size_t)m->node_count * sizeof *g->z);
        double begin = bench_processor_seconds();
        wri_factor_solve(m->factor, g->z, NULL);
        best = fmin(best, bench_processor_seconds() - begin);
    }
    return best;
}

static bool add_solve(const flesh_body *body, const char *kind, float dt,
                      const bench_options *options, bench_rows *rows, wr_error *error)
{
    gradients g;
    char name[64];
    double budget = options->full ? 1.0 : 0.1;
    wr_flesh_model *m = flesh_body_model(body, 0.0, dt, false, error);
    bool ok = m && open_gradients(&g, m, error);
    if (ok) {
        double direct = time_factor(m, &g, budget), iterative = time_gradients(&g, budget);
        snprintf(name, sizeof name, "%s, n %d, 1/%.0f s", kind, m->node_count, 1.0 / (double)dt);
        bench_add_row(rows, name, "one solve, factor", "ms", 1e3 * direct, NAN);
        bench_add_row(rows, name, "conjugate gradients", "ms", 1e3 * iterative, NAN);
        bench_add_row(rows, name, "iterations to 1e-4", "", g.iterations, NAN);
        bench_add_compared(rows, name, "gradients over factor", "x", iterative / direct, PUBLISHED,
                           NAN, true);
        close_gradients(&g);
    }
    wr_flesh_model_destroy(m);
    return ok;
}

bool bench_flesh_solve(const bench_options *options, bench_rows *rows, wr_error *error)
{
    static const struct {
        const char *name;
        flesh_body_desc body;
    } bodies[] = {{"deer", {FLESH_DEER, 0, 0, 0}},
                  {"deer", {FLESH_DEER, 2, 0, 0}},
                  {"head", {FLESH_HEAD, 100, 0, 1}}};
    int count = options->full ? WRI_COUNT(bodies) : 2;
    for (int i = 0; i < count; i++) {
        flesh_body body;
        if (!bench_goes_on(options, error) || !flesh_body_create(&body, &bodies[i].body, error)) {
            return false;
        }
        bool ok = add_solve(&body, bodies[i].name, 1.0f / 60.0f, options, rows, error);
        if (ok && options->full) {
            ok = add_solve(&body, bodies[i].name, 1.0f / 240.0f, options, rows, error);
        }
        flesh_body_destroy(&body);
        if (!ok) {
            return false;
        }
    }
    return true;
}
