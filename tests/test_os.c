// test_os.c: promises of files, folders, locks, child programs and paths.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // sched_setaffinity
#endif
#include "check.h"
#include "../src/base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static temporary_folder folder;
static wri_arena arena;
static wr_error error;

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    arena = wri_arena_create(NULL);
    error = (wr_error){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    wri_arena_destroy(&arena);
    return 0;
}

static const char *in_folder(const char *name)
{
    return wri_path_join(&arena, folder.path, name);
}

static const char *write_text(const char *name, const char *text)
{
    const char *path = in_folder(name);
    if (!wri_file_write(path, text, strlen(text), &error)) {
        fail_msg("%s", error.message);
    }
    return path;
}

static void expect_text(const char *path, const char *text)
{
    size_t size;
    char *bytes = wri_file_read(path, 1 << 20, NULL, &size, &error);
    if (!bytes) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(size, strlen(text));
    assert_string_equal(bytes, text); // also sees the final NUL
    wri_free(NULL, bytes, size + 1, 1);
}

static void expect_message(const char *path, const char *rest)
{
    bool full = strstr(rest, strerror(EFBIG)) || strstr(rest, strerror(ENOSPC));
    assert_int_equal(error.code, full ? WR_E_FULL : WR_E_IO);
    assert_string_equal(error.message, wri_arena_printf(&arena, "%s: %s", path, rest));
    error = (wr_error){0};
}

static int names_in_folder(void)
{
    int count = 0;
    DIR *open_folder = opendir(folder.path);
    while (readdir(open_folder)) {
        count++;
    }
    closedir(open_folder);
    return count - 2; // "." and ".."
}

// --- whole files ------------------------------------------------------------------------------

static void what_was_written_is_read_back(void **state)
{
    (void)state;
    expect_text(write_text("a", ""), "");
    expect_text(write_text("a", "hello"), "hello");
    expect_text(write_text("sp ace \xc3\xbc\xe2\x82\xac", "x"), "x");
    assert_int_equal(names_in_folder(), 2); // no "a.part" stays behind
    assert_true(wri_file_exists(in_folder("a")));
    assert_int_equal(wri_file_size(in_folder("a")), 5);
    assert_true(wri_file_changed_ns(in_folder("a")) > 0);
    wri_file_remove(in_folder("a"));
    wri_file_remove(in_folder("a")); // no complaint
    assert_false(wri_file_exists(in_folder("a")));
    assert_int_equal(wri_file_size(in_folder("a")), -1);
    assert_int_equal(wri_file_changed_ns(in_folder("a")), -1);
}

static void what_cannot_be_read_is_one_sentence(void **state)
{
    (void)state;
    size_t size = 99;
    const char *missing = in_folder("missing");
    assert_null(wri_file_read(missing, 100, NULL, &size, &error));
    expect_message(missing, "cannot open: No such file or directory");
    assert_int_equal(size, 0);
    assert_null(wri_file_read(missing, 100, NULL, &size, NULL));

    assert_null(wri_file_read(folder.path, 100, NULL, &size, &error));
    expect_message(folder.path, "is a folder, expected a file");

    const char *large = write_text("large", "0123456789");
    assert_null(wri_file_read(large, 9, NULL, &size, &error));
    expect_message(large, "is 10 bytes large, expected at most 9");
    char *bytes = wri_file_read(large, 10, NULL, &size, &error);
    assert_non_null(bytes);
    wri_free(NULL, bytes, size + 1, 1);

    const char *pipe_path = in_folder("pipe"); // opening it must not wait for a writer
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_null(wri_file_read(pipe_path, 100, NULL, &size, &error));
    expect_message(pipe_path, "is a pipe, expected a file");
}

static void a_huge_file_is_refused_before_memory_is_taken(void **state)
{
    (void)state;
    const char *path = write_text("sparse", "");
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    counting_heap heap = {.budget = 1};
    wr_allocator allocator = counting_allocator(&heap);
    size_t size;
    assert_null(wri_file_read(path, 1 << 20, &allocator, &size, &error));
    assert_int_equal(error.code, WR_E_IO);
    assert_int_equal(heap.calls, 0);
}

