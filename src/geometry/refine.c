// refine.c: long edges of a mesh are halved until none is left.
//
// In each round every edge longer than a limit gets a vertex in its middle, and its triangles are
// cut: neighbours agree by construction, because all edges of a round are known before one of them
// is split. Edges are those between places, so that both sides of a seam are split alike. Edges
// within a triangle of the source lie in its plane and may be flipped, which leaves the surface as
// it is: the shorter diagonal of two pieces is taken. In a long thin triangle they wait until its
// sides are split, for then they can be flipped and need not be split at all; without that the
// pieces of a spike become thinner with each round, and three times as many instead of twice.
#include "mesh_like.h"
#include "topology.h"

#include <stdlib.h>

static const double WELD = 1e-6; // of the size: nearer vertices are at one place, as in layer.h

// Of the longest edge there is: a round splits what is longer, so that long triangles are cut
// across before their short sides are split. A box of 1 m by 0.6 by 0.3 gets a quarter fewer
// vertices.
static const double FIRST = 0.7;

typedef struct refiner {
    const wr_mesh *mesh;
    double length;
    int vertex_limit;
    wri_array positions; // wr_vec3 per vertex
    wri_array places;    // int per vertex
    wri_array parents;   // two ints per added vertex
    wri_array triangles; // three ints each
    wri_array origins;   // int per triangle: the one of the source it is a part of, ascending
    int place_count;
} refiner;

// An edge of two vertices that is to be split, as a triangle sees it.
typedef struct cut {
    int edge;      // between places
    int low, high; // vertices
    int half;      // half edge of the triangle
} cut;

// What is known of the edges in a round.
typedef struct edges {
    wri_arena arena;
    wri_topology topology;
    double *lengths; // per edge, metres: the longest of its vertices' ones
    bool *inner;     // per edge: it is within a triangle of the source
    int *middles;    // per half edge: the vertex in its middle, -1: it is not split
    cut *cuts;
    int cut_count;
} edges;

static double length_of(const refiner *r, int a, int b)
{
    wr_vec3 p = WRI_ITEM(r->positions, wr_vec3, a), q = WRI_ITEM(r->positions, wr_vec3, b);
    double x = (double)p.x - q.x, y = (double)p.y - q.y, z = (double)p.z - q.z;
    return sqrt(x * x + y * y + z * z);
}

// --- which edges to split -----------------------------------------------------------------------

static bool find_edges(const refiner *r, edges *e)
{
    wri_topology *s = &e->topology;
    size_t halves = 3 * (size_t)r->origins.count;
    *s = (wri_topology){
        .arena = &e->arena, .triangle_count = r->origins.count, .place_count = r->place_count};
    s->corners = wri_arena_alloc(&e->arena, halves, sizeof *s->corners);
    s->fate = wri_arena_alloc(&e->arena, (size_t)r->origins.count, sizeof *s->fate);
    e->middles = wri_arena_alloc(&e->arena, halves, sizeof *e->middles);
    e->cuts = wri_arena_alloc(&e->arena, halves, sizeof *e->cuts);
    e->lengths = wri_arena_alloc(&e->arena, halves, sizeof *e->lengths);
    e->inner = wri_arena_alloc(&e->arena, halves, sizeof *e->inner);
    if (!s->corners || !s->fate || !e->middles || !e->cuts || !e->lengths || !e->inner) {
        return false;
    }
    memset(s->fate, WRI_KEPT, (size_t)r->origins.count);
    for (size_t i = 0; i < halves; i++) {
        s->corners[i] = WRI_ITEM(r->places, int, WRI_ITEM(r->triangles, int, i));
        e->middles[i] = -1;
    }
    return wri_topology_find_edges(s);
}

// The two half edges of an edge within a triangle of the source; false: it is none.
static bool find_inner(const refiner *r, const wri_topology *s, int edge, int halves[2])
{
    const int *v = r->triangles.items, *origins = r->origins.items;
    if (wri_edge_triangles(s, edge) != 2) {
        return false;
    }
    int a = halves[0] = s->half_edges[s->edge_begin[edge]];
    int b = halves[1] = s->half_edges[s->edge_begin[edge] + 1];
    return origins[a / 3] == origins[b / 3] && v[a] == v[wri_next_half(b)] &&
           v[b] == v[wri_next_half(a)];
}

