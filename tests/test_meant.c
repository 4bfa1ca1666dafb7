// test_meant.c: words that are not ours, and what is said of what they may have meant.
#include "program.h"

#include "folder.h"
#include "wrought/wrought.h"

static temporary_folder folder;
static char model[600], scene[600];

static void put(char *path, size_t room, const char *name, const char *text)
{
    snprintf(path, room, "%s/%s", folder.path, name);
    assert_true(wri_file_write(path, text, strlen(text), NULL));
}

static int setup(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    put(model, sizeof model, "wedge.obj",
        "v 1 2 3\nv 3 2 3\nv 1 2 6\nv 1.5 6 3.5\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    remove_tree(folder.path);
    return 0;
}

static void expect_answer(program_run run, int status, const char *sentence)
{
    if (run.status != status || !strstr(run.said, sentence)) {
        fail_msg("status %d, \"%s\", expected %d, \"%s\"", run.status, run.said, status, sentence);
    }
}

static void expect_scene_answer(const char *body, const char *sentence)
{
    char text[512];
    snprintf(text, sizeof text,
             "{ \"wrought\": 1, \"bodies\": [ { \"shape\": { \"sphere\": 1 }, %s } ] }\n", body);
    put(scene, sizeof scene, "words.scene.json", text);
    expect_answer(RUN_PROGRAM("info", scene), 1, sentence);
}

// --- materials and places ---------------------------------------------------------------------

static void expect_new_material(const char *word, const char *line)
{
    char path[600];
    snprintf(path, sizeof path, "%s/words.recipe.json", folder.path);
    assert_int_equal(RUN_PROGRAM("new", model, "--material", word, "-o", path, "--force").status,
                     0);
    size_t size;
    char *text = wri_file_read(path, 1 << 20, NULL, &size, NULL);
    assert_non_null(text);
    if (!strstr(text, line)) {
        fail_msg("%s, expected %s", text, line);
    }
    wri_free(NULL, text, size + 1, 1);
    assert_int_equal(RUN_PROGRAM("info", path).status, 0); // reads the material, too
}

static void new_takes_materials_and_their_presets(void **state)
{
    (void)state;
    expect_new_material("metal", "\"material\": \"metal\"");
    expect_new_material("rigid", "\"material\": \"rigid\"");
    expect_new_material("clay", "\"material\": \"clay\""); // which has a preset "clay", too
    expect_new_material("tin", "\"material\": {\n    \"metal\": \"tin\"\n  }");
    expect_new_material("clay:rubber", "\"clay\": \"rubber\"");
}

static void new_refuses_other_materials_and_names_the_nearest(void **state)
{
    (void)state;
    static const char *const answers[][2] = {
        {"banana",
         "--material: unknown material \"banana\", expected one of: rigid, metal, sprite, "
         "clay, flesh, morph; or a preset of one: thin steel, "},
        {"metall", "; did you mean \"metal\"?"},
        {"steel", "; did you mean \"metal:thin steel\" or \"metal:thick steel\"?"},
        {"ledd", "; did you mean \"metal:lead\"?"},
        {"rubber", "\"rubber\" is a preset of several materials; did you mean "
                   "\"clay:rubber\", \"flesh:rubber\" or \"morph:rubber\"?"},
        {"flesh:tin", "unknown material \"flesh:tin\", expected "}};
    for (int i = 0; i < WRI_COUNT(answers); i++) {
        expect_answer(RUN_PROGRAM("new", model, "--material", answers[i][0]), 2, answers[i][1]);
    }
}

static void words_that_are_part_of_ours_name_it(void **state)
{
    (void)state;
    expect_scene_answer(
        "\"material\": { \"metal\": \"steel\" }",
        "unknown preset \"steel\"; did you mean \"thin steel\" or \"thick steel\"?");
    expect_scene_answer(
        "\"material\": \"steel\"",
        "unknown material \"steel\"; did you mean { \"metal\": \"thin steel\" } or { "
        "\"metal\": \"thick steel\" }?");
    expect_scene_answer("\"material\": \"jelly\"",
                        "did you mean { \"sprite\": \"jelly\" }, { \"flesh\": \"jelly\" } or { "
                        "\"morph\": \"jelly\" }?");
    static const char *const places[][2] = {{"left", "left side"},
                                            {"top", "roof"},
                                            {"back", "rear"},
                                            {"flat", "flattened"},
                                            {"side", "left side\" or \"right side"}};
    for (int i = 0; i < WRI_COUNT(places); i++) {
        char text[700], path[600], out[600], answer[100];
        snprintf(out, sizeof out, "%s/none.glb", folder.path);
        snprintf(text, sizeof text,
                 "{ \"wrought\": 1, \"model\": \"wedge.obj\", \"examples\": [\n"
                 "  { \"name\": \"e\", \"crush\": { \"place\": \"%s\" } } ] }\n",
                 places[i][0]);
        put(path, sizeof path, "place.recipe.json", text);
        snprintf(answer, sizeof answer, "\"%s\"; did you mean \"%s\"?", places[i][0], places[i][1]);
        expect_answer(RUN_PROGRAM("rig", path), 1, answer);
        snprintf(answer, sizeof answer, "; did you mean \"%s\"?", places[i][1]);
        expect_answer(RUN_PROGRAM("crush", model, "--place", places[i][0], "-o", out), 2, answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_takes_materials_and_their_presets),
        cmocka_unit_test(new_refuses_other_materials_and_names_the_nearest),
        cmocka_unit_test(words_that_are_part_of_ours_name_it),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
