// glb.h (internal): what the files of the .glb export share.
#pragma once

#include "export.h"

typedef struct wri_glb_export {
    wri_export *e;
    wri_array tracks;        // wr_track
    int *keys;               // room for all frames
    wri_array nodes, meshes; // wr_node, wr_mesh: of films, behind those of the bodies
} wri_glb_export;

float wri_glb_time(const wri_export *e, int picture);
// Adds the motion of a node in `count` pictures from `first` on; size: of what it shows, metres.
bool wri_glb_add_motion(wri_glb_export *x, int node, const wr_pose *poses, int first, int count,
                        float size);
// A node that is not there all the time has scale 0 meanwhile. shown: per picture of the whole
// take.
bool wri_glb_add_presence(wri_glb_export *x, int node, const bool *shown);
// Shapes of a mesh, and the track that weighs them, so that it goes through points: those of its
// vertices in `count` pictures from `first` on. rest: the mesh whose normals turn with the shape.
bool wri_glb_add_shapes(wri_glb_export *x, int node, const wr_mesh *rest, wr_mesh *mesh,
                        const wr_vec3 *points, int first, int count, float size);

bool wri_glb_add_films(wri_glb_export *x);
