// test_render.c: promises of pictures, cameras and films.
#include "pictures.h"

#include "../src/base/base.h"
#include "../src/base/os.h"
#include "../src/render/develop.h"
#include "../src/render/noise.h"
#include "../src/render/texture.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

enum { W = 160, H = 90, PIXELS = W * H * 3 };

static const wr_color WHITE = {1.0f, 1.0f, 1.0f, 1.0f};

static wr_render *make_render(int samples, int workers)
{
    return make_sized_render(W, H, samples, workers, WR_VIEW_SHADED);
}

// Draws with a renderer of its own.
static void draw(const wr_render_thing *things, int count, const wr_stage *stage,
                 const wr_camera *camera, int samples, uint8_t *pixels)
{
    draw_with(make_render(samples, 1), things, count, stage, camera, pixels);
}

static wr_camera make_camera(wr_vec3 from, wr_vec3 to, float fov)
{
    return (wr_camera){.from = from, .to = to, .fov = fov};
}

// Picture coordinates of a point, as any textbook has them; false when it is behind the camera.
static bool project(const wr_camera *camera, float aspect, wr_vec3 p, float *x, float *y)
{
    wr_vec3 forward = wr_normalize(wr_sub(camera->to, camera->from));
    wr_vec3 right = wr_normalize(wr_cross(forward, wr_v3(0.0f, 1.0f, 0.0f)));
    wr_vec3 up = wr_cross(right, forward), d = wr_sub(p, camera->from);
    float depth = wr_dot(d, forward), tangent = tanf(0.5f * camera->fov);
    *x = wr_dot(d, right) / (depth * tangent * aspect);
    *y = wr_dot(d, up) / (depth * tangent);
    return depth > 0.0f;
}

static const uint8_t *pixel_of(const uint8_t *pixels, const wr_camera *camera, wr_vec3 p)
{
    float x, y;
    assert_true(project(camera, (float)W / H, p, &x, &y));
    int column = (int)floorf((0.5f + 0.5f * x) * W), row = (int)floorf((0.5f - 0.5f * y) * H);
    assert_in_range(column, 0, W - 1);
    assert_in_range(row, 0, H - 1);
    return pixels + 3 * (row * W + column);
}

static wr_stage even_stage(float sun, float sky, float ground)
{
    wr_stage stage = wr_stage_default();
    stage.light.sun_direction = wr_v3(0.0f, 1.0f, 0.0f);
    stage.light.sun_color = (wr_color){sun, sun, sun, 1.0f};
    stage.light.sky_zenith = stage.light.sky_horizon = (wr_color){sky, sky, sky, 1.0f};
    stage.light.ground = (wr_color){ground, ground, ground, 1.0f};
    stage.light.sun_radius = 0.0f;
    return stage;
}

static wr_render_thing ground_thing(float albedo)
{
    wr_color tint = {albedo, albedo, albedo, 1.0f};
    return (wr_render_thing){.pose = WR_POSE_IDENTITY, .tint = tint};
}

static wr_render_thing at(const wr_model *model, float x, float y, float z)
{
    wr_render_thing thing = {.model = model, .pose = WR_POSE_IDENTITY, .tint = WHITE};
    thing.pose.position = wr_v3(x, y, z);
    return thing;
}

static wr_model *primitive(wr_primitive kind, float x, float y, float z)
{
    wr_error error = {0};
    wr_model *model = wr_model_create_primitive(kind, wr_v3(x, y, z), WHITE, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    model->looks[0].roughness = 1.0f;
    return model;
}

// A square of side 2 in the plane z = 0, facing +Z, with the image upright on it.
typedef struct square {
    wr_model model;
    wr_mesh mesh;
    wr_look look;
    wr_image image;
    wr_mesh_part part;
    wr_vec3 positions[4];
    wr_vec2 uvs[4];
    int triangles[6];
    uint8_t pixels[16];
} square;

static void make_square(square *q)
{
    *q = (square){
        .positions = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
        .uvs = {{0, 1}, {1, 1}, {1, 0}, {0, 0}},
        .triangles = {0, 1, 2, 0, 2, 3},
        .part = {0, 2, 0},
        .look = {.base_color = {1, 1, 1, 1}, .texture = 0, .roughness = 1.0f},
        .pixels = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255},
    };
    q->image = (wr_image){"image", 2, 2, q->pixels};
    q->mesh = (wr_mesh){.vertex_count = 4, .triangle_count = 2, .part_count = 1};
    q->mesh.positions = q->positions;
    q->mesh.uvs = q->uvs;
    q->mesh.triangles = q->triangles;
    q->mesh.parts = &q->part;
    q->model = (wr_model){.mesh_count = 1, .look_count = 1, .image_count = 1};
    q->model.meshes = &q->mesh;
    q->model.looks = &q->look;
    q->model.images = &q->image;
}

// --- light ------------------------------------------------------------------------------------

static void sky_alone_is_the_gradient(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    wr_stage stage = wr_stage_default();
    stage.light.sky_zenith = (wr_color){0.05f, 0.10f, 0.40f, 1.0f};
    stage.light.sky_horizon = (wr_color){0.50f, 0.45f, 0.30f, 1.0f};
    wr_camera camera = make_camera(wr_v3(0, 1, 0), wr_v3(0, 1.5f, -1), 1.2f);
    draw(NULL, 0, &stage, &camera, 16, pixels);
    for (int row = 0; row < H; row++) {
        // Along the middle column the direction turns by the angle that the row stands for.
        float tangent = (1.0f - 2.0f * ((float)row + 0.5f) / H) * tanf(0.6f);
        float y = fmaxf(0.0f, sinf(atanf(0.5f) + atanf(tangent)));
        float t = 1.0f - (1.0f - y) * (1.0f - y) * (1.0f - y);
        const uint8_t *p = pixels + 3 * (row * W + W / 2);
        assert_float_equal(decode(p[0]), 0.50f + t * (0.05f - 0.50f), 0.012f);
        assert_float_equal(decode(p[1]), 0.45f + t * (0.10f - 0.45f), 0.012f);
        assert_float_equal(decode(p[2]), 0.30f + t * (0.40f - 0.30f), 0.012f);
    }
}

static void white_ground_sends_back_sun_plus_sky(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    wr_render_thing ground = ground_thing(1.0f);
    wr_camera camera = make_camera(wr_v3(0, 5, 0.1f), wr_v3(0, 0, 0), 0.5f);
    for (int turn = 0; turn < 2; turn++) {
        wr_stage stage = even_stage(0.3f, 0.2f, 0.5f);
        float cosine = turn ? 0.5f : 1.0f;
        stage.light.sun_direction = wr_v3(sqrtf(1.0f - cosine * cosine), cosine, 0.0f);
        draw(&ground, 1, &stage, &camera, 4, pixels);
        float expected = 0.3f * cosine + 0.2f, sum = 0.0f;
        for (int i = 0; i < W * H; i++) {
            sum += decode(pixels[3 * i + 1]) / (W * H);
            assert_float_equal(decode(pixels[3 * i]), expected, 0.15f * expected); // with grid
        }
        assert_float_equal(sum, expected, 0.02f * expected);
    }
}

