// test_seam.c: what the table of a material promises, by a block of ten thousand particles.
#include "small_world.h"
#include "springs.h"

const wr_material *const small_world_materials[] = {&springs_material, NULL};

#define BLOCK(name, size, springs, more)                                                           \
    "{'name': '" name "', 'shape': {'box': " size "}, 'material': {'springs': 'default', " springs \
    "}" more "}"

static springs_view block_of(const wr_world *world, int index)
{
    return springs_look(world->materials[index].state);
}

// --- sums over everything that moves ----------------------------------------------------------

typedef struct sums {
    double mass, p[3], l[3], energy; // momentum, angular momentum about the origin, of motion
} sums;

static void add_mass(sums *sum, double m, wr_vec3 at, wr_vec3 velocity)
{
    double x[3] = {at.x, at.y, at.z}, v[3] = {velocity.x, velocity.y, velocity.z};
    sum->mass += m;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        sum->p[i] += m * v[i];
        sum->l[i] += m * (x[k] * v[l] - x[l] * v[k]);
        sum->energy += 0.5 * m * v[i] * v[i];
    }
}

static void add_rotation(sums *sum, const wr_mass_properties *mass, wr_quat turn,
                         wr_vec3 angular_velocity)
{
    wr_vec3 own = wr_rotate(wr_quat_conjugate(turn), angular_velocity);
    const double w[3] = {own.x, own.y, own.z};
    double l[3];
    for (int i = 0; i < 3; i++) {
        l[i] = mass->inertia[i][0] * w[0] + mass->inertia[i][1] * w[1] + mass->inertia[i][2] * w[2];
        sum->energy += 0.5 * l[i] * w[i];
    }
    wr_vec3 world = wr_rotate(turn, wr_v3((float)l[0], (float)l[1], (float)l[2]));
    sum->l[0] += world.x;
    sum->l[1] += world.y;
    sum->l[2] += world.z;
}

static sums add_up(const wr_world *world)
{
    sums sum = {0};
    const wr_rigid *rigid = wr_world_rigid(world);
    for (int i = 0; i < world->scene->body_count; i++) {
        const wr_scene_body *body = &world->scene->bodies[i];
        int engine = wr_world_body(world, i);
        if (!body->material && body->rigid.motion == WR_MOTION_MOVING) {
            add_mass(&sum, body->rigid.mass.mass, wr_rigid_center(rigid, engine),
                     wr_rigid_velocity(rigid, engine));
            add_rotation(&sum, &body->rigid.mass, wr_rigid_pose(rigid, engine).rotation,
                         wr_rigid_angular_velocity(rigid, engine));
        }
    }
    for (int i = 0; i < world->material_count; i++) {
        springs_view b = block_of(world, i);
        for (int k = 0; k < b.count; k++) {
            add_mass(&sum, b.mass, b.x[k], b.v[k]);
        }
    }
    return sum;
}

static double size3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Relative to what there is of it, or to the sum of what flies about.
static void check_momenta(sums now, sums first, double linear, double angular)
{
    double p = sqrt(2.0 * first.mass * first.energy);
    double drift[3], turn[3];
    for (int i = 0; i < 3; i++) {
        drift[i] = now.p[i] - first.p[i];
        turn[i] = now.l[i] - first.l[i];
    }
    CHECK_NEAR(size3(drift) / p, 0.0, linear);
    CHECK_NEAR(size3(turn) / (p * 1.0), 0.0, angular); // bodies of about a metre
}

static wr_vec3 middle_of(springs_view b)
{
    double sum[3] = {0};
    for (int i = 0; i < b.count; i++) {
        sum[0] += b.x[i].x, sum[1] += b.x[i].y, sum[2] += b.x[i].z;
    }
    return wr_v3((float)(sum[0] / b.count), (float)(sum[1] / b.count), (float)(sum[2] / b.count));
}

// --- steps of its own -------------------------------------------------------------------------

static void a_block_falls_as_the_closed_form_says(void **state)
{
    (void)state;
    show s =
        start("'bodies': [" BLOCK("block", "[1, 1, 1]", "'particles': 300",
                                  ", 'at': [3, 40, 1], 'velocity': [1, 2, 0], 'density': 20") "]");
    wr_vec3 before = middle_of(block_of(s.world, 0));
    step_frames(s.world, 60);
    int n = 240 * block_of(s.world, 0).steps; // of its own in a second
    assert_true(n > 240);
    wr_vec3 after = middle_of(block_of(s.world, 0));
    CHECK_NEAR(after.x - before.x, 1.0, 1e-3);
    CHECK_NEAR(after.y - before.y, 2.0 - 0.5 * 9.81 * (n + 1.0) / n, 2e-3);
    end(s);
}

