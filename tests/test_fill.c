// Promises of points that fill a model: inside, even up to the border, with true shares of the
// volume, graded as painted, the same for any number of threads.
#include "shape.h"

#include "wrought/fill.h"

#include "../src/geometry/winding.h"

static wr_fill_desc desc_of(const wr_mesh *mesh, int count, double spacing)
{
    wr_fill_desc desc = wr_fill_desc_default();
    desc.positions = mesh->positions;
    desc.vertex_count = mesh->vertex_count;
    desc.triangles = mesh->triangles;
    desc.triangle_count = mesh->triangle_count;
    desc.count = count;
    desc.spacing = spacing;
    return desc;
}

static wr_fill *fill_mesh(const wr_mesh *mesh, int count, double spacing)
{
    wr_fill_desc desc = desc_of(mesh, count, spacing);
    wr_error error = {0};
    wr_fill *fill = wr_fill_create(&desc, &error);
    if (!fill) {
        fail_msg("%s", error.message);
    }
    return fill;
}

static wr_vec3 place_of(const wr_fill *fill, const wr_mesh *mesh, int i)
{
    const int *t = &mesh->triangles[3 * fill->places[i].triangle];
    const float *w = fill->places[i].weights;
    wr_vec3 sum = wr_scale(w[0], mesh->positions[t[0]]);
    sum = wr_add(sum, wr_scale(w[1], mesh->positions[t[1]]));
    return wr_add(sum, wr_scale(w[2], mesh->positions[t[2]]));
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Distances in local spacings.
typedef struct evenness {
    double least, hundredth; // least distance to a neighbour, and that which 99 % exceed
    double mean, variation;  // of these distances, of points deeper than one spacing
    double least_depth;
} evenness;

static evenness measure(const wr_fill *fill, const wr_mesh *mesh)
{
    double *near = malloc((size_t)fill->count * sizeof *near), sum = 0.0, sum2 = 0.0;
    int deep = 0;
    evenness e = {.least_depth = INFINITY};
    for (int i = 0; i < fill->count; i++) {
        double s = fill->spacings[i];
        near[i] = INFINITY;
        for (int j = 0; j < fill->count; j++) {
            double d = (double)wr_distance(fill->positions[i], fill->positions[j]) / s;
            near[i] = j != i ? fmin(near[i], d) : near[i];
        }
        double depth = (double)wr_distance(place_of(fill, mesh, i), fill->positions[i]) / s;
        e.least_depth = fmin(e.least_depth, depth);
        if (depth > 1.0) {
            sum += near[i], sum2 += near[i] * near[i], deep++;
        }
    }
    e.mean = deep > 0 ? sum / deep : 0.0;
    e.variation = deep > 0 ? sqrt(sum2 / deep - e.mean * e.mean) / e.mean : 0.0;
    qsort(near, (size_t)fill->count, sizeof *near, compare_doubles);
    e.least = near[0];
    e.hundredth = near[fill->count / 100];
    free(near);
    return e;
}

static void check_inside(const wr_fill *fill, const wr_mesh *mesh)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_soup soup;
    assert_true(
        wri_soup_build(&soup, &arena, mesh->positions, mesh->triangles, mesh->triangle_count));
    for (int i = 0; i < fill->count; i++) {
        wr_vec3 p = fill->positions[i];
        double w = wri_winding(&soup, (double[3]){p.x, p.y, p.z}, INFINITY);
        assert_true(fabs(w) >= 0.45);
    }
    wri_arena_destroy(&arena);
}

static void check_volumes(const wr_fill *fill, double expected, double relative)
{
    double sum = 0.0;
    for (int i = 0; i < fill->count; i++) {
        assert_true(fill->volumes[i] > 0.0f);
        sum += (double)fill->volumes[i];
    }
    CHECK_NEAR(sum, fill->volume, 1e-6 * fill->volume);
    CHECK_NEAR(sum, expected, relative * expected);
}

