// ensemble.c: materials whose bodies live together, and the rigid bodies they touch.
//
// The poses of bodies that follow a path are computed from the time alone, not read back from the
// engine: so a world that was restored tells the same bits.
#include "world.h"

#include "../base/os.h"

enum { TURNS = 3 };

static wr_ensemble_body *list_bodies(wr_world *world, wr_error *error)
{
    const wr_scene *scene = world->scene;
    size_t count = 0;
    for (int i = 0; i < scene->body_count; i++) {
        count += scene->bodies[i].material == NULL;
    }
    world->ensemble_body_count = (int)count;
    world->ensemble_bodies = wri_alloc(&world->allocator, count, sizeof *world->ensemble_bodies);
    world->ensemble_poses = wri_alloc(&world->allocator, 2 * count, sizeof *world->ensemble_poses);
    wr_ensemble_body *bodies = wri_alloc(&world->allocator, count, sizeof *bodies);
    if (!world->ensemble_bodies || !world->ensemble_poses || !bodies) {
        wri_free(&world->allocator, bodies, count, sizeof *bodies);
        wri_fail_memory(error, count * sizeof *bodies);
        return NULL;
    }
    for (int i = 0, k = 0; i < scene->body_count; i++) {
        const wr_scene_body *body = &scene->bodies[i];
        if (!body->material) {
            bodies[k] = (wr_ensemble_body){.name = body->name,
                                           .shape = &body->rigid.shape,
                                           .motion = body->rigid.motion,
                                           .pose = body->rigid.pose,
                                           .friction = body->rigid.friction,
                                           .group = body->rigid.group,
                                           .collides = body->rigid.collides};
            WR_ASSERT(k < world->ensemble_body_count);
            world->ensemble_bodies[k++] = i;
        }
    }
    return bodies;
}

static bool create_ensemble(wr_world *world, const wr_material *material,
                            const wr_ensemble_body *bodies, wr_error *error)
{
    WR_ASSERT(material->destroy_ensemble && material->step_ensemble && !material->advance);
    wr_ensemble_desc desc = {.gravity = world->scene->gravity,
                             .bodies = bodies,
                             .body_count = world->ensemble_body_count,
                             .work = {world->tasks, &world->scratch},
                             .allocator = world->allocator};
    wri_ensemble *ensemble = wri_array_add(&world->ensembles, 1);
    if (!ensemble) {
        return wri_fail_memory(error, sizeof *ensemble);
    }
    *ensemble = (wri_ensemble){.material = material,
                               .pushes.items = wri_array_create(&world->allocator, sizeof(wr_push)),
                               .scratch = wri_scratch_create(&world->allocator)};
    ensemble->state = material->create_ensemble(&desc, error);
    return ensemble->state != NULL;
}

// NULL: it has none.
static const wri_ensemble *find_ensemble(const wr_world *world, const wr_material *material)
{
    for (int i = 0; i < world->ensembles.count; i++) {
        const wri_ensemble *ensemble = &WRI_ITEM(world->ensembles, wri_ensemble, i);
        if (ensemble->material == material) {
            return ensemble;
        }
    }
    return NULL;
}

void *wri_world_ensemble(const wr_world *world, const wr_material *material)
{
    const wri_ensemble *ensemble = find_ensemble(world, material);
    return ensemble ? ensemble->state : NULL;
}

const char *wri_world_ensemble_lost(const wr_world *world, const wr_material *material)
{
    const wri_ensemble *ensemble = find_ensemble(world, material);
    return ensemble ? ensemble->pushes.lost : NULL;
}

void wri_world_reset_ensembles(wr_world *world)
{
    for (int i = 0; i < world->ensembles.count; i++) {
        WRI_ITEM(world->ensembles, wri_ensemble, i).pushes.lost = NULL;
    }
}

bool wri_world_create_ensembles(wr_world *world, wr_error *error)
{
    wr_ensemble_body *bodies = NULL;
    bool ok = true;
    for (int i = 0; ok && i < world->scene->body_count; i++) {
        const wr_material *material = world->scene->bodies[i].material;
        if (material && material->create_ensemble && !wri_world_ensemble(world, material)) {
            bodies = bodies ? bodies : list_bodies(world, error);
            ok = bodies && create_ensemble(world, material, bodies, error);
        }
    }
    if (bodies) {
        wri_free(&world->allocator, bodies, (size_t)world->ensemble_body_count, sizeof *bodies);
    }
    return ok;
}

void wri_world_destroy_ensembles(wr_world *world)
{
    for (int i = 0; i < world->ensembles.count; i++) {
        wri_ensemble *ensemble = &WRI_ITEM(world->ensembles, wri_ensemble, i);
        if (ensemble->state) {
            ensemble->material->destroy_ensemble(ensemble->state);
        }
        wri_array_destroy(&ensemble->pushes.items);
        wri_scratch_destroy(&ensemble->scratch);
    }
    size_t count = (size_t)world->ensemble_body_count;
    wri_array_destroy(&world->ensembles);
    wri_free(&world->allocator, world->ensemble_bodies, count, sizeof *world->ensemble_bodies);
    wri_free(&world->allocator, world->ensemble_poses, 2 * count, sizeof *world->ensemble_poses);
}

// --- the step -----------------------------------------------------------------------------------

