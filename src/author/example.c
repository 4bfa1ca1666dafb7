// example.c: from the places of vertices to an example.
//
// Handles first (fit.c); what they leave becomes correctives on the simulation mesh, as smooth as
// they can be while they explain the render mesh (scatter.c); what these leave becomes details.
// Every stage works on what the rounded floats of the one before give, so that the last has the
// exact rest.
#include "wrought/example.h"

#include "../base/os.h"
#include "../skin/skin.h"
#include "fit.h"

#define NEGLIGIBLE 1e-6 // share of the size that is not worth an offset per vertex
#define MARGIN 1.5      // correctives may be as much larger than the gaps they close

static const uint32_t COOKIE = 0x65786d70;

wr_fit_desc wr_fit_desc_default(void)
{
    return (wr_fit_desc){.cookie = COOKIE};
}

typedef struct job {
    const wr_fit_desc *desc;
    wr_example *out;
    wr_fit_report report;
    wri_arena arena;
    wri_scatter scatter;
    wri_fit fit;
    double *x; // 3 per vertex, metres: the shape so far
} job;

// --- checks -----------------------------------------------------------------------------------

static bool check_rig(const wr_rig *rig, wr_error *error)
{
    if ((rig->dimension != 2 && rig->dimension != 3) || rig->vertex_count < 1 ||
        rig->element_count < 1 || rig->handle_count < 1 || rig->handle_count > 4096) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "rig: dimension %d, %d vertices, %d elements, %d handles", rig->dimension,
                        rig->vertex_count, rig->element_count, rig->handle_count);
    }
    for (int i = 0; i < rig->vertex_count; i++) {
        double sum = 0.0;
        for (int b = 0; b < rig->handle_count; b++) {
            sum += (double)rig->weights[(size_t)i * (size_t)rig->handle_count + (size_t)b];
        }
        if (!wr_is_finite3(rig->rest[i]) || !(fabs(sum - 1.0) < 0.1)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "rig: vertex %d is not finite, or its weights sum to %g", i, sum);
        }
    }
    for (int b = 0; b < rig->handle_count; b++) {
        if (!wr_is_finite3(rig->handles[b].pivot)) {
            return wri_fail(error, WR_E_ARGUMENT, "rig: pivot of handle %d not finite", b);
        }
    }
    for (int i = 0; i < rig->element_count * (rig->dimension + 1); i++) {
        if (rig->elements[i] < 0 || rig->elements[i] >= rig->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT, "rig: element %d has vertex %d of %d",
                            i / (rig->dimension + 1), rig->elements[i], rig->vertex_count);
        }
    }
    return true;
}

static bool check_poses(const wr_fit_desc *desc, wr_error *error)
{
    for (int b = 0; desc->poses && b < desc->rig->handle_count; b++) {
        const wr_handle_pose *pose = &desc->poses[b];
        float sum = 0.0f;
        for (int i = 0; i < 6; i++) {
            sum += pose->stretch[i];
        }
        if (!(fabsf(wr_quat_dot(pose->rotation, pose->rotation) - 1.0f) < 1e-3f) ||
            !wr_is_finite3(pose->offset) || !isfinite(sum)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "poses[%d]: rotation not of unit length, or not finite", b);
        }
    }
    return true;
}

static bool check_desc(const wr_fit_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_fit_desc, desc, COOKIE) ||
        !WRI_REQUIRE(error, desc->rig, desc->targets)) {
        return false;
    }
    const wr_rig *rig = desc->rig;
    if (!check_rig(rig, error) || !check_poses(desc, error)) {
        return false;
    }
    int count = desc->at_vertices ? rig->vertex_count : rig->ride_count;
    if (count < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "rig: no render mesh rides on it");
    }
    for (int i = 0; i < count; i++) {
        if (!wr_is_finite3(desc->targets[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "targets[%d]: not finite", i);
        }
    }
    for (int i = 0; i < rig->ride_count; i++) {
        const float *w = rig->rides[i].weights;
        if (rig->rides[i].element < 0 || rig->rides[i].element >= rig->element_count ||
            !isfinite(w[0] + w[1] + w[2] + w[3])) {
            return wri_fail(error, WR_E_ARGUMENT, "rides[%d]: element %d of %d, or not finite", i,
                            rig->rides[i].element, rig->element_count);
        }
    }
    return true;
}

