// pieces.c: a partition of the body into convex pieces, made once.
//
// A convex piece is the hull of its points, and the points are skinned anyway: after a deformation
// an engine overwrites them and refreshes its bounds; nothing is decomposed or rebuilt. So the only
// question is how to cut, once, so that hulls stay close to the surface in every example.
//
// Elements are cut in two across the axis, and at the place, that leave the smallest error, always
// where the error is largest. A piece's points are the surface vertices of its elements, seams
// belonging to both sides, and the outermost few of its inner vertices, which give flat pieces
// their thickness; those that lie within its sides in every example are left out at the end.
//
// Error: how deep a surface vertex lies inside its piece's hull, as the hull would keep others away
// from it. The depth is at most the distance to the supporting plane in any direction; the least
// over 26 fixed ones is taken, and over some found by turning from there and from the vertex's
// normal.
//
// All of this happens along axes that belong to the shape (shape_frame.h), so that the same shape
// has the same pieces, however it is turned or mirrored. On a lattice many things are equal but for
// the last bits: what is equal within `same` is decided by the order of the vertices, which is that
// of the shape as well, and no cut parts elements that lie in one layer.
#include "../geometry/normals.h"
#include "../geometry/shape_frame.h"
#include "metal.h"

#include <stdlib.h>

enum { DIRECTIONS = 26, TURNS = 24, LEAST_ELEMENTS = 12, OUTER = 256 };
#define SLACK 0.02f // part of its error that a hull may lose with the points that are left out
#define SAME 1e-5f  // body sizes

typedef struct cluster {
    int begin, end; // elements, in order
    int fragment;
    float error;
} cluster;

typedef struct piece_context {
    const wr_metal_asset *asset;
    size_t count;       // N, and behind them the corners of a body that was cut
    int *corners_begin; // per element: its corners among corners_of
    int *corners_of;
    const float *shares; // of elements, NULL: it was not cut
    int *order;          // elements
    int *spare;          // elements while trying, points that stay at the end
    wr_vec3 *centers;    // centroids of the elements
    wr_vec3 *shapes;     // E * count: the examples, along axes of the body's own
    wr_vec3 *normals;    // E * count
    float same;          // metres
    uint8_t *marks;      // count
    uint8_t *on_surface; // count
    int *points;         // count
    wr_vec3 directions[DIRECTIONS], outer[OUTER];
} piece_context;

static void list_directions(wr_vec3 *directions)
{
    int count = 0;
    for (int i = 0; i < 27; i++) {
        wr_vec3 d = wr_v3((float)(i % 3 - 1), (float)(i / 3 % 3 - 1), (float)(i / 9 - 1));
        if (i != 13) {
            directions[count++] = wr_normalize(d);
        }
    }
}

static bool find_shapes(piece_context *ctx, wri_arena *temporary)
{
    const wr_metal_asset *a = ctx->asset;
    size_t n = (size_t)a->N, examples = (size_t)a->E, count = ctx->count;
    float *rows = wri_arena_alloc(temporary, n * examples, sizeof *rows);
    ctx->shapes = wri_arena_alloc(temporary, count * examples, sizeof(wr_vec3));
    ctx->normals = wri_arena_alloc(temporary, count * examples, sizeof(wr_vec3));
    if (!rows || !ctx->shapes || !ctx->normals) {
        return false;
    }
    const double(*axes)[3] = (const double(*)[3])a->axes;
    float side = wri_frame_determinant(axes) < 0.0 ? -1.0f : 1.0f;
    for (size_t e = 0; e < examples; e++) {
        for (size_t i = 0; i < n * examples; i++) {
            rows[i] = i % examples == e ? 1.0f : 0.0f;
        }
        wr_vec3 *x = &ctx->shapes[e * count], *normals = &ctx->normals[e * count];
        wr_skin_positions(a->skin, rows, NULL, 0, NULL, x);
        for (size_t i = 0; i < n; i++) {
            x[i] = wri_into_frame(axes, x[i]);
        }
        for (int t = 0; t < a->outer_count; t++) {
            wri_add_normal(x, &a->triangles[3 * t], normals);
        }
        for (size_t i = n; i < count; i++) {
            x[i] = wri_metal_corner(a, x, (int)(i - n));
            normals[i] = wri_metal_corner(a, normals, (int)(i - n));
        }
        for (size_t i = 0; i < count; i++) {
            normals[i] = wr_scale(side, wr_normalize(normals[i]));
        }
    }
    return true;
}