static bool moves_freely(const wr_world *world, int i)
{
    return world->scene->bodies[world->ensemble_bodies[i]].rigid.motion == WR_MOTION_MOVING;
}

// Poses at `time`; bodies that move freely have their present pose.
static void find_poses(wr_world *world, double time, wr_pose *poses)
{
    for (int i = 0; i < world->ensemble_body_count; i++) {
        const wr_scene_body *body = &world->scene->bodies[world->ensemble_bodies[i]];
        WR_ASSERT(!body->material && world->engine_of_body[world->ensemble_bodies[i]] >= 0);
        poses[i] =
            moves_freely(world, i)
                ? wr_rigid_pose(world->rigid, world->engine_of_body[world->ensemble_bodies[i]])
            : body->path_count > 0 ? wri_path_pose(body->path, body->path_count, time)
                                   : body->rigid.pose;
    }
}

// NULL: out of memory.
static const wr_ensemble_mover *find_movers(wr_world *world, int *count)
{
    size_t room = (size_t)world->ensemble_body_count;
    wr_ensemble_mover *movers = wr_scratch_push(&world->scratch, room, sizeof *movers);
    *count = 0;
    for (int i = 0; movers && i < world->ensemble_body_count; i++) {
        if (moves_freely(world, i)) {
            wr_ensemble_mover *mover = &movers[(*count)++];
            mover->body = i;
            mover->engine = world->engine_of_body[world->ensemble_bodies[i]];
            WR_ASSERT(
                !wri_part_of_engine(world, mover->engine)); // no ensemble moves a material's part
            wr_rigid_find_views(world->rigid, &mover->engine, 1, &mover->view);
        }
    }
    return movers;
}

// The mover of an engine number, -1: it is none.
static int find_mover(const wr_ensemble_step *step, int engine)
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

static wr_ensemble_contact describe(const wr_world *world, const wr_contact *c, int a, int b)
{
    bool is_first = a >= 0;
    wr_ensemble_contact out = {
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
        out.velocity = wr_add(other.velocity, wr_cross(other.angular_velocity, arm));
    }
    return out;
}

// What lies on a part of a material is left out: how that gives way is known to nobody here.
static bool find_contacts(wr_world *world, wr_ensemble_step *step)
{
    int found = step->mover_count > 0 ? wr_rigid_find_contacts(world->rigid, NULL, 0) : 0;
    wr_contact *all = wr_scratch_push(&world->scratch, (size_t)found, sizeof *all);
    wr_ensemble_contact *contacts =
        wr_scratch_push(&world->scratch, (size_t)found, sizeof *contacts);
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

static bool list_members(wr_world *world, const wri_ensemble *ensemble, wr_ensemble_step *step)
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
        if (body->material == ensemble->material && wri_material_is_active(body)) {
            members[step->member_count] = body->state;
            steps[step->member_count++] = wri_material_step(world, body, step->time, step->dt);
        }
    }
    return true;
}

static void step_ensemble(wr_world *world, wri_ensemble *ensemble, wr_ensemble_step *step)
{
    wr_ensemble_tally tally = {0, 0};
    step->work = (wr_work){world->tasks, &ensemble->scratch};
    step->pushes = &ensemble->pushes;
    step->tally = &tally;
    step->others = NULL;
    step->other_count = 0;
    if (ensemble->material->meets_boundaries) {
        step->others =
            wri_world_find_others(world, ensemble->material, step->dt, &step->other_count);
    }
    if (list_members(world, ensemble, step)) { // else no memory: it stands still
        ensemble->material->step_ensemble(ensemble->state, step);
    }
    wri_world_push_others(world, step->others, step->other_count);
    world->tally.contacts += tally.contacts;
    world->tally.substeps =
        tally.substeps > world->tally.substeps ? tally.substeps : world->tally.substeps;
    wri_scratch_reset(&ensemble->scratch);
}

// First those whose bones others follow, then the others that push boundaries, then the pushed.
static int turn_of(const wr_material *material)
{
    return material->handle_poses ? 0 : material->meets_boundaries ? 1 : TURNS - 1;
}

void wri_world_step_ensembles(wr_world *world, double begin, double end, float dt)
{
    world->tally = (wr_ensemble_tally){0, 0};
    if (world->ensembles.count == 0) {
        return;
    }
    WR_ASSERT(end > begin && dt > 0.0f);
    double start = wri_seconds();
    wr_ensemble_step step = {.number = world->step,
                             .time = begin,
                             .dt = dt,
                             .rigid = world->rigid,
                             .begin = world->ensemble_poses,
                             .end = world->ensemble_poses + world->ensemble_body_count};
    find_poses(world, begin, world->ensemble_poses);
    find_poses(world, end, world->ensemble_poses + world->ensemble_body_count);
    step.movers = find_movers(world, &step.mover_count);
    bool ok = step.movers && find_contacts(world, &step);
    for (int turn = 0; ok && turn < TURNS; turn++) {
        for (int i = 0; i < world->ensembles.count; i++) {
            wri_ensemble *ensemble = &WRI_ITEM(world->ensembles, wri_ensemble, i);
            if (turn_of(ensemble->material) == turn) {
                wri_world_follow_bones(world, ensemble->material, end);
                step_ensemble(world, ensemble, &step);
            }
        }
    }
    world->statistics.material_seconds += wri_seconds() - start;
}
