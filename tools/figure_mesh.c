// figure_mesh.c: from a distance to even triangles.
//
// Marching cubes on a grid gives a first surface. It is made even by splitting long edges and
// collapsing short ones, flipping to Delaunay and moving the vertices to the middle of their
// neighbours along the surface, over and over. Then it is cut along the borders of colours, which
// from then on are kept: vertices of a border slide along it.
//
// Based on: M. Botsch, L. Kobbelt. A remeshing approach to multiresolution modeling. SGP 2004.
#include "figure_mesh.h"

#include "../src/geometry/marching.h"

#include <stdlib.h>

// --- grid -------------------------------------------------------------------------------------

typedef struct grid {
    const field *field;
    wr_vec3 low;
    float cell;
    int size[3]; // nodes
    float *values;
    int *vertices; // of the edges from a node along three axes, -1: none yet
} grid;

static int node_index(const grid *g, const int at[3])
{
    return at[0] + g->size[0] * (at[1] + g->size[1] * at[2]);
}

static wr_vec3 node_place(const grid *g, const int at[3])
{
    return wr_v3(g->low.x + g->cell * (float)at[0], g->low.y + g->cell * (float)at[1],
                 g->low.z + g->cell * (float)at[2]);
}

static grid grid_create(const field *f)
{
    wr_box box = field_bounds(f);
    float cell = f->figure->cell;
    grid g = {.field = f, .cell = cell};
    // The plane y = 0 is no layer of the grid, since the soles lie in it.
    g.low =
        wr_v3(f->figure->whole ? box.min.x - 1.13f * cell : 0.0f, -1.37f * cell, box.min.z - cell);
    const float extent[3] = {box.max.x - g.low.x, box.max.y - g.low.y, box.max.z - g.low.z};
    size_t count = 1;
    for (int k = 0; k < 3; k++) {
        g.size[k] = (int)(extent[k] / cell) + 3;
        count *= (size_t)g.size[k];
    }
    g.values = net_alloc(count, sizeof *g.values);
    g.vertices = net_alloc(count, 3 * sizeof *g.vertices);
    for (int i = 0; i < (int)count; i++) {
        const int at[3] = {i % g.size[0], i / g.size[0] % g.size[1], i / g.size[0] / g.size[1]};
        g.values[i] = field_distance(f, node_place(&g, at), NULL, NULL);
        g.vertices[3 * i] = g.vertices[3 * i + 1] = g.vertices[3 * i + 2] = -1;
    }
    return g;
}

static int edge_vertex(grid *g, net *n, const int cell[3], int edge)
{
    int corner = wri_cube_edge_corner(edge), axis = edge / 4;
    int low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = cell[k] + (corner >> k & 1);
        high[k] = low[k] + (k == axis);
    }
    int i = node_index(g, low), *vertex = &g->vertices[3 * i + axis];
    if (*vertex < 0) {
        float a = g->values[i], b = g->values[node_index(g, high)];
        float t = wr_clampf(a / (a - b), 0.05f, 0.95f);
        *vertex = net_add_vertex(n, wr_lerp3(node_place(g, low), node_place(g, high), t));
    }
    return *vertex;
}

static void march_cell(grid *g, net *n, const wri_cube_case *cases, const int cell[3])
{
    int inside = 0, corners[WRI_CUBE_EDGES];
    for (int c = 0; c < 8; c++) {
        const int at[3] = {cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2 & 1)};
        inside |= (g->values[node_index(g, at)] < 0.0f) << c;
    }
    const wri_cube_case *cut = &cases[inside];
    for (int i = 0; i < 3 * cut->triangle_count; i++) {
        corners[i % 3] = edge_vertex(g, n, cell, cut->edges[i]);
        if (i % 3 == 2) {
            net_add_triangle(n, corners[0], corners[1], corners[2]);
        }
    }
}

static net march(const field *f)
{
    static wri_cube_case cases[WRI_CUBE_CASES];
    grid g = grid_create(f);
    net n = net_create();
    wri_cube_fill_cases(cases);
    for (int z = 0; z + 1 < g.size[2]; z++) {
        for (int y = 0; y + 1 < g.size[1]; y++) {
            for (int x = 0; x + 1 < g.size[0]; x++) {
                march_cell(&g, &n, cases, (int[]){x, y, z});
            }
        }
    }
    net_join_twins(&n);
    free(g.values);
    free(g.vertices);
    return n;
}

