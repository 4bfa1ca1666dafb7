// test_between.c: what a take shows between two recorded frames: everything mixed from both, and
// what cannot be mixed as it is in the earlier one; films in slow motion.
#include "check.h"

#include "../src/show/show.h"
#include "asset_sample.h"

#include <math.h>

enum { TURNS, BENT, JUMPS, FREE, DUST, LATE, BODIES, FRAMES = 4, BORN = 2, POINTS = 8 };

static const float STEP_ANGLE = 1.1f; // radians from frame to frame

static temporary_folder folder;
static wr_model *box;
static wr_asset *sample;

static const char *film_path(void)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/film.wrought", folder.path);
    return path;
}

static wr_vec3 spin_axis(void)
{
    return wr_normalize(wr_v3(1.0f, 2.0f, -0.5f));
}

static wr_pose pose_at(int body, double frame)
{
    float f = (float)frame;
    wr_pose pose = {{0.7f * (float)body, 0.3f * f, -0.2f * f}, WR_QUAT_IDENTITY};
    if (body == TURNS) {
        pose.rotation = wr_quat_from_axis_angle(spin_axis(), 0.4f + STEP_ANGLE * f);
    }
    if (body == JUMPS && frame >= 2.0) {
        pose.position.y += 50.0f;
    }
    return pose;
}

static wr_vec3 point_at(int i, double frame)
{
    float f = (float)frame, k = (float)i;
    return wr_v3(0.1f * k + 0.01f * f, 0.02f * k * f, 0.3f - 0.05f * f);
}

// Frame by frame: the ids of four particles; number 9 is gone in the last one, 12 is new there.
static const uint32_t ids[FRAMES][4] = {
    {3, 9, 10, 11}, {3, 9, 10, 11}, {3, 9, 10, 11}, {3, 10, 11, 12}};

static void add_frame(wr_record_writer *writer, int f)
{
    wr_error error = {0};
    wr_pose poses[BODIES];
    wr_vec3 points[POINTS], grains[4];
    float radii[4];
    for (int b = 0; b < BODIES; b++) {
        poses[b] = pose_at(b, f);
    }
    for (int i = 0; i < POINTS; i++) {
        points[i] = point_at(i, f);
    }
    for (int i = 0; i < 4; i++) {
        grains[i] = point_at((int)ids[f][i], f);
        radii[i] = 0.01f * (float)ids[f][i] * (1.0f + (float)f);
    }
    const int vertices[] = {1, 4, 4}, examples[] = {1, 1, 2};
    const float weights[] = {0.2f * (float)f, 0.1f * (float)f, 0.05f * (float)f};
    const wr_record_points free_points = {FREE, POINTS, points};
    const wr_record_weights bent = {BENT, f == 2 ? 2 : 3, vertices + (f == 2), examples + (f == 2),
                                    weights + (f == 2)};
    const int triangles[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}};
    const wr_record_surface skin = {.body = DUST,
                                    .number = 0,
                                    .topology = f < 3,
                                    .look = -1,
                                    .color = {1, 1, 1, 1},
                                    .vertex_count = 4,
                                    .triangle_count = 2,
                                    .positions = points,
                                    .triangles = triangles[f == 3]};
    const wr_record_particles dust = {.body = DUST,
                                      .count = 4,
                                      .color = {1, 1, 1, 1},
                                      .positions = grains,
                                      .radii = radii,
                                      .ids = ids[f]};
    const wr_event events[] = {
        {.kind = WR_EVENT_BORN,
         .subject = LATE,
         .other = -1,
         .born = {"late", "rigid", 0, .color = {1, 1, 1, 1}}},
        {.kind = WR_EVENT_AGAIN, .subject = JUMPS, .other = -1, .strength = 2.0f}};
    wr_frame frame = {.index = f,
                      .time = f / 30.0,
                      .body_count = f < BORN ? LATE : BODIES,
                      .poses = poses,
                      .points_count = 1,
                      .points = &free_points,
                      .weights_count = f > 0,
                      .weights = &bent,
                      .surface_count = 1,
                      .surfaces = &skin,
                      .particles_count = 1,
                      .particles = &dust,
                      .event_count = f == 2 ? 2 : 0,
                      .events = events};
    if (!wr_record_add_frame(writer, &frame, &error)) {
        fail_msg("%s", error.message);
    }
}

