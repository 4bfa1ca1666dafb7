// decompose.h: 3x3 singular values, polar decomposition, symmetric eigenvectors, nearest rotation.
//
//     double u[3][3], s[3], v[3][3], r[3][3], t[3][3];
//     wri_svd3d(a, u, s, v);    // a = u diag(s) v^T
//     wri_polar3d(a, r, t);     // a = r t
//
// For every finite matrix, whatever its rank and scale: residual and orthogonality stay within 16
// eps (Frobenius norms, the residual relative to that of a), and nothing is NaN. Matrices are
// m[row][column]. The float versions compute in double and round once. A result too large for its
// type becomes the largest finite value. Outputs may not overlap inputs or each other; an output
// that is NULL is left out.
#pragma once

#include "wrought/math.h"

// Both u and v are rotations (determinant +1). Then s cannot always be positive: as in Irving,
// Teran, Fedkiw 2004 the sign of det a is carried by the last, smallest value. s[0] >= s[1] >=
// |s[2]|.
void wri_svd3d(const double a[3][3], double u[3][3], double s[3], double v[3][3]);
void wri_svd3f(const float a[3][3], float u[3][3], float s[3], float v[3][3]);

// a = r t with r the rotation (determinant +1) nearest to a, and t symmetric; t has one negative
// eigenvalue when a mirrors. Where the nearest rotation is not unique, one of them.
void wri_polar3d(const double a[3][3], double r[3][3], double t[3][3]);
void wri_polar3f(const float a[3][3], float r[3][3], float t[3][3]);

// a = q diag(l) q^T for symmetric a, of which the upper triangle is read; q is a rotation, its
// columns the eigenvectors, l[0] >= l[1] >= l[2].
void wri_eigen3d(const double a[3][3], double l[3], double q[3][3]);
void wri_eigen3f(const float a[3][3], float l[3], float q[3][3]);

// The rotation nearest to a as a quaternion, searched from a start near it: when the start is the
// answer of the frame before, one or two Newton steps do. Any unit start gives the right answer.
wr_quat wri_nearest_rotation(const float a[3][3], wr_quat start);

// A rotation matrix as a quaternion with w >= 0.
wr_quat wri_quat_from_rotation(const double r[3][3]);
