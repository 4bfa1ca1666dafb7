// test_flat.c: promises of drawings: alpha, looks without light, flat stages and cameras, and that
// files keep them.
#include "../src/render/lines.h"
#include "folder.h"
#include "drawing.h"
#include "pictures.h"
#include "same_model.h"

#include "wrought/file.h"
#include "wrought/render.h"
#include "wrought/scene.h"

#include "../src/base/os.h"

enum { W = 160, H = 96, PIXELS = W * H * 3 };

static const wr_color WHITE = {1.0f, 1.0f, 1.0f, 1.0f};
static wr_render *make_render(int samples, int workers, wr_view view)
{
    return make_sized_render(W, H, samples, workers, view);
}

static void draw(const wr_render_thing *things, int count, const wr_stage *stage,
                 const wr_camera *camera, uint8_t *pixels)
{
    draw_with(make_render(16, 1, WR_VIEW_SHADED), things, count, stage, camera, pixels);
}

// Background #204060 everywhere.
static wr_stage flat_stage(void)
{
    wr_stage stage = wr_stage_default();
    stage.flat.on = true;
    stage.flat.top = stage.flat.low = (wr_color){decode(0x20), decode(0x40), decode(0x60), 1.0f};
    return stage;
}

// Sees y from -2 to 2 and as much more to the sides.
static wr_camera flat_camera(void)
{
    return (wr_camera){.from = {0, 0, 10}, .to = {0, 0, 0}, .fov = 1.0f, .flat = 4.0f};
}

static wr_render_thing at(const wr_model *model, float x, float y, float z)
{
    wr_render_thing thing = {.model = model, .pose = WR_POSE_IDENTITY, .tint = WHITE};
    thing.pose.position = wr_v3(x, y, z);
    return thing;
}

static const uint8_t *pixel_of(const uint8_t *pixels, const wr_camera *camera, wr_vec3 p)
{
    wr_vec2 pixel;
    float depth;
    assert_true(wr_camera_project(camera, W, H, p, &pixel, &depth));
    return pixels + 3 * ((int)pixel.y * W + (int)pixel.x);
}

#define CHECK_PIXEL(pixel, red, green, blue)                                                       \
    do {                                                                                           \
        const uint8_t *check_p = (pixel);                                                          \
        if (check_p[0] != (red) || check_p[1] != (green) || check_p[2] != (blue)) {                \
            fail_msg("%s:%d: %d %d %d, expected %d %d %d", __FILE__, __LINE__, check_p[0],         \
                     check_p[1], check_p[2], (red), (green), (blue));                              \
        }                                                                                          \
    } while (0)

// --- flat stages ------------------------------------------------------------------------------

static void drawings_keep_every_byte_of_their_colours(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing d;
    wr_stage stage = flat_stage();
    wr_camera camera = flat_camera();
    drawing_create(&d, 0, 0, 0, 255);
    for (int i = 0; i < 16; i++) { // sixteen fields of 8 x 8 pixels
        drawing_fill(&d, i % 4 * 8, i / 4 * 8, 8, 8, (uint8_t)(17 * i), (uint8_t)(255 - 13 * i),
                     (uint8_t)(i * i), 255);
    }
    wr_render_thing thing = at(&d.model, 0.0f, 0.0f, 0.0f);
    draw(&thing, 1, &stage, &camera, pixels);
    for (int i = 0; i < 16; i++) {
        float x = -0.75f + 0.5f * (float)(i % 4), y = 0.75f - 0.5f * (float)(i / 4);
        CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(x, y, 0)), 17 * i, 255 - 13 * i, i * i);
    }
    CHECK_PIXEL(pixels, 0x20, 0x40, 0x60);
    CHECK_PIXEL(pixels + PIXELS - 3, 0x20, 0x40, 0x60);
}

static void the_background_goes_from_top_to_bottom(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    wr_stage stage = flat_stage();
    wr_camera camera = flat_camera();
    stage.flat.low = (wr_color){decode(0xe0), decode(0x40), decode(0x60), 1.0f};
    draw(NULL, 0, &stage, &camera, pixels);
    for (int y = 0; y < H; y++) {
        int expected = (int)lrint(0x20 + (0xe0 - 0x20) * (y + 0.5) / H);
        assert_in_range(pixels[3 * y * W], expected - 1, expected + 1);
        assert_int_equal(pixels[3 * y * W + 1], 0x40);
    }
}

