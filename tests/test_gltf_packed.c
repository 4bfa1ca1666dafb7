// test_gltf_packed.c: glTF whose buffers are compressed. The encoders are those of the libraries;
// what must come out is what went in.
#include "gltf_bytes.h"
#include "patch.h"

#include <meshoptimizer.h>

#define PACKED_MESH(MORE)                                                                          \
    "\"extensionsUsed\":[\"EXT_meshopt_compression\"],\"extensionsRequired\":["                    \
    "\"EXT_meshopt_compression\"],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":"     \
    "0" MORE "},\"indices\":1}]}]," ONE_NODE

// --- what meshoptimizer packs -----------------------------------------------------------------

typedef struct packed {
    const char *mode, *filter;
    size_t count, stride;
    uint8_t bytes[1024];
    size_t size;
    const char *extension; // NULL: EXT_meshopt_compression
    size_t promised;       // bytes that the view says it has, 0: as many as it has
    int view_stride;       // 0: none
} packed;

static packed pack_attributes(const void *values, size_t count, size_t stride, const char *filter)
{
    packed p = {.mode = "ATTRIBUTES", .filter = filter, .count = count, .stride = stride};
    p.size = meshopt_encodeVertexBuffer(p.bytes, sizeof p.bytes, values, count, stride);
    assert_true(p.size > 0);
    return p;
}

static packed pack_triangles(const unsigned *corners, size_t count, size_t stride)
{
    packed p = {.mode = "TRIANGLES", .filter = "NONE", .count = count, .stride = stride};
    p.size = meshopt_encodeIndexBuffer(p.bytes, sizeof p.bytes, corners, count);
    assert_true(p.size > 0);
    return p;
}

static packed pack_sequence(const unsigned *corners, size_t count, size_t stride)
{
    packed p = {.mode = "INDICES", .filter = "NONE", .count = count, .stride = stride};
    p.size = meshopt_encodeIndexSequence(p.bytes, sizeof p.bytes, corners, count);
    assert_true(p.size > 0);
    return p;
}

// A view of a buffer that is not there, with its bytes in the first one.
static int add_packed(pack *p, const packed *view)
{
    char text[400], stride[40] = "";
    if (view->view_stride) {
        snprintf(stride, sizeof stride, ",\"byteStride\":%d", view->view_stride);
    }
    p->buffers = ",{\"byteLength\":1000000,\"extensions\":{\"EXT_meshopt_compression\":{"
                 "\"fallback\":true}}}";
    snprintf(
        text, sizeof text,
        "{\"buffer\":1,\"byteLength\":%zu%s,\"extensions\":{\"%s\":{\"buffer\":0,\"byteOffset\":"
        "%zu,\"byteLength\":%zu,\"count\":%zu,\"byteStride\":%zu,\"mode\":\"%s\",\"filter\":"
        "\"%s\"}}}",
        view->promised ? view->promised : view->count * view->stride, stride,
        view->extension ? view->extension : "EXT_meshopt_compression",
        add_bytes(p, view->bytes, view->size), view->size, view->count, view->stride, view->mode,
        view->filter);
    return describe_view(p, text);
}

static wr_model *try_views(const packed *places, const packed *corners, const char *corner_fields,
                           wr_error *error)
{
    pack p = begin();
    add_accessor(&p, add_packed(&p, places), POSITIONS);
    add_accessor(&p, add_packed(&p, corners), corner_fields);
    return try_pack(&p, PACKED_MESH(""), error);
}

// Triangles may begin at another of their corners.
static void expect_patch(const wr_model *model, const patch *made)
{
    const wr_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->vertex_count, VERTICES);
    assert_int_equal(3 * mesh->triangle_count, CORNERS);
    assert_memory_equal(mesh->positions, made->positions, sizeof made->positions);
    for (int i = 0; i < CORNERS; i += 3) {
        const int *got = mesh->triangles + i;
        const unsigned *want = made->corners + i;
        int turn = got[0] == (int)want[0] ? 0 : got[0] == (int)want[1] ? 1 : 2;
        for (int k = 0; k < 3; k++) {
            assert_int_equal(got[k], want[(k + turn) % 3]);
        }
    }
}

