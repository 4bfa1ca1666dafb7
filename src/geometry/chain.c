// chain.c: key shapes of a surface that is dented again and again.
//
// A dent stays, and moves few vertices. So a take is cut at keys, between which every vertex goes
// straight from where it was to where it will be; each key adds one shape, the way of the vertices
// that moved since the key before, whose weight goes from 0 to 1 and stays there. Keys are chosen
// greedily: each line reaches as far as it holds. A vertex that is nearer than half the
// tolerance to where it should be is left alone, and what it is off by is counted on, so that
// errors never add up.
#include "chain.h"

#include <math.h>

enum { LONGEST = 64 };     // candidates that a line reaches over; bounds the search
#define STEP 0x1.306fep+0f // from a tolerance that is tried to the next: the fourth root of 2

typedef struct solver {
    const wri_holds *holds;
    const wr_vec3 *rest;
    int candidate_count;
    int *candidates; // pictures in which a hold begins or ends
    int *shown;      // per candidate: the hold that is seen
    float tolerance;
    int key_count;
    int *keys; // candidates
    wr_vec3 *at, *next;
} solver;

// --- lines ------------------------------------------------------------------------------------

// Where a line that ends at a candidate leads each vertex. Returns true when any moves.
static bool aim(const solver *o, int candidate)
{
    const wr_vec3 *goal = o->holds->points[o->shown[candidate]];
    float least = 0.25f * o->tolerance * o->tolerance;
    bool any = false;
    for (int i = 0; i < o->holds->vertex_count; i++) {
        wr_vec3 d = wr_sub(goal[i], o->at[i]);
        bool moves = wr_dot(d, d) > least;
        o->next[i] = moves ? wr_add(o->at[i], d) : o->at[i];
        any = any || moves;
    }
    return any;
}

// Between candidates the shape is the same or the next one: a line is farthest off at one of them.
static bool line_holds(const solver *o, int a, int b)
{
    float most = o->tolerance * o->tolerance;
    int from = o->candidates[a], to = o->candidates[b];
    for (int c = b - 1; c > a; c--) {
        const wr_vec3 *points = o->holds->points[o->shown[c]];
        float t = (float)(o->candidates[c] - from) / (float)(to - from);
        for (int i = 0; i < o->holds->vertex_count; i++) {
            wr_vec3 off = wr_sub(wr_lerp3(o->at[i], o->next[i], t), points[i]);
            if (wr_dot(off, off) > most) {
                return false;
            }
        }
    }
    return true;
}

// Goes on to the candidate that o->next leads to.
static void go_on(solver *o, int candidate)
{
    wr_vec3 *free = o->at;
    o->at = o->next;
    o->next = free;
    o->keys[o->key_count++] = candidate;
}

// Returns the number of shapes, more than `most` as soon as there are more.
static int choose_keys(solver *o, int most)
{
    memcpy(o->at, o->rest, (size_t)o->holds->vertex_count * sizeof *o->at);
    o->key_count = 0;
    int at = 0, shapes = aim(o, 0);
    go_on(o, 0);
    while (at < o->candidate_count - 1 && shapes <= most) {
        int next = at + 1;
        for (; next + 1 < o->candidate_count && next + 1 - at <= LONGEST; next++) {
            aim(o, next + 1);
            if (!line_holds(o, at, next + 1)) {
                break;
            }
        }
        shapes += aim(o, next);
        go_on(o, next);
        at = next;
    }
    return shapes;
}

// --- the whole --------------------------------------------------------------------------------

static bool prepare(solver *o, wri_arena *arena)
{
    const wri_holds *h = o->holds;
    size_t n = (size_t)h->vertex_count, most = 2 * (size_t)h->count;
    o->candidates = wri_arena_alloc(arena, most, sizeof *o->candidates);
    o->shown = wri_arena_alloc(arena, most, sizeof *o->shown);
    o->keys = wri_arena_alloc(arena, most, sizeof *o->keys);
    o->at = wri_arena_alloc(arena, n, sizeof *o->at);
    o->next = wri_arena_alloc(arena, n, sizeof *o->next);
    if (!o->candidates || !o->shown || !o->keys || !o->at || !o->next) {
        return false;
    }
    for (int s = 0; s < h->count; s++) {
        int last = (s + 1 < h->count ? h->first[s + 1] : h->picture_count) - 1;
        for (int i = 0; i < 1 + (last > h->first[s]); i++) {
            o->candidates[o->candidate_count] = i ? last : h->first[s];
            o->shown[o->candidate_count++] = s;
        }
    }
    return true;
}

