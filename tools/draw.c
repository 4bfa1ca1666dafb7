// draw.c: pictures computed pixel by pixel. Noise is value noise on an integer hash, so that the
// same program draws the same bytes everywhere.
#include "draw.h"

#include <stdlib.h>

rgb mix(rgb a, rgb b, float t)
{
    return (rgb){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

rgb shade(rgb a, float factor)
{
    return (rgb){factor * a.r, factor * a.g, factor * a.b};
}

float ramp(float low, float high, float x)
{
    float t = wr_clampf((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

static uint32_t hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

float chance(uint32_t seed, int index)
{
    return (float)(hash(hash(seed) + (uint32_t)index) >> 8) * 0x1p-24f;
}

static float lattice(int x, int y, int z, uint32_t seed)
{
    return chance(hash(hash(seed + (uint32_t)x) + (uint32_t)y), z);
}

static float lerp(float a, float b, float t)
{
    return a + t * (b - a);
}

float noise(wr_vec3 at, uint32_t seed)
{
    float fx = floorf(at.x), fy = floorf(at.y), fz = floorf(at.z);
    int x = (int)fx, y = (int)fy, z = (int)fz;
    float s = ramp(0.0f, 1.0f, at.x - fx), t = ramp(0.0f, 1.0f, at.y - fy);
    float side[2];
    for (int k = 0; k < 2; k++) {
        float a = lerp(lattice(x, y, z + k, seed), lattice(x + 1, y, z + k, seed), s);
        float b = lerp(lattice(x, y + 1, z + k, seed), lattice(x + 1, y + 1, z + k, seed), s);
        side[k] = lerp(a, b, t);
    }
    return lerp(side[0], side[1], ramp(0.0f, 1.0f, at.z - fz));
}

float fractal(wr_vec3 at, int octaves, uint32_t seed)
{
    float sum = 0.0f, weight = 1.0f, total = 0.0f;
    for (int i = 0; i < octaves; i++) {
        sum += weight * noise(at, seed + (uint32_t)i);
        total += weight;
        weight *= 0.55f;
        at = wr_scale(2.03f, at);
    }
    // Sums of octaves crowd around one half; spread them again.
    return wr_clampf(0.5f + 1.6f * (sum / total - 0.5f), 0.0f, 1.0f);
}

wr_vec3 wrap_around(float u, float v, float around, float along)
{
    float a = 2.0f * WR_PI * u, r = around / (2.0f * WR_PI);
    return wr_v3(r * cosf(a) + 31.0f, along * v + 57.0f, r * sinf(a) + 83.0f);
}

static uint8_t to_byte(float x)
{
    return (uint8_t)(wr_clampf(x, 0.0f, 1.0f) * 255.0f + 0.5f);
}

static void put(canvas *c, int x, int y, rgb color)
{
    uint8_t *p = c->pixels + 4 * ((size_t)y * (size_t)c->width + (size_t)x);
    p[0] = to_byte(color.r);
    p[1] = to_byte(color.g);
    p[2] = to_byte(color.b);
    p[3] = 255;
}

static rgb get(const canvas *c, int x, int y)
{
    const uint8_t *p = c->pixels + 4 * ((size_t)y * (size_t)c->width + (size_t)x);
    return (rgb){p[0] / 255.0f, p[1] / 255.0f, p[2] / 255.0f};
}

typedef struct pixel_range {
    int x0, y0, x1, y1; // [x0, x1) x [y0, y1)
} pixel_range;

static pixel_range pixels_of(const canvas *c, area where)
{
    float w = (float)c->width, h = (float)c->height;
    return (pixel_range){(int)(where.u0 * w + 0.5f), (int)(where.v0 * h + 0.5f),
                         (int)(where.u1 * w + 0.5f), (int)(where.v1 * h + 0.5f)};
}

void canvas_paint(canvas *c, area where, paint_fn *fn, uint32_t seed)
{
    pixel_range r = pixels_of(c, where);
    for (int y = r.y0; y < r.y1; y++) {
        for (int x = r.x0; x < r.x1; x++) {
            float u = ((float)(x - r.x0) + 0.5f) / (float)(r.x1 - r.x0);
            float v = ((float)(y - r.y0) + 0.5f) / (float)(r.y1 - r.y0);
            put(c, x, y, fn(u, v, seed));
        }
    }
}

// Blends into the two pixels that share the point along y, so that strokes have no stairs.
static void touch(canvas *c, pixel_range r, wr_vec2 at, rgb color, float strength)
{
    float fy = floorf(at.y - 0.5f);
    int x = (int)at.x;
    for (int k = 0; k < 2; k++) {
        int y = (int)fy + k;
        float share = k ? at.y - 0.5f - fy : 1.0f - (at.y - 0.5f - fy);
        if (x >= r.x0 && x < r.x1 && y >= r.y0 && y < r.y1) {
            put(c, x, y, mix(get(c, x, y), color, strength * share));
        }
    }
}

void canvas_scratch(canvas *c, area where, int count, float length, rgb color, float strength,
                    uint32_t seed)
{
    pixel_range r = pixels_of(c, where);
    for (int i = 0; i < count; i++) {
        float x = (float)r.x0 + chance(seed, 4 * i) * (float)(r.x1 - r.x0);
        float y = (float)r.y0 + chance(seed, 4 * i + 1) * (float)(r.y1 - r.y0);
        float slope = 1.6f * chance(seed, 4 * i + 2) - 0.8f;
        float size = chance(seed, 4 * i + 3);
        int steps = (int)(length * (float)c->width * (0.1f + 0.9f * size * size));
        for (int k = 0; k < steps; k++) {
            float t = (float)k / (float)steps;
            wr_vec2 at = {x + (float)k, y + slope * (float)k * (1.0f - 0.3f * t)};
            touch(c, r, at, color, strength * (1.0f - t) * fminf(4.0f * t, 1.0f));
        }
    }
}

void canvas_simplify(canvas *c, int tolerance)
{
    for (int y = 0; y < c->height; y++) {
        uint8_t *row = c->pixels + 4 * (size_t)y * (size_t)c->width;
        for (int x = 0; x < c->width; x++) {
            uint8_t *p = row + 4 * x;
            bool near = x > 0;
            for (int k = 0; k < 3 && near; k++) {
                near = abs(p[k] - p[k - 4]) <= tolerance;
            }
            for (int k = 0; k < 3; k++) {
                int level = (p[k] + tolerance / 2) / tolerance * tolerance;
                p[k] = near ? p[k - 4] : (uint8_t)(level < 255 ? level : 255);
            }
            p[3] = 255;
        }
    }
}
