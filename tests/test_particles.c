// Promises of the surface around particles: closed, outward, of the right volume, in one piece
// where the particles are, the same for any number of threads.
#include "check.h"

#include "wrought/geometry.h"

#include "../src/geometry/marching.h"

enum { MOST = 40000 };

static wr_vec3 places[MOST];

// Particles at lattice points within a ball, jittered by a part of their distance; returns how
// many.
static int fill_ball(wr_vec3 *out, wr_vec3 center, float ball, float radius, float jitter)
{
    int n = (int)(ball / (2.0f * radius)) + 1, count = 0;
    uint64_t seed = 7;
    for (int i = -n; i <= n; i++) {
        for (int j = -n; j <= n; j++) {
            for (int k = -n; k <= n; k++) {
                wr_vec3 x = wr_scale(2.0f * radius, wr_v3((float)i, (float)j, (float)k));
                wr_vec3 d = wr_v3(random_float(&seed, -jitter, jitter),
                                  random_float(&seed, -jitter, jitter),
                                  random_float(&seed, -jitter, jitter));
                if (wr_length(x) < ball) {
                    out[count++] = wr_add(center, wr_add(x, wr_scale(2.0f * radius, d)));
                }
            }
        }
    }
    return count;
}

static wr_model *surround(int count, float radius, const float *radii)
{
    wr_error error = {0};
    wr_particles particles = {count, places, radii, radius};
    wr_model *model = wr_particles_create_surface(&particles, NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

static int compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int));
}

// Every directed edge is there once, and so is its opposite: closed, and all on one side.
static void assert_every_edge_twice(const wr_mesh *mesh)
{
    int count = 3 * mesh->triangle_count;
    int(*edges)[2] = malloc(sizeof *edges * (size_t)(count + 1));
    int(*back)[2] = malloc(sizeof *back * (size_t)(count + 1));
    assert_true(edges && back);
    for (int i = 0; i < count; i++) {
        int from = mesh->triangles[i], to = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i][0] = back[i][1] = from;
        edges[i][1] = back[i][0] = to;
        assert_int_not_equal(from, to);
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    qsort(back, (size_t)count, sizeof *back, compare_edges);
    for (int i = 0; i < count; i++) {
        assert_memory_equal(edges[i], back[i], sizeof *edges);
        assert_true(i == 0 || compare_edges(edges[i - 1], edges[i]) != 0);
    }
    free(edges);
    free(back);
}

// Normals look where the triangles do.
static void assert_normals_agree(const wr_mesh *mesh)
{
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * i];
        wr_vec3 a = mesh->positions[t[0]], b = mesh->positions[t[1]], c = mesh->positions[t[2]];
        wr_vec3 facing = wr_cross(wr_sub(b, a), wr_sub(c, a));
        wr_vec3 n = wr_add(mesh->normals[t[0]], wr_add(mesh->normals[t[1]], mesh->normals[t[2]]));
        assert_true(wr_dot(facing, n) > -1e-3f * wr_length(facing) * wr_length(n));
        CHECK_NEAR(wr_length(mesh->normals[t[0]]), 1.0, 1e-5);
    }
}

static double volume_of(const wr_mesh *mesh)
{
    wr_mass_properties mass;
    wr_error error = {0};
    if (!wr_mesh_find_mass(mesh, 1.0, &mass, &error)) {
        fail_msg("%s", error.message);
    }
    return mass.mass; // of density 1; fails when it faces inwards
}

static int shells_of(const wr_mesh *mesh)
{
    int *shells = malloc(sizeof *shells * (size_t)mesh->vertex_count);
    int count = wr_mesh_find_shells(mesh, shells);
    free(shells);
    return count;
}

static void a_ball_of_particles_is_a_ball(void **state)
{
    (void)state;
    static const float jitters[] = {0.0f, 0.1f, 0.25f};
    for (int k = 0; k < WRI_COUNT(jitters); k++) {
        float r = 0.02f;
        int count = fill_ball(places, wr_v3(0.3f, -1.0f, 5.0f), 20 * r, r, jitters[k]);
        wr_model *model = surround(count, r, NULL);
        const wr_mesh *mesh = model->meshes;
        assert_every_edge_twice(mesh);
        assert_normals_agree(mesh);
        assert_int_equal(shells_of(mesh), 1);
        double expected = count * 8.0 * r * r * r, volume = volume_of(mesh);
        print_message("%d particles, jitter %.2f: volume %.1f %% of theirs, %d triangles\n", count,
                      jitters[k], 100 * volume / expected, mesh->triangle_count);
        CHECK_NEAR(volume, expected, 0.05 * expected);
        wr_model_destroy(model);
    }
}

