// published.c: the paper's step as it is printed, to compare with.
//
// Symbols as in hit.c. Every impulse acts for itself, on the vertex nearest to it (eq. 4). The
// change of weights has a column for every example, that of the rest shape included (eq. 5 to 10),
// and is added to Delta E around the vertex (eq. 11). A step moves (1 - lambda) Delta E into E,
// keeps lambda of it, sets negative weights to zero and scales rows to the sum 1, so that all
// weights pay alike (eq. 13); the restitution follows from what is left of Delta E (eq. 15).
//
// Goals keep track of E, rounded, so that damage is written as for other bodies.
#include "metal.h"

static const float NEGLIGIBLE = 1e-6f; // change of a weight
static const double EPSILON = 1e-8;    // m^2: |g| below this is taken for zero (section 3.2.1)

static void find_change(const wr_metal *body, int vertex, const float d[3], double length,
                        float *change)
{
    int E = body->asset->E;
    double L = (double)body->asset->L, g2 = 0.0, scale = length * (double)body->parameters.bend;
    float J[3 * WR_SKIN_EXAMPLES_MAX];
    wr_skin_jacobians(body->asset->skin, body->E, &vertex, 1, NULL, J); // eq. 5
    for (int i = 0; i < 3 * E; i++) {
        J[i] /= body->asset->L;
    }
    for (int e = 0; e < E; e++) {
        change[e] = J[e] * d[0] + J[E + e] * d[1] + J[2 * E + e] * d[2]; // eq. 6
        g2 += (double)change[e] * (double)change[e];
    }
    if (body->parameters.projection == WR_METAL_PROJECT_INVERSE) {
        wri_metal_project_inverse(J, E, d, change); // eq. 9
    } else if (body->parameters.projection == WR_METAL_PROJECT_GRADIENT) {
        scale = sqrt(g2) * L * L * length > EPSILON ? scale / sqrt(g2) : 0.0; // eq. 8
    }
    for (int e = 0; e < E; e++) {
        change[e] = (float)(scale * (double)change[e]);
    }
}

static void mark_bending(wr_metal *body, int slot)
{
    uint64_t bit = (uint64_t)1 << (slot % 64), *word = &body->bending[slot / 64];
    body->bending_count += (*word & bit) == 0;
    *word |= bit;
}

void wri_metal_strike_published(wr_metal *body, int vertex, const float d[3], double length)
{
    const wr_metal_asset *asset = body->asset;
    float de[WR_SKIN_EXAMPLES_MAX], radius = wri_metal_reach(body, vertex);
    find_change(body, vertex, d, length, de);
    wri_ball_view ball =
        wri_metal_ball(body->asset, vertex, radius, body->broken_count > 0 ? body->broken : NULL,
                       &body->space, &body->statistics.balls_missed);
    for (int i = 0; i < ball.count; i++) {
        int v = ball.entries[i].vertex;
        float s = ball.entries[i].distance / radius;
        float phi = 1.0f + s * s * (2.0f * s - 3.0f); // eq. 12
        phi *= asset->compliance ? asset->compliance[v] : 1.0f;
        for (int e = 0; e < asset->E; e++) {
            body->change[(size_t)v * (size_t)asset->E + (size_t)e] += phi * de[e]; // eq. 11
        }
        mark_bending(body, asset->slots[v]);
    }
}

void wri_metal_aim_published(wr_metal *body, int slot, const uint16_t *goal)
{
    int E = body->asset->E, vertex = wr_skin_order(body->asset->skin)[slot], left = WRI_METAL_ONE;
    size_t row = (size_t)vertex * (size_t)E;
    for (int e = 1; e < E; e++) {
        body->change[row + (size_t)e] =
            (float)goal[e - 1] * (1.0f / WRI_METAL_ONE) - body->E[row + (size_t)e];
        left -= goal[e - 1];
    }
    body->change[row] = (float)left * (1.0f / WRI_METAL_ONE) - body->E[row];
    mark_bending(body, slot);
}

// Moves a row (eq. 13). Returns the largest change still to come.
static float move_row(float *row, float *change, int E, float lambda)
{
    float sum = 0.0f, most = 0.0f;
    for (int e = 0; e < E; e++) {
        row[e] += (1.0f - lambda) * change[e];
        row[e] = row[e] > 0.0f ? row[e] : 0.0f;
        change[e] *= lambda;
        sum += row[e];
        most = fmaxf(most, fabsf(change[e]));
    }
    for (int e = 0; e < E; e++) {
        row[e] = sum > 0.0f ? fminf(row[e] / sum, 1.0f) : e == 0 ? 1.0f : 0.0f;
    }
    return most;
}

static void note_goal(wr_metal *body, int slot, const float *row)
{
    int C = body->asset->C, left = WRI_METAL_ONE;
    for (int e = 0; e < C; e++) {
        int value = (int)(row[1 + e] * WRI_METAL_ONE + 0.5f);
        value = value < left ? value : left;
        body->goal[(size_t)slot * (size_t)C + (size_t)e] = (uint16_t)value;
        left -= value;
    }
}

double wri_metal_fade_published(wr_metal *body, float lambda)
{
    size_t E = (size_t)body->asset->E;
    const int *order = wr_skin_order(body->asset->skin);
    double change2 = 0.0;
    for (int w = 0; w < (body->asset->N + 63) / 64; w++) {
        for (uint64_t left = body->bending[w]; left; left &= left - 1) {
            int slot = 64 * w + __builtin_ctzll(left), vertex = order[slot];
            float *row = &body->E[(size_t)vertex * E], *change = &body->change[(size_t)vertex * E];
            float most = move_row(row, change, (int)E, lambda);
            note_goal(body, slot, row);
            for (size_t e = 0; e < E; e++) {
                change2 += (double)change[e] * (double)change[e];
            }
            if (most < NEGLIGIBLE) {
                memset(change, 0, E * sizeof *change);
                body->bending[w] &= ~((uint64_t)1 << (slot % 64));
                body->bending_count--;
            }
            body->changed[body->changed_count++] = vertex;
        }
    }
    wri_metal_refresh(body);
    return body->statistics.to_come = sqrt(change2 / body->asset->N);
}
