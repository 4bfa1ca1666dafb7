// touch.c: contacts that move a sprite as a whole.
//
// Projecting single particles stops a body only as fast as the few that touch can pull the rest
// along: one round gives it the momentum of those few, and a stiff drawing would sink in and come
// back like jelly, the more the finer its mesh. So a share of every penetration, `hold`, is taken
// by a rigid motion of the whole. All touches of all sprites are solved together: Gauss-Seidel over
// their pressures, which stay >= 0, with friction (in the plane a rigid body has the inverse mass
// 1 / m + (r x n)^2 / I along n at r). Then the particles that are still inside are projected one
// by one, which is the method of the papers, and what makes soft sprites soft.
#include "world.h"

enum { SWEEPS = 6 };

wri_touch *wri_sprite_add_touch(wr_sprite_world *world)
{
    if (world->touch_count == world->touches.count) {
        return NULL;
    }
    return &WRI_ITEM(world->touches, wri_touch, world->touch_count++);
}

static float yielding(const wri_sprite *s, const float at[2], float nx, float ny)
{
    float arm = at[0] * ny - at[1] * nx, I = (float)s->inertia;
    return 1.0f / s->asset->mass + (I > 0.0f ? arm * arm / I : 0.0f);
}

static void push_by(const wri_sprite *s, const float at[2], float x, float y, float slide[3])
{
    float I = (float)s->inertia;
    slide[0] += x / s->asset->mass;
    slide[1] += y / s->asset->mass;
    slide[2] += I > 0.0f ? (at[0] * y - at[1] * x) / I : 0.0f;
}

static void push(wri_sprite *s, const float at[2], float x, float y)
{
    push_by(s, at, x, y, s->slide);
}

static void begin(wri_touch *t)
{
    float nx = t->normal[0], ny = t->normal[1];
    t->yielding = yielding(t->a, t->at_a, nx, ny);
    t->yielding_along = yielding(t->a, t->at_a, -ny, nx);
    if (t->b) {
        t->yielding += yielding(t->b, t->at_b, nx, ny);
        t->yielding_along += yielding(t->b, t->at_b, -ny, nx);
    }
}

// Starts from pressures shared evenly among the touches of a sprite: neighbours on a flat side say
// nearly the same, and sweeping alone would leave it all to the first, off the middle.
static void spread(wri_touch *t)
{
    int n = t->b && t->b->touch_count > t->a->touch_count ? t->b->touch_count : t->a->touch_count;
    float nx = t->normal[0], ny = t->normal[1];
    t->pressure = t->share * t->depth / (t->yielding * (float)n);
    push(t->a, t->at_a, t->pressure * nx, t->pressure * ny);
    if (t->b) {
        push(t->b, t->at_b, -t->pressure * nx, -t->pressure * ny);
    }
}

// How far the slides move the place along a direction.
static float moved(const wri_sprite *s, const float at[2], float nx, float ny)
{
    return nx * (s->slide[0] - s->slide[2] * at[1]) + ny * (s->slide[1] + s->slide[2] * at[0]);
}

static void sweep(wri_touch *t)
{
    float nx = t->normal[0], ny = t->normal[1];
    float way = moved(t->a, t->at_a, nx, ny) - (t->b ? moved(t->b, t->at_b, nx, ny) : 0.0f);
    float pressure = t->pressure + (t->share * t->depth - way) / t->yielding;
    pressure = pressure > 0.0f ? pressure : 0.0f;
    float change = pressure - t->pressure;
    t->pressure = pressure;
    push(t->a, t->at_a, change * nx, change * ny);
    if (t->b) {
        push(t->b, t->at_b, -change * nx, -change * ny);
    }
    float along = moved(t->a, t->at_a, -ny, nx) - (t->b ? moved(t->b, t->at_b, -ny, nx) : 0.0f);
    float most = t->friction * pressure * (1.0f - t->old / t->depth);
    float hold = t->hold - (t->share * t->slid + along) / t->yielding_along;
    hold = wr_clampf(hold, -most, most);
    change = hold - t->hold;
    t->hold = hold;
    push(t->a, t->at_a, change * -ny, change * nx);
    if (t->b) {
        push(t->b, t->at_b, change * ny, change * -nx);
    }
}

static void count(wri_sprite *s, const wri_touch *t, const float at[2], float side)
{
    float old = t->old / t->depth, fresh = t->pressure * (1.0f - old);
    float nx = side * t->normal[0], ny = side * t->normal[1];
    float blow = wri_sprite_blow(fresh, t->depth - t->old, t->share, t->in);
    s->blows += blow;
    s->touched = s->touched || t->pressure > 0.0f;
    push_by(s, at, t->pressure * old * nx, t->pressure * old * ny, s->lasting);
    wri_sprite_count_push(s, (float)s->center[0] + at[0], (float)s->center[1] + at[1],
                          fresh * nx - side * t->hold * t->normal[1],
                          fresh * ny + side * t->hold * t->normal[0]);
    if (!t->b) {
        s->level_blows += blow;
        s->level_push[0] += fresh * nx;
        s->level_push[1] += fresh * ny;
        s->level_way += fresh * t->way;
    }
}

typedef struct motion {
    float x, y, cosine, sine;
} motion;

static motion motion_of(const float slide[3])
{
    float turn = wr_clampf(slide[2], -0.3f, 0.3f), cosine = 1.0f / sqrtf(1.0f + turn * turn);
    return (motion){slide[0], slide[1], cosine - 1.0f, turn * cosine};
}

// What was inside before the step is taken out with its prediction: without velocity.
static void slide(wri_sprite *s)
{
    motion all = motion_of(s->slide), old = motion_of(s->lasting);
    float cx = (float)s->center[0], cy = (float)s->center[1];
    for (int i = 0; i < s->asset->N; i++) {
        float x = s->x[i] - cx, y = s->y[i] - cy;
        s->x[i] += all.x + all.cosine * x - all.sine * y;
        s->y[i] += all.y + all.sine * x + all.cosine * y;
        s->px[i] += old.x + old.cosine * x - old.sine * y;
        s->py[i] += old.y + old.sine * x + old.cosine * y;
    }
    s->center[0] += (double)s->slide[0];
    s->center[1] += (double)s->slide[1];
    memset(s->slide, 0, sizeof s->slide);
    memset(s->lasting, 0, sizeof s->lasting);
    s->touch_count = 0;
}

void wri_sprite_solve_touches(wr_sprite_world *world)
{
    wri_touch *touches = world->touches.items;
    int n = world->touch_count;
    for (int k = 0; k < n; k++) {
        begin(&touches[k]);
        touches[k].a->touch_count++;
        if (touches[k].b) {
            touches[k].b->touch_count++;
        }
    }
    for (int k = 0; k < n; k++) {
        spread(&touches[k]);
    }
    for (int i = 0; i < SWEEPS; i++) { // to and fro
        for (int k = 0; k < n; k++) {
            sweep(&touches[i % 2 ? n - 1 - k : k]);
        }
    }
    for (int k = 0; k < n; k++) {
        wri_touch *t = &touches[k];
        count(t->a, t, t->at_a, 1.0f);
        if (t->b) {
            count(t->b, t, t->at_b, -1.0f);
            float nx = t->normal[0], ny = t->normal[1],
                  fresh = t->pressure * (1.0f - t->old / t->depth);
            wri_sprite_count_passing(t->a, t->b, fresh * nx - t->hold * ny,
                                     fresh * ny + t->hold * nx, world->dt);
        }
    }
    for (int i = 0; i < world->sprites.count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        if (s->touch_count > 0) {
            slide(s);
        }
    }
    world->touch_count = 0;
}
