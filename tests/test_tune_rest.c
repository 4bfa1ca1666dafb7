// test_tune_rest.c: what tuning takes for contact at rest, the yields that keep their distance from
// it, and what the program says of many bodies.
#include "program.h"

#include "../src/tune/tune.h"
#include "wrought/wrought.h"

static temporary_folder folder;
static char path[600];

// The shipped barrel, built once.
static int build_barrel(void **state)
{
    (void)state;
    const char *scenes = getenv("WROUGHT_SCENES");
    wr_error error = {0};
    wr_build_desc desc = wr_build_desc_default();
    folder = temporary_folder_create();
    snprintf(path, sizeof path, "%s/barrel.recipe.json", scenes ? scenes : ".");
    wr_recipe *recipe = wr_recipe_read(path, NULL, &error);
    wr_asset *asset = recipe ? wr_recipe_build(recipe, &desc, NULL, &error) : NULL;
    snprintf(path, sizeof path, "%s/barrel.glb", folder.path);
    bool ok = asset && wr_asset_write(asset, path, &error);
    wr_asset_destroy(asset);
    wr_recipe_destroy(recipe);
    return ok ? 0 : -1;
}

static int clear(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// Barrels in a row without gravity, which touch nothing.
static void write_scene(int count)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{ \"wrought\": 1, \"length\": 0.05, \"gravity\": [0, 0, 0], \"assets\": { "
             "\"barrel\": \"barrel.glb\" }, \"bodies\": [ { \"name\": \"row\", "
             "\"asset\": \"barrel\", \"copies\": { \"count\": %d, \"step\": [3, 0, 0] } } ] }",
             count);
    snprintf(path, sizeof path, "%s/row.scene.json", folder.path);
    assert_true(wri_file_write(path, text, strlen(text), NULL));
}

static wr_tuning *start(wr_scene **scene)
{
    wr_error error = {0};
    wr_tune_desc desc = wr_tune_desc_default();
    write_scene(1);
    *scene = wr_scene_read(path, NULL, &error);
    desc.scene = *scene;
    wr_tuning *t = *scene ? wr_tuning_create(&desc, &error) : NULL;
    if (!t || !wr_tuning_step(t, &error)) {
        fail_msg("%s", error.message);
    }
    return t;
}

// A stretch of time is one of rest when the last disturbance was a quarter of a fall time before
// it, not merely before it; then its peak, its load and its hits count.
static void rest_begins_a_while_after_a_disturbance(void **state)
{
    (void)state;
    wr_scene *scene;
    wr_tuning *t = start(&scene);
    wri_watched *w = t->watched[0];
    double settle = 0.25 * (double)w->metal->asset->t_L;
    for (int i = 0; i < 4; i++) { // the stretch before the last one, then the last
        double disturbed = 7.0 - (i % 2 ? 1.1 : 0.9) * settle;
        const wri_stretch calm = {.start = -INFINITY}, busy = {7.0, 0.3, 1.25, 2};
        w->last = i < 2 ? busy : calm;
        w->now = i < 2 ? calm : busy;
        w->resting = w->load = w->crept = 0;
        WRI_ITEM(t->watch.disturbed, double, w->engine) = disturbed;
        wri_watched_finish(w);
        assert_true(w->resting == (i % 2 ? 0.3 : 0.0));
        assert_true(w->load == (i % 2 ? 1.25 : 0.0));
        assert_int_equal(w->crept, i % 2 ? 2 : 0);
    }
    wr_tuning_destroy(t);
    wr_scene_destroy(scene);
}

// Yields have three digits and are rounded away from contact at rest, as speeds too.
static void a_yield_is_never_less_than_the_margin_wants(void **state)
{
    (void)state;
    wr_scene *scene;
    wr_tuning *t = start(&scene);
    wr_error error = {0};
    int count;
    const wr_tune_family *family = wr_tuning_families(t, &count);
    double unit = (double)t->info[0].unit_speed;
    for (int i = 0; i < 12; i++) {
        double resting = 2.0 + 0.3137 * i;
        t->watched[0]->resting = resting;
        t->watched[0]->last = t->watched[0]->now = (wri_stretch){.start = -INFINITY};
        assert_true(wr_tuning_propose(t, false, &error));
        assert_true(!family->is_kept && !family->is_tuned);
        assert_true(family->yield >= 1.5 * resting * (1.0 - 1e-9));
        assert_true(family->yield < 1.5 * resting * 1.01);
        assert_true(family->yield_speed >= family->yield * unit * (1.0 - 1e-9));
        assert_true(family->yield_speed < family->yield * unit * 1.01);
    }
    wr_tuning_destroy(t);
    wr_scene_destroy(scene);
}

static int count_rows(const char *text)
{
    int rows = 0;
    for (const char *at = text; (at = strstr(at, "\n  row.")); at++) {
        rows++;
    }
    return rows;
}

// Twelve rows of a family are shown and the rest is counted, unless all are asked for.
static void all_bodies_are_shown_when_asked_for(void **state)
{
    (void)state;
    write_scene(14);
    program_run some = RUN_PROGRAM("tune", path, "--no-check", "-q");
    program_run all = RUN_PROGRAM("tune", path, "--no-check", "-q", "--all");
    assert_int_equal(some.status, 0);
    assert_int_equal(all.status, 0);
    assert_int_equal(count_rows(some.printed), 12);
    assert_non_null(strstr(some.printed, "and 2 more"));
    assert_int_equal(count_rows(all.printed), 14);
    assert_null(strstr(all.printed, "more"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_begins_a_while_after_a_disturbance),
        cmocka_unit_test(a_yield_is_never_less_than_the_margin_wants),
        cmocka_unit_test(all_bodies_are_shown_when_asked_for),
    };
    return cmocka_run_group_tests(tests, build_barrel, clear);
}
