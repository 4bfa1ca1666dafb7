// laplacian.h: the cotangent Laplacian and the lumped masses of tetrahedra or triangles.
#pragma once

#include "sparse.h"

#include "wrought/math.h"

// Elements have dimension + 1 vertices: tetrahedra or triangles, the latter anywhere in space.
typedef struct wri_elements {
    int dimension, vertex_count, element_count;
    const wr_vec3 *positions;
    const int *elements;
} wri_elements;

typedef struct wri_laplacian {
    wri_sparse stiffness; // L: positive semidefinite, rows sum to 0
    double *mass;         // mass of each vertex, positive
    double measure;       // volume or area
    int flat_count; // elements too flat for cotangents; they only keep their vertices together
} wri_laplacian;

// Builds L and M from positions in units of `size` (any positive length). Turned elements count as
// if they were not.
bool wri_laplacian_create(wri_laplacian *out, wri_arena *arena, const wri_elements *mesh,
                          double size);

// Computes gradients of the linear functions that are 1 in one corner and 0 in the others, and the
// volume or area. False for flat elements.
bool wri_element_gradients(const wri_elements *mesh, int element, double size,
                           double gradients[4][3], double *measure);

// Counts and numbers connected parts in order of their first vertex; -1: out of memory.
int wri_find_parts(const wri_elements *mesh, int *part, const wr_allocator *allocator);
