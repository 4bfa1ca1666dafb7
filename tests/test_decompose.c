// test_decompose.c: promises of the 3x3 decompositions, for every finite matrix.
#include "check.h"

#include "../src/math/decompose.h"

#include <float.h>
#include <string.h>

enum { RANDOM = 100000 };

// --- matrices ---------------------------------------------------------------------------------

static double uniform(uint64_t *seed)
{
    return (double)(random_bits(seed) >> 11) * 0x1p-52 - 1.0; // [-1, 1)
}

static void multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
}

static double determinant(const double a[3][3])
{
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

static double largest_entry(const double a[3][3])
{
    double most = 0.0;
    for (int i = 0; i < 9; i++) {
        most = fmax(most, fabs(a[i / 3][i % 3]));
    }
    return most;
}

static double norm(const double a[3][3])
{
    double most = largest_entry(a), sum = 0.0;
    for (int i = 0; most > 0.0 && i < 9; i++) {
        double x = a[i / 3][i % 3] / most;
        sum += x * x;
    }
    return most * sqrt(sum);
}

static void random_matrix(uint64_t *seed, double out[3][3])
{
    for (int i = 0; i < 9; i++) {
        out[i / 3][i % 3] = uniform(seed);
    }
}

static void random_turn(uint64_t *seed, double out[3][3])
{
    double q[4], n = 0.0;
    for (int i = 0; i < 4; i++) {
        q[i] = uniform(seed);
        n += q[i] * q[i];
    }
    n = 2.0 / (n > 0.0 ? n : 1.0);
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[3][3] = {{1 - n * (y * y + z * z), n * (x * y - z * w), n * (x * z + y * w)},
                            {n * (x * y + z * w), 1 - n * (x * x + z * z), n * (y * z - x * w)},
                            {n * (x * z - y * w), n * (y * z + x * w), 1 - n * (x * x + y * y)}};
    memcpy(out, r, sizeof r);
}

// Rotation times diagonal times rotation, with singular values of the unkind sort.
static void adversarial_matrix(uint64_t *seed, double out[3][3])
{
    static const double values[] = {0.0,   1.0,  -1.0,  1.0 + 1e-15, 1.0 - 1e-8, 1e-8,
                                    1e-16, 1e-3, 1e-30, 2.0,         1e-160,     1e-300};
    const int n = WRI_COUNT(values);
    double d[3][3] = {{0}}, u[3][3], v[3][3], ud[3][3];
    for (int i = 0; i < 3; i++) {
        d[i][i] = values[random_bits(seed) % (uint64_t)n];
    }
    random_turn(seed, u);
    random_turn(seed, v);
    if (random_bits(seed) % 4 == 0) { // whole numbers: exact ties and zeros
        for (int i = 0; i < 9; i++) {
            out[i / 3][i % 3] = (double)(random_bits(seed) % 5) - 2.0;
        }
        return;
    }
    multiply(u, d, ud);
    multiply(ud, v, out);
}

static void scale_matrix(double a[3][3], double scale)
{
    for (int i = 0; i < 9; i++) {
        a[i / 3][i % 3] *= scale;
    }
}

// Entries of every size, the smallest and largest there are among them.
static void mixed_matrix(uint64_t *seed, double out[3][3])
{
    for (int i = 0; i < 9; i++) {
        int exponent = (int)(random_bits(seed) % 2090) - 1070;
        out[i / 3][i % 3] =
            random_bits(seed) % 3 ? ldexp(uniform(seed), exponent < 1020 ? exponent : 1020) : 0.0;
    }
}

// --- checks -----------------------------------------------------------------------------------

// Worst errors in units of eps.
typedef struct worst {
    double residual, orthogonality;
} worst;

static void check_rotation(const double q[3][3], double eps, worst *w)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double x = q[0][i] * q[0][j] + q[1][i] * q[1][j] + q[2][i] * q[2][j] - (i == j);
            sum += x * x;
        }
    }
    double error = sqrt(sum) / eps;
    if (!(error <= 16.0) || !(determinant(q) > 0.5)) {
        fail_msg("not a rotation: off by %g eps, determinant %g", error, determinant(q));
    }
    w->orthogonality = fmax(w->orthogonality, error);
}

