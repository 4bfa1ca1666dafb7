// test_posing.c: promises of posing by dragged handles.
#include "solids.h"

#include "wrought/posing.h"

enum { HANDLES = 4 };

// A bar along x of 12 x 3 x 3 cells with handles along its middle.
typedef struct bar {
    wr_tet_mesh *mesh;
    wr_handle_set *set;
    wr_rig rig;
    wr_posing *posing;
    wr_posing_constraint constraints[HANDLES];
    wr_vec3 targets[HANDLES], *positions;
} bar;

static bar make_bar(void)
{
    bar b = {.mesh = make_grid(12, 4, 4, 0.1f)};
    wr_error error = {0};
    wr_solid solid = wr_solid_from_tets(b.mesh);
    int placed[HANDLES];
    for (int i = 0; i < HANDLES; i++) {
        placed[i] = 4 * i + 2 * 13 + 2 * 65;
    }
    b.set = wr_handles_place(&solid, placed, HANDLES, HANDLES, NULL, &error);
    float *weights = calloc((size_t)b.mesh->vertex_count * HANDLES, sizeof *weights);
    wr_weights_desc desc = wr_weights_desc_default();
    desc.mesh = solid;
    desc.handles = b.set;
    assert_true(wr_weights_find(&desc, weights, NULL, &error));
    b.rig = (wr_rig){.dimension = 3,
                     .vertex_count = solid.vertex_count,
                     .rest = b.mesh->positions,
                     .element_count = solid.element_count,
                     .elements = b.mesh->tetrahedra,
                     .handle_count = HANDLES,
                     .handles = b.set->handles,
                     .weights = weights};
    wr_posing_desc posing = wr_posing_desc_default();
    posing.rig = &b.rig;
    b.posing = wr_posing_create(&posing, &error);
    assert_non_null(b.posing);
    for (int i = 0; i < HANDLES; i++) {
        b.constraints[i] = (wr_posing_constraint){i, b.set->handles[i].pivot};
        b.targets[i] = b.set->handles[i].pivot;
    }
    b.positions = calloc((size_t)solid.vertex_count, sizeof *b.positions);
    assert_true(wr_posing_set_constraints(b.posing, b.constraints, HANDLES, &error));
    return b;
}

static void forget(bar *b)
{
    wr_posing_destroy(b->posing);
    wr_handle_set_destroy(b->set);
    free(b->rig.weights);
    free(b->positions);
    wr_tet_mesh_destroy(b->mesh);
}

static double volume_of(bar *b)
{
    wr_tet_mesh posed = *b->mesh;
    wr_posing_read_positions(b->posing, &b->rig, b->positions);
    posed.positions = b->positions;
    return wr_tet_mesh_volume(&posed).total / wr_tet_mesh_volume(b->mesh).total;
}

static void the_rest_shape_is_a_fixed_point(void **state)
{
    (void)state;
    bar b = make_bar();
    wr_posing_solve(b.posing, b.targets, 20);
    wr_posing_read_positions(b.posing, &b.rig, b.positions);
    for (int v = 0; v < b.rig.vertex_count; v++) {
        CHECK_NEAR(wr_distance(b.positions[v], b.rig.rest[v]), 0.0, 1e-6);
    }
    CHECK_NEAR(wr_posing_energy(b.posing), 0.0, 1e-12);
    wr_handle_pose poses[HANDLES];
    wr_posing_read_poses(b.posing, poses);
    for (int i = 0; i < HANDLES; i++) {
        CHECK_NEAR(poses[i].rotation.w, 1.0, 1e-6);
        CHECK_NEAR(wr_length(poses[i].offset), 0.0, 1e-6);
    }
    forget(&b);
}

