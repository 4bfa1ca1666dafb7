// test_memo.c: what building remembers is what building again finds, and no more than that is
// remembered.
#include "recipe_text.h"

#include "../src/author/memo.h"
#include "../src/base/cache.h"

// --- a model ----------------------------------------------------------------------------------

enum { SIDE = 5 };

// A closed box of small squares, sheared, as an object of an OBJ file. Returns its vertices.
static int write_box(FILE *file, const char *name, wr_vec3 corner, wr_vec3 size, int first)
{
    static const int axes[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
    int count = 0;
    fprintf(file, "o %s\n", name);
    for (int side = 0; side < 6; side++) {
        const int *axis = axes[side / 2];
        int start = first + count, far = side % 2;
        for (int i = 0; i <= SIDE; i++) {
            for (int k = 0; k <= SIDE; k++) {
                double p[3];
                p[axis[0]] = (double)i / SIDE, p[axis[1]] = (double)k / SIDE, p[axis[2]] = far;
                double y = corner.y + size.y * p[1];
                fprintf(file, "v %.6f %.6f %.6f\n", corner.x + size.x * p[0] + 0.2 * y, y,
                        corner.z + size.z * p[2] - 0.1 * y * p[0]);
                count++;
            }
        }
        for (int i = 0; i < SIDE; i++) {
            for (int k = 0; k < SIDE; k++) {
                int a = start + i * (SIDE + 1) + k, b = a + SIDE + 1;
                fprintf(file, far ? "f %d %d %d %d\n" : "f %4$d %3$d %2$d %1$d\n", a, b, b + 1,
                        a + 1);
            }
        }
    }
    return count;
}

static int make_models(void **state)
{
    int failed = set_up_with_cache(state);
    FILE *file = fopen(in_folder("block.obj"), "w");
    int count = write_box(file, "hull", wr_v3(-0.9f, 0, -0.4f), wr_v3(1.7f, 0.6f, 0.9f), 1);
    write_box(file, "lamp", wr_v3(0.3f, 0.63f, -0.2f), wr_v3(0.25f, 0.3f, 0.2f), count + 1);
    fclose(file);
    file = fopen(in_folder("tool.obj"), "w");
    write_box(file, "tool", wr_v3(0.9f, 0.1f, -0.3f), wr_v3(0.3f, 0.3f, 0.3f), 1);
    fclose(file);
    return failed;
}

// --- building ---------------------------------------------------------------------------------

static wr_recipe *read_text(const char *text)
{
    wr_error error = {0};
    wr_recipe *recipe = read_recipe_text("block.recipe.json", text, &error);
    if (!recipe) {
        fail_msg("%s", error.message);
    }
    return recipe;
}

static void write_asset(wr_asset *asset, const char *name, const wr_error *error)
{
    if (!asset) {
        fail_msg("%s", error->message);
    }
    assert_true(wr_asset_write(asset, in_folder(name), NULL));
    wr_asset_destroy(asset);
}

// Builds with what is remembered, and from nothing: every bit must be the same. Returns whether the
// weights were remembered.
static bool build_both(const char *text)
{
    wr_error error = {0};
    wr_build_report report;
    wr_build_desc desc = wr_build_desc_default();
    wr_recipe *recipe = read_text(text);
    write_asset(wr_recipe_build_cached(recipe, &desc, false, &report, &error), "kept.glb", &error);
    bool are_kept = report.weights_are_kept;
    assert_false(report.from_cache);
    wr_build_report_clear(&report);
    write_asset(wr_recipe_build(recipe, &desc, &report, &error), "anew.glb", &error);
    assert_false(report.weights_are_kept);
    wr_build_report_clear(&report);
    wr_recipe_destroy(recipe);
    assert_same_files(in_folder("kept.glb"), in_folder("anew.glb"));
    return are_kept;
}

#define MODEL "'wrought': 1, 'model': 'block.obj'"
#define MESH "'simulation': {'vertices': 150, 'smoothing': 4, 'separate': false}"
#define PLACE "'place': [{'name': 'nose', 'at': [0.8, 0.3, 0.1]}]"
#define HANDLES "'handles': {'automatic': 3, " PLACE "}"
#define MOVED "{'name': 'moved', 'move': {'nose': [0.1, 0.05, 0]}, 'follow': true}"
#define CRUSH(keys) "{'name': 'hit', 'crush': {'place': 'front', 'cell': 0.09" keys "}}"
#define RECIPE(mesh, handles, examples)                                                            \
    "{" MODEL ", " mesh ", " handles ", 'examples': [" examples "]}"
#define EXAMPLE(example) RECIPE(MESH, HANDLES, example)
#define WITH_MESH(mesh) RECIPE("'simulation': {" mesh "}", HANDLES, MOVED)
#define WITH_HANDLES(handles) RECIPE(MESH, "'handles': {" handles "}", MOVED)

// --- tests ------------------------------------------------------------------------------------

// Each differs from one before it in one thing.
static void examples_are_found_again_only_when_nothing_about_them_changed(void **state)
{
    (void)state;
    static const char *const recipes[] = {
        EXAMPLE(MOVED "," CRUSH("")),
        EXAMPLE("{'name': 'moved', 'move': {'nose': [0.1, 0.06, 0]}, 'follow': true}," CRUSH("")),
        EXAMPLE("{'name': 'moved', 'move': {'nose': [0.1, 0.05, 0]}}"),
        EXAMPLE("{'name': 'moved', 'move': {'h1': [0.1, 0.05, 0]}, 'follow': true}"),
        EXAMPLE("{'name': 'moved', 'turn': {'nose': {'axis': [1, 2, 3], 'by': 30}}}"),
        EXAMPLE("{'name': 'moved', 'turn': {'nose': {'axis': [1, 2, 3], 'by': 31}}}"),
        EXAMPLE("{'name': 'moved', 'turn': {'nose': {'axis': [1, 2, 3], 'by': 31}}, "
                "'move': {'nose': [0.1, 0.05, 0]}}"),
        EXAMPLE(CRUSH(", 'depth': 0.2")),
        EXAMPLE(CRUSH(", 'shape': 'sphere'")),
        EXAMPLE(CRUSH(", 'shape': 'post'")),
        EXAMPLE(CRUSH(", 'shape': 'post', 'axis': [1, 1, 0]")),
        EXAMPLE(CRUSH(", 'shape': 'sphere', 'size': 0.3")),
        EXAMPLE(CRUSH(", 'shape': 'sphere', 'at': [0, 0.2, 0.1]")),
        EXAMPLE(CRUSH(", 'direction': [-1, -0.4, 0.2]")),
        EXAMPLE(CRUSH(", 'hold': 0.6")),
        EXAMPLE(CRUSH(", 'rigid': ['lamp']")),
        EXAMPLE(CRUSH(", 'tool': 'tool.obj', 'depth': 0.3")),
        EXAMPLE("{'name': 'hit', 'crush': {'place': 'front', 'cell': 0.12}}"),
    };
    for (int i = 0; i < WRI_COUNT(recipes); i++) {
        assert_true(build_both(recipes[i]) == (i > 0));
    }
}

static void weights_are_found_again_only_when_mesh_and_handles_are_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_known;
    } recipes[] = {
        {WITH_MESH("'vertices': 151, 'smoothing': 4, 'separate': false"), false},
        {WITH_MESH("'vertices': 151, 'smoothing': 5, 'separate': false"), false},
        {WITH_MESH("'vertices': 151, 'smoothing': 5, 'separate': true"), false},
        // the lamp touches the hull, and one mesh for both is what the second recipe made
        {WITH_MESH("'vertices': 151, 'smoothing': 5, 'separate': true, 'trim': 0.4"), true},
        {WITH_HANDLES("'automatic': 4, " PLACE), false},
        {WITH_HANDLES("'automatic': 4, 'place': [{'name': 'nose', 'at': [0.8, 0.31, 0.1]}]"),
         false},
        {RECIPE(MESH,
                "'handles': {'automatic': 4, 'place': [{'name': 'tip', 'at': [0.8, 0.3, 0.1]}]}",
                "{'name': 'moved', 'move': {'tip': [0.1, 0.05, 0]}}"),
         true},
        {"{" MODEL ", " MESH ", 'handles': {'automatic': 4, " PLACE "}, 'material': 'metal'}",
         true},
    };
    for (int i = 0; i < WRI_COUNT(recipes); i++) {
        assert_true(build_both(recipes[i].text) == recipes[i].is_known);
    }
}

