// barrel.h: a barrel-shaped rig made by arithmetic, for tests and measurements.
#pragma once

#include "wrought/metal.h"

enum { BARREL_HANDLES = 12, BARREL_EXAMPLES = 3 };

// Mirror-symmetric in z, mesh, handles and examples alike. Standing, centred, height `size` metres,
// across + 1 vertices in each direction of the cross-section (across even), along + 1 layers.
// Example 1 is caved in from +x, example 2 crushed from above; both turn handles. 8 across and 21
// along: 1782 vertices.
typedef struct barrel {
    wr_rig rig;
    wr_vec3 *rest;
    int *elements;
    float *weights;
    wr_handle handles[BARREL_HANDLES];
    wr_handle_pose poses[BARREL_EXAMPLES][BARREL_HANDLES];
    wr_example examples[BARREL_EXAMPLES];
} barrel;

barrel *barrel_create(int across, int along, float size); // NULL: out of memory
void barrel_destroy(barrel *b);                           // accepts NULL
