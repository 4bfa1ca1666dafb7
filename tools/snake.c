// snake.c: a snake that lies straight, along z.
#include "figure.h"
#include "../src/base/base.h"

enum { GREEN, DARK, BELLY, EYE, COLORS };

static const figure_color colors[COLORS] = {
    [GREEN] = {"green", {0.44f, 0.62f, 0.26f}, 0.6f},
    [DARK] = {"dark green", {0.20f, 0.33f, 0.16f}, 0.6f},
    [BELLY] = {"belly", {0.90f, 0.84f, 0.58f}, 0.7f},
    [EYE] = {"eye", {0.10f, 0.065f, 0.05f}, 0.12f},
};

// A bone on the floor; its joint is where it meets its parent.
#define BONE(own, of, z0, z1, r0, r1)                                                              \
    {                                                                                              \
        .name = own, .parent = of, .from = {0, (r0) + 0.001f, z0}, .to = {0, (r1) + 0.001f, z1},   \
        .radius = {r0, r1}, .blend = 0.004f, .color = GREEN                                        \
    }

// A dark patch on the back.
#define PATCH(of, z, y, r)                                                                         \
    {                                                                                              \
        .parent = of, .use = FIGURE_PAINT, .shape = FIGURE_BALL, .from = {0, y, (z) + 0.042f},     \
        .to = {0, y, (z)-0.042f}, .radius = {r}, .edge = 0.017f, .color = DARK                     \
    }

static const figure_part parts[] = {
    BONE("spine 7", NULL, 0.0f, 0.125f, 0.0507f, 0.0513f),
    BONE("spine 6", "spine 7", 0.125f, 0.25f, 0.0513f, 0.052f),
    BONE("spine 5", "spine 6", 0.25f, 0.375f, 0.052f, 0.0503f),
    BONE("spine 4", "spine 5", 0.375f, 0.5f, 0.0503f, 0.0487f),
    BONE("spine 3", "spine 4", 0.5f, 0.625f, 0.0487f, 0.047f),
    BONE("spine 2", "spine 3", 0.625f, 0.75f, 0.047f, 0.0425f),
    BONE("spine 1", "spine 2", 0.75f, 0.875f, 0.0425f, 0.038f),
    BONE("head", "spine 1", 0.875f, 0.94f, 0.038f, 0.04f),
    BONE("spine 8", "spine 7", 0.0f, -0.125f, 0.0507f, 0.05f),
    BONE("spine 9", "spine 8", -0.125f, -0.25f, 0.05f, 0.0467f),
    BONE("spine 10", "spine 9", -0.25f, -0.375f, 0.0467f, 0.0433f),
    BONE("spine 11", "spine 10", -0.375f, -0.5f, 0.0433f, 0.04f),
    BONE("spine 12", "spine 11", -0.5f, -0.625f, 0.04f, 0.035f),
    BONE("spine 13", "spine 12", -0.625f, -0.75f, 0.035f, 0.03f),
    BONE("spine 14", "spine 13", -0.75f, -0.875f, 0.03f, 0.025f),
    BONE("tail", "spine 14", -0.875f, -1.0f, 0.025f, 0.02f),
    {.name = "skull",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0, 0.052f, 0.826f},
     .to = {0, 0.044f, 1.020f},
     .radius = {0.080f},
     .flat = 0.60f,
     .facing = {0, 1, 0},
     .blend = 0.03f,
     .color = GREEN,
     .fixed = true},
    {.name = "brow",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0.042f, 0.076f, 0.906f},
     .to = {0.042f, 0.074f, 0.976f},
     .radius = {0.030f},
     .blend = 0.012f,
     .color = GREEN,
     .fixed = true},
    {.parent = "spine 7",
     .use = FIGURE_PAINT,
     .from = {0, -0.022f, 0.99f},
     .to = {0, -0.022f, -1.0f},
     .radius = {0.042f, 0.036f},
     .edge = 0.017f,
     .color = BELLY},
    {.name = "eye",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0.060f, 0.066f, 0.960f},
     .to = {0.052f, 0.114f, 0.954f},
     .radius = {0.023f},
     .blend = 0.003f,
     .edge = 0.0125f,
     .color = EYE,
     .fixed = true},
    PATCH("spine 1", 0.8125f, 0.085f, 0.038f),
    PATCH("spine 2", 0.6875f, 0.094f, 0.042f),
    PATCH("spine 3", 0.5625f, 0.101f, 0.045f),
    PATCH("spine 4", 0.4375f, 0.104f, 0.046f),
    PATCH("spine 5", 0.3125f, 0.107f, 0.047f),
    PATCH("spine 6", 0.1875f, 0.107f, 0.047f),
    PATCH("spine 7", 0.0625f, 0.107f, 0.047f),
    PATCH("spine 8", -0.0625f, 0.104f, 0.046f),
    PATCH("spine 9", -0.1875f, 0.101f, 0.045f),
    PATCH("spine 10", -0.3125f, 0.091f, 0.041f),
    PATCH("spine 11", -0.4375f, 0.085f, 0.038f),
    PATCH("spine 12", -0.5625f, 0.075f, 0.034f),
    PATCH("spine 13", -0.6875f, 0.062f, 0.029f),
};

// A wave that runs from the head to the tail: two of its lengths are the snake's. The bone in the
// middle heads to and fro, and every joint makes the difference between its bones.
#define HEADING 32.0f
#define BEND 24.5f
#define WAVE(own, late, degrees_most)                                                              \
    {                                                                                              \
        .joint = own, .axis = {0, 1, 0}, .phase = late, .count = 8,                                \
        .degrees = FIGURE_SWING(degrees_most)                                                      \
    }

static const figure_turn slither[] = {
    WAVE("head", 0.8125f, BEND),     WAVE("spine 1", 0.9375f, BEND),
    WAVE("spine 2", 0.0625f, BEND),  WAVE("spine 3", 0.1875f, BEND),
    WAVE("spine 4", 0.3125f, BEND),  WAVE("spine 5", 0.4375f, BEND),
    WAVE("spine 6", 0.5625f, BEND),  WAVE("spine 7", 0.875f, HEADING),
    WAVE("spine 8", 1.1875f, BEND),  WAVE("spine 9", 1.3125f, BEND),
    WAVE("spine 10", 1.4375f, BEND), WAVE("spine 11", 1.5625f, BEND),
    WAVE("spine 12", 1.6875f, BEND), WAVE("spine 13", 1.8125f, BEND),
    WAVE("spine 14", 1.9375f, BEND), WAVE("tail", 2.0625f, BEND),
};

static const figure_clip clips[] = {
    {.name = "slither", .length = 1.6f, .turns = slither, .turn_count = WRI_COUNT(slither)},
};

wr_model *make_snake(void)
{
    return figure_make(&(figure){.name = "snake",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.0158f,
                                 .coarse = 0.020f,
                                 .cell = 0.010f,
                                 .smooth = 4,
                                 .clips = clips,
                                 .clip_count = WRI_COUNT(clips)});
}
