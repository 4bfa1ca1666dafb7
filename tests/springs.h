// springs.h: a material for tests, and the worked example of docs/materials.md: a block of
// particles with springs between them.
#pragma once

#include "wrought/material.h"

extern const wr_material springs_material;

// What the tests want to know about one.
typedef struct springs_view {
    int count;
    const wr_vec3 *x, *v; // world, metres and m/s
    float mass;           // kg, of each
    float spacing;        // metres, at rest
    int steps;            // of its own in the last step of the world
} springs_view;
springs_view springs_look(const void *body);