// A drop, a pair, a thread, a sheet: what is thin neither vanishes nor swells.
static void few_particles_keep_their_volume(void **state)
{
    (void)state;
    float r = 0.5f;
    const struct {
        int x, y, z;
    } cases[] = {{1, 1, 1}, {2, 1, 1}, {8, 1, 1}, {12, 12, 1}, {2, 2, 2}, {4, 4, 4}};
    for (int k = 0; k < WRI_COUNT(cases); k++) {
        int count = 0;
        for (int i = 0; i < cases[k].x * cases[k].y * cases[k].z; i++) {
            places[count++] =
                wr_v3(0.1f + (float)(i % cases[k].x), (float)(i / cases[k].x % cases[k].y),
                      (float)(i / (cases[k].x * cases[k].y)));
        }
        wr_model *model = surround(count, r, NULL);
        assert_every_edge_twice(model->meshes);
        assert_int_equal(shells_of(model->meshes), 1);
        print_message("%2d x %2d x %d: volume %.2f of %d\n", cases[k].x, cases[k].y, cases[k].z,
                      volume_of(model->meshes), count);
        CHECK_NEAR(volume_of(model->meshes), count, 0.25 * count);
        wr_model_destroy(model);
    }
}

static void two_balls_are_two_surfaces(void **state)
{
    (void)state;
    float r = 0.02f;
    int count = fill_ball(places, wr_v3(-0.3f, 0, 0), 0.1f, r, 0.0f);
    count += fill_ball(places + count, wr_v3(0.3f, 0, 0), 0.15f, r, 0.0f);
    wr_model *model = surround(count, r, NULL);
    assert_every_edge_twice(model->meshes);
    assert_int_equal(shells_of(model->meshes), 2);
    wr_model_destroy(model);
    count = fill_ball(places, wr_v3(-0.05f, 0, 0), 0.1f, r, 0.0f);
    count += fill_ball(places + count, wr_v3(0.11f, 0, 0), 0.15f, r, 0.0f);
    model = surround(count, r, NULL);
    assert_int_equal(shells_of(model->meshes), 1); // they touch
    wr_model_destroy(model);
}

static void the_surface_moves_with_its_particles(void **state)
{
    (void)state;
    float r = 0.02f;
    int count = fill_ball(places, wr_v3(0.01f, 0.02f, 0.03f), 0.2f, r, 0.2f);
    wr_model *model = surround(count, r, NULL);
    // By cells of the grid: vertex by vertex. A cell is 3/4 of the radius in steps of 1/32.
    float cell = 0.75f * 20.0f / 1024.0f;
    wr_vec3 move = wr_v3(64 * cell, -128 * cell, 32 * cell);
    for (int i = 0; i < count; i++) {
        places[i] = wr_add(places[i], move);
    }
    wr_model *moved = surround(count, r, NULL);
    assert_int_equal(moved->meshes->vertex_count, model->meshes->vertex_count);
    assert_memory_equal(moved->meshes->triangles, model->meshes->triangles,
                        sizeof(int) * 3 * (size_t)model->meshes->triangle_count);
    for (int i = 0; i < model->meshes->vertex_count; i++) {
        wr_vec3 d = wr_sub(moved->meshes->positions[i], wr_add(model->meshes->positions[i], move));
        assert_true(wr_length(d) < 0.01f * r);
    }
    wr_model_destroy(moved);
    // By anything else: the same shape, sampled elsewhere.
    wr_vec3 shift = wr_v3(0.00431f, 0.00713f, -0.00217f);
    for (int i = 0; i < count; i++) {
        places[i] = wr_add(places[i], shift);
    }
    moved = surround(count, r, NULL);
    wr_box a = wr_mesh_bounds(model->meshes), b = wr_mesh_bounds(moved->meshes);
    wr_vec3 low = wr_sub(b.min, wr_add(a.min, wr_add(move, shift)));
    wr_vec3 high = wr_sub(b.max, wr_add(a.max, wr_add(move, shift)));
    assert_true(wr_length(low) < 0.3f * r && wr_length(high) < 0.3f * r);
    CHECK_NEAR(volume_of(moved->meshes), volume_of(model->meshes),
               0.005 * volume_of(model->meshes));
    wr_model_destroy(moved);
    wr_model_destroy(model);
}

static int compare_vertices(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(wr_vec3));
}

