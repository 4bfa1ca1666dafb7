// weights.c: bounded biharmonic weights.
//
// A. Jacobson, I. Baran, J. Popovic, O. Sorkine. Bounded biharmonic weights for real-time
// deformation. SIGGRAPH 2011. Symbols: w the weights of one handle, L the cotangent Laplacian and M
// the lumped masses of laplacian.c. For every handle:
//     minimise w' Q w / 2 with Q = L M^-1 L,                                            (a)
//     w = 1 on its anchors, 0 on those of the others, 0 <= w <= 1                       (b)
// Then rows are normalised to sum to 1. The minimum is found from coarse to fine: see hierarchy.c
// for the levels, each of which starts from the weights of the coarser one, and obstacle.c for the
// minimum on a level. On small meshes, columns that do not come to rest there (elements of
// extreme shapes) are ended by an active set: biharmonic.c.
#include "wrought/weights.h"

#include "../base/os.h"
#include "biharmonic.h"
#include "handles.h"
#include "obstacle.h"

enum {
    COOKIE = 0x77656967,
    COARSEST = 60, // vertices
    ACTIVE_SET_ROUNDS = 100,
    SMALL_MESH = 10000 // largest for the active set: its time grows faster than the square
};

#define SMALL 1e-3 // guesses under it start at the bound

typedef struct column_result {
    wri_bounded bounded;
    double energy, excess, residual;
    int maxima;
    bool is_out_of_memory;
} column_result;

typedef struct problem {
    const wr_weights_desc *desc;
    wri_elements mesh;
    wri_arena arena;
    double size; // metres
    wri_laplacian laplacian;
    int handle_count, free_count;
    int *place; // number of each vertex among the free ones, -1: fixed or loose
    int *key;   // -1: free; fixed vertices with the same key have the same weights
    int *part;  // part of each vertex
    int part_count;
    bool *is_loose; // per part: it has no anchor
    wri_hierarchy hierarchy;
    wri_obstacle obstacle; // obstacle problem on the grid at hand
    double *w;             // vertex_count * handle_count, column after column
    double told;           // progress that was told
    column_result *columns;
    wr_weights_report report;
} problem;

