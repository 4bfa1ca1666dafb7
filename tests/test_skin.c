// test_skin.c: promises of rigs at run time. The reference is the formula of skin.h in double.
#include "check.h"

#include "wrought/skin.h"

#include <string.h>

enum { SIDE = 5, N = SIDE * SIDE * SIDE, CELLS = SIDE - 1, TETS = 6 * CELLS * CELLS * CELLS };
enum { B = 7, E = 5, RIDES = 300 };

typedef struct fixture {
    wr_vec3 rest[N];
    int elements[4 * TETS];
    wr_handle handles[B];
    float weights[N * B];
    wr_handle_pose poses[E][B];
    wr_vec3 correctives[E][N];
    wr_example examples[E];
    wr_ride rides[RIDES];
    wr_rig rig;
    float rows[N * E];
} fixture;

// --- a body -----------------------------------------------------------------------------------

static wr_vec3 random_vector(uint64_t *seed, float size)
{
    float x = random_float(seed, -size, size), y = random_float(seed, -size, size);
    return wr_v3(x, y, random_float(seed, -size, size));
}

// Each cell as six tetrahedra around its diagonal, one per order of the axes.
static void make_elements(fixture *f)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    static const int steps[3] = {1, SIDE, SIDE * SIDE};
    int *out = f->elements;
    for (int cell = 0; cell < CELLS * CELLS * CELLS; cell++) {
        int at =
            cell % CELLS + SIDE * (cell / CELLS % CELLS) + SIDE * SIDE * (cell / CELLS / CELLS);
        for (int o = 0; o < 6; o++, out += 4) {
            out[0] = at;
            out[1] = out[0] + steps[orders[o][0]];
            out[2] = out[1] + steps[orders[o][1]];
            out[3] = out[2] + steps[orders[o][2]];
            if (o >= 3) { // odd orders: the other hand
                int last = out[3];
                out[3] = out[2], out[2] = last;
            }
        }
    }
}

// Whole 256ths that sum to 1 exactly.
static void make_weights(fixture *f, uint64_t *seed)
{
    for (int i = 0; i < N; i++) {
        int left = 256;
        for (int b = 0; b < B; b++) {
            int part = b == B - 1 ? left : (int)(random_bits(seed) % (uint64_t)(left / 2 + 1));
            part = (i + b) % 3 == 0 && b < B - 1 ? 0 : part;
            f->weights[i * B + b] = (float)part / 256.0f;
            left -= part;
        }
    }
}

static void make_rows(fixture *f, uint64_t *seed)
{
    for (int i = 0; i < N; i++) {
        int left = 4096;
        for (int e = 0; e < E; e++) {
            int part = e == E - 1 ? left : (int)(random_bits(seed) % (uint64_t)(left / 2 + 1));
            f->rows[i * E + e] = (float)part / 4096.0f;
            left -= part;
        }
    }
}

// Up to 85 degrees from rest each way: up to 170 between examples.
static void make_poses(fixture *f, uint64_t *seed)
{
    for (int e = 0; e < E; e++) {
        f->examples[e] = (wr_example){"", f->poses[e], e == 1 || e == 3 ? f->correctives[e] : NULL};
        for (int b = 0; b < B; b++) {
            wr_handle_pose *pose = &f->poses[e][b];
            *pose = (wr_handle_pose){WR_QUAT_IDENTITY, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
            if (e > 0) {
                float side = e % 2 ? 1.0f : -1.0f;
                wr_vec3 axis = wr_add(wr_v3(0.2f, 1.0f, 0.1f), random_vector(seed, 0.1f));
                pose->offset = random_vector(seed, 0.5f);
                pose->rotation =
                    wr_quat_from_axis_angle(axis, side * random_float(seed, 1.2f, 1.4835f));
                if (random_bits(seed) % 2) { // the other name of the same rotation
                    wr_quat q = pose->rotation;
                    pose->rotation = (wr_quat){-q.x, -q.y, -q.z, -q.w};
                }
            }
        }
        for (int i = 0; i < N; i++) {
            f->correctives[e][i] = random_vector(seed, 0.1f);
        }
    }
    for (int e = 1; e < E; e++) { // one handle that never turns
        f->poses[e][2].rotation = WR_QUAT_IDENTITY;
    }
}

static void make_rides(fixture *f, uint64_t *seed)
{
    for (int i = 0; i < RIDES; i++) {
        f->rides[i].element = (int)(random_bits(seed) % TETS);
        int left = 64;
        for (int k = 0; k < 4; k++) {
            int part = k == 3 ? left : (int)(random_bits(seed) % (uint64_t)(left + 1));
            f->rides[i].weights[k] = (float)part / 64.0f;
            left -= part;
        }
    }
}

static fixture *make_fixture(uint64_t seed)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    for (int i = 0; i < N; i++) { // away from the origin
        wr_vec3 p = wr_v3((float)(i % SIDE), (float)(i / SIDE % SIDE), (float)(i / SIDE / SIDE));
        f->rest[i] = wr_add(wr_v3(2.0f, -1.0f, 0.5f), wr_scale(0.25f, p));
    }
    for (int b = 0; b < B; b++) {
        f->handles[b].pivot = wr_add(wr_v3(2.5f, -0.5f, 1.0f), random_vector(&seed, 1.0f));
        f->handles[b].parent = f->handles[b].vertex = -1;
    }
    make_elements(f);
    make_weights(f, &seed);
    make_rows(f, &seed);
    make_poses(f, &seed);
    make_rides(f, &seed);
    f->rig = (wr_rig){3,          N,          f->rest, TETS,        f->elements, B,
                      f->handles, f->weights, E,       f->examples, RIDES,       f->rides};
    return f;
}