// A drop that flies elsewhere does not make what rests tremble.
static void the_grid_does_not_swim(void **state)
{
    (void)state;
    float r = 0.021f;
    int count = fill_ball(places, wr_v3(0.3f, 0, 0), 0.1f, r, 0.1f);
    wr_model *ball = surround(count, r, NULL);
    places[count] = wr_v3(-0.7123f, -0.331f, -2.0f);
    wr_model *both = surround(count + 1, r, NULL);
    wr_mesh *a = ball->meshes, *b = both->meshes;
    int kept = 0;
    for (int i = 0; i < b->vertex_count; i++) {
        if (b->positions[i].x > 0.0f) {
            b->positions[kept++] = b->positions[i];
        }
    }
    assert_true(b->vertex_count > kept);
    assert_int_equal(kept, a->vertex_count);
    qsort(a->positions, (size_t)kept, sizeof(wr_vec3), compare_vertices);
    qsort(b->positions, (size_t)kept, sizeof(wr_vec3), compare_vertices);
    assert_memory_equal(a->positions, b->positions, sizeof(wr_vec3) * (size_t)kept);
    wr_model_destroy(ball);
    wr_model_destroy(both);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    float r = 0.02f;
    int count = fill_ball(places, wr_v3(0, 0, 0), 0.4f, r, 0.2f);
    wr_particles particles = {count, places, NULL, r};
    wr_model *alone = surround(count, r, NULL);
    for (int k = 1; k <= 4; k++) {
        wr_tasks tasks = wr_tasks_openmp(k);
        wri_test_block_shuffle = k;
        wr_model *model = wr_particles_create_surface(&particles, &tasks, NULL);
        wri_test_block_shuffle = 0;
        const wr_mesh *a = alone->meshes, *b = model->meshes;
        assert_int_equal(a->vertex_count, b->vertex_count);
        assert_int_equal(a->triangle_count, b->triangle_count);
        assert_memory_equal(a->positions, b->positions, sizeof(wr_vec3) * (size_t)a->vertex_count);
        assert_memory_equal(a->normals, b->normals, sizeof(wr_vec3) * (size_t)a->vertex_count);
        assert_memory_equal(a->triangles, b->triangles, 12 * (size_t)a->triangle_count);
        wr_model_destroy(model);
    }
    wr_model_destroy(alone);
}

// Also several blocks away from each other, and at random.
static void random_clouds_are_closed(void **state)
{
    (void)state;
    uint64_t seed = 3;
    static float radii[2000];
    for (int k = 0; k < 20; k++) {
        int count = 100 + 95 * k;
        for (int i = 0; i < count; i++) {
            places[i] = wr_v3(random_float(&seed, -1, 1), random_float(&seed, -1, 1),
                              random_float(&seed, -1, 1));
            radii[i] = random_float(&seed, 0.02f, k % 2 ? 0.1f : 0.04f);
        }
        wr_model *model = surround(count, 0.0f, radii);
        assert_every_edge_twice(model->meshes);
        assert_true(model->meshes->triangle_count > 0);
        wr_model_destroy(model);
    }
}

static void no_particles_have_an_empty_surface(void **state)
{
    (void)state;
    wr_model *model = surround(0, 0.1f, NULL);
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->meshes->vertex_count + model->meshes->triangle_count, 0);
    wr_model_destroy(model);
}

static void what_has_no_surface_is_one_sentence(void **state)
{
    (void)state;
    const struct {
        wr_vec3 place;
        float radius;
        const char *sentence;
    } cases[] = {
        {{0, NAN, 0}, 1.0f, "particle 1: not a place and a radius"},
        {{0, 0, 0}, 0.0f, "particle 0: not a place and a radius"},
        {{1e9f, 0, 0},
         1.0f,
         "particles with cells of 0.75 m that reach to 1e+09 m have no surface"},
        {{3e38f, 0, -3e38f}, 3e38f, NULL}, // no overflow
    };
    for (int k = 0; k < WRI_COUNT(cases); k++) {
        places[0] = wr_v3(0, 0, 0);
        places[1] = cases[k].place;
        wr_particles particles = {2, places, NULL, cases[k].radius};
        wr_error error = {0};
        wr_model *model = wr_particles_create_surface(&particles, NULL, &error);
        if (cases[k].sentence) {
            assert_null(model);
            assert_string_equal(error.message, cases[k].sentence);
        }
        wr_model_destroy(model);
    }
}

// Each case of a cube, and its neighbours on all sides: lines on a face are the same from both.
static void every_case_of_a_cube_is_a_closed_piece(void **state)
{
    (void)state;
    wri_cube_case cases[WRI_CUBE_CASES];
    wri_cube_fill_cases(cases);
    for (int inside = 0; inside < WRI_CUBE_CASES; inside++) {
        const wri_cube_case *c = &cases[inside];
        int uses[WRI_CUBE_EDGES] = {0}, cut[WRI_CUBE_EDGES];
        for (int e = 0; e < WRI_CUBE_EDGES; e++) {
            int low = wri_cube_edge_corner(e), high = low | 1 << e / 4;
            cut[e] = (inside >> low & 1) != (inside >> high & 1);
        }
        for (int i = 0; i < 3 * c->triangle_count; i++) {
            uses[c->edges[i]]++;
        }
        for (int e = 0; e < WRI_CUBE_EDGES; e++) {
            assert_int_equal(uses[e] > 0, cut[e]);
        }
    }
    assert_int_equal(cases[0].triangle_count + cases[255].triangle_count, 0);
    assert_int_equal(cases[0x0f].triangle_count, 2);
    assert_int_equal(cases[0x69].triangle_count, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_of_particles_is_a_ball),
        cmocka_unit_test(few_particles_keep_their_volume),
        cmocka_unit_test(two_balls_are_two_surfaces),
        cmocka_unit_test(the_surface_moves_with_its_particles),
        cmocka_unit_test(the_grid_does_not_swim),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(random_clouds_are_closed),
        cmocka_unit_test(no_particles_have_an_empty_surface),
        cmocka_unit_test(what_has_no_surface_is_one_sentence),
        cmocka_unit_test(every_case_of_a_cube_is_a_closed_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