// By edge, then by vertices: an order that does not depend on that of the triangles.
static int compare_cuts(const void *a, const void *b)
{
    const cut *p = a, *q = b;
    return p->edge != q->edge   ? (p->edge > q->edge) - (p->edge < q->edge)
           : p->low != q->low   ? (p->low > q->low) - (p->low < q->low)
           : p->high != q->high ? (p->high > q->high) - (p->high < q->high)
                                : (p->half > q->half) - (p->half < q->half);
}

// The longest edge of all.
static double measure_edges(const refiner *r, edges *e)
{
    const int *v = r->triangles.items;
    double longest = 0.0;
    for (int half = 0; half < 3 * r->origins.count; half++) {
        double *length = &e->lengths[e->topology.edge[half]];
        *length = fmax(*length, length_of(r, v[half], v[wri_next_half(half)]));
        longest = fmax(longest, *length);
    }
    for (int i = 0; i < e->topology.edge_count; i++) {
        int halves[2];
        e->inner[i] = find_inner(r, &e->topology, i, halves);
    }
    return longest;
}

// An inner edge that lies along a side, of a triangle of the source, which is split in this round.
static bool waits(const edges *e, int edge, double limit)
{
    const wri_topology *s = &e->topology;
    bool is_along = false;
    for (int i = s->edge_begin[edge]; e->inner[edge] && i < s->edge_begin[edge + 1]; i++) {
        int next = wri_next_half(s->half_edges[i]), last = wri_next_half(next);
        int f = s->edge[next], g = s->edge[last];
        double thin = 0.5 * e->lengths[edge];
        is_along = is_along || (!e->inner[f] && e->lengths[f] > limit && e->lengths[g] < thin) ||
                   (!e->inner[g] && e->lengths[g] > limit && e->lengths[f] < thin);
    }
    return is_along;
}

static void find_cuts(const refiner *r, edges *e)
{
    const int *v = r->triangles.items;
    double limit = fmax(r->length, FIRST * measure_edges(r, e));
    for (int half = 0; half < 3 * r->origins.count; half++) {
        int edge = e->topology.edge[half], a = v[half], b = v[wri_next_half(half)];
        if (e->lengths[edge] > limit && !waits(e, edge, limit)) {
            e->cuts[e->cut_count++] = (cut){edge, a < b ? a : b, a < b ? b : a, half};
        }
    }
    qsort(e->cuts, (size_t)e->cut_count, sizeof *e->cuts, compare_cuts);
}

// --- splitting ----------------------------------------------------------------------------------

static bool fail_limit(const refiner *r, wr_error *error)
{
    return wri_fail(error, WR_E_LIMIT,
                    "mesh \"%s\": more than %d vertices are needed for edges of at most %s m",
                    r->mesh->name ? r->mesh->name : "", r->vertex_limit, WRI_NUMBER(r->length, 6));
}

static bool add_middle(refiner *r, const cut *c, int place, wr_error *error)
{
    if (r->positions.count >= r->vertex_limit) {
        return fail_limit(r, error);
    }
    wr_vec3 *position = wri_array_add(&r->positions, 1);
    int *own = wri_array_add(&r->places, 1), *parents = wri_array_add(&r->parents, 2);
    if (!position || !own || !parents) {
        return wri_fail_memory(error, (size_t)r->positions.count * sizeof *position);
    }
    const wr_vec3 *p = r->positions.items;
    *position = wr_scale(0.5f, wr_add(p[c->low], p[c->high]));
    *own = place;
    parents[0] = c->low;
    parents[1] = c->high;
    return true;
}

static bool add_middles(refiner *r, edges *e, wr_error *error)
{
    for (int i = 0; i < e->cut_count; i++) {
        const cut *c = &e->cuts[i], *last = i > 0 ? c - 1 : NULL;
        bool is_new_edge = !last || last->edge != c->edge;
        bool is_new = is_new_edge || last->low != c->low || last->high != c->high;
        r->place_count += is_new_edge;
        if (is_new && !add_middle(r, c, r->place_count - 1, error)) {
            return false;
        }
        e->middles[c->half] = r->positions.count - 1;
    }
    return true;
}

