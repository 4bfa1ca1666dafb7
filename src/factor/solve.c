// solve.c: solutions with a factor: forward up the tree, backward down again.
//
// A panel keeps P = [X; -N] (front.c). Forward, its own part b of the right side becomes X b, and
// -N b is added to the rows below; backward, its part x becomes P' [x; rows below]. Both are one
// product with the same numbers, which stream through once.
//
// Several right sides go side by side, a lane each; `lanes` is 1 or LANES everywhere.
#include "plan.h"

enum { HALF = LANES / 2, QUADS = 2 * WRI_GROUP_TILES, GROUP_NODES = WRI_GROUP / 3 };

// --- one right side ---------------------------------------------------------------------------

// out = P b for the rows of a group, four at a time.
static inline void multiply_quads(const float *values, int columns, int quads, const float *b,
                                  float *out)
{
    f4 sum[QUADS];
    for (int i = 0; i < quads; i++) {
        sum[i] = (f4){0};
    }
    for (int j = 0; j < columns; j++, values += HALF * quads) {
        f4 x = wri_all(b[j]);
        for (int i = 0; i < quads; i++) {
            sum[i] += wri_load(values + HALF * i) * x;
        }
    }
    for (int i = 0; i < quads; i++) {
        wri_store(out + HALF * i, sum[i]);
    }
}

// sum += P' g, each in four parts.
static inline void add_quads(const float *values, int columns, int quads, const float *g, f4 *sum)
{
    f4 x[QUADS];
    for (int i = 0; i < quads; i++) {
        x[i] = wri_load(g + HALF * i);
    }
    values += HALF * quads * columns;
    for (int j = columns - 1; j >= 0; j--) {
        values -= HALF * quads;
        f4 even = wri_load(values) * x[0], odd = wri_load(values + HALF) * x[1];
        for (int i = 2; i < quads; i += 2) {
            even += wri_load(values + HALF * i) * x[i];
            odd += wri_load(values + HALF * (i + 1)) * x[i + 1];
        }
        sum[j] += even + odd;
    }
}

static inline float sum_parts(f4 a)
{
    return (a[0] + a[2]) + (a[1] + a[3]);
}

// --- several right sides ----------------------------------------------------------------------

// The same with LANES numbers beside one another instead of each of b, out, g and sum. Rows of a
// group are a multiple of four, columns of three.
static void multiply_side(const float *values, int columns, int tiles, const float *b, float *out)
{
    enum { ROWS = 4 };
    for (int i = 0; i < LANES * tiles; i += ROWS) {
        f4 low[ROWS] = {{0}}, high[ROWS] = {{0}};
        for (int j = 0; j < columns; j++) {
            f4 x = wri_load(b + LANES * j), y = wri_load(b + LANES * j + HALF);
            for (int k = 0; k < ROWS; k++) {
                f4 p = wri_all(values[LANES * tiles * j + i + k]);
                low[k] += p * x;
                high[k] += p * y;
            }
        }
        for (int k = 0; k < ROWS; k++) {
            wri_store(out + LANES * (i + k), low[k]);
            wri_store(out + LANES * (i + k) + HALF, high[k]);
        }
    }
}

static void add_side(const float *values, int columns, int tiles, const float *g, f4 *sum)
{
    enum { COLUMNS = 3 };
    for (int j = columns - COLUMNS; j >= 0; j -= COLUMNS) {
        const float *at = values + LANES * tiles * j;
        f4 low[COLUMNS], high[COLUMNS];
        for (int k = 0; k < COLUMNS; k++) {
            low[k] = sum[2 * (j + k)];
            high[k] = sum[2 * (j + k) + 1];
        }
        for (int i = 0; i < LANES * tiles; i++) {
            f4 x = wri_load(g + LANES * i), y = wri_load(g + LANES * i + HALF);
            for (int k = 0; k < COLUMNS; k++) {
                f4 p = wri_all(at[LANES * tiles * k + i]);
                low[k] += p * x;
                high[k] += p * y;
            }
        }
        for (int k = 0; k < COLUMNS; k++) {
            sum[2 * (j + k)] = low[k];
            sum[2 * (j + k) + 1] = high[k];
        }
    }
}

// --- panels -----------------------------------------------------------------------------------

typedef struct panel {
    const float *values;
    const int *rows; // nodes of the segment
    int width, size; // scalars
} panel;

