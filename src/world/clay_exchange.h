// clay_exchange.h: what passes between clay and the rigid bodies it touches, for one step.
#pragma once

#include "wrought/clay.h"

#include "copies.h"

typedef struct wri_clay_exchange {
    const wr_clay_world *world;
    const wr_ensemble_step *step;
    wr_clay_step inner;
    wri_copies copies;
} wri_clay_exchange;

// False: out of memory, or there is nobody.
bool wri_clay_exchange_begin(wri_clay_exchange *x, const wr_clay_world *world,
                             const wr_ensemble_step *step);
// A member's touches; particles: those that its balls are.
void wri_clay_exchange_add(wri_clay_exchange *x, int clay, const int *particles,
                           const wr_material_step *step);
void wri_clay_exchange_end(wri_clay_exchange *x);
