// build.h: what the stages of building an asset share.
#pragma once

#include "build_memo.h"
#include "cut.h"
#include "recipe.h"
#include "sheet.h"

#include "wrought/example.h"

enum { WRI_DRAWING_PIXELS = 1 << 26 }; // limit for all pictures of a drawing together: 8192 x 8192

// The rim that is drawn around the simulation mesh of a layer; vertices of the layer count from its
// first.
typedef struct wri_rim {
    int vertex_count;
    wr_vec3 *places; // metres on the canvas
    int *roots;      // a vertex of the layer near each
    int triangle_count;
    int (*triangles)[3]; // vertices of the layer, then those of the rim
} wri_rim;

// One picture of a drawing. A picture alone, and the first cell of a sheet, are a drawing of one
// layer.
typedef struct wri_drawing_layer {
    const char *name;
    wr_image image;     // its name is that of the file
    int x, y;           // pixels: its lower left corner on the canvas, y up
    const wri_json *at; // place that sentences about it point to
    int first_vertex, vertex_count, first_element, element_count; // ranges of the lattice
    int *elements;          // elements of that range, vertices counted from first_vertex
    wr_handle_set *handles; // vertices counted likewise; NULL: they come out of a graph
    int *handle_of;         // handle of the rig of each of them
    wri_rim rim;
} wri_drawing_layer;

// Points that must become vertices, metres on the canvas.
typedef struct wri_points {
    wr_vec3 *items;
    int *layers; // layer of each, in a drawing
    int count;
} wri_points;

typedef struct wri_press wri_press; // an example that is pressed

typedef struct wri_builder {
    const wr_recipe *recipe;
    wr_build_desc desc;
    wr_build_report *report;   // never NULL
    wri_reader reader;         // reader for sentences about places in the recipe
    wri_arena arena;           // lives as long as the building
    wri_memo memo;             // of slow functions
    uint64_t rig_key;          // of the rig without examples, once it is there
    wr_model *source;          // the model as read; NULL when a picture is built
    wr_model **finer;          // of each of its meshes that was refined, whose memory it uses
    wri_drawing_layer *layers; // layers of a drawing
    int layer_count;           // 0: a model is built
    int canvas[2];             // pixels, of a drawing: width, height
    wri_sheet sheet;           // cells NULL unless a sheet is built
    wr_image sheet_picture;
    int64_t pixels_left;       // pixels that pictures of a drawing may still have
    wr_lattice *lattice;       // the simulation mesh, ours or the artist's
    const wr_vec3 *spots;      // metres: where the placed handles are
    wr_handle_set *handles;    // placed, or out of a graph; NULL when
    wr_skin_handles *joints;   // they are the joints of the model's skin
    const char **names;        // names of the handles
    const wri_json *at_handle; // the place of a handle that a sentence is about, NULL: of all
    const char *where;         // what it is then, NULL: "handles"
    wr_asset *asset;           // the result
    bool is_long;              // and the log knows
    double example_start, example_share; // of the whole work: the example that is built now
    wri_press *presses;                  // of every example, NULL: none was pressed yet
} wri_builder;

// Seconds that building takes, roughly: times of barrels with 10 000 to 40 000 vertices and 16 to
// 200 handles, which grow with the vertices to the power 1.3.
double wri_build_seconds(int vertices, int handles, int workers);
// Tells the log, once, when that is more than a minute.
void wri_build_tell_duration(wri_builder *b, int vertices, int handles);

// Stages in their order; each says in one sentence why it cannot go on.
bool wri_build_model(wri_builder *b);      // source, asset with its render mesh
bool wri_build_simulation(wri_builder *b); // lattice, handles, rig without examples
bool wri_build_examples(wri_builder *b);
bool wri_build_clips(wri_builder *b);
bool wri_build_maps(wri_builder *b);
bool wri_build_morph(wri_builder *b); // what bodies of morph are made of
bool wri_build_cuts(wri_builder *b);  // the last: it changes rig and render mesh

// Where the placed handles of a model are, one after the other (build_places.c).
bool wri_find_spots(wri_builder *b, wr_vec3 *spots, wr_error *why);
// The handle of the rig that is nearest to a place in words; -1: these are no such words, or it is
// a drawing.
int wri_find_handle_in_words(const wri_builder *b, const char *words);

// True when a node, one above it, or its mesh has this name, or begins with it where it ends in a
// star (build_cut_parts.c).
bool wri_node_is_called(const wr_model *model, int node, const char *pattern);
// Leaves the objects of a model that go by one of these names; the others have no mesh any more.
// No names: leaves all.
bool wri_choose_objects(wr_model *model, const char *const *names, int count, wr_error *why);
// The same with the names that the recipe says.
bool wri_choose_named(wri_builder *b, wr_model *model, wr_error *why);

