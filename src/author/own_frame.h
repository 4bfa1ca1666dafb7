// own_frame.h: a mesh as its shape alone tells it.
#pragma once

#include "../base/base.h"
#include "wrought/geometry.h"

// Turned, mirrored, renumbered and split copies of a shape have the same one.
typedef struct wri_own_frame {
    double axes[3][3]; // see wri_shape_frame
    bool is_mirrored;  // the axes are left-handed; triangles are turned to match
    wr_mesh mesh;      // positions along the axes, each place once, in order; triangles in order
    int *place_of;     // per vertex of the original: its vertex of mesh
} wri_own_frame;

// Everything lives in the arena. False when out of memory.
bool wri_own_frame_create(wri_own_frame *frame, const wr_mesh *mesh, wri_arena *arena);
