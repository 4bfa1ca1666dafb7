// deer.c: a stag that stands, walks and looks about; without antlers and with longer edges a hind.
#include "figure.h"
#include "../src/base/base.h"

enum { COAT, CREAM, HOOF, PINK, EYE, ANTLER, COLORS };

static const figure_color colors[COLORS] = {
    [COAT] = {"coat", {0.66f, 0.42f, 0.24f}, 0.9f},
    [CREAM] = {"cream", {0.95f, 0.87f, 0.74f}, 0.9f},
    [HOOF] = {"hoof", {0.21f, 0.16f, 0.14f}, 0.6f},
    [PINK] = {"skin", {0.88f, 0.64f, 0.56f}, 0.8f},
    [EYE] = {"eye", {0.08f, 0.05f, 0.04f}, 0.12f},
    [ANTLER] = {"antler", {0.80f, 0.70f, 0.55f}, 0.7f},
};

#define HOOF_OF(own, of, z0, z1)                                                                   \
    {                                                                                              \
        .name = own, .parent = of, .from = {0.122f, 0.12f, z0}, .to = {0.122f, 0.03f, z1},         \
        .radius = {0.043f, 0.06f}, .blend = 0.008f, .edge = 0.0195f, .color = HOOF                 \
    }
#define LIMB(own, of, x0, y0, z0, x1, y1, z1, r0, r1, soft, paint)                                 \
    {                                                                                              \
        .name = own, .parent = of, .from = {x0, y0, z0}, .to = {x1, y1, z1}, .radius = {r0, r1},   \
        .blend = soft, .color = paint                                                              \
    }
// Of the trunk: narrower than high.
#define TRUNK(own, of, y0, z0, y1, z1, r0, r1)                                                     \
    {                                                                                              \
        .name = own, .parent = of, .from = {0, y0, z0}, .to = {0, y1, z1}, .radius = {r0, r1},     \
        .flat = 0.84f, .facing = {1, 0, 0}, .blend = 0.03f, .color = COAT                          \
    }

