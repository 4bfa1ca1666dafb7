// clay.c: clay as a material of the world: all of a scene live in one world of clay, which steps
// them against copies of the rigid bodies they touch.
#include "clay.h"

#include "wrought/fill.h"

#include "../clay/clay.h"
#include "../clay/parameters.h"
#include "clay_exchange.h"
#include "maps.h"
#include "sharing.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

enum { PARAMETER_COUNT = WRI_COUNT(wri_clay_parameters), TOUCHES_MAX = 3 };

typedef struct clay_ensemble {
    wr_allocator allocator;
    wr_clay_world *world;
    wri_sharing sharing;
    wr_vec3 gravity; // m/s^2
    double seconds;  // of the last step
} clay_ensemble;

typedef struct clay_body {
    wr_allocator allocator;
    clay_ensemble *ensemble;
    int body;                   // number in the world, -1: not in it
    const wr_clay_setup *setup; // NULL: no grips
    wr_pose start;              // of the body
    wr_clay_skin *skin;
    int vertex_count;
    wr_vec3 *vertices;  // of the model, world
    wri_array balls;    // of wr_ball
    wri_array outer;    // of int: the particle of each ball
    wri_array boundary; // of wr_boundary_point: of each ball
    wri_array pushes;   // of wr_clay_push: of the step to come
    wri_array points;   // of wr_vec3: particles, world, by their ids
    wri_array radii;    // of float, likewise
    wri_array ids;      // of uint32_t, likewise
    int surface;        // what is drawn, as in wri_clay_surfaces
    wr_color color;     // of the surface around the particles: the model's in the mean
    bool is_skinned;    // vertices are where the particles are
    float change;       // of what is drawn: 0 the model, 1 the particles
    int parts;          // large ones, at the start
} clay_body;

static int index_of(const char *name)
{
    const wr_parameter *p = wri_parameter_find(wri_clay_parameters, PARAMETER_COUNT, name);
    WR_ASSERT(p);
    return (int)(p - wri_clay_parameters);
}

// --- the ensemble -----------------------------------------------------------------------------

static void destroy_ensemble(void *state)
{
    clay_ensemble *g = state;
    if (g) {
        const wr_allocator a = g->allocator;
        wr_clay_world_destroy(g->world);
        wri_free(&a, g, 1, sizeof *g);
    }
}

static void *create_ensemble(const wr_ensemble_desc *desc, wr_error *error)
{
    clay_ensemble *g = wri_alloc(&desc->allocator, 1, sizeof *g);
    if (!g) {
        wri_fail_memory(error, sizeof *g);
        return NULL;
    }
    g->allocator = desc->allocator;
    g->gravity = desc->gravity;
    wr_clay_world_desc world = wr_clay_world_desc_default();
    world.allocator = &g->allocator;
    g->world = wr_clay_world_create(&world, error);
    if (!g->world) {
        destroy_ensemble(g);
        return NULL;
    }
    return g;
}

static wri_clay *clay_of(const clay_body *b)
{
    return wri_clay_of(b->ensemble->world, b->body);
}

// --- from model to particles ------------------------------------------------------------------

// The model sinks into the particles, while a surface swells around them.
static const float CHANGE_TIME = 0.25f; // s

// Whether a tenth of it has flowed so far that the model, carried along, would be stretched and
// folded.
static bool has_flowed_far(const wri_clay *c)
{
    const float far = 9.0f + 2.0f / 3.0f; // |P|^2 of something three times its length
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        float sum = 0.0f;
        for (int k = 0; k < 9; k++) {
            sum += c->plastic[i * 9 + k] * c->plastic[i * 9 + k];
        }
        count += sum > far;
    }
    return 10 * count > c->count;
}

// Parts that hang together, of at least a twentieth of the body each. The particle after which a
// part is named comes first in it.
static int count_parts(const wri_clay *c)
{
    int count = 0;
    for (int first = 0; first < c->count; first++) {
        int size = 0;
        for (int i = first; c->component[first] == first && i < c->count; i++) {
            size += c->component[i] == first;
        }
        count += 20 * size > c->count;
    }
    return count;
}

