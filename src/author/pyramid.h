// pyramid.h: a picture in sizes that halve, premultiplied, for finding it elsewhere.
#pragma once

#include "wrought/geometry.h"

#include "../base/base.h"

enum { WRI_PYRAMID_LEVELS = 6, WRI_CHANNELS = 4 };

// Rows from the bottom. Red, green, blue times alpha, and alpha, in [0, 1].
typedef struct wri_pyramid_level {
    int width, height;
    double unit; // pixels of the picture per pixel
    float *values;
} wri_pyramid_level;

typedef struct wri_pyramid {
    int level_count; // the finest first
    wri_pyramid_level levels[WRI_PYRAMID_LEVELS];
} wri_pyramid;

// Lives in the arena. The finest level has at most 256 pixels a side, the coarsest at least 12.
bool wri_pyramid_create(wri_pyramid *out, wri_arena *arena, const wr_image *picture,
                        wr_error *error);

// The value at a place in pixels of the picture, linear between the middles of pixels; nothing is
// outside. slope: its derivatives by x and y, or NULL.
void wri_pyramid_sample(const wri_pyramid_level *level, double x, double y,
                        double value[WRI_CHANNELS], double slope[WRI_CHANNELS][2]);
