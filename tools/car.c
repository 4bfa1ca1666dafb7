// car.c: a hatchback: panels, glass and lamps out of its cage, wheels, floor, seats and engine.
//
// +Z is forward, +X is its left side, the wheels stand on y = 0.
#include "panel.h"
#include "props.h"

#include <stdio.h>

enum { PAINT, GLASS, TRIM, LAMP, TAIL_LAMP, CHROME, RUBBER, ALLOY, PLATE, SEAT, IRON, LOOKS };

static const char *const NAMES[LOOKS + 1] = {"paint",     "glass",  "trim",   "lamp",
                                             "tail lamp", "chrome", "rubber", "alloy",
                                             "plate",     "seat",   "iron"};

static const float AXLE[2] = {1.30f, -1.30f}, RADIUS = 0.315f, TRACK = 0.755f;

static wr_model *start_car(void)
{
    const wr_look looks[LOOKS] = {
        [PAINT] = plain(NAMES[PAINT], 0.46f, 0.48f, 0.5f, 0.28f, 0.2f),
        [GLASS] = plain(NAMES[GLASS], 0.045f, 0.06f, 0.07f, 0.08f, 0.0f),
        [TRIM] = plain(NAMES[TRIM], 0.035f, 0.035f, 0.04f, 0.6f, 0.0f),
        [LAMP] = plain(NAMES[LAMP], 0.82f, 0.86f, 0.9f, 0.12f, 0.3f),
        [TAIL_LAMP] = plain(NAMES[TAIL_LAMP], 0.35f, 0.012f, 0.01f, 0.15f, 0.0f),
        [CHROME] = plain(NAMES[CHROME], 0.75f, 0.76f, 0.78f, 0.15f, 1.0f),
        [RUBBER] = plain(NAMES[RUBBER], 0.03f, 0.03f, 0.032f, 0.9f, 0.0f),
        [ALLOY] = plain(NAMES[ALLOY], 0.62f, 0.63f, 0.66f, 0.3f, 0.9f),
        [PLATE] = plain(NAMES[PLATE], 0.8f, 0.8f, 0.78f, 0.5f, 0.0f),
        [SEAT] = plain(NAMES[SEAT], 0.08f, 0.08f, 0.085f, 0.9f, 0.0f),
        [IRON] = plain(NAMES[IRON], 0.2f, 0.2f, 0.21f, 0.5f, 0.8f),
    };
    wr_model *model = start_prop("car", looks, LOOKS);
    model->looks[GLASS].base_color.a = 0.55f;
    model->looks[GLASS].alpha = WR_ALPHA_BLEND;
    return model;
}

static void add_panels(solid *s, const char *cages)
{
    static const char *const sheets[] = {"front wing", "front door", "rear door",   "rear wing",
                                         "sill",       "bonnet",     "roof",        "tailgate",
                                         "pillar",     "mirror",     "mirror foot", "handle"};
    static const char *const bumpers[] = {"front bumper", "rear bumper"};
    static const char *const panes[] = {"windscreen", "front window", "rear window", "rear screen"};
    static const char *const lamps[] = {"head lamp", "tail lamp"};
    static const char *const dark[] = {"grille", "intake"};
    const panel sheet = {0.005f, 0.016f, 0.003f, 0.0f, NAMES};
    const panel bumper = {0.005f, 0.03f, 0.005f, -0.006f, NAMES};
    const panel pane = {0.007f, 0.01f, 0.002f, 0.006f, NAMES};
    const panel lens = {0.006f, 0.02f, 0.006f, -0.002f, NAMES};
    const panel deep = {0.004f, 0.012f, 0.002f, 0.035f, NAMES};
    char path[4096];
    snprintf(path, sizeof path, "%s/car.obj", cages);
    skin *body = skin_read(path, 2);
    const struct {
        const char *const *groups;
        int count;
        const panel *panel;
    } kinds[] = {{sheets, WRI_COUNT(sheets), &sheet},
                 {bumpers, WRI_COUNT(bumpers), &bumper},
                 {panes, WRI_COUNT(panes), &pane},
                 {lamps, WRI_COUNT(lamps), &lens},
                 {dark, WRI_COUNT(dark), &deep}};
    for (int k = 0; k < WRI_COUNT(kinds); k++) {
        for (int i = 0; i < kinds[k].count; i++) {
            skin_add(body, s, kinds[k].groups[i], kinds[k].panel);
        }
    }
    skin_destroy(body);
    // Sheet behind the gaps, so that no daylight shows through them.
    skin *behind = skin_read(path, 1);
    s->look = TRIM;
    skin_add_core(behind, s, NAMES[GLASS], &(panel){0.03f, 0.012f, 0.0f, 0.045f, NAMES});
    skin_destroy(behind);
}

static void add_wheels(solid *s)
{
    for (int i = 0; i < 4; i++) {
        float side = i % 2 ? -1.0f : 1.0f, z = AXLE[i / 2];
        part_wheel(s, &(wheel){.at = {side * TRACK, RADIUS, z},
                               .axis = {side, 0.0f, 0.0f},
                               .radius = RADIUS,
                               .width = 0.205f,
                               .rim = 0.215f,
                               .spokes = 5,
                               .rubber = RUBBER,
                               .metal = ALLOY,
                               .dark = IRON});
    }
    s->look = IRON;
    for (int i = 0; i < 2; i++) {
        wr_vec3 left = wr_v3(TRACK, RADIUS, AXLE[i]), right = wr_v3(-TRACK, RADIUS, AXLE[i]);
        part_tube(s, left, right, 0.03f, 10);
    }
}

