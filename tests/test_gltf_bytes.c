// test_gltf_bytes.c: glTF written by hand, byte by byte, with everything that exporters rarely use:
// every type of number, strides and offsets, sparse accessors, the second of everything. What must
// come out stands beside it as decimal numbers, computed elsewhere; nothing is compared with what
// our own writer makes of it.
#include "gltf_bytes.h"

// --- numbers ----------------------------------------------------------------------------------

static const struct {
    int type, size;
    bool normalized;
    int64_t values[9];
    float expected[9];
} numbers[] = {
    {5120,
     1,
     false,
     {-128, -127, 100, -3, 0, 127, 1, -64, 55},
     {-128, -127, 100, -3, 0, 127, 1, -64, 55}},
    {5120,
     1,
     true,
     {-128, -127, 100, -3, 0, 127, 1, -64, 55},
     {-1, -1, 0.78740157f, -0.023622047f, 0, 1, 0.0078740157f, -0.50393701f, 0.43307087f}},
    {5121, 1, false, {0, 255, 200, 3, 128, 254, 1, 64, 55}, {0, 255, 200, 3, 128, 254, 1, 64, 55}},
    {5121,
     1,
     true,
     {0, 255, 200, 3, 128, 254, 1, 64, 55},
     {0, 1, 0.78431373f, 0.011764706f, 0.50196078f, 0.99607843f, 0.0039215686f, 0.25098039f,
      0.21568627f}},
    {5122,
     2,
     false,
     {-32768, -32767, 12345, -300, 0, 32767, 1, -16384, 255},
     {-32768, -32767, 12345, -300, 0, 32767, 1, -16384, 255}},
    {5122,
     2,
     true,
     {-32768, -32767, 12345, -300, 0, 32767, 1, -16384, 255},
     {-1, -1, 0.37675100f, -0.0091555529f, 0, 1, 3.0518509e-05f, -0.50001526f, 0.0077822199f}},
    {5123,
     2,
     false,
     {0, 65535, 4660, 300, 32768, 65534, 1, 16384, 255},
     {0, 65535, 4660, 300, 32768, 65534, 1, 16384, 255}},
    {5123,
     2,
     true,
     {0, 65535, 4660, 300, 32768, 65534, 1, 16384, 255},
     {0, 1, 0.071107042f, 0.0045777066f, 0.50000763f, 0.99998474f, 1.5259022e-05f, 0.25000381f,
      0.0038910506f}},
    {5125,
     4,
     false,
     {0, 16777216, 305419896, 1, 4294967295, 65536, 3, 256, 70000},
     {0, 16777216, 305419904.0f, 1, 4294967295.0f, 65536, 3, 256, 70000}},
    {5126,
     4,
     false,
     {0x3f800000, 0x40490fdb, 0xc2280000, 0x3eaaaaab, 0x00000000, 0xbdcccccd, 0x7f7fffff,
      0x4b800000, 0xb5000000},
     {1, 3.1415927f, -42, 0.33333334f, 0, -0.1f, 3.4028235e38f, 16777216, -4.7683716e-07f}},
};

// As positions, tightly and with room between the vertices.
static void every_type_of_number_is_read(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * WRI_COUNT(numbers); i++) {
        int k = i / 2, size = numbers[k].size, stride = i % 2 ? 3 * size + 4 : 3 * size;
        uint8_t bytes[64];
        memset(bytes, 0x5a, sizeof bytes);
        for (int n = 0; n < 9 * size; n++) {
            int at = n / (3 * size) * stride + n % (3 * size);
            bytes[at] = (uint8_t)((uint64_t)numbers[k].values[n / size] >> (8 * (n % size)));
        }
        pack p = begin();
        char fields[120];
        snprintf(fields, sizeof fields,
                 "\"componentType\":%d,\"normalized\":%s,\"count\":3,\"type\":\"VEC3\"",
                 numbers[k].type, numbers[k].normalized ? "true" : "false");
        add_accessor(&p, add_view(&p, bytes, (size_t)(3 * stride), i % 2 ? stride : 0), fields);
        wr_model *model = read_pack(
            &p, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]," ONE_NODE);
        assert_int_equal(model->meshes->vertex_count, 3);
        expect_floats(model->meshes->positions, numbers[k].expected, 9);
        wr_model_destroy(model);
    }
}

