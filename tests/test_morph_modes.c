// test_morph_modes.c: modes of vibration against beams, reduced bases.
#include "check.h"

#include "../src/author/morph_modes.h"
#include "morph_arm.h"

// A bar whose nodes at x = 0 are held, and what may move as it likes otherwise.
typedef struct bar {
    arm a;
    wri_morph_builder b;
    double *mass;
} bar;

static void bar_create(bar *b, const arm_desc *desc)
{
    arm_describe(&b->a, desc);
    arm_finish(&b->a);
    wr_morph_data *d = b->a.data;
    b->b = (wri_morph_builder){.desc = &b->a.build, .data = d, .arena = wri_arena_create(NULL)};
    b->b.free_of = wri_arena_alloc(&b->b.arena, (size_t)d->node_count, sizeof(int));
    b->mass = wri_arena_alloc(&b->b.arena, 3 * (size_t)d->node_count, sizeof(double));
    for (int node = 0; node < d->node_count; node++) {
        bool is_held = d->nodes[node].x == 0.0f;
        b->b.free_of[node] = is_held ? -1 : b->b.free_count++;
        for (int k = 0; !is_held && k < 3; k++) {
            b->mass[3 * (b->b.free_count - 1) + k] = (double)d->masses[node];
        }
    }
}

static void bar_destroy(bar *b)
{
    wri_arena_destroy(&b->b.arena);
    arm_destroy(&b->a);
}

static void bar_modes(bar *b, int count, double *lambda, double *vectors)
{
    wri_sparse K;
    wr_error error = {0};
    assert_true(wri_morph_stiffness(&b->b, 0, &b->b.arena, &K, &error));
    const wri_modes_desc desc = {&K, b->mass, count, NULL};
    if (!wri_modes_find(&desc, lambda, vectors, &error)) {
        fail_msg("%s", error.message);
    }
}

static arm_desc slender(int along, int across, float poisson)
{
    arm_desc desc = arm_default();
    desc.cells[0] = along, desc.cells[1] = desc.cells[2] = across;
    desc.size[0] = 2.0f, desc.size[1] = desc.size[2] = 0.2f;
    desc.target_count = 1;
    desc.mode_count = 0;
    desc.poisson = poisson;
    return desc;
}

// How much of a mode's motion is along x, and how much turns about the bar's axis.
static double share_along(const bar *b, const double *x)
{
    double along = 0.0, all = 0.0;
    for (int i = 0; i < 3 * b->b.free_count; i++) {
        all += b->mass[i] * x[i] * x[i];
        along += i % 3 == 0 ? b->mass[i] * x[i] * x[i] : 0.0;
    }
    return along / all;
}

static double share_turning(const bar *b, const double *x)
{
    double turning = 0.0, square = 0.0, all = 0.0;
    for (int node = 0; node < b->a.node_count; node++) {
        int at = b->b.free_of[node];
        if (at >= 0) { // sections turn by angles in proportion to sin(pi x / 2 L)
            double y = (double)b->a.nodes[node].y - 0.1, z = (double)b->a.nodes[node].z - 0.1;
            double s = sin(0.5 * 3.14159265358979 * (double)b->a.nodes[node].x / 2.0);
            const double t[3] = {0.0, -s * z, s * y};
            for (int k = 0; k < 3; k++) {
                turning += b->mass[3 * at + k] * t[k] * x[3 * at + k];
                square += b->mass[3 * at + k] * t[k] * t[k];
                all += b->mass[3 * at + k] * x[3 * at + k] * x[3 * at + k];
            }
        }
    }
    return turning * turning / (square * all);
}

// rad/s: the first mode that looks like it.
static double find_frequency(bar *b, double share(const bar *, const double *))
{
    enum { COUNT = 12 };
    size_t size = 3 * (size_t)b->b.free_count;
    double lambda[COUNT], *x = arm_room(COUNT * size, sizeof *x), found = NAN;
    bar_modes(b, COUNT, lambda, x);
    for (int i = COUNT - 1; i >= 0; i--) {
        found = share(b, x + (size_t)i * size) > 0.9 ? sqrt(lambda[i]) : found;
    }
    free(x);
    return found;
}

