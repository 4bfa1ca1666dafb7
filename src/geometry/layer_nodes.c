// layer_nodes.c: nodes and triangles of a layer, and where the surface has no one inside.
#include "layer.h"

static const double WELD = 1e-6; // of the size
// An open shell faces inwards when its volume, as seen from its middle, is below -BULGE A^(3/2). A
// ball has 0.094, half a ball without bottom 0.1.
static const double BULGE = 0.02;

// --- sides ------------------------------------------------------------------------------------

// Sums over an open shell: area, area times middle, area vectors, and flux of the place.
typedef struct bulge {
    double area, flux;
    wri_layer_vec middle, vector;
} bulge;

static void add_bulge(const wri_topology *s, int t, bulge *b)
{
    const int *c = &s->corners[3 * (size_t)t];
    wr_vec3 p[3] = {s->points[c[0]], s->points[c[1]], s->points[c[2]]}, zero = {0};
    wri_layer_vec n = wri_layer_cross(wri_layer_sub(p[1], p[0]), wri_layer_sub(p[2], p[0]));
    double half = s->turned[t] ? -0.5 : 0.5, area = 0.5 * wri_layer_length(n);
    wri_layer_vec middle = {-s->middle[0], -s->middle[1], -s->middle[2]};
    for (int k = 0; k < 3; k++) {
        middle = wri_layer_add(middle, 1.0 / 3.0, wri_layer_sub(p[k], zero));
    }
    b->area += area;
    b->middle = wri_layer_add(b->middle, area, middle);
    b->vector = wri_layer_add(b->vector, half, n);
    b->flux += half * wri_layer_dot(middle, n);
}

static bool bulges_inwards(const bulge *b)
{
    double flux = b->flux - wri_layer_dot(b->middle, b->vector) / b->area;
    return flux / 3.0 < -BULGE * b->area * sqrt(b->area);
}

static bool turn_open_shells(wri_layer_work *w)
{
    wri_topology *s = &w->topology;
    bulge *bulges = wri_arena_alloc(&w->arena, (size_t)s->shell_count, sizeof *bulges);
    for (int t = 0; bulges && t < s->triangle_count; t++) {
        if (s->shell[t] >= 0) {
            add_bulge(s, t, &bulges[s->shell[t]]);
        }
    }
    for (int i = 0; bulges && i < s->shell_count; i++) {
        bool open = !s->shells[i].is_closed && s->shells[i].is_orientable;
        s->shells[i].is_inverted = open ? bulges_inwards(&bulges[i]) : s->shells[i].is_inverted;
    }
    return bulges != NULL;
}

static bool is_turned(const wri_topology *s, int t)
{
    return s->turned[t] != s->shells[s->shell[t]].is_inverted;
}

// --- triangles --------------------------------------------------------------------------------

static bool has_area(const wri_topology *s, int t)
{
    return wri_takes_part(s->fate[t]) &&
           !wri_is_thin(s->points, &s->corners[3 * (size_t)t], s->size);
}

static bool list_triangles(wri_layer_work *w)
{
    const wri_topology *s = &w->topology;
    w->triangles = wri_arena_alloc(&w->arena, (size_t)s->triangle_count, 3 * sizeof *w->triangles);
    w->triangle_of = wri_arena_alloc(&w->arena, (size_t)s->triangle_count, sizeof *w->triangle_of);
    if (!w->triangles || !w->triangle_of) {
        return false;
    }
    for (int t = 0; t < s->triangle_count; t++) {
        if (has_area(s, t)) {
            const int *c = &s->corners[3 * (size_t)t];
            int *out = &w->triangles[3 * (size_t)w->triangle_count], turned = is_turned(s, t);
            out[0] = c[0], out[1] = c[1 + turned], out[2] = c[2 - turned];
            w->triangle_of[w->triangle_count++] = t;
            w->turned_count += turned;
        }
    }
    return true;
}

