// world.c: a world is built from a scene: materials, engine bodies, parts, joints.
#include "near.h"
#include "world.h"

#include "../file/asset.h"

#include <stdlib.h>

enum { COOKIE = 0x5772776f };

wr_world_desc wr_world_desc_default(void)
{
    return (wr_world_desc){.cookie = COOKIE};
}

int wr_scene_frame_count(const wr_scene *scene)
{
    WR_ASSERT(scene->rate_numerator > 0 && scene->rate_denominator > 0 && scene->length >= 0.0);
    double frames = scene->length * scene->rate_numerator / scene->rate_denominator;
    return (int)ceil(frames - 1e-6);
}

// --- building ---------------------------------------------------------------------------------

static float shape_size(const wr_shape *shape)
{
    wr_box box = WR_BOX_EMPTY;
    switch (shape->kind) {
    case WR_SHAPE_BOX:
        return fmaxf(shape->size.x, fmaxf(shape->size.y, shape->size.z));
    case WR_SHAPE_SPHERE:
        return 2.0f * shape->size.x;
    case WR_SHAPE_CAPSULE:
        return shape->size.y + 2.0f * shape->size.x;
    case WR_SHAPE_CYLINDER:
        return fmaxf(shape->size.y, 2.0f * shape->size.x);
    case WR_SHAPE_PLANE:
        return 0.0f;
    case WR_SHAPE_HULLS:
        for (int i = 0; i < shape->piece_count; i++) {
            for (int k = 0; k < shape->pieces[i].point_count; k++) {
                box = wr_box_add(box, shape->pieces[i].points[k]);
            }
        }
        break;
    case WR_SHAPE_MESH:
        for (int i = 0; i < shape->vertex_count; i++) {
            box = wr_box_add(box, shape->positions[i]);
        }
        break;
    }
    wr_vec3 size = wr_box_size(box);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// The median size of what moves: the engine's unit of length.
static bool find_unit_length(const wr_world *world, float *unit, wr_error *error)
{
    const wr_scene *scene = world->scene;
    size_t room = (size_t)scene->body_count;
    float *sizes = wri_alloc(&world->allocator, room, sizeof *sizes);
    if (!sizes) {
        return wri_fail_memory(error, room * sizeof *sizes);
    }
    int count = 0;
    for (int i = 0; i < scene->body_count; i++) {
        const wr_material *material = scene->bodies[i].material;
        if (scene->bodies[i].rigid.motion == WR_MOTION_MOVING &&
            !(material && material->is_shapeless)) {
            sizes[count++] = shape_size(&scene->bodies[i].rigid.shape);
        }
    }
    float median = 1.0f;
    if (count > 0) {
        qsort(sizes, (size_t)count, sizeof *sizes, compare_floats);
        median = sizes[count / 2];
    }
    wri_free(&world->allocator, sizes, room, sizeof *sizes);
    *unit = median > 0.0f ? median : 1.0f;
    WR_ASSERT(isfinite(*unit));
    return true;
}

bool wri_world_reserve_body(wr_world *world, wr_error *error)
{
    int count = world->owner_of_engine.count + 1;
    return (wri_array_reserve(&world->owner_of_engine, count) &&
            wri_array_reserve(&world->record_of_engine, count) &&
            wri_array_reserve(&world->frozen, count) &&
            wri_array_reserve(&world->parts, world->parts.count + 1)) ||
           wri_fail_memory(error, (size_t)count * sizeof(int));
}

void wri_world_note_body(wr_world *world, int part, int record)
{
    WR_ASSERT(part >= -1 && part < world->parts.count && record >= 0);
    *(int *)wri_array_add(&world->owner_of_engine, 1) = part;
    *(int *)wri_array_add(&world->record_of_engine, 1) = record;
    wri_array_add(&world->frozen, 1);
    WR_ASSERT(world->owner_of_engine.count == wr_rigid_body_count(world->rigid)); // no gaps
}

static wr_material_desc describe_body(wr_world *world, int scene_body)
{
    const wr_scene *scene = world->scene;
    const wr_scene_body *source = &scene->bodies[scene_body];
    WR_ASSERT(source->material && source->values && source->is_real && source->scale > 0.0f);
    return (wr_material_desc){.name = source->name,
                              .place = source->place,
                              .model = source->model < 0 ? NULL : scene->models[source->model],
                              .added = source->added,
                              .asset = source->asset,
                              .skeleton = source->skeleton,
                              .scale = source->scale,
                              .values = source->values,
                              .is_real = source->is_real,
                              .ensemble = wri_world_ensemble(world, source->material),
                              .setup = source->setup,
                              .pose = source->rigid.pose,
                              .velocity = source->rigid.velocity,
                              .angular_velocity = source->rigid.angular_velocity,
                              .density = source->density,
                              .mass = source->mass,
                              .friction = source->rigid.friction,
                              .restitution = source->rigid.restitution,
                              .group = source->rigid.group,
                              .collides = source->rigid.collides,
                              .picture_time = (float)(world->dt * scene->substeps),
                              .dt = (float)world->dt,
                              .work = {world->tasks, &world->scratch},
                              .log = world->log,
                              .allocator = world->allocator};
}

static bool is_same_but_for_setup(const wr_scene_body *a, const wr_scene_body *b)
{
    bool same = a->material == b->material && a->asset == b->asset && a->scale == b->scale &&
                a->density == b->density && a->model == b->model && a->skeleton == b->skeleton;
    for (int i = 0; same && i < a->material->parameter_count; i++) {
        same = a->material->parameters[i].may_differ ||
               (a->values[i] == b->values[i] && a->is_real[i] == b->is_real[i]);
    }
    return same;
}

static bool can_share(wr_world *world, int a, int b)
{
    const wr_scene_body *bodies = world->scene->bodies;
    if (!is_same_but_for_setup(&bodies[a], &bodies[b])) {
        return false;
    }
    if (!bodies[a].material->can_share) {
        return bodies[a].setup == bodies[b].setup;
    }
    wr_material_desc first = describe_body(world, a), second = describe_body(world, b);
    return bodies[a].material->can_share(&first, &second);
}

// Takes the shared data of an earlier body that may share, or creates them for this one.
static bool find_shared(wr_world *world, int index, const wr_material_desc *desc, wr_error *error)
{
    wri_material_body *body = &world->materials[index];
    if (!body->material->create_shared) {
        return true;
    }
    WR_ASSERT(body->material->destroy_shared && !body->shared);
    for (int i = index - 1; i >= 0; i--) {
        const wri_material_body *other = &world->materials[i];
        if (can_share(world, other->scene_body, body->scene_body)) {
            body->shared = other->shared;
            return true;
        }
    }
    body->shared = body->material->create_shared(desc, error);
    body->owns_shared = body->shared != NULL;
    return body->owns_shared;
}

// Finds the handle poses in which the body comes to life.
static bool find_first_poses(wr_world *world, int scene_body, wr_material_desc *desc,
                             wr_error *error)
{
    const wr_scene_body *source = &world->scene->bodies[scene_body];
    if (!wri_has_pose_source(source)) {
        return true;
    }
    size_t count = (size_t)wri_skeleton_of(source).handle_count;
    wr_handle_pose *poses = wr_scratch_push(&world->scratch, count, sizeof *poses);
    desc->handle_poses = poses;
    return (poses && wri_pose_source_find(world->scene, scene_body, 0.0, &world->scratch, poses)) ||
           wri_fail_memory(error, count * sizeof *poses);
}

static bool create_material(wr_world *world, int index, int scene_body, wr_error *error)
{
    wri_material_body *body = &world->materials[index];
    body->scene_body = scene_body;
    body->surface_part = -1;
    body->material = world->scene->bodies[scene_body].material;
    body->is_posed = wri_has_pose_source(&world->scene->bodies[scene_body]);
    body->follows_bones = body->is_posed && wri_follows_bones(world->scene, scene_body);
    WR_ASSERT(index == 0 || world->materials[index - 1].scene_body < scene_body);
    WR_ASSERT(!body->material->boundary == !body->material->apply_impulses);
    WR_ASSERT(!body->material->create_ensemble == !body->material->step_ensemble);
    body->shown = wri_array_create(&world->allocator, sizeof(wr_vec3));
    body->vertices = wri_array_create(&world->allocator, sizeof(int));
    body->examples = wri_array_create(&world->allocator, sizeof(int));
    body->weights = wri_array_create(&world->allocator, sizeof(float));
    body->kept_points = wri_array_create(&world->allocator, sizeof(wr_vec3));
    body->kept_radii = wri_array_create(&world->allocator, sizeof(float));
    body->kept_ids = wri_array_create(&world->allocator, sizeof(uint32_t));
    body->carried = wri_array_create(&world->allocator, sizeof(int));
    body->pushes.items = wri_array_create(&world->allocator, sizeof(wr_push));
    body->scratch = wri_scratch_create(&world->allocator);
    wr_material_desc desc = describe_body(world, scene_body);
    if (!find_shared(world, index, &desc, error) ||
        !find_first_poses(world, scene_body, &desc, error)) {
        return false;
    }
    desc.shared = body->shared;
    body->state = body->material->create(&desc, error);
    wri_scratch_reset(&world->scratch);
    return body->state != NULL;
}

// Says where in the scene's file the body is whose material could not be made.
static bool fail_at_body(const wr_scene_body *body, const wr_error *why, wr_error *error)
{
    bool is_placed = body->place && why->code != WR_E_MEMORY;
    return wri_fail(error, why->code, "%s%s%s", is_placed ? body->place : "", is_placed ? ": " : "",
                    why->message);
}

static bool create_materials(wr_world *world, wr_error *error)
{
    const wr_scene *scene = world->scene;
    int count = 0;
    for (int i = 0; i < scene->body_count; i++) {
        count += scene->bodies[i].material != NULL;
    }
    world->materials = wri_alloc(&world->allocator, (size_t)count, sizeof *world->materials);
    if (!world->materials) {
        return wri_fail_memory(error, (size_t)count * sizeof *world->materials);
    }
    world->material_count = count;
    if (!wri_world_create_ensembles(world, error)) {
        return false;
    }
    for (int i = 0, next = 0; i < scene->body_count; i++) {
        wr_error why = {0};
        if (scene->bodies[i].material && !create_material(world, next++, i, &why)) {
            return fail_at_body(&scene->bodies[i], &why, error);
        }
    }
    return true;
}

static bool add_joint(wr_world *world, int index, wr_error *error)
{
    const wr_scene_joint *source = &world->scene->joints[index];
    wr_joint_desc joint = source->joint;
    wr_error why = {0};
    bool ok = wri_world_find_part(world, source->joint.body_a, source->part_a, &joint.body_a, &why);
    ok = ok && (joint.body_b < 0 || wri_world_find_part(world, source->joint.body_b, source->part_b,
                                                        &joint.body_b, &why));
    return (ok && wr_rigid_add_joint(world->rigid, &joint, &why) >= 0) ||
           wri_fail(error, why.code, "joint %d: %s", index + 1, why.message);
}

bool wri_world_add_joints(wr_world *world, wr_error *error)
{
    WR_ASSERT(wr_rigid_joint_count(world->rigid) == 0); // those of parts are numbered behind them
    for (int i = 0; i < world->scene->joint_count; i++) {
        if (!wri_array_add(&world->broken, 1)) {
            return wri_fail_memory(error, sizeof(bool));
        }
        if (!add_joint(world, i, error)) {
            return false;
        }
    }
    return true;
}

bool wri_world_build_engine(wr_world *world, wr_error *error)
{
    WR_ASSERT(world->parts.count == 0 && world->joints.count == 0);
    const wr_scene *scene = world->scene;
    wr_rigid_destroy(world->rigid);
    wr_rigid_desc desc = wr_rigid_desc_default();
    desc.gravity = scene->gravity;
    desc.iterations = scene->iterations;
    desc.sleeping = scene->sleeping;
    desc.allocator = world->allocator;
    world->rigid =
        find_unit_length(world, &desc.unit_length, error) ? wr_rigid_create(&desc, error) : NULL;
    if (!world->rigid) {
        return false;
    }
    for (int i = 0; i < scene->surface_pair_count; i++) {
        if (!wr_rigid_set_surface_pair(world->rigid, &scene->surface_pairs[i], error)) {
            return false;
        }
    }
    world->sleep_speed =
        fmaxf((float)world->dt * wr_length(scene->gravity), 0.01f * desc.unit_length);
    world->owner_of_engine.count = world->record_of_engine.count = 0;
    world->frozen.count = world->broken.count = 0;
    for (int i = 0; i < scene->body_count; i++) {
        world->engine_of_body[i] = -1;
        if (scene->bodies[i].material) {
            continue;
        }
        if (!wri_world_reserve_body(world, error)) {
            return false;
        }
        wr_error why = {0};
        int engine = wr_rigid_add_body(world->rigid, &scene->bodies[i].rigid, &why);
        if (engine < 0) {
            return wri_fail(error, why.code, "body \"%s\": %s", scene->bodies[i].name, why.message);
        }
        world->engine_of_body[i] = engine;
        wri_world_note_body(world, -1, i);
    }
    return true;
}

static bool find_driven(wr_world *world, wr_error *error)
{
    for (int i = 0; i < world->scene->body_count; i++) {
        const wr_scene_body *body = &world->scene->bodies[i];
        if (body->path_count > 0 && !body->material) {
            int *driven = wri_array_add(&world->driven, 1);
            if (!driven) {
                return wri_fail_memory(error, sizeof *driven);
            }
            *driven = i;
        }
    }
    return true;
}

static bool create_info(wr_world *world, wr_error *error)
{
    const wr_scene *scene = world->scene;
    size_t count = (size_t)scene->body_count;
    world->record_bodies = wri_alloc(&world->allocator, count, sizeof *world->record_bodies);
    world->engine_of_body = wri_alloc(&world->allocator, count, sizeof(int));
    if (!world->record_bodies || !world->engine_of_body) {
        return wri_fail_memory(error, count * sizeof *world->record_bodies);
    }
    for (int i = 0; i < scene->body_count; i++) {
        const wr_scene_body *body = &scene->bodies[i];
        bool plane = body->rigid.shape.kind == WR_SHAPE_PLANE;
        bool tinted = body->color.a > 0.0f;
        world->record_bodies[i] = (wr_record_body){
            .name = body->name,
            .material = body->material ? body->material->name : "rigid",
            .model = body->visible ? body->model : -1,
            .is_static = body->rigid.motion == WR_MOTION_STATIC,
            .casts_ground = plane && body->visible,
            .color = plane && !tinted ? scene->stage.light.ground : body->color,
            .look = body->look,
        };
    }
    world->info = (wr_record_info){
        .title = scene->name,
        .program = WRI_PROGRAM,
        .scene_hash = scene->hash,
        .rate_numerator = scene->rate_numerator,
        .rate_denominator = scene->rate_denominator,
        .substeps = scene->substeps,
        .planned_frames = wr_scene_frame_count(scene),
        .stage = scene->stage,
        .model_count = scene->model_count,
        .models = scene->models,
        .body_count = scene->body_count,
        .bodies = world->record_bodies,
    };
    return true;
}

static int find_record_asset(wr_world *world, const wr_asset *asset)
{
    int i = 0;
    while (i < world->info.asset_count && world->record_assets[i] != asset) {
        i++;
    }
    WR_ASSERT(i < world->material_count);
    world->record_assets[i] = asset;
    world->info.asset_count += i == world->info.asset_count;
    return i;
}

// The assets of bodies that are recorded with weights or blends of their examples.
static bool create_rigs(wr_world *world, wr_error *error)
{
    size_t models = (size_t)world->scene->model_count, materials = (size_t)world->material_count;
    world->record_rigs = wri_alloc(&world->allocator, models, sizeof *world->record_rigs);
    world->record_assets = wri_alloc(&world->allocator, materials, sizeof *world->record_assets);
    world->record_manifolds =
        wri_alloc(&world->allocator, materials, sizeof *world->record_manifolds);
    if (!world->record_rigs || !world->record_assets || !world->record_manifolds) {
        return wri_fail_memory(error, models * sizeof *world->record_rigs);
    }
    for (size_t i = 0; i < models; i++) {
        world->record_rigs[i] = (wr_record_rig){-1, 1.0f};
    }
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        const wr_scene_body *source = &world->scene->bodies[body->scene_body];
        wr_material_surface surface = body->material->surface(body->state);
        if (source->asset && source->model >= 0 && (surface.weights || surface.blends)) {
            int asset = find_record_asset(world, source->asset);
            world->record_rigs[source->model] = (wr_record_rig){asset, source->scale};
        }
        if (surface.blends) {
            WR_ASSERT(surface.simplex_count == 0 || surface.simplices);
            world->record_manifolds[world->info.manifold_count++] =
                (wr_record_manifold){body->scene_body, surface.simplex_count, surface.simplices};
        }
    }
    world->info.assets = world->record_assets;
    world->info.rigs = world->record_rigs;
    world->info.manifolds = world->record_manifolds;
    return true;
}

