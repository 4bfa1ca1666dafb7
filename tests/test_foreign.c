// test_foreign.c: promises of models that come through Assimp, and of what happens when it fails.
#include "check.h"
#include "wrought/file.h"
#include "../src/base/os.h"
#include "../src/file/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

static temporary_folder folder;
static wri_arena arena;
static wr_error error;

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    arena = wri_arena_create(NULL);
    error = (wr_error){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    wri_arena_destroy(&arena);
    return 0;
}

// The program lies in the folder above that of the tests.
static int find_importer(void **state)
{
    (void)state;
    wri_arena own = wri_arena_create(NULL);
    const char *here = wri_program_folder(&own);
    const char *path = here ? wri_path_join(&own, here, "../wrought-import") : NULL;
    if (!getenv("WROUGHT_IMPORT") && path) {
        setenv("WROUGHT_IMPORT", path, 1);
    }
    wri_arena_destroy(&own);
    return 0;
}

static const char *in_folder(const char *name)
{
    return wri_path_join(&arena, folder.path, name);
}

static const char *write_bytes(const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(name);
    if (!wri_file_write(path, bytes, size, &error)) {
        fail_msg("%s", error.message);
    }
    return path;
}

static wr_model *read_text(const char *name, const char *text)
{
    wr_model *model = wr_model_read(write_bytes(name, text, strlen(text)), NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

static wr_box bounds(const wr_model *model)
{
    wr_model *flat = wr_model_flatten(model, &error);
    assert_non_null(flat);
    wr_box box = wr_mesh_bounds(&flat->meshes[0]);
    wr_model_destroy(flat);
    return box;
}

static double volume(const wr_model *model)
{
    wr_mass_properties mass = {0};
    wr_model *flat = wr_model_flatten(model, &error);
    assert_non_null(flat);
    if (!wr_mesh_find_mass(&flat->meshes[0], 1.0, &mass, &error)) {
        fail_msg("%s", error.message);
    }
    wr_model_destroy(flat);
    return mass.mass;
}

static void expect_box(wr_box box, float x0, float y0, float z0, float x1, float y1, float z1)
{
    CHECK_NEAR(box.min.x, x0, 1e-5);
    CHECK_NEAR(box.min.y, y0, 1e-5);
    CHECK_NEAR(box.min.z, z0, 1e-5);
    CHECK_NEAR(box.max.x, x1, 1e-5);
    CHECK_NEAR(box.max.y, y1, 1e-5);
    CHECK_NEAR(box.max.z, z1, 1e-5);
}

static const wr_node *node_named(const wr_model *model, const char *name)
{
    for (int i = 0; i < model->node_count; i++) {
        if (strcmp(model->nodes[i].name, name) == 0) {
            return &model->nodes[i];
        }
    }
    fail_msg("there is no node %s", name);
    return NULL;
}

// --- files ------------------------------------------------------------------------------------

// A corner of a box, 1 x 0.5 x 2 units, in every format: four triangles outward.
static const float CORNERS[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0.5f, 0}, {0, 0, 2}};
static const int TRIANGLES[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

static const char *stl_text(void)
{
    char *text = wri_arena_alloc(&arena, 4096, 1), *at = text;
    at += sprintf(at, "solid corner\n");
    for (int i = 0; i < 4; i++) {
        at += sprintf(at, " facet normal 0 0 %d\n  outer loop\n", i); // nobody believes these
        for (int k = 0; k < 3; k++) {
            const float *c = CORNERS[TRIANGLES[i][k]];
            at += sprintf(at, "   vertex %g %g %g\n", c[0], c[1], c[2]);
        }
        at += sprintf(at, "  endloop\n endfacet\n");
    }
    sprintf(at, "endsolid corner\n");
    return text;
}

enum { STL_SIZE = 84 + 4 * 50 };

static const char *stl_bytes(void)
{
    char *bytes = wri_arena_alloc(&arena, STL_SIZE, 1);
    bytes[80] = 4;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            memcpy(bytes + 84 + 50 * i + 12 + 12 * k, CORNERS[TRIANGLES[i][k]], 12);
        }
    }
    return bytes;
}

// %1$s: what places the first node, %2$s: unit in metres, %3$s: axis.
#define DAE                                                                                        \
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"                                                 \
    "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"         \
    "<asset><unit name=\"u\" meter=\"%2$s\"/><up_axis>%3$s</up_axis></asset>\n"                    \
    "<library_images><image id=\"pic\"><init_from>pic.png</init_from></image></library_images>\n"  \
    "<library_effects><effect id=\"red-fx\"><profile_COMMON><technique sid=\"c\"><lambert>"        \
    "<diffuse><color>0.8 0.1 0.05 1</color></diffuse></lambert></technique></profile_COMMON>"      \
    "</effect><effect id=\"pic-fx\"><profile_COMMON><newparam sid=\"s\"><surface type=\"2D\">"     \
    "<init_from>pic</init_from></surface></newparam><newparam sid=\"t\"><sampler2D>"               \
    "<source>s</source></sampler2D></newparam><technique sid=\"c\"><lambert><diffuse>"             \
    "<texture texture=\"t\" texcoord=\"UV\"/></diffuse></lambert></technique></profile_COMMON>"    \
    "</effect></library_effects>\n"                                                                \
    "<library_materials><material id=\"red\" name=\"Red\"><instance_effect url=\"#red-fx\"/>"      \
    "</material><material id=\"picm\" name=\"Pic\"><instance_effect url=\"#pic-fx\"/></material>"  \
    "</library_materials>\n"                                                                       \
    "<library_geometries><geometry id=\"g\" name=\"Corner\"><mesh><source id=\"p\">"               \
    "<float_array id=\"pa\" count=\"12\">0 0 0 100 0 0 100 50 0 0 0 200</float_array>"             \
    "<technique_common><accessor source=\"#pa\" count=\"4\" stride=\"3\">"                         \
    "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"                         \
    "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"                    \
    "<source id=\"t\"><float_array id=\"ta\" count=\"8\">0 0 1 0 1 1 0 0.25</float_array>"         \
    "<technique_common><accessor source=\"#ta\" count=\"4\" stride=\"2\">"                         \
    "<param name=\"S\" type=\"float\"/><param name=\"T\" type=\"float\"/></accessor>"              \
    "</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" "                 \
    "source=\"#p\"/></vertices>\n"                                                                 \
    "<triangles count=\"2\" material=\"m0\"><input semantic=\"VERTEX\" source=\"#v\" "             \
    "offset=\"0\"/><input semantic=\"TEXCOORD\" source=\"#t\" offset=\"0\" set=\"0\"/>"            \
    "<p>0 2 1 0 1 3</p></triangles>\n"                                                             \
    "<triangles count=\"2\" material=\"m1\"><input semantic=\"VERTEX\" source=\"#v\" "             \
    "offset=\"0\"/><input semantic=\"TEXCOORD\" source=\"#t\" offset=\"0\" set=\"0\"/>"            \
    "<p>1 2 3 2 0 3</p></triangles></mesh></geometry></library_geometries>\n"                      \
    "<library_visual_scenes><visual_scene id=\"s\">" DAE_NODE("n1", "Holder", "%1$s")              \
        DAE_NODE("n2", "Again",                                                                    \
                 "<translate>0 0 300</translate><rotate>0 0 1 "                                    \
                 "90</rotate>") "</visual_scene></"                                                \
                                "library_visual_scenes>\n"                                         \
                                "<scene><instance_visual_scene "                                   \
                                "url=\"#s\"/></scene>\n</COLLADA>\n"