// Everything that holds for a thick body.
static evenness check_fill(const wr_fill *fill, const wr_mesh *mesh, double volume_expected,
                           double relative)
{
    evenness e = measure(fill, mesh);
    check_inside(fill, mesh);
    check_volumes(fill, volume_expected, relative);
    assert_true(e.hundredth > 0.7);
    assert_true(e.least > 0.5);
    assert_true(e.least_depth > 0.3);
    assert_true(e.variation < 0.09);
    CHECK_NEAR(e.mean, 0.92, 0.03);
    assert_true(fill->far_volume < 1e-3 * fill->volume);
    return e;
}

// --- shapes -----------------------------------------------------------------------------------

// A ring around an oblique axis.
static shape torus(double outer, double inner, int n, wr_quat turn)
{
    shape s = shape_create();
    for (int i = 0; i < 2 * n * n; i++) {
        double a = PI * (i / n) / n, b = 2.0 * PI * (i % n) / n, r = outer + inner * cos(b);
        add_point(&s, wr_rotate(turn, wr_v3((float)(r * cos(a)), (float)(inner * sin(b)),
                                            (float)(r * sin(a)))));
    }
    for (int i = 0; i < 2 * n * n; i++) {
        int row = i / n * n, next = (row + n) % (2 * n * n), j = (i + 1) % n;
        add_quad(&s, i, row + j, next + j, next + i % n);
    }
    return s;
}

static wr_quat oblique(void)
{
    return wr_quat_from_axis_angle(wr_normalize(wr_v3(1.0f, 2.0f, 0.5f)), 0.9f);
}

static void turn_shape(shape *s, wr_quat turn, wr_vec3 by)
{
    for (int i = 0; i < s->mesh.vertex_count; i++) {
        s->mesh.positions[i] = wr_add(wr_rotate(turn, s->mesh.positions[i]), by);
    }
}

static void a_box_is_filled_evenly(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(-0.5f, -0.4f, -0.3f), wr_v3(0.5f, 0.4f, 0.3f));
    wr_fill *fill = fill_mesh(&s.mesh, 2000, 0.0);
    CHECK_NEAR(fill->count, 2000, 20);
    CHECK_NEAR(fill->spacing, cbrt(0.48 / 2000), 1e-6);
    check_fill(fill, &s.mesh, 0.48, 1e-6);
    wr_fill_destroy(fill);
    shape_destroy(&s);
}

static void a_ball_is_filled_evenly(void **state)
{
    (void)state;
    shape s = round_shape(0.1, 0.0, 40);
    wr_fill *fill = fill_mesh(&s.mesh, 0, 0.01);
    double expected = volume(&s.mesh);
    CHECK_NEAR(fill->count, expected / 1e-6, 0.02 * expected / 1e-6);
    check_fill(fill, &s.mesh, expected, 1e-5);
    wr_fill_destroy(fill);
    shape_destroy(&s);
}

static void an_oblique_ring_is_filled_evenly(void **state)
{
    (void)state;
    shape s = torus(1.0, 0.4, 24, oblique());
    wr_fill *fill = fill_mesh(&s.mesh, 3000, 0.0);
    CHECK_NEAR(fill->count, 3000, 30);
    check_fill(fill, &s.mesh, volume(&s.mesh), 1e-5);
    wr_fill_destroy(fill);
    shape_destroy(&s);
}

// The overlap of two boxes is counted once.
static void overlapping_shells_are_one_body(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 1.0f));
    add_box(&s, wr_v3(0.6f, 0.1f, 0.1f), wr_v3(1.7f, 0.9f, 0.9f));
    double expected = 1.0 + 0.64 * 0.7;
    wr_fill *fill = fill_mesh(&s.mesh, 0, 0.08);
    check_volumes(fill, expected, 0.01);
    check_inside(fill, &s.mesh);
    CHECK_NEAR(fill->count, expected / 0.000512, 0.03 * expected / 0.000512);
    evenness e = measure(fill, &s.mesh);
    assert_true(e.hundredth > 0.7);
    wr_fill_destroy(fill);
    shape_destroy(&s);
}

