// test_fracture_cut.c: promises of assets that are cut: closed fragments, all of the volume, and
// vertices that stay together until the body breaks.
#include "fragments.h"
#include "shape.h"

#include "../src/author/cut.h"
#include "wrought/file.h"

// --- bodies -----------------------------------------------------------------------------------

typedef struct body {
    wr_lattice *lattice;
    shape source;
} body;

// A thick ring, so that cuts have holes and leave several pieces.
static shape ring(int around, int across)
{
    shape s = shape_create();
    for (int i = 0; i < around * across; i++) {
        double a = 2.0 * PI * (i / across) / around, b = 2.0 * PI * (i % across) / across;
        double r = 1.0 + 0.35 * cos(b);
        add_point(&s, wr_v3((float)(r * cos(a)), (float)(0.35 * sin(b)), (float)(r * sin(a))));
    }
    for (int i = 0; i < around * across; i++) {
        int u = (i / across + 1) % around * across, v = (i + 1) % across;
        add_quad(&s, i, i / across * across + v, u + v, u + i % across);
    }
    return s;
}

static body make_body(shape s, int vertices)
{
    body b = {.source = s};
    wr_error error = {0};
    wr_lattice_desc desc = wr_lattice_desc_default();
    desc.mesh = &b.source.mesh;
    desc.vertices = vertices;
    b.lattice = wr_lattice_create(&desc, &error);
    if (!b.lattice) {
        fail_msg("%s", error.message);
    }
    return b;
}

static void destroy_body(body *b)
{
    wr_lattice_destroy(b->lattice);
    shape_destroy(&b->source);
}

static wr_model *make_model(const wr_mesh *mesh)
{
    wr_model *model = wr_model_create(NULL, NULL);
    size_t n = (size_t)mesh->vertex_count, t = 3 * (size_t)mesh->triangle_count;
    model->mesh_count = model->node_count = 1;
    model->meshes = wr_model_alloc(model, 1, sizeof *model->meshes);
    model->nodes = wr_model_alloc(model, 1, sizeof *model->nodes);
    model->nodes[0] =
        (wr_node){.parent = -1, .skin = -1, .pose = WR_POSE_IDENTITY, .scale = {1.0f, 1.0f, 1.0f}};
    wr_mesh *out = model->meshes;
    out->vertex_count = mesh->vertex_count;
    out->triangle_count = mesh->triangle_count;
    out->positions = wr_model_alloc(model, n, sizeof *out->positions);
    out->uvs = wr_model_alloc(model, n, sizeof *out->uvs);
    out->triangles = wr_model_alloc(model, t, sizeof *out->triangles);
    memcpy(out->positions, mesh->positions, n * sizeof *out->positions);
    memcpy(out->triangles, mesh->triangles, t * sizeof *out->triangles);
    for (size_t i = 0; i < n; i++) { // a linear map: cutting must keep it
        out->uvs[i] = (wr_vec2){2.0f * mesh->positions[i].x, 1.0f + mesh->positions[i].y};
    }
    return model;
}

