// plan.h (internal): what the parts of the solver share about plans.
#pragma once

#include "../math/lanes.h"
#include "factor.h"

// Four floats of an array, which is aligned. Kernels go by four: compilers keep f8 in memory where
// registers are half as wide, which costs ten times as much.
typedef float wri_quad __attribute__((vector_size(16), may_alias));

static inline f4 wri_load(const float *at)
{
    return *(const wri_quad *)at;
}

static inline void wri_store(float *at, f4 a)
{
    *(wri_quad *)at = a;
}

static inline f4 wri_all(float x)
{
    return (f4){x, x, x, x};
}

static inline int wri_super_width(const wri_plan *p, int s) // nodes
{
    return p->first[s + 1] - p->first[s];
}

static inline int wri_super_height(const wri_plan *p, int s) // nodes, with its own
{
    return (int)(p->row_begin[s + 1] - p->row_begin[s]);
}

// Floats of what a supernode leaves for its parent.
static inline size_t wri_update_size(const wri_plan *p, int s)
{
    size_t rows = 3 * (size_t)(wri_super_height(p, s) - wri_super_width(p, s));
    return rows * rows;
}

static inline int wri_task_nodes(const wri_plan *p, int t)
{
    return p->first[p->task_super[t + 1]] - p->first[p->task_super[t]];
}

static inline int wri_task_border(const wri_plan *p, int t) // nodes
{
    return (int)(p->link_begin[t + 1] - p->link_begin[t]);
}

enum { WRI_GROUP_TILES = 3, WRI_GROUP = WRI_GROUP_TILES * LANES };

static inline int wri_tile_count(int rows)
{
    return (rows + LANES - 1) / LANES;
}

// Groups of a panel that end above its last column: group q has 24 (q + 1) columns only.
static inline int wri_lead_count(int columns)
{
    return (columns - 1) / WRI_GROUP;
}

// A panel is groups of 24 rows each, eight nodes in three tiles, column beside column; the last
// one has only as many tiles as it needs.
static inline size_t wri_panel_size(int columns, int rows)
{
    size_t lead = (size_t)wri_lead_count(columns), below = LANES * (size_t)wri_tile_count(rows);
    return WRI_GROUP * WRI_GROUP / 2 * lead * (lead + 1) +
           (below - WRI_GROUP * lead) * (size_t)columns;
}

// How wide the panel of a supernode of `width` scalars is that begins at scalar `begin`.
static inline int wri_panel_width(int width, int begin)
{
    return width - begin < WRI_PANEL ? width - begin : WRI_PANEL;
}

// The arena is the plan's: fills everything from the pattern, which is checked already.
bool wri_plan_analyse(wri_plan *plan, wr_error *error);
// Tasks, segments and memory for a plan that has its supernodes; rows become local ones.
bool wri_plan_schedule(wri_plan *plan, wri_arena *scratch, wr_error *error);

// The elimination tree of a pattern: rows with the columns before the diagonal. mark: scratch.
void wri_tree_find(int count, const int *begin, const int *column, int *parent, int *mark);

struct wri_factor {
    wr_allocator allocator;
    const wri_plan *plan;
    float *values; // panels of all supernodes
    float *work;   // 3 floats per node of the segments
    // What only computing needs; NULL: not there.
    float *fronts, *stacks;
    int *bad; // of each task: the node where it is not positive definite, -1: none
};

// A dense front: columns of `stride` floats each, of which those from the diagonal on count.
typedef struct wri_front {
    float *at, *panel; // panel: room for WRI_PANEL columns of L, in tiles
    int size, width;   // scalars; the first `width` are eliminated
    size_t stride;     // a multiple of LANES
} wri_front;

// Eliminates the first `width` scalars: their panels go to `out`, and what they leave for the rest
// is subtracted from it. Returns the scalar whose pivot is not positive, -1 when there is none.
int wri_front_eliminate(const wri_front *front, float *out);
