// test_file.c: promises of the model and picture readers and writers.
#include "../src/base/os.h"
#include "../src/file/json.h"
#include "../src/file/model.h"
#include "../src/file/png.h"

#include <dirent.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "same_model.h"

// --- a folder for the files of this run -------------------------------------------------------

static char folder[512];

static const char *in_folder(const char *name)
{
    static char paths[8][1024];
    static int next = 0;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/wrought file XXXXXX", temporary ? temporary : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        remove(in_folder(entry->d_name)); // fails for . and .. only
    }
    closedir(listing);
    return rmdir(folder);
}

static const char *put_file(const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

static wr_model *read_text(const char *name, const char *text)
{
    return read_ok(put_file(name, text, strlen(text)));
}

static void expect_error(const char *name, const void *bytes, size_t size, wr_code code,
                         const char *fragment)
{
    wr_error error = {0};
    wr_model *model = wr_model_read(put_file(name, bytes, size), NULL, &error);
    if (model) {
        fail_msg("%s was accepted, expected: %s", name, fragment);
    }
    if (!strstr(error.message, fragment) || !strstr(error.message, name)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, fragment);
    }
    assert_int_equal(error.code, code);
}

// --- small glTF files -------------------------------------------------------------------------

typedef struct blob {
    char bytes[4096];
    size_t size;
} blob;

static void put_u32(char *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (char)(value >> (8 * i));
    }
}

static blob make_glb(const char *json, const void *binary, size_t binary_size)
{
    blob b = {0};
    size_t json_size = (strlen(json) + 3) / 4 * 4;
    memcpy(b.bytes, "glTF\2\0\0\0", 8);
    put_u32(b.bytes + 12, (uint32_t)json_size);
    memcpy(b.bytes + 16, "JSON", 4);
    memset(b.bytes + 20, ' ', json_size);
    memcpy(b.bytes + 20, json, strlen(json));
    b.size = 20 + json_size;
    if (binary) {
        put_u32(b.bytes + b.size, (uint32_t)binary_size);
        memcpy(b.bytes + b.size + 4, "BIN\0", 4);
        memcpy(b.bytes + b.size + 8, binary, binary_size);
        b.size += 8 + binary_size;
    }
    assert_true(b.size <= sizeof b.bytes);
    put_u32(b.bytes + 8, (uint32_t)b.size);
    return b;
}

// A square in the plane z = 0, then its corners as numbers 0 1 2, 2 1 3 (16 bits).
typedef struct square {
    float positions[4][3];
    uint16_t indices[6];
} square;

static const square the_square = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {0, 1, 2, 2, 1, 3}};

#define HEAD "\"asset\":{\"version\":\"2.0\"},"
#define ACCESSORS                                                                                  \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"      \
    "{\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"}],"
#define VIEWS                                                                                      \
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},"                                           \
    "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12}],\"buffers\":[{\"byteLength\":60}],"
#define MESH "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
#define NODES "\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0"
#define SQUARE_JSON "{" HEAD ACCESSORS VIEWS MESH NODES "}"

static wr_model *read_square(const char *json)
{
    blob b = make_glb(json, &the_square, sizeof the_square);
    return read_ok(put_file("square.glb", b.bytes, b.size));
}

static void a_small_glb_is_read(void **state)
{
    (void)state;
    wr_model *model = read_square(SQUARE_JSON);
    assert_string_equal(model->name, "square");
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->node_count, 1);
    const wr_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 2);
    assert_int_equal(mesh->part_count, 1);
    assert_int_equal(mesh->parts[0].look, -1);
    assert_null(mesh->normals);
    assert_memory_equal(mesh->positions, the_square.positions, sizeof the_square.positions);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(mesh->triangles[i], the_square.indices[i]);
    }
    wr_model_destroy(model);
}

static void strips_and_fans_keep_their_orientation(void **state)
{
    (void)state;
    static const char *const modes[] = {"5", "6"};
    static const int expected[2][6] = {{0, 1, 2, 1, 3, 2}, {1, 2, 0, 2, 3, 0}};
    for (int i = 0; i < 2; i++) {
        char json[1024];
        snprintf(
            json, sizeof json,
            "{" HEAD ACCESSORS VIEWS
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":%s}]}]," NODES
            "}",
            modes[i]);
        wr_model *model = read_square(json);
        assert_int_equal(model->meshes[0].triangle_count, 2);
        assert_memory_equal(model->meshes[0].triangles, expected[i], sizeof expected[i]);
        wr_model_destroy(model);
    }
}

static void points_and_lines_are_passed_over(void **state)
{
    (void)state;
    wr_model *model =
        read_square("{" HEAD ACCESSORS VIEWS
                    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":0},"
                    "{\"attributes\":{\"POSITION\":0},\"indices\":1},"
                    "{\"attributes\":{\"POSITION\":0},\"mode\":1}]}," // the second has lines only
                    "{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":3}]}],"
                    "\"nodes\":[{\"mesh\":1},{\"mesh\":0}]}");
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->node_count, 2);
    assert_int_equal(model->nodes[0].mesh, -1);
    assert_int_equal(model->nodes[1].mesh, 0);
    assert_int_equal(model->meshes[0].part_count, 1);
    wr_model_destroy(model);
}

static void primitives_on_the_same_arrays_share_vertices(void **state)
{
    (void)state;
    wr_model *model =
        read_square("{" HEAD ACCESSORS VIEWS
                    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1},"
                    "{\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":5}]}]," NODES "}");
    assert_int_equal(model->meshes[0].vertex_count, 4);
    assert_int_equal(model->meshes[0].part_count, 2);
    assert_int_equal(model->meshes[0].parts[1].first_triangle, 2);
    assert_int_equal(model->meshes[0].parts[1].triangle_count, 4);
    wr_model_destroy(model);
}

static void few_corners_of_a_big_array_take_only_what_they_use(void **state)
{
    (void)state;
    struct {
        float positions[40][3];
        uint8_t indices[4];
    } data = {.indices = {30, 20, 10, 0}};
    for (int i = 0; i < 40; i++) {
        data.positions[i][0] = (float)i;
    }
    blob b =
        make_glb("{" HEAD "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":40,"
                 "\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5121,\"count\":3,"
                 "\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":480},"
                 "{\"buffer\":0,\"byteOffset\":480,\"byteLength\":4}],"
                 "\"buffers\":[{\"byteLength\":484}]," MESH NODES "}",
                 &data, sizeof data);
    wr_model *model = read_ok(put_file("few.glb", b.bytes, b.size));
    const wr_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->vertex_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(mesh->positions[mesh->triangles[i]].x == (float)(30 - 10 * i));
    }
    wr_model_destroy(model);
}

// Interleaved positions and normalised 8-bit colours; a sparse accessor moves corner 3.
static void strides_normalised_and_sparse_accessors_are_read(void **state)
{
    (void)state;
    struct {
        struct {
            float position[3];
            uint8_t color[4];
        } vertices[4];
        float moved[3];
        uint8_t which[4];
    } data = {.moved = {7, 8, 9}, .which = {3}};
    for (int i = 0; i < 4; i++) {
        memcpy(data.vertices[i].position, the_square.positions[i], 12);
        data.vertices[i].color[0] = 255;
        data.vertices[i].color[1] = 51;
    }
    blob b = make_glb(
        "{" HEAD
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\","
        "\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":2,\"componentType\":5121},"
        "\"values\":{\"bufferView\":1}}},{\"bufferView\":0,\"byteOffset\":12,\"componentType\":"
        "5121,"
        "\"normalized\":true,\"count\":4,\"type\":\"VEC3\"}],\"bufferViews\":[{\"buffer\":0,"
        "\"byteLength\":64,\"byteStride\":16},{\"buffer\":0,\"byteOffset\":64,\"byteLength\":12},"
        "{\"buffer\":0,\"byteOffset\":76,\"byteLength\":1}],\"buffers\":[{\"byteLength\":80}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"COLOR_0\":1},\"mode\":5}]}]"
        "," NODES "}",
        &data, sizeof data);
    wr_model *model = read_ok(put_file("sparse.glb", b.bytes, b.size));
    const wr_mesh *mesh = &model->meshes[0];
    assert_memory_equal(&mesh->positions[2], the_square.positions[2], 12);
    assert_memory_equal(&mesh->positions[3], data.moved, 12);
    assert_true(mesh->colors[1].r == 1.0f && mesh->colors[1].g == 0.2f);
    assert_true(mesh->colors[1].b == 0.0f && mesh->colors[1].a == 1.0f);
    wr_model_destroy(model);
}

static void encode_base64(const void *bytes, size_t size, char *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = (uint32_t)b[i] << 16 | (i + 1 < size ? (uint32_t)b[i + 1] << 8 : 0) |
                        (i + 2 < size ? b[i + 2] : 0u);
        *out++ = letters[bits >> 18];
        *out++ = letters[bits >> 12 & 63];
        *out++ = i + 1 < size ? letters[bits >> 6 & 63] : '=';
        *out++ = i + 2 < size ? letters[bits & 63] : '=';
    }
    *out = 0;
}

static void gltf_finds_its_bytes_in_neighbours_and_in_uris(void **state)
{
    (void)state;
    char base64[128], json[2048];
    encode_base64(&the_square, sizeof the_square, base64);
    put_file("a b.bin", &the_square, sizeof the_square);
    for (int i = 0; i < 2; i++) {
        char uri[256];
        snprintf(uri, sizeof uri, "data:application/octet-stream;base64,%s", base64);
        snprintf(json, sizeof json,
                 "{" HEAD ACCESSORS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},"
                 "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12}],"
                 "\"buffers\":[{\"byteLength\":60,\"uri\":\"%s\"}]," MESH NODES "}",
                 i ? "a%20b.bin" : uri);
        wr_model *model = read_text("square.gltf", json);
        assert_memory_equal(model->meshes[0].positions, the_square.positions,
                            sizeof the_square.positions);
        wr_model_destroy(model);
    }
}

