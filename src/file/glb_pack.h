// glb_pack.h: a .glb under construction: its JSON, its bytes, and the accessors that describe them.
//
// The sections about bytes (accessors, bufferViews, buffers) are written by wri_glb_finish, when
// all bytes have been laid down; every other section goes straight into `json`.
#pragma once

#include "json.h"
#include "model.h"

#define WRI_GLB_UNLIT "KHR_materials_unlit"
#define WRI_GLB_TRANSMISSION "KHR_materials_transmission"

enum { WRI_GLB_NO_TARGET = 0, WRI_GLB_VERTICES = 34962, WRI_GLB_INDICES = 34963 };

// The accessors of one track of a clip.
typedef struct wri_glb_sampler {
    int input, output;
} wri_glb_sampler;

typedef struct wri_glb {
    const char *path; // path of the file to be, also for messages
    wri_json_writer json;
    wri_array bytes, views, accessors;
    wri_array samplers; // wri_glb_sampler, of every track of every clip, in their order
    int animation_view; // -1 until there is one
    bool has_unlit, has_transmission; // materials that use the extensions
    wri_arena arena;                  // lives as long as the writing
    wr_error *error;
} wri_glb;

wri_glb wri_glb_create(const char *path, wr_error *error);
void wri_glb_destroy(wri_glb *glb);
bool wri_glb_fail_memory(wri_glb *glb);

// These return the number of the view or accessor, -1 when out of memory.
int wri_glb_add_view(wri_glb *glb, const void *bytes, size_t size, int target);
// Vertices get a view of their own. Animation data, which has no target, shares one view, so
// nothing else may be added between its first and its last. With bounds min and max are written.
int wri_glb_add_floats(wri_glb *glb, const float *values, int count, int components, int target,
                       bool bounds);
int wri_glb_add_indices(wri_glb *glb, const int *indices, int count, int vertex_count);
// count rows of four joints each, none above last_joint, which is below 65536.
int wri_glb_add_joints(wri_glb *glb, const int *joints, int count, int last_joint);
// Numbers that only an extension knows, in a view of their own: ints that are not negative, or
// floats.
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

bool wri_glb_add_bend(wri_glb *glb, const wr_mesh *mesh, bool skinned, wri_glb_bend *out);
void wri_glb_write_sets(wri_glb *glb, const wri_glb_bend *bend);    // within "attributes"
void wri_glb_write_targets(wri_glb *glb, const wri_glb_bend *bend); // within a primitive
void wri_glb_write_morphs(wri_glb *glb, const wr_mesh *mesh);       // within a mesh

// The "skins" section. map: the number in the file of each skin, -1: not written.
bool wri_glb_write_skins(wri_glb *glb, const wr_model *model, const int *map);

// The "animations" section.
bool wri_glb_write_clips(wri_glb *glb, const wr_model *model);

// "extensionsUsed", with another one besides those of the materials; NULL: none.
void wri_glb_write_extensions(wri_glb *glb, const char *another);

// wri_model_pack_glb with something of the caller's in the same file: extra adds its bytes and
// writes its members of the root object, wri_glb_write_extensions among them; NULL: nothing.
typedef bool wri_glb_extra_fn(wri_glb *glb, void *context);
bool wri_glb_pack_model(const wr_model *model, const char *path, wri_glb_extra_fn *extra,
                        void *context, uint8_t **file, size_t *size, wr_error *error);
