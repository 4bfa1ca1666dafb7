// test_math.c: promises of vectors, quaternions, poses and boxes.
#include "check.h"

#include "../src/math/elementary.h"
#include "../src/math/slerp.h"
#include "../src/math/triangle.h"

#include "wrought/math.h"

static const float EPS = 2e-6f;

static void check_vector(wr_vec3 a, wr_vec3 b, float tolerance)
{
    CHECK_NEAR(a.x, b.x, tolerance);
    CHECK_NEAR(a.y, b.y, tolerance);
    CHECK_NEAR(a.z, b.z, tolerance);
}

// q and -q are the same rotation.
static void check_rotation(wr_quat a, wr_quat b, float tolerance)
{
    float s = wr_quat_dot(a, b) < 0.0f ? -1.0f : 1.0f;
    CHECK_NEAR(a.x, s * b.x, tolerance);
    CHECK_NEAR(a.y, s * b.y, tolerance);
    CHECK_NEAR(a.z, s * b.z, tolerance);
    CHECK_NEAR(a.w, s * b.w, tolerance);
}

static wr_vec3 random_vector(uint64_t *seed)
{
    float x = random_float(seed, -1.0f, 1.0f), y = random_float(seed, -1.0f, 1.0f);
    return wr_v3(x, y, random_float(seed, -1.0f, 1.0f));
}

static wr_quat random_rotation(uint64_t *seed)
{
    wr_vec3 axis = random_vector(seed);
    return wr_quat_from_axis_angle(axis, random_float(seed, -6.0f, 6.0f));
}

static wr_pose random_pose(uint64_t *seed)
{
    wr_vec3 position = random_vector(seed);
    return (wr_pose){position, random_rotation(seed)};
}

enum { ROUNDS = 200 };

static void products_of_vectors_are_euclidean(void **state)
{
    (void)state;
    check_vector(wr_cross(wr_v3(1, 0, 0), wr_v3(0, 1, 0)), wr_v3(0, 0, 1), 0.0f); // right-handed
    check_vector(wr_cross(wr_v3(0, 1, 0), wr_v3(0, 0, 1)), wr_v3(1, 0, 0), 0.0f);
    assert_true(wr_dot(wr_v3(1, 2, 3), wr_v3(4, -5, 6)) == 12.0f);
    assert_true(wr_length(wr_v3(2, 3, 6)) == 7.0f);
    assert_true(wr_distance(wr_v3(1, 1, 1), wr_v3(3, 4, 7)) == 7.0f);
    check_vector(wr_lerp3(wr_v3(0, 2, 4), wr_v3(4, 2, 0), 0.25f), wr_v3(1, 2, 3), 0.0f);
    uint64_t seed = 1;
    for (int i = 0; i < ROUNDS; i++) {
        wr_vec3 a = random_vector(&seed), b = random_vector(&seed), c = wr_cross(a, b);
        CHECK_NEAR(wr_dot(a, c), 0.0, EPS);
        // Lagrange: |a x b|^2 = |a|^2 |b|^2 - (a . b)^2
        double ab = wr_dot(a, b);
        CHECK_NEAR(wr_dot(c, c), (double)wr_dot(a, a) * wr_dot(b, b) - ab * ab, 4 * EPS);
        CHECK_NEAR(wr_length(wr_normalize(a)), 1.0, EPS);
    }
}

static void the_zero_vector_stays_zero(void **state)
{
    (void)state;
    wr_vec3 zero = wr_normalize(wr_v3(0, 0, 0));
    assert_true(zero.x == 0.0f && zero.y == 0.0f && zero.z == 0.0f);
    for (float scale = 1e-15f; scale < 1e16f; scale *= 10.0f) {
        CHECK_NEAR(wr_length(wr_normalize(wr_v3(scale, -2 * scale, 3 * scale))), 1.0, EPS);
    }
}

static void what_is_not_finite_is_seen(void **state)
{
    (void)state;
    const float bad[] = {NAN, INFINITY, -INFINITY};
    assert_true(wr_is_finite3(wr_v3(1, 2, 3)) && wr_pose_is_finite(WR_POSE_IDENTITY));
    for (int i = 0; i < 3; i++) {
        assert_false(wr_is_finite3(wr_v3(bad[i], 0, 0)));
        assert_false(wr_is_finite3(wr_v3(0, bad[i], 0)));
        assert_false(wr_is_finite3(wr_v3(0, 0, bad[i])));
        for (int k = 0; k < 7; k++) {
            float values[7] = {0, 0, 0, 0, 0, 0, 1};
            values[k] = bad[i];
            wr_pose pose;
            memcpy(&pose, values, sizeof pose);
            assert_false(wr_pose_is_finite(pose));
        }
    }
}

