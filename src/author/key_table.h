// key_table.h: numbers for 64-bit keys, in the order in which they come.
#pragma once

#include "../base/base.h"

typedef struct wri_key_table {
    wr_allocator allocator;
    wri_array keys; // uint64_t, key of each number
    int *slots;     // number + 1, 0: free
    size_t slot_count;
} wri_key_table;

wri_key_table wri_key_table_create(const wr_allocator *allocator);
void wri_key_table_destroy(wri_key_table *table);
// The key's number, a new one when it is new; -1 when out of memory.
int wri_key_table_add(wri_key_table *table, uint64_t key);
// Returns the number of a key, -1: not there.
int wri_key_table_find(const wri_key_table *table, uint64_t key);
static inline uint64_t wri_key_table_key(const wri_key_table *table, int number)
{
    return ((const uint64_t *)table->keys.items)[number];
}

// Sorts keys ascending, each once. Returns how many are left.
int wri_keys_sort(uint64_t *keys, int count);
