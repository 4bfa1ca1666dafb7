// noise.h: the sample pattern of a picture: a blue-noise mask and low-discrepancy points.
#pragma once

#include "../base/base.h"

enum { WRI_MASK_SIZE = 64, WRI_CIRCLE_SIZE = 1024 };

typedef struct wri_noise {
    float mask[WRI_MASK_SIZE * WRI_MASK_SIZE]; // every value (i + 0.5) / count once
    float circle[WRI_CIRCLE_SIZE][2];          // cosine, sine
} wri_noise;

void wri_noise_fill(wri_noise *noise);

// One of many masks that look independent, at a pixel; dimension >= 0.
static inline float wri_mask_at(const wri_noise *noise, int x, int y, int dimension)
{
    int u = (x + 23 * dimension) & (WRI_MASK_SIZE - 1);
    int v = (y + 41 * dimension + 7 * (dimension >> 1)) & (WRI_MASK_SIZE - 1);
    return noise->mask[v * WRI_MASK_SIZE + u];
}

// The bits of i mirrored at the binary point: van der Corput's sequence.
static inline float wri_radical_inverse(unsigned i)
{
    i = (i << 16) | (i >> 16);
    i = ((i & 0x00ff00ffu) << 8) | ((i & 0xff00ff00u) >> 8);
    i = ((i & 0x0f0f0f0fu) << 4) | ((i & 0xf0f0f0f0u) >> 4);
    i = ((i & 0x33333333u) << 2) | ((i & 0xccccccccu) >> 2);
    i = ((i & 0x55555555u) << 1) | ((i & 0xaaaaaaaau) >> 1);
    return (float)(i >> 8) * 0x1p-24f;
}

static inline float wri_wrap(float x) // for x in [0, 2)
{
    return x >= 1.0f ? x - 1.0f : x;
}
