// test_pose_source.c: what a scene says about poses is read as said, and gives the poses of a
// body's handles at every time.
#include "check.h"

#include "asset_sample.h"
#include "jelly.h"

#include "../src/base/os.h"
#include "../src/world/world.h"
#include "wrought/scene.h"

enum { B = 6 }; // handles of both assets

static temporary_folder folder;
static wr_material puppet; // jelly that follows poses
static const wr_material *const materials[] = {&puppet};

static char *in_folder(char out[600], const char *name)
{
    snprintf(out, 600, "%s/%s", folder.path, name);
    return out;
}

static void need(bool ok, const wr_error *error)
{
    if (!ok) {
        fail_msg("%s", error->message);
    }
}

// "fox": two clips, made of puppet. "hen": another rig whose fourth and last handles have other
// names; no clips, no material.
static void write_assets(void)
{
    char path[600];
    wr_error error = {0};
    const sample_shape shapes[2] = {{3, 2, B, false}, {3, 3, B, false}};
    for (int i = 0; i < 2; i++) {
        wr_asset *asset = sample_asset_create(shapes[i]);
        asset->cut_count = 0; // which a scene would warn of
        asset->material = i == 0 ? "\"puppet\"" : NULL;
        if (i == 0) {
            asset->clips[0].name = "walk";
        } else {
            asset->rig.handles[3].name = "comb";
            asset->rig.handles[5].name = "tail";
            asset->clip_count = 0;
        }
        need(wr_asset_write(asset, in_folder(path, i ? "hen.glb" : "fox.glb"), &error), &error);
        wr_asset_destroy(asset);
    }
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    puppet = jelly_material;
    puppet.name = "puppet";
    puppet.follows_pose = true;
    write_assets();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// Bodies in this file are written with ' instead of ".
static wr_scene *read_bodies(const char *bodies, wr_error *error)
{
    char path[600], json[8192];
    snprintf(json, sizeof json,
             "{'wrought': 1, 'assets': {'fox': 'fox.glb', 'hen': 'hen.glb'}, 'bodies': [\n%s]}",
             bodies);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    need(wri_file_write(in_folder(path, "scene.json"), json, strlen(json), error), error);
    const wr_scene_options options = {.materials = materials, .material_count = 1};
    return wr_scene_read(in_folder(path, "scene.json"), &options, error);
}

#define PUPPET(name, asset) "'name': '" name "', 'asset': '" asset "', 'material': 'puppet'"
#define FOX PUPPET("fox", "fox")

typedef struct stage {
    wr_scene *scene;
    wr_scratch scratch;
} stage;

static stage stage_create(const char *bodies)
{
    wr_error error = {0};
    stage s = {read_bodies(bodies, &error), wri_scratch_create(NULL)};
    need(s.scene, &error);
    return s;
}

static void stage_destroy(stage *s)
{
    wri_scratch_destroy(&s->scratch);
    wr_scene_destroy(s->scene);
}

static void find(stage *s, int body, double time, wr_handle_pose *poses)
{
    assert_true(wri_pose_source_find(s->scene, body, time, &s->scratch, poses));
    wri_scratch_reset(&s->scratch);
}

// Where a handle takes a point of the rest shape.
static wr_vec3 carry(const wr_handle *handle, const wr_handle_pose *pose, wr_vec3 point)
{
    wr_vec3 v = wr_sub(point, handle->pivot);
    const float *s = pose->stretch;
    v = wr_v3(s[0] * v.x + s[3] * v.y + s[4] * v.z, s[3] * v.x + s[1] * v.y + s[5] * v.z,
              s[4] * v.x + s[5] * v.y + s[2] * v.z);
    return wr_add(wr_add(handle->pivot, pose->offset), wr_rotate(pose->rotation, v));
}

static double difference(const wr_rig *rig, const wr_handle_pose *a, const wr_handle_pose *b)
{
    double most = 0.0;
    for (int i = 0; i < B; i++) {
        for (int k = 0; k < 4; k++) {
            wr_vec3 p = wr_add(rig->handles[i].pivot, wr_v3(k == 1, k == 2, k == 3));
            most = fmax(most, (double)wr_distance(carry(&rig->handles[i], &a[i], p),
                                                  carry(&rig->handles[i], &b[i], p)));
        }
    }
    return most;
}

// --- clips ------------------------------------------------------------------------------------

static void a_clip_plays_as_said(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        double start, speed, at;
        bool loops;
    } cases[] = {
        {"'clip': 'walk'", 0, 1, 0, true},
        {"'clip': 'walk', 'start': 0.4", 0.4, 1, 0, true},
        {"'clip': 'walk', 'speed': 1.7, 'loop': false", 0, 1.7, 0, false},
        {"'clip': 'walk', 'start': 1, 'speed': -0.5", 1, -0.5, 0, true},
        {"'clip': 'walk', 'start': 0.3, 'speed': 0", 0.3, 0, 0, true},
        {"'clip': 'walk', 'start': 0.2, 'at': 1.5", 0.2, 1, 1.5, true},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        char text[400];
        snprintf(text, sizeof text, "{" FOX ", 'pose': {%s}}", cases[i].words);
        stage s = stage_create(text);
        const wr_asset *asset = s.scene->bodies[0].asset;
        for (double time = 0.0; time < 4.0; time += 0.37) {
            wr_handle_pose found[B], expected[B];
            find(&s, 0, time, found);
            double passed = fmax(time - cases[i].at, 0.0);
            wr_rig_clip_poses(&asset->clips[0], asset->rig.handles, B,
                              cases[i].start + cases[i].speed * passed, cases[i].loops, expected);
            assert_memory_equal(found, expected, sizeof found);
        }
        stage_destroy(&s);
    }
}

