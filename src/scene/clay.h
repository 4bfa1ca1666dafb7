// clay.h: the reader of what scenes say about clay alone.
#pragma once

#include "materials.h"

extern const wri_material_reader wri_clay_reader;
