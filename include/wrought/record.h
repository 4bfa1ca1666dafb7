// record.h: what a simulation produced, frame by frame, in one file that survives crashes.
//
//     wr_record_reader *reader = wr_record_open("out/recording.wrought", &error);
//     for (int i = 0; i < wr_record_frame_count(reader); i++) {
//         const wr_frame *frame = wr_record_read_frame(reader, i, &error);
//     }
//     wr_record_close(reader);
//
// The format is documented in docs/recording.md. Thread safety: a writer or reader belongs to one
// thread at a time; a file may be read while it is being written.
#pragma once

#include "asset.h"
#include "stage.h"

#if defined(__cplusplus)
extern "C" {
#endif

// Name of the recording in the folder of a run.
#define WR_RECORD_FILE "recording.wrought"

// A thing that is drawn: a model that moves with one pose, or whose vertices are recorded.
typedef struct wr_record_body {
    const char *name;
    const char *material; // "rigid", "metal", ...
    int model;            // index into the embedded models, -1: nothing to draw
    bool is_static;       // its pose never changes
    bool casts_ground;    // an endless plane, drawn as ground with the colour below
    wr_color color;       // tint multiplied with the looks
    int fragment_of;      // number + 1 of the body that it is a fragment of, whose weights bend it,
                          // too; 0: it is none
    wr_look_change look;  // in place of its model's looks
} wr_record_body;

// The asset that a model is the render mesh of.
typedef struct wr_record_rig {
    int asset;    // index into the embedded assets, -1: none
    float scale;  // of the model against the asset's, > 0
    int fragment; // number + 1 of the asset's fragment that it is, 0: it is the whole. Those are
                  // not stored either
} wr_record_rig;

// The examples that may blend in a body, which its blends are places of.
typedef struct wr_record_manifold {
    int body;
    int simplex_count;
    const wr_simplex *simplices; // of examples of its model's asset
} wr_record_manifold;

typedef struct wr_record_bone {
    const char *name;
    int parent;     // bone that it hangs on, -1: none; no bone hangs on itself, however far up
    wr_vec3 origin; // metres, bind pose: where it turns
} wr_record_bone;

enum { WR_SKIN_INFLUENCES = 4 }; // bones that move a node

// The bones of a body, and how they move its model, which is their bind pose. Vertices at one place
// share a node. One that is at u in the bind pose, displaced by q there, is shown at the sum of
// w_i (R_i (u + q) + t_i), with the pose R_i, t_i of each of its bones.
typedef struct wr_record_skin {
    int bone_count; // >= 1
    const wr_record_bone *bones;
    int vertex_count; // of the model
    const int *nodes; // per vertex: its node
    int node_count;
    const int *joints;    // WR_SKIN_INFLUENCES bones per node; NULL: there is one bone
    const float *weights; // likewise, not negative; the sum over a node is 1
} wr_record_skin;

// Head of a recording, before its first frame. Everything is copied by the writer; in a reader it
// lives until close.
typedef struct wr_record_info {
    const char *title;
    const char *program;                  // name and version of what wrote it
    uint64_t scene_hash;                  // of everything that physics read
    int rate_numerator, rate_denominator; // frames per second
    int substeps;                         // per frame
    int planned_frames; // to simulate: frames 0 (the beginning) to planned_frames are stored
    wr_stage stage;
    int model_count;
    const wr_model *const *models; // flattened: one mesh each
    int asset_count;               // embedded once each, for all bodies whose model has a rig
    const wr_asset *const *assets;
    const wr_record_rig *rigs; // one per model; NULL: no model has one. A model of scale 1 is not
                               // stored: it is the asset's own
    int body_count;            // at the start; births add more
    const wr_record_body *bodies;
    int manifold_count; // of bodies with a pose manifold
    const wr_record_manifold *manifolds;
    int skin_count; // each is stored once, however many bodies it is of
    const wr_record_skin *skins;
    const int *body_skins; // per body: the skin of its model, -1: none; NULL: no body has one
} wr_record_info;

typedef enum wr_event_kind {
    WR_EVENT_BORN = 1,     // subject: the new body; other: the body it came from or -1
    WR_EVENT_REMOVED = 2,  // subject: body
    WR_EVENT_BROKEN = 3,   // subject: joint
    WR_EVENT_FROZEN = 4,   // subject: body that does nothing from now on
    WR_EVENT_TOPOLOGY = 5, // subject: body of which a surface came, went or got other triangles
    WR_EVENT_DENT = 6,     // subject: body that a hit bent; strength m/s: the speed above its yield
    WR_EVENT_FRACTURE = 7, // subject: fragment that parted from another, other; strength m/s: the
                           // impulses that did it over the mass of the body
    WR_EVENT_AGAIN = 8,    // subject: body that came in again, elsewhere than it was; strength m/s:
                           // its speed
} wr_event_kind;

typedef struct wr_event {
    wr_event_kind kind;
    int subject, other;
    wr_record_body born; // for WR_EVENT_BORN
    wr_vec3 point;       // world; for WR_EVENT_DENT and those after it
    float strength;      // m/s, likewise
} wr_event;

// The strongest contact of a pair of bodies in a frame.
typedef struct wr_record_contact {
    int body_a, body_b;
    wr_vec3 point, normal; // world; normal from b to a
    float impulse;         // N s, sum of the normal impulses of the pair over the frame
} wr_record_contact;

// Vertices of a body that deforms freely, in the frame of its pose.
typedef struct wr_record_points {
    int body;
    int count;
    const wr_vec3 *positions;
} wr_record_points;

// Example weights of a body whose model has a rig, sparse: those that are not listed are 0. That of
// the rest shape, example 0, is what the others leave of 1 and need not be listed. A body without
// any is at rest.
typedef struct wr_record_weights {
    int body;
    int entry_count;
    const int *vertices;  // of the simulation mesh, ascending
    const int *examples;  // ascending within a vertex: that takes the fewest bytes
    const float *weights; // [0, 1]; stored with 16 bits
} wr_record_weights;

// A body with a skin in a frame. Its points are those that its bones and displacements make of its
// model: a writer stores these instead of them, and a reader adds its points to the frame.
typedef struct wr_record_skinned {
    int body;
    int bone_count, node_count;
    const wr_pose *bones;         // from the bind pose to the frame of the body's pose
    const wr_vec3 *displacements; // metres, of the nodes, in the bind pose; stored to 1e-5 of the
                                  // model's size
} wr_record_skinned;

// A triangle surface of a body whose topology may change, from the first frame that lists it to the
// last. Number 0 is shown in place of the body's model, and hides it when it has no triangles;
// others are shown beside it.
typedef struct wr_record_surface {
    int body;
    int number;        // among the surfaces of its body, from 0
    uint32_t topology; // a new value whenever anything but the positions changes
    const char *name;  // NULL: ""
    bool in_world;     // positions are in the world's frame, not in that of the body's pose
    int look;          // of the body's model, -1: none
    wr_color color;    // multiplied with the look's and the body's
    int vertex_count, triangle_count;
    const wr_vec3 *positions; // metres
    const int *triangles;     // three vertices each, counter-clockwise seen from outside
    const wr_vec2 *uvs;       // one per vertex, or NULL
    const int *looks;         // one per triangle in place of `look`, -1: none; or NULL
} wr_record_surface;

typedef enum wr_particle_view {
    WR_PARTICLES_SPHERES,
    WR_PARTICLES_SURFACE, // one closed surface around them
} wr_particle_view;

// Particles of a body, of any number in every frame. One of radius r stands for a cube of edge 2 r:
// particles that fill a volume at rest are 2 r apart. Coordinates are stored to 1/512 of the
// smallest radius, or as floats have it at the farthest particle.
typedef struct wr_record_particles {
    int body;
    int count;
    bool in_world;         // positions are in the world's frame, not in that of the body's pose
    wr_particle_view view; // unless whoever draws them asks for another
    wr_color color;        // multiplied with the body's
    const wr_vec3 *positions;
    float radius;        // metres, > 0; not used with radii
    const float *radii;  // one per particle, > 0, or NULL
    const uint32_t *ids; // one per particle, ascending, of the same particle in every frame; NULL:
                         // the particle in a place of the list stays the same
} wr_record_particles;

// The place of a body in its pose manifold. Shares are stored with 16 bits.
typedef struct wr_record_blend {
    int body;
    wr_blend looks;  // what it looks like
    wr_blend wishes; // what it wishes to look like
} wr_record_blend;

typedef struct wr_frame {
    int index;     // from 0; frame 0 is the state before the first step
    double time;   // seconds
    uint64_t hash; // of the whole state of the simulation
    int body_count;
    const wr_pose *poses; // body_count
    int points_count;
    const wr_record_points *points;
    int weights_count;
    const wr_record_weights *weights;
    int event_count;
    const wr_event *events;
    int contact_count;
    const wr_record_contact *contacts;
    int blend_count;
    const wr_record_blend *blends;
    int surface_count;
    const wr_record_surface *surfaces; // ordered by body, then number
    int particles_count;
    const wr_record_particles *particles; // ordered by body, one of each at most
    int skinned_count;
    const wr_record_skinned *skinned;
} wr_frame;

// --- writing ----------------------------------------------------------------------------------

typedef struct wr_record_writer wr_record_writer;

// Starts a new recording; an existing file is replaced, unless somebody is writing to it or the
// info cannot be recorded (a number that is not finite, an index out of range).
WR_API WR_NODISCARD wr_record_writer *wr_record_create(const char *path, const wr_record_info *info,
                                                       wr_error *error);
// Continues an interrupted recording after its last sound snapshot: everything behind it is cut
// off. *frame is the index of the frame the snapshot belongs to, *snapshot its bytes, valid until
// the next call; the next frame to add is *frame + 1. When there is no sound snapshot, *frame is
// -1, *snapshot NULL, and writing starts at frame 0. A complete recording stays as it is: *frame is
// planned_frames, and *snapshot NULL unless the last frame has one.
// Fails when the file is not a recording, was made from something else (scene_hash, rate, counts)
// or has another writer, and leaves it untouched. What goes on is byte for byte what an
// uninterrupted run writes. The stage and the looks of bodies may be others than those of the file,
// even if it is complete: they are appended and count for the whole recording.
WR_API WR_NODISCARD wr_record_writer *wr_record_resume(const char *path, const wr_record_info *info,
                                                       int *frame, const void **snapshot,
                                                       size_t *snapshot_size, wr_error *error);
// Whether the stage or the looks of bodies differed from those of the file that was resumed.
WR_API bool wr_record_has_new_looks(const wr_record_writer *writer);
// Frames come in order, with every body in its place: a removed body keeps its number, a new one
// has the next number and a WR_EVENT_BORN. A frame with a number that is not finite or out of range
// is refused (WR_E_ARGUMENT) and may be added again when it is mended. After any other failure (a
// full disk) what was written before stays readable and every further call fails the same way.
WR_API bool wr_record_add_frame(wr_record_writer *writer, const wr_frame *frame, wr_error *error);
// The state after the last added frame, from which a resumed run goes on. The next frame is stored
// whole, so that reading may start there: some seconds between snapshots keep seeking fast. Waits
// until everything is on the disk.
WR_API bool wr_record_add_snapshot(wr_record_writer *writer, const void *bytes, size_t size,
                                   wr_error *error);
// Whether another snapshot is worth its bytes: there is none yet, the frames behind the last one
// take four times as many, or are three seconds of film. It depends on what is in the file alone,
// so that resumed recordings have the bytes of uninterrupted ones.
WR_API bool wr_record_snapshot_is_due(const wr_record_writer *writer);
// Writes the index. Without it (a crash) the file is still read, by walking through it. complete
// says that all of 0 to planned_frames are there; otherwise the recording can be resumed.
WR_API bool wr_record_finish(wr_record_writer *writer, bool complete, wr_error *error);
WR_API void wr_record_writer_destroy(wr_record_writer *writer); // accepts NULL; does not finish

// --- reading ----------------------------------------------------------------------------------

typedef struct wr_record_reader wr_record_reader;

WR_API WR_NODISCARD wr_record_reader *wr_record_open(const char *path, wr_error *error);
WR_API void wr_record_close(wr_record_reader *reader); // accepts NULL
WR_API const wr_record_info *wr_record_about(const wr_record_reader *reader);
WR_API int wr_record_frame_count(const wr_record_reader *reader); // at open or the last refresh
// Looks for frames that were added since. Fails when the file became shorter: open it again.
WR_API bool wr_record_refresh(wr_record_reader *reader, wr_error *error);
WR_API bool wr_record_is_complete(const wr_record_reader *reader); // finished and not cut short
WR_API int64_t wr_record_size(const wr_record_reader *reader);     // bytes
// Bodies known up to the last frame read, with those born on the way.
WR_API const wr_record_body *wr_record_bodies(const wr_record_reader *reader, int *count);
// Valid until the next call. Fast in order; elsewhere it starts at the last whole frame. A damaged
// frame fails with its place in the file; frames from the next whole one on can still be read.
WR_API const wr_frame *wr_record_read_frame(wr_record_reader *reader, int index, wr_error *error);

// NULL: the body has none in this frame. number: of a surface.
WR_API const wr_record_surface *wr_frame_surface(const wr_frame *frame, int body, int number);
WR_API const wr_record_particles *wr_frame_particles(const wr_frame *frame, int body);
WR_API const wr_record_skinned *wr_frame_skinned(const wr_frame *frame, int body);

// --- shapes -----------------------------------------------------------------------------------

// The skin of a body of the head, NULL: none. number: of the body.
WR_API const wr_record_skin *wr_record_skin_of(const wr_record_info *info, int number);

// The asset that a body is made of, NULL: none; *scale, which may be NULL: against the asset's.
WR_API const wr_asset *wr_record_asset(const wr_record_info *info, const wr_record_body *body,
                                       float *scale);

// Rows of all weights, vertex_count * example_count, each of sum 1. Fails with a sentence that
// names neither frame nor body when an entry lies outside.
WR_API bool wr_record_fill_rows(const wr_record_weights *weights, int vertex_count,
                                int example_count, float *rows, wr_error *error);

// Surfaces of bodies in a frame: their points, or their assets skinned by their weights. Keeps
// the shape of every body until its weights change, so that what rests costs nothing.
typedef struct wr_reskin wr_reskin;

typedef struct wr_record_shape {
    const wr_vec3 *positions; // of the model, in the frame of the body's pose; NULL: as it is
    const wr_vec3 *normals;   // turned likewise; NULL when positions are, the model has none, or
                              // they were not asked for
    const wr_asset *asset;    // of a body with a rig, else NULL
    const float *rows;        // example weights of its simulation mesh; NULL: rest
    uint32_t version;         // counts the changes of this body's weights
    int owner;                // body that the weights are of: itself, unless it is a fragment
    int first;                // vertex of the asset's render mesh that it begins with
} wr_record_shape;

// info is a reader's or a world's, and outlives it.
WR_API WR_NODISCARD wr_reskin *wr_reskin_create(const wr_record_info *info, wr_error *error);
WR_API void wr_reskin_destroy(wr_reskin *reskin); // accepts NULL
// The shape of body `number`, which is `body` as wr_record_bodies tells. Valid until the next call
// for the same body, or until the frame is gone. Fails when points or weights are not those of its
// model.
WR_API bool wr_reskin_find(wr_reskin *reskin, const wr_frame *frame, int number,
                           const wr_record_body *body, bool with_normals, wr_record_shape *shape,
                           wr_error *error);

// --- sizes ------------------------------------------------------------------------------------

// The bytes of each kind of chunk, for reports. kinds of at least 16 entries; returns their number.
typedef struct wr_record_share {
    char kind[8];
    int64_t count, size;
} wr_record_share;
WR_API int wr_record_shares(const wr_record_reader *reader, wr_record_share *kinds);

#if defined(__cplusplus)
}
#endif
