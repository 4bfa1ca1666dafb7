// cholesky.h: everything the rest may know about CHOLMOD: sparse symmetric positive definite
// systems, analysed once, factored as often as the values change, solved for many right-hand sides.
//
//     wri_cholesky *c = wri_cholesky_create(&lower, NULL, 1, &error);
//     if (c && wri_cholesky_factor(c, &lower, &error)) {
//         wri_cholesky_solve(c, 0, columns, b, x);
//     }
//     wri_cholesky_destroy(c);
//
// Results do not depend on the number of cores: CHOLMOD and the BLAS under it run on one thread
// (with threads of their own they get up to 150 times slower), and what runs in parallel is whole
// systems, or columns of one, each thread in a lane of its own. Thread safety: different systems
// are independent; solve may run in several threads at once, with different lanes. But all of it
// must stand between wri_cholesky_begin and wri_cholesky_end on one thread.
#pragma once

#include "sparse.h"

typedef struct wri_cholesky wri_cholesky;

// Limits the BLAS of the whole process to one thread, and OpenMP to `levels` levels: 0, or 1 where
// threads of OpenMP are going to factor and solve.
typedef struct wri_thread_limits {
    int levels, blas_threads; // numbers as they were before
} wri_thread_limits;
wri_thread_limits wri_cholesky_begin(int levels);
void wri_cholesky_end(wri_thread_limits before);

// An order of elimination by nested dissection (METIS), good for meshes in 3D: order[k] is the row
// that goes k-th. An order of a matrix, without the rows that are missing, is good for its parts.
bool wri_cholesky_order(const wri_sparse *lower, int *order, wr_error *error);

// Analyses the places of the entries of `lower`: rows with columns up to the diagonal, which must
// be there. order NULL: by METIS. lanes: how many threads may solve at the same time, at least 1.
wri_cholesky *wri_cholesky_create(const wri_sparse *lower, const int *order, int lanes,
                                  wr_error *error);
void wri_cholesky_destroy(wri_cholesky *cholesky); // accepts NULL

// Factors a matrix with the same places and other values. Fails when it is not positive definite
// (says where).
bool wri_cholesky_factor(wri_cholesky *cholesky, const wri_sparse *lower, wr_error *error);

// A x = b for `columns` vectors one after another; x may be b. False: out of memory.
bool wri_cholesky_solve(wri_cholesky *cholesky, int lane, int columns, const double *b, double *x);

double wri_cholesky_entries(const wri_cholesky *cholesky); // numbers in the factor
