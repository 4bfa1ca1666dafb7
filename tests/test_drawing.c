// test_drawing.c: drawings in layers become one asset that hangs together at its pins; handles of a
// flat mesh stand where limbs and middle are; pictures that are none are refused.
#include "drawn.h"

#include "wrought/author.h"
#include "wrought/example.h"
#include "wrought/weights.h"

static temporary_folder folder;

// A trunk with two legs, 100 x 160, and an arm of its own picture, 50 x 40, at 60 30.
static void draw_figure(void)
{
    drawing body = drawing_create(100, 160), arm = drawing_create(50, 40);
    put_bar(&body, 50, 40, 50, 90, 20, 0xc05040);
    put_bar(&body, 40, 90, 36, 145, 8, 0x604040);
    put_bar(&body, 60, 90, 66, 145, 8, 0x604040);
    put_bar(&arm, 8, 8, 40, 30, 6, 0x4060c0);
    write_drawing(&folder, "body.png", &body);
    write_drawing(&folder, "arm.png", &arm);
    free(body.pixels);
    free(arm.pixels);
}

#define LAYERS                                                                                     \
    "'wrought': 1, 'layers': [{'name': 'body', 'image': 'body.png'}, {'name': 'arm', 'image': "    \
    "'arm.png', 'at': [60, 30]}],\n'simulation': {'vertices': 240}"
#define PINS "'pins': [{'layer': 'arm', 'at': [0.68, 1.22], 'to': 'body'}]"
#define HANDLES                                                                                    \
    "'handles': {'automatic': 5, 'place': [{'name': 'hand', 'at': [0.98, 1.0]}, {'name': "         \
    "'chest', "                                                                                    \
    "'at': [0.5, 1.1]}]}"

// The first vertices of the render mesh are those of the rig.
static int part_of(const wr_rig *rig, const wr_mesh *mesh, int vertex)
{
    assert_true(vertex < rig->vertex_count);
    for (int p = 0; p < mesh->part_count; p++) {
        for (int i = 0; i < 3 * mesh->parts[p].triangle_count; i++) {
            if (mesh->triangles[3 * mesh->parts[p].first_triangle + i] == vertex) {
                return p;
            }
        }
    }
    return -1;
}

static int find_handle(const wr_rig *rig, const char *name)
{
    wr_error error = {0};
    int h = wr_rig_find_handle(rig, name, &error);
    if (h < 0) {
        fail_msg("%s", error.message);
    }
    return h;
}

// --- layers -----------------------------------------------------------------------------------

static void layers_are_parts_of_their_own_one_before_the_other(void **state)
{
    (void)state;
    wr_asset *a = build_sound_drawing(&folder, "{" LAYERS ", " PINS ", " HANDLES "}", NULL);
    const wr_mesh *mesh = a->model->meshes;
    const wr_rig *rig = &a->rig;
    assert_int_equal(mesh->part_count, 2);
    assert_int_equal(a->model->image_count, 2);
    assert_string_equal(a->model->looks[mesh->parts[1].look].name, "arm");
    assert_int_equal(a->model->images[a->model->looks[mesh->parts[1].look].texture].width, 50);
    CHECK_NEAR(rig->vertex_count, 240, 24);
    for (int v = 0; v < rig->vertex_count; v++) {
        int part = part_of(rig, mesh, v);
        assert_true(part >= 0 && rig->rest[v].z == 0.0f);
        CHECK_NEAR(mesh->positions[v].z, 1.6e-3 * part, 1e-6); // a thousandth of the larger side
        bool in_arm = rig->rest[v].x > 0.5999f && rig->rest[v].y > 0.8999f;
        assert_true(part == 0 || in_arm);
        for (int b = 0; b < rig->handle_count; b++) {
            int own = part_of(rig, mesh, rig->handles[b].vertex);
            assert_true(own == part || rig->weights[v * rig->handle_count + b] == 0.0f);
        }
    }
    wr_asset_destroy(a);
}

