// parts.c: a step in which something goes far is done in parts.
//
// Contacts between sprites are found where they are after the prediction: what goes further than
// about its own width passes through others, or comes out on their far side. So a step in which
// something may meet another, or a piece of level that moves, by more than a part of its width is
// divided. All shares are per time, and bounces do not depend on the step (momentum.c).
#include "world.h"

enum { MOST = 16 };

// How far it will go: as a whole, and its ends by turning.
static void find_way(const wr_sprite_world *world, wri_sprite *s, float dt)
{
    double v[2];
    float gravity = s->parameters.gravity * dt;
    wri_sprite_find_velocity(s, v);
    s->way[0] = dt * ((float)v[0] + gravity * world->gravity.x);
    s->way[1] = dt * ((float)v[1] + gravity * world->gravity.y);
    s->way[2] = dt * 0.5f * s->asset->L * fabsf(s->state.angular_velocity);
}

// In how many parts one that goes so far, and its ends, does not pass another of that width.
static float parts_of(float x, float y, float ends, float width)
{
    return ceilf((sqrtf(x * x + y * y) + ends) / (0.4f * width));
}

static bool goes_far(const wri_sprite *s)
{
    return !s->removed && parts_of(s->way[0], s->way[1], s->way[2], s->asset->thin) > 1.0f;
}

// Where it may get in the step.
static void find_reach(wri_sprite *s)
{
    float min[2] = {INFINITY, INFINITY}, max[2] = {-INFINITY, -INFINITY};
    float margin = s->way[2] + 0.02f * s->asset->L;
    for (int i = 0; i < s->asset->N; i++) {
        min[0] = wr_minf(min[0], s->x[i]);
        min[1] = wr_minf(min[1], s->y[i]);
        max[0] = wr_maxf(max[0], s->x[i]);
        max[1] = wr_maxf(max[1], s->y[i]);
    }
    for (int k = 0; k < 2; k++) {
        min[k] += wr_minf(s->way[k], 0.0f) - margin;
        max[k] += wr_maxf(s->way[k], 0.0f) + margin;
        s->wide_box[k] = (float)(s->state.origin[k] + (double)min[k]);
        s->wide_box[2 + k] = (float)(s->state.origin[k] + (double)max[k]);
    }
}

// Particles of the narrower may be past the middle of the wider before they are found: not further.
static float parts_with(const wri_sprite *s, const wri_sprite *t)
{
    if (t == s || t->removed || !wri_sprites_collide(s, t) ||
        !wri_sprite_boxes_meet(s->wide_box, t->wide_box)) {
        return 1.0f;
    }
    return parts_of(s->way[0] - t->way[0], s->way[1] - t->way[1], s->way[2] + t->way[2],
                    wr_maxf(s->asset->thin, t->asset->thin));
}

// A piece that does not move is met along the whole way of every particle, see level.c.
static float parts_with_level(const wri_sprite *s, const wri_level *level)
{
    wr_vec2 a = level->now.position, b = level->next.position;
    float r = level->radius;
    const float box[4] = {wr_minf(a.x, b.x) - r, wr_minf(a.y, b.y) - r, wr_maxf(a.x, b.x) + r,
                          wr_maxf(a.y, b.y) + r};
    if (memcmp(&level->now, &level->next, sizeof level->now) == 0 ||
        !wri_sprite_collides_with_level(s, level) || !wri_sprite_boxes_meet(s->wide_box, box)) {
        return 1.0f;
    }
    float ends = s->way[2] + r * fabsf(level->next.angle - level->now.angle);
    return parts_of(s->way[0] - (b.x - a.x), s->way[1] - (b.y - a.y), ends, s->asset->thin);
}

int wri_sprite_find_parts(const wr_sprite_world *world, float dt)
{
    int count = world->sprites.count;
    float parts = 1.0f;
    bool any = world->bodies.count > 0;
    for (int i = 0; i < count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        find_way(world, s, dt);
        any = any || goes_far(s);
    }
    for (int k = 0; k < world->levels.count; k++) {
        const wri_level *level = &WRI_ITEM(world->levels, wri_level, k);
        any = any || memcmp(&level->now, &level->next, sizeof level->now) != 0;
    }
    for (int i = 0; any && i < count; i++) {
        if (!wri_sprite_of(world, i)->removed) {
            find_reach(wri_sprite_of(world, i));
        }
    }
    for (int i = 0; any && i < count; i++) {
        const wri_sprite *s = wri_sprite_of(world, i);
        for (int k = 0; goes_far(s) && k < count; k++) {
            parts = wr_maxf(parts, parts_with(s, wri_sprite_of(world, k)));
        }
        for (int k = 0; !s->removed && k < world->levels.count; k++) {
            const wri_level *level = &WRI_ITEM(world->levels, wri_level, k);
            parts = wr_maxf(parts, parts_with_level(s, level));
        }
    }
    return (int)wr_minf(parts, (float)MOST);
}
