// test_clay_world.c: what clay promises in the world, with rigid bodies, metal and other clay.
#include "check.h"

#include "clay_world.h"
#include "show.h"

// --- scenes -----------------------------------------------------------------------------------

static show start(const char *text)
{
    return start_with(NULL, text, NULL);
}

static void check_sound(const wr_world *world)
{
    assert_int_equal(wr_world_stats(world).frozen, 0);
    for (int i = 0; i < world->material_count; i++) {
        wri_clay *c = clay_at(world, i);
        for (int k = 0; c && k < c->count; k++) {
            assert_true(wr_is_finite3(f4_vec3(c->x[k])) && wr_is_finite3(f4_vec3(c->v[k])));
        }
    }
}

#define GROUND "{'shape': 'plane'}"

// --- energy -------------------------------------------------------------------------------------

// Never above what was there at the start, J over J.
static double most_growth(wr_world *world, int frames)
{
    double first = world_energy(world), most = 0.0;
    for (int i = 0; i < frames; i++) {
        step_frames(world, 1);
        most = fmax(most, world_energy(world) / first);
    }
    check_sound(world);
    return most - 1.0;
}

static void drops_gain_no_energy(void **state)
{
    (void)state;
    int count;
    const wr_preset *presets = wr_clay_presets(&count);
    for (int k = 0; k < count; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "'bodies': [" GROUND
                 ", {'shape': {'box': [0.06, 0.3, 1]}, 'at': [0.05, 0.15, 0], 'motion': 'static', "
                 "'turn': {'axis': [0, 1, 0], 'by': 25}}, {'shape': {'box': [0.3, 0.2, 0.4]}, "
                 "'at': [0, 0.7, 0], 'turn': {'axis': [1, 0.3, 0.5], 'by': 40}, 'velocity': [0.5, "
                 "-2, 0.2], 'spin': [90, 20, -60], 'material': {'clay': '%s', 'particles': 350}}]",
                 presets[k].name);
        show s = start(text);
        double growth = most_growth(s.world, 90);
        printf("    %-12s energy at most %+.2f %% of what was there\n", presets[k].name,
               100.0 * growth);
        assert_true(growth < 0.02);
        show_end(&s);
    }
}

// --- thin obstacles -----------------------------------------------------------------------------

// Edges whose line goes through a plate of half the thickness `half` about x = 0 and above y; those
// of them that still pull.
static int count_through(const wri_clay *c, double half, double y, int *pull)
{
    int count = 0;
    *pull = 0;
    for (int edge = 0; edge < c->count * NEIGHBOURS; edge++) {
        wr_vec3 a = wri_clay_place(c, c->x[edge / NEIGHBOURS]);
        wr_vec3 b = wri_clay_place(c, c->x[c->neighbours[edge]]);
        bool is_across = (double)(a.x * b.x) < -half * half;
        double share = (double)(a.x / (a.x - b.x)),
               height = (double)(a.y + (b.y - a.y) * (float)share);
        if (is_across && height > y) {
            count++;
            *pull += c->u[edge][3] > 0.0f;
        }
    }
    return count;
}

static void no_force_passes_through_a_blade(void **state)
{
    (void)state;
    show s =
        start("'bodies': [" GROUND
              ", {'shape': {'box': [0.02, 0.5, 1]}, 'path': [{'time': 0.1, 'at': [0, 0.65, 0]}, "
              "{'time': 0.8, 'at': [0, 0.3, 0]}, {'time': 1.0, 'at': [0, 0.3, 0]}, {'time': "
              "1.2, 'at': [0, 0.8, 0]}]}, {'shape': {'box': [0.5, 0.3, 0.3]}, 'at': [0.05, "
              "0.16, 0], 'turn': {'axis': [0, 1, 0], 'by': 10}, 'material': {'clay': 'clay', "
              "'particles': 1200}}]");
    const wri_clay *c = clay_at(s.world, 0);
    int through = 0, pulling = 0, parted = 0;
    for (int frame = 0; frame < 80; frame++) {
        step_frames(s.world, 1);
        wr_vec3 blade = wr_rigid_center(s.world->rigid, wr_world_body(s.world, 1));
        int pull;
        through += count_through(c, 0.01, (double)blade.y - 0.25, &pull);
        pulling += pull;
    }
    for (int i = 0; i < c->count; i++) {
        parted += c->parted[i] != 0;
    }
    printf("    %d times a neighbour lay behind the blade, %d times it pulled\n", through, pulling);
    assert_true(through > 500 && pulling < through / 10);
    assert_int_equal(parted, 0); // it is out again
    check_sound(s.world);
    show_end(&s);
}

