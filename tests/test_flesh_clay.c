// test_flesh_clay.c: what flesh and clay promise where they touch.
#include "check.h"

#include "../src/math/double3.h"
#include "../src/math/triangle.h"
#include "../src/world/flesh.h"
#include "clay_world.h"
#include "flesh_body.h"
#include "show.h"

static show start_by(const char *text, const wr_tasks *tasks)
{
    return start_with(NULL, text, tasks);
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

// Both momenta of a body of flesh and one of clay, about the origin of the world, and the sizes of
// those.
typedef struct sums {
    double P[3], L[3], P_size, L_size;
} sums;

static void add_sums(sums *s, const double x[3], const double P[3], const double spin[3])
{
    double L[3];
    wri_cross3(x, P, L);
    for (int k = 0; k < 3; k++) {
        s->P[k] += P[k];
        s->L[k] += L[k] + spin[k];
    }
    s->P_size += wri_length3(P);
    s->L_size += wri_length3(L) + wri_length3(spin);
}

static sums sums_of(const wr_world *world, int flesh, int clay)
{
    sums s = {0};
    wr_scratch scratch = wri_scratch_create(NULL);
    wri_flesh_momentum m;
    assert_true(wri_flesh_find_momentum(flesh_at(world, flesh), NULL, &scratch, &m));
    wri_scratch_destroy(&scratch);
    add_sums(&s, m.center, m.P, m.spin);
    const wri_clay *c = clay_at(world, clay);
    for (int i = 0; i < c->count; i++) {
        const double none[3] = {0.0, 0.0, 0.0};
        double x[3], P[3];
        for (int k = 0; k < 3; k++) {
            x[k] = (double)c->x[i][k] + (double)c->x_low[i][k] + c->state.origin[k];
            P[k] = (double)c->m[i] * (double)c->v[i][k];
        }
        add_sums(&s, x, P, none);
    }
    return s;
}

static double energy_of(const wr_world *world, int flesh, int clay)
{
    double g = -(double)world->scene->gravity.y;
    return flesh_energy(flesh_at(world, flesh), g) +
           clay_energy(clay_at(world, clay), g, world->dt);
}

// How deep the particles are in skin at most, in their radii: to the nearest point of a triangle,
// which is inside where the triangle faces away.
static double overlap_of(const wr_world *world, int flesh, int clay)
{
    const wri_flesh *f = flesh_at(world, flesh);
    const wri_clay *c = clay_at(world, clay);
    const wr_flesh_model *m = f->model;
    wr_vec3 *x = calloc((size_t)m->node_count, sizeof *x);
    for (int i = 0; i < m->node_count; i++) {
        x[i] = wri_flesh_place(f, i);
    }
    double deepest = 0.0;
    for (int i = 0; i < c->count; i++) {
        wr_vec3 p = wri_clay_place(c, c->x[i]);
        float nearest = 2.0f * c->radius[i], sign = 1.0f;
        for (int t = 0; t < m->triangle_count; t++) {
            const int *k = &m->triangles[3 * t];
            float w[3];
            if (wr_distance(p, x[k[0]]) > 0.2f) {
                continue;
            }
            wri_nearest_in_triangle(p, x[k[0]], x[k[1]], x[k[2]], w);
            wr_vec3 at = wr_add(wr_add(wr_scale(w[0], x[k[0]]), wr_scale(w[1], x[k[1]])),
                                wr_scale(w[2], x[k[2]]));
            wr_vec3 n = wr_cross(wr_sub(x[k[1]], x[k[0]]), wr_sub(x[k[2]], x[k[0]]));
            if (wr_distance(p, at) < nearest) {
                nearest = wr_distance(p, at);
                sign = wr_dot(n, wr_sub(p, at)) < 0.0f ? -1.0f : 1.0f;
            }
        }
        deepest = fmax(deepest, 1.0 - (double)(sign * nearest / c->radius[i]));
    }
    free(x);
    return deepest;
}

static double fastest_of(const wri_clay *c)
{
    double most = 0.0;
    for (int i = 0; i < c->count; i++) {
        most = fmax(most, sqrt((double)f4_dot(c->v[i], c->v[i])));
    }
    return most;
}

static double mean_speed(const wr_world *world, int material)
{
    const wri_material_body *body = &world->materials[material];
    return (double)body->material->statistics(body->state).speed;
}

#define GROUND "{'shape': 'plane'}"

// --- hits -------------------------------------------------------------------------------------

// Nobody else is there: what one loses the other gets. Densities make one of them a hundred times
// as heavy as the other.
static void an_oblique_hit_keeps_both_momenta_and_brings_no_energy(void **state)
{
    (void)state;
    const struct {
        const char *flesh, *clay;
        double densities[2];
    } cases[] = {{"fat", "clay", {1000, 700}},
                 {"muscle", "clay", {134000, 700}},
                 {"tyre", "chewing gum", {1000, 52400}}};
    for (int k = 0; k < WRI_COUNT(cases); k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "'gravity': [0, 0, 0], 'bodies': [{'shape': {'sphere': 0.2}, 'velocity': [4, 0.5, "
                 "0], 'spin': [0, 90, 40], 'density': %g, 'material': {'flesh': '%s', 'spacing': "
                 "2}}, {'shape': "
                 "{'box': [0.4, 0.4, 0.4]}, 'at': [0.65, 0.15, 0.1], 'turn': {'axis': [1, 2, 3], "
                 "'by': 30}, 'density': %g, 'material': {'clay': '%s', 'particles': 500}}]",
                 cases[k].densities[0], cases[k].flesh, cases[k].densities[1], cases[k].clay);
        show s = start(text);
        sums before = sums_of(s.world, 0, 1);
        double energy = energy_of(s.world, 0, 1), most = 0.0, deepest = 0.0;
        int contacts = 0;
        for (int i = 0; i < 30; i++) {
            step_frames(s.world, 1);
            most = fmax(most, energy_of(s.world, 0, 1));
            deepest = i % 3 ? deepest : fmax(deepest, overlap_of(s.world, 0, 1));
            contacts += s.world->tally.contacts;
        }
        sums after = sums_of(s.world, 0, 1);
        double linear = 0.0, angular = 0.0;
        for (int i = 0; i < 3; i++) {
            linear = fmax(linear, fabs(after.P[i] - before.P[i]) / after.P_size);
            angular = fmax(angular, fabs(after.L[i] - before.L[i]) / after.L_size);
        }
        printf("    momentum off by %.1e, angular by %.1e; energy %.4f at most, %.3f in the end; "
               "%.2f radii deep\n",
               linear, angular, most / energy, energy_of(s.world, 0, 1) / energy, deepest);
        assert_true(contacts > 3 && linear < 1e-5 && angular < 1e-5);
        assert_true(most < (1.0 + 1e-5) * energy && energy_of(s.world, 0, 1) < 0.999 * energy);
        assert_true(deepest < 1.0);
        show_end(&s);
    }
}

