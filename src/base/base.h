// base.h (internal): what every module shares: failing, memory, scratch, fixed blocks, hashing.
#pragma once

#include "wrought/base.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#if defined(__cplusplus)
extern "C" {
#endif

// The program's name and version, which say who wrote a file.
#define WRI_TEXT(x) #x
#define WRI_TEXT_OF(x) WRI_TEXT(x)
#define WRI_PROGRAM                                                                                \
    "Wrought " WRI_TEXT_OF(WR_VERSION_MAJOR) "." WRI_TEXT_OF(WR_VERSION_MINOR) "." WRI_TEXT_OF(    \
        WR_VERSION_PATCH)

#define WR_ASSERT(condition) assert(condition)
#define WRI_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define WRI_PRINTF(text, first) __attribute__((format(printf, text, first)))

// Fills error when it is not NULL and returns false, so that a check is one line. error->message
// may be one of the arguments, to say where an inner failure happened.
bool wri_fail(wr_error *error, wr_code code, const char *format, ...) WRI_PRINTF(3, 4);
bool wri_fail_memory(wr_error *error, size_t size); // size 0: not known

// What a caller must pass, checked in releases, too: false, WR_E_ARGUMENT and the name of what is
// wrong. A desc is required before what it points to:
//     if (!WRI_REQUIRE_DESC(error, wr_world_desc, desc, COOKIE) || !WRI_REQUIRE(error,
//     desc->scene))
// WRI_REQUIRE_AS is for parameters that have another name in the header.
#define WRI_REQUIRE_AS(error, names, ...)                                                          \
    wri_require(error, names, (const void *const[]){__VA_ARGS__},                                  \
                (int)(sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)))
