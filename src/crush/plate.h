// plate.h: the sheet as points, edges, hinges and rigid parts; all lengths in sizes of the body.
//
// Symbols: x places of the points, w their mobilities (1 / mass, 0: held), theta the angle across
// an edge, 0 when flat. Points of the mesh at one place are one point.
#pragma once

#include "wrought/crush.h"

#include "../geometry/topology.h"

typedef struct wri_plate_edge {
    int a, b;
    double length; // at rest
} wri_plate_edge;

// Two triangles with a common edge.
typedef struct wri_plate_hinge {
    int wing[2], edge[2];
    double rest;       // angle at which it rests; flows
    double angle;      // last one, to tell a turn from its complement
    double compliance; // 1 / stiffness of the elastic part
    double yield;      // elastic part of the angle, at most
    double folded;     // sum of what has flowed
} wri_plate_hinge;

typedef struct wri_plate_part {
    int first, count; // into part_points
    double middle[3]; // of its rest
} wri_plate_part;

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

typedef struct wri_plate {
    wri_arena *arena;
    wri_shells shells;
    int count, vertex_count;
    const int *place; // point of each vertex
    double (*rest)[3], (*x)[3], (*before)[3];
    double (*safe)[3]; // where nothing crossed, see untangle.c
    int *jams;         // times in a row that a point went back there
    int patience;      // those after which it is let through
    double *mobility;
    int *part; // rigid part of each point, -1: none
    int edge_count;
    wri_plate_edge
        *edges; // the first skin_edge_count are the mesh's, the others tie parts together
    int skin_edge_count;
    int hinge_count;
    wri_plate_hinge *hinges;
    int triangle_count; // those that can move
    int (*triangles)[3];
    int part_count;
    wri_plate_part *parts;
    int *part_points;
    double middle[3], size; // of the mesh, to go back to metres
    double thickness;       // distance that sheets keep from each other, at most
    double *room;           // the same of each point: no more than there is at rest
} wri_plate;

// Builds it at rest. way: unit direction of the press. False with a sentence.
bool wri_plate_build(wri_plate *plate, wri_arena *arena, const wr_crush_desc *desc,
                     const double way[3], wr_error *error);

// The angle of a hinge and its gradient by both wings and both ends of the edge; false: it is too
// thin to tell.
bool wri_hinge_angle(const double (*x)[3], const wri_plate_hinge *hinge, double *angle,
                     double gradient[4][3]);

// One round over everything that the sheet itself wants. back: in the other order, so that the
// order leaves no lean. step: of time, of a press that takes 1.
void wri_plate_relax(wri_plate *plate, double step, bool back);
void wri_plate_match_parts(wri_plate *plate);

// --- ties between shells (ties.c) -------------------------------------------------------------

// Adds edges that hold shells together which touch or nearly touch.
bool wri_plate_tie(wri_plate *plate, const wri_topology *topology, wri_array *edges);

// --- sheets that meet (contact.c) -------------------------------------------------------------

typedef struct wri_touch {
    uint64_t key;
    int points[4]; // point and triangle, or two edges
    float gap;     // that is kept
    int8_t side;   // on which side it was when it was last outside
} wri_touch;

typedef struct wri_contacts {
    wri_array corners, edges; // wri_touch, ascending keys: points with triangles, edges with edges
    wri_array fresh;
} wri_contacts;

wri_contacts wri_contacts_create(const wr_allocator *allocator);
void wri_contacts_destroy(wri_contacts *contacts);
bool wri_contacts_find(wri_contacts *contacts, const wri_plate *plate);
// Sets the room of each point from the pairs that were found at rest.
void wri_contacts_limit_room(const wri_contacts *contacts, wri_plate *plate);
void wri_contacts_keep(wri_contacts *contacts, wri_plate *plate);

// --- what crossed all the same (untangle.c) ---------------------------------------------------

// Corners of triangles that cross go back to where they were at the last call.
bool wri_plate_untangle(wri_plate *plate);

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

bool wri_tool_create(wri_tool *tool, wri_arena *arena, const wr_crush_desc *desc,
                     const wri_plate *plate, const double way[3], wr_error *error);
// Signed distance, negative inside, after a travel; normal: away from the tool, unit.
double wri_tool_distance(const wri_tool *tool, double travel, const double p[3], double normal[3]);
// The travel at which it first touches a point that can move; infinite: it misses.
double wri_tool_first_touch(const wri_tool *tool, const wri_plate *plate);
