// test_winding.c: promises of the generalised winding number and of nearest points.
#include "shape.h"

#include "../src/geometry/winding.h"

typedef struct asked {
    wri_arena arena;
    wri_soup soup;
} asked;

static asked ask(const wr_mesh *mesh)
{
    asked a = {.arena = wri_arena_create(NULL)};
    assert_true(
        wri_soup_build(&a.soup, &a.arena, mesh->positions, mesh->triangles, mesh->triangle_count));
    return a;
}

static double winding(const asked *a, double x, double y, double z, double accuracy)
{
    return wri_winding(&a->soup, (double[3]){x, y, z}, accuracy);
}

static void a_sphere_is_one_inside_and_zero_outside(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.0, 40);
    asked a = ask(&s.mesh);
    uint64_t seed = 7;
    for (int i = 0; i < 400; i++) {
        double p[3], r = 0.0;
        for (int k = 0; k < 3; k++) {
            p[k] = random_float(&seed, -2.0f, 2.0f);
            r += p[k] * p[k];
        }
        if (fabs(sqrt(r) - 1.0) > 0.02) { // the sphere has facets
            CHECK_NEAR(winding(&a, p[0], p[1], p[2], INFINITY), r < 1.0, 1e-9);
            CHECK_NEAR(winding(&a, p[0], p[1], p[2], WRI_WINDING_ACCURACY), r < 1.0, 0.02);
        }
    }
    wri_arena_destroy(&a.arena);
    for (int i = 0; i < s.mesh.triangle_count; i++) { // inside out
        int *t = &s.mesh.triangles[3 * i], swap = t[1];
        t[1] = t[2], t[2] = swap;
    }
    a = ask(&s.mesh);
    CHECK_NEAR(winding(&a, 0.1, 0.2, 0.3, WRI_WINDING_ACCURACY), -1.0, 0.02);
    wri_arena_destroy(&a.arena);
    shape_destroy(&s);
}

static void the_far_field_is_near_the_exact_sum_and_gets_nearer(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 1.0, 40);
    s.mesh.triangle_count -= s.mesh.triangle_count / 5; // open
    asked a = ask(&s.mesh);
    uint64_t seed = 3;
    double worst[3] = {0}, accuracies[3] = {1.5, WRI_WINDING_ACCURACY, 6.0};
    for (int i = 0; i < 500; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = random_float(&seed, -2.0f, 2.0f);
        }
        double exact = winding(&a, p[0], p[1], p[2], INFINITY);
        for (int k = 0; k < 3; k++) {
            worst[k] = fmax(worst[k], fabs(winding(&a, p[0], p[1], p[2], accuracies[k]) - exact));
        }
    }
    assert_true(worst[0] < 0.2 && worst[1] < 0.02 && worst[2] < 0.002);
    assert_true(worst[2] < worst[1] && worst[1] < worst[0]);
    wri_arena_destroy(&a.arena);
    shape_destroy(&s);
}

// Of a soup without any symmetry, seen as one node: two terms of the series leave the third.
static void what_the_far_field_leaves_out_falls_with_the_fourth_power(void **state)
{
    (void)state;
    shape s = shape_create();
    uint64_t seed = 17;
    for (int i = 0; i < 40; i++) {
        int corners[3];
        for (int k = 0; k < 3; k++) {
            float x = random_float(&seed, -1, 2), y = random_float(&seed, -3, 1);
            corners[k] = add_point(&s, wr_v3(x, y + x, random_float(&seed, -1, 1) + 0.5f * x));
        }
        add_triangle(&s, corners[0], corners[1], corners[2]);
    }
    asked a = ask(&s.mesh);
    double worst[2] = {0};
    for (int i = 0; i < 100; i++) {
        double d[3], r = 0.0;
        for (int k = 0; k < 3; k++) {
            d[k] = random_float(&seed, -1, 1);
            r += d[k] * d[k];
        }
        for (int k = 0; k < 2; k++) {
            double far = (k ? 400.0 : 200.0) / sqrt(r);
            double exact = winding(&a, far * d[0], far * d[1], far * d[2], INFINITY);
            double near = winding(&a, far * d[0], far * d[1], far * d[2], 1.0);
            worst[k] = fmax(worst[k], fabs(near - exact));
        }
    }
    CHECK_NEAR(worst[0] / worst[1], 16.0, 1.0);
    wri_arena_destroy(&a.arena);
    shape_destroy(&s);
}

