// test_base.c: promises of errors, memory, parallel-for, hashing and text.
#include "check.h"
#include "comma_locale.h"

#include <pthread.h>

// --- errors -----------------------------------------------------------------------------------

static void a_failure_is_one_sentence_and_false(void **state)
{
    (void)state;
    wr_error error = {0};
    assert_false(wri_fail(&error, WR_E_FORMAT, "%s:%d: bad", "scene.json", 7));
    assert_int_equal(error.code, WR_E_FORMAT);
    assert_string_equal(error.message, "scene.json:7: bad");
    assert_false(wri_fail(NULL, WR_E_FORMAT, "%d", 1)); // nobody wants to know
    assert_false(wri_fail_memory(&error, 12345));
    assert_int_equal(error.code, WR_E_MEMORY);
    assert_non_null(strstr(error.message, "12345"));
}

static void a_long_sentence_is_cut_and_ended(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    wr_error error;
    memset(&error, 0x7f, sizeof error);
    wri_fail(&error, WR_E_IO, "%s", text);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

static void an_error_can_be_wrapped_in_itself(void **state)
{
    (void)state;
    wr_error error = {0};
    wri_fail(&error, WR_E_FORMAT, "byte 12: bad magic");
    wri_fail(&error, error.code, "car.glb: %s", error.message);
    assert_string_equal(error.message, "car.glb: byte 12: bad magic");
    assert_int_equal(error.code, WR_E_FORMAT);
}

// --- the heap ---------------------------------------------------------------------------------

static void memory_is_aligned_and_zeroed(void **state)
{
    (void)state;
    for (size_t size = 0; size < 300; size += 7) {
        uint8_t *memory = wri_alloc(NULL, size, 1);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        assert_true(is_zeroed(memory, size));
        memset(memory, 0xff, size);
        wri_free(NULL, memory, size, 1);
    }
    wr_allocator zeroed = {0}; // as in a desc that nobody touched
    void *memory = wri_alloc(&zeroed, 3, 4);
    assert_non_null(memory);
    wri_free(&zeroed, memory, 3, 4);
    wri_free(NULL, NULL, 3, 4);
}

static void free_hears_the_size_that_alloc_was_asked_for(void **state)
{
    (void)state;
    counting_heap heap = {.budget = 10};
    wr_allocator allocator = counting_allocator(&heap);
    for (size_t count = 0; count < 5; count++) {
        void *memory = wri_alloc(&allocator, count, 24);
        assert_true(is_zeroed(memory, 24 * count));
        wri_free(&allocator, memory, count, 24); // checked in counting_free
    }
    assert_int_equal(heap.alive, 0);
}

static void absurd_requests_are_refused(void **state)
{
    (void)state;
    static const size_t huge[][2] = {
        {SIZE_MAX, 1},           {1, SIZE_MAX},     {SIZE_MAX, SIZE_MAX}, {SIZE_MAX / 2 + 1, 2},
        {SIZE_MAX / 16 + 2, 16}, {SIZE_MAX - 8, 1}, {SIZE_MAX - 63, 1},   {SIZE_MAX / 3, 2},
    };
    counting_heap heap = {.budget = 100}; // refuses what no machine has
    wr_allocator allocator = counting_allocator(&heap);
    wri_arena arena = wri_arena_create(&allocator);
    wr_scratch scratch = wri_scratch_create(&allocator);
    for (int i = 0; i < WRI_COUNT(huge); i++) {
        assert_null(wri_alloc(&allocator, huge[i][0], huge[i][1]));
        assert_null(wri_arena_alloc(&arena, huge[i][0], huge[i][1]));
        assert_null(wr_scratch_push(&scratch, huge[i][0], huge[i][1]));
    }
    assert_null(wri_alloc(NULL, SIZE_MAX / 2 + 1, 2));
    assert_null(wr_allocator_default()->alloc(NULL, SIZE_MAX - 8)); // cannot be rounded up
    assert_non_null(wri_arena_alloc(&arena, 1, 8));
    assert_non_null(wr_scratch_push(&scratch, 1, 8));
    heap.largest = 0;
    wri_scratch_reset(&scratch);
    assert_true(heap.largest < 1024); // does not grow to what was refused
    wri_scratch_destroy(&scratch);
    wri_arena_destroy(&arena);
    assert_int_equal(heap.alive, 0);
}

// --- arena ------------------------------------------------------------------------------------

static void arena_memory_is_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    counting_heap heap = {.budget = 1000};
    wr_allocator allocator = counting_allocator(&heap);
    wri_arena arena = wri_arena_create(&allocator);
    enum { ROUNDS = 300 };
    uint8_t *given[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) { // sizes up to several blocks
        size_t size = i * i;
        given[i] = wri_arena_alloc(&arena, size, 1);
        assert_non_null(given[i]);
        assert_int_equal((uintptr_t)given[i] % 16, 0);
        assert_true(is_zeroed(given[i], size));
        memset(given[i], (int)(i % 255 + 1), size);
    }
    for (size_t i = 0; i < ROUNDS; i++) {
        for (size_t k = 0; k < i * i; k++) {
            assert_int_equal(given[i][k], i % 255 + 1);
        }
    }
    assert_true(heap.calls < 20); // blocks, not items
    wri_arena_destroy(&arena);
    assert_int_equal(heap.alive, 0);
    assert_non_null(wri_arena_alloc(&arena, 1, 1)); // an emptied arena can be used again
    wri_arena_destroy(&arena);
    assert_int_equal(heap.alive, 0);
}

