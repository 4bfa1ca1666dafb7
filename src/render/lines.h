// lines.h: the outlines of things in a flat picture.
#pragma once

#include "eye.h"
#include "shape.h"

typedef struct wri_line {
    wr_vec2 a, b;           // pixels
    float depth_a, depth_b; // metres from the camera
    int item;
} wri_line;

typedef struct wri_flat_lines {
    wri_line *lines;
    int *begin; // per tile of WRI_LINE_TILE pixels, and one more: into numbers
    int *numbers;
    int across, down; // tiles
} wri_flat_lines;

enum { WRI_LINE_TILE = 16 };

// Silhouettes, borders and sharp edges of all that is not a drawing. width: pixels.
bool wri_lines_find(wri_flat_lines *out, const wri_scene *scene, const wri_eye *eye, float width,
                    wr_scratch *scratch, wr_error *error);

// Pixels from a place in the picture to the nearest line of an item that is not behind `depth`.
float wri_lines_distance(const wri_flat_lines *lines, int item, float x, float y, float depth);
