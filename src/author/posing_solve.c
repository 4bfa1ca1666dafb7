// posing_solve.c: rounds of local and global steps, from the better of two starts. Symbols and
// equations: see posing.c.
#include "posing.h"

#include "../math/decompose.h"

#include <math.h>

// Computes out (rows x 3) = a (rows x columns) times b (columns x 3), added when add is.
static void multiply3(const double *restrict a, const double *restrict b, int rows, int columns,
                      bool add, double *restrict out)
{
    for (int i = 0; i < rows; i++) {
        const double *row = a + (size_t)i * (size_t)columns;
        double s[3] = {0}, t[3] = {0};
        int j = 0;
        for (; j + 1 < columns; j += 2) { // two sums: shorter chains
            for (int x = 0; x < 3; x++) {
                s[x] += row[j] * b[3 * j + x];
                t[x] += row[j + 1] * b[3 * j + 3 + x];
            }
        }
        for (int x = 0; x < 3; x++) {
            double sum = s[x] + t[x] + (j < columns ? row[j] * b[3 * j + x] : 0.0);
            out[3 * i + x] = add ? out[3 * i + x] + sum : sum;
        }
    }
}

void wr_posing_set_scales(wr_posing *p, const wr_vec3 *scales)
{
    for (int k = 0; k < p->cluster_count; k++) {
        double sum[3] = {0}, total = 0.0;
        for (int b = 0; scales && b < p->handle_count; b++) {
            double share = p->share[(size_t)k * (size_t)p->handle_count + (size_t)b];
            total += share;
            sum[0] += share * (double)scales[b].x;
            sum[1] += share * (double)scales[b].y;
            sum[2] += share * (double)scales[b].z;
        }
        for (int x = 0; x < 3; x++) {
            bool any = total > 0.0 && x < p->dimension;
            p->scale[3 * k + x] = any ? sum[x] / total : 1.0;
        }
    }
}

// Finds the best rotations for t (c); returns the energy with them (b).
static double local_step(wr_posing *p, const double *t)
{
    multiply3(p->kt, t, 3 * p->cluster_count, p->m, false, p->c);
    double fit = 0.0, wanted = 0.0;
    for (int k = 0; k < p->cluster_count; k++) {
        const double *s = p->scale + 3 * (size_t)k;
        double c[3][3], r[3][3]; // c[x][d]: coordinate x, derivative d
        for (int i = 0; i < 9; i++) {
            c[i % 3][i / 3] = p->c[9 * k + i] * s[i / 3];
        }
        for (int d = 0; d < p->dimension; d++) {
            wanted += p->measure[k] * s[d] * s[d];
        }
        if (p->dimension == 2) { // stay in the plane
            c[2][2] = fabs(c[0][0]) + fabs(c[0][1]) + fabs(c[1][0]) + fabs(c[1][1]);
            c[0][2] = c[1][2] = c[2][0] = c[2][1] = 0.0;
        }
        wri_polar3d((const double(*)[3])c, r, NULL); // (c)
        for (int i = 0; i < 9; i++) {
            p->r[9 * k + i] = r[i % 3][i / 3] * s[i / 3];
            fit += p->r[9 * k + i] * p->c[9 * k + i];
        }
    }
    double own = 0.0;
    for (int i = 0; i < p->m; i++) {
        double row[3];
        multiply3(p->a + (size_t)i * (size_t)p->m, t, 1, p->m, false, row);
        own += row[0] * t[3 * i] + row[1] * t[3 * i + 1] + row[2] * t[3 * i + 2];
    }
    return own - 2.0 * fit + wanted; // (b)
}

// Solves (d) with the inverse that the constraints left.
static void global_step(const wr_posing *p, const double *last, double *next)
{
    memcpy(next, p->from_targets, 3 * (size_t)p->m * sizeof *next);
    multiply3(p->by_rotation, p->r, p->m, 3 * p->cluster_count, true, next);
    multiply3(p->by_last, last, p->m, p->m, true, next);
}

static void set_rigid(const wr_posing *p, const double r[3][3], const double offset[3], double *t)
{
    for (int b = 0; b < p->handle_count; b++) {
        for (int i = 0; i < 12; i++) { // row i / 3 of the unknown, coordinate i % 3
            t[12 * b + i] = i < 9 ? r[i % 3][i / 3] : offset[i % 3];
        }
    }
}

