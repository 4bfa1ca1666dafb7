// sheet.h: sprite sheets: which rectangles of a picture show one thing in many poses.
#pragma once

#include "wrought/geometry.h"

#include "../file/json.h"

typedef struct wri_cell {
    const char *name;  // name that its file calls it by
    int number;        // number from 0, as in the file
    int x, y;          // pixels in the picture, y down: its upper left corner
    int width, height; // size as it is drawn; rotated ones lie there on their side, clockwise
    bool is_rotated;
    int left, top;      // place within its own canvas, which
    int canvas[2];      // was larger before it was trimmed
    const wri_json *at; // place for messages, NULL: of a grid
} wri_cell;

typedef struct wri_sheet {
    const char *path;  // path of the data, for messages; NULL: a grid
    const char *image; // name of the picture in the data, beside itself; NULL: it names none
    int cell_count;    // at least 1
    wri_cell *cells;
    int width, height; // size of a canvas that contains every cell
} wri_sheet;

// Parses what Aseprite and TexturePacker write, as array or hash, out of `size` bytes. Everything
// lives in the arena.
bool wri_sheet_parse(wri_arena *arena, const char *text, size_t size, const char *path,
                     wri_sheet *out, wr_error *error);
bool wri_sheet_read(wri_arena *arena, const char *path, wri_sheet *out, wr_error *error);

// Divides a picture into cells of one size. Fails when it does not divide.
bool wri_sheet_from_grid(wri_arena *arena, const wr_image *picture, int columns, int rows,
                         wri_sheet *out, wr_error *error);

// Puts a cell before all others, as the drawing, and gives them names that differ: "rest" is the
// first.
bool wri_sheet_begin_with(wri_arena *arena, wri_sheet *sheet, int first, wr_error *error);

// Checks that all cells lie within the picture.
bool wri_sheet_check(const wri_sheet *sheet, const wr_image *picture, wr_error *error);

// A cell as it was before it was trimmed and turned: width * height pixels, zeroed by the caller.
// Canvases of different sizes stand on a common ground, in the middle.
void wri_sheet_cut(const wri_sheet *sheet, const wr_image *picture, int cell, uint8_t *pixels);

// Leaves out cells at the end that show nothing. Fails when one before them does.
bool wri_sheet_drop_empty(wri_sheet *sheet, const wr_image *picture, wr_error *error);
