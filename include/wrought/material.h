// material.h: the one table of functions through which the world drives every material.
//
// A material answers to physics with plain arrays. The world owns the rigid-body engine and carries
// everything across: it never looks into a material, and a material never sees the engine or
// another material. What a material brings into the engine are *parts*: rigid bodies made of convex
// pieces, or of triangles. A metal body is one part whose pieces move; a fleshy one has a part per
// bone; clay has none and only feels with balls.
//
// One step of the world:
//     begin_step    once, with the parts' poses
//     substep       after every substep of the engine: contacts on own parts, touches of own balls;
//                   answers with pushes on any rigid body
//     end_step      once; afterwards the world reads parts (changed, born, gone) and the surface
// A material may have a *group*: then all its bodies of one world live together in it, and it is
// stepped as a whole, after the substeps. It feels the rigid bodies that do not move freely, its
// *level*, and no others.
// All functions except those marked optional must be there. Optional ones may be NULL.
// Thread safety: the world calls different bodies from different threads at the same time, one body
// from one thread at a time.
#pragma once

#include "asset.h"
#include "rigid.h"

#if defined(__cplusplus)
extern "C" {
#endif

// A number or a word an artist may set in the scene file, with everything the reader, the
// documentation and the schema need to know.
typedef struct wr_parameter {
    const char *name;
    const char *unit; // "m/s", "" for plain numbers
    double min, max;  // inclusive
    double fallback;  // when left out
    const char *about;
    const char *real_unit;      // "m/s": the number itself is in units of the body, but it may be
                                // written as text with this unit, positive; see
                                // wr_material_desc.is_real. NULL: no
    const char *const *choices; // words for the values 0, 1, ...; NULL at the end. NULL: a number
    bool is_whole;              // a whole number
    bool may_differ;            // between bodies that share what create_shared made
} wr_parameter;

// A rigid body of the scene that never moves, or that follows a path.
typedef struct wr_level_body {
    const char *name;
    const wr_shape *shape; // outlives the group
    wr_pose pose;          // at the start
    float friction;
    uint32_t kind, feels; // bits: things touch when each has a bit that the other feels
    bool is_driven;
} wr_level_body;

// What a group is made of. Lives until create_group returns, but for the shapes.
typedef struct wr_group_desc {
    wr_vec3 gravity; // m/s^2
    const wr_level_body *level;
    int level_count;
    wr_allocator allocator;
} wr_group_desc;

typedef struct wr_group_step {
    int64_t number; // of the scene's step; a step that was split comes several times
    double time;    // seconds, at the start
    float dt;       // seconds
    const wr_pose *level_begin, *level_end; // level_count: where its level is before and after
} wr_group_step;

// A named set of parameters in artists' words: "thin steel".
typedef struct wr_preset {
    const char *name;
    const double *values; // one per parameter
} wr_preset;

// What a body is made of when it comes to life. Lives until create returns.
typedef struct wr_material_desc {
    const char *name; // of the body, for messages
    const wr_model
        *model; // flattened render mesh, in the body's frame; outlives the body; never NULL
    const wr_asset
        *asset;           // with rig and examples, unscaled; NULL: a plain model. Outlives the body
    float scale;          // of the asset
    const double *values; // one per parameter of the table
    const bool *is_real;  // likewise: whether the value is in real_unit
    void *shared;         // what create_shared made, NULL when there is none
    void *group;          // what create_group made, likewise
    const struct wr_sprite_setup *sprite; // what the scene says about sprites alone; may be NULL
    const struct wr_held *held;           // what is played with its controller; outlives the body
    int held_count;
    wr_pose pose;           // at the start
    wr_vec3 velocity, spin; // m/s, rad/s
    double density;         // kg/m^3
    double mass;            // kilograms, instead of density; 0: not said
    float friction, restitution;
    uint32_t kind, feels; // as in wr_level_body
    float picture_time;   // seconds from one picture of the film to the next
    wr_allocator allocator;
} wr_material_desc;

// A rigid body of the engine that belongs to a material. Arrays stay owned by the material. A
// change is announced by counting up the version next to what changed.
typedef struct wr_material_part {
    bool alive;             // false: taken out of the world; never comes back
    const wr_piece *pieces; // convex, in the part's frame; the counts never change
    int piece_count;
    uint32_t pieces_version;
    const bool *piece_changed; // which pieces the last version changed; NULL: all
    // Instead of pieces, when piece_count is 0: a closed mesh in the part's frame. Triangles and
    // counts never change; pieces_version counts up when positions do.
    const wr_vec3 *positions;
    int vertex_count;
    const int *triangles;
    int triangle_count;
    wr_mass_properties mass;
    uint32_t mass_version;
    float friction, restitution;
    uint32_t surface_version;
    wr_pose pose; // where and how fast it starts; read when the part is born
    wr_vec3 velocity, spin;
} wr_material_part;

// What the world knows about a part now.
typedef struct wr_part_state {
    wr_pose pose;
    wr_pose contact_pose;   // substep only: at its start, where its contacts were found; their
                            // points, normals and impulses belong to this pose
    wr_vec3 center;         // of mass, world
    wr_vec3 velocity, spin; // of the centre of mass
    bool asleep;
} wr_part_state;

// An impulse on a rigid body of the world.
typedef struct wr_push {
    int body;        // engine number, as in wr_touch and wr_contact; own parts: see part_bodies
    wr_vec3 point;   // world
    wr_vec3 impulse; // N s
} wr_push;

// Where a material writes its pushes; add with wr_push_add.
typedef struct wr_push_list {
    wr_push *items;
    int count, capacity;
} wr_push_list;

typedef struct wr_material_step {
    double time;     // seconds, at the start of the (sub)step
    float dt;        // seconds, of the step (begin_step, end_step) or substep
    wr_vec3 gravity; // m/s^2
    int part_count;  // parts the engine knows, a prefix of the material's
    const wr_part_state *parts;
    const int *part_bodies; // engine numbers of the parts
    int contact_count;      // substep only: contacts that involve own parts, body_a is own
    const wr_contact *contacts;
    const int *contact_parts; // which own part body_a of each contact is
    int touch_count;          // substep only: at most one per ball, in their order
    const wr_touch *touches;
    wr_push_list *pushes; // substep only
} wr_material_step;

typedef struct wr_material_surface {
    int part;                       // the part in whose frame the vertices are, -1: the world's
    int vertex_count;               // as in the model, unless triangles is set
    const wr_vec3 *positions;       // NULL: the model as it is
    int changed_begin, changed_end; // vertices that changed in the last step
    const int *triangles;           // new topology, or NULL: as in the model
    int triangle_count;
    uint32_t topology_version;
    // Instead of positions, for bodies with the rig of their asset: example weights, a row of
    // example_count per vertex of the simulation mesh, as in skin.h; recordings keep them and skin
    // on reading. NULL: none.
    const float *weights;
    int example_count;
    uint32_t weights_version; // counts up with every change, from 1
    // For bodies with a pose manifold: what it looks like and what it wishes to look like. NULL:
    // none.
    const wr_blend *blends; // two
    const wr_simplex *simplices;
    int simplex_count;
} wr_material_surface;

typedef struct wr_material_statistics {
    double work_seconds; // spent in the last step
    double energy;       // J, elastic energy stored, 0 when it has none
    int active;          // elements (vertices, particles) that were worked on
    int trouble;         // times something was clamped or repaired since the start
    float speed;         // m/s, of a body without parts
} wr_material_statistics;

typedef struct wr_material {
    const char *name;  // the word in scene files
    const char *about; // one sentence for the documentation
    const wr_parameter *parameters;
    int parameter_count;
    const wr_preset *presets;
    int preset_count;
    // Its bodies are drawings: assets with a flat rig that live in the plane z = 0, which cuts
    // their level out of the shapes. They have no shape of their own and turn about z alone.
    bool is_flat;

    // Optional, both or none. Destroyed after its bodies, before what they share.
    void *(*create_group)(const wr_group_desc *desc, wr_error *error); // NULL on failure
    void (*destroy_group)(void *group);
    void (*step_group)(void *group, const wr_group_step *step);

    // Optional. What all bodies of the same asset, scale, density, values (but for those that may
    // differ), sprite and, of flat ones, mass share: made once, and destroyed after the last of
    // them. Must be safe to use from several threads.
    void *(*create_shared)(const wr_material_desc *desc, wr_error *error); // NULL on failure
    void (*destroy_shared)(void *shared);

    void *(*create)(const wr_material_desc *desc, wr_error *error); // NULL on failure
    void (*destroy)(void *body);                                    // accepts NULL

    // Optional. The longest step it can take, seconds; the world shortens its own accordingly.
    float (*step_wish)(const void *body);

    // Optional. All parts ever born, in order of birth. May grow in end_step: bodies born or split.
    const wr_material_part *(*parts)(const void *body, int *count);
    // Optional. Balls to be tested against the rigid bodies before each substep.
    const wr_ball *(*balls)(const void *body, int *count);

    void (*begin_step)(void *body, const wr_material_step *step); // optional
    void (*substep)(void *body, const wr_material_step *step);    // optional
    void (*end_step)(void *body, const wr_material_step *step);   // optional

    // Optional. Something outside asks it to wake; and whether it is at rest (true: nothing to do).
    // When it falls asleep the world puts its parts to sleep, too; when something wakes a part, the
    // material is asked to wake.
    void (*wake)(void *body);
    bool (*is_asleep)(const void *body);

    wr_material_surface (*surface)(const void *body);
    wr_material_statistics (*statistics)(const void *body); // optional
    // False as soon as a number in the state is not finite; the world then freezes the body and
    // draws the last surface that was sound. What parts() says must be finite even then.
    bool (*is_sound)(const void *body);
    // Optional. It is frozen now: nothing else in its group may feel it any more. Restoring ends
    // that.
    void (*freeze)(void *body);

    // Hash, save and restore of everything that changes. save writes size() bytes. The bytes may be
    // of a body that was frozen: restore takes numbers that are not finite, but checks all else.
    uint64_t (*hash)(const void *body);
    size_t (*size)(const void *body);
    void (*save)(const void *body, void *bytes);
    bool (*restore)(void *body, const void *bytes, size_t size, wr_error *error);
} wr_material;

// False when the list is full. There is room for two pushes per ball, four per contact and 64 more.
static inline bool wr_push_add(wr_push_list *list, int body, wr_vec3 point, wr_vec3 impulse)
{
    if (list->count >= list->capacity) {
        return false;
    }
    wr_push push = {body, point, impulse};
    list->items[list->count++] = push;
    return true;
}

#if defined(__cplusplus)
}
#endif