// --- weights ------------------------------------------------------------------------------------

// A block of the clay's own footprint, so many times its mass, set down on it.
static show load(double ratio, const char *more)
{
    char text[1024];
    snprintf(text, sizeof text,
             "'bodies': [" GROUND ", {'shape': {'box': [0.4, 0.3, 0.36]}, 'at': [0, 0.15, 0], "
             "'material': {'clay': 'rubber', 'particles': 280%s}}, {'shape': {'box': [0.4, 0.2, "
             "0.36]}, 'at': [0, 0.402, 0], 'mass': %.17g, 'restitution': 0}]",
             more, ratio * 43.2);
    return start(text);
}

static double block_height(const show *s)
{
    return (double)wr_rigid_center(s->world->rigid, wr_world_body(s->world, 2)).y;
}

// Metres: how far the block swings on if it is a mass on a spring that gives way by `sag`.
static double swing_of(const show *s, double sag)
{
    wr_vec3 v = wr_rigid_velocity(s->world->rigid, wr_world_body(s->world, 2));
    return (double)wr_length(v) * sqrt(sag / 9.81);
}

// On rubber of E = 10 000 own weights: the strain is p / E where it may give way sideways, and less
// where friction holds it. The preset hardly damps anything that stiff: a heavy block swings on it
// as on a spring, ever less. What is viscous, too, is at rest.
static void blocks_a_hundred_times_lighter_and_heavier_rest_on_clay(void **state)
{
    (void)state;
    const double ratios[] = {0.01, 1.0, 100.0};
    const char *const kinds[] = {", 'stiffness': 10000", ", 'stiffness': 10000, 'viscosity': 5"};
    for (int k = 0; k < 6; k++) {
        double ratio = ratios[k / 2];
        bool is_viscous = k % 2 == 1;
        show s = load(ratio, kinds[k % 2]);
        double growth = most_growth(s.world, 150), sunk = 0.4 - block_height(&s);
        double E = 10000.0 * (double)clay_at(s.world, 0)->moduli.pressure;
        double sag = 0.3 * (ratio + 0.5) * 43.2 * 9.81 / (0.4 * 0.36) / E;
        wr_vec3 v = wr_rigid_velocity(s.world->rigid, wr_world_body(s.world, 2));
        printf(
            "    %g times its mass%s: sunk %.2f mm, %.2f mm by p / E; energy %+.3f %%; %.1e m/s\n",
            ratio, is_viscous ? ", viscous" : "", 1e3 * sunk, 1e3 * sag, 100.0 * growth,
            (double)wr_length(v));
        assert_true(growth < 0.02);
        assert_true(is_viscous ? (double)wr_length(v) < 0.01 : swing_of(&s, sag) < 0.001);
        assert_true(sunk > -0.001 && sunk < 1.5 * sag + 0.002);
        show_end(&s);
    }
}

static void a_heavy_block_sinks_into_soft_clay_and_stays_sane(void **state)
{
    (void)state;
    show s = load(100.0, "");
    double growth = most_growth(s.world, 120), sunk = 0.4 - block_height(&s);
    printf("    100 times its mass on rubber: sunk %.0f of 300 mm, energy %+.2f %%\n", 1e3 * sunk,
           100.0 * growth);
    assert_true(growth < 0.02);
    assert_true(sunk > 0.1 && sunk < 0.42);
    show_end(&s);
}

// Squeezed by a twentieth, and let go under a block of five times its mass.
static void squeezed_clay_lifts_a_heavy_block_before_it_creeps(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND
                   ", {'shape': {'box': [0.4, 0.3, 0.36]}, 'at': [0, 0.15, 0], 'material': {'clay':"
                   " 'toffee', 'particles': 500, 'stiffness': 250, 'flow': 0.04, 'viscosity': 0.5}}"
                   ", {'shape': {'box': [0.42, 0.2, 0.4]}, 'at': "
                   "[0.01, 0.386, 0], 'mass': 216, 'restitution': 0}]");
    wri_clay *c = clay_at(s.world, 0);
    for (int i = 0; i < c->count; i++) {
        double y = clay_height(c, i);
        c->x[i][1] = (float)(0.95 * y - c->state.origin[1]);
    }
    double first = block_height(&s), top = first;
    for (int i = 0; i < 240; i++) {
        step_frames(s.world, 1);
        top = fmax(top, block_height(&s));
    }
    double last = block_height(&s);
    printf("    lifted by %.1f mm, then %.1f mm down again\n", 1e3 * (top - first),
           1e3 * (top - last));
    assert_true(top - first > 0.005 && top - last > 0.01);
    check_sound(s.world);
    show_end(&s);
}

