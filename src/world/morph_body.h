// morph_body.h: a body of morph in the world, and all of them together.
#pragma once

#include "copies.h"
#include "morph_shared.h"
#include "near.h"
#include "sharing.h"

#include "../base/base.h"

typedef struct wri_morph_ensemble {
    wr_allocator allocator;
    wr_morph_world *world;
    wri_sharing sharing;
    wri_array nearness; // of wri_nearness, of two bodies
    wri_array meetings; // of wr_morph_meeting, in this step
    wri_array met;      // of wri_morph_met, one per meeting
    wri_array pairs;    // of wri_morph_pair, likewise
    double seconds;     // of the last step
} wri_morph_ensemble;

// Who meets whose skin.
typedef struct wri_morph_met {
    int skin;        // the member whose it is
    int member;      // the one whose vertex is there; -1:
    int other, ball; // a ball of another material's body does, both by number
} wri_morph_met;

// Two members whose boxes meet, by number, the larger one first.
typedef struct wri_morph_pair {
    int later, earlier;
} wri_morph_pair;

// The vertices that share a force.
typedef struct wri_morph_pushed {
    int count;
    int *vertices;
} wri_morph_pushed;

// What the adapter itself remembers of a body.
typedef struct wri_morph_lasting {
    float untouched; // seconds since something touched it
    int calmed;      // times it was put back into its shape
} wri_morph_lasting;

typedef struct wri_morph_body {
    wr_allocator allocator;
    wri_morph_ensemble *ensemble;
    const wri_morph_shared *shared;
    const wri_morph_setup *setup; // NULL: nothing
    const wr_mesh *mesh;          // of its skin
    wr_skeleton skeleton;
    wr_pose start;
    float scale;
    float friction, restitution;
    uint32_t group, collides;
    int body; // number in the world, -1: not in it
    wri_morph_lasting own;
    float scalars[WR_MORPH_SCALARS_MAX];
    wr_pose *poses;            // of the bones
    wri_morph_pushed *pushed;  // per force
    wr_ball *balls;            // of the vertices that touch
    wr_boundary_point *points; // likewise, as other materials meet them
    wr_vec3 *vertices;         // of the model, world
    wr_vec3 *displacements;    // metres, in the bind pose
    wr_pose *bones;            // as the skin is moved by them
    bool is_skinned;           // these three are those of the body
    bool is_frozen;
} wri_morph_body;

// --- morph_meet.c -----------------------------------------------------------------------------

// Finds where the members meet each other and the balls of other materials, and has copies of these
// behind those of rigid bodies. False: out of memory.
bool wri_morph_find_meetings(wri_morph_ensemble *g, const wr_ensemble_step *step,
                             wri_copies *copies, wr_morph_step *inner);
// Hands the impulses of the meetings to other materials, and marks who was touched. Returns how
// many of them pushed.
int wri_morph_end_meetings(const wri_morph_ensemble *g, const wr_ensemble_step *step,
                           const wr_morph_step *inner);
// Balls that are met together share what hangs on them. A half-space under a disc is as stiff as
// the disc is wide (Boussinesq: k = 2 E* R): n balls of radius a on a disc of radius R are together
// R / a times as heavy as one of them. R is that of a disc whose balls are as far from their
// middle, in the mean square; balls that lie apart share less. All are no heavier than the body
// they are of, of this mass in kg; 0: nothing can move it.
void wri_morph_share_mass(wr_body_copy *copies, int count, float radius, float mass);
// A heap of balls below the skin, for those who keep them out.
wr_boundary wri_morph_boundary(wri_morph_body *b);