#define THREE                                                                                      \
    "{" FOX ", 'pose': [{'clip': 'walk'}, {'clip': 'walk', 'start': 0.9, 'speed': -1, 'at': 1, "   \
    "'blend': 0.5}, {'clip': 'still', 'at': 1.3, 'blend': 0.4}]}"

// Both play on while one goes over into the other; a third may begin before that is done.
static void clips_go_over_into_each_other(void **state)
{
    (void)state;
    stage s = stage_create(THREE);
    const wr_asset *asset = s.scene->bodies[0].asset;
    const wr_handle *handles = asset->rig.handles;
    for (double time = 0.0; time < 2.5; time += 0.05) {
        wr_handle_pose a[B], b[B], c[B], ab[B], expected[B], found[B];
        wr_rig_clip_poses(&asset->clips[0], handles, B, time, true, a);
        wr_rig_clip_poses(&asset->clips[0], handles, B, 0.9 - (time - 1.0), true, b);
        wr_rig_clip_poses(&asset->clips[1], handles, B, time - 1.3, true, c);
        double s1 = fmin(fmax((time - 1.0) / 0.5, 0), 1), s2 = fmin(fmax((time - 1.3) / 0.4, 0), 1);
        wr_rig_blend_poses(handles, B, a, b, (float)(s1 * s1 * (3 - 2 * s1)), ab);
        wr_rig_blend_poses(handles, B, ab, c, (float)(s2 * s2 * (3 - 2 * s2)), expected);
        find(&s, 0, time, found);
        CHECK_NEAR(difference(&asset->rig, found, expected), 0, 3e-6);
    }
    stage_destroy(&s);
}

static void going_over_begins_and_ends_without_a_jerk(void **state)
{
    (void)state;
    stage s =
        stage_create("{" FOX ", 'pose': [{'clip': 'walk', 'speed': 0, 'start': 0.3}, {'clip': "
                     "'walk', 'speed': 0, 'start': 0.8, 'at': 1, 'blend': 0.5}]}");
    const wr_rig *rig = &s.scene->bodies[0].asset->rig;
    double speeds[3];
    static const double times[3] = {1.002, 1.25, 1.497};
    for (int i = 0; i < 3; i++) {
        wr_handle_pose a[B], b[B];
        find(&s, 0, times[i], a);
        find(&s, 0, times[i] + 1e-3, b);
        speeds[i] = difference(rig, a, b) / 1e-3;
    }
    assert_true(speeds[1] > 1.0);
    assert_true(speeds[0] < 0.1 * speeds[1] && speeds[2] < 0.1 * speeds[1]);
    stage_destroy(&s);
}

