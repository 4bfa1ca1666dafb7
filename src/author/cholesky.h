// cholesky.h: sparse symmetric positive definite systems, analysed once, factored as often as the
// values change, solved for many right-hand sides.
//
//     wri_cholesky *c = wri_cholesky_create(&lower, NULL, allocator, &error);
//     if (c && wri_cholesky_factor(c, &lower, &error)) {
//         wri_cholesky_solve(c, columns, b, x);
//     }
//     wri_cholesky_destroy(c);
//
// Everything runs on the calling thread, and the order of every sum is fixed by the places of the
// entries. Thread safety: a system belongs to one thread at a time; different ones are independent.
#pragma once

#include "sparse.h"

typedef struct wri_cholesky wri_cholesky;

// An order of elimination that keeps the factor small (AMD): order[k] is the row that goes k-th. An
// order of a matrix, without the rows that are missing, is good for its parts.
bool wri_cholesky_order(const wri_sparse *lower, int *order, wr_error *error);

// Analyses the places of the entries of `lower`: rows with columns up to the diagonal, which must
// be there. order NULL: by wri_cholesky_order. allocator NULL: the C library's heap.
wri_cholesky *wri_cholesky_create(const wri_sparse *lower, const int *order,
                                  const wr_allocator *allocator, wr_error *error);
void wri_cholesky_destroy(wri_cholesky *cholesky); // accepts NULL

// Factors a matrix with the same places and other values. Fails when it is not positive definite
// (says where).
bool wri_cholesky_factor(wri_cholesky *cholesky, const wri_sparse *lower, wr_error *error);

// A x = b for `columns` vectors one after another; x may be b. Cannot fail and never allocates.
void wri_cholesky_solve(wri_cholesky *cholesky, int columns, const double *b, double *x);
