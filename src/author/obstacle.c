// obstacle.c: minima of the Laplacian energy within bounds.
//
// In the manner of C. Gräser, R. Kornhuber. Multigrid methods for obstacle problems. J. Comput.
// Math. 27, 2009 (truncated nonsmooth Newton multigrid). A round is
// 1. projected Gauss-Seidel sweeps with Q = L M^-1 L, which find the vertices F off the bounds;
// 2. a few steps of conjugate gradients for Q_FF e = -(Q w)_F, the first along the way of the last
//    round;
// 3. w + e, cut off at the bounds.
// The preconditioner is V M V with V a multigrid cycle for L_FF. With the exact inverse of L_FF
// that is a plate simply supported where that of Q_FF is clamped: the condition number is about
// size / (6 h), by few modes, plus one mode for every fixed point. Where step 3 raised the energy,
// the next one goes only as far as lowers it most. To look for that length always takes some
// columns ten times the rounds: kinks at the cut make it short, but the next sweeps even them out.
#include "obstacle.h"

// Few steps lose what conjugate directions gain, many aim at an optimum that the next set F does
// not have: 5 to 10 are best on good meshes. Bad ones get more, see judge.
typedef wri_wide_row row;
enum { W = WRI_WIDTH, SWEEPS = 2, STEPS = 6, STEPS_MOST = 48, ROUNDS = 3 };

typedef struct block {
    const wri_obstacle *o;
    const wri_grid_level *level;
    const wri_sparse *l; // its Laplacian
    size_t size;
    int columns[W], count;
    int steps;   // steps in a round
    double snap; // smaller weights are none: else many vertices dither at the bound
    wri_arena arena;
    wri_cycle cycle;
    const wri_cycle_level *mask;
    row *w, *a;                // weights; a = M^-1 L w
    row *before;               // weights when the last round's F was found
    row *r, *p, *q, *t;        // vectors of conjugate gradients
    row *e;                    // correction
    uint8_t *near, *nearer;    // rows where anything may be other than 0
    int *rows, row_count;      // rows with free vertices
    int *around, around_count; // those and their neighbours
    row energy, change, first_change;
    bool has_before[W], is_damped[W];
} block;

static bool create_block(block *b)
{
    const wri_obstacle *o = b->o;
    b->level = &o->hierarchy->levels[o->level];
    b->l = &b->level->laplacian.stiffness;
    b->size = (size_t)b->l->size;
    b->snap = 1e-3 * o->tolerance;
    b->arena = wri_arena_create(&o->allocator);
    b->mask = &b->cycle.levels[o->level];
    row **vectors[] = {&b->w, &b->a, &b->before, &b->r, &b->p, &b->q, &b->t, &b->e};
    bool ok = wri_cycle_create(&b->cycle, &b->arena, o->hierarchy, o->level);
    for (int k = 0; ok && k < WRI_COUNT(vectors); k++) {
        *vectors[k] = wri_arena_alloc(&b->arena, b->size, sizeof(row));
        ok = *vectors[k] != NULL;
    }
    b->near = wri_arena_alloc(&b->arena, b->size, 1);
    b->nearer = wri_arena_alloc(&b->arena, b->size, 1);
    b->rows = wri_arena_alloc(&b->arena, b->size, sizeof(int));
    b->around = wri_arena_alloc(&b->arena, b->size, sizeof(int));
    return ok && b->near && b->nearer && b->rows && b->around;
}

// --- products ---------------------------------------------------------------------------------

// Marks in `to` the rows with an entry in a column of `from`.
static void spread(const block *b, const uint8_t *from, uint8_t *to)
{
    memset(to, 0, b->size);
    for (size_t i = 0; i < b->size; i++) {
        for (int e = b->l->begin[i]; from[i] && e < b->l->begin[i + 1]; e++) {
            to[b->l->index[e]] = 1;
        }
    }
}

// Rows go in and out by address: by value the calling convention depends on the processor.
static inline void multiply_row(const wri_sparse *l, size_t i, const row *x, row *out)
{
    row sum = {0};
    for (int e = l->begin[i]; e < l->begin[i + 1]; e++) {
        sum += l->values[e] * x[l->index[e]];
    }
    *out = sum;
}

