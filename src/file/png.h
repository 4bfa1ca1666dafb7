// png.h: PNG in memory, for textures inside other files.
#pragma once

#include "wrought/geometry.h"
#include "../base/base.h"

// Pixels by the header alone; 0 when decoding will refuse it, and say why.
int64_t wri_png_pixels(const void *bytes, size_t size);

// Decodes into the arena as 8-bit RGBA. `name` is for messages. Refuses more than 16384 pixels a
// side.
bool wri_png_decode(wri_arena *arena, const void *bytes, size_t size, const char *name,
                    wr_image *out, wr_error *error);

// 8-bit pixels with 3 or 4 channels, or with one: numbers into a palette.
typedef struct wri_png_picture {
    const uint8_t *pixels;
    int width, height, channels;
    const uint8_t (*palette)[3]; // sRGB; NULL: none
    int palette_count;           // at most 256
} wri_png_picture;

// Encodes a picture as small as can be; *bytes lives in the arena.
bool wri_png_encode(wri_arena *arena, const wri_png_picture *picture, const uint8_t **bytes,
                    size_t *size, wr_error *error);
