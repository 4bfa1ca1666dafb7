// diver.c: a swimmer with cap, goggles and trunks, who can curl up.
#include "figure.h"
#include "../src/base/base.h"

enum { SKIN, TRUNKS, CAP, GOGGLES, COLORS };

static const figure_color colors[COLORS] = {
    [SKIN] = {"skin", {0.93f, 0.71f, 0.57f}, 0.7f},
    [TRUNKS] = {"trunks", {0.80f, 0.16f, 0.14f}, 0.8f},
    [CAP] = {"cap", {0.95f, 0.83f, 0.22f}, 0.4f},
    [GOGGLES] = {"goggles", {0.09f, 0.16f, 0.30f}, 0.15f},
};

#define LIMB(own, of, x0, y0, z0, x1, y1, z1, r0, r1, soft, hard)                                  \
    {                                                                                              \
        .name = own, .parent = of, .from = {x0, y0, z0}, .to = {x1, y1, z1}, .radius = {r0, r1},   \
        .blend = soft, .color = SKIN, .firm = hard                                                 \
    }
#define BONE(...) LIMB(__VA_ARGS__, 0.0f)
#define HARD(...) LIMB(__VA_ARGS__, 1.0f) // however flabby the rest is

// Parts of the torso, flatter than wide.
#define TRUNK(own, of, y0, z0, y1, z1, r0, r1)                                                     \
    {                                                                                              \
        .name = own, .parent = of, .from = {0, y0, z0}, .to = {0, y1, z1}, .radius = {r0, r1},     \
        .flat = 0.72f, .blend = 0.03f, .color = SKIN                                               \
    }
// A muscle or fat, which moves with the bone it lies on.
#define PAD(own, of, x0, y0, z0, x1, y1, z1, r)                                                    \
    {                                                                                              \
        .name = own, .parent = of, .shape = FIGURE_BALL, .from = {x0, y0, z0}, .to = {x1, y1, z1}, \
        .radius = {r}, .blend = 0.05f, .color = SKIN, .fixed = true                                \
    }
// Two bones of a finger, along the hand and outwards.
#define FINGER(own, z, out, l)                                                                     \
    HARD("* " own " 1", "* hand", 0.678f, 1.143f, z, 0.678f + 0.87f * (l), 1.143f - 0.49f * (l),   \
         (z) + (out) * (l), 0.0135f, 0.0125f, 0.006f),                                             \
        HARD("* " own " 2", "* " own " 1", 0.678f + 0.87f * (l), 1.143f - 0.49f * (l),             \
             (z) + (out) * (l), 0.678f + 1.74f * (l), 1.143f - 0.98f * (l),                        \
             (z) + 2.0f * (out) * (l), 0.0125f, 0.0115f, 0.004f)

