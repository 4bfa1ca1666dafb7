// test_maps.c: textures besides that of the colour: what they do to light, and that they are kept.
#include "wrought/asset.h"
#include "wrought/file.h"
#include "wrought/record.h"

#include "folder.h"
#include "pictures.h"

enum { SIZE = 32 };

static const wr_color WHITE = {1.0f, 1.0f, 1.0f, 1.0f};

// A square of side 2 in the plane z = 0, facing +Z, with images upright on it: one of a single
// colour for each map.
typedef struct square {
    wr_model model;
    wr_mesh mesh;
    wr_look look;
    wr_look_maps maps;
    wr_node node;
    wr_image images[WR_LOOK_MAP_COUNT];
    wr_mesh_part part;
    wr_vec3 positions[4];
    wr_vec2 uvs[4];
    int triangles[6];
    uint8_t pixels[WR_LOOK_MAP_COUNT][4];
} square;

static void make_square(square *q)
{
    *q = (square){
        .positions = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
        .uvs = {{0, 1}, {1, 1}, {1, 0}, {0, 0}},
        .triangles = {0, 1, 2, 0, 2, 3},
        .part = {0, 2, 0},
        .look = {.name = "look", .base_color = WHITE, .texture = -1, .roughness = 1.0f},
        .maps = wr_look_maps_default(),
        .node = {"square", -1, 0, -1, WR_POSE_IDENTITY, {1, 1, 1}, NULL},
    };
    for (int i = 0; i < WR_LOOK_MAP_COUNT; i++) {
        q->images[i] = (wr_image){"image", 1, 1, q->pixels[i]};
    }
    q->look.maps = &q->maps;
    q->mesh = (wr_mesh){.name = "square", .vertex_count = 4, .triangle_count = 2, .part_count = 1};
    q->mesh.positions = q->positions;
    q->mesh.uvs = q->uvs;
    q->mesh.triangles = q->triangles;
    q->mesh.parts = &q->part;
    q->model = (wr_model){.name = "square",
                          .mesh_count = 1,
                          .look_count = 1,
                          .node_count = 1,
                          .image_count = WR_LOOK_MAP_COUNT};
    q->model.meshes = &q->mesh;
    q->model.looks = &q->look;
    q->model.nodes = &q->node;
    q->model.images = q->images;
}

static void set_map(square *q, int map, int r, int g, int b)
{
    const uint8_t pixel[4] = {(uint8_t)r, (uint8_t)g, (uint8_t)b, 255};
    memcpy(q->pixels[map], pixel, 4);
    q->maps.images[map] = map;
}

static void draw_whole(const square *q, float sun, float sky, uint8_t pixels[SIZE * SIZE * 3])
{
    wr_stage stage = wr_stage_default();
    stage.light.sun_direction = wr_v3(0.5f, 0.7f, 0.6f);
    stage.light.sun_color = (wr_color){sun, sun, sun, 1.0f};
    stage.light.sky_zenith = stage.light.sky_horizon = (wr_color){sky, sky, sky, 1.0f};
    stage.light.ground = (wr_color){sky > 0.0f, sky > 0.0f, sky > 0.0f, 1.0f};
    stage.light.sun_radius = 0.0f;
    wr_camera camera = {.from = {0, 0, 4}, .to = {0, 0, 0}, .fov = 0.4f};
    wr_render_thing thing = {.model = &q->model, .pose = WR_POSE_IDENTITY, .tint = WHITE};
    draw_with(make_sized_render(SIZE, SIZE, 4, 1, WR_VIEW_SHADED), &thing, 1, &stage, &camera,
              pixels);
}

// The pixel in the middle, as linear light.
static wr_vec3 draw_square(const square *q, float sun, float sky)
{
    static uint8_t pixels[SIZE * SIZE * 3];
    draw_whole(q, sun, sky, pixels);
    const uint8_t *p = pixels + 3 * (SIZE / 2 * SIZE + SIZE / 2);
    return wr_v3(decode(p[0]), decode(p[1]), decode(p[2]));
}

// --- light ------------------------------------------------------------------------------------

