// test_examples.c: promises of examples from poses, clips, morph targets, sculpts and recordings.
#include "rigs.h"

#include "wrought/example.h"
#include "wrought/file.h"

enum { AROUND = 20, RINGS = 25 };

// A closed post along y, 0.2 m thick and 1 m high, symmetric in x and z.
static wr_model *make_post(void)
{
    wr_error error = {0};
    wr_model *model = wr_model_create(NULL, &error);
    int ring_vertices = AROUND * RINGS, triangles = 2 * AROUND * (RINGS - 1) + 2 * AROUND;
    wr_mesh *mesh = model->meshes = wr_model_alloc(model, 1, sizeof *mesh);
    *mesh = (wr_mesh){.name = "post",
                      .vertex_count = ring_vertices + 2,
                      .positions = wr_model_alloc(model, (size_t)ring_vertices + 2, 12),
                      .triangle_count = triangles,
                      .triangles = wr_model_alloc(model, (size_t)triangles, 12),
                      .part_count = 1,
                      .parts = wr_model_alloc(model, 1, sizeof(wr_mesh_part))};
    mesh->parts[0] = (wr_mesh_part){0, triangles, -1};
    for (int i = 0; i < ring_vertices; i++) {
        float angle = 2.0f * WR_PI * ((float)(i % AROUND) + 0.5f) / AROUND;
        float y = (float)(i / AROUND) / (RINGS - 1) - 0.5f;
        mesh->positions[i] = wr_v3(0.1f * cosf(angle), y, 0.1f * sinf(angle));
    }
    mesh->positions[ring_vertices] = wr_v3(0, -0.5f, 0);
    mesh->positions[ring_vertices + 1] = wr_v3(0, 0.5f, 0);
    int *t = mesh->triangles;
    for (int i = 0; i < AROUND * (RINGS - 1); i++) {
        int a = i, b = i - i % AROUND + (i + 1) % AROUND;
        const int two[6] = {a, a + AROUND, b, b, a + AROUND, b + AROUND};
        memcpy(t, two, sizeof two);
        t += 6;
    }
    for (int i = 0; i < AROUND; i++) {
        int next = (i + 1) % AROUND, top = AROUND * (RINGS - 1);
        const int two[6] = {ring_vertices, i, next, ring_vertices + 1, top + next, top + i};
        memcpy(t, two, sizeof two);
        t += 6;
    }
    model->nodes = wr_model_alloc(model, 1, sizeof *model->nodes);
    model->nodes[0] = (wr_node){
        .name = "post", .parent = -1, .skin = -1, .pose = WR_POSE_IDENTITY, .scale = {1, 1, 1}};
    model->mesh_count = model->node_count = 1;
    return model;
}

static small_rig make_bar(int handles)
{
    return small_rig_create(make_post(), 300, handles);
}

// Fits a shape of the render mesh and checks that weight 1 brings it back.
static wr_fit_report fit_shape(const small_rig *r, const wr_vec3 *targets, made_example *out)
{
    wr_error error = {0};
    wr_fit_desc desc = wr_fit_desc_default();
    desc.rig = &r->rig;
    desc.targets = targets;
    wr_fit_report report;
    if (!wr_example_fit(&desc, &out->example, &report, &error)) {
        fail_msg("%s", error.message);
    }
    wr_vec3 *x = calloc((size_t)r->rig.vertex_count, sizeof *x);
    wr_vec3 *p = calloc((size_t)r->rig.ride_count, sizeof *p);
    show_example(&r->rig, &out->example, 1.0f, false, x, p);
    CHECK_NEAR(largest_distance(p, targets, r->rig.ride_count) / r->size, 0.0, 1e-5);
    free(x);
    free(p);
    if (getenv("REPORT")) {
        printf("rest %g %g handles %g %g correctives %g %g example %g; inverted %d %d turn %g "
               "l %g rounds %d %.3fs\n",
               report.rest.rms, report.rest.max, report.handles.rms, report.handles.max,
               report.correctives.rms, report.correctives.max, report.example.max,
               report.inverted_by_handles, report.inverted_elements, report.largest_turn * 57.3,
               report.stiffness, report.rounds, report.seconds);
    }
    return report;
}

static wr_vec3 *copy_positions(const small_rig *r)
{
    const wr_mesh *mesh = &r->model->meshes[0];
    wr_vec3 *p = calloc((size_t)mesh->vertex_count, sizeof *p);
    memcpy(p, mesh->positions, (size_t)mesh->vertex_count * sizeof *p);
    return p;
}

