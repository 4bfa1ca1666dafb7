// cut_mesh.c: a render mesh cut into closed pieces.
//
// A place is on one side of a cut or the other, never on it: what is cut, and where, then follows
// from the sides of the places alone, and rounding cannot open anything. Vertices at one place with
// different normals or texture coordinates are cut at one place, too. The cut points of a closed
// mesh form closed loops, which cut_cap.c fills; the chains that an open mesh leaves are closed by
// a straight edge.
#include "cut.h"

#include "../math/double3.h"

#include <math.h>
#include <stdlib.h>

// An edge of a cut face: it runs along the cut so that the face lies to its left, seen from
// outside.
typedef struct segment {
    int from, to; // points
    int vertex;   // at `from`
    int next;     // another one with the same beginning, -1: none
    bool used;
} segment;

// One cut of one list of triangles.
typedef struct clipper {
    wri_cut_mesh *mesh;
    const wr_cut *cut;
    int i, j;            // keeps what belongs to i rather than to j
    int first_share;     // of the cut's among the shares of a point
    wri_key_table edges; // pairs of points that were cut
    wri_array points;    // int: cut point of each
    wri_key_table lines; // pairs of vertices, likewise
    wri_array vertices;  // int
    wri_array segments;
    bool ok; // false: out of memory
} clipper;

// --- numbers ----------------------------------------------------------------------------------

static float *numbers_of(const wri_cut_mesh *m, int vertex)
{
    return &WRI_ITEM(m->numbers, float, (size_t)vertex *(size_t)m->number_count);
}

static const double *point_at(const wri_cut_mesh *m, int point)
{
    return &WRI_ITEM(m->points, double, 3 * (size_t)point);
}

static wri_cut_vertex *vertex_at(const wri_cut_mesh *m, int vertex)
{
    return &WRI_ITEM(m->vertices, wri_cut_vertex, vertex);
}

// A new vertex; -1: out of memory.
static int add_vertex(wri_cut_mesh *m, wri_cut_vertex vertex)
{
    float *numbers = wri_array_add(&m->numbers, m->number_count);
    wri_cut_vertex *added = numbers ? wri_array_add(&m->vertices, 1) : NULL;
    if (!added) {
        return -1;
    }
    *added = vertex;
    return m->vertices.count - 1;
}

static int find_point_count(const wri_cut_mesh *m)
{
    return m->points.count / 3;
}

// --- the uncut mesh ---------------------------------------------------------------------------

typedef struct place {
    wr_vec3 p;
    int vertex;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    const float *x = &p->p.x, *y = &q->p.x;
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static bool add_point(wri_cut_mesh *m, wr_vec3 p)
{
    double *point = wri_array_add(&m->points, 3);
    if (!point || !wri_array_add(&m->shares, m->share_count)) {
        return false;
    }
    point[0] = p.x, point[1] = p.y, point[2] = p.z;
    return true;
}

// What vertices at one place belong to, the place does.
static void add_shares(wri_cut_mesh *m, int point, int vertex)
{
    size_t at = (size_t)point * (size_t)m->share_count;
    for (int c = 0; c < m->asset->cut_count; c++) {
        double own[WR_FRAGMENTS_MAX + 1];
        int count = wri_cut_share_count(&m->asset->cuts[c]);
        wri_cut_mesh_shares(m->cells, c, vertex, own);
        for (int g = 0; g < count; g++) {
            double *share = &WRI_ITEM(m->shares, double, at + (size_t)g);
            *share = fmax(*share, own[g]);
        }
        at += (size_t)count;
    }
}

// Vertices at one place share a point.
static bool find_points(wri_cut_mesh *m, const wr_mesh *mesh)
{
    size_t n = (size_t)mesh->vertex_count;
    place *places = wri_alloc(NULL, n, sizeof *places);
    bool ok = places != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        places[i] = (place){wr_add(mesh->positions[i], wr_v3(0, 0, 0)), (int)i}; // no -0
    }
    if (ok) {
        qsort(places, n, sizeof *places, compare_places);
    }
    for (size_t i = 0; ok && i < n; i++) {
        bool is_new = i == 0 || memcmp(&places[i].p, &places[i - 1].p, sizeof(wr_vec3)) != 0;
        ok = !is_new || add_point(m, places[i].p);
        vertex_at(m, places[i].vertex)->point = find_point_count(m) - 1;
        if (ok) {
            add_shares(m, find_point_count(m) - 1, places[i].vertex);
        }
    }
    wri_free(NULL, places, n, sizeof *places);
    return ok;
}