// The wall is thin and the ball fast: the engine splits its steps, the block does not care.
static void a_step_that_the_engine_splits_is_advanced_once(void **state)
{
    (void)state;
    wr_vec3 places[2];
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "'bodies': [" GROUND ", " BLOCK(
                "block", "[1, 1, 1]", "'particles': 64",
                ", 'at': [0, 0.8, 0], 'density': 20") ", {'name': 'ball', 'shape': {'sphere': "
                                                      "0.1}, 'at': [9, 1, 0], 'velocity': "
                                                      "[%d, 0, 0]}, {'name': 'wall', 'shape': "
                                                      "{'box': [0.01, 9, 9]}, 'at': [30, 0, 0], "
                                                      "'motion': 'static'}]",
            i * 300);
        show s = start(text);
        step_frames(s.world, 30);
        places[i] = middle_of(block_of(s.world, 0));
        assert_int_equal(wr_world_stats(s.world).most_substeps > 1, i == 1);
        end(s);
    }
    assert_memory_equal(&places[0], &places[1], sizeof places[0]);
}

static void one_large_body_is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    enum { FRAMES = 1, RUNS = 5 };
    static const int workers[RUNS] = {0, 1, 2, 3, 2}, shuffles[RUNS] = {0, 0, 0, 7, 13};
    uint64_t hashes[RUNS][FRAMES];
    wr_scene *scene = read_scene("'bodies': [" GROUND ", " BLOCK(
        "block", "[1, 0.8, 1.2]", "'particles': 10000",
        ", 'at': [0, 0.45, 0], 'density': 300, 'velocity': "
        "[1, -4, 0], 'turn': {'axis': [1, 0, 2], 'by': 10}") ", {'name': 'crate', 'shape': {'box': "
                                                             "[0.4, 0.4, 0.4]}, 'at': [0.1, 1.15, "
                                                             "0.1], "
                                                             "'velocity': [0, -3, 1]}]");
    for (int r = 0; r < RUNS; r++) {
        wr_tasks tasks = workers[r] ? wr_tasks_openmp(workers[r]) : (wr_tasks){0};
        wr_world *world = make_world(scene, &tasks);
        assert_true(block_of(world, 0).count > 9000);
        wri_test_block_shuffle = shuffles[r];
        for (int f = 0; f < FRAMES; f++) {
            step_frames(world, 1);
            hashes[r][f] = wr_world_frame(world)->hash;
        }
        wri_test_block_shuffle = 0;
        assert_memory_equal(hashes[r], hashes[0], sizeof hashes[0]);
        wr_world_destroy(world);
    }
    wr_scene_destroy(scene);
}

// --- rigid bodies -----------------------------------------------------------------------------

static void both_momenta_are_kept_through_an_oblique_hit(void **state)
{
    (void)state;
    show s = start(
        SPACE "'bodies': [" BLOCK("block", "[1, 0.6, 0.8]", "'particles': 400",
                                  ", 'at': [0.3, 0.1, 0], 'density': 200, 'turn': {'axis': [1, 2, "
                                  "0], 'by': 25}") ", {'name': 'crate', 'shape': {'box': [0.3, "
                                                   "0.5, 0.4]}, 'density': 300, 'at': "
                                                   "[-1.2, 0.4, 0.2], 'velocity': [4, -0.3, -0.2], "
                                                   "'spin': [1, -3, 2], 'angular_damping': 0, "
                                                   "'linear_damping': 0}]");
    sums first = add_up(s.world);
    for (int i = 0; i < 60; i++) {
        step_frames(s.world, 1);
        check_momenta(add_up(s.world), first, 1e-5, 1e-4);
    }
    assert_true(wr_rigid_velocity(wr_world_rigid(s.world), 0).x < 2.5f); // they did hit
    assert_true(add_up(s.world).energy < first.energy);
    end(s);
}