static void alpha_blends_as_paint_programs_do(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing d;
    wr_stage stage = flat_stage();
    wr_camera camera = flat_camera();
    drawing_create(&d, 220, 100, 40, 102); // 0.4
    wr_render_thing things[2] = {at(&d.model, 0.0f, 0.0f, 0.0f), at(&d.model, 1.0f, 0.0f, 0.1f)};
    draw(things, 2, &stage, &camera, pixels);
    double once = 0.4 * 220 + 0.6 * 0x20, twice = 0.4 * 220 + 0.6 * once;
    assert_int_equal(pixel_of(pixels, &camera, wr_v3(-0.5f, 0, 0))[0], (int)lrint(once));
    assert_int_equal(pixel_of(pixels, &camera, wr_v3(0.5f, 0, 0))[0], (int)lrint(twice));
    assert_int_equal(pixel_of(pixels, &camera, wr_v3(1.5f, 0, 0))[0], (int)lrint(once));
}

static void what_is_transparent_is_not_there(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing d, e;
    wr_stage stage = flat_stage();
    wr_camera camera = flat_camera();
    drawing_create(&d, 255, 255, 255, 0);
    drawing_fill(&d, 0, 0, 13, 32, 200, 30, 30, 255); // on the left
    drawing_create(&e, 30, 200, 30, 255);
    wr_render_thing things[2] = {at(&e.model, 0.0f, 0.0f, -1.0f), at(&d.model, 0.0f, 0.0f, 0.0f)};
    draw(things, 2, &stage, &camera, pixels);
    CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(-0.5f, 0, 0)), 200, 30, 30);
    CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(0.5f, 0, 0)), 30, 200, 30);
    draw(things + 1, 1, &stage, &camera, pixels);
    CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(0.5f, 0, 0)), 0x20, 0x40, 0x60);
    // Nothing of the white that is not there shows at the border of the ink, nor at the far side.
    for (int x = W / 2; x < W; x++) {
        const uint8_t *p = pixels + 3 * (H / 2 * W + x);
        assert_true(p[1] <= 0x40 && p[2] <= 0x60);
    }
    CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(0.99f, 0, 0)), 0x20, 0x40, 0x60);
    camera.flat = 60.0f; // as small as a few pixels
    draw(things + 1, 1, &stage, &camera, pixels);
    for (int i = 0; i < W * H; i++) {
        assert_true(pixels[3 * i + 1] <= 0x40 && pixels[3 * i + 2] <= 0x60);
    }
}

static void a_mask_has_no_half_tones(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing d;
    wr_stage stage = flat_stage();
    wr_camera camera = flat_camera();
    drawing_create(&d, 200, 30, 30, 120);
    drawing_fill(&d, 0, 0, 16, 32, 200, 30, 30, 140);
    d.look.alpha = WR_ALPHA_MASK;
    d.look.cutoff = 0.5f;
    wr_render_thing thing = at(&d.model, 0.0f, 0.0f, 0.0f);
    draw(&thing, 1, &stage, &camera, pixels);
    CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(-0.5f, 0, 0)), 200, 30, 30);
    CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(0.5f, 0, 0)), 0x20, 0x40, 0x60);
}

static void the_nearer_is_in_front_and_at_one_depth_the_later(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing red, green;
    wr_stage stage = flat_stage();
    wr_camera camera = flat_camera();
    drawing_create(&red, 200, 30, 30, 255);
    drawing_create(&green, 30, 200, 30, 255);
    wr_render_thing things[2] = {at(&red.model, 0.0f, 0.0f, 0.0f), at(&green.model, 0, 0, 0)};
    for (int turn = 0; turn < 2; turn++) { // turned about z they still lie in one plane
        things[1].pose.rotation = wr_quat_from_axis_angle(wr_v3(0, 0, 1), turn ? 0.3f : 0.0f);
        draw(things, 2, &stage, &camera, pixels);
        for (int y = H / 4 + 10; y < 3 * H / 4 - 10; y++) { // every pixel, no speckles
            CHECK_PIXEL(pixels + 3 * (y * W + W / 2), 30, 200, 30);
        }
    }
    things[0].pose.position.z = 0.01f;
    draw(things, 2, &stage, &camera, pixels);
    CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(0, 0, 0)), 200, 30, 30);
}

