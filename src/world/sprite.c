// sprite.c: sprites as a material of the world: all of a scene live in one world of sprites.
//
// The plane z = 0 cuts their level out of the rigid bodies (sprite_scenery.c). A body's own z is
// how far in front it is drawn. What is drawn rides on the particles.
#include "sprite.h"

#include "wrought/controller.h"

#include "../math/elementary.h"
#include "../sprite/parameters.h"
#include "sharing.h"
#include "sprite_scenery.h"

enum { PARAMETER_COUNT = WRI_COUNT(wri_sprite_parameters) };

// --- the ensemble -----------------------------------------------------------------------------

// A nail that is not for ever.
typedef struct timed_nail {
    int sprite, particle;
    double until;
} timed_nail;

typedef struct sprite_ensemble {
    wr_allocator allocator;
    wr_sprite_world *world;
    wri_scenery scenery;
    wri_array timed;  // of timed_nail
    wri_array actors; // of sprite_body *, in the order of the scene
    wri_sharing sharing;
} sprite_ensemble;

typedef struct sprite_body {
    wr_allocator allocator;
    sprite_ensemble *ensemble;
    int sprite; // number in the world, -1: not in it
    const wr_sprite_asset *asset;
    const wr_rig *rig;
    float scale, depth; // of the drawing; z
    wr_vec3 *positions; // of the model
    wr_blend blends[2];
    wr_controller *controller; // NULL: it has none
    wr_actor *actor;           // likewise
    const wr_buttons_down *played;
    int played_count;
    bool frozen;
} sprite_body;

static void act(sprite_body *b, const wr_ensemble_step *step)
{
    if (!b->frozen) {
        wr_actor_step(b->actor, wr_buttons_down_at(b->played, b->played_count, step->number),
                      step->dt);
    }
}

static void destroy_ensemble(void *state)
{
    sprite_ensemble *g = state;
    if (g) {
        const wr_allocator a = g->allocator;
        wr_sprite_world_destroy(g->world);
        wri_scenery_destroy(&g->scenery);
        wri_array_destroy(&g->timed);
        wri_array_destroy(&g->actors);
        wri_free(&a, g, 1, sizeof *g);
    }
}

static void *create_ensemble(const wr_ensemble_desc *desc, wr_error *error)
{
    sprite_ensemble *g = wri_alloc(&desc->allocator, 1, sizeof *g);
    if (!g) {
        wri_fail_memory(error, sizeof *g);
        return NULL;
    }
    g->allocator = desc->allocator;
    g->timed = wri_array_create(&desc->allocator, sizeof(timed_nail));
    g->actors = wri_array_create(&desc->allocator, sizeof(sprite_body *));
    wr_sprite_world_desc world = wr_sprite_world_desc_default();
    world.gravity = (wr_vec2){desc->gravity.x, desc->gravity.y};
    world.allocator = &g->allocator;
    g->world = wr_sprite_world_create(&world, error);
    if (!g->world || !wri_scenery_create(&g->scenery, g->world, desc, error)) {
        destroy_ensemble(g);
        return NULL;
    }
    return g;
}

static void step_ensemble(void *state, const wr_ensemble_step *step)
{
    sprite_ensemble *g = state;
    wri_scenery_begin_step(&g->scenery, step);
    for (int i = 0; i < g->timed.count; i++) { // also what an older state has brought back
        const timed_nail *nail = &WRI_ITEM(g->timed, timed_nail, i);
        if (step->time > nail->until - 1e-6) {
            wr_sprite_remove_nail(g->world, nail->sprite, nail->particle);
        }
    }
    for (int i = 0; i < g->actors.count; i++) {
        act(WRI_ITEM(g->actors, sprite_body *, i), step);
    }
    wr_sprite_world_step(g->world, step->dt, wri_sharing_begin(&g->sharing, &step->work.tasks));
    wri_sharing_end(&g->sharing);
    wri_scenery_end_step(&g->scenery, step);
    step->tally->contacts = wr_sprite_world_stats(g->world).contacts;
}

// --- shared by the bodies of a drawing ----------------------------------------------------------

