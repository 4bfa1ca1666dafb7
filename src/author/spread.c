// spread.c: handles on a flat mesh, over its limbs and its middle.
//
// The first stands in the middle, each further one where the way to the nearest of those before it,
// measured along the mesh, is longest: the tips of limbs first, then what lies between. What was
// found then moves inwards, away from the outline, as long as that gains depth: a handle in the
// middle of a hand turns the hand, one on a finger tip shears it. Ties go to the lower vertex.
#include "handles.h"

#include "../base/base.h"

#define INWARD 0.5 // share of the way to the nearest other handle
#define SLOPE 0.25 // depth that a way of 1 must gain
#define MIDDLE 1.15

typedef struct reach {
    double distance;
    int vertex;
} reach;

typedef struct spread {
    const wr_solid *mesh;
    int *begin, *next; // edges of each vertex
    uint8_t *is_boundary;
    double *depth; // distance to the outline
    double *near;  // distance to the nearest handle
    double *other; // distances of one search
    double *far;   // distances of another search
    wri_array heap;
    bool failed;
} spread;

// --- ways along the edges ---------------------------------------------------------------------

static bool is_less(const reach *a, const reach *b)
{
    return a->distance < b->distance || (a->distance == b->distance && a->vertex < b->vertex);
}

static void push(spread *s, double distance, int vertex)
{
    if (!wri_array_add(&s->heap, 1)) {
        s->failed = true;
        return;
    }
    reach *h = s->heap.items, item = {distance, vertex};
    int slot = s->heap.count - 1;
    for (int up; slot > 0 && is_less(&item, &h[up = (slot - 1) / 2]); slot = up) {
        h[slot] = h[up];
    }
    h[slot] = item;
}

static reach pop(spread *s)
{
    reach *h = s->heap.items, top = h[0], item = h[--s->heap.count];
    int slot = 0;
    for (int down; (down = 2 * slot + 1) < s->heap.count; slot = down) {
        down += down + 1 < s->heap.count && is_less(&h[down + 1], &h[down]);
        if (!is_less(&h[down], &item)) {
            break;
        }
        h[slot] = h[down];
    }
    h[slot] = item;
    return top;
}

// Brings distances down to those from what is in the heap (Dijkstra), up to a limit.
static void walk(spread *s, double *distance, double limit)
{
    const wr_vec3 *p = s->mesh->positions;
    while (s->heap.count > 0) {
        reach r = pop(s);
        if (r.distance > distance[r.vertex]) {
            continue; // was reached on a shorter way
        }
        for (int i = s->begin[r.vertex]; i < s->begin[r.vertex + 1]; i++) {
            int v = s->next[i];
            double d = r.distance + (double)wr_distance(p[v], p[r.vertex]);
            if (d < distance[v] && d <= limit) {
                distance[v] = d;
                push(s, d, v);
            }
        }
    }
}

static void walk_from(spread *s, int vertex, double *distance, double limit)
{
    distance[vertex] = 0.0;
    push(s, 0.0, vertex);
    walk(s, distance, limit);
}

static void forget(const spread *s, double *distance)
{
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        distance[v] = INFINITY;
    }
}

// --- the mesh ---------------------------------------------------------------------------------

// Both directions of every edge of every triangle: an inner edge stands twice, which does not
// matter.
static void list_edges(spread *s)
{
    const int *t = s->mesh->elements;
    int corners = 3 * s->mesh->element_count;
    for (int i = 0; i < corners; i++) {
        s->begin[t[i] + 1] += 2;
    }
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        s->begin[v + 1] += s->begin[v];
    }
    for (int i = corners - 1; i >= 0; i--) {
        int first = i - i % 3;
        for (int k = 1; k < 3; k++) {
            s->next[--s->begin[t[i] + 1]] = t[first + (i - first + k) % 3];
        }
    }
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        s->begin[v] = s->begin[v + 1];
    }
    s->begin[s->mesh->vertex_count] = 2 * corners;
}

// An edge of the outline is one of exactly one triangle.
static void find_depth(spread *s)
{
    forget(s, s->depth);
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        for (int i = s->begin[v]; i < s->begin[v + 1]; i++) {
            int same = 0;
            for (int k = s->begin[v]; k < s->begin[v + 1]; k++) {
                same += s->next[k] == s->next[i];
            }
            s->is_boundary[v] |= same == 1;
        }
        if (s->is_boundary[v]) {
            s->depth[v] = 0.0;
            push(s, 0.0, v);
        }
    }
    walk(s, s->depth, INFINITY);
}

static int farthest(const spread *s, const double *distance)
{
    int best = -1;
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        if (isfinite(distance[v]) && (best < 0 || distance[v] > distance[best])) {
            best = v;
        }
    }
    return best;
}

// The middle of what hangs together with a vertex: the deepest place from which the two ends are
// about as near as they can be.
static int find_middle(spread *s, int vertex)
{
    forget(s, s->other);
    walk_from(s, vertex, s->other, INFINITY);
    int end = farthest(s, s->other);
    forget(s, s->other);
    walk_from(s, end, s->other, INFINITY);
    forget(s, s->far);
    walk_from(s, farthest(s, s->other), s->far, INFINITY);
    double least = INFINITY;
    int best = vertex;
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        least = fmin(least, fmax(s->other[v], s->far[v]));
    }
    double deepest = -1.0;
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        if (fmax(s->other[v], s->far[v]) <= MIDDLE * least && s->depth[v] > deepest) {
            deepest = s->depth[v];
            best = v;
        }
    }
    return best;
}

