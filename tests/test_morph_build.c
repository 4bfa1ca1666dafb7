// test_morph_build.c: preprocessing of morph: what bones hold, details, scalars, and what it
// refuses.
#include "check.h"

#include "morph_arm.h"

static wr_error refuse(const arm *a)
{
    wr_error error = {0};
    assert_null(wri_morph_build(&a->build, NULL, &error));
    assert_true(strlen(error.message) > 10 && !strchr(error.message, '\n'));
    return error;
}

static arm_desc small(void)
{
    arm_desc desc = arm_default();
    desc.cells[0] = 6;
    desc.mode_count = 4;
    return desc;
}

// --- refusals -----------------------------------------------------------------------------------

static void targets_of_another_model_are_refused(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    a.targets[1].displacement_count -= 7;
    wr_error error = refuse(&a);
    assert_non_null(strstr(error.message, "target \"half\" has"));
    assert_non_null(strstr(error.message, "but the model has"));
    arm_destroy(&a);
}

// Before its squares are lost in the matrix of what pulls it there.
static void targets_that_go_astray_are_refused(void **state)
{
    (void)state;
    const float ways[] = {1e30f, 3e4f};
    for (int i = 0; i < 2; i++) {
        arm_desc desc = small();
        arm a;
        arm_describe(&a, &desc);
        ((wr_vec3 *)a.targets[1].displacements)[3] = wr_v3(0.0f, -ways[i], 0.1f);
        wr_error error = refuse(&a);
        assert_non_null(strstr(error.message, "target \"half\": vertex 3 moves by"));
        assert_non_null(strstr(error.message, "1000 times the size of the model"));
        arm_destroy(&a);
    }
}

static void two_targets_at_one_pose_are_refused(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    a.targets[2].poses = a.targets[1].poses;
    wr_error error = refuse(&a);
    assert_non_null(strstr(error.message, "\"half\" and \"bent\" belong to one pose"));
    arm_destroy(&a);
}

static void meshes_in_parts_are_refused(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    int slice = 6 * desc.cells[1] * desc.cells[2]; // of tetrahedra: one layer is left out
    memmove(a.tets + 8 * slice, a.tets + 12 * slice, (size_t)(12 * slice) * sizeof *a.tets);
    a.build.tet_count -= slice;
    wr_error error = refuse(&a);
    assert_non_null(strstr(error.message, "not connected"));
    arm_destroy(&a);
}

static void incompressible_material_is_refused(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    a.build.poisson = 0.5f;
    wr_error error = refuse(&a);
    assert_non_null(strstr(error.message, "Poisson's ratio is 0.5"));
    a.build.poisson = 0.3f;
    a.targets[1].poisson = 0.7f;
    error = refuse(&a);
    assert_non_null(strstr(error.message, "half: Poisson's ratio is 0.7"));
    arm_destroy(&a);
}

static void leaf_bones_need_a_tail(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    a.bones[1].tail = a.bones[1].origin;
    wr_error error = refuse(&a);
    assert_non_null(strstr(error.message, "bone 1 has neither a child nor a tail"));
    arm_destroy(&a);
}

static void other_numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    a.targets[2].stiffness = 0.0;
    assert_non_null(strstr(refuse(&a).message, "stiffness 0"));
    a.targets[2].stiffness = 1.0;
    a.build.young = -1.0;
    assert_non_null(strstr(refuse(&a).message, "Young's modulus -1"));
    a.build.young = 1e4;
    a.build.mode_count = 64;
    assert_non_null(strstr(refuse(&a).message, "at most 64"));
    a.build.mode_count = 4;
    a.displacements[1][3].x = NAN;
    assert_non_null(strstr(refuse(&a).message, "vertex 3 is nowhere"));
    a.build.cookie = 0;
    refuse(&a);
    arm_destroy(&a);
}

// --- what bones hold ----------------------------------------------------------------------------

static void bones_hold_what_they_cross_but_not_the_surface(void **state)
{
    (void)state;
    arm_desc desc = arm_default();
    arm a;
    arm_describe(&a, &desc);
    arm_finish(&a);
    int held = 0;
    for (int i = 0; i < a.node_count; i++) {
        wr_vec3 x = a.nodes[i];
        bool is_surface = x.x == 0.0f || x.x == desc.size[0] || x.y == 0.0f ||
                          x.y == desc.size[1] || x.z == 0.0f || x.z == desc.size[2];
        float y = x.y - a.bones[0].origin.y, z = x.z - a.bones[0].origin.z;
        assert_false(is_surface && a.data->fixed[i]);
        assert_true(is_surface || y != 0.0f || z != 0.0f || a.data->fixed[i]); // on the bones
        held += a.data->fixed[i];
    }
    assert_int_equal(held, a.report.fixed_count);
    assert_int_equal(a.report.outside_bones, 0);
    arm_destroy(&a);
}