// An asset with two handles, one at each side, and an example that moves one of them.
static wr_asset *make_asset(const body *b)
{
    wr_error error = {0};
    wr_asset *asset = wr_asset_create(make_model(&b->source.mesh), NULL, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    const wr_lattice *l = b->lattice;
    wr_rig *rig = &asset->rig;
    size_t n = (size_t)l->vertex_count, m = 4 * (size_t)l->element_count;
    rig->vertex_count = l->vertex_count;
    rig->element_count = l->element_count;
    rig->rest = wr_asset_alloc(asset, n, sizeof *rig->rest);
    rig->elements = wr_asset_alloc(asset, m, sizeof *rig->elements);
    memcpy(rig->rest, l->rest, n * sizeof *rig->rest);
    memcpy(rig->elements, l->elements, m * sizeof *rig->elements);
    rig->handle_count = 2;
    rig->handles = wr_asset_alloc(asset, 2, sizeof *rig->handles);
    rig->handles[0] = (wr_handle){"left", {-1, 0, 0}, -1, 0};
    rig->handles[1] = (wr_handle){"right", {1, 0, 0}, -1, 1};
    rig->weights = wr_asset_alloc(asset, 2 * n, sizeof *rig->weights);
    for (size_t i = 0; i < n; i++) {
        float w = wr_clampf(0.5f + 0.3f * l->rest[i].x + 0.1f * l->rest[i].y, 0.0f, 1.0f);
        rig->weights[2 * i] = 1.0f - w;
        rig->weights[2 * i + 1] = w;
    }
    rig->example_count = 2;
    rig->examples = wr_asset_alloc(asset, 2, sizeof *rig->examples);
    for (int e = 0; e < 2; e++) {
        wr_handle_pose *poses = wr_asset_alloc(asset, 2, sizeof *poses);
        for (int k = 0; k < 2; k++) {
            poses[k] = (wr_handle_pose){WR_QUAT_IDENTITY, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
        }
        poses[1].offset = e ? wr_v3(0.1f, 0.3f, -0.2f) : wr_v3(0, 0, 0);
        poses[1].rotation = wr_quat_from_axis_angle(wr_v3(0, 0, 1), e ? 0.7f : 0.0f);
        rig->examples[e] = (wr_example){.name = e ? "bent" : "rest", .poses = poses};
    }
    int count = asset->model->meshes->vertex_count;
    rig->ride_count = count;
    rig->rides = wr_asset_alloc(asset, (size_t)count, sizeof *rig->rides);
    if (!wr_lattice_find_rides(l, asset->model->meshes->positions, NULL, count, NULL, rig->rides,
                               NULL, &error)) {
        fail_msg("%s", error.message);
    }
    return asset;
}

static void set_cuts(wr_asset *asset, const wr_cut *cuts, int count)
{
    asset->cuts = wr_asset_alloc(asset, (size_t)count, sizeof *asset->cuts);
    memcpy(asset->cuts, cuts, (size_t)count * sizeof *cuts);
    asset->cut_count = count;
}

static wr_asset *cut_body(const body *b, const wr_cut *cuts, int count)
{
    wr_error error = {0};
    wr_asset *asset = make_asset(b);
    set_cuts(asset, cuts, count);
    const wri_cut_desc desc = {.lattice = b->lattice, .inside = -1};
    if (!wri_asset_cut(asset, &desc, &error) || !wr_asset_check(asset, &error)) {
        fail_msg("%s", error.message);
    }
    return asset;
}

static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 40) / (double)(1 << 24) * 2.0 - 1.0;
}

static wr_cut random_plane(uint64_t *seed)
{
    wr_vec3 n = {0, 0, 0};
    while (wr_length(n) < 0.1f) {
        n = wr_v3((float)next_random(seed), (float)next_random(seed), (float)next_random(seed));
    }
    return (wr_cut){.normal = wr_normalize(n),
                    .at = wr_v3((float)next_random(seed), 0.3f * (float)next_random(seed),
                                (float)next_random(seed)),
                    .strength = 1.0};
}

// --- measures ---------------------------------------------------------------------------------

static double solid_volume(const wr_lattice *l)
{
    double sum = 0.0;
    for (int e = 0; e < l->element_count; e++) {
        const int *v = &l->elements[4 * e];
        wr_vec3 n =
            wr_cross(wr_sub(l->rest[v[1]], l->rest[v[0]]), wr_sub(l->rest[v[2]], l->rest[v[0]]));
        sum += (double)wr_dot(n, wr_sub(l->rest[v[3]], l->rest[v[0]])) / 6.0;
    }
    return sum;
}

// Volume and first moment of a fragment of the simulation mesh.
static double find_solid_moment(const wr_asset *asset, int fragment, double first[3])
{
    const wr_rig *rig = &asset->rig;
    double sum = 0.0;
    first[0] = first[1] = first[2] = 0.0;
    for (int e = 0; e < rig->element_count; e++) {
        if (fragment >= 0 && wr_fragment_of(&asset->fracture, rig, e) != fragment) {
            continue;
        }
        const int *v = &rig->elements[4 * e];
        wr_vec3 n = wr_cross(wr_sub(rig->rest[v[1]], rig->rest[v[0]]),
                             wr_sub(rig->rest[v[2]], rig->rest[v[0]]));
        double volume = (double)wr_dot(n, wr_sub(rig->rest[v[3]], rig->rest[v[0]])) / 6.0;
        for (int k = 0; k < 4; k++) {
            double part = volume * (double)asset->fracture.shares[4 * e + k];
            sum += part;
            first[0] += part * (double)rig->rest[v[k]].x;
            first[1] += part * (double)rig->rest[v[k]].y;
            first[2] += part * (double)rig->rest[v[k]].z;
        }
    }
    return sum;
}

static void check_cut(const body *b, const wr_asset *asset, double whole)
{
    double sum = 0.0, first[3];
    for (int f = 0; f < asset->fracture.fragment_count; f++) {
        wr_mesh mesh = mesh_of(asset, f);
        check_no_hole(&mesh);
        sum += volume_of(&mesh);
        free(mesh.triangles);
    }
    CHECK_NEAR(sum, whole, 1e-5 * whole);
    CHECK_NEAR(find_solid_moment(asset, -1, first), solid_volume(b->lattice),
               1e-5 * solid_volume(b->lattice));
}

