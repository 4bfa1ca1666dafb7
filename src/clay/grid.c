// grid.c: a counting sort of points by the bucket of their cell.
#include "grid.h"

static uint32_t bucket_of(const wri_grid *grid, f4 p)
{
    return wri_grid_bucket(grid, wri_grid_index(grid, p[0]), wri_grid_index(grid, p[1]),
                           wri_grid_index(grid, p[2]));
}

static bool is_finite(f4 p)
{
    return wr_is_finite3(f4_vec3(p));
}

bool wri_grid_build(wri_grid *grid, const f4 *points, int count, float cell, wr_scratch *scratch)
{
    uint32_t buckets = 64;
    while (buckets < (uint32_t)count) {
        buckets *= 2;
    }
    *grid = (wri_grid){.cell = cell, .mask = buckets - 1};
    grid->begin = wr_scratch_push(scratch, buckets + 1, sizeof *grid->begin);
    grid->points = wr_scratch_push(scratch, (size_t)count, sizeof *grid->points);
    if (!grid->begin || !grid->points) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (is_finite(points[i])) {
            grid->begin[bucket_of(grid, points[i])]++;
            grid->count++;
        }
    }
    for (uint32_t b = 0, sum = 0; b <= buckets; b++) { // ends, which the loop below moves to begins
        sum += (uint32_t)grid->begin[b];
        grid->begin[b] = (int)sum;
    }
    for (int i = count - 1; i >= 0; i--) {
        if (is_finite(points[i])) {
            int place = --grid->begin[bucket_of(grid, points[i])];
            grid->points[place] = (wri_grid_point){{points[i][0], points[i][1], points[i][2]}, i};
        }
    }
    return true;
}