// Walks along the keys once more and writes down what each adds.
static bool hand_over(solver *o, int shapes, wri_arena *arena, wri_chain *out)
{
    size_t n = (size_t)o->holds->vertex_count, keys = (size_t)o->key_count, width = (size_t)shapes;
    *out = (wri_chain){.key_count = o->key_count,
                       .keys = wri_arena_alloc(arena, keys, sizeof *out->keys)};
    out->shapes.base = wri_arena_alloc(arena, n, sizeof(wr_vec3));
    out->shapes.offsets = wri_arena_alloc(arena, n * width, sizeof(wr_vec3));
    out->shapes.weights = wri_arena_alloc(arena, keys * width, sizeof(float));
    if (!out->keys || !out->shapes.base || !out->shapes.offsets || !out->shapes.weights) {
        return false;
    }
    memcpy(out->shapes.base, o->rest, n * sizeof(wr_vec3));
    memcpy(o->at, o->rest, n * sizeof *o->at);
    for (int k = 0; k < o->key_count; k++) {
        if (aim(o, o->keys[k])) {
            wr_vec3 *offsets = out->shapes.offsets + (size_t)out->shapes.count++ * n;
            for (size_t i = 0; i < n; i++) {
                offsets[i] = wr_sub(o->next[i], o->at[i]);
            }
        }
        for (int j = 0; j < out->shapes.count; j++) {
            out->shapes.weights[(size_t)k * width + (size_t)j] = 1.0f;
        }
        out->keys[k] = o->candidates[o->keys[k]];
        memcpy(o->at, o->next, n * sizeof *o->at);
    }
    WR_ASSERT(out->shapes.count == shapes);
    return true;
}

// As floats add it up, in all candidates: nowhere else is it off by more.
static void measure_error(solver *o, wri_chain *out)
{
    size_t n = (size_t)o->holds->vertex_count, width = (size_t)out->shapes.count;
    float most = 0.0f;
    for (int c = 0, k = 0; c < o->candidate_count; c++) {
        const wr_vec3 *points = o->holds->points[o->shown[c]];
        int picture = o->candidates[c];
        k += k + 1 < out->key_count && picture > out->keys[k + 1];
        bool last = k + 1 >= out->key_count;
        float t = last ? 0.0f
                       : (float)(picture - out->keys[k]) / (float)(out->keys[k + 1] - out->keys[k]);
        const float *before = out->shapes.weights + (size_t)k * width;
        const float *after = last ? before : before + width;
        memcpy(o->at, out->shapes.base, n * sizeof *o->at);
        for (size_t j = 0; j < width; j++) {
            float w = before[j] + (after[j] - before[j]) * t;
            const wr_vec3 *offsets = out->shapes.offsets + j * n;
            for (size_t i = 0; i < n && w > 0.0f; i++) {
                o->at[i] = wr_add_scaled(o->at[i], w, offsets[i]);
            }
        }
        for (size_t i = 0; i < n; i++) {
            wr_vec3 off = wr_sub(o->at[i], points[i]);
            most = fmaxf(most, wr_dot(off, off));
        }
    }
    out->shapes.error = sqrtf(most);
}

bool wri_chain_find(const wri_holds *holds, const wr_vec3 *rest, int most, float tolerance,
                    float loosest, wri_arena *arena, wri_chain *out, bool *found, wr_error *error)
{
    WR_ASSERT(holds->count > 0 && holds->vertex_count > 0 && holds->first[0] == 0);
    WR_ASSERT(tolerance > 0.0f && loosest >= tolerance);
    solver o = {.holds = holds, .rest = rest, .tolerance = tolerance};
    wri_arena room = wri_arena_create(&arena->allocator);
    bool ok = prepare(&o, &room);
    int shapes = ok ? choose_keys(&o, most) : 0;
    while (shapes > most && STEP * o.tolerance <= loosest) {
        o.tolerance *= STEP;
        shapes = choose_keys(&o, most);
    }
    *found = ok && shapes <= most;
    if (*found) {
        ok = hand_over(&o, shapes, arena, out);
    }
    if (*found && ok) {
        measure_error(&o, out);
    }
    wri_arena_destroy(&room);
    return ok || wri_fail_memory(error, (size_t)holds->vertex_count * sizeof(wr_vec3));
}
