// Light that comes askew, from below, or not at all: pictures of turned scenes, and planes that are
// no level ground, against closed forms.
#include "pictures.h"

enum { W = 96, H = 64, PIXELS = 3 * W * H, BLOCK = 8, BLOCKS = W / BLOCK * (H / BLOCK) };

static wr_render_thing plane_thing(wr_pose pose, float albedo)
{
    return (wr_render_thing){.pose = pose, .tint = {albedo, albedo, albedo, 1.0f}};
}

static wr_model *make_primitive(wr_primitive kind, wr_vec3 size, float roughness)
{
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    wr_model *model = wr_model_create_primitive(kind, size, white, NULL);
    assert_non_null(model);
    model->looks[0].roughness = roughness;
    return model;
}

// Linear light of the middle of a picture.
static float middle_of(const uint8_t *pixels)
{
    float sum = 0.0f;
    for (int i = 0; i < 64; i++) {
        sum += decode(pixels[3 * ((H / 2 - 4 + i / 8) * W + W / 2 - 4 + i % 8) + 1]) / 64.0f;
    }
    return sum;
}

static wr_stage plain_stage(float sun, float sky, float ground)
{
    wr_stage stage = wr_stage_default();
    stage.light.sun_direction = wr_v3(0.0f, 1.0f, 0.0f);
    stage.light.sun_color = (wr_color){sun, sun, sun, 1.0f};
    stage.light.sky_zenith = stage.light.sky_horizon = (wr_color){sky, sky, sky, 1.0f};
    stage.light.ground = (wr_color){ground, ground, ground, 1.0f};
    stage.light.sun_radius = 0.0f;
    return stage;
}

static float look(const wr_render_thing *things, int count, const wr_stage *stage, wr_vec3 from,
                  wr_vec3 to)
{
    static uint8_t pixels[PIXELS];
    const wr_camera camera = {.from = from, .to = to, .fov = 0.2f};
    draw_with(make_sized_render(W, H, 16, 1, WR_VIEW_SHADED), things, count, stage, &camera,
              pixels);
    return middle_of(pixels);
}

// --- turned scenes ----------------------------------------------------------------------------

// Means of blocks of pixels, which noise hardly changes.
static void draw_turned(float turn, double out[BLOCKS])
{
    static uint8_t pixels[PIXELS];
    wr_quat q = wr_quat_from_axis_angle(wr_v3(0.0f, 1.0f, 0.0f), turn);
    wr_model *models[2] = {make_primitive(WR_PRIMITIVE_BOX, wr_v3(1.0f, 0.7f, 1.4f), 1.0f),
                           make_primitive(WR_PRIMITIVE_SPHERE, wr_v3(0.6f, 0.6f, 0.6f), 0.4f)};
    const wr_pose poses[3] = {{{0.3f, -0.02f, 0.2f}, {0.05f, 0.0f, 0.02f, 1.0f}},
                              {{-0.6f, 0.8f, 0.1f}, {0.3f, 0.4f, -0.2f, 0.8f}},
                              {{0.9f, 0.7f, 0.5f}, {0.0f, 0.0f, 0.0f, 1.0f}}};
    wr_render_thing things[3];
    for (int i = 0; i < 3; i++) {
        wr_pose pose = {wr_rotate(q, poses[i].position),
                        wr_quat_multiply(q, wr_quat_normalize(poses[i].rotation))};
        things[i] = plane_thing(pose, i == 0 ? 0.6f : 0.9f);
        things[i].model = i == 0 ? NULL : models[i - 1];
    }
    wr_stage stage = wr_stage_default();
    stage.light.sun_direction = wr_rotate(q, wr_normalize(wr_v3(0.5f, 0.4f, 0.6f)));
    stage.light.sun_radius = 0.15f;
    const wr_camera camera = {.from = wr_rotate(q, wr_v3(1.0f, 2.6f, 5.0f)),
                              .to = wr_rotate(q, wr_v3(0.1f, 0.5f, 0.0f)),
                              .fov = 0.55f};
    draw_with(make_sized_render(W, H, 64, 1, WR_VIEW_SHADED), things, 3, &stage, &camera, pixels);
    for (int i = 0; i < BLOCKS; i++) {
        out[i] = 0.0;
    }
    for (int i = 0; i < W * H; i++) {
        out[i / W / BLOCK * (W / BLOCK) + i % W / BLOCK] +=
            (pixels[3 * i] + pixels[3 * i + 1] + pixels[3 * i + 2]) / (3.0 * BLOCK * BLOCK);
    }
    wr_model_destroy(models[0]);
    wr_model_destroy(models[1]);
}

static void a_scene_turned_about_the_vertical_looks_the_same(void **state)
{
    (void)state;
    double plain[BLOCKS], turned[BLOCKS];
    draw_turned(0.0f, plain);
    for (int k = 0; k < 2; k++) {
        double most = 0.0;
        draw_turned(k == 0 ? 0.7f : 2.5f, turned);
        for (int i = 0; i < BLOCKS; i++) {
            most = fmax(most, fabs(turned[i] - plain[i]));
        }
        print_message("    blocks differ by %.2f of 255\n", most);
        assert_true(most < 1.5);
    }
}

// --- planes -----------------------------------------------------------------------------------

