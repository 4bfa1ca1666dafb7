// test_flesh_world.c: what flesh promises in the world, with rigid bodies and metal.
#include "check.h"

#include "flesh_world.h"
#include "show.h"

static show start(const char *text)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    char assets[1200];
    snprintf(assets, sizeof assets, "'bar': '%s/models/bar.glb', 'ridges': '%s/models/ridges.glb'",
             scenes, scenes);
    return start_with(assets, text, NULL);
}

#define GROUND "{'shape': 'plane'}"
#define BALL                                                                                       \
    "{'shape': {'sphere': 0.2}, 'at': [0, 0.5, 0], 'material': {'flesh': '%s', 'spacing': 1.5}}"

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
        double least = 1.0, deepest = 0.0;
        for (int i = 0; i < 240; i++) {
            step_frames(s.world, 1);
            least = fmin(least, f->bones[0].c[1]);
            deepest = fmax(deepest, flesh_deepest(f));
        }
        printf(
            "    %-7s the core came down to %.3f and rests at %.3f m, %s; skin was pressed in by "
            "%.2f layers\n",
            name, least, f->bones[0].c[1], f->asleep ? "asleep" : "awake", deepest);
        assert_true(deepest < 0.95);
        assert_int_equal(wr_world_stats(s.world).frozen, 0);
        assert_true(least > 0.04 && least < 0.199);
        assert_true(f->bones[0].c[1] > 0.1 && f->bones[0].c[1] < 0.2);
        show_end(&s);
    }
}

// Bodies that look alike share what follows from their model, but each has the mass that it is
// told, whichever comes first.
static void bodies_that_look_alike_have_their_own_mass(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND
                   ", {'shape': {'sphere': 0.2}, 'at': [0, 0.5, 0], 'mass': 50, 'material': "
                   "{'flesh': 'muscle', 'spacing': 4}}, {'shape': {'sphere': 0.2}, 'at': [1, 0.5, "
                   "0], 'mass': 7, 'material': {'flesh': 'muscle', 'spacing': 4}}, {'shape': "
                   "{'sphere': 0.2}, 'at': [2, 0.5, 0], 'material': {'flesh': 'muscle', "
                   "'spacing': 4}}, {'shape': {'sphere': 0.2}, 'at': [3, 0.5, 0], 'mass': 50, "
                   "'material': {'flesh': 'muscle', 'spacing': 4}}]");
    const double water = 1000.0 * 4.0 / 3.0 * (double)WR_PI * 0.2 * 0.2 * 0.2;
    CHECK_NEAR(flesh_at(s.world, 0)->model->total_mass, 50.0, 1e-3);
    CHECK_NEAR(flesh_at(s.world, 1)->model->total_mass, 7.0, 1e-3);
    CHECK_NEAR(flesh_at(s.world, 2)->model->total_mass, water, 0.05 * water);
    assert_ptr_equal(flesh_at(s.world, 3)->model, flesh_at(s.world, 0)->model);
    show_end(&s);
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
                 ", {'shape': {'box': [2, 0.4, 0.4]}, 'at': [0, 0.201, 0], 'material': {'flesh': "
                 "'muscle', 'spacing': 2, 'stiffness': 4000}}, {'shape': {'box': [0.5, 0.1, 0.4]}, "
                 "'at': [0, 0.46, 0], "
                 "'mass': %.17g, 'restitution': 0}]",
                 ratios[k] * 320.0);
        show s = start(text);
        double low = 1.0, high = 0.0, deepest = 0.0;
        for (int i = 0; i < 150; i++) {
            step_frames(s.world, 1);
            low = i < 90 ? 1.0 : fmin(low, height_of(&s, 2));
            high = i < 90 ? 0.0 : fmax(high, height_of(&s, 2));
            deepest = fmax(deepest, flesh_deepest(flesh_at(s.world, 0)));
        }
        double rest = low;
        printf("    %g times its mass: at %.4f m, moves by %.1e m in a second; skin was pressed in "
               "by %.2f layers\n",
               ratios[k], rest, high - low, deepest);
        assert_true(deepest < 0.95);
        assert_int_equal(wr_world_stats(s.world).frozen, 0);
        assert_true(rest > 0.4 && rest < 0.455 && high - low < 2e-3);
        show_end(&s);
    }
}

