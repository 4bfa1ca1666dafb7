// posing.c: fast automatic skinning transformations.
//
// A. Jacobson, I. Baran, L. Kavan, J. Popovic, O. Sorkine. Fast automatic skinning transformations.
// SIGGRAPH 2012. Linear blend skinning x_i = sum_b w_ib T_b (u_i, 1) with one affine map T_b per
// handle; the maps minimise sum_e |e| |F_e(x) - R_k(e)|^2 with one rotation R_k per cluster of
// elements, found by k-means on the weights. x is linear in T, so in terms of T (4B x 3, a row per
// handle and coordinate of (u, 1)):
//     E = tr(T' A T) - 2 sum_k tr(R_k' C_k) + d |e|,   C = K' T (3r x 3)
// Local step: R_k is the rotation nearest to C_k. Global step: A T = K R, with pins P T = targets;
// the inverse of that system is found when the pins are. Handles may be able to move without any
// effect on x; a weak pull to the last T settles those and lets E fall all the same.
//
// What is to be larger or smaller than at rest: |F - R S|^2 with S_k, diagonal, the mean of the
// handles' scales over the cluster. R_k is then the rotation nearest to C_k S_k, and R_k S_k takes
// its place everywhere else.
//
// Lengths are in units of the rest shape's size and from its middle.
#include "wrought/posing.h"

#include "../base/base.h"
#include "../math/decompose.h"
#include "laplacian.h"

#define PULL 1e-6 // of the mean diagonal of A
enum { COOKIE = 0x706f7365, PIN_LIMIT = 4096, MEANS_ROUNDS = 12 };

struct wr_posing {
    wri_arena arena;     // until destroy
    wri_arena pin_arena; // until other pins come
    int dimension, handle_count, cluster_count, pin_count;
    int m; // 4 handle_count
    double size, middle[3];
    double *measure; // per cluster: sum of |e|
    double *share;   // cluster_count * handle_count: mean weights of a cluster, times measure
    double *scale;   // cluster_count * 3: S_k
    double *a;       // m * m
    double *k;       // m * 3r: row per unknown
    double *kt;      // 3r * m
    double pull;
    double *t, *next, *other; // m * 3
    double *r;                // 3r * 3: rows 3k.. are (R_k S_k)'
    double *c;                // 3r * 3
    double *held;             // m * 3: what pins alone give
    double energy;
    wr_mat34 *maps;
    wr_vec3 *pivots;
    wr_posing_pin *pins;
    double *by_rotation; // m * 3r
    double *by_last;     // m * m
    double *by_target;   // m * pin_count
};

wr_posing_desc wr_posing_desc_default(void)
{
    return (wr_posing_desc){.allocator = *wr_allocator_default(), .cookie = COOKIE};
}

// --- small dense algebra ----------------------------------------------------------------------

// out (rows x 3) = a (rows x columns) times b (columns x 3), added when add is.
static void multiply3(const double *restrict a, const double *restrict b, int rows, int columns,
                      bool add, double *restrict out)
{
    for (int i = 0; i < rows; i++) {
        const double *row = a + (size_t)i * (size_t)columns;
        double s[3] = {0}, t[3] = {0};
        int j = 0;
        for (; j + 1 < columns; j += 2) { // two sums: shorter chains
            for (int x = 0; x < 3; x++) {
                s[x] += row[j] * b[3 * j + x];
                t[x] += row[j + 1] * b[3 * j + 3 + x];
            }
        }
        for (int x = 0; x < 3; x++) {
            double sum = s[x] + t[x] + (j < columns ? row[j] * b[3 * j + x] : 0.0);
            out[3 * i + x] = add ? out[3 * i + x] + sum : sum;
        }
    }
}

