// test_asset.c: assets keep every bit on disk, other programs see their examples, and broken ones
// are refused with a sentence.
#include "check.h"

#include "asset_sample.h"
#include "same_model.h"
#include "wrought/wrought.h"

#include "../src/base/os.h"
#include "../src/file/asset.h"
#include "../src/file/json.h"

static temporary_folder folder;
static char path[600], other[600];

static const sample_shape rich = {3, 2, 6, false}, flat = {2, 3, 3, false}, bare = {3, 1, 0, false},
                          plain = {3, 2, 3, true};

static void need(bool ok, const wr_error *error)
{
    if (!ok) {
        fail_msg("%s", error->message);
    }
}

static void write_to(const wr_asset *asset, const char *to)
{
    wr_error error = {0};
    need(wr_asset_write(asset, to, &error), &error);
}

static wr_asset *read_from(const char *from)
{
    wr_error error = {0};
    wr_asset *asset = wr_asset_read(from, NULL, &error);
    need(asset, &error);
    return asset;
}

// Without waiting for the disk.
static void put_bytes(const char *to, const void *bytes, size_t size)
{
    FILE *file = fopen(to, "wb");
    assert_true(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

// scripts/web_test.sh names a folder here and shows what is in it to the Khronos validator.
static void keep(const wr_asset *asset, const char *name)
{
    const char *rigs = getenv("WROUGHT_RIGS");
    if (rigs) {
        char to[1024];
        snprintf(to, sizeof to, "%s/%s", rigs, name);
        write_to(asset, to);
    }
}

// --- round trips ------------------------------------------------------------------------------

static void assert_same_rig(const wr_rig *a, const wr_rig *b)
{
    int corners = a->element_count * (a->dimension + 1);
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->element_count, b->element_count);
    assert_int_equal(a->handle_count, b->handle_count);
    assert_int_equal(a->example_count, b->example_count);
    assert_int_equal(a->ride_count, b->ride_count);
    assert_same_array(a->rest, b->rest, a->vertex_count, sizeof *a->rest);
    assert_same_array(a->elements, b->elements, corners, sizeof *a->elements);
    assert_same_array(a->weights, b->weights, a->vertex_count * a->handle_count, sizeof(float));
    assert_same_array(a->rides, b->rides, a->ride_count, sizeof *a->rides);
    for (int i = 0; i < a->handle_count; i++) {
        assert_string_equal(a->handles[i].name, b->handles[i].name);
        assert_memory_equal(&a->handles[i].pivot, &b->handles[i].pivot, sizeof(wr_vec3));
        assert_int_equal(a->handles[i].parent, b->handles[i].parent);
        assert_int_equal(a->handles[i].vertex, b->handles[i].vertex);
    }
    for (int i = 0; i < a->example_count; i++) {
        const wr_example *x = &a->examples[i], *y = &b->examples[i];
        assert_string_equal(x->name, y->name);
        assert_same_array(x->poses, y->poses, a->handle_count, sizeof *x->poses);
        assert_same_array(x->correctives, y->correctives, a->vertex_count, sizeof(wr_vec3));
        assert_same_array(x->details, y->details, a->ride_count, sizeof(wr_vec3));
    }
}

static void assert_same_clips(const wr_asset *a, const wr_asset *b)
{
    assert_int_equal(a->clip_count, b->clip_count);
    for (int i = 0; i < a->clip_count; i++) {
        const wr_rig_clip *x = &a->clips[i], *y = &b->clips[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->length == y->length);
        assert_int_equal(x->track_count, y->track_count);
        for (int k = 0; k < x->track_count; k++) {
            const wr_rig_track *s = &x->tracks[k], *t = &y->tracks[k];
            int width = wr_rig_channel_width(s->channel);
            assert_int_equal(s->handle, t->handle);
            assert_int_equal(s->channel, t->channel);
            assert_int_equal(s->key_count, t->key_count);
            assert_same_array(s->times, t->times, s->key_count, sizeof(float));
            assert_same_array(s->values, t->values, s->key_count * width, sizeof(float));
        }
    }
}

static void assert_same_asset(const wr_asset *a, const wr_asset *b)
{
    assert_same_clips(a, b);
    assert_string_equal(a->name, b->name);
    assert_same_model(a->model, b->model);
    assert_int_equal(a->model->look_count, b->model->look_count);
    assert_int_equal(a->model->image_count, b->model->image_count);
    assert_same_rig(&a->rig, &b->rig);
    for (int i = 0; i < WR_MAP_COUNT; i++) {
        assert_same_array(a->maps[i], b->maps[i], a->rig.vertex_count, sizeof(float));
    }
    assert_int_equal(a->pin_count, b->pin_count);
    if (a->pin_count > 0) {
        assert_memory_equal(a->pins, b->pins, (size_t)a->pin_count * sizeof *a->pins);
    }
    assert_int_equal(a->cut_count, b->cut_count);
    for (int i = 0; i < a->cut_count; i++) {
        assert_memory_equal(&a->cuts[i].normal, &b->cuts[i].normal, sizeof(wr_vec3));
        assert_memory_equal(&a->cuts[i].at, &b->cuts[i].at, sizeof(wr_vec3));
        assert_true(a->cuts[i].strength == b->cuts[i].strength);
    }
    assert_int_equal(!a->material, !b->material);
    if (a->material) {
        assert_string_equal(a->material, b->material);
    }
    assert_true(a->recipe_hash == b->recipe_hash);
}

static void assert_same_files(const char *a, const char *b)
{
    size_t sizes[2];
    char *x = wri_file_read(a, 1 << 26, NULL, &sizes[0], NULL);
    char *y = wri_file_read(b, 1 << 26, NULL, &sizes[1], NULL);
    assert_true(x && y);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(x, y, sizes[0]);
    wri_free(NULL, x, sizes[0] + 1, 1);
    wri_free(NULL, y, sizes[1] + 1, 1);
}

static void try_round_trip(wr_asset *asset)
{
    write_to(asset, path);
    wr_asset *again = read_from(path);
    assert_same_asset(asset, again);
    write_to(again, other);
    assert_same_files(path, other);
    assert_true(wr_asset_is_one(path));
    wr_asset_destroy(again);
    wr_asset_destroy(asset);
}

static void writing_and_reading_keeps_every_bit(void **state)
{
    (void)state;
    const sample_shape shapes[] = {rich, flat, bare, plain, {3, 4, 1, false}, {2, 1, 2, true}};
    for (int i = 0; i < WRI_COUNT(shapes); i++) {
        wr_asset *asset = sample_asset_create(shapes[i]);
        assert_non_null(asset);
        char name[32];
        snprintf(name, sizeof name, "asset-%d.glb", i);
        keep(asset, name);
        try_round_trip(asset);
    }
}

// Random bits of every size of number; cuts are JSON, the rest is bytes.
static void numbers_of_every_size_come_back(void **state)
{
    (void)state;
    uint64_t seed = 5;
    wr_asset *asset = sample_asset_create(rich);
    asset->cut_count = 200;
    asset->cuts = wr_asset_alloc(asset, 200, sizeof *asset->cuts);
    for (int i = 0; i < 200; i++) {
        wr_cut *cut = &asset->cuts[i];
        float scale = powf(10.0f, (float)(i % 70) - 38.0f);
        cut->normal = wr_normalize(sample_wave(i + 1, 1.0f));
        cut->at = wr_v3(random_float(&seed, -scale, scale), random_float(&seed, 0, scale), -0.0f);
        cut->strength = (double)random_bits(&seed) * pow(10.0, (double)(i - 100));
    }
    for (int b = 0; b < asset->rig.handle_count; b++) {
        asset->rig.examples[1].poses[b].offset = wr_v3(1e-38f, -0.0f, 1e-45f);
    }
    asset->material = "\"d\xc3\xbcnner \\\" Stahl\" // remark\n";
    asset->recipe_hash = UINT64_MAX;
    try_round_trip(asset);
}

static void vertices_that_no_triangle_uses_stay(void **state)
{
    (void)state;
    wr_asset *asset = sample_asset_create(plain);
    wr_mesh *mesh = asset->model->meshes;
    mesh->triangle_count = 1;
    mesh->part_count = 1;
    mesh->parts[0].triangle_count = 1;
    asset->model->looks[0] = asset->model->looks[mesh->parts[0].look];
    mesh->parts[0].look = 0;
    asset->model->look_count = 1;
    asset->model->looks[0].texture = -1;
    asset->model->image_count = 0;
    try_round_trip(asset);
}

// What a file cannot keep apart is made one when the asset is made.
static void creation_brings_the_model_into_form(void **state)
{
    (void)state;
    const sample_shape shape = plain;
    wr_error error = {0};
    wr_model *model = sample_model_create(&shape);
    wr_image *images = wr_model_alloc(model, 3, sizeof *images);
    wr_look *looks = wr_model_alloc(model, 4, sizeof *looks);
    images[0] = images[1] = images[2] = model->images[0];
    looks[0] = (wr_look){.name = "nobody's", .texture = 2};
    looks[1] = model->looks[0];
    looks[2] = model->looks[0];
    looks[1].texture = 1;
    looks[2].texture = 2;
    looks[2].base_color.g = 7.0f;
    model->images = images;
    model->image_count = 3;
    model->looks = looks;
    model->look_count = 4;
    looks[3] = looks[0];
    model->meshes->parts[0].look = 1;
    model->meshes->parts[1].look = 2;
    model->meshes->colors[3].r = -1.0f;
    model->meshes->normals[5] = wr_v3(0, 0, 9);
    wr_asset *asset = wr_asset_create(model, NULL, &error);
    need(asset, &error);
    assert_int_equal(asset->model->look_count, 2);
    assert_int_equal(asset->model->image_count, 1);
    assert_true(asset->model->looks != looks && asset->model->looks[1].base_color.g == 1.0f);
    assert_true(asset->model->meshes->colors[3].r == 0.0f);
    assert_true(asset->model->meshes->normals[5].z == 1.0f);
    sample_add_simulation(asset, &shape);
    sample_add_handles(asset, &shape);
    sample_add_rides(asset);
    sample_add_examples(asset, &shape);
    try_round_trip(asset);
    model = sample_model_create(&shape);
    model->node_count = 0;
    assert_null(wr_asset_create(model, NULL, &error));
    assert_string_equal(error.message,
                        "model: 1 meshes and 0 nodes, expected one of each: see wr_model_flatten");
}

// --- the preview ------------------------------------------------------------------------------

typedef struct posed {
    wr_mat34 *world, *joints;
    float *weights;
    wr_vec3 *positions;
} posed;

static posed pose_model(wri_arena *arena, const wr_model *model, const wr_clip *clip, double time)
{
    const wr_mesh *mesh = model->meshes;
    size_t nodes = (size_t)model->node_count;
    posed p = {
        wri_arena_alloc(arena, nodes, sizeof(wr_mat34)),
        model->skin_count ? wri_arena_alloc(arena, nodes, sizeof(wr_mat34)) : NULL,
        wri_arena_alloc(arena, (size_t)wr_model_weight_count(model), sizeof(float)),
        wri_arena_alloc(arena, (size_t)mesh->vertex_count, sizeof(wr_vec3)),
    };
    wr_model_pose(model, clip, time, p.world, p.weights);
    if (p.joints) {
        wr_model_skin_matrices(model->skins, p.world, p.joints);
    }
    wr_mesh_deform(mesh, p.weights, &p.world[0], p.joints, p.positions, NULL);
    return p;
}

// The formula of the spec in double, with full weights.
static void exact_vertex(const wr_rig *rig, int e, int i, double out[3])
{
    const float *row = &rig->weights[(size_t)i * (size_t)rig->handle_count];
    wr_vec3 u = rig->rest[i], k = {0, 0, 0};
    if (rig->examples[e].correctives) {
        k = rig->examples[e].correctives[i];
    }
    out[0] = (double)k.x + (rig->handle_count ? 0.0 : (double)u.x);
    out[1] = (double)k.y + (rig->handle_count ? 0.0 : (double)u.y);
    out[2] = (double)k.z + (rig->handle_count ? 0.0 : (double)u.z);
    for (int b = 0; b < rig->handle_count; b++) {
        const wr_handle_pose *pose = &rig->examples[e].poses[b];
        const float *s = pose->stretch;
        wr_vec3 v = wr_sub(u, rig->handles[b].pivot);
        v = wr_v3(s[0] * v.x + s[3] * v.y + s[4] * v.z, s[3] * v.x + s[1] * v.y + s[5] * v.z,
                  s[4] * v.x + s[5] * v.y + s[2] * v.z);
        wr_vec3 x =
            wr_add(wr_rotate(pose->rotation, v), wr_add(rig->handles[b].pivot, pose->offset));
        out[0] += (double)row[b] * (double)x.x;
        out[1] += (double)row[b] * (double)x.y;
        out[2] += (double)row[b] * (double)x.z;
    }
}

static wr_vec3 exact_place(const wr_rig *rig, int e, int i)
{
    const wr_ride *ride = &rig->rides[i];
    double sum[3] = {0}, x[3];
    for (int k = 0; k <= rig->dimension; k++) {
        exact_vertex(rig, e, rig->elements[ride->element * (rig->dimension + 1) + k], x);
        for (int j = 0; j < 3; j++) {
            sum[j] += (double)ride->weights[k] * x[j];
        }
    }
    wr_vec3 p = wr_v3((float)sum[0], (float)sum[1], (float)sum[2]);
    return rig->examples[e].details ? wr_add(p, rig->examples[e].details[i]) : p;
}

static double largest_distance(const wr_asset *asset, const posed *p, int e)
{
    double largest = 0.0;
    for (int i = 0; i < asset->rig.ride_count; i++) {
        largest =
            fmax(largest, (double)wr_distance(p->positions[i], exact_place(&asset->rig, e, i)));
    }
    return largest;
}

static wr_model *read_preview(const wr_asset *asset)
{
    wr_error error = {0};
    write_to(asset, path);
    wr_model *model = wr_model_read(path, NULL, &error);
    need(model, &error);
    return model;
}

static void other_programs_see_the_examples(void **state)
{
    (void)state;
    const sample_shape shapes[] = {rich, flat, bare, {3, 2, 4, true}};
    for (int k = 0; k < WRI_COUNT(shapes); k++) {
        wri_arena arena = wri_arena_create(NULL);
        wr_asset *asset = sample_asset_create(shapes[k]);
        wr_model *model = read_preview(asset);
        posed rest = pose_model(&arena, model, NULL, 0.0);
        int first = shapes[k].handles ? 1 : 2; // without handles the first example is rest
        CHECK_NEAR(largest_distance(asset, &rest, 0), 0.0, 1e-6);
        assert_int_equal(model->clip_count, 4 - first + (asset->clip_count > 0));
        for (int e = first; e < 4; e++) {
            const wr_clip *clip = &model->clips[e - first];
            assert_string_equal(clip->name, asset->rig.examples[e].name);
            CHECK_NEAR(wr_clip_length(clip), 1.0, 0.0);
            posed begin = pose_model(&arena, model, clip, 0.0);
            posed end = pose_model(&arena, model, clip, 1.0);
            CHECK_NEAR(largest_distance(asset, &begin, 0), 0.0, 1e-6);
            bool exact = asset->rig.examples[e].correctives; // otherwise joints do it alone
            CHECK_NEAR(largest_distance(asset, &end, e), 0.0, exact ? 2e-6 : 0.2);
        }
        wr_model_destroy(model);
        wr_asset_destroy(asset);
        wri_arena_destroy(&arena);
    }
}

// x = R (u - c) + c + d, however deep a joint hangs.
static void joints_have_the_maps_of_their_handles(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    wr_asset *asset = sample_asset_create(rich);
    wr_model *model = read_preview(asset);
    const wr_rig *rig = &asset->rig;
    assert_int_equal(model->skins[0].joint_count, rig->handle_count);
    for (int e = 1; e < rig->example_count; e++) {
        posed p = pose_model(&arena, model, &model->clips[e - 1], 1.0);
        for (int b = 0; b < rig->handle_count; b++) {
            const wr_node *node = &model->nodes[model->skins[0].joints[b]];
            const wr_handle *handle = &rig->handles[b];
            const wr_handle_pose *pose = &rig->examples[e].poses[b];
            assert_string_equal(node->name, handle->name);
            assert_int_equal(node->parent,
                             handle->parent < 0 ? 1 : model->skins[0].joints[handle->parent]);
            for (int i = 0; i < rig->vertex_count; i++) {
                wr_vec3 u = rig->rest[i];
                wr_vec3 x = wr_add(wr_rotate(pose->rotation, wr_sub(u, handle->pivot)),
                                   wr_add(handle->pivot, pose->offset));
                CHECK_NEAR((double)wr_distance(x, wr_mat34_apply(p.joints[b], u)), 0.0, 2e-6);
            }
        }
    }
    wr_model_destroy(model);
    wr_asset_destroy(asset);
    wri_arena_destroy(&arena);
}

// Clips too, but for stretches that are no scale: handle 3 here, and what hangs on it.
static void other_programs_play_the_clips(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    wr_asset *asset = sample_asset_create(rich);
    wr_model *model = read_preview(asset);
    const wr_rig *rig = &asset->rig;
    const wr_rig_clip *clip = &asset->clips[0];
    wr_error error = {0};
    int number = wr_clip_find(model, clip->name, &error);
    need(number >= 0, &error);
    wr_handle_pose poses[6];
    for (int i = 0; i <= 50; i++) {
        double time = clip->length * i / 50.0;
        posed p = pose_model(&arena, model, &model->clips[number], time);
        wr_rig_clip_poses(clip, rig->handles, rig->handle_count, time, false, poses);
        for (int b = 0; b < 3; b++) {
            const wr_handle *handle = &rig->handles[b];
            const float *s = poses[b].stretch;
            for (int v = 0; v < rig->vertex_count; v++) {
                wr_vec3 u = wr_sub(rig->rest[v], handle->pivot);
                u = wr_v3(s[0] * u.x + s[3] * u.y + s[4] * u.z,
                          s[3] * u.x + s[1] * u.y + s[5] * u.z,
                          s[4] * u.x + s[5] * u.y + s[2] * u.z);
                wr_vec3 x =
                    wr_add(wr_rotate(poses[b].rotation, u), wr_add(handle->pivot, poses[b].offset));
                wr_vec3 seen = wr_mat34_apply(p.joints[b], rig->rest[v]);
                CHECK_NEAR((double)wr_distance(x, seen), 0.0, 3e-6);
            }
        }
    }
    wr_model_destroy(model);
    wr_asset_destroy(asset);
    wri_arena_destroy(&arena);
}

// Two handles that turn half a circle against each other: no offset can undo what collapses.
static void collapsed_vertices_get_no_offset(void **state)
{
    (void)state;
    const sample_shape two = {3, 1, 2, false};
    wr_asset *asset = sample_asset_create(two);
    wr_rig *rig = &asset->rig;
    for (int i = 0; i < 2 * rig->vertex_count; i++) {
        rig->weights[i] = 0.5f;
    }
    for (int e = 1; e < 4; e++) {
        rig->examples[e].poses[0].rotation = (wr_quat){0, 1, 0, 0};
        rig->examples[e].poses[1].rotation = (wr_quat){1e-4f, 0, 0, 1};
    }
    wr_model *model = read_preview(asset);
    for (int i = 0; i < model->meshes->vertex_count; i++) {
        assert_true(is_zeroed(&model->meshes->morphs[0].positions[i], sizeof(wr_vec3)));
    }
    wr_model_destroy(model);
    wr_asset_destroy(asset);
}

static void the_preview_is_not_needed(void **state)
{
    (void)state;
    wr_asset *asset = sample_asset_create(rich);
    write_to(asset, path);
    size_t size;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
    static const char *const gone[] = {"\"JOINTS_0\"", "\"skins\"", "\"animations\"", "\"targets\"",
                                       "\"skin\""};
    for (int i = 0; i < WRI_COUNT(gone); i++) {
        size_t length = strlen(gone[i]);
        for (size_t k = 0; k + length < size; k++) {
            if (memcmp(bytes + k, gone[i], length) == 0) {
                bytes[k + 1] = '_';
            }
        }
    }
    put_bytes(path, bytes, size);
    wri_free(NULL, bytes, size + 1, 1);
    assert_null(wr_model_read(path, NULL, NULL)); // WEIGHTS_0 without JOINTS_0
    wr_asset *again = read_from(path);
    assert_same_asset(asset, again);
    wr_asset_destroy(again);
    wr_asset_destroy(asset);
}

// --- what is refused --------------------------------------------------------------------------

typedef struct change {
    const char *from, *to; // of the JSON
    const char *sentence;  // part of it
    wr_code code;          // 0: WR_E_FORMAT
} change;

static const change changes[] = {
    {"\"WROUGHT_asset\":{", "\"WROUGHT_assez\":{",
     "a model without the extension WROUGHT_asset, so it is not an asset"},
    {"\"version\":3,", "\"versiom\":3,", "WROUGHT_asset without \"version\""},
    {"\"oldestReader\":1", "\"oldestReader\":6",
     "an asset of version 3, which needs a reader of version 6; this one has 5", WR_E_UNSUPPORTED},
    {"\"oldestReader\":1", "\"oldestReader\":-", "- is not a number"},
    {"\"name\":\"sample\",\"recipeHash\"", "\"name\":123456789,\"recipeHash\"",
     "name is a number, expected a text"},
    {"0123456789abcdef", "0123456789abcdeg", "recipeHash: expected 16 hexadecimal digits"},
    {"\"material\":\"{", "\"material\":\"[", "material:1:10: unexpected"},
    {"\"simulation\"", "\"simulatiom\"", "WROUGHT_asset without \"simulation\""},
    {"\"dimension\":3", "\"dimension\":4", "simulation: dimension 4, expected 2 or 3"},
    {"\"dimension\":3", "\"dimension\":1", "simulation: dimension 1, expected 2 or 3"},
    {"\"dimension\":3", "\"dimension\":2", "elements[1]: flat or turned inside out"},
    {"\"rest\":", "\"resz\":", "simulation without \"rest\""},
    {"\"elements\":", "\"elemenzs\":", "simulation without \"elements\""},
    {"\"handles\":[{", "\"handlez\":[{", "weights without \"handles\""},
    {"\"parent\":1", "\"parent\":3", "parent: 3 is not below 2"},
    {"\"vertex\":0", "\"vertex\":-1", "vertex: expected a whole number from 0"},
    {"\"vertex\":26", "\"vertex\":27", "vertex: 27 is not below 27"},
    {"\"pivots\":", "\"pivotz\":", "WROUGHT_asset without \"pivots\""},
    {"\"rotations\":", "\"rotationz\":", "WROUGHT_asset without \"rotations\""},
    {"\"offsets\":", "\"offsetz\":", "WROUGHT_asset without \"offsets\""},
    {"\"examples\":[{", "\"examplez\":[{", "WROUGHT_asset without \"examples\""},
    {"\"rides\":", "\"ridez\":", "WROUGHT_asset without \"rides\""},
    {"\"strength\":1.5", "\"strength\":\"1\"", "strength is a text, expected a number"},
    {"\"strength\":1.5", "\"strength\":-15", "cuts[0]: strength -15"},
    {"\"normal\":[0,1,0]", "\"normal\":[0,2,0]", "cuts[0]: normal not of unit length"},
    {"\"normal\":[0,1,0]", "\"normal\":[0,0,1,0]", "normal: expected 3 numbers"},
    {"\"normal\":", "\"normaX\":", "an item without \"normal\""},
    {"\"clips\":[{", "\"clips\":[7,{", "clips: item 0 is a number, expected an object"},
    {"\"length\":2", "\"lengtX\":2", "an item without \"length\""},
    {"\"length\":2", "\"length\":\"\"", "length is a text, expected a number"},
    {"\"length\":2", "\"length\":-2", "clips[1]: no name, or length -2 s"},
    {"\"length\":1.3", "\"length\":0.3",
     "clip \"walk \"fast\"\": the times of track 0 do not increase from 0 to 0.3"},
    {"\"handle\":1,", "\"handle\":6,", "handle: 6 is not below 6"},
    {"\"handle\":1,", "\"handlX\":1,", "an item without \"handle\""},
    {"\"handle\":1,", "\"handle\":0,", "track 2 is not after the one before"},
    {"\"path\":\"translation\"", "\"path\":\"smell\"",
     "path is \"smell\", expected \"rotation\", \"translation\" or \"stretch\""},
    {"\"path\":\"translation\"", "\"path\":\"rotation\"", "has not 4 floats per element"},
    {"\"path\":\"translation\"", "\"patX\":\"translation\"", "an item without \"path\""},
    {"\"input\":", "\"inpuX\":", "an item without \"input\""},
    {"\"output\":", "\"outpuX\":", "an item without \"output\""},
};

// Replaces the first place behind the extension's name; the JSON keeps its length in blanks.
static void put_changed(const char *bytes, size_t size, const change *c)
{
    size_t json = 0, from = strlen(c->from), to = strlen(c->to);
    for (int i = 0; i < 4; i++) {
        json |= (size_t)(uint8_t)bytes[12 + i] << (8 * i);
    }
    char *text = calloc(1, json + 1), *out = malloc(size + 64);
    memcpy(text, bytes + 20, json);
    char *behind = strstr(text, "\"extensions\":");
    char *at = behind ? strstr(behind, c->from) : NULL;
    if (!at) {
        fail_msg("%s is not in the file", c->from);
    }
    size_t first = (size_t)(at - text), grown = (json + to - from + 3) / 4 * 4;
    memcpy(out, bytes, 20 + first);
    memcpy(out + 20 + first, c->to, to);
    memcpy(out + 20 + first + to, at + from, json - first - from);
    memset(out + 20 + json + to - from, ' ', grown - (json + to - from));
    memcpy(out + 20 + grown, bytes + 20 + json, size - 20 - json);
    size_t total = size - json + grown;
    for (int i = 0; i < 4; i++) {
        out[8 + i] = (char)(total >> (8 * i));
        out[12 + i] = (char)(grown >> (8 * i));
    }
    put_bytes(other, out, total);
    free(text);
    free(out);
}

static void broken_extensions_are_refused_with_a_sentence(void **state)
{
    (void)state;
    wr_asset *asset = sample_asset_create(rich);
    write_to(asset, path);
    wr_asset_destroy(asset);
    size_t size;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
    for (int i = 0; i < WRI_COUNT(changes); i++) {
        wr_error error = {0};
        put_changed(bytes, size, &changes[i]);
        wr_asset *read = wr_asset_read(other, NULL, &error);
        if (read || !strstr(error.message, changes[i].sentence)) {
            fail_msg("%s: \"%s\", expected \"%s\"", changes[i].to,
                     read ? "was read" : error.message, changes[i].sentence);
        }
        assert_int_equal(error.code, changes[i].code ? changes[i].code : WR_E_FORMAT);
        assert_int_equal(strncmp(error.message, other, strlen(other)), 0);
    }
    wri_free(NULL, bytes, size + 1, 1);
}

// A later writer may add what older readers need not know.
static void what_a_later_version_adds_is_passed_over(void **state)
{
    (void)state;
    wr_asset *asset = sample_asset_create(rich);
    write_to(asset, path);
    size_t size;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
    const change later = {"\"version\":3,", "\"version\":9,\"smell\":[{\"rose\":1}],"};
    put_changed(bytes, size, &later);
    wr_asset *again = read_from(other);
    assert_same_asset(asset, again);
    wri_free(NULL, bytes, size + 1, 1);
    wr_asset_destroy(again);
    wr_asset_destroy(asset);
}

// An asset without clips is the file that it always was.
static void only_clips_need_a_later_version(void **state)
{
    (void)state;
    const struct {
        const sample_shape *shape;
        const char *head;
    } cases[] = {{&rich, "\"version\":3,\"oldestReader\":1,"},
                 {&plain, "\"version\":2,\"oldestReader\":1,"},
                 {&bare, "\"version\":2,\"oldestReader\":1,"}};
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_asset *asset = sample_asset_create(*cases[i].shape);
        write_to(asset, path);
        size_t size;
        char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
        assert_non_null(strstr(bytes + 20, cases[i].head));
        assert_int_equal(!strstr(bytes + 20, "\"clips\""), asset->clip_count == 0);
        wri_free(NULL, bytes, size + 1, 1);
        wr_asset_destroy(asset);
    }
}

