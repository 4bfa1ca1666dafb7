// bridge.c: a through truss bridge of six bays: trusses with gussets and rivets, floor beams,
// carriageway, railings and bracing overhead.
//
// The road runs along X, from -12 to 12 m; everything hangs on the two trusses, which stand on
// y = 0. Heights in this file are above the road.
#include "props.h"

enum { PAINT, ROAD, RAIL, RIVET, LINE, LOOKS };

enum { BAYS = 6 };
static const float HALF = 12.0f, WIDE = 2.9f, TALL = 4.6f, LOW = -0.75f;
static const wr_vec3 UP = {0.0f, 1.0f, 0.0f}, SIDE = {0.0f, 0.0f, 1.0f};

static wr_model *start_bridge(void)
{
    const wr_look looks[LOOKS] = {
        [PAINT] = plain("green paint", 0.10f, 0.22f, 0.17f, 0.5f, 0.2f),
        [ROAD] = plain("asphalt", 0.07f, 0.07f, 0.075f, 0.95f, 0.0f),
        [RAIL] = plain("galvanised steel", 0.5f, 0.52f, 0.54f, 0.45f, 0.8f),
        [RIVET] = plain("rivets", 0.13f, 0.25f, 0.2f, 0.4f, 0.3f),
        [LINE] = plain("road marking", 0.8f, 0.8f, 0.76f, 0.8f, 0.0f),
    };
    return start_prop("bridge", looks, LOOKS);
}

static float joint(int i)
{
    return -HALF + 2.0f * HALF * (float)i / BAYS;
}

// An H section, its flanges across `up`.
static void add_member(solid *s, wr_vec3 from, wr_vec3 to, wr_vec3 up, float width, float height)
{
    float x = 0.5f * width, y = 0.5f * height, t = 0.06f * (width + height);
    wr_vec3 z = wr_normalize(wr_sub(to, from));
    wr_vec3 across = wr_normalize(wr_cross(up, z)), rise = wr_cross(z, across);
    for (int i = 0; i < 2; i++) {
        float sign = i ? 1.0f : -1.0f;
        wr_vec3 off = wr_scale(sign * (y - 0.5f * t), rise);
        part_bar(s, wr_add(from, off), wr_add(to, off), up, width, t);
    }
    part_bar(s, from, to, up, 0.35f * x, 2.0f * (y - 0.9f * t));
}

// A plate on the outside of a joint, with rivets round it.
static void add_gusset(solid *s, wr_vec3 at, float width, float height, float side)
{
    s->look = PAINT;
    part_box(s, at, wr_v3(width, height, 0.04f), 0.008f);
    s->look = RIVET;
    wr_vec3 out = wr_v3(0.0f, 0.0f, side);
    wr_vec3 face = wr_add_scaled(at, 0.02f, out);
    for (int i = 0; i < 2; i++) {
        float y = (i ? 0.4f : -0.4f) * height, x = 0.42f * width;
        part_rivets(s, wr_add(face, wr_v3(-x, y, 0.0f)), wr_add(face, wr_v3(x, y, 0.0f)), out,
                    0.03f, 5);
    }
}

static void add_truss(solid *s, float side)
{
    float z = side * WIDE;
    s->look = PAINT;
    add_member(s, wr_v3(-HALF, LOW, z), wr_v3(HALF, LOW, z), UP, 0.34f, 0.36f);
    add_member(s, wr_v3(joint(1), TALL, z), wr_v3(joint(BAYS - 1), TALL, z), UP, 0.34f, 0.36f);
    // End posts slope; the diagonals of the other bays fall towards the middle.
    add_member(s, wr_v3(joint(0), LOW, z), wr_v3(joint(1), TALL, z), SIDE, 0.32f, 0.3f);
    add_member(s, wr_v3(joint(BAYS), LOW, z), wr_v3(joint(BAYS - 1), TALL, z), SIDE, 0.32f, 0.3f);
    for (int i = 1; i < BAYS; i++) {
        s->look = PAINT;
        add_member(s, wr_v3(joint(i), LOW, z), wr_v3(joint(i), TALL, z), SIDE, 0.22f, 0.22f);
        if (i < BAYS - 1) {
            bool first = i < BAYS / 2;
            wr_vec3 a = wr_v3(joint(i), first ? TALL : LOW, z);
            wr_vec3 b = wr_v3(joint(i + 1), first ? LOW : TALL, z);
            add_member(s, a, b, SIDE, 0.22f, 0.2f);
        }
    }
    for (int i = 0; i <= BAYS; i++) {
        add_gusset(s, wr_v3(joint(i), LOW + 0.12f, z + 0.2f * side), 1.0f, 0.7f, side);
        if (i > 0 && i < BAYS) {
            add_gusset(s, wr_v3(joint(i), TALL - 0.12f, z + 0.2f * side), 1.0f, 0.62f, side);
        }
    }
}

