// dense.h: small dense symmetric systems: the bones of a body, a handful of contacts.
//
//     if (wri_dense_factor(count, A)) {   // A = L L^T, in place
//         wri_dense_solve(count, A, x);   // x = A^-1 x
//     }
//
// Matrices are count rows of count doubles. Nothing allocates.
#pragma once

#include <stdbool.h>

// Cholesky: L goes where the lower triangle was, which alone is read. False: not positive definite,
// and A is spoilt.
bool wri_dense_factor(int count, double *A);
void wri_dense_solve(int count, const double *L, double *x);
// out, of the same size as L and another place, is the whole inverse.
void wri_dense_invert(int count, const double *L, double *out);
