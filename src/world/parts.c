// parts.c: the rigid bodies of the engine that belong to materials, and the joints between them.
//
// A part keeps its place in the books for ever: numbers of the engine, of recordings and of the
// material stay what they are. What a material changes it announces by versions.
#include "world.h"

const wri_part *wri_part_of_engine(const wr_world *world, int engine)
{
    WR_ASSERT(engine >= 0 && engine < world->owner_of_engine.count);
    int part = WRI_ITEM(world->owner_of_engine, int, engine);
    WR_ASSERT(part < 0 || WRI_ITEM(world->parts, wri_part, part).engine == engine);
    return part < 0 ? NULL : &WRI_ITEM(world->parts, wri_part, part);
}

// --- names ------------------------------------------------------------------------------------

// NULL for rigid bodies.
static const wri_material_body *find_material(const wr_world *world, int scene_body)
{
    for (int i = 0; i < world->material_count; i++) {
        if (world->materials[i].scene_body == scene_body) {
            return &world->materials[i];
        }
    }
    return NULL;
}

static bool fail_part(wr_world *world, const wri_material_body *body, const char *name,
                      const wr_material_part *parts, int count, wr_error *error)
{
    const char **names = wr_scratch_push(&world->scratch, (size_t)count, sizeof *names);
    int named = 0;
    if (!names) {
        return wri_fail_memory(error, (size_t)count * sizeof *names);
    }
    for (int i = 0; i < count; i++) {
        if (parts[i].name) {
            names[named++] = parts[i].name;
        }
    }
    char text[120];
    return wri_fail(error, WR_E_ARGUMENT, "body \"%.40s\" has no part \"%.40s\"%s",
                    world->scene->bodies[body->scene_body].name, name,
                    wri_suggest_word(text, sizeof text, name, names, named));
}

bool wri_world_find_part(wr_world *world, int scene_body, const char *name, int *engine,
                         wr_error *error)
{
    WR_ASSERT(scene_body >= 0 && scene_body < world->scene->body_count);
    const char *body_name = world->scene->bodies[scene_body].name;
    const wri_material_body *body = find_material(world, scene_body);
    *engine = world->engine_of_body[scene_body];
    if (*engine < 0) {
        return wri_fail(error, WR_E_ARGUMENT, "body \"%s\" has no rigid part", body_name);
    }
    if (!name) {
        return true;
    }
    if (!body) {
        return wri_fail(error, WR_E_ARGUMENT, "body \"%s\" is rigid and has no part \"%s\"",
                        body_name, name);
    }
    int count;
    const wr_material_part *parts = body->material->parts(body->state, &count);
    WR_ASSERT(count >= body->part_count);
    for (int i = 0; i < body->part_count; i++) {
        if (parts[i].name && strcmp(parts[i].name, name) == 0) {
            *engine = body->part_bodies[i];
            return true;
        }
    }
    return fail_part(world, body, name, parts, body->part_count, error);
}

// --- births -----------------------------------------------------------------------------------

static bool grow_part_arrays(wr_world *world, wri_material_body *body, wr_error *error)
{
    WR_ASSERT(body->part_count <= body->part_capacity);
    if (body->part_count < body->part_capacity) {
        return true;
    }
    int capacity = body->part_capacity ? 2 * body->part_capacity : 4;
    wr_part_state *states = wri_alloc(&world->allocator, (size_t)capacity, sizeof *states);
    int *bodies = wri_alloc(&world->allocator, (size_t)capacity, sizeof *bodies);
    size_t old = (size_t)body->part_capacity;
    if (!states || !bodies) {
        wri_free(&world->allocator, states, (size_t)capacity, sizeof *states);
        wri_free(&world->allocator, bodies, (size_t)capacity, sizeof *bodies);
        return wri_fail_memory(error, (size_t)capacity * sizeof *states);
    }
    if (old) {
        memcpy(states, body->part_states, old * sizeof *states);
        memcpy(bodies, body->part_bodies, old * sizeof *bodies);
    }
    wri_free(&world->allocator, body->part_states, old, sizeof *states);
    wri_free(&world->allocator, body->part_bodies, old, sizeof *bodies);
    body->part_states = states;
    body->part_bodies = bodies;
    body->part_capacity = capacity;
    return true;
}

