// outline.h: where the alpha of an image passes one half.
#pragma once

#include "wrought/geometry.h"

#include "../base/base.h"

// Closed loops in pixels from the lower left corner, +Y up, the shape on their left: outer loops
// run counter-clockwise and have a positive area, holes a negative one.
typedef struct wri_outline {
    int loop_count, shape_count; // shapes: outer loops
    int dropped_count;           // outer loops that were too small
    int *loop_begin;             // loop_count + 1, into points
    double (*points)[2];
    double area, length; // pixels squared, pixels
} wri_outline;

#define WRI_OUTLINE_LEAST_AREA 4.0 // pixels squared

// Lives in the arena. Fails on an image that has no outline, or none that is large enough.
bool wri_outline_find(const wr_image *image, wri_arena *arena, wri_outline *out, wr_error *error);
