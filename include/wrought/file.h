// file.h: models, rig data and pictures in and out.
//
//     wr_model *model = wr_model_read("crate.glb", NULL, &error);
//     wr_model_destroy(model);
//
// Lengths come out in metres, +Y up. Nothing a file contains may crash a reader: every error is a
// sentence "file:line: ..." (text formats) or "file: byte N: ..." (binary formats).
// Thread safety: no state; call from any thread.
#pragma once

#include "cage.h"
#include "geometry.h"
#include "stage.h"

#if defined(__cplusplus)
extern "C" {
#endif

// Corrections for a file that means something else than it says. All zero, or NULL in place of the
// pointer: as the file says. Formats without a word for it mean metres and +Y up.
typedef struct wr_read_options {
    const char *unit;  // of lengths: "m", "cm", "mm", "in", "ft" or "km"
    const char *up;    // the axis that points up: "x", "y" or "z"
    bool follow_links; // glTF may name files that do not lie in its folder or below: ../ and /
    const wr_allocator *allocator;
} wr_read_options;

// Reads .glb, .gltf, .obj, .ply, .off, .mesh and, through Assimp in a child process with limits of
// time and memory, .fbx, .dae, .stl and others, told apart by content where possible, else by the
// name's ending. What comes out has at least one node that shows a mesh with triangles; every index
// is in range, every coordinate finite, every node behind its parent, no name NULL. Of glTF the
// default scene is read with its skins, morph targets and animations, without cameras and lights;
// of .mesh the surface (see wr_tet_mesh_create_surface). Textures must be PNG or JPEG; looks with
// others keep their plain colour. What is left out so, or was not there, is in the model's
// warnings, at most 100 of them. Files over 1 GiB are refused. docs/formats.md has the details of
// each format.
WR_API WR_NODISCARD wr_model *wr_model_read(const char *path, const wr_read_options *options,
                                            wr_error *error);

// The usual endings that wr_model_read knows, NULL at the end: ".glb", ...
WR_API const char *const *wr_model_endings(void);
// True when a name has one of them or another that Assimp knows, in capitals or not.
WR_API bool wr_model_has_ending(const char *path);

// MEDIT .mesh as text: vertices, tetrahedra, triangles; quadrilaterals are cut in two. At least one
// tetrahedron or triangle.
WR_API WR_NODISCARD wr_tet_mesh *wr_tet_mesh_read(const char *path, const wr_read_options *options,
                                                  wr_error *error);

// DMAT, as text or as bytes. At least one value; all finite.
WR_API WR_NODISCARD wr_matrix *wr_matrix_read(const char *path, const wr_allocator *allocator,
                                              wr_error *error);

// TGF. At least one node; every edge joins two different nodes that exist.
WR_API WR_NODISCARD wr_handle_graph *
wr_handle_graph_read(const char *path, const wr_read_options *options, wr_error *error);

// A cage for subdivision, of Wavefront OBJ: faces, groups and names of looks, and in comments its
// creases (#crease), corners (#corner) and that the file has one half of it (#mirror). See
// docs/formats.md. At least one face.
WR_API WR_NODISCARD wr_cage *wr_cage_read(const char *path, const wr_allocator *allocator,
                                          wr_error *error);

// One standard .glb: meshes, looks, images (as PNG), nodes, skins, morph targets, clips. Meshes,
// looks, images and skins that no node needs are left out, as are clips without tracks. Written
// whole or not at all.
WR_API bool wr_model_write_glb(const wr_model *model, const char *path, wr_error *error);
// The same, with vertices, triangles and keys compressed by EXT_meshopt_compression, which readers
// must know then. rounding, which may be NULL: metres by which a vertex is off in its mesh, at
// most.
WR_API bool wr_model_write_glb_compressed(const wr_model *model, const char *path, float *rounding,
                                          wr_error *error);

// Wavefront OBJ: one object per node that shows a mesh, in the order of the nodes, with the node's
// transform applied; one v per vertex, in the order of the mesh. library NULL: the looks go into
// NAME.mtl and the images into NAME_IMAGE.png beside it; otherwise the file only names that
// library, which wr_model_write_mtl wrote, as sequences do. Every file is written whole or not at
// all.
WR_API bool wr_model_write_obj(const wr_model *model, const char *library, const char *path,
                               wr_error *error);
WR_API bool wr_model_write_mtl(const wr_model *model, const char *path, wr_error *error);

// Stanford PLY, little-endian bytes or text: all nodes as one mesh, with their transforms applied.
// The plain colours of the looks go into the vertex colours.
WR_API bool wr_model_write_ply(const wr_model *model, bool text, const char *path, wr_error *error);
// A cloud of particles behind the vertices of a PLY file, in the model's frame: points that
// no face has, with a "radius", which is 0 for vertices of meshes, and an "id" where a cloud has
// some.
typedef struct wr_ply_cloud {
    wr_particles particles;
    wr_color color;
} wr_ply_cloud;
WR_API bool wr_model_write_ply_clouds(const wr_model *model, const wr_ply_cloud *clouds,
                                      int cloud_count, bool text, const char *path,
                                      wr_error *error);

// --- motion -----------------------------------------------------------------------------------

// The motion of one node, frame by frame.
typedef struct wr_node_motion {
    int node;
    const wr_pose *poses;  // one per frame, within the node's parent; NULL: the node rests
    float distance, angle; // metres, radians: by which poses may be missed of frames that are
                           // left out, since a way through others does. 0: none is
    const wr_vec3 *const *points; // one array per frame: places of its mesh's vertices, within the
                                  // node. Frames in a row with the same array have one shape.
                                  // NULL: the mesh keeps its shape
    // In place of points: what the morphs of its mesh weigh at keys, frames that ascend from 0, key
    // after key; between two, they change evenly. 0 keys: they keep their weights.
    int key_count;
    const int *keys;
    const float *weights;
    float unit;      // metres: the morphs move vertices by whole multiples of it, in which they are
                     // written. 0: what is written is the nearest, of 1e-5 of the mesh's size
    int first, last; // frames in which it is shown; 0 and frame_count - 1: always
    const bool *shown; // one per frame, in place of first and last; or NULL
    // In place of the node's mesh and of points: one mesh per frame, with vertices and triangles of
    // its own and the model's looks, within the node; one without triangles is not there. Or NULL.
    const wr_mesh *meshes;
    const wr_particles *particles; // one set per frame, within the node; NULL: none
    wr_color particle_color;
} wr_node_motion;

// The motion of a model.
typedef struct wr_model_motion {
    int rate_numerator, rate_denominator; // frames per second
    int frame_count;
    int motion_count;
    const wr_node_motion *motions; // motions of nodes, at most one each
} wr_model_motion;

// USD as text, for programs that read Pixar's Universal Scene Description: Xforms, Meshes that
// nodes share by reference, BlendShapes of those that have weights at keys, preview materials with
// their images beside the file, and time samples, one time code per frame. motion NULL: nothing
// moves. Written whole or not at all. Experimental: of others, three.js and TinyUSDZ
// have read it, and no program with OpenUSD yet.
WR_API bool wr_model_write_usda(const wr_model *model, const wr_model_motion *motion,
                                const char *path, wr_error *error);

// --- point caches -----------------------------------------------------------------------------

typedef enum wr_cache_format {
    WR_CACHE_PC2, // little endian, frames numbered from 0
    WR_CACHE_MDD, // big endian, with the time of every frame
} wr_cache_format;

typedef struct wr_cache_desc {
    wr_cache_format format;
    int point_count;                      // vertices, at least 1
    int frame_count;                      // planned, at least 1
    int rate_numerator, rate_denominator; // frames per second. Default 60/1
    uint32_t cookie;                      // set by wr_cache_desc_default
} wr_cache_desc;

WR_API wr_cache_desc wr_cache_desc_default(void);

typedef struct wr_cache_writer wr_cache_writer;

// The file has its name only after finish.
WR_API WR_NODISCARD wr_cache_writer *wr_cache_create(const char *path, const wr_cache_desc *desc,
                                                     wr_error *error);
// point_count places, metres. At most frame_count times.
WR_API bool wr_cache_add_frame(wr_cache_writer *writer, const wr_vec3 *positions, wr_error *error);
// Finishes the file, also with fewer frames than planned, but at least one: the header says how
// many there are.
WR_API bool wr_cache_finish(wr_cache_writer *writer, wr_error *error);
WR_API void wr_cache_writer_destroy(wr_cache_writer *writer); // accepts NULL; does not finish

typedef struct wr_cache {
    wr_cache_format format;
    int point_count, frame_count;
    float *times;       // one per frame: frame numbers (PC2) or seconds (MDD)
    wr_vec3 *positions; // frame after frame
    void *memory;
} wr_cache;

// Reads .pc2 and .mdd, told apart by content. Files over 1 GiB are refused.
WR_API WR_NODISCARD wr_cache *wr_cache_read(const char *path, const wr_allocator *allocator,
                                            wr_error *error);
WR_API void wr_cache_destroy(wr_cache *cache); // accepts NULL

// --- pictures ---------------------------------------------------------------------------------

// 8-bit RGB or RGBA PNG; channels is 3 or 4; rows from the top.
WR_API bool wr_png_write(const char *path, const uint8_t *pixels, int width, int height,
                         int channels, wr_error *error);

// Light from all around, of a Radiance .hdr that is twice as wide as high: what is wider than
// WR_ENVIRONMENT_WIDTH is averaged to that.
WR_API WR_NODISCARD wr_environment *wr_environment_read(const char *path, wr_error *error);
WR_API void wr_environment_destroy(wr_environment *environment); // accepts NULL; only read ones

// 16-bit OpenEXR of linear light, three floats per pixel, rows from the top, zip-compressed. What a
// half cannot hold becomes its largest number, what is no number 0. width and height [1, 16384].
WR_API bool wr_exr_write(const char *path, const float *light, int width, int height,
                         wr_error *error);

#if defined(__cplusplus)
}
#endif
