// levels.c: coarser copies of a matrix, by Galerkin's products.
//
// A node of the coarser level is one that is beside no other; so every other node is beside at
// least one, and takes the mean of those it is beside.
#include "levels.h"

#include <math.h>

enum { SMALLEST = 64 };            // nodes: what is not worth a coarser level
static const float STRONG = 0.25f; // of the strongest link of a node: what counts as beside it

static float strength_of(const wri_blocks *A, int entry)
{
    float sum = 0.0f;
    for (int k = 0; k < 9; k++) {
        sum += A->value[entry][k] * A->value[entry][k];
    }
    return sum; // squared
}

// Marks the links of each node that are strong, seen from either end.
static void find_links(const wri_blocks *A, uint8_t *is_link)
{
    for (int i = 0; i < A->count; i++) {
        float most = 0.0f;
        for (int e = A->begin[i]; e < A->begin[i + 1]; e++) {
            most = A->column[e] == i ? most : fmaxf(most, strength_of(A, e));
        }
        for (int e = A->begin[i]; e < A->begin[i + 1]; e++) {
            is_link[e] = A->column[e] != i && strength_of(A, e) >= STRONG * STRONG * most;
        }
    }
}

// place: of each node on the coarser level, -1 where it is not there. Returns how many are.
static int choose(const wri_blocks *A, const uint8_t *is_link, int *place)
{
    int count = 0;
    for (int i = 0; i < A->count; i++) {
        place[i] = -1;
    }
    for (int i = 0; i < A->count; i++) {
        bool is_beside = false;
        for (int e = A->begin[i]; e < A->begin[i + 1]; e++) {
            is_beside = is_beside || (is_link[e] && place[A->column[e]] >= 0);
        }
        place[i] = is_beside ? -1 : count++;
    }
    return count;
}

static bool find_parents(const wri_blocks *A, const uint8_t *is_link, const int *place, int count,
                         wri_arena *arena, wri_level *out)
{
    size_t room = (size_t)A->begin[A->count];
    out->parent_begin = wri_arena_alloc(arena, (size_t)A->count + 1, sizeof *out->parent_begin);
    out->parents = wri_arena_alloc(arena, room, sizeof *out->parents);
    out->shares = wri_arena_alloc(arena, room, sizeof *out->shares);
    out->child_counts = wri_arena_alloc(arena, (size_t)count, sizeof *out->child_counts);
    if (!out->parent_begin || !out->parents || !out->shares || !out->child_counts) {
        return false;
    }
    int end = 0;
    for (int i = 0; i < A->count; i++) {
        int begin = end;
        for (int e = A->begin[i]; e < A->begin[i + 1]; e++) {
            int up = place[A->column[e]];
            if (up >= 0 && (A->column[e] == i || (place[i] < 0 && is_link[e]))) {
                out->parents[end++] = up;
                out->child_counts[up]++;
            }
        }
        for (int k = begin; k < end; k++) {
            out->shares[k] = 1.0f / (float)(end - begin);
        }
        out->parent_begin[i + 1] = end;
    }
    return true;
}

// The finer nodes that follow each node, in `children`, and what of them does.
typedef struct family {
    int *begin, *children;
    float *shares;
} family;

static bool find_children(const wri_level *l, int finer, int count, wri_arena *arena, family *out)
{
    size_t links = (size_t)l->parent_begin[finer];
    out->begin = wri_arena_alloc(arena, (size_t)count + 2, sizeof *out->begin);
    out->children = wri_arena_alloc(arena, links, sizeof *out->children);
    out->shares = wri_arena_alloc(arena, links, sizeof *out->shares);
    if (!out->begin || !out->children || !out->shares) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        out->begin[k + 2] = out->begin[k + 1] + l->child_counts[k];
    }
    for (int i = 0; i < finer; i++) {
        for (int k = l->parent_begin[i]; k < l->parent_begin[i + 1]; k++) {
            int at = out->begin[l->parents[k] + 1]++;
            out->children[at] = i;
            out->shares[at] = l->shares[k];
        }
    }
    return true;
}

// One row of P^T A P: adds into `value` (NULL: only counts) at the places that `mark` has of the
// columns, which are listed as they come. Returns how many there are.
static int multiply_row(const wri_blocks *A, const wri_level *l, const family *f, int row,
                        int *mark, int *columns, float (*value)[9])
{
    int count = 0;
    for (int c = f->begin[row]; c < f->begin[row + 1]; c++) {
        int i = f->children[c];
        for (int e = A->begin[i]; e < A->begin[i + 1]; e++) {
            int j = A->column[e];
            for (int k = l->parent_begin[j]; k < l->parent_begin[j + 1]; k++) {
                int up = l->parents[k];
                if (mark[up] == 0) {
                    columns[count] = up;
                    mark[up] = ++count;
                }
                for (int q = 0; value && q < 9; q++) {
                    value[mark[up] - 1][q] += f->shares[c] * l->shares[k] * A->value[e][q];
                }
            }
        }
    }
    for (int k = 0; k < count; k++) {
        mark[columns[k]] = 0;
    }
    return count;
}

// Columns are in no order.
static bool multiply(const wri_blocks *A, int count, wri_arena *arena, wri_arena *temporary,
                     wri_level *l)
{
    family f;
    int *mark = wri_arena_alloc(temporary, (size_t)count, sizeof *mark);
    int *columns = wri_arena_alloc(temporary, (size_t)count, sizeof *columns);
    l->A.count = count;
    l->A.begin = wri_arena_alloc(arena, (size_t)count + 1, sizeof *l->A.begin);
    if (!mark || !columns || !l->A.begin || !find_children(l, A->count, count, temporary, &f)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        l->A.begin[i + 1] = l->A.begin[i] + multiply_row(A, l, &f, i, mark, columns, NULL);
    }
    l->A.column = wri_arena_alloc(arena, (size_t)l->A.begin[count], sizeof *l->A.column);
    l->A.value = wri_arena_alloc(arena, (size_t)l->A.begin[count], sizeof *l->A.value);
    for (int i = 0; i < count && l->A.column && l->A.value; i++) {
        int begin = l->A.begin[i];
        multiply_row(A, l, &f, i, mark, &l->A.column[begin], &l->A.value[begin]);
    }
    return l->A.column && l->A.value;
}

static bool coarsen(const wri_blocks *A, wri_arena *arena, wri_arena *temporary, wri_level *out,
                    bool *is_smaller)
{
    uint8_t *is_link = wri_arena_alloc(temporary, (size_t)A->begin[A->count], sizeof *is_link);
    int *place = wri_arena_alloc(temporary, (size_t)A->count, sizeof *place);
    if (!is_link || !place) {
        return false;
    }
    find_links(A, is_link);
    int count = choose(A, is_link, place);
    *is_smaller = count <= A->count / 2;
    return !*is_smaller || (find_parents(A, is_link, place, count, arena, out) &&
                            multiply(A, count, arena, temporary, out));
}

bool wri_levels_create(wri_levels *out, const wri_blocks *A, wri_arena *arena)
{
    wri_arena temporary = wri_arena_create(&arena->allocator);
    bool ok = true, is_smaller = true;
    *out = (wri_levels){0};
    while (ok && is_smaller && out->count < WRI_LEVELS && A->count > SMALLEST) {
        wri_level *next = &out->level[out->count];
        ok = coarsen(A, arena, &temporary, next, &is_smaller);
        out->count += ok && is_smaller;
        A = &next->A;
    }
    wri_arena_destroy(&temporary);
    return ok;
}
