// fade.c: rows of weights on their way to their goals, and what follows when they move.
//
// Symbols of the paper: E blend weights, Delta E their change still to come, lambda the part of it
// that a step leaves. The paper adds (1 - lambda) Delta E to E in every step and clamps afterwards
// (eq. 13). We clamp when the hit comes, and let E go to that goal: Delta E is what is left of the
// way, and since (1 - lambda) sum lambda^i = 1 (eq. 14) it arrives. So lambda cannot change where a
// row ends up, not even at the rim of the simplex, and a row always stays inside.
//
// Steps too small to be seen are saved up: a vertex is moved only when it would move by at least
// the accuracy, and goes the rest of the way at once when less than half of that is left.
#include "metal.h"

static float share(uint16_t goal)
{
    return (float)goal * (1.0f / WRI_METAL_ONE);
}

static float larger(float a, float b)
{
    return a > b ? a : b; // fmaxf is a call
}

void wri_metal_finish_row(wr_metal *body, int slot, int vertex)
{
    int C = body->asset->C, left = WRI_METAL_ONE;
    const uint16_t *goal = &body->goal[(size_t)slot * (size_t)C];
    float *row = &body->E[(size_t)vertex * (size_t)(C + 1)];
    for (int e = 0; e < C; e++) {
        row[1 + e] = share(goal[e]);
        left -= goal[e];
    }
    row[0] = (float)left * (1.0f / WRI_METAL_ONE);
}

// Moves a row by all but `remaining` of its way. Returns the distance that is left, like
// find_distance.
static float move_row(wr_metal *body, int slot, int vertex, float remaining, float *change2)
{
    int C = body->asset->C;
    const uint16_t *goal = &body->goal[(size_t)slot * (size_t)C];
    float *row = &body->E[(size_t)vertex * (size_t)(C + 1)], s = 1.0f - remaining;
    float total = 0.0f, sum = 0.0f, sum_abs = 0.0f, sum2 = 0.0f;
    for (int e = 0; e < C; e++) {
        float d = share(goal[e]) - row[1 + e];
        row[1 + e] += s * d; // eq. 13
        total += row[1 + e];
        sum += d;
        sum_abs += fabsf(d);
        sum2 += d * d;
    }
    row[0] = larger(1.0f - total, 0.0f); // the rest weight pays
    *change2 = remaining * remaining * (sum2 + sum * sum);
    return remaining * sum_abs * body->asset->extent[slot];
}

// Returns how far a row has to go, metres; change2 is the square of its change of weights, in which
// the rest weight counts, for it pays.
static float find_distance(const wr_metal *body, int slot, int vertex, float *change2)
{
    int C = body->asset->C;
    const uint16_t *goal = &body->goal[(size_t)slot * (size_t)C];
    const float *row = &body->E[(size_t)vertex * (size_t)(C + 1)];
    float sum = 0.0f, sum_abs = 0.0f, sum2 = 0.0f;
    for (int e = 0; e < C; e++) {
        float d = share(goal[e]) - row[1 + e];
        sum += d;
        sum_abs += fabsf(d);
        sum2 += d * d;
    }
    *change2 = sum2 + sum * sum;
    return sum_abs * body->asset->extent[slot];
}

void wri_metal_set_goal(wr_metal *body, int slot, const uint16_t *goal)
{
    size_t C = (size_t)body->asset->C;
    if (body->change) {
        wri_metal_aim_published(body, slot, goal);
        return;
    }
    memcpy(&body->goal[(size_t)slot * C], goal, C * sizeof *goal);
    wri_metal_mark_goal(body, slot);
}

// --- what follows -----------------------------------------------------------------------------

static void copy_pieces(wr_metal *body)
{
    const wr_metal_asset *asset = body->asset;
    for (int piece = 0; piece < asset->piece_count; piece++) {
        if (!body->piece_changed[piece]) {
            continue;
        }
        for (int i = asset->piece_begin[piece]; i < asset->piece_begin[piece + 1]; i++) {
            int v = asset->piece_vertices[i];
            body->points[i] =
                v < asset->N ? body->x[v] : wri_metal_corner(asset, body->x, v - asset->N);
        }
    }
}

void wri_metal_forget_pieces(wr_metal *body)
{
    if (body->any_piece_changed) {
        memset(body->piece_changed, 0, (size_t)body->asset->piece_count * sizeof(bool));
        body->any_piece_changed = false;
    }
}

