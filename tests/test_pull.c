// Handles in a lattice of tetrahedra: which vertex goes where one is placed.
#include "shape.h"

#include "../src/author/pull.h"

typedef struct fixture {
    shape s;
    wri_arena arena;
    wri_soup soup;
    wri_body body;
} fixture;

static fixture start(void)
{
    fixture f = {.s = shape_create(), .arena = wri_arena_create(NULL)};
    wr_error error = {0};
    wri_bcc bcc;
    add_box(&f.s, wr_v3(0, 0, 0), wr_v3(1, 1, 1));
    const wr_mesh *mesh = &f.s.mesh;
    assert_true(
        wri_soup_build(&f.soup, &f.arena, mesh->positions, mesh->triangles, mesh->triangle_count));
    const wri_bcc_input input = {.soup = &f.soup, .grid = {{-1.0, -1.0, -1.0}, 0.125}};
    if (!wri_bcc_fill(&input, &f.arena, &bcc, &error) ||
        !wri_body_create(&f.body, &bcc, NULL, &error)) {
        fail_msg("%s", error.message);
    }
    return f;
}

static void stop(fixture *f)
{
    wri_body_destroy(&f->body);
    wri_arena_destroy(&f->arena);
    shape_destroy(&f->s);
}

static wr_vec3 place(const fixture *f, int vertex)
{
    return WRI_ITEM(f->body.x, wr_vec3, vertex);
}

static wr_vec3 snap(fixture *f, wr_vec3 p, wri_snap expected, int *vertex)
{
    wri_snap how;
    assert_true(wri_body_snap(&f->body, p, &how, vertex, NULL));
    assert_int_equal(how, expected);
    assert_true(*vertex >= 0);
    for (int i = 0; i < f->body.tetrahedra.count; i++) {
        assert_true(wri_body_volume(&f->body, i) > 0.0);
    }
    return place(f, *vertex);
}

static int nearest_to(const fixture *f, wr_vec3 p)
{
    int best = 0;
    for (int i = 1; i < f->body.x.count; i++) {
        best = wr_distance(place(f, i), p) < wr_distance(place(f, best), p) ? i : best;
    }
    return best;
}

// A place half way between two vertices, of which the first is taken: the second goes there.
static void of_two_as_near_the_free_one_moves(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) { // either of both is taken
        fixture f = start();
        int middle = nearest_to(&f, wr_v3(0.5f, 0.5f, 0.5f)), taken, moved;
        wr_vec3 a = place(&f, middle), b = wr_add(a, wr_v3(0.25f, 0, 0));
        int beside = nearest_to(&f, b);
        assert_true(wr_distance(place(&f, beside), b) == 0.0f);
        snap(&f, k ? a : b, WRI_SNAP_MOVED, &taken);
        assert_int_equal(taken, k ? middle : beside);
        snap(&f, wr_lerp3(a, b, 0.5f), WRI_SNAP_MOVED, &moved);
        assert_int_equal(moved, k ? beside : middle);
        stop(&f);
    }
}

// A handle that stands stays where it is, however near the next one comes; at its very place the
// next one gets the same vertex.
static void a_handle_is_not_moved_by_another(void **state)
{
    (void)state;
    fixture f = start();
    int first, second, again;
    wr_vec3 p = wr_v3(0.47f, 0.52f, 0.55f), q = wr_add(p, wr_v3(0.01f, 0.012f, -0.02f));
    snap(&f, p, WRI_SNAP_MOVED, &first);
    wri_snap how;
    assert_true(wri_body_snap(&f.body, q, &how, &second, NULL));
    assert_int_not_equal(first, second);
    assert_true(wr_distance(place(&f, first), p) == 0.0f);
    snap(&f, p, WRI_SNAP_MOVED, &again);
    assert_int_equal(again, first);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_as_near_the_free_one_moves),
        cmocka_unit_test(a_handle_is_not_moved_by_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
