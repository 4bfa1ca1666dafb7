// jelly.h: a material for tests only, small enough to read and wide enough to use every entry of
// the material table.
#pragma once

#include "wrought/material.h"

extern const wr_material jelly_material;

enum { JELLY_SIDE = 3, JELLY_COUNT = 27, JELLY_PARTS = 6, JELLY_CENTER = 13 };

// What the tests want to know about one.
typedef struct jelly_view {
    int count;                // of particles
    const wr_vec3 *x, *v;     // world, metres and m/s
    float particle_mass;      // kg, of each
    float squash[3];          // length of each axis of the lattice over its rest length
    int part_count;           // core and shards
    const float *part_masses; // kg
} jelly_view;
jelly_view jelly_look(const void *body);