// --- tests ------------------------------------------------------------------------------------

static void no_plane_leaves_a_hole(void **state)
{
    (void)state;
    body bodies[2] = {make_body(ring(16, 7), 110), make_body(round_shape(0.8, 0.5, 5), 60)};
    double whole[2] = {volume_of(&bodies[0].source.mesh), volume_of(&bodies[1].source.mesh)};
    uint64_t seed = 7;
    int cut = 0;
    for (int i = 0; i < 1000; i++) {
        const body *b = &bodies[i % 2];
        wr_cut planes[2] = {random_plane(&seed), random_plane(&seed)};
        wr_asset *asset = cut_body(b, planes, 1 + i % 4 / 3);
        if (asset->fracture.fragment_count > 0) {
            check_cut(b, asset, whole[i % 2]);
            cut++;
        }
        wr_asset_destroy(asset);
    }
    assert_true(cut > 700);
    destroy_body(&bodies[0]);
    destroy_body(&bodies[1]);
}

// Planes through vertices, along edges and faces, and beside the body.
static void planes_along_faces_leave_no_hole(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(-0.5f, 0.0f, -0.25f), wr_v3(0.5f, 1.0f, 0.25f));
    body b = make_body(s, 150);
    const wr_vec3 normals[] = {{1, 0, 0},
                               {0, 1, 0},
                               {0, 0, -1},
                               {0.6f, 0.8f, 0},
                               {0, 0.6f, 0.8f},
                               {-0.8f, 0, 0.6f},
                               {0.57735f, 0.57735f, 0.57735f}};
    const wr_vec3 places[] = {{0, 0, 0}, {0.5f, 1, 0.25f}, {-0.5f, 0, 0.25f}, {0, 0.5f, 0}};
    for (int i = 0; i < WRI_COUNT(normals) * WRI_COUNT(places); i++) {
        wr_cut plane = {normals[i % WRI_COUNT(normals)], places[i / WRI_COUNT(normals)], 1.0};
        plane.normal = wr_normalize(plane.normal);
        wr_asset *asset = cut_body(&b, &plane, 1);
        if (asset->fracture.fragment_count > 0) {
            check_cut(&b, asset, 0.5);
        }
        wr_asset_destroy(asset);
    }
    destroy_body(&b);
}

// A plane askew through a box: the volumes on both sides, the area and the place of the bond are
// known.
static void a_box_is_cut_where_the_plane_is(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(-0.5f, 0.0f, -0.25f), wr_v3(0.5f, 1.0f, 0.25f));
    body b = make_body(s, 400);
    wr_cut plane = {{0.6f, 0.8f, 0}, {0.1f, 0.4f, 0}, 1.5};
    wr_asset *asset = cut_body(&b, &plane, 1);
    assert_int_equal(asset->fracture.fragment_count, 2);
    // y = 0.4 - 0.75 (x - 0.1): from 0.85 at the left to 0.1 at the right
    double below = 0.5 * (0.85 + 0.1) * 0.5;
    int lower = 0;
    wr_mesh first = mesh_of(asset, 0), second = mesh_of(asset, 1);
    double volumes[2] = {volume_of(&first), volume_of(&second)};
    lower = volumes[0] < volumes[1] ? 0 : 1;
    CHECK_NEAR(volumes[lower], below, 1e-5);
    CHECK_NEAR(volumes[1 - lower], 0.5 - below, 1e-5);
    assert_int_equal(asset->fracture.bond_count, 1);
    const wr_bond *bond = &asset->fracture.bonds[0];
    CHECK_NEAR(fabs((double)wr_dot(bond->normal, plane.normal)), 1.0, 1e-5);
    CHECK_NEAR(wr_dot(wr_sub(bond->at, plane.at), plane.normal), 0.0, 1e-5);
    CHECK_NEAR(bond->strength, 1.5, 1e-6);
    CHECK_NEAR(bond->area, 1.25 * 0.5, 0.08); // the simulation mesh encloses the box
    CHECK_NEAR(bond->radius, sqrt((1.25 * 1.25 + 0.25) / 12.0), 0.03);
    // the normal points from a to b
    double at_a[3], volume_a = find_solid_moment(asset, bond->a, at_a);
    double side = 0.0;
    for (int k = 0; k < 3; k++) {
        side += (at_a[k] / volume_a - (double)(&bond->at.x)[k]) * (double)(&bond->normal.x)[k];
    }
    assert_true(side < 0.0);
    free(first.triangles);
    free(second.triangles);
    wr_asset_destroy(asset);
    destroy_body(&b);
}

