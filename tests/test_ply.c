// test_ply.c: PLY by hand in every type of number, in both orders of bytes and as text.
#include "check.h"

#include "../src/base/os.h"
#include "wrought/file.h"

enum { VALUES = 7, VERTICES = 3 };

// One kind of number. The values of a vertex are x y z alpha red green blue.
static const struct {
    const char *name, *other; // both are in use
    int size;
    bool is_real;
    double values[VERTICES][VALUES];
    double whole; // what stands for 1 in a colour
} types[] = {
    {"char",
     "int8",
     1,
     false,
     {{-3, 100, 77, 25, 127, 0, 0}, {-128, 1, 0, 127, 0, 127, 0}, {5, -7, 9, 0, 0, 0, 127}},
     127},
    {"uchar",
     "uint8",
     1,
     false,
     {{3, 200, 77, 51, 255, 0, 0}, {255, 1, 0, 255, 0, 255, 0}, {5, 128, 9, 0, 0, 0, 255}},
     255},
    {"short",
     "int16",
     2,
     false,
     {{-300, 4660, 77, 6553, 32767, 0, 0},
      {-32768, 1, 0, 32767, 0, 32767, 0},
      {5, -7, 255, 0, 0, 0, 32767}},
     32767},
    {"ushort",
     "uint16",
     2,
     false,
     {{300, 4660, 77, 13107, 65535, 0, 0},
      {65535, 1, 0, 65535, 0, 65535, 0},
      {5, 32768, 255, 0, 0, 0, 65535}},
     65535},
    {"int",
     "int32",
     4,
     false,
     {{-70000, 305419896, 77, 429496729, 2147483647, 0, 0},
      {-2147483648.0, 1, 0, 2147483647, 0, 2147483647, 0},
      {5, -7, 65536, 0, 0, 0, 2147483647}},
     2147483647},
    {"uint",
     "uint32",
     4,
     false,
     {{70000, 305419896, 77, 858993459, 4294967295, 0, 0},
      {4294967295, 1, 0, 4294967295, 0, 4294967295, 0},
      {5, 2147483648, 65536, 0, 0, 0, 4294967295}},
     4294967295},
    {"float",
     "float32",
     4,
     true,
     {{-3.25, 100.5, 0.0078125, 0.25, 1, 0, 0}, {1e20, 1, 0, 1, 0, 1, 0}, {5, -7, 9, 0, 0, 0, 1}},
     1},
    {"double",
     "float64",
     8,
     true,
     {{-3.25, 100.5, 0.0078125, 0.25, 1, 0, 0}, {1e20, 1, 0, 1, 0, 1, 0}, {5, -7, 9, 0, 0, 0, 1}},
     1},
};

typedef struct bytes {
    char data[2048];
    size_t size;
} bytes;

static uint64_t bits_of(int type, double value)
{
    uint64_t bits = 0;
    float single = (float)value;
    if (!types[type].is_real) {
        return (uint64_t)(int64_t)value;
    }
    if (types[type].size == 4) {
        uint32_t half;
        memcpy(&half, &single, 4);
        return half;
    }
    memcpy(&bits, &value, 8);
    return bits;
}

// order: 0 text, 1 little end first, 2 big end first.
static void put_value(bytes *b, int order, int type, double value)
{
    if (order == 0) {
        b->size += (size_t)sprintf(b->data + b->size, "%.17g ", value);
        return;
    }
    uint64_t bits = bits_of(type, value);
    for (int i = 0; i < types[type].size; i++) {
        int shift = 8 * (order == 1 ? i : types[type].size - 1 - i);
        b->data[b->size++] = (char)(bits >> shift);
    }
}

// As another system writes its text; the first number stands right behind the last line's end.
static void end_lines_with_two(bytes *b)
{
    for (size_t i = 0; i < b->size; i++) {
        if (b->data[i] == '\n') {
            memmove(&b->data[i + 1], &b->data[i], b->size++ - i);
            b->data[i++] = '\r';
        }
    }
}

