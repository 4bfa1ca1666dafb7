// key_table.c: an open-addressing table that never forgets.
#include "key_table.h"

#include <stdlib.h>

wri_key_table wri_key_table_create(const wr_allocator *allocator)
{
    return (wri_key_table){.allocator = *(allocator ? allocator : wr_allocator_default()),
                           .keys = wri_array_create(allocator, sizeof(uint64_t))};
}

void wri_key_table_destroy(wri_key_table *table)
{
    wri_free(&table->allocator, table->slots, table->slot_count, sizeof *table->slots);
    wri_array_destroy(&table->keys);
    table->slots = NULL;
    table->slot_count = 0;
}

static size_t slot_of(uint64_t key, size_t slot_count)
{
    key ^= key >> 31;
    key *= 0x9e3779b97f4a7c15u;
    key ^= key >> 29;
    key *= 0xbf58476d1ce4e5b9u;
    return (size_t)(key >> 20) & (slot_count - 1);
}

static bool grow(wri_key_table *table)
{
    size_t count = table->slot_count ? 2 * table->slot_count : 1024;
    int *slots = wri_alloc(&table->allocator, count, sizeof *slots);
    if (!slots) {
        return false;
    }
    for (int i = 0; i < table->keys.count; i++) {
        size_t slot = slot_of(wri_key_table_key(table, i), count);
        while (slots[slot]) {
            slot = (slot + 1) & (count - 1);
        }
        slots[slot] = i + 1;
    }
    wri_free(&table->allocator, table->slots, table->slot_count, sizeof *table->slots);
    table->slots = slots;
    table->slot_count = count;
    return true;
}

int wri_key_table_find(const wri_key_table *table, uint64_t key)
{
    if (table->slot_count == 0) {
        return -1;
    }
    size_t slot = slot_of(key, table->slot_count);
    for (; table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1)) {
        if (wri_key_table_key(table, table->slots[slot] - 1) == key) {
            return table->slots[slot] - 1;
        }
    }
    return -1;
}

int wri_key_table_add(wri_key_table *table, uint64_t key)
{
    int found = wri_key_table_find(table, key);
    if (found >= 0) {
        return found;
    }
    if (2 * ((size_t)table->keys.count + 1) > table->slot_count && !grow(table)) {
        return -1;
    }
    uint64_t *new_key = wri_array_add(&table->keys, 1);
    if (!new_key) {
        return -1;
    }
    *new_key = key;
    size_t slot = slot_of(key, table->slot_count);
    while (table->slots[slot]) {
        slot = (slot + 1) & (table->slot_count - 1);
    }
    table->slots[slot] = table->keys.count;
    return table->keys.count - 1;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int wri_keys_sort(uint64_t *keys, int count)
{
    int kept = 0;
    if (count > 1) {
        qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    }
    for (int i = 0; i < count; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            keys[kept++] = keys[i];
        }
    }
    return kept;
}
