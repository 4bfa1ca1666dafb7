// crane.c: a tower crane: mast, jib and counter-jib of lattice girders, cab, counterweight, hook.
//
// It stands on y = 0; the jib points along +X.
#include "props.h"

enum { YELLOW, GLASS, CONCRETE, STEEL, ROPE, RED, LOOKS };

static const float MAST = 19.2f, JIB = 19.0f, TAIL = 7.6f, TOP = 24.2f;
static const wr_vec3 UP = {0.0f, 1.0f, 0.0f}, ALONG = {0.0f, 0.0f, 1.0f};

static wr_model *start_crane(void)
{
    const wr_look looks[LOOKS] = {
        [YELLOW] = plain("yellow paint", 0.78f, 0.46f, 0.03f, 0.45f, 0.1f),
        [GLASS] = plain("glass", 0.05f, 0.08f, 0.1f, 0.08f, 0.0f),
        [CONCRETE] = plain("concrete", 0.42f, 0.41f, 0.39f, 0.9f, 0.0f),
        [STEEL] = plain("steel", 0.16f, 0.165f, 0.17f, 0.5f, 0.7f),
        [ROPE] = plain("rope", 0.1f, 0.1f, 0.1f, 0.7f, 0.3f),
        [RED] = plain("red paint", 0.6f, 0.04f, 0.03f, 0.5f, 0.1f),
    };
    return start_prop("crane", looks, LOOKS);
}

// Crossed beams with ballast on their ends, and struts up to the mast.
static void add_base(solid *s)
{
    s->look = STEEL;
    part_bar(s, wr_v3(-2.7f, 0.25f, 0.0f), wr_v3(2.7f, 0.25f, 0.0f), UP, 0.5f, 0.5f);
    part_bar(s, wr_v3(0.0f, 0.25f, -2.7f), wr_v3(0.0f, 0.25f, 2.7f), UP, 0.5f, 0.5f);
    for (int i = 0; i < 4; i++) {
        float a = 0.5f * WR_PI * (float)i, x = roundf(cosf(a)), z = roundf(sinf(a));
        s->look = CONCRETE;
        for (int k = 0; k < 3; k++) {
            wr_vec3 size = wr_v3(x != 0.0f ? 1.0f : 2.4f, 0.6f, x != 0.0f ? 2.4f : 1.0f);
            part_box(s, wr_v3(2.1f * x, 0.82f + 0.64f * (float)k, 2.1f * z), size, 0.05f);
        }
        s->look = YELLOW;
        part_bar(s, wr_v3(1.45f * x, 0.45f, 1.45f * z), wr_v3(0.7f * x, 3.6f, 0.7f * z), ALONG,
                 0.16f, 0.16f);
        part_box(s, wr_v3(2.55f * x, 0.3f, 2.55f * z), wr_v3(0.6f, 0.62f, 0.6f), 0.03f);
    }
}