// The face counts its corners in `list` and names them in `index`, both of whole numbers.
static bytes make_ply(int order, int type, bool other, int list, int index)
{
    static const char *const orders[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    static const char *const names[VALUES] = {"x", "y", "z", "alpha", "red", "green", "blue"};
    bytes b = {0};
    b.size = (size_t)sprintf(b.data, "ply\nformat %s 1.0\nelement vertex 3\n", orders[order]);
    for (int i = 0; i < VALUES; i++) {
        b.size += (size_t)sprintf(b.data + b.size, "property %s %s\n",
                                  other ? types[type].other : types[type].name, names[i]);
    }
    b.size += (size_t)sprintf(b.data + b.size,
                              "element face 1\nproperty list %s %s vertex_indices\nend_header\n",
                              types[list].name, types[index].other);
    if (other) {
        end_lines_with_two(&b);
    }
    for (int i = 0; i < VERTICES * VALUES; i++) {
        put_value(&b, order, type, types[type].values[i / VALUES][i % VALUES]);
    }
    static const int face[] = {3, 2, 0, 1};
    for (int i = 0; i < 4; i++) {
        put_value(&b, order, i ? index : list, face[i]);
    }
    return b;
}

static void check_mesh(const wr_mesh *mesh, int type)
{
    static const int corners[] = {2, 0, 1};
    assert_int_equal(mesh->vertex_count, VERTICES);
    assert_int_equal(mesh->triangle_count, 1);
    assert_memory_equal(mesh->triangles, corners, sizeof corners);
    for (int i = 0; i < VERTICES; i++) {
        const double *v = types[type].values[i];
        assert_true(mesh->positions[i].x == (float)v[0]);
        assert_true(mesh->positions[i].y == (float)v[1]);
        assert_true(mesh->positions[i].z == (float)v[2]);
        CHECK_NEAR(mesh->colors[i].a, v[3] / types[type].whole, 1e-7);
        CHECK_NEAR(mesh->colors[i].r, i == 0, 1e-6); // one channel of each is full
        CHECK_NEAR(mesh->colors[i].g, i == 1, 1e-6);
        CHECK_NEAR(mesh->colors[i].b, i == 2, 1e-6);
    }
}

static void every_type_of_number_is_read_in_every_order(void **state)
{
    (void)state;
    temporary_folder folder = temporary_folder_create();
    char path[600];
    snprintf(path, sizeof path, "%s/types.ply", folder.path);
    for (int i = 0; i < 3 * 2 * WRI_COUNT(types); i++) {
        int order = i % 3, type = i / 6;
        bytes b = make_ply(order, type, i / 3 % 2, type % 6, (type + 1) % 6);
        wr_error error = {0};
        assert_true(wri_file_write(path, b.data, b.size, &error));
        wr_model *model = wr_model_read(path, NULL, &error);
        if (!model) {
            fail_msg("%s in order %d: %s", types[type].name, order, error.message);
        }
        check_mesh(model->meshes, type);
        wr_model_destroy(model);
    }
    temporary_folder_destroy(&folder);
}

static wr_model *read_text(const char *text)
{
    temporary_folder folder = temporary_folder_create();
    char path[600];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/text.ply", folder.path);
    assert_true(wri_file_write(path, text, strlen(text), &error));
    wr_model *model = wr_model_read(path, NULL, &error);
    temporary_folder_destroy(&folder);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

// Three pairs of names are in use; the last line may lack its end.
static void texture_coordinates_have_three_names(void **state)
{
    (void)state;
    static const char *const names[3][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
    for (int i = 0; i < 3; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                 "property float z\nproperty float %s\nproperty float %s\nelement face 1\n"
                 "property list uchar int vertex_indices\nend_header\n"
                 "0 0 0 0 1\n1 0 0 1 1\n0 2 3 4 5\n3 0 1 2",
                 names[i][0], names[i][1]);
        wr_model *model = read_text(text);
        const wr_mesh *mesh = model->meshes;
        assert_true(mesh->positions[2].y == 2 && mesh->positions[2].z == 3);
        assert_true(mesh->uvs[1].x == 1 && mesh->uvs[1].y == 0);
        assert_true(mesh->uvs[2].x == 4 && mesh->uvs[2].y == -4);
        wr_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_number_is_read_in_every_order),
        cmocka_unit_test(texture_coordinates_have_three_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
