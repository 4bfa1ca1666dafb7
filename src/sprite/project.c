// project.c: the point of the manifold that the particles look most like (step 2a, eq. 4.2).
//
// Minimises f = sum |R e_ij(m) - x_ij|^2 over pairs ij of representative particles: e_ij what the
// point m makes of them, x_ij what they are, R the best rotation. The plane is taken as complex
// numbers: with C = sum conj(e) x the best rotation is R = C / |C|. For a given R a Newton step on
// the barycentric coordinates t follows from the derivatives J = de/dt:
//     (J'J - (J'p)(J'p)' / p'p) dt = -J'(e - conj(R) x),   p = i e
// Second derivatives of e are left out, as they vanish with the residual; the second term takes
// along how R answers to dt, without which bends that look like turns converge slowly. The step
// minimises this quadratic over the simplex exactly, by the sets of shares that are 0.
#include "sprite.h"

#include "../math/elementary.h"

enum { QUADS_MAX = WRI_SPRITE_PAIRS / WRI_LANES, FREE_MAX = WR_SIMPLEX_CORNERS - 1 };
enum { ROUNDS_NEAR = 4, ROUNDS_ALL = 12, HALVINGS = 4 };

// The shape that is looked at: x_ij.
typedef struct view {
    const wr_sprite_asset *asset;
    wri_lanes x[2 * QUADS_MAX];
    float size; // sum |x_ij|^2
} view;

// A place, how well it fits, and what the next step needs.
typedef struct fit {
    wr_sprite_point point;
    float f;
    float c, s; // R
    float g[FREE_MAX], H[FREE_MAX][FREE_MAX];
} fit;

// --- preparation ------------------------------------------------------------------------------

static float sum_lanes(wri_lanes v)
{
    return (v[0] + v[1]) + (v[2] + v[3]);
}

// Finds the displacements of the pairs by every example: x and y lanes per quad and example.
static void find_displacements(const wr_sprite_asset *asset, wri_lanes *moved)
{
    const wri_pose_pack *pack = &asset->differences;
    for (int e = 0; e < asset->E; e++) {
        wr_sprite_point point = wr_sprite_asset_example_point(asset, e);
        if (point.simplex < 0) {
            continue;
        }
        wri_pose_field field;
        wri_sprite_pose_fields(asset, point, NULL, 0, &field);
        for (int g = 0; g < pack->quad_count; g++) {
            wri_sprite_pose_quad(pack, g, &asset->simplices[point.simplex], &field,
                                 &moved[2 * ((size_t)e * (size_t)pack->quad_count + (size_t)g)]);
        }
    }
}

static bool find_likeness(wr_sprite_asset *asset, wri_arena *temporary)
{
    size_t E = (size_t)asset->E, lanes = 2 * (size_t)asset->differences.quad_count;
    wri_lanes *moved = wri_arena_alloc(temporary, E * lanes, sizeof *moved);
    asset->likeness = wri_arena_alloc(&asset->arena, E * E, sizeof(float));
    if (!moved || !asset->likeness) {
        return false;
    }
    find_displacements(asset, moved);
    float unit = 1.0f / (asset->L * asset->L), most = 0.0f;
    for (size_t k = 0; k < E * E; k++) {
        const wri_lanes *a = &moved[k / E * lanes], *b = &moved[k % E * lanes];
        wri_lanes sum = {0};
        for (size_t g = 0; g < lanes; g++) {
            sum += a[g] * b[g];
        }
        asset->likeness[k] = unit * sum_lanes(sum);
        most = wr_maxf(most, asset->likeness[k]);
    }
    asset->likeness_floor = 1e-4f * most + 1e-12f;
    return true;
}

bool wri_sprite_prepare_projection(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                                   wr_error *error)
{
    wri_arena temporary = wri_arena_create(desc->allocator);
    bool ok = wri_sprite_find_clusters(asset, desc, &temporary) &&
              wri_sprite_pack(asset, desc, asset->pairs, asset->pair_count, &asset->differences) &&
              find_likeness(asset, &temporary);
    if (!ok) {
        wri_fail_memory(error, asset->arena.total + temporary.total);
    }
    wri_arena_destroy(&temporary);
    return ok;
}

// --- one simplex ------------------------------------------------------------------------------

