// cache.c: entries by the time of their last use.
#include "cache.h"

#include "os.h"

#include <stdlib.h>

enum { DIGITS = 16 };

typedef struct entry {
    const char *path;
    int64_t used, size;
} entry;

void wri_cache_use(const char *path)
{
    wri_file_touch(path);
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->used != y->used ? (x->used > y->used) - (x->used < y->used)
                              : strcmp(x->path, y->path);
}

static bool is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") >= DIGITS;
}

// Returns the sum of the sizes; what cannot be listed is left out.
static int64_t list_entries(const char *folder, wri_arena *arena, wri_array *entries)
{
    wri_array names = wri_array_create(NULL, sizeof(const char *));
    int64_t sum = 0;
    bool ok = wri_folder_list(folder, arena, &names, NULL);
    for (int i = 0; ok && i < names.count; i++) {
        const char *name = WRI_ITEM(names, const char *, i);
        const char *path = is_entry(name) ? wri_path_join(arena, folder, name) : NULL;
        int64_t size = path && !wri_is_folder(path) ? wri_file_size(path) : -1;
        entry *item = size >= 0 ? wri_array_add(entries, 1) : NULL;
        if (item) {
            *item = (entry){path, wri_file_changed_ns(path), size};
            sum += size;
        }
    }
    wri_array_destroy(&names);
    return sum;
}

void wri_cache_trim(const char *folder, int64_t most)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_array list = wri_array_create(NULL, sizeof(entry));
    int64_t sum = list_entries(folder, &arena, &list);
    if (sum > most) {
        qsort(list.items, (size_t)list.count, sizeof(entry), compare_entries);
    }
    for (int i = 0; i + 1 < list.count && sum > most; i++) {
        const entry *oldest = &WRI_ITEM(list, entry, i);
        wri_file_remove(oldest->path);
        sum -= oldest->size;
    }
    wri_array_destroy(&list);
    wri_arena_destroy(&arena);
}
