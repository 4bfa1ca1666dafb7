// test_flesh_crush.c: flesh where steps are long for it: small, stiff, or light under what is
// heavy. None of it may gain energy or pass the ground.
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

// 20 g of fat under 1.9 kg, which come at 2.5 m/s, by more than it is thick in a step: they are met
// before they overlap it. The impulses on it all but cancel, and what is left of their moments must
// not spin it.
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
    assert_true(c.sunk < 0.15);
}

// What is stiff and small meets the ground with many nodes at once, of which no set settles.
static void a_small_stiff_deer_does_not_fall_through_the_ground(void **state)
{
    (void)state;
    course c =
        run("'substeps': 1, 'bodies': [{'shape': 'plane', 'friction': 0.75}, {'asset': 'deer', "
            "'scale': 0.03565, 'at': [0, 0.078429, 0], 'turn': {'axis': [0.82, 0.77, 1], 'by': "
            "-168.1}, 'velocity': [0.27, -0.9192, 0.0556], 'spin': [56.87, -343.5, 306.5], "
            "'density': 8921, 'friction': 1.1, 'material': {'flesh': 'muscle', 'spacing': 0, "
            "'stiffness': '1.296e6 Pa', 'joints': 2.32}}]",
            6);
    assert_true(c.growth < 0.02);
    assert_true(c.sunk < 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_crushed_is_not_spun),
        cmocka_unit_test(a_small_stiff_deer_does_not_fall_through_the_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
