// test_controller_scene.c: controllers and inputs in scene files: what the words mean, that a play
// repeats and resumes exactly, and every complaint with its place.
#include "flat_scene.h"
#include "walker.h"

#include "wrought/controller.h"
#include "wrought/scene.h"

#include "../src/world/sprite.h"
#include "../src/world/world.h"

static const char *const handles[WALKER_B] = {"torso", "left", "right", "nose"};

static walker drawing;

static int setup(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    walker_make(&drawing);
    drawing.handles[NOSE].vertex = walker_tip(&drawing); // the others have none of their own
    write_flat_asset(make_flat_asset(&drawing.rig, "walker", handles), "walker.glb");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// --- scenes -----------------------------------------------------------------------------------

#define HEAD "{'wrought': 1, 'assets': {'walker': 'walker.glb'}, 'length': 3,\n"
#define GROUND "{'shape': 'plane', 'friction': 1}"
#define MANIFOLD                                                                                   \
    "'manifold': {'edges': [['stand', 'stride a'], ['stride a', 'pass'], ['pass', 'stride b'], "   \
    "['stride b', 'stand'], ['stand', 'crouch']], 'poses': ['alone']}"
#define BODY(controller)                                                                           \
    "{'name': 'hero', 'asset': 'walker', 'material': {'sprite': 'default', 'aim': 'angle', "       \
    "'bounce': 0}, " MANIFOLD ",\n'controller': " controller "}"
#define HERO                                                                                       \
    "{'paths': {'steps': {'poses': ['stand', {'pose': 'stride a', 'for': 0.15}, 'pass', {'pose': " \
    "'stride b', 'for': '150 ms'}], 'stride': 0.8}},\n"                                            \
    "'behaviours': {\n"                                                                            \
    "'stand': {'pose': 'stand', 'go': [{'to': 'crouch', 'pressed': 'jump', 'within': 0.1, "        \
    "'on_ground': true}, {'to': 'walk', 'held': ['left', 'right']}]},\n"                           \
    "'walk': {'path': 'steps', 'walk': 1.5, 'face': 'input', 'set': {'settle': 0.4}, 'go': "       \
    "[{'to': 'crouch', 'pressed': 'jump', 'on_ground': true}, {'to': 'stand', 'not_held': "        \
    "['left', 'right']}]},\n"                                                                      \
    "'crouch': {'pose': 'crouch', 'go': [{'to': 'jump', 'after': 0.1}]},\n"                        \
    "'jump': {'pose': 'stand', 'enter': {'jump': 1}, 'go': [{'to': 'fall', 'falling': 0}]},\n"     \
    "'fall': {'pose': 'stand', 'steer': 1, 'grip': 0.3, 'face': 'input', 'go': [{'to': 'stand', "  \
    "'on_ground': true}]}}}"
#define INPUTS                                                                                     \
    "'inputs': [{'body': 'hero', 'hold': 'right', 'from': 0.5, 'to': 2}, {'body': 'hero', "        \
    "'press': 'jump', 'at': 1.2}, {'body': 'hero', 'hold': 'left', 'from': 2}]"
#define SCENE(controller) HEAD "'bodies': [" GROUND ", " BODY(controller) "]}"
#define PLAYED(inputs) HEAD "'bodies': [" GROUND ", " BODY(HERO) "],\n" inputs "}"

static wr_sprite_facts facts_of(const wr_world *world)
{
    int sprite;
    const wr_sprite_world *own = wri_sprite_world_of(world->materials[0].state, &sprite);
    return wr_sprite_get_facts(own, sprite);
}

// --- the words --------------------------------------------------------------------------------

static const wr_sprite_setup *setup_of(const wr_scene *scene, int body)
{
    const wr_sprite_setup *setup = scene->bodies[body].setup;
    assert_non_null(setup);
    return setup;
}

static const wr_controller_desc *controller_of(const wr_scene *scene, int body)
{
    return setup_of(scene, body)->controller;
}

static void every_word_says_what_it_means(void **state)
{
    (void)state;
    wr_scene *scene = read_good(SCENE(
        "{'start': 'b', 'looks': 'left', 'buttons': ['left', 'right', 'go', 'fire'],\n"
        "'behaviours': {'a': {'path': {'poses': ['stand', {'pose': 'crouch', 'for': 0.3}, "
        "'stand'], "
        "'each': 0.2, 'loop': false}, 'rate': 2, 'blend': 0.5, 'only_while': ['go', 'fire'], "
        "'steer': 2, 'heading': 'facing', 'face': 'velocity', 'push': [{'held': 'fire', 'along': "
        "[0.5, -1], 'up_to': 3}, {'along': [0, 1]}], 'set': {'settle': 0.3, 'aim': 'velocity', "
        "'angle': 90, 'turn': 'spring', 'aim_strength': 0.5, 'rounds': 7, 'friction': 0.2, "
        "'give_to': 'crouch', 'stretch_to': 'pass'}, 'drag': {'crouch': 5}, 'enter': {'jump': 2, "
        "'kick': [1, -2], 'spin': 180, 'flip': true, 'hold': 'nose'}, 'leave': {'brake': 0.5, "
        "'release': ['nose']}},\n"
        "'b': {'pose': 'pass', 'walk': 3, 'go': [{'to': 'a', 'pressed': ['go', 'fire'], 'within': "
        "0.2, 'released': 'left', 'held': 'right', 'not_held': 'go', 'on_ground': false, "
        "'touching': true, 'done': true, 'faces': 'left', 'near': 'crouch', 'nearness': 0.3, "
        "'after': 1, 'before': 2, 'airborne': 0.1, 'speed': {'above': 1, 'below': 2}, 'forward': "
        "{'below': 3}, 'rising': 4, 'falling': 5, 'hit': 6}]}}}"));
    const wr_controller_desc *c = controller_of(scene, 1);
    assert_int_equal(c->behaviour_count, 2);
    assert_int_equal(c->start, 1);
    assert_true(c->faces_left);
    assert_int_equal(c->button_count, 4);
    assert_int_equal(c->left, 0);
    assert_int_equal(c->right, 1);
    const wr_behaviour *a = &c->behaviours[0], *b = &c->behaviours[1];
    assert_string_equal(a->name, "a");
    assert_int_equal(a->path.key_count, 3);
    assert_int_equal(a->path.keys[1].example, CROUCH);
    CHECK_NEAR(a->path.keys[0].time, 0.2, 0);
    CHECK_NEAR(a->path.keys[1].time, 0.3, 0);
    CHECK_NEAR(a->path.keys[2].time, 0.0, 0);
    assert_false(a->path.loop);
    CHECK_NEAR(a->rate, 2, 0);
    CHECK_NEAR(a->blend, 0.5, 0);
    assert_int_equal(a->only_while, 12);
    CHECK_NEAR(a->walk, 2, 0);
    assert_true(a->steer);
    CHECK_NEAR(a->grip, 0.5, 0);
    assert_int_equal(a->heading, WR_HEADING_FACING);
    assert_int_equal(a->face, WR_FACE_VELOCITY);
    assert_int_equal(a->push_count, 2);
    assert_int_equal(a->pushes[0].buttons, 8);
    CHECK_NEAR(a->pushes[0].along.y, -1, 0);
    CHECK_NEAR(a->pushes[0].up_to, 3, 0);
    assert_int_equal(a->pushes[1].buttons, 0);
    const wr_setting settings[] = {{"settle", 0.3},
                                   {"aim", WR_SPRITE_AIM_VELOCITY},
                                   {"angle", 90},
                                   {"turn", 1},
                                   {"aim_strength", 0.5},
                                   {"rounds", 7},
                                   {"friction", 0.2},
                                   {"give_way", WR_SPRITE_ENERGY_EXAMPLE},
                                   {"give_example", CROUCH},
                                   {"stretch_example", PASS}};
    assert_int_equal(a->setting_count, WRI_COUNT(settings));
    for (int i = 0; i < WRI_COUNT(settings); i++) {
        assert_string_equal(a->settings[i].parameter, settings[i].parameter);
        CHECK_NEAR(a->settings[i].value, settings[i].value, 1e-6);
    }
    CHECK_NEAR(a->drag_of_example[CROUCH], 5, 0);
    CHECK_NEAR(a->drag_of_example[STAND], 1, 0);
    CHECK_NEAR(a->enter.jump, 2, 0);
    CHECK_NEAR(a->enter.kick.y, -2, 0);
    CHECK_NEAR(a->enter.angular_velocity, 3.14159265, 1e-6);
    assert_true(a->enter.flip);
    CHECK_NEAR(a->leave.brake, 0.5, 0);
    assert_true(a->enter.nail_count == 1 && a->enter.release_count == 0);
    assert_true(a->leave.nail_count == 0 && a->leave.release_count == 1);
    CHECK_NEAR(drawing.rest[a->enter.nails[0]].x, 0.4, 1e-6);
    assert_int_equal(a->leave.releases[0], a->enter.nails[0]);
    CHECK_NEAR(b->grip, 2, 0);
    const wr_condition conditions[] = {
        {.fact = WR_FACT_ON_GROUND, .no = true},
        {.fact = WR_FACT_TOUCHING},
        {.fact = WR_FACT_DONE},
        {.fact = WR_FACT_FACES_RIGHT, .no = true},
        {.fact = WR_FACT_PRESSED, .buttons = 12, .most = 0.2},
        {.fact = WR_FACT_RELEASED, .buttons = 1, .most = 0.2},
        {.fact = WR_FACT_DOWN, .buttons = 2},
        {.fact = WR_FACT_DOWN, .no = true, .buttons = 4},
        {.fact = WR_FACT_NEAR, .example = CROUCH, .most = 0.3},
        {.fact = WR_FACT_TIME, .least = 1, .most = 2},
        {.fact = WR_FACT_AIRBORNE, .least = 0.1, .most = 1e9},
        {.fact = WR_FACT_SPEED, .least = 1, .most = 2},
        {.fact = WR_FACT_FORWARD, .least = -1e9, .most = 3},
        {.fact = WR_FACT_RISING, .least = 4, .most = 1e9},
        {.fact = WR_FACT_FALLING, .least = 5, .most = 1e9},
        {.fact = WR_FACT_HIT, .least = 6, .most = 1e9},
    };
    const wr_transition *t = &b->transitions[0];
    assert_int_equal(t->to, 0);
    assert_int_equal(t->condition_count, WRI_COUNT(conditions));
    for (int i = 0; i < WRI_COUNT(conditions); i++) {
        const wr_condition *x = &t->conditions[i], *y = &conditions[i];
        assert_int_equal(x->fact, y->fact);
        assert_int_equal(x->no, y->no);
        assert_int_equal(x->buttons, y->buttons);
        assert_int_equal(x->example, y->example);
        CHECK_NEAR(x->least, y->least, 0);
        CHECK_NEAR(x->most, y->most, 0);
    }
    wr_scene_destroy(scene);
}

static void what_is_left_out_is_sensible(void **state)
{
    (void)state;
    wr_scene *scene = read_good(SCENE(HERO));
    const wr_controller_desc *c = controller_of(scene, 1);
    assert_int_equal(c->start, 0);
    assert_int_equal(c->button_count, 5);
    assert_string_equal(c->buttons[4], "jump");
    assert_false(c->faces_left);
    const wr_pose_path *steps = &c->behaviours[1].path;
    assert_true(steps->loop);
    CHECK_NEAR(steps->keys[0].time, 0.1, 0);
    CHECK_NEAR(steps->keys[3].time, 0.15, 1e-12);
    CHECK_NEAR(steps->stride, 0.8, 1e-7);
    wr_scene_destroy(scene);
}

static void a_controller_may_have_a_file_of_its_own(void **state)
{
    (void)state;
    write_text("hero.json", HERO);
    wr_scene *first = read_good(SCENE("'hero.json'"));
    assert_int_equal(controller_of(first, 1)->behaviour_count, 5);
    write_text("hero.json", HERO " ");
    wr_scene *second = read_good(SCENE("'hero.json'"));
    assert_true(first->hash != second->hash); // it belongs to the scene
    wr_scene_destroy(first);
    wr_scene_destroy(second);
}

// --- inputs -----------------------------------------------------------------------------------

static void inputs_are_at_the_nearest_step(void **state)
{
    (void)state;
    wr_scene *scene = read_good(PLAYED(INPUTS));
    const wr_sprite_setup *hero = setup_of(scene, 1);
    // 60 steps per second; left 1, right 2, jump 16.
    const wr_buttons_down expected[] = {{30, 2}, {72, 18}, {78, 2}, {120, 1}};
    assert_int_equal(hero->played_count, WRI_COUNT(expected));
    for (int i = 0; i < WRI_COUNT(expected); i++) {
        assert_int_equal(hero->played[i].step, expected[i].step);
        assert_int_equal(hero->played[i].down, expected[i].down);
        assert_int_equal(wr_buttons_down_at(hero->played, hero->played_count, expected[i].step),
                         expected[i].down);
        assert_int_equal(wr_buttons_down_at(hero->played, hero->played_count, expected[i].step - 1),
                         i ? expected[i - 1].down : 0);
    }
    assert_null(scene->bodies[0].setup);
    wr_scene_destroy(scene);
}

static void one_hold_may_follow_another(void **state)
{
    (void)state;
    wr_scene *scene =
        read_good(PLAYED("'inputs': [{'body': 'hero', 'hold': 'right', 'from': 2, 'to': 3}, "
                         "{'body': 'hero', 'hold': 'right', 'from': 1, 'to': 2}, {'body': 'hero', "
                         "'press': 'jump', 'at': 4, 'for': 0}]"));
    const wr_buttons_down expected[] = {{60, 2}, {120, 2}, {180, 0}, {240, 16}, {241, 0}};
    assert_int_equal(setup_of(scene, 1)->played_count, WRI_COUNT(expected));
    for (int i = 0; i < WRI_COUNT(expected); i++) {
        assert_int_equal(setup_of(scene, 1)->played[i].step, expected[i].step);
        assert_int_equal(setup_of(scene, 1)->played[i].down, expected[i].down);
    }
    wr_scene_destroy(scene);
}

static void what_goes_down_after_the_end_is_warned_of_with_its_place(void **state)
{
    (void)state;
    wr_scene *scene = read_good(PLAYED(INPUTS)); // the last hold never comes up: fine
    assert_int_equal(scene->warning_count, 0);
    wr_scene_destroy(scene);
    scene = read_good(PLAYED("'inputs': [{'body': 'hero', 'hold': 'right', 'from': 1, 'to': 99},\n"
                             "{'body': 'hero', 'press': 'jump', 'at': 100},\n"
                             "{'body': 'hero', 'hold': 'left', 'from': 5}]"));
    assert_int_equal(scene->warning_count, 1);
    assert_non_null(strstr(scene->warnings[0],
                           "scene.json:11:27: inputs: \"jump\" goes down at 100 s, but the scene "
                           "ends at 3 s (and 1 more)"));
    wr_scene_destroy(scene);
    write_text("play.json", "{'wrought': 1, 'steps': [60, 1], 'inputs': [\n"
                            "{'step': 179, 'body': 'hero', 'down': 'jump'},\n"
                            "{'step': 180, 'body': 'hero', 'up': 'jump'},\n"
                            "{'step': 180, 'body': 'hero', 'down': 'left'}]}");
    scene = read_good(PLAYED("'inputs': 'play.json'"));
    assert_int_equal(scene->warning_count, 1);
    assert_non_null(strstr(scene->warnings[0], "play.json:4:39: inputs: \"left\" goes down at 3 s, "
                                               "but the scene ends at 3 s"));
    assert_null(strstr(scene->warnings[0], "more"));
    wr_scene_destroy(scene);
}

static void copies_are_played_one_by_one(void **state)
{
    (void)state;
    wr_scene *scene = read_good(
        HEAD "'bodies': [" GROUND ", {'copies': {'count': 2, 'step': [2, 0, 0]}, 'name': 'hero', "
             "'asset': 'walker', 'material': {'sprite': 'default', 'aim': 'angle'}, " MANIFOLD
             ", 'controller': " HERO "}], 'inputs': [{'body': 'hero.2', 'hold': 'left'}]}");
    assert_int_equal(setup_of(scene, 1)->played_count, 0);
    assert_int_equal(setup_of(scene, 2)->played_count, 1);
    wr_world *world = play(scene, 0);
    assert_ptr_equal(world->materials[0].shared, world->materials[1].shared);
    step_frames(world, 60);
    int sprite;
    wr_sprite_world *own = wri_sprite_world_of(world->materials[0].state, &sprite);
    CHECK_NEAR(wr_sprite_get_facts(own, 0).center.x, 0, 0.1);
    assert_true(wr_sprite_get_facts(own, 1).center.x < 1.0f);
    wr_world_destroy(world);
    wr_scene_destroy(scene);
}

static void a_scene_plays_its_hero(void **state)
{
    (void)state;
    wr_scene *scene = read_good(PLAYED(INPUTS));
    wr_world *world = play(scene, 0);
    float top = 0.0f, late = 0.0f;
    for (int i = 1; i <= 180; i++) {
        wr_world_step_frame(world);
        wr_sprite_facts facts = facts_of(world);
        top = fmaxf(top, facts.center.y);
        if (i == 30) {
            CHECK_NEAR(facts.center.x, 0.0, 0.1);
        }
        if (i == 72) {
            CHECK_NEAR(facts.center.x, 0.7 * 1.5, 0.2);
            assert_false(facts.flipped);
        }
        late = i == 150 ? facts.center.x : late;
    }
    assert_true(top > 1.4f);
    assert_true(facts_of(world).flipped);
    CHECK_NEAR(facts_of(world).center.x - late, -0.5 * 1.5, 0.2);
    wr_world_destroy(world);
    wr_scene_destroy(scene);
}

static void run(wr_world *world, uint64_t *hashes, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        wr_world_step_frame(world);
        hashes[i] = wr_world_frame(world)->hash;
    }
}

