// layout.h: places for the nodes of a small graph, so that neighbours lie one length apart.
#pragma once

#include "wrought/geometry.h"
#include "../base/base.h"

enum { WRI_LAYOUT_NODES = 512 };

typedef struct wri_link {
    int a, b; // nodes, different
} wri_link;

// Places the nodes of a graph, at most WRI_LAYOUT_NODES; links in range. The same graph gets the
// same places: their middle is (0, 0); a row lies along x, others are turned as they fit best into
// a picture that is wider than high. Parts that no link joins lie apart.
bool wri_layout_find(int node_count, const wri_link *links, int link_count, wr_vec2 *places,
                     wr_error *error);
