// metal_world.h: scenes with the demo assets as worlds, and what physics lets one measure in them;
// for measurements and tests.
#pragma once

#include "../src/base/base.h"
#include "../src/base/os.h"
#include "../src/world/metal.h"
#include "../src/metal/metal.h"
#include "../src/world/world.h"
#include "wrought/scene.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct show {
    wr_scene *scene;
    wr_world *world;
} show;

static inline void show_end(show *s)
{
    wr_world_destroy(s->world);
    wr_scene_destroy(s->scene);
    *s = (show){0};
}

// text: what a scene file says behind its version, with ' for " and without assets: "barrel",
// "crate", "container" and "beam" are known, in the folder `scenes`, and whatever else `assets`
// names. The file is written to path.
static inline bool show_start(show *s, const char *path, const char *scenes, const char *assets,
                              const char *text, const wr_tasks *tasks, wr_error *error)
{
    static const char *const names[] = {"barrel", "crate", "container", "beam", "barrel-breaking"};
    wri_arena arena = wri_arena_create(NULL);
    char *json = wri_arena_printf(&arena, "{'wrought': 1, 'assets': {%s", assets ? assets : "");
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char used[32];
        snprintf(used, sizeof used, "'asset': '%s'", names[i]);
        if (strstr(text, used)) { // others need not be built
            json = wri_arena_printf(&arena, "%s%s'%s': '%s/%s.recipe.json'", json,
                                    json[strlen(json) - 1] == '{' ? "" : ", ", names[i], scenes,
                                    names[i]);
        }
    }
    json = wri_arena_printf(&arena, "%s}, %s}", json, text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    bool ok = wri_file_write(path, json, strlen(json), error);
    wri_arena_destroy(&arena);
    wr_scene_options options = {.tasks = tasks ? *tasks : (wr_tasks){0}};
    s->scene = ok ? wr_scene_read(path, &options, error) : NULL;
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = s->scene;
    desc.tasks = options.tasks;
    s->world = s->scene ? wr_world_create(&desc, error) : NULL;
    if (!s->world) {
        show_end(s);
    }
    return s->world != NULL;
}

// --- what one can measure -----------------------------------------------------------------------

static inline int metal_count(const wr_world *world)
{
    return world->material_count;
}

// By number among the materials of a world in which all are metal.
static inline wr_metal *metal_at(const wr_world *world, int index)
{
    return wri_metal_of(world->materials[index].state);
}

static inline int metal_engine(const wr_world *world, int index)
{
    return world->materials[index].part_bodies[0];
}

static inline wr_metal_asset_info metal_info(const wr_world *world, int index)
{
    return wr_metal_asset_describe(metal_at(world, index)->asset);
}

// Kinetic energy and momenta of one rigid body: about the origin, or, with `about`, that point.
typedef struct motion {
    double energy;      // J
    double linear[3];   // N s
    double angular[3];  // N m s
    double spinning[3]; // the part of angular that is about the centre of mass
    double height;      // of the centre of mass, m
} motion;

static inline motion find_motion(const wr_rigid *rigid, int engine, const wr_mass_properties *mass)
{
    wr_pose pose = wr_rigid_pose(rigid, engine);
    wr_vec3 v = wr_rigid_velocity(rigid, engine), w = wr_rigid_angular_velocity(rigid, engine),
            c = wr_rigid_center(rigid, engine);
    wr_vec3 local = wr_rotate(wr_quat_conjugate(pose.rotation), w);
    double l[3], in[3] = {(double)local.x, (double)local.y, (double)local.z};
    for (int i = 0; i < 3; i++) {
        l[i] =
            mass->inertia[i][0] * in[0] + mass->inertia[i][1] * in[1] + mass->inertia[i][2] * in[2];
    }
    motion m = {.height = (double)c.y};
    double vv = (double)wr_dot(v, v);
    m.energy = 0.5 * (mass->mass * vv + l[0] * in[0] + l[1] * in[1] + l[2] * in[2]);
    wr_vec3 own = wr_rotate(pose.rotation, wr_v3((float)l[0], (float)l[1], (float)l[2]));
    wr_vec3 orbit = wr_cross(c, v);
    const float vs[3] = {v.x, v.y, v.z}, ls[3] = {own.x, own.y, own.z},
                os[3] = {orbit.x, orbit.y, orbit.z};
    for (int k = 0; k < 3; k++) {
        m.linear[k] = mass->mass * (double)vs[k];
        m.spinning[k] = (double)ls[k];
        m.angular[k] = (double)ls[k] + mass->mass * (double)os[k];
    }
    return m;
}

