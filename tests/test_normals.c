// test_normals.c: the artist's normals on shapes that changed.
#include "check.h"

#include "wrought/geometry.h"

enum { SIDE = 12, PLATE = (SIDE + 1) * (SIDE + 1) };

// A plate in the plane y = 0. Split: the columns from the middle on have vertices of their own.
typedef struct plate {
    wr_mesh mesh;
    wr_vec3 positions[2 * PLATE], normals[2 * PLATE], dented[2 * PLATE], renewed[2 * PLATE];
    int triangles[6 * SIDE * SIDE];
} plate;

static wr_vec3 dent(wr_vec3 p)
{
    float r2 = (p.x - 0.5f) * (p.x - 0.5f) + (p.z - 0.4f) * (p.z - 0.4f);
    return wr_v3(p.x + 0.02f * p.z, p.y - 0.3f * expf(-12.0f * r2), p.z);
}

static void make_plate(plate *p, bool split)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < 2 * PLATE; i++) {
        int v = i % PLATE;
        p->positions[i] =
            wr_v3((float)(v % (SIDE + 1)) / SIDE, 0.0f, (float)(v / (SIDE + 1)) / SIDE);
        p->normals[i] = wr_v3(0, 1, 0);
        p->dented[i] = dent(p->positions[i]);
    }
    int *t = p->triangles;
    for (int c = 0; c < SIDE * SIDE; c++) {
        int column = c % SIDE, a = column + c / SIDE * (SIDE + 1);
        a += split && column >= SIDE / 2 ? PLATE : 0;
        const int quad[6] = {a, a + SIDE + 1, a + 1, a + 1, a + SIDE + 1, a + SIDE + 2};
        memcpy(t + 6 * c, quad, sizeof quad);
    }
    p->mesh = (wr_mesh){.vertex_count = split ? 2 * PLATE : PLATE,
                        .triangle_count = 2 * SIDE * SIDE,
                        .positions = p->positions,
                        .normals = p->normals,
                        .triangles = p->triangles};
}

static void renew(const wr_mesh *mesh, const wr_vec3 *rest, const wr_vec3 *positions, wr_vec3 *out)
{
    wr_error error = {0};
    assert_true(wr_mesh_renew_normals(mesh, rest, positions, NULL, out, &error));
}

static void check_normal(wr_vec3 a, wr_vec3 b, double tolerance)
{
    CHECK_NEAR(a.x, b.x, tolerance);
    CHECK_NEAR(a.y, b.y, tolerance);
    CHECK_NEAR(a.z, b.z, tolerance);
}

// Every normal tilted another way, as sculptors do.
static wr_vec3 *tilt(const wr_mesh *mesh, float amount)
{
    uint64_t seed = 7;
    wr_vec3 *n = calloc((size_t)mesh->vertex_count, sizeof *n);
    assert_non_null(n);
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 d = {random_float(&seed, -1, 1), random_float(&seed, -1, 1),
                     random_float(&seed, -1, 1)};
        n[i] = wr_normalize(wr_add_scaled(mesh->normals[i], amount, d));
    }
    return n;
}

static wr_model *make_primitive(wr_primitive kind)
{
    wr_error error = {0};
    wr_model *model =
        wr_model_create_primitive(kind, wr_v3(1.0f, 1.5f, 0.7f), (wr_color){1, 1, 1, 1}, &error);
    assert_non_null(model);
    return model;
}

// Whether a vertex has a triangle that can be seen; poles of spheres also have others.
static bool is_seen(const wr_mesh *mesh, int vertex)
{
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[i / 3 * 3];
        wr_vec3 a = mesh->positions[t[0]], b = mesh->positions[t[1]], c = mesh->positions[t[2]];
        if (mesh->triangles[i] == vertex &&
            wr_length(wr_cross(wr_sub(b, a), wr_sub(c, a))) > 1e-6f) {
            return true;
        }
    }
    return false;
}

