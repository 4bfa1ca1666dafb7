// symbolic.c: from a pattern to the elimination tree, supernodes and their rows.
//
// Columns of L with nearly the same rows are a supernode: a dense block with one list of rows
// (Y. Chen, T. A. Davis, W. W. Hager, S. Rajamanickam. Algorithm 887: CHOLMOD. ACM TOMS 35(3),
// 2008, sections 2.2 to 2.4). Everything here counts in nodes, each of which is three rows.
#include "plan.h"

// Blocks of L: beyond this neither time nor memory would suffice.
static const int64_t FILL_MAX = (int64_t)1 << 28;

typedef struct analysis {
    wri_plan *p;
    int *lower_begin, *lower_column; // the pattern's rows up to the diagonal, without it
    int *node_parent;                // in the elimination tree, -1: none
    int *height;                     // rows of each column of L
    int *super_of;                   // supernode of each node
    int *mark, *done;
    double *zeros; // blocks of each supernode that L does not have
} analysis;

// --- tree -------------------------------------------------------------------------------------

static void transpose(analysis *a)
{
    const wri_plan *p = a->p;
    int *end = a->lower_begin + 1; // where the next column of each row goes
    for (int k = 0; k < p->count; k++) {
        for (int e = p->upper_begin[k] + 1; e < p->upper_begin[k + 1]; e++) {
            a->lower_begin[p->upper_column[e] + 1]++;
        }
    }
    for (int k = 0, sum = 0; k < p->count; k++) {
        int row = end[k];
        end[k] = sum;
        sum += row;
    }
    for (int k = 0; k < p->count; k++) {
        for (int e = p->upper_begin[k] + 1; e < p->upper_begin[k + 1]; e++) {
            a->lower_column[end[p->upper_column[e]]++] = k;
        }
    }
}

// The parent of a column is the first row below its diagonal in L. Paths to the root are shortened
// in mark.
void wri_tree_find(int count, const int *begin, const int *column, int *parent, int *mark)
{
    for (int k = 0; k < count; k++) {
        parent[k] = mark[k] = -1;
        for (int e = begin[k]; e < begin[k + 1]; e++) {
            for (int i = column[e]; i != -1 && i < k;) {
                int up = mark[i];
                mark[i] = k;
                if (up == -1) {
                    parent[i] = k;
                }
                i = up;
            }
        }
    }
}

// Row k of L has the columns on the paths from its entries in A up the tree.
static bool count_rows(analysis *a, wr_error *error)
{
    int64_t fill = 0;
    for (int k = 0; k < a->p->count; k++) {
        a->mark[k] = k;
        a->height[k] = 1;
        for (int e = a->lower_begin[k]; e < a->lower_begin[k + 1]; e++) {
            for (int i = a->lower_column[e]; a->mark[i] != k; i = a->node_parent[i]) {
                a->mark[i] = k;
                a->height[i]++;
                fill++;
            }
        }
        if (fill > FILL_MAX) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "the factor of %d nodes in this order has more than %lld blocks",
                            a->p->count, (long long)FILL_MAX);
        }
    }
    return true;
}

// --- supernodes -------------------------------------------------------------------------------

// A supernode more takes the time of about as many blocks.
static const double ZEROS_MAX = 24.0;

static int join_columns(analysis *a)
{
    int count = 0;
    for (int k = 0; k < a->p->count; k++) {
        if (k > 0 && a->node_parent[k - 1] == k && a->height[k - 1] == a->height[k] + 1) {
            continue; // the same rows as the column before
        }
        a->p->first[count++] = k;
    }
    a->p->first[count] = a->p->count;
    return count;
}

// Joins columns to supernodes, and supernodes with the one right before them when it is a child.
static void find_supernodes(analysis *a)
{
    wri_plan *p = a->p;
    int all = join_columns(a), count = 0;
    for (int s = 0; s < all; s++) {
        int first = p->first[s], end = p->first[s + 1];
        double missing = 0.0;
        while (count > 0) {
            int begin = p->first[count - 1], parent = a->node_parent[first - 1];
            double width = first - begin, below = a->height[first - 1] - 1;
            double height = end - first + a->height[end - 1] - 1;
            double zeros = missing + a->zeros[count - 1] + width * (height - below);
            if (parent < 0 || parent >= end || zeros > ZEROS_MAX) {
                break;
            }
            missing = zeros;
            first = begin;
            count--;
        }
        p->first[count] = first;
        a->zeros[count++] = missing;
    }
    p->first[count] = p->count;
    p->super_count = count;
}

