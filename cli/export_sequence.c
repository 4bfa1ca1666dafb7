// export_sequence.c: a take as one .obj or .ply per frame.
//
// #### in the name stands for the number of the frame, from 0, with as many digits at least. The
// materials of an OBJ sequence are in one library, which all files name. An earlier sequence under
// the same name is removed first.
#include "take.h"

#include "../src/file/names.h"

#include <stdio.h>
#include <stdlib.h>

// Before, within and behind the last run of #.
typedef struct pattern {
    const char *path;
    int before, digits;
} pattern;

static pattern find_pattern(const char *path)
{
    pattern p = {.path = path};
    int length = (int)strlen(path), end = length;
    while (end > 0 && path[end - 1] != '#') {
        end--;
    }
    p.before = end;
    while (p.before > 0 && path[p.before - 1] == '#') {
        p.before--;
    }
    p.digits = end - p.before;
    return p;
}

static char *numbered(wri_arena *arena, const pattern *p, int number)
{
    return wri_arena_printf(arena, "%.*s%0*d%s", p->before, p->path, p->digits, number,
                            p->path + p->before + p->digits);
}

// "frames/take.####.obj" -> "frames/take.mtl"
static char *library_path(wri_arena *arena, const pattern *p)
{
    int length = p->before;
    while (length > 0 && strchr("._- ", p->path[length - 1])) {
        length--;
    }
    bool bare = length == 0 || p->path[length - 1] == '/';
    return wri_arena_printf(arena, "%.*s%s.mtl", length, p->path, bare ? "take" : "");
}

static bool write_picture(cli_bake *bake, const pattern *p, const char *library, int picture)
{
    cli_take *take = bake->take;
    wri_arena arena = wri_arena_create(NULL);
    char *path = numbered(&arena, p, picture);
    bool ok = path != NULL || wri_fail_memory(&take->error, strlen(p->path));
    ok = ok && cli_bake_picture(bake, picture, true);
    if (ok) {
        ok = wri_has_ending(path, ".ply")
                 ? wr_model_write_ply(bake->model, take->options->text, path, &take->error)
                 : wr_model_write_obj(bake->model, library, path, &take->error);
    }
    wri_arena_destroy(&arena);
    return ok;
}

static int write_pictures(cli_bake *bake, const pattern *p, const char *library)
{
    cli_take *take = bake->take;
    int done = 0, count = take->schedule.count;
    cli_progress progress =
        cli_progress_start("exporting", "files", 0, count, take->options->quiet);
    bool ok = true;
    while (ok && done < count && !cli_interrupted()) {
        ok = write_picture(bake, p, library, done);
        done += ok;
        cli_progress_show(&progress, done, "");
    }
    cli_progress_end(&progress);
    if (!ok) {
        return cli_take_failed(take);
    }
    if (!take->options->quiet) {
        printf("%s: %d %s, %d %s\n", p->path, done, wri_plural(done, "file", "files"),
               take->body_count, wri_plural(take->body_count, "body", "bodies"));
    }
    return done < count
               ? cli_complain(CLI_INTERRUPTED, "interrupted; the first %d of %d files are there",
                              done, count)
               : CLI_OK;
}

// --- the sequence before ----------------------------------------------------------------------

// The number in the name of a file of the sequence, -1: it is none.
static int file_number(const pattern *p, const char *name)
{
    const char *own = wri_path_name(p->path), *after = p->path + p->before + p->digits;
    size_t before = (size_t)(p->path + p->before - own);
    if (strncmp(name, own, before) != 0) {
        return -1;
    }
    const char *digits = name + before;
    size_t length = strspn(digits, "0123456789");
    bool is_padded = length > (size_t)p->digits && digits[0] == '0';
    if (length < (size_t)p->digits || length > 9 || is_padded ||
        strcmp(digits + length, after) != 0) {
        return -1;
    }
    return (int)strtol(digits, NULL, 10);
}

static int compare_down(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

static bool find_old(cli_take *take, const pattern *p, const char *folder, wri_array *numbers)
{
    wri_array names = wri_array_create(NULL, sizeof(const char *));
    bool ok = wri_folder_list(folder, &take->arena, &names, &take->error);
    for (int i = 0; i < names.count && ok; i++) {
        int number = file_number(p, WRI_ITEM(names, const char *, i));
        char *path = number < 0 ? NULL : numbered(&take->arena, p, number);
        if (path) {
            int *slot = wri_array_add(numbers, 1);
            ok = (slot || wri_fail_memory(&take->error, sizeof *slot)) &&
                 cli_check_beside(path, take->options->force, &take->error);
            if (slot) {
                *slot = number;
            }
        }
    }
    wri_array_destroy(&names);
    return ok;
}

// From the last to the first: whenever this or what follows is cut off, what is there is the
// beginning of one sequence, never a mixture of two.
static void remove_old(const pattern *p, wri_array *numbers)
{
    if (numbers->count > 0) {
        qsort(numbers->items, (size_t)numbers->count, sizeof(int), compare_down);
    }
    for (int i = 0; i < numbers->count; i++) {
        wri_arena arena = wri_arena_create(NULL);
        char *path = numbered(&arena, p, WRI_ITEM(*numbers, int, i));
        if (path) {
            wri_file_remove(path);
        }
        wri_arena_destroy(&arena);
    }
}

// --- the whole --------------------------------------------------------------------------------

// The folder, without an older sequence, and the library.
static bool prepare(cli_take *take, const pattern *p, const char **library)
{
    char *folder = wri_path_folder(&take->arena, p->path);
    char *path = folder ? library_path(&take->arena, p) : NULL;
    if (!path) {
        return wri_fail_memory(&take->error, strlen(p->path));
    }
    bool looks = !wri_has_ending(p->path, ".ply") && take->model->look_count > 0;
    wri_array old = wri_array_create(NULL, sizeof(int));
    bool ok =
        wri_folder_create(folder, &take->error) && find_old(take, p, folder, &old) &&
        (!looks || cli_check_looks(take->model, path, path, take->options->force, &take->error));
    if (ok) {
        remove_old(p, &old);
    }
    wri_array_destroy(&old);
    *library = wri_path_name(path);
    return ok && (!looks || wr_model_write_mtl(take->model, path, &take->error));
}

int cli_export_sequence(cli_take *take)
{
    pattern p = find_pattern(take->options->output);
    const char *library = NULL;
    cli_bake bake = {0};
    int status = cli_bake_create(&bake, take) && prepare(take, &p, &library)
                     ? write_pictures(&bake, &p, library)
                     : cli_take_failed(take);
    cli_bake_destroy(&bake);
    return status;
}
