// bcc.h: the tetrahedra of a body-centred cubic lattice that a surface crosses or encloses.
#pragma once

#include "../geometry/winding.h"
#include "key_table.h"

// Lattice coordinates are integers: all even (corners of cubes) or all odd (their middles). A cube
// is two units wide.
typedef struct wri_bcc_grid {
    double origin[3]; // metres, of coordinate 0
    double unit;      // metres
} wri_bcc_grid;

enum { WRI_BCC_COORDINATE_MAX = (1 << 20) - 8 };
// Volume of a tetrahedron in cubic units.
#define WRI_BCC_VOLUME (2.0 / 3.0)
// Tetrahedra around an inner vertex.
#define WRI_BCC_STAR 24

// Tetrahedra and vertices in an order that depends on their places alone.
typedef struct wri_bcc {
    wri_bcc_grid grid;
    int vertex_count, tetrahedron_count;
    double *positions; // metres, three per vertex
    int *tetrahedra;   // four vertices each, positive
} wri_bcc;

// The shape to fill. Segments are kept as if they belonged to the surface.
typedef struct wri_bcc_input {
    const wri_soup *soup;
    const double (*segments)[2][3]; // metres
    int segment_count;
    wri_bcc_grid grid; // all coordinates of soup and segments in [4, WRI_BCC_COORDINATE_MAX]
    const wr_tasks *tasks;
} wri_bcc_input;

// Fills the input. The result lives in the arena, working memory comes from its allocator.
bool wri_bcc_fill(const wri_bcc_input *input, wri_arena *arena, wri_bcc *out, wr_error *error);
