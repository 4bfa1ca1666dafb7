// world.h (internal): the state of a world, shared by the step and the snapshots.
#pragma once

#include "wrought/world.h"

#include "../base/base.h"

// A rigid body of the engine that belongs to a material.
typedef struct wri_part {
    int owner;                                              // index into materials
    int index;                                              // among the owner's parts
    int engine;                                             // number in the engine
    int record;                                             // number in recordings
    uint32_t pieces_version, mass_version, surface_version; // last seen
    bool alive;
} wri_part;

typedef struct wri_material_body {
    int scene_body;
    const wr_material *material;
    void *shared; // with every body of the same asset, scale, density and values
    bool owns_shared;
    void *state;
    bool frozen;
    bool resting;    // asleep when the step began: left alone until it ends
    wri_array shown; // wr_vec3: the surface when it was last sound; empty: the model as it is
    wri_array vertices, examples, weights; // int, int, float: or its example weights, not 0
    uint32_t weights_version;              // to which they belong, 0: to none
    int surface_part;                      // in whose frame it is, -1: the world's
    wr_blend blends[2];                    // likewise, when it has a pose manifold
    bool has_blends;
    wr_part_state *part_states;
    int *part_bodies;
    int part_count, part_capacity; // parts the engine knows
    const wr_contact *contacts;    // of the present substep
    const int *contact_parts;
    int contact_count;
    const wr_touch *touches;
    int touch_count;
    wr_push_list pushes;
    double work; // seconds of the last phase, when it was shared
} wri_material_body;

// The bodies of one material that live together.
typedef struct wri_group {
    const wr_material *material;
    void *state;
} wri_group;

// Contacts of a pair during a frame.
typedef struct wri_pair_contact {
    wr_record_contact sum;
    float strongest;
    int order; // of arrival: ties are broken by it
} wri_pair_contact;

struct wr_world {
    wr_allocator allocator;
    wr_tasks tasks;
    wr_log log;
    int64_t too_fast; // steps so far that the log has heard of
    const wr_scene *scene;
    wr_rigid *rigid;
    double dt;
    int64_t step;
    int64_t saved_step; // to which the bytes in snapshot belong, -1: to none
    double time;        // seconds, at the start of the present substep

    int *engine_of_body;        // scene body -> engine number of its first part, -1
    wri_array owner_of_engine;  // int: index into parts, -1 for rigid bodies
    wri_array record_of_engine; // int: number in recordings
    wri_material_body *materials;
    int material_count;
    wri_array groups;     // of wri_group
    int *level_bodies;    // of the scene: what the groups stand on
    wr_pose *level_poses; // level_count before a step, then as many after it
    int level_count;
    double phase_seconds[3]; // what the phases of a step took the last time
    wri_array parts;         // of wri_part, in order of birth

    wri_scratch scratch;                  // of one substep
    wri_array pairs;                      // of wri_pair_contact, of the frame
    wr_record_body *record_bodies;        // of the scene
    const wr_asset **record_assets;       // room for one per material
    wr_record_rig *record_rigs;           // of the scene's models
    wr_record_manifold *record_manifolds; // room for one per material
    wr_record_info info;
    wr_frame frame;
    wri_array poses, events, points, weights, contacts, blends; // behind frame
    wri_arena names;                                            // of bodies that were born
    wri_array frozen;   // bool per engine number: already reported
    wri_array broken;   // bool per joint: already reported
    wri_array snapshot; // bytes of the last save
    wr_world_statistics statistics;
};

// Fills the engine with the scene's bodies, all parts ever born and the joints, in that order.
bool wri_world_build_engine(wr_world *world, wr_error *error);
// Reads poses, surfaces, contacts and events into world->frame and clears what was gathered.
void wri_world_read_frame(wr_world *world);
// After the state was replaced: what has been reported already is not reported again.
void wri_world_mark_reported(wr_world *world);
// Adds one part to the engine and to the books; born: with an event.
bool wri_world_add_part(wr_world *world, int owner, int index, bool born, wr_error *error);
void wri_world_forget_parts(wr_world *world);
bool wri_world_add_joints(wr_world *world, wr_error *error);
// Saves, and so forgets what is not in the saved bytes.
void wri_world_forget(wr_world *world);
// Where a body with a path is.
wr_pose wri_path_pose(const wr_scene_body *body, double time);
// NULL for rigid bodies.
const wri_part *wri_part_of_engine(const wr_world *world, int engine);

// --- group.c ----------------------------------------------------------------------------------

bool wri_world_create_groups(wr_world *world, wr_error *error);
void wri_world_destroy_groups(wr_world *world);
void *wri_world_group(const wr_world *world, const wr_material *material); // NULL: it has none
// begin, end: seconds.
void wri_world_step_groups(wr_world *world, double begin, double end, float dt);