static const figure_part parts[] = {
    TRUNK("hips", NULL, 0.930f, 0, 1.000f, 0, 0.150f, 0.138f),
    TRUNK("belly", "hips", 1.010f, 0, 1.110f, 0, 0.138f, 0.138f),
    TRUNK("ribs", "belly", 1.130f, 0, 1.240f, 0, 0.142f, 0.158f),
    TRUNK("chest", "ribs", 1.260f, 0, 1.360f, -0.005f, 0.162f, 0.128f),
    HARD("neck", "chest", 0, 1.430f, -0.010f, 0, 1.520f, 0.005f, 0.060f, 0.056f, 0.04f),
    {.name = "head",
     .parent = "neck",
     .shape = FIGURE_BALL,
     .from = {0, 1.505f, 0.020f},
     .to = {0, 1.775f, 0.020f},
     .radius = {0.105f},
     .flat = 1.12f,
     .blend = 0.02f,
     .color = SKIN,
     .firm = 1},
    PAD("paunch", "belly", 0, 0.960f, 0.030f, 0, 1.260f, 0.030f, 0.085f),
    PAD("back", "ribs", 0, 1.000f, -0.030f, 0, 1.380f, -0.030f, 0.080f),
    BONE("* clavicle", "chest", 0.030f, 1.400f, -0.010f, 0.150f, 1.405f, -0.010f, 0.058f, 0.060f,
         0.05f),
    BONE("* upper arm", "* clavicle", 0.185f, 1.405f, -0.010f, 0.395f, 1.295f, -0.010f, 0.055f,
         0.043f, 0.03f),
    BONE("* forearm", "* upper arm", 0.395f, 1.295f, -0.010f, 0.595f, 1.186f, 0, 0.043f, 0.031f,
         0.01f),
    {.name = "* hand",
     .parent = "* forearm",
     .from = {0.605f, 1.181f, 0},
     .to = {0.655f, 1.154f, 0},
     .radius = {0.042f, 0.055f},
     .flat = 0.45f,
     .facing = {0.49f, 0.87f, 0},
     .blend = 0.02f,
     .color = SKIN,
     .firm = 1},
    FINGER("index finger", 0.053f, 0.34f, 0.042f),
    FINGER("middle finger", 0.018f, 0.11f, 0.047f),
    FINGER("ring finger", -0.018f, -0.11f, 0.044f),
    FINGER("little finger", -0.052f, -0.36f, 0.036f),
    HARD("* thumb 1", "* hand", 0.620f, 1.172f, 0.038f, 0.650f, 1.150f, 0.078f, 0.018f, 0.015f,
         0.01f),
    HARD("* thumb 2", "* thumb 1", 0.650f, 1.150f, 0.078f, 0.677f, 1.132f, 0.100f, 0.015f, 0.013f,
         0.004f),
    BONE("* breast", "chest", 0.068f, 1.300f, 0.062f, 0.078f, 1.320f, 0.072f, 0.050f, 0.050f,
         0.05f),
    BONE("* thigh", "hips", 0.092f, 0.900f, 0, 0.100f, 0.520f, 0.005f, 0.088f, 0.060f, 0.02f),
    BONE("* shin", "* thigh", 0.100f, 0.500f, 0.005f, 0.104f, 0.110f, -0.020f, 0.060f, 0.040f,
         0.01f),
    HARD("* foot", "* shin", 0.104f, 0.070f, -0.030f, 0.112f, 0.035f, 0.090f, 0.048f, 0.040f,
         0.03f),
    HARD("* toes", "* foot", 0.124f, 0.028f, 0.115f, 0.132f, 0.024f, 0.145f, 0.034f, 0.026f, 0.02f),
    HARD("* big toe", "* foot", 0.095f, 0.028f, 0.115f, 0.094f, 0.025f, 0.155f, 0.030f, 0.024f,
         0.01f),
    {.name = "heel",
     .parent = "* foot",
     .from = {0.104f, 0.045f, -0.040f},
     .to = {0.104f, 0.040f, -0.055f},
     .radius = {0.043f, 0.038f},
     .blend = 0.02f,
     .color = SKIN,
     .firm = 1,
     .fixed = true},
    PAD("calf", "* shin", 0.106f, 0.230f, -0.025f, 0.104f, 0.480f, -0.020f, 0.045f),
    PAD("ham", "* thigh", 0.108f, 0.560f, -0.012f, 0.106f, 0.900f, -0.012f, 0.060f),
    PAD("buttock", "hips", 0.075f, 0.830f, -0.055f, 0.075f, 0.980f, -0.055f, 0.080f),
    {.name = "nose",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0, 1.600f, 0.150f},
     .to = {0, 1.660f, 0.132f},
     .radius = {0.020f},
     .blend = 0.012f,
     .color = SKIN,
     .firm = 1,
     .fixed = true},
    {.name = "chin",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0, 1.510f, 0.080f},
     .to = {0, 1.580f, 0.100f},
     .radius = {0.042f},
     .blend = 0.03f,
     .color = SKIN,
     .firm = 1,
     .fixed = true},
    {.name = "ear",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0.104f, 1.600f, 0.010f},
     .to = {0.110f, 1.670f, 0.005f},
     .radius = {0.026f},
     .blend = 0.006f,
     .color = SKIN,
     .firm = 1,
     .fixed = true},
    {.name = "goggle",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0.014f, 1.668f, 0.128f},
     .to = {0.076f, 1.668f, 0.106f},
     .radius = {0.026f},
     .blend = 0.003f,
     .edge = 0.013f,
     .color = GOGGLES,
     .firm = 1,
     .fixed = true},
    {.parent = "hips",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0, 0.735f, 0},
     .to = {0, 1.010f, 0},
     .radius = {0.6f},
     .edge = 0.030f,
     .color = TRUNKS},
    {.parent = "head",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0, 1.680f, 0.070f},
     .to = {0, 1.980f, -0.080f},
     .radius = {0.30f},
     .edge = 0.024f,
     .color = CAP},
};

static const figure_target targets[] = {
    {"crouched",
     {{"paunch", {0.130f}},
      {"back", {0.100f}},
      {"ham", {0.076f}},
      {"calf", {0.058f}},
      {"buttock", {0.095f}}}},
    {"tucked",
     {{"paunch", {0.215f}},
      {"back", {0.160f}},
      {"ham", {0.088f}},
      {"calf", {0.070f}},
      {"buttock", {0.115f}},
      {"* breast", {0.075f, 0.075f}},
      {"* upper arm", {0.066f, 0.056f}}}},
};