#define DAE_NODE(id, name, place)                                                                  \
    "<node id=\"" id "\" name=\"" name "\">" place "<instance_geometry url=\"#g\">"                \
    "<bind_material><technique_common><instance_material symbol=\"m0\" target=\"#red\"/>"          \
    "<instance_material symbol=\"m1\" target=\"#picm\"/></technique_common></bind_material>"       \
    "</instance_geometry></node>\n"

static const char *dae_text(const char *place, const char *unit, const char *axis)
{
    return wri_arena_printf(&arena, DAE, place, unit, axis);
}

static const char *fbx_text(int up, int front, int front_sign, double unit, const char *scale)
{
    return wri_arena_printf(
        &arena,
        "; FBX 7.4.0 project file\n"
        "FBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
        "GlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n"
        "\t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",%d\n"
        "\t\tP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n"
        "\t\tP: \"FrontAxis\", \"int\", \"Integer\", \"\",%d\n"
        "\t\tP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",%d\n"
        "\t\tP: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n"
        "\t\tP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n"
        "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",%g\n\t}\n}\n"
        "Objects:  {\n"
        "\tGeometry: 1000, \"Geometry::Corner\", \"Mesh\" {\n"
        "\t\tVertices: *12 {\n\t\t\ta: 0,0,0,100,0,0,100,50,0,0,0,200\n\t\t}\n"
        "\t\tPolygonVertexIndex: *12 {\n\t\t\ta: 0,2,-2,0,1,-4,1,2,-4,2,0,-4\n\t\t}\n"
        "\t\tGeometryVersion: 124\n"
        "\t\tLayerElementMaterial: 0 {\n\t\t\tVersion: 101\n\t\t\tName: \"\"\n"
        "\t\t\tMappingInformationType: \"AllSame\"\n"
        "\t\t\tReferenceInformationType: \"IndexToDirect\"\n"
        "\t\t\tMaterials: *1 {\n\t\t\t\ta: 0\n\t\t\t}\n\t\t}\n"
        "\t\tLayer: 0 {\n\t\t\tVersion: 100\n\t\t\tLayerElement:  {\n"
        "\t\t\t\tType: \"LayerElementMaterial\"\n\t\t\t\tTypedIndex: 0\n\t\t\t}\n\t\t}\n\t}\n"
        "\tModel: 2000, \"Model::Wedge\", \"Mesh\" {\n\t\tVersion: 232\n\t\tProperties70:  {\n"
        "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",10,20,30\n"
        "\t\t\tP: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",%s\n"
        "\t\t}\n\t\tShading: T\n\t\tCulling: \"CullingOff\"\n\t}\n"
        "\tMaterial: 3000, \"Material::Red\", \"\" {\n\t\tVersion: 102\n"
        "\t\tShadingModel: \"phong\"\n\t\tMultiLayer: 0\n\t\tProperties70:  {\n"
        "\t\t\tP: \"DiffuseColor\", \"Color\", \"\", \"A\",0.8,0.1,0.05\n\t\t}\n\t}\n}\n"
        "Connections:  {\n\tC: \"OO\",2000,0\n\tC: \"OO\",1000,2000\n\tC: \"OO\",3000,2000\n}\n",
        up, front, front_sign, unit, scale);
}

// --- what comes in ----------------------------------------------------------------------------

static void check_stl(const wr_model *model)
{
    const wr_mesh *mesh = &model->meshes[0];
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->node_count, 1);
    assert_int_equal(model->look_count, 0);
    assert_int_equal(mesh->triangle_count, 4);
    assert_int_equal(mesh->vertex_count, 4); // what belongs together is together
    assert_null(mesh->normals);
    expect_box(bounds(model), 0, 0, 0, 1, 0.5f, 2);
    CHECK_NEAR(volume(model), 1.0 / 6.0, 1e-6);
}

static void stl_is_read_as_text_and_as_bytes_and_welded(void **state)
{
    (void)state;
    wr_model *model = read_text("a corner.stl", stl_text());
    assert_string_equal(model->name, "a corner");
    assert_string_equal(model->nodes[0].name, "corner");
    check_stl(model);
    wr_model_destroy(model);
    model = wr_model_read(write_bytes("B.STL", stl_bytes(), STL_SIZE), NULL, &error);
    assert_non_null(model);
    check_stl(model);
    wr_model_destroy(model);
}