// In light that is the same from everywhere a surface shows exactly its own colour.
static void even_light_shows_the_colour_of_the_image(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    square q;
    make_square(&q);
    for (int i = 0; i < 16; i++) {
        q.pixels[i] = i % 4 == 0 ? 40 : i % 4 == 1 ? 128 : 190;
    }
    wr_render_thing thing = at(&q.model, 0, 0, 0);
    wr_stage stage = even_stage(0.0f, 1.0f, 1.0f);
    wr_camera camera = make_camera(wr_v3(0, 0, 4), wr_v3(0, 0, 0), 0.4f);
    draw(&thing, 1, &stage, &camera, 4, pixels);
    const uint8_t *p = pixel_of(pixels, &camera, wr_v3(0, 0, 0));
    assert_in_range(p[0], 39, 41);
    assert_in_range(p[1], 127, 129);
    assert_in_range(p[2], 189, 191);
}

static void full_shadow_is_lit_by_the_sky_alone(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    wr_model *plate = primitive(WR_PRIMITIVE_BOX, 2.0f, 0.1f, 2.0f);
    wr_render_thing things[2] = {ground_thing(1.0f), at(plate, 0, 20, 0)};
    wr_stage stage = even_stage(0.3f, 0.2f, 0.5f);
    wr_camera camera = make_camera(wr_v3(0, 6, 8), wr_v3(0, 0, 0), 0.6f);
    draw(things, 2, &stage, &camera, 16, pixels);
    float shadow = 0.0f, open = 0.0f; // mean of a few pixels, none on a grid line
    for (int i = 0; i < 16; i++) {
        float x = -0.6f + 0.08f * (float)(i % 4), z = -0.6f + 0.08f * (float)(i / 4);
        shadow += decode(*pixel_of(pixels, &camera, wr_v3(x, 0, z))) / 16;
        open += decode(*pixel_of(pixels, &camera, wr_v3(x + 2.0f, 0, z))) / 16;
    }
    assert_float_equal(shadow, 0.2f, 0.01f);
    assert_float_equal(open, 0.5f, 0.02f);
    wr_model_destroy(plate);
}

// The lower side of a small plate far above sunlit ground sees nothing but that ground.
static void bright_ground_lights_what_is_above_it(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    wr_model *plate = primitive(WR_PRIMITIVE_BOX, 1.0f, 0.05f, 1.0f);
    wr_render_thing things[2] = {ground_thing(0.9f), at(plate, 0, 10, 0)};
    wr_stage stage = even_stage(0.5f, 0.0f, 0.9f);
    stage.light.sun_direction = wr_v3(0.6f, 0.8f, 0.0f);
    wr_camera camera = make_camera(wr_v3(0, 7, 3), wr_v3(0, 10, 0), 0.3f);
    draw(things, 2, &stage, &camera, 4, pixels);
    float expected = 0.9f * 0.5f * 0.8f, sum = 0.0f;
    for (int i = 0; i < 16; i++) {
        wr_vec3 p = wr_v3(-0.3f + 0.2f * (float)(i % 4), 9.975f, -0.3f + 0.2f * (float)(i / 4));
        sum += decode(*pixel_of(pixels, &camera, p)) / 16;
    }
    assert_float_equal(sum, expected, 0.04f * expected);
    wr_model_destroy(plate);
}

// A thin wall: rays that start too far off would pass it.
static void shadows_touch_what_casts_them(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    for (float scale = 0.01f; scale < 200.0f; scale *= 100.0f) {
        wr_model *wall = primitive(WR_PRIMITIVE_BOX, 0.01f * scale, scale, scale);
        wr_render_thing things[2] = {ground_thing(0.6f), at(wall, 0.495f * scale, 0.5f * scale, 0)};
        wr_stage stage = even_stage(0.5f, 0.15f, 0.6f);
        stage.light.sun_direction = wr_v3(-1.0f, 1.0f, 0.0f);
        stage.light.sun_radius = 0.002f;
        wr_camera camera = make_camera(wr_v3(2.5f * scale, 2 * scale, 0.01f * scale),
                                       wr_v3(0.8f * scale, 0, 0), 0.6f);
        draw(things, 2, &stage, &camera, 4, pixels);
        float lit = decode(*pixel_of(pixels, &camera, wr_v3(0.6f * scale, 0, 0.75f * scale)));
        for (int i = 0; i <= 40; i++) {
            float z = scale * (-0.4f + 0.02f * (float)i);
            for (int k = 0; k < 20; k++) { // from the wall's foot outwards
                wr_vec3 p = wr_v3((0.5f + 0.01f * (float)k) * scale, 0, z);
                assert_true(decode(*pixel_of(pixels, &camera, p)) < 0.5f * lit);
            }
            wr_vec3 inside = wr_v3(1.46f * scale, 0, z), outside = wr_v3(1.54f * scale, 0, z);
            assert_true(decode(*pixel_of(pixels, &camera, inside)) < 0.6f * lit);
            assert_true(decode(*pixel_of(pixels, &camera, outside)) > 0.75f * lit);
        }
        wr_model_destroy(wall);
    }
}

// --- surfaces ---------------------------------------------------------------------------------

static void the_first_pixel_of_an_image_is_its_top_left_corner(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    square q;
    make_square(&q);
    wr_render_thing thing = at(&q.model, 0, 0, 0);
    wr_stage stage = even_stage(0.0f, 0.5f, 1.0f);
    wr_camera camera = make_camera(wr_v3(0, 0, 5), wr_v3(0, 0, 0), 0.5f);
    draw(&thing, 1, &stage, &camera, 4, pixels);
    const uint8_t *red = pixel_of(pixels, &camera, wr_v3(-0.5f, 0.5f, 0));
    const uint8_t *green = pixel_of(pixels, &camera, wr_v3(0.5f, 0.5f, 0));
    const uint8_t *blue = pixel_of(pixels, &camera, wr_v3(-0.5f, -0.5f, 0));
    const uint8_t *white = pixel_of(pixels, &camera, wr_v3(0.5f, -0.5f, 0));
    assert_true(red[0] > 150 && red[1] < 60 && red[2] < 60);
    assert_true(green[1] > 150 && green[0] < 60 && green[2] < 60);
    assert_true(blue[2] > 150 && blue[0] < 60 && blue[1] < 60);
    assert_true(white[0] > 150 && white[1] > 150 && white[2] > 150);
}

static void replaced_positions_are_drawn_where_they_are(void **state)
{
    (void)state;
    static uint8_t moved[PIXELS], posed[PIXELS], rest[PIXELS];
    square q;
    make_square(&q);
    wr_vec3 positions[4];
    for (int i = 0; i < 4; i++) {
        positions[i] = wr_add(q.positions[i], wr_v3(0.5f, 1.0f, 0.0f));
    }
    wr_render_thing things[2] = {at(&q.model, 0, 0, 0), ground_thing(0.8f)};
    things[1].pose.position.y = -1.0f;
    wr_stage stage = wr_stage_default();
    wr_camera camera = make_camera(wr_v3(0, 0, 6), wr_v3(0, 0, 0), 0.7f);
    draw(things, 2, &stage, &camera, 4, rest);
    things[0].pose.position = wr_v3(0.5f, 1.0f, 0.0f);
    draw(things, 2, &stage, &camera, 4, posed);
    things[0].pose.position = wr_v3(0.0f, 0.0f, 0.0f);
    things[0].positions = positions;
    draw(things, 2, &stage, &camera, 4, moved);
    int differ = 0;
    for (int i = 0; i < PIXELS; i++) {
        differ += abs(moved[i] - posed[i]) > 2;
    }
    assert_true(differ < PIXELS / 200);
    assert_memory_not_equal(moved, rest, PIXELS);
}