// Once it has begun to change from model to particles it goes on. The model would span the gap
// between parts that have come apart.
static void change_surface(clay_body *b, float dt)
{
    if (b->surface == WRI_CLAY_SURFACE_AUTO &&
        (b->change > 0.0f || has_flowed_far(clay_of(b)) || count_parts(clay_of(b)) > b->parts)) {
        b->change = fminf(b->change + dt / CHANGE_TIME, 1.0f);
    }
}

// --- grips --------------------------------------------------------------------------------------

// The grips of a body have the numbers of their places in the setup.
static int grip_count(const clay_body *b)
{
    return b->setup ? b->setup->grip_count : 0;
}

static wr_pose grip_pose(const clay_body *b, int grip, double time)
{
    const wr_clay_grip *g = &b->setup->grips[grip];
    return wr_pose_multiply(b->start, wri_path_pose(g->path, g->path_count, time));
}

static bool add_grips(clay_body *b, const wr_material_desc *desc, wr_error *error)
{
    b->setup = desc->setup;
    b->start = desc->pose;
    for (int i = 0; i < grip_count(b); i++) {
        wr_error why = {0};
        if (wr_clay_add_grip(b->ensemble->world, b->body, grip_pose(b, i, 0.0),
                             b->setup->grips[i].size, &why) != i) {
            return wri_fail(error, why.code, "body \"%s\": grip %d: %s", desc->name, i + 1,
                            why.message);
        }
    }
    return true;
}

static void move_grips(const clay_body *b, const wr_material_step *step)
{
    wr_clay_world *world = b->ensemble->world;
    for (int i = 0; i < grip_count(b); i++) {
        if (!wr_clay_has_grip(world, b->body, i)) {
            continue;
        }
        if (step->time > b->setup->grips[i].until - 1e-6) {
            wr_clay_remove_grip(world, b->body, i, b->setup->grips[i].rests);
        } else {
            wr_clay_move_grip(world, b->body, i, grip_pose(b, i, step->time + (double)step->dt));
        }
    }
}

// A grip has yet to move, or to let go.
static bool has_plans(const clay_body *b)
{
    bool has = false;
    for (int i = 0; i < grip_count(b); i++) {
        const wr_clay_grip *g = &b->setup->grips[i];
        has = has || ((g->path_count > 1 || !isinf(g->until)) &&
                      wr_clay_has_grip(b->ensemble->world, b->body, i));
    }
    return has;
}

// Those of all members, in the step's memory, and none for the next one.
static void gather_pushes(const wr_ensemble_step *step, wr_clay_step *inner)
{
    size_t count = 0;
    for (int i = 0; i < step->member_count; i++) {
        count += (size_t)((const clay_body *)step->members[i])->pushes.count;
    }
    inner->pushes = wr_scratch_push(step->work.scratch, count, sizeof *inner->pushes);
    for (int i = 0; i < step->member_count; i++) {
        clay_body *b = step->members[i];
        for (int k = 0; inner->pushes && k < b->pushes.count; k++) {
            inner->pushes[inner->push_count++] = WRI_ITEM(b->pushes, wr_clay_push, k);
        }
        b->pushes.count = 0;
    }
}

static void step_ensemble(void *state, const wr_ensemble_step *step)
{
    clay_ensemble *g = state;
    double start = wri_seconds();
    wri_clay_exchange x;
    for (int i = 0; i < step->member_count; i++) {
        move_grips(step->members[i], &step->steps[i]);
    }
    if (wri_clay_exchange_begin(&x, g->world, step)) { // else it waits until there is memory again
        for (int i = 0; i < step->member_count; i++) {
            const clay_body *b = step->members[i];
            wri_clay_exchange_add(&x, b->body, b->outer.items, &step->steps[i]);
        }
        gather_pushes(step, &x.inner);
        const wr_tasks *tasks = wri_sharing_begin(&g->sharing, &step->work.tasks);
        x.inner.tasks = tasks ? *tasks : (wr_tasks){0};
        wr_clay_world_step(g->world, &x.inner);
        wri_sharing_end(&g->sharing);
        wri_clay_exchange_end(&x);
        *step->tally = (wr_ensemble_tally){x.inner.contacts, x.inner.taken};
    }
    for (int i = 0; i < step->member_count; i++) {
        clay_body *b = step->members[i];
        b->is_skinned = false;
        change_surface(b, step->dt);
    }
    g->seconds = wri_seconds() - start;
}

