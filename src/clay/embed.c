// embed.c: the one shape in space that comes nearest to all rest shapes.
//
//     argmin_e sum_ij w_ij^2 |u_ij - (e_j - e_i)|^2                      thesis eq. 3.9
//     C^T C e = b,   b_i = sum_{k: i in n(k)} w_ki^2 u_ki - sum_{j in n(i)} w_ij^2 u_ij
//
// Neighbourhoods are not symmetric: the diagonal of C^T C is sum_j w_ij^2 + sum_k w_ki^2, off it
// lies
// -(w_ij^2 + w_ji^2) (eq. 3.12 holds for symmetric ones). Conjugate gradients, preconditioned with
// the diagonal, begin at the last e. The system is singular, each part may be shifted, but has a
// solution: nothing is pinned, which would take twice the iterations; what a part was shifted by is
// taken back at the end.
//
// Nonlinear: rest vectors are turned by the rotation of their neighbourhood that fits e best, and
// the system is solved again. Without it, rotations between neighbourhoods become stretch.
#include "clay.h"

#include "../math/decompose.h"

enum { ITERATIONS_MAX = 200, ROTATIONS = 4, AHEAD = 12 };
static const float NEAR = 1e-3f; // of the spacing: error of e that ends the iteration

typedef struct solve {
    wri_clay *c;
    f4 *r, *p, *Ap, *b; // residual, direction and its image, right side
    float *diagonal;
    float (*R)[3][3]; // rotation of each neighbourhood, NULL: none
    double *partial;  // per block
    float *largest;   // per block: |r_i / D_ii|
    float alpha, beta;
} solve;

// --- the system -------------------------------------------------------------------------------

static f4 rest_of(const solve *s, int edge)
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

static void set_up_range(void *context, int block, int begin, int end)
{
    (void)block;
    solve *s = context;
    const wri_clay *c = s->c;
    for (int i = begin; i < end; i++) {
        f4 b = {0};
        float diagonal = 0.0f;
        for (int k = 0; k < NEIGHBOURS; k++) {
            f4 u = rest_of(s, i * NEIGHBOURS + k);
            b -= u[3] * u[3] * u;
            diagonal += u[3] * u[3];
        }
        for (int k = c->reverse_begin[i]; k < c->reverse_begin[i + 1]; k++) {
            f4 u = rest_of(s, c->reverse[k]);
            b += u[3] * u[3] * u;
            diagonal += u[3] * u[3];
        }
        b[3] = 0.0f;
        s->b[i] = b;
        s->diagonal[i] = diagonal > 0.0f ? diagonal : 1.0f;
    }
}

static f4 product(const wri_clay *c, const f4 *p, int i)
{
    f4 sum = {0}, own = p[i];
    for (int k = 0; k < NEIGHBOURS; k++) { // eq. 3.12
        float w = c->u[i * NEIGHBOURS + k][3];
        sum += w * w * (own - p[c->neighbours[i * NEIGHBOURS + k]]);
    }
    for (int k = c->reverse_begin[i]; k < c->reverse_begin[i + 1]; k++) {
        int edge = c->reverse[k];
        float w = c->u[edge][3];
        __builtin_prefetch(&c->u[c->reverse[k + AHEAD]]);
        sum += w * w * (own - p[edge / NEIGHBOURS]);
    }
    return sum;
}

// --- conjugate gradients ----------------------------------------------------------------------

static double dot_of(f4 a, f4 b)
{
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2];
}

static void start_range(void *context, int block, int begin, int end)
{
    solve *s = context;
    double rz = 0.0;
    float largest = 0.0f;
    for (int i = begin; i < end; i++) {
        s->r[i] = s->b[i] - product(s->c, s->c->e, i);
        f4 z = s->r[i] / s->diagonal[i];
        s->p[i] = z;
        rz += dot_of(s->r[i], z);
        largest = fmaxf(largest, f4_dot(z, z));
    }
    s->partial[block] = rz;
    s->largest[block] = largest;
}

static void apply_range(void *context, int block, int begin, int end)
{
    solve *s = context;
    double pAp = 0.0;
    for (int i = begin; i < end; i++) {
        s->Ap[i] = product(s->c, s->p, i);
        pAp += dot_of(s->p[i], s->Ap[i]);
    }
    s->partial[block] = pAp;
}