// --- nodes ------------------------------------------------------------------------------------

static void parents_come_before_children(void **state)
{
    (void)state;
    wr_model *model =
        read_square("{" HEAD ACCESSORS VIEWS MESH
                    "\"nodes\":[{\"name\":\"leaf\",\"mesh\":0},{\"name\":\"other\"},"
                    "{\"name\":\"root\",\"children\":[3]},{\"name\":\"mid\",\"children\":[0]},"
                    "{\"name\":\"outside\"}],\"scenes\":[{},{\"nodes\":[2,1]}],\"scene\":1}");
    static const char *const names[] = {"root", "mid", "leaf", "other"};
    static const int parents[] = {-1, 0, 1, -1};
    assert_int_equal(model->node_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(model->nodes[i].name, names[i]);
        assert_int_equal(model->nodes[i].parent, parents[i]);
    }
    wr_model_destroy(model);
}

static wr_node read_node_transform(const char *transform)
{
    char json[1500];
    snprintf(json, sizeof json, "{" HEAD ACCESSORS VIEWS MESH "\"nodes\":[{\"mesh\":0,%s}]}",
             transform);
    wr_model *model = read_square(json);
    wr_node node = model->nodes[0];
    wr_model_destroy(model);
    return node;
}

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-6) {
        fail_msg("%g is not %g", a, b);
    }
}

// A matrix without shear must come back exactly: columns are R applied to the scaled axes.
static void matrices_become_poses_and_scales(void **state)
{
    (void)state;
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 2.5f);
    for (int sign = 1; sign >= -1; sign -= 2) {
        float s[3] = {2.0f * (float)sign, 0.5f, 3.0f};
        char text[512] = "\"matrix\":[";
        for (int i = 0; i < 3; i++) {
            wr_vec3 axis = wr_v3(i == 0 ? s[0] : 0, i == 1 ? s[1] : 0, i == 2 ? s[2] : 0);
            wr_vec3 c = wr_rotate(turn, axis);
            snprintf(text + strlen(text), sizeof text - strlen(text), "%.9g,%.9g,%.9g,0,",
                     (double)c.x, (double)c.y, (double)c.z);
        }
        strcat(text, "4,5,6,1]");
        wr_node node = read_node_transform(text);
        assert_true(node.pose.position.x == 4 && node.pose.position.z == 6);
        assert_near(fabs((double)wr_quat_dot(node.pose.rotation, turn)), 1.0);
        assert_near(node.scale.x, s[0]);
        assert_near(node.scale.y, s[1]);
        assert_near(node.scale.z, s[2]);
    }
}

static void odd_matrices_still_give_finite_poses(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "\"matrix\":[1,0,0,0, 1,1,0,0, 0,0,1,0, 0,0,0,1]",        // shear
        "\"matrix\":[0,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,1]",        // nothing left
        "\"matrix\":[0,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]",        // flat
        "\"matrix\":[1,1,1,0, 1,1,1,0, 1,1,1,0, 0,0,0,1]",        // all on a line
        "\"matrix\":[1e30,0,0,0, 0,1e-30,0,0, 0,0,1,0, 0,0,0,1]", // far apart
        "\"rotation\":[0,0,0,0]",
        "\"rotation\":[0,0,3,4]",
    };
    for (int i = 0; i < WRI_COUNT(odd); i++) {
        wr_node node = read_node_transform(odd[i]);
        assert_true(wr_pose_is_finite(node.pose) && wr_is_finite3(node.scale));
        assert_near(wr_quat_dot(node.pose.rotation, node.pose.rotation), 1.0);
    }
    assert_near(read_node_transform(odd[2]).scale.y, 1.0);
    assert_near(read_node_transform(odd[6]).pose.rotation.w, 0.8);
    // The rotation nearest to a shear in the xy plane by 1 turns by atan(1/2).
    wr_quat q = read_node_transform(odd[0]).pose.rotation;
    assert_true(q.x == 0.0f && q.y == 0.0f && fabsf(q.z) > 0.1f);
}

// --- writing and reading back -----------------------------------------------------------------

static uint8_t checker[4 * 6 * 5];

// Two meshes, three looks, one image, a tree of nodes.
static wr_model *make_model(void)
{
    wr_error error = {0};
    wr_model *m = wr_model_create(NULL, &error);
    assert_non_null(m);
    for (int i = 0; i < (int)sizeof checker; i++) {
        checker[i] = (uint8_t)(37 * i + i / 7);
    }
    m->images = wr_model_alloc(m, 2, sizeof *m->images);
    m->image_count = 2; // both are the same picture
    m->images[0] = m->images[1] = (wr_image){"check \"\xc3\xa4", 6, 5, checker};
    m->looks = wr_model_alloc(m, 3, sizeof *m->looks);
    m->look_count = 3;
    m->looks[0] = (wr_look){"paint", {0.1f, 0.25f, 1.0f, 1.0f}, 0, 0.3f, 0.7f, true};
    m->looks[1] = (wr_look){"glass", {1.0f, 1.0f, 1.0f, 0.5f}, -1, 0.1f, 0.0f, false};
    m->looks[2] = (wr_look){"again", {1.0f, 1.0f, 1.0f, 1.0f}, 1, 0.5f, 0.0f, false};
    m->looks[1].alpha = WR_ALPHA_BLEND; // what a file says of an alpha below 1
    m->meshes = wr_model_alloc(m, 2, sizeof *m->meshes);
    m->mesh_count = 2;
    for (int k = 0; k < 2; k++) {
        wr_mesh *mesh = &m->meshes[k];
        *mesh = (wr_mesh){.name = k ? "plain" : "fine", .vertex_count = 5, .triangle_count = 4};
        mesh->positions = wr_model_alloc(m, 5, sizeof(wr_vec3));
        mesh->normals = k ? NULL : wr_model_alloc(m, 5, sizeof(wr_vec3));
        mesh->uvs = k ? NULL : wr_model_alloc(m, 5, sizeof(wr_vec2));
        mesh->colors = k ? NULL : wr_model_alloc(m, 5, sizeof(wr_color));
        mesh->triangles = wr_model_alloc(m, 12, sizeof(int));
        mesh->parts = wr_model_alloc(m, 3, sizeof(wr_mesh_part));
        for (int i = 0; i < 5; i++) {
            mesh->positions[i] = wr_v3(0.1f * (float)(i * i), 1.0f / (float)(i + 3), -(float)i);
            if (!k) {
                mesh->normals[i] = wr_normalize(wr_v3(1.0f, (float)i, 0.3f));
                mesh->uvs[i] = (wr_vec2){0.2f * (float)i, 1.7f - 0.3f * (float)i};
                mesh->colors[i] = (wr_color){0.1f * (float)i, 0.5f, 0.9f, 1.0f};
            }
        }
        for (int i = 0; i < 12; i++) {
            mesh->triangles[i] = (i * 2 + i / 3) % 5;
        }
        mesh->part_count = 3;
        mesh->parts[0] = (wr_mesh_part){0, 1, 0};
        mesh->parts[1] = (wr_mesh_part){1, 2, k ? -1 : 1};
        mesh->parts[2] = (wr_mesh_part){3, 1, 2};
    }
    m->nodes = wr_model_alloc(m, 3, sizeof *m->nodes);
    m->node_count = 3;
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 1, 0), 1.0f);
    m->nodes[0] = (wr_node){"root", -1, -1, -1, {{1.5f, 0.1f, 0}, turn}, {1, 1, 1}, NULL};
    m->nodes[1] = (wr_node){"arm", 0, 0, -1, WR_POSE_IDENTITY, {2, 2, 0.1f}, NULL};
    m->nodes[2] = (wr_node){"", -1, 1, -1, WR_POSE_IDENTITY, {1, 1, 1}, NULL};
    m->name = "model";
    return m;
}

static const char *write_model(const wr_model *model, const char *name)
{
    wr_error error = {0};
    const char *path = in_folder(name);
    if (!wr_model_write_glb(model, path, &error)) {
        fail_msg("%s", error.message);
    }
    return path;
}

// A transform that differs from none in one number only is written all the same.
static void every_number_of_a_transform_is_written(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++) {
        wr_model *model = read_square(SQUARE_JSON);
        wr_node *node = model->nodes;
        float *numbers[] = {&node->pose.position.x, &node->pose.position.y, &node->pose.position.z,
                            &node->pose.rotation.x, &node->pose.rotation.y, &node->pose.rotation.z,
                            &node->scale.x,         &node->scale.y,         &node->scale.z};
        *numbers[i] = 0.6f;
        if (i / 3 == 1) {
            node->pose.rotation.w = 0.8f;
        }
        wr_model *back = read_ok(write_model(model, "transform.glb"));
        wr_pose pose = node->pose, read = back->nodes->pose;
        assert_memory_equal(&read.position, &pose.position, sizeof pose.position);
        assert_memory_equal(&back->nodes->scale, &node->scale, sizeof node->scale);
        assert_true(wr_quat_dot(read.rotation, pose.rotation) > 0.999999f);
        wr_model_destroy(back);
        wr_model_destroy(model);
    }
}

