// ball.c: the vertices within a radius of one, by distance along the body (Dijkstra), once per
// asset and vertex.
//
// Distances at rest never change, and a ball sorted by distance has every narrower one as its
// beginning. So it does not matter who computed a ball first, or how wide: the answer is the same
// bits. Bodies in different threads share balls without a lock: a ball is published by one
// compare-and-swap of its vertex's pointer and never changes afterwards. When two threads compute
// the same one, the later, if not wider, is thrown away. Of a body that is broken the way is
// farther or there is none: such balls are kept, too, under the set of broken bonds.
#include "metal.h"

bool wri_ball_space_create(wri_ball_space *space, wri_arena *arena, int vertex_count)
{
    size_t n = (size_t)vertex_count;
    space->distance = wri_arena_alloc(arena, n, sizeof(float));
    space->place = wri_arena_alloc(arena, n, sizeof(int));
    space->heap = wri_arena_alloc(arena, n, sizeof(int));
    space->entries = wri_arena_alloc(arena, n, sizeof(wri_ball_entry));
    if (!space->distance || !space->place || !space->heap || !space->entries) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        space->place[i] = -1;
    }
    return true;
}

// --- a heap by distance, then number ----------------------------------------------------------

static bool is_before(const wri_ball_space *s, int a, int b)
{
    return s->distance[a] != s->distance[b] ? s->distance[a] < s->distance[b] : a < b;
}

static void put(wri_ball_space *s, int place, int vertex)
{
    s->heap[place] = vertex;
    s->place[vertex] = place;
}