static void texture_coordinates_stay_outside(void **state)
{
    (void)state;
    body b = make_body(ring(24, 10), 300);
    wr_cut plane = {{0.6f, 0.0f, 0.8f}, {0.2f, 0, 0}, 1.0};
    wr_asset *asset = cut_body(&b, &plane, 1);
    const wr_mesh *mesh = asset->model->meshes;
    assert_int_equal(mesh->part_count, 2);
    assert_string_equal(asset->model->looks[mesh->parts[1].look].name, "inside");
    for (int i = 0; i < 3 * mesh->parts[0].triangle_count; i++) {
        wr_vec3 p = mesh->positions[mesh->triangles[i]];
        wr_vec2 uv = mesh->uvs[mesh->triangles[i]];
        CHECK_NEAR(uv.x, 2.0 * (double)p.x, 1e-5);
        CHECK_NEAR(uv.y, 1.0 + (double)p.y, 1e-5);
    }
    for (int i = 0; i < 3 * mesh->parts[1].triangle_count; i++) { // cut faces lie in the plane
        wr_vec3 p = mesh->positions[mesh->triangles[3 * mesh->parts[1].first_triangle + i]];
        CHECK_NEAR(wr_dot(wr_sub(p, plane.at), plane.normal), 0.0, 1e-5);
    }
    wr_asset_destroy(asset);
    destroy_body(&b);
}

// Points of a Voronoi cell are nearest to its seed.
static void seeds_make_voronoi_cells(void **state)
{
    (void)state;
    body b = make_body(round_shape(1.0, 0.4, 14), 300);
    wr_vec3 seeds[7];
    uint64_t seed = 3;
    for (int i = 0; i < 7; i++) {
        seeds[i] =
            wr_v3((float)next_random(&seed), (float)next_random(&seed), (float)next_random(&seed));
        seeds[i] = wr_scale(0.6f, seeds[i]);
    }
    wr_cut cut = {.strength = 1.0, .seed_count = 7, .seeds = seeds};
    wr_asset *asset = cut_body(&b, &cut, 1);
    assert_int_equal(asset->fracture.fragment_count, 7);
    check_cut(&b, asset, volume_of(&b.source.mesh));
    int seed_of[7] = {-1, -1, -1, -1, -1, -1, -1};
    const wr_mesh *mesh = asset->model->meshes;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * i];
        wr_vec3 p =
            wr_scale(1.0f / 3.0f, wr_add(mesh->positions[t[0]],
                                         wr_add(mesh->positions[t[1]], mesh->positions[t[2]])));
        int own = wr_fragment_of(&asset->fracture, &asset->rig, asset->rig.rides[t[0]].element);
        int nearest = 0;
        for (int k = 1; k < 7; k++) {
            nearest = wr_distance(p, seeds[k]) < wr_distance(p, seeds[nearest]) ? k : nearest;
        }
        seed_of[own] =
            seed_of[own] < 0 && i < mesh->parts[0].triangle_count ? nearest : seed_of[own];
        assert_true((double)wr_distance(p, seeds[seed_of[own]]) <
                    (double)wr_distance(p, seeds[nearest]) + 1e-5);
    }
    wr_asset_destroy(asset);
    destroy_body(&b);
}

static void groups_of_handles_part_where_their_weights_are_equal(void **state)
{
    (void)state;
    body b = make_body(round_shape(0.5, 0.6, 12), 300);
    int groups[2] = {0, 1};
    wr_cut cut = {.strength = 1.0, .group_count = 2, .groups = groups};
    wr_asset *asset = cut_body(&b, &cut, 1);
    assert_int_equal(asset->fracture.fragment_count, 2);
    check_cut(&b, asset, volume_of(&b.source.mesh));
    // 0.5 + 0.3 x + 0.1 y = 0.5
    const wr_mesh *mesh = asset->model->meshes;
    for (int i = 3 * mesh->parts[1].first_triangle; i < 3 * mesh->triangle_count; i++) {
        wr_vec3 p = mesh->positions[mesh->triangles[i]];
        CHECK_NEAR(0.3 * (double)p.x + 0.1 * (double)p.y, 0.0, 1e-5);
    }
    wr_asset_destroy(asset);
    destroy_body(&b);
}

