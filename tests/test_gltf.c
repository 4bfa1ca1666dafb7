// test_gltf.c: promises of glTF in and out: skins, morph targets, clips, JPEG textures.
#include "check.h"

#include "../src/base/os.h"
#include "../src/file/jpeg.h"
#include "../src/file/model.h"
#include "same_model.h"

#include <jpeglib.h>

static temporary_folder folder;

static int make_folder(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

static const char *in_folder(const char *name)
{
    static char paths[4][600];
    static int next = 0;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder.path, name);
    return path;
}

static wr_model *round_trip(const wr_model *model)
{
    wr_error error = {0};
    const char *path = in_folder("again.glb");
    if (!wr_model_write_glb(model, path, &error)) {
        fail_msg("%s", error.message);
    }
    return read_ok(path);
}

// scripts/web_test.sh names a folder here and shows what is in it to the Khronos validator.
static void keep(const wr_model *model, const char *name)
{
    const char *rigs = getenv("WROUGHT_RIGS");
    wr_error error = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", rigs ? rigs : "", name);
    if (rigs && !wr_model_write_glb(model, path, &error)) {
        fail_msg("%s", error.message);
    }
}

// --- a rig written by hand --------------------------------------------------------------------

// A square on two joints with two morph targets, in every form that glTF has for such data.
typedef struct rig_data {
    float positions[4][3];
    uint8_t joints[4][4];
    uint8_t weights[4][4]; // of 255
    uint16_t more_joints[4][4];
    float more_weights[4][4];
    float target[4][3];
    float moved[3];
    uint16_t moved_which[2];
    float matrices[2][16];
    float times[3];
    float places[3][3];
    float turns[3][4];
    float morphs[3][2];
    float cubic[6][3];
} rig_data;

static const rig_data the_rig = {
    .positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
    .joints = {{0}, {1}, {0, 1}, {0}},
    .weights = {{255}, {255}, {51, 204}, {102}},
    .more_joints = {{1}, {9}, {0}, {0}},
    .more_weights = {{1.0f}, {0}, {0}, {0.6f}},
    .target = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}},
    .moved = {7, 8, 9},
    .moved_which = {2, 0},
    .matrices = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                 {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}},
    .times = {0.0f, 0.5f, 1.25f},
    .places = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
    .turns = {{0, 0, 0, 1}, {0, 0, 3, 4}, {0.6f, 0.8f, 0, 0}},
    .morphs = {{0, 1}, {0.5f, 0.25f}, {1, 0}},
    .cubic = {{0}, {1, 1, 1}, {2, 0, 0}, {0, 2, 0}, {3, 3, 3}, {0}},
};

#define ATTRIBUTES                                                                                 \
    "\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2,\"JOINTS_1\":3,\"WEIGHTS_1\":"  \
    "4}"
static const char rig_json[] =
    "{\"asset\":{\"version\":\"2.0\"},\n"
    "\"buffers\":[{\"byteLength\":560}],\n\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},"
    "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":16},"
    "{\"buffer\":0,\"byteOffset\":64,\"byteLength\":16},"
    "{\"buffer\":0,\"byteOffset\":80,\"byteLength\":32},"
    "{\"buffer\":0,\"byteOffset\":112,\"byteLength\":64},"
    "{\"buffer\":0,\"byteOffset\":176,\"byteLength\":48},"
    "{\"buffer\":0,\"byteOffset\":224,\"byteLength\":12},"
    "{\"buffer\":0,\"byteOffset\":236,\"byteLength\":4},"
    "{\"buffer\":0,\"byteOffset\":240,\"byteLength\":128},"
    "{\"buffer\":0,\"byteOffset\":368,\"byteLength\":12},"
    "{\"buffer\":0,\"byteOffset\":380,\"byteLength\":36},"
    "{\"buffer\":0,\"byteOffset\":416,\"byteLength\":48},"
    "{\"buffer\":0,\"byteOffset\":464,\"byteLength\":24},"
    "{\"buffer\":0,\"byteOffset\":488,\"byteLength\":72}],\n"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
    "{\"bufferView\":1,\"componentType\":5121,\"count\":4,\"type\":\"VEC4\"},"
    "{\"bufferView\":2,\"componentType\":5121,\"normalized\":true,\"count\":4,\"type\":\"VEC4\"},"
    "{\"bufferView\":3,\"componentType\":5123,\"count\":4,\"type\":\"VEC4\"},"
    "{\"bufferView\":4,\"componentType\":5126,\"count\":4,\"type\":\"VEC4\"},"
    "{\"bufferView\":5,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
    "{\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":"
    "{\"bufferView\":7,\"componentType\":5123},\"values\":{\"bufferView\":6}}},"
    "{\"bufferView\":8,\"componentType\":5126,\"count\":2,\"type\":\"MAT4\"},"
    "{\"bufferView\":9,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
    "{\"bufferView\":10,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
    "{\"bufferView\":11,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"
    "{\"bufferView\":12,\"componentType\":5126,\"count\":6,\"type\":\"SCALAR\"},"
    "{\"bufferView\":13,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"},"
    "{\"bufferView\":9,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"}],\n"
    "\"meshes\":[{\"primitives\":[{" ATTRIBUTES ",\"mode\":5,\"targets\":[{\"POSITION\":5},"
    "{\"POSITION\":6}]}],\"weights\":[0.5,0],\"extras\":{\"targetNames\":[\"up\",\"far\"]}}],\n"
    "\"skins\":[{\"name\":\"idle\",\"joints\":[0]},"
    "{\"name\":\"bones\",\"inverseBindMatrices\":7,\"joints\":[1,2]}],\n"
    "\"nodes\":[{\"mesh\":0,\"skin\":1,\"weights\":[0.25,1]},{\"name\":\"a\",\"children\":[2]},"
    "{\"name\":\"b\",\"translation\":[0,1,0]},{\"name\":\"outside\"}],\n"
    "\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],\n"
    "\"animations\":[{\"name\":\"gone\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":3,"
    "\"path\":\"translation\"}}],\"samplers\":[{\"input\":8,\"output\":9}]},"
    "{\"name\":\"all\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":"
    "\"translation\"}},{\"sampler\":1,\"target\":{\"node\":2,\"path\":\"rotation\"}},"
    "{\"sampler\":2,\"target\":{\"node\":0,\"path\":\"weights\"}},"
    "{\"sampler\":3,\"target\":{\"node\":2,\"path\":\"scale\"}},"
    "{\"sampler\":0,\"target\":{\"path\":\"pointer\"}}],"
    "\"samplers\":[{\"input\":8,\"output\":9,\"interpolation\":\"STEP\"},{\"input\":8,\"output\":"
    "10},{\"input\":8,\"output\":11,\"interpolation\":\"LINEAR\"},"
    "{\"input\":13,\"output\":12,\"interpolation\":\"CUBICSPLINE\"}]}]}";

typedef struct blob {
    char bytes[16384];
    size_t size;
} blob;

static void put_u32(char *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (char)(value >> (8 * i));
    }
}