static void quarter_turns_follow_the_right_hand(void **state)
{
    (void)state;
    float quarter = 0.5f * WR_PI;
    wr_vec3 x = wr_v3(1, 0, 0), y = wr_v3(0, 1, 0), z = wr_v3(0, 0, 1);
    check_vector(wr_rotate(wr_quat_from_axis_angle(z, quarter), x), y, EPS);
    check_vector(wr_rotate(wr_quat_from_axis_angle(x, quarter), y), z, EPS);
    check_vector(wr_rotate(wr_quat_from_axis_angle(y, quarter), z), x, EPS);
    check_rotation(wr_quat_from_axis_angle(y, quarter), (wr_quat){0, sqrtf(0.5f), 0, sqrtf(0.5f)},
                   EPS);
}

// Rodrigues: v cos a + (k x v) sin a + k (k . v) (1 - cos a)
static void rotation_is_rodrigues_formula(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < ROUNDS; i++) {
        wr_vec3 axis = random_vector(&seed), v = random_vector(&seed), k = wr_normalize(axis);
        float angle = random_float(&seed, -6.0f, 6.0f), s = sinf(angle), c = cosf(angle);
        wr_vec3 expected = wr_add_scaled(wr_add_scaled(wr_scale(c, v), s, wr_cross(k, v)),
                                         (1.0f - c) * wr_dot(k, v), k);
        // The length of the axis does not matter.
        wr_quat q = wr_quat_from_axis_angle(wr_scale(3.0f, axis), angle);
        check_vector(wr_rotate(q, v), expected, EPS);
        check_vector(wr_mat3_apply(wr_mat3_from_quat(q), v), expected, EPS);
        CHECK_NEAR(wr_quat_dot(q, q), 1.0, EPS);
    }
}

static void rotations_compose_and_undo(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < ROUNDS; i++) {
        wr_quat a = random_rotation(&seed), b = random_rotation(&seed), c = random_rotation(&seed);
        wr_vec3 v = random_vector(&seed);
        check_vector(wr_rotate(wr_quat_multiply(a, b), v), wr_rotate(a, wr_rotate(b, v)), EPS);
        check_vector(wr_rotate_back(a, wr_rotate(a, v)), v, EPS);
        CHECK_NEAR(wr_length(wr_rotate(a, v)), wr_length(v), EPS);
        check_rotation(wr_quat_multiply(a, wr_quat_conjugate(a)), WR_QUAT_IDENTITY, EPS);
        check_rotation(wr_quat_multiply(wr_quat_multiply(a, b), c),
                       wr_quat_multiply(a, wr_quat_multiply(b, c)), EPS);
        check_rotation(wr_quat_multiply(a, WR_QUAT_IDENTITY), a, 0.0f);
    }
}

static void degenerate_rotations_become_the_identity(void **state)
{
    (void)state;
    wr_quat identity = WR_QUAT_IDENTITY;
    check_rotation(wr_quat_normalize((wr_quat){0, 0, 0, 0}), identity, 0.0f);
    check_rotation(wr_quat_normalize((wr_quat){1e-30f, 0, 0, 0}), identity, 0.0f);
    check_rotation(wr_quat_normalize((wr_quat){NAN, 0, 0, 1}), identity, 0.0f);
    check_rotation(wr_quat_from_axis_angle(wr_v3(0, 0, 0), 1.0f), identity, 0.0f);
    check_rotation(wr_quat_from_axis_angle(wr_v3(0, 0, 0), WR_PI), identity, 0.0f);
    check_rotation(wr_quat_from_axis_angle(wr_v3(1, 2, 3), 0.0f), identity, 0.0f);
    check_rotation(wr_quat_normalize((wr_quat){0, 3e-10f, 0, 4e-10f}), (wr_quat){0, 0.6f, 0, 0.8f},
                   EPS);
    check_rotation(wr_quat_normalize((wr_quat){0, 3e10f, 0, 4e10f}), (wr_quat){0, 0.6f, 0, 0.8f},
                   EPS);
}

