// eigen.h: all eigenvalues and eigenvectors of a dense symmetric matrix.
#pragma once

// Jacobi's rotations, row after row until nothing is left beside the diagonal. A is `size` rows of
// `size` and is spoilt; values descend, vectors are rows. The entry of largest size of each vector,
// the first of equals, is positive.
void wri_eigen_symmetric(int size, double *A, double *values, double *vectors);
