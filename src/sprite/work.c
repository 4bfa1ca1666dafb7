// work.c: contacts do no work.
//
// A contact stops a body; it does not throw it. But a pose that a hit or speed has changed pushes
// by itself: off the ground, or its neighbours, and these push back, until a heap of sprites boils.
// So the positional impulses of a step move what they move, but count for velocities only as far as
// they take energy from the motion of the wholes, seen from what pushes. With dv and dw the changes
// of velocity and angular velocity by the contacts of a step,
//
//     E(share) = 1/2 m |v - (1 - share) dv|^2 + 1/2 I (w - (1 - share) dw)^2
//
// summed over the two that touch, has its least where they would begin to give. Scaled as one they
// keep momentum, linear and angular. A moved equilibrium is a jump: it throws a body as fast as the
// wished pose lowers its feet, whatever the step, and the other of two as fast as it comes.
#include "world.h"

// Returns the part of a pose's motion that is due to its equilibrium.
static float driven_share(float drive)
{
    return wr_minf(1.0f, 10.0f * drive);
}

// Returns the angular velocity, rad/s, for an angular momentum.
static double angular_velocity_of(const wri_whole *w, double angular)
{
    return w->inertia > 0.0 ? angular / w->inertia : 0.0;
}

static void change_motion(wri_sprite *s, double x, double y, double omega)
{
    for (int i = 0; i < s->asset->N; i++) { // in double: rounded, it would be momentum
        double u = x - omega * ((double)s->y[i] - s->center[1]);
        double v = y + omega * ((double)s->x[i] - s->center[0]);
        s->vx[i] = (float)((double)s->vx[i] + u);
        s->vy[i] = (float)((double)s->vy[i] + v);
    }
}

// Returns how much a contact along n is one with the ground, off which legs jump: against a wall an
// arm that swings would throw a walker back.
static float uprightness(float nx, float ny, const float g[2])
{
    float size = sqrtf(g[0] * g[0] + g[1] * g[1]);
    return size > 0.0f ? wr_maxf(0.0f, -(nx * g[0] + ny * g[1]) / size) : 1.0f;
}

float wri_sprite_stop_level_work(wri_sprite *s, float nx, float ny, const float g[2], float dt)
{
    wri_sprite_state *state = &s->state;
    double m = (double)s->asset->mass, per = 1.0 / (double)dt, v[2];
    double px = per * (double)(s->level.normal[0] + s->level.friction[0]);
    double py = per * (double)(s->level.normal[1] + s->level.friction[1]);
    double angular = per * s->level.angular - (s->center[0] * py - s->center[1] * px);
    double omega = angular_velocity_of(&s->whole, wri_sprite_find_angular_momentum(s)),
           dw = angular_velocity_of(&s->whole, angular);
    wri_sprite_find_velocity(s, v);
    double legs = (double)(driven_share(state->drive * uprightness(nx, ny, g)) * s->rise / dt);
    double work = v[0] * px + v[1] * py + omega * angular - per * per * s->level.work;
    work -= legs * (px * (double)nx + py * (double)ny);
    double square = (px * px + py * py) / m + angular * dw;
    if (!(work > 0.0 && square > 0.0)) {
        return 1.0f;
    }
    double back = fmin(work / square, 1.0);
    double x = back * px / m, y = back * py / m;
    change_motion(s, -x, -y, -back * dw);
    state->sunk = wr_maxf(0.0f, state->sunk - dt * (float)(x * (double)nx + y * (double)ny));
    return (float)(1.0 - back);
}

// --- between sprites --------------------------------------------------------------------------

static void stop_pair(const wri_sprite_pair *p, double per)
{
    wri_whole *a = p->a, *b = p->b;
    double x = per * p->positional_impulse[0], y = per * p->positional_impulse[1];
    double angular_a = per * p->angular_a, angular_b = per * p->angular_b;
    double aw = angular_velocity_of(a, angular_a), bw = angular_velocity_of(b, angular_b);
    double inverse_a = 1.0 / (double)a->mass, inverse_b = 1.0 / (double)b->mass;
    double work = (a->motion[0] - b->motion[0]) * x + (a->motion[1] - b->motion[1]) * y +
                  a->motion[2] * angular_a + b->motion[2] * angular_b;
    double square = (x * x + y * y) * (inverse_a + inverse_b) + angular_a * aw + angular_b * bw;
    if (!(work > 0.0 && square > 0.0)) {
        return;
    }
    double passive = 1.0 - (double)driven_share(a->sprite->state.drive + b->sprite->state.drive);
    double back = passive * fmin(work / square, 1.0);
    a->motion[0] -= back * x * inverse_a;
    a->motion[1] -= back * y * inverse_a;
    a->motion[2] -= back * aw;
    b->motion[0] += back * x * inverse_b;
    b->motion[1] += back * y * inverse_b;
    b->motion[2] -= back * bw;
}

// --- between sprites and bodies ---------------------------------------------------------------