static void a_bone_outside_holds_what_is_nearest(void **state)
{
    (void)state;
    arm_desc desc = arm_default();
    arm a;
    arm_describe(&a, &desc);
    for (int i = 0; i < 2; i++) {
        a.bones[i].origin.y = a.bones[i].tail.y = -0.4f;
    }
    arm_pose(&a, 1.0f, a.poses[1]);
    arm_pose(&a, 2.0f, a.poses[2]);
    arm_finish(&a);
    assert_int_equal(a.report.outside_bones, 2);
    assert_true(a.report.fixed_count >= 8);
    for (int i = 0; i < a.node_count; i++) { // the lowest ones inside
        assert_true(!a.data->fixed[i] || a.nodes[i].y < 0.3f * desc.size[1]);
    }
    arm_destroy(&a);
}

// Of joints alone, as glTF has them.
static void tails_are_found_from_what_bones_carry(void **state)
{
    (void)state;
    const wr_vec3 vertices[3] = {{1.0f, 0.0f, 0.0f}, {2.0f, 0.0f, 0.0f}, {3.0f, 0.5f, 0.0f}};
    const float weights[9] = {1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    wri_morph_bone bones[3] = {
        {-1, {0.0f, 0.0f, 0.0f}, {0}}, {0, {1.5f, 0.0f, 0.0f}, {0}}, {0, {0.5f, 1.0f, 0.0f}, {0}}};
    wri_morph_find_tails(vertices, 3, weights, 3, bones);
    assert_true(wr_distance(bones[0].tail, wr_v3(1.0f, 0.5f, 0.0f)) < 1e-6f);
    assert_true(wr_distance(bones[1].tail, wr_v3(3.0f, 0.375f, 0.0f)) < 1e-6f);
    assert_true(wr_distance(bones[2].tail, bones[2].origin) == 0.0f); // carries nothing
}

static void weights_of_vertices_are_carried_inwards(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    float *weights = arm_room(2 * (size_t)a.vertex_count, sizeof *weights);
    for (int v = 0; v < a.vertex_count; v++) {
        weights[2 * v + 1] = a.vertices[v].x / desc.size[0]; // harmonic: inside it is the same
        weights[2 * v] = 1.0f - weights[2 * v + 1];
    }
    a.build.node_weights = NULL;
    a.build.vertex_weights = weights;
    arm_finish(&a);
    for (int i = 0; i < a.node_count; i++) {
        float share = 0.0f;
        for (int k = 0; k < 4; k++) {
            share += a.data->node_bones[4 * i + k] == 1 ? a.data->node_weights[4 * i + k] : 0.0f;
        }
        CHECK_NEAR((double)share, (double)(a.nodes[i].x / desc.size[0]), 0.02);
    }
    free(weights);
    arm_destroy(&a);
}

// --- targets ------------------------------------------------------------------------------------

// Vertices that were sculpted in a way their tetrahedra cannot follow are where they were put.
static void details_are_kept(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    wr_ride between = {.element = 40, .weights = {0.1f, 0.2f, 0.3f, 0.4f}};
    int extra = a.vertex_count; // three more vertices within one tetrahedron, pulled apart
    a.vertices = realloc(a.vertices, (size_t)(extra + 3) * sizeof *a.vertices);
    a.rides = realloc(a.rides, (size_t)(extra + 3) * sizeof *a.rides);
    a.vertex_count += 3;
    for (int t = 0; t < 3; t++) {
        a.displacements[t] = realloc(a.displacements[t], (size_t)a.vertex_count * sizeof(wr_vec3));
        a.targets[t].displacements = t ? a.displacements[t] : NULL;
        a.targets[t].displacement_count = a.vertex_count;
        for (int i = 0; i < 3; i++) {
            a.displacements[t][extra + i] = wr_v3(0.01f * (float)(t * i), 0.0f, -0.02f * (float)t);
        }
    }
    for (int i = 0; i < 3; i++) {
        a.rides[extra + i] = between;
        a.vertices[extra + i] = a.nodes[a.tets[160]];
    }
    a.build.vertices = a.vertices, a.build.rides = a.rides;
    a.build.vertex_count = a.vertex_count;
    arm_finish(&a);
    assert_true(a.data->details && a.report.largest_detail > 0.005);
    wr_vec3 *shape = arm_room((size_t)a.vertex_count, sizeof *shape);
    for (int is_full = 0; is_full < 2; is_full++) {
        wr_morph_model_desc model = arm_model(&a);
        model.is_full = is_full;
        arm_body b = arm_start(&model);
        wr_morph_put(b.world, 0, a.poses[2], NULL);
        wr_morph_displacements(b.world, 0, NULL, shape);
        for (int v = 0; v < a.vertex_count; v++) {
            assert_true(wr_distance(shape[v], a.displacements[2][v]) < 1e-5f);
        }
        arm_stop(&b);
    }
    free(shape);
    arm_destroy(&a);
}

// A bump pushed through the arm to its far side would turn what is below it inside out.
static void no_target_turns_tetrahedra_inside_out(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    for (int v = 0; v < a.vertex_count; v++) {
        wr_vec3 at = a.vertices[v];
        float near = 1.0f - wr_length(wr_v3(at.x - 0.3f, at.y - 0.3f, at.z - 0.1f)) / 0.2f;
        a.displacements[2][v] = wr_v3(0.0f, -0.35f * wr_maxf(near, 0.0f), 0.02f);
    }
    arm_finish(&a);
    assert_int_equal(a.report.turned_count, 0);
    wr_vec3 *shape = arm_room((size_t)a.vertex_count, sizeof *shape);
    wr_morph_model_desc model = arm_model(&a);
    arm_body b = arm_start(&model);
    wr_morph_put(b.world, 0, a.poses[2], NULL);
    wr_morph_displacements(b.world, 0, NULL, shape);
    for (int v = 0; v < a.vertex_count; v++) {
        assert_true(wr_distance(shape[v], a.displacements[2][v]) < 1e-4f);
    }
    arm_stop(&b);
    free(shape);
    arm_destroy(&a);
}

static double volume_of(const arm *a, const wr_vec3 *offset, int tet)
{
    wr_vec3 x[4];
    for (int i = 0; i < 4; i++) {
        int node = a->tets[4 * tet + i];
        x[i] = wr_add(a->nodes[node], offset[node]);
    }
    wr_vec3 area = wr_cross(wr_sub(x[1], x[0]), wr_sub(x[2], x[0]));
    return (double)wr_dot(area, wr_sub(x[3], x[0])) / 6.0;
}

// Elasticity of a target is that of its own rest shape and of its own material.
static void tetrahedra_of_a_target_have_its_shape_and_material(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    a.targets[2].poisson = 0.2f;
    arm_finish(&a);
    double swollen = 0.0;
    for (int tet = 0; tet < a.tet_count; tet++) {
        wri_tet t, rest;
        double young = desc.young * desc.stiffness[2];
        assert_false(wri_tet_find(a.data, 0, tet, &rest));
        assert_false(wri_tet_find(a.data, 2, tet, &t));
        double volume = volume_of(&a, a.data->offsets + 2 * a.node_count, tet);
        CHECK_NEAR(t.volume / volume, 1.0, 1e-3);
        CHECK_NEAR(t.mu, young / 2.4, 1e-4 * young);
        CHECK_NEAR(t.lambda, young * 0.2 / (1.2 * 0.6), 1e-4 * young);
        swollen = fmax(swollen, fabs(t.volume / rest.volume - 1.0));
    }
    assert_true(swollen > 0.1);
    arm_destroy(&a);
}

static void paint_makes_a_target_firm_in_places(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    float *paint = arm_room((size_t)a.vertex_count, sizeof *paint);
    for (int v = 0; v < a.vertex_count; v++) {
        paint[v] = a.vertices[v].x > 0.5f * desc.size[0] ? 3.0f : 1.0f;
    }
    a.targets[1].paint = paint;
    arm_finish(&a);
    const float *young = a.data->young + a.tet_count;
    float base = (float)(desc.young * desc.stiffness[1]);
    assert_true(fabsf(young[0] / base - 1.0f) < 0.2f);
    assert_true(fabsf(young[a.tet_count - 1] / base - 3.0f) < 0.3f);
    assert_true(a.data->young[0] == a.data->young[a.tet_count - 1]);
    free(paint);
    arm_destroy(&a);
}

// A slider of the scene alone tells targets apart: "angry".
static void scalars_join_the_space_of_poses(void **state)
{
    (void)state;
    arm_desc desc = small();
    desc.target_count = 2;
    arm a;
    arm_describe(&a, &desc);
    const float scale[1] = {2.0f}, calm[1] = {0.0f}, angry[1] = {1.0f}, half[1] = {0.5f};
    a.build.scalar_count = 1;
    a.build.scalar_scale = scale;
    a.targets[0].scalars = calm, a.targets[1].scalars = angry;
    a.targets[1].poses = a.targets[0].poses;
    arm_finish(&a);
    wr_morph_model_desc model = arm_model(&a);
    arm_body b = arm_start(&model);
    double shares[2];
    wr_morph_put(b.world, 0, a.poses[0], angry);
    wr_morph_shares(b.world, 0, shares);
    CHECK_NEAR(shares[1], 1.0, 1e-5);
    wr_morph_drive(b.world, 0, a.poses[0], half);
    arm_advance(&b, 1);
    wr_morph_shares(b.world, 0, shares);
    CHECK_NEAR(shares[1], 0.5, 1e-5);
    arm_stop(&b);
    arm_destroy(&a);
}

static void smoothing_and_rounding_leave_shares_whole(void **state)
{
    (void)state;
    arm_desc desc = small();
    for (int kind = 0; kind < 2; kind++) {
        arm a;
        arm_describe(&a, &desc);
        a.build.smoothing = kind == 0 ? 0.3f : 0.0f;
        a.build.rounding = kind == 1 ? 0.3f : 0.0f;
        arm_finish(&a);
        wr_morph_model_desc model = arm_model(&a);
        arm_body b = arm_start(&model);
        double shares[3];
        wr_morph_put(b.world, 0, a.poses[1], NULL);
        wr_morph_shares(b.world, 0, shares);
        CHECK_NEAR(shares[0] + shares[1] + shares[2], 1.0, 1e-6);
        if (kind == 0) { // not through the targets, but near them
            assert_true(shares[1] > 0.5 && shares[1] < 0.99);
        } else {
            CHECK_NEAR(shares[1], 1.0, 1e-4);
        }
        arm_stop(&b);
        arm_destroy(&a);
    }
}

// --- any input ----------------------------------------------------------------------------------

static void wild_motion_stays_finite(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    arm_finish(&a);
    uint32_t seed = 77;
    for (int scene = 0; scene < 24; scene++) {
        wr_morph_model_desc model = arm_model(&a);
        model.is_full = scene % 8 == 7;
        model.elasticity = scene % 2 ? WR_MORPH_STVK : WR_MORPH_LINEAR;
        model.between = scene % 3 ? WR_MORPH_SHAPES : WR_MORPH_FORCES;
        model.damping = scene % 5 ? 0.01f : 0.0f;
        model.air = scene % 4 ? 0.0f : 3.0f;
        model.dt = scene % 3 == 2 ? 1.0f / 30.0f : 1.0f / 240.0f;
        arm_body b = arm_start(&model);
        b.step.wind = wr_v3(20.0f, 3.0f, -5.0f);
        for (int i = 0; i < (model.is_full ? 10 : 100);
             i++) { // wr_morph_is_sound is asked each step
            wr_pose poses[2];
            for (int k = 0; k < 2; k++) {
                float x[7];
                for (int j = 0; j < 7; j++) {
                    seed = seed * 1664525u + 1013904223u;
                    x[j] = (float)(seed >> 8) / 8388608.0f - 1.0f;
                }
                poses[k] = (wr_pose){wr_v3(x[0], x[1], x[2]),
                                     wr_quat_normalize((wr_quat){x[3], x[4], x[5], x[6]})};
            }
            wr_morph_drive(b.world, 0, poses, NULL);
            wr_morph_push(b.world, 0, i % a.vertex_count, wr_v3(1.0f, -2.0f, 3.0f));
            arm_advance(&b, 1);
        }
        arm_stop(&b);
    }
    arm_destroy(&a);
}

// Stiff cubic forces in steps that are long for them: shaken, then held still.
static void shaken_bodies_come_to_rest(void **state)
{
    (void)state;
    arm_desc desc = small();
    arm a;
    arm_describe(&a, &desc);
    arm_finish(&a);
    for (int is_full = 0; is_full < 2; is_full++) {
        wr_morph_model_desc model = arm_model(&a);
        model.is_full = is_full;
        model.elasticity = WR_MORPH_STVK;
        model.stiffness = 4.0;
        model.damping = 0.001f;
        model.dt = 1.0f / 60.0f;
        arm_body b = arm_start(&model);
        double most = 0.0, last = 0.0, motion = 0.0;
        for (int i = 0; i < 110; i++) {
            wr_pose poses[2];
            float t = i < 30 ? (float)i : 0.0f;
            wr_vec3 by =
                wr_v3(0.15f * sinf(5.0f * t), 0.15f * sinf(7.0f * t), 0.1f * sinf(9.0f * t));
            arm_pose(&a, 1.0f + sinf(0.7f * t), poses);
            poses[0].position = wr_add(poses[0].position, by);
            poses[1].position = wr_add(poses[1].position, by);
            wr_morph_drive(b.world, 0, poses, NULL);
            arm_advance(&b, 1);
            wr_morph_statistics now = wr_morph_describe(b.world, 0);
            last = now.elastic_energy + now.motion_energy;
            motion = now.motion_energy;
            most = fmax(most, last);
        }
        assert_true(most < 2e4); // J: 60 kg at 25 m/s, which bones reach
        // What was turned inside out may stay so, but at rest.
        assert_true(last < 0.2 * most && motion < 0.01 * most);
        arm_stop(&b);
    }
    arm_destroy(&a);
}

static void every_refused_allocation_is_an_error(void **state)
{
    (void)state;
    arm_desc desc = small();
    desc.cells[0] = 4, desc.cells[1] = desc.cells[2] = 4;
    desc.target_count = 2;
    desc.with_cubic = true;
    arm a;
    arm_describe(&a, &desc);
    counting_heap heap = {.budget = 0};
    wr_allocator allocator = {counting_alloc, counting_free, &heap};
    a.build.allocator = &allocator;
    wr_morph_data *data = NULL;
    for (int budget = 0; !data; budget += 1 + budget / 8) {
        wr_error error = {0};
        heap = (counting_heap){.budget = budget};
        data = wri_morph_build(&a.build, NULL, &error);
        assert_true(data || (error.code == WR_E_MEMORY && heap.alive == 0));
    }
    for (int is_full = 0; is_full < 2; is_full++) {
        wr_morph_model *model = NULL;
        for (int budget = 0; !model; budget++) {
            wr_error error = {0};
            wr_morph_model_desc m = wr_morph_model_desc_default();
            counting_heap other = {.budget = budget};
            wr_allocator small_heap = {counting_alloc, counting_free, &other};
            m.data = data, m.allocator = &small_heap, m.is_full = is_full;
            model = wr_morph_model_create(&m, &error);
            assert_true(model || (error.code == WR_E_MEMORY && other.alive == 0));
            if (model) {
                wr_morph_model_destroy(model);
                assert_int_equal(other.alive, 0);
            }
        }
    }
    wr_morph_data_destroy(data);
    assert_int_equal(heap.alive, 0);
    arm_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_of_another_model_are_refused),
        cmocka_unit_test(targets_that_go_astray_are_refused),
        cmocka_unit_test(two_targets_at_one_pose_are_refused),
        cmocka_unit_test(meshes_in_parts_are_refused),
        cmocka_unit_test(incompressible_material_is_refused),
        cmocka_unit_test(leaf_bones_need_a_tail),
        cmocka_unit_test(other_numbers_out_of_range_are_refused),
        cmocka_unit_test(bones_hold_what_they_cross_but_not_the_surface),
        cmocka_unit_test(a_bone_outside_holds_what_is_nearest),
        cmocka_unit_test(tails_are_found_from_what_bones_carry),
        cmocka_unit_test(weights_of_vertices_are_carried_inwards),
        cmocka_unit_test(details_are_kept),
        cmocka_unit_test(no_target_turns_tetrahedra_inside_out),
        cmocka_unit_test(tetrahedra_of_a_target_have_its_shape_and_material),
        cmocka_unit_test(paint_makes_a_target_firm_in_places),
        cmocka_unit_test(scalars_join_the_space_of_poses),
        cmocka_unit_test(smoothing_and_rounding_leave_shares_whole),
        cmocka_unit_test(wild_motion_stays_finite),
        cmocka_unit_test(shaken_bodies_come_to_rest),
        cmocka_unit_test(every_refused_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