static void load_numbers(const wri_cut_mesh *m, const wr_mesh *mesh, int vertex)
{
    float *out = numbers_of(m, vertex);
    if (m->normal >= 0) {
        memcpy(out + m->normal, &mesh->normals[vertex], sizeof(wr_vec3));
    }
    if (m->uv >= 0) {
        memcpy(out + m->uv, &mesh->uvs[vertex], sizeof(wr_vec2));
    }
    if (m->color >= 0) {
        memcpy(out + m->color, &mesh->colors[vertex], sizeof(wr_color));
    }
    float *detail = out + m->detail;
    for (int e = 0; e < m->asset->rig.example_count; e++) {
        if (m->asset->rig.examples[e].details) {
            memcpy(detail, &m->asset->rig.examples[e].details[vertex], sizeof(wr_vec3));
            detail += 3;
        }
    }
}

bool wri_cut_mesh_create(wri_cut_mesh *m, const wri_cells *cells, wr_error *error)
{
    const wr_asset *asset = cells->asset;
    const wr_mesh *mesh = asset->model->meshes;
    int n = 0;
    *m = (wri_cut_mesh){.cells = cells,
                        .asset = asset,
                        .points = wri_array_create(NULL, sizeof(double)),
                        .shares = wri_array_create(NULL, sizeof(double)),
                        .vertices = wri_array_create(NULL, sizeof(wri_cut_vertex)),
                        .numbers = wri_array_create(NULL, sizeof(float)),
                        .pieces = wri_array_create(NULL, sizeof(wri_cut_piece)),
                        .normal = -1,
                        .uv = -1,
                        .color = -1};
    m->normal = mesh->normals ? n : -1;
    n += mesh->normals ? 3 : 0;
    m->uv = mesh->uvs ? n : -1;
    n += mesh->uvs ? 2 : 0;
    m->color = mesh->colors ? n : -1;
    n += mesh->colors ? 4 : 0;
    m->detail = n;
    for (int e = 0; e < asset->rig.example_count; e++) {
        n += asset->rig.examples[e].details ? 3 : 0;
    }
    m->number_count = n;
    for (int c = 0; c < asset->cut_count; c++) {
        m->share_count += wri_cut_share_count(&asset->cuts[c]);
    }
    bool ok = true;
    for (int i = 0; ok && i < mesh->vertex_count; i++) {
        ok = add_vertex(m, (wri_cut_vertex){.origin = i, .near = i}) >= 0;
        if (ok) {
            load_numbers(m, mesh, i);
        }
    }
    return (ok && find_points(m, mesh)) || wri_fail_memory(error, 1);
}

void wri_cut_mesh_destroy(wri_cut_mesh *m)
{
    for (int i = 0; i < m->pieces.count; i++) {
        wri_array_destroy(&WRI_ITEM(m->pieces, wri_cut_piece, i).triangles);
    }
    wri_array *arrays[] = {&m->points, &m->shares, &m->vertices, &m->numbers, &m->pieces};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        wri_array_destroy(arrays[i]);
    }
}

// --- cutting ----------------------------------------------------------------------------------

static double value_of(const clipper *c, int point)
{
    const wri_cut_mesh *m = c->mesh;
    const double *shares = &WRI_ITEM(
        m->shares, double, (size_t)point *(size_t)m->share_count + (size_t)c->first_share);
    return wri_cut_difference(c->cut, c->i, c->j, point_at(m, point),
                              wri_cut_share_count(c->cut) > 0 ? shares : NULL);
}

static bool is_kept(const clipper *c, int vertex)
{
    double value = value_of(c, vertex_at(c->mesh, vertex)->point);
    return value > 0.0 || (value == 0.0 && c->i < c->j);
}

// The cut point between two points, the first of which has the smaller number.
static int cut_points(clipper *c, int a, int b, double s)
{
    int number = wri_key_table_add(&c->edges, (uint64_t)a << 32 | (uint32_t)b);
    if (number >= 0 && number < c->points.count) {
        return WRI_ITEM(c->points, int, number);
    }
    wri_cut_mesh *m = c->mesh;
    int *kept = wri_array_add(&c->points, 1);
    double *p = wri_array_add(&m->points, 3), *shares = wri_array_add(&m->shares, m->share_count);
    c->ok = c->ok && number >= 0 && kept && p && shares;
    if (!c->ok) {
        return 0;
    }
    *kept = find_point_count(m) - 1;
    for (int k = 0; k < 3; k++) {
        p[k] = point_at(m, a)[k] + s * (point_at(m, b)[k] - point_at(m, a)[k]);
    }
    size_t n = (size_t)m->share_count;
    const double *all = m->shares.items;
    for (size_t k = 0; k < n; k++) {
        double from = all[(size_t)a * n + k], to = all[(size_t)b * n + k];
        shares[k] = from + s * (to - from);
    }
    return *kept;
}