// Nothing but sunlit open ground is below a plate; that there is no ground plane changes nothing.
static void open_ground_lights_what_faces_down(void **state)
{
    (void)state;
    wr_model *plate = make_primitive(WR_PRIMITIVE_BOX, wr_v3(2.0f, 0.1f, 2.0f), 1.0f);
    const wr_render_thing thing = {.model = plate, .pose = WR_POSE_IDENTITY, .tint = {1, 1, 1, 1}};
    wr_stage stage = plain_stage(0.8f, 0.0f, 0.5f);
    stage.light.sun_direction = wr_v3(0.6f, 0.8f, 0.0f);
    float light = look(&thing, 1, &stage, wr_v3(0.5f, -4.0f, 0.3f), wr_v3(0.0f, 0.0f, 0.0f));
    CHECK_NEAR(light, 0.5 * 0.8 * 0.8, 0.03);
    wr_model_destroy(plate);
}

// A wall that stands between the floor and the sun, x = 1 with the floor at x < 1.
static void a_plane_keeps_the_sun_away(void **state)
{
    (void)state;
    wr_model *floor = make_primitive(WR_PRIMITIVE_BOX, wr_v3(1.0f, 0.1f, 1.0f), 1.0f);
    wr_render_thing things[2] = {
        {.model = floor, .pose = WR_POSE_IDENTITY, .tint = {1, 1, 1, 1}},
        plane_thing((wr_pose){{1.0f, 0.0f, 0.0f},
                              wr_quat_from_axis_angle(wr_v3(0.0f, 0.0f, 1.0f), 1.5707963f)},
                    0.0f)};
    wr_stage stage = plain_stage(0.5f, 0.0f, 0.0f);
    for (int k = 0; k < 2; k++) {
        float x = k ? 0.6f : -0.6f; // behind the wall, or on this side of it
        stage.light.sun_direction = wr_v3(x, 0.8f, 0.0f);
        float light = look(things, 2, &stage, wr_v3(-0.5f, 3.0f, 0.2f), wr_v3(0.0f, 0.0f, 0.0f));
        CHECK_NEAR(light, k ? 0.0 : 0.5 * 0.8, 0.02);
    }
    wr_model_destroy(floor);
}

// From below a plane is not lit by the sun above it: it sends back what open ground would.
static void a_plane_seen_from_below_is_not_in_the_sun(void **state)
{
    (void)state;
    const wr_render_thing plane = plane_thing(WR_POSE_IDENTITY, 0.4f);
    wr_stage stage = plain_stage(0.9f, 0.0f, 0.4f);
    float above = look(&plane, 1, &stage, wr_v3(0.1f, 3.0f, 0.2f), wr_v3(0.1f, 0.0f, 0.0f));
    float below = look(&plane, 1, &stage, wr_v3(0.1f, -3.0f, 0.2f), wr_v3(0.1f, 0.0f, 0.0f));
    CHECK_NEAR(above, 0.4 * 0.9, 0.03);
    CHECK_NEAR(below, 0.4 * (0.4 * 0.9), 0.03);
}

// --- borders of shadows -------------------------------------------------------------------------

// Pixels half in a shadow that are drawn as if they were wholly in or out of it.
typedef struct torn {
    int border, torn;
} torn;

static void count_torn(torn *t, const uint8_t *few, const uint8_t *many)
{
    double lit = 0.0;
    for (int i = 1; i < PIXELS; i += 3) {
        lit = fmax(lit, (double)decode(many[i]));
    }
    for (int i = 1; i < PIXELS; i += 3) {
        double exact = (double)decode(many[i]) / lit, drawn = (double)decode(few[i]) / lit;
        bool is_border = exact > 0.25 && exact < 0.75;
        t->border += is_border;
        t->torn += is_border && (drawn < 0.05 || drawn > 0.95);
    }
}

// A sharp shadow on the ground, turned bit by bit: what a few samples make of its border.
static void borders_of_shadows_are_smooth(void **state)
{
    (void)state;
    static uint8_t few[PIXELS], many[PIXELS];
    wr_model *box = make_primitive(WR_PRIMITIVE_BOX, wr_v3(1.0f, 0.1f, 0.6f), 1.0f);
    wr_stage stage = plain_stage(1.0f, 0.0f, 0.6f); // no light but the sun's: no noise but its own
    stage.light.sun_direction = wr_normalize(wr_v3(0.6f, 1.0f, 0.05f));
    const wr_camera camera = {.from = {-0.2f, 3.0f, 2.0f}, .to = {0.0f, 0.0f, 0.0f}, .fov = 0.4f};
    torn t = {0};
    for (int turn = 0; turn < 6; turn++) {
        wr_pose at = {{1.2f, 2.0f, 0.1f},
                      wr_quat_from_axis_angle(wr_v3(0.0f, 1.0f, 0.0f), 0.1f + 0.2f * (float)turn)};
        wr_render_thing things[2] = {plane_thing(WR_POSE_IDENTITY, 0.6f), plane_thing(at, 0.9f)};
        things[1].model = box;
        draw_with(make_sized_render(W, H, 4, 1, WR_VIEW_SHADED), things, 2, &stage, &camera, few);
        draw_with(make_sized_render(W, H, 64, 1, WR_VIEW_SHADED), things, 2, &stage, &camera, many);
        count_torn(&t, few, many);
    }
    print_message("    %d pixels on borders, %d of them torn\n", t.border, t.torn);
    assert_true(t.border > 300);
    // Four samples miss a quarter of a pixel now and then; a comb of teeth was 12 %.
    assert_true(t.torn * 100 < 6 * t.border);
    wr_model_destroy(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_turned_about_the_vertical_looks_the_same),
        cmocka_unit_test(open_ground_lights_what_faces_down),
        cmocka_unit_test(a_plane_keeps_the_sun_away),
        cmocka_unit_test(a_plane_seen_from_below_is_not_in_the_sun),
        cmocka_unit_test(borders_of_shadows_are_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
