// handles.c: handles on a simulation mesh: found by thinning out its surface, or read from a graph.
//
// Thinning: of all pairs of points that are left the closest one is looked for, and the point of it
// that is further from the bounding box goes, else the one nearer to the box's middle. Every
// point knows its nearest neighbour; when that goes, it looks for the next one in a tree of points
// whose branches know how many are left. About n log n for n points. Solids are thinned along axes
// of their own (shape_frame.h), and distances are compared coarsely, equal ones by the lower index:
// a turned lattice has the same handles.
#include "handles.h"

#include "../base/base.h"
#include "../geometry/shape_frame.h"

#include <stdlib.h>

typedef struct set_owner {
    wri_arena arena;
    wr_handle_set set; // lives in the arena that it owns
} set_owner;

void wr_handle_set_destroy(wr_handle_set *set)
{
    if (set) {
        wri_arena arena = ((set_owner *)set->memory)->arena;
        wri_arena_destroy(&arena);
    }
}

wr_handle_set *wri_handle_set_create(int handle_count, int anchor_count,
                                     const wr_allocator *allocator, wr_error *error)
{
    wri_arena arena = wri_arena_create(allocator);
    set_owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    size_t n = (size_t)handle_count;
    wr_handle *handles = wri_arena_alloc(&arena, n, sizeof *handles);
    wr_vec3 *tips = wri_arena_alloc(&arena, n, sizeof *tips);
    int *sources = wri_arena_alloc(&arena, n, sizeof *sources);
    wr_anchor *anchors = wri_arena_alloc(&arena, (size_t)anchor_count, sizeof *anchors);
    bool ok = o && handles && tips && sources && anchors;
    for (int i = 0; ok && i < handle_count; i++) {
        handles[i] =
            (wr_handle){.name = wri_arena_printf(&arena, "h%d", i), .parent = -1, .vertex = -1};
        ok = handles[i].name != NULL;
    }
    if (!ok) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, n * sizeof *handles);
        return NULL;
    }
    *o = (set_owner){.arena = arena,
                     .set = {.handle_count = handle_count,
                             .anchor_count = anchor_count,
                             .handles = handles,
                             .tips = tips,
                             .sources = sources,
                             .anchors = anchors,
                             .memory = o}};
    return &o->set;
}

wr_solid wr_solid_from_tets(const wr_tet_mesh *mesh)
{
    bool solid = mesh->tetrahedron_count > 0;
    return (wr_solid){solid ? 3 : 2, mesh->vertex_count, mesh->positions,
                      solid ? mesh->tetrahedron_count : mesh->triangle_count,
                      solid ? mesh->tetrahedra : mesh->triangles};
}

wr_solid wr_solid_from_rig(const wr_rig *rig)
{
    return (wr_solid){rig->dimension, rig->vertex_count, rig->rest, rig->element_count,
                      rig->elements};
}

static double squared_distance(wr_vec3 a, wr_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return x * x + y * y + z * z;
}

// Rounded to 0.1 %, so that edges of a regular lattice are equally long.
static double coarse(double squared)
{
    int exponent;
    double part = frexp(squared, &exponent);
    return ldexp(round(1024.0 * part), exponent - 10);
}

// --- the surface ------------------------------------------------------------------------------

typedef struct face {
    int v[3]; // ascending; 2D: v[2] is -1
} face;

static int compare_faces(const void *a, const void *b)
{
    const face *f = a, *g = b;
    for (int i = 0; i < 3; i++) {
        if (f->v[i] != g->v[i]) {
            return f->v[i] < g->v[i] ? -1 : 1;
        }
    }
    return 0;
}

static void put_in_order(face *f)
{
    for (int i = 0; i < 3; i++) {
        int a = i % 2; // 0-1, 1-2, 0-1
        if (f->v[a + 1] >= 0 && f->v[a] > f->v[a + 1]) {
            int kept = f->v[a];
            f->v[a] = f->v[a + 1];
            f->v[a + 1] = kept;
        }
    }
}

