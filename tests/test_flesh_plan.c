// test_flesh_plan.c: the orders and plans of the sparse direct solver of flesh: what is refused,
// short memory, plans as bytes, and how small cuts and factors are.
#include "flesh_system.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_keep_factors_small),
        cmocka_unit_test(cuts_are_the_smallest),
        cmocka_unit_test(pivots_that_are_not_positive_are_named),
        cmocka_unit_test(other_patterns_are_refused),
        cmocka_unit_test(patterns_that_are_none_are_refused),
        cmocka_unit_test(torn_trees_are_refused),
        cmocka_unit_test(fills_beyond_all_memory_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(plans_come_back_from_their_bytes),
        cmocka_unit_test(damaged_plans_are_refused_or_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
