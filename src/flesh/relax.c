// relax.c: one cycle of multigrid around a patch.
//
// Smoothing is Gauss-Seidel's, forward on the way down, backward on the way up. Springs of a
// coarser node are the sum of those of the nodes that follow it, by their shares, which is
// stiffer than P^T D P, and leaves them blocks on the diagonal.
#include "relax.h"

enum { RINGS = 3 }; // of nodes around the patch

// --- the part of a level ------------------------------------------------------------------------

typedef struct source {
    const wri_blocks *A;
    float scale;       // of A,
    const float *mass; // to which this times `heavy` is added; NULL: nothing
    float heavy;
} source;

static source source_of(const wr_flesh_model *m, int level)
{
    if (level > 0) {
        return (source){&m->levels.level[level - 1].A, 1.0f, NULL, 0.0f};
    }
    return (source){&m->K, m->damping_stiffness * m->dt + m->dt * m->dt, m->mass,
                    1.0f + m->damping_mass * m->dt};
}

static wri_columns columns_of(const source *s, int entry)
{
    const float *a = s->A->value[entry];
    wri_columns out;
    for (int k = 0; k < 3; k++) {
        out.c[k] = s->scale * (f4){a[k], a[3 + k], a[6 + k], 0.0f};
    }
    return out;
}

// place: of the level's nodes in its part, from 1 on; 0: not there. Adds the neighbours of those
// from `from` on, and returns where these begin.
static int add_ring(const wri_blocks *A, int *place, wri_relax_level *l, int from)
{
    int end = l->count;
    for (int i = from; i < end; i++) {
        for (int e = A->begin[l->nodes[i]]; e < A->begin[l->nodes[i] + 1]; e++) {
            int node = A->column[e];
            if (place[node] == 0) {
                l->nodes[l->count] = node;
                place[node] = ++l->count;
            }
        }
    }
    return end;
}

static int count_entries(const wri_blocks *A, const int *place, const wri_relax_level *l)
{
    int count = 0;
    for (int i = 0; i < l->count; i++) {
        for (int e = A->begin[l->nodes[i]]; e < A->begin[l->nodes[i] + 1]; e++) {
            count += place[A->column[e]] > 0;
        }
    }
    return count - l->count; // without the diagonal
}

static void fill_row(const source *s, const int *place, wri_relax_level *l, int i)
{
    int node = l->nodes[i], end = l->begin[i];
    for (int side = 0; side < 2; side++) { // before the diagonal, and behind it
        for (int e = s->A->begin[node]; e < s->A->begin[node + 1]; e++) {
            int other = place[s->A->column[e]] - 1;
            if (side == 0 ? other >= 0 && other < i : other > i) {
                l->columns[end] = other;
                l->values[end++] = columns_of(s, e);
            } else if (side == 0 && other == i) {
                l->own[i] = columns_of(s, e);
            }
        }
        if (side == 0) {
            l->middle[i] = end;
        }
    }
    l->begin[i + 1] = end;
    for (int k = 0; k < 3 && s->mass; k++) {
        l->own[i].c[k][k] += s->heavy * s->mass[node];
    }
}

static bool fill_level(const source *s, const int *place, wri_relax_level *l, wr_scratch *scratch)
{
    size_t count = (size_t)l->count, entries = (size_t)count_entries(s->A, place, l);
    l->begin = wr_scratch_push(scratch, count + 1, sizeof *l->begin);
    l->middle = wr_scratch_push(scratch, count, sizeof *l->middle);
    l->columns = wr_scratch_push(scratch, entries, sizeof *l->columns);
    l->values = wr_scratch_push(scratch, entries, sizeof *l->values);
    l->own = wr_scratch_push(scratch, 3 * count, sizeof *l->own);
    l->b = wr_scratch_push(scratch, 3 * count, sizeof *l->b);
    if (!l->begin || !l->middle || !l->columns || !l->values || !l->own || !l->b) {
        return false;
    }
    l->D = l->own + count;
    l->inverse = l->D + count;
    l->x = l->b + count;
    l->way = l->x + count;
    for (int i = 0; i < l->count; i++) {
        fill_row(s, place, l, i);
    }
    return true;
}

