// flesh.h: flesh as a material of the world.
#pragma once

#include "wrought/material.h"

#include "wrought/flesh.h"

extern const wr_material wri_flesh_material;

// The body behind the state of a material of the world, for tests and measurements.
wr_flesh_world *wri_flesh_world_of(const void *state, int *body);
