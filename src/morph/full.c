// full.c: models whose free nodes all move: stiffness of every target, and factors of their
// systems.
//
// The system A(s) = (1 + gamma h a) M + (beta h^2 + gamma h b) K(s) changes with every pose. Its
// solution is sought by conjugate gradients with the factor of the target that has the largest
// share as preconditioner: 3 to 5 iterations, a fifth of the cost of factoring anew
// (docs/morph.md).
#include "full.h"

#include <stdlib.h>

// --- pattern ------------------------------------------------------------------------------------

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Blocks between all free nodes that share a tetrahedron, in the numbers of `place`.
static bool find_pattern(const wr_morph_data *d, const int *place, int count, wri_arena *arena,
                         wri_blocks *out)
{
    size_t keys_count = 0, kept = 0, most = 16 * (size_t)d->tet_count;
    uint64_t *keys = wri_alloc(&arena->allocator, most, sizeof *keys);
    if (!keys) {
        return false;
    }
    for (int i = 0; i < 16 * d->tet_count; i++) {
        int row = place[d->tets[i / 4]], column = place[d->tets[4 * (i / 16) + i % 4]];
        if (row >= 0 && column >= 0) {
            keys[keys_count++] = (uint64_t)row << 32 | (uint64_t)column;
        }
    }
    qsort(keys, keys_count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < keys_count; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            keys[kept++] = keys[i];
        }
    }
    out->count = count;
    out->begin = wri_arena_alloc(arena, (size_t)count + 1, sizeof *out->begin);
    out->column = wri_arena_alloc(arena, kept, sizeof *out->column);
    bool ok = out->begin && out->column;
    for (size_t i = 0; ok && i < kept; i++) {
        out->begin[(keys[i] >> 32) + 1]++;
        out->column[i] = (int)(keys[i] & 0xffffffff);
    }
    for (int i = 0; ok && i < count; i++) {
        out->begin[i + 1] += out->begin[i];
    }
    wri_free(&arena->allocator, keys, most, sizeof *keys);
    return ok;
}