double wri_sprite_area(const wr_rig *rig, float scale)
{
    double sum = 0.0;
    for (int t = 0; t < rig->element_count; t++) {
        const int *c = &rig->elements[3 * t];
        wr_vec3 a = rig->rest[c[0]], b = rig->rest[c[1]], d = rig->rest[c[2]];
        sum += ((double)b.x - (double)a.x) * ((double)d.y - (double)a.y) -
               ((double)b.y - (double)a.y) * ((double)d.x - (double)a.x);
    }
    return 0.5 * sum * (double)scale * (double)scale;
}

double wri_sprite_density(double density)
{
    const double thickness = 0.01;
    return thickness * density;
}

static bool fail_for(const wr_material_desc *desc, const wr_error *why, wr_error *error)
{
    return wri_fail(error, why->code, "body \"%s\": %s", desc->name, why->message);
}

static bool check_asset(const wr_material_desc *desc, wr_error *error)
{
    const wr_rig *rig = desc->asset ? &desc->asset->rig : NULL;
    if (!rig || rig->dimension != 2) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "body \"%s\": a sprite needs an asset with a flat rig: name a recipe of a "
                        "drawing, see docs/rigging.md",
                        desc->name);
    }
    int count = desc->model ? desc->model->meshes->vertex_count : 0;
    return rig->ride_count == count ||
           wri_fail(error, WR_E_ARGUMENT,
                    "body \"%s\": %d vertices ride on the rig of its asset, its model has %d",
                    desc->name, rig->ride_count, count);
}

static void *create_shared(const wr_material_desc *desc, wr_error *error)
{
    if (!check_asset(desc, error)) {
        return NULL;
    }
    const wr_sprite_setup *setup = desc->setup;
    double area = wri_sprite_area(&desc->asset->rig, desc->scale);
    wr_sprite_asset_desc asset = wr_sprite_asset_desc_default();
    wri_parameters_set(wri_sprite_parameters, PARAMETER_COUNT, WRI_SPRITE_ASSET, desc->values,
                       &asset);
    asset.rig = &desc->asset->rig;
    asset.scale = desc->scale;
    asset.density = (float)(desc->mass > 0.0 && area > 0.0 ? desc->mass / area
                                                           : wri_sprite_density(desc->density));
    asset.simplices = setup ? setup->simplices : NULL;
    asset.simplex_count = setup ? setup->simplex_count : 0;
    asset.pins = desc->asset->pins;
    asset.pin_count = desc->asset->pin_count;
    asset.allocator = &desc->allocator;
    wr_error why = {0};
    wr_sprite_asset *made = wr_sprite_asset_create(&asset, &why);
    if (!made) {
        fail_for(desc, &why, error);
    }
    return made;
}

static void destroy_shared(void *shared)
{
    wr_sprite_asset_destroy(shared);
}

// The masses of the particles and the manifold are the drawing's.
static bool can_share(const wr_material_desc *a, const wr_material_desc *b)
{
    const wr_sprite_setup none = {0};
    const wr_sprite_setup *x = a->setup ? a->setup : &none, *y = b->setup ? b->setup : &none;
    return a->mass == b->mass && x->simplex_count == y->simplex_count &&
           (x->simplex_count == 0 || x->simplices == y->simplices);
}

// --- bodies -------------------------------------------------------------------------------------

static wr_sprite_parameters find_parameters(const wr_material_desc *desc)
{
    const wr_sprite_setup *setup = desc->setup;
    wr_sprite_parameters p = wr_sprite_parameters_default();
    wri_parameters_set(wri_sprite_parameters, PARAMETER_COUNT, WRI_SPRITE_BODY, desc->values, &p);
    p.friction = desc->friction;
    if (setup) {
        p.stretch_example = setup->stretch_example;
        p.give_example = setup->give_example;
        p.give_way = setup->give_example >= 0 ? WR_SPRITE_ENERGY_EXAMPLE : p.give_way;
        p.drag_of_example = setup->drag_of_example;
    }
    return p;
}

