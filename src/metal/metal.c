// metal.c: bodies: create, step, and what they show.
//
// Symbols of the paper: C_r restitution, C_r* that of the undisturbed body, mu how fast it
// recovers, nu how much a deformation absorbs, lambda the part of a change that a step leaves, tau
// its time constant.
#include "metal.h"

#include "../math/elementary.h"

static const uint32_t COOKIE = 0x4d455442;
static const float LEAST_REPAIR = 1.0f / 64.0f; // smallest part of a dent that is repaired at once

wr_metal_desc wr_metal_desc_default(void)
{
    return (wr_metal_desc){
        .parameters = wr_metal_parameters_default(), .mass = NAN, .cookie = COOKIE};
}

// --- create -----------------------------------------------------------------------------------

static bool check_desc(const wr_metal_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_metal_desc, desc, COOKIE) || !WRI_REQUIRE(error, desc->asset)) {
        return false;
    }
    if (!isnan(desc->mass) && !(desc->mass > 0.0 && desc->mass < 1e30)) {
        return wri_fail(error, WR_E_ARGUMENT, "mass: %g kilograms", desc->mass);
    }
    return wri_metal_check_parameters(&desc->parameters, error);
}

static bool alloc_arrays(wr_metal *body)
{
    wri_arena *arena = &body->arena;
    const wr_metal_asset *asset = body->asset;
    size_t n = (size_t)asset->N, blocks = (size_t)asset->block_count;
    size_t points = (size_t)asset->piece_begin[asset->piece_count];
    body->goal = wri_arena_alloc(arena, n * (size_t)asset->C, sizeof *body->goal);
    body->E = wri_arena_alloc(arena, n * (size_t)asset->E, sizeof *body->E);
    body->x = wri_arena_alloc(arena, n, sizeof *body->x);
    bool published = body->parameters.method == WR_METAL_METHOD_PUBLISHED;
    if (published) {
        body->change = wri_arena_alloc(arena, n * (size_t)asset->E, sizeof *body->change);
    }
    body->fading = wri_arena_alloc(arena, (n + 3) / 4, sizeof *body->fading);
    body->fresh = wri_arena_alloc(arena, (n + 63) / 64, sizeof *body->fresh);
    body->bending = wri_arena_alloc(arena, (n + 63) / 64, sizeof *body->bending);
    body->changed = wri_arena_alloc(arena, n, sizeof *body->changed);
    body->stale_blocks = wri_arena_alloc(arena, (blocks + 63) / 64, sizeof(uint64_t));
    body->blocks = wri_arena_alloc(arena, blocks, sizeof *body->blocks);
    body->points = wri_arena_alloc(arena, points, sizeof *body->points);
    body->piece_changed = wri_arena_alloc(arena, (size_t)asset->piece_count, sizeof(bool));
    return body->goal && body->E && body->x && (body->change || !published) && body->fading &&
           body->fresh && body->bending && body->changed && body->stale_blocks && body->blocks &&
           body->points && body->piece_changed && wri_metal_can_break(body) &&
           wri_ball_space_create(&body->space, arena, asset->N);
}

