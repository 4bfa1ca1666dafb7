// test_planar.c: promises of outlines and of simulation meshes of images.
#include "check.h"

#include "../src/author/outline.h"
#include "wrought/author.h"

static const double PI = 3.14159265358979323846;

// --- pictures ---------------------------------------------------------------------------------

typedef struct picture {
    wr_image image;
    uint8_t *pixels;
} picture;

static picture picture_create(int width, int height)
{
    picture p = {.pixels = calloc((size_t)(width * height), 4)};
    p.image = (wr_image){"picture", width, height, p.pixels};
    return p;
}

static void set_alpha(picture *p, int x, int y, double alpha)
{
    double a = alpha < 0.0 ? 0.0 : alpha > 1.0 ? 1.0 : alpha;
    p->pixels[4 * (y * p->image.width + x) + 3] = (uint8_t)(255.0 * a + 0.5);
}

// A ring with a soft edge one pixel wide; y counts from the top.
static void add_ring(picture *p, double x, double y, double inner, double outer)
{
    for (int j = 0; j < p->image.height; j++) {
        for (int i = 0; i < p->image.width; i++) {
            double r = hypot(i + 0.5 - x, j + 0.5 - y);
            double a = fmin(outer - r, inner > 0.0 ? r - inner : INFINITY) + 0.5;
            if (a > 0.0) {
                set_alpha(p, i, j, a);
            }
        }
    }
}

static void add_block(picture *p, int x0, int y0, int x1, int y1)
{
    for (int j = y0; j < y1; j++) {
        for (int i = x0; i < x1; i++) {
            set_alpha(p, i, j, 1.0);
        }
    }
}

static wr_lattice *mesh_with(const wr_planar_desc *desc)
{
    wr_error error = {0};
    wr_lattice *l = wr_lattice_create_planar(desc, &error);
    if (!l) {
        fail_msg("%s", error.message);
    }
    return l;
}

static wr_lattice *mesh(const picture *p, int vertices)
{
    wr_planar_desc desc = wr_planar_desc_default();
    desc.image = &p->image;
    desc.vertices = vertices;
    return mesh_with(&desc);
}

static double area(const wr_lattice *l, int i)
{
    const int *t = &l->elements[3 * i];
    wr_vec3 a = l->rest[t[0]], b = l->rest[t[1]], c = l->rest[t[2]];
    return 0.5 *
           (((double)b.x - a.x) * ((double)c.y - a.y) - ((double)b.y - a.y) * ((double)c.x - a.x));
}