static void make_glb(const char *json, const void *binary, size_t binary_size, blob *b)
{
    size_t json_size = (strlen(json) + 3) / 4 * 4;
    b->size = 28 + json_size + binary_size;
    assert_true(b->size <= sizeof b->bytes);
    memcpy(b->bytes, "glTF\2\0\0\0", 8);
    put_u32(b->bytes + 8, (uint32_t)b->size);
    put_u32(b->bytes + 12, (uint32_t)json_size);
    memcpy(b->bytes + 16, "JSON", 4);
    memset(b->bytes + 20, ' ', json_size);
    memcpy(b->bytes + 20, json, strlen(json));
    put_u32(b->bytes + 20 + json_size, (uint32_t)binary_size);
    memcpy(b->bytes + 24 + json_size, "BIN\0", 4);
    memcpy(b->bytes + 28 + json_size, binary, binary_size);
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

static wr_model *read_rig(const char *json, const rig_data *data)
{
    blob b;
    make_glb(json, data, sizeof *data, &b);
    return read_ok(put_file("rig.glb", b.bytes, b.size));
}

static void joints_of_all_sets_become_one_tidy_list(void **state)
{
    (void)state;
    wr_model *m = read_rig(rig_json, &the_rig);
    const wr_mesh *mesh = m->meshes;
    assert_int_equal(mesh->influence_count, 2); // no vertex needs more
    static const int joints[] = {0, 1, 1, 0, 1, 0, 0, 0};
    const float weights[] = {0.5f, 0.5f, 1.0f, 0.0f, 0.8f, 0.2f, 1.0f, 0.0f};
    assert_memory_equal(mesh->joints, joints, sizeof joints);
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(mesh->weights[i], weights[i], 6e-8);
    }
    wr_model_destroy(m);
}

static void skins_keep_joints_matrices_and_names(void **state)
{
    (void)state;
    wr_model *m = read_rig(rig_json, &the_rig);
    assert_int_equal(m->skin_count, 1); // nobody wears the other one
    const wr_model_skin *skin = m->skins;
    assert_string_equal(skin->name, "bones");
    assert_int_equal(skin->joint_count, 2);
    assert_string_equal(m->nodes[skin->joints[0]].name, "a");
    assert_string_equal(m->nodes[skin->joints[1]].name, "b");
    assert_true(skin->inverse_bind[1].m[1][3] == -1.0f && skin->inverse_bind[1].m[1][1] == 1.0f);
    assert_int_equal(m->nodes[0].skin, 0);
    assert_int_equal(m->nodes[1].skin, -1);
    wr_model_destroy(m);
    char json[sizeof rig_json + 64];
    strcpy(json, rig_json);
    memset(strstr(json, "\"inverseBindMatrices\":7,"), ' ', 24);
    m = read_rig(json, &the_rig); // identity
    assert_true(m->skins->inverse_bind[1].m[1][3] == 0.0f);
    assert_true(m->skins->inverse_bind[1].m[2][2] == 1.0f);
    wr_model_destroy(m);
}

static void morph_targets_keep_offsets_names_and_weights(void **state)
{
    (void)state;
    wr_model *m = read_rig(rig_json, &the_rig);
    const wr_mesh *mesh = m->meshes;
    assert_int_equal(mesh->morph_count, 2);
    assert_string_equal(mesh->morphs[0].name, "up");
    assert_string_equal(mesh->morphs[1].name, "far");
    assert_true(mesh->morphs[0].weight == 0.5f && mesh->morphs[1].weight == 0.0f);
    assert_memory_equal(mesh->morphs[0].positions, the_rig.target, sizeof the_rig.target);
    for (int i = 0; i < 4; i++) { // the sparse one
        wr_vec3 expected = i == 2 ? wr_v3(7, 8, 9) : wr_v3(0, 0, 0);
        assert_memory_equal(&mesh->morphs[1].positions[i], &expected, sizeof expected);
    }
    assert_null(mesh->morphs[0].normals);
    const float own[] = {0.25f, 1.0f};
    assert_memory_equal(m->nodes[0].morph_weights, own, sizeof own);
    assert_null(m->nodes[1].morph_weights);
    wr_model_destroy(m);
}

static void clips_keep_every_path_and_interpolation(void **state)
{
    (void)state;
    wr_model *m = read_rig(rig_json, &the_rig);
    assert_int_equal(m->clip_count, 1); // the other one moves nothing of the scene
    const wr_clip *clip = m->clips;
    assert_string_equal(clip->name, "all");
    assert_int_equal(clip->track_count, 4);
    CHECK_NEAR(wr_clip_length(clip), 1.25, 0.0);
    const float turns[] = {0, 0, 0, 1, 0, 0, 0.6f, 0.8f, 0.6f, 0.8f, 0, 0}; // unit length now
    const void *values[] = {the_rig.places, turns, the_rig.morphs, the_rig.cubic};
    const size_t sizes[] = {36, 48, 24, 72};
    static const int nodes[] = {1, 2, 0, 2}, keys[] = {3, 3, 3, 2};
    static const wr_channel channels[] = {WR_CHANNEL_POSITION, WR_CHANNEL_ROTATION,
                                          WR_CHANNEL_WEIGHTS, WR_CHANNEL_SCALE};
    static const wr_interpolation kinds[] = {WR_INTERPOLATION_STEP, WR_INTERPOLATION_LINEAR,
                                             WR_INTERPOLATION_LINEAR, WR_INTERPOLATION_CUBIC};
    for (int i = 0; i < 4; i++) {
        const wr_track *track = &clip->tracks[i];
        assert_int_equal(track->node, nodes[i]);
        assert_int_equal(track->key_count, keys[i]);
        assert_int_equal(track->channel, channels[i]);
        assert_int_equal(track->interpolation, kinds[i]);
        assert_memory_equal(track->times, the_rig.times, (size_t)keys[i] * sizeof(float));
        assert_memory_equal(track->values, values[i], sizes[i]);
    }
    wr_model_destroy(m);
}

static void what_is_read_is_written_and_read_again_bit_for_bit(void **state)
{
    (void)state;
    wr_model *m = read_rig(rig_json, &the_rig);
    wr_model *back = round_trip(m);
    keep(m, "rig-by-hand.glb");
    assert_same_model(m, back);
    wr_model_destroy(back);
    wr_model_destroy(m);
}

// --- a rig made in memory ---------------------------------------------------------------------

enum { VERTICES = 50, JOINTS = 300, INFLUENCES = 7, MORPHS = 3 };

static void fill_influences(wr_model *m, wr_mesh *mesh, uint64_t *seed)
{
    mesh->influence_count = INFLUENCES;
    mesh->joints = wr_model_alloc(m, VERTICES, INFLUENCES * sizeof(int));
    mesh->weights = wr_model_alloc(m, VERTICES, INFLUENCES * sizeof(float));
    for (int i = 0; i < VERTICES; i++) {
        int *joints = &mesh->joints[INFLUENCES * i], used = 1 + i % INFLUENCES;
        float *weights = &mesh->weights[INFLUENCES * i];
        for (int k = 0; k < used; k++) {
            joints[k] = (37 * i + 41 * k) % JOINTS;
            weights[k] = random_float(seed, 0.01f, 1.0f);
        }
        wri_tidy_influences(INFLUENCES, joints, weights);
    }
}

