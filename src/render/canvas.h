// canvas.h: marks and letters on pictures that are drawn.
#pragma once

#include "wrought/render.h"

#include "../base/base.h"

// width * height * 3 bytes of sRGB, rows from the top; not owned. What leaves it is cut off.
typedef struct wri_canvas {
    uint8_t *pixels;
    int width, height;
} wri_canvas;

typedef struct wri_ink {
    uint8_t r, g, b;
} wri_ink;

wri_ink wri_ink_from_color(wr_color color); // from linear light

// Mixes a pixel with ink; cover in [0, 1]. It must lie in the canvas.
static inline void wri_canvas_blend(wri_canvas *canvas, int x, int y, wri_ink ink, float cover)
{
    uint8_t *p = canvas->pixels + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x);
    p[0] = (uint8_t)((float)p[0] + cover * ((float)ink.r - (float)p[0]) + 0.5f);
    p[1] = (uint8_t)((float)p[1] + cover * ((float)ink.g - (float)p[1]) + 0.5f);
    p[2] = (uint8_t)((float)p[2] + cover * ((float)ink.b - (float)p[2]) + 0.5f);
}

void wri_canvas_fill(wri_canvas *canvas, int x, int y, int width, int height, wri_ink ink);
// A picture with its upper left corner at (x, y).
void wri_canvas_place(wri_canvas *canvas, int x, int y, const uint8_t *pixels, int width,
                      int height);
// Draws a line from one point to another, in pixels from the upper left corner, with round ends.
void wri_canvas_line(wri_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                     wri_ink ink);
// A circle line around (x, y), in pixels from the upper left corner. cover in [0, 1].
void wri_canvas_ring(wri_canvas *canvas, float x, float y, float radius, float width, wri_ink ink,
                     float cover);

// The same in dashes of `dash` pixels with gaps as long.
void wri_canvas_dashes(wri_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                       float dash, wri_ink ink);
void wri_canvas_disc(wri_canvas *canvas, float x, float y, float radius, wri_ink ink);
// A part of a circle line, clockwise from the top; share of the whole in [0, 1].
void wri_canvas_arc(wri_canvas *canvas, float x, float y, float radius, float width, float share,
                    wri_ink ink);
// A square picture of `size` pixels with alpha, made smaller (not larger) to `side` pixels around
// (x, y). pale in [0, 1]: how far it fades into `paper`, without colour.
void wri_canvas_stamp(wri_canvas *canvas, float x, float y, const uint8_t *rgba, int size, int side,
                      float pale, wri_ink paper);

// One line of text; capital letters are 9 * scale pixels high and stand on y. Letters of ASCII, a
// box for every other character. Returns where the next letter would begin.
enum { WRI_TEXT_CAPITAL = 9, WRI_TEXT_LINE = 16 }; // pixels, times scale
int wri_canvas_text(wri_canvas *canvas, int x, int y, int scale, wri_ink ink, const char *text);
int wri_text_width(const char *text, int scale);
// The text, or as much of it as fits with "..." behind it; out has room for size bytes.
const char *wri_text_fit(const char *text, int scale, int width, char *out, size_t size);
