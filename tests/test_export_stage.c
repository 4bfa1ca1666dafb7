// test_export_stage.c: cameras and lights of a take in its .glb and .usda: points are seen where
// ours see them, by the words of glTF and USD, and light is as bright.
#include "folder.h"
#include "gltf_player.h"
#include "usda.h"

#include "../src/base/os.h"
#include "../src/file/json.h"

#include "wrought/show.h"

enum { FRAMES = 31, WIDTH = 1600, HEIGHT = 900 };

static wr_stage stage;

// Of the third camera.
static const wr_camera_key keys[] = {
    {0.2, {-2, 0.5f, 6}, {0, 3, 0}, 1.1f, 0.0f, 0.0f},
    {0.5, {1, 2, 5}, {1, 1, 0}, 1.1f, 0.0f, 0.0f},
    {0.9, {3, 0.7f, -2}, {2, 1, 0.5f}, 1.1f, 0.0f, 0.0f},
};

static wr_stage lit_stage(void)
{
    wr_stage s = wr_stage_default();
    s.camera_count = 3;
    s.cameras[0] = (wr_camera){.name = "chase",
                               .from = {3, 2.5f, -4},
                               .to = {0.5f, 1, 0.2f},
                               .fov = 0.7f,
                               .follows = true,
                               .body = 0};
    s.cameras[1] = (wr_camera){.name = "plan", .from = {1, 9, 2}, .to = {1, 0, 2}, .flat = 5.0f};
    s.cameras[2] = (wr_camera){.name = "",
                               .from = {-2, 0.5f, 6},
                               .to = {0, 3, 0},
                               .fov = 1.1f,
                               .key_count = WRI_COUNT(keys),
                               .keys = keys};
    s.light.sun_direction = wr_normalize(wr_v3(-0.3f, 0.8f, 0.5f));
    s.light.sun_color = (wr_color){1.5f, 1.2f, 0.3f, 1.0f};
    s.light.sun_radius = 0.02f;
    s.light.sky_zenith = (wr_color){0.1f, 0.2f, 0.5f, 1.0f};
    s.light.sky_horizon = (wr_color){0.4f, 0.4f, 0.4f, 1.0f};
    s.light.exposure = 1.25f;
    return s;
}

static wr_model *create_tile(void)
{
    static const wr_vec3 corners[3] = {{-0.5f, 0, -0.4f}, {0, 0.1f, 0.6f}, {0.5f, 0, -0.3f}};
    wr_model *model = wr_model_create(NULL, NULL);
    wr_mesh *mesh = model->meshes = wr_model_alloc(model, 1, sizeof *mesh);
    model->nodes = wr_model_alloc(model, 1, sizeof *model->nodes);
    model->name = "tile";
    model->mesh_count = model->node_count = 1;
    model->nodes[0] = (wr_node){"tile", -1, 0, -1, WR_POSE_IDENTITY, {1, 1, 1}, NULL};
    *mesh = (wr_mesh){.name = "tile", .vertex_count = 3, .triangle_count = 1};
    mesh->positions = wr_model_alloc(model, 3, sizeof(wr_vec3));
    mesh->triangles = wr_model_alloc(model, 3, sizeof(int));
    for (int i = 0; i < 3; i++) {
        mesh->positions[i] = corners[i];
        mesh->triangles[i] = i;
    }
    return model;
}

