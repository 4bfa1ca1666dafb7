// test_answers.c: what the program says to somebody who does the obvious thing wrongly: which
// command or word would have been the right one.
#include "program.h"

#include "../src/scene/scene.h"
#include "folder.h"
#include "wrought/wrought.h"

static temporary_folder folder;
static char model[600], recipe[600], dented[600], scene[600], starter[600];

// A wedge that leans, and stands on y = 2.
static const char wedge[] = "v 1 2 3\nv 3 2 3\nv 1 2 6\nv 1.5 6 3.5\n"
                            "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n";

static void put(char *path, size_t room, const char *name, const char *text)
{
    snprintf(path, room, "%s/%s", folder.path, name);
    assert_true(wri_file_write(path, text, strlen(text), NULL));
}

static int setup(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    put(model, sizeof model, "wedge.obj", wedge);
    put(recipe, sizeof recipe, "wedge.recipe.json",
        "{ \"wrought\": 1, \"model\": \"wedge.obj\", \"material\": \"metal\",\n"
        "  \"simulation\": { \"vertices\": 60 }, \"handles\": { \"automatic\": 3 } }\n");
    char low[600];
    put(low, sizeof low, "low.obj",
        "v 1 2 3\nv 3 2 3\nv 1 2 6\nv 1.7 4.5 3.6\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    put(dented, sizeof dented, "dent.recipe.json",
        "{ \"wrought\": 1, \"model\": \"wedge.obj\", \"material\": \"metal\",\n"
        "  \"simulation\": { \"vertices\": 60 }, \"handles\": { \"automatic\": 3 },\n"
        "  \"examples\": [ { \"name\": \"low\", \"sculpt\": \"low.obj\" } ] }\n");
    snprintf(starter, sizeof starter, "%s/dent.scene.json", folder.path);
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

static void files_of_another_kind_name_the_command_for_them(void **state)
{
    (void)state;
    put(scene, sizeof scene, "some.scene.json", "{ \"wrought\": 1, \"bodies\": [] }\n");
    expect_answer(RUN_PROGRAM("rig", model), 1, "is a model, expected a recipe; try: wrought new ");
    expect_answer(RUN_PROGRAM("sim", model), 1,
                  "is a model, expected a scene; try: wrought new scene ");
    expect_answer(RUN_PROGRAM("sim", recipe), 1,
                  "is a recipe, expected a scene; try: wrought new scene ");
    expect_answer(RUN_PROGRAM("tune", recipe), 1,
                  "is a recipe, expected a scene; try: wrought new scene ");
    expect_answer(RUN_PROGRAM("rig", scene), 1, "is a scene, expected a recipe; try: wrought sim ");
    expect_answer(RUN_PROGRAM("render", scene), 1, "simulate it with \"wrought sim\" first");
    expect_answer(RUN_PROGRAM("render", recipe), 1,
                  "is a recipe, not a recording: build it with \"wrought rig\"");
}

static void scenes_and_recipes_in_the_place_of_models_are_called_so(void **state)
{
    (void)state;
    char out[600];
    snprintf(out, sizeof out, "%s/none.glb", folder.path);
    put(scene, sizeof scene, "some.scene.json", "{ \"wrought\": 1, \"bodies\": [] }\n");
    expect_answer(RUN_PROGRAM("new", scene), 1, "is a scene already; try: wrought sim ");
    expect_answer(RUN_PROGRAM("new", recipe), 1, "is a recipe already; try: wrought rig ");
    expect_answer(RUN_PROGRAM("new", "scene", scene), 1, "is a scene already; try: wrought sim ");
    expect_answer(RUN_PROGRAM("crush", recipe, "-o", out), 1, "is a recipe, expected a model");
    expect_answer(RUN_PROGRAM("clean", recipe, "-o", out), 1, "is a recipe, expected a model");
    put(out, sizeof out, "of.scene.json",
        "{ \"wrought\": 1, \"assets\": { \"a\": \"some.scene.json\" }, \"bodies\": [] }\n");
    expect_answer(RUN_PROGRAM("info", out), 1, "is a scene, expected a model");
}

static void recordings_in_the_place_of_texts_are_called_so(void **state)
{
    (void)state;
    char out[600], film[700], picture[700];
    put(scene, sizeof scene, "short.scene.json",
        "{ \"wrought\": 1, \"length\": 0.1, \"bodies\": [ { \"shape\": \"plane\" } ] }\n");
    snprintf(out, sizeof out, "%s/short", folder.path);
    snprintf(film, sizeof film, "%s/recording.wrought", out);
    snprintf(picture, sizeof picture, "%s/none.png", out);
    assert_int_equal(RUN_PROGRAM("sim", scene, "-o", out, "-q").status, 0);
    static const char *const commands[] = {"sim", "rig", "tune"};
    for (int i = 0; i < WRI_COUNT(commands); i++) {
        expect_answer(RUN_PROGRAM(commands[i], film), 1, "is a recording, expected a ");
        expect_answer(RUN_PROGRAM(commands[i], out), 1, "; try: wrought render ");
    }
    expect_answer(RUN_PROGRAM("render", out, "-o", "b.%04d.png"), 2,
                  "numbers of pictures are written as #, expected such as \"b.####.png\"");
    expect_answer(RUN_PROGRAM("sim", scene, "-o", scene), 1, "is a file, expected a folder");
    expect_answer(
        RUN_PROGRAM("render", out, "--camera-from", "1,2,3", "--camera-to", "1,2,3", "-o", picture),
        1, "the camera is at the point that it looks at");
}

static void flat_models_are_not_dented(void **state)
{
    (void)state;
    char flat[600];
    put(flat, sizeof flat, "flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    expect_answer(RUN_PROGRAM("new", flat, "--dents"), 1, "flat.obj: the model is flat: ");
}

static void expect_scene_answer(const char *body, const char *sentence)
{
    char text[512];
    snprintf(text, sizeof text,
             "{ \"wrought\": 1, \"bodies\": [ { \"shape\": { \"sphere\": 1 }, %s } ] }\n", body);
    put(scene, sizeof scene, "words.scene.json", text);
    expect_answer(RUN_PROGRAM("info", scene), 1, sentence);
}

static void words_of_other_programs_name_ours(void **state)
{
    (void)state;
    expect_scene_answer("\"position\": [0, 1, 0]",
                        "unknown key \"position\"; did you mean \"at\"?");
    expect_scene_answer("\"rotation\": [0, 1, 0]",
                        "unknown key \"rotation\"; did you mean \"turn\"?");
    expect_scene_answer("\"bounce\": 1", "unknown key \"bounce\"; did you mean \"restitution\"?");
    static const char *const pairs[][2] = {{"weight", "mass"},      {"linear_velocity", "velocity"},
                                           {"static", "motion"},    {"type", "motion"},
                                           {"kinematic", "motion"}, {"roughness", "look"},
                                           {"metallic", "look"}};
    for (int i = 0; i < WRI_COUNT(pairs); i++) {
        char body[60], words[100];
        snprintf(body, sizeof body, "\"%s\": 1", pairs[i][0]);
        snprintf(words, sizeof words, "unknown key \"%s\"; did you mean \"%s\"?", pairs[i][0],
                 pairs[i][1]);
        expect_scene_answer(body, words);
    }
    expect_scene_answer("\"material\": \"chrome\"",
                        "unknown material \"chrome\"; did you mean \"look\": \"chrome\"?");
    expect_scene_answer("\"mass\": \"2 stone\"", "units are kg, g, t, lb");
    static const char *const parts[][3] = {
        {"\"bodies\": [], \"cameras\": [ { \"position\": [0, 1, 2] } ]", "position", "from"},
        {"\"bodies\": [], \"light\": { \"intensity\": 2 }", "intensity", "strength"},
        {"\"bodies\": [], \"light\": { \"hdri\": \"a.hdr\" }", "hdri", "environment"},
        {"\"bodies\": [ { \"shape\": { \"ball\": 1 } } ]", "ball", "sphere"},
        {"\"bodies\": [ { \"shape\": { \"cube\": 1 } } ]", "cube", "box"},
        {"\"bodies\": [ { \"shape\": \"ball\" } ]", "ball", "sphere"},
    };
    for (int i = 0; i < WRI_COUNT(parts); i++) {
        char text[200], words[100];
        snprintf(text, sizeof text, "{ \"wrought\": 1, %s }\n", parts[i][0]);
        put(scene, sizeof scene, "words.scene.json", text);
        snprintf(words, sizeof words, " \"%s\"; did you mean \"%s\"?", parts[i][1], parts[i][2]);
        expect_answer(RUN_PROGRAM("info", scene), 1, words);
    }
    expect_scene_answer("\"material\": \"tin\"",
                        "unknown material \"tin\"; did you mean { \"metal\": \"tin\" }?");
}

static void lengths_in_inches_are_read(void **state)
{
    (void)state;
    put(scene, sizeof scene, "inch.scene.json",
        "{ \"wrought\": 1, \"bodies\": [ { \"shape\": { \"sphere\": 1 }, \"at\": [\"15 inch\", "
        "\"2 feet\", \"-1.5 in\"], \"velocity\": [\"60 mph\", 0, 0], \"mass\": \"10 lb\" } ] }\n");
    wr_error error = {0};
    wr_scene *read = wr_scene_read(scene, NULL, &error);
    assert_non_null(read);
    assert_true(fabs(read->bodies[0].rigid.pose.position.x - 0.381) < 1e-6);
    assert_true(fabs(read->bodies[0].rigid.pose.position.y - 0.6096) < 1e-6);
    assert_true(fabs(read->bodies[0].rigid.pose.position.z + 0.0381) < 1e-6);
    assert_true(fabs(read->bodies[0].rigid.velocity.x - 26.8224) < 1e-4);
    assert_true(fabs(read->bodies[0].mass - 4.5359237) < 1e-6);
    wr_scene_destroy(read);
}

// An open model is no fault: everything takes it.
static void open_models_are_not_called_unsound(void **state)
{
    (void)state;
    char open[600];
    put(open, sizeof open, "open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    program_run run = RUN_PROGRAM("info", open);
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.printed, "sound"));
    assert_non_null(strstr(run.printed,
                           "  bounds a solid       no, which rig, sim and render do not "
                           "need\n"));
}

// --- names ------------------------------------------------------------------------------------

// Recipes name objects, nodes, parts and looks: who misspells one hears what there are.
static void names_of_a_model_are_told(void **state)
{
    (void)state;
    char path[600], text[600];
    put(path, sizeof path, "two.obj",
        "o Body\nv 0 0 0\nv 2 0 0\nv 0 0 2\nv 0 2 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n"
        "o Wheel\nv 5 0 0\nv 6 0 0\nv 5 0 1\nv 5 1 0\nf 5 6 7\nf 5 8 6\nf 6 8 7\nf 7 8 5\n");
    program_run run = RUN_PROGRAM("info", path);
    assert_non_null(strstr(run.printed, "  names of nodes       \"Body\", \"Wheel\"\n"));
    run = RUN_PROGRAM("info", path, "--json");
    assert_non_null(strstr(run.printed, "\"node_names\": [\n    \"Body\",\n    \"Wheel\"\n  ]"));
    assert_non_null(strstr(run.printed, "\"joint_names\": []"));
    static const struct {
        const char *line, *answer;
    } faults[] = {
        {"\"objects\": [\"Nosuch\"],", "has no object \"Nosuch\"; there are \"Body\", \"Wheel\""},
        {"\"objects\": [\"Whell\"],", "has no object \"Whell\"; did you mean \"Wheel\"?"},
        {"\"cuts\": [ { \"parts\": [\"Nosuch\"] } ],",
         "has no node, mesh or look \"Nosuch\"; there are \"Body\", \"Wheel\""},
        {"\"cuts\": [ { \"scatter\": 2 } ], \"inside\": \"Nosuch\",",
         "has no look \"Nosuch\"; there "},
        {"\"examples\": [ { \"name\": \"e\", \"move\": { \"rear tpo\": [0, 0, 1] } } ],",
         "there is no handle \"rear tpo\"; there are \"h0\", \"h1\", \"h2\" (or a place such as "},
    };
    for (int i = 0; i < WRI_COUNT(faults); i++) {
        snprintf(text, sizeof text,
                 "{ \"wrought\": 1, \"model\": \"two.obj\", %s\n"
                 "  \"simulation\": { \"vertices\": 80 }, \"handles\": { \"automatic\": 3 } }\n",
                 faults[i].line);
        put(path, sizeof path, "two.recipe.json", text);
        expect_answer(RUN_PROGRAM("rig", path), 1, faults[i].answer);
    }
}

static void words_for_views_and_benches_are_told(void **state)
{
    (void)state;
    expect_answer(RUN_PROGRAM("bench", "anything"), 2,
                  "unknown bench \"anything\"; there are \"clay\", \"export\", ");
    expect_answer(RUN_PROGRAM("render", model, "--view", "strenght"), 2,
                  "unknown view \"strenght\"; did you mean \"strength\"?");
    expect_answer(RUN_PROGRAM("render", model, "--view", "xyz"), 2,
                  "unknown view \"xyz\"; there are \"shaded\", \"wire\", ");
}

// --- warnings of rig --------------------------------------------------------------------------

// The wedge, `times` as large, with a sculpt a hundred times larger still; red: of its last vertex,
// 0.5 of the others.
static program_run rig_odd_wedge(double times, const char *unit, double red)
{
    char path[600], text[600];
    for (int i = 0; i < 2; i++, times *= 100.0) {
        snprintf(text, sizeof text,
                 "v %g %g %g 0.5 0 0\nv %g %g %g 0.5 0 0\nv %g %g %g 0.5 0 0\nv %g %g %g %g 0 0\n"
                 "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n",
                 1 * times, 2 * times, 3 * times, 3 * times, 2 * times, 3 * times, 1 * times,
                 2 * times, 6 * times, 1.5 * times, 6 * times, 3.5 * times, red);
        put(path, sizeof path, i == 0 ? "odd.obj" : "huge.obj", text);
    }
    snprintf(text, sizeof text,
             "{ \"wrought\": 1, \"model\": \"odd.obj\", \"material\": \"metal\", %s\n"
             "  \"simulation\": { \"vertices\": 60 }, \"handles\": { \"automatic\": 3 },\n"
             "  \"examples\": [ { \"name\": \"huge\", \"sculpt\": \"huge.obj\" } ],\n"
             "  \"paint\": { \"strength\": { \"vertex_color\": \"red\" } } }\n",
             unit);
    put(path, sizeof path, "odd.recipe.json", text);
    return RUN_PROGRAM("rig", path, "--fresh");
}

static void rig_hints_at_a_unit_a_paint_and_a_sculpt_that_are_odd(void **state)
{
    (void)state;
    program_run run = rig_odd_wedge(20.0, "", 1.0);
    expect_answer(run, 0,
                  "the model is 80 m tall: centimetres? add \"unit\": \"cm\" to the recipe");
    assert_non_null(strstr(run.printed, " times the model's size: is it in another unit"));
    run = rig_odd_wedge(20.0, "\"unit\": \"m\",", 1.0);
    assert_null(strstr(run.said, "centimetres?"));
    run = rig_odd_wedge(1.0, "", 0.5);
    expect_answer(run, 0,
                  "paint: \"strength\" is the same everywhere: is it painted in another channel?");
}

// What is built before is no less odd; the path is as it is named now.
static void warnings_outlive_the_cache(void **state)
{
    (void)state;
    assert_int_equal(rig_odd_wedge(20.0, "", 0.5).status, 0);
    char path[600], other[700];
    snprintf(path, sizeof path, "%s/odd.recipe.json", folder.path);
    snprintf(other, sizeof other, "%s/./odd.recipe.json", folder.path);
    program_run run = RUN_PROGRAM("rig", path);
    assert_non_null(strstr(run.printed, "built before (cached)"));
    expect_answer(run, 0, "is it painted in another channel?");
    snprintf(path, sizeof path, "%s/./odd.recipe.json: paint", folder.path);
    expect_answer(RUN_PROGRAM("rig", other), 0, path);
}

static void models_without_a_unit_are_hinted_at_in_every_command(void **state)
{
    (void)state;
    char path[600];
    put(path, sizeof path, "fox.obj",
        "v 0 0 0\nv 80 0 0\nv 0 0 60\nv 0 60 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    expect_answer(RUN_PROGRAM("new", path), 0,
                  "fox.obj: the model is 80 m long: centimetres? --unit cm says so");
    assert_null(strstr(RUN_PROGRAM("new", path, "--unit", "m", "--force").said, "centimetres?"));
    put(scene, sizeof scene, "fox.scene.json",
        "{ \"wrought\": 1, \"length\": 0.1, \"assets\": { \"fox\": \"fox.obj\" },\n"
        "  \"bodies\": [ { \"asset\": \"fox\" } ] }\n");
    assert_non_null(strstr(RUN_PROGRAM("info", scene).printed,
                           "the model is 80 m long: centimetres? { \"file\": "));
    put(scene, sizeof scene, "fox.scene.json",
        "{ \"wrought\": 1, \"length\": 0.1,\n"
        "  \"assets\": { \"fox\": { \"file\": \"fox.obj\", \"unit\": \"cm\" } },\n"
        "  \"bodies\": [ { \"asset\": \"fox\" } ] }\n");
    assert_null(strstr(RUN_PROGRAM("info", scene).printed, "centimetres?"));
}

static void moves_of_what_is_tiny_are_told_by_its_size(void **state)
{
    (void)state;
    char path[600];
    put(path, sizeof path, "grain.obj",
        "v 0 0 0\nv 5e-4 0 0\nv 0 5e-4 0\nv 0 0 5e-4\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    put(path, sizeof path, "grain.recipe.json",
        "{ \"wrought\": 1, \"model\": \"grain.obj\", \"simulation\": { \"vertices\": 60 },\n"
        "  \"handles\": { \"automatic\": 3 },\n"
        "  \"examples\": [ { \"name\": \"e\", \"move\": { \"h0\": [0, 5e-7, 0] } } ] }\n");
    assert_non_null(strstr(RUN_PROGRAM("rig", path).printed, "moves up to 0.1 % of its size"));
}

// The wedge with two morph targets, one of which is the example.
static program_run rig_morphs(const char *first, const char *second)
{
    char path[600];
    wr_error error = {0};
    wr_model *read = wr_model_read(model, NULL, &error);
    assert_non_null(read);
    wr_mesh *mesh = read->meshes;
    wr_vec3 up[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 1, 0}};
    wr_vec3 out[4] = {{0, 0, 0}, {0.5f, 0, 0.1f}, {0, 0, 0}, {0, 0, 0}};
    wr_morph morphs[2] = {{.name = first, .positions = up}, {.name = second, .positions = out}};
    assert_int_equal(mesh->vertex_count, 4);
    mesh->morphs = morphs;
    mesh->morph_count = 2;
    snprintf(path, sizeof path, "%s/face.glb", folder.path);
    assert_true(wr_model_write_glb(read, path, &error));
    wr_model_destroy(read);
    put(path, sizeof path, "face.recipe.json",
        "{ \"wrought\": 1, \"model\": \"face.glb\", \"simulation\": { \"vertices\": 60 },\n"
        "  \"handles\": { \"automatic\": 3 },\n"
        "  \"examples\": [ { \"name\": \"face\", \"morph\": \"smile\" } ] }\n");
    return RUN_PROGRAM("rig", path, "--fresh");
}

