// bearing.c: what rigid bodies lean on.
//
// The owner of the bodies finds where they touch one another and the ground, and keeps them apart.
// But a crate that stands on the ground gives way to nothing that lands on it, and a light one
// could not stop a heavy sprite if it did not know of the ground. So these contacts, the
// *bearings*, are known here, and used three times, each time with normal positional impulses that
// are never negative:
// - alone, to find how the bodies go on by themselves. Their owner will find these forces again.
// - as supports: the response of a body to a contact is found with everything below it, and the
//   response of that in turn with everything below: from the ground up, one after another.
// - when all contacts of sprites are solved, to find what the bearings pass on because of them.
//   That is handed over with the impulses: else a light crate under a heavy sprite would be driven
//   into the ground first, and bounce.
#include "world.h"

#include <limits.h>

enum { SWEEPS = 24, ANSWER_SWEEPS = 8 };
static const float TOUCHING = 2e-3f; // sizes of the body
static const float DRAWN = 0.1f;     // cosine between a normal and what draws the body off it

static wri_flat_body *other_of(const wr_sprite_world *world, const wr_sprite_bearing *c)
{
    return c->b >= 0 ? wri_flat_body_of(world, c->b) : NULL;
}

static float size_of(const wr_sprite_world *world, const wri_flat_body *b)
{
    float size = 0.0f;
    for (int i = 0; i < b->piece_count; i++) {
        const wri_level *level = &WRI_ITEM(world->levels, wri_level, b->first_piece + i);
        size = wr_maxf(size, level->radius);
    }
    return size;
}

static void find_arm(const wri_flat_body *b, const wr_sprite_bearing *c, float at[2])
{
    at[0] = c->point.x - b->start.center.x;
    at[1] = c->point.y - b->start.center.y;
}

// --- impulses of bearings ---------------------------------------------------------------------

static double along(const double moved[3], const float at[2], float nx, float ny)
{
    return (double)nx * (moved[0] - moved[2] * (double)at[1]) +
           (double)ny * (moved[1] + moved[2] * (double)at[0]);
}

// Returns how far its velocity brings a body along a direction there, from the beginning of the
// step, m.
static double travel(const wri_flat_body *b, const float at[2], float nx, float ny, double dt)
{
    const double moved[3] = {
        b->begin[0] - (double)b->start.center.x + dt * (double)b->velocity[0] + b->displacement[0],
        b->begin[1] - (double)b->start.center.y + dt * (double)b->velocity[1] + b->displacement[1],
        b->begin[2] - (double)b->start.angle + dt * (double)b->angular_velocity +
            b->displacement[2]};
    return along(moved, at, nx, ny);
}

// Applies a positional impulse, kg m, at a bearing.
static void bear(wri_flat_body *b, const float at[2], float x, float y)
{
    double angular = (double)(at[0] * y - at[1] * x);
    b->displacement[0] += (double)b->start.inverse_mass * (double)x;
    b->displacement[1] += (double)b->start.inverse_mass * (double)y;
    b->displacement[2] += (double)b->start.inverse_inertia * angular;
    b->bearing_impulse[0] += (double)x;
    b->bearing_impulse[1] += (double)y;
    b->bearing_impulse[2] += angular;
}

typedef struct joint {
    wri_flat_body *a, *b; // b NULL: something that nothing moves
    float at_a[2], at_b[2];
} joint;

static joint find_joint(const wr_sprite_world *world, const wr_sprite_bearing *c)
{
    joint j = {.a = wri_flat_body_of(world, c->a), .b = other_of(world, c)};
    find_arm(j.a, c, j.at_a);
    if (j.b) {
        find_arm(j.b, c, j.at_b);
    }
    return j;
}

static float inverse_effective_mass(const joint *j, float nx, float ny)
{
    return wri_flat_body_inverse_effective_mass(j->a, j->at_a, nx, ny) +
           (j->b ? wri_flat_body_inverse_effective_mass(j->b, j->at_b, nx, ny) : 0.0f);
}

static void press(const joint *j, float x, float y)
{
    bear(j->a, j->at_a, x, y);
    if (j->b) {
        bear(j->b, j->at_b, -x, -y);
    }
}

// Returns the gap that velocities will leave at the end of this substep, m.
static double find_gap(const wr_sprite_world *world, const wr_sprite_bearing *c, const joint *j)
{
    float nx = c->normal.x, ny = c->normal.y;
    double other = j->b
                       ? travel(j->b, j->at_b, nx, ny, (double)world->dt)
                       : (double)world->elapsed * (double)(nx * c->velocity.x + ny * c->velocity.y);
    return fmax((double)c->gap, 0.0) + travel(j->a, j->at_a, nx, ny, (double)world->dt) - other;
}

