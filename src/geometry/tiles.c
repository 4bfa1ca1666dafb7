// tiles.c: triangles in the plane, in the cells of a grid, and whether two of them overlap.
#include "atlas.h"

typedef struct tile {
    int triangle, group;
    int next; // item + 1 of the same cell, 0: none
} tile;

bool wri_tiles_create(wri_tiles *tiles, wri_arena *arena, const double min[2], const double max[2],
                      int count)
{
    const int most = 1024;
    double size = fmax(max[0] - min[0], max[1] - min[1]);
    int cells = (int)fmin(most, fmax(1.0, sqrt((double)count)));
    *tiles = (wri_tiles){.origin = {min[0], min[1]},
                         .cell = size > 0.0 ? size / cells : 1.0,
                         .items = wri_array_create(&arena->allocator, sizeof(tile))};
    tiles->columns = tiles->rows = cells;
    tiles->first = wri_arena_alloc(arena, (size_t)cells * (size_t)cells, sizeof *tiles->first);
    return tiles->first;
}

void wri_tiles_destroy(wri_tiles *tiles)
{
    wri_array_destroy(&tiles->items);
}

// Columns and rows, from and to, of the cells around a triangle.
static void find_cells(const wri_tiles *t, const double (*p)[2], int from[2], int to[2])
{
    const int most[2] = {t->columns - 1, t->rows - 1};
    for (int k = 0; k < 2; k++) {
        double low = fmin(fmin(p[0][k], p[1][k]), p[2][k]);
        double high = fmax(fmax(p[0][k], p[1][k]), p[2][k]);
        from[k] = (int)fmin(fmax(floor((low - t->origin[k]) / t->cell), 0.0), most[k]);
        to[k] = (int)fmin(fmax(floor((high - t->origin[k]) / t->cell), 0.0), most[k]);
    }
}

bool wri_tiles_add(wri_tiles *tiles, const double (*corners)[2], int triangle, int group)
{
    int from[2], to[2];
    find_cells(tiles, corners, from, to);
    for (int y = from[1]; y <= to[1]; y++) {
        for (int x = from[0]; x <= to[0]; x++) {
            int *first = &tiles->first[y * tiles->columns + x];
            tile *item = wri_array_add(&tiles->items, 1);
            if (!item) {
                return false;
            }
            *item = (tile){triangle, group, *first};
            *first = tiles->items.count;
        }
    }
    return true;
}

// How far b would have to go along the normal of an edge of a until it is beyond the edge.
static double find_depth(const double (*a)[2], const double (*b)[2], int k)
{
    const double *p = a[k], *q = a[(k + 1) % 3];
    double length = wri_length2(q[0] - p[0], q[1] - p[1]), depth = -INFINITY;
    for (int i = 0; i < 3; i++) {
        depth = fmax(depth, wri_cross2(p, q, b[i]));
    }
    return length > 0.0 ? depth / length : INFINITY;
}

// Both are counterclockwise.
static bool is_overlap(const double (*a)[2], const double (*b)[2], double margin)
{
    bool apart = false;
    for (int k = 0; k < 3 && !apart; k++) {
        apart = find_depth(a, b, k) <= margin || find_depth(b, a, k) <= margin;
    }
    return !apart;
}

bool wri_tiles_overlap(const wri_tiles *tiles, const double (*corners)[2], const double (*all)[2],
                       int group, double margin)
{
    int from[2], to[2];
    find_cells(tiles, corners, from, to);
    bool found = false;
    for (int y = from[1]; y <= to[1] && !found; y++) {
        for (int x = from[0]; x <= to[0] && !found; x++) {
            int i = tiles->first[y * tiles->columns + x];
            while (i > 0 && !found) {
                const tile *item = &WRI_ITEM(tiles->items, tile, i - 1);
                found =
                    item->group == group && is_overlap(corners, &all[3 * item->triangle], margin);
                i = item->next;
            }
        }
    }
    return found;
}