static void rig_warns_of_morph_targets_of_one_name(void **state)
{
    (void)state;
    expect_answer(rig_morphs("smile", "smile"), 0,
                  "two morph targets of one mesh are called \"smile\" and move together; rename "
                  "one");
    program_run run = rig_morphs("frown", "smile");
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.said, "move together"));
}

// --- the last words of sim --------------------------------------------------------------------

// The wedge as metal with a dent; a stone falls at x, which is 1.6 for its tip.
static program_run drop_at(double x)
{
    char text[600], out[700];
    snprintf(text, sizeof text,
             "{ \"wrought\": 1, \"length\": 2.5, \"assets\": { \"w\": \"dent.recipe.json\" },\n"
             "  \"bodies\": [ { \"name\": \"floor\", \"shape\": \"plane\" },\n"
             "  { \"name\": \"wedge\", \"asset\": \"w\", \"at\": [0, -2, 0], \"mass\": 100 },\n"
             "  { \"name\": \"stone\", \"shape\": { \"sphere\": 0.5 }, \"mass\": 300,\n"
             "    \"at\": [%g, 10, 3.9] } ] }\n",
             x);
    put(scene, sizeof scene, "drop.scene.json", text);
    snprintf(out, sizeof out, "%s/drop", folder.path);
    return RUN_PROGRAM("sim", scene, "-o", out, "--fresh");
}