// A tile flies along a curve.
static void record(const char *path)
{
    wr_error error = {0};
    wr_model *tile = create_tile();
    wr_record_body body = {"tile", "rigid", 0, false, false, {1, 1, 1, 1}};
    wr_record_info info = {.title = "stage",
                           .program = "test",
                           .rate_numerator = 30,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = FRAMES - 1,
                           .stage = stage,
                           .model_count = 1,
                           .models = (const wr_model *const *)&tile,
                           .body_count = 1,
                           .bodies = &body};
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    assert_non_null(writer);
    for (int k = 0; k < FRAMES; k++) {
        float t = (float)k / 30.0f;
        wr_pose pose = {wr_v3(4.0f * t, 1.0f + 2.0f * t * (1.0f - t), -t * t),
                        wr_quat_from_axis_angle(wr_v3(0, 1, 0), 3.0f * t)};
        wr_frame frame = {.index = k, .time = k / 30.0, .body_count = 1, .poses = &pose};
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    wr_model_destroy(tile);
}

static wr_take *open_take(void)
{
    record(in_folder("stage.wrought"));
    wr_take *take = wr_take_open(in_folder("stage.wrought"), NULL);
    assert_non_null(take);
    return take;
}

static void export_take(wr_take *take, const char *name)
{
    wr_error error = {0};
    wr_export_desc desc = wr_export_desc_default();
    if (!wr_take_export(take, in_folder(name), &desc, NULL, &error)) {
        fail_msg("%s", error.message);
    }
}

// Points around the place that a camera looks at are seen where ours sees them. eye: from the frame
// of the camera, which looks along its -Z, to the world; half: height of what is seen at a distance
// of 1, or of all where it is flat.
static void expect_view(const wr_camera *camera, const player_matrix *eye, double half)
{
    static const wr_vec3 around[4] = {{0, 0, 0}, {0.7f, 0.1f, -0.2f}, {0, 0.9f, 0}, {-0.4f, 0, 1}};
    for (int i = 0; i < 4; i++) {
        wr_vec3 p = wr_add(camera->to, around[i]);
        const double d[3] = {(double)p.x - eye->m[0][3], (double)p.y - eye->m[1][3],
                             (double)p.z - eye->m[2][3]};
        double local[3] = {0};
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < 3; j++) {
                local[k] += eye->m[j][k] * d[j];
            }
        }
        double reach = camera->flat > 0.0f ? half : -local[2] * half;
        wr_vec2 pixel;
        float depth;
        assert_true(wr_camera_project(camera, WIDTH, HEIGHT, p, &pixel, &depth));
        CHECK_NEAR(0.5 * WIDTH + 0.5 * HEIGHT * local[0] / reach, (double)pixel.x, 0.05);
        CHECK_NEAR(0.5 * HEIGHT - 0.5 * HEIGHT * local[1] / reach, (double)pixel.y, 0.05);
        CHECK_NEAR(-local[2], (double)depth, 1e-4);
    }
}

static wr_camera camera_at(wr_take *take, int index, int frame)
{
    wr_shot *shot = wr_shot_create_own(take, &stage.cameras[index], 16.0f / 9.0f, NULL);
    assert_non_null(shot);
    wr_camera camera = wr_shot_camera(shot, frame);
    wr_shot_destroy(shot);
    return camera;
}

// --- glTF -------------------------------------------------------------------------------------

typedef struct gltf {
    char *file;
    size_t size;
    wri_arena arena;
    const wri_json *root;
    wr_model *model;
} gltf;

static gltf read_gltf(const char *name)
{
    gltf g = {.arena = wri_arena_create(NULL), .model = wr_model_read(in_folder(name), NULL, NULL)};
    g.file = wri_file_read(in_folder(name), 1 << 28, NULL, &g.size, NULL);
    assert_true(g.file && g.model && g.model->warning_count == 0);
    uint32_t length;
    memcpy(&length, g.file + 12, sizeof length);
    g.root = wri_json_parse(&g.arena, g.file + 20, length, name, false, NULL);
    assert_non_null(g.root);
    return g;
}

static void gltf_destroy(gltf *g)
{
    wr_model_destroy(g->model);
    wri_arena_destroy(&g->arena);
    wri_free(NULL, g->file, g->size + 1, 1);
}

static const wri_json *member(const wri_json *object, const char *key)
{
    const wri_json *found = wri_json_find(object, key);
    if (!found) {
        fail_msg("there is no %s", key);
    }
    return found;
}

static void expect_gltf_camera(const gltf *g, wr_take *take, int index, const char *name)
{
    const wri_json *nodes = member(g->root, "nodes"), *cameras = member(g->root, "cameras");
    int node = 0;
    while (strcmp(member(&nodes->items[node], "name")->string, name) != 0) {
        node++;
    }
    assert_int_equal((int)member(&nodes->items[node], "camera")->number, index);
    const wri_json *camera = &cameras->items[index];
    bool flat = strcmp(member(camera, "type")->string, "orthographic") == 0;
    assert_int_equal(flat, stage.cameras[index].flat > 0.0f);
    const wri_json *own = member(camera, flat ? "orthographic" : "perspective");
    double half = flat ? member(own, "ymag")->number : tan(0.5 * member(own, "yfov")->number);
    assert_true(member(own, "znear")->number > 0.0);
    assert_true(member(own, "zfar")->number > 10.0);
    if (flat) {
        CHECK_NEAR(member(own, "xmag")->number / half, 16.0 / 9.0, 1e-6);
    }
    for (int f = 0; f < FRAMES; f += 5) {
        wr_camera now = camera_at(take, index, f);
        player_matrix eye = player_global_matrix(g->model, node, (float)f / 30.0f);
        expect_view(&now, &eye, half);
    }
}