static void fill_mesh(wr_model *m, wr_mesh *mesh, uint64_t *seed)
{
    *mesh = (wr_mesh){.name = "sheet", .vertex_count = VERTICES, .triangle_count = VERTICES - 2};
    mesh->positions = wr_model_alloc(m, VERTICES, sizeof(wr_vec3));
    mesh->normals = wr_model_alloc(m, VERTICES, sizeof(wr_vec3));
    mesh->triangles = wr_model_alloc(m, VERTICES, 3 * sizeof(int));
    mesh->parts = wr_model_alloc(m, 2, sizeof(wr_mesh_part));
    mesh->morphs = wr_model_alloc(m, MORPHS, sizeof(wr_morph));
    mesh->part_count = 2;
    mesh->parts[0] = (wr_mesh_part){0, 20, -1};
    mesh->parts[1] = (wr_mesh_part){20, VERTICES - 22, -1};
    mesh->morph_count = MORPHS;
    for (int k = 0; k < MORPHS; k++) {
        wr_morph *morph = &mesh->morphs[k];
        *morph = (wr_morph){.name = k ? "m\xc3\xb6rph \"2\"" : "", .weight = 0.1f * (float)k};
        morph->positions = wr_model_alloc(m, VERTICES, sizeof(wr_vec3));
        morph->normals = k == 1 ? NULL : wr_model_alloc(m, VERTICES, sizeof(wr_vec3));
    }
    for (int i = 0; i < VERTICES; i++) {
        mesh->positions[i] = wr_v3(0.1f * (float)i, random_float(seed, -1, 1), (float)(i % 2));
        mesh->normals[i] = wr_v3(0, 0, 1);
        for (int k = 0; k < MORPHS; k++) {
            mesh->morphs[k].positions[i] = wr_v3(random_float(seed, -1, 1), 0, (float)k);
            if (mesh->morphs[k].normals) {
                mesh->morphs[k].normals[i] = wr_v3(random_float(seed, -1, 1), 0, 0);
            }
        }
        for (int k = 0; k < 3 && i < VERTICES - 2; k++) {
            mesh->triangles[3 * i + k] = i + k;
        }
    }
    fill_influences(m, mesh, seed);
}

static void fill_skin(wr_model *m, wr_model_skin *skin, uint64_t *seed)
{
    *skin = (wr_model_skin){.name = "spine", .joint_count = JOINTS};
    skin->joints = wr_model_alloc(m, JOINTS, sizeof *skin->joints);
    skin->inverse_bind = wr_model_alloc(m, JOINTS, sizeof *skin->inverse_bind);
    for (int i = 0; i < JOINTS; i++) {
        skin->joints[i] = 2 + (i * 7) % JOINTS;
        for (int k = 0; k < 12; k++) {
            skin->inverse_bind[i].m[k / 4][k % 4] = random_float(seed, -2, 2);
        }
    }
}

static wr_track make_track(wr_model *m, int node, wr_channel channel, wr_interpolation kind,
                           uint64_t *seed)
{
    enum { KEYS = 5 };
    wr_track track = {node, channel, kind, KEYS, NULL, NULL};
    int rows = KEYS * (kind == WR_INTERPOLATION_CUBIC ? 3 : 1), width = wr_track_width(m, &track);
    track.times = wr_model_alloc(m, KEYS, sizeof(float));
    track.values = wr_model_alloc(m, (size_t)rows, (size_t)width * sizeof(float));
    for (int i = 0; i < KEYS; i++) {
        track.times[i] = (float)i / 3.0f;
    }
    for (int i = 0; i < rows * width; i++) {
        track.values[i] = random_float(seed, -1, 1);
    }
    for (int i = 0; channel == WR_CHANNEL_ROTATION && i < rows; i++) {
        wr_quat *q = (wr_quat *)&track.values[4 * i];
        *q = kind == WR_INTERPOLATION_CUBIC && i % 3 != 1 ? *q : wr_quat_normalize(*q);
    }
    return track;
}

static void fill_clips(wr_model *m, uint64_t *seed)
{
    m->clips = wr_model_alloc(m, 3, sizeof *m->clips);
    m->clip_count = 3;
    for (int i = 0; i < 3; i++) { // one per interpolation, each over all channels
        wr_clip *clip = &m->clips[i];
        clip->name = i ? "run" : "walk";
        clip->track_count = 4;
        clip->tracks = wr_model_alloc(m, 4, sizeof *clip->tracks);
        for (int k = 0; k < 4; k++) {
            int node = k == WR_CHANNEL_WEIGHTS ? 0 : 5 + i;
            clip->tracks[k] = make_track(m, node, (wr_channel)k, (wr_interpolation)i, seed);
        }
    }
}

// Two nodes show the sheet, one with weights of its own, on a spine of many joints.
static wr_model *make_rig(void)
{
    wr_model *m = wr_model_create(NULL, NULL);
    uint64_t seed = 5;
    m->name = "again";
    m->meshes = wr_model_alloc(m, 1, sizeof *m->meshes);
    m->skins = wr_model_alloc(m, 1, sizeof *m->skins);
    m->nodes = wr_model_alloc(m, 2 + JOINTS, sizeof *m->nodes);
    m->mesh_count = m->skin_count = 1;
    m->node_count = 2 + JOINTS;
    fill_mesh(m, m->meshes, &seed);
    fill_skin(m, m->skins, &seed);
    float *own = wr_model_alloc(m, MORPHS, sizeof *own);
    own[1] = 0.3f;
    for (int i = 0; i < m->node_count; i++) {
        m->nodes[i] = (wr_node){.name = "joint",
                                .parent = i < 3 ? -1 : i - 1 - i % 2,
                                .mesh = i < 2 ? 0 : -1,
                                .skin = i < 2 ? 0 : -1,
                                .pose = WR_POSE_IDENTITY,
                                .scale = {1, 1, 1},
                                .morph_weights = i == 1 ? own : NULL};
        m->nodes[i].parent = i < 3 ? -1 : i == 3 ? 2 : i - 1 - i % 2;
        m->nodes[i].pose.position.y = i < 2 ? 0.0f : 0.1f;
    }
    fill_clips(m, &seed);
    return m;
}

static void a_rig_survives_writing_bit_for_bit(void **state)
{
    (void)state;
    wr_model *m = make_rig();
    wr_model *back = round_trip(m);
    keep(m, "rig-of-many-joints.glb");
    assert_same_model(m, back);
    wr_model_destroy(back);
    wr_model_destroy(m);
}

// As viewers show it before they play: the weights of the node win over those of the mesh.
static void flattening_applies_the_weights_of_every_node(void **state)
{
    (void)state;
    wr_model *m = make_rig();
    wr_mesh *mesh = m->meshes;
    m->nodes[0].skin = m->nodes[1].skin = -1;
    wr_error error = {0};
    wr_model *flat = wr_model_flatten(m, &error);
    assert_non_null(flat);
    for (int i = 0; i < 2 * VERTICES; i++) {
        int v = i % VERTICES;
        wr_vec3 expected = mesh->positions[v];
        for (int k = 0; k < MORPHS; k++) {
            float w = i < VERTICES ? 0.1f * (float)k : k == 1 ? 0.3f : 0.0f;
            expected = wr_add_scaled(expected, w, mesh->morphs[k].positions[v]);
        }
        CHECK_NEAR(wr_distance(flat->meshes->positions[i], expected), 0.0, 1e-6);
    }
    wr_model_destroy(flat);
    wr_model_destroy(m);
}

