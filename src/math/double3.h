// double3.h: vectors of three doubles. An output may be an input.
#pragma once

#include <math.h>

static inline double wri_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void wri_cross3(const double a[3], const double b[3], double out[3])
{
    double r[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    out[0] = r[0], out[1] = r[1], out[2] = r[2];
}

// Of two numbers, in place of hypot, which differs between C libraries.
static inline double wri_length2(double x, double y)
{
    return sqrt(x * x + y * y);
}

static inline double wri_length3(const double v[3])
{
    return sqrt(wri_dot3(v, v));
}