// --- choosing ---------------------------------------------------------------------------------

// Returns the vertex where the next handle goes: into the middle of a part that has none (the
// deepest first), else as far from the others as can be. -1: every vertex has one.
static int find_next(spread *s, const uint8_t *used)
{
    int lost = -1, best = -1;
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        bool inside = s->begin[v] < s->begin[v + 1]; // vertices of no triangle are none
        if (used[v] || !inside) {
            continue;
        }
        if (s->near[v] == INFINITY) {
            lost = lost < 0 || s->depth[v] > s->depth[lost] ? v : lost;
        } else if (best < 0 || s->near[v] > s->near[best]) {
            best = v;
        }
    }
    return lost >= 0 ? find_middle(s, lost) : best;
}

static int find_inward(spread *s, const int *chosen, int count, int index)
{
    double *d = s->other, limit = INFINITY;
    forget(s, d);
    walk_from(s, chosen[index], d, INFINITY);
    for (int i = 0; i < count; i++) {
        limit = i != index ? fmin(limit, d[chosen[i]]) : limit;
    }
    limit = limit == INFINITY ? 0.0 : INWARD * limit; // alone in the middle: stays there
    int best = chosen[index];
    double most = s->depth[best];
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        if (d[v] <= limit && s->depth[v] - SLOPE * d[v] > most) {
            most = s->depth[v] - SLOPE * d[v];
            best = v;
        }
    }
    return best;
}

static bool choose(spread *s, uint8_t *used, int *chosen, int placed, int count, wr_error *error)
{
    forget(s, s->near);
    for (int i = 0; i < count; i++) {
        if (i >= placed) {
            chosen[i] = find_next(s, used);
        }
        if (chosen[i] < 0) {
            return wri_fail(error, WR_E_ARGUMENT, "%d handles wanted, but the mesh has %d vertices",
                            count, i);
        }
        used[chosen[i]] = 1;
        walk_from(s, chosen[i], s->near, INFINITY);
    }
    for (int i = placed; i < count; i++) {
        int inward = find_inward(s, chosen, count, i);
        if (!used[inward]) {
            used[chosen[i]] = 0;
            used[inward] = 1;
            chosen[i] = inward;
        }
    }
    return !s->failed || wri_fail_memory(error, sizeof(reach));
}

static bool create(spread *s, wri_arena *arena)
{
    size_t n = (size_t)s->mesh->vertex_count, corners = 3 * (size_t)s->mesh->element_count;
    s->begin = wri_arena_alloc(arena, n + 1, sizeof(int));
    s->next = wri_arena_alloc(arena, 2 * corners, sizeof(int));
    s->is_boundary = wri_arena_alloc(arena, n, 1);
    s->depth = wri_arena_alloc(arena, n, sizeof(double));
    s->near = wri_arena_alloc(arena, n, sizeof(double));
    s->other = wri_arena_alloc(arena, n, sizeof(double));
    s->far = wri_arena_alloc(arena, n, sizeof(double));
    if (!s->begin || !s->next || !s->is_boundary || !s->depth || !s->near || !s->other || !s->far) {
        return false;
    }
    list_edges(s);
    find_depth(s);
    return !s->failed;
}

static bool take_placed(const wr_solid *mesh, const int *placed, int count, int *chosen,
                        uint8_t *used, wr_error *error)
{
    for (int i = 0; i < count; i++) {
        if (placed[i] < 0 || placed[i] >= mesh->vertex_count || used[placed[i]]) {
            return wri_fail(error, WR_E_ARGUMENT, "placed[%d]: vertex %d %s", i, placed[i],
                            placed[i] < 0 || placed[i] >= mesh->vertex_count
                                ? "does not exist"
                                : "has a handle already");
        }
        chosen[i] = placed[i];
        used[placed[i]] = 1;
    }
    return true;
}

wr_handle_set *wr_handles_spread(const wr_solid *mesh, const int *placed, int placed_count,
                                 int count, const wr_allocator *allocator, wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh) || !WRI_REQUIRE_LIST(error, placed, placed_count)) {
        return NULL;
    }
    if (count < 1 || placed_count > count || mesh->dimension != 2) {
        wri_fail(error, WR_E_ARGUMENT,
                 "count: %d handles with %d of them placed, in dimension %d, expected 2", count,
                 placed_count, mesh->dimension);
        return NULL;
    }
    if (!wri_solid_check(mesh, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(allocator);
    spread s = {.mesh = mesh, .heap = wri_array_create(allocator, sizeof(reach))};
    int *chosen = wri_arena_alloc(&arena, (size_t)count, sizeof *chosen);
    uint8_t *used = wri_arena_alloc(&arena, (size_t)mesh->vertex_count, 1);
    bool ok = (chosen && used && create(&s, &arena)) || wri_fail_memory(error, arena.total);
    ok = ok && take_placed(mesh, placed, placed_count, chosen, used, error) &&
         choose(&s, used, chosen, placed_count, count, error);
    wr_handle_set *set = ok ? wri_handle_set_create(count, count, allocator, error) : NULL;
    for (int i = 0; set && i < count; i++) {
        int v = chosen[i];
        set->handles[i].pivot = set->tips[i] = mesh->positions[v];
        set->handles[i].vertex = set->sources[i] = v;
        set->anchors[i] = (wr_anchor){v, i};
    }
    if (set) {
        set->point_count = count;
    }
    wri_array_destroy(&s.heap);
    wri_arena_destroy(&arena);
    return set;
}