// Flesh on a plate that lies on the ground, so many times its mass.
static void flesh_rests_on_what_is_a_hundred_times_lighter_and_heavier(void **state)
{
    (void)state;
    const double ratios[] = {0.01, 1.0, 100.0};
    for (int k = 0; k < WRI_COUNT(ratios); k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "'bodies': [" GROUND ", {'shape': {'box': [0.5, 0.1, 0.5]}, 'at': [0, 0.0505, "
                 "0], 'mass': %.17g}, {'shape': {'box': [0.3, 0.2, 0.3]}, 'at': [0, 0.2015, 0], "
                 "'material': {'flesh': 'muscle', 'spacing': 2}}]",
                 18.0 * ratios[k]);
        show s = start(text);
        double first = world_energy(s.world), most = first;
        for (int i = 0; i < 90; i++) {
            step_frames(s.world, 1);
            most = fmax(most, world_energy(s.world));
        }
        double rest = flesh_at(s.world, 0)->bones[0].c[1];
        printf("    on %g times its mass: at %.4f m, energy at most %.4f of the start\n", ratios[k],
               rest, most / first);
        assert_true(rest > 0.198 && rest < 0.2015 && most < 1.01 * first);
        CHECK_NEAR(height_of(&s, 1), 0.05, 1e-3);
        show_end(&s);
    }
}

// A ball sixteen times as heavy and ten thousand times as stiff falls on soft flesh: its core bears
// it, and nothing is gained.
static void heavy_flesh_falls_on_soft_flesh(void **state)
{
    (void)state;
    show s = start("'substeps': 4, 'bodies': [" GROUND
                   ", {'shape': {'box': [0.3, 0.2, 0.3]}, 'at': [0, 0.101, 0], 'density': 500, "
                   "'material': {'flesh': 'jelly', 'spacing': 3}}, {'shape': {'sphere': 0.15}, "
                   "'at': [0.02, 0.45, 0.01], 'velocity': [0, -1, 0], 'density': 10000, "
                   "'material': {'flesh': 'muscle', 'spacing': 3, 'stiffness': '1e8 Pa'}}]");
    double first = world_energy(s.world), most = first, deepest = 0.0;
    for (int i = 0; i < 40; i++) {
        step_frames(s.world, 1);
        most = fmax(most, world_energy(s.world));
        deepest = fmax(deepest, flesh_deepest(flesh_at(s.world, 0)));
    }
    printf("    energy at most %.4f of the start; skin was pressed in by %.2f layers\n",
           most / first, deepest);
    assert_true(most < 1.01 * first && deepest < 1.0);
    show_end(&s);
}

