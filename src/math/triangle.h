// triangle.h: the point of a triangle that is nearest to another point.
#pragma once

#include "wrought/math.h"

// Finds the barycentric coordinates w of the point of triangle abc that is nearest to p. They are
// those of a corner where the triangle has collapsed.
void wri_nearest_in_triangle(wr_vec3 p, wr_vec3 a, wr_vec3 b, wr_vec3 c, float w[3]);
