// test_morph.c: elasticity of tetrahedra, reduced polynomials, the space of poses.
#include "check.h"

#include "morph_arm.h"

static double random_unit(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

// --- tetrahedra ---------------------------------------------------------------------------------

static wri_tet oblique_tet(arm *a)
{
    wri_tet t;
    assert_false(wri_tet_find(a->data, 2, 37, &t));
    return t;
}

static void stvk_force_is_the_slope_of_its_energy(void **state)
{
    arm *a = *state;
    wri_tet t = oblique_tet(a);
    uint32_t seed = 3;
    double u[4][3], force[4][3], other[4][3], tangent[4][4][9];
    for (int i = 0; i < 12; i++) {
        u[i / 3][i % 3] = 0.03 * random_unit(&seed);
    }
    wri_tet_stvk(&t, (const double(*)[3])u, force, tangent);
    for (int i = 0; i < 12; i++) {
        const double h = 1e-6;
        double *x = &u[i / 3][i % 3], at = *x, behind[4][3];
        *x = at + h;
        double more = wri_tet_stvk(&t, (const double(*)[3])u, other, NULL);
        *x = at - h;
        double less = wri_tet_stvk(&t, (const double(*)[3])u, behind, NULL);
        *x = at;
        double scale = fabs(force[i / 3][i % 3]) + 1.0;
        assert_true(fabs((more - less) / (2.0 * h) - force[i / 3][i % 3]) < 1e-5 * scale);
        for (int k = 0; k < 12; k++) {
            double slope = (other[k / 3][k % 3] - behind[k / 3][k % 3]) / (2.0 * h);
            double got = tangent[k / 3][i / 3][3 * (k % 3) + i % 3];
            assert_true(fabs(slope - got) < 1e-5 * (fabs(slope) + 10.0));
        }
    }
}

static void a_turned_tetrahedron_has_no_stvk_force_but_a_linear_one(void **state)
{
    arm *a = *state;
    wri_tet t = oblique_tet(a);
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 0.7f);
    double u[4][3], force[4][3], largest = 0.0;
    for (int i = 0; i < 4; i++) {
        wr_vec3 x =
            wr_add(a->data->nodes[t.nodes[i]], a->data->offsets[2 * a->node_count + t.nodes[i]]);
        wr_vec3 by = wr_sub(wr_rotate(turn, x), x);
        u[i][0] = (double)by.x, u[i][1] = (double)by.y, u[i][2] = (double)by.z;
    }
    wri_tet_stvk(&t, (const double(*)[3])u, force, NULL);
    for (int i = 0; i < 12; i++) {
        double K[9], linear = 0.0;
        for (int c = 0; c < 4; c++) {
            wri_tet_stiffness(&t, i / 3, c, K);
            linear += wri_dot3(K + 3 * (i % 3), u[c]);
        }
        largest = fmax(largest, fabs(linear));
        assert_true(fabs(force[i / 3][i % 3]) < 1e-4 * t.mu * 0.01);
    }
    assert_true(largest > 1e-2 * t.mu * 0.01);
}

static void linear_stiffness_is_the_tangent_at_rest(void **state)
{
    arm *a = *state;
    wri_tet t = oblique_tet(a);
    double u[4][3] = {{0}}, force[4][3], tangent[4][4][9], K[9];
    wri_tet_stvk(&t, (const double(*)[3])u, force, tangent);
    for (int i = 0; i < 16; i++) {
        wri_tet_stiffness(&t, i / 4, i % 4, K);
        for (int k = 0; k < 9; k++) {
            assert_true(fabs(K[k] - tangent[i / 4][i % 4][k]) < 1e-9 * (1.0 + fabs(K[k])));
        }
    }
}

// --- reduced polynomials ------------------------------------------------------------------------

// Forces of the full model at U q, projected: an independent sum over all tetrahedra.
static void project_forces(const arm *a, int target, const double *q, double *out)
{
    const wr_morph_data *d = a->data;
    int r = d->mode_count;
    memset(out, 0, (size_t)r * sizeof *out);
    for (int tet = 0; tet < d->tet_count; tet++) {
        wri_tet t;
        double u[4][3] = {{0}}, force[4][3];
        wri_tet_find(d, target, tet, &t);
        for (int i = 0; i < 12 * r; i++) {
            int c = i / 3 % 4, k = i % 3, j = i / 12;
            u[c][k] += (double)d->basis[((ptrdiff_t)t.nodes[c] * r + j) * 3 + k] * q[j];
        }
        wri_tet_stvk(&t, (const double(*)[3])u, force, NULL);
        for (int i = 0; i < 12 * r; i++) {
            int c = i / 3 % 4, k = i % 3, j = i / 12;
            out[j] += (double)d->basis[((ptrdiff_t)t.nodes[c] * r + j) * 3 + k] * force[c][k];
        }
    }
}