static void sift_up(wri_ball_space *s, int place)
{
    int vertex = s->heap[place];
    while (place > 0 && is_before(s, vertex, s->heap[(place - 1) / 2])) {
        put(s, place, s->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(s, place, vertex);
}

static void sift_down(wri_ball_space *s, int place, int count)
{
    int vertex = s->heap[place];
    for (int child; (child = 2 * place + 1) < count; place = child) {
        child += child + 1 < count && is_before(s, s->heap[child + 1], s->heap[child]);
        if (!is_before(s, s->heap[child], vertex)) {
            break;
        }
        put(s, place, s->heap[child]);
    }
    put(s, place, vertex);
}

// Whether an edge leads from one fragment to another across a broken bond.
static bool is_cut(const wr_metal_asset *asset, int from, int to, const uint64_t *broken)
{
    int a = asset->fragments[from], b = asset->fragments[to];
    int bond = asset->bond_between[a * asset->F + b];
    return a != b && broken[bond / 64] >> (bond % 64) & 1;
}

// Returns how many vertices are nearer than radius; they are in entries.
static int find_ball(const wr_metal_asset *asset, int center, float radius, const uint64_t *broken,
                     wri_ball_space *s)
{
    int waiting = 1, count = 0;
    s->distance[center] = 0.0f;
    put(s, 0, center);
    while (waiting > 0) {
        int v = s->heap[0];
        s->place[v] = -2;
        s->entries[count++] = (wri_ball_entry){v, s->distance[v]};
        if (--waiting > 0) {
            s->heap[0] = s->heap[waiting];
            sift_down(s, 0, waiting);
        }
        for (int i = asset->neighbours_begin[v]; i < asset->neighbours_begin[v + 1]; i++) {
            int to = asset->neighbours[i].vertex;
            float d = s->distance[v] + asset->neighbours[i].length;
            if (s->place[to] == -2 || !(d < radius) || (broken && is_cut(asset, v, to, broken))) {
                continue;
            }
            if (s->place[to] == -1) {
                s->distance[to] = d;
                put(s, waiting++, to);
                sift_up(s, s->place[to]);
            } else if (d < s->distance[to]) {
                s->distance[to] = d;
                sift_up(s, s->place[to]);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        s->place[s->entries[i].vertex] = -1;
    }
    return count;
}

// --- the cache --------------------------------------------------------------------------------

static size_t ball_bytes(int count)
{
    return sizeof(wri_ball) + (size_t)count * sizeof(wri_ball_entry);
}

static void free_ball(const wr_metal_asset *asset, wri_ball *ball)
{
    wri_free(&asset->arena.allocator, ball, 1, ball_bytes(ball->count));
}

// Returns NULL when there is no room.
static wri_ball *copy_ball(wr_metal_asset *asset, float radius, int count, const wri_ball_space *s)
{
    size_t bytes = ball_bytes(count);
    if (atomic_fetch_add(&asset->ball_size, bytes) + bytes > asset->cache_size) {
        atomic_fetch_sub(&asset->ball_size, bytes);
        return NULL;
    }
    wri_ball *ball = wri_alloc(&asset->arena.allocator, 1, bytes);
    if (!ball) {
        atomic_fetch_sub(&asset->ball_size, bytes);
        return NULL;
    }
    ball->radius = radius;
    ball->count = count;
    memcpy(ball->entries, s->entries, (size_t)count * sizeof *s->entries);
    return ball;
}

// Returns a ball of at least this radius from the list, NULL: there is none.
static const wri_ball *find_known(const wri_ball *list, float radius, uint64_t broken)
{
    while (list && (list->broken != broken || list->radius < radius)) {
        list = list->next;
    }
    return list;
}

// Returns the ball, or the one that another thread was quicker with.
static const wri_ball *publish(wr_metal_asset *asset, int vertex, wri_ball *ball)
{
    ball->next = atomic_load(&asset->balls[vertex]);
    do {
        const wri_ball *known = find_known(ball->next, ball->radius, ball->broken);
        if (known) {
            atomic_fetch_sub(&asset->ball_size, ball_bytes(ball->count));
            free_ball(asset, ball);
            return known;
        }
    } while (!atomic_compare_exchange_weak(&asset->balls[vertex], &ball->next, ball));
    if (!ball->next) {
        atomic_fetch_add(&asset->ball_count, 1);
    }
    return ball;
}

// Returns the number of entries nearer than the radius.
static int cut(const wri_ball *ball, float radius)
{
    int low = 0, high = ball->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (ball->entries[middle].distance < radius) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Names the set of broken bonds; 0: none is.
static uint64_t name_broken(const wr_metal_asset *asset, const uint64_t *broken)
{
    size_t words = ((size_t)asset->bond_count + 63) / 64;
    return broken ? wri_hash(broken, words * sizeof *broken, 1) : 0;
}

wri_ball_view wri_metal_ball(wr_metal_asset *asset, int vertex, float radius,
                             const uint64_t *broken, wri_ball_space *space, int64_t *missed)
{
    uint64_t name = name_broken(asset, broken);
    const wri_ball *known = find_known(atomic_load(&asset->balls[vertex]), radius, name);
    if (!known) {
        int count = find_ball(asset, vertex, radius, broken, space);
        wri_ball *ball = copy_ball(asset, radius, count, space);
        if (!ball) {
            *missed += 1;
            return (wri_ball_view){space->entries, count};
        }
        ball->broken = name;
        known = publish(asset, vertex, ball);
    }
    return (wri_ball_view){known->entries, cut(known, radius)};
}

void wri_metal_free_balls(wr_metal_asset *asset)
{
    for (int i = 0; asset->balls && i < asset->N; i++) {
        for (wri_ball *ball = atomic_load(&asset->balls[i]), *next; ball; ball = next) {
            next = ball->next;
            free_ball(asset, ball);
        }
    }
}

// --- all at once ------------------------------------------------------------------------------

typedef struct prepare_context {
    wr_metal_asset *asset;
    float reach;
} prepare_context;

static void prepare_block(void *context, int block, int begin, int end)
{
    (void)block;
    prepare_context *ctx = context;
    wr_metal_asset *asset = ctx->asset;
    wri_arena temporary = wri_arena_create(&asset->arena.allocator);
    wri_ball_space space;
    int64_t missed = 0;
    if (wri_ball_space_create(&space, &temporary, asset->N)) {
        for (int i = begin; i < end && missed == 0; i++) {
            int v = asset->surface[i];
            float map = asset->reach ? asset->reach[v] : 1.0f;
            float reach = fmaxf(ctx->reach * asset->L * map, 1e-6f * asset->L);
            wri_metal_ball(asset, v, reach, NULL, &space, &missed);
        }
    }
    wri_arena_destroy(&temporary);
}

void wr_metal_asset_prepare(wr_metal_asset *asset, float reach, const wr_tasks *tasks)
{
    WR_ASSERT(asset && reach > 0.0f);
    prepare_context ctx = {asset, reach};
    wri_parallel_for(tasks, asset->surface_count, 64, prepare_block, &ctx);
}