// The inverse of a general matrix by elimination with row exchange. False when it has none.
static bool invert(double *a, double *inverse, int n)
{
    size_t size = (size_t)n;
    memset(inverse, 0, size * size * sizeof *inverse);
    for (size_t i = 0; i < size; i++) {
        inverse[i * size + i] = 1.0;
    }
    for (size_t k = 0; k < size; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < size; i++) {
            best = fabs(a[i * size + k]) > fabs(a[best * size + k]) ? i : best;
        }
        double pivot = a[best * size + k];
        if (!(fabs(pivot) > 0.0)) {
            return false;
        }
        for (size_t j = 0; j < size; j++) {
            double x = a[best * size + j], y = inverse[best * size + j];
            a[best * size + j] = a[k * size + j];
            inverse[best * size + j] = inverse[k * size + j];
            a[k * size + j] = x / pivot;
            inverse[k * size + j] = y / pivot;
        }
        for (size_t i = 0; i < size; i++) {
            double factor = a[i * size + k];
            if (i == k || factor == 0.0) {
                continue;
            }
            for (size_t j = k; j < size; j++) {
                a[i * size + j] -= factor * a[k * size + j];
            }
            for (size_t j = 0; j < size; j++) {
                inverse[i * size + j] -= factor * inverse[k * size + j];
            }
        }
    }
    return true;
}

// --- clusters ---------------------------------------------------------------------------------

// Weights of an element: the mean of its corners.
static void element_weights(const wr_rig *rig, int element, double *out)
{
    int corners = rig->dimension + 1, count = rig->handle_count;
    memset(out, 0, (size_t)count * sizeof *out);
    for (int c = 0; c < corners; c++) {
        size_t v = (size_t)rig->elements[(size_t)element * (size_t)corners + (size_t)c];
        for (int b = 0; b < count; b++) {
            out[b] += (double)rig->weights[v * (size_t)count + (size_t)b] / corners;
        }
    }
}

