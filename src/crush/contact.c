// contact.c: sheets do not pass through one another.
//
// Surfaces cross where a point passes through a triangle or an edge through an edge. Pairs that are
// near are listed, each with the side on which it was when it was last beside the other (where no
// crossing can happen); while one is in front of the other that side is kept, with a gap. A side
// that is remembered lets pairs come back that went through within a step. Gaps are no wider than
// the pair was apart at rest.
#include "plate.h"

#include "../geometry/bvh.h"
#include "../math/double3.h"

#include <stdlib.h>

#define REACH 2.5 // thicknesses within which pairs are listed
#define SHOVE 0.1 // thicknesses by which a pair is moved apart in a step, at most: folds stay calm

wri_contacts wri_contacts_create(const wr_allocator *allocator)
{
    wri_contacts c = {.corners = wri_array_create(allocator, sizeof(wri_touch)),
                      .edges = wri_array_create(allocator, sizeof(wri_touch)),
                      .fresh = wri_array_create(allocator, sizeof(wri_touch))};
    return c;
}

void wri_contacts_destroy(wri_contacts *c)
{
    wri_array_destroy(&c->corners);
    wri_array_destroy(&c->edges);
    wri_array_destroy(&c->fresh);
}

// --- where two are ----------------------------------------------------------------------------

typedef struct meeting {
    double normal[3], distance;
    double weights[4]; // of the four points, so that distance = sum of weights times x . normal
    bool is_beside;    // one is not in front of the other
} meeting;

static double clamp(double x)
{
    return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

// How far apart they are, no nearer than they are.
static double gap_of(const double (*x)[3], const int v[4], const meeting *m, bool by_edges)
{
    double w[4] = {1.0, m->weights[1], m->weights[2], m->weights[3]}, d[3] = {0};
    if (by_edges) {
        w[1] = clamp(w[1]);
        w[0] = 1.0 - w[1];
        w[3] = -clamp(-w[3]);
        w[2] = -1.0 - w[3];
    } else {
        double b = clamp(-w[2]), c = clamp(-w[3]), sum = b + c > 1.0 ? b + c : 1.0;
        w[2] = -b / sum;
        w[3] = -c / sum;
        w[1] = -1.0 - w[2] - w[3];
    }
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            d[i] += w[k] * x[v[k]][i];
        }
    }
    return wri_length3(d);
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

// A point and a triangle.
static bool meet_corner(const double (*x)[3], const int v[4], meeting *m)
{
    double u[3], w[3], d[3];
    subtract(x[v[2]], x[v[1]], u);
    subtract(x[v[3]], x[v[1]], w);
    subtract(x[v[0]], x[v[1]], d);
    wri_cross3(u, w, m->normal);
    double uu = wri_dot3(u, u), uw = wri_dot3(u, w), ww = wri_dot3(w, w);
    double area2 = uu * ww - uw * uw, area = sqrt(area2 > 0.0 ? area2 : 0.0);
    if (!(area > 1e-4 * (uu + ww))) {
        return false;
    }
    double du = wri_dot3(d, u), dw = wri_dot3(d, w);
    double b = (ww * du - uw * dw) / area2, c = (uu * dw - uw * du) / area2;
    for (int k = 0; k < 3; k++) {
        m->normal[k] /= area;
    }
    m->distance = wri_dot3(d, m->normal);
    m->weights[0] = 1.0;
    m->weights[1] = b + c - 1.0;
    m->weights[2] = -b;
    m->weights[3] = -c;
    m->is_beside = b < 0.0 || c < 0.0 || b + c > 1.0;
    return true;
}

// Two edges, v0 v1 and v2 v3.
static bool meet_edges(const double (*x)[3], const int v[4], meeting *m)
{
    double u[3], w[3], d[3];
    subtract(x[v[1]], x[v[0]], u);
    subtract(x[v[3]], x[v[2]], w);
    subtract(x[v[0]], x[v[2]], d);
    wri_cross3(u, w, m->normal);
    double uu = wri_dot3(u, u), uw = wri_dot3(u, w), ww = wri_dot3(w, w);
    double area2 = uu * ww - uw * uw;
    if (!(area2 > 1e-3 * uu * ww)) {
        return false; // nearly parallel: their ends meet triangles
    }
    double du = wri_dot3(d, u), dw = wri_dot3(d, w), area = sqrt(area2);
    double s = (uw * dw - ww * du) / area2, t = (uu * dw - uw * du) / area2;
    for (int k = 0; k < 3; k++) {
        m->normal[k] /= area;
    }
    m->distance = wri_dot3(d, m->normal);
    m->weights[0] = 1.0 - s;
    m->weights[1] = s;
    m->weights[2] = t - 1.0;
    m->weights[3] = -t;
    m->is_beside = s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0;
    return true;
}

