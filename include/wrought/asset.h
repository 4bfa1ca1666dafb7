// asset.h: the built thing: a model, its rig with examples, and what the artist said about it.
//
//     wr_asset *barrel = wr_asset_read("barrel.asset.glb", NULL, &error);
//     wr_skin *skin = wr_skin_create(&barrel->rig, &skin_desc, &error);
//     wr_asset_destroy(barrel);
//
// On disk an asset is one standard .glb that any viewer opens: the render mesh with a skin of four
// joints per vertex as a preview, a clip per example, and its own clips. What glTF has no word for
// is in the extension WROUGHT_asset; docs/asset.md describes it. Writing and reading keeps every
// bit. Thread safety: plain data; share it as long as nobody changes it.
#pragma once

#include "file.h"
#include "skin.h"

#if defined(__cplusplus)
extern "C" {
#endif

// A painted number per vertex of the simulation mesh, a factor on what the material says.
typedef enum wr_map_kind {
    WR_MAP_STRENGTH,  // resistance: 2 bends half as far; of clay and flesh factor on the stiffness
    WR_MAP_YIELD,     // factor on how hard a hit must be
    WR_MAP_REACH,     // factor on how far a dent spreads
    WR_MAP_FLOW,      // factor on how fast it flows, of clay
    WR_MAP_SPACING,   // factor on the distance of particles, of clay
    WR_MAP_THICKNESS, // factor on the thickness of the layer, of flesh; 0: there is none
    WR_MAP_COUNT,
} wr_map_kind;

WR_API const char *wr_map_name(wr_map_kind kind); // "strength", ...

// A cut along which it comes apart, as the artist said it: by a plane; or into the cells of points,
// each of which has the places nearest to it; into groups of handles, each of which has the places
// that follow its handles most; or into parts of the model with a name and what is left.
typedef struct wr_cut {
    wr_vec3 normal;     // unit length; zero: it is no plane
    wr_vec3 at;         // metres, a point of the plane
    double strength;    // factor on the material's own, at least 0
    int seed_count;     // points, at least 2; 0: it has none
    wr_vec3 *seeds;     // metres
    int group_count;    // groups, at least 2; 0: it has none
    int *groups;        // per handle: its group, -1: of none
    int part_count;     // parts of the model, at least 1; 0: it has none
    const char **parts; // their names
} wr_cut;

typedef struct wr_asset {
    const char *name;
    wr_model *model;    // the render mesh: one mesh, one node without transform, looks and images
    wr_rig rig;         // rides: one per vertex of the mesh. All in the model's frame
    int clip_count;     // 0 unless the handles are the joints of the model's skin
    wr_rig_clip *clips; // clips with names that are all different
    float *maps[WR_MAP_COUNT]; // vertex_count factors each, at least 0; NULL: 1 everywhere
    int cut_count;
    wr_cut *cuts;         // what it was cut by
    wr_fracture fracture; // what came of that; vertices of the mesh are ordered by fragment
    int pin_count;        // 0 unless it is a drawing: dimension 2
    wr_pin *pins;
    const char *material; // JSON as a scene's "material", what bodies get that say none; or NULL
    const void *morph;    // wr_morph_data as bytes, for bodies of the material morph; NULL: none
    size_t morph_size;    //
    int scalar_count;     // of the poses of morph, besides joints
    const char **scalars; // their names
    uint64_t recipe_hash; // hash of everything it was built from; 0: unknown
    void *memory;         // owner of everything above but the model
} wr_asset;

// An empty asset; it owns the model from now on, also when this fails. The model must be one mesh
// on one node: see wr_model_flatten, whose source may go after this. It is brought into the form
// that a file keeps bit for bit: looks and images that are used, none twice; colours within [0, 1];
// parts that are not empty. Vertices and triangles stay. Other arrays are taken with
// wr_asset_alloc.
WR_API WR_NODISCARD wr_asset *wr_asset_create(wr_model *model, const wr_allocator *allocator,
                                              wr_error *error);
// Zeroed memory that lives as long as the asset; NULL when out of memory.
WR_API WR_NODISCARD void *wr_asset_alloc(wr_asset *asset, size_t count, size_t size);
WR_API void wr_asset_destroy(wr_asset *asset); // accepts NULL

// Fails with a sentence on whatever a skin or a material could not use: see wr_rig.
WR_API bool wr_asset_check(const wr_asset *asset, wr_error *error);

// Written whole or not at all; refuses what wr_asset_check does.
WR_API bool wr_asset_write(const wr_asset *asset, const char *path, wr_error *error);
// Fails on a .glb without the extension, and on whatever wr_asset_check would.
WR_API WR_NODISCARD wr_asset *wr_asset_read(const char *path, const wr_allocator *allocator,
                                            wr_error *error);
// True when a file is a .glb with the extension; false also when it cannot be read.
WR_API bool wr_asset_is_one(const char *path);

#if defined(__cplusplus)
}
#endif