static void at_rest_every_bit_stays(void **state)
{
    (void)state;
    for (wr_primitive kind = WR_PRIMITIVE_BOX; kind <= WR_PRIMITIVE_CYLINDER; kind++) {
        wr_model *model = make_primitive(kind);
        const wr_mesh *mesh = model->meshes;
        size_t size = (size_t)mesh->vertex_count * sizeof(wr_vec3);
        wr_vec3 *rest = tilt(mesh, 0.4f), *out = malloc(size);
        renew(mesh, rest, mesh->positions, out);
        assert_memory_equal(out, rest, size);
        free(rest);
        free(out);
        wr_model_destroy(model);
    }
}

static void a_rigid_motion_turns_every_normal_with_it(void **state)
{
    (void)state;
    const wr_pose pose = {{3, -2, 1}, wr_quat_from_axis_angle(wr_v3(1, 2, -0.5f), 2.4f)};
    for (wr_primitive kind = WR_PRIMITIVE_BOX; kind <= WR_PRIMITIVE_CYLINDER; kind++) {
        wr_model *model = make_primitive(kind);
        const wr_mesh *mesh = model->meshes;
        size_t n = (size_t)mesh->vertex_count;
        wr_vec3 *rest = tilt(mesh, 0.4f), *out = calloc(n, sizeof *out);
        wr_vec3 *moved = calloc(n, sizeof *moved);
        for (size_t i = 0; i < n; i++) {
            moved[i] = wr_pose_point(pose, mesh->positions[i]);
        }
        renew(mesh, rest, moved, out);
        for (size_t i = 0; i < n; i++) {
            if (is_seen(mesh, (int)i)) {
                check_normal(out[i], wr_rotate(pose.rotation, rest[i]), 2e-5);
            }
        }
        free(rest);
        free(out);
        free(moved);
        wr_model_destroy(model);
    }
}

static void a_dent_in_a_plate_has_the_normals_of_its_triangles(void **state)
{
    (void)state;
    static plate p;
    static wr_vec3 smooth[PLATE];
    make_plate(&p, false);
    renew(&p.mesh, p.normals, p.dented, p.renewed);
    wr_find_normals(p.dented, PLATE, p.triangles, p.mesh.triangle_count, smooth);
    float lowest = 1.0f;
    for (int i = 0; i < PLATE; i++) {
        check_normal(p.renewed[i], smooth[i], 1e-5);
        lowest = fminf(lowest, p.renewed[i].y);
    }
    assert_true(lowest < 0.8f); // it is a dent that shows
}

static void seams_stay_closed(void **state)
{
    (void)state;
    static plate whole, split;
    make_plate(&whole, false);
    make_plate(&split, true);
    for (int i = 0; i < 2 * PLATE; i++) { // what a file with few digits makes of a normal
        split.normals[i].x = i < PLATE ? 0.0f : 1e-4f;
    }
    renew(&whole.mesh, whole.normals, whole.dented, whole.renewed);
    renew(&split.mesh, split.normals, split.dented, split.renewed);
    for (int row = 0; row <= SIDE; row++) {
        int left = SIDE / 2 + row * (SIDE + 1), right = left + PLATE;
        check_normal(split.renewed[left], split.renewed[right], 2e-4);
        check_normal(split.renewed[left], whole.renewed[left], 1e-6);
        assert_true(wr_distance(split.renewed[left], wr_v3(0, 1, 0)) > 0.003f);
    }
    make_plate(&split, true);
    renew(&split.mesh, split.normals, split.dented, split.renewed);
    for (int row = 0; row <= SIDE; row++) {
        int left = SIDE / 2 + row * (SIDE + 1);
        assert_memory_equal(&split.renewed[left], &split.renewed[left + PLATE], sizeof(wr_vec3));
    }
}

