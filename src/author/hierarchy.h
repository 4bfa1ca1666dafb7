// hierarchy.h: ever coarser copies of a Laplacian, by smoothed aggregation.
#pragma once

#include "laplacian.h"

enum { WRI_LEVELS = 12 };

typedef struct wri_grid_level {
    wri_laplacian laplacian;
    int *key; // key of each vertex, -1: free; else fixed, those with the same key at the same
              // values
    int free_count;
    // Arrays for smoothing.
    float *values;        // values of the Laplacian, in the places of laplacian.stiffness
    int *diagonal;        // place of the diagonal of each row
    float *inverse;       // 1 / diagonal
    double *inverse_mass; // 1 / laplacian.mass
    double *stiffness;    // diagonal of L M^-1 L
    // Interpolation to the next coarser grid; NULL on the last.
    int *aggregate;     // aggregate of each vertex
    int *begin, *index; // rows of the interpolation P
    float *weight;
} wri_grid_level;

typedef struct wri_hierarchy {
    int count; // number of grids, at least 1; the first is the finest
    wri_grid_level levels[WRI_LEVELS];
} wri_hierarchy;

// Coarsens until a level has at most `coarsest` vertices or does not shrink any more. Takes over
// the laplacian and key of the finest level; everything else lives in the arena. False: out of
// memory.
bool wri_hierarchy_create(wri_hierarchy *out, wri_arena *arena, const wri_laplacian *finest,
                          const int *key, int coarsest);
