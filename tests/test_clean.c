// test_clean.c: promises of wr_mesh_inspect and wr_mesh_clean.
#include "shape.h"

#include "../src/base/os.h"
#include "../src/geometry/topology.h"
#include "wrought/file.h"

static const wr_color WHITE = {1.0f, 1.0f, 1.0f, 1.0f};

// --- helpers ----------------------------------------------------------------------------------

static wr_mesh_report inspect(const wr_mesh *mesh)
{
    wr_mesh_report report;
    wr_error error = {0};
    if (!wr_mesh_inspect(mesh, NULL, &report, &error)) {
        fail_msg("%s", error.message);
    }
    return report;
}

static wr_model *clean_with(const wr_mesh *mesh, const wr_clean_options *options,
                            wr_clean_report *mended)
{
    wr_error error = {0};
    wr_model *model = wr_mesh_clean(mesh, options, NULL, mended, NULL, NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

static wr_model *clean(const wr_mesh *mesh, wr_clean_report *mended)
{
    wr_clean_options options = wr_clean_options_default();
    return clean_with(mesh, &options, mended);
}

static void assert_same_mesh(const wr_mesh *a, const wr_mesh *b)
{
    size_t n = (size_t)a->vertex_count;
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->part_count, b->part_count);
    assert_memory_equal(a->positions, b->positions, n * sizeof *a->positions);
    assert_memory_equal(a->triangles, b->triangles, (size_t)a->triangle_count * 3 * sizeof(int));
    assert_true(!a->normals == !b->normals && !a->uvs == !b->uvs && !a->colors == !b->colors);
    if (a->normals) {
        assert_memory_equal(a->normals, b->normals, n * sizeof *a->normals);
    }
    if (a->uvs) {
        assert_memory_equal(a->uvs, b->uvs, n * sizeof *a->uvs);
    }
    if (a->colors) {
        assert_memory_equal(a->colors, b->colors, n * sizeof *a->colors);
    }
    if (a->part_count) {
        assert_memory_equal(a->parts, b->parts, (size_t)a->part_count * sizeof *a->parts);
    }
}

static void assert_same_report(const wr_mesh_report *a, const wr_mesh_report *b)
{
    assert_memory_equal(a, b, offsetof(wr_mesh_report, self_intersections));
    assert_int_equal(a->self_intersections, b->self_intersections);
    assert_int_equal(a->is_sound, b->is_sound);
}

static void turn(shape *s, int triangle)
{
    int *t = &s->mesh.triangles[3 * triangle], swap = t[1];
    t[1] = t[2];
    t[2] = swap;
}

static void drop_last_triangles(shape *s, int count)
{
    s->triangles.count -= count;
    s->mesh.triangle_count -= count;
}

static shape cube(void)
{
    shape s = shape_create();
    add_box(&s, wr_v3(0, 0, 0), wr_v3(1, 1, 1));
    return s;
}

// --- inspecting -------------------------------------------------------------------------------

static void primitives_with_seams_are_sound(void **state)
{
    (void)state;
    const wr_primitive kinds[] = {WR_PRIMITIVE_BOX, WR_PRIMITIVE_SPHERE, WR_PRIMITIVE_CAPSULE,
                                  WR_PRIMITIVE_CYLINDER};
    for (int i = 0; i < 4; i++) {
        wr_vec3 size = wr_v3(1, 2, 3);
        wr_model *model = wr_model_create_primitive(kinds[i], size, WHITE, NULL);
        wr_mesh_report r = inspect(model->meshes);
        assert_true(r.is_sound);
        assert_int_equal(r.shells, 1);
        assert_int_equal(r.closed_shells, 1);
        assert_true(r.seam_vertices > 0);
        CHECK_NEAR(r.volume, volume(model->meshes), 1e-6 * r.volume);
        wr_clean_report mended;
        wr_model *result = clean(model->meshes, &mended);
        assert_int_equal(mended.welded_vertices + mended.dropped_vertices,
                         r.vertices - result->meshes->vertex_count); // copies at the poles
        assert_int_equal(mended.turned_triangles + mended.moved_vertices, 0);
        if (kinds[i] == WR_PRIMITIVE_BOX) {
            assert_int_equal(r.seam_vertices, 24 - 8);
            assert_false(mended.is_changed);
            assert_same_mesh(model->meshes, result->meshes);
        }
        wr_model_destroy(result);
        wr_model_destroy(model);
    }
    shape s = cube();
    wr_mesh_report r = inspect(&s.mesh);
    CHECK_NEAR(r.area, 6.0, 1e-12);
    CHECK_NEAR(r.volume, 1.0, 1e-12);
    shape_destroy(&s);
}

static void a_missing_face_is_one_hole_of_four_edges(void **state)
{
    (void)state;
    shape s = cube();
    drop_last_triangles(&s, 2);
    wr_mesh_report r = inspect(&s.mesh);
    assert_false(r.is_sound);
    assert_int_equal(r.shells, 1);
    assert_int_equal(r.closed_shells, 0);
    assert_int_equal(r.boundary_edges, 4);
    assert_int_equal(r.holes, 1);
    assert_int_equal(r.largest_hole_edges, 4);
    CHECK_NEAR(r.largest_hole_length, 4.0, 1e-12);
    CHECK_NEAR(r.area, 5.0, 1e-12);
    CHECK_NEAR(r.volume, 0.0, 0.0);
    // A second hole: one triangle of the opposite face.
    memmove(s.mesh.triangles, s.mesh.triangles + 3, (size_t)(s.mesh.triangle_count - 1) * 12);
    drop_last_triangles(&s, 1);
    r = inspect(&s.mesh);
    assert_int_equal(r.holes, 2);
    assert_int_equal(r.boundary_edges, 7);
    assert_int_equal(r.largest_hole_edges, 4);
    // Turned triangles do not hide holes.
    turn(&s, 0), turn(&s, 3), turn(&s, 4);
    r = inspect(&s.mesh);
    assert_int_equal(r.holes, 2);
    assert_true(r.inconsistent_edges > 0);
    shape_destroy(&s);
}

static void faulty_vertices_and_triangles_are_counted_once(void **state)
{
    (void)state;
    shape s = cube();
    add_triangle(&s, 0, 2, 3);                        // a duplicate of the first
    add_triangle(&s, 2, 3, 0);                        // the same, begun elsewhere
    add_triangle(&s, 5, 5, 7);                        // a line
    add_triangle(&s, 4, 4, 4);                        // a point
    int unused = add_point(&s, wr_v3(0.5f, 0.5f, 9)); // far away
    int copy = add_point(&s, s.mesh.positions[7]);
    add_triangle(&s, 7, copy, 1); // two of its vertices are at one place
    wr_mesh_report r = inspect(&s.mesh);
    assert_int_equal(unused, 8);
    assert_int_equal(r.duplicate_triangles, 2);
    assert_int_equal(r.degenerate_triangles, 3);
    assert_int_equal(r.unused_vertices, 1);
    assert_int_equal(r.duplicate_vertices, 1);
    assert_int_equal(r.seam_vertices, 0);
    assert_int_equal(r.back_to_back_triangles, 0);
    assert_int_equal(r.closed_shells, 1);
    assert_int_equal(r.boundary_edges + r.non_manifold_edges + r.inconsistent_edges, 0);
    assert_int_equal(r.self_intersections, 0);
    CHECK_NEAR(r.volume, 1.0, 1e-12);
    assert_false(r.is_sound);
    wr_clean_report mended;
    wr_model *model = clean(&s.mesh, &mended);
    assert_int_equal(mended.dropped_duplicates, 2);
    assert_int_equal(mended.dropped_degenerate, 3);
    assert_int_equal(mended.dropped_vertices, 1);
    assert_int_equal(mended.welded_vertices, 1);
    assert_int_equal(model->meshes->vertex_count, 8);
    assert_int_equal(model->meshes->triangle_count, 12);
    assert_true(inspect(model->meshes).is_sound);
    wr_model_destroy(model);
    shape_destroy(&s);
}

static void a_back_side_is_reported_and_dropped_only_when_asked(void **state)
{
    (void)state;
    shape s = cube();
    add_triangle(&s, 0, 3, 2);
    wr_mesh_report r = inspect(&s.mesh);
    assert_int_equal(r.back_to_back_triangles, 1);
    assert_int_equal(r.duplicate_triangles, 0);
    assert_int_equal(r.non_manifold_edges, 3);
    assert_int_equal(r.self_intersections, 0);
    wr_clean_report mended;
    wr_model *model = clean(&s.mesh, &mended);
    assert_false(mended.is_changed);
    wr_model_destroy(model);
    wr_clean_options options = wr_clean_options_default();
    options.drop_back_to_back = true;
    model = clean_with(&s.mesh, &options, &mended);
    assert_int_equal(mended.dropped_back_to_back, 1);
    assert_true(inspect(model->meshes).is_sound);
    wr_model_destroy(model);
    shape_destroy(&s);
}

static void fins_and_common_edges_are_not_manifold(void **state)
{
    (void)state;
    shape s = cube();
    int tip = add_point(&s, wr_v3(-1, -1, 0.5f));
    add_triangle(&s, 0, 4, tip); // a fin at the edge 0-4
    wr_mesh_report r = inspect(&s.mesh);
    assert_int_equal(r.non_manifold_edges, 1);
    assert_int_equal(r.boundary_edges, 2);
    assert_int_equal(r.holes, 0); // the fin's border ends at the cube
    assert_int_equal(r.shells, 2);
    assert_int_equal(r.closed_shells, 1);
    CHECK_NEAR(r.volume, 1.0, 1e-12);
    shape_destroy(&s);
    s = cube(); // two cubes that share an edge
    add_box(&s, wr_v3(1, 1, 0), wr_v3(2, 2, 1));
    r = inspect(&s.mesh);
    assert_int_equal(r.non_manifold_edges, 1);
    assert_int_equal(r.shells, 2);
    assert_int_equal(r.closed_shells, 2);
    assert_int_equal(r.self_intersections, 0);
    CHECK_NEAR(r.volume, 2.0, 1e-12);
    assert_false(r.is_sound);
    shape_destroy(&s);
}

static void an_edge_of_very_many_triangles_costs_no_time(void **state)
{
    (void)state;
    enum { MANY = 4000 };
    shape s = shape_create();
    int a = add_point(&s, wr_v3(0, 0, 0)), b = add_point(&s, wr_v3(0, 1, 0));
    for (int i = 0; i < MANY; i++) {
        double angle = 2.0 * PI * i / MANY;
        int tip = add_point(&s, wr_v3((float)cos(angle), 0.5f, (float)sin(angle)));
        add_triangle(&s, a, b, tip);
    }
    double start = processor_seconds();
    wr_mesh_report r = inspect(&s.mesh);
    assert_true(processor_seconds() - start < 5.0); // 0.02; a minute when its pairs are compared
    assert_int_equal(r.non_manifold_edges, 1);
    assert_int_equal(r.boundary_edges, 2 * MANY);
    assert_int_equal(r.shells, MANY);
    assert_int_equal(r.self_intersections, 0);
    shape_destroy(&s);
}

static shape moebius(int n)
{
    shape s = shape_create();
    for (int i = 0; i < n; i++) {
        double a = 2.0 * PI * i / n;
        for (int side = -1; side <= 1; side += 2) {
            double r = 1.0 + 0.3 * side * cos(0.5 * a), h = 0.3 * side * sin(0.5 * a);
            add_point(&s, wr_v3((float)(r * cos(a)), (float)h, (float)(r * sin(a))));
        }
    }
    for (int i = 0; i < n - 1; i++) {
        add_quad(&s, 2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2);
    }
    add_quad(&s, 2 * n - 2, 2 * n - 1, 0, 1); // the sides change places
    return s;
}

static void a_moebius_strip_has_one_border_and_no_sides(void **state)
{
    (void)state;
    shape s = moebius(24);
    wr_mesh_report r = inspect(&s.mesh);
    assert_int_equal(r.shells, 1);
    assert_int_equal(r.unorientable_shells, 1);
    assert_int_equal(r.holes, 1);
    assert_int_equal(r.boundary_edges, 48);
    assert_int_equal(r.largest_hole_edges, 48);
    assert_true(r.inconsistent_edges > 0);
    assert_int_equal(r.self_intersections, 0);
    wr_clean_report mended;
    wr_model *model = clean(&s.mesh, &mended);
    assert_false(mended.is_changed);
    assert_same_mesh(&s.mesh, model->meshes);
    wr_model_destroy(model);
    shape_destroy(&s);
}

static void an_empty_mesh_is_no_solid(void **state)
{
    (void)state;
    wr_mesh none = {.name = "none"};
    wr_mesh_report r = inspect(&none);
    assert_false(r.is_sound);
    wr_clean_report mended;
    wr_model *model = clean(&none, &mended);
    assert_int_equal(model->meshes->vertex_count, 0);
    assert_false(mended.is_changed);
    wr_model_destroy(model);
    shape s = shape_create(); // one point and nothing else
    int p = add_point(&s, wr_v3(3, 3, 3));
    add_triangle(&s, p, p, p);
    assert_int_equal(inspect(&s.mesh).degenerate_triangles, 1);
    model = clean(&s.mesh, &mended);
    assert_int_equal(model->meshes->triangle_count, 0);
    wr_model_destroy(model);
    shape_destroy(&s);
}

static void bad_numbers_are_one_sentence(void **state)
{
    (void)state;
    shape s = cube();
    wr_mesh_report report;
    wr_clean_options options = wr_clean_options_default();
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        wr_error error = {0};
        s.mesh.positions[5].y = bad[i];
        assert_false(wr_mesh_inspect(&s.mesh, NULL, &report, &error));
        assert_int_equal(error.code, WR_E_ARGUMENT);
        assert_string_equal(error.message,
                            "mesh \"shape\": the position of vertex 5 is not finite");
        assert_null(wr_mesh_clean(&s.mesh, &options, NULL, NULL, NULL, NULL, &error));
    }
    s.mesh.positions[5].y = 0.0f;
    const int wrong[] = {-1, 8, INT32_MAX};
    for (int i = 0; i < 3; i++) {
        wr_error error = {0};
        s.mesh.triangles[7] = wrong[i];
        assert_false(wr_mesh_inspect(&s.mesh, NULL, &report, &error));
        assert_non_null(strstr(error.message, "triangle 2 uses vertex"));
    }
    s.mesh.triangles[7] = 0;
    options.weld = NAN;
    wr_error error = {0};
    assert_null(wr_mesh_clean(&s.mesh, &options, NULL, NULL, NULL, NULL, &error));
    assert_non_null(strstr(error.message, "weld: "));
    options.weld = 0.0;
    wr_mesh_part part = {5, 8, -1};
    s.mesh.parts = &part;
    s.mesh.part_count = 1;
    assert_null(wr_mesh_clean(&s.mesh, &options, NULL, NULL, NULL, NULL, &error));
    assert_non_null(strstr(error.message, "part 0"));
    shape_destroy(&s);
}

