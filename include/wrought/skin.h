// skin.h: rigs with examples, and what a body looks like between them.
//
// A rig is plain data: a simulation mesh, handles, a weight per vertex and handle, and examples.
// Example 0 is the rest shape. A vertex's row of blend weights E (one per example, >= 0, sum 1)
// says how far it has gone towards each example:
//
//     x_i = sum_b W_ib ( R(q_b(E_i)) (u_i - c_b) + c_b + d_b(E_i) ) + sum_{e>0} E_ie k_ie
//
// with u rest positions, c handle pivots, q_b(E) = normalised sum_e E_e q_be (all q_be in the
// hemisphere of the rest quaternion), d_b(E) = sum_e E_e d_be, k correctives. Everything is in one
// fixed authoring frame. A wr_skin is a rig packed for speed, made once and shared by all bodies:
//
//     wr_skin_desc desc = wr_skin_desc_default();
//     wr_skin *skin = wr_skin_create(&rig, &desc, &error);
//     wr_skin_positions(skin, E, NULL, 0, &tasks, x);         // all vertices
//     wr_skin_positions(skin, E, changed, count, &tasks, x);  // only these
//     wr_skin_destroy(skin);
//
// Part of wrought-rt: needs nothing but the C library. Thread safety: a rig is data, a skin never
// changes after create: share both. Nothing but create and destroy touches the heap. Results are
// the same bits for every worker count, and for a list of vertices the same as for all.
#pragma once

#include "base.h"
#include "math.h"

