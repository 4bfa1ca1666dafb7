// engine.h: what the files of src/rigid share: the world's record of bodies and joints, and units.
//
// Units. Inside the engine lengths are multiples of desc.unit_length L, times multiples of
// T = sqrt(L * 9.81 m/s^2 / |g|) (sqrt(L / 1 m) s without gravity) and masses multiples of 1000
// kg/m^3 L^3. Gravity is then 9.81 for a toy and for a ship, and every constant of the engine
// (margins, sleep thresholds, bounce threshold, ...) means the same to both. The functions below
// are the only place where units change.
//
// Frames. A body has its own frame, in which its shape is given, and a principal frame, in which
// the engine computes; `principal` is the second seen from the first.
#pragma once

#include "../base/base.h"
#include "../geometry/bvh.h"
#include "frame.h"
#include "nearest.h"
#include "wrought/rigid.h"

enum { WRI_MAX_SUBSTEPS = 64 };

typedef struct wri_units {
    double length, time, mass; // SI value of one engine unit
} wri_units;

// A shape as balls touch it; engine units, the body's own frame. Made when balls come near.
typedef struct wri_touch_shape {
    wri_arena arena;      // owns the rest
    wri_polytope *pieces; // hulls
    wri_bvh tree;         // mesh: boxes of its triangles
    wr_box *boxes;        // mesh: one per triangle
    wri_bullet_mesh mesh;
    double rounding; // mesh: how far a box may miss its triangle
    bool *fresh;     // per piece; false: its points have changed
} wri_touch_shape;

typedef struct wri_rigid_body {
    wr_shape_kind kind;
    double size[3]; // primitives: as in wri_bullet_shape
    wr_motion motion;
    bool frozen;
    wri_bullet_body engine;
    wr_mass_properties mass;                // SI, body frame
    double linear_damping, angular_damping; // rates in the body's own time
    wri_frame principal;
    double thickness;       // engine units; smallest of the pieces, 0 for immovable meshes
    double bounding_radius; // engine units; farthest point from the centre of mass
    double frame_radius;    // engine units; farthest point from the origin of the body's frame
    int piece_count, triangle_count; // the vertices of a moving mesh are kept as one piece
    int *first_point;                // piece_count + 1
    wr_vec3 *points;                 // current, metres, body frame
    wr_vec3 *original;               // as described
    bool *changed;                   // per piece
    bool deformed;                   // a piece was set since the body was made
    double (*piece_size)[2];         // thickness and farthest point of each piece, engine units
    wri_touch_shape *touch;          // NULL: no ball has come near
    bool has_target;
    wri_frame target; // body frame in the world, engine units
} wri_rigid_body;

#define WRI_EARTH 9.81 // m/s^2; gravity in engine units, where there is any

enum { WRI_WINDOW_BUCKETS = 9 };
#define WRI_BUCKET (1.0 / 480.0) // seconds

// Impulse within the last 1/60 s: eight buckets of 1/480 s and one that is being filled.
typedef struct wri_window {
    double bucket[WRI_WINDOW_BUCKETS][3]; // N s
    double fill;                          // seconds in the newest bucket
    int32_t head, padding;
} wri_window;

typedef struct wri_rigid_joint {
    wri_bullet_joint engine;
    wri_frame frame_a, frame_b; // in the body frames, engine units
    double breaking_impulse;    // N s
    bool broken, removed;       // at most one of the two; engine.present is neither
    wri_window window;
    double impulse[3]; // N s, over the last step, on body_a
    double turn[2][3]; // N m s, likewise, on both bodies about their centres of mass
} wri_rigid_joint;

// A contact of the last step that bounced; engine units.
typedef struct wri_bounce {
    int body_a, body_b;
    double arm_a[3], arm_b[3]; // from the centres of mass, when they touched
    double normal[3];          // from b to a
    double impulse, restitution;
} wri_bounce;

