// watch.c: work that is done again whenever one of its files was written.
//
// A recipe names models and recordings, a scene names recipes and pictures: as strings of their
// JSON. So the files to look at are found without knowing what any key means: every string that
// could be a path, and where that is JSON again, those in it, too. The material libraries of an
// .obj and the pictures of these are found by their keywords. A file that is not there yet is
// looked at as well, so that exporting what was missing is seen.
#include "cli.h"

#include "../src/file/json.h"
#include "../src/file/mtl.h"

#include <time.h>

enum { MOST_FILES = 4096, DEEPEST = 8, LONGEST_NAME = 1000, FILE_BYTES = 1 << 28 };

#define PAUSE 0.1 // seconds between two looks

typedef struct watched_file {
    const char *path;
    int64_t written, size; // -1: it is not there
} watched_file;

struct cli_changes {
    wri_arena arena;
    wri_array files; // watched_file
    double last_look;
};

static bool is_same(const watched_file *file)
{
    return wri_file_changed_ns(file->path) == file->written &&
           wri_file_size(file->path) == file->size;
}

static void add_file(cli_changes *c, const char *path, int depth);

// What could be the name of a file: it has an ending, or is there.
static void add_strings(cli_changes *c, const wri_json *value, const char *folder, int depth)
{
    if (value->type == WRI_JSON_STRING && strlen(value->string) < LONGEST_NAME) {
        const char *path = wri_path_join(&c->arena, folder, value->string);
        if (path && value->string[0] != '\0' &&
            (strchr(value->string, '.') || wri_file_exists(path))) {
            add_file(c, path, depth);
        }
    }
    for (int i = 0; i < value->count; i++) {
        add_strings(c, &value->items[i], folder, depth);
    }
}

// A file that cannot be parsed names nothing: it is being edited.
static void add_names(cli_changes *c, const char *path, int depth)
{
    size_t size;
    const char *folder = wri_path_folder(&c->arena, path);
    char *text = wri_file_read(path, FILE_BYTES, NULL, &size, NULL);
    const wri_json *root = text ? wri_json_parse(&c->arena, text, size, path, true, NULL) : NULL;
    if (root && folder) {
        add_strings(c, root, folder, depth);
    }
    if (text) {
        wri_free(NULL, text, size + 1, 1);
    }
}

static void add_name(cli_changes *c, const char *folder, const char *name, size_t length, int depth)
{
    const char *text = length < LONGEST_NAME ? wri_arena_text(&c->arena, name, length) : NULL;
    const char *path = text && length > 0 ? wri_path_join(&c->arena, folder, text) : NULL;
    if (path && strchr(text, '.')) {
        add_file(c, path, depth);
    }
}

static bool names_file(const wri_text *text)
{
    static const char *const keywords[] = {"mtllib", "map_Kd",   "map_Ks", "map_Ka",
                                           "map_d",  "map_Bump", "map_Pr", "map_Pm",
                                           "map_Ke", "bump",     "norm"};
    int i = 0;
    while (i < WRI_COUNT(keywords) && !wri_text_is(text, keywords[i])) {
        i++;
    }
    return i < WRI_COUNT(keywords);
}

// Behind such a keyword there are options, and then one name with blanks or several without: every
// word may be one, and begin one that goes on to the end of the line.
static void add_lines(cli_changes *c, const char *path, int depth)
{
    size_t size, length;
    const char *folder = wri_path_folder(&c->arena, path), *name;
    char *bytes = folder ? wri_file_read(path, FILE_BYTES, NULL, &size, NULL) : NULL;
    if (!bytes) {
        return;
    }
    wri_text text = wri_text_open(path, bytes, size, NULL);
    while (wri_text_line(&text)) {
        if (names_file(&text)) {
            wri_text_rest(&text, &name, &length);
            add_name(c, folder, name, length, depth);
            while (wri_text_word(&text, &name, &length)) {
                add_name(c, folder, name, length, depth);
                wri_text_rest(&text, &name, &length);
                add_name(c, folder, name, length, depth);
            }
        }
    }
    wri_free(NULL, bytes, size + 1, 1);
}

static void add_file(cli_changes *c, const char *path, int depth)
{
    for (int i = 0; i < c->files.count; i++) {
        if (strcmp(WRI_ITEM(c->files, watched_file, i).path, path) == 0) {
            return;
        }
    }
    watched_file *file = c->files.count < MOST_FILES ? wri_array_add(&c->files, 1) : NULL;
    if (!file) {
        return;
    }
    *file = (watched_file){path, wri_file_changed_ns(path), wri_file_size(path)};
    bool is_json = wri_has_ending(path, ".json") || wri_has_ending(path, ".gltf");
    if (is_json && file->size >= 0 && depth < DEEPEST) {
        add_names(c, path, depth + 1);
    }
    bool has_lines = wri_has_ending(path, ".obj") || wri_has_ending(path, ".mtl");
    if (has_lines && file->size >= 0 && depth < DEEPEST) {
        add_lines(c, path, depth + 1);
    }
}

static cli_changes find_files(const char *path)
{
    cli_changes c = {.arena = wri_arena_create(NULL),
                     .files = wri_array_create(NULL, sizeof(watched_file)),
                     .last_look = wri_seconds()};
    add_file(&c, path, 0);
    return c;
}

static void forget_files(cli_changes *c)
{
    wri_array_destroy(&c->files);
    wri_arena_destroy(&c->arena);
}

static bool look(const cli_changes *c)
{
    for (int i = 0; i < c->files.count; i++) {
        if (!is_same(&WRI_ITEM(c->files, watched_file, i))) {
            return true;
        }
    }
    return false;
}

bool cli_has_changed(cli_changes *changes)
{
    double now = wri_seconds();
    if (!changes || now - changes->last_look < PAUSE) {
        return false;
    }
    changes->last_look = now;
    return look(changes);
}

static void nap(void)
{
    const struct timespec pause = {0, (long)(PAUSE * 1e9)};
    nanosleep(&pause, NULL); // Ctrl-C ends it
}

static int count_there(const cli_changes *c)
{
    int count = 0;
    for (int i = 0; i < c->files.count; i++) {
        count += WRI_ITEM(c->files, watched_file, i).size >= 0;
    }
    return count;
}

// Until something was written and nothing is any more: programs write a file in several steps.
static void wait_for_change(cli_changes *c, const char *path)
{
    while (!cli_interrupted() && !look(c)) {
        nap();
    }
    for (bool settled = false; !settled && !cli_interrupted();) {
        forget_files(c);
        *c = find_files(path);
        nap();
        settled = !look(c);
    }
}

int cli_work_on_changes(const char *path, bool quiet, cli_work_fn *work, void *user)
{
    cli_catch_interrupts();
    cli_changes changes = find_files(path);
    while (!cli_interrupted()) {
        (void)work(user, &changes); // it has said what was wrong
        fflush(stdout);
        bool is_overtaken = look(&changes);
        if (!quiet && !cli_interrupted() && is_overtaken) {
            cli_note("edited again: starting over");
        } else if (!quiet && !cli_interrupted()) {
            int count = count_there(&changes);
            cli_note("watching %d %s; Ctrl-C ends", count, wri_plural(count, "file", "files"));
        }
        wait_for_change(&changes, path);
    }
    forget_files(&changes);
    return CLI_OK;
}
