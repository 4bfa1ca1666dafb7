// test_paint.c: colours that mean something, letters and marks on pictures, palettes.
#include "check.h"

#include "../src/file/png.h"
#include "../src/render/canvas.h"
#include "../src/render/palette.h"
#include "../src/render/texture.h"
#include "wrought/render.h"

// --- colours ----------------------------------------------------------------------------------

static double difference(wr_color a, wr_color b)
{
    wri_ink p = wri_ink_from_color(a), q = wri_ink_from_color(b);
    return sqrt((p.r - q.r) * (p.r - q.r) + (p.g - q.g) * (p.g - q.g) + (p.b - q.b) * (p.b - q.b));
}

static void check_apart(wr_color (*color)(int, int), int count, double least)
{
    for (int i = 0; i < count; i++) {
        wr_color c = color(i, count);
        assert_true(c.r >= 0 && c.g >= 0 && c.b >= 0 && c.r <= 1 && c.g <= 1 && c.b <= 1);
        for (int k = 0; k < i; k++) {
            if (difference(c, color(k, count)) < least) {
                fail_msg("%d and %d of %d differ by %g levels", k, i, count,
                         difference(c, color(k, count)));
            }
        }
    }
}

static void every_example_and_handle_has_its_own_colour(void **state)
{
    (void)state;
    for (int count = 1; count <= 9; count++) {
        check_apart(wr_example_color, count, 40.0);
        check_apart(wr_handle_color, count, 40.0);
    }
    check_apart(wr_example_color, 17, 20.0);
    check_apart(wr_handle_color, 32, 12.0);
}

static void rest_is_white_and_nothing_else_is(void **state)
{
    (void)state;
    for (int count = 1; count <= 20; count++) {
        wr_color rest = wr_example_color(0, count);
        assert_true(rest.r == rest.g && rest.g == rest.b && rest.r > 0.7f);
        for (int e = 1; e < count; e++) {
            wr_color c = wr_example_color(e, count);
            float top = fmaxf(c.r, fmaxf(c.g, c.b)), low = fminf(c.r, fminf(c.g, c.b));
            assert_true(low < 0.7f * top);
        }
    }
}

static void handles_next_to_each_other_differ_most(void **state)
{
    (void)state;
    for (int count = 3; count <= 40; count++) {
        for (int i = 0; i + 1 < count; i++) {
            assert_true(difference(wr_handle_color(i, count), wr_handle_color(i + 1, count)) > 60);
        }
    }
}

static void a_blend_is_the_mean_of_its_examples(void **state)
{
    (void)state;
    const float half[4] = {0.5f, 0.0f, 0.5f, 0.0f}, twice[4] = {1, 0, 1, 0}, second[4] = {0, 0, 3};
    wr_color a = wr_example_color(0, 4), b = wr_example_color(2, 4), c = wr_blend_color(half, 4);
    CHECK_NEAR(c.r, 0.5 * (a.r + b.r), 1e-6);
    CHECK_NEAR(c.g, 0.5 * (a.g + b.g), 1e-6);
    CHECK_NEAR(c.b, 0.5 * (a.b + b.b), 1e-6);
    CHECK_NEAR(difference(c, wr_blend_color(twice, 4)), 0.0, 0.0);
    CHECK_NEAR(difference(b, wr_blend_color(second, 4)), 0.0, 0.0);
}

static void a_row_without_meaning_is_white(void **state)
{
    (void)state;
    const float rows[3][2] = {{0, 0}, {-1, -2}, {INFINITY, 1}};
    for (int i = 0; i < 3; i++) {
        wr_color c = wr_blend_color(rows[i], 2);
        CHECK_NEAR(difference(c, wr_example_color(0, 2)), 0.0, 0.0);
    }
    const float nan[2] = {NAN, 1};
    CHECK_NEAR(difference(wr_blend_color(nan, 2), wr_example_color(1, 2)), 0.0, 0.0);
}

static void the_ramp_also_reads_in_grey(void **state)
{
    (void)state;
    double last = 1.0;
    for (int i = 0; i <= 64; i++) {
        wr_color c = wr_ramp_color((float)i / 64.0f);
        double grey = 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
        assert_true(grey < last);
        last = grey;
    }
    CHECK_NEAR(difference(wr_ramp_color(-3), wr_ramp_color(0)), 0, 0);
    CHECK_NEAR(difference(wr_ramp_color(NAN), wr_ramp_color(0)), 0, 0);
    CHECK_NEAR(difference(wr_ramp_color(7), wr_ramp_color(1)), 0, 0);
}