// Solves one bearing. Friction acts against what sprites do; against all else it is the owner's.
static void sweep(const wr_sprite_world *world, wr_sprite_bearing *c, float friction)
{
    joint j = find_joint(world, c);
    float nx = c->normal.x, ny = c->normal.y, w_n = inverse_effective_mass(&j, nx, ny);
    if (!(w_n > 0.0f)) {
        return;
    }
    double gap = find_gap(world, c, &j);
    float lambda_n = wr_maxf(0.0f, c->normal_positional_impulse - (float)(gap / (double)w_n));
    float change = lambda_n - c->normal_positional_impulse, most = friction * lambda_n;
    press(&j, change * nx, change * ny);
    c->normal_positional_impulse = lambda_n;
    double slid = along(j.a->displacement, j.at_a, -ny, nx) -
                  (j.b ? along(j.b->displacement, j.at_b, -ny, nx) : 0.0);
    float w_t = inverse_effective_mass(&j, -ny, nx);
    float lambda_t = c->friction_positional_impulse - (float)(slid / (double)w_t);
    lambda_t = wr_clampf(lambda_t, -most, most);
    change = lambda_t - c->friction_positional_impulse;
    press(&j, -change * ny, change * nx);
    c->friction_positional_impulse = lambda_t;
}

static void sweep_all(wr_sprite_world *world, bool with_friction)
{
    for (int i = 0; i < world->bearing_count; i++) {
        world->bearings[i].normal_positional_impulse = 0.0f;
        world->bearings[i].friction_positional_impulse = 0.0f;
    }
    for (int i = 0; i < SWEEPS; i++) { // to and fro
        for (int k = 0; k < world->bearing_count; k++) {
            wr_sprite_bearing *c = &world->bearings[i % 2 ? world->bearing_count - 1 - k : k];
            sweep(world, c, with_friction ? c->friction : 0.0f);
        }
    }
}

void wri_bearings_rest(wr_sprite_world *world)
{
    double per = 1.0 / (double)world->dt;
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        memset(b->displacement, 0, sizeof b->displacement);
    }
    sweep_all(world, false);
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        if (b->is_near) {
            b->velocity[0] += (float)(per * b->displacement[0]);
            b->velocity[1] += (float)(per * b->displacement[1]);
            b->angular_velocity += (float)(per * b->displacement[2]);
            memset(b->displacement, 0, sizeof b->displacement);
        }
    }
}

void wri_bearings_settle(wr_sprite_world *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        const wri_whole *w = &b->whole;
        double x = (double)w->positional_impulse[0], y = (double)w->positional_impulse[1];
        double angular = w->angular_positional_impulse - (b->center[0] * y - b->center[1] * x);
        b->displacement[0] = (double)b->start.inverse_mass * x;
        b->displacement[1] = (double)b->start.inverse_mass * y;
        b->displacement[2] = (double)b->start.inverse_inertia * angular;
        memset(b->bearing_impulse, 0, sizeof b->bearing_impulse);
    }
    sweep_all(world, true);
}

// --- supports ---------------------------------------------------------------------------------

static int storey_of(const wri_flat_body *b)
{
    return b ? b->storey : 0;
}

// Counts the storeys from the ground up to each body: INT_MAX where there is no ground.
static void find_storeys(wr_sprite_world *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        b->storey = INT_MAX;
        b->support_count = 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < world->bearing_count; i++) {
            joint j = find_joint(world, &world->bearings[i]);
            int a = storey_of(j.a), b = storey_of(j.b);
            if (b < INT_MAX && a > b + 1) {
                j.a->storey = b + 1;
                changed = true;
            } else if (j.b && a < INT_MAX && b > a + 1) {
                j.b->storey = a + 1;
                changed = true;
            }
        }
    }
}

static void add_support(wri_flat_body *b, const wr_sprite_bearing *c, bool is_a,
                        const wri_flat_body *below)
{
    float at[2], side = is_a ? 1.0f : -1.0f;
    find_arm(b, c, at);
    for (int k = 0; k < b->support_count; k++) { // of a body with depth it is there twice
        const wri_support *s = &b->supports[k];
        if (s->below == below && fabsf(s->at[0] - at[0]) + fabsf(s->at[1] - at[1]) < 1e-4f) {
            return;
        }
    }
    if (b->support_count < WRI_SUPPORTS) {
        b->supports[b->support_count++] =
            (wri_support){.below = below,
                          .at = {at[0], at[1]},
                          .normal = {side * c->normal.x, side * c->normal.y}};
    }
}