// a - l diag(s) r^T, or a - l r where s is NULL. Everything is brought to the scale of a first.
// `least` is the smallest step of the number type.
static void check_product(const double a[3][3], const double l[3][3], const double s[3],
                          const double r[3][3], double eps, double least, worst *w)
{
    int exponent;
    frexp(largest_entry(a), &exponent);
    double e[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            e[i][j] = ldexp(a[i][j], -exponent);
            for (int k = 0; k < 3; k++) {
                e[i][j] -= s ? l[i][k] * ldexp(s[k], -exponent) * r[j][k]
                             : l[i][k] * ldexp(r[k][j], -exponent);
            }
        }
    }
    double size = ldexp(norm(a), -exponent), left = norm(e);
    if (!(left <= 16.0 * eps * size + ldexp(8.0 * least, -exponent))) {
        fail_msg("residual %g of %g", left, size);
    }
    if (size > 0.0 && ldexp(least, -exponent) < 0.01 * eps) {
        w->residual = fmax(w->residual, left / (eps * size));
    }
}

static void check_svd(const double a[3][3], worst *w)
{
    double u[3][3], s[3], v[3][3], r[3][3], t[3][3];
    wri_svd3d(a, u, s, v);
    check_rotation(u, DBL_EPSILON, w);
    check_rotation(v, DBL_EPSILON, w);
    assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]));
    check_product(a, u, s, v, DBL_EPSILON, 0x1p-1074, w);
    wri_polar3d(a, r, t);
    check_rotation(r, DBL_EPSILON, w);
    check_product(a, r, NULL, t, DBL_EPSILON, 0x1p-1074, w);
    assert_true(t[0][1] == t[1][0] && t[0][2] == t[2][0] && t[1][2] == t[2][1]);
}

static void check_eigen(const double a[3][3], worst *w)
{
    double m[3][3], l[3], q[3][3];
    for (int i = 0; i < 9; i++) {
        m[i / 3][i % 3] = i / 3 <= i % 3 ? a[i / 3][i % 3] : a[i % 3][i / 3];
    }
    wri_eigen3d(m, l, q);
    check_rotation(q, DBL_EPSILON, w);
    assert_true(l[0] >= l[1] && l[1] >= l[2]);
    check_product(m, q, l, q, DBL_EPSILON, 0x1p-1074, w);
}

static void widen(const float a[3][3], double out[3][3])
{
    for (int i = 0; i < 9; i++) {
        out[i / 3][i % 3] = a[i / 3][i % 3];
    }
}

static void check_floats(const double wide[3][3], worst *w)
{
    float a[3][3], u[3][3], s[3], v[3][3], t[3][3];
    double da[3][3], du[3][3], dv[3][3], dt[3][3];
    for (int i = 0; i < 9; i++) {
        double x = wide[i / 3][i % 3]; // what is too large for a float: cut
        a[i / 3][i % 3] = (float)fmax(-6e37, fmin(6e37, x));
    }
    widen(a, da);
    wri_svd3f(a, u, s, v);
    widen(u, du);
    widen(v, dv);
    check_rotation(du, FLT_EPSILON, w);
    check_rotation(dv, FLT_EPSILON, w);
    assert_true(s[0] >= s[1] && s[1] >= fabsf(s[2]));
    check_product(da, du, (double[3]){s[0], s[1], s[2]}, dv, FLT_EPSILON, 0x1p-149, w);
    wri_polar3f(a, u, t);
    widen(u, du);
    widen(t, dt);
    check_rotation(du, FLT_EPSILON, w);
    check_product(da, du, NULL, dt, FLT_EPSILON, 0x1p-149, w);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            a[i][j] = a[j][i];
        }
    }
    widen(a, da);
    wri_eigen3f(a, s, u);
    widen(u, du);
    check_rotation(du, FLT_EPSILON, w);
    assert_true(s[0] >= s[1] && s[1] >= s[2]);
    check_product(da, du, (double[3]){s[0], s[1], s[2]}, du, FLT_EPSILON, 0x1p-149, w);
}

static void check_all(const double a[3][3], worst *wide, worst *narrow)
{
    check_svd(a, wide);
    check_eigen(a, wide);
    check_floats(a, narrow);
}

static void every_finite_matrix_is_decomposed_within_16_eps(void **state)
{
    (void)state;
    worst wide = {0}, narrow = {0};
    uint64_t seed = 4;
    static const double scales[] = {1.0, 1e30, 1e-30, 1e-300, 1e300, 1e-310, 1e-323, 1e38, 1e-42};
    for (int i = 0; i < 4 * RANDOM; i++) {
        double a[3][3];
        if (i % 8 == 7) {
            mixed_matrix(&seed, a);
        } else if (i % 2) {
            adversarial_matrix(&seed, a);
        } else {
            random_matrix(&seed, a);
        }
        if (i % 8 != 7 && i % 3 == 0) {
            scale_matrix(a, scales[random_bits(&seed) % 9]);
        }
        check_all(a, &wide, &narrow);
    }
    print_message("worst, in eps: double residual %.1f orthogonality %.1f, float %.1f and %.1f\n",
                  wide.residual, wide.orthogonality, narrow.residual, narrow.orthogonality);
}