static void some_modes(int r, double size, uint32_t seed, double *q)
{
    for (int i = 0; i < r; i++) {
        q[i] = size * random_unit(&seed);
    }
}

static double difference(const double *x, const double *y, int count)
{
    double square = 0.0, all = 0.0;
    for (int i = 0; i < count; i++) {
        square += (x[i] - y[i]) * (x[i] - y[i]);
        all += y[i] * y[i];
    }
    return sqrt(square / all);
}

static void reduced_polynomials_are_projected_forces(void **state)
{
    const arm *a = *state;
    int r = a->data->mode_count;
    double q[WR_MORPH_MODES_MAX], force[WR_MORPH_MODES_MAX], wanted[WR_MORPH_MODES_MAX];
    double tangent[WR_MORPH_MODES_MAX * WR_MORPH_MODES_MAX];
    for (int target = 0; target < 3; target++) {
        const float *cubic = a->data->cubic + (size_t)target * wr_morph_cubic_size(r);
        some_modes(r, 0.15, 5u + (uint32_t)target, q);
        wri_cubic_evaluate(r, cubic, q, force, tangent);
        project_forces(a, target, q, wanted);
        double linear[WR_MORPH_MODES_MAX], small[WR_MORPH_MODES_MAX], other[WR_MORPH_MODES_MAX];
        for (int i = 0; i < r; i++) {
            small[i] = 1e-4 * q[i];
        }
        wri_cubic_evaluate(r, cubic, small, linear, tangent);
        for (int i = 0; i < r; i++) {
            other[i] = 1e4 * linear[i];
        }
        assert_true(difference(other, wanted, r) > 0.1); // the cubic parts are not nothing
        assert_true(difference(force, wanted, r) < 1e-6);
    }
}

static void the_reduced_tangent_is_the_slope_of_the_forces(void **state)
{
    const arm *a = *state;
    int r = a->data->mode_count;
    double q[WR_MORPH_MODES_MAX], more[WR_MORPH_MODES_MAX], less[WR_MORPH_MODES_MAX];
    double tangent[WR_MORPH_MODES_MAX * WR_MORPH_MODES_MAX], slope[WR_MORPH_MODES_MAX];
    double none[WR_MORPH_MODES_MAX * WR_MORPH_MODES_MAX], column[WR_MORPH_MODES_MAX];
    const float *cubic = a->data->cubic + wr_morph_cubic_size(r);
    some_modes(r, 0.1, 9, q);
    wri_cubic_evaluate(r, cubic, q, more, tangent);
    for (int i = 0; i < r; i++) {
        const double h = 1e-3;
        double at = q[i];
        q[i] = at + h;
        wri_cubic_evaluate(r, cubic, q, more, none);
        double energy = wri_cubic_energy(r, cubic, q);
        q[i] = at - h;
        wri_cubic_evaluate(r, cubic, q, less, none);
        energy -= wri_cubic_energy(r, cubic, q);
        q[i] = at;
        for (int k = 0; k < r; k++) {
            slope[k] = (more[k] - less[k]) / (2.0 * h);
            column[k] = tangent[wri_pair(i, k)];
        }
        assert_true(difference(slope, column, r) < 1e-3);
        double scale = 0.0;
        for (int k = 0; k < r; k++) {
            scale += fabs(more[k]) / r;
        }
        CHECK_NEAR(energy / (2.0 * h), 0.5 * (more[i] + less[i]), 2e-3 * scale);
    }
}

static void shifted_polynomials_are_those_of_shifted_places(void **state)
{
    const arm *a = *state;
    int r = a->data->mode_count;
    size_t size = wr_morph_cubic_size(r);
    double q[WR_MORPH_MODES_MAX], d[WR_MORPH_MODES_MAX], moved[WR_MORPH_MODES_MAX];
    double back[WR_MORPH_MODES_MAX], constant[WR_MORPH_MODES_MAX], force[WR_MORPH_MODES_MAX];
    double wanted[WR_MORPH_MODES_MAX];
    double tangent[WR_MORPH_MODES_MAX * WR_MORPH_MODES_MAX];
    double other[WR_MORPH_MODES_MAX * WR_MORPH_MODES_MAX];
    double *table = arm_room(size, sizeof *table);
    float *shifted = arm_room(size, sizeof *shifted);
    const float *cubic = a->data->cubic + 2 * size;
    some_modes(r, 0.1, 21, q);
    some_modes(r, 0.1, 22, d);
    for (size_t i = 0; i < size; i++) {
        table[i] = (double)cubic[i];
    }
    wri_cubic_shift(r, d, table);
    for (size_t i = 0; i < size; i++) {
        shifted[i] = (float)table[i];
    }
    for (int i = 0; i < r; i++) {
        moved[i] = q[i] - d[i];
        back[i] = -d[i];
    }
    wri_cubic_evaluate(r, cubic, back, constant, other);
    wri_cubic_evaluate(r, cubic, moved, wanted, other);
    wri_cubic_evaluate(r, shifted, q, force, tangent);
    for (int i = 0; i < r; i++) {
        force[i] += constant[i];
    }
    assert_true(difference(force, wanted, r) < 2e-6);
    assert_true(difference(tangent, other, wri_pair_count(r)) < 2e-6);
    free(table);
    free(shifted);
}

