// test_exposure.c: motion blur and depth of field against closed forms, and pictures whose mean is
// taken against one with many samples.
#include "check.h"

#include "../src/show/exposure.h"

#include <math.h>

enum { WIDTH = 96, HEIGHT = 64, BYTES = 3 * WIDTH * HEIGHT };

static wr_model *box;

static int setup(void **state)
{
    (void)state;
    const wr_color paint = {0.8f, 0.3f, 0.1f, 1.0f};
    box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(0.8f, 1.0f, 0.6f), paint, NULL);
    return box ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    wr_model_destroy(box);
    return 0;
}

static wri_exposure begin(wri_arena *arena, double blur, float lens, int count)
{
    wr_error error = {0};
    wri_exposure x = {0};
    wr_show_desc desc = wr_show_desc_default();
    desc.width = WIDTH;
    desc.height = HEIGHT;
    desc.blur = blur;
    desc.lens = lens;
    *arena = wri_arena_create(NULL);
    assert_true(wri_exposure_create(&x, &desc, count, arena, &error));
    return x;
}

static wr_camera oblique_camera(void)
{
    return (wr_camera){.from = {3.0f, 2.0f, 5.0f}, .to = {0.5f, 0.3f, -1.0f}, .fov = 0.7f};
}

// --- where and when -----------------------------------------------------------------------------

static void moments_fill_the_time_of_the_exposure(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    const double moment = 7.3, interval = 2.0, blur = 0.4;
    wri_arena arena;
    wri_exposure x = begin(&arena, blur, 0.0f, COUNT);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < COUNT; i++) {
        double at = wri_exposure_moment(&x, i, moment, interval, 100) - moment;
        assert_true(fabs(at) <= 0.5 * blur * interval);
        sum += at;
        squares += at * at;
    }
    CHECK_NEAR(sum / COUNT, 0.0, 1e-12);
    CHECK_NEAR(squares / COUNT, pow(blur * interval, 2.0) / 12.0, 1e-3 * blur * interval);
    for (int i = 0; i < COUNT; i++) {
        assert_true(wri_exposure_moment(&x, i, 0.0, interval, 100) >= 0.0);
        assert_true(wri_exposure_moment(&x, i, 100.0, interval, 100) <= 100.0);
    }
    x.blur = 0.0;
    assert_true(wri_exposure_moment(&x, 3, moment, interval, 100) == moment);
    wri_arena_destroy(&arena);
}

// Widths of the spot that a point is seen as, in pixels, across and up.
static void find_spot(const wri_exposure *x, wr_vec3 point, float width[2])
{
    wr_camera camera = oblique_camera();
    float least[2] = {1e9f, 1e9f}, most[2] = {-1e9f, -1e9f};
    for (int i = 0; i < x->count; i++) {
        wr_camera c = wri_exposure_camera(x, i, &camera);
        wr_vec2 pixel;
        float depth;
        assert_true(wr_camera_project(&c, WIDTH, HEIGHT, point, &pixel, &depth));
        const float at[2] = {pixel.x, pixel.y};
        for (int k = 0; k < 2; k++) {
            least[k] = fminf(least[k], at[k]);
            most[k] = fmaxf(most[k], at[k]);
        }
    }
    width[0] = most[0] - least[0];
    width[1] = most[1] - least[1];
}

// A lens of diameter L that is focused at f shows a point at d as a disc of L |1 - f/d| in the
// plane in focus.
static void points_out_of_focus_are_discs(void **state)
{
    (void)state;
    const float lens = 0.05f;
    wri_arena arena;
    wri_exposure x = begin(&arena, 0.0, lens, 4000);
    wr_camera camera = oblique_camera();
    wr_vec3 view = wr_sub(camera.to, camera.from);
    float focus = wr_length(view), pixels = HEIGHT / (2.0f * focus * tanf(0.5f * camera.fov));
    static const float depths[] = {0.5f, 0.8f, 1.0f, 1.7f, 5.0f};
    for (int i = 0; i < WRI_COUNT(depths); i++) {
        float width[2];
        float expected = pixels * lens * fabsf(1.0f - 1.0f / depths[i]);
        find_spot(&x, wr_add_scaled(camera.from, depths[i], view), width);
        CHECK_NEAR(width[0], expected, 0.03 * expected + 1e-3);
        CHECK_NEAR(width[1], expected, 0.03 * expected + 1e-3);
    }
    wri_arena_destroy(&arena);
}

