// test_broken.c: whatever is wrong with a file, the program says it in one sentence, in time, and
// leaves everything as it was.
#define _GNU_SOURCE
#include "broken.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static temporary_folder folder;
bool case_is_void;
size_t damaged_byte;
uint8_t *sound_recording;
size_t sound_recording_size;

// --- files ------------------------------------------------------------------------------------

void put_bytes(const char *name, const void *bytes, size_t size)
{
    int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    assert_true(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0);
}

static void put_text(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcmp(name + length - end, ending) == 0;
}

static void write_u32(char *at, size_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (char)(value >> (8 * i));
    }
}

static void put_glb(const char *name, const char *json, size_t size)
{
    enum { BUFFER = 36 };
    size_t padded = (size + 3) / 4 * 4, total = 12 + 8 + padded + 8 + BUFFER;
    char *bytes = calloc(1, total);
    assert_non_null(bytes);
    memcpy(bytes, "glTF\2\0\0", 8);
    write_u32(bytes + 8, total);
    write_u32(bytes + 12, padded);
    memcpy(bytes + 16, "JSON", 4);
    memset(bytes + 20, ' ', padded);
    memcpy(bytes + 20, json, size);
    write_u32(bytes + 20 + padded, BUFFER);
    memcpy(bytes + 24 + padded, "BIN", 4);
    put_bytes(name, bytes, total);
    free(bytes);
}

static void put_input(const broken *b)
{
    bool is_json = has_ending(b->name, ".json") || has_ending(b->name, ".gltf") ||
                   (has_ending(b->name, ".glb") && b->bytes[0] == '{');
    char *copy = malloc(b->size + 1);
    assert_non_null(copy);
    memcpy(copy, b->bytes, b->size);
    for (size_t i = 0; is_json && i < b->size; i++) {
        copy[i] = copy[i] == '\'' ? '"' : copy[i];
    }
    if (has_ending(b->name, ".glb") && is_json) {
        put_glb(b->name, copy, b->size);
    } else {
        put_bytes(b->name, copy, b->size);
    }
    free(copy);
}

static void put_neighbours(void)
{
    put_text("box.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
                        "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    put_text("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    put_text("ok.json", "{ \"wrought\": 1, \"length\": 0.1, \"assets\": { \"box\": \"box.obj\" },\n"
                        "  \"bodies\": [ { \"asset\": \"box\" }, { \"shape\": \"plane\" } ] }\n");
    assert_int_equal(mkdir("out", 0777), 0);
    put_text("out/keep.glb", "an old model");
    put_text("out/keep.png", "an old picture");
    put_text("out/notes.txt", "a letter to my aunt");
}

// Names, sizes, times and contents of everything below a folder, as one number.
static uint64_t hash_tree(const char *path)
{
    struct stat s;
    uint64_t hash = wri_hash(path, strlen(path), 0);
    if (lstat(path, &s) != 0) {
        return hash;
    }
    int64_t facts[3] = {(int64_t)s.st_mode, S_ISDIR(s.st_mode) ? 0 : (int64_t)s.st_size,
                        (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec};
    hash = wri_hash(facts, sizeof facts, hash);
    size_t size = 0;
    char *bytes = S_ISREG(s.st_mode) ? wri_file_read(path, 1 << 24, NULL, &size, NULL) : NULL;
    if (bytes) {
        hash = wri_hash(bytes, size, hash);
        wri_free(NULL, bytes, size + 1, 1);
    }
    DIR *entries = S_ISDIR(s.st_mode) ? opendir(path) : NULL;
    uint64_t sum = 0; // the order of entries does not matter
    for (struct dirent *e; entries && (e = readdir(entries));) {
        char child[1024];
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            snprintf(child, sizeof child, "%s/%s", path, e->d_name);
            sum += hash_tree(child);
        }
    }
    if (entries) {
        closedir(entries);
    }
    return hash + 31 * sum;
}

// --- running ----------------------------------------------------------------------------------

typedef struct outcome {
    int status; // exit status, -1 when a signal ended it
    double seconds;
    long peak_kilobytes;
    char output[8192], errors[8192];
} outcome;

static void read_text(const char *name, char *out, size_t room)
{
    size_t size = 0;
    char *text = wri_file_read(name, 1 << 24, NULL, &size, NULL);
    snprintf(out, room, "%s", text ? text : "");
    wri_free(NULL, text, size + 1, 1);
}

static void become_program(const char *words)
{
    char copy[1024];
    char *arguments[16] = {getenv("WROUGHT_PROGRAM")}, *rest = NULL;
    int count = 1;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word && count < 15;
         word = strtok_r(NULL, " ", &rest)) {
        arguments[count++] = word;
    }
    int out = open("../stdout.txt", O_CREAT | O_TRUNC | O_WRONLY, 0666);
    int errors = open("../stderr.txt", O_CREAT | O_TRUNC | O_WRONLY, 0666);
    dup2(out, 1);
    dup2(errors, 2);
    alarm(60); // of a program that hangs
    execv(arguments[0], arguments);
    _exit(127);
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static outcome run(const char *words)
{
    outcome o = {0};
    struct rusage usage = {0};
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        become_program(words);
    }
    wait4(child, &status, 0, &usage);
    o.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    o.peak_kilobytes = usage.ru_maxrss;
    read_text("../stdout.txt", o.output, sizeof o.output);
    read_text("../stderr.txt", o.errors, sizeof o.errors);
    return o;
}

