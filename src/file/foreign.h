// foreign.h: kinds of model that only Assimp reads, through the program wrought-import.
#pragma once

#include "model.h"

#if defined(__SANITIZE_ADDRESS__)
#define WRI_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define WRI_SANITIZED 1
#endif
#endif

// Exit statuses of wrought-import. Whatever it says is one line on stderr.
enum {
    WRI_IMPORT_DONE = 0,     // the model as .glb on stdout, behind it a line for each warning
    WRI_IMPORT_REFUSED = 1,  // the file cannot be read, the line says why
    WRI_IMPORT_NO_MEMORY = 4 // there is not enough memory
};

typedef struct wri_foreign_options {
    double seconds;
    int64_t memory;   // bytes, 0: no limit
    bool keep_unit;   // lengths as they stand in the file, whatever it says they mean
    bool keep_axes;   // keeps the file's axes
    const char *test; // an option of the child for tests, NULL: none
} wri_foreign_options;

// Limits by the size of the file in bytes.
wri_foreign_options wri_foreign_options_default(size_t size);

// Whatever the ending is.
wr_model *wri_foreign_import(const char *path, const wri_foreign_options *options,
                             const wr_allocator *allocator, wr_error *error);
