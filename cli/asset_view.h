// asset_view.h: the shapes of an asset, made ready for pictures.
#pragma once

#include "cli.h"

// One shape at a time: rest, an example, or a point on the way to it.
typedef struct cli_asset_view {
    const wr_asset *asset; // not owned
    wr_skin *skin;
    wri_arena arena;
    wr_tasks tasks;
    float *E;            // rows of the simulation vertices
    wr_vec3 *x;          // of the simulation mesh
    wr_vec3 *rest;       // of the render mesh, as it rides on the simulation mesh at rest
    wr_vec3 *positions;  // of the render mesh
    wr_vec3 *normals;    // likewise; NULL when the mesh has none
    wr_color *colors;    // what the paint functions leave
    wr_vec3 *pivots;     // of the handles
    double largest_move; // metres, of a vertex of the render mesh from rest
    wr_color *handle_colors;
    wr_mat3 *F; // this and the next two: working memory
    wr_mat34 *transforms;
    float *row;
} cli_asset_view;

// The asset must outlive the view. Destroy also after failure.
bool cli_asset_view_create(cli_asset_view *view, const wr_asset *asset, wr_tasks tasks,
                           wr_error *error);
void cli_asset_view_destroy(cli_asset_view *view);

// The shape that has gone `share` of the way, [0, 1], to an example.
bool cli_asset_view_pose(cli_asset_view *view, int example, float share, wr_error *error);

void cli_asset_view_paint_examples(cli_asset_view *view);           // by the shares of the examples
void cli_asset_view_paint_handles(cli_asset_view *view);            // by the weights of all handles
void cli_asset_view_paint_weight(cli_asset_view *view, int handle); // by the weight of one

// The surface of the simulation mesh in its present shape.
wr_model *cli_asset_view_create_solid(const cli_asset_view *view, wr_error *error);

// An example or handle by its name; -1 with a sentence that suggests the nearest.
int cli_find_example(const wr_asset *asset, const char *path, const char *name, wr_error *error);
int cli_find_handle(const wr_asset *asset, const char *path, const char *name, wr_error *error);

// All examples of an asset with a flat rig, each in the largest circle that fits into a picture of
// size x size pixels with alpha, at one scale. They live in the arena.
const uint8_t *const *cli_pose_pictures(const wr_asset *asset, int size, int threads,
                                        wri_arena *arena, wr_error *error);