typedef struct woven {
    uint16_t gap, uv[2], more; // 0, 65535 stands for 1
    float position[3];
    int8_t normal[4];
    uint8_t color[4];
} woven;

// Four accessors share one view, in another order than their bytes; another buffer, in the JSON
// itself, has the corners in every size, behind a byte that belongs to nobody.
static void accessors_of_one_view_keep_apart(void **state)
{
    (void)state;
    static const woven data[3] = {
        {9, {13107, 65535}, 8, {1, 2, 3}, {0, 0, 127, 5}, {51, 102, 153, 204}},
        {7, {0, 39321}, 6, {4, 5, 7}, {0, -127, 0, 5}, {0, 255, 51, 102}},
        {5, {65535, 26214}, 4, {-1, 8, 0.5f}, {127, 0, 0, 5}, {204, 0, 255, 255}},
    };
    static const char *const corners[] = {"/wIAAQ==", "//8CAAAAAQA=", "/////wIAAAAAAAAAAQAAAA=="};
    static const int skipped[] = {1, 2, 4}, types[] = {5121, 5123, 5125};
    for (int i = 0; i < 3; i++) {
        char json[6144];
        pack p = begin();
        add_view(&p, data, sizeof data, sizeof *data);
        add_accessor(&p, 0,
                     "\"byteOffset\":24,\"componentType\":5121,\"normalized\":true,\"count\":3,"
                     "\"type\":\"VEC4\"");
        add_accessor(&p, 0, "\"byteOffset\":8," FLOATS(3, VEC3));
        add_accessor(&p, 0,
                     "\"byteOffset\":2,\"componentType\":5123,\"normalized\":true,\"count\":3,"
                     "\"type\":\"VEC2\"");
        add_accessor(&p, 0,
                     "\"byteOffset\":20,\"componentType\":5120,\"normalized\":true,\"count\":3,"
                     "\"type\":\"VEC3\"");
        int size = 4 * skipped[i];
        snprintf(json, sizeof json,
                 "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu,\"uri\":"
                 "\"woven.bin\"},{\"byteLength\":%d,\"uri\":\"data:;base64,%s\"}],"
                 "\"bufferViews\":[%s,{\"buffer\":1,\"byteLength\":%d}],\"accessors\":[%s,"
                 "{\"bufferView\":1,\"byteOffset\":%d,\"componentType\":%d,\"count\":3,\"type\":"
                 "\"SCALAR\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"COLOR_0\":0,"
                 "\"POSITION\":1,\"TEXCOORD_0\":2,\"NORMAL\":3},\"indices\":4}]}]," ONE_NODE "}",
                 p.size, size, corners[i], p.views, size, p.accessors, skipped[i], types[i]);
        assert_true(wri_file_write(in_folder("woven.bin"), p.bytes, p.size, NULL));
        wr_error error = {0};
        wr_model *model = need_model(try_bytes("woven.gltf", json, strlen(json), &error), &error);
        const wr_mesh *mesh = model->meshes;
        static const int triangles[] = {2, 0, 1};
        assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
        expect_floats(mesh->positions, (float[]){1, 2, 3, 4, 5, 7, -1, 8, 0.5f}, 9);
        expect_floats(mesh->normals, (float[]){0, 0, 1, 0, -1, 0, 1, 0, 0}, 9);
        expect_floats(mesh->uvs, (float[]){0.2f, 1, 0, 0.6f, 1, 0.4f}, 6);
        expect_floats(mesh->colors,
                      (float[]){0.2f, 0.4f, 0.6f, 0.8f, 0, 1, 0.2f, 0.4f, 0.8f, 0, 1, 1}, 12);
        wr_model_destroy(model);
    }
}