static void a_vertex_lies_exactly_on_every_pin_and_its_triangle_is_in_the_other_layer(void **state)
{
    (void)state;
    wr_asset *a = build_sound_drawing(&folder, "{" LAYERS ", " PINS ", " HANDLES "}", NULL);
    assert_int_equal(a->pin_count, 1);
    const wr_pin *pin = &a->pins[0];
    wr_vec3 at = a->rig.rest[pin->particle], p = {0, 0, 0};
    assert_true(at.x == 0.68f && at.y == 1.22f);
    assert_int_equal(part_of(&a->rig, a->model->meshes, pin->particle), 1);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(part_of(&a->rig, a->model->meshes, pin->corners[k]), 0);
        p = wr_add_scaled(p, pin->weights[k], a->rig.rest[pin->corners[k]]);
        assert_true(pin->weights[k] >= 0.0f && pin->weights[k] <= 1.0f);
    }
    CHECK_NEAR(wr_distance(p, at), 0.0, 1e-6);
    assert_int_equal(a->rig.handles[find_handle(&a->rig, "pin0")].vertex, pin->particle);
    wr_asset_destroy(a);
}

static void handles_belong_to_the_front_layer_unless_they_say_another(void **state)
{
    (void)state;
    wr_asset *a = build_sound_drawing(
        &folder,
        "{" LAYERS ", 'handles': {'place': [{'name': 'front', 'at': [0.66, 1.22]}, {'name': 'back',"
        " 'at': [0.655, 1.21], 'layer': 'body'}]}}",
        NULL);
    const wr_rig *rig = &a->rig;
    const wr_handle *front = &rig->handles[find_handle(rig, "front")];
    const wr_handle *back = &rig->handles[find_handle(rig, "back")];
    assert_int_equal(part_of(rig, a->model->meshes, front->vertex), 1);
    assert_int_equal(part_of(rig, a->model->meshes, back->vertex), 0);
    assert_true(back->pivot.x == 0.655f && back->pivot.y == 1.21f);
    wr_asset_destroy(a);
}

// 0.09 metres from the edge of the canvas: with floats 0.591 - 0.09 + 0.09 is not 0.591.
static void placed_handles_stand_there_to_the_last_bit_wherever_their_layer_lies(void **state)
{
    (void)state;
    wr_asset *a = build_sound_drawing(
        &folder,
        "{'wrought': 1, 'layers': [{'name': 'body', 'image': 'body.png', 'at': [9, 3]}], "
        "'handles': {'place': [{'name': 'a', 'at': [0.591, 0.8]}, {'name': 'b', 'at': [0.608, "
        "0.9]}, {'name': 'c', 'at': [0.614, 1]}]}}",
        NULL);
    static const float places[3][2] = {{0.591f, 0.8f}, {0.608f, 0.9f}, {0.614f, 1.0f}};
    for (int i = 0; i < 3; i++) {
        wr_vec3 at = a->rig.rest[a->rig.handles[i].vertex];
        assert_true(at.x == places[i][0] && at.y == places[i][1]);
    }
    wr_asset_destroy(a);
}

// --- poses ------------------------------------------------------------------------------------

