// clay.h: clay as a material of the world.
#pragma once

#include "wrought/material.h"

#include "wrought/clay.h"

extern const wr_material wri_clay_material;

// The body behind the state of a material of the world, for tests and measurements.
wr_clay_world *wri_clay_world_of(const void *state, int *body);
