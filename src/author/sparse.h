// sparse.h: square sparse matrices, row after row.
#pragma once

#include "../base/base.h"

typedef struct wri_triplet {
    int row, column;
    double value;
} wri_triplet;

// Row i has the entries begin[i] to begin[i + 1] - 1, by ascending column, each column once.
typedef struct wri_sparse {
    int size;
    int *begin; // size + 1
    int *index;
    double *values;
} wri_sparse;

// Entries with the same place are added up in the order they come in. Lives in the arena; rows and
// columns must be in range. False when out of memory or over 2^31 entries.
bool wri_sparse_create(wri_sparse *out, wri_arena *arena, int size, const wri_triplet *entries,
                       size_t count);

// Computes y = A x, both `columns` vectors of `size`, one after another.
void wri_sparse_multiply(const wri_sparse *a, const double *x, double *y, int columns,
                         const wr_tasks *tasks);

// The lower triangle of the symmetric matrix A D A over the rows and columns with place[i] >= 0,
// which become place[i]; ascending with i. A symmetric, D diagonal.
bool wri_sparse_square(wri_sparse *out, wri_arena *arena, const wri_sparse *a, const double *d,
                       const int *place, int size);

// Builds both triangles of the symmetric matrix whose lower one is given.
bool wri_sparse_mirror(wri_sparse *out, wri_arena *arena, const wri_sparse *lower);

// Sorts ascending; for the few columns of a row.
void wri_sort_ints(int *v, int count);
