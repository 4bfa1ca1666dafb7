// asset.c: the asset that all sprites of one drawing share: checks, sizes and masses, and the parts
// made elsewhere.
#include "sprite.h"

#include "parameters.h"

static const uint32_t COOKIE = 0x53505254;
static const double GRAVITY = 9.81; // m/s^2, of the units fall speed and fall time

wr_sprite_asset_desc wr_sprite_asset_desc_default(void)
{
    wr_sprite_asset_desc desc = {.scale = 1.0f, .density = 1.0f, .cookie = COOKIE};
    wri_sprite_set_default(WRI_SPRITE_ASSET, &desc);
    return desc;
}

// --- checks -----------------------------------------------------------------------------------

static bool check_desc(const wr_sprite_asset_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_sprite_asset_desc, desc, COOKIE) ||
        !WRI_REQUIRE(error, desc->rig)) {
        return false;
    }
    const wr_rig *rig = desc->rig;
    if (rig->dimension != 2 || rig->element_count < 1 || rig->element_count > 1 << 20) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "rig: dimension %d with %d elements, need triangles in the plane",
                        rig->dimension, rig->element_count);
    }
    if (rig->vertex_count > WR_SPRITE_PARTICLES_MAX) {
        return wri_fail(error, WR_E_ARGUMENT, "rig: %d vertices, at most %d", rig->vertex_count,
                        WR_SPRITE_PARTICLES_MAX);
    }
    if (rig->handle_count > WR_SPRITE_HANDLES_MAX) {
        return wri_fail(error, WR_E_ARGUMENT, "rig: %d handles, at most %d", rig->handle_count,
                        WR_SPRITE_HANDLES_MAX);
    }
    if (!(desc->scale > 0.0f) || isinf(desc->scale) || !(desc->density > 0.0f) ||
        isinf(desc->density)) {
        return wri_fail(error, WR_E_ARGUMENT, "scale %g or density %g: must be above 0",
                        (double)desc->scale, (double)desc->density);
    }
    return wri_sprite_check_ranges(WRI_SPRITE_ASSET, desc, error) && wri_rig_check(rig, error);
}

// --- parts ------------------------------------------------------------------------------------

static bool copy_rig(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc)
{
    const wr_rig *rig = desc->rig;
    wri_arena *arena = &asset->arena;
    size_t N = (size_t)asset->N, T = (size_t)asset->triangle_count;
    asset->rest = wri_arena_alloc(arena, N, 2 * sizeof(float));
    asset->masses = wri_arena_alloc(arena, N, sizeof(float));
    asset->triangles = wri_arena_alloc(arena, T, 3 * sizeof(int));
    asset->example_names = wri_arena_alloc(arena, (size_t)asset->E, sizeof(char *));
    if (!asset->rest || !asset->masses || !asset->triangles || !asset->example_names) {
        return false;
    }
    memcpy(asset->triangles, rig->elements, T * 3 * sizeof(int));
    for (int i = 0; i < asset->N; i++) {
        asset->rest[i] = desc->scale * rig->rest[i].x;
        asset->rest[asset->N + i] = desc->scale * rig->rest[i].y;
    }
    for (int e = 0; e < asset->E; e++) {
        const char *name = rig->examples[e].name ? rig->examples[e].name : "";
        asset->example_names[e] = wri_arena_text(arena, name, strlen(name));
        if (!asset->example_names[e]) {
            return false;
        }
    }
    return true;
}

static bool find_size(wr_sprite_asset *asset, wr_error *error)
{
    float size = 0.0f, thin = INFINITY;
    for (int axis = 0; axis < 2; axis++) {
        const float *at = &asset->rest[axis * asset->N];
        float low = at[0], high = at[0];
        for (int i = 1; i < asset->N; i++) {
            low = wr_minf(low, at[i]);
            high = wr_maxf(high, at[i]);
        }
        size = wr_maxf(size, high - low);
        thin = wr_minf(thin, high - low);
    }
    asset->L = size;
    asset->thin = wr_maxf(thin, 0.05f * size);
    asset->v_L = (float)sqrt(2.0 * GRAVITY * (double)size);
    asset->t_L = (float)sqrt(2.0 * (double)size / GRAVITY);
    return (size > 1e-9f && size < 1e9f) ||
           wri_fail(error, WR_E_ARGUMENT, "rig: size %g metres, not in [1e-9, 1e9]", (double)size);
}

