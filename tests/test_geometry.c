// test_geometry.c: promises of models, primitives, shells, normals, reports and cameras.
#include "shape.h"

#include "wrought/stage.h"

static const wr_color WHITE = {1.0f, 1.0f, 1.0f, 1.0f};

// --- shells -----------------------------------------------------------------------------------

static void shells_are_counted_from_their_first_vertex(void **state)
{
    (void)state;
    shape s = shape_create();
    int shells[64];
    assert_int_equal(wr_mesh_find_shells(&s.mesh, shells), 0);
    add_box(&s, wr_v3(0, 0, 0), wr_v3(1, 1, 1));
    assert_int_equal(wr_mesh_find_shells(&s.mesh, shells), 1);
    add_box(&s, wr_v3(5, 0, 0), wr_v3(6, 1, 1));
    add_point(&s, wr_v3(9, 9, 9)); // of no triangle: a shell of its own
    assert_int_equal(wr_mesh_find_shells(&s.mesh, shells), 3);
    for (int i = 0; i < 17; i++) {
        assert_int_equal(shells[i], i / 8);
    }
    // Joined by one vertex at the same place; -0 and 0 are the same place.
    s.mesh.positions[0] = wr_v3(0.0f, -0.0f, 0.0f);
    s.mesh.positions[8] = wr_v3(-0.0f, 0.0f, 0.0f);
    assert_int_equal(wr_mesh_find_shells(&s.mesh, shells), 2);
    assert_int_equal(shells[15], 0);
    assert_int_equal(shells[16], 1);
    shape_destroy(&s);
}

static void interleaved_shells_keep_their_order(void **state)
{
    (void)state;
    shape s = shape_create();
    for (int i = 0; i < 12; i++) {
        add_point(&s, wr_v3((float)i, 0, (float)(i * i)));
    }
    for (int i = 7; i >= 0; i--) { // chains of every fourth vertex, given backwards
        add_triangle(&s, i + 4, i, i + 4);
    }
    int shells[12];
    assert_int_equal(wr_mesh_find_shells(&s.mesh, shells), 4);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(shells[i], i % 4);
    }
    shape_destroy(&s);
}

static void seams_do_not_cut_a_shell(void **state)
{
    (void)state;
    const wr_primitive kinds[] = {WR_PRIMITIVE_BOX, WR_PRIMITIVE_SPHERE, WR_PRIMITIVE_CAPSULE,
                                  WR_PRIMITIVE_CYLINDER};
    for (int i = 0; i < 4; i++) { // their vertices are split at edges and texture seams
        wr_model *model = wr_model_create_primitive(kinds[i], wr_v3(1, 2, 3), WHITE, NULL);
        const wr_mesh *mesh = model->meshes;
        int *shells = calloc((size_t)mesh->vertex_count, sizeof *shells);
        assert_int_equal(wr_mesh_find_shells(mesh, shells), 1);
        assert_true(is_zeroed(shells, (size_t)mesh->vertex_count * sizeof *shells));
        free(shells);
        wr_model_destroy(model);
    }
}

static void vertices_without_a_place_cost_no_time(void **state)
{
    (void)state;
    enum { MANY = 200000 };
    wr_vec3 *positions = malloc(MANY * sizeof *positions);
    int *shells = malloc(MANY * sizeof *shells);
    for (int i = 0; i < MANY; i++) {
        positions[i] = i % 2 ? wr_v3(NAN, 0, 0) : wr_v3(INFINITY, 0, 0);
    }
    wr_mesh mesh = {.vertex_count = MANY, .positions = positions};
    double start = processor_seconds();
    assert_int_equal(wr_mesh_find_shells(&mesh, shells), 2); // quadratic when none is equal
    assert_true(processor_seconds() - start < 5.0);
    free(positions);
    free(shells);
}

// --- normals and bounds -----------------------------------------------------------------------

