// group.c: materials whose bodies live together, and the level they stand on.
//
// The level of all groups are the rigid bodies that do not move freely. Where those that follow a
// path are is computed from the time alone, not read back from the engine: so a world that was
// restored tells the same bits.
#include "world.h"

#include "../base/os.h"

static bool is_level(const wr_scene_body *body)
{
    return !body->material && body->rigid.motion != WR_MOTION_MOVING;
}

static wr_level_body *list_level(wr_world *world, wr_error *error)
{
    const wr_scene *scene = world->scene;
    size_t count = 0;
    for (int i = 0; i < scene->body_count; i++) {
        count += is_level(&scene->bodies[i]);
    }
    world->level_count = (int)count;
    world->level_bodies = wri_alloc(&world->allocator, count, sizeof *world->level_bodies);
    world->level_poses = wri_alloc(&world->allocator, 2 * count, sizeof *world->level_poses);
    wr_level_body *level = wri_alloc(&world->allocator, count, sizeof *level);
    if (!world->level_bodies || !world->level_poses || !level) {
        wri_free(&world->allocator, level, count, sizeof *level);
        wri_fail_memory(error, count * sizeof *level);
        return NULL;
    }
    for (int i = 0, k = 0; i < scene->body_count; i++) {
        const wr_scene_body *body = &scene->bodies[i];
        if (!is_level(body)) {
            continue;
        }
        level[k] = (wr_level_body){.name = body->name,
                                   .shape = &body->rigid.shape,
                                   .pose = body->rigid.pose,
                                   .friction = body->rigid.friction,
                                   .kind = body->rigid.group,
                                   .feels = body->rigid.collides,
                                   .is_driven = body->path_count > 0};
        world->level_bodies[k++] = i;
    }
    return level;
}

static bool create_group(wr_world *world, const wr_material *material, const wr_level_body *level,
                         wr_error *error)
{
    wr_group_desc desc = {.gravity = world->scene->gravity,
                          .level = level,
                          .level_count = world->level_count,
                          .allocator = world->allocator};
    wri_group *group = wri_array_add(&world->groups, 1);
    if (!group) {
        return wri_fail_memory(error, sizeof *group);
    }
    *group = (wri_group){material, material->create_group(&desc, error)};
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
    wr_level_body *level = NULL;
    bool ok = true;
    for (int i = 0; ok && i < world->scene->body_count; i++) {
        const wr_material *material = world->scene->bodies[i].material;
        if (material && material->create_group && !wri_world_group(world, material)) {
            level = level ? level : list_level(world, error);
            ok = level && create_group(world, material, level, error);
        }
    }
    if (level) {
        wri_free(&world->allocator, level, (size_t)world->level_count, sizeof *level);
    }
    return ok;
}

void wri_world_destroy_groups(wr_world *world)
{
    for (int i = 0; i < world->groups.count; i++) {
        const wri_group *group = &WRI_ITEM(world->groups, wri_group, i);
        if (group->state) {
            group->material->destroy_group(group->state);
        }
    }
    size_t count = (size_t)world->level_count;
    wri_array_destroy(&world->groups);
    wri_free(&world->allocator, world->level_bodies, count, sizeof *world->level_bodies);
    wri_free(&world->allocator, world->level_poses, 2 * count, sizeof *world->level_poses);
}

static void find_level(wr_world *world, double time, wr_pose *poses)
{
    for (int i = 0; i < world->level_count; i++) {
        const wr_scene_body *body = &world->scene->bodies[world->level_bodies[i]];
        poses[i] = body->path_count > 0 ? wri_path_pose(body, time) : body->rigid.pose;
    }
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
                          .level_begin = world->level_poses,
                          .level_end = world->level_poses + world->level_count};
    find_level(world, begin, world->level_poses);
    find_level(world, end, world->level_poses + world->level_count);
    for (int i = 0; i < world->groups.count; i++) {
        const wri_group *group = &WRI_ITEM(world->groups, wri_group, i);
        group->material->step_group(group->state, &step);
    }
    world->statistics.material_seconds += wri_seconds() - start;
}
