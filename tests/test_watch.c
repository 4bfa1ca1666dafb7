// test_watch.c: --watch of rig and sim redoes what an edit reaches, outlives mistakes and ends with
// Ctrl-C. What was drawn before stays until what takes its place is whole.
#include "program.h"

#include "wrought/wrought.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static temporary_folder folder;
static pid_t running; // 0: none

static const char *at(const char *name)
{
    static char paths[6][600];
    static int next;
    char *path = paths[next++ % 6];
    snprintf(path, sizeof paths[0], "%s/%s", folder.path, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    assert_true(wri_file_write(at(name), text, strlen(text), NULL));
}

// --- a child that goes on ---------------------------------------------------------------------

static pid_t start(const char *const *arguments)
{
    const char *words[16] = {getenv("WROUGHT_PROGRAM")};
    if (!words[0]) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    for (int i = 0; arguments[i]; i++) {
        words[i + 1] = arguments[i];
    }
    fflush(NULL);
    wri_file_remove(at("said"));
    pid_t child = fork();
    if (child == 0) {
        int said = open(at("said"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
        if (said >= 0 && dup2(said, 1) == 1 && dup2(said, 2) == 2) {
            execv(words[0], (char *const *)(uintptr_t)words);
        }
        _exit(127);
    }
    assert_true(child > 0);
    return running = child;
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
}

// How often the child has said something so far.
static int count_said(const char *what)
{
    size_t size;
    int count = 0;
    char *text = wri_file_read(at("said"), 1 << 20, NULL, &size, NULL);
    for (const char *p = text; p && (p = strstr(p, what)); p++) {
        count++;
    }
    if (text) {
        wri_free(NULL, text, size + 1, 1);
    }
    return count;
}

static void wait_for(const char *what, int times)
{
    for (int i = 0; i < 3000 && count_said(what) < times; i++) { // a minute
        nap();
    }
    if (count_said(what) < times) {
        size_t size;
        char *text = wri_file_read(at("said"), 1 << 20, NULL, &size, NULL);
        fail_msg("not said %d times: %s, but:\n%s", times, what, text ? text : "");
    }
}

static void end(pid_t child)
{
    int status;
    running = 0;
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

// Ticks of processor time that the child has used.
static long count_ticks(pid_t child)
{
    char path[64];
    long ticks = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)child);
    FILE *file = fopen(path, "r");
    if (file) {
        (void)!fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld", &ticks);
        fclose(file);
    }
    return ticks;
}

// Waits until the child has computed for a while since it had used so many ticks.
static void wait_for_work(pid_t child, long since)
{
    long enough = since + sysconf(_SC_CLK_TCK) / 2;
    for (int i = 0; i < 3000 && count_ticks(child) < enough; i++) {
        nap();
    }
    assert_true(count_ticks(child) >= enough);
}

// --- fixtures ---------------------------------------------------------------------------------

// An oblique tetrahedron.
static void write_model(double height)
{
    char text[400];
    snprintf(text, sizeof text,
             "v 0 0 0\nv 1 0.1 0\nv 0.2 %.3f 0.1\nv 0.3 0.2 0.9\n"
             "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n",
             height);
    write_text("stone.obj", text);
}

static void write_recipe(const char *move)
{
    char text[500];
    snprintf(text, sizeof text,
             "{\"wrought\": 1, \"model\": \"stone.obj\", \"simulation\": {\"vertices\": 60},\n"
             "\"handles\": {\"automatic\": 3}, \"material\": \"metal\", \"examples\": [\n"
             "{\"name\": \"bent\", \"move\": {\"h0\": %s}}]}\n",
             move);
    write_text("stone.recipe.json", text);
}

static void write_scene(const char *height, const char *more)
{
    char text[500];
    snprintf(text, sizeof text,
             "{\"wrought\": 1, \"length\": 0.2, \"assets\": {\"stone\": \"stone.recipe.json\"},\n"
             "\"bodies\": [{\"name\": \"stone\", \"asset\": \"stone\", \"at\": [0, %s, 0]}]%s}\n",
             height, more);
    write_text("stone.scene.json", text);
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    setenv("XDG_CACHE_HOME", folder.path, 1);
    write_model(0.9);
    write_recipe("[0.1, 0, 0]");
    write_scene("1", "");
    return 0;
}

// A test that failed has left its child running.
static int stop_child(void **state)
{
    (void)state;
    if (running > 0) {
        kill(running, SIGKILL);
        waitpid(running, NULL, 0);
        running = 0;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// --- tests ------------------------------------------------------------------------------------

static void rig_builds_again_what_was_edited_and_outlives_mistakes(void **state)
{
    (void)state;
    pid_t child =
        start((const char *const[]){"rig", at("stone.recipe.json"), "-o", at("stone.asset.glb"),
                                    "--watch", "--picture", at("sheet.png"), NULL});
    wait_for("watching 2 files", 1);
    assert_int_equal(count_said("done:"), 1);
    assert_true(wri_file_size(at("sheet.png")) > 1000);
    write_recipe("[0.2, 0, 0]");
    wait_for("watching 2 files", 2);
    assert_int_equal(count_said("done:"), 2);
    assert_int_equal(count_said("found before"), 1); // weights
    write_recipe("[0.2, 0");                         // in the middle of it
    wait_for("watching 1 file;", 1);
    assert_int_equal(count_said("wrought: "), 1);
    assert_int_equal(count_said("stone.recipe.json:3:"), 1);
    assert_int_equal(count_said("done:"), 2);
    write_recipe("[0.3, 0, 0]");
    wait_for("watching 2 files", 3);
    write_model(1.1); // what the recipe names
    wait_for("watching 2 files", 4);
    assert_int_equal(count_said("done:"), 4);
    end(child);
}

static void sim_records_again_and_keeps_one_recording(void **state)
{
    (void)state;
    write_recipe("[0.1, 0, 0]");
    pid_t child = start((const char *const[]){"sim", at("stone.scene.json"), "-o", at("out"),
                                              "--watch", "--picture", at("middle.png"), NULL});
    wait_for("watching 3 files", 1);
    assert_int_equal(count_said("done:"), 1);
    assert_true(wri_file_size(at("middle.png")) > 1000);
    write_scene("1.5", "");
    wait_for("watching 3 files", 2);
    assert_int_equal(count_said("done:"), 2);
    write_recipe("[0.2, 0, 0]"); // what the scene names
    wait_for("watching 3 files", 3);
    assert_int_equal(count_said("done:"), 3);
    write_scene("1.5", ", \"bodes\": []");
    wait_for("watching 3 files", 4);
    assert_int_equal(count_said("did you mean"), 1);
    end(child);
    assert_false(wri_file_exists(at("out/recording.old.wrought")));
}

// Only what watching itself recorded is replaced.
static void what_was_there_before_is_put_aside(void **state)
{
    (void)state;
    write_scene("2", "");
    assert_int_equal(RUN_PROGRAM("sim", at("stone.scene.json"), "-o", at("own")).status, 0);
    pid_t child = start(
        (const char *const[]){"sim", at("stone.scene.json"), "-o", at("own"), "--watch", NULL});
    wait_for("watching 3 files", 1);
    assert_false(wri_file_exists(at("own/recording.old.wrought")));
    write_scene("2.5", "");
    wait_for("watching 3 files", 2);
    assert_true(wri_file_exists(at("own/recording.old.wrought")));
    write_scene("3", "");
    wait_for("watching 3 files", 3);
    assert_false(wri_file_exists(at("own/recording.old.2.wrought")));
    end(child);
}

// A change ends the simulation that it makes worthless.
static void a_simulation_ends_when_its_scene_is_edited(void **state)
{
    (void)state;
    write_text("stone.scene.json",
               "{\"wrought\": 1, \"length\": 3000, \"assets\": {\"stone\": "
               "\"stone.recipe.json\"},\n\"bodies\": [{\"name\": \"stone\", \"asset\": \"stone\", "
               "\"at\": [0, 1, 0], \"spin\": [3, 0, 1]}], \"gravity\": [0, 0, 0]}\n");
    pid_t child = start(
        (const char *const[]){"sim", at("stone.scene.json"), "-o", at("long"), "--watch", NULL});
    for (int i = 0; i < 3000 && wri_file_size(at("long/recording.wrought")) < 1000; i++) {
        nap();
    }
    assert_int_equal(count_said("watching"), 0);
    write_scene("1", "");
    wait_for("watching 3 files", 1);
    assert_int_equal(count_said("done: 12 frames"), 1);
    end(child);
}

// --- pictures that are overtaken ----------------------------------------------------------------

static int count_files(const char *path)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_array names = wri_array_create(NULL, sizeof(const char *));
    assert_true(wri_folder_list(path, &arena, &names, NULL));
    int count = names.count;
    wri_array_destroy(&names);
    wri_arena_destroy(&arena);
    return count;
}

// A film of 500 pictures, which takes seconds.
static void write_long_scene(void)
{
    write_text("stone.scene.json",
               "{\"wrought\": 1, \"length\": 16.7, \"assets\": {\"stone\": "
               "\"stone.recipe.json\"},\n\"bodies\": [{\"name\": \"stone\", \"asset\": \"stone\", "
               "\"at\": [0, 1, 0]}]}\n");
}

static uint64_t hash_file(const char *path)
{
    size_t size;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
    assert_non_null(bytes);
    uint64_t hash = wri_hash(bytes, size, 0);
    wri_free(NULL, bytes, size + 1, 1);
    return hash;
}

// first: a file of it, whose name is `picture` unless its pictures are numbered.
static void check_overtaken_film(const char *picture, const char *first)
{
    char path[600], film[640], said[640];
    snprintf(path, sizeof path, "%s", at("film"));
    assert_true(wri_folder_create(path, NULL));
    snprintf(film, sizeof film, "%s/%s", path, first);
    snprintf(said, sizeof said, "%s: ", at(picture));
    write_scene("1", "");
    pid_t child =
        start((const char *const[]){"sim", at("stone.scene.json"), "-o", at("overtaken"), "--fresh",
                                    "--watch", "--picture", at(picture), NULL});
    wait_for("watching 3 files", 1);
    if (count_said("ffmpeg")) {
        print_message("there is no ffmpeg\n");
        skip();
    }
    int files = count_files(path);
    uint64_t before = hash_file(film);
    assert_int_equal(count_said(said), 1);
    write_long_scene();
    for (int i = 0; i < 3000 && count_files(path) == files; i++) {
        nap();
    }
    assert_true(count_files(path) > files); // it is being written
    write_scene("1", ", \"bodes\": []");
    wait_for("watching 3 files", 2);
    assert_int_equal(count_said("edited again: starting over"), 1);
    assert_int_equal(count_said("done:"), 2); // so it was simulated
    assert_int_equal(count_said("interrupted"), 0);
    assert_int_equal(count_said(said), 1);
    assert_int_equal(count_files(path), files);
    assert_true(hash_file(film) == before);
    write_long_scene();
    for (int i = 0; i < 3000 && count_files(path) == files; i++) {
        nap();
    }
    end(child); // by Ctrl-C
    assert_int_equal(count_said("interrupted; nothing was written"), 1);
    assert_int_equal(count_files(path), files);
    assert_true(hash_file(film) == before);
}

static void an_overtaken_film_leaves_the_one_before(void **state)
{
    (void)state;
    write_recipe("[0.1, 0, 0]");
    check_overtaken_film("film/quick.gif", "quick.gif");
}

static void overtaken_numbered_pictures_leave_those_before(void **state)
{
    (void)state;
    write_recipe("[0.1, 0, 0]");
    check_overtaken_film("film/p.##.png", "p.00.png");
}

// A build goes on to its end, but what it made is not drawn any more.
static void an_overtaken_sheet_leaves_the_one_before(void **state)
{
    (void)state;
    write_recipe("[0.1, 0, 0]");
    pid_t child = start((const char *const[]){"rig", at("stone.recipe.json"), "-o", at("stone.glb"),
                                              "--watch", "--picture", at("late.png"), NULL});
    wait_for("watching 2 files", 1);
    uint64_t before = hash_file(at("late.png"));
    long ticks = count_ticks(child);
    write_text("stone.recipe.json",
               "{\"wrought\": 1, \"model\": \"stone.obj\", \"simulation\": {\"vertices\": 8000},\n"
               "\"handles\": {\"automatic\": 9}, \"material\": \"metal\", \"examples\": [\n"
               "{\"name\": \"bent\", \"move\": {\"h0\": [0.2, 0, 0]}}]}\n");
    wait_for_work(child, ticks);
    assert_int_equal(count_said("done:"), 1);
    write_recipe("[0.2, 0"); // in the middle of it
    wait_for("watching 1 file;", 1);
    assert_int_equal(count_said("done:"), 2);
    assert_int_equal(count_said("edited again: starting over"), 1);
    assert_int_equal(count_said("late.png: "), 1);
    assert_true(hash_file(at("late.png")) == before);
    end(child);
}

static void write_picture(uint8_t red)
{
    const uint8_t pixel[3] = {red, 30, 60};
    assert_true(wr_png_write(at("stone paint.png"), pixel, 1, 1, 3, NULL));
}

static void materials_of_an_obj_are_watched(void **state)
{
    (void)state;
    write_text("painted.obj", "mtllib stone.mtl\nv 0 0 0\nv 1 0.1 0\nv 0.2 0.9 0.1\nv 0.3 0.2 0.9\n"
                              "vt 0 0\nusemtl a\nf 1/1 3/1 2/1\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    write_text("stone.mtl", "newmtl a\nKd 1 0 0\n");
    write_text("painted.recipe.json",
               "{\"wrought\": 1, \"model\": \"painted.obj\", \"simulation\": "
               "{\"vertices\": 60}, \"handles\": {\"automatic\": 3}}\n");
    pid_t child = start((const char *const[]){"rig", at("painted.recipe.json"), "--watch", NULL});
    wait_for("watching 3 files", 1);
    write_text("stone.mtl", "newmtl a\nKd 0 1 0\nmap_Kd -s 1 1 1 stone paint.png\n");
    wait_for("watching 3 files", 2);
    write_picture(200);
    wait_for("watching 4 files", 1);
    write_picture(10);
    wait_for("watching 4 files", 2);
    assert_int_equal(count_said("done:"), 4);
    assert_int_equal(count_said("cached"), 0); // each was another asset
    end(child);
}

// Whether it watches or not: nobody waits for the end of a long build.
static void an_interrupted_build_ends_at_once_and_leaves_the_asset(void **state)
{
    (void)state;
    write_text("slow.recipe.json", "{\"wrought\": 1, \"model\": \"stone.obj\", \"simulation\": "
                                   "{\"vertices\": 1000000}, \"handles\": {\"automatic\": 9}}\n");
    for (int i = 0; i < 2; i++) {
        write_recipe("[0.1, 0, 0]");
        program_run run = RUN_PROGRAM("rig", at("stone.recipe.json"), "-o", at("slow.asset.glb"));
        assert_int_equal(run.status, 0);
        int64_t size = wri_file_size(at("slow.asset.glb"));
        pid_t child =
            start((const char *const[]){"rig", at("slow.recipe.json"), i ? "--watch" : "-q", NULL});
        wait_for_work(child, 0);
        double begin = wri_seconds();
        int status;
        kill(child, SIGINT);
        assert_int_equal(waitpid(child, &status, 0), child);
        running = 0;
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 130);
        assert_true(wri_seconds() - begin < 2.0);
        assert_int_equal(wri_file_size(at("slow.asset.glb")), size);
        assert_true(wr_asset_is_one(at("slow.asset.glb")));
    }
}

static void pictures_of_other_kinds_are_refused_before_the_work(void **state)
{
    (void)state;
    program_run run =
        RUN_PROGRAM("rig", at("stone.recipe.json"), "-o", at("no.glb"), "--picture", "film.mp4");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.said, "expected a .png"));
    run = RUN_PROGRAM("sim", at("stone.scene.json"), "-o", at("no"), "--picture", "film.avi");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.said, "expected .png, .####.png, .exr, .####.exr, "));
    assert_false(wri_file_exists(at("no.glb")));
    assert_false(wri_file_exists(at("no")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rig_builds_again_what_was_edited_and_outlives_mistakes,
                                  stop_child),
        cmocka_unit_test_teardown(sim_records_again_and_keeps_one_recording, stop_child),
        cmocka_unit_test_teardown(what_was_there_before_is_put_aside, stop_child),
        cmocka_unit_test_teardown(a_simulation_ends_when_its_scene_is_edited, stop_child),
        cmocka_unit_test_teardown(an_overtaken_film_leaves_the_one_before, stop_child),
        cmocka_unit_test_teardown(overtaken_numbered_pictures_leave_those_before, stop_child),
        cmocka_unit_test_teardown(an_overtaken_sheet_leaves_the_one_before, stop_child),
        cmocka_unit_test_teardown(materials_of_an_obj_are_watched, stop_child),
        cmocka_unit_test_teardown(an_interrupted_build_ends_at_once_and_leaves_the_asset,
                                  stop_child),
        cmocka_unit_test_teardown(pictures_of_other_kinds_are_refused_before_the_work, stop_child),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