static void normals_of_a_ball_look_away_from_its_centre(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const float scales[] = {1e-3f, 1.0f, 1e3f};
        shape s = round_shape(scales[i], 0.0, 32);
        wr_vec3 *normals = calloc((size_t)s.mesh.vertex_count, sizeof *normals);
        wr_find_normals(s.mesh.positions, s.mesh.vertex_count, s.mesh.triangles,
                        s.mesh.triangle_count, normals);
        for (int k = 0; k < s.mesh.vertex_count; k++) {
            CHECK_NEAR(wr_length(normals[k]), 1.0, 1e-6);
            assert_true(wr_dot(normals[k], wr_normalize(s.mesh.positions[k])) > 0.998f);
        }
        free(normals);
        shape_destroy(&s);
    }
}

static void normals_are_weighted_by_area(void **state)
{
    (void)state;
    // Two right triangles at one edge: area 0.5 looking along z, area 1.5 looking along x.
    const wr_vec3 positions[] = {{0, 0, 0},  {0, 1, 0}, {-1, 0, 0},
                                 {0, 0, -3}, {7, 7, 7}, {8, 8, 8}};
    const int triangles[] = {0, 1, 2, 0, 3, 1, 4, 4, 5};
    wr_vec3 normals[6];
    wr_find_normals(positions, 6, triangles, 3, normals);
    CHECK_NEAR(normals[0].x, 3.0 / sqrt(10.0), 1e-6);
    CHECK_NEAR(normals[0].z, 1.0 / sqrt(10.0), 1e-6);
    CHECK_NEAR(normals[2].z, 1.0, 1e-6);
    CHECK_NEAR(normals[3].x, 1.0, 1e-6);
    CHECK_NEAR(normals[4].y, 1.0, 0.0); // only in a triangle without area
    CHECK_NEAR(normals[5].y, 1.0, 0.0);
}

static void bounds_hold_every_vertex(void **state)
{
    (void)state;
    wr_mesh none = {0};
    assert_true(wr_box_is_empty(wr_mesh_bounds(&none)));
    shape s = shape_create();
    add_box(&s, wr_v3(-1, 2, -3), wr_v3(4, 5, 6));
    wr_box box = wr_mesh_bounds(&s.mesh);
    assert_true(same_place(box.min, wr_v3(-1, 2, -3)) && same_place(box.max, wr_v3(4, 5, 6)));
    shape_destroy(&s);
}

// --- primitives -------------------------------------------------------------------------------

static void check_primitive(wr_primitive kind, wr_vec3 size, wr_vec3 half)
{
    wr_error error = {0};
    wr_model *model = wr_model_create_primitive(kind, size, WHITE, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    const wr_mesh *mesh = model->meshes;
    assert_int_equal(check_closed(mesh), 2);
    wr_box box = wr_mesh_bounds(mesh);
    float slack = 4e-3f * wr_length(half); // the corners of a round outline reach to it
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR((&box.max.x)[k], (&half.x)[k], slack);
        CHECK_NEAR((&box.min.x)[k], -(&half.x)[k], slack);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        CHECK_NEAR(wr_length(mesh->normals[i]), 1.0, 1e-6);
        assert_true(mesh->uvs[i].x >= 0.0f && mesh->uvs[i].x <= 1.0f);
        assert_true(mesh->uvs[i].y >= 0.0f && mesh->uvs[i].y <= 1.0f);
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        wr_vec3 area = triangle_area(mesh, i), n = wr_normalize(area);
        assert_true(wr_length(area) > 0.0f);
        for (int k = 0; k < 3; k++) { // shading looks where the surface looks
            assert_true(wr_dot(n, mesh->normals[mesh->triangles[3 * i + k]]) > 0.98f);
        }
    }
    wr_mass_properties found = find_mass(mesh, 10.0), exact = wr_primitive_mass(kind, size, 10.0);
    check_mass(found, exact, kind == WR_PRIMITIVE_BOX ? 1e-6 : 0.02);
    assert_true(found.mass <= exact.mass * 1.000001); // inscribed
    assert_int_equal(mesh->parts[0].triangle_count, mesh->triangle_count);
    assert_int_equal(mesh->parts[0].look, 0);
    wr_model_destroy(model);
}

