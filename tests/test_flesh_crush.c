// test_flesh_crush.c: flesh where steps are long for it: small, stiff, light under what is heavy,
// or in something from the start. None of it may gain energy or pass the ground.
#include "check.h"

#include "flesh_world.h"
#include "show.h"

static show start(const char *text)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    char assets[600];
    snprintf(assets, sizeof assets, "'deer': '%s/models/deer-light.glb'", scenes);
    return start_with(assets, text, NULL);
}

typedef struct course {
    double growth; // of all energy, over what there was at first
    double sunk;   // of the size: how far skin is below the ground
    double turned; // rad: by which a bone turns in a step
} course;

// Of the first flesh of a scene.
static course run(const char *text, int frames)
{
    show s = start(text);
    const wri_flesh *f = flesh_at(s.world, 0);
    double energy = world_energy(s.world);
    course out = {0};
    for (int i = 0; i < frames; i++) {
        step_frames(s.world, 1);
        out.growth = fmax(out.growth, world_energy(s.world) / energy - 1.0);
        for (int k = 0; k < f->model->node_count; k++) {
            out.sunk = fmax(out.sunk, -(double)wri_flesh_place(f, k).y / (double)f->model->size);
        }
        for (int k = 0; k < f->model->bone_count; k++) {
            double turn = sqrt(wri_dot3(f->bones[k].alpha, f->bones[k].alpha));
            out.turned = fmax(out.turned, (double)f->model->dt * turn);
        }
    }
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    show_end(&s);
    printf("    energy grew by %.3g %%, %.3f sizes below the ground, %.2f rad in a step\n",
           100.0 * out.growth, out.sunk, out.turned);
    return out;
}

// 20 g of fat under 1.9 kg, which come at 2.5 m/s: the impulses on it all but cancel, and what is
// left of their moments must not spin it.
static void what_is_crushed_is_not_spun(void **state)
{
    (void)state;
    course c =
        run("'substeps': 1, 'bodies': [{'shape': 'plane', 'friction': 0.14}, {'shape': "
            "{'box': [0.054, 0.046, 0.032]}, 'at': [0, 0.03, 0], 'turn': {'axis': [-0.4, 0.7, "
            "1], 'by': 20}, 'density': 257, 'friction': 0.5, 'material': {'flesh': 'fat', "
            "'spacing': 1.7}}, {'shape': {'cylinder': {'radius': 0.04, 'height': 0.08}}, 'at': "
            "[0.012, 0.19, 0.015], 'turn': {'axis': [0.7, 1, 1], 'by': 109}, 'velocity': [0, "
            "-2.3, 0], 'density': 1664, 'friction': 0.26, 'material': {'flesh': 'tyre', "
            "'spacing': 5.7, 'stiffness': '56000 Pa'}}, {'shape': {'box': [0.048, 0.068, "
            "0.059]}, 'at': [0.01, 0.28, 0], 'velocity': [0, -2.3, 0], 'density': 6264}]",
            24);
    assert_true(c.growth < 0.02);
    assert_true(c.turned < 1.5);
    assert_true(c.sunk < 0.3);
}

// What is all but rigid meets the ground with many nodes at once, of which no set settles.
static void a_small_stiff_deer_does_not_fall_through_the_ground(void **state)
{
    (void)state;
    course c = run("'substeps': 1, 'bodies': [{'shape': 'plane'}, {'asset': 'deer', 'scale': 0.02, "
                   "'at': [0, 0.05, 0], 'turn': {'axis': [0.3, 0.2, 1], 'by': 70}, 'velocity': "
                   "[0.3, -1.4, 0], 'density': 8000, 'material': {'flesh': 'muscle', 'spacing': 0, "
                   "'stiffness': '5e7 Pa', 'joints': 2}}]",
                   14);
    assert_true(c.growth < 0.02);
    assert_true(c.sunk < 0.3);
}

// A wall within a ball: nodes beyond the middle of the wall would be driven out on its other side,
// against those before it.
static void what_begins_in_a_wall_gains_no_energy(void **state)
{
    (void)state;
    course c =
        run("'substeps': 1, 'gravity': [0, 0, 0], 'bodies': [{'shape': {'sphere': 0.032}, "
            "'at': [0, 0.5, 0], 'velocity': [0.2, -0.3, 0], 'density': 507, 'restitution': "
            "0.8, 'material': {'flesh': 'fat', 'spacing': 2.1, 'stiffness': '7e7 Pa'}}, "
            "{'shape': {'box': [0.1, 0.006, 0.12]}, 'at': [0.01, 0.522, 0], 'turn': {'axis': "
            "[0.2, 0, 1], 'by': 25}, 'velocity': [0, -1.5, 0.3], 'density': 3000, "
            "'restitution': 0.8}]",
            20);
    assert_true(c.growth < 0.02);
}

// Heavy and fast: it comes by more than the ball is thick in a step, and is met before.
static void what_is_hit_by_something_fast_and_heavy_stays_above_the_ground(void **state)
{
    (void)state;
    course c =
        run("'substeps': 1, 'bodies': [{'shape': 'plane'}, {'shape': {'sphere': 0.04}, 'at': "
            "[0, 0.041, 0], 'density': 1000, 'material': {'flesh': 'muscle', 'spacing': 2}}, "
            "{'shape': {'box': [0.3, 0.3, 0.3]}, 'at': [0.02, 0.95, 0.03], 'velocity': [0, -4, "
            "0], 'density': 300, 'restitution': 0}]",
            14);
    assert_true(c.growth < 0.02);
    assert_true(c.sunk < 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_crushed_is_not_spun),
        cmocka_unit_test(a_small_stiff_deer_does_not_fall_through_the_ground),
        cmocka_unit_test(what_begins_in_a_wall_gains_no_energy),
        cmocka_unit_test(what_is_hit_by_something_fast_and_heavy_stays_above_the_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