static void a_play_that_is_resumed_is_the_same(void **state)
{
    (void)state;
    enum { FRAMES = 150, MIDDLE = 74 }; // in the crouch before the jump
    uint64_t whole[FRAMES], resumed[FRAMES];
    wr_scene *scene = read_good(PLAYED(INPUTS));
    wr_world *first = play(scene, 0), *second = play(scene, 0);
    run(first, whole, 0, MIDDLE);
    wr_error error = {0};
    size_t size;
    const void *bytes = wr_world_save(first, &size, &error);
    assert_non_null(bytes);
    if (!wr_world_restore(second, bytes, size, &error)) {
        fail_msg("%s", error.message);
    }
    run(first, whole, MIDDLE, FRAMES);
    run(second, resumed, MIDDLE, FRAMES);
    assert_memory_equal(&whole[MIDDLE], &resumed[MIDDLE], (FRAMES - MIDDLE) * sizeof *whole);
    wr_world_destroy(first);
    wr_world_destroy(second);
    wr_scene_destroy(scene);
}

#define GRIPPER                                                                                    \
    "{'behaviours': {'stand': {'pose': 'stand', 'go': [{'to': 'jump', 'pressed': 'jump'}]}, "      \
    "'jump': {'pose': 'stand', 'enter': {'jump': 1.5}, 'go': [{'to': 'hang', 'falling': 0}]}, "    \
    "'hang': {'pose': 'crouch', 'enter': {'hold': 'nose'}, 'leave': {'release': 'nose'}, 'go': "   \
    "[{'to': 'stand', 'pressed': 'down'}]}}}"