// Flips a bit in the middle of each entry, or cuts off its end.
static void damage(bool cut)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_array names = wri_array_create(NULL, sizeof(const char *));
    assert_true(wri_folder_list(in_folder("wrought"), &arena, &names, NULL));
    int count = 0;
    for (int i = 0; i < names.count; i++) {
        const char *name = WRI_ITEM(names, const char *, i);
        if (wri_has_ending(name, ".memo")) {
            char *path = wri_path_join(&arena, in_folder("wrought"), name);
            size_t size;
            char *bytes = wri_file_read(path, 1 << 24, NULL, &size, NULL);
            assert_non_null(bytes);
            bytes[size / 2] ^= cut ? 0 : 4;
            assert_true(wri_file_write(path, bytes, cut ? size - 1 : size, NULL));
            wri_free(NULL, bytes, size + 1, 1);
            count++;
        }
    }
    assert_true(count > 0);
    wri_array_destroy(&names);
    wri_arena_destroy(&arena);
}

static void damaged_entries_are_not_believed(void **state)
{
    (void)state;
    assert_false(build_both(WITH_HANDLES("'automatic': 2, " PLACE)));
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{" MODEL ", " MESH ", 'handles': {'automatic': 2, " PLACE "}, 'examples': "
                 "[{'name': 'moved', 'move': {'nose': [0.1, %d, 0]}}]}",
                 i);
        damage(i == 0);
        assert_false(build_both(text));
    }
}

