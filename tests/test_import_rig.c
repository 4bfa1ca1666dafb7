// test_import_rig.c: a small rig with everything at once, oblique and uneven, comes through Assimp
// as our own reader sees it: corner by corner, at rest and at several times of two clips.
#include "check.h"

#include "../src/base/os.h"
#include "../src/file/foreign.h"
#include "wrought/file.h"

enum { CORNERS = 6, TRIANGLES = 4, MORPHS = 2, KEYS = 3 };
enum { ROOT, LEGS, HIP, KNEE, FLAG, NODES };

static temporary_folder folder;
static wr_error error;

// --- the rig ----------------------------------------------------------------------------------

static void *copy(wr_model *m, const void *values, size_t count, size_t size)
{
    void *out = wr_model_alloc(m, count, size);
    assert_non_null(out);
    return memcpy(out, values, count * size);
}

static wr_vec3 noise(uint64_t *seed)
{
    return wr_v3(random_float(seed, -1, 1), random_float(seed, -1, 1), random_float(seed, -1, 1));
}

static void fill_mesh(wr_model *m, wr_mesh *mesh, const char *name, uint64_t *seed)
{
    static const int triangles[] = {0, 1, 2, 3, 2, 1, 2, 4, 5, 5, 0, 3};
    wr_vec3 positions[CORNERS], normals[CORNERS];
    wr_vec2 uvs[CORNERS];
    for (int i = 0; i < CORNERS; i++) {
        positions[i] = wr_add(noise(seed), wr_v3((float)i, 0, 0));
        normals[i] = wr_normalize(noise(seed));
        uvs[i] = (wr_vec2){random_float(seed, 0, 1), random_float(seed, 0, 1)};
    }
    const wr_mesh_part parts[] = {{0, 1, 1}, {1, 3, 0}};
    *mesh = (wr_mesh){.name = name,
                      .vertex_count = CORNERS,
                      .triangle_count = TRIANGLES,
                      .part_count = 2,
                      .positions = copy(m, positions, CORNERS, sizeof *positions),
                      .normals = copy(m, normals, CORNERS, sizeof *normals),
                      .uvs = copy(m, uvs, CORNERS, sizeof *uvs),
                      .triangles = copy(m, triangles, 3 * TRIANGLES, sizeof *triangles),
                      .parts = copy(m, parts, 2, sizeof *parts)};
}

static void add_colors_and_morphs(wr_model *m, wr_mesh *mesh, uint64_t *seed)
{
    wr_color colors[CORNERS];
    wr_morph morphs[MORPHS];
    for (int i = 0; i < CORNERS; i++) {
        colors[i] = (wr_color){random_float(seed, 0, 1), random_float(seed, 0, 1),
                               random_float(seed, 0, 1), random_float(seed, 0, 1)};
    }
    for (int k = 0; k < MORPHS; k++) {
        wr_vec3 moves[CORNERS], turns[CORNERS];
        for (int i = 0; i < CORNERS; i++) {
            moves[i] = noise(seed);
            turns[i] = wr_scale(0.2f, noise(seed));
        }
        morphs[k] = (wr_morph){.name = k ? "second" : "first",
                               .positions = copy(m, moves, CORNERS, sizeof *moves),
                               .normals = copy(m, turns, CORNERS, sizeof *turns)};
    }
    mesh->colors = copy(m, colors, CORNERS, sizeof *colors);
    mesh->morph_count = MORPHS;
    mesh->morphs = copy(m, morphs, MORPHS, sizeof *morphs);
}

static void add_skin(wr_model *m, wr_mesh *mesh)
{
    static const int joints[] = {0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0};
    static const float weights[] = {0.75f, 0.25f, 1, 0, 0.625f, 0.375f, 1, 0, 1, 0, 0.875f, 0.125f};
    static const int nodes[] = {KNEE, HIP};
    static const wr_mat34 binds[] = {
        {{{1.5f, 0.25f, 0, 3}, {0, 0.8f, -0.6f, 0.5f}, {0.125f, 0.6f, 0.8f, -2}}},
        {{{0, -1, 0, 0.25f}, {1, 0, 0.5f, -1}, {0, 0.25f, 1.25f, 4}}}};
    mesh->influence_count = 2;
    mesh->joints = copy(m, joints, 2 * CORNERS, sizeof *joints);
    mesh->weights = copy(m, weights, 2 * CORNERS, sizeof *weights);
    const wr_model_skin skin = {"skin", 2, copy(m, nodes, 2, sizeof *nodes),
                                copy(m, binds, 2, sizeof *binds)};
    m->skins = copy(m, &skin, 1, sizeof skin);
    m->skin_count = 1;
}