// --- bodies -----------------------------------------------------------------------------------

#define PATH                                                                                       \
    "'path': [{'time': 0, 'at': [1, 2, 3], 'turn': {'axis': [1, 2, 0], 'by': 50}}, {'time': 2, "   \
    "'at': [-2, 4, 1], 'turn': {'axis': [0, 1, 3], 'by': 170}}]"

// In the world: first the clip, then the size, then where the path is.
static void a_pose_goes_along_a_path(void **state)
{
    (void)state;
    stage s = stage_create("{" FOX ", 'scale': 1.5, 'pose': {'clip': 'walk'}, " PATH
                           "}, {" PUPPET("stiff", "fox") ", " PATH "}");
    const wr_scene_body *body = &s.scene->bodies[0];
    const wr_rig *rig = &body->asset->rig;
    assert_int_equal(body->rigid.motion, WR_MOTION_MOVING);
    for (double time = 0.0; time < 3.0; time += 0.2) {
        wr_handle_pose clip[B], found[2][B];
        wr_rig_clip_poses(&body->asset->clips[0], rig->handles, B, time, true, clip);
        find(&s, 0, time, found[0]);
        find(&s, 1, time, found[1]);
        for (int b = 0; b < B; b++) {
            wr_vec3 p = wr_add(rig->handles[b].pivot, wr_v3(0.3f, -0.2f, 0.5f));
            wr_vec3 in_body = wr_scale(1.5f, carry(&rig->handles[b], &clip[b], p));
            wr_vec3 world =
                wr_pose_point(wri_path_pose(body->path, body->path_count, time), in_body);
            wr_vec3 seen = wr_scale(1.5f, carry(&rig->handles[b], &found[0][b], p));
            CHECK_NEAR(wr_distance(wr_pose_point(body->rigid.pose, seen), world), 0, 1e-5);
            const wr_scene_body *stiff = &s.scene->bodies[1];
            world = wr_pose_point(wri_path_pose(stiff->path, stiff->path_count, time), p);
            seen = carry(&rig->handles[b], &found[1][b], p);
            CHECK_NEAR(wr_distance(wr_pose_point(stiff->rigid.pose, seen), world), 0, 1e-5);
            assert_true(found[0][b].rotation.w >= 0.0f);
        }
    }
    stage_destroy(&s);
}

// A body that names no material is of that of its asset when it moves, or when a pose says that it
// does although a path would drive it; without a pose the path drives a rigid one.
static void the_material_of_an_asset_comes_with_a_pose(void **state)
{
    (void)state;
    stage s = stage_create("{'asset': 'fox', 'pose': {'clip': 'walk'}, " PATH
                           "}, {'asset': 'fox', 'at': [9, 0, 0]}, {'asset': 'fox', " PATH "}");
    for (int i = 0; i < 2; i++) {
        assert_ptr_equal(s.scene->bodies[i].material, &puppet);
        assert_int_equal(s.scene->bodies[i].rigid.motion, WR_MOTION_MOVING);
    }
    assert_null(s.scene->bodies[2].material);
    assert_int_equal(s.scene->bodies[2].rigid.motion, WR_MOTION_DRIVEN);
    stage_destroy(&s);
}

