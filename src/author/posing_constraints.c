// posing_constraints.c: places that handles must go to, and what the global step becomes with them.
//
// A T = K R with constraints P T = targets; the inverse of that system is kept, since it changes
// only when the constraints do.
#include "posing.h"

#include <math.h>

enum { CONSTRAINT_LIMIT = 4096 };

// The inverse of a general matrix by elimination with row exchange. False when it has none.
static bool invert(double *a, double *inverse, int n)
{
    size_t size = (size_t)n;
    memset(inverse, 0, size * size * sizeof *inverse);
    for (size_t i = 0; i < size; i++) {
        inverse[i * size + i] = 1.0;
    }
    for (size_t k = 0; k < size; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < size; i++) {
            best = fabs(a[i * size + k]) > fabs(a[best * size + k]) ? i : best;
        }
        double pivot = a[best * size + k];
        if (!(fabs(pivot) > 0.0)) {
            return false;
        }
        for (size_t j = 0; j < size; j++) {
            double x = a[best * size + j], y = inverse[best * size + j];
            a[best * size + j] = a[k * size + j];
            inverse[best * size + j] = inverse[k * size + j];
            a[k * size + j] = x / pivot;
            inverse[k * size + j] = y / pivot;
        }
        for (size_t i = 0; i < size; i++) {
            double factor = a[i * size + k];
            if (i == k || factor == 0.0) {
                continue;
            }
            for (size_t j = k; j < size; j++) {
                a[i * size + j] -= factor * a[k * size + j];
            }
            for (size_t j = 0; j < size; j++) {
                inverse[i * size + j] -= factor * inverse[k * size + j];
            }
        }
    }
    return true;
}

void wri_posing_constraint_point(const wr_posing *p, const wr_posing_constraint *constraint,
                                 wr_vec3 at, double out[4])
{
    wri_posing_rest_point(p, at, out);
    if (constraint->is_arrow) {
        out[0] = (double)at.x / p->size;
        out[1] = (double)at.y / p->size;
        out[2] = (double)at.z / p->size;
        out[3] = 0.0;
    }
}

// Fills the system of (d), [A + pull, P'; P, -tiny]: tiny makes it regular when constraints say the
// same thing twice.
static void fill_system(const wr_posing *p, const wr_posing_constraint *constraints, int count,
                        double *system)
{
    size_t m = (size_t)p->m, n = m + (size_t)count;
    for (size_t i = 0; i < m; i++) {
        memcpy(system + i * n, p->a + i * m, m * sizeof *system);
        system[i * n + i] += p->pull;
    }
    double unit = p->pull / WRI_POSING_PULL; // scaled to the size of A, so that exchanges of rows
                                             // mean something
    for (size_t i = 0; i < (size_t)count; i++) {
        double u[4];
        wri_posing_constraint_point(p, &constraints[i], constraints[i].rest, u);
        for (size_t x = 0; x < 4; x++) {
            size_t column = 4 * (size_t)constraints[i].handle + x;
            system[(m + i) * n + column] = system[column * n + m + i] = unit * u[x];
        }
        system[(m + i) * n + m + i] = -1e-12 * unit;
    }
}

static void fill_answers(wr_posing *p, const double *inverse)
{
    size_t m = (size_t)p->m, r3 = 3 * (size_t)p->cluster_count, n = m + (size_t)p->constraint_count;
    double unit = p->pull / WRI_POSING_PULL;
    for (size_t i = 0; i < m; i++) {
        double *out = p->by_rotation + i * r3;
        for (size_t k = 0; k < m; k++) {
            double factor = inverse[i * n + k];
            for (size_t j = 0; j < r3; j++) {
                out[j] += factor * p->k[k * r3 + j];
            }
            p->by_last[i * m + k] = p->pull * factor;
        }
        for (size_t j = 0; j < (size_t)p->constraint_count; j++) {
            p->by_target[i * (size_t)p->constraint_count + j] = unit * inverse[i * n + m + j];
        }
    }
}

bool wr_posing_set_constraints(wr_posing *p, const wr_posing_constraint *constraints, int count,
                               wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "posing", p) || !WRI_REQUIRE_LIST(error, constraints, count)) {
        return false;
    }
    if (count < 0 || count > CONSTRAINT_LIMIT) {
        return wri_fail(error, WR_E_ARGUMENT, "count: %d constraints, expected 0 to %d", count,
                        CONSTRAINT_LIMIT);
    }
    for (int i = 0; i < count; i++) {
        if (constraints[i].handle < 0 || constraints[i].handle >= p->handle_count ||
            !wr_is_finite3(constraints[i].rest)) {
            return wri_fail(error, WR_E_ARGUMENT, "constraints[%d]: handle %d, or not finite", i,
                            constraints[i].handle);
        }
    }
    wri_arena arena = wri_arena_create(&p->arena.allocator), work = arena;
    size_t m = (size_t)p->m, r3 = 3 * (size_t)p->cluster_count, n = m + (size_t)count;
    wr_posing_constraint *kept = wri_arena_alloc(&arena, (size_t)count, sizeof *kept);
    double *by_rotation = wri_arena_alloc(&arena, m * r3, sizeof(double));
    double *by_last = wri_arena_alloc(&arena, m * m, sizeof(double));
    double *by_target = wri_arena_alloc(&arena, m * (size_t)count, sizeof(double));
    double *system = wri_arena_alloc(&work, n * n, sizeof(double));
    double *inverse = wri_arena_alloc(&work, n * n, sizeof(double));
    bool ok = kept && by_rotation && by_last && by_target && system && inverse;
    ok = ok || wri_fail_memory(error, n * n * sizeof(double));
    if (ok) {
        fill_system(p, constraints, count, system);
        ok = invert(system, inverse, (int)n) ||
             wri_fail(error, WR_E_ARGUMENT, "constraints: nothing can satisfy these");
    }
    if (ok) {
        wri_arena_destroy(&p->constraint_arena);
        p->constraint_arena = arena;
        p->constraint_count = count;
        p->constraints = kept;
        p->by_rotation = by_rotation;
        p->by_last = by_last;
        p->by_target = by_target;
        if (count > 0) {
            memcpy(kept, constraints, (size_t)count * sizeof *constraints);
        }
        fill_answers(p, inverse);
    } else {
        wri_arena_destroy(&arena);
    }
    wri_arena_destroy(&work);
    return ok;
}