static void add_mast(solid *s)
{
    s->look = YELLOW;
    part_truss(s, &(truss){.from = {0.0f, 0.4f, 0.0f},
                           .to = {0.0f, MAST, 0.0f},
                           .up = {1.0f, 0.0f, 0.0f},
                           .width = 1.6f,
                           .height = 1.6f,
                           .bays = 11,
                           .chord = 0.17f,
                           .brace = 0.085f});
    // The slewing ring between mast and what turns.
    s->look = STEEL;
    part_box(s, wr_v3(0.0f, MAST + 0.15f, 0.0f), wr_v3(2.0f, 0.3f, 2.0f), 0.04f);
    const wr_vec2 bearing[] = {{0, 0},       {1.15f, 0},   {1.15f, 0.2f},
                               {1.0f, 0.3f}, {1.0f, 0.5f}, {0, 0.5f}};
    part_turn(s, wr_v3(0.0f, MAST + 0.25f, 0.0f), UP, bearing, WRI_COUNT(bearing), 24);
    s->look = YELLOW;
    part_box(s, wr_v3(0.0f, MAST + 0.85f, 0.0f), wr_v3(1.9f, 0.3f, 1.9f), 0.04f);
    for (int i = 0; i < 4; i++) { // the head, which the pendants hang on
        float x = i & 1 ? 0.75f : -0.75f, z = i & 2 ? 0.6f : -0.6f;
        part_bar(s, wr_v3(x, MAST + 0.9f, z), wr_v3(0.15f * x, TOP, 0.25f * z), ALONG, 0.16f,
                 0.16f);
    }
    for (int i = 1; i < 5; i++) {
        float t = (float)i / 5.0f, y = MAST + 0.9f + t * (TOP - MAST - 0.9f);
        float x = 0.75f * (1.0f - 0.85f * t), z = 0.6f * (1.0f - 0.75f * t);
        for (int side = 0; side < 2; side++) {
            float sign = side ? 1.0f : -1.0f;
            part_bar(s, wr_v3(-x, y, sign * z), wr_v3(x, y, sign * z), UP, 0.08f, 0.08f);
            part_bar(s, wr_v3(sign * x, y, -z), wr_v3(sign * x, y, z), UP, 0.08f, 0.08f);
        }
    }
    s->look = RED;
    part_box(s, wr_v3(0.0f, TOP, 0.0f), wr_v3(0.5f, 0.35f, 0.5f), 0.04f);
}

static void add_jib(solid *s)
{
    float y = MAST + 1.35f;
    s->look = YELLOW;
    part_truss(s, &(truss){.from = {0.8f, y + 0.1f, 0.0f},
                           .to = {JIB, y + 0.1f, 0.0f},
                           .up = {0.0f, 1.0f, 0.0f},
                           .width = 1.2f,
                           .height = 1.25f,
                           .width1 = 1.0f,
                           .height1 = 0.8f,
                           .bays = 13,
                           .chord = 0.14f,
                           .brace = 0.075f,
                           .triangular = true});
    s->look = RED;
    part_box(s, wr_v3(JIB + 0.05f, y, 0.0f), wr_v3(0.25f, 0.9f, 1.2f), 0.04f);
    // The counter-jib: two beams with a walkway and a railing, and the winch.
    s->look = YELLOW;
    for (int i = 0; i < 2; i++) {
        float z = i ? 0.65f : -0.65f;
        part_bar(s, wr_v3(-0.8f, y - 0.35f, z), wr_v3(-TAIL, y - 0.35f, z), UP, 0.18f, 0.35f);
        part_bar(s, wr_v3(-0.9f, y + 0.85f, 1.15f * z), wr_v3(-TAIL, y + 0.85f, 1.15f * z), UP,
                 0.06f, 0.06f);
        for (int k = 0; k <= 5; k++) {
            float x = -0.95f - (TAIL - 1.1f) * (float)k / 5.0f;
            part_bar(s, wr_v3(x, y - 0.3f, 1.15f * z), wr_v3(x, y + 0.85f, 1.15f * z), ALONG, 0.06f,
                     0.06f);
        }
    }
    s->look = STEEL;
    s->lengths = 6;
    part_box(s, wr_v3(-0.5f * (TAIL + 0.8f), y - 0.16f, 0.0f), wr_v3(TAIL - 0.8f, 0.06f, 1.55f),
             0.01f);
    s->lengths = 1;
    part_tube(s, wr_v3(-3.6f, y + 0.25f, -0.5f), wr_v3(-3.6f, y + 0.25f, 0.5f), 0.36f, 20);
    part_box(s, wr_v3(-4.4f, y + 0.15f, 0.0f), wr_v3(0.7f, 0.55f, 0.9f), 0.05f);
    s->look = CONCRETE;
    for (int k = 0; k < 6; k++) { // so many that it stands, although girders are as dense to us
        part_box(s, wr_v3(-TAIL + 0.25f + 0.42f * (float)k, y - 1.2f, 0.0f),
                 wr_v3(0.38f, 3.2f, 1.05f), 0.04f);
    }
}