// --- places -----------------------------------------------------------------------------------

typedef struct mesher {
    const field *field;
    net net;
} mesher;

static wr_vec3 cross_of(const wr_vec3 x[3])
{
    return wr_cross(wr_sub(x[1], x[0]), wr_sub(x[2], x[0]));
}

static void corners_of(const net *n, int triangle, wr_vec3 x[3])
{
    for (int k = 0; k < 3; k++) {
        x[k] = n->places[n->corner[3 * triangle + k]];
    }
}

// Puts a vertex of an edge or at the end of it where it belongs: on the surface, on the border, in
// the plane.
static wr_vec3 settle(const mesher *m, int h, bool rim, wr_vec3 p)
{
    const net *n = &m->net;
    p.x = rim ? 0.0f : p.x;
    if (h >= 0 && n->twin[h] >= 0 && net_is_border(n, h)) {
        p = field_project_border(m->field, n->label[h / 3], n->label[n->twin[h] / 3], p);
    } else {
        p = field_project(m->field, p);
    }
    float x = m->field->figure->whole ? p.x : fmaxf(p.x, 0.0f);
    return wr_v3(rim ? 0.0f : x, p.y > 1e-6f ? p.y : 0.0f, p.z);
}

// True when no triangle at the vertex turns over or gets very thin by a move to p. Triangles at
// `gone` are left out.
static bool may_move(const net *n, int vertex, wr_vec3 p, int gone)
{
    int ring[NET_MAX_RING], count = net_ring(n, vertex, ring);
    for (int i = 0; i < count; i++) {
        wr_vec3 x[3];
        int a = net_head(n, ring[i]), b = n->corner[net_previous(ring[i])];
        if (a == gone || b == gone) {
            continue;
        }
        corners_of(n, ring[i] / 3, x);
        wr_vec3 before = cross_of(x);
        x[0] = p;
        x[1] = n->places[a];
        x[2] = n->places[b];
        wr_vec3 after = cross_of(x);
        float side =
            fmaxf(wr_distance(x[1], x[2]), fmaxf(wr_distance(x[0], x[1]), wr_distance(x[0], x[2])));
        float old = wr_length(before), new = wr_length(after);
        bool thinner = new < 0.2f * side *side &&new < old;
        if (thinner || (old > 1e-10f && wr_dot(before, after) < 0.4f * old * new)) {
            return false;
        }
    }
    return true;
}

// --- passes -----------------------------------------------------------------------------------

static float wished(const mesher *m, int h)
{
    const net *n = &m->net;
    wr_vec3 a = n->places[n->corner[h]], b = n->places[net_head(n, h)];
    return field_edge(m->field, wr_lerp3(a, b, 0.5f));
}

static float edge_length(const net *n, int h)
{
    return wr_distance(n->places[n->corner[h]], n->places[net_head(n, h)]);
}

static bool is_first(const net *n, int h)
{
    return n->corner[h] >= 0 && n->twin[h] < h; // of two half-edges the later one
}

static void split_long(mesher *m)
{
    net *n = &m->net;
    for (int h = 0, end = 3 * n->triangle_count; h < end; h++) {
        if (is_first(n, h) && edge_length(n, h) > 4.0f / 3.0f * wished(m, h)) {
            wr_vec3 a = n->places[n->corner[h]], b = n->places[net_head(n, h)];
            net_split(n, h, settle(m, h, n->twin[h] < 0, wr_lerp3(a, b, 0.5f)));
        }
    }
}

// Edges inside a coarser figure may be no deeper than a part of their length: of what is thinner
// than edges are long the tips would be lost, collapse by collapse.
static bool is_lost(const mesher *m, wr_vec3 a, wr_vec3 b, float wish)
{
    return m->field->figure->coarser > 0.0f &&
           field_distance(m->field, wr_lerp3(a, b, 0.5f), NULL, NULL) < -0.2f * wish;
}

