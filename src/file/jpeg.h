// jpeg.h: JPEG in memory, for textures inside other files.
#pragma once

#include "wrought/geometry.h"
#include "../base/base.h"

// Pixels by the header alone; 0 when decoding will refuse it, and say why.
int64_t wri_jpeg_pixels(const void *bytes, size_t size);

// Decodes into the arena as 8-bit RGBA. `name` is for messages. Refuses more than 16384 pixels a
// side, CMYK, and pictures that are cut off.
bool wri_jpeg_decode(wri_arena *arena, const void *bytes, size_t size, const char *name,
                     wr_image *out, wr_error *error);