static double difference(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

// The first centres: each is the element furthest from those before it. Returns how many differ.
static int seed_means(const double *w, int elements, int dimension, int count, double *means,
                      double *far)
{
    int found = 0;
    for (int pick = 0; found < count; found++) {
        memcpy(means + (size_t)found * (size_t)dimension, w + (size_t)pick * (size_t)dimension,
               (size_t)dimension * sizeof *means);
        int next = -1;
        double best = 1e-12;
        for (int e = 0; e < elements; e++) {
            double d = difference(w + (size_t)e * (size_t)dimension,
                                  means + (size_t)found * (size_t)dimension, dimension);
            far[e] = found == 0 || d < far[e] ? d : far[e];
            if (far[e] > best) {
                best = far[e];
                next = e;
            }
        }
        if (next < 0) {
            return found + 1;
        }
        pick = next;
    }
    return found;
}

static void assign(const double *w, int elements, int dimension, int count, const double *means,
                   int *cluster)
{
    for (int e = 0; e < elements; e++) {
        double best = INFINITY;
        for (int k = 0; k < count; k++) {
            double d = difference(w + (size_t)e * (size_t)dimension,
                                  means + (size_t)k * (size_t)dimension, dimension);
            if (d < best) {
                best = d;
                cluster[e] = k;
            }
        }
    }
}

static void move_means(const double *w, int elements, int dimension, int count, double *means,
                       const int *cluster, int *members)
{
    size_t d = (size_t)dimension;
    memset(members, 0, (size_t)count * sizeof *members);
    for (int e = 0; e < elements; e++) {
        double *mean = means + (size_t)cluster[e] * d;
        if (members[cluster[e]]++ == 0) {
            memset(mean, 0, d * sizeof *mean);
        }
        for (size_t i = 0; i < d; i++) {
            mean[i] += w[(size_t)e * d + i];
        }
    }
    for (int k = 0; k < count; k++) {
        for (size_t i = 0; members[k] > 0 && i < d; i++) {
            means[(size_t)k * d + i] /= members[k];
        }
    }
}

// k-means without chance. Returns how many clusters there are, 0 when out of memory.
static int find_clusters(const wr_rig *rig, int count, int *cluster, const wr_allocator *allocator)
{
    wri_arena arena = wri_arena_create(allocator);
    size_t elements = (size_t)rig->element_count, d = (size_t)rig->handle_count;
    double *w = wri_arena_alloc(&arena, elements * d, sizeof *w);
    double *far = wri_arena_alloc(&arena, elements, sizeof *far);
    double *means = wri_arena_alloc(&arena, (size_t)count * d, sizeof *means);
    int *members = wri_arena_alloc(&arena, (size_t)count, sizeof *members), found = 0;
    if (w && far && means && members) {
        for (int e = 0; e < rig->element_count; e++) {
            element_weights(rig, e, w + (size_t)e * d);
        }
        found = seed_means(w, rig->element_count, (int)d, count, means, far);
        for (int round = 0; round < MEANS_ROUNDS; round++) {
            assign(w, rig->element_count, (int)d, found, means, cluster);
            move_means(w, rig->element_count, (int)d, found, means, cluster, members);
        }
    }
    wri_arena_destroy(&arena);
    return found;
}

// --- what depends on the rest shape alone -----------------------------------------------------

static void rest_point(const wr_posing *p, wr_vec3 at, double out[4])
{
    out[0] = (at.x - p->middle[0]) / p->size;
    out[1] = (at.y - p->middle[1]) / p->size;
    out[2] = (at.z - p->middle[2]) / p->size;
    out[3] = 1.0;
}

// A place or direction that a pin is about.
static void pin_point(const wr_posing *p, const wr_posing_pin *pin, wr_vec3 at, double out[4])
{
    rest_point(p, at, out);
    if (pin->is_arrow) {
        out[0] = (double)at.x / p->size;
        out[1] = (double)at.y / p->size;
        out[2] = (double)at.z / p->size;
        out[3] = 0.0;
    }
}

// F of an element is G T with G (3 x m): the derivative of skinning. Sparse: only columns of
// handles with weight here are listed.
typedef struct gradient {
    int count, *handles;
    double *g; // count * 4 * 3: d x_(.) / d u_(.) for every unknown of the listed handles
} gradient;

static void find_gradient(const wr_posing *p, const wr_rig *rig, int element,
                          const double hats[4][3], const double *scale, gradient *out)
{
    int corners = rig->dimension + 1, handles = rig->handle_count;
    out->count = 0;
    for (int b = 0; b < handles; b++) {
        double *g = out->g + 12 * (size_t)out->count;
        bool any = false;
        memset(g, 0, 12 * sizeof *g);
        for (int c = 0; c < corners; c++) {
            size_t v = (size_t)rig->elements[(size_t)element * (size_t)corners + (size_t)c];
            double w = scale[v] * (double)rig->weights[v * (size_t)handles + (size_t)b], u[4];
            if (w == 0.0) {
                continue;
            }
            any = true;
            rest_point(p, rig->rest[v], u);
            for (int i = 0; i < 12; i++) {
                g[i] += w * u[i / 3] * hats[c][i % 3];
            }
        }
        if (any) {
            out->handles[out->count++] = b;
        }
    }
}

static void add_element(wr_posing *p, const gradient *g, double measure, int cluster)
{
    size_t m = (size_t)p->m, r3 = 3 * (size_t)p->cluster_count;
    for (int i = 0; i < 4 * g->count; i++) {
        size_t row = 4 * (size_t)g->handles[i / 4] + (size_t)(i % 4);
        const double *gi = g->g + 3 * (size_t)i;
        for (int x = 0; x < 3; x++) {
            p->k[row * r3 + 3 * (size_t)cluster + (size_t)x] += measure * gi[x];
        }
        for (int j = 0; j < 4 * g->count; j++) {
            size_t column = 4 * (size_t)g->handles[j / 4] + (size_t)(j % 4);
            const double *gj = g->g + 3 * (size_t)j;
            p->a[row * m + column] += measure * (gi[0] * gj[0] + gi[1] * gj[1] + gi[2] * gj[2]);
        }
    }
    p->measure[cluster] += measure;
}

static void add_shares(wr_posing *p, const wr_rig *rig, int element, double measure, int cluster)
{
    int corners = rig->dimension + 1, handles = rig->handle_count;
    for (int c = 0; c < corners; c++) {
        const float *row =
            rig->weights + (size_t)rig->elements[element * corners + c] * (size_t)handles;
        for (int b = 0; b < handles; b++) {
            p->share[(size_t)cluster * (size_t)handles + (size_t)b] +=
                measure / corners * (double)row[b];
        }
    }
}

// Weights of a vertex as double, so that they sum to 1 exactly enough: what they have to be
// multiplied with.
static void find_scales(const wr_rig *rig, double *scale)
{
    for (int v = 0; v < rig->vertex_count; v++) {
        double sum = 0.0;
        for (int b = 0; b < rig->handle_count; b++) {
            sum += (double)rig->weights[(size_t)v * (size_t)rig->handle_count + (size_t)b];
        }
        scale[v] = sum > 0.0 ? 1.0 / sum : 0.0;
    }
}

static bool build(wr_posing *p, const wr_rig *rig, const int *cluster)
{
    wri_arena arena = wri_arena_create(&p->arena.allocator);
    size_t handles = (size_t)p->handle_count, n = (size_t)rig->vertex_count;
    gradient g = {.handles = wri_arena_alloc(&arena, handles + 1, sizeof(int)),
                  .g = wri_arena_alloc(&arena, 12 * (handles + 1), sizeof(double))};
    double *scale = wri_arena_alloc(&arena, n, sizeof *scale);
    bool ok = g.handles && g.g && scale;
    if (ok) {
        find_scales(rig, scale);
    }
    wri_elements mesh = {rig->dimension, rig->vertex_count, rig->element_count, rig->rest,
                         rig->elements};
    for (int e = 0; ok && e < rig->element_count; e++) {
        double hats[4][3], measure;
        if (wri_element_gradients(&mesh, e, p->size, hats, &measure)) { // flat ones do not resist
            find_gradient(p, rig, e, (const double(*)[3])hats, scale, &g);
            add_element(p, &g, measure, cluster[e]);
            add_shares(p, rig, e, measure, cluster[e]);
        }
    }
    size_t m = (size_t)p->m, r3 = 3 * (size_t)p->cluster_count;
    double trace = 0.0;
    for (size_t i = 0; ok && i < m; i++) {
        trace += p->a[i * m + i];
        for (size_t j = 0; j < r3; j++) {
            p->kt[j * m + i] = p->k[i * r3 + j];
        }
    }
    p->pull = trace > 0.0 ? PULL * trace / (double)m : 1.0;
    if (ok) {
        wr_posing_set_scales(p, NULL);
    }
    wri_arena_destroy(&arena);
    return ok;
}

static bool alloc_state(wr_posing *p)
{
    size_t m = (size_t)p->m, r3 = 3 * (size_t)p->cluster_count;
    p->a = wri_arena_alloc(&p->arena, m * m, sizeof(double));
    p->k = wri_arena_alloc(&p->arena, m * r3, sizeof(double));
    p->kt = wri_arena_alloc(&p->arena, m * r3, sizeof(double));
    p->t = wri_arena_alloc(&p->arena, 3 * m, sizeof(double));
    p->next = wri_arena_alloc(&p->arena, 3 * m, sizeof(double));
    p->other = wri_arena_alloc(&p->arena, 3 * m, sizeof(double));
    p->held = wri_arena_alloc(&p->arena, 3 * m, sizeof(double));
    p->r = wri_arena_alloc(&p->arena, 3 * r3, sizeof(double));
    p->c = wri_arena_alloc(&p->arena, 3 * r3, sizeof(double));
    size_t clusters = (size_t)p->cluster_count;
    p->measure = wri_arena_alloc(&p->arena, clusters, sizeof(double));
    p->share = wri_arena_alloc(&p->arena, clusters * (size_t)p->handle_count, sizeof(double));
    p->scale = wri_arena_alloc(&p->arena, 3 * clusters, sizeof(double));
    p->maps = wri_arena_alloc(&p->arena, (size_t)p->handle_count, sizeof *p->maps);
    p->pivots = wri_arena_alloc(&p->arena, (size_t)p->handle_count, sizeof *p->pivots);
    return p->a && p->k && p->kt && p->t && p->next && p->other && p->held && p->r && p->c &&
           p->measure && p->share && p->scale && p->maps && p->pivots;
}

static bool check_rig(const wr_rig *rig, int clusters, wr_error *error)
{
    if ((rig->dimension != 2 && rig->dimension != 3) || rig->vertex_count < 1 ||
        rig->element_count < 1 || rig->handle_count < 1 || rig->handle_count > 4096) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "rig: dimension %d, %d vertices, %d elements, %d handles", rig->dimension,
                        rig->vertex_count, rig->element_count, rig->handle_count);
    }
    if (clusters < 0) {
        return wri_fail(error, WR_E_ARGUMENT, "cluster_count: %d is negative", clusters);
    }
    for (int v = 0; v < rig->vertex_count; v++) {
        if (!wr_is_finite3(rig->rest[v])) {
            return wri_fail(error, WR_E_ARGUMENT, "rest[%d]: not finite", v);
        }
    }
    return true;
}

