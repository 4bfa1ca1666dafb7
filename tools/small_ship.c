// small_ship.c: a fighter: plates and canopy out of its cage, two engines, intakes, guns, missiles.
//
// +Z is forward, +X is its left side.
#include "panel.h"
#include "props.h"

#include <stdio.h>

enum { HULL, DARK_HULL, MARKING, GLASS, STEEL, GLOW, LOOKS };

static const char *const NAMES[LOOKS + 1] = {"hull",  "dark hull", "marking",
                                             "glass", "steel",     "engine glow"};

static wr_model *start_ship(void)
{
    const wr_look looks[LOOKS] = {
        [HULL] = plain(NAMES[HULL], 0.46f, 0.48f, 0.5f, 0.45f, 0.3f),
        [DARK_HULL] = plain(NAMES[DARK_HULL], 0.13f, 0.14f, 0.16f, 0.5f, 0.4f),
        [MARKING] = plain(NAMES[MARKING], 0.5f, 0.06f, 0.03f, 0.4f, 0.1f),
        [GLASS] = plain(NAMES[GLASS], 0.03f, 0.06f, 0.09f, 0.05f, 0.2f),
        [STEEL] = plain(NAMES[STEEL], 0.2f, 0.2f, 0.21f, 0.35f, 0.9f),
        [GLOW] = plain(NAMES[GLOW], 0.25f, 0.6f, 0.95f, 0.3f, 0.0f),
    };
    return start_prop("small-ship", looks, LOOKS);
}

static void add_plates(solid *s, const char *cages)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/small-ship.obj", cages);
    skin *coarse = skin_read(path, 1), *fine = skin_read(path, 2);
    skin_add(fine, s, "*", &(panel){0.012f, 0.03f, 0.008f, 0.0f, NAMES});
    s->look = DARK_HULL;
    skin_add_core(coarse, s, NULL, &(panel){0.0f, 0.06f, 0.0f, 0.04f, NAMES});
    skin_destroy(coarse);
    skin_destroy(fine);
}

static void add_engine(solid *s, float x)
{
    const wr_vec2 nozzle[] = {{0.0f, 0.0f},   {0.50f, 0.0f},  {0.52f, 0.35f}, {0.47f, 0.40f},
                              {0.47f, 0.55f}, {0.50f, 0.62f}, {0.40f, 1.25f}, {0.34f, 1.25f},
                              {0.38f, 0.60f}, {0.0f, 0.60f}};
    const wr_vec2 fire[] = {{0.0f, 0.5f}, {0.33f, 0.5f}, {0.3f, 0.72f}, {0.0f, 0.8f}};
    wr_vec3 at = wr_v3(x, 0.08f, -5.45f), back = wr_v3(0.0f, 0.0f, -1.0f);
    s->look = STEEL;
    part_turn(s, at, back, nozzle, WRI_COUNT(nozzle), 28);
    s->look = GLOW;
    part_turn(s, at, back, fire, WRI_COUNT(fire), 20);
}

static void add_side(solid *s, float side)
{
    const wr_vec3 forward = {0.0f, 0.0f, 1.0f};
    add_engine(s, 0.56f * side);
    s->look = HULL; // intake beside the cockpit, with a dark mouth
    part_box(s, wr_v3(1.12f * side, 0.18f, -0.3f), wr_v3(0.5f, 0.62f, 3.2f), 0.1f);
    s->look = DARK_HULL;
    part_box(s, wr_v3(1.12f * side, 0.18f, 1.3f), wr_v3(0.4f, 0.5f, 0.06f), 0.02f);
    // A gun under the wing, from its fairing.
    const wr_vec2 gun[] = {{0, 0},          {0.1f, 0.05f},  {0.14f, 0.5f},  {0.14f, 1.8f},
                           {0.06f, 2.0f},   {0.055f, 4.1f}, {0.08f, 4.15f}, {0.08f, 4.45f},
                           {0.035f, 4.46f}, {0, 4.3f}};
    s->look = STEEL;
    part_turn(s, wr_v3(2.5f * side, -0.2f, -1.9f), forward, gun, WRI_COUNT(gun), 14);
    // A missile on a pylon.
    const wr_vec2 missile[] = {{0, 0}, {0.1f, 0}, {0.11f, 1.9f}, {0.08f, 2.3f}, {0, 2.55f}};
    s->look = DARK_HULL;
    part_box(s, wr_v3(3.8f * side, -0.2f, -2.6f), wr_v3(0.07f, 0.22f, 1.0f), 0.02f);
    s->look = HULL;
    part_turn(s, wr_v3(3.8f * side, -0.4f, -3.8f), forward, missile, WRI_COUNT(missile), 14);
    for (int i = 0; i < 2; i++) {
        wr_vec3 size = i ? wr_v3(0.5f, 0.02f, 0.3f) : wr_v3(0.02f, 0.5f, 0.3f);
        part_box(s, wr_v3(3.8f * side, -0.4f, -3.55f), size, 0.005f);
    }
    s->look = STEEL;
    wr_vec3 out = wr_v3(0.0f, 1.0f, 0.0f);
    part_rivets(s, wr_v3(1.6f * side, 0.155f, -0.2f), wr_v3(2.2f * side, 0.125f, -0.9f), out, 0.03f,
                6);
}

wr_model *make_small_ship(const char *cages)
{
    wr_model *model = start_ship();
    solid s = solid_create();
    add_plates(&s, cages);
    add_side(&s, 1.0f);
    add_side(&s, -1.0f);
    solid_finish(&s, model);
    return model;
}