static void reading_survives_a_refused_allocation(void **state)
{
    (void)state;
    const char *path = write_text("a", "hello");
    counting_heap heap = {0};
    wr_allocator allocator = counting_allocator(&heap);
    size_t size;
    assert_null(wri_file_read(path, 100, &allocator, &size, &error));
    assert_int_equal(error.code, WR_E_MEMORY);
    heap.budget = 1;
    char *bytes = wri_file_read(path, 100, &allocator, &size, &error);
    assert_string_equal(bytes, "hello");
    wri_free(&allocator, bytes, size + 1, 1);
    assert_int_equal(heap.alive, 0);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    const char *path = write_text("scene.json", "old");
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    enum { LARGE = 100000 };
    char *bytes = calloc(LARGE, 1);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool written = wri_file_write(path, bytes, LARGE, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    free(bytes);
    assert_false(written);
    expect_message(in_folder("scene.json"), "cannot write: File too large");
    expect_text(path, "old");
    assert_int_equal(names_in_folder(), 1);
}

static void a_file_does_not_replace_a_folder(void **state)
{
    (void)state;
    const char *path = in_folder("out");
    assert_true(wri_folder_create(path, &error));
    assert_false(wri_file_write(path, "x", 1, &error));
    expect_message(path, "cannot be replaced: Is a directory");
    assert_true(wri_is_folder(path));
    assert_int_equal(names_in_folder(), 1);
    const char *nowhere = in_folder("none/file");
    assert_false(wri_file_write(nowhere, "x", 1, &error));
    expect_message(in_folder("none/file"), "cannot create: No such file or directory");
    assert_false(wri_file_rename(in_folder("none"), in_folder("b"), &error));
    assert_int_equal(error.code, WR_E_IO);
}

// The name of a part of `name`, as if another process had written it.
static const char *part_of(const char *name, pid_t process, const char *machine)
{
    char own[400];
    snprintf(own, sizeof own, "%s", strrchr(wri_path_part(&arena, in_folder("x")), '/'));
    const char *here = strchr(own, '-') + 1;
    char text[500];
    snprintf(text, sizeof text, "%s.%ld-%.8s-7f00.part", name, (long)process,
             machine ? machine : here);
    return write_text(wri_arena_text(&arena, text, strlen(text)), "half");
}

static void parts_of_killed_processes_are_removed_and_no_others(void **state)
{
    (void)state;
    pid_t dead = fork();
    if (dead == 0) {
        _exit(0);
    }
    waitpid(dead, NULL, 0);
    const char *stale = part_of("film.mp4", dead, NULL);
    const char *kept[] = {
        part_of("film.mp4", getppid(), NULL),    // being written
        part_of("film.mp4", dead, "00000000"),   // on another machine
        part_of("other.mp4", dead, NULL),        // of another file
        write_text("film.mp4.12-x.part", "own"), // the artist's
        write_text("film.mp4.part", "own"),
    };
    write_text("film.mp4", "whole");
    assert_false(wri_file_exists(stale));
    for (int i = 0; i < WRI_COUNT(kept); i++) {
        assert_true(wri_file_exists(kept[i]));
    }
}

// --- open files -------------------------------------------------------------------------------

static void a_file_is_changed_in_place(void **state)
{
    (void)state;
    const char *path = in_folder("recording");
    wri_file *file = wri_file_open(path, WRI_FILE_CREATE, &error);
    assert_non_null(file);
    assert_true(wri_file_write_at(file, 0, "0123456789", 10, &error));
    assert_true(wri_file_write_at(file, 4, "xy", 2, &error));
    assert_int_equal(wri_file_length(file), 10);
    char bytes[11] = {0};
    assert_true(wri_file_read_at(file, 0, bytes, 10, &error));
    assert_string_equal(bytes, "0123xy6789");
    assert_true(wri_file_truncate(file, 6, &error));
    assert_false(wri_file_read_at(file, 4, bytes, 5, &error));
    expect_message(path, "byte 6: the file ends here, 3 bytes too early");
    assert_false(wri_file_read_at(file, -1, bytes, 1, &error));
    assert_int_equal(error.code, WR_E_IO);
    assert_true(wri_file_sync(file, &error));
    assert_true(wri_file_close(file, &error));
    expect_text(path, "0123xy");

    file = wri_file_open(path, WRI_FILE_UPDATE, &error); // keeps what is there
    assert_int_equal(wri_file_length(file), 6);
    assert_true(wri_file_close(file, &error));
    file = wri_file_open(path, WRI_FILE_READ, &error);
    assert_false(wri_file_write_at(file, 0, "z", 1, &error));
    assert_true(wri_file_close(file, &error));
    assert_true(wri_file_close(NULL, &error));
    assert_null(wri_file_open(in_folder("none"), WRI_FILE_UPDATE, &error));
    file = wri_file_open(path, WRI_FILE_CREATE, &error); // empties what is there
    assert_int_equal(wri_file_length(file), 0);
    assert_true(wri_file_close(file, &error));
}

static void a_full_disk_is_a_sentence(void **state)
{
    (void)state;
    if (!wri_file_exists("/dev/full")) {
        print_message("there is no /dev/full\n");
        skip();
    }
    wri_file *file = wri_file_open("/dev/full", WRI_FILE_UPDATE, &error);
    assert_non_null(file);
    assert_false(wri_file_write_at(file, 0, "x", 1, &error));
    expect_message("/dev/full", "cannot write: No space left on device");
    wri_file_close(file, NULL);
}

enum { GOT_LOCK = 10, REFUSED = 11, BROKEN = 12 };

// What another process is told when it asks for the lock.
static int lock_elsewhere(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        wr_error why = {0};
        wri_file *file = wri_file_open(path, WRI_FILE_UPDATE, &why);
        int answer = !file                                                   ? BROKEN
                     : wri_file_lock(file, &why)                             ? GOT_LOCK
                     : strstr(why.message, "somebody else is writing to it") ? REFUSED
                                                                             : BROKEN;
        _exit(answer); // which also releases the lock
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : BROKEN;
}

static void one_writer_at_a_time(void **state)
{
    (void)state;
    const char *path = write_text("recording", "x");
    assert_int_equal(lock_elsewhere(path), GOT_LOCK);
    wri_file *file = wri_file_open(path, WRI_FILE_UPDATE, &error);
    assert_true(wri_file_lock(file, &error));
    assert_true(wri_file_lock(file, &error)); // asking twice is fine
    assert_int_equal(lock_elsewhere(path), REFUSED);

    wri_file *other = wri_file_open(path, WRI_FILE_UPDATE, &error); // the same process
    assert_false(wri_file_lock(other, &error));
    expect_message(path, "somebody else is writing to it");
    wri_file_close(other, NULL);
    expect_text(path, "x"); // a reader comes and goes
    assert_int_equal(lock_elsewhere(path), REFUSED);

    assert_true(wri_file_close(file, &error));
    assert_int_equal(lock_elsewhere(path), GOT_LOCK);
}

// --- folders ----------------------------------------------------------------------------------

static void folders_come_with_their_parents(void **state)
{
    (void)state;
    const char *deep = in_folder("my films/\xc3\xa4\xc3\xb6\xc3\xbc \xe6\x98\xa0\xe7\x94\xbb/out");
    assert_true(wri_folder_create(deep, &error));
    assert_true(wri_is_folder(deep));
    assert_true(wri_folder_create(deep, &error)); // fine when it exists
    assert_true(wri_folder_create(in_folder("a//b/"), &error));
    assert_true(wri_is_folder(in_folder("a/b")));
    assert_true(wri_folder_create("/", &error));
    assert_true(wri_folder_create(".", &error));
    assert_false(wri_is_folder(write_text("file", "")));
    assert_false(wri_is_folder(in_folder("missing")));
}

static void a_folder_that_cannot_be_is_one_sentence(void **state)
{
    (void)state;
    const char *file = write_text("file", "x");
    assert_false(wri_folder_create(in_folder("file/out"), &error));
    expect_message(file, "cannot create the folder: File exists");
    expect_text(file, "x");

    char name[300];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    const char *long_path = in_folder(name);
    assert_false(wri_folder_create(long_path, &error));
    expect_message(long_path, "cannot create the folder: File name too long");
}

static void a_folder_we_may_not_write_is_left_alone(void **state)
{
    (void)state;
    const char *path = in_folder("locked");
    const char *file = in_folder("locked/file"), *inner = in_folder("locked/inner");
    assert_true(wri_folder_create(path, &error));
    assert_int_equal(chmod(folder.path, 0755), 0);
    write_text("locked/file", "old");
    assert_int_equal(chmod(path, 0555), 0);
    bool root = geteuid() == 0; // who may write everywhere: become nobody for a moment
    if (root && seteuid(65534) != 0) {
        print_message("root may not become nobody\n");
        skip();
    }
    wr_error write_error = {0}, folder_error = {0}, file_check = {0}, folder_check = {0};
    bool written = wri_file_write(file, "new", 3, &write_error);
    bool created = wri_folder_create(inner, &folder_error);
    bool may = wri_folder_check(file, &file_check) || wri_folder_check_new(inner, &folder_check);
    assert_int_equal(root ? seteuid(0) : 0, 0);
    assert_int_equal(chmod(path, 0755), 0);
    assert_false(written || created || may);
    assert_true(wri_folder_check(file, &error) && wri_folder_check_new(inner, &error));
    const char *why =
        wri_arena_printf(&arena, "cannot create: the folder %s cannot be written to", path);
    error = file_check; // before the work is done
    expect_message(file, why);
    error = folder_check;
    expect_message(inner, why);
    assert_false(wri_folder_check_new(file, &error));
    expect_message(file, "is a file, expected a folder");
    error = write_error;
    expect_message(in_folder("locked/file"), "cannot create: Permission denied");
    error = folder_error;
    expect_message(inner, "cannot create the folder: Permission denied");
    expect_text(file, "old");
}

// --- a child program --------------------------------------------------------------------------

enum { MUCH = 300000 }; // more than a pipe holds

static void a_child_program_gets_every_byte(void **state)
{
    (void)state;
    const char *path = in_folder("copy of it");
    const char *const arguments[] = {"sh", "-c", "cat > \"$0\"", path, NULL};
    wri_pipe *p = wri_pipe_open(arguments, &error);
    assert_non_null(p);
    char *sent = malloc(MUCH);
    for (int i = 0; i < MUCH; i++) {
        sent[i] = (char)(i * 31);
    }
    assert_true(wri_pipe_write(p, sent, 1000, &error));
    assert_true(wri_pipe_write(p, sent, 0, &error));
    assert_true(wri_pipe_write(p, sent + 1000, MUCH - 1000, &error));
    assert_true(wri_pipe_close(p, &error));
    size_t size;
    char *got = wri_file_read(path, MUCH, NULL, &size, &error);
    assert_int_equal(size, MUCH);
    assert_memory_equal(got, sent, MUCH);
    wri_free(NULL, got, size + 1, 1);
    free(sent);
}

static void a_child_that_fails_says_why(void **state)
{
    (void)state;
    const char *const missing[] = {"wrought-no-such-program", NULL};
    assert_null(wri_pipe_open(missing, &error));
    assert_int_equal(error.code, WR_E_IO); // the reason depends on the folders in PATH
    assert_memory_equal(error.message, "wrought-no-such-program: cannot be started: ", 44);
    const char *const nowhere[] = {"/no-such-folder/program", NULL};
    assert_null(wri_pipe_open(nowhere, &error));
    expect_message("/no-such-folder/program", "cannot be started: No such file or directory");

    const char *const silent[] = {"false", NULL};
    wri_pipe *p = wri_pipe_open(silent, &error);
    assert_non_null(p);
    assert_false(wri_pipe_close(p, &error));
    assert_int_equal(error.code, WR_E_IO);
    assert_string_equal(error.message, "false failed: it said nothing about the reason");

    const char *const loud[] = {"sh", "-c", "echo a >&2; echo the reason >&2; echo >&2; exit 3",
                                NULL};
    p = wri_pipe_open(loud, &error);
    assert_non_null(p);
    assert_false(wri_pipe_close(p, &error));
    assert_string_equal(error.message, "sh failed: the reason");

    const char *const killed[] = {"sh", "-c", "echo dying >&2; kill -9 $$", NULL};
    p = wri_pipe_open(killed, &error);
    assert_non_null(p);
    assert_false(wri_pipe_close(p, &error));
    assert_string_equal(error.message, "sh failed: dying");
}

// Who ignores SIGCHLD is never told how a child ended: no end is a good one then.
static void a_child_whose_end_nobody_knows_has_failed(void **state)
{
    (void)state;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    const char *const loud[] = {"sh", "-c", "echo the reason >&2; exit 3", NULL};
    wri_pipe *p = wri_pipe_open(loud, &error);
    bool ok = p && wri_pipe_close(p, &error);
    const wri_run_limits limits = {100.0, 0, 1 << 16};
    wri_run_result result = {0};
    wr_error other = {0};
    bool has_run = wri_run(loud, &limits, NULL, &result, &other);
    wri_array_destroy(&result.output);
    signal(SIGCHLD, before);
    assert_false(ok);
    assert_string_equal(error.message, "sh failed: the reason");
    assert_true(has_run);
    assert_int_equal(result.end, WRI_RUN_EXITED);
    assert_int_equal(result.code, -1);
}

static void a_child_that_stops_reading_does_not_kill_us(void **state)
{
    (void)state;
    struct sigaction action;
    sigaction(SIGPIPE, NULL, &action);
    assert_true(action.sa_handler == SIG_DFL); // this process would die of it
    const char *const arguments[] = {"sh", "-c", "exec <&-; echo full >&2; exit 1", NULL};
    wri_pipe *p = wri_pipe_open(arguments, &error);
    char *bytes = calloc(MUCH, 1);
    assert_false(wri_pipe_write(p, bytes, MUCH, &error));
    assert_string_equal(error.message, "sh: cannot take more data: Broken pipe");
    assert_false(wri_pipe_write(p, bytes, 1, NULL)); // again, without a reader from the start
    free(bytes);
    sigset_t waiting, blocked;
    sigpending(&waiting);
    assert_false(sigismember(&waiting, SIGPIPE));
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGPIPE)); // as it was before
    assert_false(wri_pipe_close(p, &error));
    assert_string_equal(error.message, "sh failed: full");
}

