// within.c: bodies that start inside others, which push them out: an artist should know.
#include "../geometry/winding.h"
#include "clay.h"
#include "flesh.h"
#include "world.h"

#include <stdio.h>

static const double MOST = 0.25;    // of the particles of clay may start inside another body
static const float DEEPEST = 0.05f; // of the least extent of a body may be inside another

// --- clay ---------------------------------------------------------------------------------------

// A ball per particle, in the world's scratch. NULL: out of memory.
static wr_ball *list_balls(wr_world *world, const wr_clay_world *clay, int body)
{
    size_t count = (size_t)wr_clay_count(clay, body);
    wr_ball *balls = wr_scratch_push(&world->scratch, count, sizeof *balls);
    wr_vec3 *positions = wr_scratch_push(&world->scratch, count, sizeof *positions);
    if (!balls || !positions) {
        return NULL;
    }
    wr_clay_positions(clay, body, positions);
    for (int i = 0; i < (int)count; i++) {
        balls[i].center = positions[i];
        balls[i].radius = wr_clay_radius(clay, body, i);
    }
    return balls;
}

// What most of its particles are inside of.
typedef struct surrounding {
    int engine;   // number of the body
    double share; // of the particles; 0: there is none, or no memory to find it
} surrounding;

static surrounding find_surrounding(wr_world *world, const wri_material_body *body)
{
    int number, found = 0;
    const wr_clay_world *clay = wri_clay_world_of(body->state, &number);
    const wr_rigid_body_desc *desc = &world->scene->bodies[body->scene_body].rigid;
    size_t engine_count = (size_t)wr_rigid_body_count(world->rigid);
    int *counts = wr_scratch_push(&world->scratch, engine_count, sizeof *counts);
    surrounding most = {0, 0.0};
    wr_touch_query query = wr_touch_query_default();
    query.balls = list_balls(world, clay, number);
    query.ball_count = wr_clay_count(clay, number);
    query.group = desc->group;
    query.collides = desc->collides;
    query.tasks = world->tasks;
    wr_error why = {0};
    const wr_touch *touches =
        query.balls && counts ? wr_rigid_find_touches(world->rigid, &query, &found, &why) : NULL;
    for (int i = 0; touches && i < found; i++) {
        const wr_touch *t = &touches[i];
        counts[t->body] += t->depth > query.balls[t->ball].radius; // its centre is inside
        if (counts[t->body] > counts[most.engine]) {
            most.engine = t->body;
        }
    }
    most.share = touches && found ? (double)counts[most.engine] / query.ball_count : 0.0;
    wri_scratch_reset(&world->scratch);
    return most;
}

static const char *name_of(const wr_world *world, int engine)
{
    const wri_part *part = wri_part_of_engine(world, engine);
    int body = part ? world->materials[part->owner].scene_body
                    : WRI_ITEM(world->record_of_engine, int, engine);
    return world->scene->bodies[body].name;
}

static void say(const wr_world *world, const wri_material_body *body, surrounding around)
{
    const wr_scene_body *source = &world->scene->bodies[body->scene_body];
    char text[512];
    snprintf(text, sizeof text,
             "%.200s%sbody \"%.100s\" starts with %.0f %% of its particles inside body \"%.100s\", "
             "which pushes them out; move the two apart",
             source->place ? source->place : "", source->place ? ": " : "", source->name,
             100.0 * around.share, name_of(world, around.engine));
    world->log.write(world->log.user, text);
}

static void warn_of_particles(wr_world *world)
{
    int said = -1; // the entry of the scene that was: copies are told once
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        int entry = world->scene->bodies[body->scene_body].entry;
        if (body->material != &wri_clay_material || entry == said) {
            continue;
        }
        surrounding around = find_surrounding(world, body);
        if (around.share > MOST) {
            say(world, body, around);
            said = entry;
        }
    }
}

// --- pairs of bodies ----------------------------------------------------------------------------

