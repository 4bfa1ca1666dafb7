// The sparse direct solver of flesh: orders, plans, factors, solutions, against dense algebra.
#include "check.h"

#include "../src/flesh/cut.h"
#include "../src/flesh/plan.h"

static const double PI = 3.14159265358979323846;

// --- graphs -----------------------------------------------------------------------------------

typedef struct graph {
    int count;
    wr_vec3 *places;
    int (*edges)[2];
    int edge_count;
} graph;

static graph graph_create(int count, int edges)
{
    return (graph){.count = count,
                   .places = calloc((size_t)count, sizeof(wr_vec3)),
                   .edges = calloc((size_t)edges + 1, sizeof(int[2]))};
}

static void graph_destroy(graph *g)
{
    free(g->places);
    free(g->edges);
}

static void add_edge(graph *g, int a, int b)
{
    g->edges[g->edge_count][0] = a;
    g->edges[g->edge_count++][1] = b;
}

static graph make_chain(int count)
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

static graph make_grid(int width, int height) // with one diagonal in every square
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

static graph make_star(int count) // the hub first, where it costs most
{
    graph g = graph_create(count, count);
    for (int i = 1; i < count; i++) {
        g.places[i] = (wr_vec3){cosf((float)i), sinf((float)i), 0.0f};
        add_edge(&g, 0, i);
    }
    return g;
}

static graph make_complete(int count)
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
static graph make_sphere(int rings, int segments)
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

static graph make_islands(void) // parts that do not meet, some of one node
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

static graph make_random(int count, int edges, uint64_t seed)
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

// --- matrices ---------------------------------------------------------------------------------

