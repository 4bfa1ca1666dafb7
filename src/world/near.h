// near.h: where two boundaries are near each other.
#pragma once

#include "wrought/material.h"

#include "../base/base.h"

// A boundary with all that it may reach within a step.
typedef struct wri_reach {
    const wr_boundary *boundary;
    wr_box box;
    float range; // metres: the largest sum of a radius and a displacement in the step
} wri_reach;

// A point of one boundary near a triangle of another, or near one point of it.
typedef struct wri_nearness {
    int point, others[3]; // others[1] is -1 for a single point
    float weights[3];     // barycentric, of the others
    wr_vec3 normal;       // unit, towards the point
    float gap;            // metres, between their surfaces; negative when they overlap
} wri_nearness;

wri_reach wri_boundary_reach(const wr_boundary *boundary, float dt);
// Adds points of a near what b consists of. False: out of memory.
bool wri_boundaries_near(const wri_reach *a, const wri_reach *b, float dt, wr_scratch *scratch,
                         wri_array *out); // of wri_nearness
