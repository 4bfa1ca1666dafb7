// Promises of files with surfaces of changing topology and with particles.
#include "check.h"
#include "usda.h"

#include "wrought/file.h"

#include "../src/base/os.h"

static temporary_folder folder;

static const char *in_folder(const char *name)
{
    static char paths[4][700];
    static int at;
    char *path = paths[at++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder.path, name);
    return path;
}

static char *read_whole(const char *path, size_t *size)
{
    char *text = wri_file_read(path, 1 << 26, NULL, size, NULL);
    assert_non_null(text);
    return text;
}

#define OK(call)                                                                                   \
    do {                                                                                           \
        wr_error error = {0};                                                                      \
        if (!(call)) {                                                                             \
            fail_msg("%s:%d: %s", __FILE__, __LINE__, error.message);                              \
        }                                                                                          \
    } while (0)

// --- writers ----------------------------------------------------------------------------------

enum { FRAMES = 6 };

static wr_look looks[3] = {{.name = "red", .base_color = {1, 0, 0, 1}, .texture = -1},
                           {.name = "blue", .base_color = {0, 0, 1, 1}, .texture = -1},
                           {.name = "unused", .base_color = {0, 1, 0, 1}, .texture = -1}};
static wr_node nodes[2] = {
    {.name = "clay", .parent = -1, .mesh = -1, .skin = -1, .scale = {1, 1, 1}},
    {.name = "water", .parent = -1, .mesh = -1, .skin = -1, .scale = {1, 1, 1}}};

static wr_model make_model(void)
{
    nodes[0].pose = nodes[1].pose = WR_POSE_IDENTITY;
    return (wr_model){
        .name = "take", .look_count = 3, .looks = looks, .node_count = 2, .nodes = nodes};
}

// A strip of 1, 1, 2, none, 2 and 3 triangles; the second frame has moved, the last look is blue.
typedef struct strip {
    wr_vec3 positions[FRAMES][5], normals[FRAMES][5];
    int triangles[9];
    wr_mesh_part parts[FRAMES][2];
    wr_mesh meshes[FRAMES];
} strip;

static void make_strip(strip *s)
{
    static const int counts[FRAMES] = {1, 1, 2, 0, 2, 3}, order[9] = {0, 1, 2, 2, 1, 3, 2, 3, 4};
    memcpy(s->triangles, order, sizeof order);
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < 5; i++) {
            s->positions[f][i] = wr_v3((float)i, (float)(i % 2), 0.25f * (float)f);
            s->normals[f][i] = wr_v3(0, 0, 1);
        }
        int red = counts[f] > 2 ? 2 : counts[f];
        s->parts[f][0] = (wr_mesh_part){0, red, 0};
        s->parts[f][1] = (wr_mesh_part){2, 1, 1};
        s->meshes[f] = (wr_mesh){.name = "strip",
                                 .vertex_count = counts[f] ? counts[f] + 2 : 0,
                                 .triangle_count = counts[f],
                                 .part_count = counts[f] > 2 ? 2 : 1,
                                 .positions = s->positions[f],
                                 .normals = s->normals[f],
                                 .triangles = s->triangles,
                                 .parts = s->parts[f]};
    }
}

static wr_vec3 places[4] = {{0, 1, 0}, {0.5f, 2, 0}, {1, 3, -1}, {7, 8, 9}};
static float radii[4] = {0.25f, 0.5f, 1, 2};
static uint32_t ids[4] = {3, 5, 4000000000u, 4000000001u};

static wr_particles make_cloud(int frame)
{
    return (wr_particles){
        .count = frame == 2 ? 0 : 1 + frame / 2, .positions = places, .radii = radii, .ids = ids};
}

static const usda_attribute *attribute(const usda *u, const char *prim, const char *declaration)
{
    const usda_attribute *a = usda_attribute_of(u, prim, declaration);
    if (!a || !a->value) {
        fail_msg("%s has no %s", prim, declaration);
    }
    return a;
}

