// test_clip_import.c: clips of a model's skeleton as an asset keeps them: at every time the poses
// that an example of that time would have.
#include "check.h"

#include "../src/author/build.h"
#include "../src/skin/skin.h"
#include "wrought/wrought.h"

enum { WORLD, HIPS, SPINE, BEND, HEAD, ARM, HAND, TAIL, TIP, MESH, NODES };
enum { KEYS = 5, LENGTH = 2 };

static void need(bool ok, const wr_error *error)
{
    if (!ok) {
        fail_msg("%s", error->message);
    }
}

// --- a skeleton that is nowhere straight ------------------------------------------------------

static wr_vec3 random_vector(uint64_t *seed, float size)
{
    float x = random_float(seed, -size, size), y = random_float(seed, -size, size);
    return wr_v3(x, y, random_float(seed, -size, size));
}

static wr_quat random_turn(uint64_t *seed, float most)
{
    return wr_quat_from_axis_angle(random_vector(seed, 1.0f), random_float(seed, 0.3f, most));
}

// "bend" carries no vertices, "world" is no joint.
static void add_nodes(wr_model *m, uint64_t *seed)
{
    static const char *const names[NODES] = {"world", "hips", "spine", "bend", "head",
                                             "arm",   "hand", "tail",  "tip",  "mesh"};
    static const int parents[NODES] = {-1, WORLD, HIPS, SPINE, BEND, SPINE, ARM, HIPS, TAIL, -1};
    m->nodes = wr_model_alloc(m, NODES, sizeof *m->nodes);
    m->node_count = NODES;
    for (int i = 0; i < NODES; i++) {
        float scale = i == WORLD ? 0.7f : i == ARM ? 1.5f : 1.0f;
        m->nodes[i] = (wr_node){.name = names[i],
                                .parent = parents[i],
                                .mesh = i == MESH ? 0 : -1,
                                .skin = i == MESH ? 0 : -1,
                                .pose = {random_vector(seed, 0.6f), random_turn(seed, 2.0f)},
                                .scale = {scale, scale, scale}};
    }
}

// A triangle on every joint but "bend".
static void add_mesh(wr_model *m, uint64_t *seed)
{
    enum { JOINTS = TIP - HIPS + 1 };
    wr_mesh *mesh = m->meshes = wr_model_alloc(m, 1, sizeof *mesh);
    m->mesh_count = 1;
    mesh->name = "mesh";
    mesh->positions = wr_model_alloc(m, 3 * JOINTS, sizeof(wr_vec3));
    mesh->triangles = wr_model_alloc(m, 3 * JOINTS, sizeof(int));
    mesh->joints = wr_model_alloc(m, 3 * JOINTS, sizeof(int));
    mesh->weights = wr_model_alloc(m, 3 * JOINTS, sizeof(float));
    mesh->influence_count = 1;
    for (int i = 0; i < 3 * JOINTS; i++) {
        if (HIPS + i / 3 != BEND) {
            int v = mesh->vertex_count++;
            mesh->positions[v] = random_vector(seed, 1.0f);
            mesh->triangles[v] = v;
            mesh->joints[v] = i / 3;
            mesh->weights[v] = 1.0f;
        }
    }
    mesh->triangle_count = mesh->vertex_count / 3;
    wr_model_skin *skin = m->skins = wr_model_alloc(m, 1, sizeof *skin);
    m->skin_count = 1;
    *skin = (wr_model_skin){"skin", JOINTS, wr_model_alloc(m, JOINTS, sizeof(int)),
                            wr_model_alloc(m, JOINTS, sizeof(wr_mat34))};
    for (int i = 0; i < JOINTS; i++) {
        skin->joints[i] = HIPS + i;
        skin->inverse_bind[i] = WR_MAT34_IDENTITY;
    }
}

static void add_track(wr_model *m, int node, wr_channel channel, wr_interpolation interpolation,
                      uint64_t *seed)
{
    wr_clip *clip = &m->clips[0];
    int rows = interpolation == WR_INTERPOLATION_CUBIC ? 3 : 1;
    int width = channel == WR_CHANNEL_ROTATION ? 4 : 3;
    wr_track track = {node, channel, interpolation, KEYS};
    track.times = wr_model_alloc(m, KEYS, sizeof(float));
    track.values = wr_model_alloc(m, (size_t)(KEYS * rows * width), sizeof(float));
    for (int k = 0; k < KEYS; k++) {
        float *out = track.values + (rows * k + rows / 2) * width;
        track.times[k] = LENGTH * (float)k / (KEYS - 1) + (k % 4 ? random_float(seed, 0, 0.2f) : 0);
        if (channel == WR_CHANNEL_ROTATION) {
            wr_quat q = wr_quat_multiply(random_turn(seed, 1.0f), m->nodes[node].pose.rotation);
            memcpy(out, &q, sizeof q);
        } else {
            wr_vec3 rest =
                channel == WR_CHANNEL_SCALE ? m->nodes[node].scale : m->nodes[node].pose.position;
            wr_vec3 v = wr_add(rest, random_vector(seed, 0.2f));
            memcpy(out, &v, sizeof v);
        }
        for (int i = 0; i < width && rows == 3; i++) {
            out[i - width] = out[i + width] = random_float(seed, -0.5f, 0.5f);
        }
    }
    clip->tracks[clip->track_count++] = track;
}

