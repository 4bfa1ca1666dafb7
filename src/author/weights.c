// weights.c: bounded biharmonic weights.
//
// A. Jacobson, I. Baran, J. Popovic, O. Sorkine. Bounded biharmonic weights for real-time
// deformation. SIGGRAPH 2011. For every handle: minimise w' Q w / 2 with Q = L M^-1 L, w = 1 on the
// vertices it holds, 0 on those of the others, 0 <= w <= 1. First all handles without bounds, with
// one factorisation for all; then each with them, in parallel: see biharmonic.c.
#include "wrought/weights.h"

#include "../base/os.h"
#include "biharmonic.h"
#include "cholesky.h"
#include "laplacian.h"

enum { COOKIE = 0x77656967, GUESS_GRAIN = 8 };

typedef struct column_result {
    wri_bounded bounded;
    bool is_out_of_memory;
    double energy;
    int maxima;
} column_result;

typedef struct problem {
    const wr_weights_desc *desc;
    wri_elements mesh;
    wri_arena arena;
    double size; // metres
    wri_laplacian laplacian;
    int handle_count, free_count;
    int *place; // of each vertex among the free ones, -1: held or loose
    double *w;  // vertex_count * handle_count, column after column
    wri_biharmonic biharmonic;
    wri_cholesky *cholesky;
    column_result *columns;
    wr_weights_report report;
} problem;

wr_weights_desc wr_weights_desc_default(void)
{
    return (wr_weights_desc){.tolerance = 1e-5,
                             .round_limit = 100,
                             .allocator = *wr_allocator_default(),
                             .cookie = COOKIE};
}

static double *alloc_block(problem *p, int rows)
{
    return wri_arena_alloc(&p->arena, (size_t)rows * (size_t)p->handle_count, sizeof(double));
}

// --- set-up -----------------------------------------------------------------------------------

static bool check_desc(const wr_weights_desc *desc, wr_error *error)
{
    WR_ASSERT(desc->cookie == COOKIE); // start from wr_weights_desc_default()
    const wr_solid *mesh = &desc->mesh;
    const wr_handle_set *handles = desc->handles;
    if (mesh->dimension != 2 && mesh->dimension != 3) {
        return wri_fail(error, WR_E_ARGUMENT, "mesh.dimension: %d is not 2 or 3", mesh->dimension);
    }
    if (mesh->vertex_count < 1 || mesh->element_count < 0 || mesh->element_count > INT32_MAX / 16) {
        return wri_fail(error, WR_E_ARGUMENT, "mesh: %d vertices and %d elements",
                        mesh->vertex_count, mesh->element_count);
    }
    if (!(desc->tolerance > 0.0 && desc->tolerance <= 0.1) || desc->round_limit < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "tolerance: %g not in (0, 0.1], or no rounds",
                        desc->tolerance);
    }
    if (!handles || handles->handle_count < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "handles: need at least one");
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (!wr_is_finite3(mesh->positions[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "positions[%d]: not finite", i);
        }
    }
    for (int i = 0; i < mesh->element_count * (mesh->dimension + 1); i++) {
        if (mesh->elements[i] < 0 || mesh->elements[i] >= mesh->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT, "elements[%d]: there is no vertex %d",
                            i / (mesh->dimension + 1), mesh->elements[i]);
        }
    }
    for (int i = 0; i < handles->anchor_count; i++) {
        wr_anchor a = handles->anchors[i];
        if (a.vertex < 0 || a.vertex >= mesh->vertex_count || a.handle < 0 ||
            a.handle >= handles->handle_count) {
            return wri_fail(error, WR_E_ARGUMENT, "anchors[%d]: vertex %d, handle %d", i, a.vertex,
                            a.handle);
        }
    }
    return true;
}

