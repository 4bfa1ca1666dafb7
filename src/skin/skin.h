// skin.h (internal): a rig packed for speed.
//
// Vertices are sorted along a space-filling curve and taken in groups of four, one per lane. A
// group shares one list of turning handles: those that some example rotates or stretches and that
// one of its vertices weighs. All others are folded into `folded`, T_ie = sum_b W_ib d_be + k_ie,
// with W skinning weights, d offsets of handles and k correctives.
// Values that all lanes share are stored four times, because SSE2 has no load that spreads one.
#pragma once

#include "../base/base.h"
#include "wrought/skin.h"

enum { WRI_LANES = 4 };
typedef float wri_lanes __attribute__((vector_size(4 * WRI_LANES)));

// One example that rotates a handle: its quaternion less the identity.
typedef struct wri_turn {
    wri_lanes x, y, z, w;
} wri_turn;

typedef struct wri_turning_handle {
    wri_lanes pivot[3];
    int index;                  // number in the rig
    int turn_begin, turn_count; // examples in wr_skin.turns
} wri_turning_handle;

// The vertices that carry a ride: all four used in 3D, the last repeated with weight 0 in 2D.
typedef struct wri_carrier {
    int vertices[4];
    float weights[4];
    float height; // over the plane, 0 in 3D
} wri_carrier;

// F_v = I + sum over its entries of (x_j - u_j) g^T
typedef struct wri_gradient_entry {
    int vertex;
    wr_vec3 g; // per metre
} wri_gradient_entry;

struct wr_skin {
    wri_arena arena; // the skin itself lives in it
    wr_skin_info info;
    int group_count, entry_count, turn_count;
    int *order;         // vertex of every lane, the last repeated to fill its group
    int *slots;         // lane of every vertex
    wri_lanes *rest;    // 3 per group: u
    wri_lanes *folded;  // 3 per group and example but the first: T
    int *entry_begin;   // group_count + 1
    int *entry_handles; // index into turning
    wri_lanes *entry_weights;
    wri_turning_handle *turning;
    wri_turn *turns;
    int *turn_examples;
    wr_vec3 *pivots;       // per handle
    wr_handle_pose *poses; // example by example, hemisphere of the rest quaternion
    wr_vec3 *rest_positions;
    wri_carrier *carriers; // per ride
    wr_vec3 *details;      // per ride, of every example but the first; NULL: no example has any
    int *gradient_begin;   // vertex_count + 1
    wri_gradient_entry *gradients;
    int *rides_begin; // vertex_count + 1
    int *rides_of;
};

// True when wr_skin_create could use the rig; else false with a sentence.
bool wri_rig_check(const wr_rig *rig, wr_error *error);

// clip.c: a handle within the frame of its parent, where both are posed; its offset is the position
// t that a clip knows. Where the parent is flat it has the parent's rotation alone.
wr_handle_pose wri_pose_within(const wr_handle *handles, const wr_handle_pose *poses, int handle);
// Writes as many numbers as the track's channel has.
void wri_rig_track_sample(const wr_rig_track *track, double time, float *values);

// pack.c
bool wri_skin_pack(wr_skin *skin, const wr_rig *rig, float least_weight, wri_arena *temporary);
// ride.c
bool wri_skin_pack_rides(wr_skin *skin, const wr_rig *rig, wri_arena *temporary);

// moves.c
// True when no handle moves in an example.
bool wri_poses_are_still(const wr_handle_pose *poses, int count);
// What correctives, which may be NULL, leave of the moves of all rides in such an example.
void wri_rig_find_details(const wr_rig *rig, const wr_vec3 *correctives, const wr_vec3 *moves,
                          wr_vec3 *details);
// The moves of an example; false when they do not give its details again, bit for bit.
bool wri_rig_find_moves(const wr_rig *rig, int example, wr_vec3 *moves);
