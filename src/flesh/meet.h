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
    float *radii;    // metres, per bone: how far off what it carries is now,
    float *fastest;  // m/s: and how fast that is on it
    float reach;     // metres that it may go in a step, and a margin
    float way;       // metres that a part of it may go in a step, seen from another
    int *met;        // per node: its contact in the list, -1: none
    bool is_passive; // it is met, but meets nobody: it sleeps
} wri_skin;

// Edges: the usual size of a texel of a contact plane.
static const float WRI_FLESH_TEXEL = 0.5f;

typedef struct wri_meetings {
    wri_skin *skins; // per body of the world
    int skin_count;
    float gravity;  // m/s^2, how strong
    float texel;    // edges, > 0: of the contact planes of bodies that are drawn
    wri_array list; // of wri_flesh_contact; member, other: numbers of the world
} wri_meetings;

// Lists where nodes are near triangles of others, or overlap with them. False: out of memory.
bool wri_flesh_find_meetings(wri_meetings *m, wr_scratch *scratch);

// --- what the stages share ----------------------------------------------------------------------

// Nodes of a against triangles of b.
typedef struct wri_visit {
    wri_meetings *all;
    wri_skin *a, *b;
    float margin; // metres: what is nearer counts
    float look;   // metres: what is farther is not looked at
    float deep;   // metres: what overlaps more does not
    float *clear; // metres: how far off the nearest is, at most what is looked at
} wri_visit;

static inline bool wri_boxes_meet(wr_box a, wr_box b, float margin)
{
    return a.min.x <= b.max.x + margin && b.min.x <= a.max.x + margin &&
           a.min.y <= b.max.y + margin && b.min.y <= a.max.y + margin &&
           a.min.z <= b.max.z + margin && b.min.z <= a.max.z + margin;
}

// What corners have, at these barycentric coordinates.
static inline wr_vec3 wri_mix_corners(const wr_vec3 *of, const int *t, const float w[3])
{
    return wr_add_scaled(wr_add_scaled(wr_scale(w[0], of[t[0]]), w[1], of[t[1]]), w[2], of[t[2]]);
}

// Whether a node and a place of the same body are the same part of it.
bool wri_is_near_at_rest(const wr_flesh_model *m, int node, const int *t, const float w[3]);

// Lists that a node of a meets b, unless it meets something nearer: its node, corners, shares,
// normal, gap and distance are given.
void wri_flesh_keep_meeting(const wri_visit *v, wri_flesh_contact c);

// raster.c: what two bones carry, both ways, drawn on a plane between them. False: out of memory.
bool wri_flesh_draw_meetings(const wri_visit *v, int bone_a, int bone_b, wr_scratch *scratch);