// The least extent of a body that moves, infinite of another.
static float least_extent(const wr_world *world, int engine)
{
    wr_rigid_view view;
    wr_rigid_find_views(world->rigid, &engine, 1, &view);
    wr_vec3 size = wr_box_size(wr_rigid_bounds(world->rigid, engine));
    return view.motion == WR_MOTION_MOVING ? fminf(size.x, fminf(size.y, size.z)) : INFINITY;
}

enum { TOLD = 3 }; // pairs by their names

static void tell_pair(const wr_world *world, const char *a, const char *b, float depth,
                      const char *because, int *told)
{
    char text[512];
    if ((*told)++ < TOLD) {
        snprintf(text, sizeof text,
                 "bodies \"%.100s\" and \"%.100s\" start %s m deep in each other, %s; move the "
                 "two apart",
                 a, b, WRI_NUMBER(depth, 2), because);
        world->log.write(world->log.user, text);
    }
}

static void tell_rest(const wr_world *world, int told)
{
    char text[100];
    int more = told - TOLD;
    if (more > 0) {
        snprintf(text, sizeof text, "%d more %s start deep in each other", more,
                 more == 1 ? "pair of bodies" : "pairs of bodies");
        world->log.write(world->log.user, text);
    }
}

// --- flesh --------------------------------------------------------------------------------------
//
// Skin leaves what it is in by the nearest side of each node, which is another one for others:
// where bodies are deep in each other they stay so, or creep.

static const char STAYS[] = "which soft skin does not come out of";

typedef struct lump {
    const wri_material_body *body;
    wr_material_surface surface;
    const wr_mesh *mesh;
    wr_box box;
    float extent; // metres, the least
} lump;

static lump lump_of(const wr_world *world, const wri_material_body *body)
{
    const wr_scene_body *source = &world->scene->bodies[body->scene_body];
    lump l = {.body = body,
              .surface = body->material->surface(body->state),
              .mesh = world->scene->models[source->model]->meshes,
              .box = WR_BOX_EMPTY};
    for (int i = 0; i < l.surface.vertex_count; i++) {
        l.box = wr_box_add(l.box, l.surface.positions[i]);
    }
    wr_vec3 size = wr_box_size(l.box);
    l.extent = fminf(size.x, fminf(size.y, size.z));
    return l;
}

// Metres: how deep the deepest vertex of one lump is in the other. 0: none is, or no memory.
static float depth_in(const lump *inner, const lump *outer)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_soup soup;
    double deepest = 0.0;
    bool ok = wri_soup_build(&soup, &arena, outer->surface.positions, outer->mesh->triangles,
                             outer->mesh->triangle_count);
    for (int i = 0; ok && i < inner->surface.vertex_count; i++) {
        wr_vec3 x = inner->surface.positions[i];
        const double p[3] = {(double)x.x, (double)x.y, (double)x.z};
        wr_box point = {x, x};
        if (wr_boxes_meet(point, outer->box) && wri_winding(&soup, p, WRI_WINDING_ACCURACY) > 0.5) {
            deepest = fmax(deepest, wri_soup_nearest(&soup, p).distance2);
        }
    }
    wri_arena_destroy(&arena);
    return (float)sqrt(deepest);
}

static bool may_meet(const wr_world *world, const lump *a, const lump *b)
{
    const wr_rigid_body_desc *x = &world->scene->bodies[a->body->scene_body].rigid;
    const wr_rigid_body_desc *y = &world->scene->bodies[b->body->scene_body].rigid;
    return (x->collides & y->group) && (y->collides & x->group) && wr_boxes_meet(a->box, b->box);
}

static void warn_of_skins(const wr_world *world, const lump *lumps, int count, int *told)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) {
            const lump *a = &lumps[k], *b = &lumps[i];
            if (may_meet(world, a, b)) {
                float depth = fmaxf(depth_in(a, b), depth_in(b, a));
                if (depth > DEEPEST * fminf(a->extent, b->extent)) {
                    tell_pair(world, world->scene->bodies[a->body->scene_body].name,
                              world->scene->bodies[b->body->scene_body].name, depth, STAYS, told);
                }
            }
        }
    }
}