// --- fragments --------------------------------------------------------------------------------

// The first model that is a fragment of this one, a new one when there is none yet.
static int add_fragment_models(wr_world *world, const wr_scene_body *source, wr_record_rig *rigs,
                               const wr_model **models, int *known)
{
    if (known[source->model] >= 0) {
        return known[source->model];
    }
    int first = world->info.model_count, count = source->asset->fracture.fragment_count;
    for (int f = 0; f < count; f++) {
        models[first + f] = wri_asset_fragment(source->asset, f, source->scale, &world->names);
        rigs[first + f] = world->record_rigs[source->model];
        rigs[first + f].fragment = f + 1;
        if (!models[first + f]) {
            return -1;
        }
    }
    world->info.model_count += count;
    return known[source->model] = first;
}

// Bodies that may break are recorded fragment by fragment, behind the bodies of the scene.
static bool add_fragments(wr_world *world, const wri_material_body *body, int first_model,
                          wr_record_body *bodies)
{
    const wr_record_body *whole = &bodies[body->scene_body];
    int count = wri_fragment_count(world, body), visible = whole->model >= 0;
    world->first_fragment[body->scene_body] = world->record_count;
    for (int f = 0; f < count; f++) {
        wr_record_body *out = &bodies[world->record_count++];
        *out = *whole;
        out->name = wri_arena_printf(&world->names, "%s/%d", whole->name, f);
        out->model = visible ? first_model + f : -1;
        out->fragment_of = visible ? body->scene_body + 1 : 0;
        if (!out->name) {
            return false;
        }
    }
    bodies[body->scene_body].model = -1;
    return true;
}