wr_metal *wr_metal_create(const wr_metal_desc *desc, wr_error *error)
{
    if (!check_desc(desc, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(desc->allocator);
    wr_metal *body = wri_arena_alloc(&arena, 1, sizeof *body);
    if (!body) {
        wri_fail_memory(error, sizeof *body);
        return NULL;
    }
    body->arena = arena;
    body->asset = desc->asset;
    body->parameters = desc->parameters;
    body->mass = isnan(desc->mass) ? desc->asset->mass : desc->mass;
    body->mass_scale = body->mass / desc->asset->mass;
    body->restitution = desc->parameters.bounce;
    if (!alloc_arrays(body)) {
        wri_fail_memory(error, body->arena.total);
        wr_metal_destroy(body);
        return NULL;
    }
    wri_metal_settle(body); // goals are zero: at rest
    body->changed_count = 0;
    wri_metal_forget_pieces(body);
    body->changed_range = (wr_metal_range){0, 0};
    return body;
}

void wr_metal_destroy(wr_metal *body)
{
    if (body) {
        wri_arena arena = body->arena;
        wri_arena_destroy(&arena);
    }
}

bool wr_metal_set_parameters(wr_metal *body, const wr_metal_parameters *parameters, wr_error *error)
{
    if (!WRI_REQUIRE(error, body)) {
        return false;
    }
    if (!wri_metal_check_parameters(parameters, error)) {
        return false;
    }
    if (parameters->method != body->parameters.method ||
        parameters->joined != body->parameters.joined) {
        return wri_fail(error, WR_E_ARGUMENT, "%s: a body keeps the one it was made with",
                        parameters->joined != body->parameters.joined ? "joined" : "method");
    }
    body->parameters = *parameters;
    body->dt = 0.0f;
    return true;
}

// --- the step ---------------------------------------------------------------------------------

// Returns lambda = exp(-dt / tau).
static float part_left(float dt, float time)
{
    return time > 0.0f ? (float)wri_exp(-(double)dt / (double)time) : 0.0f;
}

void wri_metal_set_dt(wr_metal *body, float dt)
{
    const wr_metal_parameters *p = &body->parameters;
    float t = body->asset->t_L;
    body->dt = dt;
    body->window_decay = (double)part_left(dt, p->window * t);
    body->lambda = isnan(p->lambda) ? part_left(dt, p->fade * t) : p->lambda;
}

// The restitution C_r (eq. 15), with the change that was to come when the step began: of a dent
// that appears at once nothing is left afterwards, and it takes as much energy as one that fades
// in.
static void set_restitution(wr_metal *body, double due, float dt)
{
    const wr_metal_parameters *p = &body->parameters;
    double root = sqrt((double)body->asset->N);
    double scale = p->norm == WR_METAL_NORM_ROOT  ? 1.0
                   : p->norm == WR_METAL_NORM_ALL ? 1.0 / root
                                                  : root;
    double eaten = (double)p->absorb * scale * due;
    float low = eaten > 0.0 ? p->bounce * (float)wri_exp(-eaten) : p->bounce;
    float up = body->restitution + p->recover * dt / body->asset->t_L;
    body->restitution = fminf(p->bounce, fminf(up, low)); // eq. 15
}

void wr_metal_step(wr_metal *body, float dt)
{
    body->changed_count = 0;
    wri_metal_forget_pieces(body);
    body->changed_range = (wr_metal_range){0, 0};
    body->statistics.hits = 0;
    body->break_count = body->dent_count = 0;
    if (!wri_is_step(dt) || wr_metal_is_idle(body)) {
        return;
    }
    if (dt != body->dt) {
        wri_metal_set_dt(body, dt);
    }
    if (body->part_of) {
        wri_metal_break(body);
    }
    wri_metal_hit(body, dt);
    double due = body->bending_count == 0 ? 0.0
                 : body->change           ? wri_metal_fade_published(body, body->lambda)
                                          : wri_metal_fade(body, body->lambda, dt);
    body->statistics.moves_total += body->changed_count > 0;
    set_restitution(body, due, dt);
}

bool wr_metal_is_idle(const wr_metal *body)
{
    return body->patch_count == 0 && body->bending_count == 0 && !wri_metal_is_loaded(body) &&
           (body->restitution == body->parameters.bounce || body->parameters.recover == 0.0f);
}

// --- what it shows ----------------------------------------------------------------------------

bool wr_metal_changed(const wr_metal *body)
{
    return body->changed_count > 0;
}

wr_metal_range wr_metal_changed_range(const wr_metal *body)
{
    return body->changed_range;
}

const int *wr_metal_changed_vertices(const wr_metal *body, int *count)
{
    *count = body->changed_count;
    return body->changed;
}

const wr_vec3 *wr_metal_positions(const wr_metal *body)
{
    return body->x;
}

const float *wr_metal_weights(const wr_metal *body)
{
    return body->E;
}

void wr_metal_goal(const wr_metal *body, int vertex, float *weights)
{
    int C = body->asset->C, left = WRI_METAL_ONE;
    WR_ASSERT(vertex >= 0 && vertex < body->asset->N);
    size_t slot = (size_t)body->asset->slots[vertex];
    for (int e = 0; e < C; e++) {
        int goal = body->goal[slot * (size_t)C + (size_t)e];
        weights[1 + e] = (float)goal * (1.0f / WRI_METAL_ONE);
        left -= goal;
    }
    weights[0] = (float)left * (1.0f / WRI_METAL_ONE);
}

const wr_vec3 *wr_metal_piece_points(const wr_metal *body, int piece, int *count)
{
    const wr_metal_asset *asset = body->asset;
    WR_ASSERT(piece >= 0 && piece < asset->piece_count);
    *count = asset->piece_begin[piece + 1] - asset->piece_begin[piece];
    return &body->points[asset->piece_begin[piece]];
}

bool wr_metal_piece_changed(const wr_metal *body, int piece)
{
    WR_ASSERT(piece >= 0 && piece < body->asset->piece_count);
    return body->piece_changed[piece];
}

float wr_metal_restitution(const wr_metal *body)
{
    return body->restitution;
}

wr_metal_statistics wr_metal_stats(const wr_metal *body)
{
    wr_metal_statistics s = body->statistics;
    s.skinned = body->changed_count;
    s.bending = body->bending_count;
    return s;
}

int wr_metal_inverted_count(const wr_metal *body)
{
    int count = 0;
    for (int t = 0; t < body->asset->element_count; t++) {
        const int *v = &body->asset->elements[4 * (size_t)t];
        const wr_vec3 *x = body->x;
        wr_vec3 n = wr_cross(wr_sub(x[v[1]], x[v[0]]), wr_sub(x[v[2]], x[v[0]]));
        count += wr_dot(n, wr_sub(x[v[3]], x[v[0]])) < 0.0f;
    }
    return count;
}

// --- repair -----------------------------------------------------------------------------------

void wr_metal_repair(wr_metal *body, float share)
{
    int C = body->asset->C;
    uint16_t goal[WR_SKIN_EXAMPLES_MAX];
    share = wr_clampf(isnan(share) ? 0.0f : share, 0.0f, 1.0f);
    // Goals are whole numbers: shares too small for them are saved up, or rounding would decide.
    body->repair_due += (1.0f - body->repair_due) * share;
    if (body->repair_due < LEAST_REPAIR) {
        return;
    }
    float keep = 1.0f - body->repair_due;
    body->repair_due = 0.0f;
    for (int slot = 0; slot < body->asset->N; slot++) {
        const uint16_t *old = &body->goal[(size_t)slot * (size_t)C];
        bool changed = false;
        for (int e = 0; e < C; e++) {
            goal[e] = (uint16_t)(keep * (float)old[e]); // rounds down: nothing stays for ever
            changed |= goal[e] != old[e];
        }
        if (changed) {
            wri_metal_set_goal(body, slot, goal);
        }
    }
}