static void sim_says_what_bent_and_what_hit_hardest(void **state)
{
    (void)state;
    program_run run = drop_at(1.6);
    assert_int_equal(run.status, 0);
    const char *bent =
        strstr(run.printed, "  bent         1 of 1 body of metal; farthest \"wedge\", by "
                            "up to ");
    assert_non_null(bent);
    const char *hit = strstr(run.printed, "  hit hardest  \"wedge\" by \"stone\" ");
    assert_non_null(hit); // though the floor pushes harder in that frame
    assert_non_null(strstr(hit, " s, an impulse of "));
    assert_non_null(strstr(hit, " N s; "));
    assert_null(strstr(run.printed, "e+")); // no exponents
    assert_null(strstr(run.printed, "e-0"));
}

// The same words and number as sim's.
static void info_says_who_hit_hardest(void **state)
{
    (void)state;
    char out[700];
    program_run sim = drop_at(1.6);
    snprintf(out, sizeof out, "%s/drop", folder.path);
    const char *hit = strstr(sim.printed, "an impulse of ");
    char words[64] = "";
    assert_true(hit && sscanf(hit, "%63[^;]", words) == 1);
    program_run info = RUN_PROGRAM("info", out);
    assert_non_null(strstr(info.printed, "the strongest \"wedge\" by \"stone\" at "));
    assert_non_null(strstr(info.printed, words));
    info = RUN_PROGRAM("info", out, "--json");
    assert_non_null(strstr(info.printed, "\"by\": \"stone\",\n      \"impulse\": "));
}

