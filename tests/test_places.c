// test_places.c: handles by the words, nodes and sides of a model; objects of a file; joints that
// carry what hangs on them; the moments of a clip that differ most.
#include "recipe_text.h"

#include "wrought/example.h"

// --- a model ----------------------------------------------------------------------------------

static void make_box(wr_model *m, wr_mesh *mesh, const char *name, wr_vec3 low, wr_vec3 high)
{
    static const int sides[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                     {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                     {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    mesh->name = name;
    mesh->vertex_count = 8;
    mesh->triangle_count = 12;
    mesh->positions = wr_model_alloc(m, 8, sizeof(wr_vec3));
    mesh->triangles = wr_model_alloc(m, 36, sizeof(int));
    memcpy(mesh->triangles, sides, sizeof sides);
    for (int i = 0; i < 8; i++) {
        mesh->positions[i] =
            wr_v3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    }
}

// One vertex moves.
static void add_morph(wr_model *m, wr_mesh *mesh, const char *name)
{
    mesh->morph_count = 1;
    mesh->morphs = wr_model_alloc(m, 1, sizeof *mesh->morphs);
    mesh->morphs[0] = (wr_morph){.name = name, .positions = wr_model_alloc(m, 8, sizeof(wr_vec3))};
    mesh->morphs[0].positions[6] = wr_v3(0.1f, 0.2f, -0.1f);
}

// The hull is symmetric, front +x and left -z; a lamp stands out on its left side, an empty on top
// of that, and a clip swings the lamp up, back, down and back. Each has a morph target.
static const wr_vec3 lamp_at = {0.5f, 0.3f, -0.5f}, tip_at = {0.1f, 0.2f, -0.3f};

static void write_model(void)
{
    static const float angles[] = {0.0f, 0.7f, 0.0f, -0.69f, 0.0f};
    wr_error error = {0};
    wr_model *m = wr_model_create(NULL, &error);
    assert_non_null(m);
    m->name = "boat";
    m->mesh_count = 2;
    m->meshes = wr_model_alloc(m, 2, sizeof *m->meshes);
    make_box(m, &m->meshes[0], "hull", wr_v3(-0.9f, 0, -0.4f), wr_v3(0.9f, 0.6f, 0.4f));
    make_box(m, &m->meshes[1], "glass", wr_v3(-0.1f, -0.1f, -0.2f), wr_v3(0.3f, 0.1f, 0.1f));
    add_morph(m, &m->meshes[0], "swell");
    add_morph(m, &m->meshes[1], "glow");
    m->node_count = 3;
    m->nodes = wr_model_alloc(m, 3, sizeof *m->nodes);
    static const char *const names[] = {"hull", "lamp", "tip"};
    for (int i = 0; i < 3; i++) {
        m->nodes[i] = (wr_node){.name = names[i],
                                .parent = i == 2 ? 1 : -1,
                                .skin = -1,
                                .mesh = i < 2 ? i : -1,
                                .scale = {1, 1, 1}};
        m->nodes[i].pose.rotation = WR_QUAT_IDENTITY;
    }
    m->nodes[1].pose = (wr_pose){lamp_at, wr_quat_from_axis_angle(wr_v3(1, 2, 3), 0.4f)};
    m->nodes[2].pose.position = tip_at;
    m->clip_count = 1;
    m->clips = wr_model_alloc(m, 1, sizeof *m->clips);
    wr_track *track = wr_model_alloc(m, 1, sizeof *track);
    *track = (wr_track){1,
                        WR_CHANNEL_ROTATION,
                        WR_INTERPOLATION_LINEAR,
                        WRI_COUNT(angles),
                        wr_model_alloc(m, WRI_COUNT(angles), sizeof(float)),
                        wr_model_alloc(m, WRI_COUNT(angles), 4 * sizeof(float))};
    for (int k = 0; k < WRI_COUNT(angles); k++) {
        wr_quat turn = wr_quat_multiply(m->nodes[1].pose.rotation,
                                        wr_quat_from_axis_angle(wr_v3(0, 1, 1), angles[k]));
        track->times[k] = 0.5f * (float)k;
        memcpy(track->values + 4 * k, &turn, sizeof turn);
    }
    *m->clips = (wr_clip){"swing", 1, track};
    assert_true(wr_model_write_glb(m, in_folder("boat.glb"), &error));
    wr_model_destroy(m);
}

static int make_models(void **state)
{
    int failed = set_up(state);
    write_model();
    // A chain of three bones with a branch.
    write_text("arm.tgf",
               "1 -0.8 0.3 0\n2 -0.2 0.3 0.1\n3 0.3 0.35 0\n4 0.8 0.3 0\n5 -0.2 0.3 -0.35\n"
               "#\n1 2 1 0 0\n2 3 1 0 0\n3 4 1 0 0\n2 5 1 0 0\n#\n");
    return failed;
}

// --- building ---------------------------------------------------------------------------------

static wr_asset *build(const char *text, wr_error *error)
{
    return build_recipe_text("boat.recipe.json", text, error);
}

static wr_asset *build_sound(const char *text)
{
    wr_error error = {0};
    wr_asset *asset = build(text, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    return asset;
}

#define HULL                                                                                       \
    "'wrought': 1, 'model': 'boat.glb', 'objects': ['hull'], 'simulation': {'vertices': 300}"
#define BOAT "'wrought': 1, 'model': 'boat.glb', 'simulation': {'vertices': 300}"
#define PLACED(places) "{" HULL ", 'handles': {'place': [" places "]}}"

static void check_near(wr_vec3 a, wr_vec3 b, double tolerance)
{
    CHECK_NEAR((double)wr_distance(a, b), 0.0, tolerance);
}

// --- handles ----------------------------------------------------------------------------------

static void words_name_corners_edges_and_sides(void **state)
{
    (void)state;
    static const wr_vec3 expected[] = {
        {0.9f, 0.6f, -0.4f}, {-0.9f, 0.3f, 0}, {0, 0.3f, -0.4f}, {0, 0, 0.4f}, {0, 0.6f, 0}};
    wr_asset *asset = build_sound(PLACED("{'name': 'a', 'at': 'front left top'},"
                                         "{'name': 'b', 'at': 'rear'}, {'name': 'c', 'at': 'left'},"
                                         "{'name': 'd', 'at': 'right bottom'},"
                                         "{'name': 'e', 'at': 'top'}"));
    assert_int_equal(asset->rig.handle_count, 5);
    for (int i = 0; i < 5; i++) {
        check_near(asset->rig.handles[i].pivot, expected[i], 1e-5);
    }
    wr_asset_destroy(asset);
}

static void a_handle_stands_where_a_node_of_the_file_is(void **state)
{
    (void)state;
    wr_asset *asset =
        build_sound("{" BOAT ", 'handles': {'automatic': 2, 'place': [{'name': 'end', "
                    "'node': 'tip'}]}}");
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 0.4f);
    check_near(asset->rig.handles[0].pivot, wr_add(lamp_at, wr_rotate(turn, tip_at)), 1e-5);
    wr_asset_destroy(asset);
}

static void a_mirrored_handle_stands_on_the_other_side(void **state)
{
    (void)state;
    wr_asset *asset = build_sound(PLACED("{'name': 'left tip', 'at': [0.5, 0.61, -0.3], 'mirror': "
                                         "true}, {'name': 'tail', 'at': 'rear'}"));
    assert_int_equal(asset->rig.handle_count, 3);
    assert_string_equal(asset->rig.handles[1].name, "right tip");
    check_near(asset->rig.handles[1].pivot, wr_v3(0.5f, 0.61f, 0.3f), 1e-5);
    wr_asset_destroy(asset);
}

static void only_the_chosen_objects_are_built(void **state)
{
    (void)state;
    wr_asset *all = build_sound("{" BOAT "}"), *hull = build_sound("{" HULL "}");
    wr_asset *lamp = build_sound("{'wrought': 1, 'model': 'boat.glb', 'objects': ['la*'], "
                                 "'simulation': {'vertices': 60}, 'handles': {'automatic': 3}}");
    assert_int_equal(all->model->meshes->triangle_count, 24);
    assert_int_equal(hull->model->meshes->triangle_count, 12);
    assert_int_equal(lamp->model->meshes->triangle_count, 12);
    CHECK_NEAR(wr_mesh_bounds(hull->model->meshes).max.x, 0.9, 1e-6);
    assert_true(wr_mesh_bounds(lamp->model->meshes).min.x > 0.2f);
    wr_asset_destroy(all);
    wr_asset_destroy(hull);
    wr_asset_destroy(lamp);
}

static void examples_call_handles_by_their_places(void **state)
{
    (void)state;
    wr_asset *asset = build_sound("{" HULL ", 'handles': {'automatic': 8}, 'examples': [{'name': "
                                  "'a', 'move': {'front left top': [0, 0.2, 0]}}]}");
    const wr_rig *rig = &asset->rig;
    int nearest = 0, moved = 0;
    for (int i = 0; i < rig->handle_count; i++) {
        const wr_vec3 corner = {0.9f, 0.6f, -0.4f};
        bool nearer = wr_distance(rig->handles[i].pivot, corner) <
                      wr_distance(rig->handles[nearest].pivot, corner);
        nearest = nearer ? i : nearest;
        moved += wr_length(rig->examples[1].poses[i].offset) > 0.0f;
    }
    assert_int_equal(moved, 1);
    check_near(rig->examples[1].poses[nearest].offset, wr_v3(0, 0.2f, 0), 0.0);
    wr_asset_destroy(asset);
}

static void mistakes_are_told_with_what_was_expected(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {PLACED("{'name': 'a', 'at': 'frnt left'}"), "\"front left top\""},
        {PLACED("{'name': 'a', 'at': 'front rear'}"), "one each of front or rear"},
        {PLACED("{'name': 'a', 'at': ''}"), "one each of front or rear"},
        {PLACED("{'name': 'a'}"), "needs either \"at\" or \"node\""},
        {PLACED("{'name': 'a', 'at': 'top', 'node': 'tip'}"), "needs either \"at\" or \"node\""},
        {PLACED("{'name': 'a', 'node': 'tap'}"),
         "the model has no node \"tap\"; did you mean \"tip\"?"},
        {PLACED("{'name': 'a', 'at': 'top', 'mirror': true}"),
         "expected \"left\" or \"right\" in the name of what is mirrored"},
        {PLACED("{'name': 'right', 'at': 'right'}, {'name': 'left', 'at': 'left', 'mirror': true}"),
         "\"name\" is \"right\", as of another one"},
        {"{" BOAT ", 'handles': {'place': [{'name': 'left', 'at': [0.5, 0.3, -0.7], 'mirror': "
         "true}]}}",
         "the model is not symmetric at \"left\""},
        {"{'wrought': 1, 'model': 'boat.glb', 'objects': ['hulk']}",
         "no object \"hulk\"; did you mean \"hull\"?"},
        {"{'wrought': 1, 'model': 'boat.glb', 'objects': []}", "\"objects\" is empty"},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_error error = {0};
        assert_null(build(cases[i].text, &error));
        if (!strstr(error.message, cases[i].said)) {
            fail_msg("%s\nwas said of %s", error.message, cases[i].text);
        }
        assert_non_null(strstr(error.message, "boat.recipe.json:1:"));
    }
}

// --- joints -----------------------------------------------------------------------------------

#define ARM(moves)                                                                                 \
    "{" HULL ", 'handles': {'graph': 'arm.tgf'}, 'examples': [{'name': 'bent', " moves "}]}"

// A rigid map about a pivot.
static wr_vec3 about(wr_vec3 pivot, wr_quat turn, wr_vec3 p)
{
    return wr_add(pivot, wr_rotate(turn, wr_sub(p, pivot)));
}

// Bones: 0 upper, 1 middle, 2 lower, 3 the branch off the same place as 1.
static void what_hangs_on_a_turned_bone_goes_with_it_and_the_rest_stays(void **state)
{
    (void)state;
    wr_asset *asset = build_sound(ARM("'turn': {'h1': {'axis': [1, 2, 3], 'by': 40}, "
                                      "'h2': {'axis': [0, 1, 0], 'by': -25}}"));
    const wr_rig *rig = &asset->rig;
    const wr_handle_pose *poses = rig->examples[1].poses;
    assert_int_equal(rig->handle_count, 4);
    assert_int_equal(rig->handles[2].parent, 1);
    wr_quat first = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 40 * WR_PI / 180);
    wr_quat both =
        wr_quat_multiply(first, wr_quat_from_axis_angle(wr_v3(0, 1, 0), -25 * WR_PI / 180));
    for (int b = 0; b < 4; b += 3) { // upper and branch
        check_near(poses[b].offset, wr_v3(0, 0, 0), 0.0);
        CHECK_NEAR(fabsf(poses[b].rotation.w), 1.0, 1e-6);
    }
    check_near(poses[1].offset, wr_v3(0, 0, 0), 0.0);
    wr_vec3 elbow = rig->handles[2].pivot;
    check_near(wr_add(elbow, poses[2].offset), about(rig->handles[1].pivot, first, elbow), 1e-6);
    CHECK_NEAR(fabsf(wr_quat_dot(poses[2].rotation, both)), 1.0, 1e-6);
    wr_asset_destroy(asset);
}

static void a_moved_bone_is_where_it_was_told_to_be(void **state)
{
    (void)state;
    wr_asset *asset = build_sound(ARM("'turn': {'h1': {'axis': [0, 0, 1], 'by': 40}}, "
                                      "'move': {'h2': [0.1, 0.02, 0]}"));
    check_near(asset->rig.examples[1].poses[2].offset, wr_v3(0.1f, 0.02f, 0), 0.0);
    wr_asset_destroy(asset);
}

// --- new --------------------------------------------------------------------------------------

static char *start_with(const char *object, wr_error *error)
{
    static size_t size;
    const wr_recipe_start start = {.model = "boat.glb",
                                   .path = in_folder("boat.glb"),
                                   .vertices = 60,
                                   .objects = &object,
                                   .object_count = object != NULL};
    return wr_recipe_write_new(&start, &size, error);
}

// Of the whole boat the lamp swings; neither object alone changes its shape in the clip, or has
// another one to touch.
static void a_new_recipe_is_about_the_chosen_objects(void **state)
{
    (void)state;
    static const struct {
        const char *object;
        bool is_whole, swells, glows;
    } cases[] = {
        {NULL, true, true, true}, {"hu*", false, true, false}, {"lamp", false, false, true}};
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_error error = {0};
        char *text = start_with(cases[i].object, &error);
        assert_non_null(text);
        assert_true((strstr(text, "\"swing\"") != NULL) == cases[i].is_whole);
        assert_true((strstr(text, "\"trim\": 0.1") != NULL) == cases[i].is_whole);
        assert_true((strstr(text, "\"swell\"") != NULL) == cases[i].swells);
        assert_true((strstr(text, "\"glow\"") != NULL) == cases[i].glows);
        wr_asset *asset = build_sound(text);
        assert_int_equal(asset->model->meshes->triangle_count, cases[i].is_whole ? 24 : 12);
        wr_asset_destroy(asset);
        wr_text_destroy(text, strlen(text));
    }
    wr_error error = {0};
    assert_null(start_with("lmap", &error));
    assert_non_null(strstr(error.message,
                           "boat.glb: the model has no object \"lmap\"; did you mean \"lamp\"?"));
}