static void coefficients_do_not_depend_on_the_number_of_threads(void **state)
{
    const arm *a = *state;
    int r = a->data->mode_count, vectors = r + wri_pair_count(r);
    size_t size = (size_t)wri_pair_count(vectors);
    double *one = arm_room(size, sizeof *one), *two = arm_room(size, sizeof *two);
    wr_tasks tasks = wr_tasks_openmp(3);
    assert_true(wri_gram_find(a->data, 1, true, NULL, NULL, one));
    wri_test_block_shuffle = 7;
    assert_true(wri_gram_find(a->data, 1, true, &tasks, NULL, two));
    wri_test_block_shuffle = 0;
    assert_memory_equal(one, two, size * sizeof *one);
    free(one);
    free(two);
}

// --- the space of poses -------------------------------------------------------------------------

static void shares_at(const arm *a, float angle, double *shapes, double *stiffness)
{
    wr_pose poses[2];
    double descriptor[12];
    arm_pose(a, angle, poses);
    wri_space_describe(a->data, poses, NULL, descriptor);
    wri_space_shares(a->data, a->data->target_count, descriptor, shapes, stiffness);
}

static void at_the_pose_of_a_target_it_has_all_shares(void **state)
{
    const arm *a = *state;
    for (int target = 0; target < 3; target++) {
        double shapes[3], stiffness[3];
        shares_at(a, (float)target, shapes, stiffness);
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(shapes[i] - (i == target)) < 1e-5);
            assert_true(fabs(stiffness[i] - (i == target)) < 1e-5);
        }
    }
}

static void shares_have_the_sum_1_and_change_evenly(void **state)
{
    const arm *a = *state;
    double before[3], shapes[3], stiffness[3], none[3];
    shares_at(a, -1.0f, none, before);
    for (float angle = -1.0f; angle < 3.0f; angle += 0.01f) {
        shares_at(a, angle, shapes, stiffness);
        double sum = 0.0, all = 0.0;
        for (int i = 0; i < 3; i++) {
            assert_true(stiffness[i] >= 0.0);
            assert_true(fabs(stiffness[i] - before[i]) < 4.0 * 0.01); // Lipschitz
            before[i] = stiffness[i];
            sum += stiffness[i];
            all += shapes[i];
        }
        assert_true(fabs(sum - 1.0) < 1e-12 && fabs(all - 1.0) < 1e-5);
    }
}

static void shares_far_from_all_targets_are_bounded(void **state)
{
    const arm *a = *state;
    for (int i = 0; i < 64; i++) {
        wr_pose poses[2];
        double descriptor[12], shapes[3], stiffness[3];
        arm_pose(a, 0.1f * (float)i, poses);
        poses[1].position = wr_v3(1e3f * sinf((float)i), -1e3f * cosf(2.0f * (float)i), 7.0f);
        wri_space_describe(a->data, poses, NULL, descriptor);
        wri_space_shares(a->data, 3, descriptor, shapes, stiffness);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(shapes[k]) < 3.0 && stiffness[k] >= 0.0 && stiffness[k] <= 1.0);
        }
    }
}

// A scalar or a way that is lost in float: the shares are those of its direction, whose sum is 1.
static void shares_do_not_swell_however_far_a_pose_is(void **state)
{
    const arm *a = *state;
    double far[3], farther[3], stiffness[3];
    for (int i = 0; i < 8; i++) {
        wr_pose poses[2];
        double descriptor[12];
        arm_pose(a, 0.3f * (float)i, poses);
        wri_space_describe(a->data, poses, NULL, descriptor);
        for (int k = 0; k < 12; k++) {
            descriptor[k] += 1e4 * sin(3.0 * i + k);
        }
        wri_space_shares(a->data, 3, descriptor, far, stiffness);
        for (int k = 0; k < 12; k++) {
            descriptor[k] += 1e9 * sin(3.0 * i + k);
        }
        wri_space_shares(a->data, 3, descriptor, farther, stiffness);
        CHECK_NEAR(farther[0] + farther[1] + farther[2], 1.0, 1e-4);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(farther[k], far[k], 2e-3);
        }
    }
}

