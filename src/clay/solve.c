// solve.c: conjugate gradients, preconditioned with a diagonal.
//
// A singular system that has a solution needs nothing special: directions are made of residuals,
// which lie in the range of A. Sums are those of blocks, in their order: the same bits for any
// number of threads.
#include "solve.h"

typedef struct iteration {
    const wri_clay_system *system;
    f4 *r, *p, *Ap;  // residual, direction and its image
    double *partial; // per block
    float *largest;  // per block: |D^-1 r|^2
    float alpha, beta;
} iteration;

static double dot_of(f4 a, f4 b)
{
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2];
}

static void start_range(void *context, int block, int begin, int end)
{
    iteration *s = context;
    const wri_clay_system *a = s->system;
    double rz = 0.0;
    float largest = 0.0f;
    for (int i = begin; i < end; i++) {
        s->r[i] = a->residual(a->context, i);
        s->p[i] = a->inverse(a->context, i) * s->r[i];
        rz += dot_of(s->r[i], s->p[i]);
        largest = fmaxf(largest, f4_dot(s->p[i], s->p[i]));
    }
    s->partial[block] = rz;
    s->largest[block] = largest;
}

static void apply_range(void *context, int block, int begin, int end)
{
    iteration *s = context;
    const wri_clay_system *a = s->system;
    double pAp = 0.0;
    for (int i = begin; i < end; i++) {
        s->Ap[i] = a->product(a->context, s->p, i);
        pAp += dot_of(s->p[i], s->Ap[i]);
    }
    s->partial[block] = pAp;
}

static void advance_range(void *context, int block, int begin, int end)
{
    iteration *s = context;
    const wri_clay_system *a = s->system;
    double rz = 0.0;
    float largest = 0.0f;
    for (int i = begin; i < end; i++) {
        a->x[i] += s->alpha * s->p[i];
        s->r[i] -= s->alpha * s->Ap[i];
        f4 z = a->inverse(a->context, i) * s->r[i];
        rz += dot_of(s->r[i], z);
        largest = fmaxf(largest, f4_dot(z, z));
    }
    s->partial[block] = rz;
    s->largest[block] = largest;
}

static void direct_range(void *context, int block, int begin, int end)
{
    (void)block;
    iteration *s = context;
    const wri_clay_system *a = s->system;
    for (int i = begin; i < end; i++) {
        s->p[i] = a->inverse(a->context, i) * s->r[i] + s->beta * s->p[i];
    }
}

static double sum_of(const iteration *s)
{
    double sum = 0.0;
    for (int i = 0; i < wri_block_count(s->system->count, GRAIN); i++) {
        sum += s->partial[i];
    }
    return sum;
}

static float largest_of(const iteration *s)
{
    float largest = 0.0f;
    for (int i = 0; i < wri_block_count(s->system->count, GRAIN); i++) {
        largest = fmaxf(largest, s->largest[i]);
    }
    return sqrtf(largest);
}

static int iterate(iteration *s, const wr_tasks *tasks)
{
    const wri_clay_system *a = s->system;
    int count = a->count, done = 0;
    wri_parallel_for(tasks, count, GRAIN, start_range, s);
    double rz = sum_of(s);
    float near = fmaxf(a->near, a->near_share * largest_of(s));
    while (largest_of(s) > near && done < a->iterations_max) {
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
        done++;
    }
    return done;
}

int wri_clay_solve(const wri_clay_system *system, const wr_tasks *tasks, wr_scratch *scratch)
{
    size_t used = scratch->used, n = (size_t)system->count;
    size_t blocks = (size_t)wri_block_count(system->count, GRAIN);
    iteration s = {.system = system,
                   .r = wr_scratch_push(scratch, n, sizeof(f4)),
                   .p = wr_scratch_push(scratch, n, sizeof(f4)),
                   .Ap = wr_scratch_push(scratch, n, sizeof(f4)),
                   .partial = wr_scratch_push(scratch, blocks, sizeof(double)),
                   .largest = wr_scratch_push(scratch, blocks, sizeof(float))};
    bool ok = s.r && s.p && s.Ap && s.partial && s.largest;
    int done = ok ? iterate(&s, tasks) : -1;
    scratch->used = used;
    return done;
}