void wri_metal_refresh(wr_metal *body)
{
    const wr_metal_asset *asset = body->asset;
    wri_metal_forget_pieces(body);
    body->changed_range = (wr_metal_range){0, 0};
    if (body->changed_count == 0) {
        return;
    }
    wr_skin_positions(asset->skin, body->E, body->changed, body->changed_count, NULL, body->x);
    int least = body->changed[0], most = least;
    for (int i = 0; i < body->changed_count; i++) {
        int v = body->changed[i], block = asset->slots[v] / WRI_MASS_BLOCK;
        least = v < least ? v : least;
        most = v > most ? v : most;
        for (int k = asset->pieces_begin[v]; k < asset->pieces_begin[v + 1]; k++) {
            body->piece_changed[asset->pieces_of[k]] = true;
        }
        body->stale_blocks[block / 64] |= (uint64_t)1 << (block % 64);
    }
    body->changed_range = (wr_metal_range){least, most + 1};
    body->any_piece_changed = true;
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

// Four rows: the vertices of the first slots, and which of them bend.
typedef struct four {
    int slot;
    const int *vertices;
    wri_fading *fading;
    uint64_t *word; // the word of `bending` they are in
    int shift;      // place of their bits in it
} four;

static four four_at(wr_metal *body, int word, int shift)
{
    int slot = 64 * word + shift;
    return (four){slot, &wr_skin_order(body->asset->skin)[slot], &body->fading[slot / 4],
                  &body->bending[word], shift};
}

static double still_to_come(const wri_fading *f)
{
    return (double)(f->remaining * f->remaining * f->change2);
}

// Starts towards a new goal. What was saved up of the way to the old one, less than the accuracy,
// is forgotten; the body's lag does not count for the new one.
static void begin_fade(wr_metal *body, four f)
{
    body->to_come2 -= still_to_come(f.fading);
    *f.fading = (wri_fading){1.0f / body->lag, 0.0f, 0.0f};
    for (uint64_t left = *f.word >> f.shift & 15; left; left &= left - 1) {
        float change2;
        int lane = __builtin_ctzll(left);
        float distance = find_distance(body, f.slot + lane, f.vertices[lane], &change2);
        f.fading->distance = larger(f.fading->distance, distance);
        f.fading->change2 += change2;
    }
    body->to_come2 += still_to_come(f.fading);
}

static void begin_fades(wr_metal *body)
{
    for (int w = 0; w < (body->asset->N + 63) / 64; w++) {
        for (uint64_t left = body->fresh[w]; left;) {
            int shift = __builtin_ctzll(left) & ~3;
            left &= ~((uint64_t)15 << shift);
            begin_fade(body, four_at(body, w, shift));
        }
        body->fresh[w] = 0;
    }
}

static void move(wr_metal *body, four f, float accuracy)
{
    float remaining = f.fading->remaining;
    *f.fading = (wri_fading){1.0f, 0.0f, 0.0f};
    for (uint64_t left = *f.word >> f.shift & 15; left; left &= left - 1) {
        int lane = __builtin_ctzll(left), vertex = f.vertices[lane];
        float change2, distance = move_row(body, f.slot + lane, vertex, remaining, &change2);
        if (distance < 0.5f * accuracy || remaining == 0.0f) {
            wri_metal_finish_row(body, f.slot + lane, vertex);
            *f.word &= ~((uint64_t)1 << (f.shift + lane));
            body->bending_count--;
        } else {
            f.fading->distance = larger(f.fading->distance, distance);
            f.fading->change2 += change2;
        }
        body->changed[body->changed_count++] = vertex;
    }
}

// Moves all rows at once, by what has been waiting since the last time.
static void move_all(wr_metal *body)
{
    float accuracy = body->parameters.accuracy * body->asset->L;
    body->changed_count = 0;
    body->to_come2 = 0.0;
    for (int w = 0; w < (body->asset->N + 63) / 64; w++) {
        for (uint64_t left = body->bending[w]; left;) {
            int shift = __builtin_ctzll(left) & ~3;
            left &= ~((uint64_t)15 << shift);
            four f = four_at(body, w, shift);
            float remaining = f.fading->remaining *= body->lag, distance = f.fading->distance;
            if (remaining * distance < 0.5f * accuracy ||
                (1.0f - remaining) * distance > accuracy || remaining == 0.0f) {
                move(body, f, accuracy);
            }
            body->to_come2 += still_to_come(f.fading);
        }
    }
    body->lag = 1.0f;
    body->since = body->bending_count > 0 ? 0.0f : INFINITY;
    wri_metal_refresh(body);
}

// Returns |Delta E|_F / sqrt(N).
static double find_to_come(const wr_metal *body)
{
    double to_come2 = body->to_come2 > 0.0 ? body->to_come2 : 0.0; // differences may round below
    return (double)body->lag * sqrt(to_come2 / body->asset->N);
}

// Between two pictures nobody sees a body bend: it moves at most as often as `refresh` says, and
// the steps between cost nothing but their hits.
double wri_metal_fade(wr_metal *body, float lambda, float dt)
{
    begin_fades(body);
    double due = find_to_come(body);
    body->lag *= lambda; // eq. 13
    body->since += dt;
    if (body->since >= 0.999f * body->parameters.refresh || body->lag < 0.01f) {
        move_all(body);
    }
    body->statistics.to_come = find_to_come(body);
    return due;
}

void wri_metal_settle(wr_metal *body)
{
    size_t words = (size_t)(body->asset->N + 63) / 64, fours = (size_t)(body->asset->N + 3) / 4;
    for (int v = 0; v < body->asset->N; v++) {
        wri_metal_finish_row(body, body->asset->slots[v], v);
    }
    if (body->change) {
        memset(body->change, 0, (size_t)body->asset->N * (size_t)body->asset->E * sizeof(float));
    }
    memset(body->bending, 0, words * sizeof(uint64_t));
    memset(body->fresh, 0, words * sizeof(uint64_t));
    memset(body->fading, 0, fours * sizeof *body->fading);
    body->bending_count = 0;
    body->statistics.to_come = body->to_come2 = 0.0;
    body->lag = 1.0f;
    body->since = INFINITY;
    wri_metal_mark_all(body);
    wri_metal_refresh(body);
}
