// bullet_shim.h: everything C may know about Bullet. Only src/rigid includes it.
//
// No Bullet type, exception or ownership crosses this line: plain data in, plain data out. When
// memory is short within the engine it is broken from then on: it stands still, changes nothing,
// has no contacts, and can only be destroyed. All
// quantities are in engine units (engine.h converts); a body's frame here is its principal frame:
// origin at the centre of mass, axes along the principal axes of inertia. Matrices are rows of
// rows. Bodies and joints are numbered from 0 in the order they were added and keep their number.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct wri_bullet wri_bullet;

typedef struct wri_frame {
    double position[3];
    double basis[3][3];
} wri_frame;

// Bullet's activation states, as numbers that stay the same in saved bytes.
enum { WRI_ACTIVE = 1, WRI_ASLEEP = 2, WRI_DROWSY = 3, WRI_NEVER_SLEEPS = 4 };

typedef struct wri_body_state {
    wri_frame frame; // principal frame in the world
    double velocity[3], angular_velocity[3];
    double mean_velocity[3], mean_angular_velocity[3]; // of the last moments
    double deactivation_time; // for which the body has been slow enough to sleep
    int32_t activation;
    int32_t padding;
} wri_body_state;

typedef enum wri_bullet_kind {
    WRI_BULLET_BOX,      // size: half extents
    WRI_BULLET_SPHERE,   // size[0]: radius
    WRI_BULLET_CAPSULE,  // size[0]: radius, size[1]: length of the straight part, along Y
    WRI_BULLET_CYLINDER, // size[0]: radius, size[1]: half height, along Y
    WRI_BULLET_PLANE,    // below y = 0
    WRI_BULLET_HULLS,
    WRI_BULLET_MESH,
} wri_bullet_kind;

// Shapes are given in the caller's frame; wri_bullet_body.shape says where that frame is.
typedef struct wri_bullet_shape {
    wri_bullet_kind kind;
    double size[3];
    double margin;             // all but hulls
    const double (*points)[3]; // hulls: the points of all pieces; mesh: vertices. Copied
    int point_count;
    const int *piece_points; // hulls: points of each piece
    const double *margins;   // hulls: margin of each piece
    int piece_count;
    const int *triangles; // mesh; copied
    int triangle_count;
} wri_bullet_shape;

typedef enum wri_bullet_motion {
    WRI_BULLET_MOVING,
    WRI_BULLET_STATIC,
    WRI_BULLET_DRIVEN,
} wri_bullet_motion;

typedef struct wri_bullet_body {
    wri_bullet_motion motion;
    double mass, inertia[3]; // moving bodies; principal moments
    wri_frame shape;         // the shape's frame, in the principal frame
    double friction, restitution, rolling;
    double bounce; // restitution as it was described
    int surface;   // see wri_surface_pair, 0: none in particular
    double radius; // of the body, for rolling friction
    double linear_damping, angular_damping;
    uint32_t group, collides;
    bool is_planar;     // neither moves along z nor turns about x and y
    bool is_weightless; // gravity does not pull it
    bool present;       // false: removed
} wri_bullet_body;

// How two surfaces rub and bounce; NAN: as usual.
typedef struct wri_surface_pair {
    int a, b; // a <= b
    double friction, restitution;
} wri_surface_pair;

// Friction and restitution between two bodies.
typedef struct wri_contact_surface {
    double friction, restitution;
} wri_contact_surface;

typedef enum wri_bullet_joint_kind {
    WRI_BULLET_POINT,
    WRI_BULLET_HINGE,  // about z of the frames
    WRI_BULLET_SLIDER, // along x of the frames
    WRI_BULLET_FIXED,
} wri_bullet_joint_kind;

typedef struct wri_bullet_joint {
    wri_bullet_joint_kind kind;
    int body_a, body_b;         // body_b -1: the world
    wri_frame frame_a, frame_b; // in the principal frames; frame_b in the world when body_b is -1
    double lower, upper;        // of a relative to b; lower > upper: no limit
    bool collide;
    bool present; // false: broken or removed
} wri_bullet_joint;

enum { WRI_JOINT_ROWS = 6 };

// The memory of a joint between steps, as forces, so that a change of dt does not matter.
typedef struct wri_joint_state {
    double force[3];            // on body_a, world axes
    double torque[2][3];        // on body_a and body_b, about their centres of mass
    double row[WRI_JOINT_ROWS]; // solver rows, for warm starting
    int32_t row_count, padding;
} wri_joint_state;

// One point of the contact cache; enough to report it and to put it back.
typedef struct wri_bullet_contact {
    double local_a[3], local_b[3];       // in the principal frames
    double point[3];                     // world, on b
    double normal[3];                    // from b to a
    double friction_a[3], friction_b[3]; // the two tangents
    double distance, impulse, impulse_a, impulse_b;
    double restitution; // with which it bounced, 0: it did not
    int32_t body_a, body_b, part_a, part_b, index_a, index_b;
    int32_t age;
    int32_t manifold; // points with the same number belong together
} wri_bullet_contact;

// Two bodies, a < b.
typedef struct wri_body_pair {
    int32_t a, b;
} wri_body_pair;

// A contact of a body that stays where it is, or is driven, with one that moves.
typedef struct wri_bullet_support {
    double point[3];    // of the one that moves
    double normal[3];   // towards it
    double velocity[3]; // of the other there
    double distance, friction;
    bool presses;
    int body;  // the one that moves
    int order; // among all
} wri_bullet_support;

