// polygon.c: polygons into triangles, ear by ear.
//
// The corners are seen along Newell's normal, in which also slightly bent polygons have a clear
// inside. An ear is a convex corner b between a and c whose triangle a b c contains no other
// corner; every simple polygon has two of them (Meisters 1975). Only corners that are not convex
// can be in the way: they stand in a tree of boxes in Morton order, which a triangle passes in
// about sqrt(n) steps. Cutting an ear can make ears of its two neighbours only, and a neighbour
// waits for the next round, so that the triangles stay stout while the polygon becomes coarser.
//
// Polygons that cross themselves have no right answer: where no ear is left the rest becomes a fan,
// so that n - 2 triangles always come out.
#include "model.h"

#include <stdlib.h>

enum {
    MOST_CORNERS = 1 << 20, // limit for a polygon that is not convex
    LEAF = 4,               // corners in a box of the lowest level
};

typedef struct point {
    double x, y;
} point;

typedef struct box {
    double min_x, min_y, max_x, max_y;
} box;

typedef struct cutter {
    const point *p;
    int *before, *after; // neighbours in the ring; after is -1 for corners that were cut off
    int left;            // corners in the ring
    int *slot;           // slot in `blockers`; -1: convex
    int *blockers;       // corners by leaves; -1: none or convex by now
    box *boxes;          // 1 is the root, 2 i and 2 i + 1 are the children of i
    int leaf_count;      // a power of two; the boxes of leaves begin there
    int *list, *next;    // corners that may be ears, in this round and the next
    int next_count;
    int *asked; // the round in which a corner came on the next list
    int round;
    bool strict; // corners on the rim of a triangle are in its way, too
    int64_t work;
    int *triangles; // place of the next one
} cutter;

// --- shape ------------------------------------------------------------------------------------

typedef struct direction {
    double x, y, z;
} direction;

static direction minus(wr_vec3 a, wr_vec3 b)
{
    return (direction){(double)a.x - (double)b.x, (double)a.y - (double)b.y,
                       (double)a.z - (double)b.z};
}