static bool place_supernodes(analysis *a)
{
    wri_plan *p = a->p;
    size_t supers = (size_t)p->super_count;
    p->row_begin = wri_arena_alloc(&p->arena, supers + 1, sizeof *p->row_begin);
    p->value_begin = wri_arena_alloc(&p->arena, supers + 1, sizeof *p->value_begin);
    int **arrays[] = {&p->parent, &p->child, &p->sibling, &p->task_of};
    bool ok = p->row_begin && p->value_begin;
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        ok = (*arrays[i] = wri_arena_alloc(&p->arena, supers, sizeof(int))) && ok;
    }
    for (int s = 0; s < p->super_count && ok; s++) {
        int width = wri_super_width(p, s), height = width + a->height[p->first[s + 1] - 1] - 1;
        size_t size = 0;
        for (int c = 0; c < 3 * width; c += WRI_PANEL) {
            size += wri_panel_size(wri_panel_width(3 * width, c), 3 * height - c);
        }
        p->row_begin[s + 1] = p->row_begin[s] + (size_t)height;
        p->value_begin[s + 1] = p->value_begin[s] + size;
        for (int k = p->first[s]; k < p->first[s + 1]; k++) {
            a->super_of[k] = s;
        }
    }
    p->rows = ok ? wri_arena_alloc(&p->arena, p->row_begin[supers], sizeof *p->rows) : NULL;
    return p->rows != NULL;
}

// Lists the rows of every supernode. A row is met in ascending order by all that have it.
static void list_rows(analysis *a)
{
    wri_plan *p = a->p;
    for (int s = 0; s < p->super_count; s++) {
        a->done[s] = wri_super_width(p, s);
        a->mark[s] = -1;
        for (int i = 0; i < a->done[s]; i++) {
            p->rows[p->row_begin[s] + (size_t)i] = p->first[s] + i;
        }
    }
    for (int k = 0; k < p->count; k++) {
        for (int e = a->lower_begin[k]; e < a->lower_begin[k + 1]; e++) {
            int s = a->super_of[a->lower_column[e]];
            while (s != a->super_of[k] && a->mark[s] != k) {
                a->mark[s] = k;
                p->rows[p->row_begin[s] + (size_t)a->done[s]++] = k;
                s = a->super_of[a->node_parent[p->first[s + 1] - 1]];
            }
        }
    }
}

static void link_supernodes(analysis *a)
{
    wri_plan *p = a->p;
    for (int s = 0; s < p->super_count; s++) {
        int up = a->node_parent[p->first[s + 1] - 1];
        p->parent[s] = up < 0 ? -1 : a->super_of[up];
        p->child[s] = p->sibling[s] = -1;
    }
    for (int s = p->super_count - 1; s >= 0; s--) {
        if (p->parent[s] >= 0) {
            p->sibling[s] = p->child[p->parent[s]];
            p->child[p->parent[s]] = s;
        }
    }
}

static void find_entries(analysis *a)
{
    wri_plan *p = a->p;
    for (int s = 0; s < p->super_count; s++) {
        for (size_t i = p->row_begin[s]; i < p->row_begin[s + 1]; i++) {
            a->mark[p->rows[i]] = (int)(i - p->row_begin[s]);
        }
        for (int e = p->upper_begin[p->first[s]]; e < p->upper_begin[p->first[s + 1]]; e++) {
            p->upper_row[e] = a->mark[p->upper_column[e]];
        }
    }
}

// --- all --------------------------------------------------------------------------------------

static bool reserve(analysis *a, wri_arena *scratch, wr_error *error)
{
    wri_plan *p = a->p;
    size_t n = (size_t)p->count, entries = (size_t)p->upper_begin[n];
    int **arrays[] = {&a->node_parent, &a->height, &a->super_of, &a->mark, &a->done};
    p->upper_row = wri_arena_alloc(&p->arena, entries, sizeof *p->upper_row);
    p->first = wri_arena_alloc(&p->arena, n + 1, sizeof *p->first);
    a->lower_begin = wri_arena_alloc(scratch, n + 1, sizeof *a->lower_begin);
    a->lower_column = wri_arena_alloc(scratch, entries - n, sizeof *a->lower_column);
    a->zeros = wri_arena_alloc(scratch, n, sizeof *a->zeros);
    bool ok = p->upper_row && p->first && a->lower_begin && a->lower_column && a->zeros;
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        ok = (*arrays[i] = wri_arena_alloc(scratch, n, sizeof(int))) && ok;
    }
    return ok || wri_fail_memory(error, 0);
}

static bool analyse(analysis *a, wri_arena *scratch, wr_error *error)
{
    if (!reserve(a, scratch, error)) {
        return false;
    }
    transpose(a);
    wri_tree_find(a->p->count, a->lower_begin, a->lower_column, a->node_parent, a->mark);
    if (!count_rows(a, error)) {
        return false;
    }
    find_supernodes(a);
    if (!place_supernodes(a)) {
        return wri_fail_memory(error, 0);
    }
    list_rows(a);
    link_supernodes(a);
    find_entries(a);
    return wri_plan_schedule(a->p, scratch, error);
}

bool wri_plan_analyse(wri_plan *p, wr_error *error)
{
    wri_arena scratch = wri_arena_create(&p->arena.allocator);
    analysis a = {.p = p};
    bool ok = analyse(&a, &scratch, error);
    wri_arena_destroy(&scratch);
    return ok;
}
