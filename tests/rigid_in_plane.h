// rigid_in_plane.h: rigid bodies beside a world of sprites, moved by Newton's equations alone: the
// engine's part in as few lines as possible.
#pragma once

#include "sprite_trial.h"

typedef struct crate {
    int body; // in the world of sprites
    double x, y, angle, vx, vy, angular_velocity, mass, inertia;
} crate;

static inline int add_body(trial *t, const wr_vec2 *corners, int count)
{
    wr_error error = {0};
    wr_sprite_body_desc desc = {.piece_count = 1,
                                .corner_counts = &count,
                                .friction = 0.6f,
                                .group = UINT32_MAX,
                                .collides = UINT32_MAX};
    int body = wr_sprite_add_body(t->world, &desc, &error);
    if (body < 0 || !wr_sprite_set_outline(t->world, body, 0, corners, count, &error)) {
        fail_msg("%s", error.message);
    }
    return body;
}

// A square of this side.
static inline crate add_crate(trial *t, float side, double mass, double x, double y)
{
    float h = 0.5f * side;
    const wr_vec2 corners[4] = {{-h, -h}, {h, -h}, {h, h}, {-h, h}};
    return (crate){.body = add_body(t, corners, 4),
                   .x = x,
                   .y = y,
                   .mass = mass,
                   .inertia = mass * (double)(side * side) / 6.0};
}

static inline crate add_wheel(trial *t, float radius, double mass, double x, double y)
{
    wr_vec2 corners[64];
    for (int k = 0; k < 64; k++) {
        float angle = 2.0f * WR_PI * (float)k / 64.0f;
        corners[k] = (wr_vec2){radius * cosf(angle), radius * sinf(angle)};
    }
    return (crate){.body = add_body(t, corners, 64),
                   .x = x,
                   .y = y,
                   .mass = mass,
                   .inertia = 0.4 * mass * (double)(radius * radius)};
}

static inline void place_crate(const trial *t, const crate *c)
{
    wr_sprite_body now = {.position = {(float)c->x, (float)c->y},
                          .angle = (float)c->angle,
                          .center = {(float)c->x, (float)c->y},
                          .velocity = {(float)c->vx, (float)c->vy},
                          .angular_velocity = (float)c->angular_velocity,
                          .inverse_mass = (float)(1.0 / c->mass),
                          .inverse_inertia = (float)(1.0 / c->inertia)};
    wr_sprite_place_body(t->world, c->body, &now);
}

static inline void move_crate(const trial *t, crate *c, double gravity, double dt)
{
    wr_sprite_push push = wr_sprite_body_push(t->world, c->body);
    c->vx += (double)push.impulse.x / c->mass;
    c->vy += (double)push.impulse.y / c->mass - gravity * dt;
    c->angular_velocity += (double)push.angular_impulse / c->inertia;
    c->x += (double)push.shift.x + dt * c->vx;
    c->y += (double)push.shift.y + dt * c->vy;
    c->angle += (double)push.rotation + dt * c->angular_velocity;
}

// One step of everything; gravity as the world of sprites has it.
static inline void step_crates(trial *t, crate *crates, int count, float dt)
{
    for (int i = 0; i < count; i++) {
        place_crate(t, &crates[i]);
    }
    wr_sprite_world_step(t->world, dt, NULL);
    for (int i = 0; i < count; i++) {
        move_crate(t, &crates[i], -(double)t->world->gravity.y, (double)dt);
    }
}

static inline void run_crates(trial *t, crate *crates, int count, int steps)
{
    for (int i = 0; i < steps; i++) {
        step_crates(t, crates, count, DT);
    }
}

static inline momentum momentum_with(const trial *t, const crate *crates, int count)
{
    momentum sum = momentum_of(t);
    for (int i = 0; i < count; i++) {
        const crate *c = &crates[i];
        sum.x += c->mass * c->vx;
        sum.y += c->mass * c->vy;
        sum.turn += c->mass * (c->x * c->vy - c->y * c->vx) + c->inertia * c->angular_velocity;
        sum.size += c->mass * sqrt(c->vx * c->vx + c->vy * c->vy);
    }
    return sum;
}

// J, of motion and height, of everything.
static inline double energy_with(const trial *t, const crate *crates, int count)
{
    double sum = 0.0, g = -(double)t->world->gravity.y;
    for (int k = 0; k < wr_sprite_count(t->world); k++) {
        const wr_sprite_asset *asset = wr_sprite_get_asset(t->world, k);
        const wr_vec2 *x = wr_sprite_positions(t->world, k), *v = wr_sprite_velocities(t->world, k);
        for (int i = 0; i < asset->N; i++) {
            double u = (double)v[i].x, w = (double)v[i].y;
            sum += (double)asset->masses[i] * (0.5 * (u * u + w * w) + g * (double)x[i].y);
        }
    }
    for (int i = 0; i < count; i++) {
        const crate *c = &crates[i];
        sum += c->mass * (0.5 * (c->vx * c->vx + c->vy * c->vy) + g * c->y) +
               0.5 * c->inertia * c->angular_velocity * c->angular_velocity;
    }
    return sum;
}
