// recipe.h (internal): the words of a recipe as raw structs, and the tables that fill them.
#pragma once

#include "wrought/recipe.h"

#include "../file/keys.h"

typedef struct raw_recipe {
    int version;
    const char *name, *model, *inside;
    int unit, up;  // indices into wri_unit_words and wri_up_words, -1: not said
    double refine; // longest edge, as a share of the model's size; negative: not said
    const wri_json *simulation, *handles, *examples, *clips, *material, *paint, *cuts;
    const wri_json *layers, *sheet, *pins, *morph, *objects;
} raw_recipe;

typedef struct raw_layer {
    const char *name, *image;
    int at[2]; // pixels: of its upper left corner on the canvas, from the canvas's, y down
} raw_layer;

typedef struct raw_sheet {
    const char *image, *data;
    int grid[2]; // columns, rows; 0 0: not said
    int cell;    // number of the cell that is the drawing
} raw_sheet;

typedef struct raw_pin {
    const char *name, *layer, *to;
    wr_vec3 at;
} raw_pin;

typedef struct raw_simulation {
    int vertices, smoothing;
    bool separate;
    const char *mesh; // tetrahedra of the artist, NULL: a lattice
    double trim;      // size of shells that are joined with those they touch, as a part of them
    double pixel;     // metres, of pictures
} raw_simulation;

typedef struct raw_handles {
    int automatic;
    const wri_json *place;
    const char *graph, *weights;
    bool skin;
} raw_handles;

// A place in numbers, or in words: towards the front (1) or rear (-1), left or right, top or
// bottom.
typedef struct wri_spot {
    wr_vec3 at;
    bool is_named;
    int way[3]; // ahead, left, up
} wri_spot;

// Reads words such as "front left top"; false where one is unknown or two contradict each other.
bool wri_spot_read_words(const char *text, int way[3]);

typedef struct raw_place {
    const char *name, *layer; // layer NULL: the front one there
    wri_spot at;
    const char *node; // instead of at: a node of the model; NULL: none
    bool mirror;      // another one stands on the other side
    bool is_mirrored; // this is that other one, of the place before
    const wri_json *json;
} raw_place;

typedef struct raw_recording {
    const char *file, *scene, *body; // file or scene, the other is NULL
    int frame;                       // -1: not said
    double time;                     // -1: not said
} raw_recording;

// What is not said is as its place has it.
typedef struct raw_crush {
    int place;             // wr_crush_place
    int shape;             // wr_crush_shape, -1: not said
    const char *tool;      // file of a mesh that presses, NULL: not said
    const wri_json *rigid; // list of words, NULL: none
    wr_vec3 direction, axis, at;
    double depth, size, hold, cell; // -1: not said
} raw_crush;

typedef struct raw_example {
    const char *name;
    const wri_json *move, *turn, *scale, *recording, *crush;
    bool follow;
    const char *clip, *morph, *sculpt;
    double time, amount; // time -1: the last key
} raw_example;

typedef struct raw_paint {
    int vertex_color;      // index into wri_channel_words, -1: not said
    const char *picture;   // a file with the model's texture coordinates
    const wri_json *parts; // names of parts of the model; one of these three, others are not said
    int channel;
    double from, to;
} raw_paint;

typedef struct raw_morph {
    double stiffness; // Pa
    double poisson, smoothing, rounding;
    int modes;
    bool stvk;
    const wri_json *scalars, *targets, *paint;
} raw_morph;

typedef struct raw_target {
    const char *target, *clip;
    double time;             // -1: the last key
    const wri_json *scalars; // NULL: all 0
    double stiffness;        // factor
    const wri_json *paint;
    double poisson; // -1: as of all
} raw_target;

typedef struct raw_plane {
    wr_vec3 normal, at;
} raw_plane;

typedef struct raw_cut {
    const wri_json *plane, *seeds, *groups, *parts; // one of these, or scatter; others are NULL
    int scatter, seed;                              // 0: not said
    double strength;
} raw_cut;

extern const char *const wri_channel_words[]; // "red", "green", "blue", "alpha", NULL
extern const wri_table wri_recipe_table, wri_simulation_table, wri_handles_table, wri_place_table,
    wri_example_table, wri_recording_table, wri_crush_table, wri_paint_table, wri_cut_table,
    wri_plane_table, wri_layer_table, wri_sheet_table, wri_pin_table, wri_morph_table,
    wri_target_table;
extern const wri_table *const wri_recipe_chapters[]; // chapters of the reference; the recipe itself
                                                     // first
extern const int wri_recipe_chapter_count;
extern const wri_key wri_offset_key; // key of a moved handle
extern const wri_key wri_scale_key;  // key of a scaled one

