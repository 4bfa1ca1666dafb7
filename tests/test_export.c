// test_export.c: files for other programs: layouts, round trips, motion, and the export command.
#include "check.h"
#include "comma_locale.h"

#include "../src/base/os.h"
#include "same_model.h"
#include "usda.h"
#include "wrought/wrought.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static temporary_folder folder;

static const char *in_folder(const char *name)
{
    static char paths[32][700];
    static int next;
    char *path = paths[next++ % 32];
    snprintf(path, sizeof paths[0], "%s/two words/%s", folder.path, name);
    return path;
}

#define OK(call)                                                                                   \
    do {                                                                                           \
        wr_error error = {0};                                                                      \
        if (!(call)) {                                                                             \
            fail_msg("%s:%d: %s", __FILE__, __LINE__, error.message);                              \
        }                                                                                          \
    } while (0)

static char *read_whole(const char *path, size_t *size)
{
    wr_error error = {0};
    char *bytes = wri_file_read(path, 1 << 30, NULL, size, &error);
    if (!bytes) {
        fail_msg("%s", error.message);
    }
    return bytes;
}

static void assert_file_is(const char *path, const uint8_t *expected, size_t expected_size)
{
    size_t size;
    char *bytes = read_whole(path, &size);
    assert_int_equal(size, expected_size);
    assert_memory_equal(bytes, expected, size);
    wri_free(NULL, bytes, size + 1, 1);
}

static wr_cache *read_cache(const char *path)
{
    wr_error error = {0};
    wr_cache *cache = wr_cache_read(path, NULL, &error);
    if (!cache) {
        fail_msg("%s", error.message);
    }
    return cache;
}

// --- point caches -----------------------------------------------------------------------------

static void write_cache(const char *path, wr_cache_format format, const wr_vec3 *frames, int points,
                        int count, int planned)
{
    wr_cache_desc desc = wr_cache_desc_default();
    desc.format = format;
    desc.point_count = points;
    desc.frame_count = planned;
    desc.rate_numerator = 2;
    wr_error error = {0};
    wr_cache_writer *writer = wr_cache_create(path, &desc, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    assert_false(wri_file_exists(path)); // not before it is whole
    for (int i = 0; i < count; i++) {
        assert_true(wr_cache_add_frame(writer, frames + i * points, &error));
    }
    if (!wr_cache_finish(writer, &error)) {
        fail_msg("%s", error.message);
    }
    wr_cache_writer_destroy(writer);
}

static const wr_vec3 two_frames[] = {
    {1.0f, -2.0f, 0.5f}, {0.0f, 0.0f, 3.0f}, {1.0f, -2.0f, 0.25f}, {0.0f, 100.0f, 3.0f}};

static void pc2_has_the_layout_of_its_description(void **state)
{
    (void)state;
    static const uint8_t expected[] = {
        'P', 'O', 'I',  'N',  'T', 'C', 'A',  'C',  'H', 'E', '2',  0, // magic
        1,   0,   0,    0,                                             // version
        2,   0,   0,    0,                                             // points
        0,   0,   0,    0,                                             // start 0.0
        0,   0,   0x80, 0x3f,                                          // rate 1.0
        2,   0,   0,    0,                                             // frames
        0,   0,   0x80, 0x3f, 0,   0,   0,    0xc0, 0,   0,   0,    0x3f, 0, 0, 0,    0,
        0,   0,   0,    0,    0,   0,   0x40, 0x40, 0,   0,   0x80, 0x3f, 0, 0, 0,    0xc0,
        0,   0,   0x80, 0x3e, 0,   0,   0,    0,    0,   0,   0xc8, 0x42, 0, 0, 0x40, 0x40};
    const char *path = in_folder("layout.pc2");
    write_cache(path, WR_CACHE_PC2, two_frames, 2, 2, 2);
    assert_file_is(path, expected, sizeof expected);
    wri_file_remove(path);
}

static void mdd_has_the_layout_of_its_description(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0,    0,    0, 2, 0,    0,    0, 2, // frames, points
                                       0,    0,    0, 0, 0x3f, 0,    0, 0, // times 0.0 and 0.5
                                       0x3f, 0x80, 0, 0, 0xc0, 0,    0, 0, 0x3f, 0,    0, 0,
                                       0,    0,    0, 0, 0,    0,    0, 0, 0x40, 0x40, 0, 0,
                                       0x3f, 0x80, 0, 0, 0xc0, 0,    0, 0, 0x3e, 0x80, 0, 0,
                                       0,    0,    0, 0, 0x42, 0xc8, 0, 0, 0x40, 0x40, 0, 0};
    const char *path = in_folder("layout.mdd");
    write_cache(path, WR_CACHE_MDD, two_frames, 2, 2, 2);
    assert_file_is(path, expected, sizeof expected);
    wri_file_remove(path);
}

// 24000 frames in 1001 s: the third frame is not at 2 / 24000 s.
static void times_of_a_cache_have_the_whole_rate(void **state)
{
    (void)state;
    const char *path = in_folder("rate.mdd");
    wr_error error = {0};
    wr_cache_desc desc = wr_cache_desc_default();
    desc.format = WR_CACHE_MDD;
    desc.point_count = 1;
    desc.frame_count = 3;
    desc.rate_numerator = 24000;
    desc.rate_denominator = 1001;
    wr_cache_writer *writer = wr_cache_create(path, &desc, &error);
    assert_non_null(writer);
    for (int i = 0; i < 3; i++) {
        assert_true(wr_cache_add_frame(writer, two_frames, &error));
    }
    assert_true(wr_cache_finish(writer, &error));
    wr_cache_writer_destroy(writer);
    size_t size;
    char *bytes = wri_file_read(path, 1 << 10, NULL, &size, &error);
    for (int i = 0; i < 3; i++) {
        uint32_t bits = 0;
        for (int k = 0; k < 4; k++) { // the big end first
            bits = bits << 8 | (uint8_t)bytes[8 + 4 * i + k];
        }
        float time;
        memcpy(&time, &bits, sizeof time);
        CHECK_NEAR(time, i * 1001.0 / 24000.0, 1e-8);
    }
    wri_free(NULL, bytes, size + 1, 1);
    wri_file_remove(path);
}

static void caches_read_back_with_the_same_bits(void **state)
{
    (void)state;
    enum { POINTS = 7919, FRAMES = 11 }; // more than the buffer holds
    wr_vec3 *frames = calloc((size_t)POINTS * FRAMES, sizeof *frames);
    uint64_t seed = 5;
    for (int i = 0; i < POINTS * FRAMES; i++) {
        frames[i] = wr_v3(random_float(&seed, -9, 9), random_float(&seed, -1e-3f, 1e-3f), -0.0f);
    }
    for (int format = WR_CACHE_PC2; format <= WR_CACHE_MDD; format++) {
        const char *path = in_folder(format ? "many.mdd" : "many.pc2");
        write_cache(path, (wr_cache_format)format, frames, POINTS, FRAMES, FRAMES);
        wr_cache *cache = read_cache(path);
        assert_int_equal(cache->format, format);
        assert_int_equal(cache->point_count, POINTS);
        assert_int_equal(cache->frame_count, FRAMES);
        assert_memory_equal(cache->positions, frames, POINTS * FRAMES * sizeof *frames);
        CHECK_NEAR(cache->times[10], format ? 5.0 : 10.0, 0.0);
        wr_cache_destroy(cache);
        wri_file_remove(path);
    }
    free(frames);
}

