// test_units.c: units and axes of model files, asked for in code, in scenes and on the command
// line.
#include "check.h"

#include "../src/base/os.h"
#include "wrought/wrought.h"

#include <sys/wait.h>

static temporary_folder folder;

static const char *in_folder(const char *name)
{
    static char paths[8][640];
    static int next = 0;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder.path, name);
    return path;
}

static const char *put_text(const char *name, const char *text)
{
    const char *path = in_folder(name);
    assert_true(wri_file_write(path, text, strlen(text), NULL));
    return path;
}

// A box of 1 x 2 x 3 from the origin on, with two normals, in inches and so on.
static const char box_text[] = "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\n"
                               "v 0 2 3\nvn 0 0 1\nvn 0 1 0\nf 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\n"
                               "f 3//2 4//2 8//2 7//2\nf 4 1 5 8\nf 5//1 6//1 7//1 8//1\n";

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    put_text("box.obj", box_text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

static wr_model *read_model(const char *path, const char *unit, const char *up)
{
    wr_error error = {0};
    const wr_read_options options = {.unit = unit, .up = up};
    wr_model *model = wr_model_read(path, &options, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

static void expect_box(wr_box box, double x0, double y0, double z0, double x1, double y1, double z1)
{
    const double expected[6] = {x0, y0, z0, x1, y1, z1};
    const float found[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(found[i], expected[i], 1e-6 * fabs(expected[i]));
    }
}

// --- code -------------------------------------------------------------------------------------

static void lengths_come_out_in_metres(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{NULL, 1.0},    {"m", 1.0},     {"cm", 0.01},  {"mm", 0.001},
                 {"in", 0.0254}, {"ft", 0.3048}, {"km", 1000.0}};
    for (int i = 0; i < WRI_COUNT(units); i++) {
        wr_model *m = read_model(in_folder("box.obj"), units[i].unit, NULL);
        double k = units[i].factor;
        expect_box(wr_mesh_bounds(m->meshes), 0, 0, 0, k, 2 * k, 3 * k);
        wr_model_destroy(m);
    }
}

static void up_becomes_plus_y_without_mirroring(void **state)
{
    (void)state;
    static const struct {
        const char *up;
        double box[6];
        float normal[2][3]; // of the sides that were +z and +y
    } ups[] = {
        {"y", {0, 0, 0, 1, 2, 3}, {{0, 0, 1}, {0, 1, 0}}},
        {"z", {0, 0, -2, 1, 3, 0}, {{0, 1, 0}, {0, 0, -1}}},
        {"x", {-2, 0, 0, 0, 1, 3}, {{0, 0, 1}, {-1, 0, 0}}},
    };
    for (int i = 0; i < WRI_COUNT(ups); i++) {
        wr_model *m = read_model(in_folder("box.obj"), NULL, ups[i].up);
        const wr_mesh *mesh = m->meshes;
        const double *b = ups[i].box;
        expect_box(wr_mesh_bounds(mesh), b[0], b[1], b[2], b[3], b[4], b[5]);
        wr_mass_properties mass;
        wr_error error = {0};
        assert_true(wr_mesh_find_mass(mesh, 1.0, &mass, &error)); // not inside out
        CHECK_NEAR(mass.mass, 6.0, 1e-5);
        bool met[2] = {false, false};
        for (int k = 0; k < mesh->vertex_count; k++) {
            for (int s = 0; s < 2; s++) {
                const float *n = ups[i].normal[s];
                met[s] |= mesh->normals[k].x == n[0] && mesh->normals[k].y == n[1] &&
                          mesh->normals[k].z == n[2];
            }
        }
        assert_true(met[0] && met[1]);
        wr_model_destroy(m);
    }
}

static void unknown_words_are_named_with_the_known_ones(void **state)
{
    (void)state;
    static const struct {
        wr_read_options options;
        const char *sentence;
    } cases[] = {
        {{.unit = "elle"}, "unknown unit \"elle\", expected m, cm, mm, in, ft, yd or km"},
        {{.unit = ""}, "unknown unit \"\", expected m, cm, mm, in, ft, yd or km"},
        {{.up = "Z"}, "unknown axis \"Z\" for up, expected x, y or z"},
        {{.up = "zz"}, "unknown axis \"zz\" for up, expected x, y or z"},
        {{.up = ""}, "unknown axis \"\" for up, expected x, y or z"},
    };
    put_text("a.tgf", "1 0 0 0\n");
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_error e[3] = {0};
        assert_null(wr_model_read(in_folder("box.obj"), &cases[i].options, &e[0]));
        assert_null(wr_tet_mesh_read(in_folder("a.mesh"), &cases[i].options, &e[1]));
        assert_null(wr_handle_graph_read(in_folder("a.tgf"), &cases[i].options, &e[2]));
        for (int k = 0; k < 3; k++) {
            assert_int_equal(e[k].code, WR_E_ARGUMENT);
            assert_string_equal(e[k].message, cases[i].sentence);
        }
    }
}

static void tetrahedra_and_graphs_turn_too(void **state)
{
    (void)state;
    const wr_read_options options = {.unit = "cm", .up = "z"};
    wr_error error = {0};
    put_text("t.mesh", "MeshVersionFormatted 1 Dimension 3 Vertices 4 0 0 0 0 100 0 0 0 0 200 0 0 "
                       "0 0 300 0 Tetrahedra 1 1 2 3 4 0 End");
    wr_tet_mesh *m = wr_tet_mesh_read(in_folder("t.mesh"), &options, &error);
    assert_non_null(m);
    CHECK_NEAR(m->positions[3].y, 3.0, 1e-6);
    CHECK_NEAR(m->positions[2].z, -2.0, 1e-6);
    CHECK_NEAR(wr_tet_mesh_volume(m).total, 1.0, 1e-6);
    wr_tet_mesh_destroy(m);
    put_text("g.tgf", "1 100 200 300\n");
    wr_handle_graph *g = wr_handle_graph_read(in_folder("g.tgf"), &options, &error);
    assert_non_null(g);
    CHECK_NEAR(g->positions[0].x, 1.0, 1e-6);
    CHECK_NEAR(g->positions[0].y, 3.0, 1e-6);
    CHECK_NEAR(g->positions[0].z, -2.0, 1e-6);
    wr_handle_graph_destroy(g);
}

static void numbers_that_leave_the_floats_are_refused(void **state)
{
    (void)state;
    const wr_read_options options = {.unit = "km"};
    wr_error error = {0};
    char expected[700];
    put_text("far.obj", "v 0 0 0\nv 1e38 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_null(wr_model_read(in_folder("far.obj"), &options, &error));
    snprintf(expected, sizeof expected, "%s: mesh 0: vertex 1 is not finite", in_folder("far.obj"));
    assert_string_equal(error.message, expected);
    put_text("far.tgf", "1 1e38 0 0\n");
    assert_null(wr_handle_graph_read(in_folder("far.tgf"), &options, &error));
    snprintf(expected, sizeof expected, "%s: a node is not finite in metres", in_folder("far.tgf"));
    assert_string_equal(error.message, expected);
    put_text("far.mesh", "MeshVersionFormatted 1 Dimension 3 Vertices 3 0 0 0 0 1e38 0 0 0 0 1 0 0 "
                         "Triangles 1 1 2 3 0");
    assert_null(wr_tet_mesh_read(in_folder("far.mesh"), &options, &error));
    snprintf(expected, sizeof expected, "%s: a vertex is not finite in metres",
             in_folder("far.mesh"));
    assert_string_equal(error.message, expected);
    assert_int_equal(error.code, WR_E_FORMAT);
}

// Converting before and after the nodes are applied is the same.
static void expect_same_conversion(const char *path, const char *up)
{
    wr_model *plain = read_model(path, NULL, NULL), *turned = read_model(path, "cm", up);
    wr_model *a = wr_model_flatten(plain, NULL), *b = wr_model_flatten(turned, NULL);
    assert_non_null(a);
    assert_non_null(b);
    float size = 0.01f * wr_length(wr_box_size(wr_mesh_bounds(a->meshes)));
    for (int k = 0; k < a->meshes->vertex_count; k++) {
        wr_vec3 p = wr_scale(0.01f, a->meshes->positions[k]), q = b->meshes->positions[k];
        wr_vec3 t = *up == 'x' ? wr_v3(-p.y, p.x, p.z) : *up == 'z' ? wr_v3(p.x, p.z, -p.y) : p;
        CHECK_NEAR(wr_distance(t, q), 0.0, 1e-5 * size);
    }
    wr_model_destroy(a);
    wr_model_destroy(b);
    wr_model_destroy(plain);
    wr_model_destroy(turned);
}

static void nodes_are_converted_with_their_meshes(void **state)
{
    (void)state;
    wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    wr_error error = {0};
    wr_model *m = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 2, 3), white, &error);
    assert_non_null(m);
    wr_node *nodes = wr_model_alloc(m, 2, sizeof *nodes);
    assert_non_null(nodes);
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 2, -1), 0.7f);
    nodes[0] = (wr_node){"parent", -1, -1, -1, {{5, -6, 7}, turn}, {1, 2, 3}, NULL};
    nodes[1] = (wr_node){"child", 0, 0, -1, {{1, 2, -3}, {0, 0.6f, 0, 0.8f}}, {4, 0.5f, 1}, NULL};
    m->nodes = nodes;
    m->node_count = 2;
    assert_true(wr_model_write_glb(m, in_folder("nodes.glb"), &error));
    wr_model_destroy(m);
    expect_same_conversion(in_folder("nodes.glb"), "x");
    expect_same_conversion(in_folder("nodes.glb"), "y");
    expect_same_conversion(in_folder("nodes.glb"), "z");
}

