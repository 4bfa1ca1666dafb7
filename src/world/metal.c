// metal.c: metal as a material of the world: a part of convex pieces that crumples, and may break
// into several.
//
// Their frame is the asset's, scaled. Contacts of all substeps of a step are summed by the
// body, which answers once at its end.
#include "metal.h"
#include "metal_parts.h"

#include "../base/os.h"
#include "../metal/metal.h"
#include "../metal/parameters.h"

enum { PARAMETER_COUNT = WRI_COUNT(wri_metal_parameters) };

static int index_of(const char *name)
{
    const wr_parameter *p = wri_parameter_find(wri_metal_parameters, PARAMETER_COUNT, name);
    WR_ASSERT(p);
    return (int)(p - wri_metal_parameters);
}

typedef struct metal_body {
    wr_allocator allocator;
    wr_metal *metal;
    int example_count;
    bool is_mesh; // collides by triangles
    wri_metal_parts parts;
    uint32_t weights_version;
    double seconds;
    uint64_t hash; // hash of the state, unless it may have changed since
    bool hashed;
} metal_body;

// --- shared by the bodies of an asset -----------------------------------------------------------

static wr_vec3 *scale_points(wri_arena *arena, const wr_vec3 *points, int count, float scale)
{
    WR_ASSERT(scale > 0.0f && count >= 0);
    wr_vec3 *out = wri_arena_alloc(arena, (size_t)count, sizeof *out);
    for (int i = 0; out && i < count; i++) {
        out[i] = wr_scale(scale, points[i]);
    }
    return out;
}

static bool scale_example(wri_arena *arena, const wr_rig *rig, wr_example *example, float scale)
{
    wr_handle_pose *poses = wri_arena_alloc(arena, (size_t)rig->handle_count, sizeof *poses);
    if (!poses) {
        return false;
    }
    for (int b = 0; b < rig->handle_count; b++) {
        poses[b] = example->poses[b];
        poses[b].offset = wr_scale(scale, poses[b].offset);
    }
    example->poses = poses;
    if (example->correctives) {
        example->correctives = scale_points(arena, example->correctives, rig->vertex_count, scale);
    }
    if (example->details) {
        example->details = scale_points(arena, example->details, rig->ride_count, scale);
    }
    return true;
}

// A copy of a rig that is larger or smaller.
static bool scale_rig(wri_arena *arena, wr_rig *rig, float scale)
{
    wr_handle *handles = wri_arena_alloc(arena, (size_t)rig->handle_count, sizeof *handles);
    wr_example *examples = wri_arena_alloc(arena, (size_t)rig->example_count, sizeof *examples);
    wr_vec3 *rest = scale_points(arena, rig->rest, rig->vertex_count, scale);
    if (!handles || !examples || !rest) {
        return false;
    }
    for (int b = 0; b < rig->handle_count; b++) {
        handles[b] = rig->handles[b];
        handles[b].pivot = wr_scale(scale, handles[b].pivot);
    }
    rig->rest = rest;
    rig->handles = handles;
    for (int e = 0; e < rig->example_count; e++) {
        examples[e] = rig->examples[e];
        if (!scale_example(arena, rig, &examples[e], scale)) {
            return false;
        }
    }
    rig->examples = examples;
    return true;
}

static bool scale_bonds(wri_arena *arena, wr_fracture *fracture, float scale)
{
    wr_bond *bonds = wri_arena_alloc(arena, (size_t)fracture->bond_count, sizeof *bonds);
    for (int i = 0; bonds && i < fracture->bond_count; i++) {
        bonds[i] = fracture->bonds[i];
        bonds[i].at = wr_scale(scale, bonds[i].at);
        bonds[i].area *= scale * scale;
        bonds[i].radius *= scale;
    }
    fracture->bonds = bonds;
    return bonds != NULL;
}

// Returns what 1 in the unit of the body is in the other one.
static float unit_of(const wr_parameter *p, const wr_metal_asset_info *info)
{
    WR_ASSERT(p->real_unit && info->size > 0.0f && info->unit_speed > 0.0f &&
              info->unit_time > 0.0f);
    return strcmp(p->real_unit, "m/s") == 0 ? info->unit_speed
           : strcmp(p->real_unit, "m") == 0 ? info->size
                                            : info->unit_time;
}