static void add_looks(wr_model *m)
{
    uint8_t pixels[2][8] = {{10, 20, 30, 255, 40, 50, 60, 255}, {70, 80, 90, 255, 15, 25, 35, 255}};
    const wr_image images[] = {
        {.name = "flat", .width = 2, .height = 1, .pixels = copy(m, pixels[0], 8, 1)},
        {.name = "high", .width = 1, .height = 2, .pixels = copy(m, pixels[1], 8, 1)}};
    const wr_look looks[] = {{.name = "red",
                              .base_color = {0.9f, 0.1f, 0.2f, 1},
                              .texture = 1,
                              .roughness = 0.25f,
                              .metallic = 0.75f},
                             {.name = "blue",
                              .base_color = {0.3f, 0.4f, 0.8f, 1},
                              .texture = 0,
                              .roughness = 0.5f,
                              .metallic = 0.125f,
                              .double_sided = true}};
    m->images = copy(m, images, 2, sizeof *images);
    m->looks = copy(m, looks, 2, sizeof *looks);
    m->image_count = m->look_count = 2;
}

static wr_node make_node(const char *name, int parent, int mesh, wr_vec3 at, wr_quat q, wr_vec3 s)
{
    return (wr_node){.name = name,
                     .parent = parent,
                     .mesh = mesh,
                     .skin = mesh == 0 ? 0 : -1,
                     .pose = {at, wr_quat_normalize(q)},
                     .scale = s};
}

static void add_nodes(wr_model *m)
{
    const wr_node nodes[NODES] = {
        make_node("root", -1, -1, wr_v3(1, 2, 3), (wr_quat){1, 2, 3, 4}, wr_v3(1.5f, 1.5f, 1.5f)),
        make_node("legs", ROOT, 0, wr_v3(0, 0, 0), WR_QUAT_IDENTITY, wr_v3(1, 1, 1)),
        make_node("hip", ROOT, -1, wr_v3(-1, 0.5f, 2), (wr_quat){-1, 2, 0, 3}, wr_v3(1, 2, 0.5f)),
        make_node("knee", HIP, -1, wr_v3(0, -3, 1), (wr_quat){2, 0, -1, 1}, wr_v3(1, 1, 1)),
        make_node("flag", ROOT, 1, wr_v3(4, -1, 0), (wr_quat){0, 1, -2, 2}, wr_v3(1, 0.5f, 3)),
    };
    m->nodes = copy(m, nodes, NODES, sizeof *nodes);
    m->node_count = NODES;
}

static wr_track make_track(wr_model *m, int node, wr_channel channel, uint64_t *seed)
{
    static const float times[KEYS] = {0.25f, 0.5f, 2};
    wr_track track = {.node = node, .channel = channel, .key_count = KEYS};
    int width = wr_track_width(m, &track);
    float values[4 * KEYS];
    for (int i = 0; i < width * KEYS; i++) {
        values[i] = random_float(seed, 0.125f, 1.0f);
    }
    for (int i = 0; channel == WR_CHANNEL_ROTATION && i < KEYS; i++) {
        wr_quat q = {values[4 * i], -values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]};
        q = wr_quat_normalize(q);
        memcpy(&values[4 * i], &q, sizeof q);
    }
    track.times = copy(m, times, KEYS, sizeof *times);
    track.values = copy(m, values, (size_t)(width * KEYS), sizeof *values);
    return track;
}

