// crossing.c: which triangles of a surface cross each other.
//
// The test follows T. Moeller, A fast triangle-triangle intersection test (1997): where both
// triangles reach to both sides of the other's plane, each cuts a segment out of the line in which
// the planes meet, and they cross when the segments overlap. Distances are computed in double from
// float positions, so their own error (1e-16 of the size) is far below `touch`, which stands for
// the roundings in the positions themselves; distances up to it count as zero, and corners that the
// triangles share are zero by definition.
//
// Robust: neighbours, coplanar neighbours in any position, coplanar triangles that overlap,
// triangles that pass exactly through an edge or a corner. Not robust: which side of `touch` a
// contact lies on; and two surfaces that cross exactly along an edge of both, without common
// corners, are missed.
#include "topology.h"

#include "bvh.h"

typedef struct triangle {
    double p[3][3];
    double normal[3]; // unit length
    double area;      // twice
} triangle;

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double normalize(double v[3])
{
    double length = sqrt(dot(v, v));
    for (int k = 0; k < 3 && length > 0.0; k++) {
        v[k] /= length;
    }
    return length;
}

static triangle load(const wr_vec3 *points, const int *corners, wr_vec3 origin)
{
    triangle t;
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        wr_vec3 p = points[corners[k]];
        t.p[k][0] = (double)p.x - origin.x;
        t.p[k][1] = (double)p.y - origin.y;
        t.p[k][2] = (double)p.z - origin.z;
    }
    subtract(t.p[1], t.p[0], u);
    subtract(t.p[2], t.p[0], v);
    cross(u, v, t.normal);
    t.area = normalize(t.normal);
    return t;
}

// Computes distances of s's corners from t's plane; returns the number of zeros, or -1 when all
// corners lie on one side.
static int distances(const triangle *s, const triangle *t, const bool shared[3], double touch,
                     double out[3])
{
    int zeros = 0, above = 0, below = 0;
    for (int k = 0; k < 3; k++) {
        double v[3];
        subtract(s->p[k], t->p[0], v);
        out[k] = dot(v, t->normal);
        if (shared[k] || fabs(out[k]) <= touch) {
            out[k] = 0.0;
        }
        zeros += out[k] == 0.0;
        above += out[k] > 0.0;
        below += out[k] < 0.0;
    }
    return above == 3 || below == 3 ? -1 : zeros;
}

// The part of a line that a triangle cuts out. cut returns false for nothing or a point.
typedef struct segment {
    double low, high;
    bool is_inside; // it goes through the inside of the triangle; otherwise it is one of its edges
} segment;

static bool cut(const triangle *t, const double d[3], const double line[3], segment *out)
{
    double u[3];
    int count = 0;
    *out = (segment){INFINITY, -INFINITY, false};
    for (int k = 0; k < 3; k++) {
        u[k] = dot(t->p[k], line);
        if (d[k] == 0.0) {
            out->low = fmin(out->low, u[k]);
            out->high = fmax(out->high, u[k]);
            count++;
        }
    }
    for (int k = 0; k < 3; k++) {
        int j = (k + 1) % 3;
        if ((d[k] < 0.0 && d[j] > 0.0) || (d[k] > 0.0 && d[j] < 0.0)) {
            double x = u[k] + (u[j] - u[k]) * (d[k] / (d[k] - d[j]));
            out->low = fmin(out->low, x);
            out->high = fmax(out->high, x);
            out->is_inside = true;
            count++;
        }
    }
    return count >= 2;
}

// True when one of a's sides has all of b behind it, in the plane without the given axis.
static bool separates(const triangle *a, const triangle *b, int axis, double touch)
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    double side = a->normal[axis] > 0.0 ? 1.0 : -1.0;
    for (int k = 0; k < 3; k++) {
        const double *p = a->p[k], *q = a->p[(k + 1) % 3];
        double ex = q[x] - p[x], ey = q[y] - p[y], length = sqrt(ex * ex + ey * ey);
        bool behind = true;
        for (int j = 0; j < 3 && behind; j++) {
            double inside = side * (ex * (b->p[j][y] - p[y]) - ey * (b->p[j][x] - p[x]));
            behind = inside <= touch * length;
        }
        if (behind) {
            return true;
        }
    }
    return false;
}

static bool coplanar_overlap(const triangle *s, const triangle *t, double touch)
{
    const double *n = s->area > t->area ? s->normal : t->normal;
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        axis = fabs(n[k]) > fabs(n[axis]) ? k : axis;
    }
    return !separates(s, t, axis, touch) && !separates(t, s, axis, touch);
}

static int find_shared(const int *s, const int *t, bool of_s[3], bool of_t[3])
{
    int count = 0;
    for (int k = 0; k < 3; k++) {
        of_s[k] = of_t[k] = false;
    }
    for (int k = 0; k < 9; k++) {
        if (s[k / 3] == t[k % 3]) {
            of_s[k / 3] = of_t[k % 3] = true;
            count++;
        }
    }
    return count;
}

