// asset.c: the data that all bodies of one asset share: checks, maps, and what the other files make
// of the rig.
#include "metal.h"

#include "../geometry/shape_frame.h"
#include "../skin/rows.h"
#include "parameters.h"

static const uint32_t COOKIE = 0x4d455441;

wr_metal_asset_desc wr_metal_asset_desc_default(void)
{
    wr_metal_asset_desc desc = {.density = 1000.0,
                                .gap = 0.05f,
                                .piece_error = 0.02f,
                                .cache_size = (size_t)64 << 20,
                                .cookie = COOKIE};
    wri_metal_set_default(WRI_METAL_ASSET, &desc);
    return desc;
}

// --- checks -----------------------------------------------------------------------------------

// Every value of a map in [low, high]; NaN never is.
static bool check_map(const char *name, const float *map, int count, float low, float high,
                      wr_error *error)
{
    for (int i = 0; map && i < count; i++) {
        if (!(map[i] >= low && map[i] <= high)) {
            return wri_fail(error, WR_E_ARGUMENT, "%s: vertex %d has %g, not in [%g, %g]", name, i,
                            (double)map[i], (double)low, (double)high);
        }
    }
    return true;
}

static bool check_desc(const wr_metal_asset_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_metal_asset_desc, desc, COOKIE) ||
        !WRI_REQUIRE(error, desc->rig)) {
        return false;
    }
    const wr_rig *rig = desc->rig;
    if (rig->dimension != 3 || rig->element_count < 1 || rig->element_count > 1 << 26) {
        return wri_fail(error, WR_E_ARGUMENT, "rig: dimension %d with %d elements, need tetrahedra",
                        rig->dimension, rig->element_count);
    }
    if (rig->vertex_count > WRI_METAL_VERTICES) {
        return wri_fail(error, WR_E_ARGUMENT, "rig: %d vertices, at most %d", rig->vertex_count,
                        WRI_METAL_VERTICES);
    }
    if (!wri_metal_check(WRI_METAL_ASSET, desc, error)) {
        return false;
    }
    if (!(desc->piece_error >= 0.0f) || !(desc->gap >= 0.0f) || !(desc->gap <= 1.0f) ||
        !(desc->density > 0.0) || isinf(desc->density) || !(desc->wall > 0.0f)) {
        return wri_fail(
            error, WR_E_ARGUMENT, "piece_error %g, gap %g, density %g or wall %g: out of range",
            (double)desc->piece_error, (double)desc->gap, desc->density, (double)desc->wall);
    }
    int n = rig->vertex_count;
    if (desc->fracture &&
        (desc->fracture->fragment_count < 2 || desc->fracture->fragment_count > WR_FRAGMENTS_MAX)) {
        return wri_fail(error, WR_E_ARGUMENT, "fracture: %d fragments, expected 2 to %d",
                        desc->fracture->fragment_count, WR_FRAGMENTS_MAX);
    }
    return check_map("strength", desc->strength, n, 0.0f, INFINITY, error) &&
           check_map("yield", desc->yield, n, 0.0f, 1e12f, error) &&
           check_map("reach", desc->reach, n, 0.0f, 1e6f, error) &&
           check_map("masses", desc->masses, n, 0.0f, 1e30f, error);
}

// --- parts ------------------------------------------------------------------------------------

static bool copy_array(wri_arena *arena, void *out, const void *from, size_t count, size_t size)
{
    void *copy = from ? wri_arena_alloc(arena, count, size) : NULL;
    if (copy) {
        memcpy(copy, from, count * size);
    }
    memcpy(out, &copy, sizeof copy);
    return copy || !from;
}

static bool copy_maps(wr_metal_asset *asset, const wr_metal_asset_desc *desc)
{
    size_t n = (size_t)asset->N;
    if (!copy_array(&asset->arena, &asset->compliance, desc->strength, n, sizeof(float)) ||
        !copy_array(&asset->arena, &asset->yield, desc->yield, n, sizeof(float)) ||
        !copy_array(&asset->arena, &asset->reach, desc->reach, n, sizeof(float))) {
        return false;
    }
    asset->yield_min = asset->yield ? asset->yield[0] : 1.0f;
    for (size_t i = 0; asset->compliance && i < n; i++) {
        asset->compliance[i] = 1.0f / fmaxf(asset->compliance[i], 0.01f);
    }
    for (size_t i = 0; asset->yield && i < n; i++) {
        asset->yield_min = fminf(asset->yield_min, asset->yield[i]);
    }
    return true;
}