static int compare_pairs(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

// place: the row of each node, NULL: as they are.
static wri_blocks blocks_create(const graph *g, const int *place)
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

static void blocks_destroy(wri_blocks *A)
{
    free(A->begin);
    free(A->column);
    free(A->value);
}

static int entry_at(const wri_blocks *A, int row, int column)
{
    for (int e = A->begin[row]; e < A->begin[row + 1]; e++) {
        if (A->column[e] == column) {
            return e;
        }
    }
    return -1;
}

// Blocks between nodes are oblique; the diagonal is just large enough to be positive definite.
static void fill_values(wri_blocks *A, uint64_t seed)
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

static int *find_places(const graph *g)
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

static problem problem_create(graph g, uint64_t seed)
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

static void problem_destroy(problem *p)
{
    wri_factor_destroy(p->factor);
    wri_plan_destroy(p->plan);
    blocks_destroy(&p->A);
}

static float *make_vector(int count, uint64_t seed)
{
    float *x = calloc((size_t)count, sizeof *x);
    for (int i = 0; i < count; i++) {
        x[i] = random_float(&seed, -1.0f, 1.0f);
    }
    return x;
}

// --- dense algebra in double ------------------------------------------------------------------

static double *make_dense(const wri_blocks *A)
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

static void solve_dense(const wri_blocks *A, const float *b, double *x)
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
static double residual(const wri_blocks *A, const float *x, const float *b)
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

static void check_against_dense(graph g, uint64_t seed)
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

// --- solutions --------------------------------------------------------------------------------

static void solutions_are_those_of_dense_algebra(void **state)
{
    (void)state;
    check_against_dense(make_chain(1), 1);
    check_against_dense(make_chain(2), 2);
    check_against_dense(make_chain(40), 3);
    check_against_dense(make_grid(9, 11), 4);
    check_against_dense(make_grid(3, 70), 5);
    check_against_dense(make_star(70), 6);
    check_against_dense(make_complete(37), 7);
    check_against_dense(make_complete(70), 8); // a supernode of several panels
    check_against_dense(make_sphere(8, 12), 9);
    check_against_dense(make_islands(), 10);
    for (uint64_t seed = 20; seed < 40; seed++) {
        check_against_dense(make_random(60, 30 + 10 * (int)(seed - 20), seed), seed);
    }
}

// Large enough for several tasks and levels, and fronts of several blocks of rows.
static graph large_graph(void)
{
    return make_sphere(40, 60);
}

static void residuals_of_large_systems_are_small(void **state)
{
    (void)state;
    graph graphs[] = {large_graph(), make_sphere(200, 12), make_complete(150), make_grid(50, 50)};
    for (int i = 0; i < WRI_COUNT(graphs); i++) {
        problem p = problem_create(graphs[i], 5);
        float *b = make_vector(3 * p.A.count, 6), *x = make_vector(3 * p.A.count, 6);
        wri_factor_solve(p.factor, x, NULL);
        assert_true(residual(&p.A, x, b) < 2e-5);
        free(b);
        free(x);
        problem_destroy(&p);
    }
}

static void several_right_sides_are_solved_as_one_by_one(void **state)
{
    (void)state;
    problem p = problem_create(large_graph(), 7);
    int size = 3 * p.A.count, columns = 11;
    float *b = make_vector(columns * size, 8), *x = make_vector(columns * size, 8);
    assert_true(wri_factor_solve_many(p.factor, x, columns, NULL, NULL));
    for (int k = 0; k < columns; k++) {
        assert_true(residual(&p.A, x + k * size, b + k * size) < 2e-5);
    }
    free(b);
    free(x);
    problem_destroy(&p);
}

static void other_values_are_factored_without_memory(void **state)
{
    (void)state;
    problem p = problem_create(large_graph(), 9);
    counting_heap heap = {.budget = 100};
    wr_allocator allocator = counting_allocator(&heap);
    wri_factor *f = wri_factor_create(p.plan, &allocator, NULL);
    assert_true(wri_factor_compute(f, &p.A, NULL, NULL));
    int calls = heap.calls, size = 3 * p.A.count;
    for (uint64_t seed = 10; seed < 12; seed++) {
        float *b = make_vector(size, seed), *x = make_vector(size, seed);
        fill_values(&p.A, seed);
        assert_true(wri_factor_compute(f, &p.A, NULL, NULL));
        wri_factor_solve(f, x, NULL);
        assert_true(residual(&p.A, x, b) < 2e-5);
        free(b);
        free(x);
    }
    assert_int_equal(heap.calls, calls);
    wri_factor_trim(f);
    assert_true(wri_factor_compute(f, &p.A, NULL, NULL)); // takes its memory again
    wri_factor_destroy(f);
    assert_int_equal(heap.alive, 0);
    problem_destroy(&p);
}

// --- parts ------------------------------------------------------------------------------------

static void check_path(problem *p, wri_path *path, const int *nodes, int count)
{
    int size = 3 * p->A.count;
    float *whole = calloc((size_t)size, sizeof *whole);
    float *part = make_vector(3 * count, (uint64_t)count + 3);
    assert_true(wri_path_set(path, nodes, count, NULL));
    for (int i = 0; i < 3 * count; i++) {
        whole[3 * nodes[i / 3] + i % 3] = part[i];
    }
    wri_factor_solve(p->factor, whole, NULL);
    for (int round = 0; round < 2; round++) { // nothing is left of the solution before
        float *x = make_vector(3 * count, (uint64_t)count + 3);
        wri_factor_solve_path(p->factor, path, x, NULL);
        for (int i = 0; i < 3 * count; i++) {
            assert_true(x[i] == whole[3 * nodes[i / 3] + i % 3]);
        }
        float *all = make_vector(size, 4);
        wri_factor_solve_from(p->factor, path, part, all, NULL);
        for (int i = 0; i < size; i++) {
            assert_true(all[i] == whole[i]);
        }
        free(x);
        free(all);
    }
    free(whole);
    free(part);
}

static void parts_of_solutions_have_the_bits_of_the_whole(void **state)
{
    (void)state;
    graph graphs[] = {make_chain(1), make_islands(), make_grid(20, 20), large_graph()};
    for (int g = 0; g < WRI_COUNT(graphs); g++) {
        problem p = problem_create(graphs[g], 11);
        wri_path path;
        assert_true(wri_path_create(&path, p.plan, 1, NULL, NULL));
        int *nodes = calloc((size_t)p.A.count, sizeof *nodes);
        for (int step = 1; step <= p.A.count; step = 3 * step + 1) {
            int count = 0;
            for (int i = p.A.count - 1; i >= 0; i -= step) {
                nodes[count++] = i;
            }
            check_path(&p, &path, nodes, count);
        }
        for (int i = 0; i < p.A.count; i += 1 + p.A.count / 10) { // one node, and an arm's length
            nodes[0] = i;
            check_path(&p, &path, nodes, 1);
            int count = 0;
            for (int e = p.A.begin[i]; e < p.A.begin[i + 1]; e++) {
                nodes[count++] = p.A.column[e];
            }
            check_path(&p, &path, nodes, count);
        }
        check_path(&p, &path, nodes, 0);
        free(nodes);
        wri_path_destroy(&path);
        problem_destroy(&p);
    }
}

static void a_small_part_touches_few_supernodes(void **state)
{
    (void)state;
    problem p = problem_create(large_graph(), 12);
    wri_path path;
    int nodes[] = {0, p.A.count / 4, p.A.count / 2, p.A.count - 1};
    assert_true(wri_path_create(&path, p.plan, 1, NULL, NULL));
    assert_true(wri_path_set(&path, nodes, 1, NULL));
    int count = path.super_count;
    assert_true(count > 1 && count * 10 < p.plan->super_count);
    assert_true(path.value_count * 4 < wri_plan_value_count(p.plan));
    assert_true(wri_path_set(&path, nodes, 4, NULL) && path.super_count > count);
    assert_true(wri_path_set(&path, nodes, 1, NULL) && path.super_count == count);
    wri_path_destroy(&path);
    problem_destroy(&p);
}

// --- threads ----------------------------------------------------------------------------------

static uint64_t hash_of_all(problem *p, const wr_tasks *tasks)
{
    int size = 3 * p->A.count, nodes[50];
    float *x = make_vector(size, 13), *many = make_vector(3 * size, 14), part[150];
    wri_path path;
    for (int i = 0; i < 50; i++) {
        nodes[i] = i * (p->A.count / 50);
    }
    assert_true(wri_factor_compute(p->factor, &p->A, tasks, NULL));
    uint64_t hash = wri_hash(p->factor->values, wri_plan_value_count(p->plan) * 4, 0);
    wri_blocks_multiply(&p->A, x, many, tasks);
    hash = wri_hash(many, (size_t)size * sizeof *many, hash);
    wri_factor_solve(p->factor, x, tasks);
    hash = wri_hash(x, (size_t)size * sizeof *x, hash);
    assert_true(wri_factor_solve_many(p->factor, many, 3, tasks, NULL));
    hash = wri_hash(many, 3 * (size_t)size * sizeof *many, hash);
    assert_true(wri_path_create(&path, p->plan, 50, NULL, NULL));
    assert_true(wri_path_set(&path, nodes, 50, NULL));
    memcpy(part, x, sizeof part);
    wri_factor_solve_path(p->factor, &path, part, tasks);
    hash = wri_hash(part, sizeof part, hash);
    wri_factor_solve_from(p->factor, &path, part, x, tasks);
    hash = wri_hash(x, (size_t)size * sizeof *x, hash);
    wri_path_destroy(&path);
    free(x);
    free(many);
    return hash;
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    problem p = problem_create(make_sphere(80, 100), 15);
    assert_true(p.plan->task_count >= 8 && p.plan->level_count >= 3);
    assert_true(wri_plan_value_count(p.plan) > 2 << 20); // otherwise there are no tasks
    uint64_t hash = hash_of_all(&p, NULL);
    for (int workers = 2; workers <= 4; workers++) {
        wr_tasks tasks = wr_tasks_openmp(workers);
        assert_true(hash_of_all(&p, &tasks) == hash);
    }
    for (wri_test_block_shuffle = 1; wri_test_block_shuffle < 8; wri_test_block_shuffle++) {
        assert_true(hash_of_all(&p, NULL) == hash);
    }
    wri_test_block_shuffle = 0;
    problem_destroy(&p);
}

// --- failures ---------------------------------------------------------------------------------

static void pivots_that_are_not_positive_are_named(void **state)
{
    (void)state;
    problem p = problem_create(large_graph(), 16);
    const float bad[] = {-1.0f, 0.0f, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < p.A.count; i += 97) {
        for (int k = 0; k < WRI_COUNT(bad); k++) {
            wr_error error = {0};
            char words[64];
            float *value = &p.A.value[entry_at(&p.A, i, i)][4], kept = *value;
            *value = bad[k];
            snprintf(words, sizeof words, "at node %d", i);
            assert_false(wri_factor_compute(p.factor, &p.A, NULL, &error));
            assert_int_equal(error.code, WR_E_ARGUMENT);
            assert_non_null(strstr(error.message, words));
            *value = kept;
        }
    }
    assert_true(wri_factor_compute(p.factor, &p.A, NULL, NULL)); // nothing is left of it
    problem_destroy(&p);
}

static void other_patterns_are_refused(void **state)
{
    (void)state;
    problem p = problem_create(make_grid(8, 8), 17), q = problem_create(make_grid(4, 16), 17);
    wr_error error = {0};
    assert_false(wri_factor_compute(p.factor, &q.A, NULL, &error));
    assert_non_null(strstr(error.message, "another pattern"));
    problem_destroy(&p);
    problem_destroy(&q);
}

static void check_refused(wri_blocks *A, const char *words)
{
    wr_error error = {0};
    assert_null(wri_plan_create(A, NULL, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    assert_non_null(strstr(error.message, words));
}

static void patterns_that_are_none_are_refused(void **state)
{
    (void)state;
    int begin[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
    wri_blocks A = {.count = 2, .begin = begin, .column = column};
    wri_plan *plan = wri_plan_create(&A, NULL, NULL);
    assert_non_null(plan);
    wri_plan_destroy(plan);
    column[1] = 2;
    check_refused(&A, "row 0 of 2 has column 2");
    column[1] = -1;
    check_refused(&A, "column -1");
    column[1] = 0;
    check_refused(&A, "column 0 behind column 0");
    column[1] = 1;
    begin[1] = 1;
    check_refused(&A, "row 1 of 2 has column 0 behind column 1");
    begin[1] = 5;
    check_refused(&A, "row 1 has -1 entries");
    begin[1] = 2;
    begin[0] = 1;
    check_refused(&A, "begins at entry 1");
    begin[0] = 0;
    A.count = 0;
    check_refused(&A, "0 nodes");
    int lonely_begin[] = {0, 1, 3}, lonely[] = {0, 0, 1};
    check_refused(&(wri_blocks){.count = 2, .begin = lonely_begin, .column = lonely},
                  "but not vice versa");
    int empty_begin[] = {0, 0};
    check_refused(&(wri_blocks){.count = 1, .begin = empty_begin, .column = lonely}, "no diagonal");
}

static void torn_trees_are_refused(void **state)
{
    (void)state;
    // Two stars whose leaves alternate: the tree below the first hub is not in one piece.
    graph g = graph_create(42, 42);
    for (int i = 0; i < 40; i++) {
        add_edge(&g, i, 40 + i % 2);
    }
    wri_blocks A = blocks_create(&g, NULL);
    check_refused(&A, "no postorder");
    blocks_destroy(&A);
    graph_destroy(&g);
}

static void fills_beyond_all_memory_are_refused(void **state)
{
    (void)state;
    graph g = make_star(40000); // the hub first fills everything
    wri_blocks A = blocks_create(&g, NULL);
    check_refused(&A, "more than");
    blocks_destroy(&A);
    graph_destroy(&g);
}

// --- memory -----------------------------------------------------------------------------------

static bool run_all(const graph *g, problem *p, const wr_allocator *allocator, wr_error *error)
{
    int *order = calloc((size_t)g->count, sizeof *order), nodes[] = {0, 3, 5};
    float *x = make_vector(2 * 3 * g->count, 19);
    wri_blocks pattern = blocks_create(g, NULL);
    wri_path path = {0};
    wri_block_patch patch;
    wri_block_patch_create(&patch, allocator);
    bool ok = wri_order_find(&pattern, g->places, order, allocator, error);
    wri_plan *plan = ok ? wri_plan_create(&p->A, allocator, error) : NULL;
    wri_factor *f = plan ? wri_factor_create(plan, allocator, error) : NULL;
    ok = f && wri_factor_compute(f, &p->A, NULL, error) &&
         wri_factor_solve_many(f, x, 2, NULL, error) &&
         wri_path_create(&path, plan, 2, allocator, error) &&
         wri_path_set(&path, nodes, 3, error) &&
         wri_block_patch_set(&patch, &p->A, nodes, 2, error) &&
         wri_block_patch_set(&patch, &p->A, nodes, 3, error);
    wri_path_destroy(&path);
    wri_block_patch_destroy(&patch);
    wri_factor_destroy(f);
    wri_plan_destroy(plan);
    blocks_destroy(&pattern);
    free(order);
    free(x);
    return ok;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    graph g = make_grid(20, 30);
    problem p = problem_create(make_grid(20, 30), 18);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        done = run_all(&g, &p, &allocator, &error);
        assert_true(done || error.code == WR_E_MEMORY);
        assert_int_equal(heap.alive, 0);
        assert_true(budget < 200);
    }
    graph_destroy(&g);
    problem_destroy(&p);
}

// --- bytes ------------------------------------------------------------------------------------

static void plans_come_back_from_their_bytes(void **state)
{
    (void)state;
    problem p = problem_create(large_graph(), 20);
    size_t size = wri_plan_save_size(p.plan);
    uint8_t *bytes = malloc(size), *again = malloc(size);
    wri_plan_save(p.plan, bytes);
    wri_plan *plan = wri_plan_load(bytes, size, NULL, NULL);
    assert_non_null(plan);
    assert_int_equal(wri_plan_save_size(plan), size);
    wri_plan_save(plan, again);
    assert_memory_equal(bytes, again, size);
    wri_factor *f = wri_factor_create(plan, NULL, NULL);
    assert_true(wri_factor_compute(f, &p.A, NULL, NULL));
    assert_memory_equal(f->values, p.factor->values, 4 * wri_plan_value_count(plan));
    wri_factor_destroy(f);
    wri_plan_destroy(plan);
    free(bytes);
    free(again);
    problem_destroy(&p);
}

// Refused with a sentence, or a plan that one can factor with.
static bool load_and_use(const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    uint8_t *copy = malloc(size ? size : 1); // to find what reads beyond it
    memcpy(copy, bytes, size);
    wri_plan *plan = wri_plan_load(copy, size, NULL, &error);
    free(copy);
    if (!plan) {
        assert_true(error.code == WR_E_FORMAT || error.code == WR_E_ARGUMENT);
        assert_true(error.message[0] != '\0');
        return false;
    }
    graph g = graph_create(plan->count, plan->upper_begin[plan->count]);
    for (int k = 0; k < plan->count; k++) {
        for (int e = plan->upper_begin[k] + 1; e < plan->upper_begin[k + 1]; e++) {
            add_edge(&g, k, plan->upper_column[e]);
        }
    }
    wri_blocks A = blocks_create(&g, NULL);
    fill_values(&A, 21);
    float *b = make_vector(3 * A.count, 22), *x = make_vector(3 * A.count, 22);
    wri_factor *f = wri_factor_create(plan, NULL, NULL);
    assert_true(wri_factor_compute(f, &A, NULL, NULL));
    wri_factor_solve(f, x, NULL);
    assert_true(residual(&A, x, b) < 1e-4);
    wri_factor_destroy(f);
    wri_plan_destroy(plan);
    blocks_destroy(&A);
    graph_destroy(&g);
    free(b);
    free(x);
    return true;
}

static void damaged_plans_are_refused_or_sound(void **state)
{
    (void)state;
    problem p = problem_create(make_grid(4, 5), 23);
    size_t size = wri_plan_save_size(p.plan);
    uint8_t *bytes = malloc(size + 8);
    int sound = 0;
    wri_plan_save(p.plan, bytes);
    memset(bytes + size, 0, 8);
    for (size_t length = 0; length < size; length++) {
        assert_false(load_and_use(bytes, length));
    }
    assert_false(load_and_use(bytes, size + 4));
    for (size_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (uint8_t)(1 << bit);
            assert_false(load_and_use(bytes, size)); // its hash is another one
            uint64_t check, kept;
            memcpy(&kept, bytes + 8, 8);
            check = wri_hash(bytes + 16, size - 16, 0); // somebody who knows how makes it fit
            memcpy(bytes + 8, &check, 8);
            sound += load_and_use(bytes, size);
            memcpy(bytes + 8, &kept, 8);
            bytes[at] ^= (uint8_t)(1 << bit);
        }
    }
    assert_true(sound > 0 && load_and_use(bytes, size));
    free(bytes);
    problem_destroy(&p);
}

// --- products ---------------------------------------------------------------------------------

static void products_are_those_of_dense_algebra(void **state)
{
    (void)state;
    problem p = problem_create(make_sphere(20, 30), 24);
    int n = 3 * p.A.count;
    double *D = make_dense(&p.A);
    float *x = make_vector(n, 25), *y = make_vector(n, 26);
    wri_blocks_multiply(&p.A, x, y, NULL);
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += D[(size_t)i * (size_t)n + (size_t)j] * x[j];
        }
        CHECK_NEAR(y[i], sum, 1e-4);
    }
    int nodes[] = {5, 400, 401, 17, 399, 402, 3, 6};
    wri_block_patch patch;
    wri_block_patch_create(&patch, NULL);
    for (int count = WRI_COUNT(nodes); count >= 0; count--) {
        assert_true(wri_block_patch_set(&patch, &p.A, nodes, count, NULL));
        wri_block_patch_multiply(&patch, &p.A, x + 3, y, NULL); // before it lie numbers, too
        for (int i = 0; i < 3 * count; i++) {
            double sum = 0.0;
            for (int j = 0; j < 3 * count; j++) {
                sum += D[(size_t)(3 * nodes[i / 3] + i % 3) * (size_t)n +
                         (size_t)(3 * nodes[j / 3] + j % 3)] *
                       x[3 + j];
            }
            CHECK_NEAR(y[i], sum, 1e-4);
        }
    }
    wri_block_patch_destroy(&patch);
    free(D);
    free(x);
    free(y);
    problem_destroy(&p);
}