static void what_is_written_reads_back_bit_for_bit(void **state)
{
    (void)state;
    wr_model *model = make_model();
    wr_model *back = read_ok(write_model(model, "model.glb"));
    assert_same_model(model, back);
    assert_int_equal(back->image_count, 1); // the same picture is written once
    wr_model *again = read_ok(write_model(back, "again.glb"));
    assert_same_model(back, again);
    wr_model_destroy(again);
    wr_model_destroy(back);
    wr_model_destroy(model);
}

// glTF takes no notice of a colour's alpha in an opaque material, so that one is written as what it
// looks like; cut-outs stay cut-outs, and whole colours opaque.
static void a_colour_one_sees_through_is_written_as_such(void **state)
{
    (void)state;
    wr_model *model = make_model();
    model->looks[0].alpha = WR_ALPHA_MASK;
    model->looks[0].cutoff = 0.25f;
    model->looks[0].base_color.a = 0.75f;
    model->looks[1].alpha = WR_ALPHA_OPAQUE;
    wr_model *back = read_ok(write_model(model, "glass.glb"));
    const wr_alpha expected[] = {WR_ALPHA_MASK, WR_ALPHA_BLEND, WR_ALPHA_OPAQUE};
    for (int i = 0; i < back->look_count; i++) {
        const wr_look *look = &back->looks[i];
        int k = strcmp(look->name, "paint") == 0 ? 0 : strcmp(look->name, "glass") == 0 ? 1 : 2;
        assert_int_equal(look->alpha, expected[k]);
        assert_true(look->base_color.a == model->looks[k].base_color.a);
        assert_true(k != 0 || look->cutoff == 0.25f);
    }
    wr_model_destroy(back);
    wr_model_destroy(model);
}

static const wri_json *parse_glb(wri_arena *arena, const char *path)
{
    size_t size;
    wr_error error = {0};
    char *bytes = wri_file_read(path, 1 << 24, NULL, &size, &error);
    assert_non_null(bytes);
    const uint8_t *b = (const uint8_t *)bytes;
    size_t json_size = b[12] | (size_t)b[13] << 8 | (size_t)b[14] << 16;
    assert_int_equal(json_size % 4, 0);
    const wri_json *root = wri_json_parse(arena, bytes + 20, json_size, path, false, &error);
    wri_free(NULL, bytes, size + 1, 1);
    assert_non_null(root);
    return root;
}

static const wri_json *item(const wri_json *root, const char *key, int index)
{
    const wri_json *array = wri_json_find(root, key);
    assert_non_null(array);
    assert_true(index < array->count);
    return &array->items[index];
}

// The floats of an accessor, straight from the file's bytes.
static void assert_floats_in_file(const char *path, const wri_json *root, int index,
                                  const float *expected, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t head[20], bytes[256];
    assert_int_equal(fread(head, 1, 20, file), 20);
    const wri_json *accessor = item(root, "accessors", index);
    const wri_json *view =
        item(root, "bufferViews", (int)wri_json_find(accessor, "bufferView")->number);
    const wri_json *offset = wri_json_find(accessor, "byteOffset");
    long at = 28 + (head[12] | head[13] << 8) + (long)wri_json_find(view, "byteOffset")->number +
              (offset ? (long)offset->number : 0);
    fseek(file, at, SEEK_SET);
    assert_int_equal(fread(bytes, 1, size, file), size);
    assert_memory_equal(bytes, expected, size);
    fclose(file);
}

static void big_meshes_use_long_indices(void **state)
{
    (void)state;
    wr_error error = {0};
    enum { N = 65535 };
    wr_model *m = wr_model_create(NULL, &error);
    m->meshes = wr_model_alloc(m, 1, sizeof *m->meshes);
    m->mesh_count = 1;
    wr_mesh *mesh = m->meshes;
    mesh->name = "big";
    mesh->vertex_count = N;
    mesh->triangle_count = N / 3;
    mesh->positions = wr_model_alloc(m, N, sizeof(wr_vec3));
    mesh->triangles = wr_model_alloc(m, N, sizeof(int));
    for (int i = 0; i < N; i++) {
        mesh->positions[i].x = (float)i;
        mesh->triangles[i] = N - 1 - i;
    }
    m->nodes = wr_model_alloc(m, 1, sizeof *m->nodes);
    m->node_count = 1;
    m->nodes[0] = (wr_node){"", -1, 0, -1, WR_POSE_IDENTITY, {1, 1, 1}, NULL};
    const char *path = write_model(m, "big.glb");
    wri_arena arena = wri_arena_create(NULL);
    const wri_json *indices = item(parse_glb(&arena, path), "accessors", 1);
    assert_int_equal((int)wri_json_find(indices, "componentType")->number, 5125);
    wri_arena_destroy(&arena);
    wr_model *back = read_ok(path); // no parts: one, with no look
    assert_int_equal(back->meshes[0].part_count, 1);
    assert_memory_equal(mesh->triangles, back->meshes[0].triangles, N * sizeof(int));
    wr_model_destroy(back);
    wr_model_destroy(m);
}

static void clips_share_times(void **state)
{
    (void)state;
    wr_model *model = make_model();
    float times[] = {0.0f, 0.5f, 1.25f}, same[] = {0.0f, 0.5f, 1.25f};
    float places[] = {0, 0, 0, 1, 2, 3, 4, 5, 6}, sizes[] = {1, 1, 1, 1, 1, 1, 0, 0, 0};
    float turns[] = {0, 0, 0, 1, 0, 0, 0, -2, 0, 1, 0, 0};
    wr_track tracks[] = {
        {0, WR_CHANNEL_POSITION, WR_INTERPOLATION_LINEAR, 3, times, places},
        {0, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, 3, times, turns},
        {2, WR_CHANNEL_SCALE, WR_INTERPOLATION_STEP, 3, same, sizes},
    };
    wr_clip clips[] = {{"empty", 0, NULL}, {"take", 3, tracks}};
    model->clips = clips;
    model->clip_count = 2;
    const char *path = write_model(model, "take.glb");
    wri_arena arena = wri_arena_create(NULL);
    const wri_json *root = parse_glb(&arena, path);
    assert_int_equal(wri_json_find(root, "animations")->count, 1);
    const wri_json *take = item(root, "animations", 0);
    assert_string_equal(wri_json_find(take, "name")->string, "take");
    assert_int_equal(wri_json_find(take, "channels")->count, 3);
    int input = (int)wri_json_find(item(take, "samplers", 0), "input")->number;
    static const char *const kinds[] = {"LINEAR", "LINEAR", "STEP"};
    for (int i = 0; i < 3; i++) {
        const wri_json *sampler = item(take, "samplers", i);
        assert_int_equal((int)wri_json_find(sampler, "input")->number, input);
        assert_string_equal(wri_json_find(sampler, "interpolation")->string, kinds[i]);
    }
    const float *expected[] = {places, NULL, sizes};
    for (int i = 0; i < 3; i += 2) {
        int output = (int)wri_json_find(item(take, "samplers", i), "output")->number;
        assert_floats_in_file(path, root, output, expected[i], sizeof places);
    }
    assert_floats_in_file(path, root, input, times, sizeof times);
    const wri_json *accessor = item(root, "accessors", input);
    assert_true(item(accessor, "min", 0)->number == 0.0);
    assert_true(item(accessor, "max", 0)->number == 1.25);
    wri_arena_destroy(&arena);
    wr_model *back = read_ok(path);
    assert_int_equal(back->clip_count, 1); // without the empty one
    turns[7] = -1.0f;                      // became unit length
    assert_memory_equal(back->clips[0].tracks[1].values, turns, sizeof turns);
    wr_model_destroy(back);
    wr_model_destroy(model);
}

