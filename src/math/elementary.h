// elementary.h: functions the C library does not compute to the same bits everywhere.
#pragma once

#if defined(__cplusplus)
extern "C" {
#endif

// e^x within 2 units in the last place; 0 below -708, infinite above 709.
double wri_exp(double x);
// Natural logarithm within 2 units in the last place away from 1, 1e-16 near it; -infinite at 0.
double wri_log(double x);

// Both within 1e-7, for angles up to 1e9 radians; past them 0 and 1, since a float does not know
// its place in the turn any more. NaN stays NaN.
void wri_sin_cos(float angle, float *sine, float *cosine);
// The angle of (x, y), in [-pi, pi], within 3e-7; 0 where both are 0.
float wri_atan2(float y, float x);
// Precise to 1e-15: for angles up to 100 radians, past them likewise 0 and 1; for y and x whose
// squares neither vanish nor overflow.
void wri_sin_cos_fine(double angle, double *sine, double *cosine);
double wri_atan2_fine(double y, double x);

#if defined(__cplusplus)
}
#endif
