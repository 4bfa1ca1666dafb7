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

// What is pushed towards its nail can hardly give way: the turn that would do it is large, and
// wrong. So a contact gives at least this share of the heavier one's inverse mass itself. One that
// is free gives more.
static const float SOFT = 0.05f;

wri_touch *wri_sprite_add_touch(wr_sprite_world *world)
{
    if (world->touch_count == world->touches.count) {
        world->statistics.trouble++;
        return NULL;
    }
    return &WRI_ITEM(world->touches, wri_touch, world->touch_count++);
}

// From a single nail to the centre of mass, and the moment of inertia about the nail.
static void find_lever(wri_sprite *s)
{
    wri_whole *w = &s->whole;
    w->nail_count = s->state.nail_count;
    w->lever[0] = w->lever[1] = 0.0f;
    w->lever_inertia = (float)w->inertia;
    if (w->nail_count == 1) {
        int nail = s->state.nails[0].particle;
        float x = (float)s->center[0] - s->x[nail], y = (float)s->center[1] - s->y[nail];
        w->lever[0] = x;
        w->lever[1] = y;
        w->lever_inertia += w->mass * (x * x + y * y);
    }
}

static float yielding(const wri_whole *w, const float at[2], float nx, float ny)
{
    if (w->nail_count > 1) {
        return 0.0f;
    }
    float arm = (w->lever[0] + at[0]) * ny - (w->lever[1] + at[1]) * nx, I = w->lever_inertia;
    float free = w->nail_count ? 0.0f : 1.0f / w->mass;
    return free + (I > 0.0f ? arm * arm / I : 0.0f);
}

static void push_by(const wri_whole *w, const float at[2], float x, float y, float slide[3])
{
    float I = w->lever_inertia;
    if (w->nail_count == 0) {
        slide[0] += x / w->mass;
        slide[1] += y / w->mass;
        slide[2] += I > 0.0f ? (at[0] * y - at[1] * x) / I : 0.0f;
    } else if (w->nail_count == 1) {
        const float *lever = w->lever;
        float turn = I > 0.0f ? ((lever[0] + at[0]) * y - (lever[1] + at[1]) * x) / I : 0.0f;
        slide[0] -= turn * lever[1];
        slide[1] += turn * lever[0];
        slide[2] += turn;
    }
}

static void push(wri_whole *w, const float at[2], float x, float y)
{
    push_by(w, at, x, y, w->slide);
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
    float m = t->b ? wr_maxf(t->a->mass, t->b->mass) : t->a->mass;
    t->soft = wr_maxf(0.0f, SOFT / m - t->yielding);
    t->yielding_along = wr_maxf(t->yielding_along, SOFT / m);
}

// Leaves out what no motion of the wholes can bring apart: nails against nails or the level.
static int begin_all(wri_touch *touches, int count)
{
    int n = 0;
    for (int k = 0; k < count; k++) {
        begin(&touches[k]);
        if (touches[k].yielding > 1e-3f * touches[k].soft) {
            touches[n] = touches[k];
            touches[n].a->touch_count++;
            if (touches[n].b) {
                touches[n].b->touch_count++;
            }
            n++;
        }
    }
    return n;
}

// Starts from pressures shared evenly among the touches of a sprite: neighbours on a flat side say
// nearly the same, and sweeping alone would leave it all to the first, off the middle.
static void spread(wri_touch *t)
{
    int n = t->b && t->b->touch_count > t->a->touch_count ? t->b->touch_count : t->a->touch_count;
    float nx = t->normal[0], ny = t->normal[1];
    t->pressure = t->share * t->depth / ((t->yielding + t->soft) * (float)n);
    push(t->a, t->at_a, t->pressure * nx, t->pressure * ny);
    if (t->b) {
        push(t->b, t->at_b, -t->pressure * nx, -t->pressure * ny);
    }
}

// How far the slides move the place along a direction.
static float moved(const wri_whole *w, const float at[2], float nx, float ny)
{
    return nx * (w->slide[0] - w->slide[2] * at[1]) + ny * (w->slide[1] + w->slide[2] * at[0]);
}

