// cage.c: Catmull-Clark subdivision with semi-sharp creases.
//
// E. Catmull, J. Clark. Recursively generated B-spline surfaces on arbitrary topological meshes.
// 1978. T. DeRose, M. Kass, T. Truong. Subdivision surfaces in character animation. 1998: an edge
// of sharpness s is subdivided as if it stayed sharp while s >= 1, loses 1 per level, and in
// between the sharp and the smooth rule are mixed. A vertex with two sharp edges lies on a crease,
// with three or more it is a corner. Edges of one face only are sharp for ever. The limits are
// those of M. Halstead, M. Kass, T. DeRose, Efficient, fair interpolation using Catmull-Clark
// surfaces, 1993.
#include "wrought/cage.h"

#include "../base/base.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_CORNERS = 1 << 24 };

typedef struct owner {
    wri_arena arena;
    wr_cage cage; // lives in the arena that it owns
} owner;

wr_cage *wr_cage_create(wr_cage_counts n, const wr_allocator *allocator, wr_error *error)
{
    if (n.vertices < 0 || n.faces < 0 || n.corners < 0 || n.creases < 0 || n.groups < 0) {
        wri_fail(error, WR_E_ARGUMENT, "count: %d vertices, %d faces, %d corners, %d creases",
                 n.vertices, n.faces, n.corners, n.creases);
        return NULL;
    }
    wri_arena arena = wri_arena_create(allocator);
    owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    wr_cage cage = {
        .count = n,
        .positions = wri_arena_alloc(&arena, (size_t)n.vertices, sizeof(wr_vec3)),
        .sharpness = wri_arena_alloc(&arena, (size_t)n.vertices, sizeof(float)),
        .first_corner = wri_arena_alloc(&arena, (size_t)n.faces + 1, sizeof(int)),
        .corners = wri_arena_alloc(&arena, (size_t)n.corners, sizeof(int)),
        .face_group = wri_arena_alloc(&arena, (size_t)n.faces, sizeof(int)),
        .creases = wri_arena_alloc(&arena, (size_t)n.creases, sizeof(wr_crease)),
        .groups = wri_arena_alloc(&arena, (size_t)n.groups, sizeof(wr_cage_group)),
        .memory = o,
    };
    if (!o || !cage.positions || !cage.sharpness || !cage.first_corner || !cage.corners ||
        !cage.face_group || !cage.creases || !cage.groups) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, (size_t)n.vertices * sizeof(wr_vec3));
        return NULL;
    }
    *o = (owner){arena, cage};
    return &o->cage;
}

void wr_cage_destroy(wr_cage *cage)
{
    if (cage) {
        wri_arena arena = ((owner *)cage->memory)->arena;
        wri_arena_destroy(&arena);
    }
}

bool wr_cage_set_group(wr_cage *cage, int group, const char *name, const char *look,
                       wr_error *error)
{
    wri_arena *arena = &((owner *)cage->memory)->arena;
    const char *name_copy = wri_arena_text(arena, name, strlen(name));
    const char *look_copy = wri_arena_text(arena, look, strlen(look));
    if (!name_copy || !look_copy) {
        return wri_fail_memory(error, strlen(name) + strlen(look));
    }
    cage->groups[group] = (wr_cage_group){name_copy, look_copy};
    return true;
}

// --- edges ------------------------------------------------------------------------------------

typedef struct edge {
    int from, to; // from < to
    int face[2];  // face[1] is -1 on the boundary
    float sharpness;
} edge;

typedef struct half_edge {
    int low, high, face, corner; // corner: index into the cage's corners of where it begins
    bool forward;                // runs from low to high
} half_edge;

typedef struct net {
    const wr_cage *cage;
    wri_arena arena;
    int edge_count;
    edge *edges;
    int *edge_of_corner; // the edge from this corner of its face to the next one
    wr_error *error;
} net;

static int compare_halves(const void *a, const void *b)
{
    const half_edge *s = a, *t = b;
    if (s->low != t->low) {
        return s->low < t->low ? -1 : 1;
    }
    if (s->high != t->high) {
        return s->high < t->high ? -1 : 1;
    }
    return (s->corner > t->corner) - (s->corner < t->corner);
}