// --- clips ------------------------------------------------------------------------------------

// Up is furthest from rest, down is furthest from both; all others are like one of the three.
static void the_moments_of_a_clip_are_those_that_differ_most(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_model *model = wr_model_read(in_folder("boat.glb"), NULL, &error);
    wr_clip_moment moments[8];
    assert_non_null(model);
    assert_int_equal(wr_clip_find_moments(model, 0, 8, 0.4, moments, &error), 2);
    CHECK_NEAR(moments[0].time, 0.5, 1e-6);
    CHECK_NEAR(moments[1].time, 1.5, 1e-6);
    assert_true(moments[1].distance < moments[0].distance);
    assert_int_equal(wr_clip_find_moments(model, 0, 1, 0.0, moments, &error), 1);
    wr_model_destroy(model);
    const wr_recipe_start start = {.model = "boat.glb", .path = in_folder("boat.glb")};
    size_t size;
    char *text = wr_recipe_write_new(&start, &size, &error);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"swing\""));
    assert_non_null(strstr(text, "\"swing 2\""));
    assert_null(strstr(text, "\"swing 3\""));
    wr_text_destroy(text, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_name_corners_edges_and_sides),
        cmocka_unit_test(a_handle_stands_where_a_node_of_the_file_is),
        cmocka_unit_test(a_mirrored_handle_stands_on_the_other_side),
        cmocka_unit_test(only_the_chosen_objects_are_built),
        cmocka_unit_test(examples_call_handles_by_their_places),
        cmocka_unit_test(mistakes_are_told_with_what_was_expected),
        cmocka_unit_test(what_hangs_on_a_turned_bone_goes_with_it_and_the_rest_stays),
        cmocka_unit_test(a_moved_bone_is_where_it_was_told_to_be),
        cmocka_unit_test(a_new_recipe_is_about_the_chosen_objects),
        cmocka_unit_test(the_moments_of_a_clip_are_those_that_differ_most),
    };
    return cmocka_run_group_tests(tests, make_models, tear_down);
}
