// memo.h: what slow functions returned, kept in the user's cache folder under the hash of all that
// their arguments say.
//
//     uint64_t key = wri_hash(arguments, size, wri_memo_key("cube root"));
//     wri_memo_entry entry = wri_memo_open(memo, key);
//     bool found = wri_memo_take(&entry, &root, sizeof root) && wri_memo_is_whole(&entry);
//     wri_memo_close(&entry);
//     if (!found) {
//         root = cbrt(...);
//         const wri_memo_part part = {&root, sizeof root};
//         wri_memo_keep(memo, key, &part, 1);
//     }
//
// A key is the content of the arguments, not their names or places: what an edit of a recipe does
// not reach is not computed again. Entries belong to one build of the program on one machine, and
// one that is missing, damaged or cut off is computed again.
// Thread safety: any number of threads and processes share a folder.
#pragma once

#include "../base/base.h"

typedef struct wri_memo {
    const char *folder; // NULL: nothing is kept
    uint64_t stamp;     // of the program
    bool is_fresh;      // what was kept before is computed again, and kept anew
} wri_memo;

// One in the user's cache folder; one that keeps nothing where there is no such folder.
wri_memo wri_memo_create(wri_arena *arena, bool is_fresh);

uint64_t wri_memo_key(const char *function); // begins a key: adds what the function is called

typedef struct wri_memo_entry {
    char *bytes; // NULL: nothing was kept under this key
    size_t file_size, size, at;
} wri_memo_entry;

wri_memo_entry wri_memo_open(const wri_memo *memo, uint64_t key);
bool wri_memo_take(wri_memo_entry *entry, void *out, size_t size); // the next bytes; false: no more
bool wri_memo_is_whole(const wri_memo_entry *entry);               // nothing is left to take
void wri_memo_close(wri_memo_entry *entry);

typedef struct wri_memo_part {
    const void *bytes;
    size_t size;
} wri_memo_part;

// Keeps these parts, one after the other, or nothing when that is not possible.
void wri_memo_keep(const wri_memo *memo, uint64_t key, const wri_memo_part *parts, int count);
