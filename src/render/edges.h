// edges.h: the edges of a mesh, for outlines.
#pragma once

#include "wrought/geometry.h"
#include "../base/base.h"

// Vertices, and the triangles on both sides; b is -1 at a border, and where three or more meet.
typedef struct wri_edge {
    int vertices[2];
    int a, b;
} wri_edge;

// Vertices at the same place are one. In the arena; edges is not NULL afterwards.
bool wri_edges_find(const wr_mesh *mesh, wri_arena *arena, wri_edge **edges, int *count,
                    wr_error *error);