static bool find_breaking(wr_world *world, size_t *fragments)
{
    *fragments = 0;
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        const wr_scene_body *source = &world->scene->bodies[body->scene_body];
        if (!body->material->surface(body->state).fragment_parts) {
            continue;
        }
        WR_ASSERT(source->asset && source->asset->fracture.fragment_count > 1);
        size_t count = (size_t)source->asset->fracture.fragment_count;
        body->fragment_parts = wri_arena_alloc(&world->names, count, sizeof(int));
        *fragments += count;
        if (!body->fragment_parts) {
            return false;
        }
    }
    return true;
}

static bool create_fragments(wr_world *world, wr_error *error)
{
    const wr_scene *scene = world->scene;
    size_t fragments, scene_bodies = (size_t)scene->body_count,
                      scene_models = (size_t)scene->model_count;
    world->first_fragment = wri_arena_alloc(&world->names, scene_bodies, sizeof(int));
    world->record_count = scene->body_count;
    if (!world->first_fragment || !find_breaking(world, &fragments)) {
        return wri_fail_memory(error, scene_bodies * sizeof(int));
    }
    for (size_t i = 0; i < scene_bodies; i++) {
        world->first_fragment[i] = -1;
    }
    if (fragments == 0) {
        return true;
    }
    wri_arena *arena = &world->names;
    wr_record_body *bodies = wri_arena_alloc(arena, scene_bodies + fragments, sizeof *bodies);
    wr_record_rig *rigs = wri_arena_alloc(arena, scene_models + fragments, sizeof *rigs);
    const wr_model **models = wri_arena_alloc(arena, scene_models + fragments, sizeof *models);
    int *known = wri_arena_alloc(arena, scene_models, sizeof *known);
    bool ok = bodies && rigs && models && known;
    for (size_t i = 0; ok && i < scene_models; i++) {
        rigs[i] = world->record_rigs[i];
        models[i] = scene->models[i];
        known[i] = -1;
    }
    if (ok) {
        memcpy(bodies, world->record_bodies, scene_bodies * sizeof *bodies);
    }
    for (int i = 0; ok && i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        const wr_scene_body *source = &scene->bodies[body->scene_body];
        if (body->fragment_parts) {
            int first = add_fragment_models(world, source, rigs, models, known);
            ok = first >= 0 && add_fragments(world, body, first, bodies);
        }
    }
    world->info.bodies = bodies;
    world->info.body_count = world->record_count;
    world->info.rigs = rigs;
    world->info.models = models;
    return ok || wri_fail_memory(error, fragments * sizeof *bodies);
}