typedef struct lane_sums {
    wri_lanes C[2], E2;                         // conj(e) x, |e|^2
    wri_lanes De[FREE_MAX][2], Dx[FREE_MAX][2]; // conj(J) e, conj(J) x
    wri_lanes H[3];                             // J0 J0, J1 J1, J0 J1
} lane_sums;

// to += conj(a) b
static inline void add_product(const wri_lanes a[2], const wri_lanes b[2], wri_lanes to[2])
{
    to[0] += a[0] * b[0] + a[1] * b[1];
    to[1] += a[0] * b[1] - a[1] * b[0];
}

static void sum_quads(const view *v, const wr_simplex *simplex, const wri_pose_field *fields,
                      wri_lanes *e, lane_sums *sums)
{
    const wri_pose_pack *pack = &v->asset->differences;
    int free = simplex->corner_count - 1;
    for (int g = 0; g < pack->quad_count; g++, e += 2) {
        const wri_lanes *x = &v->x[2 * g];
        wri_lanes J[FREE_MAX][2];
        wri_sprite_pose_quad(pack, g, simplex, &fields[0], e);
        e[0] += pack->rest[2 * g];
        e[1] += pack->rest[2 * g + 1];
        add_product(e, x, sums->C);
        sums->E2 += e[0] * e[0] + e[1] * e[1];
        for (int k = 0; k < free; k++) {
            wri_sprite_pose_quad(pack, g, simplex, &fields[k + 1], J[k]);
            add_product(J[k], e, sums->De[k]);
            add_product(J[k], x, sums->Dx[k]);
            sums->H[k] += J[k][0] * J[k][0] + J[k][1] * J[k][1];
        }
        if (free == 2) {
            sums->H[2] += J[0][0] * J[1][0] + J[0][1] * J[1][1];
        }
    }
}

// Returns f (eq. 4.2).
static float residual(const view *v, const wri_lanes *e, float c, float s)
{
    wri_lanes sum = {0};
    for (int g = 0; g < v->asset->differences.quad_count; g++, e += 2) {
        wri_lanes dx = c * e[0] - s * e[1] - v->x[2 * g];
        wri_lanes dy = s * e[0] + c * e[1] - v->x[2 * g + 1];
        sum += dx * dx + dy * dy;
    }
    return sum_lanes(sum);
}

static fit evaluate(const view *v, wr_sprite_point point)
{
    static const wri_shares directions[FREE_MAX] = {{-1, 1, 0}, {-1, 0, 1}};
    const wr_simplex *simplex = &v->asset->simplices[point.simplex];
    int free = simplex->corner_count - 1;
    wri_pose_field fields[1 + FREE_MAX];
    wri_lanes e[2 * QUADS_MAX];
    lane_sums sums = {0};
    wri_sprite_pose_fields(v->asset, point, directions, free, fields);
    sum_quads(v, simplex, fields, e, &sums);
    fit out = {.point = point, .c = 1.0f};
    float cr = sum_lanes(sums.C[0]), ci = sum_lanes(sums.C[1]), length = sqrtf(cr * cr + ci * ci);
    if (length > 0.0f) {
        out.c = cr / length;
        out.s = ci / length;
    }
    out.f = residual(v, e, out.c, out.s);
    float E2 = sum_lanes(sums.E2), turn[FREE_MAX] = {0};
    for (int k = 0; k < free; k++) {
        out.g[k] = sum_lanes(sums.De[k][0]) - out.c * sum_lanes(sums.Dx[k][0]) -
                   out.s * sum_lanes(sums.Dx[k][1]);
        turn[k] = sum_lanes(sums.De[k][1]); // -J'p
        out.H[k][k] = sum_lanes(sums.H[k]);
    }
    out.H[0][1] = out.H[1][0] = sum_lanes(sums.H[2]);
    for (int k = 0; k < free * free && E2 > 0.0f; k++) {
        out.H[k / free][k % free] -= turn[k / free] * turn[k % free] / E2;
    }
    for (int k = 0; k < free; k++) { // examples that look the same
        out.H[k][k] += 1e-5f * out.H[k][k] + 1e-9f * v->size;
    }
    return out;
}

