#include "dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Four sums side by side, which does not depend on how wide a machine is.
static double dot(const double *a, const double *b, int count)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0}, rest = 0.0;
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < count; i++) {
        rest += a[i] * b[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

bool wri_dense_factor(int count, double *A)
{
    for (int i = 0; i < count; i++) {
        double *row = A + (size_t)i * (size_t)count;
        for (int j = 0; j < i; j++) {
            const double *other = A + (size_t)j * (size_t)count;
            row[j] = (row[j] - dot(row, other, j)) / other[j];
        }
        double pivot = row[i] - dot(row, row, i);
        if (!(pivot > 0.0 && isfinite(pivot))) {
            return false;
        }
        row[i] = sqrt(pivot);
    }
    return true;
}

void wri_dense_solve(int count, const double *L, double *x)
{
    for (int i = 0; i < count; i++) {
        const double *row = L + (size_t)i * (size_t)count;
        x[i] = (x[i] - dot(row, x, i)) / row[i];
    }
    for (int i = count - 1; i >= 0; i--) {
        const double *row = L + (size_t)i * (size_t)count;
        x[i] /= row[i];
        for (int j = 0; j < i; j++) {
            x[j] -= row[j] * x[i];
        }
    }
}

// Row by row: the inverse is symmetric.
void wri_dense_invert(int count, const double *L, double *out)
{
    for (int i = 0; i < count; i++) {
        double *row = out + (size_t)i * (size_t)count;
        memset(row, 0, (size_t)count * sizeof *row);
        row[i] = 1.0;
        wri_dense_solve(count, L, row);
    }
}
