// big_ship.c: a spaceship: plates and bridge out of its cage, engines, turrets, masts, ribs.
//
// +Z is forward, +X is its left side.
#include "panel.h"
#include "props.h"

#include <stdio.h>

enum { HULL, DARK_HULL, MARKING, GLASS, STEEL, GLOW, BLACK, LOOKS };

static const char *const NAMES[LOOKS + 1] = {"hull",  "dark hull",   "marking", "glass",
                                             "steel", "engine glow", "black"};
static const wr_vec3 UP = {0.0f, 1.0f, 0.0f};

static wr_model *start_ship(void)
{
    const wr_look looks[LOOKS] = {
        [HULL] = plain(NAMES[HULL], 0.42f, 0.43f, 0.42f, 0.5f, 0.3f),
        [DARK_HULL] = plain(NAMES[DARK_HULL], 0.17f, 0.18f, 0.19f, 0.5f, 0.4f),
        [MARKING] = plain(NAMES[MARKING], 0.55f, 0.28f, 0.03f, 0.45f, 0.1f),
        [GLASS] = plain(NAMES[GLASS], 0.25f, 0.45f, 0.5f, 0.05f, 0.2f),
        [STEEL] = plain(NAMES[STEEL], 0.22f, 0.22f, 0.23f, 0.4f, 0.9f),
        [GLOW] = plain(NAMES[GLOW], 0.3f, 0.65f, 0.95f, 0.3f, 0.0f),
        [BLACK] = plain(NAMES[BLACK], 0.02f, 0.02f, 0.022f, 0.7f, 0.2f),
    };
    return start_prop("big-ship", looks, LOOKS);
}

static void add_plates(solid *s, const char *cages)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/big-ship.obj", cages);
    skin *coarse = skin_read(path, 1), *fine = skin_read(path, 2);
    skin_add(fine, s, "*", &(panel){0.09f, 0.3f, 0.0f, 0.0f, NAMES});
    s->look = DARK_HULL;
    skin_add_core(coarse, s, NULL, &(panel){0.0f, 0.4f, 0.0f, 0.35f, NAMES});
    skin_destroy(coarse);
    skin_destroy(fine);
}

static void add_engine(solid *s, wr_vec3 at, float r)
{
    const wr_vec2 bell[] = {{0.0f, 0.0f},          {1.05f * r, 0.0f},     {1.1f * r, 1.2f * r},
                            {0.9f * r, 1.3f * r},  {0.9f * r, 1.6f * r},  {1.0f * r, 1.7f * r},
                            {1.15f * r, 2.6f * r}, {1.02f * r, 2.6f * r}, {0.82f * r, 1.7f * r},
                            {0.0f, 1.7f * r}};
    const wr_vec2 fire[] = {
        {0.0f, 1.6f * r}, {0.75f * r, 1.6f * r}, {0.6f * r, 2.0f * r}, {0.0f, 2.2f * r}};
    wr_vec3 back = wr_v3(0.0f, 0.0f, -1.0f);
    s->look = STEEL;
    part_turn(s, at, back, bell, WRI_COUNT(bell), 22);
    s->look = GLOW;
    part_turn(s, at, back, fire, WRI_COUNT(fire), 16);
}

// Ring, house and two barrels; `up` is where it stands out of the hull, `aim` along it.
static void add_turret(solid *s, wr_vec3 at, wr_vec3 up, wr_vec3 aim, float size)
{
    const wr_vec2 base[] = {{0, -0.6f * size},
                            {1.25f * size, -0.6f * size},
                            {1.2f * size, 0.3f * size},
                            {0, 0.3f * size}};
    const wr_vec2 house[] = {{0, 0.2f * size},
                             {1.0f * size, 0.2f * size},
                             {1.05f * size, 0.55f * size},
                             {0.7f * size, 1.05f * size},
                             {0, 1.1f * size}};
    wr_vec3 across = wr_cross(up, aim), gun = wr_add_scaled(at, 0.62f * size, up);
    s->look = STEEL;
    part_turn(s, at, up, base, WRI_COUNT(base), 12);
    s->look = DARK_HULL;
    part_turn(s, at, up, house, WRI_COUNT(house), 8);
    for (int i = 0; i < 2; i++) {
        wr_vec3 from = wr_add_scaled(gun, (i ? 0.4f : -0.4f) * size, across);
        wr_vec3 tip = wr_add_scaled(wr_add_scaled(from, 3.4f * size, aim), 0.25f * size, up);
        s->look = STEEL;
        part_cone(s, from, tip, 0.2f * size, 0.13f * size, 8);
        wr_vec3 way = wr_normalize(wr_sub(tip, from));
        part_tube(s, wr_add_scaled(tip, -0.5f * size, way), wr_add_scaled(tip, 0.1f * size, way),
                  0.2f * size, 8);
    }
}

