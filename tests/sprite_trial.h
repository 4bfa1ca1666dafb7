// sprite_trial.h: a world to try sprites in, and what can be measured there.
#pragma once

#include "check.h"

#include "../bench/toy.h"
#include "../src/sprite/world.h"

static const float G = 9.81f, DT = 1.0f / 60.0f;

// --- a world to try things in -----------------------------------------------------------------

typedef struct trial {
    wr_sprite_world *world;
    toy *toys[4];
    wr_sprite_asset *assets[4];
    int asset_count;
} trial;

static inline trial begin(float gravity)
{
    trial t = {0};
    wr_sprite_world_desc desc = wr_sprite_world_desc_default();
    desc.gravity.y = -gravity;
    t.world = wr_sprite_world_create(&desc, NULL);
    assert_non_null(t.world);
    return t;
}

static inline void end(trial *t)
{
    wr_sprite_world_destroy(t->world);
    for (int i = 0; i < t->asset_count; i++) {
        wr_sprite_asset_destroy(t->assets[i]);
        toy_destroy(t->toys[i]);
    }
}

static inline const wr_sprite_asset *add_asset(trial *t, toy *made)
{
    wr_error error = {0};
    wr_sprite_asset_desc desc = wr_sprite_asset_desc_default();
    desc.rig = &made->rig;
    t->toys[t->asset_count] = made;
    wr_sprite_asset *asset = wr_sprite_asset_create(&desc, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    t->assets[t->asset_count++] = asset;
    return asset;
}

static inline const wr_sprite_asset *add_ball(trial *t, float size, int rings)
{
    return add_asset(t, toy_create_disc(0.5f * size, rings));
}

static inline const wr_sprite_asset *add_block(trial *t, float width, float height, int across,
                                               int up)
{
    return add_asset(t, toy_create_block(width, height, across, up));
}

static inline wr_sprite_desc describe(const wr_sprite_asset *asset, float x, float y)
{
    wr_sprite_desc desc = wr_sprite_desc_default();
    desc.asset = asset;
    desc.position = (wr_vec2){x, y};
    desc.parameters.drag = 0.0f;
    desc.parameters.give = 0.0f;
    return desc;
}

static inline int add(trial *t, const wr_sprite_desc *desc)
{
    wr_error error = {0};
    int sprite = wr_sprite_add(t->world, desc, &error);
    if (sprite < 0) {
        fail_msg("%s", error.message);
    }
    return sprite;
}

static inline void add_plane(trial *t, float angle, float friction)
{
    wr_sprite_level level = {.angle = angle, .friction = friction};
    assert_true(wr_sprite_add_level(t->world, &level, NULL) >= 0);
}

static inline void add_wall(trial *t, float x, float y, float width, float height)
{
    const wr_vec2 corners[4] = {{-0.5f * width, -0.5f * height},
                                {0.5f * width, -0.5f * height},
                                {0.5f * width, 0.5f * height},
                                {-0.5f * width, 0.5f * height}};
    wr_sprite_level level = {
        .corners = corners, .corner_count = 4, .position = {x, y}, .friction = 0.6f};
    assert_true(wr_sprite_add_level(t->world, &level, NULL) >= 0);
}

static inline void run(trial *t, float seconds, float dt)
{
    for (int i = 0; i < (int)(seconds / dt + 0.5f); i++) {
        wr_sprite_world_step(t->world, dt, NULL);
    }
}

static inline wr_sprite_facts facts_of(const trial *t, int sprite)
{
    return wr_sprite_get_facts(t->world, sprite);
}

static inline float share_of(const trial *t, int sprite, wr_sprite_point point, int example)
{
    float blend[TOY_EXAMPLES];
    wr_sprite_asset_blend(wr_sprite_get_asset(t->world, sprite), point, blend);
    return blend[example];
}

// --- sums over the particles ------------------------------------------------------------------

typedef struct momentum {
    double x, y, turn, size; // turn: about the origin of the world; size: sum of |m v|
} momentum;

static inline momentum momentum_of(const trial *t)
{
    momentum sum = {0};
    for (int k = 0; k < wr_sprite_count(t->world); k++) {
        const wr_sprite_asset *asset = wr_sprite_get_asset(t->world, k);
        const wr_vec2 *x = wr_sprite_positions(t->world, k), *v = wr_sprite_velocities(t->world, k);
        for (int i = 0; i < asset->N; i++) {
            double m = (double)asset->masses[i], u = (double)v[i].x, w = (double)v[i].y;
            sum.x += m * u;
            sum.y += m * w;
            sum.turn += m * ((double)x[i].x * w - (double)x[i].y * u);
            sum.size += m * sqrt(u * u + w * w);
        }
    }
    return sum;
}

typedef struct extent {
    float left, low, right, high, speed; // speed: of the fastest particle
} extent;

static inline extent extent_of(const trial *t, int sprite)
{
    extent e = {INFINITY, INFINITY, -INFINITY, -INFINITY, 0.0f};
    const wr_vec2 *x = wr_sprite_positions(t->world, sprite);
    const wr_vec2 *v = wr_sprite_velocities(t->world, sprite);
    for (int i = 0; i < wr_sprite_get_asset(t->world, sprite)->N; i++) {
        e.left = fminf(e.left, x[i].x);
        e.right = fmaxf(e.right, x[i].x);
        e.low = fminf(e.low, x[i].y);
        e.high = fmaxf(e.high, x[i].y);
        e.speed = fmaxf(e.speed, sqrtf(v[i].x * v[i].x + v[i].y * v[i].y));
    }
    return e;
}