static bool list_around(wri_layer_work *w)
{
    size_t corners = 3 * (size_t)w->triangle_count, n = (size_t)w->node_count;
    w->begin = wri_arena_alloc(&w->arena, n + 2, sizeof *w->begin);
    w->around = wri_arena_alloc(&w->arena, corners, sizeof *w->around);
    if (!w->begin || !w->around) {
        return false;
    }
    for (size_t i = 0; i < corners; i++) {
        w->begin[w->triangles[i] + 2]++;
    }
    for (size_t i = 0; i < n; i++) {
        w->begin[i + 2] += w->begin[i + 1];
    }
    for (size_t i = 0; i < corners; i++) { // begin[i + 1] moves from the begin of i to its end
        w->around[w->begin[w->triangles[i] + 1]++] = (int)(i / 3);
    }
    return true;
}

// --- nodes without one inside -----------------------------------------------------------------

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int *parent, int a, int b)
{
    int i = find_root(parent, a), k = find_root(parent, b);
    parent[i > k ? i : k] = i > k ? k : i;
}

// Joins the corners on both sides of an edge of two triangles, at both of its ends.
static void join_corners(const wri_topology *s, int half, int *parent)
{
    int other = wri_other_half(s, half);
    if (other >= 0) {
        bool same = s->corners[half] == s->corners[other];
        join(parent, half, same ? other : wri_next_half(other));
        join(parent, wri_next_half(half), same ? wri_next_half(other) : other);
    }
}

// Edges of two triangles that face different sides, as on a Moebius strip.
static void fix_edges(wri_layer_work *w)
{
    const wri_topology *s = &w->topology;
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        int other = s->edge[i] >= 0 ? wri_other_half(s, i) : -1;
        if (other >= 0) {
            bool same = s->corners[i] == s->corners[other];
            bool opposite = same == (is_turned(s, i / 3) == is_turned(s, other / 3));
            w->fixed[s->corners[i]] |= opposite;
            w->fixed[s->corners[wri_next_half(i)]] |= opposite;
        }
    }
}

// A node whose corners are not all joined has several fans. So has an end of an edge of more than
// two triangles: none of them are joined there, and a row of joined corners has two ends.
static bool fix_fans(wri_layer_work *w)
{
    const wri_topology *s = &w->topology;
    int halves = 3 * s->triangle_count;
    int *parent = wri_arena_alloc(&w->arena, (size_t)halves, sizeof *parent);
    int *root = wri_arena_alloc(&w->arena, (size_t)w->node_count, sizeof *root);
    if (!parent || !root) {
        return false;
    }
    memset(root, 0xff, (size_t)w->node_count * sizeof *root);
    for (int i = 0; i < halves; i++) {
        parent[i] = i;
    }
    for (int i = 0; i < halves; i++) {
        if (s->edge[i] >= 0) {
            join_corners(s, i, parent);
        }
    }
    for (int i = 0; i < halves; i++) {
        int node = s->corners[i], own = find_root(parent, i);
        if (s->edge[i] >= 0) {
            w->fixed[node] = w->fixed[node] || (root[node] >= 0 && root[node] != own);
            root[node] = own;
        }
    }
    return true;
}

static bool read_factors(wri_layer_work *w)
{
    w->factors = wri_arena_alloc(&w->arena, (size_t)w->node_count, sizeof *w->factors);
    for (int i = w->desc->vertex_count - 1; w->factors && i >= 0; i--) { // the first one counts
        w->factors[w->topology.place[i]] = w->desc->factors ? (double)w->desc->factors[i] : 1.0;
    }
    return w->factors != NULL;
}

bool wri_layer_find_nodes(wri_layer_work *w)
{
    const wr_layer_desc *d = w->desc;
    wri_topology *s = &w->topology;
    const wr_mesh mesh = {.positions = (wr_vec3 *)d->positions,
                          .vertex_count = d->vertex_count,
                          .triangles = (int *)d->triangles,
                          .triangle_count = d->triangle_count};
    if (!wri_topology_begin(s, &w->arena, &mesh, WELD) || !wri_topology_find_fates(s) ||
        !wri_topology_find_edges(s) || !wri_topology_find_shells(s) ||
        !wri_topology_find_sides(s) || !turn_open_shells(w)) {
        return false;
    }
    w->node_count = s->place_count;
    w->skin = s->points;
    w->fixed = wri_arena_alloc(&w->arena, (size_t)w->node_count, sizeof *w->fixed);
    if (!w->fixed || !read_factors(w) || !list_triangles(w) || !list_around(w) || !fix_fans(w)) {
        return false;
    }
    fix_edges(w);
    return true;
}
