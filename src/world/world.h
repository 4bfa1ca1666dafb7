// world.h (internal): the state of a world, shared by the step and the snapshots.
#pragma once

#include "wrought/world.h"

#include "../base/base.h"

struct wr_push_list {
    wri_array items;  // of wr_push
    const char *lost; // why one of them was, for the log: its givers are frozen; NULL: none was
};

// A joint of the engine that belongs to a material.
typedef struct wri_part_joint {
    int owner;  // index into materials
    int index;  // among the owner's joints
    int engine; // number in the engine
    bool alive;
} wri_part_joint;

// A rigid body of the engine that belongs to a material.
typedef struct wri_part {
    int owner;  // index into materials
    int index;  // among the owner's parts
    int engine; // number in the engine
    int record; // number in recordings
    uint32_t pieces_version, mass_version, surface_version, velocity_version; // last seen
    uint32_t split_version;
    uint32_t ignored_version;
    wri_array ignored; // int: bodies of the engine that it was told to pass through
    bool alive;
} wri_part;

typedef struct wri_material_body {
    int scene_body;
    const wr_material *material;
    void *shared; // with every body of the same asset, scale, density and values
    bool owns_shared;
    void *state;
    bool is_posed;      // something moves the handles of its asset
    bool follows_bones; // among it the simulated bones of another body
    bool frozen;
    const char *frozen_why; // for the log; NULL: it is not, or was restored so
    bool has_warned;        // the log has heard its warning
    bool resting;           // asleep when the step began: left alone until it ends
    wri_array shown; // wr_vec3: the surface when it was last sound; empty: the model as it is
    wri_array vertices, examples, weights; // int, int, float: or its example weights, not 0
    uint32_t weights_version;              // to which they belong, 0: to none
    int surface_part;                      // in whose frame it is, -1: the world's
    int *fragment_parts;                   // per fragment: its part, -1: not shown; NULL: none
    const wr_record_skin *skin;            // of the surface, with bones and displacements
    const wr_pose *bones;                  // that are the material's own; NULL: it has none
    const wr_vec3 *displacements;
    uint64_t topology;                           // of the surfaces it was shown with last
    wri_array kept_points, kept_radii, kept_ids; // particles of a frozen body that are finite
    wr_blend blends[2];                          // likewise, when it has a pose manifold
    bool has_blends;
    wr_part_state *part_states;
    int *part_bodies;
    int part_count, part_capacity; // parts the engine knows
    int joint_count;               // of its own that the engine knows
    const wr_contact *contacts;    // of the present substep
    const int *contact_parts;
    int contact_count;
    wr_ball_set balls;       // of the present step
    const wr_touch *touches; // likewise
    const int *touch_bodies;
    int touch_count;
    const wr_touched_body *touched;
    int touched_count;
    const wr_handle_pose *pose_begin, *pose_end;
    wri_array carried; // int: moving rigid bodies of the engine that it touched in this step
    wr_push_list pushes;
    wr_scratch scratch; // of one call
    double work;        // seconds of the last phase, when it was shared
} wri_material_body;

// The bodies of one material that live together.
typedef struct wri_ensemble {
    const wr_material *material;
    void *state;
    wr_push_list pushes;
    wr_scratch scratch; // of one step
} wri_ensemble;

// Contacts of a pair during a frame.
typedef struct wri_pair_contact {
    wr_record_contact sum;
    float strongest;
    int order; // of arrival: ties are broken by it
} wri_pair_contact;

// A body that holds its velocity or comes in again.
typedef struct wri_entry {
    int body;   // of the scene
    wr_box box; // where it comes in again; empty: it does not
} wri_entry;

struct wr_world {
    wr_allocator allocator;
    wr_tasks tasks;
    wr_log log;
    wr_world_watch watch;
    int64_t too_fast;  // steps so far that the log has heard of
    bool lacks_memory; // there was no memory for all of the present frame
    bool is_cancelled; // between two steps of a frame
    wr_error unsaved;  // why it could not forget at the present frame; WR_OK: it could
    const wr_scene *scene;
    wr_rigid *rigid;
    double dt;
    float sleep_speed; // m/s: what is slower may be put to sleep
    int64_t step;
    int64_t saved_step; // to which the bytes in snapshot belong, -1: to none
    bool is_changed;    // by hand, since then
    double time;        // seconds, at the start of the present substep