static void separate_shells_and_cavities_have_their_volume(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 1.0f));
    add_box(&s, wr_v3(2.0f, 0.0f, 0.0f), wr_v3(2.5f, 0.5f, 0.5f));
    int first = s.mesh.triangle_count;
    add_box(&s, wr_v3(0.35f, 0.35f, 0.35f), wr_v3(0.65f, 0.65f, 0.65f));
    for (int t = first; t < s.mesh.triangle_count; t++) { // a cavity
        int swap = s.mesh.triangles[3 * t];
        s.mesh.triangles[3 * t] = s.mesh.triangles[3 * t + 1];
        s.mesh.triangles[3 * t + 1] = swap;
    }
    wr_fill *fill = fill_mesh(&s.mesh, 2500, 0.0);
    check_volumes(fill, 1.0 + 0.125 - 0.027, 1e-5);
    check_inside(fill, &s.mesh);
    for (int i = 0; i < fill->count; i++) {
        wr_vec3 p = wr_sub(fill->positions[i], wr_v3(0.5f, 0.5f, 0.5f));
        assert_false(fabsf(p.x) < 0.15f && fabsf(p.y) < 0.15f && fabsf(p.z) < 0.15f);
    }
    wr_fill_destroy(fill);
    shape_destroy(&s);
}

static void inside_out_is_the_same(void **state)
{
    (void)state;
    shape s = round_shape(0.3, 0.4, 20);
    double expected = volume(&s.mesh);
    for (int t = 0; t < s.mesh.triangle_count; t++) {
        int swap = s.mesh.triangles[3 * t];
        s.mesh.triangles[3 * t] = s.mesh.triangles[3 * t + 1];
        s.mesh.triangles[3 * t + 1] = swap;
    }
    wr_fill *fill = fill_mesh(&s.mesh, 1500, 0.0);
    check_fill(fill, &s.mesh, expected, 1e-5);
    wr_fill_destroy(fill);
    shape_destroy(&s);
}

// The inside of a mesh in the box from -1 to 1, by random places.
static double sampled_volume(const wr_mesh *mesh)
{
    enum { PLACES = 40000 };
    wri_arena arena = wri_arena_create(NULL);
    wri_soup soup;
    uint64_t seed = 9;
    int inside = 0;
    assert_true(
        wri_soup_build(&soup, &arena, mesh->positions, mesh->triangles, mesh->triangle_count));
    for (int i = 0; i < PLACES; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = random_float(&seed, -1.0f, 1.0f);
        }
        inside += wri_winding(&soup, p, WRI_WINDING_ACCURACY) >= 0.5;
    }
    wri_arena_destroy(&arena);
    return 8.0 * inside / PLACES;
}

// A ball without its cap, or cut nearly in half, is closed where the winding number is one half.
static void holes_are_closed(void **state)
{
    (void)state;
    const float heights[] = {0.9f, 0.15f};
    for (int k = 0; k < 2; k++) {
        shape s = round_shape(1.0, 0.0, 32);
        int kept = 0;
        for (int t = 0; t < s.mesh.triangle_count; t++) {
            int *v = &s.mesh.triangles[3 * t];
            if (s.mesh.positions[v[0]].y < heights[k] || s.mesh.positions[v[1]].y < heights[k]) {
                memmove(&s.mesh.triangles[3 * kept++], v, 3 * sizeof *v);
            }
        }
        assert_true(kept < s.mesh.triangle_count);
        s.mesh.triangle_count = kept;
        wr_fill *fill = fill_mesh(&s.mesh, 3000, 0.0);
        check_volumes(fill, sampled_volume(&s.mesh), 0.015);
        check_inside(fill, &s.mesh);
        CHECK_NEAR(fill->count, 3000, 60);
        evenness e = measure(fill, &s.mesh);
        assert_true(e.hundredth > 0.7 && e.variation < 0.09);
        wr_fill_destroy(fill);
        shape_destroy(&s);
    }
}

