// layer.h: one layer of tetrahedra between a skin and its core: what it weighs and resists.
//
// Each triangle of the skin and its three partners on the core are a prism, which is cut into three
// tetrahedra. The core does not move in its own frame, so that the unknowns are those of the skin:
// block row i of K has a block for node i and for each neighbour on the surface.
#pragma once

#include "../factor/blocks.h"
#include "wrought/math.h"

typedef struct wri_layer_desc {
    int node_count;
    int triangle_count;
    const wr_vec3 *skin;  // metres, bind pose
    const wr_vec3 *core;  // metres, bind pose: each node's partner
    const bool *fixed;    // nodes that are their own partner; NULL: none
    const int *triangles; // three nodes each, counterclockwise from outside
    const float *factors; // of each node, on young; NULL: 1
    double young;         // Pa
    float poisson;
    double density; // kg/m^3
} wri_layer_desc;

typedef struct wri_layer {
    float *mass;      // kg, of each node: the integral of density times its shape function
    float *core_mass; // kg, likewise of its partner
    wri_blocks K;     // N/m
    double volume;    // m^3, of all tetrahedra
} wri_layer;

// Memory comes from the arena. Fails for a tetrahedron that is turned inside out or has no volume
// (says which triangle's), and out of memory.
bool wri_layer_build(const wri_layer_desc *desc, wri_arena *arena, wri_layer *out, wr_error *error);
