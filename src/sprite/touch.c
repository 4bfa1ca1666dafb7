// touch.c: contacts that move a sprite as a whole.
//
// Projecting single particles stops a body only as fast as the few that touch can pull the rest
// along: one round gives it the momentum of those few, and a stiff drawing would sink in and come
// back like jelly, the more the finer its mesh. So a share of every penetration, `hold`, is taken
// by a rigid motion of the whole. All touches of all sprites are solved together: Gauss-Seidel over
// their pressures, which stay >= 0, with friction (in the plane a rigid body has the inverse mass
// 1 / m + (r x n)^2 / I along n at r). Then the particles that are still inside are projected one
// by one, which is the method of the papers, and what makes soft sprites soft.
//
// Rigid bodies (body.c) bring masses of any ratio. Gauss-Seidel would need hundreds of sweeps for
// one that is a hundred times heavier than the sprite it lies on, so that with bodies the sweeps
// become steps of conjugate gradients (M. Silcowitz, S. Niebe, K. Erleben. A nonsmooth nonlinear
// conjugate gradient method for interactive contact force problems. The Visual Computer 26, 2010).
#include "world.h"

enum { SWEEPS = 6, SWEEPS_WITH_BODIES = 64 };
static const double SETTLED = 1e-8; // of the largest change so far, squared: no more sweeps

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

static float old_share(const wri_touch *t)
{
    return t->old / t->depth;
}

// The part of its pressure that gives no velocity: it takes apart what was inside before the step.
// Where a weight is passed on, that is no more than this alone would take, or a light sprite under
// a heavy body would get velocity from one side and not from the other.
static float old_of(const wri_touch *t)
{
    return wr_minf(t->pressure * old_share(t), t->most_old);
}

static float fresh_of(const wri_touch *t)
{
    return wr_maxf(t->pressure * (1.0f - old_share(t)), t->pressure - t->most_old);
}

// A push by the normal, or beside it (1), on both.
static void push(const wri_touch *t, int k, float size)
{
    float x = k ? -t->normal[1] : t->normal[0], y = k ? t->normal[0] : t->normal[1];
    push_by(t->a, t->at_a, size * x, size * y, t->a->slide);
    if (t->b && t->b->body) {
        for (int i = 0; i < 3; i++) {
            t->b->slide[i] += size * t->answer.slides[k][i];
        }
    } else if (t->b) {
        push_by(t->b, t->at_b, -size * x, -size * y, t->b->slide);
    }
}