static void a_glb_has_the_cameras_of_the_take_and_their_ways(void **state)
{
    (void)state;
    stage = lit_stage();
    wr_take *take = open_take();
    export_take(take, "stage.glb");
    gltf g = read_gltf("stage.glb");
    assert_int_equal(member(g.root, "cameras")->count, 3);
    expect_gltf_camera(&g, take, 0, "chase");
    expect_gltf_camera(&g, take, 1, "plan");
    expect_gltf_camera(&g, take, 2, "camera");
    wr_camera first = camera_at(take, 0, 0), last = camera_at(take, 0, FRAMES - 1);
    assert_true(wr_distance(first.from, last.from) > 1.0f); // it goes along
    first = camera_at(take, 2, 0);
    last = camera_at(take, 2, FRAMES - 1);
    assert_true(wr_distance(first.from, last.from) > 5.0f); // by its keys
    gltf_destroy(&g);
    wr_take_close(take);
}

static void a_glb_has_the_sun(void **state)
{
    (void)state;
    stage = lit_stage();
    wr_take *take = open_take();
    export_take(take, "sun.glb");
    gltf g = read_gltf("sun.glb");
    assert_string_equal(member(g.root, "extensionsUsed")->items[0].string, "KHR_lights_punctual");
    const wri_json *own = member(member(g.root, "extensions"), "KHR_lights_punctual");
    const wri_json *light = &member(own, "lights")->items[0], *hue = member(light, "color");
    assert_string_equal(member(light, "type")->string, "directional");
    const float sun[3] = {1.5f, 1.2f, 0.3f};
    for (int i = 0; i < 3; i++) { // what a white surface that faces it sends back
        double radiance = hue->items[i].number * member(light, "intensity")->number / 3.14159265;
        CHECK_NEAR(radiance, 1.25 * (double)sun[i], 1e-5);
        assert_true(hue->items[i].number <= 1.0);
    }
    const wri_json *nodes = member(g.root, "nodes"), *node = &nodes->items[nodes->count - 1];
    const wri_json *link = member(member(node, "extensions"), "KHR_lights_punctual");
    assert_int_equal((int)member(link, "light")->number, 0);
    player_matrix m = player_global_matrix(g.model, nodes->count - 1, 0.0f);
    wr_vec3 towards = wr_v3((float)m.m[0][2], (float)m.m[1][2], (float)m.m[2][2]);
    assert_true(wr_distance(towards, stage.light.sun_direction) < 1e-5f);
    gltf_destroy(&g);
    wr_take_close(take);
}

// Colours are shown as they are there.
static void a_flat_stage_has_a_camera_and_no_lights(void **state)
{
    (void)state;
    stage = wr_stage_default();
    stage.flat.on = true;
    wr_take *take = open_take();
    export_take(take, "flat.glb");
    gltf g = read_gltf("flat.glb");
    assert_string_equal(member(&member(g.root, "cameras")->items[0], "type")->string,
                        "orthographic");
    assert_null(wri_json_find(g.root, "extensionsUsed"));
    assert_null(wri_json_find(g.root, "extensions"));
    assert_int_equal(g.model->node_count, 2);
    gltf_destroy(&g);
    wr_take_close(take);
}

// --- USD --------------------------------------------------------------------------------------

static double number_of(const usda *u, const char *prim, const char *declaration, int index)
{
    const usda_attribute *a = usda_attribute_of(u, prim, declaration);
    if (!a) {
        fail_msg("%s has no %s", prim, declaration);
    }
    wri_array numbers = usda_numbers(a->value, a->length);
    assert_true(index < numbers.count);
    double value = WRI_ITEM(numbers, double, index);
    wri_array_destroy(&numbers);
    return value;
}

static wr_pose pose_of(const usda *u, const char *prim, int frame)
{
    if (usda_attribute_of(u, prim, "double3 xformOp:translate.timeSamples")) {
        return usda_pose(u, prim, frame);
    }
    double v[7];
    for (int i = 0; i < 7; i++) {
        const char *operation = i < 3 ? "double3 xformOp:translate" : "quatf xformOp:orient";
        v[i] = number_of(u, prim, operation, i < 3 ? i : i - 3);
    }
    return (wr_pose){wr_v3((float)v[0], (float)v[1], (float)v[2]),
                     {(float)v[4], (float)v[5], (float)v[6], (float)v[3]}};
}

