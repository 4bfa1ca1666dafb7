// sparse.c: square sparse matrices, row after row. Everything is linear in the entries that are
// touched, and the order of every sum is fixed by the input.
#include "sparse.h"

enum { ROW_GRAIN = 4096 };

// Sorts entries by row or by column, by counting; stable.
static void sort_by(const wri_triplet *entries, const int *order, size_t count, bool by_row,
                    int size, int *begin, int *out)
{
    memset(begin, 0, ((size_t)size + 1) * sizeof *begin);
    for (size_t i = 0; i < count; i++) {
        begin[(by_row ? entries[i].row : entries[i].column) + 1]++;
    }
    for (int i = 0; i < size; i++) {
        begin[i + 1] += begin[i];
    }
    for (size_t i = 0; i < count; i++) {
        int e = order ? order[i] : (int)i;
        out[begin[by_row ? entries[e].row : entries[e].column]++] = e;
    }
}

// Adds up neighbours with the same place. Returns how many are left.
static int merge(const wri_triplet *entries, const int *order, size_t count, wri_sparse *out)
{
    int n = 0, row = 0;
    out->begin[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const wri_triplet *e = &entries[order[i]];
        while (row < e->row) {
            out->begin[++row] = n;
        }
        if (n > out->begin[row] && out->index[n - 1] == e->column) {
            out->values[n - 1] += e->value;
        } else {
            out->index[n] = e->column;
            out->values[n++] = e->value;
        }
    }
    while (row < out->size) {
        out->begin[++row] = n;
    }
    return n;
}

bool wri_sparse_create(wri_sparse *out, wri_arena *arena, int size, const wri_triplet *entries,
                       size_t count)
{
    if (count > INT32_MAX) {
        return false;
    }
    const wr_allocator *allocator = &arena->allocator;
    size_t rows = (size_t)size + 1;
    int *by_column = wri_alloc(allocator, count, sizeof(int));
    int *by_row = wri_alloc(allocator, count, sizeof(int));
    *out = (wri_sparse){.size = size,
                        .begin = wri_arena_alloc(arena, rows, sizeof(int)),
                        .index = wri_arena_alloc(arena, count, sizeof(int)),
                        .values = wri_arena_alloc(arena, count, sizeof(double))};
    bool ok = by_column && by_row && out->begin && out->index && out->values;
    if (ok) {
        sort_by(entries, NULL, count, false, size, out->begin, by_column);
        sort_by(entries, by_column, count, true, size, out->begin, by_row);
        merge(entries, by_row, count, out);
    }
    wri_free(allocator, by_column, count, sizeof(int));
    wri_free(allocator, by_row, count, sizeof(int));
    return ok;
}

// --- products ---------------------------------------------------------------------------------

typedef struct product {
    const wri_sparse *a;
    const double *x;
    double *y;
    int columns;
} product;

static void multiply_rows(void *context, int block, int begin, int end)
{
    (void)block;
    const product *p = context;
    size_t size = (size_t)p->a->size;
    for (int c = 0; c < p->columns; c++) {
        const double *x = p->x + (size_t)c * size;
        double *y = p->y + (size_t)c * size;
        for (int i = begin; i < end; i++) {
            double sum = 0.0;
            for (int k = p->a->begin[i]; k < p->a->begin[i + 1]; k++) {
                sum += p->a->values[k] * x[p->a->index[k]];
            }
            y[i] = sum;
        }
    }
}

void wri_sparse_multiply(const wri_sparse *a, const double *x, double *y, int columns,
                         const wr_tasks *tasks)
{
    product p = {a, x, y, columns};
    wri_parallel_for(tasks, a->size, ROW_GRAIN, multiply_rows, &p);
}

// A D A, row by row.
typedef struct squarer {
    const wri_sparse *a;
    const double *d;  // the diagonal of D
    const int *place; // of each row in the result, -1: left out
    int *mark;        // last row that found each column
    int *found;       // columns of the row at hand, in any order
    double *sum;      // value of each of them
} squarer;

// Computes one row left of its diagonal. Returns how many columns were found.
static int square_row(const squarer *s, int i)
{
    const wri_sparse *a = s->a;
    int count = 0;
    for (int k = a->begin[i]; k < a->begin[i + 1]; k++) {
        int middle = a->index[k];
        double factor = a->values[k] * s->d[middle];
        for (int l = a->begin[middle]; l < a->begin[middle + 1]; l++) {
            int j = a->index[l];
            if (j > i) {
                break;
            }
            if (s->place[j] < 0) {
                continue;
            }
            if (s->mark[j] != i) {
                s->mark[j] = i;
                s->sum[j] = 0.0;
                s->found[count++] = j;
            }
            s->sum[j] += factor * a->values[l];
        }
    }
    return count;
}