// The nodes of the next level that only nodes of this part follow.
static bool find_next(const wri_level *up, wri_relax_level *l, wri_relax_level *next,
                      int **next_place, wr_scratch *scratch)
{
    size_t links = 0;
    for (int i = 0; i < l->count; i++) {
        links += (size_t)(up->parent_begin[l->nodes[i] + 1] - up->parent_begin[l->nodes[i]]);
    }
    int *place = *next_place = wr_scratch_push(scratch, (size_t)up->A.count, sizeof *place);
    next->nodes = wr_scratch_push(scratch, links, sizeof *next->nodes);
    l->parent_begin = wr_scratch_push(scratch, (size_t)l->count + 1, sizeof *l->parent_begin);
    l->parents = wr_scratch_push(scratch, links, sizeof *l->parents);
    l->shares = wr_scratch_push(scratch, links, sizeof *l->shares);
    if (!place || !next->nodes || !l->parent_begin || !l->parents || !l->shares) {
        return false;
    }
    for (int pass = 0; pass < 2; pass++) { // first `place` counts, below 0
        int end = 0;
        for (int i = 0; i < l->count; i++) {
            int node = l->nodes[i];
            for (int k = up->parent_begin[node]; k < up->parent_begin[node + 1]; k++) {
                int parent = up->parents[k];
                if (pass == 0 && --place[parent] == -up->child_counts[parent]) {
                    next->nodes[next->count] = parent;
                    place[parent] = ++next->count;
                } else if (pass == 1 && place[parent] > 0) {
                    l->parents[end] = place[parent] - 1;
                    l->shares[end++] = up->shares[k];
                }
            }
            l->parent_begin[i + 1] = end;
        }
    }
    return true;
}

static void forget_counts(const wri_level *up, int *place)
{
    for (int i = 0; i < up->A.count; i++) {
        place[i] = place[i] < 0 ? 0 : place[i];
    }
}

static bool find_first(const wr_flesh_model *m, const int *nodes, int count, wri_relax_level *l,
                       int **place, wr_scratch *scratch)
{
    *place = wr_scratch_push(scratch, (size_t)m->node_count, sizeof **place);
    l->nodes = wr_scratch_push(scratch, (size_t)m->node_count, sizeof *l->nodes);
    if (!*place || !l->nodes) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        l->nodes[i] = nodes[i];
        (*place)[nodes[i]] = ++l->count;
    }
    for (int ring = 0, from = 0; ring < RINGS; ring++) {
        from = add_ring(&m->K, *place, l, from);
    }
    return true;
}

