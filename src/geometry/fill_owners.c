// fill_owners.c: which points are nearest to the samples of a solid.
//
// The points are in the order of a space-filling curve, roughly: a tree of boxes over runs of them
// needs no sorting. A tile asks it for the points that may be nearest to some place of its bounds,
// every eight samples keep those of them that may be nearest in theirs, and four samples at a time
// are compared with what is left.
#include "fill.h"

enum {
    FAN = WRI_FILL_FAN,
    LANES = 4,   // samples that are compared at once
    STACK = 128, // more than FAN * WRI_FILL_DEPTH nodes
    NEAR_MOST = 512,
    CHUNK = 512, // tiles
    GRAIN = 16,  // tiles
};

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t int_lanes __attribute__((vector_size(4 * LANES)));

static inline lanes choose(int_lanes mask, lanes yes, lanes no)
{
    return (lanes)((mask & (int_lanes)yes) | (~mask & (int_lanes)no));
}

typedef wri_fill_box box;

// --- the tree ---------------------------------------------------------------------------------

bool wri_fill_owners_resize(wri_fill_owners *t, wri_arena *arena)
{
    int count = t->points->count;
    t->level_count = 0;
    do {
        count = (count + FAN - 1) / FAN;
        t->counts[t->level_count] = count;
        t->levels[t->level_count] = wri_arena_alloc(arena, (size_t)count, sizeof(box));
        if (!t->levels[t->level_count++]) {
            return false;
        }
    } while (count > 1);
    return true;
}

static void box_add(box *b, const float low[3], const float high[3])
{
    for (int k = 0; k < 3; k++) {
        b->low[k] = low[k] < b->low[k] ? low[k] : b->low[k];
        b->high[k] = high[k] > b->high[k] ? high[k] : b->high[k];
    }
}

static const box empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

void wri_fill_owners_fit(wri_fill_owners *t)
{
    const wri_fill_points *points = t->points;
    for (int level = 0; level < t->level_count; level++) {
        int items = level == 0 ? points->count : t->counts[level - 1];
        for (int i = 0; i < t->counts[level]; i++) {
            box *b = &t->levels[level][i];
            *b = empty_box;
            for (int k = FAN * i; k < FAN * (i + 1) && k < items; k++) {
                const box *child = level == 0 ? NULL : &t->levels[level - 1][k];
                box_add(b, child ? child->low : points->x[k], child ? child->high : points->x[k]);
            }
        }
    }
}

static inline float least_distance2(const box *a, const box *b)
{
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        float over = a->low[k] - b->high[k], under = b->low[k] - a->high[k];
        float d = over > under ? over : under;
        d = d > 0.0f ? d : 0.0f;
        sum += d * d;
    }
    return sum;
}

// A box by its middle and half edges.
typedef struct brick {
    float x, y, z, hx, hy, hz;
} brick;

static brick brick_of(const box *b)
{
    return (brick){0.5f * (b->low[0] + b->high[0]), 0.5f * (b->low[1] + b->high[1]),
                   0.5f * (b->low[2] + b->high[2]), 0.5f * (b->high[0] - b->low[0]),
                   0.5f * (b->high[1] - b->low[1]), 0.5f * (b->high[2] - b->low[2])};
}

static inline float positive(float x)
{
    return 0.5f * (x + fabsf(x)); // exact, and without a branch
}

// Squared distances of a point to the nearest and to the farthest place of a brick.
static inline float least2(brick b, float x, float y, float z)
{
    float dx = positive(fabsf(x - b.x) - b.hx), dy = positive(fabsf(y - b.y) - b.hy),
          dz = positive(fabsf(z - b.z) - b.hz);
    return dx * dx + dy * dy + dz * dz;
}

static inline float most2(brick b, float x, float y, float z)
{
    float dx = fabsf(x - b.x) + b.hx, dy = fabsf(y - b.y) + b.hy, dz = fabsf(z - b.z) + b.hz;
    return dx * dx + dy * dy + dz * dz;
}

// Points that may be the nearest, or second nearest, to some place of a box.
typedef struct candidates {
    int count;
    int index[NEAR_MOST];
    float x[NEAR_MOST], y[NEAR_MOST], z[NEAR_MOST];
    float least[NEAR_MOST]; // squared distance to the box
} candidates;

static void take(candidates *to, const candidates *from, int i)
{
    to->index[to->count] = from->index[i];
    to->x[to->count] = from->x[i];
    to->y[to->count] = from->y[i];
    to->z[to->count] = from->z[i];
    to->least[to->count] = from->least[i];
}

// Copies those within reach; to may be from.
static void take_near(candidates *to, const candidates *from, float reach)
{
    int count = from->count;
    to->count = 0;
    for (int i = 0; i < count; i++) {
        take(to, from, i);
        to->count += from->least[i] <= reach;
    }
}