#define WRI_REQUIRE(error, ...) WRI_REQUIRE_AS(error, #__VA_ARGS__, __VA_ARGS__)
#define WRI_REQUIRE_DESC(error, type, desc, number)                                                \
    (WRI_REQUIRE(error, desc) && wri_require_cookie(error, #desc, #type, (desc)->cookie, number))
#define WRI_REQUIRE_LIST(error, items, count) wri_require_list(error, #items, #count, items, count)
bool wri_require(wr_error *error, const char *names, const void *const *pointers, int count);
bool wri_require_cookie(wr_error *error, const char *name, const char *type, uint32_t cookie,
                        uint32_t expected);
bool wri_require_list(wr_error *error, const char *items_name, const char *count_name,
                      const void *items, int count);

static inline bool wri_is_step(float dt)
{
    return dt > 0.0f && dt <= WR_STEP_MAX;
}

// --- memory -----------------------------------------------------------------------------------

// NULL allocator: the default heap. Zeroed memory; NULL when out of memory or count * size
// overflows. A zero count gives a valid pointer, so that NULL always means failure.
void *wri_alloc(const wr_allocator *allocator, size_t count, size_t size);
void wri_free(const wr_allocator *allocator, void *memory, size_t count, size_t size);

// Blocks that are freed together: the lifetime of an asset, a document, a model.
typedef struct wri_arena_block wri_arena_block;
typedef struct wri_arena {
    wr_allocator allocator;
    wri_arena_block *blocks; // newest first
    size_t used;             // bytes handed out of the newest block
    size_t total;            // bytes taken from the allocator
} wri_arena;

wri_arena wri_arena_create(const wr_allocator *allocator);
void wri_arena_destroy(wri_arena *arena);
// Returns zeroed memory, 16-byte aligned; NULL when out of memory.
void *wri_arena_alloc(wri_arena *arena, size_t count, size_t size);
char *wri_arena_text(wri_arena *arena, const char *text, size_t length); // adds the final NUL
char *wri_arena_printf(wri_arena *arena, const char *format, ...) WRI_PRINTF(2, 3);

// An array that grows; owns its memory. Start from {.allocator = ..., .item_size = sizeof(T)}.
typedef struct wri_array {
    wr_allocator allocator;
    size_t item_size;
    void *items;
    int count, capacity;
} wri_array;

wri_array wri_array_create(const wr_allocator *allocator, size_t item_size);
void wri_array_destroy(wri_array *array);
bool wri_array_reserve(wri_array *array, int capacity);
// Returns the first of `count` new zeroed items at the end, NULL when out of memory.
void *wri_array_add(wri_array *array, int count);
#define WRI_ITEM(array, type, index) (((type *)(array).items)[index])

// Memory of one step: a stack that is emptied by setting used to a remembered value. When it is too
// small it takes extra blocks and grows to its peak at the next wri_scratch_reset, which ends every
// step; after warm-up a step allocates nothing.
struct wr_scratch {
    wr_allocator allocator;
    uint8_t *memory;
    size_t capacity, used, peak; // used and peak may pass capacity: the rest is in overflow
    wri_arena overflow;
};

wr_scratch wri_scratch_create(const wr_allocator *allocator);
void wri_scratch_destroy(wr_scratch *scratch);
void wri_scratch_reset(wr_scratch *scratch);

// --- threads ----------------------------------------------------------------------------------

// Calls fn for every block [begin, end) of `grain` items. Blocks depend only on count and grain,
// never on the worker count, so block-indexed partial sums are reproducible.
typedef void wri_range_fn(void *context, int block, int begin, int end);
void wri_parallel_for(const wr_tasks *tasks, int count, int grain, wri_range_fn *fn, void *context);
int wri_block_count(int count, int grain);

// Test hook: a non-zero value runs the blocks in another order. No result may depend on it.
extern int wri_test_block_shuffle;

// --- hashing ----------------------------------------------------------------------------------

// XXH64 of the bytes: fast, well mixed, not for secrets. Little-endian result on every machine.
uint64_t wri_hash(const void *bytes, size_t size, uint64_t seed);

// --- text -------------------------------------------------------------------------------------

// The word behind a printed number: 1 vertex, 2 vertices.
static inline const char *wri_plural(int64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

// A number as people write it: so many digits that count, whole numbers exactly, no exponents (but
// of what nothing here measures: below 1e-12, from 1e15 on). WRI_NUMBER_ROOM bytes of room.
enum { WRI_NUMBER_ROOM = 32 };
const char *wri_number_text(char *out, double value, int digits);
#define WRI_NUMBER(value, digits)                                                                  \
    wri_number_text((char[WRI_NUMBER_ROOM]){0}, (double)(value), digits)
// Writes a length such as "12.3 cm"; below a micrometre "nothing", for that is rounding. At least
// 32 bytes of room.
const char *wri_length_text(char *out, double metres);
// True when a path ends so; the ending is in small letters, such as ".glb", which capitals match,
// too.
bool wri_has_ending(const char *path, const char *ending);
// The candidate nearest to word by edit distance, NULL when none is near enough to suggest.
const char *wri_nearest_word(const char *word, const char *const *candidates, int count);
// What stands behind a sentence about a word that is none of the names: the nearest of them, or
// those that fit the room, each once. Empty names and NULL are passed over. Returns out.
const char *wri_suggest_word(char *out, size_t size, const char *word, const char *const *names,
                             int count);
// Numbers as the C locale writes them, whatever the program's locale is. Reads at most `length`
// bytes, all of which must belong to the number; false when they do not or it is not finite.
bool wri_parse_double(const char *text, size_t length, double *out);
// Parses numbers of everyday length only, but faster; false says nothing about the text.
bool wri_parse_plain(const char *text, size_t length, double *out);
// Copies text as one line: control characters become \\n, \\t, \\x1b and so on; what does not fit
// is cut off. size is at least 1.
void wri_escape_text(char *out, size_t size, const char *text);
// The fewest digits that read back as the same float, which must be finite; at least 32 bytes of
// room. Returns the length.
int wri_print_float(char *out, size_t size, float value);

#if defined(__cplusplus)
}
#endif