static void pinned_layers_go_along(void **state)
{
    (void)state;
    wr_build_report report;
    wr_asset *a = build_sound_drawing(
        &folder,
        "{" LAYERS ", " PINS ", " HANDLES
        ", 'examples': [{'name': 'wave', 'move': {'hand': [-0.1, 0.5]}},"
        "{'name': 'lean', 'move': {'chest': [0.1, 0]}, 'turn': {'chest': {'axis': [0, 0, 1], 'by': "
        "-30}}, 'follow': true}, {'name': 'shift', 'move': {'chest': [0.1, 0.05]}},"
        "{'name': 'lift', 'turn': {'pin0': {'axis': [0, 0, 1], 'by': 45}}},"
        "{'name': 'tear', 'move': {'pin0': [0.3, 0]}}]}",
        &report);
    const wr_rig *rig = &a->rig;
    int hand = find_handle(rig, "hand"), chest = find_handle(rig, "chest");
    for (int e = 0; e < 4; e++) {
        if (!(report.examples[e].pin_gap < 1e-5)) {
            fail_msg("%s: %g m apart", report.examples[e].name, report.examples[e].pin_gap);
        }
    }
    CHECK_NEAR(report.examples[4].pin_gap, 0.3, 1e-4); // as was asked for
    // The trunk does not mind the arm; the arm turns with the trunk as one piece.
    assert_true(rig->examples[1].poses[chest].offset.x == 0.0f);
    assert_true(rig->examples[1].poses[hand].offset.y == 0.5f);
    wr_quat q = rig->examples[2].poses[hand].rotation;
    CHECK_NEAR(2.0 * atan2((double)q.z, (double)q.w), -30.0 * 3.14159265 / 180.0, 0.15);
    wr_build_report_clear(&report);
    wr_asset_destroy(a);
}

static void what_is_not_moved_stays_to_the_last_bit(void **state)
{
    (void)state;
    wr_asset *a = build_sound_drawing(&folder,
                                      "{" LAYERS ", " PINS ", " HANDLES
                                      ", 'examples': [{'name': 'wave', 'move': {'hand': "
                                      "[0, 0.3]}}, {'name': 'nothing', 'move': {'chest': [0, 0]}, "
                                      "'follow': true}]}",
                                      NULL);
    const wr_rig *rig = &a->rig;
    for (int b = 0; b < rig->handle_count; b++) {
        bool of_body = part_of(rig, a->model->meshes, rig->handles[b].vertex) == 0;
        for (int e = of_body ? 1 : 2; e < 3; e++) {
            const wr_handle_pose *pose = &rig->examples[e].poses[b];
            assert_true(pose->offset.x == 0.0f && pose->offset.y == 0.0f);
            assert_true(pose->rotation.z == 0.0f && pose->rotation.w == 1.0f);
        }
    }
    wr_asset_destroy(a);
}

// --- automatic handles ------------------------------------------------------------------------

static void automatic_handles_stand_in_limbs_and_middle(void **state)
{
    (void)state;
    drawing d = drawing_create(200, 200);
    put_bar(&d, 30, 100, 170, 100, 12, 0xffffff); // a cross
    put_bar(&d, 100, 30, 100, 170, 12, 0xffffff);
    wr_planar_desc desc = wr_planar_desc_default();
    const wr_image image = {"cross", d.width, d.height, d.pixels};
    desc.image = &image;
    wr_lattice *l = wr_lattice_create_planar(&desc, NULL);
    const wr_solid solid = {2, l->vertex_count, l->rest, l->element_count, l->elements};
    wr_handle_set *set = wr_handles_spread(&solid, NULL, 0, 5, NULL, NULL);
    assert_non_null(set);
    static const double wanted[5][2] = {{1, 1}, {0.28, 1}, {1.72, 1}, {1, 0.28}, {1, 1.72}};
    for (int i = 0; i < 5; i++) { // each place has one
        double nearest = INFINITY;
        for (int k = 0; k < 5; k++) {
            nearest = fmin(nearest, hypot((double)set->handles[k].pivot.x - wanted[i][0],
                                          (double)set->handles[k].pivot.y - wanted[i][1]));
        }
        if (!(nearest < 0.12)) {
            fail_msg("no handle at %g %g, the nearest is %g away", wanted[i][0], wanted[i][1],
                     nearest);
        }
    }
    for (int k = 0; k < 5; k++) {
        assert_int_equal(l->is_boundary[set->handles[k].vertex], 0);
    }
    wr_handle_set_destroy(set);
    const int twice[2] = {3, 3};
    wr_error error = {0};
    assert_null(wr_handles_spread(&solid, twice, 2, 3, NULL, &error));
    assert_string_equal(error.message, "placed[1]: vertex 3 has a handle already");
    assert_null(wr_handles_spread(&solid, NULL, 0, l->vertex_count + 1, NULL, &error));
    wr_lattice_destroy(l);
    free(d.pixels);
}

