// test_status.c: the exit status of every command: 0 done, 1 bad input, 2 bad usage, 3 something
// failed on the way, here a full disk. What 130 stands for is in the tests of those commands.
#include "program.h"

static temporary_folder folder;

static void put_text(const char *name, const char *text)
{
    wr_error error = {0};
    if (!wri_file_write(name, text, strlen(text), &error)) {
        fail_msg("%s", error.message);
    }
}

// Splits words at spaces; before them, how the program is started: plainly or by a shell.
static program_run run_words(const char *const *starter, const char *words)
{
    static char text[512];
    const char *arguments[24] = {0};
    int count = 0;
    for (; starter[count]; count++) {
        arguments[count] = starter[count];
    }
    snprintf(text, sizeof text, "%s", words);
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word && count < 23;
         word = strtok_r(NULL, " ", &rest)) {
        arguments[count++] = word;
    }
    const wri_run_limits limits = {100.0, 0, 1 << 20};
    wri_run_result result = {0};
    wr_error error = {0};
    if (!wri_run(arguments, &limits, NULL, &result, &error)) {
        fail_msg("%s", error.message);
    }
    program_run run = {.status = result.end == WRI_RUN_EXITED ? result.code : -1};
    snprintf(run.said, sizeof run.said, "%s", result.line);
    wri_array_destroy(&result.output);
    return run;
}

static void expect(const char *const *starter, const char *words, int status, const char *sentence)
{
    program_run run = run_words(starter, words);
    if (run.status != status || !strstr(run.said, sentence)) {
        fail_msg("wrought %s: status %d, expected %d with \"%s\"; it said: %s", words, run.status,
                 status, sentence, run.said);
    }
}

// Of a PNG, which says it in its first chunk.
static void check_size(const char *name, int width, int height)
{
    size_t size = 0;
    uint8_t *bytes = (uint8_t *)wri_file_read(name, 1 << 20, NULL, &size, NULL);
    assert_true(bytes && size > 24);
    assert_int_equal(bytes[18] << 8 | bytes[19], width);
    assert_int_equal(bytes[22] << 8 | bytes[23], height);
    wri_free(NULL, bytes, size + 1, 1);
}

static const char *program(void)
{
    const char *path = getenv("WROUGHT_PROGRAM");
    if (!path) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    return path;
}

// --- promises ---------------------------------------------------------------------------------

#define SMALL " --size 32x18 --samples 1"

static void what_is_done_is_0(void **state)
{
    (void)state;
    const char *const plain[] = {program(), NULL};
    static const char *const words[] = {
        "--help",
        "--version",
        "help",
        "new --help",
        "rig --help",
        "sim --help",
        "render --help",
        "export --help",
        "tune --help",
        "clean --help",
        "info --help",
        "bench --help",
        "demo --help",
        "new box.obj", // into box.recipe.json
        "rig box.recipe.json",
        "rig box.recipe.json -o box.glb",
        "sim ok.scene.json -o run",
        "sim ok.scene.json -o run", // nothing is left to do
        "render run --frame 1 -o run.png" SMALL,
        "render box.obj -o model.png" SMALL,
        "render box.glb -o asset.png" SMALL,
        "render box.glb --sheet --size 60x44 -o sheet.png",
        "export run -o run.glb",
        "export box.obj -o model.usda",
        "export run -o pictures/", // a folder that is not there yet
        "clean box.obj -o clean.glb",
        "info box.obj",
        "info box.glb",
        "info box.recipe.json",
        "info ok.scene.json",
        "info run --json",
    };
    for (int i = 0; i < WRI_COUNT(words); i++) {
        expect(plain, words[i], 0, "");
    }
    assert_true(wri_file_exists("pictures/take.0000.obj"));
    assert_true(wri_file_exists("box.asset.glb"));
    static const char *const pictures[] = {"run.png", "model.png", "asset.png"};
    for (int i = 0; i < WRI_COUNT(pictures); i++) {
        check_size(pictures[i], 32, 18);
    }
    check_size("sheet.png", 60 + 12, 2 * 44 + 110); // two cells, above each other
}