// Gives a third of each triangle's mass to each of its corners.
static bool find_masses(wr_sprite_asset *asset, float density, wr_error *error)
{
    const float *x = asset->rest, *y = &asset->rest[asset->N];
    double total = 0.0;
    for (int t = 0; t < asset->triangle_count; t++) {
        const int *c = &asset->triangles[3 * t];
        double ux = (double)x[c[1]] - (double)x[c[0]], uy = (double)y[c[1]] - (double)y[c[0]];
        double vx = (double)x[c[2]] - (double)x[c[0]], vy = (double)y[c[2]] - (double)y[c[0]];
        double mass = 0.5 * (ux * vy - uy * vx) * (double)density;
        if (!(mass > 0.0)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "rig: triangle %d has no area or its corners run clockwise", t);
        }
        for (int k = 0; k < 3; k++) {
            asset->masses[c[k]] += (float)(mass / 3.0);
        }
        total += mass;
    }
    for (int i = 0; i < asset->N; i++) {
        if (!(asset->masses[i] > 0.0f)) {
            return wri_fail(error, WR_E_ARGUMENT, "rig: vertex %d belongs to no triangle", i);
        }
    }
    asset->mass = (float)total;
    return isfinite(asset->mass) || wri_fail(error, WR_E_ARGUMENT, "density: too large");
}

// --- create -----------------------------------------------------------------------------------

static bool build(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc, wr_error *error)
{
    if (!copy_rig(asset, desc)) {
        return wri_fail_memory(error, asset->arena.total);
    }
    return find_size(asset, error) && find_masses(asset, desc->density, error) &&
           wri_sprite_prepare_poses(asset, desc, error) &&
           wri_sprite_prepare_manifold(asset, desc, error) &&
           wri_sprite_prepare_rings(asset, desc, error) && // checks pins, which join clusters
           wri_sprite_prepare_projection(asset, desc, error);
}

wr_sprite_asset *wr_sprite_asset_create(const wr_sprite_asset_desc *desc, wr_error *error)
{
    if (!check_desc(desc, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(desc->allocator);
    wr_sprite_asset *asset = wri_arena_alloc(&arena, 1, sizeof *asset);
    if (!asset) {
        wri_fail_memory(error, sizeof *asset);
        return NULL;
    }
    asset->arena = arena;
    asset->N = desc->rig->vertex_count;
    asset->B = desc->rig->handle_count;
    asset->E = desc->rig->example_count;
    asset->triangle_count = desc->rig->element_count;
    if (!build(asset, desc, error)) {
        wr_sprite_asset_destroy(asset);
        return NULL;
    }
    return asset;
}

void wr_sprite_asset_destroy(wr_sprite_asset *asset)
{
    if (asset) {
        wri_arena arena = asset->arena;
        wri_arena_destroy(&arena);
    }
}

// --- what is in it ----------------------------------------------------------------------------

wr_sprite_asset_info wr_sprite_asset_describe(const wr_sprite_asset *asset)
{
    return (wr_sprite_asset_info){
        .particle_count = asset->N,
        .triangle_count = asset->triangle_count,
        .example_count = asset->E,
        .simplex_count = asset->simplex_count,
        .cluster_count = asset->cluster_count,
        .layer_count = asset->layer_count,
        .size = asset->L,
        .fall_speed = asset->v_L,
        .fall_time = asset->t_L,
        .mass = asset->mass,
        .component_count = asset->component_count,
    };
}

const wr_simplex *wr_sprite_asset_simplices(const wr_sprite_asset *asset)
{
    return asset->simplices;
}

int wr_sprite_asset_find_example(const wr_sprite_asset *asset, const char *name)
{
    for (int e = 0; e < asset->E; e++) {
        if (strcmp(asset->example_names[e], name) == 0) {
            return e;
        }
    }
    return -1;
}
