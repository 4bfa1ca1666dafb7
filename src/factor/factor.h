// factor.h: sparse symmetric positive definite systems of 3x3 blocks in float: ordered and analysed
// once, factored as often as the values change, solved in every step.
//
//     wri_order_find(&pattern, places, order, allocator, &error); // then number the nodes so
//     wri_plan *plan = wri_plan_create(&A, allocator, &error);
//     wri_factor *f = wri_factor_create(plan, allocator, &error);
//     if (wri_factor_compute(f, &A, tasks, &error)) {
//         wri_factor_solve(f, x, tasks); // x: right side before, solution after
//     }
//     wri_factor_destroy(f);
//     wri_plan_destroy(plan);
//
// The bits of every answer are the same for every number of threads and width of vectors. Thread
// safety: a plan is only read once it is there, by any number of factors; a factor belongs to one
// thread at a time (solving uses memory of its own).
#pragma once

#include "blocks.h"
#include "wrought/math.h"

// --- order ------------------------------------------------------------------------------------

// An order of elimination that keeps the factor small, by nested dissection: order[k] is the node
// that goes k-th. Places in space only say where to look for separators; any finite ones do.
// Number the nodes in this order before a plan is made: it is also a postorder, which plans need.
bool wri_order_find(const wri_blocks *pattern, const wr_vec3 *places, int *order,
                    const wr_allocator *allocator, wr_error *error);

// --- plan -------------------------------------------------------------------------------------

enum {
    WRI_PANEL_NODES = 16, // columns of L that are kept together at most
    WRI_PANEL = 3 * WRI_PANEL_NODES,
};

// Consecutive nodes with nearly the same rows of L are a supernode; consecutive supernodes with
// one root are a task. A task works on a segment of its own: its nodes, then the rows of its root
// outside of it, its border. Rows of supernodes count from the begin of the segment.
typedef struct wri_plan {
    wri_arena arena;
    int count; // nodes
    // The pattern: columns of each row from the diagonal on, and their row in the supernode.
    int *upper_begin, *upper_column, *upper_row;
    // Supernodes, in order of elimination. Arrays of begins have one item more.
    int super_count;
    int *first;           // node of each
    int *parent;          // -1: none
    int *child, *sibling; // first child of each and the next of the same parent, ascending; -1
    int *task_of;
    size_t *row_begin;
    int *rows;           // own nodes first, ascending
    size_t *value_begin; // floats of the factor
    // Tasks, children first.
    int task_count;
    int *task_super;  // first supernode of each
    int *task_parent; // -1: none
    int *task_child, *task_sibling;
    size_t *segment; // begin of the segment, in nodes
    size_t *link_begin;
    int *link;             // where the rows of the border are in the parent's segment
    size_t *front, *stack; // begins of a task's memory for factoring, in floats
    size_t front_size;     // all fronts of a level at once; levels follow one another
    // Tasks of a level do not depend on one another.
    int level_count;
    int *level_begin, *level_task;
} wri_plan;

// Analyses a pattern whose nodes are in a postorder, such as wri_order_find gives. Fails when they
// are not, when the pattern is not as blocks.h says, or the factor would be too large.
wri_plan *wri_plan_create(const wri_blocks *pattern, const wr_allocator *allocator,
                          wr_error *error);
void wri_plan_destroy(wri_plan *plan); // accepts NULL

// As bytes: the pattern, from which reading makes the plan again. That is as quick as checking
// lists of rows would be, and files outlive the lists.
size_t wri_plan_save_size(const wri_plan *plan);
void wri_plan_save(const wri_plan *plan, void *bytes);
// Fails on bytes that are not a plan.
wri_plan *wri_plan_load(const void *bytes, size_t size, const wr_allocator *allocator,
                        wr_error *error);

// Floats of a factor.
size_t wri_plan_value_count(const wri_plan *plan);

// --- factor -----------------------------------------------------------------------------------

typedef struct wri_factor wri_factor;

// The plan must outlive the factor.
wri_factor *wri_factor_create(const wri_plan *plan, const wr_allocator *allocator, wr_error *error);
void wri_factor_destroy(wri_factor *factor); // accepts NULL

// Factors a matrix with the plan's pattern. Fails when it has another one or is not positive
// definite (says at which node); there is nothing to solve with then. Takes memory the first time
// only, tasks may be NULL.
bool wri_factor_compute(wri_factor *factor, const wri_blocks *A, const wr_tasks *tasks,
                        wr_error *error);
// Gives back the memory that only wri_factor_compute needs; it takes it again.
void wri_factor_trim(wri_factor *factor);

// A x = b with 3 floats per node, b in x. Cannot fail and never allocates. Systems that are too
// small to gain by tasks are solved without them.
void wri_factor_solve(wri_factor *factor, float *x, const wr_tasks *tasks);
// The same for `columns` right sides one after another, 3 floats per node each. Differs from
// one at a time by rounding.
bool wri_factor_solve_many(wri_factor *factor, float *x, int columns, const wr_tasks *tasks,
                           wr_error *error);

// --- parts ------------------------------------------------------------------------------------

// What a solution needs whose right side is zero outside of some nodes and which is wanted there
// only: the supernodes on the paths from these nodes to the roots.
typedef struct wri_path {
    wr_allocator allocator;
    const wri_plan *plan;
    int count, capacity; // nodes, and the room for them
    size_t *place;       // of each node, in the segments
    uint8_t *mark;       // supernodes on a path
    int super_count;
    size_t value_count;      // floats of the factor in these
    int *super_begin;        // of each task on a path
    int *super;              // ascending
    int *level_begin, *task; // as in the plan
    int *index;              // of each task of the plan among these
} wri_path;

// Takes all memory but that for `capacity` nodes, which may grow later.
bool wri_path_create(wri_path *out, const wri_plan *plan, int capacity,
                     const wr_allocator *allocator, wr_error *error);
void wri_path_destroy(wri_path *path);
// Allocates only when there are more nodes than ever. No node twice.
bool wri_path_set(wri_path *path, const int *nodes, int count, wr_error *error);
// x: 3 floats per node of the path, in the order of its list. The answer has the bits of
// wri_factor_solve.
void wri_factor_solve_path(wri_factor *factor, const wri_path *path, float *x,
                           const wr_tasks *tasks);
// The solution at all nodes, 3 floats each in x, for a right side b as in wri_factor_solve_path.
void wri_factor_solve_from(wri_factor *factor, const wri_path *path, const float *b, float *x,
                           const wr_tasks *tasks);
