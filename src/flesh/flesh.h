// flesh.h (internal): bodies of soft skin over bones.
//
// k bones, n nodes of skin. The displacement u_s of a node is measured in the bind pose, where its
// elasticity is linear and constant. Bone i takes what lies at u in the bind pose to
//
//     x_i(u) = c_i + Q_i (u - o_i),   and skin to   x = sum_i w_i x_i(u_o + u_s)       thesis
//     eq. 4.5
//
// Notation, thesis chapter 4, and spec/flesh.md where that is more exact:
//
//     c_i  place of the bone's origin in the world      o_i  the same in the bind pose
//     Q_i  rotation from the bind pose                  alpha_i  angular velocity, in the bind pose
//     u_o, q, v   node at rest, displacement, its velocity, all in the bind pose
//     m    mass of a node, w its weights, r = u - o_i its lever
//
// The share m w_i of a node moves with its image under bone i. With a = Q^T dc/dt the energy of
// motion is 1/2 sum m w_i |a_i + alpha_i x r + v|^2, which makes the mass matrix of the increments
// (da_i, dalpha_i, dv) exact, block-diagonal among the bones and, with r at rest, constant:
//
//     M = [M_b M_bs; M_bs^T M_s],   M_bs,i = m w_i [I; r~],   M_s = m I
#pragma once

#include "../math/lanes.h"
#include "../factor/factor.h"
#include "layer.h"
#include "levels.h"
#include "wrought/flesh.h"

enum { WRI_FLESH_BONES = WR_FLESH_INFLUENCES, WRI_FLESH_GRAIN = 128 };
#define WRI_FLESH_SLOP 1e-3f  // of the size: overlap that stays
#define WRI_FLESH_BOTTOM 0.8f // of the thickness: skin that is pressed in so far rests on its core
#define WRI_FLESH_END 3.0f    // of the thickness: no skin is drawn off farther, in any direction
#define WRI_FLESH_MOST 1.25f  // times that end: where skin is put back
#define WRI_FLESH_CORRECTED 0.2f // of an overlap, in a step: what is taken back
#define WRI_FLESH_AGAINST 0.3f   // cosine: what is pressed so steeply against a support is held

typedef struct wri_flesh_bone {
    double origin[3];          // o, metres, bind pose
    double core_mass;          // kg: what is not in the nodes
    double core_first[3];      // kg m, about the origin
    double core_inertia[3][3]; // kg m^2, about the origin
    double M[6][6];            // M_b: core and its share of the nodes, levers at rest
} wri_flesh_bone;

// A node's row of Y = A^-1 M_bs^T: what it does when a bone is accelerated. Three rows of six.
typedef struct wri_bone_reach {
    int bone;
    float Y[18];
} wri_bone_reach;

// The nodes and triangles that each bone carries most of: boxes around them are the first stage of
// detection, see meet.c.
typedef struct wri_patches {
    int *node_begin, *nodes;         // per bone, into the nodes
    int *triangle_begin, *triangles; // likewise
    float *radii;                    // metres, per bone: how far those are that it moves, at rest
    bool *adjacent; // per pair of bones: they are joined, or move the same triangle
    float edge;     // metres, mean length of an edge
} wri_patches;

// What does not change: shared by all bodies made of it. Nodes are in the order of elimination.
struct wr_flesh_model {
    wri_arena arena;
    int node_count, bone_count, triangle_count;
    int *node_of;   // where the node went that was given with this number
    int *triangles; // three nodes each
    f4 *rest;       // u_o, metres; [3]: thickness of the layer below
    f4 *outward;    // unit, bind pose: from the core to the skin; [3]: 1 where a node is fixed
    float *mass;    // m, kg
    int *bone_ids;  // WRI_FLESH_BONES of each node, with
    float *weights; // their weights, largest first
    wri_blocks K;   // N/m
    wri_flesh_bone *bones;
    wri_patches patches;
    wr_flesh_joint *joints;
    int joint_count;
    float dt;                              // seconds: of every step
    float damping_mass, damping_stiffness; // Rayleigh's: 1/s, s
    wri_plan *plan;
    wri_factor *factor;    // of A = (1 + a dt) M_s + (b dt + dt^2) K
    wri_levels levels;     // of A; published: none
    float *diagonal;       // mean of the diagonal of A, of each node
    bool published;        // by the thesis' own approximations, see published.c, with
    float (*D_inverse)[9]; // the inverse of the block of A on the diagonal, of each node
    int *reach_begin;      // per node, into
    wri_bone_reach *reaches;
    double *G;         // the inverse of M_b - M_bs Y, (6 k)^2; published: with D^-1 for A^-1
    double total_mass; // kg
    float size;        // m: cube root of what its mass would fill
};

// Y and G, when all else of the model is there.
bool wri_flesh_condense(wr_flesh_model *m, const wr_tasks *tasks, wr_error *error);

