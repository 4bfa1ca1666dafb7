// flesh.h: soft skin over bones: skin gives way where it is touched, and the bones answer.
//
//     wr_flesh_model_desc desc = wr_flesh_model_desc_default();
//     desc.skin = layer->skin, desc.core = layer->core;   // see layer.h
//     desc.node_count = layer->node_count;
//     desc.triangles = layer->triangles, desc.triangle_count = layer->triangle_count;
//     wr_flesh_model *model = wr_flesh_model_create(&desc, &error);
//     wr_flesh_world *world = wr_flesh_world_create(NULL, &error);
//     wr_flesh_desc flesh = wr_flesh_desc_default();
//     flesh.model = model, flesh.pose = pose;
//     int body = wr_flesh_add(world, &flesh, &error);
//     for (int i = 0; i < 240; i++) {
//         wr_flesh_step step = wr_flesh_step_default();
//         wr_flesh_world_step(world, &step);
//         wr_flesh_positions(world, body, places);
//     }
//
// After N. Galoppo: Animation, simulation, and control of soft characters using layered
// representations and simplified physics-based methods, 2008, chapters 3 and 4; docs/flesh.md says
// where we differ.
//
// Part of wrought-rt: needs nothing but the C library. Thread safety: a world belongs to one thread
// at a time; it shares its work out itself. A model is used by one world at a time. Results do not
// depend on the number of threads.
#pragma once

#include "body_copy.h"
#include "parameter.h"

