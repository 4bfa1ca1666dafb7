// glb.h (internal): what the files of the .glb export share.
#pragma once

#include "morphing.h"

typedef struct wri_glb_export {
    wri_export *e;
    wri_array tracks;        // wr_track
    int *keys;               // room for all frames
    wri_array nodes, meshes; // wr_node, wr_mesh: of films and joints, behind those of the bodies
    wri_array skins;         // wr_model_skin
    wri_array arenas;        // wri_arena: of morph targets
} wri_glb_export;

// Keys may be left out for this much of a body's size, and for as many radians.
#define WRI_GLB_SLACK 4e-6f

// How a node moves in `count` pictures from `first` on.
typedef struct wri_glb_motion {
    int node;
    const wr_pose *poses; // of all pictures
    int first, count;
    float distance, angle; // metres, radians: by which keys that are left out may be missed
} wri_glb_motion;

float wri_glb_time(const wri_export *e, int picture);
bool wri_glb_add_motion(wri_glb_export *x, const wri_glb_motion *motion);
// A node that is not there all the time has scale 0 meanwhile. shown: per picture of the whole
// take.
bool wri_glb_add_presence(wri_glb_export *x, int node, const bool *shown);
bool wri_glb_add_body_presence(wri_glb_export *x, const wri_export_body *body, int node);

// Gives morph targets to the mesh of a node, with the track that weighs them; keys count from
// `first`.
bool wri_glb_add_morphing(wri_glb_export *x, int node, wr_mesh *mesh, int first,
                          const wri_morphing *morphing);
wri_bends_fn wri_glb_add_bends; // context: a wri_glb_export

bool wri_glb_add_films(wri_glb_export *x);
// The skeleton of a body with a skin, whose node has a mesh of its own.
bool wri_glb_add_figure(wri_glb_export *x, const wri_bend *bend, int node);
