// sprite_depth.h: how deep a sprite is in the level and in other sprites, by brute force from what
// the world shows: independent of the code that keeps them apart.
#pragma once

#include "../src/sprite/world.h"

static inline float depth_in_level(const wr_sprite_world *world, const wri_level *level, wr_vec2 p)
{
    float x = p.x - level->now.position.x, y = p.y - level->now.position.y;
    wr_vec2 q = {level->now.cosine * x + level->now.sine * y,
                 level->now.cosine * y - level->now.sine * x};
    float depth = level->count ? INFINITY : -q.y;
    for (int i = 0; i < level->count; i++) {
        wr_vec2 a = WRI_ITEM(world->corners, wr_vec2, level->first + i);
        wr_vec2 b = WRI_ITEM(world->corners, wr_vec2, level->first + (i + 1) % level->count);
        float dx = b.x - a.x, dy = b.y - a.y;
        depth = fminf(depth, (dx * (q.y - a.y) - dy * (q.x - a.x)) / sqrtf(dx * dx + dy * dy));
    }
    return depth;
}

static inline float distance_to_side(wr_vec2 p, wr_vec2 a, wr_vec2 b)
{
    float dx = b.x - a.x, dy = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
    float t = wr_clampf((px * dx + py * dy) / (dx * dx + dy * dy + 1e-30f), 0.0f, 1.0f);
    px -= t * dx, py -= t * dy;
    return sqrtf(px * px + py * py);
}

static inline bool is_in_triangle(wr_vec2 p, wr_vec2 a, wr_vec2 b, wr_vec2 c)
{
    float u = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    float v = (c.x - b.x) * (p.y - b.y) - (c.y - b.y) * (p.x - b.x);
    float w = (a.x - c.x) * (p.y - c.y) - (a.y - c.y) * (p.x - c.x);
    return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

// In any of its layers: the way out of the layer.
static inline float depth_in_sprite(const wr_sprite_world *world, int sprite, wr_vec2 p)
{
    const wr_sprite_asset *asset = wr_sprite_get_asset(world, sprite);
    const wr_vec2 *x = wr_sprite_positions(world, sprite);
    float depth = 0.0f;
    for (int t = 0; t < asset->triangle_count; t++) {
        const int *k = &asset->triangles[3 * t];
        if (!is_in_triangle(p, x[k[0]], x[k[1]], x[k[2]])) {
            continue;
        }
        float out = INFINITY;
        for (int e = 0; e < asset->edge_count; e++) {
            const int *side = &asset->edges[2 * e];
            if (asset->layer_of[side[0]] == asset->layer_of[k[0]]) {
                out = fminf(out, distance_to_side(p, x[side[0]], x[side[1]]));
            }
        }
        depth = fmaxf(depth, out);
    }
    return depth;
}

// Of a particle of the sprite, in anything that it feels; in sizes of the sprite.
static inline float sprite_depth(const wr_sprite_world *world, int sprite)
{
    const wri_sprite *s = wri_sprite_of(world, sprite);
    const wr_vec2 *x = wr_sprite_positions(world, sprite);
    float depth = 0.0f;
    for (int i = 0; i < s->asset->N; i++) {
        for (int k = 0; k < world->levels.count; k++) {
            const wri_level *level = &WRI_ITEM(world->levels, wri_level, k);
            if (wri_sprite_collides_with_level(s, level)) {
                depth = fmaxf(depth, depth_in_level(world, level, x[i]));
            }
        }
        for (int k = 0; k < wr_sprite_count(world); k++) {
            const wri_sprite *other = wri_sprite_of(world, k);
            if (k != sprite && (s->group & other->collides) && (other->group & s->collides)) {
                depth = fmaxf(depth, depth_in_sprite(world, k, x[i]));
            }
        }
    }
    return depth / s->asset->L;
}