static void a_body_does_what_its_leader_does(void **state)
{
    (void)state;
    stage s = stage_create("{" PUPPET(
        "twin",
        "fox") ", 'pose': {'body': 'fox'}},"
               "{" FOX ", 'pose': {'clip': 'walk'}, " PATH "},"
               "{" PUPPET("own way",
                          "fox") ", 'pose': {'body': 'twin'}, 'path': "
                                 "[{'time': 0, 'at': [0, 0, 0]}, {'time': 1, 'at': [1, 0, 0]}]},"
                                 "{" PUPPET("late", "fox") ", 'pose': [{'clip': 'still'}, {'body': "
                                                           "'twin', 'at': 1, 'blend': 1}]}");
    const wr_asset *asset = s.scene->bodies[0].asset;
    assert_int_equal(s.scene->warning_count, 0);
    for (double time = 0.0; time < 3.0; time += 0.3) {
        wr_handle_pose twin[B], fox[B], own[B], late[B], clip[B];
        find(&s, 0, time, twin);
        find(&s, 1, time, fox);
        find(&s, 2, time, own);
        find(&s, 3, time, late);
        assert_memory_equal(twin, fox, sizeof fox);
        wr_rig_clip_poses(&asset->clips[0], asset->rig.handles, B, time, true, clip);
        for (int b = 0; b < B; b++) { // the clip, and one way
            wr_vec3 moved = wr_sub(own[b].offset, clip[b].offset);
            CHECK_NEAR(wr_distance(moved, wr_v3(fminf((float)time, 1.0f), 0, 0)), 0, 1e-6);
        }
        if (time >= 2.0) {
            assert_memory_equal(late, fox, sizeof fox);
        }
    }
    stage_destroy(&s);
}

// Handles turn as those of the same name; bones have the length they have here.
static void another_rig_follows_by_name(void **state)
{
    (void)state;
    stage s = stage_create("{" FOX ", 'pose': {'clip': 'walk'}},\n{" PUPPET(
        "hen", "hen") ", 'pose': {'body': 'fox'}}");
    char path[600], expected[900];
    snprintf(expected, sizeof expected,
             "%s:3:72: body \"hen\": handles without one of the same name in \"fox\" stay as they "
             "are within their parents: \"comb\", \"tail\"",
             in_folder(path, "scene.json"));
    assert_int_equal(s.scene->warning_count, 1);
    assert_string_equal(s.scene->warnings[0], expected);
    const wr_rig *rig = &s.scene->bodies[1].asset->rig;
    for (double time = 0.0; time < 3.0; time += 0.3) {
        wr_handle_pose fox[B], hen[B];
        find(&s, 0, time, fox);
        find(&s, 1, time, hen);
        for (int b = 0; b < B; b++) {
            bool lonely = b == 3 || b == 5;
            const wr_handle_pose *like = lonely ? &hen[rig->handles[b].parent] : &fox[b];
            assert_memory_equal(&hen[b].rotation, &like->rotation, sizeof(wr_quat));
            assert_memory_equal(hen[b].stretch, like->stretch, sizeof like->stretch);
            if (lonely) { // goes where the one above takes it
                int parent = rig->handles[b].parent;
                wr_vec3 at = carry(&rig->handles[parent], &hen[parent], rig->handles[b].pivot);
                wr_vec3 found = wr_add(rig->handles[b].pivot, hen[b].offset);
                CHECK_NEAR(wr_distance(at, found), 0, 1e-6);
            }
        }
        CHECK_NEAR(wr_distance(hen[0].offset, fox[0].offset), 0, 1e-6); // without parents
        CHECK_NEAR(wr_distance(hen[1].offset, fox[1].offset), 0, 1e-6);
    }
    stage_destroy(&s);
}

static void copies_share_a_pose_and_go_ways_of_their_own(void **state)
{
    (void)state;
    stage s = stage_create("{" FOX ", 'pose': {'clip': 'walk'}, " PATH ", 'copies': {'count': 3, "
                           "'step': [2, 0, 0]}}, {" PUPPET("last", "fox") ", 'pose': {'body': "
                                                                          "'fox.3'}}");
    wr_handle_pose first[B], third[B], last[B];
    find(&s, 0, 1.3, first);
    find(&s, 2, 1.3, third);
    find(&s, 3, 1.3, last);
    CHECK_NEAR(difference(&s.scene->bodies[0].asset->rig, first, third), 0, 3e-6);
    assert_memory_equal(last, third, sizeof last);
    stage_destroy(&s);
}

// --- promises ---------------------------------------------------------------------------------