// --- measuring --------------------------------------------------------------------------------

// Computes the gap between the shape x and target i, metres.
static void find_gap(const job *j, int i, double gap[3])
{
    int v[4];
    double w[4];
    int corners = wri_scatter_corners(&j->scatter, i, v, w);
    wr_vec3 target = j->desc->targets[i];
    gap[0] = target.x, gap[1] = target.y, gap[2] = target.z;
    for (int k = 0; k < corners; k++) {
        for (int x = 0; x < 3; x++) {
            gap[x] -= w[k] * j->x[3 * (size_t)v[k] + (size_t)x];
        }
    }
    if (j->scatter.rides && j->scatter.mesh.dimension == 2) {
        gap[2] -= (double)j->scatter.rides[i].weights[3]; // layers keep their heights
    }
}

// Measures the distances from the targets; offsets NULL: without.
static wr_fit_distance measure(const job *j, const wr_vec3 *offsets)
{
    wr_fit_distance d = {0};
    for (int i = 0; i < j->scatter.count; i++) {
        double gap[3];
        find_gap(j, i, gap);
        if (offsets) {
            gap[0] -= (double)offsets[i].x;
            gap[1] -= (double)offsets[i].y;
            gap[2] -= (double)offsets[i].z;
        }
        double square = gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
        d.rms += square / j->scatter.count;
        d.max = fmax(d.max, sqrt(square));
    }
    d.rms = sqrt(d.rms);
    return d;
}

static int count_inverted(const job *j)
{
    const wr_rig *rig = j->desc->rig;
    int corners = rig->dimension + 1, count = 0;
    for (int t = 0; t < rig->element_count; t++) {
        const int *v = &rig->elements[(size_t)t * (size_t)corners];
        double e[3][3] = {{0}, {0}, {0, 0, 1}};
        for (int i = 0; i < 3 * rig->dimension; i++) {
            e[i / 3][i % 3] = j->x[3 * (size_t)v[i / 3 + 1] + (size_t)(i % 3)] -
                              j->x[3 * (size_t)v[0] + (size_t)(i % 3)];
        }
        double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                        e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                        e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
        count += !(volume > 0.0);
    }
    return count;
}

// --- stages -----------------------------------------------------------------------------------

static void rest_shape(job *j)
{
    const wr_rig *rig = j->desc->rig;
    for (size_t i = 0; i < (size_t)rig->vertex_count; i++) {
        j->x[3 * i] = rig->rest[i].x;
        j->x[3 * i + 1] = rig->rest[i].y;
        j->x[3 * i + 2] = rig->rest[i].z;
    }
}

// The shape of the rounded poses, as skinning makes it.
static bool pose_shape(job *j)
{
    const wr_rig *rig = j->desc->rig;
    size_t handles = (size_t)rig->handle_count;
    double *rows = wri_arena_alloc(&j->arena, 12 * handles, sizeof *rows);
    double *weights = wri_arena_alloc(&j->arena, handles, sizeof *weights);
    int *list = wri_arena_alloc(&j->arena, handles, sizeof *list);
    if (!rows || !weights || !list) {
        return false;
    }
    for (size_t b = 0; b < handles; b++) {
        wri_fit_rows(&j->fit, (int)b, &j->out->poses[b], rows + 12 * b);
    }
    for (int i = 0; i < rig->vertex_count; i++) {
        double *x = j->x + 3 * (size_t)i;
        int count = wri_fit_weights(rig, i, list, weights);
        memcpy(x, j->fit.middle, 3 * sizeof *x);
        for (int k = 0; k < count; k++) {
            const double *t = rows + 12 * (size_t)list[k];
            wr_vec3 c = rig->handles[list[k]].pivot, u = rig->rest[i];
            const double from[3] = {(double)u.x - c.x, (double)u.y - c.y, (double)u.z - c.z};
            for (int a = 0; a < 3; a++) {
                x[a] += weights[k] * (t[a] * from[0] + t[3 + a] * from[1] + t[6 + a] * from[2] +
                                      t[9 + a] * j->fit.size);
            }
        }
    }
    return true;
}