static void rigid_motion_is_found_as_such(void **state)
{
    (void)state;
    small_rig r = make_bar(6);
    wr_vec3 *targets = copy_positions(&r), pivot = wr_v3(0.7f, -0.3f, 0.4f);
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 2, -1), 170.0f * WR_PI / 180.0f);
    for (int i = 0; i < r.rig.ride_count; i++) {
        targets[i] = wr_add(pivot, wr_rotate(turn, wr_sub(targets[i], pivot)));
    }
    made_example m = made_example_create(&r.rig);
    wr_fit_report report = fit_shape(&r, targets, &m);
    assert_null(m.example.correctives);
    assert_null(m.example.details);
    assert_int_equal(report.inverted_elements, 0);
    for (int b = 0; b < r.rig.handle_count; b++) {
        CHECK_NEAR(fabs((double)wr_quat_dot(m.poses[b].rotation, turn)), 1.0, 1e-5);
    }
    made_example_destroy(&m);
    free(targets);
    small_rig_destroy(&r);
}

// What poses of the handles make is found again as these poses.
static void poses_are_found_again(void **state)
{
    (void)state;
    small_rig r = make_bar(6);
    made_example given = made_example_create(&r.rig), found = made_example_create(&r.rig);
    given.example.correctives = given.example.details = NULL;
    uint64_t seed = 5;
    for (int round = 0; round < 4; round++) {
        for (int b = 0; b < 6; b++) {
            wr_vec3 axis = wr_v3(random_float(&seed, -1, 1), random_float(&seed, -1, 1),
                                 random_float(&seed, -1, 1));
            float angle = round == 3 ? (b == 2 ? 170.0f : 0.0f) : 50.0f * (float)round;
            given.poses[b].rotation = wr_quat_from_axis_angle(axis, angle * WR_PI / 180.0f);
            given.poses[b].offset = wr_scale(0.2f, axis);
        }
        wr_vec3 *x = calloc((size_t)r.rig.vertex_count, sizeof *x);
        wr_vec3 *targets = copy_positions(&r);
        show_example(&r.rig, &given.example, 1.0f, false, x, targets);
        found.example = (wr_example){"found", found.poses, found.correctives, found.details};
        wr_fit_report report = fit_shape(&r, targets, &found);
        CHECK_NEAR(report.handles.max / report.size, 0.0, 1e-5);
        for (int b = 0; b < 6; b++) {
            CHECK_NEAR(fabs((double)wr_quat_dot(found.poses[b].rotation, given.poses[b].rotation)),
                       1.0, 1e-4);
            CHECK_NEAR((double)wr_distance(found.poses[b].offset, given.poses[b].offset) / r.size,
                       0.0, 1e-3);
        }
        free(x);
        free(targets);
    }
    made_example_destroy(&given);
    made_example_destroy(&found);
    small_rig_destroy(&r);
}

static void a_twist_is_reproduced(void **state)
{
    (void)state;
    small_rig r = make_bar(6);
    wr_vec3 *targets = copy_positions(&r);
    for (int i = 0; i < r.rig.ride_count; i++) {
        wr_quat turn = wr_quat_from_axis_angle(wr_v3(0, 1, 0), 1.5f * targets[i].y);
        targets[i] = wr_rotate(turn, targets[i]);
    }
    made_example m = made_example_create(&r.rig);
    wr_fit_report report = fit_shape(&r, targets, &m);
    assert_true(report.handles.rms < 0.2 * report.rest.rms);
    assert_int_equal(report.inverted_elements, 0);
    made_example_destroy(&m);
    free(targets);
    small_rig_destroy(&r);
}

static void a_crease_is_reproduced(void **state)
{
    (void)state;
    small_rig r = make_bar(6);
    wr_vec3 *targets = copy_positions(&r);
    for (int i = 0; i < r.rig.ride_count; i++) {
        float depth = 0.1f - fabsf(targets[i].y); // sharp: no handles bend like this
        targets[i].x -= depth > 0.0f && targets[i].x > 0.0f ? depth : 0.0f;
    }
    made_example m = made_example_create(&r.rig);
    wr_fit_report report = fit_shape(&r, targets, &m);
    assert_true(report.handles.rms <= report.rest.rms);
    assert_true(report.correctives.rms < 0.5 * report.handles.rms);
    for (int b = 0; b < 6; b++) { // nothing wild was done for it
        assert_true(wr_length(m.poses[b].offset) < 0.2f);
    }
    made_example_destroy(&m);
    free(targets);
    small_rig_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motion_is_found_as_such),
        cmocka_unit_test(poses_are_found_again),
        cmocka_unit_test(a_twist_is_reproduced),
        cmocka_unit_test(a_crease_is_reproduced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