static void bad_input_is_1(void **state)
{
    (void)state;
    const char *const plain[] = {program(), NULL};
    static const char *const commands[] = {"new %s -o x.recipe.json",
                                           "rig %s -o x.glb",
                                           "sim %s -o x",
                                           "render %s -o x.png",
                                           "export %s -o x.glb",
                                           "tune %s -o x.scene.json",
                                           "clean %s -o x.glb",
                                           "info %s"};
    static const char *const missing[] = {"gone.obj", "gone.json", "gone.json", "gone",
                                          "gone",     "gone.json", "gone.obj",  "gone.obj"};
    static const char *const broken[] = {"bad.obj", "bad.json", "bad.json", "bad.wrought",
                                         "bad.obj", "bad.json", "bad.obj",  "bad.wrought"};
    for (int i = 0; i < WRI_COUNT(commands); i++) {
        char words[120];
        snprintf(words, sizeof words, commands[i], missing[i]);
        expect(plain, words, 1, "wrought: gone");
        snprintf(words, sizeof words, commands[i], broken[i]);
        expect(plain, words, 1, "wrought: bad");
    }
    expect(plain, "new box.obj -o made.recipe.json", 0, "");
    expect(plain, "new box.obj -o made.recipe.json", 1, "exists and stays as it is");
}

static void bad_usage_is_2(void **state)
{
    (void)state;
    const char *const plain[] = {program(), NULL};
    static const char *const commands[] = {"new",  "rig",   "sim",  "render", "export",
                                           "tune", "clean", "info", "bench",  "demo"};
    expect(plain, "", 2, "");
    expect(plain, "simm", 2, "did you mean \"sim\"?");
    expect(plain, "new box.obj -o box.obj --force", 2, "is the input, which stays as it is");
    for (int i = 0; i < WRI_COUNT(commands); i++) {
        char words[120];
        snprintf(words, sizeof words, "%s --no-such-option", commands[i]);
        expect(plain, words, 2, commands[i]);
        if (i < 8) { // these need an argument
            expect(plain, commands[i], 2, commands[i]);
        }
    }
    expect(plain, "clean box.obj -o clean.xyz", 2, "unknown kind of file");
    expect(plain, "rig box.recipe.json -o rig.obj", 2, "unknown kind of file");
    expect(plain, "export run -o run.xyz", 2, "run.xyz");
    expect(plain, "render run -o run.xyz", 2, "run.xyz");
    expect(plain, "sim ok.scene.json --threads many", 2, "sim");
    expect(plain, "sim ok.scene.json --threads 1.5", 2, "sim");
    expect(plain, "render run -o x.png --size 32x9999999", 2, "render");
    expect(plain, "render run -o x.png --size 9999999x32", 2, "render");
    expect(plain, "render run -o x.png --size 32", 2, "render");
}

static void a_full_disk_is_3(void **state)
{
    (void)state;
    const char *const limited[] = {"sh", "-c", "ulimit -f 0; exec \"$0\" \"$@\"", program(), NULL};
    static const char *const words[] = {
        "new box.obj -o full.recipe.json", "rig box.recipe.json -o full.glb",
        "sim ok.scene.json -o full",       "render run --frame 1 -o full.png" SMALL,
        "render box.obj -o full.png",      "render box.glb -o full.png" SMALL,
        "export run -o full.glb",          "export run -o full.usda",
        "export run -o full.pc2",          "export run -o full.mdd",
        "export box.obj -o full.usda",     "clean box.obj -o full.glb",
    };
    for (int i = 0; i < WRI_COUNT(words); i++) {
        expect(limited, words[i], 3, "File too large");
    }
    static const char *const left[] = {"full.recipe.json", "full.glb", "full.png",
                                       "full.usda",        "full.pc2", "full.mdd"};
    for (int i = 0; i < WRI_COUNT(left); i++) {
        assert_false(wri_file_exists(left[i]) || has_part(left[i]));
    }
}

static void a_body_that_had_to_be_frozen_is_3(void **state)
{
    (void)state;
    const char *const plain[] = {program(), NULL};
    put_text("far.scene.json",
             "{\"wrought\": 1, \"length\": 2, \"gravity\": [0, -10000, 0], \"bodies\": "
             "[{\"shape\": {\"sphere\": 0.001}, \"velocity\": [1e6, -1e6, 0]}]}");
    expect(plain, "sim far.scene.json -o far", 3, "1 body was frozen");
    expect(plain, "info far", 0, ""); // the recording is whole
}

