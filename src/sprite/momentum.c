// momentum.c: the bounce that position-based dynamics loses (000, section 4.2.2.3).
//
// What the level takes of a body's momentum goes into a reservoir p and comes back over a few steps
// (equations 4.11 to 4.13). Where this differs from the papers:
// - Nothing but the reservoir bounces. A pose that springs back lifts the body without throwing it
//   (work.c), and all that comes out of the reservoir is no more energy than the body came with. So
//   bounce 1 gives back the speed of the fall, whatever the pose does meanwhile, however the body
//   is meshed, matched and stepped.
// - The reservoir takes the momentum with which the body came in, not what gravity loads on it in
//   the same step, or a resting body would hover.
// - It opens when the body has come to a halt and its pose has answered the hit. While it empties,
//   the ground is taken to carry the weight for the share that is still to come; without that the
//   delay would cost height, v times the time it takes.
#include "world.h"

#include "../math/elementary.h"

static const float DONE = 0.3f; // of the weight is still carried: a bounce is over

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
    float load = wr_maxf(0.0f, -(g[0] * nx + g[1] * ny) * dt);
    if (coming > 0.0f) {
        add_velocity(s, coming * nx, coming * ny);
        float p = k * s->asset->mass * wr_maxf(coming - load, 0.0f);
        state->p[0] += p * nx;
        state->p[1] += p * ny;
    }
}

// What a hit has let it down is height that it lacks when it leaves: it gets the speed for it.
static void leave_level(wri_sprite *s, const float g[2])
{
    wri_sprite_state *state = &s->state;
    float nx = state->push[0], ny = state->push[1], m = s->asset->mass;
    float weight = -(g[0] * nx + g[1] * ny);
    double v[2];
    wri_sprite_find_velocity(s, v);
    float up = (float)v[0] * nx + (float)v[1] * ny + (state->p[0] * nx + state->p[1] * ny) / m;
    if (up > 0.0f && weight > 0.0f) {
        float more = sqrtf(up * up + 2.0f * weight * state->sunk) - up;
        state->p[0] += m * more * nx;
        state->p[1] += m * more * ny;
    }
    state->sunk = 0.0f;
}

// What its place gives or takes of the energy of the whole, J/kg.
static double height_of(const wri_sprite *s, const float g[2])
{
    return -((double)g[0] * (s->state.origin[0] + s->center[0]) +
             (double)g[1] * (s->state.origin[1] + s->center[1]));
}

// What may be left when it has met the level, with the velocity v and `coming` nearer: bounce^2 of
// the energy of coming nearer, and the rest. v is at the end of a step, before it was pushed back;
// and falling in steps is half a step's gravity short, as rising will be.
static double find_energy(const wri_sprite *s, const float v[2], float coming, const float g[2],
                          float dt)
{
    float m = s->asset->mass, x = v[0] - s->state.level[0], y = v[1] - s->state.level[1];
    double k = (double)(s->state.spring * s->parameters.bounce), k2 = k * k;
    double turn = s->whole.inertia / (double)m *
                  (double)(s->state.angular_velocity * s->state.angular_velocity);
    double pushed = (double)((g[0] * s->whole.push[0] + g[1] * s->whole.push[1]) / m);
    double half = (double)(dt * (g[0] * v[0] + g[1] * v[1]));
    double lost = (1.0 - k2) * ((double)(coming * coming) + half + 2.0 * pushed); // at the level
    double way = (double)(x * x + y * y) + half + k * half - lost;
    return 0.5 * (way + turn) + height_of(s, g) + pushed;
}

// From a corner it gets momentum twice, and what it gets along one side may bring it into the
// other. All of it together must not be more than it came with: |v + share p / m|^2 is at most what
// the energy allows, and what is lost by coming back in parts, at a share r in every step: with the
// weight carried for C = carry dt / r in all, (g C)^2 / 2.
static void limit_momentum(wri_sprite *s, const float g[2], float r, float dt)
{
    wri_sprite_state *state = &s->state;
    double v[2], turn = wri_sprite_find_turn(s), m = (double)s->asset->mass;
    wri_sprite_find_velocity(s, v);
    v[0] -= (double)state->level[0];
    v[1] -= (double)state->level[1];
    double x = (double)state->p[0] / m, y = (double)state->p[1] / m;
    double a = x * x + y * y, b = v[0] * x + v[1] * y, c = v[0] * v[0] + v[1] * v[1];
    c += s->whole.inertia > 0.0 ? turn * turn / (s->whole.inertia * m) : 0.0;
    double late = (double)(state->carry * dt / r);
    c -= 2.0 * (state->energy - height_of(s, g));
    c -= (double)(g[0] * g[0] + g[1] * g[1]) * late * late;
    if (a + 2.0 * b + c > 0.0) {
        double share = (sqrt(fmax(b * b - a * c, 0.0)) - b) / a;
        state->p[0] *= wr_clampf((float)share, 0.0f, 1.0f);
        state->p[1] *= wr_clampf((float)share, 0.0f, 1.0f);
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
        leave_level(s, g);
        if (!(state->pending[0] > 0.0f || state->carry > DONE)) { // else it is not done there
            state->push[0] = state->push[1] = 0.0f;
        }
        return;
    }
    float nx = x / length, ny = y / length, level = s->level_way / length / dt;
    float load = wr_maxf(0.0f, -(g[0] * nx + g[1] * ny) * dt); // m/s, of gravity in this step
    float coming = level - (v[0] * nx + v[1] * ny);            // with that load
    J *= wri_sprite_stop_level_work(s, nx, ny, g, dt);
    float taken = wr_minf(J, m * wr_maxf(coming, 0.0f));
    if (coming - load > (was_armed ? 0.0f : 0.1f * s->asset->v_L)) {
        state->spring = s->level_sum > 0.0f ? s->level_spring / s->level_sum : 1.0f;
        state->coming = was_armed ? state->coming : coming;
        if (state->carry <= DONE) { // else it is the next side of a corner
            state->level[0] = level * nx;
            state->level[1] = level * ny;
            state->energy = find_energy(s, v, coming, g, dt);
        }
        float part = was_armed ? 1.0f - (coming - load) / state->coming : 0.0f;
        float p = state->spring * s->parameters.bounce *
                  wr_maxf(taken - m * load * wr_maxf(part, 0.0f), 0.0f);
        state->p[0] += p * nx;
        state->p[1] += p * ny;
        state->carry = 1.0f;
        state->armed = J < 0.999f * m * coming; // still coming in: nothing goes back yet
    }
    state->push[0] = nx;
    state->push[1] = ny;
}

void wri_sprite_release_momentum(wri_sprite *s, const float g[2], float dt)
{
    wri_sprite_state *state = &s->state;
    float r = wri_sprite_share(s->parameters.release, wri_sprite_ticks(s->asset, dt)),
          m = s->asset->mass;
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
    limit_momentum(s, g, r, dt);
    add_velocity(s, r * state->p[0] / m, r * state->p[1] / m);
    state->p[0] *= 1.0f - r;
    state->p[1] *= 1.0f - r;
    state->carry *= 1.0f - r;
    add_velocity(s, -state->carry * dt * g[0], -state->carry * dt * g[1]);
    float left = state->p[0] * state->p[0] + state->p[1] * state->p[1], unit = m * s->asset->v_L;
    if (left < 1e-10f * unit * unit) {
        state->p[0] = state->p[1] = 0.0f;
    }
}