static bool fit_handles(job *j, wr_error *error)
{
    const wr_fit_desc *desc = j->desc;
    j->fit = (wri_fit){
        .rig = desc->rig, .poses = desc->poses, .fixed = desc->fixed, .stretch = desc->stretch};
    if (!wri_fit_build(&j->fit, &j->scatter, desc->targets, &j->arena) ||
        !wri_fit_solve(&j->fit, &j->arena)) {
        return wri_fail_memory(error, j->arena.total);
    }
    for (int b = 0; b < desc->rig->handle_count; b++) {
        wr_handle_pose pose = wri_fit_pose(&j->fit, b);
        double turn = 2.0 * acos(fmin(1.0, fabs((double)pose.rotation.w)));
        j->report.largest_turn = fmax(j->report.largest_turn, turn);
        j->out->poses[b] = pose;
    }
    j->report.stiffness = j->fit.stiffness;
    j->report.rounds = j->fit.rounds;
    return pose_shape(j) || wri_fail_memory(error, j->arena.total);
}

// How far correctives may move vertices: as far as the gaps of the points that ride on elements
// around them, and a margin; where none rides, as far as any.
static void find_limits(const job *j, const double *gaps, double *limits)
{
    double most = 0.0;
    for (int i = 0; i < j->scatter.count; i++) {
        const double *g = gaps + 3 * (size_t)i;
        double gap = MARGIN * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), w[4];
        int v[4], corners = wri_scatter_corners(&j->scatter, i, v, w);
        for (int k = 0; k < corners; k++) {
            limits[v[k]] = fmax(limits[v[k]], gap);
        }
        most = fmax(most, gap);
    }
    for (int i = 0; i < j->desc->rig->vertex_count; i++) {
        limits[i] = limits[i] > 0.0 ? limits[i] : most;
    }
}

// Gathers g of the gaps, column after column; in the plane, those within it.
static bool gather_gaps(job *j, double *g, double *limits)
{
    size_t count = (size_t)j->scatter.count;
    double *gaps = wri_alloc(&j->arena.allocator, 3 * count, sizeof *gaps);
    for (size_t i = 0; gaps && i < count; i++) {
        find_gap(j, (int)i, gaps + 3 * i);
        gaps[3 * i + 2] = j->desc->rig->dimension == 2 ? 0.0 : gaps[3 * i + 2];
    }
    if (gaps) {
        wri_scatter_gather(&j->scatter, gaps, 3, g);
        find_limits(j, gaps, limits);
    }
    wri_free(&j->arena.allocator, gaps, 3 * count, sizeof *gaps);
    return gaps != NULL;
}

static void add_correctives(job *j)
{
    const wr_vec3 *k = j->out->correctives;
    for (size_t i = 0; i < (size_t)j->desc->rig->vertex_count; i++) {
        j->x[3 * i] += (double)k[i].x;
        j->x[3 * i + 1] += (double)k[i].y;
        j->x[3 * i + 2] += (double)k[i].z;
    }
}

static bool find_correctives(job *j, wr_error *error)
{
    size_t n = (size_t)j->desc->rig->vertex_count;
    wr_vec3 *out = j->out->correctives;
    double *k = wri_arena_alloc(&j->arena, 3 * n, sizeof *k);
    double *g = wri_arena_alloc(&j->arena, 3 * n, sizeof *g);
    double *limits = wri_arena_alloc(&j->arena, n, sizeof *limits);
    if (!k || !g || !limits) {
        return wri_fail_memory(error, j->arena.total);
    }
    if (j->desc->at_vertices) {
        for (size_t i = 0; i < n; i++) {
            double gap[3];
            find_gap(j, (int)i, gap);
            k[i] = gap[0], k[n + i] = gap[1], k[2 * n + i] = gap[2];
        }
    } else if (!gather_gaps(j, g, limits)) {
        return wri_fail_memory(error, 3 * n * sizeof *k);
    } else if (!wri_scatter_solve_within(&j->scatter, WRI_SMOOTH_BENT, limits, 3, g, k, error)) {
        return false;
    }
    double least = NEGLIGIBLE * j->scatter.size;
    for (size_t i = 0; i < n; i++) {
        bool goes = fabs(k[i]) > least || fabs(k[n + i]) > least || fabs(k[2 * n + i]) > least;
        out[i] = goes ? wr_v3((float)k[i], (float)k[n + i], (float)k[2 * n + i]) : wr_v3(0, 0, 0);
    }
    add_correctives(j);
    return true;
}

