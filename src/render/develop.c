// develop.c: the last steps of a picture.
//
// Few rays per pixel leave noise in the ambient light. Neighbours that lie on the same plane and
// face the same way see nearly the same light, so ambient light, without the surface's colour, is
// averaged over them; texture, sun shadows and edges stay as traced. Twice, first with near
// neighbours, then with ones three pixels apart, which also gives light to pixels that have traced
// no ambient ray: an edge-avoiding a-trous filter (H. Dammertz et al.
// Edge-avoiding a-trous wavelet transform for fast global illumination filtering. HPG 2010), which
// reaches as far as one of 17 by 17 and costs two of 5 by 5. The paper doubles the distance from
// pass to pass; two passes with three reach as far as three of its own but for the corners, and
// nobody sees a pattern, because ambient light has little detail. The filter adds the difference
// that the averaging makes: a pixel with no like neighbours keeps its value.
#include "develop.h"

enum { R = WRI_FILTER_RADIUS, CHUNK = 64 };

size_t wri_film_band_size(int width, int rows)
{
    return (size_t)WRI_PLANE_COUNT * (size_t)(width + 2 * R) * (size_t)(rows + 2 * R);
}

wri_film_band wri_film_band_create(float *memory, int width, int rows)
{
    wri_film_band band = {.memory = memory, .width = width, .rows = rows};
    band.stride = (size_t)(width + 2 * R);
    band.plane_size = band.stride * (size_t)(rows + 2 * R);
    return band;
}

void wri_film_advance(wri_film_band *band, int rows)
{
    size_t kept = (size_t)(band->rows + 2 * R - rows) * band->stride;
    for (int plane = 0; plane < WRI_PLANE_COUNT; plane++) {
        float *start = wri_film_at(band, plane, -R, -R);
        memmove(start, start + (size_t)rows * band->stride, kept * sizeof(float));
    }
}

void wri_film_clear_rows(wri_film_band *band, int begin, int end)
{
    for (int plane = 0; plane < WRI_PLANE_COUNT && begin < end; plane++) {
        float *start = wri_film_at(band, plane, -R, begin);
        memset(start, 0, (size_t)(end - begin) * band->stride * sizeof(float));
    }
}

float wri_tone(float x)
{
    const float knee = 0.6f, room = 1.0f - knee;
    return x <= knee ? x : knee + room * (1.0f - expf(-(x - knee) / room));
}

float wri_tone_source(float y)
{
    const float knee = 0.6f, room = 1.0f - knee;
    return y <= knee ? y : knee - room * logf(1.0f - (fminf(y, 0.99f) - knee) / room);
}

typedef struct sums {
    float w[CHUNK], of[4][CHUNK]; // ambient light, open rays
} sums;

// What is averaged: its first plane, that of where it is known, and pixels from tap to tap.
typedef struct pass {
    int light, known, step;
} pass;

static const pass NEAR = {WRI_PLANE_AMBIENT, WRI_PLANE_LOOKED, 1},
                  FAR = {WRI_PLANE_SOFT, WRI_PLANE_HIT, 3};

// One neighbour (dx, dy) of `count` pixels in a row. No branches, so that compilers vectorise it.
static void add_neighbour(const wri_film_band *band, const pass *by, int x, int row, int count,
                          int dx, int dy, float share, const float *restrict sharpness,
                          sums *restrict s)
{
    const float *n[3], *m[3], *p[3], *q[3];
    for (int i = 0; i < 3; i++) {
        n[i] = wri_film_at(band, WRI_PLANE_NORMAL + i, x, row);
        m[i] = wri_film_at(band, WRI_PLANE_NORMAL + i, x + dx, row + dy);
        p[i] = wri_film_at(band, WRI_PLANE_POSITION + i, x, row);
        q[i] = wri_film_at(band, WRI_PLANE_POSITION + i, x + dx, row + dy);
    }
    const float *e = wri_film_at(band, by->light, x + dx, row + dy);
    const float *known = wri_film_at(band, by->known, x + dx, row + dy);
    for (int i = 0; i < count; i++) {
        float nx = n[0][i], ny = n[1][i], nz = n[2][i];
        float alike = 6.0f * (nx * m[0][i] + ny * m[1][i] + nz * m[2][i]) - 5.0f;
        float off = nx * (q[0][i] - p[0][i]) + ny * (q[1][i] - p[1][i]) + nz * (q[2][i] - p[2][i]);
        off = off < 0.0f ? -off : off;
        float near = 1.0f - off * sharpness[i];
        alike = alike > 0.0f ? alike : 0.0f;
        near = near > 0.0f ? near : 0.0f;
        float w = share * known[i] * alike * near;
        s->w[i] += w;
        s->of[0][i] += w * e[i];
        s->of[1][i] += w * e[(size_t)i + band->plane_size];
        s->of[2][i] += w * e[(size_t)i + 2 * band->plane_size];
        s->of[3][i] += w * e[(size_t)i + 3 * band->plane_size];
    }
}