static inline void multiply(const float *values, int columns, int tiles, int lanes, const float *b,
                            float *out)
{
    if (lanes > 1) {
        multiply_side(values, columns, tiles, b, out);
    } else if (tiles == 3) {
        multiply_quads(values, columns, 6, b, out);
    } else if (tiles == 2) {
        multiply_quads(values, columns, 4, b, out);
    } else {
        multiply_quads(values, columns, 2, b, out);
    }
}

static inline void add_product(const float *values, int columns, int tiles, int lanes,
                               const float *g, f4 *sum)
{
    if (lanes > 1) {
        add_side(values, columns, tiles, g, sum);
    } else if (tiles == 3) {
        add_quads(values, columns, 6, g, sum);
    } else if (tiles == 2) {
        add_quads(values, columns, 4, g, sum);
    } else {
        add_quads(values, columns, 2, g, sum);
    }
}

static inline void scatter(const float *out, const int *rows, int count, int lanes, float *segment)
{
    for (int i = 0; i < count; i++) {
        float *to = segment + 3 * (size_t)lanes * (size_t)rows[i];
        for (int k = 0; k < 3 * lanes; k++) {
            to[k] += out[3 * lanes * i + k];
        }
    }
}

static inline void gather(const float *segment, const int *rows, int count, int lanes, float *out)
{
    for (int i = 0; i < count; i++) {
        memcpy(out + 3 * lanes * i, segment + 3 * (size_t)lanes * (size_t)rows[i],
               3 * (size_t)lanes * sizeof *out);
    }
}

static inline int at_most(int a, int b)
{
    return a < b ? a : b;
}

static inline void forward(const panel *p, int lanes, float *segment)
{
    _Alignas(32) float b[WRI_PANEL * LANES], out[WRI_GROUP * LANES];
    float *own = segment + 3 * (size_t)lanes * (size_t)p->rows[0];
    const float *values = p->values;
    memcpy(b, own, (size_t)(p->width * lanes) * sizeof *own);
    for (int begin = 0; begin < p->size; begin += WRI_GROUP) {
        int rows = at_most(p->size - begin, WRI_GROUP), tiles = wri_tile_count(rows);
        int columns = at_most(p->width, begin + WRI_GROUP);
        multiply(values, columns, tiles, lanes, b, out);
        values += LANES * tiles * columns;
        int done = 0;
        if (begin < p->width) {
            done = at_most(p->width - begin, rows);
            memcpy(own + begin * lanes, out, (size_t)(done * lanes) * sizeof *own);
        }
        scatter(out + done * lanes, p->rows + (begin + done) / 3, (rows - done) / 3, lanes,
                segment);
    }
}

// From the last group to the first: the panels of a task stream by from end to begin.
static inline void backward(const panel *p, int lanes, float *segment)
{
    f4 sum[WRI_PANEL * 2];
    _Alignas(32) float g[WRI_GROUP * LANES];
    float *own = segment + 3 * (size_t)lanes * (size_t)p->rows[0];
    const float *values = p->values + wri_panel_size(p->width, p->size);
    memset(sum, 0, (size_t)(lanes > 1 ? 2 * p->width : p->width) * sizeof *sum);
    for (int begin = (p->size - 1) / WRI_GROUP * WRI_GROUP; begin >= 0; begin -= WRI_GROUP) {
        int rows = at_most(p->size - begin, WRI_GROUP), tiles = wri_tile_count(rows);
        int columns = at_most(p->width, begin + WRI_GROUP);
        memset(g + (tiles - 1) * LANES * lanes, 0, (size_t)(LANES * lanes) * sizeof *g);
        gather(segment, p->rows + begin / 3, rows / 3, lanes, g);
        values -= LANES * tiles * columns;
        add_product(values, columns, tiles, lanes, g, sum);
    }
    for (int j = 0; j < p->width && lanes == 1; j++) {
        own[j] = sum_parts(sum[j]);
    }
    if (lanes > 1) {
        memcpy(own, sum, (size_t)(p->width * lanes) * sizeof *own);
    }
}

// --- tasks ------------------------------------------------------------------------------------

typedef struct solution {
    const wri_factor *f;
    const wri_path *up, *down; // NULL: everything
    float *x;                  // columns of 3 floats per node, where everything is asked or wanted
    int columns, lanes;
    float *work;
    int first; // task of the level, in the list of all levels
} solution;

