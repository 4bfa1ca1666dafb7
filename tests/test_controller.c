// test_controller.c: characters that act: what leads from behaviour to behaviour and when, where
// the equilibrium is, what behaviours do to the sprite, that plays repeat exactly, and that a
// character walks, jumps and faces as it should.
#include "walker.h"

#include "wrought/controller.h"

#include "../src/sprite/controller.h"

static const float DT = 1.0f / 240.0f;
enum { LEFT, RIGHT, JUMP, DOWN, BUTTONS };
static const char *const BUTTON_NAMES[BUTTONS] = {"left", "right", "jump", "down"};
enum { B_LEFT = 1 << LEFT, B_RIGHT = 1 << RIGHT, B_JUMP = 1 << JUMP, B_DOWN = 1 << DOWN };

static walker drawing;
static wr_sprite_asset *asset;

static int setup(void **state)
{
    (void)state;
    walker_make(&drawing);
    asset = walker_create_asset(&drawing);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    wr_sprite_asset_destroy(asset);
    return 0;
}

// --- a character on a plane -------------------------------------------------------------------

typedef struct stage {
    wr_sprite_world *world;
    wr_controller *controller;
    wr_actor *actor;
    int sprite;
} stage;

static wr_controller_desc describe(const wr_behaviour *behaviours, int count)
{
    wr_controller_desc desc = wr_controller_desc_default();
    desc.behaviours = behaviours;
    desc.behaviour_count = count;
    desc.buttons = BUTTON_NAMES;
    desc.button_count = BUTTONS;
    desc.left = LEFT;
    desc.right = RIGHT;
    return desc;
}

static wr_controller *make_controller(const wr_controller_desc *desc)
{
    wr_error error = {0};
    wr_controller *controller = wr_controller_create(asset, desc, &error);
    if (!controller) {
        fail_msg("%s", error.message);
    }
    return controller;
}

// Upright by aim; standing on the ground, or where there is no gravity.
static stage begin(const wr_controller_desc *desc, float gravity)
{
    stage s = {0};
    wr_sprite_world_desc world = wr_sprite_world_desc_default();
    world.gravity.y = -gravity;
    s.world = wr_sprite_world_create(&world, NULL);
    assert_non_null(s.world);
    wr_sprite_level ground = {.friction = 1.0f};
    assert_true(wr_sprite_add_level(s.world, &ground, NULL) >= 0);
    wr_sprite_desc sprite = wr_sprite_desc_default();
    sprite.asset = asset;
    sprite.position.y = gravity > 0.0f ? 0.0f : 5.0f;
    sprite.parameters.aim = WR_SPRITE_AIM_ANGLE;
    sprite.parameters.bounce = 0.0f;
    sprite.parameters.drag = 0.0f;
    s.sprite = wr_sprite_add(s.world, &sprite, NULL);
    assert_int_equal(s.sprite, 0);
    s.controller = make_controller(desc);
    wr_error error = {0};
    s.actor = wr_actor_create(s.controller, s.world, s.sprite, NULL, &error);
    if (!s.actor) {
        fail_msg("%s", error.message);
    }
    return s;
}

static void end(stage *s)
{
    wr_actor_destroy(s->actor);
    wr_sprite_world_destroy(s->world);
    wr_controller_destroy(s->controller);
}

static void step(stage *s, uint32_t down)
{
    wr_actor_step(s->actor, down, DT);
    wr_sprite_world_step(s->world, DT, NULL);
}

static void run(stage *s, uint32_t down, double seconds)
{
    for (int i = 0; i < (int)(seconds / (double)DT + 0.5); i++) {
        step(s, down);
    }
}

static int where(const stage *s)
{
    return wr_actor_get_facts(s->actor).behaviour;
}

static wr_sprite_facts facts_of(const stage *s)
{
    return wr_sprite_get_facts(s->world, s->sprite);
}

static wr_behaviour behave(const char *name, const wr_pose_key *keys, int key_count, bool loop)
{
    wr_behaviour b = wr_behaviour_default();
    b.name = name;
    b.path = (wr_pose_path){.keys = keys, .key_count = key_count, .loop = loop};
    return b;
}

static const wr_pose_key STANDING[] = {{STAND, 0}};
static const wr_pose_key CROUCHING[] = {{CROUCH, 0}};
static const wr_pose_key WALKING[] = {
    {STAND, 0.1}, {STRIDE_A, 0.15}, {PASS, 0.1}, {STRIDE_B, 0.15}};

#define WHEN(list) list, WRI_COUNT(list)

// --- a hero -----------------------------------------------------------------------------------

enum { H_STAND, H_WALK, H_CROUCH, H_JUMP, H_FALL, HERO };

static const wr_condition IF_POINTED[] = {{.fact = WR_FACT_DOWN, .buttons = B_LEFT | B_RIGHT}};
static const wr_condition IF_NOT_POINTED[] = {
    {.fact = WR_FACT_DOWN, .no = true, .buttons = B_LEFT | B_RIGHT}};
static const wr_condition IF_JUMP[] = {
    {.fact = WR_FACT_PRESSED, .buttons = B_JUMP, .most = 0.1},
    {.fact = WR_FACT_ON_GROUND},
};
static const wr_condition IF_READY[] = {{.fact = WR_FACT_TIME, .least = 0.1, .most = 1e9}};
static const wr_condition IF_OFF[] = {{.fact = WR_FACT_AIRBORNE, .least = 0.25, .most = 1e9}};
static const wr_condition IF_FALLS[] = {{.fact = WR_FACT_RISING, .least = -1e9, .most = 0.0}};
static const wr_condition IF_LANDED[] = {{.fact = WR_FACT_ON_GROUND}};
static const wr_transition FROM_STAND[] = {
    {H_CROUCH, WHEN(IF_JUMP)}, {H_WALK, WHEN(IF_POINTED)}, {H_FALL, WHEN(IF_OFF)}};
static const wr_transition FROM_WALK[] = {
    {H_CROUCH, WHEN(IF_JUMP)}, {H_STAND, WHEN(IF_NOT_POINTED)}, {H_FALL, WHEN(IF_OFF)}};
static const wr_transition FROM_CROUCH[] = {{H_JUMP, WHEN(IF_READY)}};
static const wr_transition FROM_JUMP[] = {{H_FALL, WHEN(IF_FALLS)}};
static const wr_transition FROM_FALL[] = {{H_STAND, WHEN(IF_LANDED)}};

static wr_behaviour *hero(void)
{
    static wr_behaviour b[HERO];
    b[H_STAND] = behave("stand", WHEN(STANDING), false);
    b[H_STAND].transitions = FROM_STAND;
    b[H_STAND].transition_count = WRI_COUNT(FROM_STAND);
    b[H_WALK] = behave("walk", WHEN(WALKING), true);
    b[H_WALK].path.stride = 0.8f;
    b[H_WALK].walk = 1.5f;
    b[H_WALK].face = WR_FACE_INPUT;
    b[H_WALK].transitions = FROM_WALK;
    b[H_WALK].transition_count = WRI_COUNT(FROM_WALK);
    b[H_CROUCH] = behave("crouch", WHEN(CROUCHING), false);
    b[H_CROUCH].transitions = FROM_CROUCH;
    b[H_CROUCH].transition_count = WRI_COUNT(FROM_CROUCH);
    b[H_JUMP] = behave("jump", WHEN(STANDING), false);
    b[H_JUMP].enter.jump = 1.0f;
    b[H_JUMP].transitions = FROM_JUMP;
    b[H_JUMP].transition_count = WRI_COUNT(FROM_JUMP);
    b[H_FALL] = behave("fall", WHEN(STANDING), false);
    b[H_FALL].walk = 1.0f;
    b[H_FALL].steer = true;
    b[H_FALL].grip = 0.3f;
    b[H_FALL].face = WR_FACE_INPUT;
    b[H_FALL].transitions = FROM_FALL;
    b[H_FALL].transition_count = WRI_COUNT(FROM_FALL);
    return b;
}

