// places.h (internal): particles sorted by the bin or block of a sparse grid that they are in.
#pragma once

#include "../base/base.h"

#include <stdlib.h>

enum { WRI_KEY_BITS = 21 }; // of the number of a bin or block along one axis

// Ordered by key, then by number. A particle may be in several blocks.
typedef struct wri_place {
    uint64_t key;
    int particle;
} wri_place;

// Numbers of neighbours differ by the key of the step between them.
static inline uint64_t wri_place_key(int64_t x, int64_t y, int64_t z)
{
    return (uint64_t)z << 2 * WRI_KEY_BITS | (uint64_t)y << WRI_KEY_BITS | (uint64_t)x;
}

static inline int wri_compare_places(const void *a, const void *b)
{
    const wri_place *p = a, *q = b;
    return p->key != q->key ? (p->key < q->key ? -1 : 1)
                            : (p->particle > q->particle) - (p->particle < q->particle);
}

static inline void wri_sort_places(wri_place *places, size_t count)
{
    qsort(places, count, sizeof *places, wri_compare_places);
}

// The first of `count` items, `size` bytes apart and ascending by the key that each begins with,
// whose key is not below `key`.
static inline int wri_find_key(const void *items, size_t size, int count, uint64_t key)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        uint64_t there;
        memcpy(&there, (const uint8_t *)items + size * (size_t)middle, sizeof there);
        low = there < key ? middle + 1 : low;
        high = there < key ? high : middle;
    }
    return low;
}
