// Promises of bodies that are recorded as example weights: assets in recordings, and shapes again.
#include "asset_sample.h"
#include "check.h"
#include "same_model.h"

#include "../src/base/os.h"
#include "../src/file/asset.h"
#include "../src/record/format.h"
#include "../src/record/record.h"
#include "wrought/example.h"
#include "wrought/recipe.h"
#include "wrought/scene.h"

enum { FRAMES = 90, DIE = 1, TWIN, BIG, STONE, BODIES };
static const float BIG_SCALE = 2.5f;

static temporary_folder folder;
static char names[8][600];

static const char *path_in(const char *name)
{
    static int next;
    char *out = names[next++ % 8];
    snprintf(out, sizeof names[0], "%s/%s", folder.path, name);
    return out;
}

static wr_asset *make_asset(void)
{
    wr_asset *asset = sample_asset_create((sample_shape){3, 3, 5, false});
    assert_non_null(asset);
    asset->maps[WR_MAP_YIELD] = NULL; // it grows beyond anything
    return asset;
}

// Two dice of one asset, one that is larger, and a stone fall.
static void write_scene(void)
{
    static const char text[] =
        "{ \"wrought\": 1, \"name\": \"dice\", \"length\": 1.5,\n"
        "  \"assets\": { \"die\": \"die.asset.glb\" },\n"
        "  \"bodies\": [ { \"name\": \"ground\", \"shape\": \"plane\" },\n"
        "    { \"name\": \"die\", \"asset\": \"die\", \"at\": [0, 1.2, 0], \"velocity\": [0, -6, "
        "0],\n"
        "      \"turn\": { \"axis\": [1, 0, 2], \"by\": 40 }, \"material\": { \"metal\": \"tin\", "
        "\"bend\": 4 } "
        "},\n"
        "    { \"name\": \"twin\", \"asset\": \"die\", \"at\": [3, 1.5, 0], \"velocity\": [1, -9, "
        "0],\n"
        "      \"material\": { \"metal\": \"lead\", \"bend\": 2 } },\n"
        "    { \"name\": \"big\", \"asset\": \"die\", \"scale\": 2.5, \"at\": [-4, 4, 0],\n"
        "      \"velocity\": [0, -9, 0], \"turn\": { \"axis\": [0, 0, 1], \"by\": 30 },\n"
        "      \"material\": { \"metal\": \"tin\", \"bend\": 4 } },\n"
        "    { \"name\": \"stone\", \"shape\": { \"box\": [1, 1, 1] }, \"at\": [0, 4, 0] } ] }\n";
    assert_true(wri_file_write(path_in("dice.scene.json"), text, strlen(text), NULL));
}

typedef struct show {
    wr_scene *scene;
    wr_world *world;
} show;

static show begin_show(void)
{
    wr_error error = {0};
    show s = {.scene = wr_scene_read(path_in("dice.scene.json"), NULL, &error)};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = s.scene;
    s.world = s.scene ? wr_world_create(&desc, &error) : NULL;
    if (!s.world) {
        fail_msg("%s", error.message);
    }
    return s;
}

static void end_show(show s)
{
    wr_world_destroy(s.world);
    wr_scene_destroy(s.scene);
}

static void add_frame(wr_record_writer *writer, show s)
{
    wr_error error = {0};
    size_t size;
    const void *bytes = NULL;
    bool ok = wr_record_add_frame(writer, wr_world_frame(s.world), &error);
    if (ok && wr_world_forgets(s.world)) {
        bytes = wr_world_save(s.world, &size, &error);
        ok = bytes && wr_record_add_snapshot(writer, bytes, size, &error);
    }
    if (!ok) {
        fail_msg("%s", error.message);
    }
}

