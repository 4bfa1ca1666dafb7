// fuzz.h: what the fuzz targets share. docs/fuzzing.md says how to use them.
#pragma once

#include "wrought/wrought.h"

#include "../src/base/base.h"

typedef struct fuzz_target {
    const char *name;
    // Gives the bytes to a reader and looks at everything that comes out. Whatever it complains
    // about is an abort.
    void (*run)(const uint8_t *bytes, size_t size);
    // Mends lengths and checksums behind a mutation, so that what lies behind them is reached; NULL
    // where there are none. Never changes the size.
    void (*repair)(uint8_t *bytes, size_t size);
} fuzz_target;

extern const fuzz_target fuzz_targets[];
extern const int fuzz_target_count;

// A file in a folder of this process's own, in memory where the system has that. A path lives until
// four more were asked for.
const char *fuzz_put(const char *name, const void *bytes, size_t size);
const char *fuzz_path(const char *name);

// What Assimp could have read: a scene made of the bytes, with every count, index, weight and name
// that they say; only its arrays are as long as it says. Its memory is added to blocks (void *).
const struct aiScene *fuzz_assimp_scene(wri_array *blocks, const uint8_t *bytes, size_t size);
void fuzz_assimp_free(wri_array *blocks);

// Prints a sentence and aborts.
void fuzz_complain(const char *format, ...) WRI_PRINTF(1, 2);

// Every kind of body, joint and material in one small scene; the world's snapshots are fuzzed.
wr_scene *fuzz_scene_create(void);
wr_world *fuzz_world_create(const wr_scene *scene);

// Files that the scene's and other inputs may name.
void fuzz_put_neighbours(void);

void fuzz_repair_glb(uint8_t *bytes, size_t size);
void fuzz_repair_png(uint8_t *bytes, size_t size);
void fuzz_repair_recording(uint8_t *bytes, size_t size);
void fuzz_repair_snapshot(uint8_t *bytes, size_t size);
