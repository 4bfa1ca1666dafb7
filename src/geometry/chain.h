// chain.h: a moving surface as shapes that are added one after the other, each for good.
#pragma once

#include "shapes.h"

// Shapes of a surface, each of which holds from its picture on until the next one's.
typedef struct wri_holds {
    int vertex_count, picture_count;
    int count;        // at least 1
    int *first;       // ascending from 0: the picture in which each begins
    wr_vec3 **points; // vertex_count each
} wri_holds;

// Shapes and their weights at a few pictures, between which straight lines do.
typedef struct wri_chain {
    wri_shapes shapes; // base is the rest; weights: key after key
    int key_count;
    int *keys; // pictures, ascending from 0
} wri_chain;

// Takes the smallest tolerance in metres from `tolerance` to `loosest`, in steps of a fifth, with
// which at most `most` shapes do. *found is false when none does: what moves to and fro is none of
// a chain's. The offsets of vertices that a shape leaves alone are 0. What comes out lives in the
// arena. Fails when out of memory.
bool wri_chain_find(const wri_holds *holds, const wr_vec3 *rest, int most, float tolerance,
                    float loosest, wri_arena *arena, wri_chain *out, bool *found, wr_error *error);