// All 3^9 matrices of -1, 0, 1, at three scales: every rank, tie, reflection and permutation.
static void all_small_whole_matrices_are_decomposed(void **state)
{
    (void)state;
    worst wide = {0}, narrow = {0};
    for (int code = 0; code < 19683; code++) {
        double a[3][3];
        for (int i = 0, rest = code; i < 9; i++, rest /= 3) {
            a[i / 3][i % 3] = rest % 3 - 1;
        }
        check_all(a, &wide, &narrow);
        scale_matrix(a, 1e-30);
        check_all(a, &wide, &narrow);
        scale_matrix(a, 1e60);
        check_all(a, &wide, &narrow);
    }
}

static void zero_has_identities(void **state)
{
    (void)state;
    const double zero[3][3] = {{0}}, one[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double u[3][3], s[3], v[3][3], r[3][3], t[3][3];
    wri_svd3d(zero, u, s, v);
    assert_memory_equal(u, one, sizeof one);
    assert_memory_equal(v, one, sizeof one);
    assert_true(s[0] == 0.0 && s[1] == 0.0 && s[2] == 0.0);
    wri_polar3d(zero, r, t);
    assert_memory_equal(r, one, sizeof one);
    assert_memory_equal(t, zero, sizeof zero);
}

static void too_large_results_are_finite(void **state)
{
    (void)state;
    double a[3][3], u[3][3], s[3], v[3][3], t[3][3];
    float f[3][3], fu[3][3], fs[3], fv[3][3], ft[3][3];
    for (int i = 0; i < 9; i++) {
        a[i / 3][i % 3] = DBL_MAX;
        f[i / 3][i % 3] = FLT_MAX;
    }
    wri_svd3d(a, u, s, v);
    assert_true(s[0] == DBL_MAX && isfinite(s[1]) && isfinite(s[2]));
    wri_polar3d(a, u, t);
    assert_true(isfinite(t[0][0]) && isfinite(u[0][0]));
    wri_svd3f(f, fu, fs, fv);
    assert_true(fs[0] == FLT_MAX);
    wri_polar3f(f, fu, ft);
    assert_true(isfinite(ft[0][0]) && isfinite(fu[0][0]));
}

// --- closed forms and invariances -------------------------------------------------------------

static void known_singular_values_come_back(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < RANDOM / 10; i++) {
        double u[3][3], v[3][3], d[3][3] = {{0}}, ud[3][3], a[3][3], cu[3][3], s[3], cv[3][3];
        double s0 = 1.0 + fabs(uniform(&seed)), s1 = s0 * fabs(uniform(&seed));
        double s2 = s1 * uniform(&seed);
        d[0][0] = s0, d[1][1] = s1, d[2][2] = s2;
        random_turn(&seed, u);
        random_turn(&seed, v);
        multiply(u, d, ud);
        multiply(ud, v, a);
        wri_svd3d(a, cu, s, cv);
        CHECK_NEAR(s[0], s0, 1e-14);
        CHECK_NEAR(s[1], s1, 1e-14);
        CHECK_NEAR(s[2], s2, 1e-14); // with its sign: that of the determinant
    }
}

static void the_polar_factor_is_the_nearest_rotation(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < RANDOM / 10; i++) {
        double a[3][3], r[3][3], t[3][3], other[3][3];
        random_matrix(&seed, a);
        wri_polar3d(a, r, t);
        random_turn(&seed, other);
        double own = 0.0, its = 0.0; // distance falls as trace(R^T A) grows
        for (int k = 0; k < 9; k++) {
            own += r[k / 3][k % 3] * a[k / 3][k % 3];
            its += other[k / 3][k % 3] * a[k / 3][k % 3];
        }
        assert_true(own >= its - 1e-14);
        CHECK_NEAR(own, t[0][0] + t[1][1] + t[2][2], 1e-14);
    }
}

static void rotating_the_matrix_rotates_its_polar_factor(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < RANDOM / 10; i++) {
        double a[3][3], q[3][3], qa[3][3], r[3][3], t[3][3], r2[3][3], t2[3][3], qr[3][3];
        random_matrix(&seed, a);
        a[0][0] += 3.0, a[1][1] += 3.0, a[2][2] += 3.0; // well away from the ambiguous ones
        random_turn(&seed, q);
        multiply(q, a, qa);
        wri_polar3d(a, r, t);
        wri_polar3d(qa, r2, t2);
        multiply(q, r, qr);
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(r2[k / 3][k % 3], qr[k / 3][k % 3], 1e-13);
            CHECK_NEAR(t2[k / 3][k % 3], t[k / 3][k % 3], 1e-13);
        }
    }
}