// The first number after some words in a text.
static double number_after(const char *text, const char *words)
{
    const char *at = text ? strstr(text, words) : NULL;
    if (!at) {
        fail_msg("no %s in %s", words, text ? text : "nothing");
    }
    return strtod(at + strlen(words), NULL);
}

static program_run print_statistics(void)
{
    char out[700];
    snprintf(out, sizeof out, "%s/drop", folder.path);
    return RUN_PROGRAM("sim", scene, "-o", out, "--json");
}

// What the words say of the same take, in metres, seconds and shares.
static void statistics_say_what_bent_and_what_hit_hardest(void **state)
{
    (void)state;
    program_run words = drop_at(1.6), json = print_statistics();
    assert_int_equal(json.status, 0);
    const char *metal = strstr(json.printed, "\"metal\": {");
    assert_true(number_after(metal, "\"bodies\": ") == 1.0);
    assert_non_null(strstr(metal, "\"body\": \"wedge\""));
    assert_non_null(strstr(metal, "\"by\": \"stone\""));
    double share = number_after(words.printed, ", by up to "), size = 0.0;
    const char *unit = strstr(words.printed, ", by up to ");
    sscanf(unit, ", by up to %*g %*[a-z], %lf", &size);
    CHECK_NEAR(number_after(metal, "\"share_of_size\": "), size / 100.0, 0.05 * size / 100.0);
    double metres = number_after(metal, "\"metres\": "), scale = metres / share;
    assert_true(fabs(scale - 1.0) < 0.01 || fabs(100.0 * scale - 1.0) < 0.01); // m or cm
    CHECK_NEAR(number_after(metal, "\"at_seconds\": "), number_after(words.printed, "\" at "),
               0.006);
    assert_true(number_after(metal, "\"metres_per_second_above_yield\": ") > 0.0);
    double hit = number_after(metal, "\"newton_seconds\": ");
    CHECK_NEAR(hit, number_after(words.printed, ", an impulse of "), 0.006 * hit);
    assert_true(number_after(metal, "\"dents\": ") == number_after(words.printed, " N s; "));
    assert_true(number_after(metal, "\"triangles\": ") == 4.0);
}

