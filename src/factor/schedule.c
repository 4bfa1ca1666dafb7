// schedule.c: which supernodes are a task, on which segment it works, and what memory it needs.
//
// Subtrees of about the same work are tasks; above them every supernode is one, with those of its
// subtrees that are small and, where it has one large child only, that. All this depends on the
// plan alone, never on the number of threads.
#include "plan.h"

enum {
    TASKS = 24,            // subtrees that we aim for
    TASK_FLOATS = 1 << 15, // of L: what is worth a task
    SMALL = 8,             // part of a task that is not worth its own
};

typedef struct schedule {
    wri_plan *p;
    double *weight; // floats of L in each subtree
    int *lowest;    // first supernode of each subtree
    int *start;     // first supernode of the task if this one is its root
    int *level;     // of each task
    int *map;       // of each node: its place in a border
    double target;
} schedule;

static bool find_subtrees(schedule *c, wr_error *error)
{
    const wri_plan *p = c->p;
    for (int s = 0; s < p->super_count; s++) {
        int size = 1;
        c->weight[s] = (double)(p->value_begin[s + 1] - p->value_begin[s]);
        c->lowest[s] = s;
        for (int d = p->child[s]; d >= 0; d = p->sibling[d]) {
            c->weight[s] += c->weight[d];
            c->lowest[s] = c->lowest[d] < c->lowest[s] ? c->lowest[d] : c->lowest[s];
            size += d - c->lowest[d] + 1;
        }
        if (size != s - c->lowest[s] + 1) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "the nodes are in no postorder: the tree below node %d is torn",
                            p->first[s]);
        }
    }
    return true;
}

static int large_children(const schedule *c, int s)
{
    int count = 0;
    for (int d = c->p->child[s]; d >= 0; d = c->p->sibling[d]) {
        count += c->weight[d] > c->target / SMALL;
    }
    return count;
}

// In a postorder the last child is right before its parent, and the one before it right before the
// last one's subtree.
static int find_start(const schedule *c, int s)
{
    if (c->weight[s] <= c->target) {
        return c->lowest[s];
    }
    int at = s, large = large_children(c, s);
    while (at > c->lowest[s]) {
        int child = at - 1;
        if (c->weight[child] > c->target / SMALL) {
            return large == 1 ? c->start[child] : at;
        }
        at = c->lowest[child];
    }
    return at;
}

static bool find_tasks(schedule *c)
{
    wri_plan *p = c->p;
    double all = 0.0;
    for (int s = 0; s < p->super_count; s++) {
        all += p->parent[s] < 0 ? c->weight[s] : 0.0;
    }
    c->target = all / TASKS > TASK_FLOATS ? all / TASKS : TASK_FLOATS;
    for (int s = 0; s < p->super_count; s++) {
        c->start[s] = find_start(c, s);
    }
    int count = 0;
    for (int s = p->super_count - 1; s >= 0; s = c->start[s] - 1) {
        count++;
    }
    p->task_count = count;
    p->task_super = wri_arena_alloc(&p->arena, (size_t)count + 1, sizeof *p->task_super);
    if (!p->task_super) {
        return false;
    }
    p->task_super[count] = p->super_count;
    for (int s = p->super_count - 1; s >= 0; s = c->start[s] - 1) {
        p->task_super[--count] = c->start[s];
        for (int i = c->start[s]; i <= s; i++) {
            p->task_of[i] = count;
        }
    }
    return true;
}

static int root_of(const wri_plan *p, int t)
{
    return p->task_super[t + 1] - 1;
}

static bool reserve_tasks(wri_plan *p)
{
    size_t tasks = (size_t)p->task_count;
    int **ints[] = {&p->task_parent, &p->task_child, &p->task_sibling, &p->level_task};
    size_t **sizes[] = {&p->segment, &p->link_begin, &p->front, &p->stack};
    bool ok = true;
    for (int i = 0; i < WRI_COUNT(ints); i++) {
        ok = (*ints[i] = wri_arena_alloc(&p->arena, tasks, sizeof(int))) && ok;
    }
    for (int i = 0; i < WRI_COUNT(sizes); i++) {
        ok = (*sizes[i] = wri_arena_alloc(&p->arena, tasks + 1, sizeof(size_t))) && ok;
    }
    size_t links = 0;
    for (int t = 0; t < p->task_count; t++) {
        links += (size_t)(wri_super_height(p, root_of(p, t)) - wri_super_width(p, root_of(p, t)));
    }
    p->link = wri_arena_alloc(&p->arena, links, sizeof *p->link);
    return ok && p->link;
}

static void link_tasks(wri_plan *p)
{
    for (int t = 0; t < p->task_count; t++) {
        int up = p->parent[root_of(p, t)];
        p->task_parent[t] = up < 0 ? -1 : p->task_of[up];
        p->task_child[t] = p->task_sibling[t] = -1;
    }
    for (int t = p->task_count - 1; t >= 0; t--) {
        if (p->task_parent[t] >= 0) {
            p->task_sibling[t] = p->task_child[p->task_parent[t]];
            p->task_child[p->task_parent[t]] = t;
        }
    }
}