    wri_array driven;           // int: rigid bodies of the scene that follow a path
    wri_array entries;          // wri_entry
    int *engine_of_body;        // scene body -> engine number of its first part, -1
    int *first_fragment;        // scene body -> number in recordings of its first fragment, -1
    int record_count;           // bodies in recordings at the start: the scene's, fragments
    wri_array owner_of_engine;  // int: index into parts, -1 for rigid bodies
    wri_array record_of_engine; // int: number in recordings
    wri_material_body *materials;
    int material_count;
    wri_array ensembles;     // of wri_ensemble
    int *ensemble_bodies;    // of the scene: rigid bodies that ensembles may touch
    wr_pose *ensemble_poses; // as many before a step, then as many after it
    int ensemble_body_count;
    double phase_seconds[3]; // what the phases of a step took the last time
    wri_array parts;         // of wri_part, in order of birth
    wri_array joints;        // of wri_part_joint, likewise
    wri_array push_contacts; // of wr_contact: pushes on parts that their owners have yet to see
    wri_array nearness;      // of wri_nearness, of two boundaries
    wri_array meetings;      // of the boundaries of materials, in this step

    wr_scratch scratch;                   // of one phase of a step
    wri_array pairs;                      // of wri_pair_contact, of the frame
    wr_record_body *record_bodies;        // of the scene
    const wr_asset **record_assets;       // room for one per material
    wr_record_rig *record_rigs;           // of the scene's models
    wr_record_manifold *record_manifolds; // room for one per material
    wr_record_skin *record_skins;         // likewise
    int *body_skins;                      // per body of the scene
    wr_record_info info;
    wr_frame frame;
    wri_array poses, events, points, weights, contacts, blends, surfaces, particles,
        skinned;        // behind frame
    wri_arena names;    // of bodies that were born
    wri_array frozen;   // bool per engine number: already reported
    wri_array broken;   // bool per joint: already reported
    wri_array snapshot; // bytes of the last time it forgot
    wri_array replay;   // the same, with frames to simulate again
    wr_world_statistics statistics;
    wr_ensemble_tally tally; // of all ensembles in the present step
};

// --- world.c ----------------------------------------------------------------------------------

// Fills the engine with the scene's bodies; parts and joints follow.
bool wri_world_build_engine(wr_world *world, wr_error *error);
bool wri_world_add_joints(wr_world *world, wr_error *error);
// Room in the books for one more body, so that nothing can fail once the engine has it; and the
// entry: whose part it is (-1: nobody's), and its number in recordings.
bool wri_world_reserve_body(wr_world *world, wr_error *error);
void wri_world_note_body(wr_world *world, int part, int record);

// --- parts.c ----------------------------------------------------------------------------------

// Adds one part to the engine and to the books; born: with an event.
bool wri_world_add_part(wr_world *world, int owner, int index, bool born, wr_error *error);
bool wri_world_add_part_joint(wr_world *world, int owner, int index, wr_error *error);
// The fragments of a body of a material that may break; 0: it cannot.
int wri_fragment_count(const wr_world *world, const wri_material_body *body);
// All parts and joints that materials have so far.
bool wri_world_add_first_parts(wr_world *world, wr_error *error);
bool wri_world_add_first_joints(wr_world *world, wr_error *error);
void wri_world_forget_parts(wr_world *world);
// The engine's number of a part of a scene body by its name, NULL: of the first. Fails with a
// sentence when there is none.
bool wri_world_find_part(wr_world *world, int scene_body, const char *name, int *engine,
                         wr_error *error);
// NULL for rigid bodies.
const wri_part *wri_part_of_engine(const wr_world *world, int engine);
// Velocities and targets that materials chose go to the engine.
void wri_world_drive_parts(wr_world *world);
// The body takes no further part, and the frame tells of it. why: for the log, lives on.
void wri_world_freeze(wr_world *world, wri_material_body *body, const char *why);
// Parts that changed, were born or died, and bodies that lost their numbers.
void wri_world_update_parts(wr_world *world);

// --- links.c ----------------------------------------------------------------------------------

// Tells materials what joints, of the scene and their own, did to their parts in the last step.
void wri_world_pass_on_loads(wr_world *world);
// Joints of the scene go with the part that has what they hang on.
void wri_world_rehang_joints(wr_world *world);

// --- exchange.c -------------------------------------------------------------------------------

// Finds what the balls of all materials touch within the dt seconds that follow. False: out of
// memory.
bool wri_world_find_touches(wr_world *world, float dt);
// Hands every material the contacts of its parts, in the engine's order, behind the pushes that
// other materials gave them. False: out of memory.
bool wri_world_deal_contacts(wr_world *world, const wr_contact *contacts, int count);
// Gives the pushes of all materials to the engine, in the order of the scene.
void wri_world_apply_pushes(wr_world *world);
// Adds to the pairs of the frame.
void wri_world_note_contacts(wr_world *world, const wr_contact *contacts, int count);
// body_a and body_b: numbers in recordings; of any order.
void wri_world_note_pair(wr_world *world, wr_record_contact contact);
// Something that moves touches a sleeping material: it wakes.
void wri_world_wake_touched(wr_world *world);