static wr_rigid_body_desc part_desc(const wr_scene_body *scene_body, const wr_material_part *part)
{
    WR_ASSERT(part->piece_count > 0 ? part->pieces != NULL : part->positions && part->triangles);
    WR_ASSERT(wr_pose_is_finite(part->pose) && wr_is_finite3(part->velocity));
    wr_rigid_body_desc desc = scene_body->rigid;
    desc.shape = (wr_shape){.kind = part->piece_count > 0 ? WR_SHAPE_HULLS : WR_SHAPE_MESH,
                            .pieces = part->pieces,
                            .piece_count = part->piece_count,
                            .positions = part->positions,
                            .vertex_count = part->vertex_count,
                            .triangles = part->triangles,
                            .triangle_count = part->triangle_count};
    desc.motion = part->motion;
    desc.mass = part->mass;
    desc.pose = part->pose;
    desc.velocity = part->velocity;
    desc.angular_velocity = part->angular_velocity;
    desc.friction = part->friction;
    desc.restitution = part->restitution;
    if (part->touches == WR_PART_TOUCHES_NOTHING) {
        desc.group = desc.collides = 0;
    }
    return desc;
}

static bool announce_birth(wr_world *world, const wri_part *part)
{
    WR_ASSERT(part->index > 0 && part->record >= world->record_count); // a number of its own
    const wri_material_body *body = &world->materials[part->owner];
    const wr_scene_body *scene_body = &world->scene->bodies[body->scene_body];
    wr_event *event = wri_array_add(&world->events, 1);
    int count;
    const char *own = body->material->parts(body->state, &count)[part->index].name;
    char *name = own ? wri_arena_printf(&world->names, "%s/%s", scene_body->name, own)
                     : wri_arena_printf(&world->names, "%s/%d", scene_body->name, part->index);
    if (!event || !name) {
        return false;
    }
    *event = (wr_event){.kind = WR_EVENT_BORN, .subject = part->record, .other = body->scene_body};
    event->born = (wr_record_body){
        .name = name, .material = body->material->name, .model = -1, .color = {1, 1, 1, 1}};
    return true;
}

// Two parts of a body touch each other only when both want to.
static bool separate_own_parts(wr_world *world, const wri_material_body *body,
                               const wr_material_part *parts, int index, wr_error *error)
{
    WR_ASSERT(index == body->part_count - 1);
    for (int i = 0; i < index; i++) {
        bool touch =
            parts[i].touches == WR_PART_TOUCHES_ALL && parts[index].touches == WR_PART_TOUCHES_ALL;
        if (!touch && !wr_rigid_set_collides_with(world->rigid, body->part_bodies[i],
                                                  body->part_bodies[index], false, error)) {
            return false;
        }
    }
    return true;
}

int wri_fragment_count(const wr_world *world, const wri_material_body *body)
{
    return body->fragment_parts
               ? world->scene->bodies[body->scene_body].asset->fracture.fragment_count
               : 0;
}

// A part of fragments is called after the first of them. Others after the first are numbered behind
// the bodies that there are from the start.
static int find_record(const wr_world *world, const wri_material_body *body, int index)
{
    if (index == 0) {
        return body->scene_body;
    }
    if (body->fragment_parts) {
        const int *parts = body->material->surface(body->state).fragment_parts;
        int fragment = 0, count = wri_fragment_count(world, body);
        while (fragment + 1 < count && parts[fragment] != index) {
            fragment++;
        }
        return world->first_fragment[body->scene_body] + fragment;
    }
    int record = world->record_count;
    for (int i = 0; i < world->parts.count; i++) {
        record += WRI_ITEM(world->parts, wri_part, i).record >= world->record_count;
    }
    return record;
}