// Whatever order and scale the weights have, what is written means the same.
static void untidy_weights_are_written_tidily(void **state)
{
    (void)state;
    wr_model *m = make_rig();
    wr_mesh *mesh = m->meshes;
    float *w = mesh->weights;
    int *j = mesh->joints;
    memcpy(j, (int[]){4, 299, 4, 8, 0, 0, 0}, 7 * sizeof(int));
    memcpy(w, (float[]){0.5f, 2.0f, 1.0f, 0.0f, 0.5f, 0, 0}, 7 * sizeof(float));
    memset(w + 7, 0, 7 * sizeof(float));
    wr_model *back = round_trip(m);
    const wr_mesh *read = back->meshes;
    static const int joints[] = {299, 4, 0, 0};
    const float weights[] = {0.5f, 0.375f, 0.125f, 0.0f};
    assert_memory_equal(read->joints, joints, sizeof joints);
    assert_memory_equal(read->weights, weights, sizeof weights);
    assert_int_equal(read->joints[7], 0); // without weights: the first joint
    assert_true(read->weights[7] == 1.0f && read->weights[8] == 0.0f);
    wr_model_destroy(back);
    wr_model_destroy(m);
}

static void expect_refused(const wr_model *model, const char *fragment)
{
    wr_error error = {0};
    const char *path = in_folder("refused.glb");
    assert_false(wr_model_write_glb(model, path, &error));
    if (!strstr(error.message, fragment)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, fragment);
    }
    assert_false(wri_file_exists(path));
}

static void the_writer_refuses_rigs_that_point_nowhere(void **state)
{
    (void)state;
    wr_model *m = make_rig();
    wr_mesh *mesh = m->meshes;
    m->nodes[1].skin = 1;
    expect_refused(m, "node 1: skin 1 of 1");
    m->nodes[1].skin = 0;
    mesh->joints[3] = JOINTS;
    expect_refused(m, "node 0: its mesh follows joint 300, but its skin has 300");
    mesh->joints[3] = -1;
    expect_refused(m, "mesh 0: vertex 0: joint -1 with weight 0");
    mesh->joints[3] = 0;
    mesh->weights[8] = NAN;
    expect_refused(m, "mesh 0: vertex 1: joint");
    mesh->weights[8] = 0;
    mesh->morphs[1].positions[9].y = INFINITY;
    expect_refused(m, "mesh 0: morph target 1 is not finite");
    mesh->morphs[1].positions[9].y = 0;
    m->skins->joints[5] = 400;
    expect_refused(m, "skin 0: joint 5 is node 400 of 302");
    m->skins->joints[5] = 4;
    m->skins->inverse_bind[2].m[0][1] = NAN;
    expect_refused(m, "skin 0: the matrix of joint 2 is not finite");
    m->skins->inverse_bind[2].m[0][1] = 0;
    m->clips[2].tracks[1].key_count = 1;
    expect_refused(m, "clip \"run\", track 1: too few keys: 1");
    wr_model_destroy(m);
}

// Joints mean nothing without a skin, and other programs warn about them.
static void joints_without_a_skin_are_not_written(void **state)
{
    (void)state;
    wr_model *m = make_rig();
    m->nodes[0].skin = m->nodes[1].skin = -1;
    wr_model *back = round_trip(m);
    assert_int_equal(back->meshes->influence_count, 0);
    assert_int_equal(back->skin_count, 0);
    assert_int_equal(back->meshes->morph_count, MORPHS);
    wr_model_destroy(back);
    wr_model_destroy(m);
}

// --- broken files -----------------------------------------------------------------------------

// One place of the rig's JSON is something else.
static const struct {
    const char *from, *to;
    wr_code code;
    const char *fragment;
} broken[] = {
    {"\"joints\":[1,2]", "\"joints\":[1,4]", WR_E_FORMAT, ":6:91: index: 4 is not below 4"},
    {"\"joints\":[1,2]", "\"joints\":[1,3]", WR_E_FORMAT,
     "skin 1: joint 1, node 3, is not part of the scene"},
    {"\"joints\":[1,2]", "\"joints\":[]", WR_E_FORMAT, "skin 1 has no joints"},
    {"\"joints\":[1,2]", "\"joints\":[1]", WR_E_FORMAT,
     "node 0: its mesh follows joint 1, but its skin has 1"},
    {"\"skin\":1", "\"skin\":2", WR_E_FORMAT, "skin: 2 is not below 2"},
    {"\"inverseBindMatrices\":7", "\"inverseBindMatrices\":8", WR_E_FORMAT,
     "accessor 8 cannot hold the matrices of 2 joints"},
    {"\"count\":2,\"type\":\"MAT4\"", "\"count\":1,\"type\":\"MAT4\"", WR_E_FORMAT,
     "accessor 7 cannot hold the matrices of 2 joints"},
    {"\"count\":2,\"type\":\"MAT4\"", "\"count\":3,\"type\":\"MAT4\"", WR_E_FORMAT,
     "accessor 7 needs 192 bytes, but its buffer view has 128"},
    {"\"WEIGHTS_1\":4", "\"WEIGHTS_9\":4", WR_E_FORMAT, "JOINTS_1 without WEIGHTS_1"},
    {"\"JOINTS_0\":1,", "", WR_E_FORMAT, "WEIGHTS_0 without JOINTS_0"},
    {"\"JOINTS_0\":1", "\"JOINTS_0\":4", WR_E_FORMAT,
     "accessor 4 holds joints with componentType 5126, expected 5121 or 5123"},
    {"\"JOINTS_0\":1", "\"JOINTS_0\":14", WR_E_FORMAT, "JOINTS_0: 14 is not below 14"},
    {"\"WEIGHTS_0\":2", "\"WEIGHTS_0\":10", WR_E_FORMAT,
     "set of weights 0: accessor 10 has 3 elements of 4 numbers, expected 4 of 4, one per vertex"},
    {"\"targets\":[", "\"targets\":[7,", WR_E_FORMAT,
     "morph target 0 is a number, expected an object"},
    {"{\"POSITION\":5}", "{\"POSITION\":9}", WR_E_FORMAT,
     "morph target 0: accessor 9 has 3 elements of 3 numbers, expected 4 of 3, one per vertex"},
    {"{\"POSITION\":5}", "{\"POSITION\":2}", WR_E_FORMAT,
     "morph target 0: accessor 2 has 4 elements of 4 numbers, expected 4 of 3, one per vertex"},
    {"{\"POSITION\":5}", "{\"POSITION\":-1}", WR_E_FORMAT,
     "POSITION: expected a whole number from 0"},
    {"\"weights\":[0.5,0]", "\"weights\":[0.5]", WR_E_FORMAT, "weights: expected 2 numbers"},
    {"\"weights\":[0.25,1]", "\"weights\":[0.25,1,2]", WR_E_FORMAT, "weights: expected 2 numbers"},
    {"\"weights\":[0.25,1]", "\"weights\":[0.25,1e99]", WR_E_FORMAT, "the number is too large"},
    {"\"mode\":5,\"targets\":[{\"POSITION\":5},{\"POSITION\":6}]}",
     "\"mode\":5,\"targets\":[{\"POSITION\":5},{\"POSITION\":6}]},{" ATTRIBUTES "}", WR_E_FORMAT,
     "the primitive has 0 morph targets, others of its mesh have 2"},
    {"\"mode\":5,\"targets\":[{\"POSITION\":5},{\"POSITION\":6}]}",
     "\"mode\":5},{\"attributes\":{\"POSITION\":0}}", WR_E_FORMAT,
     "only some primitives of the mesh have joints"},
    {"\"output\":9,", "\"output\":10,", WR_E_FORMAT,
     "accessor 10 has 3 elements of 4 numbers, expected 3 of 3"},
    {"\"output\":11,", "\"output\":8,", WR_E_FORMAT,
     "accessor 8 has 3 elements of 1 numbers, expected 6 of 1"},
    {"\"output\":12", "\"output\":9", WR_E_FORMAT,
     "accessor 9 has 3 elements of 3 numbers, expected 6 of 3"},
    {"\"CUBICSPLINE\"", "\"BEZIER\"", WR_E_UNSUPPORTED,
     "interpolation \"BEZIER\", expected LINEAR, STEP or CUBICSPLINE"},
    {"\"input\":13", "\"input\":9", WR_E_FORMAT, "accessor 9 cannot hold times"},
    {"\"input\":13,", "", WR_E_FORMAT, "the sampler needs input and output"},
    {"\"count\":2,\"type\":\"SCALAR\"", "\"count\":1,\"type\":\"SCALAR\"", WR_E_FORMAT,
     "CUBICSPLINE needs at least 2 keys"},
    {"{\"sampler\":3,", "{\"sampler\":4,", WR_E_FORMAT, "sampler: 4 is not below 4"},
    {"{\"sampler\":3,", "{", WR_E_FORMAT, "the channel has no sampler"},
    {"\"node\":0,\"path\":\"weights\"", "\"node\":1,\"path\":\"translation\"", WR_E_FORMAT,
     "accessor 11 has 6 elements of 1 numbers, expected 3 of 3"},
    {"{\"node\":1,\"path\":\"translation\"", "{\"node\":4,\"path\":\"translation\"", WR_E_FORMAT,
     "node: 4 is not below 4"},
    {"\"sampler\":3,\"target\":{\"node\":2,\"path\":\"scale\"",
     "\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"", WR_E_FORMAT,
     "clip \"all\", track 3: another one already moves node 1"},
    {"\"samplers\":[{\"input\":8,\"output\":9}]", "\"samplers\":7", WR_E_FORMAT,
     ":9:109: samplers is a number, expected an array"},
};