static void children_do_not_hold_each_others_pipes(void **state)
{
    (void)state;
    const char *const arguments[] = {"cat", NULL};
    wri_pipe *first = wri_pipe_open(arguments, &error);
    wri_pipe *second = wri_pipe_open(arguments, &error);
    assert_true(wri_pipe_write(first, "x", 1, &error));
    assert_true(wri_pipe_close(first, &error)); // would wait for ever for the second to end
    assert_true(wri_pipe_close(second, &error));
}

static int descriptors(void)
{
    int count = 0;
    for (int i = 0; i < 256; i++) {
        count += fcntl(i, F_GETFD) >= 0;
    }
    return count;
}

static void no_descriptor_is_left_open(void **state)
{
    (void)state;
    int before = descriptors();
    size_t size;
    const char *const missing[] = {"wrought-no-such-program", NULL};
    const char *const good[] = {"true", NULL};
    for (int i = 0; i < 3; i++) {
        assert_null(wri_pipe_open(missing, &error));
        assert_true(wri_pipe_close(wri_pipe_open(good, &error), &error));
        assert_null(wri_file_read(folder.path, 1, NULL, &size, &error));
        assert_null(wri_file_read(write_text("a", "too large"), 1, NULL, &size, &error));
        assert_null(wri_file_open(in_folder("none"), WRI_FILE_READ, &error));
    }
    assert_int_equal(descriptors(), before);
}