static void begin(wri_touch *t)
{
    float nx = t->normal[0], ny = t->normal[1];
    t->yielding = yielding(t->a, t->at_a, nx, ny);
    t->yielding_along = yielding(t->a, t->at_a, -ny, nx);
    if (t->b && t->b->body) {
        t->answer = wri_flat_body_answer(t->b->body, t->at_b, -nx, -ny);
        t->yielding += t->answer.yielding[0];
        t->yielding_along += t->answer.yielding[1];
    } else if (t->b) {
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

// Of the one that has more of them.
static int touches_of(const wri_touch *t)
{
    return t->b && t->b->touch_count > t->a->touch_count ? t->b->touch_count : t->a->touch_count;
}

// Starts from pressures shared evenly among the touches of a sprite: neighbours on a flat side say
// nearly the same, and sweeping alone would leave it all to the first, off the middle.
static void spread(wri_touch *t)
{
    int n = touches_of(t);
    t->pressure = t->share * t->depth / ((t->yielding + t->soft) * (float)n);
    t->most_old = 1e30f; // no limit
    push(t, 0, t->pressure);
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
    push(t, 0, pressure - t->pressure);
    t->pressure = pressure;
    float along = moved(t->a, t->at_a, -ny, nx) - (t->b ? moved(t->b, t->at_b, -ny, nx) : 0.0f);
    float most = t->friction * pressure * (1.0f - old_share(t));
    most = wr_maxf(most, t->friction * (pressure - t->most_old));
    float hold = t->hold - (t->share * t->slid + along) / t->yielding_along;
    hold = wr_clampf(hold, -most, most);
    push(t, 1, hold - t->hold);
    t->hold = hold;
}

static void count_body(wri_flat_body *body, const wri_touch *t)
{
    float fresh = fresh_of(t), old = old_of(t);
    wri_sprite_count_push(&body->whole, (float)body->center[0] + t->at_b[0],
                          (float)body->center[1] + t->at_b[1],
                          -(fresh * t->normal[0] - t->hold * t->normal[1]),
                          -(fresh * t->normal[1] + t->hold * t->normal[0]));
    for (int i = 0; i < 3; i++) {
        body->shift[i] += (double)(old * t->answer.slides[0][i]);
    }
}

static void count(wri_sprite *s, const wri_touch *t, const float at[2], float side, float dt)
{
    const wri_whole *other = side > 0.0f ? t->b : t->a;
    float fresh = fresh_of(t), old = old_of(t);
    float nx = side * t->normal[0], ny = side * t->normal[1];
    wr_vec2 place = {(float)s->center[0] + at[0], (float)s->center[1] + at[1]};
    float blow = wri_sprite_blow(fresh, t->depth - t->old, t->share, t->in);
    s->blows += blow;
    s->touched = s->touched || t->pressure > 0.0f;
    push_by(&s->whole, at, old * nx, old * ny, s->whole.lasting);
    wri_sprite_count_push(&s->whole, place.x, place.y, fresh * nx - side * t->hold * t->normal[1],
                          fresh * ny + side * t->hold * t->normal[0]);
    wri_level_push p = {place, {nx, ny}, fresh, t->hold, {t->moved[0], t->moved[1]}, t->moved[0]};
    if (!other) {
        s->level_blows += blow;
        wri_sprite_count_level(s, NULL, &p);
    } else if (other->body) { // does not answer hits: the sprite does, to all of it
        s->level_blows += blow;
    } else if (wri_sprite_is_fixed(other->sprite)) {
        const wri_sprite *fixed = other->sprite;
        const float *there = side > 0.0f ? t->at_b : t->at_a;
        float x = (float)fixed->center[0] + there[0], y = (float)fixed->center[1] + there[1];
        p.way = wri_sprite_way(fixed, x, y, nx, ny, dt);
        wri_sprite_count_level(s, fixed, &p);
    }
}

static void count_touch(wr_sprite_world *world, const wri_touch *t)
{
    count(t->a->sprite, t, t->at_a, 1.0f, world->dt);
    if (t->b && t->b->body) {
        count_body(t->b->body, t);
    } else if (t->b) {
        count(t->b->sprite, t, t->at_b, -1.0f, world->dt);
    }
    if (t->b) {
        float nx = t->normal[0], ny = t->normal[1], fresh = fresh_of(t);
        float x = fresh * nx - t->hold * ny, y = fresh * ny + t->hold * nx;
        wri_sprite_count_passing(t->a, t->b, x, y, world->dt);
        wri_sprite_count_pair(world, t->pair, t->a, x, y, t->at_a, t->at_b);
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

static void slide_all(wr_sprite_world *world)
{
    for (int i = 0; i < world->sprites.count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        if (s->whole.touch_count > 0) {
            slide(s);
        }
    }
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        if (b->whole.touch_count > 0) {
            wri_flat_body_move(world, b, b->whole.slide);
            memset(b->whole.slide, 0, sizeof b->whole.slide);
            b->whole.touch_count = 0;
        }
    }
}

// One sweep; how much it has changed, kg m^2.
static double sweep_all(wri_touch *touches, int n)
{
    double square = 0.0;
    for (int k = 0; k < n; k++) {
        wri_touch *t = &touches[k];
        t->before[0] = t->pressure;
        t->before[1] = t->hold;
        sweep(t);
        double p = (double)(t->pressure - t->before[0]), h = (double)(t->hold - t->before[1]);
        square += (double)t->yielding * p * p + (double)t->yielding_along * h * h;
    }
    return square;
}

// Goes on by beta times the direction of the last step; the next sweep makes it admissible.
static void go_on(wri_touch *t, float beta)
{
    float p = beta * t->way[0], h = beta * t->way[1];
    t->way[0] = p + (t->pressure - t->before[0]);
    t->way[1] = h + (t->hold - t->before[1]);
    t->pressure += p;
    t->hold += h;
    push(t, 0, p);
    push(t, 1, h);
}

static void solve_with_bodies(wri_touch *touches, int n)
{
    double last = 0.0, largest = 0.0;
    for (int k = 0; k < n; k++) {
        wri_touch *t = &touches[k];
        t->most_old = t->share * t->old / ((t->yielding + t->soft) * (float)touches_of(t));
    }
    for (int i = 0; i < SWEEPS_WITH_BODIES; i++) {
        double square = sweep_all(touches, n);
        largest = fmax(largest, square);
        if (square <= SETTLED * largest) {
            return;
        }
        double beta = last > square ? square / last : 0.0;
        last = square;
        for (int k = 0; k < n && i + 1 < SWEEPS_WITH_BODIES; k++) {
            go_on(&touches[k], (float)beta);
        }
    }
}

static void solve(wri_touch *touches, int n)
{
    for (int i = 0; i < SWEEPS; i++) { // to and fro
        for (int k = 0; k < n; k++) {
            sweep(&touches[i % 2 ? n - 1 - k : k]);
        }
    }
}

static bool has_body(const wri_touch *touches, int count)
{
    bool has = false;
    for (int k = 0; k < count && !has; k++) {
        has = touches[k].b && touches[k].b->body;
    }
    return has;
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
    (has_body(touches, n) ? solve_with_bodies : solve)(touches, n);
    for (int k = 0; k < n; k++) {
        count_touch(world, &touches[k]);
    }
    slide_all(world);
    world->touch_count = 0;
}