static void replace(const char *text, const char *from, const char *to, char *out)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    memcpy(out, text, (size_t)(at - text));
    strcpy(out + (at - text), to);
    strcat(out, at + strlen(from));
}

static void expect_error(const char *json, const rig_data *data, wr_code code, const char *fragment)
{
    blob b;
    wr_error error = {0};
    make_glb(json, data, sizeof *data, &b);
    wr_model *model = wr_model_read(put_file("broken.glb", b.bytes, b.size), NULL, &error);
    if (model) {
        fail_msg("was accepted, expected: %s", fragment);
    }
    if (!strstr(error.message, fragment) || !strstr(error.message, "broken.glb")) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, fragment);
    }
    assert_int_equal(error.code, code);
}

static void every_broken_rig_gets_its_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(broken); i++) {
        char json[sizeof rig_json + 512];
        replace(rig_json, broken[i].from, broken[i].to, json);
        expect_error(json, &the_rig, broken[i].code, broken[i].fragment);
    }
    char many[sizeof rig_json + 512] = "";
    for (int i = 2; i <= 8; i++) {
        char set[64];
        snprintf(set, sizeof set, "\"JOINTS_%d\":3,\"WEIGHTS_%d\":4,", i, i);
        strcat(many, set);
    }
    strcat(many, "\"POSITION\":0");
    char json[sizeof rig_json + 512];
    replace(rig_json, "\"POSITION\":0", many, json);
    expect_error(json, &the_rig, WR_E_UNSUPPORTED, "more than 32 joints per vertex");
}

static void every_broken_number_gets_its_sentence(void **state)
{
    (void)state;
    rig_data d = the_rig;
    d.times[1] = 0.0f;
    expect_error(rig_json, &d, WR_E_FORMAT,
                 "accessor 8: times must start at 0 or later and increase; time 1 is 0");
    d.times[1] = NAN;
    expect_error(rig_json, &d, WR_E_FORMAT, "time 1 is ");
    d.times[1] = 0.5f;
    d.times[0] = -0.5f;
    expect_error(rig_json, &d, WR_E_FORMAT, "time 0 is -0.5");
    d = the_rig;
    d.times[2] = INFINITY;
    expect_error(rig_json, &d, WR_E_FORMAT, "time 2 is inf");
    d = the_rig;
    d.places[2][1] = NAN;
    expect_error(rig_json, &d, WR_E_FORMAT, "accessor 9: element 2 is not finite");
    d = the_rig;
    d.more_weights[3][2] = NAN;
    expect_error(rig_json, &d, WR_E_FORMAT, "vertex 3 has the weight ");
    d.more_weights[3][2] = -0.1f;
    expect_error(rig_json, &d, WR_E_FORMAT, "vertex 3 has the weight -0.1");
    d = the_rig;
    d.joints[2][1] = 2;
    expect_error(rig_json, &d, WR_E_FORMAT, "its mesh follows joint 2, but its skin has 2");
    d = the_rig;
    d.target[1][1] = INFINITY;
    expect_error(rig_json, &d, WR_E_FORMAT, "mesh 0: morph target 0 is not finite");
    d = the_rig;
    d.matrices[1][3] = 1.0f;
    expect_error(rig_json, &d, WR_E_FORMAT, "accessor 7: the matrix of joint 1 is not an affine");
    d = the_rig;
    d.matrices[0][5] = NAN;
    expect_error(rig_json, &d, WR_E_FORMAT, "accessor 7: the matrix of joint 0 is not an affine");
    d = the_rig;
    d.moved_which[0] = 4;
    expect_error(rig_json, &d, WR_E_FORMAT, "accessor 6: sparse index 0 is 4, not below 4");
}

static void many_empty_targets_take_no_memory(void **state)
{
    (void)state;
    enum { TARGETS = 400 };
    char json[8192] = "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,"
                      "\"count\":100000,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{"
                      "\"attributes\":{\"POSITION\":0},\"targets\":[{}";
    for (int i = 1; i < TARGETS; i++) {
        strcat(json, ",{}");
    }
    strcat(json, "]}]}],\"nodes\":[{\"mesh\":0}]}");
    counting_heap heap = {.budget = INT32_MAX};
    wr_allocator allocator = counting_allocator(&heap);
    wr_error error = {0};
    const wr_read_options options = {.allocator = &allocator};
    assert_null(wr_model_read(put_file("many.gltf", json, strlen(json)), &options, &error));
    assert_int_equal(error.code, WR_E_UNSUPPORTED);
    assert_int_equal(heap.alive, 0);
    assert_true(heap.largest < 100u << 20);
}

// --- memory and chance ------------------------------------------------------------------------