// Whether one half edge of a triangle is to be cut before another: the longer one, or that of the
// lower vertices.
static bool comes_first(const refiner *r, const edges *e, int half, int other)
{
    const int *v = r->triangles.items;
    double more = e->lengths[e->topology.edge[half]] - e->lengths[e->topology.edge[other]];
    int a = v[half], b = v[wri_next_half(half)], c = v[other], d = v[wri_next_half(other)];
    int low = (a < b ? a : b) - (c < d ? c : d), high = (a < b ? b : a) - (c < d ? d : c);
    return more != 0.0 ? more > 0.0 : low != 0 ? low < 0 : high < 0;
}

// The pieces of a triangle a b c, and their number: m is the middle of a b, the first edge to be
// cut, n that of b c and o that of c a, -1: none.
static int cut_triangle(const int v[3], int m, int n, int o, int out[4][3])
{
    int a = v[0], b = v[1], c = v[2], count = 0;
#define PIECE(i, j, k) out[count][0] = (i), out[count][1] = (j), out[count++][2] = (k)
    if (n >= 0 && o >= 0) {
        PIECE(a, m, o);
        PIECE(m, b, n);
        PIECE(o, n, c);
        PIECE(m, n, o);
        return count;
    }
    if (o >= 0) {
        PIECE(a, m, o);
        PIECE(m, c, o);
    } else {
        PIECE(a, m, c);
    }
    if (n >= 0) {
        PIECE(m, b, n);
        PIECE(m, n, c);
    } else {
        PIECE(m, b, c);
    }
#undef PIECE
    return count;
}

static bool add_triangle(const int v[3], int origin, wri_array *triangles, wri_array *origins)
{
    int *t = wri_array_add(triangles, 3), *o = wri_array_add(origins, 1);
    if (t && o) {
        memcpy(t, v, 3 * sizeof *t);
        *o = origin;
    }
    return t && o;
}

static bool split_triangle(const refiner *r, const edges *e, int triangle, wri_array *triangles,
                           wri_array *origins)
{
    const int *v = r->triangles.items;
    int first = -1, origin = WRI_ITEM(r->origins, int, triangle);
    for (int half = 3 * triangle; half < 3 * triangle + 3; half++) {
        bool is_cut = e->middles[half] >= 0;
        first = is_cut && (first < 0 || comes_first(r, e, half, first)) ? half : first;
    }
    if (first < 0) {
        return add_triangle(&v[3 * triangle], origin, triangles, origins);
    }
    int next = wri_next_half(first), last = wri_next_half(next);
    const int corners[3] = {v[first], v[next], v[last]};
    int pieces[4][3];
    int count =
        cut_triangle(corners, e->middles[first], e->middles[next], e->middles[last], pieces);
    bool ok = true;
    for (int i = 0; i < count && ok; i++) {
        ok = add_triangle(pieces[i], origin, triangles, origins);
    }
    return ok;
}

static bool split_triangles(refiner *r, const edges *e, wr_error *error)
{
    if (r->origins.count > INT32_MAX / 12) {
        return fail_limit(r, error);
    }
    const wr_allocator *allocator = &r->triangles.allocator;
    wri_array triangles = wri_array_create(allocator, sizeof(int));
    wri_array origins = wri_array_create(allocator, sizeof(int));
    bool ok = true;
    for (int i = 0; i < r->origins.count && ok; i++) {
        ok = split_triangle(r, e, i, &triangles, &origins);
    }
    wri_array old[2] = {r->triangles, r->origins};
    r->triangles = triangles;
    r->origins = origins;
    wri_array_destroy(&old[0]);
    wri_array_destroy(&old[1]);
    return ok || wri_fail_memory(error, (size_t)origins.count * 3 * sizeof(int));
}

// --- flipping -----------------------------------------------------------------------------------

// Twice the area of a triangle, as a vector.
static void find_area(const refiner *r, int a, int b, int c, double out[3])
{
    const wr_vec3 *p = r->positions.items;
    double s[3] = {(double)p[b].x - p[a].x, (double)p[b].y - p[a].y, (double)p[b].z - p[a].z};
    double t[3] = {(double)p[c].x - p[a].x, (double)p[c].y - p[a].y, (double)p[c].z - p[a].z};
    for (int k = 0; k < 3; k++) {
        out[k] = s[(k + 1) % 3] * t[(k + 2) % 3] - s[(k + 2) % 3] * t[(k + 1) % 3];
    }
}

