// test_simulated.c: examples that come out of scenes, which are simulated when a recipe is built.
#include "check.h"

#include "../src/base/os.h"

#include "wrought/example.h"
#include "wrought/recipe.h"
#include "wrought/scene.h"

#include <sys/stat.h>

static temporary_folder folder;

// Texts in this file are written with ' instead of ".
static const char *put(const char *name, const char *text)
{
    static char path[600];
    char json[4096];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    snprintf(json, sizeof json, "%s", text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    if (!wri_file_write(path, json, strlen(json), &error)) {
        fail_msg("%s", error.message);
    }
    return path;
}

#define CUBE "'wrought': 1, 'model': 'cube.obj', 'simulation': {'vertices': 60}"
#define PLACES                                                                                     \
    "'handles': {'place': [{'name': 'low', 'at': [0, -0.5, 0]}, {'name': 'high', 'at': [0, 0.5, "  \
    "0]}]}"
#define FROM(words)                                                                                \
    "{" CUBE ", " PLACES ",\n'examples': [{'name': 'hit', 'recording':\n{" words "}}]}"
#define SCENE(length, asset)                                                                       \
    "{'wrought': 1, 'length': " length ", 'assets': {'cube': '" asset "'},\n"                      \
    "'bodies': [{'shape': 'plane'}, {'name': 'wall', 'shape': {'box': [1, 1, 1]}, 'at': [9, 9, "   \
    "9], 'motion': 'static'},\n"                                                                   \
    "{'name': 'die', 'asset': 'cube', 'at': [0, 0.6, 0], 'velocity': [0, -9, 0], 'material': "     \
    "'metal'}]}"

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    setenv("XDG_CACHE_HOME", folder.path, 1);
    put("cube.obj", "v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 .5 -.5\nv -.5 .5 -.5\n"
                    "v -.5 -.5 .5\nv .5 -.5 .5\nv .5 .5 .5\nv -.5 .5 .5\n"
                    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n");
    put("cube.recipe.json", "{" CUBE ", " PLACES ", 'examples': [{'name': 'flat', 'move': {'low': "
                            "[0, 0.3, 0]}}, {'name': 'lean', 'move': {'high': [0.3, 0, 0]}}]}");
    put("drop.scene.json", SCENE("0.5", "cube.recipe.json"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

static wr_asset *build(const char *text, wr_error *error)
{
    wr_recipe *recipe = wr_recipe_read(put("hit.recipe.json", text), NULL, error);
    wr_build_desc desc = wr_build_desc_default();
    wr_asset *asset = NULL;
    if (recipe && wr_recipe_simulate(recipe, NULL, error)) {
        asset = wr_recipe_build(recipe, &desc, NULL, error);
    }
    wr_recipe_destroy(recipe);
    return asset;
}

static wr_asset *build_sound(const char *text)
{
    wr_error error = {0};
    wr_asset *asset = build(text, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    return asset;
}

// Where an example has the vertices of the model.
static void find_shape(const wr_asset *asset, int example, wr_vec3 out[8])
{
    wr_error error = {0};
    wr_skin_desc desc = wr_skin_desc_default();
    wr_skin *skin = wr_skin_create(&asset->rig, &desc, &error);
    assert_non_null(skin);
    int n = asset->rig.vertex_count, count = asset->rig.example_count;
    float *rows = calloc((size_t)(n * count), sizeof *rows);
    wr_vec3 *x = calloc((size_t)n, sizeof *x);
    assert_true(rows && x && asset->rig.ride_count == 8);
    for (int i = 0; i < n; i++) {
        rows[i * count + example] = 1.0f;
    }
    wr_skin_positions(skin, rows, NULL, 0, NULL, x);
    for (int i = 0; i < 8; i++) {
        const wr_ride *ride = &asset->rig.rides[i];
        out[i] = asset->rig.examples[example].details[i];
        for (int k = 0; k < 4; k++) {
            int v = asset->rig.elements[4 * ride->element + k];
            out[i] = wr_add_scaled(out[i], ride->weights[k], x[v]);
        }
    }
    free(rows);
    free(x);
    wr_skin_destroy(skin);
}

// The same by hand: the model of the body in a frame of the scene.
static void simulate_shape(int frames, wr_vec3 out[8])
{
    char path[600];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/drop.scene.json", folder.path);
    wr_scene *scene = wr_scene_read(path, NULL, &error);
    if (!scene) {
        fail_msg("%s", error.message);
    }
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    wr_world *world = wr_world_create(&desc, &error);
    assert_non_null(world);
    for (int i = 0; i < frames; i++) {
        wr_world_step_frame(world);
    }
    const wr_record_info *info = wr_world_record_info(world);
    wr_reskin *reskin = wr_reskin_create(info, &error);
    wr_record_shape shape;
    assert_true(
        wr_reskin_find(reskin, wr_world_frame(world), 2, &info->bodies[2], false, &shape, &error));
    assert_non_null(shape.positions);
    memcpy(out, shape.positions, 8 * sizeof *out);
    wr_reskin_destroy(reskin);
    wr_world_destroy(world);
    wr_scene_destroy(scene);
}

static double largest_gap(const wr_vec3 *a, const wr_vec3 *b)
{
    float most = 0.0f;
    for (int i = 0; i < 8; i++) {
        most = fmaxf(most, wr_distance(a[i], b[i]));
    }
    return (double)most;
}

// --- promises -----------------------------------------------------------------------------------

static void an_example_is_the_body_as_the_scene_left_it(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int frame;
    } moments[] = {
        {"'scene': 'drop.scene.json', 'body': 'die'", 30},
        {"'scene': 'drop.scene.json', 'body': 'die', 'time': 0.1", 6},
        {"'scene': 'drop.scene.json', 'body': 'die', 'frame': 6", 6},
    };
    wr_vec3 rest[8], before[8], end[8];
    simulate_shape(6, before);
    simulate_shape(30, end);
    for (int i = 0; i < WRI_COUNT(moments); i++) {
        wr_vec3 got[8];
        char text[1024];
        snprintf(text, sizeof text, FROM("%s"), moments[i].words);
        wr_asset *asset = build_sound(text);
        find_shape(asset, 1, got);
        memcpy(rest, asset->model->meshes->positions, sizeof rest);
        CHECK_NEAR(largest_gap(got, moments[i].frame == 6 ? before : end), 0.0, 1e-4);
        wr_asset_destroy(asset);
    }
    assert_true(largest_gap(end, rest) > 0.05);    // the fall bent it
    assert_true(largest_gap(end, before) > 0.001); // and went on doing so
}

// The file of the cache with this ending that was changed last.
static const char *find_cached(const char *ending)
{
    static char found[1024];
    char path[600];
    int64_t last = -1;
    wri_arena arena = wri_arena_create(NULL);
    wri_array names = wri_array_create(NULL, sizeof(char *));
    snprintf(path, sizeof path, "%s/wrought", folder.path);
    assert_true(wri_folder_list(path, &arena, &names, NULL));
    for (int i = 0; i < names.count; i++) {
        const char *name = WRI_ITEM(names, const char *, i), *file;
        file = wri_path_join(&arena, path, name);
        const char *end = strrchr(name, '.');
        if (end && strcmp(end, ending) == 0 && wri_file_changed_ns(file) > last) {
            last = wri_file_changed_ns(file);
            snprintf(found, sizeof found, "%s", file);
        }
    }
    wri_array_destroy(&names);
    wri_arena_destroy(&arena);
    assert_true(last >= 0);
    return found;
}

static uint64_t hash_of(const char *path)
{
    size_t size;
    char *bytes = wri_file_read(path, 1 << 24, NULL, &size, NULL);
    assert_non_null(bytes);
    uint64_t hash = wri_hash(bytes, size, 0);
    wri_free(NULL, bytes, size + 1, 1);
    return hash;
}

static void a_scene_is_simulated_once_and_again_when_it_changes(void **state)
{
    (void)state;
    const char *text = FROM("'scene': 'drop.scene.json', 'body': 'die'");
    wr_vec3 first[8], later[8];
    put("drop.scene.json", SCENE("0.52", "cube.recipe.json")); // not in the cache
    wr_asset *asset = build_sound(text);
    find_shape(asset, 1, first);
    uint64_t hash = asset->recipe_hash;
    wr_asset_destroy(asset);
    char path[1024];
    strcpy(path, find_cached(".wrought"));
    struct stat made, found; // a file that is made again is another one
    assert_int_equal(stat(path, &made), 0);
    uint64_t sum = hash_of(path);
    wr_asset_destroy(build_sound(text));
    assert_int_equal(stat(path, &found), 0);
    assert_true(found.st_ino == made.st_ino && hash_of(path) == sum);

    FILE *file = fopen(path, "r+b"); // damaged: made again, the same
    assert_non_null(file);
    fseek(file, (long)(wri_file_size(path) / 2), SEEK_SET);
    fputc(0x5a, file);
    fputc(0xa5, file);
    fclose(file);
    assert_true(hash_of(path) != sum);
    wr_asset_destroy(build_sound(text));
    assert_true(hash_of(path) == sum);

    put("drop.scene.json", SCENE("0.05", "cube.recipe.json"));
    asset = build_sound(text);
    find_shape(asset, 1, later);
    assert_true(largest_gap(first, later) > 0.001);
    assert_true(asset->recipe_hash != hash);
    wr_asset_destroy(asset);
    put("drop.scene.json", SCENE("0.5", "cube.recipe.json"));
}

static int cached_frames(void)
{
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(find_cached(".wrought"), &error);
    assert_non_null(reader);
    int count = wr_record_frame_count(reader);
    wr_record_close(reader);
    return count;
}

static void a_scene_is_simulated_as_far_as_its_examples_need(void **state)
{
    (void)state;
    put("drop.scene.json", SCENE("0.51", "cube.recipe.json")); // not in the cache
    wr_vec3 before[8], later[8], got[8];
    simulate_shape(6, before);
    simulate_shape(9, later);
    wr_asset_destroy(build_sound(FROM("'scene': 'drop.scene.json', 'body': 'die', 'time': 0.1")));
    assert_int_equal(cached_frames(), 7);
    wr_asset *asset = build_sound(
        FROM("'scene': 'drop.scene.json', 'body': 'die', 'frame': 6}}, {'name': 'more', "
             "'recording': {'scene': 'drop.scene.json', 'body': 'die', 'time': 0.15"));
    assert_int_equal(cached_frames(), 10); // one recording has both
    find_shape(asset, 1, got);
    CHECK_NEAR(largest_gap(got, before), 0.0, 1e-4);
    find_shape(asset, 2, got);
    CHECK_NEAR(largest_gap(got, later), 0.0, 1e-4);
    wr_asset_destroy(asset);
    // The later one may be said first.
    put("drop.scene.json", SCENE("0.52", "cube.recipe.json"));
    wr_asset_destroy(build_sound(
        FROM("'scene': 'drop.scene.json', 'body': 'die', 'time': 0.15}}, {'name': 'less', "
             "'recording': {'scene': 'drop.scene.json', 'body': 'die', 'frame': 6")));
    assert_int_equal(cached_frames(), 10);
    put("drop.scene.json", SCENE("0.5", "cube.recipe.json"));
}

static void scenes_take_recipes_whose_examples_come_out_of_scenes(void **state)
{
    (void)state;
    wr_error error = {0};
    put("hit.recipe.json", FROM("'scene': 'drop.scene.json', 'body': 'die'"));
    wr_scene *scene =
        wr_scene_read(put("again.scene.json", SCENE("1", "hit.recipe.json")), NULL, &error);
    if (!scene) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(scene->bodies[2].asset->rig.examples[1].name, "hit");
    wr_scene_destroy(scene);
}

static void a_recipe_names_its_scene_and_needs_the_simulation(void **state)
{
    (void)state;
    char scene[600];
    wr_error error = {0};
    wr_build_desc desc = wr_build_desc_default();
    wr_recipe *recipe = wr_recipe_read(
        put("hit.recipe.json", FROM("'scene': 'drop.scene.json', 'body': 'die'")), NULL, &error);
    assert_non_null(recipe);
    snprintf(scene, sizeof scene, "%s/drop.scene.json", folder.path);
    assert_true(wr_recipe_uses_file(recipe, scene));
    assert_null(wr_recipe_build(recipe, &desc, NULL, &error));
    assert_non_null(strstr(error.message, "has not been simulated"));
    wr_recipe_destroy(recipe);
}

// --- mistakes -----------------------------------------------------------------------------------

static void mistakes_are_one_sentence_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *words, *sentence;
    } mistakes[] = {
        {"'body': 'die'", "3:1: example 'hit': 'recording' needs either 'file' or 'scene'"},
        {"'file': 'a', 'scene': 'b', 'body': 'die'",
         "3:1: example 'hit': 'recording' needs either 'file' or 'scene'"},
        {"'scene': 'drop.scene.json', 'body': 'die', 'time': 0.1, 'frame': 3",
         "3:58: example 'hit': 'frame' means nothing beside 'time'"},
        {"'scene': 'drop.scene.json', 'body': 'die', 'time': 0.6",
         "3:53: example 'hit': 'time' is 0.6 s, the recording ends at 0.5 s"},
        {"'scene': 'drop.scene.json', 'body': 'die', 'frame': 31",
         "2:14: example 'hit': the recording has 31 frames, there is no frame 31"},
        {"'scene': 'none.scene.json', 'body': 'die'",
         "3:11: example 'hit': DIR/none.scene.json: cannot open: No such file or directory"},
        {"'scene': 'drop.scene.json', 'body': 'dye'",
         "2:14: example 'hit': the recording has no body 'dye'; did you mean 'die'?"},
        {"'scene': 'drop.scene.json', 'body': 'wall'",
         "2:14: example 'hit': body 'wall' keeps its shape in frame 30"},
        {"'scene': 'broken.scene.json', 'body': 'die'",
         "3:11: example 'hit': DIR/broken.scene.json:1:15: scene: unknown key 'lenth'; did you "
         "mean 'length'?"},
        {"'scene': 'self.scene.json', 'body': 'die'",
         "3:11: example 'hit': DIR/self.scene.json:1:50: asset 'cube': DIR/hit.recipe.json:3:11: "
         "example 'hit': DIR/self.scene.json needs this recipe itself"},
    };
    put("broken.scene.json", "{'wrought': 1,'lenth': 3}");
    put("self.scene.json", SCENE("0.5", "hit.recipe.json"));
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        wr_error error = {0};
        char text[1024], said[600] = "", *out = said;
        snprintf(text, sizeof text, FROM("%s"), mistakes[i].words);
        wr_asset *asset = build(text, &error);
        if (asset) {
            fail_msg("built: %s", mistakes[i].words);
        }
        size_t length = strlen(folder.path);
        for (const char *c = error.message; *c; c++) { // the folder as DIR, " as '
            bool here = strncmp(c, folder.path, length) == 0;
            out += sprintf(out, "%s", here ? "DIR" : (char[2]){*c == '"' ? '\'' : *c, '\0'});
            c += here ? length - 1 : 0;
        }
        const char *start = "DIR/hit.recipe.json:";
        if (strncmp(said, start, strlen(start)) != 0 ||
            strcmp(said + strlen(start), mistakes[i].sentence) != 0) {
            fail_msg("%s:\n%s\nexpected:\n%s", mistakes[i].words, said, mistakes[i].sentence);
        }
    }
}

static void scenes_that_need_one_another_have_an_end(void **state)
{
    (void)state;
    enum { COUNT = 20 };
    char name[64], text[1024];
    wr_error error = {0};
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "s%d.scene.json", i);
        snprintf(text, sizeof text, SCENE("0.1", "r%d.recipe.json"), i + 1);
        put(name, text);
        snprintf(name, sizeof name, "r%d.recipe.json", i + 1);
        snprintf(text, sizeof text, FROM("'scene': 's%d.scene.json', 'body': 'die'"), i + 1);
        put(name, text);
    }
    put(name, "{" CUBE ", 'handles': {'automatic': 2}}"); // sound, but too far away
    assert_null(build(FROM("'scene': 's0.scene.json', 'body': 'die'"), &error));
    assert_non_null(strstr(error.message, "example \"hit\": "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_example_is_the_body_as_the_scene_left_it),
        cmocka_unit_test(a_scene_is_simulated_once_and_again_when_it_changes),
        cmocka_unit_test(a_scene_is_simulated_as_far_as_its_examples_need),
        cmocka_unit_test(scenes_take_recipes_whose_examples_come_out_of_scenes),
        cmocka_unit_test(a_recipe_names_its_scene_and_needs_the_simulation),
        cmocka_unit_test(mistakes_are_one_sentence_with_their_place),
        cmocka_unit_test(scenes_that_need_one_another_have_an_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