static void sim_says_when_nothing_bent(void **state)
{
    (void)state;
    program_run run = drop_at(9.0);
    assert_int_equal(run.status, 0);
    program_run json = print_statistics();
    assert_non_null(strstr(json.printed, "\"bent\": []"));
    assert_true(number_after(json.printed, "\"dents\": ") == 0.0);
    assert_null(strstr(json.printed, "\"hardest\""));
    assert_non_null(strstr(run.printed, "  bent         nothing: no hit was above a yield; "));
    assert_non_null(strstr(run.printed, "\"wrought tune "));
}

// --- wrought new scene ------------------------------------------------------------------------

// It stands on the floor in the middle, in a quarter to two thirds of the picture's height, and
// every ball flies towards it from where the camera is.
static void a_starter_scene_stands_on_the_floor_and_is_hit(void **state)
{
    (void)state;
    program_run run = RUN_PROGRAM("new", "scene", dented);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.printed, "Next: wrought sim "));
    wr_error error = {0};
    wr_scene *read = wr_scene_read(starter, NULL, &error);
    if (!read) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(read->warning_count, 0);
    assert_int_equal(read->body_count, 5);
    const wr_scene_body *hero = &read->bodies[1];
    assert_string_equal(hero->material->name, "metal");
    assert_true(fabs(hero->rigid.pose.position.x + 2.0) < 1e-3);
    assert_true(fabs(hero->rigid.pose.position.y + 2.0) < 1e-3);
    assert_true(fabs(hero->rigid.pose.position.z + 4.5) < 1e-3);
    const wr_camera *camera = &read->stage.cameras[0];
    for (int i = 2; i < 5; i++) {
        const wr_scene_body *ball = &read->bodies[i];
        wr_vec3 from = ball->rigid.pose.position, v = ball->rigid.velocity;
        float time = -wr_dot(from, v) / wr_dot(v, v);
        wr_vec3 nearest = wr_add_scaled(from, time, v);
        assert_true(time > 0.5f && wr_length(nearest) < 4.5f);
        assert_true(wr_dot(v, wr_sub(camera->to, camera->from)) > 0.0f);
        assert_true(ball->mass < hero->mass);
    }
    float top = 1.0f, bottom = 0.0f;
    static const wr_vec3 corners[] = {
        {-1.0f, 0.0f, -1.5f}, {1.0f, 0.0f, -1.5f}, {-1.0f, 0.0f, 1.5f}, {-0.5f, 4.0f, -1.0f}};
    for (int i = 0; i < 4; i++) {
        wr_vec2 pixel;
        float depth;
        assert_true(wr_camera_project(camera, 16, 9, corners[i], &pixel, &depth));
        top = fminf(top, pixel.y / 9.0f);
        bottom = fmaxf(bottom, pixel.y / 9.0f);
    }
    assert_true(bottom - top > 0.25f && bottom - top < 0.67f && top > 0.0f && bottom < 1.0f);
    wr_scene_destroy(read);
    expect_answer(RUN_PROGRAM("new", "scene", dented), 1,
                  "exists and stays as it is; --force replaces it");
    assert_int_equal(RUN_PROGRAM("new", "scene", dented, "--force").status, 0);
}