static const figure_part parts[] = {
    TRUNK("hips", NULL, 1.03f, -0.42f, 1.03f, -0.27f, 0.205f, 0.195f),
    TRUNK("spine 1", "hips", 1.03f, -0.27f, 1.025f, -0.12f, 0.195f, 0.19f),
    TRUNK("spine 2", "spine 1", 1.025f, -0.12f, 1.015f, 0.04f, 0.19f, 0.198f),
    TRUNK("spine 3", "spine 2", 1.015f, 0.04f, 1.01f, 0.20f, 0.198f, 0.21f),
    TRUNK("chest", "spine 3", 1.01f, 0.20f, 1.02f, 0.34f, 0.21f, 0.19f),
    LIMB("neck 1", "chest", 0, 1.08f, 0.36f, 0, 1.24f, 0.46f, 0.155f, 0.125f, 0.05f, COAT),
    LIMB("neck 2", "neck 1", 0, 1.24f, 0.46f, 0, 1.38f, 0.52f, 0.125f, 0.108f, 0.02f, COAT),
    LIMB("neck 3", "neck 2", 0, 1.38f, 0.52f, 0, 1.51f, 0.56f, 0.108f, 0.100f, 0.02f, COAT),
    LIMB("head", "neck 3", 0, 1.57f, 0.58f, 0, 1.545f, 0.72f, 0.130f, 0.098f, 0.03f, COAT),
    {.name = "muzzle",
     .parent = "head",
     .from = {0, 1.525f, 0.70f},
     .to = {0, 1.510f, 0.85f},
     .radius = {0.085f, 0.064f},
     .blend = 0.03f,
     .color = COAT,
     .fixed = true},
    LIMB("jaw", "head", 0, 1.485f, 0.66f, 0, 1.462f, 0.81f, 0.062f, 0.046f, 0.02f, COAT),
    {.name = "nose",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0, 1.510f, 0.895f},
     .to = {0, 1.570f, 0.880f},
     .radius = {0.042f},
     .flat = 0.8f,
     .blend = 0.01f,
     .edge = 0.0165f,
     .color = HOOF,
     .fixed = true},
    {.name = "* ear",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0.070f, 1.630f, 0.560f},
     .to = {0.310f, 1.745f, 0.500f},
     .radius = {0.066f},
     .flat = 0.5f,
     .facing = {0.3f, -0.2f, 1},
     .blend = 0.03f,
     .edge = 0.0195f,
     .color = COAT},
    {.name = "eye",
     .parent = "head",
     .shape = FIGURE_BALL,
     .from = {0.084f, 1.555f, 0.690f},
     .to = {0.084f, 1.655f, 0.670f},
     .radius = {0.044f},
     .flat = 0.85f,
     .facing = {1, 0, 0.5f},
     .blend = 0.006f,
     .edge = 0.019f,
     .color = EYE,
     .fixed = true},
    LIMB("tail 1", "hips", 0, 1.12f, -0.585f, 0, 1.09f, -0.67f, 0.055f, 0.055f, 0.03f, COAT),
    LIMB("tail 2", "tail 1", 0, 1.09f, -0.67f, 0, 1.00f, -0.73f, 0.055f, 0.036f, 0.01f, CREAM),

    LIMB("* shoulder", "chest", 0.090f, 1.08f, 0.23f, 0.130f, 0.87f, 0.34f, 0.120f, 0.090f, 0.04f,
         COAT),
    LIMB("* upper arm", "* shoulder", 0.130f, 0.87f, 0.34f, 0.132f, 0.72f, 0.27f, 0.090f, 0.072f,
         0.02f, COAT),
    LIMB("* forearm", "* upper arm", 0.132f, 0.72f, 0.27f, 0.126f, 0.42f, 0.29f, 0.070f, 0.048f,
         0.015f, COAT),
    LIMB("* front cannon", "* forearm", 0.126f, 0.42f, 0.29f, 0.122f, 0.13f, 0.285f, 0.048f, 0.042f,
         0.008f, COAT),
    HOOF_OF("* front hoof", "* front cannon", 0.285f, 0.310f),

    LIMB("* thigh", "hips", 0.085f, 1.02f, -0.38f, 0.130f, 0.74f, -0.31f, 0.165f, 0.095f, 0.04f,
         COAT),
    LIMB("* shin", "* thigh", 0.130f, 0.74f, -0.31f, 0.128f, 0.50f, -0.49f, 0.092f, 0.056f, 0.02f,
         COAT),
    LIMB("* hind cannon", "* shin", 0.128f, 0.50f, -0.49f, 0.122f, 0.20f, -0.455f, 0.054f, 0.043f,
         0.010f, COAT),
    LIMB("* pastern", "* hind cannon", 0.122f, 0.20f, -0.455f, 0.122f, 0.125f, -0.440f, 0.043f,
         0.043f, 0.008f, COAT),
    HOOF_OF("* hind hoof", "* pastern", -0.440f, -0.415f),

    {.parent = "head",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0, 1.395f, 0.830f},
     .to = {0, 1.520f, 0.880f},
     .radius = {0.090f},
     .edge = 0.021f,
     .color = CREAM},
    {.parent = "neck 1",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0, 0.96f, 0.56f},
     .to = {0, 1.34f, 0.66f},
     .radius = {0.085f},
     .edge = 0.026f,
     .color = CREAM},
    {.parent = "hips",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0, 0.88f, -0.63f},
     .to = {0, 1.14f, -0.66f},
     .radius = {0.095f},
     .edge = 0.026f,
     .color = CREAM},

    // The hind ends here.
    {.parent = "spine 2",
     .use = FIGURE_PAINT,
     .from = {0, 0.780f, 0.16f},
     .to = {0, 0.800f, -0.20f},
     .radius = {0.085f, 0.085f},
     .edge = 0.026f,
     .color = CREAM},
    {.parent = "* ear",
     .use = FIGURE_CARVE,
     .shape = FIGURE_BALL,
     .from = {0.135f, 1.655f, 0.580f},
     .to = {0.295f, 1.735f, 0.540f},
     .radius = {0.042f},
     .flat = 0.6f,
     .facing = {0.3f, -0.2f, 1},
     .blend = 0.012f,
     .edge = 0.019f},
    {.parent = "* ear",
     .use = FIGURE_PAINT,
     .shape = FIGURE_BALL,
     .from = {0.130f, 1.652f, 0.580f},
     .to = {0.300f, 1.738f, 0.540f},
     .radius = {0.045f},
     .flat = 0.7f,
     .facing = {0.3f, -0.2f, 1},
     .edge = 0.019f,
     .color = PINK},
    {.name = "antler",
     .parent = "head",
     .from = {0.055f, 1.66f, 0.57f},
     .to = {0.130f, 1.86f, 0.50f},
     .radius = {0.028f, 0.026f},
     .blend = 0.012f,
     .color = ANTLER,
     .fixed = true},
    {.name = "upper antler",
     .parent = "head",
     .from = {0.130f, 1.86f, 0.50f},
     .to = {0.190f, 2.03f, 0.54f},
     .radius = {0.026f, 0.022f},
     .blend = 0.008f,
     .color = ANTLER,
     .fixed = true},
    {.name = "front tine",
     .parent = "head",
     .from = {0.100f, 1.80f, 0.525f},
     .to = {0.120f, 1.90f, 0.640f},
     .radius = {0.024f, 0.021f},
     .blend = 0.014f,
     .color = ANTLER,
     .fixed = true},
    {.name = "side tine",
     .parent = "head",
     .from = {0.150f, 1.91f, 0.515f},
     .to = {0.260f, 1.97f, 0.490f},
     .radius = {0.023f, 0.021f},
     .blend = 0.014f,
     .color = ANTLER,
     .fixed = true},
};

