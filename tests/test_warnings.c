// test_warnings.c: what a model is without, although its file names it, is said once.
#define _GNU_SOURCE
#include "program.h"

#include "../src/base/os.h"
#include "../src/file/foreign.h"

#include <fcntl.h>
#include <sys/wait.h>

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static temporary_folder folder;

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    return chdir(folder.path);
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

static void put_text(const char *name, const char *text)
{
    wr_error error = {0};
    if (!wri_file_write(name, text, strlen(text), &error)) {
        fail_msg("%s", error.message);
    }
}

static void put_picture(const char *name)
{
    static const uint8_t red[3] = {255, 0, 0};
    assert_true(wr_png_write(name, red, 1, 1, 3, NULL));
}

static wr_model *read_file(const char *name)
{
    wr_error error = {0};
    wr_model *model = wr_model_read(name, NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

static void expect_these(const wr_model *model, const char *const *warnings)
{
    int count = 0;
    for (; warnings[count]; count++) {
        if (count >= model->warning_count) {
            fail_msg("missing: %s", warnings[count]);
        }
        assert_string_equal(model->warnings[count], warnings[count]);
    }
    if (model->warning_count > count) {
        fail_msg("too much: %s", model->warnings[count]);
    }
}

#define EXPECT(model, ...) expect_these(model, (const char *const[]){__VA_ARGS__, NULL})

// --- OBJ --------------------------------------------------------------------------------------

static void sound_models_have_no_warnings(void **state)
{
    (void)state;
    put_picture("p.png");
    put_text("m.mtl", "newmtl a\nmap_Kd p.png\nmap_Bump b.png\n");
    put_text("m.obj", "mtllib m.mtl\n" TRIANGLE "usemtl (none)\nf 1 2 3\nusemtl a\nf 1 2 3\n");
    wr_model *model = read_file("m.obj");
    expect_these(model, (const char *const[]){NULL});
    wr_model_destroy(model);
}

static void missing_libraries_and_materials_are_named(void **state)
{
    (void)state;
    put_text("m.mtl", "newmtl a\n");
    put_text("one.obj", TRIANGLE "mtllib my paint.mtl\nusemtl x\nf 1 2 3\n");
    wr_model *model = read_file("one.obj");
    EXPECT(model, "one.obj:4: the material library \"my paint.mtl\" is not there");
    wr_model_destroy(model);
    put_text("two.obj", "mtllib no.mtl m.mtl gone one.mtl\n" TRIANGLE
                        "usemtl x\nf 1 2 3\nusemtl a\nf 1 2 3\nusemtl x\nf 1 2 3\n");
    model = read_file("two.obj");
    EXPECT(model, "two.obj:1: the material library \"no.mtl\" is not there",
           "two.obj:1: the material library \"gone one.mtl\" is not there",
           "two.obj:5: usemtl: there is no material \"x\"");
    wr_model_destroy(model);
}

static void textures_that_cannot_be_shown_are_named(void **state)
{
    (void)state;
    mkdir("sub", 0777);
    put_picture("p.png");
    put_text("t.tga", "no picture that we know");
    put_text("sub/m.mtl", "newmtl a\nmap_Kd gone.png\nnewmtl b\nmap_Kd ../t.tga\n"
                          "newmtl c\nmap_Kd C:\\paint\\p.png\nnewmtl d\nmap_Kd /etc/hostname\n"
                          "newmtl e\nmap_Kd https://example.org/p.png\n"
                          "newmtl f\nmap_Kd ..\\p.png\n");
    put_text("sub/m.obj", "mtllib m.mtl\n" TRIANGLE "f 1 2 3\nl 1 2\nl 2 3\n");
    wr_model *model = read_file("sub/m.obj");
    EXPECT(
        model, "sub/m.mtl:2: the texture \"sub/gone.png\" is not there",
        "sub/../t.tga: is neither PNG nor JPEG; the plain colour stands in its place",
        "sub/m.mtl:6: the texture \"C:\\paint\\p.png\" is passed over, expected a path from here",
        "sub/m.mtl:8: the texture \"/etc/hostname\" is passed over, expected a path from here",
        "sub/m.mtl:10: the texture \"https://example.org/p.png\" is passed over, expected a path "
        "from here",
        "sub/m.obj:6: l: lines, points, curves are passed over");
    assert_int_equal(model->image_count, 1); // the one above, over ..
    assert_int_equal(model->looks[5].texture, 0);
    wr_model_destroy(model);
}

static void warnings_are_few_and_clean(void **state)
{
    (void)state;
    wri_array text = wri_array_create(NULL, 1);
    for (int i = 0; i < 300; i++) {
        char line[64];
        int length = snprintf(line, sizeof line, "mtllib %d\x1b\xff.mtl\n", i);
        memcpy(wri_array_add(&text, length), line, (size_t)length);
    }
    static const char face[] = TRIANGLE "f 1 2 3\n";
    memcpy(wri_array_add(&text, sizeof face), face, sizeof face);
    put_text("many.obj", text.items);
    wri_array_destroy(&text);
    wr_model *model = read_file("many.obj");
    assert_int_equal(model->warning_count, 100);
    assert_string_equal(model->warnings[1],
                        "many.obj:2: the material library \"1??.mtl\" is not there");
    wr_model_destroy(model);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    put_text("f.obj", "mtllib no.mtl\n" TRIANGLE "f 1 2 3\n");
    for (int budget = 0;; budget++) {
        assert_true(budget < 1000);
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_model *model =
            wr_model_read("f.obj", &(wr_read_options){.allocator = &allocator}, &error);
        bool ok = model != NULL;
        wr_model_destroy(model);
        assert_int_equal(heap.alive, 0);
        assert_int_equal(error.code, ok ? WR_OK : WR_E_MEMORY);
        if (ok) {
            break;
        }
    }
}

// --- others -----------------------------------------------------------------------------------

#define GLTF(more)                                                                                 \
    "{\"asset\":{\"version\":\"2.0\"},\n" more ",\"buffers\":[{\"uri\":\"data:;base64,"            \
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\",\"byteLength\":36}],"                      \
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"         \
    "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]}"
