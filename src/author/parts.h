// parts.h: which triangles share a lattice.
#pragma once

#include "../geometry/winding.h"

typedef struct wri_lattice_part {
    int triangle_count;
    int *triangles;
    wri_soup soup;
} wri_lattice_part;

// What holds a small shell: from a point of it to one of the shell that it belongs to.
typedef struct wri_lattice_bridge {
    int vertex; // of the small shell
    double ends[2][3];
} wri_lattice_bridge;

typedef struct wri_lattice_parts {
    int count;
    wri_lattice_part *items; // parts in order of their first triangle
    int *of_vertex;          // -1: of no triangle, or of triangles without extent
    int shells, nested, glued;
    int bridge_count; // one for each shell that is trim
    wri_lattice_bridge *bridges;
} wri_lattice_parts;

// Finds at most `most` parts, at least 1; 1: everything is one. trim: see wr_lattice_desc. mesh
// must have passed wri_mesh_check. Everything lives in the arena. Fails when nothing has an extent
// or when out of memory.
bool wri_lattice_parts_find(const wr_mesh *mesh, int most, double trim, wri_arena *arena,
                            wri_lattice_parts *out, wr_error *error);
