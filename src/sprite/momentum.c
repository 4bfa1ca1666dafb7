// momentum.c: the bounce that position-based dynamics loses (step 5).
//
// The momentum that the level takes from a body goes into a reservoir p and comes back over a few
// steps, with k_m the parameter `bounce` and r `release`:
//     p += k_m J n        (4.11)   v += r p / m        (4.12)   p *= 1 - r        (4.13)
// Here J is the impulse of the level; the thesis sums m_i k_m (x_pro - x_pen), which is J dt. It
// prints m_i r p / m^2 in 4.12, which gives back 1/N of the momentum only, so that the bounce
// depends on the mesh. This further differs from it:
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

// Returns the speed with which it leaves the level, m/s.
static float speed_from_level(const wri_sprite_state *state, const double v[2])
{
    return ((float)v[0] - state->level_velocity[0]) * state->level_normal[0] +
           ((float)v[1] - state->level_velocity[1]) * state->level_normal[1];
}

// Brings a body to a halt that its shape has drawn off the level before it had come to one.
static void stop_short(wri_sprite *s, const float g[2], float dt)
{
    wri_sprite_state *state = &s->state;
    float nx = state->level_normal[0], ny = state->level_normal[1];
    double v[2];
    wri_sprite_find_velocity(s, v);
    float approach = -speed_from_level(state, v), k = state->bounce_factor * s->parameters.bounce;
    float load = wr_maxf(0.0f, -(g[0] * nx + g[1] * ny) * dt);
    if (approach > 0.0f) {
        add_velocity(s, approach * nx, approach * ny);
        float p = k * s->asset->mass * wr_maxf(approach - load, 0.0f);
        state->p[0] += p * nx;
        state->p[1] += p * ny;
    }
}

// Gives a body that leaves the level the speed for the height that it lacks, since a hit has let it
// down.
static void leave_level(wri_sprite *s, const float g[2])
{
    wri_sprite_state *state = &s->state;
    float nx = state->level_normal[0], ny = state->level_normal[1], m = s->asset->mass;
    float weight = -(g[0] * nx + g[1] * ny);
    double v[2];
    wri_sprite_find_velocity(s, v);
    float up = speed_from_level(state, v) + (state->p[0] * nx + state->p[1] * ny) / m;
    if (up > 0.0f && weight > 0.0f) {
        float more = sqrtf(up * up + 2.0f * weight * state->sunk) - up;
        state->p[0] += m * more * nx;
        state->p[1] += m * more * ny;
    }
    state->sunk = 0.0f;
}

// Returns the potential energy of the whole in the field g, J/kg.
static double potential_energy(const wri_sprite *s, const float g[2])
{
    return -((double)g[0] * (s->state.origin[0] + s->center[0]) +
             (double)g[1] * (s->state.origin[1] + s->center[1]));
}

// Returns the energy, J/kg, that may be left when it has met the level with the velocity v, at the
// speed `approach`: bounce^2 of the energy of the approach, and the rest. v is at the end of a
// step, before it was pushed back; and falling in steps is half a step's gravity short, as rising
// will be.
static double find_energy(const wri_sprite *s, const float v[2], float approach, const float g[2],
                          float dt)
{
    float m = s->asset->mass, x = v[0] - s->state.level_velocity[0],
          y = v[1] - s->state.level_velocity[1];
    double k = (double)(s->state.bounce_factor * s->parameters.bounce), k2 = k * k;
    double turn = s->whole.inertia / (double)m *
                  (double)(s->state.angular_velocity * s->state.angular_velocity);
    double lifted =
        (double)((g[0] * s->whole.positional_impulse[0] + g[1] * s->whole.positional_impulse[1]) /
                 m);
    double half = (double)(dt * (g[0] * x + g[1] * y));
    double lost =
        (1.0 - k2) * ((double)(approach * approach) + half + 2.0 * lifted); // at the level
    double way = (double)(x * x + y * y) + half + k * half - lost;
    return 0.5 * (way + turn) + potential_energy(s, g) + lifted;
}

// Limits the reservoir. From a corner the body gets momentum twice, and what it gets along one side
// may bring it into the other. All of it together must not be more than it came with:
// |v + share p / m|^2 is at most what the energy allows, and what is lost by coming back in parts,
// at a share r in every step: with the weight carried for C = carried dt / r in all, (g C)^2 / 2.
static void limit_momentum(wri_sprite *s, const float g[2], float r, float dt)
{
    wri_sprite_state *state = &s->state;
    double v[2], turn = wri_sprite_find_angular_momentum(s), m = (double)s->asset->mass;
    wri_sprite_find_velocity(s, v);
    v[0] -= (double)state->level_velocity[0];
    v[1] -= (double)state->level_velocity[1];
    double x = (double)state->p[0] / m, y = (double)state->p[1] / m;
    double a = x * x + y * y, b = v[0] * x + v[1] * y, c = v[0] * v[0] + v[1] * v[1];
    c += s->whole.inertia > 0.0 ? turn * turn / (s->whole.inertia * m) : 0.0;
    double late = (double)(state->carried * dt / r);
    c -= 2.0 * (state->bounce_energy - potential_energy(s, g));
    c -= (double)(g[0] * g[0] + g[1] * g[1]) * late * late;
    if (a + 2.0 * b + c > 0.0) {
        double share = (sqrt(fmax(b * b - a * c, 0.0)) - b) / a;
        state->p[0] *= wr_clampf((float)share, 0.0f, 1.0f);
        state->p[1] *= wr_clampf((float)share, 0.0f, 1.0f);
    }
}

