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
// Where their number is given, hollow bodies are filled: a hull across a hollow is left sideways. A
// body that is followed `within` a distance has pieces as many as that takes. There, the corners of
// a piece's own triangles must leave its hull the way the skin faces, leaning by 60 degrees at
// most, and no vertex of the skin, of whichever piece, may lie deeper than that in any hull. What
// does not hang together is cut apart, down to single elements, and what was cut more often than
// needed is joined again (pieces_join.c). A hull stands off the skin by the distance where the way
// out is straight, by 1 / cos 60 degrees = 2 times as much at worst.
//
// All of this happens along axes that belong to the shape (shape_frame.h), so that the same shape
// has the same pieces, however it is turned or mirrored. On a lattice many things are equal but for
// the last bits: what is equal within `same` is decided by the order of the vertices, which is that
// of the shape as well, and no cut parts elements that lie in one layer.
#include "../geometry/normals.h"
#include "../geometry/shape_frame.h"
#include "../skin/rows.h"
#include "pieces.h"

#include <stdlib.h>

enum {
    DIRECTIONS = WRI_PIECE_DIRECTIONS,
    OUTER = WRI_PIECE_OUTER,
    TURNS = 24,
    LEAST_ELEMENTS = 12, // of a piece, where their number is given
    BREAKING_MOST = 64   // pieces of a body that can break
};
#define FACING 0.5f // cosine between the normal of a triangle and the ways out there
#define SLACK 0.02f // part of its error that a hull may lose with the points that are left out
#define SAME 1e-5f  // body sizes

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

// Finds the triangles of the skin that are faces of elements.
static bool find_skin(wri_piece_context *ctx, wri_arena *temporary)
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    const wr_metal_asset *a = ctx->asset;
    ctx->skin = wri_arena_alloc(temporary, 4 * (size_t)a->element_count, sizeof(int));
    for (int k = 0; ctx->skin && k < 4 * a->element_count; k++) {
        const int *v = &a->elements[4 * (size_t)(k / 4)], *face = faces[k % 4];
        int p = v[face[0]], q = v[face[1]], r = v[face[2]];
        ctx->skin[k] = -1;
        for (int i = a->triangles_begin[p]; i < a->triangles_begin[p + 1]; i++) {
            const int *t = &a->triangles[3 * (size_t)a->triangles_of[i]];
            bool has_q = t[0] == q || t[1] == q || t[2] == q;
            bool has_r = t[0] == r || t[1] == r || t[2] == r;
            ctx->skin[k] = has_q && has_r ? a->triangles_of[i] : ctx->skin[k];
        }
    }
    return ctx->skin != NULL;
}

static bool find_shapes(wri_piece_context *ctx, wri_arena *temporary)
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
    ctx->side = wri_frame_determinant(axes) < 0.0 ? -1.0f : 1.0f;
    for (size_t e = 0; e < examples; e++) {
        wri_rows_fill(rows, n, examples, e);
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
            normals[i] = wr_scale(ctx->side, wr_normalize(normals[i]));
        }
    }
    return true;
}

// Moves the outermost inner vertices, at rest, to the end of the list.
static int add_inner(wri_piece_context *ctx, int surface_count, int inner_count)
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
static void mark_points(wri_piece_context *ctx, const int *elements, int count)
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
static int list_points(wri_piece_context *ctx, const int *elements, int count, int *surface_count)
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

// A point and the ways out of a hull that count there: those that lean away from the normal by no
// more than this cosine.
typedef struct place {
    int point;
    wr_vec3 normal;
    float facing;
} place;