static void sweep(wri_touch *t)
{
    float nx = t->normal[0], ny = t->normal[1];
    float way = moved(t->a, t->at_a, nx, ny) - (t->b ? moved(t->b, t->at_b, nx, ny) : 0.0f);
    float pressure =
        t->pressure + (t->share * t->depth - way - t->soft * t->pressure) / (t->yielding + t->soft);
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

static void count(wri_sprite *s, const wri_touch *t, const float at[2], float side, float dt)
{
    const wri_sprite *other = !t->b ? NULL : side > 0.0f ? t->b->sprite : t->a->sprite;
    float old = t->old / t->depth, fresh = t->pressure * (1.0f - old);
    float nx = side * t->normal[0], ny = side * t->normal[1];
    wr_vec2 place = {(float)s->center[0] + at[0], (float)s->center[1] + at[1]};
    float blow = wri_sprite_blow(fresh, t->depth - t->old, t->share, t->in);
    s->blows += blow;
    s->touched = s->touched || t->pressure > 0.0f;
    push_by(&s->whole, at, t->pressure * old * nx, t->pressure * old * ny, s->whole.lasting);
    wri_sprite_count_push(&s->whole, place.x, place.y, fresh * nx - side * t->hold * t->normal[1],
                          fresh * ny + side * t->hold * t->normal[0]);
    wri_level_push p = {place, {nx, ny}, fresh, t->hold, {t->moved[0], t->moved[1]}, t->moved[0]};
    if (!other) {
        s->level_blows += blow;
        wri_sprite_count_level(s, NULL, &p);
    } else if (wri_sprite_is_fixed(other)) {
        const float *there = side > 0.0f ? t->at_b : t->at_a;
        float x = (float)other->center[0] + there[0], y = (float)other->center[1] + there[1];
        p.way = wri_sprite_way(other, x, y, nx, ny, dt);
        wri_sprite_count_level(s, other, &p);
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
    wri_whole *w = &s->whole;
    motion all = motion_of(w->slide), old = motion_of(w->lasting);
    float cx = (float)s->center[0], cy = (float)s->center[1];
    for (int i = 0; i < s->asset->N; i++) {
        float x = s->x[i] - cx, y = s->y[i] - cy;
        s->x[i] += all.x + all.cosine * x - all.sine * y;
        s->y[i] += all.y + all.sine * x + all.cosine * y;
        s->px[i] += old.x + old.cosine * x - old.sine * y;
        s->py[i] += old.y + old.sine * x + old.cosine * y;
    }
    s->center[0] += (double)w->slide[0];
    s->center[1] += (double)w->slide[1];
    wri_sprite_set_nails(s);
    memset(w->slide, 0, sizeof w->slide);
    memset(w->lasting, 0, sizeof w->lasting);
    w->touch_count = 0;
}

void wri_sprite_solve_touches(wr_sprite_world *world)
{
    wri_touch *touches = world->touches.items;
    for (int i = 0; world->touch_count > 0 && i < world->sprites.count; i++) {
        find_lever(wri_sprite_of(world, i));
    }
    int n = begin_all(touches, world->touch_count);
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
        count(t->a->sprite, t, t->at_a, 1.0f, world->dt);
        if (t->b) {
            count(t->b->sprite, t, t->at_b, -1.0f, world->dt);
            float nx = t->normal[0], ny = t->normal[1],
                  fresh = t->pressure * (1.0f - t->old / t->depth);
            float x = fresh * nx - t->hold * ny, y = fresh * ny + t->hold * nx;
            wri_sprite_count_passing(t->a, t->b, x, y, world->dt);
            wri_sprite_count_pair(world, t->pair, t->a, x, y, t->at_a, t->at_b);
        }
    }
    for (int i = 0; i < world->sprites.count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        if (s->whole.touch_count > 0) {
            slide(s);
        }
    }
    world->touch_count = 0;
}
