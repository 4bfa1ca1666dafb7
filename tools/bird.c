// bird.c: a small round bird in flight, beak first.
#include "figure.h"
#include "../src/base/base.h"

enum { BLUE, BREAST, BEAK, EYE, COLORS };

static const figure_color colors[COLORS] = {
    [BLUE] = {"feathers", {0.25f, 0.50f, 0.76f}, 0.8f},
    [BREAST] = {"breast", {0.95f, 0.86f, 0.70f}, 0.8f},
    [BEAK] = {"beak", {0.96f, 0.66f, 0.16f}, 0.5f},
    [EYE] = {"eye", {0.08f, 0.06f, 0.06f}, 0.12f},
};

#define BALL(own, x0, y0, z0, x1, y1, z1, r, thick, soft, paint)                                   \
    {                                                                                              \
        .name = own, .parent = "bird", .shape = FIGURE_BALL, .from = {x0, y0, z0},                 \
        .to = {x1, y1, z1}, .radius = {r}, .flat = thick, .facing = {0, 1, 0}, .blend = soft,      \
        .color = paint, .fixed = true                                                              \
    }

static const figure_part parts[] = {
    {.name = "bird",
     .shape = FIGURE_BALL,
     .from = {0, 0.058f, 0.075f},
     .to = {0, 0.070f, -0.085f},
     .radius = {0.056f},
     .color = BLUE},
    BALL("head", 0, 0.055f, 0.068f, 0, 0.147f, 0.076f, 0.047f, 1.0f, 0.02f, BLUE),
    BALL("tail", 0, 0.072f, -0.050f, 0, 0.098f, -0.165f, 0.034f, 0.42f, 0.02f, BLUE),
    BALL("wing", 0.030f, 0.078f, 0.020f, 0.165f, 0.112f, -0.040f, 0.040f, 0.36f, 0.014f, BLUE),
    BALL("feather", 0.080f, 0.086f, -0.010f, 0.150f, 0.104f, -0.080f, 0.022f, 0.60f, 0.014f, BLUE),
    {.parent = "bird",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0, 0.082f, 0.118f},
     .to = {0, 0.000f, -0.040f},
     .radius = {0.042f},
     .edge = 0.009f,
     .color = BREAST},
    {.name = "beak",
     .parent = "bird",
     .from = {0, 0.100f, 0.112f},
     .to = {0, 0.094f, 0.150f},
     .radius = {0.018f, 0.010f},
     .blend = 0.004f,
     .edge = 0.008f,
     .color = BEAK,
     .fixed = true},
    {.name = "eye",
     .parent = "bird",
     .shape = FIGURE_BALL,
     .from = {0.032f, 0.098f, 0.100f},
     .to = {0.030f, 0.128f, 0.096f},
     .radius = {0.014f},
     .blend = 0.002f,
     .edge = 0.0072f,
     .color = EYE,
     .fixed = true},
};

wr_model *make_bird(void)
{
    return figure_make(&(figure){.name = "bird",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.0082f,
                                 .coarse = 0.0125f,
                                 .cell = 0.004f,
                                 .rigid = true});
}
