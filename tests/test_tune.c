// test_tune.c: what tuning promises: hits reach what was wished for, rest stays rest, and a scene
// file keeps all that was not tuned.
#include "check.h"

#include "../src/base/os.h"
#include "../src/tune/tune.h"
#include "wrought/wrought.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static temporary_folder folder;
static char path[600];

static int setup(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    snprintf(path, sizeof path, "%s/in.scene.json", folder.path);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// Text with ' for " and with the folder of the scenes for @.
static void write_text(const char *name, const char *text)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        print_message("WROUGHT_SCENES is not set\n");
        skip();
    }
    wri_array out = wri_array_create(NULL, 1);
    for (const char *c = text; *c; c++) {
        size_t size = *c == '@' ? strlen(scenes) : 1;
        memcpy(wri_array_add(&out, (int)size), *c == '@' ? scenes : *c == '\'' ? "\"" : c, size);
    }
    assert_true(wri_file_write(name, out.items, (size_t)out.count, NULL));
    wri_array_destroy(&out);
}

static wr_scene *read_scene(const char *name)
{
    wr_error error = {0};
    wr_scene *scene = wr_scene_read(name, NULL, &error);
    if (!scene) {
        fail_msg("%s", error.message);
    }
    return scene;
}

static wr_tuning *tune(const wr_scene *scene, double share)
{
    wr_error error = {0};
    wr_tune_desc desc = wr_tune_desc_default();
    desc.scene = scene;
    desc.share = share;
    wr_tuning *t = wr_tuning_create(&desc, &error);
    if (!t) {
        fail_msg("%s", error.message);
    }
    while (wr_tuning_frame(t) < wr_scene_frame_count(scene)) {
        assert_true(wr_tuning_step(t, &error));
    }
    for (int i = 0; i < t->body_count; i++) { // nothing has bent
        assert_int_equal(t->watched[i]->metal->statistics.hits_total, 0);
        assert_true(wri_largest_goal(t->watched[i]->metal) == 0.0);
    }
    assert_true(wr_tuning_propose(t, false, &error));
    return t;
}

static void check(wr_tuning *t, const wr_scene *scene)
{
    wr_error error = {0};
    if (!wr_tuning_check(t, scene, &error)) {
        fail_msg("%s", error.message);
    }
    while (wr_tuning_frame(t) < wr_scene_frame_count(t->desc.scene)) {
        assert_true(wr_tuning_step(t, &error));
    }
}

#define ASSETS "'assets': { 'barrel': '@/barrel.recipe.json' }"

static void a_drop_reaches_the_wished_share(void **state)
{
    (void)state;
    write_text(path, "{ 'wrought': 1, 'length': 1, " ASSETS ", 'bodies': [\n"
                     "  { 'shape': 'plane' },\n"
                     "  { 'asset': 'barrel', 'at': [0, 2, 0], 'spin': [20, 0, 10],\n"
                     "    'turn': { 'axis': [0, 0, 1], 'by': 75 } } ] }");
    wr_scene *scene = read_scene(path);
    for (double share = 0.8; share > 0.3; share -= 0.4) {
        wr_tuning *t = tune(scene, share);
        int count;
        const wr_tune_body *body = wr_tuning_bodies(t, &count);
        const wr_tune_family *family = wr_tuning_families(t, &count);
        assert_int_equal(count, 1);
        assert_true(family->is_tuned && !family->is_tight && !family->is_limited);
        CHECK_NEAR(body->expected, share, 0.02);
        check(t, NULL);
        CHECK_NEAR(body->reached, share, 0.15 * share);
        assert_int_equal(body->crept, 0);
        // Hits above the yield, and they alone, leave dents, the farthest as far as all of them do.
        int hit_count, dents = 0;
        const wr_tune_hit *hits = wr_tuning_hits(t, 0, &hit_count);
        double farthest = 0.0, hardest = 0.0;
        for (int i = 0; i < hit_count; i++) {
            assert_true(hits[i].time > 0.3 && hits[i].time <= 1.0);
            assert_true(i == 0 || hits[i].time >= hits[i - 1].time);
            assert_true((hits[i].expected > 0.0) == (hits[i].speed > family->yield_speed));
            dents += hits[i].expected > 0.0;
            farthest = fmax(farthest, hits[i].expected);
            hardest = fmax(hardest, hits[i].speed);
        }
        assert_int_equal(dents, body->hits);
        CHECK_NEAR(farthest, body->expected, 1e-9);
        CHECK_NEAR(hardest, body->hardest, 1e-9);
        // It fell from its own height several times over: no hit is harder than that fall and what
        // it bounces; the yield keeps its distance from both ends.
        double fall = sqrt(2.0 * 9.81 * 2.0);
        assert_true(body->hits >= 1 && body->hardest > 0.3 * fall && body->hardest < 1.4 * fall);
        assert_true(family->yield_speed >= 0.149 * body->hardest);
        assert_true(family->yield_speed < 0.7 * body->hardest);
        wr_tuning_destroy(t);
    }
    wr_scene_destroy(scene);
}