static void collada_comes_in_metres_with_y_up(void **state)
{
    (void)state;
    const uint8_t pixels[2][4] = {{255, 0, 0, 255}, {0, 0, 255, 255}};
    assert_true(wr_png_write(in_folder("pic.png"), pixels[0], 2, 1, 4, &error));
    wr_model *model =
        read_text("c.dae", dae_text("<translate>10 20 30</translate>", "0.01", "Z_UP"));
    // First node: x 10..110 cm, y 20..70, z 30..230 with +Z up; second: turned by 90 degrees.
    expect_box(bounds(model), -0.5f, 0.3f, -1, 1.1f, 5, 0);
    CHECK_NEAR(volume(model), 2.0 / 6.0, 1e-5);
    assert_int_equal(model->mesh_count, 1); // shown twice
    const wr_node *holder = node_named(model, "Holder"), *again = node_named(model, "Again");
    assert_int_equal(holder->mesh, 0);
    assert_int_equal(again->mesh, 0);
    assert_true(holder->parent >= 0);
    CHECK_NEAR(holder->pose.position.x, 0.1, 1e-6);
    CHECK_NEAR(holder->pose.position.z, 0.3, 1e-6);
    CHECK_NEAR(holder->scale.x, 1.0, 1e-6); // no unit left in the tree
    wr_model_destroy(model);
}

static void looks_and_pictures_come_along(void **state)
{
    (void)state;
    const uint8_t pixels[2][4] = {{255, 0, 0, 255}, {0, 0, 255, 255}};
    assert_true(wr_png_write(in_folder("pic.png"), pixels[0], 2, 1, 4, &error));
    wr_model *model = read_text("c.dae", dae_text("", "1", "Y_UP"));
    const wr_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->part_count, 2);
    assert_int_equal(mesh->parts[0].triangle_count, 2);
    assert_int_equal(mesh->vertex_count, 4); // both parts share them
    const wr_look *red = &model->looks[mesh->parts[0].look];
    const wr_look *pic = &model->looks[mesh->parts[1].look];
    assert_string_equal(red->name, "Red");
    CHECK_NEAR(red->base_color.r, 0.8, 1e-6);
    CHECK_NEAR(red->base_color.b, 0.05, 1e-6);
    assert_int_equal(red->texture, -1);
    assert_string_equal(pic->name, "Pic");
    CHECK_NEAR(pic->base_color.r, 1.0, 1e-6);
    assert_int_equal(model->image_count, 1);
    assert_int_equal(pic->texture, 0);
    assert_string_equal(model->images[0].name, "pic");
    assert_int_equal(model->images[0].width, 2);
    assert_memory_equal(model->images[0].pixels, pixels, sizeof pixels);
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 p = mesh->positions[i]; // the top of the corner has v = 0.25 from below
        CHECK_NEAR(mesh->uvs[i].y, p.z > 0 ? 0.75 : p.y > 0 ? 0.0 : 1.0, 1e-6);
    }
    wr_model_destroy(model);
}

static void fbx_comes_in_metres_with_y_up(void **state)
{
    (void)state;
    wr_model *model = read_text("z up.fbx", fbx_text(2, 1, -1, 1.0, "1,1,1"));
    expect_box(bounds(model), 0.1f, 0.3f, -0.7f, 1.1f, 2.3f, -0.2f);
    CHECK_NEAR(volume(model), 1.0 / 6.0, 1e-5);
    const wr_node *node = node_named(model, "Wedge");
    CHECK_NEAR(node->pose.position.x, 0.1, 1e-6);
    CHECK_NEAR(node->scale.y, 1.0, 1e-6);
    assert_string_equal(model->meshes[0].name, "Corner");
    assert_int_equal(model->meshes[0].vertex_count, 4);
    assert_int_equal(model->look_count, 1);
    assert_string_equal(model->looks[0].name, "Red");
    CHECK_NEAR(model->looks[0].base_color.g, 0.1, 1e-6);
    wr_model_destroy(model);

    model = read_text("metres.fbx", fbx_text(1, 2, 1, 100.0, "0.01,0.01,0.01"));
    expect_box(bounds(model), 10, 20, 30, 11, 20.5f, 32);
    wr_model_destroy(model);
}

static wr_box read_as(const char *path, const char *unit, const char *up)
{
    const wr_read_options options = {.unit = unit, .up = up};
    wr_model *model = wr_model_read(path, &options, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    wr_box box = bounds(model);
    wr_model_destroy(model);
    return box;
}

static void what_we_say_of_units_and_axes_stands_instead_of_what_the_file_says(void **state)
{
    (void)state;
    const char *texts[2] = {fbx_text(2, 1, -1, 1.0, "1,1,1"),
                            dae_text("<translate>10 20 30</translate>", "0.01", "Z_UP")};
    const char *names[2] = {"a.fbx", "a.dae"};
    float top[2] = {2.3f, 5.0f}; // the second holds two
    for (int i = 0; i < 2; i++) {
        const char *path = write_bytes(names[i], texts[i], strlen(texts[i]));
        CHECK_NEAR(read_as(path, "cm", "z").max.y, top[i], 1e-5); // what it says anyway
        CHECK_NEAR(read_as(path, "m", NULL).max.y, 100.0 * top[i], 1e-3);
        CHECK_NEAR(read_as(path, "mm", NULL).max.y, 0.1 * top[i], 1e-5);
        CHECK_NEAR(read_as(path, NULL, "y").max.z, top[i], 1e-5);
        CHECK_NEAR(read_as(path, "m", "y").max.z, 100.0 * top[i], 1e-3);
    }
}

static void mirrored_and_sheared_places_are_kept(void **state)
{
    (void)state;
    wr_model *model = read_text("mirror.fbx", fbx_text(1, 2, 1, 1.0, "-1,1,1"));
    expect_box(bounds(model), -0.9f, 0.2f, 0.3f, 0.1f, 0.7f, 2.3f);
    CHECK_NEAR(volume(model), 1.0 / 6.0, 1e-5); // still outward
    wr_model_destroy(model);

    // x + y, mirrored in z
    const char *shear = "<matrix>1 1 0 0  0 1 0 0  0 0 -1 0  0 0 0 1</matrix>";
    model = read_text("shear.dae", dae_text(shear, "0.01", "Y_UP"));
    wr_box box = bounds(model);
    CHECK_NEAR(box.max.x, 1.5, 1e-5);
    CHECK_NEAR(box.min.z, -2.0, 1e-5);
    CHECK_NEAR(volume(model), 2.0 / 6.0, 1e-5);
    assert_int_equal(node_named(model, "Holder")->parent, -1);
    wr_model_destroy(model);
}

static bool has_vertex(const wr_mesh *mesh, wr_vec3 position)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (wr_distance(mesh->positions[i], position) < 1e-5f) {
            return true;
        }
    }
    return false;
}