static void arena_text_is_a_copy_with_an_end(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    char source[] = "barrel.glb";
    char *part = wri_arena_text(&arena, source, 6);
    source[0] = 'X';
    assert_string_equal(part, "barrel");
    assert_string_equal(wri_arena_text(&arena, NULL, 0), "");
    assert_string_equal(wri_arena_printf(&arena, "%s-%03d", part, 7), "barrel-007");
    assert_string_equal(wri_arena_printf(&arena, "%s", ""), "");
    char *wide = wri_arena_printf(&arena, "%40000d", 1); // larger than the first block
    assert_int_equal(strlen(wide), 40000);
    wri_arena_destroy(&arena);
}

static bool use_arena(const wr_allocator *allocator)
{
    wri_arena arena = wri_arena_create(allocator);
    bool ok = true;
    for (int i = 0; i < 20 && ok; i++) {
        ok = wri_arena_alloc(&arena, 5000, 1) && wri_arena_text(&arena, "text", 4) &&
             wri_arena_printf(&arena, "%d", i);
    }
    wri_arena_destroy(&arena);
    return ok;
}

static bool use_array(const wr_allocator *allocator)
{
    wri_array array = wri_array_create(allocator, 12);
    bool ok = true;
    for (int i = 0; i < 100 && ok; i++) {
        int before = array.count;
        ok = wri_array_add(&array, 7) != NULL;
        assert_int_equal(array.count, ok ? before + 7 : before);
    }
    wri_array_destroy(&array);
    return ok;
}

static bool use_scratch(const wr_allocator *allocator)
{
    wr_scratch scratch = wri_scratch_create(allocator);
    bool ok = true;
    for (int step = 0; step < 3 && ok; step++) {
        ok = wr_scratch_push(&scratch, 100, 8) && wr_scratch_push(&scratch, 40000, 1);
        wri_scratch_reset(&scratch); // a refusal here is only slower
    }
    wri_scratch_destroy(&scratch);
    return ok;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool (*const uses[])(const wr_allocator *) = {use_arena, use_array, use_scratch};
    for (int i = 0; i < WRI_COUNT(uses); i++) {
        bool done = false;
        for (int budget = 0; !done; budget++) {
            counting_heap heap = {.budget = budget};
            wr_allocator allocator = counting_allocator(&heap);
            done = uses[i](&allocator);
            assert_true(done || heap.calls > budget);
            assert_int_equal(heap.alive, 0);
            assert_true(budget < 100);
        }
    }
}

