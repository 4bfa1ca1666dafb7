// cut.h (internal): the smallest set of nodes whose removal parts two ends of a graph.
#pragma once

#include "../base/base.h"

typedef enum wri_side { WRI_BETWEEN, WRI_FIRST, WRI_SECOND, WRI_SEPARATOR } wri_side;

// All arrays are the caller's, `count` items unless said.
typedef struct wri_cut {
    int count;
    const int *begin, *column; // neighbours of each node, begin has count + 1
    uint8_t *side;             // in: the ends; out: no node is left between
    // Scratch.
    int *before, *behind; // of a node on the path that leads through it; -1: an end, -2: no path
    int *level, *edge, *queue, *stack; // 2 * count each
} wri_cut;

// Returns how many nodes of the graph became a separator.
int wri_cut_find(wri_cut *cut);
