// shoulder.c: a bust with one arm, held out, whose muscles swell as the arm moves.
#include "figure.h"
#include "../src/base/base.h"

enum { SKIN, SHIRT, COLORS };

static const figure_color colors[COLORS] = {
    [SKIN] = {"skin", {0.86f, 0.63f, 0.50f}, 0.65f},
    [SHIRT] = {"plinth", {0.36f, 0.38f, 0.42f}, 0.8f},
};

#define MUSCLE(own, of, x0, y0, z0, x1, y1, z1, r)                                                 \
    {                                                                                              \
        .name = own, .parent = of, .shape = FIGURE_BALL, .from = {x0, y0, z0}, .to = {x1, y1, z1}, \
        .radius = {r}, .blend = 0.035f, .color = SKIN, .fixed = true                               \
    }

static const figure_part parts[] = {
    {.name = "torso",
     .from = {0, 0.050f, 0},
     .to = {0, 0.330f, 0},
     .radius = {0.150f, 0.178f},
     .flat = 0.66f,
     .color = SKIN},
    {.name = "collar",
     .parent = "torso",
     .from = {-0.150f, 0.425f, -0.010f},
     .to = {0.140f, 0.425f, -0.010f},
     .radius = {0.064f, 0.060f},
     .blend = 0.07f,
     .color = SKIN,
     .fixed = true},
    {.name = "neck",
     .parent = "torso",
     .from = {0, 0.470f, -0.015f},
     .to = {0, 0.560f, 0.005f},
     .radius = {0.062f, 0.058f},
     .blend = 0.05f,
     .color = SKIN,
     .firm = 1},
    {.name = "head",
     .parent = "neck",
     .shape = FIGURE_BALL,
     .from = {0, 0.545f, 0.030f},
     .to = {0, 0.800f, 0.020f},
     .radius = {0.092f},
     .flat = 1.15f,
     .blend = 0.03f,
     .color = SKIN,
     .firm = 1,
     .fixed = true},
    {.name = "chin",
     .parent = "neck",
     .shape = FIGURE_BALL,
     .from = {0, 0.548f, 0.085f},
     .to = {0, 0.620f, 0.105f},
     .radius = {0.040f},
     .blend = 0.035f,
     .color = SKIN,
     .firm = 1,
     .fixed = true},
    {.name = "nose",
     .parent = "neck",
     .shape = FIGURE_BALL,
     .from = {0, 0.638f, 0.150f},
     .to = {0, 0.705f, 0.125f},
     .radius = {0.018f},
     .blend = 0.014f,
     .color = SKIN,
     .firm = 1,
     .fixed = true},
    {.name = "clavicle",
     .parent = "torso",
     .from = {0.050f, 0.430f, 0},
     .to = {0.165f, 0.430f, -0.010f},
     .radius = {0.060f, 0.064f},
     .blend = 0.05f,
     .color = SKIN},
    {.name = "upper arm",
     .parent = "clavicle",
     .from = {0.190f, 0.425f, -0.010f},
     .to = {0.445f, 0.425f, -0.010f},
     .radius = {0.066f, 0.050f},
     .blend = 0.03f,
     .color = SKIN},
    {.name = "forearm",
     .parent = "upper arm",
     .from = {0.450f, 0.425f, -0.010f},
     .to = {0.690f, 0.425f, 0},
     .radius = {0.050f, 0.034f},
     .blend = 0.01f,
     .color = SKIN},
    {.name = "fist",
     .parent = "forearm",
     .shape = FIGURE_BALL,
     .from = {0.680f, 0.425f, 0.005f},
     .to = {0.800f, 0.425f, 0.012f},
     .radius = {0.052f},
     .blend = 0.02f,
     .color = SKIN,
     .firm = 1,
     .fixed = true},
    MUSCLE("pectoral", "torso", 0.015f, 0.310f, 0.080f, 0.190f, 0.400f, 0.040f, 0.062f),
    MUSCLE("other pectoral", "torso", -0.015f, 0.310f, 0.080f, -0.190f, 0.400f, 0.040f, 0.062f),
    MUSCLE("latissimus", "torso", 0.130f, 0.120f, -0.030f, 0.165f, 0.390f, -0.035f, 0.050f),
    MUSCLE("other latissimus", "torso", -0.130f, 0.120f, -0.030f, -0.165f, 0.390f, -0.035f, 0.050f),
    MUSCLE("trapezius", "torso", 0.020f, 0.490f, -0.035f, 0.180f, 0.440f, -0.030f, 0.040f),
    MUSCLE("other trapezius", "torso", -0.020f, 0.490f, -0.035f, -0.180f, 0.440f, -0.030f, 0.040f),
    MUSCLE("deltoid", "upper arm", 0.135f, 0.445f, -0.010f, 0.310f, 0.440f, -0.010f, 0.060f),
    MUSCLE("biceps", "upper arm", 0.235f, 0.428f, 0.018f, 0.435f, 0.428f, 0.016f, 0.038f),
    MUSCLE("triceps", "upper arm", 0.215f, 0.420f, -0.040f, 0.425f, 0.420f, -0.036f, 0.038f),
    MUSCLE("brachioradialis", "forearm", 0.445f, 0.425f, 0.006f, 0.600f, 0.425f, 0.004f, 0.040f),
    {.parent = "torso",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0, -0.2f, 0},
     .to = {0, 0.035f, 0},
     .radius = {2.0f},
     .color = SHIRT},
};