static void measure_rest(wr_posing *p, const wr_rig *rig)
{
    wr_box box = WR_BOX_EMPTY;
    for (int v = 0; v < rig->vertex_count; v++) {
        box = wr_box_add(box, rig->rest[v]);
    }
    p->size = wr_distance(box.min, box.max);
    p->size = p->size > 0.0 ? p->size : 1.0;
    wr_vec3 middle = wr_box_center(box);
    p->middle[0] = middle.x;
    p->middle[1] = middle.y;
    p->middle[2] = middle.z;
}

wr_posing *wr_posing_create(const wr_posing_desc *desc, wr_error *error)
{
    WR_ASSERT(desc->cookie == COOKIE); // start from wr_posing_desc_default()
    const wr_rig *rig = desc->rig;
    if (!check_rig(rig, desc->cluster_count, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(&desc->allocator);
    wr_posing *p = wri_arena_alloc(&arena, 1, sizeof *p);
    int *cluster = wri_alloc(&desc->allocator, (size_t)rig->element_count, sizeof *cluster);
    int wanted = desc->cluster_count ? desc->cluster_count : (3 * rig->handle_count + 1) / 2;
    wanted = wanted < rig->element_count ? wanted : rig->element_count;
    int found = p && cluster ? find_clusters(rig, wanted, cluster, &desc->allocator) : 0;
    bool ok = found > 0;
    if (ok) {
        *p = (wr_posing){.arena = arena,
                         .pin_arena = wri_arena_create(&desc->allocator),
                         .dimension = rig->dimension,
                         .handle_count = rig->handle_count,
                         .cluster_count = found,
                         .m = 4 * rig->handle_count};
        measure_rest(p, rig);
        ok = alloc_state(p) && build(p, rig, cluster);
        arena = p->arena;
    }
    for (int b = 0; ok && b < rig->handle_count; b++) {
        p->pivots[b] = rig->handles[b].pivot;
    }
    wri_free(&desc->allocator, cluster, (size_t)rig->element_count, sizeof *cluster);
    if (!ok) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, (size_t)rig->element_count * sizeof *cluster);
        return NULL;
    }
    if (!wr_posing_set_pins(p, NULL, 0, error)) {
        wr_posing_destroy(p);
        return NULL;
    }
    wr_posing_reset(p);
    return p;
}