// Moves the outermost inner vertices, at rest, to the end of the list.
static int add_inner(piece_context *ctx, int surface_count, int inner_count)
{
    int *inner = &ctx->points[surface_count], kept = 0;
    for (int d = 0; d < DIRECTIONS && kept < inner_count; d++) {
        int best = -1;
        float far = -INFINITY;
        for (int i = 0; i < inner_count; i++) {
            float at = wr_dot(ctx->directions[d], ctx->shapes[inner[i]]);
            if (at > far + ctx->same) {
                far = at;
                best = i;
            }
        }
        if (best >= kept) {
            int t = inner[kept];
            inner[kept++] = inner[best];
            inner[best] = t;
        }
    }
    return surface_count + kept;
}

// Elements that were cut stick out of their fragment: their corners stand in for their vertices.
static void mark_points(piece_context *ctx, const int *elements, int count)
{
    for (int i = 0; i < count; i++) {
        size_t e = (size_t)elements[i];
        const float *s = ctx->shares ? &ctx->shares[4 * e] : NULL;
        for (size_t k = 0; k < 4 && (!s || s[0] + s[1] + s[2] + s[3] > 0.9999f); k++) {
            ctx->marks[ctx->asset->elements[4 * e + k]] = 1;
        }
        for (int k = s ? ctx->corners_begin[e] : 0; s && k < ctx->corners_begin[e + 1]; k++) {
            ctx->marks[ctx->asset->N + ctx->corners_of[k]] = 1;
        }
    }
}

// Lists surface vertices first, ascending. Returns how many points there are.
static int list_points(piece_context *ctx, const int *elements, int count, int *surface_count)
{
    const wr_metal_asset *a = ctx->asset;
    mark_points(ctx, elements, count);
    int surface = 0, inner = 0;
    for (int i = 0; i < (int)ctx->count; i++) {
        if (ctx->marks[i] && ctx->on_surface[i]) {
            ctx->points[surface++] = i;
        }
    }
    for (int i = 0; i < a->N; i++) {
        if (ctx->marks[i] && !ctx->on_surface[i]) {
            ctx->points[surface + inner++] = i;
        }
        ctx->marks[i] = 0;
    }
    memset(ctx->marks + a->N, 0, ctx->count - (size_t)a->N);
    *surface_count = surface;
    return surface == 0 ? 0 : add_inner(ctx, surface, inner);
}

// Returns how far the points reach in a direction; most is the one that reaches farthest, the first
// of those within `same`.
static float support(const wr_vec3 *x, const int *points, int count, wr_vec3 direction, float same,
                     int *most)
{
    float far = -INFINITY;
    for (int i = 0; i < count; i++) {
        float at = wr_dot(direction, x[points[i]]);
        if (at > far + same) {
            far = at;
            *most = points[i];
        }
    }
    return far;
}

// Turns the direction away from the point that reaches farthest, again and again (a perceptron,
// with shorter and shorter turns), and returns the least depth on the way. Stops below `enough`.
static float lessen_depth(const piece_context *ctx, const wr_vec3 *x, int count, wr_vec3 p,
                          wr_vec3 direction, float enough)
{
    float least = INFINITY;
    for (int turn = 0; turn < TURNS; turn++) {
        int most = 0;
        float depth =
            support(x, ctx->points, count, direction, ctx->same, &most) - wr_dot(direction, p);
        least = depth < least ? depth : least;
        if (least <= enough) {
            break;
        }
        wr_vec3 away = wr_normalize(wr_sub(p, x[most]));
        direction =
            wr_normalize(wr_add_scaled(direction, 1.0f / (1.0f + 0.3f * (float)turn), away));
    }
    return least;
}

