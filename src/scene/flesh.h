// flesh.h: the reader of what scenes say about flesh alone.
#pragma once

#include "materials.h"

extern const wri_material_reader wri_flesh_reader;
