// half_mesh.c: triangles with their neighbours: how they are made, cut and flipped.
#include "half_mesh.h"

#include <stdlib.h>

bool wri_half_mesh_create(wri_half_mesh *m, wri_arena *arena, int vertex_room, int triangle_room)
{
    size_t n = (size_t)vertex_room, halves = 3 * (size_t)triangle_room;
    *m = (wri_half_mesh){.vertex_room = vertex_room, .triangle_room = triangle_room};
    m->points = wri_arena_alloc(arena, n, sizeof *m->points);
    m->out = wri_arena_alloc(arena, n, sizeof *m->out);
    m->pinned = wri_arena_alloc(arena, n, sizeof *m->pinned);
    m->stamp = wri_arena_alloc(arena, n, sizeof *m->stamp);
    m->corner = wri_arena_alloc(arena, halves, sizeof *m->corner);
    m->twin = wri_arena_alloc(arena, halves, sizeof *m->twin);
    m->mark = wri_arena_alloc(arena, halves, sizeof *m->mark);
    m->uv = wri_arena_alloc(arena, halves, sizeof *m->uv);
    m->chart = wri_arena_alloc(arena, (size_t)triangle_room, sizeof *m->chart);
    m->stack = wri_arena_alloc(arena, halves, sizeof *m->stack);
    return m->points && m->out && m->pinned && m->stamp && m->corner && m->twin && m->mark &&
           m->uv && m->chart && m->stack;
}

static void set_corner(wri_half_mesh *m, int half, int vertex, const double uv[2])
{
    m->corner[half] = vertex;
    m->uv[half][0] = uv[0];
    m->uv[half][1] = uv[1];
    m->out[vertex] = half;
}

static int add_triangle(wri_half_mesh *m, int chart)
{
    WR_ASSERT(m->triangle_count < m->triangle_room);
    int half = 3 * m->triangle_count;
    m->chart[m->triangle_count++] = chart;
    m->twin[half] = m->twin[half + 1] = m->twin[half + 2] = -1;
    return half;
}

void wri_half_mesh_add(wri_half_mesh *m, const int corners[3], const double (*uv)[2], int chart)
{
    int half = add_triangle(m, chart);
    for (int k = 0; k < 3; k++) {
        set_corner(m, half + k, corners[k], uv[k]);
    }
}

static void find_between(const wri_half_mesh *m, int half, double share, double out[2])
{
    const double *a = m->uv[half], *b = m->uv[wri_next_half(half)];
    out[0] = a[0] + share * (b[0] - a[0]);
    out[1] = a[1] + share * (b[1] - a[1]);
}

int wri_half_mesh_cut(wri_half_mesh *m, int half, int vertex, double share)
{
    double uv[2];
    find_between(m, half, share, uv);
    int next = wri_next_half(half), last = wri_last_half(half),
        new = add_triangle(m, m->chart[half / 3]);
    set_corner(m, new, vertex, uv);
    set_corner(m, new + 1, m->corner[next], m->uv[next]);
    set_corner(m, new + 2, m->corner[last], m->uv[last]);
    set_corner(m, next, vertex, uv);
    return new;
}

// --- neighbours -------------------------------------------------------------------------------

typedef struct key {
    int low, high, half;
} key;

static int compare_keys(const void *a, const void *b)
{
    const key *p = a, *q = b;
    return p->low != q->low     ? (p->low > q->low) - (p->low < q->low)
           : p->high != q->high ? (p->high > q->high) - (p->high < q->high)
                                : (p->half > q->half) - (p->half < q->half);
}

static bool is_same_place(const double a[2], const double b[2])
{
    const double same = 1e-3; // of a texel
    return fabs(a[0] - b[0]) < same && fabs(a[1] - b[1]) < same;
}

static void join_pair(wri_half_mesh *m, int a, int b)
{
    bool is_inner = m->chart[a / 3] == m->chart[b / 3] &&
                    is_same_place(m->uv[a], m->uv[wri_next_half(b)]) &&
                    is_same_place(m->uv[b], m->uv[wri_next_half(a)]);
    m->twin[a] = b;
    m->twin[b] = a;
    m->mark[a] = m->mark[b] = is_inner ? 0 : WRI_HALF_SEAM;
}

// Vertices with triangles that the fan of their first half edge does not reach.
static void find_pinned(wri_half_mesh *m, int *degree)
{
    for (int h = 0; h < 3 * m->triangle_count; h++) {
        degree[m->corner[h]]++;
    }
    for (int v = 0; v < m->vertex_count; v++) {
        int met = 0, first = m->out[v] < 0 ? -1 : wri_half_mesh_first(m, v);
        for (int h = first; h >= 0; h = wri_half_mesh_around(m, h, first)) {
            met++;
        }
        m->pinned[v] = met < degree[v];
    }
}