// Memory of the search for touches, kept for the next one.
typedef struct wri_touch_memory {
    wri_array rows;    // wr_box, metres: where the balls of each row may come
    wri_array targets; // wri_touch_target
    wri_array numbers; // int, of the target of each body, -1: none
    wri_array movers;  // int, bodies whose box in the engine is not where they are
    wri_array near;    // int, targets of each block, one block after the other
    wri_array blocks;  // where the lists of each block of balls begin
    wri_array found;   // wr_touch, with gaps
    wri_array touches; // wr_touch, the last answer
} wri_touch_memory;

// A body on its way through the rest of the step.
typedef struct wri_mover {
    int body;
    bool fast;              // goes farther than its own thickness allows
    double displacement[3]; // of its centre, within the time that is left
    double arc;             // displacement of its farthest point by rotation
    double box[2][3];       // where it is
    double swept[2][3];     // where it may come
    double first;           // `swept` begins here on the axis that is searched along
} wri_mover;

struct wr_rigid {
    wr_allocator allocator;
    wri_units units;
    double gravity[3]; // engine units
    bool sleeping;
    wri_bullet *bullet;
    wri_array bodies;   // wri_rigid_body
    wri_array joints;   // wri_rigid_joint
    wri_array states;   // wri_body_state, last sound one of each body
    wri_array fresh;    // wri_body_state, as read from the engine
    wri_array movers;   // wri_mover, when a body is fast; room for all bodies
    wri_array starts;   // wri_frame, body frames of driven bodies when the step began
    wri_array contacts; // wr_contact of the last step
    wri_array bounces;  // wri_bounce, those of them that bounced
    wri_array raw;      // wri_bullet_contact
    wri_array kept;     // bytes of what wr_rigid_keep_states keeps
    wri_array saved;    // bytes of the last save
    wri_array links;    // wri_joint_state, scratch of a restore
    wri_array piece;    // double[3], as many as the largest piece has points
    wri_array supports; // wri_bullet_support, by body
    bool has_supports;  // of the last substep
    wri_touch_memory touch;
    wr_rigid_statistics statistics;
};

static inline wri_rigid_body *wri_rigid_body_at(const wr_rigid *rigid, int body)
{
    WR_ASSERT(body >= 0 && body < rigid->bodies.count);
    return &WRI_ITEM(rigid->bodies, wri_rigid_body, body);
}

static inline wri_rigid_joint *wri_rigid_joint_at(const wr_rigid *rigid, int joint)
{
    WR_ASSERT(joint >= 0 && joint < rigid->joints.count);
    return &WRI_ITEM(rigid->joints, wri_rigid_joint, joint);
}

static inline wri_body_state *wri_rigid_state_at(const wr_rigid *rigid, int body)
{
    WR_ASSERT(body >= 0 && body < rigid->states.count);
    return &WRI_ITEM(rigid->states, wri_body_state, body);
}

static inline wri_body_pair wri_body_pair_of(int body_a, int body_b)
{
    WR_ASSERT(body_a >= 0 && body_b >= 0 && body_a != body_b);
    return body_a < body_b ? (wri_body_pair){body_a, body_b} : (wri_body_pair){body_b, body_a};
}

static inline bool wri_rigid_moves(const wri_rigid_body *body)
{
    return body->engine.present && body->engine.motion == WRI_BULLET_MOVING;
}

// --- units ------------------------------------------------------------------------------------

static inline double wri_unit_speed(const wri_units *u)
{
    return u->length / u->time;
}

static inline double wri_unit_impulse(const wri_units *u)
{
    return u->mass * u->length / u->time;
}

static inline double wri_unit_inertia(const wri_units *u)
{
    return u->mass * u->length * u->length;
}

// v in SI, one engine unit being `unit`.
static inline void wri_to_engine(wr_vec3 v, double unit, double out[3])
{
    WR_ASSERT(unit > 0);
    out[0] = v.x / unit;
    out[1] = v.y / unit;
    out[2] = v.z / unit;
}