static void models_of_others_are_converted_whole(void **state)
{
    (void)state;
    static const char *const names[] = {"khronos/Fox.glb", "khronos/CesiumMilkTruck.glb",
                                        "khronos/RiggedFigure.glb"};
    const char *data = getenv("WROUGHT_DATA");
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", data ? data : ".", names[i]);
        if (!wri_file_exists(path)) {
            print_message("skipped: %s is not there (WROUGHT_DATA)\n", names[i]);
            skip();
        }
        expect_same_conversion(path, "x");
        expect_same_conversion(path, "z");
    }
}

static void endings_tell_models_from_other_files(void **state)
{
    (void)state;
    static const char *const models[] = {"a.glb", "a.gltf", "a.obj",     "a.ply",
                                         "a.off", "a.mesh", "b/A.B.OBJ", "x.Mesh"};
    static const char *const others[] = {"a.json", "a.dmat", "a.tgf", "out", "obj", "a.obj/b", ""};
    for (int i = 0; i < WRI_COUNT(models); i++) {
        assert_true(wr_model_has_ending(models[i]));
    }
    for (int i = 0; i < WRI_COUNT(others); i++) {
        assert_false(wr_model_has_ending(others[i]));
    }
    int count = 0;
    for (const char *const *e = wr_model_endings(); *e; e++) {
        count++;
        assert_true(wr_model_has_ending(*e));
    }
    assert_int_equal(count, 9);
}