// --- growing array ----------------------------------------------------------------------------

static void a_growing_array_keeps_its_items_and_zeroes_new_ones(void **state)
{
    (void)state;
    counting_heap heap = {.budget = 1000};
    wr_allocator allocator = counting_allocator(&heap);
    wri_array array = wri_array_create(&allocator, sizeof(int));
    for (int i = 0; i < 10000; i++) {
        int *item = wri_array_add(&array, 1);
        assert_int_equal(*item, 0);
        *item = i + 1;
    }
    assert_int_equal(array.count, 10000);
    for (int i = 0; i < array.count; i++) {
        assert_int_equal(WRI_ITEM(array, int, i), i + 1);
    }
    assert_true(heap.calls < 16); // doubles
    array.count = 0;              // used again without freeing, as a step does
    int calls = heap.calls;
    int *first = wri_array_add(&array, 10000);
    assert_true(is_zeroed(first, 10000 * sizeof(int)));
    assert_int_equal(heap.calls, calls);
    wri_array_destroy(&array);
    assert_int_equal(heap.alive, 0);
}

static void adding_nothing_is_no_failure(void **state)
{
    (void)state;
    wri_array array = wri_array_create(NULL, 16);
    assert_non_null(wri_array_add(&array, 0));
    assert_int_equal(array.count, 0);
    assert_non_null(wri_array_add(&array, 3));
    assert_non_null(wri_array_add(&array, 0));
    assert_int_equal(array.count, 3);
    wri_array_destroy(&array);
    wr_scratch scratch = wri_scratch_create(NULL);
    assert_non_null(wr_scratch_push(&scratch, 0, 16));
    wri_scratch_destroy(&scratch);
}

static void an_array_stops_before_its_count_overflows(void **state)
{
    (void)state;
    counting_heap heap = {.budget = 1};
    wr_allocator allocator = counting_allocator(&heap);
    wri_array array = wri_array_create(&allocator, SIZE_MAX / 4);
    assert_null(wri_array_add(&array, 100)); // 16 * SIZE_MAX / 4 overflows a size
    assert_int_equal(heap.calls, 0);
    array.item_size = 1;
    assert_non_null(wri_array_add(&array, 5));
    assert_null(wri_array_add(&array, INT32_MAX - 4)); // overflows an int
    assert_null(wri_array_add(&array, INT32_MAX - 5)); // fits, but the budget is spent
    assert_int_equal(array.count, 5);
    wri_array_destroy(&array);
    assert_int_equal(heap.alive, 0);
}

// --- scratch ----------------------------------------------------------------------------------

// Nested use: an inner function takes memory and gives it back, the outer one keeps its own.
static void scratch_step(wr_scratch *scratch, int bodies)
{
    uint8_t *outer = wr_scratch_push(scratch, 1000, 8);
    assert_true(is_zeroed(outer, 8000));
    memset(outer, 0x11, 8000);
    for (int body = 0; body < bodies; body++) {
        size_t mark = scratch->used;
        uint8_t *inner = wr_scratch_push(scratch, 50000, 1);
        uint8_t *second = wr_scratch_push(scratch, 33, 3);
        assert_true(is_zeroed(inner, 50000) && is_zeroed(second, 99));
        memset(inner, 0x22, 50000);
        memset(second, 0x33, 99);
        assert_int_equal(inner[49999], 0x22);
        scratch->used = mark;
    }
    for (int i = 0; i < 8000; i++) {
        assert_int_equal(outer[i], 0x11);
    }
    wri_scratch_reset(scratch);
}

static void after_warm_up_a_step_allocates_nothing(void **state)
{
    (void)state;
    counting_heap heap = {.budget = 1000};
    wr_allocator allocator = counting_allocator(&heap);
    wr_scratch scratch = wri_scratch_create(&allocator);
    scratch_step(&scratch, 4);
    int calls = heap.calls;
    assert_true(calls > 0);
    for (int step = 0; step < 10; step++) {
        scratch_step(&scratch, 4);
    }
    assert_int_equal(heap.calls, calls);
    wri_scratch_destroy(&scratch);
    assert_int_equal(heap.alive, 0);
}