static void add_clips(wr_model *m, uint64_t *seed)
{
    const wr_track walk[] = {make_track(m, HIP, WR_CHANNEL_ROTATION, seed),
                             make_track(m, HIP, WR_CHANNEL_POSITION, seed),
                             make_track(m, KNEE, WR_CHANNEL_ROTATION, seed),
                             make_track(m, KNEE, WR_CHANNEL_SCALE, seed),
                             make_track(m, FLAG, WR_CHANNEL_WEIGHTS, seed)};
    const wr_track wave[] = {make_track(m, FLAG, WR_CHANNEL_POSITION, seed),
                             make_track(m, FLAG, WR_CHANNEL_SCALE, seed)};
    const wr_clip clips[] = {{"walk", 5, copy(m, walk, 5, sizeof *walk)},
                             {"wave", 2, copy(m, wave, 2, sizeof *wave)}};
    m->clips = copy(m, clips, 2, sizeof *clips);
    m->clip_count = 2;
}

static wr_model *make_rig(void)
{
    wr_model *m = wr_model_create(NULL, &error);
    uint64_t seed = 11;
    m->name = "rig";
    m->meshes = wr_model_alloc(m, 2, sizeof *m->meshes);
    m->mesh_count = 2;
    fill_mesh(m, &m->meshes[0], "legs", &seed);
    fill_mesh(m, &m->meshes[1], "flag", &seed);
    add_skin(m, &m->meshes[0]);
    add_colors_and_morphs(m, &m->meshes[1], &seed);
    add_looks(m);
    add_nodes(m);
    add_clips(m, &seed);
    return m;
}

// --- comparison -------------------------------------------------------------------------------

typedef struct posed {
    const wr_mesh *mesh;
    wr_vec3 positions[4 * CORNERS], normals[4 * CORNERS];
} posed;

