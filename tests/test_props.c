// test_props.c: panels and parts have the volumes they should; the props of the demo scenes are
// closed, fine enough and made of the materials that their names promise; their recipes build.
#include "wrought/asset_view.h"
#include "wrought/crush.h"
#include "wrought/file.h"
#include "wrought/recipe.h"
#include "wrought/scene.h"
#include "../src/author/recipe.h"
#include "../tools/panel.h"
#include "../tools/parts.h"
#include "folder.h"

// --- panels and parts -------------------------------------------------------------------------

static const char *const LOOKS[] = {"steel", "glass", NULL};

static wr_model *start(void)
{
    const wr_look looks[2] = {plain("steel", 0.5f, 0.5f, 0.5f, 0.5f, 1.0f),
                              plain("glass", 0.1f, 0.1f, 0.1f, 0.1f, 0.0f)};
    return start_prop("part", looks, 2);
}

static void inspect(const wr_model *model, wr_mesh_report *report)
{
    wr_error error = {0};
    assert_true(wr_mesh_inspect(&model->meshes[0], NULL, report, &error));
    assert_int_equal(report->closed_shells, report->shells);
    assert_int_equal(report->inverted_shells, 0);
    assert_int_equal(report->boundary_edges, 0);
    assert_int_equal(report->inconsistent_edges, 0);
    assert_int_equal(report->degenerate_triangles, 0);
}