static void a_grip_is_resumed_exactly(void **state)
{
    (void)state;
    enum { FRAMES = 150, MIDDLE = 60 }; // it hangs from 0.65 s to 1.5 s
    uint64_t whole[FRAMES], resumed[FRAMES];
    wr_scene *scene = read_good(HEAD "'bodies': [" GROUND ", " BODY(
        GRIPPER) "],\n'inputs': [{'body': 'hero', 'press': 'jump', 'at': 0.1}, {'body': 'hero', "
                 "'press': 'down', 'at': 1.5}]}");
    wr_world *first = play(scene, 0), *second = play(scene, 0);
    wr_error error = {0};
    size_t size;
    run(first, whole, 0, MIDDLE);
    const void *bytes = wr_world_save(first, &size, &error);
    assert_non_null(bytes);
    assert_true(wr_world_restore(second, bytes, size, &error));
    float height = facts_of(first).center.y;
    run(first, whole, MIDDLE, 89);
    assert_true(facts_of(first).center.y > 1.0f && !facts_of(first).on_ground);
    CHECK_NEAR(facts_of(first).center.y, height, 0.4); // swings
    run(first, whole, 89, FRAMES);
    assert_true(facts_of(first).on_ground);
    run(second, resumed, MIDDLE, FRAMES);
    assert_memory_equal(&whole[MIDDLE], &resumed[MIDDLE], (FRAMES - MIDDLE) * sizeof *whole);
    wr_world_destroy(first);
    wr_world_destroy(second);
    wr_scene_destroy(scene);
}