// --- skins ------------------------------------------------------------------------------------

static int find_record_skin(wr_world *world, const wr_record_skin *skin)
{
    int i = 0;
    while (i < world->info.skin_count && world->record_skins[i].nodes != skin->nodes) {
        i++;
    }
    WR_ASSERT(i < world->material_count);
    world->record_skins[i] = *skin;
    world->info.skin_count += i == world->info.skin_count;
    return i;
}

// The skins of bodies that can be seen.
static bool create_skins(wr_world *world, wr_error *error)
{
    size_t bodies = (size_t)world->record_count, materials = (size_t)world->material_count;
    world->record_skins = wri_alloc(&world->allocator, materials, sizeof *world->record_skins);
    world->body_skins = wri_alloc(&world->allocator, bodies, sizeof *world->body_skins);
    if (!world->record_skins || !world->body_skins) {
        return wri_fail_memory(error, materials * sizeof *world->record_skins);
    }
    for (size_t i = 0; i < bodies; i++) {
        world->body_skins[i] = -1;
    }
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        const wr_record_skin *skin = body->material->surface(body->state).skin;
        if (skin && world->record_bodies[body->scene_body].model >= 0) {
            world->body_skins[body->scene_body] = find_record_skin(world, skin);
        }
    }
    world->info.skins = world->record_skins;
    world->info.body_skins = world->body_skins;
    return true;
}

