// morph_modes.c: the slowest modes of vibration of an elastic body.
//
// Lanczos' iteration on K^-1 M, whose largest eigenvalues are the reciprocals of the smallest of
// K x = lambda M x, with all vectors kept and orthogonal in the metric of M. It begins with the
// answer to a load that nothing is symmetric to, so that the same model always gives the same
// modes. One beginning meets one vector only of a space of equal eigenvalues, such as the bending
// modes of a round bar: after it has converged another one, orthogonal to all that was found, looks
// for what is missing, until nothing faster than the last is found.
//
// The thesis does not say how modes are found. ARPACK finds the same within 1e-13, with a BLAS, see
// docs/dependencies.md.
#include "morph_modes.h"

#include "cholesky.h"
#include "eigen.h"

static const double CONVERGED = 1e-9; // of an eigenvalue: what is left of it
enum { EXTRA = 120, MORE = 4, PASSES = 6 };

typedef struct lanczos {
    const wri_modes_desc *desc;
    wri_cholesky *K;
    int size, room; // numbers of a vector; vectors of the basis at most
    double *basis;  // Q, vector after vector
    double *kept;   // vectors that were found, as long as the basis
    double *values; // their 1/lambda, descending
    int kept_count;
    double *T, *theta, *S, *work;
} lanczos;

