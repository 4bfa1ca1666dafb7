// planar.h: the mesh of an image while it is made; everything is in pixels.
#pragma once

#include "wrought/author.h"

#include "outline.h"

typedef double wri_point2[2];

typedef struct wri_planar {
    const wr_planar_desc *desc;
    wri_outline outline;
    double spacing;       // pixels
    double shift[2];      // shift of the inner samples, in spacings
    wri_array points;     // wri_point2
    wri_array is_fixed;   // uint8_t
    wri_array edges;      // int[2], of the outline
    wri_array triangles;  // int[3], inside
    wri_array bin_begin;  // int: edges by rows of one spacing
    wri_array bin_edges;  // int
    wri_array bin_points; // int, first point in each square of one spacing, -1
    wri_array bin_next;   // int, beside points
    wri_array handles;    // int, the point of each handle
    int columns, rows;
} wri_planar;

static inline double *wri_planar_point(const wri_planar *p, int i)
{
    return ((wri_point2 *)p->points.items)[i];
}

static inline int (*wri_planar_edges(const wri_planar *p))[2]
{
    return p->edges.items;
}

// A name of the edge between two points, whichever comes first.
static inline uint64_t wri_planar_edge_key(int a, int b)
{
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

// --- planar_samples.c -------------------------------------------------------------------------

// Places all samples at the present spacing. False when out of memory.
bool wri_planar_place_samples(wri_planar *p);
// Returns the number of the new point, -1 when out of memory.
int wri_planar_add_point(wri_planar *p, double x, double y, bool is_fixed);
bool wri_planar_add_edge(wri_planar *p, int a, int b);
// Sorts edges by the rows that they pass through, for wri_planar_is_inside.
bool wri_planar_bin_edges(wri_planar *p);
bool wri_planar_is_inside(const wri_planar *p, double x, double y);

// --- planar_lattice.c -------------------------------------------------------------------------

// Numbers the points that triangles use, -1 for the others. Returns how many there are.
int wri_planar_mark_used(const wri_planar *p, int *place);
// Makes the lattice of the triangles; NULL on failure.
wr_lattice *wri_planar_finish(wri_planar *p, wr_error *error);
