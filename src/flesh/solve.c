// solve.c: solutions with a factor: forward up the tree, backward down again.
//
// A panel keeps P = [X; -N] (front.c). Forward, its own part b of the right side becomes X b, and
// -N b is added to the rows below; backward, its part x becomes P' [x; rows below]. Both are one
// product with the same numbers, which stream through once.
//
// Several right sides go side by side, a lane each; `lanes` is 1 or LANES everywhere.
#include "plan.h"

enum {
    BLOCK = 16 * LANES * 3, // rows at a time: whole tiles and whole nodes
    HALF = LANES / 2,
    TILES = 4, // at a time
};

// --- one right side ---------------------------------------------------------------------------

// `tiles` tiles, whose sums do not wait for one another.
static inline void multiply_tiles(const float *panel, int width, int tiles, const float *b,
                                  float *out)
{
    f4 low[TILES], high[TILES];
    for (int t = 0; t < tiles; t++) {
        low[t] = high[t] = (f4){0};
    }
    for (int j = 0; j < width; j++) {
        f4 x = wri_all(b[j]);
        for (int t = 0; t < tiles; t++) {
            const float *at = panel + LANES * (t * width + j);
            low[t] += wri_load(at) * x;
            high[t] += wri_load(at + HALF) * x;
        }
    }
    for (int t = 0; t < tiles; t++) {
        wri_store(out + LANES * t, low[t]);
        wri_store(out + LANES * t + HALF, high[t]);
    }
}

// out = P b for some tiles, of which `lead` are short. Returns the end of the panel.
static const float *multiply(const float *panel, int width, int lead, int tiles, const float *b,
                             float *out)
{
    int t = 0;
    for (; t < lead; t++) {
        multiply_tiles(panel, LANES * (t + 1), 1, b, out + LANES * t);
        panel += LANES * LANES * (t + 1);
    }
    for (; t + TILES <= tiles; t += TILES, panel += TILES * LANES * width) {
        multiply_tiles(panel, width, TILES, b, out + LANES * t);
    }
    for (; t < tiles; t++, panel += LANES * width) {
        multiply_tiles(panel, width, 1, b, out + LANES * t);
    }
    return panel;
}

static inline void add_tile(const float *panel, int width, const float *g, f4 *sum)
{
    f4 low = wri_load(g), high = wri_load(g + HALF);
    for (int j = 0; j < width; j++) {
        sum[j] += wri_load(panel + LANES * j) * low + wri_load(panel + LANES * j + HALF) * high;
    }
}

// Two tiles: the sums are loaded and stored half as often.
static inline void add_tiles(const float *panel, int width, const float *g, f4 *sum)
{
    const float *next = panel + LANES * width;
    f4 g0 = wri_load(g), g1 = wri_load(g + HALF), g2 = wri_load(g + 2 * HALF),
       g3 = wri_load(g + 3 * HALF);
    for (int j = 0; j < width; j++) {
        sum[j] += (wri_load(panel + LANES * j) * g0 + wri_load(panel + LANES * j + HALF) * g1) +
                  (wri_load(next + LANES * j) * g2 + wri_load(next + LANES * j + HALF) * g3);
    }
}

// sum += P' g, each in four parts.
static const float *multiply_transposed(const float *panel, int width, int lead, int tiles,
                                        const float *g, f4 *sum)
{
    int t = 0;
    for (; t < lead; t++) {
        add_tile(panel, LANES * (t + 1), g + LANES * t, sum);
        panel += LANES * LANES * (t + 1);
    }
    for (; t + 2 <= tiles; t += 2, panel += 2 * LANES * width) {
        add_tiles(panel, width, g + LANES * t, sum);
    }
    if (t < tiles) {
        add_tile(panel, width, g + LANES * t, sum);
        panel += LANES * width;
    }
    return panel;
}

static inline float sum_parts(f4 a)
{
    return (a[0] + a[2]) + (a[1] + a[3]);
}

// --- several right sides ----------------------------------------------------------------------

// The same with LANES numbers beside one another instead of each of b, out, g and sum.
static const float *multiply_side(const float *panel, int width, int lead, int tiles,
                                  const float *b, float *out)
{
    for (int t = 0; t < tiles; t++) {
        int columns = t < lead ? LANES * (t + 1) : width;
        for (int i = 0; i < LANES; i++, out += LANES) {
            f4 low = {0}, high = {0};
            for (int j = 0; j < columns; j++) {
                f4 p = wri_all(panel[LANES * j + i]);
                low += p * wri_load(b + LANES * j);
                high += p * wri_load(b + LANES * j + HALF);
            }
            wri_store(out, low);
            wri_store(out + HALF, high);
        }
        panel += LANES * columns;
    }
    return panel;
}

static const float *multiply_side_transposed(const float *panel, int width, int lead, int tiles,
                                             const float *g, float *sum)
{
    for (int t = 0; t < tiles; t++, g += LANES * LANES) {
        int columns = t < lead ? LANES * (t + 1) : width;
        for (int j = 0; j < columns; j++, panel += LANES) {
            f4 low = wri_load(sum + LANES * j), high = wri_load(sum + LANES * j + HALF);
            for (int i = 0; i < LANES; i++) {
                low += wri_all(panel[i]) * wri_load(g + LANES * i);
                high += wri_all(panel[i]) * wri_load(g + LANES * i + HALF);
            }
            wri_store(sum + LANES * j, low);
            wri_store(sum + LANES * j + HALF, high);
        }
    }
    return panel;
}

// --- panels -----------------------------------------------------------------------------------

typedef struct panel {
    const float *values;
    const int *rows; // nodes of the segment
    int width, size; // scalars
} panel;

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

