// biharmonic.c: bounded minima of the Laplacian energy, one column at a time.
//
// An active set of whole blocks (L. Portugal, J. Judice, L. Vicente. A comparison of block pivoting
// and interior-point algorithms for linear least squares problems with nonnegative variables.
// 1994): vertices are free, or kept at a bound. Solve for the free ones; keep those that came out
// beyond a bound at it, free those kept ones that the gradient r = Q w pulls inwards; until nothing
// changes. What makes it fast:
// - a weight is small nearly everywhere, so the systems are small;
// - the parts of a good order of elimination are good orders of the parts: AMD runs once;
// - as long as few vertices change sides, the last factor serves with a border.
// It ends at the optimum itself, where splitting the bounds off (ADMM) creeps: on a hand of 7 234
// vertices that took 430 rounds with all vertices to come within 1e-4.
#include "biharmonic.h"

#include "cholesky.h"

#define SMALL 1e-3 // first guesses under it start at the bound: smaller systems, as many rounds
enum { PATIENCE = 3, BORDER = 64 };

bool wri_biharmonic_build(wri_biharmonic *b, wri_arena *arena, wr_error *error)
{
    const wri_laplacian *l = b->laplacian;
    size_t n = (size_t)l->stiffness.size, free_count = (size_t)b->free_count;
    b->inverse_mass = wri_arena_alloc(arena, n, sizeof(double));
    b->diagonal = wri_arena_alloc(arena, free_count, sizeof(double));
    b->vertex = wri_arena_alloc(arena, free_count, sizeof(int));
    b->order = wri_arena_alloc(arena, free_count, sizeof(int));
    bool ok = b->inverse_mass && b->diagonal && b->vertex && b->order;
    for (size_t v = 0; ok && v < n; v++) {
        b->inverse_mass[v] = 1.0 / l->mass[v];
        if (b->place[v] >= 0) {
            b->vertex[b->place[v]] = (int)v;
        }
    }
    ok = ok &&
         wri_sparse_square(&b->lower, arena, &l->stiffness, b->inverse_mass, b->place,
                           b->free_count) &&
         wri_sparse_mirror(&b->full, arena, &b->lower);
    for (int i = 0; ok && i < b->free_count; i++) { // the diagonal is the last entry of its row
        b->diagonal[i] = b->lower.values[b->lower.begin[i + 1] - 1];
    }
    return ok ? wri_cholesky_order(&b->lower, b->order, error)
              : wri_fail_memory(error, n * sizeof(double));
}

// Computes r = Q w = L M^-1 L w of one column ((a) of weights.c), over all vertices; a is scratch.
void wri_biharmonic_gradient(const wri_biharmonic *p, const double *w, double *a, double *r)
{
    wri_sparse_multiply(&p->laplacian->stiffness, w, a, 1, NULL);
    for (int v = 0; v < p->laplacian->stiffness.size; v++) {
        a[v] *= p->inverse_mass[v];
    }
    wri_sparse_multiply(&p->laplacian->stiffness, a, r, 1, NULL);
}

// --- systems of free vertices -----------------------------------------------------------------

enum { FREE, LOW, HIGH };

typedef struct column {
    const wri_biharmonic *p;
    wri_arena arena;
    double *w;      // weights of all vertices
    double *a, *r;  // scratch and gradient, of all vertices
    uint8_t *state; // state of each free vertex of the mesh
    // The last system that was factored.
    wri_cholesky *cholesky;
    wri_sparse system;
    size_t entry_room;
    int count;
    int *local;  // number in that system of each free vertex of the mesh, -1: not in it
    int *member; // free vertex of each number
    int *order;
    double *b;
    // Vertices that changed sides since; see bordering.
    double *y; // BORDER columns of the length of the system
    int slot_count, slot_vertex[BORDER];
    int border_count, border[BORDER]; // slots of those that differ now
    double *dense;
} column;

