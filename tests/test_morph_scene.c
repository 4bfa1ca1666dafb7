// test_morph_scene.c: the words of recipes and scenes for morph, what assets keep of them, and
// models of others: every mistake is one sentence with its place.
#include "check.h"

#include "morph_world.h"

#include "wrought/example.h"
#include "wrought/file.h"
#include "wrought/recipe.h"

// --- recipes ----------------------------------------------------------------------------------

// With ' for ". Lines count from the one behind the model.
static wr_asset *build(const char *model, const char *words, wr_build_report *report,
                       wr_error *error)
{
    char path[600], json[8192];
    snprintf(path, sizeof path, "%s/arm.recipe.json", folder.path);
    snprintf(json, sizeof json, "{'wrought': 1, 'model': '%s',\n%s}", model, words);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    assert_true(wri_file_write(path, json, strlen(json), error));
    wr_recipe *recipe = wr_recipe_read(path, NULL, error);
    wr_build_desc desc = wr_build_desc_default();
    wr_asset *asset = recipe ? wr_recipe_build(recipe, &desc, report, error) : NULL;
    wr_recipe_destroy(recipe);
    return asset;
}

static const char *shipped(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/models/%s.glb", getenv("WROUGHT_SCENES"), name);
    return path;
}

// What was said, behind the name of the file, with ' for ".
static void check_sentence(const wr_error *error, const char *file, const char *expected)
{
    char said[600];
    const char *start = strstr(error->message, file);
    if (!start) {
        fail_msg("%s", error->message);
    }
    snprintf(said, sizeof said, "%s", start + strlen(file) + 1);
    for (char *c = said; *c; c++) {
        *c = *c == '"' ? '\'' : *c;
    }
    if (strcmp(said, expected) != 0) {
        fail_msg("%s\nexpected:\n%s", said, expected);
    }
}

typedef struct mistake {
    const char *words, *sentence;
} mistake;

#define MESH "'simulation': {'vertices': 60},\n"

static const mistake mistakes[] = {
    {"'morph': {'stifness': 1}", "2:11: morph: unknown key 'stifness'; did you mean 'stiffness'?"},
    {"'morph': {'poisson': 0.5}", "2:22: morph: 'poisson' is 0.5, expected 0 to 0.49"},
    {"'morph': {'modes': 65}", "2:20: morph: 'modes' is 65, expected 0 to 64"},
    {"'morph': {'targets': {}}", "2:22: morph: 'targets' is an object, expected an array"},
    {"'morph': {'targets': [{'clip': 'bend'}]}",
     "2:23: target: 'target' is missing, expected: a morph target of the model, by its name "
     "or as `#0`, `#1`, …; `rest`: the model itself"},
    {"'morph': {'targets': [{'target': 'bent by 40', 'time': 1}]}",
     "2:48: target 'bent by 40': 'time' means nothing without 'clip'"},
    {"'morph': {'targets': [{'target': 'rest'}, {'target': 'rest'}]}",
     "2:43: target 'rest': is there twice"},
    {"'morph': {'targets': [{'target': 'bent by 40', 'scalars': {'angry': 1}}]}",
     "2:60: target 'bent by 40': 'morph' has no 'scalars' to which 'angry' could belong"},
    {"'morph': {'scalars': {'angry': 1},\n'targets': [{'target': 'bent by 40', 'scalars': "
     "{'angri': 1}}]}",
     "3:50: target 'bent by 40': unknown scalar 'angri'; did you mean 'angry'?"},
    {"'morph': {'scalars': {'angry': 0}}",
     "2:32: morph: 'scalars' is 0, expected 0.000001 to 1000000"},
    {MESH "'morph': {'targets': [{'target': 'bent by 50'}]}",
     "3:34: target 'bent by 50': elbow: there is no morph target 'bent by 50'; did you mean 'bent "
     "by 40'?"},
    {MESH "'morph': {'targets': [{'target': 'bent by 40', 'clip': 'bent'}]}",
     "3:56: target 'bent by 40': elbow: there is no clip 'bent'; did you mean 'bend'?"},
    {MESH "'morph': {'targets': [{'target': 'bent by 40', 'clip': 'bend', 'time': 2}]}",
     "3:72: target 'bent by 40': 'time' is 2 s, the clip ends at 1.5 s"},
    {MESH "'handles': {'automatic': 3},\n'morph': {}",
     "3:12: morph: 'morph' needs bones, but none of the handles has a parent; expected 'skin': "
     "true, a 'graph' with bones, or no 'handles'"},
};