// Positive triangles, every edge of one or two that see it from both sides, no unused vertex.
static void check_sound(const wr_lattice *l)
{
    size_t n = (size_t)l->vertex_count;
    assert_int_equal(l->dimension, 2);
    uint8_t *used = calloc(n, 1);
    uint8_t *edges = n < 3000 ? calloc(n * n, 1) : NULL;
    for (int i = 0; i < l->element_count; i++) {
        assert_true(area(l, i) > 0.0);
        for (int k = 0; k < 3; k++) {
            int a = l->elements[3 * i + k], b = l->elements[3 * i + (k + 1) % 3];
            used[a] = 1;
            assert_int_equal(l->vertex_parts[a], l->vertex_parts[b]);
            if (edges) {
                assert_int_equal(edges[(size_t)a * n + (size_t)b]++, 0);
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        assert_true(used[i] && l->rest[i].z == 0.0f);
    }
    free(used);
    free(edges);
}

// --- outlines ---------------------------------------------------------------------------------

static void the_outline_of_a_disc_is_a_circle_within_a_tenth_of_a_pixel(void **state)
{
    (void)state;
    picture p = picture_create(100, 80);
    add_ring(&p, 40.3, 50.7, 0.0, 20.0);
    wri_arena arena = wri_arena_create(NULL);
    wri_outline o;
    assert_true(wri_outline_find(&p.image, &arena, &o, NULL));
    assert_int_equal(o.loop_count, 1);
    for (int i = 0; i < o.loop_begin[1]; i++) {
        CHECK_NEAR(hypot(o.points[i][0] - 40.3, o.points[i][1] - (80 - 50.7)), 20.0, 0.1);
    }
    CHECK_NEAR(o.area, PI * 400.0, 0.002 * PI * 400.0);
    CHECK_NEAR(o.length, 2.0 * PI * 20.0, 0.01 * 2.0 * PI * 20.0);
    wri_arena_destroy(&arena);
    free(p.pixels);
}

static void shapes_and_holes_are_loops_of_their_own_and_specks_are_dropped(void **state)
{
    (void)state;
    picture p = picture_create(120, 60);
    add_ring(&p, 30, 30, 10, 20);
    add_ring(&p, 90, 30, 0, 15);
    set_alpha(&p, 60, 5, 1.0);
    wri_arena arena = wri_arena_create(NULL);
    wri_outline o;
    assert_true(wri_outline_find(&p.image, &arena, &o, NULL));
    assert_int_equal(o.loop_count, 3);
    assert_int_equal(o.shape_count, 2);
    assert_int_equal(o.dropped_count, 1);
    CHECK_NEAR(o.area, PI * (300.0 + 225.0), 4.0);
    wri_arena_destroy(&arena);
    free(p.pixels);
}

static void shapes_at_the_border_and_checkerboards_are_closed(void **state)
{
    (void)state;
    picture p = picture_create(9, 9);
    for (int i = 0; i < 81; i++) {
        set_alpha(&p, i % 9, i / 9, i % 2 ? 0.9 : 0.3); // joined at corners: the mean is over half
    }
    wri_arena arena = wri_arena_create(NULL);
    wri_outline o;
    assert_true(wri_outline_find(&p.image, &arena, &o, NULL));
    for (int i = 0; i < o.loop_count; i++) {
        assert_true(o.loop_begin[i + 1] - o.loop_begin[i] >= 3);
    }
    wri_arena_destroy(&arena);
    free(p.pixels);
}

// --- meshes -----------------------------------------------------------------------------------

static void areas_are_those_of_the_shapes(void **state)
{
    (void)state;
    picture p = picture_create(200, 200);
    add_ring(&p, 100, 100, 40, 80);
    double exact = PI * (6400.0 - 1600.0) * 1e-4; // 0.01 m per pixel
    wr_lattice *l = mesh(&p, 300);
    CHECK_NEAR(l->report.volume, exact, 0.03 * exact);
    check_sound(l);
    wr_lattice *fine = mesh(&p, 2000);
    CHECK_NEAR(fine->report.volume, exact, 0.005 * exact);
    check_sound(fine);
    assert_int_equal(fine->report.parts, 1);
    wr_lattice_destroy(l);
    wr_lattice_destroy(fine);
    free(p.pixels);
}

static void the_number_of_vertices_is_within_a_tenth(void **state)
{
    (void)state;
    const int wanted[] = {60, 300, 1800, 5000, 20000};
    for (int s = 0; s < 3; s++) {
        picture p = picture_create(300, 200);
        if (s == 0) {
            add_ring(&p, 150, 100, 30, 90);
        } else if (s == 1) {
            add_block(&p, 10, 20, 290, 180);
        } else {
            for (int i = 0; i < 8; i++) { // a comb, with teeth as thin as the samples are apart
                add_block(&p, 10 + 35 * i, 20, 18 + 35 * i, 180);
            }
            add_block(&p, 10, 170, 263, 180);
        }
        for (int k = s == 2; k < 5; k++) { // a comb needs more than 60
            wr_lattice *l = mesh(&p, wanted[k]);
            CHECK_NEAR(l->vertex_count, wanted[k], 0.1 * wanted[k]);
            check_sound(l);
            wr_lattice_destroy(l);
        }
        free(p.pixels);
    }
}

// Two long blocks, closer together than the samples: without the outline's own edges, triangles
// would lead across the gap, or be missing beside it.
static void a_gap_narrower_than_the_spacing_stays_open(void **state)
{
    (void)state;
    picture p = picture_create(300, 200);
    add_block(&p, 10, 20, 290, 99);
    add_block(&p, 10, 102, 290, 180);
    wr_lattice *l = mesh(&p, 200);
    check_sound(l);
    assert_true(l->report.spacing > 0.1);
    assert_int_equal(l->report.parts, 2);
    CHECK_NEAR(l->report.volume, 280 * 157 * 1e-4, 0.005 * 280 * 157 * 1e-4);
    wr_lattice_destroy(l);
    free(p.pixels);
}

static void separate_shapes_are_separate_parts(void **state)
{
    (void)state;
    picture p = picture_create(120, 60);
    add_ring(&p, 30, 30, 10, 20);
    add_ring(&p, 90, 30, 0, 15);
    wr_lattice *l = mesh(&p, 200);
    assert_int_equal(l->report.parts, 2);
    assert_int_equal(l->report.shells, 2);
    for (int i = 0; i < l->vertex_count; i++) {
        assert_int_equal(l->vertex_parts[i] == l->vertex_parts[0],
                         (l->rest[i].x < 0.6f) == (l->rest[0].x < 0.6f));
    }
    check_sound(l);
    wr_lattice_destroy(l);
    free(p.pixels);
}

static void handles_lie_exactly_on_vertices(void **state)
{
    (void)state;
    picture p = picture_create(200, 100);
    add_block(&p, 20, 20, 180, 80);
    // inside, twice the same, close together, on the outline, just outside, far away
    const wr_vec3 handles[] = {{0.5f, 0.5f, 0},   {1.0f, 0.51f, 3}, {1.0f, 0.51f, 0},
                               {1.01f, 0.51f, 0}, {0.2f, 0.5f, 0},  {1.0f, 0.83f, 0},
                               {9.0f, 9.0f, 0}};
    wr_planar_desc desc = wr_planar_desc_default();
    desc.image = &p.image;
    desc.vertices = 200;
    desc.handles = handles;
    desc.handle_count = 7;
    wr_lattice *l = mesh_with(&desc);
    for (int i = 0; i < 6; i++) {
        int v = l->handle_vertices[i];
        assert_true(v >= 0);
        assert_true(l->rest[v].x == handles[i].x && l->rest[v].y == handles[i].y);
    }
    assert_int_equal(l->handle_vertices[1], l->handle_vertices[2]);
    assert_int_equal(l->handle_vertices[6], -1);
    assert_int_equal(l->report.handles_missed, 1);
    check_sound(l);
    wr_lattice_destroy(l);
    free(p.pixels);
}

static void rides_reproduce_linear_functions(void **state)
{
    (void)state;
    picture p = picture_create(100, 100);
    add_ring(&p, 50, 50, 0, 40);
    wr_lattice *l = mesh(&p, 200);
    wr_vec3 points[300];
    wr_ride rides[300];
    uint64_t seed = 9;
    for (int i = 0; i < 300; i++) {
        float x = random_float(&seed, 0.1f, 0.9f), y = random_float(&seed, 0.1f, 0.9f);
        points[i] = wr_v3(x, y, random_float(&seed, -0.2f, 0.3f));
    }
    wr_ride_report report;
    assert_true(wr_lattice_find_rides(l, points, NULL, 300, NULL, rides, &report, NULL));
    for (int i = 0; i < 300; i++) {
        double x = 0.0, y = 0.0, sum = 0.0;
        for (int k = 0; k < 3; k++) {
            wr_vec3 v = l->rest[l->elements[3 * rides[i].element + k]];
            x += (double)rides[i].weights[k] * v.x;
            y += (double)rides[i].weights[k] * v.y;
            sum += rides[i].weights[k];
        }
        CHECK_NEAR(x, points[i].x, 1e-5);
        CHECK_NEAR(y, points[i].y, 1e-5);
        CHECK_NEAR(sum, 1.0, 1e-5);
        assert_true(rides[i].weights[3] == points[i].z); // how high above the drawing
    }
    assert_true(report.outside > 0 && report.least_weight < 0.0); // the corners
    wr_lattice_destroy(l);
    free(p.pixels);
}

// A point that says of which part it is rides on that one, also where another is nearer.
static void points_ride_on_the_part_they_belong_to(void **state)
{
    (void)state;
    picture p = picture_create(120, 60);
    add_block(&p, 5, 5, 50, 55);
    add_block(&p, 60, 5, 115, 55);
    wr_lattice *l = mesh(&p, 200);
    assert_int_equal(l->report.parts, 2);
    wr_vec3 points[40];
    wr_ride rides[40];
    int parts[40];
    uint64_t seed = 3;
    for (int i = 0; i < 40; i++) {
        points[i] = wr_v3(random_float(&seed, 0.1f, 1.1f), random_float(&seed, 0.1f, 0.5f), 0);
        parts[i] = i % 2;
    }
    wr_ride_report report;
    assert_true(wr_lattice_find_rides(l, points, parts, 40, NULL, rides, &report, NULL));
    for (int i = 0; i < 40; i++) {
        assert_int_equal(l->vertex_parts[l->elements[3 * rides[i].element]], parts[i]);
    }
    assert_true(report.outside > 10 && report.largest_outside > 0.3);
    wr_lattice_destroy(l);
    free(p.pixels);
}

// Of more points than one block takes, of which the first lie outside: how many, and how far in the
// plane, whatever their heights are.
static void a_report_on_rides_is_of_all_points(void **state)
{
    (void)state;
    picture p = picture_create(100, 100);
    add_block(&p, 20, 20, 80, 80);
    wr_lattice *l = mesh(&p, 100);
    enum { POINTS = 700 };
    wr_vec3 points[POINTS];
    wr_ride rides[POINTS];
    for (int i = 0; i < POINTS; i++) {
        points[i] = i < 9 ? wr_v3(0.1f - 0.01f * (float)i, 0.5f, 3.0f)
                          : wr_v3(0.3f + 0.0005f * (float)i, 0.4f, -2.0f);
    }
    wr_ride_report report;
    assert_true(wr_lattice_find_rides(l, points, NULL, POINTS, NULL, rides, &report, NULL));
    assert_int_equal(report.outside, 9);
    CHECK_NEAR(report.largest_outside, 0.2 - 0.02, 0.003);
    wr_lattice_destroy(l);
    free(p.pixels);
}

static void the_unit_scales_everything(void **state)
{
    (void)state;
    picture p = picture_create(80, 80);
    add_ring(&p, 40, 40, 0, 30);
    wr_planar_desc desc = wr_planar_desc_default();
    desc.image = &p.image;
    desc.vertices = 150;
    wr_lattice *a = mesh_with(&desc);
    desc.metres_per_pixel = 2.56;
    wr_lattice *b = mesh_with(&desc);
    assert_int_equal(a->vertex_count, b->vertex_count);
    CHECK_NEAR(b->report.volume / a->report.volume, 65536.0, 1.0);
    wr_lattice_destroy(a);
    wr_lattice_destroy(b);
    free(p.pixels);
}

static void expect_failure(const picture *p, const char *words)
{
    wr_planar_desc desc = wr_planar_desc_default();
    desc.image = &p->image;
    wr_error error = {0};
    assert_null(wr_lattice_create_planar(&desc, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    if (!strstr(error.message, words)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    }
}

static void pictures_without_a_shape_are_refused_in_one_sentence(void **state)
{
    (void)state;
    picture p = picture_create(20, 20);
    expect_failure(&p, "transparent everywhere");
    set_alpha(&p, 7, 7, 1.0);
    expect_failure(&p, "too small");
    add_block(&p, 0, 0, 20, 20);
    expect_failure(&p, "opaque everywhere");
    free(p.pixels);
    p = picture_create(1, 1);
    expect_failure(&p, "has 1 x 1 pixels");
    add_block(&p, 0, 0, 1, 1);
    expect_failure(&p, "has 1 x 1 pixels");
    free(p.pixels);
}

static void random_pictures_give_sound_meshes(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int round = 0; round < 30; round++) {
        picture p = picture_create(40 + round, 50);
        for (int i = 0; i < 12; i++) {
            add_ring(&p, random_float(&seed, 5, 40), random_float(&seed, 0, 50),
                     random_float(&seed, -5, 5), random_float(&seed, 1, 12));
        }
        for (int i = 0; i < 200; i++) {
            set_alpha(&p, (int)(random_bits(&seed) % 40), (int)(random_bits(&seed) % 50),
                      random_float(&seed, 0, 1));
        }
        wr_lattice *l = mesh(&p, 100 + 40 * round);
        check_sound(l);
        wr_lattice_destroy(l);
        free(p.pixels);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    picture p = picture_create(30, 30);
    add_ring(&p, 15, 15, 4, 11);
    counting_heap heap = {0};
    wr_planar_desc desc = wr_planar_desc_default();
    desc.image = &p.image;
    desc.vertices = 60;
    desc.allocator = counting_allocator(&heap);
    wr_lattice *l = NULL;
    for (int budget = 0; !l && budget < 2000; budget++) {
        heap = (counting_heap){.budget = budget};
        wr_error error = {0};
        l = wr_lattice_create_planar(&desc, &error);
        if (!l) {
            assert_int_equal(error.code, WR_E_MEMORY);
            assert_int_equal(heap.alive, 0);
        }
    }
    assert_non_null(l);
    wr_lattice_destroy(l);
    assert_int_equal(heap.alive, 0);
    free(p.pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_outline_of_a_disc_is_a_circle_within_a_tenth_of_a_pixel),
        cmocka_unit_test(shapes_and_holes_are_loops_of_their_own_and_specks_are_dropped),
        cmocka_unit_test(shapes_at_the_border_and_checkerboards_are_closed),
        cmocka_unit_test(areas_are_those_of_the_shapes),
        cmocka_unit_test(the_number_of_vertices_is_within_a_tenth),
        cmocka_unit_test(a_gap_narrower_than_the_spacing_stays_open),
        cmocka_unit_test(separate_shapes_are_separate_parts),
        cmocka_unit_test(handles_lie_exactly_on_vertices),
        cmocka_unit_test(rides_reproduce_linear_functions),
        cmocka_unit_test(points_ride_on_the_part_they_belong_to),
        cmocka_unit_test(a_report_on_rides_is_of_all_points),
        cmocka_unit_test(the_unit_scales_everything),
        cmocka_unit_test(pictures_without_a_shape_are_refused_in_one_sentence),
        cmocka_unit_test(random_pictures_give_sound_meshes),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
