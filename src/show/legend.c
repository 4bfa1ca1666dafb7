// legend.c: which colour means what, in a corner of the pictures of a recording.
#include "show.h"

#include "../render/canvas.h"

#include <math.h>
#include <stdio.h>

enum { MARGIN = 8, PAD = 7, SWATCH = WRI_TEXT_CAPITAL + 1, AFTER_SWATCH = 6, BETWEEN = 14 };

static const wri_ink PAPER = {250, 250, 251}, DARK = {28, 30, 34}, GREY = {104, 108, 116};

// --- parts of a line --------------------------------------------------------------------------

// Here and below, the canvas NULL: only measures. Returns where it ends.
static int draw_title(wri_canvas *canvas, const char *title, int x, int y)
{
    x = canvas ? wri_canvas_text(canvas, x, y, 1, GREY, title) : x + wri_text_width(title, 1);
    return x + AFTER_SWATCH;
}

static int draw_swatch(wri_canvas *canvas, wr_color color, const char *name, int x, int y)
{
    if (canvas) {
        wri_ink ink = wri_ink_from_color(color);
        wri_canvas_fill(canvas, x, y - WRI_TEXT_CAPITAL, SWATCH, SWATCH, DARK);
        wri_canvas_fill(canvas, x + 1, y - WRI_TEXT_CAPITAL + 1, SWATCH - 2, SWATCH - 2, ink);
        wri_canvas_text(canvas, x + SWATCH + AFTER_SWATCH, y, 1, DARK, name);
    }
    return x + SWATCH + AFTER_SWATCH + wri_text_width(name, 1);
}

// Paper for some lines of text, the longest of which is `widest` pixels. Returns where the first
// one stands.
static int draw_paper(wri_canvas *canvas, int lines, int widest)
{
    int box = lines * WRI_TEXT_LINE + 2 * PAD - (WRI_TEXT_LINE - WRI_TEXT_CAPITAL);
    int top = canvas->height - MARGIN - box;
    wri_canvas_fill(canvas, MARGIN, top, widest + 2 * PAD, box, PAPER);
    return top + PAD + WRI_TEXT_CAPITAL;
}

// --- examples ---------------------------------------------------------------------------------

// What is in the legend of an asset, from `left` on and where the next example would pass `right`
// in another line. Returns how many lines; *widest becomes at least where the longest one ends.
static int draw_asset(wri_canvas *canvas, const wr_asset *asset, bool named, int left, int right,
                      int y, int *widest)
{
    char text[64], title[64];
    const wr_rig *rig = &asset->rig;
    int x = left, lines = 1;
    if (named) {
        snprintf(title, sizeof title, "%.60s:", asset->name);
        x = draw_title(canvas, title, x, y);
    }
    bool first = true; // in its line
    for (int e = 0; e < rig->example_count; e++) {
        const char *name = wri_text_fit(rig->examples[e].name, 1, 160, text, sizeof text);
        wr_color color = wr_example_color(e, rig->example_count);
        if (!first && draw_swatch(NULL, color, name, x + BETWEEN, y) > right) {
            x = left;
            y += WRI_TEXT_LINE;
            lines++;
            first = true;
        }
        x = draw_swatch(canvas, color, name, first ? x : x + BETWEEN, y);
        first = false;
        *widest = x > *widest ? x : *widest;
    }
    return lines;
}

void wri_draw_legend(const wr_record_info *info, uint8_t *pixels, int width, int height)
{
    wri_canvas canvas = {pixels, width, height};
    const int left = MARGIN + PAD, right = width - MARGIN - PAD;
    bool named = info->asset_count > 1;
    int widest = left, lines = 0;
    for (int i = 0; i < info->asset_count; i++) {
        lines += draw_asset(NULL, info->assets[i], named, left, right, 0, &widest);
    }
    if (lines == 0) {
        return;
    }
    int y = draw_paper(&canvas, lines, widest - left);
    for (int i = 0; i < info->asset_count; i++) {
        y += WRI_TEXT_LINE * draw_asset(&canvas, info->assets[i], named, left, right, y, &widest);
    }
}

// --- numbers ----------------------------------------------------------------------------------

// In more lines where the next one would pass `right`. Returns how many; *widest becomes where the
// longest one ends.
static int draw_scale(wri_canvas *canvas, const char *title, const wri_swatch *swatches, int count,
                      int left, int right, int y, int *widest)
{
    int x = draw_title(canvas, title, left, y), lines = 1;
    *widest = x;
    for (int i = 0; i < count; i++) {
        x += i > 0 ? BETWEEN : 0;
        if (draw_swatch(NULL, swatches[i].color, swatches[i].name, x, y) > right) {
            x = left;
            y += WRI_TEXT_LINE;
            lines++;
        }
        x = draw_swatch(canvas, swatches[i].color, swatches[i].name, x, y);
        *widest = x > *widest ? x : *widest;
    }
    return lines;
}

void wri_draw_swatches(const char *title, const wri_swatch *swatches, int count, uint8_t *pixels,
                       int width, int height)
{
    wri_canvas canvas = {pixels, width, height};
    const int left = MARGIN + PAD, right = width - MARGIN - PAD;
    int widest, lines = draw_scale(NULL, title, swatches, count, left, right, 0, &widest);
    int y = draw_paper(&canvas, lines, widest - left);
    draw_scale(&canvas, title, swatches, count, left, right, y, &widest);
}

void wri_draw_map_legend(wr_map_kind kind, uint8_t *pixels, int width, int height)
{
    enum { STEPS = 7 };
    static const char *const words[STEPS] = {"1/8", "1/4", "1/2", "1", "2", "4", "8"};
    wri_swatch swatches[STEPS];
    char title[32];
    for (int i = 0; i < STEPS; i++) {
        swatches[i].color = wr_factor_color(ldexpf(1.0f, i - 3));
        snprintf(swatches[i].name, sizeof swatches[i].name, "%s", words[i]);
    }
    snprintf(title, sizeof title, "%s:", wr_map_name(kind));
    wri_draw_swatches(title, swatches, STEPS, pixels, width, height);
}
