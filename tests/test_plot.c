// test_plot.c: pictures of curves, and the lines they are made of.
#include "folder.h"

#include "../bench/bench.h"
#include "../src/base/os.h"
#include "../src/file/png.h"
#include "../src/render/canvas.h"

// --- lines --------------------------------------------------------------------------------------

enum { SIDE = 32 };

// How dark a picture is, in black pixels.
static double darkness(const uint8_t *pixels)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * SIDE * SIDE; i++) {
        sum += (255 - pixels[i]) / 765.0;
    }
    return sum;
}

static double draw_line(float x0, float y0, float x1, float y1, float width, uint8_t *pixels)
{
    memset(pixels, 255, 3 * SIDE * SIDE);
    wri_canvas canvas = {pixels, SIDE, SIDE};
    wri_canvas_line(&canvas, x0, y0, x1, y1, width, (wri_ink){0, 0, 0});
    return darkness(pixels);
}

static void a_line_is_as_dark_as_it_is_long_and_wide(void **state)
{
    (void)state;
    uint8_t pixels[3 * SIDE * SIDE];
    const double ends = 3.14159 / 4.0; // of a line of width 1
    CHECK_NEAR(draw_line(5.5f, 7.5f, 25.5f, 7.5f, 1.0f, pixels), 20.0 + ends, 1.0);
    assert_int_equal(pixels[3 * (7 * SIDE + 15)], 0);
    assert_int_equal(pixels[3 * (9 * SIDE + 15)], 255);
    CHECK_NEAR(draw_line(5.5f, 7.5f, 17.5f, 23.5f, 3.0f, pixels), 60.0 + 9.0 * ends, 2.0);
    CHECK_NEAR(draw_line(9.5f, 9.5f, 9.5f, 9.5f, 6.0f, pixels), 36.0 * ends, 1.5); // a dot
}

static void lines_are_cut_off_at_the_edge(void **state)
{
    (void)state;
    uint8_t pixels[3 * SIDE * SIDE];
    CHECK_NEAR(draw_line(-100.0f, 3.5f, 100.0f, 3.5f, 1.0f, pixels), SIDE, 0.5);
    CHECK_NEAR(draw_line(-9.0f, -9.0f, -2.0f, -5.0f, 1.0f, pixels), 0.0, 0.0);
    CHECK_NEAR(draw_line(NAN, 1.0f, 2.0f, 3.0f, 1.0f, pixels), 0.0, 0.0);
    CHECK_NEAR(draw_line(0.0f, 1.0f, 1e30f, 3.0f, 1.0f, pixels), 0.0, 0.0);
}

// --- plots --------------------------------------------------------------------------------------

static bench_rows rows;

static wr_image draw(wri_arena *arena, const char *name)
{
    wr_error error = {0};
    wr_image image = {0};
    char path[600];
    rows.plots[0] = (bench_plot){name, "a title", "across, m", "up, s", rows.plots[0].is_linear};
    rows.plot_count = 1;
    if (!bench_draw_plot(&rows, 0, folder.path, &error)) {
        fail_msg("%s", error.message);
    }
    snprintf(path, sizeof path, "%s/%s.png", folder.path, name);
    size_t size;
    char *bytes = wri_file_read(path, 1 << 22, NULL, &size, &error);
    if (bytes) {
        assert_true(wri_png_decode(arena, bytes, size, name, &image, &error));
        wri_free(NULL, bytes, size + 1, 1);
    }
    return image;
}

// The middle of the pixels of the first curve's colour left of the names; false: there are none.
static bool find_curve(const wr_image *image, double middle[2], int *count)
{
    double sum[2] = {0.0, 0.0};
    *count = 0;
    for (int i = 0; i < image->width * image->height; i++) {
        const uint8_t *p = &image->pixels[4 * i];
        if (p[0] == 214 && p[1] == 93 && p[2] == 14 && i % image->width < 540) {
            sum[0] += i % image->width + 0.5;
            sum[1] += i / image->width + 0.5;
            ++*count;
        }
    }
    middle[0] = sum[0] / *count;
    middle[1] = sum[1] / *count;
    return *count > 0;
}