bool wri_half_mesh_join(wri_half_mesh *m, wri_arena *arena)
{
    int count = 3 * m->triangle_count;
    key *keys = wri_arena_alloc(arena, (size_t)count, sizeof *keys);
    int *degree = wri_arena_alloc(arena, (size_t)m->vertex_count, sizeof *degree);
    if (!keys || !degree) {
        return false;
    }
    for (int h = 0; h < count; h++) {
        int a = m->corner[h], b = m->corner[wri_next_half(h)];
        keys[h] = (key){a < b ? a : b, a < b ? b : a, h};
        m->mark[h] = WRI_HALF_SEAM;
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int i = 0, end = 0; i < count; i = end) {
        while (end < count && keys[end].low == keys[i].low && keys[end].high == keys[i].high) {
            end++;
        }
        int a = keys[i].half, b = keys[end - 1].half;
        if (end - i == 2 && m->corner[a] != m->corner[b]) {
            join_pair(m, a, b);
        }
    }
    find_pinned(m, degree);
    return true;
}

int wri_half_mesh_first(const wri_half_mesh *m, int vertex)
{
    int start = m->out[vertex], half = start;
    while (m->twin[half] >= 0) {
        half = wri_next_half(m->twin[half]);
        if (half == start) {
            break;
        }
    }
    return half;
}

int wri_half_mesh_around(const wri_half_mesh *m, int half, int first)
{
    int next = m->twin[wri_last_half(half)];
    return next == first ? -1 : next;
}

// --- cutting ----------------------------------------------------------------------------------

static void set_twin(wri_half_mesh *m, int half, int twin, uint8_t mark)
{
    m->twin[half] = twin;
    m->mark[half] = (uint8_t)(mark | (m->mark[half] & WRI_HALF_WAITS));
    if (twin >= 0) {
        m->twin[twin] = half;
        m->mark[twin] = (uint8_t)(mark | (m->mark[twin] & WRI_HALF_WAITS));
    }
}

static uint8_t mark_of(const wri_half_mesh *m, int half)
{
    return m->mark[half] & (WRI_HALF_SEAM | WRI_HALF_HELD);
}

// a b c becomes a b p, b c p and c a p.
static void insert_inside(wri_half_mesh *m, int triangle, int vertex, const double uv[2])
{
    int t = 3 * triangle, s = add_triangle(m, m->chart[triangle]);
    int r = add_triangle(m, m->chart[triangle]);
    const int outer[2] = {m->twin[t + 1], m->twin[t + 2]};
    const uint8_t marks[2] = {mark_of(m, t + 1), mark_of(m, t + 2)};
    set_corner(m, s, m->corner[t + 1], m->uv[t + 1]);
    set_corner(m, s + 1, m->corner[t + 2], m->uv[t + 2]);
    set_corner(m, s + 2, vertex, uv);
    set_corner(m, r, m->corner[t + 2], m->uv[t + 2]);
    set_corner(m, r + 1, m->corner[t], m->uv[t]);
    set_corner(m, r + 2, vertex, uv);
    set_corner(m, t + 2, vertex, uv);
    m->out[m->corner[t]] = t;
    set_twin(m, s, outer[0], marks[0]);
    set_twin(m, r, outer[1], marks[1]);
    set_twin(m, t + 1, s + 2, 0);
    set_twin(m, s + 1, r + 2, 0);
    set_twin(m, r + 1, t + 2, 0);
    wri_half_mesh_push(m, t);
    wri_half_mesh_push(m, s);
    wri_half_mesh_push(m, r);
}

// Cuts the triangle of a half edge a b through a vertex on it to c: it keeps a p c, and the other
// is p b c, whose first half edge is returned.
static int cut_through(wri_half_mesh *m, int half, int vertex, const double uv[2])
{
    int next = wri_next_half(half), last = wri_last_half(half);
    int new = add_triangle(m, m->chart[half / 3]), outer = m->twin[next];
    uint8_t mark = mark_of(m, next);
    set_corner(m, new, vertex, uv);
    set_corner(m, new + 1, m->corner[next], m->uv[next]);
    set_corner(m, new + 2, m->corner[last], m->uv[last]);
    set_corner(m, next, vertex, uv);
    set_twin(m, new + 1, outer, mark);
    set_twin(m, next, new + 2, 0);
    wri_half_mesh_push(m, new + 1);
    wri_half_mesh_push(m, last);
    return new;
}

static void insert_on_edge(wri_half_mesh *m, int half, int vertex, const double uv[2])
{
    int other = m->twin[half];
    uint8_t mark = mark_of(m, half);
    int new = cut_through(m, half, vertex, uv);
    if (other >= 0) {
        int across = cut_through(m, other, vertex, uv); // other: b p, across: p a
        set_twin(m, half, across, mark);
        set_twin(m, new, other, mark);
    } else {
        set_twin(m, new, -1, mark);
    }
}

