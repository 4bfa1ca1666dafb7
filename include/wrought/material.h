// material.h: the one table of functions through which the world drives every material.
//
// A material answers to physics with plain arrays. The world owns the rigid-body engine and carries
// everything across: it never looks into a material, and a material never sees the engine or
// another material. What a material brings into the world are
//   parts     rigid bodies of the engine, made of convex pieces or of triangles, moving or driven:
//             a metal body is one part whose pieces move, a fleshy one has a part per bone;
//   balls     points of its own that feel the rigid bodies of the world;
//   boundary  points and triangles that the boundaries of other materials meet;
//   surfaces  and particles, to be drawn.
//
// One step of the world, always of the same length:
//     advance        once, before the engine: the material moves itself by dt, in as many steps of
//                    its own as it needs, against copies of the rigid bodies that its balls touch
//                    (body_copy.h), and answers with impulses on them
//     take_contacts  after every substep of the engine: what its parts felt. Impulses that other
//                    materials gave to its parts are among them
//     end_step       once; afterwards the world reads parts (changed, born, gone)
// Before advance the world lets the boundaries of different bodies meet: apply_impulses. Ensembles
// that meet boundaries themselves do so when they step, before those whose boundaries they meet.
// A material may have an *ensemble*: then all its bodies of one world live together in it, and
// step_ensemble advances them all.
//
// All functions except those marked optional must be there. Optional ones may be NULL.
// Thread safety: the world calls different bodies from different threads at the same time, one body
// from one thread at a time. Bodies of a material that uses_tasks are called one after another, and
// share their work out themselves.
#pragma once

#include "body_copy.h"
#include "parameter.h"
#include "record.h"
#include "rigid.h"

