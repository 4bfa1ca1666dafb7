// sprite.h: sprites as a material of the world.
#pragma once

#include "wrought/material.h"

#include "wrought/sprite.h"

extern const wr_material wri_sprite_material;

// Square metres of a flat rig at this scale.
double wri_sprite_area(const wr_rig *rig, float scale);
// Returns the mass of a drawing per square metre, kg/m^2: it is taken for a centimetre thick.
double wri_sprite_density(double density);

// The sprite behind the state of a material of the world, for tests and measurements.
wr_sprite_world *wri_sprite_world_of(const void *state, int *sprite);