// Lambert's law for the normal that the map says: x along u, y against v, also on charts that are
// mirrored or turned.
static void normals_of_a_map_turn_the_light(void **state)
{
    (void)state;
    wr_vec3 sun = wr_normalize(wr_v3(0.5f, 0.7f, 0.6f));
    for (int chart = 0; chart < 3; chart++) {
        for (int half = 0; half < 2; half++) {
            square q;
            make_square(&q);
            set_map(&q, WR_LOOK_MAP_NORMAL, 170, 100, 220);
            float scale = q.maps.normal_scale = half ? 0.5f : 1.0f;
            wr_vec3 right = wr_v3(1, 0, 0), up = wr_v3(0, 1, 0);
            for (int i = 0; i < 4; i++) {
                wr_vec2 uv = q.uvs[i];
                q.uvs[i] = chart == 1   ? (wr_vec2){1.0f - uv.x, uv.y} // mirrored
                           : chart == 2 ? (wr_vec2){1.0f - uv.y, uv.x} // turned
                                        : uv;
            }
            right = chart == 1 ? wr_v3(-1, 0, 0) : chart == 2 ? wr_v3(0, 1, 0) : right;
            up = chart == 2 ? wr_v3(-1, 0, 0) : up;
            wr_vec3 n = wr_scale(scale * (2.0f * 170 / 255 - 1), right);
            n = wr_add_scaled(n, scale * (2.0f * 100 / 255 - 1), up);
            n = wr_normalize(wr_add_scaled(n, 2.0f * 220 / 255 - 1, wr_v3(0, 0, 1)));
            CHECK_NEAR(draw_square(&q, 0.5f, 0.0f).x, 0.5f * wr_dot(n, sun), 0.005);
        }
    }
}

static void occlusion_takes_ambient_light_alone(void **state)
{
    (void)state;
    square q;
    make_square(&q);
    set_map(&q, WR_LOOK_MAP_OCCLUSION, 64, 255, 255);
    q.maps.occlusion_strength = 0.8f;
    float part = 1.0f - 0.8f * (1.0f - 64.0f / 255.0f), open = draw_square(&q, 0.5f, 0.0f).x;
    CHECK_NEAR(draw_square(&q, 0.0f, 0.5f).x, 0.5f * part, 0.005);
    q.maps.images[WR_LOOK_MAP_OCCLUSION] = -1;
    CHECK_NEAR(draw_square(&q, 0.5f, 0.0f).x, open, 1e-6);
}

static void emission_shines_in_the_dark(void **state)
{
    (void)state;
    square q;
    make_square(&q);
    set_map(&q, WR_LOOK_MAP_EMISSION, 200, 100, 255);
    q.maps.emission = (wr_color){0.5f, 2.0f, 0.1f, 1.0f};
    wr_vec3 seen = draw_square(&q, 0.0f, 0.0f);
    CHECK_NEAR(seen.x, 0.5f * decode(200), 0.005);
    CHECK_NEAR(seen.y, 2.0f * decode(100), 0.01);
    CHECK_NEAR(seen.z, 0.1f, 0.005);
}

// A map that says "none" is as if the number of the look were 0.
static void maps_are_multiplied_with_the_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        square mapped, plain;
        make_square(&mapped);
        make_square(&plain);
        mapped.look.roughness = plain.look.roughness = 0.6f;
        mapped.look.base_color = plain.look.base_color = (wr_color){0.5f, 0.3f, 0.2f, 1.0f};
        if (i == 0) {
            mapped.look.metallic = 0.8f;
            set_map(&mapped, WR_LOOK_MAP_SURFACE, 7, 255, 0);
        } else if (i == 1) {
            set_map(&mapped, WR_LOOK_MAP_SURFACE, 7, 51, 9); // a fifth
            mapped.look.metallic = plain.look.metallic = 1.0f;
            mapped.pixels[WR_LOOK_MAP_SURFACE][2] = 255;
            plain.look.roughness = 0.12f;
        } else {
            mapped.look.transmission = 0.7f;
            set_map(&mapped, WR_LOOK_MAP_GLASS, 0, 255, 255);
        }
        wr_vec3 a = draw_square(&mapped, 0.3f, 0.2f), b = draw_square(&plain, 0.3f, 0.2f);
        assert_true(wr_distance(a, b) < 0.006f);
        mapped.maps.images[WR_LOOK_MAP_SURFACE] = mapped.maps.images[WR_LOOK_MAP_GLASS] = -1;
        assert_true(wr_distance(draw_square(&mapped, 0.3f, 0.2f), b) > 0.02f);
    }
}