// Lists the faces (2D: edges) of exactly one element at the front of `faces`; returns how many.
static int list_faces(const wr_solid *mesh, face *faces)
{
    int corners = mesh->dimension + 1, found = 0;
    size_t count = (size_t)mesh->element_count * (size_t)corners;
    for (size_t i = 0; i < count; i++) { // the face opposite to corner i
        const int *v = &mesh->elements[i - i % (size_t)corners];
        faces[i].v[2] = -1;
        for (int k = 0, n = 0; k < corners; k++) {
            if ((size_t)k != i % (size_t)corners) {
                faces[i].v[n++] = v[k];
            }
        }
        put_in_order(&faces[i]);
    }
    qsort(faces, count, sizeof *faces, compare_faces);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && compare_faces(&faces[i], &faces[next]) == 0;) {
            next++;
        }
        if (next == i + 1) {
            faces[found++] = faces[i];
        }
    }
    return found;
}

// Marks the vertices of the surface; all used vertices where there is none, as on a closed surface.
// The axes are those of the surface, in 2D those of the plane.
static bool find_surface(const wr_solid *mesh, uint8_t *is_surface, double axes[3][3],
                         const wr_allocator *allocator)
{
    size_t count = (size_t)mesh->element_count * (size_t)(mesh->dimension + 1);
    face *faces = wri_alloc(allocator, count, sizeof *faces);
    if (!faces) {
        return false;
    }
    int found = list_faces(mesh, faces);
    for (int i = 0; i < found * mesh->dimension; i++) {
        is_surface[faces[i / mesh->dimension].v[i % mesh->dimension]] = 1;
    }
    for (size_t i = 0; found == 0 && i < count; i++) {
        is_surface[mesh->elements[i]] = 1;
    }
    wri_shape_frame(mesh->positions, faces->v, mesh->dimension == 3 ? found : 0, axes);
    wri_free(allocator, faces, count, sizeof *faces);
    return true;
}

// --- a tree of points -------------------------------------------------------------------------

// A balanced tree over an order of points: the node of [begin, end) is its middle; what is less
// along the axis is left of it. alive counts the points left in the range of a node.
typedef struct tree {
    int count;
    const wr_vec3 *points;
    int *order, *node_of; // point at a node, node of a point
    uint8_t *axis;
    int *alive;
    uint8_t *is_gone; // true for each point that was dropped
} tree;