static int setup(void **state)
{
    (void)state;
    wr_error error = {0};
    const wr_color white = {1, 1, 1, 1};
    folder = temporary_folder_create();
    sample = sample_asset_create((sample_shape){3, 2, 4, false});
    box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(0.2f, 0.3f, 0.4f), white, &error);
    const wr_model *models[] = {box, sample->model};
    const wr_asset *assets[] = {sample};
    const wr_record_rig rigs[] = {{-1, 1.0f}, {0, 1.0f}};
    const wr_record_body bodies[] = {{"turns", "rigid", 0, .color = white},
                                     {"bent", "metal", 1, .color = white},
                                     {"jumps", "rigid", 0, .color = white},
                                     {"free", "clay", -1, .color = white},
                                     {"dust", "clay", -1, .color = white}};
    wr_record_info info = {.title = "between",
                           .program = "test",
                           .rate_numerator = 30,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = FRAMES - 1,
                           .stage = wr_stage_default(),
                           .model_count = 2,
                           .models = models,
                           .asset_count = 1,
                           .assets = assets,
                           .rigs = rigs,
                           .body_count = LATE,
                           .bodies = bodies};
    wr_record_writer *writer = wr_record_create(film_path(), &info, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    for (int f = 0; f < FRAMES; f++) {
        add_frame(writer, f);
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    wr_asset_destroy(sample);
    wr_model_destroy(box);
    temporary_folder_destroy(&folder);
    return 0;
}

static const wr_frame *look(wr_take *take, double moment)
{
    wr_error error = {0};
    const wr_frame *frame = wri_take_moment(take, moment, &error);
    if (!frame) {
        fail_msg("%s", error.message);
    }
    return frame;
}

static wr_take *open_take(void)
{
    wr_error error = {0};
    wr_take *take = wr_take_open(film_path(), &error);
    if (!take) {
        fail_msg("%s", error.message);
    }
    return take;
}

static void check_point(wr_vec3 a, wr_vec3 b, double tolerance)
{
    CHECK_NEAR(wr_distance(a, b), 0.0, tolerance);
}

// --- tests --------------------------------------------------------------------------------------

// Motion that is even from frame to frame is even between them, forwards, backwards and at frames.
static void bodies_turn_and_go_evenly(void **state)
{
    (void)state;
    static const double moments[] = {0.25, 0.75, 1.0, 1.5, 0.5, 2.0, 2.125, 3.0, 0.0};
    const wr_vec3 arm = {0.3f, -0.2f, 0.5f};
    wr_take *take = open_take();
    for (int i = 0; i < WRI_COUNT(moments); i++) {
        const wr_frame *frame = look(take, moments[i]);
        wr_pose expected = pose_at(TURNS, moments[i]);
        check_point(wr_pose_point(frame->poses[TURNS], arm), wr_pose_point(expected, arm), 2e-6);
        for (int k = 0; k < POINTS; k++) {
            wr_vec3 point = point_at(k, moments[i]);
            check_point(frame->points[0].positions[k], point, 2e-6);
        }
    }
    wr_take_close(take);
}

static void a_body_that_came_in_again_does_not_fly_there(void **state)
{
    (void)state;
    wr_take *take = open_take();
    for (double t = 1.125; t < 2.0; t += 0.25) {
        check_point(look(take, t)->poses[JUMPS].position, pose_at(JUMPS, 1.0).position, 1e-6);
    }
    check_point(look(take, 2.5)->poses[JUMPS].position, pose_at(JUMPS, 2.5).position, 1e-5);
    wr_take_close(take);
}

static void a_body_is_there_when_it_is_born(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_drawing list;
    wr_take *take = open_take();
    assert_int_equal(look(take, 1.9)->body_count, LATE);
    assert_true(wr_take_read(take, 1.9, WR_PAINT_LOOKS, &list, &error));
    int before = list.count;
    assert_true(wr_take_read(take, 2.1, WR_PAINT_LOOKS, &list, &error));
    assert_int_equal(list.count, before + 1);
    wr_take_close(take);
}

static float weight_of(const wr_frame *frame, int vertex, int example)
{
    const wr_record_weights *w = frame->weights;
    for (int i = 0; frame->weights_count == 1 && i < w->entry_count; i++) {
        if (w->vertices[i] == vertex && w->examples[i] == example) {
            return w->weights[i];
        }
    }
    return 0.0f;
}

static void weights_that_are_not_listed_are_none(void **state)
{
    (void)state;
    const double exact = 3e-5; // 16 bits
    wr_take *take = open_take();
    CHECK_NEAR(weight_of(look(take, 0.25), 1, 1), 0.25 * 0.2, exact); // the first dent
    CHECK_NEAR(weight_of(look(take, 0.25), 4, 2), 0.25 * 0.05, exact);
    CHECK_NEAR(weight_of(look(take, 1.75), 1, 1), 0.25 * 0.2, exact); // it is gone in frame 2
    CHECK_NEAR(weight_of(look(take, 1.75), 4, 1), 0.175, exact);
    CHECK_NEAR(weight_of(look(take, 2.5), 1, 1), 0.5 * 0.6, exact);
    CHECK_NEAR(weight_of(look(take, 2.5), 4, 2), 0.125, exact);
    wr_take_close(take);
}

static void surfaces_are_mixed_while_their_triangles_stay(void **state)
{
    (void)state;
    wr_take *take = open_take();
    const wr_record_surface *s = wr_frame_surface(look(take, 0.4), DUST, 0);
    check_point(s->positions[3], point_at(3, 0.4), 2e-6);
    assert_int_equal(s->triangles[2], 2);
    s = wr_frame_surface(look(take, 2.6), DUST, 0); // other triangles in frame 3
    check_point(s->positions[3], point_at(3, 2.0), 2e-6);
    assert_int_equal(s->triangles[2], 2);
    wr_take_close(take);
}

static void particles_are_known_by_their_ids(void **state)
{
    (void)state;
    wr_take *take = open_take();
    const wr_record_particles *dust = wr_frame_particles(look(take, 2.5), DUST);
    assert_int_equal(dust->count, 4);
    for (int i = 0; i < 4; i++) {
        int id = (int)ids[2][i];
        double at = id == 9 ? 2.0 : 2.5;                         // 9 is gone in frame 3
        check_point(dust->positions[i], point_at(id, at), 2e-3); // as they are recorded
        CHECK_NEAR(dust->radii[i], 0.01 * id * (1.0 + at), 1e-5);
    }
    wr_take_close(take);
}

static void moments_outside_are_refused(void **state)
{
    (void)state;
    static const double outside[] = {-0.5, FRAMES - 0.5, FRAMES, 1e18, -1e18, NAN, INFINITY};
    wr_take *take = open_take();
    for (int i = 0; i < WRI_COUNT(outside); i++) {
        wr_error error = {0};
        assert_null(wri_take_moment(take, outside[i], &error));
        assert_non_null(strstr(error.message, "has frames 0 to 3"));
    }
    wr_take_close(take);
}

static void slow_motion_has_more_pictures_of_the_same_time(void **state)
{
    (void)state;
    wr_take *take = open_take();
    wr_schedule plan = wr_take_plan(take, 0.0, 1.0 / 30.0, 1e9, 30.0);
    wr_schedule slow = wr_schedule_slow(&plan, 4.0);
    assert_int_equal(plan.count, 3);
    assert_int_equal(slow.count, 9);
    for (int i = 0; i < slow.count; i++) {
        CHECK_NEAR(wr_schedule_moment(&slow, i), 1.0 + 0.25 * i, 1e-9);
    }
    assert_true(wr_schedule_moment(&slow, 4) == 2.0); // the frame itself, in spite of rounding
    wr_schedule none = wr_take_plan(take, 0.0, 5.0, 6.0, 30.0);
    assert_int_equal(wr_schedule_slow(&none, 4.0).count, 0);
    wr_show_desc desc = wr_show_desc_default();
    desc.take = take;
    wr_error error = {0};
    wr_show *show = wr_show_create(&desc, &error);
    wr_show_span span = wr_show_span_default();
    span.slow = 0.5;
    assert_false(wr_show_write_film(show, "never.mp4", &span, &error));
    assert_non_null(strstr(error.message, "slow is 0.5, expected 1 to 1000"));
    wr_show_destroy(show);
    wr_take_close(take);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_turn_and_go_evenly),
        cmocka_unit_test(a_body_that_came_in_again_does_not_fly_there),
        cmocka_unit_test(a_body_is_there_when_it_is_born),
        cmocka_unit_test(weights_that_are_not_listed_are_none),
        cmocka_unit_test(surfaces_are_mixed_while_their_triangles_stay),
        cmocka_unit_test(particles_are_known_by_their_ids),
        cmocka_unit_test(moments_outside_are_refused),
        cmocka_unit_test(slow_motion_has_more_pictures_of_the_same_time),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
