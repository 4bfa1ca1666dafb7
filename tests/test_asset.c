// test_asset.c: assets keep every bit on disk, and other programs see their examples.
#include "asset_file.h"

#include "../src/skin/skin.h"

// --- round trips ------------------------------------------------------------------------------

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

// True when the file has these words in its JSON.
static bool file_says(const char *file, const char *words)
{
    size_t size;
    char *bytes = wri_file_read(file, 1 << 26, NULL, &size, NULL);
    bool found = strstr(bytes + 20, words) != NULL;
    wri_free(NULL, bytes, size + 1, 1);
    return found;
}

// The second example, in which handles stay at rest, moves a third of the render mesh.
static wr_asset *create_dented(void)
{
    wr_asset *asset = sample_asset_create(rich);
    wr_rig *rig = &asset->rig;
    wr_example *dent = &rig->examples[2];
    size_t count = (size_t)rig->ride_count;
    dent->details = wr_asset_alloc(asset, count, sizeof(wr_vec3));
    wr_vec3 *moves = wr_asset_alloc(asset, count, sizeof(wr_vec3));
    for (int i = 0; i < rig->ride_count; i += 3) {
        moves[i] = sample_wave(i, i % 2 ? 1e-5f : 0.3f);
    }
    wri_rig_find_details(rig, dent->correctives, moves, dent->details);
    return asset;
}

static void what_no_handle_moves_is_kept_once(void **state)
{
    (void)state;
    try_round_trip(create_dented());
    assert_true(file_says(path, "\"version\":9,\"oldestReader\":9,"));
    assert_true(file_says(path, "\"moves\":") && file_says(path, "\"sparse\":"));
    size_t small = (size_t)wri_file_size(path);

    // A detail too fine for the sum of it and what its corners bring: all are kept as they are.
    wr_asset *asset = create_dented();
    asset->rig.examples[2].details[3].x = 1e-12f;
    try_round_trip(asset);
    assert_true(file_says(path, "\"version\":3,\"oldestReader\":1,"));
    assert_false(file_says(path, "\"moves\":"));
    assert_true((size_t)wri_file_size(path) > small);
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

static double farthest_from_example(const wr_asset *asset, const posed *p, int e)
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
        CHECK_NEAR(farthest_from_example(asset, &rest, 0), 0.0, 1e-6);
        assert_int_equal(model->clip_count, 4 - first + (asset->clip_count > 0));
        for (int e = first; e < 4; e++) {
            const wr_clip *clip = &model->clips[e - first];
            assert_string_equal(clip->name, asset->rig.examples[e].name);
            CHECK_NEAR(wr_clip_length(clip), 1.0, 0.0);
            posed begin = pose_model(&arena, model, clip, 0.0);
            posed end = pose_model(&arena, model, clip, 1.0);
            CHECK_NEAR(farthest_from_example(asset, &begin, 0), 0.0, 1e-6);
            bool exact = asset->rig.examples[e].correctives; // otherwise joints do it alone
            CHECK_NEAR(farthest_from_example(asset, &end, e), 0.0, exact ? 2e-6 : 0.2);
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
        strstr(text.output.items, "normal 0.6 0 -0.8 at 300000000 0.3333 0 m, strength 0.1\n"));
    assert_non_null(strstr(text.output.items, "map                  yield, 0.3 to 26.3\n"));
    assert_non_null(strstr(text.output.items, "\"still\", 2 s, moves 0 handles\n"));
    wri_array_destroy(&text.output);
    wri_array_destroy(&json.output);
    wr_asset_destroy(asset);
    wri_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_and_reading_keeps_every_bit),
        cmocka_unit_test(numbers_of_every_size_come_back),
        cmocka_unit_test(what_no_handle_moves_is_kept_once),
        cmocka_unit_test(vertices_that_no_triangle_uses_stay),
        cmocka_unit_test(creation_brings_the_model_into_form),
        cmocka_unit_test(other_programs_see_the_examples),
        cmocka_unit_test(joints_have_the_maps_of_their_handles),
        cmocka_unit_test(other_programs_play_the_clips),
        cmocka_unit_test(collapsed_vertices_get_no_offset),
        cmocka_unit_test(the_preview_is_not_needed),
        cmocka_unit_test(info_tells_what_is_in_an_asset),
    };
    return cmocka_run_group_tests(tests, set_up_files, tear_down);
}