static float along(wr_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static bool is_before(const tree *t, int a, int b, int axis)
{
    float x = along(t->points[a], axis), y = along(t->points[b], axis);
    return x != y ? x < y : a < b;
}

// Puts the point that belongs at `middle` there, smaller ones left of it.
static void select_middle(tree *t, int begin, int end, int middle, int axis)
{
    int *o = t->order;
    while (end - begin > 1) {
        int pivot = o[begin + (end - begin) / 2], i = begin, j = end - 1;
        while (i <= j) {
            while (is_before(t, o[i], pivot, axis)) {
                i++;
            }
            while (is_before(t, pivot, o[j], axis)) {
                j--;
            }
            if (i <= j) {
                int kept = o[i];
                o[i++] = o[j];
                o[j--] = kept;
            }
        }
        if (middle <= j) {
            end = j + 1;
        } else if (middle >= i) {
            begin = i;
        } else {
            return;
        }
    }
}

static void build_tree(tree *t, int begin, int end)
{
    if (begin >= end) {
        return;
    }
    wr_box box = WR_BOX_EMPTY;
    for (int i = begin; i < end; i++) {
        box = wr_box_add(box, t->points[t->order[i]]);
    }
    wr_vec3 size = wr_box_size(box);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    int middle = begin + (end - begin) / 2;
    select_middle(t, begin, end, middle, axis);
    t->axis[middle] = (uint8_t)axis;
    t->alive[middle] = end - begin;
    t->node_of[t->order[middle]] = middle;
    build_tree(t, begin, middle);
    build_tree(t, middle + 1, end);
}

static void remove_point(tree *t, int point)
{
    int node = t->node_of[point], begin = 0, end = t->count;
    t->is_gone[point] = 1;
    while (true) {
        int middle = begin + (end - begin) / 2;
        t->alive[middle]--;
        if (middle == node) {
            return;
        }
        begin = node < middle ? begin : middle + 1;
        end = node < middle ? middle : end;
    }
}

typedef struct nearest {
    int point; // looked from
    int found; // -1: none
    double distance;
} nearest;

static void search(const tree *t, int begin, int end, nearest *n)
{
    if (begin >= end) {
        return;
    }
    int middle = begin + (end - begin) / 2;
    if (t->alive[middle] == 0) {
        return;
    }
    int other = t->order[middle], axis = t->axis[middle];
    if (!t->is_gone[other] && other != n->point) {
        double d = coarse(squared_distance(t->points[other], t->points[n->point]));
        if (n->found < 0 || d < n->distance || (d == n->distance && other < n->found)) {
            n->distance = d;
            n->found = other;
        }
    }
    double gap = (double)along(t->points[n->point], axis) - along(t->points[other], axis);
    bool left_first = gap < 0.0;
    search(t, left_first ? begin : middle + 1, left_first ? middle : end, n);
    if (n->found < 0 || coarse(gap * gap) <= n->distance) {
        search(t, left_first ? middle + 1 : begin, left_first ? end : middle, n);
    }
}

static nearest find_nearest(const tree *t, int point)
{
    nearest n = {point, -1, 0.0};
    search(t, 0, t->count, &n);
    return n;
}

// --- thinning ---------------------------------------------------------------------------------

typedef struct thinning {
    tree tree;
    const uint8_t *is_placed;
    double *depth; // distance of each point from the bounding box, in 1e-4 of its diagonal
    double *reach; // squared distance of each point from its middle, coarse
    nearest *near;
    int *heap; // points that may go and have a neighbour, closest pair first
    int heap_count;
    int *first, *next, *previous; // lists of the points whose nearest neighbour is a given one
    int *slot;                    // place of each point in the heap, -1: not in it
} thinning;

static bool is_closer(const thinning *t, int a, int b)
{
    const nearest *p = &t->near[a], *q = &t->near[b];
    if (p->distance != q->distance) {
        return p->distance < q->distance;
    }
    int low_a = a < p->found ? a : p->found, low_b = b < q->found ? b : q->found;
    return low_a != low_b ? low_a < low_b : a < b;
}

static void put_in_slot(thinning *t, int slot, int point)
{
    t->heap[slot] = point;
    t->slot[point] = slot;
}

// Moves what stands in a slot up or down to where it belongs.
static void settle(thinning *t, int slot)
{
    int point = t->heap[slot];
    for (int up; slot > 0 && is_closer(t, point, t->heap[up = (slot - 1) / 2]); slot = up) {
        put_in_slot(t, slot, t->heap[up]);
    }
    for (int down; (down = 2 * slot + 1) < t->heap_count; slot = down) {
        down += down + 1 < t->heap_count && is_closer(t, t->heap[down + 1], t->heap[down]);
        if (!is_closer(t, t->heap[down], point)) {
            break;
        }
        put_in_slot(t, slot, t->heap[down]);
    }
    put_in_slot(t, slot, point);
}

static void leave_heap(thinning *t, int point)
{
    int slot = t->slot[point];
    if (slot < 0) {
        return;
    }
    t->slot[point] = -1;
    int last = t->heap[--t->heap_count];
    if (last != point) {
        put_in_slot(t, slot, last);
        settle(t, slot);
    }
}

static void leave_list(thinning *t, int point)
{
    int before = t->previous[point], after = t->next[point];
    if (before >= 0) {
        t->next[before] = after;
    } else if (t->near[point].found >= 0) {
        t->first[t->near[point].found] = after;
    }
    if (after >= 0) {
        t->previous[after] = before;
    }
}

// Looks for the nearest neighbour of a point that may go.
static void look_around(thinning *t, int point)
{
    nearest n = find_nearest(&t->tree, point);
    t->near[point] = n;
    t->previous[point] = t->next[point] = -1;
    if (n.found < 0) {
        leave_heap(t, point);
        return;
    }
    t->next[point] = t->first[n.found];
    if (t->next[point] >= 0) {
        t->previous[t->next[point]] = point;
    }
    t->first[n.found] = point;
    if (t->slot[point] < 0) {
        t->heap[t->heap_count] = point;
        t->slot[point] = t->heap_count++;
    }
    settle(t, t->slot[point]);
}

static void drop_point(thinning *t, int point)
{
    leave_list(t, point);
    leave_heap(t, point);
    remove_point(&t->tree, point);
    int other = t->first[point];
    t->first[point] = -1;
    while (other >= 0) {
        int following = t->next[other];
        look_around(t, other);
        other = following;
    }
}

// True when of a closest pair a goes and b stays.
static bool goes_before(const thinning *t, int a, int b)
{
    if (t->depth[a] != t->depth[b]) {
        return t->depth[a] > t->depth[b];
    }
    return t->reach[a] != t->reach[b] ? t->reach[a] < t->reach[b] : a > b;
}

static void thin_out(thinning *t, int left)
{
    for (int i = 0; i < t->tree.count; i++) {
        t->slot[i] = t->first[i] = t->near[i].found = t->next[i] = t->previous[i] = -1;
    }
    for (int i = 0; i < t->tree.count; i++) {
        if (!t->is_placed[i]) {
            look_around(t, i);
        }
    }
    for (int count = t->tree.count; count > left && t->heap_count > 0; count--) {
        int a = t->heap[0], b = t->near[a].found;
        drop_point(t, !t->is_placed[b] && goes_before(t, b, a) ? b : a);
    }
}

static double depth_in(wr_box box, wr_vec3 p, int dimension)
{
    double x = fmin((double)p.x - box.min.x, (double)box.max.x - p.x);
    double y = fmin((double)p.y - box.min.y, (double)box.max.y - p.y);
    double z = fmin((double)p.z - box.min.z, (double)box.max.z - p.z);
    return fmin(fmin(x, y), dimension == 2 && box.min.z == box.max.z ? y : z);
}

static bool create_thinning(thinning *t, wri_arena *arena, int count, int dimension,
                            const wr_vec3 *points)
{
    size_t n = (size_t)count;
    int *ints = wri_arena_alloc(arena, 8 * n, sizeof(int));
    t->tree.axis = wri_arena_alloc(arena, n, 1);
    t->tree.is_gone = wri_arena_alloc(arena, n, 1);
    t->depth = wri_arena_alloc(arena, n, sizeof *t->depth);
    t->reach = wri_arena_alloc(arena, n, sizeof *t->reach);
    t->near = wri_arena_alloc(arena, n, sizeof *t->near);
    if (!ints || !t->tree.axis || !t->tree.is_gone || !t->depth || !t->reach || !t->near) {
        return false;
    }
    t->tree.count = count;
    t->tree.points = points;
    t->tree.order = ints;
    t->tree.node_of = ints + n;
    t->tree.alive = ints + 2 * n;
    t->heap = ints + 3 * n;
    t->slot = ints + 4 * n;
    t->first = ints + 5 * n;
    t->next = ints + 6 * n;
    t->previous = ints + 7 * n;
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < count; i++) {
        t->tree.order[i] = i;
        box = wr_box_add(box, points[i]);
    }
    double unit = 1e-4 * (double)wr_distance(box.min, box.max);
    for (int i = 0; i < count; i++) {
        t->reach[i] = coarse(squared_distance(points[i], wr_box_center(box)));
        t->depth[i] = unit > 0.0 ? round(depth_in(box, points[i], dimension) / unit) : 0.0;
    }
    build_tree(&t->tree, 0, count);
    return true;
}

