// inspect.c: what is wrong with a mesh.
#include "topology.h"

static void count_vertices(const wri_topology *s, const wr_mesh *mesh, const int *twin,
                           uint8_t *used, uint8_t *seen, wr_mesh_report *r)
{
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        used[mesh->triangles[i]] = 1;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        r->unused_vertices += !used[i];
        r->duplicate_vertices += twin[i] != i;
        r->seam_vertices += twin[i] == i && seen[s->place[i]];
        seen[s->place[i]] = 1;
    }
}

static void count_triangles(const wri_topology *s, wr_mesh_report *r)
{
    for (int i = 0; i < s->triangle_count; i++) {
        bool collapsed = s->fate[i] == WRI_COLLAPSED;
        bool thin =
            wri_takes_part(s->fate[i]) && wri_is_thin(s->points, &s->corners[3 * i], s->size);
        r->degenerate_triangles += collapsed || thin;
        r->duplicate_triangles += s->fate[i] == WRI_DUPLICATE;
        r->back_to_back_triangles += s->fate[i] == WRI_BACK_TO_BACK;
    }
}

static void count_edges(const wri_topology *s, wr_mesh_report *r)
{
    for (int e = 0; e < s->edge_count; e++) {
        const int *half = &s->half_edges[s->edge_begin[e]];
        int count = wri_edge_triangles(s, e);
        r->boundary_edges += count == 1;
        r->non_manifold_edges += count > 2;
        r->inconsistent_edges += count == 2 && s->corners[half[0]] == s->corners[half[1]];
    }
}

static void count_shells(const wri_topology *s, wr_mesh_report *r)
{
    r->shells = s->shell_count;
    for (int i = 0; i < s->shell_count; i++) {
        const wri_shell *shell = &s->shells[i];
        r->closed_shells += shell->is_closed;
        r->unorientable_shells += !shell->is_orientable;
        r->inverted_shells += shell->is_inverted && shell->is_consistent;
        r->area += shell->area;
        r->volume += shell->is_consistent ? shell->volume : 0.0;
    }
}

// --- holes ------------------------------------------------------------------------------------

// Goes from a boundary edge around one of its ends, through the triangles there, to the boundary
// edge on the other side of this fan; -1 when the fan ends at an edge of more than two triangles.
// Returns the half edge and in *at_start whether the place is the start of it.
static int turn_around(const wri_topology *s, int half, bool *at_start)
{
    for (;;) {
        int triangle = half / 3, k = half % 3; // the triangle's other edge at this place
        half = 3 * triangle + (*at_start ? (k + 2) % 3 : (k + 1) % 3);
        *at_start = !*at_start;
        int other = wri_other_half(s, half);
        if (other < 0) {
            return wri_edge_triangles(s, s->edge[half]) == 1 ? half : -1;
        }
        bool same = s->corners[half] == s->corners[other];
        *at_start = *at_start ? same : !same;
        half = other;
    }
}

static double half_length(const wri_topology *s, int half)
{
    wr_vec3 a = s->points[s->corners[half]], b = s->points[s->corners[wri_next_half(half)]];
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

// Walks along the boundary until it closes, ends, or meets a boundary that did not close.
static bool walk_hole(const wri_topology *s, int start, uint8_t *walked, int *edges, double *length)
{
    bool at_start = false; // leaves the first edge through its end
    int half = start;
    *edges = 0;
    *length = 0.0;
    do {
        walked[half] = 1;
        ++*edges;
        *length += half_length(s, half);
        half = turn_around(s, half, &at_start);
        at_start = !at_start; // arrived at one end, leaves through the other
    } while (half >= 0 && !walked[half]);
    return half == start;
}

static void find_holes(const wri_topology *s, uint8_t *walked, wr_mesh_report *r)
{
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        if (s->edge[i] < 0 || walked[i] || wri_edge_triangles(s, s->edge[i]) != 1) {
            continue;
        }
        int edges;
        double length;
        if (walk_hole(s, i, walked, &edges, &length)) {
            r->holes++;
            r->largest_hole_edges = edges > r->largest_hole_edges ? edges : r->largest_hole_edges;
            r->largest_hole_length = fmax(r->largest_hole_length, length);
        }
    }
}

// --- all --------------------------------------------------------------------------------------

static bool is_sound(const wr_mesh_report *r)
{
    return r->triangles > 0 && r->degenerate_triangles == 0 && r->duplicate_triangles == 0 &&
           r->back_to_back_triangles == 0 && r->closed_shells == r->shells &&
           r->unorientable_shells == 0 && r->inverted_shells == 0 && r->boundary_edges == 0 &&
           r->non_manifold_edges == 0 && r->inconsistent_edges == 0 && r->self_intersections == 0 &&
           r->self_intersections_complete;
}

static bool inspect(wri_arena *arena, const wr_mesh *mesh, const wr_tasks *tasks, wr_mesh_report *r)
{
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    wri_topology s;
    int *twin = wri_arena_alloc(arena, vertices, sizeof *twin);
    uint8_t *used = wri_arena_alloc(arena, vertices, 1);
    uint8_t *seen = wri_arena_alloc(arena, vertices, 1);
    uint8_t *walked = wri_arena_alloc(arena, 3 * triangles, 1);
    int *crossings = wri_arena_alloc(arena, triangles, sizeof *crossings);
    if (!twin || !used || !seen || !walked || !crossings ||
        !wri_topology_begin(&s, arena, mesh, 0.0) || !wri_topology_find_twins(&s, mesh, twin) ||
        !wri_topology_find_fates(&s) || !wri_topology_find_edges(&s) ||
        !wri_topology_find_shells(&s) || !wri_topology_find_sides(&s) ||
        !wri_topology_find_crossings(
            &s, tasks, WRI_CROSSING_VISITS + WRI_CROSSING_VISITS_EACH * (int64_t)triangles,
            crossings, &r->self_intersections_complete)) {
        return false;
    }
    count_vertices(&s, mesh, twin, used, seen, r);
    count_triangles(&s, r);
    count_edges(&s, r);
    count_shells(&s, r);
    find_holes(&s, walked, r);
    for (int i = 0; i < mesh->triangle_count; i++) {
        r->self_intersections += crossings[i];
    }
    r->is_sound = is_sound(r);
    return true;
}

bool wri_mesh_inspect(const wr_mesh *mesh, const wr_tasks *tasks, const wr_allocator *allocator,
                      wr_mesh_report *report, wr_error *error)
{
    if (!wri_mesh_check(mesh, error)) {
        return false;
    }
    wri_arena arena = wri_arena_create(allocator);
    wr_mesh_report found = {.vertices = mesh->vertex_count, .triangles = mesh->triangle_count};
    bool ok = inspect(&arena, mesh, tasks, &found);
    if (ok) {
        *report = found;
    } else {
        wri_fail_memory(error, arena.total);
    }
    wri_arena_destroy(&arena);
    return ok;
}

bool wr_mesh_inspect(const wr_mesh *mesh, const wr_tasks *tasks, wr_mesh_report *report,
                     wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh, report)) {
        return false;
    }
    return wri_mesh_inspect(mesh, tasks, NULL, report, error);
}