// Two values in place of those of the array, or of the zeros where there is none.
static void sparse_values_replace_those_they_name(void **state)
{
    (void)state;
    static const uint16_t base[4][4] = {
        {13107, 26214, 1, 2}, {39321, 52428, 3, 4}, {65535, 0, 5, 6}, {26214, 13107, 7, 8}};
    static const uint16_t values[3][2] = {{9, 9}, {0, 39321}, {52428, 65535}};
    static const uint8_t which[3][12] = {
        {77, 0, 3}, {77, 77, 0, 0, 3, 0}, {77, 77, 77, 77, 0, 0, 0, 0, 3, 0, 0, 0}};
    static const int sizes[] = {1, 2, 4}, types[] = {5121, 5123, 5125};
    static const float given[] = {0, 0.6f, 0.6f, 0.8f, 1, 0, 0.8f, 1};
    static const float alone[] = {0, 0.6f, 0, 0, 0, 0, 0.8f, 1};
    for (int i = 0; i < 6; i++) {
        int k = i / 2;
        bool has_base = i % 2;
        float square[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
        pack p = begin();
        add_floats(&p, square, 12, FLOATS(4, VEC3));
        int array = add_view(&p, base, sizeof base, 8);
        int places = add_view(&p, which[k], (size_t)(3 * sizes[k]), 0);
        int news = add_view(&p, values, sizeof values, 0);
        char fields[400];
        snprintf(fields, sizeof fields,
                 "\"componentType\":5123,\"normalized\":true,\"count\":4,\"type\":\"VEC2\","
                 "\"sparse\":{\"count\":2,\"indices\":{\"bufferView\":%d,\"byteOffset\":%d,"
                 "\"componentType\":%d},\"values\":{\"bufferView\":%d,\"byteOffset\":4}}",
                 places, sizes[k], types[k], news);
        add_accessor(&p, has_base ? array : -1, fields);
        wr_model *model =
            read_pack(&p, "\"meshes\":[{\"primitives\":[{\"mode\":5,\"attributes\":{\"POSITION\":0,"
                          "\"TEXCOORD_0\":1}}]}]," ONE_NODE);
        expect_floats(model->meshes->uvs, has_base ? given : alone, 8);
        wr_model_destroy(model);
    }
}

// As many as there are.
static void sparse_values_may_replace_all(void **state)
{
    (void)state;
    static const uint8_t which[] = {0, 1, 2};
    static const float moved[] = {1, 2, 3, 4, 5, 6, 7, 9, 8};
    pack p = begin();
    int array = add_view(&p, triangle, sizeof triangle, 0);
    int places = add_view(&p, which, sizeof which, 0), news = add_view(&p, moved, sizeof moved, 0);
    char fields[300];
    snprintf(fields, sizeof fields,
             FLOATS(3, VEC3) ",\"sparse\":{\"count\":3,\"indices\":{\"bufferView\":%d,"
                             "\"componentType\":5121},\"values\":{\"bufferView\":%d}}",
             places, news);
    add_accessor(&p, array, fields);
    wr_model *model = read_pack(
        &p, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]," ONE_NODE);
    expect_floats(model->meshes->positions, moved, 9);
    wr_model_destroy(model);
}

// --- skins ------------------------------------------------------------------------------------

// No two numbers of the matrices are equal but those of the last row.
static void matrices_are_read_column_by_column(void **state)
{
    (void)state;
    static const float matrices[] = {2,  3,  5,  0, 7,  11, 13, 0, 17, 19, 23, 0, 29, 31, 37, 1,
                                     41, 43, 47, 0, 53, 59, 61, 0, 67, 71, 73, 0, 79, 83, 89, 1};
    static const float rows[] = {2,  7,  17, 29, 3,  11, 19, 31, 5,  13, 23, 37,
                                 41, 53, 67, 79, 43, 59, 71, 83, 47, 61, 73, 89};
    static const uint16_t joints[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}};
    static const uint16_t weights[3][4] = {{65535}, {13107, 52428}, {0, 65535}};
    pack p = begin();
    add_floats(&p, triangle, 9, FLOATS(3, VEC3));
    add_accessor(&p, add_view(&p, joints, sizeof joints, 0),
                 "\"componentType\":5123,\"count\":3,\"type\":\"VEC4\"");
    add_accessor(&p, add_view(&p, weights, sizeof weights, 0),
                 "\"componentType\":5123,\"normalized\":true,\"count\":3,\"type\":\"VEC4\"");
    add_floats(&p, matrices, 32, FLOATS(2, MAT4));
    wr_model *model = read_pack(
        &p, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,"
            "\"WEIGHTS_0\":2}}]}],\"skins\":[{\"joints\":[2,1],\"inverseBindMatrices\":3}],"
            "\"nodes\":[{\"mesh\":0,\"skin\":0},{\"name\":\"a\"},{\"name\":\"b\"}]");
    expect_floats(model->skins->inverse_bind, rows, 24);
    assert_int_equal(model->skins->joints[0], 2);
    assert_int_equal(model->skins->joints[1], 1);
    static const int tidy[] = {1, 0, 1, 0, 1, 0}; // the heavier first, 0 where there is none
    assert_int_equal(model->meshes->influence_count, 2);
    assert_memory_equal(model->meshes->joints, tidy, sizeof tidy);
    expect_floats(model->meshes->weights, (float[]){1, 0, 0.8f, 0.2f, 1, 0}, 6);
    wr_model_destroy(model);
}