// What a plane parts twice are three fragments.
static void legs_fall_off_one_by_one(void **state)
{
    (void)state;
    body b = make_body(ring(28, 12), 500);
    wr_cut plane = {{1, 0, 0}, {0.0f, 0, 0}, 1.0};
    wr_asset *asset = cut_body(&b, &plane, 1);
    assert_int_equal(asset->fracture.fragment_count, 2); // two halves of a ring, two bonds in one
    wr_asset_destroy(asset);
    wr_cut two[2] = {plane, {{0, 0, 1}, {0, 0, 0.0f}, 1.0}};
    asset = cut_body(&b, two, 2);
    assert_int_equal(asset->fracture.fragment_count, 4);
    assert_int_equal(asset->fracture.bond_count, 4); // opposite quarters do not touch
    wr_asset_destroy(asset);
    wr_cut off = {{1, 0, 0}, {0.9f, 0, 0}, 1.0};
    wr_cut both[2] = {{{0, 0, 1}, {0, 0, 0.0f}, 1.0}, off};
    asset = cut_body(&b, both, 2);
    assert_int_equal(asset->fracture.fragment_count, 4);
    wr_asset_destroy(asset);
    destroy_body(&b);
}

static void nothing_moves_when_it_is_cut(void **state)
{
    (void)state;
    body b = make_body(ring(28, 12), 400);
    uint64_t seed = 11;
    wr_cut planes[3] = {random_plane(&seed), random_plane(&seed), random_plane(&seed)};
    wr_asset *whole = make_asset(&b), *asset = cut_body(&b, planes, 3);
    assert_true(asset->fracture.fragment_count >= 4);
    double first[3], sum[3] = {0};
    for (int f = 0; f < asset->fracture.fragment_count; f++) {
        double own[3];
        find_solid_moment(asset, f, own);
        for (int k = 0; k < 3; k++) {
            sum[k] += own[k];
        }
    }
    find_solid_moment(asset, -1, first);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(sum[k], first[k], 1e-9);
    }
    // mass lumped at origins is that of the uncut body
    double *lumped = calloc((size_t)whole->rig.vertex_count, sizeof *lumped);
    const wr_rig *rig = &asset->rig;
    for (int pass = 0; pass < 2; pass++) {
        const wr_rig *r = pass ? &whole->rig : rig;
        for (int e = 0; e < r->element_count; e++) {
            const int *v = &r->elements[4 * e];
            wr_vec3 n = wr_cross(wr_sub(r->rest[v[1]], r->rest[v[0]]),
                                 wr_sub(r->rest[v[2]], r->rest[v[0]]));
            double volume = (double)wr_dot(n, wr_sub(r->rest[v[3]], r->rest[v[0]])) / 6.0;
            for (int k = 0; k < 4; k++) {
                double share = pass ? -0.25 : (double)asset->fracture.shares[4 * e + k];
                lumped[pass ? v[k] : asset->fracture.origins[v[k]]] += volume * share;
            }
        }
    }
    for (int i = 0; i < whole->rig.vertex_count; i++) {
        CHECK_NEAR(lumped[i], 0.0, 1e-6 * solid_volume(b.lattice));
    }
    free(lumped);
    // every vertex is where it was, and copies are like their origins
    for (int i = 0; i < rig->vertex_count; i++) {
        int o = asset->fracture.origins[i];
        assert_memory_equal(&rig->rest[i], &whole->rig.rest[o], sizeof(wr_vec3));
        assert_memory_equal(&rig->weights[2 * i], &whole->rig.weights[2 * o], 2 * sizeof(float));
    }
    for (int i = 0; i < rig->ride_count; i++) { // at rest the mesh is where its rides say
        const wr_ride *ride = &rig->rides[i];
        wr_vec3 p = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            p = wr_add_scaled(p, ride->weights[k], rig->rest[rig->elements[4 * ride->element + k]]);
        }
        CHECK_NEAR(wr_distance(p, asset->model->meshes->positions[i]), 0.0, 2e-5);
    }
    wr_asset_destroy(asset);
    wr_asset_destroy(whole);
    destroy_body(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_plane_leaves_a_hole),
        cmocka_unit_test(planes_along_faces_leave_no_hole),
        cmocka_unit_test(a_box_is_cut_where_the_plane_is),
        cmocka_unit_test(texture_coordinates_stay_outside),
        cmocka_unit_test(seeds_make_voronoi_cells),
        cmocka_unit_test(groups_of_handles_part_where_their_weights_are_equal),
        cmocka_unit_test(legs_fall_off_one_by_one),
        cmocka_unit_test(nothing_moves_when_it_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
