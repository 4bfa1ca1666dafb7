// cholesky.c: the factorisation P A P' = L L' by supernodes, from left to right.
//
// Columns of L with nearly the same rows are a supernode: a dense block with one list of rows
// (Y. Chen, T. A. Davis, W. W. Hager, S. Rajamanickam. Algorithm 887: CHOLMOD. ACM TOMS 35(3),
// 2008, sections 2.2 to 2.4). The order of elimination is AMD's (P. R. Amestoy, T. A. Davis, I. S.
// Duff. Algorithm 837. ACM TOMS 30(3), 2004). All dense work is one loop, `subtract`, instead of a
// BLAS: those of Linux distributions start threads before main, wait for them at exit and do not
// return when memory is short, and our systems are too small to gain by them (docs/benchmarks.md).
//
// Symbols: n rows; a node has `width` columns from `first` on and `height` rows, its own columns
// first; L of a node is stored column after column, `height` apart.
#include "cholesky.h"

#include <math.h>
#include <suitesparse/amd.h>

struct wri_cholesky {
    wri_arena arena; // all arrays but the values
    int n, node_count;
    int *order, *place; // row that goes k-th, and its inverse
    int *begin, *index; // entries of A in its new order: lower triangle, column after column
    int *source;        // which entry of the caller's matrix each is
    int *first;         // first column of each node, node_count + 1
    int *node_of;       // node of each column
    size_t *row_begin;  // node_count + 1
    int *rows;          // rows of each node, ascending
    size_t *value_begin;
    double *values; // L
    size_t value_count;
    // Scratch.
    int *map;           // row of the current node that a row of the matrix is
    int *head, *next;   // nodes that still have to be subtracted from each node
    int *done;          // rows of each node that were subtracted where they belong
    double *x, *column; // n each
};

bool wri_cholesky_order(const wri_sparse *lower, int *order, wr_error *error)
{
    int status = amd_order(lower->size, lower->begin, lower->index, order, NULL, NULL);
    if (status == AMD_INVALID) {
        return wri_fail(error, WR_E_ARGUMENT, "a matrix of %d rows has an entry outside of it",
                        lower->size);
    }
    return status != AMD_OUT_OF_MEMORY ||
           wri_fail(error, WR_E_MEMORY, "out of memory for the order of %d rows", lower->size);
}

// --- analysis ---------------------------------------------------------------------------------

// The analysis knows this of the columns until they are nodes.
typedef struct analysis {
    wri_cholesky *c;
    const wri_sparse *lower;
    int *row_begin, *row_index; // the lower triangle of P A P', row after row, without the diagonal
    int *parent;                // of each column in the elimination tree, -1: none
    int *count;                 // rows of each column of L
    int *mark;
} analysis;

// Sorts the caller's entries into the columns, and the rows, of P A P'.
static void permute(analysis *a)
{
    wri_cholesky *c = a->c;
    const wri_sparse *lower = a->lower;
    for (int k = 0; k < c->n; k++) {
        c->place[c->order[k]] = k;
    }
    memset(c->begin, 0, ((size_t)c->n + 1) * sizeof *c->begin);
    memset(a->row_begin, 0, ((size_t)c->n + 1) * sizeof *a->row_begin);
    for (int pass = 0; pass < 2; pass++) { // counts, then places
        for (int r = 0; r < c->n; r++) {
            for (int e = lower->begin[r]; e < lower->begin[r + 1]; e++) {
                int i = c->place[r], j = c->place[lower->index[e]];
                int row = i > j ? i : j, column = i > j ? j : i;
                if (pass == 0) {
                    c->begin[column + 1]++;
                    a->row_begin[row + 1] += row != column;
                    continue;
                }
                c->source[c->begin[column]] = e;
                c->index[c->begin[column]++] = row;
                if (row != column) {
                    a->row_index[a->row_begin[row]++] = column;
                }
            }
        }
        for (int k = 0; k < c->n && pass == 0; k++) {
            c->begin[k + 1] += c->begin[k];
            a->row_begin[k + 1] += a->row_begin[k];
        }
    }
    for (int k = c->n; k > 0; k--) { // filling moved each begin to the next one
        c->begin[k] = c->begin[k - 1];
        a->row_begin[k] = a->row_begin[k - 1];
    }
    c->begin[0] = a->row_begin[0] = 0;
}