// Handles share the vertices that several of them hold.
static void hold_anchors(problem *p, int *holders)
{
    size_t n = (size_t)p->mesh.vertex_count;
    const wr_handle_set *handles = p->desc->handles;
    for (int i = 0; i < handles->anchor_count; i++) {
        wr_anchor a = handles->anchors[i];
        double *value = &p->w[(size_t)a.handle * n + (size_t)a.vertex];
        holders[a.vertex] += *value == 0.0;
        *value = 1.0;
    }
    for (size_t v = 0; v < n; v++) {
        for (int j = 0; holders[v] > 1 && j < p->handle_count; j++) {
            p->w[(size_t)j * n + v] /= holders[v];
        }
    }
}

static double squared_distance(wr_vec3 a, wr_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return x * x + y * y + z * z;
}

// Parts that nothing holds follow the handle nearest to one of their vertices.
static void hold_loose_parts(problem *p, const int *part, int part_count, int *handle, double *best)
{
    const wr_handle_set *handles = p->desc->handles;
    size_t n = (size_t)p->mesh.vertex_count;
    for (int v = 0; v < p->mesh.vertex_count; v++) {
        for (int j = 0; handle[part[v]] >= -1 && j < p->handle_count; j++) {
            double d = squared_distance(p->mesh.positions[v], handles->handles[j].pivot);
            if (handle[part[v]] < 0 || d < best[part[v]]) {
                handle[part[v]] = j;
                best[part[v]] = d;
            }
        }
    }
    for (int v = 0; v < p->mesh.vertex_count; v++) {
        if (handle[part[v]] >= 0) {
            p->w[(size_t)handle[part[v]] * n + (size_t)v] = 1.0;
            p->place[v] = -1;
            p->report.loose_vertices++;
        }
    }
    for (int i = 0; i < part_count; i++) {
        p->report.loose_parts += handle[i] >= 0;
    }
}

// Which vertices are free, and what the others are held at.
static bool hold_vertices(problem *p)
{
    size_t n = (size_t)p->mesh.vertex_count;
    p->place = wri_arena_alloc(&p->arena, n, sizeof(int));
    p->w = alloc_block(p, p->mesh.vertex_count);
    int *holders = wri_arena_alloc(&p->arena, n, sizeof(int));
    int *part = wri_arena_alloc(&p->arena, n, sizeof(int));
    if (!p->place || !p->w || !holders || !part) {
        return false;
    }
    int part_count = wri_find_parts(&p->mesh, part, &p->arena.allocator);
    size_t parts = part_count > 0 ? (size_t)part_count : 0;
    int *handle = wri_arena_alloc(&p->arena, parts, sizeof(int)); // -1: loose, -2: held
    double *best = wri_arena_alloc(&p->arena, parts, sizeof(double));
    if (part_count < 0 || !handle || !best) {
        return false;
    }
    memset(handle, 0xff, parts * sizeof *handle);
    hold_anchors(p, holders);
    for (size_t v = 0; v < n; v++) {
        p->place[v] = holders[v] ? -1 : 0;
        handle[part[v]] = holders[v] ? -2 : handle[part[v]];
    }
    hold_loose_parts(p, part, part_count, handle, best);
    for (size_t v = 0; v < n; v++) {
        p->place[v] = p->place[v] == 0 ? p->free_count++ : -1;
    }
    return true;
}

static bool build_system(problem *p, wr_error *error)
{
    double start = wri_seconds();
    p->biharmonic = (wri_biharmonic){.laplacian = &p->laplacian,
                                     .free_count = p->free_count,
                                     .place = p->place,
                                     .tolerance = p->desc->tolerance,
                                     .round_limit = p->desc->round_limit,
                                     .allocator = p->desc->allocator};
    bool ok = wri_biharmonic_build(&p->biharmonic, &p->arena, error);
    p->report.analyse_seconds = wri_seconds() - start;
    return ok;
}

// --- the first guess --------------------------------------------------------------------------