// Older readers pass them over.
static void maps_of_clay_and_flesh_have_versions_of_their_own(void **state)
{
    (void)state;
    for (int kind = 0; kind < WR_MAP_COUNT; kind++) {
        wr_asset *asset = sample_asset_create(bare);
        size_t n = (size_t)asset->rig.vertex_count, size;
        for (int k = 0; k < WR_MAP_COUNT; k++) {
            asset->maps[k] = k == kind ? wr_asset_alloc(asset, n, sizeof(float)) : NULL;
        }
        for (size_t i = 0; i < n; i++) {
            asset->maps[kind][i] = 0.1f * (float)i;
        }
        write_to(asset, path);
        char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
        bool is_clay = kind == WR_MAP_FLOW || kind == WR_MAP_SPACING;
        char head[64];
        snprintf(head, sizeof head, "\"version\":%d,\"oldestReader\":1,",
                 kind == WR_MAP_THICKNESS ? 5
                 : is_clay                ? 4
                                          : 2);
        assert_non_null(strstr(bytes + 20, head));
        wri_free(NULL, bytes, size + 1, 1);
        wr_asset *again = read_from(path);
        assert_same_asset(asset, again);
        wr_asset_destroy(again);
        wr_asset_destroy(asset);
    }
}

static void wrong_arrays_are_refused(void **state)
{
    (void)state;
    // Accessors of the extension, by the member that names them, exchanged with another.
    static const char *const pairs[][3] = {
        {"\"weights\":", "\"pivots\":", "has not 1 float per element"},
        {"\"rotations\":", "\"offsets\":", "has not 4 floats per element"},
        {"\"elements\":", "\"rest\":", "has not 1 whole number per element"},
        {"\"yield\":", "\"weights\":", "has 162 elements, expected 27"},
        {"\"correctives\":", "\"rest\":", ""},
        {"\"details\":", "\"rest\":", "has 27 elements, expected 24"},
    };
    wr_asset *asset = sample_asset_create(rich);
    write_to(asset, path);
    wr_asset_destroy(asset);
    size_t size;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
    const char *json = strstr(bytes + 20, "\"extensions\":");
    for (int i = 0; i < WRI_COUNT(pairs); i++) {
        char from[64], to[64];
        wr_error error = {0};
        const char *a = strstr(json, pairs[i][0]), *b = strstr(json, pairs[i][1]);
        assert_true(a && b);
        int number = atoi(a + strlen(pairs[i][0])), wrong = atoi(b + strlen(pairs[i][1]));
        snprintf(from, sizeof from, "%s%d", pairs[i][0], number);
        snprintf(to, sizeof to, "%s%d", pairs[i][0], wrong);
        put_changed(bytes, size, &(change){from, to, ""});
        wr_asset *read = wr_asset_read(other, NULL, &error);
        assert_int_equal(read != NULL, !pairs[i][2][0]); // rest positions are sound correctives
        if (!strstr(error.message, pairs[i][2])) {
            fail_msg("\"%s\", expected \"%s\"", error.message, pairs[i][2]);
        }
        wr_asset_destroy(read);
    }
    wri_free(NULL, bytes, size + 1, 1);
}

