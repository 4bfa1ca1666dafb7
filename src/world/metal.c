// metal.c: metal as a material of the world: one part of convex pieces that crumples.
//
// The part's frame is the asset's, scaled. Contacts of all substeps of a step are summed by the
// body, which answers once at its end.
#include "metal.h"

#include "../base/os.h"
#include "../metal/metal.h"

enum {
    BEND,
    YIELD,
    REACH,
    FADE,
    BOUNCE,
    ABSORB,
    RECOVER,
    FOCUS,
    PATCH,
    WINDOW,
    CARRIES,
    WALL,
    PIECES,
    LAMBDA,
    YIELD_BY,
    PROJECTION,
    NORM,
    COLLIDE,
    STEEP,
    PARAMETER_COUNT
};

// In the order of wr_metal_yield, wr_metal_projection and wr_metal_norm.
static const char *const yields[] = {"speed", "impulse", "length", NULL};
static const char *const projections[] = {"gradient", "inverse", "natural", NULL};
static const char *const norms[] = {"root", "one", "all", NULL};
enum { COLLIDE_PIECES, COLLIDE_MESH };
static const char *const shapes[] = {"pieces", "mesh", NULL};

static const wr_parameter parameters[PARAMETER_COUNT] = {
    [BEND] = {"bend", "", 0, 1000, 1.1,
              "how far it gives: share of an example per unit of speed "
              "above the yield",
              .may_differ = true},
    [YIELD] = {"yield", "fall speeds", 0, 1e9, 0.2,
               "how hard a hit must be to leave a dent; 1 is a fall from the body's own height; "
               "other units: see `yield_by`",
               "m/s", .may_differ = true},
    [REACH] = {"reach", "body sizes", 0.001, 100, 0.35, "how far a dent spreads along the body",
               "m"},
    [FADE] = {"fade", "fall times", 0, 100, 0.2, "how long a dent takes to appear", "s",
              .may_differ = true},
    [BOUNCE] = {"bounce", "", 0, 1, 0.3, "restitution while it is whole", .may_differ = true},
    [ABSORB] = {"absorb", "", 0, 1000, 7,
                "how much bounce a deformation eats, that of the hit itself included",
                .may_differ = true},
    [RECOVER] = {"recover", "per fall time", 0, 1000, 0.4, "how fast bounce comes back",
                 .may_differ = true},
    [FOCUS] = {"focus", "", 0, 1, 0, "1 prefers one example over a mixture of several",
               .may_differ = true},
    [PATCH] = {"patch", "body sizes", 0, 10, 0.2, "contacts this near to each other are one hit",
               "m", .may_differ = true},
    [WINDOW] = {"window", "fall times", 0, 10, 0.04, "contacts this soon after each other, too",
                "s", .may_differ = true},
    [CARRIES] = {"carries", "body weights", 0, 1e6, 15, "steady load that never bends it",
                 .may_differ = true},
    [WALL] = {"wall", "m", 0, 100, 0, "thickness of a hollow body's walls, for its mass; 0: solid"},
    [PIECES] = {"pieces", "", 1, 64, 12,
                "convex pieces for collision, at most; more follow dents closer and cost more",
                .is_whole = true},
    [LAMBDA] =
        {"lambda", "", 0, 0.9999, 0,
         "the part of a dent still to come after each step, the paper's λ; 0: `fade` says it",
         .may_differ = true},
    [YIELD_BY] =
        {"yield_by", "", 0, 2, WR_METAL_YIELD_SPEED,
         "what is compared with `yield`: the speed a hit changes, summed over `window`; the "
         "impulse of each step in N s (the paper); the impulse times the step per mass, in m "
         "(its authors' program)",
         NULL, yields, .may_differ = true},
    [PROJECTION] =
        {"projection", "", 0, 2, WR_METAL_PROJECT_GRADIENT,
         "how a hit becomes weights of examples: along the gradient, as much as the hit "
         "was hard; by the pseudo-inverse; by the gradient itself (the paper's equations "
         "8, 9, 10)",
         NULL, projections, .may_differ = true},
    [NORM] = {"norm", "", 0, 2, WR_METAL_NORM_ROOT,
              "what a change of all N vertices is divided by before it eats bounce: √N, 1 (the "
              "paper), N (its authors' program); `absorb` goes with it",
              NULL, norms, .may_differ = true},
    [COLLIDE] = {"collide", "", 0, 1, COLLIDE_PIECES,
                 "what others touch: convex pieces, or the triangles of the simulation mesh, which "
                 "are true to every dent but slower and rest less quietly",
                 NULL, shapes},
    [STEEP] = {"steep", "reaches", 0, 1000, 0,
               "how deep a dent may become; some 0.3 keeps a body that is bent far over a small "
               "`reach` from running through itself; 0: as deep as its examples",
               .may_differ = true},
};

