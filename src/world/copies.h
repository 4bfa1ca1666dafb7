// copies.h: copies of the rigid bodies that the members of an ensemble touch, each once, and what
// the bodies themselves are owed when the step is over.
#pragma once

#include "wrought/material.h"

typedef struct wri_copies {
    const wr_ensemble_step *step;
    wr_body_copy *bodies;
    const wr_touched_body **touched; // per copy
    int count;
    const wr_touch **touches; // that were taken so far, and
    const void **givers;      // the members that feel them
    int taken;
    int touch_count; // of all members together
} wri_copies;

// Memory is the step's. False: there is none, or there is nobody.
bool wri_copies_begin(wri_copies *copies, const wr_ensemble_step *step);
// Takes the next touch of a member: the number of the copy of the body that it touches, which is
// made when it is not there yet.
int wri_copies_take(wri_copies *copies, const wr_material_step *step, int touch);
// In the touch that was taken as number `taken` a copy was pushed there or thereabouts: the body
// is, at the point of the touch, so that what is hit knows where. Whether there was anything.
bool wri_copies_push(wri_copies *copies, int taken, int copy, wr_vec3 impulse,
                     wr_push_list *pushes);
// How supports answered, and what the moving of points leaves over of the angular momentum.
void wri_copies_end(wri_copies *copies, wr_push_list *pushes);