// Three lie in a stack that never sleeps, a fourth of the same kind falls beside them.
static void contact_at_rest_never_bends(void **state)
{
    (void)state;
    write_text(path, "{ 'wrought': 1, 'length': 1.2, 'sleeping': false,\n"
                     "  'assets': { 'crate': '@/crate.recipe.json' }, 'bodies': [\n"
                     "  { 'shape': 'plane' },\n"
                     "  { 'name': 'stack', 'asset': 'crate', 'at': [0, 0.402, 0],\n"
                     "    'copies': { 'count': 3, 'step': [0, 0.803, 0] },\n"
                     "    'material': { 'metal': 'thin steel', 'bounce': 0 } },\n"
                     "  { 'name': 'falls', 'asset': 'crate', 'at': [4, 3, 0],\n"
                     "    'turn': { 'axis': [1, 0.2, 1], 'by': 50 },\n"
                     "    'material': { 'metal': 'thin steel', 'bounce': 0 } } ] }");
    wr_scene *scene = read_scene(path);
    wr_tuning *t = tune(scene, 0.8);
    int count;
    const wr_tune_body *bodies = wr_tuning_bodies(t, &count);
    assert_int_equal(count, 4);
    const wr_tune_family *family = wr_tuning_families(t, &count);
    assert_int_equal(count, 1);
    assert_true(family->yield_speed > 1.49 * family->resting);
    assert_true(bodies[0].load > 0.2 && bodies[0].load < 3.0); // it carries two others
    check(t, NULL);
    for (int i = 0; i < 3; i++) {
        assert_true(bodies[i].reached == 0.0);
        assert_int_equal(bodies[i].hits, 0);
        assert_int_equal(bodies[i].crept, 0);
    }
    CHECK_NEAR(bodies[3].reached, 0.8, 0.12);
    wr_tuning_destroy(t);
    wr_scene_destroy(scene);
}

// A small crate goes on bouncing on a large one that does not move, whichever comes first: what it
// does is no contact at rest.
static void what_a_moving_body_does_to_one_at_rest_are_hits(void **state)
{
    (void)state;
    static const char *const large = "{ 'name': 'large', 'asset': 'crate', 'at': [0, 0.402, 0],\n"
                                     "  'material': { 'metal': 'thin steel', 'bounce': 0 } }";
    static const char *const small = "{ 'asset': 'crate', 'scale': 0.3, 'at': [0, 2, 0],\n"
                                     "  'material': { 'metal': 'thin steel', 'bounce': 1 } }";
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{ 'wrought': 1, 'length': 3, 'sleeping': false,\n"
                 "  'assets': { 'crate': '@/crate.recipe.json' },\n"
                 "  'bodies': [ { 'shape': 'plane' }, %s, %s ] }",
                 k ? large : small, k ? small : large);
        write_text(path, text);
        wr_scene *scene = read_scene(path);
        wr_tuning *t = tune(scene, 0.8);
        int count;
        const wr_tune_body *body = &wr_tuning_bodies(t, &count)[!k];
        assert_int_equal(count, 2);
        assert_string_equal(scene->bodies[body->body].name, "large");
        assert_true(body->hits >= 2 && body->resting < 0.2 * body->hardest);
        wr_tuning_destroy(t);
        wr_scene_destroy(scene);
    }
}