// A layer of 60 and one of 50 parts of area: of six handles each gets three.
static void automatic_handles_go_where_most_area_is_without(void **state)
{
    (void)state;
    drawing a = drawing_create(120, 80), b = drawing_create(120, 80);
    put_block(&a, 5, 10, 55, 70, 0x808080);
    put_block(&b, 65, 10, 115, 60, 0x4060c0);
    write_drawing(&folder, "left.png", &a);
    write_drawing(&folder, "right.png", &b);
    wr_asset *built = build_sound_drawing(
        &folder,
        "{'wrought': 1, 'layers': [{'name': 'a', 'image': 'left.png'}, {'name': 'b', 'image': "
        "'right.png'}], 'simulation': {'vertices': 120}, 'handles': {'automatic': 6}}",
        NULL);
    int counts[2] = {0, 0};
    for (int i = 0; i < built->rig.handle_count; i++) {
        counts[built->rig.handles[i].pivot.x > 0.6f]++;
    }
    assert_int_equal(counts[0], 3);
    assert_int_equal(counts[1], 3);
    wr_asset_destroy(built);
    free(a.pixels);
    free(b.pixels);
}

// --- the rim ----------------------------------------------------------------------------------

// What is drawn goes a pixel and a half beyond each side of a block, at its corners too, where the
// sides of the rim meet: so the corners of its box are covered.
static void the_rim_goes_as_far_at_corners_as_at_sides(void **state)
{
    (void)state;
    drawing d = drawing_create(100, 100);
    put_block(&d, 20, 30, 80, 70, 0x808080);
    write_drawing(&folder, "block.png", &d);
    wr_asset *a = build_sound_drawing(&folder,
                                      "{'wrought': 1, 'model': 'block.png', 'simulation': "
                                      "{'vertices': 200}, 'handles': {'automatic': 1}}",
                                      NULL);
    const wr_mesh *mesh = a->model->meshes;
    static const float corners[4][2] = {
        {0.185f, 0.285f}, {0.815f, 0.285f}, {0.815f, 0.715f}, {0.185f, 0.715f}};
    for (int k = 0; k < 4; k++) {
        double nearest = INFINITY;
        for (int i = a->rig.vertex_count; i < mesh->vertex_count; i++) {
            nearest = fmin(nearest, hypot((double)(mesh->positions[i].x - corners[k][0]),
                                          (double)(mesh->positions[i].y - corners[k][1])));
        }
        CHECK_NEAR(nearest, 0.0, 0.0085); // the outline cuts corners by two thirds of a pixel
    }
    wr_asset_destroy(a);
    free(d.pixels);
}

// --- mistakes ---------------------------------------------------------------------------------