static void primitives_are_closed_outward_and_of_their_size(void **state)
{
    (void)state;
    const float scales[] = {1e-3f, 0.37f, 1.0f, 1e3f};
    for (int i = 0; i < WRI_COUNT(scales); i++) {
        float s = scales[i];
        check_primitive(WR_PRIMITIVE_BOX, wr_v3(s, 2 * s, 3 * s), wr_v3(s / 2, s, 1.5f * s));
        check_primitive(WR_PRIMITIVE_SPHERE, wr_v3(s, 0, 0), wr_v3(s, s, s));
        check_primitive(WR_PRIMITIVE_CAPSULE, wr_v3(s, 3 * s, 0), wr_v3(s, 2.5f * s, s));
        check_primitive(WR_PRIMITIVE_CAPSULE, wr_v3(s, 0.1f * s, 0), wr_v3(s, 1.05f * s, s));
        check_primitive(WR_PRIMITIVE_CAPSULE, wr_v3(s, 0, 0), wr_v3(s, s, s));
        check_primitive(WR_PRIMITIVE_CYLINDER, wr_v3(s, 3 * s, 0), wr_v3(s, 1.5f * s, s));
        check_primitive(WR_PRIMITIVE_CYLINDER, wr_v3(s, 0.1f * s, 0), wr_v3(s, 0.05f * s, s));
    }
}

static void primitives_without_size_are_one_sentence(void **state)
{
    (void)state;
    static const struct {
        wr_primitive kind;
        wr_vec3 size;
    } bad[] = {
        {WR_PRIMITIVE_BOX, {1, 0, 1}},      {WR_PRIMITIVE_BOX, {1, 1, -1}},
        {WR_PRIMITIVE_BOX, {NAN, 1, 1}},    {WR_PRIMITIVE_SPHERE, {0, 0, 0}},
        {WR_PRIMITIVE_SPHERE, {-1, 0, 0}},  {WR_PRIMITIVE_SPHERE, {INFINITY, 0, 0}},
        {WR_PRIMITIVE_CAPSULE, {1, -1, 0}}, {WR_PRIMITIVE_CAPSULE, {1, NAN, 0}},
        {WR_PRIMITIVE_CYLINDER, {1, 0, 0}}, {WR_PRIMITIVE_CYLINDER, {0, 1, 0}},
    };
    for (int i = 0; i < WRI_COUNT(bad); i++) {
        wr_error error = {0};
        assert_null(wr_model_create_primitive(bad[i].kind, bad[i].size, WHITE, &error));
        assert_int_equal(error.code, WR_E_ARGUMENT);
        assert_non_null(strstr(error.message, "expected positive lengths"));
    }
}

// --- models -----------------------------------------------------------------------------------

static wr_model *nest(const wr_model *source, const wr_node *nodes, int count,
                      const wr_allocator *allocator)
{
    wr_model *model = wr_model_create(allocator, NULL);
    assert_non_null(model);
    model->nodes = wr_model_alloc(model, (size_t)count, sizeof *nodes);
    memcpy(model->nodes, nodes, (size_t)count * sizeof *nodes);
    model->node_count = count;
    model->meshes = source->meshes;
    model->mesh_count = source->mesh_count;
    model->looks = source->looks;
    model->look_count = source->look_count;
    return model;
}

static const wr_pose HERE = {{0, 0, 0}, {0, 0, 0, 1}};

static wr_model *flatten_nested(const wr_model *source, const wr_node *nodes, int count)
{
    wr_model *nested = nest(source, nodes, count, NULL);
    wr_error error = {0};
    wr_model *flat = wr_model_flatten(nested, &error);
    if (!flat) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(flat->mesh_count, 1);
    assert_int_equal(flat->node_count, 1);
    assert_ptr_equal(flat->looks, nested->looks);
    wr_model_destroy(nested);
    return flat;
}