// Two behaviours; the first has the transitions.
static stage begin_pair(wr_behaviour first, const wr_transition *transitions, int count)
{
    static const wr_condition at_once[] = {{.fact = WR_FACT_TIME, .least = 1e6, .most = 1e9}};
    static const wr_transition back[] = {{0, WHEN(at_once)}};
    wr_behaviour b[3] = {first, behave("second", WHEN(CROUCHING), false),
                         behave("third", WHEN(STANDING), false)};
    b[0].transitions = transitions;
    b[0].transition_count = count;
    b[1].transitions = b[2].transitions = back;
    b[1].transition_count = b[2].transition_count = 1;
    int used = 2;
    for (int i = 0; i < count; i++) {
        used = transitions[i].to == 2 ? 3 : used;
    }
    wr_controller_desc desc = describe(b, used);
    return begin(&desc, 0.0f);
}

static stage begin_condition(wr_condition condition)
{
    const wr_transition t[] = {{1, &condition, 1}};
    return begin_pair(behave("first", WHEN(STANDING), false), WHEN(t));
}

static float share_of(wr_sprite_point point, int example)
{
    float blend[WALKER_E];
    wr_sprite_asset_blend(asset, point, blend);
    return blend[example];
}

// --- transitions ------------------------------------------------------------------------------

static void all_conditions_of_a_transition_must_hold(void **state)
{
    (void)state;
    const wr_condition both[] = {{.fact = WR_FACT_DOWN, .buttons = B_JUMP},
                                 {.fact = WR_FACT_DOWN, .no = true, .buttons = B_DOWN}};
    const wr_transition t[] = {{1, WHEN(both)}};
    stage s = begin_pair(behave("first", WHEN(STANDING), false), WHEN(t));
    step(&s, B_DOWN);
    step(&s, B_DOWN | B_JUMP);
    assert_int_equal(where(&s), 0);
    step(&s, 0);
    assert_int_equal(where(&s), 0);
    step(&s, B_JUMP);
    assert_int_equal(where(&s), 1);
    end(&s);
}

static void the_first_transition_that_fires_wins(void **state)
{
    (void)state;
    const wr_condition never[] = {{.fact = WR_FACT_DOWN, .buttons = B_DOWN}};
    const wr_condition jump[] = {{.fact = WR_FACT_DOWN, .buttons = B_JUMP}};
    const wr_transition t[] = {{1, WHEN(never)}, {2, WHEN(jump)}, {1, WHEN(jump)}};
    stage s = begin_pair(behave("first", WHEN(STANDING), false), WHEN(t));
    step(&s, 0);
    step(&s, B_JUMP);
    assert_int_equal(where(&s), 2);
    end(&s);
}

static void a_press_is_the_step_in_which_a_button_goes_down(void **state)
{
    (void)state;
    const wr_condition pressed[] = {{.fact = WR_FACT_PRESSED, .buttons = B_JUMP | B_DOWN},
                                    {.fact = WR_FACT_TIME, .least = 3.5 / 240, .most = 1e9}};
    const wr_transition t[] = {{1, WHEN(pressed)}};
    stage s = begin_pair(behave("first", WHEN(STANDING), false), WHEN(t));
    for (int i = 0; i < 8; i++) {
        step(&s, B_JUMP); // down since before it was listened to
    }
    assert_int_equal(where(&s), 0);
    step(&s, B_JUMP | B_DOWN);
    assert_int_equal(where(&s), 1);
    end(&s);
}

static void a_press_may_come_a_little_early(void **state)
{
    (void)state;
    for (int early = 23; early <= 25; early++) { // 0.1 s are 24 steps
        const wr_condition when[] = {{.fact = WR_FACT_PRESSED, .buttons = B_JUMP, .most = 0.1},
                                     {.fact = WR_FACT_DOWN, .buttons = B_DOWN}};
        const wr_transition t[] = {{1, WHEN(when)}};
        stage s = begin_pair(behave("first", WHEN(STANDING), false), WHEN(t));
        step(&s, 0);
        step(&s, B_JUMP);
        for (int i = 1; i < early; i++) {
            step(&s, 0);
        }
        step(&s, B_DOWN);
        assert_int_equal(where(&s), early <= 24);
        end(&s);
    }
}

static void a_press_counts_once(void **state)
{
    (void)state;
    const wr_condition pressed[] = {{.fact = WR_FACT_PRESSED, .buttons = B_JUMP, .most = 1.0}};
    const wr_transition there[] = {{1, WHEN(pressed)}}, back[] = {{0, WHEN(pressed)}};
    wr_behaviour b[2] = {behave("first", WHEN(STANDING), false),
                         behave("second", WHEN(STANDING), false)};
    b[0].transitions = there;
    b[1].transitions = back;
    b[0].transition_count = b[1].transition_count = 1;
    wr_controller_desc desc = describe(b, 2);
    stage s = begin(&desc, 0.0f);
    step(&s, 0);
    step(&s, B_JUMP);
    run(&s, 0, 0.5);
    assert_int_equal(where(&s), 1);
    assert_int_equal(wr_actor_get_facts(s.actor).changes, 1);
    end(&s);
}

static void a_release_is_the_step_in_which_a_button_comes_up(void **state)
{
    (void)state;
    stage s = begin_condition((wr_condition){.fact = WR_FACT_RELEASED, .buttons = B_JUMP});
    step(&s, 0);
    step(&s, 0);
    step(&s, B_JUMP);
    step(&s, B_JUMP);
    assert_int_equal(where(&s), 0);
    step(&s, 0);
    assert_int_equal(where(&s), 1);
    end(&s);
}

// Entered in step 0, a behaviour is 0.3 s old in step 72, for which the sums of 1/240 s as floats
// are a little too small or too large.
static void times_are_met_to_the_step(void **state)
{
    (void)state;
    const double times[] = {0.1, 0.3, 0.7, 1.3};
    for (int i = 0; i < WRI_COUNT(times); i++) {
        stage s =
            begin_condition((wr_condition){.fact = WR_FACT_TIME, .least = times[i], .most = 1e9});
        int steps = 0;
        while (where(&s) == 0 && steps < 1000) {
            step(&s, 0);
            steps++;
        }
        assert_int_equal(steps - 1, (int)(times[i] * 240 + 0.5));
        end(&s);
    }
}

static void before_and_after_share_no_step(void **state)
{
    (void)state;
    const wr_condition before[] = {{.fact = WR_FACT_TIME, .least = 0, .most = 0.3},
                                   {.fact = WR_FACT_DOWN, .buttons = B_JUMP}};
    for (int at = 71; at <= 72; at++) {
        const wr_transition t[] = {{1, WHEN(before)}};
        stage s = begin_pair(behave("first", WHEN(STANDING), false), WHEN(t));
        for (int i = 0; i < at; i++) {
            step(&s, 0);
        }
        step(&s, B_JUMP);
        assert_int_equal(where(&s), at == 71);
        end(&s);
    }
}

static void set_velocity(stage *s, float x, float y)
{
    wr_vec2 v = facts_of(s).velocity;
    wr_sprite_add_velocity(s->world, s->sprite, (wr_vec2){x - v.x, y - v.y}, 0.0f);
}

static void speeds_are_in_sizes_per_second(void **state)
{
    (void)state;
    const struct {
        wr_fact fact;
        float x, y;
    } cases[] = {{WR_FACT_SPEED, -1.2f, 1.6f},
                 {WR_FACT_FORWARD, 2.0f, 5.0f},
                 {WR_FACT_RISING, 3.0f, 2.0f},
                 {WR_FACT_FALLING, 3.0f, -2.0f}};
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            stage s = begin_condition(
                (wr_condition){.fact = cases[i].fact, .least = 2.0 + 0.01 * sign, .most = 1e9});
            step(&s, 0);
            set_velocity(&s, cases[i].x, cases[i].y);
            step(&s, 0);
            assert_int_equal(where(&s), sign < 0);
            end(&s);
        }
    }
}