#define MESH "{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"material\":0}]}"

static void glTF_says_what_it_passes_over(void **state)
{
    (void)state;
    put_text("p.webp", "RIFFxxxxWEBP");
    put_text(
        "m.gltf",
        GLTF("\"extensionsUsed\":[\"KHR_materials_ior\",\"ACME_glow\"],\n"
             "\"images\":[{\"uri\":\"p.webp\"}],\"textures\":[{\"source\":0},{}],\"materials\":[\n"
             "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}},\n"
             "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":1}}}],\n"
             "\"meshes\":[" MESH
             ",{\"primitives\":[\n{\"mode\":0,\"attributes\":{\"POSITION\":0}}]}],"
             "\"nodes\":[{\"mesh\":0,\n\"matrix\":[1,0,0,0,1,1,0,0,0,0,1,0,0,0,0,1]},\n"
             "{\"mesh\":1,\"matrix\":[0,2,0,0,-3,0,0,0,0,0,4,0,5,6,7,1]}]"));
    wr_model *model = read_file("m.gltf");
    EXPECT(model, "m.gltf:2:39: the extension ACME_glow is passed over",
           "m.gltf:3:11: image 0 is neither PNG nor JPEG; the plain colour stands in its place",
           "m.gltf:5:45: texture 1 is in a format that only an extension knows; the plain colour "
           "stands in its place",
           "m.gltf:7:52: the node's matrix shears; the nearest without shear is taken",
           "m.gltf:7:1: points and lines are passed over");
    wr_model_destroy(model);
}

// A picture in another format costs the picture, not the model.
static void a_format_of_textures_that_is_required_is_a_warning(void **state)
{
    (void)state;
    put_text("m.gltf", GLTF("\"extensionsUsed\":[\"KHR_texture_basisu\"],\"extensionsRequired\":["
                            "\"KHR_texture_basisu\"],\n"
                            "\"images\":[{\"uri\":\"p.ktx2\"}],\"textures\":[{\"extensions\":{"
                            "\"KHR_texture_basisu\":{\"source\":0}}}],\"materials\":[\n"
                            "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}],\n"
                            "\"meshes\":[" MESH "],\"nodes\":[{\"mesh\":0}]"));
    wr_model *model = read_file("m.gltf");
    EXPECT(model,
           "m.gltf:2:19: textures in the format of KHR_texture_basisu cannot be read; the plain "
           "colour stands in their place",
           "m.gltf:4:45: texture 0 is in a format that only an extension knows; the plain colour "
           "stands in its place");
    assert_int_equal(model->looks[0].texture, -1);
    wr_model_destroy(model);
}