static void mistakes_about_layers_are_one_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } mistakes[] = {
        {"{'wrought': 1}", "DIR/d.recipe.json:1:1: recipe: has none of 'model', 'layers' and "
                           "'sheet', expected one"},
        {"{'wrought': 1, 'model': 'body.png', 'layers': []}",
         "DIR/d.recipe.json:1:1: recipe: has more than one of 'model', 'layers' and 'sheet', "
         "expected one"},
        {"{'wrought': 1, 'layers': []}",
         "DIR/d.recipe.json:1:26: recipe: 'layers' has 0, expected 1 to 256"},
        {"{'wrought': 1, 'layers': [{'name': 'a', 'image': 'body.jpg'}]}",
         "DIR/d.recipe.json:1:27: layer 'a': 'image' is 'body.jpg', expected a .png"},
        {"{'wrought': 1, 'layers': [{'name': 'a', 'image': 'none.png'}]}",
         "DIR/d.recipe.json:1:27: layer 'a': DIR/none.png: cannot open: No such file or directory"},
        {"{'wrought': 1, 'layers': [{'name': 'a', 'image': 'body.png'},\n{'name': 'a', 'image': "
         "'arm.png'}]}",
         "DIR/d.recipe.json:2:1: layer 'a': has the name of another one"},
        {"{'wrought': 1, 'model': 'body.png', 'pins': []}",
         "DIR/d.recipe.json:1:37: recipe: 'pins' means nothing without 'layers'"},
        {"{" LAYERS ", 'pins': [{'layer': 'amr', 'at': [0, 0], 'to': 'body'}]}",
         "DIR/d.recipe.json:2:53: pin: unknown layer 'amr'; did you mean 'arm'?"},
        {"{" LAYERS ", 'pins': [{'layer': 'arm', 'at': [0, 0], 'to': 'arm'}]}",
         "DIR/d.recipe.json:2:43: pin: ties 'arm' to itself, expected another layer"},
        {"{" LAYERS ", 'pins': [{'layer': 'arm', 'at': [0.1, 0.1], 'to': 'body'}]}",
         "DIR/d.recipe.json:2:43: pin: 'at' is outside of layer 'arm'"},
        {"{" LAYERS ", 'pins': [{'layer': 'arm', 'at': [0.98, 1.0], 'to': 'body'}]}",
         "DIR/d.recipe.json:2:43: pin: 'at' is outside of layer 'body'"},
        {"{" LAYERS ", 'handles': {'place': [{'name': 'x', 'at': [0.5, 1.1]}]}}",
         "DIR/d.recipe.json:1:66: handles: layer 'arm' has no handle, expected 'place' to put one "
         "there, or 'automatic' of at least 1"},
        {"{" LAYERS ", 'handles': {'place': [{'name': 'x', 'at': [0.5, 1.1], 'layer': 'leg'}]}}",
         "DIR/d.recipe.json:2:97: place: unknown layer 'leg', expected one of: body, arm"},
        {"{" LAYERS ", " PINS ",\n'handles': {'automatic': 128}}",
         "DIR/d.recipe.json:3:12: handles: the drawing has 129 handles, those of its pins among "
         "them, expected at most 128"},
        {"{" LAYERS ", 'examples': [{'name': 'up',\n'move': {'hnad': [0, 1]}}], 'handles': "
         "{'automatic': 3, 'place': [{'name': 'hand', 'at': [0.9, 1.05]}]}}",
         "DIR/d.recipe.json:3:10: example 'up': there is no handle 'hnad'; did you mean 'hand'?"},
        {"{" LAYERS ",\n'refine': 0.05}",
         "DIR/d.recipe.json:3:1: recipe: 'refine' means nothing for a drawing"},
        {"{" LAYERS ", 'examples': [{'name': 'up', 'move': {'h0': [0, 0, 1]}}]}",
         "DIR/d.recipe.json:2:47: example 'up': handle 'h0': leaves the plane; move it along x and "
         "y and turn it about z"},
    };
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        check_drawing_mistake(&folder, mistakes[i].text, mistakes[i].expected);
    }
}

