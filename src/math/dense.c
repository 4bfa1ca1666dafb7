#include "dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { BLOCK = 32 }; // rows, a multiple of four: what is read of those above is read once for all

typedef double d2 __attribute__((vector_size(16)));

static d2 load2(const double *x)
{
    d2 v;
    memcpy(&v, x, sizeof v);
    return v;
}

// Four sums side by side, which does not depend on how wide a machine is.
static double dot(const double *a, const double *b, int count)
{
    d2 sum[2] = {{0}};
    double rest = 0.0;
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        sum[0] += load2(a + i) * load2(b + i);
        sum[1] += load2(a + i + 2) * load2(b + i + 2);
    }
    for (; i < count; i++) {
        rest += a[i] * b[i];
    }
    return (sum[0][0] + sum[0][1]) + (sum[1][0] + sum[1][1]) + rest;
}

// The first `count` columns of a row with those of four rows that follow one another: a row is read
// once for all of them.
static void dot_four(const double *a, const double *rows, int stride, int count, double out[4])
{
    d2 sum[4][2] = {{{0}}};
    for (int i = 0; i < count; i += 4) {
        for (int k = 0; k < 4; k++) {
            const double *b = rows + (ptrdiff_t)k * stride + i;
            sum[k][0] += load2(a + i) * load2(b);
            sum[k][1] += load2(a + i + 2) * load2(b + 2);
        }
    }
    for (int k = 0; k < 4; k++) {
        out[k] = (sum[k][0][0] + sum[k][0][1]) + (sum[k][1][0] + sum[k][1][1]);
    }
}

// Columns first to end, of at most four, of a row, when those before are there.
static void factor_columns(int count, double *A, int i, int first, int end)
{
    double *row = A + (ptrdiff_t)i * count, sums[4] = {0.0};
    if (end - first == 4) {
        dot_four(row, A + (ptrdiff_t)first * count, count, first, sums);
    }
    for (int j = first; j < end; j++) {
        const double *other = A + (ptrdiff_t)j * count;
        double sum = end - first == 4 ? sums[j - first] : dot(row, other, first);
        double rest = dot(row + first, other + first, j - first);
        row[j] = (row[j] - (sum + rest)) / other[j];
    }
}

bool wri_dense_factor(int count, double *A)
{
    for (int begin = 0; begin < count; begin += BLOCK) {
        int end = begin + BLOCK < count ? begin + BLOCK : count;
        for (int j = 0; j < begin; j += 4) { // while the four rows above are at hand
            for (int i = begin; i < end; i++) {
                factor_columns(count, A, i, j, j + 4);
            }
        }
        for (int i = begin; i < end; i++) {
            double *row = A + (ptrdiff_t)i * count;
            for (int j = begin; j < i; j += 4) {
                factor_columns(count, A, i, j, j + 4 < i ? j + 4 : i);
            }
            double pivot = row[i] - dot(row, row, i);
            if (!(pivot > 0.0 && isfinite(pivot))) {
                return false;
            }
            row[i] = sqrt(pivot);
        }
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