static void expect_usd_camera(const usda *u, wr_take *take, int index, const char *prim)
{
    assert_string_equal(usda_find(u, prim)->type, "Camera");
    const wr_camera *said = &stage.cameras[index];
    double height = number_of(u, prim, "float verticalAperture", 0);
    double half = said->flat > 0.0f ? 0.5 * height / 10.0 // tenths of a metre
                                    : 0.5 * height / number_of(u, prim, "float focalLength", 0);
    CHECK_NEAR(number_of(u, prim, "float horizontalAperture", 0) / height, 16.0 / 9.0, 1e-6);
    CHECK_NEAR(number_of(u, prim, "float focusDistance", 0),
               (double)wr_distance(said->from, said->to), 1e-3);
    for (int f = 0; f < FRAMES; f += 6) {
        wr_pose pose = pose_of(u, prim, f);
        wr_camera now = camera_at(take, index, f);
        player_matrix eye;
        for (int j = 0; j < 4; j++) {
            wr_vec3 axis = wr_v3(j == 0, j == 1, j == 2);
            wr_vec3 column = j == 3 ? pose.position : wr_rotate(pose.rotation, axis);
            eye.m[0][j] = (double)column.x;
            eye.m[1][j] = (double)column.y;
            eye.m[2][j] = (double)column.z;
        }
        expect_view(&now, &eye, half);
    }
}

static void usd_has_cameras_sun_and_sky(void **state)
{
    (void)state;
    stage = lit_stage();
    wr_take *take = open_take();
    export_take(take, "stage.usda");
    size_t size;
    char *text = wri_file_read(in_folder("stage.usda"), 1 << 28, NULL, &size, NULL);
    assert_non_null(text);
    usda u = {0};
    usda_read(&u, text, size);
    expect_usd_camera(&u, take, 0, "/stage/chase");
    expect_usd_camera(&u, take, 1, "/stage/plan");
    expect_usd_camera(&u, take, 2, "/stage/camera");
    const char *sun = "/stage/sun", *sky = "/stage/sky";
    assert_string_equal(usda_find(&u, sun)->type, "DistantLight");
    assert_string_equal(usda_find(&u, sky)->type, "DomeLight");
    wr_vec3 towards = wr_rotate(pose_of(&u, sun, 0).rotation, wr_v3(0, 0, 1));
    assert_true(wr_distance(towards, stage.light.sun_direction) < 1e-5f);
    CHECK_NEAR(number_of(&u, sun, "float inputs:angle", 0), 2.0 * 0.02 * 180.0 / 3.14159265, 1e-4);
    CHECK_NEAR(number_of(&u, sun, "bool inputs:normalize", 0), 1.0, 0.0);
    const double suns[3] = {1.5, 1.2, 0.3}, skies[3] = {0.13, 0.22, 0.49};
    for (int i = 0; i < 3; i++) {
        double far = number_of(&u, sun, "color3f inputs:color", i);
        double all = number_of(&u, sky, "color3f inputs:color", i);
        far *= number_of(&u, sun, "float inputs:intensity", 0) / 3.14159265;
        all *= number_of(&u, sky, "float inputs:intensity", 0);
        CHECK_NEAR(far, 1.25 * suns[i], 1e-5);
        CHECK_NEAR(all, 1.25 * skies[i], 1e-5);
    }
    usda_destroy(&u);
    wri_free(NULL, text, size + 1, 1);
    wr_take_close(take);
}

// --- models that are wrong --------------------------------------------------------------------

static void a_camera_or_light_at_no_node_is_refused(void **state)
{
    (void)state;
    wr_model *model = create_tile();
    wr_model_camera camera = {
        .node = 1, .fov = 1.0f, .aspect = 1.0f, .focus = 2.0f, .near = 0.1f, .far = 9.0f};
    wr_model_light light = {.color = {1.0f, -1.0f, 1.0f, 1.0f}};
    wr_error error = {0};
    model->cameras = &camera;
    model->camera_count = 1;
    assert_false(wr_model_write_glb(model, in_folder("wrong.glb"), &error));
    assert_non_null(strstr(error.message, "camera 0: node 1 of 1"));
    camera.node = 0;
    assert_true(wr_model_write_glb(model, in_folder("wrong.glb"), &error));
    camera.far = 0.05f;
    assert_false(wr_model_write_usda(model, NULL, in_folder("wrong.usda"), &error));
    camera.far = 9.0f;
    model->lights = &light;
    model->light_count = 1;
    assert_false(wr_model_write_glb(model, in_folder("wrong.glb"), &error));
    assert_non_null(strstr(error.message, "light 0"));
    wr_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_glb_has_the_cameras_of_the_take_and_their_ways),
        cmocka_unit_test(a_glb_has_the_sun),
        cmocka_unit_test(a_flat_stage_has_a_camera_and_no_lights),
        cmocka_unit_test(usd_has_cameras_sun_and_sky),
        cmocka_unit_test(a_camera_or_light_at_no_node_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