static wr_model *make_skeleton(void)
{
    uint64_t seed = 11;
    wr_error error = {0};
    wr_model *m = wr_model_create(NULL, &error);
    need(m, &error);
    m->name = "skeleton";
    add_nodes(m, &seed);
    add_mesh(m, &seed);
    m->clips = wr_model_alloc(m, 1, sizeof *m->clips);
    m->clip_count = 1;
    m->clips[0] = (wr_clip){"all", 0, wr_model_alloc(m, 20, sizeof(wr_track))};
    add_track(m, WORLD, WR_CHANNEL_POSITION, WR_INTERPOLATION_LINEAR, &seed);
    add_track(m, WORLD, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, &seed);
    add_track(m, HIPS, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, &seed);
    add_track(m, SPINE, WR_CHANNEL_POSITION, WR_INTERPOLATION_LINEAR, &seed);
    add_track(m, SPINE, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, &seed);
    add_track(m, BEND, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, &seed);
    add_track(m, HEAD, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, &seed);
    add_track(m, ARM, WR_CHANNEL_ROTATION, WR_INTERPOLATION_CUBIC, &seed);
    add_track(m, HAND, WR_CHANNEL_ROTATION, WR_INTERPOLATION_STEP, &seed);
    add_track(m, TAIL, WR_CHANNEL_SCALE, WR_INTERPOLATION_LINEAR, &seed);
    add_track(m, TIP, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, &seed);
    return m;
}

// --- comparing --------------------------------------------------------------------------------

// Where a pose takes points around the pivot, a share of the size away.
static double find_gap(const wr_handle *handle, const wr_handle_pose *a, const wr_handle_pose *b,
                       float size)
{
    double most = 0.0;
    for (int k = 0; k < 4; k++) {
        wr_vec3 at[2], v = wr_scale(0.3f * size, wr_v3(k == 1, k == 2, k == 3));
        for (int i = 0; i < 2; i++) {
            const wr_handle_pose *pose = i ? b : a;
            const float *s = pose->stretch;
            wr_vec3 w =
                wr_v3(s[0] * v.x + s[3] * v.y + s[4] * v.z, s[3] * v.x + s[1] * v.y + s[5] * v.z,
                      s[4] * v.x + s[5] * v.y + s[2] * v.z);
            at[i] = wr_add(wr_add(handle->pivot, pose->offset), wr_rotate(pose->rotation, w));
        }
        most = fmax(most, (double)wr_distance(at[0], at[1]));
    }
    return most / (double)size;
}

typedef struct gaps {
    double within, whole; // of the size: within the parents' frames, and of the poses
} gaps;

// The largest over 500 times, for every handle.
static void compare(const wr_model *model, const wr_skin_handles *joints, const wr_rig_clip *clip,
                    float size, gaps *out)
{
    int count = joints->handle_count;
    const wr_handle *handles = joints->handles;
    wr_handle_pose *example = calloc((size_t)count, sizeof *example);
    wr_handle_pose *poses = calloc((size_t)count, sizeof *poses);
    wr_error error = {0};
    memset(out, 0, (size_t)count * sizeof *out);
    for (int i = 0; i <= 500; i++) {
        double time = clip->length * i / 500.0;
        int number = wr_clip_find(model, clip->name, &error);
        need(
            wr_poses_from_clip(model, number, time, handles, joints->nodes, count, example, &error),
            &error);
        wr_rig_clip_poses(clip, handles, count, time, false, poses);
        for (int b = 0; b < count; b++) {
            wr_handle_pose x = wri_pose_within(handles, example, b);
            wr_handle_pose y = wri_pose_within(handles, poses, b);
            out[b].within = fmax(out[b].within, find_gap(&handles[b], &x, &y, size));
            out[b].whole = fmax(out[b].whole, find_gap(&handles[b], &example[b], &poses[b], size));
        }
    }
    free(example);
    free(poses);
}