static void replaced_normals_turn_the_light(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    const wr_vec3 normals[4] = {{0.8f, 0, 0.6f}, {0.8f, 0, 0.6f}, {0.8f, 0, 0.6f}, {0.8f, 0, 0.6f}};
    const wr_color grey[4] = {
        {0.5f, 0.5f, 0.5f, 1}, {0.5f, 0.5f, 0.5f, 1}, {0.5f, 0.5f, 0.5f, 1}, {0.5f, 0.5f, 0.5f, 1}};
    square q;
    make_square(&q);
    wr_render_thing thing = at(&q.model, 0, 0, 0);
    thing.colors = grey;
    wr_stage stage = even_stage(1.0f, 0.0f, 0.0f);
    stage.light.sun_direction = wr_v3(0, 0, 1);
    wr_camera camera = make_camera(wr_v3(0, 0, 4), wr_v3(0, 0, 0), 0.4f);
    draw(&thing, 1, &stage, &camera, 4, pixels);
    double facing = decode(*pixel_of(pixels, &camera, wr_v3(0, 0, 0)));
    thing.normals = normals;
    draw(&thing, 1, &stage, &camera, 4, pixels);
    assert_true(fabs(decode(*pixel_of(pixels, &camera, wr_v3(0, 0, 0))) / facing - (0.6)) <= 0.05);
}

static void wire_view_draws_the_edges(void **state)
{
    (void)state;
    static uint8_t wire[PIXELS];
    square q;
    make_square(&q);
    q.look.texture = -1;
    wr_render_thing thing = at(&q.model, 0, 0, 0);
    wr_stage stage = even_stage(0.0f, 0.5f, 1.0f);
    wr_camera camera = make_camera(wr_v3(0, 0, 5), wr_v3(0, 0, 0), 0.5f);
    wr_render_desc desc = wr_render_desc_default();
    desc.width = W;
    desc.height = H;
    desc.view = WR_VIEW_WIRE;
    wr_render *render = wr_render_create(&desc, NULL);
    assert_non_null(render);
    assert_true(wr_render_draw(render, &thing, 1, &stage, &camera, wire, NULL));
    // The diagonal from the bottom left to the top right is dark, the middle of a triangle is not.
    wr_vec3 on = wr_v3(0.3f, 0.3f, 0), off = wr_v3(0.5f, -0.5f, 0);
    assert_true(*pixel_of(wire, &camera, on) + 60 < *pixel_of(wire, &camera, off));
    // Dark things are drawn pale, so that the lines show.
    thing.tint = (wr_color){0.02f, 0.02f, 0.02f, 1.0f};
    assert_true(wr_render_draw(render, &thing, 1, &stage, &camera, wire, NULL));
    assert_true(*pixel_of(wire, &camera, on) + 60 < *pixel_of(wire, &camera, off));
    wr_render_destroy(render);
}

// --- the same pixels --------------------------------------------------------------------------

enum { SCENE = 8 };

static void make_scene(wr_render_thing things[SCENE], wr_model *models[3], float scale)
{
    models[0] = primitive(WR_PRIMITIVE_BOX, scale, scale, scale);
    models[1] = primitive(WR_PRIMITIVE_CYLINDER, 0.35f * scale, scale, 0);
    models[2] = primitive(WR_PRIMITIVE_SPHERE, 0.5f * scale, 0, 0);
    models[1]->looks[0].metallic = 1.0f;
    models[1]->looks[0].roughness = 0.4f;
    things[0] = ground_thing(0.4f);
    for (int i = 1; i < SCENE; i++) {
        float x = scale * (float)(i % 4 - 1), y = scale * (0.5f + (float)(i / 4));
        things[i] = at(models[i % 3], x, y, 0);
        things[i].pose.rotation = wr_quat_from_axis_angle(wr_v3(0, 1, 0), 0.1f * (float)i);
    }
}

static void free_scene(wr_model *models[3])
{
    for (int i = 0; i < 3; i++) {
        wr_model_destroy(models[i]);
    }
}

static wr_camera scene_camera(float scale)
{
    wr_box box = {wr_v3(-1.5f * scale, 0, -0.5f * scale), wr_v3(2.5f * scale, 2 * scale, scale)};
    return wr_camera_frame(box, (float)W / H);
}

static void pictures_do_not_depend_on_workers_or_order(void **state)
{
    (void)state;
    static uint8_t one[PIXELS], other[PIXELS];
    wr_render_thing things[SCENE];
    wr_model *models[3];
    make_scene(things, models, 1.0f);
    wr_stage stage = wr_stage_default();
    wr_camera camera = scene_camera(1.0f);
    draw(things, SCENE, &stage, &camera, 4, one);
    wr_render *render = make_render(4, 2);
    for (int shuffle = 0; shuffle < 8; shuffle += 7) {
        wri_test_block_shuffle = shuffle;
        assert_true(wr_render_draw(render, things, SCENE, &stage, &camera, other, NULL));
        assert_memory_equal(one, other, PIXELS);
    }
    wri_test_block_shuffle = 0;
    wr_render_destroy(render);
    free_scene(models);
}

static void pictures_do_not_depend_on_earlier_pictures(void **state)
{
    (void)state;
    static uint8_t fresh[PIXELS], later[PIXELS];
    wr_render_thing things[SCENE], before[SCENE];
    wr_model *models[3];
    make_scene(things, models, 1.0f);
    memcpy(before, things, sizeof(before));
    const wr_mesh *ball = &models[2]->meshes[0];
    wr_vec3 *positions = calloc((size_t)ball->vertex_count, sizeof(*positions));
    wr_vec3 *twisted = calloc((size_t)ball->vertex_count, sizeof(*positions));
    wr_vec3 *squashed = calloc((size_t)ball->vertex_count, sizeof(*positions));
    assert_non_null(positions);
    assert_non_null(twisted);
    assert_non_null(squashed);
    for (int i = 0; i < ball->vertex_count; i++) {
        wr_vec3 p = ball->positions[i];
        positions[i] = wr_v3(p.x, 0.6f * p.y, 1.3f * p.z);
        twisted[i] = wr_v3(2 * p.x, p.z, p.y);
        squashed[i] = wr_v3(p.x + 0.4f * p.y, 0.3f * p.y, p.z);
    }
    const wr_look_change glass = {.said = WR_LOOK_GLASS, .transmission = 1.0f};
    things[2].positions = things[7].positions = positions; // 2 and 5 are balls, and 7 becomes one
    things[7].model = things[2].model;
    things[5].positions = squashed;
    before[2].positions = twisted;
    before[5].positions = positions;
    before[3].pose.position.y = 3.0f;
    wr_stage stage = wr_stage_default();
    wr_camera camera = scene_camera(1.0f);
    draw(things, SCENE, &stage, &camera, 2, fresh);
    wr_render *render = make_render(2, 1);
    assert_true(wr_render_draw(render, before, SCENE, &stage, &camera, later, NULL));
    assert_memory_not_equal(fresh, later, PIXELS);
    assert_true(wr_render_draw(render, things, SCENE, &stage, &camera, later, NULL));
    assert_memory_equal(fresh, later, PIXELS);
    things[7].look = &glass; // rays pass all balls one by one now
    draw(things, SCENE, &stage, &camera, 2, fresh);
    assert_memory_not_equal(fresh, later, PIXELS);
    assert_true(wr_render_draw(render, things, SCENE, &stage, &camera, later, NULL));
    assert_memory_equal(fresh, later, PIXELS);
    wr_render_destroy(render);
    free(positions);
    free(twisted);
    free(squashed);
    free_scene(models);
}

