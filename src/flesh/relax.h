// relax.h: how the skin around a patch gives way to springs at its nodes, roughly:
//
//     (A + D) x = b,   D a block of 3x3 at each node
//
// by one cycle of multigrid on the patch and some rings of nodes around it, outside of which
// nothing moves. The cycle is symmetric and positive definite, and never more than the inverse.
#pragma once

#include "flesh.h"

// A symmetric block, or any, as its columns.
typedef struct wri_columns {
    f4 c[3];
} wri_columns;

static inline f4 wri_columns_apply(const wri_columns *a, f4 x)
{
    return a->c[0] * x[0] + a->c[1] * x[1] + a->c[2] * x[2];
}

typedef struct wri_relax_level {
    int count;
    int *nodes;                    // of the level of the model
    int *begin, *middle, *columns; // entries beside the diagonal; from `middle` on of later nodes
    wri_columns *values;
    wri_columns *own, *D, *inverse; // per node: of A, of the springs, of (own + D)^-1
    f4 *b, *x;
    f4 *way;                     // how far smoothing forward moved each node
    int *parent_begin, *parents; // those of the next level that are there
    float *shares;
} wri_relax_level;

typedef struct wri_relax {
    int level_count;
    bool is_new;                           // x is nothing yet
    wri_columns *sums;                     // of the rows of A, of each node of the patch
    f4 *b, *x;                             // of the first level
    wri_relax_level level[WRI_LEVELS + 1]; // which begins with the nodes of the patch
} wri_relax;

// No node twice. False: out of memory.
bool wri_relax_create(wri_relax *out, const wr_flesh_model *model, const int *nodes, int count,
                      wr_scratch *scratch);
// Takes over what is in D of the first level.
void wri_relax_set(wri_relax *relax);
void wri_relax_forget(wri_relax *relax); // x becomes nothing
// Brings x nearer to the solution.
void wri_relax_solve(wri_relax *relax);
// Of the sum of two, which is symmetric.
wri_columns wri_relax_inverse(const wri_columns *a, const wri_columns *b);
