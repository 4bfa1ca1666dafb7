// asset_view.h (internal): the shapes of an asset, and the studio in which they are drawn.
#pragma once

#include "wrought/asset_view.h"

#include "show.h"

// One shape at a time: rest, an example, or a point on the way to it.
typedef struct wri_asset_shape {
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
} wri_asset_shape;

// The asset must outlive the shape. Destroy also after failure.
bool wri_asset_shape_create(wri_asset_shape *shape, const wr_asset *asset, wr_tasks tasks,
                            wr_error *error);
void wri_asset_shape_destroy(wri_asset_shape *shape);

// The shape that has gone `share` of the way, [0, 1], to an example.
bool wri_asset_shape_pose(wri_asset_shape *shape, int example, float share, wr_error *error);

void wri_asset_shape_paint_examples(wri_asset_shape *shape); // by the shares of the examples
void wri_asset_shape_paint_handles(wri_asset_shape *shape);  // by the weights of all handles
void wri_asset_shape_paint_weight(wri_asset_shape *shape, int handle); // by the weight of one

// The surface of the simulation mesh in its present shape.
wr_model *wri_asset_shape_create_solid(const wri_asset_shape *shape, wr_error *error);

// --- the studio -------------------------------------------------------------------------------

// Contents of one picture.
typedef struct wri_asset_cell {
    wr_asset_pose pose;
    wr_asset_style style;
    bool behind; // seen from the other side
} wri_asset_cell;

struct wr_asset_view {
    wri_arena arena;
    const wr_asset *asset;
    wr_asset_style style;
    wri_asset_shape shape;
    wr_render *shaded, *wire; // created when first needed
    wr_model *ball;           // of a handle
    wr_model *solid;          // simulation mesh in the shape that was drawn last
    wri_array things;         // wr_render_thing
    wr_stage stage;
    wr_camera camera;
    wri_array points; // wr_vec3, what the camera has to see
    float floor_y;    // lowest point of the render mesh, metres; of the simulation mesh in its view
    float ball_radius; // metres
    wr_color floor;
    int width, height; // of a picture that is drawn
    int picture[2];    // width and height as the desc says
    int samples;
};

// Pixels of the pictures that follow.
void wri_asset_view_resize(wr_asset_view *view, int width, int height);
// Forgets what the camera has to see; adds a cell to it, whose shape is taken.
void wri_asset_view_clear(wr_asset_view *view);
bool wri_asset_view_add(wr_asset_view *view, const wri_asset_cell *cell, wr_error *error);
void wri_asset_view_aim(wr_asset_view *view, bool behind); // the camera, and the lamp with it
bool wri_asset_view_draw_cell(wr_asset_view *view, const wri_asset_cell *cell, uint8_t *pixels,
                              wr_error *error);

// Marks handles in a picture of weights (asset_marks.c), one or with -1 all: rings; where there is
// room their names and places at rest, and the axes of the model's frame.
bool wri_asset_view_mark(wr_asset_view *view, int handle, uint8_t *pixels, wr_error *error);
// "0.74 0.42 2.06": metres, as exactly as matters for a model of this extent.
const char *wri_place_text(char *out, size_t size, wr_vec3 place, float extent);

extern const float wri_asset_turn; // of the camera about +Y, radians
