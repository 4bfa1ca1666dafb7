// test_cli.c: the program as its users run it: killed, interrupted, out of disk, misspelt.
#include "check.h"

#include "../src/base/os.h"
#include "wrought/wrought.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static temporary_folder folder;
static char scene[600], clay_scene[600], out_a[600], out_b[600], out_slow[600];

static const char pile[] =
    "{ \"wrought\": 1, \"name\": \"pile\", \"length\": 4, \"bodies\": [\n"
    "  { \"name\": \"ground\", \"shape\": \"plane\" },\n"
    "  { \"name\": \"crate\", \"shape\": { \"box\": [0.8, 0.8, 0.8] }, \"at\": [0, 0.5, 0],\n"
    "    \"copies\": [ { \"count\": 4, \"step\": [0.85, 0, 0] },\n"
    "                  { \"count\": 6, \"step\": [0.1, 0.95, 0.13] } ] },\n"
    "  { \"name\": \"ball\", \"shape\": { \"sphere\": 0.5 }, \"at\": [1, 2, 9],\n"
    "    \"velocity\": [0, 3, -15], \"density\": 4000 } ] }\n";

// Putty under a block, which splits, and a bar that is twisted, torn at and let go.
static const char clay[] =
    "{ \"wrought\": 1, \"name\": \"clay\", \"length\": 4, \"substeps\": 1, \"bodies\": [\n"
    "  { \"shape\": \"plane\" },\n"
    "  { \"shape\": { \"box\": [0.5, 0.2, 0.5] }, \"at\": [0, 0.45, 0], \"density\": 3000 },\n"
    "  { \"shape\": { \"sphere\": 0.15 }, \"at\": [0.05, 0.16, 0.02],\n"
    "    \"material\": { \"clay\": \"putty\", \"particles\": 200, \"resample\": \"on\",\n"
    "                  \"surface\": \"particles\" } },\n"
    "  { \"shape\": { \"box\": [0.6, 0.2, 0.2] }, \"at\": [0, 1.2, 0],\n"
    "    \"material\": { \"clay\": \"chewing gum\", \"particles\": 100, \"fuse\": \"on\" },\n"
    "    \"grips\": [\n"
    "      { \"at\": [-0.27, 0, 0], \"size\": [0.1, 1, 1], \"until\": 2.2,\n"
    "        \"path\": [ { \"time\": 2.5, \"at\": [-0.5, 0, 0] } ] },\n"
    "      { \"at\": [0.27, 0, 0], \"size\": [0.1, 1, 1],\n"
    "        \"path\": [ { \"time\": 1.7, \"turn\": { \"axis\": [1, 0, 0], \"by\": 90 } } ] } ] }\n"
    " ] }\n";

// A frame takes a good part of a second.
static const char slow[] =
    "{ \"wrought\": 1, \"name\": \"slow\", \"length\": 9, \"frames\": [1, 3], \"substeps\": 720,\n"
    "  \"bodies\": [ { \"shape\": \"plane\" },\n"
    "    { \"shape\": { \"box\": [0.4, 0.4, 0.4] }, \"at\": [0, 0.6, 0],\n"
    "      \"turn\": { \"axis\": [1, 0, 1], \"by\": 30 },\n"
    "      \"material\": { \"clay\": \"clay\", \"particles\": 500 } } ] }\n";

static int setup(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    char spaced[560];
    snprintf(spaced, sizeof spaced, "%s/two words", folder.path);
    assert_true(wri_folder_create(spaced, NULL));
    snprintf(scene, sizeof scene, "%s/pile.scene.json", spaced);
    snprintf(clay_scene, sizeof clay_scene, "%s/clay.scene.json", spaced);
    snprintf(out_a, sizeof out_a, "%s/a", spaced);
    snprintf(out_b, sizeof out_b, "%s/b", spaced);
    snprintf(out_slow, sizeof out_slow, "%s/slow", spaced);
    assert_true(wri_file_write(scene, pile, sizeof pile - 1, NULL));
    assert_true(wri_file_write(clay_scene, clay, sizeof clay - 1, NULL));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    remove_tree(folder.path);
    return 0;
}

// --- running the program ----------------------------------------------------------------------

typedef struct outcome {
    int status; // exit status, -1 when a signal ended it
    char errors[4096];
} outcome;

static pid_t start(const char *const *arguments, rlim_t file_limit, const char *errors)
{
    const char *program = getenv("WROUGHT_PROGRAM");
    if (!program) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    pid_t child = fork();
    if (child == 0) {
        const char *words[32] = {program};
        for (int i = 0; arguments[i] && i < 30; i++) {
            words[i + 1] = arguments[i];
        }
        struct rlimit limit = {file_limit, file_limit};
        if (file_limit != RLIM_INFINITY) {
            setrlimit(RLIMIT_FSIZE, &limit);
        }
        char printed[600];
        snprintf(printed, sizeof printed, "%s.stdout", errors);
        int output = open(printed, O_CREAT | O_TRUNC | O_WRONLY, 0666),
            log = open(errors, O_CREAT | O_TRUNC | O_WRONLY, 0666);
        dup2(output, 1);
        dup2(log, 2);
        execv(program, (char *const *)(uintptr_t)words);
        _exit(127);
    }
    return child;
}

static outcome finish(pid_t child, const char *errors)
{
    outcome o = {0};
    int status = 0;
    waitpid(child, &status, 0);
    o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    size_t size = 0;
    char *text = wri_file_read(errors, 1 << 20, NULL, &size, NULL);
    snprintf(o.errors, sizeof o.errors, "%s", text ? text : "");
    wri_free(NULL, text, size + 1, 1);
    return o;
}

static const char *errors_path(void)
{
    static char path[560];
    snprintf(path, sizeof path, "%s/errors.txt", folder.path);
    return path;
}

#define RUN(...)                                                                                   \
    finish(start((const char *const[]){__VA_ARGS__, NULL}, RLIM_INFINITY, errors_path()),          \
           errors_path())

