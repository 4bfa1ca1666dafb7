// sprite_scenery.h: the rigid bodies of a scene as its sprites see them.
#pragma once

#include "wrought/material.h"
#include "wrought/sprite.h"

#include "../base/base.h"

typedef struct wri_scenery {
    wr_allocator allocator;
    wr_sprite_world *world;
    wri_array driven;  // pieces of level that follow a path
    wri_array movers;  // bodies that move freely, as in wr_ensemble_step
    wri_array corners; // of the piece that is being cut
    bool is_misplaced; // the driven pieces may be elsewhere than where the next step begins
} wri_scenery;

bool wri_scenery_create(wri_scenery *scenery, wr_sprite_world *world, const wr_ensemble_desc *desc,
                        wr_error *error);
void wri_scenery_destroy(wri_scenery *scenery); // also of half-made ones
// Tells the world of sprites where everything is; and the engine what the sprites did to it.
void wri_scenery_begin_step(wri_scenery *scenery, const wr_ensemble_step *step);
void wri_scenery_end_step(const wri_scenery *scenery, const wr_ensemble_step *step);
