// build.h: what the stages of building an asset share.
#pragma once

#include "recipe.h"

#include "wrought/example.h"

typedef struct wri_builder {
    const wr_recipe *recipe;
    wr_build_desc desc;
    wr_build_report *report;   // never NULL
    wri_reader reader;         // for sentences about places in the recipe
    wri_arena arena;           // lives as long as the building
    wr_model *source;          // as read; NULL when a picture is built
    wr_image picture;          // pixels NULL unless a picture is built
    wr_lattice *lattice;       // the simulation mesh, ours or the artist's
    wr_handle_set *handles;    // placed, or out of a graph; NULL when
    wr_skin_handles *joints;   // they are the joints of the model's skin
    const char **names;        // of the handles
    const wri_json *at_handle; // the place of a handle that a sentence is about, NULL: of all
    wr_asset *asset;           // what comes out
} wri_builder;

// Stages in their order; each says in one sentence why it cannot go on.
bool wri_build_model(wri_builder *b);      // source, asset with its render mesh
bool wri_build_simulation(wri_builder *b); // lattice, handles, rig without examples
bool wri_build_examples(wri_builder *b);
bool wri_build_maps(wri_builder *b);

// Into the arena. Fails on what is no picture.
bool wri_read_picture(wri_arena *arena, const char *path, wr_image *image, wr_error *why);

// How far the whole is, in [0, 1].
void wri_build_progress(wri_builder *b, const char *stage, double done);

// Says what an inner function said, at a place of the recipe; always false.
bool wri_build_fail(wri_builder *b, const wri_json *at, const char *where, const wr_error *why);