// Light averaged over like neighbours in a grid of 5 by 5 without its corners, weighted by a cubic
// B-spline.
static void average(const wri_film_band *band, const pass *by, int x, int row, int count,
                    const wri_pixel_scale *scale, sums *s)
{
    static const float spline[5] = {1.0f / 6.0f, 4.0f / 6.0f, 1.0f, 4.0f / 6.0f, 1.0f / 6.0f};
    float sharpness[CHUNK];
    const float *p = wri_film_at(band, WRI_PLANE_POSITION, x, row);
    const float *e = wri_film_at(band, by->light, x, row);
    const float *hit = wri_film_at(band, WRI_PLANE_HIT, x, row);
    const float *known = wri_film_at(band, by->known, x, row);
    for (int i = 0; i < count; i++) {
        float px = p[i], py = p[i + band->plane_size], pz = p[i + 2 * band->plane_size];
        float pixel = scale->angle * sqrtf(px * px + py * py + pz * pz) + scale->size;
        sharpness[i] = pixel > 0.0f ? 0.7f / pixel : 0.0f;
        s->w[i] = hit[i] > 0.0f ? known[i] : 1.0f; // of the sky nothing is averaged
        for (int c = 0; c < 4; c++) {
            s->of[c][i] = e[(size_t)i + (size_t)c * band->plane_size];
        }
    }
    for (int i = 0; i < 25 && scale->angle + scale->size > 0.0f; i++) {
        bool is_corner = i % 5 % 4 == 0 && i / 5 % 4 == 0;
        if (i != 12 && !is_corner) {
            add_neighbour(band, by, x, row, count, by->step * (i % 5 - 2), by->step * (i / 5 - 2),
                          spline[i % 5] * spline[i / 5], sharpness, s);
        }
    }
}

void wri_film_soften_row(const wri_film_band *band, int row, const wri_pixel_scale *scale)
{
    for (int x = 0; x < band->width; x += CHUNK) {
        int count = band->width - x < CHUNK ? band->width - x : CHUNK;
        sums s;
        average(band, &NEAR, x, row, count, scale, &s);
        for (int c = 0; c < 4; c++) {
            float *soft = wri_film_at(band, WRI_PLANE_SOFT + c, x, row);
            for (int i = 0; i < count; i++) {
                soft[i] = s.of[c][i] / s.w[i];
            }
        }
    }
}

// Light of `count` pixels of a row.
static void finish(const wri_film_band *band, int x, int row, int count,
                   const wri_pixel_scale *scale, float *out)
{
    sums s;
    average(band, &FAR, x, row, count, scale, &s);
    for (int i = 0; i < count; i++) {
        float opened = s.of[3][i] / s.w[i] - *wri_film_at(band, WRI_PLANE_OPEN, x + i, row);
        for (int c = 0; c < 3; c++) {
            float color = *wri_film_at(band, WRI_PLANE_COLOR + c, x + i, row);
            float weight = *wri_film_at(band, WRI_PLANE_WEIGHT + c, x + i, row);
            float ambient = *wri_film_at(band, WRI_PLANE_AMBIENT + c, x + i, row);
            float gloss = *wri_film_at(band, WRI_PLANE_GLOSS + c, x + i, row);
            out[3 * i + c] = color + weight * (s.of[c][i] / s.w[i] - ambient) + gloss * opened;
        }
    }
}

void wri_film_finish_row(const wri_film_band *band, int row, const wri_pixel_scale *scale,
                         float *out)
{
    for (int x = 0; x < band->width; x += CHUNK) {
        int count = band->width - x < CHUNK ? band->width - x : CHUNK;
        finish(band, x, row, count, scale, out + 3 * x);
    }
}

static uint8_t to_byte(const wri_srgb *srgb, float x, float dither)
{
    return (uint8_t)fminf(255.0f, wri_srgb_encode(srgb, wri_tone(x)) + dither);
}

void wri_film_develop_row(const wri_film_band *band, int row, int y, const wri_pixel_scale *scale,
                          const wri_noise *noise, const wri_srgb *srgb, uint8_t *out)
{
    for (int x = 0; x < band->width; x += CHUNK) {
        int count = band->width - x < CHUNK ? band->width - x : CHUNK;
        float light[3 * CHUNK];
        finish(band, x, row, count, scale, light);
        for (int i = 0; i < 3 * count; i++) {
            float dither = wri_mask_at(noise, x + i / 3, y, 0);
            out[3 * x + i] = to_byte(srgb, light[i], dither);
        }
    }
}