// Joints that curl up, each by so many degrees in all; `at` makes the values in time of them.
#define CURL_UP(at, values)                                                                        \
    {.joint = "belly", .axis = {1, 0, 0}, .count = values, .degrees = at(22.0f)},                  \
        {.joint = "ribs", .axis = {1, 0, 0}, .count = values, .degrees = at(24.0f)},               \
        {.joint = "chest", .axis = {1, 0, 0}, .count = values, .degrees = at(22.0f)},              \
        {.joint = "neck", .axis = {1, 0, 0}, .count = values, .degrees = at(22.0f)},               \
        {.joint = "head", .axis = {1, 0, 0}, .count = values, .degrees = at(14.0f)},               \
        {.joint = "left thigh", .axis = {1, 0, 0}, .count = values, .degrees = at(-112.0f)},       \
        {.joint = "right thigh", .axis = {1, 0, 0}, .count = values, .degrees = at(-112.0f)},      \
        {.joint = "left shin", .axis = {1, 0, 0}, .count = values, .degrees = at(122.0f)},         \
        {.joint = "right shin", .axis = {1, 0, 0}, .count = values, .degrees = at(122.0f)},        \
        {.joint = "left upper arm", .axis = {1, 0, 0}, .count = values, .degrees = at(-64.0f)},    \
        {.joint = "right upper arm", .axis = {1, 0, 0}, .count = values, .degrees = at(-64.0f)},   \
        {.joint = "left upper arm", .axis = {0, 0, 1}, .count = values, .degrees = at(-46.0f)},    \
        {.joint = "right upper arm", .axis = {0, 0, 1}, .count = values, .degrees = at(46.0f)},    \
        {.joint = "left forearm", .axis = {0, 1, 0}, .count = values, .degrees = at(-46.0f)},      \
    {                                                                                              \
        .joint = "right forearm", .axis = {0, 1, 0}, .count = values, .degrees = at(46.0f)         \
    }
// Arms that rise above the head.
#define REACH(at, values)                                                                          \
    {.joint = "left upper arm", .axis = {0, 0, 1}, .count = values, .degrees = at(110.0f)},        \
        {.joint = "right upper arm", .axis = {0, 0, 1}, .count = values, .degrees = at(-110.0f)},  \
        {.joint = "left foot", .axis = {1, 0, 0}, .count = values, .degrees = at(50.0f)},          \
    {                                                                                              \
        .joint = "right foot", .axis = {1, 0, 0}, .count = values, .degrees = at(50.0f)            \
    }

// Half and whole: the poses of the targets.
#define TO_TUCK(a)                                                                                 \
    {                                                                                              \
        0.0f, 0.5f * (a), (a)                                                                      \
    }
// Every 0.25 s: two springs on the board, the jump, curled up, stretched again.
#define IN_JUMP(a)                                                                                 \
    {                                                                                              \
        0.0f, 0.3f * (a), 0.0f, 0.42f * (a), 0.0f, 0.9f * (a), (a), (a), 0.9f * (a), 0.1f * (a),   \
            0.0f, 0.0f, 0.0f                                                                       \
    }
#define UP_IN_JUMP(a)                                                                              \
    {                                                                                              \
        0.0f, 0.0f, 0.3f * (a), 0.0f, (a), 0.2f * (a), 0.0f, 0.0f, 0.0f, 0.7f * (a), (a), (a), (a) \
    }
// Every 0.25 s: curled up, and out again.
#define IN_FLIP(a)                                                                                 \
    {                                                                                              \
        0.1f * (a), 0.8f * (a), (a), (a), 0.8f * (a), 0.1f * (a), 0.0f, 0.0f, 0.0f                 \
    }
#define UP_IN_FLIP(a)                                                                              \
    {                                                                                              \
        0.7f * (a), 0.2f * (a), 0.0f, 0.0f, 0.0f, 0.5f * (a), 0.8f * (a), 0.9f * (a), (a)          \
    }

static const figure_turn tuck_turns[] = {CURL_UP(TO_TUCK, 3)};
static const figure_turn jump_turns[] = {REACH(UP_IN_JUMP, 13), CURL_UP(IN_JUMP, 13)};
static const figure_turn flip_turns[] = {REACH(UP_IN_FLIP, 9), CURL_UP(IN_FLIP, 9)};

static const figure_clip clips[] = {
    {"tuck", 1.0f, true, tuck_turns, WRI_COUNT(tuck_turns), 97},
    {"jump", 3.0f, true, jump_turns, WRI_COUNT(jump_turns), 97},
    {"flip", 2.0f, true, flip_turns, WRI_COUNT(flip_turns), 97},
};

wr_model *make_diver(void)
{
    return figure_make(&(figure){.name = "diver",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.0125f,
                                 .coarse = 0.034f,
                                 .cell = 0.0085f,
                                 .sole = 0.01f,
                                 .smooth = 5,
                                 .coarser = 1.35f,
                                 .clips = clips,
                                 .clip_count = WRI_COUNT(clips),
                                 .targets = targets,
                                 .target_count = WRI_COUNT(targets)});
}