static void a_cache_that_ends_early_is_that_of_fewer_frames(void **state)
{
    (void)state;
    enum { POINTS = 40000, FRAMES = 3 }; // more than is moved at once
    wr_vec3 *frames = calloc((size_t)POINTS * FRAMES, sizeof *frames);
    uint64_t seed = 6;
    for (int i = 0; i < POINTS * FRAMES; i++) {
        frames[i] = wr_v3(random_float(&seed, -9, 9), random_float(&seed, -9, 9), (float)i);
    }
    for (int format = WR_CACHE_PC2; format <= WR_CACHE_MDD; format++) {
        const char *whole = in_folder("whole"), *early = in_folder("early");
        write_cache(whole, (wr_cache_format)format, frames, POINTS, FRAMES, FRAMES);
        write_cache(early, (wr_cache_format)format, frames, POINTS, FRAMES, 1000);
        size_t size;
        char *bytes = read_whole(whole, &size);
        assert_file_is(early, (const uint8_t *)bytes, size);
        wri_free(NULL, bytes, size + 1, 1);
        wri_file_remove(whole);
        wri_file_remove(early);
    }
    free(frames);
}

static void a_cache_that_is_given_up_leaves_nothing(void **state)
{
    (void)state;
    wr_cache_desc desc = wr_cache_desc_default();
    desc.point_count = desc.frame_count = 1;
    wr_error error = {0};
    const char *path = in_folder("never.pc2");
    wr_cache_writer *writer = wr_cache_create(path, &desc, &error);
    assert_false(wr_cache_finish(writer, &error)); // no frames
    const wr_vec3 bad = {NAN, 0, 0};
    assert_false(wr_cache_add_frame(writer, &bad, &error));
    assert_string_equal(error.message, "frame 0: point 0 is not finite");
    wr_cache_writer_destroy(writer);
    assert_false(wri_file_exists(path));
    assert_false(has_part(path));
}

static void a_broken_cache_is_one_sentence(void **state)
{
    (void)state;
    static const struct {
        wr_cache_format format;
        int at; // byte to change; -1: cut there
        int to;
        const char *sentence;
    } cases[] = {
        {WR_CACHE_PC2, -20, 0, "byte 20: the file ends within its header"},
        {WR_CACHE_PC2, -60, 0, "byte 28: 2 frames of 2 points do not fit into the file"},
        {WR_CACHE_PC2, 12, 2, "byte 12: expected version 1, found 2"},
        {WR_CACHE_PC2, 16, 0, "byte 16: the number of points is 0"},
        {WR_CACHE_PC2, 19, 0x80, "byte 16: the number of points is -2147483646"},
        {WR_CACHE_PC2, 19, 0x7f, "byte 28: 2 frames of 2130706434 points do not fit into the file"},
        {WR_CACHE_PC2, 28, 1, "byte 56: bytes follow the last frame: 24"},
        {WR_CACHE_PC2, 35, 0x7f, NULL}, // 1.0 becomes a large number
        {WR_CACHE_MDD, 0, 0x7f, "byte 0: 2130706434 frames of 2 points do not fit into the file"},
        {WR_CACHE_MDD, 3, 0, "byte 0: 0 frames of 2 points do not fit into the file"},
        {WR_CACHE_MDD, -7, 0, "byte 7: the file ends within its header"},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        const char *path = in_folder("broken");
        write_cache(path, cases[i].format, two_frames, 2, 2, 2);
        size_t size;
        char *bytes = read_whole(path, &size);
        size_t kept = cases[i].at < 0 ? (size_t)-cases[i].at : size;
        if (cases[i].at >= 0) {
            bytes[cases[i].at] = (char)cases[i].to;
        }
        assert_true(wri_file_write(path, bytes, kept, NULL));
        wri_free(NULL, bytes, size + 1, 1);
        wr_error error = {0};
        wr_cache *cache = wr_cache_read(path, NULL, &error);
        if (cases[i].sentence && (cache || !strstr(error.message, cases[i].sentence))) {
            fail_msg("case %d: %s", i, cache ? "was read" : error.message);
        }
        wr_cache_destroy(cache);
        wri_file_remove(path);
    }
}

// --- models -----------------------------------------------------------------------------------

enum { GRID = 12 };

// A bumpy sheet of GRID x GRID vertices, numbered in another order than triangles use them.
static void fill_sheet(wr_model *model, wr_mesh *mesh, const char *name, int first_look,
                       uint64_t seed)
{
    int map[GRID * GRID], cells = GRID - 1;
    for (int i = 0; i < GRID * GRID; i++) {
        map[i] = 5 * i % (GRID * GRID);
    }
    *mesh = (wr_mesh){.name = name,
                      .vertex_count = GRID * GRID,
                      .triangle_count = 2 * cells * cells,
                      .part_count = 3,
                      .positions = wr_model_alloc(model, GRID * GRID + 1, sizeof(wr_vec3)),
                      .normals = wr_model_alloc(model, GRID * GRID + 1, sizeof(wr_vec3)),
                      .uvs = wr_model_alloc(model, GRID * GRID + 1, sizeof(wr_vec2)),
                      .triangles = wr_model_alloc(model, (size_t)(6 * cells * cells), sizeof(int)),
                      .parts = wr_model_alloc(model, 3, sizeof(wr_mesh_part))};
    for (int i = 0, t = 0; i < cells * cells; i++) {
        int a = i / cells * GRID + i % cells,
            corners[6] = {a, a + GRID, a + 1, a + 1, a + GRID, a + GRID + 1};
        for (int k = 0; k < 6; k++, t++) {
            mesh->triangles[t] = map[corners[k]];
        }
    }
    for (int i = 0; i < GRID * GRID; i++) {
        int v = map[i];
        mesh->positions[v] = wr_v3((float)(i % GRID) * 0.1f, random_float(&seed, -0.01f, 0.01f),
                                   (float)(i / GRID) * 0.1f);
        mesh->uvs[v] = (wr_vec2){(float)(i % GRID) / GRID, random_float(&seed, 0, 1)};
    }
    wr_find_normals(mesh->positions, mesh->vertex_count, mesh->triangles, mesh->triangle_count,
                    mesh->normals);
    mesh->parts[0] = (wr_mesh_part){0, 50, first_look};
    mesh->parts[1] = (wr_mesh_part){50, 70, -1};
    mesh->parts[2] = (wr_mesh_part){120, mesh->triangle_count - 120, 1 - first_look};
}

static const uint8_t checker[] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 8, 7, 255};

static wr_model *make_model(void)
{
    wr_model *model = wr_model_create(NULL, NULL);
    model->name = "sheets";
    model->meshes = wr_model_alloc(model, 2, sizeof(wr_mesh));
    model->looks = wr_model_alloc(model, 2, sizeof(wr_look));
    model->images = wr_model_alloc(model, 1, sizeof(wr_image));
    model->nodes = wr_model_alloc(model, 2, sizeof(wr_node));
    model->mesh_count = model->look_count = model->node_count = 2;
    model->image_count = 1;
    model->images[0] = (wr_image){"che/cker", 2, 2, checker};
    model->looks[0] = (wr_look){.name = "red paint",
                                .base_color = {0.7f, 0.1f, 0.05f, 0.5f},
                                .texture = -1,
                                .roughness = 0.3f,
                                .metallic = 0.9f};
    model->looks[1] =
        (wr_look){.name = "cloth #2", .base_color = {1, 1, 1, 1}, .texture = 0, .roughness = 0.75f};
    fill_sheet(model, &model->meshes[0], "lower", 0, 1);
    fill_sheet(model, &model->meshes[1], "upper", 1, 2);
    static const char *const names[2] = {"lower sheet", "oberes Blech \xc3\xa4"};
    for (int i = 0; i < 2; i++) {
        model->nodes[i] = (wr_node){.name = names[i],
                                    .parent = -1,
                                    .mesh = i,
                                    .skin = -1,
                                    .pose = WR_POSE_IDENTITY,
                                    .scale = {1, 1, 1}};
    }
    return model;
}