// --- rest -------------------------------------------------------------------------------------

// Lets it come to rest, then watches half a second.
static void check_rest(const char *what, const char *text, double seconds, double least,
                       double most_deep)
{
    show s = start(text);
    int clay = clay_at(s.world, 0) ? 0 : 1, flesh = 1 - clay, frames = (int)(60.0 * seconds);
    double before = energy_of(s.world, flesh, clay), most = 0.0, fast = 0.0, mean = 0.0;
    for (int i = 0; i < frames + 30; i++) {
        step_frames(s.world, 1);
        most = fmax(most, energy_of(s.world, flesh, clay));
        if (i >= frames) {
            fast = fmax(fast, fastest_of(clay_at(s.world, clay)));
            mean = fmax(mean, fmax(mean_speed(s.world, clay), mean_speed(s.world, flesh)));
        }
    }
    double deep = overlap_of(s.world, flesh, clay), low = 1e9;
    const wri_clay *c = clay_at(s.world, clay);
    for (int i = 0; i < c->count; i++) {
        low = fmin(low, clay_height(c, i) - (double)c->radius[i]);
    }
    printf("    %s: %.2f radii deep, a particle %.3f m/s and all %.4f m/s at most; clay from %.4f, "
           "flesh at %.4f m; energy %.4f at most\n",
           what, deep, fast, mean, low, flesh_at(s.world, flesh)->bones[0].c[1], most / before);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    assert_true(deep > 0.0 && deep < most_deep && fast < 0.02 && mean < 0.05); // a ball may rock
    assert_true(fabs(flesh_at(s.world, flesh)->bones[0].v[1]) < 0.01);
    assert_true(low > least && most < (1.0 + 1e-4) * before);
    show_end(&s);
}

