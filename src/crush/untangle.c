// untangle.c: what crossed all the same goes back to where it last did not.
//
// Every few steps the triangles are looked at. Those that cross now and did not cross before go
// back with all their corners, and so on until none is left: at worst everything is where it was,
// and there nothing crossed. So the sheet never passes through itself, whatever the contacts
// missed.
#include "plate.h"

#include "../geometry/bvh.h"

enum { MOST_ROUNDS = 30 };

typedef struct search {
    const wri_plate *plate;
    wr_vec3 *now, *safe; // places of the points
    wr_box *boxes;
    uint8_t *back; // points that go back
    int triangle;
    bool any;
} search;

static wr_vec3 to_floats(const double x[3])
{
    return wr_v3((float)x[0], (float)x[1], (float)x[2]);
}

static bool has_moved(const search *q, const int *c)
{
    return memcmp(&q->now[c[0]], &q->safe[c[0]], sizeof *q->now) != 0 ||
           memcmp(&q->now[c[1]], &q->safe[c[1]], sizeof *q->now) != 0 ||
           memcmp(&q->now[c[2]], &q->safe[c[2]], sizeof *q->now) != 0;
}

static bool is_jammed(const wri_plate *p, const int *c)
{
    int most = p->patience;
    return p->jams[c[0]] > most || p->jams[c[1]] > most || p->jams[c[2]] > most;
}

static bool visit(void *context, int other)
{
    search *q = context;
    const int *a = q->plate->triangles[q->triangle], *b = q->plate->triangles[other];
    if (other == q->triangle || !wri_boxes_overlap(q->boxes[other], q->boxes[q->triangle]) ||
        (other < q->triangle && has_moved(q, b)) || // has been asked about
        wri_shells_cross(&q->plate->shells, *a, *b) || is_jammed(q->plate, a) ||
        is_jammed(q->plate, b) || !wri_triangles_cross(q->now, a, b, WRI_TOUCH) ||
        wri_triangles_cross(q->safe, a, b, WRI_TOUCH)) {
        return true;
    }
    for (int k = 0; k < 3; k++) {
        q->back[a[k]] = q->back[b[k]] = 1;
    }
    q->any = true;
    return true;
}

static bool find_crossings(search *q, const wr_allocator *allocator)
{
    const wri_plate *p = q->plate;
    wri_arena arena = wri_arena_create(allocator);
    wri_bvh tree = {0};
    for (int i = 0; i < p->triangle_count; i++) {
        q->boxes[i] = WR_BOX_EMPTY;
        for (int k = 0; k < 3; k++) {
            q->boxes[i] = wr_box_add(q->boxes[i], q->now[p->triangles[i][k]]);
        }
    }
    bool ok = wri_bvh_build(&tree, &arena, q->boxes, NULL, p->triangle_count);
    q->any = false;
    for (q->triangle = 0; ok && q->triangle < p->triangle_count; q->triangle++) {
        const int *c = p->triangles[q->triangle];
        if (has_moved(q, c) && !wri_is_thin(q->now, c, 1.0)) {
            wri_bvh_find(&tree, q->boxes[q->triangle], visit, q);
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}

// A rigid part goes back as a whole.
static void mark_parts(search *q, const wri_plate *p)
{
    for (int i = 0; i < p->part_count; i++) {
        const int *points = p->part_points + p->parts[i].first;
        uint8_t back = 0;
        for (int k = 0; k < p->parts[i].count; k++) {
            back |= q->back[points[k]];
        }
        for (int k = 0; k < p->parts[i].count; k++) {
            q->back[points[k]] = back;
        }
    }
}

static void go_back(search *q, wri_plate *p)
{
    for (int i = 0; i < p->count; i++) {
        if (q->back[i]) {
            memcpy(p->x[i], p->safe[i], sizeof p->x[i]);
            memcpy(p->before[i], p->safe[i], sizeof p->before[i]);
            q->now[i] = q->safe[i];
        }
    }
}

bool wri_plate_untangle(wri_plate *p)
{
    wri_arena arena = wri_arena_create(&p->arena->allocator);
    size_t count = (size_t)p->count;
    search q = {.plate = p,
                .now = wri_arena_alloc(&arena, count, sizeof *q.now),
                .safe = wri_arena_alloc(&arena, count, sizeof *q.safe),
                .boxes = wri_arena_alloc(&arena, (size_t)p->triangle_count, sizeof *q.boxes),
                .back = wri_arena_alloc(&arena, count, 1),
                .any = true};
    bool ok = q.now && q.safe && q.boxes && q.back;
    for (int i = 0; ok && i < p->count; i++) {
        q.now[i] = to_floats(p->x[i]);
        q.safe[i] = to_floats(p->safe[i]);
    }
    for (int round = 0; ok && q.any && round < MOST_ROUNDS; round++) {
        ok = find_crossings(&q, &arena.allocator);
        if (ok && q.any) {
            mark_parts(&q, p);
            go_back(&q, p);
        }
    }
    for (int i = 0; ok && i < p->count; i++) {
        p->jams[i] += q.back[i] ? p->jams[i] <= p->patience : -(p->jams[i] > 0);
    }
    memcpy(p->safe, p->x, count * sizeof *p->safe);
    wri_arena_destroy(&arena);
    return ok;
}
