// layer_ways.c: how far it is from each node through the body to its other side, by rays.
//
// The other side is the nearest triangle that the ray meets from behind. It may belong to another
// shell: a cavity, what is around a cavity, or the other one of two sheets. But solids that overlap
// have their flesh each.
#include "layer.h"

#include <stdlib.h>

// A ray is tried on 36 triangles in the mean; the limit is for soups in which all boxes overlap.
enum { GRAIN = 256, DEPTH_MAX = 72, TRIANGLES_MAX = 1024 };
static const double ONE_PLACE = 1e-6; // of the size: what is nearer is at the node itself
static const double SHEET = 0.05;     // default thickness of what has no depth, of the size
static const double OF_DEPTH = 0.25;  // default thickness
// Of barycentric coordinates, and of the size: no ray slips through edges.
static const double MARGIN = 1e-9;
static const double PARALLEL = 1e-12;

typedef struct ray {
    int node, shell;
    wr_vec3 from;
    wri_layer_vec d; // inwards
    double inverse[3], margin;
    double most; // nothing beyond matters
    double exit;
    int triangle_count; // met so far
} ray;

// Closed, and no cavity.
static bool is_solid(const wri_layer_work *w, int shell)
{
    const wri_shell *s = &w->topology.shells[shell];
    return s->is_inverted ? s->volume < 0.0 : s->volume > 0.0;
}

static bool is_other_solid(const wri_layer_work *w, const ray *r, int t)
{
    int shell = w->topology.shell[w->triangle_of[t]];
    return shell != r->shell && is_solid(w, shell) && is_solid(w, r->shell);
}

// T. Moeller, B. Trumbore. Fast, minimum storage ray-triangle intersection. 1997.
static void meet_triangle(const wri_layer_work *w, ray *r, int t)
{
    const int *v = &w->triangles[3 * (size_t)t];
    if (v[0] == r->node || v[1] == r->node || v[2] == r->node) {
        return;
    }
    wri_layer_vec u = wri_layer_sub(w->skin[v[1]], w->skin[v[0]]);
    wri_layer_vec s = wri_layer_sub(w->skin[v[2]], w->skin[v[0]]);
    wri_layer_vec p = wri_layer_sub(r->from, w->skin[v[0]]);
    wri_layer_vec n = wri_layer_cross(u, s), q = wri_layer_cross(p, r->d);
    double slope = wri_layer_dot(n, r->d);
    if (slope <= PARALLEL * 2.0 * w->areas[t]) {
        return;
    }
    double a = -wri_layer_dot(s, q) / slope, b = wri_layer_dot(u, q) / slope;
    double distance = -wri_layer_dot(n, p) / slope;
    if (a >= -MARGIN && b >= -MARGIN && a + b <= 1.0 + MARGIN && distance <= r->most &&
        distance > ONE_PLACE * w->topology.size && !is_other_solid(w, r, t)) {
        r->most = r->exit = distance;
    }
}

// Distance at which a ray enters a box, INFINITY: it does not. Boxes are larger by a margin, so
// that a ray along one of their sides meets both of those that have it.
static double meet_box(const ray *r, wr_box box)
{
    const float *low = &box.min.x, *high = &box.max.x, *from = &r->from.x;
    double first = 0.0, last = r->most;
    for (int k = 0; k < 3; k++) {
        double a = ((double)low[k] - from[k] - r->margin) * r->inverse[k];
        double b = ((double)high[k] - from[k] + r->margin) * r->inverse[k];
        double near = a < b ? a : b, far = a < b ? b : a; // half the time of fmin and fmax
        first = near > first ? near : first;
        last = far < last ? far : last;
    }
    return first <= last ? first : INFINITY;
}

typedef struct visit {
    int node;
    double distance;
} visit;

// Visits the nearer half of a node first. What is found late, after many triangles, is far away.
static void cast(const wri_layer_work *w, ray *r)
{
    const wri_bvh_node *nodes = w->tree.nodes;
    visit stack[DEPTH_MAX] = {{0, 0.0}};
    for (int depth = 1; depth > 0 && r->triangle_count < TRIANGLES_MAX;) {
        visit v = stack[--depth];
        const wri_bvh_node *n = &nodes[v.node];
        if (v.distance > r->most || v.distance == INFINITY) {
            continue;
        }
        r->triangle_count += n->count;
        for (int i = n->first; i < n->first + n->count; i++) {
            meet_triangle(w, r, w->tree.items[i]);
        }
        if (n->count == 0) {
            visit a = {v.node + 1, meet_box(r, nodes[v.node + 1].box)};
            visit b = {n->first, meet_box(r, nodes[n->first].box)};
            stack[depth++] = a.distance < b.distance ? b : a;
            stack[depth++] = a.distance < b.distance ? a : b;
        }
    }
}

