#include "eigen.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { SWEEPS = 40 };

static void turn_rows(double *x, double *y, int size, double c, double s)
{
    for (int k = 0; k < size; k++) {
        double a = x[k], b = y[k];
        x[k] = c * a - s * b;
        y[k] = s * a + c * b;
    }
}

// Takes entry (p, q) away. Returns whether there was any.
static bool rotate(int size, double *A, double *vectors, int p, int q)
{
    double *row_p = A + (ptrdiff_t)p * size, *row_q = A + (ptrdiff_t)q * size, off = row_p[q];
    if (fabs(off) <= 1e-17 * (fabs(row_p[p]) + fabs(row_q[q])) || off == 0.0) {
        return false;
    }
    double theta = (row_q[q] - row_p[p]) / (2.0 * off);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    turn_rows(row_p, row_q, size, c, s);
    for (int k = 0; k < size; k++) {
        double *row = A + (ptrdiff_t)k * size, a = row[p], b = row[q];
        row[p] = c * a - s * b;
        row[q] = s * a + c * b;
    }
    turn_rows(vectors + (ptrdiff_t)p * size, vectors + (ptrdiff_t)q * size, size, c, s);
    return true;
}

static void swap_rows(double *a, double *b, int size)
{
    for (int k = 0; k < size; k++) {
        double x = a[k];
        a[k] = b[k];
        b[k] = x;
    }
}

static void fix_sign(double *v, int size)
{
    int largest = 0;
    for (int k = 1; k < size; k++) {
        largest = fabs(v[k]) > fabs(v[largest]) * (1.0 + 1e-9) ? k : largest;
    }
    for (int k = 0; v[largest] < 0.0 && k < size; k++) {
        v[k] = k == largest ? v[k] : -v[k];
    }
    v[largest] = fabs(v[largest]);
}

void wri_eigen_symmetric(int size, double *A, double *values, double *vectors)
{
    memset(vectors, 0, (size_t)size * (size_t)size * sizeof *vectors);
    for (int i = 0; i < size; i++) {
        vectors[(ptrdiff_t)i * size + i] = 1.0;
    }
    bool any = true;
    for (int sweep = 0; any && sweep < SWEEPS; sweep++) {
        any = false;
        for (int p = 0; p < size; p++) {
            for (int q = p + 1; q < size; q++) {
                any = rotate(size, A, vectors, p, q) || any;
            }
        }
    }
    for (int i = 0; i < size; i++) {
        values[i] = A[(ptrdiff_t)i * size + i];
    }
    for (int i = 0; i < size; i++) {
        int best = i;
        for (int k = i + 1; k < size; k++) {
            best = values[k] > values[best] ? k : best;
        }
        double value = values[i];
        values[i] = values[best];
        values[best] = value;
        swap_rows(vectors + (ptrdiff_t)i * size, vectors + (ptrdiff_t)best * size, size);
        fix_sign(vectors + (ptrdiff_t)i * size, size);
    }
}
