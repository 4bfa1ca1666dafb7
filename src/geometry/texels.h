// texels.h (internal): what the steps of sampling a surface share.
#pragma once

#include "half_mesh.h"

typedef struct wri_texel_work {
    const wr_texels_desc *desc;
    wri_arena arena;
    wri_facets facets;
    wri_atlas atlas;
    wri_half_mesh mesh;
    int *texel;        // per vertex of the mesh: its texel, -1
    wr_mesh_point *at; // per vertex: where it is on the source
    wr_texels *out;
} wri_texel_work;

// Where a ride takes its vertex, and what offset a vector from there is.
wr_vec3 wri_texel_ride_point(const wr_texels *texels, const wr_texel_ride *ride,
                             const wr_vec3 *positions);
wr_vec3 wri_texel_ride_offset(const wr_texels *texels, const wr_texel_ride *ride, wr_vec3 vector);

// The mesh of texels and seams of an atlas. False: out of memory.
bool wri_texels_sample(wri_texel_work *w);
// What the source's vertices ride on, when the samples are in place. False: out of memory.
bool wri_texels_find_rides(wri_texel_work *w, const int *triangle_of);
