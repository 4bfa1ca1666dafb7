// metal.h: metal as a material of the world.
#pragma once

#include "wrought/material.h"

#include "wrought/metal.h"

extern const wr_material wri_metal_material;

// The body behind the state of a material of the world, for tests and measurements.
wr_metal *wri_metal_of(const void *state);
