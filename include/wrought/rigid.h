// rigid.h: a world of rigid bodies behind plain data.
//
//     wr_rigid_desc desc = wr_rigid_desc_default();
//     wr_rigid *rigid = wr_rigid_create(&desc, &error);
//     wr_rigid_body_desc crate = wr_rigid_body_desc_default();
//     crate.shape.kind = WR_SHAPE_BOX;
//     crate.shape.size = wr_v3(1, 1, 1);
//     crate.pose.position.y = 2;
//     int id = wr_rigid_add_body(rigid, &crate, &error);
//     for (int i = 0; i < 240; i++) {
//         wr_rigid_step(rigid, 1.0f / 240.0f, NULL, NULL);
//     }
//     wr_pose pose = wr_rigid_pose(rigid, id);
//     wr_rigid_destroy(rigid);
//
// Bodies and joints are numbered from 0 in the order they were added and keep their number; removed
// numbers are not used again. A pose is that of the body's own frame, in which its shape is given;
// the centre of mass may lie elsewhere in that frame. Velocities are those of the centre of mass.
// Thread safety: one thread at a time per wr_rigid; different ones are independent.
#pragma once

#include "body_copy.h"
#include "geometry.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct wr_rigid wr_rigid;

typedef struct wr_rigid_desc {
    wr_vec3 gravity;   // m/s^2. Default (0, -9.81, 0)
    float unit_length; // metres, > 0: size of a typical moving body; the engine computes in
                       // multiples of it, so that toys and ships behave alike. Default 1
    int iterations;    // solver sweeps per step, [1, 1000]. Default 30
    bool sleeping;     // bodies at rest stop costing time. Default true
    wr_allocator allocator;
    uint32_t cookie; // set by wr_rigid_desc_default; do not touch
} wr_rigid_desc;

WR_API wr_rigid_desc wr_rigid_desc_default(void);
WR_API WR_NODISCARD wr_rigid *wr_rigid_create(const wr_rigid_desc *desc, wr_error *error);
WR_API void wr_rigid_destroy(wr_rigid *rigid); // accepts NULL

// --- bodies -----------------------------------------------------------------------------------

typedef enum wr_shape_kind {
    WR_SHAPE_BOX,      // size: full extents
    WR_SHAPE_SPHERE,   // size.x: radius
    WR_SHAPE_CAPSULE,  // size.x: radius, size.y: length of the straight part, along Y
    WR_SHAPE_CYLINDER, // size.x: radius, size.y: height, along Y
    WR_SHAPE_PLANE,    // the half space below y = 0 of the body's frame; immovable bodies only
    WR_SHAPE_HULLS,    // one or more convex pieces, each the hull of its points
    WR_SHAPE_MESH,     // triangles; immovable, kinematic or moving
} wr_shape_kind;

// A convex piece. The points are copied.
typedef struct wr_piece {
    const wr_vec3 *points; // metres, body frame
    int point_count;       // at least 4, not in a plane
} wr_piece;

typedef struct wr_shape {
    wr_shape_kind kind;
    wr_vec3 size;           // metres; primitives
    const wr_piece *pieces; // WR_SHAPE_HULLS
    int piece_count;
    const wr_vec3 *positions; // WR_SHAPE_MESH: vertices, metres, body frame; copied
    int vertex_count;
    const int *triangles;
    int triangle_count;
} wr_shape;

typedef enum wr_motion {
    WR_MOTION_MOVING, // answers to forces
    WR_MOTION_STATIC, // never moves
    WR_MOTION_DRIVEN, // moves as told by wr_rigid_set_target, pushes others, is not pushed
} wr_motion;

