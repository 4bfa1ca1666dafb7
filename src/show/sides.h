// sides.h (internal to the director): from which side a camera sees most of what matters.
#pragma once

#include "heroes.h"

// What a camera is placed for.
typedef struct wri_subject {
    wr_box box;   // to be in the picture
    float height; // metres of the picture at the middle of the box, 0: as the box needs
    bool is_hero; // it goes along with the only hero, as near as suits all the time
} wri_subject;

// The camera at a look, which may go along with the heroes.
wr_camera wri_moved_along(const wri_director *director, const wr_camera *camera, int look);
// How much of what matters a camera shows over time, in [0, 1].
float wri_find_worth(const wri_director *director, const wr_camera *camera);
// The best of all sides.
wr_camera wri_choose_side(const wri_director *director, wri_subject subject);