// Values in units of the body, whichever way they were said.
static void find_values(const wr_material_desc *desc, const wr_metal_asset_info *info,
                        double values[PARAMETER_COUNT])
{
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        values[i] = desc->values[i];
        if (desc->is_real[i]) {
            values[i] /= (double)unit_of(&wri_metal_parameters[i], info);
        }
    }
}

static wr_metal_parameters find_parameters(const wr_material_desc *desc,
                                           const wr_metal_asset_info *info)
{
    double values[PARAMETER_COUNT];
    wr_metal_parameters p = wr_metal_parameters_default();
    find_values(desc, info, values);
    wri_parameters_set(wri_metal_parameters, PARAMETER_COUNT, WRI_METAL_BODY, values, &p);
    p.refresh = desc->picture_time;
    return p;
}

static wr_metal_asset *create_asset(const wr_material_desc *desc, wr_error *error)
{
    wri_arena arena = wri_arena_create(&desc->allocator);
    wr_rig rig = desc->asset->rig;
    wr_fracture fracture = desc->asset->fracture;
    wr_metal_asset *asset = NULL;
    if (desc->scale == 1.0f ||
        (scale_rig(&arena, &rig, desc->scale) && scale_bonds(&arena, &fracture, desc->scale))) {
        wr_metal_asset_desc asset_desc = wr_metal_asset_desc_default();
        wri_parameters_set(wri_metal_parameters, PARAMETER_COUNT, WRI_METAL_ASSET, desc->values,
                           &asset_desc);
        asset_desc.rig = &rig;
        asset_desc.strength = desc->asset->maps[WR_MAP_STRENGTH];
        asset_desc.yield = desc->asset->maps[WR_MAP_YIELD];
        asset_desc.reach = desc->asset->maps[WR_MAP_REACH];
        asset_desc.density = desc->density;
        asset_desc.fracture = desc->asset->fracture.fragment_count > 0 ? &fracture : NULL;
        asset_desc.allocator = &desc->allocator;
        asset = wr_metal_asset_create(&asset_desc, error);
    } else {
        wri_fail_memory(error, 1);
    }
    wri_arena_destroy(&arena);
    return asset;
}

static bool check_asset(const wr_material_desc *desc, wr_error *error)
{
    if (!desc->asset) {
        return wri_fail(
            error, WR_E_ARGUMENT,
            "body \"%s\": metal needs an asset with examples: name a recipe, see docs/rigging.md",
            desc->name);
    }
    return desc->asset->rig.example_count >= 2 ||
           wri_fail(error, WR_E_ARGUMENT,
                    "body \"%s\": its asset has no examples, so metal would never bend; add some "
                    "to the recipe, see docs/rigging.md",
                    desc->name);
}

static void *create_shared(const wr_material_desc *desc, wr_error *error)
{
    if (!check_asset(desc, error)) {
        return NULL;
    }
    wr_error why = {0};
    wr_metal_asset *asset = create_asset(desc, &why);
    wr_metal_parameters p = wr_metal_parameters_default();
    if (asset) {
        wr_metal_asset_info info = wr_metal_asset_describe(asset);
        p = find_parameters(desc, &info);
    }
    if (asset && !wri_metal_check_parameters(&p, &why)) {
        wr_metal_asset_destroy(asset);
        asset = NULL;
    }
    if (asset) { // so that a step finds all neighbourhoods there and never touches the heap
        wr_metal_asset_prepare(asset, p.reach, NULL);
    } else {
        wri_fail(error, why.code, "body \"%s\": %s", desc->name, why.message);
    }
    return asset;
}

static void destroy_shared(void *shared)
{
    wr_metal_asset_destroy(shared);
}

// --- bodies -------------------------------------------------------------------------------------

static void destroy(void *state)
{
    metal_body *b = state;
    if (!b) {
        return;
    }
    const wr_allocator a = b->allocator;
    wri_metal_parts_destroy(&b->parts);
    wr_metal_destroy(b->metal);
    wri_free(&a, b, 1, sizeof *b);
}