void wr_posing_destroy(wr_posing *p)
{
    if (p) {
        wri_arena arena = p->arena;
        wri_arena_destroy(&p->pin_arena);
        wri_arena_destroy(&arena);
    }
}

// --- pins -------------------------------------------------------------------------------------

// [A + pull, P'; P, -tiny]: tiny makes it regular when pins say the same thing twice.
static void fill_system(const wr_posing *p, const wr_posing_pin *pins, int count, double *system)
{
    size_t m = (size_t)p->m, n = m + (size_t)count;
    for (size_t i = 0; i < m; i++) {
        memcpy(system + i * n, p->a + i * m, m * sizeof *system);
        system[i * n + i] += p->pull;
    }
    double unit = p->pull / PULL; // of the size of A, so that exchanges of rows mean something
    for (size_t i = 0; i < (size_t)count; i++) {
        double u[4];
        pin_point(p, &pins[i], pins[i].rest, u);
        for (size_t x = 0; x < 4; x++) {
            size_t column = 4 * (size_t)pins[i].handle + x;
            system[(m + i) * n + column] = system[column * n + m + i] = unit * u[x];
        }
        system[(m + i) * n + m + i] = -1e-12 * unit;
    }
}

static void fill_answers(wr_posing *p, const double *inverse)
{
    size_t m = (size_t)p->m, r3 = 3 * (size_t)p->cluster_count, n = m + (size_t)p->pin_count;
    double unit = p->pull / PULL;
    for (size_t i = 0; i < m; i++) {
        double *out = p->by_rotation + i * r3;
        for (size_t k = 0; k < m; k++) {
            double factor = inverse[i * n + k];
            for (size_t j = 0; j < r3; j++) {
                out[j] += factor * p->k[k * r3 + j];
            }
            p->by_last[i * m + k] = p->pull * factor;
        }
        for (size_t j = 0; j < (size_t)p->pin_count; j++) {
            p->by_target[i * (size_t)p->pin_count + j] = unit * inverse[i * n + m + j];
        }
    }
}

