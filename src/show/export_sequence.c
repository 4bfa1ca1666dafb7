// export_sequence.c: a take as one .obj or .ply per frame.
//
// #### in the name stands for the number of the frame, from 0, with as many digits at least. The
// materials of an OBJ sequence are in one library, which all files name. An earlier sequence under
// the same name is removed first.
#include "export.h"

#include "../file/names.h"

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

static bool write_picture(wri_bake *bake, const pattern *p, const char *library, int picture)
{
    wri_export *e = bake->owner;
    wri_arena arena = wri_arena_create(NULL);
    char *path = numbered(&arena, p, picture);
    bool ok = path != NULL || wri_fail_memory(e->error, strlen(p->path));
    ok = ok && wri_bake_picture(bake, picture, true);
    if (ok) {
        ok = wri_has_ending(path, ".ply")
                 ? wr_model_write_ply_clouds(bake->model, bake->clouds, bake->cloud_count,
                                             e->desc->text, path, e->error)
                 : wr_model_write_obj(bake->model, library, path, e->error);
    }
    wri_arena_destroy(&arena);
    return ok;
}

static bool write_pictures(wri_bake *bake, const pattern *p, const char *library)
{
    wri_export *e = bake->owner;
    const wr_watch *watch = &e->desc->watch;
    int *done = &e->report.frames, count = e->schedule.count;
    while (*done < count && wri_watch(watch, WR_WATCH_FILES, *done, count)) {
        if (!write_picture(bake, p, library, *done)) {
            return false;
        }
        ++*done;
    }
    if (*done == count) {
        wri_watch(watch, WR_WATCH_FILES, count, count);
        return true;
    }
    return wri_fail(e->error, WR_E_CANCELLED, "interrupted; the first %d of %d files are there",
                    *done, count);
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

static bool find_old(wri_export *e, const pattern *p, const char *folder, wri_array *numbers)
{
    wri_array names = wri_array_create(NULL, sizeof(const char *));
    bool ok = wri_folder_list(folder, &e->arena, &names, e->error);
    for (int i = 0; i < names.count && ok; i++) {
        int number = file_number(p, WRI_ITEM(names, const char *, i));
        char *path = number < 0 ? NULL : numbered(&e->arena, p, number);
        if (path) {
            int *slot = wri_array_add(numbers, 1);
            ok = (slot || wri_fail_memory(e->error, sizeof *slot)) &&
                 wri_check_beside(path, e->desc->replace, e->error);
            if (slot) {
                *slot = number;
            }
        }
    }
    wri_array_destroy(&names);
    return ok;
}

// Removes from the last to the first: whenever this or what follows is cut off, what is there is
// the beginning of one sequence, never a mixture of two.
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
static bool prepare(wri_export *e, const pattern *p, const char **library)
{
    char *folder = wri_path_folder(&e->arena, p->path);
    char *path = folder ? library_path(&e->arena, p) : NULL;
    if (!path) {
        return wri_fail_memory(e->error, strlen(p->path));
    }
    bool looks = !wri_has_ending(p->path, ".ply") && e->model->look_count > 0;
    wri_array old = wri_array_create(NULL, sizeof(int));
    bool ok = wri_folder_create(folder, e->error) && find_old(e, p, folder, &old) &&
              (!looks || wri_check_looks(e->model, path, path, e->desc->replace, e->error));
    if (ok) {
        remove_old(p, &old);
    }
    wri_array_destroy(&old);
    *library = wri_path_name(path);
    return ok && (!looks || wr_model_write_mtl(e->model, path, e->error));
}

bool wri_export_sequence(wri_export *e)
{
    pattern p = find_pattern(e->path);
    const char *library = NULL;
    wri_bake bake = {0};
    if (!wri_has_ending(e->path, ".ply") && wri_export_has_clouds(e)) {
        return wri_fail(e->error, WR_E_UNSUPPORTED,
                        "%s: OBJ has no particles; as a surface it has them, and .ply and .usda "
                        "have them as they are",
                        e->path);
    }
    bool ok =
        wri_bake_create(&bake, e) && prepare(e, &p, &library) && write_pictures(&bake, &p, library);
    wri_bake_destroy(&bake);
    return ok;
}