static bool check_place(const wr_material_desc *desc, wr_error *error)
{
    wr_quat q = desc->pose.rotation;
    if (fabsf(q.x) > 1e-5f || fabsf(q.y) > 1e-5f) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "body \"%s\": a sprite turns about z alone, it lives in the plane",
                        desc->name);
    }
    return (desc->velocity.z == 0.0f && desc->angular_velocity.x == 0.0f &&
            desc->angular_velocity.y == 0.0f) ||
           wri_fail(error, WR_E_ARGUMENT, "body \"%s\": a sprite does not leave the plane",
                    desc->name);
}

static bool add_sprite(sprite_body *b, const wr_material_desc *desc, wr_error *error)
{
    const wr_sprite_setup *setup = desc->setup;
    int start = setup ? setup->start_example : -1;
    wr_quat q = desc->pose.rotation;
    wr_sprite_desc sprite = wr_sprite_desc_default();
    sprite.asset = b->asset;
    sprite.parameters = find_parameters(desc);
    sprite.position = (wr_vec2){desc->pose.position.x, desc->pose.position.y};
    sprite.angle = 2.0f * wri_atan2(q.z, q.w);
    sprite.velocity = (wr_vec2){desc->velocity.x, desc->velocity.y};
    sprite.angular_velocity = desc->angular_velocity.z;
    sprite.group = desc->group;
    sprite.collides = desc->collides;
    if (start >= 0) {
        sprite.pose = wr_sprite_asset_example_point(b->asset, start);
        if (sprite.pose.simplex < 0) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "body \"%s\": the pose it starts with is not in its manifold",
                            desc->name);
        }
    }
    wr_error why = {0};
    b->sprite = wr_sprite_add(b->ensemble->world, &sprite, &why);
    return b->sprite >= 0 || fail_for(desc, &why, error);
}

static bool add_nails(const sprite_body *b, const wr_material_desc *desc, wr_error *error)
{
    sprite_ensemble *g = b->ensemble;
    const wr_sprite_setup *setup = desc->setup;
    const wr_vec2 *x = wr_sprite_positions(g->world, b->sprite);
    for (int i = 0; setup && i < setup->nail_count; i++) {
        const wr_sprite_nail *nail = &setup->nails[i];
        wr_error why = {0};
        if (!wr_sprite_set_nail(g->world, b->sprite, nail->particle, x[nail->particle], &why)) {
            return fail_for(desc, &why, error);
        }
        timed_nail *timed = isinf(nail->until) ? NULL : wri_array_add(&g->timed, 1);
        if (timed) {
            *timed = (timed_nail){b->sprite, nail->particle, nail->until};
        } else if (!isinf(nail->until)) {
            return wri_fail_memory(error, sizeof *timed);
        }
    }
    return true;
}

static bool add_actor(sprite_body *b, const wr_material_desc *desc, wr_error *error)
{
    const wr_sprite_setup *setup = desc->setup;
    if (!setup || !setup->controller) {
        return true;
    }
    wr_error why = {0};
    wr_controller_desc controller = *setup->controller;
    controller.allocator = &b->allocator;
    b->controller = wr_controller_create(b->asset, &controller, &why);
    b->actor = b->controller ? wr_actor_create(b->controller, b->ensemble->world, b->sprite,
                                               &b->allocator, &why)
                             : NULL;
    if (!b->actor) {
        return fail_for(desc, &why, error);
    }
    b->played = setup->played;
    b->played_count = setup->played_count;
    sprite_body **place = wri_array_add(&b->ensemble->actors, 1);
    if (!place) {
        return wri_fail_memory(error, sizeof *place);
    }
    *place = b;
    return true;
}

static void forget_actor(sprite_body *b)
{
    wri_array *actors = &b->ensemble->actors;
    for (int i = 0; i < actors->count; i++) {
        if (WRI_ITEM(*actors, sprite_body *, i) == b) {
            actors->count--;
            memmove(&WRI_ITEM(*actors, sprite_body *, i), &WRI_ITEM(*actors, sprite_body *, i + 1),
                    (size_t)(actors->count - i) * sizeof b);
        }
    }
    wr_actor_destroy(b->actor);
    wr_controller_destroy(b->controller);
}

static void destroy(void *state)
{
    sprite_body *b = state;
    if (b) {
        const wr_allocator a = b->allocator;
        if (b->sprite >= 0) {
            wr_sprite_remove(b->ensemble->world, b->sprite);
        }
        forget_actor(b);
        wri_free(&a, b->positions, (size_t)b->rig->ride_count, sizeof *b->positions);
        wri_free(&a, b, 1, sizeof *b);
    }
}

