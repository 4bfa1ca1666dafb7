// draw.h: pictures computed pixel by pixel, for the textures of the demo models.
#pragma once

#include "wrought/geometry.h"

#include <stdint.h>

// A rectangle of texture coordinates; (0, 0) is the image's top left corner.
typedef struct area {
    float u0, v0, u1, v1;
} area;

typedef struct rgb {
    float r, g, b; // sRGB, [0, 1]
} rgb;

typedef struct canvas {
    int width, height;
    uint8_t *pixels; // RGBA
} canvas;

// u and v run over the painted area from 0 to 1.
typedef rgb paint_fn(float u, float v, uint32_t seed);
void canvas_paint(canvas *c, area where, paint_fn *fn, uint32_t seed);

// Thin strokes of random place and slope that cover with `strength` in [0, 1] and fade; the longest
// are `length` of the image's width. They stay inside the area.
void canvas_scratch(canvas *c, area where, int count, float length, rgb color, float strength,
                    uint32_t seed);

// Repeats the pixel to the left where it differs by no more than `tolerance` in every channel, and
// rounds the others: hardly seen in a texture of noise, which then packs into far fewer bytes.
void canvas_simplify(canvas *c, int tolerance);

rgb mix(rgb a, rgb b, float t);
rgb shade(rgb a, float factor);
float ramp(float low, float high, float x); // 0 below low, 1 above high, smooth between

// Value noise in [0, 1] on the unit grid, and a sum of octaves of it that also fills [0, 1].
float noise(wr_vec3 at, uint32_t seed);
float fractal(wr_vec3 at, int octaves, uint32_t seed);
float chance(uint32_t seed, int index); // [0, 1)

// A point on a cylinder of circumference `around`: noise of it repeats at u = 0 and u = 1.
wr_vec3 wrap_around(float u, float v, float around, float along);
