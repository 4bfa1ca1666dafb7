// test_solid.c: promises of mass properties and convex hulls.
#include "shape.h"

// --- mass properties --------------------------------------------------------------------------

static void expect_refused(const wr_mesh *mesh, double density, const char *reason)
{
    wr_mass_properties mass = {.mass = -7.0};
    wr_error error = {0};
    if (wr_mesh_find_mass(mesh, density, &mass, &error)) {
        fail_msg("accepted a surface that is %s", reason);
    }
    assert_int_equal(error.code, WR_E_ARGUMENT);
    if (!strstr(error.message, reason)) {
        fail_msg("\"%s\" does not say %s", error.message, reason);
    }
    assert_true(mass.mass == -7.0);
    assert_false(wr_mesh_find_mass(mesh, density, &mass, NULL));
}

static wr_model *random_hull(uint64_t seed, int count)
{
    wr_vec3 points[64];
    for (int i = 0; i < count; i++) {
        float x = random_float(&seed, -1, 1), y = random_float(&seed, -2, 2);
        points[i] = wr_v3(x, y, random_float(&seed, -0.5f, 0.5f));
    }
    wr_error error = {0};
    wr_model *model = wr_hull_create(points, count, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

static void a_box_has_its_closed_form(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(-0.5f, -1.0f, -1.5f), wr_v3(0.5f, 1.0f, 1.5f));
    // m / 12 (b^2 + c^2) with m = 2 * 6
    wr_mass_properties expected = {12.0, {0}, {{13, 0, 0}, {0, 10, 0}, {0, 0, 5}}};
    check_mass(find_mass(&s.mesh, 2.0), expected, 1e-14);
    check_mass(wr_primitive_mass(WR_PRIMITIVE_BOX, wr_v3(1, 2, 3), 2.0), expected, 1e-14);
    shape_destroy(&s);
}

static void a_tetrahedron_has_its_closed_form(void **state)
{
    (void)state;
    shape s = shape_create();
    add_point(&s, wr_v3(0, 0, 0));
    add_point(&s, wr_v3(1, 0, 0));
    add_point(&s, wr_v3(0, 1, 0));
    add_point(&s, wr_v3(0, 0, 1));
    add_triangle(&s, 0, 2, 1);
    add_triangle(&s, 0, 1, 3);
    add_triangle(&s, 0, 3, 2);
    add_triangle(&s, 1, 2, 3);
    // int x x = 1/60 and int x y = 1/120 about the corner; 1/160 and -1/480 about the centre.
    double d = 1.0 / 80, o = 1.0 / 480;
    wr_mass_properties expected = {1.0 / 6, {0.25, 0.25, 0.25}, {{d, o, o}, {o, d, o}, {o, o, d}}};
    check_mass(find_mass(&s.mesh, 1.0), expected, 1e-14);
    shape_destroy(&s);
}

// The error of a mesh with n steps falls as 1 / n^2.
static void check_convergence(shape (*build)(int), wr_mass_properties exact)
{
    double mass_error[3], inertia_error[3];
    for (int i = 0; i < 3; i++) {
        shape s = build(16 << i);
        wr_mass_properties found = find_mass(&s.mesh, 700.0);
        check_mass(found, exact, 0.06 / (1 << 2 * i));
        mass_error[i] = exact.mass - found.mass;
        inertia_error[i] = exact.inertia[0][0] - found.inertia[0][0];
        shape_destroy(&s);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(mass_error[i] / mass_error[i + 1], 4.0, 0.1);
        CHECK_NEAR(inertia_error[i] / inertia_error[i + 1], 4.0, 0.1);
    }
}

static shape ball_of(int n)
{
    return round_shape(0.4, 0.0, n);
}

static shape capsule_of(int n)
{
    return round_shape(0.4, 1.25, n);
}

static shape cylinder_of(int n)
{
    return prism(0.4, 1.25, n);
}

static void round_meshes_converge_to_their_closed_forms(void **state)
{
    (void)state;
    wr_vec3 size = wr_v3(0.4f, 1.25f, 0);
    check_convergence(ball_of, wr_primitive_mass(WR_PRIMITIVE_SPHERE, size, 700.0));
    check_convergence(capsule_of, wr_primitive_mass(WR_PRIMITIVE_CAPSULE, size, 700.0));
    check_convergence(cylinder_of, wr_primitive_mass(WR_PRIMITIVE_CYLINDER, size, 700.0));
}

static void closed_forms_are_those_of_the_textbook(void **state)
{
    (void)state;
    wr_mass_properties ball = wr_primitive_mass(WR_PRIMITIVE_SPHERE, wr_v3(2, 0, 0), 3.0);
    CHECK_NEAR(ball.mass, 3.0 * 4.0 / 3.0 * PI * 8.0, 1e-12);
    CHECK_NEAR(ball.inertia[1][1], 0.4 * ball.mass * 4.0, 1e-12);
    wr_mass_properties can = wr_primitive_mass(WR_PRIMITIVE_CYLINDER, wr_v3(2, 3, 0), 1.0);
    CHECK_NEAR(can.inertia[1][1], 0.5 * can.mass * 4.0, 1e-12);
    CHECK_NEAR(can.inertia[0][0], can.mass * (3.0 * 4.0 + 9.0) / 12.0, 1e-12);
    // Without a straight part a capsule is a ball.
    check_mass(wr_primitive_mass(WR_PRIMITIVE_CAPSULE, wr_v3(2, 0, 0), 3.0), ball, 1e-14);
}

static void bodies_far_from_the_origin_lose_no_digits(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(100000, -200000, 300000), wr_v3(100001, -199998, 300003));
    wr_mass_properties expected = {
        6.0, {100000.5, -199999.0, 300001.5}, {{6.5, 0, 0}, {0, 5, 0}, {0, 0, 2.5}}};
    wr_mass_properties found = find_mass(&s.mesh, 1.0);
    check_mass(found, expected, 1e-13);
    add_point(&s, wr_v3(-1e7f, 1e7f, 1e7f)); // of no triangle
    check_mass(find_mass(&s.mesh, 1.0), expected, 1e-13);
    shape_destroy(&s);
}