typedef struct wr_rigid_body_desc {
    wr_shape shape;
    wr_motion motion;         // Default WR_MOTION_MOVING
    wr_mass_properties mass;  // moving bodies: mass > 0, inertia positive definite. Body frame
    wr_pose pose;             // where the body's frame is
    wr_vec3 velocity;         // m/s, of the centre of mass
    wr_vec3 angular_velocity; // rad/s, world axes
    float friction;    // Coulomb coefficient, >= 0; a contact uses the geometric mean. Default 0.6
    float restitution; // [0, 1]; a contact uses the larger of the two. Default 0.1
    float rolling_friction; // [0, 1], fraction of the body's size; stops balls. Default 0.0
    // Rates at which velocities decay, >= 0, in 1/T, where T = sqrt(r / g) is the body's own time:
    // r its radius of gyration, g gravity or, where there is none, that of the earth.
    float linear_damping;  // Default 0
    float angular_damping; // Default 0.004: 0.02 per second for a barrel
    int surface;       // number by which wr_rigid_set_surface_pair knows what it is made of, >= 0.
                       // Default 0: nothing in particular
    uint32_t group;    // bit set of the groups this body is in. Default 1
    uint32_t collides; // bit set of the groups it touches. Default all. Both sides must agree
    bool can_sleep;    // Default true
    bool is_planar;    // moves along x and y and turns about z alone. Default false
    uint32_t cookie;   // set by wr_rigid_body_desc_default
} wr_rigid_body_desc;

WR_API wr_rigid_body_desc wr_rigid_body_desc_default(void);

// Returns the body's number, -1 on failure. desc.mass.mass == 0 with WR_MOTION_MOVING is an error,
// and so is a place farther from the origin than 1e9 L, a velocity above 1e6 L/T or an angular
// velocity above 1e6 / T, where L is unit_length and T = sqrt(L * 9.81 m/s^2 / |gravity|), sqrt(L /
// 1 m) s without gravity. Bodies that get beyond these limits later are frozen and counted as
// runaway.
WR_API int wr_rigid_add_body(wr_rigid *rigid, const wr_rigid_body_desc *desc, wr_error *error);
WR_API void wr_rigid_remove_body(wr_rigid *rigid, int body); // and its joints
WR_API int wr_rigid_body_count(const wr_rigid *rigid);       // numbers given out, also removed ones

// The state of a body now.
typedef struct wr_rigid_state {
    wr_pose pose;             // of the body's own frame
    wr_vec3 center;           // metres, world: centre of mass
    wr_vec3 velocity;         // m/s, of the centre of mass
    wr_vec3 angular_velocity; // rad/s, world axes
    bool asleep;              // false unless it can move
    bool frozen;
} wr_rigid_state;
// Reads many bodies with one call; the numbers are those that the calls below give for one.
WR_API void wr_rigid_read_states(const wr_rigid *rigid, const int *bodies, int count,
                                 wr_rigid_state *out);

// A body as those see it who solve contacts with it themselves.
typedef struct wr_rigid_view {
    wr_motion motion;            // as it moves now: a frozen body is static
    float inverse_mass;          // 1/kg; 0: nothing can move it
    float inverse_inertia[3][3]; // 1/(kg m^2), about the centre of mass, world axes, symmetric
    wr_vec3 center;              // metres, world: centre of mass
    wr_vec3 velocity;            // m/s, of the centre of mass; of driven bodies in the last step
    wr_vec3 angular_velocity;    // rad/s, world axes
    wr_pose pose;                // of the body's own frame
    float friction, restitution;
} wr_rigid_view;
WR_API void wr_rigid_find_views(const wr_rigid *rigid, const int *bodies, int count,
                                wr_rigid_view *out);
// The supports of a moving body: where static or driven bodies touched it, or nearly, in the last
// substep it was awake. Returns how many were written, at most `room`.
WR_API int wr_rigid_find_supports(wr_rigid *rigid, int body, wr_support *supports, int room);

WR_API wr_pose wr_rigid_pose(const wr_rigid *rigid, int body);
WR_API wr_vec3 wr_rigid_velocity(const wr_rigid *rigid, int body);         // m/s, centre of mass
WR_API wr_vec3 wr_rigid_angular_velocity(const wr_rigid *rigid, int body); // rad/s, world axes
WR_API wr_vec3 wr_rigid_center(const wr_rigid *rigid, int body);           // centre of mass, world
WR_API bool wr_rigid_is_asleep(const wr_rigid *rigid, int body); // false unless it can move
WR_API bool wr_rigid_is_frozen(const wr_rigid *rigid, int body);
// Metres, world; holds the body, but not always tightly.
WR_API wr_box wr_rigid_bounds(const wr_rigid *rigid, int body);

