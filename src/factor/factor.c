// factor.c: the numbers of a factor, front after front.
//
// Every supernode assembles a dense front from its entries of A and from what its children left,
// eliminates its nodes (front.c), and leaves the rest for its parent (I. S. Duff, J. K. Reid. The
// multifrontal solution of indefinite sparse symmetric linear equations. ACM TOMS 9(3), 1983).
// Children are added in ascending order: the bits do not depend on which thread does what.
#include "plan.h"

static size_t segments_size(const wri_plan *p)
{
    return 3 * p->segment[p->task_count];
}

wri_factor *wri_factor_create(const wri_plan *plan, const wr_allocator *allocator, wr_error *error)
{
    wri_factor *f = wri_alloc(allocator, 1, sizeof *f);
    if (!f) {
        wri_fail_memory(error, sizeof *f);
        return NULL;
    }
    f->allocator = allocator ? *allocator : *wr_allocator_default();
    f->plan = plan;
    f->values = wri_alloc(allocator, wri_plan_value_count(plan), sizeof *f->values);
    f->work = wri_alloc(allocator, segments_size(plan), sizeof *f->work);
    f->bad = wri_alloc(allocator, (size_t)plan->task_count, sizeof *f->bad);
    if (!f->values || !f->work || !f->bad) {
        wri_fail_memory(error, wri_plan_value_count(plan) * sizeof *f->values);
        wri_factor_destroy(f);
        return NULL;
    }
    return f;
}

void wri_factor_trim(wri_factor *f)
{
    wri_free(&f->allocator, f->fronts, f->plan->front_size, sizeof *f->fronts);
    wri_free(&f->allocator, f->stacks, f->plan->stack[f->plan->task_count], sizeof *f->stacks);
    f->fronts = f->stacks = NULL;
}

void wri_factor_destroy(wri_factor *f)
{
    if (f) {
        wr_allocator allocator = f->allocator;
        wri_factor_trim(f);
        wri_free(&allocator, f->values, wri_plan_value_count(f->plan), sizeof *f->values);
        wri_free(&allocator, f->work, segments_size(f->plan), sizeof *f->work);
        wri_free(&allocator, f->bad, (size_t)f->plan->task_count, sizeof *f->bad);
        wri_free(&allocator, f, 1, sizeof *f);
    }
}

// --- fronts -----------------------------------------------------------------------------------

typedef struct computation {
    wri_factor *f;
    const wri_blocks *A;
    const int *tasks; // of the level
} computation;

static void add_entries(const wri_plan *p, int s, const wri_blocks *A, const wri_front *front)
{
    for (int k = p->first[s]; k < p->first[s + 1]; k++) {
        int e = p->upper_begin[k], end = A->begin[k + 1];
        for (int at = end - (p->upper_begin[k + 1] - e); at < end; at++, e++) {
            float *out = front->at + 3 * (size_t)(k - p->first[s]) * front->stride +
                         3 * (size_t)p->upper_row[e];
            for (int j = 0; j < 3; j++, out += front->stride) {
                memcpy(out, A->value[at] + 3 * j, 3 * sizeof *out);
            }
        }
    }
}

// Adds what a child left, whose rows ascend as those of the front do. places: of the child's rows
// in the front.
static void add_update(const float *update, const int *places, int count, const wri_front *front)
{
    size_t size = 3 * (size_t)count;
    for (int j = 0; j < count; j++) {
        for (int k = 0; k < 3; k++) {
            float *column = front->at + (3 * (size_t)places[j] + (size_t)k) * front->stride;
            const float *in = update + (3 * (size_t)j + (size_t)k) * size;
            for (int i = j; i < count; i++) {
                float *out = column + 3 * (size_t)places[i];
                out[0] += in[3 * i];
                out[1] += in[3 * i + 1];
                out[2] += in[3 * i + 2];
            }
        }
    }
}

static void find_places(const int *rows, int count, const int *front_rows, int *places)
{
    for (int i = 0, at = 0; i < count; i++) {
        while (front_rows[at] != rows[i]) {
            at++;
        }
        places[i] = at;
    }
}

static void add_child(const wri_factor *f, int s, int d, const float *update,
                      const wri_front *front)
{
    const wri_plan *p = f->plan;
    int width = wri_super_width(p, d), count = wri_super_height(p, d) - width;
    const int *rows = p->task_of[d] == p->task_of[s] ? p->rows + p->row_begin[d] + width
                                                     : p->link + p->link_begin[p->task_of[d]];
    int *places = (int *)(void *)front->panel; // not needed before the elimination
    find_places(rows, count, p->rows + p->row_begin[s], places);
    add_update(update, places, count, front);
}