// The box along the body's own axes is the same however the model is turned in its file.
static void find_units(wr_metal_asset *asset)
{
    wri_shape_frame(asset->rest, asset->triangles, asset->first_count, asset->axes);
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < asset->N; i++) {
        box = wr_box_add(box, wri_into_frame((const double(*)[3])asset->axes, asset->rest[i]));
    }
    wr_vec3 size = wr_box_size(box);
    asset->L = fmaxf(size.x, fmaxf(size.y, size.z));
    asset->v_L = (float)sqrt(2.0 * WRI_GRAVITY * (double)asset->L);
    asset->t_L = (float)sqrt(2.0 * (double)asset->L / WRI_GRAVITY);
}

// Finds the largest displacement of each vertex by any example, or by a blend of one with rest.
// Halfway along a rotation a vertex may be farther from rest than at its end, so there is some to
// spare.
static bool find_extents(wr_metal_asset *asset, wri_arena *temporary)
{
    size_t n = (size_t)asset->N, E = (size_t)asset->E;
    float *rows = wri_arena_alloc(temporary, n * E, sizeof *rows);
    wr_vec3 *x = wri_arena_alloc(temporary, n, sizeof *x);
    asset->extent = wri_arena_alloc(&asset->arena, n, sizeof(float));
    if (!rows || !x || !asset->extent) {
        return false;
    }
    for (size_t e = 1; e < E; e++) {
        wri_rows_fill(rows, n, E, e);
        wr_skin_positions(asset->skin, rows, NULL, 0, NULL, x);
        for (size_t i = 0; i < n; i++) {
            float moved = 1.25f * wr_distance(x[i], asset->rest[i]);
            float *extent = &asset->extent[asset->slots[i]];
            *extent = fmaxf(*extent, moved);
        }
    }
    return true;
}

// The identity that damage refers to: it covers the vertices, their order, and what the examples
// do.
static uint32_t find_identity(const wr_metal_asset *asset, const wr_rig *rig)
{
    int counts[4] = {asset->N, asset->E, asset->element_count, rig->handle_count};
    uint64_t hash = wri_hash(counts, sizeof counts, 0);
    hash = wri_hash(asset->rest, (size_t)asset->N * sizeof(wr_vec3), hash);
    for (int e = 0; e < rig->example_count; e++) {
        const wr_example *example = &rig->examples[e];
        hash = wri_hash(example->poses, (size_t)rig->handle_count * sizeof *example->poses, hash);
        if (example->correctives) {
            hash = wri_hash(example->correctives, (size_t)asset->N * sizeof(wr_vec3), hash);
        }
    }
    return (uint32_t)(hash ^ hash >> 32);
}

static bool build(wr_metal_asset *asset, const wr_metal_asset_desc *desc, wri_arena *temporary)
{
    const wr_rig *rig = desc->rig;
    size_t n = (size_t)asset->N;
    wri_arena *arena = &asset->arena;
    asset->block_count = wri_block_count(asset->N, WRI_MASS_BLOCK);
    asset->masses = wri_arena_alloc(arena, n, sizeof(float));
    asset->lane_masses = wri_arena_alloc(arena, n / WRI_LANES + 1, sizeof(wri_lanes));
    asset->slots = wri_arena_alloc(arena, n, sizeof(int));
    asset->balls = wri_arena_alloc(arena, n, sizeof *asset->balls);
    if (!asset->masses || !asset->lane_masses || !asset->slots || !asset->balls ||
        !copy_array(arena, &asset->rest, rig->rest, n, sizeof(wr_vec3)) ||
        !copy_array(arena, &asset->elements, rig->elements, 4 * (size_t)rig->element_count,
                    sizeof(int)) ||
        !copy_maps(asset, desc) || !wri_metal_find_bonds(asset, desc)) {
        return false;
    }
    for (int i = 0; i < asset->N; i++) {
        atomic_init(&asset->balls[i], NULL);
        asset->slots[wr_skin_order(asset->skin)[i]] = i;
    }
    if (!wri_metal_find_surface(asset, desc->fracture ? desc->fracture->shares : NULL, temporary)) {
        return false;
    }
    find_units(asset);
    if (!wri_metal_find_edges(asset, desc->gap * asset->L, temporary) ||
        !find_extents(asset, temporary) || !wri_metal_find_pieces(asset, desc, temporary)) {
        return false;
    }
    wri_metal_find_vertex_masses(asset, desc);
    asset->identity = find_identity(asset, rig);
    return wri_metal_find_ties(asset, temporary);
}