static skin *read_skin(const char *text, int levels)
{
    char path[600];
    snprintf(path, sizeof path, "%s/cage.obj", folder.path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
    return skin_read(path, levels);
}

// Two square metres side by side, with corners that stay: each loses a strip of the gap's width.
static const char TWO[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\n"
                          "#corner 10 1 2 3 4 5 6\ng left\nusemtl steel\nf 1 2 5 4\n"
                          "g right\nusemtl glass\nf 2 3 6 5\n#crease 10 2 5\n";

static void a_panel_is_its_face_without_the_gap_as_thick_as_asked(void **state)
{
    (void)state;
    skin *s = read_skin(TWO, 3);
    solid to = solid_create();
    wr_model *model = start();
    skin_add(s, &to, "*", &(panel){0.01f, 0.02f, 0.0f, 0.0f, LOOKS});
    solid_finish(&to, model);
    wr_mesh_report report = {0};
    inspect(model, &report);
    assert_int_equal(report.shells, 2);
    CHECK_NEAR(report.volume, 2.0 * 0.98 * 0.98 * 0.02, 1e-6);
    assert_int_equal(model->meshes[0].part_count, 2); // one look each
    wr_box box = wr_mesh_bounds(&model->meshes[0]);
    CHECK_NEAR((double)box.min.x, 0.01, 1e-6);
    CHECK_NEAR((double)box.min.z, -0.02, 1e-6);
    CHECK_NEAR((double)box.max.z, 0.0, 1e-6);
    wr_model_destroy(model);
    skin_destroy(s);
}

// A bevel takes a triangular edge off all round; what is sunk keeps its volume.
static void bevel_and_sink_do_what_they_say(void **state)
{
    (void)state;
    skin *s = read_skin(TWO, 3);
    solid to = solid_create();
    wr_model *model = start();
    skin_add(s, &to, "left", &(panel){0.01f, 0.02f, 0.005f, 0.1f, LOOKS});
    solid_finish(&to, model);
    wr_mesh_report report = {0};
    inspect(model, &report);
    // A frustum of square base a and top b above a slab.
    double a = 0.98, b = 0.97, h = 0.005, slab = a * a * (0.02 - h);
    CHECK_NEAR(report.volume, slab + h / 3.0 * (a * a + a * b + b * b), 1e-6);
    CHECK_NEAR((double)wr_mesh_bounds(&model->meshes[0]).max.z, -0.1, 1e-6);
    wr_model_destroy(model);
    skin_destroy(s);
}

static void the_core_leaves_out_one_look_and_closed_groups(void **state)
{
    (void)state;
    skin *s = read_skin(TWO, 2);
    solid to = solid_create();
    wr_model *model = start();
    skin_add_core(s, &to, "glass", &(panel){0.0f, 0.01f, 0.0f, 0.05f, LOOKS});
    solid_finish(&to, model);
    wr_mesh_report report = {0};
    inspect(model, &report);
    CHECK_NEAR(report.volume, 0.01, 1e-6);
    wr_model_destroy(model);
    skin_destroy(s);
}

static double volume_of(solid *s, int shells)
{
    wr_model *model = start();
    wr_mesh_report report = {0};
    solid_finish(s, model);
    inspect(model, &report);
    assert_int_equal(report.shells, shells);
    wr_model_destroy(model);
    return report.volume;
}

static void bars_and_tubes_have_the_volume_of_their_section(void **state)
{
    (void)state;
    const wr_vec3 a = {1.0f, 2.0f, -1.0f}, b = {2.0f, -1.0f, 4.0f}, up = {0.0f, 1.0f, 0.0f};
    double length = (double)wr_distance(a, b);
    solid s = solid_create();
    part_bar(&s, a, b, up, 0.1f, 0.2f);
    CHECK_NEAR(volume_of(&s, 1), 0.02 * length, 1e-5);
    s = solid_create();
    part_bar(&s, a, wr_add(a, up), up, 0.1f, 0.2f); // along its own `up`
    CHECK_NEAR(volume_of(&s, 1), 0.02, 1e-6);
    s = solid_create();
    part_tube(&s, a, b, 0.3f, 12);
    double polygon = 0.5 * 12.0 * sin(2.0 * 3.14159265358979 / 12.0) * 0.09;
    CHECK_NEAR(volume_of(&s, 1), polygon * length, 1e-4);
}

// Every wave is two crests' and valleys' lengths of sheet; thickness is measured along the normal
// of the whole sheet, so a cut across it has the area length times thickness.
static void corrugated_sheet_has_the_volume_of_a_flat_one(void **state)
{
    (void)state;
    solid s = solid_create();
    part_corrugation(&s, &(corrugation){.from = {1, 0, 2},
                                        .to = {4, 0, 6},
                                        .up = {0, 1, 0},
                                        .height = 2.5f,
                                        .depth = 0.1f,
                                        .thickness = 0.01f,
                                        .waves = 7});
    CHECK_NEAR(volume_of(&s, 1), 5.0 * 2.5 * 0.01, 1e-5);
}

static void a_truss_has_chords_posts_and_diagonals(void **state)
{
    (void)state;
    truss t = {.from = {0, 1, 0},
               .to = {8, 3, 1},
               .up = {0, 1, 0},
               .width = 1.0f,
               .height = 1.2f,
               .bays = 5,
               .chord = 0.1f,
               .brace = 0.05f};
    solid s = solid_create();
    part_truss(&s, &t);
    volume_of(&s, 4 + 4 * 6 + 4 * 5);
    t.triangular = true;
    s = solid_create();
    part_truss(&s, &t);
    volume_of(&s, 3 + 3 * 6 + 3 * 5);
}

static void a_wheel_is_round_and_as_wide_as_asked(void **state)
{
    (void)state;
    solid s = solid_create();
    wr_model *model = start();
    part_wheel(&s, &(wheel){.at = {1, 2, 3},
                            .axis = {-1, 0, 0},
                            .radius = 0.3f,
                            .width = 0.2f,
                            .rim = 0.2f,
                            .spokes = 5});
    solid_finish(&s, model);
    wr_mesh_report report = {0};
    inspect(model, &report);
    assert_int_equal(report.shells, 4 + 5); // tyre, rim, hub, drum, spokes
    wr_box box = wr_mesh_bounds(&model->meshes[0]);
    CHECK_NEAR((double)box.max.y, 2.3, 1e-5);
    CHECK_NEAR((double)box.min.z, 2.7, 1e-5);
    CHECK_NEAR((double)(box.max.x - box.min.x), 0.2, 1e-5);
    wr_model_destroy(model);
}

// --- the props --------------------------------------------------------------------------------

typedef struct prop {
    const char *name;
    int triangles_min, bytes_max;
    wr_box bounds;
    const char *looks[5]; // some of those it must have
    const char *recipe;
    int vertices, handles; // of the recipe
    const char *examples[7];
} prop;

static const prop PROPS[] = {
    {"car",
     20000,
     900000,
     {{-1.12f, 0.0f, -2.18f}, {1.12f, 1.46f, 2.2f}},
     {"paint", "glass", "rubber", "chrome", "lamp"},
     "car",
     4700,
     32,
     {"front", "roof", "left side", "rear", "flattened"}},
    {"car",
     20000,
     900000,
     {{-1.12f, 0.0f, -2.18f}, {1.12f, 1.46f, 2.2f}},
     {"paint"},
     "car-light",
     1580,
     32,
     {"front", "roof", "left side", "rear", "flattened"}},
    {"crane",
     5000,
     900000,
     {{-7.7f, -0.02f, -2.9f}, {19.3f, 24.5f, 2.9f}},
     {"yellow paint", "glass", "concrete", "rope"},
     "crane",
     1939,
     14,
     {"mast", "jib", "twisted"}},
    {"bridge",
     10000,
     1200000,
     {{-12.6f, 0.0f, -3.2f}, {12.6f, 5.8f, 3.2f}},
     {"green paint", "asphalt", "galvanised steel", "rivets"},
     "bridge",
     4050,
     16,
     {"sagged", "near end", "far end", "side"}},
    {"big-ship",
     20000,
     1200000,
     {{-31.1f, -8.3f, -44.6f}, {31.1f, 18.6f, 48.1f}},
     {"hull", "glass", "steel", "engine glow"},
     "big-ship",
     4178,
     64,
     {"bow", "stern", "left side", "right side", "broken back", "bridge"}},
    {"small-ship",
     10000,
     600000,
     {{-5.7f, -0.7f, -6.8f}, {5.7f, 2.5f, 8.1f}},
     {"hull", "glass", "steel", "marking"},
     "small-ship",
     1188,
     12,
     {"nose", "left wing", "right wing"}},
};

static const char *scenes_path(const char *format, const char *name)
{
    static char path[4096];
    char tail[256];
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        print_message("WROUGHT_SCENES is not set; no props to look at\n");
        skip();
    }
    snprintf(tail, sizeof tail, format, name);
    snprintf(path, sizeof path, "%s/%s", scenes, tail);
    return path;
}

static void check_looks(const prop *p, const wr_model *model)
{
    for (int k = 0; k < WRI_COUNT(p->looks) && p->looks[k]; k++) {
        int found = -1;
        for (int i = 0; i < model->look_count; i++) {
            found = strcmp(model->looks[i].name, p->looks[k]) == 0 ? i : found;
        }
        if (found < 0) {
            fail_msg("%s has no look \"%s\"", p->name, p->looks[k]);
        }
    }
}

static void every_prop_is_closed_fine_and_of_the_right_size(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(PROPS); i++) {
        const prop *p = &PROPS[i];
        if (i > 0 && strcmp(p->name, PROPS[i - 1].name) == 0) {
            continue; // two recipes of one model
        }
        wr_error error = {0};
        const char *path = scenes_path("models/%s.glb", p->name);
        wr_model *model = wr_model_read(path, NULL, &error);
        if (!model) {
            fail_msg("%s", error.message);
        }
        const wr_mesh *mesh = &model->meshes[0];
        assert_int_equal(model->mesh_count, 1);
        assert_true(mesh->triangle_count >= p->triangles_min);
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        assert_true(status.st_size <= p->bytes_max);
        wr_box box = wr_mesh_bounds(mesh), with = wr_box_join(box, p->bounds);
        assert_memory_equal(&with, &p->bounds, sizeof with); // it lies within
        wr_vec3 slack = wr_sub(wr_box_size(p->bounds), wr_box_size(box));
        assert_true(wr_maxf(slack.x, wr_maxf(slack.y, slack.z)) <= 0.6f);
        wr_mesh_report report = {0};
        inspect(model, &report);
        assert_int_equal(report.non_manifold_edges, 0);
        check_looks(p, model);
        wr_model_destroy(model);
    }
}