static void pictures_that_show_no_shape_are_refused(void **state)
{
    (void)state;
    drawing opaque = drawing_create(8, 8), clear = drawing_create(8, 8), dot = drawing_create(1, 1),
            specks = drawing_create(60, 60);
    put_block(&opaque, 0, 0, 8, 8, 0x808080);
    put_block(&dot, 0, 0, 1, 1, 0x808080);
    for (int i = 0; i < 100; i++) {
        put_block(&specks, 2 + i % 10 * 5, 2 + i / 10 * 5, 3 + i % 10 * 5, 3 + i / 10 * 5, 0xff);
    }
    write_drawing(&folder, "opaque.png", &opaque);
    write_drawing(&folder, "clear.png", &clear);
    write_drawing(&folder, "dot.png", &dot);
    write_drawing(&folder, "specks.png", &specks);
    check_drawing_mistake(&folder, "{'wrought': 1, 'model': 'opaque.png'}",
                          "DIR/d.recipe.json:1:25: simulation: image 'opaque.png': opaque "
                          "everywhere, expected alpha that shows a shape; a transparent border of "
                          "one pixel makes a rectangle one");
    check_drawing_mistake(&folder, "{'wrought': 1, 'model': 'clear.png'}",
                          "DIR/d.recipe.json:1:25: simulation: image 'clear.png': transparent "
                          "everywhere, expected a shape");
    check_drawing_mistake(&folder, "{'wrought': 1, 'model': 'dot.png'}",
                          "DIR/d.recipe.json:1:25: simulation: image 'dot.png': has 1 x 1 pixels, "
                          "expected at least 3 x 3");
    check_drawing_mistake(&folder, "{'wrought': 1, 'model': 'specks.png'}",
                          "DIR/d.recipe.json:1:25: simulation: image 'specks.png': its shapes are "
                          "smaller than 4 pixels, too small to mesh");
    drawing many = drawing_create(200, 200);
    for (int i = 0; i < 1600; i++) { // of nine pixels each
        put_block(&many, i % 40 * 5, i / 40 * 5, i % 40 * 5 + 3, i / 40 * 5 + 3, 0xff);
    }
    write_drawing(&folder, "many.png", &many);
    check_drawing_mistake(&folder,
                          "{'wrought': 1, 'model': 'many.png', 'simulation': {'vertices': 200}}",
                          "DIR/d.recipe.json:1:25: simulation: image 'many.png': has 1600 "
                          "outlines, which 200 vertices cannot mesh, expected fewer specks, or "
                          "4800 vertices");
    free(many.pixels);
    free(opaque.pixels);
    free(clear.pixels);
    free(dot.pixels);
    free(specks.pixels);
}

// --- new recipes ------------------------------------------------------------------------------

// What comes out of it builds.
static wr_asset *begin(const wr_recipe_start *start)
{
    wr_error error = {0};
    size_t size;
    char *text = wr_recipe_write_new(start, &size, &error);
    if (!text) {
        fail_msg("%s", error.message);
    }
    assert_non_null(strstr(text, "//   wrought rig "));
    wr_asset *a = build_sound_drawing(&folder, text, NULL);
    wr_text_destroy(text, size);
    return a;
}

static void a_new_recipe_of_a_drawing_builds(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/body.png", folder.path);
    wr_asset *a = begin(&(wr_recipe_start){.model = "body.png", .path = path, .handles = 6});
    assert_int_equal(a->rig.handle_count, 6);
    assert_int_equal(a->rig.example_count, 2);
    assert_string_equal(a->rig.handles[0].name, "middle");
    wr_box box = wr_mesh_bounds(a->model->meshes);
    CHECK_NEAR(wr_box_size(box).y, 1.0, 0.05);
    wr_asset_destroy(a);
}

static void the_larger_side_of_what_is_drawn_becomes_a_metre(void **state)
{
    (void)state;
    static const struct shape {
        int width, height;
        double bar[5]; // from, to, radius
    } shapes[] = {
        {400, 20, {10, 10, 390, 10, 2}}, // a line
        {200, 100, {40, 80, 160, 80, 8}},
        {60, 300, {30, 20, 30, 280, 12}},
    };
    char path[600];
    snprintf(path, sizeof path, "%s/shape.png", folder.path);
    for (int i = 0; i < WRI_COUNT(shapes); i++) {
        const double *b = shapes[i].bar;
        drawing d = drawing_create(shapes[i].width, shapes[i].height);
        put_bar(&d, b[0], b[1], b[2], b[3], b[4], 0x203040);
        write_drawing(&folder, "shape.png", &d);
        free(d.pixels);
        wr_asset *a = begin(&(wr_recipe_start){.model = "shape.png", .path = path, .handles = 3});
        wr_vec3 size = wr_box_size(wr_mesh_bounds(a->model->meshes));
        CHECK_NEAR(fmax((double)size.x, (double)size.y), 1.0, 0.05);
        wr_asset_destroy(a);
    }
}

