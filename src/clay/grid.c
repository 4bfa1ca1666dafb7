// grid.c: a counting sort of points by the bucket of their cell.
#include "grid.h"

static int bucket_of(const wri_grid *grid, f4 p)
{
    return wri_grid_bucket(grid, wri_grid_index(grid, p[0]), wri_grid_index(grid, p[1]),
                           wri_grid_index(grid, p[2]));
}

static bool is_finite(f4 p)
{
    return wr_is_finite3(f4_vec3(p));
}

// As many buckets as points, most where there are most cells: few cells are then alike.
static void choose_bits(wri_grid *grid, const f4 *points, int count)
{
    f4 low = {0}, high = {0};
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (is_finite(points[i])) {
            f4 p = points[i];
            for (int k = 0; k < 3; k++) {
                low[k] = any ? fminf(low[k], p[k]) : p[k];
                high[k] = any ? fmaxf(high[k], p[k]) : p[k];
            }
            any = true;
        }
    }
    float cells[3]; // that share a bucket
    for (int k = 0; k < 3; k++) {
        grid->bits[k] = 2;
        cells[k] = (high[k] - low[k]) / grid->cell / 4.0f;
    }
    for (int buckets = 64; buckets < count; buckets *= 2) {
        int axis = cells[0] >= cells[1] ? 0 : 1;
        axis = cells[axis] >= cells[2] ? axis : 2;
        grid->bits[axis]++;
        cells[axis] *= 0.5f;
    }
}

bool wri_grid_build(wri_grid *grid, const f4 *points, int count, float cell, wr_scratch *scratch)
{
    *grid = (wri_grid){.cell = cell};
    choose_bits(grid, points, count);
    int buckets = 1 << (grid->bits[0] + grid->bits[1] + grid->bits[2]);
    grid->begin = wr_scratch_push(scratch, (size_t)buckets + 1, sizeof *grid->begin);
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
    for (int b = 0, sum = 0; b <= buckets; b++) { // ends, which the loop below moves to begins
        sum += grid->begin[b];
        grid->begin[b] = sum;
    }
    for (int i = count - 1; i >= 0; i--) {
        if (is_finite(points[i])) {
            int place = --grid->begin[bucket_of(grid, points[i])];
            grid->points[place] = (wri_grid_point){{points[i][0], points[i][1], points[i][2]}, i};
        }
    }
    return true;
}