// Computes y = M^-1 L x for an x that is 0 where nothing is free, around the rows where it is not.
static void laplace(const block *b, const row *x, row *y)
{
    for (int k = 0; k < b->around_count; k++) {
        size_t i = (size_t)b->around[k];
        multiply_row(b->l, i, x, &y[i]);
        y[i] *= b->level->inverse_mass[i];
    }
}

// Computes y = (L a)_F.
static void laplace_free(const block *b, const row *a, row *y)
{
    for (int k = 0; k < b->row_count; k++) {
        size_t i = (size_t)b->rows[k];
        multiply_row(b->l, i, a, &y[i]);
        y[i] *= __builtin_convertvector(b->mask->is_free[i], row);
    }
}

static void dot(const block *b, const row *x, const row *y, row *out)
{
    row sum = {0};
    for (int k = 0; k < b->row_count; k++) {
        sum += x[b->rows[k]] * y[b->rows[k]];
    }
    *out = sum;
}

// Adds y += factor x.
static void add(const block *b, const row *factor, const row *x, row *y)
{
    for (int k = 0; k < b->row_count; k++) {
        y[b->rows[k]] += *factor * x[b->rows[k]];
    }
}

static void divide(const row *a, const row *b, double sign, row *out)
{
    for (int c = 0; c < W; c++) {
        (*out)[c] = (*b)[c] > 0.0 ? sign * (*a)[c] / (*b)[c] : 0.0;
    }
}

static double clamp(double value)
{
    return value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;
}

// --- which vertices are free ------------------------------------------------------------------

// Finds a, and the rows where the gradient may be other than 0.
static void prepare_sweeps(block *b)
{
    for (size_t i = 0; i < b->size; i++) {
        b->near[i] = b->w[i][0] + b->w[i][1] + b->w[i][2] + b->w[i][3] > 0.0;
    }
    spread(b, b->near, b->nearer);
    for (size_t i = 0; i < b->size; i++) {
        b->a[i] = (row){0};
        if (b->nearer[i]) {
            multiply_row(b->l, i, b->w, &b->a[i]);
            b->a[i] *= b->level->inverse_mass[i];
        }
    }
    spread(b, b->nearer, b->near);
}

// Does one sweep of projected Gauss-Seidel; keeps a.
static void sweep(block *b, bool forwards)
{
    const wri_sparse *l = b->l;
    for (size_t k = 0; k < b->size; k++) {
        size_t i = forwards ? k : b->size - 1 - k;
        if (b->level->key[i] >= 0 || !b->near[i]) {
            continue;
        }
        row g;
        double moved = 0.0;
        multiply_row(l, i, b->a, &g);
        for (int c = 0; c < W; c++) {
            double next = clamp(b->w[i][c] - g[c] / b->level->stiffness[i]);
            next = next < b->snap ? 0.0 : next;
            g[c] = next - b->w[i][c];
            b->w[i][c] = next;
            moved += fabs(g[c]);
        }
        for (int e = l->begin[i]; moved > 0.0 && e < l->begin[i + 1]; e++) {
            b->a[l->index[e]] += l->values[e] * b->level->inverse_mass[l->index[e]] * g;
        }
    }
}

static void find_free(block *b)
{
    wri_row *is_free = b->cycle.levels[b->o->level].is_free;
    for (size_t i = 0; i < b->size; i++) {
        bool can_move = b->level->key[i] < 0;
        for (int c = 0; c < W; c++) {
            is_free[i][c] = can_move && b->w[i][c] > 0.0 && b->w[i][c] < 1.0 ? 1.0f : 0.0f;
        }
    }
    wri_cycle_mask(&b->cycle);
    spread(b, b->mask->any_free, b->near);
    b->row_count = b->around_count = 0;
    for (size_t i = 0; i < b->size; i++) {
        b->rows[b->row_count] = b->around[b->around_count] = (int)i;
        b->row_count += b->mask->any_free[i];
        b->around_count += b->near[i];
    }
}

// Measures the energy, and finds out whether the last round was good.
static void measure_energy(block *b)
{
    row energy = {0};
    for (size_t i = 0; i < b->size; i++) {
        energy += 0.5 * b->level->laplacian.mass[i] * b->a[i] * b->a[i];
    }
    for (int c = 0; c < W; c++) {
        b->is_damped[c] = b->has_before[c] && energy[c] > b->energy[c];
    }
    b->energy = energy;
}