static void expect_write_error(wr_model *model, wr_clip *clip, const char *fragment)
{
    model->clips = clip;
    model->clip_count = clip ? 1 : 0;
    wr_error error = {0};
    const char *path = in_folder("refused.glb");
    assert_false(wr_model_write_glb(model, path, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    if (!strstr(error.message, fragment)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, fragment);
    }
    assert_false(wri_file_exists(path));
}

static void the_writer_refuses_what_no_reader_could_use(void **state)
{
    (void)state;
    wr_model *m = make_model();
    float times[] = {0.0f, 1.0f, 1.0f};
    float places[] = {0, 0, 0, 1, 2, NAN, 4, 5, 6};
    wr_track tracks[] = {
        {0, WR_CHANNEL_POSITION, WR_INTERPOLATION_LINEAR, 3, times, places},
        {0, WR_CHANNEL_POSITION, WR_INTERPOLATION_STEP, 1, times, places},
    };
    wr_clip clip = {"bad", 1, tracks};
    expect_write_error(m, &clip, "clip \"bad\", track 0: not finite at key 1");
    places[5] = 3;
    expect_write_error(m, &clip, "track 0: times must start at 0 or later and increase; see key 2");
    tracks[0].channel = WR_CHANNEL_WEIGHTS;
    expect_write_error(m, &clip, "track 0: no morph targets at node 0");
    tracks[0].channel = WR_CHANNEL_POSITION;
    tracks[0].key_count = 0;
    expect_write_error(m, &clip, "track 0: too few keys: 0");
    tracks[0].key_count = 1;
    clip.track_count = 2;
    expect_write_error(m, &clip, "track 1: another one already moves node 0");
    tracks[1].node = 3;
    expect_write_error(m, &clip, "track 1: there is no node 3");
    m->nodes[2].parent = 2;
    expect_write_error(m, NULL, "node 2: parent 2 or mesh 1 does not exist");
    m->nodes[2].parent = -1;
    m->nodes[2].scale.x = INFINITY;
    expect_write_error(m, NULL, "node 2: its place is not finite");
    m->nodes[2].scale.x = 1.0f;
    m->looks[1].texture = 2;
    expect_write_error(m, NULL, "look 1: texture 2 of 2");
    m->looks[1].texture = -1;
    m->meshes[0].triangles[5] = 5;
    expect_write_error(m, NULL, "mesh 0: triangle 1 uses vertex 5 of 5");
    m->meshes[0].triangles[5] = -1;
    expect_write_error(m, NULL, "mesh 0: triangle 1 uses vertex -1 of 5");
    m->meshes[0].triangles[5] = 0;
    m->meshes[1].positions[3].y = NAN;
    expect_write_error(m, NULL, "mesh 1: vertex 3 is not finite");
    m->meshes[1].positions[3].y = 0;
    m->meshes[1].parts[2].triangle_count = 2;
    expect_write_error(m, NULL, "mesh 1: part 2 is not within the triangles");
    wr_model_destroy(m);
}

// --- OBJ --------------------------------------------------------------------------------------

static void obj_corners_become_vertices(void **state)
{
    (void)state;
    wr_model *m = read_text("quad.obj", "# a quad\r\n"
                                        "v 0 0 0\nv 1 0 0\nv 1 1 0 1.0\nv 0 1 0\n"
                                        "vt 0 0\nvt 1 0.25 0\nvn 0 0 2\n"
                                        "s off\ng group\n"
                                        "f 1/1/1 2/2/1 \\\n 3/2/1 -1/1/-1\n"
                                        "f 1/1/1 2/2/1 3/2/1 # again, the same vertices\n");
    const wr_mesh *mesh = &m->meshes[0];
    assert_int_equal(m->mesh_count, 1);
    assert_string_equal(mesh->name, "quad");
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 3);
    assert_int_equal(mesh->part_count, 1);
    assert_true(mesh->uvs[0].y == 1.0f && mesh->uvs[1].x == 1.0f && mesh->uvs[1].y == 0.75f);
    assert_true(mesh->normals[3].z == 1.0f);
    assert_null(mesh->colors);
    static const int expected[] = {0, 1, 2, 0, 2, 3, 0, 1, 2};
    assert_memory_equal(mesh->triangles, expected, sizeof expected);
    wr_model_destroy(m);
}

// Six numbers have a colour, seven its alpha as well, four none: a weight.
static void obj_vertices_have_colours_and_alpha(void **state)
{
    (void)state;
    wr_model *m = read_text("tinted.obj", "v 0 0 0 1 0 1 0.25\nv 1 0 0 0 1 0\nv 0 1 0 0.5\n"
                                          "v 1 1 0 0 0 0 1.5\nf 1 2 3\nf 2 4 3\n");
    const wr_mesh *mesh = &m->meshes[0];
    static const wr_color expected[4] = {
        {1, 0, 1, 0.25f}, {0, 1, 0, 1}, {1, 1, 1, 1}, {0, 0, 0, 1}};
    assert_int_equal(mesh->vertex_count, 4);
    assert_memory_equal(mesh->colors, expected, sizeof expected);
    wr_model_destroy(m);
}

static void expect_x(const wr_mesh *mesh, int count, const float *x)
{
    assert_int_equal(mesh->vertex_count, count);
    for (int i = 0; i < count; i++) {
        assert_true(mesh->positions[i].x == x[i]);
    }
}

// The x of a v is its number in the file.
static void obj_vertices_stay_in_the_order_of_the_file(void **state)
{
    (void)state;
    wr_model *m = read_text("order.obj", "v 1 0 0\nv 2 1 0\nv 3 0 1\nv 4 5 6 1 0 0\nv 5 2 2\n"
                                         "vt 0 0\nvt 1 0\nf 5/1 3/1 2/1\nf 3/2 2/2 1/1\n");
    const wr_mesh *mesh = &m->meshes[0];
    expect_x(mesh, 7, (float[7]){1, 2, 3, 4, 5, 3, 2}); // 4 is unused, 3/2 and 2/2 come behind
    static const int expected[] = {4, 2, 1, 5, 6, 0};
    assert_memory_equal(mesh->triangles, expected, sizeof expected);
    assert_true(mesh->uvs[1].x == 0.0f && mesh->uvs[5].x == 1.0f && mesh->uvs[6].x == 1.0f);
    assert_true(mesh->colors[3].g == 0.0f && mesh->colors[6].g == 1.0f);
    wr_model_destroy(m);
}

static void obj_objects_keep_their_own_order(void **state)
{
    (void)state;
    wr_model *m = read_text("orders.obj", "v 1 0 0\no a\nv 2 1 0\nv 3 0 1\nf 3 2 1\n"
                                          "o loose\nv 4 0 0\n"
                                          "o b\nv 5 0 0\nv 6 1 1\nf 5 3 2\n"
                                          "o c\nv 7 0 0\nf 7 1 5\nv 8 0 0\n");
    assert_int_equal(m->mesh_count, 3);
    expect_x(&m->meshes[0], 3, (float[3]){1, 2, 3});
    expect_x(&m->meshes[1], 4,
             (float[4]){2, 3, 5, 6}); // 6 is its own, 4 is of an object that is not
    expect_x(&m->meshes[2], 4, (float[4]){1, 5, 7, 8});
    static const int of_b[] = {2, 1, 0}, of_c[] = {2, 0, 1};
    assert_memory_equal(m->meshes[1].triangles, of_b, sizeof of_b);
    assert_memory_equal(m->meshes[2].triangles, of_c, sizeof of_c);
    wr_model_destroy(m);
}

// Objects whose v lie far apart are sorted in another way.
static void obj_objects_may_pick_their_vertices_anywhere(void **state)
{
    (void)state;
    char text[4000] = "";
    size_t used = 0;
    for (int i = 1; i <= 200; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "v %d %d 0\n", i, i % 7);
    }
    snprintf(text + used, sizeof text - used, "f 200 1 100\no b\nf 150 199 2\nf 2 1 150\n");
    wr_model *m = read_text("apart.obj", text);
    expect_x(&m->meshes[1], 4, (float[4]){1, 2, 150, 199});
    static const int of_b[] = {2, 3, 1, 1, 0, 2};
    assert_memory_equal(m->meshes[1].triangles, of_b, sizeof of_b);
    assert_int_equal(m->meshes[0].vertex_count, 200 - 3); // what nobody uses, and its own three
    wr_model_destroy(m);
}

static double signed_area(const wr_mesh *mesh, double *absolute)
{
    double sum = 0.0;
    *absolute = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * i];
        wr_vec3 a = mesh->positions[t[0]], b = mesh->positions[t[1]], c = mesh->positions[t[2]];
        double area = 0.5 * (double)wr_cross(wr_sub(b, a), wr_sub(c, a)).z;
        sum += area;
        *absolute += fabs(area);
    }
    return sum;
}

// Triangles of a simple polygon cover it once: no area is negative, and the sum is the polygon's.
static void concave_polygons_are_covered_once(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double area;
        int triangles;
    } cases[] = {
        {"v 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\nf 1 2 3 4\n", 1.0, 2}, // a dart
        {"v 1 1 0\nv 0 0 0\nv 2 1 0\nv 0 2 0\nf 1 2 3 4\n", 1.0, 2}, // from its notch
        {"v 0 0 0\nv 3 0 0\nv 3 3 0\nv 2 3 0\nv 2 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nf 1 2 3 4 5 6 7 "
         "8\n",
         7.0, 6}, // the letter U
        {"v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 1 0\nv 1 3 0\nv 3 3 0\nv 3 1 0\n"
         "f 1 2 3 4 1 5 6 7 8 5\n",
         12.0, 8}, // a frame: the hole is reached over a bridge
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 1 1 0\nv 0 2 0\nf 1 2 3 4 5 6\n", 3.0, 4},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_model *m = read_text("polygon.obj", cases[i].text);
        double absolute, sum = signed_area(&m->meshes[0], &absolute);
        assert_int_equal(m->meshes[0].triangle_count, cases[i].triangles);
        assert_near(sum, cases[i].area);
        assert_near(absolute, cases[i].area);
        wr_model_destroy(m);
    }
}

static void obj_takes_looks_from_its_library(void **state)
{
    (void)state;
    wr_error error = {0};
    const uint8_t pixels[] = {255, 0, 0, 0, 255, 0};
    assert_true(wr_png_write(in_folder("my wood.png"), pixels, 2, 1, 3, &error));
    static const char library[] =
        "newmtl red one\nKd 1 0 0.5\nd 0.25\nNs 10\nPr 0.125\nPm 1\n"
        "newmtl wood#2\nmap_Kd -s 1 1 1 -clamp on my wood.png\n"
        "newmtl bark\nmap_Kd my wood.png\nnewmtl gone\nmap_Kd nowhere.png\n";
    put_file("looks.mtl", library, sizeof library - 1);
    wr_model *m = read_text("looks.obj", "mtllib nowhere.mtl looks.mtl\nmtllib looks.mtl\n"
                                         "v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\n"
                                         "f 1 2 3\nusemtl red one\nf 1 2 3\nusemtl wood#2\n"
                                         "f 1 2 3\nf 3 2 1\nusemtl unknown\nf 1 2 3\n");
    const wr_mesh *mesh = &m->meshes[0];
    assert_int_equal(mesh->part_count, 4);
    assert_int_equal(mesh->parts[0].look, -1);
    assert_int_equal(mesh->parts[3].look, -1);
    assert_int_equal(mesh->parts[2].first_triangle, 2);
    assert_int_equal(mesh->parts[2].triangle_count, 2);
    const wr_look *red = &m->looks[mesh->parts[1].look], *wood = &m->looks[mesh->parts[2].look];
    assert_string_equal(red->name, "red one");
    assert_true(red->base_color.r == 1.0f && red->base_color.b == 0.5f);
    assert_true(red->base_color.a == 0.25f && red->roughness == 0.125f && red->metallic == 1.0f);
    assert_string_equal(wood->name, "wood#2");
    assert_int_equal(m->image_count, 1);
    assert_int_equal(wood->texture, 0);
    assert_int_equal(m->images[0].width, 2);
    assert_int_equal(m->images[0].pixels[5], 255);
    assert_int_equal(m->images[0].pixels[7], 255);
    assert_true(mesh->colors[0].r == 1.0f && mesh->colors[0].g == 0.0f &&
                mesh->colors[1].g == 1.0f);
    wr_model_destroy(m);
}