static void list_gaps(const job *j, wr_vec3 *out)
{
    for (int i = 0; i < j->scatter.count; i++) {
        double gap[3];
        find_gap(j, i, gap);
        out[i] = wr_v3((float)gap[0], (float)gap[1], (float)gap[2]);
    }
}

// Where no handle moves, what correctives leave of the moves of the render mesh, of which small
// ones are none.
static void find_still_details(job *j)
{
    float least = (float)(NEGLIGIBLE * j->scatter.size);
    wr_vec3 *moves = j->out->details;
    rest_shape(j);
    list_gaps(j, moves);
    for (int i = 0; i < j->scatter.count; i++) {
        bool goes =
            fabsf(moves[i].x) > least || fabsf(moves[i].y) > least || fabsf(moves[i].z) > least;
        moves[i] = goes ? moves[i] : wr_v3(0, 0, 0);
    }
    wri_rig_find_details(j->desc->rig, j->out->correctives, moves, j->out->details);
    add_correctives(j);
}

static void find_details(job *j)
{
    if (wri_poses_are_still(j->out->poses, j->desc->rig->handle_count)) {
        find_still_details(j);
    } else {
        list_gaps(j, j->out->details);
    }
}

static bool fit_all(job *j, wr_error *error)
{
    const wr_fit_desc *desc = j->desc;
    const wr_rig *rig = desc->rig;
    j->scatter = (wri_scatter){
        .mesh = {rig->dimension, rig->vertex_count, rig->element_count, rig->rest, rig->elements},
        .rides = desc->at_vertices ? NULL : rig->rides,
        .count = desc->at_vertices ? rig->vertex_count : rig->ride_count};
    j->x = wri_arena_alloc(&j->arena, 3 * (size_t)rig->vertex_count, sizeof *j->x);
    if (!j->x || !wri_scatter_create(&j->scatter, &j->arena)) {
        return wri_fail_memory(error, j->arena.total);
    }
    rest_shape(j);
    j->report.size = j->scatter.size;
    j->report.rest = measure(j, NULL);
    if (!fit_handles(j, error)) {
        return false;
    }
    j->report.handles = j->report.correctives = measure(j, NULL);
    j->report.inverted_by_handles = j->report.inverted_elements = count_inverted(j);
    bool is_near = j->report.handles.max <= NEGLIGIBLE * j->scatter.size;
    if (!is_near) {
        if (!find_correctives(j, error)) {
            return false;
        }
        j->report.correctives = measure(j, NULL);
        j->report.inverted_elements = count_inverted(j);
        is_near = j->report.correctives.max <= NEGLIGIBLE * j->scatter.size;
    } else {
        j->out->correctives = NULL;
    }
    if (is_near || desc->at_vertices) {
        j->out->details = NULL;
    } else {
        find_details(j);
    }
    j->report.example = measure(j, j->out->details);
    return true;
}

bool wr_example_fit(const wr_fit_desc *desc, wr_example *out, wr_fit_report *report,
                    wr_error *error)
{
    if (!WRI_REQUIRE(error, out) || !WRI_REQUIRE(error, out->poses, out->correctives)) {
        return false;
    }
    if (!check_desc(desc, error)) {
        return false;
    }
    double begin = wri_seconds();
    job j = {.desc = desc, .out = out, .arena = wri_arena_create(desc->allocator)};
    bool ok = fit_all(&j, error);
    wri_arena_destroy(&j.arena);
    j.report.seconds = wri_seconds() - begin;
    if (ok && report) {
        *report = j.report;
    }
    return ok;
}
