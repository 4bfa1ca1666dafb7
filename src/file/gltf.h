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
    const char *json_path; // path for messages about places in the JSON
    const wri_json *root;
    const uint8_t *binary; // the BIN chunk, NULL when there is none
    uint64_t binary_size;
    const wri_json *buffers, *views, *accessors; // arrays or NULL
    wri_gltf_buffer *loaded;                     // one per buffer
    const uint8_t **unpacked;                    // one per view: its bytes if they were compressed
    const uint8_t **decoded; // one per accessor: its elements, by Draco; or NULL
    wri_arena arena;         // lives as long as the reading
    wr_model *model;
    int *node_map;        // number in the model of each glTF node; negative: not in the scene
    int node_count;       // nodes in the file
    uint64_t source_size; // bytes read so far, neighbours included
    uint64_t work;        // elements of accessors asked for so far
    uint64_t kept;        // bytes of the model made of them so far
    bool is_alone;        // it is in memory only: names of other files are refused
    bool follow_links;    // as wr_read_options has it
    bool plain; // meshes keep all their vertices; joints, morphs, skins and clips are left
    wr_error *error;
} wri_gltf;

// wri_gltf_read for a file with something in it that `extra` knows: that is called first, and the
// meshes are then read plain. extra NULL: wri_gltf_read itself. Of options, which may be NULL,
// units and axes are left to the caller.
typedef bool wri_gltf_extra_fn(wri_gltf *g, void *context);
wr_model *wri_gltf_read_with(const char *path, const char *bytes, size_t size,
                             wri_gltf_extra_fn *extra, void *context,
                             const wr_read_options *options, wr_error *error);

typedef struct wri_gltf_accessor {
    int index;
    int component_type; // 5120 ... 5126
    int component_size; // bytes
    int components;     // 1 ... 4, or 16
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
// A warning of the model with the place of `value`.
bool wri_gltf_warn(wri_gltf *g, const wri_json *value, const char *format, ...) WRI_PRINTF(3, 4);

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

// Copies a text into the model's memory, NULL on failure; an absent name becomes "".
const char *wri_gltf_copy_text(wri_gltf *g, const char *text);
const char *wri_gltf_copy_name(wri_gltf *g, const wri_json *object);

// --- bytes ------------------------------------------------------------------------------------

bool wri_gltf_open_buffers(wri_gltf *g);
bool wri_gltf_find_view(wri_gltf *g, int view, const uint8_t **bytes, uint64_t *size,
                        uint64_t *stride);
// The bytes that buffer, byteOffset and byteLength of json mean, for a sentence about the view.
bool wri_gltf_find_bytes(wri_gltf *g, const wri_json *json, int view, const uint8_t **bytes,
                         uint64_t *size);
// How a view is compressed by EXT_meshopt_compression or its successor, NULL: it is not.
bool wri_gltf_find_packing(wri_gltf *g, const wri_json *view, const wri_json **out);
// The `size` bytes of a view that is, decoded when they are first asked for.
bool wri_gltf_unpack_view(wri_gltf *g, int view, const wri_json *packing, uint64_t size,
                          const uint8_t **bytes);
// Has the primitives of all meshes decoded that Draco has compressed and that are there in no other
// way. Their accessors, which have no views, then have elements.
bool wri_gltf_decode_draco(wri_gltf *g, const wri_json *meshes);
// Loads the bytes that a uri means: base64 behind "data:", or a neighbouring file. missing, which
// may be NULL: a file that is not there sets it, with *bytes NULL, and is no failure then.
bool wri_gltf_load_uri(wri_gltf *g, const wri_json *uri, const uint8_t **bytes, uint64_t *size,
                       bool *missing);

// --- accessors --------------------------------------------------------------------------------

// Work is limited in proportion to the file, so that a small file cannot ask for much by naming the
// same accessor often.
bool wri_gltf_count_work(wri_gltf *g, const wri_json *json, int count);
// Checks the same for count items of the model that are about to be made.
bool wri_gltf_keep(wri_gltf *g, const wri_json *json, int count, size_t item_size);
// Checks the accessor against its buffer view and counts it as work.
bool wri_gltf_open_accessor(wri_gltf *g, int index, wri_gltf_accessor *out);
// count * components floats; integers are scaled when the accessor says normalized.
bool wri_gltf_read_floats(wri_gltf *g, const wri_gltf_accessor *a, float *out);
bool wri_gltf_read_indices(wri_gltf *g, const wri_gltf_accessor *a, int *out);

// --- meshes -----------------------------------------------------------------------------------

// How the texture of a look is laid on.
typedef struct wri_gltf_layout {
    int set;            // of TEXCOORD_n
    float change[2][3]; // u, v and 1 to what looks up the texture: KHR_texture_transform
} wri_gltf_layout;

// The model's looks and the images that they use; a layout per look, in the reader's memory.
bool wri_gltf_read_looks(wri_gltf *g, wri_gltf_layout **layouts);

// Fills one mesh from a glTF mesh; without triangles its triangle_count stays 0. layouts: one per
// look.
bool wri_gltf_read_mesh(wri_gltf *g, const wri_json *json, const wri_gltf_layout *layouts,
                        wr_mesh *mesh);

enum { WRI_GLTF_SETS = 8 }; // sets of four joints each

// The accessors that bend one primitive.
typedef struct wri_gltf_bend {
    int set_count; // JOINTS_n, WEIGHTS_n
    int joints[WRI_GLTF_SETS], weights[WRI_GLTF_SETS];
    int target_count;
    int (*targets)[2]; // POSITION, NORMAL; -1 for none
} wri_gltf_bend;

bool wri_gltf_read_bend(wri_gltf *g, const wri_json *primitive, wri_gltf_bend *out);
bool wri_gltf_same_bend(const wri_gltf_bend *a, const wri_gltf_bend *b);

typedef struct wri_gltf_influence {
    int joint;
    float weight;
} wri_gltf_influence;

// Joints and morph targets of a mesh that is being put together, primitive by primitive.
typedef struct wri_gltf_bender {
    wri_gltf *g;
    bool begun;
    int set_count, target_count;
    wri_array influences; // 4 * set_count per vertex
    wri_array *offsets;   // arrays of wr_vec3, two per target: positions, normals
    bool *has_normals;    // per target
} wri_gltf_bender;

// Every primitive before the first vertices: all must have targets and joints alike.
bool wri_gltf_bender_meet(wri_gltf_bender *b, const wri_json *primitive, const wri_gltf_bend *bend);
// Vertex i of `vertices` becomes remap[i] of `kept` new ones, or is left out when that is negative.
bool wri_gltf_bender_add(wri_gltf_bender *b, const wri_json *primitive, const wri_gltf_bend *bend,
                         const int *remap, int vertices, int kept);
bool wri_gltf_bender_finish(wri_gltf_bender *b, const wri_json *json, wr_mesh *mesh);
void wri_gltf_bender_destroy(wri_gltf_bender *b);

// --- motion -----------------------------------------------------------------------------------

// The skins that nodes use. Until then the nodes' skins are numbers of the file.
bool wri_gltf_read_skins(wri_gltf *g);
bool wri_gltf_read_clips(wri_gltf *g);