static void obj_objects_become_nodes(void **state)
{
    (void)state;
    wr_model *m =
        read_text("parts.obj", "o empty\no first thing\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                               "o second\nv 0 0 1\nf 1 2 3\nf 2 3 4\no last\n");
    assert_int_equal(m->mesh_count, 2);
    assert_int_equal(m->node_count, 2);
    assert_string_equal(m->nodes[0].name, "first thing");
    assert_string_equal(m->nodes[1].name, "second");
    assert_int_equal(m->meshes[0].vertex_count, 3);
    assert_int_equal(m->meshes[1].vertex_count, 4);
    assert_int_equal(m->meshes[1].triangle_count, 2);
    assert_int_equal(m->meshes[1].parts[0].first_triangle, 0);
    wr_model_destroy(m);
}

// --- PLY --------------------------------------------------------------------------------------

#define PLY_BODY                                                                                   \
    "comment made by hand\nelement camera 1\nproperty list uchar short lens\nproperty double f\n"  \
    "element vertex 4\nproperty float x\nproperty float y\nproperty uchar red\nproperty uchar "    \
    "green\nproperty uchar blue\nproperty float z\nproperty float s\nproperty float t\n"           \
    "element face 2\nproperty uchar flags\nproperty list uchar int vertex_indices\nend_header\n"

static void append(blob *b, bool big, const void *value, size_t size)
{
    const char *from = value;
    for (size_t i = 0; i < size; i++) {
        b->bytes[b->size++] = from[big ? size - 1 - i : i];
    }
}

static void append_float(blob *b, bool big, float value)
{
    append(b, big, &value, sizeof value);
}

static blob make_binary_ply(bool big)
{
    blob b = {0};
    b.size = (size_t)sprintf(b.bytes, "ply\nformat binary_%s_endian 1.0\n" PLY_BODY,
                             big ? "big" : "little");
    append(&b, big, "\2", 1);
    append(&b, big, &(int16_t){-1}, 2);
    append(&b, big, &(int16_t){7}, 2);
    append(&b, big, &(double){0.5}, 8);
    for (int i = 0; i < 4; i++) {
        append_float(&b, big, the_square.positions[i][0]);
        append_float(&b, big, the_square.positions[i][1]);
        append(&b, big, (uint8_t[]){(uint8_t)(i == 1 ? 255 : 0)}, 1);
        append(&b, big, "\0", 1);
        append(&b, big, "\x80", 1);
        append_float(&b, big, 0.5f);
        append_float(&b, big, 0.25f * (float)i);
        append_float(&b, big, 0.25f);
    }
    static const int faces[2][5] = {{3, 0, 1, 2}, {4, 0, 1, 3, 2}};
    for (int i = 0; i < 2; i++) {
        append(&b, big, "\1", 1);
        append(&b, big, &(uint8_t){(uint8_t)faces[i][0]}, 1);
        for (int k = 1; k <= faces[i][0]; k++) {
            append(&b, big, &(int32_t){faces[i][k]}, 4);
        }
    }
    return b;
}

static void the_three_forms_of_ply_say_the_same(void **state)
{
    (void)state;
    wr_model *text = read_text("a.ply", "ply\r\nformat ascii 1.0\r\n" PLY_BODY "2 -1 7 0.5\n"
                                        "0 0 0 0 128 0.5 0 0.25\n1 0 255 0 128 0.5 0.25 0.25\n"
                                        "0 1 0 0 128 0.5 0.5 0.25\n1 1 0 0 128 0.5 0.75 0.25\n"
                                        "1 3 0 1 2\n1 4 0 1 3 2");
    const wr_mesh *mesh = &text->meshes[0];
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 3);
    assert_true(mesh->positions[3].x == 1 && mesh->positions[3].y == 1);
    assert_true(mesh->positions[3].z == 0.5f);
    assert_true(mesh->uvs[3].x == 0.75f && mesh->uvs[3].y == 0.75f);
    assert_true(mesh->colors[1].r == 1.0f && mesh->colors[0].r == 0.0f);
    assert_true(fabsf(mesh->colors[0].b - 0.21586f) < 1e-4f); // 128 of sRGB
    assert_true(mesh->colors[0].a == 1.0f);
    for (int big = 0; big < 2; big++) {
        blob b = make_binary_ply(big);
        wr_model *binary = read_ok(put_file("b.ply", b.bytes, b.size));
        binary->meshes[0].name = mesh->name;
        assert_same_mesh(mesh, &binary->meshes[0]);
        wr_model_destroy(binary);
    }
    wr_model_destroy(text);
}

// --- PNG --------------------------------------------------------------------------------------

static blob written;

static void keep_bytes(png_structp png, png_bytep bytes, size_t size)
{
    (void)png;
    memcpy(written.bytes + written.size, bytes, size);
    written.size += size;
}

static void keep_nothing(png_structp png)
{
    (void)png;
}