static void cages_have_at_most_500_faces(void **state)
{
    (void)state;
    const char *const names[] = {"car", "small-ship", "big-ship"};
    for (int i = 0; i < WRI_COUNT(names); i++) {
        wr_error error = {0};
        wr_cage *cage = wr_cage_read(scenes_path("cages/%s.obj", names[i]), NULL, &error);
        if (!cage) {
            fail_msg("%s", error.message);
        }
        assert_in_range(cage->count.faces, 100, 500);
        assert_true(cage->count.creases > 50);
        wr_cage_destroy(cage);
    }
}

static wr_asset *build_recipe(wr_recipe *recipe, wr_build_report *report)
{
    wr_error error = {0};
    wr_build_desc desc = wr_build_desc_default();
    desc.tasks = wr_tasks_openmp(2);
    wr_asset *asset = wr_recipe_build(recipe, &desc, report, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    return asset;
}

static wr_asset *build(const char *name, wr_build_report *report)
{
    wr_error error = {0};
    wr_recipe *recipe = wr_recipe_read(scenes_path("%s.recipe.json", name), NULL, &error);
    if (!recipe) {
        fail_msg("%s", error.message);
    }
    wr_asset *asset = build_recipe(recipe, report);
    wr_recipe_destroy(recipe);
    return asset;
}

// Cuts double the vertices along them.
static double vertices_before_cuts(const wr_asset *asset)
{
    int count = asset->rig.vertex_count, highest = -1;
    for (int i = 0; i < count && asset->fracture.origins; i++) {
        highest = asset->fracture.origins[i] > highest ? asset->fracture.origins[i] : highest;
    }
    return highest < 0 ? count : highest + 1;
}

// The two that are quick to build; the sizes of all are in docs/gallery/assets.md.
static void recipes_build_with_the_promised_vertices_handles_and_examples(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(PROPS); i++) {
        const prop *p = &PROPS[i];
        if (p->vertices > 2000 || p->handles > 20) {
            continue;
        }
        wr_build_report report = {0};
        wr_asset *asset = build(p->recipe, &report);
        CHECK_NEAR(vertices_before_cuts(asset), p->vertices, 0.1 * p->vertices);
        assert_int_equal(asset->rig.handle_count, p->handles);
        for (int k = 0; k < report.example_count; k++) {
            assert_string_equal(report.examples[k].name, p->examples[k]);
        }
        assert_null(p->examples[report.example_count]);
        wr_build_report_clear(&report);
        wr_asset_destroy(asset);
    }
}