static int find_node(const wr_model *m, const char *name)
{
    for (int i = 0; i < m->node_count; i++) {
        if (m->nodes[i].mesh >= 0 && strcmp(m->nodes[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no node %s with a mesh", name);
    return -1;
}

// The mesh of a node at a time of a clip, NULL: at rest.
static posed pose(const wr_model *m, const char *name, const wr_clip *clip, double time)
{
    wr_mat34 world[4 * NODES], joints[4];
    float weights[4 * MORPHS], *at = weights;
    assert_true(m->node_count <= 4 * NODES && wr_model_weight_count(m) <= 4 * MORPHS);
    wr_model_pose(m, clip, time, world, weights);
    int node = find_node(m, name), skin = m->nodes[node].skin;
    for (int i = 0; i < node; i++) {
        at += m->nodes[i].mesh < 0 ? 0 : m->meshes[m->nodes[i].mesh].morph_count;
    }
    posed p = {.mesh = &m->meshes[m->nodes[node].mesh]};
    assert_true(p.mesh->vertex_count <= 4 * CORNERS);
    if (skin >= 0) {
        wr_model_skin_matrices(&m->skins[skin], world, joints);
    }
    wr_mesh_deform(p.mesh, at, &world[node], skin >= 0 ? joints : NULL, p.positions, p.normals);
    return p;
}

// Those of a vertex come in order, the heaviest first, and make up one.
static void check_influences(const wr_mesh *mesh)
{
    for (int i = 0; i < mesh->vertex_count && mesh->influence_count; i++) {
        const float *weights = &mesh->weights[i * mesh->influence_count];
        float sum = weights[0];
        for (int k = 1; k < mesh->influence_count; k++) {
            assert_true(weights[k] <= weights[k - 1]);
            sum += weights[k];
        }
        CHECK_NEAR(sum, 1.0, 1e-6);
    }
}

static void compare_posed(const posed *ours, const posed *theirs)
{
    assert_int_equal(ours->mesh->triangle_count, theirs->mesh->triangle_count);
    for (int i = 0; i < 3 * ours->mesh->triangle_count; i++) {
        int a = ours->mesh->triangles[i], b = theirs->mesh->triangles[i];
        CHECK_NEAR(wr_distance(ours->positions[a], theirs->positions[b]), 0.0, 5e-5);
        CHECK_NEAR(wr_distance(ours->normals[a], theirs->normals[b]), 0.0, 5e-4);
    }
}

static const wr_look *look_of(const wr_model *m, const wr_mesh *mesh, int triangle)
{
    for (int i = 0; i < mesh->part_count; i++) {
        int after = triangle - mesh->parts[i].first_triangle;
        if (after >= 0 && after < mesh->parts[i].triangle_count && mesh->parts[i].look >= 0) {
            return &m->looks[mesh->parts[i].look];
        }
    }
    fail_msg("triangle %d has no look", triangle);
    return NULL;
}

static void compare_looks(const wr_model *ours, const wr_look *a, const wr_model *theirs,
                          const wr_look *b)
{
    assert_string_equal(a->name, b->name);
    CHECK_NEAR(a->base_color.r, b->base_color.r, 1e-6);
    CHECK_NEAR(a->base_color.g, b->base_color.g, 1e-6);
    CHECK_NEAR(a->base_color.b, b->base_color.b, 1e-6);
    CHECK_NEAR(a->roughness, b->roughness, 1e-6);
    CHECK_NEAR(a->metallic, b->metallic, 1e-6);
    assert_int_equal(a->double_sided, b->double_sided);
    const wr_image *x = &ours->images[a->texture], *y = &theirs->images[b->texture];
    assert_true(b->texture >= 0 && x->width == y->width && x->height == y->height);
    assert_memory_equal(x->pixels, y->pixels, 8);
}

static void compare_surface(const wr_model *ours, const wr_mesh *a, const wr_model *theirs,
                            const wr_mesh *b)
{
    for (int i = 0; i < 3 * a->triangle_count; i++) {
        int p = a->triangles[i], q = b->triangles[i];
        CHECK_NEAR(a->uvs[p].x, b->uvs[q].x, 1e-6);
        CHECK_NEAR(a->uvs[p].y, b->uvs[q].y, 1e-6);
        const float *c = a->colors ? &a->colors[p].r : NULL, *d = c ? &b->colors[q].r : NULL;
        for (int k = 0; k < 4 && c; k++) {
            CHECK_NEAR(c[k], d[k], 1e-6);
        }
        compare_looks(ours, look_of(ours, a, i / 3), theirs, look_of(theirs, b, i / 3));
    }
}

static const wr_clip *clip_named(const wr_model *m, const char *name)
{
    for (int i = 0; i < m->clip_count; i++) {
        if (strcmp(m->clips[i].name, name) == 0) {
            return &m->clips[i];
        }
    }
    fail_msg("there is no clip %s", name);
    return NULL;
}

static wr_model *ours, *theirs;

static void what_bends_and_moves_comes_through_assimp(void **state)
{
    (void)state;
    static const char *const nodes[] = {"legs", "flag"}, *const clips[] = {NULL, "walk", "wave"};
    static const double times[] = {0, 0.25, 0.4, 1.1, 2, 3};
    assert_int_equal(theirs->clip_count, 2);
    for (int i = 0; i < 2 * 3 * WRI_COUNT(times); i++) {
        const char *node = nodes[i % 2], *clip = clips[i / 2 % 3];
        double time = times[i / 6];
        posed a = pose(ours, node, clip ? clip_named(ours, clip) : NULL, time);
        posed b = pose(theirs, node, clip ? clip_named(theirs, clip) : NULL, time);
        check_influences(b.mesh);
        compare_posed(&a, &b);
    }
}

static void colours_looks_and_pictures_come_through_assimp(void **state)
{
    (void)state;
    static const char *const nodes[] = {"legs", "flag"};
    for (int i = 0; i < 2; i++) {
        const wr_mesh *a = &ours->meshes[ours->nodes[find_node(ours, nodes[i])].mesh];
        const wr_mesh *b = &theirs->meshes[theirs->nodes[find_node(theirs, nodes[i])].mesh];
        assert_int_equal(a->triangle_count, b->triangle_count);
        assert_int_equal(a->colors != NULL, b->colors != NULL);
        compare_surface(ours, a, theirs, b);
    }
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    char path[600];
    snprintf(path, sizeof path, "%s/rig.glb", folder.path);
    wr_model *rig = make_rig();
    bool ok = wr_model_write_glb(rig, path, &error);
    wr_model_destroy(rig);
    wri_foreign_options options = wri_foreign_options_default(10000);
    ours = ok ? wr_model_read(path, NULL, &error) : NULL;
    theirs = ours ? wri_foreign_import(path, &options, NULL, &error) : NULL;
    if (!theirs) {
        print_message("%s\n", error.message);
    }
    return theirs ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    wr_model_destroy(ours);
    wr_model_destroy(theirs);
    temporary_folder_destroy(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_bends_and_moves_comes_through_assimp),
        cmocka_unit_test(colours_looks_and_pictures_come_through_assimp),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
