// legend.c: which colour is which example, in a corner of the pictures of a recording.
#include "show.h"

#include "../render/canvas.h"

#include <stdio.h>

enum { MARGIN = 8, PAD = 7, SWATCH = WRI_TEXT_CAPITAL + 1, AFTER_SWATCH = 6, BETWEEN = 14 };

static const wri_ink PAPER = {250, 250, 251}, DARK = {28, 30, 34}, GREY = {104, 108, 116};

// The canvas NULL: only measures. Returns where the line ends.
static int draw_line(wri_canvas *canvas, const wr_asset *asset, bool named, int x, int y)
{
    char text[64], title[64];
    const wr_rig *rig = &asset->rig;
    if (named) {
        snprintf(title, sizeof title, "%.60s:", asset->name);
        x = canvas ? wri_canvas_text(canvas, x, y, 1, GREY, title) : x + wri_text_width(title, 1);
        x += AFTER_SWATCH;
    }
    for (int e = 0; e < rig->example_count; e++) {
        const char *name = wri_text_fit(rig->examples[e].name, 1, 160, text, sizeof text);
        x += e > 0 ? BETWEEN : 0;
        if (canvas) {
            wri_ink ink = wri_ink_from_color(wr_example_color(e, rig->example_count));
            wri_canvas_fill(canvas, x, y - WRI_TEXT_CAPITAL, SWATCH, SWATCH, DARK);
            wri_canvas_fill(canvas, x + 1, y - WRI_TEXT_CAPITAL + 1, SWATCH - 2, SWATCH - 2, ink);
            wri_canvas_text(canvas, x + SWATCH + AFTER_SWATCH, y, 1, DARK, name);
        }
        x += SWATCH + AFTER_SWATCH + wri_text_width(name, 1);
    }
    return x;
}

void wri_draw_legend(const wr_record_info *info, uint8_t *pixels, int width, int height)
{
    wri_canvas canvas = {pixels, width, height};
    bool named = info->asset_count > 1;
    int widest = 0, lines = info->asset_count;
    for (int i = 0; i < lines; i++) {
        int line = draw_line(NULL, info->assets[i], named, 0, 0);
        widest = line > widest ? line : widest;
    }
    if (lines == 0) {
        return;
    }
    int box = lines * WRI_TEXT_LINE + 2 * PAD - (WRI_TEXT_LINE - WRI_TEXT_CAPITAL);
    int top = height - MARGIN - box;
    wri_canvas_fill(&canvas, MARGIN, top, widest + 2 * PAD, box, PAPER);
    for (int i = 0; i < lines; i++) {
        draw_line(&canvas, info->assets[i], named, MARGIN + PAD,
                  top + PAD + WRI_TEXT_CAPITAL + i * WRI_TEXT_LINE);
    }
}
