// shells.c: heaps of triangles that are connected, and those that pass through one another at rest.
#include "plate.h"

#include "../geometry/bvh.h"

enum { MOST_SHELLS = 2000 }; // of which every pair is known

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static bool number_shells(wri_shells *out, const wri_topology *s)
{
    size_t size = (size_t)s->place_count;
    int *parent = wri_arena_alloc(s->arena, size, sizeof *parent);
    out->of_place = wri_arena_alloc(s->arena, size, sizeof *out->of_place);
    if (!parent || !out->of_place) {
        return false;
    }
    for (int i = 0; i < s->place_count; i++) {
        parent[i] = i;
    }
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        int a = find_root(parent, s->corners[i]), b = find_root(parent, s->corners[i / 3 * 3]);
        parent[a < b ? b : a] = a < b ? a : b;
    }
    for (int i = 0; i < s->place_count; i++) { // a root comes before its points
        int root = find_root(parent, i);
        out->of_place[i] = root == i ? out->count++ : out->of_place[root];
    }
    return true;
}

typedef struct search {
    wri_shells *shells;
    const wri_topology *s;
    const wr_box *boxes;
    int triangle;
} search;

static bool visit(void *context, int other)
{
    search *q = context;
    const int *a = q->s->corners + 3 * q->triangle, *b = q->s->corners + 3 * other;
    size_t one = (size_t)q->shells->of_place[*a], two = (size_t)q->shells->of_place[*b];
    size_t count = (size_t)q->shells->count;
    if (other > q->triangle && one != two && !q->shells->crossing[one * count + two] &&
        wri_boxes_overlap(q->boxes[other], q->boxes[q->triangle]) &&
        wri_triangles_cross(q->s->points, a, b, WRI_TOUCH * q->s->size)) {
        q->shells->crossing[one * count + two] = q->shells->crossing[two * count + one] = 1;
    }
    return true;
}

static bool find_crossing(wri_shells *out, const wri_topology *s)
{
    size_t count = (size_t)s->triangle_count;
    wr_box *boxes = wri_arena_alloc(s->arena, count, sizeof *boxes);
    uint8_t *keep = wri_arena_alloc(s->arena, count, 1);
    wri_bvh tree;
    out->crossing = wri_arena_alloc(s->arena, (size_t)out->count, (size_t)out->count);
    if (!boxes || !keep || !out->crossing) {
        return false;
    }
    for (int t = 0; t < s->triangle_count; t++) {
        const int *c = s->corners + 3 * t;
        keep[t] = wri_takes_part(s->fate[t]) && !wri_is_thin(s->points, c, s->size);
        boxes[t] = WR_BOX_EMPTY;
        for (int k = 0; k < 3; k++) {
            boxes[t] = wr_box_add(boxes[t], s->points[c[k]]);
        }
    }
    if (!wri_bvh_build(&tree, s->arena, boxes, keep, s->triangle_count)) {
        return false;
    }
    search q = {out, s, boxes, 0};
    for (; q.triangle < s->triangle_count; q.triangle++) {
        if (keep[q.triangle]) {
            wri_bvh_find(&tree, boxes[q.triangle], visit, &q);
        }
    }
    return true;
}

bool wri_shells_find(wri_shells *shells, const wri_topology *topology)
{
    *shells = (wri_shells){0};
    return number_shells(shells, topology) &&
           (shells->count == 1 || shells->count > MOST_SHELLS || find_crossing(shells, topology));
}