// --- shared by the bodies of a model ----------------------------------------------------------

static bool fail_for(const wr_material_desc *desc, const wr_error *why, wr_error *error)
{
    return wri_fail(error, why->code, "body \"%s\": %s", desc->name, why->message);
}

// A painted map at each particle: that of the nearest point of the surface.
static float *map_at_particles(const wr_material_desc *desc, wr_map_kind kind, bool *ok)
{
    const wr_fill *fill = desc->shared;
    const int *triangles = desc->model->meshes->triangles;
    const float *vertices = wri_map_at_vertices(desc, kind, ok);
    float *values =
        vertices ? wr_scratch_push(desc->work.scratch, (size_t)fill->count, sizeof *values) : NULL;
    for (int i = 0; values && i < fill->count; i++) {
        const wr_fill_place *place = &fill->places[i];
        for (int k = 0; k < 3; k++) {
            values[i] += place->weights[k] * vertices[triangles[3 * place->triangle + k]];
        }
    }
    *ok = *ok && (!vertices || values);
    return values;
}

// Factors on the spacing within what a filling takes.
static float *find_factors(const wr_material_desc *desc, bool *ok)
{
    float *factors = wri_map_at_vertices(desc, WR_MAP_SPACING, ok);
    for (int i = 0; factors && i < desc->model->meshes->vertex_count; i++) {
        factors[i] = fminf(fmaxf(factors[i], 1e-3f), 1e3f);
    }
    return factors;
}

// How deep a particle lies below the surface.
static float find_depth(const wr_mesh *mesh, const wr_fill *fill, int i)
{
    const wr_fill_place *place = &fill->places[i];
    wr_vec3 p = {0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 3; k++) {
        int vertex = mesh->triangles[3 * place->triangle + k];
        p = wr_add_scaled(p, place->weights[k], mesh->positions[vertex]);
    }
    return wr_distance(p, fill->positions[i]);
}

// Where most particles lie side by side. Thin ears do not make a body a thin one.
typedef struct thickness {
    double across, spacing; // in particles; m
} thickness;

static thickness find_thickness(const wr_mesh *mesh, const wr_fill *fill)
{
    thickness most = {0.0, 0.0};
    for (int i = 0; i < fill->count; i++) {
        double spacing = (double)fill->spacings[i];
        double across = 2.0 * (double)find_depth(mesh, fill, i) / spacing;
        most = across > most.across ? (thickness){across, spacing} : most;
    }
    return most;
}

// Fewer than four do not bend as they should. More of them help where it is not all too thin.
static void warn_if_thin(const wr_material_desc *desc, const wr_fill *fill)
{
    enum { ENOUGH = 4, AFFORDABLE = 100000 };
    thickness t = find_thickness(desc->model->meshes, fill);
    if (!desc->log.write || t.across >= ENOUGH - 0.5) { // it is 0.1 to 0.4 too low
        return;
    }
    double more = ENOUGH / t.across;
    double wanted = ceil(fill->count * more * more * more / 100.0) * 100.0;
    char text[512], why[256];
    if (t.across >= 0.5 && wanted <= AFFORDABLE) {
        snprintf(why, sizeof why,
                 "is %.0f %s across where it is thickest, too few to bend as it should; raise "
                 "\"particles\" to %.0f",
                 t.across, wri_plural((int)lround(t.across), "particle", "particles"), wanted);
    } else {
        snprintf(why, sizeof why,
                 "is %s m thick where it is thickest, and its particles are %s m apart: it is too "
                 "thin to bend as it should; thicken it, or give it another material",
                 WRI_NUMBER(t.across * t.spacing, 2), WRI_NUMBER(t.spacing, 2));
    }
    snprintf(text, sizeof text, "%.200s%sbody \"%.100s\" %s", desc->place ? desc->place : "",
             desc->place ? ": " : "", desc->name, why);
    desc->log.write(desc->log.user, text);
}