static int look_of(const wr_mesh *mesh, int triangle)
{
    for (int i = 0; i < mesh->part_count; i++) {
        const wr_mesh_part *part = &mesh->parts[i];
        if (triangle >= part->first_triangle &&
            triangle < part->first_triangle + part->triangle_count) {
            return part->look;
        }
    }
    return -1;
}

static void assert_same_surface(const wr_mesh *a, const wr_mesh *b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    size_t n = (size_t)a->vertex_count;
    assert_memory_equal(a->positions, b->positions, n * sizeof(wr_vec3));
    assert_memory_equal(a->triangles, b->triangles, 3 * sizeof(int) * (size_t)a->triangle_count);
    assert_memory_equal(a->normals, b->normals, n * sizeof(wr_vec3));
    for (size_t i = 0; i < n; i++) {
        CHECK_NEAR(a->uvs[i].x, b->uvs[i].x, 0.0);
        CHECK_NEAR(a->uvs[i].y, b->uvs[i].y, 6e-8); // counted from the other end in the file
    }
}

static void an_obj_reads_back_equal(void **state)
{
    (void)state;
    wr_model *model = make_model();
    const char *path = in_folder("sheets.obj");
    OK(wr_model_write_obj(model, NULL, path, &error));
    assert_true(wri_file_exists(in_folder("sheets.mtl")));
    assert_true(wri_file_exists(in_folder("sheets_che_cker.png")));
    wr_model *back = read_ok(path);
    assert_int_equal(back->mesh_count, 2);
    assert_int_equal(back->look_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_same_surface(&model->meshes[i], &back->meshes[i]);
        assert_string_equal(back->nodes[i].name, model->nodes[i].name);
        for (int t = 0; t < model->meshes[i].triangle_count; t++) {
            assert_int_equal(look_of(&model->meshes[i], t), look_of(&back->meshes[i], t));
        }
    }
    assert_string_equal(back->looks[0].name, "red paint");
    assert_string_equal(back->looks[1].name, "cloth _2"); // # would begin a comment
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(&back->looks[i].base_color, &model->looks[i].base_color,
                            sizeof(wr_color));
        CHECK_NEAR(back->looks[i].roughness, model->looks[i].roughness, 0.0);
        CHECK_NEAR(back->looks[i].metallic, model->looks[i].metallic, 0.0);
        assert_int_equal(back->looks[i].texture, model->looks[i].texture);
    }
    assert_memory_equal(back->images[0].pixels, checker, sizeof checker);
    wr_model_destroy(back);
    wr_model_destroy(model);
}

static void a_ply_reads_back_equal_as_bytes_and_as_text(void **state)
{
    (void)state;
    wr_model *model = make_model();
    model->node_count = 1;
    for (int text = 0; text < 2; text++) {
        const char *path = in_folder("sheet.ply");
        OK(wr_model_write_ply(model, text, path, &error));
        wr_model *back = read_ok(path);
        assert_same_surface(&model->meshes[0], &back->meshes[0]);
        // The colour of its look, to 8 bits of sRGB.
        const wr_color *c = &back->meshes[0].colors[back->meshes[0].triangles[0]];
        CHECK_NEAR(c->r, 0.7f, 4e-3);
        CHECK_NEAR(c->g, 0.1f, 4e-3);
        CHECK_NEAR(c->b, 0.05f, 4e-3);
        CHECK_NEAR(c->a, 0.5f, 4e-3);
        wr_model_destroy(back);
        wri_file_remove(path);
    }
    wr_model_destroy(model);
}

// Parents, scales and a mirror, as wr_model_flatten has them.
static void nodes_are_placed_in_obj_and_ply(void **state)
{
    (void)state;
    wr_model *model = make_model();
    model->nodes[0].pose = (wr_pose){{1, 2, 3}, wr_quat_from_axis_angle(wr_v3(1, 2, 0), 0.7f)};
    model->nodes[0].scale = wr_v3(1, -2, 0.5f);
    model->nodes[1].parent = 0;
    model->nodes[1].pose = (wr_pose){{0, 1, 0}, wr_quat_from_axis_angle(wr_v3(0, 0, 1), -1.0f)};
    wr_model *flat = wr_model_flatten(model, NULL);
    const char *paths[2] = {in_folder("placed.obj"), in_folder("placed.ply")};
    OK(wr_model_write_obj(model, NULL, paths[0], &error));
    OK(wr_model_write_ply(model, false, paths[1], &error));
    for (int i = 0; i < 2; i++) {
        wr_model *back = read_ok(paths[i]);
        wr_model *both = wr_model_flatten(back, NULL);
        const wr_mesh *a = flat->meshes, *b = both->meshes;
        assert_int_equal(a->triangle_count, b->triangle_count);
        for (int k = 0; k < 3 * a->triangle_count; k++) {
            wr_vec3 p = a->positions[a->triangles[k]], q = b->positions[b->triangles[k]];
            wr_vec3 n = a->normals[a->triangles[k]], m = b->normals[b->triangles[k]];
            // OBJ's order of corners may begin elsewhere in the triangle: never here.
            CHECK_NEAR(wr_distance(p, q), 0.0, 1e-6);
            CHECK_NEAR(wr_distance(n, m), 0.0, 1e-6);
        }
        wr_model_destroy(both);
        wr_model_destroy(back);
    }
    wr_model_destroy(flat);
    wr_model_destroy(model);
}

static void equal_and_odd_names_stay_apart(void **state)
{
    (void)state;
    wr_model *model = make_model();
    model->looks[1].name = model->looks[0].name;
    model->looks[1].texture = -1;
    model->nodes[0].name = "9 \"lives\"\n\xff";
    model->nodes[1].name = "";
    OK(wr_model_write_obj(model, NULL, in_folder("odd.obj"), &error));
    wr_model *back = read_ok(in_folder("odd.obj"));
    assert_string_equal(back->looks[0].name, "red paint");
    assert_string_equal(back->looks[1].name, "red paint_2");
    assert_string_equal(back->nodes[0].name, "9 \"lives\"_\xff");
    wr_model_destroy(back);
    model->nodes[1].name = "9 'lives'??";
    OK(wr_model_write_usda(model, NULL, in_folder("odd.usda"), &error));
    size_t size;
    char *text = read_whole(in_folder("odd.usda"), &size);
    usda u;
    usda_read(&u, text, size);
    assert_non_null(usda_find(&u, "/sheets/_9__lives___"));
    assert_non_null(usda_find(&u, "/sheets/_9__lives____2"));
    assert_non_null(strstr(usda_find(&u, "/sheets/_9__lives___")->metadata,
                           "string name = \"9 \\\"lives\\\"?\?\""));
    usda_destroy(&u);
    wri_free(NULL, text, size + 1, 1);
    wr_model_destroy(model);
}

static void numbers_do_not_follow_the_locale(void **state)
{
    (void)state;
    comma_locale_begin();
    an_obj_reads_back_equal(NULL);
    a_ply_reads_back_equal_as_bytes_and_as_text(NULL);
    wr_model *model = make_model();
    const char *path = in_folder("locale.usda");
    OK(wr_model_write_usda(model, NULL, path, &error));
    size_t size;
    char *text = read_whole(path, &size);
    comma_locale_end();
    OK(wr_model_write_usda(model, NULL, path, &error));
    assert_file_is(path, (const uint8_t *)text, size);
    wri_free(NULL, text, size + 1, 1);
    wr_model_destroy(model);
}

// --- a recording ------------------------------------------------------------------------------

enum { FRAMES = 30, BORN = 7, REMOVED = 19, BODIES = 6 };
enum { GROUND, CRATE_A, CRATE_B, SHEET, LATE, EARLY };