static void flattening_applies_every_parent(void **state)
{
    (void)state;
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(2, 2, 2), WHITE, NULL);
    wr_quat quarter = wr_quat_from_axis_angle(wr_v3(0, 0, 1), 0.5f * WR_PI);
    const wr_node nodes[] = {
        {"root", -1, -1, -1, {{10, 0, 0}, {0, 0, 0, 1}}, {2, 2, 2}},
        {"arm", 0, -1, -1, {{0, 5, 0}, quarter}, {1, 1, 1}},
        {"hand", 1, 0, -1, {{3, 0, 0}, {0, 0, 0, 1}}, {1, 0.5f, 1}},
    };
    wr_model *flat = flatten_nested(box, nodes, 3);
    // The hand sits at (10, 0, 0) + 2 ((0, 5, 0) + turn (3, 0, 0)); its short side turns to x.
    wr_box bounds = wr_mesh_bounds(flat->meshes);
    wr_vec3 center = wr_box_center(bounds), size = wr_box_size(bounds);
    CHECK_NEAR(wr_distance(center, wr_v3(10, 16, 0)), 0.0, 1e-5);
    CHECK_NEAR(wr_distance(size, wr_v3(2, 4, 4)), 0.0, 1e-5);
    CHECK_NEAR(volume(flat->meshes), 32.0, 1e-4);
    wr_model_destroy(flat);
    wr_model_destroy(box);
}

// Every number of it fits into a float, but not the products.
static void vertices_that_leave_the_floats_are_an_error(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(2, 2, 2), WHITE, NULL);
    wr_node nodes[] = {{"root", -1, -1, -1, HERE, {1e30f, 1, 1}, NULL},
                       {"leaf", 0, 0, -1, HERE, {1e30f, 1, 1}, NULL}};
    wr_node *own = box->nodes;
    box->name = "box";
    box->nodes = nodes;
    box->node_count = 2;
    assert_null(wr_model_flatten(box, &error));
    assert_string_equal(error.message, "box: node 1: vertex 0 has no finite place");
    box->nodes = own;
    box->node_count = 1;
    wr_model_destroy(box);
}

static void check_faces(const wr_mesh *mesh)
{
    for (int i = 0; i < mesh->triangle_count; i++) {
        wr_vec3 n = wr_normalize(triangle_area(mesh, i));
        for (int k = 0; k < 3; k++) {
            wr_vec3 shading = mesh->normals[mesh->triangles[3 * i + k]];
            CHECK_NEAR(wr_length(shading), 1.0, 1e-6);
            CHECK_NEAR(wr_dot(n, shading), 1.0, 1e-5);
        }
    }
}

static void normals_stay_on_their_faces_through_scale_shear_and_mirrors(void **state)
{
    (void)state;
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1), WHITE, NULL);
    uint64_t seed = 8;
    for (int i = 0; i < 64; i++) { // every combination of mirrors in two levels
        wr_node nodes[2] = {{"a", -1, -1, -1, HERE, {0}, NULL}, {"b", 0, 0, -1, HERE, {0}, NULL}};
        double expected = 1.0;
        for (int k = 0; k < 6; k++) {
            float magnitude = random_float(&seed, 0.2f, 3.0f);
            (&nodes[k / 3].scale.x)[k % 3] = i >> k & 1 ? -magnitude : magnitude;
            expected *= (double)magnitude;
        }
        for (int k = 0; k < 2; k++) { // turning between uneven scales shears
            float angle = random_float(&seed, -3, 3);
            nodes[k].pose.rotation = wr_quat_from_axis_angle(wr_v3(1, angle, 0.5f), angle);
        }
        wr_model *flat = flatten_nested(box, nodes, 2);
        check_faces(flat->meshes);
        CHECK_NEAR(volume(flat->meshes), expected, 1e-5 * expected); // positive: still outwards
        wr_model_destroy(flat);
    }
    wr_model_destroy(box);
}