// Hooves rest on the ground for five eighths of the walk and go back evenly, one after another:
// left hind, left front, right hind, right front.
#define STEP(own, late, ...)                                                                       \
    {                                                                                              \
        .joint = own, .axis = {1, 0, 0}, .phase = late, .count = 16, .degrees = { __VA_ARGS__ }    \
    }
#define SWING(own, x, y, z, late, most)                                                            \
    {                                                                                              \
        .joint = own, .axis = {x, y, z}, .phase = late, .count = 8, .degrees = FIGURE_SWING(most)  \
    }
#define SHOULDER 1, -1, -2, -2, -1, 0, 2, 5, 8, 11, 15, 7, 4, 1, -5, -8
#define UPPER_ARM -28, -17, -10, -5, -2, 0, 1, 1, -1, -3, -6, 6, 1, -8, -7, -8
#define FOREARM 14, 8, 5, 3, 1, 0, 0, 0, 0, 1, 2, -18, -29, -30, -25, -10
#define FRONT_CANNON 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 35, 64, 75, 63, 32
#define FRONT_HOOF 13, 10, 7, 5, 2, 0, -3, -5, -7, -10, -11, -10, -9, -3, 4, 11
#define THIGH -11, -10, -8, -5, -3, 0, 3, 7, 11, 15, 19, 6, -9, -19, -23, -19
#define SHIN -4, -1, 0, 1, 1, 0, -2, -4, -7, -12, -16, 10, 32, 42, 35, 16
#define HIND_CANNON 2, 1, 0, 0, 0, 0, 1, 3, 5, 8, 11, -6, -21, -27, -23, -10
#define PASTERN 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 15, 25, 28, 24, 14
#define HIND_HOOF 12, 10, 8, 5, 3, 0, -3, -5, -8, -11, -13, -5, 4, 12, 17, 17