// The plate cannot give way. Clay that took it for one in the air went into it by a step's way,
// each step anew.
static void what_a_light_plate_lies_on_is_felt_through_it(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND
                   ", {'shape': {'box': [0.6, 0.06, 0.6]}, 'at': [0, 0.03, 0], 'mass': 0.5, "
                   "'restitution': 0}, {'shape': {'box': [0.3, 0.24, 0.26]}, 'at': [0.02, 0.32, 0],"
                   " 'velocity': [0, -4, 0], 'mass': 40, 'material': {'clay': 'rubber', "
                   "'particles': 200}}]");
    const wri_clay *c = clay_at(s.world, 0);
    double deepest = 0.0;
    step_frames(s.world, 1); // it lies
    for (int i = 0; i < 30; i++) {
        step_frames(s.world, 1);
        for (int k = 0; k < c->count; k++) {
            double gap = clay_height(c, k) - 0.06 - (double)c->radius[k];
            deepest = fmax(deepest, -gap / (double)c->radius[k]);
        }
    }
    printf("    particles go %.2f of their radius into a plate that lies\n", deepest);
    assert_true(deepest < 0.25);
    check_sound(s.world);
    show_end(&s);
}

// --- thin things --------------------------------------------------------------------------------

// A plate of 4 mm, particles about 3 cm apart; it leans.
static void nothing_crosses_a_plate_thinner_than_the_spacing(void **state)
{
    (void)state;
    const double speeds[] = {1, 5, 20};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "'gravity': [0, 0, 0], 'bodies': [{'shape': {'box': [0.004, 3, 3]}, 'motion': "
                 "'static', 'turn': {'axis': [0.3, 0.5, 1], 'by': 20}}, {'shape': {'box': [0.3, "
                 "0.25, 0.4]}, 'at': [-0.5, 0, 0], 'turn': {'axis': [1, 2, 3], 'by': 35}, "
                 "'velocity': [%g, 0, 0], 'spin': [100, 50, 0], 'material': {'clay': 'clay', "
                 "'particles': 900}}]",
                 speeds[k]);
        show s = start(text);
        wr_vec3 normal = wr_rotate(
            wr_rigid_pose(s.world->rigid, wr_world_body(s.world, 0)).rotation, wr_v3(1, 0, 0));
        const wri_clay *c = clay_at(s.world, 0);
        float deepest = -1.0f;
        int frames = (int)(60.0 * 0.7 / speeds[k]) + 20;
        for (int f = 0; f < frames; f++) {
            step_frames(s.world, 1);
            for (int i = 0; i < c->count; i++) {
                wr_vec3 x = wr_v3((float)((double)c->x[i][0] + c->state.origin[0]),
                                  (float)((double)c->x[i][1] + c->state.origin[1]),
                                  (float)((double)c->x[i][2] + c->state.origin[2]));
                deepest = fmaxf(deepest, wr_dot(x, normal));
            }
        }
        printf("    %g m/s: the deepest centre is %.1f mm from the middle of the plate, particles "
               "are %.1f mm apart\n",
               speeds[k], 1e3 * (double)deepest, 2e3 * (double)c->radius[0]);
        check_sound(s.world);
        assert_true(deepest > -0.03f && deepest < 0.0f); // it was there, and stayed on its side
        show_end(&s);
    }
}

// --- state --------------------------------------------------------------------------------------

#define HEAP                                                                                       \
    "'bodies': [" GROUND                                                                           \
    ", {'shape': {'box': [0.3, 0.25, 0.35]}, 'at': [0, 0.3, 0], 'turn': {'axis': [1, 0, 1], 'by':" \
    " 30}, 'velocity': [0, -3, 0.5], 'material': {'clay': 'chewing gum', 'particles': 400}}, "     \
    "{'shape': {'sphere': 0.15}, 'at': [0.05, 0.75, 0.02], 'velocity': [0, -4, 0], 'material': "   \
    "{'clay': 'putty', 'particles': 300}}, {'shape': {'box': [0.2, 0.1, 0.15]}, 'at': [0.1, "      \
    "1.2, 0], 'velocity': [0, -5, 0], 'spin': [100, 0, 300]}]"