// Keeps the two smallest numbers.
static inline void keep_two(float kept[2], float x)
{
    float larger = x > kept[0] ? x : kept[0];
    kept[0] = x < kept[0] ? x : kept[0];
    kept[1] = larger < kept[1] ? larger : kept[1];
}

// Adds a point unless `rank` others are nearer to every place of the box; reach has their squared
// distances.
static inline void add_candidate(candidates *c, brick b, int rank, int index, const float x[3],
                                 float reach[2])
{
    float least = least2(b, x[0], x[1], x[2]), most = most2(b, x[0], x[1], x[2]);
    if (least > reach[rank - 1]) {
        return;
    }
    keep_two(reach, most);
    if (c->count == NEAR_MOST) {
        take_near(c, c, reach[rank - 1]);
    }
    if (c->count < NEAR_MOST) { // so many at one place: any of them will do
        c->index[c->count] = index;
        c->x[c->count] = x[0], c->y[c->count] = x[1], c->z[c->count] = x[2];
        c->least[c->count++] = least;
    }
}

typedef struct step {
    int level, index;
} step;

// hint: an index of a point in the neighbourhood.
static void find_candidates(const wri_fill_owners *s, const box *bounds, int hint, candidates *c)
{
    brick b = brick_of(bounds);
    const wri_fill_points *p = s->points;
    step stack[STACK];
    int depth = 0, run = hint / FAN;
    float reach[2] = {INFINITY, INFINITY};
    c->count = 0;
    for (int i = FAN * run; i < FAN * (run + 1) && i < p->count; i++) {
        add_candidate(c, b, s->rank, i, p->x[i], reach);
    }
    stack[depth++] = (step){s->level_count - 1, 0};
    while (depth > 0) {
        step v = stack[--depth];
        if (least_distance2(&s->levels[v.level][v.index], bounds) > reach[s->rank - 1]) {
            continue;
        }
        int items = v.level == 0 ? p->count : s->counts[v.level - 1];
        for (int i = FAN * v.index; i < FAN * (v.index + 1) && i < items; i++) {
            if (v.level > 0) {
                stack[depth++] = (step){v.level - 1, i};
            } else if (v.index != run) {
                add_candidate(c, b, s->rank, i, p->x[i], reach);
            }
        }
    }
    take_near(c, c, reach[s->rank - 1]);
}

// Finds the two smallest of the numbers; room up to a multiple of LANES.
static void find_two(float *x, int count, float out[2])
{
    lanes one = {INFINITY, INFINITY, INFINITY, INFINITY}, two = one, v;
    for (int i = count; i % LANES != 0; i++) {
        x[i] = INFINITY;
    }
    for (int i = 0; i < count; i += LANES) {
        memcpy(&v, &x[i], sizeof v);
        int_lanes less = v < one;
        lanes larger = choose(less, one, v);
        one = choose(less, v, one);
        two = choose(larger < two, larger, two);
    }
    out[0] = out[1] = INFINITY;
    for (int l = 0; l < LANES; l++) {
        keep_two(out, one[l]);
        keep_two(out, two[l]);
    }
}

// The candidates of a part of the box.
static void narrow(const candidates *all, brick b, int rank, candidates *near)
{
    float least[NEAR_MOST], most[NEAR_MOST], reach[2];
    for (int i = 0; i < all->count; i++) {
        least[i] = least2(b, all->x[i], all->y[i], all->z[i]);
        most[i] = most2(b, all->x[i], all->y[i], all->z[i]);
    }
    find_two(most, all->count, reach);
    near->count = 0;
    for (int i = 0; i < all->count; i++) {
        take(near, all, i);
        near->count += least[i] <= reach[rank - 1];
    }
}

// --- who owns what ----------------------------------------------------------------------------

// Samples side by side, so that one candidate is compared with several of them at once.
typedef struct group {
    lanes x, y, z;
    lanes best, second; // squared distances
    int_lanes owner, other;
} group;

static inline lanes distances2(const group *g, const candidates *c, int j)
{
    lanes dx = g->x - c->x[j], dy = g->y - c->y[j], dz = g->z - c->z[j];
    return dx * dx + dy * dy + dz * dz;
}

static void find_owners(group *g, const candidates *c)
{
    for (int j = 0; j < c->count; j++) {
        lanes d = distances2(g, c, j);
        int_lanes nearer = d < g->best;
        g->owner = (nearer & c->index[j]) | (~nearer & g->owner);
        g->best = choose(nearer, d, g->best);
    }
}

// The second nearest are the nearest without the owners.
static void find_others(group *g, const candidates *c)
{
    for (int j = 0; j < c->count; j++) {
        lanes d = distances2(g, c, j);
        int_lanes nearer = (d < g->second) & (g->owner != c->index[j]);
        g->other = (nearer & c->index[j]) | (~nearer & g->other);
        g->second = choose(nearer, d, g->second);
    }
}