// Rays of several pixels go together where no thing lets rays pass. A look that says it is not of
// glass sends them one by one.
static void rays_together_meet_what_single_ones_meet(void **state)
{
    (void)state;
    static uint8_t together[PIXELS], single[PIXELS];
    wr_render_thing things[SCENE];
    wr_model *models[3];
    make_scene(things, models, 1.0f);
    wr_stage stage = wr_stage_default();
    wr_camera camera = scene_camera(1.0f);
    draw(things, SCENE, &stage, &camera, 4, together);
    const wr_look_change no_glass = {.said = WR_LOOK_GLASS};
    things[1].look = &no_glass;
    draw(things, SCENE, &stage, &camera, 4, single);
    int others = 0; // at edges, where rounding decides
    for (int i = 0; i < PIXELS; i++) {
        others += abs(together[i] - single[i]) > 2;
    }
    assert_true(others < PIXELS / 500);
    free_scene(models);
}

// Pixels of one surface take one sample in place of four, and half of those in the sun no ambient
// ray. Edges of shadows and of things look as with 256 nevertheless.
static void few_samples_come_near_many(void **state)
{
    (void)state;
    static uint8_t few[PIXELS], many[PIXELS];
    wr_render_thing things[SCENE];
    wr_model *models[3];
    make_scene(things, models, 1.0f);
    wr_stage stage = wr_stage_default();
    wr_camera camera = scene_camera(1.0f);
    draw(things, SCENE, &stage, &camera, 4, few);
    draw(things, SCENE, &stage, &camera, 256, many);
    double sum = 0.0, off = 0.0;
    for (int i = 0; i < PIXELS; i++) {
        off += few[i] - many[i];
        sum += pow(few[i] - many[i], 2.0);
    }
    print_message("root mean square %.3f, mean %.3f\n", sqrt(sum / PIXELS), off / PIXELS);
    assert_true(sqrt(sum / PIXELS) < 3.3);
    CHECK_NEAR(off / PIXELS, 0.0, 0.2);
    free_scene(models);
}

static void small_and_large_copies_look_alike(void **state)
{
    (void)state;
    static uint8_t small[PIXELS], large[PIXELS];
    const float scales[2] = {0.01f, 100.0f};
    for (int i = 0; i < 2; i++) {
        wr_render_thing things[SCENE];
        wr_model *models[3];
        make_scene(things, models, scales[i]);
        wr_stage stage = wr_stage_default();
        wr_camera camera = scene_camera(scales[i]);
        draw(things, SCENE, &stage, &camera, 4, i ? large : small);
        free_scene(models);
    }
    int differ = 0;
    for (int i = 0; i < PIXELS; i++) {
        differ += abs(small[i] - large[i]) > 3;
    }
    assert_true(differ < PIXELS / 500);
}

static void the_callers_float_mode_neither_matters_nor_changes(void **state)
{
    (void)state;
#if defined(__SSE__)
    static uint8_t plain[PIXELS], strange[PIXELS];
    wr_render_thing things[SCENE];
    wr_model *models[3];
    make_scene(things, models, 1.0f);
    wr_stage stage = wr_stage_default();
    wr_camera camera = scene_camera(1.0f);
    unsigned before = _mm_getcsr();
    draw(things, SCENE, &stage, &camera, 1, plain);
    assert_int_equal(_mm_getcsr() & ~0x3fu, before & ~0x3fu);
    wr_render *render = make_render(1, 1);
    _mm_setcsr(0x1f80u | 0x6000u); // round towards zero, keep denormals
    bool ok = wr_render_draw(render, things, SCENE, &stage, &camera, strange, NULL);
    unsigned after = _mm_getcsr() & ~0x3fu;
    _mm_setcsr(before);
    assert_true(ok);
    assert_int_equal(after, 0x1f80u | 0x6000u);
    assert_memory_equal(plain, strange, PIXELS);
    wr_render_destroy(render);
    free_scene(models);
#endif
}

// --- bad input --------------------------------------------------------------------------------

static void expect_failure(const wr_render_thing *things, int count, const wr_stage *stage,
                           const wr_camera *camera, const char *words)
{
    static uint8_t pixels[PIXELS];
    wr_error error = {0};
    wr_render *render = make_render(1, 1);
    assert_false(wr_render_draw(render, things, count, stage, camera, pixels, &error));
    if (!strstr(error.message, words)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    }
    wr_render_destroy(render);
}

static void paint_covers_looks_and_blends_between_vertices(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    const wr_color colors[4] = {{0.5f, 0, 0, 1}, {0, 0.5f, 0, 1}, {0, 0.5f, 0, 1}, {0.5f, 0, 0, 1}};
    square q;
    make_square(&q);
    wr_render_thing thing = at(&q.model, 0, 0, 0);
    thing.colors = colors;
    wr_stage stage = even_stage(0.0f, 1.0f, 1.0f);
    wr_camera camera = make_camera(wr_v3(0, 0, 4), wr_v3(0, 0, 0), 0.4f);
    draw(&thing, 1, &stage, &camera, 4, pixels);
    for (int i = -1; i <= 1; i++) {
        const uint8_t *p = pixel_of(pixels, &camera, wr_v3(0.5f * (float)i, 0, 0));
        assert_true(fabs(decode(p[0]) - (0.25 - 0.125 * i)) <= 0.02);
        assert_true(fabs(decode(p[1]) - (0.25 + 0.125 * i)) <= 0.02);
        assert_true(fabs(decode(p[2]) - (0.0)) <= 0.02);
    }
    const wr_color broken[4] = {{1, 1, 1, 1}, {1, NAN, 1, 1}};
    thing.colors = broken;
    expect_failure(&thing, 1, &stage, &camera, "vertex colour 1 is not finite");
}

static void bad_things_are_one_sentence(void **state)
{
    (void)state;
    wr_stage stage = wr_stage_default();
    wr_camera camera = make_camera(wr_v3(0, 0, 5), wr_v3(0, 0, 0), 0.5f);
    square q;
    make_square(&q);
    wr_render_thing thing = at(&q.model, 0, 0, 0);
    thing.pose.position.x = NAN;
    expect_failure(&thing, 1, &stage, &camera, "thing 0: its pose is not finite");
    thing = at(&q.model, 0, 0, 0);
    q.triangles[4] = 4;
    expect_failure(&thing, 1, &stage, &camera, "thing 0: triangle 1 uses vertex 4");
    q.triangles[4] = 2;
    wr_vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {0, INFINITY, 0}, {1, 1, 0}};
    thing.positions = positions;
    expect_failure(&thing, 1, &stage, &camera, "thing 0: position 2 is not finite");
    thing.positions = NULL;
    q.positions[1].y = NAN;
    expect_failure(&thing, 1, &stage, &camera, "thing 0: position 1 is not finite");
    q.positions[1].y = -1.0f;
    q.image.height = 0;
    expect_failure(&thing, 1, &stage, &camera, "thing 0: image 0 is 2 x 0 pixels");
    q.image.height = 2;
    wr_color colors[4] = {WHITE, WHITE, WHITE, {1.0f, NAN, 1.0f, 1.0f}};
    q.mesh.colors = colors;
    expect_failure(&thing, 1, &stage, &camera, "thing 0: vertex colour 3 is not finite");
    q.mesh.colors = NULL;
    wr_mesh two[2] = {q.mesh, q.mesh};
    q.model.meshes = two;
    q.model.mesh_count = 2;
    expect_failure(&thing, 1, &stage, &camera, "thing 0: its model has 2 meshes");
}

