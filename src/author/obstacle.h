// obstacle.h: minima of the energy w' L M^-1 L w / 2 with 0 <= w <= 1, for many columns on a mesh
// of any size. Time and memory grow little faster than the vertices.
#pragma once

#include "multigrid.h"

typedef struct wri_obstacle_column {
    int rounds;
    int steps;     // steps of conjugate gradients in a round
    double error;  // estimate: how far a weight is from the minimum
    double energy; // energy before the last round
    bool is_done;
} wri_obstacle_column;

typedef struct wri_obstacle {
    const wri_hierarchy *hierarchy;
    int level;
    int column_count;
    double *w;                    // column after column: fixed values and a guess; the minimum
    double *before;               // w as it was a round ago, of the same size
    wri_obstacle_column *columns; // zeroed
    double tolerance;             // tolerance of a weight
    int round_limit;
    wr_allocator allocator;
    wr_tasks tasks;
} wri_obstacle;

// A few rounds for the columns that are not done. False: out of memory. The same bits for every
// number of workers.
bool wri_obstacle_run(wri_obstacle *obstacle);

// True when a column is done or has had its rounds.
bool wri_obstacle_is_over(const wri_obstacle *obstacle, int column);