static void enter_new_folder(void)
{
    assert_int_equal(chdir(folder.path), 0);
    remove_tree("case");
    assert_int_equal(mkdir("case", 0777), 0);
    assert_int_equal(chdir("case"), 0);
    put_neighbours();
}

// --- promises ---------------------------------------------------------------------------------

static void write_expected(const char *sentence, char *out, size_t room)
{
    const char *at = strchr(sentence, '@');
    if (at) {
        snprintf(out, room, "wrought: %.*s%zu%s\n", (int)(at - sentence), sentence, damaged_byte,
                 at + 1);
    } else {
        snprintf(out, room, "wrought: %s\n", sentence);
    }
}

enum { MOST_SECONDS = 5, MOST_KILOBYTES = 512 * 1024 };

static bool runs_out(const outcome *o)
{
    return o->seconds > MOST_SECONDS || o->peak_kilobytes > MOST_KILOBYTES;
}

// True when the case keeps every promise; says otherwise which it broke.
static bool check_case(const broken *b)
{
    enter_new_folder();
    if (b->name) {
        put_input(b);
    }
    case_is_void = false;
    if (b->make) {
        b->make();
    }
    if (case_is_void) {
        print_message("left out: %s\n", b->what);
        return true;
    }
    uint64_t before = hash_tree(".");
    outcome o = run(b->words);
    bool unchanged = hash_tree(".") == before;
    char expected[1024];
    write_expected(b->sentence, expected, sizeof expected);
    bool said = strcmp(o.errors, expected) == 0;
    bool quiet = b->output ? strstr(o.output, b->output) != NULL : o.output[0] == 0;
    if (o.status == (b->status ? b->status : 1) && said && quiet && unchanged && !runs_out(&o)) {
        return true;
    }
    print_message("%s: wrought %s\n  status %d, %.2f s, %ld kB%s%s%s\n", b->what, b->words,
                  o.status, o.seconds, o.peak_kilobytes, unchanged ? "" : ", files changed",
                  quiet ? "" : ", on stdout: ", quiet ? "" : o.output);
    if (!said) {
        print_message("  expected %s  said     %s\n", expected, o.errors);
    }
    return false;
}

static void check_table(const broken *table, int count)
{
    if (!sound_recording) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        wrong += !check_case(&table[i]);
    }
    if (wrong) {
        fail_msg("%d of %d cases broke a promise", wrong, count);
    }
}

static void broken_scenes_and_folders_get_their_sentence(void **state)
{
    (void)state;
    check_table(broken_scenes, broken_scene_count);
}

static void broken_clay_gets_its_sentence(void **state)
{
    (void)state;
    check_table(broken_clay, broken_clay_count);
}

static void broken_models_get_their_sentence(void **state)
{
    (void)state;
    check_table(broken_models, broken_model_count);
}

static void broken_rigs_and_caches_get_their_sentence(void **state)
{
    (void)state;
    check_table(broken_rigs, broken_rig_count);
}

static void broken_recordings_get_their_sentence(void **state)
{
    (void)state;
    check_table(broken_recordings, broken_recording_count);
}

static void what_lies_beside_the_broken_files_is_sound(void **state)
{
    (void)state;
    if (!sound_recording) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    enter_new_folder();
    put_bytes("rec.wrought", sound_recording, sound_recording_size);
    static const char *const words[] = {"info box.obj", "info flat.obj", "info ok.json",
                                        "info rec.wrought"};
    for (int i = 0; i < WRI_COUNT(words); i++) {
        outcome o = run(words[i]);
        if (o.status != 0 || o.errors[0]) {
            fail_msg("%s: %s", words[i], o.errors);
        }
    }
}

// --- the whole --------------------------------------------------------------------------------

static void one_hundred_ways_to_be_broken(void **state)
{
    (void)state;
    assert_true(
        broken_scene_count + broken_model_count + broken_rig_count + broken_recording_count >= 100);
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    if (!getenv("WROUGHT_PROGRAM")) {
        print_message("WROUGHT_PROGRAM is not set\n");
        return 0;
    }
    enter_new_folder();
    outcome o = run("sim ok.json -o made -q");
    size_t size = 0;
    sound_recording =
        (uint8_t *)wri_file_read("made/recording.wrought", 1 << 24, NULL, &size, NULL);
    sound_recording_size = size;
    if (!sound_recording) {
        print_message("no recording to break: %s\n", o.errors);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wri_free(NULL, sound_recording, sound_recording_size + 1, 1);
    temporary_folder_destroy(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_beside_the_broken_files_is_sound),
        cmocka_unit_test(broken_scenes_and_folders_get_their_sentence),
        cmocka_unit_test(broken_clay_gets_its_sentence),
        cmocka_unit_test(broken_models_get_their_sentence),
        cmocka_unit_test(broken_rigs_and_caches_get_their_sentence),
        cmocka_unit_test(broken_recordings_get_their_sentence),
        cmocka_unit_test(one_hundred_ways_to_be_broken),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
