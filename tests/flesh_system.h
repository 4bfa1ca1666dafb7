// flesh_system.h: graphs, matrices over them, and dense algebra, for tests of the sparse direct
// solver of flesh.
#pragma once

#include "check.h"

#include "../src/factor/cut.h"
#include "../src/factor/plan.h"

static const double PI = 3.14159265358979323846;

// --- graphs -----------------------------------------------------------------------------------

typedef struct graph {
    int count;
    wr_vec3 *places;
    int (*edges)[2];
    int edge_count;
} graph;

static inline graph graph_create(int count, int edges)
{
    return (graph){.count = count,
                   .places = calloc((size_t)count, sizeof(wr_vec3)),
                   .edges = calloc((size_t)edges + 1, sizeof(int[2]))};
}

static inline void graph_destroy(graph *g)
{
    free(g->places);
    free(g->edges);
}

static inline void add_edge(graph *g, int a, int b)
{
    g->edges[g->edge_count][0] = a;
    g->edges[g->edge_count++][1] = b;
}

static inline graph make_chain(int count)
{
    graph g = graph_create(count, count);
    for (int i = 0; i < count; i++) {
        g.places[i] = (wr_vec3){(float)i, 0.0f, 0.0f};
        if (i > 0) {
            add_edge(&g, i - 1, i);
        }
    }
    return g;
}

static inline graph make_grid(int width, int height) // with one diagonal in every square
{
    graph g = graph_create(width * height, 3 * width * height);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            g.places[i] = (wr_vec3){(float)x, (float)y, 0.0f};
            if (x > 0) {
                add_edge(&g, i - 1, i);
            }
            if (y > 0) {
                add_edge(&g, i - width, i);
            }
            if (x > 0 && y > 0) {
                add_edge(&g, i - width - 1, i);
            }
        }
    }
    return g;
}

static inline graph make_star(int count) // the hub first, where it costs most
{
    graph g = graph_create(count, count);
    for (int i = 1; i < count; i++) {
        g.places[i] = (wr_vec3){cosf((float)i), sinf((float)i), 0.0f};
        add_edge(&g, 0, i);
    }
    return g;
}

static inline graph make_complete(int count)
{
    graph g = graph_create(count, count * count);
    for (int i = 0; i < count; i++) {
        g.places[i] = (wr_vec3){(float)(i % 7), (float)(i % 5), (float)(i % 3)};
        for (int j = 0; j < i; j++) {
            add_edge(&g, j, i);
        }
    }
    return g;
}

// Rings of a sphere between two poles, six neighbours nearly everywhere.
static inline graph make_sphere(int rings, int segments)
{
    int count = rings * segments + 2;
    graph g = graph_create(count, 4 * count);
    g.places[count - 2].z = 1.0f;
    g.places[count - 1].z = -1.0f;
    for (int r = 0; r < rings; r++) {
        double down = PI * (r + 1.0) / (rings + 1.0);
        for (int s = 0; s < segments; s++) {
            int i = r * segments + s, side = r * segments + (s + 1) % segments;
            double turn = 2.0 * PI * s / segments;
            g.places[i] = (wr_vec3){(float)(sin(down) * cos(turn)), (float)(sin(down) * sin(turn)),
                                    (float)cos(down)};
            add_edge(&g, i, side);
            if (r > 0) {
                add_edge(&g, i - segments, i);
                add_edge(&g, i - segments, side);
            } else {
                add_edge(&g, count - 2, i);
            }
            if (r == rings - 1) {
                add_edge(&g, count - 1, i);
            }
        }
    }
    return g;
}

static inline graph make_islands(void) // parts that do not meet, some of one node
{
    graph g = graph_create(60, 100);
    for (int i = 0; i < 60; i++) {
        g.places[i] = (wr_vec3){(float)(i % 10), (float)(i / 10), 0.0f};
        if (i % 10 > 0 && i % 10 < 7) {
            add_edge(&g, i - 1, i);
        }
    }
    return g;
}