// --- children under guard ---------------------------------------------------------------------

static wri_run_result run_shell(const char *script, double seconds, int output)
{
    const char *const arguments[] = {"sh", "-c", script, NULL};
    const wri_run_limits limits = {seconds, 0, output};
    wri_run_result result;
    if (!wri_run(arguments, &limits, NULL, &result, &error)) {
        fail_msg("%s", error.message);
    }
    return result;
}

static void expect_end(const char *script, wri_run_end end, int code, const char *line)
{
    wri_run_result result = run_shell(script, 20.0, 1000);
    assert_int_equal(result.end, end);
    assert_int_equal(result.code, code);
    assert_string_equal(result.line, line);
    wri_array_destroy(&result.output);
}

static void a_guarded_child_tells_how_it_ended(void **state)
{
    (void)state;
    expect_end("exit 0", WRI_RUN_EXITED, 0, "");
    expect_end("echo first >&2; printf 'the \\033reason\\n\\n ' >&2; exit 3", WRI_RUN_EXITED, 3,
               "the  reason");
    expect_end("echo dying >&2; kill -SEGV $$", WRI_RUN_SIGNALED, SIGSEGV, "dying");
    expect_end("kill -INT $$", WRI_RUN_STOPPED, SIGINT, "");
    expect_end("kill -XCPU $$", WRI_RUN_TOO_LONG, SIGXCPU, "");
    expect_end("head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2", WRI_RUN_EXITED,
               0, "end");
    expect_end("ulimit -c", WRI_RUN_EXITED, 0, "");
    wri_run_result result;
    const wri_run_limits limits = {1.0, 0, 10};
    const char *const nowhere[] = {"/no-such-folder/program", NULL};
    assert_false(wri_run(nowhere, &limits, NULL, &result, &error));
    expect_message("/no-such-folder/program", "cannot be started: No such file or directory");
    wri_array_destroy(&result.output);
}