static void what_cannot_be_printed_is_3(void **state)
{
    (void)state;
    const char *const full[] = {"sh", "-c", "exec \"$0\" \"$@\" >/dev/full", program(), NULL};
    if (!wri_file_exists("/dev/full")) {
        print_message("there is no /dev/full\n");
        skip();
    }
    static const char *const words[] = {"--help",       "--version",       "help",
                                        "info box.obj", "info run --json", "sim --help"};
    for (int i = 0; i < WRI_COUNT(words); i++) {
        expect(full, words[i], 3, "standard output: cannot write what should be printed");
    }
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    if (chdir(folder.path) != 0) {
        return -1;
    }
    put_text("box.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                        "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n");
    put_text("ok.scene.json", "{\"wrought\": 1, \"length\": 0.1, \"bodies\": [{\"shape\": "
                              "{\"sphere\": 0.1}, \"at\": [0, 1, 0]}]}");
    put_text("bad.obj", "v 0 0 0\nf 1 2 3\n");
    put_text("bad.json", "{ \"wrought\": ");
    put_text("bad.wrought", "this is no recording");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// --- what is said -----------------------------------------------------------------------------

static double number_in(const char *json, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(json, quoted);
    assert_non_null(at);
    return atof(at + strlen(quoted));
}

#define FALL(height)                                                                               \
    "{\"wrought\": 1, \"name\": \"fall\", \"length\": 3, \"bodies\": [{\"shape\": "                \
    "{\"box\": [20, 20, 20]}, \"at\": [0, " height ", 0]}]}"

// Of a recording that broke off after two of its three seconds the last second is made again, and
// is all that the speed is said of.
static void a_resumed_run_goes_on_where_it_was_saved(void **state)
{
    (void)state;
    put_text("fall.scene.json", FALL("0"));
    program_run whole = RUN_PROGRAM("sim", "fall.scene.json", "-o", "fall");
    assert_int_equal(whole.status, 0);
    assert_non_null(strstr(whole.printed, "180 frames"));
    assert_non_null(strstr(whole.printed, "1 body, 0 asleep")); // it falls all the time
    size_t size = 0;
    char *bytes = wri_file_read("fall/recording.wrought", 1 << 24, NULL, &size, NULL);
    assert_non_null(bytes);
    assert_true(wri_file_write("fall/recording.wrought", bytes, size * 7 / 10, NULL));
    wri_free(NULL, bytes, size + 1, 1);
    program_run rest = RUN_PROGRAM("sim", "fall.scene.json", "-o", "fall", "--json");
    assert_int_equal(rest.status, 0);
    double first = number_in(rest.printed, "first_frame");
    assert_true(first == 60.0 || first == 120.0);
    double film = number_in(rest.printed, "times_real_time") * number_in(rest.printed, "seconds");
    CHECK_NEAR(film, (180.0 - first) / 60.0, 0.01);
}

// Why a recording is put aside: its scene has changed, or it is of another one.
static void what_is_put_aside_is_said_with_its_reason(void **state)
{
    (void)state;
    const char *const plain[] = {program(), NULL};
    put_text("fall.scene.json", FALL("0"));
    expect(plain, "sim fall.scene.json -o aside", 0, "");
    put_text("fall.scene.json", FALL("1"));
    expect(plain, "sim fall.scene.json -o aside", 0, "the scene has changed since");
    expect(plain, "sim ok.scene.json -o aside", 0, "aside holds another scene");
}

// Without a frame the one in the middle is shown.
static void a_picture_is_of_the_middle(void **state)
{
    (void)state;
    const char *const plain[] = {program(), NULL};
    put_text("fall.scene.json", FALL("0"));
    expect(plain, "sim fall.scene.json -o middle", 0, "");
    expect(plain, "render middle -o a.png" SMALL, 0, "");
    expect(plain, "render middle --frame 90 -o b.png" SMALL, 0, "");
    size_t sizes[2];
    char *a = wri_file_read("a.png", 1 << 20, NULL, &sizes[0], NULL);
    char *b = wri_file_read("b.png", 1 << 20, NULL, &sizes[1], NULL);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(a, b, sizes[0]);
    wri_free(NULL, a, sizes[0] + 1, 1);
    wri_free(NULL, b, sizes[1] + 1, 1);
}

// Long files end in kB from a thousand bytes on; the name makes up what is missing.
static void a_thousand_bytes_are_a_kilobyte(void **state)
{
    (void)state;
    int64_t sizes[2];
    for (int i = 0, length = 10; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text, "o %0*d\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", length, 7);
        put_text("long.obj", text);
        program_run run = RUN_PROGRAM("export", "long.obj", "-o", "sized.obj");
        assert_int_equal(run.status, 0);
        sizes[i] = wri_file_size("sized.obj");
        assert_non_null(strstr(run.printed, i ? "1.0 kB" : " bytes"));
        length += (int)(1010 - sizes[0]);
    }
    assert_true(sizes[0] < 1000 && sizes[1] >= 1000 && sizes[1] < 1024);
}

// Whatever else is wrong, it is said before long work that there is nowhere to put its result.
static void a_folder_that_is_not_there_is_said_first(void **state)
{
    (void)state;
    const char *const plain[] = {program(), NULL};
    expect(plain, "export gone -o nowhere/x.glb", 1, "nowhere");
    expect(plain, "export gone.obj -o nowhere/x.glb", 1, "nowhere");
    expect(plain, "clean gone.obj -o nowhere/x.glb", 1, "nowhere");
    expect(plain, "tune gone.json -o nowhere/x.json", 1, "nowhere");
}

// Films of odd sizes lose a row and a column, since colour is stored at half size.
static void films_have_even_sizes(void **state)
{
    (void)state;
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) {
        print_message("ffmpeg is not installed\n");
        skip();
    }
    program_run run = RUN_PROGRAM("render", "run", "-o", "odd.mp4", "--size", "35x21", "--samples",
                                  "1", "--to", "0.05");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.printed, "34x20"));
    run = RUN_PROGRAM("render", "run", "-o", "odd.png", "--size", "35x21", "--samples", "1");
    assert_int_equal(run.status, 0);
    check_size("odd.png", 35, 21);
}

