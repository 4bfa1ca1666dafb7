// export.h (internal): the part of a take that is exported: bodies, their poses, a model of them.
#pragma once

#include "show.h"

#include "../geometry/profiles.h"

typedef struct wri_export_body {
    int number; // in the recording
    wr_record_body body;
    int first, last;            // pictures in which it is there
    bool bends;                 // its points or example weights are recorded
    int changes;                // frames in which they differ from those before, perhaps
    const wr_record_skin *skin; // its bones are recorded in all frames; NULL: not
    wr_pose *poses;             // one per picture; before its birth that of its birth
    bool *hidden;               // per picture: a surface of number 0 is shown instead; NULL: never
} wri_export_body;

// A colour in which something is shown, and its looks in the export's model.
typedef struct wri_export_tint {
    wr_color color; // besides the body's
    int first_look; // of those of the body's model
    int plain_look; // of what has none
} wri_export_tint;

// A surface of a body whose topology may change, or its particles.
typedef struct wri_export_film {
    int number; // of the body, in the recording
    wr_record_body body;
    int surface;   // its number, -1: particles
    bool is_cloud; // particles as they are, not the surface around them
    bool in_world; // else in the frame of the body's pose
    const char *name;
    wr_pose *poses;  // one per picture
    bool *shown;     // per picture
    wri_array tints; // wri_export_tint
    wr_box box;      // in the world, over all pictures
} wri_export_film;

// Looks of the recording that the export's model has, as a body shows them.
typedef struct wri_export_source {
    const wr_look *looks; // lists of a model of the recording
    const wr_image *images;
    wr_look_change change;
    wr_color color;
    int first_look, first_image; // where they are in the export's model
} wri_export_source;

// A camera of the take, which may go along with a body.
typedef struct wri_export_view {
    int node;       // of the export's model
    wr_pose *poses; // one per picture
    float focus;    // metres to what it looks at in the first picture
} wri_export_view;

typedef struct wri_export {
    wr_take *take;
    const char *path;
    const wr_export_desc *desc;
    wri_arena arena;
    const wr_record_info *info;
    wr_schedule schedule;
    int body_count;
    wri_export_body *bodies; // those that are seen and wanted, of which a model is
    int film_count;
    wri_export_film *films; // of bodies that are wanted
    // A node per body, where it is in the first picture. Bodies of the same model and tint share a
    // mesh; those that bend have their own.
    wr_model *model;
    int view_count;
    wri_export_view *views; // of wri_export_add_stage
    int source_count;
    wri_export_source *sources;
    wr_export_report report;
    wr_error *error;
} wri_export;

// Reads the poses of all pictures and chooses the bodies.
bool wri_export_scan(wri_export *e);
bool wri_export_build_model(wri_export *e);
// The take's cameras and lights, at nodes behind those of the bodies; of a flat stage no lights,
// which shows colours as they are. The sky is a light if it is wanted.
bool wri_export_add_stage(wri_export *e, bool with_sky);
float wri_export_reach(const wri_export *e); // metres: all that is drawn is within, and more
bool wri_export_wants(const wri_export *e, const char *name); // a body's
static inline bool wri_export_shows(const wri_export_body *body, int picture)
{
    return picture >= body->first && picture <= body->last &&
           !(body->hidden && body->hidden[picture]);
}
float wri_model_size(const wr_model *model); // the diagonal of its box

// Frame of a picture of the schedule.
const wr_frame *wri_export_frame(wri_export *e, int picture);
// The shape of a body in a frame.
bool wri_export_shape(wri_export *e, const wr_frame *frame, const wri_export_body *body,
                      bool with_normals, wr_record_shape *shape);
bool wri_export_cancel(const wri_export *e); // fails: nothing was written

// --- bodies that bend -------------------------------------------------------------------------

typedef struct wri_bend {
    const wri_export_body *body;
    const wr_mesh *rest;
    wri_holds holds; // of its vertices
    bool in_bind;    // they are in the bind pose of its skin, and there are bones:
    wr_pose *bones;  // picture after picture, from the bind pose to the world
    wr_vec3 *now;    // working memory
    wri_arena arena; // of all this
} wri_bend;

// Reads how bodies bend, as many together as the memory is for, and calls fn for each such group,
// which may take the arenas. in_bind: those of bodies with a skin are in its bind pose.
typedef bool wri_bends_fn(void *context, wri_bend *bends, int count);
bool wri_export_bends(wri_export *e, bool in_bind, wri_bends_fn *fn, void *context);

// --- films ------------------------------------------------------------------------------------

// Adds the films that a picture has to those found before.
bool wri_export_note_films(wri_export *e, wri_array *films, const wr_frame *frame, int picture);
bool wri_export_has_clouds(const wri_export *e);
// Mesh of a film in a picture, whose frame is given; without triangles where it is not there. It is
// in the frame of its poses, or in the world. Holds until the frame or the memory is gone.
bool wri_export_film_mesh(wri_export *e, const wri_export_film *film, const wr_frame *frame,
                          int picture, bool to_world, wri_pieces *memory, wr_mesh *mesh);
bool wri_export_film_cloud(wri_export *e, const wri_export_film *film, const wr_frame *frame,
                           int picture, bool to_world, wri_arena *arena, wr_ply_cloud *cloud);
bool wri_same_topology(const wr_mesh *a, const wr_mesh *b);
// Copies what it holds into the arena, but for triangles that are those of `before`, which may be
// NULL. False: out of memory.
bool wri_mesh_keep(wr_mesh *mesh, const wr_mesh *before, wri_arena *arena);
bool wri_particles_keep(wr_particles *particles, wri_arena *arena);

// --- baking -----------------------------------------------------------------------------------

// The meshes of a take in one frame of the world, picture after picture. Vertices that no triangle
// uses are left out: some programs drop them while reading, and would then count differently.
typedef struct wri_bake {
    wri_export *owner;
    wr_model *model;              // a node per body, without transforms
    wr_vec3 *positions, *normals; // of all bodies, one after the other
    int vertex_count;
    bool with_normals;    // those of bodies that bend are turned; true when created
    int **sources;        // by mesh of the export's model: which vertex each one was
    wri_pieces pieces;    // the films of a picture, whose nodes are behind those of the bodies
    wr_ply_cloud *clouds; // of the picture
    int cloud_count;
} wri_bake;

bool wri_bake_create(wri_bake *bake, wri_export *e); // destroy also after failure
void wri_bake_destroy(wri_bake *bake);
// Bodies that are not there: hide true takes their nodes' meshes away, false lets them shrink to
// a point, so that the number of vertices stays.
bool wri_bake_picture(wri_bake *bake, int picture, bool hide);

// --- files ------------------------------------------------------------------------------------

typedef bool wri_export_fn(wri_export *e);
wri_export_fn wri_export_glb, wri_export_usd, wri_export_cache, wri_export_sequence,
    wri_export_sprites;

// True when a file that comes along with an output may be written: there is none, Wrought wrote the
// one that is there, or replace.
bool wri_check_beside(const char *path, bool replace, wr_error *error);
// The same for the pictures of a model written to path, and for its material library (NULL: none).
bool wri_check_looks(const wr_model *model, const char *path, const char *library, bool replace,
                     wr_error *error);
bool wri_check_obj(const wr_model *model, const char *path, bool replace, wr_error *error);
