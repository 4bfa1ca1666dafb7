// profiles.h: a moving surface as shapes of which every vertex uses few.
#pragma once

#include "shapes.h"

// Shapes of a surface, each of which holds from its picture on until the next one's.
typedef struct wri_holds {
    int vertex_count, picture_count;
    int count;        // at least 1
    int *first;       // ascending from 0: the picture in which each begins
    wr_vec3 **points; // vertex_count each
} wri_holds;

// Shapes and their weights at keys, between which straight lines do. The weights of a shape are its
// profile in time.
typedef struct wri_profiles {
    wri_shapes shapes; // base is the rest; weights: key after key
    int key_count;
    int *keys; // pictures, ascending from 0
    int *held; // the hold that each key shows
} wri_profiles;

typedef struct wri_profiles_desc {
    int most;                 // shapes
    float tolerance, loosest; // metres
    float
        step; // offsets are multiples of it, in metres, and weights of a thousandth; 0: of nothing
} wri_profiles_desc;

// Takes the smallest tolerance from `tolerance` to `loosest`, in steps of the square root of 2,
// within which at most `most` shapes come; what rounding adds is in the error alone. *found is
// false when none is. The offsets of vertices that a shape leaves alone are 0. What comes out lives
// in the arena. Fails when out of memory.
bool wri_profiles_find(const wri_holds *holds, const wr_vec3 *rest, const wri_profiles_desc *desc,
                       wri_arena *arena, wri_profiles *out, bool *found, wr_error *error);

// Other vectors of the vertices that change with the same profiles: a shape's multiples of its
// weights add up to what they are at some of the keys, within the tolerance where that is possible.
// values: key after key, shape_vertices each; coefficients: shape after shape.
bool wri_profiles_fit(const wri_profiles *profiles, const int *keys, int key_count,
                      const wr_vec3 *values, int vertex_count, float tolerance,
                      wr_vec3 *coefficients, wr_error *error);
