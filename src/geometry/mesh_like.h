// mesh_like.h: meshes that are made of another one and have everything that it has.
#pragma once

#include "wrought/geometry.h"

// Checks that the runs of triangles of a mesh lie within it.
bool wri_mesh_check_parts(const wr_mesh *mesh, wr_error *error);

// A model with one mesh, which is yet empty, and one node without transform.
wr_model *wri_mesh_create_like(const wr_allocator *allocator, wr_error *error);
// The arrays that `mesh` has, for as many vertices and triangles as `out` says, a copy of its name,
// and its morphs with their names and weights. part_count stays 0. False: out of memory.
bool wri_mesh_alloc_like(wr_model *model, wr_mesh *out, const wr_mesh *mesh);