// Whether the diagonal c d of the triangles a b c and b a d is clearly shorter than a b, and leaves
// two triangles that face the same side, none of them much smaller than the smaller of these two.
static bool is_better(const refiner *r, int a, int b, int c, int d)
{
    const double clearly = 0.999, least = 0.05;
    double old[2][3], new[2][3], inner[4] = {0};
    if (c == d || !(length_of(r, c, d) < clearly * length_of(r, a, b))) {
        return false;
    }
    find_area(r, a, b, c, old[0]);
    find_area(r, b, a, d, old[1]);
    find_area(r, a, d, c, new[0]);
    find_area(r, d, b, c, new[1]);
    for (int k = 0; k < 3; k++) {
        double side = old[0][k] + old[1][k];
        inner[0] += old[0][k] * side;
        inner[1] += old[1][k] * side;
        inner[2] += new[0][k] * side;
        inner[3] += new[1][k] * side;
    }
    return fmin(inner[2], inner[3]) > least * fmax(fmin(inner[0], inner[1]), 0.0);
}

static bool flip(refiner *r, const int halves[2], bool *touched)
{
    int *v = r->triangles.items;
    int c = v[wri_next_half(wri_next_half(halves[0]))];
    int d = v[wri_next_half(wri_next_half(halves[1]))];
    int a = v[halves[0]], b = v[halves[1]], *s = &v[halves[0] / 3 * 3], *t = &v[halves[1] / 3 * 3];
    if (touched[halves[0] / 3] || touched[halves[1] / 3] || !is_better(r, a, b, c, d)) {
        return false;
    }
    s[0] = a, s[1] = d, s[2] = c;
    t[0] = d, t[1] = b, t[2] = c;
    touched[halves[0] / 3] = touched[halves[1] / 3] = true;
    return true;
}

// Flips every triangle once at most, and counts; -1: out of memory.
static int flip_once(refiner *r)
{
    edges e = {.arena = wri_arena_create(&r->positions.allocator)};
    bool *touched = wri_arena_alloc(&e.arena, (size_t)r->origins.count, sizeof *touched);
    int count = touched && find_edges(r, &e) ? 0 : -1;
    for (int i = 0; count >= 0 && i < e.topology.edge_count; i++) {
        int halves[2];
        count += find_inner(r, &e.topology, i, halves) && flip(r, halves, touched);
    }
    wri_arena_destroy(&e.arena);
    return count;
}

// All edges together become shorter with each flip, so that it ends.
static bool flip_all(refiner *r, wr_error *error)
{
    int count = 1;
    while (count > 0) {
        count = flip_once(r);
    }
    return count == 0 || wri_fail_memory(error, (size_t)r->origins.count * 3 * sizeof(int));
}

// --- rounds -------------------------------------------------------------------------------------

// Every round adds a vertex or is the last one, and the limit ends what rounding would keep up.
static bool split_all(refiner *r, wr_error *error)
{
    bool ok = true, is_done = false;
    while (ok && !is_done) {
        edges e = {.arena = wri_arena_create(&r->positions.allocator)};
        ok = find_edges(r, &e) || wri_fail_memory(error, e.arena.total);
        if (ok) {
            find_cuts(r, &e);
            is_done = e.cut_count == 0;
            ok = is_done ||
                 (add_middles(r, &e, error) && split_triangles(r, &e, error) && flip_all(r, error));
        }
        wri_arena_destroy(&e.arena);
    }
    return ok;
}

// --- what vertices carry ------------------------------------------------------------------------

void wr_added_interpolate(const wr_added_vertices *added, int width, float *values)
{
    size_t n = (size_t)width;
    for (int i = 0; i < added->count; i++) {
        const float *a = &values[(size_t)added->parents[2 * i] * n];
        const float *b = &values[(size_t)added->parents[2 * i + 1] * n];
        float *out = &values[(size_t)(added->first + i) * n];
        for (size_t k = 0; k < n; k++) {
            out[k] = 0.5f * (a[k] + b[k]);
        }
    }
}

// Normals that cancel each other leave the first.
static void interpolate_normals(const wr_added_vertices *added, wr_vec3 *normals)
{
    for (int i = 0; i < added->count; i++) {
        wr_vec3 a = normals[added->parents[2 * i]], b = normals[added->parents[2 * i + 1]];
        wr_vec3 sum = wr_add(a, b);
        normals[added->first + i] = wr_dot(sum, sum) > 1e-12f ? wr_normalize(sum) : a;
    }
}

