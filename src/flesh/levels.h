// levels.h: ever coarser copies of the matrix of a skin. What reaches over many nodes is found on
// them, see relax.h.
#pragma once

#include "blocks.h"

enum { WRI_LEVELS = 4 };

// Some nodes of the next finer level; its other nodes follow those of them that are beside them.
typedef struct wri_level {
    wri_blocks A;                // P^T A P, with P as parents and shares say
    int *parent_begin, *parents; // of each finer node, ascending
    float *shares;               // sum to 1
    int *child_counts;           // of each node: how many finer ones follow it
} wri_level;

typedef struct wri_levels {
    int count; // small skins have none
    wri_level level[WRI_LEVELS];
} wri_levels;

// False: out of memory, which is the arena's.
bool wri_levels_create(wri_levels *out, const wri_blocks *A, wri_arena *arena);
