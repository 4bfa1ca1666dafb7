// manifold.h: a picture of where between its poses a body spent its time.
//
//     wri_manifold_plot plot = {.title = "hero", .examples = names, .example_count = 6, ...};
//     wri_manifold_draw(&canvas, &plot, &error);
//
// Examples are nodes, simplices the ways between them. The longer the body stayed at a place of a
// way, the darker it is; around every pose goes a clock of the share of the time in which it was
// the nearest one. Poses that were never reached are pale and named below, ways that were never
// used are dashed. Examples that no simplex has are not drawn but named apart.
#pragma once

#include "canvas.h"

typedef struct wri_manifold_simplex {
    int corner_count; // 1 to 3
    int corners[3];   // examples, all different
} wri_manifold_simplex;

// A stay at a place: shares of a simplex' corners, >= 0, sum 1.
typedef struct wri_manifold_stay {
    int simplex;
    float shares[3];
    float seconds;
} wri_manifold_stay;

typedef struct wri_manifold_plot {
    const char *title;
    const char *const *examples; // names
    int example_count;           // at most 512
    const wri_manifold_simplex *simplices;
    int simplex_count;
    const wri_manifold_stay *stays; // such as one per frame
    int stay_count;
    const uint8_t *const *pictures; // of the examples, sRGB with alpha; NULL: dots in their colours
    int picture_size;               // pixels, both sides
} wri_manifold_plot;

// Use of an example as a plot shows it, also for reports in words.
typedef struct wri_manifold_use {
    bool is_there;   // in some simplex: else the body cannot look like it
    bool is_reached; // its share was a half, at least once
    float nearest;   // its largest share, [0, 1]
    double seconds;  // in which its share was the largest
} wri_manifold_use;

// Fails for indices out of range and shares that are none.
bool wri_manifold_check(const wri_manifold_plot *plot, wr_error *error);

// Measures a plot that is sound. uses: example_count. is_used: per simplex, whether the body was at
// a place between the corners, and not only at one of them; a corner alone always is.
void wri_manifold_measure(const wri_manifold_plot *plot, wri_manifold_use *uses, bool *is_used);

// Fills the canvas, of any size; from 160 x 120 pixels on it can be read. Fails when the check
// does, or without memory.
bool wri_manifold_draw(wri_canvas *canvas, const wri_manifold_plot *plot, wr_error *error);