static void resumed_worlds_of_clay_are_bit_identical_on_any_threads(void **state)
{
    (void)state;
    const wr_tasks tasks = wr_tasks_openmp(2);
    show a = start(HEAP), b = start_with(NULL, HEAP, &tasks), c = start_with(NULL, HEAP, &tasks);
    wr_error error = {0};
    for (int i = 1; i <= 60; i++) {
        step_frames(a.world, 1);
        step_frames(b.world, 1);
        assert_true(wr_world_frame(a.world)->hash == wr_world_frame(b.world)->hash);
    }
    size_t size;
    const void *bytes = wr_world_save(a.world, &size, &error);
    assert_non_null(bytes);
    assert_true(wr_world_restore(c.world, bytes, size, &error));
    assert_true(clay_at(a.world, 0)->state.embeddings > 3.0);
    for (int i = 1; i <= 60; i++) {
        step_frames(a.world, 1);
        step_frames(b.world, 1);
        step_frames(c.world, 1);
        assert_true(wr_world_frame(a.world)->hash == wr_world_frame(b.world)->hash);
        assert_true(wr_world_frame(a.world)->hash == wr_world_frame(c.world)->hash);
    }
    printf("    %g splits, %g merges, %g embeddings\n", clay_at(a.world, 0)->state.splits,
           clay_at(a.world, 0)->state.merges, clay_at(a.world, 0)->state.embeddings);
    show_end(&a);
    show_end(&b);
    show_end(&c);
}

// --- rest ---------------------------------------------------------------------------------------

static bool is_awake(const wr_world *world, int body)
{
    return !wr_rigid_is_asleep(world->rigid, wr_world_body(world, body));
}

static void a_body_on_clay_does_not_sleep_before_it(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", {'shape': {'box': [0.3, 0.2, 0.3]}, 'at': [0, 0.1, 0], "
                   "'material': {'clay': 'clay', 'particles': 250}}, {'shape': {'box': [0.15, 0.1, "
                   "0.2]}, 'at': [0.02, 0.26, 0.01]}]");
    int clay_slept = -1, block_slept = -1;
    for (int i = 0; i < 900 && (clay_slept < 0 || block_slept < 0); i++) {
        step_frames(s.world, 1);
        bool clay = clay_at(s.world, 0)->state.asleep, block = !is_awake(s.world, 2);
        clay_slept = clay ? (clay_slept < 0 ? i : clay_slept) : -1;
        block_slept = block ? (block_slept < 0 ? i : block_slept) : -1;
    }
    printf("    clay sleeps after %.2f s, the block on it after %.2f s\n", clay_slept / 60.0,
           block_slept / 60.0);
    assert_true(clay_slept >= 0 && block_slept >= clay_slept);
    double first = block_height(&s);
    step_frames(s.world, 120);
    CHECK_NEAR(block_height(&s), first, 1e-4);
    show_end(&s);
}

// A block of clay on a block of clay, which lie together, and a rigid one: what counts for rigid
// bodies counts for clay.
static void statistics_count_clay_as_they_do_rigid_bodies(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", {'shape': {'box': [0.2, 0.2, 0.2]}, 'at': [0, 0.1, 0], "
                   "'material': {'clay': 'clay', 'particles': 150}, 'copies': {'count': 2, 'step': "
                   "[0, 0.2, 0]}}, {'shape': {'box': [1, 1, 1]}, 'at': [2, 0.5, 0]}]");
    wr_world_statistics stats = wr_world_stats(s.world);
    assert_int_equal(stats.bodies, 4);
    assert_int_equal(stats.moving, 3);
    assert_int_equal(stats.awake, 3);
    assert_true(stats.contacts == 0 && stats.most_substeps == 0);
    int substeps = 0;
    for (int i = 0; i < 30; i++) {
        step_frames(s.world, 1);
        substeps = (int)fmax(substeps, clay_at(s.world, 0)->substeps);
    }
    stats = wr_world_stats(s.world);
    assert_true(substeps > 1 && stats.most_substeps >= substeps);
    assert_true(stats.most_contacts > 4 + 2 * 9 && stats.contacts <= 120LL * stats.most_contacts);
    for (int i = 0; i < 300 && stats.awake > 0; i++) {
        step_frames(s.world, 1);
        stats = wr_world_stats(s.world);
        assert_int_equal(stats.awake, !clay_at(s.world, 0)->state.asleep +
                                          !clay_at(s.world, 1)->state.asleep +
                                          is_awake(s.world, 3));
    }
    assert_int_equal(stats.awake, 0);
    int64_t contacts = stats.contacts;
    step_frames(s.world, 10);
    assert_true(wr_world_stats(s.world).contacts == contacts);
    show_end(&s);
}