static void find_mesh(metal_body *b, const wr_metal_asset *asset, int vertex_count)
{
    wr_material_part *part = b->parts.parts;
    part->pieces = NULL;
    part->piece_changed = NULL;
    part->piece_count = 0;
    part->positions = wr_metal_positions(b->metal);
    part->vertex_count = vertex_count;
    part->triangles = wr_metal_asset_triangles(asset, &part->triangle_count);
}

// A speed says nothing about impulses or lengths.
static bool check_units(const wr_material_desc *desc, wr_error *error)
{
    int by = (int)desc->values[index_of("yield_by")];
    return by == WR_METAL_YIELD_SPEED || !desc->is_real[index_of("yield")] ||
           wri_fail(
               error, WR_E_ARGUMENT,
               "body \"%s\": \"yield\" is a speed, expected a number with \"yield_by\": \"%s\"",
               desc->name, wri_metal_yields[by]);
}

static bool check_collide(const wr_material_desc *desc, wr_error *error)
{
    return desc->values[index_of("collide")] != WRI_METAL_COLLIDE_MESH ||
           desc->asset->fracture.fragment_count == 0 ||
           wri_fail(error, WR_E_ARGUMENT,
                    "body \"%s\": its asset has cuts, and fragments collide by \"pieces\" only; "
                    "leave \"collide\" out",
                    desc->name);
}

// Shards are told in body sizes and fall times.
static void set_shards(metal_body *b, const wr_material_desc *desc, const wr_metal_asset_info *info)
{
    double values[PARAMETER_COUNT];
    find_values(desc, info, values);
    b->parts.shard = (float)values[index_of("shard")] * info->size;
    b->parts.life = (float)values[index_of("shard_life")] * info->unit_time;
}

static void *create(const wr_material_desc *desc, wr_error *error)
{
    if (!check_units(desc, error) || !check_collide(desc, error)) {
        return NULL;
    }
    wr_metal_asset *asset = desc->shared;
    WR_ASSERT(asset && desc->asset); // create_shared was asked first
    wr_metal_asset_info info = wr_metal_asset_describe(asset);
    metal_body *b = wri_alloc(&desc->allocator, 1, sizeof *b);
    if (!b) {
        wri_fail_memory(error, sizeof *b);
        return NULL;
    }
    b->allocator = desc->allocator;
    b->example_count = info.example_count;
    b->weights_version = 1;
    wr_metal_desc metal_desc = wr_metal_desc_default();
    metal_desc.asset = asset;
    metal_desc.parameters = find_parameters(desc, &info);
    metal_desc.mass = desc->mass > 0.0 ? desc->mass : NAN;
    metal_desc.allocator = &b->allocator;
    wr_error why = {0};
    b->metal = wr_metal_create(&metal_desc, &why);
    bool tied = metal_desc.parameters.joined == WR_METAL_JOINED_TIES && info.fragment_count > 1;
    if (!b->metal || !wri_metal_parts_create(&b->parts, b->metal, asset, &b->allocator) ||
        (tied && !wri_metal_parts_tie(&b->parts))) {
        b->metal ? wri_fail_memory(error, sizeof *b)
                 : wri_fail(error, why.code, "body \"%s\": %s", desc->name, why.message);
        destroy(b);
        return NULL;
    }
    b->is_mesh = desc->values[index_of("collide")] == WRI_METAL_COLLIDE_MESH;
    if (b->is_mesh) {
        find_mesh(b, asset, info.vertex_count);
    }
    set_shards(b, desc, &info);
    WR_ASSERT((b->parts.parts->piece_count > 0) != (b->parts.parts->triangle_count > 0));
    wri_metal_parts_start(&b->parts, desc);
    return b;
}

static const wr_material_part *parts(const void *state, int *count)
{
    const metal_body *b = state;
    *count = b->parts.part_count;
    return b->parts.parts;
}

static const wr_material_joint *joints(const void *state, int *count)
{
    const metal_body *b = state;
    *count = b->parts.joint_count;
    return b->parts.joints;
}

static void take_joint_impulse(void *state, int joint, wr_vec3 impulse)
{
    metal_body *b = state;
    b->hashed = false;
    wr_metal_add_tie_impulse(b->metal, joint, impulse);
}

