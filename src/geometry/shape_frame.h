// shape_frame.h: axes that belong to a shape and not to the file it came from.
#pragma once

#include "wrought/math.h"

// Rows of axes: an orthonormal frame of the surface, left-handed where that is what the shape says,
// so that a turned or mirrored copy has the turned or mirrored frame, whatever the order of its
// vertices and triangles. A shape that tells no axes (a ball) gets the frame nearest to the
// coordinate axes. A cube tells its axes but not their order, a box not their signs: there any
// will do.
void wri_shape_frame(const wr_vec3 *positions, const int *triangles, int triangle_count,
                     double axes[3][3]);

static inline wr_vec3 wri_into_frame(const double axes[3][3], wr_vec3 p)
{
    const double x = p.x, y = p.y, z = p.z;
    return wr_v3((float)(axes[0][0] * x + axes[0][1] * y + axes[0][2] * z),
                 (float)(axes[1][0] * x + axes[1][1] * y + axes[1][2] * z),
                 (float)(axes[2][0] * x + axes[2][1] * y + axes[2][2] * z));
}

static inline wr_vec3 wri_out_of_frame(const double axes[3][3], wr_vec3 p)
{
    const double x = p.x, y = p.y, z = p.z;
    return wr_v3((float)(axes[0][0] * x + axes[1][0] * y + axes[2][0] * z),
                 (float)(axes[0][1] * x + axes[1][1] * y + axes[2][1] * z),
                 (float)(axes[0][2] * x + axes[1][2] * y + axes[2][2] * z));
}

static inline double wri_frame_determinant(const double a[3][3])
{
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}