static void a_recorded_play_repeats_exactly(void **state)
{
    (void)state;
    enum { FRAMES = 150 };
    uint64_t first[FRAMES], again[FRAMES];
    wr_scene *scene = read_good(PLAYED(INPUTS));
    wr_input inputs[32];
    int count = 0;
    uint32_t down = 0;
    for (int i = 0; i < setup_of(scene, 1)->played_count; i++) {
        const wr_buttons_down *key = &setup_of(scene, 1)->played[i];
        for (int b = 0; b < 5; b++) {
            if ((key->down ^ down) >> b & 1) {
                inputs[count++] = (wr_input){key->step, 1, b, key->down >> b & 1};
            }
        }
        down = key->down;
    }
    wr_error error = {0};
    if (!wr_inputs_write(in_folder("play.json"), scene, inputs, count, &error)) {
        fail_msg("%s", error.message);
    }
    wr_scene *replay = read_good(PLAYED("'inputs': 'play.json'"));
    wr_world *a = play(scene, 0), *b = play(replay, 0);
    run(a, first, 0, FRAMES);
    run(b, again, 0, FRAMES);
    assert_memory_equal(first, again, sizeof first);
    wr_world_destroy(a);
    wr_world_destroy(b);
    inputs[1].step = 5;
    assert_false(wr_inputs_write(in_folder("bad.json"), scene, inputs, count, &error));
    assert_string_equal(error.message, "inputs[1]: step 5, expected no less than before");
    inputs[1] = (wr_input){400, 0, 0, true};
    assert_false(wr_inputs_write(in_folder("bad.json"), scene, inputs, count, &error));
    assert_string_equal(error.message, "inputs[1]: body 0 has no controller");
    inputs[1] = (wr_input){400, 1, 7, true};
    assert_false(wr_inputs_write(in_folder("bad.json"), scene, inputs, count, &error));
    assert_string_equal(error.message, "inputs[1]: button 7, there are 5");
    assert_int_not_equal(access(in_folder("bad.json"), F_OK), 0);
    wr_scene_destroy(scene);
    wr_scene_destroy(replay);
}

