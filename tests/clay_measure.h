// clay_measure.h: what tests of clay measure: momenta, energies, and shapes by the mesh of a box
// that is carried along.
#pragma once

#include "clay.h"

static inline void step_free(wr_clay_world *world, float dt)
{
    wr_clay_step step = {.dt = dt};
    wr_clay_world_step(world, &step);
}

typedef struct sums {
    double p[3], L[3], p_size, L_size, kinetic;
} sums;

static inline sums sum_of(const wr_clay_world *world)
{
    sums s = {{0}};
    for (int b = 0; b < world->bodies.count; b++) {
        const wri_clay *c = wri_clay_of(world, b);
        for (int i = 0; i < c->count; i++) {
            double m = (double)c->m[i], x[3], v[3], x2 = 0.0, v2 = 0.0;
            for (int k = 0; k < 3; k++) {
                x[k] = (double)c->x[i][k] + (double)c->x_low[i][k] + c->state.origin[k];
                v[k] = (double)c->v[i][k];
                x2 += x[k] * x[k], v2 += v[k] * v[k];
            }
            for (int k = 0; k < 3; k++) {
                int l = (k + 1) % 3, n = (k + 2) % 3;
                s.p[k] += m * v[k];
                s.L[k] += m * (x[l] * v[n] - x[n] * v[l]);
            }
            s.p_size += m * sqrt(v2);
            s.L_size += m * sqrt(x2) * sqrt(v2);
            s.kinetic += 0.5 * m * v2;
        }
    }
    return s;
}

static inline void check_momenta(const wr_clay_world *world, const sums *before)
{
    sums now = sum_of(world);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(now.p[k], before->p[k], 1e-5 * now.p_size);
        CHECK_NEAR(now.L[k], before->L[k], 1e-5 * now.L_size);
    }
}

// Every particle its own velocity: oblique spin, shear and noise.
static inline void stir(wr_clay_world *world, int body, float speed)
{
    wri_clay *c = wri_clay_of(world, body);
    uint32_t random = 99;
    for (int i = 0; i < c->count; i++) {
        f4 x = c->x[i] / c->moduli.L;
        f4 noise = {clay_random(&random), clay_random(&random), clay_random(&random), 0.0f};
        f4 wave = {x[1] - 0.3f * x[2], 0.5f * x[2] * x[2] - x[0], x[0] * x[1] + 0.4f, 0.0f};
        c->v[i] = speed * (2.0f * wave + 0.2f * noise);
    }
}

static inline double energy_of(wr_clay_world *world)
{
    double sum = sum_of(world).kinetic;
    for (int b = 0; b < world->bodies.count; b++) {
        wri_clay_energy e = wri_clay_find_energy(wri_clay_of(world, b));
        sum += e.elastic + e.hourglass;
    }
    return sum;
}

// --- between plates -----------------------------------------------------------------------------

// A step among planes that nothing moves but themselves: each with its pose, of which y points out,
// and its velocity. They are advanced.
static inline void clay_step_at_planes(wr_clay_world *world, float dt, wr_body_copy *planes,
                                       int plane_count, float friction)
{
    int used = 0, count = 0;
    for (int b = 0; b < world->bodies.count; b++) {
        count += wri_clay_of(world, b)->count;
    }
    wr_clay_touch *touches = calloc((size_t)(count * plane_count), sizeof *touches);
    for (int b = 0; b < world->bodies.count; b++) {
        const wri_clay *c = wri_clay_of(world, b);
        for (int i = 0; i < c->count * plane_count; i++) {
            if (c->flags[i / plane_count] & WRI_CLAY_SURFACE) {
                touches[used++] = (wr_clay_touch){.clay = b,
                                                  .particle = i / plane_count,
                                                  .body = i % plane_count,
                                                  .local_normal = {0.0f, 1.0f, 0.0f},
                                                  .friction = friction};
            }
        }
    }
    wr_clay_step step = {.dt = dt,
                         .gravity = {0.0f, -9.81f, 0.0f},
                         .bodies = planes,
                         .body_count = plane_count,
                         .touches = touches,
                         .touch_count = used};
    wr_clay_world_step(world, &step);
    free(touches);
}

// --- shapes -------------------------------------------------------------------------------------

enum { BOX_CELLS = 8, BOX_VERTICES = 6 * (BOX_CELLS + 1) * (BOX_CELLS + 1) };

// The six sides of a block as a mesh, each a grid of its own, that its clay carries.
typedef struct clay_box {
    wr_clay_skin *skin;
    wr_vec3 vertices[BOX_VERTICES];
    double diagonal;
} clay_box;

static inline wr_vec3 clay_box_corner(const clay_block *block, int side, float a, float b)
{
    int axis = side / 2, sign = side % 2 ? 1 : -1;
    float at[3];
    at[axis] = (float)sign;
    at[(axis + 1) % 3] = a * (float)sign; // so that all sides turn outwards
    at[(axis + 2) % 3] = b;
    for (int k = 0; k < 3; k++) {
        at[k] *= 0.5f * block->spacing * (float)block->n[k];
    }
    return wr_add(block->center, wr_rotate(block->rotation, wr_v3(at[0], at[1], at[2])));
}

static inline clay_box clay_box_create(wr_clay_world *world, int body, const clay_block *block)
{
    clay_box box = {.diagonal = (double)block->spacing * sqrt((double)(block->n[0] * block->n[0] +
                                                                       block->n[1] * block->n[1] +
                                                                       block->n[2] * block->n[2]))};
    for (int i = 0; i < BOX_VERTICES; i++) {
        int side = i / (BOX_VERTICES / 6), k = i % (BOX_VERTICES / 6);
        float a = 2.0f * (float)(k % (BOX_CELLS + 1)) / BOX_CELLS - 1.0f;
        float b = 2.0f * (float)(k / (BOX_CELLS + 1)) / BOX_CELLS - 1.0f;
        box.vertices[i] = clay_box_corner(block, side, a, b);
    }
    box.skin = wr_clay_skin_create(world, body, box.vertices, BOX_VERTICES, NULL);
    assert_non_null(box.skin);
    return box;
}

static inline void clay_box_move(clay_box *box, wr_clay_world *world, int body)
{
    assert_true(wr_clay_skin_positions(box->skin, world, body, 0.0f, NULL, box->vertices));
}

static inline double clay_box_volume(const clay_box *box)
{
    double sum = 0.0;
    for (int side = 0; side < 6; side++) {
        const wr_vec3 *v = &box->vertices[side * (BOX_VERTICES / 6)];
        for (int k = 0; k < BOX_CELLS * BOX_CELLS; k++) {
            int i = k / BOX_CELLS * (BOX_CELLS + 1) + k % BOX_CELLS, j = i + BOX_CELLS + 1;
            sum += (double)wr_dot(v[i], wr_cross(v[i + 1], v[j + 1])) / 6.0;
            sum += (double)wr_dot(v[i], wr_cross(v[j + 1], v[j])) / 6.0;
        }
    }
    return sum;
}

// The mean distance of the vertices, over the diagonal at the start.
static inline double clay_box_distance(const clay_box *a, const clay_box *b)
{
    double sum = 0.0;
    for (int i = 0; i < BOX_VERTICES; i++) {
        sum += (double)wr_distance(a->vertices[i], b->vertices[i]);
    }
    return sum / BOX_VERTICES / a->diagonal;
}