bool wr_posing_set_pins(wr_posing *p, const wr_posing_pin *pins, int count, wr_error *error)
{
    if (count < 0 || count > PIN_LIMIT) {
        return wri_fail(error, WR_E_ARGUMENT, "count: %d pins, expected 0 to %d", count, PIN_LIMIT);
    }
    for (int i = 0; i < count; i++) {
        if (pins[i].handle < 0 || pins[i].handle >= p->handle_count ||
            !wr_is_finite3(pins[i].rest)) {
            return wri_fail(error, WR_E_ARGUMENT, "pins[%d]: handle %d, or not finite", i,
                            pins[i].handle);
        }
    }
    wri_arena arena = wri_arena_create(&p->arena.allocator), work = arena;
    size_t m = (size_t)p->m, r3 = 3 * (size_t)p->cluster_count, n = m + (size_t)count;
    wr_posing_pin *kept = wri_arena_alloc(&arena, (size_t)count, sizeof *kept);
    double *by_rotation = wri_arena_alloc(&arena, m * r3, sizeof(double));
    double *by_last = wri_arena_alloc(&arena, m * m, sizeof(double));
    double *by_target = wri_arena_alloc(&arena, m * (size_t)count, sizeof(double));
    double *system = wri_arena_alloc(&work, n * n, sizeof(double));
    double *inverse = wri_arena_alloc(&work, n * n, sizeof(double));
    bool ok = kept && by_rotation && by_last && by_target && system && inverse;
    ok = ok || wri_fail_memory(error, n * n * sizeof(double));
    if (ok) {
        fill_system(p, pins, count, system);
        ok = invert(system, inverse, (int)n) ||
             wri_fail(error, WR_E_ARGUMENT, "pins: nothing can hold these");
    }
    if (ok) {
        wri_arena_destroy(&p->pin_arena);
        p->pin_arena = arena;
        p->pin_count = count;
        p->pins = kept;
        p->by_rotation = by_rotation;
        p->by_last = by_last;
        p->by_target = by_target;
        if (count > 0) {
            memcpy(kept, pins, (size_t)count * sizeof *pins);
        }
        fill_answers(p, inverse);
    } else {
        wri_arena_destroy(&arena);
    }
    wri_arena_destroy(&work);
    return ok;
}

// --- rounds -----------------------------------------------------------------------------------

void wr_posing_set_scales(wr_posing *p, const wr_vec3 *scales)
{
    for (int k = 0; k < p->cluster_count; k++) {
        double sum[3] = {0}, total = 0.0;
        for (int b = 0; scales && b < p->handle_count; b++) {
            double share = p->share[(size_t)k * (size_t)p->handle_count + (size_t)b];
            total += share;
            sum[0] += share * (double)scales[b].x;
            sum[1] += share * (double)scales[b].y;
            sum[2] += share * (double)scales[b].z;
        }
        for (int x = 0; x < 3; x++) {
            bool any = total > 0.0 && x < p->dimension;
            p->scale[3 * k + x] = any ? sum[x] / total : 1.0;
        }
    }
}