// Families in which the first of two, or the second, went farther, the largest not the last.
static void families_reach_what_the_farthest_of_their_bodies_does(void **state)
{
    (void)state;
    write_text(path, "{ 'wrought': 1, 'length': 0.1, 'gravity': [0, 0, 0], " ASSETS ",\n"
                     "  'bodies': [ { 'asset': 'barrel', 'at': [0, 0, 0],\n"
                     "    'copies': { 'count': 2, 'step': [3, 0, 0] } },\n"
                     "  { 'asset': 'barrel', 'at': [0, 5, 0], 'material': { 'metal': 'tin' },\n"
                     "    'copies': { 'count': 2, 'step': [3, 0, 0] } },\n"
                     "  { 'asset': 'barrel', 'at': [0, 9, 0], 'scale': 2 } ] }");
    wr_scene *scene = read_scene(path);
    wr_tuning *t = tune(scene, 0.8);
    assert_true(t->family_count == 3 && t->body_count == 5);
    wr_error error = {0};
    assert_true(wr_tuning_check(t, NULL, &error));
    const double reached[5] = {0.3, 0.9, 0.5, 0.2, 0.1};
    const int crept[5] = {1, 2, 4, 8, 16};
    for (int round = 0; round < 2; round++) { // sums are not added to those of the step before
        for (int i = 0; i < 5; i++) {
            t->watched[i]->reached = reached[i];
            t->watched[i]->crept = crept[i];
        }
        assert_true(wr_tuning_step(t, &error));
    }
    int count;
    const wr_tune_family *families = wr_tuning_families(t, &count), *all = wr_tuning_all(t);
    CHECK_NEAR(families[0].reached, 0.9, 0);
    CHECK_NEAR(families[1].reached, 0.5, 0);
    CHECK_NEAR(families[2].reached, 0.1, 0);
    assert_true(families[0].crept == 3 && families[1].crept == 12 && families[2].crept == 16);
    assert_true(all->reached == 0.9 && all->crept == 31);
    wr_tuning_destroy(t);
    wr_scene_destroy(scene);
}

// Nothing hits it: bend stays, and the yield is only ever raised.
static void a_body_at_rest_keeps_its_values(void **state)
{
    (void)state;
    write_text(path, "{ 'wrought': 1, 'length': 0.5, 'gravity': [0, 0, 0], " ASSETS ",\n"
                     "  'bodies': [ { 'asset': 'barrel',\n"
                     "    'material': { 'metal': 'lead', 'yield': '0.7 m/s' } } ] }");
    wr_scene *scene = read_scene(path);
    wr_tuning *t = tune(scene, 0.8);
    int count;
    const wr_tune_family *family = wr_tuning_families(t, &count);
    assert_false(family->is_tuned);
    CHECK_NEAR(family->bend, 1.0, 1e-6);
    CHECK_NEAR(family->yield_speed, 0.7, 1e-9);
    assert_true(family->is_kept && family->hardest == 0.0);
    wr_tuning_destroy(t);
    wr_scene_destroy(scene);
}

static void note_hit(wri_watched *w, double speed, double resting)
{
    wri_hit *hit = wri_array_add(&w->hits, 1);
    int v = w->metal->asset->surface[0];
    wr_vec3 p = w->metal->asset->rest[v];
    *hit = (wri_hit){0.1, speed, p, wr_scale(-1.0f, wr_normalize(wr_v3(p.x, 0.2f * p.y, p.z)))};
    w->resting = resting;
}