static void check_value(const usda *u, const char *prim, const char *declaration,
                        const char *expected)
{
    const usda_attribute *a = attribute(u, prim, declaration);
    char text[2048] = "";
    size_t length = 0;
    for (size_t i = 0; i < a->length && length + 1 < sizeof text; i++) { // without indentation
        if (a->value[i] != '\n' && !(a->value[i] == ' ' && length && text[length - 1] == ' ')) {
            text[length++] = a->value[i];
        }
    }
    assert_string_equal(text, expected);
}

static void usd_has_samples_of_triangles_where_they_change(void **state)
{
    (void)state;
    static strip s;
    make_strip(&s);
    wr_model model = make_model();
    wr_particles clouds[FRAMES];
    for (int f = 0; f < FRAMES; f++) {
        clouds[f] = make_cloud(f);
    }
    wr_node_motion motions[2] = {{.node = 0, .last = FRAMES - 1, .meshes = s.meshes},
                                 {.node = 1,
                                  .last = FRAMES - 1,
                                  .particles = clouds,
                                  .particle_color = {0.1f, 0.2f, 0.9f, 1}}};
    wr_model_motion motion = {30, 1, FRAMES, 2, motions};
    const char *path = in_folder("film.usda");
    OK(wr_model_write_usda(&model, &motion, path, &error));
    size_t size;
    char *text = read_whole(path, &size);
    usda u;
    usda_read(&u, text, size);
    const char *mesh = "/take/clay/mesh";
    check_value(&u, mesh, "int[] faceVertexIndices.timeSamples",
                "{ 0: [0, 1, 2], 2: [0, 1, 2, 2, 1, 3], 5: [0, 1, 2, 2, 1, 3, 2, 3, 4], }");
    check_value(&u, mesh, "int[] faceVertexCounts.timeSamples",
                "{ 0: [3], 2: [3, 3], 5: [3, 3, 3], }");
    check_value(&u, mesh, "int[] faceVertexIndices", "[0, 1, 2]");
    check_value(&u, mesh, "token visibility.timeSamples",
                "{ 0: \"inherited\", 3: \"invisible\", 4: \"inherited\", }");
    const usda_attribute *points = attribute(&u, mesh, "point3f[] points.timeSamples");
    wri_array numbers = usda_numbers(points->value, points->length);
    assert_int_equal(numbers.count, 5 + 3 * (3 + 3 + 4 + 4 + 5)); // with the frames' numbers
    wri_array_destroy(&numbers);
    // Two looks: subsets that change with the triangles; the third look is not there.
    check_value(&u, "/take/clay/mesh/red", "int[] indices.timeSamples",
                "{ 0: [0], 2: [0, 1], 5: [0, 1], }");
    check_value(&u, "/take/clay/mesh/blue", "int[] indices.timeSamples",
                "{ 0: [], 2: [], 5: [2], }");
    assert_non_null(usda_find(&u, "/take/clay/Looks/blue"));
    assert_null(usda_find(&u, "/take/clay/Looks/unused"));
    const char *cloud = "/take/water/particles";
    assert_string_equal(usda_find(&u, cloud)->type, "Points");
    check_value(&u, cloud, "float[] widths.timeSamples",
                "{ 0: [0.5], 1: [0.5], 2: [], 3: [0.5, 1], 4: [0.5, 1, 2], 5: [0.5, 1, 2], }");
    check_value(
        &u, cloud, "int64[] ids.timeSamples",
        "{ 0: [3], 1: [3], 2: [], 3: [3, 5], 4: [3, 5, 4000000000], 5: [3, 5, 4000000000], }");
    check_value(&u, cloud, "point3f[] points", "[(0, 1, 0)]");
    check_value(&u, cloud, "color3f[] primvars:displayColor", "[(0.1, 0.2, 0.9)]");
    usda_destroy(&u);
    wri_free(NULL, text, size + 1, 1);
}

