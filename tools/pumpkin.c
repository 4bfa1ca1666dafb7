// pumpkin.c: a pumpkin with ten ribs and a bent stalk.
#include "figure.h"
#include "../src/base/base.h"

enum { SKIN, LIGHT, STALK, COLORS };

static const figure_color colors[COLORS] = {
    [SKIN] = {"skin", {0.87f, 0.43f, 0.09f}, 0.55f},
    [LIGHT] = {"light", {0.96f, 0.60f, 0.20f}, 0.55f},
    [STALK] = {"stalk", {0.42f, 0.47f, 0.22f}, 0.8f},
};

static const figure_part parts[] = {
    {.name = "pumpkin",
     .shape = FIGURE_BALL,
     .from = {0, 0.020f, 0},
     .to = {0, 0.262f, 0},
     .radius = {0.150f},
     .color = SKIN},
    {.name = "rib",
     .parent = "pumpkin",
     .copies = 10,
     .shape = FIGURE_BALL,
     .from = {0, -0.006f, 0.118f},
     .to = {0, 0.288f, 0.112f},
     .radius = {0.064f},
     .flat = 1.45f,
     .blend = 0.024f,
     .color = SKIN,
     .fixed = true},
    {.name = "stalk",
     .parent = "pumpkin",
     .from = {0, 0.250f, 0},
     .to = {0, 0.310f, 0.006f},
     .radius = {0.030f, 0.021f},
     .blend = 0.022f,
     .color = STALK,
     .fixed = true},
    {.name = "stalk's end",
     .parent = "pumpkin",
     .from = {0, 0.310f, 0.006f},
     .to = {0, 0.345f, 0.040f},
     .radius = {0.021f, 0.023f},
     .blend = 0.010f,
     .color = STALK,
     .fixed = true},
    {.parent = "pumpkin",
     .use = FIGURE_PAINT,
     .copies = 10,
     .from = {0, 0.245f, 0.165f},
     .to = {0, 0.060f, 0.185f},
     .radius = {0.024f, 0.018f},
     .blend = 0.035f,
     .color = LIGHT},
};

wr_model *make_pumpkin(void)
{
    return figure_make(&(figure){.name = "pumpkin",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.0095f,
                                 .coarse = 0.0145f,
                                 .cell = 0.007f,
                                 .sole = 0.006f,
                                 .rigid = true,
                                 .upright = true});
}