// --- crossings --------------------------------------------------------------------------------

typedef struct point {
    double x, y, z;
} point;

static point minus(point a, point b)
{
    return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static point cross(point a, point b)
{
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static const double NEAR = 1e-9; // far below what small whole coordinates can differ by

static bool on_edge(const point t[3], int k, point p)
{
    point u = minus(t[(k + 1) % 3], t[k]), v = minus(p, t[k]), c = cross(u, v);
    double s = dot(u, v);
    return dot(c, c) < NEAR * NEAR && s > -NEAR && s < dot(u, u) + NEAR;
}

static bool in_triangle(const point t[3], point n, point p)
{
    for (int k = 0; k < 3; k++) {
        if (dot(cross(minus(t[(k + 1) % 3], t[k]), minus(p, t[k])), n) < -NEAR) {
            return false;
        }
    }
    return true;
}

// Points of s's border in the plane of t that t holds: the ends of what both have in common.
static int common_points(const point s[3], const point t[3], point n, point *out)
{
    int count = 0;
    for (int k = 0; k < 3; k++) {
        point a = s[k], b = s[(k + 1) % 3];
        double da = dot(minus(a, t[0]), n), db = dot(minus(b, t[0]), n);
        if (fabs(da) < NEAR && in_triangle(t, n, a)) {
            out[count++] = a;
        }
        if ((da > NEAR && db < -NEAR) || (da < -NEAR && db > NEAR)) {
            double w = da / (da - db);
            point p = {a.x + w * (b.x - a.x), a.y + w * (b.y - a.y), a.z + w * (b.z - a.z)};
            if (in_triangle(t, n, p)) {
                out[count++] = p;
            }
        }
    }
    return count;
}

// Area of what two triangles of one plane have in common: s clipped by the sides of t.
static double common_area(const point s[3], const point t[3], point n)
{
    point polygon[16] = {s[0], s[1], s[2]};
    int count = 3;
    for (int k = 0; k < 3; k++) {
        point next[16];
        int m = 0;
        point inwards = cross(n, minus(t[(k + 1) % 3], t[k]));
        for (int i = 0; i < count; i++) {
            point a = polygon[i], b = polygon[(i + 1) % count];
            double da = dot(minus(a, t[k]), inwards), db = dot(minus(b, t[k]), inwards);
            if (da >= 0.0) {
                next[m++] = a;
            }
            if ((da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0)) {
                double w = da / (da - db);
                next[m++] =
                    (point){a.x + w * (b.x - a.x), a.y + w * (b.y - a.y), a.z + w * (b.z - a.z)};
            }
        }
        memcpy(polygon, next, sizeof polygon);
        count = m;
    }
    double area = 0.0;
    for (int i = 1; i + 1 < count; i++) {
        area += dot(cross(minus(polygon[i], polygon[0]), minus(polygon[i + 1], polygon[0])), n);
    }
    return fabs(area);
}

// By another way than the library: the ends of the common segment are looked for on the borders.
static bool reference_cross(const point s[3], const point t[3])
{
    point ns = cross(minus(s[1], s[0]), minus(s[2], s[0]));
    point nt = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    point line = cross(ns, nt);
    if (dot(line, line) < NEAR) {
        return fabs(dot(minus(s[0], t[0]), nt)) < NEAR && common_area(s, t, nt) > 1e-6;
    }
    point found[16];
    int count = common_points(s, t, nt, found);
    count += common_points(t, s, ns, found + count);
    for (int i = 1; i < count; i++) {
        point d = minus(found[i], found[0]);
        if (dot(d, d) < 1e-10) {
            continue;
        }
        bool edge_of_s = false, edge_of_t = false;
        for (int k = 0; k < 3; k++) {
            edge_of_s = edge_of_s || (on_edge(s, k, found[0]) && on_edge(s, k, found[i]));
            edge_of_t = edge_of_t || (on_edge(t, k, found[0]) && on_edge(t, k, found[i]));
        }
        return !(edge_of_s && edge_of_t);
    }
    return false;
}

typedef struct crossings {
    wri_arena arena;
    wri_topology surface;
    int *of;
    bool complete;
} crossings;

static crossings find_crossings_with(const wr_mesh *mesh, const wr_tasks *tasks, int64_t visits)
{
    crossings c = {.arena = wri_arena_create(NULL)};
    assert_true(wri_topology_begin(&c.surface, &c.arena, mesh, 0.0));
    assert_true(wri_topology_find_fates(&c.surface));
    c.of = wri_arena_alloc(&c.arena, (size_t)mesh->triangle_count, sizeof *c.of);
    assert_true(wri_topology_find_crossings(&c.surface, tasks, visits, c.of, &c.complete));
    return c;
}

static crossings find_crossings(const wr_mesh *mesh, int64_t visits)
{
    return find_crossings_with(mesh, NULL, visits);
}

static void corners_of(const wr_mesh *mesh, int triangle, point out[3])
{
    for (int k = 0; k < 3; k++) {
        wr_vec3 p = mesh->positions[mesh->triangles[3 * triangle + k]];
        out[k] = (point){p.x, p.y, p.z};
    }
}

// Every pair of every kind: apart, touching in all ways, crossing, coplanar, sharing corners.
static void check_against_reference(const wr_mesh *mesh, int *total)
{
    crossings c = find_crossings(mesh, WRI_CROSSING_VISITS);
    for (int i = 0; i < mesh->triangle_count; i++) {
        int expected = 0;
        for (int j = i + 1; j < mesh->triangle_count; j++) {
            point s[3], t[3];
            int common = 0;
            for (int k = 0; k < 9; k++) {
                common += c.surface.corners[3 * i + k / 3] == c.surface.corners[3 * j + k % 3];
            }
            if (common == 3 || !wri_takes_part(c.surface.fate[i]) ||
                !wri_takes_part(c.surface.fate[j]) ||
                wri_is_thin(c.surface.points, &c.surface.corners[3 * i], c.surface.size) ||
                wri_is_thin(c.surface.points, &c.surface.corners[3 * j], c.surface.size)) {
                continue;
            }
            corners_of(mesh, i, s);
            corners_of(mesh, j, t);
            expected += reference_cross(s, t);
        }
        if (c.of[i] != expected) {
            fail_msg("triangle %d crosses %d, expected %d", i, c.of[i], expected);
        }
        *total += expected;
    }
    assert_true(c.complete);
    wri_arena_destroy(&c.arena);
}

static void crossings_of_random_whole_numbers_are_those_of_another_method(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int total = 0;
    for (int round = 0; round < 60; round++) {
        shape s = shape_create();
        int range = 2 + round % 4, count = 6 + round;
        for (int i = 0; i < 3 * count; i++) {
            wr_vec3 p = {0};
            for (int k = 0; k < 3; k++) {
                (&p.x)[k] = (float)(random_bits(&seed) >> 33 & 0xffff);
                (&p.x)[k] = (float)((int)(&p.x)[k] % range);
            }
            add_point(&s, p);
        }
        for (int i = 0; i < count; i++) {
            add_triangle(&s, 3 * i, 3 * i + 1, 3 * i + 2);
        }
        check_against_reference(&s.mesh, &total);
        shape_destroy(&s);
    }
    assert_true(total > 1000);
}

static void interpenetrating_boxes_cross_as_often_as_their_triangles_do(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int total = 0;
    for (int round = 0; round < 100; round++) {
        shape s = shape_create();
        for (int i = 0; i < 3; i++) {
            wr_vec3 at = wr_v3((float)(random_bits(&seed) % 4), (float)(random_bits(&seed) % 4),
                               (float)(random_bits(&seed) % 4));
            float size = (float)(1 + random_bits(&seed) % 3);
            add_box(&s, at, wr_add(at, wr_v3(size, size, size)));
        }
        check_against_reference(&s.mesh, &total);
        shape_destroy(&s);
    }
    assert_true(total > 1000);
}

static void a_mast_through_a_floor_crosses_it_eight_times(void **state)
{
    (void)state;
    shape s = shape_create();
    for (int i = 0; i < 4; i++) {
        add_point(&s, wr_v3(i == 1 || i == 2 ? 9.0f : -9.0f, 0, i > 1 ? 9.0f : -9.0f));
    }
    add_quad(&s, 0, 3, 2, 1);
    for (int i = 0; i < 8; i++) { // stands in the middle of one of the floor's triangles
        add_point(&s, wr_v3((i & 1) ? 4.0f : 3.0f, i & 4 ? 2.0f : -2.0f, (i & 2) ? -3.0f : -4.0f));
    }
    add_quad(&s, 4, 5, 9, 8);
    add_quad(&s, 5, 7, 11, 9);
    add_quad(&s, 7, 6, 10, 11);
    add_quad(&s, 6, 4, 8, 10);
    wr_mesh_report r = inspect(&s.mesh);
    assert_int_equal(r.self_intersections, 8);
    for (int i = 4; i < 8; i++) {     // standing on it: four triangles lie in it with an edge, the
        s.mesh.positions[i].y = 0.0f; // other four only with a corner
    }
    assert_int_equal(inspect(&s.mesh).self_intersections, 4);
    shape_destroy(&s);
}

static shape soup(int count, float size, uint64_t seed)
{
    shape s = shape_create();
    for (int i = 0; i < count; i++) {
        wr_vec3 at =
            wr_v3(random_float(&seed, 0, 1), random_float(&seed, 0, 1), random_float(&seed, 0, 1));
        for (int k = 0; k < 3; k++) {
            add_point(&s, wr_add(at, wr_v3(random_float(&seed, -size, size),
                                           random_float(&seed, -size, size),
                                           random_float(&seed, -size, size))));
        }
        add_triangle(&s, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    return s;
}

static void the_tree_finds_what_trying_all_pairs_finds(void **state)
{
    (void)state;
    for (int round = 0; round < 6; round++) {
        int n = round == 0 ? 3 : 400;
        shape s = soup(n, 0.02f * (float)(1 << round), 11 + (uint64_t)round);
        crossings c = find_crossings(&s.mesh, WRI_CROSSING_VISITS);
        for (int i = 0; i < n; i++) {
            int expected = 0;
            for (int j = i + 1; j < n; j++) {
                expected +=
                    wri_triangles_cross(c.surface.points, &c.surface.corners[3 * i],
                                        &c.surface.corners[3 * j], WRI_TOUCH * c.surface.size);
            }
            assert_int_equal(c.of[i], expected);
        }
        wri_arena_destroy(&c.arena);
        shape_destroy(&s);
    }
}

static void threads_do_not_change_what_is_found(void **state)
{
    (void)state;
    shape s = soup(5000, 0.05f, 23);
    wr_mesh_report one = inspect(&s.mesh);
    assert_true(one.self_intersections > 1000);
    for (int workers = 5; workers >= 2; workers--) { // LLVM's library leaks when a team grows
        wr_tasks tasks = wr_tasks_openmp(workers);
        wri_test_block_shuffle = workers;
        wr_mesh_report many;
        assert_true(wr_mesh_inspect(&s.mesh, &tasks, &many, NULL));
        assert_same_report(&one, &many);
        assert_memory_equal(&one.area, &many.area, sizeof one.area);
    }
    wri_test_block_shuffle = 0;
    shape_destroy(&s);
}

static int64_t sum(const crossings *c)
{
    int64_t total = 0;
    for (int i = 0; i < c->surface.triangle_count; i++) {
        total += c->of[i];
    }
    return total;
}

static void a_hopeless_tangle_is_cut_short(void **state)
{
    (void)state;
    shape s = soup(3000, 1.0f, 29); // 9 million visits, most of which meet
    crossings all = find_crossings(&s.mesh, 9000000);
    assert_true(all.complete);
    int64_t last = 0;
    for (int64_t visits = 20000; visits < 9000000; visits *= 4) {
        crossings c = find_crossings(&s.mesh, visits);
        assert_false(c.complete);
        assert_true(sum(&c) > last && sum(&c) <= visits); // the limit is that of the whole search
        last = sum(&c);
        wri_arena_destroy(&c.arena);
    }
    assert_true(last < sum(&all));
    wri_arena_destroy(&all.arena);
    shape_destroy(&s);
}

static void what_a_block_does_not_need_goes_to_others(void **state)
{
    (void)state;
    shape s = soup(20000, 0.01f, 31); // a few neighbours each, but one corner is a tangle
    for (int i = 0; i < 3 * 1000; i++) {
        wr_vec3 *p = &s.mesh.positions[s.mesh.triangles[i]];
        *p = wr_scale(0.01f, *p);
    }
    crossings c = find_crossings(&s.mesh, 2500000);
    crossings all = find_crossings(&s.mesh, WRI_CROSSING_VISITS);
    assert_true(all.complete && c.complete);
    assert_memory_equal(c.of, all.of, 20000 * sizeof *c.of);
    wri_arena_destroy(&c.arena);
    wri_arena_destroy(&all.arena);
    shape_destroy(&s);
}

static void a_search_cut_short_is_the_same_for_all_threads(void **state)
{
    (void)state;
    shape s = soup(3000, 1.0f, 37);
    crossings one = find_crossings(&s.mesh, 1000000);
    assert_false(one.complete);
    for (int workers = 2; workers <= 4; workers++) {
        wr_tasks tasks = wr_tasks_openmp(workers);
        wri_test_block_shuffle = workers;
        crossings many = find_crossings_with(&s.mesh, &tasks, 1000000);
        assert_false(many.complete);
        assert_memory_equal(many.of, one.of, 3000 * sizeof *one.of);
        wri_arena_destroy(&many.arena);
    }
    wri_test_block_shuffle = 0;
    wri_arena_destroy(&one.arena);
    shape_destroy(&s);
}

// --- sides ------------------------------------------------------------------------------------

static void an_inverted_solid_is_turned_with_its_normals(void **state)
{
    (void)state;
    wr_model *ball = wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(1, 0, 0), WHITE, NULL);
    wr_mesh *mesh = ball->meshes;
    double expected = volume(mesh);
    for (int i = 0; i < mesh->triangle_count; i++) {
        int *t = &mesh->triangles[3 * i], swap = t[1];
        t[1] = t[2];
        t[2] = swap;
    }
    for (int pass = 0; pass < 2; pass++) { // first the normals are right, then they are not either
        wr_mesh_report r = inspect(mesh);
        assert_int_equal(r.inverted_shells, 1);
        assert_int_equal(r.inconsistent_edges, 0);
        CHECK_NEAR(r.volume, -expected, 1e-6);
        wr_clean_report mended;
        wr_model *model = clean(mesh, &mended);
        const wr_mesh *out = model->meshes;
        assert_int_equal(mended.turned_shells, 1);
        assert_int_equal(mended.turned_triangles, mesh->triangle_count);
        assert_int_equal(mended.turned_normals, pass ? out->vertex_count : 0);
        CHECK_NEAR(volume(out), expected, 1e-6);
        assert_true(inspect(out).is_sound);
        for (int i = 0; i < out->vertex_count; i++) {
            assert_true(wr_dot(out->normals[i], out->positions[i]) > 0.9f);
        }
        wr_model_destroy(model);
        for (int i = 0; i < mesh->vertex_count; i++) {
            mesh->normals[i] = wr_scale(-1.0f, mesh->normals[i]);
        }
    }
    wr_model_destroy(ball);
}

static void triangles_turned_at_random_are_turned_back(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int round = 0; round < 20; round++) {
        shape s = round_shape(1.0, 0.0, 12);
        int n = s.mesh.triangle_count, *before = malloc((size_t)n * 3 * sizeof(int));
        memcpy(before, s.mesh.triangles, (size_t)n * 3 * sizeof(int));
        int turned = 0;
        for (int i = 0; i < n; i++) {
            bool now = random_bits(&seed) % 20 < (uint64_t)round; // at last nearly all
            turned += now;
            if (now) {
                turn(&s, i);
            }
        }
        assert_true(round == 0 || inspect(&s.mesh).inconsistent_edges > 0);
        wr_clean_report mended;
        wr_model *model = clean(&s.mesh, &mended);
        assert_int_equal(mended.turned_triangles, turned);
        assert_memory_equal(model->meshes->triangles, before, (size_t)n * 3 * sizeof(int));
        assert_true(inspect(model->meshes).is_sound);
        wr_model_destroy(model);
        free(before);
        shape_destroy(&s);
    }
}

// Boxes around one another, outermost first; a minus turns a box inwards.
static shape nested(const char *sides)
{
    shape s = shape_create();
    for (int i = 0; sides[i]; i++) {
        float half = 4.0f - (float)i;
        int first = s.mesh.triangle_count;
        add_box(&s, wr_v3(-half, -half, -half), wr_v3(half, half, half));
        for (int k = first; k < s.mesh.triangle_count && sides[i] == '-'; k++) {
            turn(&s, k);
        }
    }
    return s;
}

static void a_cavity_stays_a_cavity_and_a_thing_inside_stays_a_thing(void **state)
{
    (void)state;
    static const struct {
        const char *given, *mended;
        int inverted;
    } cases[] = {
        {"+", "+", 0},     {"-", "+", 1},     {"+-", "+-", 0},   {"++", "++", 0},
        {"--", "+-", 1},   {"-+", "+-", 2},   {"+-+", "+-+", 0}, {"+++", "+++", 0},
        {"+--", "+--", 0}, {"-+-", "+-+", 3}, {"---", "+--", 1}, {"-++", "+-+", 2},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        shape s = nested(cases[i].given), expected = nested(cases[i].mended);
        wr_mesh_report r = inspect(&s.mesh);
        wr_clean_report mended;
        wr_model *model = clean(&s.mesh, &mended);
        if (memcmp(model->meshes->triangles, expected.mesh.triangles,
                   (size_t)s.mesh.triangle_count * 3 * sizeof(int)) != 0) {
            fail_msg("%s does not become %s", cases[i].given, cases[i].mended);
        }
        assert_int_equal(r.inverted_shells, mended.turned_shells);
        if (r.inverted_shells != cases[i].inverted) {
            fail_msg("%s: %d are inverted", cases[i].given, r.inverted_shells);
        }
        assert_int_equal(r.closed_shells, (int)strlen(cases[i].given));
        assert_true(inspect(model->meshes).is_sound);
        wr_model_destroy(model);
        shape_destroy(&s);
        shape_destroy(&expected);
    }
}

// The ray from the middle of the inner one's base goes exactly through an edge of the box and a
// corner of the octahedron.
static void a_ray_through_an_edge_or_a_corner_counts_once(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        shape s = shape_create();
        if (i & 1) {
            add_box(&s, wr_v3(-20, -20, -20), wr_v3(20, 20, 20));
        } else {
            for (int k = 0; k < 6; k++) {
                float at = k & 1 ? -20.0f : 20.0f;
                add_point(&s, wr_v3(k / 2 == 0 ? at : 0, k / 2 == 1 ? at : 0, k / 2 == 2 ? at : 0));
            }
            for (int k = 0; k < 8; k++) {
                int x = k & 1, y = 2 + (k >> 1 & 1), z = 4 + (k >> 2 & 1);
                bool mirrored = (x + y + z) % 2;
                add_triangle(&s, x, mirrored ? z : y, mirrored ? y : z);
            }
        }
        int outer = s.mesh.triangle_count, base = s.mesh.vertex_count;
        float turn_x = i & 2 ? -1.0f : 1.0f, turn_y = i & 4 ? -1.0f : 1.0f;
        add_point(&s, wr_v3(3 * turn_x, 0, 0));
        add_point(&s, wr_v3(-3 * turn_x, 3 * turn_y, 0));
        add_point(&s, wr_v3(0, -3 * turn_y, 0));
        add_point(&s, wr_v3(0, 0, i & 8 ? 1.0f : -1.0f));
        add_triangle(&s, base, base + 2, base + 1);
        add_triangle(&s, base, base + 1, base + 3);
        add_triangle(&s, base + 1, base + 2, base + 3);
        add_triangle(&s, base + 2, base, base + 3);
        wr_mesh inner = s.mesh;
        inner.triangles += 3 * (size_t)outer;
        inner.triangle_count -= outer;
        if (inspect(&inner).inverted_shells == 0) { // make it a cavity
            for (int k = outer; k < s.mesh.triangle_count; k++) {
                turn(&s, k);
            }
        }
        wr_mesh_report r = inspect(&s.mesh);
        assert_int_equal(r.closed_shells, 2);
        assert_int_equal(r.inverted_shells, 0);
        assert_true(r.is_sound);
        shape_destroy(&s);
    }
}

static void shells_beside_each_other_are_turned_by_themselves(void **state)
{
    (void)state;
    // In a row along the rays.
    shape s = shape_create();
    for (int i = 0; i < 6; i++) {
        float z = 2.0f * (float)i;
        int first = s.mesh.triangle_count;
        add_box(&s, wr_v3(0, 0, z), wr_v3(1, 1, z + 1));
        for (int k = first; k < s.mesh.triangle_count && i % 2; k++) {
            turn(&s, k);
        }
    }
    wr_mesh_report r = inspect(&s.mesh);
    assert_int_equal(r.inverted_shells, 3);
    CHECK_NEAR(r.volume, 0.0, 1e-12);
    wr_model *model = clean(&s.mesh, NULL);
    CHECK_NEAR(inspect(model->meshes).volume, 6.0, 1e-9);
    wr_model_destroy(model);
    shape_destroy(&s);
}

static void an_open_shell_keeps_the_side_of_its_larger_area(void **state)
{
    (void)state;
    for (int inwards = 0; inwards < 2; inwards++) {
        shape s = cube();
        drop_last_triangles(&s, 2);
        for (int i = 0; i < s.mesh.triangle_count && inwards; i++) {
            turn(&s, i);
        }
        int before[30];
        memcpy(before, s.mesh.triangles, sizeof before);
        turn(&s, 0), turn(&s, 5), turn(&s, 6); // the seed of the search among them
        wr_clean_report mended;
        wr_model *model = clean(&s.mesh, &mended);
        assert_int_equal(mended.turned_triangles, 3);
        assert_int_equal(mended.turned_shells, 0);
        assert_memory_equal(model->meshes->triangles, before, sizeof before);
        wr_model_destroy(model);
        shape_destroy(&s);
    }
}

// --- welding and thin triangles ---------------------------------------------------------------

// Every triangle with its own three vertices, each at most `noise` away from its place.
static shape scatter(const wr_mesh *mesh, float noise, uint64_t seed)
{
    shape s = shape_create();
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        wr_vec3 shift =
            wr_v3(random_float(&seed, -noise, noise), random_float(&seed, -noise, noise),
                  random_float(&seed, -noise, noise));
        add_point(&s, wr_add(mesh->positions[mesh->triangles[i]], shift));
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        add_triangle(&s, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    return s;
}

static void loose_triangles_are_welded_to_the_solid_they_were(void **state)
{
    (void)state;
    shape ball = round_shape(1.0, 0.0, 16);
    for (int noisy = 0; noisy < 2; noisy++) {
        shape s = scatter(&ball.mesh, noisy ? 3e-7f : 0.0f, 41);
        wr_mesh_report before;
        wr_clean_report mended;
        wr_clean_options options = wr_clean_options_default();
        wr_error error = {0};
        wr_model *model = wr_mesh_clean(&s.mesh, &options, &before, &mended, NULL, NULL, &error);
        assert_non_null(model);
        int copies = s.mesh.vertex_count - ball.mesh.vertex_count;
        assert_int_equal(before.closed_shells, noisy ? 0 : 1);
        if (noisy) {
            assert_true(mended.moved_vertices > 0);
            assert_true(mended.largest_move <= 1e-6 * 3.5);
        } else {
            assert_int_equal(before.duplicate_vertices, copies);
            assert_int_equal(mended.moved_vertices, 0);
        }
        assert_int_equal(mended.welded_vertices, copies);
        assert_int_equal(model->meshes->vertex_count, ball.mesh.vertex_count);
        assert_true(inspect(model->meshes).is_sound);
        wr_model_destroy(model);
        options.weld_vertices = false;
        model = clean_with(&s.mesh, &options, &mended);
        assert_int_equal(mended.welded_vertices + mended.moved_vertices, 0);
        wr_model_destroy(model);
        shape_destroy(&s);
    }
    shape_destroy(&ball);
}

static void seams_are_closed_but_stay_split(void **state)
{
    (void)state;
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1), WHITE, NULL);
    wr_mesh *mesh = box->meshes;
    for (int i = 0; i < mesh->vertex_count; i++) { // faces drift apart by less than the distance
        mesh->positions[i] = wr_add_scaled(mesh->positions[i], 2e-7f, mesh->normals[i]);
    }
    assert_int_equal(inspect(mesh).closed_shells, 0);
    wr_clean_report mended;
    wr_model *model = clean(mesh, &mended);
    const wr_mesh *out = model->meshes;
    assert_int_equal(out->vertex_count, 24);
    assert_int_equal(mended.welded_vertices, 0);
    assert_true(mended.moved_vertices > 0 && mended.moved_vertices <= 16);
    assert_memory_equal(out->normals, mesh->normals, 24 * sizeof(wr_vec3));
    assert_memory_equal(out->uvs, mesh->uvs, 24 * sizeof(wr_vec2));
    wr_mesh_report r = inspect(out);
    assert_true(r.is_sound);
    assert_int_equal(r.seam_vertices, 16);
    wr_model_destroy(model);
    wr_model_destroy(box);
}