// I' = R I R^T, c' = R c + t
static wr_mass_properties moved(wr_mass_properties m, wr_pose pose)
{
    double r[3][3];
    wr_mat3 rotation = wr_mat3_from_quat(pose.rotation);
    wr_mass_properties out = {.mass = m.mass,
                              .center = {pose.position.x, pose.position.y, pose.position.z}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[i][j] = rotation.m[i][j];
            out.center[i] += r[i][j] * m.center[j];
        }
    }
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 9; k++) {
            out.inertia[i / 3][i % 3] +=
                r[i / 3][k / 3] * m.inertia[k / 3][k % 3] * r[i % 3][k % 3];
        }
    }
    return out;
}

static void mass_properties_follow_rigid_motions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        wr_model *model = random_hull(seed, 30);
        wr_mesh *mesh = model->meshes;
        wr_mass_properties before = find_mass(mesh, 500.0);
        uint64_t other = seed + 100;
        float angle = random_float(&other, -3, 3);
        wr_pose pose = {wr_v3(3, -4, 5), wr_quat_from_axis_angle(wr_v3(1, angle, 2), angle)};
        for (int i = 0; i < mesh->vertex_count; i++) {
            mesh->positions[i] = wr_pose_point(pose, mesh->positions[i]);
        }
        check_mass(find_mass(mesh, 500.0), moved(before, pose), 3e-6);
        wr_model_destroy(model);
    }
}

static void eight_eighths_are_the_whole(void **state)
{
    (void)state;
    wr_mass_properties parts[8];
    for (int i = 0; i < 8; i++) {
        shape s = shape_create();
        wr_vec3 min = wr_v3(i & 1 ? 2.0f : 1.0f, i & 2 ? 0.5f : -1.0f, i & 4 ? 7.0f : 5.0f);
        add_box(&s, min, wr_add(min, wr_v3(1.0f, 1.5f, 2.0f)));
        parts[i] = find_mass(&s.mesh, 900.0);
        shape_destroy(&s);
    }
    shape whole = shape_create();
    add_box(&whole, wr_v3(1, -1, 5), wr_v3(3, 2, 9));
    check_mass(wr_mass_sum(parts, 8), find_mass(&whole.mesh, 900.0), 1e-13);
    shape_destroy(&whole);
    // Of one part the sum is the part, of nothing it is nothing.
    check_mass(wr_mass_sum(parts, 1), parts[0], 1e-15);
    assert_true(wr_mass_sum(parts, 0).mass == 0.0);
}