// --- the second of everything -----------------------------------------------------------------

#define MATERIALS                                                                                  \
    "\"images\":[{\"uri\":\"wide.png\"},{\"uri\":\"tall.png\"}],"                                  \
    "\"textures\":[{\"source\":1},{\"source\":0}],\"materials\":[{\"name\":\"m0\","                \
    "\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.1,0.2,0.3,0.4],\"metallicFactor\":0.5,"      \
    "\"roughnessFactor\":0.6,\"baseColorTexture\":{\"index\":1,\"texCoord\":1}},"                  \
    "\"alphaMode\":\"MASK\",\"alphaCutoff\":0.7},{\"name\":\"m1\",\"pbrMetallicRoughness\":{"      \
    "\"baseColorFactor\":[0.8,0.7,0.6,0.5],\"metallicFactor\":0.25,\"baseColorTexture\":{"         \
    "\"index\":0}},\"alphaMode\":\"BLEND\",\"doubleSided\":true},{\"alphaMode\":\"MASK\"}],"

static void write_picture(const char *name, int width, int height)
{
    uint8_t pixels[4 * 6] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_true(wr_png_write(in_folder(name), pixels, width, height, 4, NULL));
}

static void check_looks(const wr_model *model)
{
    const wr_look *looks = model->looks;
    assert_int_equal(model->look_count, 3);
    expect_floats(&looks[0].base_color, (float[]){0.1f, 0.2f, 0.3f, 0.4f}, 4);
    expect_floats(&looks[1].base_color, (float[]){0.8f, 0.7f, 0.6f, 0.5f}, 4);
    expect_floats((float[]){looks[0].metallic, looks[0].roughness, looks[0].cutoff},
                  (float[]){0.5f, 0.6f, 0.7f}, 3);
    expect_floats((float[]){looks[1].metallic, looks[1].roughness, looks[1].cutoff},
                  (float[]){0.25f, 1, 0}, 3);
    expect_floats((float[]){looks[2].metallic, looks[2].roughness, looks[2].cutoff},
                  (float[]){1, 1, 0.5f}, 3); // where nothing is said
    expect_floats(&looks[2].base_color, (float[]){1, 1, 1, 1}, 4);
    assert_int_equal(looks[2].texture, -1);
    assert_int_equal(looks[0].alpha, WR_ALPHA_MASK);
    assert_int_equal(looks[1].alpha, WR_ALPHA_BLEND);
    assert_true(looks[1].double_sided && !looks[0].double_sided);
    assert_int_equal(model->images[looks[0].texture].width, 3); // texture 1 shows image 0
    assert_int_equal(model->images[looks[1].texture].height, 2);
}

