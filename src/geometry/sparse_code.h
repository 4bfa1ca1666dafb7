// sparse_code.h: a moving point as a few of many given profiles in time.
#pragma once

#include "wrought/math.h"

#include "../base/base.h"

enum { WRI_CODE_MOST = 16 }; // terms

// Profiles, sampled in `rows` moments: moment after moment, `count` numbers each.
typedef struct wri_atoms {
    int rows, count;
    const float *values;
    const float *gram; // count rows of count: products of two profiles, summed over the moments
} wri_atoms;

// What a point follows: the sum of profile times coefficient.
typedef struct wri_code {
    int count;
    int atoms[WRI_CODE_MOST];
    wr_vec3 coefficients[WRI_CODE_MOST];
    float error; // how far it is off in any moment, at most
    int worst;   // the moment
} wri_code;

// gram: room for count times count.
void wri_atoms_multiply(const float *values, int rows, int count, float *gram);
// Takes as few terms as bring a path of atoms->rows places within the tolerance of it, if any do.
// room: 6 numbers per atom.
wri_code wri_code_find(const wri_atoms *atoms, const wr_vec3 *path, float tolerance, float *room);
wr_vec3 wri_code_place(const wri_atoms *atoms, const wri_code *code, int row);