static void attributes_that_differ_keep_vertices_apart(void **state)
{
    (void)state;
    shape s = scatter(&(wr_mesh){0}, 0.0f, 1);
    for (int i = 0; i < 6; i++) {
        add_point(&s, wr_v3((float)(i % 3), (float)(i % 3 == 1), (float)(i == 5)));
    }
    add_triangle(&s, 0, 1, 2);
    add_triangle(&s, 4, 3, 5);
    wr_vec2 uvs[6] = {{0, 0}, {1, 0}, {0, 1}, {-0.0f, 0}, {0.5f, 0}, {1, 1}};
    wr_color colors[6] = {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1},
                          {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    s.mesh.uvs = uvs;
    s.mesh.colors = colors;
    wr_mesh_report r = inspect(&s.mesh);
    assert_int_equal(r.duplicate_vertices, 1); // vertex 3; 4 has another uv
    assert_int_equal(r.seam_vertices, 1);
    assert_int_equal(r.boundary_edges, 4);
    colors[3].b = 0.5f;
    r = inspect(&s.mesh);
    assert_int_equal(r.duplicate_vertices, 0);
    assert_int_equal(r.seam_vertices, 2);
    shape_destroy(&s);
}

static void welding_makes_no_chains(void **state)
{
    (void)state;
    shape s = shape_create();
    enum { LINKS = 400 }; // each nearer to the next than the distance, together far longer
    for (int i = 0; i <= LINKS; i++) {
        add_point(&s, wr_v3(0.006f * (float)i, 0, 0));
    }
    int top = add_point(&s, wr_v3(0, 1, 0));
    for (int i = 0; i < LINKS; i++) {
        add_triangle(&s, i, i + 1, top);
    }
    wr_clean_options options = wr_clean_options_default();
    options.weld = 0.01 / 2.6;
    wr_clean_report mended;
    wr_model *model = clean_with(&s.mesh, &options, &mended);
    assert_true(mended.largest_move <= 0.0101);
    assert_true(model->meshes->vertex_count > LINKS / 3);
    wr_model_destroy(model);
    shape_destroy(&s);
}

static void thin_triangles_leave_no_crack(void **state)
{
    (void)state;
    // A cube whose front edge 4-5 has a vertex on it that only one of the two faces knows; a
    // triangle without area fills the gap.
    shape s = cube();
    int m = add_point(&s, wr_v3(0.5f, 0, 1));
    drop_last_triangles(&s, 2); // the lid 4 5 7 6
    add_triangle(&s, 4, m, 6);
    add_triangle(&s, m, 5, 7);
    add_triangle(&s, m, 7, 6);
    add_triangle(&s, m, 4, 5);
    wr_mesh_report r = inspect(&s.mesh);
    assert_int_equal(r.degenerate_triangles, 1);
    assert_int_equal(r.closed_shells, 1);
    assert_int_equal(r.self_intersections, 0);
    wr_clean_report mended;
    wr_model *model = clean(&s.mesh, &mended);
    assert_int_equal(mended.swapped_edges, 1);
    assert_int_equal(mended.kept_degenerate, 0);
    r = inspect(model->meshes);
    assert_true(r.is_sound);
    assert_int_equal(r.triangles, 14);
    CHECK_NEAR(r.volume, 1.0, 1e-12);
    wr_model_destroy(model);
    // With different looks on both sides the triangle cannot change sides: it stays.
    wr_mesh_part parts[2] = {{0, 12, 0}, {12, 2, 1}};
    s.mesh.parts = parts;
    s.mesh.part_count = 2;
    model = clean(&s.mesh, &mended);
    assert_int_equal(mended.kept_degenerate, 1);
    assert_false(mended.is_changed);
    assert_int_equal(inspect(model->meshes).closed_shells, 1);
    wr_model_destroy(model);
    // At a free border it goes.
    drop_last_triangles(&s, 4);
    add_triangle(&s, m, 5, 4);
    s.mesh.part_count = 0;
    memset(&s.mesh.triangles[3 * 2], 0, 6 * sizeof(int)); // without the face below as well
    model = clean(&s.mesh, &mended);
    assert_int_equal(mended.dropped_degenerate, 3);
    assert_int_equal(mended.dropped_vertices, 1);
    wr_model_destroy(model);
    shape_destroy(&s);
}

// --- maps, parts, repetition ------------------------------------------------------------------

// A ball with everything wrong with it that can be mended.
static shape wreck(uint64_t seed)
{
    shape ball = round_shape(1.0, 0.0, 10);
    shape s = scatter(&ball.mesh, 2e-7f, seed);
    int n = s.mesh.triangle_count;
    for (int i = 0; i < n; i += 3) {
        turn(&s, i);
    }
    for (int i = 0; i < n; i += 7) {
        const int *t = &s.mesh.triangles[3 * i];
        int a = t[0], b = t[1], c = t[2];
        add_triangle(&s, a, b, c);
        add_triangle(&s, a, b, a);
    }
    add_point(&s, wr_v3(7, 7, 7));
    shape_destroy(&ball);
    return s;
}

static void every_vertex_and_triangle_is_mapped(void **state)
{
    (void)state;
    shape s = wreck(3);
    const wr_mesh *mesh = &s.mesh;
    wr_mesh_part parts[3] = {{0, 100, 4}, {100, 0, 5}, {100, mesh->triangle_count - 100, 6}};
    s.mesh.parts = parts;
    s.mesh.part_count = 3;
    int *vertex_map = malloc((size_t)mesh->vertex_count * sizeof(int));
    int *triangle_map = malloc((size_t)mesh->triangle_count * sizeof(int));
    wr_clean_options options = wr_clean_options_default();
    wr_clean_report mended;
    wr_model *model = wr_mesh_clean(mesh, &options, NULL, &mended, vertex_map, triangle_map, NULL);
    const wr_mesh *out = model->meshes;
    assert_true(inspect(out).is_sound);
    int dropped = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        dropped += vertex_map[i] < 0;
        assert_true(vertex_map[i] < out->vertex_count);
        assert_true(vertex_map[i] < 0 ||
                    wr_distance(mesh->positions[i], out->positions[vertex_map[i]]) < 4e-6f);
    }
    assert_int_equal(dropped, mended.dropped_vertices);
    int next = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        if (triangle_map[i] < 0) {
            continue;
        }
        assert_int_equal(triangle_map[i], next++); // in order
        int matches = 0;
        for (int k = 0; k < 9; k++) {
            matches += out->triangles[3 * triangle_map[i] + k / 3] ==
                       vertex_map[mesh->triangles[3 * i + k % 3]];
        }
        assert_int_equal(matches, 3);
    }
    assert_int_equal(next, out->triangle_count);
    assert_int_equal(mesh->triangle_count - next,
                     mended.dropped_degenerate + mended.dropped_duplicates);
    assert_int_equal(out->part_count, 3);
    assert_int_equal(out->parts[0].triangle_count + out->parts[2].triangle_count, next);
    assert_int_equal(out->parts[2].first_triangle, triangle_map[100]);
    assert_int_equal(out->parts[2].look, 6);
    wr_model_destroy(model);
    free(vertex_map);
    free(triangle_map);
    shape_destroy(&s);
}