static void pins_tie_vertices_of_a_drawing(void **state)
{
    (void)state;
    static const struct {
        wr_pin pin;
        const char *expected;
    } wrong[] = {
        {{-1, {1, 2, 3}, {1, 0, 0}}, "pins[0]: particle -1 on 1 2 3, expected four different"},
        {{16, {1, 2, 3}, {1, 0, 0}}, "pins[0]: particle 16 on 1 2 3"},
        {{3, {1, 2, 3}, {1, 0, 0}}, "pins[0]: particle 3 on 1 2 3"},
        {{0, {1, 2, 2}, {1, 0, 0}}, "pins[0]: particle 0 on 1 2 2"},
        {{0, {1, 2, 3}, {1, 0.5f, 0}}, "pins[0]: the weights add up to 1.5, not 1"},
        {{0, {1, 2, 3}, {NAN, 0, 0}}, "pins[0]: the weights add up to nan, not 1"},
    };
    wr_asset *a = sample_asset_create(flat);
    assert_int_equal(a->pin_count, 2);
    for (int i = 0; i < WRI_COUNT(wrong); i++) {
        wr_error error = {0};
        a->pins[0] = wrong[i].pin;
        assert_false(wr_asset_check(a, &error));
        if (strncmp(error.message, wrong[i].expected, strlen(wrong[i].expected)) != 0) {
            fail_msg("\"%s\", expected \"%s\"", error.message, wrong[i].expected);
        }
    }
    wr_asset_destroy(a);
}

