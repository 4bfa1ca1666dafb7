// rig.c: decompositions of 3x3 matrices, skinning of a body with examples, weights, posing.
#include "bench.h"

#include "../src/base/base.h"
#include "../src/base/os.h"
#include "../src/math/decompose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) * 0x1p-23f - 1.0f; // [-1, 1)
}

// --- decompositions ---------------------------------------------------------------------------

enum { MATRICES = 1024 };

typedef struct matrices {
    double a[MATRICES][3][3];
    float f[MATRICES][3][3];
    wr_quat near[MATRICES];
} matrices;

static double run_svd(const matrices *m, int i)
{
    double u[3][3], s[3], v[3][3];
    wri_svd3d(m->a[i], u, s, v);
    return s[0] + u[0][0] + v[0][0];
}

static double run_polar(const matrices *m, int i)
{
    double r[3][3], t[3][3];
    wri_polar3d(m->a[i], r, t);
    return r[0][0] + t[0][0];
}

static double run_eigen(const matrices *m, int i)
{
    double l[3], q[3][3];
    wri_eigen3d(m->a[i], l, q);
    return l[0] + q[0][0];
}

static double run_nearest(const matrices *m, int i)
{
    return (double)wri_nearest_rotation(m->f[i], m->near[i]).x;
}

static void bench_matrices(const bench_options *options, bench_rows *rows)
{
    static const struct {
        double (*run)(const matrices *m, int i);
        const char *name;
        double goal;
    } kinds[] = {{run_svd, "singular values 3x3, double", NAN},
                 {run_polar, "polar decomposition 3x3, double", 300.0},
                 {run_eigen, "symmetric eigenvectors 3x3, double", NAN},
                 {run_nearest, "nearest rotation from 0.02 rad away", NAN}};
    static matrices m;
    uint32_t seed = 1;
    for (int i = 0; i < MATRICES; i++) {
        for (int k = 0; k < 9; k++) {
            m.a[i][k / 3][k % 3] = (double)noise(&seed);
            m.f[i][k / 3][k % 3] = (float)m.a[i][k / 3][k % 3] + (k % 4 ? 0.0f : 2.0f);
        }
        m.near[i] = wri_nearest_rotation(m.f[i], WR_QUAT_IDENTITY);
        m.near[i].x += 0.01f;
    }
    for (int k = 0; k < WRI_COUNT(kinds); k++) {
        volatile double sink = 0.0;
        double best = INFINITY;
        for (int round = 0; round < (options->full ? 200 : 40); round++) {
            double start = wri_seconds(), sum = 0.0;
            for (int i = 0; i < MATRICES; i++) {
                sum += kinds[k].run(&m, i);
            }
            sink = sink + sum;
            best = fmin(best, (wri_seconds() - start) / MATRICES);
        }
        bench_add_row(rows, kinds[k].name, "time", "ns", 1e9 * best, kinds[k].goal);
    }
}

// --- a body -----------------------------------------------------------------------------------

enum { N = 4695, B = 32, E = 6, SIDE = 15 };

// A block of 15 x 15 x 21 points, handles on a grid in it, weights that fall off smoothly: as many
// of them matter to a vertex as do with bounded biharmonic weights.
typedef struct body {
    wr_vec3 rest[N], x[N];
    wr_handle handles[B];
    float weights[N * B], rows[N * E], J[N * 3 * E];
    wr_handle_pose poses[E][B];
    wr_vec3 correctives[N];
    wr_example examples[E];
    int part[N];
    wr_rig rig;
} body;

static void weigh(body *b, int i)
{
    float sum = 0.0f, *row = &b->weights[i * B];
    for (int k = 0; k < B; k++) {
        float d = wr_distance(b->rest[i], b->handles[k].pivot) / 0.5f;
        row[k] = expf(-4.0f * d * d);
        sum += row[k];
    }
    for (int k = 0; k < B; k++) {
        row[k] /= sum;
    }
}