// --- invariance -------------------------------------------------------------------------------

static void place_size_and_turn_hardly_change_the_count(void **state)
{
    (void)state;
    shape s = round_shape(0.5, 0.7, 16), t = round_shape(0.5, 0.7, 16);
    wr_fill *fill = fill_mesh(&s.mesh, 0, 0.08);
    turn_shape(&t, oblique(), wr_v3(100.0f, -50.0f, 30.0f));
    wr_fill *turned = fill_mesh(&t.mesh, 0, 0.08);
    CHECK_NEAR(turned->count, fill->count, 0.01 * fill->count);
    check_fill(turned, &t.mesh, fill->volume, 1e-4);
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        s.mesh.positions[i] = wr_scale(1e-3f, s.mesh.positions[i]);
    }
    wr_fill *small = fill_mesh(&s.mesh, 0, 0.08e-3);
    CHECK_NEAR(small->count, fill->count, 0.01 * fill->count);
    CHECK_NEAR(small->volume, 1e-9 * fill->volume, 1e-14 * fill->volume);
    wr_fill_destroy(fill);
    wr_fill_destroy(turned);
    wr_fill_destroy(small);
    shape_destroy(&s);
    shape_destroy(&t);
}

static void check_same(const wr_fill *a, const wr_fill *b)
{
    assert_int_equal(a->count, b->count);
    size_t count = (size_t)a->count;
    assert_memory_equal(a->positions, b->positions, count * sizeof *a->positions);
    assert_memory_equal(a->volumes, b->volumes, count * sizeof *a->volumes);
    assert_memory_equal(a->places, b->places, count * sizeof *a->places);
    assert_memory_equal(&a->far_volume, &b->far_volume, sizeof a->far_volume);
}

static void threads_and_order_of_blocks_do_not_matter(void **state)
{
    (void)state;
    shape s = torus(1.0, 0.3, 16, oblique());
    float *factors = malloc((size_t)s.mesh.vertex_count * sizeof *factors);
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        factors[i] = 1.0f + 0.5f * s.mesh.positions[i].x;
    }
    wr_fill_desc desc = desc_of(&s.mesh, 1200, 0.0);
    desc.factors = factors;
    wr_fill *one = wr_fill_create(&desc, NULL);
    assert_non_null(one);
    for (int i = 0; i < 3; i++) {
        wri_test_block_shuffle = i < 2 ? 0 : 5;
        desc.tasks = wr_tasks_openmp(i == 0 ? 1 : 2);
        wr_fill *other = wr_fill_create(&desc, NULL);
        wri_test_block_shuffle = 0;
        assert_non_null(other);
        check_same(one, other);
        wr_fill_destroy(other);
    }
    wr_fill_destroy(one);
    free(factors);
    shape_destroy(&s);
}

// --- shares, thin parts, paint ----------------------------------------------------------------

// The mean share of the points near a corner is that of the cells of a box: their own part of the
// inside, by comparing many random places with all points.
static void shares_are_voronoi_cells(void **state)
{
    (void)state;
    enum { PLACES = 400000 };
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 1.0f));
    wr_fill *fill = fill_mesh(&s.mesh, 200, 0.0);
    double *found = calloc((size_t)fill->count, sizeof *found);
    uint64_t seed = 3;
    for (int i = 0; i < PLACES; i++) {
        wr_vec3 p =
            wr_v3(random_float(&seed, 0, 1), random_float(&seed, 0, 1), random_float(&seed, 0, 1));
        int best = 0;
        float least = INFINITY;
        for (int j = 0; j < fill->count; j++) {
            wr_vec3 d = wr_sub(fill->positions[j], p);
            float d2 = wr_dot(d, d);
            best = d2 < least ? j : best;
            least = d2 < least ? d2 : least;
        }
        found[best] += 1.0 / PLACES;
    }
    double sum2 = 0.0;
    for (int i = 0; i < fill->count; i++) {
        double error = (double)fill->volumes[i] / found[i] - 1.0;
        assert_true(fabs(error) < 0.12);
        sum2 += error * error;
    }
    assert_true(sqrt(sum2 / fill->count) < 0.045); // 2.2 % of it are of the random places
    free(found);
    wr_fill_destroy(fill);
    shape_destroy(&s);
}