static void nap(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&time, NULL);
}

static bool has_ended(pid_t child)
{
    siginfo_t ended = {0};
    return waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid;
}

// Returns when the file is that long, or when the child has ended.
static void wait_for_bytes(pid_t child, const char *path, int64_t size)
{
    while (wri_file_size(path) < size && !has_ended(child)) {
        nap(0.0005);
    }
}

static const char *recording(const char *out)
{
    static char paths[2][700];
    static int next;
    char *path = paths[next++ % 2];
    snprintf(path, sizeof paths[0], "%s/recording.wrought", out);
    return path;
}

// The hashes of all frames; returns their number.
static int read_hashes(const char *out, uint64_t *hashes, int room)
{
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(recording(out), &error);
    if (!reader) {
        fail_msg("%s", error.message);
    }
    int count = wr_record_frame_count(reader);
    for (int i = 0; i < count && i < room; i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, &error);
        if (!frame) {
            fail_msg("%s", error.message);
        }
        hashes[i] = frame->hash;
    }
    wr_record_close(reader);
    return count;
}

enum { FRAMES = 241 };

// However often it was interrupted, the file is that of a run without interruption.
static void assert_same_bytes(const char *a, const char *b)
{
    assert_same_files(recording(a), recording(b));
}

static void assert_same_film(const char *a, const char *b)
{
    uint64_t x[FRAMES], y[FRAMES];
    assert_int_equal(read_hashes(a, x, FRAMES), FRAMES);
    assert_int_equal(read_hashes(b, y, FRAMES), FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        if (x[i] != y[i]) {
            fail_msg("frame %d differs", i);
        }
    }
    assert_same_bytes(a, b);
}

// Ends of all chunks of a kind, such as "SNAP", in a recording of `size` bytes.
static int find_chunk_ends(const char *bytes, size_t size, const char *kind, size_t *ends, int room)
{
    int count = 0;
    for (size_t at = 24; at + 24 <= size && count < room;) {
        const uint8_t *head = (const uint8_t *)bytes + at;
        size_t stored = (size_t)head[8] | (size_t)head[9] << 8 | (size_t)head[10] << 16;
        at += 24 + stored;
        if (memcmp(head, kind, 4) == 0) {
            ends[count++] = at;
        }
    }
    return count;
}

static void remove_out(const char *out)
{
    remove_tree(out);
}

// --- promises ---------------------------------------------------------------------------------

static void the_number_of_threads_and_a_second_run_do_not_matter(void **state)
{
    (void)state;
    assert_int_equal(RUN("sim", scene, "-o", out_a, "--threads", "1").status, 0);
    assert_int_equal(RUN("sim", scene, "-o", out_b, "--threads", "2").status, 0);
    assert_same_film(out_a, out_b);
    assert_int_equal(RUN("sim", scene, "-o", out_b, "--threads", "2", "--fresh").status, 0);
    assert_same_film(out_a, out_b);
    remove_out(out_b);
}

// Kills the program that many times and lets it end; least: how often it must have been caught.
static void kill_and_resume(const char *what, int times, int least)
{
    float whole = (float)wri_file_size(recording(out_a));
    uint64_t seed = 20261115;
    int kills = 0;
    for (int i = 0; i < times; i++) {
        const char *threads = i % 2 ? "1" : "2";
        const char *words[] = {"sim", what, "-o", out_b, "--threads", threads, NULL};
        pid_t child = start(words, RLIM_INFINITY, errors_path());
        wait_for_bytes(child, recording(out_b), (int64_t)random_float(&seed, 0.0f, 0.9f * whole));
        kill(child, SIGKILL);
        kills += finish(child, errors_path()).status == -1;
    }
    assert_true(kills >= least); // the others ended between two looks at the file
    outcome last = RUN("sim", what, "-o", out_b, "--threads", "1");
    if (last.status != 0) {
        fail_msg("%s", last.errors);
    }
    assert_same_film(out_a, out_b);
    remove_out(out_b);
}

static void killed_at_twenty_random_moments_it_resumes_to_the_same_film(void **state)
{
    (void)state;
    assert_int_equal(RUN("sim", scene, "-o", out_a, "--fresh").status, 0);
    kill_and_resume(scene, 20, 5);
}

// The most particles that were recorded of one body.
static int most_particles(const char *out)
{
    int most = 0;
    wr_record_reader *reader = wr_record_open(recording(out), NULL);
    assert_non_null(reader);
    for (int i = 0; i < wr_record_frame_count(reader); i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, NULL);
        assert_non_null(frame);
        for (int k = 0; k < frame->particles_count; k++) {
            most = frame->particles[k].count > most ? frame->particles[k].count : most;
        }
    }
    wr_record_close(reader);
    return most;
}

static void clay_that_splits_and_is_held_resumes_to_the_same_film(void **state)
{
    (void)state;
    assert_int_equal(RUN("sim", clay_scene, "-o", out_a, "--fresh", "--threads", "2").status, 0);
    assert_true(most_particles(out_a) > 201); // of about 200 at the start
    kill_and_resume(clay_scene, 8, 4);
    remove_out(out_a);
}

// A chain of bones falls on a wedge and on itself, a ball hits it, and something soft lies on it.
static void put_flesh_scene(const char *path)
{
    char text[1200];
    int length = snprintf(
        text, sizeof text,
        "{\"wrought\": 1, \"length\": 4, \"substeps\": 1, \"assets\": {\"tube\": "
        "\"%s/models/tube.glb\"}, "
        "\"bodies\": [{\"shape\": \"plane\"}, {\"shape\": {\"box\": [0.2, 0.2, 0.2]}, \"at\": [0, "
        "0.1, 0], \"motion\": \"static\"}, {\"asset\": \"tube\", \"at\": [0, 0.22, 0], "
        "\"material\": "
        "{\"flesh\": \"fat\", \"spacing\": 0, \"joints\": 0.05}}, {\"shape\": {\"sphere\": 0.08}, "
        "\"at\": [0, 0.5, 0.3], \"velocity\": [0, -2, 0]}, {\"shape\": {\"box\": [0.1, 0.1, 0.1]}, "
        "\"at\": [0.02, 0.42, -0.1], \"material\": {\"flesh\": \"jelly\", \"spacing\": 3}}]}",
        getenv("WROUGHT_SCENES"));
    assert_true(length > 0 && length < (int)sizeof text);
    assert_true(wri_file_write(path, text, (size_t)length, NULL));
}

