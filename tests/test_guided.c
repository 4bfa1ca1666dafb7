// test_guided.c: velocities that are held, bodies that come in again, and how pairs of surfaces rub
// and bounce; in worlds of rigid bodies, against closed forms.
#include "check.h"
#include "folder.h"

#include "../bench/metal_world.h"

static show start(const char *text)
{
    char path[600];
    show s = {0};
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/scene.json", folder.path);
    if (!show_start(&s, path, "", NULL, text, NULL, &error)) {
        fail_msg("%s", error.message);
    }
    return s;
}

static void check_refused(const char *text, const char *message)
{
    char path[600];
    show s = {0};
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/scene.json", folder.path);
    assert_false(show_start(&s, path, "", NULL, text, NULL, &error));
    for (char *c = error.message; *c; c++) {
        *c = *c == '"' ? '\'' : *c;
    }
    if (!strstr(error.message, message)) {
        fail_msg("%s, expected %s", error.message, message);
    }
}

static void run(const show *s, double seconds)
{
    for (int i = 0; i < (int)(60.0 * seconds + 0.5); i++) {
        wr_world_step_frame(s->world);
    }
}

static wr_vec3 place(const show *s, int body)
{
    return wr_rigid_center(s->world->rigid, s->world->engine_of_body[body]);
}

static wr_vec3 velocity(const show *s, int body)
{
    return wr_rigid_velocity(s->world->rigid, s->world->engine_of_body[body]);
}

// --- held ---------------------------------------------------------------------------------------

// Half a second straight on, then a fall: v t - g t (t + dt) / 2, as the engine's steps have it.
static void a_held_velocity_is_kept_and_let_go(void **state)
{
    (void)state;
    show s =
        start("'bodies': [{'shape': {'box': [0.3, 0.2, 0.1]}, 'at': [1, 5, 0], 'velocity': [2, "
              "1, -0.5], 'spin': [0, 90, 0], 'angular_damping': 0, 'hold': 0.5}]");
    run(&s, 0.5);
    wr_vec3 p = place(&s, 0), v = velocity(&s, 0);
    CHECK_NEAR((double)p.x, 2.0, 1e-4);
    CHECK_NEAR((double)p.y, 5.5, 1e-4);
    CHECK_NEAR((double)p.z, -0.25, 1e-4);
    CHECK_NEAR((double)v.y, 1.0, 1e-5);
    wr_quat turned = wr_rigid_pose(s.world->rigid, 0).rotation;
    CHECK_NEAR((double)(2.0f * asinf(turned.y)), 0.25 * (double)WR_PI, 1e-3);
    run(&s, 0.25);
    double t = 0.25, dt = 1.0 / 240.0;
    CHECK_NEAR((double)place(&s, 0).y, 5.5 + t - 9.81 * t * (t + dt) / 2.0, 1e-4);
    CHECK_NEAR((double)velocity(&s, 0).y, 1.0 - 9.81 * t, 1e-4);
    show_end(&s);
}

// What is small has its steps divided. Gravity, taken off beforehand, would let it rise by 8 mm.
static void a_held_velocity_is_kept_in_steps_that_are_divided(void **state)
{
    (void)state;
    show s = start("'bodies': [{'shape': {'sphere': 0.001}, 'at': [1, 5, 0], 'velocity': [2, 1, "
                   "-0.5], 'hold': 0.5}]");
    run(&s, 0.5);
    assert_true(wr_world_stats(s.world).most_substeps > 1);
    wr_vec3 p = place(&s, 0);
    CHECK_NEAR((double)p.x, 2.0, 1e-4);
    CHECK_NEAR((double)p.y, 5.5, 1e-4);
    CHECK_NEAR((double)p.z, -0.25, 1e-4);
    CHECK_NEAR((double)velocity(&s, 0).y, 1.0, 1e-5);
    run(&s, 0.25); // and then it falls; by how much depends on the steps a little
    CHECK_NEAR((double)velocity(&s, 0).y, 1.0 - 9.81 * 0.25, 1e-3);
    show_end(&s);
}

// A light body that is held pushes a heavy one before it, a little in every step, until that is as
// fast.
static void a_held_body_pushes_what_is_in_its_way(void **state)
{
    (void)state;
    show s = start("'gravity': [0, 0, 0], 'bodies': [{'shape': {'box': [1, 1, 1]}, 'mass': 1, "
                   "'velocity': [2, 0, 0], 'hold': 1}, {'shape': {'box': [1, 1, 1]}, 'mass': 50, "
                   "'at': [1.5, 0, 0], 'restitution': 0}]");
    run(&s, 0.9);
    assert_true(place(&s, 0).x > 1.3f);
    CHECK_NEAR((double)velocity(&s, 1).x, 2.0, 0.1);
    show_end(&s);
}