// --- the optimum with free vertices only ------------------------------------------------------

// Computes t = V M V r, and r . t.
static void precondition(block *b, row *product)
{
    wri_cycle_level *v = &b->cycle.levels[b->o->level];
    for (int k = 0; k < b->row_count; k++) {
        v->b[b->rows[k]] = __builtin_convertvector(b->r[b->rows[k]], wri_row);
    }
    wri_cycle_run(&b->cycle);
    for (int k = 0; k < b->row_count; k++) {
        int i = b->rows[k];
        v->b[i] = (float)b->level->laplacian.mass[i] * v->x[i];
    }
    wri_cycle_run(&b->cycle);
    for (int k = 0; k < b->row_count; k++) {
        b->t[b->rows[k]] = __builtin_convertvector(v->x[b->rows[k]], row);
    }
    dot(b, b->r, b->t, product);
}

// Sets p = t + beta p.
static void turn(block *b, const row *beta)
{
    for (int k = 0; k < b->row_count; k++) {
        int i = b->rows[k];
        b->p[i] = b->t[i] + *beta * b->p[i];
    }
}

// Moves e and r along p as far as is best; pq = p' Q p.
static void step_along(block *b, row *pq)
{
    row along, back;
    laplace(b, b->p, b->t);
    laplace_free(b, b->t, b->q);
    dot(b, b->p, b->q, pq);
    dot(b, b->p, b->r, &along);
    divide(&along, pq, -1.0, &back);
    divide(&along, pq, 1.0, &along);
    add(b, &along, b->p, b->e);
    add(b, &back, b->q, b->r);
}

// Sets r = -(Q w)_F, e = 0, and p to the way of the last round as far as it leads through F.
static void start_steps(block *b)
{
    laplace_free(b, b->a, b->r);
    for (size_t i = 0; i < b->size; i++) {
        b->r[i] = -b->r[i];
        b->e[i] = (row){0};
        for (int c = 0; c < W; c++) {
            bool is_used = b->has_before[c] && b->mask->is_free[i][c] > 0.0f;
            b->p[i][c] = is_used ? b->w[i][c] - b->before[i][c] : 0.0;
        }
        b->before[i] = b->w[i];
    }
}

// Finds an e that nearly minimises the energy of w + e over F.
static void solve_free(block *b)
{
    row pq, rt, next, beta;
    start_steps(b);
    step_along(b, &pq);
    precondition(b, &rt);
    dot(b, b->t, b->q, &beta); // conjugate to the way of the last round
    divide(&beta, &pq, -1.0, &beta);
    for (int s = 0; s < b->steps; s++) {
        turn(b, &beta);
        step_along(b, &pq);
        if (s + 1 < b->steps) {
            precondition(b, &next);
            divide(&next, &rt, 1.0, &beta);
            rt = next;
        }
    }
}

// Finds how much of e lowers the energy most.
static void find_length(block *b, row *length)
{
    row slope, bend = {0};
    laplace(b, b->e, b->t);
    laplace_free(b, b->a, b->r);
    dot(b, b->r, b->e, &slope);
    for (int k = 0; k < b->around_count; k++) {
        int i = b->around[k];
        bend += b->level->laplacian.mass[i] * b->t[i] * b->t[i];
    }
    divide(&slope, &bend, -1.0, length);
}

// Adds e to w within the bounds; of damped columns only as much of it as is best.
static void correct(block *b)
{
    row length = {1.0, 1.0, 1.0, 1.0}, best = {0};
    bool is_damped = false;
    b->change = (row){0};
    for (int k = 0; k < b->row_count; k++) {
        int i = b->rows[k];
        for (int c = 0; c < W; c++) {
            b->e[i][c] = clamp(b->w[i][c] + b->e[i][c]) - b->w[i][c];
            b->change[c] = fmax(b->change[c], fabs(b->e[i][c]));
        }
    }
    for (int c = 0; c < W; c++) {
        is_damped = is_damped || b->is_damped[c];
    }
    if (is_damped) {
        find_length(b, &best);
    }
    for (int c = 0; c < W; c++) {
        length[c] = b->is_damped[c] ? clamp(best[c]) : 1.0;
    }
    add(b, &length, b->e, b->w);
}