// The first one with a controller, unless it is nailed down; only drawn games have one.
static void the_camera_follows_who_is_played(void **state)
{
    (void)state;
    const char *const machine = "{'name': 'machine', 'asset': 'walker', 'material': 'sprite', "
                                "'nails': ['nose'], 'at': [3, 0, 0], 'controller': {'behaviours': "
                                "{'a': {'pose': 'stand'}}}}";
    char text[4096];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s'flat': %s, 'bodies': [%s, %s%s]}", HEAD,
                 i == 1 ? "false" : "true", machine, GROUND, i == 2 ? "" : ", " BODY(HERO));
        wr_scene *scene = read_good(text);
        assert_int_equal(scene->stage.follows, i == 0);
        assert_int_equal(scene->stage.body, i == 0 ? 2 : 0);
        wr_scene_destroy(scene);
    }
}

// --- complaints -------------------------------------------------------------------------------

static void expect_error(const char *text, const char *file, const char *sentence)
{
    wr_error error = {0};
    char expected[700];
    wr_scene *scene = read_text(text, &error);
    if (scene) {
        wr_scene_destroy(scene);
        fail_msg("expected: %s", sentence);
    }
    snprintf(expected, sizeof expected, "%s:%s", in_folder(file), sentence);
    if (strlen(expected) >= sizeof error.message) {
        expected[sizeof error.message - 1] = 0;
    }
    assert_string_equal(error.message, expected);
}

// Line 3 holds the controller, from column 15 on.
#define WRONG(controller, sentence)                                                                \
    {                                                                                              \
        SCENE(controller), sentence                                                                \
    }
// One behaviour with something wrong.
#define ONE(words, sentence) WRONG("{'behaviours': {'a': {" words "}}}", sentence)
// One transition with something wrong.
#define GO(words, sentence)                                                                        \
    WRONG("{'behaviours': {'a': {'pose': 'stand', 'go': [{" words "}]}}}", sentence)

