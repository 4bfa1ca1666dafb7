// test_looks.c: what is only looked at changes without being simulated again.
#include "wrought/record.h"
#include "wrought/scene.h"

#include "folder.h"
#include "pictures.h"
#include "program.h"

enum { FRAMES = 18 };

static const char *at(const char *name)
{
    static char path[4][600];
    static int next;
    char *out = path[next++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", folder.path, name);
    return out;
}

typedef struct words {
    const char *camera, *light, *color, *density, *flat, *comment;
} words;

static const words usual = {"[4, 3, 5]", "\"elevation\": 40", "#ff0000", "1000", "false", ""};

static void write_scene(words w)
{
    char text[2000];
    int size =
        snprintf(text, sizeof text,
                 "%s{\"wrought\": 1, \"name\": \"two boxes\", \"length\": 0.3, \"flat\": %s,\n"
                 "\"cameras\": [{\"name\": \"side\", \"from\": %s, \"to\": [0, 0.5, 0]}],\n"
                 "\"light\": {%s}, \"bodies\": [{\"name\": \"floor\", \"shape\": \"plane\"},\n"
                 "{\"name\": \"box\", \"shape\": {\"box\": [1, 1, 1]}, \"at\": [0, 1, 0], "
                 "\"spin\": [9, 30, 0],"
                 " \"color\": \"%s\", \"density\": %s}]}\n",
                 w.comment, w.flat, w.camera, w.light, w.color, w.density);
    assert_true(wri_file_write(at("scene.json"), text, (size_t)size, NULL));
}

typedef struct film {
    int count;
    uint64_t hashes[64];
    wr_color color;
    wr_camera camera;
    float sun_height;
} film;

static film read_film(void)
{
    film f = {0};
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(at("out/recording.wrought"), &error);
    assert_non_null(reader);
    f.count = wr_record_frame_count(reader);
    assert_true(f.count <= 64 && wr_record_is_complete(reader));
    for (int i = 0; i < f.count; i++) {
        f.hashes[i] = wr_record_read_frame(reader, i, &error)->hash;
    }
    int bodies;
    f.color = wr_record_bodies(reader, &bodies)[1].color;
    assert_true(memcmp(&f.color, &wr_record_about(reader)->bodies[1].color, sizeof f.color) == 0);
    f.camera = wr_record_about(reader)->stage.cameras[0];
    f.sun_height = wr_record_about(reader)->stage.light.sun_direction.y;
    wr_record_close(reader);
    return f;
}

static program_run simulate(words w)
{
    write_scene(w);
    program_run run = RUN_PROGRAM("sim", at("scene.json"), "-o", at("out"));
    assert_int_equal(run.status, 0);
    return run;
}

static void start_anew(void)
{
    remove(at("out/recording.wrought"));
    remove(at("out/recording.old.wrought"));
    simulate(usual);
}

static void camera_light_and_colour_change_without_simulating(void **state)
{
    (void)state;
    start_anew();
    film before = read_film();
    words w = usual;
    w.camera = "[1, 2, 3]";
    w.light = "\"elevation\": 70";
    w.color = "#0000ff";
    program_run run = simulate(w);
    assert_non_null(strstr(run.said, "only looks have changed"));
    assert_false(wri_file_exists(at("out/recording.old.wrought")));
    film after = read_film();
    assert_int_equal(after.count, FRAMES + 1);
    assert_int_equal(after.count, before.count);
    assert_memory_equal(after.hashes, before.hashes, sizeof before.hashes);
    assert_true(before.color.r == 1.0f && after.color.r == 0.0f && after.color.b == 1.0f);
    assert_true(after.camera.from.x == 1.0f && before.camera.from.x == 4.0f);
    assert_true(after.sun_height > before.sun_height + 0.2f);
    run = simulate(w); // now it is as it should be
    assert_non_null(strstr(run.said, "nothing to do"));
    simulate(usual); // and back again
    film last = read_film();
    assert_memory_equal(&last, &before, sizeof before);
}

// The lens of a camera counts where the command says none.
static void check_lens(void)
{
    const char *const lenses[] = {NULL, "0.1", "0"};
    char *pictures[3];
    size_t sizes[3];
    for (int i = 0; i < 3; i++) {
        const char *out = at("lens.png");
        program_run run =
            lenses[i] ? RUN_PROGRAM("render", at("out"), "-s", "64x36", "-f", "0", "-o", out,
                                    "--samples", "16", "--lens", lenses[i])
                      : RUN_PROGRAM("render", at("out"), "-s", "64x36", "-f", "0", "-o", out);
        assert_int_equal(run.status, 0);
        pictures[i] = wri_file_read(out, 1 << 20, NULL, &sizes[i], NULL);
        assert_non_null(pictures[i]);
    }
    assert_true(sizes[0] == sizes[1] && memcmp(pictures[0], pictures[1], sizes[0]) == 0);
    assert_true(sizes[0] != sizes[2] || memcmp(pictures[0], pictures[2], sizes[0]) != 0);
    for (int i = 0; i < 3; i++) {
        wri_free(NULL, pictures[i], sizes[i] + 1, 1);
    }
}

static void keys_of_a_camera_change_without_simulating(void **state)
{
    (void)state;
    start_anew();
    film before = read_film();
    words w = usual;
    w.camera = "[4, 1, 9], \"lens\": 0.1, \"keys\": [{\"time\": 0}, {\"time\": 0.2, \"from\": [2, "
               "1, 5]}]";
    assert_non_null(strstr(simulate(w).said, "only looks have changed"));
    film after = read_film();
    assert_true(after.camera.key_count == 2 && after.camera.lens == 0.1f);
    check_lens();
    assert_memory_equal(after.hashes, before.hashes, sizeof after.hashes);
    assert_non_null(strstr(simulate(w).said, "nothing to do"));
    simulate(usual); // and none again
    film last = read_film();
    assert_memory_equal(&last, &before, sizeof before);
    assert_false(wri_file_exists(at("out/recording.old.wrought")));
}

// A picture of 4 x 2 pixels, in none of which all bytes are the same.
static void write_room(const uint8_t pixels[32])
{
    char bytes[200];
    int size = snprintf(bytes, sizeof bytes, "#?RADIANCE\n\n-Y 2 +X 4\n");
    memcpy(bytes + size, pixels, 32);
    assert_true(wri_file_write(at("room.hdr"), bytes, (size_t)size + 32, NULL));
}

static void expect_environment(const uint8_t *pixels, int width, float turn, float exposure)
{
    wr_record_reader *reader = wr_record_open(at("out/recording.wrought"), NULL);
    assert_non_null(reader);
    const wr_light *light = &wr_record_about(reader)->stage.light;
    assert_true((light->environment != NULL) == (width >= 0));
    if (width >= 0) {
        assert_int_equal(light->environment->width, width);
        assert_int_equal(light->environment->height, width / 2);
    }
    if (pixels) {
        assert_memory_equal(light->environment->pixels, pixels, 32);
    }
    CHECK_NEAR(light->turn, turn, 1e-6);
    CHECK_NEAR(light->exposure, exposure, 1e-6);
    wr_record_close(reader);
}

static void an_environment_is_kept_and_changes_without_simulating(void **state)
{
    (void)state;
    uint8_t room[32];
    for (int i = 0; i < 32; i++) {
        room[i] = (uint8_t)(i % 4 == 3 ? 125 + i % 7 : i % 4 == 0 ? 160 + i : 40 + 5 * i);
    }
    write_room(room);
    start_anew();
    film before = read_film();
    words w = usual;
    w.light = "\"environment\": \"room.hdr\", \"turn\": 30, \"strength\": 1.5, "
              "\"exposure\": 2";
    assert_non_null(strstr(simulate(w).said, "only looks have changed"));
    expect_environment(room, 4, WR_PI / 6.0f, 3.0f);
    room[5] ^= 1;
    write_room(room);
    assert_non_null(strstr(simulate(w).said, "only looks have changed"));
    expect_environment(room, 4, WR_PI / 6.0f, 3.0f);
    assert_non_null(strstr(simulate(w).said, "nothing to do"));
    w.light = "\"environment\": \"studio\"";
    simulate(w);
    expect_environment(NULL, 0, 0.0f, 1.0f);
    simulate(usual);
    expect_environment(NULL, -1, 0.0f, 1.0f);
    film after = read_film();
    assert_memory_equal(&after, &before, sizeof before);
    assert_false(wri_file_exists(at("out/recording.old.wrought")));
    remove(at("out/recording.wrought")); // recorded at once
    w.light = "\"environment\": \"room.hdr\", \"turn\": -20";
    simulate(w);
    expect_environment(room, 4, -WR_PI / 9.0f, 1.0f);
    for (int i = 0; i < 3; i++) {
        const char *named[] = {"none", at("room.hdr"), "studio"};
        const char *out = at("p.png");
        program_run run = i == 0
                              ? RUN_PROGRAM("render", at("out"), "-s", "64x36", "-o", out)
                              : RUN_PROGRAM("render", at("out"), "-s", "64x36", "-o", out,
                                            "--environment", named[i], "--environment-turn", "90");
        assert_int_equal(run.status, 0);
    }
}

static void what_physics_reads_is_simulated_again(void **state)
{
    (void)state;
    start_anew();
    words w = usual;
    w.density = "500";
    w.color = "#00ff00";
    simulate(w);
    assert_true(wri_file_exists(at("out/recording.old.wrought")));
    film after = read_film();
    assert_true(after.color.g == 1.0f);
}

static uint64_t hash_of(words w)
{
    write_scene(w);
    wr_error error = {0};
    wr_scene *scene = wr_scene_read(at("scene.json"), NULL, &error);
    assert_non_null(scene);
    uint64_t hash = scene->hash;
    wr_scene_destroy(scene);
    return hash;
}

static void the_hash_of_a_scene_is_of_its_physics(void **state)
{
    (void)state;
    uint64_t hash = hash_of(usual);
    words w = usual;
    w.comment = "// a word\n";
    assert_true(hash_of(w) == hash);
    w = usual;
    w.density = "1.0e3"; // the same number
    assert_true(hash_of(w) == hash);
    w.density = "1001";
    assert_true(hash_of(w) != hash);
    w = usual;
    w.flat = "{\"top\": \"#000000\"}"; // rigid bodies may stay in the plane then
    uint64_t flat = hash_of(w);
    assert_true(flat != hash);
    w.flat = "{\"top\": \"#ffffff\", \"line\": 0.01}";
    assert_true(hash_of(w) == flat);
    w.flat = "true";
    assert_true(hash_of(w) == flat);
}

// --- recordings that are not finished ---------------------------------------------------------

static const wr_record_body red = {
    .name = "box", .material = "rigid", .model = -1, .color = {1.0f, 0.0f, 0.0f, 1.0f}};

static wr_record_info make_info(const wr_record_body *body)
{
    wr_record_info info = {.title = "t",
                           .program = "p",
                           .scene_hash = 7,
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 4,
                           .planned_frames = 4,
                           .stage = wr_stage_default(),
                           .body_count = 1,
                           .bodies = body};
    return info;
}

static void add_frames(wr_record_writer *writer, int first, int last)
{
    for (int i = first; i <= last; i++) {
        wr_pose pose = {{0.0f, (float)i, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
        wr_frame frame = {
            .index = i, .time = i / 60.0, .hash = (uint64_t)i, .body_count = 1, .poses = &pose};
        assert_true(wr_record_add_frame(writer, &frame, NULL));
    }
}

// Breaks off behind frame 2, the snapshot is behind frame 1.
static void write_unfinished(const char *path)
{
    wr_record_info info = make_info(&red);
    remove(path);
    wr_record_writer *writer = wr_record_create(path, &info, NULL);
    assert_non_null(writer);
    add_frames(writer, 0, 1);
    assert_true(wr_record_add_snapshot(writer, "state", 5, NULL));
    add_frames(writer, 2, 2);
    wr_record_writer_destroy(writer);
}

static wr_record_writer *resume(const char *path, wr_record_body body, int expected)
{
    wr_record_info info = make_info(&body);
    int frame;
    const void *snapshot;
    size_t size;
    wr_error error = {0};
    wr_record_writer *writer = wr_record_resume(path, &info, &frame, &snapshot, &size, &error);
    assert_non_null(writer);
    assert_int_equal(frame, expected);
    assert_true(expected != 1 || (size == 5 && memcmp(snapshot, "state", 5) == 0));
    return writer;
}

static void expect_blue(const char *path, float blue, int frames)
{
    wr_record_reader *reader = wr_record_open(path, NULL);
    assert_non_null(reader);
    assert_int_equal(wr_record_frame_count(reader), frames);
    for (int i = 0; i < frames; i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, NULL);
        assert_true(frame && frame->poses[0].position.y == (float)i);
    }
    int count;
    assert_true(wr_record_bodies(reader, &count)->color.b == blue);
    wr_record_close(reader);
}

static void an_unfinished_recording_goes_on_with_new_looks(void **state)
{
    (void)state;
    const char *path = at("unfinished.wrought");
    wr_record_body body = red;
    write_unfinished(path);
    body.color.b = 0.25f;
    wr_record_writer *writer = resume(path, body, 1);
    assert_true(wr_record_has_new_looks(writer));
    wr_record_writer_destroy(writer); // killed: there is no snapshot behind the looks
    expect_blue(path, 0.25f, 2);
    writer = resume(path, body, 1);
    assert_false(wr_record_has_new_looks(writer));
    add_frames(writer, 2, 4);
    wr_record_writer_destroy(writer); // killed before its index
    expect_blue(path, 0.25f, 5);
    writer = resume(path, body, 1);
    add_frames(writer, 2, 4);
    assert_true(wr_record_finish(writer, true, NULL));
    wr_record_writer_destroy(writer);
    expect_blue(path, 0.25f, 5);
    body.color.b = 0.75f; // a finished one
    writer = resume(path, body, 4);
    assert_true(wr_record_has_new_looks(writer));
    assert_true(wr_record_finish(writer, true, NULL));
    wr_record_writer_destroy(writer);
    expect_blue(path, 0.75f, 5);
}

// Cut anywhere, the frames are there, and the looks are the old or the new ones.
static void appending_looks_loses_no_frame_wherever_it_breaks_off(void **state)
{
    (void)state;
    const char *path = at("cut.wrought");
    wr_record_body body = red;
    write_unfinished(path);
    wr_record_writer *writer = resume(path, body, 1);
    add_frames(writer, 2, 4);
    assert_true(wr_record_finish(writer, true, NULL));
    wr_record_writer_destroy(writer);
    int64_t before = wri_file_size(path);
    body.color.b = 0.5f;
    wr_record_writer_destroy(resume(path, body, 4));
    size_t size;
    char *bytes = wri_file_read(path, 1 << 20, NULL, &size, NULL);
    assert_true(bytes && (int64_t)size > before);
    bool is_new = false;
    for (size_t end = (size_t)before; end <= size; end++) {
        assert_true(wri_file_write(path, bytes, end, NULL));
        wr_record_reader *reader = wr_record_open(path, NULL);
        assert_non_null(reader);
        assert_int_equal(wr_record_frame_count(reader), 5);
        assert_true(wr_record_is_complete(reader));
        float blue = wr_record_about(reader)->bodies[0].color.b;
        assert_true(blue == 0.5f || (blue == 0.0f && !is_new));
        is_new = blue == 0.5f;
        wr_record_close(reader);
    }
    assert_true(is_new);
    wri_free(NULL, bytes, size + 1, 1);
}

// Somebody looks at a recording while its looks change.
static void a_reader_sees_new_looks_when_it_refreshes(void **state)
{
    (void)state;
    const char *path = at("seen.wrought");
    wr_record_body body = red;
    write_unfinished(path);
    wr_record_writer *writer = resume(path, body, 1);
    wr_record_reader *reader = wr_record_open(path, NULL);
    assert_non_null(reader);
    wr_record_writer_destroy(writer);
    body.color.b = 0.5f;
    wr_record_writer_destroy(resume(path, body, 1));
    assert_true(wr_record_refresh(reader, NULL));
    int count;
    assert_true(wr_record_bodies(reader, &count)->color.b == 0.5f);
    wr_record_close(reader);
}

// --- looks of bodies --------------------------------------------------------------------------

static wr_scene *read_look(const char *look, wr_error *error)
{
    char text[600];
    int size =
        snprintf(text, sizeof text,
                 "{\"wrought\": 1, \"length\": 0.05, \"bodies\": [{\"name\": \"floor\","
                 " \"shape\": \"plane\"}, {\"name\": \"ball\", \"shape\": {\"sphere\": 1}, %s}]}",
                 look);
    assert_true(wri_file_write(at("look.json"), text, (size_t)size, NULL));
    return wr_scene_read(at("look.json"), NULL, error);
}

static wr_scene_body read_ball(const char *look)
{
    wr_error error = {0};
    wr_scene *scene = read_look(look, &error);
    if (!scene) {
        fail_msg("%s", error.message);
    }
    wr_scene_body body = scene->bodies[1];
    wr_scene_destroy(scene);
    return body;
}

static void presets_and_objects_say_looks(void **state)
{
    (void)state;
    wr_look_change look = read_ball("\"look\": \"chrome\"").look;
    assert_true(look.metallic == 1.0f && look.roughness < 0.05f && look.color.r > 0.7f);
    wr_scene_body blue = read_ball("\"look\": \"car paint\", \"color\": \"#0000ff\"");
    assert_true(blue.look.color.r == 1.0f && blue.color.r == 0.0f && blue.color.b == 1.0f);
    look = read_ball("\"look\": {\"preset\": \"glass\", \"roughness\": 0.5}").look;
    assert_true(look.transmission == 1.0f && look.roughness == 0.5f);
    look = read_ball("\"look\": {\"metallic\": 0.5, \"two_sided\": true}").look;
    assert_int_equal(look.said, WR_LOOK_METALLIC | WR_LOOK_SIDES);
    static const char *const wrong[][2] = {
        {"\"look\": \"crome\"", "unknown look \"crome\"; did you mean \"chrome\"?"},
        {"\"look\": 3", "\"look\" expects a preset or an object, found a number"},
        {"\"look\": {\"glass\": 2}", "\"glass\" is 2"},
    };
    for (int i = 0; i < 3; i++) {
        wr_error error = {0};
        assert_null(read_look(wrong[i][0], &error));
        if (!strstr(error.message, wrong[i][1])) {
            fail_msg("%s", error.message);
        }
    }
}

static void looks_are_recorded_and_changed_and_exported(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_scene_destroy(read_look("\"look\": \"rust\"", &error));
    assert_int_equal(RUN_PROGRAM("sim", at("look.json"), "-o", at("looked")).status, 0);
    wr_scene_destroy(read_look("\"look\": {\"preset\": \"glass\", \"metallic\": 0.25}", &error));
    program_run run = RUN_PROGRAM("sim", at("look.json"), "-o", at("looked"));
    assert_non_null(strstr(run.said, "only looks have changed"));
    wr_record_reader *reader = wr_record_open(at("looked/recording.wrought"), NULL);
    assert_non_null(reader);
    const wr_look_change *look = &wr_record_about(reader)->bodies[1].look;
    assert_true(look->transmission == 1.0f && look->metallic == 0.25f && look->roughness == 0.0f);
    assert_int_equal(wr_record_about(reader)->bodies[0].look.said, 0);
    wr_record_close(reader);
    run = RUN_PROGRAM("export", at("looked"), "-o", at("looked.glb"));
    assert_int_equal(run.status, 0);
    wr_model *model = wr_model_read(at("looked.glb"), NULL, NULL);
    assert_non_null(model);
    int glass = 0;
    for (int i = 0; i < model->look_count; i++) {
        glass += model->looks[i].transmission == 1.0f && model->looks[i].metallic == 0.25f;
    }
    assert_int_equal(glass, 1);
    wr_model_destroy(model);
}

// --- pictures ---------------------------------------------------------------------------------

enum { SIZE = 48 };
static uint8_t pixels[SIZE * SIZE * 3];

// A big slab in front of the camera, looked at along -z, with a bright green wall behind the camera
// or behind the slab; returns the pixel in the middle.
static const uint8_t *draw_slab(const wr_look_change *look, float wall)
{
    const wr_color green = {0.0f, 1.0f, 0.0f, 1.0f}, white = {1.0f, 1.0f, 1.0f, 1.0f};
    wr_model *slab = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(4, 4, 0.5f), white, NULL);
    wr_model *plate = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(9, 9, 0.1f), white, NULL);
    assert_true(slab && plate);
    wr_render_thing things[2] = {
        {.model = slab, .pose = WR_POSE_IDENTITY, .tint = white, .look = look},
        {.model = plate, .pose = {{0, 0, wall}, {0, 0, 0, 1}}, .tint = green}};
    wr_stage stage = wr_stage_default();
    wr_camera camera = {.from = {0, 0, 3}, .fov = 0.5f};
    draw_with(make_sized_render(SIZE, SIZE, 16, 1, WR_VIEW_SHADED), things, wall == 0.0f ? 1 : 2,
              &stage, &camera, pixels);
    wr_model_destroy(slab);
    wr_model_destroy(plate);
    return pixels + 3 * (SIZE / 2 * SIZE + SIZE / 2);
}

