// canvas.c: rectangles, pictures, lines, circles and their parts.
#include "canvas.h"

wri_ink wri_ink_from_color(wr_color color)
{
    const float linear[3] = {color.r, color.g, color.b};
    uint8_t out[3];
    for (int i = 0; i < 3; i++) {
        float v = wr_clampf(linear[i], 0.0f, 1.0f);
        v = v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1.0f / 2.4f) - 0.055f;
        out[i] = (uint8_t)(255.0f * v + 0.5f);
    }
    return (wri_ink){out[0], out[1], out[2]};
}

void wri_canvas_fill(wri_canvas *canvas, int x, int y, int width, int height, wri_ink ink)
{
    int left = x > 0 ? x : 0, top = y > 0 ? y : 0;
    int right = x + width < canvas->width ? x + width : canvas->width;
    int bottom = y + height < canvas->height ? y + height : canvas->height;
    for (int row = top; row < bottom; row++) {
        uint8_t *p = canvas->pixels + 3 * ((size_t)row * (size_t)canvas->width + (size_t)left);
        for (int column = left; column < right; column++, p += 3) {
            p[0] = ink.r;
            p[1] = ink.g;
            p[2] = ink.b;
        }
    }
}

void wri_canvas_place(wri_canvas *canvas, int x, int y, const uint8_t *pixels, int width,
                      int height)
{
    int left = x > 0 ? x : 0, right = x + width < canvas->width ? x + width : canvas->width;
    for (int row = 0; row < height && left < right; row++) {
        if (y + row >= 0 && y + row < canvas->height) {
            size_t to = (size_t)(y + row) * (size_t)canvas->width + (size_t)left;
            size_t from = (size_t)row * (size_t)width + (size_t)(left - x);
            memcpy(canvas->pixels + 3 * to, pixels + 3 * from, 3 * (size_t)(right - left));
        }
    }
}

// dash 0: none.
static void draw_line(wri_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                      float dash, wri_ink ink)
{
    const float far = 1e5f, reach = 0.5f * width + 1.0f;
    if (!(fabsf(x0) < far && fabsf(y0) < far && fabsf(x1) < far && fabsf(y1) < far &&
          reach < far)) {
        return;
    }
    float dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy, length = sqrtf(square);
    int left = (int)fmaxf(fminf(x0, x1) - reach, 0.0f);
    int top = (int)fmaxf(fminf(y0, y1) - reach, 0.0f);
    for (int row = top; row < canvas->height && (float)row < fmaxf(y0, y1) + reach; row++) {
        for (int column = left; column < canvas->width && (float)column < fmaxf(x0, x1) + reach;
             column++) {
            float x = (float)column + 0.5f - x0, y = (float)row + 0.5f - y0;
            float t = square > 0.0f ? wr_clampf((x * dx + y * dy) / square, 0.0f, 1.0f) : 0.0f;
            float off = sqrtf((x - t * dx) * (x - t * dx) + (y - t * dy) * (y - t * dy));
            float cover = wr_clampf(0.5f + 0.5f * width - off, 0.0f, 1.0f);
            if (dash > 0.0f) {
                float at = fmodf(t * length, 2.0f * dash);
                cover *= wr_clampf(0.5f + fminf(at, dash - at), 0.0f, 1.0f);
            }
            wri_canvas_blend(canvas, column, row, ink, cover);
        }
    }
}

void wri_canvas_line(wri_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                     wri_ink ink)
{
    draw_line(canvas, x0, y0, x1, y1, width, 0.0f, ink);
}

void wri_canvas_dashes(wri_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                       float dash, wri_ink ink)
{
    draw_line(canvas, x0, y0, x1, y1, width, dash, ink);
}

void wri_canvas_disc(wri_canvas *canvas, float x, float y, float radius, wri_ink ink)
{
    draw_line(canvas, x, y, x, y, 2.0f * radius, 0.0f, ink);
}

