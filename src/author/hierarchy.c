// hierarchy.c: ever coarser copies of a Laplacian, by smoothed aggregation.
//
// P. Vanek, J. Mandel, M. Brezina. Algebraic multigrid by smoothed aggregation for second and
// fourth order elliptic problems. Computing 56, 1996. Vertices are put together with their
// neighbours; T carries a value of an aggregate to its members, P = (I - omega D^-1 L) T smooths
// that, the coarse Laplacian is P' L P and the coarse masses are the sums of P' M. Held vertices
// only go together with others fixed at the same values, and their values are carried unsmoothed.
#include "hierarchy.h"

#define OMEGA 0.6
#define WEAK 0.02 // edges under this part of the diagonals do not join vertices

// --- aggregates -------------------------------------------------------------------------------

static bool are_joined(const wri_grid_level *l, int i, int e)
{
    const wri_sparse *a = &l->laplacian.stiffness;
    int j = a->index[e];
    double both = a->values[l->diagonal[i]] * a->values[l->diagonal[j]];
    return j != i && l->key[i] == l->key[j] &&
           (l->key[i] >= 0 || a->values[e] < -WEAK * sqrt(fmax(both, 0.0)));
}

// Makes aggregates of whole neighbourhoods first.
static int start_aggregates(const wri_grid_level *l, int *aggregate)
{
    const wri_sparse *a = &l->laplacian.stiffness;
    int count = 0;
    for (int i = 0; i < a->size; i++) {
        bool is_untouched = aggregate[i] < 0;
        for (int e = a->begin[i]; is_untouched && e < a->begin[i + 1]; e++) {
            is_untouched = !are_joined(l, i, e) || aggregate[a->index[e]] < 0;
        }
        for (int e = a->begin[i]; is_untouched && e < a->begin[i + 1]; e++) {
            if (are_joined(l, i, e)) {
                aggregate[a->index[e]] = count;
            }
        }
        if (is_untouched) {
            aggregate[i] = count++;
        }
    }
    return count;
}

// The others join the neighbour they hang on most; `joined` keeps chains from growing.
static int finish_aggregates(const wri_grid_level *l, int *aggregate, int *joined, int count)
{
    const wri_sparse *a = &l->laplacian.stiffness;
    for (int i = 0; i < a->size; i++) {
        int best = -1;
        for (int e = a->begin[i]; aggregate[i] < 0 && e < a->begin[i + 1]; e++) {
            if (are_joined(l, i, e) && aggregate[a->index[e]] >= 0 &&
                (best < 0 || a->values[e] < a->values[best])) {
                best = e;
            }
        }
        joined[i] = best < 0 ? aggregate[i] : aggregate[a->index[best]];
    }
    memcpy(aggregate, joined, (size_t)a->size * sizeof *aggregate);
    for (int i = 0; i < a->size; i++) {
        aggregate[i] = aggregate[i] < 0 ? count++ : aggregate[i];
    }
    return count;
}

// --- interpolation ----------------------------------------------------------------------------

// Runs first with l->index NULL to count, then again to fill.
static int interpolate_rows(wri_grid_level *l, int *mark)
{
    const wri_sparse *a = &l->laplacian.stiffness;
    int n = 0;
    for (int i = 0; i < a->size; i++) {
        int first = n, last = l->key[i] >= 0 ? a->begin[i] : a->begin[i + 1];
        if (l->key[i] >= 0 && l->index) {
            l->index[n] = l->aggregate[i];
            l->weight[n] = 1.0f;
        }
        n += l->key[i] >= 0;
        for (int e = a->begin[i]; e < last; e++) {
            int j = a->index[e], to = l->aggregate[j], k = mark[to];
            double w = (i == j) - OMEGA * a->values[e] * (double)l->inverse[i];
            if (k < first) { // it is not yet in this row
                k = mark[to] = n++;
                if (l->index) {
                    l->index[k] = to;
                    l->weight[k] = 0.0f;
                }
            }
            if (l->index) {
                l->weight[k] += (float)w;
            }
        }
        if (l->index) {
            l->begin[i + 1] = n;
        }
    }
    return n;
}

static bool interpolate(wri_grid_level *l, wri_arena *arena, int coarse_count)
{
    size_t n = (size_t)l->laplacian.stiffness.size;
    int *mark = wri_alloc(&arena->allocator, (size_t)coarse_count, sizeof *mark);
    l->begin = wri_arena_alloc(arena, n + 1, sizeof *l->begin);
    if (!mark || !l->begin) {
        wri_free(&arena->allocator, mark, (size_t)coarse_count, sizeof *mark);
        return false;
    }
    memset(mark, 0xff, (size_t)coarse_count * sizeof *mark);
    size_t count = (size_t)interpolate_rows(l, mark);
    int *index = wri_arena_alloc(arena, count, sizeof *index);
    l->weight = wri_arena_alloc(arena, count, sizeof *l->weight);
    memset(mark, 0xff, (size_t)coarse_count * sizeof *mark);
    if (index && l->weight) {
        l->index = index;
        interpolate_rows(l, mark);
    }
    wri_free(&arena->allocator, mark, (size_t)coarse_count, sizeof *mark);
    return index && l->weight;
}

