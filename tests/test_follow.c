// test_follow.c: promises of cameras that follow a body: calm, without lag, with the ground in
// view.
#include "../src/render/follow.h"

#include "check.h"

enum { COUNT = 600, RATE = 60 };

typedef struct way {
    wr_box boxes[COUNT];
    wr_vec3 centers[COUNT], out[COUNT];
    wri_follow follow;
} way;

// A body of one metre whose middle is at (x, y).
static void put(way *w, int frame, float x, float y)
{
    w->centers[frame] = wr_v3(x, y, 0.0f);
    w->boxes[frame] = (wr_box){{x - 0.5f, y - 0.5f, -0.1f}, {x + 0.5f, y + 0.5f, 0.1f}};
}

static way *create(void)
{
    way *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->follow = (wri_follow){.boxes = w->boxes,
                             .centers = w->centers,
                             .count = COUNT,
                             .rate = RATE,
                             .height = 5.0f,
                             .aspect = 16.0f / 9.0f,
                             .camera = {.from = {0, 1, 10}, .to = {0, 1, 0}, .flat = 5.0f},
                             .borders = WR_BOX_EMPTY};
    return w;
}

static void find_flat(way *w)
{
    wr_error error = {0};
    assert_true(wri_follow_flat(&w->follow, w->out, &error));
}

static void find_along(way *w)
{
    wr_error error = {0};
    assert_true(wri_follow_along(&w->follow, w->out, &error));
}

// Metres per second squared.
static float most_acceleration(const wr_vec3 *x)
{
    float most = 0.0f;
    for (int i = 1; i < COUNT - 1; i++) {
        float ax = x[i + 1].x - 2.0f * x[i].x + x[i - 1].x;
        float ay = x[i + 1].y - 2.0f * x[i].y + x[i - 1].y;
        most = fmaxf(most, hypotf(ax, ay) * RATE * RATE);
    }
    return most;
}

static void a_body_that_trembles_leaves_the_camera_still(void **state)
{
    (void)state;
    way *w = create();
    for (int i = 0; i < COUNT; i++) {
        put(w, i, 3.0f + 0.1f * sinf(1.3f * (float)i), 0.5f + 0.05f * sinf(2.1f * (float)i));
    }
    find_along(w);
    for (int i = 0; i < COUNT; i++) {
        assert_true(wr_length(w->out[i]) < 1e-3f);
    }
    find_flat(w);
    for (int i = 1; i < COUNT; i++) {
        assert_true(wr_distance(w->out[i], w->out[0]) < 0.02f);
    }
    free(w);
}

static void a_steady_walk_is_followed_without_lag(void **state)
{
    (void)state;
    way *w = create();
    for (int i = 0; i < COUNT; i++) { // 2 m/s, with limbs that swing
        put(w, i, 2.0f * (float)i / RATE + 0.06f * sinf(0.4f * (float)i), 0.5f);
    }
    find_flat(w);
    for (int i = 2 * RATE; i < COUNT - 2 * RATE; i++) {
        CHECK_NEAR(w->out[i].x, w->centers[i].x, 0.1);
        CHECK_NEAR((w->out[i + 1].x - w->out[i].x) * RATE, 2.0, 0.1);
    }
    for (int i = 0; i < COUNT; i++) { // also where it begins and ends in full motion
        CHECK_NEAR(w->out[i].x, w->centers[i].x, 0.06 * 5.0 * 16.0 / 9.0);
    }
    assert_true(most_acceleration(w->out) < 3.0f); // swinging limbs have 0.06 * 24^2 = 35
    free(w);
}

static void a_ball_that_bounces_keeps_the_ground_in_view(void **state)
{
    (void)state;
    way *w = create();
    for (int i = 0; i < COUNT; i++) { // 1.5 m high, once a second, on a floor that rises to 3 m
        float t = (float)i / RATE, u = t - floorf(t);
        float floor_y = fmaxf(0.0f, fminf(3.0f, 1.5f * (t - 4.0f)));
        put(w, i, 1.5f * t, floor_y + 0.5f + 6.0f * u * (1.0f - u));
    }
    assert_true(wri_follow_height(&w->follow) < 6.5f);
    w->follow.height = wri_follow_height(&w->follow);
    find_flat(w);
    float half = 0.5f * w->follow.height;
    for (int i = 0; i < COUNT; i++) {
        float t = (float)i / RATE, floor_y = fmaxf(0.0f, fminf(3.0f, 1.5f * (t - 4.0f)));
        assert_true(w->out[i].y - half < floor_y - 0.1f);
        assert_true(w->out[i].y + half > w->boxes[i].max.y);
    }
    CHECK_NEAR(w->out[100].y, w->out[160].y, 0.02); // it does not bounce along
    free(w);
}

static void a_body_that_rises_out_of_the_picture_is_followed(void **state)
{
    (void)state;
    way *w = create();
    for (int i = 0; i < COUNT; i++) {
        put(w, i, 0.0f, 0.5f + 0.03f * (float)i);
    }
    find_flat(w);
    for (int i = 0; i < COUNT; i++) {
        assert_true(w->out[i].y + 2.5f > w->boxes[i].max.y);
        assert_true(w->out[i].y - 2.5f < w->boxes[i].min.y);
    }
    free(w);
}

