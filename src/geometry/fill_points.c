// fill_points.c: points spread evenly through a solid, and their shares of it.
//
// Points start along the solid's space-filling curve, one per unit of the integral of 1 / s^3 (s
// the wished spacing), with some disorder, and then go to the centres of their Voronoi cells (S.
// Lloyd, Least squares quantization in PCM, 1982), farther than the centre at first. The cells have
// the density s^-5, whose centroidal cells have sides in proportion to s (A. Gersho, Asymptotically
// optimal block quantization, 1979: points as density^(3/5)). Cells stop at the surface, so the
// outermost points end half a spacing below it. A cell that stays longer than a spacing is part of
// a sheet or a thread that its volume alone gives too few points: it gets another one.
//
// Cells are sums over the samples of the solid. Which point owns a sample is found tile by tile on
// all threads, the sums are formed in the order of the tiles.
#include "fill.h"

#include "../math/decompose.h"

enum {
    FAN = 8,     // children of a node of the tree, points of a leaf, samples of a group
    LANES = 4,   // samples that are compared at once
    DEPTH = 9,   // 8^9 points
    STACK = 128, // more than FAN * DEPTH nodes
    NEAR_MOST = 512,
    CHUNK = 512, // tiles
    GRAIN = 16,  // tiles
    POINT_GRAIN = 64,
    ROUNDS = 20,
    EXACT_ROUNDS = 4, // the last ones do not go beyond the centre
};
#define BEYOND 1.6f       // how far points go, as a part of the way to the centre
#define LONGEST 1.5       // edge of a cell at which it is divided, in spacings
#define LEAST_DEPTH 0.36f // distance to the surface that points are pushed to, in spacings
#define FAR 1.3f          // distance at which a surface has no points, in spacings
#define LEAST_APART 0.5f  // distance below which one of two points is dropped, in spacings

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t int_lanes __attribute__((vector_size(4 * LANES)));

static inline lanes choose(int_lanes mask, lanes yes, lanes no)
{
    return (lanes)((mask & (int_lanes)yes) | (~mask & (int_lanes)no));
}

typedef struct box {
    float low[3], high[3];
} box;

// Points in the order of the curve: runs of FAN are leaves, runs of FAN nodes the nodes above.
typedef struct tree {
    box *levels[DEPTH];
    int counts[DEPTH], level_count;
} tree;

// What is known about a sample.
typedef struct ownership {
    int owner, other;        // nearest and second nearest point; other -1: there is none
    float distance2, other2; // squared distances
} ownership;

typedef struct spreader {
    const wri_soup *soup;
    const wri_fill_solid *solid;
    const wri_fill_size *size;
    const wr_tasks *tasks;
    wri_fill_points *points;
    tree tree;
    int *hints;            // per tile: a point near it
    ownership *owned;      // CHUNK * WRI_TILE_SAMPLES
    int first_tile;        // of the chunk
    int rank;              // 2: the second nearest are found, too; else 1
    double (*moments)[10]; // per point: mass, first and second moments about the point
    wri_fill_sample *own;  // per point: its nearest own sample; volume is the squared distance
} spreader;

// --- the tree ---------------------------------------------------------------------------------

