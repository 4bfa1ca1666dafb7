// layout.c: stress majorisation.
//
// Based on: E. Gansner, Y. Koren, S. North. Graph drawing by stress majorization. GD 2004. Places X
// that minimise sum w_ij (|X_i - X_j| - d_ij)^2 with d the number of links between i and j and w =
// d^-2, by moving each node to the weighted mean of where the others want it (eq. 12). It finds the
// nearest minimum, so some starts are tried and the best one is kept: links that cross, and nodes
// that lie on the links of others, count as stress, too.
#include "layout.h"

// Graphs of an artist are small; large ones get less.
enum { SMALL = 64, STARTS = 48, ROUNDS = 200, FEW_STARTS = 2, FEW_ROUNDS = 60 };

static const double CROSSING = 1.0, ON_LINK = 1.5; // stress

typedef struct graph {
    int count;
    float *d; // count * count
} graph;

// Floyd and Warshall; parts that are not joined count as a little further than anything within one.
static void find_distances(graph *g, const wri_link *links, int link_count)
{
    int n = g->count;
    float far = 0.0f;
    for (int i = 0; i < n * n; i++) {
        g->d[i] = i % (n + 1) ? INFINITY : 0.0f;
    }
    for (int i = 0; i < link_count; i++) {
        g->d[links[i].a * n + links[i].b] = g->d[links[i].b * n + links[i].a] = 1.0f;
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n && g->d[i * n + k] < INFINITY; j++) {
                g->d[i * n + j] = fminf(g->d[i * n + j], g->d[i * n + k] + g->d[k * n + j]);
            }
        }
    }
    for (int i = 0; i < n * n; i++) {
        far = g->d[i] < INFINITY ? fmaxf(far, g->d[i]) : far;
    }
    for (int i = 0; i < n * n; i++) {
        g->d[i] = g->d[i] < INFINITY ? g->d[i] : far + 1.5f;
    }
}

static double find_stress(const graph *g, const wr_vec2 *x)
{
    double stress = 0.0;
    for (int i = 0; i < g->count; i++) {
        for (int j = 0; j < i; j++) {
            double d = g->d[i * g->count + j];
            double off = hypot((double)(x[i].x - x[j].x), (double)(x[i].y - x[j].y)) / d - 1.0;
            stress += off * off;
        }
    }
    return stress;
}

// > 0: c lies to the left of the way from a to b.
static float side_of(wr_vec2 a, wr_vec2 b, wr_vec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool do_cross(const wr_vec2 *x, wri_link p, wri_link q)
{
    if (p.a == q.a || p.a == q.b || p.b == q.a || p.b == q.b) {
        return false;
    }
    return side_of(x[p.a], x[p.b], x[q.a]) * side_of(x[p.a], x[p.b], x[q.b]) < 0.0f &&
           side_of(x[q.a], x[q.b], x[p.a]) * side_of(x[q.a], x[q.b], x[p.b]) < 0.0f;
}

// Degree to which a link of others goes through a node: 1 right through, 0 past it.
static float lies_on(const wr_vec2 *x, wri_link p, int node)
{
    const float near = 0.35f; // links are 1 long
    float dx = x[p.b].x - x[p.a].x, dy = x[p.b].y - x[p.a].y, length2 = dx * dx + dy * dy;
    float px = x[node].x - x[p.a].x, py = x[node].y - x[p.a].y;
    float t = length2 > 0.0f ? wr_clampf((px * dx + py * dy) / length2, 0.0f, 1.0f) : 0.0f;
    return fmaxf(0.0f, 1.0f - hypotf(px - t * dx, py - t * dy) / near);
}

static double find_tangle(const graph *g, const wr_vec2 *x, const wri_link *links, int link_count)
{
    double tangle = 0.0;
    for (int i = 0; i < link_count; i++) {
        for (int j = 0; j < i; j++) {
            tangle += do_cross(x, links[i], links[j]) ? CROSSING : 0.0;
        }
        for (int k = 0; k < g->count; k++) {
            bool own = k == links[i].a || k == links[i].b;
            tangle += own ? 0.0 : ON_LINK * (double)lies_on(x, links[i], k);
        }
    }
    return tangle;
}

static void relax(const graph *g, wr_vec2 *x)
{
    for (int i = 0; i < g->count; i++) {
        float sum_x = 0.0f, sum_y = 0.0f, sum = 0.0f;
        for (int j = 0; j < g->count; j++) {
            if (j == i) {
                continue;
            }
            float d = g->d[i * g->count + j], w = 1.0f / (d * d);
            float dx = x[i].x - x[j].x, dy = x[i].y - x[j].y, length = hypotf(dx, dy);
            float s = length > 1e-6f ? d / length : 0.0f;
            sum_x += w * (x[j].x + s * dx);
            sum_y += w * (x[j].y + s * dy);
            sum += w;
        }
        if (sum > 0.0f) {
            x[i] = (wr_vec2){sum_x / sum, sum_y / sum};
        }
    }
}

// Places the nodes on a circle; every start goes round it in another order.
static void begin(const graph *g, int start, wr_vec2 *x)
{
    for (int i = 0; i < g->count; i++) {
        uint64_t shuffled = wri_hash(&i, sizeof i, (uint64_t)start) % 4096;
        float share = start == 0 ? (float)i / (float)g->count : (float)shuffled / 4096.0f;
        float radius = 0.5f * (float)g->count * (1.0f + 1e-3f * (float)i);
        x[i] = (wr_vec2){radius * cosf(2.0f * WR_PI * share), radius * sinf(2.0f * WR_PI * share)};
    }
}

static void turn_by(const graph *g, float angle, wr_vec2 *x)
{
    float c = cosf(angle), s = sinf(angle);
    for (int i = 0; i < g->count; i++) {
        x[i] = (wr_vec2){c * x[i].x + s * x[i].y, c * x[i].y - s * x[i].x};
    }
}

// The side of the smallest picture that it fits into, three times as wide as two high.
static float find_size(const graph *g, const wr_vec2 *x)
{
    float left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < g->count; i++) {
        left = fminf(left, x[i].x);
        right = fmaxf(right, x[i].x);
        low = fminf(low, x[i].y);
        high = fmaxf(high, x[i].y);
    }
    return fmaxf((right - left) / 1.5f, high - low);
}