static wr_pose pose_at(int body, int frame)
{
    float t = (float)frame / 60.0f;
    if (body == GROUND) {
        return WR_POSE_IDENTITY;
    }
    return (wr_pose){wr_v3((float)body + 0.3f * t, 2.0f - 4.9f * t * t, sinf(3.0f * t)),
                     wr_quat_from_axis_angle(wr_v3(1, (float)body, 2), 9.0f * t)};
}

static wr_vec3 sheet_point(const wr_mesh *mesh, int vertex, int frame)
{
    wr_vec3 p = mesh->positions[vertex];
    p.y += 0.1f * sinf(5.0f * p.x + 0.3f * (float)frame) * cosf(4.0f * p.z - 0.1f * (float)frame);
    return p;
}

static wr_model *sheets, *box;

// `points`: vertices of the sheet; scaled up by copies of it for long exports.
static void write_recording(const char *path, int frames)
{
    wr_error error = {0};
    const wr_model *models[2] = {box, sheets};
    const wr_color white = {1, 1, 1, 1};
    const wr_record_body bodies[BODIES] = {
        {"ground", "rigid", -1, true, true, {0.5f, 0.5f, 0.5f, 1}},
        {"crate 1", "rigid", 0, false, false, white},
        {"crate 2", "rigid", 0, false, false, white},
        {"sheet", "cloth", 1, false, false, white},
        {"late", "rigid", 0, false, false, {1, 0.5f, 0.25f, 1}},
        {"early", "rigid", 0, false, false, white},
    };
    // The last two change places, so that births come at the end.
    const wr_record_body first[BODIES - 1] = {bodies[0], bodies[1], bodies[2], bodies[3],
                                              bodies[5]};
    wr_record_info info = {.title = "test take",
                           .program = "test",
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 4,
                           .planned_frames = frames - 1,
                           .model_count = 2,
                           .models = models,
                           .body_count = BODIES - 1,
                           .bodies = first};
    info.stage = wr_stage_default();
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    int n = sheets->meshes[0].vertex_count;
    wr_vec3 *points = calloc((size_t)n, sizeof *points);
    for (int f = 0; f < frames; f++) {
        wr_pose poses[BODIES] = {pose_at(0, f), pose_at(1, f),     pose_at(2, f),
                                 pose_at(3, f), pose_at(EARLY, f), pose_at(LATE, f)};
        for (int i = 0; i < n; i++) {
            points[i] = sheet_point(&sheets->meshes[0], i, f);
        }
        const wr_record_points list = {SHEET, n, points};
        wr_event event = {0};
        if (f == BORN) {
            event = (wr_event){WR_EVENT_BORN, BODIES - 1, CRATE_A, bodies[LATE]};
        } else if (f == REMOVED) {
            event = (wr_event){.kind = WR_EVENT_REMOVED, .subject = BODIES - 2, .other = -1};
        }
        wr_frame frame = {.index = f,
                          .time = f / 60.0,
                          .body_count = f >= BORN ? BODIES : BODIES - 1,
                          .poses = poses,
                          .points_count = 1,
                          .points = &list,
                          .event_count = event.kind ? 1 : 0,
                          .events = &event};
        if (!wr_record_add_frame(writer, &frame, &error)) {
            fail_msg("%s", error.message);
        }
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    free(points);
}

static char recording[700];

static int setup(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    assert_true(wri_folder_create(in_folder(""), NULL));
    wr_model *model = make_model();
    sheets = model;
    sheets->mesh_count = sheets->node_count = 1;
    sheets->meshes[0].positions[sheets->meshes[0].vertex_count++] = wr_v3(9, 9, 9); // unused
    sheets->meshes[0].normals[GRID * GRID] = wr_v3(0, 1, 0);
    box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(0.4f, 0.4f, 0.4f),
                                    (wr_color){0.8f, 0.6f, 0.4f, 1}, NULL);
    snprintf(recording, sizeof recording, "%s", in_folder("recording.wrought"));
    write_recording(recording, FRAMES);
    const char *keep = getenv("WROUGHT_TAKE"); // where other programs want a recording that bends
    if (keep) {
        write_recording(keep, FRAMES);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    wr_model_destroy(sheets);
    wr_model_destroy(box);
    remove_tree(folder.path);
    return 0;
}

// --- running the program ----------------------------------------------------------------------

typedef struct outcome {
    int status; // exit status, -1 when a signal ended it
    char errors[4096];
} outcome;

static pid_t start(const char *const *arguments, rlim_t file_limit)
{
    const char *program = getenv("WROUGHT_PROGRAM");
    if (!program) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    const char *errors = in_folder("errors.txt");
    pid_t child = fork();
    if (child == 0) {
        const char *words[32] = {program, "export"};
        for (int i = 0; arguments[i] && i < 29; i++) {
            words[i + 2] = arguments[i];
        }
        int null = open("/dev/null", O_WRONLY),
            log = open(errors, O_CREAT | O_TRUNC | O_WRONLY, 0666);
        struct rlimit limit = {file_limit, file_limit};
        if (file_limit != RLIM_INFINITY) {
            setrlimit(RLIMIT_FSIZE, &limit);
        }
        dup2(null, 1);
        dup2(log, 2);
        execv(program, (char *const *)(uintptr_t)words);
        _exit(127);
    }
    return child;
}

static outcome finish(pid_t child)
{
    outcome o = {0};
    int status = 0;
    waitpid(child, &status, 0);
    o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    size_t size = 0;
    char *text = wri_file_read(in_folder("errors.txt"), 1 << 20, NULL, &size, NULL);
    snprintf(o.errors, sizeof o.errors, "%s", text ? text : "");
    wri_free(NULL, text, size + 1, 1);
    return o;
}

#define RUN(...) finish(start((const char *const[]){__VA_ARGS__, NULL}, RLIM_INFINITY))

static void assert_ran(outcome o)
{
    if (o.status != 0) {
        fail_msg("status %d: %s", o.status, o.errors);
    }
}

// --- caches of recordings ---------------------------------------------------------------------

// Where the export is to have a vertex: all bodies in their order in the recording.
static const int numbers[BODIES] = {GROUND, CRATE_A, CRATE_B, SHEET, EARLY, LATE};

static void check_vertices(const wr_vec3 *positions, int frame, bool ground)
{
    const wr_vec3 *p = positions + (ground ? 4 : 0);
    for (int k = ground ? 1 : 0; k < BODIES; k++) {
        int body = numbers[k];
        if (body == GROUND) {
            continue;
        }
        const wr_mesh *mesh = body == SHEET ? sheets->meshes : box->meshes;
        bool hidden = (body == EARLY && frame >= REMOVED) || (body == LATE && frame < BORN);
        int used = body == SHEET ? GRID * GRID : mesh->vertex_count;
        for (int i = 0; i < used; i++, p++) {
            wr_vec3 local = body == SHEET ? sheet_point(mesh, i, frame) : mesh->positions[i];
            wr_pose pose = pose_at(body, body == LATE && frame < BORN ? BORN : frame);
            wr_vec3 expected = hidden ? pose.position : wr_pose_point(pose, local);
            if (memcmp(p, &expected, sizeof expected) != 0) {
                fail_msg("frame %d, body %d, vertex %d: (%g, %g, %g), expected (%g, %g, %g)", frame,
                         body, i, (double)p->x, (double)p->y, (double)p->z, (double)expected.x,
                         (double)expected.y, (double)expected.z);
            }
        }
    }
}

static int vertex_total(void)
{
    return 4 + GRID * GRID + 4 * box->meshes->vertex_count;
}

static void caches_have_the_vertices_of_the_recording(void **state)
{
    (void)state;
    for (int format = WR_CACHE_PC2; format <= WR_CACHE_MDD; format++) {
        const char *path = in_folder(format ? "take m.mdd" : "take p.pc2");
        assert_ran(RUN(recording, "-o", path));
        wr_cache *cache = read_cache(path);
        assert_int_equal(cache->format, format);
        assert_int_equal(cache->frame_count, FRAMES);
        assert_int_equal(cache->point_count, vertex_total());
        for (int f = 0; f < FRAMES; f++) {
            check_vertices(cache->positions + (size_t)f * (size_t)cache->point_count, f, true);
        }
        CHECK_NEAR(cache->times[12], format ? 0.2 : 12.0, 1e-7);
        wr_cache_destroy(cache);
    }
}

// The v lines of an OBJ file.
static wri_array read_obj_vertices(const char *path, int *objects)
{
    size_t size;
    char *text = read_whole(path, &size);
    wri_array out = wri_array_create(NULL, sizeof(wr_vec3));
    *objects = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        *objects += line[0] == 'o' && line[1] == ' ';
        if (line[0] == 'v' && line[1] == ' ') {
            wri_array n = usda_numbers(line, strlen(line));
            assert_int_equal(n.count, 3);
            *(wr_vec3 *)wri_array_add(&out, 1) =
                wr_v3((float)WRI_ITEM(n, double, 0), (float)WRI_ITEM(n, double, 1),
                      (float)WRI_ITEM(n, double, 2));
            wri_array_destroy(&n);
        }
    }
    wri_free(NULL, text, size + 1, 1);
    return out;
}

