// limbs.h: a material for tests only: five driven bones, a tail that hangs on them, and a skin that
// is cut in two half way.
#pragma once

#include "wrought/material.h"

extern const wr_material limbs_material;

enum { LIMBS_BONES = 5, LIMBS_TAIL = 5, LIMBS_PARTS = 6 };

// What the tests want to know about one.
typedef struct limbs_view {
    const wr_pose *bones;       // LIMBS_BONES: where they are told to be after the last step
    wr_vec3 bone_point;         // of the joint of the tail, in the frame of the last bone
    wr_vec3 tail_point;         // and in that of the tail
    wr_vec3 tail_size;          // metres
    double tail_mass;           // kg
    const wr_vec3 *given;       // two: velocity and angular velocity that the tail was given
    const double *skin_impulse; // three: N s from other materials so far
    const double (*felt)[3];    // LIMBS_PARTS: N s from contacts so far
    int vertex_count;           // of the whole skin
    const wr_vec3 *skin;        // world
    int triangle_count;
    const int *triangles; // of the skin
    bool kicked, released, cut, gone;
} limbs_view;
limbs_view limbs_look(const void *body);