static void every_allocation_may_fail(void **state)
{
    (void)state;
    blob b;
    make_glb(rig_json, &the_rig, sizeof the_rig, &b);
    const char *path = put_file("rig.glb", b.bytes, b.size);
    bool done = false;
    int budget = 0;
    for (; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        const wr_read_options options = {.allocator = &allocator};
        wr_model *model = wr_model_read(path, &options, &error);
        if (!model && error.code != WR_E_MEMORY) {
            fail_msg("allocation %d: %s", budget, error.message);
        }
        wr_model *flat = model ? wr_model_flatten(model, &error) : NULL;
        assert_true(flat || error.code == WR_E_MEMORY);
        done = flat != NULL;
        wr_model_destroy(flat);
        wr_model_destroy(model);
        assert_int_equal(heap.alive, 0);
    }
    assert_true(budget > 10);
}

// Everything that can be asked of a model; the sanitizers look on.
static void use(const wr_model *model)
{
    size_t nodes = (size_t)model->node_count + 1;
    wr_mat34 *world = calloc(nodes, sizeof *world);
    float *weights = calloc((size_t)wr_model_weight_count(model) + 1, sizeof *weights);
    for (int i = -1; i < model->clip_count; i++) {
        wr_model_pose(model, i < 0 ? NULL : &model->clips[i], 0.7, world, weights);
    }
    free(weights);
    free(world);
    wr_error error = {0};
    wr_model *flat = wr_model_flatten(model, &error);
    assert_true(flat || error.code == WR_E_UNSUPPORTED);
    wr_model_destroy(flat);
}

// Reads from an exact copy, so that the sanitizer sees every read past the end.
static bool try_bytes(const char *bytes, size_t size)
{
    wr_error error = {0};
    char *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    wr_model *model = wri_gltf_read("f", exact, size, NULL, &error);
    free(exact);
    bool sound = model && wri_model_check(model, "f", WR_E_FORMAT, &error);
    if (sound) {
        use(model);
    }
    wr_model_destroy(model);
    assert_true(sound || (error.code != WR_OK && error.message[0] == 'f'));
    return sound;
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    blob b;
    make_glb(rig_json, &the_rig, sizeof the_rig, &b);
    for (size_t i = 0; i < b.size; i++) {
        assert_false(try_bytes(b.bytes, i));
    }
    assert_true(try_bytes(b.bytes, b.size));
}

static void flip_and_try(const char *bytes, size_t size, int rounds, uint64_t seed)
{
    char *copy = malloc(size);
    int sound = 0;
    for (int i = 0; i < rounds; i++) {
        memcpy(copy, bytes, size);
        for (int k = 1 + (int)(random_bits(&seed) % 3); k > 0; k--) {
            uint64_t r = random_bits(&seed);
            char *at = &copy[(r >> 8) % size];
            *at = r & 1 ? (char)(*at ^ 1 << (r >> 1 & 7)) : "0129-\"],}\xff"[r >> 1 & 7];
        }
        sound += try_bytes(copy, size);
    }
    free(copy);
    assert_true(sound > 0 && sound < rounds); // otherwise nothing was tried
}

static void flipped_bytes_never_do_harm(void **state)
{
    (void)state;
    blob b;
    make_glb(rig_json, &the_rig, sizeof the_rig, &b);
    flip_and_try(b.bytes, b.size, 6000, 1);
    wr_model *m = make_rig();
    wr_error error = {0};
    size_t size;
    assert_true(wr_model_write_glb(m, in_folder("f.glb"), &error));
    char *bytes = wri_file_read(in_folder("f.glb"), 1 << 24, NULL, &size, &error);
    flip_and_try(bytes, size, 300, 2);
    wri_free(NULL, bytes, size + 1, 1);
    wr_model_destroy(m);
}

// --- rigs made by others ----------------------------------------------------------------------

static const struct {
    const char *name;
    int skins, joints, morphs, clips, tracks, keys;
    double length;
} others[] = {
    // Counted in their JSON: keys are the sum of the counts of all channels' inputs.
    {"AnimatedMorphCube", 0, 0, 2, 1, 1, 127, 4.19999743},
    {"CesiumMilkTruck", 0, 0, 0, 1, 2, 62, 1.25},
    {"Fox", 1, 24, 0, 3, 63, 2646, 3.4166667461395264},
    {"MorphPrimitivesTest", 0, 0, 1, 0, 0, 0, 0},
    {"RiggedFigure", 1, 19, 0, 1, 57, 114, 1.25},
    {"RiggedSimple", 1, 2, 0, 1, 3, 150, 2.0833330154418945},
};

static void count_all(const wr_model *m, int i)
{
    int joints = 0, morphs = 0, tracks = 0, keys = 0;
    double length = 0.0;
    for (int k = 0; k < m->skin_count; k++) {
        joints += m->skins[k].joint_count;
    }
    for (int k = 0; k < m->mesh_count; k++) {
        morphs += m->meshes[k].morph_count;
    }
    for (int k = 0; k < m->clip_count; k++) {
        tracks += m->clips[k].track_count;
        length = fmax(length, wr_clip_length(&m->clips[k]));
        for (int t = 0; t < m->clips[k].track_count; t++) {
            keys += m->clips[k].tracks[t].key_count;
        }
    }
    assert_int_equal(m->skin_count, others[i].skins);
    assert_int_equal(joints, others[i].joints);
    assert_int_equal(morphs, others[i].morphs);
    assert_int_equal(m->clip_count, others[i].clips);
    assert_int_equal(tracks, others[i].tracks);
    assert_int_equal(keys, others[i].keys);
    CHECK_NEAR(length, others[i].length, 1e-6);
}

static void rigs_made_by_others_are_read_and_survive_writing(void **state)
{
    (void)state;
    const char *data = getenv("WROUGHT_DATA");
    if (!data || !wri_is_folder(data)) {
        print_message("WROUGHT_DATA does not name a folder\n");
        skip();
    }
    for (int i = 0; i < WRI_COUNT(others); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/khronos/%s.glb", data, others[i].name);
        wr_model *model = read_ok(path);
        count_all(model, i);
        wr_model *back = round_trip(model);
        assert_same_model(model, back);
        use(back);
        wr_model_destroy(back);
        wr_model_destroy(model);
    }
}

// --- units and axes ---------------------------------------------------------------------------

// What all nodes show at a time of a clip, vertex after vertex; free it.
static wr_vec3 *show(const wr_model *model, const wr_clip *clip, double time, int *count)
{
    int vertices = 0, joints = 1;
    for (int i = 0; i < model->node_count; i++) {
        vertices += model->nodes[i].mesh < 0 ? 0 : model->meshes[model->nodes[i].mesh].vertex_count;
    }
    for (int i = 0; i < model->skin_count; i++) {
        joints += model->skins[i].joint_count;
    }
    wr_vec3 *positions = calloc((size_t)vertices, sizeof *positions);
    wr_mat34 *world = calloc((size_t)(model->node_count + joints), sizeof *world);
    float *weights = calloc((size_t)wr_model_weight_count(model) + 1, sizeof *weights);
    const float *w = weights;
    wr_model_pose(model, clip, time, world, weights);
    *count = 0;
    for (int i = 0; i < model->node_count; i++) {
        const wr_node *node = &model->nodes[i];
        if (node->mesh >= 0) {
            const wr_mesh *mesh = &model->meshes[node->mesh];
            wr_mat34 *skin = node->skin < 0 ? NULL : world + model->node_count;
            if (skin) {
                wr_model_skin_matrices(&model->skins[node->skin], world, skin);
            }
            wr_mesh_deform(mesh, w, &world[i], skin, positions + *count, NULL);
            *count += mesh->vertex_count;
            w += mesh->morph_count;
        }
    }
    free(weights);
    free(world);
    return positions;
}

