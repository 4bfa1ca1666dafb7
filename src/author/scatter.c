// scatter.c: smooth vertex values from scattered points.
//
// Solves (S + l Q) k = g with Q = L (flat) or L M^-1 L (bent), L the cotangent Laplacian and M the
// lumped masses. Q only decides what the points leave open, so l is small; a still smaller multiple
// of M makes parts without points regular.
#include "scatter.h"

#include "cholesky.h"

// l, in terms of the mean diagonals of S and Q. Bent: ten times less explains 2 % more of a sharp
// crease, and turns twice as many elements over.
static const double amounts[] = {[WRI_SMOOTH_FLAT] = 1e-3, [WRI_SMOOTH_BENT] = 3e-2};
#define GROUND 1e-9 // share of M, in terms of the same means
#define PULL 1.0    // of a vertex beyond its limit, in terms of the mean diagonal of S
enum { PULLS = 4 }; // rounds of them

int wri_scatter_corners(const wri_scatter *s, int point, int vertices[4], double weights[4])
{
    if (!s->rides) {
        vertices[0] = point;
        weights[0] = 1.0;
        return 1;
    }
    int corners = s->mesh.dimension + 1;
    const wr_ride *ride = &s->rides[point];
    for (int k = 0; k < corners; k++) {
        vertices[k] = s->mesh.elements[(size_t)ride->element * (size_t)corners + (size_t)k];
        weights[k] = (double)ride->weights[k];
    }
    return corners;
}

// An element counts as one point however many ride on it: a finely tessellated rivet does not weigh
// more than the panel it is on.
static bool find_shares(wri_scatter *s, wri_arena *arena)
{
    const wr_allocator *allocator = &arena->allocator;
    size_t elements = (size_t)s->mesh.element_count;
    s->shares = wri_arena_alloc(arena, (size_t)s->count, sizeof *s->shares);
    int *riders = wri_alloc(allocator, elements, sizeof *riders);
    bool ok = s->shares && riders;
    double sum = 0.0;
    for (int i = 0; ok && s->rides && i < s->count; i++) {
        riders[s->rides[i].element]++;
    }
    for (int i = 0; ok && i < s->count; i++) {
        s->shares[i] = s->rides ? 1.0 / riders[s->rides[i].element] : 1.0;
        sum += s->shares[i];
    }
    for (int i = 0; ok && i < s->count; i++) {
        s->shares[i] /= sum;
    }
    wri_free(allocator, riders, elements, sizeof *riders);
    return ok;
}

// One block of entries per element that carries something.
static size_t put_gram(const wri_scatter *s, int *slot, wri_triplet *entries)
{
    size_t used = 0;
    for (int i = 0; i < s->count; i++) {
        int v[4], element = s->rides ? s->rides[i].element : i;
        double w[4];
        int corners = wri_scatter_corners(s, i, v, w);
        size_t block = (size_t)corners * (size_t)corners;
        if (slot[element] == 0) {
            slot[element] = (int)(used / block) + 1;
            used += block;
        }
        wri_triplet *out = entries ? &entries[(size_t)(slot[element] - 1) * block] : NULL;
        for (int k = 0; out && k < (int)block; k++) {
            out[k].row = v[k / corners];
            out[k].column = v[k % corners];
            out[k].value += s->shares[i] * w[k / corners] * w[k % corners];
        }
    }
    return used;
}

static bool build_gram(wri_scatter *s, wri_arena *arena)
{
    const wr_allocator *allocator = &arena->allocator;
    size_t slots = (size_t)(s->rides ? s->mesh.element_count : s->count);
    int *slot = wri_alloc(allocator, slots, sizeof *slot);
    size_t count = slot ? put_gram(s, slot, NULL) : 0;
    wri_triplet *entries = wri_alloc(allocator, count, sizeof *entries);
    bool ok = slot && entries;
    if (ok) {
        put_gram(s, slot, entries);
        ok = wri_sparse_create(&s->gram, arena, s->mesh.vertex_count, entries, count);
    }
    wri_free(allocator, slot, slots, sizeof *slot);
    wri_free(allocator, entries, count, sizeof *entries);
    return ok;
}

bool wri_scatter_create(wri_scatter *s, wri_arena *arena)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < s->mesh.vertex_count; i++) {
        box = wr_box_add(box, s->mesh.positions[i]);
    }
    s->size = (double)wr_distance(box.min, box.max);
    s->size = s->size > 0.0 ? s->size : 1.0;
    s->allocator = arena->allocator;
    return find_shares(s, arena) && build_gram(s, arena);
}

void wri_scatter_gather(const wri_scatter *s, const double *values, int columns, double *g)
{
    size_t n = (size_t)s->mesh.vertex_count;
    memset(g, 0, n * (size_t)columns * sizeof *g);
    for (int i = 0; i < s->count; i++) {
        int v[4];
        double w[4];
        int corners = wri_scatter_corners(s, i, v, w);
        for (int k = 0; k < corners; k++) {
            for (int c = 0; c < columns; c++) {
                g[(size_t)c * n + (size_t)v[k]] +=
                    s->shares[i] * w[k] * values[(size_t)i * (size_t)columns + (size_t)c];
            }
        }
    }
}

// --- the system -------------------------------------------------------------------------------

