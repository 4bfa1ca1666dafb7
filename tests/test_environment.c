// Light from a picture of every direction, against closed forms.
#include "../src/render/environment.h"
#include "pictures.h"

#include <stdlib.h>

enum { W = 96, H = 64, WIDE = 256, HIGH = WIDE / 2 };

typedef struct picture {
    wr_environment of;
    uint8_t pixels[WIDE * HIGH][4];
} picture;

typedef struct glow {
    double even;   // everywhere
    double slope;  // more towards axis: even + slope * cosine
    double disc;   // within `radius` of the axis
    double radius; // radians
    wr_vec3 axis;
} glow;

static void encode(double light, uint8_t out[4])
{
    int exponent;
    double m = frexp(light, &exponent);
    uint8_t byte = (uint8_t)(m * 256.0);
    out[0] = out[1] = out[2] = byte;
    out[3] = light > 0.0 ? (uint8_t)(exponent + 128) : 0;
}

static wr_vec3 direction_of(double x, double y)
{
    double across = 2.0 * (double)WR_PI * (x / WIDE - 0.5), down = (double)WR_PI * y / HIGH;
    return wr_v3((float)(sin(down) * sin(across)), (float)cos(down),
                 (float)(-sin(down) * cos(across)));
}

// What part of a pixel lies in the disc.
static double covered(const glow *g, int x, int y)
{
    int in = 0;
    for (int i = 0; i < 64; i++) {
        wr_vec3 d = direction_of(x + (i % 8 + 0.5) / 8.0, y + (i / 8 + 0.5) / 8.0);
        in += (double)wr_dot(d, g->axis) > cos(g->radius);
    }
    return in / 64.0;
}

static picture *paint(glow g)
{
    picture *p = calloc(1, sizeof *p);
    assert_non_null(p);
    g.axis = wr_normalize(g.axis);
    for (int i = 0; i < WIDE * HIGH; i++) {
        double cosine = (double)wr_dot(direction_of(i % WIDE + 0.5, i / WIDE + 0.5), g.axis);
        double part = g.disc > 0.0 ? covered(&g, i % WIDE, i / WIDE) : 0.0;
        encode(g.even + g.slope * cosine + g.disc * part, p->pixels[i]);
    }
    p->of = (wr_environment){WIDE, HIGH, p->pixels[0]};
    return p;
}

static wr_model *make_ball(float metallic, float roughness)
{
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    wr_model *model =
        wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(1.0f, 1.0f, 1.0f), white, NULL);
    assert_non_null(model);
    model->looks[0].metallic = metallic;
    model->looks[0].roughness = roughness;
    return model;
}

static void draw_light(const wr_render_thing *things, int count, const wr_stage *stage,
                       const wr_camera *camera, int samples, int workers, float *light)
{
    wr_error error = {0};
    wr_render *render = make_sized_render(W, H, samples, workers, WR_VIEW_SHADED);
    if (!wr_render_draw_light(render, things, count, stage, camera, light, &error)) {
        fail_msg("%s", error.message);
    }
    wr_render_destroy(render);
}

static const wr_camera askew = {.from = {2.0f, 1.2f, 4.0f}, .to = {0.0f, 0.0f, 0.0f}, .fov = 0.55f};

// Linear light of the ball around the origin, alone in the environment.
static float *see_ball(const wr_model *ball, float albedo, const wr_environment *environment,
                       float turn, int samples)
{
    static float light[3 * W * H];
    const wr_render_thing thing = {
        .model = ball, .pose = WR_POSE_IDENTITY, .tint = {albedo, albedo, albedo, 1.0f}};
    wr_stage stage = wr_stage_default();
    stage.light.environment = environment;
    stage.light.turn = turn;
    draw_light(&thing, 1, &stage, &askew, samples, 1, light);
    return light;
}