static const wr_look_change mirror = {WR_LOOK_COLOR | WR_LOOK_METALLIC | WR_LOOK_ROUGHNESS,
                                      {0.9f, 0.9f, 0.9f, 1.0f},
                                      1.0f,
                                      0.0f,
                                      0.0f,
                                      false};
static const wr_look_change glass = {WR_LOOK_COLOR | WR_LOOK_ROUGHNESS | WR_LOOK_GLASS,
                                     {1.0f, 1.0f, 1.0f, 1.0f},
                                     0.0f,
                                     0.0f,
                                     1.0f,
                                     false};

static void a_mirror_shows_what_is_behind_the_camera(void **state)
{
    (void)state;
    const uint8_t *seen = draw_slab(&mirror, 6.0f);
    assert_true(seen[1] > 60 && seen[0] < 0.6f * seen[1]); // green, but for the haze
    seen = draw_slab(&mirror, -6.0f);
    assert_true(seen[0] > 60 && seen[2] > 60); // the sky
}

static void glass_shows_what_is_behind_it(void **state)
{
    (void)state;
    const uint8_t *seen = draw_slab(&glass, -6.0f);
    assert_true(seen[1] > 60 && seen[0] < 0.7f * seen[1]);
    float through = decode(seen[1]);
    wr_look_change sheet = glass;
    sheet.said |= WR_LOOK_SIDES;
    sheet.double_sided = true;
    CHECK_NEAR(decode(draw_slab(&sheet, -6.0f)[1]), through, 0.1f * through); // at right angles
    sheet.color = (wr_color){1.0f, 0.0f, 1.0f, 1.0f};
    assert_true(decode(draw_slab(&sheet, -6.0f)[1]) < 0.25f * through);
}

