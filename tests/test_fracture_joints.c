// test_fracture_joints.c: promises of bodies that break and hang on joints of the scene.
#include "fracture_bar.h"

#include <math.h>

static int make_recipes(void **state)
{
    int failed = set_up_bar(state);
    write_recipe("middle.recipe.json", "[{'plane': {'normal': [1, 0, 0], 'at': [0.1, 0, 0]}}]");
    return failed;
}

// The bar hangs on a joint to the world at its right end, which is the lighter one, straight down
// or sideways.
static show hang(const char *kind, bool down, double breaks)
{
    char text[900];
    snprintf(text, sizeof text,
             "'length': 3, 'bodies': [{'name': 'bar', 'asset': 'bar', 'at': [0, 2, 0], 'turn': "
             "{'axis': [0, 0, 1], 'by': %g}, 'density': 500, 'material': {'metal': 'cast iron', "
             "'break': %.9g}}], 'joints': [{'kind': '%s', 'bodies': ['bar'], 'at': [%g, %g, 0]}]",
             down ? 90.0 : 0.0, breaks, kind, down ? 0.0 : 0.4, down ? 2.4 : 2.0);
    return start("middle", text);
}

static wr_metal *body_of(const show *s)
{
    return metal_at(s->world, 0);
}

static bool breaks_when_hung(const char *kind, bool down, double breaks, int frames)
{
    show s = hang(kind, down, breaks);
    for (int i = 0; i < frames; i++) {
        wr_world_step_frame(s.world);
    }
    bool broken = wr_metal_part_count(body_of(&s)) > 1;
    show_end(&s);
    return broken;
}

// The `break` at which the weight m g of the heavy part just holds, with a moment of that at an
// arm: F dt / (1 - decay) is what a force F adds up to in the window.
static double expected_limit(double arm)
{
    show s = hang("point", true, 1.0);
    wr_world_step_frame(s.world);
    const wr_metal *body = body_of(&s);
    const wr_metal_asset *asset = body->asset;
    const wr_bond *bond = &asset->bonds[0];
    double heavy = 0.0;
    for (int i = 0; i < asset->N; i++) {
        heavy += asset->fragments[i] == wr_metal_fragment_at(body, wr_v3(-0.4f, 0, 0))
                     ? (double)asset->masses[i]
                     : 0.0;
    }
    double dt = 1.0 / 240.0, force = 9.81 * heavy * dt / (1.0 - body->window_decay);
    double carried = force * (1.0 + arm / (0.4 * (double)bond->radius));
    double limit = carried / ((double)asset->v_L * asset->mass * (double)bond->area / asset->area);
    assert_int_equal(asset->bond_count, 1);
    show_end(&s);
    return limit;
}

// Hanging straight down the bond carries what is below it; held like a beam also its moment, the
// weight times the distance of its centre from the cut: 0.25 m.
static void a_hanging_body_breaks_by_its_weight(void **state)
{
    (void)state;
    double down = expected_limit(0.0), beam = expected_limit(0.25);
    assert_false(breaks_when_hung("point", true, 1.08 * down, 60));
    assert_true(breaks_when_hung("point", true, 0.92 * down, 60));
    assert_false(breaks_when_hung("fixed", false, 1.1 * beam, 60));
    assert_true(breaks_when_hung("fixed", false, 0.9 * beam, 60));
}

// A bar that begins to swing on a point: the angular impulse about its centre is that of the
// impulse at its arm. Both together are to the bonds what the impulse at its place is.
static void loads_about_the_centre_are_those_at_the_joint(void **state)
{
    (void)state;
    show s = hang("point", false, 1e6);
    wr_world_step_frame(s.world);
    const wr_rigid *rigid = s.world->rigid;
    wr_vec3 impulse = wr_rigid_joint_impulse(rigid, 0), at = {0.4f, 2, 0};
    wr_vec3 center = wr_rigid_center(rigid, metal_engine(s.world, 0));
    wr_vec3 turn = wr_cross(wr_sub(at, center), impulse);
    CHECK_NEAR(wr_distance(wr_rigid_joint_angular_impulse(rigid, 0, 0), turn), 0.0,
               0.02 * (double)wr_length(turn));
    assert_true(wr_length(turn) > 0.01f);
    wr_vec3 place = {0.4f, 0.1f, 0.05f}, push = {30, -200, 90}, middle = {-0.02f, 0.01f, 0};
    wr_metal_desc desc = wr_metal_desc_default();
    desc.asset = body_of(&s)->asset;
    desc.parameters.break_speed = 1e6f;
    wr_metal *bodies[2] = {wr_metal_create(&desc, NULL), wr_metal_create(&desc, NULL)};
    int end = wr_metal_fragment_at(bodies[0], place);
    wr_metal_add_impulse_on(bodies[0], end, place, push);
    wr_metal_add_load(bodies[1], end, middle, push, wr_cross(wr_sub(place, middle), push));
    for (int b = 0; b < 2; b++) {
        wr_metal_step(bodies[b], 1.0f / 240.0f);
    }
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(bodies[1]->loads[end].impulse[k], bodies[0]->loads[end].impulse[k], 1e-3);
        CHECK_NEAR(bodies[1]->loads[end].turn[k], bodies[0]->loads[end].turn[k], 1e-3);
    }
    assert_true(!is_undented(bodies[0]) && is_undented(bodies[1]));
    wr_metal_destroy(bodies[0]);
    wr_metal_destroy(bodies[1]);
    show_end(&s);
}

static float height_of(const show *s, wr_vec3 end)
{
    int part = wr_metal_fragment_part(body_of(s), wr_metal_fragment_at(body_of(s), end));
    wr_pose pose = wr_rigid_pose(s->world->rigid, s->world->materials[0].part_bodies[part]);
    return wr_pose_point(pose, end).y;
}

// The light end stays on its joint, the heavy rest, which keeps the body of the engine, falls; also
// after a snapshot.
static void the_joint_goes_with_what_it_holds(void **state)
{
    (void)state;
    double breaks = 0.8 * expected_limit(0.0);
    show s = hang("point", true, breaks), again = hang("point", true, breaks);
    for (int i = 0; i < 40; i++) {
        wr_world_step_frame(s.world);
    }
    assert_int_equal(wr_metal_part_count(body_of(&s)), 2);
    CHECK_NEAR(height_of(&s, wr_v3(0.4f, 0, 0)), 2.4, 0.01);
    assert_true(height_of(&s, wr_v3(-0.4f, 0, 0)) < 0.6f);
    size_t size;
    wr_error error = {0};
    for (int i = 0; i < 30; i++) { // over the second at which every run forgets
        wr_world_step_frame(s.world);
    }
    const void *bytes = wr_world_save(s.world, &size, &error);
    if (!bytes || !wr_world_restore(again.world, bytes, size, &error)) {
        fail_msg("%s", error.message);
    }
    for (int i = 0; i < 20; i++) {
        wr_world_step_frame(s.world);
        wr_world_step_frame(again.world);
        assert_true(wr_world_frame(s.world)->hash == wr_world_frame(again.world)->hash);
    }
    CHECK_NEAR(height_of(&again, wr_v3(0.4f, 0, 0)), 2.4, 0.01);
    show_end(&s);
    show_end(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hanging_body_breaks_by_its_weight),
        cmocka_unit_test(loads_about_the_centre_are_those_at_the_joint),
        cmocka_unit_test(the_joint_goes_with_what_it_holds),
    };
    return cmocka_run_group_tests(tests, make_recipes, tear_down);
}