static void the_obj_beside_a_cache_has_its_vertex_order(void **state)
{
    (void)state;
    assert_ran(RUN(recording, "-o", in_folder("take p.pc2")));
    int objects;
    wri_array vertices = read_obj_vertices(in_folder("take p.obj"), &objects);
    wr_cache *cache = read_cache(in_folder("take p.pc2"));
    assert_int_equal(objects, 1); // or programs would not put the cache on it
    assert_int_equal(vertices.count, cache->point_count);
    for (int i = 0; i < vertices.count; i++) {
        wr_vec3 p = WRI_ITEM(vertices, wr_vec3, i), q = cache->positions[i];
        assert_true(p.x == q.x && p.y == q.y && p.z == q.z);
    }
    wr_model *back = read_ok(in_folder("take p.obj"));
    assert_int_equal(back->meshes->vertex_count, cache->point_count);
    assert_memory_equal(back->meshes->positions, cache->positions,
                        (size_t)cache->point_count * sizeof(wr_vec3));
    wr_model_destroy(back);
    wri_array_destroy(&vertices);
    wr_cache_destroy(cache);
}

static void rate_range_and_bodies_can_be_chosen(void **state)
{
    (void)state;
    const char *path = in_folder("part.pc2");
    assert_ran(RUN(recording, "-o", path, "--fps", "20", "--from", "0.1", "--to", "0.4", "--body",
                   "crate*,early"));
    wr_cache *cache = read_cache(path);
    int n = box->meshes->vertex_count;
    assert_int_equal(cache->point_count, 3 * n);
    assert_int_equal(cache->frame_count, 7); // frames 6, 9, ... 24
    for (int f = 0; f < 7; f++) {
        for (int i = 0; i < 2 * n; i++) {
            wr_vec3 q = wr_pose_point(pose_at(i < n ? CRATE_A : CRATE_B, 6 + 3 * f),
                                      box->meshes->positions[i % n]);
            assert_memory_equal(&cache->positions[f * 3 * n + i], &q, sizeof q);
        }
    }
    wr_cache_destroy(cache);
}

// --- sequences --------------------------------------------------------------------------------

static void sequences_are_numbered_and_hold_what_is_there(void **state)
{
    (void)state;
    assert_ran(RUN(recording, "-o", in_folder("frames/take.###.obj")));
    assert_ran(RUN(recording, "-o", in_folder("frames/take_#.ply"), "--text"));
    assert_ran(RUN(recording, "-o", in_folder("folder/"), "--to", "0.05"));
    assert_true(wri_file_exists(in_folder("folder/take.0003.obj")));
    assert_false(wri_file_exists(in_folder("folder/take.0004.obj")));
    assert_true(wri_file_exists(in_folder("frames/take.mtl")));
    assert_false(wri_file_exists(in_folder("frames/take.030.obj")));
    for (int f = 0; f < FRAMES; f++) {
        char name[64];
        snprintf(name, sizeof name, "frames/take.%03d.obj", f);
        int objects;
        wri_array vertices = read_obj_vertices(in_folder(name), &objects);
        int there = BODIES - (f < BORN) - (f >= REMOVED);
        assert_int_equal(objects, there);
        assert_int_equal(vertices.count,
                         vertex_total() - (BODIES - there) * box->meshes->vertex_count);
        wr_vec3 q = wr_pose_point(pose_at(CRATE_A, f), box->meshes->positions[0]);
        assert_memory_equal(&WRI_ITEM(vertices, wr_vec3, 4), &q, sizeof q);
        wri_array_destroy(&vertices);
        snprintf(name, sizeof name, "frames/take_%d.ply", f);
        wr_model *ply = read_ok(in_folder(name));
        assert_memory_equal(&ply->meshes->positions[4], &q, sizeof q);
        wr_model_destroy(ply);
    }
    wr_model *model = read_ok(in_folder("frames/take.012.obj"));
    assert_string_equal(model->nodes[CRATE_B].name, "crate 2");
    assert_true(model->look_count > 0 && model->image_count == 1); // through the shared library
    wr_model_destroy(model);
}

// --- USD --------------------------------------------------------------------------------------

static wri_array attribute_numbers(const usda *u, const char *prim, const char *declaration)
{
    const usda_attribute *a = usda_attribute_of(u, prim, declaration);
    if (!a || !a->value) {
        fail_msg("%s has no %s", prim, declaration);
    }
    return usda_numbers(a->value, a->length);
}

static int number_count(const usda *u, const char *prim, const char *declaration)
{
    wri_array n = attribute_numbers(u, prim, declaration);
    int count = n.count;
    wri_array_destroy(&n);
    return count;
}

static void check_mesh(const usda *u, const char *path)
{
    wri_array counts = attribute_numbers(u, path, "int[] faceVertexCounts");
    wri_array indices = attribute_numbers(u, path, "int[] faceVertexIndices");
    int points = number_count(u, path, "point3f[] points"), sum = 0;
    assert_int_equal(points % 3, 0);
    for (int i = 0; i < counts.count; i++) {
        sum += (int)WRI_ITEM(counts, double, i);
    }
    assert_int_equal(sum, indices.count);
    for (int i = 0; i < indices.count; i++) {
        assert_true(WRI_ITEM(indices, double, i) < points / 3);
    }
    if (usda_attribute_of(u, path, "normal3f[] normals")) {
        assert_int_equal(number_count(u, path, "normal3f[] normals"), points);
    }
    if (usda_attribute_of(u, path, "texCoord2f[] primvars:st")) {
        assert_int_equal(number_count(u, path, "texCoord2f[] primvars:st"), points / 3 * 2);
    }
    assert_int_equal(number_count(u, path, "float3[] extent"), 6);
    wri_array_destroy(&counts);
    wri_array_destroy(&indices);
}

// Every path in angle brackets leads to a prim, and stays inside what is referred to.
static void check_paths(const usda *u)
{
    for (const char *s = strstr(u->text, "</"); s; s = strstr(s + 1, "</")) {
        char path[512];
        size_t length = strcspn(s + 1, ".>");
        usda_copy(path, sizeof path, s + 1, s + 1 + length);
        if (!usda_find(u, path)) {
            fail_msg("<%s> leads nowhere", path);
        }
    }
}

static usda read_usda(const char *path)
{
    size_t size;
    char *text = read_whole(path, &size);
    usda u;
    usda_read(&u, text, size);
    check_paths(&u);
    for (int i = 0; i < u.prims.count; i++) {
        const usda_prim *prim = &WRI_ITEM(u.prims, usda_prim, i);
        if (strcmp(prim->type, "Mesh") == 0) {
            check_mesh(&u, prim->path);
        }
    }
    return u;
}

