// test_squash.c: drawings that squash and stretch; limbs that are turned joint by joint; rims that
// show what the simulation mesh cuts off; the drawings of our own.
#include "drawn.h"

#include "wrought/example.h"

static temporary_folder folder;

static void draw_bean(void)
{
    drawing bean = drawing_create(160, 120);
    put_bar(&bean, 50, 60, 110, 60, 40, 0xc05040);
    write_drawing(&folder, "bean.png", &bean);
    free(bean.pixels);
}

// A trunk, 80 x 160, and an arm of its own picture, 30 x 100, that hangs down from (40, 40).
static void draw_puppet(void)
{
    drawing body = drawing_create(80, 160), arm = drawing_create(30, 100);
    put_bar(&body, 40, 30, 40, 130, 22, 0xc05040);
    put_bar(&arm, 15, 12, 15, 86, 9, 0x4060c0);
    write_drawing(&folder, "body.png", &body);
    write_drawing(&folder, "arm.png", &arm);
    free(body.pixels);
    free(arm.pixels);
}

#define BEAN                                                                                       \
    "'wrought': 1, 'model': 'bean.png', 'simulation': {'vertices': 120}, 'handles': {'place': ["   \
    "{'name': 'left', 'at': [0.4, 0.6]}, {'name': 'middle', 'at': [0.8, 0.6]}, {'name': 'right', " \
    "'at': [1.2, 0.6]}]}"
#define PUPPET                                                                                     \
    "'wrought': 1, 'layers': [{'name': 'body', 'image': 'body.png'}, {'name': 'arm', 'image': "    \
    "'arm.png', 'at': [25, 28]}], 'simulation': {'vertices': 200},\n"                              \
    "'pins': [{'name': 'shoulder', 'layer': 'arm', 'at': [0.4, 1.2], 'to': 'body'}],\n"            \
    "'handles': {'place': [{'name': 'hips', 'at': [0.4, 0.4], 'layer': 'body'}, {'name': "         \
    "'chest', 'at': [0.4, 1.1], 'layer': 'body'}, {'name': 'elbow', 'at': [0.4, 0.83]}, {'name': " \
    "'hand', 'at': [0.4, 0.5]}]}"

static int handle(const wr_rig *rig, const char *name)
{
    wr_error error = {0};
    int h = wr_rig_find_handle(rig, name, &error);
    if (h < 0) {
        fail_msg("%s", error.message);
    }
    return h;
}

// As a sprite shows it.
static wr_vec3 *shape_of(const wr_asset *asset, int example)
{
    const wr_rig *rig = &asset->rig;
    wr_skin_desc desc = wr_skin_desc_default();
    desc.least_weight = 0.0f; // all of it, to the last digit
    wr_skin *skin = wr_skin_create(rig, &desc, NULL);
    assert_non_null(skin);
    float *blend = calloc((size_t)rig->example_count, sizeof *blend);
    wr_mat34 *maps = calloc((size_t)rig->handle_count, sizeof *maps);
    wr_vec3 *x = calloc((size_t)rig->vertex_count, sizeof *x);
    blend[example] = 1.0f;
    wr_skin_blend(skin, blend, NULL, maps, x);
    wr_skin_destroy(skin);
    free(blend);
    free(maps);
    return x;
}

static double area_of(const wr_rig *rig, const wr_vec3 *x)
{
    double area = 0.0;
    for (int i = 0; i < rig->element_count; i++) {
        const int *t = &rig->elements[3 * i];
        area += 0.5 * (double)wr_cross(wr_sub(x[t[1]], x[t[0]]), wr_sub(x[t[2]], x[t[0]])).z;
    }
    return area;
}

// --- scale ------------------------------------------------------------------------------------

static void the_whole_is_scaled_exactly_and_keeps_its_area(void **state)
{
    (void)state;
    wr_asset *a = build_sound_drawing(
        &folder, "{" BEAN ", 'examples': [{'name': 'squashed', 'scale': [1.25, 0.8]}]}", NULL);
    const wr_rig *rig = &a->rig;
    wr_vec3 *x = shape_of(a, 1);
    wr_box box = WR_BOX_EMPTY;
    for (int v = 0; v < rig->vertex_count; v++) {
        box = wr_box_add(box, rig->rest[v]);
    }
    for (int v = 0; v < rig->vertex_count; v++) { // about the middle of the lower edge
        double wide = 1.25 * ((double)rig->rest[v].x - 0.5 * (double)(box.min.x + box.max.x));
        CHECK_NEAR(x[v].x, 0.5 * (double)(box.min.x + box.max.x) + wide, 1e-5);
        CHECK_NEAR(x[v].y, box.min.y + 0.8 * (double)(rig->rest[v].y - box.min.y), 1e-5);
    }
    CHECK_NEAR(area_of(rig, x) / area_of(rig, rig->rest), 1.0, 1e-5);
    free(x);
    wr_asset_destroy(a);
}

