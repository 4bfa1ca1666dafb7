// net.c: half-edges.
#include "net.h"

#include <stdio.h>
#include <stdlib.h>

static void stop(const char *message)
{
    fprintf(stderr, "make_figures: %s\n", message);
    exit(1);
}

void *net_alloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        stop("out of memory");
    }
    return memory;
}

net net_create(void)
{
    return (net){.places = net_alloc(NET_MAX_VERTICES, sizeof(wr_vec3)),
                 .out = net_alloc(NET_MAX_VERTICES, sizeof(int)),
                 .corner = net_alloc(NET_MAX_TRIANGLES, 3 * sizeof(int)),
                 .twin = net_alloc(NET_MAX_TRIANGLES, 3 * sizeof(int)),
                 .label = net_alloc(NET_MAX_TRIANGLES, sizeof(int))};
}

void net_destroy(net *n)
{
    free(n->places);
    free(n->out);
    free(n->corner);
    free(n->twin);
    free(n->label);
}

int net_add_vertex(net *n, wr_vec3 place)
{
    if (n->vertex_count == NET_MAX_VERTICES) {
        stop("a figure has too many vertices");
    }
    n->places[n->vertex_count] = place;
    n->out[n->vertex_count] = -1;
    return n->vertex_count++;
}

static int new_triangle(net *n, int label)
{
    if (n->triangle_count == NET_MAX_TRIANGLES) {
        stop("a figure has too many triangles");
    }
    n->label[n->triangle_count] = label;
    return n->triangle_count++;
}

static void set_corners(net *n, int triangle, int a, int b, int c)
{
    const int corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        n->corner[3 * triangle + k] = corners[k];
        n->out[corners[k]] = 3 * triangle + k;
    }
}

static void join(net *n, int h, int twin)
{
    n->twin[h] = twin;
    if (twin >= 0) {
        n->twin[twin] = h;
    }
}

void net_add_triangle(net *n, int a, int b, int c)
{
    set_corners(n, new_triangle(n, 0), a, b, c);
}

typedef struct edge {
    int low, high, half_edge;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    int low = (x->low > y->low) - (x->low < y->low),
        high = (x->high > y->high) - (x->high < y->high);
    return low ? low : high ? high : (x->half_edge > y->half_edge) - (x->half_edge < y->half_edge);
}

void net_join_twins(net *n)
{
    int count = 3 * n->triangle_count;
    edge *edges = net_alloc((size_t)count, sizeof *edges);
    for (int h = 0; h < count; h++) {
        int a = n->corner[h], b = net_head(n, h);
        edges[h] = (edge){a < b ? a : b, a < b ? b : a, h};
        n->twin[h] = -1;
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 1; i < count; i++) {
        if (edges[i].low == edges[i - 1].low && edges[i].high == edges[i - 1].high) {
            join(n, edges[i].half_edge, edges[i - 1].half_edge);
        }
    }
    free(edges);
}

// --- around a vertex --------------------------------------------------------------------------

int net_ring(const net *n, int vertex, int ring[NET_MAX_RING])
{
    int first = n->out[vertex], h = first, count = 0;
    while (n->twin[h] >= 0) {
        h = net_next(n->twin[h]);
        if (h == first) {
            break;
        }
    }
    first = h;
    do {
        if (count == NET_MAX_RING) {
            stop("a vertex of a figure has too many neighbours");
        }
        ring[count++] = h;
        h = n->twin[net_previous(h)];
    } while (h >= 0 && h != first);
    return count;
}

bool net_is_rim(const net *n, int vertex)
{
    int ring[NET_MAX_RING];
    net_ring(n, vertex, ring);
    return n->twin[ring[0]] < 0;
}

bool net_is_border(const net *n, int h)
{
    return n->twin[h] < 0 || n->label[h / 3] != n->label[n->twin[h] / 3];
}

int net_find_borders(const net *n, int vertex, int ends[2])
{
    int ring[NET_MAX_RING], count = net_ring(n, vertex, ring), found = 0;
    for (int i = 0; i < count; i++) {
        if (net_is_border(n, ring[i])) {
            ends[found < 2 ? found : 1] = net_head(n, ring[i]);
            found++;
        }
    }
    int last = net_previous(ring[count - 1]);
    if (n->twin[last] < 0) {
        ends[found < 2 ? found : 1] = n->corner[last];
        found++;
    }
    return found;
}

// --- changes ----------------------------------------------------------------------------------