static direction cross(direction a, direction b)
{
    return (direction){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(direction a, direction b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static direction newell_normal(const wr_vec3 *p, int n)
{
    direction normal = {0.0, 0.0, 0.0};
    for (int i = 2; i < n; i++) { // relative to corner 0: no cancellation far from the origin
        direction d = cross(minus(p[i - 1], p[0]), minus(p[i], p[0]));
        normal = (direction){normal.x + d.x, normal.y + d.y, normal.z + d.z};
    }
    return normal;
}

// True for convex polygons, and also where there is no inside at all.
static bool is_convex(const wr_vec3 *p, int n, direction normal)
{
    for (int i = 0; i < n; i++) {
        wr_vec3 a = p[i], b = p[(i + 1) % n], c = p[(i + 2) % n];
        if (dot(cross(minus(b, a), minus(c, a)), normal) < 0.0) {
            return false;
        }
    }
    return true;
}

// Projects into the plane across the normal, with the orthonormal frame of Duff et al. 2017, which
// is exact for normals along an axis.
static void flatten(const wr_vec3 *corners, int n, direction normal, point *out)
{
    double length = sqrt(dot(normal, normal));
    double x = normal.x / length, y = normal.y / length, z = normal.z / length;
    double sign = copysign(1.0, z), a = -1.0 / (sign + z), b = x * y * a;
    direction u = {1.0 + sign * x * x * a, sign * b, -sign * x};
    direction v = {b, sign + y * y * a, -y};
    for (int i = 0; i < n; i++) {
        direction d = minus(corners[i], corners[0]);
        out[i] = (point){dot(u, d), dot(v, d)};
    }
}

// Positive when a, b, c turn to the left.
static double turn(point a, point b, point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double turn_at(const cutter *c, int i)
{
    return turn(c->p[c->before[i]], c->p[i], c->p[c->after[i]]);
}

static bool is_same(point a, point b)
{
    return a.x == b.x && a.y == b.y;
}

// --- corners in the way -----------------------------------------------------------------------

static const box EMPTY = {INFINITY, INFINITY, -INFINITY, -INFINITY};

static box join(box a, box b)
{
    return (box){fmin(a.min_x, b.min_x), fmin(a.min_y, b.min_y), fmax(a.max_x, b.max_x),
                 fmax(a.max_y, b.max_y)};
}

static box leaf_box(const cutter *c, int leaf)
{
    box all = EMPTY;
    for (int i = LEAF * leaf; i < LEAF * (leaf + 1); i++) {
        if (c->blockers[i] >= 0) {
            point p = c->p[c->blockers[i]];
            all = join(all, (box){p.x, p.y, p.x, p.y});
        }
    }
    return all;
}

// A corner that became convex is in nobody's way.
static void remove_blocker(cutter *c, int corner)
{
    int leaf = c->slot[corner] / LEAF;
    c->blockers[c->slot[corner]] = -1;
    c->slot[corner] = -1;
    c->boxes[c->leaf_count + leaf] = leaf_box(c, leaf);
    for (int i = (c->leaf_count + leaf) / 2; i >= 1; i /= 2) {
        c->boxes[i] = join(c->boxes[2 * i], c->boxes[2 * i + 1]);
    }
}

// False when the whole box is to the right of the edge from a to b.
static bool reaches_left(const box *o, point a, point b)
{
    double x = b.x - a.x, y = b.y - a.y;
    double most =
        x * ((x >= 0.0 ? o->max_y : o->min_y) - a.y) - y * ((y >= 0.0 ? o->min_x : o->max_x) - a.x);
    return most >= 0.0;
}

static bool touches(const box *o, const point t[3])
{
    double min_x = fmin(t[0].x, fmin(t[1].x, t[2].x)), max_x = fmax(t[0].x, fmax(t[1].x, t[2].x));
    double min_y = fmin(t[0].y, fmin(t[1].y, t[2].y)), max_y = fmax(t[0].y, fmax(t[1].y, t[2].y));
    return o->min_x <= max_x && o->max_x >= min_x && o->min_y <= max_y && o->max_y >= min_y &&
           reaches_left(o, t[0], t[1]) && reaches_left(o, t[1], t[2]) &&
           reaches_left(o, t[2], t[0]);
}

static bool is_within(const cutter *c, const point t[3], point q)
{
    if (is_same(q, t[0]) || is_same(q, t[1]) || is_same(q, t[2])) {
        return false; // the bridge to a hole passes the same points twice
    }
    double least = fmin(turn(t[0], t[1], q), fmin(turn(t[1], t[2], q), turn(t[2], t[0], q)));
    return c->strict ? least >= 0.0 : least > 0.0;
}

static bool is_blocked(cutter *c, const point t[3])
{
    int stack[64] = {1}, depth = 1; // two per level, at most 20 levels
    while (depth > 0) {
        int node = stack[--depth];
        c->work++;
        if (!touches(&c->boxes[node], t)) {
            continue;
        }
        if (node < c->leaf_count) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        const int *blockers = c->blockers + LEAF * (node - c->leaf_count);
        for (int i = 0; i < LEAF; i++) {
            if (blockers[i] >= 0 && is_within(c, t, c->p[blockers[i]])) {
                return true;
            }
        }
    }
    return false;
}

// --- preparation ------------------------------------------------------------------------------

typedef struct morton {
    uint64_t code;
    int corner;
} morton;

static int compare_codes(const void *a, const void *b)
{
    const morton *s = a, *t = b;
    return s->code != t->code ? (s->code > t->code) - (s->code < t->code)
                              : (s->corner > t->corner) - (s->corner < t->corner);
}

// The lower 31 bits, with a zero between every two.
static uint64_t spread(uint64_t bits)
{
    static const uint64_t masks[] = {0x0000ffff0000ffff, 0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f,
                                     0x3333333333333333, 0x5555555555555555};
    for (int i = 0; i < WRI_COUNT(masks); i++) {
        bits = (bits | bits << (16 >> i)) & masks[i];
    }
    return bits;
}

// Corners as far away as floats go may be no number here: any place in the order will do.
static uint64_t morton_digit(double value, double low, double size)
{
    double part = (value - low) / size;
    part = part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0;
    return spread((uint64_t)(part * 2147483647.0));
}

static uint64_t morton_code(point p, const box *all)
{
    double size = fmax(all->max_x - all->min_x, all->max_y - all->min_y);
    return morton_digit(p.x, all->min_x, size) | morton_digit(p.y, all->min_y, size) << 1;
}

// Fills slots, blockers and boxes.
static bool plant(cutter *c, wr_scratch *scratch)
{
    int count = 0;
    box all = EMPTY;
    morton *codes = wr_scratch_push(scratch, (size_t)c->left, sizeof *codes);
    for (int i = 0; codes && i < c->left; i++) {
        c->slot[i] = -1;
        all = join(all, (box){c->p[i].x, c->p[i].y, c->p[i].x, c->p[i].y});
        if (!(turn_at(c, i) > 0.0)) {
            codes[count++].corner = i;
        }
    }
    for (c->leaf_count = 1; c->leaf_count * LEAF < count;) {
        c->leaf_count *= 2;
    }
    size_t room = (size_t)c->leaf_count * LEAF;
    c->blockers = wr_scratch_push(scratch, room, sizeof *c->blockers);
    c->boxes = wr_scratch_push(scratch, 2 * (size_t)c->leaf_count, sizeof *c->boxes);
    if (!codes || !c->blockers || !c->boxes) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        codes[i].code = morton_code(c->p[codes[i].corner], &all);
    }
    qsort(codes, (size_t)count, sizeof *codes, compare_codes);
    for (int i = 0; i < (int)room; i++) {
        c->blockers[i] = i < count ? codes[i].corner : -1;
        if (i < count) {
            c->slot[codes[i].corner] = i;
        }
    }
    for (int i = 0; i < c->leaf_count; i++) {
        c->boxes[c->leaf_count + i] = leaf_box(c, i);
    }
    for (int i = c->leaf_count - 1; i >= 1; i--) {
        c->boxes[i] = join(c->boxes[2 * i], c->boxes[2 * i + 1]);
    }
    return true;
}

static bool prepare(cutter *c, wr_scratch *scratch, const wr_vec3 *corners, int n, direction normal)
{
    size_t count = (size_t)n;
    point *points = wr_scratch_push(scratch, count, sizeof *points);
    c->before = wr_scratch_push(scratch, count, sizeof *c->before);
    c->after = wr_scratch_push(scratch, count, sizeof *c->after);
    c->slot = wr_scratch_push(scratch, count, sizeof *c->slot);
    c->list = wr_scratch_push(scratch, count, sizeof *c->list);
    c->next = wr_scratch_push(scratch, count, sizeof *c->next);
    c->asked = wr_scratch_push(scratch, count, sizeof *c->asked);
    if (!points || !c->before || !c->after || !c->slot || !c->list || !c->next || !c->asked) {
        return false;
    }
    flatten(corners, n, normal, points);
    c->p = points;
    c->left = n;
    for (int i = 0; i < n; i++) {
        c->before[i] = (i + n - 1) % n;
        c->after[i] = (i + 1) % n;
    }
    return plant(c, scratch);
}

// --- cutting ----------------------------------------------------------------------------------

static void put(cutter *c, int corner)
{
    c->triangles[0] = c->before[corner];
    c->triangles[1] = corner;
    c->triangles[2] = c->after[corner];
    c->triangles += 3;
}

static bool is_ear(cutter *c, int i)
{
    const point t[3] = {c->p[c->before[i]], c->p[i], c->p[c->after[i]]};
    double at = turn(t[0], t[1], t[2]);
    return (c->strict ? at > 0.0 : at >= 0.0) && !is_blocked(c, t);
}

static void ask_again(cutter *c, int i)
{
    if (c->slot[i] >= 0 && turn_at(c, i) > 0.0) {
        remove_blocker(c, i);
    }
    if (c->asked[i] != c->round) {
        c->asked[i] = c->round;
        c->next[c->next_count++] = i;
    }
}

static void cut(cutter *c, int ear)
{
    int before = c->before[ear], after = c->after[ear];
    put(c, ear);
    if (c->slot[ear] >= 0) { // flat
        remove_blocker(c, ear);
    }
    c->after[before] = after;
    c->before[after] = before;
    c->after[ear] = -1;
    c->left--;
    ask_again(c, before);
    ask_again(c, after);
}

// Cuts what can be cut, beginning with the first `count` corners of the list. False: too much work.
static bool cut_rounds(cutter *c, int count, int64_t limit)
{
    while (count > 0 && c->left > 3) {
        c->round++;
        c->next_count = 0;
        for (int i = 0; i < count && c->left > 3; i++) {
            int corner = c->list[i];
            if (c->after[corner] >= 0 && c->asked[corner] != c->round && is_ear(c, corner)) {
                cut(c, corner);
            }
            if (c->work > limit) {
                return false;
            }
        }
        int *list = c->list;
        c->list = c->next;
        c->next = list;
        count = c->next_count;
    }
    return true;
}

static void fan(cutter *c, int first)
{
    for (int i = c->after[first]; c->after[i] != first; i = c->after[i]) {
        c->before[i] = first;
        put(c, i);
    }
}

// Boxes that may be looked at: more than twice what stars, spirals and sieves need, be they small
// or of a million corners, where those need 650 for each.
static int64_t most_work(int n)
{
    return (int64_t)(n * (200.0 + 2.0 * sqrt(n)));
}

// Corners that touch a triangle's rim may lie in the way of all ears; then they no longer count.
static bool cut_ears(cutter *c, int n)
{
    int first = 0;
    for (bool more = true; more;) {
        int left = c->left, count = 0;
        for (int i = 0; i < n; i++) {
            if (c->after[i] >= 0) {
                c->list[count++] = i;
            }
        }
        c->work += n;
        if (!cut_rounds(c, count, most_work(n))) {
            return false;
        }
        bool some = c->left < left;
        more = c->left > 3 && (some || c->strict);
        c->strict = some;
    }
    while (c->after[first] < 0) {
        first++;
    }
    fan(c, first);
    return true;
}

bool wri_polygon_split(wr_scratch *scratch, const wr_vec3 *corners, int n, int *triangles,
                       wr_error *error)
{
    WR_ASSERT(n >= 3);
    direction normal = newell_normal(corners, n);
    if (n == 3 || is_convex(corners, n, normal)) {
        for (int i = 2; i < n; i++, triangles += 3) {
            triangles[0] = 0;
            triangles[1] = i - 1;
            triangles[2] = i;
        }
        return true;
    }
    if (n > MOST_CORNERS) {
        return wri_fail(error, WR_E_UNSUPPORTED,
                        "a concave polygon of %d corners, expected at most %d", n, MOST_CORNERS);
    }
    wri_scratch_reset(scratch);
    cutter c = {.triangles = triangles, .strict = true};
    if (!prepare(&c, scratch, corners, n, normal)) {
        return wri_fail_memory(error, (size_t)n * sizeof(point));
    }
    return cut_ears(&c, n) ||
           wri_fail(error, WR_E_UNSUPPORTED,
                    "a polygon of %d corners is too tangled to be cut into triangles", n);
}

// --- polygon after polygon --------------------------------------------------------------------

wri_polygon wri_polygon_create(const wr_allocator *allocator)
{
    return (wri_polygon){.corners = wri_array_create(allocator, sizeof(int)),
                         .points = wri_array_create(allocator, sizeof(wr_vec3)),
                         .scratch = wri_scratch_create(allocator)};
}

void wri_polygon_destroy(wri_polygon *polygon)
{
    wri_array_destroy(&polygon->corners);
    wri_array_destroy(&polygon->points);
    wri_scratch_destroy(&polygon->scratch);
}

bool wri_polygon_add(wri_polygon *polygon, int corner, wr_vec3 position, wr_error *error)
{
    int *added = wri_array_add(&polygon->corners, 1);
    wr_vec3 *place = wri_array_add(&polygon->points, 1);
    if (!added || !place) {
        return wri_fail_memory(error, sizeof *place);
    }
    *added = corner;
    *place = position;
    return true;
}

bool wri_polygon_cut(wri_polygon *polygon, wri_array *triangles, wr_error *error)
{
    int n = polygon->corners.count;
    const int *corners = polygon->corners.items;
    int *out = n > INT32_MAX / 3 ? NULL : wri_array_add(triangles, 3 * (n - 2));
    if (!out) {
        return wri_fail_memory(error, (size_t)n * 3 * sizeof *out);
    }
    if (!wri_polygon_split(&polygon->scratch, polygon->points.items, n, out, error)) {
        return false;
    }
    for (int i = 0; i < 3 * (n - 2); i++) {
        out[i] = corners[out[i]];
    }
    polygon->corners.count = polygon->points.count = 0;
    return true;
}