static void scratch_grows_to_what_is_alive_at_once(void **state)
{
    (void)state;
    counting_heap heap = {.budget = 1000};
    wr_allocator allocator = counting_allocator(&heap);
    wr_scratch scratch = wri_scratch_create(&allocator);
    scratch_step(&scratch, 50);
    assert_in_range(scratch.capacity, 58099, 58099 + 3 * 64); // not fifty times that
    scratch_step(&scratch, 1000);
    assert_in_range(scratch.capacity, 58099, 58099 + 3 * 64);
    wri_scratch_destroy(&scratch);
}

// --- parallel for -----------------------------------------------------------------------------

enum { ITEMS = 10007, GRAIN = 64, BLOCKS = (ITEMS + GRAIN - 1) / GRAIN };

typedef struct sums {
    float by_block[BLOCKS];
    float running; // the classic bug: depends on the order in which blocks end
    int begin[BLOCKS], end[BLOCKS], calls[BLOCKS];
    int touched[ITEMS];
    pthread_mutex_t mutex;
} sums;

static float item_value(int i)
{
    return 1.0f / (float)(1 + i * 7919 % ITEMS);
}

static void add_block(void *context, int block, int begin, int end)
{
    sums *s = context;
    float sum = 0.0f;
    for (int i = begin; i < end; i++) {
        sum += item_value(i);
        s->touched[i]++;
    }
    s->by_block[block] = sum;
    s->begin[block] = begin;
    s->end[block] = end;
    pthread_mutex_lock(&s->mutex);
    s->calls[block]++;
    s->running += sum;
    pthread_mutex_unlock(&s->mutex);
}

static sums run(const wr_tasks *tasks, int shuffle)
{
    sums s = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    wri_test_block_shuffle = shuffle;
    wri_parallel_for(tasks, ITEMS, GRAIN, add_block, &s);
    wri_test_block_shuffle = 0;
    return s;
}

// A host that runs tasks one after the other, last first.
static void run_backwards(void *user, wr_task_fn *fn, void *task, int count)
{
    *(int *)user += count;
    for (int i = count - 1; i >= 0; i--) {
        fn(task, i);
    }
}

typedef struct host_worker {
    wr_task_fn *fn;
    void *task;
    int first, count, stride;
} host_worker;

static void *host_thread(void *argument)
{
    const host_worker *w = argument;
    for (int i = w->first; i < w->count; i += w->stride) {
        w->fn(w->task, i);
    }
    return NULL;
}

