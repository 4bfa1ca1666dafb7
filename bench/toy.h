// toy.h: flat rigs made by arithmetic, for tests and measurements of sprites.
#pragma once

#include "wrought/sprite.h"

enum { TOY_HANDLES = 8, TOY_EXAMPLES = 4 };
enum { TOY_REST, TOY_SQUASHED, TOY_STRETCHED, TOY_SHEARED };

// Centred at the origin. The examples are the same affine maps of every handle: squashed to 0.6 of
// its height and 1.4 of its width, stretched to 1.35 and 0.75, sheared by 0.3.
typedef struct toy {
    wr_rig rig;
    wr_vec3 *rest;
    int *elements;
    float *weights;
    wr_handle handles[TOY_HANDLES];
    wr_handle_pose poses[TOY_EXAMPLES][TOY_HANDLES];
    wr_example examples[TOY_EXAMPLES];
} toy;

// NULL: out of memory. A disc of `rings` rings round its middle: 1 + 3 rings (rings + 1) particles.
toy *toy_create_disc(float radius, int rings);
// A block of (across + 1) (up + 1) particles.
toy *toy_create_block(float width, float height, int across, int up);
void toy_destroy(toy *t); // accepts NULL