static ray aim(const wri_layer_work *w, int node)
{
    int shell = w->topology.shell[w->triangle_of[w->around[w->begin[node]]]];
    ray r = {node, shell, w->skin[node], .most = INFINITY, .exit = INFINITY};
    if (w->thickness > 0.0) {
        r.most = wri_layer_wish(w, node) / WRI_LAYER_WAY;
    }
    r.margin = MARGIN * w->topology.size;
    const wri_layer_vec d = w->directions[node];
    r.d = (wri_layer_vec){-d.x, -d.y, -d.z};
    const double c[3] = {r.d.x, r.d.y, r.d.z};
    for (int k = 0; k < 3; k++) {
        r.inverse[k] = 1.0 / (fabs(c[k]) > PARALLEL ? c[k] : PARALLEL);
    }
    return r;
}

static void find_ways(void *context, int block, int begin, int end)
{
    (void)block;
    wri_layer_work *w = context;
    for (int i = begin; i < end; i++) {
        if (!w->fixed[i] && w->has_moved[i]) {
            ray r = aim(w, i);
            cast(w, &r);
            w->ways[i] = r.exit;
        }
        w->has_moved[i] = false;
    }
}

// --- default thickness ------------------------------------------------------------------------

typedef struct part {
    double way, area;
    int node;
} part;

static int compare_parts(const void *a, const void *b)
{
    const part *p = a, *q = b;
    return p->way < q->way ? -1 : p->way > q->way ? 1 : (p->node > q->node) - (p->node < q->node);
}

static bool find_thickness(wri_layer_work *w)
{
    part *parts = wri_arena_alloc(&w->arena, (size_t)w->node_count, sizeof *parts);
    double total = 0.0, sum = 0.0;
    int count = 0, i = 0;
    if (!parts) {
        return false;
    }
    for (int n = 0; n < w->node_count; n++) {
        part p = {w->ways[n], 0.0, n};
        for (int k = w->begin[n]; k < w->begin[n + 1]; k++) {
            p.area += w->areas[w->around[k]];
        }
        if (!w->fixed[n]) {
            parts[count++] = p;
            total += p.area;
        }
    }
    qsort(parts, (size_t)count, sizeof *parts, compare_parts);
    while (i < count && (sum += parts[i].area) < 0.5 * total) {
        i++;
    }
    bool deep = i < count && parts[i].way < INFINITY;
    w->thickness = deep ? OF_DEPTH * parts[i].way : SHEET * w->topology.size;
    return true;
}

void wri_layer_renew_ways(wri_layer_work *w)
{
    wri_parallel_for(&w->desc->tasks, w->node_count, GRAIN, find_ways, w);
}

bool wri_layer_find_ways(wri_layer_work *w)
{
    size_t nodes = (size_t)w->node_count;
    wr_box *boxes = wri_arena_alloc(&w->arena, (size_t)w->triangle_count, sizeof *boxes);
    w->ways = wri_arena_alloc(&w->arena, nodes, sizeof *w->ways);
    w->has_moved = wri_arena_alloc(&w->arena, nodes, sizeof *w->has_moved);
    if (!boxes || !w->ways || !w->has_moved) {
        return false;
    }
    for (int i = 0; i < w->triangle_count; i++) {
        boxes[i] = WR_BOX_EMPTY;
        for (int k = 0; k < 3; k++) {
            boxes[i] = wr_box_add(boxes[i], w->skin[w->triangles[3 * (size_t)i + (size_t)k]]);
        }
    }
    for (int i = 0; i < w->node_count; i++) {
        w->ways[i] = INFINITY;
        w->has_moved[i] = true;
    }
    if (!wri_bvh_build(&w->tree, &w->arena, boxes, NULL, w->triangle_count)) {
        return false;
    }
    w->thickness = w->desc->thickness;
    wri_layer_renew_ways(w);
    return w->thickness > 0.0 || find_thickness(w);
}
