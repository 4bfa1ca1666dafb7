// within.c: bodies that start inside others, which push them out: an artist should know.
#include "clay.h"
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

void wri_world_warn_within(wr_world *world)
{
    int said = -1; // the entry of the scene that was: copies are told once
    for (int i = 0; world->log.write && i < world->material_count; i++) {
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

// --- pieces of the engine -----------------------------------------------------------------------

// The least extent of a body that moves, infinite of another.
static float least_extent(const wr_world *world, int engine)
{
    wr_rigid_view view;
    wr_rigid_find_views(world->rigid, &engine, 1, &view);
    wr_vec3 size = wr_box_size(wr_rigid_bounds(world->rigid, engine));
    return view.motion == WR_MOTION_MOVING ? fminf(size.x, fminf(size.y, size.z)) : INFINITY;
}

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
    enum { TOLD = 3 };
    int told = 0;
    char text[512];
    for (int i = 0; i < count;) { // contacts of a pair follow each other
        const wr_contact *first = &contacts[i];
        float depth = 0.0f;
        for (; i < count && same_pair(&contacts[i], first); i++) {
            depth = fmaxf(depth, depth_of(world, &contacts[i]));
        }
        if (depth > 0.0f && told < TOLD) {
            snprintf(text, sizeof text,
                     "bodies \"%.100s\" and \"%.100s\" start %.2g m deep in each other, which "
                     "throws them apart; move the two apart",
                     name_of(world, first->body_a), name_of(world, first->body_b), (double)depth);
            world->log.write(world->log.user, text);
        }
        told += depth > 0.0f;
    }
    int more = told - TOLD;
    if (more > 0) {
        snprintf(text, sizeof text, "%d more %s start deep in each other", more,
                 more == 1 ? "pair of bodies" : "pairs of bodies");
        world->log.write(world->log.user, text);
    }
}