static void make_body(body *b)
{
    uint32_t seed = 3;
    for (int k = 0; k < B; k++) {
        b->handles[k].pivot = wr_v3(0.1f + 0.8f * (float)(k % 4) / 3.0f,
                                    0.1f + 0.8f * (float)(k / 4 % 2), 1.4f * (float)(k / 8) / 3.0f);
        b->handles[k].parent = b->handles[k].vertex = -1;
    }
    for (int i = 0; i < N; i++) {
        b->rest[i] = wr_scale(1.0f / (SIDE - 1), wr_v3((float)(i % SIDE), (float)(i / SIDE % SIDE),
                                                       (float)(i / (SIDE * SIDE))));
        b->correctives[i] = wr_scale(0.01f, wr_v3(noise(&seed), noise(&seed), noise(&seed)));
        weigh(b, i);
        float sum = 0.0f, *row = &b->rows[i * E];
        for (int e = 0; e < E; e++) {
            sum += row[e] = 1.001f + noise(&seed);
        }
        for (int e = 0; e < E; e++) {
            row[e] /= sum;
        }
    }
    for (int i = 0; i < E * B; i++) {
        wr_handle_pose *pose = &b->poses[i / B][i % B];
        *pose = (wr_handle_pose){WR_QUAT_IDENTITY, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
        if (i >= B) {
            wr_vec3 axis = wr_v3(noise(&seed), noise(&seed), noise(&seed));
            pose->rotation = wr_quat_from_axis_angle(axis, 1.5f * noise(&seed));
            pose->offset = wr_scale(0.1f, wr_v3(noise(&seed), noise(&seed), noise(&seed)));
        }
    }
    for (int e = 0; e < E; e++) {
        b->examples[e] = (wr_example){"", b->poses[e], e == 2 ? b->correctives : NULL};
    }
    b->rig = (wr_rig){.dimension = 3,
                      .vertex_count = N,
                      .rest = b->rest,
                      .handle_count = B,
                      .handles = b->handles,
                      .weights = b->weights,
                      .example_count = E,
                      .examples = b->examples};
}

// --- skinning ---------------------------------------------------------------------------------

typedef struct skinning {
    const wr_skin *skin;
    wr_tasks tasks;
    int part; // how many vertices of the list, 0: all
} skinning;

// Seconds: the best of many short rounds, which others on the machine do not interrupt.
static double measure(body *b, const skinning *s, bool derivatives, int rounds)
{
    double best = INFINITY;
    const int *list = s->part ? b->part : NULL;
    for (int round = 0; round < rounds; round++) {
        double start = wri_seconds();
        if (derivatives) {
            wr_skin_jacobians(s->skin, b->rows, list, s->part, &s->tasks, b->J);
        } else {
            wr_skin_positions(s->skin, b->rows, list, s->part, &s->tasks, b->x);
        }
        best = fmin(best, wri_seconds() - start);
    }
    return best;
}

static void bench_skin(const bench_options *options, const wr_skin *skin, body *b, bench_rows *rows)
{
    int rounds = options->full ? 4000 : 800;
    wr_skin_info info = wr_skin_describe(skin);
    skinning s = {skin, wr_tasks_openmp(options->threads ? options->threads : 2), 0};
    char name[64];
    snprintf(name, sizeof name, "skin %d/%d/%d, %d threads", N, B, E, s.tasks.worker_count);
    double all = measure(b, &s, false, rounds);
    bench_add_row(rows, name, "vertices", "M/s", 1e-6 * N / all, 25.0);
    rows->rows[rows->count - 1].more_is_better = true;
    double one = measure(b, &(skinning){skin, {0}, 0}, false, rounds);
    bench_add_row(rows, "skin, 1 thread", "vertices", "M/s", 1e-6 * N / one, NAN);
    bench_add_row(rows, "skin", "significant handles", "mean", info.handles_mean, NAN);
    bench_add_row(rows, "skin", "handles per group of 4", "mean", info.group_mean, NAN);
    bench_add_row(rows, "skin", "memory touched", "kB", 1e-3 * (double)info.bytes_touched, NAN);
    for (int i = 0; i < N / 20; i++) {
        b->part[i] = wr_skin_order(skin)[N / 3 + i];
    }
    s = (skinning){skin, {0}, N / 20};
    double some = measure(b, &s, false, rounds);
    bench_add_row(rows, "skin, 5 % changed, 1 thread", "part of the time of all", "%",
                  100.0 * some / one, NAN);
    double slope = measure(b, &(skinning){skin, {0}, 0}, true, rounds);
    bench_add_row(rows, "jacobian, 1 thread", "time per vertex", "ns", 1e9 * slope / N, NAN);
}

// --- weights and posing -----------------------------------------------------------------------

// A box of n^3 cells, six tetrahedra each.
static wr_tet_mesh *make_cube(int n, wr_error *error)
{
    wr_tet_mesh *mesh =
        wr_tet_mesh_create((n + 1) * (n + 1) * (n + 1), 6 * n * n * n, 0, NULL, error);
    static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    const int step[3] = {1, n + 1, (n + 1) * (n + 1)};
    for (int v = 0; mesh && v < mesh->vertex_count; v++) {
        mesh->positions[v] =
            wr_v3((float)(v % (n + 1)) / (float)n, (float)(v / step[1] % (n + 1)) / (float)n,
                  (float)(v / step[2]) / (float)n);
    }
    for (int i = 0; mesh && i < mesh->tetrahedron_count; i++) {
        int c = i / 6, *v = &mesh->tetrahedra[4 * i];
        v[0] = c % n + c / n % n * step[1] + c / n / n * step[2];
        for (int k = 0; k < 3; k++) {
            v[k + 1] = v[k] + step[paths[i % 6][k]];
        }
        if (i % 6 >= 3) {
            int kept = v[2];
            v[2] = v[3];
            v[3] = kept;
        }
    }
    return mesh;
}

// Finds weights and puts their time into a row; NULL on failure. The caller frees them.
static float *bench_weights(const bench_options *options, const wr_solid *mesh,
                            const wr_handle_set *handles, const char *name, double goal,
                            double published, bench_rows *rows, wr_error *error)
{
    size_t size = (size_t)mesh->vertex_count * (size_t)handles->handle_count;
    float *weights = wri_alloc(NULL, size, sizeof *weights);
    wr_weights_desc desc = wr_weights_desc_default();
    desc.mesh = *mesh;
    desc.handles = handles;
    desc.tasks = wr_tasks_openmp(options->threads);
    wr_weights_report report;
    if (!weights || !wr_weights_find(&desc, weights, &report, error)) {
        wri_free(NULL, weights, size, sizeof *weights);
        return NULL;
    }
    bench_add_row(rows, name, "time", "s", report.seconds, goal);
    rows->rows[rows->count - 1].published = published;
    bench_add_row(rows, name, "residual", "", report.kkt_residual, NAN);
    bench_add_row(rows, name, "energy", "", report.energy, NAN);
    return weights;
}

// The published hand; left out where it is not there.
static bool bench_hand(const bench_options *options, bench_rows *rows, wr_error *error)
{
    const char *folder = getenv("WROUGHT_DATA");
    char paths[2][512];
    snprintf(paths[0], sizeof paths[0], "%s/libigl/hand.mesh", folder ? folder : "../shared/data");
    snprintf(paths[1], sizeof paths[1], "%s/libigl/hand.tgf", folder ? folder : "../shared/data");
    if (!wri_file_exists(paths[0]) || !wri_file_exists(paths[1])) {
        return true;
    }
    wr_tet_mesh *mesh = wr_tet_mesh_read(paths[0], NULL, error);
    wr_handle_graph *graph = mesh ? wr_handle_graph_read(paths[1], NULL, error) : NULL;
    wr_solid solid = mesh ? wr_solid_from_tets(mesh) : (wr_solid){0};
    wr_handle_set *set = graph ? wr_handles_from_graph(&solid, graph, 0.0f, NULL, error) : NULL;
    float *weights =
        set ? bench_weights(options, &solid, set, "weights, hand, 20 bones", 0.5, 10.0, rows, error)
            : NULL;
    bool ok = weights != NULL;
    if (ok) {
        wri_free(NULL, weights, (size_t)solid.vertex_count * (size_t)set->handle_count,
                 sizeof *weights);
    }
    wr_handle_set_destroy(set);
    wr_handle_graph_destroy(graph);
    wr_tet_mesh_destroy(mesh);
    return ok;
}

// How time grows with the vertices: the slope of the line through their logarithms.
typedef struct growth {
    int count;
    double x[4], y[4];
} growth;

static double slope(const growth *g)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < g->count; i++) {
        x += g->x[i] / g->count;
        y += g->y[i] / g->count;
    }
    for (int i = 0; i < g->count; i++) {
        xx += (g->x[i] - x) * (g->x[i] - x);
        xy += (g->x[i] - x) * (g->y[i] - y);
    }
    return xy / xx;
}