static bool stays_short(const mesher *m, int vertex, wr_vec3 p)
{
    const net *n = &m->net;
    int ring[NET_MAX_RING], count = net_ring(n, vertex, ring);
    for (int i = 0; i < count; i++) {
        wr_vec3 q = n->places[net_head(n, ring[i])];
        float wish = wished(m, ring[i]);
        if (wr_distance(q, p) > 4.0f / 3.0f * wish || is_lost(m, p, q, wish)) {
            return false;
        }
    }
    return true;
}

static void collapse_short(mesher *m, float share)
{
    net *n = &m->net;
    for (int h = 0; h < 3 * n->triangle_count; h++) {
        if (n->corner[h] < 0 || edge_length(n, h) > share * wished(m, h)) {
            continue;
        }
        int a = n->corner[h], b = net_head(n, h);
        wr_vec3 p = n->places[b];
        if (net_can_collapse(n, h) && stays_short(m, a, p) && may_move(n, a, p, b)) {
            net_collapse(n, h);
        }
    }
}

static float cotangent(wr_vec3 at, wr_vec3 a, wr_vec3 b)
{
    wr_vec3 u = wr_sub(a, at), v = wr_sub(b, at);
    return wr_dot(u, v) / fmaxf(wr_length(wr_cross(u, v)), 1e-12f);
}

// True when the other diagonal makes the smallest angle larger and does not fold the surface.
static bool flip_helps(const net *n, int h)
{
    int g = n->twin[h];
    wr_vec3 a = n->places[n->corner[h]], b = n->places[n->corner[g]];
    wr_vec3 c = n->places[n->corner[net_previous(h)]], d = n->places[n->corner[net_previous(g)]];
    if (cotangent(c, a, b) + cotangent(d, a, b) > -1e-4f) {
        return false;
    }
    wr_vec3 before = wr_add(cross_of((wr_vec3[]){a, b, c}), cross_of((wr_vec3[]){b, a, d}));
    wr_vec3 one = cross_of((wr_vec3[]){a, d, c}), two = cross_of((wr_vec3[]){d, b, c});
    float length = wr_length(before);
    return wr_dot(one, before) > 0.5f * length * wr_length(one) &&
           wr_dot(two, before) > 0.5f * length * wr_length(two);
}

static void flip_edges(mesher *m)
{
    net *n = &m->net;
    for (int round = 0; round < 4; round++) {
        for (int h = 0; h < 3 * n->triangle_count; h++) {
            if (is_first(n, h) && n->twin[h] >= 0 && flip_helps(n, h) && net_can_flip(n, h)) {
                net_flip(n, h);
            }
        }
    }
}

// The middle of the neighbours, those of triangles that are larger than wished count more.
static wr_vec3 middle_of_ring(const mesher *m, int vertex)
{
    const net *n = &m->net;
    int ring[NET_MAX_RING], count = net_ring(n, vertex, ring);
    wr_vec3 sum = {0};
    float weights = 0.0f;
    for (int i = 0; i < count; i++) {
        wr_vec3 x[3];
        corners_of(n, ring[i] / 3, x);
        wr_vec3 center = wr_scale(1.0f / 3.0f, wr_add(x[0], wr_add(x[1], x[2])));
        float edge = field_edge(m->field, center), weight = wr_length(cross_of(x)) / (edge * edge);
        sum = wr_add_scaled(sum, weight, center);
        weights += weight;
    }
    return weights > 0.0f ? wr_scale(1.0f / weights, sum) : n->places[vertex];
}

static int border_half_edge(const net *n, int vertex)
{
    int ring[NET_MAX_RING], count = net_ring(n, vertex, ring);
    for (int i = 0; i < count; i++) {
        if (n->twin[ring[i]] >= 0 && net_is_border(n, ring[i])) {
            return ring[i];
        }
    }
    return -1;
}

