// topology.h: the connections of a triangle mesh: places, edges, shells, sides.
//
// A topology is built step by step; each step needs the ones before it. Everything lives in the
// arena. A step returns false when out of memory.
#pragma once

#include "wrought/geometry.h"

#include "../base/base.h"

typedef enum wri_fate {
    WRI_LEFT_OUT = 0, // the caller left it out
    WRI_KEPT,         // takes part in edges and shells
    WRI_COLLAPSED,    // has fewer than three places
    WRI_DUPLICATE,    // three places and side of an earlier triangle
    WRI_BACK_TO_BACK, // three places of an earlier triangle, other side; takes part as well
} wri_fate;

typedef struct wri_shell {
    int triangle_count, first_triangle;
    int largest_triangle; // number of the largest triangle by area
    bool is_closed, is_orientable, is_consistent;
    bool is_inverted; // closed and orientable, and has to be turned as a whole
    double area;
    double volume; // signed, with turned triangles turned; 0 for open and flat shells
    wr_box box;
} wri_shell;

typedef struct wri_topology {
    wri_arena *arena;
    int vertex_count, triangle_count, place_count;
    int *place;       // place of each vertex
    wr_vec3 *points;  // position of each place: that of its first vertex
    int *corners;     // places, three per triangle
    uint8_t *fate;    // wri_fate of each triangle
    int *original;    // the triangle of which a duplicate is one
    wr_box bounds;    // bounds of the triangles' corners
    double size;      // diagonal of the bounds
    double middle[3]; // middle of the bounds

    int edge_count;
    int *edge_begin; // edge_count + 1 offsets into half_edges
    int *half_edges; // 3 t + k runs from corner k of triangle t to the next one; by edge, ascending
    int *edge;       // edge of each half edge, -1 when its triangle does not take part
    int *sorting;    // working memory of wri_topology_find_edges

    int shell_count;
    wri_shell *shells; // shells in order of their first triangle
    int *shell;        // shell of each triangle, -1 when it does not take part
    uint8_t *turned;   // 1: the triangle faces another side than most of its shell's area
} wri_topology;

// Checks that positions are finite, indices in range, counts small enough.
bool wri_mesh_check(const wr_mesh *mesh, wr_error *error);

// Places of vertices at equal positions, then of places within `weld` times the size: every place
// goes to the first one within this distance that went to no other, so nothing moves further.
bool wri_topology_begin(wri_topology *s, wri_arena *arena, const wr_mesh *mesh, double weld);

// A property that vertices carry besides their position: an array with a row of 4-byte words per
// vertex. Vertices are welded when all rows agree, and all rows go to the cleaned mesh.
typedef struct wri_rows {
    void *values;
    int words;
} wri_rows;
// Lists the rows that are there, in a fixed order; NULL when out of memory.
wri_rows *wri_mesh_rows(const wr_mesh *mesh, wri_arena *arena, int *count);

// The first vertex at the same place that agrees in all rows.
bool wri_topology_find_twins(const wri_topology *s, const wr_mesh *mesh, int *twin);

// Finds the fates of all triangles but those left out.
bool wri_topology_find_fates(wri_topology *s);
bool wri_topology_find_edges(wri_topology *s);  // finds the edges of the triangles that take part
bool wri_topology_find_shells(wri_topology *s); // finds the shells with turned, area, volume,
                                                // is_closed, ...
bool wri_topology_find_sides(wri_topology *s);  // finds is_inverted

static inline bool wri_takes_part(uint8_t fate)
{
    return fate == WRI_KEPT || fate == WRI_BACK_TO_BACK;
}

static inline int wri_edge_triangles(const wri_topology *s, int edge)
{
    return s->edge_begin[edge + 1] - s->edge_begin[edge];
}

// The half edge on the other side of an edge of two triangles, else -1.
static inline int wri_other_half(const wri_topology *s, int half)
{
    int begin = s->edge_begin[s->edge[half]];
    bool is_pair = wri_edge_triangles(s, s->edge[half]) == 2;
    return !is_pair ? -1 : s->half_edges[begin + (s->half_edges[begin] == half)];
}

static inline int wri_next_half(int half)
{
    return half % 3 == 2 ? half - 2 : half + 1;
}

// True when the height over the longest side is too small to tell the triangle from a line.
bool wri_is_thin(const wr_vec3 *points, const int *corners, double size);

// The length that float positions cannot resolve, as a part of the size: three roundings.
#define WRI_TOUCH 2e-7

// Finds pairs of triangles that cross, counted at the one that comes first; thin triangles and
// those that do not take part are left out. A search may not take for ever when everything crosses
// everything: it ends after `visits` of triangles near another one, and then *complete is false and
// the counts are too low. What is found does not depend on the tasks.
bool wri_topology_find_crossings(const wri_topology *s, const wr_tasks *tasks, int64_t visits,
                                 int *crossings, bool *complete);
// Enough for 5 700 triangles that all cross each other, and for any number of those that are near
// VISITS_EACH others.
enum { WRI_CROSSING_VISITS = 1 << 25, WRI_CROSSING_VISITS_EACH = 64 };
// True when two triangles, given by places, cross; touch is a length.
bool wri_triangles_cross(const wr_vec3 *points, const int *s, const int *t, double touch);

bool wri_mesh_inspect(const wr_mesh *mesh, const wr_tasks *tasks, const wr_allocator *allocator,
                      wr_mesh_report *report, wr_error *error);
