// plate.h: sheet metal in a lattice of air; all lengths in sizes of the body.
//
// Space in and around the body is filled with tetrahedra. Where its triangles are, faces of them
// are the sheet, with edges and hinges; the rest is air, which gives way to everything but will not
// turn inside out. As long as no tetrahedron does, nothing of the body passes through anything.
//
// Symbols: x places of the nodes, w their mobilities (1 / mass, 0: held), theta the angle across
// an edge, 0 when flat.
#pragma once

#include "wrought/crush.h"

#include "../geometry/topology.h"

typedef struct wri_plate_edge {
    int a, b;
    double length;     // at rest
    double compliance; // 0: sheet
} wri_plate_edge;

// Two triangles with a common edge.
typedef struct wri_plate_hinge {
    int wing[2], edge[2];
    double rest;                // angle at which it rests; flows
    double angle, sine, cosine; // now
    double compliance;          // 1 / stiffness of the elastic part
    double yield;               // elastic part of the angle, at most
    double folded;              // sum of what has flowed
} wri_plate_hinge;

typedef struct wri_plate_part {
    int first, count; // into part_points
} wri_plate_part;

// Six times the volumes of a tetrahedron: at least what it wants, at least what it must have.
typedef struct wri_plate_cell {
    int nodes[4];
    double wanted, needed;
} wri_plate_cell;

typedef struct wri_plate {
    wri_arena *arena;
    wri_topology topology;  // of the mesh
    double middle[3], size; // of the mesh, to go back to metres
    double low, high;       // ends of the mesh along the press
    double pitch;           // of the lattice
    int count;
    double (*rest)[3], (*x)[3], (*before)[3];
    double (*flaw)[3]; // by which a node is nudged in every step of the press
    double *area;      // of the sheet around a node, 0: air
    double *mobility;  // see the top
    int *part;         // rigid part of each node, -1: none
    int triangle_count;
    int (*triangles)[3]; // of the sheet
    int link_count;
    int (*links)[2]; // edges of the cells
    int edge_count, sheet_edge_count;
    wri_plate_edge *edges; // of the sheet first, then of the air
    int hinge_count;
    wri_plate_hinge *hinges;
    int part_count;
    wri_plate_part *parts;
    int *part_points;
    int cell_count; // all at first, then those that can move
    wri_plate_cell *cells;
    int *cells_begin, *cells_around; // of each node
    int close_count;
    int *close;                    // cells that are nearly too small
    int *suspects, *next_suspects; // cells, see air.c
    uint8_t *is_suspect;
    double *share;        // of its last step that a node keeps
    int (*home)[4];       // of each place: nodes of the cell that it is in
    double (*weights)[4]; // and its share of each of them
} wri_plate;

// Builds it at rest. axes: of the lattice, the last is the unit direction of the press. False with
// a sentence.
bool wri_plate_build(wri_plate *plate, wri_arena *arena, const wr_crush_desc *desc,
                     const double axes[3][3], wr_error *error);

// The angle of a hinge and its gradient by both wings and both ends of the edge; false: it is too
// thin to tell.
bool wri_hinge_angle(const double (*x)[3], const wri_plate_hinge *hinge, double *angle,
                     double gradient[4][3]);

// One round over what the sheet wants and the cells that are nearly too small. back: in the other
// order, so that the order leaves no lean; flows: folds that are beyond their yield stay; step: of
// time, of a press that takes 1.
void wri_plate_relax(wri_plate *plate, double step, bool back, bool flows);
// The same of the edges of cells in the air.
void wri_plate_even_air(wri_plate *plate, double step, bool back);
void wri_plate_match_parts(wri_plate *plate);

// --- the lattice (lattice.c) ------------------------------------------------------------------

// Nodes, cells, the sheet's triangles and areas, and where the vertices of the mesh are in it.
bool wri_plate_fill(wri_plate *plate, const double axes[3][3], double pitch);