// The normal of the ball that is seen in a pixel, or false.
static bool normal_at(int x, int y, wr_vec3 *normal)
{
    wr_vec3 forward, right, up;
    wr_camera_axes(&askew, &forward, &right, &up);
    float scale = 2.0f * tanf(0.5f * askew.fov) / (float)H;
    wr_vec3 d = wr_add_scaled(forward, scale * ((float)x + 0.5f - 0.5f * (float)W), right);
    d = wr_normalize(wr_add_scaled(d, scale * (0.5f * (float)H - (float)y - 0.5f), up));
    float b = wr_dot(askew.from, d), c = wr_dot(askew.from, askew.from) - 1.0f;
    float root = b * b - c;
    *normal = wr_add_scaled(askew.from, -b - sqrtf(fmaxf(root, 0.0f)), d);
    return root > 0.15f; // off the outline
}

// --- closed forms -----------------------------------------------------------------------------

static void a_white_furnace_shows_the_albedo(void **state)
{
    (void)state;
    picture *even = paint((glow){.even = 1.0});
    for (int metallic = 0; metallic < 2; metallic++) {
        wr_model *ball = make_ball((float)metallic, 1.0f);
        const float *light = see_ball(ball, 0.5f, &even->of, 0.3f, 4);
        for (int i = 0; i < W * H; i++) {
            wr_vec3 normal;
            if (normal_at(i % W, i / W, &normal)) {
                CHECK_NEAR(light[3 * i + 1], 0.5, 0.005);
            }
        }
        CHECK_NEAR(light[1], 1.0, 1e-5); // the background
        wr_model_destroy(ball);
    }
    free(even);
}

// Radiance 1 + a cos(angle to the axis) lights a diffuse surface with 1 + 2/3 a cos(angle between
// its normal and the axis).
static void light_that_grows_to_one_side_turns_with_its_picture(void **state)
{
    (void)state;
    const wr_vec3 axis = wr_normalize(wr_v3(0.7f, 0.5f, 0.3f));
    picture *sloped = paint((glow){.even = 1.0, .slope = 0.9, .axis = axis});
    wr_model *ball = make_ball(0.0f, 1.0f);
    for (int k = 0; k < 3; k++) {
        float turn = 1.1f * (float)k;
        wr_vec3 turned = wr_rotate(wr_quat_from_axis_angle(wr_v3(0.0f, 1.0f, 0.0f), turn), axis);
        const float *light = see_ball(ball, 0.5f, &sloped->of, turn, 64);
        double worst = 0.0, sum = 0.0;
        int count = 0;
        for (int i = 0; i < W * H; i++) {
            wr_vec3 normal;
            if (normal_at(i % W, i / W, &normal)) {
                double exact = 0.5 * (1.0 + 0.6 * (double)wr_dot(normal, turned));
                worst = fmax(worst, fabs((double)light[3 * i] - exact));
                sum += (double)light[3 * i] - exact;
                count++;
            }
        }
        print_message("    off by %.4f, %.5f in the mean\n", worst, sum / count);
        assert_true(worst < 0.04 && fabs(sum / count) < 0.004);
    }
    wr_model_destroy(ball);
    free(sloped);
}

// A wide lamp, radius 0.35, is left to ambient rays, and lights what it is wholly above of by its
// radiance times the square of the sine of its radius times the cosine.
static void a_lamp_lights_by_its_size(void **state)
{
    (void)state;
    const wr_vec3 axis = wr_normalize(wr_v3(0.5f, 0.6f, 0.7f));
    const double radius = 0.35;
    picture *lamp = paint((glow){.disc = 6.0, .radius = radius, .axis = axis});
    wr_model *ball = make_ball(0.0f, 1.0f);
    const float *light = see_ball(ball, 0.8f, &lamp->of, 0.0f, 64);
    double sum = 0.0, worst = 0.0;
    int count = 0;
    for (int i = 0; i < W * H; i++) {
        wr_vec3 normal;
        if (normal_at(i % W, i / W, &normal) && (double)wr_dot(normal, axis) > sin(radius)) {
            double exact = 0.8 * 6.0 * pow(sin(radius), 2.0) * (double)wr_dot(normal, axis);
            sum += (double)light[3 * i] / exact - 1.0;
            worst = fmax(worst, fabs((double)light[3 * i] - exact));
            count++;
        }
    }
    print_message("    %.2f %% off in the mean, %.4f at worst\n", 100.0 * sum / count, worst);
    assert_true(count > 500 && fabs(sum / count) < 0.01 && worst < 0.06);
    wr_model_destroy(ball);
    free(lamp);
}