static bool find_levels(schedule *c)
{
    wri_plan *p = c->p;
    for (int t = 0; t < p->task_count; t++) {
        c->level[t] = 0;
        for (int d = p->task_child[t]; d >= 0; d = p->task_sibling[d]) {
            c->level[t] = c->level[d] >= c->level[t] ? c->level[d] + 1 : c->level[t];
        }
        p->level_count = c->level[t] >= p->level_count ? c->level[t] + 1 : p->level_count;
    }
    p->level_begin = wri_arena_alloc(&p->arena, (size_t)p->level_count + 1, sizeof(int));
    if (!p->level_begin) {
        return false;
    }
    for (int l = 0, count = 0; l < p->level_count; l++) {
        p->level_begin[l] = count;
        for (int t = 0; t < p->task_count; t++) {
            if (c->level[t] == l) {
                p->level_task[count++] = t;
            }
        }
        p->level_begin[l + 1] = count;
    }
    return true;
}

// --- segments ---------------------------------------------------------------------------------

// The border keeps nodes of the matrix in `link` until its parent is at hand.
static void place_segments(wri_plan *p)
{
    for (int t = 0; t < p->task_count; t++) {
        int root = root_of(p, t), width = wri_super_width(p, root);
        size_t border = (size_t)(wri_super_height(p, root) - width);
        p->link_begin[t + 1] = p->link_begin[t] + border;
        p->segment[t + 1] = p->segment[t] + (size_t)wri_task_nodes(p, t) + border;
        memcpy(p->link + p->link_begin[t], p->rows + p->row_begin[root] + width,
               border * sizeof *p->link);
    }
}

static void make_local(const schedule *c, int t, int *nodes, size_t count)
{
    int begin = c->p->first[c->p->task_super[t]], own = wri_task_nodes(c->p, t);
    for (size_t i = 0; i < count; i++) {
        nodes[i] = nodes[i] < begin + own ? nodes[i] - begin : own + c->map[nodes[i]];
    }
}

static void make_rows_local(schedule *c)
{
    wri_plan *p = c->p;
    for (int t = 0; t < p->task_count; t++) {
        for (int i = 0; i < wri_task_border(p, t); i++) {
            c->map[p->link[p->link_begin[t] + (size_t)i]] = i;
        }
        size_t begin = p->row_begin[p->task_super[t]], end = p->row_begin[p->task_super[t + 1]];
        make_local(c, t, p->rows + begin, end - begin);
        for (int d = p->task_child[t]; d >= 0; d = p->task_sibling[d]) {
            make_local(c, t, p->link + p->link_begin[d], (size_t)wri_task_border(p, d));
        }
    }
}

// --- memory -----------------------------------------------------------------------------------

// The largest front of a task with a panel beside it.
static size_t front_size(const wri_plan *p, int t)
{
    size_t most = 0;
    for (int s = p->task_super[t]; s < p->task_super[t + 1]; s++) {
        size_t rows = 3 * (size_t)wri_super_height(p, s);
        size_t stride = (rows + LANES - 1) / LANES * LANES, size = stride * (rows + WRI_PANEL);
        most = size > most ? size : most;
    }
    return most;
}

// What a supernode leaves for its parent lies on a stack until that is at hand.
static size_t stack_size(const wri_plan *p, int t)
{
    size_t depth = 0, most = 0;
    for (int s = p->task_super[t]; s < p->task_super[t + 1]; s++) {
        for (int d = p->child[s]; d >= 0; d = p->sibling[d]) {
            depth -= p->task_of[d] == t ? wri_update_size(p, d) : 0;
        }
        depth += wri_update_size(p, s);
        most = depth > most ? depth : most;
    }
    return most;
}

static void place_memory(wri_plan *p)
{
    for (int l = 0; l < p->level_count; l++) {
        size_t sum = 0;
        for (int i = p->level_begin[l]; i < p->level_begin[l + 1]; i++) {
            p->front[p->level_task[i]] = sum;
            sum += front_size(p, p->level_task[i]);
        }
        p->front_size = sum > p->front_size ? sum : p->front_size;
    }
    for (int t = 0; t < p->task_count; t++) {
        p->stack[t + 1] = p->stack[t] + stack_size(p, t);
    }
}

bool wri_plan_schedule(wri_plan *p, wri_arena *scratch, wr_error *error)
{
    size_t supers = (size_t)p->super_count;
    schedule c = {.p = p};
    int **arrays[] = {&c.lowest, &c.start, &c.level};
    c.weight = wri_arena_alloc(scratch, supers, sizeof *c.weight);
    c.map = wri_arena_alloc(scratch, (size_t)p->count, sizeof *c.map);
    bool ok = c.weight && c.map;
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        ok = (*arrays[i] = wri_arena_alloc(scratch, supers, sizeof(int))) && ok;
    }
    if (!ok) {
        return wri_fail_memory(error, 0);
    }
    if (!find_subtrees(&c, error)) {
        return false;
    }
    if (!find_tasks(&c) || !reserve_tasks(p)) {
        return wri_fail_memory(error, 0);
    }
    link_tasks(p);
    if (!find_levels(&c)) {
        return wri_fail_memory(error, 0);
    }
    place_segments(p);
    make_rows_local(&c);
    place_memory(p);
    return true;
}