static wr_skin *make_skin(const wr_rig *rig)
{
    wr_error error = {0};
    wr_skin_desc desc = wr_skin_desc_default();
    wr_skin *skin = wr_skin_create(rig, &desc, &error);
    if (!skin) {
        fail_msg("%s", error.message);
    }
    return skin;
}

// --- the reference ----------------------------------------------------------------------------

static void rotate(const double q[4], const double v[3], double out[3])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    out[0] =
        (1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - z * w) * v[1] + 2 * (x * z + y * w) * v[2];
    out[1] =
        2 * (x * y + z * w) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z - x * w) * v[2];
    out[2] =
        2 * (x * z - y * w) * v[0] + 2 * (y * z + x * w) * v[1] + (1 - 2 * (x * x + y * y)) * v[2];
}

static void handle_point(const wr_rig *rig, int i, int b, const double *row, double out[3])
{
    double q[4] = {0}, d[3] = {0};
    for (int e = 0; e < rig->example_count; e++) {
        const wr_handle_pose *p = &rig->examples[e].poses[b];
        double s = p->rotation.w < 0.0f ? -row[e] : row[e];
        q[0] += s * p->rotation.x, q[1] += s * p->rotation.y;
        q[2] += s * p->rotation.z, q[3] += s * p->rotation.w;
        d[0] += row[e] * p->offset.x, d[1] += row[e] * p->offset.y, d[2] += row[e] * p->offset.z;
    }
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) {
        q[k] /= n;
    }
    wr_vec3 c = rig->handles[b].pivot, u = rig->rest[i];
    double v[3] = {(double)u.x - c.x, (double)u.y - c.y, (double)u.z - c.z};
    rotate(q, v, out);
    out[0] += c.x + d[0], out[1] += c.y + d[1], out[2] += c.z + d[2];
}

static void reference(const wr_rig *rig, int i, const double *row, double x[3])
{
    x[0] = x[1] = x[2] = 0.0;
    for (int b = 0; b < rig->handle_count; b++) {
        double p[3], w = rig->weights[i * rig->handle_count + b];
        handle_point(rig, i, b, row, p);
        x[0] += w * p[0], x[1] += w * p[1], x[2] += w * p[2];
    }
    for (int e = 1; e < rig->example_count; e++) {
        const wr_vec3 *k = rig->examples[e].correctives;
        if (k) {
            x[0] += row[e] * k[i].x, x[1] += row[e] * k[i].y, x[2] += row[e] * k[i].z;
        }
    }
}

static void check_point(wr_vec3 a, const double b[3], double tolerance)
{
    CHECK_NEAR(a.x, b[0], tolerance);
    CHECK_NEAR(a.y, b[1], tolerance);
    CHECK_NEAR(a.z, b[2], tolerance);
}

static void check_vector(wr_vec3 a, wr_vec3 b, double tolerance)
{
    check_point(a, (double[3]){b.x, b.y, b.z}, tolerance);
}

// --- positions --------------------------------------------------------------------------------

static void positions_are_those_of_the_formula(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        fixture *f = make_fixture(seed);
        wr_skin *skin = make_skin(&f->rig);
        wr_vec3 x[N];
        wr_skin_positions(skin, f->rows, NULL, 0, NULL, x);
        for (int i = 0; i < N; i++) {
            double row[E], expected[3];
            for (int e = 0; e < E; e++) {
                row[e] = f->rows[i * E + e];
            }
            reference(&f->rig, i, row, expected);
            check_point(x[i], expected, 2e-6);
        }
        wr_skin_destroy(skin);
        free(f);
    }
}

static void set_rows(float *rows, int count, int examples, int example)
{
    for (int i = 0; i < count * examples; i++) {
        rows[i] = i % examples == example ? 1.0f : 0.0f;
    }
}

static void the_rest_blend_is_the_rest_shape_exactly(void **state)
{
    (void)state;
    fixture *f = make_fixture(3);
    wr_skin *skin = make_skin(&f->rig);
    wr_vec3 x[N];
    wr_mat34 maps[B];
    const float blend[E] = {1.0f};
    set_rows(f->rows, N, E, 0);
    wr_skin_positions(skin, f->rows, NULL, 0, NULL, x);
    assert_memory_equal(x, f->rest, sizeof x);
    memset(x, 0, sizeof x);
    wr_skin_blend(skin, blend, NULL, maps, x);
    assert_memory_equal(x, f->rest, sizeof x);
    assert_memory_equal(&maps[1], &WR_MAT34_IDENTITY, sizeof maps[1]);
    wr_skin_destroy(skin);
    free(f);
}

// Every handle moved by the same rigid motion about the same point.
static void make_rigid_example(fixture *f, int e, wr_pose motion)
{
    for (int b = 0; b < B; b++) {
        wr_vec3 c = f->handles[b].pivot;
        f->poses[e][b].rotation = motion.rotation;
        f->poses[e][b].offset = wr_sub(wr_pose_point(motion, c), c);
    }
    f->examples[e].correctives = NULL;
}