// The ball hangs over black ground, in even light and under the lamp. All that it is sent comes
// from above: radiance times (1 + cosine of the normal to the vertical) / 2, and the lamp's.
// Pictures of four samples have little noise, and the mean of many comes to the exact light, also
// where half of the rays are lost in the ground.
static void few_samples_are_right_in_the_mean_and_have_little_noise(void **state)
{
    (void)state;
    enum { PICTURES = 24 };
    static float light[3 * W * H], mean[W * H];
    const wr_vec3 axis = wr_normalize(wr_v3(0.5f, 0.9f, 0.7f));
    const double radius = 0.35, even = 0.6, disc = 6.0;
    picture *lamp = paint((glow){.even = even, .disc = disc, .radius = radius, .axis = axis});
    wr_model *ball = make_ball(0.0f, 1.0f);
    const wr_render_thing things[2] = {
        {.model = ball, .pose = WR_POSE_IDENTITY, .tint = {0.8f, 0.8f, 0.8f, 1.0f}},
        {.pose = {{0.0f, -3.0f, 0.0f}, WR_QUAT_IDENTITY}, .tint = {0.0f, 0.0f, 0.0f, 1.0f}}};
    wr_stage stage = wr_stage_default();
    stage.light.environment = &lamp->of;
    wr_render *render = make_sized_render(W, H, 4, 1, WR_VIEW_SHADED);
    for (int k = 0; k < PICTURES; k++) {
        wr_render_set_exposure(render, k);
        assert_true(wr_render_draw_light(render, things, 2, &stage, &askew, light, NULL));
        for (int i = 0; i < W * H; i++) {
            mean[i] += light[3 * i] / PICTURES;
        }
    }
    double sums[2] = {0.0, 0.0}, noise = 0.0, squares = 0.0;
    int counts[2] = {0, 0};
    for (int i = 0; i < W * H; i++) {
        wr_vec3 normal;
        double cosine = normal_at(i % W, i / W, &normal) ? (double)wr_dot(normal, axis) : 0.0;
        if (cosine > sin(radius)) {
            double exact = 0.8 * (disc * pow(sin(radius), 2.0) * cosine +
                                  0.5 * even * (1.0 + (double)normal.y));
            bool hides = normal.y < 0.3f; // a third of its light
            sums[hides] += (double)mean[i] / exact - 1.0;
            counts[hides]++;
            noise += pow((double)(light[3 * i] - mean[i]), 2.0);
            squares += exact * exact;
        }
    }
    noise = sqrt(noise / squares);
    print_message("    %.2f %% and %.2f %% off in the mean, noise of %.2f %%\n",
                  100.0 * sums[0] / counts[0], 100.0 * sums[1] / counts[1], 100.0 * noise);
    assert_true(counts[0] > 300 && counts[1] > 100);
    assert_true(fabs(sums[0] / counts[0]) < 0.012 && fabs(sums[1] / counts[1]) < 0.012);
    assert_true(noise < 0.02);
    wr_render_destroy(render);
    wr_model_destroy(ball);
    free(lamp);
}

// Paint that is partly metal: which lobe a sample takes is not seen as grain, and both together
// send what many samples say.
static void a_choice_of_lobes_leaves_no_grain(void **state)
{
    (void)state;
    static float many[3 * W * H];
    picture *sloped = paint((glow){.even = 1.0, .slope = 0.5, .axis = {0.3f, 0.8f, 0.2f}});
    wr_model *ball = make_ball(0.3f, 0.4f);
    memcpy(many, see_ball(ball, 0.4f, &sloped->of, 0.0f, 256), sizeof many);
    const float *few = see_ball(ball, 0.4f, &sloped->of, 0.0f, 4);
    double sum = 0.0, squares = 0.0;
    int count = 0;
    for (int i = 0; i < W * H; i++) {
        wr_vec3 normal;
        if (normal_at(i % W, i / W, &normal)) {
            double off = (double)few[3 * i] / (double)many[3 * i] - 1.0;
            sum += off;
            squares += off * off;
            count++;
        }
    }
    print_message("    %.2f %% off, noise of %.2f %%\n", 100.0 * sum / count,
                  100.0 * sqrt(squares / count));
    assert_true(fabs(sum / count) < 0.01 && sqrt(squares / count) < 0.025);
    wr_model_destroy(ball);
    free(sloped);
}