static void *create(const wr_material_desc *desc, wr_error *error)
{
    if (!check_place(desc, error)) {
        return NULL;
    }
    sprite_body *b = wri_alloc(&desc->allocator, 1, sizeof *b);
    if (!b) {
        wri_fail_memory(error, sizeof *b);
        return NULL;
    }
    *b = (sprite_body){.allocator = desc->allocator,
                       .ensemble = desc->ensemble,
                       .sprite = -1,
                       .asset = desc->shared,
                       .rig = &desc->asset->rig,
                       .scale = desc->scale,
                       .depth = desc->pose.position.z};
    size_t count = (size_t)b->rig->ride_count;
    b->positions = wri_alloc(&desc->allocator, count, sizeof *b->positions);
    if (b->positions ? !add_sprite(b, desc, error) || !add_nails(b, desc, error) ||
                           !add_actor(b, desc, error)
                     : !wri_fail_memory(error, count * sizeof *b->positions)) {
        destroy(b);
        return NULL;
    }
    return b;
}

wr_sprite_world *wri_sprite_world_of(const void *state, int *sprite)
{
    const sprite_body *b = state;
    *sprite = b->sprite;
    return b->ensemble->world;
}

// --- what it shows and keeps --------------------------------------------------------------------

static wr_blend find_blend(const sprite_body *b, wr_sprite_point point)
{
    const wr_simplex *simplex = &wr_sprite_asset_simplices(b->asset)[point.simplex];
    wr_blend blend;
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        bool is_corner = k < simplex->corner_count;
        blend.examples[k] = is_corner ? simplex->corners[k] : -1;
        blend.shares[k] = is_corner ? wr_clampf(point.shares[k], 0.0f, 1.0f) : 0.0f;
    }
    return blend;
}

static void carry(sprite_body *b)
{
    const wr_vec2 *x = wr_sprite_positions(b->ensemble->world, b->sprite);
    for (int i = 0; i < b->rig->ride_count; i++) {
        const wr_ride *ride = &b->rig->rides[i];
        const int *c = &b->rig->elements[3 * ride->element];
        wr_vec3 p = {0.0f, 0.0f, b->depth + b->scale * ride->weights[3]}; // layers lie apart
        for (int k = 0; k < 3; k++) {
            p.x += ride->weights[k] * x[c[k]].x;
            p.y += ride->weights[k] * x[c[k]].y;
        }
        b->positions[i] = p;
    }
}

// Adds what an example has beyond its rig: in the drawing's frame, it turns and flips with the
// whole.
static void add_details(sprite_body *b, const wr_sprite_facts *facts)
{
    float sine, cosine, side = facts->flipped ? -1.0f : 1.0f;
    wri_sin_cos(facts->angle, &sine, &cosine);
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        int example = b->blends[0].examples[k];
        float share = b->scale * b->blends[0].shares[k];
        const wr_vec3 *details = example < 0 ? NULL : b->rig->examples[example].details;
        for (int i = 0; details && share > 0.0f && i < b->rig->ride_count; i++) {
            float dx = side * details[i].x, dy = details[i].y;
            b->positions[i].x += share * (cosine * dx - sine * dy);
            b->positions[i].y += share * (sine * dx + cosine * dy);
            b->positions[i].z += share * details[i].z;
        }
    }
}

static wr_material_surface surface(const void *state)
{
    sprite_body *b = (sprite_body *)(uintptr_t)state;
    wr_sprite_facts facts = wr_sprite_get_facts(b->ensemble->world, b->sprite);
    b->blends[0] = find_blend(b, facts.projected);
    b->blends[1] = find_blend(b, facts.wished);
    carry(b);
    add_details(b, &facts);
    return (wr_material_surface){
        .part = -1,
        .vertex_count = b->rig->ride_count,
        .positions = b->positions,
        .changed_end = b->rig->ride_count,
        .blends = b->blends,
        .simplices = wr_sprite_asset_simplices(b->asset),
        .simplex_count = wr_sprite_asset_describe(b->asset).simplex_count,
    };
}

