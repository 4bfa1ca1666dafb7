// pyramid.c: see pyramid.h.
#include "pyramid.h"

#include <math.h>

enum { FINEST = 256, COARSEST = 12 };

// Squares of `factor` pixels; what hangs over the border is nothing.
static void fill_finest(const wr_image *picture, int factor, wri_pyramid_level *out)
{
    float share = 1.0f / (255.0f * (float)(factor * factor));
    for (int y = 0; y < picture->height; y++) {
        int row = (picture->height - 1 - y) / factor;
        for (int x = 0; x < picture->width; x++) {
            const uint8_t *p =
                picture->pixels + 4 * ((size_t)y * (size_t)picture->width + (size_t)x);
            float *v = out->values + 4 * ((size_t)row * (size_t)out->width + (size_t)(x / factor));
            float alpha = (float)p[3] / 255.0f;
            v[0] += share * alpha * (float)p[0];
            v[1] += share * alpha * (float)p[1];
            v[2] += share * alpha * (float)p[2];
            v[3] += share * (float)p[3];
        }
    }
}

static void halve(const wri_pyramid_level *from, wri_pyramid_level *out)
{
    for (int y = 0; y < from->height; y++) {
        for (int x = 0; x < from->width; x++) {
            const float *p = from->values + 4 * ((size_t)y * (size_t)from->width + (size_t)x);
            float *v = out->values + 4 * ((size_t)(y / 2) * (size_t)out->width + (size_t)(x / 2));
            for (int c = 0; c < 4; c++) {
                v[c] += 0.25f * p[c];
            }
        }
    }
}

// 1 2 1 along both axes: a hard edge of pixels has no slope to follow.
static void blur(wri_pyramid_level *l, float *room)
{
    size_t count = (size_t)l->width * (size_t)l->height;
    for (int axis = 0; axis < 2; axis++) {
        size_t step = axis == 0 ? 1 : (size_t)l->width;
        memcpy(room, l->values, 4 * count * sizeof *room);
        for (size_t i = 0; i < count; i++) {
            size_t at = axis == 0 ? i % (size_t)l->width : i / (size_t)l->width;
            size_t end = axis == 0 ? (size_t)l->width : (size_t)l->height;
            for (size_t c = 0; c < 4; c++) {
                float before = at > 0 ? room[4 * (i - step) + c] : 0.0f;
                float after = at + 1 < end ? room[4 * (i + step) + c] : 0.0f;
                l->values[4 * i + c] = 0.25f * (before + after) + 0.5f * room[4 * i + c];
            }
        }
    }
}

static bool alloc_level(wri_pyramid_level *l, wri_arena *arena)
{
    l->values = wri_arena_alloc(arena, 4 * (size_t)l->width * (size_t)l->height, sizeof(float));
    return l->values != NULL;
}

bool wri_pyramid_create(wri_pyramid *out, wri_arena *arena, const wr_image *picture,
                        wr_error *error)
{
    int side = picture->width > picture->height ? picture->width : picture->height;
    int factor = (side + FINEST - 1) / FINEST;
    *out = (wri_pyramid){.level_count = 1};
    wri_pyramid_level *l = out->levels;
    *l = (wri_pyramid_level){(picture->width + factor - 1) / factor,
                             (picture->height + factor - 1) / factor, factor, NULL};
    float *room = wri_arena_alloc(arena, 4 * (size_t)l->width * (size_t)l->height, sizeof *room);
    if (!room || !alloc_level(l, arena)) {
        return wri_fail_memory(error, arena->total);
    }
    fill_finest(picture, factor, l);
    while (out->level_count < WRI_PYRAMID_LEVELS) {
        const wri_pyramid_level *last = &out->levels[out->level_count - 1];
        if ((last->width > last->height ? last->width : last->height) < 2 * COARSEST) {
            break;
        }
        wri_pyramid_level *next = &out->levels[out->level_count++];
        *next = (wri_pyramid_level){(last->width + 1) / 2, (last->height + 1) / 2, 2.0 * last->unit,
                                    NULL};
        if (!alloc_level(next, arena)) {
            return wri_fail_memory(error, arena->total);
        }
        halve(last, next);
    }
    for (int i = 0; i < out->level_count; i++) {
        blur(&out->levels[i], room);
    }
    return true;
}

static void sample(const wri_pyramid_level *l, double x, double y, double out[4])
{
    out[0] = out[1] = out[2] = out[3] = 0.0;
    if (!(x > -0.5 && y > -0.5 && x < l->width + 0.5 && y < l->height + 0.5)) {
        return;
    }
    int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
    double u = x - 0.5 - i, v = y - 0.5 - j;
    for (int k = 0; k < 4; k++) {
        int px = i + (k & 1), py = j + (k >> 1);
        if (px < 0 || py < 0 || px >= l->width || py >= l->height) {
            continue;
        }
        double w = (k & 1 ? u : 1.0 - u) * (k >> 1 ? v : 1.0 - v);
        const float *p = l->values + 4 * ((size_t)py * (size_t)l->width + (size_t)px);
        for (int c = 0; c < 4; c++) {
            out[c] += w * (double)p[c];
        }
    }
}

void wri_pyramid_sample(const wri_pyramid_level *level, double x, double y,
                        double value[WRI_CHANNELS], double slope[WRI_CHANNELS][2])
{
    double s = 1.0 / level->unit;
    x *= s;
    y *= s;
    sample(level, x, y, value);
    for (int axis = 0; slope && axis < 2; axis++) { // over a whole pixel: smoother than linear
        double before[4], after[4], h = 0.5;
        sample(level, x - (axis == 0 ? h : 0.0), y - (axis == 1 ? h : 0.0), before);
        sample(level, x + (axis == 0 ? h : 0.0), y + (axis == 1 ? h : 0.0), after);
        for (int c = 0; c < 4; c++) {
            slope[c][axis] = (after[c] - before[c]) * s;
        }
    }
}