static void poses_are_near_by_what_it_looks_like(void **state)
{
    (void)state;
    const wr_pose_key keys[] = {{STAND, 1}, {CROUCH, 0}};
    const wr_condition near[] = {{.fact = WR_FACT_NEAR, .example = CROUCH, .most = 0.5}};
    const wr_transition t[] = {{1, WHEN(near)}};
    stage s = begin_pair(behave("first", WHEN(keys), false), WHEN(t));
    wr_sprite_point before = {0};
    while (where(&s) == 0 && wr_actor_get_facts(s.actor).time < 2) {
        before = facts_of(&s).projected;
        step(&s, 0);
    }
    CHECK_NEAR(share_of(before, CROUCH), 0.5, 0.02);
    end(&s);
}

static void it_knows_where_it_faces_and_when_it_is_hit(void **state)
{
    (void)state;
    stage s = begin_condition((wr_condition){.fact = WR_FACT_FACES_RIGHT, .no = true});
    step(&s, 0);
    step(&s, 0);
    assert_int_equal(where(&s), 0);
    wr_sprite_flip(s.world, s.sprite);
    step(&s, 0);
    assert_int_equal(where(&s), 1);
    end(&s);
    for (int k = 0; k < 3; k++) {
        const wr_fact facts[] = {WR_FACT_HIT, WR_FACT_TOUCHING, WR_FACT_ON_GROUND};
        s = begin_condition((wr_condition){.fact = facts[k], .least = 0.5, .most = 1e9});
        step(&s, 0);
        assert_int_equal(where(&s), 0);
        set_velocity(&s, 0.0f, -8.0f);
        run(&s, 0, 0.5);
        assert_int_equal(where(&s), 0);
        run(&s, 0, 0.2); // 5 m further down there is ground; without gravity nothing is on it
        assert_int_equal(where(&s), k < 2);
        end(&s);
    }
}

// --- paths ------------------------------------------------------------------------------------

static void check_q(const stage *s, int example, float share)
{
    CHECK_NEAR(share_of(facts_of(s).equilibrium, example), share, 1e-3);
}

static void a_path_is_at_its_keys_at_their_times(void **state)
{
    (void)state;
    wr_behaviour b[1] = {behave("walk", WHEN(WALKING), true)};
    wr_controller_desc desc = describe(b, 1);
    stage s = begin(&desc, 0.0f);
    const struct {
        int step, example;
        float share;
    } expected[] = {{0, STAND, 1},           {12, STAND, 0.5f},    {24, STRIDE_A, 1},
                    {60, PASS, 1},           {72, STRIDE_B, 0.5f}, {84, STRIDE_B, 1},
                    {102, STAND, 0.5f},      {120, STAND, 1},      {144, STRIDE_A, 1},
                    {1200 + 84, STRIDE_B, 1}};
    int steps = -1;
    for (int i = 0; i < WRI_COUNT(expected); i++) {
        while (steps < expected[i].step) {
            step(&s, 0);
            steps++;
        }
        check_q(&s, expected[i].example, expected[i].share);
    }
    assert_false(wr_actor_get_facts(s.actor).done);
    for (int i = 0; i < 6; i++) { // asked for any time, it goes round and round
        double time = 0.013 + 0.08 * i, round = 0.5 * (i + 3);
        wr_sprite_point first = wr_controller_path_point(s.controller, 0, time);
        wr_sprite_point later = wr_controller_path_point(s.controller, 0, time + round);
        assert_int_equal(first.simplex, later.simplex);
        CHECK_NEAR(first.shares[0], later.shares[0], 1e-4);
    }
    end(&s);
}

// Each particle once, of all that behaviours hold when they are entered or left.
static void nails_are_counted_once_on_entering_and_leaving(void **state)
{
    (void)state;
    static const int hands[] = {4, 9}, feet[] = {9, 2, 7}, tail[] = {4};
    wr_behaviour b[3] = {wr_behaviour_default(), wr_behaviour_default(), wr_behaviour_default()};
    b[0].enter = (wr_effect){.nails = hands, .nail_count = 2};
    b[1].leave = (wr_effect){.nails = feet, .nail_count = 3};
    b[2].enter = b[2].leave = (wr_effect){.nails = tail, .nail_count = 1};
    wr_controller_desc desc = wr_controller_desc_default();
    desc.behaviours = b;
    desc.behaviour_count = 3;
    int found[WR_SPRITE_NAILS_MAX];
    static const int expected[] = {4, 9, 2, 7};
    assert_int_equal(wri_controller_find_nails(&desc, found), 4);
    assert_memory_equal(found, expected, sizeof expected);
}

static void a_path_that_does_not_loop_stays_at_its_end_and_is_done(void **state)
{
    (void)state;
    const wr_pose_key keys[] = {{STAND, 0.1}, {CROUCH, 0.05}};
    const wr_condition done[] = {{.fact = WR_FACT_DONE}};
    const wr_transition t[] = {{1, WHEN(done)}};
    stage s = begin_pair(behave("first", WHEN(keys), false), WHEN(t));
    for (int i = 0; i < 36; i++) {
        step(&s, 0);
        assert_int_equal(where(&s), 0);
    }
    check_q(&s, CROUCH, 1.0f);
    step(&s, 0);
    assert_int_equal(where(&s), 1);
    end(&s);
}

static void rate_and_buttons_say_how_fast_a_path_goes(void **state)
{
    (void)state;
    wr_behaviour b[1] = {behave("walk", WHEN(WALKING), true)};
    b[0].rate = 2.0f;
    b[0].only_while = B_DOWN;
    wr_controller_desc desc = describe(b, 1);
    stage s = begin(&desc, 0.0f);
    run(&s, 0, 0.3);
    check_q(&s, STAND, 1.0f);
    run(&s, B_DOWN, 0.05);
    check_q(&s, STRIDE_A, 1.0f);
    run(&s, 0, 0.3);
    check_q(&s, STRIDE_A, 1.0f);
    end(&s);
}

static void a_stride_goes_by_the_way_travelled(void **state)
{
    (void)state;
    wr_behaviour b[1] = {behave("walk", WHEN(WALKING), true)};
    b[0].path.stride = 2.0f; // once round, 0.5 s of keys, in 2 m
    wr_controller_desc desc = describe(b, 1);
    for (int sign = -1; sign <= 1; sign += 2) {
        stage s = begin(&desc, 0.0f);
        step(&s, 0);
        set_velocity(&s, 0.8f * (float)sign, 0.0f);
        run(&s, 0, 0.5); // 0.4 m: 0.1 s along the path, or backwards from its end
        CHECK_NEAR(wr_actor_get_facts(s.actor).phase, sign > 0 ? 0.1 : 0.4, 1e-3);
        wr_sprite_flip(s.world, s.sprite);
        run(&s, 0, 0.5);
        CHECK_NEAR(fmod(wr_actor_get_facts(s.actor).phase + 0.25, 0.5), 0.25, 1e-3);
        end(&s);
    }
}

static void a_path_begins_anew_when_it_is_entered_again(void **state)
{
    (void)state;
    const wr_pose_key rising[] = {{CROUCH, 1}, {STAND, 0}};
    const wr_condition held[] = {{.fact = WR_FACT_DOWN, .buttons = B_DOWN}};
    const wr_condition up[] = {{.fact = WR_FACT_DOWN, .no = true, .buttons = B_DOWN}};
    const wr_transition there[] = {{1, WHEN(held)}}, back[] = {{0, WHEN(up)}};
    wr_behaviour b[2] = {behave("walk", WHEN(WALKING), true), behave("rise", WHEN(rising), false)};
    b[0].transitions = there;
    b[1].transitions = back;
    b[0].transition_count = b[1].transition_count = 1;
    wr_controller_desc desc = describe(b, 2);
    stage s = begin(&desc, 0.0f);
    run(&s, 0, 0.2);
    run(&s, B_DOWN, 0.1);
    step(&s, 0);
    check_q(&s, STAND, 1.0f);
    for (int i = 0; i < 24; i++) {
        step(&s, 0);
    }
    check_q(&s, STRIDE_A, 1.0f);
    end(&s);
}