static void poses_depend_on_the_time_alone(void **state)
{
    (void)state;
    stage s = stage_create(THREE ", {" PUPPET("hen", "hen") ", 'pose': {'body': 'fox'}, " PATH "}");
    enum { TIMES = 40 };
    static wr_handle_pose forwards[TIMES][2][B], again[2][B];
    for (int i = 0; i < TIMES; i++) {
        find(&s, 0, 0.07 * i, forwards[i][0]);
        find(&s, 1, 0.07 * i, forwards[i][1]);
    }
    for (int i = TIMES - 1; i >= 0; i -= 3) {
        find(&s, 1, 0.07 * i, again[1]);
        find(&s, 0, 0.07 * i, again[0]);
        assert_memory_equal(again, forwards[i], sizeof again);
    }
    stage_destroy(&s);
}

static void after_the_first_time_it_takes_no_memory(void **state)
{
    (void)state;
    wr_error error = {0};
    counting_heap heap = {.budget = 1000};
    const wr_allocator allocator = counting_allocator(&heap);
    wr_scene *scene =
        read_bodies(THREE ", {" PUPPET("hen", "hen") ", 'pose': {'body': 'fox'}}", &error);
    need(scene, &error);
    wr_scratch scratch = wri_scratch_create(&allocator);
    wr_handle_pose poses[B];
    int calls = 0;
    for (int i = 0; i < 100; i++) {
        double time = i < 2 ? 1.4 : 0.03 * i; // first while all three are mixed
        calls = i == 2 ? heap.calls : calls;
        assert_true(wri_pose_source_find(scene, 1, time, &scratch, poses));
        wri_scratch_reset(&scratch);
    }
    assert_int_equal(heap.calls, calls);
    wri_scratch_destroy(&scratch);
    heap = (counting_heap){.budget = 0};
    scratch = wri_scratch_create(&allocator);
    assert_false(wri_pose_source_find(scene, 1, 1.4, &scratch, poses));
    wri_scratch_destroy(&scratch);
    wr_scene_destroy(scene);
}

// A path takes the pose along; the body itself is no driven one.
static void a_world_does_not_drive_such_a_body(void **state)
{
    (void)state;
    stage s = stage_create("{" FOX ", 'shape': {'box': [1, 1, 1]}, 'pose': {'clip': 'walk'}, " PATH
                           "}, {'name': 'crate', 'shape': {'box': [1, 1, 1]}}");
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = s.scene;
    wr_error error = {0};
    wr_world *world = wr_world_create(&desc, &error);
    need(world, &error);
    wr_handle_pose poses[B];
    assert_false(wri_pose_source_find(s.scene, 1, 0.0, &s.scratch, poses));
    for (int i = 0; i < 30; i++) {
        wr_world_step_frame(world);
    }
    assert_int_equal(wr_world_stats(world).frozen, 0);
    const wr_rigid *rigid = wr_world_rigid(world);
    wr_vec3 at = wr_rigid_pose(rigid, wr_world_body(world, 0)).position;
    assert_true(at.y < 1.5f && fabsf(at.x - 1.0f) < 0.5f); // fell, as jelly does
    wr_world_destroy(world);
    stage_destroy(&s);
}

// --- mistakes ---------------------------------------------------------------------------------

