// grid.h: points in cells, for finding those that are near.
//
// Cells repeat: bucket (x mod 2^a, y mod 2^b, z mod 2^c) holds all cells that are alike. A walk
// goes over buckets, each once, in runs along x, and may meet points that are far away: whoever
// walks looks at distances anyway.
#pragma once

#include "clay.h"

// A point in a cell: where it is and who; buckets are runs of these.
typedef struct wri_grid_point {
    float x[3];
    int particle;
} wri_grid_point;

typedef struct wri_grid {
    float cell; // metres
    int count;
    int bits[3];            // log2 of the buckets along each axis
    int *begin;             // per bucket, and one more
    wri_grid_point *points; // by bucket, there by number
} wri_grid;

// Points that are not finite are left out. Lives in scratch. False: out of memory.
bool wri_grid_build(wri_grid *grid, const f4 *points, int count, float cell, wr_scratch *scratch);

static inline int wri_grid_index(const wri_grid *grid, float x)
{
    return (int)floorf(wr_clampf(x / grid->cell, -1e8f, 1e8f));
}

static inline int wri_grid_bucket(const wri_grid *grid, int x, int y, int z)
{
    const int *bits = grid->bits;
    return ((z & ((1 << bits[2]) - 1)) << (bits[0] + bits[1])) |
           ((y & ((1 << bits[1]) - 1)) << bits[0]) | (x & ((1 << bits[0]) - 1));
}

// A walk over all points in cells that a cube of half edge `radius` about x reaches, and others:
//     wri_grid_walk walk = wri_grid_near(&grid, x, radius);
//     for (const wri_grid_point *p; (p = wri_grid_next(&walk));) {
typedef struct wri_grid_walk {
    const wri_grid *grid;
    int low[3], size[3]; // cells
    int at[3];           // from low: the cell after the run, and the row that it is in
    int next, end;       // points of the run
} wri_grid_walk;

static inline wri_grid_walk wri_grid_near(const wri_grid *grid, f4 x, float radius)
{
    wri_grid_walk w = {.grid = grid};
    for (int k = 0; k < 3; k++) {
        w.low[k] = wri_grid_index(grid, x[k] - radius);
        int size = wri_grid_index(grid, x[k] + radius) - w.low[k] + 1, most = 1 << grid->bits[k];
        w.size[k] = size < most ? size : most;
    }
    return w;
}

// The next run of buckets along x: up to the end of the row, or to where buckets begin again.
static inline bool wri_grid_next_run(wri_grid_walk *w)
{
    if (w->at[0] == w->size[0]) {
        w->at[0] = 0;
        w->at[2] += ++w->at[1] == w->size[1];
        w->at[1] = w->at[1] == w->size[1] ? 0 : w->at[1];
    }
    if (w->at[2] == w->size[2]) {
        return false;
    }
    const wri_grid *grid = w->grid;
    int x = w->low[0] + w->at[0], period = 1 << grid->bits[0];
    int left = w->size[0] - w->at[0], room = period - (x & (period - 1));
    int length = left < room ? left : room;
    int bucket = wri_grid_bucket(grid, x, w->low[1] + w->at[1], w->low[2] + w->at[2]);
    w->at[0] += length;
    w->next = grid->begin[bucket];
    w->end = grid->begin[bucket + length];
    return true;
}

static inline const wri_grid_point *wri_grid_next(wri_grid_walk *w)
{
    while (w->next == w->end) {
        if (!wri_grid_next_run(w)) {
            return NULL;
        }
    }
    return &w->grid->points[w->next++];
}