static double mean_diagonal(const wri_sparse *a)
{
    double sum = 0.0;
    for (int i = 0; i < a->size; i++) {
        for (int k = a->begin[i]; k < a->begin[i + 1]; k++) {
            sum += a->index[k] == i ? a->values[k] : 0.0;
        }
    }
    return a->size > 0 ? sum / a->size : 0.0;
}

static size_t put_lower(const wri_sparse *a, double factor, wri_triplet *out)
{
    size_t count = 0;
    for (int i = 0; i < a->size; i++) {
        for (int k = a->begin[i]; k < a->begin[i + 1]; k++) {
            if (a->index[k] <= i) {
                out[count++] = (wri_triplet){i, a->index[k], factor * a->values[k]};
            }
        }
    }
    return count;
}

// The lower triangle of S + l Q + ground M + pulls, which are a diagonal; NULL: there are none.
static bool join(const wri_scatter *s, const wri_sparse *q, double amount, const double *mass,
                 const double *pulls, wri_sparse *out, wri_arena *arena)
{
    size_t n = (size_t)q->size;
    size_t room = (size_t)s->gram.begin[n] + (size_t)q->begin[n] + n;
    wri_triplet *entries = wri_alloc(&arena->allocator, room, sizeof *entries);
    if (!entries) {
        return false;
    }
    double unit = mean_diagonal(&s->gram), own = mean_diagonal(q), total = 0.0;
    for (size_t i = 0; i < n; i++) {
        total += mass[i];
    }
    size_t count = put_lower(&s->gram, 1.0, entries);
    count += put_lower(q, own > 0.0 ? amount * unit / own : 0.0, entries + count);
    for (size_t i = 0; i < n; i++) {
        double diagonal = GROUND * unit * mass[i] * (double)n / total + (pulls ? pulls[i] : 0.0);
        entries[count++] = (wri_triplet){(int)i, (int)i, diagonal};
    }
    bool ok = wri_sparse_create(out, arena, q->size, entries, count);
    wri_free(&arena->allocator, entries, room, sizeof *entries);
    return ok;
}

static bool build_system(const wri_scatter *s, wri_smoothness smoothness, const double *pulls,
                         wri_sparse *out, wri_arena *arena)
{
    wri_laplacian l;
    size_t n = (size_t)s->mesh.vertex_count;
    int *place = wri_arena_alloc(arena, n, sizeof *place);
    double *inverse = wri_arena_alloc(arena, n, sizeof *inverse);
    if (!place || !inverse || !wri_laplacian_create(&l, arena, &s->mesh, s->size)) {
        return false;
    }
    if (smoothness == WRI_SMOOTH_FLAT) {
        return join(s, &l.stiffness, amounts[smoothness], l.mass, pulls, out, arena);
    }
    for (size_t i = 0; i < n; i++) {
        place[i] = (int)i;
        inverse[i] = 1.0 / l.mass[i];
    }
    wri_sparse q;
    return wri_sparse_square(&q, arena, &l.stiffness, inverse, place, (int)n) &&
           join(s, &q, amounts[smoothness], l.mass, pulls, out, arena);
}

static bool solve(const wri_scatter *s, wri_smoothness smoothness, const double *pulls, int columns,
                  const double *g, double *k, wr_error *error)
{
    wri_arena arena = wri_arena_create(&s->allocator);
    wri_sparse system;
    bool ok =
        build_system(s, smoothness, pulls, &system, &arena) || wri_fail_memory(error, arena.total);
    if (ok) {
        wri_cholesky *c = wri_cholesky_create(&system, NULL, &s->allocator, error);
        ok = c && wri_cholesky_factor(c, &system, error);
        if (ok) {
            wri_cholesky_solve(c, columns, g, k);
        }
        wri_cholesky_destroy(c);
    }
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_scatter_solve(const wri_scatter *s, wri_smoothness smoothness, int columns,
                       const double *g, double *k, wr_error *error)
{
    return solve(s, smoothness, NULL, columns, g, k, error);
}

// Lets a pull begin at every row of k that is beyond its limit: it wants the row back at that, and
// is added to the right-hand side g. Returns how many there are.
static int pull_back(const double *limits, double pull, size_t n, int columns, const double *k,
                     double *pulls, double *g)
{
    int count = 0;
    for (size_t i = 0; i < n; i++) {
        double square = 0.0;
        for (int c = 0; c < columns; c++) {
            square += k[(size_t)c * n + i] * k[(size_t)c * n + i];
        }
        if (!(square > limits[i] * limits[i])) {
            continue;
        }
        count++;
        pulls[i] += pull;
        for (int c = 0; c < columns; c++) {
            g[(size_t)c * n + i] += pull * limits[i] / sqrt(square) * k[(size_t)c * n + i];
        }
    }
    return count;
}

bool wri_scatter_solve_within(const wri_scatter *s, wri_smoothness smoothness, const double *limits,
                              int columns, double *g, double *k, wr_error *error)
{
    size_t n = (size_t)s->mesh.vertex_count;
    double *pulls = wri_alloc(&s->allocator, n, sizeof *pulls);
    bool ok = pulls || wri_fail_memory(error, n * sizeof *pulls);
    ok = ok && solve(s, smoothness, NULL, columns, g, k, error);
    double pull = PULL * mean_diagonal(&s->gram);
    for (int i = 0; ok && i < PULLS && pull_back(limits, pull, n, columns, k, pulls, g) > 0; i++) {
        ok = solve(s, smoothness, pulls, columns, g, k, error);
    }
    wri_free(&s->allocator, pulls, n, sizeof *pulls);
    return ok;
}