static void free_usda(usda *u)
{
    wri_free(NULL, u->text, u->size + 1, 1);
    usda_destroy(u);
}

static void usd_has_the_poses_of_the_recording(void **state)
{
    (void)state;
    assert_ran(RUN(recording, "-o", in_folder("take.usda")));
    usda u = read_usda(in_folder("take.usda"));
    static const char *const paths[BODIES] = {[CRATE_A] = "/test_take/crate_1",
                                              [CRATE_B] = "/test_take/crate_2",
                                              [SHEET] = "/test_take/sheet",
                                              [LATE] = "/test_take/late",
                                              [EARLY] = "/test_take/early"};
    for (int b = CRATE_A; b < BODIES; b++) {
        wri_array places = attribute_numbers(&u, paths[b], "double3 xformOp:translate.timeSamples");
        assert_true(places.count >= 8 &&
                    places.count <= 4 * FRAMES); // frames on a line are left out
        for (int f = 0; f < FRAMES; f++) {
            wr_pose pose = pose_at(b, b == LATE && f < BORN ? BORN : f);
            wr_pose now = usda_pose(&u, paths[b], f);
            assert_true(wr_distance(now.position, pose.position) < 2e-5f);
            assert_true(fabsf(wr_quat_dot(now.rotation, pose.rotation)) > 1.0f - 1e-6f);
        }
        wri_array_destroy(&places);
    }
    const usda_attribute *seen = usda_attribute_of(&u, paths[LATE], "token visibility.timeSamples");
    assert_non_null(seen);
    assert_non_null(strstr(seen->value, "0: \"invisible\""));
    assert_non_null(strstr(seen->value, "7: \"inherited\""));
    seen = usda_attribute_of(&u, paths[EARLY], "token visibility.timeSamples");
    assert_non_null(strstr(seen->value, "19: \"invisible\""));
    free_usda(&u);
}

static void usd_has_the_points_of_what_bends(void **state)
{
    (void)state;
    assert_ran(RUN(recording, "-o", in_folder("take.usda")));
    usda u = read_usda(in_folder("take.usda"));
    const wr_mesh *mesh = sheets->meshes;
    int n = mesh->vertex_count;
    wri_array points =
        attribute_numbers(&u, "/test_take/sheet/mesh", "point3f[] points.timeSamples");
    assert_int_equal(points.count, FRAMES * (1 + 3 * n));
    for (int f = 0; f < FRAMES; f += 3) {
        const double *frame = &WRI_ITEM(points, double, f *(1 + 3 * n));
        assert_true(frame[0] == f);
        for (int i = 0; i < n; i++) {
            wr_vec3 p = sheet_point(mesh, i, f);
            assert_true((float)frame[1 + 3 * i] == p.x && (float)frame[2 + 3 * i] == p.y &&
                        (float)frame[3 + 3 * i] == p.z);
        }
    }
    wri_array_destroy(&points);
    // Several looks: a subset each, with their materials beside.
    assert_non_null(usda_find(&u, "/test_take/sheet/mesh/red_paint"));
    assert_non_null(usda_find(&u, "/test_take/sheet/Looks/cloth__2/Texture"));
    assert_int_equal(number_count(&u, "/test_take/sheet/mesh/red_paint", "int[] indices"), 50);
    free_usda(&u);
}

static void assert_named(const usda *u, const char *path, const char *name)
{
    const usda_prim *prim = usda_find(u, path);
    if (!prim) {
        fail_msg("there is no %s", path);
    }
    char shown[100], kept[100];
    snprintf(shown, sizeof shown, "displayName = \"%s\"", name);
    snprintf(kept, sizeof kept, "string name = \"%s\"", name);
    if (!strstr(prim->metadata, shown) || !strstr(prim->metadata, kept)) {
        fail_msg("%s is not called %s: %s", path, name, prim->metadata);
    }
}

static void usd_keeps_names_that_are_no_identifiers(void **state)
{
    (void)state;
    wr_model *model = make_model();
    model->name = "B\xc3\xbchne";
    model->nodes[0].name = "Blech \xc3\xa4";
    model->nodes[1].name = "Blech \xc3\xb6";
    model->meshes[0].name = "\xe7\x90\x83";
    model->meshes[1].name = "sheet";
    model->looks[0].name = "gr\xc3\xbcn";
    model->looks[1].name = "gr\xc3\xb6n \"2\"";
    OK(wr_model_write_usda(model, NULL, in_folder("names.usda"), &error));
    usda u = read_usda(in_folder("names.usda"));
    for (int i = 0; i < u.prims.count; i++) {
        for (const char *s = WRI_ITEM(u.prims, usda_prim, i).path; *s; s++) {
            assert_true(strchr("/_", *s) || (*s >= '0' && *s <= '9') || (*s >= 'A' && *s <= 'Z') ||
                        (*s >= 'a' && *s <= 'z'));
        }
    }
    assert_named(&u, "/B__hne", "B\xc3\xbchne");
    assert_named(&u, "/B__hne/Blech___", "Blech \xc3\xa4");
    assert_named(&u, "/B__hne/Blech____2", "Blech \xc3\xb6"); // another one
    assert_named(&u, "/B__hne/Blech___/mesh", "\xe7\x90\x83");
    assert_named(&u, "/B__hne/Blech___/Looks/gr__n", "gr\xc3\xbcn");
    assert_named(&u, "/B__hne/Blech___/Looks/gr__n__2_", "gr\xc3\xb6n \\\"2\\\"");
    free_usda(&u);
    wr_model_destroy(model);
}

static void usd_writes_equal_meshes_once(void **state)
{
    (void)state;
    assert_ran(RUN(recording, "-o", in_folder("take.usda")));
    usda u = read_usda(in_folder("take.usda"));
    int meshes = 0, shared = 0;
    for (int i = 0; i < u.prims.count; i++) {
        const usda_prim *prim = &WRI_ITEM(u.prims, usda_prim, i);
        meshes += strcmp(prim->type, "Mesh") == 0;
        shared += strstr(prim->metadata, "references = </Shapes/") != NULL;
    }
    assert_int_equal(meshes, 4); // ground, box, sheet, tinted box
    assert_int_equal(shared, 3); // two crates and early
    assert_string_equal(usda_find(&u, "/Shapes")->specifier, "class");
    free_usda(&u);
}

// --- glTF -------------------------------------------------------------------------------------

static void glb_has_the_poses_and_shapes_of_the_recording(void **state)
{
    (void)state;
    assert_ran(RUN(recording, "-o", in_folder("take.glb")));
    wr_model *model = read_ok(in_folder("take.glb"));
    static const int bodies[BODIES] = {GROUND, CRATE_A, CRATE_B, SHEET, EARLY, LATE};
    assert_int_equal(model->node_count, BODIES + 2); // camera and sun
    wr_mat34 world[BODIES + 2];
    float weights[32];
    assert_true(wr_model_weight_count(model) > 0 && wr_model_weight_count(model) <= 32);
    for (int f = 0; f < FRAMES; f += 3) {
        wr_model_pose(model, &model->clips[0], f / 60.0, world, weights);
        for (int k = 1; k < BODIES; k++) {
            int b = bodies[k];
            const wr_mesh *mesh = &model->meshes[model->nodes[k].mesh];
            const wr_mesh *source = b == SHEET ? sheets->meshes : box->meshes;
            bool hidden = (b == EARLY && f >= REMOVED) || (b == LATE && f < BORN);
            wr_vec3 places[GRID * GRID + 1];
            wr_mesh_deform(mesh, b == SHEET ? weights : NULL, &world[k], NULL, places, NULL);
            for (int i = 0; i < (b == SHEET ? GRID * GRID : source->vertex_count); i++) {
                wr_vec3 local = b == SHEET ? sheet_point(source, i, f) : source->positions[i];
                wr_pose pose = pose_at(b, b == LATE && f < BORN ? BORN : f);
                wr_vec3 expected = hidden ? pose.position : wr_pose_point(pose, local);
                CHECK_NEAR(wr_distance(places[i], expected), 0.0, 1e-5);
            }
        }
    }
    wr_model_destroy(model);
}