static void a_rigid_example_moves_the_body_rigidly(void **state)
{
    (void)state;
    fixture *f = make_fixture(4);
    wr_pose motion = {{0.3f, 2.0f, -1.0f}, wr_quat_from_axis_angle(wr_v3(1, 2, 0.5f), 2.9f)};
    make_rigid_example(f, 2, motion);
    wr_skin *skin = make_skin(&f->rig);
    wr_vec3 x[N], y[N];
    wr_mat34 maps[B];
    const float blend[E] = {0, 0, 1.0f};
    set_rows(f->rows, N, E, 2);
    wr_skin_positions(skin, f->rows, NULL, 0, NULL, x);
    wr_skin_blend(skin, blend, NULL, maps, y);
    for (int i = 0; i < N; i++) {
        check_vector(x[i], wr_pose_point(motion, f->rest[i]), 5e-6);
        check_vector(y[i], wr_pose_point(motion, f->rest[i]), 5e-6);
    }
    wr_skin_destroy(skin);
    free(f);
}

static void a_sculpted_example_appears_at_weight_one(void **state)
{
    (void)state;
    fixture *f = make_fixture(5);
    uint64_t seed = 8;
    wr_vec3 sculpt[N], x[N];
    for (int i = 0; i < N; i++) { // what the handles cannot express becomes the corrective
        double row[E] = {0, 1.0}, p[3];
        memset(&f->correctives[1][i], 0, sizeof(wr_vec3));
        reference(&f->rig, i, row, p);
        sculpt[i] = wr_add(f->rest[i], random_vector(&seed, 0.3f));
        f->correctives[1][i] = wr_sub(sculpt[i], wr_v3((float)p[0], (float)p[1], (float)p[2]));
    }
    wr_skin *skin = make_skin(&f->rig);
    set_rows(f->rows, N, E, 1);
    wr_skin_positions(skin, f->rows, NULL, 0, NULL, x);
    for (int i = 0; i < N; i++) {
        check_vector(x[i], sculpt[i], 5e-6); // the body is 1.7 m across
    }
    wr_skin_destroy(skin);
    free(f);
}

// --- derivatives ------------------------------------------------------------------------------

static void the_jacobian_agrees_with_central_differences(void **state)
{
    (void)state;
    double worst = 0.0;
    static float J[N * 3 * E];
    for (uint64_t seed = 1; seed < 20; seed++) {
        fixture *f = make_fixture(seed);
        wr_skin *skin = make_skin(&f->rig);
        wr_skin_jacobians(skin, f->rows, NULL, 0, NULL, J);
        for (int i = 0; i < N; i++) {
            double row[E], error = 0.0, size = 0.0;
            for (int e = 0; e < E; e++) {
                row[e] = f->rows[i * E + e];
            }
            for (int e = 0; e < E; e++) {
                const double h = 1e-5, at = row[e];
                double a[3], b[3];
                row[e] = at - h, reference(&f->rig, i, row, a);
                row[e] = at + h, reference(&f->rig, i, row, b);
                row[e] = at;
                for (int r = 0; r < 3; r++) {
                    double slope = (b[r] - a[r]) / (2.0 * h);
                    error = fmax(error, fabs(J[(i * 3 + r) * E + e] - slope));
                    size = fmax(size, fabs(slope));
                }
            }
            worst = fmax(worst, error / size);
        }
        wr_skin_destroy(skin);
        free(f);
    }
    print_message("worst relative difference %.2g\n", worst);
    assert_true(worst <= 1e-6);
}

// Scaling a row turns nothing, so J E is what the translations and correctives do.
static void the_jacobian_along_its_row_is_the_translation(void **state)
{
    (void)state;
    fixture *f = make_fixture(6);
    wr_skin *skin = make_skin(&f->rig);
    static float J[N * 3 * E];
    wr_skin_jacobians(skin, f->rows, NULL, 0, NULL, J);
    for (int i = 0; i < N; i++) {
        double sum[3] = {0}, along[3] = {0};
        for (int e = 0; e < E; e++) {
            double s = f->rows[i * E + e];
            for (int b = 0; b < B; b++) {
                wr_vec3 d = f->poses[e][b].offset;
                double w = s * f->weights[i * B + b];
                sum[0] += w * d.x, sum[1] += w * d.y, sum[2] += w * d.z;
            }
            if (f->examples[e].correctives) {
                wr_vec3 k = f->correctives[e][i];
                sum[0] += s * k.x, sum[1] += s * k.y, sum[2] += s * k.z;
            }
            for (int r = 0; r < 3; r++) {
                along[r] += s * J[(i * 3 + r) * E + e];
            }
        }
        for (int r = 0; r < 3; r++) {
            CHECK_NEAR(along[r], sum[r], 2e-6);
        }
    }
    wr_skin_destroy(skin);
    free(f);
}

// --- parts and workers ------------------------------------------------------------------------

static void skinning_what_changed_is_skinning_all(void **state)
{
    (void)state;
    fixture *f = make_fixture(7), *g = make_fixture(8);
    wr_skin *skin = make_skin(&f->rig);
    wr_vec3 x[N], all[N];
    static float J[N * 3 * E], part[N * 3 * E];
    wr_skin_positions(skin, f->rows, NULL, 0, NULL, x);
    int list[N], count = 0;
    for (int k = 0; k < N; k++) {
        int i = k % 2 ? wr_skin_order(skin)[k] : N - 1 - k;
        if (i % 3 == 0 || k % 2) {
            bool known = false;
            for (int j = 0; j < count; j++) {
                known |= list[j] == i;
            }
            if (!known) {
                list[count++] = i;
                memcpy(&f->rows[i * E], &g->rows[i * E], E * sizeof(float));
            }
        }
    }
    assert_true(count > 20 && count < N);
    wr_skin_positions(skin, f->rows, list, count, NULL, x);
    wr_skin_positions(skin, f->rows, NULL, 0, NULL, all);
    assert_memory_equal(x, all, sizeof x);
    wr_skin_jacobians(skin, f->rows, NULL, 0, NULL, J);
    wr_skin_jacobians(skin, f->rows, list, count, NULL, part);
    for (int k = 0; k < count; k++) {
        assert_memory_equal(&part[3 * E * k], &J[3 * E * list[k]], 3 * E * sizeof(float));
    }
    wr_skin_destroy(skin);
    free(f);
    free(g);
}

