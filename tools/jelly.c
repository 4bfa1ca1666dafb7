// jelly.c: a small thing of jelly with eyes, for a crowd of them.
#include "figure.h"
#include "../src/base/base.h"

enum { JELLY, WHITE, PUPIL, COLORS };

static const figure_color colors[COLORS] = {
    [JELLY] = {"jelly", {0.93f, 0.93f, 0.90f}, 0.35f},
    [WHITE] = {"white", {0.96f, 0.96f, 0.94f}, 0.3f},
    [PUPIL] = {"pupil", {0.08f, 0.07f, 0.09f}, 0.2f},
};

static const figure_part parts[] = {
    {.name = "foot",
     .from = {0, 0.060f, 0},
     .to = {0, 0.120f, 0},
     .radius = {0.150f, 0.140f},
     .color = JELLY},
    {.name = "body",
     .parent = "foot",
     .from = {0, 0.170f, 0},
     .to = {0, 0.260f, 0},
     .radius = {0.135f, 0.115f},
     .blend = 0.03f,
     .color = JELLY},
    {.name = "head",
     .parent = "body",
     .from = {0, 0.320f, 0},
     .to = {0, 0.400f, 0},
     .radius = {0.105f, 0.080f},
     .blend = 0.03f,
     .color = JELLY},
    {.name = "belly",
     .parent = "body",
     .shape = FIGURE_BALL,
     .from = {0, 0.060f, 0.02f},
     .to = {0, 0.320f, 0.02f},
     .radius = {0.110f},
     .blend = 0.06f,
     .color = JELLY,
     .fixed = true},
    {.name = "* arm",
     .parent = "body",
     .from = {0.110f, 0.230f, 0.01f},
     .to = {0.190f, 0.190f, 0.03f},
     .radius = {0.045f, 0.036f},
     .blend = 0.03f,
     .color = JELLY},
    {.name = "brow",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0.008f, 0.432f, 0.062f},
     .to = {0.074f, 0.448f, 0.050f},
     .radius = {0.010f},
     .blend = 0.03f,
     .color = JELLY,
     .fixed = true},
    {.name = "eye",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0.038f, 0.345f, 0.084f},
     .to = {0.040f, 0.425f, 0.074f},
     .radius = {0.034f},
     .blend = 0.004f,
     .edge = 0.014f,
     .color = WHITE,
     .fixed = true},
    {.parent = "head",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0.034f, 0.366f, 0.115f},
     .to = {0.034f, 0.404f, 0.115f},
     .radius = {0.018f},
     .edge = 0.0115f,
     .color = PUPIL},
};

static const figure_target targets[] = {
    {"squat", {{"belly", {0.195f}}, {"body", {0.155f, 0.125f}}}},
    {"angry", {{"brow", {0.020f}}, {"* arm", {0.062f, 0.056f}}, {"head", {0.125f, 0.090f}}}},
};

static const figure_turn sway[] = {
    {.joint = "body", .axis = {0, 0, 1}, .count = 8, .degrees = FIGURE_SWING(16.0f)},
    {.joint = "head",
     .axis = {0, 0, 1},
     .phase = 0.12f,
     .count = 8,
     .degrees = FIGURE_SWING(16.0f)},
    {.joint = "left arm", .axis = {0, 0, 1}, .count = 8, .degrees = FIGURE_SWING(40.0f)},
    {.joint = "right arm", .axis = {0, 0, 1}, .count = 8, .degrees = FIGURE_SWING(40.0f)},
};
static const figure_turn nod[] = {
    {.joint = "body", .axis = {1, 0, 0}, .count = 4, .degrees = {0, 14, 30, 14}},
    {.joint = "head", .axis = {1, 0, 0}, .count = 4, .degrees = {0, 14, 30, 14}},
    {.joint = "left arm", .axis = {0, 0, 1}, .count = 4, .degrees = {0, 30, 70, 30}},
    {.joint = "right arm", .axis = {0, 0, 1}, .count = 4, .degrees = {0, -30, -70, -30}},
};

static const figure_clip clips[] = {
    {.name = "sway", .length = 1.0f, .turns = sway, .turn_count = WRI_COUNT(sway), .keys = 65},
    {.name = "nod", .length = 0.9f, .turns = nod, .turn_count = WRI_COUNT(nod), .keys = 65},
};

wr_model *make_jelly(void)
{
    return figure_make(&(figure){.name = "jelly",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.014f,
                                 .coarse = 0.0225f,
                                 .cell = 0.012f,
                                 .sole = 0.03f,
                                 .smooth = 4,
                                 .clips = clips,
                                 .clip_count = WRI_COUNT(clips),
                                 .targets = targets,
                                 .target_count = WRI_COUNT(targets)});
}