static void an_entry_gives_what_was_kept_and_nothing_else(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    const wri_memo memo = wri_memo_create(&arena, false);
    const int numbers[3] = {3, 1, 4};
    const wri_memo_part parts[] = {{numbers, sizeof numbers}, {"ab", 2}};
    uint64_t key = wri_memo_key("numbers");
    wri_memo_keep(&memo, key, parts, 2);
    wri_memo_entry entry = wri_memo_open(&memo, key);
    int found[3];
    char text[3] = "";
    assert_true(wri_memo_take(&entry, found, sizeof found));
    assert_memory_equal(found, numbers, sizeof numbers);
    assert_false(wri_memo_is_whole(&entry));
    assert_false(wri_memo_take(&entry, found, 3)); // more than there is
    assert_true(wri_memo_take(&entry, text, 2));
    assert_string_equal(text, "ab");
    assert_true(wri_memo_is_whole(&entry));
    wri_memo_close(&entry);
    entry = wri_memo_open(&memo, wri_memo_key("others"));
    assert_false(wri_memo_take(&entry, found, 0));
    assert_false(wri_memo_is_whole(&entry));
    wri_memo_close(&entry);
    const wri_memo fresh = wri_memo_create(&arena, true);
    entry = wri_memo_open(&fresh, key);
    assert_false(wri_memo_is_whole(&entry));
    wri_memo_close(&entry);
    wri_arena_destroy(&arena);
}

// --- size -------------------------------------------------------------------------------------

static const char *entry_name(int i)
{
    static char names[4][64];
    static int next;
    char *name = names[next++ % 4];
    snprintf(name, sizeof names[0], "full/%016x.memo", i);
    return name;
}

static bool is_there(int i)
{
    return wri_file_exists(in_folder(entry_name(i)));
}

// Five entries of 1000 bytes, written in the order of their numbers but found by name in another.
static void fill_cache(void)
{
    char bytes[1000] = {0};
    assert_true(wri_folder_create(in_folder("full"), NULL));
    for (int i = 0; i < 5; i++) {
        assert_true(wri_file_write(in_folder(entry_name(i)), bytes, sizeof bytes, NULL));
        nanosleep(&(struct timespec){0, 20000000}, NULL); // more than a tick of the clock of files
    }
    assert_true(wri_file_write(in_folder("full/notes.txt"), bytes, sizeof bytes, NULL));
}

static void what_was_not_used_for_longest_is_dropped(void **state)
{
    (void)state;
    fill_cache();
    wri_cache_use(in_folder(entry_name(1)));
    wri_cache_trim(in_folder("full"), 5000);
    for (int i = 0; i < 5; i++) {
        assert_true(is_there(i));
    }
    wri_cache_trim(in_folder("full"), 3999);
    assert_true(!is_there(0) && is_there(1) && !is_there(2) && is_there(3) && is_there(4));
    wri_cache_trim(in_folder("full"), 0); // the last one used stays, and what is not ours
    assert_true(is_there(1) && !is_there(3) && !is_there(4));
    assert_true(wri_file_exists(in_folder("full/notes.txt")));
    wri_cache_trim(in_folder("nowhere"), 0);
}

// An entry of another build that fills the folder goes when something is built, and finding an
// entry is using it.
static void building_keeps_the_folder_small(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    const wri_memo memo = wri_memo_create(&arena, false);
    const wri_memo_part part = {"kept", 4};
    static const char old[] = "wrought/00000000000000ff.wrought";
    wri_file *file = wri_file_open(in_folder(old), WRI_FILE_NEW, NULL);
    assert_true(file && wri_file_truncate(file, (int64_t)3 << 30, NULL)); // a hole, no blocks
    assert_true(wri_file_close(file, NULL));
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    uint64_t key = wri_memo_key("something");
    wri_memo_keep(&memo, key, &part, 1);
    assert_false(build_both(WITH_HANDLES("'automatic': 5, " PLACE)));
    assert_false(wri_file_exists(in_folder(old)));
    wri_memo_entry entry = wri_memo_open(&memo, key);
    assert_non_null(entry.bytes);
    wri_memo_close(&entry);
    wri_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_found_again_only_when_nothing_about_them_changed),
        cmocka_unit_test(weights_are_found_again_only_when_mesh_and_handles_are_the_same),
        cmocka_unit_test(damaged_entries_are_not_believed),
        cmocka_unit_test(what_was_not_used_for_longest_is_dropped),
        cmocka_unit_test(building_keeps_the_folder_small),
        cmocka_unit_test(an_entry_gives_what_was_kept_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, make_models, tear_down);
}