static void take_contacts(void *state, const wr_material_step *step)
{
    metal_body *b = state;
    WR_ASSERT(step->part_count == b->parts.part_count && !step->pushes);
    b->hashed = b->hashed && step->contact_count == 0;
    for (int i = 0; i < step->contact_count; i++) {
        const wr_contact *c = &step->contacts[i];
        int part = step->contact_parts[i];
        wr_pose pose = step->parts[part].contact_pose;
        wr_quat back = wr_quat_conjugate(pose.rotation);
        WR_ASSERT(c->normal_impulse >= 0.0f);
        wr_vec3 impulse = wr_add_scaled(c->tangential_impulse, c->normal_impulse, c->normal);
        wr_vec3 point = wr_rotate(back, wr_sub(c->point, pose.position));
        wr_metal_add_impulse_on(
            b->metal, wri_metal_parts_fragment(&b->parts, part, b->is_mesh ? -1 : c->piece_a),
            point, wr_rotate(back, impulse));
    }
}

static int part_at(const void *state, wr_vec3 at)
{
    const metal_body *b = state;
    return b->parts.fragment_parts[wr_metal_fragment_at(b->metal, at)];
}

static void take_load(void *state, const wr_load *load)
{
    metal_body *b = state;
    if (b->parts.fragment_count > 1) {
        b->hashed = false;
        wr_metal_add_load(b->metal, wr_metal_fragment_at(b->metal, load->at), load->center,
                          load->impulse, load->angular_impulse);
    }
}

// The engine learns how much the body bounces now.
static void tell_surface(metal_body *b)
{
    float restitution = wr_metal_restitution(b->metal);
    WR_ASSERT(restitution >= 0.0f && restitution <= 1.0f);
    wri_metal_parts_set_restitution(&b->parts, restitution);
}

// In the paper restitution changes between steps: the hit that bends a body bounces as before.
static void advance(void *state, const wr_material_step *step)
{
    (void)step;
    metal_body *b = state;
    if (b->metal->change) {
        tell_surface(b);
    }
}

// A fragment that is stopped or pushed out of something is moved alone, without its neighbours.
static void measure_ties(metal_body *b, const wr_material_step *step)
{
    int count;
    const wr_metal_tie *ties = wr_metal_asset_ties(b->metal->asset, &count);
    for (int i = 0; i < b->parts.joint_count; i++) {
        if (b->parts.joints[i].alive) {
            wr_vec3 one = wr_pose_point(step->parts[ties[i].a].pose, ties[i].at);
            wr_vec3 other = wr_pose_point(step->parts[ties[i].b].pose, ties[i].at);
            wr_metal_set_tie_gap(b->metal, i, wr_distance(one, other));
        }
    }
}

static void end_step(void *state, const wr_material_step *step)
{
    metal_body *b = state;
    double start = wri_seconds();
    measure_ties(b, step);
    b->hashed = b->hashed && wr_metal_is_idle(b->metal) && b->parts.shard == 0.0f;
    wr_metal_step(b->metal, step->dt);
    b->weights_version += wr_metal_changed(b->metal);
    wri_metal_parts_update(&b->parts, step);
    b->parts.parts->pieces_version += b->is_mesh && wr_metal_changed(b->metal);
    if (!b->metal->change || step->is_taken_again) {
        tell_surface(b);
    }
    b->seconds = wri_seconds() - start;
}

static const wr_event *events(const void *state, int *count)
{
    const metal_body *b = state;
    *count = b->parts.event_count;
    return b->parts.events;
}

wr_metal *wri_metal_of(const void *state)
{
    return ((const metal_body *)state)->metal;
}

// --- what it shows and keeps --------------------------------------------------------------------

static wr_material_surface surface(const void *state)
{
    const metal_body *b = state;
    return (wr_material_surface){.part = 0,
                                 .fragment_parts =
                                     b->parts.fragment_count > 1 ? b->parts.fragment_parts : NULL,
                                 .weights = wr_metal_weights(b->metal),
                                 .example_count = b->example_count,
                                 .weights_version = b->weights_version};
}

static wr_material_statistics statistics(const void *state)
{
    const metal_body *b = state;
    wr_metal_statistics s = wr_metal_stats(b->metal);
    return (wr_material_statistics){
        .work_seconds = b->seconds, .active = s.skinned, .trouble = (int)s.refused};
}

static bool is_sound(const void *state)
{
    return wr_metal_is_sound(((const metal_body *)state)->metal);
}