static int find_entry(const wri_blocks *p, int row, int column)
{
    int low = p->begin[row], high = p->begin[row + 1];
    while (p->column[low] != column) {
        int middle = low + (high - low) / 2;
        if (p->column[middle] > column) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

// Free nodes in the order of elimination.
static bool find_order(wr_morph_model *m, wri_arena *temporary, wr_error *error)
{
    const wr_morph_data *d = m->data;
    wri_morph_full *f = &m->full;
    size_t nodes = (size_t)d->node_count;
    int *first = wri_arena_alloc(temporary, nodes, sizeof *first), count = 0;
    int *free_nodes = wri_arena_alloc(temporary, nodes, sizeof *free_nodes);
    int *order = wri_arena_alloc(temporary, nodes, sizeof *order);
    wr_vec3 *places = wri_arena_alloc(temporary, nodes, sizeof *places);
    f->place_of = wri_arena_alloc(&m->arena, nodes, sizeof *f->place_of);
    f->node_of = wri_arena_alloc(&m->arena, nodes, sizeof *f->node_of);
    if (!first || !free_nodes || !order || !places || !f->place_of || !f->node_of) {
        return wri_fail_memory(error, 0);
    }
    for (int i = 0; i < d->node_count; i++) {
        first[i] = f->place_of[i] = -1;
        if (!d->fixed[i]) {
            free_nodes[count] = i;
            places[count] = d->nodes[i];
            first[i] = count++;
        }
    }
    wri_blocks pattern = {0};
    if (count == 0) {
        return wri_fail(error, WR_E_ARGUMENT, "morph: all nodes are fixed to bones");
    }
    if (!find_pattern(d, first, count, temporary, &pattern)) {
        return wri_fail_memory(error, 0);
    }
    if (!wri_order_find(&pattern, places, order, &m->arena.allocator, error)) {
        return false;
    }
    f->count = count;
    m->freedom = 3 * count;
    for (int i = 0; i < count; i++) {
        f->node_of[i] = free_nodes[order[i]];
        f->place_of[f->node_of[i]] = i;
    }
    return find_pattern(d, f->place_of, count, &m->arena, &f->pattern) || wri_fail_memory(error, 0);
}

// --- stiffness ----------------------------------------------------------------------------------

static void find_entries(wr_morph_model *m)
{
    const wr_morph_data *d = m->data;
    wri_morph_full *f = &m->full;
    for (int i = 0; i < 16 * d->tet_count; i++) {
        int row = f->place_of[d->tets[i / 4]];
        int column = f->place_of[d->tets[4 * (i / 16) + i % 4]];
        f->tet_entry[i] = row >= 0 && column >= 0 ? find_entry(&f->pattern, row, column) : -1;
    }
}

static void find_stiffness(wr_morph_model *m, int target, double (*sums)[9])
{
    const wri_morph_full *f = &m->full;
    size_t entries = (size_t)f->pattern.begin[f->count];
    memset(sums, 0, entries * sizeof *sums);
    for (int tet = 0; tet < m->data->tet_count; tet++) {
        wri_tet t;
        wri_tet_find(m->data, target, tet, &t);
        t.lambda *= m->stiffness, t.mu *= m->stiffness;
        if (m->elasticity == WR_MORPH_STVK) {
            f->tets[(ptrdiff_t)target * m->data->tet_count + tet] = t;
        }
        for (int i = 0; i < 16; i++) {
            int entry = f->tet_entry[16 * (ptrdiff_t)tet + i];
            double K[9];
            if (entry >= 0) {
                wri_tet_stiffness(&t, i / 4, i % 4, K);
                for (int k = 0; k < 9; k++) {
                    sums[entry][k] += K[k];
                }
            }
        }
    }
    for (size_t i = 0; i < entries; i++) {
        for (int k = 0; k < 9; k++) {
            f->values[target][i][k] = (float)sums[i][k];
        }
    }
}

static void find_rest(wr_morph_model *m, int target, float *x, float *y)
{
    const wr_morph_data *d = m->data;
    wri_morph_full *f = &m->full;
    double *rest = f->rest + (ptrdiff_t)target * m->freedom;
    double *constant = f->constant + (ptrdiff_t)target * m->freedom;
    for (int i = 0; i < f->count; i++) {
        wr_vec3 by = d->offsets[(ptrdiff_t)target * d->node_count + f->node_of[i]];
        rest[3 * i] = (double)by.x, rest[3 * i + 1] = (double)by.y;
        rest[3 * i + 2] = (double)by.z;
        x[3 * i] = by.x, x[3 * i + 1] = by.y, x[3 * i + 2] = by.z;
    }
    wri_blocks K = f->pattern;
    K.value = f->values[target];
    wri_blocks_multiply(&K, x, y, NULL);
    for (int i = 0; i < m->freedom; i++) {
        constant[i] = -(double)y[i];
    }
}

static bool find_factor(wr_morph_model *m, int target, float (*values)[9], const wr_tasks *tasks,
                        wr_error *error)
{
    wri_morph_full *f = &m->full;
    wri_blocks A = f->pattern;
    A.value = values;
    for (int row = 0; row < f->count; row++) {
        for (int e = A.begin[row]; e < A.begin[row + 1]; e++) {
            for (int k = 0; k < 9; k++) {
                double own =
                    A.column[e] == row && k % 4 == 0 ? m->inertia_factor * f->mass[row] : 0.0;
                values[e][k] = (float)(own + m->stiffness_factor * (double)f->values[target][e][k]);
            }
        }
    }
    if (!f->plan) {
        f->plan = wri_plan_create(&A, &m->arena.allocator, error);
    }
    if (!f->plan ||
        !(f->factors[target] = wri_factor_create(f->plan, &m->arena.allocator, error)) ||
        !wri_factor_compute(f->factors[target], &A, tasks, error)) {
        return false;
    }
    wri_factor_trim(f->factors[target]);
    return true;
}

// The least eigenvalue of M^-1 K, by inverse iteration with the factor of A. x: freedom floats.
static double find_slowest(const wr_morph_model *m, int target, float *x)
{
    double size = 1.0;
    for (int i = 0; i < m->freedom; i++) {
        x[i] = 1.0f + 0.1f * (float)(i % 7);
    }
    for (int round = 0; round < 30; round++) {
        double square = 0.0;
        for (int i = 0; i < m->freedom; i++) {
            x[i] = (float)((double)x[i] / size * m->full.mass[i / 3]);
        }
        wri_factor_solve(m->full.factors[target], x, NULL);
        for (int i = 0; i < m->freedom; i++) {
            square += m->full.mass[i / 3] * (double)x[i] * (double)x[i];
        }
        size = sqrt(square);
    }
    return fmax(0.0, (1.0 / size - m->inertia_factor) / m->stiffness_factor);
}

static bool take_memory(wr_morph_model *m)
{
    wri_morph_full *f = &m->full;
    wri_arena *arena = &m->arena;
    size_t targets = (size_t)m->target_count, freedom = (size_t)m->freedom;
    size_t tets = (size_t)m->data->tet_count, entries = (size_t)f->pattern.begin[f->count];
    f->mass = wri_arena_alloc(arena, (size_t)f->count, sizeof *f->mass);
    f->rest = wri_arena_alloc(arena, targets * freedom, sizeof *f->rest);
    f->constant = wri_arena_alloc(arena, targets * freedom, sizeof *f->constant);
    f->values = wri_arena_alloc(arena, targets, sizeof *f->values);
    f->factors = wri_arena_alloc(arena, targets, sizeof(wri_factor *));
    f->tet_entry = wri_arena_alloc(arena, 16 * tets, sizeof *f->tet_entry);
    f->tets = wri_arena_alloc(arena, m->elasticity == WR_MORPH_STVK ? targets * tets : 0,
                              sizeof *f->tets);
    bool ok =
        f->mass && f->rest && f->constant && f->values && f->factors && f->tet_entry && f->tets;
    for (size_t i = 0; ok && i < targets; i++) {
        f->values[i] = wri_arena_alloc(arena, entries, sizeof *f->values[i]);
        ok = f->values[i] != NULL;
    }
    return ok;
}

static bool build(wr_morph_model *m, const wr_tasks *tasks, wri_arena *temporary, wr_error *error)
{
    wri_morph_full *f = &m->full;
    if (!find_order(m, temporary, error)) {
        return false;
    }
    size_t entries = (size_t)f->pattern.begin[f->count], freedom = (size_t)m->freedom;
    double(*sums)[9] = wri_arena_alloc(temporary, entries, sizeof *sums);
    float(*values)[9] = wri_arena_alloc(temporary, entries, sizeof *values);
    float *x = wri_arena_alloc(temporary, 2 * freedom, sizeof *x);
    if (!take_memory(m) || !sums || !values || !x) {
        return wri_fail_memory(error, 0);
    }
    find_entries(m);
    for (int i = 0; i < f->count; i++) {
        f->mass[i] = (double)m->data->masses[f->node_of[i]];
    }
    for (int target = 0; target < m->target_count; target++) {
        find_stiffness(m, target, sums);
        find_rest(m, target, x, x + freedom);
        if (!find_factor(m, target, values, tasks, error)) {
            return false;
        }
        double slowest = find_slowest(m, target, x);
        m->slowest = target == 0 || slowest < m->slowest ? slowest : m->slowest;
    }
    return true;
}

bool wri_full_create(wr_morph_model *m, const wr_tasks *tasks, wr_error *error)
{
    wri_arena temporary = wri_arena_create(&m->arena.allocator);
    bool ok = build(m, tasks, &temporary, error);
    wri_arena_destroy(&temporary);
    return ok;
}

void wri_full_destroy(wr_morph_model *m)
{
    for (int i = 0; m->full.factors && i < m->target_count; i++) {
        wri_factor_destroy(m->full.factors[i]);
    }
    wri_plan_destroy(m->full.plan);
}