static void flesh_on_bones_in_contact_resumes_to_the_same_film(void **state)
{
    (void)state;
    char flesh_scene[700];
    snprintf(flesh_scene, sizeof flesh_scene, "%s/flesh.scene.json", folder.path);
    put_flesh_scene(flesh_scene);
    assert_int_equal(RUN("sim", flesh_scene, "-o", out_a, "--fresh", "--threads", "2").status, 0);
    assert_int_equal(RUN("sim", flesh_scene, "-o", out_b, "--fresh", "--threads", "1").status, 0);
    assert_same_film(out_a, out_b);
    remove_out(out_b);
    kill_and_resume(flesh_scene, 6, 2);
    remove_out(out_a);
}

static void interrupt_with(int signal)
{
    const char *words[] = {"sim", scene, "-o", out_b, NULL};
    bool caught = false;
    char resumed[64] = "";
    for (int i = 0; i < 20 && !caught; i++) {
        remove_out(out_b);
        pid_t child = start(words, RLIM_INFINITY, errors_path());
        wait_for_bytes(child, recording(out_b), 10000);
        kill(child, signal);
        outcome o = finish(child, errors_path());
        caught = o.status == 130;
        if (caught) {
            const char *from = strstr(o.errors, "goes on from frame ");
            int frame = -1;
            assert_non_null(strstr(o.errors, "interrupted at frame"));
            assert_true(from && sscanf(from, "goes on from frame %d", &frame) == 1);
            snprintf(resumed, sizeof resumed, "at frame %d\n", frame);
        }
    }
    assert_true(caught);
    uint64_t hashes[FRAMES];
    assert_true(read_hashes(out_b, hashes, FRAMES) > 0);
    outcome o = RUN("sim", scene, "-o", out_b);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.errors, resumed)); // where it said
    assert_same_film(out_a, out_b);
    remove_out(out_b);
}

static void ctrl_c_leaves_a_recording_that_resumes(void **state)
{
    (void)state;
    interrupt_with(SIGINT);
    interrupt_with(SIGTERM);
}

// The frame that it is at is not waited for.
static void ctrl_c_ends_it_in_the_middle_of_a_frame(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/slow.scene.json", folder.path);
    assert_true(wri_file_write(path, slow, sizeof slow - 1, NULL));
    assert_int_equal(RUN("sim", path, "-o", out_b).status, 0);
    assert_true(rename(out_b, out_slow) == 0);
    size_t size, snapshots[8];
    char *bytes = wri_file_read(recording(out_slow), 1 << 24, NULL, &size, NULL);
    assert_non_null(bytes);
    assert_int_equal(find_chunk_ends(bytes, size, "SNAP", snapshots, 8), 4);
    wri_free(NULL, bytes, size + 1, 1);
    for (int k = 0; k < 2; k++) {
        char sentence[128];
        const char *words[] = {"sim", path, "-o", out_b, NULL};
        pid_t child = start(words, RLIM_INFINITY, errors_path());
        wait_for_bytes(child, recording(out_b), (int64_t)snapshots[k]);
        nap(0.02);
        kill(child, SIGINT);
        outcome o = finish(child, errors_path());
        assert_int_equal(o.status, 130);
        snprintf(sentence, sizeof sentence,
                 "interrupted at frame %d; the same command goes on from frame %d, ", k, k);
        if (!strstr(o.errors, sentence)) {
            fail_msg("%s", o.errors);
        }
        uint64_t hashes[FRAMES];
        assert_int_equal(read_hashes(out_b, hashes, FRAMES), k + 1);
    }
    assert_int_equal(RUN("sim", path, "-o", out_b).status, 0);
    assert_same_bytes(out_slow, out_b);
    remove_out(out_b);
    remove_out(out_slow);
}

static void a_full_disk_is_one_sentence_and_what_was_written_stays(void **state)
{
    (void)state;
    const char *words[] = {"sim", scene, "-o", out_b, NULL};
    outcome o = finish(start(words, 60000, errors_path()), errors_path());
    assert_int_equal(o.status, 3);
    assert_non_null(strstr(o.errors, "recording.wrought: cannot write: File too large"));
    uint64_t hashes[FRAMES];
    int count = read_hashes(out_b, hashes, FRAMES);
    assert_true(count > 10 && count < FRAMES);
    assert_int_equal(RUN("sim", scene, "-o", out_b).status, 0);
    assert_same_film(out_a, out_b);
    remove_out(out_b);
}

static void a_recording_cut_off_anywhere_resumes(void **state)
{
    (void)state;
    size_t size;
    char *bytes = wri_file_read(recording(out_a), 1 << 24, NULL, &size, NULL);
    assert_non_null(bytes);
    size_t cuts[20] = {0, 1, 23, 24, 30, 100, 400, size / 10, size / 2, size - 1};
    int saves = find_chunk_ends(bytes, size, "SNAP", cuts + 10, 10);
    assert_int_equal(saves, 5); // also after the last frame, before the index
    assert_true(wri_folder_create(out_b, NULL));
    for (int i = 0; i < 10 + saves; i++) {
        assert_true(wri_file_write(recording(out_b), bytes, cuts[i], NULL));
        outcome o = RUN("sim", scene, "-o", out_b);
        if (o.status != 0) {
            fail_msg("cut at %zu: %s", cuts[i], o.errors);
        }
        assert_same_film(out_a, out_b);
    }
    wri_free(NULL, bytes, size + 1, 1);
    remove_out(out_b);
}