static inline motion metal_motion(const wr_world *world, int index)
{
    wr_mass_properties mass = wr_metal_mass(metal_at(world, index));
    return find_motion(world->rigid, metal_engine(world, index), &mass);
}

// Seconds. The engine moves bodies with the speeds at the end of a substep, so that speeds and
// places are half a substep apart: seen so, a fall keeps its energy exactly, and a bounce adds
// none.
static inline double half_substep(const wr_world *world)
{
    int substeps = wr_rigid_stats(world->rigid).substeps;
    return 0.5 * world->dt / (substeps > 0 ? substeps : 1);
}

// Kinetic energy and that of place in the scene's gravity, J: of one body of metal, and of all that
// is rigid and moves.
static inline double metal_energy(const wr_world *world, int index)
{
    double g = -(double)world->scene->gravity.y, sum = 0.0;
    const wri_material_body *body = &world->materials[index];
    int count;
    const wr_material_part *parts = body->material->parts(body->state, &count);
    for (int i = 0; i < body->part_count; i++) {
        const wr_mass_properties *mass = &parts[i].mass;
        motion m = find_motion(world->rigid, body->part_bodies[i], mass);
        sum += m.energy + g * (mass->mass * m.height - half_substep(world) * m.linear[1]);
    }
    return sum;
}

static inline double rigid_energy(const wr_world *world)
{
    const wr_scene *scene = world->scene;
    double sum = 0.0, g = -(double)scene->gravity.y, half = half_substep(world);
    for (int i = 0; i < scene->body_count; i++) {
        const wr_scene_body *body = &scene->bodies[i];
        if (!body->material && body->rigid.motion == WR_MOTION_MOVING) {
            motion m = find_motion(world->rigid, world->engine_of_body[i], &body->rigid.mass);
            sum += m.energy + g * (body->rigid.mass.mass * m.height - half * m.linear[1]);
        }
    }
    return sum;
}

// Of everything that moves, J, in worlds of metal and rigid bodies.
static inline double total_energy(const wr_world *world)
{
    double sum = rigid_energy(world);
    for (int i = 0; i < world->material_count; i++) {
        sum += metal_energy(world, i);
    }
    return sum;
}

// The first thing wrong with the weights and vertices of a body, NULL: nothing. Weights are shares
// that add up to one, and no vertex is outside of what its examples span, widely taken.
static inline const char *find_fault(const wr_metal *body)
{
    const wr_metal_asset *asset = body->asset;
    const float *E = wr_metal_weights(body);
    const wr_vec3 *x = wr_metal_positions(body);
    for (int i = 0; i < asset->N; i++) {
        double sum = 0.0;
        for (int e = 0; e < asset->E; e++) {
            float w = E[i * asset->E + e];
            if (!(w >= 0.0f && w <= 1.0f)) {
                return "a weight is not in [0, 1]";
            }
            sum += (double)w;
        }
        if (!(fabs(sum - 1.0) <= 2e-7)) {
            return "weights do not add up to 1";
        }
        float far = wr_distance(x[i], asset->rest[i]);
        if (!(far <= 1.5f * asset->extent[asset->slots[i]] + 0.2f * asset->L)) {
            return "a vertex is far outside of its examples";
        }
    }
    float r = wr_metal_restitution(body);
    return r >= 0.0f && r <= 1.0f ? NULL : "restitution is not in [0, 1]";
}

// Whether nothing has ever been bent: weights exactly those at rest, and nothing to come.
static inline bool is_undented(const wr_metal *body)
{
    const wr_metal_asset *asset = body->asset;
    bool rest = body->bending_count == 0 && body->statistics.hits_total == 0 &&
                body->statistics.to_come == 0.0;
    for (int i = 0; i < asset->N * asset->C && rest; i++) {
        rest = body->goal[i] == 0;
    }
    for (int i = 0; i < asset->N && rest; i++) {
        rest = body->E[(size_t)i * (size_t)asset->E] == 1.0f;
    }
    return rest;
}