static inline graph make_random(int count, int edges, uint64_t seed)
{
    graph g = graph_create(count, edges);
    for (int i = 0; i < count; i++) {
        g.places[i] = (wr_vec3){random_float(&seed, -1, 1), random_float(&seed, -1, 1), 0.0f};
    }
    for (int e = 0; e < edges; e++) {
        int a = (int)(random_bits(&seed) % (uint64_t)count);
        int b = (int)(random_bits(&seed) % (uint64_t)count);
        if (a != b) {
            add_edge(&g, a, b);
        }
    }
    return g;
}

// Large enough for several tasks and levels, and fronts of several blocks of rows.
static inline graph large_graph(void)
{
    return make_sphere(40, 60);
}

// --- matrices ---------------------------------------------------------------------------------

static inline int compare_pairs(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

// place: the row of each node, NULL: as they are.
static inline wri_blocks blocks_create(const graph *g, const int *place)
{
    int count = 0;
    int(*pairs)[2] = calloc((size_t)(g->count + 2 * g->edge_count), sizeof(int[2]));
    for (int i = 0; i < g->count; i++, count++) {
        pairs[count][0] = pairs[count][1] = i;
    }
    for (int e = 0; e < g->edge_count; e++) {
        int a = g->edges[e][0], b = g->edges[e][1];
        for (int k = 0; k < 2; k++, count++) {
            pairs[count][k] = place ? place[a] : a;
            pairs[count][1 - k] = place ? place[b] : b;
        }
    }
    qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
    wri_blocks A = {.count = g->count};
    A.begin = calloc((size_t)g->count + 1, sizeof *A.begin);
    A.column = calloc((size_t)count, sizeof *A.column);
    A.value = calloc((size_t)count, sizeof *A.value);
    int entries = 0;
    for (int i = 0; i < count; i++) {
        if (i == 0 || compare_pairs(pairs[i], pairs[i - 1]) != 0) {
            A.begin[pairs[i][0] + 1]++;
            A.column[entries++] = pairs[i][1];
        }
    }
    for (int i = 0; i < g->count; i++) {
        A.begin[i + 1] += A.begin[i];
    }
    free(pairs);
    return A;
}

static inline void blocks_destroy(wri_blocks *A)
{
    free(A->begin);
    free(A->column);
    free(A->value);
}

static inline int entry_at(const wri_blocks *A, int row, int column)
{
    for (int e = A->begin[row]; e < A->begin[row + 1]; e++) {
        if (A->column[e] == column) {
            return e;
        }
    }
    return -1;
}

// Blocks between nodes are oblique; the diagonal is just large enough to be positive definite.
static inline void fill_values(wri_blocks *A, uint64_t seed)
{
    for (int i = 0; i < A->count; i++) {
        float *diagonal = A->value[entry_at(A, i, i)];
        memset(diagonal, 0, sizeof *A->value);
        diagonal[0] = diagonal[4] = diagonal[8] = 0.05f;
    }
    for (int i = 0; i < A->count; i++) {
        for (int e = A->begin[i]; e < A->begin[i + 1] && A->column[e] < i; e++) {
            int j = A->column[e], other = entry_at(A, j, i);
            float M[3][3];
            for (int k = 0; k < 9; k++) {
                M[k / 3][k % 3] = random_float(&seed, -1.0f, 1.0f);
            }
            // The energy |x_i - M x_j|^2 / 2: (i, i) += I, (i, j) -= M, (j, j) += M' M.
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    float product = M[0][a] * M[0][b] + M[1][a] * M[1][b] + M[2][a] * M[2][b];
                    A->value[e][3 * a + b] = -M[a][b];
                    A->value[other][3 * b + a] = -M[a][b];
                    A->value[entry_at(A, i, i)][3 * a + b] += a == b ? 1.0f : 0.0f;
                    A->value[entry_at(A, j, j)][3 * a + b] += product;
                }
            }
        }
    }
}

// A graph in its order of elimination with values, a plan and a factor.
typedef struct problem {
    wri_blocks A;
    wri_plan *plan;
    wri_factor *factor;
} problem;

static inline int *find_places(const graph *g)
{
    wri_blocks pattern = blocks_create(g, NULL);
    int *order = calloc((size_t)g->count, sizeof *order);
    int *place = calloc((size_t)g->count, sizeof *place);
    wr_error error = {0};
    if (!wri_order_find(&pattern, g->places, order, NULL, &error)) {
        fail_msg("%s", error.message);
    }
    for (int k = 0; k < g->count; k++) {
        place[k] = -1;
    }
    for (int k = 0; k < g->count; k++) {
        assert_in_range(order[k], 0, g->count - 1);
        assert_int_equal(place[order[k]], -1); // every node once
        place[order[k]] = k;
    }
    blocks_destroy(&pattern);
    free(order);
    return place;
}