// --- again --------------------------------------------------------------------------------------

// Two metres take 0.6386 s. Then everything begins anew, again and again.
static void a_body_that_fell_comes_in_again(void **state)
{
    (void)state;
    show s = start("'bodies': [{'shape': {'sphere': 0.1}, 'at': [1, 3, 0], 'velocity': [1, 0, 0], "
                   "'again': {'below': 1}, 'copies': {'count': 2, 'step': [0, 0, 2]}}, {'shape': "
                   "{'sphere': 0.1}, 'at': [9, 3, 0], 'again': {'below': 1, 'at': [5, 8, 5]}}]");
    int times = 0;
    for (int frame = 0; frame < 240; frame++) {
        wr_vec3 before = place(&s, 0);
        wr_world_step_frame(s.world);
        wr_vec3 now = place(&s, 0), copy = place(&s, 1);
        assert_true(now.y > 0.85f);
        assert_true(copy.x == now.x && copy.y == now.y && fabsf(copy.z - 2.0f) < 1e-6f);
        if (now.y > before.y) {
            times++;
            assert_true(now.x < 1.1f && now.y > 2.9f && velocity(&s, 0).x == 1.0f);
        }
    }
    assert_int_equal(times, 6); // 4 s / 0.6386 s
    show_end(&s);
    s = start("'bodies': [{'shape': {'sphere': 0.1}, 'at': [9, 3, 0], 'again': {'below': 1, 'at': "
              "[5, 8, 5]}}]");
    run(&s, 0.7);
    CHECK_NEAR((double)place(&s, 0).x, 5.0, 1e-6);
    CHECK_NEAR((double)place(&s, 0).y, 8.0, 0.05);
    show_end(&s);
}

// A box that is driven through the place keeps the ball out until it has left, after 2 s.
static void it_waits_until_its_place_is_free(void **state)
{
    (void)state;
    show s = start("'bodies': [{'shape': {'sphere': 0.1}, 'at': [0, 3, 0], 'again': {'below': 1}}, "
                   "{'shape': {'box': [0.5, 0.5, 0.5]}, 'path': [{'time': 0, 'at': [2, 3, 0]}, "
                   "{'time': 0.4, 'at': [0, 3, 0]}, {'time': 2, 'at': [0, 3, 0]}, {'time': 2.1, "
                   "'at': [4, 3, 0]}]}]");
    run(&s, 1.9);
    assert_true(place(&s, 0).y < -10.0f);
    run(&s, 0.2);
    assert_true(place(&s, 0).y > 2.5f);
    show_end(&s);
}

// --- surfaces -----------------------------------------------------------------------------------

#define SLIDES(surface, z)                                                                         \
    "{'shape': {'box': [1, 0.2, 1]}, 'at': [0, 0.1, " z "], 'velocity': [4, 0, 0], 'surface': "    \
    "'" surface "'}"
#define FALLS(surface, z)                                                                          \
    "{'shape': {'sphere': 0.1}, 'at': [0, 1.1, " z "], 'restitution': 0.5, 'surface': '" surface   \
    "'}"

// The highest that each of `count` balls rises after its first bounce, which is after 0.45 s.
static void find_heights(const show *s, int count, double *heights)
{
    run(s, 0.5);
    for (int k = 0; k < count; k++) {
        heights[k] = 0.0;
    }
    for (int i = 0; i < 60; i++) {
        wr_world_step_frame(s->world);
        for (int k = 0; k < count; k++) {
            heights[k] = fmax(heights[k], (double)place(s, 1 + k).y - 0.1);
        }
    }
}

static void a_pair_of_surfaces_rubs_as_the_pair_says(void **state)
{
    (void)state;
    const double friction[] = {0.02, 0.25, 0.6928}; // wood: sqrt(0.6 0.8)
    show s = start("'contacts': [{'between': ['steel', 'ice'], 'friction': 0.02}, {'between': "
                   "['ice', 'rubber'], 'friction': 0.25}], 'bodies': [{'shape': 'plane', "
                   "'friction': 0.8, 'surface': 'ice'}, " SLIDES("steel", "0") ", " SLIDES(
                       "rubber", "3") ", " SLIDES("wood", "6") "]");
    run(&s, 0.4);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR((double)velocity(&s, 1 + i).x, 4.0 - friction[i] * 9.81 * 0.4, 0.04);
    }
    show_end(&s);
}