static void flesh_and_clay_rest_on_each_other(void **state)
{
    (void)state;
    check_rest("a ball of flesh on clay",
               "'bodies': [" GROUND ", {'shape': {'box': [0.6, 0.2, 0.6]}, 'at': [0, 0.1, 0], "
               "'material': {'clay': 'clay', 'particles': 800}}, {'shape': {'sphere': 0.2}, 'at': "
               "[0, 0.43, 0], 'material': 'flesh'}]",
               2.0, -0.02, 0.2);
    check_rest("a ball of clay on flesh",
               "'bodies': [" GROUND ", {'shape': {'box': [1, 0.2, 1]}, 'at': [0, 0.101, 0], "
               "'material': {'flesh': 'muscle', 'spacing': 2}}, {'shape': {'sphere': 0.15}, 'at': "
               "[0, 0.37, 0], 'material': "
               "{'clay': 'clay', 'particles': 700}}]",
               1.5, 0.15, 0.1);
}

// 0.5 kg on 200 kg, and 112 kg on 1 kg.
static void a_hundred_times_lighter_and_heavier_rest(void **state)
{
    (void)state;
    check_rest("light clay on heavy flesh",
               "'bodies': [" GROUND ", {'shape': {'box': [1, 0.2, 1]}, 'at': [0, 0.101, 0], "
               "'material': {'flesh': 'muscle', 'spacing': 2}}, {'shape': {'sphere': 0.05}, 'at': "
               "[0, 0.26, 0], 'material': "
               "{'clay': 'clay', 'particles': 300}}]",
               1.0, 0.15, 0.05);
    check_rest(
        "heavy clay on light flesh",
        "'bodies': [" GROUND ", {'shape': {'box': [0.6, 0.15, 0.6]}, 'at': [0, 0.076, 0], "
        "'density': 18.5, 'material': {'flesh': 'muscle', 'stiffness': 4000, 'spacing': 2}}, "
        "{'shape': "
        "{'box': [0.5, 0.2, 0.5]}, 'at': [0, 0.26, 0], 'density': 2240, 'material': {'clay': "
        "'clay', 'particles': 500}}]",
        1.0, 0.02, 0.05);
}

// --- friction ---------------------------------------------------------------------------------

// Down a slope of 26.6 degrees, on flesh that something holds.
static double slide(double friction, double *speed)
{
    char text[1024];
    snprintf(text, sizeof text,
             "'gravity': [4.387, -8.774, 0], 'bodies': [{'shape': {'box': [1.4, 0.2, 0.8]}, "
             "'path': [{'time': 0, 'at': [0, 0, 0]}, {'time': 1, 'at': [0, 0, 0]}], 'friction': "
             "%g, 'material': {'flesh': 'tyre', 'spacing': 2}}, {'shape': {'box': [0.3, 0.12, "
             "0.3]}, 'at': "
             "[-0.4, 0.165, 0], 'friction': %g, 'material': {'clay': 'clay', 'stiffness': 300, "
             "'yield': 20, 'particles': 500}}]",
             friction, friction);
    show s = start(text);
    double P[2];
    for (int i = 0; i < 2; i++) {
        step_frames(s.world, 12);
        sums all = sums_of(s.world, 0, 1);
        P[i] = all.P[0] / clay_mass(clay_at(s.world, 1));
    }
    *speed = P[1];
    show_end(&s);
    return (P[1] - P[0]) / 0.2;
}

static void clay_slides_on_flesh_by_coulomb(void **state)
{
    (void)state;
    double speed, wanted = 4.387 - 0.2 * 8.774, slides = slide(0.2, &speed);
    double sticks = slide(0.8, &speed);
    printf("    friction 0.2: %.3f m/s^2, wanted %.3f; 0.8: it creeps at %.4f m/s\n", slides,
           wanted, speed);
    assert_true(fabs(slides - wanted) < 0.1 * wanted);
    assert_true(fabs(sticks) < 0.1 && fabs(speed) < 0.02);
}

// --- what stays -------------------------------------------------------------------------------

// The height of the clay's surface in the middle.
static double height_in_middle(const wri_clay *c)
{
    double top = -1.0;
    for (int i = 0; i < c->count; i++) {
        wr_vec3 p = wri_clay_place(c, c->x[i]);
        if (p.x * p.x + p.z * p.z < 0.05f * 0.05f) {
            top = fmax(top, (double)(p.y + c->radius[i]));
        }
    }
    return top;
}

