// multigrid.h: approximate inverses of Laplacians over the free vertices of several columns at
// once.
//
// Columns go through in blocks of WRI_WIDTH, value beside value: the matrix is read once for all of
// them, and a row is a register. Every column has its own free vertices.
#pragma once

#include "hierarchy.h"

enum { WRI_WIDTH = 4 };
typedef float wri_row __attribute__((vector_size(4 * WRI_WIDTH)));
typedef double wri_wide_row __attribute__((vector_size(8 * WRI_WIDTH), aligned(16)));

typedef struct wri_cycle_level {
    wri_row *x, *b;
    wri_row *is_free;  // 1 or 0
    uint8_t *any_free; // vertices that are free in any column
} wri_cycle_level;

typedef struct wri_cycle {
    const wri_hierarchy *hierarchy;
    int first; // level whose Laplacian is inverted
    wri_cycle_level levels[WRI_LEVELS];
} wri_cycle;

// Everything lives in the arena. False: out of memory.
bool wri_cycle_create(wri_cycle *out, wri_arena *arena, const wri_hierarchy *hierarchy, int first);

// Must be called after levels[first].is_free changed.
void wri_cycle_mask(wri_cycle *cycle);

// levels[first]: x = V b with V near the inverse of the Laplacian over the free vertices, symmetric
// and positive definite. What b is where nothing is free does not matter.
void wri_cycle_run(wri_cycle *cycle);