static void mistakes_are_one_sentence_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *bodies, *sentence;
    } mistakes[] = {
        {"{'shape': {'box': [1, 1, 1]}, 'pose': {'clip': 'walk'}}",
         "2:39: body 1: 'pose' has no effect on a body of 'rigid', which follows no skeleton"},
        {"{'asset': 'fox', 'material': 'metal', 'pose': {'clip': 'walk'}}",
         "2:47: body 1: 'pose' has no effect on a body of 'metal', which follows no skeleton"},
        {"{'shape': {'box': [1, 1, 1]}, 'material': 'puppet', 'pose': {'clip': 'walk'}}",
         "2:61: body 1: a body with a 'pose' expects an 'asset' with handles"},
        {"{" FOX ", 'pose': {'clip': 'wolk'}}",
         "2:72: body 'fox': unknown clip 'wolk'; did you mean 'walk'?"},
        {"{" PUPPET("hen", "hen") ", 'pose': {'clip': 'walk'}}",
         "2:72: body 'hen': the asset has no clips, expected one whose handles are the joints of "
         "its model"},
        {"{" FOX ", 'pose': {}}",
         "2:63: body 'fox': 'pose' needs either 'clip', 'body' or 'bones'"},
        {"{" FOX ", 'pose': {'clip': 'walk', 'body': 'fox'}}",
         "2:63: body 'fox': 'pose' needs either 'clip', 'body' or 'bones'"},
        {"{" FOX ", 'pose': []}", "2:63: body 'fox': 'pose' is empty, expected at least one"},
        {"{" FOX ", 'pose': 'walk'}", "2:63: body 'fox': 'pose' is a text, expected an object"},
        {"{" FOX ", 'pose': {'clip': 'walk', 'blend': 1}}",
         "2:80: body 'fox': 'blend' means nothing without a pose before it"},
        {"{" FOX ", 'pose': {'body': 'fox', 'start': 1}}",
         "2:79: body 'fox': 'start' means nothing without 'clip'"},
        {"{" FOX ", 'pose': [{'clip': 'walk', 'at': 1}, {'clip': 'still', 'at': 1}]}",
         "2:91: body 'fox': 'at' is 1 s, expected more than the 1 s before it"},
        {"{" FOX ", 'pose': {'clip': 'walk', 'speed': 101}}",
         "2:89: body 'fox': 'speed' is 101, expected -100 to 100"},
        {"{" FOX ", 'pose': {'body': 'foks'}}",
         "2:72: body 'fox': unknown body 'foks', expected one of: fox"},
        {"{" FOX ", 'pose': {'body': 'fox'}}",
         "2:72: body 'fox': follows itself, or is the last of more than 16 that follow"},
        {"{" FOX ", 'pose': {'body': 'a'}},\n{" PUPPET("a", "fox") ", 'pose': [{'clip': 'walk'}, "
                                                                   "{'at': 1, 'body': 'fox'}]}",
         "2:72: body 'fox': follows itself, or is the last of more than 16 that follow"},
        {"{" FOX ", 'pose': {'body': 'crate'}},\n{'name': 'crate', 'shape': {'box': [1, 1, 1]}}",
         "2:72: body 'fox': 'crate' has no 'pose' that could be followed"},
        {"{" FOX ", 'motion': 'driven', " PATH ", 'pose': {'clip': 'walk'}}",
         "a body of 'puppet' moves, expected the motion 'moving'"},
        {"{" FOX ", 'velocity': [1, 0, 0], " PATH ", 'pose': {'clip': 'walk'}}",
         "2:67: body 'fox': 'velocity' has no effect beside a 'path'"},
        {"{'asset': 'fox', 'material': 'metal', " PATH "}",
         "a body of 'metal' moves, expected the motion 'moving'"},
    };
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        wr_error error = {0};
        wr_scene *scene = read_bodies(mistakes[i].bodies, &error);
        for (char *c = error.message; *c; c++) {
            *c = *c == '"' ? '\'' : *c;
        }
        if (scene || !strstr(error.message, mistakes[i].sentence)) {
            fail_msg("%s:\n%s\nexpected\n%s", mistakes[i].bodies,
                     scene ? "was read" : error.message, mistakes[i].sentence);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clip_plays_as_said),
        cmocka_unit_test(clips_go_over_into_each_other),
        cmocka_unit_test(going_over_begins_and_ends_without_a_jerk),
        cmocka_unit_test(a_pose_goes_along_a_path),
        cmocka_unit_test(the_material_of_an_asset_comes_with_a_pose),
        cmocka_unit_test(a_body_does_what_its_leader_does),
        cmocka_unit_test(another_rig_follows_by_name),
        cmocka_unit_test(copies_share_a_pose_and_go_ways_of_their_own),
        cmocka_unit_test(poses_depend_on_the_time_alone),
        cmocka_unit_test(after_the_first_time_it_takes_no_memory),
        cmocka_unit_test(a_world_does_not_drive_such_a_body),
        cmocka_unit_test(mistakes_are_one_sentence_with_their_place),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