static void a_blend_leads_from_the_pose_before(void **state)
{
    (void)state;
    const wr_condition jump[] = {{.fact = WR_FACT_DOWN, .buttons = B_JUMP}};
    const wr_transition t[] = {{1, WHEN(jump)}};
    wr_behaviour b[2] = {behave("first", WHEN(STANDING), false),
                         behave("second", WHEN(CROUCHING), false)};
    b[0].transitions = t;
    b[0].transition_count = 1;
    b[1].blend = 0.1f;
    wr_controller_desc desc = describe(b, 2);
    stage s = begin(&desc, 0.0f);
    step(&s, 0);
    step(&s, B_JUMP);
    check_q(&s, CROUCH, 0.0f);
    for (int i = 0; i < 12; i++) {
        step(&s, 0);
    }
    check_q(&s, CROUCH, 0.5f);
    run(&s, 0, 0.05);
    check_q(&s, CROUCH, 1.0f);
    end(&s);
}

// --- what behaviours do -----------------------------------------------------------------------

static bool same_parameters(const wr_sprite_parameters *a, const wr_sprite_parameters *b)
{
    return a->firmness == b->firmness && a->hold == b->hold && a->rounds == b->rounds &&
           a->wobble == b->wobble && a->settle == b->settle && a->give == b->give &&
           a->give_from == b->give_from && a->give_way == b->give_way &&
           a->give_example == b->give_example && a->stretch == b->stretch &&
           a->stretch_example == b->stretch_example && a->bounce == b->bounce &&
           a->release == b->release && a->aim == b->aim && a->angle == b->angle &&
           a->smooth == b->smooth && a->aim_strength == b->aim_strength && a->drag == b->drag &&
           a->drag_of_example == b->drag_of_example && a->friction == b->friction &&
           a->gravity == b->gravity;
}

static const wr_setting ALL_SETTINGS[] = {
    {"firmness", 0.31},     {"hold", 0.32},
    {"rounds", 3},          {"wobble", 0.33},
    {"settle", 0.34},       {"give", 0.35},
    {"give_from", 0.36},    {"give_way", WR_SPRITE_ENERGY_EXAMPLE},
    {"give_example", 4},    {"stretch", 0.37},
    {"stretch_example", 2}, {"bounce", 0.38},
    {"release", 0.39},      {"aim", WR_SPRITE_AIM_VELOCITY},
    {"angle", 90},          {"turn", 1},
    {"aim_strength", 0.42}, {"drag", 0.43},
    {"friction", 0.44},     {"gravity", 0.45},
};

static void what_a_behaviour_sets_is_undone_when_it_is_left(void **state)
{
    (void)state;
    const float drags[WALKER_E] = {1, 2, 3, 4, 5, 6};
    const wr_condition held[] = {{.fact = WR_FACT_DOWN, .buttons = B_DOWN}};
    const wr_condition up[] = {{.fact = WR_FACT_DOWN, .no = true, .buttons = B_DOWN}};
    const wr_transition there[] = {{1, WHEN(held)}}, back[] = {{0, WHEN(up)}};
    wr_behaviour b[2] = {behave("first", WHEN(STANDING), false),
                         behave("second", WHEN(CROUCHING), false)};
    b[0].transitions = there;
    b[1].transitions = back;
    b[0].transition_count = b[1].transition_count = 1;
    b[1].settings = ALL_SETTINGS;
    b[1].setting_count = WRI_COUNT(ALL_SETTINGS);
    b[1].drag_of_example = drags;
    wr_controller_desc desc = describe(b, 2);
    stage s = begin(&desc, 0.0f);
    step(&s, 0);
    const wr_sprite_parameters base = *wr_sprite_get_parameters(s.world, s.sprite);
    step(&s, B_DOWN);
    const wr_sprite_parameters p = *wr_sprite_get_parameters(s.world, s.sprite);
    const wr_sprite_parameters wanted = {0.31f,
                                         0.32f,
                                         3,
                                         0.33f,
                                         0.34f,
                                         0.35f,
                                         0.36f,
                                         WR_SPRITE_ENERGY_EXAMPLE,
                                         4,
                                         0.37f,
                                         2,
                                         0.38f,
                                         0.39f,
                                         WR_SPRITE_AIM_VELOCITY,
                                         0.5f * WR_PI,
                                         false,
                                         0.42f,
                                         0.43f,
                                         p.drag_of_example,
                                         0.44f,
                                         0.45f};
    assert_true(same_parameters(&p, &wanted));
    assert_memory_equal(p.drag_of_example, drags, sizeof drags);
    step(&s, 0);
    assert_true(same_parameters(wr_sprite_get_parameters(s.world, s.sprite), &base));
    end(&s);
}

static stage begin_effect(wr_effect enter, wr_effect leave)
{
    const wr_condition jump[] = {{.fact = WR_FACT_DOWN, .buttons = B_JUMP}};
    const wr_transition t[] = {{1, WHEN(jump)}};
    wr_behaviour b[2] = {behave("first", WHEN(STANDING), false),
                         behave("second", WHEN(STANDING), false)};
    b[0].transitions = t;
    b[0].transition_count = 1;
    b[0].leave = leave;
    b[1].enter = enter;
    wr_controller_desc desc = describe(b, 2);
    stage s = begin(&desc, 0.0f);
    step(&s, 0);
    return s;
}

static void entering_and_leaving_change_the_velocity_once(void **state)
{
    (void)state;
    stage s = begin_effect((wr_effect){.kick = {2, 3}}, (wr_effect){.brake = 0.5f});
    set_velocity(&s, 4.0f, -2.0f);
    run(&s, B_JUMP, 0.1);
    CHECK_NEAR(facts_of(&s).velocity.x, 4, 1e-4);
    CHECK_NEAR(facts_of(&s).velocity.y, 2, 1e-4);
    end(&s);
    // Facing left, forward is to the left.
    s = begin_effect((wr_effect){.kick = {2, 0}}, (wr_effect){.flip = true});
    step(&s, B_JUMP);
    CHECK_NEAR(facts_of(&s).velocity.x, -2, 1e-4);
    assert_true(facts_of(&s).flipped);
    end(&s);
}

static void a_jump_stops_falling_first_and_keeps_rising(void **state)
{
    (void)state;
    double speed = sqrt(2 * 9.81 * 1.5);
    for (int sign = -1; sign <= 1; sign++) {
        stage s = begin_effect((wr_effect){.jump = 1.5f}, (wr_effect){0});
        set_velocity(&s, 1.0f, 2.0f * (float)sign);
        step(&s, B_JUMP);
        CHECK_NEAR(facts_of(&s).velocity.y, speed + (sign > 0 ? 2 : 0), 1e-4);
        CHECK_NEAR(facts_of(&s).velocity.x, 1, 1e-4);
        end(&s);
    }
}

static void a_forward_roll_turns_the_way_it_faces(void **state)
{
    (void)state;
    for (int flipped = 0; flipped < 2; flipped++) {
        stage s = begin_effect((wr_effect){.angular_velocity = 3}, (wr_effect){0});
        wr_sprite_parameters p = *wr_sprite_get_parameters(s.world, s.sprite);
        if (flipped) {
            wr_sprite_flip(s.world, s.sprite);
        }
        wr_actor_step(s.actor, B_JUMP, DT);
        CHECK_NEAR(facts_of(&s).angular_velocity, flipped ? 3 : -3, 1e-3);
        assert_int_equal(p.aim, WR_SPRITE_AIM_ANGLE);
        end(&s);
    }
}

static void pushes_last_while_their_button_is_held(void **state)
{
    (void)state;
    const wr_push_while pushes[] = {{B_JUMP, {0, 0.5f}, 1.0f}, {B_DOWN, {-0.1f, 0}, 0.0f}};
    wr_behaviour b[1] = {behave("float", WHEN(STANDING), false)};
    b[0].pushes = pushes;
    b[0].push_count = WRI_COUNT(pushes);
    wr_controller_desc desc = describe(b, 1);
    stage s = begin(&desc, 0.0f);
    run(&s, B_JUMP, 0.1);
    CHECK_NEAR(facts_of(&s).velocity.y, 0.5 * 9.81 * 0.1, 1e-4);
    run(&s, 0, 0.1);
    CHECK_NEAR(facts_of(&s).velocity.y, 0.5 * 9.81 * 0.1, 1e-4);
    run(&s, B_JUMP | B_DOWN, 1.0);
    CHECK_NEAR(facts_of(&s).velocity.y, 1.0, 1e-4); // no faster than that
    CHECK_NEAR(facts_of(&s).velocity.x, -0.981, 1e-3);
    end(&s);
}