// --- orders -----------------------------------------------------------------------------------

static double blocks_of_factor(const wri_plan *p)
{
    double sum = 0.0;
    for (int s = 0; s < p->super_count; s++) {
        double width = wri_super_width(p, s), height = wri_super_height(p, s);
        sum += width * height - width * (width - 1.0) / 2.0;
    }
    return sum;
}

static void orders_keep_factors_small(void **state)
{
    (void)state;
    // Nested dissection of a k x k grid leaves about 31/4 k^2 log2 k entries (A. George, 1973).
    problem p = problem_create(make_grid(64, 64), 27);
    assert_true(blocks_of_factor(p.plan) < 31.0 / 4.0 * 64 * 64 * 6.0 * 0.57);
    problem_destroy(&p);
    // A tree leaves nothing, and neither does a star, whatever the places say.
    p = problem_create(make_star(500), 28);
    assert_true(blocks_of_factor(p.plan) < 1.1 * 999);
    problem_destroy(&p);
    graph line = make_chain(3000);
    memset(line.places, 0, 3000 * sizeof *line.places);
    p = problem_create(line, 29);
    assert_true(blocks_of_factor(p.plan) < 7.0 * 3000);
    problem_destroy(&p);
}

// As many paths from end to end as there are nodes in the separator, none of them in two: so no
// separator is smaller.
static void check_paths(const wri_cut *c, const wri_blocks *A, int low, int high, int size)
{
    int paths = 0;
    for (int i = 0; i < c->count; i++) {
        if (c->before[i] == -1) { // it begins here
            int v = i;
            for (; c->behind[v] >= 0; v = c->behind[v]) {
                assert_int_equal(c->before[c->behind[v]], v);
                assert_true(entry_at(A, v, c->behind[v]) >= 0);
            }
            assert_int_equal(c->behind[v], -1);
            assert_true(i < low && v >= high);
            paths++;
        }
    }
    assert_int_equal(paths, size);
}