// Bodies of two sizes, with yields of the same number in m/s and in fall speeds of their own; what
// hit them is made up, so that no run is needed.
static void values_are_proposed_in_the_units_of_each_body(void **state)
{
    (void)state;
    write_text(path,
               "{ 'wrought': 1, 'length': 0.1, 'gravity': [0, 0, 0], " ASSETS ", 'bodies': [\n"
               "  { 'asset': 'barrel', 'scale': 0.5,\n"
               "    'material': { 'metal': 'lead', 'yield': 0.4 } },\n"
               "  { 'asset': 'barrel', 'scale': 0.5, 'at': [9, 0, 0],\n"
               "    'material': { 'metal': 'lead', 'yield': '0.4 m/s' } },\n"
               "  { 'asset': 'barrel', 'scale': 2, 'at': [18, 0, 0],\n"
               "    'material': { 'metal': 'lead', 'yield': '0.4 m/s' } } ] }");
    wr_scene *scene = read_scene(path);
    wr_error error = {0};
    wr_tune_desc desc = wr_tune_desc_default();
    desc.scene = scene;
    wr_tuning *t = wr_tuning_create(&desc, &error);
    assert_non_null(t);
    assert_int_equal(t->family_count, 3);
    double units[3] = {(double)t->info[0].unit_speed, (double)t->info[1].unit_speed,
                       (double)t->info[2].unit_speed};
    CHECK_NEAR(units[2], 2.0 * units[0], 1e-4 * units[2]); // fall speeds grow with the root
    CHECK_NEAR(t->watch.slow, 0.05 * units[0], 1e-6);      // the smallest one's counts
    note_hit(t->watched[0], 2.0, 0.1);                     // far from rest
    note_hit(t->watched[1], 2.0, 1.3); // nearer to it than the margin of 1.5 wishes
    assert_true(wr_tuning_propose(t, false, &error));
    const wr_tune_family *f = t->families;
    CHECK_NEAR(f[0].yield, 0.3, 1e-9); // the least: 0.15 of the hardest
    CHECK_NEAR(f[0].hardest, 2.0 * units[0], 1e-6);
    CHECK_NEAR(f[0].yield_speed, f[0].yield * units[0], 0.01 * f[0].yield * units[0]);
    assert_true(f[1].is_tight);
    CHECK_NEAR(f[1].yield, 1.4, 1e-9); // 0.7 of the hardest, which is above what rests
    CHECK_NEAR(f[1].resting, 1.3 * units[1], 1e-6);
    assert_true(f[2].is_kept);
    CHECK_NEAR(f[2].yield, 0.4 / units[2], 1e-9);
    CHECK_NEAR(f[2].yield_speed, 0.4, 1e-9);
    assert_true(isnan(t->all.yield_speed)); // of several sizes no one speed is right
    assert_true(wr_tuning_check(t, NULL, &error));
    for (int i = 0; i < 3; i++) { // the run that checks has them as its bodies say them
        const wr_scene_body *body = &t->scene.bodies[t->bodies[i].body];
        assert_int_equal(body->is_real[t->yield], i > 0);
        CHECK_NEAR(body->values[t->yield], i > 0 ? f[i].yield_speed : f[i].yield, 0.0);
    }
    wr_tuning_destroy(t);
    wr_scene_destroy(scene);
}