static void steering_speeds_up_and_never_slows_down(void **state)
{
    (void)state;
    wr_behaviour b[1] = {behave("fall", WHEN(STANDING), false)};
    b[0].walk = 1.0f;
    b[0].grip = 0.2f;
    b[0].steer = true;
    wr_controller_desc desc = describe(b, 1);
    stage s = begin(&desc, 0.0f);
    run(&s, B_RIGHT, 0.25);
    CHECK_NEAR(facts_of(&s).velocity.x, 0.2 * 9.81 * 0.25, 1e-3);
    run(&s, B_RIGHT, 1.0);
    CHECK_NEAR(facts_of(&s).velocity.x, 1, 1e-3);
    run(&s, B_RIGHT | B_LEFT, 1.0);
    CHECK_NEAR(facts_of(&s).velocity.x, 1, 1e-3);
    set_velocity(&s, 3.0f, 0.0f);
    run(&s, B_RIGHT, 0.5);
    CHECK_NEAR(facts_of(&s).velocity.x, 3, 1e-3);
    run(&s, B_LEFT, 0.5);
    CHECK_NEAR(facts_of(&s).velocity.x, 3 - 0.2 * 9.81 * 0.5, 1e-3);
    end(&s);
}

static void it_looks_where_it_is_told(void **state)
{
    (void)state;
    wr_behaviour b[1] = {behave("float", WHEN(STANDING), false)};
    b[0].face = WR_FACE_VELOCITY;
    for (int drawn_left = 0; drawn_left < 2; drawn_left++) {
        wr_controller_desc desc = describe(b, 1);
        desc.faces_left = drawn_left;
        stage s = begin(&desc, 0.0f);
        step(&s, 0);
        assert_int_equal(wr_actor_get_facts(s.actor).faces_right, !drawn_left);
        set_velocity(&s, -1.0f, 0.0f);
        step(&s, 0);
        assert_false(wr_actor_get_facts(s.actor).faces_right);
        assert_int_equal(facts_of(&s).flipped, !drawn_left);
        set_velocity(&s, 0.1f, 0.0f); // too slow to say
        step(&s, 0);
        assert_false(wr_actor_get_facts(s.actor).faces_right);
        set_velocity(&s, 0.3f, 0.0f);
        step(&s, 0);
        assert_true(wr_actor_get_facts(s.actor).faces_right);
        end(&s);
    }
}

// --- the hero ---------------------------------------------------------------------------------

// 1.5 sizes per second: within each second, and over all of them.
static void it_walks_at_a_steady_speed_for_a_minute_and_stays_upright(void **state)
{
    (void)state;
    wr_controller_desc desc = describe(hero(), HERO);
    for (int side = 0; side < 2; side++) {
        stage s = begin(&desc, 9.81f);
        run(&s, 0, 0.5);
        run(&s, side ? B_LEFT : B_RIGHT, 1.0);
        float begin_x = facts_of(&s).center.x, last_x = begin_x, sign = side ? -1.0f : 1.0f;
        for (int second = 0; second < (side ? 10 : 60); second++) {
            for (int i = 0; i < 240; i++) {
                step(&s, side ? B_LEFT : B_RIGHT);
                wr_sprite_facts facts = facts_of(&s);
                assert_int_equal(where(&s), H_WALK);
                CHECK_NEAR(facts.angle, 0, 0.2);
                CHECK_NEAR(facts.center.y, 0.57, 0.08);
                assert_int_equal(facts.flipped, side);
            }
            float x = facts_of(&s).center.x;
            CHECK_NEAR(sign * (x - last_x), 1.5, 0.1);
            last_x = x;
        }
        CHECK_NEAR(sign * (last_x - begin_x) / (side ? 10 : 60), 1.45, 0.05);
        end(&s);
    }
}

static void it_jumps_as_high_as_said_and_only_from_the_ground(void **state)
{
    (void)state;
    wr_controller_desc desc = describe(hero(), HERO);
    stage s = begin(&desc, 9.81f);
    run(&s, 0, 1.0);
    float rest = facts_of(&s).center.y, top = 0.0f;
    run(&s, B_JUMP, 0.05);
    int64_t jumps = 0;
    bool was = false;
    for (int i = 0; i < 240; i++) { // hammering the button does not help in the air
        bool air = !facts_of(&s).on_ground;
        int before = where(&s);
        step(&s, i % 20 < 4 && i < 150 ? B_JUMP : 0);
        top = fmaxf(top, facts_of(&s).center.y);
        jumps += where(&s) == H_JUMP && !was;
        was = where(&s) == H_JUMP;
        assert_false(air && where(&s) == H_CROUCH && before != H_CROUCH);
    }
    assert_int_equal(jumps, 1);
    CHECK_NEAR(top - rest, 1.0, 0.12); // from the crouch
    end(&s);
}

static void it_faces_where_it_goes_and_goes_where_it_is_pointed(void **state)
{
    (void)state;
    wr_controller_desc desc = describe(hero(), HERO);
    stage s = begin(&desc, 9.81f);
    run(&s, 0, 0.5);
    for (int k = 0; k < 6; k++) {
        bool left = k % 2;
        run(&s, left ? B_LEFT : B_RIGHT, 0.7);
        assert_int_equal(wr_actor_get_facts(s.actor).faces_right, !left);
        CHECK_NEAR(facts_of(&s).velocity.x, left ? -1.5 : 1.5, 0.5);
    }
    run(&s, 0, 1.0);
    assert_int_equal(where(&s), H_STAND);
    CHECK_NEAR(facts_of(&s).velocity.x, 0, 0.1); // rocks a little
    end(&s);
}

// --- the same again ---------------------------------------------------------------------------

static uint32_t random_buttons(uint64_t *seed, uint32_t down)
{
    uint64_t bits = random_bits(seed) >> 20;
    return bits % 20 == 0 ? (uint32_t)(bits >> 8) & 15u : down;
}

static uint64_t hash_of(const stage *s)
{
    return wr_sprite_hash(s->world, s->sprite) ^ 3 * wr_actor_hash(s->actor);
}

static void a_play_repeats_bit_for_bit_also_from_the_middle(void **state)
{
    (void)state;
    enum { STEPS = 2400, MIDDLE = 1000 };
    static uint64_t first[STEPS];
    uint8_t sprite[16384], actor[2048];
    wr_controller_desc desc = describe(hero(), HERO);
    int changes = 0;
    for (int round = 0; round < 3; round++) {
        stage s = begin(&desc, 9.81f);
        size_t sprite_size = wr_sprite_save_size(s.world, s.sprite);
        size_t actor_size = wr_actor_save_size(s.actor);
        assert_true(sprite_size <= sizeof sprite && actor_size <= sizeof actor);
        uint64_t seed = 5;
        uint32_t down = 0;
        for (int i = 0; i < STEPS; i++) {
            down = random_buttons(&seed, down);
            if (round == 2 && i < MIDDLE) {
                continue;
            }
            if (round == 1 && i == MIDDLE) {
                wr_sprite_save(s.world, s.sprite, sprite);
                wr_actor_save(s.actor, actor);
            }
            if (round == 2 && i == MIDDLE) {
                assert_true(wr_sprite_restore(s.world, s.sprite, sprite, sprite_size, NULL));
                assert_true(wr_actor_restore(s.actor, actor, actor_size, NULL));
            }
            step(&s, down);
            first[i] = round == 0 ? hash_of(&s) : first[i];
            assert_int_equal(hash_of(&s), first[i]);
        }
        changes = (int)wr_actor_get_facts(s.actor).changes;
        end(&s);
    }
    assert_true(changes > 20);
}

// --- nails ------------------------------------------------------------------------------------