WR_API void wr_rigid_set_pose(wr_rigid *rigid, int body, wr_pose pose);
WR_API void wr_rigid_set_velocity(wr_rigid *rigid, int body, wr_vec3 velocity,
                                  wr_vec3 angular_velocity);
// Gravity does not pull the body until the end of the next step: what is given its velocity in
// every step keeps it exactly, in however many substeps. No snapshot has it.
WR_API void wr_rigid_lift(wr_rigid *rigid, int body);
// A new friction wakes the body and what it touches; a new restitution does not. Friction is finite
// and >= 0, restitution in [0, 1], as in wr_rigid_body_desc: else nothing changes.
WR_API void wr_rigid_set_surface(wr_rigid *rigid, int body, float friction, float restitution);
// Restitutions are lower than they were in the last step, because a hit bent something: its
// contacts give back the part of their impulses that made them bounce too much. Momentum is kept.
WR_API void wr_rigid_take_back_bounces(wr_rigid *rigid);
// A step twice: keep the states before it, take it, change shapes, masses and surfaces, rewind, and
// take it again. Bodies are then where they were, with the momenta they had; what changed stays.
// Bodies that came or went meanwhile are left alone.
WR_API bool wr_rigid_keep_states(wr_rigid *rigid, wr_error *error);
WR_API void wr_rigid_rewind(wr_rigid *rigid);
// Both momenta are kept, and the centre of mass stays where it is in the world: the body's frame
// moves instead, unless something immovable supports the body and so holds it. The energy may
// change by that: see mass_energy.
WR_API void wr_rigid_set_mass(wr_rigid *rigid, int body, const wr_mass_properties *mass);
// Some of the body went, and this is the mass of the rest, which stays where it is and moves on as
// it did.
WR_API void wr_rigid_set_rest(wr_rigid *rigid, int body, const wr_mass_properties *mass);
// Overwrites the points of one convex piece, as many as it was made with.
WR_API void wr_rigid_set_piece(wr_rigid *rigid, int body, int piece, const wr_vec3 *points);
// Overwrites the vertices of a mesh that was made moving, as many as it was made with.
WR_API void wr_rigid_set_mesh(wr_rigid *rigid, int body, const wr_vec3 *positions);
// Sets where a driven body is to be at the end of the next step.
WR_API void wr_rigid_set_target(wr_rigid *rigid, int body, wr_pose pose);
// Says whether two bodies touch each other at all; at first they do where their groups agree. Meant
// for bodies that somebody else keeps apart: parts of one material, or what a material solves
// itself. Wakes both when it changes. Part of the saved bytes.
WR_API bool wr_rigid_set_collides_with(wr_rigid *rigid, int body_a, int body_b, bool collides,
                                       wr_error *error);
// Takes a body out of the simulation: it stays where it last was sound and nothing moves it again.
WR_API void wr_rigid_freeze(wr_rigid *rigid, int body);
// impulse in N s, at a point of the world. Wakes the body.
WR_API void wr_rigid_push(wr_rigid *rigid, int body, wr_vec3 point, wr_vec3 impulse);
// angular impulse in N m s, about the centre of mass. Wakes the body.
WR_API void wr_rigid_twist(wr_rigid *rigid, int body, wr_vec3 angular_impulse);
WR_API void wr_rigid_wake(wr_rigid *rigid, int body);
// Stops a moving body and puts it to sleep where it is, until something wakes it; not one that must
// not sleep.
WR_API void wr_rigid_sleep(wr_rigid *rigid, int body);

// How two surfaces rub and bounce against each other, in place of what follows from both.
typedef struct wr_surface_pair {
    int surface_a, surface_b; // > 0, in any order
    float friction;           // >= 0, NAN: the geometric mean as usual
    float restitution;        // [0, 1], NAN: the larger one as usual. Bodies that lost a part of
                              // theirs since they were added lose as much of this one
} wr_surface_pair;
WR_API bool wr_rigid_set_surface_pair(wr_rigid *rigid, const wr_surface_pair *pair,
                                      wr_error *error);

// --- joints -----------------------------------------------------------------------------------

