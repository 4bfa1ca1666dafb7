// test_sprite_body.c: what sprites and rigid bodies do to one another, from physics: momentum,
// weight, rest at any ratio of masses. The bodies are moved here by Newton's equations alone; with
// the engine they are in test_sprite_rigid.c.
#include "rigid_in_plane.h"

// How deep particles of a sprite are in a square crate.
static float depth_in_crate(const trial *t, int sprite, const crate *c, float side)
{
    const wr_vec2 *x = wr_sprite_positions(t->world, sprite);
    float depth = 0.0f;
    for (int i = 0; i < wr_sprite_get_asset(t->world, sprite)->N; i++) {
        double px = (double)x[i].x - c->x, py = (double)x[i].y - c->y;
        double u = cos(c->angle) * px + sin(c->angle) * py,
               v = cos(c->angle) * py - sin(c->angle) * px;
        depth = fmaxf(depth, 0.5f * side - (float)fmax(fabs(u), fabs(v)));
    }
    return depth;
}

// --- collisions -------------------------------------------------------------------------------

static void check_collision(double ratio, bool crate_flies)
{
    trial t = begin(0.0f);
    const wr_sprite_asset *block = add_block(&t, 1.0f, 0.8f, 9, 7);
    wr_sprite_desc desc = describe(block, 0.0f, 0.0f);
    desc.angular_velocity = 1.0f;
    desc.velocity.x = crate_flies ? 0.0f : -3.0f;
    int sprite = add(&t, &desc);
    crate c = add_crate(&t, 0.7f, ratio * (double)block->mass, -1.2, 0.15);
    c.angle = 0.3;
    c.vx = crate_flies ? 3.0 : 0.0;
    momentum before = momentum_with(&t, &c, 1);
    double energy = energy_with(&t, &c, 1), vx = c.vx;
    bool met = false;
    for (int i = 0; i < 60; i++) {
        step_crates(&t, &c, 1, DT);
        momentum m = momentum_with(&t, &c, 1);
        CHECK_NEAR((m.x - before.x) / before.size, 0.0, 1e-5);
        CHECK_NEAR((m.y - before.y) / before.size, 0.0, 1e-5);
        CHECK_NEAR((m.turn - before.turn) / before.size, 0.0, 1e-4);
        assert_true(energy_with(&t, &c, 1) < energy * (1.0 + 1e-4));
        assert_true(depth_in_crate(&t, sprite, &c, 0.7f) < 0.01f);
        met = met || c.vx != vx;
    }
    double away = (double)facts_of(&t, sprite).velocity.x - c.vx;
    assert_true(met && away > -1e-3); // each has pushed the other, and they part or go together
    end(&t);
}

static void a_thrown_crate_and_a_sprite_keep_momentum(void **state)
{
    (void)state;
    const double ratios[] = {0.01, 0.1, 1.0, 10.0, 100.0};
    for (int i = 0; i < WRI_COUNT(ratios); i++) {
        check_collision(ratios[i], true);
        check_collision(ratios[i], false);
    }
}

// In the middle of its side, so that nothing turns: (m v + M V) / (m + M).
static void what_collides_goes_on_together(void **state)
{
    (void)state;
    for (double ratio = 0.01; ratio < 200.0; ratio *= 10.0) {
        trial t = begin(0.0f);
        const wr_sprite_asset *block = add_block(&t, 1.0f, 0.8f, 9, 7);
        wr_sprite_desc desc = describe(block, 0.0f, 0.0f);
        int sprite = add(&t, &desc);
        crate c = add_crate(&t, 0.6f, ratio * (double)block->mass, -1.0, 0.0);
        c.vx = 3.0;
        run_crates(&t, &c, 1, 60);
        double together = 3.0 * ratio / (1.0 + ratio);
        CHECK_NEAR(facts_of(&t, sprite).velocity.x, together, 0.02 * 3.0);
        CHECK_NEAR(c.vx, together, 0.02 * 3.0);
        CHECK_NEAR(c.angular_velocity, 0.0, 0.1);
        end(&t);
    }
}

