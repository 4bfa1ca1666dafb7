// morph_modes.h (internal): stages of building soft characters, and what they share.
#pragma once

#include "../morph/morph.h"
#include "morph.h"
#include "sparse.h"

typedef struct wri_morph_builder {
    const wri_morph_build_desc *desc;
    wri_morph_report *report;
    wr_morph_data *data; // the result
    wri_arena arena;     // lives as long as the building
    wr_ride *rides;      // those of the desc, or of vertices that are nodes
    double size;         // metres: diagonal of the bounds
    int free_count;
    int *free_of; // of each node: which of the free ones it is, -1: fixed
} wri_morph_builder;

// Marks nodes of tetrahedra that bones cross.                                            (5.2)
bool wri_morph_fix_bones(wri_morph_builder *b, wr_error *error);
// Offsets of nodes and details of vertices.                                              (5.2)
bool wri_morph_relax(wri_morph_builder *b, wr_error *error);
bool wri_morph_find_space(wri_morph_builder *b, wr_error *error);
bool wri_morph_find_basis(wri_morph_builder *b, wr_error *error);

// The stiffness of a target between free nodes, its lower triangle: three rows per free node.
bool wri_morph_stiffness(const wri_morph_builder *b, int target, wri_arena *arena, wri_sparse *out,
                         wr_error *error);

// `count` vectors of K x = lambda M x with the least lambda, ascending, mass-orthonormal, by
// Lanczos' iteration on K^-1 M. lower: of K, positive definite; mass: per row.
typedef struct wri_modes_desc {
    const wri_sparse *lower;
    const double *mass;
    int count;
    const wr_allocator *allocator;
} wri_modes_desc;
bool wri_modes_find(const wri_modes_desc *desc, double *lambda, double *vectors, wr_error *error);
