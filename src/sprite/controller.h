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

// The poses of the drawing, as far as a check needs them.
typedef struct wri_controller_poses {
    const char *const *names; // of the examples
    const int *components;    // per example: equal where a way leads from one to the other; -1: in
                              // no simplex
    int count;
    int particle_count; // particles that can be nailed
} wri_controller_poses;

// The place that a failed check was about; -1: nothing of that kind.
typedef struct wri_controller_place {
    int behaviour, key, transition, condition, push, setting;
} wri_controller_place;

// place may be NULL.
bool wri_controller_check(const wr_controller_desc *desc, const wri_controller_poses *poses,
                          wri_controller_place *place, wr_error *error);

// Finds the different particles that a controller nails, WR_SPRITE_NAILS_MAX at most, and returns
// how many, one more when there are too many.
int wri_controller_find_nails(const wr_controller_desc *desc, int *particles);

// Finds the connected components of a manifold, by the simplices alone; one number per example.
void wri_controller_find_components(const wr_simplex *simplices, int simplex_count,
                                    int example_count, int *components);

// Returns the time from the first key to the end, or once round, s.
double wri_pose_path_time(const wr_pose_path *path);
wr_sprite_point wri_pose_path_point(const wr_sprite_asset *asset, const wr_pose_path *path,
                                    double seconds);