// Turns the direction away from the point that reaches farthest, again and again (a perceptron,
// with shorter and shorter turns), and returns the least depth on the way. Stops below `enough`.
static float lessen_depth(const wri_piece_context *ctx, const wr_vec3 *x, int count, place at,
                          wr_vec3 direction, float enough)
{
    wr_vec3 p = x[at.point];
    float least = INFINITY;
    for (int turn = 0; turn < TURNS && wr_dot(direction, at.normal) >= at.facing; turn++) {
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

// Returns how deep a place of a piece lies in its hull, or something up to `enough`.
static float find_depth(const wri_piece_context *ctx, const wr_vec3 *x, int count, place at,
                        const float *supports, float enough)
{
    wr_vec3 best = ctx->directions[0];
    float depth = INFINITY;
    for (int d = 0; d < DIRECTIONS; d++) {
        float here = supports[d] - wr_dot(ctx->directions[d], x[at.point]);
        if (here < depth && wr_dot(ctx->directions[d], at.normal) >= at.facing) {
            best = ctx->directions[d];
            depth = here;
        }
    }
    if (depth > enough) {
        depth = fminf(depth, lessen_depth(ctx, x, count, at, at.normal, enough));
    }
    if (depth > enough) {
        depth = fminf(depth, lessen_depth(ctx, x, count, at, best, enough));
    }
    return depth;
}

// The largest depth of the corners of the skin's triangles that are an element's.
static float find_skin_depth(const wri_piece_context *ctx, const wr_vec3 *x, int count, int element,
                             const float *supports, float worst, float most)
{
    for (size_t k = 4 * (size_t)element; k < 4 * (size_t)element + 4; k++) {
        if (ctx->skin[k] < 0) {
            continue;
        }
        const int *v = &ctx->asset->triangles[3 * (size_t)ctx->skin[k]];
        wr_vec3 across = wr_cross(wr_sub(x[v[1]], x[v[0]]), wr_sub(x[v[2]], x[v[0]]));
        wr_vec3 normal = wr_scale(ctx->side, wr_normalize(across));
        for (int i = 0; i < 3 && worst <= most; i++) {
            place at = {v[i], normal, FACING};
            worst = fmaxf(worst, find_depth(ctx, x, count, at, supports, worst));
        }
    }
    return worst;
}

// The largest depth of any vertex of the skin, by whichever way is shortest: a piece may reach
// around a hollow whose skin others have.
static float find_covered(const wri_piece_context *ctx, int example, int count,
                          const float *supports, float worst, float most)
{
    const wr_vec3 *x = &ctx->shapes[(size_t)example * ctx->count];
    const wr_vec3 *normals = &ctx->normals[(size_t)example * ctx->count];
    for (int i = 0; i < ctx->asset->surface_count && worst <= most; i++) {
        int v = ctx->asset->surface[i];
        place at = {v, normals[v], -INFINITY};
        int d = 0;
        while (d < DIRECTIONS && supports[d] - wr_dot(ctx->directions[d], x[at.point]) > worst) {
            d++;
        }
        if (d == DIRECTIONS) {
            worst = fmaxf(worst, find_depth(ctx, x, count, at, supports, worst));
        }
    }
    return worst;
}

float wri_piece_error(wri_piece_context *ctx, const int *elements, int element_count, float most)
{
    if (ctx->follow && element_count == 1) {
        return 0.0f; // it is convex
    }
    int surface, count = list_points(ctx, elements, element_count, &surface);
    float worst = 0.0f;
    for (int e = 0; e < ctx->asset->E && worst <= most; e++) {
        const wr_vec3 *x = &ctx->shapes[(size_t)e * ctx->count];
        const wr_vec3 *normals = &ctx->normals[(size_t)e * ctx->count];
        float supports[DIRECTIONS];
        for (int d = 0; d < DIRECTIONS; d++) {
            int farthest;
            supports[d] = support(x, ctx->points, count, ctx->directions[d], ctx->same, &farthest);
        }
        for (int i = 0; i < surface && !ctx->follow; i++) {
            place at = {ctx->points[i], normals[ctx->points[i]], -INFINITY};
            worst = fmaxf(worst, find_depth(ctx, x, count, at, supports, worst));
        }
        for (int i = 0; i < element_count && ctx->follow && worst <= most; i++) {
            worst = find_skin_depth(ctx, x, count, elements[i], supports, worst, most);
        }
        worst = ctx->follow ? find_covered(ctx, e, count, supports, worst, most) : worst;
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

static int find_root(const wri_piece_context *ctx, int vertex)
{
    while (ctx->roots[vertex] != vertex) {
        vertex = ctx->roots[vertex] = ctx->roots[ctx->roots[vertex]]; // halves the way
    }
    return vertex;
}

// Joins the vertices of each element of a cluster; those of others stay as they are.
static void find_components(const wri_piece_context *ctx, wri_cluster c)
{
    for (int i = c.begin; i < c.end; i++) {
        for (int k = 0; k < 4; k++) {
            int v = ctx->asset->elements[4 * (size_t)ctx->order[i] + (size_t)k];
            ctx->roots[v] = v;
        }
    }
    for (int i = c.begin; i < c.end; i++) {
        const int *v = &ctx->asset->elements[4 * (size_t)ctx->order[i]];
        for (int k = 1; k < 4; k++) {
            int a = find_root(ctx, v[0]), b = find_root(ctx, v[k]);
            ctx->roots[a > b ? a : b] = a > b ? b : a;
        }
    }
}

// Sorts along an axis. Without one, what hangs together with the first element comes first; returns
// how many elements do.
static int sort_elements(const wri_piece_context *ctx, wri_cluster c, const wr_vec3 *axis,
                         key *keys, int *out)
{
    int count = c.end - c.begin, first = 0, root = 0;
    if (!axis) {
        find_components(ctx, c);
        root = find_root(ctx, ctx->asset->elements[4 * (size_t)ctx->order[c.begin]]);
    }
    for (int i = 0; i < count; i++) {
        int element = ctx->order[c.begin + i];
        bool apart = !axis && find_root(ctx, ctx->asset->elements[4 * (size_t)element]) != root;
        keys[i] = (key){axis ? wr_dot(*axis, ctx->centers[element]) : (float)apart, element};
        first += !apart;
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int i = 0; i < count; i++) {
        out[i] = keys[i].element;
    }
    return first;
}

// A way of cutting a cluster in two.
typedef struct plan {
    const wr_vec3 *axis; // NULL: what does not hang together
    int first;           // elements on the one side
    float errors[2];
    float worse;
} plan;

static void try_cut(wri_piece_context *ctx, int count, int first, const wr_vec3 *axis, plan *best)
{
    plan p = {.axis = axis, .first = first};
    p.errors[0] = wri_piece_error(ctx, ctx->spare, first, INFINITY);
    p.errors[1] = wri_piece_error(ctx, ctx->spare + first, count - first, INFINITY);
    // Both count: the worse will be cut again.
    p.worse = fmaxf(p.errors[0], p.errors[1]) + 0.25f * (p.errors[0] + p.errors[1]);
    if (p.worse < best->worse - ctx->same) {
        *best = p;
    }
}

// Cuts a cluster at the best of some directions and places; returns the second part.
static wri_cluster cut_in_two(wri_piece_context *ctx, wri_cluster *c, key *keys)
{
    static const wr_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int count = c->end - c->begin;
    plan best = {.worse = INFINITY};
    for (int i = 0; i < 3; i++) {
        sort_elements(ctx, *c, &axes[i], keys, ctx->spare);
        for (int k = 1; k < 4; k++) {
            int first = find_gap(keys, count, count * k / 4, ctx->same);
            if (first > 0) {
                try_cut(ctx, count, first, &axes[i], &best);
            }
        }
    }
    if (ctx->follow) {
        int together = sort_elements(ctx, *c, NULL, keys, ctx->spare);
        if (together < count) {
            try_cut(ctx, count, together, NULL, &best);
        }
    }
    sort_elements(ctx, *c, best.axis, keys, ctx->spare);
    memcpy(&ctx->order[c->begin], ctx->spare, (size_t)count * sizeof(int));
    wri_cluster second = {c->begin + best.first, c->end, c->fragment, best.errors[1]};
    *c = (wri_cluster){c->begin, c->begin + best.first, c->fragment, best.errors[0]};
    return second;
}

// No piece reaches over a cut: a cluster per fragment to begin with. Elements are in their order.
static int find_fragments(wri_piece_context *ctx, wri_cluster *clusters)
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
        clusters[count++] = (wri_cluster){
            begin, end, fragment, wri_piece_error(ctx, ctx->order + begin, end - begin, INFINITY)};
    }
    return count;
}

static int cut(wri_piece_context *ctx, wri_cluster *clusters, int limit, float error, key *keys)
{
    int count = find_fragments(ctx, clusters), least = ctx->follow ? 2 : 2 * LEAST_ELEMENTS;
    while (count < limit) {
        int worst = -1;
        for (int i = 0; i < count; i++) {
            bool can = clusters[i].end - clusters[i].begin >= least;
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
static int keep_outer(wri_piece_context *ctx, int count, float slack)
{
    size_t n = ctx->count;
    int *kept = ctx->spare, kept_count = 0;
    for (int e = 0; e < ctx->asset->E; e++) {
        const wr_vec3 *x = &ctx->shapes[(size_t)e * n], *normals = &ctx->normals[(size_t)e * n];
        for (int d = 0; d < OUTER + (ctx->follow ? count : 0); d++) { // sharp tips lie between
            wr_vec3 way = d < OUTER ? ctx->outer[d] : normals[ctx->points[d - OUTER]];
            int most = ctx->points[0], known = 0;
            float far = support(x, ctx->points, count, way, ctx->same, &most);
            if (support(x, kept, kept_count, way, ctx->same, &known) < far - slack) {
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

// Lists the vertices that a point of a piece moves with: itself, or those that carry a corner.
static int list_carriers(const wr_metal_asset *asset, int point, int vertices[4])
{
    if (point < asset->N) {
        vertices[0] = point;
        return 1;
    }
    int element = asset->corners[point - asset->N].element;
    memcpy(vertices, &asset->elements[4 * (size_t)element], 4 * sizeof(int));
    return 4;
}

static bool list_pieces_of_vertices(wr_metal_asset *asset)
{
    size_t n = (size_t)asset->N;
    asset->pieces_begin = wri_arena_alloc(&asset->arena, n + 2, sizeof(int));
    if (!asset->pieces_begin) {
        return false;
    }
    int *next = asset->pieces_begin + 1, vertices[4]; // ends up shifted by one: the beginnings
    for (int i = 0; i < asset->piece_begin[asset->piece_count]; i++) {
        for (int k = list_carriers(asset, asset->piece_vertices[i], vertices) - 1; k >= 0; k--) {
            next[vertices[k] + 1]++;
        }
    }
    for (size_t i = 0; i < n; i++) {
        next[i + 1] += next[i];
    }
    asset->pieces_of = wri_arena_alloc(&asset->arena, (size_t)next[n], sizeof(int));
    for (int piece = 0; asset->pieces_of && piece < asset->piece_count; piece++) {
        for (int i = asset->piece_begin[piece]; i < asset->piece_begin[piece + 1]; i++) {
            int count = list_carriers(asset, asset->piece_vertices[i], vertices);
            for (int k = 0; k < count; k++) {
                asset->pieces_of[next[vertices[k]]++] = piece;
            }
        }
    }
    return asset->pieces_of != NULL;
}

static bool store_pieces(wr_metal_asset *asset, wri_piece_context *ctx, const wri_cluster *clusters,
                         int count)
{
    asset->piece_begin = wri_arena_alloc(&asset->arena, (size_t)count + 1, sizeof(int));
    asset->piece_fragments = wri_arena_alloc(&asset->arena, (size_t)count, sizeof(int));
    wri_array vertices = wri_array_create(&asset->arena.allocator, sizeof(int));
    bool ok = asset->piece_begin && asset->piece_fragments;
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
    return ok && list_pieces_of_vertices(asset);
}

// Lists the corners of each element.
static bool list_corners(wri_piece_context *ctx, wri_arena *temporary)
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

bool wri_metal_find_pieces(wr_metal_asset *asset, const wr_metal_asset_desc *desc,
                           wri_arena *temporary)
{
    size_t n = (size_t)(asset->N + asset->corner_count), elements = (size_t)asset->element_count;
    const float *shares = desc->fracture ? desc->fracture->shares : NULL;
    bool within = desc->within > 0.0f;
    wri_piece_context ctx = {.asset = asset,
                             .same = SAME * asset->L,
                             .count = n,
                             .shares = shares,
                             .follow = within && asset->F == 1};
    int most = ctx.follow ? asset->element_count : within ? BREAKING_MOST : desc->pieces_max;
    most = most < asset->F ? asset->F : most;
    float error = asset->L * (within ? desc->within : desc->piece_error);
    ctx.order = wri_arena_alloc(temporary, elements, sizeof(int));
    ctx.spare = wri_arena_alloc(temporary, elements > n ? elements : n, sizeof(int));
    ctx.centers = wri_arena_alloc(temporary, elements, sizeof(wr_vec3));
    ctx.marks = wri_arena_alloc(temporary, n, 1);
    ctx.on_surface = wri_arena_alloc(temporary, n, 1);
    ctx.points = wri_arena_alloc(temporary, n, sizeof(int));
    ctx.roots = wri_arena_alloc(temporary, (size_t)asset->N, sizeof(int));
    key *keys = wri_arena_alloc(temporary, elements, sizeof *keys);
    wri_cluster *clusters = wri_arena_alloc(temporary, (size_t)most, sizeof *clusters);
    list_directions(ctx.directions);
    list_outer(ctx.outer);
    if (!ctx.order || !ctx.spare || !ctx.centers || !ctx.marks || !ctx.on_surface || !ctx.points ||
        !ctx.roots || !keys || !clusters || !list_corners(&ctx, temporary) ||
        !find_shapes(&ctx, temporary) || !find_skin(&ctx, temporary)) {
        return false;
    }
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
    int count = cut(&ctx, clusters, most, error, keys);
    if (ctx.follow) {
        count = wri_join_pieces(&ctx, clusters, count, error, temporary);
    }
    return count > 0 && store_pieces(asset, &ctx, clusters, count);
}
