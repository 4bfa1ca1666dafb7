// sequence.c: names of numbered files, and an earlier sequence under the same name.
#include "sequence.h"

#include "export.h"

#include "../file/names.h"

#include <stdlib.h>

wri_sequence wri_sequence_of(const char *path)
{
    wri_sequence s = {.path = path};
    int end = (int)strlen(path);
    while (end > 0 && path[end - 1] != '#') {
        end--;
    }
    s.before = end;
    while (s.before > 0 && path[s.before - 1] == '#') {
        s.before--;
    }
    s.digits = end - s.before;
    return s;
}

char *wri_sequence_name(const wri_sequence *s, int number, wri_arena *arena)
{
    return wri_arena_printf(arena, "%.*s%0*d%s", s->before, s->path, s->digits, number,
                            s->path + s->before + s->digits);
}

// --- the sequence before ----------------------------------------------------------------------

// The number in the name of a file of the sequence, -1: it is none.
static int file_number(const wri_sequence *s, const char *name)
{
    const char *own = wri_path_name(s->path), *after = s->path + s->before + s->digits;
    size_t before = (size_t)(s->path + s->before - own);
    if (strncmp(name, own, before) != 0) {
        return -1;
    }
    const char *digits = name + before;
    size_t length = strspn(digits, "0123456789");
    bool is_padded = length > (size_t)s->digits && digits[0] == '0';
    if (length < (size_t)s->digits || length > 9 || is_padded ||
        strcmp(digits + length, after) != 0) {
        return -1;
    }
    return (int)strtol(digits, NULL, 10);
}

static int compare_down(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

static bool find_old(const wri_sequence *s, const char *folder, bool replace, wri_arena *arena,
                     wri_array *numbers, wr_error *error)
{
    wri_array names = wri_array_create(NULL, sizeof(const char *));
    bool ok = wri_folder_list(folder, arena, &names, error);
    for (int i = 0; i < names.count && ok; i++) {
        int number = file_number(s, WRI_ITEM(names, const char *, i));
        char *path = number < 0 ? NULL : wri_sequence_name(s, number, arena);
        if (path) {
            int *slot = wri_array_add(numbers, 1);
            ok = (slot || wri_fail_memory(error, sizeof *slot)) &&
                 wri_check_beside(path, replace, error);
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
static void remove_old(const wri_sequence *s, wri_array *numbers)
{
    if (numbers->count > 0) {
        qsort(numbers->items, (size_t)numbers->count, sizeof(int), compare_down);
    }
    for (int i = 0; i < numbers->count; i++) {
        wri_arena arena = wri_arena_create(NULL);
        char *path = wri_sequence_name(s, WRI_ITEM(*numbers, int, i), &arena);
        if (path) {
            wri_file_remove(path);
        }
        wri_arena_destroy(&arena);
    }
}

static bool visit_old(const wri_sequence *s, bool replace, bool remove, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_array old = wri_array_create(NULL, sizeof(int));
    char *folder = wri_path_folder(&arena, s->path);
    bool ok = folder || wri_fail_memory(error, strlen(s->path));
    ok =
        ok && wri_folder_create(folder, error) && find_old(s, folder, replace, &arena, &old, error);
    if (ok && remove) {
        remove_old(s, &old);
    }
    wri_array_destroy(&old);
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_sequence_check(const wri_sequence *s, bool replace, wr_error *error)
{
    return visit_old(s, replace, false, error);
}

bool wri_sequence_clear(const wri_sequence *s, bool replace, wr_error *error)
{
    return visit_old(s, replace, true, error);
}