#define PRESET(name, about, bend, yield, reach, fade, bounce, absorb, recover)                     \
    {name, (const double[PARAMETER_COUNT]){bend, yield, reach, fade, bounce, absorb, recover, 0,   \
                                           0.2, 0.04, 15, 0, 12, 0, WR_METAL_YIELD_SPEED,          \
                                           WR_METAL_PROJECT_GRADIENT, WR_METAL_NORM_ROOT}},
static const wr_preset presets[] = {WRI_METAL_PRESETS(PRESET)};

typedef struct metal_body {
    wr_allocator allocator;
    wr_metal *metal;
    int example_count;
    bool is_mesh; // collides by triangles
    wr_material_part part;
    wr_piece *pieces;
    bool *piece_changed;
    int piece_count;
    uint32_t weights_version;
    double seconds;
    uint64_t hash; // of the state, unless it may have changed since
    bool hashed;
} metal_body;

// --- shared by the bodies of an asset -----------------------------------------------------------

static wr_vec3 *scale_points(wri_arena *arena, const wr_vec3 *points, int count, float scale)
{
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

// A value in units of the body, whichever way it was said.
static float relative(const wr_material_desc *desc, int parameter, float unit)
{
    double value = desc->values[parameter];
    return (float)(desc->is_real[parameter] ? value / (double)unit : value);
}

static void *create_shared(const wr_material_desc *desc, wr_error *error)
{
    if (!desc->asset) {
        wri_fail(
            error, WR_E_ARGUMENT,
            "body \"%s\": metal needs an asset with examples: name a recipe, see docs/rigging.md",
            desc->name);
        return NULL;
    }
    if (desc->asset->rig.example_count < 2) {
        wri_fail(error, WR_E_ARGUMENT,
                 "body \"%s\": its asset has no examples, so metal would never bend; add some to "
                 "the recipe, see docs/rigging.md",
                 desc->name);
        return NULL;
    }
    wri_arena arena = wri_arena_create(&desc->allocator);
    wr_rig rig = desc->asset->rig;
    wr_error why = {0};
    wr_metal_asset *asset = NULL;
    if (desc->scale == 1.0f || scale_rig(&arena, &rig, desc->scale)) {
        wr_metal_asset_desc asset_desc = wr_metal_asset_desc_default();
        asset_desc.rig = &rig;
        asset_desc.strength = desc->asset->maps[WR_MAP_STRENGTH];
        asset_desc.yield = desc->asset->maps[WR_MAP_YIELD];
        asset_desc.reach = desc->asset->maps[WR_MAP_REACH];
        asset_desc.density = desc->density;
        asset_desc.wall = desc->values[WALL] > 0.0 ? (float)desc->values[WALL] : INFINITY;
        asset_desc.pieces_max = (int)desc->values[PIECES];
        asset_desc.allocator = &desc->allocator;
        asset = wr_metal_asset_create(&asset_desc, &why);
    } else {
        wri_fail_memory(&why, 1);
    }
    wri_arena_destroy(&arena);
    float reach = asset ? relative(desc, REACH, wr_metal_asset_describe(asset).size) : 0.0f;
    const wr_parameter *limits = &parameters[REACH];
    if (asset && !((double)reach >= limits->min && (double)reach <= limits->max)) {
        wri_fail(&why, WR_E_ARGUMENT, "reach: %g body sizes not in [%g, %g]", (double)reach,
                 limits->min, limits->max);
        wr_metal_asset_destroy(asset);
        asset = NULL;
    }
    if (asset) { // so that a step finds all neighbourhoods there and never touches the heap
        wr_metal_asset_prepare(asset, reach, NULL);
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

static wr_metal_parameters find_parameters(const wr_material_desc *desc,
                                           const wr_metal_asset_info *info)
{
    wr_metal_parameters p = wr_metal_parameters_default();
    p.bend = (float)desc->values[BEND];
    p.yield = relative(desc, YIELD, info->unit_speed);
    p.reach = relative(desc, REACH, info->size);
    p.fade = relative(desc, FADE, info->unit_time);
    p.bounce = (float)desc->values[BOUNCE];
    p.absorb = (float)desc->values[ABSORB];
    p.recover = (float)desc->values[RECOVER];
    p.focus = (float)desc->values[FOCUS];
    p.steep = (float)desc->values[STEEP];
    p.patch = relative(desc, PATCH, info->size);
    p.window = relative(desc, WINDOW, info->unit_time);
    p.carries = (float)desc->values[CARRIES];
    p.lambda = desc->values[LAMBDA] > 0.0 ? (float)desc->values[LAMBDA] : NAN;
    p.yield_by = (wr_metal_yield)desc->values[YIELD_BY];
    p.projection = (wr_metal_projection)desc->values[PROJECTION];
    p.norm = (wr_metal_norm)desc->values[NORM];
    p.refresh = desc->picture_time;
    return p;
}

static void destroy(void *state)
{
    metal_body *b = state;
    if (!b) {
        return;
    }
    const wr_allocator a = b->allocator;
    size_t pieces = (size_t)b->piece_count;
    wr_metal_destroy(b->metal);
    wri_free(&a, b->pieces, pieces, sizeof *b->pieces);
    wri_free(&a, b->piece_changed, pieces, sizeof *b->piece_changed);
    wri_free(&a, b, 1, sizeof *b);
}

static bool alloc_arrays(metal_body *b)
{
    size_t pieces = (size_t)b->piece_count;
    b->pieces = wri_alloc(&b->allocator, pieces, sizeof *b->pieces);
    b->piece_changed = wri_alloc(&b->allocator, pieces, sizeof *b->piece_changed);
    return b->pieces && b->piece_changed;
}

static void find_mesh(metal_body *b, const wr_metal_asset *asset, int vertex_count)
{
    b->part.positions = wr_metal_positions(b->metal);
    b->part.vertex_count = vertex_count;
    b->part.triangles = wr_metal_asset_triangles(asset, &b->part.triangle_count);
}

static void find_pieces(metal_body *b)
{
    for (int i = 0; i < b->piece_count; i++) {
        wr_piece *piece = &b->pieces[i];
        piece->points = wr_metal_piece_points(b->metal, i, &piece->point_count);
    }
    b->part.pieces = b->pieces;
    b->part.piece_count = b->piece_count;
    b->part.piece_changed = b->piece_changed;
}

// A speed says nothing about impulses or lengths.
static bool check_units(const wr_material_desc *desc, wr_error *error)
{
    int by = (int)desc->values[YIELD_BY];
    return by == WR_METAL_YIELD_SPEED || !desc->is_real[YIELD] ||
           wri_fail(
               error, WR_E_ARGUMENT,
               "body \"%s\": \"yield\" is a speed, expected a number with \"yield_by\": \"%s\"",
               desc->name, yields[by]);
}

static void *create(const wr_material_desc *desc, wr_error *error)
{
    if (!check_units(desc, error)) {
        return NULL;
    }
    wr_metal_asset *asset = desc->shared;
    wr_metal_asset_info info = wr_metal_asset_describe(asset);
    metal_body *b = wri_alloc(&desc->allocator, 1, sizeof *b);
    if (!b) {
        wri_fail_memory(error, sizeof *b);
        return NULL;
    }
    b->allocator = desc->allocator;
    b->example_count = info.example_count;
    b->weights_version = 1;
    b->piece_count = info.piece_count;
    wr_metal_desc metal_desc = wr_metal_desc_default();
    metal_desc.asset = asset;
    metal_desc.parameters = find_parameters(desc, &info);
    metal_desc.mass = desc->mass > 0.0 ? desc->mass : NAN;
    metal_desc.allocator = &b->allocator;
    wr_error why = {0};
    b->metal = wr_metal_create(&metal_desc, &why);
    if (!b->metal || !alloc_arrays(b)) {
        b->metal ? wri_fail_memory(error, sizeof *b)
                 : wri_fail(error, why.code, "body \"%s\": %s", desc->name, why.message);
        destroy(b);
        return NULL;
    }
    b->is_mesh = desc->values[COLLIDE] == COLLIDE_MESH;
    if (b->is_mesh) {
        find_mesh(b, asset, info.vertex_count);
    } else {
        find_pieces(b);
    }
    b->part.alive = true;
    b->part.mass = wr_metal_mass(b->metal);
    b->part.friction = desc->friction;
    b->part.restitution = wr_metal_restitution(b->metal);
    b->part.pose = desc->pose;
    b->part.velocity = desc->velocity;
    b->part.spin = desc->spin;
    return b;
}

static const wr_material_part *parts(const void *state, int *count)
{
    *count = 1;
    return &((const metal_body *)state)->part;
}

static void take_contacts(void *state, const wr_material_step *step)
{
    metal_body *b = state;
    wr_pose pose = step->parts[0].contact_pose;
    b->hashed = b->hashed && step->contact_count == 0;
    wr_quat back = wr_quat_conjugate(pose.rotation);
    for (int i = 0; i < step->contact_count; i++) {
        const wr_contact *c = &step->contacts[i];
        wr_vec3 impulse = wr_add_scaled(c->tangential_impulse, c->normal_impulse, c->normal);
        wr_vec3 point = wr_rotate(back, wr_sub(c->point, pose.position));
        wr_metal_add_impulse(b->metal, point, wr_rotate(back, impulse));
    }
}

static void carry_part(metal_body *b)
{
    bool any = b->is_mesh;
    for (int i = 0; i < b->piece_count; i++) {
        b->piece_changed[i] = wr_metal_piece_changed(b->metal, i);
        any = any || b->piece_changed[i];
    }
    b->part.pieces_version += any;
    b->part.mass = wr_metal_mass(b->metal);
    b->part.mass_version++;
}

static void end_step(void *state, const wr_material_step *step)
{
    metal_body *b = state;
    double start = wri_seconds();
    b->hashed = b->hashed && wr_metal_is_idle(b->metal);
    wr_metal_step(b->metal, step->dt);
    if (wr_metal_changed(b->metal)) {
        b->weights_version++;
        carry_part(b);
    }
    float restitution = wr_metal_restitution(b->metal);
    if (restitution != b->part.restitution) {
        b->part.restitution = restitution;
        b->part.surface_version++;
    }
    b->seconds = wri_seconds() - start;
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

// Of bodies at rest, which are most of them most of the time, it is known.
static uint64_t hash(const void *state)
{
    metal_body *b = (metal_body *)(uintptr_t)state;
    b->hash = b->hashed ? b->hash : wr_metal_hash(b->metal);
    b->hashed = true;
    return b->hash;
}

static size_t size(const void *state)
{
    return wr_metal_save_size(((const metal_body *)state)->metal);
}

static void save(const void *state, void *bytes)
{
    wr_metal_save(((const metal_body *)state)->metal, bytes);
}

static bool restore(void *state, const void *bytes, size_t byte_count, wr_error *error)
{
    metal_body *b = state;
    if (!wr_metal_restore(b->metal, bytes, byte_count, error)) {
        return false;
    }
    b->weights_version++;
    b->hashed = false;
    for (int i = 0; i < b->piece_count; i++) {
        b->piece_changed[i] = true;
    }
    b->part.pieces_version++;
    b->part.mass = wr_metal_mass(b->metal);
    b->part.mass_version++;
    b->part.restitution = wr_metal_restitution(b->metal);
    b->part.surface_version++;
    return true;
}

const wr_material wri_metal_material = {
    .table_size = sizeof(wr_material),
    .name = "metal",
    .about = "Rigid until it is hit, then it crumples the way it was sculpted: needs an asset with "
             "examples. Numbers are in units of the body, so that a toy and a ship dent alike: its "
             "size is the longest side of its box, a fall speed and a fall time are those of a "
             "fall from its own height.",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .presets = presets,
    .preset_count = WRI_COUNT(presets),
    .create_shared = create_shared,
    .destroy_shared = destroy_shared,
    .create = create,
    .destroy = destroy,
    .parts = parts,
    .take_contacts = take_contacts,
    .end_step = end_step,
    .surface = surface,
    .statistics = statistics,
    .is_sound = is_sound,
    .hash = hash,
    .size = size,
    .save = save,
    .restore = restore,
};
