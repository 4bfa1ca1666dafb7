// orientation.c: orientation control, after velocities are computed (step 6, section 4.2.2.4).
//
//     theta += k_oc (theta_goal - theta)    (4.14)
// The sprite is turned about its centre of mass as a rigid body, its velocities relative to the
// centre with it: neither momentum nor angular velocity changes. The paper's control is a share of
// the way to the goal per step, which looks jarring. The smooth one is a critically damped spring
// with a rate of turning of its own, solved exactly over the step; it takes over the angular
// velocity that contacts gave the particles, so that both are damped as one, and follows a goal
// that itself turns without lag.
#include "world.h"

#include "../math/elementary.h"

static float wrap(float angle, float turn)
{
    return angle - turn * floorf(angle / turn + 0.5f);
}

// Finds the motion of a nailed sprite that has been turned: it moves as a whole.
static void find_motion(wri_sprite *s)
{
    double v[2];
    if (s->state.nail_count > 0) {
        wri_sprite_set_nails(s);
        wri_sprite_set_nail_velocities(s);
        wri_sprite_fit_whole(s);
        wri_sprite_find_velocity(s, v);
        s->state.velocity[0] = (float)v[0];
        s->state.velocity[1] = (float)v[1];
    }
}

static void turn_by(wri_sprite *s, float angle)
{
    wri_fulcrum p = wri_sprite_find_fulcrum(s);
    float sine, cosine;
    wri_sin_cos(angle, &sine, &cosine);
    for (int i = 0; i < s->asset->N; i++) {
        float x = s->x[i] - p.x, y = s->y[i] - p.y;
        s->x[i] = p.x + (cosine * x - sine * y);
        s->y[i] = p.y + (sine * x + cosine * y);
        float u = s->vx[i] - p.vx, v = s->vy[i] - p.vy;
        s->vx[i] = p.vx + (cosine * u - sine * v);
        s->vy[i] = p.vy + (sine * u + cosine * v);
    }
    float c = s->cosine;
    s->cosine = cosine * c - sine * s->sine;
    s->sine = sine * c + cosine * s->sine;
    s->state.angle += angle;
    find_motion(s);
}

static void add_angular_velocity(wri_sprite *s, float omega)
{
    wri_fulcrum p = wri_sprite_find_fulcrum(s);
    for (int i = 0; i < s->asset->N; i++) {
        s->vx[i] -= omega * (s->y[i] - p.y);
        s->vy[i] += omega * (s->x[i] - p.x);
    }
    s->state.angular_velocity += omega;
    find_motion(s);
}

static bool is_bouncing(const wri_sprite *s)
{
    const wri_sprite_state *t = &s->state;
    return (t->level_normal[0] != 0.0f || t->level_normal[1] != 0.0f) &&
           (t->armed || t->pending_hits[0] > 0.0f || t->carried > 0.3f);
}

// Finds the goal; false: there is none, or two nails leave no rotation.
static bool find_goal(const wri_sprite *s, float *goal)
{
    const wr_sprite_parameters *p = &s->parameters;
    float vx = s->state.velocity[0], vy = s->state.velocity[1];
    if (s->state.nail_count > 1) {
        return false;
    }
    if (p->aim == WR_SPRITE_AIM_ANGLE) {
        *goal = s->state.flipped ? -p->angle : p->angle;
        return true;
    }
    if (p->aim == WR_SPRITE_AIM_AXIS && is_bouncing(s)) { // flat on what it hit
        vx = s->state.level_normal[0];
        vy = s->state.level_normal[1];
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

// Turns by d'' = -2 w d' - w^2 d, with d the angle from the goal, which has moved by `moved` in the
// step.
static void turn_smoothly(wri_sprite *s, float way, float moved, float dt)
{
    float w = s->parameters.aim_strength / s->asset->t_L;
    float fade = (float)wri_exp(-(double)(w * dt));
    float d = moved - way, rate = s->state.control_rate + s->state.angular_velocity - moved / dt,
          b = rate + w * d;
    float left = (d + b * dt) * fade;
    add_angular_velocity(s, -s->state.angular_velocity);
    s->state.control_rate = moved / dt + (b * fade - w * left);
    turn_by(s, way + left);
}

void wri_sprite_control_orientation(wri_sprite *s, float dt)
{
    wri_sprite_state *state = &s->state;
    const wr_sprite_parameters *p = &s->parameters;
    float goal, turn = p->aim == WR_SPRITE_AIM_AXIS ? WR_PI : 2.0f * WR_PI;
    if (!find_goal(s, &goal) || !(p->aim_strength > 0.0f)) {
        if (state->control_rate != 0.0f) { // goes on by itself
            add_angular_velocity(s, state->control_rate);
            state->control_rate = 0.0f;
        }
        state->has_goal = 0;
        return;
    }
    float way = wrap(goal - state->angle, turn);
    float moved = state->has_goal ? wrap(goal - state->goal_angle, turn) : 0.0f;
    float jump = 30.0f * dt; // rad: a bounce, not a turn
    state->goal_angle = goal;
    state->has_goal = 1;
    if (p->smooth) {
        turn_smoothly(s, way, fabsf(moved) < jump ? moved : 0.0f, dt);
    } else {
        state->control_rate = 0.0f;
        if (state->nail_count > 0) { // its weight would give it more and more
            add_angular_velocity(s, -state->angular_velocity);
        }
        float k_oc = wri_sprite_share(p->aim_strength, wri_sprite_ticks(s->asset, dt));
        turn_by(s, k_oc * way); // eq. 4.14
    }
}
