// elbow.c: an arm like a cylinder that bends in its middle, with a muscle that bulges.
#include "figure.h"
#include "../src/base/base.h"

enum { SKIN, BAND, COLORS };

static const figure_color colors[COLORS] = {
    [SKIN] = {"skin", {0.92f, 0.68f, 0.54f}, 0.7f},
    [BAND] = {"band", {0.24f, 0.42f, 0.66f}, 0.8f},
};

#define HEIGHT 0.30f

// The joint is where the bone meets its parent.
#define BONE(own, of, x0, x1)                                                                      \
    {                                                                                              \
        .name = own, .parent = of, .from = {x0, HEIGHT, 0}, .to = {x1, HEIGHT, 0},                 \
        .radius = {0.060f, 0.060f}, .blend = 0.002f, .color = SKIN                                 \
    }

#define RING(of, x)                                                                                \
    {                                                                                              \
        .parent = of, .use = FIGURE_PAINT, .shape = FIGURE_BALL, .from = {(x)-0.012f, HEIGHT, 0},  \
        .to = {(x) + 0.012f, HEIGHT, 0}, .radius = {0.20f}, .color = BAND                          \
    }

static const figure_part parts[] = {
    BONE("upper arm 1", NULL, -0.32f, -0.16f),
    BONE("upper arm 2", "upper arm 1", -0.16f, 0.0f),
    BONE("forearm 1", "upper arm 2", 0.0f, 0.16f),
    BONE("forearm 2", "forearm 1", 0.16f, 0.32f),
    {.name = "biceps",
     .parent = "upper arm 2",
     .shape = FIGURE_BALL,
     .from = {-0.235f, HEIGHT + 0.020f, 0},
     .to = {-0.025f, HEIGHT + 0.020f, 0},
     .radius = {0.028f},
     .blend = 0.030f,
     .color = SKIN,
     .fixed = true},
    RING("upper arm 1", -0.30f),
    RING("forearm 2", 0.30f),
};

static const figure_target targets[] = {
    {"bent by 40", {{"biceps", {0.046f}}}},
    {"bent by 80", {{"biceps", {0.064f}}}},
    {"bent by 120", {{"biceps", {0.084f}}}},
};

// Degrees of "bend": targets belong to 0, 0.5, 1 and 1.5 s.
#define FOREARM 0, 40, 80, 120
static const figure_turn bend[] = {
    {.joint = "forearm 1", .axis = {0, 0, 1}, .count = 4, .degrees = {FOREARM}},
};
static const figure_turn curl[] = {
    {.joint = "forearm 1",
     .axis = {0, 0, 1},
     .count = 8,
     .degrees = {0, 18, 60, 102, 120, 102, 60, 18}},
};

static const figure_clip clips[] = {
    {.name = "bend",
     .length = 1.5f,
     .once = true,
     .turns = bend,
     .turn_count = WRI_COUNT(bend),
     .keys = 91},
    {.name = "curl", .length = 3.0f, .turns = curl, .turn_count = WRI_COUNT(curl), .keys = 181},
};

wr_model *make_elbow(void)
{
    return figure_make(&(figure){.name = "elbow",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.013f,
                                 .coarse = 0.016f,
                                 .cell = 0.012f,
                                 .whole = true,
                                 .smooth = 6,
                                 .clips = clips,
                                 .clip_count = WRI_COUNT(clips),
                                 .targets = targets,
                                 .target_count = WRI_COUNT(targets)});
}