static void every_recipe_reads_and_names_what_it_promises(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(PROPS); i++) {
        const prop *p = &PROPS[i];
        size_t size = 0;
        wr_error error = {0};
        const char *path = scenes_path("%s.recipe.json", p->recipe);
        wr_recipe *recipe = wr_recipe_read(path, NULL, &error);
        if (!recipe) {
            fail_msg("%s", error.message);
        }
        wr_recipe_destroy(recipe);
        FILE *file = fopen(path, "rb");
        static char text[65536];
        assert_non_null(file);
        size = fread(text, 1, sizeof text - 1, file);
        text[size] = '\0';
        fclose(file);
        char words[64];
        snprintf(words, sizeof words, "\"vertices\": %d,", p->vertices);
        assert_non_null(strstr(text, words));
        for (int k = 0; k < WRI_COUNT(p->examples) && p->examples[k]; k++) {
            snprintf(words, sizeof words, "{ \"name\": \"%s\",", p->examples[k]);
            assert_non_null(strstr(text, words));
        }
    }
}

// --- damage -----------------------------------------------------------------------------------

static void check_damage(const wr_mesh *rest, const wr_vec3 *positions, const int *rigid,
                         wr_vec3 direction)
{
    wr_error error = {0};
    wr_crush_report report = {0};
    assert_true(wr_crush_measure(rest, positions, rigid, direction, &report, &error));
    assert_true(report.largest_move > 0.1); // metres
    assert_true(report.length_change <= 0.05);
    assert_true(report.creases >= 3);
    assert_true(report.crossing_share <= 0.005);
    assert_true(report.rigid_error <= 1e-6);
    assert_true(report.struck_share >= 0.8);
}

// As a body shows them at full weight. These two are the quickest to press; docs/crush.md has all.
static void damage_of_the_car_is_that_of_sheet_metal(void **state)
{
    (void)state;
    static const char *const words[] = {"rubber", "alloy", "iron"};
    const wr_vec3 directions[] = {{0.0f, -1.0f, 0.0f}, {-1.0f, 0.0f, 0.0f}};
    wr_error error = {0};
    wr_recipe *recipe = wr_recipe_read(scenes_path("%s.recipe.json", "car-light"), NULL, &error);
    assert_non_null(recipe);
    recipe->examples += 1; // roof and left side
    recipe->example_count = 2;
    wr_asset *asset = build_recipe(recipe, NULL);
    assert_string_equal(asset->rig.examples[1].name, "roof");
    assert_string_equal(asset->rig.examples[2].name, "left side");
    wr_asset_view_desc desc = wr_asset_view_desc_default();
    desc.asset = asset;
    wr_asset_view *view = wr_asset_view_create(&desc, &error);
    assert_non_null(view);
    const wr_mesh *rest = &asset->model->meshes[0];
    int *rigid = calloc((size_t)rest->vertex_count, sizeof *rigid);
    assert_true(wr_crush_find_rigid(asset->model, rest, words, WRI_COUNT(words), rigid, &error));
    for (int i = 0; i < WRI_COUNT(directions); i++) {
        wr_drawing drawing;
        const wr_asset_pose pose = {.example = i + 1, .share = 1.0f, .handle = -1};
        assert_true(wr_asset_view_read(view, &pose, &drawing, &error));
        check_damage(rest, drawing.things[0].positions, rigid, directions[i]);
    }
    free(rigid);
    wr_asset_view_destroy(view);
    wr_asset_destroy(asset);
    wr_recipe_destroy(recipe);
}

