// test_show.c: takes without the program: frames as lists, cameras, pictures, films and files that
// can be stopped, and sentences for what cannot be done.
#include "check.h"

#include "../src/base/os.h"
#include "../src/render/canvas.h"
#include "asset_sample.h"
#include "wrought/wrought.h"

enum { GROUND, CRATE, BENT, LATE, BODIES, FRAMES = 10, BORN = 4, WIDTH = 64, HEIGHT = 48 };

static temporary_folder folder;
static wr_model *box;
static wr_asset *sample;

static const char *in_folder(const char *name)
{
    static char paths[16][700];
    static int next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/out/%s", folder.path, name);
    return path;
}

static wr_pose pose_at(int body, int frame)
{
    wr_vec3 at = {1.5f * (float)(body - BENT), 0.5f, 0.0f};
    at.x += body == CRATE ? 0.3f * (float)frame : 0.0f;
    return (wr_pose){body == GROUND ? wr_v3(0, 0, 0) : at, WR_QUAT_IDENTITY};
}

// --- a recording ------------------------------------------------------------------------------

static wr_record_writer *begin_recording(const char *path, const wr_record_body *bodies)
{
    wr_error error = {0};
    const wr_model *models[] = {box, sample->model};
    const wr_asset *assets[] = {sample};
    const wr_record_rig rigs[] = {{-1, 1.0f}, {0, 1.0f}};
    wr_record_info info = {.title = "show",
                           .program = "test",
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = FRAMES - 1,
                           .stage = wr_stage_default(),
                           .model_count = 2,
                           .models = models,
                           .asset_count = 1,
                           .assets = assets,
                           .rigs = rigs,
                           .body_count = BODIES - 1,
                           .bodies = bodies};
    info.stage.camera_count = 2;
    info.stage.cameras[0] = (wr_camera){"front", {0, 1, 6}, {0, 0.5f, 0}, 0.9f};
    info.stage.cameras[1] = (wr_camera){"along", {0, 1, 6}, {0, 0.5f, 0}, 0.3f, 0.0f, true, CRATE};
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    return writer;
}

static const wr_record_body all_bodies[BODIES] = {
    {"ground", "rigid", -1, true, true, {0.5f, 0.5f, 0.5f, 1}},
    {"crate", "rigid", 0, false, false, {1, 0.5f, 0.5f, 1}},
    {"bent", "metal", 1, false, false, {1, 1, 1, 1}},
    {"late", "rigid", 0, false, false, {1, 1, 1, 1}},
};

// One body goes to the right, one bends more and more, one is born on the way.
static void add_frames(wr_record_writer *writer, int from, int to)
{
    wr_error error = {0};
    int vertices[100], examples[100], n = sample->rig.vertex_count;
    float weights[100];
    for (int f = from; f < to; f++) {
        wr_pose poses[BODIES];
        for (int b = 0; b < BODIES; b++) {
            poses[b] = pose_at(b, f);
        }
        for (int i = 0; i < n; i++) {
            vertices[i] = i;
            examples[i] = 1;
            weights[i] = (float)f / FRAMES;
        }
        const wr_record_weights list = {BENT, n, vertices, examples, weights};
        const wr_event born = {WR_EVENT_BORN, LATE, CRATE, all_bodies[LATE]};
        wr_frame frame = {.index = f,
                          .time = f / 60.0,
                          .body_count = f >= BORN ? BODIES : BODIES - 1,
                          .poses = poses,
                          .weights_count = f > 0,
                          .weights = &list,
                          .event_count = f == BORN,
                          .events = &born};
        if (!wr_record_add_frame(writer, &frame, &error)) {
            fail_msg("%s", error.message);
        }
    }
}

static void end_recording(wr_record_writer *writer, bool complete)
{
    wr_error error = {0};
    assert_true(wr_record_finish(writer, complete, &error));
    wr_record_writer_destroy(writer);
}

static int setup(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    assert_true(wri_folder_create(in_folder("."), NULL));
    sample = sample_asset_create((sample_shape){3, 2, 4, false});
    box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(0.4f, 0.4f, 0.4f),
                                    (wr_color){0.8f, 0.6f, 0.4f, 1}, NULL);
    wr_record_writer *writer = begin_recording(in_folder(WR_RECORD_FILE), all_bodies);
    add_frames(writer, 0, FRAMES);
    end_recording(writer, true);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    wr_asset_destroy(sample);
    wr_model_destroy(box);
    temporary_folder_destroy(&folder);
    return 0;
}

static wr_take *open_take(void)
{
    wr_error error = {0};
    wr_take *take = wr_take_open(in_folder("."), &error);
    if (!take) {
        fail_msg("%s", error.message);
    }
    return take;
}

static wr_show *create_show(wr_take *take, wr_show_view view, const char *camera)
{
    wr_error error = {0};
    wr_show_desc desc = wr_show_desc_default();
    desc.take = take;
    desc.view = view;
    desc.camera = camera;
    desc.width = WIDTH;
    desc.height = HEIGHT;
    wr_show *show = wr_show_create(&desc, &error);
    if (!show) {
        fail_msg("%s", error.message);
    }
    return show;
}

static int count_entries(const char *name)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_array names = wri_array_create(NULL, sizeof(const char *));
    assert_true(wri_folder_list(in_folder(name), &arena, &names, NULL));
    int count = names.count;
    wri_array_destroy(&names);
    wri_arena_destroy(&arena);
    return count;
}

// Files in the folder besides the recording.
static int count_files(void)
{
    return count_entries(".") - 1;
}