static void *create_shared(const wr_material_desc *desc, wr_error *error)
{
    const wr_mesh *mesh = desc->model->meshes;
    bool ok = true;
    wr_fill_desc fill = wr_fill_desc_default();
    fill.positions = mesh->positions;
    fill.vertex_count = mesh->vertex_count;
    fill.triangles = mesh->triangles;
    fill.triangle_count = mesh->triangle_count;
    fill.count = (int)desc->values[index_of("particles")];
    fill.allocator = desc->allocator;
    fill.tasks = desc->work.tasks;
    fill.factors = find_factors(desc, &ok);
    if (!ok) {
        wri_fail_memory(error, (size_t)mesh->vertex_count * sizeof *fill.factors);
        return NULL;
    }
    wr_error why = {0};
    wr_fill *made = wr_fill_create(&fill, &why);
    if (!made) {
        fail_for(desc, &why, error);
    } else {
        warn_if_thin(desc, made);
    }
    return made;
}

static bool can_share(const wr_material_desc *a, const wr_material_desc *b)
{
    (void)a;
    (void)b;
    return true; // grips do not matter to it
}

static void destroy_shared(void *shared)
{
    wr_fill_destroy(shared);
}

// --- bodies -----------------------------------------------------------------------------------

static void destroy(void *state)
{
    clay_body *b = state;
    if (b) {
        const wr_allocator a = b->allocator;
        wr_clay_skin_destroy(b->skin);
        wr_clay_remove(b->ensemble->world, b->body);
        wri_free(&a, b->vertices, (size_t)b->vertex_count, sizeof *b->vertices);
        wri_array_destroy(&b->balls);
        wri_array_destroy(&b->outer);
        wri_array_destroy(&b->boundary);
        wri_array_destroy(&b->pushes);
        wri_array_destroy(&b->points);
        wri_array_destroy(&b->radii);
        wri_array_destroy(&b->ids);
        wri_free(&a, b, 1, sizeof *b);
    }
}

// What 1 in the unit of the body is in the other one.
static double unit_of(const wr_parameter *p, double density, double volume)
{
    wri_clay_units units = wri_clay_find_units(density, volume);
    return strcmp(p->real_unit, "Pa") == 0 ? units.pressure : units.pressure * units.time;
}

static bool fail_unit(const wr_material_desc *desc, int i, double unit, wr_error *error)
{
    const wr_parameter *p = &wri_clay_parameters[i];
    return wri_fail(error, WR_E_ARGUMENT,
                    "body \"%s\": \"%s\" is %s %s, expected %s to %s %s for its size and density",
                    desc->name, p->name, WRI_NUMBER(desc->values[i], 6), p->real_unit,
                    WRI_NUMBER(p->min * unit, 3), WRI_NUMBER(p->max * unit, 3), p->real_unit);
}

static bool find_parameters(const wr_material_desc *desc, double density, double volume,
                            wr_clay_parameters *out, wr_error *error)
{
    double values[PARAMETER_COUNT];
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const wr_parameter *p = &wri_clay_parameters[i];
        values[i] = desc->values[i];
        if (desc->is_real[i]) {
            double unit = unit_of(p, density, volume);
            values[i] /= unit;
            if (!(values[i] >= p->min && values[i] <= p->max)) {
                return fail_unit(desc, i, unit, error);
            }
        }
    }
    *out = wr_clay_parameters_default();
    wri_parameters_set(wri_clay_parameters, PARAMETER_COUNT, WRI_CLAY_BODY, values, out);
    out->friction = desc->friction;
    return true;
}

