// measure.c: what was done to a body, found from both shapes alone.
#include "plate.h"

#include "../math/decompose.h"
#include "../math/double3.h"

#include <stdlib.h>

#define MOVED 0.01 // sizes that an edge must have moved to count
#define CREASE 0.785398163397448
#define LINE 0.02 // sizes that a crease is long, at least

typedef struct measuring {
    wri_arena arena;
    wri_topology s;
    wri_shells shells;
    const wr_vec3 *rest;
    wr_vec3 *now; // of each place
    wr_crush_report *report;
} measuring;

// --- lengths ----------------------------------------------------------------------------------

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void edge_ends(const wri_topology *s, int edge, int ends[2])
{
    int half = s->half_edges[s->edge_begin[edge]];
    ends[0] = s->corners[half];
    ends[1] = s->corners[wri_next_half(half)];
}

static bool measure_lengths(measuring *m)
{
    const wri_topology *s = &m->s;
    double *changes = wri_arena_alloc(&m->arena, (size_t)s->edge_count, sizeof *changes);
    int count = 0, v[2];
    if (!changes) {
        return false;
    }
    for (int e = 0; e < s->edge_count; e++) {
        edge_ends(s, e, v);
        double moved = fmax(wr_distance(m->rest[v[0]], m->now[v[0]]),
                            wr_distance(m->rest[v[1]], m->now[v[1]]));
        double before = wr_distance(m->rest[v[0]], m->rest[v[1]]);
        if (moved > MOVED * s->size && before > 1e-6 * s->size) {
            changes[count++] = fabs(wr_distance(m->now[v[0]], m->now[v[1]]) / before - 1.0);
        }
    }
    qsort(changes, (size_t)count, sizeof *changes, compare_doubles);
    m->report->length_change = count > 0 ? changes[count / 2] : 0.0;
    m->report->length_worst = count > 0 ? changes[(int)(0.95 * (count - 1))] : 0.0;
    return true;
}

// --- creases ----------------------------------------------------------------------------------

static bool find_angle(const wr_vec3 *x, const int v[4], double *angle)
{
    double at[4][3], unused[4][3];
    for (int k = 0; k < 4; k++) {
        at[k][0] = x[v[k]].x;
        at[k][1] = x[v[k]].y;
        at[k][2] = x[v[k]].z;
    }
    const wri_plate_hinge h = {.wing = {0, 1}, .edge = {2, 3}};
    return wri_hinge_angle((const double(*)[3])at, &h, angle, unused);
}

static bool is_crease(const measuring *m, int edge)
{
    const wri_topology *s = &m->s;
    const double full = 8.0 * CREASE;
    if (wri_edge_triangles(s, edge) != 2) {
        return false;
    }
    int one = s->half_edges[s->edge_begin[edge]], two = s->half_edges[s->edge_begin[edge] + 1];
    int v[4] = {s->corners[wri_next_half(wri_next_half(one))],
                s->corners[wri_next_half(wri_next_half(two))], s->corners[one],
                s->corners[wri_next_half(one)]};
    double before, after;
    if (v[0] == v[1] || !find_angle(m->rest, v, &before) || !find_angle(m->now, v, &after)) {
        return false;
    }
    double turn = fabs(after - before);
    return fmin(turn, full - turn) > CREASE;
}