static void every_mode_is_unpacked(void **state)
{
    (void)state;
    patch made = make_patch();
    const struct {
        packed corners;
        const char *fields;
    } modes[] = {
        {pack_triangles(made.corners, CORNERS, 2), CORNERS_AS(5123)},
        {pack_triangles(made.corners, CORNERS, 4), CORNERS_AS(5125)},
        {pack_sequence(made.corners, CORNERS, 2), CORNERS_AS(5123)},
        {pack_sequence(made.corners, CORNERS, 4), CORNERS_AS(5125)},
    };
    static const char *const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    for (int i = 0; i < 2 * WRI_COUNT(modes); i++) {
        packed places = pack_attributes(made.positions, VERTICES, 12, "NONE");
        packed corners = modes[i / 2].corners;
        places.extension = corners.extension = names[i % 2];
        wr_error error = {0};
        wr_model *model =
            need_model(try_views(&places, &corners, modes[i / 2].fields, &error), &error);
        assert_int_equal(model->warning_count, 0);
        expect_patch(model, &made);
        wr_model_destroy(model);
    }
}

// --- filters ----------------------------------------------------------------------------------

static void unit_directions(float out[VERTICES][4])
{
    for (int i = 0; i < VERTICES; i++) {
        double z = 1.0 - (2.0 * i + 1.0) / VERTICES, r = sqrt(1.0 - z * z), a = 2.4 * i;
        const float direction[4] = {(float)(r * cos(a)), (float)z, (float)(r * sin(a)), 0.0f};
        memcpy(out[i], direction, sizeof direction);
    }
}

// Normals as octahedral bytes and shorts, positions with their exponent apart.
static void vertex_filters_are_undone(void **state)
{
    (void)state;
    static const struct {
        int stride, bits;
        double off; // a step of each coordinate in the octahedron
        const char *fields;
    } kinds[] = {
        {4, 8, 0.02, "\"componentType\":5120,\"normalized\":true,\"count\":20,\"type\":\"VEC3\""},
        {8, 12, 0.001, "\"componentType\":5122,\"normalized\":true,\"count\":20,\"type\":\"VEC3\""},
    };
    patch made = make_patch();
    float normals[VERTICES][4];
    uint8_t coded[VERTICES * 12];
    unit_directions(normals);
    for (int n = 0; n < WRI_COUNT(kinds); n++) {
        pack p = begin();
        size_t stride = (size_t)kinds[n].stride;
        meshopt_encodeFilterExp(coded, VERTICES, 12, 15, made.positions[0]);
        packed places = pack_attributes(coded, VERTICES, 12, "EXPONENTIAL");
        packed corners = pack_triangles(made.corners, CORNERS, 2);
        meshopt_encodeFilterOct(coded, VERTICES, stride, kinds[n].bits, normals[0]);
        packed turned = pack_attributes(coded, VERTICES, stride, "OCTAHEDRAL");
        turned.view_stride = kinds[n].stride;
        add_accessor(&p, add_packed(&p, &places), POSITIONS);
        add_accessor(&p, add_packed(&p, &corners), CORNERS_AS(5123));
        add_accessor(&p, add_packed(&p, &turned), kinds[n].fields);
        wr_model *model = read_pack(&p, PACKED_MESH(",\"NORMAL\":2"));
        const wr_mesh *mesh = &model->meshes[0];
        for (int i = 0; i < 3 * VERTICES; i++) {
            CHECK_NEAR((&mesh->positions->x)[i], made.positions[i / 3][i % 3], 2.0 / (1 << 13));
            CHECK_NEAR((&mesh->normals->x)[i], normals[i / 3][i % 3], kinds[n].off);
        }
        wr_model_destroy(model);
    }
}

static void quaternions_of_clips_are_unpacked(void **state)
{
    (void)state;
    enum { KEYS = 16 };
    float times[KEYS], turns[KEYS][4];
    uint8_t coded[KEYS * 8];
    for (int i = 0; i < KEYS; i++) {
        double a = 0.3 * i - 1.0, b = 0.7 * i;
        times[i] = 0.25f * (float)i;
        const float turn[4] = {(float)(sin(a) * cos(b)), (float)(sin(a) * sin(b) * 0.6),
                               (float)(sin(a) * sin(b) * 0.8), (float)cos(a)};
        memcpy(turns[i], turn, sizeof turn);
    }
    pack p = begin();
    packed clock = pack_attributes(times, KEYS, 4, "NONE");
    meshopt_encodeFilterQuat(coded, KEYS, 8, 16, turns[0]);
    packed turned = pack_attributes(coded, KEYS, 8, "QUATERNION");
    add_floats(&p, triangle, 9, FLOATS(3, VEC3));
    add_accessor(&p, add_packed(&p, &clock), FLOATS(16, SCALAR));
    add_accessor(&p, add_packed(&p, &turned),
                 "\"componentType\":5122,\"normalized\":true,\"count\":16,\"type\":\"VEC4\"");
    wr_model *model = read_pack(
        &p, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]," ONE_NODE
            ",\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
            "\"rotation\"}}],\"samplers\":[{\"input\":1,\"output\":2}]}]");
    const wr_track *track = &model->clips[0].tracks[0];
    assert_int_equal(track->key_count, KEYS);
    assert_memory_equal(track->times, times, sizeof times);
    for (int i = 0; i < KEYS; i++) {
        double dot = 0.0;
        for (int k = 0; k < 4; k++) {
            dot += (double)track->values[4 * i + k] * (double)turns[i][k];
        }
        CHECK_NEAR(fabs(dot), 1.0, 1e-7); // q and -q are the same turn
    }
    wr_model_destroy(model);
}

