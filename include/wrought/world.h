// world.h: a scene becomes a simulation.
//
//     wr_scene *scene = wr_scene_read("dock.scene.json", NULL, &error); // scene.h
//     wr_world_desc desc = wr_world_desc_default();
//     desc.scene = scene;
//     wr_world *world = wr_world_create(&desc, &error);
//     while (wr_world_frame(world)->index < wr_scene_frame_count(scene)) {
//         wr_world_step_frame(world);
//         if (!wr_world_check(world, &error)) {
//             break; // out of memory: there is no next frame
//         }
//         draw(wr_world_frame(world)->poses);
//     }
//     wr_world_destroy(world);
//     wr_scene_destroy(scene);
//
// Same scene, same program: same bits, for any number of threads.
// Thread safety: one thread at a time per world; a scene may be shared by worlds.
#pragma once

#include "material.h"
#include "record.h"

#if defined(__cplusplus)
extern "C" {
#endif

// --- scenes -----------------------------------------------------------------------------------

// A pose of a driven body at a time. Straight and even between keys.
typedef struct wr_path_key {
    double time; // seconds
    wr_pose pose;
} wr_path_key;

// Source of the poses of a body's handles from a time on: a clip of its asset, the same as another
// body, or the bones of another body as its physics moves them.
typedef struct wr_pose_source {
    double at;               // seconds of the scene; increasing from one to the next
    double blend;            // seconds, from `at` on, of going over from the one before
    const wr_rig_clip *clip; // NULL: it follows a body
    double start;            // seconds of the clip, at `at`
    double speed;            // seconds of the clip per second
    bool loops;
    int body;            // which it follows, index into the scene's bodies; -1: none
    bool is_simulated;   // its bones as they are, whatever moves them; else what it follows itself
    const int *partners; // per handle, the handle there that it follows, -1: none; NULL: both have
                         // the same asset
} wr_pose_source;

typedef struct wr_scene_body {
    const char *name;
    const char *place;        // "file:line:column" for messages; NULL: it is of no file
    int entry;                // in the file's list of bodies, from 0: copies share one
    wr_rigid_body_desc rigid; // shape, mass, pose, surface; arrays live in the scene
    double hold;              // seconds from the start in which it keeps its velocity
    bool comes_again;         // where it began, or at entry_at, when its centre is below a height
    float again_below;        // that height: metres, world
    bool has_entry;           // entry_at is said
    wr_vec3 entry_at;         // metres, world
    double density;           // kg/m^3
    double mass;              // kilograms, instead of density; 0: not said
    int model;                // index into the scene's models, -1: a plane
    wr_added_vertices added;  // to the model, because its material wants short edges
    bool visible;             // whether the model is drawn
    wr_color color;           // tint
    wr_look_change look;      // in place of its model's looks
    const wr_path_key *path;  // driven bodies, and those of materials that follow poses
    int path_count;
    const wr_pose_source *poses; // what its handles follow
    int pose_count;
    const wr_material *material; // NULL: rigid
    const double *values;        // one per parameter of the material
    const bool *is_real;         // likewise, see wr_material_desc
    const void *setup;           // what only its material knows, see wr_material_desc
    const wr_asset *asset;       // with the rig of the body, NULL: it has none
    const wr_skeleton *skeleton; // unscaled, of a material that follows poses; NULL: the handles of
                                 // its asset
    float scale;                 // of the asset
} wr_scene_body;

typedef struct wr_scene_joint {
    const char *name;
    wr_joint_desc joint;         // body_a, body_b: indices into the scene's bodies
    const char *part_a, *part_b; // names of parts of these bodies; NULL: the first part
} wr_scene_joint;

// Everything a scene file says, with its assets, in one block of memory. Plain data.
typedef struct wr_scene {
    const char *name;
    double length; // seconds
    int rate_numerator, rate_denominator, substeps;
    wr_vec3 gravity;
    wr_vec3 wind; // m/s: velocity of the air
    int iterations;
    bool sleeping, two_phases;
    wr_stage stage;
    int model_count, body_count, joint_count;
    const wr_model *const *models; // flattened
    const wr_scene_body *bodies;
    const wr_scene_joint *joints;
    int surface_pair_count;
    const wr_surface_pair *surface_pairs;
    int warning_count;
    const char *const *warnings; // of all its assets, see wr_model; of inputs after the end; of
                                 // what bodies do not feel although it looks so
    uint64_t hash;               // of everything that physics reads, and of the program's version:
                                 // cameras, light and colours are not in it
    void *memory;
} wr_scene;

// Frames to simulate: the state at the start is frame 0, the last one has this number.
WR_API int wr_scene_frame_count(const wr_scene *scene);

// --- worlds -----------------------------------------------------------------------------------

typedef struct wr_world wr_world;

// Asked before every step, a frame has several: a large world takes seconds for a frame.
typedef struct wr_world_watch {
    bool (*go_on)(void *user); // false: the frame is given up. NULL: always go on
    void *user;
} wr_world_watch;

typedef struct wr_world_desc {
    const wr_scene *scene; // outlives the world
    wr_allocator allocator;
    wr_tasks tasks;
    wr_log log; // hears of bodies that were frozen, of steps that were too fast, and what
                // materials have to say of their bodies
    wr_world_watch watch;
    uint32_t cookie; // set by wr_world_desc_default
} wr_world_desc;

WR_API wr_world_desc wr_world_desc_default(void);
WR_API WR_NODISCARD wr_world *wr_world_create(const wr_world_desc *desc, wr_error *error);
WR_API void wr_world_destroy(wr_world *world); // accepts NULL

// Advances to the next frame. Numerical trouble freezes the body concerned and is counted.
WR_API void wr_world_step_frame(wr_world *world);

// False, and WR_E_MEMORY, when there was no memory for all of the present frame, or a step was
// refused memory that it could not do without: the frame is not the next one then, and nothing
// moves any more until wr_world_restore; WR_E_CANCELLED likewise when the watch said that we should
// stop. WR_E_LIMIT when the state of the world has become too large to be saved. Ask after every
// frame.
WR_API bool wr_world_check(const wr_world *world, wr_error *error);

// The present frame, as it goes into a recording. Valid until the next step, restore or destroy.
WR_API const wr_frame *wr_world_frame(const wr_world *world);
// Head of a recording of this world, before its first frame. Lives as long as the world.
WR_API const wr_record_info *wr_world_record_info(const wr_world *world);
WR_API const wr_rigid *wr_world_rigid(const wr_world *world); // numbers: wr_world_body
// The engine, to push bodies or to change them otherwise before the next frame, and for queries
// that need more than a const wr_rigid. It costs as much as a save.
WR_API wr_rigid *wr_world_change_rigid(wr_world *world);
// The engine's number of a scene body (its first part), -1: it has none.
WR_API int wr_world_body(const wr_world *world, int scene_body);

// The whole state as bytes, which live until the next step, save or restore. A save never changes
// what follows, and going on and restoring are the same, bit for bit. Where wr_world_forgets is
// true, at frame 0 and once per second of film, the bytes are the state itself; elsewhere they are
// those of the last such frame, and restoring them simulates the frames since then again.
WR_API bool wr_world_forgets(const wr_world *world);
WR_API const void *wr_world_save(wr_world *world, size_t *size, wr_error *error);
// Into a world made from the same scene. A failure leaves the world unusable but safe to destroy.
WR_API bool wr_world_restore(wr_world *world, const void *bytes, size_t size, wr_error *error);

typedef struct wr_world_statistics {
    int64_t steps;           // so far
    double engine_seconds;   // so far
    double material_seconds; // so far
    // Bodies of the scene: all; those that move freely, whatever they are made of; and those of
    // these that are neither asleep nor frozen.
    int bodies, moving, awake;
    int joints, broken_joints;
    int sprites;            // bodies of planar materials, which are among the moving
    int64_t contacts;       // points of contact of all bodies, sum over all steps
    int most_contacts;      // in one step
    int most_substeps;      // in one step, of the engine or of a material
    int64_t too_fast;       // steps in which 64 substeps were not enough
    int frozen;             // bodies frozen so far
    float top_speed;        // m/s, of the moving bodies and sprites, now
    double material_energy; // J, stored in materials now
    double material_gain; // J, energy of motion and height that bodies gained so far because their
                          // material changed its shape and kept its momentum; < 0: lost
    int material_trouble; // times materials had to clamp or repair something
} wr_world_statistics;
WR_API wr_world_statistics wr_world_stats(const wr_world *world);
// Whether a body of the scene was frozen.
WR_API bool wr_world_is_frozen(const wr_world *world, int scene_body);

#if defined(__cplusplus)
}
#endif