static void a_thin_sheet_has_one_layer_in_its_middle(void **state)
{
    (void)state;
    const float thickness[] = {0.4f, 0.6f, 0.9f}; // spacings
    for (int k = 0; k < 3; k++) {
        shape s = shape_create();
        float t = 0.05f * thickness[k];
        add_box(&s, wr_v3(-0.5f, -0.5f, 0.013f), wr_v3(0.5f, 0.5f, 0.013f + t));
        turn_shape(&s, oblique(), wr_v3(0.0f, 0.0f, 0.0f));
        wr_fill *fill = fill_mesh(&s.mesh, 0, 0.05);
        check_volumes(fill, t, 1e-4);
        check_inside(fill, &s.mesh);
        assert_true(fill->count > 250 && fill->count < 520); // 400 in a square of spacings
        evenness e = measure(fill, &s.mesh);
        assert_true(e.least_depth > 0.3 * (double)thickness[k]);
        assert_true(fill->far_volume < 0.01 * fill->volume);
        assert_true(e.hundredth > 0.5);
        wr_fill_destroy(fill);
        shape_destroy(&s);
    }
}

// Cells reach across the narrow gaps of a comb; their centres are in the gaps.
static void nobody_is_between_two_teeth(void **state)
{
    (void)state;
    shape s = shape_create();
    for (int i = 0; i < 8; i++) {
        float z = 0.07f * (float)i;
        add_box(&s, wr_v3(0.0f, 0.0f, z), wr_v3(1.0f, 1.0f, z + 0.04f));
    }
    wr_fill *fill = fill_mesh(&s.mesh, 0, 0.1);
    check_volumes(fill, 0.32, 1e-4);
    check_inside(fill, &s.mesh);
    wr_fill_destroy(fill);
    shape_destroy(&s);
}

static int compare_y(const void *a, const void *b)
{
    float x = ((const wr_vec3 *)a)->y, y = ((const wr_vec3 *)b)->y;
    return (x > y) - (x < y);
}

static void a_thread_has_a_line_of_points(void **state)
{
    (void)state;
    shape s = prism(0.02, 1.0, 16);
    wr_fill *fill = fill_mesh(&s.mesh, 0, 0.08); // of volume it has two cubes
    qsort(fill->positions, (size_t)fill->count, sizeof(wr_vec3), compare_y);
    assert_true(fill->count >= 10 && fill->count <= 18);
    for (int i = 0; i + 1 < fill->count; i++) {
        float gap = fill->positions[i + 1].y - fill->positions[i].y;
        assert_true(gap > 0.04f && gap < 0.12f);
        assert_true(fabsf(fill->positions[i].x) < 0.004f && fabsf(fill->positions[i].z) < 0.004f);
    }
    wr_fill_destroy(fill);
    shape_destroy(&s);
}

static void too_thin_for_points_is_said(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 1.0f));
    wr_fill *fill = fill_mesh(&s.mesh, 0, 0.1);
    CHECK_NEAR(fill->area, 6.0, 1e-6);
    CHECK_NEAR(fill->far_area, 0.0, 0.0);
    wr_fill_destroy(fill);
    add_box(&s, wr_v3(2.0f, 0.013f, 0.013f), wr_v3(4.0f, 0.0135f, 0.513f)); // 0.005 of a spacing
    fill = fill_mesh(&s.mesh, 0, 0.1);
    CHECK_NEAR(fill->count, 1000, 50);
    CHECK_NEAR(fill->area, 8.0, 0.01);
    CHECK_NEAR(fill->far_area, 2.0, 0.01);
    wr_fill_destroy(fill);
    shape_destroy(&s);
}