// --- scenes -----------------------------------------------------------------------------------

static wr_scene *read_scene(const char *asset, wr_error *error)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"wrought\": 1,\n\"assets\": {\"b\": %s},\n\"bodies\": [{\"asset\": \"b\"}]}",
             asset);
    return wr_scene_read(put_text("s.scene.json", text), NULL, error);
}

static void assets_of_scenes_have_unit_and_up(void **state)
{
    (void)state;
    static const char *const assets[] = {
        "\"box.obj\"", "{\"file\": \"box.obj\"}", "{\"file\": \"box.obj\", \"unit\": \"cm\"}",
        "{\"file\": \"box.obj\", \"unit\": \"cm\", \"up\": \"z\"}"};
    static const double volumes[] = {6.0, 6.0, 6e-6, 6e-6}, heights[] = {1, 1, 0.01, 0.015};
    for (int i = 0; i < WRI_COUNT(assets); i++) {
        wr_error error = {0};
        wr_scene *scene = read_scene(assets[i], &error);
        if (!scene) {
            fail_msg("%s", error.message);
        }
        const wr_mass_properties *mass = &scene->bodies[0].rigid.mass;
        CHECK_NEAR(mass->mass / volumes[i], 1000.0, 0.01); // the default density
        CHECK_NEAR(mass->center[1] / heights[i], 1.0, 1e-5);
        wr_scene_destroy(scene);
    }
}

static void assets_of_scenes_report_what_is_wrong(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{}", ":2:17: asset \"b\": \"file\" is missing"},
        {"{\"file\": 3}", "asset \"b\": \"file\" is a number, expected a text"},
        {"{\"file\": \"box.obj\", \"unit\": \"c\"}", "asset \"b\": unknown unit \"c\""},
        {"{\"file\": \"box.obj\", \"up\": \"w\"}", "asset \"b\": unknown up \"w\""},
        {"{\"file\": \"box.obj\", \"units\": \"m\"}", "did you mean \"unit\"?"},
        {"[]", "asset \"b\": \"b\" is an array, expected a text"},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_error error = {0};
        assert_null(read_scene(cases[i][0], &error));
        if (!strstr(error.message, cases[i][1])) {
            fail_msg("\"%s\" does not say \"%s\"", error.message, cases[i][1]);
        }
    }
}

// --- the program ------------------------------------------------------------------------------

