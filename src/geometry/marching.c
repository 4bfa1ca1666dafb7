// marching.c: the cases of marching cubes, found instead of listed.
//
// Based on: W. Lorensen, H. Cline. Marching cubes. SIGGRAPH 1987. On a face of a cube the surface
// runs from the edge before every run of inside corners to the edge behind it, so that on a face
// with two inside corners across they are kept apart, whichever cube looks at it: neighbours agree,
// and the surface is closed. Every edge that is cut lies on two faces, begins a line on one and
// ends one on the other; following the lines gives loops of 3 to 7 vertices. A loop is cut into a
// fan none of whose diagonals lies in a face, where the neighbour might have the same one.
#include "marching.h"

#include <stdbool.h>

enum { FACES = 6, NO_EDGE = 255 };

// The lower corner of each edge along an axis, edges counted in [0, 4).
static const int low_corners[3][4] = {{0, 2, 4, 6}, {0, 1, 4, 5}, {0, 1, 2, 3}};

int wri_cube_edge_corner(int edge)
{
    return low_corners[edge / 4][edge % 4];
}

static int edge_between(int a, int b)
{
    int low = a < b ? a : b, axis = (a ^ b) >> 1, k = 0;
    while (low_corners[axis][k] != low) {
        k++;
    }
    return 4 * axis + k;
}

// Lists the corners of a face counter-clockwise, seen from outside the cube.
static void find_face(int face, int corners[4])
{
    int axis = face / 2, b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3;
    const int ring[4] = {0, b, b | c, c};
    for (int k = 0; k < 4; k++) {
        corners[k] = face % 2 ? ring[k] | 1 << axis : ring[3 - k];
    }
}

static bool share_a_face(int e, int f)
{
    int low_e = wri_cube_edge_corner(e), low_f = wri_cube_edge_corner(f);
    for (int axis = 0; axis < 3; axis++) {
        if (e / 4 != axis && f / 4 != axis && ((low_e ^ low_f) >> axis & 1) == 0) {
            return true;
        }
    }
    return false;
}

// Finds the edge at which the surface goes on from every edge that it cuts.
static void find_lines(int inside, uint8_t next[WRI_CUBE_EDGES])
{
    for (int e = 0; e < WRI_CUBE_EDGES; e++) {
        next[e] = NO_EDGE;
    }
    for (int face = 0; face < FACES; face++) {
        int c[4];
        find_face(face, c);
        for (int i = 0; i < 4; i++) {
            int before = c[(i + 3) % 4], k = i;
            if (!(inside >> c[i] & 1) || (inside >> before & 1)) {
                continue; // no run begins here
            }
            while (inside >> c[(k + 1) % 4] & 1) {
                k++;
            }
            next[edge_between(before, c[i])] = (uint8_t)edge_between(c[k % 4], c[(k + 1) % 4]);
        }
    }
}

// The vertex of the loop from which a fan starts.
static int find_apex(const uint8_t *loop, int count)
{
    for (int apex = 0; apex < count; apex++) {
        bool ok = true;
        for (int k = 2; k < count - 1; k++) {
            ok = ok && !share_a_face(loop[apex], loop[(apex + k) % count]);
        }
        if (ok) {
            return apex;
        }
    }
    return 0; // never: every loop of the 256 cases has one
}

static void add_loop(wri_cube_case *out, const uint8_t *loop, int count)
{
    int apex = find_apex(loop, count);
    for (int k = 1; k < count - 1; k++) {
        uint8_t *edges = &out->edges[3 * out->triangle_count++];
        edges[0] = loop[apex];
        edges[1] = loop[(apex + k) % count];
        edges[2] = loop[(apex + k + 1) % count];
    }
}

void wri_cube_fill_cases(wri_cube_case cases[WRI_CUBE_CASES])
{
    for (int inside = 0; inside < WRI_CUBE_CASES; inside++) {
        uint8_t next[WRI_CUBE_EDGES], loop[WRI_CUBE_EDGES];
        cases[inside] = (wri_cube_case){0};
        find_lines(inside, next);
        for (int e = 0; e < WRI_CUBE_EDGES; e++) {
            int count = 0, at = e;
            while (next[at] != NO_EDGE) { // an edge belongs to one loop
                int from = at;
                loop[count++] = (uint8_t)from;
                at = next[from];
                next[from] = NO_EDGE;
            }
            if (count) {
                add_loop(&cases[inside], loop, count);
            }
        }
    }
}
