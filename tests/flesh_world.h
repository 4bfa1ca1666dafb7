// flesh_world.h: scenes with flesh as worlds, and what physics lets one measure in them.
#pragma once

#include "../bench/metal_world.h"
#include "../src/world/flesh.h"
#include "flesh_body.h"

// By number among the materials of a world; NULL: it is no flesh.
static inline wri_flesh *flesh_at(const wr_world *world, int index)
{
    const wri_material_body *body = &world->materials[index];
    if (body->material != &wri_flesh_material) {
        return NULL;
    }
    int number;
    wr_flesh_world *flesh = wri_flesh_world_of(body->state, &number);
    return wri_flesh_of(flesh, number);
}

// Of the thickness of the layer: how far skin is pressed in.
static inline double flesh_deepest(const wri_flesh *f)
{
    double most = 0.0;
    for (int i = 0; i < f->model->node_count; i++) {
        double inwards = -(double)f4_dot(f->q[i], f->model->outward[i]);
        most = wri_flesh_is_fixed(f->model, i) ? most
                                               : fmax(most, inwards / (double)f->model->rest[i][3]);
    }
    return most;
}

// J, of motion, shape and height. Velocities are half a step behind the places.
static inline double flesh_energy_at(const wri_flesh *f, double g, wr_scratch *scratch)
{
    wri_flesh_momentum m;
    assert_true(wri_flesh_find_momentum(f, NULL, scratch, &m));
    return flesh_energy(f, g) - 0.5 * (double)f->model->dt * g * m.P[1];
}

// Of everything that moves: see total_energy, for worlds of flesh, metal and rigid bodies.
static inline double world_energy(const wr_world *world)
{
    double sum = rigid_energy(world), g = -(double)world->scene->gravity.y;
    wr_scratch scratch = wri_scratch_create(NULL);
    for (int i = 0; i < world->material_count; i++) {
        const wri_flesh *f = flesh_at(world, i);
        sum += f ? flesh_energy_at(f, g, &scratch) : metal_energy(world, i);
    }
    wri_scratch_destroy(&scratch);
    return sum;
}