static void a_corner_pushes_as_well_as_a_side(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    const wr_sprite_asset *block =
        add_block(&t, 2.0f, 0.6f, 4, 2); // corners pass between particles
    wr_sprite_desc desc = describe(block, 0.0f, 0.0f);
    int sprite = add(&t, &desc);
    crate c = add_crate(&t, 0.4f, 0.5 * (double)block->mass, 0.25, 0.9);
    c.angle = 0.25 * 3.14159265;
    c.vy = -2.0;
    momentum before = momentum_with(&t, &c, 1);
    for (int i = 0; i < 60; i++) {
        step_crates(&t, &c, 1, DT);
        momentum m = momentum_with(&t, &c, 1);
        CHECK_NEAR((m.y - before.y) / before.size, 0.0, 1e-5);
    }
    assert_true(c.vy > -1.4 && facts_of(&t, sprite).velocity.y < -0.3f);
    end(&t);
}

static void what_does_not_feel_passes(void **state)
{
    (void)state;
    for (int side = 0; side < 3; side++) {
        trial t = begin(0.0f);
        wr_sprite_desc desc = describe(add_ball(&t, 0.6f, 4), 0.0f, 0.0f);
        desc.group = 2;
        desc.collides = side == 0 ? 1 : 5;
        int sprite = add(&t, &desc);
        crate c = add_crate(&t, 0.5f, 1.0, -1.0, 0.1);
        wri_level *level = &WRI_ITEM(t.world->levels, wri_level, 0);
        level->group = 4;
        level->collides = side == 1 ? 1 : 2;
        c.vx = 3.0;
        run_crates(&t, &c, 1, 40);
        bool passes = c.vx == 3.0 && fabsf(facts_of(&t, sprite).velocity.x) < 1e-5f;
        assert_true(passes == (side < 2)); // both sides must agree
        end(&t);
    }
}

static void a_body_far_away_changes_no_bit(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        trial t = begin(G);
        add_plane(&t, 0.1f, 0.6f);
        wr_sprite_desc desc = describe(add_ball(&t, 0.6f, 4), 0.0f, 1.0f);
        int sprite = add(&t, &desc);
        crate c = {.mass = 1.0, .inertia = 1.0};
        if (k) {
            c = add_crate(&t, 0.5f, 1.0, 50.0, 50.0);
        }
        run_crates(&t, &c, k, 120);
        assert_true(!k || fabs(c.y - 50.0 + 0.5 * (double)G * 2.0 * (2.0 + (double)DT)) < 1e-3);
        hashes[k] = wr_sprite_hash(t.world, sprite);
        end(&t);
    }
    assert_true(hashes[0] == hashes[1]);
}

// --- weight -----------------------------------------------------------------------------------

// A crate that somebody holds feels the weight of what stands on it.
static void a_sprite_presses_what_it_stands_on(void **state)
{
    (void)state;
    trial t = begin(G);
    const wr_sprite_asset *block = add_block(&t, 0.6f, 0.4f, 6, 4);
    wr_sprite_desc desc = describe(block, 0.05f, 0.72f);
    int sprite = add(&t, &desc);
    crate c = add_crate(&t, 1.0f, 5.0 * (double)block->mass, 0.0, 0.0);
    double sum = 0.0, turn = 0.0, x = 0.0;
    for (int i = 0; i < 360; i++) {
        place_crate(&t, &c);
        wr_sprite_world_step(t.world, DT, NULL);
        wr_sprite_push push = wr_sprite_body_push(t.world, c.body);
        if (i >= 240) {
            sum += (double)push.impulse.y;
            turn += (double)push.angular_impulse;
            x += (double)facts_of(&t, sprite).center.x / 120.0;
        }
    }
    double weight = (double)(block->mass * G);
    CHECK_NEAR(sum / (120.0 * (double)DT), -weight, 0.01 * weight);
    CHECK_NEAR(turn / (120.0 * (double)DT), -weight * x, 0.01 * weight);
    CHECK_NEAR(facts_of(&t, sprite).center.y, 0.7, 0.01);
    end(&t);
}

