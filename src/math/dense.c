#include "dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static double dot(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
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