wr_weights_desc wr_weights_desc_default(void)
{
    return (wr_weights_desc){.tolerance = 1e-4,
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
    if (!WRI_REQUIRE_DESC(error, wr_weights_desc, desc, COOKIE)) {
        return false;
    }
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
    if (!wri_solid_check(mesh, error)) {
        return false;
    }
    if (!WRI_REQUIRE_LIST(error, handles->anchors, handles->anchor_count)) {
        return false;
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

// Handles share the vertices that are anchors of several of them.
static void fix_anchors(problem *p, int *holders)
{
    size_t n = (size_t)p->mesh.vertex_count;
    const wr_handle_set *handles = p->desc->handles;
    for (int i = 0; i < handles->anchor_count; i++) {
        wr_anchor a = handles->anchors[i];
        double *value = &p->w[(size_t)a.handle * n + (size_t)a.vertex];
        holders[a.vertex] += *value == 0.0;
        *value = 1.0;
        p->key[a.vertex] = a.handle;
    }
    for (size_t v = 0; v < n; v++) {
        for (int j = 0; holders[v] > 1 && j < p->handle_count; j++) {
            p->w[(size_t)j * n + v] /= holders[v];
        }
        p->key[v] = holders[v] > 1 ? p->handle_count + (int)v : p->key[v];
    }
}

// Parts without an anchor are kept out of the way: any handle will do until follow_neighbours.
static void fix_loose_parts(problem *p)
{
    for (int v = 0; v < p->mesh.vertex_count; v++) {
        if (p->is_loose[p->part[v]]) {
            p->w[v] = 1.0;
            p->place[v] = -1;
            p->key[v] = 0;
            p->report.loose_vertices++;
        }
    }
    for (int i = 0; i < p->part_count; i++) {
        p->report.loose_parts += p->is_loose[i];
    }
}

// Finds which vertices are free, and the values the others are fixed at (b).
static bool fix_vertices(problem *p)
{
    size_t n = (size_t)p->mesh.vertex_count;
    p->place = wri_arena_alloc(&p->arena, n, sizeof(int));
    p->key = wri_arena_alloc(&p->arena, n, sizeof(int));
    p->w = alloc_block(p, p->mesh.vertex_count);
    int *holders = wri_arena_alloc(&p->arena, n, sizeof(int));
    p->part = wri_arena_alloc(&p->arena, n, sizeof(int));
    if (!p->place || !p->key || !p->w || !holders || !p->part) {
        return false;
    }
    memset(p->key, 0xff, n * sizeof *p->key);
    p->part_count = wri_find_parts(&p->mesh, p->part, &p->arena.allocator);
    p->is_loose = wri_arena_alloc(&p->arena, p->part_count > 0 ? (size_t)p->part_count : 0, 1);
    if (p->part_count < 0 || !p->is_loose) {
        return false;
    }
    memset(p->is_loose, 1, (size_t)p->part_count);
    fix_anchors(p, holders);
    for (size_t v = 0; v < n; v++) {
        p->place[v] = holders[v] ? -1 : 0;
        p->is_loose[p->part[v]] &= !holders[v];
    }
    fix_loose_parts(p);
    for (size_t v = 0; v < n; v++) {
        p->place[v] = p->place[v] == 0 ? p->free_count++ : -1;
    }
    return true;
}

// --- from coarse to fine ----------------------------------------------------------------------

static int level_size(const problem *p, int level)
{
    return p->hierarchy.levels[level].laplacian.stiffness.size;
}

// Computes the values at which the vertices of a coarser grid are fixed.
static void fix_coarse(problem *p, int level, const double *fine, double *coarse)
{
    const wri_grid_level *l = &p->hierarchy.levels[level];
    size_t n = (size_t)level_size(p, level), count = (size_t)level_size(p, level + 1);
    for (size_t j = 0; j < (size_t)p->handle_count; j++) {
        for (size_t v = 0; v < n; v++) {
            if (l->key[v] >= 0) {
                coarse[j * count + (size_t)l->aggregate[v]] = fine[j * n + v];
            }
        }
    }
}

typedef struct prolongation {
    const wri_grid_level *level;
    size_t fine_size, coarse_size;
    const double *coarse;
    double *fine;
} prolongation;

static void prolong_column(void *context, int block, int begin, int end)
{
    (void)block;
    (void)end;
    const prolongation *p = context;
    const wri_grid_level *l = p->level;
    const double *from = p->coarse + (size_t)begin * p->coarse_size;
    double *to = p->fine + (size_t)begin * p->fine_size;
    for (size_t v = 0; v < p->fine_size; v++) {
        double sum = 0.0;
        for (int e = l->begin[v]; e < l->begin[v + 1]; e++) {
            sum += (double)l->weight[e] * from[l->index[e]];
        }
        if (l->key[v] < 0) {
            to[v] = sum < SMALL ? 0.0 : sum > 1.0 ? 1.0 : sum;
        }
    }
}

// The first guess of a level.
static void prolong(problem *p, int level, const double *coarse, double *fine)
{
    prolongation context = {&p->hierarchy.levels[level], (size_t)level_size(p, level),
                            (size_t)level_size(p, level + 1), coarse, fine};
    wri_parallel_for(&p->desc->tasks, p->handle_count, 1, prolong_column, &context);
}

// Most of the work is on the finest level. Returns whether any column goes on.
static bool tell(problem *p)
{
    const wri_obstacle *o = &p->obstacle;
    double sum = 0.0;
    int over = 0;
    for (int j = 0; j < o->column_count; j++) {
        double error = o->columns[j].rounds > 0 ? o->columns[j].error : 1.0;
        bool is_over = wri_obstacle_is_over(o, j);
        over += is_over;
        sum += is_over ? 1.0 : fmax(0.0, log(fmax(error, o->tolerance)) / log(o->tolerance));
    }
    double part = sum / o->column_count;
    p->told = fmax(p->told, o->level > 0 ? 0.1 * part : 0.1 + 0.9 * part);
    if (p->desc->progress.report) {
        p->desc->progress.report(p->desc->progress.user, "weights", p->told);
    }
    return over < o->column_count;
}

static bool solve_level(problem *p, int level, double *w)
{
    const wr_weights_desc *desc = p->desc;
    size_t columns = (size_t)p->handle_count, size = (size_t)level_size(p, level) * columns;
    wri_obstacle *o = &p->obstacle;
    *o =
        (wri_obstacle){.hierarchy = &p->hierarchy,
                       .level = level,
                       .column_count = p->handle_count,
                       .w = w,
                       .before = wri_alloc(&desc->allocator, size, sizeof(double)),
                       .columns = wri_arena_alloc(&p->arena, columns, sizeof *o->columns),
                       .tolerance = level > 0 ? fmin(10.0 * desc->tolerance, 0.1) : desc->tolerance,
                       .round_limit = desc->round_limit,
                       .allocator = desc->allocator,
                       .tasks = desc->tasks};
    bool ok = o->before && o->columns;
    while (ok && tell(p)) {
        ok = wri_obstacle_run(o);
    }
    wri_free(&desc->allocator, o->before, size, sizeof(double));
    o->before = NULL;
    return ok;
}

static bool solve_levels(problem *p)
{
    double *w[WRI_LEVELS] = {p->w}, start = wri_seconds();
    if (!wri_hierarchy_create(&p->hierarchy, &p->arena, &p->laplacian, p->key, COARSEST)) {
        return false;
    }
    int last = p->hierarchy.count - 1;
    for (int k = 0; k < last; k++) {
        w[k + 1] = alloc_block(p, level_size(p, k + 1));
        if (!w[k + 1]) {
            return false;
        }
        fix_coarse(p, k, w[k], w[k + 1]);
    }
    for (int k = last; k >= 0; k--) {
        if (k < last) {
            prolong(p, k, w[k + 1], w[k]);
        }
        if (k == 0) {
            p->report.coarse_seconds = wri_seconds() - start;
        }
        if (!solve_level(p, k, w[k])) {
            return false;
        }
    }
    p->report.levels = last + 1;
    return true;
}

// --- columns that do not come to rest ---------------------------------------------------------

typedef struct rest {
    problem *p;
    wri_biharmonic biharmonic;
    int *open, open_count; // columns
} rest;

static void bound_column(void *context, int block, int begin, int end)
{
    (void)block;
    (void)end;
    const rest *r = context;
    problem *p = r->p;
    int j = r->open[begin];
    p->columns[j].bounded =
        wri_biharmonic_bound(&r->biharmonic, p->w + (size_t)j * (size_t)p->mesh.vertex_count);
}

static bool bound_rest(rest *r, wr_error *error)
{
    problem *p = r->p;
    r->biharmonic = (wri_biharmonic){.laplacian = &p->laplacian,
                                     .free_count = p->free_count,
                                     .place = p->place,
                                     .tolerance = 0.1 * p->desc->tolerance,
                                     .round_limit = ACTIVE_SET_ROUNDS,
                                     .allocator = p->desc->allocator};
    if (!wri_biharmonic_build(&r->biharmonic, &p->arena, error)) {
        return false;
    }
    wri_parallel_for(&p->desc->tasks, r->open_count, 1, bound_column, r);
    for (int k = 0; k < r->open_count; k++) {
        const wri_bounded *c = &p->columns[r->open[k]].bounded;
        if (c->is_out_of_memory) {
            return wri_fail(error, WR_E_MEMORY, "out of memory for the weights of handle %d",
                            r->open[k]);
        }
        p->report.has_converged = p->report.has_converged && c->is_done;
    }
    return true;
}

static bool iterate(problem *p, wr_error *error)
{
    size_t count = (size_t)p->handle_count;
    p->columns = wri_arena_alloc(&p->arena, count, sizeof *p->columns);
    rest r = {.p = p, .open = wri_arena_alloc(&p->arena, count, sizeof *r.open)};
    if (!p->columns || !r.open || !solve_levels(p)) {
        return wri_fail_memory(error, count * (size_t)p->mesh.vertex_count * sizeof(double));
    }
    for (int j = 0; j < p->handle_count; j++) {
        const wri_obstacle_column *c = &p->obstacle.columns[j];
        p->report.rounds = c->rounds > p->report.rounds ? c->rounds : p->report.rounds;
        r.open[r.open_count] = j;
        r.open_count += !c->is_done;
    }
    if (r.open_count > 0 && p->mesh.vertex_count <= SMALL_MESH) {
        p->report.exact_columns = r.open_count;
        return bound_rest(&r, error);
    }
    p->report.has_converged = r.open_count == 0;
    return true;
}

// --- results ----------------------------------------------------------------------------------

// Writes clamped and normalised weights of every vertex; also what had to be put right.
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

static double squared_distance(wr_vec3 a, wr_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return x * x + y * y + z * z;
}

typedef struct nearest_pair {
    double distance; // squared
    int vertex;      // vertex of a part that has fixed ones, -1: none yet
} nearest_pair;

// Looks from every `stride`-th vertex of the loose parts.
static void find_nearest(const problem *p, int stride, nearest_pair *nearest)
{
    const wr_vec3 *x = p->mesh.positions;
    for (int v = 0, seen = 0; v < p->mesh.vertex_count; v++) {
        nearest_pair *best = &nearest[p->part[v]];
        if (!p->is_loose[p->part[v]] || (seen++ % stride != 0 && best->vertex >= 0)) {
            continue;
        }
        for (int k = 0; k < p->mesh.vertex_count; k++) {
            double d = p->is_loose[p->part[k]] ? INFINITY : squared_distance(x[v], x[k]);
            if (d < best->distance) {
                *best = (nearest_pair){d, k};
            }
        }
    }
}

// A loose part follows as a whole what the vertex of an anchored part next to it follows: a bumper
// goes with its car, not with the wheel whose handle happens to be nearest.
static bool follow_neighbours(problem *p, float *weights)
{
    const double work = 2e9; // distances: a few seconds
    size_t count = (size_t)p->handle_count, n = (size_t)p->mesh.vertex_count;
    nearest_pair *nearest = wri_arena_alloc(&p->arena, (size_t)p->part_count, sizeof *nearest);
    if (!nearest) {
        return false;
    }
    for (int i = 0; i < p->part_count; i++) {
        nearest[i] = (nearest_pair){INFINITY, -1};
    }
    find_nearest(p, 1 + (int)((double)p->report.loose_vertices * (double)n / work), nearest);
    for (size_t v = 0; v < n; v++) {
        int from = p->is_loose[p->part[v]] ? nearest[p->part[v]].vertex : -1;
        if (from >= 0) {
            memcpy(&weights[v * count], &weights[(size_t)from * count], count * sizeof *weights);
        }
    }
    return true;
}

// Measures a bound of the optimum: with g = Q w, no w' within the bounds has an energy lower by
// more than max g'(w - w').
static void measure_bounds(problem *p, const double *w, const double *a, column_result *result)
{
    const wri_sparse *l = &p->laplacian.stiffness;
    for (int v = 0; v < l->size; v++) {
        double g = 0.0;
        for (int k = l->begin[v]; p->place[v] >= 0 && k < l->begin[v + 1]; k++) {
            g += l->values[k] * a[l->index[k]];
        }
        if (p->place[v] >= 0) {
            double alone = w[v] - g / p->hierarchy.levels[0].stiffness[v];
            alone = alone < 0.0 ? 0.0 : alone > 1.0 ? 1.0 : alone;
            result->residual = fmax(result->residual, fabs(alone - w[v]));
            result->excess += g > 0.0 ? g * w[v] : g * (w[v] - 1.0);
        }
    }
}

static void measure_column(void *context, int block, int begin, int end)
{
    (void)block;
    (void)end;
    problem *p = context;
    column_result *result = &p->columns[begin];
    size_t n = (size_t)p->mesh.vertex_count;
    const double *w = p->w + (size_t)begin * n;
    const wri_sparse *l = &p->laplacian.stiffness;
    double *a = wri_alloc(&p->desc->allocator, n, sizeof *a); // M^-1 L w
    result->is_out_of_memory = !a;
    for (int v = 0; a && v < p->mesh.vertex_count; v++) {
        double sum = 0.0, highest = -1.0;
        for (int k = l->begin[v]; k < l->begin[v + 1]; k++) {
            double other = w[l->index[k]];
            sum += l->values[k] * other;
            highest = l->index[k] != v && other > highest ? other : highest;
        }
        a[v] = sum / p->laplacian.mass[v];
        result->energy += 0.5 * sum * a[v];
        result->maxima += p->place[v] >= 0 && w[v] > highest + 1e-3;
    }
    if (a) {
        measure_bounds(p, w, a, result);
    }
    wri_free(&p->desc->allocator, a, n, sizeof *a);
}

static bool measure(problem *p)
{
    wri_parallel_for(&p->desc->tasks, p->handle_count, 1, measure_column, p);
    for (int j = 0; j < p->handle_count; j++) {
        const column_result *c = &p->columns[j];
        if (c->is_out_of_memory) {
            return false;
        }
        p->report.energy += c->energy;
        p->report.energy_excess += c->excess;
        p->report.kkt_residual = fmax(p->report.kkt_residual, c->residual);
        p->report.local_maxima += c->maxima;
    }
    return true;
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
    if (!wri_laplacian_create(&p->laplacian, &p->arena, &p->mesh, p->size) || !fix_vertices(p)) {
        return wri_fail_memory(error, (size_t)p->mesh.vertex_count * sizeof(double));
    }
    p->report.flat_elements = p->laplacian.flat_count;
    p->report.has_converged = true;
    if (p->free_count > 0 && !iterate(p, error)) {
        return false;
    }
    write_weights(p, weights);
    if (!follow_neighbours(p, weights) || (p->free_count > 0 && !measure(p))) {
        return wri_fail_memory(error, (size_t)p->mesh.vertex_count * sizeof(double));
    }
    return true;
}

bool wr_weights_find(const wr_weights_desc *desc, float *weights, wr_weights_report *report,
                     wr_error *error)
{
    if (!WRI_REQUIRE(error, weights)) {
        return false;
    }
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