// The parent of a column is the first row below its diagonal in L. Paths to the root are shortened
// in mark.
static void find_tree(analysis *a)
{
    for (int k = 0; k < a->c->n; k++) {
        a->parent[k] = a->mark[k] = -1;
        for (int e = a->row_begin[k]; e < a->row_begin[k + 1]; e++) {
            for (int i = a->row_index[e]; i != -1 && i < k;) {
                int up = a->mark[i];
                a->mark[i] = k;
                if (up == -1) {
                    a->parent[i] = k;
                }
                i = up;
            }
        }
    }
}

// Changes the order such that every subtree is contiguous, which leaves L as full as it was.
static void sort_tree(analysis *a)
{
    wri_cholesky *c = a->c;
    int *head = c->head, *next = c->next, *stack = c->map, *before = a->count, count = 0;
    memcpy(before, c->order, (size_t)c->n * sizeof *before);
    for (int k = 0; k < c->n; k++) {
        head[k] = -1;
    }
    for (int k = c->n - 1; k >= 0; k--) {
        if (a->parent[k] >= 0) {
            next[k] = head[a->parent[k]];
            head[a->parent[k]] = k;
        }
    }
    for (int root = 0; root < c->n; root++) {
        int depth = 0;
        if (a->parent[root] < 0) {
            stack[depth++] = root;
        }
        while (depth > 0) {
            int k = stack[depth - 1], child = head[k];
            if (child >= 0) {
                head[k] = next[child];
                stack[depth++] = child;
            } else {
                c->order[count++] = before[k];
                depth--;
            }
        }
    }
}

// Row k of L has the columns on the paths from its entries in A up the tree.
static void count_rows(analysis *a)
{
    for (int k = 0; k < a->c->n; k++) {
        a->mark[k] = k;
        a->count[k] = 1;
        for (int e = a->row_begin[k]; e < a->row_begin[k + 1]; e++) {
            for (int i = a->row_index[e]; a->mark[i] != k; i = a->parent[i]) {
                a->mark[i] = k;
                a->count[i]++;
            }
        }
    }
}

// Some zeros are cheaper than a short node: the limits are CHOLMOD's.
static bool is_worth_it(int width, double zeros, double entries)
{
    double share = zeros / entries;
    return width <= 4 || (width <= 16 && share < 0.8) || (width <= 48 && share < 0.1) ||
           share < 0.05;
}

// Joins columns to nodes, and nodes with the one right before them when it is a child. `zeros` are
// the entries of each node that L does not have.
static void find_nodes(analysis *a, double *zeros)
{
    wri_cholesky *c = a->c;
    int count = 0;
    for (int k = 0; k < c->n; k++) {
        if (k > 0 && a->parent[k - 1] == k && a->count[k - 1] == a->count[k] + 1) {
            continue; // the same rows as the column before
        }
        c->first[count++] = k;
    }
    c->first[count] = c->n;
    int nodes = count;
    count = 0;
    for (int s = 0; s < nodes; s++) {
        int first = c->first[s], end = c->first[s + 1];
        double missing = 0.0;
        while (count > 0) {
            int begin = c->first[count - 1], parent = a->parent[first - 1];
            double width = first - begin, below = a->count[first - 1] - 1;
            double height = end - first + a->count[end - 1] - 1;
            double all = missing + zeros[count - 1] + width * (height - below);
            double entries = (end - begin) * (height + width);
            if (parent < 0 || parent >= end || !is_worth_it(end - begin, all, entries)) {
                break;
            }
            missing = all;
            first = begin;
            count--;
        }
        c->first[count] = first;
        zeros[count++] = missing;
    }
    c->first[count] = c->n;
    c->node_count = count;
}