static void flattening_joins_parts_and_attributes(void **state)
{
    (void)state;
    wr_model *ball = wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(1, 0, 0), WHITE, NULL);
    int n = ball->meshes[0].vertex_count, m = ball->meshes[0].triangle_count;
    wr_mesh meshes[2] = {ball->meshes[0], ball->meshes[0]};
    meshes[1].uvs = NULL;
    meshes[0].colors = wr_model_alloc(ball, (size_t)n, sizeof(wr_color));
    ball->meshes = meshes;
    ball->mesh_count = 2;
    const wr_node nodes[] = {{"a", -1, 0, -1, HERE, {1, 1, 1}, NULL},
                             {"b", -1, 1, -1, {{5, 0, 0}, {0, 0, 0, 1}}, {1, 1, 1}}};
    wr_model *flat = flatten_nested(ball, nodes, 2);
    const wr_mesh *mesh = flat->meshes;
    assert_int_equal(mesh->vertex_count, 2 * n);
    assert_int_equal(mesh->triangle_count, 2 * m);
    assert_int_equal(mesh->part_count, 2);
    assert_int_equal(mesh->parts[1].first_triangle, m);
    assert_int_equal(mesh->parts[1].triangle_count, m);
    assert_int_equal(mesh->triangles[3 * m], meshes[1].triangles[0] + n);
    assert_memory_equal(mesh->uvs, meshes[0].uvs, (size_t)n * sizeof(wr_vec2));
    assert_true(mesh->uvs[n].x == 0.0f);
    assert_true(mesh->colors[0].g == 0.0f && mesh->colors[n].g == 1.0f); // white where none is
    wr_model_destroy(flat);
    meshes[1].normals = NULL;
    flat = flatten_nested(ball, nodes, 2);
    assert_null(flat->meshes->normals); // all or none
    wr_model_destroy(flat);
    flat = flatten_nested(ball, nodes, 0);
    assert_int_equal(flat->meshes->vertex_count, 0);
    wr_model_destroy(flat);
    wr_model_destroy(ball);
}

// --- reports ----------------------------------------------------------------------------------

// A closed box with one triangle turned encloses nothing that could be counted, whichever comes
// first; its area counts, and so does every box that is sound.
static void volumes_are_of_consistent_shells_alone(void **state)
{
    (void)state;
    for (int turned = 0; turned < 3; turned++) {
        shape s = shape_create();
        wr_error error = {0};
        wr_mesh_report report;
        add_box(&s, wr_v3(-3, 1, 2), wr_v3(-1, 2, 5));
        add_box(&s, wr_v3(4, 0, 0), wr_v3(5, 2, 2));
        add_box(&s, wr_v3(0, 7, 0), wr_v3(1, 8, 7));
        int *t = &s.mesh.triangles[3 * (12 * turned + 5)], kept = t[1];
        t[1] = t[2], t[2] = kept;
        assert_true(wr_mesh_inspect(&s.mesh, NULL, &report, &error));
        const double volumes[3] = {6.0, 4.0, 7.0};
        CHECK_NEAR(report.volume, 17.0 - volumes[turned], 1e-5);
        CHECK_NEAR(report.area, 22.0 + 16.0 + 30.0, 1e-4);
        assert_int_equal(report.inverted_shells, 0);
        assert_int_equal(report.inconsistent_edges, 3);
        shape_destroy(&s);
    }
}

// The longest of two holes is told, whichever comes first.
static void the_largest_hole_is_told_with_its_length(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        shape s = shape_create();
        wr_error error = {0};
        wr_mesh_report report;
        for (int i = 0; i < 2; i++) {
            float side = i == order ? 2.0f : 5.0f, x = i ? 20.0f : 0.0f;
            add_box(&s, wr_v3(x, 0, 0), wr_v3(x + side, 3, 1));
            s.triangles.count = s.mesh.triangle_count -= 2; // the lid
        }
        assert_true(wr_mesh_inspect(&s.mesh, NULL, &report, &error));
        assert_int_equal(report.holes, 2);
        assert_int_equal(report.largest_hole_edges, 4);
        CHECK_NEAR(report.largest_hole_length, 2.0 * (5.0 + 3.0), 1e-5);
        shape_destroy(&s);
    }
}

