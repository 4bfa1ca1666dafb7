// meet.h: where skins meet each other, and a skin itself.
#pragma once

#include "flesh.h"

bool wri_patches_create(wri_patches *out, wr_flesh_model *m);

// A body as the others see it, for one step.
typedef struct wri_skin {
    wri_flesh *f;  // NULL: there is none
    int body;      // number in the world
    wr_box bounds; // of all of it, loosely
    wr_vec3 *x;    // per node, world; NULL: nobody is near
    wr_vec3 *normals;
    wr_box *boxes;   // per bone, and of all of them
    wr_box *hulls;   // per triangle
    float reach;     // metres that it may go in a step, and a margin
    float way;       // metres that a part of it may go in a step, seen from another
    int *met;        // per node: its contact in the list, -1: none
    bool is_passive; // it is met, but meets nobody: it sleeps
} wri_skin;

typedef struct wri_meetings {
    wri_skin *skins; // per body of the world
    int skin_count;
    float gravity;  // m/s^2, how strong
    wri_array list; // of wri_flesh_contact; member, other: numbers of the world
} wri_meetings;

// Lists where nodes are near triangles of others, or overlap with them. False: out of memory.
bool wri_flesh_find_meetings(wri_meetings *m, wr_scratch *scratch);
