// test_trouble.c: materials that do wrong, and worlds that lack what they need. Only what did wrong
// is frozen, and nothing is lost without a word.
#include "small_world.h"

enum { ROGUES = 2 };

typedef struct rogue {
    wr_ball ball;
    wr_ball_set set;
    int touch_count;
    bool has_push, lacks_memory, is_lost;
    wr_push push;
} rogue;

static rogue rogues[ROGUES]; // "a" and "b"
static size_t state_size;    // that they claim to have
static bool choir_has_push;

static void *refuse(void *user, size_t size)
{
    (void)user;
    (void)size;
    return NULL;
}

static void *rogue_create(const wr_material_desc *desc, wr_error *error)
{
    (void)error;
    rogue *r = &rogues[desc->name[0] - 'a'];
    *r = (rogue){.ball = {.center = desc->pose.position, .radius = 0.1f}};
    r->set = (wr_ball_set){&r->ball, 1, 0.05f, 1};
    return r;
}

static wr_ball_set rogue_balls(void *body, float dt)
{
    (void)dt;
    return ((rogue *)body)->set;
}

static void rogue_advance(void *body, const wr_material_step *step)
{
    rogue *r = body;
    r->touch_count = step->touch_count;
    if (r->has_push) {
        r->has_push = false;
        assert_true(wr_push_add(step->pushes, r->push) != r->lacks_memory);
    }
}

static bool rogue_is_sound(const void *body)
{
    return !((const rogue *)body)->is_lost;
}

static size_t rogue_size(const void *body)
{
    (void)body;
    return state_size;
}

#define ROGUE(word)                                                                                \
    STATELESS(word), .create = rogue_create, .surface = stateless_surface,                         \
                     .is_sound = rogue_is_sound, .size = rogue_size

static const wr_material rogue_material = {
    ROGUE("rogue"),
    .balls = rogue_balls,
    .advance = rogue_advance,
};

static void *choir_create(const wr_ensemble_desc *desc, wr_error *error)
{
    (void)desc;
    (void)error;
    return &choir_has_push;
}

static void choir_step(void *ensemble, const wr_ensemble_step *step)
{
    if (*(bool *)ensemble) {
        assert_true(wr_push_add(step->pushes, (wr_push){.body = 9999}));
    }
}

static const wr_material choir_material = {
    ROGUE("choir"),
    .create_ensemble = choir_create,
    .destroy_ensemble = stateless_destroy,
    .step_ensemble = choir_step,
};

const wr_material *const small_world_materials[] = {&rogue_material, &choir_material, NULL};

#define BODY(name, material, x)                                                                    \
    "{'name': '" name "', 'shape': {'sphere': 0.1}, 'material': '" material "', 'at': [" x         \
    ", 0.05, 0]}"
#define TWO(first, second)                                                                         \
    "'bodies': [" BODY("a", first, "0") ", " BODY("b", second, "3") ", " GROUND "]"

static bool tells_of_freezing(const wr_world *world, int body)
{
    const wr_frame *frame = wr_world_frame(world);
    bool told = false;
    for (int i = 0; i < frame->event_count; i++) {
        told =
            told || (frame->events[i].kind == WR_EVENT_FROZEN && frame->events[i].subject == body);
    }
    return told;
}

static char heard[256]; // the last line of the log

static void listen(void *user, const char *line)
{
    (void)user;
    snprintf(heard, sizeof heard, "%s", line);
}

// Steps a frame in which the log must say that "a" was frozen, and why.
static void expect_reason(wr_world *world, const char *reason)
{
    heard[0] = 0;
    world->log = (wr_log){listen, NULL};
    step_frames(world, 1);
    if (!strstr(heard, "body \"a\" was frozen at ") || !strstr(heard, reason)) {
        fail_msg("the log says \"%s\", expected \"%s\"", heard, reason);
    }
}

static void the_log_says_why_a_body_was_frozen(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        show s = start(i == 2 ? TWO("choir", "rogue") : TWO("rogue", "rogue"));
        step_frames(s.world, 1);
        wr_allocator own = s.world->materials[0].pushes.items.allocator;
        rogues[0].has_push = i == 1 || i == 3;
        choir_has_push = i == 2;
        rogues[0].push.body = i == 1 ? 9999 : 0;
        rogues[0].set.margin = i == 0 ? -1.0f : rogues[0].set.margin;
        s.world->materials[0].pushes.items.allocator.alloc = i == 3 ? refuse : own.alloc;
        rogues[0].lacks_memory = i == 3;
        rogues[0].is_lost = i == 4;
        static const char *const reasons[] = {
            "the balls it touches with", "a body that is not there", "a body that is not there",
            "no memory for its pushes", "its state was no longer a sensible number"};
        expect_reason(s.world, reasons[i]);
        choir_has_push = false;
        s.world->materials[0].pushes.items.allocator = own;
        end(s);
    }
}

