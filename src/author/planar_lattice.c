// planar_lattice.c: the lattice that triangles within an outline become: parts, boundary, handles.
#include "planar.h"

#include "key_table.h"
#include "lattice.h"

int wri_planar_mark_used(const wri_planar *p, int *place)
{
    const int(*t)[3] = p->triangles.items;
    int count = 0;
    memset(place, 0xff, (size_t)p->points.count * sizeof *place);
    for (int i = 0; i < 3 * p->triangles.count; i++) {
        place[t[i / 3][i % 3]] = 0;
    }
    for (int i = 0; i < p->points.count; i++) {
        place[i] = place[i] < 0 ? -1 : count++;
    }
    return count;
}

static int find_root(int *parent, int v)
{
    for (; parent[v] != v; v = parent[v]) {
        parent[v] = parent[parent[v]];
    }
    return v;
}

// Triangles that share a vertex are of one part; numbered by their first vertex.
static bool find_parts(wr_lattice *l, const wr_allocator *allocator)
{
    size_t n = (size_t)l->vertex_count;
    int *parent = wri_alloc(allocator, n, sizeof *parent);
    for (int i = 0; parent && i < l->vertex_count; i++) {
        parent[i] = i;
    }
    for (int i = 0; parent && i < l->element_count; i++) {
        for (int k = 1; k < 3; k++) {
            int a = find_root(parent, l->elements[3 * i]);
            int b = find_root(parent, l->elements[3 * i + k]);
            parent[a > b ? a : b] = a < b ? a : b;
        }
    }
    for (int i = 0; parent && i < l->vertex_count; i++) {
        int root = find_root(parent, i);
        l->vertex_parts[i] = root == i ? l->report.parts++ : l->vertex_parts[root];
    }
    wri_free(allocator, parent, n, sizeof *parent);
    return parent != NULL;
}

static bool mark_boundary(wr_lattice *l, const wr_allocator *allocator)
{
    wri_key_table table = wri_key_table_create(allocator);
    wri_array owners = wri_array_create(allocator, sizeof(int));
    bool ok = true;
    for (int i = 0; ok && i < 3 * l->element_count; i++) {
        int a = l->elements[i], b = l->elements[i % 3 == 2 ? i - 2 : i + 1];
        int number = wri_key_table_add(&table, wri_planar_edge_key(a, b));
        ok = number >= 0 && (number < owners.count || wri_array_add(&owners, 1));
        if (ok) {
            WRI_ITEM(owners, int, number)++;
        }
    }
    for (int i = 0; ok && i < owners.count; i++) {
        if (WRI_ITEM(owners, int, i) == 1) {
            uint64_t key = wri_key_table_key(&table, i);
            l->is_boundary[key >> 32] = l->is_boundary[key & 0xffffffff] = 1;
        }
    }
    wri_key_table_destroy(&table);
    wri_array_destroy(&owners);
    return ok;
}

static double element_area(const wr_lattice *l, int element)
{
    const int *t = &l->elements[3 * element];
    wr_vec3 a = l->rest[t[0]], b = l->rest[t[1]], c = l->rest[t[2]];
    return 0.5 *
           (((double)b.x - a.x) * ((double)c.y - a.y) - ((double)b.y - a.y) * ((double)c.x - a.x));
}

// A handle outside takes the nearest free vertex within one spacing when no triangle turns over.
static int move_vertex(wr_lattice *l, int handle, wr_vec3 to)
{
    int best = -1;
    double limit = l->report.spacing;
    for (int i = 0; i < l->vertex_count; i++) {
        double d = hypot((double)l->rest[i].x - to.x, (double)l->rest[i].y - to.y);
        bool is_free = true;
        for (int k = 0; k < handle && d < limit; k++) {
            is_free = is_free && l->handle_vertices[k] != i;
        }
        if (is_free && d < limit) {
            limit = d, best = i;
        }
    }
    if (best < 0) {
        return -1;
    }
    wr_vec3 old = l->rest[best];
    l->rest[best] = to;
    for (int i = 0; i < l->element_count; i++) {
        const int *t = &l->elements[3 * i];
        if ((t[0] == best || t[1] == best || t[2] == best) &&
            !(element_area(l, i) > 0.02 * l->report.spacing * l->report.spacing)) {
            l->rest[best] = old;
            return -1;
        }
    }
    return best;
}

