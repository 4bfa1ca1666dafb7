// lattice.h: what the makers of simulation meshes share.
#pragma once

#include "wrought/author.h"

#include "../base/base.h"

typedef struct wri_lattice_sizes {
    int dimension, vertices, elements, handles, render;
} wri_lattice_sizes;

// Allocates zeroed arrays of these lengths; the counts of vertices and elements are left to the
// caller.
wr_lattice *wri_lattice_allocate(const wri_lattice_sizes *sizes, const wr_allocator *allocator,
                                 wr_error *error);
// Makes a lattice of the artist's tetrahedra as one part; those that are inside out are turned and
// counted, flat ones left out. is_boundary stays 0.
wr_lattice *wri_lattice_from_tets(const wr_tet_mesh *mesh, const wr_allocator *allocator,
                                  int *flipped, wr_error *error);
bool wri_handles_check(const wr_vec3 *handles, int count, wr_error *error);