static inline problem problem_create(graph g, uint64_t seed)
{
    wr_error error = {0};
    int *place = find_places(&g);
    problem p = {.A = blocks_create(&g, place)};
    fill_values(&p.A, seed);
    p.plan = wri_plan_create(&p.A, NULL, &error);
    p.factor = p.plan ? wri_factor_create(p.plan, NULL, &error) : NULL;
    if (!p.factor || !wri_factor_compute(p.factor, &p.A, NULL, &error)) {
        fail_msg("%s", error.message);
    }
    free(place);
    graph_destroy(&g);
    return p;
}

static inline void problem_destroy(problem *p)
{
    wri_factor_destroy(p->factor);
    wri_plan_destroy(p->plan);
    blocks_destroy(&p->A);
}

static inline float *make_vector(int count, uint64_t seed)
{
    float *x = calloc((size_t)count, sizeof *x);
    for (int i = 0; i < count; i++) {
        x[i] = random_float(&seed, -1.0f, 1.0f);
    }
    return x;
}

// --- dense algebra in double ------------------------------------------------------------------

static inline double *make_dense(const wri_blocks *A)
{
    size_t n = 3 * (size_t)A->count;
    double *D = calloc(n * n, sizeof *D);
    for (int i = 0; i < A->count; i++) {
        for (int e = A->begin[i]; e < A->begin[i + 1]; e++) {
            for (size_t k = 0; k < 9; k++) {
                D[(3 * (size_t)i + k / 3) * n + 3 * (size_t)A->column[e] + k % 3] = A->value[e][k];
            }
        }
    }
    return D;
}

static inline void solve_dense(const wri_blocks *A, const float *b, double *x)
{
    size_t n = 3 * (size_t)A->count;
    double *L = make_dense(A);
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++) {
            for (size_t i = j; i < n; i++) {
                L[i * n + j] -= L[i * n + k] * L[j * n + k];
            }
        }
        assert_true(L[j * n + j] > 0.0);
        double root = sqrt(L[j * n + j]);
        for (size_t i = j; i < n; i++) {
            L[i * n + j] /= root;
        }
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = b[i];
        for (size_t k = 0; k < i; k++) {
            x[i] -= L[i * n + k] * x[k];
        }
        x[i] /= L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            x[i] -= L[k * n + i] * x[k];
        }
        x[i] /= L[i * n + i];
    }
    free(L);
}

// |A x - b| / |b| in double.
static inline double residual(const wri_blocks *A, const float *x, const float *b)
{
    double error = 0.0, all = 0.0;
    for (int i = 0; i < A->count; i++) {
        for (int a = 0; a < 3; a++) {
            double sum = -(double)b[3 * i + a];
            for (int e = A->begin[i]; e < A->begin[i + 1]; e++) {
                for (int c = 0; c < 3; c++) {
                    sum += (double)A->value[e][3 * a + c] * x[3 * A->column[e] + c];
                }
            }
            error += sum * sum;
            all += (double)b[3 * i + a] * b[3 * i + a];
        }
    }
    return sqrt(error / all);
}

static inline void check_against_dense(graph g, uint64_t seed)
{
    problem p = problem_create(g, seed);
    int size = 3 * p.A.count;
    float *b = make_vector(size, seed + 1), *x = make_vector(size, seed + 1);
    double *exact = calloc((size_t)size, sizeof *exact), largest = 0.0;
    solve_dense(&p.A, b, exact);
    wri_factor_solve(p.factor, x, NULL);
    for (int i = 0; i < size; i++) {
        largest = fmax(largest, fabs(exact[i]));
    }
    for (int i = 0; i < size; i++) {
        CHECK_NEAR(x[i], exact[i], 1e-4 * largest);
    }
    assert_true(residual(&p.A, x, b) < 2e-5);
    free(b);
    free(x);
    free(exact);
    problem_destroy(&p);
}