// --- an arm for other programs ----------------------------------------------------------------

enum { ARM_KEYS = 31, ARM_RATE = 30 };

// A capsule along Y on two joints; the upper one bends to 100 degrees and twists on the way.
static wr_model *make_arm(void)
{
    wr_model *m = wr_model_create_primitive(WR_PRIMITIVE_CAPSULE, wr_v3(0.2f, 2, 0),
                                            (wr_color){0.8f, 0.5f, 0.4f, 1}, NULL);
    wr_mesh *mesh = m->meshes;
    mesh->influence_count = 2;
    mesh->joints = wr_model_alloc(m, (size_t)mesh->vertex_count * 2, sizeof(int));
    mesh->weights = wr_model_alloc(m, (size_t)mesh->vertex_count * 2, sizeof(float));
    for (int i = 0; i < mesh->vertex_count; i++) {
        float upper = wr_clampf(0.5f + mesh->positions[i].y, 0, 1);
        mesh->joints[2 * i + 1] = 1;
        mesh->weights[2 * i] = 1 - upper;
        mesh->weights[2 * i + 1] = upper;
    }
    m->nodes = wr_model_alloc(m, 3, sizeof *m->nodes);
    const wr_vec3 one = {1, 1, 1};
    m->nodes[0] = (wr_node){.name = "arm", .parent = -1, .skin = 0, .scale = one};
    m->nodes[1] = (wr_node){.name = "lower", .parent = -1, .mesh = -1, .skin = -1, .scale = one};
    m->nodes[2] = (wr_node){.name = "upper", .parent = 1, .mesh = -1, .skin = -1, .scale = one};
    for (int i = 0; i < 3; i++) {
        m->nodes[i].pose = WR_POSE_IDENTITY;
    }
    m->nodes[1].pose.position.y = -1;
    m->nodes[2].pose.position.y = 1;
    m->node_count = 3;
    m->skins = wr_model_alloc(m, 1, sizeof *m->skins);
    m->skins[0] = (wr_model_skin){"bones", 2, wr_model_alloc(m, 2, sizeof(int)),
                                  wr_model_alloc(m, 2, sizeof(wr_mat34))};
    m->skin_count = 1;
    for (int i = 0; i < 2; i++) {
        m->skins[0].joints[i] = i + 1;
        m->skins[0].inverse_bind[i] =
            (wr_mat34){{{1, 0, 0, 0}, {0, 1, 0, i ? 0.0f : 1.0f}, {0, 0, 1, 0}}};
    }
    wr_track *track = wr_model_alloc(m, 1, sizeof *track);
    *track = (wr_track){2,
                        WR_CHANNEL_ROTATION,
                        WR_INTERPOLATION_LINEAR,
                        ARM_KEYS,
                        wr_model_alloc(m, ARM_KEYS, sizeof(float)),
                        wr_model_alloc(m, ARM_KEYS, sizeof(wr_quat))};
    for (int i = 0; i < ARM_KEYS; i++) {
        float t = (float)i / (ARM_KEYS - 1);
        wr_quat twist = wr_quat_from_axis_angle(wr_v3(0, 1, 0), 0.8f * t);
        wr_quat bend = wr_quat_from_axis_angle(wr_v3(0, 0, 1), 100 * WR_PI / 180 * t * t);
        wr_quat q = wr_quat_multiply(bend, twist);
        track->times[i] = (float)i / ARM_RATE;
        memcpy(&track->values[4 * i], &q, sizeof q);
    }
    m->clips = wr_model_alloc(m, 1, sizeof *m->clips);
    m->clips[0] = (wr_clip){"bend", 1, track};
    m->clip_count = 1;
    return m;
}

// scripts/blender_test.sh names a folder here and compares what Blender shows with our own poses.
static void an_arm_bends_about_its_elbow(void **state)
{
    (void)state;
    wr_model *arm = make_arm(), *back = round_trip(arm);
    const char *out = getenv("WROUGHT_ARM");
    char path[1024];
    wr_error error = {0};
    wr_cache_desc desc = wr_cache_desc_default();
    desc.point_count = arm->meshes->vertex_count;
    desc.frame_count = ARM_KEYS;
    snprintf(path, sizeof path, "%s/arm.pc2", out ? out : folder.path);
    wr_cache_writer *cache = wr_cache_create(path, &desc, &error);
    assert_non_null(cache);
    for (int i = 0; i < ARM_KEYS; i++) {
        int count;
        wr_vec3 *shown = show(back, back->clips, (double)i / ARM_RATE, &count);
        assert_true(wr_cache_add_frame(cache, shown, &error));
        for (int v = 0; v < count && i == ARM_KEYS - 1; v++) {
            wr_vec3 rest = arm->meshes->positions[v];
            if (rest.y <= -0.5f) { // the lower arm stays
                CHECK_NEAR(wr_distance(shown[v], rest), 0, 1e-6);
            } else if (rest.y >= 0.5f) { // the upper one turns about the origin
                CHECK_NEAR(wr_length(shown[v]), wr_length(rest), 1e-5);
                assert_true(shown[v].x < -0.1f);
            }
        }
        free(shown);
    }
    assert_true(wr_cache_finish(cache, &error));
    wr_cache_writer_destroy(cache);
    snprintf(path, sizeof path, "%s/take.glb", out ? out : folder.path);
    assert_true(wr_model_write_glb(arm, path, &error));
    wr_model_destroy(back);
    wr_model_destroy(arm);
}

static void expect_same_motion(const wr_model *plain, const wr_model *turned, int clip, bool z)
{
    for (int i = 0; i < 4; i++) {
        int n, m;
        double time = 0.31 * i;
        wr_vec3 *a = show(plain, &plain->clips[clip], time, &n);
        wr_vec3 *b = show(turned, &turned->clips[clip], time, &m);
        assert_int_equal(n, m);
        float size = 0.0f;
        for (int k = 0; k < n; k++) {
            size = fmaxf(size, 0.01f * wr_length(a[k]));
        }
        for (int k = 0; k < n; k++) {
            wr_vec3 p = wr_scale(0.01f, a[k]);
            wr_vec3 t = z ? wr_v3(p.x, p.z, -p.y) : wr_v3(-p.y, p.x, p.z);
            CHECK_NEAR(wr_distance(t, b[k]), 0.0, 1e-5 * (double)size);
        }
        free(a);
        free(b);
    }
}

// Converting a rig and moving it is moving it and converting what it shows.
static void units_and_axes_change_rigs_whole(void **state)
{
    (void)state;
    wr_model *m = make_rig();
    wr_error error = {0};
    const char *path = in_folder("turn.glb");
    assert_true(wr_model_write_glb(m, path, &error));
    for (int z = 0; z < 2; z++) {
        const wr_read_options options = {.unit = "cm", .up = z ? "z" : "x"};
        wr_model *turned = wr_model_read(path, &options, &error);
        assert_non_null(turned);
        for (int i = 0; i < 3; i++) {
            expect_same_motion(m, turned, i, z);
        }
        wr_model_destroy(turned);
    }
    wr_model_destroy(m);
}

