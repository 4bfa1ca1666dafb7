// clay.h: bodies of clay for tests: blocks of particles on a lattice that is shaken a little.
#pragma once

#include "../src/clay/clay.h"
#include "check.h"

static inline wr_clay_world *clay_world(const wr_allocator *allocator)
{
    wr_clay_world_desc desc = wr_clay_world_desc_default();
    desc.allocator = allocator;
    return wr_clay_world_create(&desc, NULL);
}

typedef struct clay_block {
    int n[3];       // particles along each axis
    float spacing;  // m
    float shake;    // of the spacing
    wr_vec3 center; // m
    wr_quat rotation;
    wr_clay_desc desc; // parameters, density
} clay_block;

static inline clay_block clay_block_default(int x, int y, int z, float spacing)
{
    clay_block b = {{x, y, z}, spacing, 0.1f, {0, 0, 0}, {0, 0, 0, 1}, wr_clay_desc_default()};
    return b;
}

static inline float clay_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

// Returns the number of the body; -1 and the error where it is refused.
static inline int clay_add_block(wr_clay_world *world, const clay_block *b, wr_error *error)
{
    int count = b->n[0] * b->n[1] * b->n[2];
    wr_vec3 *positions = malloc((size_t)count * sizeof *positions);
    float *volumes = malloc((size_t)count * sizeof *volumes);
    uint32_t random = 7;
    for (int i = 0; i < count; i++) {
        const int place[3] = {i % b->n[0], i / b->n[0] % b->n[1], i / (b->n[0] * b->n[1])};
        float at[3];
        for (int k = 0; k < 3; k++) {
            bool inside = place[k] > 0 && place[k] < b->n[k] - 1;
            float shake = inside ? b->shake * clay_random(&random) : 0.0f;
            at[k] = b->spacing * ((float)place[k] - 0.5f * (float)(b->n[k] - 1) + shake);
        }
        positions[i] = wr_add(b->center, wr_rotate(b->rotation, wr_v3(at[0], at[1], at[2])));
        volumes[i] = b->spacing * b->spacing * b->spacing;
    }
    wr_clay_desc desc = b->desc;
    desc.positions = positions;
    desc.volumes = volumes;
    desc.count = count;
    int body = wr_clay_add(world, &desc, error);
    free(positions);
    free(volumes);
    return body;
}

// A step over a plane y = height that nothing moves.
static inline void clay_step_in(wr_clay_world *world, float dt, float height, float friction,
                                wr_vec3 gravity)
{
    wr_body_copy ground = {.pose = {{0, 0, 0}, {0, 0, 0, 1}}};
    int count = 0;
    for (int b = 0; b < world->bodies.count; b++) {
        count += wri_clay_of(world, b)->count;
    }
    wr_clay_touch *touches = calloc((size_t)count, sizeof *touches);
    int used = 0;
    for (int b = 0; b < world->bodies.count; b++) {
        const wri_clay *c = wri_clay_of(world, b);
        for (int i = 0; i < c->count; i++) {
            if (c->flags[i] & WRI_CLAY_SURFACE) {
                touches[used++] = (wr_clay_touch){
                    b, i, 0, {0.0f, height, 0.0f}, {0.0f, 1.0f, 0.0f}, friction, {0}};
            }
        }
    }
    wr_clay_step step = {.dt = dt,
                         .gravity = gravity,
                         .bodies = &ground,
                         .body_count = 1,
                         .touches = touches,
                         .touch_count = used};
    wr_clay_world_step(world, &step);
    free(touches);
}

static inline void clay_step_on_ground(wr_clay_world *world, float dt, float height, float friction)
{
    clay_step_in(world, dt, height, friction, wr_v3(0.0f, -9.81f, 0.0f));
}
