// asset_view.h: an asset as something to look at: its examples and handles, as things to draw, as a
// picture, or all on one sheet.
//
//     wr_asset_view_desc desc = wr_asset_view_desc_default();
//     desc.asset = asset;
//     desc.style = WR_ASSET_EXAMPLES;
//     wr_asset_view *view = wr_asset_view_create(&desc, &error);
//     wr_asset_pose half = {.example = 2, .share = 0.5f, .handle = -1};
//     wr_asset_view_draw(view, &half, pixels, &error);
//     wr_asset_view_destroy(view);
//
// Thread safety: a view belongs to one thread at a time; views may share an asset.
#pragma once

#include "show.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum wr_asset_style {
    WR_ASSET_SHADED,
    WR_ASSET_EXAMPLES, // painted by the shares of the examples
    WR_ASSET_WEIGHTS,  // painted by the weights of the handles, with the handles
    WR_ASSET_WIRE,     // the simulation mesh
    WR_ASSET_GREY,     // in one matt grey, without colours and textures
    WR_ASSET_MAPS,     // and WR_ASSET_MAPS + kind: painted by the map of this kind, with a legend
} wr_asset_style;

// Start from wr_asset_view_desc_default().
typedef struct wr_asset_view_desc {
    const wr_asset *asset; // outlives the view
    wr_asset_style style;  // Default WR_ASSET_SHADED
    int width, height;     // of a picture, pixels, [16, 16384]. Default 960 x 540
    int samples;           // per pixel, [1, 1024]. Default 16
    wr_tasks tasks;        // Default: the calling thread
    uint32_t cookie;       // set by wr_asset_view_desc_default; do not touch
} wr_asset_view_desc;

WR_API wr_asset_view_desc wr_asset_view_desc_default(void);

typedef struct wr_asset_view wr_asset_view;

WR_API WR_NODISCARD wr_asset_view *wr_asset_view_create(const wr_asset_view_desc *desc,
                                                        wr_error *error);
WR_API void wr_asset_view_destroy(wr_asset_view *view); // accepts NULL

// A shape of an asset.
typedef struct wr_asset_pose {
    int example; // 0: rest
    float share; // of the way from rest to the example, [0, 1]
    int handle;  // of WR_ASSET_WEIGHTS: the one whose weights are shown, -1: all
} wr_asset_pose;

// The shape as things to draw: first the asset or its simulation mesh, then the floor under a solid
// one, then the handles of WR_ASSET_WEIGHTS. Valid until the view is used again.
WR_API bool wr_asset_view_read(wr_asset_view *view, const wr_asset_pose *pose, wr_drawing *drawing,
                               wr_error *error);
// Fills width * height * 3 bytes of sRGB, rows from the top, with the shape in a studio.
WR_API bool wr_asset_view_draw(wr_asset_view *view, const wr_asset_pose *pose, uint8_t *pixels,
                               wr_error *error);

// Start from wr_asset_sheet_desc_default().
typedef struct wr_asset_sheet_desc {
    int width, height; // of one picture, pixels, [16, 16384]; 0: the shape of the asset, and small
                       // enough for a small file. Default 0
    wr_watch watch;    // WR_WATCH_PICTURES. Default: none
    wr_log log;        // a sentence for each picture when it is done. Default: none
    uint32_t cookie;   // set by wr_asset_sheet_desc_default; do not touch
} wr_asset_sheet_desc;

WR_API wr_asset_sheet_desc wr_asset_sheet_desc_default(void);

// All examples, whole and half way, or of WR_ASSET_WEIGHTS all handles, with their names, as a PNG.
// *width and *height, which may be NULL: pixels of the whole. Fails with WR_E_LIMIT when that would
// be more than 16384 a side.
WR_API bool wr_asset_view_write_sheet(wr_asset_view *view, const char *path,
                                      const wr_asset_sheet_desc *desc, int *width, int *height,
                                      wr_error *error);

#if defined(__cplusplus)
}
#endif
