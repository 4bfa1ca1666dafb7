// test_within.c: bodies that start in each other are told, those that touch are not.
#include "check.h"

#include "../src/base/os.h"
#include "wrought/wrought.h"

static temporary_folder folder;

typedef struct hearing {
    int count;
    char first[600];
} hearing;

static void hear(void *user, const char *message)
{
    hearing *h = user;
    if (h->count++ == 0) {
        snprintf(h->first, sizeof h->first, "%s", message);
    }
}

// What is said of these bodies in three frames.
static hearing listen(const char *bodies)
{
    char path[700], text[4096];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/scene.json", folder.path);
    int length =
        snprintf(text, sizeof text, "{ \"wrought\": 1, \"length\": 1, \"bodies\": [%s] }", bodies);
    assert_true(wri_file_write(path, text, (size_t)length, &error));
    wr_scene *scene = wr_scene_read(path, NULL, &error);
    if (!scene) {
        fail_msg("%s", error.message);
    }
    hearing h = {0};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    desc.log = (wr_log){hear, &h};
    wr_world *world = wr_world_create(&desc, &error);
    assert_non_null(world);
    for (int i = 0; i < 3; i++) {
        wr_world_step_frame(world);
    }
    wr_world_destroy(world);
    wr_scene_destroy(scene);
    return h;
}

#define GROUND "{\"name\": \"ground\", \"shape\": \"plane\"}, "
#define BOX(name, at) "{\"name\": \"" name "\", \"shape\": {\"box\": [1, 1, 1]}, \"at\": [" at "]}"

static void what_starts_deep_in_something_is_told_once(void **state)
{
    (void)state;
    hearing h = listen(GROUND BOX("crate", "3, 0.2, 1"));
    assert_int_equal(h.count, 1);
    assert_string_equal(h.first, "bodies \"crate\" and \"ground\" start 0.3 m deep in each other, "
                                 "which moves them apart at once; move the two apart");
    h = listen(BOX("left", "0, 5, 0") ", " BOX("right", "0.85, 5.1, 0.2"));
    assert_int_equal(h.count, 1);
    assert_non_null(strstr(h.first, "start 0.15 m deep"));
}

static void what_touches_or_sinks_in_a_little_is_not(void **state)
{
    (void)state;
    assert_int_equal(listen(GROUND BOX("a", "0, 0.5, 0") ", " BOX("b", "0.1, 1.5, 0.2")).count, 0);
    assert_int_equal(listen(GROUND BOX("a", "0, 0.47, 0")).count, 0); // 3 %
    assert_int_equal(listen(GROUND BOX("a", "0, 0.43, 0")).count, 1); // 7 %
    // what cannot move may overlap
    assert_int_equal(listen("{\"shape\": {\"box\": [4, 1, 4]}, \"motion\": \"static\"}, "
                            "{\"shape\": {\"box\": [1, 4, 1]}, \"motion\": \"static\"}")
                         .count,
                     0);
}

// What hits something later is no mistake of the scene.
static void what_meets_later_is_not(void **state)
{
    (void)state;
    hearing h =
        listen("{\"shape\": {\"box\": [4, 1, 4]}, \"motion\": \"static\"}, "
               "{\"shape\": {\"sphere\": 0.5}, \"at\": [0, 2, 0], \"velocity\": [0, -60, 0]}");
    assert_int_equal(h.count, 0);
}

static void many_pairs_are_counted(void **state)
{
    (void)state;
    hearing h = listen("{\"name\": \"row\", \"shape\": {\"box\": [1, 1, 1]}, \"at\": [0, 5, 0], "
                       "\"copies\": [{\"count\": 8, \"step\": [0.8, 0.1, 0]}]}");
    assert_int_equal(h.count, 4); // three of seven pairs, and how many more there are
}

#define LUMP(name, at, more)                                                                       \
    "{\"name\": \"" name "\", \"shape\": {\"sphere\": 0.2}, \"at\": [" at "], \"material\": "      \
    "{\"flesh\": \"muscle\", \"spacing\": 3}" more "}"

// Skins that are in each other go nowhere: the artist is told before the first frame.
static void flesh_that_starts_in_something_is_told(void **state)
{
    (void)state;
    hearing h = listen(LUMP("left", "0, 2, 0", "") ", " LUMP("right", "0.1, 2.02, 0.01", ""));
    assert_int_equal(h.count, 1);
    assert_string_equal(h.first,
                        "bodies \"left\" and \"right\" start 0.1 m deep in each other, which "
                        "soft skin does not come out of; move the two apart");
    h = listen(GROUND LUMP("ball", "1, 0.1, 0", ""));
    assert_int_equal(h.count, 1);
    assert_non_null(strstr(h.first, "\"ball\" and \"ground\" start 0.1 m deep"));
    assert_int_equal(listen(GROUND LUMP("below", "1, -5, 0", "")).count, 1);
    h = listen(BOX("crate", "0, 2, 0") ", " LUMP("inside", "0.1, 2, 0", ""));
    assert_true(strstr(h.first, "\"inside\" and \"crate\" start 0.42 m deep"));
}

static void flesh_that_touches_is_not(void **state)
{
    (void)state;
    assert_int_equal(
        listen(GROUND LUMP("a", "0, 0.2, 0", "") ", " LUMP("b", "0.39, 0.2, 0.05", "")).count, 0);
#define APART ", \"groups\": [\"ghosts\"], \"misses\": [\"ghosts\"]"
    assert_int_equal(listen(LUMP("a", "0, 2, 0", APART) ", " LUMP("b", "0.1, 2, 0", APART)).count,
                     0);
}

static int setup(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_starts_deep_in_something_is_told_once),
        cmocka_unit_test(what_touches_or_sinks_in_a_little_is_not),
        cmocka_unit_test(what_meets_later_is_not),
        cmocka_unit_test(many_pairs_are_counted),
        cmocka_unit_test(flesh_that_starts_in_something_is_told),
        cmocka_unit_test(flesh_that_touches_is_not),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