static void parts_askew_of_each_other_are_the_whole(void **state)
{
    (void)state;
    static const float boxes[4][6] = {
        {-3, -4, -6, -1, -3, -2}, {0, 2, -1, 4, 3, 0}, {5, 3, 1, 6, 7, 2}, {4, 5, 8, 7, 6, 9}};
    wr_mass_properties parts[4];
    shape whole = shape_create();
    for (int i = 0; i < 4; i++) {
        const float *b = boxes[i];
        shape s = shape_create();
        add_box(&s, wr_v3(b[0], b[1], b[2]), wr_v3(b[3], b[4], b[5]));
        add_box(&whole, wr_v3(b[0], b[1], b[2]), wr_v3(b[3], b[4], b[5]));
        parts[i] = find_mass(&s.mesh, 300.0);
        shape_destroy(&s);
    }
    wr_mass_properties sum = wr_mass_sum(parts, 4);
    for (int i = 0; i < 3; i++) { // none is zero by accident
        assert_true(fabs(sum.inertia[i][(i + 1) % 3]) > 0.05 * sum.inertia[i][i]);
    }
    check_mass(sum, find_mass(&whole.mesh, 300.0), 1e-12);
    shape_destroy(&whole);
}

static void two_balls_on_a_stick_follow_parallel_axes(void **state)
{
    (void)state;
    wr_mass_properties balls[2] = {wr_primitive_mass(WR_PRIMITIVE_SPHERE, wr_v3(1, 0, 0), 1.0),
                                   wr_primitive_mass(WR_PRIMITIVE_SPHERE, wr_v3(1, 0, 0), 3.0)};
    balls[1].center[0] = 4.0;
    wr_mass_properties sum = wr_mass_sum(balls, 2);
    double m = balls[0].mass;
    CHECK_NEAR(sum.center[0], 3.0, 1e-14);
    CHECK_NEAR(sum.inertia[0][0], 0.4 * 4 * m, 1e-12); // along the stick
    CHECK_NEAR(sum.inertia[1][1], 0.4 * 4 * m + m * 9.0 + 3 * m * 1.0, 1e-12);
    CHECK_NEAR(sum.inertia[0][1], 0.0, 1e-12);
}

static void surfaces_that_enclose_nothing_are_refused(void **state)
{
    (void)state;
    shape s = shape_create();
    expect_refused(&s.mesh, 1.0, "open"); // no triangle at all
    add_box(&s, wr_v3(1, 2, 3), wr_v3(2, 4, 6));
    assert_true(volume(&s.mesh) == 6.0);
    expect_refused(&s.mesh, 0.0, "density");
    expect_refused(&s.mesh, -1.0, "density");
    expect_refused(&s.mesh, NAN, "density");
    expect_refused(&s.mesh, INFINITY, "density");
    s.mesh.triangle_count -= 1; // half the lid
    expect_refused(&s.mesh, 1.0, "open");
    s.mesh.triangle_count -= 1;
    expect_refused(&s.mesh, 1.0, "open");
    s.mesh.triangle_count += 2;
    for (int i = 0; i < s.mesh.triangle_count; i++) {
        int *t = &s.mesh.triangles[3 * i], swap = t[1];
        t[1] = t[2], t[2] = swap;
    }
    expect_refused(&s.mesh, 1.0, "inside out");
    s.mesh.positions[3].y = NAN;
    expect_refused(&s.mesh, 1.0, "open");
    shape_destroy(&s);

    shape bowl = shape_create(); // the missing lid lies in the middle of the bounds
    add_box(&bowl, wr_v3(-1, -1, -1), wr_v3(1, 1, 0));
    memset(&bowl.mesh.triangles[3 * 10], 0, 6 * sizeof(int));
    add_box(&bowl, wr_v3(0, 0, 0.5f), wr_v3(0.5f, 0.5f, 1));
    expect_refused(&bowl.mesh, 1.0, "open");
    shape_destroy(&bowl);

    shape tube = prism(0.5, 2.0, 40); // without its caps, whose triangles come first and last
    for (int i = 0; i < 40; i++) {
        memmove(&tube.mesh.triangles[6 * i], &tube.mesh.triangles[3 * (4 * i + 1)],
                6 * sizeof(int));
    }
    tube.mesh.triangle_count = 80;
    expect_refused(&tube.mesh, 1.0, "open");
    shape_destroy(&tube);
}