static void put_linked_model(const char *uri)
{
    char text[6000];
    snprintf(text, sizeof text,
             GLTF("\"images\":[{\"uri\":\"%s\"}],\"textures\":[{\"source\":0}],\"materials\":[\n"
                  "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}],"
                  "\"meshes\":[" MESH "],\"nodes\":[{\"mesh\":0}]"),
             uri);
    put_text("sub/m.gltf", text);
}

static void expect_refusal(const wr_read_options *options, const char *sentence)
{
    wr_error error = {0};
    assert_null(wr_model_read("sub/m.gltf", options, &error));
    assert_int_equal(error.code, WR_E_UNSUPPORTED);
    assert_string_equal(error.message, sentence);
}

static void expect_picture(const wr_read_options *options)
{
    wr_error error = {0};
    wr_model *model = wr_model_read("sub/m.gltf", options, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(model->image_count, 1);
    assert_int_equal(model->warning_count, 0);
    wr_model_destroy(model);
}

// However a file spells that it wants something from elsewhere.
static void links_out_of_the_folder_are_followed_only_when_told(void **state)
{
    (void)state;
    const wr_read_options follow = {.follow_links = true};
    char uris[7][700] = {"../p.png", "..%2Fp.png", "%2e%2E/p.png", "x/../../p.png",
                         "..\\u002fp.png"};
    char sentence[1000];
    mkdir("sub", 0777);
    mkdir("sub/x", 0777);
    put_picture("p.png");
    snprintf(uris[5], sizeof uris[5], "%s/p.png", folder.path);
    snprintf(uris[6], sizeof uris[6], "%%2F%s/p.png", folder.path + 1);
    for (int i = 0; i < WRI_COUNT(uris); i++) {
        put_linked_model(uris[i]);
        const char *shown = i == 4 ? "../p.png" : uris[i];
        snprintf(sentence, sizeof sentence,
                 "sub/m.gltf:2:18: \"%.100s\" leads out of the model's folder, which needs "
                 "--follow-links",
                 shown);
        expect_refusal(NULL, sentence);
        expect_refusal(&(wr_read_options){.unit = "cm"}, sentence);
        expect_picture(&follow);
    }
}

static void other_places_are_never_read_from(void **state)
{
    (void)state;
    static const char *const uris[] = {"file:///etc/hostname", "https://a/b.png", "C:%5Cp.png"};
    const wr_read_options follow = {.follow_links = true};
    char sentence[200];
    mkdir("sub", 0777);
    for (int i = 0; i < WRI_COUNT(uris); i++) {
        put_linked_model(uris[i]);
        snprintf(sentence, sizeof sentence, "sub/m.gltf:2:18: \"%s\" is not a neighbouring file",
                 uris[i]);
        expect_refusal(NULL, sentence);
        expect_refusal(&follow, sentence);
    }
}

static void names_that_begin_with_dots_stay_in_the_folder(void **state)
{
    (void)state;
    static const char *const uris[] = {"..p.png", "./p..png", "x/...png", ".../p.png"};
    mkdir("sub", 0777);
    mkdir("sub/x", 0777);
    mkdir("sub/...", 0777);
    for (int i = 0; i < WRI_COUNT(uris); i++) {
        char path[64];
        snprintf(path, sizeof path, "sub/%s", uris[i]);
        put_picture(path);
        put_linked_model(uris[i]);
        expect_picture(NULL);
    }
}

static void textures_that_are_not_there_are_a_warning(void **state)
{
    (void)state;
    static const char *const uris[] = {"gone.png", "gone/p.png", "folder.png"};
    mkdir("sub", 0777);
    mkdir("sub/folder.png", 0777);
    for (int i = 0; i < WRI_COUNT(uris); i++) {
        char sentence[200];
        put_linked_model(uris[i]);
        wr_model *model = read_file("sub/m.gltf");
        snprintf(sentence, sizeof sentence,
                 "sub/m.gltf:2:11: the texture \"%s\" is not there; the plain colour stands in its "
                 "place",
                 uris[i]);
        EXPECT(model, sentence);
        assert_int_equal(model->image_count, 0);
        assert_int_equal(model->looks[0].texture, -1);
        wr_model_destroy(model);
    }
}

// Commands that read models say why they do not follow a link, and do when told.
static void every_command_that_reads_models_follows_links_when_told(void **state)
{
    (void)state;
    static const char scene[] =
        "{ \"wrought\": 1, \"length\": 0.1, \"assets\": { \"m\": \"sub/m.gltf\" }, "
        "\"bodies\": [ { \"name\": \"a\", \"shape\": \"mesh\", \"asset\": \"m\", "
        "\"motion\": \"static\" } ] }";
    static const char *const commands[][6] = {
        {"info", "sub/m.gltf"},
        {"render", "sub/m.gltf", "-o", "m.png", "--size=32x32"},
        {"export", "sub/m.gltf", "-o", "m.glb"},
        {"clean", "sub/m.gltf", "-o", "clean.glb"},
        {"new", "sub/m.gltf", "-o", "m.recipe.json"},
        {"info", "m.scene.json"},
        {"sim", "m.scene.json"},
        {"tune", "m.scene.json"},
        {"rig", "m.recipe.json"},
    };
    mkdir("sub", 0777);
    put_picture("p.png");
    put_linked_model("../p.png");
    put_text("m.scene.json", scene);
    for (int i = 0; i < WRI_COUNT(commands); i++) {
        const char *words[8] = {0};
        int count = 0;
        for (; count < 6 && commands[i][count]; count++) {
            words[count] = commands[i][count];
        }
        program_run run = run_program(words);
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.said, "which needs --follow-links"));
        words[count] = "--follow-links";
        run = run_program(words);
        if (strstr(run.said, "--follow-links")) {
            fail_msg("%s: %s", words[0], run.said);
        }
        bool can_fail = i >= 7; // nothing here is of metal, and a single triangle has no inside
        if (run.status != 0 && !can_fail) {
            fail_msg("%s: status %d, said: %s", words[0], run.status, run.said);
        }
    }
}