// The share of a joint in the first `count` pairs, all of which are taken away from them.
static float take_share(const int *joints, float *weights, int count, int joint)
{
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        if (joints[i] == joint) {
            sum += weights[i];
            weights[i] = 0.0f;
        }
    }
    return sum;
}

static int find_heaviest(const int *joints, const float *weights, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++) {
        bool is_first = weights[i] == weights[best] && joints[i] < joints[best];
        best = weights[i] > weights[best] || is_first ? i : best;
    }
    return best;
}

// All influences of both parents, each joint once; room for the heaviest ones only. joints and
// weights have 2 n pairs, the parents', and are used up.
static void merge_influences(int n, int *joints, float *weights, int *out_joints, float *out)
{
    float total = 0.0f;
    for (int i = 0; i < 2 * n; i++) {
        float w = weights[i];
        weights[i] = 0.0f;
        weights[i] = w + take_share(joints, weights, 2 * n, joints[i]);
    }
    for (int k = 0; k < n; k++) {
        int best = find_heaviest(joints, weights, 2 * n);
        out_joints[k] = weights[best] > 0.0f ? joints[best] : 0;
        out[k] = weights[best];
        total += out[k];
        weights[best] = 0.0f;
    }
    for (int k = 0; k < n && total > 0.0f; k++) {
        out[k] /= total;
    }
}

static bool interpolate_influences(const wr_added_vertices *added, wr_mesh *out, wri_arena *arena)
{
    size_t n = (size_t)out->influence_count;
    int *joints = wri_arena_alloc(arena, 2 * n, sizeof *joints);
    float *weights = wri_arena_alloc(arena, 2 * n, sizeof *weights);
    if (!joints || !weights) {
        return false;
    }
    for (int i = 0; i < added->count; i++) {
        for (size_t k = 0; k < 2; k++) {
            size_t parent = (size_t)added->parents[2 * i + (int)k] * n;
            memcpy(joints + k * n, out->joints + parent, n * sizeof *joints);
            memcpy(weights + k * n, out->weights + parent, n * sizeof *weights);
        }
        size_t at = (size_t)(added->first + i) * n;
        merge_influences((int)n, joints, weights, out->joints + at, out->weights + at);
    }
    return true;
}

// Rows of the source's vertices, then the mean of all that can be averaged.
static bool fill_rows(const wr_mesh *mesh, const wr_added_vertices *added, wr_mesh *out,
                      wri_arena *arena)
{
    int count;
    const wri_rows *from = wri_mesh_rows(mesh, arena, &count);
    const wri_rows *to = wri_mesh_rows(out, arena, &count); // rows of the same kinds
    if (!from || !to) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        memcpy(to[k].values, from[k].values, 4 * (size_t)mesh->vertex_count * (size_t)to[k].words);
        if (to[k].values != out->joints && to[k].values != out->weights) {
            wr_added_interpolate(added, to[k].words, to[k].values);
        }
    }
    if (out->normals) {
        interpolate_normals(added, out->normals);
    }
    return !out->joints || !out->weights || interpolate_influences(added, out, arena);
}

// --- all ----------------------------------------------------------------------------------------

// Pieces of a triangle come one after another, in the place where it was.
static void fill_parts(const refiner *r, wr_mesh *out, const int *begins)
{
    const wr_mesh *mesh = r->mesh;
    for (int i = 0; i < mesh->part_count; i++) {
        wr_mesh_part part = mesh->parts[i];
        int first = begins[part.first_triangle];
        int end = begins[part.first_triangle + part.triangle_count];
        out->parts[out->part_count++] = (wr_mesh_part){first, end - first, part.look};
    }
}

