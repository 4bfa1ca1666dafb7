// gltf.h: the parts of a glTF 2.0 reader below meshes and nodes: JSON members, buffers, accessors.
#pragma once

#include "json.h"
#include "model.h"

typedef struct wri_gltf_buffer {
    const uint8_t *bytes;
    uint64_t size;
    bool loaded;
} wri_gltf_buffer;

typedef struct wri_gltf {
    const char *path;
    const char *json_path; // for messages about places in the JSON
    const wri_json *root;
    const uint8_t *binary; // the BIN chunk, NULL when there is none
    uint64_t binary_size;
    const wri_json *buffers, *views, *accessors; // arrays or NULL
    wri_gltf_buffer *loaded;                     // one per buffer
    wri_arena arena;                             // lives as long as the reading
    wr_model *model;
    uint64_t source_size; // bytes read so far, neighbours included
    uint64_t work;        // elements of accessors asked for so far
    wr_error *error;
} wri_gltf;

typedef struct wri_gltf_accessor {
    int index;
    int component_type; // 5120 ... 5126
    int component_size; // bytes
    int components;     // 1 ... 4
    bool normalized;
    int count;
    const uint8_t *bytes; // NULL: all zero
    uint64_t stride;
    const wri_json *sparse;
} wri_gltf_accessor;

// --- JSON members -----------------------------------------------------------------------------

// Fails with the place of `value` in the file.
bool wri_gltf_fail(wri_gltf *g, const wri_json *value, wr_code code, const char *format, ...)
    WRI_PRINTF(4, 5);

// Each leaves *out as it is when the member is absent, and fails when it has another type.
bool wri_gltf_array(wri_gltf *g, const wri_json *object, const char *key, const wri_json **out);
bool wri_gltf_object(wri_gltf *g, const wri_json *object, const char *key, const wri_json **out);
bool wri_gltf_text(wri_gltf *g, const wri_json *object, const char *key, const char **out);
bool wri_gltf_bool(wri_gltf *g, const wri_json *object, const char *key, bool *out);
bool wri_gltf_floats(wri_gltf *g, const wri_json *object, const char *key, int count, float *out);
// An integer in [0, limit).
bool wri_gltf_integer(wri_gltf *g, const wri_json *object, const char *key, uint64_t limit,
                      uint64_t *out);
bool wri_gltf_index(wri_gltf *g, const wri_json *object, const char *key, int limit, int *out);
bool wri_gltf_as_index(wri_gltf *g, const wri_json *value, int limit, int *out);

// --- bytes ------------------------------------------------------------------------------------

bool wri_gltf_open_buffers(wri_gltf *g);
bool wri_gltf_find_view(wri_gltf *g, int view, const uint8_t **bytes, uint64_t *size,
                        uint64_t *stride);
// What a uri means: base64 behind "data:", or a neighbouring file.
bool wri_gltf_load_uri(wri_gltf *g, const wri_json *uri, const uint8_t **bytes, uint64_t *size);

// --- accessors --------------------------------------------------------------------------------

// Work is limited in proportion to the file, so that a small file cannot ask for much by naming the
// same accessor often.
bool wri_gltf_count_work(wri_gltf *g, const wri_json *json, int count);
// Checks the accessor against its buffer view and counts it as work.
bool wri_gltf_open_accessor(wri_gltf *g, int index, wri_gltf_accessor *out);
// count * components floats; integers are scaled when the accessor says normalized.
bool wri_gltf_read_floats(wri_gltf *g, const wri_gltf_accessor *a, float *out);
bool wri_gltf_read_indices(wri_gltf *g, const wri_gltf_accessor *a, int *out);

// --- meshes -----------------------------------------------------------------------------------

// Fills one mesh from a glTF mesh; without triangles its triangle_count stays 0. uv_set_of_look
// says which TEXCOORD_n each look's texture uses.
bool wri_gltf_read_mesh(wri_gltf *g, const wri_json *json, const int *uv_set_of_look,
                        wr_mesh *mesh);