static void a_new_recipe_of_layers_pins_them_where_they_overlap(void **state)
{
    (void)state;
    char back[600], front[600];
    drawing arm = drawing_create(100, 160);
    put_bar(&arm, 66, 36, 92, 60, 6, 0x4060c0);
    write_drawing(&folder, "limb \"1\".png", &arm);
    free(arm.pixels);
    snprintf(back, sizeof back, "%s/limb \"1\".png", folder.path);
    snprintf(front, sizeof front, "%s/body.png", folder.path);
    const char *const models[] = {"body.png"}, *const paths[] = {front};
    wr_asset *a = begin(&(wr_recipe_start){.model = "limb \"1\".png",
                                           .path = back,
                                           .more_count = 1,
                                           .more_models = models,
                                           .more_paths = paths});
    assert_int_equal(a->pin_count, 1); // the limb hangs on the body, which lies before it
    assert_int_equal(part_of(&a->rig, a->model->meshes, a->pins[0].particle), 0);
    CHECK_NEAR(a->rig.rest[a->pins[0].particle].x, 0.66 * 0.72, 0.05);
    assert_int_equal(a->rig.handle_count, 9);
    wr_asset_destroy(a);
}

static void a_new_recipe_has_no_more_handles_than_a_drawing_may(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/body.png", folder.path);
    wr_asset *a = begin(
        &(wr_recipe_start){.model = "body.png", .path = path, .handles = WR_FLAT_HANDLES_MAX});
    assert_int_equal(a->rig.handle_count, WR_FLAT_HANDLES_MAX);
    wr_asset_destroy(a);
    wr_error error = {0};
    size_t size;
    assert_null(wr_recipe_write_new(
        &(wr_recipe_start){.model = "body.png", .path = path, .handles = 200}, &size, &error));
    assert_non_null(strstr(error.message, "body.png: 200 handles and 0 pins, expected at most 128 "
                                          "together for a drawing"));
}

static int prepare(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    draw_figure();
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
        cmocka_unit_test(layers_are_parts_of_their_own_one_before_the_other),
        cmocka_unit_test(a_vertex_lies_exactly_on_every_pin_and_its_triangle_is_in_the_other_layer),
        cmocka_unit_test(handles_belong_to_the_front_layer_unless_they_say_another),
        cmocka_unit_test(placed_handles_stand_there_to_the_last_bit_wherever_their_layer_lies),
        cmocka_unit_test(pinned_layers_go_along),
        cmocka_unit_test(what_is_not_moved_stays_to_the_last_bit),
        cmocka_unit_test(automatic_handles_stand_in_limbs_and_middle),
        cmocka_unit_test(automatic_handles_go_where_most_area_is_without),
        cmocka_unit_test(the_rim_goes_as_far_at_corners_as_at_sides),
        cmocka_unit_test(a_new_recipe_of_a_drawing_builds),
        cmocka_unit_test(the_larger_side_of_what_is_drawn_becomes_a_metre),
        cmocka_unit_test(a_new_recipe_of_layers_pins_them_where_they_overlap),
        cmocka_unit_test(a_new_recipe_has_no_more_handles_than_a_drawing_may),
        cmocka_unit_test(mistakes_about_layers_are_one_sentence),
        cmocka_unit_test(pictures_that_show_no_shape_are_refused),
    };
    return cmocka_run_group_tests(tests, prepare, clean_up);
}
