// palette.h: pictures with few colours, which make small files.
#pragma once

#include "../base/base.h"

enum { WRI_PALETTE_MAX = 256 };

// Chooses at most `most` colours, [2, 256], for width * height pixels of sRGB and gives every pixel
// the nearest one after a dither of up to `dither` levels up or down. The same pixels give the same
// palette.
bool wri_palette_find(const uint8_t *pixels, int width, int height, int most, int dither,
                      uint8_t *indices, uint8_t (*palette)[3], int *palette_count, wr_error *error);