// --- models by the program --------------------------------------------------------------------

static void models_are_converted(void **state)
{
    (void)state;
    wr_model *model = make_model();
    OK(wr_model_write_obj(model, NULL, in_folder("from.obj"), &error));
    static const char *const endings[] = {"glb", "ply", "obj", "usda"};
    for (int i = 0; i < WRI_COUNT(endings); i++) {
        char name[64];
        snprintf(name, sizeof name, "to.%s", endings[i]);
        const char *path = in_folder(name);
        assert_ran(RUN(in_folder("from.obj"), "-o", path));
        if (strcmp(endings[i], "usda") == 0) {
            usda u = read_usda(path);
            assert_non_null(usda_find(&u, "/from/lower_sheet/mesh"));
            free_usda(&u);
            continue;
        }
        wr_model *back = read_ok(path);
        if (back->mesh_count == 2) {
            assert_same_surface(&back->meshes[1], &model->meshes[1]);
        }
        wr_model_destroy(back);
    }
    wr_model_destroy(model);
}

// --- trouble ----------------------------------------------------------------------------------

static void wrong_words_are_one_sentence(void **state)
{
    (void)state;
    OK(wr_model_write_ply(sheets, false, in_folder("model.ply"), &error));
    const struct {
        const char *words[5];
        int status;
        const char *sentence;
    } cases[] = {
        {{recording, "-o", "take.fbx"}, 2, "take.fbx: unknown kind of file, expected .glb, .usda"},
        {{recording, "-o", "take.obj"},
         2,
         "a recording becomes a file per frame, such as take.####.obj"},
        {{recording, "-o", ".glb"}, 2, ".glb: unknown kind of file"},
        {{in_folder("model.ply"), "-o", "x.pc2"}, 2, "x.pc2: a model has no frames"},
        {{in_folder("model.ply"), "-o", in_folder("model.ply")}, 2, "would be written over itself"},
        {{in_folder("model.ply"), "-o", in_folder("")}, 2, "is a folder, expected a file"},
        {{recording, "-b", "crate 3"},
         1,
         "no body is called \"crate 3\"; did you mean \"crate 1\"?"},
        {{recording, "--from", "7"}, 1, "nothing between --from and --to"},
        {{in_folder("nowhere"), "-o", "x.pc2"}, 1, "nowhere: cannot open"},
        {{recording, "-o", in_folder("nowhere/x.pc2")},
         1,
         "x.pc2: cannot create: there is no folder "},
        {{recording, "-o", in_folder("f#/x.obj")}, 2, "a recording becomes a file per frame"},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        const char *words[6] = {0};
        memcpy(words, cases[i].words, sizeof cases[i].words);
        outcome o = finish(start(words, RLIM_INFINITY));
        const char *newline = strchr(o.errors, '\n');
        if (o.status != cases[i].status || !strstr(o.errors, cases[i].sentence) || !newline ||
            newline[1]) {
            fail_msg("case %d: status %d, said: %s", i, o.status, o.errors);
        }
    }
}

static void a_full_disk_is_one_sentence_and_no_file(void **state)
{
    (void)state;
    static const char *const names[] = {"full.pc2", "full.mdd",    "full.usda",
                                        "full.glb", "full.##.obj", "full.##.ply"};
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char part[64];
        const char *words[] = {recording, "-o", in_folder(names[i]), NULL};
        outcome o = finish(start(words, 9000));
        const char *newline = strchr(o.errors, '\n');
        if (o.status != 3 || !newline || newline[1] ||
            !strstr(o.errors, "cannot write: File too large")) {
            fail_msg("%s: status %d, said: %s", names[i], o.status, o.errors);
        }
        snprintf(part, sizeof part, "%s",
                 i < 4    ? names[i]
                 : i == 4 ? "full.00.obj"
                          : "full.00.ply");
        assert_false(has_part(in_folder(part)));
        assert_false(wri_file_exists(in_folder(part)));
    }
}