static void pins_that_move_rigidly_move_everything_rigidly(void **state)
{
    (void)state;
    bar b = make_bar();
    wr_error error = {0};
    wr_posing_constraint constraints[6];
    wr_vec3 targets[6];
    wr_pose motion = {wr_v3(3, -1, 2), wr_quat_from_axis_angle(wr_v3(1, 3, -2), 2.5f)};
    for (int i = 0; i < 6; i++) { // not in a line, so that they say everything
        constraints[i] =
            (wr_posing_constraint){i % HANDLES, wr_add(b.set->handles[i % HANDLES].pivot,
                                                       wr_v3(0, i / 4 * 0.1f, i % 2 * 0.2f))};
        targets[i] = wr_pose_point(motion, constraints[i].rest);
    }
    assert_true(wr_posing_set_constraints(b.posing, constraints, 6, &error));
    wr_posing_solve(b.posing, targets, 10);
    wr_posing_read_positions(b.posing, &b.rig, b.positions);
    for (int v = 0; v < b.rig.vertex_count; v++) {
        CHECK_NEAR(wr_distance(b.positions[v], wr_pose_point(motion, b.rig.rest[v])), 0.0, 3e-6);
    }
    wr_handle_pose poses[HANDLES];
    wr_posing_read_poses(b.posing, poses);
    for (int i = 0; i < HANDLES; i++) {
        CHECK_NEAR(fabsf(wr_quat_dot(poses[i].rotation, motion.rotation)), 1.0, 1e-6);
    }
    CHECK_NEAR(wr_posing_energy(b.posing), 0.0, 1e-10);
    forget(&b);
}

static void energy_never_grows_and_constraints_are_met(void **state)
{
    (void)state;
    bar b = make_bar();
    b.targets[3] = wr_add(b.targets[3], wr_v3(-0.5f, 0.6f, 0.1f));
    b.targets[2] = wr_add(b.targets[2], wr_v3(-0.1f, 0.2f, 0.0f));
    double last = INFINITY;
    for (int round = 0; round < 60; round++) {
        wr_posing_solve(b.posing, b.targets, 1);
        double energy = wr_posing_energy(b.posing);
        assert_true(energy <= last * (1.0 + 1e-12));
        last = energy;
        for (int i = 0; i < HANDLES; i++) {
            wr_vec3 at = wr_mat34_apply(wr_posing_maps(b.posing)[i], b.constraints[i].rest);
            CHECK_NEAR(wr_distance(at, b.targets[i]), 0.0, 1e-6);
        }
    }
    assert_true(last > 1e-6);
    forget(&b);
}

static void a_bent_bar_turns_with_its_bend_and_keeps_most_of_its_volume(void **state)
{
    (void)state;
    bar b = make_bar();
    // A quarter of a circle, as long as the bar.
    float radius = 1.2f / (0.5f * WR_PI);
    for (int i = 0; i < HANDLES; i++) {
        float angle = (float)i / 3.0f * 0.5f * WR_PI;
        b.targets[i] = wr_v3(radius * sinf(angle), 0.2f + radius * (1.0f - cosf(angle)), 0.2f);
    }
    wr_posing_solve(b.posing, b.targets, 200);
    double volume = volume_of(&b);
    assert_true(volume > 0.9 && volume < 1.1);
    wr_handle_pose poses[HANDLES];
    wr_posing_read_poses(b.posing, poses);
    double angle[HANDLES];
    for (int i = 0; i < HANDLES; i++) { // about z, growing; free ends bend less than the middle
        angle[i] = 2.0 * atan2((double)poses[i].rotation.z, (double)poses[i].rotation.w);
        CHECK_NEAR(angle[i], (double)i / 3.0 * 0.5 * (double)WR_PI, 0.45);
        CHECK_NEAR(poses[i].rotation.x, 0.0, 0.05);
        assert_true(i == 0 || angle[i] > angle[i - 1] + 0.1);
    }
    CHECK_NEAR(angle[0] + angle[3], 0.5 * (double)WR_PI, 0.1); // the same from both ends
    CHECK_NEAR(angle[1] + angle[2], 0.5 * (double)WR_PI, 0.1);
    forget(&b);
}

