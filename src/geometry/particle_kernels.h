// particle_kernels.h (internal): the ellipsoids over which particles spread their volume.
#pragma once

#include "wrought/geometry.h"

#include "../base/base.h"

enum { WRI_KERNEL_REACH = 7 }; // radii of the largest particle that no kernel goes beyond

// With d from the centre and q = 1 - d^T A d, the kernel is share * q^3 where q > 0. Lengths are in
// cells of a grid through the origin.
typedef struct wri_particle_kernel {
    double center[3];
    float reach[3]; // half extents of its box
    float form[6];  // A: xx, yy, zz, xy, xz, yz
    float share;
} wri_particle_kernel;

// Returns a kernel per particle, the same for any tasks. NULL: out of memory.
wri_particle_kernel *wri_particle_kernels_find(const wr_particles *particles, double cell,
                                               const wr_tasks *tasks, wri_arena *arena);