// The middle to (0, 0), the axis of largest spread along x.
static void put_straight(const graph *g, wr_vec2 *x)
{
    double mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
    for (int i = 0; i < g->count; i++) {
        mx += (double)x[i].x / g->count;
        my += (double)x[i].y / g->count;
    }
    for (int i = 0; i < g->count; i++) {
        double a = (double)x[i].x - mx, b = (double)x[i].y - my;
        x[i] = (wr_vec2){(float)a, (float)b};
        xx += a * a;
        xy += a * b;
        yy += b * b;
    }
    turn_by(g, (float)(0.5 * atan2(2.0 * xy, xx - yy)), x);
}

// The last bend of a row goes away very slowly: where there is no more stress without, it is one.
static bool flatten(const graph *g, wr_vec2 *x, wr_vec2 *room)
{
    for (int i = 0; i < g->count; i++) {
        room[i] = (wr_vec2){x[i].x, 0.0f};
    }
    bool row = find_stress(g, room) <= find_stress(g, x) + 1e-3;
    if (row) {
        memcpy(x, room, (size_t)g->count * sizeof *x);
    }
    return row;
}

// Turned as it fits into the smallest picture.
static void turn_best(const graph *g, wr_vec2 *x)
{
    enum { TURNS = 90 };
    int best = 0;
    float least = INFINITY, step = WR_PI / TURNS;
    for (int i = 0; i < TURNS; i++) {
        float size = find_size(g, x);
        if (size < 0.99f * least) {
            least = size;
            best = i;
        }
        turn_by(g, step, x);
    }
    turn_by(g, (float)best * step, x);
}

static void finish(const graph *g, wr_vec2 *x, wr_vec2 *room)
{
    put_straight(g, x);
    if (!flatten(g, x, room)) {
        turn_best(g, x);
    }
    float flip_x = x[0].x > 0.0f ? -1.0f : 1.0f, flip_y = x[0].y < 0.0f ? -1.0f : 1.0f;
    for (int i = 0; i < g->count; i++) { // node 0 on the left and above
        x[i] = (wr_vec2){flip_x * x[i].x, flip_y * x[i].y};
    }
}

bool wri_layout_find(int node_count, const wri_link *links, int link_count, wr_vec2 *places,
                     wr_error *error)
{
    WR_ASSERT(node_count <= WRI_LAYOUT_NODES);
    wri_arena arena = wri_arena_create(NULL);
    size_t n = (size_t)node_count;
    graph g = {node_count, wri_arena_alloc(&arena, n * n, sizeof(float))};
    wr_vec2 *x = wri_arena_alloc(&arena, n, sizeof *x);
    double least = INFINITY;
    if (g.d && x && node_count > 0) {
        find_distances(&g, links, link_count);
        bool small = node_count <= SMALL;
        for (int start = 0; start < (small ? STARTS : FEW_STARTS); start++) {
            begin(&g, start, x);
            for (int round = 0; round < (small ? ROUNDS : FEW_ROUNDS); round++) {
                relax(&g, x);
            }
            double stress = find_stress(&g, x);
            stress += small ? find_tangle(&g, x, links, link_count) : 0.0;
            if (stress < least - 1e-6) {
                least = stress;
                memcpy(places, x, n * sizeof *x);
            }
        }
        finish(&g, places, x);
    }
    bool ok = (g.d && x) || wri_fail_memory(error, n * n * sizeof(float));
    wri_arena_destroy(&arena);
    return ok;
}
