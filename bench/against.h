// against.h: two builds of the program on the same work, by turns; and recordings for it.
#pragma once

#include "bench.h"

// One piece of work, as both programs are asked to do it.
typedef struct bench_turns {
    const char *name;        // of the rows
    const char *item;        // what is counted: "picture"
    const char *const *few;  // arguments, NULL-terminated
    const char *const *many; // likewise, of the same work with `items` more
    int items;
    const char *file;    // what they write, whose size is compared; NULL: nobody asks
    const char *program; // in place of this one; NULL: this one
} bench_turns;

// Adds rows of what each program takes per item, and of their ratios.
bool bench_take_turns(const bench_options *options, const bench_turns *turns, bench_rows *rows,
                      wr_error *error);

// Records the first `seconds` of a scene.
bool bench_record(const bench_options *options, const char *scene, double seconds, const char *path,
                  wr_error *error);

typedef struct bench_shared {
    char path[600];
    bool is_plain; // the scene was too new for the other program: forty boxes stand for it
} bench_shared;

// A recording of the scene that this program and the other one can read, made by either.
bool bench_share_recording(const bench_options *options, const bench_folder *folder,
                           const char *scene, double seconds, bench_shared *out, wr_error *error);
