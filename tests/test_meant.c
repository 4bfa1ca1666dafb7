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

// --- units ------------------------------------------------------------------------------------

// Feet, inches and the like are known to options, recipes and assets of scenes alike.
static void units_have_the_same_words_everywhere(void **state)
{
    (void)state;
    static const char *const units[] = {"inch", "inches", "in", "foot", "ft", "yard", "mm", "km"};
    for (int i = 0; i < WRI_COUNT(units); i++) {
        char path[600], text[700];
        assert_int_equal(RUN_PROGRAM("info", model, "--unit", units[i]).status, 0);
        snprintf(text, sizeof text,
                 "{ \"wrought\": 1, \"model\": \"wedge.obj\", \"unit\": \"%s\" }\n", units[i]);
        put(path, sizeof path, "unit.recipe.json", text);
        assert_int_equal(RUN_PROGRAM("info", path).status, 0);
        snprintf(
            text, sizeof text,
            "{ \"wrought\": 1, \"assets\": { \"a\": { \"file\": \"wedge.obj\", \"unit\": \"%s\" "
            "} }, \"bodies\": [ { \"asset\": \"a\" } ] }\n",
            units[i]);
        put(path, sizeof path, "unit.scene.json", text);
        assert_int_equal(RUN_PROGRAM("info", path).status, 0);
    }
    expect_answer(RUN_PROGRAM("info", model, "--unit", "inche"), 2,
                  "unknown unit \"inche\", expected m, cm, mm, in, ft, yd or km; did you mean "
                  "\"inch\"?");
    program_run run = RUN_PROGRAM("info", model, "--unit", "inch");
    assert_non_null(strstr(run.printed, "bounds               0.0254 0.0508 0.0762 to "));
}

static void large_models_are_hinted_at_where_they_are_looked_at(void **state)
{
    (void)state;
    char fox[600], picture[600], crushed[600];
    put(fox, sizeof fox, "fox.obj",
        "v 0 0 0\nv 80 0 0\nv 0 0 60\nv 0 60 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    snprintf(picture, sizeof picture, "%s/fox.png", folder.path);
    snprintf(crushed, sizeof crushed, "%s/crushed.obj", folder.path);
    static const char hint[] = "fox.obj: the model is 80 m long: centimetres? --unit cm says so";
    assert_non_null(strstr(RUN_PROGRAM("info", fox).printed, hint));
    expect_answer(RUN_PROGRAM("render", fox, "-o", picture, "--size", "64x64"), 0, hint);
    expect_answer(RUN_PROGRAM("crush", fox, "-o", crushed), 0, hint);
    assert_null(strstr(RUN_PROGRAM("info", fox, "--unit", "m").printed, "centimetres?"));
    assert_null(strstr(RUN_PROGRAM("crush", fox, "-o", crushed, "--unit", "m").said, "centim"));
}

// --- folders ----------------------------------------------------------------------------------

static void folders_with_published_rigs_are_called_so(void **state)
{
    (void)state;
    char path[700], rig[600];
    snprintf(rig, sizeof rig, "%s/rig", folder.path);
    assert_true(wri_folder_create(rig, NULL));
    put(path, sizeof path, "rig/mesh.mesh",
        "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 "
        "0\nTetrahedra 1\n1 2 3 4 0\n");
    put(path, sizeof path, "rig/coarseWeights.dmat", "1 4\n1\n1\n1\n1\n");
    put(path, sizeof path, "rig/bone_roots.bf", "0 -1 0 0 0\n");
    put(path, sizeof path, "rig/exampleGraph.txt",
        "2\n0 0 0 0 0 1\n0 0 0 1 0 0 0\n0 0 0 0 0 1\n0 0.1 0 1 0 0 0\n");
    program_run run = RUN_PROGRAM("info", rig);
    assert_string_equal(run.said, "");
    assert_non_null(strstr(run.printed, "  kind                 published rig\n"));
    assert_non_null(strstr(run.printed, "/rig --unit cm -o rig.glb, which scenes name: "));
    snprintf(path, sizeof path, "%s/none.png", folder.path);
    expect_answer(RUN_PROGRAM("render", rig, "-o", path), 1,
                  "is a published rig, not a recording: build it with \"wrought rig\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_takes_materials_and_their_presets),
        cmocka_unit_test(new_refuses_other_materials_and_names_the_nearest),
        cmocka_unit_test(words_that_are_part_of_ours_name_it),
        cmocka_unit_test(units_have_the_same_words_everywhere),
        cmocka_unit_test(large_models_are_hinted_at_where_they_are_looked_at),
        cmocka_unit_test(folders_with_published_rigs_are_called_so),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