static void put_handles(const wri_planar *p, const int *place, wr_lattice *l)
{
    for (int i = 0; i < l->handle_count; i++) {
        int at = WRI_ITEM(p->handles, int, i);
        l->handle_vertices[i] = at < 0 ? -1 : place[at];
        if (l->handle_vertices[i] >= 0) {
            l->rest[l->handle_vertices[i]] =
                wr_v3(p->desc->handles[i].x, p->desc->handles[i].y, 0.0f);
        }
    }
    for (int i = 0; i < l->handle_count; i++) {
        if (l->handle_vertices[i] < 0) {
            wr_vec3 to = wr_v3(p->desc->handles[i].x, p->desc->handles[i].y, 0.0f);
            l->handle_vertices[i] = move_vertex(l, i, to);
            l->report.handles_missed += l->handle_vertices[i] < 0;
        }
    }
}

static bool check_areas(wr_lattice *l, wr_error *error)
{
    double regular = 0.4330127 * l->report.spacing * l->report.spacing;
    l->report.least_volume = INFINITY;
    for (int i = 0; i < l->element_count; i++) {
        double area = element_area(l, i);
        l->report.volume += area;
        l->report.least_volume = fmin(l->report.least_volume, area / regular);
    }
    return l->report.least_volume > 0.0 ||
           wri_fail(error, WR_E_ARGUMENT,
                    "two handles are so close that float numbers cannot resolve the triangles "
                    "between them");
}

static bool fill(wri_planar *p, const int *place, wr_lattice *l, wr_error *error)
{
    double unit = p->desc->metres_per_pixel;
    for (int i = 0; i < p->points.count; i++) {
        if (place[i] >= 0) {
            l->rest[place[i]] = wr_v3((float)(unit * wri_planar_point(p, i)[0]),
                                      (float)(unit * wri_planar_point(p, i)[1]), 0.0f);
        }
    }
    const int(*t)[3] = p->triangles.items;
    for (int i = 0; i < 3 * p->triangles.count; i++) {
        l->elements[i] = place[t[i / 3][i % 3]];
    }
    l->element_count = p->triangles.count;
    l->report.shells = p->outline.shape_count;
    l->report.dropped_shells = p->outline.dropped_count;
    l->report.spacing = unit * p->spacing;
    put_handles(p, place, l);
    return ((find_parts(l, &p->desc->allocator) && mark_boundary(l, &p->desc->allocator)) ||
            wri_fail_memory(error, (size_t)l->vertex_count * sizeof(int))) &&
           check_areas(l, error);
}

wr_lattice *wri_planar_finish(wri_planar *p, wr_error *error)
{
    size_t n = (size_t)p->points.count;
    int *place = wri_alloc(&p->desc->allocator, n, sizeof *place);
    if (!place) {
        wri_fail_memory(error, n * sizeof *place);
        return NULL;
    }
    int count = wri_planar_mark_used(p, place);
    wri_lattice_sizes sizes = {2, count, p->triangles.count, p->desc->handle_count, 0};
    wr_lattice *l = count > 0 ? wri_lattice_allocate(&sizes, &p->desc->allocator, error) : NULL;
    if (count == 0) {
        wri_fail(error, WR_E_ARGUMENT, "image \"%s\": no triangle fits into its shapes",
                 p->desc->image->name ? p->desc->image->name : "");
    }
    if (l) {
        l->vertex_count = count;
    }
    if (l && !fill(p, place, l, error)) {
        wr_lattice_destroy(l);
        l = NULL;
    }
    wri_free(&p->desc->allocator, place, n, sizeof *place);
    return l;
}