// --- the coarse Laplacian ---------------------------------------------------------------------

// The transposed interpolation P', row after row.
typedef struct transposed {
    int rows, entries;
    int *begin, *index;
    float *weight;
} transposed;

static void free_transposed(transposed *t, const wr_allocator *allocator)
{
    wri_free(allocator, t->begin, (size_t)t->rows + 2, sizeof *t->begin);
    wri_free(allocator, t->index, (size_t)t->entries, sizeof *t->index);
    wri_free(allocator, t->weight, (size_t)t->entries, sizeof *t->weight);
}

static bool transpose(transposed *t, const wri_grid_level *l, int coarse_count,
                      const wr_allocator *allocator)
{
    int size = l->laplacian.stiffness.size;
    *t = (transposed){.rows = coarse_count, .entries = l->begin[size]};
    t->begin = wri_alloc(allocator, (size_t)coarse_count + 2, sizeof *t->begin);
    t->index = wri_alloc(allocator, (size_t)t->entries, sizeof *t->index);
    t->weight = wri_alloc(allocator, (size_t)t->entries, sizeof *t->weight);
    if (!t->begin || !t->index || !t->weight) {
        free_transposed(t, allocator);
        return false;
    }
    for (int e = 0; e < t->entries; e++) {
        t->begin[l->index[e] + 2]++;
    }
    for (int c = 0; c < coarse_count; c++) {
        t->begin[c + 2] += t->begin[c + 1];
    }
    for (int i = 0; i < size; i++) {
        for (int e = l->begin[i]; e < l->begin[i + 1]; e++) {
            int k = t->begin[l->index[e] + 1]++;
            t->index[k] = i;
            t->weight[k] = l->weight[e];
        }
    }
    return true;
}

// Computes row c of P' L P: columns into found, sums into sum.
static int product_row(const wri_grid_level *l, const transposed *t, int c, int *mark, int *found,
                       double *sum)
{
    const wri_sparse *a = &l->laplacian.stiffness;
    int count = 0;
    for (int k = t->begin[c]; k < t->begin[c + 1]; k++) {
        int i = t->index[k];
        for (int e = a->begin[i]; e < a->begin[i + 1]; e++) {
            double factor = (double)t->weight[k] * a->values[e];
            int j = a->index[e];
            for (int m = l->begin[j]; m < l->begin[j + 1]; m++) {
                int to = l->index[m];
                if (mark[to] != c) {
                    mark[to] = c;
                    sum[to] = 0.0;
                    found[count++] = to;
                }
                sum[to] += factor * (double)l->weight[m];
            }
        }
    }
    wri_sort_ints(found, count);
    return count;
}

typedef struct product {
    wri_array index, values;
    int *mark, *found;
    double *sum;
} product;

static bool add_rows(product *p, const wri_grid_level *l, const transposed *t, int *begin)
{
    for (int c = 0; c < t->rows; c++) {
        int count = product_row(l, t, c, p->mark, p->found, p->sum);
        int *index = wri_array_add(&p->index, count);
        double *values = wri_array_add(&p->values, count);
        if (!index || !values) {
            return false;
        }
        for (int k = 0; k < count; k++) {
            index[k] = p->found[k];
            values[k] = p->sum[p->found[k]];
        }
        begin[c + 1] = p->index.count;
    }
    return true;
}

static bool multiply(const wri_grid_level *l, const transposed *t, wri_sparse *out,
                     wri_arena *arena)
{
    const wr_allocator *allocator = &arena->allocator;
    size_t n = (size_t)t->rows;
    product p = {.index = wri_array_create(allocator, sizeof(int)),
                 .values = wri_array_create(allocator, sizeof(double)),
                 .mark = wri_alloc(allocator, n, sizeof(int)),
                 .found = wri_alloc(allocator, n, sizeof(int)),
                 .sum = wri_alloc(allocator, n, sizeof(double))};
    *out = (wri_sparse){.size = t->rows, .begin = wri_arena_alloc(arena, n + 1, sizeof(int))};
    bool ok = p.mark && p.found && p.sum && out->begin;
    if (ok) {
        memset(p.mark, 0xff, n * sizeof(int));
        ok = add_rows(&p, l, t, out->begin);
    }
    size_t count = (size_t)p.index.count;
    out->index = ok ? wri_arena_alloc(arena, count, sizeof(int)) : NULL;
    out->values = ok ? wri_arena_alloc(arena, count, sizeof(double)) : NULL;
    ok = out->index && out->values;
    if (ok) {
        memcpy(out->index, p.index.items, count * sizeof(int));
        memcpy(out->values, p.values.items, count * sizeof(double));
    }
    wri_array_destroy(&p.index);
    wri_array_destroy(&p.values);
    wri_free(allocator, p.mark, n, sizeof(int));
    wri_free(allocator, p.found, n, sizeof(int));
    wri_free(allocator, p.sum, n, sizeof(double));
    return ok;
}