static void one_handle_swells_and_the_others_stay(void **state)
{
    (void)state;
    wr_asset *a = build_sound_drawing(
        &folder, "{" BEAN ", 'examples': [{'name': 'swollen', 'scale': {'right': [1.4, 1.5]}}]}",
        NULL);
    const wr_rig *rig = &a->rig;
    const wr_handle_pose *poses = rig->examples[1].poses;
    int right = handle(rig, "right");
    assert_true(poses[right].stretch[0] == 1.4f && poses[right].stretch[1] == 1.5f);
    wr_vec3 *x = shape_of(a, 1);
    double grown = 0.0, still = 0.0;
    for (int v = 0; v < rig->vertex_count; v++) {
        double d = (double)wr_distance(x[v], rig->rest[v]);
        grown = fmax(grown, rig->rest[v].x > 1.0f ? d : 0.0);
        still = fmax(still, rig->rest[v].x < 0.6f ? d : 0.0);
    }
    assert_true(grown > 0.1 && still < 0.03);
    assert_true(area_of(rig, x) > 1.1 * area_of(rig, rig->rest));
    free(x);
    wr_asset_destroy(a);
}

static void scale_goes_with_the_turn_that_is_found(void **state)
{
    (void)state;
    wr_asset *a = build_sound_drawing(
        &folder,
        "{" BEAN ", 'examples': [{'name': 'upright', 'move': {'left': [0.4, -0.4], 'right': "
        "[-0.4, 0.4]}, 'scale': {'middle': [1.2, 0.8]}}]}",
        NULL);
    const wr_handle_pose *pose = &a->rig.examples[1].poses[handle(&a->rig, "middle")];
    CHECK_NEAR(2.0 * atan2((double)pose->rotation.z, (double)pose->rotation.w), 0.5 * 3.14159265,
               0.02);
    assert_true(pose->stretch[0] == 1.2f && pose->stretch[1] == 0.8f);
    wr_asset_destroy(a);
}

static void what_follows_makes_room_for_what_grows(void **state)
{
    (void)state;
    wr_asset *a = build_sound_drawing(
        &folder,
        "{" PUPPET ", 'examples': [{'name': 'long', 'scale': {'shoulder': [1, 1.4], 'elbow': [1, "
        "1.4]}}]}",
        NULL);
    const wr_handle_pose *poses = a->rig.examples[1].poses;
    // 0.37 from shoulder to elbow become 0.52.
    CHECK_NEAR(poses[handle(&a->rig, "elbow")].offset.y, -0.15, 0.03);
    assert_true(poses[handle(&a->rig, "hand")].offset.y < -0.17f);
    wr_asset_destroy(a);
}

static void layers_scale_as_one(void **state)
{
    (void)state;
    wr_build_report report;
    wr_asset *a = build_sound_drawing(
        &folder,
        "{" PUPPET ", 'examples': [{'name': 'tall', 'scale': [0.8, 1.25]}, {'name': 'fat', 'scale':"
        " {'hips': [1.3, 1], 'chest': [1.3, 1.1]}}]}",
        &report);
    assert_true(report.examples[0].pin_gap < 1e-5 && report.examples[1].pin_gap < 1e-5);
    wr_vec3 *x = shape_of(a, 1);
    CHECK_NEAR(area_of(&a->rig, x) / area_of(&a->rig, a->rig.rest), 1.0, 1e-4);
    free(x);
    wr_build_report_clear(&report);
    wr_asset_destroy(a);
}