static void mistakes_in_recipes_are_one_sentence_with_their_place(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        wr_error error = {0};
        wr_asset *asset = build(shipped("elbow"), mistakes[i].words, NULL, &error);
        if (asset) {
            fail_msg("built: %s", mistakes[i].words);
        }
        check_sentence(&error, "arm.recipe.json", mistakes[i].sentence);
    }
}

// What only the preprocessing sees is told at the place of "morph".
static void two_targets_at_one_pose_are_refused(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_asset *asset =
        build(shipped("elbow"),
              MESH "'morph': {'targets': [{'target': 'bent by 40', 'clip': 'bend', 'time': 1}, "
                   "{'target': 'bent by 80', 'clip': 'bend', 'time': 1}]}",
              NULL, &error);
    assert_null(asset);
    assert_non_null(strstr(error.message, "arm.recipe.json:3:10: morph: "));
    assert_non_null(strstr(error.message, "bent by 40"));
    assert_non_null(strstr(error.message, "bent by 80"));
}

static void shells_that_are_not_connected_are_refused(void **state)
{
    (void)state;
    char path[600], text[4096] = "";
    wr_error error = {0};
    for (int cube = 0; cube < 2; cube++) {
        static const int CORNERS[12][3] = {{1, 3, 2}, {2, 3, 4}, {5, 6, 7}, {6, 8, 7},
                                           {1, 2, 5}, {2, 6, 5}, {3, 7, 4}, {4, 7, 8},
                                           {1, 5, 3}, {3, 5, 7}, {2, 4, 6}, {4, 8, 6}};
        size_t end = strlen(text);
        for (int i = 0; i < 8; i++) {
            end += (size_t)snprintf(text + end, sizeof text - end, "v %d %d %d\n", 5 * cube + i % 2,
                                    i / 2 % 2, i / 4);
        }
        for (int i = 0; i < 12; i++) {
            end += (size_t)snprintf(text + end, sizeof text - end, "f %d %d %d\n",
                                    8 * cube + CORNERS[i][0], 8 * cube + CORNERS[i][1],
                                    8 * cube + CORNERS[i][2]);
        }
    }
    snprintf(path, sizeof path, "%s/two.obj", folder.path);
    assert_true(wri_file_write(path, text, strlen(text), &error));
    assert_null(build(path, MESH "'morph': {}", NULL, &error));
    check_sentence(&error, "arm.recipe.json",
                   "3:10: morph: the simulation mesh has 2 parts that are not connected, expected "
                   "one: join the shells of the model");
}

// --- figures ----------------------------------------------------------------------------------

// What the nodes and details of a target make of a vertex.
static wr_vec3 relaxed_vertex(const wr_asset *asset, const wr_morph_data *d, int target, int v)
{
    const wr_ride *ride = &asset->rig.rides[v];
    wr_vec3 moved = d->details ? d->details[target * d->vertex_count + v] : wr_v3(0, 0, 0);
    for (int i = 0; i < 4; i++) {
        int node = d->tets[4 * ride->element + i];
        moved = wr_add_scaled(moved, ride->weights[i], d->offsets[target * d->node_count + node]);
    }
    return moved;
}

