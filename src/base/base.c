// base.c: errors, the heap, arenas, growing arrays, scratch, and parallel-for over fixed blocks.
#define _DEFAULT_SOURCE // madvise
#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

// --- errors -----------------------------------------------------------------------------------

bool wri_fail(wr_error *error, wr_code code, const char *format, ...)
{
    if (error) {
        char message[sizeof error->message]; // the old message may be among the arguments
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        error->code = code;
        wri_escape_text(error->message, sizeof error->message, message);
    }
    return false;
}

bool wri_fail_memory(wr_error *error, size_t size)
{
    return size > 0 ? wri_fail(error, WR_E_MEMORY, "out of memory: %zu bytes were refused", size)
                    : wri_fail(error, WR_E_MEMORY, "out of memory");
}

bool wri_require(wr_error *error, const char *names, const void *const *pointers, int count)
{
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(names, ",");
        if (!pointers[i]) {
            return wri_fail(error, WR_E_ARGUMENT, "%.*s is NULL", (int)length, names);
        }
        names += length + strspn(names + length, ", ");
    }
    return true;
}

bool wri_require_cookie(wr_error *error, const char *name, const char *type, uint32_t cookie,
                        uint32_t expected)
{
    return cookie == expected ||
           wri_fail(error, WR_E_ARGUMENT, "%s->cookie is not set: start from %s_default()", name,
                    type);
}

bool wri_require_list(wr_error *error, const char *items_name, const char *count_name,
                      const void *items, int count)
{
    if (count < 0) {
        return wri_fail(error, WR_E_ARGUMENT, "%s is %d", count_name, count);
    }
    return count == 0 || items ||
           wri_fail(error, WR_E_ARGUMENT, "%s is NULL, but %s is %d", items_name, count_name,
                    count);
}

// --- the heap ---------------------------------------------------------------------------------

enum { ALIGNMENT = 64, LARGE_PAGE = 1 << 21, LARGE = 2 * LARGE_PAGE };

// What streams through a large block is up to a fifth faster where its pages are large. A system
// that has none leaves it as it is.
static void ask_for_large_pages(void *memory, size_t size)
{
#if defined(__linux__)
    if (memory) {
        madvise(memory, size, MADV_HUGEPAGE);
    }
#else
    (void)memory, (void)size;
#endif
}

static void *heap_alloc(void *user, size_t size)
{
    (void)user;
    size_t unit = size < LARGE ? ALIGNMENT : LARGE_PAGE, rounded = (size + unit - 1) / unit * unit;
    void *memory = rounded < size ? NULL : aligned_alloc(unit, rounded);
    if (size >= LARGE) {
        ask_for_large_pages(memory, size);
    }
    return memory;
}

