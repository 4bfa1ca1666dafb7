// touch.c: contacts that move a sprite as a whole.
//
// Projecting single particles stops a body only as fast as the few that touch can pull the rest
// along: one round gives it the momentum of those few, and a stiff drawing would sink in and come
// back like jelly, the more the finer its mesh. So a share of every penetration, `hold`, is taken
// by a rigid motion of the whole. All touches of all sprites are solved together: Gauss-Seidel over
// their normal positional impulses lambda_n, which stay >= 0, with friction, |lambda_t| <= mu
// lambda_n. In the plane the inverse effective mass of a rigid body along n at r is
//     w_n = 1 / m + (r x n)^2 / I
// Then the particles that are still inside are projected one by one, which is the method of the
// papers, and what makes soft sprites soft.
//
// Rigid bodies (body.c) bring masses of any ratio. Gauss-Seidel would need hundreds of sweeps for
// one that is a hundred times heavier than the sprite it lies on, so that with bodies the sweeps
// become steps of conjugate gradients (M. Silcowitz, S. Niebe, K. Erleben. A nonsmooth nonlinear
// conjugate gradient method for interactive contact force problems. The Visual Computer 26, 2010).
#include "world.h"

enum { SWEEPS = 6, SWEEPS_WITH_BODIES = 64 };
static const double SETTLED = 1e-8; // of the largest change so far, squared: no more sweeps

// A body that is pushed towards its nail can hardly give way: the rotation that would do it is
// large, and wrong. So a contact gives at least this share of the heavier one's inverse mass
// itself. One that is free gives more.
static const float SOFT = 0.05f;

wri_touch *wri_sprite_add_touch(wr_sprite_world *world)
{
    if (world->touch_count == world->touches.count) {
        world->statistics.trouble++;
        return NULL;
    }
    return &WRI_ITEM(world->touches, wri_touch, world->touch_count++);
}

// Finds the lever from a single nail to the centre of mass, and the moment of inertia about the
// nail.
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

static float inverse_effective_mass(const wri_whole *w, const float at[2], float nx, float ny)
{
    if (w->nail_count > 1) {
        return 0.0f;
    }
    float arm = (w->lever[0] + at[0]) * ny - (w->lever[1] + at[1]) * nx, I = w->lever_inertia;
    float free = w->nail_count ? 0.0f : 1.0f / w->mass;
    return free + (I > 0.0f ? arm * arm / I : 0.0f);
}

// Adds the displacement of a whole by a positional impulse x, y.
static void add_slide(const wri_whole *w, const float at[2], float x, float y, float slide[3])
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

// Returns the part of lambda_n that gives no velocity: it takes apart what was inside before the
// step. Where a weight is passed on, that is no more than this alone would take, or a light sprite
// under a heavy body would get velocity from one side and not from the other.
static float old_of(const wri_touch *t)
{
    return wr_minf(t->lambda_n * old_share(t), t->old_lambda_max);
}

static float fresh_of(const wri_touch *t)
{
    return wr_maxf(t->lambda_n * (1.0f - old_share(t)), t->lambda_n - t->old_lambda_max);
}

// Applies a positional impulse along the normal (0) or the tangent (1) to both.
static void push(const wri_touch *t, int k, float size)
{
    float x = k ? -t->normal[1] : t->normal[0], y = k ? t->normal[0] : t->normal[1];
    add_slide(t->a, t->at_a, size * x, size * y, t->a->slide);
    if (t->b && t->b->body) {
        for (int i = 0; i < 3; i++) {
            t->b->slide[i] += size * t->response.slides[k][i];
        }
    } else if (t->b) {
        add_slide(t->b, t->at_b, -size * x, -size * y, t->b->slide);
    }
}

