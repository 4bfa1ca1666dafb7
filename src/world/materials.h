// materials.h: the list of the library's own materials.
#pragma once

#include "wrought/material.h"

int wri_material_count(void);
const wr_material *wri_material_at(int index);