// The deepest vertices of a lump in each body of the engine. False: out of memory.
static bool find_depths(wr_world *world, const lump *l, float *depths)
{
    const wr_rigid_body_desc *desc = &world->scene->bodies[l->body->scene_body].rigid;
    size_t count = (size_t)l->surface.vertex_count;
    wr_ball *balls = wr_scratch_push(&world->scratch, count, sizeof *balls);
    int found = 0;
    wr_error why = {0};
    for (size_t i = 0; balls && i < count; i++) {
        balls[i] = (wr_ball){.center = l->surface.positions[i], .radius = 1e-3f * l->extent};
    }
    wr_touch_query query = wr_touch_query_default();
    query.balls = balls;
    query.ball_count = (int)count;
    query.most = WR_MOST_TOUCHES;
    query.group = desc->group;
    query.collides = desc->collides;
    query.tasks = world->tasks;
    const wr_touch *touches =
        balls ? wr_rigid_find_touches(world->rigid, &query, &found, &why) : NULL;
    for (int i = 0; touches && i < found; i++) {
        depths[touches[i].body] = fmaxf(depths[touches[i].body], touches[i].depth);
    }
    return touches != NULL;
}

static void warn_of_bodies(wr_world *world, const lump *l, int *told)
{
    int engine_count = wr_rigid_body_count(world->rigid);
    float *depths = wr_scratch_push(&world->scratch, (size_t)engine_count, sizeof *depths);
    bool ok = depths && find_depths(world, l, depths);
    for (int i = 0; ok && i < engine_count; i++) {
        if (depths[i] > DEEPEST * fminf(l->extent, least_extent(world, i))) {
            tell_pair(world, world->scene->bodies[l->body->scene_body].name, name_of(world, i),
                      depths[i], STAYS, told);
        }
    }
}

static void warn_of_flesh(wr_world *world)
{
    size_t room = (size_t)world->material_count;
    lump *lumps = wr_scratch_push(&world->scratch, room, sizeof *lumps);
    int count = 0, told = 0;
    for (int i = 0; lumps && i < world->material_count; i++) {
        if (world->materials[i].material == &wri_flesh_material) {
            lumps[count++] = lump_of(world, &world->materials[i]);
        }
    }
    for (int i = 0; i < count; i++) {
        warn_of_bodies(world, &lumps[i], &told);
    }
    warn_of_skins(world, lumps, count, &told);
    tell_rest(world, told);
    wri_scratch_reset(&world->scratch);
}

void wri_world_warn_within(wr_world *world)
{
    if (world->log.write) {
        warn_of_particles(world);
        warn_of_flesh(world);
    }
}

// --- pieces of the engine -----------------------------------------------------------------------

static float depth_of(const wr_world *world, const wr_contact *c)
{
    float extent = fminf(least_extent(world, c->body_a), least_extent(world, c->body_b));
    bool is_one = strcmp(name_of(world, c->body_a), name_of(world, c->body_b)) == 0;
    return c->substep == 0 && !is_one && -c->distance > DEEPEST * extent ? -c->distance : 0.0f;
}

static bool same_pair(const wr_contact *a, const wr_contact *b)
{
    return a->body_a == b->body_a && a->body_b == b->body_b;
}

void wri_world_warn_overlaps(wr_world *world, const wr_contact *contacts, int count)
{
    int told = 0;
    for (int i = 0; i < count;) { // contacts of a pair follow each other
        const wr_contact *first = &contacts[i];
        float depth = 0.0f;
        for (; i < count && same_pair(&contacts[i], first); i++) {
            depth = fmaxf(depth, depth_of(world, &contacts[i]));
        }
        if (depth > 0.0f) {
            tell_pair(world, name_of(world, first->body_a), name_of(world, first->body_b), depth,
                      "which moves them apart at once", &told);
        }
    }
    tell_rest(world, told);
}