#if defined(__cplusplus)
extern "C" {
#endif

// A point, bone or cage corner the artist moves.
typedef struct wr_handle {
    const char *name;
    wr_vec3 pivot; // metres, at rest
    int parent;    // index of an earlier handle, -1: none
    int vertex;    // simulation vertex that lies exactly on it, -1: none
} wr_handle;

// One handle in one example.
typedef struct wr_handle_pose {
    wr_quat rotation; // about the pivot
    wr_vec3 offset;   // metres, of the pivot
    float stretch[6]; // symmetric scale/shear xx yy zz xy xz yz applied before the rotation; only
                      // sprites use it; identity: 1 1 1 0 0 0
} wr_handle_pose;

// A named deformed state.
typedef struct wr_example {
    const char *name;
    wr_handle_pose *poses; // handle_count
    wr_vec3 *correctives;  // vertex_count, metres, or NULL
    wr_vec3 *details;      // ride_count, metres, or NULL: what the render mesh has beyond what its
                           // simulation mesh can carry
} wr_example;

enum { WR_SIMPLEX_CORNERS = 3 };

// Examples that may blend: one (a pose for itself), two (an edge) or three (a triangle).
typedef struct wr_simplex {
    int corner_count;
    int corners[WR_SIMPLEX_CORNERS]; // examples, all different
} wr_simplex;

// One blend for a whole body that lies within a simplex.
typedef struct wr_blend {
    int examples[WR_SIMPLEX_CORNERS]; // -1: no more of them
    float shares[WR_SIMPLEX_CORNERS]; // >= 0, sum 1
} wr_blend;

// The place of a render vertex: an element of the simulation mesh and barycentric coordinates in
// it.
typedef struct wr_ride {
    int element;
    float weights[4]; // weights of the element's corners, sum 1; in 2D the fourth is none of them
                      // but how far it stands before the plane, metres: layers of a drawing
} wr_ride;

// A vertex of one layer of a drawing that stays on a place of another layer.
typedef struct wr_pin {
    int particle;     // vertex of the simulation mesh
    int corners[3];   // vertices, all different, none of them the particle
    float weights[3]; // barycentric coordinates, sum 1
} wr_pin;

typedef struct wr_rig {
    int dimension;    // 3: tetrahedra, 2: triangles in the plane z = 0
    int vertex_count; // N
    wr_vec3 *rest;    // u, metres
    int element_count;
    int *elements;    // dimension + 1 vertices each, positive volume or area
    int handle_count; // B
    wr_handle *handles;
    float *weights;    // N * B, row by row, rows sum to 1
    int example_count; // E, at least 1: the rest shape
    wr_example *examples;
    int ride_count; // vertices of the render mesh, 0: none
    wr_ride *rides;
} wr_rig;

enum { WR_FRAGMENTS_MAX = 64 };

// Two fragments that hold together across the faces they share.
typedef struct wr_bond {
    int a, b;       // fragments, a < b
    wr_vec3 at;     // metres, at rest: centroid of the shared faces
    wr_vec3 normal; // their mean direction, unit length, from a to b
    float area;     // m^2; 0: they do not touch, and nothing can part them
    float radius;   // metres: radius of gyration of the faces about `at`
    float strength; // factor on the material's own, at least 0
} wr_bond;

// The fragments that a rig may break into. Elements that were cut are there once for every fragment
// that has some of them, with vertices of their own, so that each vertex and each element belongs
// to one fragment.
typedef struct wr_fracture {
    int fragment_count; // 0: it stays whole
    int *fragments;     // vertex_count: the fragment of each vertex
    int *origins;       // vertex_count: vertices that were one before the cut have the same number
    float *shares;      // 4 per element: its part within the fragment (their sum) times the
                        // barycentric coordinates of that part's centroid
    int corner_count;
    wr_ride *corners; // vertices of the fragments' outsides, and where cuts meet: their shape
    int bond_count;
    wr_bond *bonds;
} wr_fracture;

// The fragment of an element.
static inline int wr_fragment_of(const wr_fracture *fracture, const wr_rig *rig, int element)
{
    return fracture->fragments[rig->elements[4 * (size_t)element]];
}

// The pose that moves a handle by an affine map: rotation and stretch of its polar decomposition,
// offset of the pivot. Where the map mirrors, so does the stretch.
WR_API wr_handle_pose wr_handle_pose_from_affine(wr_mat34 map, wr_vec3 pivot);

// --- clips ------------------------------------------------------------------------------------
//
// A clip moves every handle within the frame of its parent. With c pivots, d offsets and A = R S
// the linear maps of handle b and its parent p,
//
//     A_b = A_p R(r) S(s)        c_b + d_b = c_p + d_p + A_p t
//
// for the rotation r, position t and stretch s that its tracks say; a handle without a parent has
// the authoring frame: A_p = I, c_p + d_p = 0. What no track says is as at rest. Between keys r
// turns evenly along the shorter arc, t and s are linear; before the first key and after the last
// one they stay.

typedef enum wr_rig_channel {
    WR_RIG_ROTATION, // 4 numbers, x y z w, unit length
    WR_RIG_POSITION, // 3 numbers, metres; at rest c_b - c_p
    WR_RIG_STRETCH,  // 6 numbers, xx yy zz xy xz yz
    WR_RIG_CHANNELS,
} wr_rig_channel;

typedef struct wr_rig_track {
    int handle;
    wr_rig_channel channel;
    int key_count; // at least 1
    float *times;  // seconds, from 0 on, strictly increasing
    float *values; // key_count times the channel's numbers
} wr_rig_track;

typedef struct wr_rig_clip {
    const char *name;
    double length;   // seconds; no key is later
    int track_count; // tracks are sorted by handle, then by channel, none twice
    wr_rig_track *tracks;
} wr_rig_clip;

WR_API int wr_rig_channel_width(wr_rig_channel channel); // numbers per key

// The poses of all handles at a time, rotations with w >= 0. A clip that loops begins again at its
// length, and before 0 has its end; another one stays at its ends. At a key it is exact. Cannot
// fail and never allocates.
WR_API void wr_rig_clip_poses(const wr_rig_clip *clip, const wr_handle *handles, int handle_count,
                              double time, bool loops, wr_handle_pose *poses);

// Blends poses a (share 0) and b (share 1), which come out bit for bit. Like a clip it works
// within the frames of parents, so that limbs keep their length: rotations by normalised
// interpolation along the shorter arc, positions and stretches linearly. poses is neither a nor b.
WR_API void wr_rig_blend_poses(const wr_handle *handles, int handle_count, const wr_handle_pose *a,
                               const wr_handle_pose *b, float share, wr_handle_pose *poses);

// Handles that move the vertices of a model themselves, such as the joints of its skin. Plain data
// of somebody else.
typedef struct wr_skeleton {
    int handle_count;
    const wr_handle *handles; // pivots in the model's frame, parents first; all names differ
    const int *trees;         // per handle: handles of different trees have nothing in common in
                              // their file; NULL: all are of one
    int vertex_count;         // vertices of the model
    const float *weights;     // vertex_count * handle_count, rows sum to 1; NULL: the first handle
                              // moves all
    int clip_count;
    const wr_rig_clip *clips; // clips with names that are all different
} wr_skeleton;

// --- packed for run time ----------------------------------------------------------------------

typedef struct wr_skin wr_skin;

// Start from wr_skin_desc_default().
typedef struct wr_skin_desc {
    float least_weight;            // smaller weights are dropped, rows renormalised, the examples
                                   // themselves kept exact. [0, 1). Default 1e-3
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;               // set by wr_skin_desc_default; do not touch
} wr_skin_desc;

WR_API wr_skin_desc wr_skin_desc_default(void);

enum { WR_SKIN_EXAMPLES_MAX = 256 };
enum { WR_FLAT_HANDLES_MAX = 128 }; // limit for rigs in the plane, which sprites are made of

// Everything is copied. Example 0 must be the rest shape: no rotation, offset, stretch or
// correctives. A vertex without weights stays where it is, apart from its correctives.
WR_API WR_NODISCARD wr_skin *wr_skin_create(const wr_rig *rig, const wr_skin_desc *desc,
                                            wr_error *error);
WR_API void wr_skin_destroy(wr_skin *skin); // accepts NULL

typedef struct wr_skin_info {
    int vertex_count, handle_count, example_count, ride_count;
    int turning_count;    // handles that some example rotates or stretches; the rest cost nothing
    double handles_mean;  // handles per vertex with a weight that was kept
    int handles_max;      //
    double turning_mean;  // turning ones among them
    double group_mean;    // turning handles per group of four vertices, which share their loop
    size_t bytes_touched; // read and written by skinning all vertices once
    float dropped_max;    // largest sum of weights that was dropped from a vertex
} wr_skin_info;

WR_API wr_skin_info wr_skin_describe(const wr_skin *skin);

// The vertices in the order they are packed in: neighbours in space. A list of changed vertices in
// this order is skinned fastest. vertex_count entries.
WR_API const int *wr_skin_order(const wr_skin *skin);

// x_i for the rows E (vertex_count * example_count) of the listed vertices, into x[vertex];
// vertices NULL: all. No vertex twice. tasks may be NULL.
WR_API void wr_skin_positions(const wr_skin *skin, const float *E, const int *vertices, int count,
                              const wr_tasks *tasks, wr_vec3 *x);

// The derivatives of x_i by the row E_i: 3 rows of example_count per listed vertex, one after the
// other in the order of the list; all of them when vertices is NULL.
WR_API void wr_skin_jacobians(const wr_skin *skin, const float *E, const int *vertices, int count,
                              const wr_tasks *tasks, float *J);

// One blend for the whole body, example_count weights >= 0 with sum 1: rotations by the spherical
// mean (between two examples: slerp), stretch, offsets and correctives linearly. transforms, one
// per handle, receives the maps of the handles in the authoring frame. x may be NULL: transforms
// only.
WR_API void wr_skin_blend(const wr_skin *skin, const float *blend, const wr_tasks *tasks,
                          wr_mat34 *transforms, wr_vec3 *x);

// --- the render mesh --------------------------------------------------------------------------
//
// Normals turn with the deformation gradient F, averaged over the elements around each simulation
// vertex (by volume) and interpolated like positions. Unlike normals summed over render triangles
// this keeps the artist's own normals and hard edges, cannot open seams where vertices are split,
// and needs no triangles. Changed only: vertices -> wr_skin_find_around -> wr_skin_gradients, and
// its vertices -> wr_skin_find_rides -> wr_skin_ride_positions, wr_skin_ride_normals.

// The listed vertices and those that share an element with one. marks: vertex_count zeros, which it
// leaves zero; found: room for vertex_count. Returns how many.
WR_API int wr_skin_find_around(const wr_skin *skin, const int *vertices, int count, uint8_t *marks,
                               int *found);

// The rides on elements of the listed vertices. marks: ride_count zeros; found: room for
// ride_count.
WR_API int wr_skin_find_rides(const wr_skin *skin, const int *vertices, int count, uint8_t *marks,
                              int *found);

// F[vertex] for the listed vertices, NULL: all. The identity at rest and where there are no
// elements.
WR_API void wr_skin_gradients(const wr_skin *skin, const wr_vec3 *x, const int *vertices, int count,
                              const wr_tasks *tasks, wr_mat3 *F);

// positions[ride] for the listed rides, NULL: all. Details are added in proportion to the ride's
// own share of each example, interpolated from the rows E; E NULL: without details.
WR_API void wr_skin_ride_positions(const wr_skin *skin, const float *E, const wr_vec3 *x,
                                   const int *rides, int count, const wr_tasks *tasks,
                                   wr_vec3 *positions);

// normals[ride], unit length, from those at rest. A collapsed element keeps the normal of rest.
WR_API void wr_skin_ride_normals(const wr_skin *skin, const wr_mat3 *F, const wr_vec3 *rest_normals,
                                 const int *rides, int count, const wr_tasks *tasks,
                                 wr_vec3 *normals);

#if defined(__cplusplus)
}
#endif