static bool check_face(const net *n, int face)
{
    const wr_cage *c = n->cage;
    int first = c->first_corner[face], end = c->first_corner[face + 1];
    if (first < 0 || end - first < 3 || end > c->count.corners) {
        return wri_fail(n->error, WR_E_ARGUMENT, "face %d has %d corners, expected at least three",
                        face, end - first);
    }
    if (c->face_group[face] < 0 || c->face_group[face] >= c->count.groups) {
        return wri_fail(n->error, WR_E_ARGUMENT, "face %d: group %d does not exist", face,
                        c->face_group[face]);
    }
    for (int i = first; i < end; i++) {
        if (c->corners[i] < 0 || c->corners[i] >= c->count.vertices) {
            return wri_fail(n->error, WR_E_ARGUMENT, "face %d: vertex %d does not exist", face,
                            c->corners[i]);
        }
        for (int k = first; k < i; k++) {
            if (c->corners[k] == c->corners[i]) {
                return wri_fail(n->error, WR_E_ARGUMENT, "face %d has vertex %d twice", face,
                                c->corners[i]);
            }
        }
    }
    return true;
}

static bool check_cage(const net *n)
{
    const wr_cage *c = n->cage;
    for (int i = 0; i < c->count.vertices; i++) {
        if (!wr_is_finite3(c->positions[i])) {
            return wri_fail(n->error, WR_E_ARGUMENT, "vertex %d is not finite", i);
        }
    }
    for (int i = 0; i < c->count.faces; i++) {
        if (!check_face(n, i)) {
            return false;
        }
    }
    return true;
}

static void collect_halves(const wr_cage *c, half_edge *halves)
{
    for (int f = 0; f < c->count.faces; f++) {
        int first = c->first_corner[f], end = c->first_corner[f + 1];
        for (int i = first; i < end; i++) {
            int a = c->corners[i], b = c->corners[i + 1 < end ? i + 1 : first];
            halves[i] = (half_edge){a < b ? a : b, a < b ? b : a, f, i, a < b};
        }
    }
}

static bool join_halves(net *n, const half_edge *halves, int count)
{
    for (int i = 0; i < count; i++) {
        const half_edge *h = &halves[i];
        edge *last = n->edge_count ? &n->edges[n->edge_count - 1] : NULL;
        if (!last || last->from != h->low || last->to != h->high) {
            n->edges[n->edge_count++] = (edge){h->low, h->high, {h->face, -1}, WR_SHARPNESS_MAX};
        } else if (last->face[1] >= 0) {
            return wri_fail(n->error, WR_E_ARGUMENT,
                            "the edge of vertices %d and %d has more than two faces", h->low,
                            h->high);
        } else if (h[-1].forward == h->forward) {
            return wri_fail(n->error, WR_E_ARGUMENT,
                            "faces %d and %d, at vertices %d and %d, face different sides",
                            h[-1].face, h->face, h->low, h->high);
        } else {
            last->face[1] = h->face;
            last->sharpness = 0.0f;
        }
        n->edge_of_corner[h->corner] = n->edge_count - 1;
    }
    return true;
}

static int compare_edges(const void *a, const void *b)
{
    const edge *s = a, *t = b;
    if (s->from != t->from) {
        return s->from < t->from ? -1 : 1;
    }
    return (s->to > t->to) - (s->to < t->to);
}

static bool mark_creases(net *n)
{
    for (int i = 0; i < n->cage->count.creases; i++) {
        const wr_crease *c = &n->cage->creases[i];
        edge key = {.from = c->from < c->to ? c->from : c->to,
                    .to = c->from < c->to ? c->to : c->from};
        edge *found =
            bsearch(&key, n->edges, (size_t)n->edge_count, sizeof *n->edges, compare_edges);
        if (!found) {
            return wri_fail(n->error, WR_E_ARGUMENT,
                            "a crease runs from vertex %d to %d, where there is no edge", c->from,
                            c->to);
        }
        if (!(c->sharpness >= 0.0f && c->sharpness <= WR_SHARPNESS_MAX)) {
            return wri_fail(n->error, WR_E_ARGUMENT,
                            "the crease from vertex %d to %d: sharpness %g, expected 0 to %g",
                            c->from, c->to, (double)c->sharpness, (double)WR_SHARPNESS_MAX);
        }
        found->sharpness = wr_maxf(found->sharpness, c->sharpness);
    }
    return true;
}