// Best rotations for t, and the energy with them.
static double local_step(wr_posing *p, const double *t)
{
    multiply3(p->kt, t, 3 * p->cluster_count, p->m, false, p->c);
    double fit = 0.0, wanted = 0.0;
    for (int k = 0; k < p->cluster_count; k++) {
        const double *s = p->scale + 3 * (size_t)k;
        double c[3][3], r[3][3]; // c[x][d]: coordinate x, derivative d
        for (int i = 0; i < 9; i++) {
            c[i % 3][i / 3] = p->c[9 * k + i] * s[i / 3];
        }
        for (int d = 0; d < p->dimension; d++) {
            wanted += p->measure[k] * s[d] * s[d];
        }
        if (p->dimension == 2) { // stay in the plane
            c[2][2] = fabs(c[0][0]) + fabs(c[0][1]) + fabs(c[1][0]) + fabs(c[1][1]);
            c[0][2] = c[1][2] = c[2][0] = c[2][1] = 0.0;
        }
        wri_polar3d((const double(*)[3])c, r, NULL);
        for (int i = 0; i < 9; i++) {
            p->r[9 * k + i] = r[i % 3][i / 3] * s[i / 3];
            fit += p->r[9 * k + i] * p->c[9 * k + i];
        }
    }
    double own = 0.0;
    for (int i = 0; i < p->m; i++) {
        double row[3];
        multiply3(p->a + (size_t)i * (size_t)p->m, t, 1, p->m, false, row);
        own += row[0] * t[3 * i] + row[1] * t[3 * i + 1] + row[2] * t[3 * i + 2];
    }
    return own - 2.0 * fit + wanted;
}

static void global_step(const wr_posing *p, const double *last, double *next)
{
    memcpy(next, p->held, 3 * (size_t)p->m * sizeof *next);
    multiply3(p->by_rotation, p->r, p->m, 3 * p->cluster_count, true, next);
    multiply3(p->by_last, last, p->m, p->m, true, next);
}

static void set_rigid(const wr_posing *p, const double r[3][3], const double offset[3], double *t)
{
    for (int b = 0; b < p->handle_count; b++) {
        for (int i = 0; i < 12; i++) { // row i / 3 of the unknown, coordinate i % 3
            t[12 * b + i] = i < 9 ? r[i % 3][i / 3] : offset[i % 3];
        }
    }
}

// The rigid motion nearest to what the pins do.
static void fit_rigid(const wr_posing *p, const wr_vec3 *targets, double *t)
{
    double from[4], to[4], a[3] = {0}, b[3] = {0}, c[3][3] = {{0}}, r[3][3], offset[3];
    double places = 0.0;
    for (int i = 0; i < p->pin_count; i++) {
        places += p->pins[i].is_arrow ? 0.0 : 1.0;
    }
    for (int i = 0; i < p->pin_count; i++) {
        pin_point(p, &p->pins[i], p->pins[i].rest, from);
        pin_point(p, &p->pins[i], targets[i], to);
        for (int x = 0; x < 3 && from[3] > 0.0; x++) {
            a[x] += from[x] / places;
            b[x] += to[x] / places;
        }
    }
    for (int i = 0; i < p->pin_count; i++) {
        pin_point(p, &p->pins[i], p->pins[i].rest, from);
        pin_point(p, &p->pins[i], targets[i], to);
        for (int x = 0; x < 9; x++) { // arrows start anywhere
            c[x / 3][x % 3] += (to[x / 3] - to[3] * b[x / 3]) * (from[x % 3] - from[3] * a[x % 3]);
        }
    }
    // Pins in a line leave a turn about it open: none, then.
    double little = 0.0;
    for (int x = 0; x < 9; x++) {
        little += 1e-9 * fabs(c[x / 3][x % 3]);
    }
    for (int x = 0; x < 3; x++) {
        c[x][x] += little;
    }
    if (p->dimension == 2) {
        c[2][2] += fabs(c[0][0]) + fabs(c[0][1]) + fabs(c[1][0]) + fabs(c[1][1]);
    }
    wri_polar3d((const double(*)[3])c, r, NULL);
    for (int x = 0; x < 3; x++) {
        offset[x] = b[x] - r[x][0] * a[0] - r[x][1] * a[1] - r[x][2] * a[2];
    }
    set_rigid(p, (const double(*)[3])r, offset, t);
}