// --- rounds -----------------------------------------------------------------------------------

static void load(block *b)
{
    b->steps = STEPS;
    for (size_t c = 0; c < (size_t)b->count; c++) {
        size_t first = (size_t)b->columns[c] * b->size;
        const wri_obstacle_column *column = &b->o->columns[b->columns[c]];
        b->energy[c] = column->energy;
        b->steps = column->steps > b->steps ? column->steps : b->steps;
        b->has_before[c] = column->rounds > 0;
        for (size_t i = 0; i < b->size; i++) {
            b->w[i][c] = b->o->w[first + i];
            b->before[i][c] = b->o->before[first + i];
        }
    }
}

// Estimates what is still to come when changes shrink as they did; takes more steps when they
// shrink slowly.
static void judge(const block *b, int c, wri_obstacle_column *column)
{
    double ratio = b->first_change[c] > 0.0 ? b->change[c] / b->first_change[c] : 0.0;
    double rate = fmin(pow(ratio, 1.0 / (ROUNDS - 1)), 0.95);
    column->error = b->change[c] * fmax(1.0, rate / (1.0 - rate));
    column->is_done = column->error <= b->o->tolerance;
    column->steps = rate > 0.7 && b->steps < STEPS_MOST ? 2 * b->steps : b->steps;
}

static void store(const block *b)
{
    for (size_t c = 0; c < (size_t)b->count; c++) {
        size_t first = (size_t)b->columns[c] * b->size;
        wri_obstacle_column *column = &b->o->columns[b->columns[c]];
        column->energy = b->energy[c];
        column->rounds += ROUNDS;
        judge(b, (int)c, column);
        for (size_t i = 0; i < b->size; i++) {
            b->o->w[first + i] = b->w[i][c];
            b->o->before[first + i] = b->before[i][c];
        }
    }
}

static void smooth(block *b)
{
    prepare_sweeps(b);
    for (int s = 0; s < SWEEPS; s++) {
        sweep(b, s % 2 == 0);
    }
    find_free(b);
}

typedef struct run {
    const wri_obstacle *o;
    int *open; // columns that are not over
    int open_count;
    bool *is_out_of_memory; // true for each block that ran out of memory
} run;

static void run_block(void *context, int index, int begin, int end)
{
    run *r = context;
    block b = {.o = r->o, .count = end - begin};
    memcpy(b.columns, r->open + begin, (size_t)b.count * sizeof *b.columns);
    r->is_out_of_memory[index] = !create_block(&b);
    if (!r->is_out_of_memory[index]) {
        load(&b);
        for (int round = 0; round < ROUNDS; round++) {
            smooth(&b);
            measure_energy(&b);
            solve_free(&b);
            correct(&b);
            b.first_change = round == 0 ? b.change : b.first_change;
            for (int c = 0; c < W; c++) {
                b.has_before[c] = true;
            }
        }
        smooth(&b);
        store(&b);
    }
    wri_arena_destroy(&b.arena);
}

bool wri_obstacle_is_over(const wri_obstacle *o, int column)
{
    return o->columns[column].is_done || o->columns[column].rounds >= o->round_limit;
}

bool wri_obstacle_run(wri_obstacle *o)
{
    size_t count = (size_t)o->column_count;
    run r = {.o = o, .open = wri_alloc(&o->allocator, count, sizeof *r.open)};
    r.is_out_of_memory = wri_alloc(&o->allocator, count, sizeof *r.is_out_of_memory);
    bool ok = r.open && r.is_out_of_memory;
    for (int j = 0; ok && j < o->column_count; j++) {
        r.open[r.open_count] = j;
        r.open_count += !wri_obstacle_is_over(o, j);
    }
    if (ok) {
        wri_parallel_for(&o->tasks, r.open_count, W, run_block, &r);
    }
    for (size_t j = 0; ok && j < count; j++) {
        ok = !r.is_out_of_memory[j];
    }
    wri_free(&o->allocator, r.open, count, sizeof *r.open);
    wri_free(&o->allocator, r.is_out_of_memory, count, sizeof *r.is_out_of_memory);
    return ok;
}