// The vertex where the cut passes between two.
static int cut_edge(clipper *c, int v, int w)
{
    wri_cut_mesh *m = c->mesh;
    if (vertex_at(m, v)->point > vertex_at(m, w)->point) {
        int t = v;
        v = w;
        w = t;
    }
    int number = wri_key_table_add(&c->lines, (uint64_t)v << 32 | (uint32_t)w);
    if (number >= 0 && number < c->vertices.count) {
        return WRI_ITEM(c->vertices, int, number);
    }
    int a = vertex_at(m, v)->point, b = vertex_at(m, w)->point;
    double at_a = value_of(c, a), at_b = value_of(c, b);
    double s = at_a != at_b ? at_a / (at_a - at_b) : 0.0;
    int point = cut_points(c, a, b, s), near = vertex_at(m, s < 0.5 ? v : w)->near;
    int *kept = wri_array_add(&c->vertices, 1);
    int added = add_vertex(m, (wri_cut_vertex){.point = point, .origin = -1, .near = near});
    c->ok = c->ok && number >= 0 && kept && added >= 0;
    if (!c->ok) {
        return 0;
    }
    *kept = added;
    float *out = numbers_of(m, added), *from = numbers_of(m, v), *to = numbers_of(m, w);
    for (int k = 0; k < m->number_count; k++) {
        out[k] = from[k] + (float)s * (to[k] - from[k]);
    }
    return added;
}

static void put_triangle(clipper *c, wri_array *out, int part, int a, int b, int d)
{
    wri_cut_triangle *t = c->ok ? wri_array_add(out, 1) : NULL;
    c->ok = t != NULL;
    if (t) {
        *t = (wri_cut_triangle){{a, b, d}, part};
    }
}

static void put_segment(clipper *c, int from, int to)
{
    segment *s = c->ok ? wri_array_add(&c->segments, 1) : NULL;
    c->ok = s != NULL;
    if (s) {
        *s = (segment){vertex_at(c->mesh, from)->point, vertex_at(c->mesh, to)->point, from, -1,
                       false};
    }
}

static void clip_triangle(clipper *c, const wri_cut_triangle *t, wri_array *out)
{
    const int *v = t->vertices;
    bool kept[3] = {is_kept(c, v[0]), is_kept(c, v[1]), is_kept(c, v[2])};
    int count = kept[0] + kept[1] + kept[2];
    if (count == 3) {
        put_triangle(c, out, t->part, v[0], v[1], v[2]);
    }
    if (count == 0 || count == 3) {
        return;
    }
    int apex = kept[0] == kept[1] ? 2 : kept[0] == kept[2] ? 1 : 0; // alone on its side
    int p = v[apex], q = v[(apex + 1) % 3], r = v[(apex + 2) % 3];
    int a = cut_edge(c, p, q), b = cut_edge(c, p, r);
    if (count == 1) {
        put_triangle(c, out, t->part, p, a, b);
        put_segment(c, b, a);
    } else {
        put_triangle(c, out, t->part, a, q, r);
        put_triangle(c, out, t->part, a, r, b);
        put_segment(c, a, b);
    }
}

// --- cut faces --------------------------------------------------------------------------------

// Links segments that begin at one point; heads: the first of each number of the table.
static bool link_segments(clipper *c, wri_key_table *table, wri_array *heads)
{
    segment *s = c->segments.items;
    for (int i = c->segments.count - 1; i >= 0; i--) {
        int number = wri_key_table_add(table, (uint64_t)s[i].from);
        if (number == heads->count) {
            int *head = wri_array_add(heads, 1);
            if (!head) {
                return false;
            }
            *head = -1;
        }
        if (number < 0) {
            return false;
        }
        s[i].next = WRI_ITEM(*heads, int, number);
        WRI_ITEM(*heads, int, number) = i;
    }
    return true;
}

// The next unused segment from a point, -1: none.
static int take_segment(const clipper *c, const wri_key_table *table, const wri_array *heads,
                        int point)
{
    segment *s = c->segments.items;
    int number = wri_key_table_find(table, (uint64_t)point);
    int i = number < 0 ? -1 : WRI_ITEM(*heads, int, number);
    while (i >= 0 && s[i].used) {
        i = s[i].next;
    }
    if (i >= 0) {
        s[i].used = true;
    }
    return i;
}