// A tap, far softer than a fall of the barrel's own height.
static void a_bend_at_its_limit_is_said(void **state)
{
    (void)state;
    write_text(path, "{ 'wrought': 1, 'length': 1, 'gravity': [0, 0, 0], " ASSETS ",\n"
                     "  'bodies': [ { 'shape': 'plane' }, { 'asset': 'barrel',\n"
                     "    'at': [0, 0.47, 0], 'turn': { 'axis': [0, 0, 1], 'by': 75 },\n"
                     "    'velocity': [0, -0.2, 0] } ] }");
    wr_scene *scene = read_scene(path);
    wr_tuning *t = tune(scene, 1.0);
    int count;
    const wr_tune_family *family = wr_tuning_families(t, &count);
    assert_true(family->is_tuned && family->is_limited && !family->is_kept);
    CHECK_NEAR(family->bend, 20.0, 1e-6);
    assert_true(family->expected > 0.01 && family->expected < 0.95);
    wr_tuning_destroy(t);
    wr_scene_destroy(scene);
}

static void only_tuned_values_of_the_file_change(void **state)
{
    (void)state;
    static const char before[] =
        "// Überschrift\r\n{ 'wrought': 1, 'length': 0.6, 'name': 'ä', // first\n"
        "  'assets': { 'barrel': '@/barrel.recipe.json' },\n"
        "  'bodies': [\n"
        "\t{ 'shape': 'plane' },\n"
        "    { 'name': 'a \\'b\\' }', 'asset': 'barrel', 'at': [0, 1.2, 0], }, /* last */\n"
        "    { 'asset': 'barrel', 'material': 'metal', 'at': [3, 1.3, 0] },\n"
        "    { 'asset': 'barrel', 'at': [6, 1.2, 0], 'copies': { 'count': 2, 'step': [2, 0, 0] },\n"
        "      'material': { 'yield': '0.8 m/s', 'metal': 'tin', // soft\n"
        "                    'reach': 0.4 } },\n"
        "  ],\n}\n";
    static const char after[] =
        "// Überschrift\r\n{ 'wrought': 1, 'length': 0.6, 'name': 'ä', // first\n"
        "  'assets': { 'barrel': '@/barrel.recipe.json' },\n"
        "  'bodies': [\n"
        "\t{ 'shape': 'plane' },\n"
        "    { 'name': 'a \\'b\\' }', 'asset': 'barrel', 'material': "
        "{'metal':'thin steel', 'bend': 2.5, 'yield': 0.25}, 'at': [0, 1.2, 0], }, /* last */\n"
        "    { 'asset': 'barrel', 'material': { 'metal': 'default', 'bend': 3.5, 'yield': 0.35 }, "
        "'at': [3, 1.3, 0] },\n"
        "    { 'asset': 'barrel', 'at': [6, 1.2, 0], 'copies': { 'count': 2, 'step': [2, 0, 0] },\n"
        "      'material': { 'yield': '4.5 m/s', 'metal': 'tin', 'bend': 4.25, // soft\n"
        "                    'reach': 0.4 } },\n"
        "  ],\n}\n";
    char expected[600];
    snprintf(expected, sizeof expected, "%s/expected.json", folder.path);
    write_text(path, before);
    write_text(expected, after);
    wr_scene *scene = read_scene(path);
    wr_error error = {0};
    wr_tune_desc desc = wr_tune_desc_default();
    desc.scene = scene;
    wr_tuning *t = wr_tuning_create(&desc, &error);
    assert_non_null(t);
    // The presets of the first two are the same numbers: one family, unless the defaults differ.
    for (int i = 0; i < t->body_count; i++) {
        int entry = scene->bodies[t->bodies[i].body].entry;
        t->bodies[i].family = entry == 1 ? 0 : entry == 2 ? 1 : 2;
    }
    for (int g = 0; g < 3; g++) {
        t->families[g].bend = (const double[]){2.5, 3.5, 4.25}[g];
        t->families[g].yield = (const double[]){0.25, 0.35, 0.45}[g];
        t->families[g].yield_speed = 4.5;
    }
    size_t size, wanted_size;
    char *text = wr_tuning_write(t, path, NULL, &size, &error);
    char *wanted = wri_file_read(expected, 1 << 20, NULL, &wanted_size, NULL);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    wri_free(NULL, wanted, wanted_size + 1, 1);
    wr_text_destroy(text, size);
    wr_tuning_destroy(t);
    wr_scene_destroy(scene);
}