static void clear_files(void)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_array names = wri_array_create(NULL, sizeof(const char *));
    assert_true(wri_folder_list(in_folder("."), &arena, &names, NULL));
    for (int i = 0; i < names.count; i++) {
        const char *name = WRI_ITEM(names, const char *, i);
        if (strcmp(name, WR_RECORD_FILE) != 0) {
            remove_tree(in_folder(name));
        }
    }
    wri_array_destroy(&names);
    wri_arena_destroy(&arena);
}

// --- takes ------------------------------------------------------------------------------------

static void a_take_is_a_file_a_folder_or_a_reader(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(in_folder(WR_RECORD_FILE), &error);
    wr_take *takes[] = {wr_take_open(in_folder("."), &error),
                        wr_take_open(in_folder(WR_RECORD_FILE), &error),
                        wr_take_create(reader, "mine", &error)};
    for (int i = 0; i < 3; i++) {
        wr_drawing list;
        assert_non_null(takes[i]);
        assert_int_equal(wr_record_frame_count(wr_take_reader(takes[i])), FRAMES);
        assert_true(wr_take_read(takes[i], 1, WR_PAINT_LOOKS, &list, &error));
        wr_take_close(takes[i]);
    }
    assert_int_equal(wr_record_frame_count(reader), FRAMES); // still open
    wr_record_close(reader);
    wr_take_close(NULL);
}

static void a_frame_is_a_list_of_things(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_take *take = open_take();
    for (int f = FRAMES - 1; f >= 0; f--) {
        wr_drawing list;
        assert_true(wr_take_read(take, f, WR_PAINT_LOOKS, &list, &error));
        assert_int_equal(list.count, f >= BORN ? BODIES : BODIES - 1);
        for (int i = 0; i < list.count; i++) {
            wr_pose pose = pose_at(i, f);
            assert_int_equal(list.bodies[i], i);
            CHECK_NEAR(wr_distance(list.things[i].pose.position, pose.position), 0.0, 1e-6);
            assert_null(list.things[i].colors);
            assert_int_equal(list.things[i].positions != NULL, i == BENT && f > 0);
            assert_int_equal(list.things[i].normals != NULL, i == BENT && f > 0);
        }
        assert_null(list.things[GROUND].model);
        assert_float_equal(list.things[CRATE].tint.g, 0.5f, 0.0f);
    }
    wr_take_close(take);
}

static void the_colours_of_a_list_are_those_of_the_examples(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_drawing list;
    wr_take *take = open_take();
    assert_true(wr_take_read(take, FRAMES - 1, WR_PAINT_EXAMPLES, &list, &error));
    int count = sample->rig.example_count;
    float row[8] = {0.1f, 0.9f};
    wr_color expected = wr_blend_color(row, count), grey = list.things[CRATE].colors[0];
    wr_color found = list.things[BENT].colors[0];
    assert_null(list.things[GROUND].colors);
    assert_true(grey.r == grey.g && grey.r < 0.5f);
    CHECK_NEAR(found.r, expected.r, 1e-3);
    CHECK_NEAR(found.g, expected.g, 1e-3);
    CHECK_NEAR(found.b, expected.b, 1e-3);
    assert_true(wr_take_read(take, 0, WR_PAINT_EXAMPLES, &list, &error));
    wr_color rest = wr_example_color(0, 1);
    assert_float_equal(list.things[BENT].colors[0].g, rest.g, 1e-6f);
    wr_take_close(take);
}

static void the_colours_of_a_painted_map_are_those_of_its_factors(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_drawing list;
    wr_take *take = open_take();
    wr_paint yield = (wr_paint)(WR_PAINT_MAPS + WR_MAP_YIELD);
    assert_true(wr_take_read(take, FRAMES - 1, WR_PAINT_EXAMPLES, &list, &error));
    wr_color example = list.things[BENT].colors[3];
    assert_true(wr_take_read(take, FRAMES - 1, yield, &list, &error));
    assert_null(list.things[GROUND].colors);
    wr_color grey = list.things[CRATE].colors[0];
    assert_true(grey.r == grey.g && grey.r < 0.5f);
    for (int v = 0; v < sample->rig.ride_count; v++) {
        const wr_ride *ride = &sample->rig.rides[v];
        double factor = 0.0;
        for (int k = 0; k < 4; k++) {
            int corner = sample->rig.elements[4 * ride->element + k];
            factor += (double)ride->weights[k] * (double)sample->maps[WR_MAP_YIELD][corner];
        }
        wr_color expected = wr_factor_color((float)factor), found = list.things[BENT].colors[v];
        CHECK_NEAR(found.r, expected.r, 1e-5);
        CHECK_NEAR(found.b, expected.b, 1e-5);
    }
    // Nothing was painted: 1 everywhere.
    assert_true(wr_take_read(take, 0, WR_PAINT_MAPS, &list, &error));
    assert_float_equal(list.things[BENT].colors[3].g, wr_factor_color(1.0f).g, 1e-6f);
    // What was painted before is not kept for other paint.
    assert_true(wr_take_read(take, FRAMES - 1, WR_PAINT_EXAMPLES, &list, &error));
    assert_memory_equal(&list.things[BENT].colors[3], &example, sizeof example);
    wr_show_desc desc = wr_show_desc_default();
    desc.take = take;
    desc.view = WR_SHOW_MAPS;
    assert_null(wr_show_create(&desc, &error));
    assert_non_null(strstr(error.message, "holds no painted strength"));
    wr_take_close(take);
}

