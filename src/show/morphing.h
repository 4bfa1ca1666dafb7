// morphing.h (internal): morph targets for what bends.
#pragma once

#include "export.h"

// Morph targets of a mesh and what they weigh at keys, pictures from its first one on.
typedef struct wri_morphing {
    wr_vec3 *base, *normals; // of the mesh; normals may be NULL
    int morph_count;
    wr_morph *morphs;
    int key_count;
    int *keys;
    float *weights;  // key after key
    float step;      // metres, of which offsets are multiples; 0: of nothing
    float error;     // metres: how far a vertex is off, at most
    wri_arena arena; // of what is not the rest's
} wri_morphing;

// rest: the mesh whose normals turn with the shapes. tolerance: by how much of its size the shapes
// of a body that is dented may miss a vertex; 0: it is not. only_dents, as USD has it: others get
// no keys, offsets are multiples of a step, and normals are left to the program that shows them.
// The arena is the caller's to destroy, also after failure.
bool wri_morphing_find(const wr_mesh *rest, const wri_holds *holds, int most, float tolerance,
                       float size, bool only_dents, wri_morphing *out, wr_error *error);
// Those of a group of bodies; only_dents: of metal alone, where profiles do; others get no keys.
// What was found lives in room, its arenas are added to the array of them, which are the caller's
// to destroy.
bool wri_export_find_morphings(wri_export *e, const wri_bend *bends, int count, bool only_dents,
                               wri_arena *room, wri_array *arenas, wri_morphing **found);
