// embed.c: where the points of a render mesh ride in a simulation mesh.
//
// The elements of each part stand in a tree of boxes. A point takes the element in which its
// smallest barycentric weight is largest; when that is negative everywhere, the element that is
// nearest to it.
#include "wrought/author.h"

#include "../geometry/bvh.h"
#include "../geometry/winding.h"

enum { GRAIN = 256, DEPTH_MAX = 64 };

#define NEAR 0.1 // share of the spacing, farther than the nearest

typedef struct embedder {
    const wr_lattice *lattice;
    const wr_vec3 *points;
    const int *parts;
    wr_ride *rides;
    wri_bvh *trees; // one per part
    int *order;     // elements, part after part
    int *begin;     // beginning of each part in order
    wr_ride_report *blocks;
} embedder;

static void element_corners(const wr_lattice *l, int element, double out[4][3])
{
    int n = l->dimension + 1;
    for (int k = 0; k < n; k++) {
        wr_vec3 p = l->rest[l->elements[(size_t)n * (size_t)element + (size_t)k]];
        out[k][0] = p.x, out[k][1] = p.y, out[k][2] = p.z;
    }
}

static double determinant(const double *o, const double *a, const double *b, const double *c)
{
    double e[3][3];
    for (int k = 0; k < 3; k++) {
        e[0][k] = a[k] - o[k], e[1][k] = b[k] - o[k], e[2][k] = c[k] - o[k];
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static double area2(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static void find_weights(int dimension, const double c[4][3], const double p[3], double w[4])
{
    if (dimension == 3) {
        double all = determinant(c[0], c[1], c[2], c[3]);
        w[1] = determinant(c[0], p, c[2], c[3]) / all;
        w[2] = determinant(c[0], c[1], p, c[3]) / all;
        w[3] = determinant(c[0], c[1], c[2], p) / all;
    } else {
        double all = area2(c[0], c[1], c[2]);
        w[1] = area2(c[0], p, c[2]) / all;
        w[2] = area2(c[0], c[1], p) / all;
        w[3] = 0.0;
    }
    w[0] = 1.0 - w[1] - w[2] - w[3];
}

static double least_weight(int dimension, const double w[4])
{
    double least = fmin(w[0], fmin(w[1], w[2]));
    return dimension == 3 ? fmin(least, w[3]) : least;
}

// Squared distance to an element that does not contain p.
static double element_distance2(int dimension, const double c[4][3], const double p[3])
{
    static const int faces[4][3] = {{0, 1, 2}, {1, 2, 3}, {0, 2, 3}, {0, 1, 3}};
    double best = INFINITY;
    for (int f = 0; f < (dimension == 3 ? 4 : 1); f++) {
        double t[3][3], n[3], d2 = 0.0;
        for (int k = 0; k < 3; k++) {
            memcpy(t[k], c[faces[f][k]], sizeof t[k]);
        }
        wri_triangle_nearest(p, (const double(*)[3])t, n);
        for (int k = 0; k < 3; k++) {
            d2 += (n[k] - p[k]) * (n[k] - p[k]);
        }
        best = fmin(best, d2);
    }
    return best;
}

typedef struct query {
    const embedder *e;
    double p[3];
    int part;
    int element;      // best so far, -1: none
    double least;     // its smallest weight
    double distance2; // squared distance to the nearest element
    double limit2;    // farther elements do not count; 0: only those that contain the point
    double weights[4];
} query;

// First round: the smallest distance. Second one: of all within the limit that which carries the
// point with the shortest lever, since a flat element at the boundary is a long one.
static void look_at(query *q, int element)
{
    double c[4][3], w[4];
    int dimension = q->e->lattice->dimension;
    element_corners(q->e->lattice, element, c);
    find_weights(dimension, (const double(*)[3])c, q->p, w);
    double least = least_weight(dimension, w);
    double d2 = least >= 0.0 ? 0.0 : element_distance2(dimension, (const double(*)[3])c, q->p);
    q->distance2 = d2 < q->distance2 ? d2 : q->distance2;
    if (d2 <= q->limit2 && least > q->least) {
        q->element = element;
        q->least = least;
        memcpy(q->weights, w, sizeof w);
    }
}

static void visit_elements(query *q, int part, bool is_second)
{
    const wri_bvh *tree = &q->e->trees[part];
    int stack[DEPTH_MAX], depth = 0;
    if (tree->node_count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        int index = stack[--depth];
        const wri_bvh_node *n = &tree->nodes[index];
        if (wri_box_distance2(n->box, q->p) > (is_second ? q->limit2 : q->distance2)) {
            continue;
        }
        if (n->count > 0) {
            for (int i = n->first; i < n->first + n->count; i++) {
                look_at(q, q->e->order[q->e->begin[part] + tree->items[i]]);
            }
            continue;
        }
        double left = wri_box_distance2(tree->nodes[index + 1].box, q->p);
        double right = wri_box_distance2(tree->nodes[n->first].box, q->p);
        stack[depth++] = left <= right ? n->first : index + 1;
        stack[depth++] = left <= right ? index + 1 : n->first;
    }
}

static void find_element(query *q)
{
    int first = q->part < 0 ? 0 : q->part;
    int last = q->part < 0 ? q->e->lattice->report.parts - 1 : q->part;
    for (int i = first; i <= last; i++) {
        visit_elements(q, i, false);
    }
    double reach = sqrt(q->distance2) + NEAR * q->e->lattice->report.spacing;
    q->limit2 = reach * reach;
    for (int i = first; q->distance2 > 0.0 && i <= last; i++) {
        visit_elements(q, i, true);
    }
}

static void ride_block(void *context, int block, int begin, int end)
{
    embedder *e = context;
    wr_ride_report *report = &e->blocks[block];
    report->least_weight = INFINITY;
    for (int i = begin; i < end; i++) {
        wr_vec3 p = e->points[i];
        query q = {.e = e,
                   .p = {p.x, p.y, e->lattice->dimension == 3 ? p.z : 0.0},
                   .part = e->parts ? e->parts[i] : -1,
                   .element = -1,
                   .least = -INFINITY,
                   .distance2 = INFINITY};
        find_element(&q);
        wr_ride *ride = &e->rides[i];
        ride->element = q.element;
        for (int k = 0; k < 4; k++) {
            ride->weights[k] = (float)q.weights[k];
        }
        if (e->lattice->dimension == 2) {
            ride->weights[3] = p.z; // its height
        }
        report->outside += q.least < 0.0;
        report->least_weight = fmin(report->least_weight, q.least);
        report->largest_outside = fmax(report->largest_outside, sqrt(q.distance2));
    }
}

static void sort_elements(embedder *e)
{
    const wr_lattice *l = e->lattice;
    int corners = l->dimension + 1;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < l->element_count; i++) {
            int part = l->vertex_parts[l->elements[(size_t)corners * (size_t)i]];
            if (round == 0) {
                e->begin[part + 2]++;
            } else {
                e->order[e->begin[part + 1]++] = i;
            }
        }
        for (int i = 0; round == 0 && i < l->report.parts; i++) {
            e->begin[i + 2] += e->begin[i + 1];
        }
    }
}

static bool build_trees(embedder *e, wri_arena *arena)
{
    const wr_lattice *l = e->lattice;
    size_t parts = (size_t)l->report.parts, count = (size_t)l->element_count;
    wr_box *boxes = wri_arena_alloc(arena, count, sizeof *boxes);
    e->order = wri_arena_alloc(arena, count, sizeof *e->order);
    e->begin = wri_arena_alloc(arena, parts + 2, sizeof *e->begin);
    e->trees = wri_arena_alloc(arena, parts, sizeof *e->trees);
    if (!boxes || !e->order || !e->begin || !e->trees) {
        return false;
    }
    sort_elements(e);
    for (int i = 0; i < l->element_count; i++) {
        double c[4][3];
        element_corners(l, e->order[i], c);
        boxes[i] = WR_BOX_EMPTY;
        for (int k = 0; k <= l->dimension; k++) {
            boxes[i] = wr_box_add(boxes[i], wr_v3((float)c[k][0], (float)c[k][1], (float)c[k][2]));
        }
    }
    bool ok = true;
    for (int i = 0; ok && i < l->report.parts; i++) {
        int first = e->begin[i];
        ok = wri_bvh_build(&e->trees[i], arena, boxes + first, NULL, e->begin[i + 1] - first);
    }
    return ok;
}

static bool check_points(const wr_lattice *l, const wr_vec3 *points, const int *parts, int count,
                         wr_error *error)
{
    for (int i = 0; i < count; i++) {
        if (!wr_is_finite3(points[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "points[%d]: not finite", i);
        }
        if (parts && (parts[i] < -1 || parts[i] >= l->report.parts)) {
            return wri_fail(error, WR_E_ARGUMENT, "parts[%d]: %d not in [-1, %d]", i, parts[i],
                            l->report.parts - 1);
        }
    }
    return true;
}

bool wr_lattice_find_rides(const wr_lattice *lattice, const wr_vec3 *points, const int *parts,
                           int count, const wr_tasks *tasks, wr_ride *rides, wr_ride_report *report,
                           wr_error *error)
{
    if (!WRI_REQUIRE(error, lattice, rides) || !WRI_REQUIRE_LIST(error, points, count)) {
        return false;
    }
    WR_ASSERT(lattice->element_count > 0);
    if (!check_points(lattice, points, parts, count, error)) {
        return false;
    }
    wri_arena arena = wri_arena_create(NULL);
    int blocks = wri_block_count(count, GRAIN);
    embedder e = {.lattice = lattice, .points = points, .parts = parts, .rides = rides};
    e.blocks = wri_arena_alloc(&arena, (size_t)blocks, sizeof *e.blocks);
    bool ok = (e.blocks && build_trees(&e, &arena)) || wri_fail_memory(error, arena.total);
    if (ok) {
        wri_parallel_for(tasks, count, GRAIN, ride_block, &e);
        wr_ride_report sum = {.least_weight = count > 0 ? INFINITY : 0.0};
        for (int i = 0; i < blocks; i++) {
            sum.outside += e.blocks[i].outside;
            sum.largest_outside = fmax(sum.largest_outside, e.blocks[i].largest_outside);
            sum.least_weight = fmin(sum.least_weight, e.blocks[i].least_weight);
        }
        if (report) {
            *report = sum;
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}