// Two meshes, two primitives, two materials, two sets of texture coordinates.
static void primitives_have_their_own_material_and_coordinates(void **state)
{
    (void)state;
    write_picture("wide.png", 3, 1);
    write_picture("tall.png", 1, 2);
    static const float places[] = {5, 6, 7, 8, 6, 7, 5, 9, 7};
    static const float near[] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
    static const float far[] = {0.7f, 0.8f, 0.9f, 0.15f, 0.25f, 0.35f};
    pack p = begin();
    add_floats(&p, triangle, 9, FLOATS(3, VEC3));
    add_floats(&p, places, 9, FLOATS(3, VEC3));
    add_floats(&p, near, 6, FLOATS(3, VEC2));
    add_floats(&p, far, 6, FLOATS(3, VEC2));
#define COORDINATES "\"TEXCOORD_0\":2,\"TEXCOORD_1\":3}"
    wr_model *model = read_pack(
        &p, MATERIALS
        "\"meshes\":[{\"name\":\"one\",\"primitives\":[{\"attributes\":{\"POSITION\":1}}]},"
        "{\"name\":\"two\",\"primitives\":[{\"attributes\":{\"POSITION\":0," COORDINATES
        ",\"material\":1},{\"attributes\":{\"POSITION\":1," COORDINATES ",\"material\":0}]}],"
        "\"nodes\":[{\"mesh\":1,\"children\":[1]},{\"mesh\":0,\"translation\":[1,2,3],"
        "\"rotation\":[0.1,0.5,-0.7,0.5],\"scale\":[4,5,6]}]");
    check_looks(model);
    assert_string_equal(model->meshes[model->nodes[0].mesh].name, "two");
    assert_string_equal(model->meshes[model->nodes[1].mesh].name, "one");
    expect_floats(&model->nodes[1].pose.position, (float[]){1, 2, 3}, 3);
    expect_floats(&model->nodes[1].pose.rotation, (float[]){0.1f, 0.5f, -0.7f, 0.5f}, 4);
    expect_floats(&model->nodes[1].scale, (float[]){4, 5, 6}, 3);
    const wr_mesh *mesh = &model->meshes[model->nodes[0].mesh];
    static const wr_mesh_part parts[] = {{0, 1, 1}, {1, 1, 0}};
    assert_int_equal(mesh->part_count, 2);
    assert_memory_equal(mesh->parts, parts, sizeof parts);
    static const int corners[] = {0, 1, 2, 3, 4, 5};
    assert_memory_equal(mesh->triangles, corners, sizeof corners);
    expect_floats(mesh->positions, triangle, 9);
    expect_floats(mesh->positions + 3, places, 9);
    expect_floats(mesh->uvs, near, 6);
    expect_floats(mesh->uvs + 3, far, 6);
    wr_model_destroy(model);
}

// Two looks on one array of coordinates: the first scales, turns and moves them, and takes another
// set; the second is as the file has it. A quarter turn counter-clockwise, where v points down,
// takes (u, v) to (v, -u).
static void texture_transforms_are_laid_into_the_coordinates(void **state)
{
    (void)state;
    static const float near[] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
    static const float far[] = {0.7f, 0.8f, 0.9f, 0.15f, 0.25f, 0.35f};
    pack p = begin();
    add_floats(&p, triangle, 9, FLOATS(3, VEC3));
    add_floats(&p, near, 6, FLOATS(3, VEC2));
    add_floats(&p, far, 6, FLOATS(3, VEC2));
#define ON_BOTH "{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1,\"TEXCOORD_1\":2},\"material\":"
    wr_model *model = read_pack(
        &p, "\"extensionsRequired\":[\"KHR_texture_transform\"],\"materials\":["
            "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,\"extensions\":{"
            "\"KHR_texture_transform\":{\"offset\":[5,7],\"rotation\":1.57079633,"
            "\"scale\":[2,3],\"texCoord\":1}}}}},"
            "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,\"texCoord\":1}}}],"
            "\"textures\":[{}],\"meshes\":[{\"primitives\":[" ON_BOTH "0}," ON_BOTH "1}]}],"
            "\"nodes\":[{\"mesh\":0}]");
    const wr_mesh *mesh = model->meshes;
    assert_int_equal(mesh->vertex_count, 6); // not shared
    for (int i = 0; i < 3; i++) {
        float u = far[2 * i], v = far[2 * i + 1];
        assert_true(fabsf(mesh->uvs[i].x - (3 * v + 5)) < 1e-6f);
        assert_true(fabsf(mesh->uvs[i].y - (-2 * u + 7)) < 1e-6f);
    }
    expect_floats(mesh->uvs + 3, far, 6);
    wr_model_destroy(model);
}

