// affine.h: the linear part of affine maps: where normals go, and what is mirrored.
#pragma once

#include "wrought/math.h"

// The inverse transpose times the determinant.
static inline wr_mat3 wri_cofactors(wr_mat3 a)
{
    wr_mat3 c;
    for (int r = 0; r < 3; r++) {
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
        for (int k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            c.m[r][k] = a.m[r1][k1] * a.m[r2][k2] - a.m[r1][k2] * a.m[r2][k1];
        }
    }
    return c;
}

static inline float wri_determinant(wr_mat3 a)
{
    wr_mat3 c = wri_cofactors(a);
    return a.m[0][0] * c.m[0][0] + a.m[0][1] * c.m[0][1] + a.m[0][2] * c.m[0][2];
}

// The first of `count` vertices that is not finite, -1: none. Where nodes, skins and morphs put a
// vertex may lie outside of what a float can say, though everything in the file does not.
static inline int wri_find_lost_vertex(const wr_vec3 *positions, const wr_vec3 *normals, int count)
{
    for (int i = 0; i < count; i++) {
        if (!wr_is_finite3(positions[i]) || (normals && !wr_is_finite3(normals[i]))) {
            return i;
        }
    }
    return -1;
}