void wri_half_mesh_insert(wri_half_mesh *m, int triangle, int edge, int vertex, const double uv[2])
{
    if (edge >= 0) {
        insert_on_edge(m, 3 * triangle + edge, vertex, uv);
    } else {
        insert_inside(m, triangle, vertex, uv);
    }
}

// --- flipping ---------------------------------------------------------------------------------

void wri_half_mesh_push(wri_half_mesh *m, int half)
{
    if (!(m->mark[half] & WRI_HALF_WAITS)) {
        m->mark[half] |= WRI_HALF_WAITS;
        m->stack[m->stack_count++] = half;
    }
}

// Sine and cosine of the angle at b between a and c, times the lengths. The atlas is sheared a
// little, so that of the two diagonals of a square of texels always the same one is shorter.
static void find_angle(const double a[2], const double b[2], const double c[2], double out[2])
{
    const double shear = 0.02;
    double p[2] = {a[0] - b[0], a[1] - b[1]}, q[2] = {c[0] - b[0], c[1] - b[1]};
    p[0] += shear * p[1];
    q[0] += shear * q[1];
    out[0] = q[0] * p[1] - q[1] * p[0];
    out[1] = p[0] * q[0] + p[1] * q[1];
}

// Whether the angles opposite to an edge are more than pi together, and both triangles of the other
// diagonal have area.
static bool is_to_flip(const wri_half_mesh *m, int half)
{
    const double tiny = 1e-9;
    int g = m->twin[half];
    if (g < 0 || mark_of(m, half)) {
        return false;
    }
    const double *a = m->uv[half], *b = m->uv[wri_next_half(half)], *c = m->uv[wri_last_half(half)];
    const double *d = m->uv[wri_last_half(g)];
    double s[2], t[2];
    find_angle(b, c, a, s);
    find_angle(a, d, b, t);
    double sine = s[0] * t[1] + s[1] * t[0];
    double scale = (fabs(s[0]) + fabs(s[1])) * (fabs(t[0]) + fabs(t[1]));
    return sine < -tiny * scale && wri_cross2(a, d, c) > tiny && wri_cross2(d, b, c) > tiny;
}

static bool is_edge(const wri_half_mesh *m, int v, int w)
{
    int first = wri_half_mesh_first(m, v);
    bool found = false;
    for (int h = first; h >= 0 && !found; h = wri_half_mesh_around(m, h, first)) {
        found = m->corner[wri_next_half(h)] == w || m->corner[wri_last_half(h)] == w;
    }
    return found;
}

// The triangles a b c and b a d become a d c and d b c.
static void flip(wri_half_mesh *m, int h)
{
    int g = m->twin[h], t = h / 3 * 3, s = g / 3 * 3;
    int h1 = wri_next_half(h), h2 = wri_last_half(h), g1 = wri_next_half(g), g2 = wri_last_half(g);
    const int v[4] = {m->corner[h], m->corner[h1], m->corner[h2], m->corner[g2]};
    const int outer[4] = {m->twin[g1], m->twin[h2], m->twin[g2], m->twin[h1]};
    const uint8_t marks[4] = {mark_of(m, g1), mark_of(m, h2), mark_of(m, g2), mark_of(m, h1)};
    double uv[4][2];
    const int from[4] = {h, h1, h2, g2};
    for (int k = 0; k < 4; k++) {
        uv[k][0] = m->uv[from[k]][0];
        uv[k][1] = m->uv[from[k]][1];
    }
    set_corner(m, t, v[0], uv[0]);
    set_corner(m, t + 1, v[3], uv[3]);
    set_corner(m, t + 2, v[2], uv[2]);
    set_corner(m, s, v[3], uv[3]);
    set_corner(m, s + 1, v[1], uv[1]);
    set_corner(m, s + 2, v[2], uv[2]);
    set_twin(m, t, outer[0], marks[0]);
    set_twin(m, t + 2, outer[1], marks[1]);
    set_twin(m, s, outer[2], marks[2]);
    set_twin(m, s + 1, outer[3], marks[3]);
    set_twin(m, t + 1, s + 2, 0);
    wri_half_mesh_push(m, t);
    wri_half_mesh_push(m, t + 2);
    wri_half_mesh_push(m, s);
    wri_half_mesh_push(m, s + 1);
}

void wri_half_mesh_relax(wri_half_mesh *m)
{
    int64_t most = 100 * (int64_t)m->triangle_count + 1000; // ends what rounding would keep up
    while (m->stack_count > 0) {
        int half = m->stack[--m->stack_count];
        m->mark[half] &= (uint8_t)~WRI_HALF_WAITS;
        if (m->corner[half] >= 0 && most > 0 && is_to_flip(m, half) &&
            !is_edge(m, m->corner[wri_last_half(half)], m->corner[wri_last_half(m->twin[half])])) {
            flip(m, half);
            most--;
        }
    }
}