// Falls onto a sprite on the ground and stays there.
static void check_rest_on_sprite(double ratio, float dt)
{
    trial t = begin(G);
    add_plane(&t, 0.0f, 0.6f);
    const wr_sprite_asset *block = add_block(&t, 1.0f, 0.5f, 9, 5);
    wr_sprite_desc desc = describe(block, 0.0f, 0.25f);
    int sprite = add(&t, &desc);
    crate c = add_crate(&t, 0.5f, ratio * (double)block->mass, 0.02, 0.85);
    double energy = energy_with(&t, &c, 1), most = energy, sum = 0.0;
    int steps = (int)(10.0f / dt), last = (int)(2.0f / dt);
    for (int i = 0; i < steps; i++) {
        step_crates(&t, &c, 1, dt);
        most = fmax(most, energy_with(&t, &c, 1));
        if (i >= steps - last) {
            assert_true(depth_in_crate(&t, sprite, &c, 0.5f) < 0.005f);
            sum += (double)wr_sprite_body_push(t.world, c.body).impulse.y;
        }
    }
    assert_true(most < energy * (1.0 + 1e-3));
    assert_true(c.y - 0.25 > 0.42 && c.y - 0.25 < 0.505 && fabs(c.x) < 0.3);
    CHECK_NEAR(sum / (last * (double)dt * c.mass * (double)G), 1.0, 0.02); // carries it
    CHECK_NEAR(c.vy, 0.0, 0.05);
    end(&t);
}

static void a_crate_rests_on_a_sprite_at_any_ratio_of_masses(void **state)
{
    (void)state;
    const double ratios[] = {0.01, 0.1, 1.0, 10.0, 100.0};
    for (int i = 0; i < WRI_COUNT(ratios); i++) {
        check_rest_on_sprite(ratios[i], DT);
        check_rest_on_sprite(ratios[i], 0.25f * DT);
    }
}

// The ground holds the crate, and what bears it is told.
static void check_rest_on_crate(double ratio, float dt)
{
    trial t = begin(G);
    const wr_sprite_asset *block = add_block(&t, 0.6f, 0.3f, 6, 3);
    wr_sprite_desc desc = describe(block, 0.05f, 1.5f);
    int sprite = add(&t, &desc);
    crate c = add_crate(&t, 0.5f, (double)block->mass / ratio, 0.0, 0.25);
    int steps = (int)(10.0f / dt);
    float deepest = 0.0f;
    for (int i = 0; i < steps; i++) {
        wr_sprite_bearing feet[2] = {{.b = -1, .normal = {0.0f, 1.0f}, .friction = 0.6f},
                                     {.b = -1, .normal = {0.0f, 1.0f}, .friction = 0.6f}};
        feet[0].point = (wr_vec2){(float)c.x - 0.25f, 0.0f};
        feet[1].point = (wr_vec2){(float)c.x + 0.25f, 0.0f};
        place_crate(&t, &c);
        wr_sprite_set_bearings(t.world, feet, 2);
        wr_sprite_world_step(t.world, dt, NULL);
        wr_sprite_push push = wr_sprite_body_push(t.world, c.body);
        // What the ground gives back beyond its own weight is in the push already.
        assert_true((double)push.impulse.y > -0.02 * c.mass);
        assert_true(fabs((double)push.shift.y) < 1e-4);
        c.vx = 0.9 * (c.vx + (double)push.impulse.x / c.mass);
        c.x += (double)dt * c.vx;
        deepest = fmaxf(deepest, depth_in_crate(&t, sprite, &c, 0.5f));
    }
    assert_true(deepest < 0.02f); // when it lands
    assert_true(depth_in_crate(&t, sprite, &c, 0.5f) < 0.005f);
    CHECK_NEAR(facts_of(&t, sprite).center.y, 0.65, 0.01);
    end(&t);
}