static void a_disk_that_is_full_from_the_start_is_one_sentence(void **state)
{
    (void)state;
    const char *words[] = {"sim", scene, "-o", out_b, NULL};
    outcome o = finish(start(words, 100, errors_path()), errors_path());
    assert_int_equal(o.status, 3);
    assert_non_null(strstr(o.errors, "recording.wrought: cannot write: "));
    assert_int_equal(RUN("sim", scene, "-o", out_b).status, 0);
    assert_same_film(out_a, out_b);
    remove_out(out_b);
}

static void a_complete_recording_is_not_made_again(void **state)
{
    (void)state;
    int64_t before = wri_file_changed_ns(recording(out_a));
    outcome o = RUN("sim", scene, "-o", out_a);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.errors, "is complete"));
    assert_true(wri_file_changed_ns(recording(out_a)) == before);
}

static void a_changed_scene_keeps_the_old_recording(void **state)
{
    (void)state;
    char changed[700], old[700];
    snprintf(changed, sizeof changed, "%s/two words/changed.scene.json", folder.path);
    snprintf(old, sizeof old, "%s/recording.old.wrought", out_b);
    const char text[] = "{ \"wrought\": 1, \"length\": 0.2, \"bodies\": [] }";
    assert_true(wri_file_write(changed, text, sizeof text - 1, NULL));
    assert_int_equal(RUN("sim", changed, "-o", out_b).status, 0);
    int64_t size = wri_file_size(recording(out_b));
    assert_int_equal(RUN("sim", scene, "-o", out_b).status, 0);
    assert_true(wri_file_size(old) == size);
    remove_out(out_b);
}

static void a_recording_that_is_being_written_is_not_taken_away(void **state)
{
    (void)state;
    char other[700], sentence[800];
    snprintf(other, sizeof other, "%s/two words/other.scene.json", folder.path);
    const char text[] = "{ \"wrought\": 1, \"length\": 0.2, \"bodies\": [] }";
    assert_true(wri_file_write(other, text, sizeof text - 1, NULL));
    const char *words[] = {"sim", scene, "-o", out_b, NULL};
    pid_t child = start(words, RLIM_INFINITY, errors_path());
    wait_for_bytes(child, recording(out_b), 3000);
    kill(child, SIGSTOP);
    outcome o = RUN("sim", other, "-o", out_b);
    kill(child, SIGCONT);
    assert_int_equal(finish(child, errors_path()).status, 0);
    snprintf(sentence, sizeof sentence, "%s: somebody else is writing to it", recording(out_b));
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.errors, sentence));
    assert_same_film(out_a, out_b);
    remove_out(out_b);
}

static void every_old_recording_is_kept(void **state)
{
    (void)state;
    char first[700], second[700];
    snprintf(first, sizeof first, "%s/recording.old.wrought", out_b);
    snprintf(second, sizeof second, "%s/recording.old.2.wrought", out_b);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(RUN("sim", scene, "-o", out_b, "--fresh").status, 0);
    }
    assert_true(wri_file_exists(first) && wri_file_exists(second));
    remove_out(out_b);
}

static void the_library_computes_what_sim_records(void **state)
{
    (void)state;
    uint64_t hashes[FRAMES];
    assert_int_equal(read_hashes(out_a, hashes, FRAMES), FRAMES);
    wr_error error = {0};
    wr_scene *read = wr_scene_read(scene, NULL, &error);
    assert_non_null(read);
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = read;
    wr_world *world = wr_world_create(&desc, &error);
    assert_non_null(world);
    for (int i = 0; i < FRAMES; i++) {
        if (wr_world_frame(world)->hash != hashes[i]) {
            fail_msg("frame %d differs", i);
        }
        wr_world_step_frame(world);
    }
    wr_world_destroy(world);
    wr_scene_destroy(read);
}

static void need_ffmpeg(void)
{
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) {
        print_message("ffmpeg is not installed\n");
        skip();
    }
}

static void an_interrupted_film_does_not_replace_a_whole_one(void **state)
{
    (void)state;
    char film[700], partial[700];
    need_ffmpeg();
    snprintf(film, sizeof film, "%s/two words/film.mp4", folder.path);
    snprintf(partial, sizeof partial, "%s/two words/film.partial.mp4", folder.path);
    assert_true(wri_file_write(film, "whole", 5, NULL));
    const char *words[] = {"render", out_a, "-o", film, "--size", "320x180", NULL};
    pid_t child = start(words, RLIM_INFINITY, errors_path());
    while (!has_part(film) && !has_ended(child)) {
        nap(0.0005);
    }
    kill(child, SIGINT);
    outcome o = finish(child, errors_path());
    assert_int_equal(o.status, 130);
    assert_int_equal(wri_file_size(film), 5);
    assert_true(wri_file_exists(partial) == (strstr(o.errors, "film.partial.mp4") != NULL));
}

// A program that hangs must not hang the test.
static void kill_after(pid_t child, double seconds)
{
    for (int i = 0; i < (int)(seconds / 0.05); i++) {
        if (has_ended(child)) {
            return;
        }
        nap(0.05);
    }
    kill(child, SIGKILL);
}