typedef enum wr_joint_kind {
    WR_JOINT_POINT,  // a shared point
    WR_JOINT_HINGE,  // a shared point and axis
    WR_JOINT_SLIDER, // free along the axis, no turning
    WR_JOINT_FIXED,  // nothing free
} wr_joint_kind;

typedef struct wr_joint_desc {
    wr_joint_kind kind;
    int body_a, body_b; // body_b -1: the world
    wr_vec3 at;         // metres, world, at the moment of adding
    wr_vec3 axis;       // world; hinge and slider. Default (0, 1, 0)
    // Angle about, or displacement along, the axis of body_a relative to body_b since the moment of
    // adding: radians (hinge) or metres (slider); lower > upper: no limit. Default 1, -1
    float lower, upper;
    // N s passed on within the last 1/60 s, whatever the step; turning moments do not count.
    // Default INFINITY: never
    float breaking_impulse;
    bool collide; // whether the two bodies touch each other. Default false
    uint32_t cookie;
} wr_joint_desc;

WR_API wr_joint_desc wr_joint_desc_default(void);
WR_API int wr_rigid_add_joint(wr_rigid *rigid, const wr_joint_desc *desc,
                              wr_error *error);                // -1: failed
WR_API void wr_rigid_remove_joint(wr_rigid *rigid, int joint); // wakes its bodies
WR_API int wr_rigid_joint_count(const wr_rigid *rigid);        // also broken and removed ones
// A joint breaks by its impulse, or because one of its bodies was removed; wr_rigid_remove_joint
// does not count.
WR_API bool wr_rigid_joint_is_broken(const wr_rigid *rigid, int joint);
// Impulse the joint passed on in the last step, N s, on body_a, world axes.
WR_API wr_vec3 wr_rigid_joint_impulse(const wr_rigid *rigid, int joint);
// Its angular impulse on the body of a side, 0: body_a, 1: body_b, about that body's centre of
// mass, N m s, world axes. That of the impulse is in it.
WR_API wr_vec3 wr_rigid_joint_angular_impulse(const wr_rigid *rigid, int joint, int side);
// The body of a side, -1: the world; and where it is in that body's frame, metres.
WR_API int wr_rigid_joint_body(const wr_rigid *rigid, int joint, int side);
WR_API wr_vec3 wr_rigid_joint_point(const wr_rigid *rigid, int joint, int side);
// Hangs a side on another body, at the same place of its frame: of a body that broke the one that
// has the place now. Wakes both.
WR_API void wr_rigid_move_joint(wr_rigid *rigid, int joint, int side, int body);

// --- the step ---------------------------------------------------------------------------------

// One contact point that pushed, or touched, during a substep. Contacts between bodies that are all
// asleep or immovable are not reported.
typedef struct wr_contact {
    int body_a, body_b;
    int piece_a, piece_b;       // convex piece (hulls) or triangle (meshes), -1 for primitives
    wr_vec3 point;              // metres, world: half way between the two surfaces, which are
                                // `distance` apart; of wr_rigid_find_contacts: on body_b
    wr_vec3 normal;             // unit, world, from b to a
    float distance;             // metres; negative when overlapping
    float normal_impulse;       // N s, >= 0; pushes a along normal and b against it
    wr_vec3 tangential_impulse; // N s, world, on a
    int substep;                // which substep of the step, from 0
} wr_contact;

// Called after every substep of length dt seconds with the contacts of that substep; may push
// bodies, set pieces, meshes, masses and surfaces.
typedef void wr_substep_fn(void *user, float dt, const wr_contact *contacts, int contact_count);

// Advances by dt seconds, in as many substeps as it takes for fast bodies not to pass through what
// is in their way (at most 64; WR statistics say when that was not enough). dt not in
// (0, WR_STEP_MAX]: nothing happens, and the contacts of the last step stay.
WR_API void wr_rigid_step(wr_rigid *rigid, float dt, wr_substep_fn *substep, void *user);

// False, and WR_E_MEMORY, when the engine was refused memory in the middle of a step or of a
// change: nothing moves any more, and the rigid can only be destroyed, which leaves behind what the
// engine had taken from the heap. Ask after steps.
WR_API bool wr_rigid_check(const wr_rigid *rigid, wr_error *error);