static bool check_scene(const wr_scene *scene, wr_error *error)
{
    double steps = (double)scene->rate_numerator * scene->substeps;
    if (scene->rate_numerator < 1 || scene->rate_denominator < 1 || scene->substeps < 1 ||
        !wri_is_step((float)(scene->rate_denominator / steps))) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "rate_numerator %d, rate_denominator %d, substeps %d: steps of no length",
                        scene->rate_numerator, scene->rate_denominator, scene->substeps);
    }
    return WRI_REQUIRE_LIST(error, scene->bodies, scene->body_count) &&
           WRI_REQUIRE_LIST(error, scene->joints, scene->joint_count);
}

wr_world *wr_world_create(const wr_world_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_world_desc, desc, COOKIE) || !WRI_REQUIRE(error, desc->scene) ||
        !check_scene(desc->scene, error)) {
        return NULL;
    }
    wr_world *world = wri_alloc(&desc->allocator, 1, sizeof *world);
    if (!world) {
        wri_fail_memory(error, sizeof *world);
        return NULL;
    }
    const wr_allocator *a = &desc->allocator;
    const wr_scene *scene = desc->scene;
    world->allocator = *a;
    world->tasks = desc->tasks;
    world->log = desc->log;
    world->watch = desc->watch;
    world->scene = scene;
    world->dt = (double)scene->rate_denominator / ((double)scene->rate_numerator * scene->substeps);
    WR_ASSERT(world->dt > 0.0 && isfinite(world->dt));
    world->driven = wri_array_create(a, sizeof(int));
    world->entries = wri_array_create(a, sizeof(wri_entry));
    world->owner_of_engine = wri_array_create(a, sizeof(int));
    world->record_of_engine = wri_array_create(a, sizeof(int));
    world->parts = wri_array_create(a, sizeof(wri_part));
    world->joints = wri_array_create(a, sizeof(wri_part_joint));
    world->push_contacts = wri_array_create(a, sizeof(wr_contact));
    world->meetings = wri_world_meetings_create(a);
    world->nearness = wri_array_create(a, sizeof(wri_nearness));
    world->scratch = wri_scratch_create(a);
    world->pairs = wri_array_create(a, sizeof(wri_pair_contact));
    world->poses = wri_array_create(a, sizeof(wr_pose));
    world->events = wri_array_create(a, sizeof(wr_event));
    world->points = wri_array_create(a, sizeof(wr_record_points));
    world->weights = wri_array_create(a, sizeof(wr_record_weights));
    world->contacts = wri_array_create(a, sizeof(wr_record_contact));
    world->blends = wri_array_create(a, sizeof(wr_record_blend));
    world->surfaces = wri_array_create(a, sizeof(wr_record_surface));
    world->particles = wri_array_create(a, sizeof(wr_record_particles));
    world->skinned = wri_array_create(a, sizeof(wr_record_skinned));
    world->ensembles = wri_array_create(a, sizeof(wri_ensemble));
    world->names = wri_arena_create(a);
    world->frozen = wri_array_create(a, sizeof(bool));
    world->broken = wri_array_create(a, sizeof(bool));
    world->snapshot = wri_array_create(a, 1);
    world->replay = wri_array_create(a, 1);
    if (!create_info(world, error) || !find_driven(world, error) ||
        !create_materials(world, error) || !create_rigs(world, error) ||
        !create_fragments(world, error) || !create_skins(world, error) ||
        !wri_world_build_engine(world, error) || !wri_world_add_first_parts(world, error) ||
        !wri_world_add_joints(world, error) || !wri_world_add_first_joints(world, error) ||
        !wri_world_find_entries(world, error)) {
        wr_world_destroy(world);
        return NULL;
    }
    wri_world_rehang_joints(world);
    wri_world_read_frame(world);
    if (!wri_world_forget(world, error) || !wr_world_check(world, error)) {
        wr_world_destroy(world);
        return NULL;
    }
    wri_world_warn_within(world);
    return world;
}