static wr_vec2 lay_on(const wr_map_layout *layout, wr_vec2 uv)
{
    float m[2][3];
    wr_map_layout_find(layout, m);
    return (wr_vec2){m[0][0] * uv.x + m[0][1] * uv.y + m[0][2],
                     m[1][0] * uv.x + m[1][1] * uv.y + m[1][2]};
}

// An image whose pixels all differ, in place of that of a map.
static void set_pattern(square *q, int map)
{
    enum { SIDE = 16 };
    static uint8_t pattern[SIDE * SIDE * 4];
    uint32_t number = 7;
    for (int i = 0; i < WRI_COUNT(pattern); i++) {
        number = number * 1664525u + 1013904223u;
        pattern[i] = i % 4 == 3 ? 255 : (uint8_t)(128 + (number >> 26));
    }
    q->images[map] = (wr_image){"pattern", SIDE, SIDE, pattern};
    q->maps.images[map] = map;
    q->maps.emission = map == WR_LOOK_MAP_EMISSION ? WHITE : q->maps.emission;
}

// A map that is laid otherwise is seen as if the coordinates were others, also where it is small
// and looked up in smaller levels.
static void a_layout_is_as_if_the_coordinates_were_others(void **state)
{
    (void)state;
    static const wr_map_layout layouts[] = {
        {{0.3f, -0.2f}, 0.0f, {1.0f, 1.0f}},
        {{0.0f, 0.0f}, 0.7f, {1.0f, 1.0f}},
        {{0.1f, 0.6f}, -2.0f, {0.3f, -0.8f}},
        {{0.0f, 0.0f}, 0.0f, {9.0f, 7.0f}},
    };
    static const int maps[] = {WR_LOOK_MAP_SURFACE, WR_LOOK_MAP_NORMAL, WR_LOOK_MAP_OCCLUSION,
                               WR_LOOK_MAP_EMISSION};
    for (int i = 0; i < WRI_COUNT(maps) * WRI_COUNT(layouts); i++) {
        static uint8_t laid_on[SIZE * SIZE * 3], by_mesh[SIZE * SIZE * 3], before[SIZE * SIZE * 3];
        int map = maps[i / WRI_COUNT(layouts)], most = 0, changed = 0;
        const wr_map_layout *layout = &layouts[i % WRI_COUNT(layouts)];
        square q;
        make_square(&q);
        q.look.roughness = 0.7f;
        q.look.metallic = 0.6f;
        set_pattern(&q, map);
        draw_whole(&q, 0.4f, 0.3f, before);
        q.maps.layouts[map] = *layout;
        draw_whole(&q, 0.4f, 0.3f, laid_on);
        q.maps.layouts[map] = wr_look_maps_default().layouts[map];
        for (int k = 0; k < 4; k++) {
            q.uvs[k] = lay_on(layout, q.uvs[k]);
        }
        draw_whole(&q, 0.4f, 0.3f, by_mesh);
        for (int p = 0; p < SIZE * SIZE * 3; p++) {
            int off = abs(laid_on[p] - by_mesh[p]);
            most = off > most ? off : most;
            changed += laid_on[p] != before[p];
        }
        if (most > 1 || changed < SIZE * SIZE / 4) {
            fail_msg("map %d, layout %d: off by %d, %d changed", map, i % WRI_COUNT(layouts), most,
                     changed);
        }
    }
}

static void a_change_of_look_takes_the_maps_away(void **state)
{
    (void)state;
    square q;
    make_square(&q);
    set_map(&q, WR_LOOK_MAP_EMISSION, 255, 255, 255);
    q.maps.emission = WHITE;
    wr_look_change change = {.said = WR_LOOK_SIDES, .double_sided = true};
    wr_look_apply(&change, &q.look);
    assert_ptr_equal(q.look.maps, &q.maps);
    change.said = WR_LOOK_ROUGHNESS;
    wr_look_apply(&change, &q.look);
    assert_null(q.look.maps);
}

// --- files ------------------------------------------------------------------------------------

