// bearing.c: what rigid bodies lean on.
//
// How bodies touch one another and the ground is found by their owner, who keeps them apart. But a
// crate that stands on the ground gives way to nothing that lands on it, and a light one could not
// stop a heavy sprite if it did not know of the ground. So these contacts, the *bearings*, are
// known here, and used three times, each time with pressures that are never negative:
// - alone, to find how the bodies go on by themselves. Their owner will find these forces again.
// - as supports: what a body answers to a push is found with everything below it. What is below
//   in turn gives way by what itself answers to its pushes: from the ground up, one after another.
// - when all pushes of sprites are known, to find what the bearings pass on because of them. That
//   is handed over with the pushes: else a light crate under a heavy sprite would be driven into
//   the ground first, and bounce.
#include "world.h"

#include <limits.h>

enum { SWEEPS = 24, ANSWER_SWEEPS = 8 };
static const float TOUCHING = 2e-3f; // sizes of the body
static const float DRAWN = 0.1f;     // cosine between a normal and a push that draws the body off

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

// --- pressures --------------------------------------------------------------------------------

static double along(const double moved[3], const float at[2], float nx, float ny)
{
    return (double)nx * (moved[0] - moved[2] * (double)at[1]) +
           (double)ny * (moved[1] + moved[2] * (double)at[0]);
}

// How far its velocity brings a body along a direction there, from the beginning of the step.
static double comes(const wri_flat_body *b, const float at[2], float nx, float ny, double dt)
{
    const double moved[3] = {
        b->begin[0] - (double)b->start.center.x + dt * (double)b->velocity[0] + b->pushed[0],
        b->begin[1] - (double)b->start.center.y + dt * (double)b->velocity[1] + b->pushed[1],
        b->begin[2] - (double)b->start.angle + dt * (double)b->angular_velocity + b->pushed[2]};
    return along(moved, at, nx, ny);
}

// A push, kg m, at a bearing.
static void bear(wri_flat_body *b, const float at[2], float x, float y)
{
    double turn = (double)(at[0] * y - at[1] * x);
    b->pushed[0] += (double)b->start.inverse_mass * (double)x;
    b->pushed[1] += (double)b->start.inverse_mass * (double)y;
    b->pushed[2] += (double)b->start.inverse_inertia * turn;
    b->borne[0] += (double)x;
    b->borne[1] += (double)y;
    b->borne[2] += turn;
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

static float yielding(const joint *j, float nx, float ny)
{
    return wri_flat_body_yielding(j->a, j->at_a, nx, ny) +
           (j->b ? wri_flat_body_yielding(j->b, j->at_b, nx, ny) : 0.0f);
}

static void press(const joint *j, float x, float y)
{
    bear(j->a, j->at_a, x, y);
    if (j->b) {
        bear(j->b, j->at_b, -x, -y);
    }
}

// The gap that velocities will leave at the end of this part.
static double find_gap(const wr_sprite_world *world, const wr_sprite_bearing *c, const joint *j)
{
    float nx = c->normal.x, ny = c->normal.y;
    double other = j->b
                       ? comes(j->b, j->at_b, nx, ny, (double)world->dt)
                       : (double)world->elapsed * (double)(nx * c->velocity.x + ny * c->velocity.y);
    return fmax((double)c->gap, 0.0) + comes(j->a, j->at_a, nx, ny, (double)world->dt) - other;
}

// Friction holds against what the pushes of sprites do; against all else the owner lets it.
static void sweep(const wr_sprite_world *world, wr_sprite_bearing *c, float friction)
{
    joint j = find_joint(world, c);
    float nx = c->normal.x, ny = c->normal.y, across = yielding(&j, nx, ny);
    if (!(across > 0.0f)) {
        return;
    }
    double gap = find_gap(world, c, &j);
    float pressure = wr_maxf(0.0f, c->pressure - (float)(gap / (double)across));
    float p = pressure - c->pressure, most = friction * pressure;
    press(&j, p * nx, p * ny);
    c->pressure = pressure;
    double slid =
        along(j.a->pushed, j.at_a, -ny, nx) - (j.b ? along(j.b->pushed, j.at_b, -ny, nx) : 0.0);
    float hold = c->hold - (float)(slid / (double)yielding(&j, -ny, nx));
    hold = wr_clampf(hold, -most, most);
    float h = hold - c->hold;
    press(&j, -h * ny, h * nx);
    c->hold = hold;
}

static void sweep_all(wr_sprite_world *world, bool with_friction)
{
    for (int i = 0; i < world->bearing_count; i++) {
        world->bearings[i].pressure = world->bearings[i].hold = 0.0f;
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
        memset(b->pushed, 0, sizeof b->pushed);
    }
    sweep_all(world, false);
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        if (b->is_near) {
            b->velocity[0] += (float)(per * b->pushed[0]);
            b->velocity[1] += (float)(per * b->pushed[1]);
            b->angular_velocity += (float)(per * b->pushed[2]);
            memset(b->pushed, 0, sizeof b->pushed);
        }
    }
}