// Encodes with libpng itself; rows are tightly packed.
static void make_png(int width, int height, int depth, int type, int interlace, png_bytep pixels,
                     size_t row_size)
{
    static png_color palette[2] = {{10, 20, 30}, {200, 100, 50}};
    static png_byte alpha[2] = {255, 7};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_bytep rows[64];
    for (int y = 0; y < height; y++) {
        rows[y] = pixels + (size_t)y * row_size;
    }
    written.size = 0;
    png_set_write_fn(png, NULL, keep_bytes, keep_nothing);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, depth, type, interlace,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (type == PNG_COLOR_TYPE_PALETTE) {
        png_set_PLTE(png, info, palette, 2);
        png_set_tRNS(png, info, alpha, 2, NULL);
    }
    png_write_info(png, info);
    png_write_image(png, rows);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

static void expect_pixel(int x, int y, int r, int g, int b, int a)
{
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    wr_image image = {0};
    if (!wri_png_decode(&arena, written.bytes, written.size, "test.png", &image, &error)) {
        fail_msg("%s", error.message);
    }
    const uint8_t *p = image.pixels + 4 * (y * image.width + x);
    assert_int_equal(p[0], r);
    assert_int_equal(p[1], g);
    assert_int_equal(p[2], b);
    assert_int_equal(p[3], a);
    wri_arena_destroy(&arena);
}

static void every_kind_of_png_becomes_rgba(void **state)
{
    (void)state;
    png_byte bits[2] = {0x40, 0x80};
    make_png(2, 2, 1, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, bits, 1);
    expect_pixel(1, 0, 200, 100, 50, 7);
    expect_pixel(1, 1, 10, 20, 30, 255);
    make_png(2, 2, 1, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, bits, 1);
    expect_pixel(0, 1, 255, 255, 255, 255);
    png_byte deep[] = {0x12, 0x34, 0xff, 0xff};
    make_png(1, 1, 16, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_INTERLACE_NONE, deep, 4);
    expect_pixel(0, 0, 0x12, 0x12, 0x12, 255);
    png_byte wide[3 * 9 * 9];
    for (int i = 0; i < (int)sizeof wide; i++) {
        wide[i] = (png_byte)i;
    }
    make_png(9, 9, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_ADAM7, wide, 27);
    expect_pixel(7, 8, wide[8 * 27 + 21], wide[8 * 27 + 22], wide[8 * 27 + 23], 255);
}

static void pixels_survive_png(void **state)
{
    (void)state;
    for (int channels = 3; channels <= 4; channels++) {
        wri_arena arena = wri_arena_create(NULL);
        wr_error error = {0};
        uint8_t pixels[4 * 13 * 7];
        for (int i = 0; i < (int)sizeof pixels; i++) {
            pixels[i] = (uint8_t)(i * i);
        }
        const uint8_t *bytes = NULL;
        size_t size = 0;
        wr_image image = {0};
        const wri_png_picture picture = {pixels, 13, 7, channels};
        assert_true(wri_png_encode(&arena, &picture, &bytes, &size, &error));
        assert_true(wri_png_decode(&arena, bytes, size, "p", &image, &error));
        for (int i = 0; i < 13 * 7; i++) {
            assert_memory_equal(image.pixels + 4 * i, pixels + channels * i, (size_t)channels);
        }
        wri_arena_destroy(&arena);
    }
    wr_error error = {0};
    assert_false(wr_png_write(in_folder("p.png"), (const uint8_t *)"", 0, 1, 3, &error));
    assert_non_null(strstr(error.message, "0 x 1 pixels, expected 1 to 16384 a side"));
}

// --- broken files -----------------------------------------------------------------------------

typedef struct broken {
    const char *name, *text;
    wr_code code;
    const char *fragment;
} broken;

#define PLY(header) "ply\nformat ascii 1.0\n" header
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACES "element face 1\nproperty list uchar int vertex_index\nend_header\n"

static const broken broken_texts[] = {
    {"empty.obj", "", WR_E_FORMAT, "the file is empty"},
    {"thing.xyz", "abc", WR_E_UNSUPPORTED,
     "expected .glb, .gltf, .obj, .ply, .off, .mesh, .fbx, .dae or .stl"},
    {"none.obj", "v 0 0 0\n", WR_E_FORMAT, "holds no triangles"},
    {"short.obj", "v 0 0 0\nv 1 2\n", WR_E_FORMAT, ":2: v: expected three numbers"},
    {"word.obj", "v 0 zero 0\n", WR_E_FORMAT, ":1: \"zero\" is not a finite number"},
    {"nan.obj", "v 0 0 0\n\nv nan 0 0\n", WR_E_FORMAT, ":3: \"nan\" is not a finite number"},
    {"huge.obj", "v 1e39 0 0\n", WR_E_FORMAT, ":1: \"1e39\" is not a finite number"},
    {"comma.obj", "v 0,5 0 0\n", WR_E_FORMAT, ":1: \"0,5\" is not a finite number"},
    {"range.obj", "v 0 0 0\nf 1 1 2\n", WR_E_FORMAT, ":2: f: vertex 2 does not exist, there are 1"},
    {"zero.obj", "v 0 0 0\nf 0 1 1\n", WR_E_FORMAT, ":2: f: vertex 0 does not exist"},
    {"back.obj", "v 0 0 0\nf 1 1 -2\n", WR_E_FORMAT, ":2: f: vertex -2 does not exist"},
    {"far.obj", "v 0 0 0\nf 1 1 99999999999999999999\n", WR_E_FORMAT, "does not exist"},
    {"vt.obj", "v 0 0 0\nf 1/1 1/1 1/1\n", WR_E_FORMAT,
     ":2: f: texture coordinate 1 does not exist"},
    {"two.obj", "v 0 0 0\nf 1 1\n", WR_E_FORMAT, ":2: f: expected at least three corners"},
    {"slash.obj", "v 0 0 0\nf 1/// 1 1\n", WR_E_FORMAT, ":2: f: expected corners as v, v/vt"},
    {"float.obj", "v 0 0 0\nf 1 1 1.5\n", WR_E_FORMAT, ":2: f: \"1.5\" is not an index"},
    {"magic.ply", "plx\n", WR_E_FORMAT, ":1: expected ply in the first line"},
    {"end.ply", "ply\nformat ascii 1.0\n", WR_E_FORMAT, ":3: the header ends without end_header"},
    {"form.ply", "ply\nformat utf8 1.0\nend_header\n", WR_E_FORMAT, ":2: expected ascii, binary"},
    {"noform.ply", "ply\nend_header\n", WR_E_FORMAT, "the header has no format"},
    {"word.ply", PLY("elephant 1\n"), WR_E_FORMAT, ":3: unknown word elephant in the header"},
    {"type.ply", PLY("element vertex 1\nproperty real x\n"), WR_E_FORMAT,
     ":4: \"real\" is not a type of PLY"},
    {"early.ply", PLY("property float x\n"), WR_E_FORMAT, ":3: expected property TYPE NAME"},
    {"many.ply", PLY("element vertex 2000000000\n" XYZ "end_header\n0 0 0\n"), WR_E_FORMAT,
     ":3: 2000000000 rows cannot fit"},
    {"some.ply", PLY("element vertex 30\n" XYZ "end_header\n0 0 0\n0 0 0\n"), WR_E_FORMAT,
     "30 vertices cannot fit into the rest of the file"},
    {"noxyz.ply", PLY("element vertex 1\nproperty float x\nend_header\n0\n"), WR_E_FORMAT,
     ":6: the vertices have no x, y and z"},
    {"inf.ply", PLY("element vertex 1\n" XYZ "end_header\n0 inf 0\n"), WR_E_FORMAT,
     ":8: \"inf\" is not a finite number"},
    {"face.ply", PLY("element vertex 1\n" XYZ FACES "0 0 0\n3 0 0 1\n"), WR_E_FORMAT,
     ":11: face 0 uses vertex 1 of 1"},
    {"list.ply", PLY("element vertex 1\n" XYZ FACES "0 0 0\n300 0\n"), WR_E_FORMAT,
     ":11: a list of 300 items cannot be read"},
    {"cut.ply", PLY("element vertex 1\n" XYZ FACES "0 0 0\n3 0 0"), WR_E_FORMAT,
     ":11: the file ends here, expected a number"},
    {"order.ply",
     PLY("element face 1\nproperty list uchar int vertex_index\nelement vertex 1\n" XYZ
         "end_header\n3 0 0 0\n0 0 0\n"),
     WR_E_FORMAT, "faces before vertices cannot be read"},
    {"nofaces.ply", PLY("element vertex 1\n" XYZ "end_header\n0 0 0\n"), WR_E_FORMAT,
     "holds no faces"},
    {"json.gltf", "{\n \"asset\": }", WR_E_FORMAT,
     "json.gltf:2:11: unexpected '}', expected a value"},
    {"old.gltf", "{\"asset\":{\"version\":\"1.0\"}}", WR_E_UNSUPPORTED,
     ":1:10: asset.version is \"1.0\", expected glTF 2.0"},
    {"none.gltf", "{\"asset\":{\"version\":\"2.0\"}}", WR_E_FORMAT, "holds no triangles"},
    {"magic.glb", "GLTF", WR_E_FORMAT, "magic.glb:1:1: unexpected GLTF, expected a value"},
    {"tiny.glb", "glTF\2", WR_E_FORMAT, "byte 5: the file ends within the header of 20 bytes"},
};

static void every_broken_text_gets_its_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(broken_texts); i++) {
        const broken *b = &broken_texts[i];
        expect_error(b->name, b->text, strlen(b->text), b->code, b->fragment);
    }
}

// JSON around the square that is wrong in one place.
static const broken broken_squares[] = {
    {"ext.glb", "{" HEAD "\"extensionsRequired\":[\"ACME_magic\"]," ACCESSORS VIEWS MESH NODES "}",
     WR_E_UNSUPPORTED, "needs the extension ACME_magic, which cannot be read"},
    {"cycle.glb",
     "{" HEAD ACCESSORS VIEWS MESH "\"nodes\":[{\"children\":[1]},{\"children\":[0]}]}",
     WR_E_FORMAT, "node 0 is its own ancestor"},
    {"self.glb",
     "{" HEAD ACCESSORS VIEWS MESH
     "\"nodes\":[{\"children\":[1]},{\"children\":[1]}],\"scenes\":[{\"nodes\":[0]}]}",
     WR_E_FORMAT, "node 1 is reached twice; nodes must form trees"},
    {"child.glb", "{" HEAD ACCESSORS VIEWS MESH "\"nodes\":[{\"children\":[7]}]}", WR_E_FORMAT,
     "index: 7 is not below 1"},
    {"mesh.glb", "{" HEAD ACCESSORS VIEWS MESH "\"nodes\":[{\"mesh\":1}]}", WR_E_FORMAT,
     "mesh: 1 is not below 1"},
    {"half.glb", "{" HEAD ACCESSORS VIEWS MESH "\"nodes\":[{\"mesh\":0.5}]}", WR_E_FORMAT,
     "mesh: expected a whole number from 0"},
    {"type.glb", "{" HEAD ACCESSORS VIEWS MESH "\"nodes\":{\"mesh\":0}}", WR_E_FORMAT,
     "nodes is an object, expected an array"},
    {"turn.glb", "{" HEAD ACCESSORS VIEWS MESH "\"nodes\":[{\"rotation\":[0,0,1]}]}", WR_E_FORMAT,
     "rotation: expected 4 numbers"},
    {"far.glb", "{" HEAD ACCESSORS VIEWS MESH "\"nodes\":[{\"translation\":[0,0,1e300]}]}",
     WR_E_FORMAT, "the number is too large"},
    {"mode.glb",
     "{" HEAD ACCESSORS VIEWS "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"
     "\"mode\":7}]}]," NODES "}",
     WR_E_FORMAT, "mode: 7 is not below 7"},
    {"wide.glb",
     "{" HEAD ACCESSORS VIEWS "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":1}}]"
     "}]," NODES "}",
     WR_E_FORMAT, "accessor 1 has 1 numbers per vertex, expected 3"},
    {"pair.glb",
     "{" HEAD "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":"
     "\"VEC3\"},{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]," VIEWS
     "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1}}]}]," NODES "}",
     WR_E_FORMAT, "accessor 1 has 3 elements, but there are 4 vertices"},
    {"count.glb",
     "{" HEAD "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":"
     "\"VEC3\"},{}]," VIEWS MESH NODES "}",
     WR_E_FORMAT, "accessor 0 needs 60 bytes, but its buffer view has 48"},
    {"offset.glb",
     "{" HEAD "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":"
     "\"VEC3\",\"byteOffset\":9007199254740991},{}]," VIEWS MESH NODES "}",
     WR_E_FORMAT, "accessor 0 needs 9007199254741039 bytes"},
    {"kind.glb",
     "{" HEAD "\"accessors\":[{\"bufferView\":0,\"componentType\":5124,\"count\":4,\"type\":"
     "\"VEC3\"},{}]," VIEWS MESH NODES "}",
     WR_E_FORMAT, "accessor 0: componentType 5124, type \"VEC3\", count 4 cannot be used"},
    {"view.glb",
     "{" HEAD ACCESSORS "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":40,\"byteLength\":48}],"
     "\"buffers\":[{\"byteLength\":60}]," MESH NODES "}",
     WR_E_FORMAT, "buffer view 0 needs bytes 40 to 88 of buffer 0 with 60"},
    {"stride.glb",
     "{" HEAD ACCESSORS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48,\"byteStride\":8},{}"
     "],\"buffers\":[{\"byteLength\":60}]," MESH NODES "}",
     WR_E_FORMAT, "byteStride 8 is less than its elements' 12 bytes"},
    {"buffer.glb",
     "{" HEAD ACCESSORS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{}],"
     "\"buffers\":[{\"byteLength\":61}]," MESH NODES "}",
     WR_E_FORMAT, "buffer 0 promises 61 bytes but has 60"},
    {"nobuffer.glb",
     "{" HEAD ACCESSORS "\"bufferViews\":[{\"byteLength\":48},{}],"
     "\"buffers\":[{\"byteLength\":60}]," MESH NODES "}",
     WR_E_FORMAT, "buffer view 0 has no buffer"},
    {"web.glb",
     "{" HEAD ACCESSORS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{}],\"buffers\":"
     "[{\"byteLength\":60,\"uri\":\"https://a/b\"}]," MESH NODES "}",
     WR_E_UNSUPPORTED, "\"https://a/b\" is not a neighbouring file"},
    {"base64.glb",
     "{" HEAD ACCESSORS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{}],\"buffers\":"
     "[{\"byteLength\":60,\"uri\":\"data:;base64,AA*A\"}]," MESH NODES "}",
     WR_E_FORMAT, "character 2 of the data is not base64"},
    {"sparse.glb",
     "{" HEAD "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":"
     "{\"count\":1,\"indices\":{\"bufferView\":1,\"byteOffset\":10,\"componentType\":5123},"
     "\"values\":{\"bufferView\":0}}}]," VIEWS
     "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":5}]}]," NODES "}",
     WR_E_FORMAT, "accessor 0: sparse index 0 is 3, not below 3"},
    {"brim.glb",
     "{" HEAD
     "\"accessors\":[{\"bufferView\":0,\"byteOffset\":1,\"componentType\":5126,\"count\":4,"
     "\"type\":\"VEC3\"},{}]," VIEWS MESH NODES "}",
     WR_E_FORMAT, "accessor 0 needs 49 bytes, but its buffer view has 48"},
    {"index.glb",
     "{" HEAD "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":"
     "\"VEC3\"},{\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"}]," VIEWS
         MESH NODES "}",
     WR_E_FORMAT, "index 5 is vertex 3, but there are 3 vertices"},
    {"floats.glb",
     "{" HEAD ACCESSORS VIEWS "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"
     "\"indices\":0}]}]," NODES "}",
     WR_E_FORMAT, "accessor 0 cannot hold vertex indices"},
    {"zeros.glb",
     "{" HEAD "\"accessors\":[{\"componentType\":5126,\"count\":2000000000,\"type\":\"VEC3\"}"
     "]," VIEWS "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]," NODES "}",
     WR_E_UNSUPPORTED,
     "the data is more, or used more often, than a file of this size should need"},
    {"image.glb",
     "{" HEAD ACCESSORS VIEWS MESH "\"materials\":[{\"pbrMetallicRoughness\":{"
     "\"baseColorTexture\":{\"index\":0}}}],\"textures\":[{\"source\":0}],\"images\":[{}]," NODES
     "}",
     WR_E_FORMAT, "the image has neither bufferView nor uri"},
    {"lost.glb",
     "{" HEAD ACCESSORS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{}],\"buffers\":"
     "[{\"byteLength\":60,\"uri\":\"lost.bin\"}]," MESH NODES "}",
     WR_E_IO, "lost.bin: cannot open"},
};