// A lattice in a capsule with 32 handles that are found.
static bool bench_lattice(const bench_options *options, const wr_mesh *surface, int vertices,
                          growth *g, bench_rows *rows, wr_error *error)
{
    wr_lattice_desc desc = wr_lattice_desc_default();
    desc.mesh = surface;
    desc.vertices = vertices;
    desc.tasks = wr_tasks_openmp(options->threads);
    wr_lattice *lattice = wr_lattice_create(&desc, error);
    if (!lattice) {
        return false;
    }
    wr_solid solid = {lattice->dimension, lattice->vertex_count, lattice->rest,
                      lattice->element_count, lattice->elements};
    wr_handle_set *set = wr_handles_place(&solid, NULL, 0, 32, NULL, error);
    char name[64];
    snprintf(name, sizeof name, "weights, capsule of %d, 32 handles", vertices);
    int first = rows->count;
    float *weights = set ? bench_weights(options, &solid, set, name,
                                         vertices == 200000 ? 120.0 : NAN, NAN, rows, error)
                         : NULL;
    bool ok = weights != NULL;
    if (ok) {
        g->x[g->count] = log((double)solid.vertex_count);
        g->y[g->count++] = log(rows->rows[first].value);
        wri_free(NULL, weights, (size_t)solid.vertex_count * 32, sizeof *weights);
    }
    wr_handle_set_destroy(set);
    wr_lattice_destroy(lattice);
    return ok;
}