static void begin(wri_touch *t)
{
    float nx = t->normal[0], ny = t->normal[1];
    t->w_n = inverse_effective_mass(t->a, t->at_a, nx, ny);
    t->w_t = inverse_effective_mass(t->a, t->at_a, -ny, nx);
    if (t->b && t->b->body) {
        t->response = wri_flat_body_response(t->b->body, t->at_b, -nx, -ny);
        t->w_n += t->response.inverse_effective_mass[0];
        t->w_t += t->response.inverse_effective_mass[1];
    } else if (t->b) {
        t->w_n += inverse_effective_mass(t->b, t->at_b, nx, ny);
        t->w_t += inverse_effective_mass(t->b, t->at_b, -ny, nx);
    }
    float m = t->b ? wr_maxf(t->a->mass, t->b->mass) : t->a->mass;
    t->softness = wr_maxf(0.0f, SOFT / m - t->w_n);
    t->w_t = wr_maxf(t->w_t, SOFT / m);
}

// Begins all and returns how many are left without those that no motion of the wholes can bring
// apart: nails against nails or the level.
static int begin_all(wri_touch *touches, int count)
{
    int n = 0;
    for (int k = 0; k < count; k++) {
        begin(&touches[k]);
        if (touches[k].w_n > 1e-3f * touches[k].softness) {
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

// Returns the number of touches of the one that has more of them.
static int touches_of(const wri_touch *t)
{
    return t->b && t->b->touch_count > t->a->touch_count ? t->b->touch_count : t->a->touch_count;
}

// Starts from impulses shared evenly among the touches of a sprite: neighbours on a flat side say
// nearly the same, and sweeping alone would leave it all to the first, off the middle.
static void spread(wri_touch *t)
{
    int n = touches_of(t);
    t->lambda_n = t->share * t->depth / ((t->w_n + t->softness) * (float)n);
    t->old_lambda_max = 1e30f; // no limit
    push(t, 0, t->lambda_n);
}

// Returns how far the slides move the place along a direction, m.
static float moved(const wri_whole *w, const float at[2], float nx, float ny)
{
    return nx * (w->slide[0] - w->slide[2] * at[1]) + ny * (w->slide[1] + w->slide[2] * at[0]);
}

static void sweep(wri_touch *t)
{
    float nx = t->normal[0], ny = t->normal[1];
    float way = moved(t->a, t->at_a, nx, ny) - (t->b ? moved(t->b, t->at_b, nx, ny) : 0.0f);
    float lambda_n = t->lambda_n + (t->share * t->depth - way - t->softness * t->lambda_n) /
                                       (t->w_n + t->softness);
    lambda_n = lambda_n > 0.0f ? lambda_n : 0.0f;
    push(t, 0, lambda_n - t->lambda_n);
    t->lambda_n = lambda_n;
    float along = moved(t->a, t->at_a, -ny, nx) - (t->b ? moved(t->b, t->at_b, -ny, nx) : 0.0f);
    float most = t->friction * lambda_n * (1.0f - old_share(t));
    most = wr_maxf(most, t->friction * (lambda_n - t->old_lambda_max));
    float lambda_t = t->lambda_t - (t->share * t->slid + along) / t->w_t;
    lambda_t = wr_clampf(lambda_t, -most, most);
    push(t, 1, lambda_t - t->lambda_t);
    t->lambda_t = lambda_t;
}

static void add_body_impulse(wri_flat_body *body, const wri_touch *t)
{
    float fresh = fresh_of(t), old = old_of(t);
    wri_sprite_add_impulse(&body->whole, (float)body->center[0] + t->at_b[0],
                           (float)body->center[1] + t->at_b[1],
                           -(fresh * t->normal[0] - t->lambda_t * t->normal[1]),
                           -(fresh * t->normal[1] + t->lambda_t * t->normal[0]));
    for (int i = 0; i < 3; i++) {
        body->shift[i] += (double)(old * t->response.slides[0][i]);
    }
}

static void add_sprite_impulse(wri_sprite *s, const wri_touch *t, const float at[2], float side,
                               float dt)
{
    const wri_whole *other = side > 0.0f ? t->b : t->a;
    float fresh = fresh_of(t), old = old_of(t);
    float nx = side * t->normal[0], ny = side * t->normal[1];
    wr_vec2 place = {(float)s->center[0] + at[0], (float)s->center[1] + at[1]};
    float energy = wri_sprite_impact_energy(fresh, t->depth - t->old, t->share, t->approach);
    s->impact_energy += energy;
    s->touched = s->touched || t->lambda_n > 0.0f;
    add_slide(&s->whole, at, old * nx, old * ny, s->whole.old_slide);
    wri_sprite_add_impulse(&s->whole, place.x, place.y,
                           fresh * nx - side * t->lambda_t * t->normal[1],
                           fresh * ny + side * t->lambda_t * t->normal[0]);
    wri_level_impulse p = {.at = place,
                           .normal = {nx, ny},
                           .lambda_n = fresh,
                           .lambda_t = t->lambda_t,
                           .moved = {t->moved[0], t->moved[1]},
                           .travel = t->moved[0]};
    if (!other) {
        s->level_impact_energy += energy;
        wri_sprite_add_level_impulse(s, NULL, &p);
    } else if (other->body) { // it does not answer hits: the sprite does, to all of it
        s->level_impact_energy += energy;
    } else if (wri_sprite_is_fixed(other->sprite)) {
        const wri_sprite *fixed = other->sprite;
        const float *there = side > 0.0f ? t->at_b : t->at_a;
        float x = (float)fixed->center[0] + there[0], y = (float)fixed->center[1] + there[1];
        p.travel = wri_sprite_travel(fixed, x, y, nx, ny, dt);
        wri_sprite_add_level_impulse(s, fixed, &p);
    }
}

static void add_impulses(wr_sprite_world *world, const wri_touch *t)
{
    add_sprite_impulse(t->a->sprite, t, t->at_a, 1.0f, world->dt);
    if (t->b && t->b->body) {
        add_body_impulse(t->b->body, t);
    } else if (t->b) {
        add_sprite_impulse(t->b->sprite, t, t->at_b, -1.0f, world->dt);
    }
    if (t->b) {
        float nx = t->normal[0], ny = t->normal[1], fresh = fresh_of(t);
        float x = fresh * nx - t->lambda_t * ny, y = fresh * ny + t->lambda_t * nx;
        wri_sprite_add_passing(t->a, t->b, x, y, world->dt);
        wri_sprite_add_pair_impulse(world, t->pair, t->a, x, y, t->at_a, t->at_b);
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

// Moves all particles by the slide. The part that was due before the step moves the prediction too:
// it gives no velocity.
static void slide(wri_sprite *s)
{
    wri_whole *w = &s->whole;
    motion all = motion_of(w->slide), old = motion_of(w->old_slide);
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
    memset(w->old_slide, 0, sizeof w->old_slide);
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

// Sweeps once and returns how much that has changed, kg m^2.
static double sweep_all(wri_touch *touches, int n)
{
    double square = 0.0;
    for (int k = 0; k < n; k++) {
        wri_touch *t = &touches[k];
        t->lambda_before[0] = t->lambda_n;
        t->lambda_before[1] = t->lambda_t;
        sweep(t);
        double p = (double)(t->lambda_n - t->lambda_before[0]),
               h = (double)(t->lambda_t - t->lambda_before[1]);
        square += (double)t->w_n * p * p + (double)t->w_t * h * h;
    }
    return square;
}

// Goes on by beta times the direction of the last step; the next sweep makes it admissible.
static void go_on(wri_touch *t, float beta)
{
    float p = beta * t->lambda_direction[0], h = beta * t->lambda_direction[1];
    t->lambda_direction[0] = p + (t->lambda_n - t->lambda_before[0]);
    t->lambda_direction[1] = h + (t->lambda_t - t->lambda_before[1]);
    t->lambda_n += p;
    t->lambda_t += h;
    push(t, 0, p);
    push(t, 1, h);
}

static void solve_with_bodies(wri_touch *touches, int n)
{
    double last = 0.0, largest = 0.0;
    for (int k = 0; k < n; k++) {
        wri_touch *t = &touches[k];
        t->old_lambda_max = t->share * t->old / ((t->w_n + t->softness) * (float)touches_of(t));
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
        add_impulses(world, &touches[k]);
    }
    slide_all(world);
    world->touch_count = 0;
}