// Finds where the quadratic is least on the straight from t by d, inside [0, 1] of it, and returns
// its value there.
static float best_on_edge(const fit *at, const float t[2], const float d[2], float out[2])
{
    // offsets from the present place
    float p[2] = {t[0] - at->point.shares[1], t[1] - at->point.shares[2]};
    float hd[2] = {at->H[0][0] * d[0] + at->H[0][1] * d[1],
                   at->H[1][0] * d[0] + at->H[1][1] * d[1]};
    float slope = at->g[0] * d[0] + at->g[1] * d[1] + p[0] * hd[0] + p[1] * hd[1];
    float curve = d[0] * hd[0] + d[1] * hd[1];
    float along = curve > 0.0f ? wr_clampf(-slope / curve, 0.0f, 1.0f) : 0.0f;
    float q[2] = {p[0] + along * d[0], p[1] + along * d[1]};
    out[0] = t[0] + along * d[0];
    out[1] = t[1] + along * d[1];
    return at->g[0] * q[0] + at->g[1] * q[1] +
           0.5f * (at->H[0][0] * q[0] * q[0] + 2.0f * at->H[0][1] * q[0] * q[1] +
                   at->H[1][1] * q[1] * q[1]);
}

static void best_in_triangle(const fit *at, float t[2])
{
    static const float corners[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    float det = at->H[0][0] * at->H[1][1] - at->H[0][1] * at->H[1][0];
    if (det > 1e-6f * at->H[0][0] * at->H[1][1]) {
        t[0] = at->point.shares[1] - (at->H[1][1] * at->g[0] - at->H[0][1] * at->g[1]) / det;
        t[1] = at->point.shares[2] - (at->H[0][0] * at->g[1] - at->H[1][0] * at->g[0]) / det;
        if (t[0] >= 0.0f && t[1] >= 0.0f && t[0] + t[1] <= 1.0f) {
            return;
        }
    }
    float least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const float *a = corners[k], *b = corners[(k + 1) % 3];
        float d[2] = {b[0] - a[0], b[1] - a[1]}, place[2];
        float q = best_on_edge(at, a, d, place);
        if (q < least) {
            least = q;
            t[0] = place[0];
            t[1] = place[1];
        }
    }
}

static wr_sprite_point next_point(const view *v, const fit *at)
{
    wr_sprite_point next = at->point;
    float t[2] = {0.0f, 0.0f};
    int corners = v->asset->simplices[next.simplex].corner_count;
    if (corners == 2) {
        static const float from[2] = {0, 0}, along[2] = {1, 0};
        best_on_edge(at, from, along, t);
    } else if (corners == 3) {
        best_in_triangle(at, t);
    }
    next.shares[1] = t[0];
    next.shares[2] = t[1];
    next.shares[0] = wr_maxf(1.0f - t[0] - t[1], 0.0f);
    return next;
}

// Takes `rounds` steps at most; each is halved while it makes things worse.
static fit improve(const view *v, fit best, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        wr_sprite_point next = next_point(v, &best);
        float moved = wri_sprite_point_distance(v->asset, best.point, next);
        if (!(moved > 1e-5f)) {
            break;
        }
        fit trial = evaluate(v, next);
        for (int h = 0; h < HALVINGS && !(trial.f < best.f) && moved > 1e-4f; h++) {
            for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
                next.shares[k] = 0.5f * (next.shares[k] + best.point.shares[k]);
            }
            moved *= 0.5f;
            trial = evaluate(v, next);
        }
        if (!(trial.f < best.f)) {
            break;
        }
        best = trial;
        if (moved < 3e-4f) { // what is left is of the order of its square
            break;
        }
    }
    return best;
}

// --- all of them ------------------------------------------------------------------------------

// Better by more than rounding, so that a point on a shared face keeps its simplex.
static void keep_better(const view *v, fit *best, fit other)
{
    if (other.f < (1.0f - 1e-4f) * best->f - 1e-8f * v->size) {
        *best = other;
    }
}