static void off_says_when_colors_are_too_many(void **state)
{
    (void)state;
    char text[8000] = "OFF\n3 300 0\n0 0 0\n1 0 0\n0 1 0\n";
    for (int i = 0; i < 300; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "3 0 1 2 %d %d 9\n", i / 2, i % 2);
    }
    put_text("m.off", text);
    wr_model *model = read_file("m.off");
    EXPECT(model, "m.off:262: more than 256 colours of faces; this and others are left out");
    wr_model_destroy(model);
}

static void what_the_importer_misses_comes_through(void **state)
{
    (void)state;
    put_text("t.mtl", "newmtl a\nmap_Kd gone.png\n");
    put_text("t.obj", "mtllib t.mtl\n" TRIANGLE "usemtl a\nf 1 2 3\n");
    wri_foreign_options options = wri_foreign_options_default(100);
    wr_error error = {0};
    wr_model *model = wri_foreign_import("t.obj", &options, NULL, &error);
    if (!model && strstr(error.message, "not installed")) {
        print_message("skipped: %s\n", error.message);
        skip();
    }
    if (!model) {
        fail_msg("%s", error.message);
    }
    EXPECT(model, "t.obj: the texture \"gone.png\" is not there");
    wr_model_destroy(model);
}

// --- pictures ---------------------------------------------------------------------------------

static void pictures_are_counted_before_they_are_decoded(void **state)
{
    (void)state;
    uint8_t pixels[300] = {0};
    assert_true(wr_png_write("ten.png", pixels, 10, 10, 3, NULL));
    size_t size;
    char *bytes = wri_file_read("ten.png", 1 << 20, NULL, &size, NULL);
    assert_non_null(bytes);
    counting_heap heap = {.budget = 1000};
    wr_allocator allocator = counting_allocator(&heap);
    wri_arena arena = wri_arena_create(&allocator);
    wr_image image;
    wr_error error = {0};
    int64_t left = 199;
    assert_true(wri_image_decode(&arena, bytes, size, "ten", &left, &image, &error));
    assert_int_equal(left, 99);
    int calls = heap.calls;
    assert_false(wri_image_decode(&arena, bytes, size, "ten", &left, &image, &error));
    assert_int_equal(heap.calls, calls);
    assert_int_equal(error.code, WR_E_UNSUPPORTED);
    assert_string_equal(error.message, "ten: the images have more than 536870912 pixels");
    wri_arena_destroy(&arena);
    wri_free(NULL, bytes, size + 1, 1);
}