#if defined(__cplusplus)
extern "C" {
#endif

// --- models -----------------------------------------------------------------------------------

#define WR_FLESH_POISSON_MAX 0.45f // one layer of linear tetrahedra locks beyond

enum {
    WR_FLESH_NODES_MAX = 1000000,
    WR_FLESH_BONES_MAX = 256,
    WR_FLESH_INFLUENCES = 4, // bones that move a node
};

// Mass with its moments about the origin of the bind pose.
typedef struct wr_flesh_mass {
    double mass;         // kg
    double first[3];     // kg m, sum of m x
    double second[3][3]; // kg m^2, sum of m x x^T
} wr_flesh_mass;

typedef enum wr_flesh_joint_kind {
    WR_FLESH_BALL,  // turns about a point
    WR_FLESH_HINGE, // about an axis
    WR_FLESH_FIXED, // not at all
} wr_flesh_joint_kind;

// Two bones that meet in a point. Angles are those of bone a against bone b, 0 in the bind pose.
typedef struct wr_flesh_joint {
    int a, b;
    wr_flesh_joint_kind kind;
    wr_vec3 at;   // metres, bind pose
    wr_vec3 axis; // unit, bind pose: of a hinge, and about which a ball's `least` and `most` are
    float least, most; // radians about the axis; -INFINITY, INFINITY: any
    float swing;       // radians across it, > 0, of balls; INFINITY: any
    double stiffness;  // N m, towards the angle it is told, or that of the bind pose
    double damping;    // N m s
} wr_flesh_joint;

enum { WR_FLESH_JOINTS_MAX = 512 };

// Start from wr_flesh_model_desc_default(). Everything is copied. Places are those of the bind
// pose.
typedef struct wr_flesh_model_desc {
    int node_count;
    const wr_vec3 *skin;  // metres
    const wr_vec3 *core;  // metres: each node's partner on the bones
    const bool *fixed;    // nodes that do not leave their partner; NULL: none
    const int *triangles; // three nodes each, counter-clockwise seen from outside
    int triangle_count;
    const float *stiffness; // a factor per node, NULL: 1 everywhere
    double young;           // Pa, > 0. Default 2e4
    float poisson;          // [0, WR_FLESH_POISSON_MAX]. Default 0.4
    double density;         // kg/m^3, > 0. Default 1000
    float damping;          // s: Rayleigh's, of strains, >= 0. Default 0.002
    float drag;             // 1/s: Rayleigh's, of displacements against the bone, >= 0. Default 0
    int bone_count;         // Default 1
    const wr_vec3 *origins; // metres, of each bone; NULL: the centre of mass of a single one
    const int *bones;       // WR_FLESH_INFLUENCES of each node; NULL: all bone 0
    const float *weights;   // likewise, >= 0, their sum is 1, largest first
    const wr_flesh_mass *inner; // of each bone: what lies within the core; NULL: nothing
    const wr_flesh_joint *joints;
    int joint_count;
    float dt;                      // seconds, of every step, (0, WR_STEP_MAX]. Default 1/240
    bool published;                // the thesis' own approximations, to compare with. Default false
    wr_tasks tasks;                // until it is created
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;
} wr_flesh_model_desc;

typedef struct wr_flesh_model wr_flesh_model;
WR_API wr_flesh_model_desc wr_flesh_model_desc_default(void);
WR_API WR_NODISCARD wr_flesh_model *wr_flesh_model_create(const wr_flesh_model_desc *desc,
                                                          wr_error *error);
WR_API void wr_flesh_model_destroy(wr_flesh_model *model); // after its bodies; accepts NULL
// Of a bone with its share of the skin.
WR_API wr_flesh_mass wr_flesh_bone_mass(const wr_flesh_model *model, int bone);

// --- worlds and bodies ------------------------------------------------------------------------

typedef struct wr_flesh_world wr_flesh_world;
WR_API WR_NODISCARD wr_flesh_world *wr_flesh_world_create(const wr_allocator *allocator,
                                                          wr_error *error);
WR_API void wr_flesh_world_destroy(wr_flesh_world *world); // accepts NULL

// How skins find each other where their boxes overlap.
typedef enum wr_flesh_detection {
    WR_FLESH_EXACT,  // nodes against triangles
    WR_FLESH_RASTER, // drawn on planes between them, where both say so
} wr_flesh_detection;

// Start from wr_flesh_desc_default().
typedef struct wr_flesh_desc {
    wr_flesh_model *model;
    wr_pose pose;                       // of the bind pose, in the world
    wr_vec3 velocity, angular_velocity; // m/s, of the centre of mass; rad/s, world axes
    float friction, restitution;        // where it meets flesh. Default 0.5, 0
    uint32_t group;               // bits; bodies of flesh meet when each is in a group that the
    uint32_t collides;            // other collides with, itself included. Default: both all ones
    wr_flesh_detection detection; // Default WR_FLESH_EXACT
    uint32_t cookie;              // set by wr_flesh_desc_default; do not touch
} wr_flesh_desc;

WR_API wr_flesh_desc wr_flesh_desc_default(void);

// Returns the number of the body, -1 on failure.
WR_API int wr_flesh_add(wr_flesh_world *world, const wr_flesh_desc *desc, wr_error *error);
WR_API void wr_flesh_remove(wr_flesh_world *world, int body); // accepts -1

// Where a bone is at the end of the next step, and stays, until it is let go: as
// wr_flesh_bone_pose. Momentum is what drives it needs.
WR_API void wr_flesh_drive(wr_flesh_world *world, int body, int bone, wr_pose pose);
WR_API void wr_flesh_let_go(wr_flesh_world *world, int body, int bone);
// Puts a bone there at once; its velocity stays.
WR_API void wr_flesh_put(wr_flesh_world *world, int body, int bone, wr_pose pose);
// The angle that a joint's stiffness goes for, a rotation vector in the frame of its bone b,
// radians, and how fast the angle changes, rad/s, with which its damping goes along.
WR_API void wr_flesh_aim(wr_flesh_world *world, int body, int joint, wr_vec3 angle, wr_vec3 rate);

// A spring and a damper between a bone and a place in the world, of limited strength: help with
// balance. All numbers are at least 0; stiffness and damping of one kind are not both 0.
typedef struct wr_flesh_pull_desc {
    wr_pose pose;                       // at the end of the next step, as wr_flesh_bone_pose
    wr_vec3 velocity, angular_velocity; // m/s, of the bone's origin; rad/s, world: of that pose
    double stiffness, damping, force;   // N/m, N s/m, and at most N
    double turn_stiffness, turn_damping, torque; // N m, N m s, and at most N m
} wr_flesh_pull_desc;

// Until it is told otherwise; NULL: it is no longer pulled.
WR_API void wr_flesh_pull(wr_flesh_world *world, int body, int bone,
                          const wr_flesh_pull_desc *desc);

// What a scene's body of flesh has beyond its parameters.
typedef struct wr_flesh_setup {
    const double *joint_stiffness; // a factor per handle of its skeleton, >= 0; NULL: 1
} wr_flesh_setup;

// --- steps ------------------------------------------------------------------------------------

// A plane of a rigid body that a node may meet within the step.
typedef struct wr_flesh_touch {
    int flesh, node;       // of the world's bodies, and which of its nodes
    int body;              // index into wr_flesh_step.bodies
    wr_vec3 point, normal; // metres, world, as the step begins; unit, out of the body
    float friction, restitution;
    wr_vec3 impulse; // N s, on the rigid body: what the step answers
} wr_flesh_touch;

// A ball of something else that skin may meet within the step, such as a particle. Its answer to an
// impulse is that of the whole step, with everything that hangs on it.
typedef struct wr_flesh_ball {
    wr_vec3 position;   // metres, world, as the step begins
    wr_vec3 velocity;   // m/s: with which it would end the step if no flesh touched it
    float radius;       // metres
    float inverse_mass; // 1/kg; 0: nothing can move it
    int body;           // the thing that it is of: balls of one thing have the same number, >= 0
    float mass;         // kg, of that thing: balls that are touched together are no heavier. 0:
                        // not said
    float friction;
    uint32_t group, collides;
    int leader; // number of the flesh whose bones that thing has, which it misses, + 1; 0: nobody's
    // The answers.
    wr_vec3 impulse; // N s, on the ball
    wr_vec3 couple;  // N m s, about its position
} wr_flesh_ball;

typedef struct wr_flesh_step {
    wr_vec3 gravity;      // m/s^2
    wr_body_copy *bodies; // rigid ones that are touched, as the step begins; they are pushed, not
                          // moved
    int body_count;
    wr_flesh_touch *touches; // those of a body of flesh one after another
    int touch_count;
    wr_flesh_ball *balls;
    int ball_count;
    wr_tasks tasks; // zeroed: the calling thread alone
} wr_flesh_step;

WR_API wr_flesh_step wr_flesh_step_default(void); // earth's gravity, nothing to touch

// Advances all bodies that are awake by the dt of their model. False: out of memory, and those that
// need more wait.
WR_API bool wr_flesh_world_step(wr_flesh_world *world, wr_flesh_step *step);

// --- what it is like --------------------------------------------------------------------------

WR_API int wr_flesh_count(const wr_flesh_world *world, int body); // of its nodes
// In the order of the desc, into room for wr_flesh_count() of them.
WR_API void wr_flesh_positions(const wr_flesh_world *world, int body, wr_vec3 *out); // m, world
// m, against the core, in the bind pose
WR_API void wr_flesh_displacements(const wr_flesh_world *world, int body, wr_vec3 *out);
WR_API void wr_flesh_velocities(const wr_flesh_world *world, int body, wr_vec3 *out); // m/s
// Where the bind pose is, as seen by a bone.
WR_API wr_pose wr_flesh_bone_pose(const wr_flesh_world *world, int body, int bone);
WR_API double wr_flesh_mass_of(const wr_flesh_world *world, int body);   // kg
WR_API double wr_flesh_energy_of(const wr_flesh_world *world, int body); // J, elastic
WR_API float wr_flesh_speed_of(const wr_flesh_world *world, int body);   // m/s, in the mean

// What hardly moves for a while sleeps, until it is woken.
WR_API bool wr_flesh_is_asleep(const wr_flesh_world *world, int body);
WR_API void wr_flesh_wake(wr_flesh_world *world, int body);
// Sleeps now, with what it lies on, if it has been calm for a moment. Whether it does.
WR_API bool wr_flesh_doze(wr_flesh_world *world, int body);
WR_API void wr_flesh_freeze(wr_flesh_world *world, int body); // for good

// --- state ------------------------------------------------------------------------------------

// A body is unsound when one of its numbers is not finite: it has blown up. The hash is of all that
// decides how it goes on; the bytes of a snapshot are for this program on this machine.
WR_API bool wr_flesh_is_sound(const wr_flesh_world *world, int body);
WR_API uint64_t wr_flesh_hash(const wr_flesh_world *world, int body);
WR_API size_t wr_flesh_save_size(const wr_flesh_world *world, int body);
WR_API void wr_flesh_save(const wr_flesh_world *world, int body, void *bytes);
// On failure it is as before.
WR_API bool wr_flesh_restore(wr_flesh_world *world, int body, const void *bytes, size_t size,
                             wr_error *error);

#if defined(__cplusplus)
}
#endif
