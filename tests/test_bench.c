// test_bench.c: what `wrought bench file` prints, and that it cleans up behind itself.
#include "program.h"

#include "../src/base/os.h"
#include "../src/file/json.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static temporary_folder folder;
static char scratch[560], output[560], errors[560]; // $TMPDIR of the program; what it printed

static int setup(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    snprintf(scratch, sizeof scratch, "%s/scratch", folder.path);
    snprintf(output, sizeof output, "%s/output", folder.path);
    snprintf(errors, sizeof errors, "%s/errors", folder.path);
    return wri_folder_create(scratch, NULL) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// --- running the program ----------------------------------------------------------------------

static pid_t start(const char *tmpdir, rlim_t file_limit)
{
    const char *program = getenv("WROUGHT_PROGRAM");
    if (!program) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {file_limit, file_limit};
        setrlimit(RLIMIT_FSIZE, &limit);
        setenv("TMPDIR", tmpdir, 1);
        dup2(open(output, O_CREAT | O_TRUNC | O_WRONLY, 0666), 1);
        dup2(open(errors, O_CREAT | O_TRUNC | O_WRONLY, 0666), 2);
        execl(program, program, "bench", "file", "--json", (char *)NULL);
        _exit(127);
    }
    return child;
}

static int finish(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Entries of the folder in which the program works.
static int count_files(void)
{
    int count = -2; // . and ..
    DIR *list = opendir(scratch);
    assert_non_null(list);
    while (readdir(list)) {
        count++;
    }
    closedir(list);
    return count;
}

static void check_sentence(const char *part)
{
    size_t size = 0;
    char *text = wri_file_read(errors, 1 << 20, NULL, &size, NULL);
    if (!text || !strstr(text, part)) {
        fail_msg("\"%s\" is not in \"%s\"", part, text ? text : "");
    }
    wri_free(NULL, text, size + 1, 1);
}

// --- promises ---------------------------------------------------------------------------------

static const wri_json *member(const wri_json *object, const char *key, wri_json_type type)
{
    const wri_json *found = wri_json_find(object, key);
    if (!found || found->type != type) {
        fail_msg("%s: missing, or not %s", key, wri_json_type_name(type));
    }
    return found;
}

static void check_row(const wri_json *row)
{
    static const struct {
        const char *measure, *unit;
    } known[] = {
        {"size", "MB"}, {"read", "MB/s"}, {"write", "MB/s"}, {"peak memory", "x file size"}};
    const char *name = member(row, "name", WRI_JSON_STRING)->string;
    const char *measure = member(row, "measure", WRI_JSON_STRING)->string;
    const char *unit = member(row, "unit", WRI_JSON_STRING)->string;
    double value = member(row, "value", WRI_JSON_NUMBER)->number; // JSON: finite
    member(row, "published", WRI_JSON_NULL);
    member(row, "goal", WRI_JSON_NULL);
    assert_true(member(row, "ok", WRI_JSON_BOOL)->boolean);
    bool is_known = false;
    for (int i = 0; i < WRI_COUNT(known); i++) {
        is_known |= !strcmp(measure, known[i].measure) && !strcmp(unit, known[i].unit);
    }
    if (!is_known || !name[0] || !(value > 0.0)) {
        fail_msg("%s: %s is %g %s", name, measure, value, unit);
    }
    if (strcmp(measure, "size") == 0) {
        assert_true(value > 0.5 && value < 50.0);
    }
    if (strcmp(measure, "peak memory") == 0) { // at least the file or what came out of it
        assert_true(value > 0.5 && value < 100.0);
    }
}

static bool has_row(const wri_json *rows, const char *name, const char *measure)
{
    for (int i = 0; i < rows->count; i++) {
        const wri_json *row = &rows->items[i];
        if (!strcmp(wri_json_find(row, "name")->string, name) &&
            !strcmp(wri_json_find(row, "measure")->string, measure)) {
            return true;
        }
    }
    return false;
}

// Processor time of programs that have ended: others use the machine, too.
static double children_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void every_format_has_its_rows_and_no_file_stays(void **state)
{
    (void)state;
    double begin = children_seconds();
    assert_int_equal(finish(start(scratch, RLIM_INFINITY)), 0);
    double seconds = children_seconds() - begin;
    assert_int_equal(count_files(), 0);
#if !defined(__SANITIZE_ADDRESS__)
    assert_true(seconds < 30.0);
#endif
    print_message("%.1f s\n", seconds);
    wr_error error = {0};
    wri_arena arena = wri_arena_create(NULL);
    size_t size = 0;
    char *text = wri_file_read(output, 1 << 20, NULL, &size, &error);
    const wri_json *root = text ? wri_json_parse(&arena, text, size, output, false, &error) : NULL;
    if (!root) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(member(root, "bench", WRI_JSON_STRING)->string, "file");
    const wri_json *rows = member(root, "rows", WRI_JSON_ARRAY);
    for (int i = 0; i < rows->count; i++) {
        check_row(&rows->items[i]);
    }
    static const char *const both[] = {"glb", "glb, rigged", "obj", "ply, text", "ply, bytes",
                                       "pc2", "mdd",         "png", "recording"};
    static const char *const only_read[] = {"off", "mesh", "dmat, text", "dmat, bytes",
                                            "tgf", "jpeg", "scene"};
    for (int i = 0; i < WRI_COUNT(both); i++) {
        assert_true(has_row(rows, both[i], "read") && has_row(rows, both[i], "write"));
    }
    for (int i = 0; i < WRI_COUNT(only_read); i++) {
        assert_true(has_row(rows, only_read[i], "read"));
        assert_true(has_row(rows, only_read[i], "peak memory"));
    }
    assert_true(has_row(rows, "usda", "write"));
    assert_true(has_row(rows, "stl, through Assimp", "read"));
    assert_true(has_row(rows, "dae, through Assimp", "read"));
    wri_free(NULL, text, size + 1, 1);
    wri_arena_destroy(&arena);
}

static void a_disk_that_is_full_is_said_and_no_file_stays(void **state)
{
    (void)state;
    assert_int_equal(finish(start(scratch, 3000000)), 3);
    check_sentence("cannot write");
    assert_int_equal(count_files(), 0);
}

static void an_interrupted_bench_leaves_no_file(void **state)
{
    (void)state;
    pid_t child = start(scratch, RLIM_INFINITY);
    for (int i = 0; i < 1000 && count_files() == 0; i++) { // it works when its folder is there
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(count_files(), 1);
    kill(child, SIGTERM);
    assert_int_equal(finish(child), 130);
    assert_int_equal(count_files(), 0);
}

static void a_folder_that_cannot_be_made_is_said(void **state)
{
    (void)state;
    char missing[600];
    snprintf(missing, sizeof missing, "%s/missing", scratch);
    assert_int_equal(finish(start(missing, RLIM_INFINITY)), 1);
    check_sentence("cannot create a folder in it: No such file or directory");
}

static void check_against(const char *program, const char *bench, int status, const char *part)
{
    program_run run = RUN_PROGRAM("bench", bench, "--against", program);
    assert_int_equal(run.status, status);
    if (strncmp(run.said, "wrought: ", 9) != 0 || strncmp(run.said + 9, part, strlen(part)) != 0) {
        fail_msg("\"%s\" is not \"%s\"", run.said, part);
    }
}

static void a_bad_program_beside_is_one_sentence(void **state)
{
    (void)state;
    check_against("/bin/true", "render", 1, "/bin/true: is no build of wrought");
    check_against("/bin/false", "export", 1, "/bin/false --version failed: ");
    check_against("./missing", "render", 1, "./missing: cannot be started: No such file");
    check_against("/bin/true", "file", 2, "--against is for bench render and bench export");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_its_rows_and_no_file_stays),
        cmocka_unit_test(a_disk_that_is_full_is_said_and_no_file_stays),
        cmocka_unit_test(an_interrupted_bench_leaves_no_file),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_said),
        cmocka_unit_test(a_bad_program_beside_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