// A host with threads of its own.
static void run_on_threads(void *user, wr_task_fn *fn, void *task, int count)
{
    (void)user;
    pthread_t threads[3];
    host_worker workers[3];
    for (int i = 0; i < 3; i++) {
        workers[i] = (host_worker){fn, task, i, count, 3};
        assert_int_equal(pthread_create(&threads[i], NULL, host_thread, &workers[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void check_same(const sums *s, const sums *reference)
{
    assert_memory_equal(s->by_block, reference->by_block, sizeof s->by_block);
    assert_memory_equal(s->begin, reference->begin, sizeof s->begin);
    assert_memory_equal(s->end, reference->end, sizeof s->end);
    assert_memory_equal(s->calls, reference->calls, sizeof s->calls);
    assert_memory_equal(s->touched, reference->touched, sizeof s->touched);
}

static void blocks_cover_every_item_once(void **state)
{
    (void)state;
    assert_int_equal(wri_block_count(ITEMS, GRAIN), BLOCKS);
    sums s = run(NULL, 0);
    for (int i = 0; i < BLOCKS; i++) {
        assert_int_equal(s.begin[i], i * GRAIN);
        assert_int_equal(s.end[i], i == BLOCKS - 1 ? ITEMS : (i + 1) * GRAIN);
        assert_int_equal(s.calls[i], 1);
    }
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(s.touched[i], 1);
    }
}

static void blocks_do_not_depend_on_who_runs_them(void **state)
{
    (void)state;
    sums reference = run(NULL, 0);
    int enqueued = 0;
    wr_tasks hosts[] = {
        {0},
        wr_tasks_openmp(7), // most first: LLVM's library leaks when a team grows
        wr_tasks_openmp(2),
        wr_tasks_openmp(1),
        wr_tasks_openmp(0),
        {run_backwards, &enqueued, 2},
        {run_on_threads, NULL, 3},
    };
    for (int i = 0; i < WRI_COUNT(hosts); i++) {
        for (int shuffle = 0; shuffle < 4; shuffle++) {
            sums s = run(&hosts[i], shuffle);
            check_same(&s, &reference);
        }
    }
    assert_int_equal(enqueued, 4 * BLOCKS); // the host was really used
    assert_true(wr_tasks_openmp(0).worker_count >= 1);
    assert_int_equal(wr_tasks_openmp(5).worker_count, 5);
}

static void block_slots_ignore_order_and_running_sums_do_not(void **state)
{
    (void)state;
    sums reference = run(NULL, 0);
    int running_changed = 0;
    for (int shuffle = 1; shuffle < BLOCKS; shuffle += 7) {
        sums s = run(NULL, shuffle);
        check_same(&s, &reference);
        running_changed += s.running != reference.running;
    }
    assert_true(running_changed > 0); // positive control: this test can see an order bug
    sums extreme = run(NULL, INT32_MAX);
    check_same(&extreme, &reference);
    sums negative = run(NULL, -3);
    check_same(&negative, &reference);
}

static void count_bounds(void *context, int block, int begin, int end)
{
    int *seen = context;
    seen[2 * block] = begin;
    seen[2 * block + 1] = end;
}

static void block_bounds_hold_at_the_edges(void **state)
{
    (void)state;
    int seen[6] = {-1, -1, -1, -1, -1, -1};
    wri_parallel_for(NULL, 0, 10, count_bounds, seen);
    wri_parallel_for(NULL, -5, 10, count_bounds, seen);
    assert_int_equal(seen[0], -1);
    assert_int_equal(wri_block_count(0, 10), 0);
    assert_int_equal(wri_block_count(10, 10), 1);
    assert_int_equal(wri_block_count(11, 10), 2);
    assert_int_equal(wri_block_count(INT32_MAX, 1), INT32_MAX);
    wri_parallel_for(NULL, INT32_MAX, 1 << 30, count_bounds, seen);
    const int expected[6] = {0, 1 << 30, 1 << 30, INT32_MAX, -1, -1};
    assert_memory_equal(seen, expected, sizeof seen);
}

// --- hashing ----------------------------------------------------------------------------------

static void hashes_are_those_of_the_published_xxh64(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash;
    } published[] = {
        {"", 0xef46db3751d8e999u},
        {"a", 0xd24ec4f1a98c6e5bu},
        {"abc", 0x44bc2cf5ad770999u},
        {"Nobody inspects the spammish repetition", 0xfbcea83c8a378bf1u},
        {"The quick brown fox jumps over the lazy dog", 0x0b242d361fda71bcu},
    };
    for (int i = 0; i < WRI_COUNT(published); i++) {
        uint64_t hash = wri_hash(published[i].text, strlen(published[i].text), 0);
        assert_true(hash == published[i].hash);
    }
    assert_true(wri_hash(NULL, 0, 0) == published[0].hash);
}

static void every_tail_length_of_a_hash_is_right(void **state)
{
    (void)state;
    // From xxhsum 0.8.1 -H64 of the first `size` bytes of 37 i + 11.
    static const struct {
        size_t size;
        uint64_t hash;
    } known[] = {
        {1, 0xf592c0c7639c4cb6u},   {3, 0x22c08528601d4f27u},  {4, 0xfb1e5cf2f1ae4d95u},
        {7, 0x5613ac510496c04eu},   {8, 0x57cb2b7521f3e21au},  {12, 0x2f53b00266039e64u},
        {31, 0xe4a0e629e519a4aeu},  {32, 0xcc6b8aaada790b2du}, {33, 0x35ec49850475a832u},
        {63, 0xbf9f0ba3cf95b28au},  {64, 0x155ccce4bf32befcu}, {100, 0x4826e367566ea023u},
        {101, 0x30383413a6f6646au},
    };
    uint8_t bytes[102]; // hashed from an odd address too
    for (int offset = 0; offset < 2; offset++) {
        for (int i = 0; i < 101; i++) {
            bytes[i + offset] = (uint8_t)(i * 37 + 11);
        }
        for (int i = 0; i < WRI_COUNT(known); i++) {
            assert_true(wri_hash(bytes + offset, known[i].size, 0) == known[i].hash);
        }
    }
    assert_true(wri_hash(bytes, 50, 1) != wri_hash(bytes, 50, 2)); // the seed matters
}

// --- text -------------------------------------------------------------------------------------

static void check_numbers(void)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"0", 0.0},
        {"-0.0", -0.0},
        {"1.5", 1.5},
        {"-2.25", -2.25},
        {"1e3", 1000.0},
        {"1E+3", 1000.0},
        {".5", 0.5},
        {"2.", 2.0},
        {"+7", 7.0},
        {"1.25e-2", 0.0125},
        {"1e-400", 0.0},
        {"5e-324", 5e-324},
        {"0.1", 0.1},
        {"123456789", 123456789.0},
        {"1.7976931348623157e308", 1.7976931348623157e308},
    };
    static const char *const bad[] = {"",    "-",    "+",   ".",      "e5",    "1e",  "1.2.3",
                                      "1,5", "0x10", "nan", "inf",    "1e999", " 1",  "1 ",
                                      "--1", "1-",   "1e+", "-1e999", "1_0",   "\t1", "INFINITY"};
    for (int i = 0; i < WRI_COUNT(good); i++) {
        double value = NAN;
        if (!wri_parse_double(good[i].text, strlen(good[i].text), &value)) {
            fail_msg("refused: %s", good[i].text);
        }
        assert_memory_equal(&value, &good[i].value, sizeof value);
    }
    for (int i = 0; i < WRI_COUNT(bad); i++) {
        double value = 7.0;
        if (wri_parse_double(bad[i], strlen(bad[i]), &value)) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_true(value == 7.0);
    }
    double value = 0.0;
    assert_true(wri_parse_double("1.5,", 3, &value) && value == 1.5); // reads `length` bytes only
    assert_false(wri_parse_double("1\0"
                                  "2",
                                  3, &value));
}