// The corners of a loop: vertices at its points, in their order.
static bool follow_loop(const clipper *c, const wri_key_table *table, const wri_array *heads,
                        int first, wri_array *corners)
{
    const segment *s = c->segments.items;
    for (int i = first; i >= 0; i = take_segment(c, table, heads, s[i].to)) {
        int *corner = wri_array_add(corners, 1);
        if (!corner) {
            return false;
        }
        *corner = s[i].vertex;
        if (s[i].to == s[first].from) {
            break;
        }
    }
    return true;
}

static bool find_loops(clipper *c, wri_array *corners, wri_array *loops)
{
    wri_key_table table = wri_key_table_create(NULL);
    wri_array heads = wri_array_create(NULL, sizeof(int));
    segment *s = c->segments.items;
    bool ok = link_segments(c, &table, &heads);
    for (int i = 0; ok && i < c->segments.count; i++) {
        if (s[i].used) {
            continue;
        }
        int begin = corners->count, *first = wri_array_add(loops, 1);
        s[i].used = true;
        ok = first && follow_loop(c, &table, &heads, i, corners);
        if (ok) {
            *first = begin;
        }
        if (ok && corners->count < begin + 3) { // there and back: nothing to fill
            corners->count = begin;
            loops->count--;
        }
    }
    int *end = ok ? wri_array_add(loops, 1) : NULL;
    if (end) {
        *end = corners->count;
    }
    wri_key_table_destroy(&table);
    wri_array_destroy(&heads);
    return end != NULL;
}

// Direction in which the cut faces look: along the plane's normal, from seed to seed, or as the
// loops turn.
static void find_normal(const clipper *c, const wri_array *corners, const wri_array *loops,
                        double n[3])
{
    n[0] = n[1] = n[2] = 0.0;
    const wr_cut *cut = c->cut;
    bool is_flat = wri_cut_share_count(cut) == 0;
    if (is_flat) {
        wr_vec3 d = cut->seed_count > 0 ? wr_sub(cut->seeds[c->j], cut->seeds[c->i])
                                        : wr_scale(c->i < c->j ? -1.0f : 1.0f, cut->normal);
        n[0] = d.x, n[1] = d.y, n[2] = d.z;
    }
    for (int l = 0; !is_flat && l + 1 < loops->count; l++) {
        int begin = WRI_ITEM(*loops, int, l), end = WRI_ITEM(*loops, int, l + 1);
        for (int i = begin, k = end - 1; i < end; k = i++) {
            double area[3];
            wri_cross3(point_at(c->mesh, vertex_at(c->mesh, WRI_ITEM(*corners, int, k))->point),
                       point_at(c->mesh, vertex_at(c->mesh, WRI_ITEM(*corners, int, i))->point),
                       area);
            n[0] += area[0], n[1] += area[1], n[2] += area[2];
        }
    }
    double length = wri_length3(n);
    for (int k = 0; k < 3; k++) {
        n[k] = length > 0.0 ? n[k] / length : k == 1;
    }
}

// New vertices for the cut face: flat, mapped along the cut in metres.
static bool copy_corners(clipper *c, const double n[3], wri_array *corners, wr_vec2 *places)
{
    wri_cut_mesh *m = c->mesh;
    double axis[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0}, u[3], v[3];
    wri_cross3(axis, n, u);
    double length = wri_length3(u);
    for (int k = 0; k < 3; k++) {
        u[k] /= length;
    }
    wri_cross3(n, u, v);
    for (int i = 0; i < corners->count; i++) {
        int old = WRI_ITEM(*corners, int, i);
        const double *p = point_at(m, vertex_at(m, old)->point);
        places[i] = (wr_vec2){(float)wri_dot3(u, p), (float)wri_dot3(v, p)};
        int added = add_vertex(m, *vertex_at(m, old));
        if (added < 0) {
            return false;
        }
        vertex_at(m, added)->origin = -1;
        float *out = numbers_of(m, added);
        memcpy(out, numbers_of(m, old), (size_t)m->number_count * sizeof *out);
        for (int k = 0; k < 3 && m->normal >= 0; k++) {
            out[m->normal + k] = (float)n[k];
        }
        for (int k = 0; k < 2 && m->uv >= 0; k++) {
            out[m->uv + k] = (&places[i].x)[k];
        }
        for (int k = 0; k < 4 && m->color >= 0; k++) {
            out[m->color + k] = 1.0f;
        }
        WRI_ITEM(*corners, int, i) = added;
    }
    return true;
}