enum { N_FLY, N_HANG, N_DROP, GRIPPER };

// Flies, hangs by its nose from a quarter of a second on, and drops when a button is pressed.
static wr_controller_desc describe_gripper(wr_behaviour *list, int *tip)
{
    static const wr_condition later[] = {{.fact = WR_FACT_TIME, .least = 0.25, .most = 1e9}};
    static const wr_condition pressed[] = {{.fact = WR_FACT_PRESSED, .buttons = B_JUMP}};
    static const wr_transition grip[] = {{N_HANG, WHEN(later)}};
    static const wr_transition drop[] = {{N_DROP, WHEN(pressed)}};
    *tip = walker_tip(&drawing);
    list[N_FLY] = behave("fly", WHEN(STANDING), false);
    list[N_FLY].transitions = grip;
    list[N_FLY].transition_count = 1;
    list[N_HANG] = behave("hang", WHEN(STANDING), false);
    list[N_HANG].enter = (wr_effect){.nails = tip, .nail_count = 1};
    list[N_HANG].leave = (wr_effect){.releases = tip, .release_count = 1};
    list[N_HANG].transitions = drop;
    list[N_HANG].transition_count = 1;
    list[N_DROP] = behave("drop", WHEN(STANDING), false);
    return describe(list, GRIPPER);
}

static stage begin_gripper(void)
{
    wr_behaviour list[GRIPPER];
    int tip;
    wr_controller_desc desc = describe_gripper(list, &tip);
    stage s = begin(&desc, 9.81f);
    tip = -1; // the controller has a copy
    wr_sprite_add_velocity(s.world, s.sprite, (wr_vec2){1.0f, 6.0f}, 0.0f);
    return s;
}

static void a_behaviour_holds_what_it_grips_until_it_lets_go(void **state)
{
    (void)state;
    stage s = begin_gripper();
    int tip = walker_tip(&drawing);
    run(&s, 0, 0.25);
    wr_vec2 before = wr_sprite_positions(s.world, s.sprite)[tip];
    step(&s, 0);
    assert_int_equal(where(&s), N_HANG);
    wr_vec2 place = wr_sprite_positions(s.world, s.sprite)[tip];
    assert_true(place.x == before.x && place.y == before.y); // where it was when it gripped
    assert_true(place.y > 1.0f);
    for (int i = 0; i < 480; i++) {
        step(&s, 0);
        wr_vec2 now = wr_sprite_positions(s.world, s.sprite)[tip];
        CHECK_NEAR(now.x, place.x, 1e-5);
        CHECK_NEAR(now.y, place.y, 1e-5);
    }
    assert_false(facts_of(&s).on_ground);
    assert_true(hypotf(facts_of(&s).center.x - place.x, facts_of(&s).center.y - place.y) < 1.0f);
    run(&s, B_JUMP, 1.5);
    assert_int_equal(where(&s), N_DROP);
    assert_true(facts_of(&s).on_ground);
    assert_true(wr_sprite_positions(s.world, s.sprite)[tip].y < place.y - 0.3f);
    end(&s);
}

static void a_grip_is_saved_with_the_sprite(void **state)
{
    (void)state;
    stage s = begin_gripper(), again = begin_gripper();
    run(&s, 0, 0.6);
    size_t sprite_size = wr_sprite_save_size(s.world, 0), actor_size = wr_actor_save_size(s.actor);
    void *sprite = malloc(sprite_size), *actor = malloc(actor_size);
    wr_sprite_save(s.world, 0, sprite);
    wr_actor_save(s.actor, actor);
    assert_true(wr_sprite_restore(again.world, 0, sprite, sprite_size, NULL));
    assert_true(wr_actor_restore(again.actor, actor, actor_size, NULL));
    for (int i = 0; i < 400; i++) { // hangs, lets go, lands
        uint32_t down = i > 120 ? B_JUMP : 0;
        step(&s, down);
        step(&again, down);
        assert_true(wr_sprite_hash(s.world, 0) == wr_sprite_hash(again.world, 0));
        assert_true(wr_actor_hash(s.actor) == wr_actor_hash(again.actor));
    }
    assert_int_equal(where(&again), N_DROP);
    free(sprite);
    free(actor);
    end(&s);
    end(&again);
}

static void there_must_be_room_for_what_is_held(void **state)
{
    (void)state;
    wr_behaviour list[GRIPPER];
    int tip, many[WR_SPRITE_NAILS_MAX + 1];
    wr_controller_desc desc = describe_gripper(list, &tip);
    wr_error error = {0};
    tip = WALKER_N;
    assert_null(wr_controller_create(asset, &desc, &error));
    assert_string_equal(error.message, "behaviour \"hang\": particle 75 is held, there are 75");
    tip = -1;
    list[N_HANG].enter.nail_count = 0;
    assert_null(wr_controller_create(asset, &desc, &error));
    assert_string_equal(error.message, "behaviour \"hang\": particle -1 is released, there are 75");
    tip = 0;
    for (int i = 0; i <= WR_SPRITE_NAILS_MAX; i++) {
        many[i] = i;
    }
    list[N_DROP].enter = (wr_effect){.nails = many, .nail_count = WR_SPRITE_NAILS_MAX + 1};
    assert_null(wr_controller_create(asset, &desc, &error));
    assert_string_equal(error.message, "behaviours hold more than 32 particles, the most nails of "
                                       "a sprite");
    list[N_DROP].enter.nail_count--;
    stage s = begin(&desc, 9.81f);
    wr_actor_destroy(s.actor);
    wr_vec2 place = wr_sprite_positions(s.world, 0)[0];
    assert_true(wr_sprite_set_nail(s.world, 0, 0, place, &error)); // one of them
    s.actor = wr_actor_create(s.controller, s.world, 0, NULL, &error);
    assert_non_null(s.actor);
    wr_actor_destroy(s.actor);
    assert_true(wr_sprite_set_nail(s.world, 0, WR_SPRITE_NAILS_MAX, place, &error));
    s.actor = wr_actor_create(s.controller, s.world, 0, NULL, &error);
    assert_null(s.actor);
    assert_string_equal(error.message, "2 nails and 32 particles that behaviours hold, expected at "
                                       "most 32 together");
    end(&s);
}

// In the middle of a behaviour that changes the drag of examples, which no sprite saves.
static void restoring_sets_what_the_behaviour_sets(void **state)
{
    (void)state;
    const float drags[WALKER_E] = {1, 2, 3, 4, 5, 6};
    const wr_setting drag[] = {{"drag", 2}};
    const wr_condition held[] = {{.fact = WR_FACT_DOWN, .buttons = B_DOWN}};
    const wr_transition there[] = {{1, WHEN(held)}};
    wr_behaviour b[2] = {behave("first", WHEN(STANDING), false),
                         behave("second", WHEN(CROUCHING), false)};
    b[0].transitions = there;
    b[0].transition_count = 1;
    b[1].settings = drag;
    b[1].setting_count = 1;
    b[1].drag_of_example = drags;
    wr_controller_desc desc = describe(b, 2);
    uint8_t sprite[16384], actor[2048];
    stage s = begin(&desc, 9.81f), again = begin(&desc, 9.81f);
    run(&s, B_DOWN, 0.1);
    wr_sprite_save(s.world, s.sprite, sprite);
    wr_actor_save(s.actor, actor);
    assert_true(wr_sprite_restore(again.world, 0, sprite, wr_sprite_save_size(s.world, 0), NULL));
    assert_true(wr_actor_restore(again.actor, actor, wr_actor_save_size(s.actor), NULL));
    run(&s, 0, 0.5);
    run(&again, 0, 0.5);
    assert_int_equal(hash_of(&s), hash_of(&again));
    end(&s);
    end(&again);
}