static void bad_cameras_and_lights_are_one_sentence(void **state)
{
    (void)state;
    wr_stage stage = wr_stage_default();
    wr_camera camera = make_camera(wr_v3(1, 2, 3), wr_v3(1, 2, 3), 0.5f);
    expect_failure(NULL, 0, &stage, &camera, "it stands at the point it looks at");
    camera.to.x = NAN;
    expect_failure(NULL, 0, &stage, &camera, "its place is not finite");
    camera = make_camera(wr_v3(0, 0, 5), wr_v3(0, 0, 0), 3.2f);
    expect_failure(NULL, 0, &stage, &camera, "its opening angle");
    camera.fov = 0.5f;
    stage.light.sun_direction = wr_v3(0, 0, 0);
    expect_failure(NULL, 0, &stage, &camera, "the sun has no direction");
    stage = wr_stage_default();
    stage.light.sky_zenith.g = NAN;
    expect_failure(NULL, 0, &stage, &camera, "a colour is negative or not finite");
    stage = wr_stage_default();
    stage.light.exposure = -1.0f;
    expect_failure(NULL, 0, &stage, &camera, "exposure");
    wr_error error = {0};
    wr_render_desc desc = wr_render_desc_default();
    desc.width = 15;
    assert_null(wr_render_create(&desc, &error));
    assert_non_null(strstr(error.message, "picture size"));
    desc = wr_render_desc_default();
    desc.samples = 0;
    assert_null(wr_render_create(&desc, &error));
    assert_non_null(strstr(error.message, "samples"));
}

static void degenerate_things_are_drawn_without_harm(void **state)
{
    (void)state;
    static uint8_t empty[PIXELS], pixels[PIXELS];
    wr_stage stage = wr_stage_default();
    wr_camera camera = make_camera(wr_v3(0, 0, 5), wr_v3(0, 0, 0), 0.5f);
    draw(NULL, 0, &stage, &camera, 1, empty);
    square q, flat, none;
    make_square(&flat);
    for (int i = 0; i < 4; i++) {
        flat.positions[i] = wr_v3((float)i, 0, 0);
    }
    make_square(&none);
    none.mesh.triangle_count = 0;
    wr_model nothing = {0};
    wr_render_thing things[3] = {at(&flat.model, 0, 0, 0), at(&none.model, 0, 0, 0),
                                 at(&nothing, 0, 0, 0)};
    draw(things, 3, &stage, &camera, 1, pixels);
    assert_memory_equal(empty, pixels, PIXELS);
    make_square(&q);
    wr_vec3 wrong[4] = {{0, 0, 0}, {NAN, 0, 0}, {0, 0, 0}, {0, 0, 1}};
    wr_vec2 far[4] = {{INFINITY, 0}, {NAN, 1}, {1e30f, -1e30f}, {0, 0}};
    q.mesh.normals = wrong;
    q.mesh.uvs = far;
    q.look.roughness = NAN;
    wr_render_thing thing = at(&q.model, 0, 0, 0);
    draw(&thing, 1, &stage, &camera, 4, pixels); // the sanitizers watch
    for (float far_away = 1e10f; far_away < 1e37f; far_away *= 1e8f) {
        make_square(&q);
        wr_render_thing pair[3] = {at(&q.model, far_away, 0, -far_away), at(&q.model, 0, 0, 0),
                                   ground_thing(0.5f)};
        draw(pair, 3, &stage, &camera, 1, pixels);
        q.positions[2] = wr_v3(far_away, far_away, -far_away);
        draw(pair + 1, 1, &stage, &camera, 1, pixels);
        wr_camera lost = make_camera(wr_v3(0, far_away, 0), wr_v3(0, 0, 0), 0.5f);
        draw(pair, 3, &stage, &lost, 1, pixels);
    }
}

static void a_camera_inside_a_thing_sees_its_inner_side(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    wr_model *ball = primitive(WR_PRIMITIVE_SPHERE, 2.0f, 0, 0);
    wr_render_thing thing = at(ball, 0, 0, 0);
    wr_stage stage = wr_stage_default();
    wr_camera camera = make_camera(wr_v3(0, 0, 0), wr_v3(0, 0, -1), 0.8f);
    draw(&thing, 1, &stage, &camera, 4, pixels);
    for (int i = 0; i < PIXELS; i++) {
        assert_true(pixels[i] < 150); // no sun and no sky gets in
    }
    camera.to = wr_v3(0, -1, 0); // straight down has no natural up
    draw(&thing, 1, &stage, &camera, 1, pixels);
    wr_model_destroy(ball);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    square q;
    make_square(&q);
    wr_render_thing thing = at(&q.model, 0, 0, 0);
    thing.positions = q.positions;
    wr_stage stage = wr_stage_default();
    wr_camera camera = make_camera(wr_v3(0, 0, 5), wr_v3(0, 0, 0), 0.5f);
    bool done = false;
    for (int budget = 0; !done && budget < 40; budget++) {
        counting_heap heap = {.budget = budget};
        wr_render_desc desc = wr_render_desc_default();
        desc.width = desc.height = 16;
        desc.samples = 1;
        desc.allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_render *render = wr_render_create(&desc, &error);
        done = render && wr_render_draw(render, &thing, 1, &stage, &camera, pixels, &error);
        assert_true(done || error.code == WR_E_MEMORY);
        wr_render_destroy(render);
        assert_int_equal(heap.alive, 0);
    }
    assert_true(done);
}

// Trees of replaced positions are kept from picture to picture, and are not built anew.
static void bending_in_every_picture_takes_no_more_memory(void **state)
{
    (void)state;
    static uint8_t pixels[PIXELS];
    square q;
    make_square(&q);
    wr_vec3 bent[4];
    wr_render_thing things[2] = {at(&q.model, 0, 0, 0), at(&q.model, 0.5f, 0, -1)};
    things[0].positions = things[1].positions = bent;
    wr_stage stage = wr_stage_default();
    wr_camera camera = make_camera(wr_v3(0, 0, 5), wr_v3(0, 0, 0), 0.5f);
    counting_heap heap = {.budget = 1000};
    wr_render_desc desc = wr_render_desc_default();
    desc.width = desc.height = 16;
    desc.samples = 1;
    desc.allocator = counting_allocator(&heap);
    wr_render *render = wr_render_create(&desc, NULL);
    assert_non_null(render);
    int warm = 0;
    for (int picture = 0; picture < 100; picture++) {
        for (int i = 0; i < 4; i++) {
            bent[i] = wr_add_scaled(q.positions[i], 0.01f * (float)(picture * i), q.positions[1]);
        }
        assert_true(wr_render_draw(render, things, 2, &stage, &camera, pixels, NULL));
        warm = picture == 4 ? heap.calls : warm;
    }
    assert_int_equal(heap.calls, warm);
    wr_render_destroy(render);
    assert_int_equal(heap.alive, 0);
}

// --- framing ----------------------------------------------------------------------------------

static void check_frame(wr_box box, float aspect)
{
    wr_camera camera = wr_camera_frame(box, aspect);
    float most = 0.0f;
    assert_true(wr_is_finite3(camera.from) && wr_is_finite3(camera.to));
    assert_true(camera.from.y > box.min.y);
    for (int i = 0; i < 8; i++) {
        wr_vec3 corner = wr_v3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y,
                               i & 4 ? box.max.z : box.min.z);
        float x, y;
        assert_true(project(&camera, aspect, corner, &x, &y));
        most = fmaxf(most, fmaxf(fabsf(x), fabsf(y)));
    }
    assert_true(most <= 0.92f);
    assert_true(most >= 0.85f); // and does not waste the picture
}