static void other_things_are_filled_and_outlined(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    wr_stage stage = flat_stage();
    wr_camera camera = flat_camera();
    wr_error error = {0};
    const wr_color orange = {decode(230), decode(140), decode(50), 1.0f};
    static const wr_primitive kinds[] = {WR_PRIMITIVE_BOX, WR_PRIMITIVE_SPHERE};
    for (int k = 0; k < 2; k++) {
        wr_vec3 size = k == 0 ? wr_v3(2, 2, 2) : wr_v3(1, 0, 0);
        wr_model *model = wr_model_create_primitive(kinds[k], size, orange, &error);
        wr_render_thing thing = at(model, 0, 0, 0);
        stage.flat.line = 0.04f; // 3.84 pixels
        draw(&thing, 1, &stage, &camera, pixels);
        int dark = 0, plain = 0;
        for (int x = 0; x < W; x++) { // across the middle
            const uint8_t *p = pixels + 3 * (H / 2 * W + x);
            plain += p[0] == 230 && p[1] == 140 && p[2] == 50;
            dark += p[0] < 120 && p[0] > 80 && p[2] < 40;
        }
        assert_in_range(dark, 6, 8); // both sides
        assert_in_range(plain, 48 - 10, 48 - 7);
        stage.flat.line = 0.0f;
        draw(&thing, 1, &stage, &camera, pixels);
        CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(0.95f, 0, 0)), 230, 140, 50);
        wr_model_destroy(model);
    }
}

// A cube seen at a corner: its nine edges that are seen are drawn, the three inner ones too.
static void sharp_edges_are_drawn_inside_too(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    const wr_color white = {1, 1, 1, 1};
    wr_model *cube = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(2, 2, 2), white, NULL);
    wr_stage stage = wr_stage_default();
    stage.flat.on = true;
    stage.flat.line = 0.02f;
    const wr_render_thing thing = {.model = cube, .pose = WR_POSE_IDENTITY, .tint = white};
    const wr_camera camera = {.from = {6, 6, 6}, .to = {0, 0, 0}, .flat = 4.0f};
    draw(&thing, 1, &stage, &camera, pixels);
    const wr_vec3 edges[3] = {{1, 1, 0}, {1, 0, 1}, {0, 1, 1}},
                  sides[3] = {{1, 0.4f, 0.4f}, {0.4f, 1, 0.4f}, {0.4f, 0.4f, 1}};
    for (int i = 0; i < 3; i++) {
        wr_vec2 p;
        float depth;
        assert_true(wr_camera_project(&camera, W, H, edges[i], &p, &depth));
        assert_true(pixels[3 * ((int)p.y * W + (int)p.x)] < 120);
        assert_true(wr_camera_project(&camera, W, H, sides[i], &p, &depth));
        assert_true(pixels[3 * ((int)p.y * W + (int)p.x)] > 200);
    }
    wr_model_destroy(cube);
}

// An edge that leads away from the eye: what stands before its far end hides that end alone.
static void a_line_is_hidden_where_it_is_behind(void **state)
{
    (void)state;
    enum { ACROSS = 10 };
    wri_line line = {.a = {4, 8}, .b = {154, 8}, .depth_a = 1, .depth_b = 9};
    int begin[ACROSS + 1], numbers[ACROSS] = {0};
    for (int i = 0; i <= ACROSS; i++) {
        begin[i] = i;
    }
    const wri_flat_lines lines = {&line, begin, numbers, ACROSS, 1};
    for (int i = 0; i <= 10; i++) {
        float x = 4.0f + 15.0f * (float)i, depth = 1.0f + 0.8f * (float)i;
        CHECK_NEAR(wri_lines_distance(&lines, 0, x, 11, depth + 0.1f), 3.0, 1e-4);
        assert_true(isinf(wri_lines_distance(&lines, 0, x, 11, depth - 0.1f)));
        assert_true(isinf(wri_lines_distance(&lines, 1, x, 11, depth + 0.1f)));
    }
}

