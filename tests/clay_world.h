// clay_world.h: scenes with clay as worlds, and what physics lets one measure in them.
#pragma once

#include "../bench/metal_world.h"
#include "../src/clay/clay.h"
#include "../src/world/clay.h"

// By number among the materials of a world; NULL: it is no clay.
static inline wri_clay *clay_at(const wr_world *world, int index)
{
    const wri_material_body *body = &world->materials[index];
    if (body->material != &wri_clay_material) {
        return NULL;
    }
    int number;
    wr_clay_world *clay = wri_clay_world_of(body->state, &number);
    return wri_clay_of(clay, number);
}

static inline double clay_height(const wri_clay *c, int i)
{
    return (double)c->x[i][1] + c->state.origin[1];
}

// Energy of motion, shape and height. Velocities are half a substep behind the places.
static inline double clay_energy(wri_clay *c, double g, double dt)
{
    wri_clay_energy inner = wri_clay_find_energy(c);
    double sum = inner.elastic + inner.hourglass;
    double half = 0.5 * dt / (c->substeps > 0 ? c->substeps : 1);
    for (int i = 0; i < c->count; i++) {
        double m = (double)c->m[i], v = (double)c->v[i][1];
        sum += m * (0.5 * (double)f4_dot(c->v[i], c->v[i]) + g * (clay_height(c, i) - half * v));
    }
    return sum;
}

static inline double clay_mass(const wri_clay *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) {
        sum += (double)c->m[i];
    }
    return sum;
}

// Of everything that moves: see total_energy, for worlds of clay, metal and rigid bodies.
static inline double world_energy(const wr_world *world)
{
    const wr_scene *scene = world->scene;
    double sum = 0.0, g = -(double)scene->gravity.y;
    int substeps = wr_rigid_stats(world->rigid).substeps;
    double half = 0.5 * world->dt / (substeps > 0 ? substeps : 1);
    for (int i = 0; i < world->material_count; i++) {
        wri_clay *c = clay_at(world, i);
        if (c) {
            sum += clay_energy(c, g, world->dt);
        } else {
            motion m = metal_motion(world, i);
            sum += m.energy + g * (metal_at(world, i)->mass * m.height - half * m.linear[1]);
        }
    }
    for (int i = 0; i < scene->body_count; i++) {
        const wr_scene_body *body = &scene->bodies[i];
        if (!body->material && body->rigid.motion == WR_MOTION_MOVING) {
            motion m = find_motion(world->rigid, world->engine_of_body[i], &body->rigid.mass);
            sum += m.energy + g * (body->rigid.mass.mass * m.height - half * m.linear[1]);
        }
    }
    return sum;
}
