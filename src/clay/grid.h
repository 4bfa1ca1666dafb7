// grid.h: points in cells, for finding those that are near.
#pragma once

#include "clay.h"

// A point in a cell: where it is and who; cells are runs of these.
typedef struct wri_grid_point {
    float x[3];
    int particle;
} wri_grid_point;

typedef struct wri_grid {
    float cell; // metres
    int count;
    uint32_t mask;          // of buckets
    int *begin;             // per bucket, and one more
    wri_grid_point *points; // by bucket, there by number
} wri_grid;

// Points that are not finite are left out. Lives in scratch. False: out of memory.
bool wri_grid_build(wri_grid *grid, const f4 *points, int count, float cell, wr_scratch *scratch);

static inline int wri_grid_index(const wri_grid *grid, float x)
{
    return (int)floorf(wr_clampf(x / grid->cell, -1e8f, 1e8f));
}

static inline uint32_t wri_grid_bucket(const wri_grid *grid, int x, int y, int z)
{
    uint32_t h = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    return (h ^ h >> 15) & grid->mask;
}

static inline bool wri_grid_is_in(const wri_grid *grid, const wri_grid_point *p, int x, int y,
                                  int z)
{
    return wri_grid_index(grid, p->x[0]) == x && wri_grid_index(grid, p->x[1]) == y &&
           wri_grid_index(grid, p->x[2]) == z;
}
