// turn.h: rotations and vectors in double, for bones.
#pragma once

#include "double3.h"
#include "elementary.h"

// C does not see by itself that a matrix may be read.
#define WRI_MATRIX(m) ((const double(*)[3])(m))

static inline void wri_apply(const double m[3][3], const double v[3], double out[3])
{
    double x = wri_dot3(m[0], v), y = wri_dot3(m[1], v);
    out[2] = wri_dot3(m[2], v);
    out[0] = x;
    out[1] = y;
}

static inline void wri_apply_transposed(const double m[3][3], const double v[3], double out[3])
{
    double copy[3] = {v[0], v[1], v[2]};
    for (int i = 0; i < 3; i++) {
        out[i] = m[0][i] * copy[0] + m[1][i] * copy[1] + m[2][i] * copy[2];
    }
}

// Of a unit quaternion x y z w.
static inline void wri_turn_matrix(const double t[4], double out[3][3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i][i] = 1.0 - 2.0 * (t[j] * t[j] + t[k] * t[k]);
        out[i][j] = 2.0 * (t[i] * t[j] - t[k] * t[3]);
        out[j][i] = 2.0 * (t[i] * t[j] + t[k] * t[3]);
    }
}

// Turns on by the rotation vector `by`, radians, in the turned frame.
static inline void wri_turn_on(double t[4], const double by[3])
{
    double angle = sqrt(wri_dot3(by, by)), half = 0.5 * angle;
    double s, c;
    wri_sin_cos_fine(half, &s, &c);
    double share = angle > 1e-8 ? s / angle : 0.5;
    double r[3] = {share * by[0], share * by[1], share * by[2]}, axis[3];
    wri_cross3(t, r, axis);
    double w = t[3] * c - wri_dot3(t, r), size = 0.0;
    for (int k = 0; k < 3; k++) {
        axis[k] += t[3] * r[k] + c * t[k];
        size += axis[k] * axis[k];
    }
    size = sqrt(size + w * w);
    for (int k = 0; k < 3; k++) {
        t[k] = axis[k] / size;
    }
    t[3] = w / size;
}
