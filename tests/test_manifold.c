// test_manifold.c: promises of the plot of poses and of the layout of its graph.
#include "../src/render/labels.h"
#include "../src/render/manifold.h"

#include "wrought/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { W = 640, H = 420 };

static float apart(wr_vec2 a, wr_vec2 b)
{
    return hypotf(a.x - b.x, a.y - b.y);
}

static void layout(int count, const wri_link *links, int link_count, wr_vec2 *places)
{
    wr_error error = {0};
    if (!wri_layout_find(count, links, link_count, places, &error)) {
        fail_msg("%s", error.message);
    }
}

// --- places -----------------------------------------------------------------------------------

static void a_path_is_a_straight_line(void **state)
{
    (void)state;
    enum { N = 7 };
    wri_link links[N - 1];
    wr_vec2 x[N];
    for (int i = 0; i < N - 1; i++) { // not in order
        links[i] = (wri_link){(3 * i) % N, (3 * i + 3) % N};
    }
    layout(N, links, N - 1, x);
    for (int i = 0; i < N - 1; i++) {
        assert_float_equal(apart(x[links[i].a], x[links[i].b]), 1.0f, 0.02f);
    }
    for (int i = 0; i < N; i++) {
        assert_float_equal(x[i].y, 0.0f, 1e-6f);
    }
}

static void a_cycle_is_round(void **state)
{
    (void)state;
    enum { N = 6 };
    wri_link links[N];
    wr_vec2 x[N];
    for (int i = 0; i < N; i++) {
        links[i] = (wri_link){i, (i + 1) % N};
    }
    layout(N, links, N, x);
    float radius = hypotf(x[0].x, x[0].y);
    for (int i = 0; i < N; i++) {
        assert_float_equal(hypotf(x[i].x, x[i].y), radius, 0.05f * radius);
        assert_float_equal(apart(x[i], x[(i + 1) % N]), radius, 0.05f * radius); // six corners
    }
}

static void a_square_stands_upright(void **state)
{
    (void)state;
    const wri_link links[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    wr_vec2 x[4];
    layout(4, links, 4, x);
    for (int i = 0; i < 4; i++) {
        wr_vec2 a = x[i], b = x[(i + 1) % 4];
        assert_true(fminf(fabsf(a.x - b.x), fabsf(a.y - b.y)) < 0.05f);
    }
}

static bool cross(wr_vec2 a, wr_vec2 b, wr_vec2 c, wr_vec2 d)
{
    float s = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    float t = (b.x - a.x) * (d.y - a.y) - (b.y - a.y) * (d.x - a.x);
    float u = (d.x - c.x) * (a.y - c.y) - (d.y - c.y) * (a.x - c.x);
    float v = (d.x - c.x) * (b.y - c.y) - (d.y - c.y) * (b.x - c.x);
    return s * t < 0.0f && u * v < 0.0f;
}

// A row of triangles, whose nodes come in any order.
static void links_that_need_not_cross_do_not(void **state)
{
    (void)state;
    enum { N = 9, M = 2 * N - 3 };
    wri_link links[M];
    wr_vec2 x[N];
    for (int i = 0; i < N - 1; i++) {
        links[i] = (wri_link){(5 * i) % N, (5 * i + 5) % N};
    }
    for (int i = 0; i < N - 2; i++) {
        links[N - 1 + i] = (wri_link){(5 * i) % N, (5 * i + 10) % N};
    }
    layout(N, links, M, x);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < i; j++) {
            wri_link p = links[i], q = links[j];
            bool share = p.a == q.a || p.a == q.b || p.b == q.a || p.b == q.b;
            assert_false(!share && cross(x[p.a], x[p.b], x[q.a], x[q.b]));
        }
    }
}

static void parts_that_nothing_joins_lie_apart(void **state)
{
    (void)state;
    const wri_link links[] = {{0, 1}, {2, 3}};
    wr_vec2 x[5];
    layout(5, links, 2, x);
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < i; j++) {
            bool joined = (i == 1 && j == 0) || (i == 3 && j == 2);
            assert_true(joined ? apart(x[i], x[j]) < 1.5f : apart(x[i], x[j]) > 1.5f);
        }
    }
}

static void a_single_node_has_a_place(void **state)
{
    (void)state;
    wr_vec2 x[1] = {{NAN, NAN}};
    layout(1, NULL, 0, x);
    assert_true(x[0].x == 0.0f && x[0].y == 0.0f);
}

