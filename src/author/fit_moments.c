// fit_moments.c: what a fit of handles needs to know, summed over the vertices once.
//
// Skinning is x = M T with a row of M per vertex: w_ib (u_i - c_b, 1) for every handle. The targets
// enter through S and g of the scatter alone, so A = M' S M and G = M' g: the cost of every later
// step depends on the handles only, not on the size of the model.
#include "fit.h"

#include "../math/decompose.h"

static void local_point(const wri_fit *fit, wr_vec3 p, double out[3])
{
    out[0] = ((double)p.x - fit->middle[0]) / fit->size;
    out[1] = ((double)p.y - fit->middle[1]) / fit->size;
    out[2] = ((double)p.z - fit->middle[2]) / fit->size;
}

int wri_fit_weights(const wr_rig *rig, int vertex, int *handles, double *weights)
{
    const float *row = &rig->weights[(size_t)vertex * (size_t)rig->handle_count];
    int count = 0;
    double sum = 0.0;
    for (int b = 0; b < rig->handle_count; b++) {
        if (row[b] != 0.0f) {
            handles[count] = b;
            weights[count++] = (double)row[b];
            sum += (double)row[b];
        }
    }
    for (int k = 0; k < count; k++) {
        weights[k] /= sum;
    }
    return sum > 0.0 ? count : 0;
}

// One row of M at a time.
typedef struct row {
    int count, *handles;
    double *weights, *entries; // entries: 4 per listed handle
} row;

static bool alloc_row(row *r, const wr_rig *rig, wri_arena *arena)
{
    size_t n = (size_t)rig->handle_count;
    r->handles = wri_arena_alloc(arena, n, sizeof *r->handles);
    r->weights = wri_arena_alloc(arena, n, sizeof *r->weights);
    r->entries = wri_arena_alloc(arena, 4 * n, sizeof *r->entries);
    return r->handles && r->weights && r->entries;
}

static void find_row(const wri_fit *fit, int vertex, row *r)
{
    double u[3], c[3];
    local_point(fit, fit->rig->rest[vertex], u);
    r->count = wri_fit_weights(fit->rig, vertex, r->handles, r->weights);
    for (int k = 0; k < r->count; k++) {
        local_point(fit, fit->rig->handles[r->handles[k]].pivot, c);
        for (int x = 0; x < 4; x++) {
            r->entries[4 * k + x] = r->weights[k] * (x < 3 ? u[x] - c[x] : 1.0);
        }
    }
}

// Adds the share of a vertex to A = M' S M; leaves its row of M in r.
static void add_vertex(wri_fit *fit, const wri_scatter *s, int i, row *r, row *other, double *y)
{
    size_t m = (size_t)fit->m;
    const wri_sparse *gram = &s->gram;
    r->count = 0;
    if (gram->begin[i] == gram->begin[i + 1]) {
        return;
    }
    memset(y, 0, m * sizeof *y);
    for (int k = gram->begin[i]; k < gram->begin[i + 1]; k++) {
        find_row(fit, gram->index[k], other);
        for (int j = 0; j < 4 * other->count; j++) {
            y[4 * other->handles[j / 4] + j % 4] += gram->values[k] * other->entries[j];
        }
    }
    find_row(fit, i, r);
    for (int j = 0; j < 4 * r->count; j++) {
        double *out = fit->a + (size_t)(4 * r->handles[j / 4] + j % 4) * m;
        for (size_t l = 0; l < m; l++) {
            out[l] += r->entries[j] * y[l];
        }
    }
}

// --- neighbours -------------------------------------------------------------------------------

// Adds how much two handles disagree about a point to the bond.
static void add_disagreement(wri_fit *fit, int b, int c, const double p[3], double factor)
{
    double cb[3], cc[3], v[8];
    size_t m = (size_t)fit->m;
    local_point(fit, fit->rig->handles[b].pivot, cb);
    local_point(fit, fit->rig->handles[c].pivot, cc);
    for (int x = 0; x < 4; x++) {
        v[x] = x < 3 ? p[x] - cb[x] : 1.0;
        v[4 + x] = x < 3 ? cc[x] - p[x] : -1.0;
    }
    for (int i = 0; i < 64; i++) {
        size_t line = (size_t)(4 * (i / 8 < 4 ? b : c) + i / 8 % 4);
        size_t column = (size_t)(4 * (i % 8 < 4 ? b : c) + i % 8 % 4);
        fit->bond[line * m + column] += factor * v[i / 8] * v[i % 8];
    }
}

