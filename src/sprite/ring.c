// ring.c: the particles of a sprite that are matched together, and its outline.
//
// Neighbourhoods are the k-rings of the triangulation (section 4.2.2.2). They are made
// symmetric, so that one list says both whom a particle is matched with and in whose neighbourhoods
// it is: sums over the one and averages over the other are the same loop (match.c). In a mesh of
// even triangles a ring of k has 3 k (k + 1) particles; a hub with thousands of spokes would make
// all of them neighbours of all, so a ring takes RING_MOST of them at most, the nearest.
#include "sprite.h"

#include <stdlib.h>

enum { RING_MOST = 256 };

// --- neighbours and layers --------------------------------------------------------------------

typedef struct graph {
    int *begin, *to; // begin: N + 1
} graph;

static bool make_graph(const wr_sprite_asset *asset, wri_arena *arena, graph *g)
{
    int N = asset->N, T = asset->triangle_count;
    g->begin = wri_arena_alloc(arena, (size_t)N + 2, sizeof *g->begin);
    g->to = wri_arena_alloc(arena, 6 * (size_t)T, sizeof *g->to);
    if (!g->begin || !g->to) {
        return false;
    }
    for (int i = 0; i < 3 * T; i++) {
        g->begin[asset->triangles[i] + 2] += 2;
    }
    for (int i = 0; i < N; i++) {
        g->begin[i + 2] += g->begin[i + 1];
    }
    for (int t = 0; t < T; t++) { // an edge inside the mesh comes twice; searches see it once
        const int *corners = &asset->triangles[3 * t];
        for (int k = 0; k < 3; k++) {
            int a = corners[k];
            g->to[g->begin[a + 1]++] = corners[(k + 1) % 3];
            g->to[g->begin[a + 1]++] = corners[(k + 2) % 3];
        }
    }
    return true;
}

// Finds particles at most `steps` edges away from `start`, itself first, nearest first; at most
// `most`.
static int search(const graph *g, int start, int steps, int most, int *seen, int *found)
{
    int count = 1, ring_end = 1;
    found[0] = start;
    seen[start] = start + 1;
    for (int i = 0, step = 0; i < count; i++) {
        if (i == ring_end) {
            step++;
            ring_end = count;
        }
        if (step == steps) {
            break;
        }
        int a = found[i];
        for (int e = g->begin[a]; e < g->begin[a + 1]; e++) {
            if (seen[g->to[e]] != start + 1 && count < most) {
                seen[g->to[e]] = start + 1;
                found[count++] = g->to[e];
            }
        }
    }
    return count;
}

static void find_layers(wr_sprite_asset *asset, const graph *g, int *seen, int *found)
{
    int N = asset->N;
    asset->layer_count = 0;
    for (int i = 0; i < N; i++) {
        asset->layer_of[i] = -1;
    }
    for (int i = 0; i < N; i++) {
        if (asset->layer_of[i] < 0) {
            int count = search(g, i, N, N, seen, found);
            for (int k = 0; k < count; k++) {
                asset->layer_of[found[k]] = asset->layer_count;
            }
            asset->layer_count++;
        }
    }
}

// --- rings ------------------------------------------------------------------------------------

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static bool has(const int *begin, const int *to, int from, int particle)
{
    const int *row = &to[begin[from]];
    return bsearch(&particle, row, (size_t)(begin[from + 1] - begin[from]), sizeof *row,
                   compare_ints) != NULL;
}

// Finds the rings, each sorted: sums run in one order, and memory is read forwards.
static bool search_rings(const wr_sprite_asset *asset, const graph *g, int steps, int *begin,
                         wri_array *rings, int *seen, int *found)
{
    for (int i = 0; i < asset->N; i++) {
        int count = search(g, i, steps, RING_MOST, seen, found);
        int *row = wri_array_add(rings, count);
        if (!row) {
            return false;
        }
        memcpy(row, found, (size_t)count * sizeof *row);
        qsort(row, (size_t)count, sizeof *row, compare_ints);
        begin[i + 1] = rings->count;
    }
    return true;
}