static void means_of_halves_and_densities_are_right(void **state)
{
    (void)state;
    const wr_vec3 axis = wr_normalize(wr_v3(0.4f, 0.7f, -0.5f));
    picture *sloped = paint((glow){.even = 1.0, .slope = 0.9, .axis = axis});
    wri_environment *e = wri_environment_create(&sloped->of, NULL, NULL);
    assert_non_null(e);
    CHECK_NEAR(e->upper.y, 1.0 + 0.6 * (double)axis.y, 0.005);
    CHECK_NEAR(e->lower.y, 1.0 - 0.6 * (double)axis.y, 0.005);
    CHECK_NEAR(e->bright_share, 0.9 / 4.0, 0.005); // mean of a positive part of the cosine
    double all = 0.0, mean = 0.0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        double angle =
            pow((double)WR_PI / HIGH, 2.0) * sin((double)WR_PI * (i / WIDE + 0.5) / HIGH);
        wr_vec3 d = direction_of(i % WIDE + 0.5, i / WIDE + 0.5);
        all += angle * (double)wri_environment_density(e, d);
    }
    CHECK_NEAR(all, 1.0, 0.002);
    enum { SIDE = 100 };
    for (int i = 0; i < SIDE * SIDE; i++) {
        wr_vec3 d = wri_environment_sample(e, ((float)(i / SIDE) + 0.5f) / SIDE,
                                           ((float)(i % SIDE) + 0.5f) / SIDE);
        assert_true(wr_dot(d, axis) > -0.05f);
        mean += (double)wr_dot(d, axis) / (SIDE * SIDE);
    }
    CHECK_NEAR(mean, 2.0 / 3.0, 0.005); // of a direction that is drawn by the cosine
    wri_environment_destroy(e);
    free(sloped);
}

// --- the sun ----------------------------------------------------------------------------------

static void draw_shadow(const wr_stage *stage, float *light)
{
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    wr_model *box =
        wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(0.8f, 1.1f, 0.5f), white, NULL);
    assert_non_null(box);
    box->looks[0].roughness = 1.0f;
    const wr_quat turned = wr_quat_from_axis_angle(wr_v3(0.0f, 1.0f, 0.0f), 0.4f);
    const wr_render_thing things[2] = {
        {.pose = WR_POSE_IDENTITY, .tint = {0.6f, 0.6f, 0.6f, 1.0f}},
        {.model = box, .pose = {{0.1f, 0.56f, 0.0f}, turned}, .tint = {0.8f, 0.7f, 0.6f, 1.0f}}};
    const wr_camera camera = {.from = {1.0f, 3.0f, 4.5f}, .to = {0.3f, 0.0f, 0.0f}, .fov = 0.6f};
    draw_light(things, 2, stage, &camera, 16, 1, light);
    wr_model_destroy(box);
}

// A disc of radius r and radiance L sends a white surface L sin(r)^2.
static void a_small_bright_disc_is_a_sun(void **state)
{
    (void)state;
    static float disc[3 * W * H], sun[3 * W * H];
    const wr_vec3 direction = wr_normalize(wr_v3(-0.7f, 0.9f, 0.35f));
    const double radius = 0.04;
    picture *p =
        paint((glow){.disc = 0.9 / pow(sin(radius), 2.0), .radius = radius, .axis = direction});
    wr_stage stage = wr_stage_default();
    stage.light.environment = &p->of;
    draw_shadow(&stage, disc);
    stage.light.environment = NULL;
    stage.light.sun_direction = direction;
    stage.light.sun_color = (wr_color){0.9f, 0.9f, 0.9f, 1.0f};
    stage.light.sun_radius = (float)radius;
    stage.light.sky_zenith = stage.light.sky_horizon = (wr_color){0.0f, 0.0f, 0.0f, 1.0f};
    draw_shadow(&stage, sun);
    double difference = 0.0, a = 0.0, b = 0.0, dark = 1.0;
    for (int i = 0; i < 3 * W * H; i++) {
        difference += fabs((double)(disc[i] - sun[i]));
        a += (double)disc[i];
        b += (double)sun[i];
        dark = fmin(dark, (double)disc[i]);
    }
    print_message("    %.3f %% more light, %.2f %% elsewhere, %.3f in the shadow\n",
                  100.0 * (a / b - 1.0), 100.0 * difference / b, dark);
    assert_true(fabs(a / b - 1.0) < 0.01 && difference < 0.02 * b && dark < 0.05);
    free(p);
}