static void ground_is_all_below_it_and_behind_everything(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing d;
    wr_stage stage = flat_stage();
    wr_camera camera = flat_camera();
    drawing_create(&d, 200, 30, 30, 255);
    wr_render_thing things[2] = {at(&d.model, 0.0f, -0.5f, -2.0f), at(NULL, 0, -0.5f, 0)};
    things[1].tint = (wr_color){decode(90), decode(160), decode(70), 1.0f};
    draw(things, 2, &stage, &camera, pixels);
    CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(1.5f, -1.0f, 0)), 90, 160, 70);
    CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(1.5f, -0.2f, 0)), 0x20, 0x40, 0x60);
    CHECK_PIXEL(pixel_of(pixels, &camera, wr_v3(0.0f, -1.0f, 0)), 200, 30, 30);
    assert_true(pixel_of(pixels, &camera, wr_v3(1.5f, -0.505f, 0))[1] < 150); // its line
}

static void cut_outs_have_alpha_and_no_background(void **state)
{
    (void)state;
    static uint8_t pixels[W * H * 4];
    static drawing d;
    wr_stage stage = wr_stage_default(); // not flat: cut-outs are
    wr_camera camera = flat_camera();
    wr_error error = {0};
    drawing_create(&d, 250, 120, 10, 128);
    wr_render_thing thing = at(&d.model, 0.0f, 0.0f, 0.0f);
    wr_render *render = make_render(16, 1, WR_VIEW_SHADED);
    assert_true(wr_render_draw_cutout(render, &thing, 1, &stage, &camera, pixels, &error));
    const uint8_t *p = pixels + 4 * (H / 2 * W + W / 2);
    assert_true(p[0] == 250 && p[1] == 120 && p[2] == 10 && p[3] == 128);
    assert_int_equal(pixels[3], 0);
    wr_render_destroy(render);
}

static void flat_and_lit_pictures_do_not_disturb_each_other(void **state)
{
    (void)state;
    static uint8_t first[PIXELS], second[PIXELS], flat[PIXELS];
    wr_stage lit = wr_stage_default(), drawn = flat_stage();
    wr_camera camera = {.from = {2, 3, 6}, .to = {0, 0, 0}, .fov = 0.6f};
    wr_error error = {0};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1), WHITE, &error);
    wr_render_thing things[2] = {at(box, 0, 0.5f, 0), at(NULL, 0, 0, 0)};
    wr_render *render = make_render(4, 1, WR_VIEW_SHADED);
    assert_true(wr_render_draw(render, things, 2, &lit, &camera, first, &error));
    assert_true(wr_render_draw(render, things, 2, &drawn, &camera, flat, &error));
    assert_true(wr_render_draw(render, things, 2, &lit, &camera, second, &error));
    assert_memory_equal(first, second, sizeof first);
    wr_render_destroy(render);
    render = make_render(4, 3, WR_VIEW_SHADED);
    assert_true(wr_render_draw(render, things, 2, &drawn, &camera, second, &error));
    assert_memory_equal(flat, second, sizeof flat);
    wr_render_destroy(render);
    wr_model_destroy(box);
}

static void wire_views_show_the_whole_mesh_of_a_drawing(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing d;
    wr_camera camera = flat_camera();
    wr_error error = {0};
    drawing_create(&d, 0, 0, 0, 0); // nothing to see
    wr_render_thing thing = at(&d.model, 0.0f, 0.0f, 0.0f);
    for (int flat = 0; flat < 2; flat++) {
        wr_stage stage = flat ? flat_stage() : wr_stage_default();
        wr_render *render = make_render(16, 1, WR_VIEW_WIRE);
        assert_true(wr_render_draw(render, &thing, 1, &stage, &camera, pixels, &error));
        int line = pixel_of(pixels, &camera, wr_v3(0.001f, 0.001f, 0))[1]; // the diagonal
        int inside = pixel_of(pixels, &camera, wr_v3(0.4f, -0.5f, 0))[1];
        assert_true(inside > 120 && line < inside - 40);
        wr_render_destroy(render);
    }
}

static void bad_flat_stages_are_one_sentence(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    wr_render *render = make_render(1, 1, WR_VIEW_SHADED);
    wr_stage stage = flat_stage();
    wr_camera camera = flat_camera();
    wr_error error = {0};
    stage.flat.line = 0.2f;
    assert_false(wr_render_draw(render, NULL, 0, &stage, &camera, pixels, &error));
    assert_string_equal(error.message, "flat: line 0.2 is not in [0, 0.1]");
    stage = flat_stage();
    stage.flat.low.g = NAN;
    assert_false(wr_render_draw(render, NULL, 0, &stage, &camera, pixels, &error));
    stage = flat_stage();
    camera.flat = -1.0f;
    assert_false(wr_render_draw(render, NULL, 0, &stage, &camera, pixels, &error));
    assert_non_null(strstr(error.message, "height -1"));
    wr_render_destroy(render);
}