static inline wr_vec3 wri_from_engine(const double v[3], double unit)
{
    return wr_v3((float)(v[0] * unit), (float)(v[1] * unit), (float)(v[2] * unit));
}

wri_frame wri_frame_from_pose(const wri_units *units, wr_pose pose);
wr_pose wri_pose_from_frame(const wri_units *units, const wri_frame *frame);

// --- shape.c ----------------------------------------------------------------------------------

// Rotation whose columns are the eigenvectors of the symmetric matrix, right-handed, and the
// eigenvalues. Cyclic Jacobi; a diagonal matrix gives the identity.
void wri_find_axes(const double matrix[3][3], double axes[3][3], double values[3]);

// Principal frame and moments in engine units. False when mass or inertia are not positive.
bool wri_set_inertia(const wri_units *units, const wr_mass_properties *mass, wri_rigid_body *body);

// One convex piece in engine units: points drawn in by the margin, the margin, and the thickness
// and farthest point of the piece.
void wri_fit_piece(const wri_units *units, const wr_vec3 *points, int count, double (*out)[3],
                   double *margin, double size[2]);

bool wri_check_shape(const wr_shape *shape, wr_motion motion, wr_error *error);
// Fills the shape part of the body and hands body and shape to the engine.
bool wri_add_shape(wr_rigid *rigid, const wr_shape *shape, wri_rigid_body *body,
                   const wri_body_state *state, wr_error *error);
void wri_free_shape(const wr_allocator *allocator, wri_rigid_body *body);
// Gives the engine the current points of a piece, or the vertices of a moving mesh.
void wri_update_piece(wr_rigid *rigid, int body, int piece);

// --- rigid.c ----------------------------------------------------------------------------------

// Whether something static or driven pushed it in the last substep it was awake.
bool wri_rigid_is_pressed(wr_rigid *rigid, int body);
bool wri_state_is_sound(const wri_body_state *state);
// The state with p = m v and L = I w as they were, while mass and inertia change, at `frame`.
// *gain: kinetic energy, engine units.
wri_body_state wri_keep_momentum(const wri_body_state *old, const wri_bullet_body *before,
                                 const wri_bullet_body *after, const wri_frame *frame,
                                 double *gain);
// Wakes the body; freezes it when the state is not sound.
void wri_set_state(wr_rigid *rigid, int body, const wri_body_state *state);
// Freezes a body that failed, and counts it; `state` is the one it would be in, NULL when there is
// none.
void wri_give_up(wr_rigid *rigid, int body, const wri_body_state *state);

// --- read.c -----------------------------------------------------------------------------------

wri_frame wri_body_frame(const wr_rigid *rigid, int body); // in the world, engine units

// --- touch_shape.c, touch.c -------------------------------------------------------------------

// Makes the shape ready for balls. False when out of memory.
bool wri_prepare_touch(wr_rigid *rigid, int body);
void wri_free_touch(const wr_allocator *allocator, wri_rigid_body *body);
void wri_touch_memory_create(wri_touch_memory *memory, const wr_allocator *allocator);
void wri_touch_memory_destroy(wri_touch_memory *memory);

// --- joint.c ----------------------------------------------------------------------------------

void wri_window_add(wri_window *window, const double impulse[3], double dt);
double wri_window_length(const wri_window *window); // of the impulse in the window
// Sums what the joints passed on in a substep of dt engine units and breaks those that felt too
// much.
void wri_read_joints(wr_rigid *rigid, double dt);
void wri_break_joint(wr_rigid *rigid, int joint); // does nothing to one that is not there
void wri_place_joint(wr_rigid *rigid, int joint); // finds its frames as the engine wants them
// The joints of a body hang at the same places of its own frame after its principal frame moved.
void wri_update_joint_frames(wr_rigid *rigid, int body);