// By hand; every number of the matrix counts.
static void an_oblique_shear_places_every_vertex(void **state)
{
    (void)state;
    const char *shear =
        "<matrix>1 0.5 0.25 10  -0.25 2 0.5 20  0.125 -0.5 1.5 30  0 0 0 1</matrix>";
    wr_model *model = read_text("oblique.dae", dae_text(shear, "0.01", "Y_UP"));
    wr_model *flat = wr_model_flatten(model, &error);
    assert_non_null(flat);
    assert_true(has_vertex(flat->meshes, wr_v3(0.1f, 0.2f, 0.3f)));
    assert_true(has_vertex(flat->meshes, wr_v3(1.1f, -0.05f, 0.425f)));
    assert_true(has_vertex(flat->meshes, wr_v3(1.35f, 0.95f, 0.175f)));
    assert_true(has_vertex(flat->meshes, wr_v3(0.6f, 1.2f, 3.3f)));
    wr_model_destroy(flat);
    wr_model_destroy(model);
}

static void polygons_are_cut_like_our_own(void **state)
{
    (void)state;
    // An arrow head: the fourth corner is a dent. Then a pentagon and a stray line.
    const char *text = "OFF\n9 3 0\n0 0 0\n2 0 0\n1 2 0\n1 0.5 0\n5 0 0\n6 0 0\n6 1 0\n5.5 2 0\n"
                       "5 1 0\n4 0 1 2 3\n5 4 5 6 7 8\n2 0 1\n";
    const char *path = write_bytes("arrow.off", text, strlen(text));
    wri_foreign_options limits = wri_foreign_options_default(100);
    wr_model *model = wri_foreign_import(path, &limits, NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    const wr_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->triangle_count, 5);
    double area = 0.0;
    for (int i = 0; i < 5; i++) {
        const int *t = mesh->triangles + 3 * i;
        wr_vec3 a = mesh->positions[t[0]];
        wr_vec3 n = wr_cross(wr_sub(mesh->positions[t[1]], a), wr_sub(mesh->positions[t[2]], a));
        assert_true(n.z > 0.0f); // the dent stays one
        area += 0.5 * (double)n.z;
    }
    CHECK_NEAR(area, 1.25 + 1.5, 1e-5);
    wr_model_destroy(model);
}

// --- against our own readers ------------------------------------------------------------------

static int count_triangles(const wr_model *model)
{
    wr_model *flat = wr_model_flatten(model, &error);
    assert_non_null(flat);
    int count = flat->meshes[0].triangle_count;
    wr_model_destroy(flat);
    return count;
}

// Of all nodes together, at a time of a clip, -1: at rest.
static wr_box posed_bounds(const wr_model *model, int clip, double time)
{
    wr_mat34 *world = calloc((size_t)model->node_count, sizeof *world);
    float *weights = calloc((size_t)wr_model_weight_count(model) + 1, sizeof *weights),
          *at = weights;
    wr_model_pose(model, clip < 0 ? NULL : &model->clips[clip], time, world, weights);
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < model->node_count; i++) {
        const wr_node *node = &model->nodes[i];
        if (node->mesh < 0) {
            continue;
        }
        const wr_mesh *mesh = &model->meshes[node->mesh];
        const wr_model_skin *skin = node->skin < 0 ? NULL : &model->skins[node->skin];
        wr_mat34 *joints = skin ? calloc((size_t)skin->joint_count, sizeof *joints) : NULL;
        wr_vec3 *positions = calloc((size_t)mesh->vertex_count, sizeof *positions);
        if (skin) {
            wr_model_skin_matrices(skin, world, joints);
        }
        wr_mesh_deform(mesh, at, &world[i], joints, positions, NULL);
        for (int k = 0; k < mesh->vertex_count; k++) {
            box = wr_box_add(box, positions[k]);
        }
        at += mesh->morph_count;
        free(positions);
        free(joints);
    }
    free(world);
    free(weights);
    return box;
}