// What touches others where the model ends: particles are not all equally deep below its surface,
// and those that stood out would be pushed back at the start.
static float find_radius(const wr_material_desc *desc, const wr_fill *fill, int i)
{
    float usual = wri_clay_radius_of((double)fill->volumes[i]);
    return fminf(fmaxf(find_depth(desc->model->meshes, fill, i), 0.5f * usual), usual);
}

static bool add_particles(clay_body *b, const wr_material_desc *desc, wr_error *error)
{
    const wr_fill *fill = desc->shared;
    wr_scratch *scratch = desc->work.scratch;
    size_t n = (size_t)fill->count;
    wr_vec3 *positions = wr_scratch_push(scratch, n, sizeof *positions);
    wr_vec3 *velocities = wr_scratch_push(scratch, n, sizeof *velocities);
    float *radii = wr_scratch_push(scratch, n, sizeof *radii);
    if (!positions || !velocities || !radii) {
        return wri_fail_memory(error, n * sizeof *positions);
    }
    double center[3] = {0.0}, volume = 0.0;
    for (int i = 0; i < fill->count; i++) {
        positions[i] = wr_pose_point(desc->pose, fill->positions[i]);
        radii[i] = find_radius(desc, fill, i);
        volume += (double)fill->volumes[i];
        center[0] += (double)fill->volumes[i] * (double)positions[i].x;
        center[1] += (double)fill->volumes[i] * (double)positions[i].y;
        center[2] += (double)fill->volumes[i] * (double)positions[i].z;
    }
    wr_vec3 middle = wr_v3((float)(center[0] / volume), (float)(center[1] / volume),
                           (float)(center[2] / volume));
    for (int i = 0; i < fill->count; i++) {
        wr_vec3 arm = wr_sub(positions[i], middle);
        velocities[i] = wr_add(desc->velocity, wr_cross(desc->angular_velocity, arm));
    }
    wr_clay_desc clay = wr_clay_desc_default();
    clay.density = desc->mass > 0.0 ? desc->mass / volume : desc->density;
    if (!find_parameters(desc, clay.density, volume, &clay.parameters, error)) {
        return false;
    }
    clay.positions = positions;
    clay.velocities = velocities;
    clay.volumes = fill->volumes;
    clay.radii = radii;
    clay.count = fill->count;
    bool ok = true;
    clay.stiffness = map_at_particles(desc, WR_MAP_STRENGTH, &ok);
    clay.yield = map_at_particles(desc, WR_MAP_YIELD, &ok);
    clay.flow = map_at_particles(desc, WR_MAP_FLOW, &ok);
    if (!ok) {
        return wri_fail_memory(error, n * sizeof *clay.stiffness);
    }
    clay.group = desc->group;
    clay.collides = desc->collides;
    wr_error why = {0};
    b->body = wr_clay_add(b->ensemble->world, &clay, &why);
    b->parts = b->body >= 0 ? count_parts(clay_of(b)) : 0;
    return b->body >= 0 || fail_for(desc, &why, error);
}

// The mean colour of the model's vertices, weighed alike; white where it has none.
static wr_color find_color(const wr_mesh *mesh)
{
    double sum[3] = {0.0};
    if (!mesh->colors || mesh->vertex_count == 0) {
        return (wr_color){1.0f, 1.0f, 1.0f, 1.0f};
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        sum[0] += (double)mesh->colors[i].r;
        sum[1] += (double)mesh->colors[i].g;
        sum[2] += (double)mesh->colors[i].b;
    }
    double count = mesh->vertex_count;
    return (wr_color){(float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count),
                      1.0f};
}

static bool add_skin(clay_body *b, const wr_material_desc *desc, wr_error *error)
{
    const wr_mesh *mesh = desc->model->meshes;
    b->vertex_count = mesh->vertex_count;
    b->vertices = wri_alloc(&b->allocator, (size_t)b->vertex_count, sizeof *b->vertices);
    if (!b->vertices) {
        return wri_fail_memory(error, (size_t)b->vertex_count * sizeof *b->vertices);
    }
    for (int i = 0; i < b->vertex_count; i++) {
        b->vertices[i] = wr_pose_point(desc->pose, mesh->positions[i]);
    }
    b->is_skinned = true;
    b->skin = wr_clay_skin_create(b->ensemble->world, b->body, b->vertices, b->vertex_count, error);
    return b->skin != NULL;
}