static void nap(double seconds)
{
    struct timespec time = {0, (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

// Starts an export, waits until `sign` has some bytes, interrupts. True when that was in time.
// sign: a file that tells that it has begun; NULL: a part of the output.
static bool interrupt(const char *output, const char *sign, outcome *o)
{
    const char *words[] = {in_folder("long.wrought"), "-o", output, NULL};
    pid_t child = start(words, RLIM_INFINITY);
    for (int i = 0; i < 5000 && !(sign ? wri_file_size(sign) >= 1000 : has_part(output)); i++) {
        nap(0.0005);
    }
    nap(sign ? 0.0 : 0.02);
    kill(child, SIGINT);
    *o = finish(child);
    return o->status == 130;
}

static void ctrl_c_leaves_whole_files(void **state)
{
    (void)state;
    enum { LONG = 3000 };
    write_recording(in_folder("long.wrought"), LONG);
    static const char *const caches[] = {"long.pc2", "long.mdd"};
    for (int i = 0; i < 2; i++) {
        const char *path = in_folder(caches[i]);
        outcome o = {0};
        bool caught = false;
        for (int k = 0; k < 20 && !caught; k++) {
            wri_file_remove(path);
            caught = interrupt(path, NULL, &o) && wri_file_exists(path);
        }
        assert_true(caught);
        assert_non_null(strstr(o.errors, "interrupted; "));
        wr_cache *cache = read_cache(path); // the counts fit the bytes
        assert_true(cache->frame_count > 0 && cache->frame_count < LONG);
        int last = cache->frame_count - 1;
        check_vertices(cache->positions + (size_t)last * (size_t)cache->point_count, last, true);
        wr_cache_destroy(cache);
    }
    outcome o = {0};
    bool caught = false;
    for (int k = 0; k < 20 && !caught; k++) {
        caught = interrupt(in_folder("long/f.####.obj"), in_folder("long/f.0010.obj"), &o);
    }
    assert_true(caught);
    assert_non_null(strstr(o.errors, "interrupted; the first "));
    int first = atoi(strstr(o.errors, "the first ") + 10);
    char name[64];
    snprintf(name, sizeof name, "long/f.%04d.obj", first - 1);
    wr_model_destroy(read_ok(in_folder(name)));
    snprintf(name, sizeof name, "long/f.%04d.obj", first);
    assert_false(has_part(in_folder(name)));
}

static void files_that_nobody_named_are_left_alone(void **state)
{
    (void)state;
    char model[600], dotted[700], link[700];
    snprintf(model, sizeof model, "%s", in_folder("own.obj"));
    snprintf(dotted, sizeof dotted, "%s/./own.obj", in_folder(""));
    snprintf(link, sizeof link, "%s", in_folder("link.obj"));
    const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_true(wri_file_write(model, text, sizeof text - 1, NULL));
    assert_int_equal(symlink(model, link), 0);
    const char *const over[][3] = {{model, "-o", dotted}, {link, "-o", model}};
    for (int i = 0; i < 2; i++) {
        const char *words[] = {over[i][0], over[i][1], over[i][2], NULL};
        outcome o = finish(start(words, RLIM_INFINITY));
        assert_int_equal(o.status, 2);
        assert_non_null(strstr(o.errors, "would be written over itself"));
        assert_int_equal(wri_file_size(model), sizeof text - 1);
    }
    // A file that has the name a careless writer would take for what is not whole yet.
    char part[700];
    snprintf(part, sizeof part, "%s", in_folder("new.glb.part"));
    assert_true(wri_file_write(part, "notes", 5, NULL));
    const char *words[] = {model, "-o", in_folder("new.glb"), NULL};
    assert_int_equal(finish(start(words, RLIM_INFINITY)).status, 0);
    assert_int_equal(wri_file_size(part), 5);
}

static void put(const char *path, const char *text)
{
    assert_true(wri_file_write(path, text, strlen(text), NULL));
}

// The output is refused while the file is in the way, and nothing else is touched; --force and a
// second export go through.
static void check_in_the_way(const char *input, const char *output, const char *beside)
{
    put(beside, "the artist's own");
    wri_file_remove(output);
    outcome o = RUN(input, "-o", output);
    if (o.status != 1 || !strstr(o.errors, beside) || !strstr(o.errors, "is in the way")) {
        fail_msg("%s: status %d, said: %s", beside, o.status, o.errors);
    }
    assert_file_is(beside, (const uint8_t *)"the artist's own", 16);
    assert_false(wri_file_exists(output));
    assert_ran(RUN(input, "-o", output, "--force"));
    assert_true(wri_file_size(beside) != 16);
    assert_ran(RUN(input, "-o", output));
}

static void files_of_others_beside_an_output_stay(void **state)
{
    (void)state;
    wr_model *model = make_model();
    OK(wr_model_write_glb(model, in_folder("paint.glb"), &error));
    wr_model_destroy(model);
    const char *paint = in_folder("paint.glb");
    assert_ran(RUN(paint, "-o", in_folder("z.obj"))); // its picture tells us the name
    check_in_the_way(paint, in_folder("z.obj"), in_folder("z.mtl"));
    check_in_the_way(paint, in_folder("z.obj"), in_folder("z_che_cker.png"));
    check_in_the_way(paint, in_folder("y.usda"), in_folder("y_che_cker.png"));
    check_in_the_way(recording, in_folder("t.pc2"), in_folder("t.obj"));
    check_in_the_way(recording, in_folder("t.mdd"), in_folder("t.mtl"));
    check_in_the_way(recording, in_folder("u.usda"), in_folder("u_che_cker.png"));
}

static int count_files(const char *path, const char *ending)
{
    int count = 0;
    DIR *list = opendir(path);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        size_t length = strlen(entry->d_name), end = strlen(ending);
        count += length >= end && strcmp(entry->d_name + length - end, ending) == 0;
    }
    if (list) {
        closedir(list);
    }
    return count;
}

static void a_shorter_sequence_leaves_nothing_of_a_longer_one(void **state)
{
    (void)state;
    static const char *const endings[] = {".obj", ".ply"};
    for (int i = 0; i < 2; i++) {
        char pattern[64], last[64], other[64], own[64];
        snprintf(pattern, sizeof pattern, "seq/take.##%s", endings[i]);
        snprintf(last, sizeof last, "seq/take.77%s", endings[i]);
        snprintf(other, sizeof other, "seq/take.007%s", endings[i]);
        snprintf(own, sizeof own, "seq/notes.05%s", endings[i]);
        assert_ran(RUN(recording, "-o", in_folder(pattern)));
        assert_int_equal(count_files(in_folder("seq"), endings[i]), FRAMES);
        put(in_folder(other), "not of this sequence");
        put(in_folder(own), "not of this sequence");
        assert_ran(RUN(recording, "-o", in_folder(pattern), "--to", "0.05"));
        assert_int_equal(count_files(in_folder("seq"), endings[i]), 4 + 2);
        put(in_folder(last), "the artist's own");
        outcome o = RUN(recording, "-o", in_folder(pattern));
        assert_int_equal(o.status, 1);
        assert_non_null(strstr(o.errors, "is in the way"));
        assert_int_equal(count_files(in_folder("seq"), endings[i]), 4 + 3);
        assert_ran(RUN(recording, "-o", in_folder(pattern), "--force"));
        assert_int_equal(count_files(in_folder("seq"), endings[i]), FRAMES + 2);
    }
}

static void an_interrupted_sequence_is_no_mixture(void **state)
{
    (void)state;
    write_recording(in_folder("long.wrought"), 1500);
    outcome o = {0};
    bool caught = false;
    for (int k = 0; k < 20 && !caught; k++) {
        assert_ran(RUN(in_folder("long.wrought"), "-o", in_folder("mixed/f.####.ply"), "--to", "4",
                       "--body", "ground"));
        wri_file_remove(in_folder("mixed/f.0003.ply"));
        caught = interrupt(in_folder("mixed/f.####.ply"), in_folder("mixed/f.0003.ply"), &o) &&
                 strstr(o.errors, "the first ");
    }
    assert_true(caught);
    assert_int_equal(count_files(in_folder("mixed"), ".ply"),
                     atoi(strstr(o.errors, "the first ") + 10));
}

static void a_folder_is_a_folder_whatever_its_name(void **state)
{
    (void)state;
    assert_true(wri_folder_create(in_folder("d.glb"), NULL));
    outcome o = RUN(recording, "-o", in_folder("d.glb"));
    assert_int_equal(o.status, 2);
    assert_non_null(strstr(o.errors, "d.glb: is a folder, expected a file"));
    assert_int_equal(count_files(in_folder("d.glb"), ".obj"), 0);
    assert_ran(RUN(recording, "-o", in_folder("d.glb/"), "--to", "0.05"));
    assert_int_equal(count_files(in_folder("d.glb"), ".obj"), 4);
    write_recording(in_folder("d.glb/recording.wrought"), 2);
    assert_ran(RUN(in_folder("d.glb"), "-o", in_folder("from-folder.glb")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_nobody_named_are_left_alone),
        cmocka_unit_test(files_of_others_beside_an_output_stay),
        cmocka_unit_test(a_shorter_sequence_leaves_nothing_of_a_longer_one),
        cmocka_unit_test(an_interrupted_sequence_is_no_mixture),
        cmocka_unit_test(a_folder_is_a_folder_whatever_its_name),
        cmocka_unit_test(pc2_has_the_layout_of_its_description),
        cmocka_unit_test(mdd_has_the_layout_of_its_description),
        cmocka_unit_test(times_of_a_cache_have_the_whole_rate),
        cmocka_unit_test(caches_read_back_with_the_same_bits),
        cmocka_unit_test(a_cache_that_ends_early_is_that_of_fewer_frames),
        cmocka_unit_test(a_cache_that_is_given_up_leaves_nothing),
        cmocka_unit_test(a_broken_cache_is_one_sentence),
        cmocka_unit_test(an_obj_reads_back_equal),
        cmocka_unit_test(a_ply_reads_back_equal_as_bytes_and_as_text),
        cmocka_unit_test(nodes_are_placed_in_obj_and_ply),
        cmocka_unit_test(equal_and_odd_names_stay_apart),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
        cmocka_unit_test(caches_have_the_vertices_of_the_recording),
        cmocka_unit_test(the_obj_beside_a_cache_has_its_vertex_order),
        cmocka_unit_test(rate_range_and_bodies_can_be_chosen),
        cmocka_unit_test(sequences_are_numbered_and_hold_what_is_there),
        cmocka_unit_test(usd_has_the_poses_of_the_recording),
        cmocka_unit_test(usd_has_the_points_of_what_bends),
        cmocka_unit_test(usd_keeps_names_that_are_no_identifiers),
        cmocka_unit_test(usd_writes_equal_meshes_once),
        cmocka_unit_test(glb_has_the_poses_and_shapes_of_the_recording),
        cmocka_unit_test(models_are_converted),
        cmocka_unit_test(wrong_words_are_one_sentence),
        cmocka_unit_test(a_full_disk_is_one_sentence_and_no_file),
        cmocka_unit_test(ctrl_c_leaves_whole_files),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