// Without bounds.
static void guess_column(void *context, int block, int begin, int end)
{
    problem *p = context;
    size_t n = (size_t)p->mesh.vertex_count, free_count = (size_t)p->free_count;
    double *a = wri_alloc(&p->arena.allocator, 2 * n, sizeof(double));
    double *b = wri_alloc(&p->arena.allocator, free_count * (size_t)(end - begin), sizeof(double));
    bool ok = a && b;
    for (int j = begin; ok && j < end; j++) {
        wri_biharmonic_gradient(&p->biharmonic, p->w + (size_t)j * n, a, a + n);
        for (size_t i = 0; i < free_count; i++) {
            b[(size_t)(j - begin) * free_count + i] = -a[n + (size_t)p->biharmonic.vertex[i]];
        }
    }
    ok = ok && wri_cholesky_solve(p->cholesky, block, end - begin, b, b);
    for (int j = begin; j < end; j++) {
        p->columns[j].is_out_of_memory = !ok;
        for (size_t i = 0; ok && i < free_count; i++) {
            p->w[(size_t)j * n + (size_t)p->biharmonic.vertex[i]] =
                b[(size_t)(j - begin) * free_count + i];
        }
    }
    wri_free(&p->arena.allocator, b, free_count * (size_t)(end - begin), sizeof(double));
    wri_free(&p->arena.allocator, a, 2 * n, sizeof(double));
}

static bool guess(problem *p, wr_error *error)
{
    double start = wri_seconds();
    wri_cholesky_hold before = wri_cholesky_begin(0);
    p->cholesky = wri_cholesky_create(&p->biharmonic.lower, p->biharmonic.order,
                                      wri_block_count(p->handle_count, GUESS_GRAIN), error);
    bool ok = p->cholesky && wri_cholesky_factor(p->cholesky, &p->biharmonic.lower, error);
    wri_cholesky_end(before);
    p->report.factor_seconds = wri_seconds() - start;
    if (ok) {
        p->report.factor_entries = wri_cholesky_entries(p->cholesky);
        before = wri_cholesky_begin(p->desc->tasks.worker_count > 1);
        wri_parallel_for(&p->desc->tasks, p->handle_count, GUESS_GRAIN, guess_column, p);
        wri_cholesky_end(before);
    }
    wri_cholesky_destroy(p->cholesky);
    return ok;
}

// --- bounds -----------------------------------------------------------------------------------

static void bound_column(void *context, int block, int begin, int end)
{
    (void)block;
    (void)end;
    problem *p = context;
    p->columns[begin].bounded =
        wri_biharmonic_bound(&p->biharmonic, p->w + (size_t)begin * (size_t)p->mesh.vertex_count);
}

static bool iterate(problem *p, wr_error *error)
{
    p->columns = wri_arena_alloc(&p->arena, (size_t)p->handle_count, sizeof *p->columns);
    if (!p->columns) {
        return wri_fail_memory(error, (size_t)p->handle_count * sizeof *p->columns);
    }
    double start = wri_seconds();
    if (!guess(p, error)) {
        return false;
    }
    p->report.guess_seconds = wri_seconds() - start;
    wri_cholesky_hold before = wri_cholesky_begin(p->desc->tasks.worker_count > 1);
    wri_parallel_for(&p->desc->tasks, p->handle_count, 1, bound_column, p);
    wri_cholesky_end(before);
    p->report.has_converged = true;
    for (int j = 0; j < p->handle_count; j++) {
        const wri_bounded *c = &p->columns[j].bounded;
        if (c->is_out_of_memory || p->columns[j].is_out_of_memory) {
            return wri_fail(error, WR_E_MEMORY, "out of memory for the weights of handle %d", j);
        }
        p->report.has_converged = p->report.has_converged && c->is_done;
        p->report.rounds = c->rounds > p->report.rounds ? c->rounds : p->report.rounds;
        p->report.factorisations += c->factorisations;
        p->report.kkt_residual = fmax(p->report.kkt_residual, c->residual);
    }
    return true;
}

// --- results ----------------------------------------------------------------------------------

