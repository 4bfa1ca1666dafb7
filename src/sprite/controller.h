// controller.h (internal): what is behind controllers and actors, and the check that readers of
// scene files share with wr_controller_create.
#pragma once

#include "wrought/controller.h"

#include "world.h"

struct wr_controller {
    wri_arena arena; // the controller itself lives in it
    const wr_sprite_asset *asset;
    wr_controller_desc desc; // with copies of everything
};

// What a check needs to know of the drawing.
typedef struct wri_controller_poses {
    const char *const *names; // of the examples
    const int
        *parts; // per example: equal where a way leads from one to the other; -1: in no simplex
    int count;
    int particle_count; // that can be held
} wri_controller_poses;

// What a failed check was about; -1: nothing of that kind.
typedef struct wri_controller_place {
    int behaviour, key, transition, condition, push, setting;
} wri_controller_place;

// place may be NULL.
bool wri_controller_check(const wr_controller_desc *desc, const wri_controller_poses *poses,
                          wri_controller_place *place, wr_error *error);

// The different particles that a controller holds, WR_SPRITE_NAILS_MAX at most; returns how many,
// one more when there are too many.
int wri_controller_find_nails(const wr_controller_desc *desc, int *particles);

// Parts of a manifold, by the simplices alone; parts has one per example.
void wri_controller_find_parts(const wr_simplex *simplices, int simplex_count, int example_count,
                               int *parts);

// Seconds from the first key to the end, or once round.
double wri_pose_path_time(const wr_pose_path *path);
wr_sprite_point wri_pose_path_point(const wr_sprite_asset *asset, const wr_pose_path *path,
                                    double seconds);
