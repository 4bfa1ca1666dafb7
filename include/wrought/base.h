// base.h: errors, memory and thread hooks that every other header uses.
//
//     wr_error error = {0};
//     wr_model *model = wr_model_read("barrel.glb", NULL, &error);
//     if (!model) {
//         fprintf(stderr, "%s\n", error.message);
//     }
//
// Thread safety: everything here is a plain value or a pure function.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define WR_VERSION_MAJOR 0
#define WR_VERSION_MINOR 1
#define WR_VERSION_PATCH 0

#define WR_API __attribute__((visibility("default")))
#define WR_NODISCARD __attribute__((warn_unused_result))

typedef enum wr_code {
    WR_OK = 0,
    WR_E_ARGUMENT,    // a desc field or input array holds a value we cannot use
    WR_E_MEMORY,      // the allocator returned NULL
    WR_E_IO,          // the operating system refused a read or a write
    WR_E_FORMAT,      // a file is malformed
    WR_E_UNSUPPORTED, // valid, but this build or version cannot do it
    WR_E_FULL,        // the disk is full, or a limit on the size of files was reached
    WR_E_EXISTS,      // a file that we did not write is in the way
    WR_E_LIMIT,       // the result would be larger than we make it
    WR_E_AMBIGUOUS,   // several would do: the caller has to choose
    WR_E_CANCELLED,   // the caller said that we should stop
} wr_code;

// Says why a call failed. A function can fail if and only if its last parameter is wr_error *;
// it then returns NULL or false. Passing NULL means "I do not need the reason". Such a function
// answers WR_E_ARGUMENT, and names what is wrong, to a required pointer that is NULL and to a desc
// that did not come from its _default function. To others a NULL object is a bug of the caller.
typedef struct wr_error {
    wr_code code;
    char message[508]; // one sentence naming the file, field, index or byte offset at fault
} wr_error;

// The longest step that simulations take at once, seconds. Every function that steps by dt does
// nothing, and changes nothing, when dt is not in (0, WR_STEP_MAX]: 0, negative, infinite, no
// number.
#define WR_STEP_MAX 3600.0f

// Memory hooks. free receives the size that was asked for. Must be callable from any thread.
typedef struct wr_allocator {
    void *(*alloc)(void *user, size_t size); // 64-byte aligned, or NULL when out of memory
    void (*free)(void *user, void *memory, size_t size);
    void *user;
} wr_allocator;

// The C library's heap; what a NULL allocator means everywhere.
WR_API const wr_allocator *wr_allocator_default(void);

// Frees a text that a function returned together with its size.
WR_API void wr_text_destroy(char *text, size_t size);

// Thread hooks. A zeroed wr_tasks runs everything on the calling thread.
// run must call fn(task, i) once for every i in [0, count), in any order and on any threads, and
// return when all calls have returned. Results are identical, bit for bit, for every worker_count.
typedef void wr_task_fn(void *task, int index);
typedef struct wr_tasks {
    void (*run)(void *user, wr_task_fn *fn, void *task, int count);
    void *user;
    int worker_count;
} wr_tasks;

// Threads of OpenMP; worker_count <= 0 means one per core. Not part of wrought-rt.
WR_API wr_tasks wr_tasks_openmp(int worker_count);

// Memory of one call, given to those who are called. It is taken back when they return.
typedef struct wr_scratch wr_scratch;
// Zeroed, 16-byte aligned; NULL when out of memory.
WR_API void *wr_scratch_push(wr_scratch *scratch, size_t count, size_t size);

// Told now and then by the calling thread how far a long piece of work is.
typedef struct wr_progress {
    void (*report)(void *user, const char *stage, double done); // done in [0, 1]; NULL: silence
    void *user;
} wr_progress;

// Receives warnings. The library itself never prints.
typedef void wr_log_fn(void *user, const char *message);
typedef struct wr_log {
    wr_log_fn *write; // NULL: discard
    void *user;
} wr_log;

#if defined(__cplusplus)
}
#endif