static void sum_masses(const wri_grid_level *l, const transposed *t, wri_laplacian *out)
{
    double least = 1e-8 * l->laplacian.measure / (double)t->rows;
    out->measure = l->laplacian.measure;
    for (int c = 0; c < t->rows; c++) {
        for (int k = t->begin[c]; k < t->begin[c + 1]; k++) {
            out->mass[c] += (double)t->weight[k] * l->laplacian.mass[t->index[k]];
        }
        out->mass[c] = fmax(out->mass[c], least > 0.0 ? least : 1.0);
    }
}

// --- levels -----------------------------------------------------------------------------------

// Computes what smoothing and coarsening need of a grid whose laplacian and key are there.
static bool prepare(wri_grid_level *l, wri_arena *arena)
{
    const wri_sparse *a = &l->laplacian.stiffness;
    size_t n = (size_t)a->size, count = (size_t)a->begin[a->size];
    l->values = wri_arena_alloc(arena, count, sizeof *l->values);
    l->diagonal = wri_arena_alloc(arena, n, sizeof *l->diagonal);
    l->inverse = wri_arena_alloc(arena, n, sizeof *l->inverse);
    l->inverse_mass = wri_arena_alloc(arena, n, sizeof *l->inverse_mass);
    l->stiffness = wri_arena_alloc(arena, n, sizeof *l->stiffness);
    if (!l->values || !l->diagonal || !l->inverse || !l->inverse_mass || !l->stiffness) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        l->inverse_mass[i] = 1.0 / l->laplacian.mass[i];
    }
    for (int i = 0; i < a->size; i++) {
        l->free_count += l->key[i] < 0;
        for (int e = a->begin[i]; e < a->begin[i + 1]; e++) {
            l->values[e] = (float)a->values[e];
            l->stiffness[i] += a->values[e] * a->values[e] * l->inverse_mass[a->index[e]];
            if (a->index[e] == i) {
                l->diagonal[i] = e;
                l->inverse[i] = a->values[e] > 0.0 ? (float)(1.0 / a->values[e]) : 0.0f;
            }
        }
    }
    return true;
}

static bool coarsen(wri_grid_level *fine, wri_grid_level *coarse, wri_arena *arena, int count)
{
    const wr_allocator *allocator = &arena->allocator;
    transposed t;
    coarse->key = wri_arena_alloc(arena, (size_t)count, sizeof(int));
    coarse->laplacian.mass = wri_arena_alloc(arena, (size_t)count, sizeof(double));
    if (!coarse->key || !coarse->laplacian.mass || !interpolate(fine, arena, count) ||
        !transpose(&t, fine, count, allocator)) {
        return false;
    }
    for (int i = 0; i < fine->laplacian.stiffness.size; i++) {
        coarse->key[fine->aggregate[i]] = fine->key[i];
    }
    sum_masses(fine, &t, &coarse->laplacian);
    bool ok = multiply(fine, &t, &coarse->laplacian.stiffness, arena);
    free_transposed(&t, allocator);
    return ok && prepare(coarse, arena);
}

bool wri_hierarchy_create(wri_hierarchy *out, wri_arena *arena, const wri_laplacian *finest,
                          const int *key, int coarsest)
{
    *out = (wri_hierarchy){.count = 1};
    out->levels[0].laplacian = *finest;
    out->levels[0].key = (int *)(uintptr_t)key; // the hierarchy only reads it
    bool ok = prepare(&out->levels[0], arena);
    while (ok && out->count < WRI_LEVELS) {
        wri_grid_level *fine = &out->levels[out->count - 1];
        size_t n = (size_t)fine->laplacian.stiffness.size;
        int *joined = wri_alloc(&arena->allocator, n, sizeof *joined);
        int *aggregate = wri_arena_alloc(arena, n, sizeof *aggregate);
        if (!joined || !aggregate) {
            wri_free(&arena->allocator, joined, n, sizeof *joined);
            return false;
        }
        memset(aggregate, 0xff, n * sizeof *aggregate);
        int count = finish_aggregates(fine, aggregate, joined, start_aggregates(fine, aggregate));
        wri_free(&arena->allocator, joined, n, sizeof *joined);
        if ((int)n <= coarsest || 2 * (size_t)count > n) {
            break;
        }
        fine->aggregate = aggregate;
        ok = coarsen(fine, &out->levels[out->count++], arena, count);
    }
    return ok;
}