static void check_float_text(float value, const char *expected)
{
    char text[32];
    int length = wri_print_float(text, sizeof text, value);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void check_floats(void)
{
    check_float_text(0.0f, "0");
    check_float_text(-0.0f, "-0");
    check_float_text(1.0f, "1");
    check_float_text(-2.5f, "-2.5");
    check_float_text(0.1f, "0.1");
    check_float_text(1.0f / 3.0f, "0.33333334");
    check_float_text(16777216.0f, "16777216");
    check_float_text(3.4028235e38f, "3.4028235e+38");
    check_float_text(1e-45f, "1e-45");
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 50000; i++) {
        uint32_t bits = (uint32_t)(random_bits(&seed) >> 32);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[32];
        double back = NAN;
        int length = wri_print_float(text, sizeof text, value);
        assert_in_range(length, 1, 16);
        assert_true(wri_parse_double(text, (size_t)length, &back));
        float again = (float)back;
        assert_memory_equal(&again, &value, sizeof value);
    }
}

static void numbers_are_read_and_written_in_the_c_locale(void **state)
{
    (void)state;
    check_numbers();
    check_floats();
}

static void a_locale_with_another_decimal_point_does_not_matter(void **state)
{
    (void)state;
    comma_locale_begin();
    check_numbers();
    check_floats();
    comma_locale_end();
}

