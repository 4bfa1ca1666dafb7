// check.h: what several test files need: cmocka with its own includes, a heap that counts, refuses
// and checks, a temporary folder, nearness, reproducible random numbers, time.
#pragma once

#include "../src/base/base.h"
#include "wrought/math.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

// Also false when one of the two is not a number.
#define CHECK_NEAR(a, b, tolerance)                                                                \
    do {                                                                                           \
        double check_a = (a), check_b = (b), check_tolerance = (tolerance);                        \
        if (!(fabs(check_a - check_b) <= check_tolerance)) {                                       \
            fail_msg("%s:%d: %s is %.9g, expected %.9g within %g", __FILE__, __LINE__, #a,         \
                     check_a, check_b, check_tolerance);                                           \
        }                                                                                          \
    } while (0)

// --- a heap -----------------------------------------------------------------------------------

// budget: how many allocations succeed. Memory comes filled with rubbish, and free must be told
// the size that alloc was asked for.
typedef struct counting_heap {
    int budget, calls, alive;
    size_t largest; // request so far
} counting_heap;

enum { CHECK_HEAD = 64 };

static inline void *counting_alloc(void *user, size_t size)
{
    counting_heap *heap = user;
    heap->calls++;
    heap->largest = size > heap->largest ? size : heap->largest;
    if (heap->budget <= 0 || size > SIZE_MAX / 2) {
        return NULL;
    }
    uint8_t *block = aligned_alloc(CHECK_HEAD, (size / CHECK_HEAD + 2) * CHECK_HEAD);
    if (!block) {
        return NULL;
    }
    heap->budget--;
    heap->alive++;
    memcpy(block, &size, sizeof size);
    return memset(block + CHECK_HEAD, 0xcd, size);
}

static inline void counting_free(void *user, void *memory, size_t size)
{
    size_t asked;
    uint8_t *block = (uint8_t *)memory - CHECK_HEAD;
    memcpy(&asked, block, sizeof asked);
    assert_int_equal(size, asked);
    ((counting_heap *)user)->alive--;
    free(block);
}

static inline wr_allocator counting_allocator(counting_heap *heap)
{
    return (wr_allocator){counting_alloc, counting_free, heap};
}

static inline bool is_zeroed(const void *memory, size_t size)
{
    const uint8_t *bytes = memory;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i]) {
            return false;
        }
    }
    return true;
}

// --- time -------------------------------------------------------------------------------------

// Seconds of the processor that this program took so far: what others do on the machine does not
// count, as it does on the clock on the wall.
static inline double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// --- random numbers ---------------------------------------------------------------------------

// xorshift64*: the same numbers on every machine. Start from any seed but 0.
static inline uint64_t random_bits(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545F4914F6CDD1Du;
}

static inline float random_float(uint64_t *seed, float low, float high)
{
    return low + (high - low) * ((float)(random_bits(seed) >> 40) * 0x1p-24f);
}

// The same by every compiler, while the arguments of one call are drawn in an order of its own.
static inline wr_vec3 random_vec3(uint64_t *seed, float low, float high)
{
    float x = random_float(seed, low, high), y = random_float(seed, low, high);
    return wr_v3(x, y, random_float(seed, low, high));
}

// --- a temporary folder -----------------------------------------------------------------------

typedef struct temporary_folder {
    char path[512];
} temporary_folder;

static inline temporary_folder temporary_folder_create(void)
{
    temporary_folder folder;
    const char *base = getenv("TMPDIR");
    snprintf(folder.path, sizeof folder.path, "%s/wrought-test-XXXXXX",
             base && base[0] ? base : "/tmp");
    if (!mkdtemp(folder.path)) {
        fail_msg("%s: cannot be created", folder.path);
    }
    return folder;
}

static inline void remove_tree(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        return;
    }
    DIR *folder = S_ISDIR(status.st_mode) ? opendir(path) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            char child[4096];
            if (snprintf(child, sizeof child, "%s/%s", path, entry->d_name) < (int)sizeof child) {
                remove_tree(child);
            }
        }
    }
    if (folder) {
        closedir(folder);
    }
    remove(path);
}

// Whether a file that is not whole yet, meant to become path, lies beside it.
static inline bool has_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[1024];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    const char *name = slash ? slash + 1 : path;
    DIR *listing = opendir(folder);
    bool found = false;
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        size_t length = strlen(entry->d_name);
        found = found || (strncmp(entry->d_name, name, strlen(name)) == 0 && length > 5 &&
                          strcmp(entry->d_name + length - 5, ".part") == 0);
    }
    if (listing) {
        closedir(listing);
    }
    return found;
}

static inline void temporary_folder_destroy(const temporary_folder *folder)
{
    remove_tree(folder->path);
}

static inline void assert_same_files(const char *a, const char *b)
{
    FILE *files[] = {fopen(a, "rb"), fopen(b, "rb")};
    assert_true(files[0] && files[1]);
    size_t at = 0;
    int byte = fgetc(files[0]), other = fgetc(files[1]);
    while (byte == other && byte != EOF) {
        byte = fgetc(files[0]);
        other = fgetc(files[1]);
        at++;
    }
    if (byte != other) {
        fail_msg("%s and %s differ from byte %zu on", a, b, at);
    }
    fclose(files[0]);
    fclose(files[1]);
}