// Returns the error of a piece, metres.
static float find_error(piece_context *ctx, const int *elements, int element_count)
{
    int surface, count = list_points(ctx, elements, element_count, &surface);
    size_t n = ctx->count;
    float worst = 0.0f;
    for (int e = 0; e < ctx->asset->E; e++) {
        const wr_vec3 *x = &ctx->shapes[(size_t)e * n], *normals = &ctx->normals[(size_t)e * n];
        float supports[DIRECTIONS];
        for (int d = 0; d < DIRECTIONS; d++) {
            int most;
            supports[d] = support(x, ctx->points, count, ctx->directions[d], ctx->same, &most);
        }
        for (int i = 0; i < surface; i++) {
            wr_vec3 p = x[ctx->points[i]], best = ctx->directions[0];
            float depth = INFINITY;
            for (int d = 0; d < DIRECTIONS; d++) {
                float here = supports[d] - wr_dot(ctx->directions[d], p);
                best = here < depth ? ctx->directions[d] : best;
                depth = here < depth ? here : depth;
            }
            if (depth > worst) {
                wr_vec3 normal = normals[ctx->points[i]];
                depth = fminf(depth, lessen_depth(ctx, x, count, p, normal, worst));
            }
            if (depth > worst) {
                depth = fminf(depth, lessen_depth(ctx, x, count, p, best, worst));
            }
            worst = fmaxf(worst, depth);
        }
    }
    return worst;
}

// --- cutting ----------------------------------------------------------------------------------

typedef struct key {
    float at;
    int element;
} key;

static int compare_keys(const void *a, const void *b)
{
    const key *p = a, *q = b;
    return p->at != q->at ? (p->at > q->at) - (p->at < q->at)
                          : (p->element > q->element) - (p->element < q->element);
}

// The place nearest to `first` where one layer ends and the next begins.
static int find_gap(const key *keys, int count, int first, float same)
{
    for (int away = 0; away < count / 8; away++) {
        for (int side = -1; side <= 1; side += 2) {
            int i = first + side * away;
            if (i > 0 && i < count && keys[i].at - keys[i - 1].at > same) {
                return i;
            }
        }
    }
    return first;
}

static void sort_along(const piece_context *ctx, cluster c, wr_vec3 axis, key *keys, int *out)
{
    int count = c.end - c.begin;
    for (int i = 0; i < count; i++) {
        int element = ctx->order[c.begin + i];
        keys[i] = (key){wr_dot(axis, ctx->centers[element]), element};
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int i = 0; i < count; i++) {
        out[i] = keys[i].element;
    }
}

// A way of cutting a cluster in two.
typedef struct plan {
    wr_vec3 axis;
    int first; // elements on the one side
    float errors[2];
    float worse;
} plan;

static void try_cut(piece_context *ctx, int count, int first, wr_vec3 axis, plan *best)
{
    plan p = {.axis = axis, .first = first};
    p.errors[0] = find_error(ctx, ctx->spare, first);
    p.errors[1] = find_error(ctx, ctx->spare + first, count - first);
    // Both count: the worse will be cut again.
    p.worse = fmaxf(p.errors[0], p.errors[1]) + 0.25f * (p.errors[0] + p.errors[1]);
    if (p.worse < best->worse - ctx->same) {
        *best = p;
    }
}

// Cuts a cluster at the best of some directions and places; returns the second part.
static cluster cut_in_two(piece_context *ctx, cluster *c, key *keys)
{
    static const wr_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int count = c->end - c->begin;
    plan best = {.worse = INFINITY};
    for (int i = 0; i < 3; i++) {
        sort_along(ctx, *c, axes[i], keys, ctx->spare);
        for (int k = 1; k < 4; k++) {
            int first = find_gap(keys, count, count * k / 4, ctx->same);
            try_cut(ctx, count, first, axes[i], &best);
        }
    }
    sort_along(ctx, *c, best.axis, keys, ctx->spare);
    memcpy(&ctx->order[c->begin], ctx->spare, (size_t)count * sizeof(int));
    cluster second = {c->begin + best.first, c->end, c->fragment, best.errors[1]};
    *c = (cluster){c->begin, c->begin + best.first, c->fragment, best.errors[0]};
    return second;
}

