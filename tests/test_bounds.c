// test_bounds.c: where a body is, by which cameras are placed: every kind of shape, turned and
// moved away from the origin. The turn is a quarter about Z: (x, y, z) goes to (-y, x, z).
#include "check.h"

#include "../src/show/show.h"

enum { BODIES = 3, TURNED = 1, DROPS = 500 };

static wr_vec3 corners[] = {{-1, 0, 2}, {3, 1, 7}, {0, 5, 4}};
static int triangle[] = {0, 1, 2};
static wr_mesh mesh = {
    .vertex_count = 3, .triangle_count = 1, .positions = corners, .triangles = triangle};
static const wr_model model = {.mesh_count = 1, .meshes = &mesh};
static const wr_model *const models[] = {&model};
static const wr_record_body bodies[BODIES] = {
    {"first", "rigid", -1}, {"turned", "rigid", 0}, {"last", "rigid", -1}};
static const wr_record_info info = {
    .model_count = 1, .models = models, .body_count = BODIES, .bodies = bodies};
static const wr_pose poses[BODIES] = {{{0, 0, 0}, {0, 0, 0, 1}},
                                      {{10, 20, 30}, {0, 0, 0.70710678f, 0.70710678f}},
                                      {{5, 6, 7}, {0, 0, 0, 1}}};

static wr_frame make_frame(void)
{
    return (wr_frame){.body_count = BODIES, .poses = poses};
}

static void expect_box(wr_box box, wr_vec3 min, wr_vec3 max)
{
    CHECK_NEAR(wr_distance(box.min, min), 0.0, 2e-5);
    CHECK_NEAR(wr_distance(box.max, max), 0.0, 2e-5);
}

static void a_model_is_where_its_pose_carries_it(void **state)
{
    (void)state;
    wr_frame frame = make_frame();
    expect_box(wri_body_bounds(&info, &frame, TURNED), wr_v3(5, 19, 32), wr_v3(10, 23, 37));
    // Points of the frame stand in its place; those of another body do not matter.
    static const wr_vec3 own[] = {{1, 2, 3}, {-2, 4, 1}}, others[] = {{100, 100, 100}};
    const wr_record_points points[] = {{2, 1, others}, {TURNED, 2, own}};
    frame.points = points;
    frame.points_count = 2;
    expect_box(wri_body_bounds(&info, &frame, TURNED), wr_v3(6, 18, 31), wr_v3(8, 21, 33));
}

static void surfaces_count_and_the_first_hides_the_model(void **state)
{
    (void)state;
    static const wr_vec3 own[] = {{1, 2, 3}, {2, 4, 1}, {0, 3, 2}},
                         far[] = {{40, 1, 2}, {41, 3, 2}, {42, 2, 9}};
    wr_record_surface surfaces[] = {{.body = TURNED,
                                     .vertex_count = 3,
                                     .triangle_count = 1,
                                     .positions = own,
                                     .triangles = triangle},
                                    {.body = TURNED,
                                     .number = 1,
                                     .in_world = true,
                                     .vertex_count = 3,
                                     .triangle_count = 1,
                                     .positions = far,
                                     .triangles = triangle}};
    wr_frame frame = make_frame();
    frame.surfaces = surfaces;
    frame.surface_count = 1;
    expect_box(wri_body_bounds(&info, &frame, TURNED), wr_v3(6, 20, 31), wr_v3(8, 22, 33));
    frame.surface_count = 2;
    expect_box(wri_body_bounds(&info, &frame, TURNED), wr_v3(6, 1, 2), wr_v3(42, 22, 33));
    surfaces[1].triangle_count = 0; // nothing is seen of it
    expect_box(wri_body_bounds(&info, &frame, TURNED), wr_v3(6, 20, 31), wr_v3(8, 22, 33));
}

// Mean and standard deviation in two passes.
static void find_spread(const wr_vec3 *x, int axis, double *mean, double *deviation)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < DROPS; i++) {
        sum += (double)(&x[i].x)[axis];
    }
    *mean = sum / DROPS;
    for (int i = 0; i < DROPS; i++) {
        squares += pow((double)(&x[i].x)[axis] - *mean, 2.0);
    }
    *deviation = sqrt(squares / DROPS);
}

// One drop flies off to the right, one falls below: the box reaches three deviations there, and to
// the last drop elsewhere.
static void drops_that_fly_off_alone_do_not_count(void **state)
{
    (void)state;
    static wr_vec3 x[DROPS];
    uint64_t seed = 3;
    for (int i = 0; i < DROPS; i++) {
        x[i] = wr_v3(random_float(&seed, 2, 3), random_float(&seed, -7, -5),
                     random_float(&seed, 0, 4));
    }
    x[100].x = 60;
    x[DROPS - 1].y = -90;
    wr_box expected = WR_BOX_EMPTY;
    for (int i = 0; i < DROPS; i++) {
        expected = wr_box_add(expected, x[i]);
    }
    double mean, deviation;
    find_spread(x, 0, &mean, &deviation);
    expected.max.x = (float)(mean + 3.0 * deviation);
    find_spread(x, 1, &mean, &deviation);
    expected.min.y = (float)(mean - 3.0 * deviation);
    assert_true(expected.max.x < 20 && expected.min.y > -30);
    wr_record_particles drops = {
        .body = 2, .count = DROPS, .in_world = true, .positions = x, .radius = 0.1f};
    wr_frame frame = make_frame();
    frame.particles = &drops;
    frame.particles_count = 1;
    expect_box(wri_body_bounds(&info, &frame, 2), expected.min, expected.max);
    drops.in_world = false;
    expect_box(wri_body_bounds(&info, &frame, 2), wr_add(expected.min, wr_v3(5, 6, 7)),
               wr_add(expected.max, wr_v3(5, 6, 7)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_where_its_pose_carries_it),
        cmocka_unit_test(surfaces_count_and_the_first_hides_the_model),
        cmocka_unit_test(drops_that_fly_off_alone_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
