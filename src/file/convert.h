// convert.h: lengths and axes of a file into metres and +Y up.
#pragma once

#include "wrought/file.h"

// A change of basis: the axes turned, then everything scaled.
typedef struct wri_conversion {
    double factor; // metres per unit
    char up;       // 'x', 'y' or 'z': the axis that becomes +Y
} wri_conversion;

// Makes the conversion that the options ask for; they may be NULL. Fails on words that do not
// exist.
bool wri_conversion_create(const wr_read_options *options, wri_conversion *out, wr_error *error);

// False when a point became larger than floats are.
bool wri_convert_points(const wri_conversion *conversion, wr_vec3 *points, int count);

wr_quat wri_convert_rotation(const wri_conversion *conversion, wr_quat rotation);

// Meshes, nodes, skins and clips. Nodes stay as many and as they hang together.
void wri_convert_model(const wri_conversion *conversion, wr_model *model);