// --- create -----------------------------------------------------------------------------------

// Checks the mass and size, which are known only once everything is built.
static bool check_built(const wr_metal_asset *asset, wr_error *error)
{
    if (!(asset->L > 0.0f && asset->L < 1e12f) || asset->piece_count < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "rig: size %g metres, %d convex pieces",
                        (double)asset->L, asset->piece_count);
    }
    if (!(asset->mass > 0.0 && asset->mass < 1e30)) {
        return wri_fail(error, WR_E_ARGUMENT, "masses: %g kilograms in all", asset->mass);
    }
    return true;
}

wr_metal_asset *wr_metal_asset_create(const wr_metal_asset_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE(error, desc)) {
        return NULL;
    }
    wr_skin_desc skin_desc = wr_skin_desc_default();
    skin_desc.allocator = desc->allocator;
    wr_skin *skin = check_desc(desc, error) ? wr_skin_create(desc->rig, &skin_desc, error) : NULL;
    if (!skin) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(desc->allocator);
    wri_arena temporary = wri_arena_create(desc->allocator);
    wr_metal_asset *asset = wri_arena_alloc(&arena, 1, sizeof *asset);
    if (!asset) {
        wr_skin_destroy(skin);
        wri_fail_memory(error, sizeof *asset);
        return NULL;
    }
    asset->arena = arena;
    asset->skin = skin;
    asset->N = desc->rig->vertex_count;
    asset->E = desc->rig->example_count;
    asset->C = asset->E - 1;
    asset->element_count = desc->rig->element_count;
    asset->cache_size = desc->cache_size;
    asset->F = 1;
    bool ok = build(asset, desc, &temporary);
    if (!ok) {
        wri_fail_memory(error, asset->arena.total + temporary.total);
    }
    wri_arena_destroy(&temporary);
    if (!ok || !check_built(asset, error)) {
        wr_metal_asset_destroy(asset);
        return NULL;
    }
    return asset;
}

void wr_metal_asset_destroy(wr_metal_asset *asset)
{
    if (asset) {
        wri_metal_free_balls(asset);
        wr_skin_destroy(asset->skin);
        wri_arena arena = asset->arena;
        wri_arena_destroy(&arena);
    }
}

wr_metal_asset_info wr_metal_asset_describe(const wr_metal_asset *asset)
{
    size_t n = (size_t)asset->N;
    int points = asset->piece_begin[asset->piece_count];
    return (wr_metal_asset_info){
        .vertex_count = asset->N,
        .example_count = asset->E,
        .surface_count = asset->surface_count,
        .triangle_count = asset->triangle_count,
        .piece_count = asset->piece_count,
        .fragment_count = asset->F,
        .piece_points = points,
        .piece_error = asset->piece_error,
        .size = asset->L,
        .unit_speed = asset->v_L,
        .unit_time = asset->t_L,
        .mass = asset->mass,
        .ball_count = atomic_load(&asset->ball_count),
        .ball_size = atomic_load(&asset->ball_size),
        .size_bytes = asset->arena.total,
        .body_bytes = sizeof(wr_metal) + n * (size_t)(2 * asset->C + 4 * asset->E) +
                      n * (sizeof(wr_vec3) + 3 + sizeof(int)) +        // x, fading, changed
                      n * (3 * sizeof(int) + sizeof(wri_ball_entry)) + // space
                      (size_t)points * sizeof(wr_vec3) +
                      (size_t)asset->block_count * sizeof(wri_moments),
    };
}

int wr_metal_asset_piece_fragment(const wr_metal_asset *asset, int piece)
{
    WR_ASSERT(piece >= 0 && piece < asset->piece_count);
    return asset->piece_fragments[piece];
}

const wr_skin *wr_metal_asset_skin(const wr_metal_asset *asset)
{
    return asset->skin;
}

const int *wr_metal_asset_triangles(const wr_metal_asset *asset, int *count)
{
    *count = asset->triangle_count;
    return asset->triangles;
}