static void add_turrets(solid *s)
{
    const wr_vec3 ahead = {0.0f, 0.0f, 1.0f}, down = {0.0f, -1.0f, 0.0f};
    add_turret(s, wr_v3(0.0f, 3.0f, 33.0f), UP, ahead, 1.5f);
    add_turret(s, wr_v3(0.0f, 4.9f, 5.0f), UP, ahead, 1.8f);
    add_turret(s, wr_v3(0.0f, 7.0f, -32.0f), UP, wr_v3(0.0f, 0.0f, -1.0f), 1.5f);
    add_turret(s, wr_v3(0.0f, -4.0f, 20.0f), down, ahead, 1.4f);
    add_turret(s, wr_v3(0.0f, -6.6f, -14.0f), down, ahead, 1.5f);
    for (int i = 0; i < 2; i++) {
        float side = i ? 1.0f : -1.0f;
        wr_vec3 out = wr_normalize(wr_v3(0.55f * side, 0.83f, 0.0f));
        add_turret(s, wr_v3(8.8f * side, 4.0f, -6.0f), out, ahead, 1.2f);
        add_turret(s, wr_v3(6.3f * side, 1.9f, 38.0f), out, ahead, 1.0f);
        add_turret(s, wr_v3(19.0f * side, -0.5f, -28.0f), UP, ahead, 0.9f);
    }
}

static void add_stern(solid *s)
{
    const wr_vec3 main[4] = {
        {4.0f, 2.6f, -39.3f}, {-4.0f, 2.6f, -39.3f}, {4.0f, -2.4f, -39.3f}, {-4.0f, -2.4f, -39.3f}};
    for (int i = 0; i < 4; i++) {
        add_engine(s, main[i], 2.0f);
    }
    // A nacelle where the middle section of each wing begins.
    const wr_vec2 nacelle[] = {{0, 0},        {1.0f, 0.1f},  {2.0f, 1.2f},  {2.6f, 4.0f},
                               {2.7f, 9.0f},  {2.7f, 9.4f},  {2.5f, 9.6f},  {2.5f, 10.0f},
                               {2.7f, 10.2f}, {2.7f, 20.0f}, {2.3f, 22.5f}, {0, 22.5f}};
    for (int i = 0; i < 2; i++) {
        float x = i ? 15.5f : -15.5f;
        s->look = HULL;
        part_turn(s, wr_v3(x, -1.0f, -15.0f), wr_v3(0.0f, 0.0f, -1.0f), nacelle, WRI_COUNT(nacelle),
                  20);
        add_engine(s, wr_v3(x, -1.0f, -37.0f), 1.9f);
    }
}

// Pipes along the neck, the hangar's frame, tubes, masts on the tower, rows of rivets on the deck.
static void add_fittings(solid *s)
{
    for (int i = 0; i < 2; i++) {
        float side = i ? 1.0f : -1.0f;
        s->look = STEEL;
        for (int k = 0; k < 3; k++) { // along the neck
            float y = 0.3f - 0.8f * (float)k;
            part_tube(s, wr_v3(5.6f * side, y, 28.0f), wr_v3(5.8f * side, y, 16.0f), 0.26f, 8);
        }
        for (int k = 0; k < 4; k++) {
            float z = 27.0f - 3.4f * (float)k;
            part_box(s, wr_v3(5.6f * side, -0.5f, z), wr_v3(0.8f, 2.7f, 0.5f), 0.08f);
        }
        for (int k = 0; k < 4; k++) { // the hangar's frame
            float z = k < 2 ? -0.2f - 9.6f * (float)k : -5.0f, y = k < 2    ? -0.6f
                                                                   : k == 2 ? 1.9f
                                                                            : -3.1f;
            wr_vec3 size = k < 2 ? wr_v3(0.7f, 5.2f, 0.6f) : wr_v3(0.9f, 0.5f, 10.2f);
            float x = k < 2 ? (k ? 11.5f : 10.6f) : 11.1f;
            part_box(s, wr_v3(x * side, y, z), size, 0.1f);
        }
        s->look = HULL;
        for (int k = 0; k < 4; k++) { // launch tubes below the bow
            float x = 5.2f - 0.9f * (float)k;
            part_tube(s, wr_v3(x * side, -2.6f, 36.0f), wr_v3(x * side, -2.2f, 44.5f), 0.42f, 8);
        }
        s->look = STEEL;
        for (int k = 0; k < 3; k++) {
            float z = 26.0f - 9.0f * (float)k, y = 3.2f + 0.45f * (float)k;
            part_rivets(s, wr_v3(1.5f * side, y, z - 1.0f), wr_v3(1.5f * side, y + 0.3f, z - 8.0f),
                        UP, 0.16f, 6);
        }
        part_tube(s, wr_v3(2.2f * side, 13.2f, -19.0f), wr_v3(2.6f * side, 18.5f, -20.0f), 0.14f,
                  8);
        part_box(s, wr_v3(2.45f * side, 16.6f, -19.6f), wr_v3(1.6f, 0.2f, 0.2f), 0.04f);
    }
    const wr_vec2 dish[] = {{0, 0},        {0.5f, 0.1f}, {2.0f, 0.9f},
                            {1.9f, 1.05f}, {0.5f, 0.3f}, {0, 0.25f}};
    part_tube(s, wr_v3(0.0f, 13.3f, -18.5f), wr_v3(0.0f, 15.4f, -18.5f), 0.3f, 10);
    part_turn(s, wr_v3(0.0f, 15.3f, -18.4f), wr_v3(0.0f, 0.5f, 1.0f), dish, WRI_COUNT(dish), 16);
}

wr_model *make_big_ship(const char *cages)
{
    wr_model *model = start_ship();
    solid s = solid_create();
    add_plates(&s, cages);
    add_turrets(&s);
    add_stern(&s);
    add_fittings(&s);
    solid_finish(&s, model);
    return model;
}