static void mistakes_about_scale_are_one_sentence(void **state)
{
    (void)state;
    check_drawing_mistake(&folder,
                          "{" BEAN ",\n'examples': [{'name': 'a', 'scale': [1.2, 0.8, 1]}]}",
                          "DIR/d.recipe.json:2:37: example 'a': 'scale' has 3 numbers, expected 2");
    check_drawing_mistake(&folder, "{" BEAN ",\n'examples': [{'name': 'a', 'scale': [1.2, 0]}]}",
                          "DIR/d.recipe.json:2:43: example 'a': 'scale' is 0, expected 0.01 to "
                          "100");
    check_drawing_mistake(
        &folder, "{" BEAN ",\n'examples': [{'name': 'a', 'scale': {'rigth': [1, 2]}}]}",
        "DIR/d.recipe.json:2:38: example 'a': there is no handle 'rigth'; did you mean 'right'?");
    check_drawing_mistake(&folder,
                          "{'wrought': 1, 'model': 'box.glb',\n'examples': [{'name': 'a', 'scale': "
                          "[1, 2]}]}",
                          "DIR/d.recipe.json:2:28: example 'a': 'scale' means nothing unless the "
                          "model is a picture");
    wr_error error = {0};
    wr_handle pivot = {"p", {0, 0, 0}, -1, -1};
    float weight = 1.0f;
    wr_vec3 rest = {0};
    const wr_rig rig = {.dimension = 3,
                        .vertex_count = 1,
                        .rest = &rest,
                        .handle_count = 1,
                        .handles = &pivot,
                        .weights = &weight};
    wr_handle_move move = {.is_scaled = true, .scale = {2, 2}};
    wr_handle_pose pose;
    assert_false(wr_example_from_moves(&rig, &move, 1, false, &pose, &error));
    assert_non_null(strstr(error.message, "in a flat rig"));
}

// --- joint by joint ---------------------------------------------------------------------------

static void degrees_turn_about_the_viewing_direction(void **state)
{
    (void)state;
    wr_asset *a = build_sound_drawing(
        &folder,
        "{" BEAN ", 'examples': [{'name': 'a', 'turn': {'left': 30}}, {'name': 'b', 'turn': "
        "{'left': {'axis': [0, 0, 1], 'by': 30}}}]}",
        NULL);
    size_t size = (size_t)a->rig.handle_count * sizeof(wr_handle_pose);
    assert_memory_equal(a->rig.examples[1].poses, a->rig.examples[2].poses, size);
    CHECK_NEAR(a->rig.examples[1].poses[handle(&a->rig, "left")].rotation.z,
               sin(15.0 * 3.14159265 / 180.0), 1e-6);
    wr_asset_destroy(a);
}

// Shoulder to elbow 0.37, elbow to hand 0.33.
static void turned_joints_of_a_hanging_layer_go_where_the_joints_above_take_them(void **state)
{
    (void)state;
    wr_build_report report;
    wr_asset *a = build_sound_drawing(
        &folder,
        "{" PUPPET ", 'examples': [{'name': 'point', 'move': {'hips': [0.5, 0], 'chest': [0.5, "
        "0]}, 'turn': {'shoulder': 90, 'elbow': 90, 'hand': 90}}, {'name': 'bend', 'turn': "
        "{'shoulder': 0, 'elbow': 60, 'hand': 60}}]}",
        &report);
    const wr_rig *rig = &a->rig;
    const wr_handle_pose *point = rig->examples[1].poses, *bend = rig->examples[2].poses;
    int elbow = handle(rig, "elbow"), hand = handle(rig, "hand");
    CHECK_NEAR(point[elbow].offset.x, 0.5 + 0.37, 0.01);
    CHECK_NEAR(point[elbow].offset.y, 0.37, 0.01);
    CHECK_NEAR(point[hand].offset.x, 0.5 + 0.7, 0.02);
    CHECK_NEAR(point[hand].offset.y, 0.7, 0.02);
    // A bent arm: the upper one hangs, the lower one is lifted; flesh gives a little.
    double x = (double)(bend[hand].offset.x - bend[elbow].offset.x);
    double y = (double)(bend[hand].offset.y - bend[elbow].offset.y) - 0.33;
    CHECK_NEAR(atan2(x, -y), 60.0 * 3.14159265 / 180.0, 0.2);
    CHECK_NEAR(hypot(x, y), 0.33, 0.06);
    assert_true(fabs((double)bend[elbow].offset.x) < 0.2);
    assert_true(report.examples[0].pin_gap < 1e-5 && report.examples[1].pin_gap < 1e-5);
    wr_build_report_clear(&report);
    wr_asset_destroy(a);
}