// The shares of the present point that the simplex has too; of nothing, all alike.
static wr_sprite_point start_in(const wr_sprite_asset *asset, int simplex, wr_sprite_point from)
{
    const wr_simplex *a = &asset->simplices[from.simplex], *b = &asset->simplices[simplex];
    wr_sprite_point start = {.simplex = simplex};
    float sum = 0.0f;
    for (int k = 0; k < b->corner_count; k++) {
        int c = wri_sprite_find_corner(a, b->corners[k]);
        start.shares[k] = c >= 0 ? from.shares[c] + 1e-6f : 0.0f;
        sum += start.shares[k];
    }
    for (int k = 0; k < b->corner_count; k++) {
        start.shares[k] = sum > 0.0f ? start.shares[k] / sum : 1.0f / (float)b->corner_count;
    }
    return start;
}

// Each neighbour once: by the first corner of the present simplex that it has.
static void try_neighbours(const view *v, fit *best)
{
    const wr_sprite_asset *asset = v->asset;
    wr_sprite_point from = best->point;
    const wr_simplex *simplex = &asset->simplices[from.simplex];
    for (int c = 0; c < simplex->corner_count; c++) {
        int e = simplex->corners[c];
        for (int k = asset->corner_begin[e]; k < asset->corner_begin[e + 1]; k++) {
            int i = asset->corner_simplices[k];
            bool seen = i == from.simplex;
            for (int b = 0; b < c; b++) {
                seen =
                    seen || wri_sprite_find_corner(&asset->simplices[i], simplex->corners[b]) >= 0;
            }
            if (!seen) {
                keep_better(v, best,
                            improve(v, evaluate(v, start_in(asset, i, from)), ROUNDS_NEAR));
            }
        }
    }
}

// In every simplex from its middle or from near a corner, whichever fits best: bends far apart can
// hide one another.
static void try_all(const view *v, fit *best)
{
    for (int i = 0; i < v->asset->simplex_count; i++) {
        int corners = v->asset->simplices[i].corner_count;
        fit start = {.f = INFINITY};
        for (int c = -1; c < (corners > 1 ? corners : 0); c++) {
            wr_sprite_point point = {.simplex = i};
            for (int k = 0; k < corners; k++) {
                float even = 1.0f / (float)corners;
                point.shares[k] = c < 0 ? even : 0.25f * even + (k == c ? 0.75f : 0.0f);
            }
            fit other = evaluate(v, point);
            start = other.f < start.f ? other : start;
        }
        keep_better(v, best, improve(v, start, ROUNDS_ALL));
    }
}

static wr_sprite_point project(const wr_sprite_asset *asset, const float *x, const float *y,
                               int stride, bool mirrored, wr_sprite_point from, bool all,
                               float *angle)
{
    view v;
    v.asset = asset;
    v.size = 0.0f;
    float side = mirrored ? -1.0f : 1.0f;
    int last = asset->pair_count > 0 ? (asset->pair_count - 1) / WRI_LANES : 0;
    memset(&v.x[2 * last], 0, 2 * sizeof(wri_lanes));
    for (int k = 0; k < asset->pair_count; k++) {
        int i = stride * asset->pairs[2 * k], j = stride * asset->pairs[2 * k + 1];
        float dx = side * (x[i] - x[j]), dy = y[i] - y[j];
        v.x[2 * (k / WRI_LANES)][k % WRI_LANES] = dx;
        v.x[2 * (k / WRI_LANES) + 1][k % WRI_LANES] = dy;
        v.size += dx * dx + dy * dy;
    }
    *angle = 0.0f;
    if (!isfinite(v.size)) {
        return from;
    }
    fit best = improve(&v, evaluate(&v, from), all ? ROUNDS_ALL : ROUNDS_NEAR);
    if (best.f > 1e-9f * v.size) { // else nothing fits better
        (all ? try_all : try_neighbours)(&v, &best);
    }
    *angle = side * wri_atan2(best.s, best.c);
    return best.point;
}

wr_sprite_point wri_sprite_project(const wr_sprite_asset *asset, const float *x, const float *y,
                                   bool mirrored, wr_sprite_point from, bool all, float *angle)
{
    return project(asset, x, y, 1, mirrored, from, all, angle);
}

wr_sprite_point wr_sprite_asset_project(const wr_sprite_asset *asset, const wr_vec2 *x)
{
    wr_sprite_point from = {.shares = {1.0f}};
    float angle;
    return project(asset, &x[0].x, &x[0].y, 2, false, from, true, &angle);
}
