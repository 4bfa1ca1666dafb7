// develop.h: from traced samples to 8-bit pixels: noise filter, tone, sRGB, dither.
#pragma once

#include "noise.h"
#include "texture.h"

// Planes of floats, one row after the other, WRI_FILTER_RADIUS columns and rows of margin around.
enum {
    WRI_PLANE_COLOR = 0,     // radiance, mean of the samples
    WRI_PLANE_AMBIENT = 3,   // incoming ambient light, mean of the samples that hit something
    WRI_PLANE_OPEN = 6,      // share of the ambient rays that nothing is in the way of
    WRI_PLANE_WEIGHT = 7,    // share of the ambient light in the colour
    WRI_PLANE_GLOSS = 10,    // radiance where all of them are open
    WRI_PLANE_NORMAL = 13,   // mean
    WRI_PLANE_POSITION = 16, // metres from the eye, mean
    WRI_PLANE_HIT = 19,      // 1 where a surface was hit, 0 for sky and margin
    WRI_PLANE_LOOKED = 20,   // 1 where AMBIENT and OPEN are known, 0 where their neighbours must do
    WRI_PLANE_SOFT = 21,     // both after the first pass of the filter
    WRI_PLANE_COUNT = 25,
    WRI_FILTER_RADIUS = 8, // of both passes
    WRI_FILTER_FAR = 6,    // of the second
};

typedef struct wri_film_band {
    float *memory;
    int width, rows; // without the margins
    size_t stride;   // floats per row
    size_t plane_size;
} wri_film_band;

// Floats that a band of this size needs.
size_t wri_film_band_size(int width, int rows);
wri_film_band wri_film_band_create(float *memory, int width, int rows);

// x and row count from 0 without the margins and may lie in the margins.
static inline float *wri_film_at(const wri_film_band *band, int plane, int x, int row)
{
    return band->memory + (size_t)plane * band->plane_size +
           (size_t)(row + WRI_FILTER_RADIUS) * band->stride + (size_t)(x + WRI_FILTER_RADIUS);
}

// Moves the last rows to where the next band, `rows` further down, needs them as its margin.
void wri_film_advance(wri_film_band *band, int rows);
void wri_film_clear_rows(wri_film_band *band, int begin, int end);

// Linear below 0.6, then an exponential shoulder that never reaches 1.
float wri_tone(float x);
// The value that becomes y; for y of at least 0.99 that of 0.99.
float wri_tone_source(float y);

// What a pixel sees: radians, or, where there is no perspective, metres. Both 0 turn the noise
// filter off.
typedef struct wri_pixel_scale {
    float angle, size;
} wri_pixel_scale;

// The first pass of the noise filter, of a row that develop_row reads: up to WRI_FILTER_FAR rows
// away.
void wri_film_soften_row(const wri_film_band *band, int row, const wri_pixel_scale *scale);
// The second pass. Writes 3 * width floats, linear light.
void wri_film_finish_row(const wri_film_band *band, int row, const wri_pixel_scale *scale,
                         float *out);
// The same as 3 * width bytes of sRGB. y is the row in the picture, for the dither.
void wri_film_develop_row(const wri_film_band *band, int row, int y, const wri_pixel_scale *scale,
                          const wri_noise *noise, const wri_srgb *srgb, uint8_t *out);
