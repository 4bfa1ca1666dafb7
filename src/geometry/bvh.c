// bvh.c: a tree of boxes.
//
// The boxes are sorted along a space-filling curve (Morton order of their centres) and the sorted
// list is halved again and again, as in packed R-trees (I. Kamel and C. Faloutsos, On packing
// R-trees, 1993). Sorting by digits and halving take the same time for every input, the tree is at
// most 32 deep, and there are no choices that could depend on threads.
#include "bvh.h"

enum { LEAF = 4, DIGIT_BITS = 11, DIGITS = 6, DIGIT_VALUES = 1 << DIGIT_BITS, DEPTH_MAX = 64 };

// Spreads 21 bits so that two zero bits lie between neighbours.
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

// Boxes near the end of what floats can say may be infinite, their middle then no number: any place
// in the order will do.
static uint64_t curve_digit(float value, float low, float high)
{
    double part = ((double)value - low) / ((double)high - low);
    part = part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0;
    return spread((uint64_t)(part * 2097151.0)); // 2^21 - 1
}

static uint64_t curve_key(wr_vec3 p, wr_box bounds)
{
    return curve_digit(p.x, bounds.min.x, bounds.max.x) |
           curve_digit(p.y, bounds.min.y, bounds.max.y) << 1 |
           curve_digit(p.z, bounds.min.z, bounds.max.z) << 2;
}

typedef struct entry {
    uint64_t key;
    int item;
} entry;

// Sorts the least digit first and stably, so that equal keys stay in the order of their items.
static void sort_entries(entry *entries, entry *other, int count)
{
    for (int digit = 0; digit < DIGITS; digit++) { // an even number: the result is in entries
        int begin[DIGIT_VALUES + 1] = {0}, shift = digit * DIGIT_BITS;
        for (int i = 0; i < count; i++) {
            begin[(entries[i].key >> shift & (DIGIT_VALUES - 1)) + 1]++;
        }
        for (int i = 0; i < DIGIT_VALUES; i++) {
            begin[i + 1] += begin[i];
        }
        for (int i = 0; i < count; i++) {
            other[begin[entries[i].key >> shift & (DIGIT_VALUES - 1)]++] = entries[i];
        }
        entry *swap = entries;
        entries = other;
        other = swap;
    }
}

static wr_box build_node(wri_bvh *bvh, const wr_box *boxes, int first, int count)
{
    wri_bvh_node *node = &bvh->nodes[bvh->node_count++];
    if (count <= LEAF) {
        *node = (wri_bvh_node){WR_BOX_EMPTY, first, count};
        for (int i = first; i < first + count; i++) {
            node->box = wr_box_join(node->box, boxes[bvh->items[i]]);
        }
        return node->box;
    }
    wr_box left = build_node(bvh, boxes, first, count / 2);
    *node = (wri_bvh_node){.first = bvh->node_count};
    wr_box right = build_node(bvh, boxes, first + count / 2, count - count / 2);
    return node->box = wr_box_join(left, right);
}

bool wri_bvh_build(wri_bvh *bvh, wri_arena *arena, const wr_box *boxes, const uint8_t *keep,
                   int count)
{
    *bvh = (wri_bvh){0};
    wr_box bounds = WR_BOX_EMPTY; // bounds of the centres, whose sums may pass the range of float
    for (int i = 0; i < count; i++) {
        bvh->item_count += !keep || keep[i];
        bounds = !keep || keep[i] ? wr_box_join(bounds, boxes[i]) : bounds;
    }
    size_t n = (size_t)bvh->item_count;
    entry *entries = wri_arena_alloc(arena, n, sizeof *entries);
    entry *other = wri_arena_alloc(arena, n, sizeof *other);
    bvh->items = wri_arena_alloc(arena, n, sizeof *bvh->items);
    bvh->nodes = wri_arena_alloc(arena, n + 1, sizeof *bvh->nodes);
    if (!entries || !other || !bvh->items || !bvh->nodes) {
        return false;
    }
    for (int i = 0, k = 0; i < count; i++) {
        if (!keep || keep[i]) {
            wr_vec3 half = wr_add(wr_scale(0.5f, boxes[i].min), wr_scale(0.5f, boxes[i].max));
            half = wr_max3(bounds.min, wr_min3(bounds.max, half));
            entries[k++] = (entry){curve_key(half, bounds), i};
        }
    }
    sort_entries(entries, other, bvh->item_count);
    for (int i = 0; i < bvh->item_count; i++) {
        bvh->items[i] = entries[i].item;
    }
    if (bvh->item_count > 0) {
        build_node(bvh, boxes, 0, bvh->item_count);
    }
    return true;
}

void wri_bvh_find(const wri_bvh *bvh, wr_box box, wri_bvh_visit_fn *visit, void *context)
{
    int stack[DEPTH_MAX], depth = 0, node = 0;
    if (bvh->node_count == 0) {
        return;
    }
    for (;;) {
        const wri_bvh_node *n = &bvh->nodes[node];
        if (wri_boxes_overlap(n->box, box)) {
            if (n->count == 0) {
                stack[depth++] = n->first;
                node = node + 1;
                continue;
            }
            for (int i = n->first; i < n->first + n->count; i++) {
                if (!visit(context, bvh->items[i])) {
                    return;
                }
            }
        }
        if (depth == 0) {
            return;
        }
        node = stack[--depth];
    }
}