static int find_handle(const wr_skin_handles *joints, const char *name)
{
    int b = 0;
    while (b < joints->handle_count && strcmp(joints->handles[b].name, name) != 0) {
        b++;
    }
    assert_true(b < joints->handle_count);
    return b;
}

// --- promises ---------------------------------------------------------------------------------

static void a_clip_has_the_poses_of_examples_at_every_time(void **state)
{
    (void)state;
    wr_model *model = make_skeleton();
    wr_error error = {0};
    wr_skin_handles *joints = wr_handles_from_skin(model, NULL, &error);
    need(joints, &error);
    assert_int_equal(joints->handle_count, TIP - HIPS); // all but "bend"
    wri_arena arena = wri_arena_create(NULL);
    wr_rig_clip clip;
    need(wri_clip_import(model, 0, joints, 2.0, &arena, &clip, &error), &error);
    assert_string_equal(clip.name, "all");
    CHECK_NEAR(clip.length, LENGTH, 0);
    gaps found[NODES];
    compare(model, joints, &clip, 2.0f, found);
    static const char *const exact[] = {"spine", "hand", "tail", "tip"};
    for (int i = 0; i < WRI_COUNT(exact); i++) { // one node with linear keys or steps moves it
        CHECK_NEAR(found[find_handle(joints, exact[i])].within, 0, 3e-6);
    }
    for (int b = 0; b < joints->handle_count; b++) { // curves, and two nodes at once
        CHECK_NEAR(found[b].within, 0, 5e-4);
        CHECK_NEAR(found[b].whole, 0, 1e-3);
    }
    wri_arena_destroy(&arena);
    wr_skin_handles_destroy(joints);
    wr_model_destroy(model);
}

// Only what moves has tracks, and only curves get more keys than the model has.
static void a_clip_is_small(void **state)
{
    (void)state;
    wr_model *model = make_skeleton();
    wr_error error = {0};
    wr_skin_handles *joints = wr_handles_from_skin(model, NULL, &error);
    wri_arena arena = wri_arena_create(NULL);
    wr_rig_clip clip;
    need(wri_clip_import(model, 0, joints, 2.0, &arena, &clip, &error), &error);
    int keys[NODES][WR_RIG_CHANNELS] = {{0}};
    for (int i = 0; i < clip.track_count; i++) {
        keys[clip.tracks[i].handle][clip.tracks[i].channel] = clip.tracks[i].key_count;
    }
    static const struct {
        const char *name;
        int keys[WR_RIG_CHANNELS];
    } expected[] = {{"spine", {2 * KEYS - 2, 2 * KEYS - 2, 0}},
                    {"hand", {2 * KEYS - 1, 0, 0}},
                    {"tail", {0, 0, KEYS}},
                    {"tip", {KEYS, 0, 0}}};
    for (int i = 0; i < WRI_COUNT(expected); i++) {
        const int *found = keys[find_handle(joints, expected[i].name)];
        for (int c = 0; c < WR_RIG_CHANNELS; c++) {
            assert_int_equal(found[c], expected[i].keys[c]);
        }
    }
    int arm = keys[find_handle(joints, "arm")][WR_RIG_ROTATION];
    assert_true(arm > KEYS && arm < 40 * KEYS);
    wri_arena_destroy(&arena);
    wr_skin_handles_destroy(joints);
    wr_model_destroy(model);
}