static bool tree_create(tree *t, wri_arena *arena, int count)
{
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

// What is as long as the points.
static bool make_room(spreader *s, wri_arena *arena)
{
    s->moments = wri_arena_alloc(arena, (size_t)s->points->count, sizeof *s->moments);
    return s->moments && tree_create(&s->tree, arena, s->points->count);
}

static void tree_fit(tree *t, const wri_fill_points *points)
{
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

typedef struct visit {
    int level, index;
} visit;

// hint: an index of a point in the neighbourhood.
static void find_candidates(const spreader *s, const box *bounds, int hint, candidates *c)
{
    brick b = brick_of(bounds);
    const tree *t = &s->tree;
    const wri_fill_points *p = s->points;
    visit stack[STACK];
    int depth = 0, run = hint / FAN;
    float reach[2] = {INFINITY, INFINITY};
    c->count = 0;
    for (int i = FAN * run; i < FAN * (run + 1) && i < p->count; i++) {
        add_candidate(c, b, s->rank, i, p->x[i], reach);
    }
    stack[depth++] = (visit){t->level_count - 1, 0};
    while (depth > 0) {
        visit v = stack[--depth];
        if (least_distance2(&t->levels[v.level][v.index], bounds) > reach[s->rank - 1]) {
            continue;
        }
        int items = v.level == 0 ? p->count : t->counts[v.level - 1];
        for (int i = FAN * v.index; i < FAN * (v.index + 1) && i < items; i++) {
            if (v.level > 0) {
                stack[depth++] = (visit){v.level - 1, i};
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
                      ownership *out)
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
        out[i] = (ownership){g.owner[i], g.other[i], g.best[i], g.second[i]};
    }
}

// One to FAN samples.
static void own_group(const candidates *all, int rank, const wri_fill_sample *samples, int count,
                      ownership *out)
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
    spreader *s = context;
    candidates near;
    for (int i = begin; i < end; i++) {
        wri_fill_sample samples[WRI_TILE_SAMPLES];
        int tile = s->first_tile + i, count = wri_fill_tile_samples(s->solid, tile, samples);
        ownership *out = &s->owned[(size_t)i * WRI_TILE_SAMPLES];
        box b = bounds_of(samples, count);
        int hint = s->hints[tile] < s->points->count ? s->hints[tile] : s->points->count - 1;
        find_candidates(s, &b, hint, &near);
        for (int k = 0; k < count; k += FAN) {
            own_group(&near, s->rank, &samples[k], count - k < FAN ? count - k : FAN, &out[k]);
        }
        s->hints[tile] = out[0].owner;
    }
}

// Called for every sample in the order of the curve; half is half the edge of its cell.
typedef void sample_fn(spreader *s, const wri_fill_sample *sample, float half,
                       const ownership *owned);

static void for_all_samples(spreader *s, int rank, sample_fn *fn)
{
    s->rank = rank;
    tree_fit(&s->tree, s->points);
    for (s->first_tile = 0; s->first_tile < s->solid->tile_count; s->first_tile += CHUNK) {
        int rest = s->solid->tile_count - s->first_tile, count = rest < CHUNK ? rest : CHUNK;
        wri_parallel_for(s->tasks, count, GRAIN, own_tiles, s);
        for (int i = 0; i < count; i++) {
            wri_fill_sample samples[WRI_TILE_SAMPLES];
            int tile = s->first_tile + i, n = wri_fill_tile_samples(s->solid, tile, samples);
            for (int k = 0; k < n; k++) {
                fn(s, &samples[k], 0.5f * s->solid->tiles[tile].cell,
                   &s->owned[(size_t)i * WRI_TILE_SAMPLES + (size_t)k]);
            }
        }
    }
}

// --- the start --------------------------------------------------------------------------------

// A number in [0, 1) from two others (splitmix64).
static float hash_unit(int i, int k)
{
    uint64_t z = ((uint64_t)(uint32_t)i << 8 | (uint64_t)k) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (float)((z ^ z >> 31) >> 40) * (1.0f / 16777216.0f);
}

// total: the integral of 1 / s^3.
static void start(spreader *s, double total)
{
    const wri_fill_points *p = s->points;
    double sum = 0.0, next = 0.25 + 0.5 * (double)hash_unit(0, 3);
    int placed = 0;
    for (int tile = 0; tile < s->solid->tile_count; tile++) {
        wri_fill_sample samples[WRI_TILE_SAMPLES];
        int n = wri_fill_tile_samples(s->solid, tile, samples);
        float cell = s->solid->tiles[tile].cell;
        s->hints[tile] = placed;
        for (int i = 0; i < n; i++) {
            double size = (double)wri_fill_size_at(s->size, samples[i].p);
            sum += (double)samples[i].volume / (size * size * size) * (double)p->count / total;
            while ((sum > next || (i == n - 1 && tile == s->solid->tile_count - 1)) &&
                   placed < p->count) {
                for (int k = 0; k < 3; k++) {
                    p->x[placed][k] = samples[i].p[k] + cell * (hash_unit(placed, k) - 0.5f);
                }
                placed++;
                next = placed + 0.25 + 0.5 * (double)hash_unit(placed, 3);
            }
        }
    }
}

// --- rounds -----------------------------------------------------------------------------------

static void add_moments(spreader *s, const wri_fill_sample *sample, float half,
                        const ownership *owned)
{
    (void)half;
    double *m = s->moments[owned->owner], d[3], w = (double)sample->volume;
    if (s->size->values) {
        double r = (double)s->size->base / (double)wri_fill_size_at(s->size, sample->p);
        w *= r * r * r * r * r;
    }
    for (int k = 0; k < 3; k++) {
        d[k] = (double)sample->p[k] - (double)s->points->x[owned->owner][k];
        m[1 + k] += w * d[k];
        m[4 + k] += w * d[k] * d[k];
        m[7 + k] += k == 0 ? 0.0 : w * d[0] * d[k];
    }
    m[7] += w * d[1] * d[2];
    m[0] += w;
}

static void move_points(spreader *s, double part)
{
    for (int i = 0; i < s->points->count; i++) {
        const double *m = s->moments[i];
        for (int k = 0; k < 3 && m[0] > 0.0; k++) {
            s->points->x[i][k] += (float)(part * m[1 + k] / m[0]);
        }
    }
}

// Returns the edge of a cube that is as long as the cell, and its direction.
static double find_length(const double m[10], double axis[3])
{
    double a[3][3], l[3], q[3][3], c[3] = {m[1] / m[0], m[2] / m[0], m[3] / m[0]};
    for (int k = 0; k < 3; k++) {
        a[k][k] = m[4 + k] / m[0] - c[k] * c[k];
    }
    a[0][1] = a[1][0] = m[8] / m[0] - c[0] * c[1];
    a[0][2] = a[2][0] = m[9] / m[0] - c[0] * c[2];
    a[1][2] = a[2][1] = m[7] / m[0] - c[1] * c[2];
    wri_eigen3d((const double(*)[3])a, l, q);
    for (int k = 0; k < 3; k++) {
        axis[k] = q[k][0];
    }
    return sqrt(12.0 * fmax(l[0], 0.0));
}

// Moves every point to the centre of its cell, or puts two points into a long one, one behind the
// other in the order.
static int put_points(const spreader *s, float (*x)[3])
{
    const wri_fill_points *p = s->points;
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        double axis[3] = {0}, *m = s->moments[i];
        double length = m[0] > 0.0 ? find_length(m, axis) : 0.0;
        bool split = length > LONGEST * (double)wri_fill_size_at(s->size, p->x[i]) &&
                     count + p->count - i < WR_FILL_MOST;
        for (int half = 0; half <= (int)split; half++, count++) {
            double offset = split ? (half - 0.5) * 0.5 * length : 0.0;
            for (int k = 0; k < 3; k++) {
                double center = m[0] > 0.0 ? m[1 + k] / m[0] : 0.0;
                x[count][k] = (float)((double)p->x[i][k] + center + offset * axis[k]);
            }
        }
    }
    return count;
}

static bool split_points(spreader *s, wri_arena *arena)
{
    wri_fill_points *p = s->points;
    float(*x)[3] = wri_arena_alloc(arena, 2 * (size_t)p->count, sizeof *x);
    if (!x) {
        return false;
    }
    int before = p->count;
    p->count = put_points(s, x);
    p->x = x;
    return p->count == before || make_room(s, arena);
}

static bool relax(spreader *s, wri_arena *arena)
{
    for (int round = 0; round < ROUNDS; round++) {
        memset(s->moments, 0, (size_t)s->points->count * sizeof *s->moments);
        for_all_samples(s, 1, add_moments);
        if (round % 3 != 1 || round < 4 || round > 13) {
            move_points(s, round < ROUNDS - EXACT_ROUNDS ? (double)BEYOND : 1.0);
        } else if (!split_points(s, arena)) {
            return false;
        }
    }
    return true;
}

// --- below the surface ------------------------------------------------------------------------

static void keep_nearest(spreader *s, const wri_fill_sample *sample, float half,
                         const ownership *owned)
{
    (void)half;
    wri_fill_sample *own = &s->own[owned->owner];
    if (owned->distance2 < own->volume) {
        *own = *sample;
        own->volume = owned->distance2;
    }
}

static wri_soup_point nearest_of(const spreader *s, const float x[3])
{
    return wri_soup_nearest(s->soup, (const double[3]){x[0], x[1], x[2]});
}

static bool is_inside(const spreader *s, const double p[3])
{
    return fabs(wri_winding(s->soup, p, WRI_FILL_ACCURACY)) >= 0.5;
}

// No surface lies between a point and a sample that is nearer than the surface.
static bool is_astray(const spreader *s, int i, const wri_soup_point *near)
{
    const float *x = s->points->x[i];
    return (double)s->own[i].volume >= near->distance2 &&
           !is_inside(s, (const double[3]){x[0], x[1], x[2]});
}

// Whether what is near is the border, and not a surface inside of which shells overlap or touch.
static bool is_border(const spreader *s, const float x[3], const wri_soup_point *near, float size)
{
    double beyond[3], d = sqrt(near->distance2);
    for (int k = 0; k < 3; k++) {
        double n = d > 0.0 ? (near->point[k] - (double)x[k]) / d : 0.0;
        beyond[k] = near->point[k] + 0.15 * (double)size * n;
    }
    return !is_inside(s, beyond);
}

// Goes away from the surface by a step that does not cross it and ends farther from it.
static bool push_once(const spreader *s, float x[3], wri_soup_point *near, float want)
{
    float d = (float)sqrt(near->distance2), step = want - d;
    for (int try = 0; try < 3 && d > 0.0f; try++, step *= 0.5f) {
        float y[3];
        for (int k = 0; k < 3; k++) {
            y[k] = x[k] + step * (x[k] - (float)near->point[k]) / d;
        }
        wri_soup_point there = nearest_of(s, y);
        float deep = (float)sqrt(there.distance2);
        if (deep > 1.01f * d && step < d + deep) {
            memcpy(x, y, sizeof y);
            *near = there;
            return true;
        }
    }
    return false;
}

static void settle(void *context, int block, int begin, int end)
{
    (void)block;
    spreader *s = context;
    for (int i = begin; i < end; i++) {
        float *x = s->points->x[i];
        wri_soup_point near = nearest_of(s, x);
        if (is_astray(s, i, &near)) {
            memcpy(x, s->own[i].p, sizeof s->own[i].p);
            near = nearest_of(s, x);
        }
        float size = wri_fill_size_at(s->size, x), want = LEAST_DEPTH * size;
        for (int k = 0; k < 4 && near.distance2 < (double)want * (double)want; k++) {
            if (!is_border(s, x, &near, size) || !push_once(s, x, &near, want)) {
                break;
            }
        }
        s->points->nearest[i] = near;
    }
}

// --- doubles ----------------------------------------------------------------------------------

// Whether one of the first `count` points is nearer than `most`.
static bool has_point(const spreader *s, const float x[3], float most, int count)
{
    const tree *t = &s->tree;
    const box here = {{x[0], x[1], x[2]}, {x[0], x[1], x[2]}};
    visit stack[STACK];
    int depth = 0;
    stack[depth++] = (visit){t->level_count - 1, 0};
    while (depth > 0) {
        visit v = stack[--depth];
        int items = v.level == 0 ? count : t->counts[v.level - 1];
        if (least_distance2(&t->levels[v.level][v.index], &here) >= most * most) {
            continue;
        }
        for (int i = FAN * v.index; i < FAN * (v.index + 1) && i < items; i++) {
            const float *p = s->points->x[i];
            const box there = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
            if (v.level > 0) {
                stack[depth++] = (visit){v.level - 1, i};
            } else if (least_distance2(&there, &here) < most * most) {
                return true;
            }
        }
    }
    return false;
}

// Two points that were side by side in a thin part may meet in its middle: the later one goes.
static void find_doubles(void *context, int block, int begin, int end)
{
    (void)block;
    spreader *s = context;
    for (int i = begin; i < end; i++) {
        float size = wri_fill_size_at(s->size, s->points->x[i]);
        bool is_double = has_point(s, s->points->x[i], LEAST_APART * size, i);
        s->own[i].volume = is_double ? -1.0f : 1.0f;
    }
}

static void drop_doubles(spreader *s)
{
    wri_fill_points *p = s->points;
    tree_fit(&s->tree, p);
    wri_parallel_for(s->tasks, p->count, POINT_GRAIN, find_doubles, s);
    int kept = 0;
    for (int i = 0; i < p->count; i++) {
        if (s->own[i].volume > 0.0f) {
            memcpy(p->x[kept], p->x[i], sizeof p->x[i]);
            p->nearest[kept++] = p->nearest[i];
        }
    }
    p->count = kept;
}

// --- shares -----------------------------------------------------------------------------------

// A cell between two points is divided by the plane in their middle.
static void add_volume(spreader *s, const wri_fill_sample *sample, float half,
                       const ownership *owned)
{
    wri_fill_points *p = s->points;
    double w = (double)sample->volume, part = 1.0;
    float size = wri_fill_size_at(s->size, sample->p);
    p->far_volume += owned->distance2 > size * size ? w : 0.0;
    if (owned->other >= 0) {
        const float *a = p->x[owned->owner], *b = p->x[owned->other];
        double d2 = 0.0;
        for (int k = 0; k < 3; k++) {
            d2 += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
        }
        double middle =
            d2 > 0.0 ? 0.5 * (double)(owned->other2 - owned->distance2) / sqrt(d2) : 0.0;
        part = fmin(0.5 + 0.5 * middle / (double)half, 1.0);
        p->volumes[owned->other] += (1.0 - part) * w;
    }
    p->volumes[owned->owner] += part * w;
}

static void find_far(void *context, int block, int begin, int end)
{
    (void)block;
    spreader *s = context;
    for (int i = begin; i < end; i++) {
        double c[3][3];
        float x[3];
        wri_soup_corners(s->soup, i, c);
        for (int k = 0; k < 3; k++) {
            x[k] = (float)((c[0][k] + c[1][k] + c[2][k]) / 3.0);
        }
        float most = FAR * wri_fill_size_at(s->size, x);
        s->points->is_far[i] = !has_point(s, x, most, s->points->count);
    }
}

// A point that is nearest to no sample has lost nothing but its name.
static void drop_empty(wri_fill_points *p)
{
    int kept = 0;
    for (int i = 0; i < p->count; i++) {
        if (p->volumes[i] > 0.0) {
            memcpy(p->x[kept], p->x[i], sizeof p->x[i]);
            p->nearest[kept] = p->nearest[i];
            p->volumes[kept++] = p->volumes[i];
        }
    }
    p->count = kept;
}

static bool share(spreader *s, wri_arena *arena)
{
    wri_fill_points *p = s->points;
    size_t count = (size_t)p->count;
    s->own = wri_arena_alloc(arena, count, sizeof *s->own);
    p->nearest = wri_arena_alloc(arena, count, sizeof *p->nearest);
    p->volumes = wri_arena_alloc(arena, count, sizeof *p->volumes);
    p->is_far = wri_arena_alloc(arena, (size_t)s->soup->triangle_count, sizeof *p->is_far);
    if (!s->own || !p->nearest || !p->volumes || !p->is_far) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        s->own[i] = (wri_fill_sample){{p->x[i][0], p->x[i][1], p->x[i][2]}, INFINITY};
    }
    for_all_samples(s, 1, keep_nearest);
    wri_parallel_for(s->tasks, p->count, POINT_GRAIN, settle, s);
    drop_doubles(s);
    if (!tree_create(&s->tree, arena, p->count)) {
        return false;
    }
    for_all_samples(s, 2, add_volume);
    wri_parallel_for(s->tasks, s->soup->triangle_count, POINT_GRAIN, find_far, s);
    drop_empty(p);
    return true;
}

bool wri_fill_points_spread(wri_fill_points *points, wri_arena *arena, const wri_soup *soup,
                            const wri_fill_solid *solid, const wri_fill_size *size, double total,
                            int count, const wr_tasks *tasks)
{
    spreader s = {.soup = soup, .solid = solid, .size = size, .tasks = tasks, .points = points};
    *points = (wri_fill_points){.count = count};
    points->x = wri_arena_alloc(arena, (size_t)count, sizeof *points->x);
    s.hints = wri_arena_alloc(arena, (size_t)solid->tile_count, sizeof *s.hints);
    s.owned = wri_arena_alloc(arena, (size_t)CHUNK * WRI_TILE_SAMPLES, sizeof *s.owned);
    if (!points->x || !s.hints || !s.owned || !make_room(&s, arena)) {
        return false;
    }
    start(&s, total);
    return relax(&s, arena) && share(&s, arena);
}
