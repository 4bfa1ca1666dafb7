// environment.h: light that comes from a picture of every direction.
//
// Directions are those of the picture, before it is turned.
#pragma once

#include "wrought/stage.h"
#include "../base/base.h"

typedef struct wri_environment {
    wri_arena arena;
    int width, height; // of the picture, without its sun
    wr_vec3 *pixels;   // radiance
    int cells_across, cells_down;
    wr_vec3 *cells;        // means of pixels, for dull surfaces
    wr_vec3 *diffuse;      // light of all cells on a white surface, by the direction it faces
    float *densities;      // per steradian, of wri_environment_sample
    float *rows, *in_row;  // cumulative shares of rows, and of the cells in each of them
    float bright_share;    // of the light that the bright places have beyond the mean; 0: none
    wr_vec3 upper, lower;  // cosine-weighted means over the halves
    wr_vec3 sun_direction; // zero: there is no sun
    wr_vec3 sun;           // what a white surface facing it sends back
    float sun_size;        // tangent of its radius
    wr_vec3 disc;          // its radiance
    float disc_cosine;     // of its radius; 2: no sun
} wri_environment;

// The source is checked. NULL: out of memory.
wri_environment *wri_environment_create(const wr_environment *source, const wr_allocator *allocator,
                                        wr_error *error);
void wri_environment_destroy(wri_environment *environment); // accepts NULL

// Radiance without the sun, and the same blurred to the size of a cell.
wr_vec3 wri_environment_at(const wri_environment *environment, wr_vec3 direction);
wr_vec3 wri_environment_blurred_at(const wri_environment *environment, wr_vec3 direction);

// Light that a white surface facing the direction sends back where nothing is in the way: what the
// blurred radiance brings, weighted with the cosine.
wr_vec3 wri_environment_diffuse_at(const wri_environment *environment, wr_vec3 direction);

// A direction to the bright places, for numbers in [0, 1), and how densely those lie, per
// steradian. Only where bright_share is not 0.
wr_vec3 wri_environment_sample(const wri_environment *environment, float u, float v);
float wri_environment_density(const wri_environment *environment, wr_vec3 direction);