// The frame of a recording that is wanted, -1: the last.
int wri_recording_frame(const raw_recording *raw, double rate);

// A turn of a handle; of drawings also a number, degrees about z.
bool wri_recipe_read_turn(wri_reader *reader, const wri_json *value, wr_quat *out);

// The motion that an artist gives to a handle: moved, turned or scaled.
typedef struct wri_move {
    const wri_json *json; // its line, for messages
    const char *handle;
    bool has_offset, has_rotation, has_scale;
    wr_vec3 offset;
    wr_quat rotation;
    wr_vec2 scale;
} wri_move;

typedef struct wri_recipe_example {
    const wri_json *json;
    raw_example raw;
    raw_recording recording;
    raw_crush crush;
    const char *simulated; // recording of its scene, NULL: not yet
    wri_move *moves;
    int move_count;
    bool is_scaled; // the whole of it
    wr_vec2 scale;
} wri_recipe_example;

// Layers and pins with the places that sentences about them name.
typedef struct wri_recipe_layer {
    const wri_json *json;
    raw_layer raw;
} wri_recipe_layer;

typedef struct wri_recipe_pin {
    const wri_json *json;
    raw_pin raw;
    int layer, to; // layers
} wri_recipe_pin;

typedef struct wri_recipe_paint {
    const wri_json *json; // NULL: not painted
    raw_paint raw;
} wri_recipe_paint;

// A morph target that belongs to a pose.
typedef struct wri_recipe_target {
    const wri_json *json;
    raw_target raw;
    const float *scalars;   // one per scalar of the recipe
    wri_recipe_paint paint; // factor on its stiffness
} wri_recipe_target;

typedef struct wri_recipe_cut {
    const wri_json *json;
    raw_cut raw;
    raw_plane plane;
    wr_vec3 *seeds; // as many as raw.seeds has
} wri_recipe_cut;

struct wr_recipe {
    wri_arena arena; // the recipe itself and its JSON live in it
    const char *path, *folder;
    const wri_json *root;
    raw_recipe raw;
    raw_simulation simulation;
    raw_handles handles;
    raw_place *places;
    int place_count;
    wri_recipe_layer *layers;
    int layer_count;
    raw_sheet sheet;
    wri_recipe_pin *pins;
    int pin_count;
    wri_recipe_example *examples;
    int example_count;
    wri_recipe_paint paint[WR_MAP_COUNT];
    wri_recipe_cut *cuts;
    int cut_count;
    raw_morph morph; // where raw.morph is there
    const char **scalars;
    float *scalar_scales;
    int scalar_count;
    wri_recipe_paint morph_paint; // factor on the stiffness of all targets
    wri_recipe_target *targets;   // the first is the model itself
    int target_count;
    const char *material;
    uint64_t text_hash;
    bool follow_links; // of models
};

// The file that a recipe names, relative to its folder; NULL when out of memory.
const char *wri_recipe_file(const wr_recipe *recipe, wri_arena *arena, const char *name);

// True when a model is a picture, by its name.
bool wri_is_picture(const char *name);

// True when it becomes flat: a picture, layers of pictures or a sheet of them.
bool wri_recipe_is_drawing(const wr_recipe *recipe);

// Reads what a recipe says about cuts (recipe_cuts.c).
bool wri_recipe_read_cuts(wri_reader *reader, wr_recipe *recipe);
// A list of names of parts of the model, which are looked up when that is read.
bool wri_recipe_check_parts(wri_reader *reader, const wri_json *list);

// The number of a layer by its name; -1 and a sentence at a place of the recipe.
int wri_recipe_find_layer(wri_reader *reader, const wr_recipe *recipe, const wri_json *at,
                          const char *key, const char *name);

// Read what a recipe says about drawings (recipe_drawing.c); places have been read before pins are.
bool wri_recipe_read_source(wri_reader *reader, wr_recipe *recipe);
bool wri_recipe_read_pins(wri_reader *reader, wr_recipe *recipe);

// What a recipe says about morph targets and poses (recipe_morph.c).
bool wri_recipe_read_morph(wri_reader *reader, wr_recipe *recipe);
// Reads one factor that varies over the surface; `paint` may have been read before.
bool wri_recipe_read_paint(wri_reader *reader, const wri_json *member, wri_recipe_paint *paint);

// A key that was said where it has no effect.
bool wri_refuse_key(wri_reader *reader, const wri_json *object, const char *key, bool refused,
                    const char *why);
// "kind "name"", for messages.
const char *wri_recipe_quoted(wri_reader *reader, const char *kind, const char *name);

// Returns the options by which the recipe wants its model files read.
wr_read_options wri_recipe_read_options(const wr_recipe *recipe);
