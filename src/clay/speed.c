// speed.c: the fastest oscillation of a body, which decides how long a substep may be.
//
// Near rest the forces are linear: f = -K d for displacements d, with
//
//     D_i = (sum_j w_ij d_ij u_ij^T) A_i^-1,   P_i = 2 mu D_i + lambda tr(D_i) I
//
// and the sums of elastic.c. With g_ij = w_ij A_i^-1 u_ij and g_ii = -sum_j g_ij the rows of M^-1 K
// are no larger than
//
//     omega^2 <= max_p 1/m_p sum_i V_i (lambda + 2 mu) |g_ip| (sum_k |g_ik| + |sum_k g_ik|)
//
// with twice the hourglass stiffness of each pair. That holds for every body and is about twice too
// large for most, since signs are lost. How much too large is measured at the start, by power
// iteration of M^-1 K, and a margin is kept. Later the bound follows what flows: what it grows by
// counts in full, since it comes from a few particles that are squeezed flat, for which it is
// nearly sharp.
#include "clay.h"

typedef struct bound {
    const wri_clay *c;
    float *sums;    // per particle: sum |g_ik| + |sum g_ik|
    float *fastest; // per block: 1/s^2
} bound;

static float size_of_gradient(const wri_clay *c, int i, f4 v)
{
    f4 g = wri_clay_apply_inverse(c, i, v);
    return sqrtf(f4_dot(g, g));
}

static void sum_range(void *context, int block, int begin, int end)
{
    (void)block;
    bound *b = context;
    for (int i = begin; i < end; i++) {
        float sum = size_of_gradient(b->c, i, wri_clay_sum_of_rests(b->c, i));
        for (int k = 0; k < NEIGHBOURS; k++) {
            f4 u = b->c->u[i * NEIGHBOURS + k];
            sum += u[3] * size_of_gradient(b->c, i, u);
        }
        b->sums[i] = sum;
    }
}

// V_i (lambda + 2 mu) (sum |g_ik| + |sum g_ik|), which times |g_ip| is what i adds to row p.
static float row_of_stresses(const bound *b, int i)
{
    const wri_clay_moduli *m = &b->c->moduli;
    return wri_clay_volume(b->c, i) * b->c->soften[i] * (m->lambda + 2.0f * m->mu) * b->sums[i];
}

static float hourglass_of(const wri_clay *c, int i)
{
    return wri_clay_hourglass(c) * wri_clay_firmness(c, i);
}

static void fastest_range(void *context, int block, int begin, int end)
{
    bound *b = context;
    const wri_clay *c = b->c;
    float most = 0.0f;
    for (int p = begin; p < end; p++) {
        float row = size_of_gradient(c, p, wri_clay_sum_of_rests(c, p)) * row_of_stresses(b, p);
        for (int k = 0; k < NEIGHBOURS; k++) {
            row += 2.0f * hourglass_of(c, p) * c->u[p * NEIGHBOURS + k][3];
        }
        for (int k = c->reverse_begin[p]; k < c->reverse_begin[p + 1]; k++) {
            int edge = c->reverse[k], i = edge / NEIGHBOURS;
            f4 u = c->u[edge];
            row += u[3] *
                   (size_of_gradient(c, i, u) * row_of_stresses(b, i) + 2.0f * hourglass_of(c, i));
        }
        most = fmaxf(most, row / c->m[p]);
    }
    b->fastest[block] = most;
}

static float bound_speed(const wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch)
{
    size_t used = scratch->used;
    int blocks = wri_block_count(c->count, GRAIN);
    bound b = {c, wr_scratch_push(scratch, (size_t)c->count, sizeof(float)),
               wr_scratch_push(scratch, (size_t)blocks, sizeof(float))};
    float most = 0.0f;
    if (b.sums && b.fastest) {
        wri_parallel_for(tasks, c->count, GRAIN, sum_range, &b);
        wri_parallel_for(tasks, c->count, GRAIN, fastest_range, &b);
        for (int i = 0; i < blocks; i++) {
            most = fmaxf(most, b.fastest[i]);
        }
    }
    scratch->used = used;
    return sqrtf(most);
}

// --- power iteration --------------------------------------------------------------------------

typedef struct vibration {
    const wri_clay *c;
    f4 *d, *force, *T; // displacements, -K d, records as in elastic.c
    double *partial;   // per block: m |M^-1 K d|^2
    float scale;
} vibration;

f4 wri_clay_noise(uint32_t id)
{
    f4 d = {0};
    for (int k = 0; k < 3; k++) {
        uint32_t x = (id * 3u + (uint32_t)k + 1u) * 2654435761u;
        x = (x ^ x >> 15) * 2246822519u;
        d[k] = (float)(x >> 8) / 8388608.0f - 1.0f;
    }
    return d;
}