static void *create(const wr_material_desc *desc, wr_error *error)
{
    clay_body *b = wri_alloc(&desc->allocator, 1, sizeof *b);
    if (!b) {
        wri_fail_memory(error, sizeof *b);
        return NULL;
    }
    b->allocator = desc->allocator;
    b->ensemble = desc->ensemble;
    b->body = -1;
    b->balls = wri_array_create(&desc->allocator, sizeof(wr_ball));
    b->outer = wri_array_create(&desc->allocator, sizeof(int));
    b->boundary = wri_array_create(&desc->allocator, sizeof(wr_boundary_point));
    b->pushes = wri_array_create(&desc->allocator, sizeof(wr_clay_push));
    b->points = wri_array_create(&desc->allocator, sizeof(wr_vec3));
    b->radii = wri_array_create(&desc->allocator, sizeof(float));
    b->ids = wri_array_create(&desc->allocator, sizeof(uint32_t));
    b->surface = (int)desc->values[index_of("surface")];
    b->change = b->surface == WRI_CLAY_SURFACE_PARTICLES ? 1.0f : 0.0f;
    b->color = find_color(desc->model->meshes);
    if (!add_particles(b, desc, error) || !add_skin(b, desc, error) || !add_grips(b, desc, error)) {
        destroy(b);
        return NULL;
    }
    return b;
}

wr_clay_world *wri_clay_world_of(const void *state, int *body)
{
    const clay_body *b = state;
    *body = b->body;
    return b->ensemble->world;
}

// --- contact ----------------------------------------------------------------------------------

static bool has_touched_neighbour(const wri_clay *c, int i)
{
    bool any = false;
    for (int k = i * NEIGHBOURS; k < (i + 1) * NEIGHBOURS; k++) {
        any = any || c->flags[c->neighbours[k]] & WRI_CLAY_TOUCHED;
    }
    return any;
}

// Particles at the surface hold those within back, but neither fast ones, which slip between them,
// nor those around a thin obstacle that has gone in.
static bool is_outer(const wri_clay *c, int i, float dt)
{
    float way = 0.5f * c->radius[i];
    return c->flags[i] & WRI_CLAY_SURFACE || dt * dt * f4_dot(c->v[i], c->v[i]) > way * way ||
           has_touched_neighbour(c, i);
}

static wr_ball_set balls(void *state, float dt)
{
    clay_body *b = state;
    const wri_clay *c = clay_of(b);
    float margin = 0.0f;
    b->balls.count = b->outer.count = 0;
    for (int i = 0; i < c->count; i++) {
        if (is_outer(c, i, dt)) {
            wr_ball *ball = wri_array_add(&b->balls, 1);
            int *outer = wri_array_add(&b->outer, 1);
            if (!ball || !outer) { // without memory it feels less of the others
                break;
            }
            *ball =
                (wr_ball){wri_clay_place(c, c->x[i]), c->radius[i], wr_scale(dt, f4_vec3(c->v[i]))};
            *outer = i;
            margin = fmaxf(margin, 0.5f * c->radius[i]);
        }
    }
    return (wr_ball_set){b->balls.items, b->outer.count, margin, TOUCHES_MAX};
}