static void interpolation_takes_the_shorter_arc(void **state)
{
    (void)state;
    wr_vec3 y = wr_v3(0, 1, 0);
    wr_quat a = wr_quat_from_axis_angle(y, 0.2f), b = wr_quat_from_axis_angle(y, 1.0f);
    wr_quat other = {-b.x, -b.y, -b.z, -b.w}; // the same rotation
    check_rotation(wr_quat_nlerp(a, b, 0.0f), a, EPS);
    check_rotation(wr_quat_nlerp(a, b, 1.0f), b, EPS);
    check_rotation(wr_quat_nlerp(a, b, 0.5f), wr_quat_from_axis_angle(y, 0.6f), EPS);
    check_rotation(wr_quat_nlerp(a, other, 0.5f), wr_quat_from_axis_angle(y, 0.6f), EPS);
    for (float t = 0.0f; t <= 1.0f; t += 0.125f) {
        wr_quat q = wr_quat_nlerp(a, other, t);
        CHECK_NEAR(wr_quat_dot(q, q), 1.0, EPS);
    }
}

static void slerp_turns_evenly_along_the_shorter_arc(void **state)
{
    (void)state;
    wr_vec3 axis = wr_normalize(wr_v3(1, -2, 0.5f));
    for (float angle = 1e-5f; angle < 3.1f; angle *= 1.7f) {
        wr_quat a = wr_quat_from_axis_angle(axis, 0.2f);
        wr_quat b = wr_quat_from_axis_angle(axis, 0.2f + angle), other = {-b.x, -b.y, -b.z, -b.w};
        for (int i = 0; i <= 8; i++) {
            double t = i / 8.0;
            wr_quat expected = wr_quat_from_axis_angle(axis, 0.2f + (float)t * angle);
            check_rotation(wri_quat_slerp(a, b, t), expected, EPS);
            check_rotation(wri_quat_slerp(a, other, t), expected, EPS);
            check_rotation(wri_quat_slerp(a, b, t), wr_quat_slerp(a, b, (float)t), EPS);
        }
    }
}

static void poses_are_rigid_motions(void **state)
{
    (void)state;
    wr_pose quarter = {wr_v3(10, 0, 0), wr_quat_from_axis_angle(wr_v3(0, 0, 1), 0.5f * WR_PI)};
    check_vector(wr_pose_point(quarter, wr_v3(1, 0, 0)), wr_v3(10, 1, 0), EPS); // turn, then move
    uint64_t seed = 4;
    for (int i = 0; i < ROUNDS; i++) {
        wr_pose a = random_pose(&seed), b = random_pose(&seed);
        wr_vec3 p = random_vector(&seed), q = random_vector(&seed);
        check_vector(wr_pose_local(a, wr_pose_point(a, p)), p, EPS);
        check_vector(wr_pose_point(wr_pose_multiply(a, b), p),
                     wr_pose_point(a, wr_pose_point(b, p)), 2 * EPS);
        check_vector(wr_pose_point(wr_pose_inverse(a), wr_pose_point(a, p)), p, EPS);
        wr_pose none = wr_pose_multiply(wr_pose_inverse(a), a);
        check_vector(none.position, wr_v3(0, 0, 0), EPS);
        check_rotation(none.rotation, WR_QUAT_IDENTITY, EPS);
        CHECK_NEAR(wr_distance(wr_pose_point(a, p), wr_pose_point(a, q)), wr_distance(p, q),
                   2 * EPS);
    }
}

static void a_thousand_multiplications_do_not_drift(void **state)
{
    (void)state;
    wr_pose step = {wr_v3(0, 0, 0), wr_quat_from_axis_angle(wr_v3(1, 2, 3), 2.0f * WR_PI / 1000)};
    wr_pose pose = WR_POSE_IDENTITY;
    for (int i = 0; i < 1000; i++) {
        pose = wr_pose_multiply(step, pose);
    }
    CHECK_NEAR(wr_quat_dot(pose.rotation, pose.rotation), 1.0, EPS);
    check_rotation(pose.rotation, WR_QUAT_IDENTITY, 1e-4f); // a full turn
}