static void a_list_touches_nothing_else(void **state)
{
    (void)state;
    fixture *f = make_fixture(7);
    wr_skin *skin = make_skin(&f->rig);
    wr_vec3 x[N], before[N];
    memset(x, 0x55, sizeof x);
    memcpy(before, x, sizeof x);
    wr_skin_positions(skin, f->rows, (int[]){17}, 1, NULL, x);
    assert_memory_not_equal(&x[17], &before[17], sizeof x[17]);
    x[17] = before[17];
    assert_memory_equal(x, before, sizeof x);
    wr_skin_positions(skin, f->rows, (int[]){17}, 0, NULL, x);
    assert_memory_equal(x, before, sizeof x);
    wr_skin_destroy(skin);
    free(f);
}

// Large enough for several blocks: copies of the fixture beside each other.
enum { COPIES = 8, MANY = COPIES * N };

static void any_number_of_workers_gives_the_same_bits(void **state)
{
    (void)state;
    fixture *f = make_fixture(9);
    static wr_vec3 rest[MANY], x[2][MANY];
    static float weights[MANY * B], rows[MANY * E], J[2][MANY * 3 * E];
    static wr_mat3 F[2][MANY];
    for (int c = 0; c < COPIES; c++) {
        memcpy(&rest[c * N], f->rest, sizeof f->rest);
        memcpy(&weights[c * N * B], f->weights, sizeof f->weights);
        memcpy(&rows[c * N * E], f->rows, sizeof f->rows);
    }
    wr_rig rig = f->rig;
    rig.vertex_count = MANY;
    rig.rest = rest;
    rig.weights = weights;
    for (int e = 0; e < E; e++) {
        f->examples[e].correctives = NULL;
    }
    wr_skin *skin = make_skin(&rig);
    for (int workers = 1; workers <= 4; workers++) {
        wr_tasks tasks = wr_tasks_openmp(workers);
        int k = workers > 1;
        wri_test_block_shuffle = workers - 1;
        wr_skin_positions(skin, rows, NULL, 0, &tasks, x[k]);
        wr_skin_jacobians(skin, rows, NULL, 0, &tasks, J[k]);
        wr_skin_gradients(skin, x[k], NULL, 0, &tasks, F[k]);
        assert_true(k == 0 || memcmp(x[0], x[1], sizeof x[0]) == 0);
        assert_true(k == 0 || memcmp(J[0], J[1], sizeof J[0]) == 0);
        assert_true(k == 0 || memcmp(F[0], F[1], sizeof F[0]) == 0);
    }
    wri_test_block_shuffle = 0;
    wr_skin_destroy(skin);
    free(f);
}

// --- small weights ----------------------------------------------------------------------------

static void small_weights_are_dropped_and_counted(void **state)
{
    (void)state;
    fixture *f = make_fixture(10);
    for (int i = 0; i < N; i++) {
        float *w = &f->weights[i * B];
        memset(w, 0, B * sizeof *w);
        w[0] = 0.75f, w[1] = 0.2493f, w[3] = 0.0007f;
    }
    wr_skin *skin = make_skin(&f->rig);
    wr_skin_info info = wr_skin_describe(skin);
    CHECK_NEAR(info.handles_mean, 2.0, 1e-9);
    CHECK_NEAR(info.turning_mean, 2.0, 1e-9);
    CHECK_NEAR(info.dropped_max, 0.0007, 1e-7);
    assert_int_equal(info.handles_max, 2);
    assert_int_equal(info.turning_count, B - 1); // handle 2 never turns
    assert_int_equal(info.ride_count, RIDES);
    assert_true(info.bytes_touched > N * (12 + 12 + 4 * E));
    wr_skin_destroy(skin);
    free(f);
}

static void examples_stay_exact_though_weights_are_dropped(void **state)
{
    (void)state;
    fixture *f = make_fixture(10);
    for (int i = 0; i < N; i++) {
        float *w = &f->weights[i * B];
        memset(w, 0, B * sizeof *w);
        w[0] = 0.75f, w[1] = 0.2493f, w[3] = 0.0007f;
    }
    wr_skin *skin = make_skin(&f->rig);
    wr_vec3 x[N];
    for (int e = 0; e <= E; e++) { // at last a blend
        double row[E], expected[3];
        for (int k = 0; k < E; k++) {
            row[k] = e < E ? e == k : 1.0 / E;
        }
        for (int k = 0; k < N * E; k++) {
            f->rows[k] = (float)row[k % E];
        }
        wr_skin_positions(skin, f->rows, NULL, 0, NULL, x);
        for (int i = 0; i < N; i++) {
            reference(&f->rig, i, row, expected);
            check_point(x[i], expected, e < E ? 2e-6 : 2e-3);
        }
    }
    wr_skin_destroy(skin);
    free(f);
}