static void add_floor(solid *s)
{
    s->look = PAINT;
    for (int i = 0; i <= BAYS; i++) {
        add_member(s, wr_v3(joint(i), -0.48f, -WIDE), wr_v3(joint(i), -0.48f, WIDE), UP, 0.3f,
                   0.5f);
    }
    for (int i = 0; i < 5; i++) {
        float z = -2.0f + (float)i;
        add_member(s, wr_v3(-HALF, -0.32f, z), wr_v3(HALF, -0.32f, z), UP, 0.18f, 0.26f);
    }
    for (int i = 0; i < BAYS; i++) { // wind bracing below
        float z = i % 2 ? WIDE : -WIDE;
        part_bar(s, wr_v3(joint(i), LOW + 0.05f, z), wr_v3(joint(i + 1), LOW + 0.05f, -z), UP,
                 0.12f, 0.1f);
    }
    s->look = ROAD; // one slab per bay, with expansion joints
    for (int i = 0; i < BAYS; i++) {
        wr_vec3 at = wr_v3(0.5f * (joint(i) + joint(i + 1)), -0.09f, 0.0f);
        s->lengths = s->widths = 4;
        part_box(s, at, wr_v3(3.97f, 0.18f, 5.0f), 0.01f);
        s->lengths = s->widths = 1;
    }
    s->look = LINE;
    for (int i = 0; i < 2 * BAYS; i++) {
        part_box(s, wr_v3(-HALF + 1.0f + 2.0f * (float)i, 0.004f, 0.0f), wr_v3(1.1f, 0.012f, 0.12f),
                 0.002f);
    }
}

static void add_railing(solid *s, float side)
{
    float z = side * 2.5f;
    s->look = LINE; // kerb
    part_bar(s, wr_v3(-HALF, 0.1f, side * 2.36f), wr_v3(HALF, 0.1f, side * 2.36f), UP, 0.22f, 0.2f);
    s->look = RAIL;
    for (int i = 0; i < 3; i++) {
        float y = 0.45f + 0.3f * (float)i;
        part_tube(s, wr_v3(-HALF, y, z), wr_v3(HALF, y, z), i == 2 ? 0.05f : 0.032f, 8);
    }
    for (int i = 0; i <= 4 * BAYS; i++) {
        float x = -HALF + 0.06f + (2.0f * HALF - 0.12f) * (float)i / (4 * BAYS);
        part_bar(s, wr_v3(x, -0.15f, z), wr_v3(x, 1.05f, z), SIDE, 0.07f, 0.07f);
    }
}

// Struts and crosses between the upper chords, portals at both ends.
static void add_overhead(solid *s)
{
    s->look = PAINT;
    for (int i = 1; i < BAYS; i++) {
        add_member(s, wr_v3(joint(i), TALL, -WIDE), wr_v3(joint(i), TALL, WIDE), UP, 0.2f, 0.24f);
        if (i < BAYS - 1) {
            for (int k = 0; k < 2; k++) {
                float z = k ? WIDE : -WIDE;
                part_bar(s, wr_v3(joint(i), TALL, z), wr_v3(joint(i + 1), TALL, -z), UP, 0.1f,
                         0.1f);
            }
        }
    }
    for (int i = 0; i < 2; i++) {
        float x = i ? joint(BAYS - 1) : joint(1);
        for (int k = 0; k < 2; k++) {
            float z = k ? WIDE : -WIDE;
            part_bar(s, wr_v3(x, TALL - 1.2f, z), wr_v3(x, TALL, 0.45f * z), UP, 0.12f, 0.12f);
        }
    }
}

static wr_vec3 raise(wr_vec3 p)
{
    return wr_add(p, wr_v3(0.0f, 0.98f, 0.0f));
}

wr_model *make_bridge(const char *cages)
{
    (void)cages; // it is made of parts alone
    wr_model *model = start_bridge();
    solid s = solid_create();
    for (int i = 0; i < 2; i++) {
        add_truss(&s, i ? 1.0f : -1.0f);
        add_railing(&s, i ? 1.0f : -1.0f);
    }
    add_floor(&s);
    add_overhead(&s);
    solid_bend(&s, raise);
    solid_finish(&s, model);
    return model;
}
