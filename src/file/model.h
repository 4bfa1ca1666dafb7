// model.h: what the model readers share.
#pragma once

#include "wrought/file.h"
#include "../base/base.h"

enum {
    WRI_MODEL_LIMIT = 1 << 30,       // bytes of one model file, and of all files it names together
    WRI_MODEL_PIXEL_LIMIT = 1 << 29, // pixels of all its images together
    WRI_MODEL_WARNINGS = 100
};

// Each reads one format out of memory. `path` serves messages, names, and finding neighbours.
wr_model *wri_gltf_read(const char *path, const char *bytes, size_t size,
                        const wr_allocator *allocator, wr_error *error);
wr_model *wri_obj_read(const char *path, const char *bytes, size_t size,
                       const wr_allocator *allocator, wr_error *error);
wr_model *wri_ply_read(const char *path, const char *bytes, size_t size,
                       const wr_allocator *allocator, wr_error *error);
wr_model *wri_off_read(const char *path, const char *bytes, size_t size,
                       const wr_allocator *allocator, wr_error *error);
wr_model *wri_medit_read_model(const char *path, const char *bytes, size_t size,
                               const wr_allocator *allocator, wr_error *error);

// Readers of files that are no models.
wr_tet_mesh *wri_medit_read(const char *path, const char *bytes, size_t size,
                            const wr_allocator *allocator, wr_error *error);
wr_matrix *wri_dmat_read(const char *path, const char *bytes, size_t size,
                         const wr_allocator *allocator, wr_error *error);
wr_handle_graph *wri_tgf_read(const char *path, const char *bytes, size_t size,
                              const wr_allocator *allocator, wr_error *error);

// Through Assimp, in a child process: foreign.c.
wr_model *wri_foreign_read(const char *path, const char *bytes, size_t size,
                           const wr_allocator *allocator, wr_error *error);
bool wri_foreign_is_known(const char *path); // does its ending belong to a kind that Assimp reads

// Packs the file that wr_model_write_glb writes, in memory: wri_free(NULL, file, size, 1). path
// serves messages.
bool wri_model_pack_glb(const wr_model *model, const char *path, uint8_t **file, size_t *size,
                        wr_error *error);

// Mixes everything that is in a model into a hash.
uint64_t wri_model_hash(const wr_model *model, uint64_t hash);

// The arena in which everything of a model lives.
wri_arena *wri_model_arena(wr_model *model);

// The file's name without folder and ending.
char *wri_model_stem(wr_model *model, const char *path);

// Names it after the file and gives it one node per mesh.
bool wri_model_add_nodes(wr_model *model, const char *path, wr_error *error);

// Normals in, unit length out; bits stay when they are unit already. Zero becomes +Y.
wr_vec3 wri_unit_normal(wr_vec3 normal);

// Returns a unit quaternion likewise; zero becomes the identity.
wr_quat wri_unit_quat(wr_quat q);

// The joints of one vertex as they are kept and written: none twice, the largest weight first,
// weights that add up to 1, and joint 0 beside weights of 0. Without any weight it follows joint 0.
// Weights must be finite and not negative.
void wri_tidy_influences(int count, int *joints, float *weights);

float wri_srgb_to_linear(float value);
float wri_linear_to_srgb(float value); // clamped to [0, 1]

// The look of every triangle, -1 where no part covers it; free with wri_free(NULL, looks,
// triangle_count, sizeof(int)). NULL: out of memory.
int *wri_mesh_looks(const wr_mesh *mesh);

// A picture in a format that we know, PNG or JPEG, by its first bytes. Anything else leaves
// out->pixels NULL without failing. *pixels_left starts at WRI_MODEL_PIXEL_LIMIT for the pictures
// of a model and is checked against the header, before anything is decoded.
bool wri_image_decode(wri_arena *arena, const void *bytes, size_t size, const char *name,
                      int64_t *pixels_left, wr_image *out, wr_error *error);

// Adds "place: sentence" to the model's warnings, "file:line" being a place. A sentence that stands
// there already, and those beyond WRI_MODEL_WARNINGS, are left out. False: out of memory.
bool wri_model_warn(wr_model *model, wr_error *error, const char *place, const char *format, ...)
    WRI_PRINTF(4, 5);
// Adds "place: sentence" as it is to the warnings of a model that has fewer than there may be.
bool wri_model_keep_warning(wr_model *model, const char *text, size_t length);
// Gives a model without warnings those of another. False: out of memory.
bool wri_model_copy_warnings(const wr_model *from, wr_model *to);
// Warns of a model whose unit nobody said and that is as large as if it were in centimetres. size:
// of its box, metres; remedy: how its unit can be said.
#define WRI_UNIT_IN_SCENE                                                                          \
    "{ \"file\": ..., \"unit\": \"cm\" } in \"assets\" says so (\"m\" if it is that large)"
bool wri_model_warn_of_size(wr_model *model, wr_error *error, const char *place, wr_vec3 size,
                            const char *remedy);

// True when a file that another one names is looked for: beside that or, by .., above it, as
// artists keep their textures. Absolute paths and names with a scheme or a drive (https:, file:,
// C:) mean places that are nobody's business to read from because a model says so.
bool wri_is_neighbour(const char *name);
// True for an absolute path, and for one with a step up.
bool wri_leaves_folder(const char *path);

// Splits a flat polygon of n >= 3 corners into n - 2 triangles, three corner numbers each, all with
// the polygon's orientation. Convex ones become a fan, others are cut ear by ear. Fails when one is
// not convex and has more than a million corners, or is so tangled that it would take too long. The
// scratch is for this alone.
bool wri_polygon_split(wr_scratch *scratch, const wr_vec3 *corners, int n, int *triangles,
                       wr_error *error);

// Triangulates polygon after polygon of a file: fill corners and points, then cut.
typedef struct wri_polygon {
    wri_array corners; // int: numbers of vertices, at least three
    wri_array points;  // wr_vec3: where they are
    wr_scratch scratch;
} wri_polygon;

wri_polygon wri_polygon_create(const wr_allocator *allocator);
void wri_polygon_destroy(wri_polygon *polygon);
bool wri_polygon_add(wri_polygon *polygon, int corner, wr_vec3 position, wr_error *error);
// Adds the triangles, three vertices each, and empties the polygon.
bool wri_polygon_cut(wri_polygon *polygon, wri_array *triangles, wr_error *error);

// Fails with a sentence when a number is not finite, an index points outside its array, weights are
// negative, or a clip's times do not increase.
bool wri_model_check(const wr_model *model, const char *path, wr_code code, wr_error *error);
