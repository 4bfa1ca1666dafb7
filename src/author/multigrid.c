// multigrid.c: V-cycles with Gauss-Seidel smoothing, forwards on the way down and backwards on the
// way up, so that the whole is symmetric.
//
// Vertices that are not free are cut off from the interpolation (R. Kornhuber. Monotone multigrid
// methods for elliptic variational inequalities I. Numer. Math. 69, 1994), but coarse Laplacians
// are the same for all columns: an aggregate is free when all its members are. (When half of them
// suffice it takes three times the steps.)
#include "multigrid.h"

enum { LAST_SWEEPS = 4 };

bool wri_cycle_create(wri_cycle *out, wri_arena *arena, const wri_hierarchy *hierarchy, int first)
{
    *out = (wri_cycle){.hierarchy = hierarchy, .first = first};
    for (int k = first; k < hierarchy->count; k++) {
        size_t n = (size_t)hierarchy->levels[k].laplacian.stiffness.size;
        wri_cycle_level *l = &out->levels[k];
        l->x = wri_arena_alloc(arena, n, sizeof *l->x);
        l->b = wri_arena_alloc(arena, n, sizeof *l->b);
        l->is_free = wri_arena_alloc(arena, n, sizeof *l->is_free);
        l->any_free = wri_arena_alloc(arena, n, 1);
        if (!l->x || !l->b || !l->is_free || !l->any_free) {
            return false;
        }
    }
    return true;
}

static void note_any(wri_cycle_level *l, int size)
{
    for (int i = 0; i < size; i++) {
        float sum = 0.0f;
        for (int c = 0; c < WRI_WIDTH; c++) {
            sum += l->is_free[i][c];
        }
        l->any_free[i] = sum > 0.0f;
        if (!l->any_free[i]) { // no sweep comes by here
            l->x[i] = (wri_row){0};
        }
    }
}

void wri_cycle_mask(wri_cycle *cycle)
{
    const wri_hierarchy *h = cycle->hierarchy;
    note_any(&cycle->levels[cycle->first], h->levels[cycle->first].laplacian.stiffness.size);
    for (int k = cycle->first; k + 1 < h->count; k++) {
        const wri_grid_level *fine = &h->levels[k], *coarse = fine + 1;
        wri_cycle_level *from = &cycle->levels[k], *to = from + 1;
        int count = coarse->laplacian.stiffness.size;
        for (int i = 0; i < count; i++) {
            float value = coarse->key[i] < 0 ? 1.0f : 0.0f;
            to->is_free[i] = (wri_row){value, value, value, value};
        }
        for (int i = 0; i < fine->laplacian.stiffness.size; i++) {
            to->is_free[fine->aggregate[i]] *= from->is_free[i];
        }
        note_any(to, count);
    }
}

// --- smoothing --------------------------------------------------------------------------------

// Returns sum - entries [from, to) of a row times x.
static inline wri_row subtract(const wri_grid_level *l, int from, int to, const wri_row *x,
                               wri_row sum)
{
    const int *index = l->laplacian.stiffness.index;
    for (int e = from; e < to; e++) {
        sum -= l->values[e] * x[index[e]];
    }
    return sum;
}

// The first sweep, from x = 0: only what comes earlier in the row is there yet.
static void sweep_from_zero(const wri_grid_level *l, wri_cycle_level *v)
{
    const int *begin = l->laplacian.stiffness.begin;
    for (int i = 0; i < l->laplacian.stiffness.size; i++) {
        if (v->any_free[i]) {
            wri_row sum = subtract(l, begin[i], l->diagonal[i], v->x, v->b[i]);
            v->x[i] = v->is_free[i] * (l->inverse[i] * sum);
        }
    }
}

static void sweep(const wri_grid_level *l, wri_cycle_level *v, bool forwards)
{
    const int *begin = l->laplacian.stiffness.begin;
    int size = l->laplacian.stiffness.size;
    for (int k = 0; k < size; k++) {
        int i = forwards ? k : size - 1 - k;
        if (v->any_free[i]) {
            wri_row sum = subtract(l, begin[i], begin[i + 1], v->x, v->b[i]);
            v->x[i] += v->is_free[i] * (l->inverse[i] * sum);
        }
    }
}

// --- between levels ---------------------------------------------------------------------------

// Restricts the residual after one sweep forwards: what came later in the row since.
static void restrict_residual(const wri_grid_level *l, const wri_cycle_level *v,
                              wri_cycle_level *to, int coarse_count)
{
    const int *begin = l->laplacian.stiffness.begin;
    memset(to->b, 0, (size_t)coarse_count * sizeof *to->b);
    for (int i = 0; i < l->laplacian.stiffness.size; i++) {
        if (v->any_free[i]) {
            wri_row r = subtract(l, l->diagonal[i] + 1, begin[i + 1], v->x, (wri_row){0});
            r *= v->is_free[i];
            for (int e = l->begin[i]; e < l->begin[i + 1]; e++) {
                to->b[l->index[e]] += l->weight[e] * r;
            }
        }
    }
}

static void prolong(const wri_grid_level *l, wri_cycle_level *v, const wri_cycle_level *from)
{
    for (int i = 0; i < l->laplacian.stiffness.size; i++) {
        if (v->any_free[i]) {
            wri_row sum = {0};
            for (int e = l->begin[i]; e < l->begin[i + 1]; e++) {
                sum += l->weight[e] * from->x[l->index[e]];
            }
            v->x[i] += v->is_free[i] * sum;
        }
    }
}

void wri_cycle_run(wri_cycle *cycle)
{
    const wri_hierarchy *h = cycle->hierarchy;
    int last = h->count - 1;
    for (int k = cycle->first; k <= last; k++) {
        sweep_from_zero(&h->levels[k], &cycle->levels[k]);
        if (k < last) {
            restrict_residual(&h->levels[k], &cycle->levels[k], &cycle->levels[k + 1],
                              h->levels[k + 1].laplacian.stiffness.size);
        }
    }
    for (int s = 1; s < 2 * LAST_SWEEPS; s++) { // the first was made above
        sweep(&h->levels[last], &cycle->levels[last], s < LAST_SWEEPS);
    }
    for (int k = last - 1; k >= cycle->first; k--) {
        prolong(&h->levels[k], &cycle->levels[k], &cycle->levels[k + 1]);
        sweep(&h->levels[k], &cycle->levels[k], false);
    }
}