static void a_scene_in_another_folder_finds_its_assets(void **state)
{
    (void)state;
    char other[600], deep[560], copy[600];
    snprintf(deep, sizeof deep, "%s/deep", folder.path);
    snprintf(other, sizeof other, "%s/out.scene.json", deep);
    snprintf(copy, sizeof copy, "%s/beam.glb", folder.path);
    write_text(path, "{ 'wrought': 1, 'length': 0.1, 'assets': { 'b': { 'file': 'beam.glb' },\n"
                     "  'barrel': '@/barrel.recipe.json' },\n"
                     "  'bodies': [ { 'asset': 'b' }, { 'asset': 'barrel', 'at': [9, 0, 0] } ] }");
    char model[600];
    size_t model_size;
    snprintf(model, sizeof model, "%s/models/beam.glb", getenv("WROUGHT_SCENES"));
    char *bytes = wri_file_read(model, 1 << 28, NULL, &model_size, NULL);
    assert_true(bytes && wri_file_write(copy, bytes, model_size, NULL) &&
                wri_folder_create(deep, NULL));
    wri_free(NULL, bytes, model_size + 1, 1);
    wr_scene *scene = read_scene(path);
    wr_tuning *t = tune(scene, 0.8);
    wr_error error = {0};
    size_t size;
    char *text = wr_tuning_write(t, path, deep, &size, &error);
    assert_non_null(text);
    assert_true(wri_file_write(other, text, size - 1, NULL));
    wr_scene *moved = read_scene(other);
    assert_int_equal(moved->body_count, scene->body_count);
    wr_text_destroy(text, size);
    wr_tuning_destroy(t);
    wr_scene_destroy(moved);
    wr_scene_destroy(scene);
}

static void a_scene_without_metal_is_refused(void **state)
{
    (void)state;
    write_text(path, "{ 'wrought': 1, 'bodies': [ { 'shape': { 'sphere': 1 } } ] }");
    wr_scene *scene = read_scene(path);
    wr_error error = {0};
    wr_tune_desc desc = wr_tune_desc_default();
    desc.scene = scene;
    assert_null(wr_tuning_create(&desc, &error));
    assert_non_null(strstr(error.message, "no body of the scene is of metal"));
    wr_scene_destroy(scene);
}

static void *refuse(void *user, size_t size)
{
    (void)user;
    (void)size;
    return NULL;
}

// A body is lost, and there is no memory to tell of it.
static void a_world_that_cannot_go_on_is_told(void **state)
{
    (void)state;
    write_text(path, "{ 'wrought': 1, 'length': 1, " ASSETS ", 'bodies': [\n"
                     "  { 'shape': 'plane' }, { 'asset': 'barrel', 'at': [0, 2, 0] } ] }");
    wr_scene *scene = read_scene(path);
    wr_error error = {0};
    wr_tune_desc desc = wr_tune_desc_default();
    desc.scene = scene;
    wr_tuning *t = wr_tuning_create(&desc, &error);
    assert_true(t && wr_tuning_step(t, &error));
    wr_world *world = t->world;
    wr_allocator own = world->events.allocator;
    world->events.allocator.alloc = refuse;
    wr_rigid_set_velocity(wr_world_change_rigid(world), wr_world_body(world, 1), wr_v3(NAN, 0, 0),
                          wr_v3(0, 0, 0));
    assert_false(wr_tuning_step(t, &error));
    assert_int_equal(error.code, WR_E_MEMORY);
    world->events.allocator = own;
    wr_tuning_destroy(t);
    wr_scene_destroy(scene);
}

// --- the program --------------------------------------------------------------------------------