// All contacts of the last step, in a fixed order. Valid until the next step.
WR_API const wr_contact *wr_rigid_contacts(const wr_rigid *rigid, int *count);

// The contacts of all moving bodies as they stand between two steps, also of those that sleep:
// those that pushed last, and those that are near enough to push soon. The impulses are those of
// the last substep. Returns how many there are and writes at most `room` of them; 0: none, or out
// of memory.
WR_API int wr_rigid_find_contacts(wr_rigid *rigid, wr_contact *contacts, int room);

typedef struct wr_rigid_statistics {
    int substeps;       // of the last step
    int awake;          // moving bodies awake after the last step
    int contacts;       // contact points of the last step
    int64_t too_fast;   // steps so far in which 64 substeps were not enough
    int64_t frozen;     // bodies frozen so far because their state could not be computed with
    int64_t runaway;    // those of them that were too fast or too far away; the others not finite
    double mass_energy; // J, energy of motion and of height that bodies gained so far by new masses
                        // and centres of mass; < 0: lost
} wr_rigid_statistics;
WR_API wr_rigid_statistics wr_rigid_stats(const wr_rigid *rigid);

// --- touches ----------------------------------------------------------------------------------

// Touch test for materials that bring their own points. Surfaces are those that were described,
// with the points that pieces and meshes have now; a mesh is a skin that can be touched from both
// sides.
typedef struct wr_ball {
    wr_vec3 center; // metres, world
    float radius;   // metres, > 0
    wr_vec3 sweep;  // metres: how far it goes from there; bodies stay where they are meanwhile
} wr_ball;

typedef struct wr_touch {
    int ball;       // which of the balls
    int body;       // what it touches
    int piece;      // convex piece (hulls) or triangle (meshes), -1 for primitives
    wr_vec3 point;  // metres, world, on the body's surface
    wr_vec3 normal; // unit, world, out of the body
    // The same in the body's own frame: a plane that goes with the body when it moves.
    wr_vec3 local_point, local_normal;
    float depth;      // metres: how far the ball, where its sweep begins, is behind that plane;
                      // negative: how far before it
    float time;       // fraction of the sweep after which it touches; 0: within the margin at once
    wr_vec3 velocity; // m/s, of the body at that point
    float friction, restitution; // of the body
} wr_touch;

enum { WR_MOST_TOUCHES = 16 };

typedef struct wr_touch_query {
    const wr_ball *balls; // neighbours best one after the other; not finite ones touch nothing
    int ball_count;
    float margin; // metres, >= 0: what is nearer than that counts as touched. Default 0
    // Touches of one ball at most, [1, WR_MOST_TOUCHES]: those it would be deepest behind at the
    // end of its sweep. Of one body only sides that stick out of each other count. Default 1
    int most;
    uint32_t group, collides; // as of a body; both sides must agree. Default 1, all
    const int *ignored;       // bodies that are not looked at. Default none
    int ignored_count;
    wr_tasks tasks;  // the answer is the same for any number of threads. Default: none
    uint32_t cookie; // set by wr_touch_query_default
} wr_touch_query;

WR_API wr_touch_query wr_touch_query_default(void);
// Touches come in the order of the balls, the deepest first; balls that touch nothing are not among
// them. Valid until the next call. NULL when out of memory.
WR_API const wr_touch *wr_rigid_find_touches(wr_rigid *rigid, const wr_touch_query *query,
                                             int *count, wr_error *error);

// --- snapshots --------------------------------------------------------------------------------

// The whole state that is not in the descs, as bytes. Saving makes the engine forget everything
// that is not in those bytes, so that going on after a save and going on after a restore into a
// world built by the same calls are the same, bit for bit. Save at fixed times, not when somebody
// asks. The bytes live until the next save.
WR_API const void *wr_rigid_save(wr_rigid *rigid, size_t *size, wr_error *error);
WR_API bool wr_rigid_restore(wr_rigid *rigid, const void *bytes, size_t size, wr_error *error);

// Hash of all poses, velocities and sleep states, bit for bit.
WR_API uint64_t wr_rigid_hash(const wr_rigid *rigid);

#if defined(__cplusplus)
}
#endif