enum { WIDE = 21, DEEP = 11, SLAB = WIDE * WIDE * DEEP, SIDE = WIDE - 1, END = DEEP - 1 };

// Two triangles for each square between points that lie `right` and `up` apart.
static int add_squares(int *triangles, int first, int right, int columns, int up, int rows)
{
    int count = 0;
    for (int i = 0; i < columns * rows; i++) {
        int a = first + i % columns * right + i / columns * up, b = a + right, c = a + up;
        const int two[] = {a, b, b + up, a, b + up, c};
        memcpy(triangles + 3 * count, two, sizeof two);
        count += 2;
    }
    return count;
}

// A slab of points, 2 m wide and high and 1 m deep, with triangles in its front and on its right.
// One example is deepest at a place of its back, one at a place of its front, one on its right.
static void what_is_aimed_at_is_seen_and_bends_farthest(void **state)
{
    (void)state;
    static wr_vec3 points[SLAB], shapes[3 * SLAB];
    static int triangles[6 * SIDE * (SIDE + END)];
    const wr_vec3 places[] = {{0.4f, 1.6f, 0.0f}, {1.2f, 0.7f, 1.0f}, {2.0f, 1.3f, 0.5f}};
    const wr_vec3 ways[] = {{-1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, -1.0f}, {0.0f, -1.0f, 0.0f}};
    wr_box bounds = WR_BOX_EMPTY;
    for (int i = 0; i < SLAB; i++) {
        wr_vec3 p = wr_v3(0.1f * (float)(i % WIDE), 0.1f * (float)(i / WIDE % WIDE),
                          0.1f * (float)(i / (WIDE * WIDE)));
        bounds = wr_box_add(bounds, p);
        points[i] = p;
        for (int e = 0; e < 3; e++) {
            float depth = e == 0 ? 0.5f : 0.3f;
            depth *= fmaxf(1.0f - 2.0f * wr_distance(p, places[e]), 0.0f);
            shapes[e * SLAB + i] = wr_add_scaled(p, depth, ways[e == 2 ? 0 : 1]);
        }
    }
    int count = add_squares(triangles, END * WIDE * WIDE, 1, SIDE, WIDE, SIDE);
    count +=
        add_squares(triangles + 3 * count, END * WIDE * WIDE + SIDE, -WIDE * WIDE, END, WIDE, SIDE);
    const wr_scene_start start = {.bounds = bounds,
                                  .points = points,
                                  .point_count = SLAB,
                                  .shapes = shapes,
                                  .shape_count = 3,
                                  .triangles = triangles,
                                  .triangle_count = count};
    const wr_vec3 view = wr_v3(-0.48f, -0.6f, -0.64f);
    wri_aim aims[2];
    wr_error error = {0};
    assert_true(wri_find_aims(&start, view, 0.5f, ways, 3, aims, 2, &error));
    for (int i = 0; i < 2; i++) {
        assert_true(aims[i].example == 1 || aims[i].example == 2);
        assert_true(wr_distance(aims[i].at, places[aims[i].example]) < 0.15f);
        assert_int_equal(aims[i].way, aims[i].example == 2 ? 0 : 1);
    }
    assert_int_not_equal(aims[0].way, aims[1].way);
    wr_scene_start rigid = start; // without examples it is the middle
    rigid.shape_count = 0;
    assert_true(wri_find_aims(&rigid, view, 0.5f, ways + 2, 1, aims, 1, &error));
    assert_true(wr_distance(aims[0].at, wr_v3(1.0f, 2.0f, 0.5f)) < 0.15f);
}