// Targets of all figures but the largest, as their recipes have them: nothing is turned inside out
// by them, and what was sculpted is kept to 1e-4 of the size.
static void targets_of_figures_are_relaxed(void **state)
{
    (void)state;
    static const char *const figures[] = {"elbow", "jelly", "diver"};
    for (int i = 0; i < WRI_COUNT(figures); i++) {
        char path[4096];
        wr_error error = {0};
        wr_build_report report = {0};
        wr_build_desc desc = wr_build_desc_default();
        snprintf(path, sizeof path, "%s/%s.recipe.json", getenv("WROUGHT_SCENES"), figures[i]);
        wr_recipe *recipe = wr_recipe_read(path, NULL, &error);
        wr_asset *asset = recipe ? wr_recipe_build(recipe, &desc, &report, &error) : NULL;
        if (!asset) {
            fail_msg("%s", error.message);
        }
        wr_model *model = wr_model_read(shipped(figures[i]), NULL, &error);
        wr_morph_data *d = wr_morph_data_read(asset->morph, asset->morph_size, NULL, &error);
        assert_true(model && d);
        float most = 0.0f;
        wr_box box = WR_BOX_EMPTY;
        for (int k = 0; k < d->vertex_count; k++) {
            box = wr_box_add(box, d->vertices[k]);
        }
        for (int k = 0; k < (d->target_count - 1) * d->vertex_count; k++) {
            int target = 1 + k / d->vertex_count, v = k % d->vertex_count;
            const wr_morph *sculpted = model->meshes->morphs;
            while (strcmp(sculpted->name, d->names[target]) != 0) {
                sculpted++;
            }
            wr_vec3 off = wr_sub(relaxed_vertex(asset, d, target, v), sculpted->positions[v]);
            most = fmaxf(most, wr_length(off));
        }
        printf("    %-8s within %.1e m, %d turned\n", figures[i], (double)most,
               report.morph.turned_count);
        assert_int_equal(report.morph.turned_count, 0);
        assert_true(most < 1e-4f * wr_length(wr_box_size(box)));
        wr_morph_data_destroy(d);
        wr_model_destroy(model);
        wr_asset_destroy(asset);
        wr_recipe_destroy(recipe);
        wr_build_report_clear(&report);
    }
}

// --- assets -----------------------------------------------------------------------------------