// --- rims -------------------------------------------------------------------------------------

static double side_of(wr_vec3 a, wr_vec3 b, double x, double y)
{
    return ((double)b.x - (double)a.x) * (y - (double)a.y) -
           ((double)b.y - (double)a.y) * (x - (double)a.x);
}

// Whether a part of the render mesh covers a place.
static bool is_covered(const wr_mesh *mesh, int first, int count, double x, double y)
{
    for (int i = first; i < first + count; i++) {
        wr_vec3 p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = mesh->positions[mesh->triangles[3 * i + k]];
        }
        if (side_of(p[0], p[1], x, y) >= -1e-9 && side_of(p[1], p[2], x, y) >= -1e-9 &&
            side_of(p[2], p[0], x, y) >= -1e-9) {
            return true;
        }
    }
    return false;
}

// How many pixels the simulation mesh alone would cut off; the rim leaves none.
static int count_cut(const char *recipe)
{
    wr_asset *a = build_sound_drawing(&folder, recipe, NULL);
    const wr_mesh *mesh = a->model->meshes;
    const wr_image *image = a->model->images;
    int cut = 0;
    for (int i = 0; i < image->width * image->height; i++) {
        double x = 0.01 * (i % image->width + 0.5);
        double y = 0.01 * (image->height - i / image->width - 0.5);
        if (image->pixels[4 * i + 3] > 0) {
            cut += !is_covered(mesh, 0, a->rig.element_count, x, y);
            assert_true(is_covered(mesh, 0, mesh->triangle_count, x, y));
        }
    }
    for (int i = 0; i < a->rig.ride_count; i++) { // the rim rides where it is drawn
        const wr_ride *ride = &a->rig.rides[i];
        const int *t = &a->rig.elements[3 * ride->element];
        wr_vec3 p = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            p = wr_add_scaled(p, ride->weights[k], a->rig.rest[t[k]]);
        }
        CHECK_NEAR(wr_distance(p, mesh->positions[i]), 0.0, 1e-5);
        assert_true(mesh->uvs[i].x >= -1e-5f && mesh->uvs[i].x <= 1.00001f);
        assert_true(mesh->uvs[i].y >= -1e-5f && mesh->uvs[i].y <= 1.00001f);
    }
    wr_asset_destroy(a);
    return cut;
}

static void every_pixel_is_drawn_however_coarse_the_mesh_is(void **state)
{
    (void)state;
    drawing disc = drawing_create(84, 84); // all but touches the edges of its picture
    put_bar(&disc, 42, 42, 42, 42, 41, 0xffffff);
    write_drawing(&folder, "disc.png", &disc);
    free(disc.pixels);
#define COARSE "'handles': {'automatic': 2}, 'simulation': {'vertices': "
    assert_true(count_cut("{'wrought': 1, 'model': 'bean.png', " COARSE "20}}") > 200);
    assert_true(count_cut("{'wrought': 1, 'model': 'disc.png', " COARSE "10}}") > 200);
    drawing star = drawing_create(120, 120); // bulges lie beside the middles of its sides
    for (int i = 0; i < 120 * 120; i++) {
        double x = i % 120 + 0.5 - 60, y = i / 120 + 0.5 - 60, angle = atan2(y, x);
        put_pixel(&star, i % 120, i / 120, hypot(x, y) - 45 - 7 * sin(5 * angle), 0xffffff);
    }
    write_drawing(&folder, "star.png", &star);
    free(star.pixels);
    assert_true(count_cut("{'wrought': 1, 'model': 'star.png', " COARSE "12}}") > 100);
}

static void a_rim_does_not_reach_over_to_a_neighbour(void **state)
{
    (void)state;
    drawing fork = drawing_create(160, 120);
    put_bar(&fork, 30, 60, 60, 60, 20, 0xffffff);
    put_bar(&fork, 60, 45, 140, 45, 11, 0xffffff);
    put_bar(&fork, 60, 75, 140, 75, 11, 0xffffff); // 8 pixels below the other
    write_drawing(&folder, "fork.png", &fork);
    wr_asset *a = build_sound_drawing(
        &folder,
        "{'wrought': 1, 'model': 'fork.png', 'simulation': {'vertices': 40}, 'handles': "
        "{'automatic': 3}}",
        NULL);
    const wr_mesh *mesh = a->model->meshes;
    int strips = 0;
    for (int i = a->rig.element_count; i < mesh->triangle_count; i++) {
        wr_box box = WR_BOX_EMPTY;
        for (int k = 0; k < 3; k++) {
            box = wr_box_add(box, mesh->positions[mesh->triangles[3 * i + k]]);
        }
        if (box.min.x > 0.9f && box.max.x < 1.35f) { // straight: nothing but the soft edge
            assert_true(box.max.y - box.min.y < 0.03f);
            strips++;
        }
    }
    assert_true(strips > 4);
    wr_asset_destroy(a);
    free(fork.pixels);
}