static void heap_free(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static const wr_allocator default_allocator = {heap_alloc, heap_free, NULL};

const wr_allocator *wr_allocator_default(void)
{
    return &default_allocator;
}

// A zeroed allocator inside a desc means the default too.
static const wr_allocator *resolve(const wr_allocator *allocator)
{
    return allocator && allocator->alloc ? allocator : &default_allocator;
}

static bool multiply(size_t count, size_t size, size_t *total)
{
    return !__builtin_mul_overflow(count, size, total);
}

void *wri_alloc(const wr_allocator *allocator, size_t count, size_t size)
{
    const wr_allocator *a = resolve(allocator);
    size_t total;
    if (!multiply(count, size, &total)) {
        return NULL;
    }
    total = total ? total : 1;
    void *memory = a->alloc(a->user, total);
    return memory ? memset(memory, 0, total) : NULL;
}

void wri_free(const wr_allocator *allocator, void *memory, size_t count, size_t size)
{
    if (memory) {
        const wr_allocator *a = resolve(allocator);
        size_t total = count * size;
        a->free(a->user, memory, total ? total : 1);
    }
}

// --- arena ------------------------------------------------------------------------------------

struct wri_arena_block {
    wri_arena_block *next;
    size_t size; // size of the whole block with this head
};

enum { ARENA_ALIGNMENT = 16, ARENA_BLOCK = 1 << 12, ARENA_BLOCK_MAX = 1 << 22 };

static size_t arena_head(void)
{
    return (sizeof(wri_arena_block) + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

wri_arena wri_arena_create(const wr_allocator *allocator)
{
    return (wri_arena){.allocator = *resolve(allocator)};
}

void wri_arena_destroy(wri_arena *arena)
{
    wri_arena_block *block = arena->blocks;
    while (block) {
        wri_arena_block *next = block->next;
        arena->allocator.free(arena->allocator.user, block, block->size);
        block = next;
    }
    arena->blocks = NULL;
    arena->used = arena->total = 0;
}

static bool arena_grow(wri_arena *arena, size_t needed)
{
    size_t size = arena->total < ARENA_BLOCK       ? ARENA_BLOCK
                  : arena->total > ARENA_BLOCK_MAX ? ARENA_BLOCK_MAX
                                                   : arena->total;
    if (needed > SIZE_MAX - arena_head()) {
        return false;
    }
    size = size < needed + arena_head() ? needed + arena_head() : size;
    wri_arena_block *block = arena->allocator.alloc(arena->allocator.user, size);
    if (!block) {
        return false;
    }
    *block = (wri_arena_block){.next = arena->blocks, .size = size};
    arena->blocks = block;
    arena->used = arena_head();
    arena->total += size;
    return true;
}

void *wri_arena_alloc(wri_arena *arena, size_t count, size_t size)
{
    size_t total;
    if (!multiply(count, size, &total) || total > SIZE_MAX - ARENA_ALIGNMENT) {
        return NULL;
    }
    total = (total + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
    if (!arena->blocks || arena->blocks->size - arena->used < total) {
        if (!arena_grow(arena, total)) {
            return NULL;
        }
    }
    void *memory = (uint8_t *)arena->blocks + arena->used;
    arena->used += total;
    return memset(memory, 0, total);
}

char *wri_arena_text(wri_arena *arena, const char *text, size_t length)
{
    char *copy = wri_arena_alloc(arena, length + 1, 1);
    if (copy && length) {
        memcpy(copy, text, length);
    }
    return copy;
}

char *wri_arena_printf(wri_arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : wri_arena_alloc(arena, (size_t)length + 1, 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    return text;
}

// --- growing array ----------------------------------------------------------------------------

wri_array wri_array_create(const wr_allocator *allocator, size_t item_size)
{
    return (wri_array){.allocator = *resolve(allocator), .item_size = item_size};
}

void wri_array_destroy(wri_array *array)
{
    wri_free(&array->allocator, array->items, (size_t)array->capacity, array->item_size);
    array->items = NULL;
    array->count = array->capacity = 0;
}

bool wri_array_reserve(wri_array *array, int capacity)
{
    if (capacity <= array->capacity) {
        return true;
    }
    int grown = array->capacity > INT32_MAX / 2 ? capacity : 2 * array->capacity;
    grown = grown < capacity ? capacity : grown;
    grown = grown < 16 ? 16 : grown;
    void *items = wri_alloc(&array->allocator, (size_t)grown, array->item_size);
    if (!items) {
        return false;
    }
    if (array->count) {
        memcpy(items, array->items, (size_t)array->count * array->item_size);
    }
    wri_free(&array->allocator, array->items, (size_t)array->capacity, array->item_size);
    array->items = items;
    array->capacity = grown;
    return true;
}

void *wri_array_add(wri_array *array, int count)
{
    WR_ASSERT(count >= 0);
    if (count > INT32_MAX - array->count) {
        return NULL;
    }
    int needed = array->count + count;
    if (!wri_array_reserve(array, needed ? needed : 1)) { // even no items have an address
        return NULL;
    }
    uint8_t *first = (uint8_t *)array->items + (size_t)array->count * array->item_size;
    array->count = needed;
    return memset(first, 0, (size_t)count * array->item_size);
}

// --- scratch ----------------------------------------------------------------------------------

wr_scratch wri_scratch_create(const wr_allocator *allocator)
{
    return (wr_scratch){.allocator = *resolve(allocator), .overflow = wri_arena_create(allocator)};
}

void wri_scratch_destroy(wr_scratch *scratch)
{
    wri_free(&scratch->allocator, scratch->memory, scratch->capacity, 1);
    wri_arena_destroy(&scratch->overflow);
    *scratch = (wr_scratch){0};
}

void *wr_scratch_push(wr_scratch *scratch, size_t count, size_t size)
{
    size_t total;
    if (!multiply(count, size, &total) || total > SIZE_MAX / 2) {
        return NULL;
    }
    total = total ? (total + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    // What overflows counts as used too, so that going back to a mark forgets it like the rest.
    size_t begin = scratch->used, end = begin + total;
    void *memory = end <= scratch->capacity ? memset(scratch->memory + begin, 0, total)
                                            : wri_arena_alloc(&scratch->overflow, total, 1);
    if (memory) {
        scratch->used = end;
        scratch->peak = end > scratch->peak ? end : scratch->peak;
    }
    return memory;
}

void wri_scratch_reset(wr_scratch *scratch)
{
    if (scratch->peak > scratch->capacity) {
        uint8_t *memory = wri_alloc(&scratch->allocator, scratch->peak, 1);
        if (memory) { // otherwise the overflow arena serves again
            wri_free(&scratch->allocator, scratch->memory, scratch->capacity, 1);
            scratch->memory = memory;
            scratch->capacity = scratch->peak;
        }
    }
    wri_arena_destroy(&scratch->overflow);
    scratch->used = scratch->peak = 0;
}

// --- parallel for -----------------------------------------------------------------------------

int wri_test_block_shuffle = 0;

typedef struct loop {
    wri_range_fn *fn;
    void *context;
    int count, grain, blocks;
} loop;

// Returns the block to run: turned by the shuffle and, for odd ones, backwards, so that neighbours
// trade places too.
static int test_order(int index, int blocks)
{
    unsigned shuffle = (unsigned)wri_test_block_shuffle, count = (unsigned)blocks;
    int turned = (int)(((unsigned)index + shuffle % count) % count);
    return shuffle % 2 ? blocks - 1 - turned : turned;
}

static void run_block(void *task, int index)
{
    const loop *l = task;
    int block = test_order(index, l->blocks);
    int begin = block * l->grain;
    int end = l->count - begin < l->grain ? l->count : begin + l->grain;
    l->fn(l->context, block, begin, end);
}

int wri_block_count(int count, int grain)
{
    WR_ASSERT(grain > 0);
    return count <= 0 ? 0 : (count - 1) / grain + 1;
}

void wri_parallel_for(const wr_tasks *tasks, int count, int grain, wri_range_fn *fn, void *context)
{
    loop l = {fn, context, count, grain, wri_block_count(count, grain)};
    if (tasks && tasks->run && tasks->worker_count > 1 && l.blocks > 1) {
        tasks->run(tasks->user, run_block, &l, l.blocks);
        return;
    }
    for (int i = 0; i < l.blocks; i++) {
        run_block(&l, i);
    }
}

void wr_text_destroy(char *text, size_t size)
{
    wri_free(NULL, text, size, 1);
}