// A film is drawn with a program called ffmpeg that hangs: before it takes anything, or when it has
// everything. Returns what the first Ctrl-C leads to.
static outcome interrupt_hanging_film(const char *script, const char *film, bool *left_a_child)
{
    char bin[600], path[1400], ffmpeg[700], id[700];
    snprintf(bin, sizeof bin, "%s/bin", folder.path);
    snprintf(ffmpeg, sizeof ffmpeg, "%s/ffmpeg", bin);
    snprintf(id, sizeof id, "%s/id", bin);
    assert_true(wri_folder_create(bin, NULL));
    wri_file_remove(id);
    char text[1500];
    int length =
        snprintf(text, sizeof text, "#!/bin/sh\necho $$ >'%s.new' && mv '%s.new' '%s'\n%s\n", id,
                 id, id, script);
    assert_true(wri_file_write(ffmpeg, text, (size_t)length, NULL));
    assert_int_equal(chmod(ffmpeg, 0755), 0);
    const char *before = getenv("PATH");
    char kept[600];
    snprintf(kept, sizeof kept, "%s", before ? before : "/usr/bin:/bin");
    snprintf(path, sizeof path, "%s:%s", bin, kept);
    setenv("PATH", path, 1);
    const char *words[] = {"render", out_a, "-o",        film, "--size", "320x180",
                           "--to",   "0.2", "--samples", "1",  NULL};
    pid_t child = start(words, RLIM_INFINITY, errors_path());
    setenv("PATH", kept, 1);
    for (int i = 0; i < 600 && !wri_file_exists(id); i++) {
        nap(0.05);
    }
    nap(1.0); // it waits now
    kill(child, SIGINT);
    kill_after(child, 25.0);
    outcome o = finish(child, errors_path());
    size_t size = 0;
    char *number = wri_file_read(id, 64, NULL, &size, NULL);
    assert_non_null(number);
    *left_a_child = kill((pid_t)atoi(number), 0) == 0;
    kill(-(pid_t)atoi(number), SIGKILL);
    wri_free(NULL, number, size + 1, 1);
    return o;
}

static int count_files(const char *path)
{
    DIR *list = opendir(path);
    int count = -2; // "." and ".."
    while (list && readdir(list)) {
        count++;
    }
    closedir(list);
    return count;
}

static void the_first_interrupt_ends_a_hanging_ffmpeg(void **state)
{
    (void)state;
    static const char *const scripts[] = {"sleep 100", "cat >/dev/null; sleep 100"};
    char films[600], film[700];
    snprintf(films, sizeof films, "%s/films", folder.path);
    snprintf(film, sizeof film, "%s/film.mp4", films);
    assert_true(wri_folder_create(films, NULL));
    for (int i = 0; i < WRI_COUNT(scripts); i++) {
        bool left = true;
        outcome o = interrupt_hanging_film(scripts[i], film, &left);
        assert_int_equal(o.status, 130);
        assert_non_null(strstr(o.errors, "interrupted; ffmpeg did not finish and was ended"));
        assert_false(left);
        assert_int_equal(count_files(films), 0);
    }
}

static int count_parts(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/two words", folder.path);
    DIR *list = opendir(path);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(list));) {
        count += strncmp(entry->d_name, "cut.mp4.", 8) == 0;
    }
    closedir(list);
    return count;
}

static void what_a_killed_render_left_goes_with_the_next_one(void **state)
{
    (void)state;
    char film[700];
    need_ffmpeg();
    snprintf(film, sizeof film, "%s/two words/cut.mp4", folder.path);
    const char *words[] = {"render", out_a, "-o", film, "--size", "320x180", NULL};
    pid_t child = start(words, RLIM_INFINITY, errors_path());
    while (count_parts() == 0 && !has_ended(child)) {
        nap(0.0005);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(count_parts(), 1);
    assert_int_equal(
        RUN("render", out_a, "-o", film, "--size", "32x18", "--samples", "1", "--to", "0.2").status,
        0);
    assert_int_equal(count_parts(), 0);
}

static void a_foreign_file_is_not_overwritten(void **state)
{
    (void)state;
    assert_true(wri_folder_create(out_b, NULL));
    const char text[] = "a letter to my aunt";
    assert_true(wri_file_write(recording(out_b), text, sizeof text, NULL));
    outcome o = RUN("sim", scene, "-o", out_b);
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.errors, "recording.wrought"));
    assert_true(wri_file_size(recording(out_b)) == (int64_t)sizeof text);
    remove_out(out_b);
}

static void wrong_words_get_a_suggestion_and_status_2(void **state)
{
    (void)state;
    static const struct {
        const char *words[5];
        const char *sentence;
    } cases[] = {
        {{"smi"}, "unknown command \"smi\"; did you mean \"sim\"?"},
        {{"sim"}, "wrought sim: expected SCENE.json"},
        {{"sim", "x", "--treads", "2"}, "unknown option \"--treads\"; did you mean \"--threads\"?"},
        {{"sim", "x", "--threads", "0"},
         "--threads is \"0\", expected a whole number from 1 to 256"},
        {{"sim", "x", "--threads"}, "--threads expects a value"},
        {{"sim", "x", "--threads=0"}, "--threads is \"0\", expected a whole number from 1 to 256"},
        {{"sim", "x", "--threads="}, "--threads is \"\", expected a whole number from 1 to 256"},
        {{"sim", "x", "--treads=2"}, "unknown option \"--treads=2\"; did you mean \"--threads\"?"},
        {{"sim", "x", "--quiet=1"}, "--quiet takes no value"},
        {{"sim", "x", "--thread"}, "unknown option \"--thread\"; did you mean \"--threads\"?"},
        {{"sim", "x", "--output="}, "--output is empty, expected a path"},
        {{"render", "x", "-o", ""}, "--output is empty, expected a path"},
        {{"sim", "x", "-o=y"}, "unknown option \"-o=y\""},
        {{"render", "x", "-o", "film.avi"}, "film.avi: unknown kind of file"},
        {{"render", "x", "--size", "12"}, "--size is \"12\", expected WIDTHxHEIGHT"},
        {{"render", "x", "--slow", "0.5"}, "--slow is \"0.5\", expected a number from 1 to 1000"},
        {{"render", "x", "--slow", "2", "--frame=3"}, "--slow has no effect on a picture"},
        {{"render", "x", "--force"}, "--force is for numbered pictures, NAME.####.png"},
        {{"export", "x", "-o", "take.fbx"}, "take.fbx: unknown kind of file, expected .glb"},
        {{"bench", "riigid"}, "unknown bench \"riigid\"; did you mean \"rigid\"?"},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        const char *words[6] = {0};
        memcpy(words, cases[i].words, sizeof cases[i].words);
        outcome o = finish(start(words, RLIM_INFINITY, errors_path()), errors_path());
        if (o.status != 2 || !strstr(o.errors, cases[i].sentence)) {
            fail_msg("case %d: status %d, said: %s", i, o.status, o.errors);
        }
    }
}