// Orange below 1, blue above, and in each octave told apart from the one before.
static void a_factor_has_a_colour_by_its_octave(void **state)
{
    (void)state;
    wr_color one = wr_factor_color(1.0f);
    assert_true(one.r > 0.7f && difference(one, (wr_color){one.r, one.r, one.r, 1}) < 5.0);
    for (int i = 1; i <= 3; i++) {
        wr_color less = wr_factor_color(ldexpf(1.0f, -i)), more = wr_factor_color(ldexpf(1.0f, i));
        assert_true(less.r > less.b && more.b > more.r);
        assert_true(difference(less, wr_factor_color(ldexpf(1.0f, 1 - i))) > 20.0);
        assert_true(difference(more, wr_factor_color(ldexpf(1.0f, i - 1))) > 20.0);
    }
    CHECK_NEAR(difference(wr_factor_color(0.0f), wr_factor_color(0.125f)), 0, 0);
    CHECK_NEAR(difference(wr_factor_color(1000.0f), wr_factor_color(8.0f)), 0, 0);
}

// --- letters and marks ------------------------------------------------------------------------

enum { WIDE = 48, HIGH = 32 };

typedef struct page {
    uint8_t before[64], pixels[WIDE * HIGH * 3], after[64];
} page;

static const wri_ink BLACK = {0, 0, 0};

static wri_canvas open_page(page *p)
{
    memset(p, 0xff, sizeof *p);
    return (wri_canvas){p->pixels, WIDE, HIGH};
}

static int ink_on(const page *p)
{
    int sum = 0;
    for (int i = 0; i < WIDE * HIGH * 3; i++) {
        sum += 255 - p->pixels[i];
    }
    return sum;
}

static void every_letter_can_be_told_from_every_other(void **state)
{
    (void)state;
    static page pages[128];
    for (int c = ' ' + 1; c < 127; c++) {
        const char text[2] = {(char)c, 0};
        wri_canvas canvas = open_page(&pages[c]);
        int end = wri_canvas_text(&canvas, 8, 20, 1, BLACK, text);
        assert_true(ink_on(&pages[c]) > 0);
        assert_int_equal(end - 8, wri_text_width(text, 1));
        for (int d = ' ' + 1; d < c; d++) {
            bool twins = (c == 'l' && d == 'I') || (c == 'o' && d == 'O');
            bool same = memcmp(&pages[c], &pages[d], sizeof(page)) == 0;
            assert_true(!same || twins);
        }
    }
}

static void what_is_not_ascii_is_one_box(void **state)
{
    (void)state;
    page box, other;
    wri_canvas a = open_page(&box), b = open_page(&other);
    wri_canvas_text(&a, 8, 20, 1, BLACK, "\xc3\xa4");
    wri_canvas_text(&b, 8, 20, 1, BLACK, "\xe6\xbc\xa2");
    assert_memory_equal(&box, &other, sizeof box);
    assert_true(ink_on(&box) > 0);
    assert_int_equal(wri_text_width("\xc3\xa4", 2), 2 * wri_text_width("\xe6\xbc\xa2", 1));
    wri_canvas_text(&b, 8, 20, 1, BLACK, "\xff\xc3"); // broken
}

static void nothing_is_drawn_beyond_the_picture(void **state)
{
    (void)state;
    page p;
    wri_canvas c = open_page(&p);
    uint8_t around[64];
    memset(around, 0xff, sizeof around);
    for (int i = 0; i < 200; i++) {
        int x = i * 7 % 90 - 30, y = i * 5 % 70 - 20;
        wri_canvas_text(&c, x, y, 1 + i % 3, BLACK, "Wg@");
        wri_canvas_fill(&c, x, y, 40, 30, BLACK);
        wri_canvas_place(&c, x, y, p.before, 4, 4);
        wri_canvas_ring(&c, (float)x, (float)y, (float)(i % 40), 2.0f, BLACK, 1.0f);
    }
    wri_canvas_ring(&c, NAN, 0.0f, INFINITY, 2.0f, BLACK, 1.0f);
    assert_memory_equal(p.before, around, sizeof around);
    assert_memory_equal(p.after, around, sizeof around);
}