// Two loose copies of every triangle's vertices, with a skin and two morphs; the second joint
// differs for every seventh vertex.
static void skins_and_morphs_go_along_and_keep_vertices_apart(void **state)
{
    (void)state;
    shape ball = round_shape(1.0, 0.0, 8);
    shape s = scatter(&ball.mesh, 0.0f, 1);
    for (int i = 0; i < s.mesh.triangle_count; i++) {
        turn(&s, i);
    }
    size_t n = (size_t)s.mesh.vertex_count;
    int *joints = calloc(n, 2 * sizeof *joints), *map = calloc(n, sizeof *map);
    float *weights = calloc(n, 2 * sizeof *weights);
    wr_vec3 *rows = calloc(n, 4 * sizeof *rows);
    for (size_t i = 0; i < n; i++) {
        joints[2 * i + 1] = i % 7 == 0;
        weights[2 * i] = 1.0f;
        rows[i] = wr_scale(-1.0f, s.mesh.positions[i]); // normals, inwards like the triangles
        rows[n + i] = rows[2 * n + i] = rows[3 * n + i] = s.mesh.positions[i];
    }
    wr_morph morphs[2] = {{"wide", rows + n, rows + 2 * n, 0.5f}, {"tall", rows + 3 * n, NULL, 0}};
    s.mesh.normals = rows;
    s.mesh.influence_count = 2;
    s.mesh.joints = joints;
    s.mesh.weights = weights;
    s.mesh.morph_count = 2;
    s.mesh.morphs = morphs;
    wr_clean_options options = wr_clean_options_default();
    wr_model *model = wr_mesh_clean(&s.mesh, &options, NULL, NULL, map, NULL, NULL);
    const wr_mesh *out = model->meshes;
    assert_true(out->vertex_count > ball.mesh.vertex_count);
    assert_true(out->vertex_count <= 2 * ball.mesh.vertex_count);
    assert_int_equal(out->morph_count, 2);
    assert_string_equal(out->morphs[0].name, "wide");
    assert_true(out->morphs[0].weight == 0.5f);
    assert_null(out->morphs[1].normals);
    for (size_t i = 0; i < n; i++) {
        int o = map[i];
        assert_memory_equal(&out->joints[2 * o], &joints[2 * i], 2 * sizeof *joints);
        assert_memory_equal(&out->weights[2 * o], &weights[2 * i], 2 * sizeof *weights);
        assert_true(same_place(out->morphs[0].positions[o], rows[n + i]));
        assert_true(same_place(out->morphs[1].positions[o], rows[3 * n + i]));
        assert_true(same_place(out->morphs[0].normals[o], wr_scale(-1.0f, rows[2 * n + i])));
        assert_true(wr_dot(out->normals[o], out->positions[o]) > 0.9f);
    }
    assert_true(inspect(out).is_sound);
    wr_model_destroy(model);
    free(joints);
    free(map);
    free(weights);
    free(rows);
    shape_destroy(&s);
    shape_destroy(&ball);
}