// The half round lining of a wheel arch, from the wing to the longitudinal member.
static void add_lining(solid *s, float side, float z)
{
    enum { STEPS = 14 };
    wr_vec2 outline[2 * (STEPS + 1)];
    for (int i = 0; i <= STEPS; i++) {
        float a = WR_PI * (-0.08f + 1.16f * (float)i / STEPS), c = cosf(a), d = sinf(a);
        outline[i] = (wr_vec2){0.385f * c, 0.385f * d};
        outline[2 * STEPS + 1 - i] = (wr_vec2){0.375f * c, 0.375f * d};
    }
    const station stations[] = {{0.0f}, {0.27f}};
    wr_vec3 at = wr_v3(side > 0.0f ? 0.57f : -0.84f, RADIUS, z);
    s->look = TRIM;
    s->frame = (frame){at, {0.0f, 0.0f, -1.0f}, {0.0f, 1.0f, 0.0f}, {1.0f, 0.0f, 0.0f}};
    solid_extrude(s, &(extrusion){.outline = outline,
                                  .count = WRI_COUNT(outline),
                                  .stations = stations,
                                  .station_count = 2,
                                  .length = 1.0f,
                                  .height = 1.0f});
}

static void add_floor(solid *s)
{
    for (int i = 0; i < 4; i++) {
        add_lining(s, i % 2 ? -1.0f : 1.0f, AXLE[i / 2]);
    }
    s->look = TRIM;
    part_box(s, wr_v3(0.0f, 0.205f, 0.0f), wr_v3(1.13f, 0.03f, 4.1f), 0.006f);
    part_box(s, wr_v3(0.0f, 0.205f, 0.0f), wr_v3(1.6f, 0.03f, 1.75f), 0.006f);
    s->look = IRON; // engine with its gearbox
    part_box(s, wr_v3(0.08f, 0.55f, 1.42f), wr_v3(0.75f, 0.42f, 0.5f), 0.05f);
    part_tube(s, wr_v3(0.36f, 0.26f, -1.9f), wr_v3(0.36f, 0.26f, -2.17f), 0.032f, 16);
}

// Low backs: where the roof comes down they must find room below it.
static void add_seat(solid *s, wr_vec3 at, float width)
{
    s->look = SEAT;
    part_box(s, wr_add(at, wr_v3(0.0f, 0.07f, 0.0f)), wr_v3(width, 0.14f, 0.52f), 0.05f);
    wr_vec3 low = wr_add(at, wr_v3(0.0f, 0.1f, -0.25f));
    wr_vec3 high = wr_add(at, wr_v3(0.0f, 0.53f, -0.36f));
    part_bar(s, low, high, wr_v3(0.0f, 0.0f, 1.0f), width, 0.12f);
}

static void add_cabin(solid *s)
{
    add_seat(s, wr_v3(0.36f, 0.28f, 0.05f), 0.5f);
    add_seat(s, wr_v3(-0.36f, 0.28f, 0.05f), 0.5f);
    add_seat(s, wr_v3(0.0f, 0.28f, -0.85f), 1.25f);
    s->look = TRIM;
    part_box(s, wr_v3(0.0f, 0.78f, 0.72f), wr_v3(1.4f, 0.2f, 0.34f), 0.06f);
    s->frame = (frame){{0.36f, 0.74f, 0.46f}, {1, 0, 0}, {0, 0.9f, 0.4359f}, {0, -0.4359f, 0.9f}};
    solid_ring(s, (ring){0.16f, 0.0f, 0.016f, 14, 8, 1.0f}, (area){0, 0, 1, 1});
}

// Slats, plates, badge, wipers.
static void add_trim(solid *s)
{
    s->look = CHROME;
    for (int i = 0; i < 3; i++) {
        float y = 0.59f + 0.045f * (float)i;
        part_box(s, wr_v3(0.0f, y, 2.128f - 0.01f * (float)i), wr_v3(0.78f, 0.014f, 0.03f), 0.004f);
    }
    part_turn(s, wr_v3(0.0f, 0.635f, 2.13f), wr_v3(0.0f, 0.0f, 1.0f),
              (wr_vec2[]){{0, 0}, {0.062f, 0}, {0.055f, 0.018f}, {0, 0.022f}}, 4, 24);
    s->look = PLATE;
    part_box(s, wr_v3(0.0f, 0.465f, 2.188f), wr_v3(0.52f, 0.11f, 0.012f), 0.003f);
    part_box(s, wr_v3(0.0f, 0.665f, -2.138f), wr_v3(0.52f, 0.11f, 0.02f), 0.003f);
    s->look = TRIM;
    for (int i = 0; i < 2; i++) {
        float x = i ? 0.1f : -0.52f;
        part_bar(s, wr_v3(x, 1.0f, 0.99f), wr_v3(x + 0.5f, 1.03f, 0.945f), wr_v3(0, 1, 1), 0.016f,
                 0.014f);
    }
}

wr_model *make_car(const char *cages)
{
    wr_model *model = start_car();
    solid s = solid_create();
    add_panels(&s, cages);
    add_wheels(&s);
    add_floor(&s);
    add_cabin(&s);
    add_trim(&s);
    solid_finish(&s, model);
    return model;
}