static void labels_stay_inside_and_apart(void **state)
{
    (void)state;
    const wr_vec2 places[] = {{12, 12}, {60, 12}, {188, 12}, {12, 88}, {188, 88}, {100, 50}};
    const float radii[] = {10, 10, 10, 10, 10, 10};
    const wri_link links[] = {{0, 1}, {1, 2}, {0, 3}, {3, 4}, {5, 3}};
    wri_label labels[6];
    for (int i = 0; i < 6; i++) {
        labels[i] = (wri_label){.width = 36, .height = 12};
    }
    const wri_label_room room = {places, radii, 6, links, 5, 2, 2, 198, 98};
    wri_labels_place(&room, labels);
    for (int i = 0; i < 6; i++) {
        const wri_label *a = &labels[i];
        assert_true(a->left >= 2 && a->top >= 2 && a->left + 36 <= 198 && a->top + 12 <= 98);
        for (int j = 0; j < i; j++) {
            const wri_label *b = &labels[j];
            assert_true(abs(a->left - b->left) >= 36 || abs(a->top - b->top) >= 12);
        }
    }
    assert_true(labels[5].top > 50); // below, where nothing is
}

// --- the plot ---------------------------------------------------------------------------------

static const char *const names[] = {"rest", "squash", "stretch", "crouch",
                                    "leap", "float",  "reach",   "tumble"};
static const wri_manifold_simplex simplices[] = {
    {2, {0, 1}}, {2, {0, 2}}, {3, {0, 3, 4}}, {2, {4, 5}}, {2, {5, 6}}, {3, {1, 3, 7}},
};

// A body that bounces between rest, squash and stretch, crouches, leaps and floats a little.
static int wander(wri_manifold_stay *stays)
{
    int count = 0;
    for (int i = 0; i < 240; i++) {
        float t = 0.5f - 0.5f * cosf(0.12f * (float)i);
        stays[count++] =
            (wri_manifold_stay){i % 105 < 52 ? 0 : 1, {1.0f - t, t, 0.0f}, 1.0f / 60.0f};
    }
    for (int i = 0; i < 120; i++) {
        float b = 0.5f + 0.45f * sinf(0.1f * (float)i), c = (1.0f - b) * (float)i / 120.0f;
        stays[count++] = (wri_manifold_stay){2, {1.0f - b - c, b, c}, 1.0f / 60.0f};
    }
    for (int i = 0; i < 30; i++) {
        float t = 0.03f * (float)i;
        stays[count++] = (wri_manifold_stay){3, {1.0f - t, t, 0.0f}, 1.0f / 60.0f};
    }
    for (int i = 0; i < 10; i++) {
        float t = 0.03f * (float)i;
        stays[count++] = (wri_manifold_stay){4, {1.0f - t, t, 0.0f}, 1.0f / 60.0f};
    }
    return count;
}

static wri_manifold_plot synthetic(const wri_manifold_stay *stays, int count)
{
    return (wri_manifold_plot){.title = "hero",
                               .examples = names,
                               .example_count = 8,
                               .simplices = simplices,
                               .simplex_count = WRI_COUNT(simplices),
                               .stays = stays,
                               .stay_count = count};
}

static void the_uses_add_up_and_name_what_was_never_reached(void **state)
{
    (void)state;
    wri_manifold_stay stays[512];
    wri_manifold_plot plot = synthetic(stays, wander(stays));
    wri_manifold_use uses[8];
    bool is_used[WRI_COUNT(simplices)];
    wri_manifold_measure(&plot, uses, is_used);
    double sum = 0.0;
    for (int i = 0; i < 8; i++) {
        sum += uses[i].seconds;
    }
    assert_float_equal(sum, 400.0 / 60.0, 1e-4);
    int floating = 0; // more than half way from leap to float, or less than that on to reach
    for (int i = 0; i < plot.stay_count; i++) {
        floating += (stays[i].simplex == 3 && stays[i].shares[1] > 0.5f) || stays[i].simplex == 4;
    }
    assert_float_equal(uses[5].seconds, floating / 60.0, 1e-5);
    assert_true(uses[1].nearest > 0.99f && uses[2].nearest > 0.9f && uses[5].nearest > 0.99f);
    assert_true(uses[6].nearest > 0.0f && uses[6].nearest < 0.5f);
    assert_true(uses[7].nearest == 0.0f && uses[7].seconds == 0.0);
    assert_true(uses[5].is_reached && !uses[6].is_reached && !uses[7].is_reached);
    for (int i = 0; i < plot.simplex_count; i++) {
        assert_int_equal(is_used[i], i != 5);
    }
}