// All handles turn alike about one point: whatever is dropped, what stays must sum to 1.
static void kept_weights_sum_to_one(void **state)
{
    (void)state;
    fixture *f = make_fixture(22);
    wr_quat q = wr_quat_from_axis_angle(wr_v3(1, 1, 0), 2.0f);
    wr_vec3 c = f->handles[0].pivot, x[N];
    for (int k = 0; k < E * B; k++) {
        f->handles[k % B].pivot = c;
        f->poses[k / B][k % B].offset = wr_v3(0, 0, 0);
        f->poses[k / B][k % B].rotation = k / B == 1 ? q : WR_QUAT_IDENTITY;
        f->examples[k / B].correctives = NULL;
    }
    wr_error error;
    wr_skin_desc desc = wr_skin_desc_default();
    desc.least_weight = 0.3f;
    wr_skin *skin = wr_skin_create(&f->rig, &desc, &error);
    assert_non_null(skin);
    assert_true(wr_skin_describe(skin).dropped_max > 0.25f);
    for (int k = 0; k < N * E; k++) {
        f->rows[k] = k % E < 2 ? 0.5f : 0.0f;
    }
    wr_skin_positions(skin, f->rows, NULL, 0, NULL, x);
    wr_quat half = wr_quat_nlerp(WR_QUAT_IDENTITY, q, 0.5f);
    for (int i = 0; i < N; i++) {
        check_vector(x[i], wr_add(c, wr_rotate(half, wr_sub(f->rest[i], c))), 2e-6);
    }
    wr_skin_destroy(skin);
    free(f);
}

static void handles_that_never_turn_cost_nothing(void **state)
{
    (void)state;
    fixture *f = make_fixture(11);
    for (int e = 0; e < E; e++) {
        for (int b = 0; b < B; b++) {
            f->poses[e][b].rotation = WR_QUAT_IDENTITY;
        }
    }
    wr_skin *skin = make_skin(&f->rig);
    wr_skin_info info = wr_skin_describe(skin);
    assert_int_equal(info.turning_count, 0);
    assert_true(info.group_mean == 0.0);
    wr_vec3 x[N];
    wr_skin_positions(skin, f->rows, NULL, 0, NULL, x);
    for (int i = 0; i < N; i++) {
        double row[E], expected[3];
        for (int e = 0; e < E; e++) {
            row[e] = f->rows[i * E + e];
        }
        reference(&f->rig, i, row, expected);
        check_point(x[i], expected, 2e-6);
    }
    wr_skin_destroy(skin);
    free(f);
}

// --- little bodies ----------------------------------------------------------------------------

static void the_smallest_rigs_work(void **state)
{
    (void)state;
    fixture *f = make_fixture(12);
    for (int n = 1; n <= 9; n++) {
        for (int handles = 0; handles <= 1; handles++) {
            for (int examples = 1; examples <= 2; examples++) {
                wr_rig rig = f->rig;
                float weights[9] = {1, 1, 0, 1, 1, 0, 1, 0, 1}; // some have none
                rig.vertex_count = n, rig.handle_count = handles, rig.example_count = examples;
                rig.element_count = rig.ride_count = 0;
                rig.weights = weights;
                f->examples[1].correctives = NULL;
                wr_skin *skin = make_skin(&rig);
                float rows[18];
                wr_vec3 x[10], guard = wr_v3(7, 7, 7);
                x[n] = guard;
                set_rows(rows, n, examples, examples - 1);
                wr_skin_positions(skin, rows, NULL, 0, NULL, x);
                assert_memory_equal(&x[n], &guard, sizeof guard);
                for (int i = 0; i < n; i++) {
                    double row[2] = {examples == 1, 1.0}, p[3];
                    reference(&rig, i, row, p);
                    bool moves = handles == 1 && weights[i] > 0.0f;
                    wr_vec3 u = rig.rest[i];
                    check_point(x[i], moves ? p : (double[3]){u.x, u.y, u.z}, 2e-6);
                }
                wr_skin_destroy(skin);
            }
        }
    }
    free(f);
}

static void half_turns_that_cancel_do_not_turn(void **state)
{
    (void)state;
    wr_vec3 rest = {1, 2, 3}, x;
    wr_handle handle = {.parent = -1, .vertex = -1};
    wr_handle_pose poses[3] = {{{0, 0, 0, 1}, {0}, {1, 1, 1}},
                               {{0, 0, 1, 0}, {0}, {1, 1, 1}},
                               {{0, 0, -1, 0}, {0}, {1, 1, 1}}};
    wr_example examples[3] = {{"", &poses[0], NULL}, {"", &poses[1], NULL}, {"", &poses[2], NULL}};
    float weight = 1.0f, J[9];
    wr_rig rig = {.dimension = 3,
                  .vertex_count = 1,
                  .rest = &rest,
                  .handle_count = 1,
                  .handles = &handle,
                  .weights = &weight,
                  .example_count = 3,
                  .examples = examples};
    wr_skin *skin = make_skin(&rig);
    wr_skin_positions(skin, (float[3]){0.0f, 0.5f, 0.5f}, NULL, 0, NULL, &x);
    check_vector(x, rest, 0.0);
    wr_skin_jacobians(skin, (float[3]){0.0f, 0.5f, 0.5f}, NULL, 0, NULL, J);
    for (int i = 0; i < 9; i++) {
        assert_true(isfinite(J[i]));
    }
    wr_skin_positions(skin, (float[3]){0.0f, 1.0f, 0.0f}, NULL, 0, NULL, &x);
    check_vector(x, wr_v3(-1, -2, 3), 1e-6);
    wr_skin_destroy(skin);
}

// --- one blend for all ------------------------------------------------------------------------