// A steady turn of the hips along a curve, through half a turn, where quaternions change their sign
// as they like: it needs no more keys, since a straight line in time is what it is.
static void a_turn_past_half_a_turn_needs_no_more_keys(void **state)
{
    (void)state;
    wr_model *model = make_skeleton();
    wr_error error = {0};
    wr_track *track = &model->clips[0].tracks[7];
    assert_true(track->node == ARM && track->interpolation == WR_INTERPOLATION_CUBIC);
    model->clips[0].track_count = 1;
    model->clips[0].tracks[0] = *track;
    track = &model->clips[0].tracks[0];
    track->node = HIPS;
    model->nodes[WORLD].pose.rotation = model->nodes[HIPS].pose.rotation = WR_QUAT_IDENTITY;
    wr_vec3 axis = wr_normalize(wr_v3(1, -2, 0.5f));
    for (int k = 0; k < KEYS; k++) { // cos and sin of half the angle, and their slopes
        float half = 0.7f + 0.35f * (float)k, rate = 0.35f * (KEYS - 1) / LENGTH;
        float s = sinf(half), c = cosf(half), *out = &track->values[12 * k];
        float r = rate * c;
        const float rows[2][4] = {{r * axis.x, r * axis.y, r * axis.z, -rate * s},
                                  {s * axis.x, s * axis.y, s * axis.z, c}};
        track->times[k] = LENGTH * (float)k / (KEYS - 1);
        memcpy(out, rows, sizeof rows);
        memcpy(out + 8, rows[0], sizeof rows[0]);
    }
    wr_skin_handles *joints = wr_handles_from_skin(model, NULL, &error);
    need(joints, &error);
    wri_arena arena = wri_arena_create(NULL);
    wr_rig_clip clip;
    need(wri_clip_import(model, 0, joints, 2.0, &arena, &clip, &error), &error);
    for (int i = 0; i < clip.track_count; i++) {
        assert_int_equal(clip.tracks[i].key_count, KEYS);
        const float *q = clip.tracks[i].values; // neighbours are in one hemisphere
        for (int k = 1; k < KEYS && clip.tracks[i].channel == WR_RIG_ROTATION; k++) {
            const float *a = q + 4 * k - 4, *b = q + 4 * k;
            assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0.5f);
        }
    }
    gaps found[NODES];
    compare(model, joints, &clip, 2.0f, found);
    CHECK_NEAR(found[find_handle(joints, "hips")].whole, 0, 1e-3);
    wri_arena_destroy(&arena);
    wr_skin_handles_destroy(joints);
    wr_model_destroy(model);
}

// Under a node that scales unevenly a turn is none within the handle's frame: linear keys get more
// keys between them, until the way is right.
static void turns_under_an_uneven_scale_get_keys_between(void **state)
{
    (void)state;
    wr_model *model = make_skeleton();
    wr_error error = {0};
    model->clips[0].tracks[0] = model->clips[0].tracks[2]; // of the hips, linear
    model->clips[0].track_count = 1;
    assert_int_equal(model->clips[0].tracks[0].node, HIPS);
    model->nodes[WORLD].scale = wr_v3(0.7f, 1.6f, 0.9f);
    wr_skin_handles *joints = wr_handles_from_skin(model, NULL, &error);
    need(joints, &error);
    wri_arena arena = wri_arena_create(NULL);
    wr_rig_clip clip;
    need(wri_clip_import(model, 0, joints, 2.0, &arena, &clip, &error), &error);
    gaps found[NODES];
    compare(model, joints, &clip, 2.0f, found);
    CHECK_NEAR(found[find_handle(joints, "hips")].within, 0, 5e-4);
    assert_true(clip.tracks[0].key_count > 2 * KEYS);
    wri_arena_destroy(&arena);
    wr_skin_handles_destroy(joints);
    wr_model_destroy(model);
}

// A model of others; all of its clips.
static void try_published(const char *name, double most)
{
    const char *folder = getenv("WROUGHT_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/khronos/%s.glb", folder ? folder : "", name);
    if (!folder || access(path, R_OK) != 0) {
        print_message("%s is not there: skipped\n", name);
        skip();
    }
    wr_error error = {0};
    wr_model *model = wr_model_read(path, NULL, &error);
    need(model, &error);
    wr_model *flat = wr_model_flatten(model, &error);
    wr_skin_handles *joints = wr_handles_from_skin(model, NULL, &error);
    need(joints, &error);
    wr_box box = wr_mesh_bounds(flat->meshes);
    float size = wr_distance(box.min, box.max);
    gaps *found = calloc((size_t)joints->handle_count, sizeof *found);
    for (int i = 0; i < model->clip_count; i++) {
        wri_arena arena = wri_arena_create(NULL);
        wr_rig_clip clip;
        need(wri_clip_import(model, i, joints, (double)size, &arena, &clip, &error), &error);
        assert_true(clip.track_count > 0);
        compare(model, joints, &clip, size, found);
        for (int b = 0; b < joints->handle_count; b++) {
            CHECK_NEAR(found[b].whole, 0, most);
        }
        wri_arena_destroy(&arena);
    }
    free(found);
    wr_skin_handles_destroy(joints);
    wr_model_destroy(flat);
    wr_model_destroy(model);
}

static void clips_of_a_fox_are_kept(void **state)
{
    (void)state;
    try_published("Fox", 1e-5);
}

static void clips_of_a_figure_are_kept(void **state)
{
    (void)state;
    try_published("RiggedFigure", 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clip_has_the_poses_of_examples_at_every_time),
        cmocka_unit_test(a_clip_is_small),
        cmocka_unit_test(a_turn_past_half_a_turn_needs_no_more_keys),
        cmocka_unit_test(turns_under_an_uneven_scale_get_keys_between),
        cmocka_unit_test(clips_of_a_fox_are_kept),
        cmocka_unit_test(clips_of_a_figure_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
