// group.c: materials whose bodies live together, and the rigid bodies they touch.
//
// Where bodies that follow a path are is computed from the time alone, not read back from the
// engine: so a world that was restored tells the same bits.
#include "world.h"

#include "../base/os.h"

static wr_group_body *list_bodies(wr_world *world, wr_error *error)
{
    const wr_scene *scene = world->scene;
    size_t count = 0;
    for (int i = 0; i < scene->body_count; i++) {
        count += scene->bodies[i].material == NULL;
    }
    world->group_body_count = (int)count;
    world->group_bodies = wri_alloc(&world->allocator, count, sizeof *world->group_bodies);
    world->group_poses = wri_alloc(&world->allocator, 2 * count, sizeof *world->group_poses);
    wr_group_body *bodies = wri_alloc(&world->allocator, count, sizeof *bodies);
    if (!world->group_bodies || !world->group_poses || !bodies) {
        wri_free(&world->allocator, bodies, count, sizeof *bodies);
        wri_fail_memory(error, count * sizeof *bodies);
        return NULL;
    }
    for (int i = 0, k = 0; i < scene->body_count; i++) {
        const wr_scene_body *body = &scene->bodies[i];
        if (!body->material) {
            bodies[k] = (wr_group_body){.name = body->name,
                                        .shape = &body->rigid.shape,
                                        .motion = body->rigid.motion,
                                        .pose = body->rigid.pose,
                                        .friction = body->rigid.friction,
                                        .group = body->rigid.group,
                                        .collides = body->rigid.collides};
            world->group_bodies[k++] = i;
        }
    }
    return bodies;
}

static bool create_group(wr_world *world, const wr_material *material, const wr_group_body *bodies,
                         wr_error *error)
{
    wr_group_desc desc = {.gravity = world->scene->gravity,
                          .bodies = bodies,
                          .body_count = world->group_body_count,
                          .allocator = world->allocator};
    wri_group *group = wri_array_add(&world->groups, 1);
    if (!group) {
        return wri_fail_memory(error, sizeof *group);
    }
    *group = (wri_group){.material = material,
                         .pushes.items = wri_array_create(&world->allocator, sizeof(wr_push)),
                         .scratch = wri_scratch_create(&world->allocator)};
    group->state = material->create_group(&desc, error);
    return group->state != NULL;
}

void *wri_world_group(const wr_world *world, const wr_material *material)
{
    for (int i = 0; i < world->groups.count; i++) {
        const wri_group *group = &WRI_ITEM(world->groups, wri_group, i);
        if (group->material == material) {
            return group->state;
        }
    }
    return NULL;
}

bool wri_world_create_groups(wr_world *world, wr_error *error)
{
    wr_group_body *bodies = NULL;
    bool ok = true;
    for (int i = 0; ok && i < world->scene->body_count; i++) {
        const wr_material *material = world->scene->bodies[i].material;
        if (material && material->create_group && !wri_world_group(world, material)) {
            bodies = bodies ? bodies : list_bodies(world, error);
            ok = bodies && create_group(world, material, bodies, error);
        }
    }
    if (bodies) {
        wri_free(&world->allocator, bodies, (size_t)world->group_body_count, sizeof *bodies);
    }
    return ok;
}

void wri_world_destroy_groups(wr_world *world)
{
    for (int i = 0; i < world->groups.count; i++) {
        wri_group *group = &WRI_ITEM(world->groups, wri_group, i);
        if (group->state) {
            group->material->destroy_group(group->state);
        }
        wri_array_destroy(&group->pushes.items);
        wri_scratch_destroy(&group->scratch);
    }
    size_t count = (size_t)world->group_body_count;
    wri_array_destroy(&world->groups);
    wri_free(&world->allocator, world->group_bodies, count, sizeof *world->group_bodies);
    wri_free(&world->allocator, world->group_poses, 2 * count, sizeof *world->group_poses);
}

// --- the step -----------------------------------------------------------------------------------

static bool moves_freely(const wr_world *world, int i)
{
    return world->scene->bodies[world->group_bodies[i]].rigid.motion == WR_MOTION_MOVING;
}

// Of bodies that move freely: where they are now.
static void find_poses(wr_world *world, double time, wr_pose *poses)
{
    for (int i = 0; i < world->group_body_count; i++) {
        const wr_scene_body *body = &world->scene->bodies[world->group_bodies[i]];
        poses[i] = moves_freely(world, i)
                       ? wr_rigid_pose(world->rigid, world->engine_of_body[world->group_bodies[i]])
                   : body->path_count > 0 ? wri_path_pose(body, time)
                                          : body->rigid.pose;
    }
}

