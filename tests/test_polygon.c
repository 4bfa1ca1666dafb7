// test_polygon.c: promises of polygons cut into triangles.
//
// Triangles whose borders cancel except along the polygon, and of which none is turned over, cover
// the inside once: at every point the polygon winds as often as triangles lie there.
#include "check.h"

#include "../src/file/model.h"

enum { MANY = 100000 };

typedef struct outline {
    wr_vec3 *points;
    int count;
} outline;

static outline outline_create(int count)
{
    outline o = {calloc((size_t)count, sizeof(wr_vec3)), count};
    assert_non_null(o.points);
    return o;
}

// --- checking ---------------------------------------------------------------------------------

typedef struct edge {
    int from, to;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *s = a, *t = b;
    return s->from != t->from ? (s->from > t->from) - (s->from < t->from)
                              : (s->to > t->to) - (s->to < t->to);
}

// Every edge of a triangle is one of the polygon's or has its opposite in another triangle.
static void expect_border(const int *triangles, int n)
{
    int count = 3 * (n - 2);
    edge *edges = malloc((size_t)count * sizeof *edges);
    assert_non_null(edges);
    for (int i = 0; i < count; i++) {
        edges[i] = (edge){triangles[i], triangles[i % 3 == 2 ? i - 2 : i + 1]};
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0; i < count; i++) {
        if (edges[i].to == (edges[i].from + 1) % n) {
            continue;
        }
        edge back = {edges[i].to, edges[i].from};
        if (!bsearch(&back, edges, (size_t)count, sizeof *edges, compare_edges)) {
            fail_msg("the edge from %d to %d has no opposite", back.to, back.from);
        }
    }
    free(edges);
}

static double doubled_area(const wr_vec3 *p, const int *t)
{
    double ux = (double)p[t[1]].x - (double)p[t[0]].x, uy = (double)p[t[1]].y - (double)p[t[0]].y;
    double vx = (double)p[t[2]].x - (double)p[t[0]].x, vy = (double)p[t[2]].y - (double)p[t[0]].y;
    return ux * vy - uy * vx;
}

static int *split(const outline *o)
{
    wr_error error = {0};
    wr_scratch scratch = wri_scratch_create(NULL);
    int *triangles = malloc(3 * (size_t)o->count * sizeof *triangles);
    assert_non_null(triangles);
    if (!wri_polygon_split(&scratch, o->points, o->count, triangles, &error)) {
        fail_msg("%s", error.message);
    }
    wri_scratch_destroy(&scratch);
    return triangles;
}

// Of an outline in the plane of x and y, which is destroyed.
static void expect_covered_once(outline *o)
{
    int *triangles = split(o);
    expect_border(triangles, o->count);
    for (int i = 0; i < o->count - 2; i++) {
        if (doubled_area(o->points, triangles + 3 * i) < 0.0) {
            fail_msg("triangle %d of %d is turned over", i, o->count - 2);
        }
    }
    free(triangles);
    free(o->points);
}

// --- outlines ---------------------------------------------------------------------------------

static wr_vec3 at(double x, double y)
{
    return wr_v3((float)x, (float)y, 0.0f);
}

static outline make_star(int count)
{
    outline o = outline_create(count);
    uint64_t seed = 5;
    for (int i = 0; i < count; i++) {
        double angle = 2.0 * 3.14159265358979 * i / count;
        double radius = (double)random_float(&seed, 0.5f, 1.0f);
        o.points[i] = at(radius * cos(angle), radius * sin(angle));
    }
    return o;
}

static outline make_comb(int count)
{
    outline o = outline_create(count);
    for (int i = 0; i < count - 2; i++) {
        o.points[count - 3 - i] = at(i * 0.001, i % 2 ? 1.0 : 0.01);
    }
    o.points[count - 2] = at(0.0, 0.0);
    o.points[count - 1] = at((count - 3) * 0.001, 0.0);
    return o;
}