static bool fill_mesh(const refiner *r, wr_model *model, wr_added_vertices *added, wri_arena *arena)
{
    wr_mesh *out = model->meshes;
    size_t triangles = (size_t)r->mesh->triangle_count, parents = (size_t)r->parents.count;
    int *begins = wri_arena_alloc(arena, triangles + 1, sizeof *begins);
    int *copy = wr_model_alloc(model, parents, sizeof *copy);
    if (!begins || !copy) {
        return false;
    }
    for (int i = 0; i < r->origins.count; i++) {
        begins[WRI_ITEM(r->origins, int, i) + 1] = i + 1;
    }
    fill_parts(r, out, begins);
    if (parents > 0) {
        memcpy(copy, r->parents.items, parents * sizeof *copy);
    }
    *added = (wr_added_vertices){r->mesh->vertex_count, r->parents.count / 2, copy};
    if (out->vertex_count > 0) {
        memcpy(out->positions, r->positions.items, (size_t)out->vertex_count * sizeof(wr_vec3));
    }
    if (out->triangle_count > 0) {
        memcpy(out->triangles, r->triangles.items, (size_t)out->triangle_count * 3 * sizeof(int));
    }
    return fill_rows(r->mesh, added, out, arena);
}

static wr_model *build_result(const refiner *r, wr_added_vertices *added, wr_error *error)
{
    wr_model *model = wri_mesh_create_like(&r->positions.allocator, error);
    if (!model) {
        return NULL;
    }
    wr_mesh *out = model->meshes;
    out->vertex_count = r->positions.count;
    out->triangle_count = r->origins.count;
    wri_arena arena = wri_arena_create(&r->positions.allocator);
    bool ok = wri_mesh_alloc_like(model, out, r->mesh) && fill_mesh(r, model, added, &arena);
    wri_arena_destroy(&arena);
    if (!ok) {
        wri_fail_memory(error, (size_t)out->vertex_count * sizeof(wr_vec3));
        wr_model_destroy(model);
        return NULL;
    }
    return model;
}

static bool copy_into(wri_array *array, const void *items, int count)
{
    void *room = wri_array_add(array, count);
    if (room && count > 0) {
        memcpy(room, items, (size_t)count * array->item_size);
    }
    return room || count == 0;
}

static bool begin(refiner *r)
{
    const wr_mesh *mesh = r->mesh;
    wri_arena arena = wri_arena_create(&r->positions.allocator);
    wri_topology s;
    bool ok = wri_topology_begin(&s, &arena, mesh, WELD) &&
              copy_into(&r->positions, mesh->positions, mesh->vertex_count) &&
              copy_into(&r->places, s.place, mesh->vertex_count) &&
              copy_into(&r->triangles, mesh->triangles, 3 * mesh->triangle_count) &&
              (wri_array_add(&r->origins, mesh->triangle_count) || mesh->triangle_count == 0);
    for (int i = 0; ok && i < mesh->triangle_count; i++) {
        WRI_ITEM(r->origins, int, i) = i;
    }
    r->place_count = ok ? s.place_count : 0;
    wri_arena_destroy(&arena);
    return ok;
}

static wr_model *refine(refiner *r, wr_added_vertices *added, wr_error *error)
{
    if (!begin(r)) {
        wri_fail_memory(error, (size_t)r->mesh->vertex_count * sizeof(wr_vec3));
        return NULL;
    }
    return split_all(r, error) ? build_result(r, added, error) : NULL;
}

wr_model *wr_mesh_refine(const wr_mesh *mesh, double length, int vertex_limit,
                         const wr_allocator *allocator, wr_added_vertices *added, wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh) || !wri_mesh_check(mesh, error) ||
        !wri_mesh_check_parts(mesh, error)) {
        return NULL;
    }
    if (!(length > 0.0)) {
        wri_fail(error, WR_E_ARGUMENT, "length: %s m, expected more than 0", WRI_NUMBER(length, 6));
        return NULL;
    }
    refiner r = {.mesh = mesh,
                 .length = length,
                 .vertex_limit = vertex_limit,
                 .positions = wri_array_create(allocator, sizeof(wr_vec3)),
                 .places = wri_array_create(allocator, sizeof(int)),
                 .parents = wri_array_create(allocator, sizeof(int)),
                 .triangles = wri_array_create(allocator, sizeof(int)),
                 .origins = wri_array_create(allocator, sizeof(int))};
    wr_added_vertices own;
    wr_model *model = refine(&r, added ? added : &own, error);
    wri_array_destroy(&r.positions);
    wri_array_destroy(&r.places);
    wri_array_destroy(&r.parents);
    wri_array_destroy(&r.triangles);
    wri_array_destroy(&r.origins);
    return model;
}