// All of the light goes through or is mirrored: a glass ball under an even sky cannot be seen.
static void glass_neither_adds_nor_takes_light(void **state)
{
    (void)state;
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f}, grey = {0.4f, 0.4f, 0.4f, 1.0f};
    wr_model *ball = wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(1, 1, 1), white, NULL);
    wr_stage stage = wr_stage_default();
    stage.light.sun_color = (wr_color){0.0f, 0.0f, 0.0f, 1.0f};
    stage.light.sky_zenith = stage.light.sky_horizon = grey;
    stage.light.ground = white; // sends back all of it
    wr_render_thing thing = {
        .model = ball, .pose = WR_POSE_IDENTITY, .tint = white, .look = &glass};
    wr_camera camera = {.from = {0, 1, 4}, .fov = 0.5f};
    draw_with(make_sized_render(SIZE, SIZE, 16, 1, WR_VIEW_SHADED), &thing, 1, &stage, &camera,
              pixels);
    for (int y = SIZE / 4; y < 3 * SIZE / 4; y++) {
        for (int x = SIZE / 4; x < 3 * SIZE / 4; x++) {
            CHECK_NEAR(decode(pixels[3 * (y * SIZE + x)]), 0.4f, 0.06f);
        }
    }
    wr_model_destroy(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(camera_light_and_colour_change_without_simulating),
        cmocka_unit_test(keys_of_a_camera_change_without_simulating),
        cmocka_unit_test(an_environment_is_kept_and_changes_without_simulating),
        cmocka_unit_test(what_physics_reads_is_simulated_again),
        cmocka_unit_test(the_hash_of_a_scene_is_of_its_physics),
        cmocka_unit_test(an_unfinished_recording_goes_on_with_new_looks),
        cmocka_unit_test(appending_looks_loses_no_frame_wherever_it_breaks_off),
        cmocka_unit_test(a_reader_sees_new_looks_when_it_refreshes),
        cmocka_unit_test(presets_and_objects_say_looks),
        cmocka_unit_test(looks_are_recorded_and_changed_and_exported),
        cmocka_unit_test(a_mirror_shows_what_is_behind_the_camera),
        cmocka_unit_test(glass_shows_what_is_behind_it),
        cmocka_unit_test(glass_neither_adds_nor_takes_light),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