static void every_broken_glb_gets_its_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(broken_squares); i++) {
        const broken *b = &broken_squares[i];
        blob glb = make_glb(b->text, &the_square, sizeof the_square);
        expect_error(b->name, glb.bytes, glb.size, b->code, b->fragment);
    }
    blob glb = make_glb(SQUARE_JSON, &the_square, sizeof the_square);
    glb.bytes[4] = 1;
    expect_error("v1.glb", glb.bytes, glb.size, WR_E_UNSUPPORTED,
                 "byte 4: GLB version 1, expected 2");
    glb.bytes[4] = 2;
    glb.bytes[16] = 'X';
    expect_error("chunk.glb", glb.bytes, glb.size, WR_E_FORMAT, "the first chunk, and only that");
    glb.bytes[16] = 'J';
    glb.bytes[14] = 1;
    expect_error("long.glb", glb.bytes, glb.size, WR_E_FORMAT, "does not fit into the file");
    glb.bytes[14] = 0;
    glb.bytes[glb.size - sizeof the_square - 8] += 4;
    expect_error("bin.glb", glb.bytes, glb.size, WR_E_FORMAT,
                 "a chunk of 64 bytes does not fit into the file");
    glb.bytes[glb.size - sizeof the_square - 8] -= 4;
    expect_error("cut.glb", glb.bytes, glb.size - 1, WR_E_FORMAT, "the file ends here, expected");
    square bad = the_square;
    bad.positions[2][1] = NAN;
    glb = make_glb(SQUARE_JSON, &bad, sizeof bad);
    expect_error("nan.glb", glb.bytes, glb.size, WR_E_FORMAT, "mesh 0: vertex 2 is not finite");
    blob ply = make_binary_ply(false);
    char *z = strstr(ply.bytes, "end_header\n") + 11 + 13 + 8 + 3;
    memcpy(z, &(float){INFINITY}, 4);
    expect_error("inf.ply", ply.bytes, ply.size, WR_E_FORMAT, "vertex 0: z is not finite");
}

static void missing_files_and_folders_are_one_sentence(void **state)
{
    (void)state;
    wr_error error = {0};
    assert_null(wr_model_read(in_folder("nowhere.glb"), NULL, &error));
    assert_int_equal(error.code, WR_E_IO);
    assert_non_null(strstr(error.message, "nowhere.glb"));
    assert_null(wr_model_read(folder, NULL, &error));
    assert_int_equal(error.code, WR_E_IO);
    assert_null(wr_model_read(folder, NULL, NULL));
}

static void files_over_a_gibibyte_are_refused(void **state)
{
    (void)state;
    const char *path = put_file("big.obj", "v", 1);
    if (truncate(path, (off_t)WRI_MODEL_LIMIT + 1) != 0) {
        print_message("no room for a sparse file\n");
        skip();
    }
    wr_error error = {0};
    assert_null(wr_model_read(path, NULL, &error));
    assert_non_null(strstr(error.message, "big.obj"));
    remove(path);
}

// --- memory -----------------------------------------------------------------------------------

typedef struct counting_heap {
    int budget, alive;
    size_t total;
} counting_heap;

