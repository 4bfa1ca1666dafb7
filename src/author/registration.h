// registration.h: where a drawing went in another picture of it, as rigidly as possible.
//
//     wri_registrar *r = wri_registrar_create(&desc, &error);
//     wri_registrar_find(r, &cell, NULL, x, &report, &error);   // as often as there are cells
//     wri_registrar_destroy(r);
//
// Places are in pixels from the picture's lower left corner, +Y up. The same input gives the same
// bits.
#pragma once

#include "wrought/geometry.h"

#include "../base/base.h"

typedef double wri_place2[2];

typedef struct wri_registrar_desc {
    const wr_image *picture; // alpha is its shape
    int vertex_count;
    const wri_place2 *rest;
    int element_count;
    const int *elements; // three vertices each, counter-clockwise
    const wr_allocator *allocator;
} wri_registrar_desc;

typedef struct wri_registration {
    double overlap;  // overlap of the shapes: what both cover, of what one of them does
    double outline;  // pixels: distance of the outlines, root mean square over both
    double farthest; // the largest such distance
    double color;    // difference where both are, root mean square, of 1
} wri_registration;

typedef struct wri_registrar wri_registrar;
wri_registrar *wri_registrar_create(const wri_registrar_desc *desc, wr_error *error);
void wri_registrar_destroy(wri_registrar *registrar); // accepts NULL

// Finds places of the vertices in a picture of the same size. start: where to look first besides at
// rest, as in the cell before; or NULL. Fails when the picture shows no shape, or when out of
// memory.
bool wri_registrar_find(wri_registrar *registrar, const wr_image *picture, const wri_place2 *start,
                        wri_place2 *x, wri_registration *report, wr_error *error);
