// between.c: ensembles that keep the boundaries of other materials out of their bodies.
//
// Such an ensemble advances before the others. It is given what is near its bodies and answers with
// impulses, which the others feel in the same step: momentum is kept, whatever they make of them.
#include "world.h"

static wr_box box_of(const wr_ball_set *set)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < set->count; i++) {
        const wr_ball *ball = &set->balls[i];
        float reach = ball->radius + wr_length(ball->sweep) + set->margin;
        wr_vec3 room = wr_v3(reach, reach, reach);
        box = wr_box_add(box, wr_sub(ball->center, room));
        box = wr_box_add(box, wr_add(ball->center, room));
    }
    return box;
}

static bool has_boundary(const wri_material_body *body, const wr_material *material)
{
    return body->material != material && body->material->boundary && !body->frozen;
}

static bool has_any_boundary(const wr_world *world, const wr_material *material)
{
    bool any = false;
    for (int i = 0; i < world->material_count; i++) {
        any = any || has_boundary(&world->materials[i], material);
    }
    return any;
}

// A skin misses the figure whose bones it has: it may stand where that stands.
static bool may_meet(const wr_world *world, const wri_material_body *a, const wri_material_body *b)
{
    const wr_rigid_body_desc *x = &world->scene->bodies[a->scene_body].rigid;
    const wr_rigid_body_desc *y = &world->scene->bodies[b->scene_body].rigid;
    return wri_leader_of(world->scene, b->scene_body) != a->scene_body &&
           (x->group & y->collides) && (y->group & x->collides);
}

static void wake(wri_material_body *body)
{
    if (body->resting && body->material->wake) {
        body->material->wake(body->state);
        body->resting = body->material->is_asleep(body->state);
    }
}

// What sleeps beside something that is awake would neither hold it nor be held: one wakes the
// other, or they sleep together.
static bool are_awake(wri_material_body *body, wri_material_body *other)
{
    if (!body->resting && other->resting && body->material->doze &&
        body->material->doze(body->state)) {
        body->resting = true;
    }
    if (body->resting != other->resting) {
        wake(body);
        wake(other);
    }
    return !body->resting || !other->resting;
}

// Whether `other` is near bodies of a material, and it or they are awake.
static bool is_met(wr_world *world, const wr_material *material, wri_material_body *other,
                   wr_box box, const wr_box *boxes)
{
    bool is_near = false;
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        if (body->material == material && !body->frozen && may_meet(world, body, other) &&
            wr_boxes_meet(boxes[i], box) && are_awake(body, other)) {
            is_near = true;
        }
    }
    return is_near;
}

// NULL: it has bones of its own, or none.
static const void *leader_of(const wr_world *world, const wri_material_body *body)
{
    int leader = wri_leader_of(world->scene, body->scene_body);
    for (int i = 0; i < world->material_count; i++) {
        if (world->materials[i].scene_body == leader) {
            return world->materials[i].state;
        }
    }
    return NULL;
}

static bool read_other(wr_world *world, int index, float dt, wr_ensemble_other *out)
{
    wri_material_body *body = &world->materials[index];
    const wr_rigid_body_desc *desc = &world->scene->bodies[body->scene_body].rigid;
    const wr_work work = {world->tasks, &body->scratch};
    *out = (wr_ensemble_other){.boundary = body->material->boundary(body->state, dt, &work),
                               .group = desc->group,
                               .collides = desc->collides,
                               .leader = leader_of(world, body),
                               .body = index};
    wri_scratch_reset(&body->scratch);
    out->impulses =
        wr_scratch_push(&world->scratch, (size_t)out->boundary.point_count, sizeof *out->impulses);
    return out->impulses && out->boundary.triangle_count == 0;
}

wr_ensemble_other *wri_world_find_others(wr_world *world, const wr_material *material, float dt,
                                         int *count)
{
    size_t room = (size_t)world->material_count;
    *count = 0;
    if (!has_any_boundary(world, material)) {
        return NULL;
    }
    wr_ensemble_other *others = wr_scratch_push(&world->scratch, room, sizeof *others);
    wr_box *boxes = wr_scratch_push(&world->scratch, room, sizeof *boxes);
    for (int i = 0; boxes && i < world->material_count; i++) {
        boxes[i] = box_of(&world->materials[i].balls);
    }
    for (int i = 0; others && boxes && i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        if (has_boundary(body, material) && is_met(world, material, body, boxes[i], boxes) &&
            read_other(world, i, dt, &others[*count])) {
            (*count)++;
        }
    }
    return others;
}

void wri_world_push_others(wr_world *world, const wr_ensemble_other *others, int count)
{
    for (int i = 0; i < count; i++) {
        const wri_material_body *body = &world->materials[others[i].body];
        if (others[i].impulse_count > 0 && !body->resting) {
            body->material->apply_impulses(body->state, others[i].impulses,
                                           others[i].impulse_count);
        }
    }
}