// A recipe that takes long says so before it begins; others say nothing.
static void recipes_that_take_minutes_say_so_first(void **state)
{
    (void)state;
    static const char cube[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\n"
                               "v 0 1 1\nf 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
                               "f 5 6 7 8\n";
    static const char recipe[] = "{ \"wrought\": 1, \"name\": \"cube\", \"model\": \"cube.obj\", "
                                 "\"simulation\": { \"vertices\": %d }, "
                                 "\"handles\": { \"automatic\": 4 },\n"
                                 "\"cuts\": [{ \"plane\": { \"normal\": [0, 1, 0], "
                                 "\"at\": [0, 0.5, 0] } }] }\n";
    char path[700], text[600], asset[700];
    snprintf(path, sizeof path, "%s/cube.obj", folder.path);
    assert_true(wri_file_write(path, cube, sizeof cube - 1, NULL));
    snprintf(path, sizeof path, "%s/cube.recipe.json", folder.path);
    snprintf(asset, sizeof asset, "%s/cube.glb", folder.path);
    int length = snprintf(text, sizeof text, recipe, 1000000);
    assert_true(wri_file_write(path, text, (size_t)length, NULL));
    const char *words[] = {"rig", path, "-o", asset, NULL};
    wri_file_remove(errors_path());
    pid_t child = start(words, RLIM_INFINITY, errors_path());
    for (int i = 0; i < 400 && wri_file_size(errors_path()) <= 0; i++) {
        nap(0.05);
    }
    kill(child, SIGKILL);
    outcome o = finish(child, errors_path());
    assert_non_null(strstr(o.errors, "1000000 vertices with 4 handles takes about "));
    length = snprintf(text, sizeof text, recipe, 100);
    assert_true(wri_file_write(path, text, (size_t)length, NULL));
    o = finish(start(words, RLIM_INFINITY, errors_path()), errors_path());
    assert_int_equal(o.status, 0);
    assert_null(strstr(o.errors, "takes about"));
}

// Runs with everything that is printed going to a disk that is full.
static int run_without_stdout(const char *word, const char *argument)
{
    const char *program = getenv("WROUGHT_PROGRAM");
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/full", O_WRONLY), 1);
        dup2(open("/dev/null", O_WRONLY), 2);
        execl(program, program, word, argument, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// 130, and 3 for a full disk, have tests of their own.
static void the_exit_status_is_what_help_says(void **state)
{
    (void)state;
    static const char fast[] =
        "{ \"wrought\": 1, \"length\": 0.1, \"substeps\": 1, \"bodies\": [ { \"shape\": "
        "{ \"box\": [0.01, 4, 4] }, \"at\": [50, 2, 0], \"motion\": \"static\" }, { \"shape\": "
        "{ \"sphere\": 0.005 }, \"at\": [0, 1, 0], \"velocity\": [100000, 0, 0] } ] }";
    char path[700];
    assert_int_equal(RUN("--version").status, 0);
    assert_int_equal(RUN("help").status, 0);
    assert_int_equal(RUN("sim", "--help").status, 0);
    assert_int_equal(RUN("info", out_a).status, 0);
    assert_int_equal(RUN("info", "/nowhere").status, 1);
    assert_int_equal(RUN("sim", "/nowhere.json", "-o", out_b).status, 1);
    const char *nothing[] = {NULL};
    assert_int_equal(finish(start(nothing, RLIM_INFINITY, errors_path()), errors_path()).status, 2);
    assert_int_equal(RUN("--help-me").status, 2);
    snprintf(path, sizeof path, "%s/fast.scene.json", folder.path);
    assert_true(wri_file_write(path, fast, sizeof fast - 1, NULL));
    outcome o = RUN("sim", path, "-o", out_b);
    assert_int_equal(o.status, 3);
    assert_non_null(strstr(o.errors, "too fast to be sure"));
    remove_out(out_b);
    if (wri_file_exists("/dev/full")) {
        assert_int_equal(run_without_stdout("--help", NULL), 3);
        assert_int_equal(run_without_stdout("--version", NULL), 3);
        assert_int_equal(run_without_stdout("sim", "--help"), 3);
        assert_int_equal(run_without_stdout("info", out_a), 3);
        assert_int_equal(run_without_stdout("info", "/nowhere"), 1); // the worse one
    }
}

static void values_may_stand_behind_an_equals_sign(void **state)
{
    (void)state;
    char output[720], picture[700], size[] = "--size=32x24";
    snprintf(picture, sizeof picture, "%s/two words/a=b.png", folder.path);
    snprintf(output, sizeof output, "--output=%s", picture);
    outcome o = RUN("render", out_a, output, size, "--samples=1", "--frame=3", "--quiet");
    assert_int_equal(o.status, 0);
    assert_string_equal(o.errors, "");
    assert_true(wri_file_exists(picture));
}

// What the last run printed.
static void read_printed(char *text, size_t size)
{
    char path[600];
    snprintf(path, sizeof path, "%s.stdout", errors_path());
    size_t length = 0;
    char *bytes = wri_file_read(path, 1 << 20, NULL, &length, NULL);
    snprintf(text, size, "%s", bytes ? bytes : "");
    wri_free(NULL, bytes, length + 1, 1);
}

static int count_lines(const char *text)
{
    int count = 0;
    for (; *text; text++) {
        count += *text == '\n';
    }
    return count;
}

// Wherever a name comes from, it cannot make a second line or talk to the terminal.
static void names_with_control_characters_stay_in_one_line(void **state)
{
    (void)state;
    char path[700];
    outcome o = RUN("info", "no\nsuch\x1b[31mfile\xc2\x9b.glb");
    assert_int_equal(o.status, 1);
    assert_int_equal(count_lines(o.errors), 1);
    assert_non_null(strstr(o.errors, "no\\nsuch\\x1b[31mfile\\x9b.glb"));
    o = RUN("sm\nwrought: done");
    assert_int_equal(o.status, 2);
    assert_int_equal(count_lines(o.errors), 1);
    o = RUN("sim", "a", "b\nc");
    assert_int_equal(o.status, 2);
    assert_int_equal(count_lines(o.errors), 2); // the second one is the usage
    assert_non_null(strstr(o.errors, "unexpected argument \"b\\nc\"\nusage: "));
    static const char lines[] = "{ \"wrought\": 1, \"bodies\": [ { \"name\": \"a\", \"shape\": "
                                "\"x\\ny\\u001b\" } ] }\n";
    snprintf(path, sizeof path, "%s/lines.scene.json", folder.path);
    assert_true(wri_file_write(path, lines, sizeof lines - 1, NULL));
    o = RUN("sim", path, "-o", out_b);
    assert_int_equal(o.status, 1);
    assert_int_equal(count_lines(o.errors), 1);
    assert_non_null(strstr(o.errors, "unknown shape \"x?y?\""));
}

// The same on stdout: of what is read, and of what was written.
static void printed_names_with_control_characters_stay_in_one_line(void **state)
{
    (void)state;
    static const char point[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    char path[700], made[700], expected[800];
    snprintf(path, sizeof path, "%s/a\n\x1b[31mb.obj", folder.path);
    snprintf(made, sizeof made, "%s/c\td.glb", folder.path);
    assert_true(wri_file_write(path, point, sizeof point - 1, NULL));
    static char text[1 << 14];
    assert_int_equal(RUN("info", path).status, 0);
    read_printed(text, sizeof text);
    snprintf(expected, sizeof expected, "%s/a\\n\\x1b[31mb.obj\n", folder.path);
    assert_memory_equal(text, expected, strlen(expected));
    assert_int_equal(RUN("export", path, "-o", made).status, 0);
    read_printed(text, sizeof text);
    snprintf(expected, sizeof expected, "%s/c\\td.glb: ", folder.path);
    assert_memory_equal(text, expected, strlen(expected));
    assert_int_equal(count_lines(text), 1);
}

// A copy of the program that lies where no scenes are.
static void a_demo_without_the_shipped_scenes_says_so(void **state)
{
    (void)state;
    const char *program = getenv("WROUGHT_PROGRAM"), *scenes = getenv("WROUGHT_SCENES");
    if (!program) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    char copy[600], old[1024], shipped[1024];
    size_t size;
    char *bytes = wri_file_read(program, 1 << 28, NULL, &size, NULL);
    snprintf(copy, sizeof copy, "%s/two words/moved", folder.path);
    snprintf(old, sizeof old, "%s", program);
    snprintf(shipped, sizeof shipped, "%s", scenes ? scenes : "");
    assert_true(bytes && wri_file_write(copy, bytes, size, NULL) && chmod(copy, 0755) == 0);
    wri_free(NULL, bytes, size + 1, 1);
    setenv("WROUGHT_PROGRAM", copy, 1);
    unsetenv("WROUGHT_SCENES");
    outcome o = RUN("demo", "pachinko");
    setenv("WROUGHT_PROGRAM", old, 1);
    if (scenes) {
        setenv("WROUGHT_SCENES", shipped, 1);
    }
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.errors, "the shipped scenes are not found"));
    assert_non_null(strstr(o.errors, "WROUGHT_SCENES"));
    o = RUN("demo", "pachinco");
    assert_int_equal(o.status, 2);
    assert_non_null(strstr(o.errors, "no demo called \"pachinco\""));
}

// Tells whether a name stands in a list, and not only as a part of another.
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    const char *at = strstr(list, name);
    while (at && !(at > list && at[-1] == ' ' && strchr(", \n", at[length]))) {
        at = strstr(at + 1, name);
    }
    return at != NULL;
}

static void every_shipped_scene_is_in_the_list_of_demos(void **state)
{
    (void)state;
    const char *scenes = getenv("WROUGHT_SCENES"), *ending = ".scene.json";
    DIR *shipped = scenes ? opendir(scenes) : NULL;
    if (!shipped) {
        print_message("WROUGHT_SCENES is not set\n");
        skip();
    }
    outcome o = RUN("demo", "nothing");
    int count = 0;
    for (struct dirent *entry = readdir(shipped); entry; entry = readdir(shipped)) {
        char *dot = strstr(entry->d_name, ending);
        if (dot && !dot[strlen(ending)]) {
            *dot = '\0';
            if (!is_listed(o.errors, entry->d_name)) {
                fail_msg("%s: %s", entry->d_name, o.errors);
            }
            count++;
        }
    }
    closedir(shipped);
    assert_true(count >= 18);
}

static void bad_input_is_one_sentence_and_status_1(void **state)
{
    (void)state;
    char broken[700];
    snprintf(broken, sizeof broken, "%s/two words/broken.scene.json", folder.path);
    const char text[] = "{ \"wrought\": 1,\n  \"bodies\": [ { \"shpe\": \"plane\" } ] }";
    assert_true(wri_file_write(broken, text, sizeof text - 1, NULL));
    const char *const commands[][4] = {{"sim", broken, "-o", out_b},
                                       {"info", broken},
                                       {"sim", "/nowhere.json", "-o", out_b},
                                       {"render", "/nowhere"},
                                       {"info", scene + 1}};
    for (int i = 0; i < WRI_COUNT(commands); i++) {
        const char *words[5] = {0};
        memcpy(words, commands[i], sizeof commands[i]);
        outcome o = finish(start(words, RLIM_INFINITY, errors_path()), errors_path());
        const char *newline = strchr(o.errors, '\n');
        if (o.status != 1 || !newline || newline[1]) {
            fail_msg("case %d: status %d, said: %s", i, o.status, o.errors);
        }
    }
    outcome o = RUN("sim", broken, "-o", out_b);
    assert_non_null(strstr(o.errors,
                           "broken.scene.json:2:17: body 1: unknown key \"shpe\"; did you "
                           "mean \"shape\"?"));
    assert_false(wri_file_exists(out_b));
}

static void clean_tells_what_it_did_only_when_it_is_done(void **state)
{
    (void)state;
    char in[700], out[700], printed[600];
    snprintf(in, sizeof in, "%s/two words/three.obj", folder.path);
    snprintf(out, sizeof out, "%s/two words/three.glb", folder.path);
    snprintf(printed, sizeof printed, "%s.stdout", errors_path());
    const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_true(wri_file_write(in, text, sizeof text - 1, NULL));
    const char *words[] = {"clean", in, "-o", out, NULL};
    outcome o = finish(start(words, 100, errors_path()), errors_path()); // a full disk
    assert_int_equal(o.status, 3);
    assert_int_equal(wri_file_size(printed), 0);
    assert_false(wri_file_exists(out));
    assert_int_equal(finish(start(words, RLIM_INFINITY, errors_path()), errors_path()).status, 0);
    assert_true(wri_file_size(printed) > 100 && wri_file_exists(out));
}

static void an_exported_take_reads_back_with_all_bodies(void **state)
{
    (void)state;
    char take[700];
    snprintf(take, sizeof take, "%s/two words/take.glb", folder.path);
    assert_int_equal(RUN("export", out_a, "-o", take).status, 0);
    wr_error error = {0};
    wr_model *model = wr_model_read(take, NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(model->node_count, 28); // ground, 24 crates, ball, camera and sun
    assert_int_equal(model->mesh_count, 3);
    assert_string_equal(model->nodes[25].name, "ball");
    wr_model_destroy(model);
}

static void clean_writes_a_mended_copy_and_never_over_its_input(void **state)
{
    (void)state;
    char in[700], out[700], other[700];
    snprintf(in, sizeof in, "%s/two words/bent.glb", folder.path);
    snprintf(out, sizeof out, "%s/two words/mended.glb", folder.path);
    snprintf(other, sizeof other, "%s/two words/../two words/bent.glb", folder.path);
    wr_model *box =
        wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1), (wr_color){1, 1, 1, 1}, NULL);
    int *t = box->meshes[0].triangles, swap = t[1];
    t[1] = t[2];
    t[2] = swap;
    assert_true(wr_model_write_glb(box, in, NULL));
    wr_model_destroy(box);
    size_t size = 0, again = 0;
    char *before = wri_file_read(in, 1 << 20, NULL, &size, NULL);
    outcome o = RUN("clean", in, "-o", other);
    assert_int_equal(o.status, 2);
    assert_non_null(strstr(o.errors, "is the input, which stays as it is"));
    assert_int_equal(RUN("clean", in).status, 2);
    assert_int_equal(RUN("clean", in, "-o", out, "--weld", "1").status, 2);
    assert_int_equal(RUN("clean", "/nowhere.obj", "-o", out).status, 1);
    assert_false(wri_file_exists(out));
    assert_int_equal(RUN("clean", in, "-o", out).status, 0);
    assert_int_equal(RUN("info", out, "--json").status, 0);
    char *after = wri_file_read(in, 1 << 20, NULL, &again, NULL);
    assert_int_equal(size, again);
    assert_memory_equal(before, after, size);
    wri_free(NULL, before, size + 1, 1);
    wri_free(NULL, after, again + 1, 1);
    wr_model *model = wr_model_read(out, NULL, NULL);
    wr_mesh_report report;
    assert_true(model && wr_mesh_inspect(model->meshes, NULL, &report, NULL));
    assert_true(report.is_sound);
    assert_int_equal(model->look_count, 1);
    wr_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clay_that_splits_and_is_held_resumes_to_the_same_film),
        cmocka_unit_test(flesh_on_bones_in_contact_resumes_to_the_same_film),
        cmocka_unit_test(the_number_of_threads_and_a_second_run_do_not_matter),
        cmocka_unit_test(killed_at_twenty_random_moments_it_resumes_to_the_same_film),
        cmocka_unit_test(ctrl_c_leaves_a_recording_that_resumes),
        cmocka_unit_test(ctrl_c_ends_it_in_the_middle_of_a_frame),
        cmocka_unit_test(a_full_disk_is_one_sentence_and_what_was_written_stays),
        cmocka_unit_test(a_recording_cut_off_anywhere_resumes),
        cmocka_unit_test(a_disk_that_is_full_from_the_start_is_one_sentence),
        cmocka_unit_test(a_complete_recording_is_not_made_again),
        cmocka_unit_test(a_changed_scene_keeps_the_old_recording),
        cmocka_unit_test(a_recording_that_is_being_written_is_not_taken_away),
        cmocka_unit_test(every_old_recording_is_kept),
        cmocka_unit_test(the_library_computes_what_sim_records),
        cmocka_unit_test(an_interrupted_film_does_not_replace_a_whole_one),
        cmocka_unit_test(the_first_interrupt_ends_a_hanging_ffmpeg),
        cmocka_unit_test(what_a_killed_render_left_goes_with_the_next_one),
        cmocka_unit_test(a_foreign_file_is_not_overwritten),
        cmocka_unit_test(wrong_words_get_a_suggestion_and_status_2),
        cmocka_unit_test(bad_input_is_one_sentence_and_status_1),
        cmocka_unit_test(recipes_that_take_minutes_say_so_first),
        cmocka_unit_test(the_exit_status_is_what_help_says),
        cmocka_unit_test(values_may_stand_behind_an_equals_sign),
        cmocka_unit_test(names_with_control_characters_stay_in_one_line),
        cmocka_unit_test(printed_names_with_control_characters_stay_in_one_line),
        cmocka_unit_test(a_demo_without_the_shipped_scenes_says_so),
        cmocka_unit_test(every_shipped_scene_is_in_the_list_of_demos),
        cmocka_unit_test(an_exported_take_reads_back_with_all_bodies),
        cmocka_unit_test(clean_tells_what_it_did_only_when_it_is_done),
        cmocka_unit_test(clean_writes_a_mended_copy_and_never_over_its_input),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
