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
    double sum = rigid_energy(world), g = -(double)world->scene->gravity.y;
    for (int i = 0; i < world->material_count; i++) {
        wri_clay *c = clay_at(world, i);
        sum += c ? clay_energy(c, g, world->dt) : metal_energy(world, i);
    }
    return sum;
}