static bool close_cut(clipper *c, wri_array *out)
{
    wri_array corners = wri_array_create(NULL, sizeof(int));
    wri_array loops = wri_array_create(NULL, sizeof(int));
    wri_array triangles = wri_array_create(NULL, sizeof(int));
    double n[3];
    bool ok = find_loops(c, &corners, &loops);
    wr_vec2 *places = ok ? wri_alloc(NULL, (size_t)corners.count, sizeof *places) : NULL;
    int count = corners.count;
    if (places) {
        find_normal(c, &corners, &loops, n);
    }
    ok = places && copy_corners(c, n, &corners, places) &&
         wri_cap_fill(places, loops.items, loops.count - 1, &triangles);
    for (int i = 0; ok && i < triangles.count; i += 3) {
        const int *t = &WRI_ITEM(triangles, int, i), *v = corners.items;
        put_triangle(c, out, -1, v[t[0]], v[t[1]], v[t[2]]);
        ok = c->ok;
    }
    if (places) {
        wri_free(NULL, places, (size_t)count, sizeof *places);
    }
    wri_array_destroy(&corners);
    wri_array_destroy(&loops);
    wri_array_destroy(&triangles);
    return ok;
}

// Keeps what belongs to i rather than to j, closed.
static bool clip_list(wri_cut_mesh *m, int cut, int i, int j, wri_array *list)
{
    clipper c = {.mesh = m, .cut = &m->asset->cuts[cut], .i = i, .j = j, .ok = true};
    for (int k = 0; k < cut; k++) {
        c.first_share += wri_cut_share_count(&m->asset->cuts[k]);
    }
    c.edges = wri_key_table_create(NULL);
    c.lines = wri_key_table_create(NULL);
    c.points = wri_array_create(NULL, sizeof(int));
    c.vertices = wri_array_create(NULL, sizeof(int));
    c.segments = wri_array_create(NULL, sizeof(segment));
    wri_array out = wri_array_create(NULL, sizeof(wri_cut_triangle));
    for (int k = 0; c.ok && k < list->count; k++) {
        clip_triangle(&c, &WRI_ITEM(*list, wri_cut_triangle, k), &out);
    }
    bool ok = c.ok && (c.segments.count == 0 || close_cut(&c, &out));
    wri_key_table_destroy(&c.edges);
    wri_key_table_destroy(&c.lines);
    wri_array_destroy(&c.points);
    wri_array_destroy(&c.vertices);
    wri_array_destroy(&c.segments);
    wri_array_destroy(list);
    *list = out;
    return ok;
}

// --- all cuts ---------------------------------------------------------------------------------

static bool copy_list(const wri_array *from, wri_array *to)
{
    *to = wri_array_create(NULL, sizeof(wri_cut_triangle));
    void *items = wri_array_add(to, from->count);
    if (items && from->count > 0) {
        memcpy(items, from->items, (size_t)from->count * sizeof(wri_cut_triangle));
    }
    return items != NULL;
}

// Takes the list over.
static bool divide(wri_cells *cells, wri_cut_mesh *m, wri_array *list, int cut, int parent)
{
    if (cut == m->asset->cut_count) {
        wri_cut_piece *piece = wri_array_add(&m->pieces, 1);
        if (piece) {
            *piece = (wri_cut_piece){parent, *list};
        }
        return piece != NULL;
    }
    int count = wri_cut_cell_count(&m->asset->cuts[cut]);
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        wri_array part;
        ok = copy_list(list, &part);
        for (int j = 0; ok && j < count && part.count > 0; j++) {
            ok = j == i || clip_list(m, cut, i, j, &part);
        }
        int cell = ok && part.count > 0 ? wri_cell_add(cells, parent, i) : -1;
        bool taken = cell >= 0 && divide(cells, m, &part, cut + 1, cell);
        ok = ok && (part.count == 0 || taken);
        if (!taken || cut + 1 < m->asset->cut_count) { // else the piece has it
            wri_array_destroy(&part);
        }
    }
    return ok;
}

bool wri_cut_triangles(wri_cells *cells, wri_cut_mesh *m, wr_error *error)
{
    const wr_mesh *mesh = m->asset->model->meshes;
    wri_array all = wri_array_create(NULL, sizeof(wri_cut_triangle));
    wri_cut_triangle *t = wri_array_add(&all, mesh->triangle_count);
    for (int p = 0; t && p < mesh->part_count; p++) {
        int first = mesh->parts[p].first_triangle;
        for (int i = first; i < first + mesh->parts[p].triangle_count; i++) {
            const int *v = &mesh->triangles[3 * (size_t)i];
            t[i] = (wri_cut_triangle){{v[0], v[1], v[2]}, p};
        }
    }
    bool ok = t && divide(cells, m, &all, 0, -1);
    wri_array_destroy(&all);
    return ok || wri_fail_memory(error, 1);
}
