// solve.h: linear systems with three unknowns per particle.
#pragma once

#include "clay.h"

// A x = b, with A symmetric and not indefinite, particle by particle.
typedef struct wri_clay_system {
    int count;
    f4 *x; // where it begins, and the solution
    const void *context;
    f4 (*residual)(const void *context, int i);             // b - A x
    f4 (*product)(const void *context, const f4 *p, int i); // A p
    float (*inverse)(const void *context, int i);           // D^-1 that preconditions it
    // It ends when no |D^-1 r| is more than this, or than this share of the largest at first.
    float near, near_share;
    int iterations_max;
} wri_clay_system;

// The iterations that it took; -1: out of memory, x is as it was.
int wri_clay_solve(const wri_clay_system *system, const wr_tasks *tasks, wr_scratch *scratch);