// What is clear hides its dents, so that they reach farther.
static void dents_of_glass_reach_farther(void **state)
{
    (void)state;
    static const wr_vec3 points[] = {{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    static const char *const reaches[] = {"\"reach\": 0.5,", "\"reach\": 0.75,", "\"reach\": 1,"};
    for (int i = 0; i < 3; i++) {
        const wr_scene_start start = {.name = "vase",
                                      .file = "vase.recipe.json",
                                      .material = "\"metal\"",
                                      .bounds = {points[0], points[1]},
                                      .point_count = 2,
                                      .points = points,
                                      .shape_count = 1,
                                      .shapes = points,
                                      .clearness = 0.5f * (float)i};
        wr_error error = {0};
        size_t size;
        char *text = wr_scene_write_new(&start, &size, &error);
        assert_non_null(text);
        assert_non_null(strstr(text, reaches[i]));
        wr_text_destroy(text, size);
    }
}

static bool touches(wr_record_reader *reader, int a, int b)
{
    wr_error error = {0};
    bool any = false;
    for (int i = 0; i < wr_record_frame_count(reader); i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, &error);
        for (int k = 0; k < frame->contact_count; k++) {
            const wr_record_contact *c = &frame->contacts[k];
            any = any || (c->body_a == a && c->body_b == b) || (c->body_a == b && c->body_b == a);
        }
    }
    return any;
}

// As small as a grain and as large as a mountain.
static void starter_scenes_of_any_size_are_read(void **state)
{
    (void)state;
    static const char *const scales[] = {"e-3", "e3"};
    for (int i = 0; i < 2; i++) {
        char text[300], big[600];
        snprintf(text, sizeof text,
                 "v 1%1$s 2%1$s 3%1$s\nv 3%1$s 2%1$s 3%1$s\nv 1%1$s 2%1$s 6%1$s\n"
                 "v 15%1$s 60%1$s 35%1$s\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n",
                 scales[i]);
        put(big, sizeof big, "sized.obj", text);
        assert_int_equal(RUN_PROGRAM("new", "scene", big, "--force").status, 0);
        snprintf(big, sizeof big, "%s/sized.scene.json", folder.path);
        assert_int_equal(RUN_PROGRAM("info", big).status, 0);
    }
}

// What sim would refuse is not written.
static void sizes_that_no_scene_holds_are_refused(void **state)
{
    (void)state;
    static const char *const scales[] = {"1e-7", "1e7"};
    for (int i = 0; i < 2; i++) {
        char text[300], path[600];
        snprintf(
            text, sizeof text,
            "v 0 0 0\nv %1$s 0 0\nv 0 %1$s 0\nv 0 0 %1$s\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
            scales[i]);
        put(path, sizeof path, "limit.obj", text);
        expect_answer(RUN_PROGRAM("new", "scene", path), 1, "m in size, expected 0.2 mm to 200 km");
        snprintf(path, sizeof path, "%s/limit.scene.json", folder.path);
        assert_false(wri_file_exists(path));
    }
}

static void metal_without_examples_starts_rigid(void **state)
{
    (void)state;
    char stiff[600];
    snprintf(stiff, sizeof stiff, "%s/wedge.scene.json", folder.path);
    program_run run = RUN_PROGRAM("new", "scene", recipe);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.said, "has no examples, so its metal stays rigid"));
    wr_error error = {0};
    wr_scene *read = wr_scene_read(stiff, NULL, &error);
    assert_non_null(read);
    assert_null(read->bodies[1].material);
    wr_scene_destroy(read);
}

