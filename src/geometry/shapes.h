// shapes.h: a moving surface as a few shapes and how much of each there is in every frame.
#pragma once

#include "wrought/geometry.h"
#include "../base/base.h"

typedef struct wri_shapes {
    wr_vec3 *base; // vertex_count
    int count;
    wr_vec3 *offsets; // shape after shape, from the base; vertex_count each
    float *weights;   // frame after frame, count each; in [0, 1], which is all that some programs
                      // let a weight be
    float error;      // metres: how far a vertex is off at most, in any frame, as floats add it up
} wri_shapes;

// frames: frame_count times vertex_count places, all finite; frame ~ base + sum of weight * offset.
// Takes as few shapes as reach the tolerance in metres, at most `most`; when those do not, the
// error says by how much. What comes out lives in the arena.
bool wri_shapes_find(const wr_vec3 *frames, int frame_count, int vertex_count, int most,
                     float tolerance, wri_arena *arena, wri_shapes *out, wr_error *error);