static void a_guarded_child_is_heard_to_the_last_byte(void **state)
{
    (void)state;
    wri_run_result result = run_shell("head -c 3000000 /dev/zero; printf end", 20.0, 3000003);
    assert_int_equal(result.end, WRI_RUN_EXITED);
    assert_int_equal(result.output.count, 3000003);
    assert_memory_equal((char *)result.output.items + 3000000, "end", 3);
    wri_array_destroy(&result.output);
    result = run_shell("head -c 3000000 /dev/zero; printf end", 20.0, 3000002);
    assert_int_equal(result.end, WRI_RUN_TOO_MUCH);
    wri_array_destroy(&result.output);
}

static void a_guarded_child_does_not_outlive_its_time(void **state)
{
    (void)state;
    const char *const scripts[] = {"exec sleep 100", "exec >&- 2>&-; exec sleep 100",
                                   "trap '' TERM INT HUP; while :; do :; done"};
    for (int i = 0; i < WRI_COUNT(scripts); i++) {
        double start = wri_seconds();
        wri_run_result result = run_shell(scripts[i], 0.2, 1000);
        assert_int_equal(result.end, WRI_RUN_TOO_LONG);
        double took = wri_seconds() - start;
        assert_true(took >= 0.2 && took < 60.0); // they would sleep for 100 s
        wri_array_destroy(&result.output);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_guarded_child_has_limits_and_nothing_of_ours(void **state)
{
    (void)state;
    const char *const arguments[] = {
        "sh", "-c",
        "ulimit -v; ulimit -c; ulimit -t; cat; cat /proc/$$/fd/17 2>/dev/null; kill -PIPE $$",
        NULL};
    assert_int_equal(dup2(open("/dev/null", O_RDONLY), 17), 17);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); // what we block the child does not
    signal(SIGPIPE, SIG_IGN);
    const wri_run_limits limits = {20.0, 512000000, 1000};
    wri_run_result result;
    bool ok = wri_run(arguments, &limits, NULL, &result, &error);
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(17);
    assert_true(ok);
    assert_int_equal(result.end, WRI_RUN_SIGNALED);
    assert_int_equal(result.code, SIGPIPE);
    assert_non_null(wri_array_add(&result.output, 1));
    assert_string_equal(result.output.items, "500000\n0\n21\n");
    wri_array_destroy(&result.output);
}

static void a_guarded_child_leaves_nothing_open(void **state)
{
    (void)state;
    int before = descriptors();
    for (int i = 0; i < 3; i++) {
        wri_run_result result = run_shell(i == 0 ? "exit 1" : "echo hello", 20.0, 3);
        wri_array_destroy(&result.output);
        const char *const missing[] = {"wrought-no-such-program", NULL};
        assert_false(wri_run(missing, &(wri_run_limits){1.0, 0, 1}, NULL, &result, &error));
        wri_array_destroy(&result.output);
    }
    for (int budget = 0; budget < 2; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        const char *const arguments[] = {"echo", "hello", NULL};
        const wri_run_limits limits = {20.0, 0, 100};
        wri_run_result result;
        assert_int_equal(wri_run(arguments, &limits, &allocator, &result, &error), budget > 0);
        wri_array_destroy(&result.output);
        assert_int_equal(heap.alive, 0);
    }
    assert_int_equal(descriptors(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

// --- machine and paths ------------------------------------------------------------------------

static void the_machine_is_measured(void **state)
{
    (void)state;
    double before = wri_seconds();
    assert_true(wri_seconds() >= before);
    assert_true(wri_peak_memory() > 100000);
    assert_true(wri_core_count() >= 1);
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) {
        print_message("the system does not tell on which cores it runs\n");
        skip();
    }
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    int count = wri_core_count();
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(count, 1); // not more threads than cores we were given
}

static void paths_are_joined_and_split(void **state)
{
    (void)state;
    assert_string_equal(wri_path_join(&arena, "a", "b"), "a/b");
    assert_string_equal(wri_path_join(&arena, "a/", "b"), "a/b");
    assert_string_equal(wri_path_join(&arena, "/", "b"), "/b");
    assert_string_equal(wri_path_join(&arena, ".", "b"), "b");
    assert_string_equal(wri_path_join(&arena, "", "b"), "b");
    assert_string_equal(wri_path_join(&arena, "a b", "/c d"), "/c d");
    assert_string_equal(wri_path_folder(&arena, "a/b/c"), "a/b");
    assert_string_equal(wri_path_folder(&arena, "c"), ".");
    assert_string_equal(wri_path_folder(&arena, "/c"), "/");
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(what_was_written_is_read_back),
        IN_A_FOLDER(what_cannot_be_read_is_one_sentence),
        IN_A_FOLDER(a_huge_file_is_refused_before_memory_is_taken),
        IN_A_FOLDER(reading_survives_a_refused_allocation),
        IN_A_FOLDER(a_failed_write_leaves_the_old_file),
        IN_A_FOLDER(a_file_does_not_replace_a_folder),
        IN_A_FOLDER(parts_of_killed_processes_are_removed_and_no_others),
        IN_A_FOLDER(a_file_is_changed_in_place),
        IN_A_FOLDER(a_full_disk_is_a_sentence),
        IN_A_FOLDER(one_writer_at_a_time),
        IN_A_FOLDER(folders_come_with_their_parents),
        IN_A_FOLDER(a_folder_that_cannot_be_is_one_sentence),
        IN_A_FOLDER(a_folder_we_may_not_write_is_left_alone),
        IN_A_FOLDER(a_child_program_gets_every_byte),
        IN_A_FOLDER(a_child_that_fails_says_why),
        IN_A_FOLDER(a_child_whose_end_nobody_knows_has_failed),
        IN_A_FOLDER(a_child_that_stops_reading_does_not_kill_us),
        IN_A_FOLDER(children_do_not_hold_each_others_pipes),
        IN_A_FOLDER(no_descriptor_is_left_open),
        IN_A_FOLDER(a_guarded_child_tells_how_it_ended),
        IN_A_FOLDER(a_guarded_child_is_heard_to_the_last_byte),
        IN_A_FOLDER(a_guarded_child_does_not_outlive_its_time),
        IN_A_FOLDER(a_guarded_child_has_limits_and_nothing_of_ours),
        IN_A_FOLDER(a_guarded_child_leaves_nothing_open),
        IN_A_FOLDER(the_machine_is_measured),
        IN_A_FOLDER(paths_are_joined_and_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