static int find_cut(const graph *g, int low, int high, uint8_t *side)
{
    wri_blocks A = blocks_create(g, NULL);
    size_t n = (size_t)g->count;
    wri_cut c = {.count = g->count, .begin = A.begin, .column = A.column, .side = side};
    c.before = calloc(n, sizeof(int));
    c.behind = calloc(n, sizeof(int));
    int **arrays[] = {&c.level, &c.edge, &c.queue, &c.stack};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        *arrays[i] = calloc(2 * n, sizeof(int));
    }
    for (int i = 0; i < g->count; i++) {
        side[i] = i < low ? WRI_FIRST : i >= high ? WRI_SECOND : WRI_BETWEEN;
    }
    int size = wri_cut_find(&c), counted = 0;
    for (int i = 0; i < g->count; i++) {
        assert_true(side[i] != WRI_BETWEEN);
        counted += side[i] == WRI_SEPARATOR;
        assert_true(side[i] != WRI_SECOND || i >= low);
        assert_true(side[i] != WRI_FIRST || i < high);
    }
    assert_int_equal(counted, size);
    check_paths(&c, &A, low, high, size);
    for (int e = 0; e < g->edge_count; e++) {
        int a = side[g->edges[e][0]], b = side[g->edges[e][1]];
        assert_true(a == b || a == WRI_SEPARATOR || b == WRI_SEPARATOR);
    }
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        free(*arrays[i]);
    }
    free(c.before);
    free(c.behind);
    blocks_destroy(&A);
    return size;
}