static void a_sprite_rests_on_a_crate_on_the_ground_at_any_ratio(void **state)
{
    (void)state;
    const double ratios[] = {0.01, 1.0, 100.0};
    for (int i = 0; i < WRI_COUNT(ratios); i++) {
        check_rest_on_crate(ratios[i], DT);
        check_rest_on_crate(ratios[i], 0.25f * DT);
    }
}

static void what_overlaps_parts_without_velocity(void **state)
{
    (void)state;
    for (double ratio = 0.01; ratio < 200.0; ratio *= 100.0) {
        trial t = begin(0.0f);
        const wr_sprite_asset *block = add_block(&t, 1.0f, 0.8f, 9, 7);
        wr_sprite_desc desc = describe(block, 0.0f, 0.0f);
        int sprite = add(&t, &desc);
        crate c = add_crate(&t, 0.5f, ratio * (double)block->mass, -0.70, 0.0);
        assert_true(depth_in_crate(&t, sprite, &c, 0.5f) > 0.04f);
        run_crates(&t, &c, 1, 60);
        assert_true(depth_in_crate(&t, sprite, &c, 0.5f) < 0.002f);
        wr_sprite_facts f = facts_of(&t, sprite);
        assert_true(hypot(c.vx, c.vy) < 0.1 && hypotf(f.velocity.x, f.velocity.y) < 0.1f);
        end(&t);
    }
}

// --- what one can do with it ------------------------------------------------------------------

static void a_heavy_ball_squashes_a_sprite(void **state)
{
    (void)state;
    float squashed[2];
    for (int k = 0; k < 2; k++) {
        trial t = begin(G);
        add_plane(&t, 0.0f, 0.6f);
        const wr_sprite_asset *block = add_block(&t, 1.0f, 0.8f, 9, 7);
        wr_sprite_desc desc = describe(block, 0.0f, 0.4f);
        desc.parameters.give = 1.0f;
        desc.parameters.give_way = WR_SPRITE_ENERGY_EXAMPLE;
        desc.parameters.give_example = TOY_SQUASHED;
        int sprite = add(&t, &desc);
        crate c = add_wheel(&t, 0.3f, (k ? 10.0 : 0.01) * (double)block->mass, 0.0, 1.8);
        squashed[k] = 0.0f;
        for (int i = 0; i < 90; i++) {
            step_crates(&t, &c, 1, DT);
            float share = share_of(&t, sprite, facts_of(&t, sprite).projected, TOY_SQUASHED);
            squashed[k] = fmaxf(squashed[k], share);
        }
        end(&t);
    }
    assert_true(squashed[1] > 0.5f && squashed[0] < 0.1f);
}

static void a_ball_rolls_over_a_nailed_rope(void **state)
{
    (void)state;
    trial t = begin(G);
    enum { ACROSS = 30, UP = 1 };
    const wr_sprite_asset *rope = add_block(&t, 3.0f, 0.1f, ACROSS, UP);
    wr_sprite_desc desc = describe(rope, 0.0f, 0.0f);
    int sprite = add(&t, &desc);
    const wr_vec2 *x = wr_sprite_positions(t.world, sprite);
    for (int i = 0; i <= ACROSS; i += ACROSS / 3) {
        assert_true(wr_sprite_set_nail(t.world, sprite, i, x[i], NULL));
    }
    crate c = add_wheel(&t, 0.2f, (double)rope->mass, -1.3, 0.3);
    c.vx = 2.0;
    double lowest = 1.0;
    while (c.x < 1.3 && c.x > -2.0) {
        step_crates(&t, &c, 1, DT);
        lowest = fmin(lowest, c.y);
    }
    assert_true(c.x > 1.0 && lowest > 0.15); // it may sag between its nails
    assert_true(c.angular_velocity < -2.0);  // and it rolls: v / r is 10
    end(&t);
}