static void a_pair_of_surfaces_bounces_as_the_pair_says(void **state)
{
    (void)state;
    const double restitution[] = {0.9, 0.0, 0.5}; // among floors: the larger one
    double heights[3];
    show s =
        start("'contacts': [{'between': ['ball', 'floor'], 'restitution': 0.9}, {'between': "
              "['egg', 'floor'], 'restitution': 0}], 'bodies': [{'shape': 'plane', 'surface': "
              "'floor'}, " FALLS("ball", "0") ", " FALLS("egg", "3") ", " FALLS("floor", "6") "]");
    find_heights(&s, 3, heights);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(heights[i], restitution[i] * restitution[i], 0.03);
    }
    show_end(&s);
}

// A body that has half of its restitution left, as bent metal has, keeps half of the pair's.
static void a_body_that_lost_bounce_loses_as_much_of_the_pairs(void **state)
{
    (void)state;
    show s = start(
        "'contacts': [{'between': ['ball', 'floor'], 'restitution': 0.9}], 'bodies': "
        "[{'shape': 'plane', 'surface': 'floor', 'restitution': 0.7}, " FALLS("ball", "0") "]");
    double height;
    wr_rigid_set_surface(s.world->rigid, s.world->engine_of_body[1], 0.6f, 0.25f);
    find_heights(&s, 1, &height);
    CHECK_NEAR(height, 0.45 * 0.45, 0.03);
    show_end(&s);
}

// --- mistakes -----------------------------------------------------------------------------------

static void mistakes_are_named_with_their_place(void **state)
{
    (void)state;
    check_refused("\n'bodies': [{'shape': 'plane', 'hold': 1}]",
                  "2:39: body 1: 'hold' has no effect on a body that is not moving");
    check_refused("\n'bodies': [{'shape': {'sphere': 1}, 'hold': -1}]",
                  "2:45: body 1: 'hold' is -1 s, expected 0 to 86400 s");
    check_refused("\n'bodies': [{'shape': {'sphere': 1}, 'again': {}}]", "'below'");
    check_refused("\n'bodies': [{'shape': {'sphere': 1}, 'again': {'below': 2}}]",
                  "2:46: body 1: 'below' is 2 m, expected less than the 0 m where it comes in");
    check_refused("\n'contacts': [{'between': ['a', 'b'], 'friction': 1}], 'bodies': []",
                  "2:27: contact 1: no body has the surface 'a'");
    const char *bodies = ", 'bodies': [{'shape': 'plane', 'surface': 'rubber'}]";
    char text[512];
    snprintf(text, sizeof text, "'contacts': [{'between': ['ruber', 'rubber'], 'friction': 1}]%s",
             bodies);
    check_refused(text, "did you mean 'rubber'?");
    snprintf(text, sizeof text, "'contacts': [{'between': ['rubber'], 'friction': 1}]%s", bodies);
    check_refused(text, "'between' has 1 names, expected 2");
    snprintf(text, sizeof text, "'contacts': [{'between': ['rubber', 'rubber']}]%s", bodies);
    check_refused(text, "has neither 'friction' nor 'restitution'");
    snprintf(text, sizeof text,
             "'contacts': [{'between': ['rubber', 'rubber'], 'friction': 1}, {'between': "
             "['rubber', 'rubber'], 'friction': 2}]%s",
             bodies);
    check_refused(text, "contact 2: these two were contact 1 already");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_velocity_is_kept_and_let_go),
        cmocka_unit_test(a_held_velocity_is_kept_in_steps_that_are_divided),
        cmocka_unit_test(a_held_body_pushes_what_is_in_its_way),
        cmocka_unit_test(a_body_that_fell_comes_in_again),
        cmocka_unit_test(it_waits_until_its_place_is_free),
        cmocka_unit_test(a_pair_of_surfaces_rubs_as_the_pair_says),
        cmocka_unit_test(a_pair_of_surfaces_bounces_as_the_pair_says),
        cmocka_unit_test(a_body_that_lost_bounce_loses_as_much_of_the_pairs),
        cmocka_unit_test(mistakes_are_named_with_their_place),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
