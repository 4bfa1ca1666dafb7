// delaunay.h: triangles between points of the plane.
#pragma once

#include "../base/base.h"

// Appends three numbers per triangle to an array of int[3], counter-clockwise, none without area.
// Points must be finite and differ. Fails when Qhull does (fewer than three points, all on a line).
bool wri_delaunay(const double (*points)[2], int count, wri_array *triangles, wr_error *error);