static void usd_refuses_what_is_none(void **state)
{
    (void)state;
    static strip s;
    make_strip(&s);
    wr_model model = make_model();
    wr_particles clouds[FRAMES];
    for (int f = 0; f < FRAMES; f++) {
        clouds[f] = make_cloud(f);
    }
    wr_node_motion motions[2] = {{.node = 0, .last = FRAMES - 1, .meshes = s.meshes},
                                 {.node = 1, .last = FRAMES - 1, .particles = clouds}};
    wr_model_motion motion = {30, 1, FRAMES, 2, motions};
    wr_error error = {0};
    s.positions[4][2].x = NAN;
    assert_false(wr_model_write_usda(&model, &motion, in_folder("no.usda"), &error));
    assert_non_null(strstr(error.message, "motion 0: frame 4: "));
    s.positions[4][2].x = 0.0f;
    radii[1] = 0.0f;
    assert_false(wr_model_write_usda(&model, &motion, in_folder("no.usda"), &error));
    assert_string_equal(error.message, "motion 1: frame 3: particle 1: not a place and a radius");
    radii[1] = 0.5f;
    wr_mesh mesh = s.meshes[0];
    model.meshes = &mesh;
    model.mesh_count = 1;
    nodes[0].mesh = 0;
    assert_false(wr_model_write_usda(&model, &motion, in_folder("no.usda"), &error));
    assert_string_equal(error.message, "motion 0: node 0 has a mesh of its own");
    nodes[0].mesh = -1;
    assert_false(wri_file_exists(in_folder("no.usda")));
}

static void ply_has_particles_with_radius_and_id(void **state)
{
    (void)state;
    static strip s;
    make_strip(&s);
    wr_mesh mesh = s.meshes[2];
    wr_model model = make_model();
    model.meshes = &mesh;
    model.mesh_count = 1;
    nodes[0].mesh = 0;
    const wr_ply_cloud clouds[2] = {
        {make_cloud(5), {0, 1, 0, 1}},
        {{.count = 1, .positions = places + 3, .radius = 0.125f}, {1, 1, 1, 1}}};
    OK(wr_model_write_ply_clouds(&model, clouds, 2, true, in_folder("cloud.ply"), &error));
    nodes[0].mesh = -1;
    size_t size;
    char *text = read_whole(in_folder("cloud.ply"), &size);
    const char *body = strstr(text, "end_header\n");
    assert_non_null(strstr(text, "element vertex 8\n"));
    assert_non_null(strstr(text, "property float radius\nproperty uint id\nelement face 2\n"));
    assert_non_null(strstr(body, "\n3 1 0.5 0 0 1 255 0 0 255 0 0 \n")); // the mesh's last vertex
    assert_non_null(strstr(body, "\n0 1 0 0 0 0 0 255 0 255 0.25 3 \n"));
    assert_non_null(strstr(body, "\n1 3 -1 0 0 0 0 255 0 255 1 4000000000 \n"));
    assert_non_null(strstr(body, "\n7 8 9 0 0 0 255 255 255 255 0.125 0 \n3 0 1 2\n3 2 1 3\n"));
    wri_free(NULL, text, size + 1, 1);
    // As bytes: others read it, and find the mesh.
    nodes[0].mesh = 0;
    OK(wr_model_write_ply_clouds(&model, clouds, 2, false, in_folder("cloud.ply"), &error));
    nodes[0].mesh = -1;
    wr_model *back = wr_model_read(in_folder("cloud.ply"), NULL, NULL);
    assert_non_null(back);
    assert_int_equal(back->meshes->triangle_count, 2);
    assert_memory_equal(&back->meshes->positions[back->meshes->triangles[5]], &s.positions[2][3],
                        sizeof(wr_vec3));
    wr_model_destroy(back);
    // Particles alone.
    model.mesh_count = 0;
    OK(wr_model_write_ply_clouds(&model, clouds, 2, true, in_folder("alone.ply"), &error));
    text = read_whole(in_folder("alone.ply"), &size);
    assert_non_null(strstr(text,
                           "element vertex 4\nproperty float x\nproperty float y\nproperty float "
                           "z\nproperty uchar red\n"));
    wri_free(NULL, text, size + 1, 1);
    radii[2] = NAN;
    wr_error why = {0};
    assert_false(wr_model_write_ply_clouds(&model, clouds, 2, true, in_folder("none.ply"), &why));
    assert_string_equal(strrchr(why.message, '/'),
                        "/none.ply: particle 2: not a place and a radius");
    radii[2] = 1.0f;
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usd_has_samples_of_triangles_where_they_change),
        cmocka_unit_test(usd_refuses_what_is_none),
        cmocka_unit_test(ply_has_particles_with_radius_and_id),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