static void a_stack_of_clay_sleeps_at_last_and_wakes_when_hit(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", {'shape': {'box': [0.3, 0.2, 0.3]}, 'at': [0, 0.1, 0], "
                   "'material': {'clay': 'clay', 'particles': 250}, 'copies': {'count': 2, 'step': "
                   "[0.02, 0.21, 0.01]}}, {'shape': {'sphere': 0.06}, 'at': [0, 500, 0], "
                   "'velocity': [0, 0, 0]}]");
    int slept = -1;
    for (int i = 0; i < 600 && slept < 0; i++) {
        step_frames(s.world, 1);
        slept = clay_at(s.world, 0)->state.asleep && clay_at(s.world, 1)->state.asleep ? i : -1;
    }
    printf("    both sleep after %.2f s; the ball is at %.0f m\n", slept / 60.0,
           (double)wr_rigid_center(s.world->rigid, wr_world_body(s.world, 3)).y);
    assert_true(slept > 0);
    bool woke = false;
    for (int i = 0; i < 900 && !woke; i++) {
        step_frames(s.world, 1);
        woke = !clay_at(s.world, 0)->state.asleep && !clay_at(s.world, 1)->state.asleep;
    }
    assert_true(woke);
    check_sound(s.world);
    show_end(&s);
}

// --- metal --------------------------------------------------------------------------------------

static void metal_thrown_at_clay_is_dented_and_leaves_a_mark(void **state)
{
    (void)state;
    if (!getenv("WROUGHT_SCENES")) {
        skip();
    }
    show s = start("'bodies': [" GROUND ", {'shape': {'box': [0.8, 1.2, 1.4]}, 'at': [0, 0.6, 0], "
                   "'density': 1800, 'material': {'clay': 'clay', 'particles': 1200}}, {'asset': "
                   "'barrel', 'at': [-1.2, 0.8, 0.1], 'turn': {'axis': [1, 0.2, 0.3], 'by': 70}, "
                   "'velocity': [14, 1, 0], 'material': {'metal': 'tin'}}]");
    double growth = most_growth(s.world, 120);
    const wri_clay *c = clay_at(s.world, 0);
    double mark = 0.0;
    for (int i = 0; i < c->count; i++) { // how far its rest shape has gone
        double change = 0.0;
        for (int k = 0; k < 9; k++) {
            double off = (double)c->plastic[i * 9 + k] - (k % 4 == 0);
            change += off * off;
        }
        mark = fmax(mark, sqrt(change));
    }
    double dent = (double)deepest_dent(metal_at(s.world, 1));
    printf(
        "    a dent of %.1f %% of the barrel, plastic strain %.2f in the clay, energy %+.2f %%\n",
        100.0 * dent, mark, 100.0 * growth);
    assert_true(dent > 0.01 && mark > 0.05);
    assert_true(growth < 0.02);
    show_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_gain_no_energy),
        cmocka_unit_test(no_force_passes_through_a_blade),
        cmocka_unit_test(blocks_a_hundred_times_lighter_and_heavier_rest_on_clay),
        cmocka_unit_test(a_heavy_block_sinks_into_soft_clay_and_stays_sane),
        cmocka_unit_test(what_a_light_plate_lies_on_is_felt_through_it),
        cmocka_unit_test(squeezed_clay_lifts_a_heavy_block_before_it_creeps),
        cmocka_unit_test(nothing_crosses_a_plate_thinner_than_the_spacing),
        cmocka_unit_test(resumed_worlds_of_clay_are_bit_identical_on_any_threads),
        cmocka_unit_test(a_body_on_clay_does_not_sleep_before_it),
        cmocka_unit_test(statistics_count_clay_as_they_do_rigid_bodies),
        cmocka_unit_test(a_stack_of_clay_sleeps_at_last_and_wakes_when_hit),
        cmocka_unit_test(metal_thrown_at_clay_is_dented_and_leaves_a_mark),
    };
    return cmocka_run_group_tests(tests, set_up_with_cache, tear_down);
}
