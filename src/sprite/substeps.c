// substeps.c: a step in which something goes far is divided into substeps.
//
// Contacts between sprites are found where they are after the prediction: what goes further than
// about its own width passes through others, or comes out on their far side. So a step in which
// something may meet another, or a piece of level that moves, by more than a part of its width is
// divided. All shares are per time, and bounces do not depend on the step (momentum.c).
#include "world.h"

enum { MOST = 16 };

// Finds how far it will go: as a whole, and its ends by turning.
static void find_travel(const wr_sprite_world *world, wri_sprite *s, float dt)
{
    double v[2];
    float gravity = s->parameters.gravity * dt;
    wri_sprite_find_velocity(s, v);
    s->travel[0] = dt * ((float)v[0] + gravity * world->gravity.x);
    s->travel[1] = dt * ((float)v[1] + gravity * world->gravity.y);
    s->travel[2] = dt * 0.5f * s->asset->L * fabsf(s->state.angular_velocity);
}

// Returns in how many substeps one that goes so far, and its ends, does not pass another of that
// width.
static float substeps_for(float x, float y, float ends, float width)
{
    return ceilf((sqrtf(x * x + y * y) + ends) / (0.4f * width));
}

static bool goes_far(const wri_sprite *s)
{
    return !s->removed &&
           substeps_for(s->travel[0], s->travel[1], s->travel[2], s->asset->thin) > 1.0f;
}

// Finds the box that it may get to in the step.
static void find_reach(wri_sprite *s)
{
    float min[2] = {INFINITY, INFINITY}, max[2] = {-INFINITY, -INFINITY};
    float margin = s->travel[2] + 0.02f * s->asset->L;
    for (int i = 0; i < s->asset->N; i++) {
        min[0] = wr_minf(min[0], s->x[i]);
        min[1] = wr_minf(min[1], s->y[i]);
        max[0] = wr_maxf(max[0], s->x[i]);
        max[1] = wr_maxf(max[1], s->y[i]);
    }
    for (int k = 0; k < 2; k++) {
        min[k] += wr_minf(s->travel[k], 0.0f) - margin;
        max[k] += wr_maxf(s->travel[k], 0.0f) + margin;
        s->world_box[k] = (float)(s->state.origin[k] + (double)min[k]);
        s->world_box[2 + k] = (float)(s->state.origin[k] + (double)max[k]);
    }
}

// Returns the substeps for two sprites: particles of the narrower may be past the middle of the
// wider before they are found, but not further.
static float substeps_with(const wri_sprite *s, const wri_sprite *t)
{
    if (t == s || t->removed || !wri_sprites_collide(s, t) ||
        !wri_sprite_boxes_meet(s->world_box, t->world_box)) {
        return 1.0f;
    }
    return substeps_for(s->travel[0] - t->travel[0], s->travel[1] - t->travel[1],
                        s->travel[2] + t->travel[2], wr_maxf(s->asset->thin, t->asset->thin));
}

// Returns the substeps for a piece that moves: one that does not is met along the whole way of
// every particle, see level.c.
static float substeps_with_level(const wri_sprite *s, const wri_level *level)
{
    wr_vec2 a = level->now.position, b = level->next.position;
    float r = level->radius;
    const float box[4] = {wr_minf(a.x, b.x) - r, wr_minf(a.y, b.y) - r, wr_maxf(a.x, b.x) + r,
                          wr_maxf(a.y, b.y) + r};
    if (memcmp(&level->now, &level->next, sizeof level->now) == 0 ||
        !wri_sprite_collides_with_level(s, level) || !wri_sprite_boxes_meet(s->world_box, box)) {
        return 1.0f;
    }
    float ends = s->travel[2] + r * fabsf(level->next.angle - level->now.angle);
    return substeps_for(s->travel[0] - (b.x - a.x), s->travel[1] - (b.y - a.y), ends,
                        s->asset->thin);
}

int wri_sprite_count_substeps(const wr_sprite_world *world, float dt)
{
    int count = world->sprites.count;
    float substeps = 1.0f;
    bool any = world->bodies.count > 0;
    for (int i = 0; i < count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        find_travel(world, s, dt);
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
            substeps = wr_maxf(substeps, substeps_with(s, wri_sprite_of(world, k)));
        }
        for (int k = 0; !s->removed && k < world->levels.count; k++) {
            const wri_level *level = &WRI_ITEM(world->levels, wri_level, k);
            substeps = wr_maxf(substeps, substeps_with_level(s, level));
        }
    }
    return (int)wr_minf(substeps, (float)MOST);
}