static void every_allocation_of_a_flat_picture_may_fail(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing d;
    wr_stage stage = flat_stage();
    wr_camera camera = flat_camera();
    wr_error error = {0};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1), WHITE, &error);
    drawing_create(&d, 200, 30, 30, 128);
    wr_render_thing things[2] = {at(&d.model, 0, 0, 0), at(box, 0, 0, 0)};
    bool done = false;
    for (int budget = 0; !done && budget < 100; budget++) {
        counting_heap heap = {.budget = budget};
        wr_render_desc desc = wr_render_desc_default();
        desc.width = desc.height = 16;
        desc.samples = 1;
        desc.allocator = counting_allocator(&heap);
        wr_render *render = wr_render_create(&desc, &error);
        done = render && wr_render_draw(render, things, 2, &stage, &camera, pixels, &error);
        assert_true(done || error.code == WR_E_MEMORY);
        wr_render_destroy(render);
        assert_int_equal(heap.alive, 0);
    }
    assert_true(done);
    wr_model_destroy(box);
}

static void the_automatic_flat_camera_sees_the_whole_box(void **state)
{
    (void)state;
    const wr_box boxes[] = {{{-3, 0, -0.5f}, {9, 2, 0.5f}},
                            {{5, -7, 0}, {6, 7, 0}},
                            {{2, 2, 2}, {2, 2, 2}},
                            WR_BOX_EMPTY};
    for (int i = 0; i < WRI_COUNT(boxes); i++) {
        wr_camera camera = wr_camera_frame_flat(boxes[i], (float)W / H);
        assert_true(camera.flat > 0.0f && camera.from.z > camera.to.z);
        for (int k = 0; k < 8 && !wr_box_is_empty(boxes[i]); k++) {
            wr_box b = boxes[i];
            wr_vec3 p = wr_v3(k & 1 ? b.max.x : b.min.x, k & 2 ? b.max.y : b.min.y,
                              k & 4 ? b.max.z : b.min.z);
            wr_vec2 pixel;
            float depth;
            assert_true(wr_camera_project(&camera, W, H, p, &pixel, &depth));
            assert_true(pixel.x > 0 && pixel.x < W && pixel.y > 0 && pixel.y < H);
        }
    }
}

// --- in light ---------------------------------------------------------------------------------

static void unlit_looks_keep_their_colours_in_any_light(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing d;
    wr_stage stage = wr_stage_default();
    wr_camera camera = {.from = {0, 0, 6}, .to = {0, 0, 0}, .fov = 0.6f};
    for (int strength = 0; strength < 2; strength++) {
        stage.light.exposure = strength ? 3.0f : 0.05f;
        drawing_create(&d, 250, 128, 12, 255);
        wr_render_thing thing = at(&d.model, 0.0f, 0.0f, 0.0f);
        draw(&thing, 1, &stage, &camera, pixels);
        const uint8_t *p = pixel_of(pixels, &camera, wr_v3(0, 0, 0));
        assert_in_range(p[0], 249, 251);
        assert_in_range(p[1], 127, 129);
        assert_in_range(p[2], 11, 13);
    }
}

static void light_falls_through_what_is_transparent(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing d;
    wr_stage stage = wr_stage_default();
    stage.light.sun_direction = wr_v3(0, 1, 0);
    stage.light.sun_radius = 0.0f;
    wr_camera camera = {.from = {0, 6, 6}, .to = {0, 0, 0}, .fov = 0.7f};
    drawing_create(&d, 255, 255, 255, 0);
    drawing_fill(&d, 0, 0, 16, 32, 200, 30, 30, 255); // only the left half is there
    d.look.unlit = false;
    wr_render_thing things[2] = {at(&d.model, 0, 3.0f, 0), at(NULL, 0, 0, 0)};
    things[0].pose.rotation = wr_quat_from_axis_angle(wr_v3(1, 0, 0), -0.5f * WR_PI); // lies flat
    things[1].tint = (wr_color){0.5f, 0.5f, 0.5f, 1.0f};
    draw(things, 2, &stage, &camera, pixels);
    int shadow = pixel_of(pixels, &camera, wr_v3(-0.5f, 0, 0.5f))[1];
    int clear = pixel_of(pixels, &camera, wr_v3(0.5f, 0, 0.5f))[1];
    int open = pixel_of(pixels, &camera, wr_v3(1.6f, 0, 0.5f))[1];
    assert_true(shadow < open - 40);
    assert_in_range(clear, open - 8, open + 8);
}