void wr_world_destroy(wr_world *world)
{
    if (!world) {
        return;
    }
    const wr_allocator a = world->allocator;
    wri_world_forget_parts(world);
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        if (body->material) {
            body->material->destroy(body->state);
            wri_array_destroy(&body->shown);
            wri_array_destroy(&body->vertices);
            wri_array_destroy(&body->examples);
            wri_array_destroy(&body->weights);
            wri_array_destroy(&body->kept_points);
            wri_array_destroy(&body->kept_radii);
            wri_array_destroy(&body->kept_ids);
            wri_array_destroy(&body->carried);
            wri_array_destroy(&body->pushes.items);
            wri_scratch_destroy(&body->scratch);
        }
        wri_free(&a, body->part_states, (size_t)body->part_capacity, sizeof *body->part_states);
        wri_free(&a, body->part_bodies, (size_t)body->part_capacity, sizeof *body->part_bodies);
    }
    wri_world_destroy_ensembles(world);
    for (int i = 0; i < world->material_count; i++) { // after all bodies that use them
        const wri_material_body *body = &world->materials[i];
        if (body->owns_shared) {
            body->material->destroy_shared(body->shared);
        }
    }
    wri_free(&a, world->record_assets, (size_t)world->material_count, sizeof *world->record_assets);
    wri_free(&a, world->record_manifolds, (size_t)world->material_count,
             sizeof *world->record_manifolds);
    wri_free(&a, world->record_skins, (size_t)world->material_count, sizeof *world->record_skins);
    wri_free(&a, world->body_skins, (size_t)world->record_count, sizeof *world->body_skins);
    wri_free(&a, world->record_rigs, (size_t)world->scene->model_count, sizeof *world->record_rigs);
    wri_free(&a, world->materials, (size_t)world->material_count, sizeof *world->materials);
    wri_free(&a, world->record_bodies, (size_t)world->scene->body_count,
             sizeof *world->record_bodies);
    wri_free(&a, world->engine_of_body, (size_t)world->scene->body_count, sizeof(int));
    wri_array *arrays[] = {
        &world->owner_of_engine, &world->record_of_engine, &world->parts,         &world->pairs,
        &world->poses,           &world->events,           &world->points,        &world->weights,
        &world->contacts,        &world->frozen,           &world->broken,        &world->snapshot,
        &world->blends,          &world->joints,           &world->push_contacts, &world->meetings,
        &world->nearness,        &world->replay,           &world->surfaces,      &world->particles,
        &world->driven,          &world->entries,          &world->skinned};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        wri_array_destroy(arrays[i]);
    }
    wri_arena_destroy(&world->names);
    wri_scratch_destroy(&world->scratch);
    wr_rigid_destroy(world->rigid);
    wri_free(&a, world, 1, sizeof *world);
}

