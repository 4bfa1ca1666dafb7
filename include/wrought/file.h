// file.h: models, rig data and pictures in and out.
//
//     wr_model *model = wr_model_read("crate.glb", NULL, &error);
//     wr_model_destroy(model);
//
// Lengths come out in metres, +Y up. Nothing a file contains may crash a reader: every error is a
// sentence "file:line: ..." (text formats) or "file: byte N: ..." (binary formats).
// Thread safety: no state; call from any thread.
#pragma once

#include "geometry.h"

#if defined(__cplusplus)
extern "C" {
#endif

// How to read a file that means something else than it says. All zero, or NULL in place of the
// pointer: as the file says. Formats without a word for it mean metres and +Y up.
typedef struct wr_read_options {
    const char *unit; // of lengths: "m", "cm", "mm", "in", "ft" or "km"
    const char *up;   // the axis that points up: "x", "y" or "z"
    const wr_allocator *allocator;
} wr_read_options;

// Reads .glb, .gltf, .obj, .ply, .off or .mesh, told apart by content where possible, else by the
// name's ending. What comes out has at least one node that shows a mesh with triangles; every index
// is in range, every coordinate finite, every node behind its parent, no name NULL. Of glTF the
// default scene is read with its skins, morph targets and animations, without cameras and lights;
// of .mesh the surface (see wr_tet_mesh_create_surface). Textures must be PNG or JPEG; looks with
// others keep their plain colour. Files over 1 GiB are refused. docs/formats.md has the details of
// each format.
WR_API WR_NODISCARD wr_model *wr_model_read(const char *path, const wr_read_options *options,
                                            wr_error *error);

// The endings that wr_model_read knows, NULL at the end: ".glb", ...
WR_API const char *const *wr_model_endings(void);
// Whether a name has one of them, in capitals or not.
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

// One standard .glb: meshes, looks, images (as PNG), nodes, skins, morph targets, clips. Meshes,
// looks, images and skins that no node needs are left out, as are clips without tracks. Written
// whole or not at all.
WR_API bool wr_model_write_glb(const wr_model *model, const char *path, wr_error *error);

// 8-bit RGB or RGBA PNG; channels is 3 or 4; rows from the top.
WR_API bool wr_png_write(const char *path, const uint8_t *pixels, int width, int height,
                         int channels, wr_error *error);

#if defined(__cplusplus)
}
#endif