bool wri_world_add_part(wr_world *world, int owner, int index, bool born, wr_error *error)
{
    wri_material_body *body = &world->materials[owner];
    int count;
    const wr_material_part *parts = body->material->parts(body->state, &count);
    const wr_material_part *source = &parts[index];
    const wr_scene_body *scene_body = &world->scene->bodies[body->scene_body];
    WR_ASSERT(index == body->part_count && index < count);
    WR_ASSERT(source->motion != WR_MOTION_STATIC);
    if (!grow_part_arrays(world, body, error) || !wri_world_reserve_body(world, error)) {
        return false;
    }
    wr_rigid_body_desc desc = part_desc(scene_body, source);
    wr_error why = {0};
    int engine = wr_rigid_add_body(world->rigid, &desc, &why);
    if (engine < 0) {
        return wri_fail(error, why.code, "body \"%s\": part %d: %s", scene_body->name, index,
                        why.message);
    }
    int record = find_record(world, body, index);
    wri_part *part = wri_array_add(&world->parts, 1);
    *part = (wri_part){.owner = owner,
                       .index = index,
                       .engine = engine,
                       .record = record,
                       .ignored = wri_array_create(&world->allocator, sizeof(int)),
                       .pieces_version = source->pieces_version,
                       .mass_version = source->mass_version,
                       .split_version = source->split_version,
                       .surface_version = source->surface_version,
                       .velocity_version = source->velocity_version,
                       .alive = true};
    body->part_bodies[body->part_count++] = engine;
    if (index == 0) {
        world->engine_of_body[body->scene_body] = engine;
    }
    wri_world_note_body(world, world->parts.count - 1, record);
    return separate_own_parts(world, body, parts, index, error) &&
           (!born || record < world->record_count || announce_birth(world, part) ||
            wri_fail_memory(error, sizeof(wr_event)));
}

bool wri_world_add_part_joint(wr_world *world, int owner, int index, wr_error *error)
{
    wri_material_body *body = &world->materials[owner];
    int count;
    const wr_material_joint *source = &body->material->joints(body->state, &count)[index];
    WR_ASSERT(index == body->joint_count && index < count);
    wr_joint_desc desc = source->joint;
    WR_ASSERT(desc.body_a >= 0 && desc.body_a < body->part_count && desc.body_b < body->part_count);
    desc.body_a = body->part_bodies[desc.body_a];
    desc.body_b = desc.body_b < 0 ? -1 : body->part_bodies[desc.body_b];
    wri_part_joint *joint = wri_array_add(&world->joints, 1);
    if (!joint) {
        return wri_fail_memory(error, sizeof *joint);
    }
    wr_error why = {0};
    *joint = (wri_part_joint){owner, index, wr_rigid_add_joint(world->rigid, &desc, &why), true};
    if (joint->engine < 0) {
        world->joints.count--;
        return wri_fail(error, why.code, "body \"%s\": joint %d: %s",
                        world->scene->bodies[body->scene_body].name, index, why.message);
    }
    WR_ASSERT(joint->engine == world->scene->joint_count + world->joints.count - 1);
    body->joint_count++;
    return true;
}

static int count_parts(const wri_material_body *body)
{
    int count = 0;
    if (body->material->parts) {
        body->material->parts(body->state, &count);
    }
    return count;
}

static int count_joints(const wri_material_body *body)
{
    int count = 0;
    if (body->material->joints) {
        body->material->joints(body->state, &count);
    }
    return count;
}

bool wri_world_add_first_parts(wr_world *world, wr_error *error)
{
    for (int i = 0; i < world->material_count; i++) {
        int count = count_parts(&world->materials[i]);
        for (int k = 0; k < count; k++) {
            if (!wri_world_add_part(world, i, k, k > 0, error)) {
                return false;
            }
        }
    }
    return true;
}

bool wri_world_add_first_joints(wr_world *world, wr_error *error)
{
    for (int i = 0; i < world->material_count; i++) {
        int count = count_joints(&world->materials[i]);
        for (int k = 0; k < count; k++) {
            if (!wri_world_add_part_joint(world, i, k, error)) {
                return false;
            }
        }
    }
    return true;
}

void wri_world_forget_parts(wr_world *world)
{
    for (int i = 0; i < world->parts.count; i++) {
        wri_array_destroy(&WRI_ITEM(world->parts, wri_part, i).ignored);
    }
    world->parts.count = world->joints.count = 0;
    for (int i = 0; i < world->material_count; i++) {
        world->materials[i].part_count = world->materials[i].joint_count = 0;
    }
}

// --- changes ----------------------------------------------------------------------------------

static bool is_listed(const int *list, int count, int body)
{
    bool found = false;
    for (int i = 0; i < count && !found; i++) {
        found = list[i] == body;
    }
    return found;
}

