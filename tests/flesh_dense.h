// flesh_dense.h: the whole system of a body of flesh as dense matrices, against which the fast ways
// are checked, and eigenvalues.
#pragma once

#include "flesh_body.h"

#include "../src/math/dense.h"

// A = (1 + a dt) M_s + (b dt + dt^2) K of the skin, M_b of the first bone and M_bs, six rows of the
// bone first.
static inline void dense_system(const wr_flesh_model *m, double *M, int size)
{
    double dt = (double)m->dt, stiff = (double)m->damping_stiffness * dt + dt * dt;
    for (int i = 0; i < 36; i++) {
        M[i / 6 * size + i % 6] = m->bones[0].M[i / 6][i % 6];
    }
    for (int node = 0; node < m->node_count; node++) {
        double mass = (double)m->mass[node], r[3];
        for (int k = 0; k < 3; k++) {
            r[k] = (double)m->rest[node][k] - m->bones[0].origin[k];
        }
        for (int c = 0; c < 6; c++) { // m (da + dalpha x r) on each node
            double unit[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
            if (c >= 3) {
                wri_cross3(unit, r, unit);
            }
            for (int k = 0; k < 3; k++) {
                int at = 6 + 3 * node + k;
                M[at * size + c] = M[c * size + at] = mass * unit[k];
            }
        }
        for (int e = m->K.begin[node]; e < m->K.begin[node + 1]; e++) {
            for (int k = 0; k < 9; k++) {
                int row = 6 + 3 * node + k / 3, column = 6 + 3 * m->K.column[e] + k % 3;
                M[row * size + column] =
                    stiff * (double)m->K.value[e][k] + (row == column ? mass : 0);
            }
        }
    }
}

// Of a symmetric matrix, by Jacobi's rotations: its diagonal becomes the eigenvalues, and row i of
// V the vector of the i-th.
static inline void dense_eigen(int n, double *A, double *V)
{
    for (int i = 0; i < n * n; i++) {
        V[i] = i / n == i % n;
    }
    for (int sweep = 0; sweep < 12; sweep++) {
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                double off = A[p * n + q];
                if (fabs(off) <= 1e-13 * sqrt(fabs(A[p * n + p] * A[q * n + q]))) {
                    continue;
                }
                double theta = (A[q * n + q] - A[p * n + p]) / (2.0 * off);
                double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < n; k++) {
                    double a = A[k * n + p], b = A[k * n + q];
                    A[k * n + p] = c * a - s * b;
                    A[k * n + q] = s * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    double a = A[p * n + k], b = A[q * n + k];
                    A[p * n + k] = c * a - s * b;
                    A[q * n + k] = s * a + c * b;
                    a = V[p * n + k], b = V[q * n + k];
                    V[p * n + k] = c * a - s * b;
                    V[q * n + k] = s * a + c * b;
                }
            }
        }
    }
}