// --- air (air.c) ------------------------------------------------------------------------------

double wri_cell_volume(const double (*x)[3], const int nodes[4]); // six times of it, signed
// Leaves out cells that cannot change and says how small the others may become.
bool wri_air_begin(wri_plate *plate);
void wri_air_relax(wri_plate *plate, bool back);
// Takes back as much of the last step, node by node, as makes every cell keep what it needs.
void wri_air_guard(wri_plate *plate);

// --- the tool (tool.c) ------------------------------------------------------------------------

typedef struct wri_tool {
    wr_crush_shape shape;
    double axes[3][3]; // side, axis, way
    double start[3];   // its front before it sets out
    double radius;
    int cells[3]; // of a mesh: distances at the corners of a grid
    double corner[3], pitch;
    const float *distances;
} wri_tool;

// The axis as far as it is across the way; upright by default, along x where the way is upright.
bool wri_tool_axes(wr_vec3 axis, const double way[3], double axes[3][3]);
bool wri_tool_create(wri_tool *tool, wri_arena *arena, const wr_crush_desc *desc,
                     const wri_plate *plate, const double axes[3][3], wr_error *error);
// Signed distance, negative inside, after a travel; normal: away from the tool, unit.
double wri_tool_distance(const wri_tool *tool, double travel, const double p[3], double normal[3]);
// The travel at which it first touches a node of the sheet; infinite: it misses.
double wri_tool_first_touch(const wri_tool *tool, const wri_plate *plate);
// Moves its way sideways, so that it goes through the node of the sheet that is nearest to it.
void wri_tool_turn_to_nearest(wri_tool *tool, const wri_plate *plate);

// --- shells (shells.c) ------------------------------------------------------------------------

// Heaps of triangles that are connected, and which of them pass through one another at rest: those
// have been modelled so, and go on doing it.
typedef struct wri_shells {
    int count;
    int *of_place;
    uint8_t *crossing; // count rows of count, NULL: there are too many to tell
} wri_shells;

bool wri_shells_find(wri_shells *shells, const wri_topology *topology);

static inline bool wri_shells_cross(const wri_shells *s, int a, int b)
{
    int one = s->of_place[a], two = s->of_place[b];
    return one != two &&
           (!s->crossing || s->crossing[(size_t)one * (size_t)s->count + (size_t)two]);
}

// --- triangles that cross (crossings.c) -------------------------------------------------------

// Triangles that cross, as places move again and again: pairs of which none moved are kept.
typedef struct wri_crossings {
    const wri_topology *s;
    const wri_shells *shells; // as below
    wr_vec3 *points;          // of places, at the last search
    uint8_t *moved;           // per triangle: it has since
    wri_array pairs;
    bool searched;
} wri_crossings;

// What it needs lives in the arena, pairs on the heap; end also after a failure.
bool wri_crossings_begin(wri_crossings *c, const wri_topology *s, const wri_shells *shells,
                         wri_arena *arena);
void wri_crossings_end(wri_crossings *c);
bool wri_crossings_find(wri_crossings *c, const wr_vec3 *points, uint8_t *crosses); // as below
// Marks triangles that cross another one, with places at points; with shells, only those that do
// not cross at rest.
bool wri_find_crossings(const wri_topology *topology, const wri_shells *shells,
                        const wr_vec3 *points, uint8_t *crosses);
// Where the places of the mesh are now, and how many triangles cross newly there or half the way
// to there, whichever are more: what shows a crush shows it partly, too.
bool wri_plate_place_mesh(const wri_plate *plate, wr_vec3 *places, int *crossing_count);
bool wri_plate_is_rigid(const wri_plate *plate, int place); // all of its cell is of one part
// Gives edges of the mesh their lengths back (lengths.c).
bool wri_plate_keep_lengths(const wri_plate *plate, wri_crossings *found, wri_arena *arena,
                            wr_vec3 *places);
