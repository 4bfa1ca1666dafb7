// morph_basis.c: the few modes that a reduced body moves in.                       thesis 5.3
//
// Modes of vibration of every target, K_i x = lambda M x (5.9), scaled by lambda_1 / lambda_j
// (5.10) so that slow ones count most, are combined by a principal component analysis in the metric
// of M; the first r* stay. The targets' offsets are appended, so that every sculpted shape can be
// reached exactly, and all are made mass-orthonormal.
#include "morph_modes.h"

#include "eigen.h"

static const double DEPENDENT = 1e-7; // of its length: what is left of a vector that adds nothing

typedef struct set {
    int size, count;
    double *vectors;
    const double *mass; // per number
} set;

static double *vector(const set *s, int i)
{
    return s->vectors + (ptrdiff_t)i * s->size;
}

static double product(const set *s, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < s->size; i++) {
        sum += s->mass[i] * x[i] * y[i];
    }
    return sum;
}

// Makes x orthogonal to the set and of unit length, and adds it. It is left out when nothing is
// left of it.
static void add_orthogonal(set *s, const double *x)
{
    double *out = vector(s, s->count), before = product(s, x, x);
    memcpy(out, x, (size_t)s->size * sizeof *out);
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < s->count; k++) {
            double share = product(s, vector(s, k), out);
            for (int i = 0; i < s->size; i++) {
                out[i] -= share * vector(s, k)[i];
            }
        }
    }
    double after = product(s, out, out);
    if (after > DEPENDENT * DEPENDENT * before) {
        double scale = 1.0 / sqrt(after);
        for (int i = 0; i < s->size; i++) {
            out[i] *= scale;
        }
        s->count++;
    }
}

static bool find_modes(wri_morph_builder *b, set *all, int count, wr_error *error)
{
    double lambda[WR_MORPH_MODES_MAX];
    for (int target = 0; target < b->data->target_count; target++) {
        wri_arena arena = wri_arena_create(b->desc->allocator);
        wri_sparse K;
        const wri_modes_desc desc = {&K, all->mass, count, b->desc->allocator};
        double *out = vector(all, target * count);
        bool ok = wri_morph_stiffness(b, target, &arena, &K, error) &&
                  wri_modes_find(&desc, lambda, out, error);
        wri_arena_destroy(&arena);
        if (!ok) {
            return false;
        }
        for (int j = 0; j < count; j++) {
            double scale = lambda[0] / lambda[j]; // eq. 5.10
            for (int i = 0; i < all->size; i++) {
                out[(ptrdiff_t)j * all->size + i] *= scale;
            }
        }
        all->count += count;
        if (b->desc->progress.report) {
            b->desc->progress.report(b->desc->progress.user, "modes",
                                     (target + 1.0) / b->data->target_count);
        }
    }
    return true;
}

// The principal components of all vectors.
static bool combine(wri_morph_builder *b, const set *all, set *out, int count, wr_error *error)
{
    size_t n = (size_t)all->count;
    double *G = wri_arena_alloc(&b->arena, n * n, sizeof *G);
    double *values = wri_arena_alloc(&b->arena, n, sizeof *values);
    double *vectors = wri_arena_alloc(&b->arena, n * n, sizeof *vectors);
    double *x = wri_arena_alloc(&b->arena, (size_t)all->size, sizeof *x);
    if (!G || !values || !vectors || !x) {
        return wri_fail_memory(error, 0);
    }
    for (int i = 0; i < all->count; i++) {
        for (int j = 0; j <= i; j++) {
            G[(size_t)i * n + (size_t)j] = G[(size_t)j * n + (size_t)i] =
                product(all, vector(all, i), vector(all, j));
        }
    }
    wri_eigen_symmetric(all->count, G, values, vectors);
    for (int k = 0; k < count; k++) {
        memset(x, 0, (size_t)all->size * sizeof *x);
        for (int i = 0; i < all->count; i++) {
            for (int j = 0; j < all->size; j++) {
                x[j] += vectors[(size_t)k * n + (size_t)i] * vector(all, i)[j];
            }
        }
        add_orthogonal(out, x);
    }
    return true;
}

static void add_targets(wri_morph_builder *b, set *out, double *x)
{
    const wr_morph_data *d = b->data;
    for (int target = 0; target < d->target_count; target++) {
        const wr_vec3 *offset = d->offsets + (ptrdiff_t)target * d->node_count;
        for (int node = 0; node < d->node_count; node++) {
            int at = b->free_of[node];
            if (at >= 0) {
                x[3 * at] = (double)offset[node].x;
                x[3 * at + 1] = (double)offset[node].y;
                x[3 * at + 2] = (double)offset[node].z;
            }
        }
        if (product(out, x, x) > 0.0) {
            add_orthogonal(out, x);
        }
    }
}

static bool store(wri_morph_builder *b, const set *u, wr_error *error)
{
    wr_morph_data *d = b->data;
    d->mode_count = u->count;
    d->basis = wri_morph_data_add(d, 3 * (size_t)d->node_count * (size_t)u->count, sizeof(float));
    if (!d->basis) {
        return wri_fail_memory(error, 0);
    }
    for (int node = 0; node < d->node_count; node++) {
        int at = b->free_of[node];
        for (int i = 0; at >= 0 && i < 3 * u->count; i++) {
            d->basis[(ptrdiff_t)node * 3 * u->count + i] = (float)vector(u, i / 3)[3 * at + i % 3];
        }
    }
    b->report->mode_count = u->count;
    return true;
}

bool wri_morph_find_basis(wri_morph_builder *b, wr_error *error)
{
    int count = b->desc->mode_count, targets = b->data->target_count;
    size_t size = 3 * (size_t)b->free_count;
    double *mass = wri_arena_alloc(&b->arena, size, sizeof *mass);
    set all = {(int)size, 0, NULL, mass}, out = all;
    all.vectors = wri_arena_alloc(&b->arena, (size_t)(targets * count) * size, sizeof(double));
    out.vectors = wri_arena_alloc(&b->arena, (size_t)(targets + count + 1) * size, sizeof(double));
    if (!mass || !all.vectors || !out.vectors) {
        return wri_fail_memory(error, 0);
    }
    for (int node = 0; node < b->data->node_count; node++) {
        int at = b->free_of[node];
        for (int k = 0; at >= 0 && k < 3; k++) {
            mass[3 * at + k] = (double)b->data->masses[node];
        }
    }
    if (count + targets > WR_MORPH_MODES_MAX) {
        return wri_fail(
            error, WR_E_ARGUMENT,
            "%d modes and %d targets, the model itself among them, expected at most %d in "
            "all: say fewer \"modes\"",
            count, targets, WR_MORPH_MODES_MAX);
    }
    if (!find_modes(b, &all, count, error) || !combine(b, &all, &out, count, error)) {
        return false;
    }
    add_targets(b, &out, all.vectors);
    return store(b, &out, error);
}