static void expect_maps(const wr_model *model, const square *q)
{
    const wr_look_maps *maps = model->looks[0].maps;
    assert_non_null(maps);
    for (int i = 0; i < WR_LOOK_MAP_COUNT; i++) {
        assert_in_range(maps->images[i], 0, model->image_count - 1);
        assert_memory_equal(model->images[maps->images[i]].pixels, q->pixels[i], 4);
        const wr_map_layout *a = &maps->layouts[i], *b = &q->maps.layouts[i];
        CHECK_NEAR(a->offset[0], b->offset[0], 1e-6);
        CHECK_NEAR(a->offset[1], b->offset[1], 1e-6);
        CHECK_NEAR(a->turn, b->turn, 1e-6);
        CHECK_NEAR(a->scale[0], b->scale[0], 1e-6);
        CHECK_NEAR(a->scale[1], b->scale[1], 1e-6);
    }
    CHECK_NEAR(maps->normal_scale, q->maps.normal_scale, 1e-6);
    CHECK_NEAR(maps->occlusion_strength, q->maps.occlusion_strength, 1e-6);
    CHECK_NEAR(maps->emission.r, q->maps.emission.r, 1e-6);
    CHECK_NEAR(maps->emission.g, q->maps.emission.g, 1e-6);
    CHECK_NEAR(maps->emission.b, q->maps.emission.b, 1e-6);
}

static void make_full(square *q)
{
    make_square(q);
    for (int i = 0; i < WR_LOOK_MAP_COUNT; i++) {
        set_map(q, i, 10 + i, 90 + i, 200 + i);
    }
    for (int i = 1; i < WR_LOOK_MAP_COUNT; i++) { // the first lies as the coordinates are
        q->maps.layouts[i] =
            (wr_map_layout){{0.5f * (float)i, -0.25f}, 0.5f * (float)i, {2.0f, 2.5f - (float)i}};
    }
    q->look.transmission = 0.5f;
    q->maps.normal_scale = 0.75f;
    q->maps.occlusion_strength = 0.25f;
    q->maps.emission = (wr_color){0.5f, 3.0f, 0.125f, 1.0f};
}

static const char *path_of(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    return path;
}

