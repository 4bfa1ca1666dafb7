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
// twice, unless the figure is whole. Running out of memory ends the program: this is a build tool.
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

enum { FIGURE_RING = -1 };

typedef struct figure_part {
    const char *name;   // of its joint, which is at `from`; "* leg": "left leg" and "right leg"
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
    float firm;     // [0, 1]: its surface is so much less than opaque, for recipes that paint by it
    bool fixed;     // has no joint and moves with its parent, as what is carved or painted does
    int copies;     // turned about the figure's axis, so many in all; FIGURE_RING: all around it.
                    // Those beside the first are fixed to it
} figure_part;

typedef struct figure_color {
    const char *name;
    rgb color;
    float roughness;
} figure_color;

enum { FIGURE_TURN_VALUES = 16 };

// How a joint turns in a clip: through values at even times, smoothly. Turns of one joint follow
// one another, the first one nearest to the parent.
typedef struct figure_turn {
    const char *joint; // with its side, as in "left leg"
    wr_vec3 axis;      // in the frame of the model at rest
    float phase;       // by how many lengths of the clip it is late, [0, 4); not of what is once
    int count;         // of values; 1: it stays turned
    float degrees[FIGURE_TURN_VALUES];
} figure_turn;

// The degrees of a turn to and fro, with a count of 8.
#define FIGURE_SWING(a)                                                                            \
    {                                                                                              \
        0.0f, 0.707f * (a), (a), 0.707f * (a), 0.0f, -0.707f * (a), -(a), -0.707f * (a)            \
    }

typedef struct figure_clip {
    const char *name;
    float length; // seconds
    bool once;    // from the first value to the last; else it ends as it began
    const figure_turn *turns;
    int turn_count;
    int keys; // of each joint; 0: 33. Skin that feels how bones are accelerated wants more
} figure_clip;

// A part with other radii; 0: as it was.
typedef struct figure_sculpt {
    const char *part;
    float radius[2];
} figure_sculpt;

enum { FIGURE_SCULPTS = 12 };

// Another shape of the figure, in its pose at rest: vertices follow the surface as radii change.
typedef struct figure_target {
    const char *name;
    figure_sculpt sculpts[FIGURE_SCULPTS]; // up to the first without a part
} figure_target;

typedef struct figure {
    const char *name;
    const figure_part *parts; // from the body outward: each flows into those before it
    int part_count;
    const figure_color *colors;
    int color_count;
    float fine, coarse; // the shortest and longest edges wished for
    float cell;         // of the grid on which the parts are first found; no part is thinner
    float sole;         // blend of the floor: it rounds the edges of the soles
    bool whole;         // what is beside the plane x = 0 is there once
    bool rigid;         // has no skin
    bool upright;       // its axis is along y, else along x
    wr_vec3 center;     // a point of its axis
    int smooth;         // how often weights are averaged with those of neighbours
    float coarser;      // by which the edges that parts wish for are longer; 0 is as 1
    const figure_clip *clips;
    int clip_count;
    const figure_target *targets;
    int target_count;
} figure;

// One closed mesh with colours at its vertices, a look per colour, a skin, morph targets and clips.
// Its left is the mirror image of its right to the last bit, unless it is whole.
wr_model *figure_make(const figure *f);

wr_model *make_rabbit(void);
wr_model *make_hen(void);
wr_model *make_pig(void);

wr_model *make_tyre(void);
wr_model *make_pumpkin(void);
wr_model *make_tube(void);
wr_model *make_three_links(void);
wr_model *make_snake(void);
wr_model *make_fish(void);
wr_model *make_deer(void);
wr_model *make_deer_light(void);
wr_model *make_bird(void);
wr_model *make_hand(void);
wr_model *make_fist(void);
wr_model *make_head(void);

// Those with targets.
wr_model *make_elbow(void);
wr_model *make_diver(void);
wr_model *make_shoulder(void);
wr_model *make_jelly(void);

wr_model *make_gear(void);

// Boxes of clay in layers, with rounded edges; ridges of stone; cylinders of flesh.
wr_model *make_wall(void);
wr_model *make_loaf(void);
wr_model *make_ridges(void);
wr_model *make_cylinder(void); // along x, soft on its left
wr_model *make_roller(void);