// Lists the rows of every node. A row is met in ascending order by all nodes that have it.
static void list_rows(analysis *a)
{
    wri_cholesky *c = a->c;
    for (int s = 0; s < c->node_count; s++) {
        for (int k = c->first[s]; k < c->first[s + 1]; k++) {
            c->rows[c->row_begin[s] + (size_t)(k - c->first[s])] = k;
        }
        c->done[s] = c->first[s + 1] - c->first[s];
        a->mark[s] = -1;
    }
    for (int k = 0; k < c->n; k++) {
        for (int e = a->row_begin[k]; e < a->row_begin[k + 1]; e++) {
            int s = c->node_of[a->row_index[e]];
            while (s != c->node_of[k] && a->mark[s] != k) {
                a->mark[s] = k;
                c->rows[c->row_begin[s] + (size_t)c->done[s]++] = k;
                s = c->node_of[a->parent[c->first[s + 1] - 1]];
            }
        }
    }
}

// Makes room for the nodes. False: out of memory.
static bool place_nodes(analysis *a)
{
    wri_cholesky *c = a->c;
    size_t nodes = (size_t)c->node_count + 1;
    c->row_begin = wri_arena_alloc(&c->arena, nodes, sizeof *c->row_begin);
    c->value_begin = wri_arena_alloc(&c->arena, nodes, sizeof *c->value_begin);
    if (!c->row_begin || !c->value_begin) {
        return false;
    }
    for (int s = 0; s < c->node_count; s++) {
        int width = c->first[s + 1] - c->first[s];
        size_t height = (size_t)(width + a->count[c->first[s + 1] - 1] - 1);
        c->row_begin[s + 1] = c->row_begin[s] + height;
        c->value_begin[s + 1] = c->value_begin[s] + height * (size_t)width;
        for (int k = c->first[s]; k < c->first[s + 1]; k++) {
            c->node_of[k] = s;
        }
    }
    c->rows = wri_arena_alloc(&c->arena, c->row_begin[c->node_count], sizeof *c->rows);
    c->value_count = c->value_begin[c->node_count];
    c->values = wri_alloc(&c->arena.allocator, c->value_count, sizeof *c->values);
    return c->rows && c->values;
}

static bool analyse(analysis *a, const int *order, wri_arena *scratch, wr_error *error)
{
    wri_cholesky *c = a->c;
    size_t n = (size_t)c->n, entries = (size_t)a->lower->begin[c->n];
    int **arrays[] = {&c->order, &c->place, &c->node_of, &c->map, &c->head, &c->next, &c->done};
    int **scratches[] = {&a->parent, &a->count, &a->mark};
    c->begin = wri_arena_alloc(&c->arena, n + 1, sizeof *c->begin);
    c->first = wri_arena_alloc(&c->arena, n + 1, sizeof *c->first);
    c->index = wri_arena_alloc(&c->arena, entries, sizeof *c->index);
    c->source = wri_arena_alloc(&c->arena, entries, sizeof *c->source);
    c->x = wri_arena_alloc(&c->arena, n, sizeof *c->x);
    c->column = wri_arena_alloc(&c->arena, n, sizeof *c->column);
    a->row_begin = wri_arena_alloc(scratch, n + 1, sizeof *a->row_begin);
    a->row_index = wri_arena_alloc(scratch, entries, sizeof *a->row_index);
    bool ok = c->begin && c->first && c->index && c->source && c->x && c->column && a->row_begin &&
              a->row_index;
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        ok = (*arrays[i] = wri_arena_alloc(&c->arena, n, sizeof(int))) && ok;
    }
    for (int i = 0; i < WRI_COUNT(scratches); i++) {
        ok = (*scratches[i] = wri_arena_alloc(scratch, n, sizeof(int))) && ok;
    }
    if (!ok) {
        return wri_fail_memory(error, c->arena.total + scratch->total);
    }
    if (order) {
        memcpy(c->order, order, n * sizeof *order);
    } else if (!wri_cholesky_order(a->lower, c->order, error)) {
        return false;
    }
    permute(a);
    find_tree(a);
    sort_tree(a);
    permute(a);
    find_tree(a);
    count_rows(a);
    find_nodes(a, c->column);
    if (!place_nodes(a)) {
        return wri_fail(error, WR_E_MEMORY, "out of memory for the factor of %d rows", c->n);
    }
    list_rows(a);
    return true;
}

