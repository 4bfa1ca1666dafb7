// test_spheres.c: promises of pictures of spheres, and of meshes that are others in every picture.
#include "pictures.h"

enum { W = 120, H = 120, PIXELS = W * H * 3 };

static const wr_color PAINT = {0.8f, 0.3f, 0.1f, 1.0f};

static wr_camera camera(void)
{
    return (wr_camera){.from = {0, 1, 6}, .to = {0, 0, 0}, .fov = 0.6f};
}

static void draw(const wr_render_thing *things, int count, const wr_stage *stage, wr_view view,
                 uint8_t *pixels)
{
    wr_camera eye = camera();
    draw_with(make_sized_render(W, H, 16, 1, view), things, count, stage, &eye, pixels);
}

static wr_render_thing spheres_thing(const wr_particles *spheres)
{
    return (wr_render_thing){.spheres = spheres, .pose = WR_POSE_IDENTITY, .tint = PAINT};
}

static wr_model *make_ball(float radius)
{
    wr_color white = {1, 1, 1, 1};
    wr_model *ball =
        wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(radius, 0, 0), white, NULL);
    assert_non_null(ball);
    ball->looks[0].roughness = 0.6f; // as spheres have it
    return ball;
}

static double mean_difference(const uint8_t *a, const uint8_t *b, int *largest)
{
    double sum = 0.0;
    *largest = 0;
    for (int i = 0; i < PIXELS; i++) {
        int d = abs(a[i] - b[i]);
        sum += d;
        *largest = d > *largest ? d : *largest;
    }
    return sum / PIXELS;
}

// Also turned and moved, also in the wire view, also with shadows on the ground.
static void spheres_look_like_balls_of_triangles(void **state)
{
    (void)state;
    static uint8_t round[PIXELS], pieces[PIXELS];
    const wr_vec3 places[3] = {{-0.9f, 0.2f, 0}, {0.5f, 0.4f, 0.4f}, {0.4f, -0.3f, -0.8f}};
    const float radii[3] = {0.5f, 0.4f, 0.7f};
    wr_particles spheres = {3, places, radii, 0.0f};
    wr_stage stage = wr_stage_default();
    wr_pose pose = {{0.1f, 0.3f, 0.0f}, wr_quat_from_axis_angle(wr_v3(0, 1, 0), 0.7f)};
    for (int view = 0; view < 2; view++) {
        wr_render_thing ground = {.pose = WR_POSE_IDENTITY, .tint = {0.4f, 0.4f, 0.4f, 1}};
        ground.pose.position.y = -1.0f;
        wr_render_thing things[4] = {ground, spheres_thing(&spheres)};
        things[1].pose = pose;
        draw(things, 2, &stage, view ? WR_VIEW_WIRE : WR_VIEW_SHADED, round);
        wr_model *balls[3];
        for (int i = 0; i < 3; i++) {
            balls[i] = make_ball(radii[i]);
            things[i + 1] = (wr_render_thing){.model = balls[i], .pose = pose, .tint = PAINT};
            things[i + 1].pose.position = wr_pose_point(pose, places[i]);
        }
        draw(things, 4, &stage, view ? WR_VIEW_WIRE : WR_VIEW_SHADED, pieces);
        int largest;
        double mean = mean_difference(round, pieces, &largest);
        print_message("mean difference %.2f of 255\n", mean);
        assert_true(mean < (view ? 8.0 : 1.0)); // the wire view draws edges only on triangles
        for (int i = 0; i < 3; i++) {
            wr_model_destroy(balls[i]);
        }
    }
}

static void a_flat_stage_shows_discs_with_rims(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    const wr_vec3 places[2] = {{-1, 0, 0}, {1, 0, 0}};
    wr_particles spheres = {2, places, NULL, 0.75f};
    wr_stage stage = wr_stage_default();
    stage.flat.on = true;
    stage.flat.line = 0.02f;
    wr_render_thing thing = spheres_thing(&spheres);
    wr_camera eye = {.from = {0, 0, 10}, .to = {0, 0, 0}, .flat = 4.0f};
    draw_with(make_sized_render(W, H, 16, 1, WR_VIEW_SHADED), &thing, 1, &stage, &eye, pixels);
    const uint8_t *row = pixels + 3 * W * (H / 2);
    assert_int_equal(row[3 * 30], 231); // 0.8 as sRGB, in the middle of the left one
    assert_int_equal(row[3 * 30 + 1], 149);
    assert_int_equal(row[3 * 90], 231);
    assert_true(row[3 * 9] < 120);      // its rim begins at pixel 7.5
    assert_int_equal(row[3 * 16], 231); // and is 2.4 wide
    assert_true(row[3 * 60] != 231);
}

