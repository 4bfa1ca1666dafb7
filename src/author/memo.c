// memo.c: entries are files: the hash of the bytes, then the bytes.
#include "memo.h"

#include "../base/cache.h"
#include "../base/os.h"

enum { FILE_BYTES = 1 << 30, HEAD = sizeof(uint64_t) };

wri_memo wri_memo_create(wri_arena *arena, bool is_fresh)
{
    const char *folder = wri_cache_folder(arena);
    bool usable = folder && wri_folder_create(folder, NULL);
    return (wri_memo){usable ? folder : NULL, wri_program_stamp(), is_fresh};
}

uint64_t wri_memo_key(const char *function)
{
    return wri_hash(function, strlen(function), 0);
}

static const char *find_path(const wri_memo *memo, wri_arena *arena, uint64_t key)
{
    char *name = wri_arena_printf(arena, "%016llx.memo", (unsigned long long)(key ^ memo->stamp));
    return name ? wri_path_join(arena, memo->folder, name) : NULL;
}

wri_memo_entry wri_memo_open(const wri_memo *memo, uint64_t key)
{
    wri_memo_entry entry = {0};
    if (!memo->folder || memo->is_fresh) {
        return entry;
    }
    wri_arena arena = wri_arena_create(NULL);
    const char *path = find_path(memo, &arena, key);
    entry.bytes = path ? wri_file_read(path, FILE_BYTES, NULL, &entry.file_size, NULL) : NULL;
    if (entry.bytes) {
        wri_cache_use(path);
    }
    wri_arena_destroy(&arena);
    uint64_t sum = 0;
    if (entry.bytes && entry.file_size >= HEAD) {
        memcpy(&sum, entry.bytes, HEAD);
        entry.size = entry.file_size;
        entry.at = HEAD;
    }
    if (entry.bytes &&
        (entry.size == 0 || sum != wri_hash(entry.bytes + HEAD, entry.size - HEAD, key))) {
        wri_memo_close(&entry);
    }
    return entry;
}

bool wri_memo_take(wri_memo_entry *entry, void *out, size_t size)
{
    if (!entry->bytes || size > entry->size - entry->at) {
        return false;
    }
    memcpy(out, entry->bytes + entry->at, size);
    entry->at += size;
    return true;
}

bool wri_memo_is_whole(const wri_memo_entry *entry)
{
    return entry->bytes && entry->at == entry->size;
}

void wri_memo_close(wri_memo_entry *entry)
{
    if (entry->bytes) {
        wri_free(NULL, entry->bytes, entry->file_size + 1, 1);
    }
    *entry = (wri_memo_entry){0};
}

void wri_memo_keep(const wri_memo *memo, uint64_t key, const wri_memo_part *parts, int count)
{
    size_t size = HEAD, at = HEAD;
    for (int i = 0; i < count; i++) {
        size += parts[i].size;
    }
    if (!memo->folder || size > FILE_BYTES) {
        return;
    }
    wri_arena arena = wri_arena_create(NULL);
    const char *path = find_path(memo, &arena, key);
    char *bytes = wri_alloc(NULL, size, 1);
    if (path && bytes) {
        for (int i = 0; i < count; i++) {
            if (parts[i].size > 0) {
                memcpy(bytes + at, parts[i].bytes, parts[i].size);
                at += parts[i].size;
            }
        }
        uint64_t sum = wri_hash(bytes + HEAD, size - HEAD, key);
        memcpy(bytes, &sum, HEAD);
        (void)wri_file_write(path, bytes, size, NULL); // a full disk costs time, nothing else
    }
    wri_free(NULL, bytes, size, 1);
    wri_arena_destroy(&arena);
}
