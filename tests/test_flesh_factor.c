// test_flesh_factor.c: the sparse direct solver of flesh: solutions, whole and in parts, on any
// number of threads, against dense algebra.
#include "flesh_system.h"

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
        cmocka_unit_test(products_are_those_of_dense_algebra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