// --- the program ------------------------------------------------------------------------------

#define LOST "the material library \"lost.mtl\" is not there"

static char output[20000], errors[4000];

static void capture(const char *name, char *out, size_t room)
{
    size_t size = 0;
    char *text = wri_file_read(name, 1 << 24, NULL, &size, NULL);
    snprintf(out, room, "%s", text ? text : "");
    wri_free(NULL, text, size + 1, 1);
}

static void run(const char *const *words)
{
    const char *program = getenv("WROUGHT_PROGRAM");
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        dup2(open("stdout.txt", O_CREAT | O_TRUNC | O_WRONLY, 0666), 1);
        dup2(open("stderr.txt", O_CREAT | O_TRUNC | O_WRONLY, 0666), 2);
        execv(program, (char *const *)words);
        _exit(127);
    }
    waitpid(child, &status, 0);
    capture("stdout.txt", output, sizeof output);
    capture("stderr.txt", errors, sizeof errors);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_msg("%s: %s", words[1], errors);
    }
}

#define RUN(...) run((const char *const[]){"wrought", __VA_ARGS__, NULL})

static void the_program_warns_once(void **state)
{
    (void)state;
    if (!getenv("WROUGHT_PROGRAM")) {
        print_message("skipped: WROUGHT_PROGRAM is not set\n");
        skip();
    }
    put_text("c.obj", "mtllib lost.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                      "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    put_text("c.json", "{ \"wrought\": 1, \"length\": 0.1, \"assets\": { \"c\": \"c.obj\" },\n"
                       "  \"bodies\": [ { \"asset\": \"c\" } ] }\n");
    static const char line[] = "warning: c.obj:1: " LOST "\n";
    RUN("export", "c.obj", "-o", "c.glb");
    assert_string_equal(errors, line);
    RUN("clean", "c.obj", "-o", "clean.glb", "--json");
    assert_string_equal(errors, line);
    RUN("render", "c.obj", "-o", "c.png", "--size", "16x16", "-q");
    assert_string_equal(errors, line);
    RUN("sim", "c.json", "-o", "out", "-q");
    assert_string_equal(errors, line);
    RUN("info", "c.obj");
    assert_non_null(strstr(output, "  warning              c.obj:1: " LOST "\n"));
    assert_string_equal(errors, "");
    RUN("info", "c.json");
    assert_non_null(strstr(output, "  warning              c.obj:1: " LOST "\n"));
    RUN("info", "c.obj", "--json");
    assert_non_null(
        strstr(output, "\"c.obj:1: the material library \\\"lost.mtl\\\" is not there\""));
    assert_string_equal(errors, "");
    RUN("info", "c.glb", "--json");
    assert_non_null(strstr(output, "\"warnings\": []"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_models_have_no_warnings),
        cmocka_unit_test(missing_libraries_and_materials_are_named),
        cmocka_unit_test(textures_that_cannot_be_shown_are_named),
        cmocka_unit_test(warnings_are_few_and_clean),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(glTF_says_what_it_passes_over),
        cmocka_unit_test(a_format_of_textures_that_is_required_is_a_warning),
        cmocka_unit_test(links_out_of_the_folder_are_followed_only_when_told),
        cmocka_unit_test(other_places_are_never_read_from),
        cmocka_unit_test(names_that_begin_with_dots_stay_in_the_folder),
        cmocka_unit_test(textures_that_are_not_there_are_a_warning),
        cmocka_unit_test(every_command_that_reads_models_follows_links_when_told),
        cmocka_unit_test(off_says_when_colors_are_too_many),
        cmocka_unit_test(what_the_importer_misses_comes_through),
        cmocka_unit_test(pictures_are_counted_before_they_are_decoded),
        cmocka_unit_test(the_program_warns_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