static void hard_edges_stay_hard(void **state)
{
    (void)state;
    wr_model *model = make_primitive(WR_PRIMITIVE_BOX);
    const wr_mesh *mesh = model->meshes;
    assert_int_equal(mesh->vertex_count, 24);
    wr_vec3 moved[24], out[24], flat[24];
    for (int i = 0; i < 24; i++) { // faces stay flat under an affine map
        wr_vec3 p = mesh->positions[i];
        moved[i] = wr_v3(1.5f * p.x + 0.6f * p.y, 0.8f * p.y - 0.2f * p.z, p.z + 0.3f * p.x);
    }
    renew(mesh, mesh->normals, moved, out);
    wr_find_normals(moved, 24, mesh->triangles, mesh->triangle_count, flat);
    for (int i = 0; i < 24; i++) {
        check_normal(out[i], flat[i], 1e-5);
    }
    wr_model_destroy(model);
}

// A stretch along a diagonal turns nothing, whichever sides of the triangles it turns.
static void a_stretch_within_the_surface_keeps_the_tilt(void **state)
{
    (void)state;
    static plate p;
    make_plate(&p, false);
    for (int i = 0; i < PLATE; i++) {
        wr_vec3 u = p.positions[i];
        p.dented[i] = wr_v3(u.x + 0.5f * u.z, 0.0f, u.z + 0.5f * u.x);
    }
    wr_vec3 *rest = tilt(&p.mesh, 0.4f);
    renew(&p.mesh, rest, p.dented, p.renewed);
    for (int i = 0; i < PLATE; i++) {
        check_normal(p.renewed[i], rest[i], 1e-5);
    }
    free(rest);
}

static void an_unmoved_part_is_not_touched(void **state)
{
    (void)state;
    static plate p;
    make_plate(&p, false);
    memcpy(p.dented, p.positions, sizeof p.dented);
    p.dented[0].y = -0.1f;
    renew(&p.mesh, p.normals, p.dented, p.renewed);
    for (int i = 0; i < PLATE; i++) {
        bool near = i == 0 || i == 1 || i == SIDE + 1;
        assert_int_equal(memcmp(&p.renewed[i], &p.normals[i], sizeof(wr_vec3)) != 0, near);
    }
}

static void triangles_without_area_turn_nothing(void **state)
{
    (void)state;
    static plate p;
    make_plate(&p, false);
    for (int i = 0; i < PLATE; i++) { // everything on a line
        p.dented[i] = wr_v3(p.positions[i].x, 0, 0);
    }
    renew(&p.mesh, p.normals, p.dented, p.renewed);
    for (int i = 0; i < PLATE; i++) {
        check_normal(p.renewed[i], wr_v3(0, 1, 0), 0.0);
    }
    make_plate(&p, false);
    p.normals[5] = wr_v3(0, 0, 0);
    p.triangles[1] = p.triangles[0];
    renew(&p.mesh, p.normals, p.dented, p.renewed);
    check_normal(p.renewed[5], wr_v3(0, 0, 0), 0.0);
    for (int i = 0; i < PLATE; i++) {
        assert_true(wr_is_finite3(p.renewed[i]));
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static plate p;
    make_plate(&p, true);
    bool ok = false;
    for (int budget = 0; !ok && budget < 100; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        ok = wr_mesh_renew_normals(&p.mesh, p.normals, p.dented, &allocator, p.renewed, &error);
        assert_true(ok || error.code == WR_E_MEMORY);
        assert_int_equal(heap.alive, 0);
    }
    assert_true(ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_every_bit_stays),
        cmocka_unit_test(a_rigid_motion_turns_every_normal_with_it),
        cmocka_unit_test(a_dent_in_a_plate_has_the_normals_of_its_triangles),
        cmocka_unit_test(seams_stay_closed),
        cmocka_unit_test(hard_edges_stay_hard),
        cmocka_unit_test(a_stretch_within_the_surface_keeps_the_tilt),
        cmocka_unit_test(an_unmoved_part_is_not_touched),
        cmocka_unit_test(triangles_without_area_turn_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
