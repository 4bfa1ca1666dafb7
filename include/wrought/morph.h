// morph.h: soft characters whose shape and firmness follow their pose: dynamic morph targets.
//
//     wr_morph_data *data = wr_morph_data_read(bytes, size, NULL, &error);  // out of an asset
//     wr_morph_model_desc desc = wr_morph_model_desc_default();
//     desc.data = data, desc.dt = 1.0f / 60.0f;
//     wr_morph_model *model = wr_morph_model_create(&desc, &error);         // shared by a crowd
//     wr_morph_world *world = wr_morph_world_create(NULL, &error);
//     int body = wr_morph_add(world, model, &error);
//     wr_morph_put(world, body, poses, NULL);
//     for (int i = 0; i < 60; i++) {
//         wr_morph_drive(world, body, next_poses, NULL);
//         wr_morph_step step = wr_morph_step_default();
//         wr_morph_world_step(world, &step);
//         wr_morph_positions(world, body, &step.tasks, places);
//     }
//
// An artist sculpts a few shapes of a character in its bind pose, each of which belongs to a pose
// of its skeleton and has a firmness of its own. Between these poses both are interpolated, so that
// a biceps bulges and hardens as the elbow bends, and what gravity, inertia, wind, pushes and
// contacts do to it changes with that. After N. Galoppo: Animation, simulation, and control of soft
// characters using layered representations and simplified physics-based methods, 2008, chapter 5;
// docs/morph.md says where we differ.
//
// Part of wrought-rt: needs nothing but the C library. Thread safety: a world belongs to one thread
// at a time; it shares its work out itself. Data and reduced models are only read once they are
// there, by any number of worlds; a full model is used by one world at a time. Results do not
// depend on the number of threads.
#pragma once

#include "body_copy.h"
#include "skin.h"