static wri_columns sum_row(const source *s, int node)
{
    wri_columns sum = {{{0}}};
    for (int e = s->A->begin[node]; e < s->A->begin[node + 1]; e++) {
        wri_columns entry = columns_of(s, e);
        for (int k = 0; k < 3; k++) {
            sum.c[k] += entry.c[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        sum.c[k][k] += s->heavy * s->mass[node];
    }
    return sum;
}

bool wri_relax_create(wri_relax *out, const wr_flesh_model *m, const int *nodes, int count,
                      wr_scratch *scratch)
{
    int *place;
    *out = (wri_relax){.level_count = 1};
    bool ok = find_first(m, nodes, count, &out->level[0], &place, scratch);
    out->sums = wr_scratch_push(scratch, (size_t)count, sizeof *out->sums);
    ok = ok && out->sums;
    for (int i = 0; ok && i < count; i++) {
        source s = source_of(m, 0);
        out->sums[i] = sum_row(&s, nodes[i]);
    }
    for (int k = 0; ok; k++) {
        source s = source_of(m, k);
        ok = fill_level(&s, place, &out->level[k], scratch);
        if (!ok || k == m->levels.count) {
            break;
        }
        ok = find_next(&m->levels.level[k], &out->level[k], &out->level[k + 1], &place, scratch);
        if (!ok || out->level[k + 1].count == 0) {
            break;
        }
        forget_counts(&m->levels.level[k], place);
        out->level_count++;
    }
    out->b = out->level[0].b;
    out->x = out->level[0].x;
    return ok;
}

// --- springs ------------------------------------------------------------------------------------

wri_columns wri_relax_inverse(const wri_columns *a, const wri_columns *D)
{
    double m[3][3], co[3][3];
    for (int k = 0; k < 9; k++) {
        m[k / 3][k % 3] = (double)a->c[k / 3][k % 3] + (double)D->c[k / 3][k % 3];
    }
    for (int k = 0; k < 9; k++) {
        int r = k / 3, c = k % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3,
            c2 = (c + 2) % 3;
        co[r][c] = m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1];
    }
    double scale = 1.0 / (m[0][0] * co[0][0] + m[0][1] * co[0][1] + m[0][2] * co[0][2]);
    wri_columns out;
    for (int k = 0; k < 3; k++) {
        out.c[k] = (f4){(float)(scale * co[0][k]), (float)(scale * co[1][k]),
                        (float)(scale * co[2][k]), 0.0f};
    }
    return out;
}

void wri_relax_set(wri_relax *relax)
{
    for (int k = 0; k < relax->level_count; k++) {
        wri_relax_level *l = &relax->level[k], *up = l + 1;
        bool is_last = k + 1 == relax->level_count;
        if (!is_last) {
            memset(up->D, 0, (size_t)up->count * sizeof *up->D);
        }
        for (int i = 0; i < l->count; i++) {
            l->inverse[i] = wri_relax_inverse(&l->own[i], &l->D[i]);
            for (int e = l->parent_begin ? l->parent_begin[i] : 0;
                 !is_last && e < l->parent_begin[i + 1]; e++) {
                for (int c = 0; c < 3; c++) {
                    up->D[l->parents[e]].c[c] += l->shares[e] * l->D[i].c[c];
                }
            }
        }
    }
}

// --- the cycle ----------------------------------------------------------------------------------

// The products with the entries from `begin` on.
static inline f4 sum_of(const wri_relax_level *l, int begin, int end)
{
    f4 sum = {0};
    for (int e = begin; e < end; e++) {
        sum += wri_columns_apply(&l->values[e], l->x[l->columns[e]]);
    }
    return sum;
}

// From nothing, so that earlier nodes alone count.
static void smooth_first(wri_relax_level *l)
{
    for (int i = 0; i < l->count; i++) {
        f4 rest = l->b[i] - sum_of(l, l->begin[i], l->middle[i]);
        l->x[i] = l->way[i] = wri_columns_apply(&l->inverse[i], rest);
    }
}

static void smooth_forward(wri_relax_level *l)
{
    for (int i = 0; i < l->count; i++) {
        f4 rest = l->b[i] - sum_of(l, l->begin[i], l->begin[i + 1]);
        f4 x = wri_columns_apply(&l->inverse[i], rest);
        l->way[i] = x - l->x[i];
        l->x[i] = x;
    }
}

static void smooth_backward(wri_relax_level *l)
{
    for (int i = l->count - 1; i >= 0; i--) {
        f4 rest = l->b[i] - sum_of(l, l->begin[i], l->begin[i + 1]);
        l->x[i] = wri_columns_apply(&l->inverse[i], rest);
    }
}

// What is left after smoothing forward goes to the next level: what later nodes moved since.
static void restrict_rest(const wri_relax_level *l, wri_relax_level *up)
{
    memset(up->b, 0, (size_t)up->count * sizeof *up->b);
    for (int i = 0; i < l->count; i++) {
        f4 rest = {0};
        for (int e = l->middle[i]; e < l->begin[i + 1]; e++) {
            rest -= wri_columns_apply(&l->values[e], l->way[l->columns[e]]);
        }
        for (int e = l->parent_begin[i]; e < l->parent_begin[i + 1]; e++) {
            up->b[l->parents[e]] += l->shares[e] * rest;
        }
    }
}

static void follow(wri_relax_level *l, const wri_relax_level *up)
{
    for (int i = 0; i < l->count; i++) {
        for (int e = l->parent_begin[i]; e < l->parent_begin[i + 1]; e++) {
            l->x[i] += l->shares[e] * up->x[l->parents[e]];
        }
    }
}

void wri_relax_forget(wri_relax *relax)
{
    memset(relax->level[0].x, 0, (size_t)relax->level[0].count * sizeof *relax->level[0].x);
    relax->is_new = true;
}

void wri_relax_solve(wri_relax *relax)
{
    int last = relax->level_count - 1;
    for (int k = 0; k <= last; k++) {
        wri_relax_level *l = &relax->level[k];
        if (k > 0 || relax->is_new) {
            smooth_first(l);
        } else {
            smooth_forward(l);
        }
        if (k < last) {
            restrict_rest(l, l + 1);
        }
    }
    for (int k = last; k >= 0; k--) {
        if (k < last) {
            follow(&relax->level[k], &relax->level[k + 1]);
        }
        smooth_backward(&relax->level[k]);
    }
    relax->is_new = false;
}