static const figure_target targets[] = {
    {"lowered", {{"pectoral", {0.080f}}, {"deltoid", {0.080f}}, {"latissimus", {0.040f}}}},
    {"forward", {{"pectoral", {0.098f}}, {"deltoid", {0.078f}}, {"triceps", {0.052f}}}},
    {"raised", {{"trapezius", {0.066f}}, {"deltoid", {0.086f}}, {"latissimus", {0.076f}}}},
    {"folded", {{"biceps", {0.092f}}, {"brachioradialis", {0.062f}}, {"triceps", {0.030f}}}},
    {"flexed", {{"pectoral", {0.114f}}, {"biceps", {0.080f}}, {"deltoid", {0.074f}}}},
};

#define TURN(own, x, y, z, ...)                                                                    \
    {                                                                                              \
        .joint = own, .axis = {x, y, z}, .count = 6, .degrees = { __VA_ARGS__ }                    \
    }

// A second each: held out, lowered, forward, raised, folded, flexed. These are the poses of the
// targets.
static const figure_turn target_turns[] = {
    TURN("clavicle", 0, 0, 1, 0, -6, 0, 18, 0, -4),
    TURN("upper arm", 0, 1, 0, 0, 0, -80, 0, 0, -62),
    TURN("upper arm", 0, 0, 1, 0, -66, 0, 52, 0, -40),
    TURN("forearm", 0, 1, 0, 0, 0, 0, 0, -125, -78),
};
// Folded while lowered, and while raised; forward and low: poses that no target has.
static const figure_turn other_turns[] = {
    TURN("clavicle", 0, 0, 1, 0, -6, -6, 14, 14, -2),
    TURN("upper arm", 0, 1, 0, 0, 0, 0, 0, -20, -50),
    TURN("upper arm", 0, 0, 1, 0, -62, -62, 44, 30, -56),
    TURN("forearm", 0, 1, 0, 0, 0, -120, -120, -60, -20),
};

static const figure_clip clips[] = {
    {"targets", 5.0f, true, target_turns, WRI_COUNT(target_turns), 151},
    {"others", 5.0f, true, other_turns, WRI_COUNT(other_turns), 151},
};

wr_model *make_shoulder(void)
{
    return figure_make(&(figure){.name = "shoulder",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.012f,
                                 .coarse = 0.020f,
                                 .cell = 0.010f,
                                 .sole = 0.01f,
                                 .whole = true,
                                 .smooth = 8,
                                 .clips = clips,
                                 .clip_count = WRI_COUNT(clips),
                                 .targets = targets,
                                 .target_count = WRI_COUNT(targets)});
}