static void layers_in_light_blend_in_the_order_of_depth(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    static drawing red, green;
    wr_stage stage = wr_stage_default();
    stage.light.sky_zenith = stage.light.sky_horizon = (wr_color){0, 0, 0, 1};
    wr_camera camera = {.from = {0, 0, 6}, .to = {0, 0, 0}, .fov = 0.6f};
    drawing_create(&red, 180, 0, 0, 128);
    drawing_create(&green, 0, 180, 0, 128);
    for (int turn = 0; turn < 2; turn++) { // whichever comes first in the list
        wr_render_thing things[2] = {at(&red.model, 0, 0, turn ? 0.5f : 0.0f),
                                     at(&green.model, 0, 0, turn ? 0.0f : 0.5f)};
        draw(things, 2, &stage, &camera, pixels);
        const uint8_t *p = pixel_of(pixels, &camera, wr_v3(0, 0, 0));
        float front = decode(p[turn ? 0 : 1]), behind = decode(p[turn ? 1 : 0]);
        assert_float_equal(front, 0.502f * decode(180), 0.02f);
        assert_float_equal(behind, 0.498f * 0.502f * decode(180), 0.02f);
    }
}

static void a_flat_camera_shows_lit_things_without_perspective(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    wr_stage stage = wr_stage_default();
    wr_camera camera = flat_camera();
    wr_error error = {0};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1),
                                              (wr_color){0.9f, 0.0f, 0.0f, 1}, &error);
    int width[2];
    for (int far = 0; far < 2; far++) {
        wr_render_thing thing = at(box, 0, 0, far ? -6.0f : 4.0f);
        draw(&thing, 1, &stage, &camera, pixels);
        width[far] = 0;
        for (int x = 0; x < W; x++) {
            const uint8_t *p = pixels + 3 * (H / 2 * W + x);
            width[far] += p[0] > 2 * p[2];
        }
    }
    assert_int_equal(width[0], 24); // a metre, 24 pixels
    assert_int_equal(width[1], 24);
    wr_model_destroy(box);
}

// --- files ------------------------------------------------------------------------------------

static void glb_keeps_alpha_and_unlit(void **state)
{
    (void)state;
    static drawing d;
    char path[600];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/drawing.glb", folder.path);
    wr_model *owner = wr_model_create(NULL, &error);
    assert_non_null(owner);
    for (int alpha = WR_ALPHA_OPAQUE; alpha <= WR_ALPHA_BLEND; alpha++) {
        for (int unlit = 0; unlit < 2; unlit++) {
            drawing_create(&d, 1, 2, 3, 4);
            d.model.memory = owner->memory;
            d.look.alpha = (wr_alpha)alpha;
            d.look.cutoff = alpha == WR_ALPHA_MASK ? 0.3f : 0.0f;
            d.look.unlit = unlit;
            assert_true(wr_model_write_glb(&d.model, path, &error));
            wr_model *back = wr_model_read(path, NULL, &error);
            assert_non_null(back);
            assert_int_equal(back->warning_count, 0);
            assert_same_look(&d.model, 0, back, 0, true);
            wr_model_destroy(back);
            size_t size;
            char *bytes = wri_file_read(path, 1 << 20, NULL, &size, &error);
            bool says = false;
            for (size_t i = 0; i + 19 < size; i++) {
                says = says || memcmp(bytes + i, "KHR_materials_unlit", 19) == 0;
            }
            assert_int_equal(says, unlit);
            wri_free(NULL, bytes, size + 1, 1);
        }
    }
    wr_model_destroy(owner);
}

static void write_text(const char *path, const char *text)
{
    wr_error error = {0};
    assert_true(wri_file_write(path, text, strlen(text), &error));
}

static wr_scene *read_scene(const char *more, wr_error *error)
{
    char path[600], text[1024];
    snprintf(path, sizeof path, "%s/flat.scene.json", folder.path);
    snprintf(text, sizeof text, "{\"wrought\": 1, \"bodies\": [], %s}", more);
    write_text(path, text);
    return wr_scene_read(path, NULL, error);
}