// NULL: out of memory.
static const wr_group_mover *find_movers(wr_world *world, int *count)
{
    size_t room = (size_t)world->group_body_count;
    wr_group_mover *movers = wr_scratch_push(&world->scratch, room, sizeof *movers);
    *count = 0;
    for (int i = 0; movers && i < world->group_body_count; i++) {
        if (moves_freely(world, i)) {
            wr_group_mover *mover = &movers[(*count)++];
            mover->body = i;
            mover->engine = world->engine_of_body[world->group_bodies[i]];
            wr_rigid_find_views(world->rigid, &mover->engine, 1, &mover->view);
        }
    }
    return movers;
}

// The mover of an engine number, -1: it is none.
static int find_mover(const wr_group_step *step, int engine)
{
    int low = 0, high = step->mover_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (step->movers[middle].engine < engine) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < step->mover_count && step->movers[low].engine == engine ? low : -1;
}

static bool is_part(const wr_world *world, int engine)
{
    return wri_part_of_engine(world, engine) != NULL;
}

static float friction_of(const wr_world *world, int engine)
{
    int body = WRI_ITEM(world->record_of_engine, int, engine);
    return world->scene->bodies[body].rigid.friction;
}

static wr_group_contact describe(const wr_world *world, const wr_contact *c, int a, int b)
{
    bool is_first = a >= 0;
    wr_group_contact out = {
        .a = is_first ? a : b,
        .b = is_first ? b : a,
        .point = c->point,
        .normal = wr_scale(is_first ? 1.0f : -1.0f, c->normal),
        .distance = c->distance,
        .friction = sqrtf(friction_of(world, c->body_a) * friction_of(world, c->body_b))};
    if (out.b < 0) {
        wr_rigid_state other;
        wr_rigid_read_states(world->rigid, is_first ? &c->body_b : &c->body_a, 1, &other);
        wr_vec3 arm = wr_sub(c->point, other.center);
        out.velocity = wr_add(other.velocity, wr_cross(other.spin, arm));
    }
    return out;
}

// What lies on a part of a material is left out: how that gives way is known to nobody here.
static bool find_contacts(wr_world *world, wr_group_step *step)
{
    int found = step->mover_count > 0 ? wr_rigid_find_contacts(world->rigid, NULL, 0) : 0;
    wr_contact *all = wr_scratch_push(&world->scratch, (size_t)found, sizeof *all);
    wr_group_contact *contacts = wr_scratch_push(&world->scratch, (size_t)found, sizeof *contacts);
    if (!all || !contacts) {
        return false;
    }
    found = found > 0 ? wr_rigid_find_contacts(world->rigid, all, found) : 0;
    step->contacts = contacts;
    step->contact_count = 0;
    for (int i = 0; i < found; i++) {
        int a = find_mover(step, all[i].body_a), b = find_mover(step, all[i].body_b);
        if ((a >= 0 || b >= 0) && !is_part(world, all[i].body_a) &&
            !is_part(world, all[i].body_b)) {
            contacts[step->contact_count++] = describe(world, &all[i], a, b);
        }
    }
    return true;
}

static bool list_members(wr_world *world, const wri_group *group, wr_group_step *step)
{
    size_t room = (size_t)world->material_count;
    void **members = wr_scratch_push(&world->scratch, room, sizeof *members);
    wr_material_step *steps = wr_scratch_push(&world->scratch, room, sizeof *steps);
    if (!members || !steps) {
        return false;
    }
    step->members = members;
    step->steps = steps;
    step->member_count = 0;
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        if (body->material == group->material && wri_material_is_active(body)) {
            members[step->member_count] = body->state;
            steps[step->member_count++] = wri_material_step(world, body, step->time, step->dt);
        }
    }
    return true;
}

void wri_world_step_groups(wr_world *world, double begin, double end, float dt)
{
    if (world->groups.count == 0) {
        return;
    }
    double start = wri_seconds();
    wr_group_step step = {.number = world->step,
                          .time = begin,
                          .dt = dt,
                          .begin = world->group_poses,
                          .end = world->group_poses + world->group_body_count};
    find_poses(world, begin, world->group_poses);
    find_poses(world, end, world->group_poses + world->group_body_count);
    step.movers = find_movers(world, &step.mover_count);
    bool ok = step.movers && find_contacts(world, &step);
    for (int i = 0; ok && i < world->groups.count; i++) {
        wri_group *group = &WRI_ITEM(world->groups, wri_group, i);
        step.work = (wr_work){world->tasks, &group->scratch};
        step.pushes = &group->pushes;
        if (list_members(world, group, &step)) { // else no memory: it stands still
            group->material->step_group(group->state, &step);
        }
        wri_scratch_reset(&group->scratch);
    }
    world->statistics.material_seconds += wri_seconds() - start;
}