wri_cholesky *wri_cholesky_create(const wri_sparse *lower, const int *order,
                                  const wr_allocator *allocator, wr_error *error)
{
    wri_arena arena = wri_arena_create(allocator), scratch = wri_arena_create(allocator);
    wri_cholesky *c = wri_arena_alloc(&arena, 1, sizeof *c);
    if (!c) {
        wri_fail_memory(error, sizeof *c);
        return NULL;
    }
    *c = (wri_cholesky){.arena = arena, .n = lower->size};
    analysis a = {.c = c, .lower = lower};
    bool ok = analyse(&a, order, &scratch, error);
    wri_arena_destroy(&scratch);
    if (!ok) {
        wri_cholesky_destroy(c);
        return NULL;
    }
    return c;
}

void wri_cholesky_destroy(wri_cholesky *c)
{
    if (!c) {
        return;
    }
    wri_arena arena = c->arena; // which c is in
    wri_free(&arena.allocator, c->values, c->value_count, sizeof *c->values);
    wri_arena_destroy(&arena);
}

// --- factorisation ----------------------------------------------------------------------------

typedef struct node {
    int first, width, height;
    const int *rows;
    double *values;
} node;

static node node_at(const wri_cholesky *c, int s)
{
    return (node){c->first[s], c->first[s + 1] - c->first[s],
                  (int)(c->row_begin[s + 1] - c->row_begin[s]), c->rows + c->row_begin[s],
                  c->values + c->value_begin[s]};
}

// out -= sum of a_k0 a_k over the columns a_k, which are `stride` apart. Four at a time, so that
// out is loaded and stored a quarter as often; the order of the sum is that of the columns.
static void subtract(double *restrict out, int height, const double *a, size_t stride, int columns)
{
    int k = 0;
    for (; k + 4 <= columns; k += 4, a += 4 * stride) {
        const double *b = a + stride, *c = b + stride, *d = c + stride;
        double a0 = a[0], b0 = b[0], c0 = c[0], d0 = d[0];
        for (int i = 0; i < height; i++) {
            out[i] = (((out[i] - a0 * a[i]) - b0 * b[i]) - c0 * c[i]) - d0 * d[i];
        }
    }
    for (; k < columns; k++, a += stride) {
        double a0 = a[0];
        for (int i = 0; i < height; i++) {
            out[i] -= a0 * a[i];
        }
    }
}

static void assemble(wri_cholesky *c, const node *s, const double *values)
{
    memset(s->values, 0, (size_t)s->height * (size_t)s->width * sizeof *s->values);
    for (int i = 0; i < s->height; i++) {
        c->map[s->rows[i]] = i;
    }
    for (int j = 0; j < s->width; j++) {
        double *column = s->values + (size_t)j * (size_t)s->height;
        for (int e = c->begin[s->first + j]; e < c->begin[s->first + j + 1]; e++) {
            column[c->map[c->index[e]]] += values[c->source[e]];
        }
    }
}

// Nodes wait at the node that has their next row.
static void wait_for_next(wri_cholesky *c, int d, const node *n)
{
    if (c->done[d] < n->height) {
        int at = c->node_of[n->rows[c->done[d]]];
        c->next[d] = c->head[at];
        c->head[at] = d;
    }
}