static void points_stand_where_their_logarithms_are(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    double at[3][2];
    const double x[3] = {1.0, 10.0, 100.0}, y[3] = {5.0, 0.5, 0.05};
    for (int i = 0; i < 3; i++) { // one orange dot; grey ones keep the axes as they are
        int count;
        rows = (bench_rows){0};
        bench_add_point(&rows, 0, "", true, x[i], y[i]); // a name would be orange, too
        bench_add_point(&rows, 0, "there", false, x[0], y[2]);
        bench_add_point(&rows, 0, "there", false, x[2], y[0]);
        wr_image image = draw(&arena, "points");
        assert_true(find_curve(&image, at[i], &count));
        CHECK_NEAR(count, 30.0, 12.0); // a dot of 7 pixels
    }
    CHECK_NEAR(at[1][0] - at[0][0], at[2][0] - at[1][0], 1.0);
    CHECK_NEAR(at[1][1] - at[0][1], at[2][1] - at[1][1], 1.0);
    assert_true(at[1][0] > at[0][0] + 100 && at[1][1] > at[0][1] + 100); // smaller is lower
    wri_arena_destroy(&arena);
}

static void on_linear_axes_points_stand_where_they_are(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    double at[3][2];
    const double x[3] = {0.0, 1.0, 3.0}, y[3] = {1.05, 1.03, 0.99};
    for (int i = 0; i < 3; i++) {
        int count;
        rows = (bench_rows){.plots = {{.is_linear = true}}};
        bench_add_point(&rows, 0, "", true, x[i], y[i]);
        bench_add_point(&rows, 0, "there", false, x[0], y[2]);
        bench_add_point(&rows, 0, "there", false, x[2], y[0]);
        wr_image image = draw(&arena, "linear");
        assert_true(find_curve(&image, at[i], &count));
    }
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(2.0 * (at[1][k] - at[0][k]), at[2][k] - at[1][k], 2.0);
        assert_true(at[1][k] > at[0][k] + 50.0);
    }
    wri_arena_destroy(&arena);
}

static void what_has_no_logarithm_is_left_out(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    double middle[2];
    int alone, among;
    rows = (bench_rows){0};
    bench_add_point(&rows, 0, "here", true, 3.0, 3.0);
    wr_image image = draw(&arena, "alone");
    assert_true(find_curve(&image, middle, &alone));
    static const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < WRI_COUNT(bad); i++) {
        bench_add_point(&rows, 0, "here", true, bad[i], 1.0);
        bench_add_point(&rows, 0, "here", true, 1.0, bad[i]);
    }
    bench_add_point(&rows, 1, "here", true, 30.0, 30.0); // of another plot
    image = draw(&arena, "among");
    assert_true(find_curve(&image, middle, &among));
    assert_int_equal(alone, among);
    rows = (bench_rows){0};
    assert_null(draw(&arena, "nothing").pixels); // no file for no points
    wri_arena_destroy(&arena);
}

static void more_curves_than_colours_and_long_names_are_drawn_as_far_as_there_is_room(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    static char names[20][120];
    rows = (bench_rows){0};
    for (int i = 0; i < WRI_COUNT(names); i++) {
        snprintf(names[i], sizeof names[i], "%d of those names that do not come to an end, %d", i,
                 i * i);
        bench_add_point(&rows, 0, names[i], true, 1.0, 1.0);
        bench_add_point(&rows, 0, names[i], true, 1e12, 1e-12);
    }
    assert_non_null(draw(&arena, "many").pixels);
    wri_arena_destroy(&arena);
}

static void a_folder_that_is_not_there_is_a_sentence(void **state)
{
    (void)state;
    wr_error error = {0};
    rows = (bench_rows){0};
    bench_add_point(&rows, 0, "here", true, 3.0, 3.0);
    rows.plots[0] = (bench_plot){"a", "b", "c", "d"};
    assert_false(bench_draw_plot(&rows, 0, "/nowhere/at/all", &error));
    assert_non_null(strstr(error.message, "/nowhere/at/all/a.png"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_as_dark_as_it_is_long_and_wide),
        cmocka_unit_test(lines_are_cut_off_at_the_edge),
        cmocka_unit_test(points_stand_where_their_logarithms_are),
        cmocka_unit_test(on_linear_axes_points_stand_where_they_are),
        cmocka_unit_test(what_has_no_logarithm_is_left_out),
        cmocka_unit_test(more_curves_than_colours_and_long_names_are_drawn_as_far_as_there_is_room),
        cmocka_unit_test(a_folder_that_is_not_there_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