static wr_material_statistics statistics(const void *state)
{
    const sprite_body *b = state;
    wr_sprite_facts facts = wr_sprite_get_facts(b->ensemble->world, b->sprite);
    wr_vec2 v = facts.velocity;
    return (wr_material_statistics){
        .active = wr_sprite_asset_describe(b->asset).particle_count,
        // of the whole world: the first one tells
        .trouble = b->sprite == 0 ? wr_sprite_world_stats(b->ensemble->world).trouble : 0,
        .speed = sqrtf(v.x * v.x + v.y * v.y),
    };
}

static bool is_sound(const void *state)
{
    const sprite_body *b = state;
    return wr_sprite_is_sound(b->ensemble->world, b->sprite);
}

static void freeze(void *state)
{
    sprite_body *b = state;
    b->frozen = true;
    wr_sprite_remove(b->ensemble->world, b->sprite);
}

static uint64_t hash(const void *state)
{
    const sprite_body *b = state;
    uint64_t sprite = wr_sprite_hash(b->ensemble->world, b->sprite);
    uint64_t actor = b->actor ? wr_actor_hash(b->actor) : 0;
    return b->actor ? wri_hash(&actor, sizeof actor, sprite) : sprite;
}

static size_t size(const void *state)
{
    const sprite_body *b = state;
    size_t actor = b->actor ? wr_actor_save_size(b->actor) : 0;
    return wr_sprite_save_size(b->ensemble->world, b->sprite) + actor;
}

static void save(const void *state, void *bytes)
{
    const sprite_body *b = state;
    wr_sprite_save(b->ensemble->world, b->sprite, bytes);
    if (b->actor) {
        wr_actor_save(b->actor,
                      (uint8_t *)bytes + wr_sprite_save_size(b->ensemble->world, b->sprite));
    }
}

static bool restore(void *state, const void *bytes, size_t byte_count, wr_error *error)
{
    sprite_body *b = state;
    size_t sprite = wr_sprite_save_size(b->ensemble->world, b->sprite);
    b->ensemble->scenery.is_misplaced = true;
    b->frozen = false;
    if (byte_count < sprite) {
        return wri_fail(error, WR_E_FORMAT, "snapshot: %zu bytes of a sprite, expected %zu",
                        byte_count, sprite);
    }
    size_t own = b->actor ? sprite : byte_count;
    return wr_sprite_restore(b->ensemble->world, b->sprite, bytes, own, error) &&
           (!b->actor || wr_actor_restore(b->actor, (const uint8_t *)bytes + sprite,
                                          byte_count - sprite, error));
}

const wr_material wri_sprite_material = {
    .table_size = sizeof(wr_material),
    .name = "sprite",
    .about =
        "A drawing that comes alive between its poses, in the plane: needs an asset with a flat "
        "rig. Its `at` is where the drawing's origin is; z is only how far in front it is drawn. "
        "It feels other sprites, and what the plane z = 0 cuts out of rigid bodies (boxes, "
        "spheres, "
        "capsules, cylinders, planes, hulls; not meshes); those that move freely feel it too, in "
        "the plane. Numbers are in units of the body: its size is the larger side of the drawing "
        "at rest, a fall speed and a fall time are those of a fall from its own height. `density` "
        "makes it as heavy as a sheet of a centimetre, which is little beside a solid crate. "
        "Poses: see `manifold`.",
    .parameters = wri_sprite_parameters,
    .parameter_count = PARAMETER_COUNT,
    .presets = wri_sprite_presets,
    .preset_count = WRI_COUNT(wri_sprite_presets),
    .is_planar = true,
    .is_shapeless = true,
    .step_rate = 60,
    .create_ensemble = create_ensemble,
    .destroy_ensemble = destroy_ensemble,
    .step_ensemble = step_ensemble,
    .create_shared = create_shared,
    .destroy_shared = destroy_shared,
    .can_share = can_share,
    .create = create,
    .destroy = destroy,
    .surface = surface,
    .statistics = statistics,
    .is_sound = is_sound,
    .freeze = freeze,
    .hash = hash,
    .size = size,
    .save = save,
    .restore = restore,
};
