// export.h (internal): the part of a take that is exported: bodies, their poses, a model of them.
#pragma once

#include "show.h"

typedef struct wri_export_body {
    int number; // in the recording
    wr_record_body body;
    int first, last; // pictures in which it is there
    bool bends;      // its points or example weights are recorded
    wr_pose *poses;  // one per picture; before its birth that of its birth
} wri_export_body;

typedef struct wri_export {
    wr_take *take;
    const char *path;
    const wr_export_desc *desc;
    wri_arena arena;
    const wr_record_info *info;
    wr_schedule schedule;
    int body_count;
    wri_export_body *bodies; // those that are seen and wanted
    // A node per body, where it is in the first picture. Bodies of the same model and tint share a
    // mesh; those that bend have their own.
    wr_model *model;
    wr_export_report report;
    wr_error *error;
} wri_export;

// Reads the poses of all pictures and chooses the bodies.
bool wri_export_scan(wri_export *e);
bool wri_export_build_model(wri_export *e);
float wri_model_size(const wr_model *model); // the diagonal of its box

// Of a picture of the schedule.
const wr_frame *wri_export_frame(wri_export *e, int picture);
// The shape of a body in a frame.
bool wri_export_shape(wri_export *e, const wr_frame *frame, const wri_export_body *body,
                      bool with_normals, wr_record_shape *shape);
// The points of a body that bends in all pictures, picture after picture, in the arena.
bool wri_export_read_points(wri_export *e, const wri_export_body *body, wri_arena *arena,
                            wr_vec3 **points);
bool wri_export_cancel(const wri_export *e); // fails: nothing was written

// --- baking -----------------------------------------------------------------------------------

// The meshes of a take in one frame of the world, picture after picture. Vertices that no triangle
// uses are left out: some programs drop them while reading, and would then count differently.
typedef struct wri_bake {
    wri_export *owner;
    wr_model *model;              // a node per body, without transforms
    wr_vec3 *positions, *normals; // of all bodies, one after the other
    int vertex_count;
    bool with_normals; // those of bodies that bend are turned; true when created
    int **sources;     // by mesh of the export's model: which vertex each one was
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

// Whether a file that comes along with an output may be written: there is none, Wrought wrote the
// one that is there, or replace.
bool wri_check_beside(const char *path, bool replace, wr_error *error);
// The same for the pictures of a model written to path, and for its material library (NULL: none).
bool wri_check_looks(const wr_model *model, const char *path, const char *library, bool replace,
                     wr_error *error);
bool wri_check_obj(const wr_model *model, const char *path, bool replace, wr_error *error);
