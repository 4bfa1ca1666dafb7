// crush.h: sheet metal pressed by a tool, offline: damage to begin an example with.
//
//     wr_crush_desc desc = wr_crush_desc_default();
//     desc.mesh = model->meshes;
//     desc.direction = wr_v3(0, 0, -1);
//     desc.depth = 0.4;
//     wr_crush_report report;
//     bool ok = wr_crush(&desc, positions, &report, &error);
//
// The triangles are a thin shell: edges keep their length, and the angle across an edge is elastic
// up to a yield angle and flows beyond it, so that dents fold along creases that stay.
// docs/crush.md has the model. The same input gives the same bits.
//
// Thread safety: functions are pure.
#pragma once

#include "geometry.h"

#if defined(__cplusplus)
extern "C" {
#endif

// The shape that presses. It travels along the direction with its front ahead.
typedef enum wr_crush_shape {
    WR_CRUSH_PLANE,  // a wall
    WR_CRUSH_SPHERE, // size: radius
    WR_CRUSH_POST,   // an endless cylinder along the axis; size: radius
    WR_CRUSH_BOX,    // size: half its width and height, its edges are rounded by a tenth of it
    WR_CRUSH_WEDGE,  // an endless edge of 60 degrees along the axis; size: radius of the edge
    WR_CRUSH_MESH,   // `tool`, as it is oriented; size has no meaning
} wr_crush_shape;
WR_API const char *wr_crush_shape_name(wr_crush_shape shape);
enum { WR_CRUSH_SHAPE_COUNT = 6 };

// Start from wr_crush_desc_default(). Lengths are metres.
typedef struct wr_crush_desc {
    const wr_mesh *mesh;  // the body; vertices at one place move as one
    const int *rigid;     // per vertex: -1 or the number of the rigid part it belongs to, [0,
                          // vertex_count); NULL: there is none
    wr_crush_shape shape; // Default WR_CRUSH_PLANE
    const wr_mesh *tool;  // of WR_CRUSH_MESH, closed
    wr_vec3 direction;    // of travel, any length but 0
    wr_vec3 axis;         // of posts, boxes and wedges; 0 0 0: across the direction, upright where
                          // that is possible. Default 0 0 0
    wr_vec3 at;           // a point on the way of the tool's middle; with has_at
    bool has_at;          // Default false: the middle of the body's bounds, or where there is
                          // nothing in its way, what is nearest to that way
    double size;          // see the shapes; 0: an eighth of the body's size. Default 0
    double depth; // how far it travels from the first touch, > 0, less than the body is long; see
                  // crossing
    double hold;  // share of the body's length along the direction from which on it is held
                  // where it is, (0, 1); 1: it lies against a wall instead. Default 0.45
    double yield; // curvature from which on the sheet stays bent, in 1 / size of the body,
                  // >= 0; large: it is elastic. Default 3
    double bend;  // bending stiffness, > 0: of a sheet of mass 1 per area, in sizes of the
                  // body and times of the press; higher makes longer folds. Default 0.01
    int steps;    // of the press, [10, 100000]. Default 400
    double cell;  // pitch of the lattice that the sheet folds along, metres; 0: a little coarser
                  // than the mesh. Else at least 1/1000 of its longest side. Default 0
    double crossing; // share of the triangles that may cross newly, at the whole of the motion and
                     // at half of it, >= 0: where more do, it is pressed less deep; 1: as deep as
                     // said, whatever crosses. Default 0.005
    wr_progress progress;
    bool (*go_on)(void *user); // false stops with WR_E_CANCELLED; NULL: goes on
    void *user;
    wr_allocator allocator;
    uint32_t cookie; // set by wr_crush_desc_default; do not touch
} wr_crush_desc;

WR_API wr_crush_desc wr_crush_desc_default(void);

// What was done to a body, found from the two shapes alone.
typedef struct wr_crush_report {
    double largest_move;  // metres
    double length_change; // median share by which an edge became longer or shorter, of edges that
                          // moved by more than a hundredth of the size
    double length_worst;  // the same of 95 in 100
    int creases;          // lines along which the angle changed by more than 45 degrees and which
                          // are longer than a fiftieth of the size, counted between junctions
    int crossing_rest;    // triangles that cross another one at rest
    int crossing;         // triangles that cross another one; without those that do so at rest, and
                          // without shells that pass through one another at rest
    double crossing_share; // of all triangles
    double struck_share;   // share of the displacement, by area, in the third that was struck
    double rigid_error;    // largest distance of a vertex of a rigid part from its rigid motion,
                           // as a share of the size
    int triangles;
    double depth; // metres that the tool went, at most the desc's; 0 where only shapes were
                  // compared
} wr_crush_report;

// Presses, takes the tool away and lets the sheet come to rest; again and less deep where too many
// triangles cross. positions gets a place per vertex.
// report may be NULL. Fails on nonsense: a direction of length 0, a depth of 0 or beyond the body,
// a tool that misses, a mesh without area.
WR_API bool wr_crush(const wr_crush_desc *desc, wr_vec3 *positions, wr_crush_report *report,
                     wr_error *error);

// Compares any two shapes of a mesh; rigid and direction as above.
WR_API bool wr_crush_measure(const wr_mesh *mesh, const wr_vec3 *positions, const int *rigid,
                             wr_vec3 direction, wr_crush_report *report, wr_error *error);

// --- where it was struck ----------------------------------------------------------------------

// The damage that every body can have, with names for where it is.
typedef enum wr_crush_place {
    WR_CRUSH_FRONT,
    WR_CRUSH_REAR,
    WR_CRUSH_LEFT,
    WR_CRUSH_RIGHT,
    WR_CRUSH_ROOF,
    WR_CRUSH_FLATTENED,
} wr_crush_place;
enum { WR_CRUSH_PLACE_COUNT = 6 };
WR_API const char *wr_crush_place_name(wr_crush_place place); // "front", "left side", ...

// Sets shape, direction, axis, size, depth and hold for a body within bounds, up is y. The front is
// the positive end of the longer horizontal axis, +z where they are alike.
WR_API void wr_crush_desc_set_place(wr_crush_desc *desc, wr_crush_place place, wr_box bounds);

// Marks what stays rigid: the vertices of nodes, meshes and looks with one of the words in their
// names, capitals or not. flat: wr_model_flatten of the model; rigid: as wr_crush_desc has it, a
// part for every heap of shells whose bounds overlap. Fails when a word names nothing.
WR_API bool wr_crush_find_rigid(const wr_model *model, const wr_mesh *flat,
                                const char *const *words, int word_count, int *rigid,
                                wr_error *error);

#if defined(__cplusplus)
}
#endif