static void cleaning_twice_is_cleaning_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        shape s = wreck(seed);
        wr_clean_report mended;
        wr_model *once = clean(&s.mesh, &mended);
        assert_true(mended.is_changed);
        wr_model *twice = clean(once->meshes, &mended);
        assert_false(mended.is_changed);
        assert_same_mesh(once->meshes, twice->meshes);
        wr_model_destroy(twice);
        wr_model_destroy(once);
        shape_destroy(&s);
    }
}

static void the_source_is_not_touched(void **state)
{
    (void)state;
    shape s = wreck(2);
    size_t points = (size_t)s.mesh.vertex_count * sizeof(wr_vec3);
    size_t indices = (size_t)s.mesh.triangle_count * 3 * sizeof(int);
    uint64_t before = wri_hash(s.mesh.triangles, indices, wri_hash(s.mesh.positions, points, 0));
    wr_model_destroy(clean(&s.mesh, NULL));
    assert_true(before ==
                wri_hash(s.mesh.triangles, indices, wri_hash(s.mesh.positions, points, 0)));
    shape_destroy(&s);
}

static void every_step_can_be_left_out(void **state)
{
    (void)state;
    shape s = wreck(5);
    wr_clean_options none = wr_clean_options_default();
    none.weld_vertices = none.drop_degenerate = none.drop_duplicates = false;
    none.drop_unused = none.orient = false;
    wr_clean_report mended;
    wr_model *model = clean_with(&s.mesh, &none, &mended);
    assert_false(mended.is_changed);
    assert_same_mesh(&s.mesh, model->meshes);
    wr_model_destroy(model);
    none.orient = none.weld_vertices = true; // copies turn with their originals
    model = clean_with(&s.mesh, &none, &mended);
    wr_mesh_report r = inspect(model->meshes);
    assert_true(mended.turned_triangles > 0);
    assert_true(r.duplicate_triangles > 0);
    assert_int_equal(r.back_to_back_triangles, 0);
    assert_int_equal(r.inconsistent_edges, 0);
    wr_model_destroy(model);
    shape_destroy(&s);
}