bool wri_solid_check(const wr_solid *mesh, wr_error *error)
{
    if ((mesh->dimension != 2 && mesh->dimension != 3) || mesh->element_count > INT32_MAX / 16) {
        return wri_fail(error, WR_E_ARGUMENT, "mesh: dimension %d, %d elements", mesh->dimension,
                        mesh->element_count);
    }
    if (!WRI_REQUIRE_LIST(error, mesh->positions, mesh->vertex_count) ||
        !WRI_REQUIRE_LIST(error, mesh->elements, mesh->element_count)) {
        return false;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (!wr_is_finite3(mesh->positions[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "positions[%d]: not finite", i);
        }
    }
    for (int i = 0; i < mesh->element_count * (mesh->dimension + 1); i++) {
        if (mesh->elements[i] < 0 || mesh->elements[i] >= mesh->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT, "elements[%d]: there is no vertex %d",
                            i / (mesh->dimension + 1), mesh->elements[i]);
        }
    }
    return true;
}

static bool mark_placed(const wr_solid *mesh, const int *placed, int count, uint8_t *marks,
                        wr_error *error)
{
    for (int i = 0; i < count; i++) {
        if (placed[i] < 0 || placed[i] >= mesh->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT, "placed[%d]: there is no vertex %d", i,
                            placed[i]);
        }
        if (marks[placed[i]]) {
            return wri_fail(error, WR_E_ARGUMENT, "placed[%d]: vertex %d has a handle already", i,
                            placed[i]);
        }
        marks[placed[i]] = 1;
    }
    return true;
}