// Finds the rigid motion nearest to what the constraints do.
static void fit_rigid(const wr_posing *p, const wr_vec3 *targets, double *t)
{
    double from[4], to[4], a[3] = {0}, b[3] = {0}, c[3][3] = {{0}}, r[3][3], offset[3];
    double places = 0.0;
    for (int i = 0; i < p->constraint_count; i++) {
        places += p->constraints[i].is_arrow ? 0.0 : 1.0;
    }
    for (int i = 0; i < p->constraint_count; i++) {
        wri_posing_constraint_point(p, &p->constraints[i], p->constraints[i].rest, from);
        wri_posing_constraint_point(p, &p->constraints[i], targets[i], to);
        for (int x = 0; x < 3 && from[3] > 0.0; x++) {
            a[x] += from[x] / places;
            b[x] += to[x] / places;
        }
    }
    for (int i = 0; i < p->constraint_count; i++) {
        wri_posing_constraint_point(p, &p->constraints[i], p->constraints[i].rest, from);
        wri_posing_constraint_point(p, &p->constraints[i], targets[i], to);
        for (int x = 0; x < 9; x++) { // arrows start anywhere
            c[x / 3][x % 3] += (to[x / 3] - to[3] * b[x / 3]) * (from[x % 3] - from[3] * a[x % 3]);
        }
    }
    // Constraints in a line leave a turn about it open: none, then.
    double little = 0.0;
    for (int x = 0; x < 9; x++) {
        little += 1e-9 * fabs(c[x / 3][x % 3]);
    }
    for (int x = 0; x < 3; x++) {
        c[x][x] += little;
    }
    if (p->dimension == 2) {
        c[2][2] += fabs(c[0][0]) + fabs(c[0][1]) + fabs(c[1][0]) + fabs(c[1][1]);
    }
    wri_polar3d((const double(*)[3])c, r, NULL);
    for (int x = 0; x < 3; x++) {
        offset[x] = b[x] - r[x][0] * a[0] - r[x][1] * a[1] - r[x][2] * a[2];
    }
    set_rigid(p, (const double(*)[3])r, offset, t);
}

static void write_maps(wr_posing *p)
{
    for (int b = 0; b < p->handle_count; b++) {
        const double *t = p->t + 12 * (size_t)b;
        for (int x = 0; x < 3; x++) {
            double offset = t[9 + x] * p->size + p->middle[x];
            for (int d = 0; d < 3; d++) {
                p->maps[b].m[x][d] = (float)t[3 * d + x];
                offset -= t[3 * d + x] * p->middle[d];
            }
            p->maps[b].m[x][3] = (float)offset;
        }
    }
}

void wr_posing_reset(wr_posing *p)
{
    static const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, zero[3] = {0};
    set_rigid(p, identity, zero, p->t);
    p->energy = local_step(p, p->t);
    write_maps(p);
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

// Computes what targets alone contribute to every global step.
static void add_targets(wr_posing *p, const wr_vec3 *targets)
{
    memset(p->from_targets, 0, 3 * (size_t)p->m * sizeof *p->from_targets);
    for (int j = 0; j < p->constraint_count; j++) {
        double to[4];
        wri_posing_constraint_point(p, &p->constraints[j], targets[j], to);
        for (int i = 0; i < p->m; i++) {
            double factor = p->by_target[(size_t)i * (size_t)p->constraint_count + (size_t)j];
            for (int x = 0; x < 3; x++) {
                p->from_targets[3 * i + x] += factor * to[x];
            }
        }
    }
}

// Does one round from each start: the last shape and the rest shape moved rigidly. t becomes the
// better.
static void choose_start(wr_posing *p, const wr_vec3 *targets)
{
    local_step(p, p->t);
    global_step(p, p->t, p->next);
    double from_last = local_step(p, p->next);
    if (p->constraint_count > 0) {
        fit_rigid(p, targets, p->t);
        local_step(p, p->t);
        global_step(p, p->t, p->other);
        double from_rigid = local_step(p, p->other);
        if (from_rigid < from_last) {
            swap(&p->next, &p->other);
            from_last = from_rigid;
        } else {
            local_step(p, p->next);
        }
    }
    swap(&p->t, &p->next);
    p->energy = from_last;
}

int wr_posing_solve(wr_posing *p, const wr_vec3 *targets, int rounds)
{
    add_targets(p, targets);
    choose_start(p, targets);
    int round = 1;
    for (bool moves = true; round < rounds && moves; round++) {
        global_step(p, p->t, p->next);
        double change = 0.0;
        for (int i = 0; i < 3 * p->m; i++) {
            change = fmax(change, fabs(p->next[i] - p->t[i]));
        }
        swap(&p->t, &p->next);
        p->energy = local_step(p, p->t);
        moves = change > 1e-7;
    }
    write_maps(p);
    return round;
}