// Each makes one fault, and returns what is said of it; NULL: there are no more.
static const char *spoil_rig(wr_asset *a, int fault)
{
    wr_rig *rig = &a->rig;
    switch (fault) {
    case 0:
        rig->weights[9] += 0.01f;
        return "weights: those of vertex 1 add up to 1.01, not 1";
    case 1:
        rig->rest[4].y = NAN;
        return "rest[4]: not finite";
    case 2:
        rig->elements[4] = rig->elements[5];
        return "elements[1]: flat or turned inside out";
    case 3:
        rig->ride_count--;
        return "rides: 23, but the mesh has 24 vertices";
    case 4:
        rig->rides[7].weights[2] += 0.5f;
        return "rides[7]: the weights add up to 1.5, not 1";
    case 5:
        rig->handles[3].parent = 3;
        return "handles[3]: no name, or parent 3 or vertex";
    case 6:
        rig->examples[0].poses[0].offset.x = 1.0f;
        return "examples[0]: must be the rest shape, but handle 0 is moved";
    case 7:
        rig->examples[2].name = NULL;
        return "examples[2]: no name";
    case 8:
        rig->element_count = 0;
        rig->ride_count = 0;
        return "elements: there are none";
    default:
        return NULL;
    }
}

static const char *spoil_model(wr_asset *a, int fault)
{
    static wr_pin lone = {0, {1, 2, 3}, {1, 0, 0}};
    switch (fault) {
    case 0:
        a->maps[WR_MAP_YIELD][2] = -1.0f;
        return "map yield: vertex 2 has -1";
    case 1:
        a->cuts[1].normal.x = 0.0f;
        return "cuts[1]: normal not of unit length, or not finite";
    case 2:
        a->material = "{ \"metal\": }";
        return "material:1:12: unexpected '}', expected a value";
    case 3:
        a->model->meshes->parts[1].first_triangle++;
        a->model->meshes->parts[1].triangle_count--;
        return "model: part 1 begins at triangle 5, expected 4, and at least one";
    case 4:
        a->model->nodes[0].pose.position.x = 1.0f;
        return "model: its node has a transform";
    case 5:
        a->pin_count = 1;
        a->pins = &lone;
        return "pins: 1 in dimension 3, expected them in 2 only";
    default:
        return NULL;
    }
}