static void what_is_in_no_simplex_is_apart_and_a_corner_uses_no_way(void **state)
{
    (void)state;
    const wri_manifold_stay stays[] = {
        {0, {0.99f, 0.01f, 0}, 1}, {1, {1, 0, 0}, 1}, {1, {0, 1, 0}, 1}};
    wri_manifold_plot plot = synthetic(stays, 2);
    wri_manifold_use uses[8];
    bool is_used[2];
    plot.simplex_count = 2; // rest - squash, rest - stretch
    wri_manifold_measure(&plot, uses, is_used);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(uses[i].is_there, i < 3);
        assert_int_equal(uses[i].is_reached, i == 0);
    }
    assert_false(is_used[0]);
    assert_false(is_used[1]);
    plot.stay_count = 3; // all of the way from one frame to the next
    wri_manifold_measure(&plot, uses, is_used);
    assert_true(is_used[1] && uses[2].is_reached);
}

static int count_ink(const uint8_t *pixels, int r, int g, int b)
{
    int count = 0;
    for (int i = 0; i < W * H; i++) {
        const uint8_t *p = pixels + 3 * i;
        count += abs(p[0] - r) + abs(p[1] - g) + abs(p[2] - b) < 12;
    }
    return count;
}

static void the_plot_shows_heat_and_marks_what_was_missed(void **state)
{
    (void)state;
    static uint8_t pixels[3 * W * H], again[3 * W * H], idle[3 * W * H];
    wri_manifold_stay stays[512];
    wri_manifold_plot plot = synthetic(stays, wander(stays));
    wri_canvas canvas = {pixels, W, H}, second = {again, W, H}, third = {idle, W, H};
    wr_error error = {0};
    assert_true(wri_manifold_draw(&canvas, &plot, &error));
    assert_true(wri_manifold_draw(&second, &plot, &error));
    assert_memory_equal(pixels, again, sizeof pixels);
    plot.stay_count = 0;
    assert_true(wri_manifold_draw(&third, &plot, &error));
    wri_ink hot = wri_ink_from_color(wr_ramp_color(1.0f));
    assert_true(count_ink(pixels, hot.r, hot.g, hot.b) > 20);
    assert_true(count_ink(idle, 196, 43, 43) > 2 * count_ink(pixels, 196, 43, 43)); // crosses
    assert_true(count_ink(pixels, 196, 43, 43) > 50);
    const char *keep = getenv("WROUGHT_PLOT"); // for people to look at
    if (keep) {
        assert_true(wr_png_write(keep, pixels, W, H, 3, &error));
    }
}

// A picture in every node, pale and without colour where the pose was never reached.
static void poses_show_their_pictures(void **state)
{
    (void)state;
    static uint8_t pixels[3 * W * H], green[4 * 64 * 64];
    const uint8_t *pictures[8] = {green, green, green, green, green, green, green, green};
    for (int i = 0; i < 64 * 64; i++) {
        memcpy(green + 4 * i, (const uint8_t[4]){20, 220, 40, 255}, 4);
    }
    wri_manifold_stay stays[512];
    wri_manifold_plot plot = synthetic(stays, wander(stays));
    plot.pictures = pictures;
    plot.picture_size = 64;
    wri_canvas canvas = {pixels, W, H};
    wr_error error = {0};
    assert_true(wri_manifold_draw(&canvas, &plot, &error));
    int all = count_ink(pixels, 20, 220, 40);
    assert_true(all > 200);
    plot.stay_count = 0; // nothing is reached
    assert_true(wri_manifold_draw(&canvas, &plot, &error));
    assert_int_equal(count_ink(pixels, 20, 220, 40), 0);
}

static bool is_paper(const uint8_t *p)
{
    return p[0] == 250 && p[1] == 250 && p[2] == 251;
}