// --- damage -----------------------------------------------------------------------------------

static void expect_refusal(const packed *places, const packed *corners, const char *sentence)
{
    wr_error error = {0};
    wr_model *model = try_views(places, corners, CORNERS_AS(5123), &error);
    assert_null(model);
    const char *place = strstr(error.message, "made.glb: JSON:1:");
    if (!place || !strstr(place, sentence)) {
        fail_msg("%s\nexpected: %s", error.message, sentence);
    }
}

static void what_cannot_be_unpacked_is_one_sentence(void **state)
{
    (void)state;
    patch made = make_patch();
    const packed places = pack_attributes(made.positions, VERTICES, 12, "NONE");
    const packed corners = pack_triangles(made.corners, CORNERS, 2);
    packed p = places, c = corners;
    p.size -= 7;
    expect_refusal(&p, &corners, "buffer view 0: its compressed bytes are damaged");
    p.size = 0;
    expect_refusal(&p, &corners, "buffer view 0: its bytes are not compressed as their mode says");
    p = places, p.bytes[0] = 0xa1; // what KHR_meshopt_compression adds
    expect_refusal(&p, &corners,
                   "buffer view 0 is compressed by version 1 of the meshopt codec, expected at "
                   "most 0");
    p = places, p.mode = "POINTS";
    expect_refusal(&p, &corners,
                   "buffer view 0 is compressed with the mode \"POINTS\", which is not known");
    p = places, p.filter = "COLOR";
    expect_refusal(&p, &corners,
                   "buffer view 0 is compressed with the filter \"COLOR\", which is not known");
    p = places, p.filter = "QUATERNION";
    expect_refusal(&p, &corners,
                   "buffer view 0: 20 elements of 12 bytes cannot be compressed with this mode and "
                   "filter");
    p = places, p.stride = 10;
    expect_refusal(&p, &corners, "buffer view 0: 20 elements of 10 bytes cannot be compressed");
    p = places, p.promised = 252;
    expect_refusal(&p, &corners,
                   "buffer view 0 has 252 bytes, but is compressed from 20 elements of 12");
    p = places, p.count = 200000000;
    expect_refusal(&p, &corners, "the model takes more than 67 MB, 64 times the file and 67 MB");
    c.count = 71;
    expect_refusal(&places, &c, "buffer view 1: 71 elements of 2 bytes cannot be compressed");
    c = corners, c.mode = "INDICES";
    expect_refusal(&places, &c, "buffer view 1: its bytes are not compressed as their mode says");
    c = corners, c.bytes[0] = 0xe7;
    expect_refusal(&places, &c,
                   "buffer view 1 is compressed by version 7 of the meshopt codec, expected at "
                   "most 1");
}

// Whatever the bytes are, something is read or refused, and nothing else happens.
static void random_damage_is_read_or_refused(void **state)
{
    (void)state;
    enum { TRIALS = 120 };
    patch made = make_patch();
    const packed places = pack_attributes(made.positions, VERTICES, 12, "EXPONENTIAL");
    const packed corners = pack_triangles(made.corners, CORNERS, 2);
    uint64_t seed = 17;
    int refused = 0;
    for (int i = 0; i < TRIALS; i++) {
        packed p = places, c = corners;
        packed *hurt = i % 2 ? &p : &c;
        for (int k = 0; k <= i % 5; k++) {
            hurt->bytes[1 + random_bits(&seed) % (hurt->size - 1)] = (uint8_t)random_bits(&seed);
        }
        wr_error error = {0};
        wr_model *model = try_views(&p, &c, CORNERS_AS(5123), &error);
        assert_true((model == NULL) == (error.message[0] != '\0'));
        refused += model == NULL;
        wr_model_destroy(model);
    }
    assert_in_range(refused, TRIALS / 10, TRIALS - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mode_is_unpacked),
        cmocka_unit_test(vertex_filters_are_undone),
        cmocka_unit_test(quaternions_of_clips_are_unpacked),
        cmocka_unit_test(what_cannot_be_unpacked_is_one_sentence),
        cmocka_unit_test(random_damage_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