// --- questions --------------------------------------------------------------------------------

const wr_frame *wr_world_frame(const wr_world *world)
{
    return &world->frame;
}

const wr_record_info *wr_world_record_info(const wr_world *world)
{
    return &world->info;
}

const wr_rigid *wr_world_rigid(const wr_world *world)
{
    return world->rigid;
}

wr_rigid *wr_world_change_rigid(wr_world *world)
{
    world->is_changed = true;
    return world->rigid;
}

int wr_world_body(const wr_world *world, int scene_body)
{
    WR_ASSERT(scene_body >= 0 && scene_body < world->scene->body_count);
    return world->engine_of_body[scene_body];
}

static bool is_awake(const wr_world *world, int engine)
{
    return !wr_rigid_is_asleep(world->rigid, engine) && !wr_rigid_is_frozen(world->rigid, engine);
}

// A body without parts that cannot say whether it sleeps never does.
static bool is_material_awake(const wr_world *world, const wri_material_body *body)
{
    const wr_material *m = body->material;
    if (body->frozen || m->is_asleep) {
        return !body->frozen && !m->is_asleep(body->state);
    }
    bool awake = body->part_count == 0;
    for (int i = 0; i < body->part_count; i++) {
        awake = awake || is_awake(world, body->part_bodies[i]);
    }
    return awake;
}

