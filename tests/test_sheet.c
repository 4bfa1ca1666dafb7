// test_sheet.c: recordings of drawings as films, sprite sheets and glTF.
#include "drawing.h"
#include "program.h"
#include "same_model.h"

#include "../src/file/json.h"
#include "../src/file/png.h"
#include "wrought/file.h"
#include "wrought/record.h"

enum { FRAMES = 31, HERO = 1, BODIES = 3 };

static temporary_folder folder;
static char recording[600];
static drawing hero;

static const char *path_in(char *out, const char *name)
{
    snprintf(out, 600, "%s/%s", folder.path, name);
    return out;
}

// Walks 0.2 m a frame to the right while it is squashed and stretched again. Half of the way is in
// its pose, half in its points.
static float squash_at(int frame)
{
    return 0.3f - 0.3f * cosf(2.0f * WR_PI * (float)frame / 30.0f);
}

static void fill_points(int frame, wr_vec3 *points)
{
    float s = squash_at(frame);
    for (int i = 0; i < 4; i++) {
        wr_vec3 p = hero.positions[i];
        points[i] = wr_v3((1.0f + s) * p.x + 0.1f * (float)frame, (1.0f - s) * p.y, 0.0f);
    }
}

static void write_recording(const char *path)
{
    wr_error error = {0};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1),
                                              (wr_color){0.8f, 0.4f, 0.1f, 1.0f}, &error);
    const wr_model *models[] = {&hero.model, box};
    const wr_record_body bodies[BODIES] = {
        {"ground", "rigid", -1, true, true, {0.2f, 0.5f, 0.2f, 1.0f}},
        {"hero", "sprite", 0, false, false, {1, 1, 1, 1}},
        {"crate", "rigid", 1, false, false, {1, 1, 1, 1}},
    };
    wr_record_info info = {.title = "drawn",
                           .program = "test",
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = FRAMES - 1,
                           .model_count = 2,
                           .models = models,
                           .body_count = BODIES,
                           .bodies = bodies};
    info.stage = wr_stage_default();
    info.stage.flat.on = true;
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    for (int f = 0; f < FRAMES; f++) {
        wr_pose poses[BODIES] = {WR_POSE_IDENTITY, WR_POSE_IDENTITY, WR_POSE_IDENTITY};
        wr_vec3 points[4];
        fill_points(f, points);
        poses[HERO].position = wr_v3(0.1f * (float)f, 1.0f, 0.0f);
        poses[2].position = wr_v3(5.0f, 0.5f, 0.0f);
        const wr_record_points list = {HERO, 4, points};
        wr_frame frame = {.index = f,
                          .time = f / 60.0,
                          .body_count = BODIES,
                          .poses = poses,
                          .points_count = 1,
                          .points = &list};
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    wr_model_destroy(box);
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    drawing_create(&hero, 0, 0, 0, 0);
    drawing_fill(&hero, 8, 8, 16, 16, 210, 90, 40, 255); // ink in the middle, nothing around it
    write_recording(path_in(recording, "drawn.wrought"));
    const char *keep = getenv("WROUGHT_DRAWN"); // where other programs want a drawing that bends
    if (keep) {
        write_recording(keep);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// --- running it -------------------------------------------------------------------------------

static int run(program_run run, char *errors, size_t size)
{
    snprintf(errors, size, "%s", run.said);
    return run.status;
}

#define RUN(...) run(RUN_PROGRAM(__VA_ARGS__), errors, sizeof errors)

static wr_image read_picture(wri_arena *arena, const char *path)
{
    size_t size;
    wr_error error = {0};
    wr_image image = {0};
    char *bytes = wri_file_read(path, 1 << 24, NULL, &size, &error);
    if (!bytes || !wri_png_decode(arena, bytes, size, path, &image, &error)) {
        fail_msg("%s", error.message);
    }
    wri_free(NULL, bytes, size + 1, 1);
    return image;
}

static const wri_json *read_json(wri_arena *arena, const char *path)
{
    size_t size;
    wr_error error = {0};
    char *text = wri_file_read(path, 1 << 24, NULL, &size, &error);
    const wri_json *json = text ? wri_json_parse(arena, text, size, path, false, &error) : NULL;
    if (!json) {
        fail_msg("%s", error.message);
    }
    wri_free(NULL, text, size + 1, 1);
    return json;
}

static int number(const wri_json *object, const char *key)
{
    const wri_json *value = wri_json_find(object, key);
    assert_non_null(value);
    assert_int_equal(value->type, WRI_JSON_NUMBER);
    return (int)value->number;
}

// --- sprite sheets ----------------------------------------------------------------------------

// Columns and rows of a cell that are more than half covered.
static void measure_cell(const wr_image *image, const wri_json *box, int *wide, int *high)
{
    int x = number(box, "x"), y = number(box, "y"), w = number(box, "w"), h = number(box, "h");
    assert_true(x >= 0 && y >= 0 && x + w <= image->width && y + h <= image->height);
    *wide = *high = 0;
    for (int i = 0; i < w; i++) {
        *wide += image->pixels[4 * ((y + h / 2) * image->width + x + i) + 3] > 127;
    }
    for (int i = 0; i < h; i++) {
        *high += image->pixels[4 * ((y + i) * image->width + x + w / 2) + 3] > 127;
    }
    const uint8_t *corner = image->pixels + 4 * (y * image->width + x);
    assert_int_equal(corner[3], 0);
    const uint8_t *middle = image->pixels + 4 * ((y + h / 2) * image->width + x + w / 2);
    assert_true(middle[0] == 210 && middle[1] == 90 && middle[2] == 40 && middle[3] == 255);
}

static void a_sheet_has_a_cell_for_every_nth_frame(void **state)
{
    (void)state;
    char png[600], words[600], errors[256];
    path_in(png, "hero.png");
    path_in(words, "hero.json");
    int status = RUN("export", recording, "-o", png, "--body", "hero", "--cell", "64", "--every",
                     "5", "--quiet");
    assert_int_equal(status, 0);
    wri_arena arena = wri_arena_create(NULL);
    wr_image image = read_picture(&arena, png);
    const wri_json *json = read_json(&arena, words), *frames = wri_json_find(json, "frames");
    const wri_json *meta = wri_json_find(json, "meta");
    assert_string_equal(wri_json_find(meta, "image")->string, "hero.png");
    assert_int_equal(number(wri_json_find(meta, "size"), "w"), image.width);
    assert_int_equal(number(wri_json_find(meta, "size"), "h"), image.height);
    assert_int_equal(frames->type, WRI_JSON_ARRAY);
    assert_int_equal(frames->count, 7);
    double scale = wri_json_find(meta, "pixelsPerMetre")->number;
    int total = 0;
    for (int i = 0; i < frames->count; i++) {
        const wri_json *frame = &frames->items[i], *box = wri_json_find(frame, "frame");
        int wide, high;
        measure_cell(&image, box, &wide, &high);
        float s = squash_at(5 * i); // the ink is half as wide as the square
        assert_in_range(wide, (int)(scale * (1.0 + s)) - 2, (int)(scale * (1.0 + s)) + 2);
        assert_in_range(high, (int)(scale * (1.0 - s)) - 2, (int)(scale * (1.0 - s)) + 2);
        assert_int_equal(number(box, "w"), 64); // the longest side of all frames
        const wri_json *at = wri_json_find(frame, "at");
        CHECK_NEAR(at->items[0].number, 0.2 * 5 * i, 1e-5);
        total += number(frame, "duration");
    }
    assert_int_equal(total, 583); // 7 cells of 5 frames at 60 per second
    wri_arena_destroy(&arena);
}

static void cells_do_not_overlap(void **state)
{
    (void)state;
    char png[600], words[600], errors[256];
    path_in(png, "many.png");
    path_in(words, "many.json");
    assert_int_equal(RUN("export", recording, "-o", png, "-b", "hero", "--cell", "32", "-q"), 0);
    wri_arena arena = wri_arena_create(NULL);
    wr_image image = read_picture(&arena, png);
    const wri_json *frames = wri_json_find(read_json(&arena, words), "frames");
    uint8_t *taken = wri_arena_alloc(&arena, (size_t)image.width * (size_t)image.height, 1);
    assert_int_equal(frames->count, FRAMES);
    for (int i = 0; i < frames->count; i++) {
        const wri_json *box = wri_json_find(&frames->items[i], "frame");
        for (int y = number(box, "y"); y < number(box, "y") + number(box, "h"); y++) {
            for (int x = number(box, "x"); x < number(box, "x") + number(box, "w"); x++) {
                assert_int_equal(taken[y * image.width + x]++, 0);
            }
        }
    }
    wri_arena_destroy(&arena);
}

static void wrong_sheets_are_one_sentence(void **state)
{
    (void)state;
    char png[600], glb[600], other[600], errors[256];
    wr_error error = {0};
    path_in(png, "wrong.png");
    path_in(glb, "wrong.glb");
    assert_int_equal(RUN("export", recording, "-o", png), 1);
    assert_non_null(strstr(errors, "2 bodies move, such as \"hero\"; --body says"));
    assert_int_equal(RUN("export", recording, "-o", png, "--body", "ground"), 1);
    assert_non_null(strstr(errors, "nothing to draw"));
    assert_int_equal(RUN("export", recording, "-o", glb, "--cell", "64"), 2);
    assert_non_null(strstr(errors, "are for sprite sheets"));
    assert_int_equal(RUN("export", recording, "-o", png, "-b", "hero", "--cell", "4096"), 1);
    assert_non_null(strstr(errors, "more than 16384 a side"));
    assert_false(wri_file_exists(png));
    assert_true(wri_file_write(path_in(other, "wrong.json"), "{}", 2, &error));
    assert_int_equal(RUN("export", recording, "-o", png, "-b", "hero"), 1);
    assert_non_null(strstr(errors, "is in the way"));
}

// --- glTF and films ---------------------------------------------------------------------------

static void glb_has_the_shapes_and_the_look_of_a_drawing(void **state)
{
    (void)state;
    char glb[600], errors[256];
    wr_error error = {0};
    path_in(glb, "hero.glb");
    assert_int_equal(RUN("export", recording, "-o", glb, "-b", "hero", "-q"), 0);
    wr_model *model = wr_model_read(glb, NULL, &error);
    assert_non_null(model);
    assert_same_look(&hero.model, 0, model, 0, true);
    assert_true(model->meshes[0].morph_count >= 1 && model->clip_count == 1);
    for (int f = 0; f < FRAMES; f += 6) {
        wr_mat34 world[4];
        float weights[64];
        wr_vec3 moved[4], points[4];
        assert_true(model->node_count <= 4 && wr_model_weight_count(model) <= 64);
        wr_model_pose(model, &model->clips[0], f / 60.0, world, weights);
        wr_mesh_deform(&model->meshes[0], weights, &world[0], NULL, moved, NULL);
        fill_points(f, points);
        for (int i = 0; i < 4; i++) {
            wr_vec3 p = wr_add(points[i], wr_v3(0.1f * (float)f, 1.0f, 0.0f));
            assert_true(wr_distance(moved[i], p) < 1e-4f);
        }
    }
    wr_model_destroy(model);
}

static void recordings_keep_flat_stages_and_looks(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(recording, &error);
    assert_non_null(reader);
    const wr_record_info *info = wr_record_about(reader);
    wr_stage stage = wr_stage_default();
    stage.flat.on = true;
    assert_true(info->stage.flat.on && info->stage.flat.line == stage.flat.line);
    assert_memory_equal(&info->stage.flat.top, &stage.flat.top, sizeof stage.flat.top);
    assert_same_look(&hero.model, 0, info->models[0], 0, true);
    wr_record_close(reader);
}

// The whole way of the drawing is in the picture, in its own colours, on the ground.
static void the_automatic_camera_frames_the_action(void **state)
{
    (void)state;
    char png[600], errors[256];
    path_in(png, "frame.png");
    static const char *const frames[] = {"0", "15", "30"};
    int last = -1;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            RUN("render", recording, "-o", png, "--frame", frames[i], "--size", "320x180", "-q"),
            0);
        wri_arena arena = wri_arena_create(NULL);
        wr_image image = read_picture(&arena, png);
        int count = 0, left = image.width, right = 0;
        for (int k = 0; k < image.width * image.height; k++) {
            const uint8_t *p = image.pixels + 4 * k;
            if (p[0] == 210 && p[1] == 90 && p[2] == 40) {
                count++;
                left = k % image.width < left ? k % image.width : left;
                right = k % image.width > right ? k % image.width : right;
            }
        }
        assert_true(count > 200 && left > 2 && right < image.width - 3 && left > last);
        last = left;
        const uint8_t *low = image.pixels + 4 * (image.width * (image.height - 1));
        assert_true(low[1] > low[0] && low[1] > low[2]); // green ground
        wri_arena_destroy(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_has_a_cell_for_every_nth_frame),
        cmocka_unit_test(cells_do_not_overlap),
        cmocka_unit_test(wrong_sheets_are_one_sentence),
        cmocka_unit_test(glb_has_the_shapes_and_the_look_of_a_drawing),
        cmocka_unit_test(recordings_keep_flat_stages_and_looks),
        cmocka_unit_test(the_automatic_camera_frames_the_action),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