static void a_growing_recording_shows_its_new_frames(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_drawing list;
    const char *path = in_folder("growing.wrought");
    wr_record_writer *writer = begin_recording(path, all_bodies);
    wr_take *take = wr_take_open(path, &error);
    wr_show_desc desc = wr_show_desc_default();
    desc.take = take;
    assert_null(wr_show_create(&desc, &error));
    assert_non_null(strstr(error.message, "has no frames yet"));
    assert_false(wr_take_read(take, 0, WR_PAINT_LOOKS, &list, &error));
    add_frames(writer, 0, 6);
    end_recording(writer, false);
    assert_true(wr_record_refresh(wr_take_reader(take), &error));
    assert_true(wr_take_read(take, 5, WR_PAINT_LOOKS, &list, &error));
    assert_int_equal(list.count, BODIES);
    assert_false(wr_take_read(take, 6, WR_PAINT_LOOKS, &list, &error));
    assert_non_null(strstr(error.message, "growing.wrought: has frames 0 to 5, not 6"));
    wr_take_close(take);
    clear_files();
}

static void times_are_shown_by_the_nearest_frame(void **state)
{
    (void)state;
    wr_take *take = open_take();
    wr_schedule s = wr_take_plan(take, 0.0, 0.0, 1e9, 30.0);
    assert_int_equal(s.count, 5);
    assert_int_equal(wr_schedule_frame(&s, 4), 8);
    s = wr_take_plan(take, 20.0, 0.05, 0.1, 1e9);
    assert_int_equal(s.count, 2);
    assert_int_equal(wr_schedule_frame(&s, 0), 3);
    assert_int_equal(wr_schedule_frame(&s, 1), 6);
    assert_int_equal(wr_take_plan(take, 0.0, 1.0, 2.0, 1e9).count, 0);
    wr_take_close(take);
}

// --- cameras ----------------------------------------------------------------------------------

static void cameras_have_names_and_the_first_is_the_usual_one(void **state)
{
    (void)state;
    static const char *const names[] = {"front", "along", "auto"};
    wr_error error = {0};
    wr_take *take = open_take();
    assert_int_equal(wr_take_camera_count(take), 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(wr_take_camera_name(take, i), names[i]);
        wr_shot *shot = wr_shot_create(take, names[i], 1.5f, &error);
        assert_non_null(shot);
        wr_shot_destroy(shot);
    }
    wr_shot *shot = wr_shot_create(take, NULL, 1.5f, &error);
    wr_take_close(take); // a shot lives on
    assert_string_equal(wr_shot_camera(shot, 0).name, "front");
    assert_float_equal(wr_shot_camera(shot, 3).from.z, 6.0f, 0.0f);
    wr_shot_destroy(shot);
}

static void a_camera_that_follows_goes_along(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_take *take = open_take();
    wr_shot *shot = wr_shot_create(take, "along", 1.5f, &error);
    wr_camera first = wr_shot_camera(shot, 0), last = wr_shot_camera(shot, FRAMES - 1);
    assert_true(last.to.x > first.to.x + 0.5f);
    CHECK_NEAR(last.from.x - last.to.x, first.from.x - first.to.x, 1e-5);
    wr_camera beyond = wr_shot_camera(shot, 1000), before = wr_shot_camera(shot, -1);
    assert_float_equal(beyond.to.x, last.to.x, 0.0f);
    assert_float_equal(before.to.x, first.to.x, 0.0f);
    wr_shot_destroy(shot);
    assert_null(wr_shot_create(take, "frunt", 1.5f, &error));
    assert_non_null(strstr(error.message, "did you mean \"front\"?"));
    assert_null(wr_shot_create(take, "alonge", 1.5f, &error)); // the last of them
    assert_non_null(strstr(error.message, "did you mean \"along\"?"));
    wr_take_close(take);
}