static double dot(const double *m, const double *x, const double *y, int size)
{
    double sum[4] = {0.0};
    int i = 0;
    for (; i + 4 <= size; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += m[i + k] * x[i + k] * y[i + k];
        }
    }
    for (; i < size; i++) {
        sum[0] += m[i] * x[i] * y[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add(double *x, double share, const double *y, int size)
{
    for (int i = 0; i < size; i++) {
        x[i] += share * y[i];
    }
}

// Twice is enough.
static void make_orthogonal(const lanczos *l, double *x, int basis_count)
{
    for (int i = 0; i < 2 * (l->kept_count + basis_count); i++) {
        int k = i % (l->kept_count + basis_count);
        const double *q = k < l->kept_count ? l->kept + (ptrdiff_t)k * l->size
                                            : l->basis + (ptrdiff_t)(k - l->kept_count) * l->size;
        add(x, -dot(l->desc->mass, q, x, l->size), q, l->size);
    }
}

static double normalise(const lanczos *l, double *x)
{
    double length = sqrt(dot(l->desc->mass, x, x, l->size));
    for (int i = 0; length > 0.0 && i < l->size; i++) {
        x[i] /= length;
    }
    return length;
}

// A load without any symmetry, another one in each pass.
static void begin(const lanczos *l, int pass, double *x)
{
    uint32_t state = 12345u + 977u * (uint32_t)pass;
    for (int i = 0; i < l->size; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = l->desc->mass[i] * (1.0 + (double)(state >> 8) / 16777216.0 + 0.1 * (i % 3));
    }
    wri_cholesky_solve(l->K, 1, x, x);
}

// Eigenvectors of the tridiagonal T; how many of the largest have converged, of those wanted.
static int find_converged(lanczos *l, const double *alpha, const double *beta, int count,
                          int wanted)
{
    memset(l->T, 0, (size_t)count * (size_t)count * sizeof *l->T);
    for (int i = 0; i < count; i++) {
        l->T[(ptrdiff_t)i * count + i] = alpha[i];
        if (i + 1 < count) {
            l->T[(ptrdiff_t)i * count + i + 1] = l->T[(ptrdiff_t)(i + 1) * count + i] = beta[i];
        }
    }
    wri_eigen_symmetric(count, l->T, l->theta, l->S);
    int good = 0;
    while (good < wanted && good < count &&
           fabs(beta[count - 1] * l->S[(ptrdiff_t)good * count + count - 1]) <=
               CONVERGED * l->theta[good]) {
        good++;
    }
    return good;
}

// One run. Returns how many of the largest `wanted` have converged, or are all that there is.
static int iterate(lanczos *l, int pass, int wanted, double *alpha, double *beta, int *steps)
{
    int room = l->room < l->size - l->kept_count ? l->room : l->size - l->kept_count, good = 0;
    double *x = l->work;
    begin(l, pass, x);
    make_orthogonal(l, x, 0);
    *steps = 0;
    while (*steps < room && good < wanted && normalise(l, x) > 0.0) {
        double *q = l->basis + (ptrdiff_t)*steps * l->size;
        memcpy(q, x, (size_t)l->size * sizeof *q);
        for (int i = 0; i < l->size; i++) {
            x[i] *= l->desc->mass[i];
        }
        wri_cholesky_solve(l->K, 1, x, x);
        alpha[*steps] = dot(l->desc->mass, q, x, l->size);
        ++*steps;
        make_orthogonal(l, x, *steps);
        beta[*steps - 1] = sqrt(dot(l->desc->mass, x, x, l->size));
        bool is_all = *steps == room || !(beta[*steps - 1] > 1e-14 * alpha[0]);
        if (is_all || (*steps > wanted + 8 && *steps % 8 == 0)) {
            good = find_converged(l, alpha, beta, *steps, wanted);
        }
        if (is_all) {
            break;
        }
    }
    return good;
}

static void keep(lanczos *l, int count, int steps)
{
    for (int k = 0; k < count && l->kept_count < l->room; k++) {
        double *x = l->kept + (ptrdiff_t)l->kept_count * l->size;
        memset(x, 0, (size_t)l->size * sizeof *x);
        for (int i = 0; i < steps; i++) {
            add(x, l->S[(ptrdiff_t)k * steps + i], l->basis + (ptrdiff_t)i * l->size, l->size);
        }
        l->values[l->kept_count++] = l->theta[k];
    }
}

static void sort_kept(lanczos *l)
{
    for (int i = 1; i < l->kept_count; i++) {
        for (int k = i; k > 0 && l->values[k] > l->values[k - 1]; k--) {
            double value = l->values[k];
            l->values[k] = l->values[k - 1];
            l->values[k - 1] = value;
            double *a = l->kept + (ptrdiff_t)k * l->size, *b = a - l->size;
            for (int j = 0; j < l->size; j++) {
                value = a[j];
                a[j] = b[j];
                b[j] = value;
            }
        }
    }
}

static void fix_sign(double *x, int size)
{
    int largest = 0;
    for (int i = 1; i < size; i++) {
        largest = fabs(x[i]) > fabs(x[largest]) * (1.0 + 1e-6) ? i : largest;
    }
    for (int i = 0, turn = x[largest] < 0.0; turn && i < size; i++) {
        x[i] = -x[i];
    }
}

static bool find_all(lanczos *l, double *alpha, double *beta, wr_error *error)
{
    int count = l->desc->count, steps;
    for (int pass = 0; pass < PASSES; pass++) {
        int wanted = pass == 0 ? count : MORE;
        wanted = wanted < l->size - l->kept_count ? wanted : l->size - l->kept_count;
        int good = iterate(l, pass, wanted, alpha, beta, &steps);
        if (pass == 0 && good < wanted) {
            return wri_fail(error, WR_E_UNSUPPORTED,
                            "%d of %d modes of vibration were found: ask for fewer modes or "
                            "for more vertices of the simulation mesh",
                            good, count);
        }
        bool is_news = pass == 0 || (good > 0 && l->theta[0] > l->values[count - 1]);
        if (!is_news) {
            break;
        }
        keep(l, good, steps);
        sort_kept(l);
    }
    return true;
}

bool wri_modes_find(const wri_modes_desc *desc, double *lambda, double *vectors, wr_error *error)
{
    lanczos l = {.desc = desc, .size = desc->lower->size, .room = 4 * desc->count + EXTRA};
    wri_arena arena = wri_arena_create(desc->allocator);
    size_t room = (size_t)l.room, size = (size_t)l.size;
    l.basis = wri_arena_alloc(&arena, room * size, sizeof(double));
    l.kept = wri_arena_alloc(&arena, room * size, sizeof(double));
    l.values = wri_arena_alloc(&arena, room, sizeof(double));
    l.T = wri_arena_alloc(&arena, room * room, sizeof(double));
    l.S = wri_arena_alloc(&arena, room * room, sizeof(double));
    l.theta = wri_arena_alloc(&arena, 3 * room, sizeof(double));
    l.work = wri_arena_alloc(&arena, size, sizeof(double));
    bool ok = (l.basis && l.kept && l.values && l.T && l.S && l.theta && l.work) ||
              wri_fail_memory(error, 0);
    if (ok && desc->count >= l.size) {
        ok = wri_fail(error, WR_E_ARGUMENT,
                      "%d modes of vibration of a body with %d degrees of freedom", desc->count,
                      l.size);
    }
    l.K = ok ? wri_cholesky_create(desc->lower, NULL, desc->allocator, error) : NULL;
    ok = l.K && wri_cholesky_factor(l.K, desc->lower, error) &&
         find_all(&l, l.theta + room, l.theta + 2 * room, error);
    for (int i = 0; ok && i < desc->count; i++) {
        double *x = l.kept + (ptrdiff_t)i * l.size;
        lambda[i] = 1.0 / l.values[i];
        fix_sign(x, l.size);
        memcpy(vectors + (ptrdiff_t)i * l.size, x, size * sizeof *x);
    }
    wri_cholesky_destroy(l.K);
    wri_arena_destroy(&arena);
    return ok;
}
