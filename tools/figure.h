// figure.h: animals modelled with tapered limbs and balls that flow into one another.
//
//     static const figure_part parts[] = {
//         {.name = "body", .shape = FIGURE_BALL, .from = {0, 0.02f, 0}, .to = {0, 0.2f, 0},
//          .radius = {0.09f}, .color = FUR},
//         {.name = "leg", .parent = "body", .from = {0.05f, 0.06f, 0}, .to = {0.05f, 0.02f, 0},
//          .radius = {0.03f, 0.02f}, .blend = 0.02f, .color = FUR},
//     };
//
// Lengths in metres, +Y up; a figure looks along +Z and stands on the plane y = 0, which cuts its
// feet flat. Parts beside the plane x = 0 are given for x > 0, the figure's left, and are there
// twice. Running out of memory ends the program: this is a build tool.
#pragma once

#include "draw.h"

typedef enum figure_shape {
    FIGURE_LIMB, // a capsule from `from` to `to` with a radius at either
    FIGURE_BALL, // an ellipsoid with poles `from` and `to` and radius[0] about the middle
} figure_shape;

typedef enum figure_use {
    FIGURE_ADD,
    FIGURE_CARVE, // is taken away from the parts before it
    FIGURE_PAINT, // colours what of the surface is inside it
} figure_use;

typedef struct figure_part {
    const char *name;   // of its joint, which is at `from`
    const char *parent; // an earlier part, NULL for the first one
    figure_shape shape;
    figure_use use;
    wr_vec3 from, to;
    float radius[2];
    float flat;     // thickness along `facing`, in widths; 0 is as 1
    wr_vec3 facing; // across which it is flat; none is as +Z
    float blend;    // how far around the seam it flows into the parts before it; paint fades so far
    float edge;     // wished length of edges, 0: by its radius
    int color;      // into the figure's colours
    bool fixed;     // has no joint and moves with its parent, as what is carved or painted does
} figure_part;

typedef struct figure_color {
    const char *name;
    rgb color;
    float roughness;
} figure_color;

typedef struct figure {
    const char *name;
    const figure_part *parts; // from the body outward: each flows into those before it
    int part_count;
    const figure_color *colors;
    int color_count;
    float fine, coarse; // the shortest and longest edges wished for
    float cell;         // of the grid on which the parts are first found; no part is thinner
    float sole;         // blend of the floor: it rounds the edges of the soles
} figure;

// One closed mesh with colours at its vertices, a look per colour and a skin. Its left is the
// mirror image of its right to the last bit.
wr_model *figure_make(const figure *f);

wr_model *make_rabbit(void);
wr_model *make_hen(void);
wr_model *make_pig(void);

// Boxes of clay in layers, with rounded edges.
wr_model *make_wall(void);
wr_model *make_loaf(void);
