// pack.h: deformation gradients and rotations of eight particles side by side.
#pragma once

#include "clay.h"

typedef struct wri_clay_pack {
    mat8 sum;     // sum_j w x_ij u^T
    f8 pull[3];   // sum_j w x_ij
    f8 drag[3];   // sum_j w (v_ij . x^) x^, where asked for
    mat8 F, R, S; // S = R^T F
    f8 q[4];      // R as quaternions
    mat8 inverse; // A^-1
    f8 mu, lambda, volume, firmness;
} wri_clay_pack;

// Particles first to first + LANES - 1; those that are not there have no volume. Rotations are
// found from those of the body, which stay as they are: whoever looks at it changes nothing.
void wri_clay_measure_pack(const wri_clay *c, int first, bool with_drag, wri_clay_pack *p);
void wri_clay_keep_rotations(wri_clay *c, int first, const wri_clay_pack *p);

// flow.c: how those that yield will flow.
void wri_clay_plan_flow(wri_clay *c, int first, const wri_clay_pack *p);