// Everything that the rules need to know about the neighbourhood of faces and vertices.
static bool net_build(net *n, const wr_cage *cage, const wr_allocator *allocator, wr_error *error)
{
    *n = (net){.cage = cage, .arena = wri_arena_create(allocator), .error = error};
    size_t corners = (size_t)cage->count.corners;
    half_edge *halves = wri_arena_alloc(&n->arena, corners, sizeof *halves);
    n->edges = wri_arena_alloc(&n->arena, corners, sizeof *n->edges);
    n->edge_of_corner = wri_arena_alloc(&n->arena, corners, sizeof *n->edge_of_corner);
    if (!halves || !n->edges || !n->edge_of_corner) {
        return wri_fail_memory(error, corners * sizeof *halves);
    }
    if (!check_cage(n)) {
        return false;
    }
    collect_halves(cage, halves);
    qsort(halves, corners, sizeof *halves, compare_halves);
    return join_halves(n, halves, cage->count.corners) && mark_creases(n);
}

// --- rules ------------------------------------------------------------------------------------

typedef struct point {
    double x, y, z;
} point;

static point to_point(wr_vec3 p)
{
    return (point){(double)p.x, (double)p.y, (double)p.z};
}

static wr_vec3 to_vec3(point p)
{
    return wr_v3((float)p.x, (float)p.y, (float)p.z);
}

static void add(point *sum, double s, point p)
{
    sum->x += s * p.x;
    sum->y += s * p.y;
    sum->z += s * p.z;
}

static point mix(point a, point b, double t)
{
    point out = {0};
    add(&out, 1.0 - t, a);
    add(&out, t, b);
    return out;
}

// What meets at a vertex. Index 0 counts every sharp edge, 1 those that are sharp at the next level
// still.
typedef struct star {
    int edges, faces;
    point middles, centers;   // sums of the edges' middles and of the faces'
    point neighbours, across; // of quads: sums of the ends of edges and of the opposite corners
    int sharp[2];
    point ends[2];  // sums of the other ends of sharp edges
    double fading;  // sum of sharpness of edges below 1
    int fade_count; // how many these are
} star;

static void add_edge(const net *n, star *s, int vertex, const edge *e)
{
    const wr_vec3 *p = n->cage->positions;
    point other = to_point(p[e->from == vertex ? e->to : e->from]);
    s->edges++;
    add(&s->middles, 0.5, other);
    add(&s->middles, 0.5, to_point(p[vertex]));
    add(&s->neighbours, 1.0, other);
    for (int k = 0; k < 2; k++) {
        if (e->sharpness > 0.0f && (k == 0 || e->sharpness >= 1.0f)) {
            s->sharp[k]++;
            add(&s->ends[k], 1.0, other);
        }
    }
    if (e->sharpness > 0.0f && e->sharpness < 1.0f) {
        s->fading += (double)e->sharpness;
        s->fade_count++;
    }
}

static star *find_stars(net *n, const point *centers)
{
    const wr_cage *c = n->cage;
    star *stars = wri_arena_alloc(&n->arena, (size_t)c->count.vertices, sizeof *stars);
    if (!stars) {
        wri_fail_memory(n->error, (size_t)c->count.vertices * sizeof *stars);
        return NULL;
    }
    for (int i = 0; i < n->edge_count; i++) {
        add_edge(n, &stars[n->edges[i].from], n->edges[i].from, &n->edges[i]);
        add_edge(n, &stars[n->edges[i].to], n->edges[i].to, &n->edges[i]);
    }
    for (int f = 0; f < c->count.faces; f++) {
        int first = c->first_corner[f], size = c->first_corner[f + 1] - first;
        for (int i = 0; i < size; i++) {
            star *s = &stars[c->corners[first + i]];
            s->faces++;
            add(&s->centers, 1.0, centers[f]);
            add(&s->across, 1.0, to_point(c->positions[c->corners[first + (i + 2) % size]]));
        }
    }
    return stars;
}

