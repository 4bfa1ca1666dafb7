// test_gltf_draco.c: glTF with primitives that Draco has compressed.
#include "gltf_bytes.h"
#include "patch.h"

#include "../import/draco_encode.h"
#include "../src/file/foreign.h"

// --- a compressed patch -----------------------------------------------------------------------

typedef struct painted {
    patch shape;
    float normals[VERTICES][3], uvs[VERTICES][2];
    uint8_t joints[VERTICES][4];
    uint8_t bytes[2048];
    size_t size;
} painted;

static painted make_painted(int bits)
{
    painted made = {.shape = make_patch()};
    for (int i = 0; i < VERTICES; i++) {
        float u = (float)(i % WIDE) / WIDE, v = (float)(i / WIDE) / HIGH;
        memcpy(made.normals[i], (float[3]){sinf(u), 0.0f, cosf(u)}, 12);
        memcpy(made.uvs[i], (float[2]){u, v * v}, 8);
        made.joints[i][0] = (uint8_t)(i % 2);
    }
    const draco_mesh mesh = {
        made.shape.positions[0], made.normals[0], made.uvs[0], made.joints[0], VERTICES,
        made.shape.corners,      (int)CORNERS,
    };
    made.size = draco_encode(&mesh, bits, made.bytes, sizeof made.bytes);
    assert_true(made.size > 0);
    return made;
}

#define EXTENSION(IDS)                                                                             \
    "\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":{" IDS "}}}"
#define USED                                                                                       \
    "\"extensionsUsed\":[\"KHR_draco_mesh_compression\"],"                                         \
    "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],"
#define ALL_IDS "\"POSITION\":3,\"NORMAL\":5,\"TEXCOORD_0\":0,\"JOINTS_0\":9"
#define BARE(IDS)                                                                                  \
    USED "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1," EXTENSION( \
        IDS) "}]}]," ONE_NODE

enum { PLACES, CORNERS_OF, NORMALS, UVS, JOINTS, WEIGHTS, TARGET };

// The accessors of the enumeration; those up to JOINTS have no bytes.
static pack pack_painted(const painted *made, const char *corner_fields)
{
    static float weights[VERTICES][4], target[VERTICES][3];
    pack p = begin();
    for (int i = 0; i < VERTICES; i++) {
        weights[i][0] = 1.0f;
        target[i][1] = (float)i;
    }
    add_view(&p, made->bytes, made->size, 0);
    add_accessor(&p, -1, FLOATS(20, VEC3));
    add_accessor(&p, -1, corner_fields);
    add_accessor(&p, -1, FLOATS(20, VEC3));
    add_accessor(&p, -1, FLOATS(20, VEC2));
    add_accessor(&p, -1, "\"componentType\":5121,\"count\":20,\"type\":\"VEC4\"");
    add_floats(&p, weights[0], 4 * VERTICES, FLOATS(20, VEC4));
    add_floats(&p, target[0], 3 * VERTICES, FLOATS(20, VEC3));
    return p;
}

#define PAINTED                                                                                    \
    "{\"attributes\":{\"POSITION\":0,\"NORMAL\":2,\"TEXCOORD_0\":3,\"JOINTS_0\":4,\"WEIGHTS_0\":"  \
    "5},\"indices\":1,\"targets\":[{\"POSITION\":6}]," EXTENSION(ALL_IDS)