// A box inside out is inverted; one that is also inconsistent is not called so as well.
static void inverted_shells_are_consistent_ones(void **state)
{
    (void)state;
    for (int torn = 0; torn < 2; torn++) {
        shape s = shape_create();
        wr_error error = {0};
        wr_mesh_report report;
        add_box(&s, wr_v3(0, 0, 0), wr_v3(1, 2, 3));
        for (int i = 0; i < 12; i++) {
            int *t = &s.mesh.triangles[3 * i], kept = t[1];
            if (i != 4 || !torn) {
                t[1] = t[2], t[2] = kept;
            }
        }
        assert_true(wr_mesh_inspect(&s.mesh, NULL, &report, &error));
        assert_int_equal(report.inverted_shells, !torn);
        CHECK_NEAR(report.volume, torn ? 0.0 : -6.0, 1e-5);
        shape_destroy(&s);
    }
}

// One tetrahedron as it should be, one inside out, one flat; all faces look outwards.
static void tetrahedra_are_counted_by_their_volume(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_tet_mesh *m = wr_tet_mesh_create(12, 3, 0, NULL, &error);
    assert_non_null(m);
    for (int i = 0; i < 12; i++) {
        int k = i % 4;
        bool flat = i >= 8;
        m->positions[i] = wr_v3((float)(5 * (i / 4) + (k == 1)), k == 2 ? 2.0f : flat && k == 3,
                                k == 3 && !flat ? 3.0f : 0.0f);
        m->tetrahedra[i] = i;
    }
    m->tetrahedra[4] = 5, m->tetrahedra[5] = 4;
    wr_tet_volume v = wr_tet_mesh_volume(m);
    CHECK_NEAR(v.total, 0.0, 1e-6);
    assert_int_equal(v.inverted_count, 1);
    assert_int_equal(v.flat_count, 1);
    m->tetrahedron_count = 2;
    wr_model *surface = wr_tet_mesh_create_surface(m, NULL, &error);
    assert_non_null(surface);
    wr_mesh_report report;
    assert_true(wr_mesh_inspect(surface->meshes, NULL, &report, &error));
    CHECK_NEAR(report.volume, 2.0, 1e-5); // 1 each
    wr_model_destroy(surface);
    wr_tet_mesh_destroy(m);
}

// --- cameras ----------------------------------------------------------------------------------

// How deep a level is does not make its picture smaller.
static void a_flat_camera_does_not_mind_depth(void **state)
{
    (void)state;
    const wr_box box = {{-2, 1, -40}, {4, 3, 20}};
    wr_camera wide = wr_camera_frame_flat(box, 1.5f), high = wr_camera_frame_flat(box, 6.0f);
    CHECK_NEAR(wide.flat, 4.0 / 0.9, 1e-4); // 6 m wide
    CHECK_NEAR(high.flat, 2.0 / 0.9, 1e-4); // 2 m high
    assert_true(wide.from.z > 20.0f && wide.to.x == 1.0f && wide.to.y == 2.0f);
}

typedef struct margins {
    float left, right, top, low; // pixels
} margins;

static margins find_margins(const wr_camera *camera, const wr_vec3 *points, int count, int width,
                            int height)
{
    margins m = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < count; i++) {
        wr_vec2 at;
        float depth;
        assert_true(wr_camera_project(camera, width, height, points[i], &at, &depth));
        m.left = fminf(m.left, at.x);
        m.right = fminf(m.right, (float)width - at.x);
        m.top = fminf(m.top, at.y);
        m.low = fminf(m.low, (float)height - at.y);
    }
    return m;
}