static uint64_t find_hash(const metal_body *b)
{
    uint64_t sum = wr_metal_hash(b->metal);
    size_t ages = (size_t)b->parts.part_count * sizeof *b->parts.ages;
    return b->parts.part_count > 1 ? wri_hash(b->parts.ages, ages, sum) : sum;
}

// Returns the hash that is already known for bodies at rest, which are most of them most of the
// time.
static uint64_t hash(const void *state)
{
    metal_body *b = (metal_body *)(uintptr_t)state;
    WR_ASSERT(!b->hashed || b->hash == find_hash(b));
    b->hash = b->hashed ? b->hash : find_hash(b);
    b->hashed = true;
    return b->hash;
}

static size_t size(const void *state)
{
    const metal_body *b = state;
    return wr_metal_save_size(b->metal) + wri_metal_parts_size(&b->parts);
}

static void save(const void *state, void *bytes)
{
    const metal_body *b = state;
    wr_metal_save(b->metal, bytes);
    wri_metal_parts_save(&b->parts, (uint8_t *)bytes + wr_metal_save_size(b->metal));
}

// Takes over what the engine is told. A body that was frozen may have lost its numbers: the engine
// is told finite ones then, which those of the last sound step, in its own bytes, replace.
static void tell_engine(metal_body *b)
{
    const wr_metal_asset *asset = b->metal->asset;
    bool sound = wr_metal_is_sound(b->metal);
    for (int i = 0; !sound && i < asset->piece_begin[asset->piece_count]; i++) {
        wr_vec3 *point = &b->metal->points[i];
        *point = wr_is_finite3(*point) ? *point : asset->rest[asset->piece_vertices[i]];
    }
    if (b->is_mesh) {
        b->parts.parts->positions = sound ? wr_metal_positions(b->metal) : asset->rest;
    }
}

static bool restore(void *state, const void *bytes, size_t byte_count, wr_error *error)
{
    metal_body *b = state;
    size_t parts = wri_metal_parts_size(&b->parts);
    wr_mass_properties masses[WR_FRAGMENTS_MAX];
    float restitution = b->parts.parts->restitution;
    int known = b->parts.part_count;
    for (int i = 0; i < known; i++) {
        masses[i] = b->parts.parts[i].mass;
    }
    if (byte_count < parts || !wr_metal_restore(b->metal, bytes, byte_count - parts, error) ||
        !wri_metal_parts_restore(&b->parts, (const uint8_t *)bytes + (byte_count - parts), error)) {
        return byte_count < parts &&
               wri_fail(error, WR_E_FORMAT, "metal: %zu bytes, expected %zu", byte_count, parts);
    }
    b->weights_version++;
    b->hashed = false;
    tell_engine(b);
    for (int i = 0; i < b->parts.part_count && !wr_metal_is_sound(b->metal); i++) {
        b->parts.parts[i].mass = masses[i < known ? i : 0];
        b->parts.parts[i].restitution = restitution;
    }
    for (int i = 0; i < b->parts.part_count && b->metal->change; i++) {
        b->parts.parts[i].restitution = NAN; // the engine has that of the step before, see advance
    }
    return true;
}

const wr_material wri_metal_material = {
    .table_size = sizeof(wr_material),
    .name = "metal",
    .about = "Rigid until it is hit, then it crumples the way it was sculpted: needs an asset with "
             "examples. Numbers are in units of the body, so that a toy and a ship dent alike: its "
             "size is the longest side of its box, a fall speed and a fall time are those of a "
             "fall from its own height.",
    .parameters = wri_metal_parameters,
    .parameter_count = PARAMETER_COUNT,
    .presets = wri_metal_presets,
    .preset_count = WRI_COUNT(wri_metal_presets),
    .create_shared = create_shared,
    .destroy_shared = destroy_shared,
    .create = create,
    .destroy = destroy,
    .parts = parts,
    .joints = joints,
    .advance = advance,
    .take_contacts = take_contacts,
    .end_step = end_step,
    .take_joint_impulse = take_joint_impulse,
    .take_load = take_load,
    .part_at = part_at,
    .events = events,
    .surface = surface,
    .statistics = statistics,
    .is_sound = is_sound,
    .hash = hash,
    .size = size,
    .save = save,
    .restore = restore,
};
