// scene.h (internal): what the readers of bodies, joints and the rest of a scene share.
#pragma once

#include "wrought/scene.h"

#include "tables.h"
#include "shape.h"

enum { WRI_MOST_BODIES = 100000, WRI_MOST_GROUPS = 31, WRI_MOST_SURFACES = 64 };

typedef struct wri_scene_owner {
    wr_scene scene;
    wri_arena arena;
    wri_model_cache models;
    wri_asset *assets;
    int asset_count;
} wri_scene_owner;

typedef struct wri_name_slot {
    int body, count; // the first body called so and how many are; 0: free
} wri_name_slot;

// Scenes that wait for another: an asset of theirs has an example out of it.
typedef struct wri_scene_chain {
    const char *path;
    const struct wri_scene_chain *outer; // NULL: nobody waits for this one
} wri_scene_chain;

// A pose that waits for the body it follows.
typedef struct wri_follower {
    wr_pose_source *source;
    const wr_handle *handles; // its own
    int handle_count;
    const wri_json *at; // the leader's name in the file
    const char *leader, *where;
} wri_follower;

// State that the readers of bodies and joints share.
typedef struct wri_scene_context {
    wri_scene_owner *owner;
    const wr_scene_options *options;
    const wri_table *body_table; // see wri_all_body_keys
    wri_scene_chain chain;       // this scene, and those that wait for it
    const char *folder;          // of the scene file
    wri_array bodies;            // of wr_scene_body
    wri_array joints;            // of wr_scene_joint
    wri_array followers;         // of wri_follower
    wri_array warnings;          // of const char *
    wri_name_slot *names;        // hash table of the bodies' names, made for the first joint
    size_t name_room;            // a power of two
    const char *groups[WRI_MOST_GROUPS];
    int group_count;
    const char *surfaces[WRI_MOST_SURFACES]; // number 1 is the first
    int surface_count;
    wri_array contact_pairs; // of wr_surface_pair
    uint64_t hash;
} wri_scene_context;

// wr_scene_read and wr_recipe_simulate for scenes that others wait for; outer NULL: none do.
wr_scene *wri_scene_read(const char *path, const wr_scene_options *options,
                         const wri_scene_chain *outer, wr_error *error);
bool wri_recipe_simulate(struct wr_recipe *recipe, const wr_scene_options *options,
                         const wri_scene_chain *outer, wr_error *error);

// The hash goes on over everything in a scene file that physics reads. bodies: the table of bodies.
uint64_t wri_physics_hash(const wri_json *scene, const wri_table *bodies, uint64_t hash);

// "body \"crate\"", "joint 3": how messages call what is being read.
const char *wri_quoted(wri_reader *reader, const char *kind, const char *name);
const char *wri_numbered(wri_reader *reader, const char *kind, int index);

// The JSON of a file that `value` names, beside the scene; the reader goes on in it. It counts for
// the scene's hash.
const wri_json *wri_open_beside(wri_reader *reader, const wri_json *value, size_t most_bytes);

// has_color: the body says a colour, which counts in place of a preset's.
bool wri_is_look(const char *name); // a preset
bool wri_read_look(wri_reader *reader, const wri_json *json, bool has_color, wr_look_change *look);

// Adds a sentence to the scene's warnings. text NULL: there was no memory for it. False: there is
// none.
bool wri_scene_warn(wri_reader *reader, const char *text);

// Each appends to the context's lists. Joints come after all bodies.
bool wri_read_body(wri_reader *reader, const wri_json *json, int index);
bool wri_read_joint(wri_reader *reader, const wri_json *json, int index);
// The number of a surface that a body names, a new one where it is the first.
bool wri_find_surface(wri_reader *reader, const wri_json *json, const char *name, int *number);
bool wri_read_contact_pair(wri_reader *reader, const wri_json *json, int index); // after all bodies
// Finds the skeleton of a body whose material follows poses, in its asset; NULL: it has none.
bool wri_find_skeleton(wri_reader *reader, const wri_json *json, const wri_asset *asset,
                       bool has_path, wr_scene_body *body);
// Reads what the body's handles follow; its asset and material are known. value NULL: nothing.
bool wri_read_pose(wri_reader *reader, const wri_json *value, wr_scene_body *body);
// Finds the bodies that poses follow, after all bodies were read.
bool wri_find_leaders(wri_reader *reader);
// Reads inputs after all bodies. value NULL: nothing is played.
bool wri_read_inputs(wri_reader *reader, const wri_json *value);
// Adds a camera to the scene's stage, after all bodies and what is flat were read.
bool wri_read_camera(wri_reader *reader, const wri_json *json, int index);
// The one body of that name, after all bodies were read.
bool wri_find_body(wri_reader *reader, const wri_json *at, const char *name, int *body);
// Warns of names that several bodies have, after all bodies were read.
bool wri_warn_of_namesakes(wri_reader *reader);
// value NULL: no rows.
bool wri_read_copies(wri_reader *reader, const wri_json *value, raw_copies rows[4], int *count);

// Where a body of a starter scene shall be hit, and from where.
typedef struct wri_aim {
    wr_vec3 at;  // of its surface, metres
    int way;     // along which it comes
    int example; // that it will go to, -1: to none
} wri_aim;
// Chooses `count` of the ways, unit vectors, and a place for each, so that much of what is seen
// along `view` moves. A dent reaches over `reach` body sizes.
bool wri_find_aims(const wr_scene_start *start, wr_vec3 view, float reach, const wr_vec3 *ways,
                   int way_count, wri_aim *aims, int count, wr_error *error);
