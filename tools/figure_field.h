// figure_field.h: the distance from a figure's surface, and what else is known at a point.
#pragma once

#include "figure.h"
#include "../src/base/base.h"

enum { FIGURE_MAX_PARTS = 96 };

// A part made ready: its frame, and its index into the figure's.
typedef struct field_part {
    figure_part given;
    wr_vec3 x, y, z; // axes of length 1; y from `from` to `to`
    float length, edge;
    bool paired; // there is another one at -x
    bool upright;
    wr_vec3 center; // of the axis that copies are turned about
} field_part;

typedef struct field {
    const figure *figure;
    int count;
    field_part parts[FIGURE_MAX_PARTS];
} field;

// Shares of the parts in the surface at a point, for x > 0 and its mirror image; they add up to 1.
typedef struct field_shares {
    float left[FIGURE_MAX_PARTS], right[FIGURE_MAX_PARTS];
} field_shares;

field field_create(const figure *f);

// Negative inside. The gradient's length is about 1; shares and gradient may be NULL.
float field_distance(const field *f, wr_vec3 p, wr_vec3 *gradient, field_shares *shares);
wr_vec3 field_normal(const field *f, wr_vec3 p);

// To the nearest place on the surface, or near enough.
wr_vec3 field_project(const field *f, wr_vec3 p);

// The colour at a point of the surface, and a place where one ends and another begins.
int field_region(const field *f, wr_vec3 p);
wr_vec3 field_project_border(const field *f, int region, int other, wr_vec3 p);
rgb field_color(const field *f, int region, wr_vec3 p);

float field_edge(const field *f, wr_vec3 p); // wished length of edges
wr_box field_bounds(const field *f);         // may be too large
