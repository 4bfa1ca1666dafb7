// lever.h: how the motion of a bone moves what lies at a lever from its origin.
#pragma once

#include "flesh.h"

// 3 x 6: what a bone's increments (da, dalpha) do at the lever r: [I, -r~].
static inline void wri_lever_matrix(const double r[3], double L[3][6])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            L[i][j] = i == j;
            int k = 3 - i - j; // where i != j
            L[i][3 + j] = i == j ? 0.0 : (j == (i + 1) % 3 ? r[k] : -r[k]);
        }
    }
}

static inline void wri_lever_of(const wri_flesh_bone *bone, f4 at, double r[3])
{
    for (int k = 0; k < 3; k++) {
        r[k] = (double)at[k] - bone->origin[k];
    }
}

// The lever of a node as it is now.
static inline void wri_lever_now(const wri_flesh *f, int node, int bone, double r[3])
{
    for (int k = 0; k < 3; k++) {
        r[k] = (double)f->model->rest[node][k] + (double)f->q[node][k] -
               f->model->bones[bone].origin[k];
    }
}
