// marching.h (internal): the triangles that separate the corners of a cube by their sign.
//
// Corner c lies at (c & 1, c >> 1 & 1, c >> 2 & 1). Edge e runs from corner WRI_EDGE_CORNER(e)
// along axis e / 4.
#pragma once

#include <stdint.h>

enum { WRI_CUBE_CASES = 256, WRI_CUBE_EDGES = 12, WRI_CUBE_TRIANGLES = 5 };

typedef struct wri_cube_case {
    uint8_t triangle_count;
    uint8_t edges[3 * WRI_CUBE_TRIANGLES]; // a vertex each; counter-clockwise seen from outside
} wri_cube_case;

// A case has bit c set when corner c is inside.
void wri_cube_fill_cases(wri_cube_case cases[WRI_CUBE_CASES]);
int wri_cube_edge_corner(int edge); // the lower one