// One side of the edge a b: triangle (a, b, c) becomes (a, m, c) and (m, b, c). Gives the latter.
static int split_side(net *n, int h, int m)
{
    int a = n->corner[h], b = net_head(n, h), c = n->corner[net_previous(h)];
    int bc = n->twin[net_next(h)], ca = n->twin[net_previous(h)];
    int old = h / 3, more = new_triangle(n, n->label[old]);
    set_corners(n, old, a, m, c);
    set_corners(n, more, m, b, c);
    join(n, 3 * old + 1, 3 * more + 2);
    join(n, 3 * old + 2, ca);
    join(n, 3 * more + 1, bc);
    return more;
}

int net_split(net *n, int h, wr_vec3 place)
{
    int m = net_add_vertex(n, place), twin = n->twin[h];
    int more = split_side(n, h, m);
    join(n, 3 * (h / 3), -1);
    join(n, 3 * more, -1);
    if (twin >= 0) {
        int old = twin / 3, other = split_side(n, twin, m);
        join(n, 3 * (h / 3), 3 * other);
        join(n, 3 * more, 3 * old);
    }
    return m;
}

static bool are_joined(const net *n, int a, int b)
{
    int ring[NET_MAX_RING], count = net_ring(n, a, ring);
    for (int i = 0; i < count; i++) {
        if (net_head(n, ring[i]) == b || n->corner[net_previous(ring[i])] == b) {
            return true;
        }
    }
    return false;
}

bool net_can_flip(const net *n, int h)
{
    return !net_is_border(n, h) &&
           !are_joined(n, n->corner[net_previous(h)], n->corner[net_previous(n->twin[h])]);
}

void net_flip(net *n, int h)
{
    int g = n->twin[h], t = h / 3, u = g / 3;
    int a = n->corner[h], b = n->corner[g];
    int c = n->corner[net_previous(h)], d = n->corner[net_previous(g)];
    int bc = n->twin[net_next(h)], ca = n->twin[net_previous(h)];
    int ad = n->twin[net_next(g)], db = n->twin[net_previous(g)];
    set_corners(n, t, a, d, c);
    set_corners(n, u, d, b, c);
    join(n, 3 * t, ad);
    join(n, 3 * t + 1, 3 * u + 2);
    join(n, 3 * t + 2, ca);
    join(n, 3 * u, db);
    join(n, 3 * u + 1, bc);
}

static int count_common(const net *n, int a, int b)
{
    int ring[NET_MAX_RING], count = net_ring(n, a, ring), common = 0;
    for (int i = 0; i < count; i++) {
        common += are_joined(n, net_head(n, ring[i]), b);
    }
    int last = net_previous(ring[count - 1]);
    return common + (n->twin[last] < 0 && are_joined(n, n->corner[last], b));
}

// The corner across from a half-edge, which loses a triangle, must keep three, at a rim one.
static bool can_lose(const net *n, int h)
{
    int ring[NET_MAX_RING], c = n->corner[net_previous(h)], count = net_ring(n, c, ring);
    return count > (n->twin[ring[0]] < 0 ? 1 : 3);
}

bool net_can_collapse(const net *n, int h)
{
    int a = n->corner[h], b = net_head(n, h), twin = n->twin[h], ends[2];
    int borders = net_find_borders(n, a, ends);
    if (borders != 0 && (borders != 2 || !net_is_border(n, h))) {
        return false;
    }
    if (twin >= 0 && net_is_rim(n, a) && net_is_rim(n, b)) {
        return false;
    }
    return can_lose(n, h) && (twin < 0 || can_lose(n, twin)) &&
           count_common(n, a, b) == (twin < 0 ? 1 : 2);
}

// Triangle (a, b, c) vanishes, and its neighbours across b c and c a become neighbours.
static void close_side(net *n, int h, int b)
{
    int c = n->corner[net_previous(h)];
    int bc = n->twin[net_next(h)], ca = n->twin[net_previous(h)];
    if (bc >= 0) {
        join(n, bc, ca);
    } else {
        join(n, ca, bc);
    }
    n->out[c] = bc >= 0 ? bc : net_next(ca);
    n->out[b] = ca >= 0 ? ca : net_next(bc);
    for (int k = 0; k < 3; k++) {
        n->corner[h / 3 * 3 + k] = -1;
    }
}

void net_collapse(net *n, int h)
{
    int a = n->corner[h], b = net_head(n, h), twin = n->twin[h];
    int ring[NET_MAX_RING], count = net_ring(n, a, ring);
    for (int i = 0; i < count; i++) {
        n->corner[ring[i]] = b;
    }
    close_side(n, h, b);
    if (twin >= 0) {
        close_side(n, twin, b);
    }
    n->out[a] = -1;
}
