// morph_scalars.h: what acts on a body of morph besides bones and contacts.
#pragma once

#include "morph.h"

// A moment of a body, for its scalars.
typedef struct wri_scalar_moment {
    const wr_skeleton *skeleton;
    float scale;                       // of the asset
    const wr_handle_pose *begin, *end; // of the handles over the step; NULL: nothing moves
    double time;                       // seconds, when the step ends
    float dt;                          //
    float untouched;                   // seconds since something touched it; INFINITY: never
} wri_scalar_moment;

float wri_scalar_value(const wri_scalar *scalar, const wri_scalar_moment *moment);
