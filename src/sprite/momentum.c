// momentum.c: the bounce that position-based dynamics loses (000, section 4.2.2.3).
//
// What the level takes of a body's momentum goes into a reservoir p and comes back over a few steps
// (equations 4.11 to 4.13). Where this differs from the papers:
// - The reservoir takes the momentum with which the body came in. Not what gravity loads on it in
//   the same step, or a resting body would hover; and what the body gets back by its own firmness
//   is taken out again. So bounce 1 gives back the speed of the fall, however the body is meshed,
//   matched and stepped.
// - It opens when the body has come to a halt and its pose has answered the hit. While it empties,
//   the ground is taken to carry the weight for the share that is still to come; without that the
//   delay would cost height, v times the time it takes.
#include "world.h"

#include "../math/elementary.h"

void wri_sprite_find_velocity(const wri_sprite *s, double v[2])
{
    v[0] = v[1] = 0.0;
    for (int i = 0; i < s->asset->N; i++) {
        v[0] += (double)s->asset->masses[i] * (double)s->vx[i];
        v[1] += (double)s->asset->masses[i] * (double)s->vy[i];
    }
    v[0] /= (double)s->asset->mass;
    v[1] /= (double)s->asset->mass;
}

static void add_velocity(wri_sprite *s, float x, float y)
{
    for (int i = 0; i < s->asset->N; i++) {
        s->vx[i] += x;
        s->vy[i] += y;
    }
}

// Its shape has drawn it off the level before it had come to a halt: it does now.
static void stop_short(wri_sprite *s, const float g[2], float dt)
{
    wri_sprite_state *state = &s->state;
    float nx = state->push[0], ny = state->push[1];
    double v[2];
    wri_sprite_find_velocity(s, v);
    float coming = -((float)v[0] * nx + (float)v[1] * ny), k = state->spring * s->parameters.bounce;
    float load = fmaxf(0.0f, -(g[0] * nx + g[1] * ny) * dt);
    if (coming > 0.0f) {
        add_velocity(s, coming * nx, coming * ny);
        float p = k * s->asset->mass * fmaxf(coming - load, 0.0f);
        state->p[0] += p * nx;
        state->p[1] += p * ny;
    }
}

// A fall in steps gains speed once too often on its way through the ground: what gravity adds in
// the step of the first contact is the half step it lacks before and the half step the way up will
// lack; later it counts as far as the body still comes nearer.
void wri_sprite_collect_momentum(wri_sprite *s, const float v[2], const float g[2], float dt)
{
    wri_sprite_state *state = &s->state;
    float x = s->level_push[0], y = s->level_push[1], m = s->asset->mass;
    float length = sqrtf(x * x + y * y), J = length / dt;
    bool was_armed = state->armed;
    state->armed = 0;
    if (!(length > 0.0f)) {
        if (was_armed) {
            stop_short(s, g, dt);
        }
        if (!(state->pending[0] > 0.0f || state->carry > 0.3f)) { // else it is not done there
            state->push[0] = state->push[1] = 0.0f;
        }
        return;
    }
    float nx = x / length, ny = y / length, level = s->level_way / length / dt;
    float load = fmaxf(0.0f, -(g[0] * nx + g[1] * ny) * dt); // m/s, of gravity in this step
    float coming = level - (v[0] * nx + v[1] * ny);          // with that load
    float taken = fminf(J, m * fmaxf(coming, 0.0f));
    if (coming - load > (was_armed ? 0.0f : 0.1f * s->asset->v_L)) {
        state->coming = was_armed ? state->coming : coming;
        float part = was_armed ? 1.0f - (coming - load) / state->coming : 0.0f;
        state->spring = s->level_sum > 0.0f ? s->level_spring / s->level_sum : 1.0f;
        float p = state->spring * s->parameters.bounce *
                  fmaxf(taken - m * load * fmaxf(part, 0.0f), 0.0f);
        state->p[0] += p * nx;
        state->p[1] += p * ny;
        state->carry = 1.0f;
        state->armed = J < 0.999f * m * coming; // still coming in: nothing goes back yet
    }
    // What it gets back by itself is part of it, be it still to come or just given.
    float own = fmaxf(0.0f, state->p[0] * nx + state->p[1] * ny);
    own = fminf(own, J - taken);
    state->p[0] -= own * nx;
    state->p[1] -= own * ny;
    float back = fminf(state->given, J - taken - own);
    state->given -= back;
    add_velocity(s, -back * nx / m, -back * ny / m);
    state->push[0] = nx;
    state->push[1] = ny;
}

void wri_sprite_release_momentum(wri_sprite *s, const float g[2], float dt)
{
    wri_sprite_state *state = &s->state;
    float r = wri_sprite_share(s->parameters.release, wri_sprite_ticks(s->asset, dt)),
          m = s->asset->mass;
    state->given *= (float)wri_exp(-(double)dt / (0.5 * (double)s->asset->t_L));
    if (state->armed) {
        return;
    }
    if (state->carry > 0.0f && state->pending[0] > 0.0f) { // deforms before it jumps
        add_velocity(s, -dt * g[0], -dt * g[1]);
        return;
    }
    if (state->p[0] == 0.0f && state->p[1] == 0.0f) {
        state->carry = 0.0f;
        return;
    }
    add_velocity(s, r * state->p[0] / m, r * state->p[1] / m);
    state->given += r * sqrtf(state->p[0] * state->p[0] + state->p[1] * state->p[1]);
    state->p[0] *= 1.0f - r;
    state->p[1] *= 1.0f - r;
    state->carry *= 1.0f - r;
    add_velocity(s, -state->carry * dt * g[0], -state->carry * dt * g[1]);
    float left = state->p[0] * state->p[0] + state->p[1] * state->p[1], unit = m * s->asset->v_L;
    if (left < 1e-10f * unit * unit) {
        state->p[0] = state->p[1] = 0.0f;
    }
}
