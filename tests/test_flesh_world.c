// test_flesh_world.c: what flesh promises in the world, with rigid bodies and metal.
#include "check.h"

#include "../src/flesh/flesh.h"
#include "../src/math/double3.h"
#include "../src/world/flesh.h"
#include "show.h"

static show start_by(const char *text, const wr_tasks *tasks)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    char assets[1200];
    snprintf(assets, sizeof assets, "'bar': '%s/models/bar.glb', 'ridges': '%s/models/ridges.glb'",
             scenes, scenes);
    return start_with(assets, text, tasks);
}

static show start(const char *text)
{
    return start_by(text, NULL);
}

static wri_flesh *flesh_at(const wr_world *world, int index)
{
    int body;
    wr_flesh_world *flesh = wri_flesh_world_of(world->materials[index].state, &body);
    return wri_flesh_of(flesh, body);
}

#define GROUND "{'shape': 'plane'}"
#define BALL "{'shape': {'sphere': 0.2}, 'at': [0, 0.5, 0], 'material': {'flesh': '%s'}}"

static void every_preset_falls_squashes_and_lies_still(void **state)
{
    (void)state;
    int count = wri_flesh_material.preset_count;
    for (int k = 0; k < count; k++) {
        char text[512];
        const char *name = wri_flesh_material.presets[k].name;
        snprintf(text, sizeof text, "'bodies': [" GROUND ", " BALL "]", name);
        show s = start(text);
        const wri_flesh *f = flesh_at(s.world, 0);
        double least = 1.0;
        for (int i = 0; i < 240; i++) {
            step_frames(s.world, 1);
            least = fmin(least, f->bones[0].c[1]);
        }
        printf("    %-7s the core came down to %.3f and rests at %.3f m, %s\n", name, least,
               f->bones[0].c[1], f->asleep ? "asleep" : "awake");
        assert_int_equal(wr_world_stats(s.world).frozen, 0);
        assert_true(least > 0.04 && least < 0.199);
        assert_true(f->bones[0].c[1] > 0.1 && f->bones[0].c[1] < 0.2);
        show_end(&s);
    }
}

static double height_of(const show *s, int body)
{
    return (double)wr_rigid_center(s->world->rigid, wr_world_body(s->world, body)).y;
}

// A flat box on a lump of flesh, so many times its mass.
static void boxes_a_hundred_times_lighter_and_heavier_rest_on_flesh(void **state)
{
    (void)state;
    const double ratios[] = {0.01, 1.0, 100.0};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "'bodies': [" GROUND
                 ", {'asset': 'bar', 'at': [0, 0.201, 0], 'material': {'flesh': 'muscle', "
                 "'stiffness': 4000}}, {'shape': {'box': [0.5, 0.1, 0.4]}, 'at': [0, 0.46, 0], "
                 "'mass': %.17g, 'restitution': 0}]",
                 ratios[k] * 320.0);
        show s = start(text);
        step_frames(s.world, 150);
        double rest = height_of(&s, 2), low = 1.0, high = 0.0;
        for (int i = 0; i < 60; i++) {
            step_frames(s.world, 1);
            low = fmin(low, height_of(&s, 2));
            high = fmax(high, height_of(&s, 2));
        }
        printf("    %g times its mass: at %.4f m, moves by %.1e m in a second\n", ratios[k], rest,
               high - low);
        assert_int_equal(wr_world_stats(s.world).frozen, 0);
        assert_true(rest > 0.4 && rest < 0.455 && high - low < 2e-3);
        show_end(&s);
    }
}

// Both momenta of the flesh and of the box, kg m/s, and about the origin of the world.
static void momenta_of(const show *s, double P[3], double L[3])
{
    wr_scratch scratch = wri_scratch_create(NULL);
    wri_flesh_momentum m;
    assert_true(wri_flesh_find_momentum(flesh_at(s->world, 0), NULL, &scratch, &m));
    motion box =
        find_motion(s->world->rigid, wr_world_body(s->world, 1), &s->scene->bodies[1].rigid.mass);
    wri_cross3(m.center, m.P, L);
    for (int k = 0; k < 3; k++) {
        P[k] = m.P[k] + box.linear[k];
        L[k] += m.spin[k] + box.angular[k];
    }
    wri_scratch_destroy(&scratch);
}

