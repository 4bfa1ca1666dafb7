// layer_fit.c: how deep the core is under each node.
//
// Depths start at what is wished and what the body has room for. They are made smooth: h of two
// neighbours differs by at most their distance, which is a unique solution whatever the order, and
// a node above the mean of its free neighbours comes down to it. Then every tetrahedron is measured
// where floats put it. Where one is bad, directions first become the mean of those around, for some
// rounds: under a bumpy skin the core is smooth, which makes room for 1.1 to 1.6 times the depth.
// Then the nodes of a triangle with a bad one that have at least the mean depth become thinner,
// which evens the depths out before it lowers them all. When h goes to 0, a tetrahedron goes to
// n . d of its share, and the directions keep n . d above 0.05; a node of less than TOO_THIN is
// fixed, so that the rounds end.
#include "layer.h"

enum { GRAIN = 1024, PASSES = 3, BENDS = 24 };
static const double THINNER = 0.8;   // depth after a round, of what it was
static const double SLOPE = 1.0;     // largest change of depth per distance
static const double TOO_THIN = 0.05; // of the mean edge around
static const double SHARE = 0.05;    // least volume, of area times mean depth / 3

typedef struct fit {
    wri_layer_work *w;
    int *queue; // of nodes, a ring
    int head, waiting;
    bool *queued;
    double *means;       // of smoothing; then the depths at the begin of a round
    wri_layer_vec *bent; // directions of the changed nodes
    int *changed;        // nodes whose depth was changed in this round
    int changed_count;
    bool *is_changed;
    int *dirty; // triangles that have to be measured
    int dirty_count;
    bool *is_dirty, *is_bad;
} fit;

static void push(fit *f, int node)
{
    if (!f->queued[node]) {
        f->queue[(f->head + f->waiting++) % f->w->node_count] = node;
        f->queued[node] = true;
    }
}

static void note_change(fit *f, int node)
{
    if (!f->is_changed[node]) {
        f->is_changed[node] = true;
        f->changed[f->changed_count++] = node;
    }
}

// What would be too thin is fixed.
static void set_depth(fit *f, int node, double depth)
{
    wri_layer_work *w = f->w;
    bool thin = !(depth >= TOO_THIN * w->edges[node]) || !(depth > 0.0);
    w->fixed[node] = thin;
    w->depths[node] = thin ? 0.0 : depth;
    note_change(f, node);
    push(f, node);
}

static void limit_neighbours(fit *f, int node)
{
    const wri_layer_work *w = f->w;
    for (int i = w->begin[node]; i < w->begin[node + 1]; i++) {
        const int *v = &w->triangles[3 * (size_t)w->around[i]];
        for (int k = 0; k < 3; k++) {
            if (w->fixed[v[k]]) {
                continue;
            }
            double distance = wri_layer_length(wri_layer_sub(w->skin[v[k]], w->skin[node]));
            double most = w->depths[node] + SLOPE * distance;
            if (w->depths[v[k]] > most) {
                set_depth(f, v[k], most);
            }
        }
    }
}

static void limit_slopes(fit *f)
{
    while (f->waiting > 0) {
        int node = f->queue[f->head];
        f->head = (f->head + 1) % f->w->node_count;
        f->waiting--;
        f->queued[node] = false;
        limit_neighbours(f, node);
    }
}

static void find_means(void *context, int block, int begin, int end)
{
    (void)block;
    fit *f = context;
    const wri_layer_work *w = f->w;
    for (int i = begin; i < end; i++) {
        double sum = 0.0;
        int count = 0;
        for (int k = w->begin[i]; k < w->begin[i + 1]; k++) {
            const int *v = &w->triangles[3 * (size_t)w->around[k]];
            for (int c = 0; c < 3; c++) {
                sum += w->depths[v[c]];
                count += !w->fixed[v[c]];
            }
        }
        f->means[i] = count > 0 ? sum / count : 0.0;
    }
}

static void smooth(fit *f)
{
    wri_layer_work *w = f->w;
    for (int pass = 0; pass < PASSES; pass++) {
        wri_parallel_for(&w->desc->tasks, w->node_count, GRAIN, find_means, f);
        for (int i = 0; i < w->node_count; i++) {
            w->depths[i] = fmin(w->depths[i], f->means[i]);
        }
    }
}

static void start(fit *f)
{
    wri_layer_work *w = f->w;
    for (int i = 0; i < w->node_count; i++) {
        double most = WRI_LAYER_WAY * w->ways[i];
        set_depth(f, i, w->fixed[i] ? 0.0 : fmin(wri_layer_wish(w, i), most));
    }
    limit_slopes(f);
    smooth(f);
    for (int i = 0; i < w->node_count; i++) {
        set_depth(f, i, w->depths[i]);
    }
    limit_slopes(f);
}

// --- tetrahedra -------------------------------------------------------------------------------

static void place_core(wri_layer_work *w, int node)
{
    wr_vec3 p = w->skin[node];
    double h = w->depths[node];
    const wri_layer_vec d = w->directions[node];
    w->core[node] = w->fixed[node] ? p
                                   : wr_v3((float)(p.x - h * d.x), (float)(p.y - h * d.y),
                                           (float)(p.z - h * d.z));
}

static wr_vec3 point(const wri_layer_work *w, int i)
{
    return i < w->node_count ? w->skin[i] : w->core[i - w->node_count];
}

static double volume(const wri_layer_work *w, const int tet[4])
{
    wr_vec3 o = point(w, tet[0]);
    wri_layer_vec a = wri_layer_sub(point(w, tet[1]), o), b = wri_layer_sub(point(w, tet[2]), o);
    return wri_layer_dot(a, wri_layer_cross(b, wri_layer_sub(point(w, tet[3]), o))) / 6.0;
}