typedef bool meet_fn(const double (*x)[3], const int v[4], meeting *m);

// --- keeping apart ----------------------------------------------------------------------------

static void keep_apart(wri_touch *touch, meet_fn *meet, wri_plate *p)
{
    meeting m;
    const int *v = touch->points;
    if (!meet((const double(*)[3])p->x, v, &m)) {
        touch->side = 0; // edges that pass each other in parallel change sides
        return;
    }
    if (m.is_beside || touch->side == 0) {
        touch->side = m.distance < 0.0 ? -1 : 1;
        return;
    }
    double depth = touch->gap - touch->side * m.distance, sum = 0.0;
    if (depth <= 0.0) {
        return;
    }
    depth = depth < SHOVE * p->thickness ? depth : SHOVE * p->thickness;
    for (int k = 0; k < 4; k++) {
        sum += p->mobility[v[k]] * m.weights[k] * m.weights[k];
    }
    if (!(sum > 0.0)) {
        return;
    }
    for (int k = 0; k < 4; k++) {
        double share = touch->side * depth / sum * p->mobility[v[k]] * m.weights[k];
        for (int i = 0; i < 3; i++) {
            p->x[v[k]][i] += share * m.normal[i];
        }
    }
}

void wri_contacts_keep(wri_contacts *c, wri_plate *p)
{
    for (int i = 0; i < c->corners.count; i++) {
        keep_apart(&WRI_ITEM(c->corners, wri_touch, i), meet_corner, p);
    }
    for (int i = 0; i < c->edges.count; i++) {
        keep_apart(&WRI_ITEM(c->edges, wri_touch, i), meet_edges, p);
    }
}

// --- finding ----------------------------------------------------------------------------------

typedef struct search {
    const wri_plate *plate;
    wri_array *out;
    meet_fn *meet;
    const wr_box *boxes;
    wr_box box;
    int item, points[2];
    bool by_edges, ok;
    double reach;
} search;

static bool is_loose(const wri_plate *p, const int v[4])
{
    bool moves = false, same = p->part[v[0]] >= 0;
    for (int k = 0; k < 4; k++) {
        moves = moves || p->mobility[v[k]] > 0.0;
        same = same && p->part[v[k]] == p->part[v[0]];
        for (int i = 0; i < k; i++) {
            if (v[i] == v[k]) {
                return false;
            }
        }
    }
    return moves && !same;
}

static bool visit(void *context, int other)
{
    search *s = context;
    const wri_plate *p = s->plate;
    if (!wri_boxes_overlap(s->box, s->boxes[other]) || (s->by_edges && other <= s->item)) {
        return true;
    }
    int v[4] = {s->points[0], s->points[1]};
    if (s->by_edges) {
        v[2] = p->edges[other].a;
        v[3] = p->edges[other].b;
    } else {
        memcpy(v + 1, p->triangles[other], sizeof p->triangles[other]);
    }
    meeting now;
    if (wri_shells_cross(&p->shells, v[0], v[3]) || !is_loose(p, v) ||
        !s->meet((const double(*)[3])p->x, v, &now) ||
        gap_of((const double(*)[3])p->x, v, &now, s->by_edges) > 1.5 * s->reach) {
        return true;
    }
    double gap = p->thickness;
    for (int k = 0; k < 4; k++) {
        gap = p->room[v[k]] < gap ? p->room[v[k]] : gap;
    }
    wri_touch *touch = wri_array_add(s->out, 1);
    if (!touch) {
        return s->ok = false;
    }
    *touch = (wri_touch){.key = (uint64_t)s->item << 32 | (uint64_t)other,
                         .points = {v[0], v[1], v[2], v[3]},
                         .gap = (float)gap,
                         .side = now.distance < 0.0 ? -1 : 1};
    return true;
}

static int compare_touches(const void *a, const void *b)
{
    uint64_t x = ((const wri_touch *)a)->key, y = ((const wri_touch *)b)->key;
    return (x > y) - (x < y);
}

// Pairs that were there before keep their side.
static void take_over(wri_array *old, wri_array *fresh)
{
    if (fresh->count > 0) {
        qsort(fresh->items, (size_t)fresh->count, sizeof(wri_touch), compare_touches);
    }
    for (int i = 0, j = 0; i < fresh->count; i++) {
        wri_touch *touch = &WRI_ITEM(*fresh, wri_touch, i);
        while (j < old->count && WRI_ITEM(*old, wri_touch, j).key < touch->key) {
            j++;
        }
        if (j < old->count && WRI_ITEM(*old, wri_touch, j).key == touch->key) {
            touch->side = WRI_ITEM(*old, wri_touch, j).side;
        }
    }
    wri_array swap = *old;
    *old = *fresh;
    *fresh = swap;
    fresh->count = 0;
}