// Heights count from the level: the energy that may be left goes up with a level that rises.
static void lift_energy(wri_sprite_state *state, const float g[2], float dt)
{
    const float *v = state->level_velocity;
    state->bounce_energy -= (double)(dt * (g[0] * v[0] + g[1] * v[1]));
}

// The level pushes it no more, for now or for good.
static void lose_contact(wri_sprite *s, bool was_armed, const float g[2], float dt)
{
    wri_sprite_state *state = &s->state;
    if (was_armed) {
        stop_short(s, g, dt);
    }
    leave_level(s, g);
    if (!(state->pending_hits[0] > 0.0f || state->carried > DONE)) { // else it is not done there
        state->level_normal[0] = state->level_normal[1] = 0.0f;
    }
}

// A contact with the level, as the reservoir sees it.
typedef struct level_contact {
    float normal[2];
    float level;    // m/s, of the level along the normal
    float glide;    // m/s, of the level along the tangent
    float approach; // m/s, with the load
    float load;     // m/s, that gravity adds in this step
    float impulse;  // N s, of the level
    bool was_armed;
} level_contact;

// Adds k_m J n to the reservoir. A fall in steps gains speed once too often on its way through the
// ground: what gravity adds in the step of the first contact is the half step it lacks before and
// the half step the way up will lack; later it counts as far as the body still comes nearer.
static void fill_reservoir(wri_sprite *s, const level_contact *c, const float v[2],
                           const float g[2], float dt)
{
    wri_sprite_state *state = &s->state;
    float m = s->asset->mass, taken = wr_minf(c->impulse, m * wr_maxf(c->approach, 0.0f));
    state->bounce_factor = s->level.size > 0.0f ? s->level.bounce / s->level.size : 1.0f;
    state->approach_speed = c->was_armed ? state->approach_speed : c->approach;
    if (state->carried <= DONE) { // else it is the next side of a corner
        state->level_velocity[0] = c->level * c->normal[0] - c->glide * c->normal[1];
        state->level_velocity[1] = c->level * c->normal[1] + c->glide * c->normal[0];
        state->bounce_energy = find_energy(s, v, c->approach, g, dt);
    }
    float part = c->was_armed ? 1.0f - (c->approach - c->load) / state->approach_speed : 0.0f;
    float p = state->bounce_factor * s->parameters.bounce *
              wr_maxf(taken - m * c->load * wr_maxf(part, 0.0f), 0.0f);
    state->p[0] += p * c->normal[0]; // eq. 4.11
    state->p[1] += p * c->normal[1];
    state->carried = 1.0f;
    state->armed = c->impulse < 0.999f * m * c->approach; // still comes in: nothing goes back yet
}

void wri_sprite_collect_momentum(wri_sprite *s, const float v[2], const float g[2], float dt)
{
    wri_sprite_state *state = &s->state;
    float x = s->level.normal[0], y = s->level.normal[1], length = sqrtf(x * x + y * y);
    bool was_armed = state->armed;
    state->armed = 0;
    lift_energy(state, g, dt);
    if (!(length > 0.0f)) {
        lose_contact(s, was_armed, g, dt);
        return;
    }
    float nx = x / length, ny = y / length;
    level_contact c = {.normal = {nx, ny}, .was_armed = was_armed};
    c.level = s->level.travel / length / dt;
    c.glide = s->level.glide / length / dt;
    c.load = wr_maxf(0.0f, -(g[0] * nx + g[1] * ny) * dt);
    c.approach = c.level - (v[0] * nx + v[1] * ny);
    c.impulse = length / dt * wri_sprite_stop_level_work(s, nx, ny, g, dt);
    if (c.approach - c.load > (was_armed ? 0.0f : 0.1f * s->asset->v_L)) {
        fill_reservoir(s, &c, v, g, dt);
    }
    state->level_normal[0] = nx;
    state->level_normal[1] = ny;
}

void wri_sprite_release_momentum(wri_sprite *s, const float g[2], float dt)
{
    wri_sprite_state *state = &s->state;
    float r = wri_sprite_share(s->parameters.release, wri_sprite_ticks(s->asset, dt)),
          m = s->asset->mass;
    if (state->armed) {
        return;
    }
    if (state->carried > 0.0f && state->pending_hits[0] > 0.0f) { // deforms before it jumps
        add_velocity(s, -dt * g[0], -dt * g[1]);
        return;
    }
    if (state->p[0] == 0.0f && state->p[1] == 0.0f) {
        state->carried = 0.0f;
        return;
    }
    limit_momentum(s, g, r, dt);
    add_velocity(s, r * state->p[0] / m, r * state->p[1] / m); // eq. 4.12
    state->p[0] *= 1.0f - r;                                   // eq. 4.13
    state->p[1] *= 1.0f - r;
    state->carried *= 1.0f - r;
    add_velocity(s, -state->carried * dt * g[0], -state->carried * dt * g[1]);
    float left = state->p[0] * state->p[0] + state->p[1] * state->p[1], unit = m * s->asset->v_L;
    if (left < 1e-10f * unit * unit) {
        state->p[0] = state->p[1] = 0.0f;
    }
}