// Clamped and normalised weights of every vertex; also what had to be put right.
static void write_weights(problem *p, float *weights)
{
    size_t n = (size_t)p->mesh.vertex_count;
    int count = p->handle_count;
    for (size_t v = 0; v < n; v++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++) {
            double *w = &p->w[(size_t)j * n + v];
            double inside = *w < 0.0 ? 0.0 : *w > 1.0 ? 1.0 : *w;
            p->report.outside = fmax(p->report.outside, fabs(*w - inside));
            *w = inside;
            sum += inside;
        }
        p->report.row_error = fmax(p->report.row_error, fabs(sum - 1.0));
        for (int j = 0; j < count; j++) {
            weights[v * (size_t)count + (size_t)j] =
                (float)(sum > 0.0 ? p->w[(size_t)j * n + v] / sum : 1.0 / count);
        }
    }
}

static void measure_column(void *context, int block, int begin, int end)
{
    (void)block;
    (void)end;
    problem *p = context;
    column_result *result = &p->columns[begin];
    const double *w = p->w + (size_t)begin * (size_t)p->mesh.vertex_count;
    const wri_sparse *l = &p->laplacian.stiffness;
    for (int v = 0; v < p->mesh.vertex_count; v++) {
        double sum = 0.0, highest = -1.0;
        for (int k = l->begin[v]; k < l->begin[v + 1]; k++) {
            double other = w[l->index[k]];
            sum += l->values[k] * other;
            highest = l->index[k] != v && other > highest ? other : highest;
        }
        result->energy += 0.5 * sum * sum * p->biharmonic.inverse_mass[v];
        result->maxima += p->place[v] >= 0 && w[v] > highest + 1e-3;
    }
}

static void measure(problem *p)
{
    wri_parallel_for(&p->desc->tasks, p->handle_count, 1, measure_column, p);
    for (int j = 0; j < p->handle_count; j++) {
        p->report.energy += p->columns[j].energy;
        p->report.local_maxima += p->columns[j].maxima;
    }
}

// Twice the root mean square distance from the middle: the same however the mesh is turned.
static double measure_size(const wri_elements *mesh)
{
    double middle[3] = {0}, sum = 0.0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        middle[0] += (double)mesh->positions[i].x / mesh->vertex_count;
        middle[1] += (double)mesh->positions[i].y / mesh->vertex_count;
        middle[2] += (double)mesh->positions[i].z / mesh->vertex_count;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        double x = mesh->positions[i].x - middle[0], y = mesh->positions[i].y - middle[1];
        double z = mesh->positions[i].z - middle[2];
        sum += (x * x + y * y + z * z) / mesh->vertex_count;
    }
    return sum > 0.0 ? 2.0 * sqrt(sum) : 1.0;
}

static bool solve(problem *p, float *weights, wr_error *error)
{
    p->size = measure_size(&p->mesh);
    if (!wri_laplacian_create(&p->laplacian, &p->arena, &p->mesh, p->size) || !hold_vertices(p)) {
        return wri_fail_memory(error, (size_t)p->mesh.vertex_count * sizeof(double));
    }
    p->report.flat_elements = p->laplacian.flat_count;
    p->report.has_converged = true;
    if (p->free_count > 0 && (!build_system(p, error) || !iterate(p, error))) {
        return false;
    }
    write_weights(p, weights);
    if (p->free_count > 0) {
        measure(p);
    }
    return true;
}

bool wr_weights_find(const wr_weights_desc *desc, float *weights, wr_weights_report *report,
                     wr_error *error)
{
    if (!check_desc(desc, error)) {
        return false;
    }
    double begin = wri_seconds();
    problem p = {.desc = desc,
                 .mesh = {desc->mesh.dimension, desc->mesh.vertex_count, desc->mesh.element_count,
                          desc->mesh.positions, desc->mesh.elements},
                 .arena = wri_arena_create(&desc->allocator),
                 .handle_count = desc->handles->handle_count};
    bool ok = solve(&p, weights, error);
    wri_arena_destroy(&p.arena);
    p.report.seconds = wri_seconds() - begin;
    if (ok && report) {
        *report = p.report;
    }
    return ok;
}
