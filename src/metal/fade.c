// fade.c: rows of weights on their way to their goals, and what follows when they move.
//
// The paper adds (1 - lambda) Delta E to E in every step and clamps afterwards (equation 13). We
// clamp when the hit comes, and let E go to that goal: Delta E is what is left of the way. So
// lambda cannot change where a row ends up, not even at the rim of the simplex, and a row always
// stays inside.
//
// Steps too small to be seen are saved up: a vertex is moved only when it would move by at least
// the accuracy, and goes the rest of the way at once when less than half of that is left. `wait` is
// the product of all lambdas since the row was last moved, `way` the metres it had to go then.
#include "metal.h"

static float share(uint16_t goal)
{
    return (float)goal * (1.0f / WRI_METAL_ONE);
}

// Moves a row by a part s of what is left; 1 is exact.
static void move_row(wr_metal *body, int vertex, float s)
{
    int C = body->asset->C;
    const uint16_t *goal = &body->goal[(size_t)vertex * (size_t)C];
    float *row = &body->E[(size_t)vertex * (size_t)(C + 1)], sum = 0.0f;
    for (int e = 0; e < C; e++) {
        row[1 + e] = s == 1.0f ? share(goal[e]) : row[1 + e] + s * (share(goal[e]) - row[1 + e]);
        sum += row[1 + e];
    }
    row[0] = fmaxf(1.0f - sum, 0.0f);
}

static void set_bending(wr_metal *body, int vertex, bool bending)
{
    int slot = body->asset->slots[vertex];
    uint64_t bit = (uint64_t)1 << (slot % 64), *word = &body->bending[slot / 64];
    body->bending_count += (int)bending - (int)((*word & bit) != 0);
    *word = bending ? *word | bit : *word & ~bit;
}

// After the goal or the row has changed.
static void find_way(wr_metal *body, int vertex)
{
    int C = body->asset->C;
    const uint16_t *goal = &body->goal[(size_t)vertex * (size_t)C];
    const float *row = &body->E[(size_t)vertex * (size_t)(C + 1)];
    float sum = 0.0f, sum_abs = 0.0f, sum2 = 0.0f;
    for (int e = 0; e < C; e++) {
        float d = share(goal[e]) - row[1 + e];
        sum += d;
        sum_abs += fabsf(d);
        sum2 += d * d;
    }
    body->wait[vertex] = 1.0f;
    body->way[vertex] = sum_abs * body->asset->extent[vertex];
    body->way2[vertex] = sum2 + sum * sum; // the rest weight pays
    set_bending(body, vertex, sum_abs > 0.0f);
}

// What was saved up of the way to the old goal, less than the accuracy, is forgotten.
void wri_metal_set_goal(wr_metal *body, int vertex, const uint16_t *goal)
{
    size_t C = (size_t)body->asset->C;
    memcpy(&body->goal[(size_t)vertex * C], goal, C * sizeof *goal);
    find_way(body, vertex);
}

// --- what follows -----------------------------------------------------------------------------

static void copy_pieces(wr_metal *body)
{
    const wr_metal_asset *asset = body->asset;
    for (uint64_t left = body->changed_pieces; left; left &= left - 1) {
        int piece = __builtin_ctzll(left);
        for (int i = asset->piece_begin[piece]; i < asset->piece_begin[piece + 1]; i++) {
            body->points[i] = body->x[asset->piece_vertices[i]];
        }
    }
}

void wri_metal_refresh(wr_metal *body)
{
    const wr_metal_asset *asset = body->asset;
    body->changed_pieces = 0;
    body->changed_range = (wr_metal_range){0, 0};
    if (body->changed_count == 0) {
        return;
    }
    wr_skin_positions(asset->skin, body->E, body->changed, body->changed_count, NULL, body->x);
    int least = body->changed[0], most = least;
    for (int i = 0; i < body->changed_count; i++) {
        int v = body->changed[i], block = v / WRI_MASS_BLOCK;
        least = v < least ? v : least;
        most = v > most ? v : most;
        body->changed_pieces |= asset->piece_masks[v];
        body->stale_blocks[block / 64] |= (uint64_t)1 << (block % 64);
    }
    body->changed_range = (wr_metal_range){least, most + 1};
    copy_pieces(body);
    wri_metal_find_mass(body);
}

void wri_metal_mark_all(wr_metal *body)
{
    const int *order = wr_skin_order(body->asset->skin);
    body->changed_count = body->asset->N;
    memcpy(body->changed, order, (size_t)body->asset->N * sizeof(int));
}

// --- the step ---------------------------------------------------------------------------------

// Whether the vertex is to be skinned.
static bool fade_row(wr_metal *body, int v, float lambda, float accuracy)
{
    float wait = body->wait[v] * lambda, way = body->way[v];
    if (wait * way < 0.5f * accuracy || wait == 0.0f) {
        move_row(body, v, 1.0f);
        body->wait[v] = 1.0f;
        body->way[v] = body->way2[v] = 0.0f;
        set_bending(body, v, false);
        return true;
    }
    if ((1.0f - wait) * way > accuracy) {
        move_row(body, v, 1.0f - wait);
        body->wait[v] = 1.0f;
        body->way[v] = wait * way;
        body->way2[v] *= wait * wait;
        return true;
    }
    body->wait[v] = wait;
    return false;
}

void wri_metal_fade(wr_metal *body, float lambda)
{
    const int *order = wr_skin_order(body->asset->skin);
    float accuracy = body->parameters.accuracy * body->asset->L;
    double to_come = 0.0;
    body->changed_count = 0;
    for (int w = 0; body->bending_count > 0 && w < (body->asset->N + 63) / 64; w++) {
        for (uint64_t left = body->bending[w]; left; left &= left - 1) {
            int v = order[64 * w + __builtin_ctzll(left)];
            if (fade_row(body, v, lambda, accuracy)) {
                body->changed[body->changed_count++] = v;
            }
            to_come += (double)(body->way2[v] * body->wait[v] * body->wait[v]);
        }
    }
    body->statistics.to_come = sqrt(to_come / body->asset->N);
    wri_metal_refresh(body);
}

void wri_metal_settle(wr_metal *body)
{
    for (int v = 0; v < body->asset->N; v++) {
        move_row(body, v, 1.0f);
        body->wait[v] = 1.0f;
        body->way[v] = body->way2[v] = 0.0f;
    }
    memset(body->bending, 0, (size_t)(body->asset->N + 63) / 64 * sizeof(uint64_t));
    body->bending_count = 0;
    body->statistics.to_come = 0.0;
    wri_metal_mark_all(body);
    wri_metal_refresh(body);
}
