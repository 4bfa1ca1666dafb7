// test_profiles.c: shapes of dents that stay, each of few vertices, and what no few profiles make.
#include "check.h"

#include "../src/geometry/profiles.h"
#include "../src/geometry/sparse_code.h"

enum { WIDE = 9, POINTS = WIDE * WIDE, PICTURES = 120 };

static wr_vec3 rest[POINTS];

// A dent at a place, as deep as it is said, with no effect on what is farther than its reach.
static wr_vec3 dent(wr_vec3 p, float x, float z, float reach, wr_vec3 depth)
{
    float dx = p.x - x, dz = p.z - z, near = 1.0f - sqrtf(dx * dx + dz * dz) / reach;
    return near > 0.0f ? wr_scale(near, depth) : wr_v3(0, 0, 0);
}

// Evenly from 0 to 1 between two pictures.
static float ramp(int picture, int from, int to)
{
    return wr_clampf((float)(picture - from) / (float)(to - from), 0.0f, 1.0f);
}

static wr_vec3 dented(wr_vec3 p, int picture)
{
    wr_vec3 a = dent(p, -0.6f, -0.3f, 0.7f, wr_v3(0.05f, -0.2f, 0.02f));
    wr_vec3 b = dent(p, 0.5f, 0.4f, 0.8f, wr_v3(-0.03f, -0.3f, 0.01f));
    wr_vec3 c = dent(p, 0.3f, 0.2f, 0.6f, wr_v3(0.0f, 0.1f, -0.04f));
    p = wr_add_scaled(p, ramp(picture, 10, 13), a);
    p = wr_add_scaled(p, ramp(picture, 40, 44), b);
    return wr_add_scaled(p, ramp(picture, 90, 91), c);
}

static wr_vec3 waving(wr_vec3 p, int picture)
{
    float t = (float)picture / PICTURES;
    return wr_add(p, wr_v3(0.1f * sinf(40.0f * t + 3.0f * p.z), 0.2f * sinf(61.0f * t + p.x), 0));
}

typedef wr_vec3 motion(wr_vec3 p, int picture);

static wri_holds hold(motion *move, wri_arena *arena)
{
    wri_holds h = {.vertex_count = POINTS, .picture_count = PICTURES};
    h.first = wri_arena_alloc(arena, PICTURES, sizeof(int));
    h.points = wri_arena_alloc(arena, PICTURES, sizeof(wr_vec3 *));
    for (int k = 0; k < PICTURES; k++) {
        wr_vec3 *now = wri_arena_alloc(arena, POINTS, sizeof *now);
        for (int i = 0; i < POINTS; i++) {
            now[i] = move(rest[i], k);
        }
        if (h.count == 0 || memcmp(now, h.points[h.count - 1], sizeof rest) != 0) {
            h.first[h.count] = k;
            h.points[h.count++] = now;
        }
    }
    return h;
}

static wr_vec3 replay(const wri_profiles *c, int picture, int i)
{
    int k = 0;
    while (k + 2 < c->key_count && c->keys[k + 1] <= picture) {
        k++;
    }
    const float *a = c->shapes.weights + k * c->shapes.count, *b = a + c->shapes.count;
    float t = wr_clampf((float)(picture - c->keys[k]) / (float)(c->keys[k + 1] - c->keys[k]), 0, 1);
    wr_vec3 p = c->shapes.base[i];
    for (int j = 0; j < c->shapes.count; j++) {
        p = wr_add_scaled(p, a[j] + (b[j] - a[j]) * t, c->shapes.offsets[j * POINTS + i]);
    }
    return p;
}

static float find_error(const wri_profiles *c, motion *move)
{
    float most = 0.0f;
    for (int k = 0; k < PICTURES; k++) {
        for (int i = 0; i < POINTS; i++) {
            most = fmaxf(most, wr_distance(replay(c, k, i), move(rest[i], k)));
        }
    }
    return most;
}

static void dents_that_stay_are_as_many_shapes_of_the_vertices_they_move(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    wri_holds holds = hold(dented, &arena);
    wri_profiles c;
    bool found;
    assert_true(wri_profiles_find(&holds, rest, &(wri_profiles_desc){8, 1e-4f, 1e-4f, 0.0f}, &arena,
                                  &c, &found, NULL));
    assert_true(found);
    assert_int_equal(c.shapes.count, 3);
    assert_true(find_error(&c, dented) <= 1e-4f);
    static const float places[3][3] = {
        {-0.6f, -0.3f, 0.7f}, {0.5f, 0.4f, 0.8f}, {0.3f, 0.2f, 0.6f}};
    for (int i = 0; i < POINTS; i++) {
        int shapes = 0, dents = 0;
        for (int j = 0; j < 3; j++) {
            wr_vec3 d = c.shapes.offsets[j * POINTS + i];
            float x = rest[i].x - places[j][0], z = rest[i].z - places[j][1];
            shapes += d.x != 0.0f || d.y != 0.0f || d.z != 0.0f;
            dents += sqrtf(x * x + z * z) < places[j][2] - 1e-3f;
        }
        assert_true((shapes > 0) == (dents > 0));
    }
    float before = 0.0f; // the first shape is the one that moves first
    for (int j = 0; j < 3; j++) {
        int k = 0;
        while (c.shapes.weights[k * 3 + j] < 0.5f) {
            k++;
        }
        assert_true((float)c.keys[k] >= before);
        before = (float)c.keys[k];
    }
    wri_arena_destroy(&arena);
}