static bool create_column(column *c, const wri_biharmonic *p, double *w)
{
    size_t n = (size_t)p->laplacian->stiffness.size, free_count = (size_t)p->free_count;
    *c = (column){.p = p, .arena = wri_arena_create(&p->allocator), .w = w};
    double *vectors = wri_arena_alloc(&c->arena, 2 * n, sizeof(double));
    c->dense = wri_arena_alloc(&c->arena, BORDER * BORDER, sizeof(double));
    c->b = wri_arena_alloc(&c->arena, free_count, sizeof(double));
    c->state = wri_arena_alloc(&c->arena, free_count, 1);
    c->local = wri_arena_alloc(&c->arena, free_count, sizeof(int));
    c->member = wri_arena_alloc(&c->arena, free_count, sizeof(int));
    c->order = wri_arena_alloc(&c->arena, free_count, sizeof(int));
    if (!vectors || !c->dense || !c->b || !c->state || !c->local || !c->member || !c->order) {
        return false;
    }
    c->a = vectors;
    c->r = vectors + n;
    return true;
}

static void free_system(column *c)
{
    const wr_allocator *allocator = &c->arena.allocator;
    wri_cholesky_destroy(c->cholesky);
    wri_free(allocator, c->system.begin, (size_t)c->count + 1, sizeof(int));
    wri_free(allocator, c->system.index, c->entry_room, sizeof(int));
    wri_free(allocator, c->system.values, c->entry_room, sizeof(double));
    wri_free(allocator, c->y, BORDER * (size_t)c->count, sizeof(double));
    c->y = NULL;
    c->slot_count = 0;
    c->cholesky = NULL;
    c->system = (wri_sparse){0};
}

// The rows and columns of Q that are free in this column now.
static bool extract_system(column *c)
{
    const wri_biharmonic *p = c->p;
    const wri_sparse *q = &p->lower;
    free_system(c);
    c->entry_room = 0;
    c->count = 0;
    for (int i = 0; i < p->free_count; i++) {
        c->local[i] = c->state[i] == FREE ? c->count++ : -1;
        if (c->local[i] >= 0) {
            c->member[c->local[i]] = i;
            c->entry_room += (size_t)(q->begin[i + 1] - q->begin[i]);
        }
    }
    const wr_allocator *allocator = &c->arena.allocator;
    wri_sparse *s = &c->system;
    s->size = c->count;
    s->begin = wri_alloc(allocator, (size_t)c->count + 1, sizeof(int));
    s->index = wri_alloc(allocator, c->entry_room, sizeof(int));
    s->values = wri_alloc(allocator, c->entry_room, sizeof(double));
    c->y = wri_alloc(allocator, BORDER * (size_t)c->count, sizeof(double));
    if (!s->begin || !s->index || !s->values || !c->y) {
        return false;
    }
    int n = 0;
    for (int k = 0; k < c->count; k++) {
        int i = c->member[k];
        for (int e = q->begin[i]; e < q->begin[i + 1]; e++) {
            if (c->local[q->index[e]] >= 0) {
                s->index[n] = c->local[q->index[e]];
                s->values[n++] = q->values[e];
            }
        }
        s->begin[k + 1] = n;
    }
    for (int i = 0, k = 0; i < p->free_count; i++) {
        if (c->local[p->order[i]] >= 0) {
            c->order[k++] = c->local[p->order[i]];
        }
    }
    return true;
}

// The optimum with the kept vertices where they are and 0 elsewhere before, by factoring.
static bool solve_directly(column *c, wri_bounded *result)
{
    const wri_biharmonic *p = c->p;
    if (!extract_system(c)) {
        return false;
    }
    if (c->count == 0) {
        return true;
    }
    wri_biharmonic_gradient(p, c->w, c->a, c->r);
    for (int k = 0; k < c->count; k++) {
        c->b[k] = -c->r[p->vertex[c->member[k]]];
    }
    result->factorisations++;
    c->cholesky = wri_cholesky_create(&c->system, c->order, &c->arena.allocator, NULL);
    bool ok = c->cholesky && wri_cholesky_factor(c->cholesky, &c->system, NULL);
    if (ok) {
        wri_cholesky_solve(c->cholesky, 1, c->b, c->b);
    }
    for (int k = 0; ok && k < c->count; k++) {
        c->w[p->vertex[c->member[k]]] = c->b[k];
    }
    return ok;
}

// --- bordering --------------------------------------------------------------------------------