// No piece reaches over a cut: a cluster per fragment to begin with. Elements are in their order.
static int find_fragments(piece_context *ctx, cluster *clusters)
{
    const wr_metal_asset *a = ctx->asset;
    int count = 0;
    for (int begin = 0, end; begin < a->element_count; begin = end) {
        int fragment = a->fragments ? a->fragments[a->elements[4 * (size_t)begin]] : 0;
        for (end = begin + 1;
             end < a->element_count &&
             (!a->fragments || a->fragments[a->elements[4 * (size_t)end]] == fragment);
             end++) {
        }
        clusters[count++] =
            (cluster){begin, end, fragment, find_error(ctx, ctx->order + begin, end - begin)};
    }
    return count;
}

static int cut(piece_context *ctx, cluster *clusters, int limit, float error, key *keys)
{
    int count = find_fragments(ctx, clusters);
    while (count < limit) {
        int worst = -1;
        for (int i = 0; i < count; i++) {
            bool can = clusters[i].end - clusters[i].begin >= 2 * LEAST_ELEMENTS;
            if (can && clusters[i].error > error &&
                (worst < 0 || clusters[i].error > clusters[worst].error + ctx->same)) {
                worst = i;
            }
        }
        if (worst < 0) {
            break;
        }
        clusters[count] = cut_in_two(ctx, &clusters[worst], keys);
        count++;
    }
    return count;
}

// Directions spread evenly over the sphere, by a spiral that turns by the golden angle at every
// step.
static void list_outer(wr_vec3 *directions)
{
    const double cosine = -0.7373688780783197, sine = 0.6754902942615238;
    double x = 1.0, z = 0.0;
    for (int i = 0; i < OUTER; i++) {
        double y = 1.0 - (2.0 * i + 1.0) / OUTER, r = sqrt(1.0 - y * y),
               next = cosine * x - sine * z;
        directions[i] = wr_v3((float)(r * x), (float)y, (float)(r * z));
        z = sine * x + cosine * z;
        x = next;
    }
}

// Engines look through all points of a piece again and again, and most lie within its sides: only
// those stay, in the same order, without which the hull would lose more than `slack` metres some
// way in some example. Corners stay.
static int keep_outer(piece_context *ctx, int count, float slack)
{
    size_t n = ctx->count;
    int *kept = ctx->spare, kept_count = 0;
    for (int e = 0; e < ctx->asset->E; e++) {
        const wr_vec3 *x = &ctx->shapes[(size_t)e * n];
        for (int d = 0; d < OUTER; d++) {
            int most = ctx->points[0], known = 0;
            float far = support(x, ctx->points, count, ctx->outer[d], ctx->same, &most);
            if (support(x, kept, kept_count, ctx->outer[d], ctx->same, &known) < far - slack) {
                kept[kept_count++] = most;
                ctx->marks[most] = 1;
            }
        }
    }
    int left = 0;
    for (int i = 0; i < count; i++) {
        if (ctx->marks[ctx->points[i]]) {
            ctx->marks[ctx->points[i]] = 0;
            ctx->points[left++] = ctx->points[i];
        }
    }
    return left;
}

// A corner moves with the vertices that carry it.
static void mask_point(wr_metal_asset *asset, int point)
{
    uint64_t bit = (uint64_t)1 << asset->piece_count;
    if (point < asset->N) {
        asset->piece_masks[point] |= bit;
        return;
    }
    const wr_ride *ride = &asset->corners[point - asset->N];
    for (size_t k = 0; k < 4; k++) {
        asset->piece_masks[asset->elements[4 * (size_t)ride->element + k]] |= bit;
    }
}