static void where_a_body_stands_changes_nothing(void **state)
{
    const arm *a = *state;
    wr_pose poses[2], moved[2];
    wr_pose world = {wr_v3(3, -2, 7), wr_quat_from_axis_angle(wr_v3(3, 1, -2), 2.5f)};
    double one[12], two[12];
    arm_pose(a, 0.6f, poses);
    for (int i = 0; i < 2; i++) {
        moved[i] = wr_pose_multiply(world, poses[i]);
    }
    moved[1].rotation = (wr_quat){-moved[1].rotation.x, -moved[1].rotation.y, -moved[1].rotation.z,
                                  -moved[1].rotation.w}; // the same turn
    wri_space_describe(a->data, poses, NULL, one);
    wri_space_describe(a->data, moved, NULL, two);
    for (int i = 0; i < 12; i++) {
        assert_true(fabs(one[i] - two[i]) < 1e-5);
    }
    double angle = sqrt(one[9] * one[9] + one[10] * one[10] + one[11] * one[11]);
    assert_true(fabs(angle - 2.0 * sin(0.3)) < 1e-5); // 2 vec(q): radians, for small ones
}

// Of the elbow, whose bone is half a metre long.
static void translations_count_in_lengths_of_bones(void **state)
{
    const arm *a = *state;
    wr_pose poses[2] = {WR_POSE_IDENTITY, WR_POSE_IDENTITY};
    double descriptor[12];
    poses[1].position = wr_v3(0.1f, -0.2f, 0.05f);
    wri_space_describe(a->data, poses, NULL, descriptor);
    CHECK_NEAR(descriptor[6], 0.2, 1e-6);
    CHECK_NEAR(descriptor[7], -0.4, 1e-6);
    CHECK_NEAR(descriptor[8], 0.1, 1e-6);
    CHECK_NEAR(wri_space_kernel(0.09, 0.4), 0.5, 1e-12); // rounded: sqrt(r^2 + c^2)
}

// --- data ---------------------------------------------------------------------------------------

static void data_come_back_from_bytes(void **state)
{
    const arm *a = *state;
    size_t size = wr_morph_data_size(a->data);
    uint8_t *bytes = arm_room(size, 1), *again = arm_room(size, 1);
    wr_error error = {0};
    wr_morph_data_write(a->data, bytes);
    wr_morph_data *back = wr_morph_data_read(bytes, size, NULL, &error);
    assert_non_null(back);
    assert_int_equal(wr_morph_data_size(back), size);
    wr_morph_data_write(back, again);
    assert_memory_equal(bytes, again, size);
    assert_string_equal(back->names[2], "bent");
    wr_morph_data_destroy(back);
    bytes[size / 2] ^= 1;
    assert_null(wr_morph_data_read(bytes, size, NULL, &error));
    assert_non_null(strstr(error.message, "damaged"));
    bytes[size / 2] ^= 1;
    for (size_t cut = 0; cut < size; cut += size / 37) {
        assert_null(wr_morph_data_read(bytes, cut, NULL, &error));
    }
    free(bytes);
    free(again);
}

static arm shared;

static int set_up(void **state)
{
    arm_desc desc = arm_default();
    desc.mode_count = 8;
    desc.with_cubic = true;
    arm_describe(&shared, &desc);
    arm_finish(&shared);
    *state = &shared;
    return 0;
}

static int tear_down(void **state)
{
    arm_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stvk_force_is_the_slope_of_its_energy),
        cmocka_unit_test(a_turned_tetrahedron_has_no_stvk_force_but_a_linear_one),
        cmocka_unit_test(linear_stiffness_is_the_tangent_at_rest),
        cmocka_unit_test(reduced_polynomials_are_projected_forces),
        cmocka_unit_test(the_reduced_tangent_is_the_slope_of_the_forces),
        cmocka_unit_test(shifted_polynomials_are_those_of_shifted_places),
        cmocka_unit_test(coefficients_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(at_the_pose_of_a_target_it_has_all_shares),
        cmocka_unit_test(shares_have_the_sum_1_and_change_evenly),
        cmocka_unit_test(shares_far_from_all_targets_are_bounded),
        cmocka_unit_test(shares_do_not_swell_however_far_a_pose_is),
        cmocka_unit_test(translations_count_in_lengths_of_bones),
        cmocka_unit_test(where_a_body_stands_changes_nothing),
        cmocka_unit_test(data_come_back_from_bytes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
