// normals.h: vertex normals from triangles. Inline, since the run time of metal has no geometry.
#pragma once

#include "wrought/math.h"

// Adds the normal of a triangle, as long as twice its area, to the sums of its three vertices: what
// a sum points to is the area-weighted normal of its vertex.
static inline void wri_add_normal(const wr_vec3 *positions, const int *triangle, wr_vec3 *sums)
{
    wr_vec3 a = positions[triangle[0]];
    wr_vec3 area = wr_cross(wr_sub(positions[triangle[1]], a), wr_sub(positions[triangle[2]], a));
    for (int k = 0; k < 3; k++) {
        sums[triangle[k]] = wr_add(sums[triangle[k]], area);
    }
}
