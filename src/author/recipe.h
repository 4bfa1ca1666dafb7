// recipe.h (internal): the words of a recipe as raw structs, and the tables that fill them.
#pragma once

#include "wrought/recipe.h"

#include "../file/keys.h"

typedef struct raw_recipe {
    int version;
    const char *name, *model;
    int unit, up; // indices into wri_unit_words and wri_up_words, -1: not said
    const wri_json *simulation, *handles, *examples, *material, *paint, *cuts;
} raw_recipe;

typedef struct raw_simulation {
    int vertices, smoothing;
    bool separate;
    const char *mesh; // tetrahedra of the artist, NULL: a lattice
    double pixel;     // metres, of pictures
} raw_simulation;

typedef struct raw_handles {
    int automatic;
    const wri_json *place;
    const char *graph, *weights;
    bool skin;
} raw_handles;

typedef struct raw_place {
    const char *name;
    wr_vec3 at;
} raw_place;

typedef struct raw_recording {
    const char *file, *scene, *body; // file or scene, the other is NULL
    int frame;                       // -1: not said
    double time;                     // likewise
} raw_recording;

typedef struct raw_example {
    const char *name;
    const wri_json *move, *turn, *recording;
    bool follow;
    const char *clip, *morph, *sculpt;
    double time, amount; // time -1: the last key
} raw_example;

typedef struct raw_paint {
    int vertex_color;    // index into wri_channel_words, -1: not said
    const char *picture; // a file with the model's texture coordinates
    int channel;
    double from, to;
} raw_paint;

typedef struct raw_plane {
    wr_vec3 normal, at;
} raw_plane;

typedef struct raw_cut {
    const wri_json *plane;
    double strength;
} raw_cut;

extern const char *const wri_channel_words[]; // "red", "green", "blue", "alpha", NULL
extern const wri_table wri_recipe_table, wri_simulation_table, wri_handles_table, wri_place_table,
    wri_example_table, wri_recording_table, wri_paint_table, wri_cut_table, wri_plane_table;
extern const wri_key wri_offset_key; // of a moved handle

// How far a handle is moved or turned.
typedef struct wri_move {
    const wri_json *json; // its line, for messages
    const char *handle;
    bool has_offset, has_rotation;
    wr_vec3 offset;
    wr_quat rotation;
} wri_move;

typedef struct wri_recipe_example {
    const wri_json *json;
    raw_example raw;
    raw_recording recording;
    const char *simulated; // recording of its scene, NULL: not yet
    wri_move *moves;
    int move_count;
} wri_recipe_example;

typedef struct wri_recipe_paint {
    const wri_json *json; // NULL: not painted
    raw_paint raw;
} wri_recipe_paint;

struct wr_recipe {
    wri_arena arena; // the recipe itself and its JSON live in it
    const char *path, *folder;
    const wri_json *root;
    raw_recipe raw;
    raw_simulation simulation;
    raw_handles handles;
    raw_place *places;
    int place_count;
    wri_recipe_example *examples;
    int example_count;
    wri_recipe_paint paint[WR_MAP_COUNT];
    wr_cut *cuts;
    int cut_count;
    const char *material;
    uint64_t text_hash;
};

// The file that a recipe names, relative to its folder; NULL when out of memory.
const char *wri_recipe_file(const wr_recipe *recipe, wri_arena *arena, const char *name);

// Whether a model is a picture, by its name.
bool wri_is_picture(const char *name);

// How the recipe wants its model files read.
wr_read_options wri_recipe_read_options(const wr_recipe *recipe);