static void text_that_is_too_long_ends_in_dots(void **state)
{
    (void)state;
    char out[32];
    assert_string_equal(wri_text_fit("short", 1, 100, out, sizeof out), "short");
    const char *cut = wri_text_fit("crumpled at the front", 1, 80, out, sizeof out);
    assert_true(wri_text_width(cut, 1) <= 80);
    assert_int_equal(strncmp(cut, "crumpled", 6), 0);
    assert_string_equal(cut + strlen(cut) - 3, "...");
    char tiny[8];
    assert_string_equal(wri_text_fit("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 1, 500, tiny, sizeof tiny),
                        "\xc3\xa4\xc3\xa4...");
}

// --- palettes ---------------------------------------------------------------------------------

static void few_colours_come_back_as_they_are(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    static uint8_t pixels[SIDE * SIDE * 3], indices[SIDE * SIDE];
    uint8_t palette[WRI_PALETTE_MAX][3];
    int count;
    wr_error error = {0};
    for (int i = 0; i < SIDE * SIDE; i++) {
        int k = i % 20; // one of them is rare
        k = k == 7 && i > 20 ? 0 : k;
        pixels[3 * i] = (uint8_t)(12 * k);
        pixels[3 * i + 1] = (uint8_t)(255 - 9 * k);
        pixels[3 * i + 2] = (uint8_t)(k % 3 * 100);
    }
    assert_true(wri_palette_find(pixels, SIDE, SIDE, 32, 0, indices, palette, &count, &error));
    assert_int_equal(count, 20);
    for (int i = 0; i < SIDE * SIDE * 3; i++) {
        assert_int_equal(palette[indices[i / 3]][i % 3], pixels[i]);
    }
    wri_arena arena = wri_arena_create(NULL);
    const uint8_t *bytes;
    size_t size;
    wr_image image;
    const wri_png_picture picture = {indices, SIDE, SIDE, 1, (const uint8_t(*)[3])palette, count};
    assert_true(wri_png_encode(&arena, &picture, &bytes, &size, &error));
    assert_true(wri_png_decode(&arena, bytes, size, "palette", &image, &error));
    assert_int_equal(image.width * image.height, SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE * 3; i++) {
        assert_int_equal(image.pixels[i / 3 * 4 + i % 3], pixels[i]);
    }
    wri_arena_destroy(&arena);
}

static double largest_error(const uint8_t *pixels, int side, int most, int dither)
{
    static uint8_t indices[128 * 128];
    uint8_t palette[WRI_PALETTE_MAX][3];
    int count, largest = 0;
    wr_error error = {0};
    assert_true(
        wri_palette_find(pixels, side, side, most, dither, indices, palette, &count, &error));
    assert_true(count <= most);
    for (int i = 0; i < side * side * 3; i++) {
        int off = abs(palette[indices[i / 3]][i % 3] - pixels[i]);
        largest = off > largest ? off : largest;
    }
    return largest;
}

static void a_gradient_stays_near_itself(void **state)
{
    (void)state;
    enum { SIDE = 128 };
    static uint8_t pixels[SIDE * SIDE * 3];
    for (int i = 0; i < SIDE * SIDE; i++) {
        int x = i % SIDE, y = i / SIDE;
        pixels[3 * i] = (uint8_t)(2 * x);
        pixels[3 * i + 1] = (uint8_t)(255 - x);
        pixels[3 * i + 2] = (uint8_t)(40 + y / 4);
    }
    double fine = largest_error(pixels, SIDE, 256, 0), coarse = largest_error(pixels, SIDE, 16, 0);
    assert_true(fine <= 8 && coarse <= 40 && fine < coarse);
    assert_true(largest_error(pixels, SIDE, 256, 4) <= 12);
    assert_true(largest_error(pixels, SIDE, 2, 0) <= 160);
}

// --- pictures on pictures -----------------------------------------------------------------------

// What leaves the canvas to any side is cut off, and the rest stays where it is.
static void a_placed_picture_is_cut_off_where_it_leaves(void **state)
{
    (void)state;
    enum { ACROSS = 5, DOWN = 4 };
    static const int places[][2] = {{2, 1}, {-2, -1}, {6, 4}, {-7, 0}, {1, 5}};
    uint8_t picture[3 * ACROSS * DOWN];
    for (int i = 0; i < 3 * ACROSS * DOWN; i++) {
        picture[i] = (uint8_t)(i + 1);
    }
    for (int n = 0; n < WRI_COUNT(places); n++) {
        uint8_t pixels[3 * 8 * 6] = {0};
        wri_canvas canvas = {pixels, 8, 6};
        wri_canvas_place(&canvas, places[n][0], places[n][1], picture, ACROSS, DOWN);
        for (int i = 0; i < 8 * 6; i++) {
            int x = i % 8 - places[n][0], y = i / 8 - places[n][1];
            bool inside = x >= 0 && x < ACROSS && y >= 0 && y < DOWN;
            assert_int_equal(pixels[3 * i + 1], inside ? 3 * (y * ACROSS + x) + 2 : 0);
        }
    }
}

// Dashes are as long as they are told, in pixels, however long the line is.
static void dashes_are_as_long_as_they_are_told(void **state)
{
    (void)state;
    for (int length = 60; length <= 120; length += 60) {
        uint8_t pixels[3 * 130 * 5] = {0};
        wri_canvas canvas = {pixels, 130, 5};
        wri_canvas_dashes(&canvas, 2.0f, 2.5f, 2.0f + (float)length, 2.5f, 2.0f, 10.0f,
                          (wri_ink){255, 255, 255});
        for (int x = 4; x < length; x++) {
            int at = (x - 2) % 20;
            if (at > 0 && at < 9) {
                assert_int_equal(pixels[3 * (2 * 130 + x)], 255);
            } else if (at > 10 && at < 19) {
                assert_int_equal(pixels[3 * (2 * 130 + x)], 0);
            }
        }
    }
}

// A level of half the size is the mean of four, in linear light.
static void smaller_levels_are_means_of_four(void **state)
{
    (void)state;
    static const uint8_t bytes[4] = {0, 90, 180, 255};
    uint8_t pixels[16];
    double mean = 0.0;
    for (int i = 0; i < 16; i++) {
        pixels[i] = i % 4 == 3 ? 255 : bytes[i / 4];
    }
    for (int i = 0; i < 4; i++) {
        double c = bytes[i] / 255.0;
        mean += 0.25 * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    const wr_image image = {"four", 2, 2, pixels};
    static wri_srgb srgb;
    wri_srgb_fill(&srgb);
    for (int alpha = 0; alpha < 2; alpha++) {
        wri_arena arena = wri_arena_create(NULL);
        wri_texture texture = {0};
        assert_true(wri_texture_create(&texture, &image, &srgb, alpha == 1, &arena));
        assert_int_equal(texture.level_count, 2);
        double expected = 255.0 * (1.055 * pow(mean, 1.0 / 2.4) - 0.055);
        for (int c = 0; c < 3; c++) {
            CHECK_NEAR(texture.levels[1].pixels[c], expected, 1.0);
        }
        wri_arena_destroy(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_and_handle_has_its_own_colour),
        cmocka_unit_test(rest_is_white_and_nothing_else_is),
        cmocka_unit_test(handles_next_to_each_other_differ_most),
        cmocka_unit_test(a_blend_is_the_mean_of_its_examples),
        cmocka_unit_test(a_row_without_meaning_is_white),
        cmocka_unit_test(the_ramp_also_reads_in_grey),
        cmocka_unit_test(a_factor_has_a_colour_by_its_octave),
        cmocka_unit_test(every_letter_can_be_told_from_every_other),
        cmocka_unit_test(what_is_not_ascii_is_one_box),
        cmocka_unit_test(nothing_is_drawn_beyond_the_picture),
        cmocka_unit_test(text_that_is_too_long_ends_in_dots),
        cmocka_unit_test(few_colours_come_back_as_they_are),
        cmocka_unit_test(a_gradient_stays_near_itself),
        cmocka_unit_test(a_placed_picture_is_cut_off_where_it_leaves),
        cmocka_unit_test(dashes_are_as_long_as_they_are_told),
        cmocka_unit_test(smaller_levels_are_means_of_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