static wr_asset *build_small(void)
{
    wr_error error = {0};
    wr_asset *asset =
        build(shipped("elbow"),
              MESH "'morph': {'modes': 4, 'scalars': {'angry': 1, 'old': 2}, 'targets': "
                   "[{'target': 'bent by 120', 'clip': 'bend', 'stiffness': 4}]}",
              NULL, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    return asset;
}

static void an_asset_keeps_every_bit_of_it(void **state)
{
    (void)state;
    char path[600];
    wr_error error = {0};
    wr_asset *asset = build_small();
    snprintf(path, sizeof path, "%s/arm.asset.glb", folder.path);
    assert_true(wr_asset_write(asset, path, &error));
    wr_asset *read = wr_asset_read(path, NULL, &error);
    if (!read) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(read->morph_size, asset->morph_size);
    assert_memory_equal(read->morph, asset->morph, asset->morph_size);
    assert_int_equal(read->scalar_count, 2);
    assert_string_equal(read->scalars[0], "angry");
    assert_string_equal(read->scalars[1], "old");
    wr_morph_data *data = wr_morph_data_read(read->morph, read->morph_size, NULL, &error);
    assert_non_null(data);
    assert_int_equal(data->target_count, 2);
    assert_string_equal(data->names[0], "rest");
    assert_int_equal(data->bone_count, 4);
    assert_int_equal(data->vertex_count, read->model->meshes->vertex_count);
    for (int i = 0; i < data->tet_count; i++) {
        CHECK_NEAR((double)(data->young[data->tet_count + i] / data->young[i]), 4.0, 1e-5);
    }
    wr_morph_data_destroy(data);
    wr_asset_destroy(asset);
    wr_asset_destroy(read);
}

// One byte after the other is damaged: nothing crashes, and what is still taken can be used.
static void damaged_bytes_are_refused_or_harmless(void **state)
{
    (void)state;
    wr_asset *asset = build_small();
    uint8_t *bytes = calloc(asset->morph_size, 1);
    size_t refused = 0, tried = 0;
    memcpy(bytes, asset->morph, asset->morph_size);
    for (size_t i = 0; i < asset->morph_size; i += i < 400 ? 1 : 97) {
        wr_error error = {0};
        uint8_t old = bytes[i];
        bytes[i] = (uint8_t)(old ^ (i % 3 == 0 ? 0x80 : i % 3 == 1 ? 0xff : 0x01));
        wr_morph_data *data = wr_morph_data_read(bytes, asset->morph_size, NULL, &error);
        if (data && tried % 16 == 0) {
            wr_morph_model_desc desc = wr_morph_model_desc_default();
            desc.data = data;
            wr_morph_model_destroy(wr_morph_model_create(&desc, &error));
        }
        refused += !data;
        tried++;
        wr_morph_data_destroy(data);
        bytes[i] = old;
    }
    printf("    %zu of %zu refused\n", refused, tried);
    assert_true(refused > 20);
    for (size_t size = 0; size < asset->morph_size; size += 1 + asset->morph_size / 50) {
        wr_error error = {0};
        assert_null(wr_morph_data_read(bytes, size, NULL, &error));
        assert_true(error.message[0] != '\0');
    }
    free(bytes);
    wr_asset_destroy(asset);
}

// --- scenes -----------------------------------------------------------------------------------

static const mistake scene_mistakes[] = {
    {"'bodies': [{'asset': 'plain', 'material': 'morph'}]",
     "the asset 'plain' has no 'morph' in its recipe; `wrought new MODEL --material morph` starts "
     "one"},
    {"'bodies': [{'shape': {'sphere': 1}, 'material': 'morph'}]",
     "a body of 'morph' expects an 'asset' of a recipe with 'morph'"},
    {"'bodies': [{'asset': 'jelly', 'material': 'morph', 'velocity': [0, 1, 0]}]",
     "'velocity' means nothing for a body of 'morph', whose bones follow its 'pose' or 'path'"},
    {"'bodies': [{'asset': 'jelly', 'material': 'morph', 'scalars': {'angri': 1}}]",
     "unknown scalar 'angri'; did you mean 'angry'?"},
    {"'bodies': [{'asset': 'elbow', 'material': 'morph', 'scalars': {'angry': 1}}]",
     "the recipe of its asset has no 'scalars'"},
    {"'bodies': [{'asset': 'jelly', 'material': 'morph', 'scalars': {'angry': {}}}]",
     "'angry' needs one of 'speed', 'turn' and 'touched'"},
    {"'bodies': [{'asset': 'jelly', 'material': 'morph', 'scalars': {'angry': {'speed': 'hed'}}}]",
     "unknown joint 'hed'; did you mean 'head'?"},
    {"'bodies': [{'asset': 'jelly', 'material': 'morph', 'scalars': {'angry': [{'time': 1, "
     "'value': 0}, {'time': 1, 'value': 1}]}}]",
     "'time' is 1 s, expected more than the 1 s before it"},
    {"'bodies': [{'asset': 'jelly', 'material': 'morph', 'forces': [{'at': [0, 0, 0], 'force': "
     "[0, 1, 0], 'from': 2, 'to': 1}]}]",
     "'to' is 1 s, expected more than the 2 s of 'from'"},
    {"'bodies': [{'asset': 'jelly', 'material': 'flesh', 'forces': []}]",
     "'forces' has no effect on a body that is no morph"},
    {"'bodies': [{'asset': 'jelly', 'material': {'morph': 'muscle', 'freedom': 'ful'}}]",
     "did you mean 'full'?"},
};

static void mistakes_in_scenes_are_one_sentence_with_their_place(void **state)
{
    (void)state;
    char assets[8192];
    snprintf(assets, sizeof assets, "%s, 'plain': '%s'", morph_assets(), shipped("elbow"));
    for (int i = 0; i < WRI_COUNT(scene_mistakes); i++) {
        char path[600], said[600];
        wr_error error = {0};
        show s = {0};
        snprintf(path, sizeof path, "%s/scene.json", folder.path);
        if (show_start(&s, path, getenv("WROUGHT_SCENES"), assets, scene_mistakes[i].words, NULL,
                       &error)) {
            fail_msg("read: %s", scene_mistakes[i].words);
        }
        snprintf(said, sizeof said, "%s", error.message);
        bool has_place = strstr(said, "scene.json:1:") && strstr(said, "body 1: ");
        for (char *c = said; *c; c++) {
            *c = *c == '"' ? '\'' : *c;
        }
        if (!has_place || !strstr(said, scene_mistakes[i].sentence)) {
            fail_msg("%s\nexpected:\n%s", said, scene_mistakes[i].sentence);
        }
    }
}

// Masses that data of morph cannot have are told in the words of the scene.
static void bodies_that_are_too_small_are_refused(void **state)
{
    (void)state;
    char path[600];
    wr_error error = {0};
    show s = {0};
    snprintf(path, sizeof path, "%s/scene.json", folder.path);
    assert_false(show_start(&s, path, getenv("WROUGHT_SCENES"), morph_assets(),
                            "'bodies': [{'asset': 'jelly', 'material': 'morph', 'scale': 0.0001}]",
                            NULL, &error));
    assert_non_null(strstr(error.message, "at the scale 0.0001 its lightest node weighs"));
    assert_non_null(strstr(error.message, "kg: it needs a larger scale, density or mass"));
}

// --- models of others -------------------------------------------------------------------------

static char told[2000];

static void listen(void *user, const char *message)
{
    (void)user;
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", message);
}

static wr_asset *build_new(const char *model, wr_error *error)
{
    wr_recipe_start start = {
        .model = model, .path = model, .material = "morph", .vertices = 150, .log = {listen, NULL}};
    size_t size;
    char path[600], *text = wr_recipe_write_new(&start, &size, error);
    snprintf(path, sizeof path, "%s/new.recipe.json", folder.path);
    bool ok = text && wri_file_write(path, text, strlen(text), error);
    wr_text_destroy(text, size);
    wr_recipe *recipe = ok ? wr_recipe_read(path, NULL, error) : NULL;
    wr_build_desc desc = wr_build_desc_default();
    wr_asset *asset = recipe ? wr_recipe_build(recipe, &desc, NULL, error) : NULL;
    wr_recipe_destroy(recipe);
    return asset;
}

// A recipe that `wrought new` starts builds, for a model with a skin and for one without: that has
// one bone, and a scalar per target.
static void a_new_recipe_builds(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_asset *asset = build_new(shipped("elbow"), &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(asset->rig.handle_count, 4);
    assert_int_equal(asset->scalar_count, 0);
    wr_asset_destroy(asset);
}

// A box in a .gltf with 20 targets, each of which moves another corner: three called "a", one
// "rest".
static const char *many_targets(void)
{
    static char path[600];
    static const unsigned short corners[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6,
                                               0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7,
                                               0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    static float places[8][3], moved[20][8][3];
    static unsigned char bytes[72 + 96 + 20 * 96];
    static char json[8192];
    wr_error error = {0};
    for (int i = 0; i < 8; i++) {
        places[i][0] = (float)(i & 1), places[i][1] = (float)(i >> 1 & 1) * 0.7f;
        places[i][2] = (float)(i >> 2) * 0.9f;
    }
    for (int i = 0; i < 20; i++) {
        moved[i][i % 8][i % 3] = 0.1f + 0.01f * (float)i;
    }
    memcpy(bytes, corners, 72), memcpy(bytes + 72, places, 96), memcpy(bytes + 168, moved, 1920);
    snprintf(path, sizeof path, "%s/many.bin", folder.path);
    assert_true(wri_file_write(path, bytes, sizeof bytes, &error));
    int at = snprintf(
        json, sizeof json,
        "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}], "
        "\"nodes\": [{\"mesh\": 0}], \"buffers\": [{\"uri\": \"many.bin\", \"byteLength\": %d}], "
        "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 72}, {\"buffer\": 0, \"byteOffset\": "
        "72, \"byteLength\": 2016}], \"accessors\": [{\"bufferView\": 0, \"componentType\": "
        "5123, \"count\": 36, \"type\": \"SCALAR\"}",
        (int)sizeof bytes);
    for (int i = 0; i <= 20; i++) {
        at += snprintf(json + at, sizeof json - (size_t)at,
                       ", {\"bufferView\": 1, \"byteOffset\": %d, \"componentType\": 5126, "
                       "\"count\": 8, \"type\": \"VEC3\", \"min\": [0, 0, 0], \"max\": [1, 1, 1]}",
                       96 * i);
    }
    at += snprintf(json + at, sizeof json - (size_t)at,
                   "], \"meshes\": [{\"primitives\": [{\"indices\": 0, \"attributes\": "
                   "{\"POSITION\": 1}, \"targets\": [");
    for (int i = 0; i < 20; i++) {
        at += snprintf(json + at, sizeof json - (size_t)at, "%s{\"POSITION\": %d}",
                       i > 0 ? ", " : "", i + 2);
    }
    at += snprintf(json + at, sizeof json - (size_t)at,
                   "]}], \"extras\": {\"targetNames\": [\"a\", \"b\", \"a\", \"a\", \"rest\"");
    for (int i = 5; i < 20; i++) {
        at += snprintf(json + at, sizeof json - (size_t)at, ", \"t%d\"", i);
    }
    at += snprintf(json + at, sizeof json - (size_t)at, "]}}]}");
    assert_true(at < (int)sizeof json);
    snprintf(path, sizeof path, "%s/many.gltf", folder.path);
    assert_true(wri_file_write(path, json, strlen(json), &error));
    return path;
}

// What does not fit, or has no name of its own, is said; the rest builds. A number says which of
// several of one name is meant.
static void a_new_recipe_has_the_targets_that_fit(void **state)
{
    (void)state;
    wr_error error = {0};
    const char *path = many_targets();
    told[0] = '\0';
    wr_asset *asset = build_new(path, &error);
    wr_model *model = wr_model_read(path, NULL, &error);
    if (!asset || !model) {
        fail_msg("%s", error.message);
    }
    const char *const names[] = {"#0", "b", "#2", "#3", "#4", "t5"};
    assert_int_equal(asset->scalar_count, 16);
    for (int i = 0; i < WRI_COUNT(names); i++) {
        assert_string_equal(asset->scalars[i], names[i]);
    }
    assert_non_null(strstr(told, "many.gltf: has more than 16 morph targets"));
    assert_non_null(strstr(told, "the names of 4 morph targets, such as \"a\", do not say"));
    wr_vec3 *second = calloc((size_t)model->meshes->vertex_count, sizeof *second);
    wr_vec3 *named = calloc((size_t)model->meshes->vertex_count, sizeof *named);
    int differ = 0;
    assert_true(wr_shape_from_morph(model, "#1", 1.0, second, &error));
    assert_true(wr_shape_from_morph(model, "b", 1.0, named, &error));
    assert_memory_equal(second, named, (size_t)model->meshes->vertex_count * sizeof *named);
    assert_true(wr_shape_from_morph(model, "#2", 1.0, second, &error));
    for (int i = 0; i < model->meshes->vertex_count; i++) {
        differ += wr_distance(second[i], model->meshes->positions[i]) > 0.01f;
    }
    assert_int_equal(differ, 1);
    free(second);
    free(named);
    wr_model_destroy(model);
    wr_asset_destroy(asset);
}

// Distance of the skin from a morph target of the model, as a part of how far that moves it.
static float find_off(const wr_world *world, const wr_asset *asset, const wr_model *source,
                      const char *target)
{
    wr_error error = {0};
    morph_at m = find_morph(world, 0);
    wr_vec3 *moved = morph_moved(&m), *sculpted = calloc((size_t)m.count, sizeof *sculpted);
    float most = 0.0f, off = 0.0f;
    assert_true(wr_shape_from_morph(source, target, 1.0, sculpted, &error));
    for (int k = 0; k < m.count; k++) {
        wr_vec3 by = wr_sub(sculpted[k], asset->model->meshes->positions[k]);
        most = fmaxf(most, wr_length(by));
        off = fmaxf(off, wr_distance(moved[k], by));
    }
    free(moved);
    free(sculpted);
    return off / most;
}

// Models of the Khronos group that have targets and no skin: sliders move them, and at its end each
// slider has made of the model what was sculpted.
static void models_without_a_skin_have_one_bone(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int targets;
    } models[] = {{"AnimatedMorphCube", 2}, {"MorphStressTest", 8}};
    const char *data = getenv("WROUGHT_DATA");
    if (!data || !wri_file_exists(data)) {
        print_message("skipped: WROUGHT_DATA is not set or not there\n");
        skip();
    }
    for (int i = 0; i < WRI_COUNT(models); i++) {
        char path[4096], text[600], assets[4096];
        wr_error error = {0};
        snprintf(path, sizeof path, "%s/khronos/%s.glb", data, models[i].name);
        wr_asset *asset = build_new(path, &error);
        wr_model *source = wr_model_read(path, NULL, &error);
        if (!asset || !source) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(asset->rig.handle_count, 1);
        assert_int_equal(asset->scalar_count, models[i].targets);
        snprintf(assets, sizeof assets, "'it': '%s/new.recipe.json'", folder.path);
        for (int k = 0; k < models[i].targets; k++) {
            const char *name = asset->scalars[k];
            snprintf(text, sizeof text,
                     "'gravity': [0, 0, 0], 'bodies': [{'asset': 'it', 'material': {'morph': "
                     "'muscle', 'stiffness': 100, 'damping': 0.02}, 'scalars': {'%s': [{'time': 0, "
                     "'value': 0}, "
                     "{'time': 0.2, 'value': 1}]}}]",
                     name);
            show s = start_with(assets, text, NULL);
            step_frames(s.world, 1);
            float before = find_off(s.world, asset, source, name);
            step_frames(s.world, 59);
            float after = find_off(s.world, asset, source, name);
            printf("    %s, \"%s\": off by %.2f of it, then %.1e\n", models[i].name, name,
                   (double)before, (double)after);
            assert_true(before > 0.8f && after < 1e-3f);
            assert_int_equal(wr_world_stats(s.world).frozen, 0);
            show_end(&s);
        }
        wr_model_destroy(source);
        wr_asset_destroy(asset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_in_recipes_are_one_sentence_with_their_place),
        cmocka_unit_test(two_targets_at_one_pose_are_refused),
        cmocka_unit_test(shells_that_are_not_connected_are_refused),
        cmocka_unit_test(targets_of_figures_are_relaxed),
        cmocka_unit_test(an_asset_keeps_every_bit_of_it),
        cmocka_unit_test(damaged_bytes_are_refused_or_harmless),
        cmocka_unit_test(mistakes_in_scenes_are_one_sentence_with_their_place),
        cmocka_unit_test(bodies_that_are_too_small_are_refused),
        cmocka_unit_test(a_new_recipe_builds),
        cmocka_unit_test(a_new_recipe_has_the_targets_that_fit),
        cmocka_unit_test(models_without_a_skin_have_one_bone),
    };
    return cmocka_run_group_tests(tests, set_up_with_cache, tear_down);
}
