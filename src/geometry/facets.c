// facets.c: the triangles of a mesh that take part in its surface, turned to face outwards.
#include "atlas.h"

#include "../math/double3.h"

static const double WELD = 1e-6; // of the size: nearer vertices are at one place, as in layer.h

static bool alloc(wri_facets *f, int count)
{
    size_t n = (size_t)count;
    f->vertex = wri_arena_alloc(f->arena, 3 * n, sizeof *f->vertex);
    f->place = wri_arena_alloc(f->arena, 3 * n, sizeof *f->place);
    f->edge = wri_arena_alloc(f->arena, 3 * n, sizeof *f->edge);
    f->twin = wri_arena_alloc(f->arena, 3 * n, sizeof *f->twin);
    f->normal = wri_arena_alloc(f->arena, n, sizeof *f->normal);
    f->area = wri_arena_alloc(f->arena, n, sizeof *f->area);
    return f->vertex && f->place && f->edge && f->twin && f->normal && f->area;
}

static void find_normal(const wri_facets *f, int facet)
{
    double p[3][3], *n = f->normal[facet];
    for (int k = 0; k < 3; k++) {
        wr_vec3 at = f->topology.points[f->place[3 * facet + k]];
        p[k][0] = (double)at.x, p[k][1] = (double)at.y, p[k][2] = (double)at.z;
    }
    for (int k = 0; k < 3; k++) {
        p[1][k] -= p[0][k];
        p[2][k] -= p[0][k];
    }
    wri_cross3(p[1], p[2], n);
    double length = wri_length3(n);
    f->area[facet] = 0.5 * length;
    bool is_thin = wri_is_thin(f->topology.points, &f->place[3 * facet], f->topology.size);
    for (int k = 0; k < 3; k++) {
        n[k] = is_thin ? 0.0 : n[k] / length;
    }
}

// Corners and edges of a triangle in the order that faces outwards.
static void add_facet(wri_facets *f, int triangle, int *facet_of_half)
{
    const wri_topology *s = &f->topology;
    bool turned = (s->turned[triangle] != 0) != s->shells[s->shell[triangle]].is_inverted;
    for (int k = 0; k < 3; k++) {
        int corner = turned ? (3 - k) % 3 : k, half = turned ? 2 - k : k, to = 3 * f->count + k;
        f->vertex[to] = f->mesh->triangles[3 * triangle + corner];
        f->place[to] = s->corners[3 * triangle + corner];
        f->edge[to] = s->edge[3 * triangle + half];
        facet_of_half[3 * triangle + half] = to;
    }
    find_normal(f, f->count++);
}

static void find_twins(wri_facets *f, const int *facet_of_half)
{
    const wri_topology *s = &f->topology;
    for (int i = 0; i < 3 * f->count; i++) {
        f->twin[i] = -1;
    }
    for (int e = 0; e < s->edge_count; e++) {
        if (wri_edge_triangles(s, e) == 2) {
            const int *halves = &s->half_edges[s->edge_begin[e]];
            int a = facet_of_half[halves[0]], b = facet_of_half[halves[1]];
            if (f->place[a] == f->place[wri_next_half(b)] && f->place[a] != f->place[b]) {
                f->twin[a] = b;
                f->twin[b] = a;
            }
        }
    }
}

bool wri_facets_create(wri_facets *f, wri_arena *arena, const wr_mesh *mesh)
{
    *f = (wri_facets){.arena = arena, .mesh = mesh};
    wri_topology *s = &f->topology;
    int *facet_of_half =
        wri_arena_alloc(arena, 3 * (size_t)mesh->triangle_count, sizeof *facet_of_half);
    if (!facet_of_half || !wri_topology_begin(s, arena, mesh, WELD)) {
        return false;
    }
    if (!wri_topology_find_fates(s) || !wri_topology_find_edges(s) ||
        !wri_topology_find_shells(s) || !wri_topology_find_sides(s) ||
        !alloc(f, mesh->triangle_count)) {
        return false;
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        if (wri_takes_part(s->fate[i])) {
            add_facet(f, i, facet_of_half);
        }
    }
    find_twins(f, facet_of_half);
    return true;
}
