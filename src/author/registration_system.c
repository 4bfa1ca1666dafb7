// registration_system.c: the mesh resists, as rigidly as possible: sums of squares over places of
// vertices, and their least.
//
// a sum_ij |x_i - x_j - R_i (u_i - u_j)|^2 over the edges (O. Sorkine, M. Alexa 2007), R_i the
// rotation nearest to what is around i. Two rows per vertex; only the lower triangle is kept.
#include "registrar.h"

#include <math.h>

// Lower triangle: row 2i has the columns of neighbours before i, and 2i; row 2i + 1 one more.
bool wri_registrar_create_system(wri_registrar *r, wr_error *error)
{
    size_t entries = 0;
    for (int i = 0; i < r->n; i++) {
        entries += 4 * (size_t)(r->begin[i + 1] - r->begin[i]) + 3;
    }
    r->lower = (wri_sparse){.size = 2 * r->n,
                            .begin = wri_arena_alloc(&r->arena, 2 * (size_t)r->n + 1, sizeof(int)),
                            .index = wri_arena_alloc(&r->arena, entries, sizeof(int)),
                            .values = wri_arena_alloc(&r->arena, entries, sizeof(double))};
    r->right = wri_arena_alloc(&r->arena, 2 * (size_t)r->n, sizeof(double));
    r->turn = wri_arena_alloc(&r->arena, (size_t)r->n, sizeof *r->turn);
    r->best = wri_arena_alloc(&r->arena, (size_t)r->n, sizeof *r->best);
    if (!r->lower.begin || !r->lower.index || !r->lower.values || !r->right || !r->turn ||
        !r->best) {
        return wri_fail_memory(error, entries * sizeof(double));
    }
    int count = 0;
    for (int row = 0; row < 2 * r->n; row++) {
        int i = row / 2;
        r->lower.begin[row] = count;
        for (int k = r->begin[i]; k < r->begin[i + 1] && r->around[k] < i; k++) {
            r->lower.index[count++] = 2 * r->around[k];
            r->lower.index[count++] = 2 * r->around[k] + 1;
        }
        for (int column = 2 * i; column <= row; column++) {
            r->lower.index[count++] = column;
        }
    }
    r->lower.begin[2 * r->n] = count;
    for (int i = 0; i < r->n; i++) { // values for the analysis alone: positive definite
        r->lower.values[r->lower.begin[2 * i + 1] - 1] = 1.0;
        r->lower.values[r->lower.begin[2 * i + 2] - 1] = 1.0;
    }
    r->cholesky = wri_cholesky_create(&r->lower, NULL, &r->arena.allocator, error);
    return r->cholesky != NULL;
}

void wri_registrar_add_block(wri_registrar *r, int i, int j, double xx, double xy, double yy)
{
    if (j > i) {
        int kept = i;
        i = j;
        j = kept;
    }
    double *top = r->lower.values + r->lower.begin[2 * i];
    double *low = r->lower.values + r->lower.begin[2 * i + 1];
    int k = 0;
    while (r->lower.index[r->lower.begin[2 * i] + k] != 2 * j) {
        k++;
    }
    top[k] += xx;
    low[k] += xy;
    low[k + 1] += yy;
    if (i != j) {
        top[k + 1] += xy;
    }
}

void wri_registrar_add_term(wri_registrar *r, const int *v, const double *b, int count,
                            const double g[3], const double right[2])
{
    for (int i = 0; i < count; i++) {
        for (int j = 0; j <= i; j++) {
            double w = b[i] * b[j];
            wri_registrar_add_block(r, v[i], v[j], w * g[0], w * g[1], w * g[2]);
        }
        r->right[2 * v[i]] += b[i] * right[0];
        r->right[2 * v[i] + 1] += b[i] * right[1];
    }
}

void wri_registrar_find_turns(wri_registrar *r, const wri_place2 *x)
{
    for (int i = 0; i < r->n; i++) {
        double c = 0.0, s = 0.0;
        for (int k = r->begin[i]; k < r->begin[i + 1]; k++) {
            int j = r->around[k];
            double ux = r->u[j][0] - r->u[i][0], uy = r->u[j][1] - r->u[i][1];
            double xx = x[j][0] - x[i][0], xy = x[j][1] - x[i][1];
            c += ux * xx + uy * xy;
            s += ux * xy - uy * xx;
        }
        double length = hypot(c, s);
        r->turn[i][0] = length > 0.0 ? c / length : 1.0;
        r->turn[i][1] = length > 0.0 ? s / length : 0.0;
    }
}

void wri_registrar_begin_system(wri_registrar *r, double a)
{
    memset(r->lower.values, 0, (size_t)r->lower.begin[2 * r->n] * sizeof(double));
    memset(r->right, 0, 2 * (size_t)r->n * sizeof(double));
    for (int i = 0; i < r->n; i++) {
        for (int k = r->begin[i]; k < r->begin[i + 1]; k++) {
            int j = r->around[k]; // |x_i - x_j - (R_i + R_j)(u_i - u_j) / 2|^2, twice
            double ux = r->u[i][0] - r->u[j][0], uy = r->u[i][1] - r->u[j][1];
            double c = r->turn[i][0] + r->turn[j][0], s = r->turn[i][1] + r->turn[j][1];
            wri_registrar_add_block(r, i, i, 2.0 * a, 0.0, 2.0 * a);
            if (j < i) {
                wri_registrar_add_block(r, i, j, -2.0 * a, 0.0, -2.0 * a);
            }
            r->right[2 * i] += a * (c * ux - s * uy);
            r->right[2 * i + 1] += a * (s * ux + c * uy);
        }
        wri_registrar_add_block(r, i, i, 1e-9, 0.0,
                                1e-9); // parts that nothing shows stay where they are
        r->right[2 * i] += 1e-9 * r->u[i][0];
        r->right[2 * i + 1] += 1e-9 * r->u[i][1];
    }
}

bool wri_search_solve(wri_search *s, double limit)
{
    wri_registrar *r = s->r;
    if (!wri_cholesky_factor(r->cholesky, &r->lower, s->error)) {
        return false;
    }
    wri_cholesky_solve(r->cholesky, 1, r->right, r->right);
    for (int i = 0; i < r->n; i++) {
        double dx = r->right[2 * i] - s->x[i][0], dy = r->right[2 * i + 1] - s->x[i][1];
        double length = hypot(dx, dy), part = length > limit ? limit / length : 1.0;
        s->x[i][0] += part * dx;
        s->x[i][1] += part * dy;
    }
    return true;
}