// Up for a second, with the ground before and behind it: more than the picture holds at once.
static void a_body_high_up_for_a_while_counts_more_than_the_ground(void **state)
{
    (void)state;
    way *w = create();
    for (int i = 0; i < COUNT; i++) {
        put(w, i, 0.0f, i >= 270 && i < 330 ? 7.5f : 0.5f);
    }
    find_flat(w);
    float on_ground = w->out[60].y, high = w->out[300].y;
    assert_true(on_ground - 2.5f < 0.0f && high > on_ground + 1.5f);
    CHECK_NEAR(w->out[540].y, on_ground, 0.05);
    free(w);
}

static void a_camera_does_not_look_beyond_the_borders(void **state)
{
    (void)state;
    way *w = create();
    for (int i = 0; i < COUNT; i++) {
        put(w, i, -10.0f + 0.04f * (float)i, 0.5f);
    }
    w->follow.borders = (wr_box){{-12.0f, -1.0f, 0.0f}, {12.0f, 3.0f, 0.0f}};
    find_flat(w);
    float half = 0.5f * 5.0f * 16.0f / 9.0f;
    for (int i = 0; i < COUNT; i++) {
        assert_true(w->out[i].x - half > -12.001f && w->out[i].x + half < 12.001f);
        CHECK_NEAR(w->out[i].y, 1.0, 1e-5); // less to see than it shows: in the middle
    }
    CHECK_NEAR(w->out[0].x, -12.0 + (double)half, 0.35); // it sets out a little early
    assert_true(w->out[COUNT / 2].x > -0.5f && w->out[COUNT / 2].x < 3.0f);
    free(w);
}

static void a_way_begins_where_the_camera_was_put_and_repeats(void **state)
{
    (void)state;
    way *w = create();
    static wr_vec3 first[COUNT];
    for (int i = 0; i < COUNT; i++) {
        float t = (float)i / RATE;
        put(w, i, 7.0f * sinf(t), 2.0f * cosf(0.7f * t));
        w->centers[i].z = 0.5f * t * t;
    }
    find_along(w);
    assert_true(w->out[0].x == 0.0f && w->out[0].y == 0.0f && w->out[0].z == 0.0f);
    assert_true(w->out[COUNT - 1].z > 40.0f);
    memcpy(first, w->out, sizeof first);
    find_along(w);
    assert_memory_equal(first, w->out, sizeof first);
    free(w);
}

// One metre, dropped from 12 m, bounces up again: it stays in a picture of 2.2 m, and nothing
// jerks.
static void a_body_that_hits_the_ground_stays_in_the_picture(void **state)
{
    (void)state;
    way *w = create();
    w->follow.height = w->follow.camera.flat = 2.2f;
    float y = 12.5f, speed = 0.0f, lowest = INFINITY, highest = -INFINITY, most = 0.0f;
    for (int i = 0; i < COUNT; i++) {
        put(w, i, 0.1f * (float)i / RATE, y);
        speed -= 9.81f / RATE;
        y += speed / RATE;
        speed = y < 0.5f ? -0.3f * speed : speed;
        y = fmaxf(y, 0.5f);
    }
    w->follow.camera.to = w->centers[0];
    w->follow.camera.from = wr_add(w->centers[0], wr_v3(0.0f, 0.0f, 10.0f));
    find_along(w);
    for (int i = 0; i < COUNT; i++) {
        float middle = w->follow.camera.to.y + w->out[i].y;
        lowest = fminf(lowest, w->boxes[i].min.y - middle);
        highest = fmaxf(highest, w->boxes[i].max.y - middle);
    }
    assert_true(lowest > -1.1f && highest < 1.1f);
    for (int i = 1; i < COUNT - 1; i++) {
        most = fmaxf(most, fabsf(w->out[i + 1].y - 2.0f * w->out[i].y + w->out[i - 1].y));
    }
    assert_true(most * RATE * RATE < 130.0f); // that of the body is 1190 m/s^2 in its frame
    for (int i = 5 * RATE; i < COUNT; i++) {  // at rest with it
        CHECK_NEAR(w->out[i].y, w->out[COUNT - 1].y, 0.02);
    }
    free(w);
}

// In a picture that is wide enough a turn leaves the camera as calm as ever.
static void room_enough_leaves_the_camera_calm(void **state)
{
    (void)state;
    way *w = create();
    w->follow.height = w->follow.camera.flat = 20.0f;
    for (int i = 0; i < COUNT; i++) {
        put(w, i, 0.0f, fabsf(6.0f - 0.04f * (float)i));
    }
    find_along(w);
    assert_true(most_acceleration(w->out) < 6.0f); // 2 * 2.4 m/s within 0.35 s * sqrt(2 pi)
    free(w);
}

static void a_single_frame_has_a_camera(void **state)
{
    (void)state;
    way *w = create();
    put(w, 0, 4.0f, 0.5f);
    w->follow.count = 1;
    find_flat(w);
    CHECK_NEAR(w->out[0].x, 4.0, 1e-6);
    find_along(w);
    assert_true(w->out[0].x == 0.0f);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_trembles_leaves_the_camera_still),
        cmocka_unit_test(a_steady_walk_is_followed_without_lag),
        cmocka_unit_test(a_ball_that_bounces_keeps_the_ground_in_view),
        cmocka_unit_test(a_body_that_rises_out_of_the_picture_is_followed),
        cmocka_unit_test(a_body_high_up_for_a_while_counts_more_than_the_ground),
        cmocka_unit_test(a_camera_does_not_look_beyond_the_borders),
        cmocka_unit_test(a_way_begins_where_the_camera_was_put_and_repeats),
        cmocka_unit_test(a_body_that_hits_the_ground_stays_in_the_picture),
        cmocka_unit_test(room_enough_leaves_the_camera_calm),
        cmocka_unit_test(a_single_frame_has_a_camera),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