static const char *spoil_clips(wr_asset *a, int fault)
{
    wr_rig_clip *clips = a->clips;
    switch (fault) {
    case 0:
        clips[1].name = clips[0].name;
        return "clips[1]: has the name of another";
    case 1:
        clips[0].tracks[0].times[2] = clips[0].tracks[0].times[1];
        return "clip \"walk \"fast\"\": the times of track 0 do not increase";
    case 2:
        clips[0].tracks[0].values[3] += 1e-3f;
        return "clip \"walk \"fast\"\": track 0 is not finite, or a rotation not of unit";
    case 3:
        clips[0].tracks[2].values[0] = NAN;
        return "clip \"walk \"fast\"\": track 2 is not finite";
    case 4:
        clips[0].tracks[3].key_count = 0;
        return "clip \"walk \"fast\"\": the times of track 3 do not increase";
    default:
        return NULL;
    }
}

static bool finds_fault(const char *(*spoil)(wr_asset *a, int fault), int fault)
{
    wr_asset *a = sample_asset_create(rich);
    wr_error error = {0};
    assert_true(wr_asset_check(a, &error));
    const char *expected = spoil(a, fault);
    if (expected) {
        assert_false(wr_asset_check(a, &error));
        if (strncmp(error.message, expected, strlen(expected)) != 0) {
            fail_msg("\"%s\", expected \"%s\"", error.message, expected);
        }
        wri_file_remove(path);
        assert_false(wr_asset_write(a, path, &error));
        assert_false(wri_file_exists(path));
    }
    wr_asset_destroy(a);
    return expected != NULL;
}

