// test_shapes.c: deformations as few shapes: exact when they are few, small errors when not.
#include "check.h"

#include "../src/base/os.h"
#include "../src/geometry/shapes.h"

enum { SIDE = 20, VERTICES = SIDE * SIDE };

typedef wr_vec3 place_fn(int vertex, int frame);

static wr_vec3 flat(int vertex)
{
    return wr_v3((float)(vertex % SIDE) * 0.05f, 0.0f, (float)(vertex / SIDE) * 0.05f);
}

static wri_arena arena;

static wri_shapes find(place_fn *place, int frame_count, int most, float tolerance,
                       wr_vec3 **frames)
{
    wr_vec3 *places = wri_arena_alloc(&arena, (size_t)(frame_count * VERTICES), sizeof *places);
    for (int i = 0; i < frame_count * VERTICES; i++) {
        places[i] = place(i % VERTICES, i / VERTICES);
    }
    wri_shapes shapes;
    wr_error error = {0};
    if (!wri_shapes_find(places, frame_count, VERTICES, most, tolerance, &arena, &shapes, &error)) {
        fail_msg("%s", error.message);
    }
    *frames = places;
    return shapes;
}

// The error as anybody who adds the shapes up would find it.
static double measure(const wri_shapes *s, const wr_vec3 *frames, int frame_count)
{
    double most = 0.0;
    for (int i = 0; i < frame_count * VERTICES; i++) {
        int f = i / VERTICES, v = i % VERTICES;
        double p[3] = {s->base[v].x, s->base[v].y, s->base[v].z};
        for (int k = 0; k < s->count; k++) {
            double w = s->weights[f * s->count + k];
            const wr_vec3 *o = &s->offsets[k * VERTICES + v];
            p[0] += w * o->x;
            p[1] += w * o->y;
            p[2] += w * o->z;
        }
        double d = hypot(hypot(p[0] - frames[i].x, p[1] - frames[i].y), p[2] - frames[i].z);
        most = d > most ? d : most;
    }
    return most;
}

// A standing and a running wave: three shapes in all.
static wr_vec3 wave(int vertex, int frame)
{
    wr_vec3 p = flat(vertex);
    float t = (float)frame * 0.2f;
    p.y = 0.2f * sinf(7.0f * p.x - t) + 0.1f * sinf(1.7f * t) * cosf(5.0f * p.z);
    return p;
}

static void a_wave_of_three_shapes_takes_three(void **state)
{
    (void)state;
    wr_vec3 *frames;
    wri_shapes s = find(wave, 100, 32, 1e-5f, &frames);
    assert_int_equal(s.count, 3);
    assert_true(s.error <= 1e-5f);
    CHECK_NEAR(measure(&s, frames, 100), s.error, 1e-7);
}

static wr_vec3 still(int vertex, int frame)
{
    (void)frame;
    return flat(vertex);
}

static void what_does_not_move_takes_none(void **state)
{
    (void)state;
    wr_vec3 *frames;
    wri_shapes s = find(still, 10, 32, 0.0f, &frames);
    assert_int_equal(s.count, 0);
    assert_true(s.error == 0.0f);
    s = find(wave, 1, 32, 0.0f, &frames);
    assert_int_equal(s.count, 0);
}

// A bump that travels: no small number of shapes has it.
static wr_vec3 bump(int vertex, int frame)
{
    wr_vec3 p = flat(vertex);
    float x = p.x - 0.01f * (float)frame, z = p.z - 0.5f;
    p.y = 0.1f * expf(-60.0f * (x * x + z * z));
    return p;
}

static void the_error_is_said_and_falls_with_the_number_of_shapes(void **state)
{
    (void)state;
    wr_vec3 *frames;
    double last = 0.1;
    for (int most = 2; most <= 16; most *= 2) {
        wri_shapes s = find(bump, 100, most, 1e-6f, &frames);
        assert_true(s.count == most);
        CHECK_NEAR(measure(&s, frames, 100), s.error, 1e-6);
        assert_true(s.error < 0.75 * last);
        last = s.error;
        for (int i = 0; i < 100 * s.count; i++) {
            assert_true(s.weights[i] >= 0.0f && s.weights[i] <= 1.0f);
        }
    }
    assert_true(last < 5e-5); // of a bump of 0.1
}