static void boxes_hold_what_was_added(void **state)
{
    (void)state;
    wr_box box = WR_BOX_EMPTY;
    assert_true(wr_box_is_empty(box));
    box = wr_box_add(box, wr_v3(1, 2, 3));
    assert_false(wr_box_is_empty(box)); // a point is not nothing
    check_vector(wr_box_size(box), wr_v3(0, 0, 0), 0.0f);
    box = wr_box_add(box, wr_v3(-1, 4, 3));
    check_vector(box.min, wr_v3(-1, 2, 3), 0.0f);
    check_vector(box.max, wr_v3(1, 4, 3), 0.0f);
    check_vector(wr_box_center(box), wr_v3(0, 3, 3), 0.0f);
    wr_box joined = wr_box_join(box, WR_BOX_EMPTY);
    assert_memory_equal(&joined, &box, sizeof box);
    joined = wr_box_join(box, (wr_box){{5, 5, 5}, {6, 6, 6}});
    check_vector(joined.max, wr_v3(6, 6, 6), 0.0f);
    assert_true(wr_box_is_empty((wr_box){{0, 0, NAN}, {1, 1, 1}}));
    assert_true(wr_clampf(5, 0, 1) == 1 && wr_clampf(-5, 0, 1) == 0 &&
                wr_clampf(0.5f, 0, 1) == 0.5f);
}