static float *segment_of(const solution *c, int t)
{
    return c->work + 3 * (size_t)c->lanes * c->f->plan->segment[t];
}

static float *border_of(const solution *c, int t)
{
    return segment_of(c, t) + 3 * (size_t)c->lanes * (size_t)wri_task_nodes(c->f->plan, t);
}

// Between the caller's columns and lanes.
static void take_right_sides(const solution *c, int t)
{
    const wri_plan *p = c->f->plan;
    size_t begin = 3 * (size_t)p->first[p->task_super[t]], count = 3 * (size_t)wri_task_nodes(p, t);
    float *segment = segment_of(c, t);
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < c->columns; k++) {
            segment[i * (size_t)c->lanes + (size_t)k] =
                c->x[(size_t)k * 3 * (size_t)p->count + begin + i];
        }
    }
    memset(border_of(c, t), 0,
           3 * (size_t)c->lanes * (size_t)wri_task_border(p, t) * sizeof *segment);
}

static void give_solutions(const solution *c, int t)
{
    const wri_plan *p = c->f->plan;
    size_t begin = 3 * (size_t)p->first[p->task_super[t]], count = 3 * (size_t)wri_task_nodes(p, t);
    const float *segment = segment_of(c, t);
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < c->columns; k++) {
            c->x[(size_t)k * 3 * (size_t)p->count + begin + i] =
                segment[i * (size_t)c->lanes + (size_t)k];
        }
    }
}

static void add_children(const solution *c, int t)
{
    const wri_plan *p = c->f->plan;
    for (int d = p->task_child[t]; d >= 0; d = p->task_sibling[d]) {
        if (!c->up || c->up->index[d] >= 0) {
            scatter(border_of(c, d), p->link + p->link_begin[d], wri_task_border(p, d), c->lanes,
                    segment_of(c, t));
        }
    }
}

static panel panel_at(const wri_plan *p, int s, int begin, const float *values)
{
    return (panel){values, p->rows + p->row_begin[s] + begin / 3,
                   wri_panel_width(3 * wri_super_width(p, s), begin),
                   3 * wri_super_height(p, s) - begin};
}

static void forward_super(const solution *c, int s, float *segment)
{
    const wri_plan *p = c->f->plan;
    const float *values = c->f->values + p->value_begin[s];
    for (int begin = 0; begin < 3 * wri_super_width(p, s); begin += WRI_PANEL) {
        panel at = panel_at(p, s, begin, values);
        values += wri_panel_size(at.width, at.size);
        if (c->lanes == 1) {
            forward(&at, 1, segment); // two constants: the compiler makes two functions
        } else {
            forward(&at, LANES, segment);
        }
    }
}

static void backward_super(const solution *c, int s, float *segment)
{
    const wri_plan *p = c->f->plan;
    const float *values = c->f->values + p->value_begin[s + 1];
    int last = (3 * wri_super_width(p, s) - 1) / WRI_PANEL * WRI_PANEL;
    for (int begin = last; begin >= 0; begin -= WRI_PANEL) {
        panel at = panel_at(p, s, begin, NULL);
        values -= wri_panel_size(at.width, at.size);
        at.values = values;
        if (c->lanes == 1) {
            backward(&at, 1, segment);
        } else {
            backward(&at, LANES, segment);
        }
    }
}

static void forward_task(void *context, int block, int begin, int end)
{
    const solution *c = context;
    const wri_plan *p = c->f->plan;
    int i = c->first + begin, t = c->up ? c->up->task[i] : p->level_task[i];
    float *segment = segment_of(c, t);
    (void)block, (void)end; // one task at a time
    if (!c->up) {
        take_right_sides(c, t);
    }
    add_children(c, t);
    if (c->up) {
        for (int k = c->up->super_begin[i]; k < c->up->super_begin[i + 1]; k++) {
            forward_super(c, c->up->super[k], segment);
        }
        return;
    }
    for (int s = p->task_super[t]; s < p->task_super[t + 1]; s++) {
        forward_super(c, s, segment);
    }
}