#if defined(__cplusplus)
extern "C" {
#endif

// --- data -------------------------------------------------------------------------------------

enum {
    WR_MORPH_INFLUENCES = 4, // bones that move a node or a vertex
    WR_MORPH_NODES_MAX = 200000,
    WR_MORPH_BONES_MAX = 256,
    WR_MORPH_TARGETS_MAX = 64,
    WR_MORPH_MODES_MAX = 64,
    WR_MORPH_SCALARS_MAX = 16,
};

// The space in which poses are compared. The descriptor of a pose has six numbers of every bone and
// then the scalars. Those of a bone with a parent say how it stands against the parent, compared
// with the bind pose: how far its origin has moved, in the parent's frame and in lengths of the
// bone, then 2 vec(q) sign(q_w) of its turn q. Those of a bone without a parent are 0: where a body
// is, and which way up, changes nothing. A scalar is multiplied by its scale.
typedef struct wr_morph_space {
    int scalar_count;    // what joins the joints: a speed, a slider, the time since an impact
    float *scalar_scale; // per scalar: what one unit of it counts, beside radians
    int axis_count;      // p: principal axes of the targets' descriptors; less than targets
    float *mean;         // 6 bone_count + scalar_count
    float *axes;         // p rows of as many, orthonormal
    float *points;       // target_count rows of p: where the targets are
    float *cardinal;     // target_count rows of target_count + 1: factors of the distances to the
                         // targets, then a constant, whose sum is the target's share
    float rounding;      // c of the kernel sqrt(r^2 + c^2); 0: r
} wr_morph_space;

// All that a body of some kind is made of, as an asset keeps it: plain data in one block, in the
// bind pose, metres and kilograms. Target 0 is usually the model itself.
typedef struct wr_morph_data {
    // The skeleton.
    int bone_count;
    int *parents;     // of each bone: another one; -1: none
    wr_vec3 *origins; // of each bone: its joint
    float *lengths;   // of each bone, metres, > 0: unit of its translations in the descriptor
    // Tetrahedra.
    int node_count;
    wr_vec3 *nodes;
    uint8_t *fixed;      // per node: 1: it moves with the skeleton alone
    float *masses;       // kg per node, > 0
    int *node_bones;     // WR_MORPH_INFLUENCES per node, with
    float *node_weights; // their weights: >= 0, sum 1, largest first
    int tet_count;
    int *tets; // four nodes each, of positive volume
    // What is drawn and touched: vertices, each carried by a tetrahedron.
    int vertex_count;
    wr_vec3 *vertices;
    wr_ride *rides;
    int *vertex_bones;     // as of nodes
    float *vertex_weights; //
    float *areas;          // m^2: share of the surface, which wind meets
    // Targets. Arrays go target by target.
    int target_count;
    const char **names;
    wr_vec3 *offsets; // per target and node: du_i, metres; 0 for fixed nodes
    wr_vec3 *details; // per target and vertex, metres: what it was sculpted beyond what its
                      // tetrahedron carries; NULL: nothing
    float *young;     // per target and tetrahedron, Pa, > 0
    float *poisson;   // per target, [0, 0.49]
    wr_morph_space space;
    // Reduction; mode_count 0: there is none.
    int mode_count; // r
    float *basis;   // U, per node and mode three numbers: [(node * r + mode) * 3]; mass-orthonormal
    float *cubic;   // per target the coefficients of reduced St. Venant-Kirchhoff forces, each
                    // wr_morph_cubic_size(r) numbers; NULL: made when a model needs them
    void *memory;   // owner of all of the above
} wr_morph_data;

WR_API void wr_morph_data_destroy(wr_morph_data *data); // accepts NULL
// Fails with a sentence on whatever a model could not use.
WR_API bool wr_morph_data_check(const wr_morph_data *data, wr_error *error);
// As bytes, little-endian, of the same meaning on every machine; what an asset keeps.
WR_API size_t wr_morph_data_size(const wr_morph_data *data);
WR_API void wr_morph_data_write(const wr_morph_data *data, void *bytes);
// Fails on bytes that are damaged, of another version, or no data that a model could use.
WR_API WR_NODISCARD wr_morph_data *
wr_morph_data_read(const void *bytes, size_t size, const wr_allocator *allocator, wr_error *error);
// Numbers of r(r+1)/2 entries of the tangent stiffness, each a quadratic polynomial in q.
WR_API size_t wr_morph_cubic_size(int mode_count);

// --- models -----------------------------------------------------------------------------------

typedef enum wr_morph_elasticity {
    WR_MORPH_LINEAR,
    WR_MORPH_STVK, // St. Venant-Kirchhoff: forces are cubic polynomials of the displacements
} wr_morph_elasticity;

// What is interpolated between targets. Shares are b_i(s) with sum 1, offsets du_i.
typedef enum wr_morph_between {
    WR_MORPH_SHAPES, // the rest shape is sum b_i du_i, whatever the firmness: as artists expect
    WR_MORPH_FORCES, // the thesis: coefficients of forces about one shape; firm targets come early
} wr_morph_between;

// Start from wr_morph_model_desc_default(). The data must outlive the model.
typedef struct wr_morph_model_desc {
    const wr_morph_data *data;
    bool is_full;                   // all nodes move freely, not r modes. Default false
    wr_morph_elasticity elasticity; // Default WR_MORPH_LINEAR
    wr_morph_between between;       // Default WR_MORPH_SHAPES
    bool without_targets;           // target 0 alone, to compare with. Default false
    double stiffness;               // factor on every Young's modulus, > 0. Default 1
    float damping;  // s: Rayleigh's, of strains against the rest shape, >= 0. Default 0.01
    float drag;     // 1/s: Rayleigh's, of displacements against the rest shape, >= 0. Default 0
    float gamma;    // Newmark's, [0.5, 1]; beta is gamma / 2. 0.5 keeps the energy of
                    // linear motion, more takes it out of fast modes. Default 0.6
    float air;      // N s/m^3: force of air per area and speed against it, >= 0. Default 0
    float dt;       // seconds, of every step, (0, WR_STEP_MAX]. Default 1/240
    wr_tasks tasks; // until it is created
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;               // set by wr_morph_model_desc_default; do not touch
} wr_morph_model_desc;

typedef struct wr_morph_model wr_morph_model;
WR_API wr_morph_model_desc wr_morph_model_desc_default(void);
// Fails on what wr_morph_data_check refuses, numbers out of range, a reduced model of data without
// modes, and when out of memory.
WR_API WR_NODISCARD wr_morph_model *wr_morph_model_create(const wr_morph_model_desc *desc,
                                                          wr_error *error);
WR_API void wr_morph_model_destroy(wr_morph_model *model);      // after its bodies; accepts NULL
WR_API int wr_morph_model_freedom(const wr_morph_model *model); // r, or three per free node

// The shares of the targets at a pose, which needs no body: target_count numbers with sum 1.
// poses: as in wr_morph_drive. are_shapes: those of rest shapes, which may leave [0, 1] beyond the
// targets; else those of stiffness, which are never negative.
WR_API void wr_morph_model_shares(const wr_morph_model *model, const wr_pose *poses,
                                  const float *scalars, bool are_shapes, double *out);

// --- worlds and bodies ------------------------------------------------------------------------

typedef struct wr_morph_world wr_morph_world;
WR_API WR_NODISCARD wr_morph_world *wr_morph_world_create(const wr_allocator *allocator,
                                                          wr_error *error);
WR_API void wr_morph_world_destroy(wr_morph_world *world); // accepts NULL

// In the bind pose, at rest. Returns the number of the body, -1 on failure.
WR_API int wr_morph_add(wr_morph_world *world, const wr_morph_model *model, wr_error *error);
WR_API void wr_morph_remove(wr_morph_world *world, int body); // accepts -1

// Where every bone is at the end of the next step, and stays until it is told otherwise: the map
// that takes the bind pose to the world as this bone moves it, as wr_flesh_bone_pose gives it. How
// bones move and are accelerated follows from one step to the next. NULL: as before. scalars: as
// many as the space has; NULL: as before, at first 0.
WR_API void wr_morph_drive(wr_morph_world *world, int body, const wr_pose *poses,
                           const float *scalars);
// Puts all bones there at once: nothing moves, and skin has the rest shape of that pose. NULL:
// where they were to be.
WR_API void wr_morph_put(wr_morph_world *world, int body, const wr_pose *poses,
                         const float *scalars);
// An impulse on a vertex in the next step, N s, world; Newmark's rule gives the share 1 - gamma of
// it to the step after. Pushes on one vertex add up.
WR_API void wr_morph_push(wr_morph_world *world, int body, int vertex, wr_vec3 impulse);

// --- steps ------------------------------------------------------------------------------------

// A plane of a rigid body that a vertex may meet within the step.
typedef struct wr_morph_touch {
    int morph, vertex;     // of the world's bodies, and which of its vertices
    int body;              // index into wr_morph_step.bodies; -1: something that never moves
    wr_vec3 point, normal; // metres, world, as the step begins: of the plane; unit, out of the body
    float friction, restitution;
    wr_vec3 impulse; // N s, on the rigid body: what the step answers
} wr_morph_touch;

// A place between three vertices of a body that a vertex of another one, or a ball, may meet within
// the step.
typedef struct wr_morph_meeting {
    int other;        // of the world's bodies: whose skin it is
    int corners[3];   // its vertices, which share the place by
    float weights[3]; // these: >= 0, sum 1
    wr_vec3 normal;   // unit, world, out of this skin
    int morph;        // of the world's bodies, another one: which meets it there with its
    int vertex;       // vertex; or, where morph is -1,
    int body;         // index into wr_morph_step.bodies, with its
    wr_vec3 point;    // point, metres, world, as the step begins
    float friction, restitution;
    wr_vec3 impulse; // N s, on what meets it: what the step answers
} wr_morph_meeting;

typedef struct wr_morph_step {
    wr_vec3 gravity;      // m/s^2
    wr_vec3 wind;         // m/s: velocity of the air
    wr_body_copy *bodies; // rigid ones that are touched, as the step begins; they are pushed, not
                          // moved
    int body_count;
    wr_morph_touch *touches; // those of a body one after another
    int touch_count;
    wr_morph_meeting *meetings;
    int meeting_count;
    wr_tasks tasks; // zeroed: the calling thread alone
} wr_morph_step;

WR_API wr_morph_step wr_morph_step_default(void); // earth's gravity, calm air, nothing to touch

// Advances all bodies by the dt of their model. False: out of memory, and those that need more
// wait.
WR_API bool wr_morph_world_step(wr_morph_world *world, wr_morph_step *step);

// --- what it is like --------------------------------------------------------------------------

WR_API int wr_morph_vertex_count(const wr_morph_world *world, int body);
// metres, world, of all vertices. tasks may be NULL.
WR_API void wr_morph_positions(const wr_morph_world *world, int body, const wr_tasks *tasks,
                               wr_vec3 *out);
// metres, in the bind pose, against the model itself: elastic displacements and sculpted ones.
WR_API void wr_morph_displacements(const wr_morph_world *world, int body, const wr_tasks *tasks,
                                   wr_vec3 *out);
// One of them, without the dents of contacts that the modes of a reduced body cannot follow: what
// wr_morph_touch compares with. m, world
WR_API wr_vec3 wr_morph_position(const wr_morph_world *world, int body, int vertex);
WR_API wr_vec3 wr_morph_velocity(const wr_morph_world *world, int body, int vertex); // m/s, world
// 1/kg: change of that velocity within a step per impulse there, with all that hangs on it; nearly.
WR_API wr_mat3 wr_morph_inverse_mass(const wr_morph_world *world, int body, int vertex);
WR_API wr_pose wr_morph_bone_pose(const wr_morph_world *world, int body, int bone);
// Of the targets, as wr_morph_model_shares has those of stiffness.
WR_API void wr_morph_shares(const wr_morph_world *world, int body, double *out);

typedef struct wr_morph_statistics {
    double elastic_energy; // J, against the rest shape of the pose
    double motion_energy;  // J, of displacements in the bind pose
    int solves;            // of Newton, in the last step: 1 when linear
    int iterations;        // of conjugate gradients in it; 0 when reduced
    int touched;           // touches and meetings that pushed in it
    double impulse[3];     // N s, world, on its skin in it: by these and by wr_morph_push
    int softened;          // solves in it whose tangent stiffness was not positive: that of the
                           // rest shape took its place; and energy that was taken out of it
} wr_morph_statistics;
WR_API wr_morph_statistics wr_morph_describe(const wr_morph_world *world, int body);

// --- state ------------------------------------------------------------------------------------

// A body is unsound when one of its numbers is not finite. Frozen ones keep their shape and follow
// the bones. The hash is of all that decides how it goes on; the bytes of a snapshot are for this
// program on this machine.
WR_API bool wr_morph_is_sound(const wr_morph_world *world, int body);
WR_API void wr_morph_freeze(wr_morph_world *world, int body); // for good
WR_API uint64_t wr_morph_hash(const wr_morph_world *world, int body);
WR_API size_t wr_morph_save_size(const wr_morph_world *world, int body);
WR_API void wr_morph_save(const wr_morph_world *world, int body, void *bytes);
// On failure it is as before.
WR_API bool wr_morph_restore(wr_morph_world *world, int body, const void *bytes, size_t size,
                             wr_error *error);

#if defined(__cplusplus)
}
#endif