static box bounds_of(const wri_fill_sample *samples, int count)
{
    box b = empty_box;
    for (int i = 0; i < count; i++) {
        box_add(&b, samples[i].p, samples[i].p);
    }
    return b;
}

// One to LANES samples.
static void own_lanes(const candidates *near, int rank, const wri_fill_sample *samples, int count,
                      wri_fill_ownership *out)
{
    const lanes far = {INFINITY, INFINITY, INFINITY, INFINITY};
    const int_lanes none = {-1, -1, -1, -1};
    group g = {.best = far, .second = far, .owner = none, .other = none};
    for (int i = 0; i < LANES; i++) {
        const float *p = samples[i < count ? i : 0].p;
        g.x[i] = p[0], g.y[i] = p[1], g.z[i] = p[2];
    }
    find_owners(&g, near);
    if (rank == 2) {
        find_others(&g, near);
    }
    for (int i = 0; i < count; i++) {
        out[i] = (wri_fill_ownership){g.owner[i], g.other[i], g.best[i], g.second[i]};
    }
}

// One to FAN samples.
static void own_group(const candidates *all, int rank, const wri_fill_sample *samples, int count,
                      wri_fill_ownership *out)
{
    candidates near;
    box b = bounds_of(samples, count);
    narrow(all, brick_of(&b), rank, &near);
    for (int i = 0; i < count; i += LANES) {
        own_lanes(&near, rank, &samples[i], count - i < LANES ? count - i : LANES, &out[i]);
    }
}

static void own_tiles(void *context, int block, int begin, int end)
{
    (void)block;
    wri_fill_owners *s = context;
    candidates near;
    for (int i = begin; i < end; i++) {
        wri_fill_sample samples[WRI_TILE_SAMPLES];
        int tile = s->first_tile + i, count = wri_fill_tile_samples(s->solid, tile, samples);
        wri_fill_ownership *out = &s->owned[(size_t)i * WRI_TILE_SAMPLES];
        box b = bounds_of(samples, count);
        int hint = s->hints[tile] < s->points->count ? s->hints[tile] : s->points->count - 1;
        find_candidates(s, &b, hint, &near);
        for (int k = 0; k < count; k += FAN) {
            own_group(&near, s->rank, &samples[k], count - k < FAN ? count - k : FAN, &out[k]);
        }
        s->hints[tile] = out[0].owner;
    }
}

void wri_fill_owners_visit(wri_fill_owners *s, int rank, wri_fill_visit_fn *visit, void *context)
{
    wri_fill_owners_fit(s);
    s->rank = rank;
    for (s->first_tile = 0; s->first_tile < s->solid->tile_count; s->first_tile += CHUNK) {
        int rest = s->solid->tile_count - s->first_tile, count = rest < CHUNK ? rest : CHUNK;
        wri_parallel_for(s->tasks, count, GRAIN, own_tiles, s);
        for (int i = 0; i < count; i++) {
            wri_fill_sample samples[WRI_TILE_SAMPLES];
            int tile = s->first_tile + i, n = wri_fill_tile_samples(s->solid, tile, samples);
            for (int k = 0; k < n; k++) {
                visit(context, &samples[k], 0.5f * s->solid->tiles[tile].cell,
                      &s->owned[(size_t)i * WRI_TILE_SAMPLES + (size_t)k]);
            }
        }
    }
}

bool wri_fill_owners_create(wri_fill_owners *s, wri_arena *arena)
{
    s->hints = wri_arena_alloc(arena, (size_t)s->solid->tile_count, sizeof *s->hints);
    s->owned = wri_arena_alloc(arena, (size_t)CHUNK * WRI_TILE_SAMPLES, sizeof *s->owned);
    return s->hints && s->owned && wri_fill_owners_resize(s, arena);
}

bool wri_fill_has_point(const wri_fill_owners *s, const float x[3], float most, int count)
{
    const box here = {{x[0], x[1], x[2]}, {x[0], x[1], x[2]}};
    step stack[STACK];
    int depth = 0;
    stack[depth++] = (step){s->level_count - 1, 0};
    while (depth > 0) {
        step v = stack[--depth];
        int items = v.level == 0 ? count : s->counts[v.level - 1];
        if (least_distance2(&s->levels[v.level][v.index], &here) >= most * most) {
            continue;
        }
        for (int i = FAN * v.index; i < FAN * (v.index + 1) && i < items; i++) {
            const float *p = s->points->x[i];
            const box there = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
            if (v.level > 0) {
                stack[depth++] = (step){v.level - 1, i};
            } else if (least_distance2(&there, &here) < most * most) {
                return true;
            }
        }
    }
    return false;
}
