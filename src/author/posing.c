// posing.c: fast automatic skinning transformations.
//
// A. Jacobson, I. Baran, L. Kavan, J. Popovic, O. Sorkine. Fast automatic skinning transformations.
// SIGGRAPH 2012. Symbols: u rest positions, w skinning weights, T_b the affine map of handle b, e
// an element and |e| its volume or area, d the dimension, F_e its deformation gradient, R_k the
// rotation of cluster k of r, B handles. Linear blend skinning
//     x_i = sum_b w_ib T_b (u_i, 1)                                                     (a)
// with maps that minimise sum_e |e| |F_e(x) - R_k(e)|^2, the clusters found by k-means on the
// weights. x is linear in T, so in terms of T (4B x 3, a row per handle and coordinate of (u, 1)):
//     E = tr(T' A T) - 2 sum_k tr(R_k' C_k) + d |e|,   C = K' T (3r x 3)                (b)
//     local step: R_k is the rotation nearest to C_k                                    (c)
//     global step: A T = K R, with constraints P T = targets                            (d)
// The inverse of the last system is found when the constraints are. Handles may be able to move
// without any effect on x; a weak pull to the last T settles those and lets E fall all the same.
//
// Where the shape is to be larger or smaller than at rest, the energy is |F - R S|^2 with S_k,
// diagonal, the mean of the handles' scales over the cluster. R_k is then the rotation nearest to
// C_k S_k, and R_k S_k takes its place everywhere else.
//
// Lengths are in units of the rest shape's size and from its middle.
#include "wrought/posing.h"

#include "posing.h"

#include "../math/decompose.h"
#include "laplacian.h"

#include <math.h>

enum { COOKIE = 0x706f7365 };

wr_posing_desc wr_posing_desc_default(void)
{
    return (wr_posing_desc){.allocator = *wr_allocator_default(), .cookie = COOKIE};
}

// --- what depends on the rest shape alone -----------------------------------------------------

void wri_posing_rest_point(const wr_posing *p, wr_vec3 at, double out[4])
{
    out[0] = (at.x - p->middle[0]) / p->size;
    out[1] = (at.y - p->middle[1]) / p->size;
    out[2] = (at.z - p->middle[2]) / p->size;
    out[3] = 1.0;
}

// F of an element is G T with G (3 x m): the derivative of skinning (a). It is sparse: only columns
// of handles with weight here are listed.
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
            wri_posing_rest_point(p, rig->rest[v], u);
            for (int i = 0; i < 12; i++) {
                g[i] += w * u[i / 3] * hats[c][i % 3];
            }
        }
        if (any) {
            out->handles[out->count++] = b;
        }
    }
}

// Adds |e| G' G to A and |e| G' to K (b).
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

// Finds the factor with which the weights of a vertex, as double, sum to 1 exactly enough.
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
    p->pull = trace > 0.0 ? WRI_POSING_PULL * trace / (double)m : 1.0;
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
    p->from_targets = wri_arena_alloc(&p->arena, 3 * m, sizeof(double));
    p->r = wri_arena_alloc(&p->arena, 3 * r3, sizeof(double));
    p->c = wri_arena_alloc(&p->arena, 3 * r3, sizeof(double));
    size_t clusters = (size_t)p->cluster_count;
    p->measure = wri_arena_alloc(&p->arena, clusters, sizeof(double));
    p->share = wri_arena_alloc(&p->arena, clusters * (size_t)p->handle_count, sizeof(double));
    p->scale = wri_arena_alloc(&p->arena, 3 * clusters, sizeof(double));
    p->maps = wri_arena_alloc(&p->arena, (size_t)p->handle_count, sizeof *p->maps);
    p->pivots = wri_arena_alloc(&p->arena, (size_t)p->handle_count, sizeof *p->pivots);
    return p->a && p->k && p->kt && p->t && p->next && p->other && p->from_targets && p->r &&
           p->c && p->measure && p->share && p->scale && p->maps && p->pivots;
}

static bool check_rig(const wr_rig *rig, int clusters, wr_error *error)
{
    if ((rig->dimension != 2 && rig->dimension != 3) || rig->vertex_count < 1 ||
        rig->element_count < 1 || rig->handle_count < 1 || rig->handle_count > 4096) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "rig: dimension %d, %d vertices, %d elements, %d handles", rig->dimension,
                        rig->vertex_count, rig->element_count, rig->handle_count);
    }
    if (!WRI_REQUIRE(error, rig->rest, rig->elements, rig->handles, rig->weights)) {
        return false;
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
    if (!WRI_REQUIRE_DESC(error, wr_posing_desc, desc, COOKIE) || !WRI_REQUIRE(error, desc->rig)) {
        return NULL;
    }
    const wr_rig *rig = desc->rig;
    if (!check_rig(rig, desc->cluster_count, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(&desc->allocator);
    wr_posing *p = wri_arena_alloc(&arena, 1, sizeof *p);
    int *cluster = wri_alloc(&desc->allocator, (size_t)rig->element_count, sizeof *cluster);
    int wanted = desc->cluster_count ? desc->cluster_count : (3 * rig->handle_count + 1) / 2;
    wanted = wanted < rig->element_count ? wanted : rig->element_count;
    int found = p && cluster ? wri_posing_find_clusters(rig, wanted, cluster, &desc->allocator) : 0;
    bool ok = found > 0;
    if (ok) {
        *p = (wr_posing){.arena = arena,
                         .constraint_arena = wri_arena_create(&desc->allocator),
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
    if (!wr_posing_set_constraints(p, NULL, 0, error)) {
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
        wri_arena_destroy(&p->constraint_arena);
        wri_arena_destroy(&arena);
    }
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