// A band that winds round the middle, fifty corners to a turn on either side.
static outline make_spiral(int count)
{
    outline o = outline_create(count / 2 * 2);
    int half = count / 2;
    for (int i = 0; i < half; i++) {
        double turns = i / 50.0, angle = 2.0 * 3.14159265358979 * turns;
        o.points[half + i] = at((1.0 + turns) * cos(angle), (1.0 + turns) * sin(angle));
        o.points[half - 1 - i] = at((1.5 + turns) * cos(angle), (1.5 + turns) * sin(angle));
    }
    for (int i = 0; i < half; i++) { // it runs clockwise so far
        wr_vec3 p = o.points[i];
        o.points[i] = o.points[o.count - 1 - i];
        o.points[o.count - 1 - i] = p;
    }
    return o;
}

// Square holes in rows; each is reached by a bridge from the rim below its column and left by it
// again, so that the ring passes every bridge twice.
static outline make_sieve(int side)
{
    outline o = outline_create(side * (6 * side + 2) + 4);
    wr_vec3 *p = o.points;
    for (int column = 0; column < side; column++) {
        double x = column + 0.25;
        *p++ = at(x, 0.0);
        for (int row = 0; row < side; row++) { // up on the left
            *p++ = at(x, row + 0.25);
            *p++ = at(x, row + 0.75);
        }
        for (int row = side - 1; row >= 0; row--) { // back round the other three sides
            *p++ = at(x, row + 0.75);
            *p++ = at(x + 0.5, row + 0.75);
            *p++ = at(x + 0.5, row + 0.25);
            *p++ = at(x, row + 0.25);
        }
        *p++ = at(x, 0.0);
    }
    *p++ = at(side, 0.0);
    *p++ = at(side, side);
    *p++ = at(0.0, side);
    *p++ = at(0.0, 0.0);
    o.count = (int)(p - o.points);
    return o;
}

static void concave_polygons_of_any_size_are_covered_once(void **state)
{
    (void)state;
    static outline (*const makers[])(int) = {make_star, make_comb, make_spiral};
    for (int i = 0; i < WRI_COUNT(makers); i++) {
        for (int count = 10; count <= MANY; count *= 10) {
            outline o = makers[i](count);
            expect_covered_once(&o);
        }
    }
}

static void bridges_to_holes_are_passed_on_both_sides(void **state)
{
    (void)state;
    for (int side = 1; side <= 81; side *= 3) {
        outline o = make_sieve(side);
        expect_covered_once(&o);
    }
}

// As far as rounding allows: the areas sum up to that of the outline.
static void tilted_polygons_are_covered_once(void **state)
{
    (void)state;
    outline o = make_star(MANY / 10);
    double area = 0.0, sum = 0.0;
    for (int i = 1; i < o.count - 1; i++) {
        area += doubled_area(o.points, (int[3]){0, i, i + 1});
    }
    for (int i = 0; i < o.count; i++) {
        wr_vec3 p = o.points[i];
        o.points[i] = wr_v3(0.6f * p.x + 40.0f, p.y, 0.8f * p.x);
    }
    int *triangles = split(&o);
    expect_border(triangles, o.count);
    for (int i = 0; i < o.count - 2; i++) {
        const int *t = triangles + 3 * i;
        wr_vec3 u = wr_sub(o.points[t[1]], o.points[t[0]]);
        wr_vec3 v = wr_sub(o.points[t[2]], o.points[t[0]]);
        sum += (double)wr_length(wr_cross(u, v));
    }
    CHECK_NEAR(sum, area, 1e-3 * area);
    free(triangles);
    free(o.points);
}

// --- no polygons ------------------------------------------------------------------------------

// Within the time of a sound polygon or refused; whatever comes out can be used.
static void expect_end(outline *o, bool is_cut)
{
    wr_error error = {0};
    wr_scratch scratch = wri_scratch_create(NULL);
    int *triangles = malloc(3 * (size_t)o->count * sizeof *triangles);
    assert_non_null(triangles);
    assert_true(wri_polygon_split(&scratch, o->points, o->count, triangles, &error) == is_cut);
    for (int i = 0; is_cut && i < 3 * (o->count - 2); i++) {
        assert_in_range(triangles[i], 0, o->count - 1);
    }
    if (!is_cut) {
        assert_string_equal(error.message,
                            "a polygon of 20000 corners is too tangled to be cut into triangles");
    }
    wri_scratch_destroy(&scratch);
    free(triangles);
    free(o->points);
}

