// embed.c: the one shape in space that comes nearest to all rest shapes.
//
//     argmin_e sum_ij w_ij^2 |u_ij - (e_j - e_i)|^2                      thesis eq. 3.9
//     C^T C e = b,   b_i = sum_{k: i in n(k)} w_ki^2 u_ki - sum_{j in n(i)} w_ij^2 u_ij
//
// Neighbourhoods are not symmetric: the diagonal of C^T C is sum_j w_ij^2 + sum_k w_ki^2, off it
// -(w_ij^2 + w_ji^2) (eq. 3.12 holds for symmetric ones). The iteration (solve.c) begins at the
// last e. The system is singular, each part may be shifted, but has a solution: nothing is pinned,
// which would take twice the iterations; what a part was shifted by is taken back at the end.
//
// Nonlinear: rest vectors are turned by the rotation of their neighbourhood that fits e best, and
// the system is solved again. Without it, rotations between neighbourhoods become stretch.
#include "solve.h"

#include "../math/decompose.h"

enum { ITERATIONS_MAX = 200, ROTATIONS = 4 };
static const float NEAR = 5e-3f; // of the spacing: error of e that ends the iteration

typedef struct system {
    wri_clay *c;
    float *own, *reverse; // w^2 of a particle's edges, and of those that end at it
    f4 *b;
    float *diagonal;
    float (*R)[3][3]; // rotation of each neighbourhood, NULL: none
} system;

// --- the system -------------------------------------------------------------------------------

static f4 rest_of(const system *s, int edge)
{
    f4 u = s->c->u[edge];
    if (!s->R) {
        return u;
    }
    const float(*R)[3] = (const float(*)[3])s->R[edge / NEIGHBOURS];
    f4 turned = {R[0][0] * u[0] + R[0][1] * u[1] + R[0][2] * u[2],
                 R[1][0] * u[0] + R[1][1] * u[1] + R[1][2] * u[2],
                 R[2][0] * u[0] + R[2][1] * u[1] + R[2][2] * u[2], u[3]};
    return turned;
}

// Of neighbours that an obstacle parts, too.
static float squared_weight(const wri_clay *c, int edge)
{
    int i = edge / NEIGHBOURS;
    float w = wri_clay_poly6(f4_dot(c->u[edge], c->u[edge]) / (c->h[i] * c->h[i]));
    return c->neighbours[edge] != i ? w * w : 0.0f;
}

static void set_up_range(void *context, int block, int begin, int end)
{
    (void)block;
    system *s = context;
    const wri_clay *c = s->c;
    for (int i = begin; i < end; i++) {
        f4 b = {0};
        float diagonal = 0.0f;
        for (int k = i * NEIGHBOURS; k < (i + 1) * NEIGHBOURS; k++) {
            f4 u = rest_of(s, k);
            s->own[k] = squared_weight(c, k);
            b -= s->own[k] * u;
            diagonal += s->own[k];
        }
        for (int k = c->reverse_begin[i]; k < c->reverse_begin[i + 1]; k++) {
            f4 u = rest_of(s, c->reverse[k]);
            s->reverse[k] = squared_weight(c, c->reverse[k]);
            b += s->reverse[k] * u;
            diagonal += s->reverse[k];
        }
        b[3] = 0.0f;
        s->b[i] = b;
        s->diagonal[i] = diagonal > 0.0f ? diagonal : 1.0f;
    }
}

static f4 product(const void *context, const f4 *p, int i)
{
    const system *s = context;
    const wri_clay *c = s->c;
    f4 sum = {0}, own = p[i];
    for (int k = i * NEIGHBOURS; k < (i + 1) * NEIGHBOURS; k++) { // eq. 3.12
        sum += s->own[k] * (own - p[c->neighbours[k]]);
    }
    for (int k = c->reverse_begin[i]; k < c->reverse_begin[i + 1]; k++) {
        sum += s->reverse[k] * (own - p[c->reverse[k] / NEIGHBOURS]);
    }
    return sum;
}

static f4 residual(const void *context, int i)
{
    const system *s = context;
    return s->b[i] - product(s, s->c->e, i);
}

static float inverse(const void *context, int i)
{
    return 1.0f / ((const system *)context)->diagonal[i];
}

// --- rotations of neighbourhoods --------------------------------------------------------------