// Runs it with these arguments (the folder's files as @name) and keeps what it prints.
static int run(const char *arguments, char *out, size_t size)
{
    const char *program = getenv("WROUGHT_PROGRAM");
    if (!program) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    char command[4096];
    int used = snprintf(command, sizeof command, "'%s' ", program);
    for (const char *s = arguments; *s; s++) {
        used += *s == '@'
                    ? snprintf(command + used, sizeof command - (size_t)used, "%s/", folder.path)
                    : snprintf(command + used, sizeof command - (size_t)used, "%c", *s);
    }
    snprintf(command + used, sizeof command - (size_t)used, " 2>&1");
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(out, 1, size - 1, pipe);
    out[length] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void info_knows_every_format(void **state)
{
    (void)state;
    put_text("t.mesh", "MeshVersionFormatted 1 Dimension 3 Vertices 4 0 0 0 0 1 0 0 0 0 2 0 0 "
                       "0 0 3 0 Tetrahedra 1 2 1 3 4 0 End");
    put_text("s.mesh", "MeshVersionFormatted 1 Dimension 3 Vertices 3 0 0 0 0 1 0 0 0 0 2 0 0 "
                       "Triangles 1 2 1 3 0 End");
    put_text("o.off", "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    put_text("m.dmat", "2 2\n0.25\n-1\n0.75\n4\n");
    put_text("g.tgf", "1 0 0 0\n2 0 0 0\n3 1 1 0\n#\n1 2\n2 3 0 0 1\n");
    put_text("bad.off", "OFF\n1 x 0\n");
    static const struct {
        const char *arguments;
        int status;
        const char *parts[6];
    } cases[] = {
        {"info @t.mesh",
         0,
         {"  kind                 tetrahedra\n", "  tetrahedra           1\n",
          "  inverted tetrahedra  1\n", "  volume               -1 m^3\n",
          "  surface triangles    4\n", "  sound                no\n"}},
        {"info @t.mesh --unit cm --json",
         0,
         {"\"kind\": \"tetrahedra\"", "\"volume\": -9.99999", "\"sound\": false"}},
        {"info @s.mesh", 0, {"  kind                 model\n", "  triangles            1\n"}},
        {"info @o.off --up z", 0, {"  bounds               0 0 -1 to 1 0 0 m\n"}},
        {"info @o.off --json", 0, {"\"triangles\": 1"}},
        {"info @m.dmat",
         0,
         {"  rows                 2\n", "  least value          -1\n", "  greatest value       4\n",
          "  least row sum        1\n", "  greatest row sum     3\n",
          "  rows sum to 1        no\n"}},
        {"info @m.dmat --json",
         0,
         {"\"kind\": \"matrix\"", "\"rows\": 2", "\"columns\": 2", "\"rows_sum_to_1\": false"}},
        {"info @g.tgf",
         0,
         {"  nodes                3\n", "  edges                2\n", "  bones                1\n",
          "  cage edges           1\n", "  bones of no length   1\n",
          "  sound                no\n"}},
        {"info @g.tgf --json --up z",
         0,
         {"\"kind\": \"handle graph\"", "\"nodes\": 3", "\"sound\": false"}},
        {"info @bad.off", 1, {"bad.off:2: \"x\" cannot be the number of faces, expected a whole"}},
        {"info @o.off --unit el", 2, {"unknown unit \"el\", expected m, cm, mm, in, ft, yd or km"}},
        {"info @m.dmat --unit cm", 2, {"--unit and --up are for models and handle graphs"}},
        {"render @o.off --up q -o @p.png", 2, {"unknown axis \"q\" for up, expected x, y or z"}},
        {"render @o.off --unit cm --up z --size 32x32 -q -o @p.png", 0, {""}},
        {"render @t.mesh --size 32x32 -q -o @p.png", 0, {""}},
        {"export @box.obj --unit mm --up z -q -o @box.glb", 0, {""}},
        {"info @box.glb", 0, {"  bounds               0 0 -0.002 to 0.001 0.003 0 m\n"}},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        char out[4096];
        int status = run(cases[i].arguments, out, sizeof out);
        if (status != cases[i].status) {
            fail_msg("%s: status %d: %s", cases[i].arguments, status, out);
        }
        for (int k = 0; k < 6 && cases[i].parts[k]; k++) {
            if (!strstr(out, cases[i].parts[k])) {
                fail_msg("%s: \"%s\" is not in:\n%s", cases[i].arguments, cases[i].parts[k], out);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_come_out_in_metres),
        cmocka_unit_test(up_becomes_plus_y_without_mirroring),
        cmocka_unit_test(unknown_words_are_named_with_the_known_ones),
        cmocka_unit_test(tetrahedra_and_graphs_turn_too),
        cmocka_unit_test(numbers_that_leave_the_floats_are_refused),
        cmocka_unit_test(nodes_are_converted_with_their_meshes),
        cmocka_unit_test(models_of_others_are_converted_whole),
        cmocka_unit_test(endings_tell_models_from_other_files),
        cmocka_unit_test(assets_of_scenes_have_unit_and_up),
        cmocka_unit_test(assets_of_scenes_report_what_is_wrong),
        cmocka_unit_test(info_knows_every_format),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