// --- pictures -----------------------------------------------------------------------------------

static void draw(wr_render *render, uint8_t *pixels)
{
    wr_error error = {0};
    wr_stage stage = wr_stage_default();
    wr_camera camera = oblique_camera();
    const wr_render_thing things[] = {
        {.model = box, .pose = {{0.2f, 0.5f, -0.1f}, WR_QUAT_IDENTITY}, .tint = {1, 1, 1, 1}},
        {.pose = WR_POSE_IDENTITY, .tint = stage.light.ground},
    };
    assert_true(wr_render_draw(render, things, 2, &stage, &camera, pixels, &error));
}

static wr_render *create_render(int samples)
{
    wr_error error = {0};
    wr_render_desc desc = wr_render_desc_default();
    desc.width = WIDTH;
    desc.height = HEIGHT;
    desc.samples = samples;
    wr_render *render = wr_render_create(&desc, &error);
    assert_non_null(render);
    return render;
}

static double difference(const uint8_t *a, const uint8_t *b)
{
    double sum = 0.0;
    for (int i = 0; i < BYTES; i++) {
        sum += pow((double)a[i] - (double)b[i], 2.0);
    }
    return sqrt(sum / BYTES);
}

// Borders, soft shadows and the sky's light come out as with as many samples at once.
static void exposures_take_other_samples(void **state)
{
    (void)state;
    static uint8_t exact[BYTES], one[BYTES], many[BYTES], mean[BYTES];
    enum { COUNT = 32 };
    wri_arena arena;
    wri_exposure x = begin(&arena, 0.5, 0.0f, COUNT);
    wr_render *fine = create_render(256), *usual = create_render(COUNT), *coarse = create_render(1);
    draw(fine, exact);
    draw(usual, many);
    draw(coarse, one);
    for (int i = 0; i < COUNT; i++) {
        wr_render_set_exposure(coarse, i);
        draw(coarse, x.pixels);
        wri_exposure_add(&x, i);
    }
    wri_exposure_develop(&x, mean);
    double one_off = difference(one, exact), many_off = difference(many, exact);
    double mean_off = difference(mean, exact);
    print_message("off by %.2f with one sample, %.2f with %d, %.2f as the mean of as many\n",
                  one_off, many_off, COUNT, mean_off);
    assert_true(mean_off < 0.3 * one_off); // it cannot be better: each was filtered by itself
    wr_render_set_exposure(coarse, 0);
    draw(coarse, mean);
    assert_memory_equal(mean, one, BYTES);
    wr_render_destroy(fine);
    wr_render_destroy(usual);
    wr_render_destroy(coarse);
    wri_arena_destroy(&arena);
}

// The mean is one of light, not of bytes.
static void light_is_averaged(void **state)
{
    (void)state;
    static uint8_t mean[BYTES];
    wri_arena arena;
    wri_exposure x = begin(&arena, 0.5, 0.0f, 4);
    for (int i = 0; i < 4; i++) {
        memset(x.pixels, i == 1 ? 255 : 0, BYTES);
        wri_exposure_add(&x, i);
    }
    wri_exposure_develop(&x, mean);
    assert_int_equal(mean[0], 137); // sRGB of a quarter
    assert_int_equal(mean[BYTES - 1], 137);
    wri_arena_destroy(&arena);
}

static void what_cannot_be_exposed_is_one_sentence(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    wr_show_desc desc = wr_show_desc_default();
    wri_exposure x = {0};
    wr_error error = {0};
    desc.blur = 1.5;
    assert_false(wri_exposure_create(&x, &desc, 4, &arena, &error));
    assert_string_equal(error.message, "blur is 1.5, expected 0 to 1");
    desc.blur = 0.0;
    desc.lens = -0.5f;
    assert_false(wri_exposure_create(&x, &desc, 4, &arena, &error));
    assert_string_equal(error.message, "lens is -0.5, expected 0 metres or more");
    wri_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_fill_the_time_of_the_exposure),
        cmocka_unit_test(points_out_of_focus_are_discs),
        cmocka_unit_test(exposures_take_other_samples),
        cmocka_unit_test(light_is_averaged),
        cmocka_unit_test(what_cannot_be_exposed_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
