// path.c: the supernodes between some nodes and the roots.
#include "plan.h"

static bool reserve(wri_path *q, int count)
{
    if (count <= q->capacity && q->place) {
        return true;
    }
    wri_free(&q->allocator, q->place, (size_t)q->capacity, sizeof *q->place);
    q->capacity = count;
    q->place = wri_alloc(&q->allocator, (size_t)count, sizeof *q->place);
    return q->place != NULL;
}

bool wri_path_create(wri_path *out, const wri_plan *plan, int capacity,
                     const wr_allocator *allocator, wr_error *error)
{
    size_t supers = (size_t)plan->super_count, tasks = (size_t)plan->task_count;
    *out = (wri_path){.allocator = allocator ? *allocator : *wr_allocator_default(), .plan = plan};
    out->mark = wri_alloc(allocator, supers, sizeof *out->mark);
    out->super = wri_alloc(allocator, supers, sizeof *out->super);
    out->super_begin = wri_alloc(allocator, tasks + 1, sizeof *out->super_begin);
    out->task = wri_alloc(allocator, tasks, sizeof *out->task);
    out->index = wri_alloc(allocator, tasks, sizeof *out->index);
    out->level_begin = wri_alloc(allocator, (size_t)plan->level_count + 1, sizeof(int));
    bool ok = out->mark && out->super && out->super_begin && out->task && out->index &&
              out->level_begin && reserve(out, capacity);
    if (!ok) {
        wri_path_destroy(out);
        return wri_fail_memory(error, 0);
    }
    return true;
}

void wri_path_destroy(wri_path *q)
{
    if (q->plan) {
        size_t supers = (size_t)q->plan->super_count, tasks = (size_t)q->plan->task_count;
        wri_free(&q->allocator, q->place, (size_t)q->capacity, sizeof *q->place);
        wri_free(&q->allocator, q->mark, supers, sizeof *q->mark);
        wri_free(&q->allocator, q->super, supers, sizeof *q->super);
        wri_free(&q->allocator, q->super_begin, tasks + 1, sizeof *q->super_begin);
        wri_free(&q->allocator, q->task, tasks, sizeof *q->task);
        wri_free(&q->allocator, q->index, tasks, sizeof *q->index);
        wri_free(&q->allocator, q->level_begin, (size_t)q->plan->level_count + 1, sizeof(int));
    }
    *q = (wri_path){0};
}

static int super_of(const wri_plan *p, int node)
{
    int low = 0, high = p->super_count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (p->first[middle] <= node) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void list_task(wri_path *q, int t)
{
    const wri_plan *p = q->plan;
    int i = q->level_begin[p->level_count], begin = q->super_count;
    for (int s = p->task_super[t]; s < p->task_super[t + 1]; s++) {
        if (q->mark[s]) {
            q->super[q->super_count++] = s;
            q->value_count += p->value_begin[s + 1] - p->value_begin[s];
        }
    }
    q->index[t] = q->super_count > begin ? i : -1;
    if (q->super_count > begin) {
        q->task[i] = t;
        q->super_begin[i + 1] = q->super_count;
        q->level_begin[p->level_count]++;
    }
}

bool wri_path_set(wri_path *q, const int *nodes, int count, wr_error *error)
{
    const wri_plan *p = q->plan;
    q->count = 0;
    if (!reserve(q, count)) {
        return wri_fail_memory(error, (size_t)count * sizeof *q->place);
    }
    memset(q->mark, 0, (size_t)p->super_count * sizeof *q->mark);
    for (int i = 0; i < count; i++) {
        int s = super_of(p, nodes[i]), t = p->task_of[s];
        q->place[i] = p->segment[t] + (size_t)(nodes[i] - p->first[p->task_super[t]]);
        for (; s >= 0 && !q->mark[s]; s = p->parent[s]) {
            q->mark[s] = 1;
        }
    }
    q->count = count;
    q->super_count = q->level_begin[p->level_count] = 0;
    q->value_count = 0;
    for (int l = 0; l < p->level_count; l++) {
        q->level_begin[l] = q->level_begin[p->level_count];
        for (int i = p->level_begin[l]; i < p->level_begin[l + 1]; i++) {
            list_task(q, p->level_task[i]);
        }
    }
    return true;
}