// When few vertices change sides, the last factor F of the system I still serves. Unknown besides
// x_I: x_R of the vertices R released since, and the forces m on those kept since, K:
//     x_I = x0 - Y (x_R, m),  Y = F^-1 (Q_IR, E_K),  x0 = F^-1 b_I
//     Q_RI x_I + Q_RR x_R = b_R,  E_K' x_I = the bounds
// which leaves a small dense system. Columns of Y are kept as long as the factor.

// Makes room for, and finds, the columns of Y of changed vertices. False: there are too many.
static bool find_border(column *c)
{
    const wri_biharmonic *p = c->p;
    int fresh[BORDER], fresh_count = 0;
    c->border_count = 0;
    for (int i = 0; i < p->free_count; i++) {
        if ((c->state[i] == FREE) == (c->local[i] >= 0)) {
            continue;
        }
        int slot = 0;
        while (slot < c->slot_count && c->slot_vertex[slot] != i) {
            slot++;
        }
        if (slot == BORDER || c->border_count == BORDER) {
            return false;
        }
        if (slot == c->slot_count) {
            c->slot_vertex[c->slot_count++] = i;
            fresh[fresh_count++] = slot;
        }
        c->border[c->border_count++] = slot;
    }
    size_t n = (size_t)c->count;
    for (int k = 0; k < fresh_count; k++) { // fresh ones are the last slots, one after another
        int i = c->slot_vertex[fresh[k]];
        double *y = c->y + (size_t)fresh[k] * n;
        memset(y, 0, n * sizeof *y);
        if (c->local[i] >= 0) {
            y[c->local[i]] = 1.0;
        } else {
            for (int e = p->full.begin[i]; e < p->full.begin[i + 1]; e++) {
                int other = c->local[p->full.index[e]];
                if (other >= 0) {
                    y[other] = p->full.values[e];
                }
            }
        }
    }
    double *first = c->y + (size_t)(c->slot_count - fresh_count) * n;
    wri_cholesky_solve(c->cholesky, fresh_count, first, first);
    return true;
}

// A row of (Q_RI, E_K') times a vector over I.
static double border_dot(const column *c, int slot, const double *x)
{
    const wri_sparse *q = &c->p->full;
    int i = c->slot_vertex[slot];
    if (c->local[i] >= 0) {
        return x[c->local[i]];
    }
    double sum = 0.0;
    for (int e = q->begin[i]; e < q->begin[i + 1]; e++) {
        int other = c->local[q->index[e]];
        sum += other >= 0 ? q->values[e] * x[other] : 0.0;
    }
    return sum;
}

static double entry(const wri_sparse *q, int row, int place)
{
    for (int e = q->begin[row]; e < q->begin[row + 1]; e++) {
        if (q->index[e] == place) {
            return q->values[e];
        }
    }
    return 0.0;
}

// Solves by elimination with row exchange; b becomes the answer.
static bool solve_dense(double *a, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        }
        if (!(fabs(a[best * n + k]) > 0.0)) {
            return false;
        }
        for (int j = k; j < n && best != k; j++) {
            double kept = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = kept;
        }
        double kept = b[k];
        b[k] = b[best];
        b[best] = best == k ? b[best] : kept;
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; factor != 0.0 && j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] /= a[k * n + k];
    }
    return true;
}

// The small system; its answer goes to s.
static bool solve_border(column *c, const double *x0, double *s)
{
    const wri_biharmonic *p = c->p;
    int n = c->border_count;
    for (int k = 0; k < n; k++) {
        int i = c->slot_vertex[c->border[k]];
        bool is_kept = c->local[i] >= 0;
        double wanted = is_kept ? (c->state[i] == HIGH ? 1.0 : 0.0) : -c->r[p->vertex[i]];
        s[k] = wanted - border_dot(c, c->border[k], x0);
        for (int j = 0; j < n; j++) {
            int other = c->slot_vertex[c->border[j]];
            const double *y = c->y + (size_t)c->border[j] * (size_t)c->count;
            double direct = is_kept || c->local[other] >= 0 ? 0.0 : entry(&p->full, i, other);
            c->dense[k * n + j] = direct - border_dot(c, c->border[k], y);
        }
    }
    return solve_dense(c->dense, s, n);
}