// It would get twenty times as many points as are wished for, and take minutes.
static void a_model_too_thin_as_a_whole_is_refused_at_once(void **state)
{
    (void)state;
    const float thickness[] = {1e-5f, 1e-4f, 0.004f}; // 0.004: 0.05 of a spacing
    for (int k = 0; k < 3; k++) {
        shape s = shape_create();
        add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, thickness[k]));
        wr_fill_desc d = wr_fill_desc_default();
        d.positions = s.mesh.positions;
        d.vertex_count = s.mesh.vertex_count;
        d.triangles = s.mesh.triangles;
        d.triangle_count = s.mesh.triangle_count;
        d.count = k < 2 ? 3000 : 0;
        d.spacing = k < 2 ? 0.0 : 0.081;
        wr_error error = {0};
        assert_null(wr_fill_create(&d, &error));
        assert_int_equal(error.code, WR_E_ARGUMENT);
        assert_non_null(strstr(error.message, " m thick in the mean, expected at least "));
        shape_destroy(&s);
    }
}

// A cube and a slab that is too thin for points, in the sizes 1 and 10.
static void a_larger_model_is_larger_in_every_number(void **state)
{
    (void)state;
    wr_fill *fills[2];
    for (int k = 0; k < 2; k++) {
        float size = k ? 10.0f : 1.0f;
        shape s = shape_create();
        add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(size, size, size));
        add_box(&s, wr_v3(2.0f * size, 0.013f * size, 0.013f * size),
                wr_v3(4.0f * size, 0.05f * size, 0.513f * size));
        fills[k] = fill_mesh(&s.mesh, 0, 0.4 * (double)size);
        shape_destroy(&s);
    }
    const wr_fill *one = fills[0], *ten = fills[1];
    assert_int_equal(one->count, ten->count);
    CHECK_NEAR(ten->area, 100.0 * one->area, 1e-4 * ten->area);
    CHECK_NEAR(ten->far_area, 100.0 * one->far_area, 1e-4 * ten->area);
    CHECK_NEAR(ten->spacing, 10.0 * one->spacing, 1e-4 * ten->spacing);
    CHECK_NEAR(ten->volume, 1000.0 * one->volume, 1e-4 * ten->volume);
    CHECK_NEAR(ten->far_volume, 1000.0 * one->far_volume, 1e-3 * ten->far_volume);
    assert_true(one->far_volume > 1e-3 * one->volume);
    for (int i = 0; i < one->count; i++) {
        CHECK_NEAR(ten->spacings[i], 10.0f * one->spacings[i], 1e-3f * ten->spacings[i]);
        CHECK_NEAR(ten->volumes[i], 1000.0f * one->volumes[i], 1e-3f * ten->volumes[i]);
        CHECK_NEAR(wr_distance(ten->positions[i], wr_scale(10.0f, one->positions[i])), 0.0, 1e-3);
    }
    wr_fill_destroy(fills[0]);
    wr_fill_destroy(fills[1]);
}

// A bar along x from 0 to 6, of square rings.
static shape bar(void)
{
    enum { RINGS = 25 };
    shape s = shape_create();
    for (int i = 0; i < RINGS; i++) {
        for (int k = 0; k < 4; k++) {
            add_point(&s, wr_v3(0.25f * (float)i, k == 1 || k == 2, k >= 2));
        }
    }
    for (int i = 0; i + 1 < RINGS; i++) {
        for (int k = 0; k < 4; k++) {
            int j = (k + 1) % 4, a = 4 * i;
            add_quad(&s, a + k, a + 4 + k, a + 4 + j, a + j);
        }
    }
    add_quad(&s, 0, 1, 2, 3);
    add_quad(&s, 4 * RINGS - 1, 4 * RINGS - 2, 4 * RINGS - 3, 4 * RINGS - 4);
    return s;
}