static void a_twisted_bar_keeps_most_of_its_volume(void **state)
{
    (void)state;
    bar b = make_bar();
    wr_error error = {0};
    wr_posing_constraint constraints[6];
    wr_vec3 targets[6];
    for (int i = 0; i < 6; i++) { // three points at each end; one end turned by 80 degrees
        int handle = i < 3 ? 0 : 3;
        wr_vec3 pivot = b.set->handles[handle].pivot;
        wr_vec3 arm = wr_v3(0, i % 3 == 1 ? 0.2f : 0.0f, i % 3 == 2 ? 0.2f : 0.0f);
        wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 0, 0), handle ? 1.4f : 0.0f);
        constraints[i] = (wr_posing_constraint){handle, wr_add(pivot, arm)};
        targets[i] = wr_add(pivot, wr_rotate(turn, arm));
    }
    assert_true(wr_posing_set_constraints(b.posing, constraints, 6, &error));
    wr_posing_solve(b.posing, targets, 200);
    double volume = volume_of(&b);
    assert_true(volume > 0.85 && volume < 1.05);
    wr_handle_pose poses[HANDLES];
    wr_posing_read_poses(b.posing, poses);
    for (int i = 1; i < HANDLES; i++) {
        assert_true(poses[i].rotation.x > poses[i - 1].rotation.x);
    }
    forget(&b);
}

static void a_sheet_stays_in_its_plane(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_sheet(8, 0.1f);
    wr_error error = {0};
    wr_solid solid = wr_solid_from_tets(mesh);
    wr_handle_set *set = wr_handles_place(&solid, NULL, 0, 4, NULL, &error);
    float *weights = calloc((size_t)solid.vertex_count * 4, sizeof *weights);
    wr_weights_desc desc = wr_weights_desc_default();
    desc.mesh = solid;
    desc.handles = set;
    assert_true(wr_weights_find(&desc, weights, NULL, &error));
    wr_rig rig = {.dimension = 2,
                  .vertex_count = solid.vertex_count,
                  .rest = mesh->positions,
                  .element_count = solid.element_count,
                  .elements = mesh->triangles,
                  .handle_count = 4,
                  .handles = set->handles,
                  .weights = weights};
    wr_posing_desc posing_desc = wr_posing_desc_default();
    posing_desc.rig = &rig;
    wr_posing *posing = wr_posing_create(&posing_desc, &error);
    assert_non_null(posing);
    wr_posing_constraint constraints[4];
    wr_vec3 targets[4];
    for (int i = 0; i < 4; i++) {
        constraints[i] = (wr_posing_constraint){i, set->handles[i].pivot};
        targets[i] = wr_rotate(wr_quat_from_axis_angle(wr_v3(0, 0, 1), 2.0f), constraints[i].rest);
    }
    assert_true(wr_posing_set_constraints(posing, constraints, 4, &error));
    wr_posing_solve(posing, targets, 20);
    wr_handle_pose poses[4];
    wr_posing_read_poses(posing, poses);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(poses[i].rotation.z, sin(1.0), 1e-5);
        CHECK_NEAR(poses[i].offset.z, 0.0, 1e-6);
    }
    CHECK_NEAR(wr_posing_energy(posing), 0.0, 1e-10);
    wr_posing_destroy(posing);
    wr_handle_set_destroy(set);
    free(weights);
    wr_tet_mesh_destroy(mesh);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bar b = make_bar();
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_error error = {0};
        wr_posing_desc desc = wr_posing_desc_default();
        desc.rig = &b.rig;
        desc.cluster_count = 3;
        desc.allocator = counting_allocator(&heap);
        wr_posing *posing = wr_posing_create(&desc, &error);
        done = posing && wr_posing_set_constraints(posing, b.constraints, HANDLES, &error);
        assert_true(done || error.code == WR_E_MEMORY);
        int calls = heap.calls;
        if (done) {
            wr_posing_solve(posing, b.targets, 3);
        }
        assert_int_equal(heap.calls, calls); // solving never allocates
        wr_posing_destroy(posing);
        assert_int_equal(heap.alive, 0);
    }
    forget(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_shape_is_a_fixed_point),
        cmocka_unit_test(pins_that_move_rigidly_move_everything_rigidly),
        cmocka_unit_test(energy_never_grows_and_constraints_are_met),
        cmocka_unit_test(a_bent_bar_turns_with_its_bend_and_keeps_most_of_its_volume),
        cmocka_unit_test(a_twisted_bar_keeps_most_of_its_volume),
        cmocka_unit_test(a_sheet_stays_in_its_plane),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