// From far away through a narrow lens a disc and its rim are those without perspective.
static void a_rim_lies_at_the_border_at_any_distance(void **state)
{
    (void)state;
    static uint8_t flat[PIXELS], far[PIXELS];
    const wr_vec3 places[2] = {{-1, 0, 0}, {1, 0.4f, 0}};
    const float radii[2] = {0.75f, 0.5f};
    wr_particles spheres = {2, places, radii, 0.0f};
    wr_stage stage = wr_stage_default();
    stage.flat.on = true;
    stage.flat.line = 0.02f;
    wr_render_thing thing = spheres_thing(&spheres);
    const wr_camera eyes[2] = {
        {.from = {0, 0, 40}, .to = {0, 0, 0}, .flat = 4.0f},
        {.from = {0, 0, 40}, .to = {0, 0, 0}, .fov = 2.0f * atanf(2.0f / 40.0f)}};
    for (int k = 0; k < 2; k++) {
        draw_with(make_sized_render(W, H, 16, 1, WR_VIEW_SHADED), &thing, 1, &stage, &eyes[k],
                  k ? far : flat);
    }
    int other = 0;
    for (int i = 0; i < PIXELS; i += 3) {
        other += abs(flat[i] - far[i]) > 40;
    }
    assert_true(other < W * H / 100);
}

// The model's looks on another mesh, in every picture a new one at the same address.
static void a_mesh_in_place_of_the_models_is_not_remembered(void **state)
{
    (void)state;
    static uint8_t here[PIXELS], there[PIXELS];
    wr_stage stage = wr_stage_default();
    wr_camera eye = camera();
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1), PAINT, NULL);
    wr_model *ball = wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(0.8f, 0, 0), PAINT, NULL);
    assert_true(box && ball);
    wr_render *render = make_sized_render(W, H, 4, 1, WR_VIEW_SHADED);
    wr_mesh mesh = ball->meshes[0];
    wr_render_thing thing = {
        .model = box, .mesh = &mesh, .pose = WR_POSE_IDENTITY, .tint = {1, 1, 1, 1}};
    for (int k = 0; k < 2; k++) {
        const wr_model *shown = k ? box : ball;
        mesh = shown->meshes[0];
        assert_true(wr_render_draw(render, &thing, 1, &stage, &eye, here, NULL));
        wr_render_thing plain = {.model = shown, .pose = WR_POSE_IDENTITY, .tint = {1, 1, 1, 1}};
        draw_with(make_sized_render(W, H, 4, 1, WR_VIEW_SHADED), &plain, 1, &stage, &eye, there);
        assert_memory_equal(here, there, PIXELS);
    }
    mesh.triangle_count = mesh.vertex_count = 0;
    assert_true(wr_render_draw(render, &thing, 1, &stage, &eye, here, NULL));
    draw_with(make_sized_render(W, H, 4, 1, WR_VIEW_SHADED), NULL, 0, &stage, &eye, there);
    assert_memory_equal(here, there, PIXELS);
    wr_render_destroy(render);
    wr_model_destroy(box);
    wr_model_destroy(ball);
}

static void spheres_that_are_none_are_one_sentence(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    wr_vec3 places[3] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}};
    wr_particles spheres = {3, places, NULL, 0.5f};
    wr_render_thing things[2] = {{.pose = WR_POSE_IDENTITY}, spheres_thing(&spheres)};
    wr_render *render = make_sized_render(W, H, 1, 1, WR_VIEW_SHADED);
    wr_stage stage = wr_stage_default();
    wr_camera eye = camera();
    wr_error error = {0};
    assert_false(wr_render_draw(render, things, 2, &stage, &eye, pixels, &error));
    assert_string_equal(error.message, "thing 1: sphere 2 is none");
    spheres.count = 2;
    spheres.radius = 0.0f;
    assert_false(wr_render_draw(render, things, 2, &stage, &eye, pixels, &error));
    assert_string_equal(error.message, "thing 1: sphere 0 is none");
    spheres.count = 0; // nothing to draw
    assert_true(wr_render_draw(render, things, 2, &stage, &eye, pixels, &error));
    wr_render_destroy(render);
}

static void workers_do_not_matter(void **state)
{
    (void)state;
    static uint8_t one[PIXELS], many[PIXELS];
    static wr_vec3 places[500];
    uint64_t seed = 5;
    for (int i = 0; i < 500; i++) {
        places[i] = wr_v3(random_float(&seed, -1, 1), random_float(&seed, -1, 1),
                          random_float(&seed, -1, 1));
    }
    wr_particles spheres = {500, places, NULL, 0.1f};
    wr_render_thing thing = spheres_thing(&spheres);
    wr_stage stage = wr_stage_default();
    wr_camera eye = camera();
    draw_with(make_sized_render(W, H, 4, 1, WR_VIEW_SHADED), &thing, 1, &stage, &eye, one);
    draw_with(make_sized_render(W, H, 4, 3, WR_VIEW_SHADED), &thing, 1, &stage, &eye, many);
    assert_memory_equal(one, many, PIXELS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_look_like_balls_of_triangles),
        cmocka_unit_test(a_flat_stage_shows_discs_with_rims),
        cmocka_unit_test(a_rim_lies_at_the_border_at_any_distance),
        cmocka_unit_test(a_mesh_in_place_of_the_models_is_not_remembered),
        cmocka_unit_test(spheres_that_are_none_are_one_sentence),
        cmocka_unit_test(workers_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
