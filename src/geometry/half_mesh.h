// half_mesh.h: triangles with their neighbours, and a place in an atlas per corner, to be cut,
// flipped and collapsed.
//
// Half edge 3 t + k runs from corner k of triangle t to the next one. Every operation keeps a
// manifold one: the surface cannot be torn, whatever the numbers are. Everything lives in an arena.
#pragma once

#include "atlas.h"

enum {
    WRI_HALF_SEAM = 1,  // the boundary of a chart, or of the surface: it stays
    WRI_HALF_HELD = 2,  // not to be flipped for now
    WRI_HALF_WAITS = 4, // on the stack
};

typedef struct wri_half_mesh {
    int vertex_count, vertex_room;
    wr_vec3 *points; // per vertex
    int *out;        // per vertex: a half edge that starts there, -1: it is gone
    bool *pinned;    // per vertex: several fans of triangles meet there; it stays
    int *stamp;      // per vertex: number of the question it was last met in
    int question;
    int triangle_count, triangle_room;
    int *corner;     // per half edge: the vertex it starts at; -1: its triangle is gone
    int *twin;       // per half edge: the one on the other side, -1
    uint8_t *mark;   // per half edge
    double (*uv)[2]; // per half edge: where its start is in the atlas, texels
    int *chart;      // per triangle
    int *stack;      // half edges that may have to be flipped
    int stack_count;
} wri_half_mesh;

bool wri_half_mesh_create(wri_half_mesh *m, wri_arena *arena, int vertex_room, int triangle_room);

// The first triangles, before they know each other; uv of their three corners.
void wri_half_mesh_add(wri_half_mesh *m, const int corners[3], const double (*uv)[2], int chart);
// Cuts one of them from a vertex at a share of the way along a half edge to the opposite corner;
// returns the half edge from this vertex to the end.
int wri_half_mesh_cut(wri_half_mesh *m, int half, int vertex, double share);
// Finds twins, seams and pinned vertices. False: out of memory.
bool wri_half_mesh_join(wri_half_mesh *m, wri_arena *arena);

// Adds a vertex within a triangle, or on the edge of it that is nearer than a margin, -1: none.
void wri_half_mesh_insert(wri_half_mesh *m, int triangle, int edge, int vertex, const double uv[2]);

// Lists a half edge for wri_half_mesh_relax.
void wri_half_mesh_push(wri_half_mesh *m, int half);
// Flips what is listed, and what becomes so by that, until every edge is one of Delaunay in the
// atlas.
void wri_half_mesh_relax(wri_half_mesh *m);

// The first half edge at a vertex: with those of wri_half_mesh_around after it, all are met.
int wri_half_mesh_first(const wri_half_mesh *m, int vertex);
// The next one counterclockwise, -1: the fan ends, or is back at `first`.
int wri_half_mesh_around(const wri_half_mesh *m, int half, int first);

// Whether the start of a half edge can be moved into its end, and how well shaped the worst
// triangle is then, (0, 0.5]; 0: it cannot.
double wri_half_mesh_collapse_quality(wri_half_mesh *m, int half);
void wri_half_mesh_collapse(wri_half_mesh *m, int half);

static inline int wri_last_half(int half)
{
    return half % 3 == 0 ? half + 2 : half - 1;
}

// Length of a half edge in the atlas, texels.
static inline double wri_half_length(const wri_half_mesh *m, int half)
{
    const double *a = m->uv[half], *b = m->uv[wri_next_half(half)];
    return wri_length2(b[0] - a[0], b[1] - a[1]);
}