static void a_blend_of_two_turns_evenly(void **state)
{
    (void)state;
    fixture *f = make_fixture(13);
    wr_skin *skin = make_skin(&f->rig);
    wr_mat34 maps[B];
    for (int t = 0; t <= 8; t++) {
        float s = (float)t / 8.0f;
        const float blend[E] = {0, 1.0f - s, s};
        wr_skin_blend(skin, blend, NULL, maps, NULL);
        for (int b = 0; b < B; b++) {
            wr_quat p = f->poses[1][b].rotation, q = f->poses[2][b].rotation;
            p = p.w < 0.0f ? (wr_quat){-p.x, -p.y, -p.z, -p.w} : p;
            q = q.w < 0.0f ? (wr_quat){-q.x, -q.y, -q.z, -q.w} : q;
            wr_mat3 r = wr_mat3_from_quat(wr_quat_slerp(p, q, s));
            for (int k = 0; k < 9; k++) {
                CHECK_NEAR(maps[b].m[k / 3][k % 3], r.m[k / 3][k % 3], 2e-6);
            }
            wr_vec3 c = f->handles[b].pivot;
            wr_vec3 d = wr_lerp3(f->poses[1][b].offset, f->poses[2][b].offset, s);
            check_vector(wr_mat34_apply(maps[b], c), wr_add(c, d), 3e-6);
        }
    }
    wr_skin_destroy(skin);
    free(f);
}

// In the plane the spherical mean is the mean angle.
static void a_blend_in_the_plane_averages_angles_and_stretch(void **state)
{
    (void)state;
    wr_vec3 rest[2] = {{1, 0, 0}, {0, 2, 0}}, x[2];
    wr_handle handle = {.pivot = {0, 1, 0}, .parent = -1, .vertex = -1};
    const float angles[3] = {0.0f, 2.6f, -1.0f}, blend[3] = {0.2f, 0.5f, 0.3f};
    wr_handle_pose poses[3];
    wr_example examples[3];
    for (int e = 0; e < 3; e++) {
        poses[e] = (wr_handle_pose){wr_quat_from_axis_angle(wr_v3(0, 0, 1), angles[e]),
                                    {0.5f * (float)e, 0, 0},
                                    {1.0f + (float)e, 1.0f, 1.0f, 0.25f * (float)e, 0, 0}};
        examples[e] = (wr_example){"", &poses[e], NULL};
    }
    float weights[2] = {1, 1};
    wr_rig rig = {.dimension = 2,
                  .vertex_count = 2,
                  .rest = rest,
                  .handle_count = 1,
                  .handles = &handle,
                  .weights = weights,
                  .example_count = 3,
                  .examples = examples};
    wr_skin *skin = make_skin(&rig);
    wr_mat34 map;
    wr_skin_blend(skin, blend, NULL, &map, x);
    double angle = 0.5 * 2.6 - 0.3, c = cos(angle), s = sin(angle), d = 0.5 * (0.5 + 0.6);
    double xx = 1.0 + 0.5 + 0.6, xy = 0.25 * (0.5 + 0.6);
    for (int i = 0; i < 2; i++) {
        double vx = rest[i].x, vy = rest[i].y - 1.0;
        double sx = xx * vx + xy * vy, sy = xy * vx + vy;
        double expected[3] = {c * sx - s * sy + d, s * sx + c * sy + 1.0, 0.0};
        check_point(x[i], expected, 2e-6);
        check_vector(wr_mat34_apply(map, rest[i]), x[i], 2e-6);
    }
    wr_skin_destroy(skin);
}

