// rig.c: decompositions of 3x3 matrices, and skinning of a body with examples.
#include "bench.h"

#include "../src/base/base.h"
#include "../src/base/os.h"
#include "../src/math/decompose.h"

#include <math.h>
#include <stdio.h>

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
    return ok;
}