static void flesh_that_is_pressed_into_clay_leaves_a_dent(void **state)
{
    (void)state;
    show s =
        start("'bodies': [" GROUND ", {'shape': {'box': [0.8, 0.3, 0.8]}, 'at': [0, 0.15, 0], "
              "'material': {'clay': 'clay', 'yield': 1, 'particles': 900}}, {'shape': "
              "{'sphere': 0.15}, 'path': [{'time': 0, 'at': [0, 0.46, "
              "0]}, {'time': 0.4, 'at': [0, 0.36, 0]}, {'time': 0.5, 'at': [0, 0.36, 0]}, "
              "{'time': 0.8, 'at': [0, 0.6, 0]}], 'material': {'flesh': 'rubber', 'spacing': 2}}]");
    double before = height_in_middle(clay_at(s.world, 0)), deepest = 0.0;
    for (int i = 0; i < 60; i++) {
        step_frames(s.world, 1);
        deepest = i % 4 ? deepest : fmax(deepest, overlap_of(s.world, 1, 0));
    }
    double dent = before - height_in_middle(clay_at(s.world, 0));
    printf("    a dent of %.1f mm, %.2f radii deep at most\n", 1e3 * dent, deepest);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    assert_true(dent > 0.03 && dent < 0.1 && deepest < 1.0);
    show_end(&s);
}

static uint64_t hash_of_run(const wr_tasks *tasks, bool resumes)
{
    static const char text[] =
        "'bodies': [" GROUND
        ", {'shape': {'sphere': 0.2}, 'at': [0, 0.2, 0], 'material': {'flesh': "
        "'jelly', 'spacing': 2}}, {'shape': {'sphere': 0.12}, 'at': [0.05, 0.55, 0], 'velocity': "
        "[0, -2, 0], "
        "'spin': [0, 0, 90], 'material': {'clay': 'putty', 'particles': 400}}, {'shape': {'box': "
        "[0.2, 0.1, 0.2]}, 'at': [0.4, 0.3, 0]}]";
    show s = start_by(text, tasks);
    step_frames(s.world, 8); // in the middle of the hit
    assert_true(s.world->tally.contacts > 0);
    assert_true(wri_world_forget(s.world, NULL)); // else it would be simulated from the start
    if (resumes) {
        size_t size;
        const void *bytes = wr_world_save(s.world, &size, NULL);
        show other = start_by(text, tasks);
        assert_true(bytes && wr_world_restore(other.world, bytes, size, NULL));
        show_end(&s);
        s = other;
    }
    step_frames(s.world, 15);
    uint64_t hash = 0;
    for (int i = 0; i < s.world->material_count; i++) {
        const wri_material_body *body = &s.world->materials[i];
        uint64_t own = body->material->hash(body->state);
        hash = wri_hash(&own, sizeof own, hash);
    }
    show_end(&s);
    return hash;
}

static void resumed_worlds_are_bit_identical_on_any_threads(void **state)
{
    (void)state;
    wr_tasks two = wr_tasks_openmp(2);
    uint64_t hash = hash_of_run(NULL, false);
    assert_true(hash_of_run(NULL, true) == hash);
    assert_true(hash_of_run(&two, false) == hash);
}

// What sleeps does not keep others from falling.
static void clay_that_falls_on_sleeping_flesh_wakes_it_and_both_sleep_again(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", {'shape': {'box': [0.5, 0.2, 0.5]}, 'at': [0, 0.1, 0], "
                   "'material': {'flesh': 'muscle', 'spacing': 2}}, {'shape': {'sphere': 0.06}, "
                   "'at': [0, 4, 0], 'material': "
                   "{'clay': 'clay', 'particles': 300}}]");
    bool slept = false, woke = false;
    for (int i = 0; i < 300; i++) {
        step_frames(s.world, 1);
        slept = slept || flesh_at(s.world, 0)->asleep;
        woke = woke || (slept && !flesh_at(s.world, 0)->asleep);
    }
    printf("    clay %s, flesh %s\n", clay_at(s.world, 1)->state.asleep ? "asleep" : "awake",
           flesh_at(s.world, 0)->asleep ? "asleep" : "awake");
    assert_true(slept && woke && overlap_of(s.world, 0, 1) < 1.0);
    assert_true(clay_at(s.world, 1)->state.asleep && flesh_at(s.world, 0)->asleep);
    show_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_oblique_hit_keeps_both_momenta_and_brings_no_energy),
        cmocka_unit_test(flesh_and_clay_rest_on_each_other),
        cmocka_unit_test(a_hundred_times_lighter_and_heavier_rest),
        cmocka_unit_test(clay_slides_on_flesh_by_coulomb),
        cmocka_unit_test(flesh_that_is_pressed_into_clay_leaves_a_dent),
        cmocka_unit_test(resumed_worlds_are_bit_identical_on_any_threads),
        cmocka_unit_test(clay_that_falls_on_sleeping_flesh_wakes_it_and_both_sleep_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