// --- our own ----------------------------------------------------------------------------------

typedef struct shipped {
    const char *name;
    int handles, examples, layers;
    double least_area, most_area; // of any example, of the area at rest
} shipped;

static const shipped drawings[] = {
    {"ball", 5, 2, 1, 0.93, 1.07},     {"brick", 5, 2, 1, 0.93, 1.07},
    {"i-beam", 5, 2, 1, 0.93, 1.07},   {"rope", 5, 2, 1, 0.85, 1.1},
    {"snake", 7, 3, 1, 0.8, 1.15},     {"spring", 7, 2, 1, 0.6, 1.45},
    {"cannon", 6, 2, 2, 0.9, 1.1},     {"box", 5, 2, 1, 0.9, 1.05},
    {"catapult", 6, 2, 2, 0.93, 1.07}, {"ragdoll", 21, 13, 7, 0.93, 1.2},
};

static void check_shipped(const shipped *s, const char *scenes)
{
    char path[700];
    wr_error error = {0};
    wr_build_report report;
    wr_build_desc desc = wr_build_desc_default();
    snprintf(path, sizeof path, "%s/%s.recipe.json", scenes, s->name);
    wr_recipe *recipe = wr_recipe_read(path, NULL, &error);
    wr_asset *a = recipe ? wr_recipe_build(recipe, &desc, &report, &error) : NULL;
    if (!a) {
        fail_msg("%s", error.message);
    }
    const wr_rig *rig = &a->rig;
    assert_int_equal(rig->handle_count, s->handles);
    assert_int_equal(rig->example_count, s->examples + 1);
    assert_int_equal(a->model->image_count, s->layers);
    assert_true(rig->vertex_count >= 90 && rig->vertex_count <= 175);
    assert_int_equal(a->model->warning_count, 0);
    for (int e = 1; e < rig->example_count; e++) {
        const wr_example_report *r = &report.examples[e - 1];
        wr_vec3 *x = shape_of(a, e);
        double area = area_of(rig, x) / area_of(rig, rig->rest);
        if (r->inverted > 0 || r->pin_gap > 1e-4 || area < s->least_area || area > s->most_area) {
            fail_msg("%s, %s: %d inside out, pins %g m apart, area %g", s->name, r->name,
                     r->inverted, r->pin_gap, area);
        }
        free(x);
    }
    wr_build_report_clear(&report);
    wr_asset_destroy(a);
    wr_recipe_destroy(recipe);
}

static void our_own_drawings_bend_without_breaking(void **state)
{
    (void)state;
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        print_message("WROUGHT_SCENES is not set\n");
        skip();
    }
    for (int i = 0; i < WRI_COUNT(drawings); i++) {
        check_shipped(&drawings[i], scenes);
    }
}

static int prepare(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    draw_bean();
    draw_puppet();
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_is_scaled_exactly_and_keeps_its_area),
        cmocka_unit_test(one_handle_swells_and_the_others_stay),
        cmocka_unit_test(scale_goes_with_the_turn_that_is_found),
        cmocka_unit_test(what_follows_makes_room_for_what_grows),
        cmocka_unit_test(layers_scale_as_one),
        cmocka_unit_test(mistakes_about_scale_are_one_sentence),
        cmocka_unit_test(degrees_turn_about_the_viewing_direction),
        cmocka_unit_test(turned_joints_of_a_hanging_layer_go_where_the_joints_above_take_them),
        cmocka_unit_test(every_pixel_is_drawn_however_coarse_the_mesh_is),
        cmocka_unit_test(a_rim_does_not_reach_over_to_a_neighbour),
        cmocka_unit_test(our_own_drawings_bend_without_breaking),
    };
    return cmocka_run_group_tests(tests, prepare, clean_up);
}