// Without quantisation everything comes back as it was, beside what is not compressed. Two
// primitives show the same bytes.
static void what_draco_has_packed_is_read(void **state)
{
    (void)state;
    static const char *const corners[] = {CORNERS_AS(5121), CORNERS_AS(5123), CORNERS_AS(5125)};
    painted made = make_painted(0);
    for (int i = 0; i < WRI_COUNT(corners); i++) {
        pack p = pack_painted(&made, corners[i]);
        wr_model *model = read_pack(
            &p, USED "\"materials\":[{},{\"name\":\"red\"}],\"meshes\":[{\"primitives\":[" PAINTED
                     "}," PAINTED ",\"material\":1}]}],\"skins\":[{\"joints\":[1,2]}],\"nodes\":["
                     "{\"mesh\":0,\"skin\":0},{},{}]");
        const wr_mesh *mesh = &model->meshes[0];
        assert_int_equal(model->warning_count, 0);
        assert_int_equal(mesh->vertex_count, VERTICES);
        assert_int_equal(mesh->part_count, 2);
        assert_int_equal(mesh->parts[1].triangle_count, CORNERS / 3);
        assert_memory_equal(mesh->positions, made.shape.positions, sizeof made.shape.positions);
        assert_memory_equal(mesh->uvs, made.uvs, sizeof made.uvs);
        for (int k = 0; k < CORNERS; k++) {
            assert_int_equal(mesh->triangles[k], made.shape.corners[k]);
            assert_int_equal(mesh->triangles[CORNERS + k], made.shape.corners[k]);
        }
        for (int k = 0; k < VERTICES; k++) {
            CHECK_NEAR(mesh->normals[k].x, made.normals[k][0], 1e-6);
            CHECK_NEAR(mesh->normals[k].z, made.normals[k][2], 1e-6);
            assert_int_equal(mesh->joints[k * mesh->influence_count], k % 2);
            CHECK_NEAR(mesh->morphs[0].positions[k].y, k, 0);
        }
        wr_model_destroy(model);
    }
}

static double area(const wr_vec3 *positions, const int *triangles, int count, double centre[3])
{
    double sum = 0.0;
    memset(centre, 0, 3 * sizeof *centre);
    for (int i = 0; i < count; i++) {
        wr_vec3 a = positions[triangles[3 * i]], b = positions[triangles[3 * i + 1]];
        wr_vec3 c = positions[triangles[3 * i + 2]];
        double part = 0.5 * (double)wr_length(wr_cross(wr_sub(b, a), wr_sub(c, a)));
        sum += part;
        centre[0] += part * (double)(a.x + b.x + c.x) / 3.0;
        centre[1] += part * (double)(a.y + b.y + c.y) / 3.0;
        centre[2] += part * (double)(a.z + b.z + c.z) / 3.0;
    }
    return sum;
}

// Quantised, and in an order of Draco's own: the surface is the same.
static void the_usual_method_keeps_the_surface(void **state)
{
    (void)state;
    painted made = make_painted(14);
    pack p = pack_painted(&made, CORNERS_AS(5123));
    wr_model *model = read_pack(&p, BARE("\"POSITION\":3"));
    const wr_mesh *mesh = &model->meshes[0];
    int corners[CORNERS];
    wr_vec3 places[VERTICES];
    memcpy(corners, made.shape.corners, sizeof corners);
    memcpy(places, made.shape.positions, sizeof places);
    double here[3], there[3];
    assert_int_equal(mesh->triangle_count, CORNERS / 3);
    double before = area(places, corners, CORNERS / 3, here);
    CHECK_NEAR(area(mesh->positions, mesh->triangles, mesh->triangle_count, there), before, 1e-3);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(there[k], here[k], 1e-3);
    }
    wr_model_destroy(model);
}

// --- without Draco ----------------------------------------------------------------------------

static void expect_refusal(const pack *p, const char *rest, const char *sentence)
{
    wr_error error = {0};
    assert_null(try_pack(p, rest, &error));
    const char *after = strstr(error.message, "made.glb: ");
    if (!after || strncmp(after + 10, sentence, strlen(sentence)) != 0) {
        fail_msg("%s\nexpected: %s", error.message, sentence);
    }
}

static void without_the_importer_only_what_is_there_in_full_is_read(void **state)
{
    (void)state;
    char *before = strdup(getenv("WROUGHT_IMPORT"));
    setenv("WROUGHT_IMPORT", "/no-such-folder/wrought-import", 1);
    painted made = make_painted(0);
    pack p = pack_painted(&made, CORNERS_AS(5123));
    expect_refusal(&p, BARE("\"POSITION\":3"),
                   "wrought-import is not installed; meshes that Draco has compressed cannot be "
                   "read");
    pack full = begin();
    uint16_t shorts[CORNERS];
    for (int i = 0; i < CORNERS; i++) {
        shorts[i] = (uint16_t)made.shape.corners[i];
    }
    add_view(&full, made.bytes, made.size, 0);
    add_floats(&full, made.shape.positions[0], 3 * VERTICES, FLOATS(20, VEC3));
    add_accessor(&full, add_view(&full, shorts, sizeof shorts, 0), CORNERS_AS(5123));
    wr_model *model = read_pack(&full, BARE("\"POSITION\":3"));
    assert_memory_equal(model->meshes[0].positions, made.shape.positions,
                        sizeof made.shape.positions);
    wr_model_destroy(model);
    setenv("WROUGHT_IMPORT", before, 1);
    free(before);
}