static void flat_surfaces_are_refused_at_every_angle(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 0.3f * (float)i);
        shape s = shape_create();
        for (int k = 0; k < 4; k++) {
            wr_vec3 corner = wr_v3(k == 1 || k == 2 ? 1.0f : 0.0f, k > 1 ? 1.0f : 0.0f, 0.0f);
            add_point(&s, wr_rotate(turn, corner));
        }
        add_quad(&s, 0, 1, 2, 3); // one side
        wr_mass_properties mass;
        assert_false(wr_mesh_find_mass(&s.mesh, 1.0, &mass, NULL));
        add_quad(&s, 1, 0, 3, 2); // and the other, split along the other diagonal
        assert_false(wr_mesh_find_mass(&s.mesh, 1.0, &mass, NULL));
        shape_destroy(&s);
    }
}

static void thin_bodies_and_hair_cracks_are_accepted(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0, 0, 0), wr_v3(1, 0.0001f, 1));
    CHECK_NEAR(volume(&s.mesh), 1e-4, 1e-10);
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 1.0f);
    for (int i = 0; i < 8; i++) { // a wire across the diagonal of its bounds
        wr_vec3 p = s.mesh.positions[i];
        s.mesh.positions[i] = wr_rotate(turn, wr_v3(p.x, p.y, 0.0001f * p.z));
    }
    CHECK_NEAR(volume(&s.mesh), 1e-8, 1e-10);
    shape_destroy(&s);

    s = shape_create();
    add_box(&s, wr_v3(0, 0, 0), wr_v3(1, 1, 1));
    int torn = add_point(&s, wr_v3(1.0f, 1.0f, 1.001f)); // a lid that does not quite close
    s.mesh.triangles[3 * 10 + 2] = torn;
    CHECK_NEAR(volume(&s.mesh), 1.0, 1e-3);
    shape_destroy(&s);
}

// --- hulls ------------------------------------------------------------------------------------

static wr_model *hull_of(const wr_vec3 *points, int count)
{
    wr_error error = {0};
    wr_model *model = wr_hull_create(points, count, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    const wr_mesh *mesh = model->meshes;
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->node_count, 1);
    assert_int_equal(mesh->part_count, 1);
    assert_int_equal(mesh->parts[0].triangle_count, mesh->triangle_count);
    assert_int_equal(check_closed(mesh), 2);
    assert_int_equal(mesh->triangle_count, 2 * mesh->vertex_count - 4); // no vertex is left over
    return model;
}

// No point lies outside a face by more than rounding; also says that faces look outwards.
static void check_holds(const wr_mesh *mesh, const wr_vec3 *points, int count)
{
    wr_vec3 extent = wr_box_size(wr_mesh_bounds(mesh));
    double size = wr_length(extent), tolerance = 1e-6 * size;
    for (int i = 0; i < mesh->triangle_count; i++) {
        wr_vec3 a = mesh->positions[mesh->triangles[3 * i]];
        wr_vec3 area = triangle_area(mesh, i), n = wr_normalize(area);
        if (wr_length(area) < 1e-5 * size * size) {
            continue; // a sliver's direction is rounding
        }
        for (int k = 0; k < count; k++) {
            assert_true(wr_dot(n, wr_sub(points[k], a)) <= tolerance);
        }
    }
}

static void the_hull_of_a_cube_is_the_cube(void **state)
{
    (void)state;
    wr_vec3 points[300];
    int count = 0;
    uint64_t seed = 5;
    for (; count < 280; count++) { // inside
        float x = random_float(&seed, -0.9f, 0.9f), y = random_float(&seed, -0.9f, 0.9f);
        points[count] = wr_v3(x, y, random_float(&seed, -0.9f, 0.9f));
    }
    for (int i = 0; i < 8; i++) {
        points[count++] = wr_v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    }
    points[count++] = wr_v3(1, 0, 0);        // on a face
    points[count++] = wr_v3(0, -1, 1);       // on an edge
    points[count++] = wr_v3(-1, -1, -1);     // a corner twice
    points[count++] = wr_v3(0.5f, 0.25f, 1); // on a face
    wr_model *model = hull_of(points, count);
    const wr_mesh *mesh = model->meshes;
    assert_int_equal(mesh->vertex_count, 8);
    assert_int_equal(mesh->triangle_count, 12);
    assert_null(mesh->normals);
    check_holds(mesh, points, count);
    CHECK_NEAR(volume(mesh), 8.0, 1e-12);
    wr_model_destroy(model);
}

