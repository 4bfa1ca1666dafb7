// morph.h: the reader of what scenes say about morph alone.
#pragma once

#include "materials.h"

extern const wri_material_reader wri_morph_reader;