static bool store_pieces(wr_metal_asset *asset, piece_context *ctx, const cluster *clusters,
                         int count)
{
    asset->piece_begin = wri_arena_alloc(&asset->arena, (size_t)count + 1, sizeof(int));
    asset->piece_masks = wri_arena_alloc(&asset->arena, (size_t)asset->N, sizeof(uint64_t));
    asset->piece_fragments = wri_arena_alloc(&asset->arena, (size_t)count, sizeof(int));
    wri_array vertices = wri_array_create(&asset->arena.allocator, sizeof(int));
    bool ok = asset->piece_begin && asset->piece_masks && asset->piece_fragments;
    for (int c = 0; ok && c < count; c++) {
        int surface, points = list_points(ctx, &ctx->order[clusters[c].begin],
                                          clusters[c].end - clusters[c].begin, &surface);
        if (points == 0) {
            continue; // all inside
        }
        points = keep_outer(ctx, points, SLACK * clusters[c].error);
        int *out = wri_array_add(&vertices, points);
        ok = out != NULL;
        for (int i = 0; ok && i < points; i++) {
            out[i] = ctx->points[i];
            mask_point(asset, out[i]);
        }
        asset->piece_fragments[asset->piece_count] = clusters[c].fragment;
        asset->piece_begin[++asset->piece_count] = vertices.count;
        asset->piece_error = fmaxf(asset->piece_error, clusters[c].error / asset->L);
    }
    asset->piece_vertices = wri_arena_alloc(&asset->arena, (size_t)vertices.count, sizeof(int));
    ok = ok && asset->piece_vertices;
    if (ok) {
        memcpy(asset->piece_vertices, vertices.items, (size_t)vertices.count * sizeof(int));
    }
    wri_array_destroy(&vertices);
    return ok;
}

// Lists the corners of each element.
static bool list_corners(piece_context *ctx, wri_arena *temporary)
{
    const wr_metal_asset *a = ctx->asset;
    ctx->corners_begin = wri_arena_alloc(temporary, (size_t)a->element_count + 2, sizeof(int));
    ctx->corners_of = wri_arena_alloc(temporary, (size_t)a->corner_count, sizeof(int));
    if (!ctx->corners_begin || !ctx->corners_of) {
        return false;
    }
    int *next = ctx->corners_begin + 1; // ends up shifted by one: the beginnings
    for (int i = 0; i < a->corner_count; i++) {
        next[a->corners[i].element + 1]++;
    }
    for (int e = 0; e < a->element_count; e++) {
        next[e + 1] += next[e];
    }
    for (int i = 0; i < a->corner_count; i++) {
        ctx->corners_of[next[a->corners[i].element]++] = i;
    }
    return true;
}

bool wri_metal_find_pieces(wr_metal_asset *asset, int pieces_max, float error, const float *shares,
                           wri_arena *temporary)
{
    size_t n = (size_t)(asset->N + asset->corner_count), elements = (size_t)asset->element_count;
    piece_context ctx = {.asset = asset, .same = SAME * asset->L, .count = n, .shares = shares};
    pieces_max = pieces_max < asset->F ? asset->F : pieces_max;
    ctx.order = wri_arena_alloc(temporary, elements, sizeof(int));
    ctx.spare = wri_arena_alloc(temporary, elements > n ? elements : n, sizeof(int));
    ctx.centers = wri_arena_alloc(temporary, elements, sizeof(wr_vec3));
    ctx.marks = wri_arena_alloc(temporary, n, 1);
    ctx.on_surface = wri_arena_alloc(temporary, n, 1);
    ctx.points = wri_arena_alloc(temporary, n, sizeof(int));
    key *keys = wri_arena_alloc(temporary, elements, sizeof *keys);
    cluster *clusters = wri_arena_alloc(temporary, (size_t)pieces_max, sizeof *clusters);
    if (!ctx.order || !ctx.spare || !ctx.centers || !ctx.marks || !ctx.on_surface || !ctx.points ||
        !keys || !clusters || !list_corners(&ctx, temporary) || !find_shapes(&ctx, temporary)) {
        return false;
    }
    list_directions(ctx.directions);
    list_outer(ctx.outer);
    for (int i = 0; i < asset->surface_count && !shares; i++) {
        ctx.on_surface[asset->surface[i]] = 1;
    }
    memset(ctx.on_surface + asset->N, 1, (size_t)asset->corner_count);
    for (int t = 0; t < asset->element_count; t++) {
        const int *v = &asset->elements[4 * (size_t)t];
        const wr_vec3 *x = ctx.shapes; // at rest
        wr_vec3 sum = wr_add(wr_add(x[v[0]], x[v[1]]), wr_add(x[v[2]], x[v[3]]));
        ctx.order[t] = t;
        ctx.centers[t] = wr_scale(0.25f, sum);
    }
    int count = cut(&ctx, clusters, pieces_max, error * asset->L, keys);
    return store_pieces(asset, &ctx, clusters, count);
}
