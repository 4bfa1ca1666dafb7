// handle_graph.c: a graph of points and bones becomes handles with their anchors.
#include "../base/base.h"
#include "handles.h"

typedef struct maker {
    const wr_solid *mesh;
    const wr_handle_graph *graph;
    int *source; // node or edge of each handle
    int *parent; // parent of each handle
    int *handle; // handle of each edge, -1: none yet
    int point_count, handle_count, moved_count;
    wri_array anchors;
} maker;

// The squared distance of a point from a segment.
static double from_segment(wr_vec3 p, wr_vec3 a, wr_vec3 b)
{
    double e[3] = {(double)b.x - a.x, (double)b.y - a.y, (double)b.z - a.z};
    double d[3] = {(double)p.x - a.x, (double)p.y - a.y, (double)p.z - a.z};
    double length = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    double t = length > 0.0 ? (d[0] * e[0] + d[1] * e[1] + d[2] * e[2]) / length : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        sum += (d[i] - t * e[i]) * (d[i] - t * e[i]);
    }
    return sum;
}

static bool add_anchor(maker *m, int vertex, int handle)
{
    wr_anchor *anchor = wri_array_add(&m->anchors, 1);
    if (anchor) {
        *anchor = (wr_anchor){vertex, handle};
    }
    return anchor != NULL;
}

// Adds the anchors of one handle: all vertices within the limit, at least the nearest one.
static bool add_anchors(maker *m, int handle, wr_vec3 a, wr_vec3 b, double limit)
{
    int nearest = -1, before = m->anchors.count;
    double best = INFINITY;
    bool ok = true;
    for (int v = 0; ok && v < m->mesh->vertex_count; v++) {
        double d = from_segment(m->mesh->positions[v], a, b);
        nearest = d < best ? v : nearest;
        best = d < best ? d : best;
        ok = d > limit || add_anchor(m, v, handle);
    }
    if (ok && m->anchors.count == before) {
        m->moved_count++;
        ok = add_anchor(m, nearest, handle);
    }
    return ok;
}

static int parent_edge(const wr_handle_graph *graph, int edge)
{
    for (int i = 0; i < graph->edge_count; i++) {
        if (i != edge && graph->edges[i].is_bone && graph->edges[i].to == graph->edges[edge].from) {
            return i;
        }
    }
    return -1;
}

// Orders points, then bones: every bone behind its parent, else in the graph's order. A ring of
// bones is broken open at its first one.
static void order_handles(maker *m, uint8_t *is_in_bone)
{
    const wr_handle_graph *graph = m->graph;
    int bones = 0;
    for (int i = 0; i < graph->edge_count; i++) {
        m->handle[i] = -1;
        if (graph->edges[i].is_bone) {
            bones++;
            is_in_bone[graph->edges[i].from] = is_in_bone[graph->edges[i].to] = 1;
        }
    }
    for (int i = 0; i < graph->node_count; i++) {
        if (!is_in_bone[i]) {
            m->parent[m->handle_count] = -1;
            m->source[m->handle_count++] = i;
        }
    }
    m->point_count = m->handle_count;
    for (int total = m->handle_count + bones; m->handle_count < total;) {
        int before = m->handle_count, first = -1;
        for (int i = 0; i < graph->edge_count; i++) {
            if (!graph->edges[i].is_bone || m->handle[i] >= 0) {
                continue;
            }
            int parent = parent_edge(graph, i);
            first = first < 0 ? i : first;
            if (parent < 0 || m->handle[parent] >= 0) {
                m->parent[m->handle_count] = parent < 0 ? -1 : m->handle[parent];
                m->source[m->handle_count] = i;
                m->handle[i] = m->handle_count++;
            }
        }
        if (m->handle_count == before) {
            m->parent[m->handle_count] = -1;
            m->source[m->handle_count] = first;
            m->handle[first] = m->handle_count++;
        }
    }
}

static void find_ends(const maker *m, int handle, wr_vec3 *a, wr_vec3 *b)
{
    int source = m->source[handle];
    bool is_point = handle < m->point_count;
    *a = m->graph->positions[is_point ? source : m->graph->edges[source].from];
    *b = m->graph->positions[is_point ? source : m->graph->edges[source].to];
}

static wr_handle_set *make_set(maker *m, float tolerance, const wr_allocator *allocator,
                               wr_error *error)
{
    wr_box box = WR_BOX_EMPTY;
    for (int v = 0; v < m->mesh->vertex_count; v++) {
        box = wr_box_add(box, m->mesh->positions[v]);
    }
    double limit = tolerance > 0.0f ? tolerance : 1e-3 * (double)wr_distance(box.min, box.max);
    wr_vec3 a, b;
    for (int i = 0; i < m->handle_count; i++) {
        find_ends(m, i, &a, &b);
        if (!add_anchors(m, i, a, b, i < m->point_count ? 0.0 : limit * limit)) {
            wri_fail_memory(error, sizeof(wr_anchor));
            return NULL;
        }
    }
    wr_handle_set *set = wri_handle_set_create(m->handle_count, m->anchors.count, allocator, error);
    for (int i = 0; set && i < m->handle_count; i++) {
        find_ends(m, i, &a, &b);
        set->handles[i].pivot = a;
        set->handles[i].parent = m->parent[i];
        set->tips[i] = b;
        set->sources[i] = m->source[i];
    }
    for (int i = 0; set && i < m->anchors.count; i++) {
        wr_anchor anchor = WRI_ITEM(m->anchors, wr_anchor, i);
        wr_handle *handle = &set->handles[anchor.handle];
        set->anchors[i] = anchor;
        if (wr_distance(m->mesh->positions[anchor.vertex], handle->pivot) == 0.0f) {
            handle->vertex = anchor.vertex;
        }
    }
    if (set) {
        set->point_count = m->point_count;
        set->moved_count = m->moved_count;
    }
    return set;
}

wr_handle_set *wr_handles_from_graph(const wr_solid *mesh, const wr_handle_graph *graph,
                                     float tolerance, const wr_allocator *allocator,
                                     wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh, graph)) {
        return NULL;
    }
    if (!wri_solid_check(mesh, error)) {
        return NULL;
    }
    if (graph->node_count < 1 || mesh->vertex_count < 1 || !(tolerance >= 0.0f)) {
        wri_fail(error, WR_E_ARGUMENT, "graph: %d nodes, mesh: %d vertices, tolerance: %g",
                 graph->node_count, mesh->vertex_count, (double)tolerance);
        return NULL;
    }
    wri_arena arena = wri_arena_create(allocator);
    size_t nodes = (size_t)graph->node_count, edges = (size_t)graph->edge_count;
    maker m = {
        .mesh = mesh, .graph = graph, .anchors = wri_array_create(allocator, sizeof(wr_anchor))};
    m.source = wri_arena_alloc(&arena, nodes + edges, sizeof(int));
    m.parent = wri_arena_alloc(&arena, nodes + edges, sizeof(int));
    m.handle = wri_arena_alloc(&arena, edges, sizeof(int));
    uint8_t *is_in_bone = wri_arena_alloc(&arena, nodes, 1);
    wr_handle_set *set = NULL;
    if (m.source && m.parent && m.handle && is_in_bone) {
        order_handles(&m, is_in_bone);
        set = make_set(&m, tolerance, allocator, error);
    } else {
        wri_fail_memory(error, (nodes + edges) * sizeof(int));
    }
    wri_array_destroy(&m.anchors);
    wri_arena_destroy(&arena);
    return set;
}
