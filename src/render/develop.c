// develop.c: the last steps of a picture.
//
// Few rays per pixel leave noise in the ambient light. Neighbours that lie on the same plane and
// face the same way see nearly the same light, so ambient light, without the surface's colour, is
// averaged over them (a joint bilateral filter); texture, sun shadows and edges stay as traced.
// The filter adds the difference that the averaging makes: a pixel with no like neighbours keeps
// its value.
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
    float w[CHUNK], r[CHUNK], g[CHUNK], b[CHUNK];
} sums;

// One neighbour (dx, dy) of `count` pixels in a row. No branches, so that compilers vectorise it.
static void add_neighbour(const wri_film_band *band, int x, int row, int count, int dx, int dy,
                          const float *restrict sharpness, sums *restrict s)
{
    const float *n[3], *m[3], *p[3], *q[3], *e[3];
    for (int i = 0; i < 3; i++) {
        n[i] = wri_film_at(band, WRI_PLANE_NORMAL + i, x, row);
        m[i] = wri_film_at(band, WRI_PLANE_NORMAL + i, x + dx, row + dy);
        p[i] = wri_film_at(band, WRI_PLANE_POSITION + i, x, row);
        q[i] = wri_film_at(band, WRI_PLANE_POSITION + i, x + dx, row + dy);
        e[i] = wri_film_at(band, WRI_PLANE_AMBIENT + i, x + dx, row + dy);
    }
    const float *hit = wri_film_at(band, WRI_PLANE_HIT, x + dx, row + dy);
    for (int i = 0; i < count; i++) {
        float nx = n[0][i], ny = n[1][i], nz = n[2][i];
        float alike = 6.0f * (nx * m[0][i] + ny * m[1][i] + nz * m[2][i]) - 5.0f;
        float off = nx * (q[0][i] - p[0][i]) + ny * (q[1][i] - p[1][i]) + nz * (q[2][i] - p[2][i]);
        off = off < 0.0f ? -off : off;
        float near = 1.0f - off * sharpness[i];
        alike = alike > 0.0f ? alike : 0.0f;
        near = near > 0.0f ? near : 0.0f;
        float w = hit[i] * alike * near;
        s->w[i] += w;
        s->r[i] += w * e[0][i];
        s->g[i] += w * e[1][i];
        s->b[i] += w * e[2][i];
    }
}

// All of the nearest neighbours, and a third of those farther away. On a chessboard pixels would
// fall into two classes that have nothing in common, and it would show.
static bool takes_part(int dx, int dy)
{
    int d = dx * dx + dy * dy;
    return d > 0 && d <= R * R + 1 && (d <= 8 || (dx + 2 * dy) % 3 == 0);
}

// Ambient light averaged over like neighbours. The pixel itself always takes part.
static void average_ambient(const wri_film_band *band, int x, int row, int count, float pixel_angle,
                            float pixel_size, sums *s)
{
    float sharpness[CHUNK];
    const float *p = wri_film_at(band, WRI_PLANE_POSITION, x, row);
    const float *e = wri_film_at(band, WRI_PLANE_AMBIENT, x, row);
    for (int i = 0; i < count; i++) {
        float px = p[i], py = p[i + band->plane_size], pz = p[i + 2 * band->plane_size];
        float pixel = pixel_angle * sqrtf(px * px + py * py + pz * pz) + pixel_size;
        sharpness[i] = pixel > 0.0f ? 0.7f / pixel : 0.0f;
        s->w[i] = 1.0f;
        s->r[i] = e[i];
        s->g[i] = e[i + band->plane_size];
        s->b[i] = e[i + 2 * band->plane_size];
    }
    for (int dy = -R; dy <= R && pixel_angle + pixel_size > 0.0f; dy++) {
        for (int dx = -R; dx <= R; dx++) {
            if (takes_part(dx, dy)) {
                add_neighbour(band, x, row, count, dx, dy, sharpness, s);
            }
        }
    }
}

static uint8_t to_byte(const wri_srgb *srgb, float x, float dither)
{
    return (uint8_t)fminf(255.0f, wri_srgb_encode(srgb, wri_tone(x)) + dither);
}

void wri_film_develop_row(const wri_film_band *band, int row, int y, float pixel_angle,
                          float pixel_size, const wri_noise *noise, const wri_srgb *srgb,
                          uint8_t *out)
{
    for (int x = 0; x < band->width; x += CHUNK) {
        int count = band->width - x < CHUNK ? band->width - x : CHUNK;
        sums s;
        average_ambient(band, x, row, count, pixel_angle, pixel_size, &s);
        const float *mean[3] = {s.r, s.g, s.b};
        for (int i = 0; i < count; i++) {
            float dither = wri_mask_at(noise, x + i, y, 0);
            for (int c = 0; c < 3; c++) {
                float color = *wri_film_at(band, WRI_PLANE_COLOR + c, x + i, row);
                float weight = *wri_film_at(band, WRI_PLANE_WEIGHT + c, x + i, row);
                float ambient = *wri_film_at(band, WRI_PLANE_AMBIENT + c, x + i, row);
                color += weight * (mean[c][i] / s.w[i] - ambient);
                out[3 * (x + i) + c] = to_byte(srgb, color, dither);
            }
        }
    }
}
