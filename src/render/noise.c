// noise.c: a blue-noise mask by filling voids.
//
// Based on: R. Ulichney. The void-and-cluster method for dither array generation. SPIE 1993. We
// skip the initial pattern and its clean-up: the mask is filled from empty, always at the place
// that lies farthest from all earlier ones, measured by a Gaussian on the torus. A hash breaks the
// symmetry that would otherwise grow a lattice.
#include "noise.h"

#include <math.h>

enum { N = WRI_MASK_SIZE, CELLS = N * N, REACH = 10, SPAN = 2 * REACH + 1 };

typedef struct field {
    float energy[CELLS];
    int lowest[N]; // the emptiest cell of each row
} field;

static void find_lowest(field *f, int row)
{
    int best = row * N;
    for (int i = row * N + 1; i < (row + 1) * N; i++) {
        best = f->energy[i] < f->energy[best] ? i : best;
    }
    f->lowest[row] = best;
}

static int emptiest(const field *f)
{
    int best = f->lowest[0];
    for (int row = 1; row < N; row++) {
        best = f->energy[f->lowest[row]] < f->energy[best] ? f->lowest[row] : best;
    }
    return best;
}

static void start_field(field *f)
{
    for (uint32_t i = 0; i < CELLS; i++) {
        f->energy[i] = 1e-4f * (float)(wri_hash(&i, sizeof(i), 1) >> 40) * 0x1p-24f;
    }
    for (int row = 0; row < N; row++) {
        find_lowest(f, row);
    }
}

static void fill_mask(float *mask)
{
    const float sigma = 1.5f, taken = 1e9f;
    float kernel[SPAN];
    for (int i = 0; i < SPAN; i++) {
        float d = (float)(i - REACH);
        kernel[i] = expf(-d * d / (2.0f * sigma * sigma));
    }
    field f;
    start_field(&f);
    for (int rank = 0; rank < CELLS; rank++) {
        int at = emptiest(&f), left = at % N - REACH + N, top = at / N - REACH + N;
        mask[at] = ((float)rank + 0.5f) / (float)CELLS;
        f.energy[at] = taken;
        for (int y = 0; y < SPAN; y++) {
            int row = (top + y) & (N - 1);
            for (int x = 0; x < SPAN; x++) {
                f.energy[row * N + ((left + x) & (N - 1))] += kernel[x] * kernel[y];
            }
            find_lowest(&f, row);
        }
    }
}

void wri_noise_fill(wri_noise *noise)
{
    fill_mask(noise->mask);
    for (int i = 0; i < WRI_CIRCLE_SIZE; i++) {
        double angle = 2.0 * 3.14159265358979323846 * (i + 0.5) / WRI_CIRCLE_SIZE;
        noise->circle[i][0] = (float)cos(angle);
        noise->circle[i][1] = (float)sin(angle);
    }
}
