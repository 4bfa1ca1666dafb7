// foreign.h: what only the program wrought-import reads: kinds of model by Assimp, and the parts of
// glTF files that Draco has compressed.
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

// --- Draco ------------------------------------------------------------------------------------

// `wrought-import --draco` finds on its stdin, for every primitive, one of these, its attributes,
// and the compressed bytes; each begins at a multiple of 4 bytes. It answers with the corners and
// then the attributes of one primitive after the other, each as an array of the type that was asked
// for that begins at a multiple of 4 bytes. So the length of the answer is known beforehand.
typedef struct wri_draco_primitive {
    uint32_t size; // bytes
    uint32_t vertex_count, corner_count, attribute_count;
    uint32_t corner_type; // componentType of glTF
} wri_draco_primitive;

typedef struct wri_draco_attribute {
    uint32_t id; // in the compressed bytes
    uint32_t component_type, components;
} wri_draco_attribute;

// What `request` asks for of the file `path`, which must be `expected` bytes.
bool wri_foreign_decode(const char *path, const wri_array *request, size_t expected,
                        const wri_foreign_options *options, wri_array *answer, wr_error *error);