static void the_automatic_camera_sees_the_whole_box(void **state)
{
    (void)state;
    const float sizes[5] = {0.01f, 0.3f, 1.0f, 30.0f, 5000.0f};
    const float aspects[4] = {0.4f, 1.0f, 16.0f / 9.0f, 4.0f};
    for (int i = 0; i < 125; i++) {
        wr_vec3 size = wr_v3(sizes[i % 5], sizes[i / 5 % 5], sizes[i / 25]);
        wr_vec3 min = wr_v3(-0.3f * size.x, 0.0f, 0.2f * size.z);
        for (int k = 0; k < 4; k++) {
            check_frame((wr_box){min, wr_add(min, size)}, aspects[k]);
        }
    }
    check_frame((wr_box){{-50, 0, -50}, {50, 0, 50}}, 1.5f); // flat
    check_frame((wr_box){{0, 0, 0}, {0, 3, 0}}, 1.5f);       // a line
}

static void the_automatic_camera_survives_a_point_and_nothing(void **state)
{
    (void)state;
    const wr_box boxes[4] = {WR_BOX_EMPTY,
                             {{0, 0, 0}, {0, 0, 0}},
                             {{1e4f, 0, 0}, {1e4f, 0, 0}},
                             {{NAN, 0, 0}, {1, 1, 1}}};
    for (int i = 0; i < 4; i++) {
        wr_camera camera = wr_camera_frame(boxes[i], i == 3 ? NAN : 1.5f);
        assert_true(wr_is_finite3(camera.from) && wr_is_finite3(camera.to));
        assert_true(wr_distance(camera.from, camera.to) > 0.0f);
    }
}

static void a_camera_for_points_comes_as_near_as_they_allow(void **state)
{
    (void)state;
    wr_vec3 ball[300];
    for (int i = 0; i < 300; i++) {
        float turn = 2.4f * (float)i, y = (float)i / 149.5f - 1.0f, r = sqrtf(1.0f - y * y);
        wr_vec3 d = wr_v3(r * cosf(turn), y, r * sinf(turn));
        ball[i] = wr_add(wr_v3(3, -7, 2), wr_scale(0.4f, d));
    }
    for (int turn = 0; turn < 8; turn++) {
        wr_camera camera = wr_camera_frame_points(ball, 300, 1.5f, 0.8f * (float)turn, 0.3f);
        wr_vec2 least = {INFINITY, INFINITY}, most = {-INFINITY, -INFINITY};
        for (int i = 0; i < 300; i++) {
            wr_vec2 at;
            float x, y, depth;
            assert_true(wr_camera_project(&camera, 300, 200, ball[i], &at, &depth));
            assert_true(project(&camera, 1.5f, ball[i], &x, &y));
            assert_true(fabs(at.x - (150.0 + 150.0 * x)) <= 1e-2);
            assert_true(fabs(at.y - (100.0 - 100.0 * y)) <= 1e-2);
            assert_true(fabs(depth - wr_distance(camera.from, camera.to)) <= 0.41);
            least = (wr_vec2){fminf(least.x, at.x), fminf(least.y, at.y)};
            most = (wr_vec2){fmaxf(most.x, at.x), fmaxf(most.y, at.y)};
        }
        assert_true(least.y > 8.0f && most.y < 192.0f && most.y - least.y > 172.0f);
        assert_true(fabs(least.y + most.y - 200.0) <= 4.0);
    }
    wr_vec2 at;
    float depth;
    wr_camera camera = make_camera(wr_v3(0, 0, 4), wr_v3(0, 0, 0), 0.4f);
    assert_false(wr_camera_project(&camera, 300, 200, wr_v3(0, 0, 5), &at, &depth));
    camera = wr_camera_frame_points(NULL, 0, 1.0f, 0.0f, 0.0f);
    assert_true(wr_distance(camera.from, camera.to) > 0.0f);
}

// --- parts ------------------------------------------------------------------------------------

static void the_mask_holds_every_value_once(void **state)
{
    (void)state;
    static wri_noise noise;
    static bool seen[WRI_MASK_SIZE * WRI_MASK_SIZE];
    wri_noise_fill(&noise);
    for (int i = 0; i < WRI_COUNT(seen); i++) {
        int rank = (int)(noise.mask[i] * (float)WRI_COUNT(seen));
        assert_in_range(rank, 0, WRI_COUNT(seen) - 1);
        assert_false(seen[rank]);
        seen[rank] = true;
    }
    // Blue: what differs between neighbours cancels over 8 x 8 pixels. White noise would leave a
    // variance of 1/12 / 64 in the means.
    double variance = 0.0;
    for (int block = 0; block < 64; block++) {
        double mean = 0.0;
        for (int i = 0; i < 64; i++) {
            mean += wri_mask_at(&noise, block % 8 * 8 + i % 8, block / 8 * 8 + i / 8, 0) / 64.0;
        }
        variance += (mean - 0.5) * (mean - 0.5) / 64.0;
    }
    assert_true(variance < 0.1 / 12.0 / 64.0);
}

static void srgb_goes_round(void **state)
{
    (void)state;
    static wri_srgb srgb;
    wri_srgb_fill(&srgb);
    for (int i = 0; i < 256; i++) {
        assert_float_equal(wri_srgb_encode(&srgb, srgb.decode[i]), (float)i, 0.02f);
    }
    assert_float_equal(wri_srgb_encode(&srgb, -1.0f), 0.0f, 0.0f);
    assert_float_equal(wri_srgb_encode(&srgb, 7.0f), 255.0f, 1e-3f);
}

// Light of a repeated image between the middles of its pixels, in double.
static double light_between(const wr_image *image, const wri_srgb *srgb, double u, double v, int c)
{
    double x = u * image->width - 0.5, y = v * image->height - 0.5, sum = 0.0;
    for (int k = 0; k < 4; k++) {
        int column = (int)floor(x) + k % 2, row = (int)floor(y) + k / 2;
        double share = (1.0 - fabs(x - column)) * (1.0 - fabs(y - row));
        column = (column + 10 * image->width) % image->width;
        row = (row + 10 * image->height) % image->height;
        sum += share * (double)srgb->decode[image->pixels[4 * (row * image->width + column) + c]];
    }
    return sum;
}

static void a_repeated_image_has_no_seam(void **state)
{
    (void)state;
    enum { WIDE = 3, HIGH = 5 };
    static wri_srgb srgb;
    uint64_t seed = 41;
    uint8_t pixels[4 * WIDE * HIGH];
    for (int i = 0; i < 4 * WIDE * HIGH; i++) {
        pixels[i] = i % 4 == 3 ? 255 : (uint8_t)(random_bits(&seed) >> 56);
    }
    const wr_image image = {.width = WIDE, .height = HIGH, .pixels = pixels};
    wri_arena arena = wri_arena_create(NULL);
    wri_texture texture = {0};
    wri_srgb_fill(&srgb);
    assert_true(wri_texture_create(&texture, &image, &srgb, false, &arena));
    for (int i = 0; i < 2000; i++) { // within, and at the borders
        float u = random_float(&seed, -2.0f, 2.0f), v = random_float(&seed, -2.0f, 2.0f);
        u = i % 3 ? u : roundf(u) + 0.01f * u;
        v = i % 2 ? v : roundf(v) + 0.01f * v;
        wr_vec3 light = wri_texture_at(&texture, &srgb, u, v, 0.0f);
        wr_color ink = wri_texture_ink(&texture, srgb.decode, u, v, 0.0f);
        const float found[2][3] = {{light.x, light.y, light.z}, {ink.r, ink.g, ink.b}};
        for (int k = 0; k < 6; k++) {
            double expected = light_between(&image, &srgb, (double)u, (double)v, k % 3);
            CHECK_NEAR(found[k / 3][k % 3], expected, 1e-5);
        }
    }
    wri_arena_destroy(&arena);
}