static pid_t start(const char *const *arguments, const char *log)
{
    const char *program = getenv("WROUGHT_PROGRAM");
    if (!program) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    pid_t child = fork();
    if (child == 0) {
        const char *words[16] = {program, "tune"};
        for (int i = 0; arguments[i] && i < 12; i++) {
            words[i + 2] = arguments[i];
        }
        int out = open(log, O_CREAT | O_TRUNC | O_WRONLY, 0666);
        dup2(out, 1);
        dup2(out, 2);
        execv(program, (char *const *)(uintptr_t)words);
        _exit(127);
    }
    return child;
}

static int finish(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool says(const char *log, const char *words)
{
    size_t size;
    char *text = wri_file_read(log, 1 << 20, NULL, &size, NULL);
    bool found = text && strstr(text, words);
    wri_free(NULL, text, size + 1, 1);
    return found;
}

#define RUN(...) finish(start((const char *const[]){__VA_ARGS__, NULL}, log))

static void the_program_writes_only_what_was_asked_for(void **state)
{
    (void)state;
    char log[600], out[600];
    snprintf(log, sizeof log, "%s/log.txt", folder.path);
    snprintf(out, sizeof out, "%s/out.scene.json", folder.path);
    write_text(path, "{ 'wrought': 1, 'length': 0.8, " ASSETS ", 'bodies': [\n"
                     "  { 'shape': 'plane' },\n"
                     "  { 'name': 'falls', 'asset': 'barrel', 'at': [0, 1.5, 0],\n"
                     "    'turn': { 'axis': [0, 0, 1], 'by': 75 } } ] }");
    assert_int_equal(RUN(path, "-o", path), 2);
    assert_true(says(log, "is the input"));
    assert_int_equal(RUN(path, "-o", out, "-q"), 0);
    assert_true(says(log, "falls") && says(log, "  \"falls\" at 0.") &&
                says(log, "% of an example") && says(log, "bend") && says(log, "written"));
    assert_int_equal(RUN(path, "-o", out, "-q"), 1);
    assert_true(says(log, "--force"));
    assert_int_equal(RUN(path, "-o", out, "--force", "--json", "--no-check"), 0);
    assert_true(says(log, "\"reached\": null") && says(log, "\"yield_speed\"") &&
                says(log, "\"every_hit\""));
    write_text(path, "{ 'wrought': 1, 'length': 0.2, 'gravity': [0, 0, 0], " ASSETS ",\n"
                     "  'bodies': [ { 'asset': 'barrel' } ] }");
    assert_int_equal(RUN(path, "-o", out, "--force", "-q"), 0);
    assert_true(says(log, "nothing is hit") && says(log, "as they were") && !says(log, "bend 1"));
    assert_false(says(out, "bend"));
    assert_int_equal(RUN(path, "--reach-example", "2"), 2);
    assert_int_equal(RUN("nowhere.json"), 1);
}

static void an_interrupted_run_writes_nothing(void **state)
{
    (void)state;
    char log[600], out[600];
    snprintf(log, sizeof log, "%s/log.txt", folder.path);
    snprintf(out, sizeof out, "%s/none.scene.json", folder.path);
    write_text(path, "{ 'wrought': 1, 'length': 3000, 'sleeping': false, " ASSETS ",\n"
                     "  'bodies': [ { 'shape': 'plane' }, { 'asset': 'barrel' } ] }");
    pid_t child = start((const char *const[]){path, "-o", out, NULL}, log);
    nanosleep(&(struct timespec){1, 0}, NULL);
    kill(child, SIGINT);
    assert_int_equal(finish(child), 130);
    assert_false(wri_file_exists(out));
}

// The scene is written when the values are known, and checked then.
static void an_interrupted_check_is_130_and_keeps_what_was_written(void **state)
{
    (void)state;
    char log[600], out[600];
    snprintf(log, sizeof log, "%s/log.txt", folder.path);
    snprintf(out, sizeof out, "%s/kept.scene.json", folder.path);
    write_text(path, "{ 'wrought': 1, 'length': 20, 'sleeping': false, " ASSETS ",\n"
                     "  'bodies': [ { 'shape': 'plane' },\n"
                     "  { 'asset': 'barrel', 'at': [0, 0.4, 0] } ] }");
    pid_t child = start((const char *const[]){path, "-o", out, "-q", NULL}, log);
    while (!wri_file_exists(out) && waitpid(child, NULL, WNOHANG) == 0) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    kill(child, SIGINT);
    assert_int_equal(finish(child), 130);
    assert_true(wri_file_exists(out) && says(log, "interrupted in the check"));
}

// The hardest hit of a bar with cuts that falls on its end.
static double hardest_of_bar(const char *breaks)
{
    static const char box[] = "v -0.4 -0.1 -0.1\nv 0.4 -0.1 -0.1\nv 0.4 0.1 -0.1\n"
                              "v -0.4 0.1 -0.1\nv -0.4 -0.1 0.1\nv 0.4 -0.1 0.1\n"
                              "v 0.4 0.1 0.1\nv -0.4 0.1 0.1\nf 4 3 2 1\nf 5 6 7 8\n"
                              "f 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n";
    static const char recipe[] =
        "{'wrought': 1, 'model': 'bar.obj', 'simulation': {'vertices': 300}, 'handles': "
        "{'automatic': 4}, 'examples': [{'name': 'dent', 'move': {'h0': [0, -0.06, 0]}}], "
        "'cuts': [{'plane': {'normal': [1, 0.2, 0], 'at': [-0.1, 0, 0]}}]}";
    char name[700], text[600];
    snprintf(name, sizeof name, "%s/bar.obj", folder.path);
    write_text(name, box);
    snprintf(name, sizeof name, "%s/bar.recipe.json", folder.path);
    write_text(name, recipe);
    snprintf(text, sizeof text,
             "{'wrought': 1, 'length': 1.5, 'assets': {'bar': 'bar.recipe.json'}, 'bodies': "
             "[{'shape': 'plane'}, {'asset': 'bar', 'at': [0, 2, 0], 'turn': {'axis': [0, 0, 1], "
             "'by': 60}, 'material': {'metal': 'tin', 'break': %s}}]}",
             breaks);
    write_text(path, text);
    wr_scene *scene = read_scene(path);
    wr_tuning *t = tune(scene, 0.8);
    double speed = t->families[0].hardest;
    wr_tuning_destroy(t);
    wr_scene_destroy(scene);
    return speed;
}

// A body that breaks at a hit feels what comes after it otherwise, and not all of the hit.
static void the_hit_that_breaks_is_seen_whole(void **state)
{
    (void)state;
    double whole = hardest_of_bar("1e6"), broken = hardest_of_bar("0.05");
    assert_true(whole > 1.0);
    CHECK_NEAR(broken, whole, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_reaches_the_wished_share),
        cmocka_unit_test(contact_at_rest_never_bends),
        cmocka_unit_test(what_a_moving_body_does_to_one_at_rest_are_hits),
        cmocka_unit_test(families_reach_what_the_farthest_of_their_bodies_does),
        cmocka_unit_test(a_body_at_rest_keeps_its_values),
        cmocka_unit_test(values_are_proposed_in_the_units_of_each_body),
        cmocka_unit_test(a_bend_at_its_limit_is_said),
        cmocka_unit_test(only_tuned_values_of_the_file_change),
        cmocka_unit_test(a_scene_in_another_folder_finds_its_assets),
        cmocka_unit_test(a_scene_without_metal_is_refused),
        cmocka_unit_test(a_world_that_cannot_go_on_is_told),
        cmocka_unit_test(the_program_writes_only_what_was_asked_for),
        cmocka_unit_test(an_interrupted_run_writes_nothing),
        cmocka_unit_test(an_interrupted_check_is_130_and_keeps_what_was_written),
        cmocka_unit_test(the_hit_that_breaks_is_seen_whole),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