static void *counting_alloc(void *user, size_t size)
{
    counting_heap *heap = user;
    if (heap->budget-- <= 0) {
        return NULL;
    }
    heap->alive++;
    heap->total += size;
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void counting_free(void *user, void *memory, size_t size)
{
    (void)size;
    ((counting_heap *)user)->alive--;
    free(memory);
}

static void expect_clean_failures(const char *path)
{
    bool done = false;
    int budget = 0;
    for (; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = {counting_alloc, counting_free, &heap};
        wr_error error = {0};
        wr_model *model = wr_model_read(path, &(wr_read_options){.allocator = &allocator}, &error);
        if (!model && error.code != WR_E_MEMORY) {
            fail_msg("allocation %d: %s", budget, error.message);
        }
        done = model != NULL;
        wr_model_destroy(model);
        assert_int_equal(heap.alive, 0);
    }
    assert_true(budget > 5);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_model *model = make_model();
    expect_clean_failures(write_model(model, "model.glb"));
    wr_model_destroy(model);
    wr_error error = {0};
    assert_true(wr_png_write(in_folder("p.png"), checker, 6, 5, 4, &error));
    put_file("p.mtl", "newmtl a\nmap_Kd p.png\n", 22);
    const char *text = "mtllib p.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\nusemtl a\n"
                       "o a\nf 1/1/1 2 3\no b\nf 3 2 1\n";
    expect_clean_failures(put_file("p.obj", text, strlen(text)));
    blob ply = make_binary_ply(true);
    expect_clean_failures(put_file("p.ply", ply.bytes, ply.size));
}

static size_t memory_to_refuse(const char *name, const void *bytes, size_t size)
{
    counting_heap heap = {.budget = INT32_MAX};
    wr_allocator allocator = {counting_alloc, counting_free, &heap};
    const wr_read_options options = {.allocator = &allocator};
    assert_null(wr_model_read(put_file(name, bytes, size), &options, NULL));
    return heap.total;
}

static void big_promises_of_small_files_take_no_memory(void **state)
{
    (void)state;
    const char *json = "{" HEAD "\"accessors\":[{\"componentType\":5126,\"count\":1000000,"
                       "\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[";
    char many[4096];
    strcpy(many, json);
    for (int i = 0; i < 40; i++) {
        strcat(many,
               i ? ",{\"attributes\":{\"POSITION\":0}}" : "{\"attributes\":{\"POSITION\":0}}");
    }
    strcat(many, "]}],\"nodes\":[{\"mesh\":0}]}");
    assert_true(memory_to_refuse("many.gltf", many, strlen(many)) < 100u << 20);
    const char *ply = "ply\nformat binary_little_endian 1.0\nelement vertex 50\n" XYZ
                      "element face 1\nproperty list uint int vertex_index\nend_header\n";
    assert_true(memory_to_refuse("many.ply", ply, strlen(ply)) < 1u << 20);
    // A picture of 16384 x 16384 pixels in 60 bytes.
    png_byte black[8] = {0};
    make_png(8, 8, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, black, 0);
    static const uint8_t header[] = {0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x40, 0x00};
    memcpy(written.bytes + 16, header, 8);
    uint32_t crc = 0xffffffff;
    for (int i = 12; i < 29; i++) {
        crc ^= (uint8_t)written.bytes[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    for (int i = 0; i < 4; i++) {
        written.bytes[29 + i] = (char)(~crc >> (24 - 8 * i));
    }
    counting_heap heap = {.budget = INT32_MAX};
    wr_allocator allocator = {counting_alloc, counting_free, &heap};
    wri_arena arena = wri_arena_create(&allocator);
    wr_error error = {0};
    wr_image image;
    assert_false(wri_png_decode(&arena, written.bytes, written.size, "bomb", &image, &error));
    assert_string_equal(error.message, "bomb: byte 41: broken PNG: the data ends too early");
    assert_true(heap.total < 1u << 20);
    // A suggested palette of 721 MB, of which libpng believes every word.
    make_png(8, 8, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, black, 0);
    memcpy(written.bytes + 33, "\x2b\0\0\x09sPLT", 8);
    assert_false(wri_png_decode(&arena, written.bytes, written.size, "bomb", &image, &error));
    assert_string_equal(error.message, "bomb: byte 33: broken PNG: the data ends within a chunk");
    assert_true(heap.total < 1u << 20);
    wri_arena_destroy(&arena);
    assert_int_equal(heap.alive, 0);
}

// --- fuzz -------------------------------------------------------------------------------------

typedef wr_model *read_fn(const char *path, const char *bytes, size_t size,
                          const wr_allocator *allocator, wr_error *error);

// Reads from an exact copy, so that the sanitizer sees every read past the end. Whatever comes out
// must be sound or a sentence.
static bool try_bytes(read_fn *read, const char *bytes, size_t size)
{
    wr_error error = {0};
    char *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    wr_model *model = read("f", exact, size, NULL, &error);
    free(exact);
    bool sound = model && wri_model_check(model, "f", WR_E_FORMAT, &error);
    wr_model_destroy(model);
    assert_true(sound || (error.code != WR_OK && error.message[0] == 'f'));
    return sound;
}

static char *load(const char *path, size_t *size)
{
    wr_error error = {0};
    char *bytes = wri_file_read(path, 1 << 24, NULL, size, &error);
    assert_non_null(bytes);
    return bytes;
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    wr_model *model = make_model();
    size_t size;
    char *bytes = load(write_model(model, "model.glb"), &size);
    for (size_t i = 0; i < size; i++) {
        assert_false(try_bytes(wri_gltf_read, bytes, i));
    }
    wri_free(NULL, bytes, size + 1, 1);
    wr_model_destroy(model);
    for (int big = 0; big < 2; big++) {
        blob b = make_binary_ply(big);
        for (size_t i = 0; i < b.size; i++) {
            assert_false(try_bytes(wri_ply_read, b.bytes, i));
        }
    }
    png_byte wide[3 * 9 * 9] = {1, 2, 3};
    make_png(9, 9, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_ADAM7, wide, 27);
    for (size_t i = 0; i < written.size; i++) {
        wri_arena arena = wri_arena_create(NULL);
        wr_error error = {0};
        wr_image image;
        char *exact = malloc(i ? i : 1);
        memcpy(exact, written.bytes, i);
        assert_false(wri_png_decode(&arena, exact, i, "cut", &image, &error));
        assert_int_equal(error.code, WR_E_FORMAT);
        free(exact);
        wri_arena_destroy(&arena);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void fuzz(read_fn *read, const char *bytes, size_t size, int rounds)
{
    uint64_t random = 0x9e3779b97f4a7c15u;
    char *copy = malloc(size);
    int sound = 0;
    for (int i = 0; i < rounds; i++) {
        memcpy(copy, bytes, size);
        int flips = 1 + (int)(next_random(&random) % 3);
        for (int k = 0; k < flips; k++) {
            uint64_t r = next_random(&random);
            char *at = &copy[r % size];
            *at = r >> 60 < 8 ? (char)(*at ^ 1 << (r >> 40 & 7)) : "0129-\"],}\xff"[r >> 32 & 7];
        }
        sound += try_bytes(read, copy, size);
    }
    free(copy);
    assert_true(sound > 0 && sound < rounds); // otherwise nothing was tried
}

static void flipped_bytes_never_do_harm(void **state)
{
    (void)state;
    wr_model *model = make_model();
    size_t size;
    char *bytes = load(write_model(model, "model.glb"), &size);
    fuzz(wri_gltf_read, bytes, size, 3000);
    wri_free(NULL, bytes, size + 1, 1);
    wr_model_destroy(model);
    blob b = make_glb(SQUARE_JSON, &the_square, sizeof the_square);
    fuzz(wri_gltf_read, b.bytes, b.size, 3000);
    b = make_binary_ply(false);
    fuzz(wri_ply_read, b.bytes, b.size, 2000);
    const char *obj =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\no a\nf 1/1/1 2//1 3 4/1\n"
        "usemtl x\nf -1 -2 -3\no b\nf 1 2 3\n";
    fuzz(wri_obj_read, obj, strlen(obj), 2000);
}

// --- models made by others --------------------------------------------------------------------

static const struct {
    const char *path;
    int meshes, nodes, vertices, triangles, parts, images;
} others[] = {
    // Counted independently: glTF by summing accessor counts, OBJ by grep.
    {"khronos/AnimatedMorphCube.glb", 1, 1, 24, 12, 1, 0},
    {"khronos/CesiumMilkTruck.glb", 2, 6, 3995, 2856, 4, 1},
    {"khronos/Fox.glb", 1, 26, 1728, 576, 1, 1},
    {"khronos/MorphPrimitivesTest.glb", 1, 2, 30, 32, 2, 1},
    {"khronos/RiggedFigure.glb", 1, 22, 370, 256, 1, 0},
    {"khronos/RiggedSimple.glb", 1, 5, 160, 188, 1, 0},
    {"libigl/arm.obj", 1, 1, 8311, 16618, 1, 0},
    {"libigl/truck.obj", 1, 1, 2956, 4770, 1, 0},
    {"ebpd/barrel/mesh.obj", 1, 1, 22916, 45828, 1, 0},
};

static void models_made_by_others_are_read_and_survive_writing(void **state)
{
    (void)state;
    const char *data = getenv("WROUGHT_DATA");
    if (!data || !wri_is_folder(data)) {
        print_message("WROUGHT_DATA does not name a folder\n");
        skip();
    }
    for (int i = 0; i < WRI_COUNT(others); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", data, others[i].path);
        wr_model *model = read_ok(path);
        int vertices = 0, triangles = 0, parts = 0;
        for (int k = 0; k < model->mesh_count; k++) {
            vertices += model->meshes[k].vertex_count;
            triangles += model->meshes[k].triangle_count;
            parts += model->meshes[k].part_count;
        }
        assert_int_equal(model->mesh_count, others[i].meshes);
        assert_int_equal(model->node_count, others[i].nodes);
        assert_int_equal(vertices, others[i].vertices);
        assert_int_equal(triangles, others[i].triangles);
        assert_int_equal(parts, others[i].parts);
        assert_int_equal(model->image_count, others[i].images);
        wr_model *back = read_ok(write_model(model, "back.glb"));
        assert_same_model(model, back);
        wr_model_destroy(back);
        wr_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_glb_is_read),
        cmocka_unit_test(strips_and_fans_keep_their_orientation),
        cmocka_unit_test(points_and_lines_are_passed_over),
        cmocka_unit_test(primitives_on_the_same_arrays_share_vertices),
        cmocka_unit_test(few_corners_of_a_big_array_take_only_what_they_use),
        cmocka_unit_test(strides_normalised_and_sparse_accessors_are_read),
        cmocka_unit_test(gltf_finds_its_bytes_in_neighbours_and_in_uris),
        cmocka_unit_test(parents_come_before_children),
        cmocka_unit_test(matrices_become_poses_and_scales),
        cmocka_unit_test(odd_matrices_still_give_finite_poses),
        cmocka_unit_test(every_number_of_a_transform_is_written),
        cmocka_unit_test(what_is_written_reads_back_bit_for_bit),
        cmocka_unit_test(a_colour_one_sees_through_is_written_as_such),
        cmocka_unit_test(big_meshes_use_long_indices),
        cmocka_unit_test(clips_share_times),
        cmocka_unit_test(the_writer_refuses_what_no_reader_could_use),
        cmocka_unit_test(obj_corners_become_vertices),
        cmocka_unit_test(obj_vertices_have_colours_and_alpha),
        cmocka_unit_test(obj_vertices_stay_in_the_order_of_the_file),
        cmocka_unit_test(obj_objects_keep_their_own_order),
        cmocka_unit_test(obj_objects_may_pick_their_vertices_anywhere),
        cmocka_unit_test(concave_polygons_are_covered_once),
        cmocka_unit_test(obj_takes_looks_from_its_library),
        cmocka_unit_test(obj_objects_become_nodes),
        cmocka_unit_test(the_three_forms_of_ply_say_the_same),
        cmocka_unit_test(every_kind_of_png_becomes_rgba),
        cmocka_unit_test(pixels_survive_png),
        cmocka_unit_test(every_broken_text_gets_its_sentence),
        cmocka_unit_test(every_broken_glb_gets_its_sentence),
        cmocka_unit_test(missing_files_and_folders_are_one_sentence),
        cmocka_unit_test(files_over_a_gibibyte_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(big_promises_of_small_files_take_no_memory),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(flipped_bytes_never_do_harm),
        cmocka_unit_test(models_made_by_others_are_read_and_survive_writing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