// A crate is dropped on a block, lighter and heavier than it by a factor.
static void check_ratio(double block_density, double crate_density)
{
    char text[1024];
    snprintf(text, sizeof text,
             "'bodies': [" GROUND ", " BLOCK(
                 "block", "[1, 0.6, 1]", "'particles': 60, 'stiffness': 20000, 'damping': %g",
                 ", 'at': [0, 0.31, 0], 'density': %g") ", {'name': 'crate', 'shape': {'box': "
                                                        "[0.6, 0.6, 0.6]}, 'density': %g, "
                                                        "'at': [0.05, 1.0, 0.02]}]",
             block_density < 100.0 ? 2.0 : 10.0, block_density, crate_density);
    show s = start(text);
    double lowest = 1e9, highest = 0.0;
    for (int i = 0; i < 300; i++) {
        step_frames(s.world, 1);
        float y = wr_world_frame(s.world)->poses[2].position.y;
        if (i > 200) {
            lowest = fmin(lowest, y);
            highest = fmax(highest, y);
        }
    }
    if (!(lowest > 0.5 && highest < 1.0 && highest - lowest < 0.02)) {
        fail_msg("densities %g and %g: the crate moves between %g and %g m", block_density,
                 crate_density, lowest, highest);
    }
    end(s);
}

static void mass_ratios_of_a_hundred_are_stable_either_way(void **state)
{
    (void)state;
    check_ratio(1000.0, 10.0);
    check_ratio(100.0, 100.0);
    check_ratio(10.0, 1000.0);
}

static void nothing_sleeps_before_the_material_it_rests_on(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", " BLOCK(
        "block", "[1, 0.6, 1]", "'particles': 200, 'damping': 0.5",
        ", 'at': [0, 0.31, 0], 'density': 100") ", {'name': 'crate', 'shape': {'box': [0.4, 0.4, "
                                                "0.4]}, 'density': 100, "
                                                "'at': [0, 0.85, 0]}]");
    int slept = 0;
    for (int i = 0; i < 1200 && !slept; i++) {
        step_frames(s.world, 1);
        bool crate = wr_rigid_is_asleep(wr_world_rigid(s.world), wr_world_body(s.world, 2));
        bool block = springs_material.is_asleep(s.world->materials[0].state);
        assert_true(!crate || block);
        slept += crate && block;
    }
    assert_true(slept > 0);
    end(s);
}

// --- materials against each other ---------------------------------------------------------------

static void two_blocks_meet_and_keep_both_momenta(void **state)
{
    (void)state;
    show s = start(SPACE "'bodies': [" BLOCK(
        "block", "[0.8, 0.6, 0.7]", "'particles': 300, 'stiffness': 20000, 'damping': 5",
        ", 'at': [-0.9, 0.1, 0], 'density': 200, 'velocity': [3, 0.2, -0.1], "
        "'friction': 0") ", " BLOCK("other", "[0.5, 0.9, 0.6]",
                                    "'particles': 500, 'stiffness': 20000, 'damping': 5",
                                    ", 'at': [0.3, 0, 0.1], 'density': 70, 'turn': "
                                    "{'axis': [1, 2, 0], 'by': 25}") "]");
    sums first = add_up(s.world);
    float nearest = 1e9f;
    for (int i = 0; i < 60; i++) {
        step_frames(s.world, 1);
        check_momenta(add_up(s.world), first, 1e-5, 1e-3); // points slide during a step
        springs_view a = block_of(s.world, 0), b = block_of(s.world, 1);
        for (int k = 0; k < a.count; k += 3) {
            for (int l = 0; l < b.count; l += 3) {
                nearest = fminf(nearest, wr_distance(a.x[k], b.x[l]) / (a.spacing + b.spacing));
            }
        }
    }
    springs_view b = block_of(s.world, 1);
    double px = 0.0;
    for (int k = 0; k < b.count; k++) {
        px += b.mass * b.v[k].x;
    }
    assert_true(px > 0.2 * first.p[0]); // the second one is carried along
    assert_true(add_up(s.world).energy < first.energy);
    assert_true(nearest > 0.25f); // and they do not run through each other; 0.5 is touching
    end(s);
}

