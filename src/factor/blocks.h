// blocks.h: symmetric matrices of 3x3 blocks over the nodes of a skin, and their products.
//
// Thread safety: products only read the matrix.
#pragma once

#include "../base/base.h"

// Block rows with the full pattern: columns ascend in each row, and the diagonal is there.
typedef struct wri_blocks {
    int count;         // nodes
    int *begin;        // first entry of each row, count + 1
    int *column;       // of each entry
    float (*value)[9]; // of each entry, row after row; entry (j, i) is (i, j) transposed
} wri_blocks;

// False unless the pattern is as the struct says: rows in order, columns ascending and in range,
// the diagonal there, every entry on both sides of it.
bool wri_blocks_check(const wri_blocks *pattern, wr_error *error);

// y = A x with 3 floats per node; tasks may be NULL.
void wri_blocks_multiply(const wri_blocks *A, const float *x, float *y, const wr_tasks *tasks);

// A part of a matrix: the rows and columns of some nodes.
typedef struct wri_block_patch {
    wr_allocator allocator;
    int count, capacity;             // nodes, and the room for them
    int entry_count, entry_capacity; // entries between them
    int *begin;                      // first entry of each row, count + 1
    int *entry;                      // of the matrix
    int *column;                     // which node of the patch it belongs to
    int *place;                      // of each node of the matrix in the patch, -1: outside
    int place_count;
} wri_block_patch;

// Starts empty; the patch of another list of nodes takes memory only when it is larger than those
// before. No node twice. False: out of memory.
void wri_block_patch_create(wri_block_patch *out, const wr_allocator *allocator);
void wri_block_patch_destroy(wri_block_patch *patch);
bool wri_block_patch_set(wri_block_patch *patch, const wri_blocks *A, const int *nodes, int count,
                         wr_error *error);
// y = A x with 3 floats per node of the patch, in the order of its list.
void wri_block_patch_multiply(const wri_block_patch *patch, const wri_blocks *A, const float *x,
                              float *y, const wr_tasks *tasks);