// Bodies of a material are asked in another place whether they are awake.
static void count_moving(const wr_world *world, wr_world_statistics *s)
{
    for (int i = 0; i < world->scene->body_count; i++) {
        const wr_scene_body *body = &world->scene->bodies[i];
        int engine = world->engine_of_body[i];
        bool moves = body->rigid.motion == WR_MOTION_MOVING;
        s->moving += moves;
        s->awake += moves && !body->material && is_awake(world, engine);
        if (moves && engine >= 0) {
            s->top_speed = fmaxf(s->top_speed, wr_length(wr_rigid_velocity(world->rigid, engine)));
        }
    }
}

bool wr_world_is_frozen(const wr_world *world, int scene_body)
{
    int engine = wr_world_body(world, scene_body);
    bool frozen = engine >= 0 && wr_rigid_is_frozen(world->rigid, engine);
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        frozen = frozen || (body->scene_body == scene_body && body->frozen);
    }
    return frozen;
}

wr_world_statistics wr_world_stats(const wr_world *world)
{
    wr_world_statistics s = world->statistics;
    wr_rigid_statistics stats = wr_rigid_stats(world->rigid);
    s.bodies = world->scene->body_count;
    s.joints = world->scene->joint_count;
    s.too_fast = stats.too_fast;
    s.material_gain = stats.mass_energy;
    for (int i = 0; i < world->material_count; i++) {
        s.frozen += world->materials[i].frozen;
    }
    for (int i = 0; i < world->owner_of_engine.count; i++) {
        s.frozen += !wri_part_of_engine(world, i) && wr_rigid_is_frozen(world->rigid, i);
    }
    for (int i = 0; i < world->broken.count; i++) {
        s.broken_joints += wr_rigid_joint_is_broken(world->rigid, i);
    }
    count_moving(world, &s);
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        s.sprites += body->material->is_planar;
        s.awake += is_material_awake(world, body);
        if (body->material->statistics) {
            wr_material_statistics own = body->material->statistics(body->state);
            s.material_energy += own.energy;
            s.material_trouble += own.trouble;
            s.top_speed = fmaxf(s.top_speed, own.speed);
        }
    }
    return s;
}