static void a_bad_set_of_balls_freezes_only_its_body(void **state)
{
    (void)state;
    const wr_ball ball = {.radius = 0.1f};
    const wr_ball_set bad[] = {{&ball, 1, -1.0f, 1}, {&ball, 1, NAN, 1},    {&ball, 1, INFINITY, 1},
                               {NULL, 1, 0.05f, 1},  {&ball, -1, 0.05f, 1}, {&ball, 1, 0.05f, 1000},
                               {&ball, 1, 0.05f, 0}};
    for (int i = 0; i < WRI_COUNT(bad); i++) {
        show s = start(TWO("rogue", "rogue"));
        step_frames(s.world, 1);
        assert_true(rogues[0].touch_count == 1 && rogues[1].touch_count == 1);
        rogues[0].set = bad[i];
        step_frames(s.world, 1);
        assert_true(tells_of_freezing(s.world, 0) && !tells_of_freezing(s.world, 1));
        assert_int_equal(rogues[1].touch_count, 1);
        assert_true(wr_world_check(s.world, NULL));
        end(s);
    }
}

static void no_balls_are_no_trouble(void **state)
{
    (void)state;
    show s = start(TWO("rogue", "rogue"));
    rogues[0].set = (wr_ball_set){0};
    step_frames(s.world, 2);
    assert_true(!s.world->materials[0].frozen && rogues[0].touch_count == 0);
    assert_int_equal(rogues[1].touch_count, 1);
    end(s);
}

static void a_push_that_is_none_freezes_who_gave_it_until_it_is_restored(void **state)
{
    (void)state;
    const wr_push bad[] = {{.body = 9999},
                           {.body = -1},
                           {.impulse = {NAN, 0, 0}},
                           {.point = {0, INFINITY, 0}},
                           {.rotation = {0, 0, NAN}}};
    for (int i = 0; i < WRI_COUNT(bad); i++) {
        show s = start(TWO("rogue", "rogue"));
        size_t size;
        const void *bytes = wr_world_save(s.world, &size, NULL);
        void *copy = malloc(size);
        assert_true(bytes && copy);
        memcpy(copy, bytes, size);
        rogues[0].has_push = true;
        rogues[0].push = bad[i];
        step_frames(s.world, 1);
        assert_true(tells_of_freezing(s.world, 0) && !tells_of_freezing(s.world, 1));
        assert_true(wr_world_restore(s.world, copy, size, NULL));
        step_frames(s.world, 2);
        assert_false(s.world->materials[0].frozen);
        free(copy);
        end(s);
    }
}

static void an_ensemble_that_lost_a_push_is_frozen_until_it_is_restored(void **state)
{
    (void)state;
    show s =
        start("'bodies': [" BODY("a", "choir", "0") ", " BODY("b", "choir", "3") ", " GROUND "]");
    size_t size;
    const void *bytes = wr_world_save(s.world, &size, NULL);
    void *copy = malloc(size);
    assert_true(bytes && copy);
    memcpy(copy, bytes, size);
    choir_has_push = true;
    step_frames(s.world, 1);
    choir_has_push = false;
    assert_true(tells_of_freezing(s.world, 0) && tells_of_freezing(s.world, 1));
    assert_true(wr_world_restore(s.world, copy, size, NULL));
    step_frames(s.world, 2);
    assert_false(s.world->materials[0].frozen || s.world->materials[1].frozen);
    assert_false(wr_world_is_frozen(s.world, s.world->materials[0].scene_body));
    free(copy);
    end(s);
}

static void an_event_for_which_there_is_no_memory_is_missed(void **state)
{
    (void)state;
    show s = start(TWO("rogue", "choir"));
    wr_allocator own = s.world->events.allocator;
    assert_int_equal(s.world->events.capacity, 0);
    s.world->events.allocator.alloc = refuse;
    rogues[0].set.margin = -1.0f;
    wr_error error = {0};
    step_frames(s.world, 1);
    assert_true(s.world->materials[0].frozen);
    assert_true(wr_world_is_frozen(s.world, s.world->materials[0].scene_body));
    assert_false(wr_world_check(s.world, &error));
    assert_int_equal(error.code, WR_E_MEMORY);
    s.world->events.allocator = own;
    step_frames(s.world, 1);
    assert_true(wr_world_check(s.world, &error)); // the next frame has all of its own
    end(s);
}

static void a_snapshot_that_is_too_large_says_so(void **state)
{
    (void)state;
    if (sizeof(size_t) <= 4) {
        skip();
    }
    show s = start("'frames': 1, " TWO("rogue", "choir"));
    state_size = (size_t)3 << 30;
    wr_error error = {0};
    size_t size;
    step_frames(s.world, 1); // at which it has to forget
    assert_false(wr_world_check(s.world, &error));
    assert_int_equal(error.code, WR_E_LIMIT);
    assert_string_equal(error.message, "snapshot: would have more than 2147483647 bytes");
    error = (wr_error){0};
    assert_null(wr_world_save(s.world, &size, &error));
    assert_int_equal(error.code, WR_E_LIMIT);
    state_size = 0;
    step_frames(s.world, 1);
    assert_true(wr_world_check(s.world, &error));
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_log_says_why_a_body_was_frozen),
        cmocka_unit_test(a_bad_set_of_balls_freezes_only_its_body),
        cmocka_unit_test(no_balls_are_no_trouble),
        cmocka_unit_test(a_push_that_is_none_freezes_who_gave_it_until_it_is_restored),
        cmocka_unit_test(an_ensemble_that_lost_a_push_is_frozen_until_it_is_restored),
        cmocka_unit_test(an_event_for_which_there_is_no_memory_is_missed),
        cmocka_unit_test(a_snapshot_that_is_too_large_says_so),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