static void write_maps(wr_posing *p)
{
    for (int b = 0; b < p->handle_count; b++) {
        const double *t = p->t + 12 * (size_t)b;
        for (int x = 0; x < 3; x++) {
            double offset = t[9 + x] * p->size + p->middle[x];
            for (int d = 0; d < 3; d++) {
                p->maps[b].m[x][d] = (float)t[3 * d + x];
                offset -= t[3 * d + x] * p->middle[d];
            }
            p->maps[b].m[x][3] = (float)offset;
        }
    }
}

void wr_posing_reset(wr_posing *p)
{
    static const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, zero[3] = {0};
    set_rigid(p, identity, zero, p->t);
    p->energy = local_step(p, p->t);
    write_maps(p);
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

// What targets alone contribute to every global step.
static void hold_targets(wr_posing *p, const wr_vec3 *targets)
{
    memset(p->held, 0, 3 * (size_t)p->m * sizeof *p->held);
    for (int j = 0; j < p->pin_count; j++) {
        double to[4];
        pin_point(p, &p->pins[j], targets[j], to);
        for (int i = 0; i < p->m; i++) {
            double factor = p->by_target[(size_t)i * (size_t)p->pin_count + (size_t)j];
            for (int x = 0; x < 3; x++) {
                p->held[3 * i + x] += factor * to[x];
            }
        }
    }
}

// One round from each start: the last shape and the rest shape moved rigidly. t becomes the better.
static void choose_start(wr_posing *p, const wr_vec3 *targets)
{
    local_step(p, p->t);
    global_step(p, p->t, p->next);
    double from_last = local_step(p, p->next);
    if (p->pin_count > 0) {
        fit_rigid(p, targets, p->t);
        local_step(p, p->t);
        global_step(p, p->t, p->other);
        double from_rigid = local_step(p, p->other);
        if (from_rigid < from_last) {
            swap(&p->next, &p->other);
            from_last = from_rigid;
        } else {
            local_step(p, p->next);
        }
    }
    swap(&p->t, &p->next);
    p->energy = from_last;
}

int wr_posing_solve(wr_posing *p, const wr_vec3 *targets, int rounds)
{
    hold_targets(p, targets);
    choose_start(p, targets);
    int round = 1;
    for (bool moves = true; round < rounds && moves; round++) {
        global_step(p, p->t, p->next);
        double change = 0.0;
        for (int i = 0; i < 3 * p->m; i++) {
            change = fmax(change, fabs(p->next[i] - p->t[i]));
        }
        swap(&p->t, &p->next);
        p->energy = local_step(p, p->t);
        moves = change > 1e-7;
    }
    write_maps(p);
    return round;
}

// --- results ----------------------------------------------------------------------------------

double wr_posing_energy(const wr_posing *p)
{
    return p->energy * pow(p->size, p->dimension);
}

const wr_mat34 *wr_posing_maps(const wr_posing *p)
{
    return p->maps;
}

void wr_posing_read_poses(const wr_posing *p, wr_handle_pose *poses)
{
    for (int b = 0; b < p->handle_count; b++) {
        double a[3][3], r[3][3];
        for (int i = 0; i < 9; i++) {
            a[i / 3][i % 3] = p->t[12 * b + 3 * (i % 3) + i / 3];
        }
        if (p->dimension == 2) {
            a[0][2] = a[1][2] = a[2][0] = a[2][1] = 0.0;
            a[2][2] = 1.0;
        }
        wri_polar3d((const double(*)[3])a, r, NULL);
        poses[b] = (wr_handle_pose){
            .rotation = wri_quat_from_rotation((const double(*)[3])r),
            .offset = wr_sub(wr_mat34_apply(p->maps[b], p->pivots[b]), p->pivots[b]),
            .stretch = {1, 1, 1}};
    }
}

void wr_posing_read_positions(const wr_posing *p, const wr_rig *rig, wr_vec3 *positions)
{
    for (int v = 0; v < rig->vertex_count; v++) {
        const float *w = rig->weights + (size_t)v * (size_t)p->handle_count;
        wr_vec3 sum = {0};
        for (int b = 0; b < p->handle_count; b++) {
            if (w[b] != 0.0f) {
                sum = wr_add_scaled(sum, w[b], wr_mat34_apply(p->maps[b], rig->rest[v]));
            }
        }
        positions[v] = sum;
    }
}