static void rotation_range(void *context, int block, int begin, int end)
{
    (void)block;
    system *s = context;
    const wri_clay *c = s->c;
    for (int i = begin; i < end; i++) {
        double sum[3][3] = {{0}}, R[3][3];
        for (int k = 0; k < NEIGHBOURS; k++) {
            f4 u = c->u[i * NEIGHBOURS + k], e = c->e[c->neighbours[i * NEIGHBOURS + k]] - c->e[i];
            for (int a = 0; a < 9; a++) {
                sum[a / 3][a % 3] += (double)(u[3] * u[3] * e[a / 3]) * (double)u[a % 3];
            }
        }
        wri_polar3d((const double(*)[3])sum, R, NULL);
        for (int a = 0; a < 9; a++) {
            s->R[i][a / 3][a % 3] = (float)R[a / 3][a % 3];
        }
    }
}

// --- shifts of parts --------------------------------------------------------------------------

typedef struct shift {
    double mass, sum[3];
} shift;

// Every part stays where it was in the mean.
static void take_back_shifts(wri_clay *c, const f4 *before, shift *shifts)
{
    memset(shifts, 0, (size_t)c->count * sizeof *shifts);
    for (int i = 0; i < c->count; i++) {
        shift *s = &shifts[c->component[i]];
        s->mass += (double)c->m[i];
        for (int k = 0; k < 3; k++) {
            s->sum[k] += (double)c->m[i] * ((double)c->e[i][k] - (double)before[i][k]);
        }
    }
    for (int i = 0; i < c->count; i++) {
        const shift *s = &shifts[c->component[i]];
        for (int k = 0; k < 3; k++) {
            c->e[i][k] -= (float)(s->sum[k] / s->mass);
        }
    }
}

// --- all of it --------------------------------------------------------------------------------

static float mean_spacing(const wri_clay *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) {
        sum += 2.0 * (double)c->radius[i];
    }
    return (float)(sum / c->count);
}

// Iterations, -1: out of memory.
static int solve(system *s, float near, const wr_tasks *tasks, wr_scratch *scratch)
{
    wri_clay *c = s->c;
    const wri_clay_system equations = {.count = c->count,
                                       .x = c->e,
                                       .context = s,
                                       .residual = residual,
                                       .product = product,
                                       .inverse = inverse,
                                       .near = near,
                                       .iterations_max = ITERATIONS_MAX};
    wri_parallel_for(tasks, c->count, GRAIN, set_up_range, s);
    return wri_clay_solve(&equations, tasks, scratch);
}

static bool embed(system *s, const wr_tasks *tasks, wr_scratch *scratch)
{
    wri_clay *c = s->c;
    int rounds = s->R ? ROTATIONS : 1, done = 0;
    float near = NEAR * mean_spacing(c);
    c->iterations = 0;
    for (int round = 0; round < rounds && done >= 0; round++) {
        if (s->R) {
            wri_parallel_for(tasks, c->count, GRAIN, rotation_range, s);
        }
        done = solve(s, near, tasks, scratch);
        c->iterations += done;
    }
    return done >= 0;
}

bool wri_clay_embed(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch)
{
    size_t used = scratch->used, n = (size_t)c->count;
    bool turns = c->parameters.embedding == WR_CLAY_EMBED_NONLINEAR;
    system s = {.c = c,
                .own = wr_scratch_push(scratch, n * NEIGHBOURS, sizeof(float)),
                .reverse = wr_scratch_push(scratch, n * NEIGHBOURS, sizeof(float)),
                .b = wr_scratch_push(scratch, n, sizeof(f4)),
                .diagonal = wr_scratch_push(scratch, n, sizeof(float))};
    f4 *before = wr_scratch_push(scratch, n, sizeof *before);
    shift *shifts = wr_scratch_push(scratch, n, sizeof *shifts);
    s.R = turns ? wr_scratch_push(scratch, n, sizeof *s.R) : NULL;
    bool ok = s.own && s.reverse && s.b && s.diagonal && before && shifts && (s.R || !turns);
    if (ok) {
        memcpy(before, c->e, n * sizeof *before);
        ok = embed(&s, tasks, scratch);
        take_back_shifts(c, before, shifts);
    }
    if (ok) {
        memset(c->flowed, 0, n * sizeof *c->flowed);
        c->state.embeddings += 1.0;
    }
    scratch->used = used;
    return ok;
}