typedef struct wri_flesh_pose {
    double c[3];     // metres, world
    double turn[4];  // Q as a quaternion, x y z w
    double v[3];     // m/s, dc/dt, world
    double alpha[3]; // rad/s, bind pose
} wri_flesh_pose;

typedef struct wri_bone_turn {
    double m[3][3];
} wri_bone_turn;

// A row of a joint: J on the increments of bone a and, unless that is -1, of bone b.
typedef struct wri_joint_row {
    int a, b;
    double J_a[6], J_b[6];
    double epsilon, bias;
    int one_way; // the sign that its impulse may have, 0: any
} wri_joint_row;

// Of all joints, for one step.
typedef struct wri_joints {
    int count, room;
    wri_joint_row *rows; // those that act
    int limit_count, held_count;
    wri_joint_row *limits; // that may be met in the step; those that are come last among the rows,
    bool *is_met;          // behind held_count others
    double *H;             // room^2: J G J^T + epsilon, then its factor
    double *mu;            // room
    double *work;          // three times six of each bone
} wri_joints;

typedef struct wri_target {
    double angle[3]; // radians, a rotation vector in the frame of bone b
    double rate[3];  // rad/s, likewise: of the target
} wri_target;

// A bone that is pulled to a place with a limited force.
typedef struct wri_pull {
    wri_flesh_pose goal;                      // at the end of the step; alpha: world axes
    double stiffness[2], damping[2], most[2]; // N/m, N s/m, N; N m, N m s, N m
    int64_t is_on;
} wri_pull;

// The last contact of a node, from which that of the next step is sought.
typedef struct wri_felt {
    double impulse[3]; // N s, world
    double compliance; // across it, as in group.h
    double core;       // N s: from the core below it
    int body;
} wri_felt;

typedef struct wri_flesh {
    const wr_flesh_model *model;
    wri_flesh_pose *bones;
    wri_bone_turn *Q; // of the bones, as a matrix
    f4 *q, *v;        // metres, m/s, bind pose
    wri_felt *felt;
    wri_target *targets;   // of each joint: the angle it goes for
    wri_flesh_pose *goals; // of bones that are driven
    bool *is_driven;
    wri_pull *pulls; // per bone
    wri_joints joints;
    float friction, restitution;
    uint32_t group, collides;
    wr_flesh_detection detection;
    float clear; // metres: what it may move before it can meet itself
    double calm; // s: for how long it has hardly moved
    bool asleep, frozen;
    wri_path path;         // of the nodes in contact, in the factor,
    wri_block_patch patch; // and in K
} wri_flesh;

static inline bool wri_flesh_is_fixed(const wr_flesh_model *m, int node)
{
    return m->outward[node][3] > 0.0f;
}

// At rest, in the bind pose.
bool wri_flesh_create(wri_flesh *out, const wr_flesh_model *model, wr_error *error);
void wri_flesh_destroy(wri_flesh *f);
// Where a node is in the world, metres, and how it moves, m/s.
wr_vec3 wri_flesh_place(const wri_flesh *f, int node);
// Whether nothing can move its bones. Its skin is not kept from passing them: what they are driven
// into may leave it nowhere else to go.
bool wri_flesh_is_held(const wri_flesh *f, int node);
wr_vec3 wri_flesh_velocity(const wri_flesh *f, int node);
wri_flesh *wri_flesh_of(const wr_flesh_world *world, int body);

typedef struct wri_flesh_momentum {
    double mass;          // kg
    double center[3];     // metres, world: of mass
    double P[3], spin[3]; // kg m/s; kg m^2/s, about the centre of mass
    double inertia[3][3]; // kg m^2, about the centre of mass, world axes
    double motion;        // J
} wri_flesh_momentum;

// False: out of memory, here and below.
bool wri_flesh_find_momentum(const wri_flesh *f, const wr_tasks *tasks, wr_scratch *scratch,
                             wri_flesh_momentum *out);
void wri_flesh_restore(wri_flesh *f, const wri_flesh_momentum *now,
                       const wri_flesh_momentum *wanted, double most);
// J: of what moves against the centre of mass.
double wri_flesh_motion_about(const wri_flesh_momentum *m);
// Leaves so much of that at most.
void wri_flesh_calm(wri_flesh *f, const wri_flesh_momentum *now, double most);
// J: of what is strained.
double wri_flesh_strain_energy(const wri_flesh *f);

void wri_flesh_find_turns(wri_flesh *f);
bool wri_flesh_move_freely(wri_flesh *f, const double gravity[3], const wr_tasks *tasks,
                           wr_scratch *scratch);