static void tangles_end_in_time(void **state)
{
    (void)state;
    uint64_t seed = 6;
    outline scribble = outline_create(20000), line = outline_create(20000);
    outline one_place = outline_create(20000), cluster = make_star(20000);
    for (int i = 0; i < scribble.count; i++) {
        float x = random_float(&seed, 0.0f, 1.0f), y = random_float(&seed, 0.0f, 1.0f);
        scribble.points[i] = wr_v3(x, y, 0.0f);
        line.points[i] = wr_v3(x, 0.0f, 0.0f);
    }
    line.points[7].y = 1.0f;
    cluster.points[0].x = 1e12f;
    expect_end(&scribble, true);
    expect_end(&line, false);
    expect_end(&one_place, true);
    expect_end(&cluster, true);
}

// Found by fuzzing: such polygons have no size that a number could be.
static void corners_as_far_away_as_floats_go_do_not_hurt(void **state)
{
    (void)state;
    const float far = 3.4028234e38f;
    const wr_vec3 corners[] = {{-far, -far, far}, {far, -far, 0}, {0, 0, -far},
                               {far, far, far},   {-far, far, 0}, {0, 1, 0}};
    outline o = outline_create(WRI_COUNT(corners));
    memcpy(o.points, corners, sizeof corners);
    wr_scratch scratch = wri_scratch_create(NULL);
    int triangles[3 * (WRI_COUNT(corners) - 2)];
    wr_error error = {0};
    assert_true(wri_polygon_split(&scratch, o.points, o.count, triangles, &error));
    for (int i = 0; i < WRI_COUNT(triangles); i++) {
        assert_true(triangles[i] >= 0 && triangles[i] < o.count);
    }
    wri_scratch_destroy(&scratch);
    free(o.points);
}

static void too_many_corners_are_refused_only_where_they_are_concave(void **state)
{
    (void)state;
    enum { COUNT = 1100000 };
    wr_error error = {0};
    wr_scratch scratch = wri_scratch_create(NULL);
    outline o = outline_create(COUNT);
    int *triangles = malloc(3 * (size_t)COUNT * sizeof *triangles);
    assert_non_null(triangles);
    for (int i = 0; i < COUNT; i++) { // flat corners along a square
        int side = i / (COUNT / 4), step = i % (COUNT / 4), end = COUNT / 4;
        o.points[i] = side == 0   ? at(step, 0)
                      : side == 1 ? at(end, step)
                      : side == 2 ? at(end - step, end)
                                  : at(0, end - step);
    }
    assert_true(wri_polygon_split(&scratch, o.points, COUNT, triangles, &error));
    o.points[5].y = 1.0f;
    assert_false(wri_polygon_split(&scratch, o.points, COUNT, triangles, &error));
    assert_int_equal(error.code, WR_E_UNSUPPORTED);
    assert_string_equal(error.message,
                        "a concave polygon of 1100000 corners, expected at most 1048576");
    wri_scratch_destroy(&scratch);
    free(triangles);
    free(o.points);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    outline o = make_star(50);
    int triangles[144];
    for (int budget = 0;; budget++) {
        assert_true(budget < 100);
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_scratch scratch = wri_scratch_create(&allocator);
        wr_error error = {0};
        bool ok = wri_polygon_split(&scratch, o.points, o.count, triangles, &error);
        wri_scratch_destroy(&scratch);
        assert_int_equal(heap.alive, 0);
        assert_int_equal(error.code, ok ? WR_OK : WR_E_MEMORY);
        if (ok) {
            break;
        }
    }
    free(o.points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concave_polygons_of_any_size_are_covered_once),
        cmocka_unit_test(bridges_to_holes_are_passed_on_both_sides),
        cmocka_unit_test(tilted_polygons_are_covered_once),
        cmocka_unit_test(tangles_end_in_time),
        cmocka_unit_test(corners_as_far_away_as_floats_go_do_not_hurt),
        cmocka_unit_test(too_many_corners_are_refused_only_where_they_are_concave),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