// Thins out the candidates; kept[v] is 1 for the ones that stay.
static bool choose(const wr_solid *mesh, const uint8_t *placed, int count, wri_arena *arena,
                   uint8_t *kept, wr_error *error)
{
    size_t n = (size_t)mesh->vertex_count;
    int *vertex = wri_arena_alloc(arena, n, sizeof *vertex), candidates = 0;
    wr_vec3 *points = wri_arena_alloc(arena, n, sizeof *points);
    uint8_t *is_placed = wri_arena_alloc(arena, n, 1);
    double axes[3][3];
    if (!vertex || !points || !is_placed || !find_surface(mesh, kept, axes, &arena->allocator)) {
        return wri_fail_memory(error, n * sizeof *points);
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (kept[v] || placed[v]) {
            vertex[candidates] = v;
            points[candidates] = wri_into_frame((const double(*)[3])axes, mesh->positions[v]);
            is_placed[candidates++] = placed[v];
        }
    }
    if (candidates < count) {
        return wri_fail(error, WR_E_ARGUMENT, "%d handles wanted, but the surface has %d vertices",
                        count, candidates);
    }
    thinning t = {.is_placed = is_placed};
    if (!create_thinning(&t, arena, candidates, mesh->dimension, points)) {
        return wri_fail_memory(error, n * sizeof *points);
    }
    thin_out(&t, count);
    for (int i = 0; i < candidates; i++) {
        kept[vertex[i]] = !t.tree.is_gone[i];
    }
    return true;
}

static void put_point(wr_handle_set *set, int handle, int vertex, wr_vec3 at)
{
    set->handles[handle].pivot = set->tips[handle] = at;
    set->handles[handle].vertex = set->sources[handle] = vertex;
    set->anchors[handle] = (wr_anchor){vertex, handle};
}

wr_handle_set *wr_handles_place(const wr_solid *mesh, const int *placed, int placed_count,
                                int count, const wr_allocator *allocator, wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh) || !WRI_REQUIRE_LIST(error, placed, placed_count)) {
        return NULL;
    }
    if (count < 1 || placed_count > count) {
        wri_fail(error, WR_E_ARGUMENT, "count: %d handles with %d of them placed", count,
                 placed_count);
        return NULL;
    }
    if (!wri_solid_check(mesh, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(allocator);
    size_t n = (size_t)mesh->vertex_count;
    uint8_t *marks = wri_arena_alloc(&arena, n, 1), *kept = wri_arena_alloc(&arena, n, 1);
    bool ok = (marks && kept) || wri_fail_memory(error, n);
    ok = ok && mark_placed(mesh, placed, placed_count, marks, error) &&
         choose(mesh, marks, count, &arena, kept, error);
    wr_handle_set *set = ok ? wri_handle_set_create(count, count, allocator, error) : NULL;
    int next = 0;
    if (set) {
        set->point_count = count;
    }
    for (; set && next < placed_count; next++) {
        put_point(set, next, placed[next], mesh->positions[placed[next]]);
    }
    for (int v = 0; set && v < mesh->vertex_count; v++) {
        if (kept[v] && !marks[v]) {
            put_point(set, next++, v, mesh->positions[v]);
        }
    }
    wri_arena_destroy(&arena);
    return set;
}