// A square seen from its middle line: a closed form of the solid angle.
static void an_open_square_has_the_solid_angle_of_the_closed_form(void **state)
{
    (void)state;
    shape s = shape_create();
    int a = add_point(&s, wr_v3(-1, -1, 0)), b = add_point(&s, wr_v3(1, -1, 0));
    int c = add_point(&s, wr_v3(1, 1, 0)), d = add_point(&s, wr_v3(-1, 1, 0));
    add_quad(&s, a, b, c, d);
    asked q = ask(&s.mesh);
    for (double h = 0.01; h < 20.0; h *= 2.0) {
        double angle = 4.0 * asin(1.0 / (1.0 + h * h));
        CHECK_NEAR(winding(&q, 0, 0, -h, INFINITY), angle / (4.0 * PI), 1e-9);
        CHECK_NEAR(winding(&q, 0, 0, h, INFINITY), -angle / (4.0 * PI), 1e-9);
    }
    wri_arena_destroy(&q.arena);
    shape_destroy(&s);
}

static void overlaps_count_twice_and_cavities_not_at_all(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(-1, -1, -1), wr_v3(1, 1, 1));
    add_box(&s, wr_v3(0, 0, 0), wr_v3(2, 2, 2)); // crosses the first
    int first = s.mesh.triangle_count;
    add_box(&s, wr_v3(-0.8f, -0.8f, -0.8f), wr_v3(-0.4f, -0.4f, -0.4f));
    for (int i = first; i < s.mesh.triangle_count; i++) {
        int *t = &s.mesh.triangles[3 * i], swap = t[1];
        t[1] = t[2], t[2] = swap;
    }
    asked a = ask(&s.mesh);
    CHECK_NEAR(winding(&a, 0.5, 0.5, 0.5, WRI_WINDING_ACCURACY), 2.0, 0.02);
    CHECK_NEAR(winding(&a, 1.5, 1.5, 1.5, WRI_WINDING_ACCURACY), 1.0, 0.02);
    CHECK_NEAR(winding(&a, -0.6, -0.6, -0.6, WRI_WINDING_ACCURACY), 0.0, 0.02);
    CHECK_NEAR(winding(&a, -0.2, -0.2, -0.2, WRI_WINDING_ACCURACY), 1.0, 0.02);
    CHECK_NEAR(winding(&a, 3.0, 0.0, 0.0, WRI_WINDING_ACCURACY), 0.0, 0.02);
    wri_arena_destroy(&a.arena);
    shape_destroy(&s);
}

static void size_does_not_matter(void **state)
{
    (void)state;
    for (int e = -30; e <= 30; e += 15) {
        shape s = round_shape(1.0, 0.0, 20);
        float scale = powf(10.0f, (float)e);
        for (int i = 0; i < s.mesh.vertex_count; i++) {
            s.mesh.positions[i] = wr_scale(scale, s.mesh.positions[i]);
        }
        asked a = ask(&s.mesh);
        double k = pow(10.0, e);
        CHECK_NEAR(winding(&a, 0.3 * k, -0.2 * k, 0.5 * k, WRI_WINDING_ACCURACY), 1.0, 0.02);
        CHECK_NEAR(winding(&a, 3.0 * k, 0, 0, WRI_WINDING_ACCURACY), 0.0, 0.02);
        wri_arena_destroy(&a.arena);
        shape_destroy(&s);
    }
}

