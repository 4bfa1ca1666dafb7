// fish.c: a goldfish in mid-water.
#include "figure.h"
#include "../src/base/base.h"

enum { GOLD, PALE, FIN, EYE, WHITE, COLORS };

static const figure_color colors[COLORS] = {
    [GOLD] = {"gold", {0.93f, 0.45f, 0.13f}, 0.45f},
    [PALE] = {"belly", {0.98f, 0.82f, 0.58f}, 0.5f},
    [FIN] = {"fin", {0.97f, 0.66f, 0.28f}, 0.5f},
    [EYE] = {"eye", {0.10f, 0.065f, 0.05f}, 0.12f},
    [WHITE] = {"white of the eye", {0.96f, 0.95f, 0.92f}, 0.3f},
};

static const figure_part parts[] = {
    {.name = "spine 1",
     .from = {0, 0.200f, 0.090f},
     .to = {0, 0.204f, 0.000f},
     .radius = {0.112f, 0.108f},
     .flat = 0.72f,
     .facing = {1, 0, 0},
     .color = GOLD},
    {.name = "head",
     .parent = "spine 1",
     .from = {0, 0.200f, 0.120f},
     .to = {0, 0.192f, 0.215f},
     .radius = {0.108f, 0.058f},
     .flat = 0.74f,
     .facing = {1, 0, 0},
     .blend = 0.02f,
     .color = GOLD},
    {.name = "spine 2",
     .parent = "spine 1",
     .from = {0, 0.204f, 0.000f},
     .to = {0, 0.208f, -0.080f},
     .radius = {0.108f, 0.083f},
     .flat = 0.70f,
     .facing = {1, 0, 0},
     .blend = 0.004f,
     .color = GOLD},
    {.name = "spine 3",
     .parent = "spine 2",
     .from = {0, 0.208f, -0.080f},
     .to = {0, 0.211f, -0.150f},
     .radius = {0.083f, 0.057f},
     .flat = 0.68f,
     .facing = {1, 0, 0},
     .blend = 0.004f,
     .color = GOLD},
    {.name = "spine 4",
     .parent = "spine 3",
     .from = {0, 0.211f, -0.150f},
     .to = {0, 0.213f, -0.215f},
     .radius = {0.057f, 0.040f},
     .flat = 0.62f,
     .facing = {1, 0, 0},
     .blend = 0.004f,
     .color = GOLD},
    {.name = "tail",
     .parent = "spine 4",
     .from = {0, 0.213f, -0.215f},
     .to = {0, 0.214f, -0.270f},
     .radius = {0.040f, 0.044f},
     .flat = 0.50f,
     .facing = {1, 0, 0},
     .blend = 0.004f,
     .color = FIN},
    {.name = "upper lobe",
     .parent = "tail",
     .shape = FIGURE_BALL,
     .from = {0, 0.198f, -0.215f},
     .to = {0, 0.336f, -0.400f},
     .radius = {0.050f},
     .flat = 0.30f,
     .facing = {1, 0, 0},
     .blend = 0.02f,
     .color = FIN,
     .fixed = true},
    {.name = "lower lobe",
     .parent = "tail",
     .shape = FIGURE_BALL,
     .from = {0, 0.228f, -0.215f},
     .to = {0, 0.094f, -0.385f},
     .radius = {0.046f},
     .flat = 0.32f,
     .facing = {1, 0, 0},
     .blend = 0.02f,
     .color = FIN,
     .fixed = true},
    {.name = "back fin",
     .parent = "spine 2",
     .shape = FIGURE_BALL,
     .from = {0, 0.275f, 0.115f},
     .to = {0, 0.330f, -0.135f},
     .radius = {0.062f},
     .flat = 0.24f,
     .facing = {1, 0, 0},
     .blend = 0.016f,
     .color = FIN},
    {.name = "belly fin",
     .parent = "spine 3",
     .shape = FIGURE_BALL,
     .from = {0, 0.160f, -0.070f},
     .to = {0, 0.086f, -0.185f},
     .radius = {0.036f},
     .flat = 0.38f,
     .facing = {1, 0, 0},
     .blend = 0.014f,
     .color = FIN,
     .fixed = true},
    {.name = "* fin",
     .parent = "spine 1",
     .shape = FIGURE_BALL,
     .from = {0.050f, 0.165f, 0.095f},
     .to = {0.175f, 0.098f, -0.010f},
     .radius = {0.044f},
     .flat = 0.32f,
     .facing = {0.4f, 1, -0.4f},
     .blend = 0.022f,
     .color = FIN},
    {.name = "lip",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0, 0.160f, 0.258f},
     .to = {0, 0.206f, 0.268f},
     .radius = {0.034f},
     .flat = 0.8f,
     .blend = 0.010f,
     .color = FIN,
     .fixed = true},
    {.parent = "spine 1",
     .use = FIGURE_PAINT,
     .from = {0, 0.090f, 0.220f},
     .to = {0, 0.108f, -0.040f},
     .radius = {0.082f, 0.052f},
     .edge = 0.014f,
     .color = PALE},
    {.name = "eyeball",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0.058f, 0.192f, 0.182f},
     .to = {0.054f, 0.262f, 0.174f},
     .radius = {0.034f},
     .flat = 0.8f,
     .facing = {1, 0, 0.4f},
     .blend = 0.004f,
     .edge = 0.0105f,
     .color = WHITE,
     .fixed = true},
    {.parent = "head",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0.084f, 0.207f, 0.196f},
     .to = {0.082f, 0.249f, 0.194f},
     .radius = {0.021f},
     .edge = 0.010f,
     .color = EYE},
};