// A flat recording of two boxes that go some way to the right; where the automatic camera goes.
static float automatic_way(float first, float second)
{
    enum { LONG = 40 };
    wr_error error = {0};
    const wr_model *models[] = {box};
    const wr_record_body bodies[] = {{"one", "rigid", 0, false, false, {1, 1, 1, 1}},
                                     {"two", "rigid", 0, false, false, {1, 1, 1, 1}}};
    wr_record_info info = {.title = "flat",
                           .program = "test",
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = LONG - 1,
                           .stage = wr_stage_default(),
                           .model_count = 1,
                           .models = models,
                           .body_count = 2,
                           .bodies = bodies};
    info.stage.flat.on = true;
    const char *path = in_folder("flat.wrought");
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    for (int f = 0; f < LONG; f++) {
        float t = (float)f / (LONG - 1);
        const wr_pose poses[] = {{{first * t, 0, 0}, WR_QUAT_IDENTITY},
                                 {{second * t, 1, 0}, WR_QUAT_IDENTITY}};
        const wr_frame frame = {.index = f, .time = f / 60.0, .body_count = 2, .poses = poses};
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    end_recording(writer, true);
    wr_take *take = wr_take_open(path, &error);
    wr_shot *shot = take ? wr_shot_create(take, "auto", 1.0f, &error) : NULL;
    assert_non_null(shot);
    float way = wr_shot_camera(shot, LONG - 1).to.x - wr_shot_camera(shot, 0).to.x;
    wr_shot_destroy(shot);
    wr_take_close(take);
    wri_file_remove(path);
    return way;
}

static void a_camera_goes_with_the_one_that_goes_far_alone(void **state)
{
    (void)state;
    assert_true(automatic_way(60, 5) > 10.0f && automatic_way(5, 60) > 10.0f);
    assert_true(automatic_way(60, 50) == 0.0f && automatic_way(50, 60) == 0.0f);
}

// --- pictures ---------------------------------------------------------------------------------

static void a_picture_is_drawn_in_memory(void **state)
{
    (void)state;
    static uint8_t a[3 * WIDTH * HEIGHT], b[sizeof a], c[sizeof a];
    wr_error error = {0};
    wr_take *take = open_take();
    wr_show *show = create_show(take, WR_SHOW_SHADED, NULL);
    assert_true(wr_show_draw(show, 0, a, &error));
    assert_true(wr_show_draw(show, FRAMES - 1, b, &error));
    assert_true(wr_show_draw(show, 0, c, &error));
    assert_memory_equal(a, c, sizeof a); // whatever was drawn before
    assert_memory_not_equal(a, b, sizeof a);
    assert_false(wr_show_draw(show, FRAMES, c, &error));
    assert_non_null(strstr(error.message, "has frames 0 to 9, not 10"));
    wr_show_destroy(show);
    show = create_show(take, WR_SHOW_EXAMPLES, "auto");
    assert_true(wr_show_draw(show, 0, c, &error));
    assert_memory_not_equal(a, c, sizeof a);
    wr_show_destroy(show);
    wr_take_close(take);
}

// --- contacts ---------------------------------------------------------------------------------

enum { WIDE = 320, HIGH = 240, MET = 4 };

// Ten frames in one of which two pairs meet, with 30 N and 0.3 N.
static wr_take *take_of_contacts(const char *path, wr_vec3 hard, wr_vec3 soft)
{
    wr_error error = {0};
    const wr_record_contact contacts[] = {
        {GROUND, CRATE, hard, {0, -1, 0}, 0.5f},
        {CRATE, BENT, soft, {-1, 0, 0}, 0.005f},
    };
    wr_record_writer *writer = begin_recording(path, all_bodies);
    for (int f = 0; f < FRAMES; f++) {
        wr_pose poses[BODIES];
        for (int b = 0; b < BODIES; b++) {
            poses[b] = pose_at(b, f);
        }
        wr_frame frame = {.index = f,
                          .time = f / 60.0,
                          .body_count = BODIES - 1,
                          .poses = poses,
                          .contact_count = f == MET ? 2 : 0,
                          .contacts = contacts};
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    end_recording(writer, true);
    return wr_take_open(path, &error);
}

// Whether the pixel so far to the right of a point has about this colour.
static bool has_color(const uint8_t *pixels, wr_take *take, wr_vec3 point, float right,
                      wr_color color)
{
    wr_error error = {0};
    wr_vec2 at;
    float depth;
    wri_ink ink = wri_ink_from_color(color);
    wr_shot *shot = wr_shot_create(take, NULL, (float)WIDE / HIGH, &error);
    wr_camera camera = wr_shot_camera(shot, MET);
    wr_shot_destroy(shot);
    assert_true(wr_camera_project(&camera, WIDE, HIGH, point, &at, &depth));
    const uint8_t *p = pixels + 3 * ((int)at.y * WIDE + (int)(at.x + right));
    return abs(p[0] - ink.r) < 3 && abs(p[1] - ink.g) < 3 && abs(p[2] - ink.b) < 3;
}

static void contacts_are_marked_where_and_as_hard_as_they_were(void **state)
{
    (void)state;
    static uint8_t pixels[3 * WIDE * HIGH], plain[sizeof pixels];
    wr_error error = {0};
    const wr_vec3 hard = {0.37f, 1.2f, 0.8f}, soft = {-0.9f, 0.6f, 0.3f};
    wr_take *take = take_of_contacts(in_folder("contacts.wrought"), hard, soft);
    wr_show_desc desc = wr_show_desc_default();
    desc.take = take;
    desc.width = WIDE;
    desc.height = HIGH;
    wr_show *usual = wr_show_create(&desc, &error);
    desc.view = WR_SHOW_CONTACTS;
    wr_show *show = wr_show_create(&desc, &error);
    assert_true(usual && show);
    // Four decades up to 100 N, the first that is above both.
    float high = 1.0f - (2.0f - log10f(30.0f)) / 4.0f, low = 1.0f - (2.0f - log10f(0.3f)) / 4.0f;
    wr_color strong = wr_ramp_color(0.25f + 0.75f * high);
    wr_color weak = wr_ramp_color(0.25f + 0.75f * low);
    // A film has 30 pictures per second: the frames since the one before are in one.
    static const double frames[] = {MET - 1, MET, MET + 0.4, MET + 1, MET + 2};
    for (int i = 0; i < 5; i++) {
        bool is_marked = i > 0 && i < 4;
        assert_true(wr_show_draw(show, frames[i], pixels, &error));
        assert_int_equal(has_color(pixels, take, hard, 0.0f, strong), is_marked);
        assert_int_equal(has_color(pixels, take, soft, 0.0f, weak), is_marked);
    }
    assert_true(wr_show_draw(show, MET, pixels, &error));
    assert_true(has_color(pixels, take, hard, 4.0f, strong));
    assert_false(has_color(pixels, take, hard, 8.0f, strong));
    assert_false(has_color(pixels, take, soft, 4.0f, weak)); // smaller
    // The rest is the usual picture, paler, with the legend on paper below.
    assert_true(wr_show_draw(usual, MET, plain, &error));
    for (int i = 0; i < 30; i++) {
        assert_true(abs(pixels[i] - (int)(plain[i] + 0.45 * (250.0 - plain[i]))) < 3);
    }
    const uint8_t *corner = pixels + 3 * ((HIGH - 12) * WIDE + 10);
    assert_true(corner[0] > 243 && corner[1] > 243 && corner[2] > 243);
    wr_show_destroy(usual);
    wr_show_destroy(show);
    wr_take_close(take);
    clear_files();
}

static void a_sheet_is_a_grid_of_frames(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_take *take = open_take();
    wr_show *show = create_show(take, WR_SHOW_SHADED, NULL);
    wr_show_span span = wr_show_span_default();
    int width, height;
    span.count = 5;
    assert_true(wr_show_write_sheet(show, in_folder("s.png"), &span, &width, &height, &error));
    assert_int_equal(width, 3 * WIDTH + 2 * 4);
    assert_int_equal(height, 2 * HEIGHT + 4);
    assert_true(wri_file_exists(in_folder("s.png")));
    wr_show_destroy(show);
    wr_take_close(take);
    clear_files();
}

static void a_model_is_drawn_on_a_ground(void **state)
{
    (void)state;
    static uint8_t pixels[3 * WIDTH * HEIGHT];
    wr_error error = {0};
    wr_render_desc desc = wr_render_desc_default();
    desc.width = WIDTH;
    desc.height = HEIGHT;
    assert_true(wr_model_draw(box, &desc, NULL, WR_PAINT_LOOKS, pixels, &error));
    const uint8_t *middle = pixels + 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
    assert_true(middle[0] > middle[2]); // the box is brown, the sky blue
    assert_true(pixels[2] >= pixels[0]);
}

// --- files ------------------------------------------------------------------------------------

typedef struct listener {
    int lines;
    char line[256];
} listener;

static void listen(void *user, const char *message)
{
    listener *l = user;
    l->lines++;
    snprintf(l->line, sizeof l->line, "%s", message);
}

static void a_glb_has_the_bodies_of_the_take(void **state)
{
    (void)state;
    wr_error error = {0};
    listener log = {0};
    wr_export_report report;
    wr_export_desc desc = wr_export_desc_default();
    desc.log = (wr_log){listen, &log};
    wr_take *take = open_take();
    const char *path = in_folder("take.glb");
    assert_true(wr_take_export(take, path, &desc, &report, &error));
    assert_int_equal(report.bodies, BODIES);
    assert_int_equal(report.moving, 2); // a body, and the camera that sees it
    assert_int_equal(report.frames, FRAMES);
    assert_int_equal(log.lines, 1);
    assert_non_null(strstr(log.line, "bent: "));
    wr_model *model = wr_model_read(path, NULL, &error);
    assert_non_null(model);
    assert_int_equal(model->node_count, BODIES + 3); // two cameras and the sun
    assert_int_equal(model->clip_count, 1);
    wr_model_destroy(model);
    desc.bodies = "cr*,late";
    assert_true(wr_take_export(take, path, &desc, &report, &error)); // the same take again
    assert_int_equal(report.bodies, 2);
    wr_take_close(take);
    clear_files();
}

static void every_kind_of_file_is_written(void **state)
{
    (void)state;
    static const char *const names[] = {"a.glb", "a.usda",   "a.pc2",   "b.mdd",
                                        "c.png", "d/##.obj", "d/##.ply"};
    static const wr_export_kind kinds[] = {WR_EXPORT_GLB,     WR_EXPORT_USD,     WR_EXPORT_CACHE,
                                           WR_EXPORT_CACHE,   WR_EXPORT_SPRITES, WR_EXPORT_SEQUENCE,
                                           WR_EXPORT_SEQUENCE};
    wr_error error = {0};
    wr_export_desc desc = wr_export_desc_default();
    wr_take *take = open_take();
    desc.bodies = "bent";
    desc.cell = 16;
    desc.every = 3;
    desc.tasks = wr_tasks_openmp(2);
    for (int i = 0; i < WRI_COUNT(names); i++) {
        wr_export_report report;
        assert_int_equal(wr_export_kind_of(names[i]), kinds[i]);
        if (!wr_take_export(take, in_folder(names[i]), &desc, &report, &error)) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(report.frames, kinds[i] == WR_EXPORT_SPRITES ? 4 : FRAMES);
    }
    static const char *const written[] = {"a.glb",    "a.usda",   "a.pc2",   "a.obj",
                                          "b.mdd",    "b.obj",    "c.png",   "c.json",
                                          "d/00.obj", "d/09.obj", "d/00.ply"};
    for (int i = 0; i < WRI_COUNT(written); i++) {
        assert_true(wri_file_exists(in_folder(written[i])));
    }
    assert_int_equal(wr_export_kind_of("a.xyz"), WR_EXPORT_UNKNOWN);
    assert_int_equal(wr_export_kind_of(".glb"), WR_EXPORT_UNKNOWN);
    wr_take_close(take);
    clear_files();
}

static void a_model_is_exported_by_its_ending(void **state)
{
    (void)state;
    static const char *const names[] = {"m.glb", "m.usda", "m.obj", "m.ply"};
    wr_error error = {0};
    wr_export_desc desc = wr_export_desc_default();
    for (int i = 0; i < WRI_COUNT(names); i++) {
        assert_true(wr_model_export(box, in_folder(names[i]), &desc, &error));
        assert_true(wri_file_exists(in_folder(names[i])));
    }
    assert_false(wr_model_export(box, in_folder("m.pc2"), &desc, &error));
    clear_files();
}

// --- stopping ---------------------------------------------------------------------------------

// Stops at a call, and sees that the counts go up; while ffmpeg is slow, they may stay.
typedef struct watcher {
    int calls, stop; // the number of the call that says no, -1: none
    wr_watch_work work;
    int done, total;
    bool is_in_order, may_wait;
} watcher;

static bool on_work(void *user, wr_watch_work work, int done, int total)
{
    watcher *w = user;
    bool next = w->calls > 0 && work == w->work && total == w->total && done == w->done + 1;
    bool begins = done == 0 && (w->calls == 0 || w->done == w->total);
    // While ffmpeg keeps us waiting, the same is asked again.
    bool again = w->may_wait && work == w->work && total == w->total && done == w->done;
    w->is_in_order =
        (w->calls == 0 || w->is_in_order) && (next || begins || again) && done <= total;
    w->work = work;
    w->done = done;
    w->total = total;
    return w->calls++ != w->stop;
}

static bool export_watched(wr_take *take, const char *name, watcher *w, bool keep_part,
                           wr_error *error)
{
    wr_export_desc desc = wr_export_desc_default();
    desc.bodies = "bent";
    desc.cell = 16;
    desc.keep_part = keep_part;
    desc.watch = (wr_watch){on_work, w};
    return wr_take_export(take, in_folder(name), &desc, NULL, error);
}

static void a_stopped_export_leaves_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"a.glb", "a.usda", "a.pc2", "a.mdd", "a.png"};
    wr_take *take = open_take();
    for (int i = 0; i < WRI_COUNT(names); i++) {
        bool ok = false;
        int stop = 0;
        for (; !ok; stop++) {
            wr_error error = {0};
            watcher w = {.stop = stop};
            ok = export_watched(take, names[i], &w, false, &error);
            assert_true(w.is_in_order);
            if (!ok) {
                assert_int_equal(error.code, WR_E_CANCELLED);
                assert_int_equal(w.calls, stop + 1); // at once
                assert_int_equal(count_files(), 0);
            } else {
                assert_int_equal(w.done, w.total);
            }
        }
        assert_true(stop > 2 * FRAMES); // frames are read, then gathered, drawn or written
        assert_true(count_files() > 0);
        clear_files();
    }
    wr_take_close(take);
}