// Lowest and highest point of the collision pieces in the body's frame.
static inline wr_box piece_bounds(const wr_metal *body)
{
    wr_box box = WR_BOX_EMPTY;
    for (int p = 0; p < body->asset->piece_count; p++) {
        int count;
        const wr_vec3 *points = wr_metal_piece_points(body, p, &count);
        for (int i = 0; i < count; i++) {
            box = wr_box_add(box, points[i]);
        }
    }
    return box;
}

// How far the vertex that moved farthest is from its place at rest, body sizes.
static inline float deepest_dent(const wr_metal *body)
{
    float most = 0.0f;
    for (int i = 0; i < body->asset->N; i++) {
        most = fmaxf(most, wr_distance(body->x[i], body->asset->rest[i]));
    }
    return most / body->asset->L;
}

// --- direction ----------------------------------------------------------------------------------

// m^2 of the surface: all; where one example leads; of that, where a hit was tried, and chose it.
typedef struct directions {
    double area, clear, tried, chosen;
} directions;

// The example that moves a vertex clearly most, 0: none. column: where to.
static inline int find_leader(const wr_metal *body, int vertex, wr_vec3 *column)
{
    float J[3 * WR_SKIN_EXAMPLES_MAX];
    wr_vec3 columns[WR_SKIN_EXAMPLES_MAX] = {{0}};
    int E = body->asset->E, best = 1;
    wr_skin_jacobians(body->asset->skin, body->E, &vertex, 1, NULL, J);
    for (int e = 1; e < E; e++) {
        columns[e] = wr_v3(J[e] - J[0], J[E + e] - J[E], J[2 * E + e] - J[2 * E]);
        best = wr_length(columns[e]) > wr_length(columns[best]) ? e : best;
    }
    *column = columns[best];
    bool clear = wr_length(*column) > 0.01f * body->asset->L;
    for (int e = 1; e < E && clear; e++) {
        clear = e == best || wr_dot(wr_normalize(columns[e]), wr_normalize(*column)) < 0.8f;
    }
    return clear ? best : 0;
}

static inline bool is_chosen(wr_metal_asset *asset, int vertex, int leader, wr_vec3 column)
{
    wr_metal_desc desc = wr_metal_desc_default();
    float weights[WR_SKIN_EXAMPLES_MAX];
    desc.asset = asset;
    wr_metal *body = wr_metal_create(&desc, NULL);
    if (!body) {
        return false;
    }
    float strength = (float)body->mass * 6.0f * asset->v_L;
    wr_metal_add_impulse(body, asset->rest[vertex], wr_scale(strength, wr_normalize(column)));
    wr_metal_step(body, 1.0f / 240.0f);
    wr_metal_goal(body, vertex, weights);
    int largest = 0;
    for (int e = 1; e < asset->E; e++) {
        largest = weights[e] > weights[largest] ? e : largest;
    }
    wr_metal_destroy(body);
    return largest == leader;
}

static inline double area_around(const wr_metal_asset *asset, int vertex)
{
    const wr_vec3 *x = asset->rest;
    double area = 0.0;
    for (int i = asset->triangles_begin[vertex]; i < asset->triangles_begin[vertex + 1]; i++) {
        const int *t = &asset->triangles[3 * (size_t)asset->triangles_of[i]];
        area += (double)wr_length(wr_cross(wr_sub(x[t[1]], x[t[0]]), wr_sub(x[t[2]], x[t[0]])));
    }
    return area / 6.0;
}

// Every `stride`th vertex where an example leads is hit.
static inline directions find_directions(const wr_metal *body, int stride)
{
    wr_metal_asset *asset = body->asset;
    directions d = {0};
    for (int s = 0, led = 0; s < asset->surface_count; s++) {
        int v = asset->surface[s];
        double area = area_around(asset, v);
        wr_vec3 column;
        int leader = find_leader(body, v, &column);
        d.area += area;
        d.clear += leader ? area : 0.0;
        if (leader && led++ % stride == 0) {
            d.tried += area;
            d.chosen += is_chosen(asset, v, leader, column) ? area : 0.0;
        }
    }
    return d;
}