// The optimum with the kept vertices where they are, by the last factor. False: not this time.
static bool solve_nearby(column *c)
{
    const wri_biharmonic *p = c->p;
    double s[BORDER];
    if (!c->cholesky || !find_border(c)) {
        return false;
    }
    for (int i = 0; i < p->free_count; i++) { // kept vertices outside I stay, all others are
                                              // unknown
        bool is_fixed = c->state[i] != FREE && c->local[i] < 0;
        c->w[p->vertex[i]] = is_fixed && c->state[i] == HIGH ? 1.0 : 0.0;
    }
    wri_biharmonic_gradient(p, c->w, c->a, c->r);
    for (int k = 0; k < c->count; k++) {
        c->b[k] = -c->r[p->vertex[c->member[k]]];
    }
    wri_cholesky_solve(c->cholesky, 1, c->b, c->b);
    if (!solve_border(c, c->b, s)) {
        return false;
    }
    for (int j = 0; j < c->border_count; j++) {
        const double *y = c->y + (size_t)c->border[j] * (size_t)c->count;
        for (int k = 0; k < c->count; k++) {
            c->b[k] -= s[j] * y[k];
        }
    }
    for (int k = 0; k < c->count; k++) {
        c->w[p->vertex[c->member[k]]] = c->b[k];
    }
    for (int j = 0; j < c->border_count; j++) {
        int i = c->slot_vertex[c->border[j]];
        double kept = c->state[i] == HIGH ? 1.0 : 0.0;
        c->w[p->vertex[i]] = c->state[i] == FREE ? s[j] : kept;
    }
    return true;
}

// --- rounds -----------------------------------------------------------------------------------

// Returns how far a vertex is from its optimum alone: beyond a bound, or pulled inwards from one.
static double violation(const column *c, int i)
{
    double w = c->w[c->p->vertex[i]], pull = c->r[c->p->vertex[i]] / c->p->diagonal[i];
    switch (c->state[i]) {
    case LOW:
        return -pull;
    case HIGH:
        return pull;
    default:
        return w < 0.5 ? -w : w - 1.0;
    }
}

// Changes sides of vertices whose violation is over the limit.
static void exchange(column *c, double limit)
{
    for (int i = 0; i < c->p->free_count; i++) {
        if (violation(c, i) > limit) {
            double w = c->w[c->p->vertex[i]];
            c->state[i] = c->state[i] != FREE ? FREE : w < 0.5 ? LOW : HIGH;
        }
    }
}

// The optimum with the kept vertices where they are, and its gradient.
static bool solve_column(column *c, wri_bounded *result)
{
    if (!solve_nearby(c)) {
        for (int i = 0; i < c->p->free_count; i++) {
            c->w[c->p->vertex[i]] = c->state[i] == HIGH ? 1.0 : 0.0;
        }
        if (!solve_directly(c, result)) {
            return false;
        }
    }
    wri_biharmonic_gradient(c->p, c->w, c->a, c->r);
    return true;
}

wri_bounded wri_biharmonic_bound(const wri_biharmonic *p, double *w)
{
    wri_bounded result = {0};
    column c;
    int fewest = INT32_MAX, patience = PATIENCE;
    bool ok = create_column(&c, p, w);
    for (int i = 0; ok && i < p->free_count; i++) {
        double value = w[p->vertex[i]];
        c.state[i] = value <= SMALL ? LOW : value >= 1.0 ? HIGH : FREE;
    }
    while (ok && !result.is_done && result.rounds < p->round_limit) {
        ok = solve_column(&c, &result);
        int changes = 0;
        result.residual = 0.0;
        for (int i = 0; i < p->free_count; i++) {
            double v = violation(&c, i);
            result.residual = v > result.residual ? v : result.residual;
            changes += v > p->tolerance;
        }
        result.rounds++;
        patience = changes < fewest ? PATIENCE : patience - 1;
        fewest = changes < fewest ? changes : fewest;
        result.is_done = changes == 0;
        exchange(&c, patience >= 0 ? p->tolerance : fmax(p->tolerance, 0.5 * result.residual));
    }
    result.is_out_of_memory = !ok;
    free_system(&c);
    wri_arena_destroy(&c.arena);
    return result;
}