static void a_part_stays_where_it_is_wanted(void **state)
{
    (void)state;
    wr_error error = {0};
    watcher w = {.stop = FRAMES + 1 + 3}; // reading, then three frames
    wr_take *take = open_take();
    assert_false(export_watched(take, "part.pc2", &w, true, &error));
    assert_int_equal(error.code, WR_E_CANCELLED);
    wr_cache *cache = wr_cache_read(in_folder("part.pc2"), NULL, &error);
    assert_non_null(cache);
    assert_int_equal(cache->frame_count, 3);
    wr_cache_destroy(cache);
    w = (watcher){.stop = FRAMES + 1 + 2};
    assert_false(export_watched(take, "s/##.ply", &w, false, &error));
    assert_non_null(strstr(error.message, "the first 2 of 10 files"));
    assert_true(wri_file_exists(in_folder("s/01.ply")));
    assert_false(wri_file_exists(in_folder("s/02.ply")));
    wr_take_close(take);
    clear_files();
}

static void a_stopped_film_or_sheet_leaves_nothing_or_its_beginning(void **state)
{
    (void)state;
    wr_take *take = open_take();
    wr_show *show = create_show(take, WR_SHOW_SHADED, NULL);
    wr_show_span span = wr_show_span_default();
    span.count = 3;
    for (int stop = 0; stop < 4; stop++) {
        wr_error error = {0};
        watcher w = {.stop = stop};
        span.watch = (wr_watch){on_work, &w};
        assert_false(wr_show_write_sheet(show, in_folder("s.png"), &span, NULL, NULL, &error));
        assert_int_equal(error.code, WR_E_CANCELLED);
        w = (watcher){.stop = stop};
        if (!wr_show_write_film(show, in_folder("f.gif"), &span, &error) &&
            error.code != WR_E_CANCELLED) {
            print_message("%s\n", error.message); // there is no ffmpeg
            skip();
        }
        assert_int_equal(count_files(), 0);
    }
    wr_error error = {0};
    watcher w = {.stop = 2};
    span.watch = (wr_watch){on_work, &w};
    span.keep_part = true;
    assert_false(wr_show_write_film(show, in_folder("f.gif"), &span, &error));
    assert_string_equal(strrchr(error.message, '/'), "/f.partial.gif");
    assert_true(wri_file_exists(in_folder("f.partial.gif")));
    assert_false(wri_file_exists(in_folder("f.gif")));
    w = (watcher){.stop = -1, .may_wait = true};
    assert_true(wr_show_write_film(show, in_folder("f.gif"), &span, &error));
    assert_true(w.is_in_order && w.done == 5 && w.total == 5);
    assert_true(wri_file_exists(in_folder("f.gif")));
    wr_show_destroy(show);
    wr_take_close(take);
    clear_files();
}

