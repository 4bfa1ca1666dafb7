// fist.c: a closed right fist of one bone, its knuckles up.
#include "figure.h"
#include "../src/base/base.h"

enum { SKIN, CUFF, COLORS };

static const figure_color colors[COLORS] = {
    [SKIN] = {"skin", {0.93f, 0.72f, 0.58f}, 0.7f},
    [CUFF] = {"cuff", {0.62f, 0.24f, 0.22f}, 0.9f},
};

// A finger's piece, in a plane of its own.
#define FINGER(x, y0, z0, y1, z1, r)                                                               \
    {                                                                                              \
        .name = "finger", .parent = "wrist", .from = {x, y0, z0}, .to = {x, y1, z1},               \
        .radius = {r, r}, .blend = 0.010f, .color = SKIN, .fixed = true                            \
    }

static const figure_part parts[] = {
    {.name = "wrist",
     .from = {0, 0.025f, 0},
     .to = {0, 0.080f, 0},
     .radius = {0.064f, 0.066f},
     .flat = 0.88f,
     .color = SKIN},
    {.name = "palm",
     .parent = "wrist",
     .from = {0.004f, 0.095f, 0.004f},
     .to = {0.002f, 0.126f, 0},
     .radius = {0.084f, 0.092f},
     .flat = 0.55f,
     .blend = 0.03f,
     .color = SKIN,
     .fixed = true},
    FINGER(0.071f, 0.186f, -0.012f, 0.196f, 0.052f, 0.03f),
    FINGER(0.071f, 0.196f, 0.052f, 0.134f, 0.072f, 0.03f),
    FINGER(0.071f, 0.134f, 0.072f, 0.118f, 0.046f, 0.03f),
    FINGER(0.0245f, 0.196f, -0.012f, 0.206f, 0.052f, 0.031f),
    FINGER(0.0245f, 0.206f, 0.052f, 0.144f, 0.072f, 0.031f),
    FINGER(0.0245f, 0.144f, 0.072f, 0.128f, 0.046f, 0.031f),
    FINGER(-0.0225f, 0.19f, -0.012f, 0.2f, 0.052f, 0.03f),
    FINGER(-0.0225f, 0.2f, 0.052f, 0.138f, 0.072f, 0.03f),
    FINGER(-0.0225f, 0.138f, 0.072f, 0.122f, 0.046f, 0.03f),
    FINGER(-0.066f, 0.176f, -0.012f, 0.186f, 0.052f, 0.027f),
    FINGER(-0.066f, 0.186f, 0.052f, 0.124f, 0.072f, 0.027f),
    FINGER(-0.066f, 0.124f, 0.072f, 0.108f, 0.046f, 0.027f),
    {.name = "hollow",
     .parent = "wrist",
     .from = {-0.056f, 0.156f, 0.030f},
     .to = {0.062f, 0.164f, 0.030f},
     .radius = {0.042f, 0.046f},
     .blend = 0.004f,
     .color = SKIN,
     .fixed = true},
    {.name = "thumb",
     .parent = "wrist",
     .from = {0.068f, 0.090f, 0.020f},
     .to = {0.086f, 0.128f, 0.086f},
     .radius = {0.040f, 0.031f},
     .blend = 0.012f,
     .color = SKIN,
     .fixed = true},
    {.name = "thumb's end",
     .parent = "wrist",
     .from = {0.086f, 0.128f, 0.086f},
     .to = {0.000f, 0.136f, 0.108f},
     .radius = {0.031f, 0.028f},
     .blend = 0.006f,
     .color = SKIN,
     .fixed = true},
    {.name = "cuff",
     .parent = "wrist",
     .copies = FIGURE_RING,
     .from = {0, 0.004f, 0.062f},
     .to = {0, 0.034f, 0.064f},
     .radius = {0.018f, 0.018f},
     .blend = 0.004f,
     .color = CUFF,
     .fixed = true},
};

wr_model *make_fist(void)
{
    return figure_make(&(figure){.name = "fist",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.0085f,
                                 .coarse = 0.011f,
                                 .cell = 0.006f,
                                 .sole = 0.006f,
                                 .whole = true,
                                 .upright = true});
}