static double distance_to(wr_vec3 p, const wr_vec3 corners[3], const double w[3])
{
    double d[3] = {-(double)p.x, -(double)p.y, -(double)p.z};
    for (int k = 0; k < 3; k++) {
        d[0] += w[k] * (double)corners[k].x;
        d[1] += w[k] * (double)corners[k].y;
        d[2] += w[k] * (double)corners[k].z;
    }
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

// Nothing is nearer than it among many points of the triangle, its edges and corners.
static void the_nearest_of_a_triangle_is_that_of_trying_many(void **state)
{
    (void)state;
    enum { FINE = 60 };
    uint64_t seed = 23;
    int regions[8] = {0};
    for (int i = 0; i < 2000; i++) {
        wr_vec3 p = wr_scale(2.0f, random_vector(&seed)), c[3];
        for (int k = 0; k < 3; k++) {
            c[k] = random_vector(&seed);
        }
        float w[3];
        wri_nearest_in_triangle(p, c[0], c[1], c[2], w);
        assert_true(w[0] >= 0.0f && w[1] >= 0.0f && w[2] >= 0.0f);
        CHECK_NEAR(w[0] + w[1] + w[2], 1.0, 1e-6);
        regions[(w[0] > 0.0f) + 2 * (w[1] > 0.0f) + 4 * (w[2] > 0.0f)]++;
        double best = INFINITY;
        for (int x = 0; x <= FINE; x++) {
            for (int y = 0; x + y <= FINE; y++) {
                const double v[3] = {(double)x / FINE, (double)y / FINE,
                                     (double)(FINE - x - y) / FINE};
                best = fmin(best, distance_to(p, c, v));
            }
        }
        double found = distance_to(p, c, (const double[3]){w[0], w[1], w[2]});
        assert_true(found <= best + 1e-5);
    }
    for (int i = 1; i < 8; i++) { // three corners, three edges and the inside
        assert_true(regions[i] > 20);
    }
}

static void the_exponential_is_the_c_librarys(void **state)
{
    (void)state;
    for (double x = -720.0; x < 709.0; x += 0.37) {
        CHECK_NEAR(wri_exp(x), exp(x), x < -708.0 ? 1e-300 : 5e-16 * exp(x));
    }
    assert_true(wri_exp(0.0) == 1.0 && isinf(wri_exp(1000.0)) && isnan(wri_exp(NAN)));
}

static void the_logarithm_is_the_c_librarys(void **state)
{
    (void)state;
    for (double x = 1e-300; x < 1e300; x *= 1.0371) {
        CHECK_NEAR(wri_log(x), log(x), 1e-16 + 5e-16 * fabs(log(x)));
    }
    for (double x = 0.5; x < 2.0; x += 1.1e-4) {
        CHECK_NEAR(wri_log(x), log(x), 1e-16 + 5e-16 * fabs(log(x)));
    }
    assert_true(wri_log(1.0) == 0.0 && isinf(wri_log(0.0)) && wri_log(0.0) < 0.0);
    assert_true(isnan(wri_log(-1.0)) && isnan(wri_log(NAN)) && isinf(wri_log(INFINITY)));
}

static void angles_are_the_c_librarys(void **state)
{
    (void)state;
    float sine, cosine;
    for (float a = -40.0f; a < 40.0f; a += 1.3e-3f) {
        wri_sin_cos(a, &sine, &cosine);
        CHECK_NEAR(sine, sin((double)a), 1e-7);
        CHECK_NEAR(cosine, cos((double)a), 1e-7);
        CHECK_NEAR(wri_atan2(3.0f * sine, 3.0f * cosine), atan2(sine, cosine), 3e-7);
    }
    wri_sin_cos(8.765432e8f, &sine, &cosine);
    CHECK_NEAR(sine, sin((double)8.765432e8f), 1e-7);
    CHECK_NEAR(cosine, cos((double)8.765432e8f), 1e-7);
    wri_sin_cos(1e20f, &sine, &cosine);
    assert_true(sine == 0.0f && cosine == 1.0f);
    wri_sin_cos(NAN, &sine, &cosine);
    assert_true(isnan(sine) && isnan(cosine));
}

static void fine_angles_are_the_c_librarys_in_double(void **state)
{
    (void)state;
    double sine, cosine;
    for (double a = -100.0; a <= 100.0; a += 3.7e-3) {
        wri_sin_cos_fine(a, &sine, &cosine);
        CHECK_NEAR(sine, sin(a), 1e-15);
        CHECK_NEAR(cosine, cos(a), 1e-15);
        CHECK_NEAR(wri_atan2_fine(3.0 * sine, 3.0 * cosine), atan2(sine, cosine), 1e-15);
    }
    for (double y = 1e-12; y < 1e12; y *= 1.7) { // to the last bits of small ones, too
        CHECK_NEAR(wri_atan2_fine(y, 1.0) / atan2(y, 1.0), 1.0, 1e-15);
        CHECK_NEAR(wri_atan2_fine(y, -1.0), atan2(y, -1.0), 1e-15);
    }
    wri_sin_cos_fine(INFINITY, &sine, &cosine);
    assert_true(sine == 0.0 && cosine == 1.0);
    wri_sin_cos_fine(NAN, &sine, &cosine);
    assert_true(isnan(sine) && isnan(cosine) && wri_atan2_fine(0.0, 0.0) == 0.0);
}

static void the_axes_have_their_angles(void **state)
{
    (void)state;
    static const float places[][2] = {{0, 0},  {1, 0},   {0, 1},      {-1, 0},         {0, -1},
                                      {1, -1}, {-1, -1}, {1e-30f, 1}, {1e38f, -1e-38f}};
    for (int i = 0; i < WRI_COUNT(places); i++) {
        float x = places[i][0], y = places[i][1];
        CHECK_NEAR(wri_atan2(y, x), atan2((double)y, (double)x), 3e-7);
    }
    CHECK_NEAR(wri_atan2(INFINITY, INFINITY), 0.25 * 3.14159265358979, 1e-6);
    assert_true(isnan(wri_atan2(NAN, 1.0f)) && isnan(wri_atan2(NAN, NAN)));
}

// A velocity that is kept as a float, and a place that moves by what was kept: two at once, as a
// vectoriser likes them.
static void keep_and_move(const double v[2], float kept[2], double place[2])
{
    kept[0] = (float)v[0];
    kept[1] = (float)v[1];
    place[0] += 3.0 * (double)kept[0];
    place[1] += 3.0 * (double)kept[1];
}

static void what_is_rounded_to_a_float_stays_rounded(void **state)
{
    (void)state;
    void (*volatile call)(const double *, float *, double *) = keep_and_move; // not inlined
    const double v[2] = {0.1, 0.7};
    double place[2] = {0.0, 0.0};
    float kept[2];
    call(v, kept, place);
    for (int k = 0; k < 2; k++) {
        volatile float rounded = (float)v[k];
        assert_true(place[k] == 3.0 * (double)rounded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exponential_is_the_c_librarys),
        cmocka_unit_test(the_logarithm_is_the_c_librarys),
        cmocka_unit_test(angles_are_the_c_librarys),
        cmocka_unit_test(fine_angles_are_the_c_librarys_in_double),
        cmocka_unit_test(the_axes_have_their_angles),
        cmocka_unit_test(products_of_vectors_are_euclidean),
        cmocka_unit_test(the_zero_vector_stays_zero),
        cmocka_unit_test(what_is_not_finite_is_seen),
        cmocka_unit_test(quarter_turns_follow_the_right_hand),
        cmocka_unit_test(rotation_is_rodrigues_formula),
        cmocka_unit_test(rotations_compose_and_undo),
        cmocka_unit_test(degenerate_rotations_become_the_identity),
        cmocka_unit_test(interpolation_takes_the_shorter_arc),
        cmocka_unit_test(slerp_turns_evenly_along_the_shorter_arc),
        cmocka_unit_test(poses_are_rigid_motions),
        cmocka_unit_test(a_thousand_multiplications_do_not_drift),
        cmocka_unit_test(boxes_hold_what_was_added),
        cmocka_unit_test(the_nearest_of_a_triangle_is_that_of_trying_many),
        cmocka_unit_test(what_is_rounded_to_a_float_stays_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
