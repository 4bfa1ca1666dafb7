// test_rigid_views.c: promises of rigid.h to those who look at many bodies at once.
#include "rigid_world.h"

// --- states -----------------------------------------------------------------------------------

static void states_read_at_once_are_those_read_one_by_one(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    add_floor(rigid);
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 0.5f, 2), 500, wr_v3(0, 3, 0));
    desc.mass.center[0] = 0.1;
    desc.velocity = wr_v3(1, 2, 3);
    desc.spin = wr_v3(-1, 4, 0.5f);
    add(rigid, &desc);
    desc.pose.position.x = 5;
    int frozen = add(rigid, &desc), asleep = add(rigid, &desc);
    wr_rigid_freeze(rigid, frozen);
    step(rigid, 0.1, DT);
    wr_rigid_sleep(rigid, asleep);
    const int bodies[] = {3, 1, 0, 2, 1};
    wr_rigid_state states[5];
    wr_rigid_read_states(rigid, bodies, 5, states);
    for (int i = 0; i < 5; i++) {
        wr_pose pose = wr_rigid_pose(rigid, bodies[i]);
        wr_vec3 center = wr_rigid_center(rigid, bodies[i]);
        wr_vec3 velocity = wr_rigid_velocity(rigid, bodies[i]);
        wr_vec3 spin = wr_rigid_spin(rigid, bodies[i]);
        assert_memory_equal(&states[i].pose, &pose, sizeof pose);
        assert_memory_equal(&states[i].center, &center, sizeof center);
        assert_memory_equal(&states[i].velocity, &velocity, sizeof velocity);
        assert_memory_equal(&states[i].spin, &spin, sizeof spin);
        assert_int_equal(states[i].asleep, bodies[i] == asleep);
        assert_int_equal(states[i].frozen, bodies[i] == frozen);
    }
    assert_true(wr_distance(states[1].center, states[1].pose.position) > 0.05f);
    wr_rigid_destroy(rigid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_read_at_once_are_those_read_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
