// rig_data.c: matrices and handle graphs as blocks of memory.
#include "wrought/geometry.h"

#include "../base/base.h"

typedef struct matrix_owner {
    wri_arena arena;
    wr_matrix matrix; // lives in the arena that it owns, as all of these do
} matrix_owner;

wr_matrix *wr_matrix_create(int rows, int columns, const wr_allocator *allocator, wr_error *error)
{
    if (rows < 0 || columns < 0) {
        wri_fail(error, WR_E_ARGUMENT, "rows or columns: %d, %d", rows, columns);
        return NULL;
    }
    wri_arena arena = wri_arena_create(allocator);
    matrix_owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    double *values =
        wri_arena_alloc(&arena, (size_t)rows * (size_t)columns, sizeof *values); // 2^62 at most
    if (!o || !values) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, (size_t)rows * (size_t)columns * sizeof *values);
        return NULL;
    }
    *o = (matrix_owner){arena, {rows, columns, values, o}};
    return &o->matrix;
}

void wr_matrix_destroy(wr_matrix *matrix)
{
    if (matrix) {
        wri_arena arena = ((matrix_owner *)matrix->memory)->arena;
        wri_arena_destroy(&arena);
    }
}

typedef struct graph_owner {
    wri_arena arena;
    wr_handle_graph graph;
} graph_owner;

wr_handle_graph *wr_handle_graph_create(int node_count, int edge_count,
                                        const wr_allocator *allocator, wr_error *error)
{
    if (node_count < 0 || edge_count < 0) {
        wri_fail(error, WR_E_ARGUMENT, "node_count or edge_count: %d, %d", node_count, edge_count);
        return NULL;
    }
    wri_arena arena = wri_arena_create(allocator);
    graph_owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    int *ids = wri_arena_alloc(&arena, (size_t)node_count, sizeof *ids);
    wr_vec3 *positions = wri_arena_alloc(&arena, (size_t)node_count, sizeof *positions);
    wr_handle_edge *edges = wri_arena_alloc(&arena, (size_t)edge_count, sizeof *edges);
    if (!o || !ids || !positions || !edges) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, (size_t)node_count * sizeof *positions);
        return NULL;
    }
    *o = (graph_owner){arena, {node_count, edge_count, ids, positions, edges, o}};
    return &o->graph;
}

void wr_handle_graph_destroy(wr_handle_graph *graph)
{
    if (graph) {
        wri_arena arena = ((graph_owner *)graph->memory)->arena;
        wri_arena_destroy(&arena);
    }
}