bool wri_triangles_cross(const wr_vec3 *points, const int *s, const int *t, double touch)
{
    bool of_s[3], of_t[3];
    int common = find_shared(s, t, of_s, of_t);
    if (common >= 3) {
        return false; // duplicates are counted as such
    }
    wr_vec3 origin = points[s[0]];
    triangle a = load(points, s, origin), b = load(points, t, origin);
    double from_b[3], from_a[3];
    int zeros = distances(&a, &b, of_s, touch, from_b);
    if (zeros < 0 || (zeros < 3 && common == 2 && fabs(dot(a.normal, b.normal)) < 0.5)) {
        return false; // neighbours at an angle: the usual case
    }
    int others = distances(&b, &a, of_t, touch, from_a);
    if (others < 0) {
        return false;
    }
    if (zeros == 3 || others == 3) {
        return coplanar_overlap(&a, &b, touch);
    }
    double line[3];
    cross(a.normal, b.normal, line);
    segment x, y;
    if (!(normalize(line) > 0.0) || !cut(&a, from_b, line, &x) || !cut(&b, from_a, line, &y)) {
        return false;
    }
    return (x.is_inside || y.is_inside) && fmin(x.high, y.high) - fmax(x.low, y.low) > touch;
}

// --- search -----------------------------------------------------------------------------------
//
// How many pairs a soup of triangles has to be tested for grows with the square of its size, so the
// search has a budget. It is dealt out to blocks of triangles in rounds: all get the same share,
// then those that ran out share what the others left. Blocks and shares follow from the surface
// alone, and so does what is found.

enum { GRAIN = 256, ROUNDS = 8 };

typedef struct block {
    int next;       // place in bvh.items of the triangle to search for
    int64_t visits; // spent in the last round
} block;

typedef struct search {
    const wri_topology *s;
    wri_bvh bvh;
    wr_box *boxes;
    double touch;
    int64_t share; // visits for each block that is not done, in this round
    int *crossings;
    block *blocks;
} search;

typedef struct visitor {
    const search *q;
    int triangle;
    int64_t left;
} visitor;

// Whatever is visited costs: in a soup the pairs that are tested from their other side are many.
static bool visit(void *context, int other)
{
    visitor *v = context;
    const search *q = v->q;
    if (v->left == 0) {
        v->left = -1; // there was more to see
        return false;
    }
    v->left--;
    if (other > v->triangle && wri_boxes_overlap(q->boxes[other], q->boxes[v->triangle])) {
        const int *corners = q->s->corners;
        q->crossings[v->triangle] += wri_triangles_cross(q->s->points, &corners[3 * v->triangle],
                                                         &corners[3 * other], q->touch);
    }
    return true;
}

// A triangle that the share ends in is searched for again in the next round, from the beginning.
static void search_block(void *context, int index, int begin, int end)
{
    const search *q = context;
    block *b = &q->blocks[index];
    visitor v = {.q = q, .left = q->share};
    b->next = b->next < begin ? begin : b->next;
    for (; b->next < end; b->next++) {
        v.triangle = q->bvh.items[b->next];
        q->crossings[v.triangle] = 0;
        wri_bvh_find(&q->bvh, q->boxes[v.triangle], visit, &v);
        if (v.left < 0) {
            break;
        }
    }
    b->visits = q->share - (v.left < 0 ? 0 : v.left);
}

// Returns whether everything was searched.
static bool search_all(search *q, const wr_tasks *tasks, int64_t budget)
{
    int count = q->bvh.item_count, blocks = wri_block_count(count, GRAIN), open = blocks;
    for (int round = 0; round < ROUNDS && open > 0 && budget >= open; round++) {
        q->share = budget / open;
        wri_parallel_for(tasks, count, GRAIN, search_block, q);
        open = 0;
        for (int i = 0; i < blocks; i++) {
            int begin = i * GRAIN, end = count - begin < GRAIN ? count : begin + GRAIN;
            open += q->blocks[i].next < end;
            budget -= q->blocks[i].visits;
        }
    }
    return open == 0;
}

// Returns the box, larger by the touching distance and by a rounding, so that boxes never decide.
static wr_box triangle_box(const wri_topology *s, int index, float margin)
{
    wr_box box = WR_BOX_EMPTY;
    for (int k = 0; k < 3; k++) {
        wr_vec3 p = s->points[s->corners[3 * index + k]];
        box = wr_box_add(box, wr_sub(p, wr_v3(margin, margin, margin)));
        box = wr_box_add(box, wr_add(p, wr_v3(margin, margin, margin)));
    }
    return box;
}

bool wri_topology_find_crossings(const wri_topology *s, const wr_tasks *tasks, int64_t visits,
                                 int *crossings, bool *complete)
{
    search q = {.s = s, .touch = WRI_TOUCH * s->size, .crossings = crossings};
    size_t n = (size_t)s->triangle_count;
    uint8_t *keep = wri_arena_alloc(s->arena, n, 1);
    q.boxes = wri_arena_alloc(s->arena, n, sizeof *q.boxes);
    if (!keep || !q.boxes) {
        return false;
    }
    for (int i = 0; i < s->triangle_count; i++) {
        crossings[i] = 0;
        keep[i] =
            wri_takes_part(s->fate[i]) && !wri_is_thin(s->points, &s->corners[3 * i], s->size);
        q.boxes[i] = triangle_box(s, i, (float)(2.0 * q.touch));
    }
    if (!wri_bvh_build(&q.bvh, s->arena, q.boxes, keep, s->triangle_count)) {
        return false;
    }
    q.blocks =
        wri_arena_alloc(s->arena, (size_t)wri_block_count(q.bvh.item_count, GRAIN), sizeof(block));
    if (!q.blocks) {
        return false;
    }
    *complete = search_all(&q, tasks, visits);
    return true;
}