// The part of each triangle of the render mesh: the first of the names that names it, or count
// (build_cut_parts.c).
bool wri_build_find_parts(wri_builder *b, const char *const *names, int count, int *parts,
                          wr_error *why);
// The functions of a cut by parts of the model (likewise).
bool wri_build_cut_parts(wri_builder *b, const wr_cut *cut, wri_cut_field *field, wr_error *why);

// A painted value in [0, 1] per vertex of the render mesh (build_maps.c).
bool wri_build_surface(wri_builder *b, const raw_paint *raw, float *surface, wr_error *why);

// A part of the progress of the whole, for whoever does the work of a stage.
typedef struct wri_stage_progress {
    wri_builder *b;
    double from, to; // part of the whole work
} wri_stage_progress;
wr_progress wri_part_of_progress(wri_stage_progress *p);

// A clip of the model for handles that are joints of its skin, arrays in the arena, name the
// model's (clip_import.c). size: of the model, metres, for how near is near. Fails where
// wr_poses_from_clip does.
bool wri_clip_import(const wr_model *model, int clip, const wr_skin_handles *joints, double size,
                     wri_arena *arena, wr_rig_clip *out, wr_error *error);

// Reads a picture into the arena. Fails on what is no picture, and on one with more than
// *pixels_left pixels, which it takes off; the sentence names the file.
bool wri_read_picture(wri_arena *arena, const char *path, int64_t *pixels_left, wr_image *image,
                      wr_error *why);

// The picture and the cells of a sheet, the first of which becomes the layer's image; and the cells
// after it as examples 1, 2, ... (build_sheet.c).
bool wri_build_sheet(wri_builder *b, wri_drawing_layer *layer, wr_error *why);
bool wri_build_cells(wri_builder *b, wr_error *why);
// The picture that the data of a sheet names, as the recipe would; NULL: none, or out of memory.
const char *wri_sheet_picture(const wr_recipe *recipe, wri_arena *arena, const wri_sheet *sheet);

// Finds poses, correctives and details of an example that goes through targets.
bool wri_build_fit(wri_builder *b, const wr_fit_desc *wish, wr_example *out,
                   wr_example_report *report, wr_error *why);

// Where the vertices of the render mesh are in a crush (build_crush.c). The first that is asked for
// presses all.
bool wri_build_crush(wri_builder *b, const wri_recipe_example *example, wr_vec3 **shape,
                     wr_error *why);

// Starts a recipe for a drawing (recipe_new_drawing.c).
char *wri_recipe_new_drawing(const wr_recipe_start *start, bool is_sheet, size_t *size,
                             wr_error *error);

// A warning for whoever builds: "file: sentence".
bool wri_build_warn(wri_builder *b, const char *format, ...) WRI_PRINTF(2, 3);

// Stages of a drawing (build_layers.c): pictures; the simulation mesh of all layers with vertices
// at the points; the render mesh.
bool wri_build_layers(wri_builder *b, wr_error *why);
bool wri_mesh_layers(wri_builder *b, const wri_points *given, const wr_progress *progress,
                     wr_error *why);
bool wri_draw_layers(wri_builder *b, wr_error *why);
bool wri_find_rim(wri_builder *b, wri_drawing_layer *layer, wr_error *why); // build_rim.c
// Returns alpha in [0, 255], linear between the middles of pixels, y up; 0 outside.
double wri_alpha_between(const wr_image *image, double x, double y);
// The front layer that has something there, else the one that has something nearest to it.
int wri_layer_at(const wri_builder *b, wr_vec3 at);

// Stages of a drawing without a graph (build_pins.c): handles of all layers, given the vertices of
// those placed; weights within layers; pins.
bool wri_place_layer_handles(wri_builder *b, const int *placed, wr_error *why);
bool wri_find_layer_weights(wri_builder *b, wr_rig *rig, const wr_progress *progress,
                            wr_error *why);
bool wri_build_pins(wri_builder *b, wr_error *why);
// Finds poses of all handles of a drawing in layers (example_layers.c), like wr_example_from_moves;
// layers that hang by pins go along.
bool wri_pose_layers(const wri_builder *b, const wr_handle_move *moves, int count, bool follow,
                     wr_handle_pose *poses, wr_error *why);

// Reports how far the whole is, in [0, 1].
void wri_build_progress(wri_builder *b, const char *stage, double done);

// Says what an inner function said, at a place of the recipe; always false.
bool wri_build_fail(wri_builder *b, const wri_json *at, const char *where, const wr_error *why);
