// head.c: a cheerful head of one bone, on its neck.
#include "figure.h"
#include "../src/base/base.h"

enum { SKIN, BLUSH, HAIR, LIPS, WHITE, EYE, COLORS };

static const figure_color colors[COLORS] = {
    [SKIN] = {"skin", {0.94f, 0.74f, 0.60f}, 0.7f},
    [BLUSH] = {"blush", {0.92f, 0.56f, 0.47f}, 0.7f},
    [HAIR] = {"hair", {0.36f, 0.21f, 0.12f}, 0.8f},
    [LIPS] = {"lips", {0.70f, 0.28f, 0.26f}, 0.6f},
    [WHITE] = {"white of the eye", {0.97f, 0.96f, 0.93f}, 0.3f},
    [EYE] = {"eye", {0.10f, 0.065f, 0.05f}, 0.12f},
};

#define BALL(own, x0, y0, z0, x1, y1, z1, r, thick, soft, paint)                                   \
    {                                                                                              \
        .name = own, .parent = "skull", .shape = FIGURE_BALL, .from = {x0, y0, z0},                \
        .to = {x1, y1, z1}, .radius = {r}, .flat = thick, .blend = soft, .color = paint,           \
        .fixed = true                                                                              \
    }

static const figure_part parts[] = {
    {.name = "skull",
     .from = {0, 0.030f, -0.020f},
     .to = {0, 0.110f, -0.010f},
     .radius = {0.066f, 0.062f},
     .color = SKIN},
    BALL("cranium", 0, 0.090f, -0.012f, 0, 0.350f, -0.020f, 0.118f, 1.06f, 0.02f, SKIN),
    BALL("jaw", 0, 0.072f, 0.030f, 0, 0.210f, 0.034f, 0.084f, 0.90f, 0.04f, SKIN),
    BALL("cheek", 0.050f, 0.120f, 0.060f, 0.050f, 0.190f, 0.060f, 0.042f, 1.0f, 0.03f, SKIN),
    BALL("chin", 0, 0.070f, 0.078f, 0, 0.116f, 0.084f, 0.030f, 1.0f, 0.02f, SKIN),
    BALL("ear", 0.112f, 0.165f, -0.014f, 0.130f, 0.245f, -0.024f, 0.036f, 0.55f, 0.012f, SKIN),
    BALL("hair", 0, 0.225f, -0.046f, 0, 0.372f, -0.034f, 0.122f, 1.05f, 0.006f, HAIR),
    BALL("nape", 0, 0.120f, -0.078f, 0, 0.290f, -0.080f, 0.104f, 0.74f, 0.02f, HAIR),
    BALL("fringe", 0.012f, 0.300f, 0.066f, 0.058f, 0.358f, 0.036f, 0.052f, 0.8f, 0.012f, HAIR),
    BALL("eyeball", 0.044f, 0.192f, 0.092f, 0.044f, 0.262f, 0.088f, 0.031f, 0.9f, 0.004f, WHITE),
    BALL("nose", 0, 0.146f, 0.128f, 0, 0.206f, 0.116f, 0.029f, 1.05f, 0.010f, SKIN),
    BALL("brow", 0.016f, 0.270f, 0.104f, 0.076f, 0.262f, 0.086f, 0.012f, 1.0f, 0.004f, HAIR),
    {.parent = "skull",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0.043f, 0.205f, 0.120f},
     .to = {0.043f, 0.247f, 0.118f},
     .radius = {0.018f},
     .edge = 0.0075f,
     .color = EYE},
    {.name = "mouth",
     .parent = "skull",
     .use = FIGURE_CARVE,
     .from = {0, 0.117f, 0.107f},
     .to = {0.046f, 0.137f, 0.098f},
     .radius = {0.012f, 0.009f},
     .blend = 0.005f,
     .edge = 0.0075f},
    {.parent = "skull",
     .use = FIGURE_PAINT,
     .from = {0, 0.117f, 0.107f},
     .to = {0.046f, 0.137f, 0.098f},
     .radius = {0.0145f, 0.0115f},
     .edge = 0.0075f,
     .color = LIPS},
    {.parent = "skull",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0.070f, 0.146f, 0.092f},
     .to = {0.070f, 0.176f, 0.092f},
     .radius = {0.014f},
     .blend = 0.024f,
     .color = BLUSH},
};

wr_model *make_head(void)
{
    return figure_make(&(figure){.name = "head",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.008f,
                                 .coarse = 0.0106f,
                                 .cell = 0.006f,
                                 .sole = 0.008f});
}