static void snapshots_of_something_else_are_refused(void **state)
{
    (void)state;
    wr_controller_desc desc = describe(hero(), HERO), other = describe(hero(), 2);
    const wr_transition none[] = {{1, WHEN(IF_POINTED)}};
    wr_behaviour two[2] = {behave("a", WHEN(STANDING), false), behave("b", WHEN(STANDING), false)};
    two[0].transitions = none;
    two[0].transition_count = 1;
    other.behaviours = two;
    stage s = begin(&desc, 9.81f), t = begin(&other, 9.81f);
    run(&s, B_RIGHT, 0.1);
    uint8_t bytes[2048];
    size_t size = wr_actor_save_size(s.actor);
    wr_error error = {0};
    wr_actor_save(s.actor, bytes);
    uint64_t before = wr_actor_hash(s.actor);
    assert_false(wr_actor_restore(t.actor, bytes, size, &error));
    assert_string_equal(error.message, "snapshot: of another controller");
    assert_false(wr_actor_restore(s.actor, bytes, size - 1, &error));
    assert_non_null(strstr(error.message, "bytes of an actor"));
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 1;
        assert_false(wr_actor_restore(s.actor, bytes, size, &error));
        bytes[i] ^= 1;
    }
    assert_int_equal(wr_actor_hash(s.actor), before);
    end(&s);
    end(&t);
}

static void a_step_touches_no_heap_and_every_allocation_may_fail(void **state)
{
    (void)state;
    for (int budget = 0;; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_controller_desc desc = describe(hero(), HERO);
        stage s = begin(&desc, 9.81f);
        desc.allocator = &allocator;
        wr_error error = {0};
        wr_controller *controller = wr_controller_create(asset, &desc, &error);
        wr_actor *actor =
            controller ? wr_actor_create(controller, s.world, 0, &allocator, &error) : NULL;
        int calls = heap.calls;
        for (int i = 0; actor && i < 50; i++) {
            wr_actor_step(actor, i % 3 ? B_JUMP : B_LEFT, DT);
        }
        assert_int_equal(heap.calls, calls);
        assert_true(actor || error.code == WR_E_MEMORY);
        wr_actor_destroy(actor);
        wr_controller_destroy(controller);
        end(&s);
        assert_int_equal(heap.alive, 0);
        if (actor) {
            assert_true(budget > 1);
            return;
        }
    }
}

// --- what cannot be ---------------------------------------------------------------------------

static void expect_error(const wr_controller_desc *desc, const char *sentence)
{
    wr_error error = {0};
    wr_controller *controller = wr_controller_create(asset, desc, &error);
    if (controller) {
        wr_controller_destroy(controller);
        fail_msg("expected: %s", sentence);
    }
    assert_string_equal(error.message, sentence);
    assert_int_equal(error.code, WR_E_ARGUMENT);
}

// One behaviour "a" with a single change.
static void expect_in_behaviour(wr_behaviour b, const char *sentence)
{
    wr_controller_desc desc = describe(&b, 1);
    expect_error(&desc, sentence);
}

static wr_behaviour plain(void)
{
    return behave("a", WHEN(STANDING), false);
}

static void expect_in_path(const wr_pose_key *keys, int count, bool loop, float stride,
                           const char *sentence)
{
    wr_behaviour b = behave("a", keys, count, loop);
    b.path.stride = stride;
    expect_in_behaviour(b, sentence);
}

static void expect_in_condition(wr_condition condition, bool loop, const char *sentence)
{
    const wr_transition t[] = {{0, &condition, 1}};
    wr_behaviour b = loop ? behave("a", WHEN(WALKING), true) : plain();
    b.transitions = t;
    b.transition_count = 1;
    expect_in_behaviour(b, sentence);
}

static void paths_that_lead_nowhere_are_refused(void **state)
{
    (void)state;
    const wr_pose_key past[] = {{STAND, 1}, {WALKER_E, 0}}, negative[] = {{STAND, -1}};
    const wr_pose_key apart[] = {{STAND, 1}, {ALONE, 0}}, two[] = {{STAND, 0}, {CROUCH, 0}};
    expect_in_path(STANDING, 0, false, 0, "behaviour \"a\": needs a pose or a path");
    expect_in_path(STANDING, 300, false, 0, "behaviour \"a\": 300 keys, not in [0, 256]");
    expect_in_path(WHEN(past), false, 0, "behaviour \"a\": example 6, there are 6");
    expect_in_path(WHEN(negative), false, 0, "behaviour \"a\": key time -1, not in [0, 86400]");
    expect_in_path(WHEN(apart), false, 0,
                   "behaviour \"a\": no way in the manifold from the pose \"stand\" to \"alone\"");
    expect_in_path(WHEN(two), true, 0, "behaviour \"a\": its path takes no time");
    expect_in_path(WHEN(two), false, 1, "behaviour \"a\": its path takes no time");
    expect_in_path(WHEN(two), false, -1, "behaviour \"a\": stride -1, not in [0, 1000000]");
}

static void poses_outside_of_the_manifold_are_refused(void **state)
{
    (void)state;
    wr_sprite_asset_desc desc = wr_sprite_asset_desc_default();
    desc.rig = &drawing.rig;
    desc.simplices = WALKER_SIMPLICES;
    desc.simplex_count = 4; // without crouch and alone
    wr_sprite_asset *small = wr_sprite_asset_create(&desc, NULL);
    assert_non_null(small);
    wr_behaviour b = behave("a", WHEN(CROUCHING), false);
    wr_controller_desc controller = describe(&b, 1);
    wr_error error = {0};
    assert_null(wr_controller_create(small, &controller, &error));
    assert_string_equal(error.message,
                        "behaviour \"a\": the pose \"crouch\" is not in the manifold");
    wr_sprite_asset_destroy(small);
}

// Whatever the order of the simplices.
static void ways_through_many_poses_are_found(void **state)
{
    (void)state;
    const wr_simplex chain[] = {{2, {6, 5}}, {2, {4, 3}}, {3, {4, 5, 1}}, {2, {3, 0}}, {1, {2}}};
    int parts[8];
    wri_controller_find_components(WHEN(chain), 8, parts);
    const int expected[8] = {0, 0, 2, 0, 0, 0, 0, -1};
    assert_memory_equal(parts, expected, sizeof parts);
}

static void conditions_that_say_nothing_are_refused(void **state)
{
    (void)state;
    expect_in_condition((wr_condition){.fact = WR_FACT_DOWN}, false,
                        "behaviour \"a\": a condition on no button");
    expect_in_condition((wr_condition){.fact = WR_FACT_PRESSED, .buttons = 1 << BUTTONS}, false,
                        "behaviour \"a\": a button that is not among the 4");
    expect_in_condition((wr_condition){.fact = WR_FACT_PRESSED, .buttons = 1, .most = -1}, false,
                        "behaviour \"a\": within -1, less than nothing");
    expect_in_condition((wr_condition){.fact = WR_FACT_NEAR, .example = 77}, false,
                        "behaviour \"a\": example 77, there are 6");
    expect_in_condition((wr_condition){.fact = WR_FACT_SPEED, .least = 2, .most = 1}, false,
                        "behaviour \"a\": a condition from 2 to 1 never holds");
    expect_in_condition((wr_condition){.fact = WR_FACT_DONE}, true,
                        "behaviour \"a\": its path loops and is never done");
    expect_in_condition((wr_condition){.fact = (wr_fact)99}, false,
                        "behaviour \"a\": an unknown fact 99");
    wr_behaviour b = plain();
    const wr_transition none[] = {{0, IF_JUMP, 0}}, nowhere[] = {{3, WHEN(IF_JUMP)}};
    b.transitions = none;
    b.transition_count = 1;
    expect_in_behaviour(b, "behaviour \"a\": the transition to \"a\" has no condition");
    b.transitions = nowhere;
    expect_in_behaviour(b, "behaviour \"a\": transition 0 leads to behaviour 3, there are 1");
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    wr_behaviour b = plain();
    b.rate = -1;
    expect_in_behaviour(b, "behaviour \"a\": rate -1, not in [0, 1000]");
    b = plain();
    b.blend = NAN;
    expect_in_behaviour(b, "behaviour \"a\": blend nan, not in [0, 86400]");
    b = plain();
    b.walk = 1e9f;
    expect_in_behaviour(b, "behaviour \"a\": walk 1000000000, not in [0, 10000]");
    b = plain();
    b.grip = -2;
    expect_in_behaviour(b, "behaviour \"a\": grip -2, not in [0, 10000]");
    b = plain();
    b.only_while = 1u << 31;
    expect_in_behaviour(b, "behaviour \"a\": a button that is not among the 4");
    b = plain();
    b.enter.brake = 2;
    expect_in_behaviour(b, "behaviour \"a\": brake 2, not in [0, 1]");
    b = plain();
    b.leave.jump = -1;
    expect_in_behaviour(b, "behaviour \"a\": jump -1, not in [0, 10000]");
    b = plain();
    b.enter.kick.y = INFINITY;
    expect_in_behaviour(b, "behaviour \"a\": kick inf, not in [-10000, 10000]");
    b = plain();
    const wr_push_while push[] = {{1, {0, 1}, -1}};
    b.pushes = push;
    b.push_count = 1;
    expect_in_behaviour(b, "behaviour \"a\": push up to -1, not in [0, 10000]");
    b = plain();
    const wr_setting wrong[] = {{"settle", 2}}, strange[] = {{"ring", 1}};
    b.settings = wrong;
    b.setting_count = 1;
    expect_in_behaviour(b, "behaviour \"a\": settle: 2 not in [0, 1]");
    b.settings = strange;
    expect_in_behaviour(b, "behaviour \"a\": setting 0: 1 of the parameter \"ring\"");
    b = plain();
    const float drags[WALKER_E] = {1, 1, -1, 1, 1, 1};
    b.drag_of_example = drags;
    expect_in_behaviour(b, "behaviour \"a\": drag of an example -1, not in [0, 1000000]");
}

