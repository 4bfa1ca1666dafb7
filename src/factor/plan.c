// plan.c: plans from patterns, and as bytes.
#include "plan.h"

static const uint64_t MAGIC = 0x314e414c50534c46; // "FLSPLAN1"

enum { COUNT_MAX = 1 << 24, UNCHECKED = 16 };

static wri_plan *create_empty(int count, size_t entries, const wr_allocator *allocator,
                              wr_error *error)
{
    wri_arena arena = wri_arena_create(allocator);
    wri_plan *p = wri_arena_alloc(&arena, 1, sizeof *p);
    if (!p) {
        wri_fail_memory(error, sizeof *p);
        return NULL;
    }
    *p = (wri_plan){.arena = arena, .count = count};
    p->upper_begin = wri_arena_alloc(&p->arena, (size_t)count + 1, sizeof *p->upper_begin);
    p->upper_column = wri_arena_alloc(&p->arena, entries, sizeof *p->upper_column);
    if (!p->upper_begin || !p->upper_column) {
        wri_fail_memory(error, entries * sizeof *p->upper_column);
        wri_plan_destroy(p);
        return NULL;
    }
    return p;
}

static wri_plan *analyse(wri_plan *p, wr_error *error)
{
    if (!wri_plan_analyse(p, error)) {
        wri_plan_destroy(p);
        return NULL;
    }
    return p;
}

wri_plan *wri_plan_create(const wri_blocks *pattern, const wr_allocator *allocator, wr_error *error)
{
    if (pattern->count < 1 || pattern->count > COUNT_MAX) {
        wri_fail(error, WR_E_ARGUMENT, "%d nodes, not 1 to %d", pattern->count, COUNT_MAX);
        return NULL;
    }
    if (!wri_blocks_check(pattern, error)) {
        return NULL;
    }
    size_t entries = ((size_t)pattern->begin[pattern->count] + (size_t)pattern->count) / 2;
    wri_plan *p = create_empty(pattern->count, entries, allocator, error);
    for (int k = 0, at = 0; k < pattern->count && p; k++) {
        for (int e = pattern->begin[k]; e < pattern->begin[k + 1]; e++) {
            if (pattern->column[e] >= k) {
                p->upper_column[at++] = pattern->column[e];
            }
        }
        p->upper_begin[k + 1] = at;
    }
    return p ? analyse(p, error) : NULL;
}

void wri_plan_destroy(wri_plan *p)
{
    if (p) {
        wri_arena arena = p->arena; // which p is in
        wri_arena_destroy(&arena);
    }
}

size_t wri_plan_value_count(const wri_plan *p)
{
    return p->value_begin[p->super_count];
}

// --- bytes ------------------------------------------------------------------------------------

typedef struct head {
    uint64_t magic, check; // check: hash of everything behind it
    int64_t count, entry_count;
} head;

static size_t size_of(size_t count, size_t entries)
{
    return sizeof(head) + (count + 1 + entries) * sizeof(int);
}

size_t wri_plan_save_size(const wri_plan *p)
{
    return size_of((size_t)p->count, (size_t)p->upper_begin[p->count]);
}

void wri_plan_save(const wri_plan *p, void *bytes)
{
    head h = {.magic = MAGIC, .count = p->count, .entry_count = p->upper_begin[p->count]};
    size_t begins = ((size_t)p->count + 1) * sizeof(int);
    uint8_t *out = bytes;
    memcpy(out, &h, sizeof h);
    memcpy(out + sizeof h, p->upper_begin, begins);
    memcpy(out + sizeof h + begins, p->upper_column, (size_t)h.entry_count * sizeof(int));
    h.check = wri_hash(out + UNCHECKED, wri_plan_save_size(p) - UNCHECKED, 0);
    memcpy(out, &h, sizeof h);
}

static bool check_head(const head *h, const uint8_t *bytes, size_t size, wr_error *error)
{
    bool fits = h->magic == MAGIC && h->count >= 1 && h->count <= COUNT_MAX &&
                h->entry_count >= h->count && h->entry_count <= INT32_MAX / 2 &&
                size == size_of((size_t)h->count, (size_t)h->entry_count);
    return (fits && h->check == wri_hash(bytes + UNCHECKED, size - UNCHECKED, 0)) ||
           wri_fail(error, WR_E_FORMAT, "the plan of a factor is damaged");
}

// Rows begin at their diagonal, and columns ascend from there.
static bool check_pattern(const wri_plan *p, int entries, wr_error *error)
{
    bool ok = p->upper_begin[0] == 0 && p->upper_begin[p->count] == entries;
    for (int k = 0; k < p->count && ok; k++) {
        ok = p->upper_begin[k] < p->upper_begin[k + 1];
    }
    for (int k = 0; k < p->count && ok; k++) {
        int begin = p->upper_begin[k], end = p->upper_begin[k + 1];
        ok = p->upper_column[begin] == k && p->upper_column[end - 1] < p->count;
        for (int e = begin + 1; e < end && ok; e++) {
            ok = p->upper_column[e - 1] < p->upper_column[e];
        }
    }
    return ok ||
           wri_fail(error, WR_E_FORMAT, "the plan of a factor of %d nodes is not sound", p->count);
}

wri_plan *wri_plan_load(const void *bytes, size_t size, const wr_allocator *allocator,
                        wr_error *error)
{
    head h;
    if (size < sizeof h) {
        wri_fail(error, WR_E_FORMAT, "the plan of a factor is cut off");
        return NULL;
    }
    memcpy(&h, bytes, sizeof h);
    if (!check_head(&h, bytes, size, error)) {
        return NULL;
    }
    wri_plan *p = create_empty((int)h.count, (size_t)h.entry_count, allocator, error);
    if (!p) {
        return NULL;
    }
    const uint8_t *in = (const uint8_t *)bytes + sizeof h;
    size_t begins = ((size_t)h.count + 1) * sizeof(int);
    memcpy(p->upper_begin, in, begins);
    memcpy(p->upper_column, in + begins, (size_t)h.entry_count * sizeof(int));
    if (!check_pattern(p, (int)h.entry_count, error)) {
        wri_plan_destroy(p);
        return NULL;
    }
    return analyse(p, error);
}
