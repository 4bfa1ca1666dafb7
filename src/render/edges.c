// edges.c: which two triangles share an edge, however the vertices are split.
#include "edges.h"

#include "../geometry/topology.h"

static bool fill_edges(const wri_topology *s, const wr_mesh *mesh, wri_arena *arena,
                       wri_edge **edges, int *count)
{
    *edges = wri_arena_alloc(arena, (size_t)s->edge_count, sizeof **edges);
    if (!*edges) {
        return false;
    }
    for (int e = 0; e < s->edge_count; e++) {
        int half = s->half_edges[s->edge_begin[e]], other = wri_other_half(s, half);
        (*edges)[e] = (wri_edge){{mesh->triangles[half], mesh->triangles[wri_next_half(half)]},
                                 half / 3,
                                 other < 0 ? -1 : other / 3};
    }
    *count = s->edge_count;
    return true;
}

bool wri_edges_find(const wr_mesh *mesh, wri_arena *arena, wri_edge **edges, int *count,
                    wr_error *error)
{
    wri_arena working = wri_arena_create(&arena->allocator);
    wri_topology s = {0};
    bool ok = wri_topology_begin(&s, &working, mesh, 0.0) && wri_topology_find_fates(&s) &&
              wri_topology_find_edges(&s) && fill_edges(&s, mesh, arena, edges, count);
    wri_arena_destroy(&working);
    return ok || wri_fail_memory(error, (size_t)mesh->triangle_count * sizeof(wri_edge));
}