// After a restore the engine knows the pairs, but the part does not know that it told them: telling
// them again changes nothing. Numbers that no body has, and those of parts of the same material
// body, are nobody's business. False: out of memory.
static bool carry_ignored(wr_world *world, wri_part *part, const wr_material_part *source)
{
    WR_ASSERT(source->ignored_count == 0 || source->ignored);
    bool ok = true;
    const int *old = part->ignored.items;
    for (int i = 0; i < part->ignored.count; i++) {
        ok = (is_listed(source->ignored, source->ignored_count, old[i]) ||
              wr_rigid_set_collides_with(world->rigid, part->engine, old[i], true, NULL)) &&
             ok;
    }
    part->ignored.count = 0;
    for (int i = 0; i < source->ignored_count; i++) {
        int body = source->ignored[i];
        const wri_part *other = body >= 0 && body < world->owner_of_engine.count
                                    ? wri_part_of_engine(world, body)
                                    : part;
        if (other && other->owner == part->owner) {
            continue;
        }
        int *added = wri_array_add(&part->ignored, 1);
        ok = added && wr_rigid_set_collides_with(world->rigid, part->engine, body, false, NULL) &&
             ok;
        if (added) {
            *added = body;
        }
    }
    return ok;
}

static void carry_surface(wr_world *world, wri_part *part, const wr_material_part *source)
{
    if (part->surface_version != source->surface_version) {
        part->surface_version = source->surface_version;
        wr_rigid_set_surface(world->rigid, part->engine, source->friction, source->restitution);
    }
}

void wri_world_drive_parts(wr_world *world)
{
    for (int i = 0; i < world->parts.count; i++) {
        wri_part *part = &WRI_ITEM(world->parts, wri_part, i);
        const wri_material_body *body = &world->materials[part->owner];
        if (!part->alive || !wri_material_is_active(body)) {
            continue;
        }
        int count;
        const wr_material_part *source = &body->material->parts(body->state, &count)[part->index];
        WR_ASSERT(part->index < count && source->velocity_version >= part->velocity_version);
        if (part->ignored_version != source->ignored_version) {
            bool ok = carry_ignored(world, part, source);
            world->lacks_memory = world->lacks_memory || !ok;
            part->ignored_version = source->ignored_version;
        }
        if (source->motion == WR_MOTION_DRIVEN) {
            wr_rigid_set_target(world->rigid, part->engine, source->target);
        }
        if (part->velocity_version != source->velocity_version) {
            part->velocity_version = source->velocity_version;
            wr_rigid_set_velocity(world->rigid, part->engine, source->velocity,
                                  source->angular_velocity);
        }
        carry_surface(world, part, source);
    }
}

static void carry_shape(wr_world *world, wri_part *part, const wr_material_part *source)
{
    WR_ASSERT(source->pieces_version >= part->pieces_version); // versions only grow
    if (part->pieces_version == source->pieces_version) {
        return;
    }
    part->pieces_version = source->pieces_version;
    for (int i = 0; i < source->piece_count; i++) {
        if (!source->piece_changed || source->piece_changed[i]) {
            wr_rigid_set_piece(world->rigid, part->engine, i, source->pieces[i].points);
        }
    }
    if (source->piece_count == 0) {
        wr_rigid_set_mesh(world->rigid, part->engine, source->positions);
    }
}

static void carry_changes(wr_world *world, wri_part *part, const wr_material_part *source)
{
    WR_ASSERT(source->mass_version >= part->mass_version &&
              source->surface_version >= part->surface_version);
    WR_ASSERT(part->alive && source->motion != WR_MOTION_STATIC);
    wr_rigid *rigid = world->rigid;
    carry_shape(world, part, source);
    if (part->mass_version != source->mass_version) {
        part->mass_version = source->mass_version;
        if (part->split_version != source->split_version) {
            wr_rigid_set_rest(rigid, part->engine, &source->mass);
        } else {
            wr_rigid_set_mass(rigid, part->engine, &source->mass);
        }
        part->split_version = source->split_version;
    }
    if (part->velocity_version != source->velocity_version) {
        part->velocity_version = source->velocity_version;
        wr_rigid_set_velocity(rigid, part->engine, source->velocity, source->angular_velocity);
    }
    carry_surface(world, part, source);
    if (!source->alive) {
        part->alive = false;
        wr_rigid_remove_body(rigid, part->engine);
        wr_event *event = wri_world_add_shown(world, &world->events, 1);
        if (event) {
            *event = (wr_event){.kind = WR_EVENT_REMOVED, .subject = part->record, .other = -1};
        }
    }
}