static void place_and_scale_do_not_change_what_is_found(void **state)
{
    (void)state;
    shape s = wreck(7);
    add_box(&s, wr_v3(0.3f, 0.2f, 0.1f), wr_v3(1.7f, 1.5f, 1.6f)); // out of the ball
    add_box(&s, wr_v3(3, 0, 0), wr_v3(4, 1, 1));                   // with flat faces
    drop_last_triangles(&s, 1);
    wr_mesh_report expected = inspect(&s.mesh);
    assert_true(expected.self_intersections > 10);
    wr_clean_report mended, again;
    wr_model_destroy(clean(&s.mesh, &mended));
    uint64_t seed = 77;
    for (int round = 0; round < 24; round++) {
        const float scales[] = {1e-3f, 0.037f, 1.0f, 1e3f};
        shape moved = shape_create();
        wr_vec3 axis = wr_v3(random_float(&seed, -1, 1), random_float(&seed, -1, 1), 0.3f);
        wr_pose pose = {wr_v3(random_float(&seed, -2, 2), random_float(&seed, -2, 2), 1),
                        wr_quat_from_axis_angle(wr_normalize(axis), random_float(&seed, -3, 3))};
        for (int i = 0; i < s.mesh.vertex_count; i++) {
            wr_vec3 p = wr_pose_point(pose, s.mesh.positions[i]);
            add_point(&moved, wr_scale(scales[round % 4], p));
        }
        for (int i = 0; i < s.mesh.triangle_count; i++) {
            const int *t = &s.mesh.triangles[3 * i];
            add_triangle(&moved, t[0], t[1], t[2]);
        }
        wr_clean_options options = wr_clean_options_default();
        wr_model *model = clean_with(&moved.mesh, &options, &again);
        wr_mesh_report found = inspect(model->meshes);
        assert_int_equal(again.welded_vertices, mended.welded_vertices);
        assert_int_equal(again.turned_triangles, mended.turned_triangles);
        assert_int_equal(again.dropped_duplicates, mended.dropped_duplicates);
        assert_int_equal(found.shells, 3);
        assert_int_equal(found.closed_shells, 2);
        assert_int_equal(found.holes, 1);
        wr_model *still = clean(&s.mesh, NULL);
        wr_mesh_report rest = inspect(still->meshes);
        assert_int_equal(found.self_intersections, rest.self_intersections);
        wr_model_destroy(still);
        wr_model_destroy(model);
        shape_destroy(&moved);
    }
    shape_destroy(&s);
}