// Two handles agree when they do so in six points around the middle between them: moving together
// rigidly costs nothing, and no direction is preferred.
static void bind(wri_fit *fit, int b, int c, double factor)
{
    double cb[3], cc[3], p[3], reach = 0.0;
    local_point(fit, fit->rig->handles[b].pivot, cb);
    local_point(fit, fit->rig->handles[c].pivot, cc);
    for (int x = 0; x < 3; x++) {
        p[x] = 0.5 * (cb[x] + cc[x]);
        reach += 0.25 * (cb[x] - cc[x]) * (cb[x] - cc[x]);
    }
    reach = fmax(sqrt(reach), 1e-3);
    for (int k = 0; k < 6; k++) {
        double q[3] = {p[0], p[1], p[2]};
        q[k / 2] += k % 2 ? reach : -reach;
        add_disagreement(fit, b, c, q, factor / 6.0);
    }
}

static int nearest_handle(const wr_rig *rig, int b)
{
    int nearest = -1;
    float best = INFINITY;
    for (int c = 0; c < rig->handle_count; c++) {
        float d = wr_distance(rig->handles[b].pivot, rig->handles[c].pivot);
        if (c != b && d < best) {
            best = d;
            nearest = c;
        }
    }
    return nearest;
}

// Handles that move the same vertices are bound, more so the more they share; one that moves none
// follows the nearest.
static bool bind_neighbours(wri_fit *fit, row *r, wri_arena *arena)
{
    const wr_rig *rig = fit->rig;
    size_t count = (size_t)rig->handle_count;
    double *shared = wri_arena_alloc(arena, count * count, sizeof *shared);
    double *total = wri_arena_alloc(arena, count, sizeof *total);
    if (!shared || !total) {
        return false;
    }
    for (int i = 0; i < rig->vertex_count; i++) {
        r->count = wri_fit_weights(rig, i, r->handles, r->weights);
        for (int k = 0; k < r->count * r->count; k++) {
            size_t b = (size_t)r->handles[k / r->count], c = (size_t)r->handles[k % r->count];
            double product = r->weights[k / r->count] * r->weights[k % r->count];
            shared[b * count + c] += product;
            total[b] += b != c ? fabs(product) : 0.0;
        }
    }
    for (size_t b = 0; b < count; b++) {
        for (size_t c = b + 1; c < count; c++) {
            double factor = fabs(shared[b * count + c]) / (sqrt(total[b] * total[c]) + 1e-300);
            if (factor > 0.0) {
                bind(fit, (int)b, (int)c, factor / (double)count);
            }
        }
        if (!(shared[b * count + b] > 0.0) && count > 1) {
            bind(fit, (int)b, nearest_handle(rig, (int)b), 1.0 / (double)count);
        }
    }
    return true;
}

// --- where to start ---------------------------------------------------------------------------

// Weighted sums from which the best rigid motion between two sets of points follows.
typedef struct motion {
    double weight, from[3], to[3], product[3][3]; // product: to from'
} motion;

static void add_pair(motion *m, double weight, const double from[3], const double to[3])
{
    m->weight += weight;
    for (int x = 0; x < 3; x++) {
        m->from[x] += weight * from[x];
        m->to[x] += weight * to[x];
        for (int d = 0; d < 3; d++) {
            m->product[x][d] += weight * to[x] * from[d];
        }
    }
}

// The rows of the motion about a pivot; `before` decides what the points leave open.
static void solve_motion(const motion *m, int dimension, const double before[3][3],
                         const double pivot[3], double rows[12])
{
    double h[3][3], r[3][3];
    for (int i = 0; i < 9; i++) {
        h[i / 3][i % 3] = m->product[i / 3][i % 3] - m->to[i / 3] * m->from[i % 3] / m->weight;
    }
    wri_fit_rotation(dimension, h, before, r);
    for (int x = 0; x < 3; x++) {
        double at = m->to[x] / m->weight;
        for (int d = 0; d < 3; d++) {
            rows[3 * d + x] = r[x][d];
            at += r[x][d] * (pivot[d] - m->from[d] / m->weight);
        }
        rows[9 + x] = dimension == 2 && x == 2 ? pivot[2] : at;
    }
}