void wri_world_freeze(wr_world *world, wri_material_body *body, const char *why)
{
    WR_ASSERT(!body->frozen && why);
    body->frozen = true;
    body->frozen_why = why;
    if (body->material->freeze) {
        body->material->freeze(body->state);
    }
    for (int k = 0; k < body->part_count; k++) {
        wr_rigid_freeze(world->rigid, body->part_bodies[k]);
    }
    wr_event *event = wri_world_add_shown(world, &world->events, 1);
    if (event) {
        *event = (wr_event){.kind = WR_EVENT_FROZEN, .subject = body->scene_body, .other = -1};
    }
}

// True when the engine had to freeze one of the body's parts.
static bool lost_a_part(const wr_world *world, const wri_material_body *body)
{
    bool lost = false;
    for (int k = 0; k < body->part_count; k++) {
        lost = lost || wr_rigid_is_frozen(world->rigid, body->part_bodies[k]);
    }
    return lost;
}

// Parts and joints that its material has and the engine has not. False: out of memory.
static bool add_births(wr_world *world, int owner)
{
    wri_material_body *body = &world->materials[owner];
    int parts = count_parts(body), joints = count_joints(body);
    WR_ASSERT(parts >= body->part_count &&
              joints >= body->joint_count); // the dead keep their places
    bool ok = true;
    for (int k = body->part_count; ok && k < parts; k++) {
        ok = wri_world_add_part(world, owner, k, true, NULL);
    }
    for (int k = body->joint_count; ok && k < joints; k++) {
        ok = wri_world_add_part_joint(world, owner, k, NULL);
    }
    return ok;
}

// What keeps a body from going on, NULL: nothing does.
static const char *find_trouble(wr_world *world, int index)
{
    const wri_material_body *body = &world->materials[index];
    const char *lost = body->pushes.lost;
    lost = lost ? lost : wri_world_ensemble_lost(world, body->material);
    return !body->material->is_sound(body->state) ? "its state was no longer a sensible number"
           : lost                                 ? lost
           : lost_a_part(world, body) ? "the motion of a part of it was no longer a sensible number"
           : !add_births(world, index) ? "there was no memory for its new parts"
                                       : NULL;
}

// Parts of fragments are called after the first that they still have.
static void renumber_fragments(wr_world *world)
{
    for (int i = 0; i < world->parts.count; i++) {
        wri_part *part = &WRI_ITEM(world->parts, wri_part, i);
        const wri_material_body *body = &world->materials[part->owner];
        if (part->index > 0 && body->fragment_parts && part->alive && !body->frozen) {
            part->record = find_record(world, body, part->index);
            WRI_ITEM(world->record_of_engine, int, part->engine) = part->record;
        }
    }
}

static void remove_dead_joints(wr_world *world)
{
    for (int i = 0; i < world->joints.count; i++) {
        wri_part_joint *joint = &WRI_ITEM(world->joints, wri_part_joint, i);
        const wri_material_body *body = &world->materials[joint->owner];
        int count;
        if (joint->alive && !body->frozen &&
            !body->material->joints(body->state, &count)[joint->index].alive) {
            joint->alive = false;
            wr_rigid_remove_joint(world->rigid, joint->engine);
        }
    }
}

void wri_world_update_parts(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        if (body->frozen) {
            continue;
        }
        const char *trouble = find_trouble(world, i);
        if (trouble) {
            wri_world_freeze(world, body, trouble);
        }
    }
    remove_dead_joints(world);
    renumber_fragments(world);
    for (int i = 0; i < world->parts.count; i++) {
        wri_part *part = &WRI_ITEM(world->parts, wri_part, i);
        wri_material_body *body = &world->materials[part->owner];
        if (part->alive && !body->frozen) {
            int count;
            carry_changes(world, part, &body->material->parts(body->state, &count)[part->index]);
        }
    }
}