typedef struct wri_bullet_desc {
    double gravity[3];
    int iterations;
} wri_bullet_desc;

wri_bullet *wri_bullet_create(const wri_bullet_desc *desc); // NULL when out of memory
void wri_bullet_destroy(wri_bullet *world);                 // accepts NULL
bool wri_bullet_is_broken(const wri_bullet *world);

// False when out of memory.
bool wri_bullet_add_body(wri_bullet *world, const wri_bullet_shape *shape,
                         const wri_bullet_body *body, const wri_body_state *state);
bool wri_bullet_add_joint(wri_bullet *world, const wri_bullet_joint *joint);
void wri_bullet_remove_joint(wri_bullet *world, int joint); // wakes its bodies

// Everything of wri_bullet_body may change; contacts are kept where that makes sense.
void wri_bullet_set_body(wri_bullet *world, int index, const wri_bullet_body *body);
void wri_bullet_set_state(wri_bullet *world, int index, const wri_body_state *state);
void wri_bullet_set_joint(wri_bullet *world, int index, const wri_bullet_joint *joint);
// Reads as many points as the piece has.
void wri_bullet_set_piece(wri_bullet *world, int index, int piece, const double (*points)[3],
                          double margin);
// Reads as many vertices as the mesh has, which must have been added moving.
void wri_bullet_set_mesh(wri_bullet *world, int index, const double (*vertices)[3]);
bool wri_bullet_set_surface_pair(wri_bullet *world, const wri_surface_pair *pair);
wri_contact_surface wri_bullet_contact_surface(const wri_bullet *world, int body_a, int body_b);
void wri_bullet_wake(wri_bullet *world, int index);
// Wakes what the body touches or is joined to, before the next step.
void wri_bullet_wake_neighbours(wri_bullet *world, int index);

// Says that two bodies shall not touch, or shall again. False when out of memory.
bool wri_bullet_set_apart(wri_bullet *world, wri_body_pair pair, bool apart);
bool wri_bullet_are_apart(const wri_bullet *world, wri_body_pair pair);
// All such pairs, ascending; valid until the next change.
const wri_body_pair *wri_bullet_apart(const wri_bullet *world, int *count);

// Sets where a driven body will be after the next step of dt.
void wri_bullet_drive(wri_bullet *world, int index, const wri_frame *end, double dt);

// Exactly one step: the caller owns the clock. False when out of memory.
bool wri_bullet_step(wri_bullet *world, double dt);

// All bodies, one crossing. Removed bodies are left alone.
void wri_bullet_read_states(const wri_bullet *world, wri_body_state *states);
void wri_bullet_read_bounds(wri_bullet *world, int index, double min[3], double max[3]);
// Bodies that do not move and whose bounds, widened a little, meet the box, ascending; some that
// move are among them. Valid until the next call. Returns how many, -1 when out of memory.
int wri_bullet_find_within(wri_bullet *world, const double min[3], const double max[3],
                           const int **bodies);
// True when a triangle of a mesh may reach into the box.
bool wri_bullet_mesh_is_within(wri_bullet *world, int index, const double min[3],
                               const double max[3]);
// The triangles of a mesh as they are now, in the caller's frame; valid until it changes.
typedef struct wri_bullet_mesh {
    const double (*points)[3];
    const int *triangles;
    int triangle_count;
} wri_bullet_mesh;
wri_bullet_mesh wri_bullet_read_mesh(const wri_bullet *world, int index);
void wri_bullet_read_joint(const wri_bullet *world, int joint, wri_joint_state *state);

int wri_bullet_contact_count(wri_bullet *world); // before wri_bullet_read_contacts
// Writes contacts in the engine's order, which depends only on what happened before. Returns how
// many there are.
int wri_bullet_read_contacts(const wri_bullet *world, wri_bullet_contact *contacts);

// Returns how many there are, of which the first `room` are written.
int wri_bullet_read_supports(const wri_bullet *world, wri_bullet_support *supports, int room);

// Takes note of a body or joint for the next rebuild, without touching the engine.
void wri_bullet_describe_body(wri_bullet *world, int index, const wri_bullet_body *body);
void wri_bullet_describe_joint(wri_bullet *world, int index, const wri_bullet_joint *joint);
// The same for pairs that shall not touch: wri_body_pair, ascending, not aligned. False when out of
// memory; nothing has changed then.
bool wri_bullet_describe_apart(wri_bullet *world, const void *pairs, int count);
// Throws the engine away and builds a new one from the bodies and joints as set or described, these
// states and this contact cache. False when out of memory.
bool wri_bullet_rebuild(wri_bullet *world, const wri_body_state *states,
                        const wri_joint_state *joints, const wri_bullet_contact *contacts,
                        int contact_count);

// --- shapes, without a world -------------------------------------------------------------------

// The faces of the hull of some points: polygons of numbers of points, counter-clockwise seen from
// outside. At most 2 * count faces with 6 * count corners; first_corner has one more,
// the end of the last face. Returns how many faces there are, -1 when out of memory; two for points
// in a plane, fewer on a line. Points that stick out by less than a ten-thousandth of the extent
// may be left out.
int wri_bullet_find_faces(const double (*points)[3], int count, int *first_corner, int *corners);

#if defined(__cplusplus)
}
#endif