// Painted from 1 to 4 along its length, a bar has everywhere the spacing of the paint.
static void paint_grades_the_spacing(void **state)
{
    (void)state;
    shape s = bar();
    float *factors = malloc((size_t)s.mesh.vertex_count * sizeof *factors);
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        factors[i] = 1.0f + 0.5f * s.mesh.positions[i].x;
    }
    wr_fill_desc desc = desc_of(&s.mesh, 0, 0.08);
    desc.factors = factors;
    wr_fill *fill = wr_fill_create(&desc, NULL);
    assert_non_null(fill);
    evenness e = measure(fill, &s.mesh);
    assert_true(e.hundredth > 0.7);
    assert_true(e.variation < 0.09);
    double sums[6] = {0};
    int counts[6] = {0};
    for (int i = 0; i < fill->count; i++) {
        float x = fill->positions[i].x, wish = 0.08f * (1.0f + 0.5f * x);
        assert_true(fill->spacings[i] < 1.03f * wish); // less near the fine end
        wish = fill->spacings[i];
        sums[(int)x] += (double)(fill->volumes[i] / (wish * wish * wish));
        counts[(int)x]++;
    }
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(sums[k] / counts[k], 1.0, 0.1);
    }
    assert_true(counts[0] > 15 * counts[5]); // (3.75 / 1.25)^3 = 27 in the middle of each
    wr_fill_destroy(fill);
    free(factors);
    shape_destroy(&s);
}

// A step of paint by a factor of 30 becomes a slope of 0.3 and a factor of 4.
static void steps_of_paint_become_slopes(void **state)
{
    (void)state;
    shape s = bar();
    float *factors = malloc((size_t)s.mesh.vertex_count * sizeof *factors);
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        factors[i] = s.mesh.positions[i].x < 2.0f ? 1.0f : 30.0f;
    }
    wr_fill_desc desc = desc_of(&s.mesh, 0, 0.08);
    desc.factors = factors;
    wr_fill *fill = wr_fill_create(&desc, NULL);
    assert_non_null(fill);
    float most = 0.0f;
    for (int i = 0; i < fill->count; i++) {
        float x = fill->positions[i].x;
        assert_true(fill->spacings[i] < 0.085f + 0.31f * fmaxf(x - 1.6f, 0.0f));
        most = fmaxf(most, fill->spacings[i]);
    }
    CHECK_NEAR(most, 0.32, 0.001);
    assert_true(measure(fill, &s.mesh).hundredth > 0.65);
    wr_fill_destroy(fill);
    free(factors);
    shape_destroy(&s);
}

// --- errors -----------------------------------------------------------------------------------

static void check_error(const wr_fill_desc *desc, wr_code code, const char *message)
{
    wr_error error = {0};
    assert_null(wr_fill_create(desc, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(error.code, code);
}

static void bad_wishes_are_named(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 1.0f));
    wr_fill_desc d = desc_of(&s.mesh, 0, 0.0);
    check_error(&d, WR_E_ARGUMENT, "count and spacing: 0 and 0 m, expected one of them");
    d.count = 10, d.spacing = 0.1;
    check_error(&d, WR_E_ARGUMENT, "count and spacing: 10 and 0.1 m, expected one of them");
    d.count = 3, d.spacing = 0.0;
    check_error(&d, WR_E_ARGUMENT, "count: 3, expected at least 4 points");
    d.count = -3;
    check_error(&d, WR_E_ARGUMENT, "count: -3, expected at least 4 points");
    d.count = 10000000;
    check_error(&d, WR_E_LIMIT, "count: 10000000, expected at most 2000000 points");
    d.count = 0, d.spacing = -1.0;
    check_error(&d, WR_E_ARGUMENT, "spacing: -1 m, expected a positive number");
    d.spacing = NAN;
    check_error(&d, WR_E_ARGUMENT, "spacing: nan m, expected a positive number");
    d.spacing = 0.001;
    check_error(&d, WR_E_LIMIT,
                "spacing: 0.001 m makes 1000000000 points, expected at most 2000000");
    d.spacing = 0.9;
    check_error(&d, WR_E_ARGUMENT,
                "spacing: 0.9 m makes 1 point of the model's 1 m^3, expected at least 4");
    d.cookie = 0;
    check_error(&d, WR_E_ARGUMENT, "desc->cookie is not set: start from wr_fill_desc_default()");
    shape_destroy(&s);
}

