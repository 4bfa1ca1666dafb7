// ties.c: what holds the shells of a body together: trim on panels, lamps in their holes.
//
// A point that is near a triangle of another shell is tied to its corners by three edges, as a weld
// is. Shells that touch nothing are tied to what is nearest, in rounds of twice the distance, until
// the body is one.
#include "plate.h"

#include "../geometry/bvh.h"
#include "../geometry/winding.h"
#include "../math/double3.h"

#define NEAR 0.01 // sizes of the body: what is as near as this belongs together

typedef struct tying {
    wri_plate *plate;
    const wri_topology *topology;
    const int *shell;
    int *root; // of each shell: shells with one root are tied
    bool all;  // ties of the first round: also between shells that are tied already
    wri_bvh tree;
    wri_array *edges;
    // search
    const double *point;
    int own, triangle;
    double nearest2;
} tying;

static int find_root(int *root, int i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

static void unite(int *root, int a, int b)
{
    a = find_root(root, a);
    b = find_root(root, b);
    root[a < b ? b : a] = a < b ? a : b;
}

static bool visit(void *context, int item)
{
    tying *t = context;
    const int *c = t->topology->corners + 3 * item;
    int other = t->shell[c[0]];
    if (other == t->own || (!t->all && find_root(t->root, other) == find_root(t->root, t->own))) {
        return true;
    }
    double corners[3][3], q[3];
    for (int k = 0; k < 3; k++) {
        memcpy(corners[k], t->plate->rest[c[k]], sizeof corners[k]);
    }
    wri_triangle_nearest(t->point, (const double(*)[3])corners, q);
    double d2 = 0.0;
    for (int k = 0; k < 3; k++) {
        d2 += (q[k] - t->point[k]) * (q[k] - t->point[k]);
    }
    if (d2 < t->nearest2) {
        t->nearest2 = d2;
        t->triangle = item;
    }
    return true;
}

static bool add_tie(tying *t, int point)
{
    const wri_plate *p = t->plate;
    const int *c = t->topology->corners + 3 * t->triangle;
    for (int k = 0; k < 3; k++) {
        bool held = p->mobility[point] == 0.0 && p->mobility[c[k]] == 0.0;
        if (held || (p->part[point] >= 0 && p->part[point] == p->part[c[k]])) {
            continue;
        }
        double d[3];
        for (int i = 0; i < 3; i++) {
            d[i] = p->rest[c[k]][i] - p->rest[point][i];
        }
        wri_plate_edge *edge = wri_array_add(t->edges, 1);
        if (!edge) {
            return false;
        }
        *edge = (wri_plate_edge){point, c[k], wri_length3(d)};
    }
    return true;
}

// Ties what is within the reach; shells are united after the round, so that all their points count.
static bool tie_round(tying *t, double reach, int *united)
{
    const wri_plate *p = t->plate;
    for (int i = 0; i < p->count; i++) {
        float r = (float)reach;
        wr_vec3 at = wr_v3((float)p->rest[i][0], (float)p->rest[i][1], (float)p->rest[i][2]);
        wr_box box = {wr_sub(at, wr_v3(r, r, r)), wr_add(at, wr_v3(r, r, r))};
        t->point = p->rest[i];
        t->own = t->shell[i];
        t->triangle = -1;
        t->nearest2 = reach * reach;
        wri_bvh_find(&t->tree, box, visit, t);
        if (t->triangle >= 0) {
            unite(united, t->own, t->shell[t->topology->corners[3 * t->triangle]]);
            if (!add_tie(t, i)) {
                return false;
            }
        }
    }
    return true;
}

static bool build_tree(tying *t)
{
    const wri_topology *s = t->topology;
    const wri_plate *p = t->plate;
    size_t count = (size_t)s->triangle_count;
    wr_box *boxes = wri_arena_alloc(p->arena, count, sizeof *boxes);
    uint8_t *keep = wri_arena_alloc(p->arena, count, 1);
    if (!boxes || !keep) {
        return false;
    }
    for (int i = 0; i < s->triangle_count; i++) {
        keep[i] = wri_takes_part(s->fate[i]);
        boxes[i] = WR_BOX_EMPTY;
        for (int k = 0; k < 3; k++) {
            const double *x = p->rest[s->corners[3 * i + k]];
            boxes[i] = wr_box_add(boxes[i], wr_v3((float)x[0], (float)x[1], (float)x[2]));
        }
    }
    return wri_bvh_build(&t->tree, p->arena, boxes, keep, s->triangle_count);
}

bool wri_plate_tie(wri_plate *plate, const wri_topology *topology, wri_array *edges)
{
    int shell_count = plate->shells.count;
    tying t = {.plate = plate,
               .topology = topology,
               .shell = plate->shells.of_place,
               .all = true,
               .edges = edges};
    size_t size = (size_t)shell_count;
    t.root = wri_arena_alloc(plate->arena, size, sizeof *t.root);
    int *united = wri_arena_alloc(plate->arena, size, sizeof *united);
    if (!t.root || !united || !build_tree(&t)) {
        return false;
    }
    for (int i = 0; i < shell_count; i++) {
        t.root[i] = united[i] = i;
    }
    bool is_one = shell_count == 1;
    for (double reach = NEAR; !is_one && reach < 2.0; reach *= 2.0) {
        if (!tie_round(&t, reach, united)) {
            return false;
        }
        t.all = false;
        memcpy(t.root, united, size * sizeof *united);
        is_one = true;
        for (int i = 0; i < shell_count; i++) {
            is_one = is_one && find_root(t.root, i) == 0;
        }
    }
    return true;
}
