// biharmonic.h: the energy w' Q w / 2 with Q = L M^-1 L over the free vertices of a mesh, and its
// minimum within bounds.
#pragma once

#include "laplacian.h"

typedef struct wri_biharmonic {
    const wri_laplacian *laplacian;
    int free_count;
    const int *place; // number of each vertex among the free ones, -1: fixed
    double tolerance;
    int round_limit;
    wr_allocator allocator;
    // Filled by build.
    int *vertex; // vertex of each free one
    double *inverse_mass;
    wri_sparse lower, full; // Q
    double *diagonal;
    int *order; // order of elimination
} wri_biharmonic;

// The upper half of the struct must be there. Everything lives in the arena.
bool wri_biharmonic_build(wri_biharmonic *b, wri_arena *arena, wr_error *error);

// Computes r = L M^-1 L w over all vertices; a is scratch.
void wri_biharmonic_gradient(const wri_biharmonic *b, const double *w, double *a, double *r);

typedef struct wri_bounded {
    bool is_done, is_out_of_memory;
    int rounds, factorisations;
    double residual; // beyond a bound, or pulled inwards from one
} wri_bounded;

// The minimum with 0 <= w <= 1 on the free vertices; w comes in as the fixed values and a guess.
// Several threads may do this at once.
wri_bounded wri_biharmonic_bound(const wri_biharmonic *b, double *w);