static point *find_centers(net *n)
{
    const wr_cage *c = n->cage;
    point *centers = wri_arena_alloc(&n->arena, (size_t)c->count.faces, sizeof *centers);
    for (int f = 0; centers && f < c->count.faces; f++) {
        int first = c->first_corner[f], size = c->first_corner[f + 1] - first;
        for (int i = 0; i < size; i++) {
            add(&centers[f], 1.0 / size, to_point(c->positions[c->corners[first + i]]));
        }
    }
    if (!centers) {
        wri_fail_memory(n->error, (size_t)c->count.faces * sizeof *centers);
    }
    return centers;
}

// DeRose et al. table 1: smooth or dart, crease, corner. level: as in star.
static point vertex_rule(const star *s, point p, int level)
{
    point out = {0};
    if (s->sharp[level] > 2 || s->edges == 0) {
        return p;
    }
    if (s->sharp[level] == 2) {
        add(&out, 0.75, p);
        add(&out, 0.125, s->ends[level]);
        return out;
    }
    double k = s->edges; // Catmull and Clark: (Q + 2 R + (k - 3) p) / k
    add(&out, 1.0 / (k * k), s->centers);
    add(&out, 2.0 / (k * k), s->middles);
    add(&out, (k - 3.0) / k, p);
    return out;
}

static point vertex_point(const star *s, wr_vec3 position, float sharpness)
{
    point p = to_point(position);
    point now = vertex_rule(s, p, 0);
    if (s->fade_count > 0) {
        now = mix(vertex_rule(s, p, 1), now, s->fading / s->fade_count);
    }
    return mix(now, p, (double)wr_minf(sharpness, 1.0f));
}

static point edge_point(const net *n, const edge *e, const point *centers)
{
    const wr_vec3 *p = n->cage->positions;
    point middle = mix(to_point(p[e->from]), to_point(p[e->to]), 0.5);
    if (e->sharpness >= 1.0f) {
        return middle;
    }
    point smooth = mix(middle, mix(centers[e->face[0]], centers[e->face[1]], 0.5), 0.5);
    return mix(smooth, middle, (double)e->sharpness);
}

// --- one level --------------------------------------------------------------------------------

static float worn(float sharpness)
{
    return sharpness >= WR_SHARPNESS_MAX ? sharpness : wr_maxf(sharpness - 1.0f, 0.0f);
}

// Boundary edges need no crease.
static bool stays_sharp(const edge *e)
{
    return e->face[1] >= 0 && worn(e->sharpness) > 0.0f;
}

static void fill_faces(const net *n, wr_cage *out)
{
    const wr_cage *c = n->cage;
    int edges = c->count.vertices, centers = edges + n->edge_count;
    for (int f = 0, k = 0; f < c->count.faces; f++) {
        int first = c->first_corner[f], size = c->first_corner[f + 1] - first;
        for (int i = 0; i < size; i++, k++) {
            int *quad = out->corners + 4 * (size_t)k;
            quad[0] = c->corners[first + i];
            quad[1] = edges + n->edge_of_corner[first + i];
            quad[2] = centers + f;
            quad[3] = edges + n->edge_of_corner[first + (i + size - 1) % size];
            out->first_corner[k + 1] = 4 * (k + 1);
            out->face_group[k] = c->face_group[f];
        }
    }
}

static void fill_creases(const net *n, wr_cage *out)
{
    int count = 0;
    for (int i = 0; i < n->edge_count; i++) {
        const edge *e = &n->edges[i];
        if (stays_sharp(e)) {
            int middle = n->cage->count.vertices + i;
            out->creases[count++] = (wr_crease){e->from, middle, worn(e->sharpness)};
            out->creases[count++] = (wr_crease){middle, e->to, worn(e->sharpness)};
        }
    }
}

static bool fill_positions(net *n, wr_cage *out)
{
    const wr_cage *c = n->cage;
    const point *centers = find_centers(n);
    const star *stars = centers ? find_stars(n, centers) : NULL;
    if (!stars) {
        return false;
    }
    wr_vec3 *to = out->positions;
    for (int i = 0; i < c->count.vertices; i++) {
        *to++ = to_vec3(vertex_point(&stars[i], c->positions[i], c->sharpness[i]));
        out->sharpness[i] = worn(c->sharpness[i]);
    }
    for (int i = 0; i < n->edge_count; i++) {
        *to++ = to_vec3(edge_point(n, &n->edges[i], centers));
    }
    for (int i = 0; i < c->count.faces; i++) {
        *to++ = to_vec3(centers[i]);
    }
    return true;
}