static const double PI = 3.14159265358979, LENGTH = 2.0, WIDTH = 0.2, DENSITY = 1000.0, YOUNG = 2e4;

static void an_axial_mode_is_that_of_a_bar(void **state)
{
    (void)state;
    arm_desc desc = slender(24, 2, 0.0f);
    bar b;
    bar_create(&b, &desc);
    double wanted = 0.5 * PI / LENGTH * sqrt(YOUNG / DENSITY);
    CHECK_NEAR(find_frequency(&b, share_along), wanted, 0.02 * wanted);
    bar_destroy(&b);
}

// A square section turns with the constant 0.1406 w^4 against its polar moment w^4 / 6.
static void a_torsional_mode_is_that_of_a_shaft(void **state)
{
    (void)state;
    double wanted = 0.5 * PI / LENGTH * sqrt(0.1406 * 6.0 * 0.5 * YOUNG / 1.3 / DENSITY), found[2];
    for (int i = 0; i < 2; i++) {
        arm_desc desc = slender(40 + 20 * i, 4 + 2 * i, 0.3f);
        bar b;
        bar_create(&b, &desc);
        found[i] = find_frequency(&b, share_turning);
        bar_destroy(&b);
    }
    // Of second order in the cells, which here are small along the bar: long ones lock.
    double limit = found[1] - 0.8 * (found[0] - found[1]);
    CHECK_NEAR(limit, wanted, 0.02 * wanted);
}

// Linear tetrahedra are too stiff when bent: the limit over three meshes, each finer by 3/2, is
// that of a slender beam, with Rayleigh's and Timoshenko's corrections.
static void a_bending_mode_tends_to_that_of_a_beam(void **state)
{
    (void)state;
    double found[3], I = WIDTH * WIDTH * WIDTH * WIDTH / 12.0, A = WIDTH * WIDTH;
    for (int i = 0; i < 3; i++) {
        static const int ALONG[3] = {16, 24, 36}, ACROSS[3] = {4, 6, 9};
        arm_desc desc = slender(ALONG[i], ACROSS[i], 0.0f);
        bar b;
        bar_create(&b, &desc);
        double lambda[1], *x = arm_room(3 * (size_t)b.b.free_count, sizeof *x);
        bar_modes(&b, 1, lambda, x);
        found[i] = sqrt(lambda[0]);
        free(x);
        bar_destroy(&b);
    }
    double ratio = (found[0] - found[1]) / (found[1] - found[2]);
    double limit = found[2] - (found[1] - found[2]) / (ratio - 1.0);
    double slow = 1.875104 * 1.875104 * sqrt(YOUNG * I / (DENSITY * A)) / (LENGTH * LENGTH);
    double wanted = slow * (1.0 - 0.5 * 4.65 * I / (A * LENGTH * LENGTH) * (1.0 + 2.0 / 0.833));
    assert_true(found[0] > found[1] && found[1] > found[2]);
    CHECK_NEAR(limit, wanted, 0.02 * wanted);
}

static void modes_are_orthonormal_and_solve_the_problem(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    arm_desc desc = slender(10, 2, 0.3f); // bending in two directions at nearly one frequency
    bar b;
    bar_create(&b, &desc);
    int size = 3 * b.b.free_count;
    double lambda[COUNT], *x = arm_room((size_t)(COUNT * size), sizeof *x);
    double *y = arm_room((size_t)size, sizeof *y);
    wri_sparse K, whole;
    wr_error error = {0};
    bar_modes(&b, COUNT, lambda, x);
    assert_true(wri_morph_stiffness(&b.b, 0, &b.b.arena, &K, &error));
    assert_true(wri_sparse_mirror(&whole, &b.b.arena, &K));
    for (int i = 0; i < COUNT; i++) {
        double left = 0.0, all = 0.0;
        wri_sparse_multiply(&whole, x + i * size, y, 1, NULL);
        for (int k = 0; k < size; k++) {
            double by = y[k] - lambda[i] * b.mass[k] * x[i * size + k];
            left += by * by;
            all += y[k] * y[k];
        }
        assert_true(sqrt(left / all) < 1e-5);
        assert_true(i == 0 || lambda[i] >= lambda[i - 1]);
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < size; k++) {
                sum += b.mass[k] * x[i * size + k] * x[j * size + k];
            }
            CHECK_NEAR(sum, i == j, 1e-8);
        }
    }
    free(x);
    free(y);
    bar_destroy(&b);
}