// Oblique, so that what is near is larger: where the points just fit there is the same room on both
// sides, a twentieth of the picture.
static void framed_points_have_equal_room_on_both_sides(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 20; i++) {
        wr_vec3 points[7];
        int width = i % 2 ? 900 : 100, height = i % 2 ? 100 : 900;
        for (int k = 0; k < 7; k++) {
            float x = random_float(&seed, -3, 5), y = random_float(&seed, 0, 4);
            points[k] = wr_v3(x, y, random_float(&seed, -2, 2));
        }
        float turn = random_float(&seed, -2, 2), rise = random_float(&seed, 0.3f, 1.2f);
        wr_camera camera =
            wr_camera_frame_points(points, 7, (float)width / (float)height, turn, rise);
        margins m = find_margins(&camera, points, 7, width, height);
        CHECK_NEAR(i % 2 ? m.top : m.left, 5.0, 1.0);
        CHECK_NEAR(i % 2 ? m.low : m.right, 5.0, 1.0);
    }
}

// Looking straight down there is an up still: what lies farther along -z is higher in the picture.
static void a_camera_that_looks_down_knows_where_up_is(void **state)
{
    (void)state;
    const wr_camera camera = {.from = {2, 9, 3}, .to = {2, 1, 3}, .fov = 0.8f};
    const wr_vec3 points[2] = {{3, 1, 3}, {2, 1, 2}};
    for (int i = 0; i < 2; i++) {
        wr_vec2 at;
        float depth;
        assert_true(wr_camera_project(&camera, 400, 200, points[i], &at, &depth));
        double far = 100.0 / (8.0 * tan(0.4)); // pixels per metre at that depth
        CHECK_NEAR(at.x, 200.0 + (i ? 0.0 : far), 1e-2);
        CHECK_NEAR(at.y, 100.0 - (i ? far : 0.0), 1e-2);
        CHECK_NEAR(depth, 8.0, 1e-5);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_model *ball = wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(1, 0, 0), WHITE, NULL);
    const wr_node nodes[] = {{"a", -1, 0, -1, HERE, {1, 1, 1}, NULL},
                             {"b", 0, 0, -1, HERE, {2, 1, 1}, NULL}};
    counting_heap heap = {0};
    wr_allocator allocator = counting_allocator(&heap);
    wr_error error = {0};
    assert_null(wr_model_create(&allocator, &error));
    assert_int_equal(error.code, WR_E_MEMORY);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        heap.budget = 1;
        wr_model *nested = nest(ball, nodes, 2, &allocator);
        heap.budget = budget;
        error = (wr_error){0};
        wr_model *flat = wr_model_flatten(nested, &error);
        done = flat != NULL;
        assert_int_equal(error.code, done ? WR_OK : WR_E_MEMORY);
        wr_model_destroy(flat);
        wr_model_destroy(nested);
        assert_int_equal(heap.alive, 0);
        assert_true(budget < 50);
    }
    wr_model_destroy(ball);
    wr_model_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells_are_counted_from_their_first_vertex),
        cmocka_unit_test(interleaved_shells_keep_their_order),
        cmocka_unit_test(seams_do_not_cut_a_shell),
        cmocka_unit_test(vertices_without_a_place_cost_no_time),
        cmocka_unit_test(normals_of_a_ball_look_away_from_its_centre),
        cmocka_unit_test(normals_are_weighted_by_area),
        cmocka_unit_test(bounds_hold_every_vertex),
        cmocka_unit_test(primitives_are_closed_outward_and_of_their_size),
        cmocka_unit_test(primitives_without_size_are_one_sentence),
        cmocka_unit_test(flattening_applies_every_parent),
        cmocka_unit_test(vertices_that_leave_the_floats_are_an_error),
        cmocka_unit_test(normals_stay_on_their_faces_through_scale_shear_and_mirrors),
        cmocka_unit_test(flattening_joins_parts_and_attributes),
        cmocka_unit_test(volumes_are_of_consistent_shells_alone),
        cmocka_unit_test(the_largest_hole_is_told_with_its_length),
        cmocka_unit_test(inverted_shells_are_consistent_ones),
        cmocka_unit_test(tetrahedra_are_counted_by_their_volume),
        cmocka_unit_test(a_flat_camera_does_not_mind_depth),
        cmocka_unit_test(framed_points_have_equal_room_on_both_sides),
        cmocka_unit_test(a_camera_that_looks_down_knows_where_up_is),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