// --- sentences --------------------------------------------------------------------------------

static void check_sentence(wr_take *take, const char *name, const wr_export_desc *desc,
                           wr_code code, const char *part)
{
    wr_error error = {0};
    int files = count_files();
    assert_false(wr_take_export(take, in_folder(name), desc, NULL, &error));
    assert_int_equal(error.code, code);
    if (!strstr(error.message, part) || strchr(error.message, '\n') ||
        strstr(error.message, "--")) { // options are the program's business
        fail_msg("%s", error.message);
    }
    assert_int_equal(count_files(), files);
}

static void write_drawn(wr_show *show, double frame, const char *path)
{
    static uint8_t drawn[WIDTH * HEIGHT * 3];
    static float light[WIDTH * HEIGHT * 3];
    if (strstr(path, ".exr")) {
        assert_true(wr_show_draw_light(show, frame, light, NULL));
        assert_true(wr_exr_write(path, light, WIDTH, HEIGHT, NULL));
    } else {
        assert_true(wr_show_draw(show, frame, drawn, NULL));
        assert_true(wr_png_write(path, drawn, WIDTH, HEIGHT, 3, NULL));
    }
}

static const char *numbered(const char *name, const char *ending)
{
    char file[64];
    snprintf(file, sizeof file, "film/take.%s%s", name, ending);
    return in_folder(file);
}