static const struct {
    const char *text, *sentence;
} wrong_controllers[] = {
    WRONG("3", "3:15: body \"hero\": \"controller\" is a number, expected an object"),
    WRONG("{}", "3:15: body \"hero\": \"behaviours\" is missing, expected: what it can do, at most "
                "256"),
    WRONG("{'behaviours': {}}",
          "3:30: body \"hero\": \"behaviours\" has 0 of them, expected 1 to 256"),
    WRONG("{'behaviors': {}}",
          "3:16: body \"hero\": unknown key \"behaviors\"; did you mean \"behaviours\"?"),
    WRONG("{'start': 'stnad', 'behaviours': {'stand': {'pose': 'stand'}}}",
          "3:25: body \"hero\": unknown behaviour \"stnad\"; did you mean \"stand\"?"),
    WRONG("{'buttons': ['x', 'x'], 'behaviours': {'a': {'pose': 'stand'}}}",
          "3:33: body \"hero\": the button \"x\" is there twice"),
    WRONG("{'buttons': [''], 'behaviours': {'a': {'pose': 'stand'}}}",
          "3:28: body \"hero\": a button without a name"),
    WRONG("{'buttons': [], 'behaviours': {'a': {'pose': 'stand', 'walk': 1}}}",
          "3:46: body \"hero\": behaviour \"a\": needs the buttons \"left\" and \"right\""),
    WRONG("{'behaviours': {'a': {'pose': 'stand'}, 'b': {'pose': 'stand'}}}",
          "3:55: body \"hero\": behaviour \"b\": cannot be reached from \"a\""),
    WRONG("{'paths': {'p': {'poses': []}}, 'behaviours': {'a': {'path': 'p'}}}",
          "3:41: body \"hero\": behaviour \"a\": \"poses\" has 0 poses, expected 1 to 256"),
    WRONG("{'paths': {'p': {'poses': ['stand']}}, 'behaviours': {'a': {'pose': 'stand'}}}",
          "3:26: body \"hero\": no behaviour has the path \"p\""),
    WRONG("{'paths': 3, 'behaviours': {'a': {'pose': 'stand'}}}",
          "3:25: body \"hero\": \"paths\" is a number, expected an object"),
    WRONG("{'behaviours': {'': {'pose': 'stand'}}}",
          "3:31: body \"hero\": behaviour \"\": a behaviour without a name"),
    ONE("", "3:36: body \"hero\": behaviour \"a\": expected a \"pose\" or a \"path\""),
    ONE("'pose': 'stnad'",
        "3:45: body \"hero\": behaviour \"a\": unknown pose \"stnad\"; did you mean \"stand\"?"),
    ONE("'pose': 'stand', 'path': 'x'",
        "3:62: body \"hero\": behaviour \"a\": \"path\" has no effect beside a \"pose\""),
    ONE("'path': 'x'", "3:45: body \"hero\": behaviour \"a\": unknown path \"x\", there are none"),
    ONE("'path': {'poses': ['stand', 'alone']}",
        "3:65: body \"hero\": behaviour \"a\": no way in the manifold from the pose \"stand\" to "
        "\"alone\""),
    ONE("'path': {'poses': ['stand', 'crouch'], 'each': 0}",
        "3:31: body \"hero\": behaviour \"a\": its path takes no time"),
    ONE("'path': {'poses': ['stand', {'for': 1}]}",
        "3:65: body \"hero\": behaviour \"a\": \"pose\" is missing, expected: its name"),
    ONE("'pose': 'stand', 'wlak': 1",
        "3:54: body \"hero\": behaviour \"a\": unknown key \"wlak\"; did you mean \"walk\"?"),
    ONE("'pose': 'stand', 'walk': 1, 'steer': 1",
        "3:74: body \"hero\": behaviour \"a\": \"steer\" has no effect beside \"walk\""),
    ONE("'pose': 'stand', 'grip': 1",
        "3:62: body \"hero\": behaviour \"a\": \"grip\" has no effect "
        "without \"walk\" or \"steer\""),
    ONE("'pose': 'stand', 'only_while': 'jmup'",
        "3:68: body \"hero\": behaviour \"a\": unknown button \"jmup\"; did you mean \"jump\"?"),
    ONE("'pose': 'stand', 'push': {'along': [0, 0]}",
        "3:72: body \"hero\": behaviour \"a\": \"along\" is zero, expected a direction"),
    ONE("'pose': 'stand', 'push': {'along': [0]}",
        "3:72: body \"hero\": behaviour \"a\": \"along\" expects two numbers"),
    ONE("'pose': 'stand', 'set': {'setle': 1}",
        "3:62: body \"hero\": behaviour \"a\": unknown parameter \"setle\"; did you mean "
        "\"settle\"?"),
    ONE("'pose': 'stand', 'set': {'clusters': 4}", NULL), // cannot change while it plays
    ONE("'pose': 'stand', 'set': {'settle': 2}",
        "3:72: body \"hero\": behaviour \"a\": \"settle\" is 2 share, expected 0 to 1 share"),
    ONE("'pose': 'stand', 'set': {'aim': 'up'}", NULL),
    ONE("'pose': 'stand', 'set': {'stretch_to': 'long'}", NULL),
    ONE("'pose': 'stand', 'drag': {'crooch': 2}",
        "3:63: body \"hero\": behaviour \"a\": unknown pose \"crooch\"; did you mean \"crouch\"?"),
    ONE("'pose': 'stand', 'enter': {'jump': -1}",
        "3:72: body \"hero\": behaviour \"a\": \"jump\" is -1 sizes, expected 0 to 10000 sizes"),
    ONE("'pose': 'stand', 'enter': {'hold': 'knose'}",
        "3:72: body \"hero\": behaviour \"a\": unknown handle \"knose\"; did you mean \"nose\"?"),
    ONE("'pose': 'stand', 'leave': {'release': ['nose', 'left']}", NULL), // has no vertex
    ONE("'pose': 'stand', 'enter': {'hold': ['nose', 'nose']}",
        "3:81: body \"hero\": behaviour \"a\": the handle \"nose\" twice"),
    ONE("'pose': 'stand', 'enter': {'hold': []}",
        "3:72: body \"hero\": behaviour \"a\": \"hold\" has 0 handles, expected 1 to 32"),
    ONE("'pose': 'stand', 'enter': {'hold': 3}", NULL),
    GO("", "3:61: body \"hero\": behaviour \"a\": \"to\" is missing, expected: the behaviour it "
           "leads to"),
    GO("'to': 'a'", "3:61: body \"hero\": behaviour \"a\": leads to \"a\" at once, expected a "
                    "condition"),
    GO("'to': 'walk', 'on_ground': true", "3:68: body \"hero\": behaviour \"a\": unknown behaviour "
                                          "\"walk\", expected one of: a"),
    GO("'to': 'a', 'on_grund': true",
       "3:73: body \"hero\": behaviour \"a\": unknown key \"on_grund\"; did you mean "
       "\"on_ground\"?"),
    GO("'to': 'a', 'held': 'lfet'",
       "3:81: body \"hero\": behaviour \"a\": unknown button \"lfet\"; did you mean \"left\"?"),
    GO("'to': 'a', 'held': []",
       "3:81: body \"hero\": behaviour \"a\": \"held\" is empty, expected a button"),
    GO("'to': 'a', 'near': 'crooch'",
       "3:81: body \"hero\": behaviour \"a\": unknown pose \"crooch\"; did you mean \"crouch\"?"),
    GO("'to': 'a', 'nearness': 0.1",
       "3:85: body \"hero\": behaviour \"a\": \"nearness\" has no effect without \"near\""),
    GO("'to': 'a', 'within': 0.1, 'on_ground': true",
       "3:83: body \"hero\": behaviour \"a\": \"within\" has no effect without \"pressed\" or "
       "\"released\""),
    GO("'to': 'a', 'after': 2, 'before': 1",
       "3:95: body \"hero\": behaviour \"a\": \"before\" 1 s and \"after\" 2 s never hold at once"),
    GO("'to': 'a', 'speed': {'above': 2, 'below': 1}",
       "3:82: body \"hero\": behaviour \"a\": \"speed\" is above 2 and below 1, which never holds"),
    WRONG("{'behaviours': {'a': {'path': {'poses': ['stand', 'crouch']}, 'go': [{'to': 'a', "
          "'done': true}]}}}",
          "3:84: body \"hero\": behaviour \"a\": its path loops and is never done"),
    WRONG(
        "{'behaviours': {'a': {'pose': 'stand', 'go': [{'to': 'b', 'after': 1}]}, 'b': {'pose': "
        "'alone'}}}",
        "3:102: body \"hero\": behaviour \"b\": no way in the manifold from the pose \"stand\" of "
        "\"a\" to \"alone\""),
    WRONG("'none.json'", NULL),
};