void wri_flesh_drift(wri_flesh *f, const wr_tasks *tasks);
// A whole step of bodies that touch each other. Gaps of contacts are those before it.
typedef struct wri_flesh_step_desc {
    double gravity[3]; // m/s^2
    struct wri_flesh_contact *contacts;
    int contact_count;
    wr_body_copy *bodies;
    int body_count;
    float slop; // metres
    wr_tasks tasks;
} wri_flesh_step_desc;
bool wri_flesh_step(wri_flesh *const *members, int member_count, const wri_flesh_step_desc *step,
                    wr_scratch *scratch);

// What the bones have, as their increments: in the bind pose.
void wri_flesh_find_velocities(const wri_flesh *f, double *out);

// Parts of M^-1 for impulses on bones (six numbers each) and on nodes: what nodes keep bones from,
// -Y^T s, which is added; what bones do, G b; what nodes do then, -Y dv_b.
void wri_flesh_hold_bones(const wr_flesh_model *m, int node, const float s[3], double *bones);
void wri_flesh_answer_of_free_bones(const wr_flesh_model *m, const double *impulses, double *out);
void wri_flesh_answer_of_bones(wri_flesh *f, const double *impulses, double *out); // with joints
f4 wri_flesh_follow(const wr_flesh_model *m, int node, const double *bones);
// Adds to the velocities: of bones; of the skin A^-1 s - Y dv_b, given A^-1 s.
void wri_flesh_change_bones(wri_flesh *f, const double *by);
void wri_flesh_answer_of_skin(wri_flesh *f, const float *s, const double *bones,
                              const wr_tasks *tasks);

// --- joints
// ---------------------------------------------------------------------------------------

// The rows of a step, from how the bones are now. False: they contradict each other.
bool wri_flesh_find_joints(wri_flesh *f);
void wri_flesh_keep_joints(wri_flesh *f, const double *v, double *change);
// After a solve for `change`: limits that would be passed are met, those that would pull are given
// up. True: some were, and the rows are factored anew.
bool wri_flesh_meet_limits(wri_flesh *f, const double *v, const double *change, bool only_drops);
bool wri_flesh_put_together(wri_flesh *f, double *change);

// --- contact ----------------------------------------------------------------------------------

enum {
    WRI_FIXED = -1,    // what nothing moves and does not move itself
    WRI_OWN_CORE = -2, // the bone below: point and normal are in the bind pose, and nothing rubs
    WRI_FLESH = -3,    // and less: skin, of body WRI_FLESH - body of the world
};

// A node that may meet a plane within the step.
typedef struct wri_flesh_contact {
    int member; // of the group that is solved together: whose node it is
    int node;
    int body;              // which of the rigid ones, or one of those above
    int other;             // of skin: the member that is met,
    int corners[3];        // in the triangle of these nodes,
    float shares[3];       // at these barycentric coordinates
    wr_vec3 point, normal; // metres, world: of the node; unit, out of what it touches
    float gap;             // metres from it along the normal; < 0: overlap
    float distance;        // metres: how far off the triangle is
    bool is_end;           // of the bone below: not what is under the skin, but what holds it
    float friction;
    float approach;    // m/s, against the normal, before the step
    float bounce;      // m/s, >= 0: with which it leaves again, if its skin is firm;
    float push;        // with which it is to leave at least, however soft that is
    wr_vec3 impulse;   // N s, on the node: the answer; and
    float softness[2]; // what of an overlap the skin of its node, and of the corners, gives way
    float height;      // metres, along the normal: where its node is to be at the end of the step
                       // at least, over the corners
} wri_flesh_contact;

// Changes velocities so that no contact is broken. Bodies are pushed, too.
bool wri_flesh_solve_contacts(wri_flesh *const *members, int member_count,
                              wri_flesh_contact *contacts, int count, wr_body_copy *bodies,
                              int body_count, const wr_tasks *tasks, wr_scratch *scratch);
// Before the step's motion: where velocities take the nodes, or what they touch.
void wri_flesh_foresee(wri_flesh *const *members, wri_flesh_contact *contacts, int count,
                       const wr_body_copy *bodies);
// After it: skin that is deeper than both is put back. Velocities are those of the places before,
// and what turns by half a radian in a step goes another way than they say.
void wri_flesh_keep_out(wri_flesh *const *members, const wri_flesh_contact *contacts, int count);
// Moves skin out of what it overlaps by more than the slop, metres, a part of the way.
void wri_flesh_correct(wri_flesh *const *members, const wri_flesh_contact *contacts, int count,
                       float slop);
// What bones may do to their own skin in a step, WRI_OWN_CORE: how many, written to `out` unless
// that is NULL. pressed: how far each node may be pressed in then, metres.
int wri_flesh_list_own(const wri_flesh *f, const float *pressed, wri_flesh_contact *out);
// After a step: skin that is drawn off far beyond what these allow, or pressed past its core, is
// put back.
void wri_flesh_keep_within(wri_flesh *f);