static void stress_range(void *context, int block, int begin, int end)
{
    (void)block;
    const vibration *v = context;
    const wri_clay *c = v->c;
    for (int i = begin; i < end; i++) {
        f4 columns[3] = {{0}, {0}, {0}}, pull = {0}, P[3], *T = &v->T[i * RECORD_ROWS];
        for (int k = 0; k < NEIGHBOURS; k++) {
            f4 u = c->u[i * NEIGHBOURS + k];
            f4 arm = u[3] * (v->d[c->neighbours[i * NEIGHBOURS + k]] - v->d[i]);
            pull += arm;
            columns[0] += u[0] * arm;
            columns[1] += u[1] * arm;
            columns[2] += u[2] * arm;
        }
        f4 D[3], inverse[3]; // columns
        for (int k = 0; k < 3; k++) {
            f4 unit = {k == 0, k == 1, k == 2, 0.0f};
            inverse[k] = wri_clay_apply_inverse(c, i, unit);
            D[k] = columns[0] * inverse[k][0] + columns[1] * inverse[k][1] +
                   columns[2] * inverse[k][2];
        }
        float mu = c->soften[i] * c->moduli.mu, volume = wri_clay_volume(c, i);
        float pressure = c->soften[i] * c->moduli.lambda * (D[0][0] + D[1][1] + D[2][2]);
        float Vc = hourglass_of(c, i);
        for (int k = 0; k < 3; k++) {
            P[k] = 2.0f * mu * D[k];
            P[k][k] += pressure;
        }
        f4 rests = wri_clay_sum_of_rests(c, i), force = Vc * pull;
        for (int k = 0; k < 3; k++) {
            T[k] = volume * (P[0] * inverse[k][0] + P[1] * inverse[k][1] + P[2] * inverse[k][2]) -
                   Vc * D[k];
            force += rests[k] * T[k];
        }
        T[3] = v->d[i];
        T[3][3] = Vc;
        v->force[i] = force;
    }
}

static void force_range(void *context, int block, int begin, int end)
{
    vibration *v = context;
    const wri_clay *c = v->c;
    double sum = 0.0;
    for (int p = begin; p < end; p++) {
        f4 force = v->force[p];
        for (int k = c->reverse_begin[p]; k < c->reverse_begin[p + 1]; k++) {
            f4 u = c->u[c->reverse[k]];
            const f4 *T = &v->T[c->reverse[k] / NEIGHBOURS * RECORD_ROWS];
            force -= u[3] * (T[0] * u[0] + T[1] * u[1] + T[2] * u[2] + T[3][3] * (v->d[p] - T[3]));
        }
        force[3] = 0.0f;
        v->force[p] = force;
        sum += (double)f4_dot(force, force) / (double)c->m[p];
    }
    v->partial[block] = sum;
}

static void scale_range(void *context, int block, int begin, int end)
{
    (void)block;
    vibration *v = context;
    for (int i = begin; i < end; i++) {
        v->d[i] = v->scale * v->force[i] / v->c->m[i];
    }
}

// omega of the fastest oscillation, from below: the growth of |d| in the norm of the masses.
static float measure_speed(const wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch)
{
    enum { ITERATIONS = 40 };
    size_t used = scratch->used, n = (size_t)c->count;
    int blocks = wri_block_count(c->count, GRAIN);
    vibration v = {c,
                   wr_scratch_push(scratch, n, sizeof(f4)),
                   wr_scratch_push(scratch, n, sizeof(f4)),
                   wr_scratch_push(scratch, RECORD_ROWS * n, sizeof(f4)),
                   wr_scratch_push(scratch, (size_t)blocks, sizeof(double)),
                   1.0f};
    double growth = 0.0;
    bool ok = v.d && v.force && v.T && v.partial;
    for (int i = 0; ok && i < c->count; i++) {
        v.d[i] = wri_clay_noise(c->id[i]);
    }
    for (int k = 0; ok && k < ITERATIONS; k++) {
        wri_parallel_for(tasks, c->count, GRAIN, stress_range, &v);
        wri_parallel_for(tasks, c->count, GRAIN, force_range, &v);
        growth = 0.0; // |M^-1 K d|^2 in the norm of M, with |d| = 1
        for (int b = 0; b < blocks; b++) {
            growth += v.partial[b];
        }
        v.scale = growth > 0.0 ? (float)(1.0 / sqrt(growth)) : 0.0f;
        wri_parallel_for(tasks, c->count, GRAIN, scale_range, &v);
    }
    scratch->used = used;
    return (float)sqrt(sqrt(growth));
}

void wri_clay_measure_speed(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch)
{
    const float margin = 1.1f;
    float most = bound_speed(c, tasks, scratch), measured = measure_speed(c, tasks, scratch);
    c->state.omega_tightness = most > 0.0f ? fminf(margin * measured / most, 1.0f) : 1.0f;
    c->state.omega_start = most;
}

float wri_clay_fastest(const wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch)
{
    float most = bound_speed(c, tasks, scratch), start = c->state.omega_start;
    return c->state.omega_tightness * fminf(most, start) + fmaxf(most - start, 0.0f);
}