// Without memory nobody meets it.
static wr_boundary boundary(void *state, float dt, const wr_work *work)
{
    clay_body *b = state;
    wri_clay *c = clay_of(b);
    int count = b->outer.count;
    b->boundary.count = 0;
    wr_boundary_point *points = wri_array_add(&b->boundary, count);
    wri_clay_answer *answers = wr_scratch_push(work->scratch, (size_t)count, sizeof *answers);
    wr_boundary out = {.friction = c->parameters.friction};
    if (!points || !answers) {
        return out;
    }
    const wri_clay_question question = {b->outer.items, count,        b->ensemble->gravity, dt,
                                        &work->tasks,   work->scratch};
    wri_clay_find_answers(c, &question, answers);
    for (int i = 0; i < count; i++) {
        const wr_ball *ball = &WRI_ITEM(b->balls, wr_ball, i);
        points[i] = (wr_boundary_point){.position = ball->center,
                                        .velocity = answers[i].velocity,
                                        .radius = ball->radius,
                                        .support = -1};
        for (int k = 0; k < 3; k++) {
            points[i].inverse_mass.m[k][k] = answers[i].inverse_mass;
        }
    }
    for (int i = 0; i < c->count; i++) {
        out.mass += c->m[i];
    }
    out.points = points;
    out.point_count = count;
    return out;
}

static void apply_impulses(void *state, const wr_boundary_impulse *impulses, int count)
{
    clay_body *b = state;
    for (int i = 0; i < count; i++) {
        wr_clay_push *push = wri_array_add(&b->pushes, 1);
        if (push) {
            *push = (wr_clay_push){.clay = b->body,
                                   .particle = WRI_ITEM(b->outer, int, impulses[i].point),
                                   .impulse = impulses[i].impulse,
                                   .couple = impulses[i].couple};
        }
    }
}

static void wake(void *state)
{
    const clay_body *b = state;
    wr_clay_wake(b->ensemble->world, b->body);
}

static bool is_asleep(const void *state)
{
    const clay_body *b = state;
    bool changes = b->surface == WRI_CLAY_SURFACE_AUTO && b->change > 0.0f && b->change < 1.0f;
    return wr_clay_is_asleep(b->ensemble->world, b->body) && !has_plans(b) && !changes;
}

// --- what it shows and keeps ------------------------------------------------------------------

static bool is_sound(const void *state)
{
    const clay_body *b = state;
    return wr_clay_is_sound(b->ensemble->world, b->body);
}

