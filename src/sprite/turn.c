// turn.c: orientation control, after velocities are computed (000, section 4.2.2.4).
//
// The sprite is turned about its centre of mass as a rigid body, its velocities relative to the
// centre with it: neither momentum nor spin changes. The paper's control is a share of the way to
// the goal per step, which looks jarring. The smooth one is a critically damped spring with a rate
// of turning of its own, solved exactly over the step; it takes over the spin that contacts gave
// the particles, so that both are damped as one, and follows a goal that itself turns without lag.
#include "world.h"

#include "../math/elementary.h"

static float wrap(float angle, float turn)
{
    return angle - turn * floorf(angle / turn + 0.5f);
}

static void turn_by(wri_sprite *s, float angle)
{
    float sine, cosine, cx = (float)s->center[0], cy = (float)s->center[1];
    wri_sin_cos(angle, &sine, &cosine);
    for (int i = 0; i < s->asset->N; i++) {
        float x = s->x[i] - cx, y = s->y[i] - cy;
        s->x[i] = cx + (cosine * x - sine * y);
        s->y[i] = cy + (sine * x + cosine * y);
        float u = s->vx[i] - s->state.velocity[0], v = s->vy[i] - s->state.velocity[1];
        s->vx[i] = s->state.velocity[0] + (cosine * u - sine * v);
        s->vy[i] = s->state.velocity[1] + (sine * u + cosine * v);
    }
    float c = s->cosine;
    s->cosine = cosine * c - sine * s->sine;
    s->sine = sine * c + cosine * s->sine;
    s->state.angle += angle;
}

static void add_spin(wri_sprite *s, float spin)
{
    float cx = (float)s->center[0], cy = (float)s->center[1];
    for (int i = 0; i < s->asset->N; i++) {
        s->vx[i] -= spin * (s->y[i] - cy);
        s->vy[i] += spin * (s->x[i] - cx);
    }
    s->state.spin += spin;
}

static bool is_bouncing(const wri_sprite *s)
{
    const wri_sprite_state *t = &s->state;
    return (t->push[0] != 0.0f || t->push[1] != 0.0f) &&
           (t->armed || t->pending[0] > 0.0f || t->carry > 0.3f);
}

// What it turns towards; false: nowhere.
static bool find_goal(const wri_sprite *s, float *goal)
{
    const wr_sprite_parameters *p = &s->parameters;
    float vx = s->state.velocity[0], vy = s->state.velocity[1];
    if (p->aim == WR_SPRITE_AIM_ANGLE) {
        *goal = s->state.flipped ? -p->angle : p->angle;
        return true;
    }
    if (p->aim == WR_SPRITE_AIM_AXIS && is_bouncing(s)) { // flat on what it hit
        vx = s->state.push[0];
        vy = s->state.push[1];
        *goal = wri_atan2(vy, vx) - (s->state.flipped ? WR_PI - p->angle : p->angle);
        return true;
    }
    float least = 0.1f * s->asset->v_L; // slower, a direction says nothing
    if (p->aim == WR_SPRITE_AIM_NONE || !(vx * vx + vy * vy > least * least)) {
        return false;
    }
    *goal = wri_atan2(vy, vx) - (s->state.flipped ? WR_PI - p->angle : p->angle);
    return true;
}

// d'' = -2 w d' - w^2 d with d the way from the goal, which has moved by `moved` in the step.
static void turn_smoothly(wri_sprite *s, float way, float moved, float dt)
{
    float w = s->parameters.aim_strength / s->asset->t_L;
    float fade = (float)wri_exp(-(double)(w * dt));
    float d = moved - way, rate = s->state.turning + s->state.spin - moved / dt, b = rate + w * d;
    float left = (d + b * dt) * fade;
    add_spin(s, -s->state.spin);
    s->state.turning = moved / dt + (b * fade - w * left);
    turn_by(s, way + left);
}

void wri_sprite_turn(wri_sprite *s, float dt)
{
    wri_sprite_state *state = &s->state;
    const wr_sprite_parameters *p = &s->parameters;
    float goal, turn = p->aim == WR_SPRITE_AIM_AXIS ? WR_PI : 2.0f * WR_PI;
    if (!find_goal(s, &goal) || !(p->aim_strength > 0.0f)) {
        if (state->turning != 0.0f) { // goes on by itself
            add_spin(s, state->turning);
            state->turning = 0.0f;
        }
        state->has_goal = 0;
        return;
    }
    float way = wrap(goal - state->angle, turn);
    float moved = state->has_goal ? wrap(goal - state->goal, turn) : 0.0f;
    float jump = 30.0f * dt; // rad: a bounce, not a turn
    state->goal = goal;
    state->has_goal = 1;
    if (p->smooth) {
        turn_smoothly(s, way, fabsf(moved) < jump ? moved : 0.0f, dt);
    } else {
        state->turning = 0.0f;
        turn_by(s, wri_sprite_share(p->aim_strength, wri_sprite_ticks(s->asset, dt)) * way);
    }
}
