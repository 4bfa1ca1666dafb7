// scatter.h: values given at points that ride on a mesh, and values of its vertices that explain
// them.
//
// With P the interpolation from vertices to points and a the share of each point, values v of the
// points and k of the vertices differ by sum_r a_r |P k - v|^2 = k' S k - 2 k' g + const, where
// S = P' a P and g = P' a v: all that a fit needs to know about the points.
#pragma once

#include "laplacian.h"

#include "wrought/skin.h"

typedef struct wri_scatter {
    wri_elements mesh;
    const wr_ride *rides; // NULL: the points are the vertices themselves
    int count;            // number of points
    double *shares;       // share of each point; they sum to 1. Points of one element share its
                          // part
    wri_sparse gram;      // S
    double size;          // metres: diagonal of the mesh's bounds
    wr_allocator allocator;
} wri_scatter;

// The interpolation of one point. Returns the number of corners.
int wri_scatter_corners(const wri_scatter *s, int point, int vertices[4], double weights[4]);

// mesh, rides and count are set; rides must be in range. Everything lives in the arena.
bool wri_scatter_create(wri_scatter *s, wri_arena *arena);

// g (columns vectors of vertex_count, one after another) from values (a row of columns per point).
void wri_scatter_gather(const wri_scatter *s, const double *values, int columns, double *g);

typedef enum wri_smoothness {
    WRI_SMOOTH_FLAT, // least slope: nothing goes beyond its neighbours, but points stand out
    WRI_SMOOTH_BENT, // least bending: rounder, may swing over
} wri_smoothness;

// Solves S k = g as well as can be while k stays smooth; where no point tells, smoothness alone
// does. Parts without any point become 0. k may be g.
bool wri_scatter_solve(const wri_scatter *s, wri_smoothness smoothness, int columns,
                       const double *g, double *k, wr_error *error);

// The same for values that are distances from 0 in `columns` dimensions, none of which is to be
// farther than its limit (one per vertex): where a point's element reaches far beyond it, what the
// point says of the vertex there is a guess, multiplied by the reach. Vertices that would be are
// pulled back. g is lost.
bool wri_scatter_solve_within(const wri_scatter *s, wri_smoothness smoothness, const double *limits,
                              int columns, double *g, double *k, wr_error *error);