enum { CLOUD = 700 };

// Clouds that are hard for a hull: in a cube, on a sphere, on a grid, on a grid of thirds that are
// not quite in line, on two circles.
enum { CLOUD_KINDS = 5 };

static void fill_cloud(wr_vec3 *points, int kind)
{
    uint64_t seed = 6;
    for (int i = 0; i < CLOUD; i++) {
        float x = random_float(&seed, -1, 1), y = random_float(&seed, -1, 1);
        wr_vec3 p = wr_v3(x, y, random_float(&seed, -1, 1));
        float angle = 2.0f * WR_PI * (float)(i % 50) / 50.0f;
        points[i] =
            kind == 0   ? p
            : kind == 1 ? wr_normalize(p)
            : kind == 2 ? wr_v3((float)(i % 9) / 8, (float)(i / 9 % 9) / 8, (float)(i / 81 % 9) / 8)
            : kind == 3 ? wr_v3(roundf(3 * p.x) / 3, roundf(3 * p.y) / 3, roundf(3 * p.z) / 3)
                        : wr_v3(sinf(angle), i / 50 % 2 ? 1.0f : -1.0f, cosf(angle));
    }
}

static void hulls_hold_their_points_at_every_scale(void **state)
{
    (void)state;
    const float scales[] = {1e-3f, 1.0f, 1e3f};
    const double expected[] = {8.0, 4.0 * PI / 3.0, 1.0, 8.0, 2.0 * PI};
    for (int kind = 0; kind < CLOUD_KINDS; kind++) {
        double unit_volume = 0.0;
        for (int i = 0; i < 3; i++) {
            wr_vec3 points[CLOUD];
            fill_cloud(points, kind);
            for (int k = 0; k < CLOUD; k++) {
                points[k] = wr_scale(scales[i], points[k]);
            }
            wr_model *model = hull_of(points, CLOUD);
            check_holds(model->meshes, points, CLOUD);
            double v = volume(model->meshes) / pow(scales[i], 3);
            unit_volume = i == 0 ? v : unit_volume;
            CHECK_NEAR(v, unit_volume, 1e-5 * v);
            wr_model_destroy(model);
        }
        CHECK_NEAR(unit_volume, expected[kind], 0.11 * unit_volume);
    }
}

static void a_hull_far_away_is_whole(void **state)
{
    (void)state;
    wr_vec3 points[CLOUD];
    for (int kind = 0; kind < CLOUD_KINDS; kind++) {
        fill_cloud(points, kind);
        for (int i = 0; i < CLOUD; i++) { // so far that neighbours share their floats
            points[i] = wr_add(points[i], wr_v3(1000, -2000, 3000));
        }
        wr_model *model = hull_of(points, CLOUD);
        assert_true(volume(model->meshes) > 0.9);
        wr_model_destroy(model);
    }
}

// Thirds are not quite in line, so that hulls get corners whose triangle has no direction.
static void corners_in_a_line_do_not_turn_a_face_over(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    for (uint64_t seed = 1; seed <= 400; seed++) {
        wr_vec3 points[COUNT];
        uint64_t state_of_random = seed;
        for (int i = 0; i < COUNT; i++) {
            for (int k = 0; k < 3; k++) {
                float x = random_float(&state_of_random, -1, 1);
                (&points[i].x)[k] = roundf(3 * x) / 3;
            }
        }
        wr_model_destroy(hull_of(points, COUNT));
    }
}

static void the_smallest_hull_is_a_tetrahedron(void **state)
{
    (void)state;
    const wr_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    wr_model *model = hull_of(corners, 4);
    assert_int_equal(model->meshes[0].triangle_count, 4);
    CHECK_NEAR(volume(model->meshes), 1.0 / 6.0, 1e-12);
    wr_model_destroy(model);
}