static void tone_is_true_in_the_middle_and_never_burns(void **state)
{
    (void)state;
    float last = -1.0f;
    for (float x = 0.0f; x < 8.0f; x += 0.01f) {
        float y = wri_tone(x);
        assert_true(y >= last && y <= 1.0f);
        assert_true(x > 0.6f || y == x);
        last = y;
    }
}

// Large pictures are made in bands; rows must not know where a band ends.
static void bands_leave_no_seam(void **state)
{
    (void)state;
    enum { WIDTH = 70, ROWS = 24, PART = 8 };
    static uint8_t whole[ROWS * WIDTH * 3], parts[ROWS * WIDTH * 3];
    static wri_noise noise;
    static wri_srgb srgb;
    wri_noise_fill(&noise);
    wri_srgb_fill(&srgb);
    const wri_pixel_scale scale = {0.01f, 0.0f};
    uint8_t *outs[2] = {whole, parts};
    for (int k = 0; k < 2; k++) {
        int rows = k ? PART : ROWS, traced = 0;
        float *memory = calloc(wri_film_band_size(WIDTH, rows), sizeof(float));
        assert_non_null(memory);
        wri_film_band band = wri_film_band_create(memory, WIDTH, rows);
        for (int first = 0; first < ROWS; first += rows) {
            if (first) {
                wri_film_advance(&band, rows);
            }
            int end =
                first + rows + WRI_FILTER_RADIUS < ROWS ? first + rows + WRI_FILTER_RADIUS : ROWS;
            wri_film_clear_rows(&band, end - first, rows + WRI_FILTER_RADIUS);
            for (; traced < end; traced++) {
                for (int x = 0; x < WIDTH; x++) {
                    for (int plane = 0; plane < WRI_PLANE_COUNT; plane++) {
                        uint32_t key[3] = {(uint32_t)x, (uint32_t)traced, (uint32_t)plane};
                        float value = (float)(wri_hash(key, sizeof key, 0) >> 40) * 0x1p-25f;
                        value = plane == WRI_PLANE_LOOKED ? (float)(value > 0.2f)
                                : plane == WRI_PLANE_NORMAL + 2 || plane == WRI_PLANE_HIT ? 1.0f
                                : plane == WRI_PLANE_POSITION + 2                         ? -5.0f
                                : plane >= WRI_PLANE_NORMAL ? 0.01f * value
                                                            : value;
                        *wri_film_at(&band, plane, x, traced - first) = value;
                    }
                }
            }
            for (int row = -WRI_FILTER_FAR; row < rows + WRI_FILTER_FAR; row++) {
                wri_film_soften_row(&band, row, &scale);
            }
            for (int row = 0; row < rows; row++) {
                wri_film_develop_row(&band, row, first + row, &scale, &noise, &srgb,
                                     outs[k] + (first + row) * WIDTH * 3);
            }
        }
        free(memory);
    }
    assert_memory_equal(whole, parts, sizeof whole);
}

// Two surfaces of one direction, one a little behind the other, in turn along every axis: the light
// of one is not mixed into the other, while noise within each is. Pixels that have traced no
// ambient ray take the light of those that have.
static void the_filter_does_not_mix_what_lies_behind_one_another(void **state)
{
    (void)state;
    enum { WIDTH = 32 };
    static wri_noise noise;
    static wri_srgb srgb;
    const wri_pixel_scale scale = {0.01f, 0.0f};
    uint8_t out[3 * WIDTH];
    wri_noise_fill(&noise);
    wri_srgb_fill(&srgb);
    float *memory = calloc(wri_film_band_size(WIDTH, 1), sizeof(float));
    assert_non_null(memory);
    for (int i = 0; i < 6; i++) {
        int axis = i / 2, every = 1 + i % 2; // such pixels have traced a ray
        wri_film_band band = wri_film_band_create(memory, WIDTH, 1);
        memset(memory, 0, wri_film_band_size(WIDTH, 1) * sizeof(float));
        for (int x = 0; x < WIDTH; x++) {
            float light = x < WIDTH / 2 ? 0.1f : 0.5f;
            float noisy = x % every ? 0.0f : light + (x / every % 2 ? 0.04f : -0.04f);
            for (int c = 0; c < 3; c++) {
                *wri_film_at(&band, WRI_PLANE_COLOR + c, x, 0) = noisy;
                *wri_film_at(&band, WRI_PLANE_AMBIENT + c, x, 0) = noisy;
                *wri_film_at(&band, WRI_PLANE_WEIGHT + c, x, 0) = 1.0f;
                *wri_film_at(&band, WRI_PLANE_POSITION + c, x, 0) =
                    c == axis ? (x < WIDTH / 2 ? 5.0f : 6.0f) : 0.01f * (float)x;
            }
            *wri_film_at(&band, WRI_PLANE_NORMAL + axis, x, 0) = 1.0f;
            *wri_film_at(&band, WRI_PLANE_HIT, x, 0) = 1.0f;
            *wri_film_at(&band, WRI_PLANE_LOOKED, x, 0) = x % every ? 0.0f : 1.0f;
        }
        wri_film_soften_row(&band, 0, &scale);
        wri_film_develop_row(&band, 0, 0, &scale, &noise, &srgb, out);
        for (int x = 3; x < WIDTH - 3; x++) {
            CHECK_NEAR(decode(out[3 * x]), x < WIDTH / 2 ? 0.1 : 0.5, 0.025);
        }
    }
    free(memory);
}

// --- films ------------------------------------------------------------------------------------

static bool have_ffmpeg(void)
{
    return system("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1") == 0;
}

static int files_in(const char *folder)
{
    DIR *listing = opendir(folder);
    int count = 0;
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        count += entry->d_name[0] != '.';
    }
    if (listing) {
        closedir(listing);
    }
    return count;
}

static void make_folder(char folder[256])
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, 256, "%s/wrought render XXXXXX", base && base[0] ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
}

static bool write_film(const char *path, int width, int height, int pictures, wr_error *error)
{
    wr_film *film = wr_film_create(path, width, height, 24, 1, error);
    uint8_t *pixels = malloc((size_t)(width * height * 3));
    bool ok = film && pixels;
    for (int i = 0; ok && i < pictures; i++) {
        for (int k = 0; k < width * height; k++) {
            pixels[3 * k] = 200;
            pixels[3 * k + 1] = (uint8_t)(k % width < 4 * i ? 20 : 90);
            pixels[3 * k + 2] = 40;
        }
        ok = wr_film_add_picture(film, pixels, error);
    }
    ok = ok && wr_film_finish(film, NULL, error);
    wr_film_destroy(film);
    free(pixels);
    return ok;
}