// A bar of cubes that are each cut in six alike is the same after a turn by 120 degrees about the
// diagonal alone; a cube of them has threefold and twofold frequencies, of which none may be
// missed.
static void equal_frequencies_are_all_found(void **state)
{
    (void)state;
    enum { COUNT = 9 };
    arm_desc desc = arm_default();
    desc.cells[0] = desc.cells[1] = desc.cells[2] = 3;
    desc.size[0] = desc.size[1] = desc.size[2] = 0.5f;
    desc.target_count = 1;
    desc.mode_count = 0;
    bar b;
    bar_create(&b, &desc);
    wr_morph_data *d = b.a.data;
    b.b.free_count = 0; // held in the corner where the diagonal begins, by its cube
    for (int node = 0; node < d->node_count; node++) {
        bool is_held = fmaxf(d->nodes[node].x, fmaxf(d->nodes[node].y, d->nodes[node].z)) < 0.2f;
        b.b.free_of[node] = is_held ? -1 : b.b.free_count++;
        for (int k = 0; !is_held && k < 3; k++) {
            b.mass[3 * (b.b.free_count - 1) + k] = (double)d->masses[node];
        }
    }
    double few[COUNT], many[2 * COUNT];
    double *x = arm_room(2 * COUNT * 3 * (size_t)b.b.free_count, sizeof *x);
    bar_modes(&b, 2 * COUNT, many, x);
    bar_modes(&b, COUNT, few, x);
    int pairs = 0;
    for (int i = 0; i < COUNT; i++) {
        CHECK_NEAR(few[i], many[i], 1e-6 * many[i]);
        pairs += i > 0 && few[i] - few[i - 1] < 1e-6 * few[i];
    }
    assert_true(pairs >= 2);
    free(x);
    bar_destroy(&b);
}

// --- bases --------------------------------------------------------------------------------------

static void a_basis_is_orthonormal_and_holds_the_targets(void **state)
{
    (void)state;
    arm_desc desc = arm_default();
    arm a;
    arm_describe(&a, &desc);
    arm_finish(&a);
    const wr_morph_data *d = a.data;
    int r = d->mode_count;
    assert_int_equal(r, desc.mode_count + 2); // the first target has no offsets
    for (int i = 0; i < r; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3 * d->node_count; k++) {
                const float *U = d->basis + (ptrdiff_t)(k / 3) * r * 3 + k % 3;
                sum += (double)d->masses[k / 3] * (double)U[3 * i] * (double)U[3 * j];
            }
            CHECK_NEAR(sum, i == j, 1e-5);
        }
    }
    for (int target = 1; target < 3; target++) {
        double left = 0.0, all = 0.0, q[WR_MORPH_MODES_MAX] = {0.0};
        const float *offset = &d->offsets[target * d->node_count].x;
        for (int k = 0; k < 3 * d->node_count * r; k++) {
            int node = k / (3 * r), mode = k / 3 % r;
            q[mode] +=
                (double)d->masses[node] * (double)d->basis[k] * (double)offset[3 * node + k % 3];
        }
        for (int k = 0; k < 3 * d->node_count; k++) {
            double x = (double)offset[k];
            all += x * x;
            for (int mode = 0; mode < r; mode++) {
                x -= (double)d->basis[((k / 3) * r + mode) * 3 + k % 3] * q[mode];
            }
            left += x * x;
        }
        assert_true(all > 0.0 && sqrt(left / all) < 1e-5);
    }
    arm_destroy(&a);
}

// M-product of a mode with a vector of the basis.
static double share_in(const wri_morph_builder *b, const double *mass, const double *x, int vector)
{
    const wr_morph_data *d = b->data;
    double sum = 0.0;
    for (int node = 0; node < d->node_count; node++) {
        int at = b->free_of[node];
        for (int k = 0; at >= 0 && k < 3; k++) {
            ptrdiff_t place = ((ptrdiff_t)node * d->mode_count + vector) * 3 + k;
            sum += mass[3 * at + k] * x[3 * at + k] * (double)d->basis[place];
        }
    }
    return sum;
}