static int find_root(int *root, int i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

// Joins the two creases that meet at a place where no others do, then counts those that are long.
static bool count_creases(measuring *m)
{
    const wri_topology *s = &m->s;
    int *root = wri_arena_alloc(&m->arena, (size_t)s->edge_count, sizeof *root);
    int *meeting = wri_arena_alloc(&m->arena, (size_t)s->place_count, sizeof *meeting);
    int *last = wri_arena_alloc(&m->arena, (size_t)s->place_count, sizeof *last);
    double *length = wri_arena_alloc(&m->arena, (size_t)s->edge_count, sizeof *length);
    int v[2];
    if (!root || !meeting || !last || !length) {
        return false;
    }
    for (int e = 0; e < s->edge_count; e++) {
        root[e] = is_crease(m, e) ? e : -1;
        edge_ends(s, e, v);
        meeting[v[0]] += root[e] >= 0;
        meeting[v[1]] += root[e] >= 0;
    }
    for (int i = 0; i < s->place_count; i++) {
        last[i] = -1;
    }
    for (int e = 0; e < s->edge_count; e++) {
        edge_ends(s, e, v);
        for (int k = 0; root[e] >= 0 && k < 2; k++) {
            if (meeting[v[k]] == 2 && last[v[k]] >= 0) {
                root[find_root(root, e)] = find_root(root, last[v[k]]);
            }
            last[v[k]] = e;
        }
    }
    for (int e = 0; e < s->edge_count; e++) {
        edge_ends(s, e, v);
        if (root[e] >= 0) {
            length[find_root(root, e)] += wr_distance(m->rest[v[0]], m->rest[v[1]]);
        }
    }
    for (int e = 0; e < s->edge_count; e++) {
        m->report->creases += length[e] > LINE * s->size;
    }
    return true;
}

// --- triangles that cross ---------------------------------------------------------------------

static bool count_crossings(measuring *m)
{
    const wri_topology *s = &m->s;
    uint8_t *crosses = wri_arena_alloc(&m->arena, (size_t)s->triangle_count, 1);
    uint8_t *crossed = wri_arena_alloc(&m->arena, (size_t)s->triangle_count, 1);
    if (!crosses || !crossed || !wri_find_crossings(s, NULL, m->rest, crossed) ||
        !wri_find_crossings(s, &m->shells, m->now, crosses)) {
        return false;
    }
    for (int t = 0; t < s->triangle_count; t++) {
        m->report->crossing += crosses[t];
        m->report->crossing_rest += crossed[t];
    }
    m->report->triangles = s->triangle_count;
    m->report->crossing_share = (double)m->report->crossing / s->triangle_count;
    return true;
}

// --- where, and what is rigid -----------------------------------------------------------------

// Displacement times area in the third of the body that faces the tool.
static void measure_place(measuring *m, wr_vec3 direction)
{
    const wri_topology *s = &m->s;
    wr_vec3 way = wr_normalize(direction);
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < s->place_count; i++) {
        float along = wr_dot(m->rest[i], way);
        low = fminf(low, along);
        high = fmaxf(high, along);
        m->report->largest_move = fmax(m->report->largest_move, wr_distance(m->rest[i], m->now[i]));
    }
    double struck = 0.0, all = 0.0;
    for (int t = 0; t < s->triangle_count; t++) {
        const int *c = s->corners + 3 * t;
        wr_vec3 a = m->rest[c[0]];
        double area = wr_length(wr_cross(wr_sub(m->rest[c[1]], a), wr_sub(m->rest[c[2]], a)));
        for (int k = 0; k < 3; k++) {
            double moved = area * wr_distance(m->rest[c[k]], m->now[c[k]]);
            all += moved;
            struck += wr_dot(m->rest[c[k]], way) <= low + (high - low) / 3.0f ? moved : 0.0;
        }
    }
    m->report->struck_share = all > 0.0 ? struck / all : 0.0;
}

// Distances within a part do not change: from its first vertex, and along its edges.
static bool measure_rigid(measuring *m, const wr_mesh *mesh, const int *rigid)
{
    const wri_topology *s = &m->s;
    int *first = wri_arena_alloc(&m->arena, (size_t)mesh->vertex_count, sizeof *first);
    if (!first) {
        return false;
    }
    for (int v = 0; rigid && v < mesh->vertex_count; v++) {
        if (rigid[v] < 0) {
            continue;
        }
        int *origin = &first[rigid[v]], i = s->place[v];
        *origin = *origin == 0 ? i + 1 : *origin;
        double change = fabs((double)wr_distance(m->now[i], m->now[*origin - 1]) -
                             (double)wr_distance(m->rest[i], m->rest[*origin - 1]));
        m->report->rigid_error = fmax(m->report->rigid_error, change / s->size);
    }
    return true;
}

bool wr_crush_measure(const wr_mesh *mesh, const wr_vec3 *positions, const int *rigid,
                      wr_vec3 direction, wr_crush_report *report, wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh, positions, report) || !wri_mesh_check(mesh, error)) {
        return false;
    }
    *report = (wr_crush_report){0};
    measuring m = {.arena = wri_arena_create(NULL), .report = report};
    bool ok = wri_topology_begin(&m.s, &m.arena, mesh, 1e-6) && wri_topology_find_fates(&m.s) &&
              wri_topology_find_edges(&m.s) && wri_shells_find(&m.shells, &m.s) &&
              (m.now = wri_arena_alloc(&m.arena, (size_t)m.s.place_count, sizeof *m.now));
    if (ok) {
        m.rest = m.s.points;
        for (int v = mesh->vertex_count - 1; v >= 0; v--) {
            m.now[m.s.place[v]] = positions[v];
        }
        measure_place(&m, direction);
    }
    ok = ok && measure_lengths(&m) && count_creases(&m) && count_crossings(&m) &&
         measure_rigid(&m, mesh, rigid);
    wri_arena_destroy(&m.arena);
    return ok || wri_fail_memory(error, 0);
}
