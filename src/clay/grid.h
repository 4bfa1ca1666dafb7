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

// A walk over all points in cells that a cube of half edge `radius` about x reaches:
//     wri_grid_walk walk = wri_grid_near(&grid, x, radius);
//     for (const wri_grid_point *p; (p = wri_grid_next(&walk));) {
typedef struct wri_grid_walk {
    const wri_grid *grid;
    int low[3], size[3]; // cells
    int cell, cells;     // the one it is in, from 1, and how many there are
    int at[3];           // that cell
    int next, end;       // points of its bucket
} wri_grid_walk;

static inline wri_grid_walk wri_grid_near(const wri_grid *grid, f4 x, float radius)
{
    wri_grid_walk w = {.grid = grid};
    for (int k = 0; k < 3; k++) {
        w.low[k] = wri_grid_index(grid, x[k] - radius);
        w.size[k] = wri_grid_index(grid, x[k] + radius) - w.low[k] + 1;
    }
    w.cells = w.size[0] * w.size[1] * w.size[2];
    return w;
}

static inline bool wri_grid_is_in(const wri_grid_walk *w, const wri_grid_point *p)
{
    return wri_grid_index(w->grid, p->x[0]) == w->at[0] &&
           wri_grid_index(w->grid, p->x[1]) == w->at[1] &&
           wri_grid_index(w->grid, p->x[2]) == w->at[2];
}

static inline const wri_grid_point *wri_grid_next(wri_grid_walk *w)
{
    for (;;) {
        while (w->next < w->end) {
            const wri_grid_point *p = &w->grid->points[w->next++];
            if (wri_grid_is_in(w, p)) { // other cells may share the bucket
                return p;
            }
        }
        if (w->cell == w->cells) {
            return NULL;
        }
        int n = w->cell++;
        w->at[0] = w->low[0] + n % w->size[0];
        w->at[1] = w->low[1] + n / w->size[0] % w->size[1];
        w->at[2] = w->low[2] + n / (w->size[0] * w->size[1]);
        uint32_t bucket = wri_grid_bucket(w->grid, w->at[0], w->at[1], w->at[2]);
        w->next = w->grid->begin[bucket];
        w->end = w->grid->begin[bucket + 1];
    }
}
