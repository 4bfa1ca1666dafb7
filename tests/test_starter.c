// test_starter.c: the first film of a model that nobody prepared, by five commands: what it shows
// of a body that is tall and thin, and would fall over, of whatever size.
#include "program.h"

#include "folder.h"
#include "seen.h"

static temporary_folder folder;

static const char *path_of(const char *name)
{
    static char paths[4][600];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder.path, name);
    return path;
}

// A post of 0.4 by 2 by 0.4 m times `scale`, in squares of 0.1 m: rings of 16 vertices, and lids.
static void write_post(const char *path, double scale)
{
    enum { SIDES = 16, RINGS = 21 };
    static char text[40000];
    size_t length = 0;
    for (int i = 0; i < SIDES * RINGS; i++) {
        int k = i % SIDES, along = k % 4;
        const int x[] = {along, 4, 4 - along, 0}, z[] = {4, 4 - along, 0, along};
        length += (size_t)snprintf(text + length, sizeof text - length, "v %g %g %g\n",
                                   0.1 * scale * x[k / 4], 0.1 * scale * (i / SIDES),
                                   0.1 * scale * z[k / 4]);
    }
    for (int i = 0; i < SIDES * (RINGS - 1); i++) {
        int a = 1 + i, b = 1 + i / SIDES * SIDES + (i + 1) % SIDES;
        length += (size_t)snprintf(text + length, sizeof text - length, "f %d %d %d %d\n", a, b,
                                   b + SIDES, a + SIDES);
    }
    for (int k = 2; k < SIDES; k++) {
        int top = SIDES * (RINGS - 1);
        length += (size_t)snprintf(text + length, sizeof text - length, "f %d %d %d\nf %d %d %d\n",
                                   1, k + 1, k, top + 1, top + k, top + k + 1);
    }
    assert_true(length < sizeof text - 1 && wri_file_write(path, text, length, NULL));
}

// Makes the film of a post that is `scale` times as large.
static void film_post(double scale)
{
    remove_tree(path_of("out"));
    write_post(path_of("post.obj"), scale);
    program_run run = RUN_PROGRAM("new", path_of("post.obj"), "--dents", "--unit", "m",
                                  "--vertices", "400", "--force");
    assert_int_equal(run.status, 0);
    run = RUN_PROGRAM("new", "scene", path_of("post.recipe.json"), "--force");
    assert_int_equal(run.status, 0);
    run = RUN_PROGRAM("sim", path_of("post.scene.json"), "-o", path_of("out"), "-q");
    assert_int_equal(run.status, 0);
}

static int setup(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    film_post(1.0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    remove_tree(folder.path);
    return 0;
}

static seen measure(void)
{
    seen s;
    wr_error error = {0};
    if (!seen_measure(path_of("out"), 3, &s, &error)) {
        fail_msg("%s", error.message);
    }
    return s;
}

static void the_hero_stays_upright_and_in_the_picture(void **state)
{
    (void)state;
    seen s = measure();
    assert_true(s.most_tilt < 0.05);
    assert_true(s.low > 0.25 && s.high < 2.0 / 3.0);
    assert_true(s.cut == 0.0);
}

static void the_camera_sees_what_bent(void **state)
{
    (void)state;
    seen s = measure();
    assert_true(s.moved > 0.15);
    assert_true(s.bent > 0.15);
}

static void balls_pass_beside_the_line_of_sight(void **state)
{
    (void)state;
    seen s = measure();
    assert_true(s.hidden < 0.2);
    assert_true(s.last_hidden < 0.02);
}

// From 1 mm to 100 m. Balls once rose as they flew, and over bodies of 1 cm and less.
static void bodies_of_any_size_are_bent(void **state)
{
    (void)state;
    static const double scales[] = {0.0005, 0.005, 0.05, 50.0};
    for (int i = 0; i < WRI_COUNT(scales); i++) {
        film_post(scales[i]);
        seen s = measure();
        assert_true(s.moved > 0.15);
        assert_true(s.bent > 0.1);
        assert_true(s.low > 0.25 && s.high < 2.0 / 3.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hero_stays_upright_and_in_the_picture),
        cmocka_unit_test(the_camera_sees_what_bent),
        cmocka_unit_test(balls_pass_beside_the_line_of_sight),
        cmocka_unit_test(bodies_of_any_size_are_bent), // the film is another one then
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