// Makes rings of the pairs that both know.
static bool make_rings(wr_sprite_asset *asset, const int *begin, const int *to)
{
    int N = asset->N, count = 0;
    asset->ring_begin = wri_arena_alloc(&asset->arena, (size_t)N + 1, sizeof *asset->ring_begin);
    asset->ring = wri_arena_alloc(&asset->arena, (size_t)begin[N], sizeof *asset->ring);
    asset->ring_shares = wri_arena_alloc(&asset->arena, (size_t)N, sizeof *asset->ring_shares);
    asset->ring_masses = wri_arena_alloc(&asset->arena, (size_t)N, sizeof *asset->ring_masses);
    if (!asset->ring_begin || !asset->ring || !asset->ring_shares || !asset->ring_masses) {
        return false;
    }
    for (int i = 0; i < N; i++) {
        for (int e = begin[i]; e < begin[i + 1]; e++) {
            if (has(begin, to, to[e], i)) {
                asset->ring[count++] = to[e];
            }
        }
        asset->ring_begin[i + 1] = count;
        asset->ring_shares[i] = 1.0f / (float)(count - asset->ring_begin[i]);
    }
    for (int i = 0; i < N; i++) {
        double mass = 0.0;
        for (int e = asset->ring_begin[i]; e < asset->ring_begin[i + 1]; e++) {
            int j = asset->ring[e];
            mass += (double)(asset->masses[j] * asset->ring_shares[j]);
        }
        asset->ring_masses[i] = (float)mass;
    }
    return true;
}

// --- outline ----------------------------------------------------------------------------------

typedef struct side {
    int low, high; // its particles
    int from, to;  // the same, the triangle on their left
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *s = a, *t = b;
    return s->low != t->low     ? (s->low > t->low) - (s->low < t->low)
           : s->high != t->high ? (s->high > t->high) - (s->high < t->high)
                                : (s->from > t->from) - (s->from < t->from);
}

static bool same_side(const side *s, const side *t)
{
    return s->low == t->low && s->high == t->high;
}

// Moves the sides that only one triangle has to the front, and returns how many they are.
static int find_boundary(const wr_sprite_asset *asset, side *sides)
{
    int count = 3 * asset->triangle_count, found = 0;
    for (int i = 0; i < count; i++) {
        int from = asset->triangles[i], to = asset->triangles[i % 3 == 2 ? i - 2 : i + 1];
        sides[i] = (side){from < to ? from : to, from < to ? to : from, from, to};
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    for (int i = 0; i < count; i++) {
        if ((i == 0 || !same_side(&sides[i], &sides[i - 1])) &&
            (i + 1 == count || !same_side(&sides[i], &sides[i + 1]))) {
            sides[found++] = sides[i];
        }
    }
    return found;
}

// Joins every edge of the outline to the edges before and after it, and lists its particles.
static void join_edges(wr_sprite_asset *asset, int *leaving, int *coming)
{
    memset(leaving, -1, (size_t)asset->N * sizeof *leaving);
    memset(coming, -1, (size_t)asset->N * sizeof *coming);
    for (int e = 0; e < asset->edge_count; e++) {
        leaving[asset->edges[2 * e]] = e;
        coming[asset->edges[2 * e + 1]] = e;
    }
    // Where two corners touch in one particle, any way will do.
    for (int e = 0; e < asset->edge_count; e++) {
        asset->edge_ways[2 * e] = coming[asset->edges[2 * e]];
        asset->edge_ways[2 * e + 1] = leaving[asset->edges[2 * e + 1]];
    }
    for (int i = 0; i < asset->N; i++) {
        if (leaving[i] >= 0) {
            asset->outline[asset->outline_count++] = i;
        }
    }
}

static bool find_outline(wr_sprite_asset *asset, wri_arena *temporary)
{
    size_t N = (size_t)asset->N, count = 3 * (size_t)asset->triangle_count;
    side *sides = wri_arena_alloc(temporary, count, sizeof *sides);
    int *leaving = wri_arena_alloc(temporary, N, sizeof *leaving);
    int *coming = wri_arena_alloc(temporary, N, sizeof *coming);
    asset->outline = wri_arena_alloc(&asset->arena, N, sizeof *asset->outline);
    if (!sides || !leaving || !coming || !asset->outline) {
        return false;
    }
    asset->edge_count = find_boundary(asset, sides);
    size_t edges = (size_t)asset->edge_count;
    asset->edges = wri_arena_alloc(&asset->arena, 2 * edges, sizeof *asset->edges);
    asset->edge_ways = wri_arena_alloc(&asset->arena, 2 * edges, sizeof(int));
    if (!asset->edges || !asset->edge_ways) {
        return false;
    }
    for (int e = 0; e < asset->edge_count; e++) {
        asset->edges[2 * e] = sides[e].from;
        asset->edges[2 * e + 1] = sides[e].to;
    }
    join_edges(asset, leaving, coming);
    return true;
}

// --- pins -------------------------------------------------------------------------------------

static bool check_pin(const wr_sprite_asset *asset, const wr_pin *pin, int index, wr_error *error)
{
    double sum = 0.0;
    const int *c = pin->corners;
    if (pin->particle < 0 || pin->particle >= asset->N) {
        return wri_fail(error, WR_E_ARGUMENT, "pins[%d]: particle %d of %d", index, pin->particle,
                        asset->N);
    }
    for (int k = 0; k < 3; k++) {
        if (c[k] < 0 || c[k] >= asset->N) {
            return wri_fail(error, WR_E_ARGUMENT, "pins[%d]: corner %d of %d particles", index,
                            c[k], asset->N);
        }
        if (!(pin->weights[k] >= -10.0f && pin->weights[k] <= 10.0f)) {
            return wri_fail(error, WR_E_ARGUMENT, "pins[%d]: weight %g not in [-10, 10]", index,
                            (double)pin->weights[k]);
        }
        if (asset->layer_of[c[k]] == asset->layer_of[pin->particle]) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "pins[%d]: particle %d and corner %d are of one layer", index,
                            pin->particle, c[k]);
        }
        sum += (double)pin->weights[k];
    }
    if (c[0] == c[1] || c[1] == c[2] || c[0] == c[2]) {
        return wri_fail(error, WR_E_ARGUMENT, "pins[%d]: a corner comes twice", index);
    }
    return (sum > 0.999 && sum < 1.001) ||
           wri_fail(error, WR_E_ARGUMENT, "pins[%d]: the weights sum to %g, not 1", index, sum);
}