static wr_box points_box(const wri_plate *p, const int *points, int count, float margin)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < count; i++) {
        const double *x = p->x[points[i]];
        box = wr_box_add(box, wr_v3((float)x[0], (float)x[1], (float)x[2]));
    }
    wr_vec3 m = wr_v3(margin, margin, margin);
    return (wr_box){wr_sub(box.min, m), wr_add(box.max, m)};
}

// The bounds of what can move: elsewhere nothing meets.
static wr_box moving_box(const wri_plate *p, float margin)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < p->count; i++) {
        wr_vec3 at = wr_v3((float)p->x[i][0], (float)p->x[i][1], (float)p->x[i][2]);
        box = p->mobility[i] > 0.0 ? wr_box_add(box, at) : box;
    }
    wr_vec3 m = wr_v3(margin, margin, margin);
    return (wr_box){wr_sub(box.min, m), wr_add(box.max, m)};
}

static bool find_corners(wri_contacts *c, const wri_plate *p, wri_arena *arena, float reach)
{
    wr_box *boxes = wri_arena_alloc(arena, (size_t)p->triangle_count, sizeof *boxes);
    uint8_t *keep = wri_arena_alloc(arena, (size_t)p->triangle_count, 1);
    wr_box moving = moving_box(p, reach);
    wri_bvh tree = {0};
    if (!boxes || !keep) {
        return false;
    }
    for (int i = 0; i < p->triangle_count; i++) {
        boxes[i] = points_box(p, p->triangles[i], 3, 0.0f);
        keep[i] = wri_boxes_overlap(boxes[i], moving);
    }
    search s = {
        .plate = p, .out = &c->fresh, .meet = meet_corner, .boxes = boxes, .reach = (double)reach};
    s.ok = wri_bvh_build(&tree, arena, boxes, keep, p->triangle_count);
    for (int i = 0; s.ok && i < p->count; i++) {
        s.item = s.points[0] = i;
        s.box = points_box(p, &i, 1, reach);
        if (wri_boxes_overlap(s.box, moving)) {
            wri_bvh_find(&tree, s.box, visit, &s);
        }
    }
    take_over(&c->corners, &c->fresh);
    return s.ok;
}

static bool find_edges(wri_contacts *c, const wri_plate *p, wri_arena *arena, float reach)
{
    wr_box *boxes = wri_arena_alloc(arena, (size_t)p->skin_edge_count, sizeof *boxes);
    wri_bvh tree = {0};
    if (!boxes) {
        return false;
    }
    for (int i = 0; i < p->skin_edge_count; i++) {
        boxes[i] = points_box(p, (int[]){p->edges[i].a, p->edges[i].b}, 2, 0.0f);
    }
    search s = {.plate = p,
                .out = &c->fresh,
                .meet = meet_edges,
                .boxes = boxes,
                .by_edges = true,
                .reach = (double)reach};
    s.ok = wri_bvh_build(&tree, arena, boxes, NULL, p->skin_edge_count);
    for (int i = 0; s.ok && i < p->skin_edge_count; i++) {
        s.item = i;
        s.points[0] = p->edges[i].a;
        s.points[1] = p->edges[i].b;
        s.box = points_box(p, s.points, 2, reach);
        wri_bvh_find(&tree, s.box, visit, &s);
    }
    take_over(&c->edges, &c->fresh);
    return s.ok;
}

// Layers that are thin at rest stay as thin.
static void limit_room(const wri_array *touches, bool by_edges, wri_plate *p)
{
    const double(*x)[3] = (const double(*)[3])p->rest;
    for (int i = 0; i < touches->count; i++) {
        const wri_touch *touch = &WRI_ITEM(*touches, wri_touch, i);
        meeting m;
        if (!(by_edges ? meet_edges : meet_corner)(x, touch->points, &m)) {
            continue;
        }
        double most = 0.7 * gap_of(x, touch->points, &m, by_edges);
        for (int k = 0; k < 4; k++) {
            double *room = &p->room[touch->points[k]];
            *room = most < *room ? most : *room;
        }
    }
}

void wri_contacts_limit_room(const wri_contacts *c, wri_plate *p)
{
    limit_room(&c->corners, false, p);
    limit_room(&c->edges, true, p);
}

bool wri_contacts_find(wri_contacts *c, const wri_plate *p)
{
    if (p->skin_edge_count == 0) {
        return true;
    }
    wri_arena arena = wri_arena_create(&p->arena->allocator);
    float reach = (float)(REACH * p->thickness);
    bool ok = find_corners(c, p, &arena, reach) && find_edges(c, p, &arena, reach);
    wri_arena_destroy(&arena);
    return ok;
}