static void relax(mesher *m)
{
    net *n = &m->net;
    for (int v = 0; v < n->vertex_count; v++) {
        int ends[2], borders;
        if (n->out[v] < 0 || (borders = net_find_borders(n, v, ends)) == 1 || borders > 2) {
            continue;
        }
        wr_vec3 p = n->places[v];
        wr_vec3 to = borders == 2 ? wr_lerp3(n->places[ends[0]], n->places[ends[1]], 0.5f)
                                  : middle_of_ring(m, v);
        bool rim = net_is_rim(n, v);
        wr_vec3 q = settle(m, rim ? -1 : border_half_edge(n, v), rim, wr_lerp3(p, to, 0.7f));
        if (may_move(n, v, q, -1)) {
            n->places[v] = q;
        }
    }
}

static void improve(mesher *m, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        split_long(m);
        flip_edges(m);
        collapse_short(m, 0.8f);
        flip_edges(m);
        relax(m);
    }
    for (int i = 0; i < 12; i++) {
        flip_edges(m);
        relax(m);
    }
}

// --- borders of colours -----------------------------------------------------------------------

enum { ON_BORDER = -1 };

// The place on an edge where the region changes.
static wr_vec3 find_change(const mesher *m, wr_vec3 a, wr_vec3 b, int region)
{
    float low = 0.0f, high = 1.0f;
    for (int i = 0; i < 16; i++) {
        float t = 0.5f * (low + high);
        bool same = field_region(m->field, wr_lerp3(a, b, t)) == region;
        low = same ? t : low;
        high = same ? high : t;
    }
    return wr_lerp3(a, b, 0.5f * (low + high));
}

// Vertices that a border passes near are moved onto it.
static void snap_to_borders(mesher *m, int *regions)
{
    net *n = &m->net;
    for (int h = 0; h < 3 * n->triangle_count; h++) {
        int a = n->corner[h], b = a >= 0 ? net_head(n, h) : -1;
        if (a < 0 || regions[a] == regions[b] || regions[a] < 0 || regions[b] < 0) {
            continue;
        }
        wr_vec3 p = find_change(m, n->places[a], n->places[b], regions[a]);
        bool rim = net_is_rim(n, a);
        if (wr_distance(p, n->places[a]) > 0.35f * edge_length(n, h) || (rim && n->twin[h] >= 0)) {
            continue;
        }
        p = settle(m, -1, rim, p);
        if (may_move(n, a, p, -1)) {
            n->places[a] = p;
            regions[a] = ON_BORDER;
        }
    }
}

// Every edge that is still crossed gets a vertex there.
static void cut_borders(mesher *m, int *regions)
{
    net *n = &m->net;
    for (int h = 0; h < 3 * n->triangle_count; h++) {
        int a = n->corner[h], b = a >= 0 ? net_head(n, h) : -1;
        if (a < 0 || regions[a] == regions[b] || regions[a] < 0 || regions[b] < 0) {
            continue;
        }
        wr_vec3 p = find_change(m, n->places[a], n->places[b], regions[a]);
        regions[net_split(n, h, settle(m, -1, n->twin[h] < 0, p))] = ON_BORDER;
    }
}

static void label_triangles(mesher *m, const int *regions)
{
    net *n = &m->net;
    for (int t = 0; t < n->triangle_count; t++) {
        int region = ON_BORDER;
        for (int k = 0; k < 3 && n->corner[3 * t] >= 0 && region < 0; k++) {
            region = regions[n->corner[3 * t + k]];
        }
        if (region < 0 && n->corner[3 * t] >= 0) {
            wr_vec3 x[3];
            corners_of(n, t, x);
            region =
                field_region(m->field, wr_scale(1.0f / 3.0f, wr_add(x[0], wr_add(x[1], x[2]))));
        }
        n->label[t] = region;
    }
}

static void find_borders(mesher *m)
{
    net *n = &m->net;
    int *regions = net_alloc(NET_MAX_VERTICES, sizeof *regions);
    for (int v = 0; v < n->vertex_count; v++) {
        regions[v] = n->out[v] >= 0 ? field_region(m->field, n->places[v]) : 0;
    }
    snap_to_borders(m, regions);
    cut_borders(m, regions);
    label_triangles(m, regions);
    free(regions);
}

// ----------------------------------------------------------------------------------------------

net figure_mesh(const field *f)
{
    mesher m = {.field = f, .net = march(f)};
    improve(&m, 8);
    find_borders(&m);
    improve(&m, 10);
    return m.net;
}