// --- meet.c -----------------------------------------------------------------------------------

wri_array wri_world_meetings_create(const wr_allocator *allocator);
// The boundaries of different bodies push each other apart. dt: seconds that follow.
void wri_world_meet(wr_world *world, float dt);

// --- between.c --------------------------------------------------------------------------------

// The boundaries near bodies of a material that meets them, in the world's scratch; those that
// sleep are woken where they must be. NULL: there are none, or there is no memory.
wr_ensemble_other *wri_world_find_others(wr_world *world, const wr_material *material, float dt,
                                         int *count);
// Hands their bodies the impulses.
void wri_world_push_others(wr_world *world, const wr_ensemble_other *others, int count);

// --- step.c -----------------------------------------------------------------------------------

// True when the body is neither frozen nor asleep.
bool wri_material_is_active(const wri_material_body *body);
// The argument of a call of a material's body; the fields of its phase are the caller's.
wr_material_step wri_material_step(const wr_world *world, wri_material_body *body, double time,
                                   float dt);
// Pose of a body with a path.
wr_pose wri_path_pose(const wr_path_key *keys, int count, double time);

// --- pose_source.c ----------------------------------------------------------------------------

// The handles that poses move, of its skeleton or of its asset; none: handle_count 0.
wr_skeleton wri_skeleton_of(const wr_scene_body *body);
// True when something moves the body's handles: a pose, or a path it is taken along.
bool wri_has_pose_source(const wr_scene_body *body);
// The body whose simulated bones a body follows, or somebody does whom it follows; -1: nobody. The
// first one, where there are several.
int wri_leader_of(const wr_scene *scene, int body);
// True when there is one.
bool wri_follows_bones(const wr_scene *scene, int body);
// The poses of all handles of a scene body at a time, seconds; false where it has no pose source,
// or out of memory. They are unscaled, in the frame that the body has at the start: a path is in
// them. A function of the time alone: simulated bones that it follows are where they start. scratch
// grows to what the longest row of followers needs.
bool wri_pose_source_find(const wr_scene *scene, int body, double time, wr_scratch *scratch,
                          wr_handle_pose *poses);
// The poses that bodies of materials want before and after a step, in the world's scratch; NULL
// where there is no source or no memory. Those that follow simulated bones get their last ones when
// these have moved.
void wri_world_find_poses(wr_world *world, double begin, double end);
void wri_world_follow_bones(wr_world *world, const wr_material *material, double end);

// --- frame.c, snapshot.c ----------------------------------------------------------------------

// Reads poses, surfaces, contacts and events into world->frame and clears what was gathered.
// enter.c: bodies that hold their velocity, or come in again
bool wri_world_find_entries(wr_world *world, wr_error *error); // before anything has moved
void wri_world_enter(wr_world *world, double time);
void wri_world_lift_held(wr_world *world, double time); // for the next step of the engine
void wri_world_read_frame(wr_world *world);
// As wri_array_add, of something that the present frame shows.
void *wri_world_add_shown(wr_world *world, wri_array *list, int count);
// surfaces.c: the surfaces and particles of materials.
void wri_world_read_surfaces(wr_world *world);
// Must be called after the state was replaced, so that nothing is reported twice.
void wri_world_mark_reported(wr_world *world);
// Saves, and so forgets what is not in the saved bytes.
bool wri_world_forget(wr_world *world, wr_error *error);

// --- within.c ---------------------------------------------------------------------------------

// Tells the log of bodies of clay that start deep inside others.
void wri_world_warn_within(wr_world *world);
// Of other bodies that do, by the contacts of the first step.
void wri_world_warn_overlaps(wr_world *world, const wr_contact *contacts, int count);

// --- ensemble.c -------------------------------------------------------------------------------

bool wri_world_create_ensembles(wr_world *world, wr_error *error);
void wri_world_destroy_ensembles(wr_world *world);
void *wri_world_ensemble(const wr_world *world, const wr_material *material); // NULL: it has none
// Why the ensemble of a material lost a push, NULL: it did not, or there is none; and forgetting
// it.
const char *wri_world_ensemble_lost(const wr_world *world, const wr_material *material);
void wri_world_reset_ensembles(wr_world *world);
// begin, end: seconds.
void wri_world_step_ensembles(wr_world *world, double begin, double end, float dt);