static void mistakes_in_controllers_are_told_with_their_place(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(wrong_controllers); i++) {
        if (wrong_controllers[i].sentence) {
            expect_error(wrong_controllers[i].text, "scene.json", wrong_controllers[i].sentence);
            continue;
        }
        wr_error error = {0};
        assert_null(read_text(wrong_controllers[i].text, &error));
        assert_non_null(strstr(error.message, "scene.json:3:"));
    }
}

static void mistakes_in_a_file_of_a_controller_are_told_in_it(void **state)
{
    (void)state;
    write_text("hero.json", "{'behaviours': {\n 'a': {'pose': 'stnad'}}}");
    expect_error(SCENE("'hero.json'"), "hero.json",
                 "2:16: body \"hero\": behaviour \"a\": unknown pose \"stnad\"; did you mean "
                 "\"stand\"?");
}

static void only_sprites_have_controllers(void **state)
{
    (void)state;
    expect_error(HEAD "'bodies': [{'name': 'x', 'shape': {'sphere': 1}, 'controller': {}}]}",
                 "scene.json",
                 "2:50: body \"x\": \"controller\" has no effect on a body that is no sprite");
}

static void what_a_nail_lets_go_at_a_time_is_not_held(void **state)
{
    (void)state;
    expect_error(HEAD "'bodies': [{'name': 'hero', 'asset': 'walker', 'material': 'sprite', "
                      "'nails': [{'handle': 'nose', 'until': 1}],\n'controller': {'behaviours': "
                      "{'a': {'pose': 'stand', 'enter': {'hold': 'nose'}}}}}]}",
                 "scene.json",
                 "3:72: body \"hero\": behaviour \"a\": the handle \"nose\" has a nail with "
                 "\"until\": release it by an effect instead, or hold another one");
}

