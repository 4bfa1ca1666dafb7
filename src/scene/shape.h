// shape.h: from the words of a body to what collides, what it weighs and what is drawn.
#pragma once

#include "wrought/asset.h"
#include "wrought/rigid.h"
#include "wrought/scene.h"

#include "../file/keys.h"

// A model, an asset or a recipe of the scene, read or built once.
typedef struct wri_asset {
    const char *name;
    const char *path;
    wr_model *source;               // as read; NULL when it has a rig
    wr_asset *rigged;               // NULL for a plain model
    const wr_model *flat;           // one mesh, one frame; of one of the two
    const wr_skeleton *skeleton;    // found when a body first needs it; NULL: not yet, or none
    struct wr_skin_handles *joints; // behind it; NULL: it is of no skin
} wri_asset;

typedef struct wri_body_shape {
    wr_shape shape;          // arrays in the cache and the reader's arena
    wr_mass_properties mass; // for the given density; zero for planes and open static meshes
    const wr_model *model;   // flattened, scaled; to be drawn. NULL for planes
    int model_index;         // entry of the model in the cache
    wr_added_vertices added; // see wri_refine_shape
} wri_body_shape;

// Models made on the way (primitives, scaled assets) are kept here and shared by equal bodies, as
// are the convex pieces made of them.
typedef struct wri_model_cache {
    wri_array entries; // of cache_entry
    int *table;        // entry + 1 by hash of what it was made from, 0 is free
    size_t table_size; // a power of two
    int model_count;   // of those that bodies are drawn with
} wri_model_cache;

wri_model_cache wri_model_cache_create(const wr_allocator *allocator);
void wri_model_cache_destroy(wri_model_cache *cache); // with its models
// The number of a body's model among those that bodies are drawn with, -1: it has none.
int wri_model_cache_number(wri_model_cache *cache, const wri_body_shape *shape);
// These models by number; NULL: out of memory.
const wr_model **wri_model_cache_list(const wri_model_cache *cache, wri_arena *arena);

// The drawn model alone, for bodies without a shape.
bool wri_read_drawing(wri_reader *reader, wri_model_cache *cache, const wri_asset *asset,
                      double scale, wri_body_shape *out);
// shape NULL: the hull of the asset. asset NULL: primitives only. Fails with a sentence at `at`.
bool wri_read_shape(wri_reader *reader, wri_model_cache *cache, const wri_json *shape,
                    const wri_json *at, const wri_asset *asset, double scale, double density,
                    bool moving, wri_body_shape *out);

// Gives static meshes whose shells are closed and convex these as solid pieces, which are found and
// touched faster than triangles, unless a body begins inside of one.
void wri_make_solid(wri_reader *reader, wri_model_cache *cache, wr_scene_body *bodies, int count);

// Gives a shape a finer model, without edges longer than `length` metres, where it has some; what
// collides stays. *reached: `length`, or more, how long edges may still be, where the model would
// have become too large.
bool wri_refine_shape(wri_reader *reader, wri_model_cache *cache, double length,
                      wri_body_shape *shape, double *reached);