static void a_sun_is_seen_itself(void **state)
{
    (void)state;
    static float light[3 * W * H];
    const double radius = 0.04, radiance = 300.0;
    picture *p = paint(
        (glow){.even = 0.01, .disc = radiance, .radius = radius, .axis = {0.3f, 0.4f, -0.8f}});
    wr_stage stage = wr_stage_default();
    stage.light.environment = &p->of;
    const wr_camera camera = {.from = {0.0f, 0.0f, 0.0f}, .to = {0.3f, 0.4f, -0.8f}, .fov = 0.3f};
    draw_light(NULL, 0, &stage, &camera, 16, 1, light);
    double sum = 0.0, pixel = 2.0 * tan(0.15) / H;
    for (int i = 0; i < W * H; i++) {
        sum += (double)light[3 * i] * pixel * pixel;
    }
    double exact = radiance * (double)WR_PI * radius * radius + 0.01 * pixel * pixel * W * H;
    print_message("    %.4f of %.4f\n", sum, exact);
    assert_true(fabs(sum / exact - 1.0) < 0.03);
    free(p);
}

// --- the rest ---------------------------------------------------------------------------------

static void the_studio_is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    static float one[3 * W * H], three[3 * W * H];
    wr_model *ball = make_ball(0.5f, 0.3f);
    const wr_render_thing things[2] = {
        {.model = ball, .pose = WR_POSE_IDENTITY, .tint = {0.8f, 0.5f, 0.3f, 1.0f}},
        {.pose = {{0.0f, -1.0f, 0.0f}, WR_QUAT_IDENTITY}, .tint = {0.4f, 0.4f, 0.4f, 1.0f}}};
    wr_stage stage = wr_stage_default();
    stage.light.environment = wr_environment_studio();
    draw_light(things, 2, &stage, &askew, 4, 1, one);
    draw_light(things, 2, &stage, &askew, 4, 3, three);
    assert_memory_equal(one, three, sizeof one);
    stage.light.turn = 1.0f;
    draw_light(things, 2, &stage, &askew, 4, 1, three);
    assert_memory_not_equal(one, three, sizeof one);
    wr_model_destroy(ball);
}

static void pictures_that_are_none_are_refused(void **state)
{
    (void)state;
    static float light[3 * W * H];
    static const uint8_t pixels[64] = {0};
    const wr_environment odd[] = {
        {3, 2, pixels}, {4, 2, NULL}, {4096, 2048, pixels}, {-2, -1, pixels}};
    wr_render *render = make_sized_render(W, H, 1, 1, WR_VIEW_SHADED);
    wr_stage stage = wr_stage_default();
    for (int i = 0; i < (int)(sizeof odd / sizeof *odd); i++) {
        wr_error error = {0};
        stage.light.environment = &odd[i];
        assert_false(wr_render_draw_light(render, NULL, 0, &stage, &askew, light, &error));
        assert_non_null(strstr(error.message, "twice as wide as high"));
    }
    wr_error error = {0};
    stage.light.environment = wr_environment_studio();
    stage.light.turn = NAN;
    assert_false(wr_render_draw_light(render, NULL, 0, &stage, &askew, light, &error));
    wr_render_destroy(render);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_white_furnace_shows_the_albedo),
        cmocka_unit_test(light_that_grows_to_one_side_turns_with_its_picture),
        cmocka_unit_test(a_lamp_lights_by_its_size),
        cmocka_unit_test(few_samples_are_right_in_the_mean_and_have_little_noise),
        cmocka_unit_test(a_choice_of_lobes_leaves_no_grain),
        cmocka_unit_test(means_of_halves_and_densities_are_right),
        cmocka_unit_test(a_small_bright_disc_is_a_sun),
        cmocka_unit_test(a_sun_is_seen_itself),
        cmocka_unit_test(the_studio_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(pictures_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