static bool copy_pins(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc, wr_error *error)
{
    if (desc->pin_count < 0 || (desc->pin_count > 0 && !desc->pins)) {
        return wri_fail(error, WR_E_ARGUMENT, "pins: %d of them", desc->pin_count);
    }
    for (int i = 0; i < desc->pin_count; i++) {
        if (!check_pin(asset, &desc->pins[i], i, error)) {
            return false;
        }
    }
    size_t count = (size_t)desc->pin_count;
    asset->pin_count = desc->pin_count;
    asset->pins = wri_arena_alloc(&asset->arena, count, sizeof *asset->pins);
    if (!asset->pins) {
        return wri_fail_memory(error, count * sizeof *asset->pins);
    }
    if (count > 0) {
        memcpy(asset->pins, desc->pins, count * sizeof *asset->pins);
    }
    return true;
}

// --- all of it --------------------------------------------------------------------------------

static bool prepare(wr_sprite_asset *asset, int steps, wri_arena *temporary, wri_array *rings)
{
    size_t N = (size_t)asset->N;
    graph g;
    int *seen = wri_arena_alloc(temporary, N, sizeof *seen);
    int *found = wri_arena_alloc(temporary, N, sizeof *found);
    int *begin = wri_arena_alloc(temporary, N + 1, sizeof *begin);
    asset->layer_of = wri_arena_alloc(&asset->arena, N, sizeof *asset->layer_of);
    if (!seen || !found || !begin || !asset->layer_of || !make_graph(asset, temporary, &g)) {
        return false;
    }
    find_layers(asset, &g, seen, found);
    memset(seen, 0, N * sizeof *seen);
    return search_rings(asset, &g, steps, begin, rings, seen, found) &&
           make_rings(asset, begin, rings->items) && find_outline(asset, temporary);
}

bool wri_sprite_prepare_rings(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                              wr_error *error)
{
    if (desc->ring < 1 || desc->ring > 8) {
        return wri_fail(error, WR_E_ARGUMENT, "ring: %d not in [1, 8]", desc->ring);
    }
    wri_arena temporary = wri_arena_create(&asset->arena.allocator);
    wri_array rings = wri_array_create(&asset->arena.allocator, sizeof(int));
    bool ok = prepare(asset, desc->ring, &temporary, &rings);
    wri_array_destroy(&rings);
    wri_arena_destroy(&temporary);
    if (!ok) {
        return wri_fail_memory(error, asset->arena.total);
    }
    return copy_pins(asset, desc, error);
}