static void a_pose_out_of_a_map_is_that_map(void **state)
{
    (void)state;
    uint64_t seed = 14;
    for (int i = 0; i < 1000; i++) {
        wr_mat34 map;
        for (int k = 0; k < 12; k++) {
            map.m[k / 4][k % 4] = random_float(&seed, -2.0f, 2.0f);
        }
        wr_vec3 c = random_vector(&seed, 1.0f), v = random_vector(&seed, 1.0f);
        wr_handle_pose pose = wr_handle_pose_from_affine(map, c);
        const float *s = pose.stretch;
        wr_mat3 stretch = {{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
        wr_vec3 p = wr_rotate(pose.rotation, wr_mat3_apply(stretch, wr_sub(v, c)));
        check_vector(wr_add(p, wr_add(c, pose.offset)), wr_mat34_apply(map, v), 2e-5);
    }
}

// --- the render mesh --------------------------------------------------------------------------

static void details_come_with_their_example(void **state)
{
    (void)state;
    fixture *f = make_fixture(21);
    uint64_t seed = 22;
    wr_vec3 details[RIDES], plain[RIDES], full[RIDES], half[RIDES], x[N];

    for (int i = 0; i < RIDES; i++) {
        details[i] = random_vector(&seed, 0.1f);
    }
    f->rig.examples[2].details = details;
    wr_skin *skin = make_skin(&f->rig);
    memcpy(x, f->rest, sizeof x);
    for (int i = 0; i < N; i++) {
        for (int e = 0; e < E; e++) {
            f->rows[i * E + e] = e == 2;
        }
    }
    wr_skin_ride_positions(skin, NULL, x, NULL, 0, NULL, plain);
    wr_skin_ride_positions(skin, f->rows, x, NULL, 0, NULL, full);
    for (int i = 0; i < N; i++) {
        f->rows[i * E] = f->rows[i * E + 2] = 0.5f;
    }
    wr_skin_ride_positions(skin, f->rows, x, NULL, 0, NULL, half);
    for (int i = 0; i < RIDES; i++) {
        check_vector(wr_sub(full[i], plain[i]), details[i], 2e-6);
        check_vector(wr_sub(half[i], plain[i]), wr_scale(0.5f, details[i]), 2e-6);
    }
    wr_skin_destroy(skin);
    free(f);
}

static void riders_and_normals_follow_an_affine_map(void **state)
{
    (void)state;
    fixture *f = make_fixture(15);
    wr_skin *skin = make_skin(&f->rig);
    uint64_t seed = 16;
    wr_vec3 x[N], normals[RIDES], at_rest[RIDES], y[RIDES], rest_normals[RIDES];
    wr_mat3 F[N], a = {{{1.2f, 0.7f, 0}, {-0.3f, 0.9f, 0.4f}, {0.1f, -0.2f, 1.5f}}};
    for (int i = 0; i < N; i++) {
        x[i] = wr_add(wr_mat3_apply(a, f->rest[i]), wr_v3(1, 2, 3));
    }
    wr_skin_gradients(skin, x, NULL, 0, NULL, F);
    for (int k = 0; k < 9 * N; k++) {
        CHECK_NEAR(F[k / 9].m[k / 3 % 3][k % 3], a.m[k / 3 % 3][k % 3], 1e-5);
    }
    for (int i = 0; i < RIDES; i++) {
        rest_normals[i] = wr_normalize(random_vector(&seed, 1.0f));
    }
    wr_skin_ride_positions(skin, NULL, f->rest, NULL, 0, NULL, at_rest);
    wr_skin_ride_positions(skin, NULL, x, NULL, 0, NULL, y);
    wr_skin_ride_normals(skin, F, rest_normals, NULL, 0, NULL, normals);
    for (int i = 0; i < RIDES; i++) {
        check_vector(y[i], wr_add(wr_mat3_apply(a, at_rest[i]), wr_v3(1, 2, 3)), 5e-6);
        CHECK_NEAR(wr_length(normals[i]), 1.0, 1e-6);
        wr_vec3 t = wr_cross(rest_normals[i], wr_v3(0.3f, -0.4f, 0.8f)); // tangents stay tangents
        CHECK_NEAR(wr_dot(normals[i], wr_mat3_apply(a, t)), 0.0, 2e-5);
        assert_true(wr_dot(normals[i], wr_mat3_apply(a, rest_normals[i])) > 0.0f);
    }
    wr_skin_destroy(skin);
    free(f);
}

static void at_rest_gradients_are_the_identity_exactly(void **state)
{
    (void)state;
    fixture *f = make_fixture(17);
    wr_skin *skin = make_skin(&f->rig);
    wr_mat3 F[N], one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    wr_skin_gradients(skin, f->rest, NULL, 0, NULL, F);
    for (int i = 0; i < N; i++) {
        assert_memory_equal(&F[i], &one, sizeof one);
    }
    wr_skin_destroy(skin);
    free(f);
}

typedef struct drawing {
    wr_vec3 x[N], y[RIDES], normals[RIDES];
    wr_mat3 F[N];
} drawing;

static void drawing_what_changed_is_drawing_all(void **state)
{
    (void)state;
    fixture *f = make_fixture(18), *g = make_fixture(19);
    wr_skin *skin = make_skin(&f->rig);
    static drawing all, part;
    wr_vec3 up[RIDES];
    for (int i = 0; i < RIDES; i++) {
        up[i] = wr_v3(0, 1, 0);
    }
    drawing *d = &part;
    for (int pass = 0; pass < 2; pass++, d = &all) {
        wr_skin_positions(skin, f->rows, NULL, 0, NULL, d->x);
        wr_skin_gradients(skin, d->x, NULL, 0, NULL, d->F);
        wr_skin_ride_positions(skin, NULL, d->x, NULL, 0, NULL, d->y);
        wr_skin_ride_normals(skin, d->F, up, NULL, 0, NULL, d->normals);
        int list[] = {3, 60, 124};
        for (int k = 0; pass == 0 && k < 3; k++) {
            memcpy(&f->rows[list[k] * E], &g->rows[list[k] * E], E * sizeof(float));
        }
        if (pass == 0) {
            uint8_t marks[RIDES] = {0};
            int around[N], rides[RIDES];
            wr_skin_positions(skin, f->rows, list, 3, NULL, d->x);
            int count = wr_skin_find_around(skin, list, 3, marks, around);
            assert_true(count > 10 && count < 60 && is_zeroed(marks, sizeof marks));
            wr_skin_gradients(skin, d->x, around, count, NULL, d->F);
            int ride_count = wr_skin_find_rides(skin, around, count, marks, rides);
            assert_true(ride_count > 10 && ride_count < RIDES && is_zeroed(marks, sizeof marks));
            wr_skin_ride_positions(skin, NULL, d->x, rides, ride_count, NULL, d->y);
            wr_skin_ride_normals(skin, d->F, up, rides, ride_count, NULL, d->normals);
        }
    }
    assert_memory_equal(&all, &part, sizeof all);
    wr_skin_destroy(skin);
    free(f);
    free(g);
}

static void a_flat_body_carries_its_drawing_too(void **state)
{
    (void)state;
    wr_vec3 rest[4] = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {2, 1, 0}}, x[4], y, n, up = {0, 0, 1};
    int triangles[6] = {0, 1, 2, 1, 3, 2};
    wr_handle_pose pose[1] = {{{0, 0, 0, 1}, {0}, {1, 1, 1}}};
    wr_example example = {"", pose, NULL};
    wr_ride ride = {1, {0.5f, 0.25f, 0.25f, 0.125f}}; // the fourth is its height
    wr_rig rig = {.dimension = 2,
                  .vertex_count = 4,
                  .rest = rest,
                  .element_count = 2,
                  .elements = triangles,
                  .example_count = 1,
                  .examples = &example,
                  .ride_count = 1,
                  .rides = &ride};
    wr_skin *skin = make_skin(&rig);
    for (int i = 0; i < 4; i++) {
        x[i] = wr_v3(3.0f * rest[i].x - rest[i].y, 0.5f * rest[i].x + rest[i].y, 0.0f);
    }
    wr_mat3 F[4];
    wr_skin_gradients(skin, x, NULL, 0, NULL, F);
    for (int i = 0; i < 4; i++) {
        const float expected[9] = {3, -1, 0, 0.5f, 1, 0, 0, 0, 1};
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(F[i].m[k / 3][k % 3], expected[k], 1e-6);
        }
    }
    wr_skin_ride_positions(skin, NULL, x, NULL, 0, NULL, &y);
    check_vector(y,
                 wr_v3(0.5f * x[1].x + 0.25f * (x[3].x + x[2].x),
                       0.5f * x[1].y + 0.25f * (x[3].y + x[2].y), 0.125f),
                 1e-6);
    wr_skin_ride_normals(skin, F, &up, NULL, 0, NULL, &n);
    check_vector(n, up, 1e-6);
    wr_skin_destroy(skin);
}