// A wave that grows from the head to the tail, and fins that paddle.
#define WAVE(own, late, most)                                                                      \
    {                                                                                              \
        .joint = own, .axis = {0, 1, 0}, .phase = late, .count = 8, .degrees = FIGURE_SWING(most)  \
    }
#define PADDLE(own, side)                                                                          \
    {                                                                                              \
        .joint = own, .axis = {0, 0.3f * (side), side}, .phase = 0.25f, .count = 8,                \
        .degrees = FIGURE_SWING(16.0f)                                                             \
    }

static const figure_turn swim[] = {
    WAVE("spine 1", 0.0f, 5.0f),   WAVE("head", 0.05f, -4.0f),    WAVE("spine 2", 0.15f, 8.0f),
    WAVE("spine 3", 0.27f, 12.0f), WAVE("spine 4", 0.40f, 15.0f), WAVE("tail", 0.55f, 22.0f),
    PADDLE("left fin", 1.0f),      PADDLE("right fin", -1.0f),
};

// It doubles up to one side and to the other, and waits.
#define FLAP(own, most)                                                                            \
    {                                                                                              \
        .joint = own, .axis = {0, 1, 0}, .count = 12, .degrees = {                                 \
            0.0f,                                                                                  \
            0.8f * (most),                                                                         \
            (most),                                                                                \
            -(most),                                                                               \
            -(most),                                                                               \
            0.6f * (most),                                                                         \
        }                                                                                          \
    }

static const figure_turn flap[] = {
    FLAP("spine 1", 6.0f),  FLAP("head", -8.0f),    FLAP("spine 2", 10.0f),
    FLAP("spine 3", 14.0f), FLAP("spine 4", 18.0f), FLAP("tail", 24.0f),
};

static const figure_clip clips[] = {
    {.name = "swim", .length = 1.0f, .turns = swim, .turn_count = WRI_COUNT(swim)},
    {.name = "flap", .length = 0.9f, .turns = flap, .turn_count = WRI_COUNT(flap)},
};

wr_model *make_fish(void)
{
    return figure_make(&(figure){.name = "fish",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.0105f,
                                 .coarse = 0.0145f,
                                 .cell = 0.006f,
                                 .smooth = 4,
                                 .clips = clips,
                                 .clip_count = WRI_COUNT(clips)});
}
