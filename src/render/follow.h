// follow.h: the way of a camera that goes along with a body, from where the body is in every frame.
//
// The whole way is known before the first picture is drawn, so the camera neither lags nor
// trembles: it stays while the body moves a little (forwards and backwards in time, of which the
// middle is taken), and what is left is smoothed with a Gaussian. Where a body that is hit would
// leave the picture, the Gaussian is narrower. Same input, same way.
#pragma once

#include "wrought/stage.h"

#include "../base/base.h"

typedef struct wri_follow {
    const wr_box *boxes;      // of the body, one per frame
    const wr_vec3 *centers;   // of the body: steadier than the middles of its boxes
    int count;                // frames, at least 1
    double rate;              // frames per second
    float height;             // metres from the lower to the upper border of the picture
    float aspect;             // width / height of the picture
    wr_camera camera;         // of wri_follow_along: at the start
    wr_box borders;           // of a flat stage: where there is something to see; empty: no borders
    const wr_allocator *heap; // NULL: the C library's
} wri_follow;

// Finds where a flat camera looks: at the body, from the side, with the ground it stands on or last
// stood on in the lower part of the picture while the body is not too high above it. z is 0.
bool wri_follow_flat(const wri_follow *follow, wr_vec3 *to, wr_error *error);

// The height of a picture in which wri_follow_flat always has the ground in view, metres.
float wri_follow_height(const wri_follow *follow);

// Finds how far any other camera has moved along since the first frame. What of the body was in the
// picture at the start stays there, unless it is too large.
bool wri_follow_along(const wri_follow *follow, wr_vec3 *shifts, wr_error *error);