static const figure_turn walk[] = {
    STEP("left thigh", 0.0f, THIGH),
    STEP("left shin", 0.0f, SHIN),
    STEP("left hind cannon", 0.0f, HIND_CANNON),
    STEP("left pastern", 0.0f, PASTERN),
    STEP("left hind hoof", 0.0f, HIND_HOOF),
    STEP("right thigh", 0.5f, THIGH),
    STEP("right shin", 0.5f, SHIN),
    STEP("right hind cannon", 0.5f, HIND_CANNON),
    STEP("right pastern", 0.5f, PASTERN),
    STEP("right hind hoof", 0.5f, HIND_HOOF),
    STEP("left shoulder", 0.25f, SHOULDER),
    STEP("left upper arm", 0.25f, UPPER_ARM),
    STEP("left forearm", 0.25f, FOREARM),
    STEP("left front cannon", 0.25f, FRONT_CANNON),
    STEP("left front hoof", 0.25f, FRONT_HOOF),
    STEP("right shoulder", 0.75f, SHOULDER),
    STEP("right upper arm", 0.75f, UPPER_ARM),
    STEP("right forearm", 0.75f, FOREARM),
    STEP("right front cannon", 0.75f, FRONT_CANNON),
    STEP("right front hoof", 0.75f, FRONT_HOOF),
    {.joint = "neck 1",
     .axis = {1, 0, 0},
     .count = 8,
     .degrees = {2.0f, 4.0f, 2.0f, 0.0f, 2.0f, 4.0f, 2.0f, 0.0f}},
    {.joint = "head",
     .axis = {1, 0, 0},
     .count = 8,
     .degrees = {-1.0f, -3.0f, -1.0f, 0.0f, -1.0f, -3.0f, -1.0f, 0.0f}},
    SWING("spine 2", 0, 1, 0, 0.0f, 2.0f),
    SWING("chest", 0, 1, 0, 0.5f, 2.0f),
    SWING("tail 1", 0, 1, 0, 0.1f, 10.0f),
    SWING("tail 2", 0, 1, 0, 0.2f, 12.0f),
};

// To its left, to its right; the ears are there first.
#define LOOK(own, late, most)                                                                      \
    {                                                                                              \
        .joint = own, .axis = {0, 1, 0}, .phase = late, .count = 8, .degrees = {                   \
            0,                                                                                     \
            0.9f * (most),                                                                         \
            (most),                                                                                \
            0.9f * (most),                                                                         \
            0,                                                                                     \
            -0.9f * (most),                                                                        \
            -(most),                                                                               \
            -0.9f * (most)                                                                         \
        }                                                                                          \
    }

static const figure_turn look[] = {
    LOOK("neck 1", 0.06f, 10.0f),          LOOK("neck 2", 0.05f, 14.0f),
    LOOK("neck 3", 0.04f, 16.0f),          LOOK("head", 0.02f, 18.0f),
    LOOK("left ear", 0.0f, 14.0f),         LOOK("right ear", 0.0f, 14.0f),
    SWING("neck 3", 1, 0, 0, 0.25f, 5.0f), SWING("tail 1", 0, 1, 0, 0.3f, 14.0f),
    SWING("tail 2", 0, 1, 0, 0.4f, 16.0f),
};

static const figure_clip clips[] = {
    {.name = "walk", .length = 1.2f, .turns = walk, .turn_count = WRI_COUNT(walk)},
    {.name = "look", .length = 4.0f, .turns = look, .turn_count = WRI_COUNT(look)},
};

enum { PARTS_OF_STAG = 7 };

static const figure stag = {.name = "deer",
                            .parts = parts,
                            .part_count = WRI_COUNT(parts),
                            .colors = colors,
                            .color_count = COLORS,
                            .fine = 0.0203f,
                            .coarse = 0.0285f,
                            .cell = 0.015f,
                            .sole = 0.012f,
                            .smooth = 4,
                            .clips = clips,
                            .clip_count = WRI_COUNT(clips)};

wr_model *make_deer(void)
{
    return figure_make(&stag);
}

wr_model *make_deer_light(void)
{
    figure hind = stag;
    hind.name = "deer-light";
    hind.part_count -= PARTS_OF_STAG;
    hind.coarser = 1.9f;
    hind.fine = 0.043f;
    hind.coarse = 0.068f;
    hind.smooth = 2;
    return figure_make(&hind);
}