// The model is hidden by a surface 0 without triangles where particles are drawn, and where it has
// blown up: it would be drawn all over the picture.
static const wr_record_surface *surfaces(const void *state, int *count)
{
    static const wr_record_surface hidden = {
        .topology = 1, .in_world = true, .look = -1, .color = {1, 1, 1, 1}};
    *count = ((const clay_body *)state)->change == 1.0f || !is_sound(state);
    return &hidden;
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Lists the particles by their ids, which stay when others come and go. False: out of memory.
static bool list_particles(clay_body *b)
{
    const wri_clay *c = clay_of(b);
    wri_array *lists[] = {&b->points, &b->radii, &b->ids};
    for (int k = 0; k < WRI_COUNT(lists); k++) {
        lists[k]->count = 0;
        if (!wri_array_add(lists[k], c->count)) {
            return false;
        }
    }
    uint32_t *ids = b->ids.items;
    memcpy(ids, c->id, (size_t)c->count * sizeof *ids);
    qsort(ids, (size_t)c->count, sizeof *ids, by_id);
    const float within = 0.4f; // of their radius: they are hidden in the model
    float scale = within + (1.0f - within) * b->change;
    for (int i = 0; i < c->count; i++) {
        const uint32_t *place = bsearch(&c->id[i], ids, (size_t)c->count, sizeof *ids, by_id);
        f4 drawn = wri_clay_find_drawn(c, i);
        WRI_ITEM(b->points, wr_vec3, place - ids) = wri_clay_place(c, drawn);
        WRI_ITEM(b->radii, float, place - ids) = scale * drawn[3];
    }
    return true;
}

static bool particles(const void *state, wr_record_particles *out)
{
    clay_body *b = (clay_body *)(uintptr_t)state;
    if (!is_sound(b) || b->change == 0.0f || !list_particles(b)) {
        return false;
    }
    *out = (wr_record_particles){.count = b->ids.count,
                                 .in_world = true,
                                 .view = WR_PARTICLES_SURFACE,
                                 .color = b->color,
                                 .positions = b->points.items,
                                 .radii = b->radii.items,
                                 .ids = b->ids.items};
    return true;
}

static wr_material_surface surface(const void *state)
{
    clay_body *b = (clay_body *)(uintptr_t)state;
    if (!b->is_skinned) {
        wr_clay_world *world = b->ensemble->world;
        b->is_skinned =
            b->surface == WRI_CLAY_SURFACE_EMBEDDED
                ? wr_clay_skin_embedded(b->skin, world, b->body, NULL, b->vertices)
                : wr_clay_skin_positions(b->skin, world, b->body, b->change, NULL, b->vertices);
    }
    return (wr_material_surface){.part = -1,
                                 .vertex_count = b->vertex_count,
                                 .positions = b->vertices,
                                 .changed_end = b->vertex_count};
}

static wr_material_statistics statistics(const void *state)
{
    const clay_body *b = state;
    const wri_clay *c = clay_of(b);
    double sum = 0.0, mass = 0.0;
    for (int i = 0; i < c->count; i++) {
        sum += (double)c->m[i] * (double)f4_dot(c->v[i], c->v[i]);
        mass += (double)c->m[i];
    }
    return (wr_material_statistics){.work_seconds = b->ensemble->seconds,
                                    .energy = wri_clay_find_energy(clay_of(b)).elastic,
                                    .active = c->state.asleep ? 0 : c->count,
                                    .trouble = (int)c->state.retired,
                                    .speed = (float)sqrt(sum / mass)};
}

static const char *warning(const void *state)
{
    return clay_of(state)->state.ease < 1.0f
               ? "was made softer, for it is too stiff for 100 substeps in a step; lower "
                 "\"stiffness\" or \"particles\", or raise \"substeps\" of the scene"
               : NULL;
}

static void freeze(void *state)
{
    const clay_body *b = state;
    wr_clay_freeze(b->ensemble->world, b->body);
}

static uint64_t hash(const void *state)
{
    const clay_body *b = state;
    return wri_hash(&b->change, sizeof b->change, wr_clay_hash(b->ensemble->world, b->body));
}

static size_t size(const void *state)
{
    const clay_body *b = state;
    return sizeof b->change + wr_clay_save_size(b->ensemble->world, b->body);
}

static void save(const void *state, void *bytes)
{
    const clay_body *b = state;
    memcpy(bytes, &b->change, sizeof b->change);
    wr_clay_save(b->ensemble->world, b->body, (uint8_t *)bytes + sizeof b->change);
}

static bool restore(void *state, const void *bytes, size_t byte_count, wr_error *error)
{
    clay_body *b = state;
    float change = 0.0f;
    size_t own = sizeof change;
    memcpy(&change, bytes, byte_count < own ? byte_count : own);
    if (byte_count < own || !(change >= 0.0f && change <= 1.0f)) {
        return wri_fail(error, WR_E_FORMAT, "the state of a body of clay is damaged");
    }
    b->is_skinned = false;
    b->change = change;
    return wr_clay_restore(b->ensemble->world, b->body, (const uint8_t *)bytes + own,
                           byte_count - own, error);
}

const wr_material wri_clay_material = {
    .table_size = sizeof(wr_material),
    .name = "clay",
    .about = "It stretches, flows and stays.",
    .parameters = wri_clay_parameters,
    .parameter_count = PARAMETER_COUNT,
    .presets = wri_clay_presets,
    .preset_count = WRI_COUNT(wri_clay_presets),
    .create_ensemble = create_ensemble,
    .destroy_ensemble = destroy_ensemble,
    .step_ensemble = step_ensemble,
    .create_shared = create_shared,
    .destroy_shared = destroy_shared,
    .can_share = can_share,
    .create = create,
    .destroy = destroy,
    .balls = balls,
    .boundary = boundary,
    .apply_impulses = apply_impulses,
    .wake = wake,
    .is_asleep = is_asleep,
    .surface = surface,
    .surfaces = surfaces,
    .particles = particles,
    .statistics = statistics,
    .is_sound = is_sound,
    .freeze = freeze,
    .warning = warning,
    .hash = hash,
    .size = size,
    .save = save,
    .restore = restore,
};