static void check_finds_what_cannot_be(void **state)
{
    (void)state;
    const char *(*const spoilers[])(wr_asset * a, int fault) = {spoil_rig, spoil_model,
                                                                spoil_clips};
    int faults = 0;
    for (int i = 0; i < WRI_COUNT(spoilers); i++) {
        for (int fault = 0; finds_fault(spoilers[i], fault); fault++) {
            faults++;
        }
    }
    assert_int_equal(faults, 20);
}

static void models_are_no_assets(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_color grey = {0.5f, 0.5f, 0.5f, 1.0f};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1), grey, &error);
    need(wr_model_write_glb(box, path, &error), &error);
    wr_model_destroy(box);
    assert_false(wr_asset_is_one(path));
    assert_null(wr_asset_read(path, NULL, &error));
    assert_int_equal(error.code, WR_E_FORMAT);
    assert_false(wr_asset_is_one(folder.path));
    assert_false(wr_asset_is_one("no such file"));
    assert_null(wr_asset_read("no such file", NULL, &error));
    assert_int_equal(error.code, WR_E_IO);
}

// --- wrought info -----------------------------------------------------------------------------

static wri_run_result run_info(const char *file, const char *option)
{
    const char *program = getenv("WROUGHT_PROGRAM");
    if (!program) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    const char *words[] = {program, "info", file, option, NULL};
    const wri_run_limits limits = {.seconds = 20.0, .output = 1 << 20};
    wri_run_result result;
    wr_error error = {0};
    need(wri_run(words, &limits, NULL, &result, &error), &error);
    return result;
}