static void advance_range(void *context, int block, int begin, int end)
{
    solve *s = context;
    double rz = 0.0;
    float largest = 0.0f;
    for (int i = begin; i < end; i++) {
        s->c->e[i] += s->alpha * s->p[i];
        s->r[i] -= s->alpha * s->Ap[i];
        f4 z = s->r[i] / s->diagonal[i];
        rz += dot_of(s->r[i], z);
        largest = fmaxf(largest, f4_dot(z, z));
    }
    s->partial[block] = rz;
    s->largest[block] = largest;
}

static void direct_range(void *context, int block, int begin, int end)
{
    (void)block;
    solve *s = context;
    for (int i = begin; i < end; i++) {
        s->p[i] = s->r[i] / s->diagonal[i] + s->beta * s->p[i];
    }
}

static double sum_of(const solve *s)
{
    double sum = 0.0;
    for (int i = 0; i < wri_block_count(s->c->count, GRAIN); i++) {
        sum += s->partial[i];
    }
    return sum;
}

static float largest_of(const solve *s)
{
    float largest = 0.0f;
    for (int i = 0; i < wri_block_count(s->c->count, GRAIN); i++) {
        largest = fmaxf(largest, s->largest[i]);
    }
    return sqrtf(largest);
}

static int iterate(solve *s, float near, const wr_tasks *tasks)
{
    int count = s->c->count, iteration = 0;
    wri_parallel_for(tasks, count, GRAIN, set_up_range, s);
    wri_parallel_for(tasks, count, GRAIN, start_range, s);
    double rz = sum_of(s);
    while (largest_of(s) > near && iteration < ITERATIONS_MAX) {
        wri_parallel_for(tasks, count, GRAIN, apply_range, s);
        double pAp = sum_of(s);
        if (!(pAp > 0.0)) {
            break;
        }
        s->alpha = (float)(rz / pAp);
        wri_parallel_for(tasks, count, GRAIN, advance_range, s);
        double next = sum_of(s);
        s->beta = (float)(next / rz);
        rz = next;
        wri_parallel_for(tasks, count, GRAIN, direct_range, s);
        iteration++;
    }
    return iteration;
}

// --- rotations of neighbourhoods --------------------------------------------------------------

static void rotation_range(void *context, int block, int begin, int end)
{
    (void)block;
    solve *s = context;
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

bool wri_clay_embed(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch)
{
    size_t used = scratch->used, n = (size_t)c->count;
    size_t blocks = (size_t)wri_block_count(c->count, GRAIN);
    bool turns = c->parameters.embedding == WR_CLAY_EMBED_NONLINEAR;
    solve s = {.c = c,
               .r = wr_scratch_push(scratch, n, sizeof(f4)),
               .p = wr_scratch_push(scratch, n, sizeof(f4)),
               .Ap = wr_scratch_push(scratch, n, sizeof(f4)),
               .b = wr_scratch_push(scratch, n, sizeof(f4)),
               .diagonal = wr_scratch_push(scratch, n, sizeof(float)),
               .partial = wr_scratch_push(scratch, blocks, sizeof(double)),
               .largest = wr_scratch_push(scratch, blocks, sizeof(float))};
    f4 *before = wr_scratch_push(scratch, n, sizeof *before);
    shift *shifts = wr_scratch_push(scratch, n, sizeof *shifts);
    s.R = turns ? wr_scratch_push(scratch, n, sizeof *s.R) : NULL;
    bool ok = s.r && s.p && s.Ap && s.b && s.diagonal && s.partial && s.largest && before &&
              shifts && (s.R || !turns);
    if (ok) {
        memcpy(before, c->e, n * sizeof *before);
        c->iterations = 0;
        for (int round = 0; round < (turns ? ROTATIONS : 1); round++) {
            if (turns) {
                wri_parallel_for(tasks, c->count, GRAIN, rotation_range, &s);
            }
            c->iterations += iterate(&s, NEAR * mean_spacing(c), tasks);
        }
        take_back_shifts(c, before, shifts);
        memset(c->flowed, 0, n * sizeof *c->flowed);
        c->state.embeddings += 1.0;
    }
    scratch->used = used;
    return ok;
}
