// take.h: the part of a recording that is exported: bodies, their poses, and a model of them.
#pragma once

#include "cli.h"

typedef struct cli_take_body {
    int number; // in the recording
    wr_record_body body;
    int first, last; // pictures in which it is there
    bool bends;      // its points or example weights are recorded
    wr_pose *poses;  // one per picture; before its birth that of its birth
} cli_take_body;

typedef struct cli_take {
    const cli_export_options *options;
    wri_arena arena;
    wr_record_reader *reader;
    wr_reskin *reskin;
    const wr_record_info *info;
    cli_schedule schedule;
    int body_count;
    cli_take_body *bodies; // those that are seen and wanted
    // A node per body, where it is in the first picture. Bodies of the same model and tint share a
    // mesh; those that bend have their own.
    wr_model *model;
    bool interrupted;
    wr_error error;
} cli_take;

// Reads the poses of all pictures. False: failed, or interrupted.
bool cli_take_open(cli_take *take, const cli_export_options *options);
void cli_take_close(cli_take *take);
// Says why, and returns the status to exit with.
int cli_take_failed(const cli_take *take);

// What a body looks like in a frame.
bool cli_take_shape(cli_take *take, const wr_frame *frame, const cli_take_body *body,
                    bool with_normals, wr_record_shape *shape);
// The points of a body that bends in all pictures, picture after picture, in the arena.
bool cli_take_read_points(cli_take *take, const cli_take_body *body, wri_arena *arena,
                          wr_vec3 **points);
bool cli_take_build_model(cli_take *take);   // part of open
float cli_model_size(const wr_model *model); // the diagonal of its box

// The meshes of a take in one frame of the world, picture after picture. Vertices that no triangle
// uses are left out: some programs drop them while reading, and would then count differently.
typedef struct cli_bake {
    cli_take *take;
    wr_model *model;              // a node per body, without transforms
    wr_vec3 *positions, *normals; // of all bodies, one after the other
    int vertex_count;
    bool with_normals; // those of bodies that bend are turned; true when created
    int **sources;     // by mesh of the take's model: which vertex each one was
} cli_bake;
bool cli_bake_create(cli_bake *bake, cli_take *take);
void cli_bake_destroy(cli_bake *bake);
// Bodies that are not there: hide true takes their nodes' meshes away, false lets them shrink to
// a point, so that the number of vertices stays.
bool cli_bake_picture(cli_bake *bake, int picture, bool hide);

// What each kind of file does; returns the exit status.
int cli_export_glb(cli_take *take);
int cli_export_usd(cli_take *take);
int cli_export_cache(cli_take *take);
int cli_export_sequence(cli_take *take);
int cli_export_sheet(cli_take *take);