// What is hidden hides what hangs on it; its place still moves that.
static void hidden_nodes_have_no_mesh(void **state)
{
    (void)state;
    pack p = begin();
    add_floats(&p, triangle, 9, FLOATS(3, VEC3));
#define VISIBLE(WORD) "\"extensions\":{\"KHR_node_visibility\":{\"visible\":" WORD "}}"
    wr_model *model =
        read_pack(&p, "\"extensionsRequired\":[\"KHR_node_visibility\"],"
                      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
                      "\"nodes\":[{\"mesh\":0," VISIBLE(
                          "true") "},{\"mesh\":0,\"children\":[2],"
                                  "\"translation\":[1,2,3]," VISIBLE(
                                      "false") "},{\"mesh\":0," VISIBLE("true") "},"
                                                                                "{\"mesh\":0}]");
    static const int meshes[] = {0, -1, -1, 0};
    assert_int_equal(model->node_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(model->nodes[i].mesh, meshes[i]);
    }
    expect_floats(&model->nodes[1].pose.position, (float[]){1, 2, 3}, 3);
    wr_model_destroy(model);
}

// The same places with other normals, coordinates or colours are other vertices; what only one of
// two has, both get.
static void primitives_on_the_same_places_keep_what_differs(void **state)
{
    (void)state;
    static const float up[] = {0, 0, 1, 0, 0, 1, 0, 0, 1},
                       aside[] = {1, 0, 0, 0, 1, 0, 0.6f, 0.8f, 0};
    static const float near[] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
    static const float far[] = {0.7f, 0.8f, 0.9f, 0.15f, 0.25f, 0.35f};
    pack p = begin();
    add_floats(&p, triangle, 9, FLOATS(3, VEC3));
    add_floats(&p, up, 9, FLOATS(3, VEC3));
    add_floats(&p, aside, 9, FLOATS(3, VEC3));
    add_floats(&p, near, 6, FLOATS(3, VEC2));
    add_floats(&p, far, 6, FLOATS(3, VEC2));
#define WITH(REST) "{\"attributes\":{\"POSITION\":0," REST "}}"
    wr_model *model = read_pack(
        &p, "\"meshes\":[{\"primitives\":[" WITH("\"NORMAL\":1") "," WITH(
                "\"NORMAL\":2") "]},"
                                "{\"primitives\":[" WITH("\"TEXCOORD_0\":3") "," WITH(
                                    "\"TEXCOORD_0\":4") "]},"
                                                        "{\"primitives\":[" WITH(
                                                            "\"NORMAL\":2") "," WITH("\"TEXCOORD_"
                                                                                     "0\":4") "]}],"
                                                                                              "\"no"
                                                                                              "des"
                                                                                              "\":["
                                                                                              "{\"m"
                                                                                              "esh"
                                                                                              "\":"
                                                                                              "0},{"
                                                                                              "\"me"
                                                                                              "sh\""
                                                                                              ":1},"
                                                                                              "{\"m"
                                                                                              "esh"
                                                                                              "\":"
                                                                                              "2}"
                                                                                              "]");
    const wr_mesh *meshes = model->meshes;
    assert_int_equal(meshes[0].vertex_count, 6);
    expect_floats(meshes[0].normals, up, 9);
    expect_floats(meshes[0].normals + 3, aside, 9);
    assert_int_equal(meshes[1].vertex_count, 6);
    expect_floats(meshes[1].uvs, near, 6);
    expect_floats(meshes[1].uvs + 3, far, 6);
    assert_int_equal(meshes[2].vertex_count, 3);
    expect_floats(meshes[2].normals, aside, 9);
    expect_floats(meshes[2].uvs, far, 6);
    wr_model_destroy(model);
}