static void probe(const char *path, const char *entries, char *out, size_t size)
{
    char command[1024];
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=%s "
             "-of csv=p=0 '%s'",
             entries, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t got = fread(out, 1, size - 1, pipe);
    out[got] = '\0';
    out[strcspn(out, "\r\n")] = '\0';
    assert_int_equal(pclose(pipe), 0);
}

static void films_hold_every_picture_in_tagged_bt709(void **state)
{
    (void)state;
    if (!have_ffmpeg()) {
        print_message("ffmpeg is not installed\n");
        skip();
    }
    char folder[256], path[300], said[256];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/film.mp4", folder);
    wr_error error = {0};
    if (!write_film(path, 65, 49, 10, &error)) { // odd sizes lose a column and a row
        fail_msg("%s", error.message);
    }
    probe(path,
          "codec_name,width,height,pix_fmt,color_range,color_space,r_frame_rate,nb_read_frames",
          said, sizeof said);
    assert_string_equal(said, "h264,64,48,yuv420p,tv,bt709,24/1,10");
    assert_int_equal(files_in(folder), 1); // nothing that is not whole stays beside it
    wri_file_remove(path);
    assert_int_equal(rmdir(folder), 0);
}

// Reads the first picture back through BT.709 and compares the colours with those written.
static void film_colours_come_back(void **state)
{
    (void)state;
    if (!have_ffmpeg()) {
        print_message("ffmpeg is not installed\n");
        skip();
    }
    char folder[256], path[300], command[1024];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/film.mp4", folder);
    assert_true(write_film(path, 64, 48, 1, NULL));
    snprintf(command, sizeof command,
             "ffmpeg -nostdin -v error -i '%s' -vf scale=in_color_matrix=bt709:in_range=tv "
             "-f rawvideo -pix_fmt rgb24 -",
             path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    uint8_t pixels[64 * 48 * 3];
    assert_int_equal(fread(pixels, 1, sizeof pixels, pipe), sizeof pixels);
    assert_int_equal(pclose(pipe), 0);
    const uint8_t *p = pixels + 3 * (24 * 64 + 32);
    assert_in_range(p[0], 195, 205);
    assert_in_range(p[1], 85, 95);
    assert_in_range(p[2], 35, 45);
    wri_file_remove(path);
    assert_int_equal(rmdir(folder), 0);
}

static void every_ending_has_its_format(void **state)
{
    (void)state;
    if (!have_ffmpeg()) {
        print_message("ffmpeg is not installed\n");
        skip();
    }
    const char *names[3] = {"a: -film.webm", "-b.GIF", "c.webp"};
    char folder[256];
    make_folder(folder);
    for (int i = 0; i < 3; i++) {
        char path[300];
        wr_error error = {0};
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (!write_film(path, 64, 48, 3, &error)) {
            fail_msg("%s", error.message);
        }
        assert_true(wri_file_size(path) > 100);
        wri_file_remove(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void an_unfinished_film_leaves_nothing(void **state)
{
    (void)state;
    if (!have_ffmpeg()) {
        print_message("ffmpeg is not installed\n");
        skip();
    }
    char folder[256], path[300];
    static uint8_t pixels[64 * 48 * 3];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/film.mp4", folder);
    wr_film *film = wr_film_create(path, 64, 48, 24, 1, NULL);
    assert_non_null(film);
    assert_true(wr_film_add_picture(film, pixels, NULL));
    wr_film_destroy(film);
    wr_error error = {0};
    film = wr_film_create(path, 64, 48, 24, 1, NULL);
    assert_non_null(film);
    assert_false(wr_film_finish(film, NULL, &error));
    assert_non_null(strstr(error.message, "at least one picture"));
    wr_film_destroy(film);
    assert_int_equal(rmdir(folder), 0); // empty
}

static void films_that_cannot_be_are_one_sentence(void **state)
{
    (void)state;
    wr_error error = {0};
    assert_null(wr_film_create("film.avi", 64, 48, 24, 1, &error));
    assert_non_null(strstr(error.message, "film.avi: a film's name ends with"));
    assert_null(wr_film_create(".mp4", 64, 48, 24, 1, &error));
    assert_null(wr_film_create("film.mp4", 64, 4, 24, 1, &error));
    assert_non_null(strstr(error.message, "64 x 4"));
    assert_null(wr_film_create("film.mp4", 64, 48, 24, 0, &error));
    assert_non_null(strstr(error.message, "24/0"));
    char *path = strdup(getenv("PATH"));
    assert_non_null(path);
    setenv("PATH", "/nonexistent", 1);
    wr_film *film = wr_film_create("film.mp4", 64, 48, 24, 1, &error);
    setenv("PATH", path, 1);
    free(path);
    assert_null(film);
    assert_non_null(strstr(error.message, "films need the program ffmpeg"));
    if (have_ffmpeg()) {
        assert_false(write_film("/nonexistent folder/film.mp4", 64, 48, 200, &error));
        assert_non_null(strstr(error.message, "ffmpeg failed: "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sky_alone_is_the_gradient),
        cmocka_unit_test(white_ground_sends_back_sun_plus_sky),
        cmocka_unit_test(even_light_shows_the_colour_of_the_image),
        cmocka_unit_test(full_shadow_is_lit_by_the_sky_alone),
        cmocka_unit_test(bright_ground_lights_what_is_above_it),
        cmocka_unit_test(shadows_touch_what_casts_them),
        cmocka_unit_test(the_first_pixel_of_an_image_is_its_top_left_corner),
        cmocka_unit_test(replaced_positions_are_drawn_where_they_are),
        cmocka_unit_test(paint_covers_looks_and_blends_between_vertices),
        cmocka_unit_test(replaced_normals_turn_the_light),
        cmocka_unit_test(wire_view_draws_the_edges),
        cmocka_unit_test(pictures_do_not_depend_on_workers_or_order),
        cmocka_unit_test(pictures_do_not_depend_on_earlier_pictures),
        cmocka_unit_test(rays_together_meet_what_single_ones_meet),
        cmocka_unit_test(few_samples_come_near_many),
        cmocka_unit_test(small_and_large_copies_look_alike),
        cmocka_unit_test(the_callers_float_mode_neither_matters_nor_changes),
        cmocka_unit_test(bad_things_are_one_sentence),
        cmocka_unit_test(bad_cameras_and_lights_are_one_sentence),
        cmocka_unit_test(degenerate_things_are_drawn_without_harm),
        cmocka_unit_test(a_camera_inside_a_thing_sees_its_inner_side),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(bending_in_every_picture_takes_no_more_memory),
        cmocka_unit_test(the_automatic_camera_sees_the_whole_box),
        cmocka_unit_test(the_automatic_camera_survives_a_point_and_nothing),
        cmocka_unit_test(a_camera_for_points_comes_as_near_as_they_allow),
        cmocka_unit_test(the_mask_holds_every_value_once),
        cmocka_unit_test(srgb_goes_round),
        cmocka_unit_test(a_repeated_image_has_no_seam),
        cmocka_unit_test(tone_is_true_in_the_middle_and_never_burns),
        cmocka_unit_test(bands_leave_no_seam),
        cmocka_unit_test(the_filter_does_not_mix_what_lies_behind_one_another),
        cmocka_unit_test(films_hold_every_picture_in_tagged_bt709),
        cmocka_unit_test(film_colours_come_back),
        cmocka_unit_test(every_ending_has_its_format),
        cmocka_unit_test(an_unfinished_film_leaves_nothing),
        cmocka_unit_test(films_that_cannot_be_are_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
