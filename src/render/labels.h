// labels.h: sides for the names of discs, so that they cover as little as possible.
#pragma once

#include "layout.h"

typedef struct wri_label {
    int width, height; // in: of its box, pixels
    int left, top;     // out
} wri_label;

typedef struct wri_label_room {
    const wr_vec2 *places; // of the discs, pixels
    const float *radii;    // of the discs, one each
    int count;
    const wri_link *links; // lines between them
    int link_count;
    int left, top, right, low; // where labels may be, pixels; the last two behind
} wri_label_room;

// One label per disc, below, above, right or left of it: one after the other where they meet the
// least. Pushed back into the room where none fits.
void wri_labels_place(const wri_label_room *room, wri_label *labels);
