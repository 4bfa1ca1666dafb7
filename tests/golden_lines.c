// golden_lines.c: command lines print, write and return what their book tells.
//
// usage: golden_lines BOOK. tests/golden/BOOK.lines has a line "NAME: COMMANDS" of the shell each;
// a name that begins with "?PROGRAM " needs that program. They run one after the other in a folder
// in which golden/ is a copy of tests/golden and scenes/ the shipped scenes. The book has the exit
// status, what was printed and every file under out/, which is empty before each line; other
// folders stay. With WROUGHT_GOLDEN_KEEP=FOLDER everything stays in FOLDER/BOOK, to look at.
#include "golden.h"

#include <sys/wait.h>

static const char *book_name;

// --- the folder -------------------------------------------------------------------------------

// A copy: nothing that runs may change what is under version control.
static void copy_inputs(const char *room)
{
    char command[4096];
    const char *golden = getenv("WROUGHT_GOLDEN");
    snprintf(command, sizeof command,
             "mkdir '%s/golden' && cp -r '%s/'*.json '%s/plain.sed' '%s/models' '%s/golden'", room,
             golden, golden, golden, room);
    assert_int_equal(system(command), 0);
}

// WROUGHT_GOLDEN, WROUGHT_SCENES and WROUGHT_PROGRAM are absolute paths.
static void enter(const char *room)
{
    char path[4096];
    const char *program = getenv("WROUGHT_PROGRAM");
    copy_inputs(room);
    snprintf(path, sizeof path, "%s/scenes", room);
    assert_int_equal(symlink(getenv("WROUGHT_SCENES"), path), 0);
    snprintf(path, sizeof path, "%.*s:%s", (int)(strrchr(program, '/') - program), program,
             getenv("PATH"));
    setenv("PATH", path, 1);
    snprintf(path, sizeof path, "%s/cache", room);
    setenv("XDG_CACHE_HOME", path, 1);
    setenv("LC_ALL", "C", 1);
    assert_int_equal(chdir(room), 0);
}

// --- what a line made -------------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void note_file(golden_book *book, const char *line, const char *path, const char *how)
{
    char name[256];
    snprintf(name, sizeof name, "%s %s", line, path + strlen("out/"));
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".png") == 0) {
        golden_note_picture(book, book_name, name, path, how);
        return;
    }
    golden_print print = {0};
    assert_true(golden_add_file(&print, path));
    golden_note(book, name, &print, how);
}

static void note_folder(golden_book *book, const char *line, const char *folder, const char *how)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_array names = wri_array_create(NULL, sizeof(const char *));
    if (wri_folder_list(folder, &arena, &names, NULL) && names.count) {
        qsort(names.items, (size_t)names.count, sizeof(const char *), by_name);
    }
    for (int i = 0; i < names.count; i++) {
        const char *path = wri_path_join(&arena, folder, ((const char **)names.items)[i]);
        if (wri_is_folder(path)) {
            note_folder(book, line, path, how);
        } else {
            note_file(book, line, path, how);
        }
    }
    wri_array_destroy(&names);
    wri_arena_destroy(&arena);
}

static void note_printed(golden_book *book, const char *line, const char *stream, const char *how)
{
    char name[256], path[64];
    golden_print print = {0};
    snprintf(name, sizeof name, "%s prints on %s", line, stream);
    snprintf(path, sizeof path, "%s.txt", stream);
    assert_true(golden_add_file(&print, path));
    if (wri_file_size(path) > 0) {
        golden_note(book, name, &print, how);
    }
}

// --- lines ------------------------------------------------------------------------------------

static bool is_there(const char *program)
{
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    return system(command) == 0;
}

static void keep_out(const char *line)
{
    if (getenv("WROUGHT_GOLDEN_KEEP")) {
        char name[256];
        snprintf(name, sizeof name, "made/%s", line);
        wri_folder_create(name, NULL);
        snprintf(name, sizeof name, "mv out stdout.txt stderr.txt 'made/%s'", line);
        assert_int_equal(system(name), 0);
    }
    remove_tree("out");
}

static void run_line(golden_book *book, const char *name, const char *commands)
{
    char shell[4096], how[4096], status[32], status_name[256];
    assert_true(wri_folder_create("out", NULL));
    int length = snprintf(shell, sizeof shell,
                          "( %s\n) >printed.txt 2>complained.txt; status=$?\n"
                          "find out -name '*.json' -exec sed -i \"s|$PWD|ROOM|g\" {} +\n"
                          "sed -E -f golden/plain.sed printed.txt >stdout.txt\n"
                          "sed -E -f golden/plain.sed complained.txt >stderr.txt\nexit $status\n",
                          commands);
    assert_true(length < (int)sizeof shell);
    int ended = system(shell);
    snprintf(how, sizeof how, "%s", commands);
    snprintf(status, sizeof status, "%d", WIFEXITED(ended) ? WEXITSTATUS(ended) : -1);
    snprintf(status_name, sizeof status_name, "%s status", name);
    golden_note_text(book, status_name, status, how);
    note_printed(book, name, "stdout", how);
    note_printed(book, name, "stderr", how);
    note_folder(book, name, "out", how);
    keep_out(name);
}

// A line that cannot run leaves what the book says of it.
static void skip_line(golden_book *book, const char *name, const char *program)
{
    print_message("%s: %s is not there, not compared\n", name, program);
    golden_keep(book, name);
}

static void run_lines(golden_book *book, char *text)
{
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? (*next = 0, 1) : 0;
        char *commands = strstr(line, ": "), program[64] = "";
        if (line[0] == '#' || !commands) {
            continue;
        }
        *commands = 0;
        if (sscanf(line, "?%63s", program) == 1) {
            line += strlen(program) + 2;
        }
        if (program[0] && !is_there(program)) {
            skip_line(book, line, program);
        } else {
            run_line(book, line, commands + 2);
        }
    }
}

static void command_lines_make_what_their_book_tells(void **state)
{
    (void)state;
    char room[1024], *text;
    size_t size;
    temporary_folder folder = temporary_folder_create();
    const char *keep = getenv("WROUGHT_GOLDEN_KEEP");
    snprintf(room, sizeof room, "%s/%s", keep ? keep : folder.path, book_name);
    remove_tree(room);
    assert_true(wri_folder_create(room, NULL));
    golden_book book;
    golden_open(&book, book_name);
    text = wri_file_read(golden_path(book_name, ".lines"), 1 << 20, NULL, &size, NULL);
    assert_non_null(text);
    enter(room);
    run_lines(&book, text);
    wri_free(NULL, text, size + 1, 1);
    temporary_folder_destroy(&folder);
    golden_close(&book);
}

int main(int argc, char **argv)
{
    if (argc != 2 || !getenv("WROUGHT_PROGRAM") || !getenv("WROUGHT_SCENES") ||
        !getenv("WROUGHT_GOLDEN")) {
        fprintf(stderr, "usage: golden_lines BOOK, with WROUGHT_GOLDEN, _PROGRAM and _SCENES\n");
        return 2;
    }
    book_name = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_lines_make_what_their_book_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