// Records up to a frame; all of them: finished.
static void record(const char *path, int last)
{
    show s = begin_show();
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, wr_world_record_info(s.world), &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    add_frame(writer, s);
    for (int i = 1; i <= last; i++) {
        wr_world_step_frame(s.world);
        add_frame(writer, s);
    }
    assert_true(last < FRAMES || wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    end_show(s);
}

static wr_record_reader *open_recording(const char *path)
{
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(path, &error);
    if (!reader) {
        fail_msg("%s", error.message);
    }
    return reader;
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    wr_asset *asset = make_asset();
    assert_true(wr_asset_write(asset, path_in("die.asset.glb"), NULL));
    wr_asset_destroy(asset);
    write_scene();
    record(path_in("dice.wrought"), FRAMES);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// --- assets -----------------------------------------------------------------------------------

static void assert_same_asset(const wr_asset *a, const wr_asset *b)
{
    uint8_t *bytes[2];
    size_t sizes[2];
    assert_true(wri_asset_pack(a, "a", &bytes[0], &sizes[0], NULL));
    assert_true(wri_asset_pack(b, "b", &bytes[1], &sizes[1], NULL));
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    wri_free(NULL, bytes[0], sizes[0], 1);
    wri_free(NULL, bytes[1], sizes[1], 1);
}

static void an_asset_is_embedded_once_with_its_model(void **state)
{
    (void)state;
    wr_record_reader *reader = open_recording(path_in("dice.wrought"));
    const wr_record_info *info = wr_record_about(reader);
    wr_asset *asset = make_asset();
    assert_int_equal(info->asset_count, 1);
    assert_same_asset(info->assets[0], asset);
    const float scales[BODIES] = {[DIE] = 1.0f, [TWIN] = 1.0f, [BIG] = BIG_SCALE};
    for (int i = DIE; i <= BIG; i++) {
        float scale;
        const wr_record_body *body = &info->bodies[i];
        assert_ptr_equal(wr_record_asset(info, body, &scale), info->assets[0]);
        assert_true(scale == scales[i]);
        const wr_mesh *mesh = info->models[body->model]->meshes;
        assert_int_equal(mesh->vertex_count, asset->rig.ride_count);
        for (int v = 0; v < mesh->vertex_count; v++) {
            wr_vec3 p = wr_scale(scale, asset->model->meshes->positions[v]);
            assert_memory_equal(&mesh->positions[v], &p, sizeof p);
        }
    }
    assert_null(wr_record_asset(info, &info->bodies[STONE], NULL));
    assert_null(wr_record_asset(info, &info->bodies[0], NULL));
    wr_record_share shares[16];
    int kinds = wr_record_shares(reader, shares), found = 0;
    for (int i = 0; i < kinds; i++) {
        if (memcmp(shares[i].kind, "ASST", 4) == 0) {
            assert_int_equal(shares[i].count, 1);
            found++;
        } else if (memcmp(shares[i].kind, "MODL", 4) == 0) {
            assert_int_equal(shares[i].count, 2); // the larger one, and the stone
            found++;
        }
    }
    assert_int_equal(found, 2);
    wr_asset_destroy(asset);
    wr_record_close(reader);
}

// --- shapes -----------------------------------------------------------------------------------

// The render mesh of a scaled rig, from the rows of weights as they are simulated.
static void skin_truth(const wr_asset *asset, float scale, const wr_record_weights *w, wr_vec3 *out)
{
    wr_rig rig = asset->rig;
    size_t n = (size_t)rig.vertex_count, B = (size_t)rig.handle_count,
           C = (size_t)rig.example_count;
    wr_vec3 *rest = calloc(n, sizeof *rest), *x = calloc(n, sizeof *x);
    wr_handle *handles = calloc(B, sizeof *handles);
    wr_example *examples = calloc(C, sizeof *examples);
    for (size_t i = 0; i < n; i++) {
        rest[i] = wr_scale(scale, rig.rest[i]);
    }
    for (size_t b = 0; b < B; b++) {
        handles[b] = rig.handles[b];
        handles[b].pivot = wr_scale(scale, handles[b].pivot);
    }
    for (size_t e = 0; e < C; e++) {
        const wr_example *from = &rig.examples[e];
        examples[e] = (wr_example){.name = from->name, .poses = calloc(B, sizeof(wr_handle_pose))};
        for (size_t b = 0; b < B; b++) {
            examples[e].poses[b] = from->poses[b];
            examples[e].poses[b].offset = wr_scale(scale, from->poses[b].offset);
        }
        examples[e].correctives = from->correctives ? calloc(n, sizeof(wr_vec3)) : NULL;
        for (size_t i = 0; from->correctives && i < n; i++) {
            examples[e].correctives[i] = wr_scale(scale, from->correctives[i]);
        }
        examples[e].details = from->details ? calloc((size_t)rig.ride_count, 12) : NULL;
        for (int i = 0; from->details && i < rig.ride_count; i++) {
            examples[e].details[i] = wr_scale(scale, from->details[i]);
        }
    }
    rig.rest = rest;
    rig.handles = handles;
    rig.examples = examples;
    float *E = calloc(n * C, sizeof *E);
    for (size_t i = 0; i < n; i++) {
        E[i * C] = 1.0f;
    }
    for (int i = 0; w && i < w->entry_count; i++) {
        size_t row = (size_t)w->vertices[i] * C;
        E[row + (size_t)w->examples[i]] = w->weights[i];
        E[row] -= w->weights[i];
    }
    wr_skin_desc desc = wr_skin_desc_default();
    wr_skin *skin = wr_skin_create(&rig, &desc, NULL);
    assert_non_null(skin);
    wr_skin_positions(skin, E, NULL, 0, NULL, x);
    wr_skin_ride_positions(skin, E, x, NULL, 0, NULL, out);
    wr_skin_destroy(skin);
    for (size_t e = 0; e < C; e++) {
        free(examples[e].poses);
        free(examples[e].correctives);
        free(examples[e].details);
    }
    free(examples);
    free(handles);
    free(rest);
    free(x);
    free(E);
}

static const wr_record_weights *weights_of(const wr_frame *frame, int body)
{
    for (int i = 0; i < frame->weights_count; i++) {
        if (frame->weights[i].body == body) {
            return &frame->weights[i];
        }
    }
    return NULL;
}

static wr_record_shape find_shape(wr_reskin *reskin, const wr_record_info *info,
                                  const wr_frame *frame, int body)
{
    wr_error error = {0};
    wr_record_shape shape;
    if (!wr_reskin_find(reskin, frame, body, &info->bodies[body], true, &shape, &error)) {
        fail_msg("%s", error.message);
    }
    return shape;
}

static void shapes_are_those_that_were_simulated(void **state)
{
    (void)state;
    show s = begin_show();
    wr_record_reader *reader = open_recording(path_in("dice.wrought"));
    const wr_record_info *info = wr_record_about(reader);
    const wr_asset *asset = info->assets[0];
    wr_reskin *reskin = wr_reskin_create(info, NULL);
    assert_non_null(reskin);
    int n = asset->rig.ride_count, bent[BODIES] = {0};
    float least = 1.0f;
    wr_vec3 *truth = calloc((size_t)n, sizeof *truth);
    for (int i = 0; i <= FRAMES; i++) {
        const wr_frame *now = wr_world_frame(s.world),
                       *then = wr_record_read_frame(reader, i, NULL);
        assert_non_null(then);
        assert_true(now->hash == then->hash);
        assert_int_equal(then->points_count, 0);
        for (int b = DIE; b <= BIG; b++) {
            float scale;
            wr_record_asset(info, &info->bodies[b], &scale);
            const wr_record_weights *simulated = weights_of(now, b);
            wr_record_shape shape = find_shape(reskin, info, then, b);
            assert_int_equal(shape.positions != NULL, simulated != NULL);
            for (int k = 0; simulated && k < simulated->entry_count; k++) {
                assert_true(simulated->examples[k] > 0); // rest is what is left
                least = fminf(least, simulated->weights[k]);
            }
            if (simulated) {
                skin_truth(asset, scale, simulated, truth);
                double size = (double)scale; // of a cube of 1 m
                CHECK_NEAR(largest_distance(shape.positions, truth, n) / size, 0.0, 5e-5);
                bent[b]++;
            }
        }
        assert_null(find_shape(reskin, info, then, STONE).positions);
        if (i < FRAMES) {
            wr_world_step_frame(s.world);
        }
    }
    assert_true(least > 0.0f && least < 1e-4f); // dents end softly: nothing is cut off
    for (int b = DIE; b <= BIG; b++) {
        assert_in_range(bent[b], 20, FRAMES);
        const wr_frame *last = wr_record_read_frame(reader, FRAMES, NULL);
        wr_record_shape shape = find_shape(reskin, info, last, b);
        const wr_mesh *rest = info->models[info->bodies[b].model]->meshes;
        assert_true(largest_distance(shape.positions, rest->positions, n) > 0.03); // it crumpled
    }
    free(truth);
    wr_reskin_destroy(reskin);
    wr_record_close(reader);
    end_show(s);
}

static void a_shape_is_kept_until_its_weights_change(void **state)
{
    (void)state;
    wr_record_reader *reader = open_recording(path_in("dice.wrought"));
    const wr_record_info *info = wr_record_about(reader);
    wr_reskin *reskin = wr_reskin_create(info, NULL), *fresh;
    int n = info->assets[0]->rig.ride_count, changes = 0;
    uint32_t version = 0;
    const int order[] = {0, 5, 30, 31, 32, 89, 90, 90, 31, 0, 90};
    for (int i = 0; i < WRI_COUNT(order); i++) {
        const wr_frame *frame = wr_record_read_frame(reader, order[i], NULL);
        wr_record_shape shape = find_shape(reskin, info, frame, DIE);
        fresh = wr_reskin_create(info, NULL);
        wr_record_shape same = find_shape(fresh, info, frame, DIE);
        assert_int_equal(shape.positions != NULL, same.positions != NULL);
        if (same.positions) {
            assert_memory_equal(shape.positions, same.positions, sizeof(wr_vec3) * (size_t)n);
            assert_memory_equal(shape.normals, same.normals, sizeof(wr_vec3) * (size_t)n);
        }
        wr_reskin_destroy(fresh);
        changes += shape.version != version;
        version = shape.version;
    }
    const wr_frame *frame = wr_record_read_frame(reader, FRAMES, NULL);
    version = find_shape(reskin, info, frame, DIE).version;
    assert_int_equal(find_shape(reskin, info, frame, DIE).version, version);
    assert_in_range(changes, 4, WRI_COUNT(order) - 2); // 90 follows 90, and 0 and 5 are at rest
    wr_reskin_destroy(reskin);
    wr_record_close(reader);
}

static void assert_same_shape(const wr_record_shape *a, const wr_record_shape *b, int n)
{
    size_t size = sizeof(wr_vec3) * (size_t)n;
    assert_int_equal(a->positions != NULL, b->positions != NULL);
    if (b->positions) {
        assert_memory_equal(a->positions, b->positions, size);
        assert_memory_equal(a->normals, b->normals, size);
    }
}

// Several threads make all shapes of a frame, in any order, as one makes one.
static void shapes_made_together_are_those_made_one_by_one(void **state)
{
    (void)state;
    wr_record_reader *reader = open_recording(path_in("dice.wrought"));
    const wr_record_info *info = wr_record_about(reader);
    wr_reskin *together = wr_reskin_create(info, NULL);
    const wr_tasks tasks = wr_tasks_openmp(3);
    int n = info->assets[0]->rig.ride_count;
    const int order[] = {0, 31, 90, 30, 5, 89, 90};
    wr_record_shape before[BODIES] = {{0}};
    for (int i = 0; i < WRI_COUNT(order); i++) {
        const wr_frame *frame = wr_record_read_frame(reader, order[i], NULL);
        wri_test_block_shuffle = 5 * i;
        wri_reskin_prepare(together, frame, info->bodies, info->body_count, &tasks);
        wri_test_block_shuffle = 0;
        wr_reskin *alone = wr_reskin_create(info, NULL);
        for (int b = DIE; b <= BIG; b++) {
            wr_record_shape one = find_shape(alone, info, frame, b);
            if (before[b].positions && one.positions) { // is there before anybody asks
                assert_same_shape(&before[b], &one, n);
            }
            wr_record_shape shape = find_shape(together, info, frame, b);
            assert_same_shape(&shape, &one, n);
            before[b] = shape.positions ? shape : before[b];
        }
        wr_reskin_destroy(alone);
    }
    wr_reskin_destroy(together);
    wr_record_close(reader);
}

static void normals_turn_with_the_shape(void **state)
{
    (void)state;
    wr_record_reader *reader = open_recording(path_in("dice.wrought"));
    const wr_record_info *info = wr_record_about(reader);
    wr_reskin *reskin = wr_reskin_create(info, NULL);
    for (int b = DIE; b <= BIG; b++) {
        const wr_mesh *mesh = info->models[info->bodies[b].model]->meshes;
        const wr_frame *frame = wr_record_read_frame(reader, FRAMES, NULL);
        wr_record_shape shape = find_shape(reskin, info, frame, b);
        double turned = 0.0;
        for (int t = 0; t < mesh->triangle_count; t++) { // a face has its own corners: flat
            const int *c = &mesh->triangles[3 * t];
            wr_vec3 n =
                wr_normalize(wr_cross(wr_sub(shape.positions[c[1]], shape.positions[c[0]]),
                                      wr_sub(shape.positions[c[2]], shape.positions[c[0]])));
            CHECK_NEAR(wr_length(shape.normals[c[0]]), 1.0, 1e-5);
            assert_true(wr_dot(n, shape.normals[c[0]]) > 0.7f);
            turned = fmax(turned, (double)wr_distance(shape.normals[c[0]], mesh->normals[c[0]]));
        }
        assert_true(turned > 0.02);
    }
    wr_reskin_destroy(reskin);
    wr_record_close(reader);
}

// --- the stream -------------------------------------------------------------------------------

// Entries that come and go: sets of a frame, the same for the same number.
enum { VERTICES = 40, COLUMNS = 4, MOST = VERTICES * COLUMNS };
typedef struct entries {
    int vertices[MOST], examples[MOST];
    float weights[MOST];
    wr_record_weights list;
} entries;

static void make_entries(entries *e, int frame)
{
    int count = 0;
    for (int i = 0; i < MOST; i++) {
        uint64_t seed = (uint64_t)(i + 1);
        int from = (int)random_float(&seed, -4.0f, 30.0f);
        int to = from + (int)random_float(&seed, 0.0f, 20.0f);
        if (i % COLUMNS == 0 || frame < from || frame > to) {
            continue;
        }
        int step = frame > from + 5 ? from + 5 : frame; // rests after a while
        e->vertices[count] = i / COLUMNS;
        e->examples[count] = i % COLUMNS;
        e->weights[count++] = (float)((i * 37 + step * step * 11) % 65536) / 65535.0f;
    }
    e->list = (wr_record_weights){0, count, e->vertices, e->examples, e->weights};
}

static void write_entries(const char *path, int frames)
{
    wr_error error = {0};
    wr_record_body body = {"b", "metal", -1, false, false, {1, 1, 1, 1}};
    wr_record_info info = {.title = "t",
                           .program = "p",
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = frames - 1,
                           .stage = wr_stage_default(),
                           .body_count = 1,
                           .bodies = &body};
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    assert_non_null(writer);
    entries *e = malloc(sizeof *e);
    for (int i = 0; i < frames; i++) {
        make_entries(e, i);
        wr_pose pose = WR_POSE_IDENTITY;
        wr_frame frame = {.index = i,
                          .time = i / 60.0,
                          .body_count = 1,
                          .poses = &pose,
                          .weights_count = i == 13 ? 0 : 1,
                          .weights = &e->list};
        assert_true(wr_record_add_frame(writer, &frame, &error));
        assert_true(i % 9 != 4 || wr_record_add_snapshot(writer, "s", 1, &error));
    }
    free(e);
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
}

static void entries_come_and_go_exactly(void **state)
{
    (void)state;
    enum { COUNT = 45 };
    write_entries(path_in("entries.wrought"), COUNT);
    wr_record_reader *reader = open_recording(path_in("entries.wrought"));
    entries *e = malloc(sizeof *e);
    for (int i = 0; i < 3 * COUNT; i++) {
        int index = i < COUNT ? i : i * 17 % COUNT;
        wr_error error = {0};
        const wr_frame *frame = wr_record_read_frame(reader, index, &error);
        if (!frame) {
            fail_msg("%s", error.message);
        }
        make_entries(e, index);
        assert_int_equal(frame->weights_count, index != 13);
        for (int k = 0; k < frame->weights_count; k++) {
            const wr_record_weights *w = &frame->weights[k];
            assert_int_equal(w->entry_count, e->list.entry_count);
            for (int n = 0; n < w->entry_count; n++) {
                assert_int_equal(w->vertices[n], e->vertices[n]);
                assert_int_equal(w->examples[n], e->examples[n]);
                assert_true(w->weights[n] == e->weights[n]); // multiples of 1/65535
            }
        }
    }
    free(e);
    // What entries were in the frame before is a guess, whatever came or went beside them: 6.7 kB
    // when the wrong ones are taken, 7.6 kB without.
    assert_true(wr_record_size(reader) < 6400);
    wr_record_close(reader);
}

static void weights_that_rest_cost_nearly_nothing(void **state)
{
    (void)state;
    size_t size;
    char *bytes = wri_file_read(path_in("dice.wrought"), 1 << 28, NULL, &size, NULL);
    assert_non_null(bytes);
    int frame = 0, least = INT32_MAX;
    for (size_t at = WRI_RECORD_HEADER_SIZE; at < size;) {
        uint32_t kind = (uint32_t)wri_read_little((uint8_t *)bytes + at, 4);
        int stored = (int)wri_read_little((uint8_t *)bytes + at + 8, 4);
        if (kind == WRI_CHUNK_FRAME && frame++ > FRAMES / 2) {
            least = stored < least ? stored : least;
        }
        at += WRI_CHUNK_HEAD_SIZE + (size_t)stored;
    }
    // Poses and contacts of four bodies that still rock, nine bytes per body with weights.
    assert_true(least < 400);
    wri_free(NULL, bytes, size + 1, 1);
}

// --- going on ---------------------------------------------------------------------------------

static void resuming_gives_the_same_bytes(void **state)
{
    (void)state;
    const char *path = path_in("cut.wrought");
    record(path, 77); // breaks off
    show s = begin_show();
    wr_error error = {0};
    int frame;
    const void *snapshot;
    size_t size, whole_size;
    wr_record_writer *writer =
        wr_record_resume(path, wr_world_record_info(s.world), &frame, &snapshot, &size, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(frame, 60);
    assert_true(wr_world_restore(s.world, snapshot, size, &error));
    while (frame++ < FRAMES) {
        wr_world_step_frame(s.world);
        add_frame(writer, s);
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    end_show(s);
    char *whole = wri_file_read(path_in("dice.wrought"), 1 << 28, NULL, &whole_size, NULL);
    char *bytes = wri_file_read(path, 1 << 28, NULL, &size, NULL);
    assert_int_equal(size, whole_size);
    assert_memory_equal(bytes, whole, size);
    // One that broke off inside its description, between the asset and the models.
    wri_file *file = wri_file_open(path, WRI_FILE_UPDATE, NULL);
    size_t info_size = (size_t)wri_read_little((uint8_t *)whole + 24 + 8, 4);
    assert_true(wri_file_truncate(file, (int64_t)(24 + 24 + info_size + 24 + 100), NULL));
    assert_true(wri_file_close(file, NULL));
    s = begin_show();
    writer =
        wr_record_resume(path, wr_world_record_info(s.world), &frame, &snapshot, &size, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(frame, -1);
    wr_record_writer_destroy(writer);
    end_show(s);
    wr_record_close(open_recording(path));
    wri_free(NULL, whole, whole_size + 1, 1);
    wri_free(NULL, bytes, whole_size + 1, 1);
}

// --- other versions, broken files -------------------------------------------------------------

static void put_chunk(wri_array *out, uint32_t kind, uint32_t flags, const void *bytes, size_t size,
                      size_t raw)
{
    int at = out->count;
    uint8_t *head = wri_array_add(out, WRI_CHUNK_HEAD_SIZE + (int)size);
    assert_non_null(head);
    memcpy(head + WRI_CHUNK_HEAD_SIZE, bytes, size);
    wri_chunk_head h = {kind, flags, (uint32_t)size, (uint32_t)raw, 0};
    wri_chunk_head_write(head, &h);
    h.checksum = wri_chunk_checksum(head, head + WRI_CHUNK_HEAD_SIZE, size, at);
    wri_chunk_head_write(head, &h);
}

typedef void edit_fn(wri_array *info, wri_array *asset);

// A recording with another description, and without an index. version 0: as it is.
static const char *rewrite(const char *from, int version, edit_fn *edit)
{
    size_t size;
    wr_error error = {0};
    const char *to = path_in("rewritten.wrought");
    wr_record_reader *reader = open_recording(from);
    uint8_t *bytes = (uint8_t *)wri_file_read(from, 1 << 28, NULL, &size, NULL);
    wri_array out = wri_array_create(NULL, 1), info = out, asset = out;
    memcpy(wri_array_add(&out, WRI_RECORD_HEADER_SIZE), bytes, WRI_RECORD_HEADER_SIZE);
    if (version) {
        uint8_t *header = out.items;
        wri_write_little(header + 8, (uint64_t)version, 4);
        wri_write_little(header + 12, (uint64_t)version, 4);
        wri_write_little(header + 16, wri_hash(header, 16, 0), 8);
    }
    wr_record_info copy = *wr_record_about(reader);
    wri_codec c = {.out = &info};
    wri_code_info(&c, &copy);
    if (copy.asset_count) {
        uint8_t *packed;
        size_t packed_size;
        assert_true(wri_asset_pack(copy.assets[0], "a", &packed, &packed_size, &error));
        memcpy(wri_array_add(&asset, (int)packed_size), packed, packed_size);
        wri_free(NULL, packed, packed_size, 1);
    }
    edit(&info, &asset);
    for (size_t at = WRI_RECORD_HEADER_SIZE; at < size;) {
        uint32_t kind = (uint32_t)wri_read_little(bytes + at, 4);
        uint32_t flags = (uint32_t)wri_read_little(bytes + at + 4, 4);
        size_t stored = wri_read_little(bytes + at + 8, 4),
               raw = wri_read_little(bytes + at + 12, 4);
        if (kind == WRI_CHUNK_INFO) {
            put_chunk(&out, kind, 0, info.items, (size_t)info.count, (size_t)info.count);
        } else if (kind == WRI_CHUNK_ASSET) {
            put_chunk(&out, kind, 0, asset.items, (size_t)asset.count, (size_t)asset.count);
        } else if (kind != WRI_CHUNK_INDEX && kind != WRI_CHUNK_FOOTER) {
            put_chunk(&out, kind, flags, bytes + at + WRI_CHUNK_HEAD_SIZE, stored, raw);
        }
        at += WRI_CHUNK_HEAD_SIZE + stored;
    }
    assert_true(wri_file_write(to, out.items, (size_t)out.count, NULL));
    wri_array_destroy(&out);
    wri_array_destroy(&info);
    wri_array_destroy(&asset);
    wri_free(NULL, bytes, size + 1, 1);
    wr_record_close(reader);
    return to;
}

static void without_tail(wri_array *info, wri_array *asset)
{
    (void)asset;
    info->count -= 4; // the number of assets
}

static void recordings_of_version_1_are_read_but_not_continued(void **state)
{
    (void)state;
    write_entries(path_in("entries.wrought"), 1); // one frame: what version 1 had, too
    const char *path = rewrite(path_in("entries.wrought"), 1, without_tail);
    wr_record_reader *reader = open_recording(path);
    wr_record_info info = *wr_record_about(reader);
    assert_int_equal(info.asset_count, 0);
    const wr_frame *frame = wr_record_read_frame(reader, 0, NULL);
    assert_non_null(frame);
    assert_true(frame->weights[0].entry_count > 0);
    int last;
    const void *snapshot;
    size_t size;
    wr_error error = {0};
    assert_null(wr_record_resume(path, &info, &last, &snapshot, &size, &error));
    assert_non_null(strstr(error.message, "written by an earlier version (format 1, this is 3)"));
    wr_record_close(reader);
}

static void bad_asset(wri_array *info, wri_array *asset)
{
    (void)info;
    memset((uint8_t *)asset->items + asset->count / 2, 0x7f, (size_t)asset->count / 4);
}

static void no_asset(wri_array *info, wri_array *asset)
{
    (void)info;
    asset->count = 3;
}

static void wrong_rig(wri_array *info, wri_array *asset)
{
    (void)asset;
    wri_write_little((uint8_t *)info->items + info->count - 8, 7, 4);
}

static void wrong_scale(wri_array *info, wri_array *asset)
{
    (void)asset;
    wri_write_little((uint8_t *)info->items + info->count - 4, 0, 4);
}

static void many_assets(wri_array *info, wri_array *asset)
{
    (void)asset;
    int models = 3;
    wri_write_little((uint8_t *)info->items + info->count - 8 * models - 4, 1u << 30, 4);
}

// An asset that wants a file beside the recording.
static void curious_asset(wri_array *info, wri_array *asset)
{
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":12,\"uri\":\"secret.bin\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":12}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}],\"extensionsUsed\":["
        "\"WROUGHT_asset\"],\"extensions\":{\"WROUGHT_asset\":{\"version\":1,\"oldestReader\":1,"
        "\"name\":\"x\",\"simulation\":{\"dimension\":3,\"rest\":0,\"elements\":0}}}}";
    (void)info;
    asset->count = 0;
    memcpy(wri_array_add(asset, (int)sizeof json - 1), json, sizeof json - 1);
    assert_true(wri_file_write(path_in("secret.bin"), "secret bytes", 12, NULL));
}

static void broken_assets_get_a_sentence(void **state)
{
    (void)state;
    static const struct {
        edit_fn *edit;
        const char *part;
    } cases[] = {{bad_asset, "rewritten.wrought: byte "},
                 {no_asset, "asset 0"},
                 {wrong_rig, "a model's asset: index 7 of 1"},
                 {wrong_scale, "a scale that is not positive"},
                 {many_assets, "the file ends before its models"},
                 {curious_asset, "\"secret.bin\" is another file, expected none"}};
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_error error = {0};
        const char *path = rewrite(path_in("dice.wrought"), 0, cases[i].edit);
        assert_null(wr_record_open(path, &error));
        if (!strstr(error.message, cases[i].part) || !strstr(error.message, "byte")) {
            fail_msg("case %d: %s", i, error.message);
        }
    }
}

static void two_thousand_million_models(wri_array *info, wri_array *asset)
{
    (void)asset;
    uint8_t *bytes = info->items;
    int models = 3, at = 0;
    info->count -= 8 * models + 4; // without rigs, whose number is checked against the bytes
    while (wri_read_little(bytes + at, 4) != (uint64_t)models ||
           wri_read_little(bytes + at + 4, 4) != BODIES) {
        assert_true(++at < info->count - 8);
    }
    wri_write_little(bytes + at, INT32_MAX - 1, 4);
}

// Found by fuzzing: they were counted one by one.
static void a_claim_of_many_models_is_answered_at_once(void **state)
{
    (void)state;
    wr_error error = {0};
    const char *path = rewrite(path_in("dice.wrought"), 0, two_thousand_million_models);
    double start = processor_seconds();
    assert_null(wr_record_open(path, &error));
    assert_non_null(strstr(error.message, "the file ends before its models"));
    assert_true(processor_seconds() - start < 1.0);
}

static void weights_of_another_asset_get_a_sentence(void **state)
{
    (void)state;
    wr_record_reader *reader = open_recording(path_in("dice.wrought"));
    const wr_record_info *info = wr_record_about(reader);
    wr_reskin *reskin = wr_reskin_create(info, NULL);
    const int vertices[2] = {3, 64}, examples[2] = {1, 1};
    const float weights[2] = {0.5f, 0.5f};
    wr_record_weights list = {DIE, 2, vertices, examples, weights};
    wr_frame frame = *wr_record_read_frame(reader, 0, NULL);
    frame.weights = &list;
    frame.weights_count = 1;
    wr_error error = {0};
    wr_record_shape shape;
    assert_false(wr_reskin_find(reskin, &frame, DIE, &info->bodies[DIE], true, &shape, &error));
    assert_string_equal(error.message,
                        "frame 0: body \"die\": a weight of vertex 64 and example 1, "
                        "of an asset with 64 and 4");
    wr_reskin_destroy(reskin);
    wr_record_close(reader);
}

// --- exports ----------------------------------------------------------------------------------

static void export_to(const char *output)
{
    bool has_dents = wri_has_ending(output, ".glb") || wri_has_ending(output, ".usda");
    const char *words[] = {getenv("WROUGHT_PROGRAM"),
                           "export",
                           path_in("dice.wrought"),
                           "-o",
                           output,
                           "--quiet",
                           "--body",
                           "die,big",
                           has_dents ? "--tolerance" : NULL,
                           "0",
                           NULL};
    if (!words[0]) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    wri_run_result result = {0};
    assert_true(wri_run(words, &(wri_run_limits){60.0, 0, 4096}, NULL, &result, NULL));
    if (result.end != WRI_RUN_EXITED || result.code != 0) {
        fail_msg("%s: %s", output, result.line);
    }
    wri_array_destroy(&result.output);
}

// Both bodies in the last frame, in the world.
static int place_truth(wr_vec3 *positions, wr_vec3 *normals)
{
    wr_record_reader *reader = open_recording(path_in("dice.wrought"));
    const wr_record_info *info = wr_record_about(reader);
    const wr_frame *frame = wr_record_read_frame(reader, FRAMES, NULL);
    wr_reskin *reskin = wr_reskin_create(info, NULL);
    int n = info->assets[0]->rig.ride_count;
    for (int k = 0; k < 2; k++) {
        int body = k ? BIG : DIE;
        wr_record_shape shape = find_shape(reskin, info, frame, body);
        for (int i = 0; i < n; i++) {
            positions[k * n + i] = wr_pose_point(frame->poses[body], shape.positions[i]);
            normals[k * n + i] = wr_rotate(frame->poses[body].rotation, shape.normals[i]);
        }
    }
    wr_reskin_destroy(reskin);
    wr_record_close(reader);
    return 2 * n;
}

static void every_export_has_the_dents(void **state)
{
    (void)state;
    enum { ROOM = 100 };
    wr_vec3 truth[ROOM], normals[ROOM], shown[ROOM];
    wr_error error = {0};
    int n = place_truth(truth, normals);
    export_to(path_in("dice.pc2"));
    wr_cache *cache = wr_cache_read(path_in("dice.pc2"), NULL, &error);
    assert_non_null(cache);
    assert_int_equal(cache->point_count, n);
    assert_int_equal(cache->frame_count, FRAMES + 1);
    CHECK_NEAR(largest_distance(cache->positions + (size_t)FRAMES * (size_t)n, truth, n), 0, 1e-5);
    wr_cache_destroy(cache);
    export_to(path_in("seq/dice.####.ply"));
    wr_model *model = wr_model_read(path_in("seq/dice.0090.ply"), NULL, &error);
    assert_non_null(model);
    assert_int_equal(model->meshes->vertex_count, n);
    CHECK_NEAR(largest_distance(model->meshes->positions, truth, n), 0, 1e-5);
    CHECK_NEAR(largest_distance(model->meshes->normals, normals, n), 0, 1e-4);
    wr_model_destroy(model);
    export_to(path_in("dice.glb"));
    model = wr_model_read(path_in("dice.glb"), NULL, &error);
    assert_non_null(model);
    for (int i = 0; i < model->mesh_count; i++) {
        assert_in_range(model->meshes[i].morph_count, 1, 32);
    }
    assert_int_equal(wr_shape_vertex_count(model), n);
    assert_true(wr_shape_from_clip(model, 0, FRAMES / 60.0, shown, &error));
    CHECK_NEAR(largest_distance(shown, truth, n), 0, 5e-5);
    wr_model_destroy(model);
    export_to(path_in("dice.usda"));
    size_t size;
    char *text = wri_file_read(path_in("dice.usda"), 1 << 28, NULL, &size, &error);
    int samples = 0;
    for (const char *at = text; at && (at = strstr(at, "points.timeSamples")); at++) {
        samples++;
    }
    assert_int_equal(samples, 2);
    wri_free(NULL, text, size + 1, 1);
}

// --- examples from recordings -----------------------------------------------------------------

static void check_example(const char *body)
{
    char text[1500];
    wr_error error = {0};
    snprintf(
        text, sizeof text,
        "{ \"wrought\": 1, \"name\": \"again\", \"model\": \"die.glb\",\n"
        "  \"simulation\": { \"vertices\": 80 }, \"handles\": { \"automatic\": 4 },\n"
        "  \"examples\": [ { \"name\": \"fallen\", \"recording\": { \"file\": \"dice.wrought\",\n"
        "    \"body\": \"%s\", \"frame\": %d } } ] }\n",
        body, FRAMES);
    const char *path = path_in("again.recipe.json");
    assert_true(wri_file_write(path, text, strlen(text), NULL));
    wr_recipe *recipe = wr_recipe_read(path, NULL, &error);
    wr_build_desc desc = wr_build_desc_default();
    wr_asset *asset = recipe ? wr_recipe_build(recipe, &desc, NULL, &error) : NULL;
    if (!asset) {
        fail_msg("%s", error.message);
    }
    wr_record_reader *reader = open_recording(path_in("dice.wrought"));
    int n = wr_record_vertex_count(reader, body, -1, NULL, &error);
    assert_int_equal(n, asset->rig.ride_count);
    wr_vec3 *wanted = calloc((size_t)n, sizeof *wanted), *got = calloc((size_t)n, sizeof *got);
    bool moved = true;
    assert_true(wr_shape_from_recording(reader, body, -1, NULL, n, wanted, &moved, &error));
    assert_false(moved);
    entries *e = calloc(1, sizeof *e);
    for (int i = 0; i < asset->rig.vertex_count; i++) {
        assert_true(i < MOST);
        e->vertices[i] = i;
        e->examples[i] = 1;
        e->weights[i] = 1.0f;
    }
    e->list = (wr_record_weights){0, asset->rig.vertex_count, e->vertices, e->examples, e->weights};
    skin_truth(asset, 1.0f, &e->list, got);
    CHECK_NEAR(largest_distance(got, wanted, n), 0.0, 1e-5);
    const wr_vec3 *rest = asset->model->meshes->positions;
    assert_true(largest_distance(wanted, rest, n) > 0.01);
    assert_true(largest_distance(wanted, rest, n) < 0.7); // in the size of the asset
    free(e);
    free(wanted);
    free(got);
    wr_record_close(reader);
    wr_asset_destroy(asset);
    wr_recipe_destroy(recipe);
}

static void a_dented_body_becomes_an_example(void **state)
{
    (void)state;
    wr_asset *asset = make_asset();
    assert_true(wr_model_write_glb(asset->model, path_in("die.glb"), NULL));
    wr_asset_destroy(asset);
    check_example("die");
    check_example("big");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_asset_is_embedded_once_with_its_model),
        cmocka_unit_test(shapes_are_those_that_were_simulated),
        cmocka_unit_test(a_shape_is_kept_until_its_weights_change),
        cmocka_unit_test(shapes_made_together_are_those_made_one_by_one),
        cmocka_unit_test(normals_turn_with_the_shape),
        cmocka_unit_test(entries_come_and_go_exactly),
        cmocka_unit_test(weights_that_rest_cost_nearly_nothing),
        cmocka_unit_test(resuming_gives_the_same_bytes),
        cmocka_unit_test(recordings_of_version_1_are_read_but_not_continued),
        cmocka_unit_test(broken_assets_get_a_sentence),
        cmocka_unit_test(a_claim_of_many_models_is_answered_at_once),
        cmocka_unit_test(weights_of_another_asset_get_a_sentence),
        cmocka_unit_test(every_export_has_the_dents),
        cmocka_unit_test(a_dented_body_becomes_an_example),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
