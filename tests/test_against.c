// test_against.c: two programs by turns: what they cost beyond their start, and recordings that
// both can read.
#include "check.h"

#include "../bench/against.h"
#include "../src/base/os.h"

#include <stdlib.h>
#include <sys/stat.h>

static bench_folder folder;
static bench_rows rows;

static int set_up(void **state)
{
    (void)state;
    return bench_folder_create(&folder, NULL) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    bench_folder_destroy(&folder);
    return 0;
}

// A program in words of the shell. At most four paths at a time.
static const char *write_program(const char *name, const char *words)
{
    static char paths[4][600];
    static int next;
    char *path = paths[next++ % 4], text[900];
    snprintf(path, sizeof paths[0], "%s/%s", folder.path, name);
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", words);
    assert_true(wri_file_write(path, text, strlen(text), NULL));
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

static double value_of(const char *measure)
{
    for (int i = 0; i < rows.count; i++) {
        if (strcmp(rows.rows[i].measure, measure) == 0) {
            return rows.rows[i].value;
        }
    }
    fail_msg("there is no row \"%s\"", measure);
    return 0.0;
}

// Starting takes one program 0.05 s and the other 0.4; an item takes 20 and 60 ms. Sleeping costs
// no processor time, so that others who use the machine hardly matter.
static void what_starting_takes_is_not_counted(void **state)
{
    (void)state;
    rows = (bench_rows){0};
    char file[600];
    snprintf(file, sizeof file, "%s/written", folder.path);
    const char *const few[] = {"x", "2", file, NULL}, *const many[] = {"x", "12", file, NULL};
    const bench_options options = {
        .against = write_program("slow", "sleep 0.4; for i in $(seq $2); do sleep 0.06; done\n"
                                         "head -c 3000000 /dev/zero >$3")};
    const bench_turns turns = {
        .name = "naps",
        .item = "nap",
        .few = few,
        .many = many,
        .items = 10,
        .file = file,
        .program = write_program("fast", "sleep 0.05; for i in $(seq $2); do sleep 0.02; done\n"
                                         "head -c 1000000 /dev/zero >$3")};
    wr_error error = {0};
    if (!bench_take_turns(&options, &turns, &rows, &error)) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(rows.count, 9);
    assert_true(value_of("this: time per nap") >= 19.0 && value_of("this: time per nap") < 40.0);
    assert_true(value_of("other: time per nap") >= 59.0 && value_of("other: time per nap") < 90.0);
    CHECK_NEAR(value_of("other / this: time per nap"),
               value_of("other: time per nap") / value_of("this: time per nap"), 1e-12);
    CHECK_NEAR(value_of("this: size"), 1.0, 1e-12);
    CHECK_NEAR(value_of("other / this: size"), 3.0, 1e-12);
}

// Of the programs that are started, not of the one that measures.
static void processor_time_is_that_of_the_programs(void **state)
{
    (void)state;
    rows = (bench_rows){0};
    const char *const few[] = {"x", "0", NULL}, *const many[] = {"x", "200000", NULL};
    const char *count = "i=0; while [ $i -lt $2 ]; do i=$((i+1)); done";
    char thrice[200];
    snprintf(thrice, sizeof thrice, "%s; %s; %s", count, count, count);
    const bench_options options = {.against = write_program("thrice", thrice)};
    const bench_turns turns = {.name = "loops",
                               .item = "loop",
                               .few = few,
                               .many = many,
                               .items = 1,
                               .program = write_program("once", count)};
    assert_true(bench_take_turns(&options, &turns, &rows, NULL));
    assert_int_equal(rows.count, 6);
    assert_true(value_of("this: processor time") > 5.0);
    double ratio = value_of("other / this: processor time");
    assert_true(ratio > 2.0 && ratio < 4.5);
}

static void a_program_that_fails_is_said(void **state)
{
    (void)state;
    rows = (bench_rows){0};
    wr_error error = {0};
    const char *const words[] = {"render", NULL};
    const bench_options options = {.against = write_program("bad", "echo no light >&2; exit 1")};
    const bench_turns turns = {.name = "bad",
                               .item = "picture",
                               .few = words,
                               .many = words,
                               .items = 1,
                               .program = write_program("good", "true")};
    assert_false(bench_take_turns(&options, &turns, &rows, &error));
    assert_non_null(strstr(error.message, "/bad render failed: no light"));
    assert_int_equal(rows.count, 0);
}

static void write_scene(char path[600])
{
    static const char text[] =
        "{\"wrought\": 1, \"length\": 0.5, \"bodies\": [{\"name\": \"ball\", "
        "\"shape\": {\"sphere\": 0.5}, \"at\": [0, 1, 0]}]}";
    snprintf(path, 600, "%s/ball.scene.json", folder.path);
    assert_true(wri_file_write(path, text, strlen(text), NULL));
}

static int count_bodies(const char *path)
{
    wr_take *take = wr_take_open(path, NULL);
    assert_non_null(take);
    int count = wr_record_about(wr_take_reader(take))->body_count;
    wr_take_close(take);
    return count;
}

// The scene where the other program reads it, forty boxes and a floor where it reads only these,
// made by the other program where it reads nothing of ours; else a sentence.
static void a_recording_is_found_that_both_can_read(void **state)
{
    (void)state;
    const char *wrought = getenv("WROUGHT_PROGRAM");
    if (!wrought) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    char scene[600], words[700];
    bench_shared shared;
    wr_error error = {0};
    write_scene(scene);
    bench_options options = {.against = write_program("any", "true")};
    assert_true(bench_share_recording(&options, &folder, scene, 0.1, &shared, &error));
    assert_false(shared.is_plain);
    assert_int_equal(count_bodies(shared.path), 1);
    options.against = write_program(
        "older", "[ $1 = info ] && { [ -e $0.asked ] || { touch $0.asked; false; }; }");
    assert_true(bench_share_recording(&options, &folder, scene, 0.1, &shared, &error));
    assert_true(shared.is_plain);
    assert_int_equal(count_bodies(shared.path), 41);
    snprintf(words, sizeof words, "[ $1 = sim ] && exec %s \"$@\"", wrought);
    options.against = write_program("writes", words);
    assert_true(bench_share_recording(&options, &folder, scene, 0.1, &shared, &error));
    assert_false(shared.is_plain);
    assert_int_equal(count_bodies(shared.path), 1);
    options.against = write_program("neither", "false");
    assert_false(bench_share_recording(&options, &folder, scene, 0.1, &shared, &error));
    assert_non_null(strstr(error.message, "neither: there is no recording that both"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_starting_takes_is_not_counted),
        cmocka_unit_test(processor_time_is_that_of_the_programs),
        cmocka_unit_test(a_program_that_fails_is_said),
        cmocka_unit_test(a_recording_is_found_that_both_can_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