static void expect_no_hull(const wr_vec3 *points, int count, const char *reason)
{
    wr_error error = {0};
    assert_null(wr_hull_create(points, count, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    if (!strstr(error.message, reason)) {
        fail_msg("\"%s\" does not say %s", error.message, reason);
    }
}

static void check_refused_clouds(float scale)
{
    enum { COUNT = 50 };
    wr_vec3 flat[COUNT], line[COUNT], same[COUNT], bad[COUNT];
    wr_vec3 u = wr_v3(0.3f, 0.5f, -0.2f), v = wr_v3(-0.1f, 0.7f, 0.4f);
    uint64_t seed = 7;
    for (int i = 0; i < COUNT; i++) {
        float a = random_float(&seed, -scale, scale), b = random_float(&seed, -scale, scale);
        flat[i] = wr_add_scaled(wr_scale(a, u), b, v);
        line[i] = wr_scale(a, u);
        same[i] = wr_scale(scale, u);
        bad[i] = wr_v3(a, b, a * b);
    }
    expect_no_hull(flat, COUNT, "in a plane");
    expect_no_hull(line, COUNT, "in a plane");
    expect_no_hull(same, COUNT, "in a plane");
    expect_no_hull(flat, 3, "in a plane");
    expect_no_hull(NULL, 0, "in a plane");
    bad[17].y = NAN;
    expect_no_hull(bad, COUNT, "point 17 is not finite");
    bad[11].x = INFINITY;
    expect_no_hull(bad, COUNT, "point 11 is not finite");
}

// Thinner and thinner, until it is refused: never a crash, never a word on stderr.
static void check_thin_clouds(void)
{
    for (float thickness = 1e-3f; thickness > 1e-9f; thickness *= 0.5f) {
        wr_vec3 points[CLOUD];
        fill_cloud(points, 0);
        for (int i = 0; i < CLOUD; i++) {
            points[i].y *= thickness;
            points[i] = wr_rotate(wr_quat_from_axis_angle(wr_v3(1, 2, 3), 0.5f), points[i]);
        }
        wr_error error = {0};
        wr_model *model = wr_hull_create(points, CLOUD, &error);
        assert_true(model || error.code == WR_E_ARGUMENT);
        assert_true(model ? thickness > 1e-7f : thickness < 1e-5f);
        if (model) {
            assert_int_equal(check_closed(model->meshes), 2);
        }
        wr_model_destroy(model);
    }
}

static void clouds_without_volume_are_one_sentence_and_silent(void **state)
{
    (void)state;
    FILE *log = tmpfile();
    fflush(stderr);
    int saved = dup(2);
    assert_true(log && saved >= 0 && dup2(fileno(log), 2) == 2);
    check_refused_clouds(1e-3f);
    check_refused_clouds(1.0f);
    check_refused_clouds(1e3f);
    check_thin_clouds();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    assert_int_equal(lseek(fileno(log), 0, SEEK_END), 0);
    fclose(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_its_closed_form),
        cmocka_unit_test(a_tetrahedron_has_its_closed_form),
        cmocka_unit_test(round_meshes_converge_to_their_closed_forms),
        cmocka_unit_test(closed_forms_are_those_of_the_textbook),
        cmocka_unit_test(bodies_far_from_the_origin_lose_no_digits),
        cmocka_unit_test(mass_properties_follow_rigid_motions),
        cmocka_unit_test(eight_eighths_are_the_whole),
        cmocka_unit_test(parts_askew_of_each_other_are_the_whole),
        cmocka_unit_test(two_balls_on_a_stick_follow_parallel_axes),
        cmocka_unit_test(surfaces_that_enclose_nothing_are_refused),
        cmocka_unit_test(flat_surfaces_are_refused_at_every_angle),
        cmocka_unit_test(thin_bodies_and_hair_cracks_are_accepted),
        cmocka_unit_test(the_hull_of_a_cube_is_the_cube),
        cmocka_unit_test(hulls_hold_their_points_at_every_scale),
        cmocka_unit_test(a_hull_far_away_is_whole),
        cmocka_unit_test(corners_in_a_line_do_not_turn_a_face_over),
        cmocka_unit_test(the_smallest_hull_is_a_tetrahedron),
        cmocka_unit_test(clouds_without_volume_are_one_sentence_and_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