static double number_at(const wri_json *object, const char *key)
{
    const wri_json *value = wri_json_find(object, key);
    return value && value->type == WRI_JSON_NUMBER ? value->number : NAN;
}

static void info_tells_what_is_in_an_asset(void **state)
{
    (void)state;
    wr_error error = {0};
    wri_arena arena = wri_arena_create(NULL);
    wr_asset *asset = sample_asset_create(rich);
    write_to(asset, path);
    wri_run_result text = run_info(path, NULL), json = run_info(path, "--json");
    assert_int_equal(text.code, 0);
    assert_int_equal(json.code, 0);
    const wri_json *root =
        wri_json_parse(&arena, json.output.items, (size_t)json.output.count, "info", false, &error);
    need(root, &error);
    assert_string_equal(wri_json_find(root, "kind")->string, "asset");
    CHECK_NEAR(number_at(root, "simulation_vertices"), 27.0, 0.0);
    CHECK_NEAR(number_at(root, "simulation_elements"), 48.0, 0.0);
    CHECK_NEAR(number_at(root, "simulation_volume"), 1.0, 1e-6);
    CHECK_NEAR(number_at(root, "largest_gap_at_rest"), 0.0, 1e-6);
    assert_string_equal(wri_json_find(root, "material")->string, asset->material);
    const wri_json *handles = wri_json_find(root, "handles");
    const wri_json *examples = wri_json_find(root, "examples");
    assert_int_equal(handles->count, 6);
    assert_string_equal(wri_json_find(&handles->items[4], "name")->string, "h4");
    assert_int_equal(examples->count, 4);
    for (int e = 0; e < 4; e++) {
        double moved = 0.0;
        for (int i = 0; i < asset->rig.ride_count; i++) {
            moved = fmax(moved, (double)wr_distance(exact_place(&asset->rig, e, i),
                                                    exact_place(&asset->rig, 0, i)));
        }
        CHECK_NEAR(number_at(&examples->items[e], "largest_displacement"), moved, 1e-4);
    }
    const wri_json *clips = wri_json_find(root, "clips");
    assert_int_equal(clips->count, 2);
    assert_string_equal(wri_json_find(&clips->items[0], "name")->string, "walk \"fast\"");
    CHECK_NEAR(number_at(&clips->items[0], "length"), 4.0 / 3.0, 0.0);
    CHECK_NEAR(number_at(&clips->items[0], "moved_handles"), 4.0, 0.0);
    assert_true(wri_json_find(root, "sound")->boolean);
    *(char *)wri_array_add(&text.output, 1) = 0;
    assert_non_null(strstr(text.output.items, "simulation vertices  27\n"));
    assert_non_null(
        strstr(text.output.items, "normal 0.6 0 -0.8 at 3e+08 0.3333 0 m, strength 0.1\n"));
    assert_non_null(strstr(text.output.items, "map                  yield, 0.3 to 26.3\n"));
    assert_non_null(strstr(text.output.items, "\"still\", 2 s, moves 0 handles\n"));
    wri_array_destroy(&text.output);
    wri_array_destroy(&json.output);
    wr_asset_destroy(asset);
    wri_arena_destroy(&arena);
}

