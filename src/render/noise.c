// noise.c: a blue-noise mask by filling voids.
//
// Based on: R. Ulichney. The void-and-cluster method for dither array generation. SPIE 1993. We
// skip the initial pattern and its clean-up: the mask is filled from empty, always at the place
// that lies farthest from all earlier ones, measured by a Gaussian on the torus. A hash breaks the
// symmetry that would otherwise grow a lattice.
#include "noise.h"

#include <math.h>

enum { N = WRI_MASK_SIZE, CELLS = N * N };

static float torus_distance2(int dx, int dy)
{
    dx = dx > N / 2 ? N - dx : dx;
    dy = dy > N / 2 ? N - dy : dy;
    return (float)(dx * dx + dy * dy);
}

static int emptiest(const float *energy)
{
    int best = 0;
    for (int i = 1; i < CELLS; i++) {
        if (energy[i] < energy[best]) {
            best = i;
        }
    }
    return best;
}

static void fill_mask(float *mask)
{
    const float sigma = 1.5f, taken = 1e9f;
    float kernel[CELLS], energy[CELLS];
    for (int i = 0; i < CELLS; i++) {
        kernel[i] = expf(-torus_distance2(i % N, i / N) / (2.0f * sigma * sigma));
        energy[i] = 1e-4f * (float)(wri_hash(&(uint32_t){(uint32_t)i}, 4, 1) >> 40) * 0x1p-24f;
    }
    for (int rank = 0; rank < CELLS; rank++) {
        int at = emptiest(energy), ax = at % N, ay = at / N;
        mask[at] = ((float)rank + 0.5f) / (float)CELLS;
        for (int y = 0; y < N; y++) {
            float *row = energy + ((y + ay) & (N - 1)) * N;
            for (int x = 0; x < N; x++) {
                row[(x + ax) & (N - 1)] += kernel[y * N + x];
            }
        }
        energy[at] = taken;
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
