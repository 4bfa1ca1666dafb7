// morph.h: morph as a material of the world, and what a scene says about one of its bodies.
#pragma once

#include "wrought/material.h"

#include "wrought/morph.h"

extern const wr_material wri_morph_material;

typedef enum wri_scalar_kind {
    WRI_SCALAR_KEYED,   // values over time
    WRI_SCALAR_SPEED,   // m/s, of a joint
    WRI_SCALAR_TURN,    // degrees by which a joint turns against the one above it
    WRI_SCALAR_TOUCHED, // 1 while something touches it, then down to 0 within `fade`
} wri_scalar_kind;

// Where a scalar of the pose comes from.
typedef struct wri_scalar {
    wri_scalar_kind kind;
    int handle;  // of the skeleton: whose speed or turn it is
    double fade; // seconds
    int key_count;
    const double *times, *values; // linear between keys, constant before and after
} wri_scalar;

// A force on a part of the skin.
typedef struct wri_morph_force {
    wr_vec3 at;      // metres, of the model at rest
    wr_vec3 force;   // N, world
    double radius;   // metres: vertices nearer than that share it; the nearest one always does
    double from, to; // seconds
} wri_morph_force;

// What a scene's body of morph has beyond its parameters.
typedef struct wri_morph_setup {
    int scalar_count; // those of its asset, in their order
    const wri_scalar *scalars;
    int force_count;
    const wri_morph_force *forces;
} wri_morph_setup;

// The body behind the state of a material of the world, for tests and measurements.
wr_morph_world *wri_morph_world_of(const void *state, int *body);