// Finds, around every vertex that carries points, their mean place and that of their targets.
static bool find_starts(wri_fit *fit, const wri_scatter *s, const double *g, row *r,
                        wri_arena *arena)
{
    static const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, zero[3] = {0};
    const wr_rig *rig = fit->rig;
    size_t n = (size_t)rig->vertex_count;
    motion all = {0}, *of = wri_arena_alloc(arena, (size_t)rig->handle_count, sizeof *of);
    if (!of) {
        return false;
    }
    for (int i = 0; i < rig->vertex_count; i++) {
        double sum = 0.0, from[3] = {0}, to[3];
        for (int k = s->gram.begin[i]; k < s->gram.begin[i + 1]; k++) {
            double u[3], w = s->gram.values[k];
            local_point(fit, rig->rest[s->gram.index[k]], u);
            sum += w;
            for (int x = 0; x < 3; x++) {
                from[x] += w * u[x];
            }
        }
        if (!(sum > 0.0)) {
            continue;
        }
        for (int x = 0; x < 3; x++) {
            from[x] /= sum;
            to[x] = g[(size_t)x * n + (size_t)i] / sum;
        }
        add_pair(&all, sum, from, to);
        r->count = wri_fit_weights(rig, i, r->handles, r->weights);
        for (int k = 0; k < r->count; k++) {
            add_pair(&of[r->handles[k]], sum * r->weights[k] * r->weights[k], from, to);
        }
    }
    all.weight = all.weight > 0.0 ? all.weight : 1.0;
    solve_motion(&all, rig->dimension, identity, zero, fit->rigid);
    double turn[3][3];
    for (int i = 0; i < 9; i++) {
        turn[i / 3][i % 3] = fit->rigid[3 * (i % 3) + i / 3];
    }
    for (int b = 0; b < rig->handle_count; b++) {
        double pivot[3];
        local_point(fit, rig->handles[b].pivot, pivot);
        solve_motion(of[b].weight > 1e-9 * all.weight ? &of[b] : &all, rig->dimension,
                     (const double(*)[3])turn, pivot, fit->starts + 12 * (size_t)b);
    }
    return true;
}

// --- all together -----------------------------------------------------------------------------

static bool alloc_fit(wri_fit *fit, wri_arena *arena)
{
    size_t m = (size_t)fit->m;
    fit->a = wri_arena_alloc(arena, m * m, sizeof(double));
    fit->bond = wri_arena_alloc(arena, m * m, sizeof(double));
    fit->g = wri_arena_alloc(arena, m * 3, sizeof(double));
    fit->starts = wri_arena_alloc(arena, m * 3, sizeof(double));
    fit->t = wri_arena_alloc(arena, m * 3, sizeof(double));
    return fit->a && fit->bond && fit->g && fit->starts && fit->t;
}

static void measure(wri_fit *fit)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < fit->rig->vertex_count; i++) {
        box = wr_box_add(box, fit->rig->rest[i]);
    }
    wr_vec3 middle = wr_box_center(box);
    fit->size = (double)wr_distance(box.min, box.max);
    fit->size = fit->size > 0.0 ? fit->size : 1.0;
    fit->middle[0] = middle.x;
    fit->middle[1] = middle.y;
    fit->middle[2] = fit->rig->dimension == 2 ? 0.0 : (double)middle.z;
}

// Gathers the targets in our units, and g from them.
static bool gather_targets(wri_fit *fit, const wri_scatter *s, const wr_vec3 *targets, double *g)
{
    double *to = wri_alloc(&s->allocator, 3 * (size_t)s->count, sizeof *to);
    for (int i = 0; to && i < s->count; i++) {
        local_point(fit, targets[i], to + 3 * (size_t)i);
        to[3 * (size_t)i + 2] = fit->rig->dimension == 2 ? 0.0 : to[3 * (size_t)i + 2];
        for (int x = 0; x < 3; x++) {
            fit->constant += s->shares[i] * to[3 * i + x] * to[3 * i + x];
        }
    }
    if (to) {
        wri_scatter_gather(s, to, 3, g);
    }
    wri_free(&s->allocator, to, 3 * (size_t)s->count, sizeof *to);
    return to != NULL;
}

bool wri_fit_build(wri_fit *fit, const wri_scatter *s, const wr_vec3 *targets, wri_arena *arena)
{
    const wr_rig *rig = fit->rig;
    size_t n = (size_t)rig->vertex_count;
    row r, other;
    fit->m = 4 * rig->handle_count;
    measure(fit);
    double *g = wri_arena_alloc(arena, 3 * n, sizeof *g);
    double *y = wri_arena_alloc(arena, (size_t)fit->m, sizeof *y);
    if (!g || !y || !alloc_fit(fit, arena) || !alloc_row(&r, rig, arena) ||
        !alloc_row(&other, rig, arena) || !gather_targets(fit, s, targets, g)) {
        return false;
    }
    for (int i = 0; i < rig->vertex_count; i++) {
        add_vertex(fit, s, i, &r, &other, y);
        for (int j = 0; j < 4 * r.count; j++) {
            for (size_t x = 0; x < 3; x++) {
                fit->g[3 * (size_t)(4 * r.handles[j / 4] + j % 4) + x] +=
                    r.entries[j] * g[x * n + (size_t)i];
            }
        }
    }
    return bind_neighbours(fit, &r, arena) && find_starts(fit, s, g, &r, arena);
}