void wri_canvas_ring(wri_canvas *canvas, float x, float y, float radius, float width, wri_ink ink,
                     float cover)
{
    float reach = radius + 0.5f * width + 1.0f;
    if (!(reach < 1e4f && fabsf(x) < 1e6f && fabsf(y) < 1e6f)) {
        return;
    }
    int left = (int)fmaxf(x - reach, 0.0f), top = (int)fmaxf(y - reach, 0.0f);
    for (int row = top; row < canvas->height && (float)row < y + reach; row++) {
        for (int column = left; column < canvas->width && (float)column < x + reach; column++) {
            float dx = (float)column + 0.5f - x, dy = (float)row + 0.5f - y;
            float off = fabsf(sqrtf(dx * dx + dy * dy) - radius);
            float a = cover * wr_clampf(0.5f + 0.5f * width - off, 0.0f, 1.0f);
            wri_canvas_blend(canvas, column, row, ink, a);
        }
    }
}

void wri_canvas_arc(wri_canvas *canvas, float x, float y, float radius, float width, float share,
                    wri_ink ink)
{
    float reach = radius + 0.5f * width + 1.0f, end = 2.0f * WR_PI * wr_clampf(share, 0.0f, 1.0f);
    int left = (int)fmaxf(x - reach, 0.0f), top = (int)fmaxf(y - reach, 0.0f);
    for (int row = top; row < canvas->height && (float)row < y + reach; row++) {
        for (int column = left; column < canvas->width && (float)column < x + reach; column++) {
            float dx = (float)column + 0.5f - x, dy = (float)row + 0.5f - y;
            float distance = sqrtf(dx * dx + dy * dy), angle = atan2f(dx, -dy);
            angle += angle < 0.0f ? 2.0f * WR_PI : 0.0f;
            float a = wr_clampf(0.5f + 0.5f * width - fabsf(distance - radius), 0.0f, 1.0f);
            if (share < 1.0f) { // pixels beyond the ends
                a *= wr_clampf(0.5f + (end - angle) * distance, 0.0f, 1.0f);
            }
            wri_canvas_blend(canvas, column, row, ink, share > 0.0f ? a : 0.0f);
        }
    }
}

// Mean of the pixels [x0, x1) x [y0, y1): colour weighted by alpha, and alpha, all of 255.
static void mean_pixel(const uint8_t *rgba, int size, int x0, int y0, int x1, int y1, float *out)
{
    float sum[4] = {0.0f};
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            const uint8_t *p = rgba + 4 * ((size_t)y * (size_t)size + (size_t)x);
            for (int k = 0; k < 3; k++) {
                sum[k] += (float)p[k] * (float)p[3];
            }
            sum[3] += (float)p[3];
        }
    }
    for (int k = 0; k < 3; k++) {
        out[k] = sum[3] > 0.0f ? sum[k] / sum[3] : 0.0f;
    }
    out[3] = sum[3] / (float)((x1 - x0) * (y1 - y0));
}

void wri_canvas_stamp(wri_canvas *canvas, float x, float y, const uint8_t *rgba, int size, int side,
                      float pale, wri_ink paper)
{
    WR_ASSERT(side > 0 && side <= size);
    const float papers[3] = {paper.r, paper.g, paper.b};
    int left = (int)floorf(x - 0.5f * (float)side + 0.5f);
    int top = (int)floorf(y - 0.5f * (float)side + 0.5f);
    for (int row = 0; row < side; row++) {
        for (int column = 0; column < side; column++) {
            int at_x = left + column, at_y = top + row;
            if (at_x < 0 || at_y < 0 || at_x >= canvas->width || at_y >= canvas->height) {
                continue;
            }
            float c[4];
            mean_pixel(rgba, size, column * size / side, row * size / side,
                       (column + 1) * size / side, (row + 1) * size / side, c);
            float grey = 0.30f * c[0] + 0.59f * c[1] + 0.11f * c[2];
            for (int k = 0; k < 3 && pale > 0.0f; k++) {
                c[k] = grey + pale * (papers[k] - grey);
            }
            wri_ink ink = {(uint8_t)c[0], (uint8_t)c[1], (uint8_t)c[2]};
            wri_canvas_blend(canvas, at_x, at_y, ink, c[3] / 255.0f);
        }
    }
}