// --- damage -----------------------------------------------------------------------------------

static void what_draco_cannot_decode_is_one_sentence(void **state)
{
    (void)state;
    painted made = make_painted(14), cut = made;
    pack p = pack_painted(&made, CORNERS_AS(5123));
    expect_refusal(&p, BARE("\"POSITION\":7"), "compressed primitive 0 has no attribute 7");
    pack fewer = pack_painted(&made, "\"componentType\":5123,\"count\":69,\"type\":\"SCALAR\"");
    expect_refusal(&fewer, BARE("\"POSITION\":3"),
                   "compressed primitive 0 has 20 vertices and 72 corners, but its accessors have "
                   "20 and 69");
    pack floats = pack_painted(&made, FLOATS(72, SCALAR));
    expect_refusal(&floats, BARE("\"POSITION\":3"), "JSON:1:");
    pack many =
        pack_painted(&made, "\"componentType\":5125,\"count\":90000000,\"type\":\"SCALAR\"");
    expect_refusal(&many, BARE("\"POSITION\":3"), "JSON:1:");
    cut.size /= 2;
    pack half = pack_painted(&cut, CORNERS_AS(5123));
    expect_refusal(&half, BARE("\"POSITION\":3"), "compressed primitive 0: ");
    memcpy(cut.bytes, "DRAGO", 5);
    pack named = pack_painted(&cut, CORNERS_AS(5123));
    expect_refusal(&named, BARE("\"POSITION\":3"), "compressed primitive 0: Not a Draco file.");
}

static void random_damage_is_read_or_refused(void **state)
{
    (void)state;
    enum { TRIALS = 30 };
    painted made = make_painted(11);
    uint64_t seed = 5;
    int refused = 0;
    for (int i = 0; i < TRIALS; i++) {
        painted hurt = made;
        for (int k = 0; k <= i % 3; k++) {
            hurt.bytes[11 + random_bits(&seed) % (hurt.size - 11)] = (uint8_t)random_bits(&seed);
        }
        pack p = pack_painted(&hurt, CORNERS_AS(5123));
        wr_error error = {0};
        wr_model *model = try_pack(&p, BARE(ALL_IDS), &error);
        assert_true((model == NULL) == (error.message[0] != '\0'));
        refused += model == NULL;
        wr_model_destroy(model);
    }
    assert_in_range(refused, 1, TRIALS);
}

static void whatever_happens_to_draco_is_one_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        double seconds;
        const char *sentence;
    } ends[] = {
        {"--test-crash", 20, "m.glb: Draco crashed while reading it (signal 11)"},
        {"--test-hang", 1, "m.glb: Draco took longer than 1 s"},
        {"--test-throw", 20, "m.glb: Draco needed more memory than there is"},
        {"--test-rubbish", 20, "m.glb: Draco gave another number of bytes than 40"},
    };
    wri_array request = wri_array_create(NULL, 1);
    for (int i = 0; i < WRI_COUNT(ends); i++) {
        const wri_foreign_options options = {.seconds = ends[i].seconds, .test = ends[i].option};
        wr_error error = {0};
        wri_array answer;
        assert_false(wri_foreign_decode("m.glb", &request, 40, &options, &answer, &error));
        assert_string_equal(error.message, ends[i].sentence);
        wri_array_destroy(&answer);
    }
}

static int set_up_importer(void **state)
{
    wri_arena own = wri_arena_create(NULL);
    const char *here = wri_program_folder(&own);
    const char *path = here ? wri_path_join(&own, here, "../wrought-import") : NULL;
    if (path) {
        setenv("WROUGHT_IMPORT", path, 0);
    }
    wri_arena_destroy(&own);
    return set_up(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_draco_has_packed_is_read),
        cmocka_unit_test(the_usual_method_keeps_the_surface),
        cmocka_unit_test(without_the_importer_only_what_is_there_in_full_is_read),
        cmocka_unit_test(what_draco_cannot_decode_is_one_sentence),
        cmocka_unit_test(random_damage_is_read_or_refused),
        cmocka_unit_test(whatever_happens_to_draco_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, set_up_importer, tear_down);
}
