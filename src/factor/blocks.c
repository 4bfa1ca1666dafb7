// blocks.c: products of a matrix of 3x3 blocks, whole or restricted to a patch.
#include "blocks.h"

enum { GRAIN = 256 };

// --- pattern ----------------------------------------------------------------------------------

static bool has_entry(const wri_blocks *p, int row, int column)
{
    int low = p->begin[row], high = p->begin[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->begin[row + 1] && p->column[low] == column;
}

static bool check_row(const wri_blocks *p, int row, wr_error *error)
{
    int last = -1;
    for (int e = p->begin[row]; e < p->begin[row + 1]; e++) {
        if (p->column[e] <= last || p->column[e] >= p->count) {
            return wri_fail(error, WR_E_ARGUMENT, "row %d of %d has column %d behind column %d",
                            row, p->count, p->column[e], last);
        }
        last = p->column[e];
    }
    return has_entry(p, row, row) || wri_fail(error, WR_E_ARGUMENT, "row %d has no diagonal", row);
}

bool wri_blocks_check(const wri_blocks *p, wr_error *error)
{
    if (p->count < 0 || p->begin[0] != 0) {
        return wri_fail(error, WR_E_ARGUMENT, "a matrix of %d rows begins at entry %d", p->count,
                        p->begin[0]);
    }
    for (int row = 0; row < p->count; row++) {
        if (p->begin[row + 1] < p->begin[row]) {
            return wri_fail(error, WR_E_ARGUMENT, "row %d has %d entries", row,
                            p->begin[row + 1] - p->begin[row]);
        }
    }
    for (int row = 0; row < p->count; row++) {
        if (!check_row(p, row, error)) {
            return false;
        }
    }
    for (int row = 0; row < p->count; row++) {
        for (int e = p->begin[row]; e < p->begin[row + 1]; e++) {
            if (!has_entry(p, p->column[e], row)) {
                return wri_fail(error, WR_E_ARGUMENT, "row %d has column %d, but not vice versa",
                                row, p->column[e]);
            }
        }
    }
    return true;
}

// --- products ---------------------------------------------------------------------------------

static inline void add_product(const float a[9], const float *x, float sum[3])
{
    for (int i = 0; i < 3; i++) {
        sum[i] += a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
    }
}

typedef struct product {
    const wri_blocks *A;
    const wri_block_patch *patch;
    const float *x;
    float *y;
} product;

static void multiply_rows(void *context, int block, int begin, int end)
{
    const product *p = context;
    const wri_blocks *A = p->A;
    (void)block;
    for (int row = begin; row < end; row++) {
        float sum[3] = {0};
        for (int e = A->begin[row]; e < A->begin[row + 1]; e++) {
            add_product(A->value[e], p->x + 3 * (size_t)A->column[e], sum);
        }
        memcpy(p->y + 3 * (size_t)row, sum, sizeof sum);
    }
}

void wri_blocks_multiply(const wri_blocks *A, const float *x, float *y, const wr_tasks *tasks)
{
    product p = {.A = A, .x = x, .y = y};
    wri_parallel_for(tasks, A->count, GRAIN, multiply_rows, &p);
}

// --- patches ----------------------------------------------------------------------------------

void wri_block_patch_create(wri_block_patch *out, const wr_allocator *allocator)
{
    *out = (wri_block_patch){.allocator = allocator ? *allocator : *wr_allocator_default()};
}

static void free_ints(wri_block_patch *p, int **array, int count)
{
    wri_free(&p->allocator, *array, (size_t)count, sizeof **array);
    *array = NULL;
}

void wri_block_patch_destroy(wri_block_patch *p)
{
    free_ints(p, &p->begin, p->capacity + 1);
    free_ints(p, &p->entry, p->entry_capacity);
    free_ints(p, &p->column, p->entry_capacity);
    free_ints(p, &p->place, p->place_count);
    *p = (wri_block_patch){.allocator = p->allocator};
}

static bool reserve_places(wri_block_patch *p, int count)
{
    if (count == p->place_count && p->place) {
        return true;
    }
    free_ints(p, &p->place, p->place_count);
    p->place_count = count;
    p->place = wri_alloc(&p->allocator, (size_t)count, sizeof *p->place);
    for (int i = 0; i < count && p->place; i++) {
        p->place[i] = -1;
    }
    return p->place != NULL;
}

static bool reserve_rows(wri_block_patch *p, int count)
{
    if (count <= p->capacity && p->begin) {
        return true;
    }
    free_ints(p, &p->begin, p->capacity + 1);
    p->capacity = count;
    p->begin = wri_alloc(&p->allocator, (size_t)count + 1, sizeof *p->begin);
    return p->begin != NULL;
}

static bool reserve_entries(wri_block_patch *p, int count)
{
    if (count <= p->entry_capacity && p->entry && p->column) {
        return true;
    }
    free_ints(p, &p->entry, p->entry_capacity);
    free_ints(p, &p->column, p->entry_capacity);
    p->entry_capacity = count;
    p->entry = wri_alloc(&p->allocator, (size_t)count, sizeof *p->entry);
    p->column = wri_alloc(&p->allocator, (size_t)count, sizeof *p->column);
    return p->entry && p->column;
}

static void list_entries(wri_block_patch *p, const wri_blocks *A, const int *nodes, int count)
{
    int entries = 0;
    for (int i = 0; i < count; i++) {
        p->begin[i] = entries;
        for (int e = A->begin[nodes[i]]; e < A->begin[nodes[i] + 1]; e++) {
            if (p->place[A->column[e]] >= 0) {
                p->entry[entries] = e;
                p->column[entries++] = p->place[A->column[e]];
            }
        }
    }
    p->begin[count] = entries;
    p->entry_count = entries;
    p->count = count;
}

bool wri_block_patch_set(wri_block_patch *p, const wri_blocks *A, const int *nodes, int count,
                         wr_error *error)
{
    int most = 0;
    p->count = p->entry_count = 0;
    for (int i = 0; i < count; i++) {
        most += A->begin[nodes[i] + 1] - A->begin[nodes[i]];
    }
    if (!reserve_places(p, A->count) || !reserve_rows(p, count) || !reserve_entries(p, most)) {
        return wri_fail_memory(error, 0);
    }
    for (int i = 0; i < count; i++) {
        p->place[nodes[i]] = i;
    }
    list_entries(p, A, nodes, count);
    for (int i = 0; i < count; i++) {
        p->place[nodes[i]] = -1;
    }
    return true;
}

static void multiply_patch_rows(void *context, int block, int begin, int end)
{
    const product *p = context;
    const wri_block_patch *patch = p->patch;
    (void)block;
    for (int row = begin; row < end; row++) {
        float sum[3] = {0};
        for (int e = patch->begin[row]; e < patch->begin[row + 1]; e++) {
            add_product(p->A->value[patch->entry[e]], p->x + 3 * (size_t)patch->column[e], sum);
        }
        memcpy(p->y + 3 * (size_t)row, sum, sizeof sum);
    }
}

void wri_block_patch_multiply(const wri_block_patch *patch, const wri_blocks *A, const float *x,
                              float *y, const wr_tasks *tasks)
{
    product p = {.A = A, .patch = patch, .x = x, .y = y};
    wri_parallel_for(tasks, patch->count, GRAIN, multiply_patch_rows, &p);
}