// Subtracts what the columns of node d contribute to node s.
static void subtract_node(wri_cholesky *c, const node *s, int d)
{
    node n = node_at(c, d);
    int j = c->done[d], end = s->first + s->width;
    for (; j < n.height && n.rows[j] < end; j++) {
        int height = n.height - j;
        memset(c->column, 0, (size_t)height * sizeof *c->column);
        subtract(c->column, height, n.values + j, (size_t)n.height, n.width);
        double *out = s->values + (size_t)(n.rows[j] - s->first) * (size_t)s->height;
        for (int i = 0; i < height; i++) {
            out[c->map[n.rows[j + i]]] += c->column[i];
        }
    }
    c->done[d] = j;
    wait_for_next(c, d, &n);
}

// Factors the dense block of a node. Returns the column with a diagonal that is not positive, -1
// when there is none.
static int factor_node(const node *s)
{
    for (int j = 0; j < s->width; j++) {
        int height = s->height - j;
        double *column = s->values + (size_t)j * (size_t)s->height + j;
        subtract(column, height, s->values + j, (size_t)s->height, j);
        if (!(column[0] > 0.0) || !isfinite(column[0])) {
            return j;
        }
        double root = sqrt(column[0]);
        for (int i = 0; i < height; i++) {
            column[i] /= root;
        }
    }
    return -1;
}

bool wri_cholesky_factor(wri_cholesky *c, const wri_sparse *lower, wr_error *error)
{
    WR_ASSERT(lower->size == c->n);
    for (int s = 0; s < c->node_count; s++) {
        c->head[s] = -1;
    }
    for (int s = 0; s < c->node_count; s++) {
        node n = node_at(c, s);
        assemble(c, &n, lower->values);
        for (int d = c->head[s], next; d >= 0; d = next) {
            next = c->next[d];
            subtract_node(c, &n, d);
        }
        int bad = factor_node(&n);
        if (bad >= 0) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "a matrix of %d rows is not positive definite at row %d", c->n,
                            c->order[n.first + bad]);
        }
        c->done[s] = n.width;
        wait_for_next(c, s, &n);
    }
    return true;
}

// --- solution ---------------------------------------------------------------------------------

// L y = x of a node: its rows of x are gathered and scattered once.
static void solve_forward(const node *s, double *x, double *y)
{
    for (int i = 0; i < s->height; i++) {
        y[i] = x[s->rows[i]];
    }
    for (int j = 0; j < s->width; j++) {
        const double *column = s->values + (size_t)j * (size_t)s->height;
        double yj = y[j] /= column[j];
        for (int i = j + 1; i < s->height; i++) {
            y[i] -= column[i] * yj;
        }
    }
    for (int i = 0; i < s->height; i++) {
        x[s->rows[i]] = y[i];
    }
}

// A dot product in four interleaved sums.
static double dot(const double *a, const double *b, int count)
{
    double sum[4] = {0};
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < count; i++) {
        sum[0] += a[i] * b[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// L' y = x of a node.
static void solve_backward(const node *s, double *x, double *y)
{
    for (int i = 0; i < s->height; i++) {
        y[i] = x[s->rows[i]];
    }
    for (int j = s->width - 1; j >= 0; j--) {
        const double *column = s->values + (size_t)j * (size_t)s->height + j;
        y[j] = (y[j] - dot(column + 1, y + j + 1, s->height - j - 1)) / column[0];
        x[s->rows[j]] = y[j];
    }
}

void wri_cholesky_solve(wri_cholesky *c, int columns, const double *b, double *x)
{
    WR_ASSERT(columns >= 0);
    for (int column = 0; column < columns; column++, b += c->n, x += c->n) {
        for (int k = 0; k < c->n; k++) {
            c->x[k] = b[c->order[k]];
        }
        for (int s = 0; s < c->node_count; s++) {
            node n = node_at(c, s);
            solve_forward(&n, c->x, c->column);
        }
        for (int s = c->node_count - 1; s >= 0; s--) {
            node n = node_at(c, s);
            solve_backward(&n, c->x, c->column);
        }
        for (int k = 0; k < c->n; k++) {
            x[c->order[k]] = c->x[k];
        }
    }
}