static int clip_named(const wr_model *model, const char *name)
{
    for (int i = 0; i < model->clip_count; i++) {
        if (strcmp(model->clips[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no clip %s", name);
    return -1;
}

static void compare_motion(const char *path, const wr_model *ours, const wr_model *theirs)
{
    assert_int_equal(ours->skin_count, theirs->skin_count);
    assert_int_equal(ours->clip_count, theirs->clip_count);
    for (int i = 0; i < ours->clip_count; i++) {
        const wr_clip *clip = &ours->clips[i];
        int other = clip_named(theirs, clip->name);
        for (int k = 0; k < 4; k++) {
            double time = wr_clip_length(clip) * 0.3 * k;
            wr_box a = posed_bounds(ours, i, time), b = posed_bounds(theirs, other, time);
            double size = (double)wr_length(wr_box_size(a));
            if ((double)(wr_distance(a.min, b.min) + wr_distance(a.max, b.max)) > 2e-4 * size) {
                fail_msg("%s: clip %s at %g s: bounds %g %g %g .. %g %g %g here, %g %g %g .. "
                         "%g %g %g by Assimp",
                         path, clip->name, time, (double)a.min.x, (double)a.min.y, (double)a.min.z,
                         (double)a.max.x, (double)a.max.y, (double)a.max.z, (double)b.min.x,
                         (double)b.min.y, (double)b.min.z, (double)b.max.x, (double)b.max.y,
                         (double)b.max.z);
            }
        }
    }
}

// Assimp poses every instance of a mesh by the skin of one of them.
static bool has_mesh_of_two_skins(const wr_model *model)
{
    for (int i = 0; i < model->node_count; i++) {
        for (int k = 0; k < i; k++) {
            const wr_node *a = &model->nodes[i], *b = &model->nodes[k];
            if (a->mesh >= 0 && a->mesh == b->mesh && a->skin != b->skin) {
                return true;
            }
        }
    }
    return false;
}

// False when we do not read it ourselves, and where Assimp is known to be wrong.
static bool compare(const char *path)
{
    wr_model *ours = wr_model_read(path, NULL, &error);
    if (!ours && error.code == WR_E_UNSUPPORTED) {
        return false;
    }
    if (ours && has_mesh_of_two_skins(ours)) {
        wr_model_destroy(ours);
        return false;
    }
    wri_foreign_options limits = wri_foreign_options_default((size_t)wri_file_size(path));
    wr_model *theirs = ours ? wri_foreign_import(path, &limits, NULL, &error) : NULL;
    if (!theirs) {
        fail_msg("%s", error.message);
    }
    wr_box a = bounds(ours), b = bounds(theirs);
    double size = (double)wr_length(wr_box_size(a));
    if (count_triangles(ours) != count_triangles(theirs) ||
        (double)(wr_distance(a.min, b.min) + wr_distance(a.max, b.max)) > 1e-5 * size) {
        fail_msg("%s: %d triangles here, %d by Assimp; bounds %g %g %g .. %g %g %g here, "
                 "%g %g %g .. %g %g %g by Assimp",
                 path, count_triangles(ours), count_triangles(theirs), (double)a.min.x,
                 (double)a.min.y, (double)a.min.z, (double)a.max.x, (double)a.max.y,
                 (double)a.max.z, (double)b.min.x, (double)b.min.y, (double)b.min.z,
                 (double)b.max.x, (double)b.max.y, (double)b.max.z);
    }
    compare_motion(path, ours, theirs);
    wr_model_destroy(ours);
    wr_model_destroy(theirs);
    return true;
}

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), n = strlen(ending);
    return length >= n && strcmp(name + length - n, ending) == 0;
}

static int compare_all(const char *path)
{
    int count = 0;
    DIR *open_folder = opendir(path);
    for (struct dirent *entry; open_folder && (entry = readdir(open_folder));) {
        const char *name = entry->d_name, *inner = wri_path_join(&arena, path, name);
        if (name[0] == '.') {
            continue;
        }
        if (wri_is_folder(inner)) {
            count += compare_all(inner);
        } else if (ends_with(name, ".glb") || ends_with(name, ".obj") || ends_with(name, ".off")) {
            count += compare(inner);
        }
    }
    if (open_folder) {
        closedir(open_folder);
    }
    return count;
}

static void counts_bounds_and_motion_agree_with_assimp(void **state)
{
    (void)state;
    const char *data = getenv("WROUGHT_DATA");
    if (!data || !wri_is_folder(data)) {
        print_message("skipped: WROUGHT_DATA is not set or not there\n");
        skip();
    }
    assert_true(compare_all(data) >= 12);
}

// The numbers were computed from the file by a program of a few lines that shares nothing with
// ours.
static void a_mesh_of_many_nested_skins_is_posed_by_each(void **state)
{
    (void)state;
    const char *data = getenv("WROUGHT_DATA");
    const char *path = wri_path_join(&arena, data ? data : "", "khronos/RecursiveSkeletons.glb");
    if (!wri_file_exists(path)) {
        print_message("skipped: RecursiveSkeletons.glb is not in WROUGHT_DATA\n");
        skip();
    }
    wr_model *model = wr_model_read(path, NULL, &error);
    assert_non_null(model);
    wr_box box = bounds(model);
    CHECK_NEAR(wr_distance(box.min, wr_v3(-30.0f, 0.0f, -30.0f)), 0.0, 1e-4);
    CHECK_NEAR(wr_distance(box.max, wr_v3(30.0f, 125.1f, 30.0f)), 0.0, 1e-4);
    wr_model_destroy(model);
}

// --- against Blender --------------------------------------------------------------------------

// A crate that moves with a monkey on it, a bar that is bent by a bone and fattened by a morph.
// Prints the bounds of all in our axes at rest and half a second later.
static const char BLENDER[] =
    "import bpy, sys\n"
    "bpy.ops.wm.read_factory_settings(use_empty=True)\n"
    "scene = bpy.context.scene\n"
    "scene.render.fps = 24; scene.frame_start = 0; scene.frame_end = 24\n"
    "bpy.ops.mesh.primitive_cube_add(size=2, location=(1, 2, 3)); crate = bpy.context.object\n"
    "crate.scale = (1, 2, 0.5); crate.rotation_euler = (0.3, 0.2, 0.1)\n"
    "bpy.ops.mesh.primitive_monkey_add(size=1, location=(0, 0, 2))\n"
    "monkey = bpy.context.object; monkey.parent = crate\n"
    "bpy.ops.mesh.primitive_cylinder_add(vertices=8, radius=0.2, depth=2, location=(0, 0, 1))\n"
    "bar = bpy.context.object\n"
    "bpy.ops.object.mode_set(mode='EDIT'); bpy.ops.mesh.subdivide(number_cuts=4)\n"
    "bpy.ops.object.mode_set(mode='OBJECT')\n"
    "if sys.argv[-1] == 'morph':\n"
    "    bar.shape_key_add(name='Basis'); fat = bar.shape_key_add(name='Fat')\n"
    "    for v in fat.data: v.co.x *= 2\n"
    "bpy.ops.object.armature_add(location=(0, 0, 0)); arm = bpy.context.object\n"
    "bpy.ops.object.mode_set(mode='EDIT'); bones = arm.data.edit_bones; root = bones[0]\n"
    "root.head = (0, 0, 0); root.tail = (0, 0, 1); tip = bones.new('Tip')\n"
    "tip.head = (0, 0, 1); tip.tail = (0, 0, 2); tip.parent = root\n"
    "bpy.ops.object.mode_set(mode='OBJECT'); bar.select_set(True)\n"
    "bpy.context.view_layer.objects.active = arm\n"
    "bpy.ops.object.parent_set(type='ARMATURE_AUTO')\n"
    "bone = arm.pose.bones['Tip']; bone.rotation_mode = 'XYZ'\n"
    "for f, a in ((0, 0), (12, 0.8), (24, 0)):\n"
    "    bone.rotation_euler = (a, 0, 0); bone.keyframe_insert('rotation_euler', frame=f)\n"
    "    if sys.argv[-1] == 'morph': fat.value = a; fat.keyframe_insert('value', frame=f)\n"
    "for f in (12, 0):\n"
    "    scene.frame_set(f); graph = bpy.context.evaluated_depsgraph_get(); points = []\n"
    "    for o in (crate, monkey, bar):\n"
    "        mesh = o.evaluated_get(graph).to_mesh()\n"
    "        points += [o.matrix_world @ v.co for v in mesh.vertices]\n"
    "    low = [min(p[i] for p in points) for i in range(3)]\n"
    "    high = [max(p[i] for p in points) for i in range(3)]\n"
    "    print('BOUNDS', f, low[0], low[2], -high[1], high[0], high[2], -low[1])\n"
    "out = sys.argv[-2]\n"
    "bpy.ops.export_scene.fbx(filepath=out + '/y.fbx')\n"
    "bpy.ops.export_scene.fbx(filepath=out + '/z.fbx', axis_up='Z', axis_forward='Y',\n"
    "                         apply_scale_options='FBX_SCALE_ALL')\n"
    "bpy.ops.wm.collada_export(filepath=out + '/a.dae')\n";

static wr_box printed_bounds(const char *text, const char *label)
{
    const char *line = strstr(text, label);
    float n[6];
    if (!line || sscanf(line + strlen(label), "%f %f %f %f %f %f", &n[0], &n[1], &n[2], &n[3],
                        &n[4], &n[5]) != 6) {
        fail_msg("Blender printed no %s", label);
    }
    return (wr_box){wr_v3(n[0], n[1], n[2]), wr_v3(n[3], n[4], n[5])};
}

static void expect_near_box(wr_box a, wr_box b)
{
    expect_box(a, b.min.x, b.min.y, b.min.z, b.max.x, b.max.y, b.max.z);
}

// COLLADA has no morphs from Blender; there the bar stays thin.
static void compare_with_blender(bool morph)
{
    const char *script = write_bytes("make.py", BLENDER, strlen(BLENDER));
    const char *const arguments[] = {
        "blender", "-b",        "--python-exit-code",      "1", "--python", script,
        "--",      folder.path, morph ? "morph" : "plain", NULL};
    const wri_run_limits limits = {100.0, 0, 1 << 20};
    wri_run_result result;
    if (!wri_run(arguments, &limits, NULL, &result, &error) || result.end != WRI_RUN_EXITED ||
        result.code != 0) {
        wri_array_destroy(&result.output);
        print_message("skipped: blender is missing or does not run\n");
        skip();
    }
    assert_non_null(wri_array_add(&result.output, 1)); // a final NUL
    wr_box rest = printed_bounds(result.output.items, "BOUNDS 0 ");
    wr_box bent = printed_bounds(result.output.items, "BOUNDS 12 ");
    const char *const names[] = {"y.fbx", "z.fbx", "a.dae"};
    for (int i = 0; i < (morph ? 2 : 3); i++) {
        wr_model *model = wr_model_read(in_folder(names[i]), NULL, &error);
        if (!model) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(model->skin_count, 1);
        assert_int_equal(model->skins[0].joint_count, 2);
        expect_near_box(bounds(model), rest);
        expect_near_box(posed_bounds(model, 0, 0.5), bent);
        wr_model_destroy(model);
    }
    wri_array_destroy(&result.output);
}

static void rigs_come_as_blender_made_them(void **state)
{
    (void)state;
    compare_with_blender(true);
    compare_with_blender(false);
}

// --- what does not come in --------------------------------------------------------------------

static void expect_failure(const char *path, const char *option, double seconds, int64_t memory,
                           const char *sentence)
{
    wri_foreign_options limits = {.seconds = seconds, .memory = memory, .test = option};
    assert_null(wri_foreign_import(path, &limits, NULL, &error));
    assert_string_equal(error.message, wri_arena_printf(&arena, "%s: %s", path, sentence));
    error = (wr_error){0};
}

static void whatever_happens_to_assimp_is_one_sentence(void **state)
{
    (void)state;
    const char *path = write_bytes("a.fbx", "x", 1);
    expect_failure(path, "--test-crash", 20, 0, "Assimp crashed while reading it (signal 11)");
    expect_failure(path, "--test-hang", 1, 0, "Assimp took longer than 1 s");
    expect_failure(path, "--test-sleep", 1, 0, "Assimp took longer than 1 s");
    expect_failure(path, "--test-flood", 1, 0, "Assimp took longer than 1 s");
    expect_failure(path, "--test-throw", 20, 0, "Assimp needed more memory than there is");
    assert_null(wri_foreign_import(
        path, &(wri_foreign_options){.seconds = 20, .test = "--test-rubbish"}, NULL, &error));
    assert_int_equal(error.code, WR_E_FORMAT);
    assert_memory_equal(error.message, path, strlen(path));
}

static void assimp_gets_no_more_memory_than_it_may_have(void **state)
{
    (void)state;
    if (wri_foreign_options_default(1).memory == 0) {
        print_message("skipped: sanitizers need all memory there is\n");
        skip();
    }
    const char *path = write_bytes("a.fbx", "x", 1);
    expect_failure(path, "--test-memory", 20, 200000000, "Assimp needed more than 200 MB");
    const char *dae = dae_text("", "1", "Y_UP"); // believes what files say about their size
    const char *count = strstr(dae, "count=\"12\"");
    const char *text = wri_arena_printf(&arena, "%.*scount=\"400000000\"%s", (int)(count - dae),
                                        dae, count + strlen("count=\"12\""));
    path = write_bytes("bomb.dae", text, strlen(text));
    wri_foreign_options limits = {.seconds = 20.0, .memory = 600000000};
    assert_null(wri_foreign_import(path, &limits, NULL, &error));
    assert_string_equal(error.message,
                        wri_arena_printf(&arena, "%s: Assimp needed more than 600 MB", path));
    assert_true(wri_foreign_options_default(1000).memory > 500000000);
    assert_true(wri_foreign_options_default((size_t)1 << 30).memory <= (int64_t)8 << 30);
    assert_true(wri_foreign_options_default(1 << 30).seconds > 1000.0);
}

static void what_assimp_says_is_passed_on(void **state)
{
    (void)state;
    const char *path = write_bytes("nonsense.fbx", "this is no model", 16);
    assert_null(wr_model_read(path, NULL, &error));
    assert_int_equal(error.code, WR_E_FORMAT);
    assert_non_null(strstr(error.message, "FBX"));
    path = write_bytes("empty.dae", "", 0);
    assert_null(wr_model_read(path, NULL, &error));
    assert_string_equal(error.message, wri_arena_printf(&arena, "%s: the file is empty", path));
    const char *points = "OFF\n1 0 0\n0 0 0\n";
    wri_foreign_options limits = wri_foreign_options_default(1);
    path = write_bytes("p.off", points, strlen(points));
    assert_null(wri_foreign_import(path, &limits, NULL, &error));
    assert_null(wr_model_read(in_folder("missing.stl"), NULL, &error));
    assert_non_null(strstr(error.message, "cannot open: No such file"));
}

static void a_missing_importer_is_one_sentence(void **state)
{
    (void)state;
    char *before = strdup(getenv("WROUGHT_IMPORT"));
    setenv("WROUGHT_IMPORT", "/no-such-folder/wrought-import", 1);
    const char *path = write_bytes("a.FBX", "x", 1);
    assert_null(wr_model_read(path, NULL, &error));
    setenv("WROUGHT_IMPORT", before, 1);
    free(before);
    assert_int_equal(error.code, WR_E_UNSUPPORTED);
    assert_string_equal(
        error.message,
        wri_arena_printf(&arena, "%s: wrought-import is not installed; .FBX files cannot be read",
                         path));
}

static void endings_tell_what_assimp_is_for(void **state)
{
    (void)state;
    assert_true(wri_foreign_is_known("a.fbx"));
    assert_true(wri_foreign_is_known("some folder/b.v2.DAE"));
    assert_true(wri_foreign_is_known("x.x"));
    assert_false(wri_foreign_is_known("fbx"));
    assert_false(wri_foreign_is_known("a.fbx/b"));
    assert_false(wri_foreign_is_known("a.mesh")); // ours
    assert_false(wri_foreign_is_known("a.json"));
    assert_false(wri_foreign_is_known("a.fbxx"));
    assert_false(wri_foreign_is_known(""));
}

// --- broken files -----------------------------------------------------------------------------

enum { CUTS = 12, FLIPS = 24 };

static int read_broken(const char *name, const char *bytes, size_t size)
{
    const char *path = write_bytes(name, bytes, size);
    wri_foreign_options limits = wri_foreign_options_default(size);
    limits.seconds = 10.0;
    wr_model *model = wri_foreign_import(path, &limits, NULL, &error);
    assert_true(model || error.message[0]);
    wr_model_destroy(model);
    error = (wr_error){0};
    return model != NULL;
}

static void broken_files_do_not_hurt_us(void **state)
{
    (void)state;
    const char *fbx = fbx_text(1, 2, 1, 1.0, "1,1,1"), *dae = dae_text("", "1", "Y_UP");
    const struct {
        const char *name, *bytes;
        size_t size;
    } files[] = {
        {"a.fbx", fbx, strlen(fbx)}, {"a.dae", dae, strlen(dae)}, {"a.stl", stl_bytes(), STL_SIZE}};
    uint64_t seed = 17;
    for (int i = 0; i < WRI_COUNT(files); i++) {
        size_t size = files[i].size;
        char *copy = malloc(size);
        memcpy(copy, files[i].bytes, size);
        assert_true(read_broken(files[i].name, copy, size));
        for (int k = 0; k < CUTS; k++) {
            read_broken(files[i].name, copy, 1 + random_bits(&seed) % (size - 1));
        }
        for (int k = 0; k < FLIPS; k++) {
            size_t at = random_bits(&seed) % size;
            copy[at] = (char)(random_bits(&seed) & 0xff);
            read_broken(files[i].name, copy, size);
            if (k % 4 == 3) {
                memcpy(copy, files[i].bytes, size);
            }
        }
        free(copy);
    }
}

// --- around it --------------------------------------------------------------------------------

static int descriptors(void)
{
    int count = 0;
    for (int i = 0; i < 256; i++) {
        count += fcntl(i, F_GETFD) >= 0;
    }
    return count;
}

static int names_in(const char *path)
{
    int count = 0;
    DIR *open_folder = opendir(path);
    while (open_folder && readdir(open_folder)) {
        count++;
    }
    closedir(open_folder);
    return count;
}

static void nothing_is_left_behind(void **state)
{
    (void)state;
    const char *path = write_bytes("a.stl", stl_bytes(), STL_SIZE);
    int before = descriptors(), names = names_in(folder.path);
    char *tmp = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", folder.path, 1); // where somebody might put temporary files
    wr_model *model = wr_model_read(path, NULL, &error);
    assert_non_null(model);
    wr_model_destroy(model);
    expect_failure(path, "--test-crash", 20, 0, "Assimp crashed while reading it (signal 11)");
    expect_failure(path, "--test-sleep", 0.2, 0, "Assimp took longer than 0.2 s");
    if (tmp) {
        setenv("TMPDIR", tmp, 1);
    } else {
        unsetenv("TMPDIR");
    }
    free(tmp);
    assert_int_equal(descriptors(), before);
    assert_int_equal(names_in(folder.path), names);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no child, dead or alive
    assert_int_equal(errno, ECHILD);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *path = write_bytes("a.stl", stl_bytes(), STL_SIZE);
    bool done = false;
    for (int budget = 0; !done; budget += 1 + budget / 4) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_model *model = wr_model_read(path, &(wr_read_options){.allocator = &allocator}, &error);
        done = model != NULL;
        wr_model_destroy(model);
        assert_int_equal(heap.alive, 0);
        assert_true(budget < 10000);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void odd_paths_are_read(void **state)
{
    (void)state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    write_bytes("-- help.stl", stl_bytes(), STL_SIZE);
    write_bytes("\xc3\xbc \"'$(x).stl", stl_bytes(), STL_SIZE);
    assert_int_equal(chdir(folder.path), 0);
    wr_model *dash = wr_model_read("-- help.stl", NULL, &error);
    wr_model *quotes = wr_model_read("\xc3\xbc \"'$(x).stl", NULL, &error);
    assert_int_equal(chdir(before), 0);
    assert_non_null(dash);
    assert_non_null(quotes);
    assert_string_equal(quotes->name, "\xc3\xbc \"'$(x)");
    wr_model_destroy(dash);
    wr_model_destroy(quotes);
}

static void *read_often(void *path)
{
    intptr_t good = 0;
    for (int i = 0; i < 4; i++) {
        wr_error own = {0};
        wr_model *model = wr_model_read(path, NULL, &own);
        good += model && model->meshes[0].vertex_count == 4;
        wr_model_destroy(model);
    }
    return (void *)good;
}

static void many_threads_may_read_at_once(void **state)
{
    (void)state;
    const char *path = write_bytes("a.stl", stl_bytes(), STL_SIZE);
    pthread_t threads[8];
    for (int i = 0; i < WRI_COUNT(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, (void *)(uintptr_t)path), 0);
    }
    for (int i = 0; i < WRI_COUNT(threads); i++) {
        void *good;
        pthread_join(threads[i], &good);
        assert_int_equal((intptr_t)good, 4);
    }
}

static void the_program_knows_foreign_models(void **state)
{
    (void)state;
    const char *program = getenv("WROUGHT_PROGRAM");
    if (!program) {
        print_message("skipped: WROUGHT_PROGRAM is not set\n");
        skip();
    }
    const char *path = write_bytes("a.stl", stl_bytes(), STL_SIZE);
    const char *const arguments[] = {program, "info", path, NULL};
    const wri_run_limits limits = {60.0, 0, 1 << 20};
    wri_run_result result;
    assert_true(wri_run(arguments, &limits, NULL, &result, &error));
    assert_int_equal(result.end, WRI_RUN_EXITED);
    assert_int_equal(result.code, 0);
    assert_non_null(wri_array_add(&result.output, 1)); // a final NUL
    assert_non_null(strstr(result.output.items, "triangles            4"));
    wri_array_destroy(&result.output);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(stl_is_read_as_text_and_as_bytes_and_welded),
        IN_A_FOLDER(collada_comes_in_metres_with_y_up),
        IN_A_FOLDER(looks_and_pictures_come_along),
        IN_A_FOLDER(fbx_comes_in_metres_with_y_up),
        IN_A_FOLDER(what_we_say_of_units_and_axes_stands_instead_of_what_the_file_says),
        IN_A_FOLDER(mirrored_and_sheared_places_are_kept),
        IN_A_FOLDER(an_oblique_shear_places_every_vertex),
        IN_A_FOLDER(polygons_are_cut_like_our_own),
        IN_A_FOLDER(counts_bounds_and_motion_agree_with_assimp),
        IN_A_FOLDER(a_mesh_of_many_nested_skins_is_posed_by_each),
        IN_A_FOLDER(rigs_come_as_blender_made_them),
        IN_A_FOLDER(whatever_happens_to_assimp_is_one_sentence),
        IN_A_FOLDER(assimp_gets_no_more_memory_than_it_may_have),
        IN_A_FOLDER(what_assimp_says_is_passed_on),
        IN_A_FOLDER(a_missing_importer_is_one_sentence),
        IN_A_FOLDER(endings_tell_what_assimp_is_for),
        IN_A_FOLDER(broken_files_do_not_hurt_us),
        IN_A_FOLDER(nothing_is_left_behind),
        IN_A_FOLDER(every_allocation_may_fail),
        IN_A_FOLDER(odd_paths_are_read),
        IN_A_FOLDER(many_threads_may_read_at_once),
        IN_A_FOLDER(the_program_knows_foreign_models),
    };
    return cmocka_run_group_tests(tests, find_importer, NULL);
}