static void control_characters_are_spelt_out(void **state)
{
    (void)state;
    static const struct {
        const char *text, *escaped;
    } cases[] = {
        {"", ""},
        {"crate 7", "crate 7"},
        {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
        {"\x1b[2J\x7f\x01", "\\x1b[2J\\x7f\\x01"},
        {"\xc2\x85\xc2\x9f\xc2\xa0\xc3\x9f", "\\x85\\x9f\xc2\xa0\xc3\x9f"},
        {"\xc2", "\xc2"},
        {"a\\nb", "a\\nb"}, // twice is once
    };
    char out[64];
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wri_escape_text(out, sizeof out, cases[i].text);
        assert_string_equal(out, cases[i].escaped);
    }
    wri_escape_text(out, 5, "ab\n\n"); // half of an escape is none
    assert_string_equal(out, "ab\\n");
    wri_escape_text(out, 1, "ab");
    assert_string_equal(out, "");
    wr_error error = {0};
    wri_fail(&error, WR_E_FORMAT, "%s: bad", "a\nb");
    assert_string_equal(error.message, "a\\nb: bad");
}

static void the_nearest_word_is_suggested(void **state)
{
    (void)state;
    static const char *const words[] = {"mass", "density", "friction", "restitution", "x", "fps"};
    static const struct {
        const char *typed, *suggested;
    } cases[] = {
        {"mas", "mass"},
        {"frction", "friction"},
        {"denisty", "density"},
        {"restituton", "restitution"},
        {"mass", "mass"},
        {"Mass", "mass"},
        {"fp", "fps"},
        {"colour", NULL},
        {"", NULL},
        {"y", NULL},
        {"velocity", NULL},
        {"friktoin", "friction"},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        const char *found = wri_nearest_word(cases[i].typed, words, WRI_COUNT(words));
        if (!cases[i].suggested) {
            assert_null(found);
        } else {
            assert_non_null(found);
            assert_string_equal(found, cases[i].suggested);
        }
    }
    assert_null(wri_nearest_word("mass", NULL, 0));
    char endless[1000];
    memset(endless, 'm', sizeof endless);
    endless[sizeof endless - 1] = '\0';
    assert_null(wri_nearest_word(endless, words, WRI_COUNT(words)));
    const char *const long_words[] = {endless};
    assert_null(wri_nearest_word("mass", long_words, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_is_one_sentence_and_false),
        cmocka_unit_test(a_long_sentence_is_cut_and_ended),
        cmocka_unit_test(an_error_can_be_wrapped_in_itself),
        cmocka_unit_test(memory_is_aligned_and_zeroed),
        cmocka_unit_test(free_hears_the_size_that_alloc_was_asked_for),
        cmocka_unit_test(absurd_requests_are_refused),
        cmocka_unit_test(arena_memory_is_aligned_zeroed_and_apart),
        cmocka_unit_test(arena_text_is_a_copy_with_an_end),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_growing_array_keeps_its_items_and_zeroes_new_ones),
        cmocka_unit_test(adding_nothing_is_no_failure),
        cmocka_unit_test(an_array_stops_before_its_count_overflows),
        cmocka_unit_test(after_warm_up_a_step_allocates_nothing),
        cmocka_unit_test(scratch_grows_to_what_is_alive_at_once),
        cmocka_unit_test(blocks_cover_every_item_once),
        cmocka_unit_test(blocks_do_not_depend_on_who_runs_them),
        cmocka_unit_test(block_slots_ignore_order_and_running_sums_do_not),
        cmocka_unit_test(block_bounds_hold_at_the_edges),
        cmocka_unit_test(hashes_are_those_of_the_published_xxh64),
        cmocka_unit_test(every_tail_length_of_a_hash_is_right),
        cmocka_unit_test(numbers_are_read_and_written_in_the_c_locale),
        cmocka_unit_test(a_locale_with_another_decimal_point_does_not_matter),
        cmocka_unit_test(control_characters_are_spelt_out),
        cmocka_unit_test(the_nearest_word_is_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