static void glb_keeps_maps(void **state)
{
    (void)state;
    square q;
    make_full(&q);
    wr_error error = {0};
    if (!wr_model_write_glb(&q.model, path_of("maps.glb"), &error)) {
        fail_msg("%s", error.message);
    }
    wr_model *model = wr_model_read(path_of("maps.glb"), NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(model->warning_count, 0);
    expect_maps(model, &q);
    wr_asset *asset = wr_asset_create(model, NULL, &error); // takes it over
    assert_non_null(asset);
    expect_maps(asset->model, &q);
    wr_asset_destroy(asset);
}

static void recordings_keep_maps(void **state)
{
    (void)state;
    square q;
    make_full(&q);
    const wr_model *models[] = {&q.model};
    wr_record_body body = {.name = "body", .material = "rigid", .color = WHITE};
    wr_record_info info = {.title = "maps",
                           .program = "test",
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = 0,
                           .stage = wr_stage_default(),
                           .body_count = 1,
                           .bodies = &body,
                           .model_count = 1,
                           .models = models};
    wr_error error = {0};
    wr_pose pose = WR_POSE_IDENTITY;
    const wr_frame frame = {.body_count = 1, .poses = &pose};
    wr_record_writer *writer = wr_record_create(path_of("maps.wrought"), &info, &error);
    if (!writer || !wr_record_add_frame(writer, &frame, &error) ||
        !wr_record_finish(writer, true, &error)) {
        fail_msg("%s", error.message);
    }
    wr_record_writer_destroy(writer);
    wr_record_reader *reader = wr_record_open(path_of("maps.wrought"), &error);
    assert_non_null(reader);
    expect_maps(wr_record_about(reader)->models[0], &q);
    wr_record_close(reader);
}

// A triangle with the coordinates (0, 1), (1, 1) and (0, 0), and what its material says.
static wr_model *read_material(const char *material)
{
    static const char before[] =
        "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"data:image/png;base64,"
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5Erk"
        "Jggg==\"}],\"textures\":[{\"source\":0}],\"materials\":[{";
    static const char after[] =
        "}],\"buffers\":[{\"byteLength\":60,"
        "\"uri\":\"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAA"
        "gD8AAAAAAAAAAAAAgD8AAIA/AACAPwAAAAAAAAAA\"}],\"bufferViews\":[{\"buffer\":0,"
        "\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":24}],\"accessors\":[{"
        "\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},{\"bufferView\":1,"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}],\"meshes\":[{\"primitives\":[{"
        "\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"material\":0}]}],\"nodes\":[{\"mesh\":"
        "0}]}";
    FILE *file = fopen(path_of("other.gltf"), "w");
    assert_non_null(file);
    fputs(before, file);
    fputs(material, file);
    fputs(after, file);
    fclose(file);
    wr_error error = {0};
    wr_model *model = wr_model_read(path_of("other.gltf"), NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

// A map that needs coordinates of its own is left out with a sentence.
static void maps_on_other_coordinates_are_named(void **state)
{
    (void)state;
    wr_model *model = read_material(
        "\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0},"
        "\"metallicRoughnessTexture\":{\"index\":0}},\"occlusionTexture\":{\"index\":0,"
        "\"texCoord\":1}");
    assert_int_equal(model->warning_count, 1);
    assert_non_null(strstr(model->warnings[0], "occlusionTexture lies on other texture"));
    assert_non_null(model->looks[0].maps);
    assert_true(model->looks[0].maps->images[WR_LOOK_MAP_SURFACE] >= 0);
    assert_int_equal(model->looks[0].maps->images[WR_LOOK_MAP_OCCLUSION], -1);
    wr_model_destroy(model);
}

#define LAID "\"index\":0,\"extensions\":{\"KHR_texture_transform\":"

// The colour's transform is laid into the coordinates, and what is left of a map's is its layout:
// the two together are what the file says. A shear is more than a layout can say.
static void maps_keep_transforms_of_their_own(void **state)
{
    (void)state;
    const wr_map_layout said = {{0.25f, 0.5f}, 1.0f, {3.0f, -2.0f}};
    wr_model *model = read_material(
        "\"pbrMetallicRoughness\":{\"baseColorTexture\":{" LAID
        "{\"offset\":[0.5,-1],\"scale\":[2,4]}}},\"metallicRoughnessTexture\":"
        "{" LAID "{\"offset\":[0.5,-1],\"scale\":[2,4]}}}},\"normalTexture\":{" LAID
        "{\"offset\":[0.25,0.5],\"rotation\":1,\"scale\":[3,-2]}}},\"emissiveTexture\":{\"index\":"
        "0}");
    assert_int_equal(model->warning_count, 0);
    const wr_look_maps *maps = model->looks[0].maps;
    static const wr_vec2 corners[] = {{0, 1}, {1, 1}, {0, 0}};
    assert_non_null(maps);
    assert_true(wr_map_layout_is_plain(&maps->layouts[WR_LOOK_MAP_SURFACE]));
    for (int i = 0; i < 3; i++) {
        wr_vec2 uv = model->meshes->uvs[i], own = lay_on(&said, corners[i]);
        wr_vec2 normal = lay_on(&maps->layouts[WR_LOOK_MAP_NORMAL], uv);
        wr_vec2 emission = lay_on(&maps->layouts[WR_LOOK_MAP_EMISSION], uv);
        CHECK_NEAR(normal.x, own.x, 1e-6);
        CHECK_NEAR(normal.y, own.y, 1e-6);
        CHECK_NEAR(emission.x, corners[i].x, 1e-6);
        CHECK_NEAR(emission.y, corners[i].y, 1e-6);
    }
    wr_model_destroy(model);
    static const char *const askew[] = {"{\"rotation\":0.4,\"scale\":[2,3]}", "{\"scale\":[2,0]}"};
    for (int i = 0; i < WRI_COUNT(askew); i++) {
        char material[400];
        snprintf(material, sizeof material,
                 "\"pbrMetallicRoughness\":{\"baseColorTexture\":{" LAID
                 "%s}}},\"normalTexture\":{\"index\":0}",
                 askew[i]);
        model = read_material(material);
        assert_int_equal(model->warning_count, 1);
        assert_non_null(strstr(model->warnings[0], "normalTexture lies askew on the texture"));
        assert_null(model->looks[0].maps);
        wr_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_of_a_map_turn_the_light),
        cmocka_unit_test(occlusion_takes_ambient_light_alone),
        cmocka_unit_test(emission_shines_in_the_dark),
        cmocka_unit_test(maps_are_multiplied_with_the_numbers),
        cmocka_unit_test(a_layout_is_as_if_the_coordinates_were_others),
        cmocka_unit_test(a_change_of_look_takes_the_maps_away),
        cmocka_unit_test(glb_keeps_maps),
        cmocka_unit_test(recordings_keep_maps),
        cmocka_unit_test(maps_on_other_coordinates_are_named),
        cmocka_unit_test(maps_keep_transforms_of_their_own),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