// --- failing ----------------------------------------------------------------------------------

static void expect_refused(fixture *f, const char *text)
{
    wr_error error = {0};
    wr_skin_desc desc = wr_skin_desc_default();
    assert_null(wr_skin_create(&f->rig, &desc, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    if (!strstr(error.message, text)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, text);
    }
    free(f);
}

static void bad_rigs_are_refused_with_a_sentence(void **state)
{
    (void)state;
    fixture *f = make_fixture(20);
    f->rest[5].y = NAN, expect_refused(f, "rest[5]: not finite");
    f = make_fixture(20);
    f->weights[3 * B + 2] = INFINITY, expect_refused(f, "vertex 3 has inf for handle 2");
    f = make_fixture(20);
    f->poses[2][4].rotation.w = 7.0f, expect_refused(f, "examples[2]: handle 4");
    f = make_fixture(20);
    f->poses[0][1].offset.x = 0.1f, expect_refused(f, "examples[0]: must be the rest shape");
    f = make_fixture(20);
    f->examples[0].correctives = f->correctives[0], expect_refused(f, "has correctives");
    f = make_fixture(20);
    f->correctives[1][9].z = NAN, expect_refused(f, "corrective of vertex 9");
    f = make_fixture(20);
    f->elements[9] = N, expect_refused(f, "elements[2]: vertex 125 of 125");
    f = make_fixture(20);
    f->rides[2].element = TETS, expect_refused(f, "rides[2]: element 384 of 384");
    f = make_fixture(20);
    f->rig.example_count = 0, expect_refused(f, "example_count: 0");
    f = make_fixture(20);
    f->rig.dimension = 4, expect_refused(f, "dimension: 4");
    f = make_fixture(20);
    f->handles[1].pivot.x = NAN, expect_refused(f, "handles[1]: pivot");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    fixture *f = make_fixture(21);
    wr_skin *skin = NULL;
    int budget = 0;
    for (; !skin && budget < 100; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_skin_desc desc = wr_skin_desc_default();
        desc.allocator = &allocator;
        wr_error error = {0};
        skin = wr_skin_create(&f->rig, &desc, &error);
        assert_true(skin || error.code == WR_E_MEMORY);
        if (skin) { // nothing but create takes memory
            wr_vec3 x[N];
            int calls = heap.calls;
            wr_skin_positions(skin, f->rows, NULL, 0, NULL, x);
            assert_int_equal(heap.calls, calls);
        }
        wr_skin_destroy(skin);
        assert_int_equal(heap.alive, 0);
    }
    assert_true(budget > 3 && skin);
    free(f);
    wr_skin_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_those_of_the_formula),
        cmocka_unit_test(the_rest_blend_is_the_rest_shape_exactly),
        cmocka_unit_test(a_rigid_example_moves_the_body_rigidly),
        cmocka_unit_test(a_sculpted_example_appears_at_weight_one),
        cmocka_unit_test(the_jacobian_agrees_with_central_differences),
        cmocka_unit_test(the_jacobian_along_its_row_is_the_translation),
        cmocka_unit_test(skinning_what_changed_is_skinning_all),
        cmocka_unit_test(a_list_touches_nothing_else),
        cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
        cmocka_unit_test(small_weights_are_dropped_and_counted),
        cmocka_unit_test(examples_stay_exact_though_weights_are_dropped),
        cmocka_unit_test(kept_weights_sum_to_one),
        cmocka_unit_test(handles_that_never_turn_cost_nothing),
        cmocka_unit_test(the_smallest_rigs_work),
        cmocka_unit_test(half_turns_that_cancel_do_not_turn),
        cmocka_unit_test(a_blend_of_two_turns_evenly),
        cmocka_unit_test(a_blend_in_the_plane_averages_angles_and_stretch),
        cmocka_unit_test(a_pose_out_of_a_map_is_that_map),
        cmocka_unit_test(details_come_with_their_example),
        cmocka_unit_test(riders_and_normals_follow_an_affine_map),
        cmocka_unit_test(at_rest_gradients_are_the_identity_exactly),
        cmocka_unit_test(drawing_what_changed_is_drawing_all),
        cmocka_unit_test(a_flat_body_carries_its_drawing_too),
        cmocka_unit_test(bad_rigs_are_refused_with_a_sentence),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
