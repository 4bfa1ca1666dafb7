// test_usda_film.c: a film of changing triangles as USD: texture coordinates with their origin
// below, and a look for those triangles alone that have it.
#include "folder.h"

#include "usda.h"

#include "../src/base/os.h"
#include "wrought/file.h"

enum { FRAMES = 3, CORNERS = 4 };

static wr_vec3 positions[CORNERS] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.5f}};
static wr_vec2 uvs[CORNERS] = {{0.1f, 0.2f}, {0.9f, 0.3f}, {0.8f, 0.75f}, {0.25f, 0.6f}};
static int triangles[6] = {0, 1, 2, 0, 2, 3};
static wr_mesh_part all[1] = {{0, 2, 1}}, half[2] = {{0, 1, -1}, {1, 1, 1}};

// The middle frame has a triangle without a look where `bare`.
static char *write_film(bool bare, size_t *size)
{
    wr_mesh meshes[FRAMES];
    wr_look looks[2] = {{.name = "red", .base_color = {1, 0, 0, 1}, .texture = -1},
                        {.name = "blue", .base_color = {0, 0, 1, 1}, .texture = -1}};
    wr_node node = {.name = "film",
                    .parent = -1,
                    .mesh = -1,
                    .skin = -1,
                    .pose = WR_POSE_IDENTITY,
                    .scale = {1, 1, 1}};
    for (int f = 0; f < FRAMES; f++) {
        bool parted = bare && f == 1;
        meshes[f] = (wr_mesh){.name = "film",
                              .vertex_count = CORNERS,
                              .triangle_count = 2,
                              .part_count = parted ? 2 : 1,
                              .positions = positions,
                              .uvs = uvs,
                              .triangles = triangles,
                              .parts = parted ? half : all};
    }
    wr_model model = {
        .name = "film", .look_count = 2, .looks = looks, .node_count = 1, .nodes = &node};
    const wr_node_motion motion = {.node = 0, .last = FRAMES - 1, .meshes = meshes};
    const wr_model_motion take = {30, 1, FRAMES, 1, &motion};
    wr_error error = {0};
    char path[600];
    snprintf(path, sizeof path, "%s/film.usda", folder.path);
    if (!wr_model_write_usda(&model, &take, path, &error)) {
        fail_msg("%s", error.message);
    }
    return wri_file_read(path, 1 << 20, NULL, size, NULL);
}

static void texture_coordinates_have_their_origin_below(void **state)
{
    (void)state;
    size_t size;
    char *text = write_film(false, &size);
    usda u;
    usda_read(&u, text, size);
    const usda_attribute *st = usda_attribute_of(&u, "/film/film/mesh", "texCoord2f[] primvars:st");
    assert_non_null(st);
    wri_array numbers = usda_numbers(st->value, st->length);
    assert_int_equal(numbers.count, 2 * CORNERS);
    for (int i = 0; i < CORNERS; i++) {
        CHECK_NEAR(WRI_ITEM(numbers, double, 2 * i), uvs[i].x, 1e-6);
        CHECK_NEAR(WRI_ITEM(numbers, double, 2 * i + 1), 1.0 - (double)uvs[i].y, 1e-6);
    }
    wri_array_destroy(&numbers);
    usda_destroy(&u);
    wri_free(NULL, text, size + 1, 1);
}

// One look for all triangles of all frames is bound to the mesh, else to those that have it.
static void a_look_is_bound_to_those_that_have_it(void **state)
{
    (void)state;
    for (int bare = 0; bare < 2; bare++) {
        size_t size;
        char *text = write_film(bare, &size);
        usda u;
        usda_read(&u, text, size);
        bool whole = usda_attribute_of(&u, "/film/film/mesh", "rel material:binding") != NULL;
        assert_int_equal(whole, !bare);
        if (bare) {
            const char *at = strstr(text, "int[] indices.timeSamples");
            assert_non_null(at);
            assert_non_null(strstr(at, "0: [0,1]"));
            assert_non_null(strstr(at, "1: [1]"));
            assert_non_null(strstr(at, "2: [0,1]"));
        }
        usda_destroy(&u);
        wri_free(NULL, text, size + 1, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texture_coordinates_have_their_origin_below),
        cmocka_unit_test(a_look_is_bound_to_those_that_have_it),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
