// skin.h: rigs with examples, and what a body looks like between them.
//
// A rig is plain data: a simulation mesh, handles, a weight per vertex and handle, and examples.
// Example 0 is the rest shape. A vertex's row of blend weights E (one per example, >= 0, sum 1)
// says how far it has gone towards each example:
//
//     x_i = sum_b W_ib ( R(q_b(E_i)) (u_i - c_b) + c_b + d_b(E_i) ) + sum_{e>0} E_ie k_ie
//
// with u rest positions, c handle pivots, q_b(E) = normalised sum_e E_e q_be (all q_be in the
// hemisphere of the rest quaternion), d_b(E) = sum_e E_e d_be, k correctives. Everything is in one
// fixed authoring frame. Part of wrought-rt: needs nothing but the C library. Thread safety: data;
// share it as long as nobody changes it.
#pragma once

#include "base.h"
#include "math.h"

#if defined(__cplusplus)
extern "C" {
#endif

// A point, bone or cage corner the artist moves.
typedef struct wr_handle {
    const char *name;
    wr_vec3 pivot; // metres, at rest
    int parent;    // index of an earlier handle, -1: none
    int vertex;    // simulation vertex that lies exactly on it, -1: none
} wr_handle;

// One handle in one example.
typedef struct wr_handle_pose {
    wr_quat rotation; // about the pivot
    wr_vec3 offset;   // metres, of the pivot
    float stretch[6]; // symmetric scale/shear xx yy zz xy xz yz applied before the rotation; only
                      // sprites use it; identity: 1 1 1 0 0 0
} wr_handle_pose;

// A named deformed state.
typedef struct wr_example {
    const char *name;
    wr_handle_pose *poses; // handle_count
    wr_vec3 *correctives;  // vertex_count, metres, or NULL
} wr_example;

// Where a vertex of the render mesh rides: an element of the simulation mesh and its weights there.
typedef struct wr_ride {
    int element;
    float weights[4]; // of the element's corners, sum 1; the fourth is 0 in 2D
} wr_ride;

typedef struct wr_rig {
    int dimension;    // 3: tetrahedra, 2: triangles in the plane z = 0
    int vertex_count; // N
    wr_vec3 *rest;    // u, metres
    int element_count;
    int *elements;    // dimension + 1 vertices each, positive volume or area
    int handle_count; // B
    wr_handle *handles;
    float *weights;    // N * B, row by row, rows sum to 1
    int example_count; // E, at least 1: the rest shape
    wr_example *examples;
    int ride_count; // vertices of the render mesh, 0: none
    wr_ride *rides;
} wr_rig;

#if defined(__cplusplus)
}
#endif
