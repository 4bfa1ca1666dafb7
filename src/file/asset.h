// asset.h (internal): what the files about assets share.
//
// On disk an asset is the model with a preview skin, written by the ordinary writer, and one
// extension at the root with everything that an asset is beyond its model: docs/asset.md.
#pragma once

#include "wrought/asset.h"

#include "../base/base.h"

#define WRI_ASSET_EXTENSION "WROUGHT_asset"

enum {
    WRI_ASSET_VERSION = 9,       // newest version that is read; a file with moves has it
    WRI_ASSET_BREAKS_WRITER = 7, // version that a file with fragments has
    WRI_ASSET_MORPH_WRITER = 6,  // version that a file with data of morph has
    WRI_ASSET_FLESH_WRITER = 5,  // version that a file with a map for flesh has
    WRI_ASSET_CLAY_WRITER = 4,   // version that a file with maps for clay has
    WRI_ASSET_CLIPS_WRITER = 3,  // version that a file with clips has
    WRI_ASSET_PLAIN_WRITER = 2,  // version that other files have
    // The first versions whose readers understand what is written now.
    WRI_ASSET_OLDEST_READER = 1,
    WRI_ASSET_LAYERS_READER = 2, // layers of a drawing: rides have heights
    WRI_ASSET_PARTS_READER = 8,  // cuts by parts
    WRI_ASSET_MOVES_READER = 9,  // examples with moves in place of details
};

// An asset without a model.
wr_asset *wri_asset_create(const wr_allocator *allocator, wr_error *error);
wri_arena *wri_asset_arena(wr_asset *asset);
char *wri_asset_text(wr_asset *asset, const char *text); // a copy; NULL: out of memory

// A painted map at a vertex of the render mesh; 1 where nothing was painted.
float wri_asset_map_at(const wr_asset *asset, wr_map_kind kind, int vertex);

// The vertices of the render mesh that are a fragment's, and a model of them, scaled, in the arena;
// NULL: out of memory. Its looks, images and most else are the asset's own, which outlives it.
void wri_asset_fragment_range(const wr_asset *asset, int fragment, int *first, int *count);
wr_model *wri_asset_fragment(const wr_asset *asset, int fragment, float scale, wri_arena *arena);

// The bytes that wr_asset_write puts into a file: wri_free(NULL, bytes, size, 1). path serves
// messages.
bool wri_asset_pack(const wr_asset *asset, const char *path, uint8_t **bytes, size_t *size,
                    wr_error *error);
// An asset out of such bytes. They stand alone: what names other files is refused.
wr_asset *wri_asset_unpack(const char *path, const void *bytes, size_t size,
                           const wr_allocator *allocator, wr_error *error);

// Makes the model what the file keeps bit for bit: used looks and images only, none of them twice,
// parts that are not empty, unit normals, colours within [0, 1]. copy: looks and images may belong
// to another model and are copied. The model has been checked.
bool wri_asset_tidy_model(wr_model *model, bool copy, wr_error *error);

// "rotation", "translation" and "stretch": channels of a clip as the file calls them.
extern const char *const wri_rig_channel_names[WR_RIG_CHANNELS];

// The model as other programs see it: with joints at the handles, four of them per vertex, where
// any of them moves, a clip per example but the first, and then the clips of the asset, whose
// tracks begin with those of the asset that are no stretches. Shares arrays with the asset; the
// asset has been checked.
wr_model *wri_asset_create_preview(const wr_asset *asset, wr_error *error);
// True when an example has a morph target in it.
bool wri_asset_has_morph(const wr_rig *rig, int example);