static bool copy_groups(const wr_cage *from, wr_cage *to, wr_error *error)
{
    for (int i = 0; i < from->count.groups; i++) {
        if (!wr_cage_set_group(to, i, from->groups[i].name, from->groups[i].look, error)) {
            return false;
        }
    }
    return true;
}

static wr_cage *subdivide_net(net *n, const wr_allocator *allocator)
{
    const wr_cage_counts *c = &n->cage->count;
    int creases = 0;
    for (int i = 0; i < n->edge_count; i++) {
        creases += stays_sharp(&n->edges[i]) ? 2 : 0;
    }
    if (c->corners > MOST_CORNERS / 4) {
        wri_fail(n->error, WR_E_LIMIT, "the cage would have more than %d corners", MOST_CORNERS);
        return NULL;
    }
    wr_cage_counts count = {.vertices = c->vertices + n->edge_count + c->faces,
                            .faces = c->corners,
                            .corners = 4 * c->corners,
                            .creases = creases,
                            .groups = c->groups};
    wr_cage *out = wr_cage_create(count, allocator, n->error);
    if (out && fill_positions(n, out) && copy_groups(n->cage, out, n->error)) {
        fill_faces(n, out);
        fill_creases(n, out);
        return out;
    }
    wr_cage_destroy(out);
    return NULL;
}

wr_cage *wr_cage_subdivide(const wr_cage *cage, int levels, const wr_allocator *allocator,
                           wr_error *error)
{
    if (!WRI_REQUIRE(error, cage)) {
        return NULL;
    }
    wr_cage *out = NULL;
    for (int i = 0; i < (levels > 1 ? levels : 1); i++) {
        net n;
        const wr_cage *from = out ? out : cage;
        wr_cage *next = net_build(&n, from, allocator, error) ? subdivide_net(&n, allocator) : NULL;
        wri_arena_destroy(&n.arena);
        wr_cage_destroy(out);
        if (!next) {
            return NULL;
        }
        out = next;
    }
    return out;
}

// --- limits -----------------------------------------------------------------------------------

// Halstead et al. for smooth vertices of quads, the limit of cubic B-splines on creases.
static point limit_point(const star *s, point p, float sharpness)
{
    point out = {0};
    if (s->sharp[0] > 2 || sharpness > 0.0f || s->edges == 0) {
        return p;
    }
    if (s->sharp[0] == 2) {
        add(&out, 4.0 / 6.0, p);
        add(&out, 1.0 / 6.0, s->ends[0]);
        return out;
    }
    double k = s->edges, whole = k * (k + 5.0);
    add(&out, k * k / whole, p);
    add(&out, 4.0 / whole, s->neighbours);
    add(&out, 1.0 / whole, s->across);
    return out;
}

static bool fill_limits(net *n, wr_vec3 *positions)
{
    const wr_cage *c = n->cage;
    const point *centers = find_centers(n);
    const star *stars = centers ? find_stars(n, centers) : NULL;
    for (int f = 0; f < c->count.faces; f++) {
        if (c->first_corner[f + 1] - c->first_corner[f] != 4) {
            return wri_fail(n->error, WR_E_ARGUMENT, "face %d is no quad; subdivide first", f);
        }
    }
    for (int i = 0; stars && i < c->count.vertices; i++) {
        point p = to_point(c->positions[i]);
        positions[i] = to_vec3(limit_point(&stars[i], p, c->sharpness[i]));
    }
    return stars;
}

bool wr_cage_find_limit(const wr_cage *cage, const wr_allocator *allocator, wr_vec3 *positions,
                        wr_error *error)
{
    if (!WRI_REQUIRE(error, cage, positions)) {
        return false;
    }
    net n;
    bool ok = net_build(&n, cage, allocator, error) && fill_limits(&n, positions);
    wri_arena_destroy(&n.arena);
    return ok;
}