// Under thirty times the gravity of the earth, and under a plate of eleven times its mass.
static void skin_does_not_pass_its_core(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "'gravity': [0, -300, 0], 'bodies': [" GROUND ", {'shape': {'sphere': 0.2}, 'at': [0, "
        "0.21, 0], 'material': {'flesh': 'fat', 'spacing': 2}}]",
        "'bodies': [" GROUND ", {'shape': {'box': [0.3, 0.2, 0.3]}, 'at': [0, 0.1, 0], 'material': "
        "{'flesh': 'jelly', 'spacing': 2.5, 'stiffness': 3, 'damping': 0.05}}, {'shape': {'box': "
        "[0.5, 0.1, 0.5]}, 'at': [0, 0.2505, 0], 'mass': 200}]"};
    for (int k = 0; k < 2; k++) {
        show s = start(texts[k]);
        double deepest = 0.0;
        for (int i = 0; i < 60; i++) {
            step_frames(s.world, 1);
            deepest = fmax(deepest, flesh_deepest(flesh_at(s.world, 0)));
        }
        printf("    skin was pressed in by %.2f layers\n", deepest);
        assert_int_equal(wr_world_stats(s.world).frozen, 0);
        assert_true(deepest > 0.7 && deepest < 0.95);
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

// m/s, of the centre of mass.
static wr_vec3 velocity_of(const show *s, int index)
{
    wr_scratch scratch = wri_scratch_create(NULL);
    wri_flesh_momentum m;
    assert_true(wri_flesh_find_momentum(flesh_at(s->world, index), NULL, &scratch, &m));
    wri_scratch_destroy(&scratch);
    return wr_v3((float)(m.P[0] / m.mass), (float)(m.P[1] / m.mass), (float)(m.P[2] / m.mass));
}

#define STIFF                                                                                      \
    "'friction': 0, 'restitution': %g, 'material': {'flesh': 'tyre', 'stiffness': 1e6, "           \
    "'damping': 0.03, 'spacing': 3}"

// Balls that are all but rigid, thrown at a wall and, askew, at another one: along the normal they
// leave each other as fast as the bounce says, and across it nothing changes. Without a bounce what
// little skin springs back is all there is.
static void bodies_bounce_as_fast_as_they_are_told(void **state)
{
    (void)state;
    double left[2][2];
    for (int i = 0; i < 2; i++) {
        double bounce = i ? 0.64 : 0.0;
        char text[900];
        snprintf(text, sizeof text,
                 "'gravity': [0, 0, 0], 'bodies': [{'shape': 'plane', 'friction': 0, "
                 "'restitution': %g}, "
                 "{'shape': {'sphere': 0.2}, 'at': [0, 0.3, 0], 'velocity': [0.5, -2, 0.3], " STIFF
                 "}, {'shape': {'sphere': 0.2}, 'at': [3, 2, 0], 'velocity': [2, 0, 0], " STIFF
                 "}, {'shape': {'sphere': 0.2}, 'at': [3.5, 2, 0], " STIFF "}]",
                 i ? 0.8 : 0.0, bounce, bounce, bounce);
        show s = start(text);
        step_frames(s.world, 24);
        wr_vec3 v = velocity_of(&s, 0);
        left[i][0] = (double)v.y / 2.0;
        left[i][1] = (double)(velocity_of(&s, 2).x - velocity_of(&s, 1).x) / 2.0;
        printf("    bounce %.2f: leaves at %.3f and %.3f of the speed\n", bounce, left[i][0],
               left[i][1]);
        CHECK_NEAR((double)v.x, 0.5, 0.02);
        CHECK_NEAR((double)v.z, 0.3, 0.02);
        show_end(&s);
    }
    CHECK_NEAR(left[1][0], 0.8, 0.08);
    CHECK_NEAR(left[1][1], 0.64, 0.08);
    assert_true(left[0][0] < 0.3 && left[0][1] < 0.3);
}

// Metres: to which its bone comes again, of a ball of 40 cm that fell by a metre.
static double rebound(const char *material, double restitution)
{
    char text[500];
    snprintf(text, sizeof text,
             "'bodies': [{'shape': 'plane', 'restitution': 0}, {'shape': {'sphere': 0.2}, 'at': "
             "[0, 1.2, 0], "
             "'restitution': %g, 'material': {%s, 'spacing': 3}}]",
             restitution, material);
    show s = start(text);
    const wri_flesh *f = flesh_at(s.world, 0);
    double highest = 0.0;
    for (int i = 0; i < 75 && !(highest > 0.0 && f->bones[0].v[1] < 0.0); i++) {
        step_frames(s.world, 1);
        highest = f->bones[0].v[1] > 0.0 ? fmax(highest, f->bones[0].c[1]) : highest;
    }
    show_end(&s);
    return highest;
}

// Soft skin gives back by itself what it took: that it is thrown off as well takes nothing from
// that, and bounces of what is stiff are those of its restitution.
static void what_is_bouncier_bounces_higher(void **state)
{
    (void)state;
    static const char *const materials[] = {
        "'flesh': 'muscle'",
        "'flesh': 'rubber'",
        "'flesh': 'tyre'",
        "'flesh': 'jelly'",
        "'flesh': 'fat'",
        "'flesh': 'rubber', 'stiffness': 10",
        "'flesh': 'rubber', 'stiffness': 1000",
        "'flesh': 'rubber', 'stiffness': 1e6",
    };
    bool stiff = false; // like what is rigid: 0.45 and 1.2 m
    for (int i = 0; i < 8; i++) {
        double none = rebound(materials[i], 0.0), half = rebound(materials[i], 0.5),
               all = rebound(materials[i], 1.0);
        printf("    %s: %.3f, %.3f, %.3f m\n", materials[i], none, half, all);
        assert_true(none < half + 1e-3 && half < all + 1e-3);
        stiff = i == 7 && half > 0.4 && all > 1.1;
    }
    assert_true(stiff);
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

static void resumed_worlds_of_flesh_are_bit_identical_on_any_threads(void **state)
{
    (void)state;
    const hash_run run = {
        .text = "'frames': 8, 'substeps': 12, 'bodies': [" GROUND ", {'shape': {'sphere': 0.2}, "
                "'at': [0, 0.25, 0], 'velocity': [0, 4.4, 0], 'spin': [100, 30, 0], 'material': "
                "{'flesh': 'jelly', 'spacing': 2}}, {'shape': {'box': [0.2, 0.1, 0.2]}, 'at': "
                "[0.05, 0.55, 0], 'velocity': [0, 4.3, 0]}, {'shape': {'box': [0.3, 0.3, 0.4]}, "
                "'at': [1, 0.3, 0], 'velocity': [0, 4.4, 0], 'turn': {'axis': [1, 0, 1], 'by': "
                "20}, 'material': {'flesh': 'muscle', 'spacing': 2}}]",
        .before = 9, // they hit the ground when the world forgets, at frame 8
        .after = 3};
    check_same_bits(&run);
}

// Its triangles have no inside: what came through one by a rounding would fall.
static void flesh_lies_on_a_mesh(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", {'asset': 'ridges', 'shape': 'mesh', 'motion': 'static'}"
                   ", {'shape': {'sphere': 0.16}, 'at': [0.05, 0.5, 0.1], 'material': {'flesh': "
                   "'jelly', 'spacing': 1.5}}]");
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

// A node is torn off, as contacts that contradict each other do it.
static void skin_that_leaves_its_layer_is_trouble(void **state)
{
    (void)state;
    const char *text = "'bodies': [" GROUND ", {'shape': {'sphere': 0.2}, 'at': [0, 0.25, 0], "
                       "'material': {'flesh': 'muscle', 'spacing': 3}}]";
    show s = start(text), other = start(text);
    const wri_material_body *body = &s.world->materials[0];
    step_frames(s.world, 65);
    assert_int_equal(wr_world_stats(s.world).material_trouble, 0);
    assert_null(body->material->warning(body->state));
    wri_flesh *f = flesh_at(s.world, 0);
    f->v[7] = 1e5f * f->model->rest[7][3] / f->model->dt * f->model->outward[7];
    body->material->wake(body->state);
    step_frames(s.world, 1);
    int trouble = wr_world_stats(s.world).material_trouble;
    printf("    %d times\n", trouble);
    assert_true(trouble > 0);
    assert_non_null(strstr(body->material->warning(body->state), "beyond the end of its layer"));
    step_frames(s.world, 59);
    trouble = wr_world_stats(s.world).material_trouble;
    size_t size;
    const void *bytes = wr_world_save(s.world, &size, NULL);
    assert_true(bytes && wr_world_restore(other.world, bytes, size, NULL));
    assert_int_equal(wr_world_stats(other.world).material_trouble, trouble);
    show_end(&s);
    show_end(&other);
}

// N s, of a pair of bodies of the scene in this frame, upwards on the later one.
static double recorded(const show *s, int a, int b)
{
    const wr_frame *frame = wr_world_frame(s->world);
    double sum = 0.0;
    for (int i = 0; i < frame->contact_count; i++) {
        const wr_record_contact *c = &frame->contacts[i];
        sum += c->body_a == a && c->body_b == b ? (double)c->impulse : 0.0;
    }
    return sum;
}

// What lies still shows its weight: the ground bears both, the flesh the crate.
static void frames_have_the_contacts_of_flesh(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", {'shape': {'box': [0.5, 0.2, 0.4]}, 'at': [0.2, 0.1, "
                   "0.1], 'mass': 40, 'material': {'flesh': 'muscle', 'spacing': 2}}, {'shape': "
                   "{'box': [0.2, 0.1, 0.2]}, 'at': [0.15, 0.251, 0.1], 'mass': 30}]");
    enum { FRAMES = 24 };
    double below = 0.0, above = 0.0;
    step_frames(s.world, 12);
    for (int i = 0; i < FRAMES; i++) {
        step_frames(s.world, 1);
        below += recorded(&s, 0, 1);
        above += recorded(&s, 1, 2);
    }
    double time = FRAMES * s.world->dt * s.scene->substeps;
    printf("    the ground bears %.1f N of %.1f, flesh %.1f N of %.1f\n", below / time, 70 * 9.81,
           above / time, 30 * 9.81);
    CHECK_NEAR(below / time, 70.0 * 9.81, 0.05 * 70.0 * 9.81);
    CHECK_NEAR(above / time, 30.0 * 9.81, 0.05 * 30.0 * 9.81);
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

// A ball of jelly at rest: metres by which its core is lower than it is modelled.
static double sink_of(const char *method)
{
    char text[512];
    snprintf(text, sizeof text,
             "'bodies': [" GROUND ", {'shape': {'sphere': 0.2}, 'at': [0, 0.2, 0], 'material': "
             "{'flesh': 'jelly', 'spacing': 2, 'method': '%s'}}]",
             method);
    show s = start(text);
    step_frames(s.world, 150);
    double sink = 0.2 - flesh_at(s.world, 0)->bones[0].c[1];
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    show_end(&s);
    return sink;
}

static void published_flesh_hardly_gives_way_under_its_own_weight(void **state)
{
    (void)state;
    double ours = sink_of("exact"), published = sink_of("published");
    printf("    ours rests %.1f mm lower, the published one %.1f mm\n", 1e3 * ours,
           1e3 * published);
    assert_true(ours > 0.03 && ours < 0.034 && published > 0.0 && published < 0.25 * ours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_falls_squashes_and_lies_still),
        cmocka_unit_test(bodies_that_look_alike_have_their_own_mass),
        cmocka_unit_test(boxes_a_hundred_times_lighter_and_heavier_rest_on_flesh),
        cmocka_unit_test(flesh_rests_on_what_is_a_hundred_times_lighter_and_heavier),
        cmocka_unit_test(heavy_flesh_falls_on_soft_flesh),
        cmocka_unit_test(skin_does_not_pass_its_core),
        cmocka_unit_test(bodies_bounce_as_fast_as_they_are_told),
        cmocka_unit_test(what_is_bouncier_bounces_higher),
        cmocka_unit_test(a_hit_gives_the_other_side_what_flesh_loses),
        cmocka_unit_test(resumed_worlds_of_flesh_are_bit_identical_on_any_threads),
        cmocka_unit_test(flesh_lies_on_a_mesh),
        cmocka_unit_test(frames_have_the_contacts_of_flesh),
        cmocka_unit_test(skin_that_leaves_its_layer_is_trouble),
        cmocka_unit_test(flesh_dents_metal),
        cmocka_unit_test(published_flesh_hardly_gives_way_under_its_own_weight),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