static bool bench_growth(const bench_options *options, bench_rows *rows, wr_error *error)
{
    static const int sizes[] = {5000, 20000, 200000};
    wr_model *model = wr_model_create_primitive(WR_PRIMITIVE_CAPSULE, wr_v3(0.3f, 1.0f, 0.0f),
                                                (wr_color){1, 1, 1, 1}, error);
    bool ok = model != NULL;
    growth g = {0};
    for (int i = 0; ok && i < (options->full ? 3 : 2); i++) {
        ok = bench_lattice(options, &model->meshes[0], sizes[i], &g, rows, error) &&
             bench_goes_on(options, error);
    }
    if (ok) {
        bench_add_row(rows,
                      options->full ? "weights, 5 000 to 200 000" : "weights, 5 000 to 20 000",
                      "time grows with power", "", slope(&g), NAN);
        bench_add_row(rows, "weights, the largest of these", "peak memory of bench", "GB",
                      1e-9 * (double)wri_peak_memory(), 4.0);
    }
    wr_model_destroy(model);
    return ok;
}

// Every handle pinned and moved a little, ten rounds from the last shape.
static bool time_posing(const wr_rig *rig, bench_rows *rows, wr_error *error)
{
    wr_posing_desc desc = wr_posing_desc_default();
    desc.rig = rig;
    double start = wri_seconds();
    wr_posing *posing = wr_posing_create(&desc, error);
    double seconds = wri_seconds() - start;
    wr_posing_constraint constraints[32];
    wr_vec3 targets[32];
    for (int i = 0; i < rig->handle_count; i++) {
        constraints[i] = (wr_posing_constraint){i, rig->handles[i].pivot};
        targets[i] = constraints[i].rest;
    }
    bool ok = posing && wr_posing_set_constraints(posing, constraints, rig->handle_count, error);
    enum { SOLVES = 50, ROUNDS = 10 };
    start = wri_seconds();
    for (int k = 0; ok && k < SOLVES; k++) {
        targets[k % rig->handle_count].x += 0.02f;
        wr_posing_solve(posing, targets, ROUNDS);
    }
    if (ok) {
        bench_add_row(rows, "posing, 4913 vertices, 32 handles, 10 rounds", "time per solve", "ms",
                      1e3 * (wri_seconds() - start) / SOLVES, 1.0);
        bench_add_row(rows, "posing, 4913 vertices, 32 handles", "time to prepare", "s", seconds,
                      NAN);
    }
    wr_posing_destroy(posing);
    return ok;
}

static bool bench_posing(const bench_options *options, bench_rows *rows, wr_error *error)
{
    wr_tet_mesh *mesh = make_cube(16, error);
    wr_solid solid = mesh ? wr_solid_from_tets(mesh) : (wr_solid){0};
    wr_handle_set *set = mesh ? wr_handles_place(&solid, NULL, 0, 32, NULL, error) : NULL;
    float *weights = set ? bench_weights(options, &solid, set, "weights, 4913 vertices, 32 handles",
                                         NAN, NAN, rows, error)
                         : NULL;
    bool ok = weights != NULL;
    if (ok) {
        wr_rig rig = {.dimension = 3,
                      .vertex_count = solid.vertex_count,
                      .rest = mesh->positions,
                      .element_count = solid.element_count,
                      .elements = mesh->tetrahedra,
                      .handle_count = set->handle_count,
                      .handles = set->handles,
                      .weights = weights};
        ok = time_posing(&rig, rows, error);
        wri_free(NULL, weights, (size_t)solid.vertex_count * 32, sizeof *weights);
    }
    wr_handle_set_destroy(set);
    wr_tet_mesh_destroy(mesh);
    return ok;
}

bool bench_rig(const bench_options *options, bench_rows *rows, wr_error *error)
{
    bench_matrices(options, rows);
    if (!bench_goes_on(options, error)) {
        return false;
    }
    body *b = wri_alloc(NULL, 1, sizeof *b);
    if (!b) {
        return wri_fail_memory(error, sizeof *b);
    }
    make_body(b);
    wr_skin_desc desc = wr_skin_desc_default();
    double start = wri_seconds();
    wr_skin *skin = wr_skin_create(&b->rig, &desc, error);
    double seconds = wri_seconds() - start;
    if (skin) {
        bench_skin(options, skin, b, rows);
        bench_add_row(rows, "skin", "time to pack", "ms", 1e3 * seconds, NAN);
    }
    bool ok = skin != NULL;
    wr_skin_destroy(skin);
    wri_free(NULL, b, 1, sizeof *b);
    return ok && bench_goes_on(options, error) && bench_hand(options, rows, error) &&
           bench_goes_on(options, error) && bench_posing(options, rows, error) &&
           bench_goes_on(options, error) && bench_growth(options, rows, error);
}