static inline void forward(const panel *p, int lanes, float *segment)
{
    _Alignas(32) float b[WRI_PANEL * LANES], out[BLOCK * LANES];
    float *own = segment + 3 * (size_t)lanes * (size_t)p->rows[0];
    const float *values = p->values;
    memcpy(b, own, (size_t)(p->width * lanes) * sizeof *own);
    for (int begin = 0; begin < p->size; begin += BLOCK) {
        int rows = p->size - begin < BLOCK ? p->size - begin : BLOCK, tiles = wri_tile_count(rows);
        int lead = begin == 0 ? wri_lead_count(p->width) : 0, skip = begin == 0 ? p->width : 0;
        values = lanes == 1 ? multiply(values, p->width, lead, tiles, b, out)
                            : multiply_side(values, p->width, lead, tiles, b, out);
        memcpy(own, out, (size_t)(skip * lanes) * sizeof *own);
        scatter(out + skip * lanes, p->rows + (begin + skip) / 3, (rows - skip) / 3, lanes,
                segment);
    }
}

static inline void backward(const panel *p, int lanes, float *segment)
{
    f4 sum[WRI_PANEL * 2];
    _Alignas(32) float g[BLOCK * LANES];
    float *own = segment + 3 * (size_t)lanes * (size_t)p->rows[0];
    const float *values = p->values;
    memset(sum, 0, sizeof sum);
    for (int begin = 0; begin < p->size; begin += BLOCK) {
        int rows = p->size - begin < BLOCK ? p->size - begin : BLOCK, tiles = wri_tile_count(rows);
        int lead = begin == 0 ? wri_lead_count(p->width) : 0;
        memset(g + (tiles - 1) * LANES * lanes, 0, (size_t)(LANES * lanes) * sizeof *g);
        gather(segment, p->rows + begin / 3, rows / 3, lanes, g);
        values = lanes == 1
                     ? multiply_transposed(values, p->width, lead, tiles, g, sum)
                     : multiply_side_transposed(values, p->width, lead, tiles, g, (float *)sum);
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
    const wri_path *path; // NULL: everything
    float *x;             // columns of 3 floats per node; not used with a path
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
        if (!c->path || c->path->index[d] >= 0) {
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
    int i = c->first + begin, t = c->path ? c->path->task[i] : p->level_task[i];
    float *segment = segment_of(c, t);
    (void)block, (void)end; // one task at a time
    if (!c->path) {
        take_right_sides(c, t);
    }
    add_children(c, t);
    if (c->path) {
        for (int k = c->path->super_begin[i]; k < c->path->super_begin[i + 1]; k++) {
            forward_super(c, c->path->super[k], segment);
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
    int i = c->first + begin, t = c->path ? c->path->task[i] : p->level_task[i];
    float *segment = segment_of(c, t);
    (void)block, (void)end;
    if (p->task_parent[t] >= 0) {
        gather(segment_of(c, p->task_parent[t]), p->link + p->link_begin[t], wri_task_border(p, t),
               c->lanes, border_of(c, t));
    }
    if (c->path) {
        for (int k = c->path->super_begin[i + 1] - 1; k >= c->path->super_begin[i]; k--) {
            backward_super(c, c->path->super[k], segment);
        }
        return;
    }
    for (int s = p->task_super[t + 1] - 1; s >= p->task_super[t]; s--) {
        backward_super(c, s, segment);
    }
    give_solutions(c, t);
}

static void solve(solution *c, const wr_tasks *tasks)
{
    const int *level_begin = c->path ? c->path->level_begin : c->f->plan->level_begin;
    int levels = c->f->plan->level_count;
    for (int l = 0; l < levels; l++) {
        c->first = level_begin[l];
        wri_parallel_for(tasks, level_begin[l + 1] - level_begin[l], 1, forward_task, c);
    }
    for (int l = levels - 1; l >= 0; l--) {
        c->first = level_begin[l];
        wri_parallel_for(tasks, level_begin[l + 1] - level_begin[l], 1, backward_task, c);
    }
}

// --- all --------------------------------------------------------------------------------------

void wri_factor_solve(wri_factor *f, float *x, const wr_tasks *tasks)
{
    solution c = {.f = f, .x = x, .columns = 1, .lanes = 1, .work = f->work};
    solve(&c, tasks);
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
        solve(&c, tasks);
    }
    wri_free(&f->allocator, work, size, sizeof *work);
    return true;
}

void wri_factor_solve_path(wri_factor *f, const wri_path *path, float *x, const wr_tasks *tasks)
{
    const wri_plan *p = f->plan;
    solution c = {.f = f, .path = path, .columns = 1, .lanes = 1, .work = f->work};
    WR_ASSERT(path->plan == p);
    for (int i = 0; i < path->level_begin[p->level_count]; i++) {
        int t = path->task[i];
        memset(border_of(&c, t), 0, 3 * (size_t)wri_task_border(p, t) * sizeof *x);
        for (int k = path->super_begin[i]; k < path->super_begin[i + 1]; k++) {
            int s = path->super[k];
            memset(segment_of(&c, t) + 3 * (size_t)p->rows[p->row_begin[s]], 0,
                   3 * (size_t)wri_super_width(p, s) * sizeof *x);
        }
    }
    for (int i = 0; i < path->count; i++) {
        memcpy(f->work + 3 * path->place[i], x + 3 * (size_t)i, 3 * sizeof *x);
    }
    solve(&c, tasks);
    for (int i = 0; i < path->count; i++) {
        memcpy(x + 3 * (size_t)i, f->work + 3 * path->place[i], 3 * sizeof *x);
    }
}