static void degenerate_triangles_and_points_on_the_surface_are_finite(void **state)
{
    (void)state;
    shape s = shape_create();
    int a = add_point(&s, wr_v3(0, 0, 0)), b = add_point(&s, wr_v3(1, 0, 0));
    int c = add_point(&s, wr_v3(2, 0, 0)), d = add_point(&s, wr_v3(0, 1, 0));
    add_triangle(&s, a, a, a);
    add_triangle(&s, a, b, c);
    add_triangle(&s, a, a, b);
    add_triangle(&s, a, b, d);
    asked q = ask(&s.mesh);
    const double points[][3] = {{0, 0, 0}, {0.5, 0, 0}, {0.2, 0.2, 0}, {1, 1, 1}, {-1, 0, 0}};
    for (int i = 0; i < 5; i++) {
        assert_true(isfinite(wri_winding(&q.soup, points[i], INFINITY)));
        wri_soup_point n = wri_soup_nearest(&q.soup, points[i]);
        assert_true(n.triangle >= 0 && isfinite(n.distance2) && isfinite(n.point[0]));
    }
    wri_arena_destroy(&q.arena);
    shape_destroy(&s);
}

static void the_nearest_point_is_that_of_trying_all(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.5, 12);
    asked a = ask(&s.mesh);
    uint64_t seed = 11;
    for (int i = 0; i < 200; i++) {
        double p[3], c[3][3], n[3], best = INFINITY;
        for (int k = 0; k < 3; k++) {
            p[k] = random_float(&seed, -2.0f, 2.0f);
        }
        for (int t = 0; t < s.mesh.triangle_count; t++) {
            wri_soup_corners(&a.soup, t, c);
            for (int x = 0; x <= 20; x++) { // an upper bound by sampling
                for (int y = 0; x + y <= 20; y++) {
                    double d2 = 0.0;
                    for (int k = 0; k < 3; k++) {
                        n[k] = (c[0][k] * x + c[1][k] * y + c[2][k] * (20 - x - y)) / 20.0 - p[k];
                        d2 += n[k] * n[k];
                    }
                    best = fmin(best, d2);
                }
            }
        }
        double found = sqrt(wri_soup_nearest(&a.soup, p).distance2);
        assert_true(found <= sqrt(best) + 1e-9);
        CHECK_NEAR(found, sqrt(best), 0.02);
    }
    wri_arena_destroy(&a.arena);
    shape_destroy(&s);
}

static void threads_do_not_change_the_numbers(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static double points[3 * COUNT];
    static float one[COUNT], many[COUNT];
    shape s = round_shape(1.0, 0.0, 20);
    asked a = ask(&s.mesh);
    uint64_t seed = 5;
    for (int i = 0; i < 3 * COUNT; i++) {
        points[i] = random_float(&seed, -1.5f, 1.5f);
    }
    wri_winding_many(&a.soup, points, COUNT, WRI_WINDING_ACCURACY, NULL, one);
    for (int workers = 1; workers <= 4; workers++) {
        wr_tasks tasks = wr_tasks_openmp(workers);
        wri_winding_many(&a.soup, points, COUNT, WRI_WINDING_ACCURACY, &tasks, many);
        assert_memory_equal(one, many, sizeof one);
    }
    wri_arena_destroy(&a.arena);
    shape_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_is_one_inside_and_zero_outside),
        cmocka_unit_test(the_far_field_is_near_the_exact_sum_and_gets_nearer),
        cmocka_unit_test(what_the_far_field_leaves_out_falls_with_the_fourth_power),
        cmocka_unit_test(an_open_square_has_the_solid_angle_of_the_closed_form),
        cmocka_unit_test(overlaps_count_twice_and_cavities_not_at_all),
        cmocka_unit_test(size_does_not_matter),
        cmocka_unit_test(degenerate_triangles_and_points_on_the_surface_are_finite),
        cmocka_unit_test(the_nearest_point_is_that_of_trying_all),
        cmocka_unit_test(threads_do_not_change_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