// All balls hit.
// Not even --force destroys what the scene or recipe is made of.
static void new_never_writes_over_its_input(void **state)
{
    (void)state;
    char path[600], layer[600];
    put(path, sizeof path, "kept.obj", wedge);
    put(layer, sizeof layer, "kept.scene.json", "{}");
    static const char says[] = "kept.obj: is the input, which stays as it is";
    expect_answer(RUN_PROGRAM("new", path, "-o", path, "--force"), 2, says);
    expect_answer(RUN_PROGRAM("new", "scene", path, "-o", path, "--force"), 2, says);
    expect_answer(RUN_PROGRAM("new", model, "-o", path, "--force"), 2,
                  "kept.obj: unknown kind of file, expected .recipe.json");
    expect_answer(RUN_PROGRAM("new", "scene", model, "-o", path, "--force"), 2,
                  "kept.obj: unknown kind of file, expected .scene.json");
    size_t size;
    char *text = wri_file_read(path, 1 << 20, NULL, &size, NULL);
    assert_string_equal(text, wedge);
    wri_free(NULL, text, size + 1, 1);
}

static void commands_that_are_printed_can_be_pasted(void **state)
{
    (void)state;
    char path[600], words[700];
    put(path, sizeof path, "my truck's.obj", wedge);
    program_run run = RUN_PROGRAM("new", path);
    snprintf(words, sizeof words, "wrought rig '%s/my truck'\\''s.recipe.json', then", folder.path);
    assert_non_null(strstr(run.printed, words));
    snprintf(words, sizeof words, "try: wrought new '%s/my truck'\\''s.obj'", folder.path);
    expect_answer(RUN_PROGRAM("rig", path), 1, words);
    run = RUN_PROGRAM("new", "scene", path);
    snprintf(words, sizeof words, "wrought sim '%s/my truck'\\''s.scene.json' &&", folder.path);
    assert_non_null(strstr(run.printed, words));
}

static void a_starter_scene_runs(void **state)
{
    (void)state;
    char out[600];
    snprintf(out, sizeof out, "%s/out", folder.path);
    assert_int_equal(RUN_PROGRAM("new", "scene", dented, "--force").status, 0);
    assert_int_equal(RUN_PROGRAM("sim", starter, "-o", out, "-q").status, 0);
    char path[700];
    snprintf(path, sizeof path, "%s/recording.wrought", out);
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(path, &error);
    assert_non_null(reader);
    assert_true(touches(reader, 1, 2) && touches(reader, 1, 3) && touches(reader, 1, 4));
    wr_record_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_another_kind_name_the_command_for_them),
        cmocka_unit_test(scenes_and_recipes_in_the_place_of_models_are_called_so),
        cmocka_unit_test(recordings_in_the_place_of_texts_are_called_so),
        cmocka_unit_test(flat_models_are_not_dented),
        cmocka_unit_test(words_of_other_programs_name_ours),
        cmocka_unit_test(lengths_in_inches_are_read),
        cmocka_unit_test(open_models_are_not_called_unsound),
        cmocka_unit_test(names_of_a_model_are_told),
        cmocka_unit_test(words_for_views_and_benches_are_told),
        cmocka_unit_test(rig_hints_at_a_unit_a_paint_and_a_sculpt_that_are_odd),
        cmocka_unit_test(warnings_outlive_the_cache),
        cmocka_unit_test(models_without_a_unit_are_hinted_at_in_every_command),
        cmocka_unit_test(moves_of_what_is_tiny_are_told_by_its_size),
        cmocka_unit_test(rig_warns_of_morph_targets_of_one_name),
        cmocka_unit_test(sim_says_what_bent_and_what_hit_hardest),
        cmocka_unit_test(info_says_who_hit_hardest),
        cmocka_unit_test(statistics_say_what_bent_and_what_hit_hardest),
        cmocka_unit_test(sim_says_when_nothing_bent),
        cmocka_unit_test(a_starter_scene_stands_on_the_floor_and_is_hit),
        cmocka_unit_test(what_is_aimed_at_is_seen_and_bends_farthest),
        cmocka_unit_test(dents_of_glass_reach_farther),
        cmocka_unit_test(starter_scenes_of_any_size_are_read),
        cmocka_unit_test(sizes_that_no_scene_holds_are_refused),
        cmocka_unit_test(metal_without_examples_starts_rigid),
        cmocka_unit_test(new_never_writes_over_its_input),
        cmocka_unit_test(commands_that_are_printed_can_be_pasted),
        cmocka_unit_test(a_starter_scene_runs),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