// Found by fuzzing: the boxes around such triangles are infinite, their middle is no number.
static void places_at_the_end_of_what_floats_hold_do_not_hurt(void **state)
{
    (void)state;
    const float far = 3.4028234e38f;
    wr_vec3 positions[6] = {{0, 0, 0},       {1, 0, -far / 8}, {-4, -far, far},
                            {far, far, far}, {1, 0, 0},        {0, 1, -far}};
    int triangles[6] = {0, 1, 2, 3, 4, 5};
    const wr_mesh mesh = {.name = "far",
                          .vertex_count = 6,
                          .triangle_count = 2,
                          .positions = positions,
                          .triangles = triangles};
    wr_mesh_report report;
    wr_error error = {0};
    assert_true(wr_mesh_inspect(&mesh, NULL, &report, &error));
    assert_int_equal(report.triangles, 2);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    shape s = wreck(9);
    add_box(&s, wr_v3(-0.1f, -0.1f, -0.1f), wr_v3(0.1f, 0.1f, 0.1f)); // nested
    wr_vec3 *normals = calloc((size_t)s.mesh.vertex_count, sizeof *normals);
    s.mesh.normals = normals;
    counting_heap heap = {0};
    wr_clean_options options = wr_clean_options_default();
    options.allocator = counting_allocator(&heap);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        wr_mesh_report before;
        wr_error error = {0};
        heap.budget = budget;
        wr_model *model = wr_mesh_clean(&s.mesh, &options, &before, NULL, NULL, NULL, &error);
        done = model != NULL;
        assert_int_equal(error.code, done ? WR_OK : WR_E_MEMORY);
        wr_model_destroy(model);
        assert_int_equal(heap.alive, 0);
        assert_true(budget < 1000);
    }
    free(normals);
    shape_destroy(&s);
}