// Pictures of a film are those that are drawn one by one; of an earlier sequence none stays; what
// Wrought did not write does.
static void check_numbered(const char *ending)
{
    wr_error error = {0};
    wr_take *take = open_take();
    wr_show *show = create_show(take, WR_SHOW_SHADED, NULL);
    wr_show_span span = wr_show_span_default();
    char path[600];
    snprintf(path, sizeof path, "%s", numbered("##", ending));
    assert_true(wr_show_write_film(show, path, &span, &error));
    assert_true(wri_file_exists(numbered("04", ending)));
    assert_false(wri_file_exists(numbered("05", ending)));
    write_drawn(show, 6, numbered("drawn", ending));
    assert_same_files(numbered("drawn", ending), numbered("03", ending));
    span.to = 0.04;
    assert_true(wr_show_write_film(show, path, &span, &error));
    assert_true(wri_file_exists(numbered("01", ending)));
    assert_false(wri_file_exists(numbered("02", ending)));
    FILE *file = fopen(numbered("09", ending), "w");
    assert_non_null(file);
    fputs("mine", file);
    fclose(file);
    assert_false(wr_show_write_film(show, path, &span, &error));
    assert_non_null(strstr(error.message, "is in the way, and Wrought did not write"));
    span.replace = true;
    assert_true(wr_show_write_film(show, path, &span, &error));
    assert_false(wri_file_exists(numbered("09", ending)));
    watcher w = {.stop = 3};
    write_drawn(show, 0, numbered("drawn", ending));
    int files = count_entries("film");
    span.to = 1e9;
    span.watch = (wr_watch){on_work, &w};
    assert_false(wr_show_write_film(show, path, &span, &error));
    assert_string_equal(error.message, "interrupted; nothing was written");
    assert_int_equal(count_entries("film"), files); // those before
    assert_same_files(numbered("drawn", ending), numbered("00", ending));
    assert_true(wri_file_exists(numbered("01", ending)));
    span.keep_part = true;
    w = (watcher){.stop = 1};
    assert_false(wr_show_write_film(show, path, &span, &error));
    assert_string_equal(error.message, "interrupted; the first 1 of 5 pictures are there");
    assert_int_equal(count_entries("film"), files - 1);
    wr_show_destroy(show);
    wr_take_close(take);
    clear_files();
}

static void a_film_may_be_numbered_pictures(void **state)
{
    (void)state;
    check_numbered(".png");
    check_numbered(".exr");
}

static void what_cannot_be_exported_is_one_sentence(void **state)
{
    (void)state;
    wr_take *take = open_take();
    const wr_export_desc usual = wr_export_desc_default();
    wr_export_desc desc = usual;
    check_sentence(take, "a.xyz", &usual, WR_E_ARGUMENT, "unknown kind of file");
    check_sentence(take, "no/a.glb", &usual, WR_E_IO, "there is no folder");
    check_sentence(take, "a.obj", &usual, WR_E_ARGUMENT, "such as take.####.obj");
    check_sentence(take, "a.png", &usual, WR_E_AMBIGUOUS, "3 bodies move, such as \"crate\"");
    desc.bodies = "krate";
    check_sentence(take, "a.glb", &desc, WR_E_ARGUMENT, "did you mean \"crate\"?");
    desc.bodies = "bent";
    desc.cell = 4096;
    desc.fps = 600.0;
    check_sentence(take, "a.png", &desc, WR_E_LIMIT, "more than 16384 a side");
    desc.cell = 3;
    check_sentence(take, "a.png", &desc, WR_E_ARGUMENT, "cell is 3");
    desc = usual;
    desc.from = 7.0;
    check_sentence(take, "a.glb", &desc, WR_E_ARGUMENT, "nothing between 7 s and");
    assert_true(wri_file_write(in_folder("a.obj"), "mine", 4, NULL));
    check_sentence(take, "a.pc2", &usual, WR_E_EXISTS, "a.obj: is in the way");
    desc = usual;
    desc.replace = true;
    assert_true(wr_take_export(take, in_folder("a.pc2"), &desc, NULL, NULL));
    wr_take_close(take);
    clear_files();
}

