// example.h: examples from dragged handles, clips, morph targets, sculpted meshes and recordings.
//
// Dragged handles are a pose already. Everything else is first a *shape*: a place for every vertex
// of the render mesh. Fitting turns a shape into an example: handles go as far as they can,
// correctives on the simulation mesh add what they cannot, details on the render mesh the exact
// rest.
//
//     wr_vec3 *sculpted = ...; // wr_shape_vertex_count(model)
//     wr_shape_from_sculpt(model, sculpt, sculpted, NULL, &error);
//     wr_fit_desc desc = wr_fit_desc_default();
//     desc.rig = &rig;
//     desc.targets = sculpted;
//     wr_example example = {"crushed", poses, correctives, details}; // room for all
//     wr_example_fit(&desc, &example, &report, &error);
//
// Shapes count vertices as wr_model_flatten does. Thread safety: no state; but while a shape is
// fitted or weights are carried, the BLAS of the whole process is limited to one thread.
#pragma once

#include "geometry.h"
#include "record.h"
#include "skin.h"
#include "weights.h"

#if defined(__cplusplus)
extern "C" {
#endif

// --- fitting ----------------------------------------------------------------------------------

// The variables of a given pose that stay as they are.
enum { WR_FIX_OFFSET = 1, WR_FIX_ROTATION = 2 };

// Start from wr_fit_desc_default().
typedef struct wr_fit_desc {
    const wr_rig *rig;           // mesh, handles, weights and rides are read, its examples not
    const wr_vec3 *targets;      // metres, one per ride, or per vertex of the simulation mesh
    bool at_vertices;            // the latter, as recordings of a body have them. Default false
    const wr_handle_pose *poses; // handle_count poses to keep; NULL: all are found. Default NULL
    const uint8_t *fixed;        // per handle: WR_FIX_ bits of what stays of poses. NULL: all of it
    bool stretch;                // handles may stretch, for what is blended as a whole, sprites:
                                 // the example is then exact through wr_skin_blend only, but for
                                 // weights under the skin's least_weight. False: stretch goes
                                 // into the correctives. Default false
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;               // set by wr_fit_desc_default; do not touch
} wr_fit_desc;

WR_API wr_fit_desc wr_fit_desc_default(void);

// Distances over all targets, metres.
typedef struct wr_fit_distance {
    double rms, max;
} wr_fit_distance;

typedef struct wr_fit_report {
    double size;                 // metres: diagonal of the rest shape's bounds
    wr_fit_distance rest;        // distance of the rest shape from the targets
    wr_fit_distance handles;     // distance that the handles leave
    wr_fit_distance correctives; // distance that is left then, for details
    wr_fit_distance example;     // distance that the finished example misses by: rounding
    int inverted_elements;       // elements of the simulation mesh that the finished example
                                 // inverts
    int inverted_by_handles;     // without correctives
    double largest_turn;         // radians, of a handle
    double stiffness;            // weight of the energy that keeps handles together: the smallest
                                 // that paid
    int rounds;                  // rounds of Newton steps
    double seconds;
} wr_fit_report;

// Fills out->poses (handle_count), out->correctives (vertex_count) and out->details (ride_count),
// which must have room; details may be NULL when at_vertices. Where nothing is left to correctives
// or details, their pointer becomes NULL. With weight 1 everywhere the example goes through all
// targets within 1e-5 of the size. In 2D the handles stay in the plane. report may be NULL. Fails
// on targets that are not finite, on a rig without rides (unless at_vertices), when out of memory.
WR_API bool wr_example_fit(const wr_fit_desc *desc, wr_example *out, wr_fit_report *report,
                           wr_error *error);

// --- dragged handles --------------------------------------------------------------------------

// The handle of this name; -1 and a sentence with the nearest name when there is none.
WR_API int wr_rig_find_handle(const wr_rig *rig, const char *name, wr_error *error);

// The wish of an artist for a handle.
typedef struct wr_handle_move {
    int handle;       // number in the rig, each at most once
    wr_vec3 offset;   // metres, of the pivot
    bool is_turned;   // rotation is given; false: it is found
    wr_quat rotation; // about the pivot, unit length
    bool is_free;     // only turned or scaled: its place is found, offset means nothing
    bool is_scaled;   // scale is given; in 2D only
    wr_vec2 scale;    // factors along x and y of the rest shape, in [0.01, 100]
} wr_handle_move;

// Poses of all handles. Handles that are not moved stay where they are, or, with follow, go where
// the shape resists least; rotations that are not given are found the same way (FAST, see
// posing.h). What is given is kept exactly. Nothing moved: the rest shape.
WR_API bool wr_example_from_moves(const wr_rig *rig, const wr_handle_move *moves, int move_count,
                                  bool follow, wr_handle_pose *poses, wr_error *error);

// --- shapes of a model ------------------------------------------------------------------------

// Vertices of a shape: those of every node's mesh, node after node.
WR_API int wr_shape_vertex_count(const wr_model *model);

// A clip of the model by name or, as "#0", "#1", ..., by number; -1 and a sentence with the nearest
// name when there is none.
WR_API int wr_clip_find(const wr_model *model, const char *name, wr_error *error);

// The model at a time of a clip, seconds; clip -1: at rest. Time beyond the last key: the last key.
WR_API bool wr_shape_from_clip(const wr_model *model, int clip, double time, wr_vec3 *positions,
                               wr_error *error);

// A moment of a clip, and how far its shape is from the rest shape and all moments before it: root
// mean square over the vertices, motion as a whole taken off.
typedef struct wr_clip_moment {
    double time, distance; // seconds, metres
} wr_clip_moment;

// The key times at which the shapes differ most; returns how many, at most `most`. A clip that
// walks ends where it began: the first moment is the one furthest from rest, each other one the
// furthest from rest and from those before it, while that is more than a share of the first
// distance. At most 64 keys are looked at, evenly spread. -1 when out of memory, or when a place is
// not finite.
WR_API int wr_clip_find_moments(const wr_model *model, int clip, int most, double least_share,
                                wr_clip_moment *moments, wr_error *error);

// The model at rest with one morph target at a weight, usually 1, in all meshes that have it;
// nameless ones are "#0", "#1", ... Fails when no mesh has it, and names those there are.
WR_API bool wr_shape_from_morph(const wr_model *model, const char *name, double weight,
                                wr_vec3 *positions, wr_error *error);

// The way in which the vertices of two models were matched.
typedef enum wr_sculpt_match {
    WR_SCULPT_VERTICES,  // same number and order of vertices
    WR_SCULPT_TRIANGLES, // same triangles in the same order; vertices are split differently
} wr_sculpt_match;

// Finds the vertices of the model in a sculpted copy of it, at rest. Vertices are matched by their
// order, or where a program split them differently by the order of triangles; never by nearness.
// match may be NULL. Fails with the counts when neither fits, or when corners of the sculpt that
// belong to one vertex of the model lie apart.
WR_API bool wr_shape_from_sculpt(const wr_model *model, const wr_model *sculpt, wr_vec3 *positions,
                                 wr_sculpt_match *match, wr_error *error);

// --- shapes of a simulation -------------------------------------------------------------------

// Returns the number of vertices that a frame has of a body: its points; else what skin makes of
// its example weights (vertices of the simulation mesh), or with skin NULL the asset in the
// recording (those of its model). -1 and a sentence when it keeps its shape or does not exist.
WR_API int wr_record_vertex_count(wr_record_reader *reader, const char *body, int frame,
                                  const wr_skin *skin, wr_error *error);

// Places of these vertices in the body's own frame; frame -1: the last one. count must agree. What
// example weights make has the size of the asset, also of a body that was larger, and parts that
// did not bend are in place. Points may have moved as a whole: then *moved, which may be NULL, is
// true, and they want to be aligned to the rest shape.
WR_API bool wr_shape_from_recording(wr_record_reader *reader, const char *body, int frame,
                                    const wr_skin *skin, int count, wr_vec3 *positions, bool *moved,
                                    wr_error *error);

// Moves positions rigidly as near to the rest places as they get (least squares), and returns that
// motion. What is left is deformation.
WR_API wr_pose wr_shape_align(const wr_vec3 *rest, int count, wr_vec3 *positions);

// Sets handles to where their vertex of the simulation mesh went: poses with these offsets and no
// rotation, and `fixed` for wr_fit_desc; handles without a vertex are free.
WR_API void wr_poses_from_vertices(const wr_rig *rig, const wr_vec3 *positions,
                                   wr_handle_pose *poses, uint8_t *fixed);

// --- handles of a model's skin ----------------------------------------------------------------

// Joints that carry vertices, as handles. Plain data in one block.
typedef struct wr_skin_handles {
    int handle_count;
    wr_handle *handles; // pivots at the joints at rest, parents first; all names differ
    int *nodes;         // the model's node of each handle
    int vertex_count;   // vertices counted as wr_shape_vertex_count does
    float *weights;     // vertex_count * handle_count, row by row; rows sum to 1
    int unused_joints;  // carry no vertex and are left out
    void *memory;       // owner of all the arrays above
} wr_skin_handles;

// Meshes without a skin follow the nearest joint above them, else their own node becomes a handle.
// Fails when the model has no skin.
WR_API WR_NODISCARD wr_skin_handles *
wr_handles_from_skin(const wr_model *model, const wr_allocator *allocator, wr_error *error);
WR_API void wr_skin_handles_destroy(wr_skin_handles *handles); // accepts NULL

// Weights of a render mesh (ride_count rows of handle_count) for the vertices of the simulation
// mesh it rides on: vertex_count rows that agree with those of the rides in the least squares sense
// and go on smoothly where nothing rides; in [0, 1], rows sum to 1. worst, may be NULL: the largest
// difference between a ride's weight and what its element gives it.
WR_API bool wr_weights_carry(const wr_solid *mesh, const wr_ride *rides, int ride_count,
                             const float *ride_weights, int handle_count,
                             const wr_allocator *allocator, float *weights, float *worst,
                             wr_error *error);

// Poses of handles that came from nodes of the model, at a time of a clip. Scale is left in the
// stretch; a fit without `stretch` takes it out again and gives it to the correctives. Fit the
// shape of the same time with these as desc.poses, for what blending at rest loses.
WR_API bool wr_poses_from_clip(const wr_model *model, int clip, double time,
                               const wr_handle *handles, const int *nodes, int handle_count,
                               wr_handle_pose *poses, wr_error *error);

#if defined(__cplusplus)
}
#endif
