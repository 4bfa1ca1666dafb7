// flesh_skeleton.h: from the skeleton of a model to the bones and joints of its flesh.
#pragma once

#include "wrought/flesh.h"
#include "wrought/layer.h"
#include "wrought/texels.h"

#include "world.h"

typedef struct wri_flesh_skeleton {
    wri_arena arena;
    int bone_count;
    int *handles;     // per bone: the handle that moves it
    int *bone_of;     // per handle: the bone that it is a part of
    int *parents;     // per bone, -1: it hangs on nothing
    wr_vec3 *origins; // metres, per bone: where it turns
    int *bones;       // WR_FLESH_INFLUENCES of each node, with
    float *weights;   // their weights, largest first
    wr_flesh_mass *inner;
    wr_flesh_mass *links; // per bone: about all that it moves
    wr_flesh_joint *joints;
    int joint_count;
} wri_flesh_skeleton;

typedef struct wri_flesh_skeleton_desc {
    const wr_skeleton *skeleton;
    const wr_mesh *mesh;            // metres: the model, with
    const wr_added_vertices *added; // those of its vertices that the skeleton does not know
    const wr_texels *texels;        // of this mesh; NULL: there are none
    const wr_layer *layer;          // of the texels, or of the mesh
    float scale;                    // of the skeleton
    double density;                 // kg/m^3
    const double *factors;          // on the stiffness, per handle of the skeleton; NULL: 1
    double stiffness; // of joints: 1 turns by a radian under the weight of what hangs on it
    wr_allocator allocator;
    wr_tasks tasks;
} wri_flesh_skeleton_desc;

// NULL with WR_OK in `error`: all of it moves as one.
wri_flesh_skeleton *wri_flesh_skeleton_create(const wri_flesh_skeleton_desc *desc, wr_error *error);
void wri_flesh_skeleton_destroy(wri_flesh_skeleton *s); // accepts NULL
// Bones, weights and joints of a model.
void wri_flesh_skeleton_describe(const wri_flesh_skeleton *s, wr_flesh_model_desc *model);

// flesh_mass.c: adds up the masses of the links, and of what lies within the core, for rows of
// `count` weights per node. False: out of memory.
bool wri_flesh_find_links(const wri_flesh_skeleton_desc *desc, int count, const float *weights,
                          wr_flesh_mass *links, wr_flesh_mass *inner);
// What lies within the core of a link is at least a tenth of it.
void wri_flesh_fill_up(const wr_flesh_mass *link, wr_flesh_mass *inner);

// flesh_limits.c: kinds and limits of all joints from what the clips do. False: out of memory.
bool wri_flesh_find_limits(const wri_flesh_skeleton_desc *desc, wri_flesh_skeleton *s);

// --- flesh_pose.c -----------------------------------------------------------------------------

typedef struct wri_flesh_follower {
    wr_flesh_world *world;
    int body;
    const wr_flesh_model *model;
    const wri_flesh_skeleton *skeleton; // NULL: one core, that follows the first handle
    const wr_handle *handles;
    int handle_count;
    wr_pose start; // of the body
    float scale;   // of the handles
    bool by_torque;
    double balance; // own weights
} wri_flesh_follower;

// Puts the bones where the handles are.
void wri_flesh_follow_at_once(const wri_flesh_follower *f, const wr_handle_pose *poses);
// Where bones have the handles.
void wri_flesh_read_handles(const wri_flesh_follower *f, wr_handle_pose *poses);
// By torque, without poses to follow: roots are held where they start.
void wri_flesh_stay(const wri_flesh_follower *f);
// What they are to do in the next step of dt seconds.
void wri_flesh_follow_poses(const wri_flesh_follower *f, const wr_handle_pose *begin,
                            const wr_handle_pose *end, float dt);