static double mean_depth(const wri_layer_work *w, int t)
{
    const int *v = &w->triangles[3 * (size_t)t];
    return (w->depths[v[0]] + w->depths[v[1]] + w->depths[v[2]]) / 3.0;
}

static bool is_valid(const wri_layer_work *w, int t)
{
    int tets[3][4];
    int count = wri_layer_split(&w->triangles[3 * (size_t)t], w->fixed, w->node_count, tets);
    double least = SHARE * w->areas[t] * mean_depth(w, t) / 3.0;
    for (int i = 0; i < count; i++) {
        double v = volume(w, tets[i]);
        if (!(v >= least && v > 0.0 && v < INFINITY)) {
            return false;
        }
    }
    return true;
}

static void measure(void *context, int block, int begin, int end)
{
    (void)block;
    fit *f = context;
    for (int i = begin; i < end; i++) {
        f->is_bad[f->dirty[i]] = !is_valid(f->w, f->dirty[i]);
    }
}

static void apply_changes(fit *f)
{
    wri_layer_work *w = f->w;
    for (int i = 0; i < f->changed_count; i++) {
        int node = f->changed[i];
        f->is_changed[node] = false;
        place_core(w, node);
        for (int k = w->begin[node]; k < w->begin[node + 1]; k++) {
            int t = w->around[k];
            if (!f->is_dirty[t]) {
                f->is_dirty[t] = true;
                f->dirty[f->dirty_count++] = t;
            }
        }
    }
    f->changed_count = 0;
}

// Lowers every node at most once a round: what counts is its depth at the begin of the round.
static bool thin_out(fit *f)
{
    wri_layer_work *w = f->w;
    for (int i = 0; i < f->dirty_count; i++) {
        int t = f->dirty[i];
        const int *v = &w->triangles[3 * (size_t)t];
        double mean = (f->means[v[0]] + f->means[v[1]] + f->means[v[2]]) / 3.0;
        f->is_dirty[t] = false;
        for (int k = 0; k < 3 && f->is_bad[t]; k++) {
            if (w->depths[v[k]] == f->means[v[k]] && f->means[v[k]] >= 0.999 * mean) {
                set_depth(f, v[k], THINNER * f->means[v[k]]);
            }
        }
    }
    f->dirty_count = 0;
    return f->changed_count > 0;
}

static void make_valid(fit *f)
{
    wri_layer_work *w = f->w;
    do {
        limit_slopes(f);
        for (int i = 0; i < f->changed_count; i++) {
            f->means[f->changed[i]] = w->depths[f->changed[i]];
        }
        apply_changes(f);
        wri_parallel_for(&w->desc->tasks, f->dirty_count, GRAIN, measure, f);
    } while (thin_out(f));
}

// --- directions -------------------------------------------------------------------------------

static void bend_nodes(void *context, int block, int begin, int end)
{
    (void)block;
    fit *f = context;
    for (int i = begin; i < end; i++) {
        f->bent[i] = wri_layer_smooth_direction(f->w, f->changed[i]);
    }
}

// Where tetrahedra are bad, directions become the mean of those around, again and again.
static void bend(fit *f)
{
    wri_layer_work *w = f->w;
    for (int round = 0; round < BENDS && f->changed_count > 0; round++) {
        apply_changes(f);
        wri_parallel_for(&w->desc->tasks, f->dirty_count, GRAIN, measure, f);
        for (int i = 0; i < f->dirty_count; i++) {
            int t = f->dirty[i];
            f->is_dirty[t] = false;
            for (int k = 0; k < 3 && f->is_bad[t]; k++) {
                note_change(f, w->triangles[3 * (size_t)t + (size_t)k]);
            }
        }
        f->dirty_count = 0;
        wri_parallel_for(&w->desc->tasks, f->changed_count, GRAIN, bend_nodes, f);
        for (int i = 0; i < f->changed_count; i++) {
            w->directions[f->changed[i]] = f->bent[i];
            w->has_moved[f->changed[i]] = true;
        }
    }
    wri_layer_renew_ways(w);
}

bool wri_layer_fit(wri_layer_work *w)
{
    size_t nodes = (size_t)w->node_count, triangles = (size_t)w->triangle_count;
    fit f = {.w = w};
    w->depths = wri_arena_alloc(&w->arena, nodes, sizeof *w->depths);
    w->core = wri_arena_alloc(&w->arena, nodes, sizeof *w->core);
    f.queue = wri_arena_alloc(&w->arena, nodes, sizeof *f.queue);
    f.queued = wri_arena_alloc(&w->arena, nodes, sizeof *f.queued);
    f.means = wri_arena_alloc(&w->arena, nodes, sizeof *f.means);
    f.bent = wri_arena_alloc(&w->arena, nodes, sizeof *f.bent);
    f.changed = wri_arena_alloc(&w->arena, nodes, sizeof *f.changed);
    f.is_changed = wri_arena_alloc(&w->arena, nodes, sizeof *f.is_changed);
    f.dirty = wri_arena_alloc(&w->arena, triangles, sizeof *f.dirty);
    f.is_dirty = wri_arena_alloc(&w->arena, triangles, sizeof *f.is_dirty);
    f.is_bad = wri_arena_alloc(&w->arena, triangles, sizeof *f.is_bad);
    if (!w->depths || !w->core || !f.queue || !f.queued || !f.means || !f.bent || !f.changed ||
        !f.is_changed || !f.dirty || !f.is_dirty || !f.is_bad) {
        return false;
    }
    start(&f);
    bend(&f);
    start(&f);
    make_valid(&f);
    return true;
}
