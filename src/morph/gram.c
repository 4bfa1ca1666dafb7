// gram.c: products of the strains that modes make, which all coefficients of reduced elastic forces
// are sums of.
//
// In a tetrahedron mode i has the gradient G_i and makes the strains e_i = sym G_i and, together
// with mode j, e_ij = sym(G_i^T G_j): E = q_i e_i + 1/2 q_i q_j e_ij. In the metric of elasticity,
// e . e' = V (2 mu e:e' + lambda tr e tr e'), which is a plain product of vectors
//
//     y = sqrt(V) (sqrt(2 mu) e + kappa tr(e) I),   3 kappa^2 + 2 sqrt(2 mu) kappa = lambda
//
// of six numbers, so that one symmetric rank-k product over all tetrahedra gives all of them
// (J. Barbic, D. James: Real-time subspace integration for St. Venant-Kirchhoff deformable models,
// SIGGRAPH 2005, has the coefficients one by one). Tetrahedra are taken in blocks that do not
// depend on the number of threads, and the sums of blocks are added in order.
#include "morph.h"

enum {
    STRAIN = 6,
    BLOCKS = 16, // of tetrahedra at most, each with sums of its own
    ROWS = 16,   // tetrahedra whose vectors are made at once
    TILE = 4,    // rows and columns of the product that stay in registers
};

typedef double d2 __attribute__((vector_size(16)));

typedef struct gram {
    const wr_morph_data *data;
    int target, vector_count, stride; // vectors and, a multiple of TILE, the room of a row
    int grain;
    bool quadratic;
    double *sums;  // per block stride^2, lower tiles
    double *rows;  // per block ROWS * STRAIN rows
    double *modes; // per block 9 r: gradients of the modes
} gram;

// --- strains of one tetrahedron -----------------------------------------------------------------

static void find_mode_gradients(const gram *g, const wri_tet *t, double *G)
{
    int r = g->data->mode_count;
    for (int mode = 0; mode < r; mode++, G += 9) {
        memset(G, 0, 9 * sizeof *G);
        for (int a = 0; a < 4; a++) {
            const float *u = g->data->basis + ((ptrdiff_t)t->nodes[a] * r + mode) * 3;
            for (int i = 0; i < 9; i++) {
                G[i] += (double)u[i / 3] * t->gradients[a][i % 3];
            }
        }
    }
}

typedef struct metric {
    double normal, trace, shear; // factors: of e_ii, of tr e, of e_ij
} metric;

static metric find_metric(const wri_tet *t)
{
    double root = sqrt(2.0 * t->mu), s = sqrt(t->volume);
    return (metric){s * root, s * (sqrt(2.0 * t->mu + 3.0 * t->lambda) - root) / 3.0,
                    s * 2.0 * sqrt(t->mu)};
}

static void put_strain(const metric *w, const double e[STRAIN], double *row, int stride)
{
    double trace = w->trace * (e[0] + e[1] + e[2]);
    for (int k = 0; k < 3; k++) {
        row[(ptrdiff_t)k * stride] = w->normal * e[k] + trace;
        row[(ptrdiff_t)(3 + k) * stride] = w->shear * e[3 + k];
    }
}

static void put_strains(const gram *g, int tet, double *modes, double *row)
{
    int r = g->data->mode_count;
    wri_tet t;
    wri_tet_find(g->data, g->target, tet, &t);
    find_mode_gradients(g, &t, modes);
    metric w = find_metric(&t);
    double *out = row;
    for (int i = 0; i < r; i++) {
        const double *G = modes + 9 * i;
        const double e[STRAIN] = {
            G[0], G[4], G[8], 0.5 * (G[1] + G[3]), 0.5 * (G[2] + G[6]), 0.5 * (G[5] + G[7])};
        put_strain(&w, e, out++, g->stride);
    }
    for (int i = 0; g->quadratic && i < r; i++) {
        for (int j = 0; j <= i; j++) {
            static const int AT[STRAIN][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
            const double *A = modes + 9 * i, *B = modes + 9 * j;
            double e[STRAIN];
            for (int k = 0; k < STRAIN; k++) {
                int a = AT[k][0], b = AT[k][1];
                e[k] = 0.5 * (A[a] * B[b] + A[3 + a] * B[3 + b] + A[6 + a] * B[6 + b] +
                              B[a] * A[b] + B[3 + a] * A[3 + b] + B[6 + a] * A[6 + b]);
            }
            put_strain(&w, e, out++, g->stride);
        }
    }
}

// --- the product --------------------------------------------------------------------------------

static d2 load2(const double *x)
{
    d2 v;
    memcpy(&v, x, sizeof v);
    return v;
}

static void add_tile(const double *a, const double *b, int rows, int stride, double *out)
{
    d2 sum[TILE][2];
    memset(sum, 0, sizeof sum);
    for (int k = 0; k < rows; k++, a += stride, b += stride) {
        d2 b0 = load2(b), b1 = load2(b + 2);
        for (int i = 0; i < TILE; i++) {
            d2 x = {a[i], a[i]};
            sum[i][0] += x * b0;
            sum[i][1] += x * b1;
        }
    }
    for (int i = 0; i < TILE; i++, out += stride) {
        for (int j = 0; j < TILE; j++) {
            out[j] += sum[i][j / 2][j % 2];
        }
    }
}

static void add_block(void *context, int block, int begin, int end)
{
    const gram *g = context;
    double *rows = g->rows + (size_t)block * ROWS * STRAIN * (size_t)g->stride;
    double *sums = g->sums + (size_t)block * (size_t)g->stride * (size_t)g->stride;
    double *modes = g->modes + (size_t)block * 9 * (size_t)g->data->mode_count;
    for (int first = begin; first < end; first += ROWS) {
        int count = end - first < ROWS ? end - first : ROWS;
        for (int i = 0; i < count; i++) {
            put_strains(g, first + i, modes, rows + (ptrdiff_t)i * STRAIN * g->stride);
        }
        for (int i = 0; i < g->stride; i += TILE) {
            for (int j = 0; j <= i; j += TILE) {
                add_tile(rows + i, rows + j, count * STRAIN, g->stride,
                         sums + (ptrdiff_t)i * g->stride + j);
            }
        }
    }
}

bool wri_gram_find(const wr_morph_data *data, int target, bool quadratic, const wr_tasks *tasks,
                   const wr_allocator *allocator, double *out)
{
    int r = data->mode_count, count = quadratic ? r + wri_pair_count(r) : r;
    gram g = {data, target, count, (count + TILE - 1) / TILE * TILE};
    wri_arena arena = wri_arena_create(allocator);
    g.quadratic = quadratic;
    g.grain = (data->tet_count + BLOCKS - 1) / BLOCKS;
    size_t blocks = (size_t)wri_block_count(data->tet_count, g.grain), stride = (size_t)g.stride;
    g.sums = wri_arena_alloc(&arena, blocks * stride * stride, sizeof *g.sums);
    g.rows = wri_arena_alloc(&arena, blocks * ROWS * STRAIN * stride, sizeof *g.rows);
    g.modes = wri_arena_alloc(&arena, blocks * 9 * (size_t)r, sizeof *g.modes);
    bool ok = g.sums && g.rows && g.modes;
    if (ok) {
        wri_parallel_for(tasks, data->tet_count, g.grain, add_block, &g);
        for (int i = 0; i < count; i++) {
            for (int j = 0; j <= i; j++) {
                double sum = 0.0;
                for (size_t block = 0; block < blocks; block++) {
                    sum += g.sums[(block * stride + (size_t)i) * stride + (size_t)j];
                }
                *out++ = sum;
            }
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}
