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
    GRAIN = 64,
    ROUNDS = 16,
    EXACT_ROUNDS = 4, // the last ones do not go beyond the centre
};
#define BEYOND 1.6f       // how far points go, as a part of the way to the centre
#define LONGEST 1.5       // edge of a cell at which it is divided, in spacings
#define LEAST_DEPTH 0.36f // distance to the surface that points are pushed to, in spacings
#define FAR 1.3f          // distance at which a surface has no points, in spacings
#define LEAST_APART 0.5f  // distance below which one of two points is dropped, in spacings

typedef struct spreader {
    const wri_soup *soup;
    const wri_fill_solid *solid;
    const wri_fill_size *size;
    const wr_tasks *tasks;
    wri_fill_points *points;
    wri_fill_owners owners;
    double (*moments)[10]; // per point: mass, first and second moments about the point
    wri_fill_sample *own;  // per point: its nearest own sample; volume is the squared distance
} spreader;

// What is as long as the points.
static bool make_room(spreader *s, wri_arena *arena)
{
    s->moments = wri_arena_alloc(arena, (size_t)s->points->count, sizeof *s->moments);
    return s->moments && wri_fill_owners_resize(&s->owners, arena);
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
        s->owners.hints[tile] = placed;
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

static void add_moments(void *context, const wri_fill_sample *sample, float half,
                        const wri_fill_ownership *owned)
{
    spreader *s = context;
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
        wri_fill_owners_visit(&s->owners, 1, add_moments, s);
        if (round % 3 != 1 || round < 4 || round > 13) {
            move_points(s, round < ROUNDS - EXACT_ROUNDS ? (double)BEYOND : 1.0);
        } else if (!split_points(s, arena)) {
            return false;
        }
    }
    return true;
}

// --- below the surface ------------------------------------------------------------------------

static void keep_nearest(void *context, const wri_fill_sample *sample, float half,
                         const wri_fill_ownership *owned)
{
    spreader *s = context;
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

// Two points that were side by side in a thin part may meet in its middle: the later one goes.
static void find_doubles(void *context, int block, int begin, int end)
{
    (void)block;
    spreader *s = context;
    for (int i = begin; i < end; i++) {
        float size = wri_fill_size_at(s->size, s->points->x[i]);
        bool is_double = wri_fill_has_point(&s->owners, s->points->x[i], LEAST_APART * size, i);
        s->own[i].volume = is_double ? -1.0f : 1.0f;
    }
}

static void drop_doubles(spreader *s)
{
    wri_fill_points *p = s->points;
    wri_fill_owners_fit(&s->owners);
    wri_parallel_for(s->tasks, p->count, GRAIN, find_doubles, s);
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
static void add_volume(void *context, const wri_fill_sample *sample, float half,
                       const wri_fill_ownership *owned)
{
    spreader *s = context;
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
        s->points->is_far[i] = !wri_fill_has_point(&s->owners, x, most, s->points->count);
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
    wri_fill_owners_visit(&s->owners, 1, keep_nearest, s);
    wri_parallel_for(s->tasks, p->count, GRAIN, settle, s);
    drop_doubles(s);
    if (!wri_fill_owners_resize(&s->owners, arena)) {
        return false;
    }
    wri_fill_owners_visit(&s->owners, 2, add_volume, s);
    wri_parallel_for(s->tasks, s->soup->triangle_count, GRAIN, find_far, s);
    drop_empty(p);
    return true;
}

bool wri_fill_points_spread(wri_fill_points *points, wri_arena *arena, const wri_soup *soup,
                            const wri_fill_solid *solid, const wri_fill_size *size, double total,
                            int count, const wr_tasks *tasks)
{
    spreader s = {.soup = soup, .solid = solid, .size = size, .tasks = tasks, .points = points};
    s.owners = (wri_fill_owners){.solid = solid, .tasks = tasks, .points = points};
    *points = (wri_fill_points){.count = count};
    points->x = wri_arena_alloc(arena, (size_t)count, sizeof *points->x);
    s.moments = wri_arena_alloc(arena, (size_t)count, sizeof *s.moments);
    if (!points->x || !s.moments || !wri_fill_owners_create(&s.owners, arena)) {
        return false;
    }
    start(&s, total);
    return relax(&s, arena) && share(&s, arena);
}
