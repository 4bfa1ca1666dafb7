// trace.h: a tile of a picture: which samples its pixels take.
#pragma once

#include "develop.h"
#include "eye.h"
#include "flat.h"
#include "shade.h"

enum { WRI_TILE = 32 }; // pixels a side

// Everything that the tiles of a picture share.
typedef struct wri_picture {
    const wr_render_desc *desc;
    const wri_noise *noise;
    const wri_srgb *srgb;
    wri_shading shading;
    wri_flat flat;
    wri_eye eye;
    wri_film_band band;
    int first_row;              // of the band, in the picture
    int trace_begin, trace_end; // rows of the picture
    int develop_rows;
    int exposure;   // which of several that become one picture
    float shift[2]; // of the points of its pixels, in [0, 1)
    uint8_t *pixels;
    float *light;   // in place of pixels, or NULL
    bool is_cutout; // four channels, without a background
} wri_picture;

// Rays want denormals flushed, and pictures must not depend on the caller's mode; the caller's
// simulation must not notice either.
unsigned wri_enter_float_mode(void);
void wri_leave_float_mode(unsigned before);

// Traces tiles [begin, end) of the rows from trace_begin to trace_end; for wri_parallel_for.
void wri_trace_tile(void *picture, int block, int begin, int end);
