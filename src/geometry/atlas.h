// atlas.h: a place in the plane for every corner of a surface, in charts that do not overlap.
//
// The plane is measured in texels, y upwards; the centres of texels are at halves. Everything lives
// in the arena.
#pragma once

#include "wrought/texels.h"

#include "../math/double3.h"
#include "topology.h"

// The triangles of a mesh that take part, turned to face outwards.
typedef struct wri_facets {
    wri_arena *arena;
    const wr_mesh *mesh;
    wri_topology topology;
    int count;
    int *vertex; // three per facet, of the mesh
    int *place;  // likewise, of the topology
    int *edge;   // per half edge 3 f + k, from corner k to the next one: the topology's edge
    int *twin;   // per half edge: the one on the other side, -1: none, or several
    double (*normal)[3]; // unit length; zero where there is no area
    double *area;        // m^2
} wri_facets;

bool wri_facets_create(wri_facets *f, wri_arena *arena, const wr_mesh *mesh);

typedef struct wri_atlas {
    int side; // texels
    int chart_count;
    int *chart;      // per facet
    double (*uv)[2]; // per corner, counterclockwise
} wri_atlas;

// The mesh's UVs as an atlas, and what they are like. False: out of memory.
bool wri_atlas_from_uvs(wri_atlas *atlas, const wri_facets *f, int side, wr_uv_report *report);
// An atlas of projections. False: out of memory, or there is no room for so many charts.
bool wri_atlas_generate(wri_atlas *atlas, const wri_facets *f, int side, wr_error *error);
// Gives charts their places in the atlas: uv is in metres before.
bool wri_atlas_pack(wri_atlas *atlas, const wri_facets *f, wr_error *error);

// Triangles in the plane that were put down so far, to see whether another one overlaps them.
typedef struct wri_tiles {
    double origin[2], cell; // of the grid
    int columns, rows;
    int *first;      // per cell: its first item + 1
    wri_array items; // of wri_tile
} wri_tiles;

bool wri_tiles_create(wri_tiles *tiles, wri_arena *arena, const double min[2], const double max[2],
                      int count);
void wri_tiles_destroy(wri_tiles *tiles);
bool wri_tiles_add(wri_tiles *tiles, const double (*corners)[2], int triangle, int group);
// Whether one of the same group has more in common with it than a margin's width.
bool wri_tiles_overlap(const wri_tiles *tiles, const double (*corners)[2], const double (*all)[2],
                       int group, double margin);

// Twice the area, positive when counterclockwise.
static inline double wri_cross2(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