// Long names at all sides of a small picture.
static void nothing_is_cut_off_at_the_border(void **state)
{
    (void)state;
    static const char *const longer[] = {"stretched a lot", "rest",    "squashed a lot",
                                         "leaning over",    "upright", "on its head"};
    static const wri_manifold_simplex ways[] = {
        {2, {0, 1}}, {2, {1, 2}}, {2, {1, 3}}, {2, {1, 4}}, {2, {1, 5}}};
    static uint8_t pixels[3 * 480 * 360];
    const int sizes[][2] = {{480, 360}, {320, 240}, {200, 300}};
    for (int s = 0; s < 3; s++) {
        int w = sizes[s][0], h = sizes[s][1];
        wri_manifold_plot plot = {"ball", longer, 6, ways, 5, NULL, 0, NULL, 0};
        wri_canvas canvas = {pixels, w, h};
        wr_error error = {0};
        assert_true(wri_manifold_draw(&canvas, &plot, &error));
        for (int i = 0; i < w; i++) {
            assert_true(is_paper(pixels + 3 * i) && is_paper(pixels + 3 * ((h - 1) * w + i)));
        }
        for (int i = 0; i < h; i++) {
            assert_true(is_paper(pixels + 3 * i * w) && is_paper(pixels + 3 * (i * w + w - 1)));
        }
    }
}

static void one_pose_alone_is_a_plot_too(void **state)
{
    (void)state;
    static uint8_t pixels[3 * 160 * 120];
    const wri_manifold_simplex alone = {1, {0}};
    const wri_manifold_stay stay = {0, {1.0f}, 2.0f};
    wri_manifold_plot plot = {"box", names, 1, &alone, 1, &stay, 1, NULL, 0};
    wri_canvas canvas = {pixels, 160, 120};
    wr_error error = {0};
    assert_true(wri_manifold_draw(&canvas, &plot, &error));
}

// The smallest that may be asked for; nobody reads it, and nothing is written beside it.
static void a_plot_of_sixteen_pixels_stays_within_them(void **state)
{
    (void)state;
    static uint8_t pixels[3 * 16 * 200 + 1];
    const int sizes[][2] = {{16, 16}, {16, 200}, {200, 16}};
    for (int s = 0; s < 3; s++) {
        size_t end = 3 * (size_t)sizes[s][0] * (size_t)sizes[s][1];
        wri_manifold_stay stay = {0, {0.5f, 0.5f}, 1.0f};
        wri_manifold_plot plot = synthetic(&stay, 1);
        wri_canvas canvas = {pixels, sizes[s][0], sizes[s][1]};
        wr_error error = {0};
        pixels[end] = 77;
        assert_true(wri_manifold_draw(&canvas, &plot, &error));
        assert_true(is_paper(pixels));
        assert_int_equal(pixels[end], 77);
    }
}

static void places_outside_the_manifold_are_one_sentence(void **state)
{
    (void)state;
    static uint8_t pixels[3 * W * H];
    wri_canvas canvas = {pixels, W, H};
    wri_manifold_stay stay = {0, {0.5f, 0.5f}, 1.0f};
    wri_manifold_simplex bad = {2, {0, 8}};
    wri_manifold_plot plot = synthetic(&stay, 1);
    wr_error error = {0};
    stay.simplex = 6;
    assert_false(wri_manifold_draw(&canvas, &plot, &error));
    assert_string_equal(error.message, "stay 0: no place of the manifold");
    stay = (wri_manifold_stay){0, {NAN, 0.5f}, 1.0f};
    assert_false(wri_manifold_draw(&canvas, &plot, &error));
    plot.simplices = &bad;
    plot.simplex_count = 1;
    assert_false(wri_manifold_draw(&canvas, &plot, &error));
    assert_string_equal(error.message, "simplex 0: a corner that is no example");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_a_straight_line),
        cmocka_unit_test(a_cycle_is_round),
        cmocka_unit_test(a_square_stands_upright),
        cmocka_unit_test(links_that_need_not_cross_do_not),
        cmocka_unit_test(parts_that_nothing_joins_lie_apart),
        cmocka_unit_test(a_single_node_has_a_place),
        cmocka_unit_test(labels_stay_inside_and_apart),
        cmocka_unit_test(what_is_in_no_simplex_is_apart_and_a_corner_uses_no_way),
        cmocka_unit_test(poses_show_their_pictures),
        cmocka_unit_test(nothing_is_cut_off_at_the_border),
        cmocka_unit_test(the_uses_add_up_and_name_what_was_never_reached),
        cmocka_unit_test(the_plot_shows_heat_and_marks_what_was_missed),
        cmocka_unit_test(one_pose_alone_is_a_plot_too),
        cmocka_unit_test(a_plot_of_sixteen_pixels_stays_within_them),
        cmocka_unit_test(places_outside_the_manifold_are_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