static void transposing_keeps_singular_values(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int i = 0; i < RANDOM / 10; i++) {
        double a[3][3], b[3][3], u[3][3], s[3], v[3][3], z[3];
        adversarial_matrix(&seed, a);
        for (int k = 0; k < 9; k++) {
            b[k % 3][k / 3] = a[k / 3][k % 3];
        }
        wri_svd3d(a, u, s, v);
        wri_svd3d(b, u, z, v);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(fabs(s[k]), fabs(z[k]), 1e-14); // the sign of a zero determinant is rounding
        }
    }
}

static void powers_of_two_change_nothing_but_scale(void **state)
{
    (void)state;
    uint64_t seed = 15;
    for (int i = 0; i < 1000; i++) {
        double a[3][3], u[3][3], s[3], v[3][3], u2[3][3], s2[3], v2[3][3];
        random_matrix(&seed, a);
        wri_svd3d(a, u, s, v);
        scale_matrix(a, i % 2 ? 0x1p900 : 0x1p-900);
        wri_svd3d(a, u2, s2, v2);
        assert_memory_equal(u, u2, sizeof u);
        assert_memory_equal(v, v2, sizeof v);
        for (int k = 0; k < 3; k++) {
            assert_true(s2[k] == s[k] * (i % 2 ? 0x1p900 : 0x1p-900));
        }
    }
}

static void eigenvalues_of_a_known_matrix_are_known(void **state)
{
    (void)state;
    const double a[3][3] = {{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}; // 2 + sqrt 2, 2, 2 - sqrt 2
    double l[3], q[3][3];
    wri_eigen3d(a, l, q);
    CHECK_NEAR(l[0], 2.0 + sqrt(2.0), 1e-15);
    CHECK_NEAR(l[1], 2.0, 1e-15);
    CHECK_NEAR(l[2], 2.0 - sqrt(2.0), 1e-15);
}

// --- from a start -----------------------------------------------------------------------------

static void the_nearest_rotation_is_found_from_any_start(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int i = 0; i < RANDOM; i++) {
        double a[3][3], r[3][3], start[3][3], wide[3][3];
        float f[3][3];
        if (i % 2) {
            random_matrix(&seed, a);
        } else {
            adversarial_matrix(&seed, a);
        }
        random_turn(&seed, start);
        for (int k = 0; k < 9; k++) {
            f[k / 3][k % 3] = (float)a[k / 3][k % 3];
        }
        widen(f, wide);
        wri_polar3d(wide, r, NULL);
        wr_quat q = wri_nearest_rotation(f, wri_quat_from_rotation(start));
        CHECK_NEAR(wr_quat_dot(q, q), 1.0, 1e-6);
        wr_mat3 m = wr_mat3_from_quat(q);
        double own = 0.0, its = 0.0;
        for (int k = 0; k < 9; k++) {
            own += (double)m.m[k / 3][k % 3] * wide[k / 3][k % 3];
            its += r[k / 3][k % 3] * wide[k / 3][k % 3];
        }
        CHECK_NEAR(own, its, 2e-6 * norm(wide));
    }
}

static void a_rotation_matrix_becomes_its_quaternion(void **state)
{
    (void)state;
    uint64_t seed = 19;
    for (int i = 0; i < 10000; i++) {
        double r[3][3];
        random_turn(&seed, r);
        wr_quat q = wri_quat_from_rotation(r);
        wr_mat3 m = wr_mat3_from_quat(q);
        assert_true(q.w >= 0.0f);
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(m.m[k / 3][k % 3], r[k / 3][k % 3], 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_finite_matrix_is_decomposed_within_16_eps),
        cmocka_unit_test(all_small_whole_matrices_are_decomposed),
        cmocka_unit_test(zero_has_identities),
        cmocka_unit_test(too_large_results_are_finite),
        cmocka_unit_test(known_singular_values_come_back),
        cmocka_unit_test(the_polar_factor_is_the_nearest_rotation),
        cmocka_unit_test(rotating_the_matrix_rotates_its_polar_factor),
        cmocka_unit_test(transposing_keeps_singular_values),
        cmocka_unit_test(powers_of_two_change_nothing_but_scale),
        cmocka_unit_test(eigenvalues_of_a_known_matrix_are_known),
        cmocka_unit_test(the_nearest_rotation_is_found_from_any_start),
        cmocka_unit_test(a_rotation_matrix_becomes_its_quaternion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
