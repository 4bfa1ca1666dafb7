// test_scene_bodies.c: every key of a rigid body arrives in the engine's description, and copies
// stand where and as their rows say.
#include "small_world.h"

const wr_material *const small_world_materials[] = {NULL};

// No two of them alike, and none as it would be without the key.
static void every_key_of_a_body_arrives(void **state)
{
    (void)state;
    wr_scene *scene = read_scene(
        "'bodies': [{'shape': {'box': [1, 2, 3]}, 'friction': 0.31, 'restitution': 0.17, "
        "'rolling': 0.023, 'linear_damping': 0.41, 'angular_damping': 0.53, 'sleep': "
        "false, 'mass': 12, 'velocity': [1, -2, 3], 'spin': [90, -180, 45]}, {'shape': "
        "{'box': [1, 2, 3]}, 'density': 2}]");
    const wr_rigid_body_desc *d = &scene->bodies[0].rigid, *plain = &scene->bodies[1].rigid;
    CHECK_NEAR(d->friction, 0.31, 1e-6);
    CHECK_NEAR(d->restitution, 0.17, 1e-6);
    CHECK_NEAR(d->rolling_friction, 0.023, 1e-6);
    CHECK_NEAR(d->linear_damping, 0.41, 1e-6);
    CHECK_NEAR(d->angular_damping, 0.53, 1e-6);
    assert_true(!d->can_sleep && plain->can_sleep);
    CHECK_NEAR(wr_distance(d->velocity, wr_v3(1, -2, 3)), 0.0, 1e-6);
    const double pi = 3.14159265358979;
    wr_vec3 spin = wr_v3((float)(pi / 2), (float)-pi, (float)(pi / 4));
    CHECK_NEAR(wr_distance(d->angular_velocity, spin), 0.0, 1e-5);
    const double side[3] = {1, 2, 3}; // I = m (b^2 + c^2) / 12
    for (int k = 0; k < 3; k++) {
        double b = side[(k + 1) % 3], c = side[(k + 2) % 3];
        CHECK_NEAR(d->mass.inertia[k][k], 12.0 * (b * b + c * c) / 12.0, 1e-4);
        CHECK_NEAR(plain->mass.inertia[k][k], 12.0 * (b * b + c * c) / 12.0, 1e-4);
    }
    wr_scene_destroy(scene);
}

// Two rows: the first counts fastest; each turns about its own axes, on top of how the body is.
static void copies_stand_where_their_rows_say(void **state)
{
    (void)state;
    wr_scene *scene = read_scene(
        "'bodies': [{'name': 'b', 'shape': {'box': [1, 2, 3]}, 'at': [1, 2, 3], 'turn': {'axis': "
        "[1, "
        "0, 0], 'by': 40}, 'copies': [{'count': 3, 'step': [2, 0, 0], 'turn': {'axis': [0, 1, 0], "
        "'by': 30}}, {'count': 2, 'step': [0, 0, 5], 'turn': {'axis': [0, 0, 1], 'by': 70}}]}]");
    assert_int_equal(scene->body_count, 6);
    const float degree = WR_PI / 180.0f;
    for (int i = 0; i < 6; i++) {
        int fast = i % 3, slow = i / 3;
        wr_pose pose = scene->bodies[i].rigid.pose;
        wr_vec3 at = wr_v3(1.0f + 2.0f * (float)fast, 2.0f, 3.0f + 5.0f * (float)slow);
        CHECK_NEAR(wr_distance(pose.position, at), 0.0, 1e-5);
        wr_vec3 v = wr_v3(0.3f, -0.7f, 0.5f);
        wr_vec3 turned =
            wr_rotate(wr_quat_from_axis_angle(wr_v3(0, 0, 1), 70.0f * degree * (float)slow), v);
        turned = wr_rotate(wr_quat_from_axis_angle(wr_v3(0, 1, 0), 30.0f * degree * (float)fast),
                           turned);
        turned = wr_rotate(wr_quat_from_axis_angle(wr_v3(1, 0, 0), 40.0f * degree), turned);
        CHECK_NEAR(wr_distance(wr_rotate(pose.rotation, v), turned), 0.0, 1e-5);
    }
    wr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_of_a_body_arrives),
        cmocka_unit_test(copies_stand_where_their_rows_say),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