void wri_sort_ints(int *v, int count)
{
    for (int gap = count / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < count; i++) {
            int kept = v[i], j = i;
            for (; j >= gap && v[j - gap] > kept; j -= gap) {
                v[j] = v[j - gap];
            }
            v[j] = kept;
        }
    }
}

// Runs first with out->index NULL to count, then again to fill.
static int64_t square_rows(const squarer *s, wri_sparse *out)
{
    int64_t n = 0;
    for (int i = 0; i < s->a->size; i++) {
        s->mark[i] = -1;
    }
    for (int i = 0; i < s->a->size; i++) {
        if (s->place[i] < 0) {
            continue;
        }
        int count = square_row(s, i);
        if (out->index) {
            wri_sort_ints(s->found, count);
            for (int k = 0; k < count; k++) {
                out->index[n + k] = s->place[s->found[k]];
                out->values[n + k] = s->sum[s->found[k]];
            }
            out->begin[s->place[i] + 1] = (int)(n + count);
        }
        n += count;
    }
    return n;
}

bool wri_sparse_square(wri_sparse *out, wri_arena *arena, const wri_sparse *a, const double *d,
                       const int *place, int size)
{
    const wr_allocator *allocator = &arena->allocator;
    size_t n = (size_t)a->size;
    squarer s = {.a = a,
                 .d = d,
                 .place = place,
                 .mark = wri_alloc(allocator, n, sizeof(int)),
                 .found = wri_alloc(allocator, n, sizeof(int)),
                 .sum = wri_alloc(allocator, n, sizeof(double))};
    *out =
        (wri_sparse){.size = size, .begin = wri_arena_alloc(arena, (size_t)size + 1, sizeof(int))};
    bool ok = s.mark && s.found && s.sum && out->begin;
    if (ok) {
        int64_t count = square_rows(&s, out);
        ok = count <= INT32_MAX;
        out->index = ok ? wri_arena_alloc(arena, (size_t)count, sizeof(int)) : NULL;
        out->values = ok ? wri_arena_alloc(arena, (size_t)count, sizeof(double)) : NULL;
        ok = out->index && out->values;
    }
    if (ok) {
        square_rows(&s, out);
    }
    wri_free(allocator, s.mark, n, sizeof(int));
    wri_free(allocator, s.found, n, sizeof(int));
    wri_free(allocator, s.sum, n, sizeof(double));
    return ok;
}

bool wri_sparse_mirror(wri_sparse *out, wri_arena *arena, const wri_sparse *lower)
{
    size_t n = (size_t)lower->size, count = 2 * (size_t)lower->begin[lower->size];
    *out = (wri_sparse){.size = lower->size,
                        .begin = wri_arena_alloc(arena, n + 1, sizeof(int)),
                        .index = wri_arena_alloc(arena, count, sizeof(int)),
                        .values = wri_arena_alloc(arena, count, sizeof(double))};
    int *next = wri_alloc(&arena->allocator, n + 1, sizeof(int));
    if (!out->begin || !out->index || !out->values || !next || count > INT32_MAX) {
        wri_free(&arena->allocator, next, n + 1, sizeof(int));
        return false;
    }
    for (int i = 0; i < lower->size; i++) {
        for (int k = lower->begin[i]; k < lower->begin[i + 1]; k++) {
            next[i + 1]++;
            next[lower->index[k] + 1] += lower->index[k] != i;
        }
    }
    for (int i = 0; i < lower->size; i++) {
        next[i + 1] += next[i];
    }
    memcpy(out->begin, next, (n + 1) * sizeof *next);
    for (int i = 0; i < lower->size; i++) { // ascending rows: what is mirrored comes in order
        for (int k = lower->begin[i]; k < lower->begin[i + 1]; k++) {
            int j = lower->index[k];
            out->index[next[i]] = j;
            out->values[next[i]++] = lower->values[k];
            if (j != i) {
                out->index[next[j]] = i;
                out->values[next[j]++] = lower->values[k];
            }
        }
    }
    wri_free(&arena->allocator, next, n + 1, sizeof(int));
    return true;
}