static void add_pendants(solid *s)
{
    const struct {
        float x, y;
    } ends[] = {{7.5f, MAST + 2.05f}, {14.5f, MAST + 1.9f}, {-TAIL + 0.6f, MAST + 1.3f}};
    s->look = ROPE;
    for (int i = 0; i < WRI_COUNT(ends); i++) {
        part_tube(s, wr_v3(0.0f, TOP - 0.05f, 0.0f), wr_v3(ends[i].x, ends[i].y, 0.0f), 0.05f, 8);
    }
}

// On the mast's left below the jib, with windows on three sides and a floor window.
static void add_cab(solid *s)
{
    wr_vec3 at = wr_v3(1.15f, MAST + 0.35f, 1.55f);
    s->look = YELLOW;
    part_box(s, at, wr_v3(1.7f, 1.9f, 1.3f), 0.08f);
    part_box(s, wr_add(at, wr_v3(0.0f, 0.98f, 0.0f)), wr_v3(1.9f, 0.1f, 1.5f), 0.03f);
    part_bar(s, wr_v3(0.4f, MAST + 0.85f, 0.6f), wr_v3(0.6f, MAST + 0.9f, 1.4f), UP, 0.3f, 0.2f);
    s->look = GLASS;
    part_box(s, wr_add(at, wr_v3(0.84f, 0.12f, 0.0f)), wr_v3(0.06f, 1.35f, 1.06f), 0.02f);
    part_box(s, wr_add(at, wr_v3(0.3f, 0.2f, 0.64f)), wr_v3(0.95f, 1.05f, 0.06f), 0.02f);
    part_box(s, wr_add(at, wr_v3(0.3f, 0.2f, -0.64f)), wr_v3(0.95f, 1.05f, 0.06f), 0.02f);
    part_box(s, wr_add(at, wr_v3(0.45f, -0.94f, 0.0f)), wr_v3(0.7f, 0.06f, 0.9f), 0.02f);
}

// Trolley under the jib, four falls of rope, the block and its hook.
static void add_hook(solid *s)
{
    float x = 12.4f, y = MAST + 0.62f, low = 12.2f;
    s->look = STEEL;
    part_box(s, wr_v3(x, y, 0.0f), wr_v3(1.5f, 0.22f, 1.3f), 0.04f);
    for (int i = 0; i < 4; i++) {
        float dx = i & 1 ? 0.6f : -0.6f, z = i & 2 ? 0.55f : -0.55f;
        part_tube(s, wr_v3(x + dx, y + 0.14f, z - 0.09f), wr_v3(x + dx, y + 0.14f, z + 0.09f),
                  0.18f, 14);
    }
    s->look = ROPE;
    for (int i = 0; i < 4; i++) {
        float dx = i & 1 ? 0.28f : -0.28f, z = i & 2 ? 0.16f : -0.16f;
        part_tube(s, wr_v3(x + dx, y, z), wr_v3(x + dx, low + 0.5f, z), 0.035f, 6);
    }
    s->look = RED;
    part_box(s, wr_v3(x, low + 0.25f, 0.0f), wr_v3(0.95f, 0.75f, 0.55f), 0.08f);
    s->look = STEEL;
    part_tube(s, wr_v3(x, low - 0.5f, 0.0f), wr_v3(x, low - 0.05f, 0.0f), 0.09f, 12);
    wr_vec3 last = wr_v3(x, low - 0.45f, 0.0f);
    for (int i = 1; i <= 8; i++) { // three quarters of a ring that tapers
        float a = WR_PI * (0.5f - 1.55f * (float)i / 8.0f);
        wr_vec3 next = wr_v3(x + 0.32f * cosf(a), low - 0.77f + 0.32f * sinf(a), 0.0f);
        part_cone(s, last, next, 0.1f - 0.007f * (float)i, 0.095f - 0.007f * (float)i, 10);
        last = next;
    }
}

wr_model *make_crane(const char *cages)
{
    (void)cages; // it is made of parts alone
    wr_model *model = start_crane();
    solid s = solid_create();
    add_base(&s);
    add_mast(&s);
    add_jib(&s);
    add_pendants(&s);
    add_cab(&s);
    add_hook(&s);
    solid_finish(&s, model);
    return model;
}