// Menger: no fewer nodes part the ends than there are paths between them. By trying all sets.
static int smallest_cut(const graph *g, int low, int high)
{
    int best = g->count;
    for (unsigned set = 0; set < 1u << g->count; set++) {
        unsigned reached = ((1u << low) - 1) & ~set;
        for (unsigned last = 0; last != reached;) {
            last = reached;
            for (int e = 0; e < g->edge_count; e++) {
                unsigned a = 1u << g->edges[e][0], b = 1u << g->edges[e][1];
                reached |= (reached & a ? b : 0) | (reached & b ? a : 0);
                reached &= ~set;
            }
        }
        int size = __builtin_popcount(set);
        best = reached >> high == 0 && size < best ? size : best;
    }
    return best;
}

static void cuts_are_the_smallest(void **state)
{
    (void)state;
    uint8_t side[1000];
    graph g = make_grid(7, 100);
    assert_int_equal(find_cut(&g, 21, 679, side), 7);
    graph_destroy(&g);
    for (uint64_t seed = 1; seed < 60; seed++) {
        g = make_random(10, 8 + (int)seed % 20, seed);
        assert_int_equal(find_cut(&g, 3, 7, side), smallest_cut(&g, 3, 7));
        graph_destroy(&g);
        g = make_random(1000, 1500 + 20 * (int)seed, seed);
        assert_true(find_cut(&g, 300, 600, side) > 0);
        graph_destroy(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_those_of_dense_algebra),
        cmocka_unit_test(residuals_of_large_systems_are_small),
        cmocka_unit_test(several_right_sides_are_solved_as_one_by_one),
        cmocka_unit_test(other_values_are_factored_without_memory),
        cmocka_unit_test(parts_of_solutions_have_the_bits_of_the_whole),
        cmocka_unit_test(a_small_part_touches_few_supernodes),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(pivots_that_are_not_positive_are_named),
        cmocka_unit_test(other_patterns_are_refused),
        cmocka_unit_test(patterns_that_are_none_are_refused),
        cmocka_unit_test(torn_trees_are_refused),
        cmocka_unit_test(fills_beyond_all_memory_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(plans_come_back_from_their_bytes),
        cmocka_unit_test(damaged_plans_are_refused_or_sound),
        cmocka_unit_test(products_are_those_of_dense_algebra),
        cmocka_unit_test(orders_keep_factors_small),
        cmocka_unit_test(cuts_are_the_smallest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
