// bcc_key.h: names of the vertices and tetrahedra of a body-centred cubic lattice, as numbers.
//
// The lattice: cubes of two units with a vertex at every corner (even coordinates) and in every
// middle (odd ones). Two neighbouring middles and two neighbouring corners of the square between
// them make a tetrahedron; all are congruent and 24 meet in a vertex, where they fill a convex
// star (a rhombic dodecahedron). A tetrahedron is named by its lower middle, the axis that leads to
// the upper one, and the side of the square.
#pragma once

#include "bcc.h"

static const int wri_bcc_signs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

static inline uint64_t wri_bcc_vertex_key(const int v[3])
{
    return (uint64_t)v[0] << 42 | (uint64_t)v[1] << 21 | (uint64_t)v[2];
}

static inline void wri_bcc_vertex_coordinates(uint64_t key, int v[3])
{
    v[0] = (int)(key >> 42), v[1] = (int)(key >> 21 & 0x1fffff), v[2] = (int)(key & 0x1fffff);
}

// Returns the name of a tetrahedron; middle is its lower one.
static inline uint64_t wri_bcc_tetrahedron_key(const int middle[3], int axis, int side)
{
    return (uint64_t)(middle[0] / 2) << 44 | (uint64_t)(middle[1] / 2) << 24 |
           (uint64_t)(middle[2] / 2) << 4 | (uint64_t)(4 * axis + side);
}

static inline void wri_bcc_square_corner(const int middle[3], int axis, int corner, int out[3])
{
    out[axis] = middle[axis] + 1;
    out[(axis + 1) % 3] = middle[(axis + 1) % 3] + wri_bcc_signs[corner & 3][0];
    out[(axis + 2) % 3] = middle[(axis + 2) % 3] + wri_bcc_signs[corner & 3][1];
}

// Lists the corners in positive order.
static inline void wri_bcc_tetrahedron_corners(uint64_t key, int out[4][3])
{
    int axis = (int)(key & 15) / 4, side = (int)(key & 3);
    out[0][0] = 2 * (int)(key >> 44) + 1;
    out[0][1] = 2 * (int)(key >> 24 & 0xfffff) + 1;
    out[0][2] = 2 * (int)(key >> 4 & 0xfffff) + 1;
    memcpy(out[1], out[0], sizeof out[1]);
    out[1][axis] += 2;
    wri_bcc_square_corner(out[0], axis, side, out[2]);
    wri_bcc_square_corner(out[0], axis, side + 1, out[3]);
}

// Lists the 24 tetrahedra around a vertex.
static inline void wri_bcc_star_keys(const int v[3], uint64_t out[WRI_BCC_STAR])
{
    int n = 0, m[3];
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k < 4; k++) {
            memcpy(m, v, sizeof m);
            if (v[0] & 1) { // one of the two middles
                out[n++] = wri_bcc_tetrahedron_key(m, axis, k);
                m[axis] -= 2;
                out[n++] = wri_bcc_tetrahedron_key(m, axis, k);
            } else { // corner k of a square, between its sides k - 1 and k
                m[axis] -= 1;
                m[(axis + 1) % 3] -= wri_bcc_signs[k][0];
                m[(axis + 2) % 3] -= wri_bcc_signs[k][1];
                out[n++] = wri_bcc_tetrahedron_key(m, axis, k);
                out[n++] = wri_bcc_tetrahedron_key(m, axis, (k + 3) & 3);
            }
        }
    }
}

// Adds the names of the tetrahedra that a triangle crosses to keys (uint64_t). False when out of
// memory (bcc_cut.c).
bool wri_bcc_cut_triangle(const wri_bcc_grid *grid, const double corners[3][3], wri_array *keys);
