// place.h: the meshes of a model at rest, where nodes, skins and morph weights put them.
#pragma once

#include "model.h"

typedef struct wri_place {
    const wr_model *model;
    wri_arena arena;
    wr_mat34 *world, *joints;             // maps of the nodes; of the joints of the largest skin
    float *weights;                       // weights of the morphs, node after node
    int *first_weight;                    // first weight of each node
    wr_vec3 *position_room, *normal_room; // room for the largest mesh
    // Of the node at hand:
    const wr_vec3 *positions, *normals; // normals NULL when the mesh has none
    bool mirrored;                      // triangles turn round
} wri_place;

bool wri_place_create(wri_place *place, const wr_model *model, wr_error *error);
void wri_place_destroy(wri_place *place);
// The node must show a mesh. Bits stay as they are where nothing moves them. Fails when a vertex
// has no finite place.
bool wri_place_node(wri_place *place, int node, wr_error *error);