// --- robustness -------------------------------------------------------------------------------

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_asset *asset = sample_asset_create(rich);
    write_to(asset, path);
    wr_asset_destroy(asset);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_asset *read = wr_asset_read(path, &allocator, &error);
        done = read != NULL;
        if (!done) {
            assert_int_equal(error.code, WR_E_MEMORY);
        }
        wr_asset_destroy(read);
        assert_int_equal(heap.alive, 0);
    }
    done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_asset *made = wr_asset_create(sample_model_create(&rich), &allocator, NULL);
        done = made != NULL;
        wr_asset_destroy(made);
        assert_int_equal(heap.alive, 0);
    }
}

// Any byte may be anything.
static void damaged_files_are_read_or_refused(void **state)
{
    (void)state;
    uint64_t seed = 11;
    wr_asset *asset = sample_asset_create((sample_shape){3, 1, 2, false});
    write_to(asset, path);
    wr_asset_destroy(asset);
    size_t size;
    int refused = 0;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL), *copy = malloc(size);
    for (int i = 0; i < 1500; i++) {
        wr_error error = {0};
        memcpy(copy, bytes, size);
        for (int k = 0; k < 1 + i % 3; k++) {
            copy[random_bits(&seed) % size] = (char)random_bits(&seed);
        }
        size_t cut = i % 10 == 0 ? (size_t)random_bits(&seed) % size : size;
        put_bytes(other, copy, cut);
        wr_asset *read = wr_asset_read(other, NULL, &error);
        assert_true(read ? error.code == WR_OK : error.code != WR_OK && error.message[0]);
        refused += !read;
        wr_asset_destroy(read);
    }
    assert_true(refused > 300);
    wri_free(NULL, bytes, size + 1, 1);
    free(copy);
}

int main(void)
{
    folder = temporary_folder_create();
    snprintf(path, sizeof path, "%s/a.glb", folder.path);
    snprintf(other, sizeof other, "%s/b.glb", folder.path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_and_reading_keeps_every_bit),
        cmocka_unit_test(numbers_of_every_size_come_back),
        cmocka_unit_test(vertices_that_no_triangle_uses_stay),
        cmocka_unit_test(creation_brings_the_model_into_form),
        cmocka_unit_test(other_programs_see_the_examples),
        cmocka_unit_test(joints_have_the_maps_of_their_handles),
        cmocka_unit_test(other_programs_play_the_clips),
        cmocka_unit_test(collapsed_vertices_get_no_offset),
        cmocka_unit_test(the_preview_is_not_needed),
        cmocka_unit_test(broken_extensions_are_refused_with_a_sentence),
        cmocka_unit_test(what_a_later_version_adds_is_passed_over),
        cmocka_unit_test(only_clips_need_a_later_version),
        cmocka_unit_test(maps_of_clay_and_flesh_have_versions_of_their_own),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(check_finds_what_cannot_be),
        cmocka_unit_test(pins_tie_vertices_of_a_drawing),
        cmocka_unit_test(models_are_no_assets),
        cmocka_unit_test(info_tells_what_is_in_an_asset),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(damaged_files_are_read_or_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    temporary_folder_destroy(&folder);
    return failed;
}