// A mesh has normals when one of its primitives has some; the others get those of their triangles,
// whatever else they lack.
static void a_primitive_without_normals_gets_its_own(void **state)
{
    (void)state;
    static const float standing[] = {2, 0, 0, 2, 1, 0, 2, 0, 1}, up[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    pack p = begin();
    add_floats(&p, triangle, 9, FLOATS(3, VEC3));
    add_floats(&p, up, 9, FLOATS(3, VEC3));
    add_floats(&p, standing, 9, FLOATS(3, VEC3));
    wr_model *model =
        read_pack(&p, "\"meshes\":[{\"primitives\":[" WITH(
                          "\"NORMAL\":1") ","
                                          "{\"attributes\":{\"POSITION\":2}}]}]," ONE_NODE);
    assert_int_equal(model->meshes->vertex_count, 6);
    expect_floats(model->meshes->normals, up, 9);
    expect_floats(model->meshes->normals + 3, (float[]){1, 0, 0, 1, 0, 0, 1, 0, 0}, 9);
    wr_model_destroy(model);
}

// The second primitive has other vertices, joints in two sets, and a target that moves normals
// only in it.
static void primitives_keep_their_own_targets_and_joints(void **state)
{
    (void)state;
    static const float moves[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const float turns[] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f};
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const uint8_t joints[2][3][4] = {{{0}, {1}, {2}}, {{2}, {0}, {1}}};
    static const uint8_t weights[2][3][4] = {{{255}, {153}, {51}}, {{0}, {102}, {204}}};
    pack p = begin();
    add_floats(&p, triangle, 9, FLOATS(3, VEC3));
    add_floats(&p, moves, 9, FLOATS(3, VEC3));
    add_floats(&p, turns, 9, FLOATS(3, VEC3));
    add_floats(&p, normals, 9, FLOATS(3, VEC3));
    for (int i = 0; i < 2; i++) {
        add_accessor(&p, add_view(&p, joints[i], 12, 0),
                     "\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"");
        add_accessor(&p, add_view(&p, weights[i], 12, 0),
                     "\"componentType\":5121,\"normalized\":true,\"count\":3,\"type\":\"VEC4\"");
    }
    wr_model *model = read_pack(
        &p, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":3,"
            "\"JOINTS_0\":4,\"WEIGHTS_0\":5},\"targets\":[{\"POSITION\":1},{\"POSITION\":2}]},"
            "{\"attributes\":{\"POSITION\":1,\"NORMAL\":3,\"JOINTS_0\":4,\"WEIGHTS_0\":5,"
            "\"JOINTS_1\":6,\"WEIGHTS_1\":7},\"targets\":[{\"POSITION\":2},{\"POSITION\":0,"
            "\"NORMAL\":2}]}],\"weights\":[0.25,0.75]}],\"skins\":[{\"joints\":[0,1,2]}],"
            "\"nodes\":[{\"mesh\":0,\"skin\":0},{},{}]");
    const wr_mesh *mesh = model->meshes;
    assert_int_equal(mesh->vertex_count, 6);
    expect_floats(mesh->morphs[0].positions, moves, 9);
    expect_floats(mesh->morphs[0].positions + 3, turns, 9);
    expect_floats(mesh->morphs[1].positions, turns, 9);
    expect_floats(mesh->morphs[1].positions + 3, triangle, 9);
    assert_null(mesh->morphs[0].normals);
    expect_floats(mesh->morphs[1].normals, (float[9]){0}, 9);
    expect_floats(mesh->morphs[1].normals + 3, turns, 9);
    expect_floats((float[]){mesh->morphs[0].weight, mesh->morphs[1].weight},
                  (float[]){0.25f, 0.75f}, 2);
    assert_int_equal(mesh->influence_count, 2);
    static const int heavier[] = {0, 0, 1, 0, 2, 0, 0, 0, 1, 0, 1, 2};
    assert_memory_equal(mesh->joints, heavier, sizeof heavier);
    expect_floats(mesh->weights, (float[]){1, 0, 1, 0, 1, 0, 1, 0, 0.6f, 0.4f, 0.8f, 0.2f}, 12);
    wr_model_destroy(model);
}

// --- motion -----------------------------------------------------------------------------------

// Two animations; the second has values in whole numbers, which stand for parts of one.
static void keys_are_read_in_every_type(void **state)
{
    (void)state;
    static const float times[] = {0.25f, 0.5f, 2}, places[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const int16_t shorts[3][4] = {
        {32767, 0, 0, 0}, {0, -32768, 0, 0}, {0, 0, 19660, -26214}};
    static const int8_t bytes[3][4] = {{0, 0, 0, 127}, {0, -127, 0, 0}, {0, 0, 127, 0}};
    static const uint8_t parts[6] = {0, 51, 102, 153, 204, 255};
    pack p = begin();
    add_floats(&p, triangle, 9, FLOATS(3, VEC3));
    add_floats(&p, times, 3, FLOATS(3, SCALAR));
    add_floats(&p, places, 9, FLOATS(3, VEC3));
    add_accessor(&p, add_view(&p, shorts, sizeof shorts, 0),
                 "\"componentType\":5122,\"normalized\":true,\"count\":3,\"type\":\"VEC4\"");
    add_accessor(&p, add_view(&p, bytes, sizeof bytes, 0),
                 "\"componentType\":5120,\"normalized\":true,\"count\":3,\"type\":\"VEC4\"");
    add_accessor(&p, add_view(&p, parts, sizeof parts, 0),
                 "\"componentType\":5121,\"normalized\":true,\"count\":6,\"type\":\"SCALAR\"");
#define CHANNEL(SAMPLER, NODE, PATH)                                                               \
    "{\"sampler\":" #SAMPLER ",\"target\":{\"node\":" #NODE ",\"path\":\"" #PATH "\"}}"
    wr_model *model = read_pack(
        &p,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":["
        "{\"POSITION\":0},{\"POSITION\":2}]}]}],\"nodes\":[{\"mesh\":0},{},{\"mesh\":0}],"
        "\"animations\":[{\"channels\":[" CHANNEL(
            0, 1, scale) "],\"samplers\":[{\"input\":1,"
                         "\"output\":2}]},{\"channels\":[" CHANNEL(2, 2, weights) "," CHANNEL(
                             0, 1, rotation) "," CHANNEL(1, 0,
                                                         rotation) "],\"samplers\":[{\"input\":1,"
                                                                   "\"output\":3},{\"input\":1,"
                                                                   "\"output\":4},{\"input\":1,"
                                                                   "\"output\":5}]}]");
    assert_int_equal(model->clip_count, 2);
    expect_floats(model->clips[0].tracks->values, places, 9);
    const wr_track *tracks = model->clips[1].tracks;
    static const int nodes[] = {2, 1, 0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tracks[i].node, nodes[i]);
        expect_floats(tracks[i].times, times, 3);
    }
    expect_floats(tracks[0].values, (float[]){0, 0.2f, 0.4f, 0.6f, 0.8f, 1}, 6);
    const float turned[] = {1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0.6f, -0.8f};
    for (int i = 0; i < 12; i++) {
        CHECK_NEAR(tracks[1].values[i], turned[i], 3e-5); // 19660 and 26214 are rounded
    }
    expect_floats(tracks[2].values, (float[]){0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 1, 0}, 12);
    wr_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_number_is_read),
        cmocka_unit_test(accessors_of_one_view_keep_apart),
        cmocka_unit_test(sparse_values_replace_those_they_name),
        cmocka_unit_test(sparse_values_may_replace_all),
        cmocka_unit_test(matrices_are_read_column_by_column),
        cmocka_unit_test(primitives_have_their_own_material_and_coordinates),
        cmocka_unit_test(texture_transforms_are_laid_into_the_coordinates),
        cmocka_unit_test(hidden_nodes_have_no_mesh),
        cmocka_unit_test(primitives_on_the_same_places_keep_what_differs),
        cmocka_unit_test(a_primitive_without_normals_gets_its_own),
        cmocka_unit_test(primitives_keep_their_own_targets_and_joints),
        cmocka_unit_test(keys_are_read_in_every_type),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