// The block knows nothing of metal, and metal nothing of the block: the push comes as a contact.
static void a_block_thrown_at_metal_dents_it(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text,
             SPACE
             "'assets': {'barrel': '%s/barrel.recipe.json'}, 'bodies': [{'name': 'barrel', "
             "'asset': 'barrel', 'material': 'metal'}, " BLOCK(
                 "block", "[0.4, 0.4, 0.4]", "'particles': 200, 'stiffness': 200000, 'damping': 20",
                 ", 'at': [-1.2, 0.45, 0.05], 'density': 2000, 'velocity': [12, 0, 0]") "]",
             getenv("WROUGHT_SCENES"));
    show s = start(text);
    assert_int_equal(wr_world_frame(s.world)->weights_count, 0);
    step_frames(s.world, 20);
    const wr_frame *frame = wr_world_frame(s.world);
    assert_int_equal(frame->weights_count, 1);
    assert_int_equal(frame->weights[0].body, 0);
    assert_true(wr_rigid_velocity(wr_world_rigid(s.world), wr_world_body(s.world, 0)).x > 1.0f);
    end(s);
}

// --- films ------------------------------------------------------------------------------------

static void a_restored_block_goes_on_bit_for_bit(void **state)
{
    (void)state;
    wr_scene *scene = read_scene("'bodies': [" GROUND ", " BLOCK(
        "block", "[1, 0.6, 1]", "'particles': 300",
        ", 'at': [0, 0.5, 0], 'density': 100, 'velocity': "
        "[1, -2, 0.5]") ", " BLOCK("other", "[0.5, 0.5, 0.5]", "'particles': 100",
                                   ", 'at': [0.1, 1.1, 0], 'density': 100, 'spin': [1, "
                                   "2, 3]") ", {'name': 'crate', 'shape': {'box': [0.4, "
                                            "0.4, 0.4]}, 'density': 100, "
                                            "'at': [0.2, 1.65, 0]}]");
    wr_world *world = make_world(scene, NULL), *fresh = make_world(scene, NULL);
    step_frames(world, 75);
    wr_error error = {0};
    size_t size;
    const void *bytes = wr_world_save(world, &size, &error);
    assert_non_null(bytes);
    assert_true(wr_world_restore(fresh, bytes, size, &error));
    for (int i = 0; i < 30; i++) {
        assert_true(wr_world_frame(fresh)->hash == wr_world_frame(world)->hash);
        step_frames(world, 1);
        step_frames(fresh, 1);
    }
    wr_world_destroy(world);
    wr_world_destroy(fresh);
    wr_scene_destroy(scene);
}

static void a_film_of_particles_is_recorded_and_read(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", " BLOCK("block", "[1, 0.6, 1]", "'particles': 200",
                                                   ", 'at': [0, 0.5, 0], 'density': 100") "]");
    char path[600];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/take.wrought", folder.path);
    wr_record_writer *writer = wr_record_create(path, wr_world_record_info(s.world), &error);
    assert_non_null(writer);
    for (int i = 0; i <= 10; i++) {
        if (!wr_record_add_frame(writer, wr_world_frame(s.world), &error)) {
            fail_msg("%s", error.message);
        }
        step_frames(s.world, i < 10);
    }
    assert_true(wr_record_finish(writer, false, &error));
    wr_record_writer_destroy(writer);
    wr_record_reader *reader = wr_record_open(path, &error);
    assert_non_null(reader);
    const wr_frame *frame = wr_record_read_frame(reader, 10, &error);
    assert_non_null(frame);
    const wr_record_particles *read = wr_frame_particles(frame, 1);
    springs_view b = block_of(s.world, 0);
    assert_non_null(read);
    assert_int_equal(read->count, b.count);
    for (int i = 0; i < b.count; i++) {
        CHECK_NEAR(wr_distance(read->positions[i], b.x[i]), 0.0, b.spacing / 256.0);
    }
    wr_record_close(reader);
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_falls_as_the_closed_form_says),
        cmocka_unit_test(a_step_that_the_engine_splits_is_advanced_once),
        cmocka_unit_test(one_large_body_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(both_momenta_are_kept_through_an_oblique_hit),
        cmocka_unit_test(mass_ratios_of_a_hundred_are_stable_either_way),
        cmocka_unit_test(nothing_sleeps_before_the_material_it_rests_on),
        cmocka_unit_test(two_blocks_meet_and_keep_both_momenta),
        cmocka_unit_test(a_block_thrown_at_metal_dents_it),
        cmocka_unit_test(a_restored_block_goes_on_bit_for_bit),
        cmocka_unit_test(a_film_of_particles_is_recorded_and_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