// Nobody else is there, not even air: what one loses the other gets.
static void a_hit_gives_the_other_side_what_flesh_loses(void **state)
{
    (void)state;
    show s =
        start("'gravity': [0, 0, 0], 'bodies': [{'shape': {'sphere': 0.2}, 'at': [0, 0, 0], "
              "'velocity': [4, 0.5, 0], 'spin': [0, 90, 40], 'material': {'flesh': 'fat'}}, "
              "{'shape': {'box': [0.4, 0.4, 0.4]}, 'at': [0.65, 0.15, 0.1], 'turn': {'axis': [1, "
              "2, 3], 'by': 30}, 'density': 700, 'angular_damping': 0}]");
    double P[2][3], L[2][3], mass = flesh_at(s.world, 0)->model->total_mass;
    int contacts = 0;
    momenta_of(&s, P[0], L[0]);
    for (int i = 0; i < 40; i++) {
        step_frames(s.world, 1);
        contacts += wr_world_stats(s.world).contacts;
    }
    momenta_of(&s, P[1], L[1]);
    printf("    linear off by %.1e %.1e %.1e of %.0f, angular by %.1e %.1e %.1e of %.0f\n",
           P[1][0] - P[0][0], P[1][1] - P[0][1], P[1][2] - P[0][2], 4.0 * mass, L[1][0] - L[0][0],
           L[1][1] - L[0][1], L[1][2] - L[0][2], 2.4 * mass);
    assert_true(wr_rigid_velocity(s.world->rigid, wr_world_body(s.world, 1)).x > 0.3f &&
                contacts > 0);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(P[1][k], P[0][k], 1e-5 * 4.0 * mass);
        CHECK_NEAR(L[1][k], L[0][k], 1e-5 * 4.0 * mass * 0.6);
    }
    show_end(&s);
}

static uint64_t hash_after(const wr_tasks *tasks, bool resumes)
{
    static const char text[] =
        "'bodies': [" GROUND ", {'shape': {'sphere': 0.2}, 'at': [0, 0.35, 0], 'spin': [100, 30, "
        "0], 'material': {'flesh': 'jelly'}}, {'shape': {'box': [0.2, 0.1, 0.2]}, 'at': [0.05, "
        "0.7, "
        "0]}, {'shape': {'box': [0.3, 0.3, 0.4]}, 'at': [1, 0.4, 0], 'turn': {'axis': [1, 0, 1], "
        "'by': 20}, 'material': 'flesh'}]";
    show s = start_by(text, tasks);
    step_frames(s.world, 25); // in the middle of the hit
    if (resumes) {
        size_t size;
        const void *bytes = wr_world_save(s.world, &size, NULL);
        show other = start_by(text, tasks);
        assert_true(bytes && wr_world_restore(other.world, bytes, size, NULL));
        show_end(&s);
        s = other;
    }
    step_frames(s.world, 40);
    size_t saved;
    const void *all = wr_world_save(s.world, &saved, NULL);
    assert_non_null(all);
    uint64_t hash = wri_hash(all, saved, 0);
    show_end(&s);
    return hash;
}

static void resumed_worlds_of_flesh_are_bit_identical_on_any_threads(void **state)
{
    (void)state;
    wr_tasks two = wr_tasks_openmp(2);
    uint64_t hash = hash_after(NULL, false);
    assert_true(hash_after(NULL, true) == hash);
    assert_true(hash_after(&two, false) == hash);
}

// Its triangles have no inside: what came through one by a rounding would fall.
static void flesh_lies_on_a_mesh(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", {'asset': 'ridges', 'shape': 'mesh', 'motion': 'static'}"
                   ", {'shape': {'sphere': 0.16}, 'at': [0.05, 0.5, 0.1], 'material': {'flesh': "
                   "'jelly'}}]");
    double least = 1.0;
    for (int i = 0; i < 90; i++) {
        step_frames(s.world, 1);
        least = fmin(least, flesh_at(s.world, 0)->bones[0].c[1]);
    }
    double last = flesh_at(s.world, 0)->bones[0].c[1];
    printf("    the core came down to %.3f m and is at %.3f\n", least, last);
    assert_true(least > 0.16 && last > 0.18);
    show_end(&s);
}

static void flesh_dents_metal(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", {'asset': 'barrel', 'at': [0, 0.45, 0], 'material': "
                   "{'metal': 'tin'}}, {'shape': {'sphere': 0.25}, 'at': [0.1, 1.3, 0.05], "
                   "'velocity': [0, -9, 0], 'density': 3000, 'material': {'flesh': 'tyre'}}]");
    step_frames(s.world, 40);
    double dent = (double)deepest_dent(metal_at(s.world, 0));
    printf("    a dent of %.1f %% of the barrel\n", 100.0 * dent);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    assert_true(dent > 0.01);
    assert_true(flesh_at(s.world, 1)->bones[0].c[1] > 0.9); // it lies on it
    show_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_falls_squashes_and_lies_still),
        cmocka_unit_test(boxes_a_hundred_times_lighter_and_heavier_rest_on_flesh),
        cmocka_unit_test(a_hit_gives_the_other_side_what_flesh_loses),
        cmocka_unit_test(resumed_worlds_of_flesh_are_bit_identical_on_any_threads),
        cmocka_unit_test(flesh_lies_on_a_mesh),
        cmocka_unit_test(flesh_dents_metal),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