static void controllers_that_do_not_hang_together_are_refused(void **state)
{
    (void)state;
    wr_behaviour b[2] = {behave("a", WHEN(STANDING), false), behave("b", WHEN(STANDING), false)};
    wr_controller_desc desc = describe(b, 2);
    expect_error(&desc, "behaviour \"b\": cannot be reached from \"a\"");
    const wr_transition t[] = {{1, WHEN(IF_POINTED)}};
    const wr_pose_key alone[] = {{ALONE, 0}};
    b[0].transitions = t;
    b[0].transition_count = 1;
    b[1].path.keys = alone;
    expect_error(&desc, "behaviour \"b\": no way in the manifold from the pose \"stand\" of \"a\" "
                        "to \"alone\"");
    b[1].path.keys = STANDING;
    b[1].name = "a";
    expect_error(&desc, "behaviour \"a\": is there twice");
    b[1].name = "";
    expect_error(&desc, "behaviours[1]: has no name");
    b[1].name = "b";
    desc.start = 2;
    expect_error(&desc, "start: behaviour 2, there are 2");
    desc.start = 0;
    desc.behaviour_count = 0;
    expect_error(&desc, "behaviour_count: 0, not in [1, 256]");
    desc.behaviour_count = 2;
    desc.button_count = 33;
    expect_error(&desc, "button_count: 33, not in [0, 32]");
    const char *const twice[] = {"x", "x"}, *const empty[] = {"x", ""};
    desc.buttons = twice;
    desc.button_count = 2;
    desc.left = desc.right = -1;
    expect_error(&desc, "buttons[1]: \"x\" is there twice");
    desc.buttons = empty;
    expect_error(&desc, "buttons[1]: has no name");
    desc.button_count = 1;
    desc.left = 1;
    expect_error(&desc, "left 1 or right -1: there are 1 buttons");
    desc.left = -1;
    b[0].transition_count = 0;
    b[0].face = WR_FACE_INPUT;
    desc.behaviour_count = 1;
    expect_error(&desc, "behaviour \"a\": needs the buttons \"left\" and \"right\"");
}

// What fits a sprite of its own depends on the rest of its parameters.
static void a_sprite_that_a_behaviour_does_not_fit_is_refused(void **state)
{
    (void)state;
    const wr_setting paper[] = {{"turn", 1}};
    wr_behaviour b[1] = {plain()};
    b[0].settings = paper;
    b[0].setting_count = 1;
    wr_controller_desc desc = describe(hero(), HERO), other = describe(b, 1);
    stage s = begin(&desc, 9.81f); // smooth, with a strength of 8
    wr_controller *controller = make_controller(&other);
    wr_error error = {0};
    assert_null(wr_actor_create(controller, s.world, 0, NULL, &error));
    assert_string_equal(error.message, "behaviour \"a\": aim_strength: 8 not in [0, 1]");
    wr_controller_destroy(controller);
    end(&s);
}

static void names_are_found(void **state)
{
    (void)state;
    wr_controller_desc desc = describe(hero(), HERO);
    wr_controller *c = make_controller(&desc);
    assert_int_equal(wr_controller_find_behaviour(c, "fall"), H_FALL);
    assert_int_equal(wr_controller_find_behaviour(c, "fly"), -1);
    assert_int_equal(wr_controller_find_button(c, "jump"), JUMP);
    assert_int_equal(wr_controller_find_button(c, "jmup"), -1);
    assert_string_equal(wr_controller_button_name(c, DOWN), "down");
    assert_string_equal(wr_controller_behaviour_name(c, H_WALK), "walk");
    CHECK_NEAR(share_of(wr_controller_path_point(c, H_WALK, 0.25), PASS), 1, 1e-6);
    wr_controller_destroy(c);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_behaviour_holds_what_it_grips_until_it_lets_go),
        TEST(a_grip_is_saved_with_the_sprite),
        TEST(there_must_be_room_for_what_is_held),
        TEST(all_conditions_of_a_transition_must_hold),
        TEST(the_first_transition_that_fires_wins),
        TEST(a_press_is_the_step_in_which_a_button_goes_down),
        TEST(a_press_may_come_a_little_early),
        TEST(a_press_counts_once),
        TEST(a_release_is_the_step_in_which_a_button_comes_up),
        TEST(times_are_met_to_the_step),
        TEST(before_and_after_share_no_step),
        TEST(speeds_are_in_sizes_per_second),
        TEST(poses_are_near_by_what_it_looks_like),
        TEST(it_knows_where_it_faces_and_when_it_is_hit),
        TEST(a_path_is_at_its_keys_at_their_times),
        TEST(nails_are_counted_once_on_entering_and_leaving),
        TEST(a_path_that_does_not_loop_stays_at_its_end_and_is_done),
        TEST(rate_and_buttons_say_how_fast_a_path_goes),
        TEST(a_stride_goes_by_the_way_travelled),
        TEST(a_path_begins_anew_when_it_is_entered_again),
        TEST(a_blend_leads_from_the_pose_before),
        TEST(what_a_behaviour_sets_is_undone_when_it_is_left),
        TEST(entering_and_leaving_change_the_velocity_once),
        TEST(a_jump_stops_falling_first_and_keeps_rising),
        TEST(a_forward_roll_turns_the_way_it_faces),
        TEST(pushes_last_while_their_button_is_held),
        TEST(steering_speeds_up_and_never_slows_down),
        TEST(it_looks_where_it_is_told),
        TEST(it_walks_at_a_steady_speed_for_a_minute_and_stays_upright),
        TEST(it_jumps_as_high_as_said_and_only_from_the_ground),
        TEST(it_faces_where_it_goes_and_goes_where_it_is_pointed),
        TEST(a_play_repeats_bit_for_bit_also_from_the_middle),
        TEST(restoring_sets_what_the_behaviour_sets),
        TEST(snapshots_of_something_else_are_refused),
        TEST(a_step_touches_no_heap_and_every_allocation_may_fail),
        TEST(paths_that_lead_nowhere_are_refused),
        TEST(poses_outside_of_the_manifold_are_refused),
        TEST(ways_through_many_poses_are_found),
        TEST(conditions_that_say_nothing_are_refused),
        TEST(numbers_out_of_range_are_refused),
        TEST(controllers_that_do_not_hang_together_are_refused),
        TEST(a_sprite_that_a_behaviour_does_not_fit_is_refused),
        TEST(names_are_found),
    };
    return cmocka_run_group_tests_name("controller", tests, setup, teardown);
}