// --- the rest ---------------------------------------------------------------------------------

static void a_step_with_bodies_takes_no_memory(void **state)
{
    (void)state;
    counting_heap heap = {.budget = 1 << 20};
    wr_allocator allocator = counting_allocator(&heap);
    wr_sprite_world_desc world = wr_sprite_world_desc_default();
    world.allocator = &allocator;
    trial t = {.world = wr_sprite_world_create(&world, NULL)};
    add_plane(&t, 0.0f, 0.6f);
    wr_sprite_desc desc = describe(add_block(&t, 1.0f, 0.5f, 9, 5), 0.0f, 0.25f);
    add(&t, &desc);
    crate c = add_crate(&t, 0.5f, 1.0, 0.0, 1.0);
    int calls = heap.calls;
    run_crates(&t, &c, 1, 120);
    assert_int_equal(heap.calls, calls);
    end(&t);
    assert_int_equal(heap.alive, 0);
}

static void every_allocation_of_a_body_may_fail(void **state)
{
    (void)state;
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_sprite_world_desc desc = wr_sprite_world_desc_default();
        desc.allocator = &allocator;
        wr_sprite_world *world = wr_sprite_world_create(&desc, &error);
        const int room[2] = {100, 100};
        wr_sprite_body_desc body = {.piece_count = 2, .corner_counts = room};
        done = world && wr_sprite_add_body(world, &body, &error) >= 0;
        if (!done) {
            assert_int_equal(error.code, WR_E_MEMORY);
        }
        if (world) {
            wr_sprite_world_step(world, DT, NULL);
        }
        wr_sprite_world_destroy(world);
        assert_int_equal(heap.alive, 0);
    }
}

static void bad_bodies_are_said(void **state)
{
    (void)state;
    trial t = begin(G);
    wr_error error = {0};
    const wr_vec2 clockwise[4] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    int room = 4;
    wr_sprite_body_desc desc = {
        .piece_count = 1, .corner_counts = &room, .group = 1, .collides = 1};
    int body = wr_sprite_add_body(t.world, &desc, &error);
    assert_int_equal(body, 0);
    assert_false(wr_sprite_set_outline(t.world, body, 0, clockwise, 4, &error));
    assert_non_null(strstr(error.message, "counterclockwise"));
    assert_false(wr_sprite_set_outline(t.world, body, 0, clockwise, 5, &error));
    assert_non_null(strstr(error.message, "room for 4"));
    crate c = {.body = body, .mass = 1.0, .inertia = 1.0, .x = (double)NAN};
    wr_sprite_desc ball = describe(add_ball(&t, 0.5f, 3), 0.0f, 0.0f);
    int sprite = add(&t, &ball);
    place_crate(&t, &c); // is not taken
    run(&t, 0.1f, DT);
    assert_true(wr_sprite_is_sound(t.world, sprite));
    assert_true(wr_sprite_body_push(t.world, body).impulse.x == 0.0f);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thrown_crate_and_a_sprite_keep_momentum),
        cmocka_unit_test(what_collides_goes_on_together),
        cmocka_unit_test(a_corner_pushes_as_well_as_a_side),
        cmocka_unit_test(what_does_not_feel_passes),
        cmocka_unit_test(a_body_far_away_changes_no_bit),
        cmocka_unit_test(a_sprite_presses_what_it_stands_on),
        cmocka_unit_test(a_crate_rests_on_a_sprite_at_any_ratio_of_masses),
        cmocka_unit_test(a_sprite_rests_on_a_crate_on_the_ground_at_any_ratio),
        cmocka_unit_test(what_overlaps_parts_without_velocity),
        cmocka_unit_test(a_heavy_ball_squashes_a_sprite),
        cmocka_unit_test(a_ball_rolls_over_a_nailed_rope),
        cmocka_unit_test(a_step_with_bodies_takes_no_memory),
        cmocka_unit_test(every_allocation_of_a_body_may_fail),
        cmocka_unit_test(bad_bodies_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