void wri_bearings_settle(wr_sprite_world *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        const wri_whole *w = &b->whole;
        double x = (double)w->push[0], y = (double)w->push[1];
        double turn = w->push_turn - (b->center[0] * y - b->center[1] * x);
        b->pushed[0] = (double)b->start.inverse_mass * x;
        b->pushed[1] = (double)b->start.inverse_mass * y;
        b->pushed[2] = (double)b->start.inverse_inertia * turn;
        memset(b->borne, 0, sizeof b->borne);
    }
    sweep_all(world, true);
}

// --- supports ---------------------------------------------------------------------------------

static int layer_of(const wri_flat_body *b)
{
    return b ? b->layer : 0;
}

// How many bodies are between a body and the ground: INT_MAX where there is none.
static void find_layers(wr_sprite_world *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        b->layer = INT_MAX;
        b->support_count = 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < world->bearing_count; i++) {
            joint j = find_joint(world, &world->bearings[i]);
            int a = layer_of(j.a), b = layer_of(j.b);
            if (b < INT_MAX && a > b + 1) {
                j.a->layer = b + 1;
                changed = true;
            } else if (j.b && a < INT_MAX && b > a + 1) {
                j.b->layer = a + 1;
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

// By what a support gives way: as what is below answers to a push there, as often as they touch.
static void find_give(wri_flat_body *b)
{
    for (int k = 0; k < b->support_count; k++) {
        wri_support *s = &b->supports[k];
        s->give = 0.0f;
        if (s->below) {
            int count = 0;
            for (int i = 0; i < b->support_count; i++) {
                count += b->supports[i].below == s->below;
            }
            const float at[2] = {s->at[0] + b->start.center.x - s->below->start.center.x,
                                 s->at[1] + b->start.center.y - s->below->start.center.y};
            s->give = (float)count *
                      wri_flat_body_answer(s->below, at, -s->normal[0], -s->normal[1]).yielding[0];
        }
    }
}

void wri_bearings_find_supports(wr_sprite_world *world)
{
    find_layers(world);
    int last = 0;
    for (int i = 0; i < world->bearing_count; i++) {
        const wr_sprite_bearing *c = &world->bearings[i];
        joint j = find_joint(world, c);
        bool is_a = layer_of(j.a) > layer_of(j.b);
        wri_flat_body *upper = is_a ? j.a : j.b;
        if (layer_of(j.a) != layer_of(j.b) && layer_of(upper) < INT_MAX &&
            find_gap(world, c, &j) < (double)(TOUCHING * size_of(world, upper))) {
            add_support(upper, c, is_a, is_a ? j.b : j.a);
            last = upper->layer > last ? upper->layer : last;
        }
    }
    for (int layer = 1; layer <= last; layer++) {
        for (int i = 0; i < world->bodies.count; i++) {
            wri_flat_body *b = wri_flat_body_of(world, i);
            if (b->layer == layer) {
                find_give(b);
            }
        }
    }
}

// How a body moves under the unit pushes of x, y and turn that it leans against with: inverse mass
// without the directions that its supports take away, one after another. What a push draws off a
// support is not held by it.
static void find_inverse(const wri_flat_body *b, float nx, float ny, float W[3][3])
{
    memset(W, 0, 9 * sizeof W[0][0]);
    W[0][0] = W[1][1] = b->start.inverse_mass;
    W[2][2] = b->start.inverse_inertia;
    for (int k = 0; k < b->support_count; k++) {
        const wri_support *s = &b->supports[k];
        const float j[3] = {s->normal[0], s->normal[1],
                            s->at[0] * s->normal[1] - s->at[1] * s->normal[0]};
        float w[3], d = s->give, free = wri_flat_body_yielding(b, s->at, j[0], j[1]);
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

wri_answer wri_flat_body_answer(const wri_flat_body *b, const float at[2], float nx, float ny)
{
    wri_answer a;
    float W[3][3];
    find_inverse(b, nx, ny, W);
    for (int k = 0; k < 2; k++) {
        float x = k ? -ny : nx, y = k ? nx : ny, turn = at[0] * y - at[1] * x, *slide = a.slides[k];
        for (int i = 0; i < 3; i++) {
            slide[i] = W[i][0] * x + W[i][1] * y + W[i][2] * turn;
        }
        a.yielding[k] = wr_maxf(0.0f, slide[0] * x + slide[1] * y + slide[2] * turn);
    }
    return a;
}

// --- shifts -----------------------------------------------------------------------------------

// What was moved without velocity is not moved into what it leans on.
void wri_bearings_limit_shifts(wr_sprite_world *world)
{
    for (int i = 0; i < ANSWER_SWEEPS; i++) {
        for (int k = 0; k < world->bearing_count; k++) {
            const wr_sprite_bearing *c = &world->bearings[k];
            joint j = find_joint(world, c);
            float nx = c->normal.x, ny = c->normal.y, across = yielding(&j, nx, ny);
            double way =
                along(j.a->shift, j.at_a, nx, ny) - (j.b ? along(j.b->shift, j.at_b, nx, ny) : 0.0);
            if (way < 0.0 && across > 0.0f) {
                float p = (float)(-way / (double)across);
                wri_flat_body_shift(j.a, j.at_a, p * nx, p * ny);
                if (j.b) {
                    wri_flat_body_shift(j.b, j.at_b, -p * nx, -p * ny);
                }
            }
        }
    }
}
