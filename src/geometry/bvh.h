// bvh.h: a tree of boxes, to find the few that overlap a given one.
#pragma once

#include "wrought/geometry.h"

#include "../base/base.h"

// Inner nodes have count 0; their first child is the next node, the second one is `first`.
typedef struct wri_bvh_node {
    wr_box box;
    int first, count; // a leaf has items[first] to items[first + count - 1]
} wri_bvh_node;

typedef struct wri_bvh {
    int node_count, item_count;
    wri_bvh_node *nodes;
    int *items; // box indices; neighbours in this order are neighbours in space
} wri_bvh;

// Takes only the boxes with keep[i] != 0; NULL: all. Boxes must not be empty. Returns false when
// out of memory.
bool wri_bvh_build(wri_bvh *bvh, wri_arena *arena, const wr_box *boxes, const uint8_t *keep,
                   int count);

// Calls visit for every item whose leaf overlaps the box, in the tree's order, until visit returns
// false. A leaf has several items: visit has to look at the item's own box.
typedef bool wri_bvh_visit_fn(void *context, int item);
void wri_bvh_find(const wri_bvh *bvh, wr_box box, wri_bvh_visit_fn *visit, void *context);

static inline bool wri_boxes_overlap(wr_box a, wr_box b)
{
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y &&
           a.min.z <= b.max.z && b.min.z <= a.max.z;
}