// Two of nine profiles and their coefficients come back, and no third one.
static void a_path_of_two_profiles_has_two_terms(void **state)
{
    enum { ATOMS = 9, ROWS = 40 };
    (void)state;
    float values[ROWS * ATOMS], gram[ATOMS * ATOMS], room[6 * ATOMS];
    wr_vec3 path[ROWS];
    const wr_vec3 a = {0.3f, -0.2f, 0.05f}, b = {-0.1f, 0.25f, 0.4f};
    for (int j = 0; j < ROWS; j++) {
        for (int k = 0; k < ATOMS; k++) {
            values[j * ATOMS + k] = ramp(j, 4 * k, 4 * k + 3) - ramp(j, 4 * k + 3, 4 * k + 8);
        }
        path[j] = wr_add_scaled(wr_scale(values[j * ATOMS + 2], a), values[j * ATOMS + 7], b);
    }
    wri_atoms_multiply(values, ROWS, ATOMS, gram);
    const wri_atoms atoms = {ROWS, ATOMS, values, gram};
    wri_code code = wri_code_find(&atoms, path, 1e-4f, room);
    assert_true(code.error <= 1e-4f);
    for (int j = 0; j < ROWS; j++) {
        assert_true(wr_distance(wri_code_place(&atoms, &code, j), path[j]) <= 1e-4f);
    }
    assert_int_equal(code.count, 2);
    for (int t = 0; t < 2; t++) {
        assert_true(code.atoms[t] == 2 || code.atoms[t] == 7);
        wr_vec3 right = code.atoms[t] == 2 ? a : b;
        assert_true(wr_distance(code.coefficients[t], right) < 1e-3f);
    }
    code = wri_code_find(&atoms, path, 2.0f, room); // what is not worth a term has none
    assert_int_equal(code.count, 0);
}

static void the_error_is_what_a_player_sees(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    wri_holds holds = hold(waving, &arena);
    for (float tolerance = 0.002f; tolerance < 0.1f; tolerance *= 3.0f) {
        wri_profiles c;
        bool found;
        assert_true(wri_profiles_find(&holds, rest,
                                      &(wri_profiles_desc){256, tolerance, tolerance, 0.0f}, &arena,
                                      &c, &found, NULL));
        assert_true(found && c.shapes.error <= tolerance * 1.0001f);
        CHECK_NEAR((double)find_error(&c, waving), (double)c.shapes.error, 1e-5);
    }
    wri_arena_destroy(&arena);
}

static void what_moves_to_and_fro_needs_more_shapes(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    wri_holds holds = hold(waving, &arena);
    wri_profiles c;
    bool found = true;
    assert_true(wri_profiles_find(&holds, rest, &(wri_profiles_desc){8, 1e-3f, 4e-3f, 0.0f}, &arena,
                                  &c, &found, NULL));
    assert_false(found);
    wri_arena_destroy(&arena);
}

static void more_shapes_than_are_wanted_make_it_looser(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    wri_holds holds = hold(waving, &arena);
    wri_profiles tight, loose;
    bool found;
    assert_true(wri_profiles_find(&holds, rest, &(wri_profiles_desc){256, 0.01f, 0.01f, 0.0f},
                                  &arena, &tight, &found, NULL));
    assert_true(found);
    int most = tight.shapes.count - 1;
    assert_true(wri_profiles_find(&holds, rest, &(wri_profiles_desc){most, 0.01f, 0.64f, 0.0f},
                                  &arena, &loose, &found, NULL));
    assert_true(found && loose.shapes.count <= most);
    assert_true(loose.shapes.error > 0.01f);
    wri_arena_destroy(&arena);
}

static void what_never_moves_needs_no_shape(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    wr_vec3 *points = rest;
    int first = 0;
    wri_holds holds = {POINTS, PICTURES, 1, &first, &points};
    wri_profiles c;
    bool found;
    assert_true(wri_profiles_find(&holds, rest, &(wri_profiles_desc){8, 1e-4f, 1e-4f, 0.0f}, &arena,
                                  &c, &found, NULL));
    assert_true(found);
    assert_int_equal(c.shapes.count, 0);
    assert_true(c.shapes.error == 0.0f);
    wri_arena_destroy(&arena);
}

int main(void)
{
    for (int i = 0; i < POINTS; i++) {
        float x = (float)(i % WIDE) / (WIDE - 1), z = (float)(i / WIDE) / (WIDE - 1);
        rest[i] = wr_v3(2.0f * x - 1.0f, 0.1f * x * z, 2.0f * z - 1.0f);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dents_that_stay_are_as_many_shapes_of_the_vertices_they_move),
        cmocka_unit_test(a_path_of_two_profiles_has_two_terms),
        cmocka_unit_test(the_error_is_what_a_player_sees),
        cmocka_unit_test(what_moves_to_and_fro_needs_more_shapes),
        cmocka_unit_test(more_shapes_than_are_wanted_make_it_looser),
        cmocka_unit_test(what_never_moves_needs_no_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
