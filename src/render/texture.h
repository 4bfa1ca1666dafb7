// texture.h: sRGB in and out, and images that can be looked up at any size.
#pragma once

#include "wrought/geometry.h"
#include "../base/base.h"

enum { WRI_TEXTURE_LEVELS = 16, WRI_ENCODE_STEPS = 4096 };

typedef struct wri_srgb {
    float decode[256];                  // 8-bit sRGB to linear light
    float plain[256];                   // the same as it is, in [0, 1]
    float encode[WRI_ENCODE_STEPS + 2]; // linear light in [0, 1] to sRGB in [0, 255]
} wri_srgb;

void wri_srgb_fill(wri_srgb *srgb);

// sRGB in [0, 255]; clamps x to [0, 1].
static inline float wri_srgb_encode(const wri_srgb *srgb, float x)
{
    float at = wr_clampf(x, 0.0f, 1.0f) * WRI_ENCODE_STEPS;
    int i = (int)at;
    return srgb->encode[i] + (at - (float)i) * (srgb->encode[i + 1] - srgb->encode[i]);
}

typedef struct wri_texture_level {
    int width, height;
    const uint8_t *pixels; // RGBA, sRGB
} wri_texture_level;

// Level 0 is the image itself and borrows its pixels; each further level has half the size.
typedef struct wri_texture {
    int level_count;
    wri_texture_level levels[WRI_TEXTURE_LEVELS];
    wr_vec3 mean;   // linear light
    bool has_alpha; // else alpha says nothing
} wri_texture;

typedef enum wri_texture_kind {
    WRI_TEXTURE_LIGHT, // sRGB
    WRI_TEXTURE_INK,   // sRGB with alpha: what is transparent lends no colour
    WRI_TEXTURE_NUMBERS,
    WRI_TEXTURE_KINDS,
} wri_texture_kind;

// False when out of memory. The image has at least one pixel and at most 2^15 a side.
bool wri_texture_create(wri_texture *texture, const wr_image *image, const wri_srgb *srgb,
                        wri_texture_kind kind, wri_arena *arena);

// Linear light at (u, v), repeated outside [0, 1]; level is fractional, clamped to what there is.
wr_vec3 wri_texture_at(const wri_texture *texture, const wri_srgb *srgb, float u, float v,
                       float level);

// The same with alpha in [0, 1], by which the colours, `table` of the bytes, are multiplied. Images
// with alpha are cut-outs: what touches their left border does not show at the right one.
wr_color wri_texture_ink(const wri_texture *texture, const float table[256], float u, float v,
                         float level);