// Finds the inverse effective mass of every support: that of what is below there, as often as they
// touch.
static void find_support_masses(wri_flat_body *b)
{
    for (int k = 0; k < b->support_count; k++) {
        wri_support *s = &b->supports[k];
        s->inverse_effective_mass = 0.0f;
        if (s->below) {
            int count = 0;
            for (int i = 0; i < b->support_count; i++) {
                count += b->supports[i].below == s->below;
            }
            const float at[2] = {s->at[0] + b->start.center.x - s->below->start.center.x,
                                 s->at[1] + b->start.center.y - s->below->start.center.y};
            s->inverse_effective_mass =
                (float)count * wri_flat_body_response(s->below, at, -s->normal[0], -s->normal[1])
                                   .inverse_effective_mass[0];
        }
    }
}

void wri_bearings_find_supports(wr_sprite_world *world)
{
    find_storeys(world);
    int last = 0;
    for (int i = 0; i < world->bearing_count; i++) {
        const wr_sprite_bearing *c = &world->bearings[i];
        joint j = find_joint(world, c);
        bool is_a = storey_of(j.a) > storey_of(j.b);
        wri_flat_body *upper = is_a ? j.a : j.b;
        if (storey_of(j.a) != storey_of(j.b) && storey_of(upper) < INT_MAX &&
            find_gap(world, c, &j) < (double)(TOUCHING * size_of(world, upper))) {
            add_support(upper, c, is_a, is_a ? j.b : j.a);
            last = upper->storey > last ? upper->storey : last;
        }
    }
    for (int storey = 1; storey <= last; storey++) {
        for (int i = 0; i < world->bodies.count; i++) {
            wri_flat_body *b = wri_flat_body_of(world, i);
            if (b->storey == storey) {
                find_support_masses(b);
            }
        }
    }
}

// Finds the displacements W of a body by unit positional impulses along x and y and a unit angular
// one: its inverse mass matrix without the directions that its supports take away, one after
// another. A support does not act against what is drawn off it.
static void find_inverse(const wri_flat_body *b, float nx, float ny, float W[3][3])
{
    memset(W, 0, 9 * sizeof W[0][0]);
    W[0][0] = W[1][1] = b->start.inverse_mass;
    W[2][2] = b->start.inverse_inertia;
    for (int k = 0; k < b->support_count; k++) {
        const wri_support *s = &b->supports[k];
        const float j[3] = {s->normal[0], s->normal[1],
                            s->at[0] * s->normal[1] - s->at[1] * s->normal[0]};
        float w[3], d = s->inverse_effective_mass,
                    free = wri_flat_body_inverse_effective_mass(b, s->at, j[0], j[1]);
        for (int i = 0; i < 3; i++) {
            w[i] = W[i][0] * j[0] + W[i][1] * j[1] + W[i][2] * j[2];
        }
        d += j[0] * w[0] + j[1] * w[1] + j[2] * w[2];
        if (nx * j[0] + ny * j[1] > DRAWN || !(d > 1e-4f * free)) {
            continue;
        }
        for (int i = 0; i < 9; i++) {
            W[i / 3][i % 3] -= w[i / 3] * w[i % 3] / d;
        }
    }
}

wri_response wri_flat_body_response(const wri_flat_body *b, const float at[2], float nx, float ny)
{
    wri_response a;
    float W[3][3];
    find_inverse(b, nx, ny, W);
    for (int k = 0; k < 2; k++) {
        float x = k ? -ny : nx, y = k ? nx : ny, arm = at[0] * y - at[1] * x, *slide = a.slides[k];
        for (int i = 0; i < 3; i++) {
            slide[i] = W[i][0] * x + W[i][1] * y + W[i][2] * arm;
        }
        a.inverse_effective_mass[k] = wr_maxf(0.0f, slide[0] * x + slide[1] * y + slide[2] * arm);
    }
    return a;
}

// --- shifts -----------------------------------------------------------------------------------

// Keeps bodies that were moved without velocity out of what they lean on.
void wri_bearings_limit_shifts(wr_sprite_world *world)
{
    for (int i = 0; i < ANSWER_SWEEPS; i++) {
        for (int k = 0; k < world->bearing_count; k++) {
            const wr_sprite_bearing *c = &world->bearings[k];
            joint j = find_joint(world, c);
            float nx = c->normal.x, ny = c->normal.y, w_n = inverse_effective_mass(&j, nx, ny);
            double way =
                along(j.a->shift, j.at_a, nx, ny) - (j.b ? along(j.b->shift, j.at_b, nx, ny) : 0.0);
            if (way < 0.0 && w_n > 0.0f) {
                float lambda_n = (float)(-way / (double)w_n);
                wri_flat_body_shift(j.a, j.at_a, lambda_n * nx, lambda_n * ny);
                if (j.b) {
                    wri_flat_body_shift(j.b, j.at_b, -lambda_n * nx, -lambda_n * ny);
                }
            }
        }
    }
}