static void backward_task(void *context, int block, int begin, int end)
{
    const solution *c = context;
    const wri_plan *p = c->f->plan;
    int i = c->first + begin, t = c->down ? c->down->task[i] : p->level_task[i];
    float *segment = segment_of(c, t);
    (void)block, (void)end;
    if (p->task_parent[t] >= 0) {
        gather(segment_of(c, p->task_parent[t]), p->link + p->link_begin[t], wri_task_border(p, t),
               c->lanes, border_of(c, t));
    }
    if (c->down) {
        for (int k = c->down->super_begin[i + 1] - 1; k >= c->down->super_begin[i]; k--) {
            backward_super(c, c->down->super[k], segment);
        }
        return;
    }
    for (int s = p->task_super[t + 1] - 1; s >= p->task_super[t]; s--) {
        backward_super(c, s, segment);
    }
    give_solutions(c, t);
}

// Starting threads costs as much as reading this many floats of L.
static const size_t TASKS_FROM = (size_t)1 << 20;

static void solve(solution *c, size_t value_count, const wr_tasks *tasks)
{
    tasks = value_count * (size_t)c->lanes < TASKS_FROM ? NULL : tasks;
    const wri_plan *p = c->f->plan;
    const int *up = c->up ? c->up->level_begin : p->level_begin;
    const int *down = c->down ? c->down->level_begin : p->level_begin;
    for (int l = 0; l < p->level_count; l++) {
        c->first = up[l];
        wri_parallel_for(tasks, up[l + 1] - up[l], 1, forward_task, c);
    }
    for (int l = p->level_count - 1; l >= 0; l--) {
        c->first = down[l];
        wri_parallel_for(tasks, down[l + 1] - down[l], 1, backward_task, c);
    }
}

// --- all --------------------------------------------------------------------------------------

void wri_factor_solve(wri_factor *f, float *x, const wr_tasks *tasks)
{
    solution c = {.f = f, .x = x, .columns = 1, .lanes = 1, .work = f->work};
    solve(&c, wri_plan_value_count(f->plan), tasks);
}

bool wri_factor_solve_many(wri_factor *f, float *x, int columns, const wr_tasks *tasks,
                           wr_error *error)
{
    size_t size = 3 * LANES * f->plan->segment[f->plan->task_count];
    float *work = wri_alloc(&f->allocator, size, sizeof *work);
    if (!work) {
        return wri_fail_memory(error, size * sizeof *work);
    }
    for (int k = 0; k < columns; k += LANES) {
        solution c = {.f = f, .x = x + 3 * (size_t)f->plan->count * (size_t)k, .work = work};
        c.columns = columns - k < LANES ? columns - k : LANES;
        c.lanes = LANES;
        solve(&c, wri_plan_value_count(f->plan), tasks);
    }
    wri_free(&f->allocator, work, size, sizeof *work);
    return true;
}

// Zero wherever a path leads, but for its nodes.
static void take_path(const solution *c, const wri_path *path, const float *b)
{
    const wri_plan *p = c->f->plan;
    WR_ASSERT(path->plan == p);
    for (int i = 0; i < path->level_begin[p->level_count]; i++) {
        int t = path->task[i];
        memset(border_of(c, t), 0, 3 * (size_t)wri_task_border(p, t) * sizeof *b);
        for (int k = path->super_begin[i]; k < path->super_begin[i + 1]; k++) {
            int s = path->super[k];
            memset(segment_of(c, t) + 3 * (size_t)p->rows[p->row_begin[s]], 0,
                   3 * (size_t)wri_super_width(p, s) * sizeof *b);
        }
    }
    for (int i = 0; i < path->count; i++) {
        memcpy(c->work + 3 * path->place[i], b + 3 * (size_t)i, 3 * sizeof *b);
    }
}

void wri_factor_solve_path(wri_factor *f, const wri_path *path, float *x, const wr_tasks *tasks)
{
    solution c = {.f = f, .up = path, .down = path, .columns = 1, .lanes = 1, .work = f->work};
    take_path(&c, path, x);
    solve(&c, path->value_count, tasks);
    for (int i = 0; i < path->count; i++) {
        memcpy(x + 3 * (size_t)i, f->work + 3 * path->place[i], 3 * sizeof *x);
    }
}

void wri_factor_solve_from(wri_factor *f, const wri_path *path, const float *b, float *x,
                           const wr_tasks *tasks)
{
    solution c = {.f = f, .up = path, .x = x, .columns = 1, .lanes = 1, .work = f->work};
    memset(f->work, 0, 3 * f->plan->segment[f->plan->task_count] * sizeof *f->work);
    take_path(&c, path, b);
    solve(&c, wri_plan_value_count(f->plan), tasks);
}