// Takes an impulse back, kg m/s and kg m^2/s.
static void take_back(wri_whole *w, double x, double y, double angular)
{
    w->motion[0] -= x / (double)w->mass;
    w->motion[1] -= y / (double)w->mass;
    w->motion[2] -= angular_velocity_of(w, angular);
}

static double square_of(const wri_whole *w, double x, double y, double angular)
{
    return (x * x + y * y) / (double)w->mass + angular * angular_velocity_of(w, angular);
}

// Stops the work between a sprite and bodies. A light sprite passes on to a heavy body what the
// level gives it: the impulses of the level and of all bodies on it are scaled as one.
static void stop_bodies(const wr_sprite_world *world, wri_sprite *s, double per)
{
    wri_whole *w = &s->whole;
    const double *v = w->motion;
    double level[2] = {per * (double)(s->level.normal[0] + s->level.friction[0]),
                       per * (double)(s->level.normal[1] + s->level.friction[1])};
    double x = level[0], y = level[1];
    double angular = per * s->level.angular - (s->center[0] * y - s->center[1] * x);
    double work = v[0] * x + v[1] * y + v[2] * angular - per * per * s->level.work, square = 0.0;
    for (int k = s->first_pair; k < s->last_pair; k++) {
        const wri_sprite_pair *p = &WRI_ITEM(world->pairs, wri_sprite_pair, k);
        const double *u = p->b->motion, px = per * p->positional_impulse[0],
                     py = per * p->positional_impulse[1];
        work += (v[0] - u[0]) * px + (v[1] - u[1]) * py +
                per * (v[2] * p->angular_a + u[2] * p->angular_b);
        square += square_of(p->b, px, py, per * p->angular_b);
        x += px;
        y += py;
        angular += per * p->angular_a;
    }
    square += square_of(w, x, y, angular);
    if (!(work > 0.0 && square > 0.0)) {
        return;
    }
    double back = (1.0 - (double)driven_share(s->state.drive)) * fmin(work / square, 1.0);
    take_back(w, back * x, back * y, back * angular);
    for (int k = s->first_pair; k < s->last_pair; k++) {
        const wri_sprite_pair *p = &WRI_ITEM(world->pairs, wri_sprite_pair, k);
        double share = back * per;
        take_back(p->b, -share * p->positional_impulse[0], -share * p->positional_impulse[1],
                  share * p->angular_b);
    }
}

static void find_body_motions(wr_sprite_world *world)
{
    double per = 1.0 / (double)world->dt;
    wri_bearings_settle(world);
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        wri_whole *w = &b->whole;
        if (b->is_near && w->met) {
            w->motion[0] = (double)b->velocity[0] + per * b->displacement[0];
            w->motion[1] = (double)b->velocity[1] + per * b->displacement[1];
            w->motion[2] = (double)b->angular_velocity + per * b->displacement[2];
            memcpy(w->motion_before, w->motion, sizeof w->motion);
        }
    }
}

static void take_back_from_bodies(const wr_sprite_world *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        wri_whole *w = &b->whole;
        if (b->is_near && w->met) {
            const double *before = w->motion_before, *now = w->motion, dt = (double)world->dt;
            double x = dt * (double)w->mass * (now[0] - before[0]);
            double y = dt * (double)w->mass * (now[1] - before[1]);
            w->positional_impulse[0] += (float)x;
            w->positional_impulse[1] += (float)y;
            w->angular_positional_impulse += b->center[0] * y - b->center[1] * x;
            w->angular_positional_impulse += dt * w->inertia * (now[2] - before[2]);
        }
    }
}

void wri_sprite_stop_work(wr_sprite_world *world)
{
    const wri_sprite_pair *pairs = world->pairs.items;
    double per = 1.0 / (double)world->dt;
    for (int i = 0; i < world->sprites.count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        wri_whole *w = &s->whole;
        if (w->met) {
            wri_sprite_find_velocity(s, w->motion);
            w->motion[2] = angular_velocity_of(w, wri_sprite_find_angular_momentum(s));
            memcpy(w->motion_before, w->motion, sizeof w->motion);
            if (s->last_pair > s->first_pair) { // what rounding has added, a light body would miss
                w->motion[0] = (double)w->velocity[0] +
                               per * (double)w->positional_impulse[0] / (double)w->mass;
                w->motion[1] = (double)w->velocity[1] +
                               per * (double)w->positional_impulse[1] / (double)w->mass;
            }
        }
    }
    find_body_motions(world);
    for (int i = 0; i < world->sprites.count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        if (s->whole.met && s->last_pair > s->first_pair) {
            stop_bodies(world, s, per);
        }
    }
    for (int k = 0; k < world->pair_count; k++) {
        if (pairs[k].b->sprite) {
            stop_pair(&pairs[k], per);
        }
    }
    take_back_from_bodies(world);
    for (int i = 0; i < world->sprites.count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        if (s->whole.met) {
            const double *a = s->whole.motion_before, *b = s->whole.motion;
            change_motion(s, b[0] - a[0], b[1] - a[1], b[2] - a[2]);
        }
    }
}