#define INPUT(words, sentence)                                                                     \
    {                                                                                              \
        PLAYED("'inputs': [{" words "}]"), sentence                                                \
    }

static const struct {
    const char *text, *sentence;
} wrong_inputs[] = {
    INPUT("'press': 'jump', 'at': 1", "10:12: input 1: \"body\" is missing, expected: the body "
                                      "with the controller"),
    INPUT("'body': 'hero'", "10:12: input 1: expected \"press\", \"hold\", \"down\" or \"up\""),
    INPUT("'body': 'heor', 'press': 'jump', 'at': 1",
          "10:21: input 1: unknown body \"heor\"; did you mean \"hero\"?"),
    INPUT("'body': 'body 1', 'press': 'jump', 'at': 1",
          "10:21: input 1: the body \"body 1\" has no controller"),
    INPUT("'body': 'hero', 'press': 'jmup', 'at': 1",
          "10:38: input 1: unknown button \"jmup\"; did you mean \"jump\"?"),
    INPUT("'body': 'hero', 'press': 'jump'", "10:12: input 1: \"at\" is missing beside \"press\""),
    INPUT("'body': 'hero', 'press': 'jump', 'hold': 'jump', 'at': 1",
          "10:46: input 1: \"hold\" has no effect beside \"press\""),
    INPUT("'body': 'hero', 'hold': 'jump', 'at': 1",
          "10:45: input 1: \"at\" has no effect beside \"hold\""),
    INPUT("'body': 'hero', 'hold': 'jump', 'from': 2, 'to': 1",
          "10:62: input 1: \"to\" is 1 s, expected a step after \"from\" 2 s"),
    INPUT("'body': 'hero', 'down': 'jump', 'step': 1.5",
          "10:53: input 1: \"step\" is 1.5, expected a whole number"),
    INPUT("'body': 'hero', 'up': 'jump', 'step': 1", "10:35: inputs: \"jump\" is not held then"),
    INPUT("'body': 'hero', 'hold': 'jump'}, {'body': 'hero', 'press': 'jump', 'at': 1",
          "10:72: inputs: \"jump\" is already held then"),
    {PLAYED("'inputs': 3"), "10:11: inputs: \"inputs\" is a number, expected an array"},
};

static void mistakes_in_inputs_are_told_with_their_place(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(wrong_inputs); i++) {
        expect_error(wrong_inputs[i].text, "scene.json", wrong_inputs[i].sentence);
    }
}

static void mistakes_in_plays_are_told_in_their_file(void **state)
{
    (void)state;
    const char *scene = PLAYED("'inputs': 'play.json'");
    write_text("play.json", "{'wrought': 1, 'steps': [240, 1],\n'inputs': []}");
    expect_error(scene, "play.json",
                 "1:25: play: was played at 240 steps per second, the scene has 60");
    write_text("play.json", "{'wrought': 1, 'steps': [60],\n'inputs': []}");
    expect_error(scene, "play.json", "1:25: play: \"steps\" expects [numerator, denominator]");
    write_text("play.json", "{'wrought': 1, 'steps': [120, 2],\n'inputs': [{'step': 1, 'body': "
                            "'hero', 'donw': 'jump'}]}");
    expect_error(scene, "play.json", "2:40: input 1: unknown key \"donw\"; did you mean \"down\"?");
    wr_error error = {0};
    assert_null(read_text(PLAYED("'inputs': 'nothing.json'"), &error));
    assert_non_null(strstr(error.message, "scene.json:10:11: inputs: "));
    assert_int_equal(error.code, WR_E_IO);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_word_says_what_it_means),
        TEST(what_is_left_out_is_sensible),
        TEST(a_controller_may_have_a_file_of_its_own),
        TEST(inputs_are_at_the_nearest_step),
        TEST(one_hold_may_follow_another),
        TEST(what_goes_down_after_the_end_is_warned_of_with_its_place),
        TEST(copies_are_played_one_by_one),
        TEST(a_scene_plays_its_hero),
        TEST(a_play_that_is_resumed_is_the_same),
        TEST(a_recorded_play_repeats_exactly),
        TEST(a_grip_is_resumed_exactly),
        TEST(what_a_nail_lets_go_at_a_time_is_not_held),
        TEST(the_camera_follows_who_is_played),
        TEST(mistakes_in_controllers_are_told_with_their_place),
        TEST(mistakes_in_a_file_of_a_controller_are_told_in_it),
        TEST(only_sprites_have_controllers),
        TEST(mistakes_in_inputs_are_told_with_their_place),
        TEST(mistakes_in_plays_are_told_in_their_file),
    };
    return cmocka_run_group_tests_name("controller_scene", tests, setup, teardown);
}