// Crushed and cut, as a body shows it. The nose, example 1, is a pose.
static void damage_of_the_small_ships_wings_is_that_of_sheet_metal(void **state)
{
    (void)state;
    const wr_vec3 directions[] = {{-1.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}};
    wr_error error = {0};
    wr_asset *asset = build("small-ship", NULL);
    assert_int_equal(asset->rig.example_count, 2 + WRI_COUNT(directions));
    wr_asset_view_desc desc = wr_asset_view_desc_default();
    desc.asset = asset;
    wr_asset_view *view = wr_asset_view_create(&desc, &error);
    assert_non_null(view);
    for (int i = 0; i < WRI_COUNT(directions); i++) {
        wr_drawing drawing;
        const wr_asset_pose pose = {.example = i + 2, .share = 1.0f, .handle = -1};
        assert_true(wr_asset_view_read(view, &pose, &drawing, &error));
        check_damage(&asset->model->meshes[0], drawing.things[0].positions, NULL, directions[i]);
    }
    wr_asset_view_destroy(view);
    wr_asset_destroy(asset);
}

// A crane that is cut does not tip over, and its own weight does not break it.
static void the_crane_stands_by_itself(void **state)
{
    (void)state;
    char text[5000], path[600];
    snprintf(text, sizeof text,
             "{ \"wrought\": 1, \"length\": 3, \"assets\": { \"crane\": \"%s\" }, \"bodies\": [ "
             "{ \"name\": \"ground\", \"shape\": \"plane\" }, { \"name\": \"crane\", \"asset\": "
             "\"crane\", \"friction\": 1 } ] }",
             scenes_path("%s.recipe.json", "crane"));
    snprintf(path, sizeof path, "%s/stand.scene.json", folder.path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
    wr_error error = {0};
    wr_scene *scene = wr_scene_read(path, NULL, &error);
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    wr_world *world = scene ? wr_world_create(&desc, &error) : NULL;
    if (!world) {
        fail_msg("%s", error.message);
    }
    const wr_rigid *rigid = wr_world_rigid(world);
    int crane = wr_world_body(world, 1);
    wr_vec3 before = wr_rigid_center(rigid, crane);
    while (wr_world_frame(world)->index < wr_scene_frame_count(scene)) {
        wr_world_step_frame(world);
        const wr_frame *now = wr_world_frame(world);
        for (int i = 0; i < now->event_count; i++) {
            assert_int_not_equal(now->events[i].kind, WR_EVENT_FRACTURE);
        }
    }
    CHECK_NEAR(wr_distance(before, wr_rigid_center(rigid, crane)), 0.0, 0.3); // it settles
    wr_world_destroy(world);
    wr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_panel_is_its_face_without_the_gap_as_thick_as_asked),
        cmocka_unit_test(bevel_and_sink_do_what_they_say),
        cmocka_unit_test(the_core_leaves_out_one_look_and_closed_groups),
        cmocka_unit_test(bars_and_tubes_have_the_volume_of_their_section),
        cmocka_unit_test(corrugated_sheet_has_the_volume_of_a_flat_one),
        cmocka_unit_test(a_truss_has_chords_posts_and_diagonals),
        cmocka_unit_test(a_wheel_is_round_and_as_wide_as_asked),
        cmocka_unit_test(every_prop_is_closed_fine_and_of_the_right_size),
        cmocka_unit_test(cages_have_at_most_500_faces),
        cmocka_unit_test(every_recipe_reads_and_names_what_it_promises),
        cmocka_unit_test(recipes_build_with_the_promised_vertices_handles_and_examples),
        cmocka_unit_test(damage_of_the_car_is_that_of_sheet_metal),
        cmocka_unit_test(damage_of_the_small_ships_wings_is_that_of_sheet_metal),
        cmocka_unit_test(the_crane_stands_by_itself),
    };
    return cmocka_run_group_tests_name("props", tests, set_up_with_cache, tear_down);
}