static void what_cannot_be_shown_is_one_sentence(void **state)
{
    (void)state;
    wr_error error = {0};
    assert_null(wr_take_open(in_folder("nothing"), &error));
    assert_non_null(strstr(error.message, "nothing: cannot open"));
    wr_take *take = open_take();
    wr_show_desc desc = wr_show_desc_default();
    desc.take = take;
    desc.camera = "bak";
    assert_null(wr_show_create(&desc, &error));
    assert_non_null(strstr(error.message, "no camera \"bak\""));
    desc.camera = NULL;
    desc.width = 3;
    assert_null(wr_show_create(&desc, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    wr_show *show = create_show(take, WR_SHOW_SHADED, NULL);
    wr_show_span span = wr_show_span_default();
    span.from = 9.0;
    assert_false(wr_show_write_film(show, in_folder("f.gif"), &span, &error));
    assert_non_null(strstr(error.message, "nothing between 9 s"));
    assert_false(wr_show_write_sheet(show, in_folder("s.png"), &span, NULL, NULL, &error));
    wr_pose_plot_desc plot = wr_pose_plot_desc_default();
    assert_false(wr_take_write_poses(take, in_folder("p.png"), &plot, NULL, NULL, &error));
    assert_non_null(strstr(error.message, "has no sprites"));
    assert_int_equal(count_files(), 0);
    wr_show_destroy(show);
    wr_take_close(take);
}

// --- assets -----------------------------------------------------------------------------------

static wr_asset_view *create_view(wr_asset_style style)
{
    wr_error error = {0};
    wr_asset_view_desc desc = wr_asset_view_desc_default();
    desc.asset = sample;
    desc.style = style;
    desc.width = WIDTH;
    desc.height = HEIGHT;
    desc.samples = 1;
    wr_asset_view *view = wr_asset_view_create(&desc, &error);
    if (!view) {
        fail_msg("%s", error.message);
    }
    return view;
}

static void an_asset_is_a_list_of_things_in_every_style(void **state)
{
    (void)state;
    static uint8_t a[3 * WIDTH * HEIGHT], b[sizeof a];
    for (int style = WR_ASSET_SHADED; style <= WR_ASSET_WIRE; style++) {
        wr_error error = {0};
        wr_drawing list;
        wr_asset_view *view = create_view((wr_asset_style)style);
        const wr_asset_pose rest = {0, 1.0f, -1}, half = {1, 0.5f, -1};
        assert_true(wr_asset_view_draw(view, &half, a, &error));
        assert_true(wr_asset_view_read(view, &rest, &list, &error));
        int handles = style == WR_ASSET_WEIGHTS ? sample->rig.handle_count : 0;
        assert_int_equal(list.count, 2 + handles); // itself, floor, handles
        assert_null(list.bodies);
        assert_int_equal(list.things[0].model == sample->model, style != WR_ASSET_WIRE);
        assert_int_equal(list.things[0].colors != NULL,
                         style == WR_ASSET_EXAMPLES || style == WR_ASSET_WEIGHTS);
        assert_true(wr_asset_view_draw(view, &half, b, &error));
        assert_memory_equal(a, b, sizeof a); // whatever was done before
        const wr_asset_pose none = {99, 1.0f, -1}, nobody = {0, 1.0f, 99};
        assert_false(wr_asset_view_draw(view, &none, b, &error));
        assert_non_null(strstr(error.message, "has no example 99"));
        assert_false(wr_asset_view_read(view, &nobody, &list, &error));
        wr_asset_view_destroy(view);
    }
}

static void a_sheet_of_an_asset_can_be_stopped_and_drawn_again(void **state)
{
    (void)state;
    static uint8_t a[3 * WIDTH * HEIGHT], b[sizeof a];
    wr_error error = {0};
    listener log = {0};
    watcher w = {.stop = 3};
    const wr_asset_pose rest = {0, 1.0f, -1};
    wr_asset_view *view = create_view(WR_ASSET_EXAMPLES);
    wr_asset_sheet_desc desc = wr_asset_sheet_desc_default();
    desc.watch = (wr_watch){on_work, &w};
    desc.log = (wr_log){listen, &log};
    assert_true(wr_asset_view_draw(view, &rest, a, &error));
    const char *path = in_folder("sheet.png");
    int width, height;
    assert_false(wr_asset_view_write_sheet(view, path, &desc, &width, &height, &error));
    assert_int_equal(error.code, WR_E_CANCELLED);
    assert_int_equal(count_files(), 0);
    assert_int_equal(log.lines, 0);
    w = (watcher){.stop = -1};
    assert_true(wr_asset_view_write_sheet(view, path, &desc, &width, &height, &error));
    assert_int_equal(log.lines, 2 * sample->rig.example_count);
    assert_true(width > 0 && height > 0 && wri_file_exists(path));
    assert_true(wr_asset_view_draw(view, &rest, b, &error)); // in its own size again
    assert_memory_equal(a, b, sizeof a);
    desc.width = desc.height = 16000;
    assert_false(wr_asset_view_write_sheet(view, path, &desc, NULL, NULL, &error));
    assert_int_equal(error.code, WR_E_LIMIT);
    wr_asset_view_destroy(view);
    clear_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_take_is_a_file_a_folder_or_a_reader),
        cmocka_unit_test(a_frame_is_a_list_of_things),
        cmocka_unit_test(the_colours_of_a_list_are_those_of_the_examples),
        cmocka_unit_test(the_colours_of_a_painted_map_are_those_of_its_factors),
        cmocka_unit_test(a_growing_recording_shows_its_new_frames),
        cmocka_unit_test(times_are_shown_by_the_nearest_frame),
        cmocka_unit_test(cameras_have_names_and_the_first_is_the_usual_one),
        cmocka_unit_test(a_camera_that_follows_goes_along),
        cmocka_unit_test(a_camera_goes_with_the_one_that_goes_far_alone),
        cmocka_unit_test(a_picture_is_drawn_in_memory),
        cmocka_unit_test(contacts_are_marked_where_and_as_hard_as_they_were),
        cmocka_unit_test(a_sheet_is_a_grid_of_frames),
        cmocka_unit_test(a_model_is_drawn_on_a_ground),
        cmocka_unit_test(a_glb_has_the_bodies_of_the_take),
        cmocka_unit_test(every_kind_of_file_is_written),
        cmocka_unit_test(a_model_is_exported_by_its_ending),
        cmocka_unit_test(a_stopped_export_leaves_nothing),
        cmocka_unit_test(a_part_stays_where_it_is_wanted),
        cmocka_unit_test(a_stopped_film_or_sheet_leaves_nothing_or_its_beginning),
        cmocka_unit_test(a_film_may_be_numbered_pictures),
        cmocka_unit_test(what_cannot_be_exported_is_one_sentence),
        cmocka_unit_test(what_cannot_be_shown_is_one_sentence),
        cmocka_unit_test(an_asset_is_a_list_of_things_in_every_style),
        cmocka_unit_test(a_sheet_of_an_asset_can_be_stopped_and_drawn_again),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
