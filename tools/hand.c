// hand.c: a right hand that is held up, its palm to the viewer, and closes to a fist.
#include "figure.h"
#include "../src/base/base.h"

enum { SKIN, CUFF, COLORS };

static const figure_color colors[COLORS] = {
    [SKIN] = {"skin", {0.93f, 0.72f, 0.58f}, 0.7f},
    [CUFF] = {"cuff", {0.24f, 0.39f, 0.62f}, 0.9f},
};

#define BONE(own, of, x0, y0, z0, x1, y1, z1, r0, r1)                                              \
    {                                                                                              \
        .name = own, .parent = of, .from = {x0, y0, z0}, .to = {x1, y1, z1}, .radius = {r0, r1},   \
        .blend = 0.008f, .color = SKIN                                                             \
    }

static const figure_part parts[] = {
    {.name = "wrist",
     .from = {0, 0.025f, 0},
     .to = {0, 0.080f, 0},
     .radius = {0.060f, 0.062f},
     .flat = 0.78f,
     .color = SKIN},
    {.name = "palm",
     .parent = "wrist",
     .from = {0.004f, 0.090f, 0},
     .to = {0, 0.172f, 0},
     .radius = {0.078f, 0.094f},
     .flat = 0.46f,
     .blend = 0.03f,
     .color = SKIN},
    {.name = "ball of the thumb",
     .parent = "palm",
     .shape = FIGURE_BALL,
     .from = {0.020f, 0.060f, 0.012f},
     .to = {0.075f, 0.160f, 0.024f},
     .radius = {0.040f},
     .flat = 0.8f,
     .blend = 0.02f,
     .color = SKIN,
     .fixed = true},
    BONE("index finger 1", "palm", 0.07f, 0.208f, 0.0f, 0.077f, 0.2575f, 0.0f, 0.0255f, 0.0243f),
    BONE("index finger 2", "index finger 1", 0.077f, 0.2575f, 0.0f, 0.0828f, 0.2991f, 0.0f, 0.0243f,
         0.0231f),
    BONE("index finger 3", "index finger 2", 0.0828f, 0.2991f, 0.0f, 0.0878f, 0.3348f, 0.0f,
         0.0231f, 0.0219f),
    BONE("middle finger 1", "palm", 0.0235f, 0.222f, 0.0f, 0.0254f, 0.277f, 0.0f, 0.026f, 0.0248f),
    BONE("middle finger 2", "middle finger 1", 0.0254f, 0.277f, 0.0f, 0.027f, 0.3229f, 0.0f,
         0.0248f, 0.0236f),
    BONE("middle finger 3", "middle finger 2", 0.027f, 0.3229f, 0.0f, 0.0284f, 0.3609f, 0.0f,
         0.0236f, 0.0224f),
    BONE("ring finger 1", "palm", -0.0235f, 0.216f, 0.0f, -0.0279f, 0.2658f, 0.0f, 0.025f, 0.0238f),
    BONE("ring finger 2", "ring finger 1", -0.0279f, 0.2658f, 0.0f, -0.0315f, 0.3076f, 0.0f,
         0.0238f, 0.0226f),
    BONE("ring finger 3", "ring finger 2", -0.0315f, 0.3076f, 0.0f, -0.0347f, 0.3435f, 0.0f,
         0.0226f, 0.0214f),
    BONE("little finger 1", "palm", -0.068f, 0.196f, 0.0f, -0.077f, 0.235f, 0.0f, 0.0225f, 0.0213f),
    BONE("little finger 2", "little finger 1", -0.077f, 0.235f, 0.0f, -0.0846f, 0.2681f, 0.0f,
         0.0213f, 0.0201f),
    BONE("little finger 3", "little finger 2", -0.0846f, 0.2681f, 0.0f, -0.0914f, 0.2973f, 0.0f,
         0.0201f, 0.0189f),
    BONE("thumb 1", "palm", 0.050f, 0.095f, 0.012f, 0.106f, 0.140f, 0.024f, 0.036f, 0.029f),
    BONE("thumb 2", "thumb 1", 0.106f, 0.140f, 0.024f, 0.136f, 0.178f, 0.030f, 0.029f, 0.028f),
    BONE("thumb 3", "thumb 2", 0.136f, 0.178f, 0.030f, 0.152f, 0.215f, 0.032f, 0.028f, 0.026f),
    {.name = "cuff",
     .parent = "wrist",
     .copies = FIGURE_RING,
     .from = {0, 0.004f, 0.058f},
     .to = {0, 0.034f, 0.060f},
     .radius = {0.018f, 0.018f},
     .blend = 0.004f,
     .color = CUFF,
     .fixed = true},
};

#define CURL(own, by)                                                                              \
    {                                                                                              \
        .joint = own, .axis = {1, 0, 0}, .count = 4, .degrees = {                                  \
            0,                                                                                     \
            0.3f * (by),                                                                           \
            0.8f * (by),                                                                           \
            by                                                                                     \
        }                                                                                          \
    }
#define CURL_BACK(own, by)                                                                         \
    {                                                                                              \
        .joint = own, .axis = {1, 0, 0}, .count = 4, .degrees = {                                  \
            by,                                                                                    \
            0.8f * (by),                                                                           \
            0.3f * (by),                                                                           \
            0                                                                                      \
        }                                                                                          \
    }
#define CURL_ALL(turn)                                                                             \
    turn("index finger 1", 78.0f), turn("index finger 2", 96.0f), turn("index finger 3", 62.0f),   \
        turn("middle finger 1", 80.0f), turn("middle finger 2", 96.0f),                            \
        turn("middle finger 3", 62.0f), turn("ring finger 1", 80.0f),                              \
        turn("ring finger 2", 96.0f), turn("ring finger 3", 62.0f),                                \
        turn("little finger 1", 78.0f), turn("little finger 2", 96.0f),                            \
        turn("little finger 3", 62.0f)
// The thumb waits for the fingers, then lies across them.
#define FOLD(own, x, y, z, ...)                                                                    \
    {                                                                                              \
        .joint = own, .axis = {x, y, z}, .count = 4, .degrees = { __VA_ARGS__ }                    \
    }

static const figure_turn close_turns[] = {
    CURL_ALL(CURL),
    FOLD("thumb 1", 0.35f, -1, 0, 0, 0, 24, 58),
    FOLD("thumb 2", 0.5f, -0.5f, 0.6f, 0, 0, 14, 40),
    FOLD("thumb 3", 0.5f, -0.5f, 0.6f, 0, 0, 14, 40),
};
static const figure_turn open_turns[] = {
    CURL_ALL(CURL_BACK),
    FOLD("thumb 1", 0.35f, -1, 0, 58, 24, 0, 0),
    FOLD("thumb 2", 0.5f, -0.5f, 0.6f, 40, 14, 0, 0),
    FOLD("thumb 3", 0.5f, -0.5f, 0.6f, 40, 14, 0, 0),
};

static const figure_clip clips[] = {
    {.name = "close",
     .length = 0.8f,
     .once = true,
     .turns = close_turns,
     .turn_count = WRI_COUNT(close_turns)},
    {.name = "open",
     .length = 0.8f,
     .once = true,
     .turns = open_turns,
     .turn_count = WRI_COUNT(open_turns)},
};

wr_model *make_hand(void)
{
    return figure_make(&(figure){.name = "hand",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.0075f,
                                 .coarse = 0.011f,
                                 .cell = 0.006f,
                                 .sole = 0.006f,
                                 .whole = true,
                                 .upright = true,
                                 .smooth = 4,
                                 .clips = clips,
                                 .clip_count = WRI_COUNT(clips)});
}