// One frame in a thousand is different: a sum of squares hardly sees it, the largest error does.
static wr_vec3 twitch(int vertex, int frame)
{
    wr_vec3 p = bump(vertex, frame / 10);
    if (frame == 777 && vertex == 210) {
        p.y += 0.05f;
    }
    return p;
}

static void a_single_odd_frame_is_not_forgotten(void **state)
{
    (void)state;
    wr_vec3 *frames;
    wri_shapes s = find(twitch, 1000, 16, 1e-6f, &frames);
    assert_true(s.error < 2e-3f);
}

static void the_same_frames_give_the_same_bits(void **state)
{
    (void)state;
    wr_vec3 *frames;
    wri_shapes a = find(bump, 60, 8, 1e-6f, &frames), b = find(bump, 60, 8, 1e-6f, &frames);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.offsets, b.offsets, (size_t)(a.count * VERTICES) * sizeof(wr_vec3));
    assert_memory_equal(a.weights, b.weights, (size_t)(a.count * 60) * sizeof(float));
}

// Two shapes, a weak third one and noise. As far as the tolerance allows, fewer shapes are better,
// also where more would leave less: clouds for which two will do, found by trying.
static void no_more_shapes_are_taken_than_the_tolerance_needs(void **state)
{
    (void)state;
    enum { POINTS = 12, TIMES = 14 };
    static const uint64_t seeds[] = {18, 59, 173, 205, 242, 273, 286};
    for (int n = 0; n < WRI_COUNT(seeds); n++) {
        uint64_t seed = seeds[n];
        float shapes[3][3 * POINTS];
        wr_vec3 frames[TIMES * POINTS] = {0};
        for (int i = 0; i < 9 * POINTS; i++) {
            shapes[i / (3 * POINTS)][i % (3 * POINTS)] = random_float(&seed, -1, 1);
        }
        for (int t = 1; t < TIMES; t++) {
            float w[3];
            for (int k = 0; k < 3; k++) {
                w[k] = random_float(&seed, -1, 1) * (k == 2 ? 0.1f : 1.0f);
            }
            for (int i = 0; i < 3 * POINTS; i++) {
                float sum = w[0] * shapes[0][i] + w[1] * shapes[1][i] + w[2] * shapes[2][i];
                (&frames[t * POINTS].x)[i] = sum + random_float(&seed, -0.05f, 0.05f);
            }
        }
        wri_shapes s;
        assert_true(wri_shapes_find(frames, TIMES, POINTS, 10, 0.12f, &arena, &s, NULL));
        assert_int_equal(s.count, 2);
        assert_true(s.error <= 0.12f);
    }
}

static void out_of_memory_is_an_error_at_every_allocation(void **state)
{
    (void)state;
    wr_vec3 frames[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}};
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wri_arena out = wri_arena_create(&allocator);
        wri_shapes s;
        wr_error error = {0};
        done = wri_shapes_find(frames, 3, 2, 8, 0.0f, &out, &s, &error);
        assert_true(done || error.code == WR_E_MEMORY);
        wri_arena_destroy(&out);
        assert_int_equal(heap.alive, 0);
    }
}

static int setup(void **state)
{
    (void)state;
    arena = wri_arena_create(NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    wri_arena_destroy(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_of_three_shapes_takes_three),
        cmocka_unit_test(what_does_not_move_takes_none),
        cmocka_unit_test(the_error_is_said_and_falls_with_the_number_of_shapes),
        cmocka_unit_test(a_single_odd_frame_is_not_forgotten),
        cmocka_unit_test(the_same_frames_give_the_same_bits),
        cmocka_unit_test(no_more_shapes_are_taken_than_the_tolerance_needs),
        cmocka_unit_test(out_of_memory_is_an_error_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