#if defined(__cplusplus)
extern "C" {
#endif

// Means of a call: threads and memory. Results must be the same, bit for bit, for any number of
// threads.
typedef struct wr_work {
    wr_tasks tasks;      // to share work out; zeroed when other bodies use them at this moment
    wr_scratch *scratch; // memory until the call returns, see wr_scratch_push
} wr_work;

// An impulse on a rigid body of the world. `angular_impulse` is what the impulse at `point` leaves
// out: the sum of many impulses at places that moved meanwhile is one impulse at one of them, and a
// rest.
typedef struct wr_push {
    int body;        // engine number, as in wr_touch and wr_contact; own parts: see part_bodies
    wr_vec3 point;   // world
    wr_vec3 impulse; // N s
    wr_vec3 angular_impulse; // N m s
    wr_vec3 shift;      // m, and radians about its centre of mass: by which it is moved at once,
    wr_vec3 rotation;   // without velocity, out of what it overlaps
    const void *member; // of an ensemble: the state of the body that gave it, for recordings of
                        // contacts. NULL: it is of none, and recorded by somebody else
} wr_push;

// The list into which a material writes its pushes. It grows. When a push is lost, because there is
// no memory, it is not finite or it is on a body that is not there, the world freezes the body that
// gave it, or all bodies of the ensemble that did.
typedef struct wr_push_list wr_push_list;
WR_API bool wr_push_add(wr_push_list *list, wr_push push); // false: out of memory

// A point of a boundary.
typedef struct wr_boundary_point {
    wr_vec3 position, velocity; // m, m/s; world
    float radius;               // metres, >= 0
    wr_mat3 inverse_mass; // 1/kg: how its velocity, taken over the step, answers to an impulse at
                          // it, with everything that hangs on it; zero: nothing can move it
    int support; // points with the same number move together, as on one rigid bone; -1: none
} wr_boundary_point;

// Boundary that other materials may meet: points, and triangles of these points, counter-clockwise
// seen from outside. A boundary without triangles is a heap of balls.
typedef struct wr_boundary {
    const wr_boundary_point *points;
    int point_count;
    const int *triangles;
    int triangle_count;
    float friction;
    float mass; // kg, of everything: points that are pushed together are no heavier. 0: not said
} wr_boundary;

typedef struct wr_boundary_impulse {
    int point;
    wr_vec3 impulse; // N s
    wr_vec3 couple;  // N m s, about the point
} wr_boundary_impulse;

// A heap of balls of another material that the ensemble keeps out of its bodies.
typedef struct wr_ensemble_other {
    wr_boundary boundary; // velocities are those with which points would end the step
    uint32_t group, collides;
    const void *leader; // the state of the body whose bones it has, which it misses; NULL: nobody's
    wr_boundary_impulse *impulses; // room for one per point: the answer
    int impulse_count;             // likewise, 0
    int body;                      // for the world
} wr_ensemble_other;

// A rigid body of the scene, without a material, that bodies of an ensemble may touch.
typedef struct wr_ensemble_body {
    const char *name;
    const wr_shape *shape; // outlives the ensemble
    wr_motion motion;
    wr_pose pose; // at the start
    float friction;
    uint32_t group, collides; // as in wr_rigid_body_desc
} wr_ensemble_body;

// Description of an ensemble. Lives until create_ensemble returns, but for the shapes.
typedef struct wr_ensemble_desc {
    wr_vec3 gravity; // m/s^2
    const wr_ensemble_body *bodies;
    int body_count;
    wr_work work; // until create_ensemble returns
    wr_allocator allocator;
} wr_ensemble_desc;

// A rigid body that moves freely, as it is when the step begins.
typedef struct wr_ensemble_mover {
    int body;   // index into wr_ensemble_desc.bodies
    int engine; // its number for pushes
    wr_rigid_view view;
} wr_ensemble_mover;

// A point in which a mover touches another, or a rigid body that is static or driven.
typedef struct wr_ensemble_contact {
    int a, b;         // indices of movers; b -1: static or driven
    wr_vec3 point;    // world
    wr_vec3 normal;   // unit, towards a
    wr_vec3 velocity; // m/s, at that point, of what is driven
    float distance;   // metres; negative when overlapping
    float friction;
} wr_ensemble_contact;

// What an ensemble says of a step, for the statistics of the world.
typedef struct wr_ensemble_tally {
    int contacts; // points at which its bodies touch rigid ones, each other and themselves
    int substeps; // 0: it has none of its own
} wr_ensemble_tally;

typedef struct wr_ensemble_step {
    wr_work work;
    int64_t number;             // of the scene's step
    double time;                // seconds, at the start
    float dt;                   // seconds
    const wr_pose *begin, *end; // body_count: where the bodies are before and after the step; of
                                // those that move freely: before, twice
    const wr_ensemble_mover *movers;
    int mover_count;
    const wr_ensemble_contact *contacts; // of the movers, among the rigid bodies without a material
    int contact_count;
    int member_count;
    void *const *members;                 // bodies of the ensemble that are neither frozen nor at
                                          // rest, in the order of the scene
    const struct wr_material_step *steps; // one per member: its touches and parts
    struct wr_rigid *rigid;               // for questions: wr_rigid_find_touches
    wr_ensemble_other *others;            // near its members, where it meets_boundaries
    int other_count;
    wr_push_list *pushes;
    wr_ensemble_tally *tally; // zeroed: the answer
} wr_ensemble_step;

// Description of a body when it is created. Lives until create returns.
typedef struct wr_material_desc {
    const char *name;  // of the body, for messages
    const char *place; // "file:line:column" for warnings; NULL: it is of no file. Errors get it
                       // from the world
    const wr_model
        *model; // flattened render mesh, in the body's frame; outlives the body; never NULL
    wr_added_vertices added; // to the model: those that its asset does not have, see edge_length
    const wr_asset
        *asset; // with rig and examples, unscaled; NULL: a plain model. Outlives the body
    const wr_skeleton *skeleton; // of a material that follows poses: unscaled, for the vertices of
                                 // the model; NULL: it has none. Outlives the body
    float scale;                 // of the asset
    const double *values;        // one per parameter of the table
    const bool *is_real;         // likewise: whether the value is in real_unit
    void *shared;                // what create_shared made, NULL when there is none
    void *ensemble;              // what create_ensemble made, likewise
    const void *setup; // what only this material knows, such as wr_sprite_setup; NULL: nothing.
                       // Outlives the body
    wr_pose pose;      // at the start
    const wr_handle_pose *handle_poses; // that its pose source wants at the start, as in
                                        // wr_material_step; NULL: it has none. Until create returns
    wr_vec3 velocity, angular_velocity; // m/s, rad/s
    double density;                     // kg/m^3
    double mass;                        // kilograms, instead of density; 0: not said
    float friction, restitution;
    uint32_t group, collides; // as in wr_rigid_body_desc
    float picture_time;       // seconds from one picture of the film to the next
    float dt;                 // seconds, of every step
    wr_work work;             // until create or create_shared returns
    wr_log log;               // hears what an artist should know of the body; likewise
    wr_allocator allocator;
} wr_material_desc;

// Things that the engine lets a part touch.
typedef enum wr_part_touches {
    WR_PART_TOUCHES_ALL,     // whatever its groups say
    WR_PART_TOUCHES_OTHERS,  // the same, but no other part of its own body
    WR_PART_TOUCHES_NOTHING, // the material solves all its contacts itself
} wr_part_touches;

// A rigid body of the engine that belongs to a material. Arrays stay owned by the material. A
// change is announced by counting up the version next to what changed.
typedef struct wr_material_part {
    bool alive;             // false: taken out of the world; never comes back
    const char *name;       // by which joints and recordings call it, NULL: none
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
    wr_motion motion; // WR_MOTION_MOVING or WR_MOTION_DRIVEN, for good
    wr_part_touches touches;
    // Bodies of others, by their numbers in touches and pushes, that this part passes through
    // because the material solves those contacts itself. Read after advance whenever the version
    // counts up from 0; who is no longer listed collides again.
    const int *ignored;
    int ignored_count;
    uint32_t ignored_version;
    wr_mass_properties mass; // of a moving part
    uint32_t mass_version;
    uint32_t split_version; // counts up with mass_version when some of it went: what is left stays
                            // where it is
    float friction, restitution;
    uint32_t surface_version;
    wr_pose pose; // where it is born
    // It is born with these, m/s and rad/s, and is given them again whenever the version counts up;
    // pushes of the same step come on top.
    wr_vec3 velocity, angular_velocity;
    uint32_t velocity_version;
    wr_pose target; // of a driven part: where it is at the end of the step; read after advance
} wr_material_part;

// A joint between two parts of a body. Both of them must be born in the same step as the joint, and
// joint.at and joint.axis belong to the poses they are born with.
typedef struct wr_material_joint {
    bool alive;          // false: taken out of the world; never comes back
    wr_joint_desc joint; // body_a, body_b: numbers of parts
} wr_material_joint;

// State of a part as the world knows it now.
typedef struct wr_part_state {
    wr_pose pose;
    wr_pose contact_pose; // take_contacts only: at the start of the substep, where its contacts
                          // were found; their points, normals and impulses belong to this pose
    wr_vec3 center;       // of mass, world
    wr_vec3 velocity, angular_velocity; // of the centre of mass
    bool asleep;
} wr_part_state;

// Points of a material that feel the rigid bodies. What a ball does not touch when a step begins it
// does not feel until the step ends: the sweep of a ball should be the way it may go, or the margin
// that long. A body whose set has balls and other numbers out of their range is frozen.
typedef struct wr_ball_set {
    const wr_ball *balls;
    int count;
    float margin; // metres, >= 0: what is nearer than that counts as touched
    int most;     // touches of one ball, from 1 to WR_MOST_TOUCHES
    float ahead;  // metres, >= 0: how much larger the margin may become, so that what the fastest
                  // rigid body, or what that drives before it, would meet in the step is touched
                  // before
} wr_ball_set;

// A rigid body that balls touch, for materials that solve their contacts themselves.
typedef struct wr_touched_body {
    int body; // engine number
    wr_rigid_view view;
    wr_support *supports; // what holds it
    int support_count;
} wr_touched_body;

typedef struct wr_material_step {
    wr_work work;
    int64_t number;      // of the scene's step
    double time;         // seconds, at the start of the step, or of the engine's substep
    float dt;            // seconds, of the step, or of the engine's substep (take_contacts)
    bool is_taken_again; // the engine takes the step again with what changed until end_step
    wr_vec3 gravity;     // m/s^2
    wr_vec3 wind;        // m/s: velocity of the air
    int part_count;      // parts the engine knows, a prefix of the material's
    const wr_part_state *parts;
    const int *part_bodies; // engine numbers of the parts
    // take_contacts: contacts that involve own parts. body_a is own, and a contact in which it was
    // body_b is turned round, its point moved by the distance along its normal; body_b is -1 where
    // another material pushed: its impulse is along the normal then.
    int contact_count;
    const wr_contact *contacts;
    const int *contact_parts; // which own part body_a of each contact is
    // advance: what the balls touch, in the order of the balls, and the bodies concerned,
    // ascending.
    int touch_count;
    const wr_touch *touches;
    const int *touch_bodies; // per touch: index into bodies
    int body_count;
    const wr_touched_body *bodies;
    wr_push_list *pushes; // advance only
    // advance: the poses of its handles that its pose source wants before and after the step, as of
    // its skeleton or asset, unscaled, in the frame the body has at the start; NULL: it may pose as
    // it likes.
    const wr_handle_pose *pose_begin, *pose_end;
} wr_material_step;

// What a joint of the scene did to a part in a step, in the frame of the part.
typedef struct wr_load {
    wr_vec3 at;              // metres: where the joint is
    wr_vec3 center;          // metres: the part's centre of mass
    wr_vec3 impulse;         // N s
    wr_vec3 angular_impulse; // N m s, about the centre of mass
} wr_load;

typedef struct wr_material_surface {
    int part; // the part in whose frame the vertices are, -1: the world's
    // For bodies that may break into the fragments of their asset: the part that each of them goes
    // with, -1: it is no longer shown. NULL: it cannot break.
    const int *fragment_parts;
    int vertex_count;               // as in the model
    const wr_vec3 *positions;       // NULL: the model as it is
    int changed_begin, changed_end; // vertices that changed in the last step
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
    // For bodies of bones under skin: recordings keep these in place of the positions. NULL: none.
    const wr_record_skin *skin;   // the same at all times
    const wr_pose *bones;         // of the skin's, from the bind pose to the frame of the positions
    const wr_vec3 *displacements; // metres, of the skin's nodes, in the bind pose
} wr_material_surface;

typedef struct wr_material_statistics {
    double work_seconds; // spent in the last step
    double energy;       // J, elastic energy stored, 0 when it has none
    int active;          // elements (vertices, particles) that were worked on
    int trouble;         // times something was clamped or repaired since the start
    float speed;         // m/s, of a body without parts
} wr_material_statistics;

typedef struct wr_material {
    size_t table_size; // sizeof(wr_material): programs may bring their own materials
    const char *name;  // the word in scene files
    const char *about; // one sentence for the documentation
    const wr_parameter *parameters;
    int parameter_count;
    const wr_preset *presets;
    int preset_count;
    // Facts that the scene and the world must know before there are bodies.
    bool is_planar;    // they live in the plane z = 0 and are counted apart
    bool is_shapeless; // they need no shape that collides: what is drawn is their asset
    int step_rate;     // steps per second that suit a scene in which nothing else moves; 0: no wish
    bool uses_tasks;   // shares its work out itself: one large body keeps all threads busy
    bool follows_pose; // its bodies may have a "pose", see wr_material_step.pose_begin
    bool meets_boundaries; // its ensemble keeps its bodies and the boundaries of other materials
                           // that are heaps of balls apart: see wr_ensemble_step.others
    bool ignores_stretch;  // of such poses: readers of scenes are told of clips that have some
    // Optional. Metres: longer edges of the model of a body with these values are split before
    // there is one, so that everybody has the finer model (wr_mesh_refine). 0: it stays as it is.
    double (*edge_length)(const wr_mesh *mesh, const double *values, const bool *is_real);

    // Optional, both or none. Destroyed after its bodies, before what they share.
    void *(*create_ensemble)(const wr_ensemble_desc *desc, wr_error *error); // NULL on failure
    void (*destroy_ensemble)(void *ensemble);
    void (*step_ensemble)(void *ensemble, const wr_ensemble_step *step);

    // Optional. Data that all bodies of the same asset, scale, density and values (but for those
    // that may differ) share: created once, and destroyed after the last of them. Must be safe to
    // use from several threads.
    void *(*create_shared)(const wr_material_desc *desc, wr_error *error); // NULL on failure
    void (*destroy_shared)(void *shared);
    // Optional. True when what was created for a serves b as well; they may differ in mass and
    // setup. NULL: it does when they have the same setup.
    bool (*can_share)(const wr_material_desc *a, const wr_material_desc *b);

    void *(*create)(const wr_material_desc *desc, wr_error *error); // NULL on failure
    void (*destroy)(void *body);                                    // accepts NULL

    // Optional. All parts ever born, in order of birth. May grow in end_step: bodies born or split.
    const wr_material_part *(*parts)(const void *body, int *count);
    // Optional. All joints between them ever born, likewise.
    const wr_material_joint *(*joints)(const void *body, int *count);
    // Optional. Where its bones have the handles of its skeleton or asset now, in the terms of
    // wr_material_step.pose_begin: other materials may follow them. Its ensemble steps before
    // theirs.
    void (*handle_poses)(const void *body, wr_handle_pose *poses);
    // Optional. Balls that feel the rigid bodies, before a step of dt seconds. Valid until the next
    // call.
    wr_ball_set (*balls)(void *body, float dt);

    // Optional, both or none. The boundary that other materials meet within the dt seconds that
    // follow, asked for after balls, valid until the next call; and the impulses that act on it
    // during them, evenly: at once on a few light points they would bring energy.
    wr_boundary (*boundary)(void *body, float dt, const wr_work *work);
    void (*apply_impulses)(void *body, const wr_boundary_impulse *impulses, int count);

    void (*advance)(void *body, const wr_material_step *step); // optional; not with an ensemble
    void (*take_contacts)(void *body, const wr_material_step *step); // optional
    void (*end_step)(void *body, const wr_material_step *step);      // optional

    // Optional, both or none, for bodies that break: before end_step, a load that a joint of the
    // scene brought; and the part that has a place of the body, in the frame that all parts share.
    void (*take_load)(void *body, const wr_load *load);
    int (*part_at)(const void *body, wr_vec3 at);

    // Optional. Before end_step, what one of its own joints passed on in the step: N s, on body_a,
    // world axes. Not called when that is nothing.
    void (*take_joint_impulse)(void *body, int joint, wr_vec3 impulse);

    // Optional, both or none. wake: something outside asks it to wake. is_asleep: true when it has
    // nothing to do.
    // When it falls asleep the world puts its parts to sleep, too; when something wakes a part, the
    // material is asked to wake. Until it sleeps, its parts and what it pushes stay awake.
    void (*wake)(void *body);
    bool (*is_asleep)(const void *body);
    // Optional. What it may lie on sleeps: it may do so, too, and says whether it does.
    bool (*doze)(void *body);

    // The shape in which its model is drawn; and, optional, further surfaces of changing topology
    // and particles, whose `body` the world fills in. Valid until the next step.
    wr_material_surface (*surface)(const void *body);
    const wr_record_surface *(*surfaces)(const void *body, int *count);
    bool (*particles)(const void *body, wr_record_particles *particles); // false: none
    wr_material_statistics (*statistics)(const void *body);              // optional
    // False as soon as a number in the state is not finite; the world then freezes the body and
    // draws the last surface that was sound. What parts() says must be finite even then.
    bool (*is_sound)(const void *body);
    // Optional. It is frozen now: nothing else in its ensemble may feel it any more. Restoring ends
    // that.
    void (*freeze)(void *body);
    // Optional. What an artist should know of it by now: the rest of a sentence that begins with
    // its name. NULL: nothing. The log hears it once in a run.
    const char *(*warning)(const void *body);
    // Optional. What happened to it in the last step: dents and fractures, with places in the
    // world. subject and other are fragments of its asset, which the world makes numbers of bodies
    // of; 0 and -1 when it has none.
    const wr_event *(*events)(const void *body, int *count);

    // Hash, save and restore of everything that changes. save writes size() bytes. The bytes may be
    // of a body that was frozen: restore takes numbers that are not finite, but checks all else.
    uint64_t (*hash)(const void *body);
    size_t (*size)(const void *body);
    void (*save)(const void *body, void *bytes);
    bool (*restore)(void *body, const void *bytes, size_t size, wr_error *error);
} wr_material;

// A copy that takes part in steps of the material's own.
static inline wr_body_copy wr_touched_body_copy(const wr_touched_body *touched)
{
    const wr_rigid_view *view = &touched->view;
    wr_body_copy copy = {view->pose,
                         view->center,
                         view->velocity,
                         view->angular_velocity,
                         view->inverse_mass,
                         {{{0}}},
                         touched->supports,
                         touched->support_count,
                         {0},
                         {0}};
    for (int i = 0; i < 9; i++) {
        copy.inverse_inertia.m[i / 3][i % 3] = view->inverse_inertia[i / 3][i % 3];
    }
    return copy;
}

#if defined(__cplusplus)
}
#endif