// --- models of others -------------------------------------------------------------------------

typedef struct expectation {
    const char *path;
    int places, shells, closed, inverted, boundary, holes, largest_hole, non_manifold, inconsistent;
    int crossings; // of generic position: an edge pierces a triangle
    double volume, area;
    int shallow; // piercings of less than 1e-6 of the size, which may count or not
} expectation;

static void check_model(const wr_mesh *mesh, const expectation *e)
{
    wr_mesh_report r = inspect(mesh);
    assert_int_equal(r.vertices - r.duplicate_vertices - r.seam_vertices, e->places);
    assert_int_equal(r.shells, e->shells);
    assert_int_equal(r.closed_shells, e->closed);
    assert_int_equal(r.inverted_shells, e->inverted);
    assert_int_equal(r.largest_hole_edges, e->largest_hole);
    CHECK_NEAR(r.volume, e->volume, 1e-7 * fabs(e->volume));
    CHECK_NEAR(r.area, e->area, 1e-7 * e->area);
    assert_int_equal(r.boundary_edges, e->boundary);
    assert_int_equal(r.holes, e->holes);
    assert_int_equal(r.non_manifold_edges, e->non_manifold);
    assert_int_equal(r.inconsistent_edges, e->inconsistent);
    CHECK_NEAR(r.self_intersections, e->crossings, e->shallow);
}

// The numbers are from a program of its own in another language: dictionaries of edges, union-find,
// Euler's formula (2 for bunny, cow, knight and arm, -96 for the truck), edges against triangles.
static void models_of_others_have_the_faults_that_another_program_counts(void **state)
{
    (void)state;
    const char *data = getenv("WROUGHT_DATA");
    if (!data || !wri_is_folder(data)) {
        print_message("skipped: WROUGHT_DATA is not set or not there\n");
        skip();
    }
    static const expectation list[] = {
        {"libigl/bunny.off", 3485, 1, 1, 0, 0, 0, 0, 0, 0, 0, 7.53934231e-4, 0.058212919, 0},
        {"libigl/cow.off", 2761, 1, 1, 0, 0, 0, 0, 1, 0, 83, 0.0534799266, 1.08945437, 0},
        {"libigl/decimated-knight.off", 502, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0.0244911481, 0.90702354,
         0},
        {"libigl/truck.obj", 2956, 66, 8, 8, 1388, 141, 103, 54, 64, 422, -6.7936177e-3, 7.11648978,
         50},
        {"libigl/arm.obj", 8311, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0.0586191465, 1.29826202, 0},
    };
    for (int i = 0; i < WRI_COUNT(list); i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", data, list[i].path);
        wr_error error = {0};
        wr_model *model = wr_model_read(path, NULL, &error);
        wr_model *flat = model ? wr_model_flatten(model, &error) : NULL;
        if (!flat) {
            fail_msg("%s", error.message);
        }
        check_model(flat->meshes, &list[i]);
        wr_model_destroy(flat);
        wr_model_destroy(model);
    }
}

static void two_hundred_thousand_sound_triangles_stay_as_they_are(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.0, 224); // 2 * 448 * 223 triangles
    assert_true(s.mesh.triangle_count >= 199000);
    wr_mesh_report r = inspect(&s.mesh);
    wr_clean_report mended;
    wr_model *model = clean(&s.mesh, &mended);
    assert_true(r.is_sound);
    assert_false(mended.is_changed);
    assert_same_mesh(&s.mesh, model->meshes);
    wr_model_destroy(model);
    shape_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_with_seams_are_sound),
        cmocka_unit_test(a_missing_face_is_one_hole_of_four_edges),
        cmocka_unit_test(faulty_vertices_and_triangles_are_counted_once),
        cmocka_unit_test(a_back_side_is_reported_and_dropped_only_when_asked),
        cmocka_unit_test(fins_and_common_edges_are_not_manifold),
        cmocka_unit_test(an_edge_of_very_many_triangles_costs_no_time),
        cmocka_unit_test(a_moebius_strip_has_one_border_and_no_sides),
        cmocka_unit_test(an_empty_mesh_is_no_solid),
        cmocka_unit_test(bad_numbers_are_one_sentence),
        cmocka_unit_test(crossings_of_random_whole_numbers_are_those_of_another_method),
        cmocka_unit_test(interpenetrating_boxes_cross_as_often_as_their_triangles_do),
        cmocka_unit_test(a_mast_through_a_floor_crosses_it_eight_times),
        cmocka_unit_test(the_tree_finds_what_trying_all_pairs_finds),
        cmocka_unit_test(threads_do_not_change_what_is_found),
        cmocka_unit_test(a_hopeless_tangle_is_cut_short),
        cmocka_unit_test(what_a_block_does_not_need_goes_to_others),
        cmocka_unit_test(a_search_cut_short_is_the_same_for_all_threads),
        cmocka_unit_test(an_inverted_solid_is_turned_with_its_normals),
        cmocka_unit_test(triangles_turned_at_random_are_turned_back),
        cmocka_unit_test(a_cavity_stays_a_cavity_and_a_thing_inside_stays_a_thing),
        cmocka_unit_test(a_ray_through_an_edge_or_a_corner_counts_once),
        cmocka_unit_test(shells_beside_each_other_are_turned_by_themselves),
        cmocka_unit_test(an_open_shell_keeps_the_side_of_its_larger_area),
        cmocka_unit_test(loose_triangles_are_welded_to_the_solid_they_were),
        cmocka_unit_test(seams_are_closed_but_stay_split),
        cmocka_unit_test(attributes_that_differ_keep_vertices_apart),
        cmocka_unit_test(welding_makes_no_chains),
        cmocka_unit_test(thin_triangles_leave_no_crack),
        cmocka_unit_test(every_vertex_and_triangle_is_mapped),
        cmocka_unit_test(skins_and_morphs_go_along_and_keep_vertices_apart),
        cmocka_unit_test(cleaning_twice_is_cleaning_once),
        cmocka_unit_test(the_source_is_not_touched),
        cmocka_unit_test(every_step_can_be_left_out),
        cmocka_unit_test(place_and_scale_do_not_change_what_is_found),
        cmocka_unit_test(places_at_the_end_of_what_floats_hold_do_not_hurt),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(models_of_others_have_the_faults_that_another_program_counts),
        cmocka_unit_test(two_hundred_thousand_sound_triangles_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
