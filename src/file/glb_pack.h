// glb_pack.h: a .glb under construction: its JSON, its bytes, and the accessors that describe them.
//
// The sections about bytes (accessors, bufferViews, buffers) are written by wri_glb_finish, when
// all bytes have been laid down; every other section goes straight into `json`.
#pragma once

#include "json.h"
#include "model.h"

#define WRI_GLB_UNLIT "KHR_materials_unlit"
#define WRI_GLB_MESHOPT "EXT_meshopt_compression"
#define WRI_GLB_QUANTIZED "KHR_mesh_quantization"
#define WRI_GLB_TRANSMISSION "KHR_materials_transmission"
#define WRI_GLB_EMISSION "KHR_materials_emissive_strength"
#define WRI_GLB_TRANSFORM "KHR_texture_transform"
#define WRI_GLB_LIGHTS "KHR_lights_punctual"

enum { WRI_GLB_NO_TARGET = 0, WRI_GLB_VERTICES = 34962, WRI_GLB_INDICES = 34963 };

// The accessors of one track of a clip.
typedef struct wri_glb_sampler {
    int input, output;
} wri_glb_sampler;

// How EXT_meshopt_compression codes the numbers that it packs.
typedef enum wri_glb_filter {
    WRI_GLB_PLAIN,
    WRI_GLB_OCTAHEDRAL,
    WRI_GLB_EXPONENTIAL
} wri_glb_filter;

// Elements of one kind in a file that is compressed: those of all meshes or clips in one view.
typedef struct wri_glb_stream {
    int target, stride;
    wri_glb_filter filter;
    int view;
    wri_array bytes; // what is to be packed
    int count;       // elements, and where they are in the file, once they are packed
    int packed_offset, packed_size;
} wri_glb_stream;

typedef struct wri_glb {
    const char *path; // path of the file to be, also for messages
    wri_json_writer json;
    wri_array bytes, views, accessors;
    bool compress;      // vertices, indices and keys go into streams, which are packed at the end
    wri_array streams;  // wri_glb_stream
    float rounding;     // half the steps of positions and targets of the mesh at hand, summed
    wri_array samplers; // wri_glb_sampler, of every track of every clip, in their order
    wri_array targets;  // int, the accessor of every morph target's places, mesh after mesh
    int animation_view; // -1 until there is one
    bool has_unlit, has_transmission, has_emission,
        has_transform; // materials that use the extensions
    bool has_suns;     // nodes may refer to them
    wri_arena arena;   // lives as long as the writing
    wr_error *error;
} wri_glb;

wri_glb wri_glb_create(const char *path, wr_error *error);
void wri_glb_destroy(wri_glb *glb);
bool wri_glb_fail_memory(wri_glb *glb);

// These return the number of the view or accessor, -1 when out of memory.
int wri_glb_add_view(wri_glb *glb, const void *bytes, size_t size, int target);
typedef struct wri_glb_floats {
    const float *values;
    int count, components;
    int target;
    bool bounds; // min and max are written
    float step;  // a file that is compressed may have multiples of this instead, or of more where
                 // they would not fit into 24 bits; 0: it may not
    bool sparse; // elements that are 0 may be left out, where that saves much
} wri_glb_floats;
// Vertices get a view of their own. Animation data, which has no target, shares one view, so
// nothing else may be added between its first and its last.
int wri_glb_add_floats(wri_glb *glb, wri_glb_floats floats);
int wri_glb_add_normals(wri_glb *glb, const wr_vec3 *unit, int count);
int wri_glb_add_indices(wri_glb *glb, const int *indices, int count, int vertex_count);
// count rows of four joints each, none above last_joint, which is below 65536.
int wri_glb_add_joints(wri_glb *glb, const int *joints, int count, int last_joint);
// count rows of four, which must add up to 1: none is rounded. With 16 bits where these are exact.
int wri_glb_add_weights(wri_glb *glb, const float *weights, int count);
// Numbers that only an extension knows, in views of their own: ints that are not negative, in the
// smallest type that holds them, or floats, without those that are 0 where that saves much.
int wri_glb_add_whole(wri_glb *glb, const int *values, int count);
int wri_glb_add_real(wri_glb *glb, const float *values, int count, int components);
int wri_glb_add_matrices(wri_glb *glb, const wr_mat34 *matrices, int count);

void wri_glb_write_floats(wri_glb *glb, const char *key, const float *values, int count);
void wri_glb_write_name(wri_glb *glb, const char *name); // nothing when it is NULL or empty

// Ends the JSON object that wri_glb_create began. The bytes of the whole file are the caller's:
// wri_free(NULL, file, size, 1).
bool wri_glb_finish(wri_glb *glb, uint8_t **file, size_t *size);

// The accessors that bend a mesh.
typedef struct wri_glb_bend {
    int set_count;
    int (*sets)[2]; // JOINTS_n, WEIGHTS_n
    int morph_count;
    int (*morphs)[2]; // POSITION, NORMAL; -1 for none
} wri_glb_bend;

// step: that of the positions.
bool wri_glb_add_bend(wri_glb *glb, const wr_mesh *mesh, bool skinned, float step,
                      wri_glb_bend *out);
void wri_glb_write_sets(wri_glb *glb, const wri_glb_bend *bend);    // within "attributes"
void wri_glb_write_targets(wri_glb *glb, const wri_glb_bend *bend); // within a primitive
void wri_glb_write_morphs(wri_glb *glb, const wr_mesh *mesh);       // within a mesh

// The "skins" section. map: the number in the file of each skin, -1: not written.
bool wri_glb_write_skins(wri_glb *glb, const wr_model *model, const int *map);

// The "cameras" section; suns in "extensions" of the root object, before the nodes; and those
// members of a node.
void wri_glb_write_cameras(wri_glb *glb, const wr_model *model);
void wri_glb_write_suns(wri_glb *glb, const wr_model *model);
void wri_glb_write_stage(wri_glb *glb, const wr_model *model, int node);

// The "animations" section.
bool wri_glb_write_clips(wri_glb *glb, const wr_model *model);

// "extensionsUsed", with another one besides those of the materials; NULL: none.
void wri_glb_write_extensions(wri_glb *glb, const char *another);

// --- compression ------------------------------------------------------------------------------

// Appends what is in the stream, packed, to the bytes of the file.
bool wri_glb_pack_stream(wri_glb *glb, wri_glb_stream *stream);
// The members of the stream's view that say how it is packed.
void wri_glb_write_stream(wri_glb *glb, const wri_glb_stream *stream);
// e where what is written of the numbers is m 2^e with whole m of 24 bits.
int wri_glb_exponent(const wri_glb_floats *floats);
// Two coordinates on an octahedron with `bits` each, 8 bytes per normal.
void wri_glb_code_normals(const wr_vec3 *unit, int count, int bits, uint8_t *out);
// The step of a mesh's positions: a part of its size, and of a millimetre, that nobody sees.
float wri_glb_position_step(const wr_mesh *mesh);

// wri_model_pack_glb with something of the caller's in the same file: extra adds its bytes and
// writes its members of the root object, wri_glb_write_extensions among them; NULL: nothing.
typedef bool wri_glb_extra_fn(wri_glb *glb, void *context);
bool wri_glb_pack_model(const wr_model *model, const char *path, wri_glb_extra_fn *extra,
                        void *context, uint8_t **file, size_t *size, wr_error *error);