static void keep_update(const wri_front *front, float *out)
{
    size_t size = (size_t)(front->size - front->width);
    for (size_t j = 0; j < size; j++) {
        const float *column = front->at + ((size_t)front->width + j) * front->stride;
        memcpy(out + j * size + j, column + (size_t)front->width + j, (size - j) * sizeof *out);
    }
}

static wri_front front_of(const wri_factor *f, int s)
{
    const wri_plan *p = f->plan;
    wri_front front = {.size = 3 * wri_super_height(p, s), .width = 3 * wri_super_width(p, s)};
    front.stride = ((size_t)front.size + LANES - 1) / LANES * LANES;
    front.at = f->fronts + p->front[p->task_of[s]];
    front.panel = front.at + front.stride * (size_t)front.size;
    memset(front.at, 0, front.stride * (size_t)front.size * sizeof *front.at);
    return front;
}

// The stack holds the children of the same task, the last one on top. Returns its new top.
static float *add_children(const wri_factor *f, int s, float *top, const wri_front *front)
{
    const wri_plan *p = f->plan;
    for (int d = p->child[s]; d >= 0; d = p->sibling[d]) {
        top -= p->task_of[d] == p->task_of[s] ? wri_update_size(p, d) : 0;
    }
    const float *update = top;
    for (int d = p->child[s]; d >= 0; d = p->sibling[d]) {
        if (p->task_of[d] == p->task_of[s]) {
            add_child(f, s, d, update, front);
            update += wri_update_size(p, d);
        } else {
            add_child(f, s, d, f->stacks + p->stack[p->task_of[d]], front);
        }
    }
    return top;
}

static void compute_task(void *context, int block, int begin, int end)
{
    const computation *c = context;
    const wri_plan *p = c->f->plan;
    int t = c->tasks[begin];
    float *top = c->f->stacks + p->stack[t];
    (void)block, (void)end; // one task at a time
    c->f->bad[t] = -1;
    for (int s = p->task_super[t]; s < p->task_super[t + 1]; s++) {
        wri_front front = front_of(c->f, s);
        add_entries(p, s, c->A, &front);
        top = add_children(c->f, s, top, &front);
        int bad = wri_front_eliminate(&front, c->f->values + p->value_begin[s]);
        if (bad >= 0) {
            c->f->bad[t] = p->first[s] + bad / 3;
            return;
        }
        keep_update(&front, top);
        top += wri_update_size(p, s);
    }
}

// --- all --------------------------------------------------------------------------------------

static bool has_pattern(const wri_plan *p, const wri_blocks *A)
{
    bool same = A->count == p->count && (size_t)A->begin[p->count] + (size_t)p->count ==
                                            2 * (size_t)p->upper_begin[p->count];
    for (int k = 0; k < p->count && same; k++) {
        int count = p->upper_begin[k + 1] - p->upper_begin[k];
        same = A->begin[k + 1] - A->begin[k] >= count &&
               memcmp(A->column + A->begin[k + 1] - count, p->upper_column + p->upper_begin[k],
                      (size_t)count * sizeof(int)) == 0;
    }
    return same;
}

static bool reserve(wri_factor *f, wr_error *error)
{
    const wri_plan *p = f->plan;
    if (!f->fronts) {
        f->fronts = wri_alloc(&f->allocator, p->front_size, sizeof *f->fronts);
    }
    if (!f->stacks) {
        f->stacks = wri_alloc(&f->allocator, p->stack[p->task_count], sizeof *f->stacks);
    }
    return (f->fronts && f->stacks) || wri_fail_memory(error, p->front_size * sizeof *f->fronts);
}

bool wri_factor_compute(wri_factor *f, const wri_blocks *A, const wr_tasks *tasks, wr_error *error)
{
    const wri_plan *p = f->plan;
    if (!has_pattern(p, A)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "a matrix of %d nodes has another pattern than the "
                        "plan of %d",
                        A->count, p->count);
    }
    if (!reserve(f, error)) {
        return false;
    }
    for (int l = 0; l < p->level_count; l++) {
        computation c = {f, A, p->level_task + p->level_begin[l]};
        int count = p->level_begin[l + 1] - p->level_begin[l], bad = -1;
        wri_parallel_for(tasks, count, 1, compute_task, &c);
        for (int i = count - 1; i >= 0; i--) {
            bad = f->bad[c.tasks[i]] >= 0 ? f->bad[c.tasks[i]] : bad;
        }
        if (bad >= 0) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "a matrix of %d nodes is not positive definite at node %d", p->count,
                            bad);
        }
    }
    return true;
}