static void bad_models_are_named(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 0.0f));
    wr_fill_desc d = desc_of(&s.mesh, 100, 0.0);
    check_error(&d, WR_E_ARGUMENT, "the model of 12 triangles encloses no volume");
    d.triangle_count = 1;
    check_error(&d, WR_E_ARGUMENT, "the model of 1 triangle encloses no volume");
    d.triangle_count = 0;
    check_error(&d, WR_E_ARGUMENT, "the model of 0 triangles encloses no volume");
    d.triangle_count = 12;
    s.mesh.positions[5].y = INFINITY;
    check_error(&d, WR_E_ARGUMENT, "positions[5]: not finite");
    s.mesh.positions[5].y = 0.0f;
    s.mesh.triangles[4] = 99;
    check_error(&d, WR_E_ARGUMENT, "triangles[1]: vertex 99 of 8");
    s.mesh.triangles[4] = 0;
    const float factors[8] = {1, 1, 1, 0, 1, 1, 1, 1};
    d.factors = factors;
    check_error(&d, WR_E_ARGUMENT, "factors[3]: 0, expected a number in (0, 1000]");
    d.positions = NULL;
    check_error(&d, WR_E_ARGUMENT, "desc->positions is NULL, but desc->vertex_count is 8");
    shape_destroy(&s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 0.1f)); // thin: points are added
    float factors[8];
    for (int i = 0; i < 8; i++) {
        factors[i] = 1.0f + s.mesh.positions[i].x;
    }
    for (int budget = 0;; budget++) {
        counting_heap heap = {.budget = budget};
        wr_fill_desc desc = desc_of(&s.mesh, 0, 0.15);
        desc.factors = factors;
        desc.allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_fill *fill = wr_fill_create(&desc, &error);
        bool done = fill != NULL;
        assert_int_equal(error.code, done ? WR_OK : WR_E_MEMORY);
        wr_fill_destroy(fill);
        assert_int_equal(heap.alive, 0);
        if (done) {
            assert_true(budget > 10);
            break;
        }
    }
    shape_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_filled_evenly),
        cmocka_unit_test(a_ball_is_filled_evenly),
        cmocka_unit_test(an_oblique_ring_is_filled_evenly),
        cmocka_unit_test(overlapping_shells_are_one_body),
        cmocka_unit_test(separate_shells_and_cavities_have_their_volume),
        cmocka_unit_test(inside_out_is_the_same),
        cmocka_unit_test(holes_are_closed),
        cmocka_unit_test(place_size_and_turn_hardly_change_the_count),
        cmocka_unit_test(threads_and_order_of_blocks_do_not_matter),
        cmocka_unit_test(shares_are_voronoi_cells),
        cmocka_unit_test(a_thin_sheet_has_one_layer_in_its_middle),
        cmocka_unit_test(nobody_is_between_two_teeth),
        cmocka_unit_test(a_thread_has_a_line_of_points),
        cmocka_unit_test(too_thin_for_points_is_said),
        cmocka_unit_test(a_model_too_thin_as_a_whole_is_refused_at_once),
        cmocka_unit_test(a_larger_model_is_larger_in_every_number),
        cmocka_unit_test(paint_grades_the_spacing),
        cmocka_unit_test(steps_of_paint_become_slopes),
        cmocka_unit_test(bad_wishes_are_named),
        cmocka_unit_test(bad_models_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