static void scenes_say_that_they_are_flat(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_scene *scene = read_scene("\"name\": \"lit\"", &error);
    assert_non_null(scene);
    assert_false(scene->stage.flat.on);
    wr_scene_destroy(scene);
    scene = read_scene("\"flat\": true, \"cameras\": [{\"flat\": 6, \"to\": [1, 2, 0]}]", &error);
    assert_non_null(scene);
    assert_true(scene->stage.flat.on && scene->stage.cameras[0].flat == 6.0f);
    wr_scene *same = read_scene("\"flat\": {}", &error); // what an empty object and the word mean
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR((&same->stage.flat.top.r)[i], (&scene->stage.flat.top.r)[i], 1e-6);
        CHECK_NEAR((&same->stage.flat.low.r)[i], (&scene->stage.flat.low.r)[i], 1e-6);
    }
    assert_true(same->stage.flat.on && same->stage.flat.line == scene->stage.flat.line);
    wr_scene_destroy(same);
    assert_true(scene->stage.cameras[0].from.z > 0.0f && scene->stage.cameras[0].from.x == 1.0f);
    wr_scene_destroy(scene);
    scene = read_scene("\"flat\": {\"top\": \"#204060\", \"line\": 0.01}", &error);
    assert_non_null(scene);
    assert_true(scene->stage.flat.on && scene->stage.flat.line == 0.01f);
    CHECK_NEAR(scene->stage.flat.top.r, decode(0x20), 1e-6);
    wr_scene_destroy(scene);
}

static void wrong_words_about_flat_scenes_are_one_sentence(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"\"flat\": 3", "expected true, false or an object"},
        {"\"flat\": {\"tpo\": \"#204060\"}", "did you mean \"top\"?"},
        {"\"cameras\": [{\"to\": [0, 0, 0]}]", "\"from\" is missing"},
        {"\"cameras\": [{\"to\": [0, 0, 0], \"flat\": 2, \"fov\": 30}]", "\"fov\" has no meaning"},
        {"\"cameras\": [{\"to\": [0, 0, 0], \"flat\": 0}]", "\"flat\""},
    };
    for (int i = 0; i < WRI_COUNT(wrong); i++) {
        wr_error error = {0};
        assert_null(read_scene(wrong[i][0], &error));
        if (!strstr(error.message, wrong[i][1]) || !strstr(error.message, "flat.scene.json:1:")) {
            fail_msg("%s", error.message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawings_keep_every_byte_of_their_colours),
        cmocka_unit_test(the_background_goes_from_top_to_bottom),
        cmocka_unit_test(alpha_blends_as_paint_programs_do),
        cmocka_unit_test(what_is_transparent_is_not_there),
        cmocka_unit_test(a_mask_has_no_half_tones),
        cmocka_unit_test(the_nearer_is_in_front_and_at_one_depth_the_later),
        cmocka_unit_test(other_things_are_filled_and_outlined),
        cmocka_unit_test(sharp_edges_are_drawn_inside_too),
        cmocka_unit_test(a_line_is_hidden_where_it_is_behind),
        cmocka_unit_test(ground_is_all_below_it_and_behind_everything),
        cmocka_unit_test(cut_outs_have_alpha_and_no_background),
        cmocka_unit_test(flat_and_lit_pictures_do_not_disturb_each_other),
        cmocka_unit_test(wire_views_show_the_whole_mesh_of_a_drawing),
        cmocka_unit_test(bad_flat_stages_are_one_sentence),
        cmocka_unit_test(every_allocation_of_a_flat_picture_may_fail),
        cmocka_unit_test(the_automatic_flat_camera_sees_the_whole_box),
        cmocka_unit_test(unlit_looks_keep_their_colours_in_any_light),
        cmocka_unit_test(light_falls_through_what_is_transparent),
        cmocka_unit_test(layers_in_light_blend_in_the_order_of_depth),
        cmocka_unit_test(a_flat_camera_shows_lit_things_without_perspective),
        cmocka_unit_test(glb_keeps_alpha_and_unlit),
        cmocka_unit_test(scenes_say_that_they_are_flat),
        cmocka_unit_test(wrong_words_about_flat_scenes_are_one_sentence),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
