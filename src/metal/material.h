// material.h: metal as a material of the world.
#pragma once

#include "wrought/material.h"

extern const wr_material wri_metal_material;