// Eq. 5.10: mode j of a target counts by lambda_1 / lambda_j. The first vectors of the basis are
// then the principal axes of all modes so scaled: each of them is as good as no earlier one, none
// has to do with another one, and the slowest modes are held better than the fastest.
static void slow_modes_count_most(void **state)
{
    (void)state;
    enum { COUNT = 6, TARGETS = 3 };
    arm_desc desc = arm_default();
    desc.mode_count = COUNT;
    desc.bulge = 0.08f;
    arm a;
    arm_describe(&a, &desc);
    float *paint[TARGETS];
    for (int t = 0; t < TARGETS; t++) { // firm at one place, then at another one
        paint[t] = arm_room((size_t)a.vertex_count, sizeof(float));
        for (int v = 0; v < a.vertex_count; v++) {
            wr_vec3 at = a.vertices[v];
            paint[t][v] = t == 0 ? 1.0f : t == 1 ? 1.0f + 9.0f * at.x : 1.0f + 60.0f * at.z;
        }
        a.targets[t].paint = paint[t];
    }
    arm_finish(&a);
    wr_morph_data *d = a.data;
    wri_morph_builder b = {.desc = &a.build, .data = d, .arena = wri_arena_create(NULL)};
    b.free_of = wri_arena_alloc(&b.arena, (size_t)d->node_count, sizeof(int));
    double *mass = wri_arena_alloc(&b.arena, 3 * (size_t)d->node_count, sizeof(double));
    for (int node = 0; node < d->node_count; node++) {
        b.free_of[node] = d->fixed[node] ? -1 : b.free_count++;
        for (int k = 0; !d->fixed[node] && k < 3; k++) {
            mass[3 * (b.free_count - 1) + k] = (double)d->masses[node];
        }
    }
    double C[COUNT][COUNT] = {{0.0}}, slow = 0.0, fast = 0.0, lambda[COUNT];
    double *x = arm_room(COUNT * 3 * (size_t)b.free_count, sizeof *x);
    for (int t = 0; t < TARGETS; t++) {
        wri_sparse K;
        const wri_modes_desc modes = {&K, mass, COUNT, NULL};
        assert_true(wri_morph_stiffness(&b, t, &b.arena, &K, NULL));
        assert_true(wri_modes_find(&modes, lambda, x, NULL));
        for (int j = 0; j < COUNT; j++) {
            double in[COUNT], scale = lambda[0] / lambda[j], held = 0.0;
            for (int k = 0; k < COUNT; k++) {
                in[k] = share_in(&b, mass, x + (ptrdiff_t)j * 3 * b.free_count, k);
                held += in[k] * in[k];
            }
            for (int k = 0; k < COUNT * COUNT; k++) {
                C[k / COUNT][k % COUNT] += scale * scale * in[k / COUNT] * in[k % COUNT];
            }
            slow += j == 0 ? held / TARGETS : 0.0;
            fast += j == COUNT - 1 ? held / TARGETS : 0.0;
        }
    }
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < i; j++) {
            assert_true(fabs(C[i][j]) < 1e-5 * C[0][0]);
            assert_true(C[i][i] <= C[j][j] * (1.0 + 1e-5));
        }
    }
    printf("    principal values %.3f to %.3f; of slowest modes %.3f is held, of others %.3f\n",
           C[0][0], C[COUNT - 1][COUNT - 1], slow, fast);
    assert_true(slow > fast);
    free(x);
    for (int t = 0; t < TARGETS; t++) {
        free(paint[t]);
    }
    wri_arena_destroy(&b.arena);
    arm_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axial_mode_is_that_of_a_bar),
        cmocka_unit_test(a_torsional_mode_is_that_of_a_shaft),
        cmocka_unit_test(a_bending_mode_tends_to_that_of_a_beam),
        cmocka_unit_test(modes_are_orthonormal_and_solve_the_problem),
        cmocka_unit_test(equal_frequencies_are_all_found),
        cmocka_unit_test(slow_modes_count_most),
        cmocka_unit_test(a_basis_is_orthonormal_and_holds_the_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