// Of an export that is interrupted it is said what is there.
static void an_interrupted_sequence_says_what_is_there(void **state)
{
    (void)state;
    const char *const stopped[] = {"sh", "-c",
                                   "\"$0\" \"$@\" >said.txt & while [ ! -e stopped/take.0001.obj "
                                   "]; do :; done; kill -TERM $!; "
                                   "wait $!",
                                   program(), NULL};
    put_text("fall.scene.json", FALL("0"));
    assert_int_equal(RUN_PROGRAM("sim", "fall.scene.json", "-o", "long").status, 0);
    expect(stopped, "export long -o stopped/", 130, "interrupted; the first ");
    size_t size = 0;
    char *text = wri_file_read("said.txt", 1 << 20, NULL, &size, NULL);
    assert_non_null(text);
    int files = 0;
    char name[64];
    do {
        snprintf(name, sizeof name, "stopped/take.%04d.obj", files);
    } while (wri_file_exists(name) && ++files);
    snprintf(name, sizeof name, ": %d files, 1 body", files);
    assert_true(files >= 2 && files < 180);
    assert_non_null(strstr(text, name));
    wri_free(NULL, text, size + 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_done_is_0), // and makes what the others use
        cmocka_unit_test(bad_input_is_1),
        cmocka_unit_test(bad_usage_is_2),
        cmocka_unit_test(a_full_disk_is_3),
        cmocka_unit_test(what_cannot_be_printed_is_3),
        cmocka_unit_test(a_body_that_had_to_be_frozen_is_3),
        cmocka_unit_test(a_resumed_run_goes_on_where_it_was_saved),
        cmocka_unit_test(what_is_put_aside_is_said_with_its_reason),
        cmocka_unit_test(a_picture_is_of_the_middle),
        cmocka_unit_test(a_thousand_bytes_are_a_kilobyte),
        cmocka_unit_test(a_folder_that_is_not_there_is_said_first),
        cmocka_unit_test(films_have_even_sizes),
        cmocka_unit_test(an_interrupted_sequence_says_what_is_there),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
