// maps.h: painted maps of an asset, where a body is drawn.
#pragma once

#include "wrought/asset.h"
#include "wrought/material.h"

// A painted map at each vertex of the body's mesh, in scratch. NULL: there is none, or no memory,
// and then *ok becomes false.
float *wri_map_at_vertices(const wr_material_desc *desc, wr_map_kind kind, bool *ok);
