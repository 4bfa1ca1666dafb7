// viscosity.c: inner friction between particles.
//
//     f_ij = k_ij (v_ij . x^) x^,   k_ij = 15 eta V_i w_ij / sum_k w_ik |u_ik|^2
//
// along the line between them: unlike eq. 3.8 it does not brake a body that spins as a whole, and
// keeps both momenta. For a velocity gradient D the power of all pairs of i is then, in the mean
// over directions, sum_j k_ij |u|^2 2 D:D / 15 = 2 eta V_i D:D, which is what the viscosity eta
// means.
//
// Explicit, it is part of the stresses and forces of elastic.c. Implicit: (M + dt K) v' = M v, by
// solve.c. Preconditioned with M every iterate keeps both momenta, as M^-1 r is a sum of central
// impulses. What a grip holds has no M^-1 and keeps its velocity.
#include "solve.h"

enum { ITERATIONS_MAX = 60 };
static const float TINY = 1e-30f; // m^2, so that 0/0 is 0
static const float NEAR = 0.01f;  // of the largest change of velocity that was left at first

static float coefficient(const wri_clay *c, int i)
{
    return wri_clay_pair_viscosity(c) * wri_clay_firmness(c, i);
}

// What a pair does to the particle at whose end `arm` begins; v: the other's velocity beyond its
// own.
static f4 pair_force(float k, f4 arm, f4 v)
{
    return k * f4_dot(v, arm) / (f4_dot(arm, arm) + TINY) * arm;
}

// The force that velocities v bring about at particle i: -K v.
static f4 force_at(const wri_clay *c, const f4 *v, int i)
{
    f4 sum = {0}, x = c->x[i], own = v[i];
    float k = coefficient(c, i);
    for (int n = 0; n < NEIGHBOURS; n++) {
        int j = c->neighbours[i * NEIGHBOURS + n];
        sum += pair_force(k * c->u[i * NEIGHBOURS + n][3], c->x[j] - x, v[j] - own);
    }
    for (int n = c->reverse_begin[i]; n < c->reverse_begin[i + 1]; n++) {
        int edge = c->reverse[n], j = edge / NEIGHBOURS;
        sum += pair_force(coefficient(c, j) * c->u[edge][3], c->x[j] - x, v[j] - own);
    }
    sum[3] = 0.0f;
    return sum;
}

f4 wri_clay_viscous_force(const wri_clay *c, int i)
{
    return force_at(c, c->v, i);
}

// A bound of the eigenvalues of M^-1 K: twice the diagonal, as if all pairs lay on one line.
static float bound_decay(const wri_clay *c)
{
    float most = 0.0f;
    for (int i = 0; i < c->count; i++) {
        float sum = 0.0f;
        for (int n = 0; n < NEIGHBOURS; n++) {
            sum += coefficient(c, i) * c->u[i * NEIGHBOURS + n][3];
        }
        for (int n = c->reverse_begin[i]; n < c->reverse_begin[i + 1]; n++) {
            int edge = c->reverse[n];
            sum += coefficient(c, edge / NEIGHBOURS) * c->u[edge][3];
        }
        most = fmaxf(most, 2.0f * sum / c->m[i]);
    }
    return most;
}

// --- the fastest decay ------------------------------------------------------------------------

typedef struct decay {
    const wri_clay *c;
    f4 *d, *next;
    double *partial; // per block: m |M^-1 K d|^2
} decay;

static void decay_range(void *context, int block, int begin, int end)
{
    decay *s = context;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        s->next[i] = -force_at(s->c, s->d, i) / s->c->m[i];
        sum += (double)s->c->m[i] * (double)f4_dot(s->next[i], s->next[i]);
    }
    s->partial[block] = sum;
}

// As wri_clay_measure_speed: power iteration, once.
void wri_clay_measure_decay(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch)
{
    enum { ITERATIONS = 30 };
    const float margin = 1.1f;
    size_t used = scratch->used, n = (size_t)c->count;
    int blocks = wri_block_count(c->count, GRAIN);
    decay s = {c, wr_scratch_push(scratch, n, sizeof(f4)), wr_scratch_push(scratch, n, sizeof(f4)),
               wr_scratch_push(scratch, (size_t)blocks, sizeof(double))};
    bool ok = c->moduli.eta > 0.0f && s.d && s.next && s.partial;
    double growth = 0.0;
    for (int i = 0; ok && i < c->count; i++) {
        s.d[i] = wri_clay_noise(c->id[i]);
    }
    for (int k = 0; ok && k < ITERATIONS; k++) {
        wri_parallel_for(tasks, c->count, GRAIN, decay_range, &s);
        growth = 0.0;
        for (int b = 0; b < blocks; b++) {
            growth += s.partial[b];
        }
        for (int i = 0; i < c->count && growth > 0.0; i++) {
            s.d[i] = s.next[i] / (float)sqrt(growth);
        }
    }
    float most = bound_decay(c);
    c->state.decay_tightness =
        growth > 0.0 && most > 0.0f ? fminf(margin * (float)sqrt(growth) / most, 1.0f) : 1.0f;
    c->state.decay_start = most;
    scratch->used = used;
}

float wri_clay_fastest_decay(const wri_clay *c)
{
    float most = bound_decay(c), start = c->state.decay_start;
    return c->state.decay_tightness * fminf(most, start) + fmaxf(most - start, 0.0f);
}

// --- implicit ---------------------------------------------------------------------------------

typedef struct system {
    const wri_clay *c;
    float dt;
} system;

static f4 residual(const void *context, int i) // M v - (M + dt K) v = -dt K v
{
    const system *s = context;
    return s->dt * force_at(s->c, s->c->v, i);
}

static f4 product(const void *context, const f4 *p, int i)
{
    const system *s = context;
    return s->c->m[i] * p[i] - s->dt * force_at(s->c, p, i);
}

static float inverse(const void *context, int i)
{
    return wri_clay_inverse_mass(((const system *)context)->c, i);
}

void wri_clay_solve_viscosity(wri_clay *c, float dt, const wr_tasks *tasks, wr_scratch *scratch)
{
    const system s = {c, dt};
    const wri_clay_system equations = {.count = c->count,
                                       .x = c->v,
                                       .context = &s,
                                       .residual = residual,
                                       .product = product,
                                       .inverse = inverse,
                                       .near_share = NEAR,
                                       .iterations_max = ITERATIONS_MAX};
    wri_clay_solve(&equations, tasks, scratch); // without memory it is less viscous in this step
}