// --- JPEG -------------------------------------------------------------------------------------

enum { SIDE = 40 };

typedef struct picture {
    unsigned char *bytes;
    unsigned long size;
} picture;

static int smooth(int x, int y, int channel)
{
    return channel == 0 ? 6 * x : channel == 1 ? 6 * y : 255 - 3 * (x + y);
}

// With libjpeg itself; channels 1, 3 or 4 (CMYK).
static picture make_jpeg(int channels, bool progressive)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    picture p = {0};
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &p.bytes, &p.size);
    c.image_width = c.image_height = SIDE;
    c.input_components = channels;
    c.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, 95, TRUE);
    if (progressive) {
        jpeg_simple_progression(&c);
    }
    jpeg_start_compress(&c, TRUE);
    for (int y = 0; y < SIDE; y++) {
        JSAMPLE row[4 * SIDE];
        for (int i = 0; i < channels * SIDE; i++) {
            row[i] = (JSAMPLE)smooth(i / channels, y, i % channels);
        }
        JSAMPROW rows[] = {row};
        jpeg_write_scanlines(&c, rows, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    return p;
}

static void every_kind_of_jpeg_becomes_rgba(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        int channels = i < 2 ? 3 : 1;
        picture p = make_jpeg(channels, i % 2);
        wri_arena arena = wri_arena_create(NULL);
        wr_error error = {0};
        wr_image image = {0};
        int64_t pixels_left = SIDE * SIDE;
        assert_true(wri_image_decode(&arena, p.bytes, p.size, "p", &pixels_left, &image, &error));
        assert_int_equal(image.width, SIDE);
        assert_int_equal(image.height, SIDE);
        for (int k = 0; k < 4 * SIDE * SIDE; k++) {
            int pixel = k / 4, channel = channels == 1 ? 0 : k % 4;
            int expected = k % 4 == 3 ? 255 : smooth(pixel % SIDE, pixel / SIDE, channel);
            CHECK_NEAR(image.pixels[k], expected, k % 4 == 3 ? 0 : 12);
        }
        wri_arena_destroy(&arena);
        free(p.bytes);
    }
}

static wr_error refuse_jpeg(const void *bytes, size_t size)
{
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    wr_image image = {0};
    char *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    assert_false(wri_jpeg_decode(&arena, exact, size, "p", &image, &error));
    free(exact);
    wri_arena_destroy(&arena);
    return error;
}

static void broken_jpegs_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        picture p = make_jpeg(3, i);
        for (size_t k = 0; k < p.size - 2; k++) { // the last two bytes only say that it ends
            assert_int_equal(refuse_jpeg(p.bytes, k).code, WR_E_FORMAT);
        }
        unsigned char *half = malloc(p.size);
        memcpy(half, p.bytes, p.size);
        memcpy(half + p.size - 100, "\xff\xd9", 2); // says too early that it ends
        assert_int_equal(refuse_jpeg(half, p.size - 98).code, WR_E_FORMAT);
        free(half);
        unsigned char *frame = memchr(p.bytes, i ? 0xc2 : 0xc0, p.size);
        while (frame[-1] != 0xff) {
            frame = memchr(frame + 1, i ? 0xc2 : 0xc0, p.size);
        }
        memcpy(frame + 4, "\x3f\xff\x3f\xff", 4); // 16383 x 16383 pixels
        assert_non_null(
            strstr(refuse_jpeg(p.bytes, p.size).message, ": broken JPEG: the data ends too early"));
        memcpy(frame + 4, "\x40\x01\x40\x01", 4);
        assert_non_null(strstr(refuse_jpeg(p.bytes, p.size).message, "16384 pixels a side"));
        free(p.bytes);
    }
    picture p = make_jpeg(4, false);
    assert_non_null(strstr(refuse_jpeg(p.bytes, p.size).message, "CMYK colours, expected"));
    free(p.bytes);
}

static void flipped_bytes_of_jpegs_never_do_harm(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 1000; i++) {
        picture p = make_jpeg(3, i % 2);
        for (int k = 0; k < 3; k++) {
            uint64_t r = random_bits(&seed);
            p.bytes[(r >> 8) % p.size] ^= (unsigned char)(1 << (r & 7));
        }
        wri_arena arena = wri_arena_create(NULL);
        wr_error error = {0};
        wr_image image = {0};
        bool ok = wri_jpeg_decode(&arena, p.bytes, p.size, "p", &image, &error);
        assert_true(ok ? image.pixels != NULL : error.code != WR_OK);
        wri_arena_destroy(&arena);
        free(p.bytes);
    }
}

static void jpeg_textures_of_obj_and_gltf_are_read(void **state)
{
    (void)state;
    picture p = make_jpeg(3, false);
    put_file("t.jpg", p.bytes, p.size);
    put_file("t.mtl", "newmtl a\nmap_Kd t.jpg\n", 22);
    const char *obj = "mtllib t.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n";
    wr_model *m = read_ok(put_file("t.obj", obj, strlen(obj)));
    assert_int_equal(m->image_count, 1);
    assert_int_equal(m->images[0].width, SIDE);
    wr_model *back = round_trip(m); // goes out as PNG, so the pixels stay
    assert_int_equal(back->image_count, 1);
    assert_memory_equal(m->images[0].pixels, back->images[0].pixels, 4 * SIDE * SIDE);
    wr_model_destroy(back);
    wr_model_destroy(m);
    free(p.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_of_all_sets_become_one_tidy_list),
        cmocka_unit_test(skins_keep_joints_matrices_and_names),
        cmocka_unit_test(morph_targets_keep_offsets_names_and_weights),
        cmocka_unit_test(clips_keep_every_path_and_interpolation),
        cmocka_unit_test(an_arm_bends_about_its_elbow),
        cmocka_unit_test(what_is_read_is_written_and_read_again_bit_for_bit),
        cmocka_unit_test(a_rig_survives_writing_bit_for_bit),
        cmocka_unit_test(flattening_applies_the_weights_of_every_node),
        cmocka_unit_test(untidy_weights_are_written_tidily),
        cmocka_unit_test(the_writer_refuses_rigs_that_point_nowhere),
        cmocka_unit_test(joints_without_a_skin_are_not_written),
        cmocka_unit_test(every_broken_rig_gets_its_sentence),
        cmocka_unit_test(every_broken_number_gets_its_sentence),
        cmocka_unit_test(many_empty_targets_take_no_memory),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(flipped_bytes_never_do_harm),
        cmocka_unit_test(rigs_made_by_others_are_read_and_survive_writing),
        cmocka_unit_test(units_and_axes_change_rigs_whole),
        cmocka_unit_test(every_kind_of_jpeg_becomes_rgba),
        cmocka_unit_test(broken_jpegs_are_refused),
        cmocka_unit_test(flipped_bytes_of_jpegs_never_do_harm),
        cmocka_unit_test(jpeg_textures_of_obj_and_gltf_are_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
