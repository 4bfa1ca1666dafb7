// fit.h: poses of handles that bring a rig near to given places.
#pragma once

#include "scatter.h"

// All that the fit of handles needs to know about a rig and its targets. Handle b maps (u - c_b, 1)
// by four rows T_b: the transposed rotation, and where the pivot goes. With T all rows one below
// the other (4B x 3) the sum over targets of their shares times squared distances is
//     tr(T' A T) - 2 tr(T' G) + constant
// Lengths are in units of size, from the middle.
typedef struct wri_fit {
    const wr_rig *rig;
    const wr_handle_pose *poses; // poses to keep, or NULL
    const uint8_t *fixed;        // NULL: everything of poses
    bool stretch;
    double size, middle[3];
    int m;            // 4B
    double *a, *g;    // A (m x m), G (m x 3)
    double constant;  //
    double *bond;     // m x m: tr(T' bond T) is how much neighbours disagree
    double *starts;   // m x 3: every handle moved as the targets around it
    double rigid[12]; // four rows: all targets moved as one
    double *t;        // m x 3: the answer
    double stiffness;
    int rounds;
} wri_fit;

// fit_moments.c: fills everything from `size` to `rigid`. targets: a place per point of the
// scatter.
bool wri_fit_build(wri_fit *fit, const wri_scatter *scatter, const wr_vec3 *targets,
                   wri_arena *arena);

// fit.c: finds t, stiffness and rounds.
bool wri_fit_solve(wri_fit *fit, wri_arena *arena);

// The rows of a pose; without stretch unless fit->stretch.
void wri_fit_rows(const wri_fit *fit, int handle, const wr_handle_pose *pose, double rows[12]);
wr_handle_pose wri_fit_pose(const wri_fit *fit, int handle);

// Returns the variables of a handle that are fixed: WR_FIX_ bits.
uint8_t wri_fit_fixed(const wri_fit *fit, int handle);

// The rotation nearest to h; in 2D about z. little: how little may tell against `before`.
void wri_fit_rotation(int dimension, double h[3][3], const double before[3][3], double r[3][3]);

// Weights of a vertex, summing to 1; 0 when it has none. Returns how many handles are listed.
int wri_fit_weights(const wr_rig *rig, int vertex, int *handles, double *weights);
