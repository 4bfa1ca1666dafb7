// What a world of sprites promises, from physics: momentum, rest, friction, walls; snapshots,
// memory and bad values.
#include "sprite_trial.h"

// --- motion -----------------------------------------------------------------------------------

static void a_thrown_sprite_flies_a_parabola(void **state)
{
    (void)state;
    trial t = begin(G);
    wr_sprite_desc desc = describe(add_ball(&t, 1.0f, 5), 3.0f, 1000.0f);
    desc.velocity = (wr_vec2){4.0f, 7.0f};
    desc.angular_velocity = 2.0f;
    int ball = add(&t, &desc);
    for (int n = 1; n <= 120; n++) {
        wr_sprite_world_step(t.world, DT, NULL);
        double time = n * (double)DT; // symplectic Euler is late by g dt t / 2
        wr_sprite_facts f = facts_of(&t, ball);
        CHECK_NEAR(f.center.x, 3.0 + 4.0 * time, 1e-4);
        CHECK_NEAR(f.center.y, 1000.0 + 7.0 * time - 0.5 * (double)G * time * (time + (double)DT),
                   1e-3);
        CHECK_NEAR(f.angle, 2.0 * time, 1e-3 * 2.0 * time); // atan(w dt) per step
        CHECK_NEAR(f.angular_velocity, 2.0, 1e-4);
        assert_false(f.touching || f.on_ground);
    }
    end(&t);
}

static void matching_adds_no_momentum(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    wr_sprite_desc desc = describe(add_block(&t, 1.0f, 0.6f, 9, 5), 0.0f, 0.0f);
    desc.parameters.hold = 0.3f;
    wri_sprite *s = wri_sprite_of(t.world, add(&t, &desc));
    int N = s->asset->N;
    uint64_t seed = 7;
    wri_sprite_begin_match(s);
    for (int kind = 0; kind < 3; kind++) { // rings, whole, pins
        double size = 0.0, sum[3] = {0};
        float *x = malloc((size_t)N * sizeof *x), *y = malloc((size_t)N * sizeof *y);
        for (int i = 0; i < N; i++) {
            x[i] = s->x[i] += random_float(&seed, -0.1f, 0.1f);
            y[i] = s->y[i] += random_float(&seed, -0.1f, 0.1f);
        }
        kind ? wri_sprite_match_whole(s, 0.7f) : wri_sprite_match_rings(s, 0.7f);
        for (int i = 0; i < N; i++) {
            double m = (double)s->asset->masses[i];
            double dx = (double)s->x[i] - (double)x[i], dy = (double)s->y[i] - (double)y[i];
            sum[0] += m * dx;
            sum[1] += m * dy;
            sum[2] += m * ((double)x[i] * dy - (double)y[i] * dx);
            size += m * sqrt(dx * dx + dy * dy);
        }
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(sum[k] / size, 0.0, 1e-6);
        }
        free(x);
        free(y);
    }
    end(&t);
}

static void a_soft_body_in_space_keeps_its_momentum(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    wr_sprite_desc desc = describe(add_block(&t, 1.0f, 0.4f, 10, 4), 0.0f, 0.0f);
    desc.parameters.firmness = 0.3f;
    desc.parameters.hold = 0.1f;
    desc.velocity = (wr_vec2){1.0f, 2.0f};
    desc.angular_velocity = 3.0f;
    wri_sprite *s = wri_sprite_of(t.world, add(&t, &desc));
    uint64_t seed = 3;
    for (int i = 0; i < s->asset->N; i++) {
        s->vx[i] += random_float(&seed, -1.0f, 1.0f);
        s->vy[i] += random_float(&seed, -1.0f, 1.0f);
    }
    wri_sprite_show(s);
    momentum before = momentum_of(&t);
    run(&t, 0.5f, DT);
    momentum after = momentum_of(&t);
    CHECK_NEAR(after.x / before.size, before.x / before.size, 1e-6);
    CHECK_NEAR(after.y / before.size, before.y / before.size, 1e-6);
    // Angular momentum about the origin, with positions at the end of the step.
    CHECK_NEAR(after.turn / before.size, before.turn / before.size, 1e-5);
    end(&t);
}

static void colliding_sprites_keep_momentum(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    const wr_sprite_asset *ball = add_ball(&t, 1.0f, 5), *block = add_block(&t, 1.5f, 0.7f, 12, 6);
    wr_sprite_desc a = describe(ball, -1.5f, 0.2f), b = describe(block, 0.8f, 0.0f);
    a.velocity = (wr_vec2){5.0f, 0.0f};
    b.velocity = (wr_vec2){-1.0f, 0.3f};
    a.parameters.bounce = b.parameters.bounce = 0.0f;
    add(&t, &a);
    int second = add(&t, &b);
    momentum before = momentum_of(&t);
    int touched = 0;
    for (int i = 0; i < 60; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        touched += facts_of(&t, second).touching;
        momentum now = momentum_of(&t);
        CHECK_NEAR(now.x / before.size, before.x / before.size, 1e-5);
        CHECK_NEAR(now.y / before.size, before.y / before.size, 1e-5);
        CHECK_NEAR(now.turn / before.size, before.turn / before.size, 1e-3);
    }
    assert_true(touched > 0);
    float gained = facts_of(&t, second).velocity.x - b.velocity.x;
    assert_true(gained > 0.5f); // and some of it changed owner
    end(&t);
}

static void a_mirrored_sprite_is_solid_too(void **state)
{
    (void)state;
    trial t = begin(G);
    add_plane(&t, 0.0f, 0.6f);
    wr_sprite_desc low = describe(add_block(&t, 2.0f, 0.5f, 16, 4), 0.0f, 0.25f);
    wr_sprite_desc high = describe(add_ball(&t, 0.6f, 4), 0.1f, 1.0f);
    int block = add(&t, &low), ball = add(&t, &high);
    wr_sprite_flip(t.world, block);
    wr_sprite_flip(t.world, ball);
    for (int i = 0; i < 60; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        assert_true(extent_of(&t, ball).low > extent_of(&t, block).high - 0.03f);
    }
    end(&t);
}

static void a_row_of_three_keeps_momentum(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    const wr_sprite_asset *block = add_block(&t, 0.6f, 0.8f, 5, 7);
    for (int i = 0; i < 4; i++) { // three that overlap a little, and one that comes
        wr_sprite_desc desc = describe(block, 0.58f * (float)i + (i == 3 ? 0.8f : 0.0f), 0.0f);
        desc.velocity.x = i == 3 ? -4.0f : 0.0f;
        add(&t, &desc);
    }
    momentum before = momentum_of(&t);
    for (int i = 0; i < 60; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        momentum now = momentum_of(&t); // floats lose 3e-7 per step
        CHECK_NEAR(now.x / before.size, before.x / before.size, 5e-5);
        CHECK_NEAR(now.y / before.size, before.y / before.size, 5e-5);
        // What overlaps is moved apart without velocity: places change, and levers with them.
        CHECK_NEAR(now.turn / before.size, before.turn / before.size, 5e-3);
    }
    assert_true(facts_of(&t, 0).velocity.x < -0.5f); // it went all the way through
    end(&t);
}

static void what_overlaps_at_the_start_parts_gently(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    const wr_sprite_asset *block = add_block(&t, 1.0f, 1.0f, 8, 8);
    for (int i = 0; i < 2; i++) {
        wr_sprite_desc desc = describe(block, 0.7f * (float)i, 0.0f);
        add(&t, &desc);
    }
    run(&t, 1.0f, DT);
    assert_true(facts_of(&t, 1).center.x - facts_of(&t, 0).center.x > 0.97f);
    float speed = extent_of(&t, 0).speed; // at once it would be 9 m/s
    print_message("    apart with %.2f m/s\n", (double)speed);
    assert_true(speed < 1.5f);
    end(&t);
}

static void what_is_deep_in_another_gets_out(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 10; k++) {
        trial t = begin(0.0f);
        const wr_sprite_asset *asset =
            k % 2 ? add_block(&t, 1.0f, 0.6f, 8, 5) : add_ball(&t, 1.0f, 4);
        for (int i = 0; i < 2; i++) {
            wr_sprite_desc desc = describe(asset, 0.1f * (float)(k / 2) * (float)i, 0.0f);
            add(&t, &desc);
        }
        run(&t, 2.0f, DT);
        wr_sprite_facts a = facts_of(&t, 0), b = facts_of(&t, 1);
        float x = a.center.x - b.center.x, y = a.center.y - b.center.y;
        assert_true(sqrtf(x * x + y * y) > (k % 2 ? 0.55f : 0.95f));
        assert_true(fabsf(a.velocity.x) < 2.0f && fabsf(b.velocity.x) < 2.0f);
        end(&t);
    }
}

// In empty space, a light one in a heavy one and the other way round.
static void what_parts_leaves_the_common_centre_where_it_is(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        trial t = begin(0.0f);
        const wr_sprite_asset *heavy = add_block(&t, 1.6f, 1.0f, 8, 5);
        const wr_sprite_asset *light = add_ball(&t, 0.7f, 4);
        wr_sprite_desc a = describe(k ? light : heavy, 0.1f, 0.05f);
        wr_sprite_desc b = describe(k ? heavy : light, 0.2f, 0.15f);
        double mass[2] = {(double)a.asset->mass, (double)b.asset->mass}, centre[2][2] = {{0}};
        assert_true(fabs(mass[0] - mass[1]) > 0.5 * fmin(mass[0], mass[1]));
        add(&t, &a);
        add(&t, &b);
        for (int when = 0; when < 2; when++) {
            for (int i = 0; i < 2; i++) {
                wr_vec2 c = facts_of(&t, i).center;
                centre[when][0] += mass[i] * (double)c.x / (mass[0] + mass[1]);
                centre[when][1] += mass[i] * (double)c.y / (mass[0] + mass[1]);
            }
            run(&t, when ? 0.0f : 0.5f, DT);
        }
        wr_vec2 x = facts_of(&t, 0).center, y = facts_of(&t, 1).center;
        assert_true(fabsf(x.x - y.x) + fabsf(x.y - y.y) > 0.5f); // they have parted
        CHECK_NEAR(centre[1][0], centre[0][0], 0.01);
        CHECK_NEAR(centre[1][1], centre[0][1], 0.01);
        end(&t);
    }
}

// What a hit makes of a pose pushes the neighbours, which fall back and hit: a heap of springy
// bodies must come to rest all the same.
static void a_springy_heap_calms_down(void **state)
{
    (void)state;
    trial t = begin(G);
    add_plane(&t, 0.0f, 0.6f);
    add_wall(&t, -2.0f, 5.0f, 1.0f, 10.0f);
    add_wall(&t, 2.0f, 5.0f, 1.0f, 10.0f);
    const wr_sprite_asset *assets[2] = {add_ball(&t, 0.6f, 4), add_block(&t, 0.6f, 0.5f, 6, 5)};
    enum { COUNT = 20 };
    for (int i = 0; i < COUNT; i++) {
        wr_sprite_desc desc =
            describe(assets[i % 2], -1.0f + 0.7f * (float)(i % 4) - 0.04f * (float)i,
                     0.5f + 0.8f * (float)(i / 4));
        desc.position.x = fmaxf(desc.position.x, -1.1f);
        desc.parameters.firmness = 0.8f;
        desc.parameters.hold = 0.9f;
        desc.parameters.wobble = 0.9f;
        desc.parameters.settle = 0.08f;
        desc.parameters.give = 2.5f;
        desc.parameters.give_way = WR_SPRITE_ENERGY_EXAMPLE;
        desc.parameters.give_example = TOY_SQUASHED;
        add(&t, &desc);
    }
    double means[2] = {0.0, 0.0}; // in the second and in the eighth second
    for (int i = 0; i < 480; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        for (int k = 0; k < COUNT; k++) {
            wr_vec2 v = facts_of(&t, k).velocity;
            means[i >= 420] += (i / 60 == 1 || i >= 420) * hypot((double)v.x, (double)v.y);
        }
    }
    print_message("    %.2f m/s, later %.2f\n", means[0] / 60.0 / COUNT, means[1] / 60.0 / COUNT);
    assert_true(means[1] < 0.3 * 60.0 * COUNT);
    end(&t);
}

static void sprites_that_do_not_feel_one_another_pass(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    const wr_sprite_asset *ball = add_ball(&t, 1.0f, 4);
    wr_sprite_desc a = describe(ball, 0.0f, 0.0f), b = describe(ball, 3.0f, 0.0f);
    a.velocity.x = 6.0f;
    a.group = 1, a.collides = 2; // one-sided: b does not feel a
    b.group = 2, b.collides = 2;
    add(&t, &a);
    int still = add(&t, &b);
    run(&t, 1.0f, DT);
    CHECK_NEAR(facts_of(&t, still).center.x, 3.0, 1e-5);
    CHECK_NEAR(facts_of(&t, 0).center.x, 6.0, 1e-3);
    end(&t);
}

// Two strips, one above the other, in one rig: two layers.
static void pins_hold_layers_together(void **state)
{
    (void)state;
    toy *made = toy_create_block(1.0f, 0.5f, 10, 5);
    int cut = 0, N = made->rig.vertex_count; // drop the middle row of squares
    for (int i = 0; i < made->rig.element_count; i++) {
        const int *c = &made->elements[3 * i];
        bool across = c[0] / 11 == 2 ? c[1] / 11 == 3 || c[2] / 11 == 3
                                     : c[0] / 11 == 3 && (c[1] / 11 == 2 || c[2] / 11 == 2);
        across |= c[0] / 11 == 2 && c[1] / 11 == 2 && c[2] / 11 == 3;
        if (!across) {
            memmove(&made->elements[3 * cut++], c, 3 * sizeof *c);
        }
    }
    made->rig.element_count = cut;
    wr_sprite_asset_desc desc = wr_sprite_asset_desc_default();
    desc.rig = &made->rig;
    // Particle 33 + 5, in the middle of the upper strip's lower side, hangs on the lower strip.
    const wr_pin pin = {.particle = 38, .corners = {26, 27, 28}, .weights = {0, 1, 0}};
    wr_pin bad = pin;
    bad.corners[1] = 39;
    wr_error error = {0};
    desc.pins = &bad;
    desc.pin_count = 1;
    assert_null(wr_sprite_asset_create(&desc, &error));
    assert_non_null(strstr(error.message, "pins[0]"));
    desc.pins = &pin;
    trial t = begin(0.0f);
    t.toys[0] = made;
    t.assets[0] = wr_sprite_asset_create(&desc, &error);
    assert_non_null(t.assets[0]);
    t.asset_count = 1;
    assert_int_equal(wr_sprite_asset_describe(t.assets[0]).layer_count, 2);
    wr_sprite_desc sprite = describe(t.assets[0], 0.0f, 0.0f);
    sprite.parameters.hold = 0.0f; // only the pin joins them
    wri_sprite *s = wri_sprite_of(t.world, add(&t, &sprite));
    for (int i = 0; i < N; i++) { // the upper strip is pulled away
        s->vy[i] += i >= 33 ? 1.0f : 0.0f;
    }
    wri_sprite_show(s);
    momentum before = momentum_of(&t);
    run(&t, 1.0f, DT);
    momentum after = momentum_of(&t);
    const wr_vec2 *x = wr_sprite_positions(t.world, 0);
    CHECK_NEAR(x[38].x, x[27].x, 0.03);
    CHECK_NEAR(x[38].y, x[27].y, 0.03);
    CHECK_NEAR(after.y / before.size, before.y / before.size, 1e-5);
    CHECK_NEAR(after.turn / before.size, before.turn / before.size, 1e-4);
    const wr_vec2 place = x[27]; // nailed, it takes the other strip along and does not move itself
    assert_true(wr_sprite_set_nail(t.world, 0, 27, place, NULL));
    wr_sprite_add_velocity(t.world, 0, (wr_vec2){0.0f, 1.0f}, 0.0f);
    run(&t, 1.0f, DT);
    CHECK_NEAR(x[27].y, place.y, 1e-6);
    CHECK_NEAR(x[38].x, place.x, 0.03);
    CHECK_NEAR(x[38].y, place.y, 0.03);
    end(&t);
}

static void drag_slows_by_its_share_of_the_pose(void **state)
{
    (void)state;
    static const float factors[TOY_EXAMPLES] = {1.0f, 1.0f, 0.25f, 1.0f};
    for (int k = 0; k < 2; k++) {
        trial t = begin(0.0f);
        const wr_sprite_asset *ball = add_ball(&t, 1.0f, 4);
        wr_sprite_desc desc = describe(ball, 0.0f, 0.0f);
        desc.parameters.drag = 0.5f;
        desc.parameters.drag_of_example = factors;
        desc.velocity.x = 2.0f;
        if (k) {
            desc.pose = wr_sprite_asset_example_point(ball, TOY_STRETCHED);
        }
        int sprite = add(&t, &desc);
        run(&t, 1.0f, DT);
        double time = 1.0 / (double)wr_sprite_asset_describe(ball).fall_time;
        CHECK_NEAR(facts_of(&t, sprite).velocity.x, 2.0 * exp(-0.5 * (k ? 0.25 : 1.0) * time),
                   1e-3);
        end(&t);
    }
}

// --- rest and friction ------------------------------------------------------------------------

static void a_resting_box_rests(void **state)
{
    (void)state;
    trial t = begin(G);
    add_plane(&t, 0.0f, 0.6f);
    wr_sprite_desc desc = describe(add_block(&t, 1.0f, 0.8f, 8, 6), 0.0f, 0.45f);
    desc.parameters = wr_sprite_parameters_default();
    int box = add(&t, &desc);
    run(&t, 2.0f, DT);
    wr_sprite_facts from = facts_of(&t, box);
    float fastest = 0.0f, lowest = 0.0f;
    for (int i = 0; i < 60; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        extent e = extent_of(&t, box);
        fastest = fmaxf(fastest, e.speed);
        lowest = fminf(lowest, e.low);
        assert_true(facts_of(&t, box).on_ground);
    }
    wr_sprite_facts to = facts_of(&t, box);
    print_message("    lowest %.5f m, fastest %.5f m/s, moved %.6f m\n", (double)lowest,
                  (double)fastest, (double)fabsf(to.center.x - from.center.x));
    assert_true(lowest > -0.02f && fastest < 0.01f);
    CHECK_NEAR(to.center.x, from.center.x, 1e-4);
    CHECK_NEAR(to.center.y, 0.4, 0.01);
    CHECK_NEAR(to.angle, 0.0, 1e-3);
    end(&t);
}

static void a_stack_of_three_stands(void **state)
{
    (void)state;
    trial t = begin(G);
    add_plane(&t, 0.0f, 0.6f);
    const wr_sprite_asset *block = add_block(&t, 1.0f, 0.8f, 8, 6);
    int boxes[3];
    for (int i = 0; i < 3; i++) {
        wr_sprite_desc desc = describe(block, 0.03f * (float)i, 0.42f + 0.82f * (float)i);
        boxes[i] = add(&t, &desc);
    }
    run(&t, 2.0f, DT);
    float fastest = 0.0f, deepest = 0.0f;
    for (int i = 0; i < 60; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        for (int k = 0; k < 3; k++) {
            extent e = extent_of(&t, boxes[k]);
            fastest = fmaxf(fastest, e.speed);
            float below = k ? extent_of(&t, boxes[k - 1]).high : 0.0f;
            deepest = fmaxf(deepest, below - e.low);
        }
    }
    print_message("    deepest %.5f m, fastest %.5f m/s\n", (double)deepest, (double)fastest);
    assert_true(deepest < 0.02f && fastest < 0.06f); // 1.5 % of the fall speed
    CHECK_NEAR(facts_of(&t, boxes[2]).center.x, 0.06, 0.02);
    CHECK_NEAR(facts_of(&t, boxes[2]).center.y, 2.0, 0.03);
    end(&t);
}

static void friction_holds_up_to_its_angle(void **state)
{
    (void)state;
    const float slope = 0.4f; // tan 0.423
    for (int k = 0; k < 3; k++) {
        const float friction[3] = {0.0f, 0.2f, 0.6f};
        trial t = begin(G);
        add_plane(&t, slope, friction[k]);
        wr_sprite_desc desc = describe(add_block(&t, 1.0f, 0.5f, 10, 5), 0.0f, 0.0f);
        desc.angle = slope;
        desc.position = (wr_vec2){-0.25f * sinf(slope), 0.25f * cosf(slope)};
        desc.parameters.friction = friction[k];
        int box = add(&t, &desc);
        run(&t, 0.5f, DT);
        wr_sprite_facts a = facts_of(&t, box);
        run(&t, 1.0f, DT);
        wr_sprite_facts b = facts_of(&t, box);
        float down = -(b.velocity.x - a.velocity.x) * cosf(slope) -
                     (b.velocity.y - a.velocity.y) * sinf(slope);
        float expected = fmaxf(0.0f, G * (sinf(slope) - friction[k] * cosf(slope)));
        print_message("    friction %.1f: %.3f m/s^2, expected %.3f\n", (double)friction[k],
                      (double)down, (double)expected);
        CHECK_NEAR(down, expected, k == 2 ? 1e-3 : 0.03 * (double)expected);
        if (k == 2) {
            CHECK_NEAR(b.center.x, a.center.x, 1e-3);
        }
        end(&t);
    }
}

static void a_driven_level_carries_what_stands_on_it(void **state)
{
    (void)state;
    trial t = begin(G);
    add_wall(&t, 0.0f, -0.25f, 4.0f, 0.5f);
    wr_sprite_desc desc = describe(add_block(&t, 0.8f, 0.6f, 8, 6), 0.0f, 0.3f);
    int box = add(&t, &desc);
    for (int i = 1; i <= 120; i++) { // up to speed within half a second
        float time = (float)i * DT;
        float x = time < 0.5f ? time * time : 0.25f + (time - 0.5f);
        wr_sprite_move_level(t.world, 0, (wr_vec2){x, -0.25f + 0.5f * x}, 0.0f);
        wr_sprite_world_step(t.world, DT, NULL);
    }
    wr_sprite_facts f = facts_of(&t, box);
    CHECK_NEAR(f.center.x, 1.75, 0.02);
    CHECK_NEAR(f.center.y, 0.3 + 0.5 * 1.75, 0.02);
    CHECK_NEAR(f.velocity.x, 1.0, 0.02);
    CHECK_NEAR(f.velocity.y, 0.5, 0.02);
    end(&t);
}

static void the_seam_between_two_pieces_stops_nothing(void **state)
{
    (void)state;
    trial t = begin(G);
    for (int i = 0; i < 6; i++) {
        add_wall(&t, (float)i, -0.5f, 1.0f, 1.0f);
    }
    wr_sprite_desc desc = describe(add_block(&t, 0.5f, 0.3f, 6, 4), 0.0f, 0.151f);
    desc.parameters.friction = 0.0f;
    desc.velocity.x = 2.0f;
    int box = add(&t, &desc);
    run(&t, 2.0f, DT);
    CHECK_NEAR(facts_of(&t, box).velocity.x, 2.0, 1e-3);
    CHECK_NEAR(facts_of(&t, box).center.y, 0.15, 0.005);
    end(&t);
}

static void a_fast_ball_does_not_pass_a_thin_wall(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    add_wall(&t, 5.0f, 0.0f, 0.05f, 4.0f);
    wr_sprite_desc desc = describe(add_ball(&t, 1.0f, 5), 0.0f, 0.0f);
    desc.velocity.x = 60.0f; // a body per step
    int ball = add(&t, &desc);
    float furthest = 0.0f;
    for (int i = 0; i < 60; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        furthest = fmaxf(furthest, extent_of(&t, ball).right);
    }
    assert_true(furthest < 5.03f);
    assert_true(facts_of(&t, ball).velocity.x < 0.0f);
    end(&t);
}

// With poses that answer, at all speeds, slopes and spins.
static void nothing_fast_passes_a_wall(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 3 * 2 * 5; k++) { // what, how thick, how often, at which slope
        const float thick = k / 2 % 3 == 0 ? 0.02f : k / 2 % 3 == 1 ? 0.063f : 0.2f;
        const float slope = 0.15f * (float)(k / 12), dt = k / 6 % 2 ? 0.25f * DT : DT;
        for (float speed = 5.0f; speed < 120.0f; speed *= 1.7f) {
            trial t = begin(0.0f);
            wr_sprite_level wall = {.corner_count = 4, .angle = slope, .friction = 0.6f};
            const wr_vec2 corners[4] = {{-50.0f, -0.5f * thick},
                                        {50.0f, -0.5f * thick},
                                        {50.0f, 0.5f * thick},
                                        {-50.0f, 0.5f * thick}};
            wall.corners = corners;
            assert_true(wr_sprite_add_level(t.world, &wall, NULL) >= 0);
            const wr_sprite_asset *asset =
                k % 2 ? add_block(&t, 0.7f, 0.4f, 7, 4) : add_ball(&t, 0.5f, 4);
            wr_sprite_desc desc = describe(asset, 0.0f, 1.5f + 0.05f * (float)(k / 12));
            desc.parameters.give = 1.0f;
            desc.velocity.y = -speed;
            desc.angular_velocity = 4.0f * (float)(k / 12);
            int body = add(&t, &desc);
            run(&t, 0.4f, dt);
            wr_vec2 at = facts_of(&t, body).center;
            assert_true(cosf(slope) * at.y - sinf(slope) * at.x > 0.0f);
            end(&t);
        }
    }
}

static void nothing_fast_passes_another(void **state)
{
    (void)state;
    for (float speed = 5.0f; speed < 80.0f; speed *= 1.5f) {
        trial t = begin(0.0f);
        const wr_sprite_asset *ball = add_ball(&t, 0.5f, 4);
        const wr_sprite_asset *rod = add_block(&t, 2.0f, 0.1f, 20, 2);
        wr_sprite_desc a = describe(ball, 0.0f, 0.0f), b = describe(ball, 2.0f, 0.0f);
        wr_sprite_desc c = describe(rod, 0.0f, 20.0f), d = describe(ball, 0.0f, 22.0f);
        a.velocity.x = speed;
        b.velocity.x = -speed;
        d.velocity.y = -speed;
        int first = add(&t, &a), second = add(&t, &b), beam = add(&t, &c), third = add(&t, &d);
        const wr_vec2 *x = wr_sprite_positions(t.world, beam);
        assert_true(wr_sprite_set_nail(t.world, beam, 21, x[21], NULL)); // its ends
        assert_true(wr_sprite_set_nail(t.world, beam, 41, x[41], NULL));
        run(&t, 0.5f, DT);
        assert_true(facts_of(&t, first).center.x < facts_of(&t, second).center.x);
        assert_true(facts_of(&t, third).center.y > 20.0f);
        end(&t);
    }
}

static void what_stands_on_a_lift_stays_when_it_stops(void **state)
{
    (void)state;
    for (float speed = 1.0f; speed < 9.0f; speed *= 2.0f) {
        trial t = begin(G);
        add_wall(&t, 0.0f, -0.5f, 40.0f, 1.0f);
        wr_sprite_desc desc = describe(add_block(&t, 0.7f, 0.7f, 7, 7), 0.0f, 0.36f);
        desc.parameters = wr_sprite_parameters_default();
        int box = add(&t, &desc);
        for (int i = 0; i < 780; i++) { // up for half a second, and bouncing for some more
            float high = -0.5f + speed * wr_clampf((float)(i + 1) / 60.0f, 0.0f, 0.5f);
            wr_sprite_move_level(t.world, 0, (wr_vec2){0.0f, high}, 0.0f);
            wr_sprite_world_step(t.world, DT, NULL);
        }
        CHECK_NEAR(extent_of(&t, box).low, 0.5 * (double)speed, 0.05);
        end(&t);
    }
}

// The same fall on a floor that moves up or down evenly, and on one that does not.
static void a_bounce_seen_from_a_lift_is_that_on_the_ground(void **state)
{
    (void)state;
    enum { STEPS = 90 };
    const float speeds[] = {0.0f, 3.0f, -2.0f};
    float heights[3][STEPS], top = 0.0f;
    for (int k = 0; k < 3; k++) {
        trial t = begin(G);
        add_wall(&t, 0.0f, -0.5f, 8.0f, 1.0f);
        wr_sprite_desc desc = describe(add_ball(&t, 0.6f, 4), 0.0f, 1.3f);
        desc.parameters.bounce = 0.8f;
        desc.velocity.y = speeds[k];
        int ball = add(&t, &desc);
        for (int i = 0; i < STEPS; i++) {
            float floor = speeds[k] * (float)(i + 1) * DT;
            wr_sprite_move_level(t.world, 0, (wr_vec2){0.0f, floor - 0.5f}, 0.0f);
            wr_sprite_world_step(t.world, DT, NULL);
            heights[k][i] = facts_of(&t, ball).center.y - floor;
            top = k == 0 && i > 40 ? fmaxf(top, heights[0][i]) : top;
        }
        for (int i = 0; i < STEPS; i++) {
            CHECK_NEAR(heights[k][i], heights[0][i], 1e-4);
        }
        end(&t);
    }
    assert_true(top > 0.8f); // it did bounce
}

static void a_corner_of_the_level_does_not_slip_between_particles(void **state)
{
    (void)state;
    trial t = begin(G);
    const wr_vec2 corners[3] = {{-0.02f, -1.0f}, {0.02f, -1.0f}, {0.0f, 0.0f}};
    wr_sprite_level spike = {.corners = corners, .corner_count = 3, .friction = 0.6f};
    assert_true(wr_sprite_add_level(t.world, &spike, NULL) >= 0);
    // Particles at +-0.25, +-0.75: the spike stands between them, under the centre.
    wr_sprite_desc desc = describe(add_block(&t, 1.5f, 0.5f, 3, 1), 0.0f, 0.4f);
    desc.parameters.aim = WR_SPRITE_AIM_ANGLE; // it would fall off
    int block = add(&t, &desc);
    run(&t, 1.0f, DT);
    assert_true(facts_of(&t, block).center.y > 0.2f);
    end(&t);
}

// --- many -------------------------------------------------------------------------------------

static void a_hundred_in_a_pit_stay_in_it(void **state)
{
    (void)state;
    trial t = begin(G);
    add_wall(&t, 0.0f, -0.5f, 14.0f, 1.0f);
    add_wall(&t, -6.5f, 20.0f, 1.0f, 42.0f);
    add_wall(&t, 6.5f, 20.0f, 1.0f, 42.0f);
    const wr_sprite_asset *kinds[2] = {add_ball(&t, 1.0f, 4), add_block(&t, 1.2f, 0.6f, 8, 4)};
    for (int i = 0; i < 100; i++) {
        wr_sprite_desc desc =
            describe(kinds[i % 2], -5.2f + 1.3f * (float)(i % 9), 1.0f + 1.3f * (float)(i / 9));
        desc.parameters.give = 0.5f;
        desc.angle = 0.3f * (float)i;
        add(&t, &desc);
    }
    run(&t, 6.0f, DT);
    float fastest = 0.0f, sum = 0.0f;
    for (int i = 0; i < 100; i++) {
        extent e = extent_of(&t, i);
        assert_true(wr_sprite_is_sound(t.world, i));
        assert_true(e.left > -6.05f && e.right < 6.05f && e.low > -0.05f && e.high < 15.0f);
        wr_vec2 v = facts_of(&t, i).velocity;
        fastest = fmaxf(fastest, sqrtf(v.x * v.x + v.y * v.y));
        sum += v.x * v.x + v.y * v.y;
    }
    wr_sprite_statistics stats = wr_sprite_world_stats(t.world);
    print_message("    %d pairs, %d contacts, fastest %.3f m/s, %d clamped\n", stats.pairs,
                  stats.contacts, (double)fastest, stats.trouble);
    assert_true(fastest < 1.5f && sum / 100.0f < 0.3f * 0.3f && stats.trouble == 0);
    end(&t);
}

// --- snapshots, memory, errors ----------------------------------------------------------------

static trial busy_world(const wr_allocator *heap)
{
    trial t = {0};
    wr_sprite_world_desc world = wr_sprite_world_desc_default();
    world.allocator = heap;
    t.world = wr_sprite_world_create(&world, NULL);
    assert_non_null(t.world);
    add_plane(&t, 0.05f, 0.6f);
    add_wall(&t, 0.0f, 0.2f, 0.4f, 0.8f);
    const wr_sprite_asset *ball = add_ball(&t, 1.0f, 4);
    for (int i = 0; i < 5; i++) {
        wr_sprite_desc desc = describe(ball, 0.3f * (float)i, 1.5f + 1.1f * (float)i);
        desc.parameters = wr_sprite_parameters_default();
        desc.parameters.stretch_example = TOY_STRETCHED;
        desc.parameters.aim = WR_SPRITE_AIM_AXIS;
        add(&t, &desc);
    }
    return t;
}

static void a_restored_world_goes_on_bit_by_bit(void **state)
{
    (void)state;
    trial a = busy_world(NULL), b = busy_world(NULL);
    run(&a, 1.0f, DT);
    for (int i = 0; i < 5; i++) {
        size_t size = wr_sprite_save_size(a.world, i);
        uint8_t *bytes = malloc(size);
        wr_error error = {0};
        wr_sprite_save(a.world, i, bytes);
        assert_true(wr_sprite_restore(b.world, i, bytes, size, &error));
        assert_false(wr_sprite_restore(b.world, i, bytes, size - 1, &error));
        bytes[size / 2] ^= 1;
        assert_false(wr_sprite_restore(b.world, i, bytes, size, &error));
        assert_non_null(strstr(error.message, "snapshot"));
        free(bytes);
    }
    for (int step = 0; step < 90; step++) {
        for (int i = 0; i < 5; i++) {
            assert_true(wr_sprite_hash(a.world, i) == wr_sprite_hash(b.world, i));
        }
        wr_sprite_world_step(a.world, DT, NULL);
        wr_sprite_world_step(b.world, DT, NULL);
    }
    end(&a);
    end(&b);
}

// Enough of them that their work is shared out.
static void any_number_of_threads_makes_the_same_bits(void **state)
{
    (void)state;
    uint64_t hashes[3] = {0};
    for (int k = 0; k < 3; k++) {
        trial t = begin(G);
        add_plane(&t, 0.0f, 0.6f);
        const wr_sprite_asset *block = add_block(&t, 1.0f, 0.8f, 11, 8);
        for (int i = 0; i < 30; i++) {
            wr_sprite_desc desc =
                describe(block, 0.9f * (float)(i % 6), 0.5f + 1.1f * (float)(i / 6));
            desc.parameters.give = 1.0f;
            desc.parameters.rounds = 3 + i % 3;
            add(&t, &desc);
        }
        wri_test_block_shuffle = k;
        wr_tasks tasks = wr_tasks_openmp(k + 1);
        for (int i = 0; i < 90; i++) {
            wr_sprite_world_step(t.world, DT, k ? &tasks : NULL);
        }
        wri_test_block_shuffle = 0;
        for (int i = 0; i < 30; i++) {
            uint64_t hash = wr_sprite_hash(t.world, i);
            hashes[k] = wri_hash(&hash, sizeof hash, hashes[k]);
        }
        end(&t);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

static void a_snapshot_is_of_one_drawing(void **state)
{
    (void)state;
    trial t = begin(G);
    wr_sprite_desc small = describe(add_ball(&t, 0.5f, 4), 0.0f, 1.0f);
    wr_sprite_desc large = describe(add_ball(&t, 0.7f, 4), 2.0f, 1.0f);
    int a = add(&t, &small), b = add(&t, &large);
    size_t size = wr_sprite_save_size(t.world, a);
    assert_int_equal(size, wr_sprite_save_size(t.world, b));
    uint8_t *bytes = malloc(size);
    wr_error error = {0};
    wr_sprite_save(t.world, a, bytes);
    uint64_t before = wr_sprite_hash(t.world, b);
    assert_false(wr_sprite_restore(t.world, b, bytes, size, &error));
    assert_non_null(strstr(error.message, "of another drawing"));
    assert_true(wr_sprite_hash(t.world, b) == before);
    wr_sprite_parameters p = *wr_sprite_get_parameters(t.world, b);
    p.settle += 0.1f;
    assert_true(wr_sprite_set_parameters(t.world, b, &p, NULL));
    assert_true(wr_sprite_hash(t.world, b) != before); // they decide what it does
    free(bytes);
    end(&t);
}

// The factors live elsewhere in memory in each world; where they live is no part of a state.
static void a_hash_knows_what_drag_there_is_and_not_where_it_is_kept(void **state)
{
    (void)state;
    trial a = busy_world(NULL), b = busy_world(NULL);
    int count = wr_sprite_asset_describe(wr_sprite_get_asset(a.world, 0)).example_count;
    float *factors[2] = {malloc((size_t)count * sizeof(float)),
                         malloc((size_t)count * sizeof(float))};
    for (int e = 0; e < count; e++) {
        factors[0][e] = factors[1][e] = 1.0f + (float)e;
    }
    uint64_t without = wr_sprite_hash(a.world, 0);
    for (int k = 0; k < 2; k++) {
        wr_sprite_world *world = k ? b.world : a.world;
        wr_sprite_parameters p = *wr_sprite_get_parameters(world, 0);
        p.drag_of_example = factors[k];
        assert_true(wr_sprite_set_parameters(world, 0, &p, NULL));
    }
    uint64_t with = wr_sprite_hash(a.world, 0);
    assert_true(with != without);
    assert_true(wr_sprite_hash(b.world, 0) == with);
    factors[1][count - 1] += 1.0f;
    assert_true(wr_sprite_hash(b.world, 0) != with);
    end(&a);
    end(&b);
    free(factors[0]);
    free(factors[1]);
}

// A program of 32 bits has other pointers and other gaps in its structs: the sum is spelled out as
// what it is made of, number by number.
static void a_hash_is_made_of_numbers_alone(void **state)
{
    (void)state;
    trial t = busy_world(NULL);
    run(&t, 0.5f, DT);
    const wri_sprite *s = wri_sprite_of(t.world, 1);
    const float *arrays[4] = {s->x, s->y, s->vx, s->vy};
    uint64_t hash = 0;
    for (int k = 0; k < 4; k++) {
        hash = wri_hash(arrays[k], (size_t)s->asset->N * sizeof(float), hash);
    }
    assert_int_equal(sizeof s->state, 4 * 8 + 4 * 16 + 28 * 4 + 12 * WR_SPRITE_NAILS_MAX);
    hash = wri_hash(&s->state, sizeof s->state, hash);
    const wr_sprite_parameters *p = &s->parameters;
    const double numbers[] = {(double)p->firmness,  (double)p->hold,    p->rounds,
                              (double)p->wobble,    (double)p->settle,  (double)p->give,
                              (double)p->give_from, p->give_way,        (double)p->stretch,
                              (double)p->bounce,    (double)p->release, p->aim,
                              (double)p->angle,     p->smooth,          (double)p->aim_strength,
                              (double)p->drag,      (double)p->gravity, (double)p->friction,
                              p->give_example,      p->stretch_example};
    assert_true(wri_hash(numbers, sizeof numbers, hash) == wr_sprite_hash(t.world, 1));
    end(&t);
}

static void a_step_takes_no_memory(void **state)
{
    (void)state;
    counting_heap heap = {.budget = 1 << 20};
    wr_allocator allocator = counting_allocator(&heap);
    trial t = busy_world(&allocator);
    int calls = heap.calls;
    run(&t, 2.0f, DT);
    assert_int_equal(heap.calls, calls);
    end(&t);
    assert_int_equal(heap.alive, 0);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    toy *made = toy_create_disc(0.5f, 3);
    wr_sprite_asset_desc asset_desc = wr_sprite_asset_desc_default();
    asset_desc.rig = &made->rig;
    wr_sprite_asset *asset = wr_sprite_asset_create(&asset_desc, NULL);
    assert_non_null(asset);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_sprite_world_desc desc = wr_sprite_world_desc_default();
        desc.allocator = &allocator;
        wr_sprite_world *world = wr_sprite_world_create(&desc, &error);
        wr_sprite_desc sprite = wr_sprite_desc_default();
        sprite.asset = asset;
        wr_sprite_level level = {.friction = 0.6f};
        done = world && wr_sprite_add(world, &sprite, &error) >= 0 &&
               wr_sprite_add_level(world, &level, &error) >= 0;
        if (!done) {
            assert_int_equal(error.code, WR_E_MEMORY);
        }
        if (world) { // whatever is in it can be stepped
            wr_sprite_world_step(world, DT, NULL);
        }
        wr_sprite_world_destroy(world);
        assert_int_equal(heap.alive, 0);
    }
    wr_sprite_asset_destroy(asset);
    toy_destroy(made);
}

// Parameters anywhere in their ranges, steps of any length, things thrown into one another.
static void nothing_a_caller_may_set_breaks_it(void **state)
{
    (void)state;
    uint64_t seed = 11;
    trial t = begin(G);
    const wr_sprite_asset *kinds[3] = {add_ball(&t, 1.0f, 3), add_block(&t, 1.2f, 0.5f, 6, 3),
                                       add_block(&t, 0.2f, 0.2f, 1, 1)};
    wr_sprite_world *shared = t.world;
    for (int round = 0; round < 60; round++) {
        wr_sprite_world_desc world = wr_sprite_world_desc_default();
        t.world = wr_sprite_world_create(&world, NULL);
        add_plane(&t, random_float(&seed, -0.5f, 0.5f), random_float(&seed, 0.0f, 2.0f));
        add_wall(&t, 1.0f, 0.5f, random_float(&seed, 0.01f, 1.0f), 2.0f);
        for (int i = 0; i < 6; i++) {
            wr_sprite_desc desc = wr_sprite_desc_default();
            wr_sprite_parameters *p = &desc.parameters;
            desc.asset = kinds[random_bits(&seed) % 3];
            desc.position = (wr_vec2){random_float(&seed, -1, 2), random_float(&seed, 0, 3)};
            desc.velocity = (wr_vec2){random_float(&seed, -90, 90), random_float(&seed, -90, 90)};
            desc.angular_velocity = random_float(&seed, -90, 90);
            p->firmness = random_float(&seed, 0, 1);
            p->hold = random_float(&seed, 0, 1.2f) > 1.0f ? 1.0f : random_float(&seed, 0, 1);
            p->rounds = 1 + (int)(random_bits(&seed) % 8);
            p->wobble = random_float(&seed, 0, 1);
            p->settle = random_float(&seed, 0, 1);
            p->give = random_float(&seed, 0, 20);
            p->give_from = random_float(&seed, 0, 0.1f);
            p->give_way = (wr_sprite_energy)(random_bits(&seed) % 3);
            p->give_example = (int)(random_bits(&seed) % TOY_EXAMPLES);
            p->stretch = random_float(&seed, 0, 5);
            p->stretch_example = (int)(random_bits(&seed) % (TOY_EXAMPLES + 1)) - 1;
            p->bounce = random_float(&seed, 0, 2);
            p->release = random_float(&seed, 0.01f, 1);
            p->aim = (wr_sprite_aim)(random_bits(&seed) % 4);
            p->angle = random_float(&seed, -9, 9);
            p->smooth = random_bits(&seed) % 2;
            p->aim_strength = random_float(&seed, 0, p->smooth ? 100.0f : 1.0f);
            p->drag = random_float(&seed, 0, 5);
            p->friction = random_float(&seed, 0, 3);
            p->gravity = random_float(&seed, -2, 2);
            add(&t, &desc);
        }
        float dt = random_float(&seed, 0.0005f, 0.1f);
        for (int step = 0; step < 60; step++) {
            if (step % 10 == 9) {
                wr_sprite_flip(t.world, step % 6);
                wr_sprite_move_level(t.world, 1, (wr_vec2){random_float(&seed, -2, 2), 0.5f},
                                     random_float(&seed, -3, 3));
            }
            wr_sprite_world_step(t.world, dt, NULL);
        }
        for (int i = 0; i < 6; i++) {
            assert_true(wr_sprite_is_sound(t.world, i));
        }
        wr_sprite_world_destroy(t.world);
    }
    t.world = shared;
    end(&t);
}

static void bad_values_are_said(void **state)
{
    (void)state;
    trial t = begin(G);
    wr_error error = {0};
    wr_sprite_desc desc = describe(add_ball(&t, 1.0f, 3), 0.0f, 0.0f);
    desc.parameters.firmness = 2.0f;
    assert_true(wr_sprite_add(t.world, &desc, &error) < 0);
    assert_non_null(strstr(error.message, "firmness"));
    desc = describe(t.assets[0], NAN, 0.0f);
    assert_true(wr_sprite_add(t.world, &desc, &error) < 0);
    assert_non_null(strstr(error.message, "position"));
    desc = describe(t.assets[0], 0.0f, 0.0f);
    desc.pose = (wr_sprite_point){.simplex = 99, .shares = {1.0f}};
    assert_true(wr_sprite_add(t.world, &desc, &error) < 0);
    assert_non_null(strstr(error.message, "pose"));
    const wr_vec2 dent[4] = {{0, 0}, {1, 0}, {0.2f, 0.2f}, {0, 1}};
    wr_sprite_level level = {.corners = dent, .corner_count = 4};
    assert_true(wr_sprite_add_level(t.world, &level, &error) < 0);
    assert_non_null(strstr(error.message, "convex"));
    desc.pose.simplex = -1;
    int ball = add(&t, &desc);
    wr_sprite_parameters p = wr_sprite_parameters_default();
    p.stretch_example = TOY_EXAMPLES;
    assert_false(wr_sprite_set_parameters(t.world, ball, &p, &error));
    assert_non_null(strstr(error.message, "stretch_example"));
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thrown_sprite_flies_a_parabola),
        cmocka_unit_test(matching_adds_no_momentum),
        cmocka_unit_test(a_soft_body_in_space_keeps_its_momentum),
        cmocka_unit_test(colliding_sprites_keep_momentum),
        cmocka_unit_test(a_mirrored_sprite_is_solid_too),
        cmocka_unit_test(a_row_of_three_keeps_momentum),
        cmocka_unit_test(what_overlaps_at_the_start_parts_gently),
        cmocka_unit_test(what_is_deep_in_another_gets_out),
        cmocka_unit_test(what_parts_leaves_the_common_centre_where_it_is),
        cmocka_unit_test(a_springy_heap_calms_down),
        cmocka_unit_test(sprites_that_do_not_feel_one_another_pass),
        cmocka_unit_test(pins_hold_layers_together),
        cmocka_unit_test(drag_slows_by_its_share_of_the_pose),
        cmocka_unit_test(a_resting_box_rests),
        cmocka_unit_test(a_stack_of_three_stands),
        cmocka_unit_test(friction_holds_up_to_its_angle),
        cmocka_unit_test(a_driven_level_carries_what_stands_on_it),
        cmocka_unit_test(the_seam_between_two_pieces_stops_nothing),
        cmocka_unit_test(a_fast_ball_does_not_pass_a_thin_wall),
        cmocka_unit_test(nothing_fast_passes_a_wall),
        cmocka_unit_test(nothing_fast_passes_another),
        cmocka_unit_test(what_stands_on_a_lift_stays_when_it_stops),
        cmocka_unit_test(a_bounce_seen_from_a_lift_is_that_on_the_ground),
        cmocka_unit_test(a_corner_of_the_level_does_not_slip_between_particles),
        cmocka_unit_test(a_hundred_in_a_pit_stay_in_it),
        cmocka_unit_test(a_restored_world_goes_on_bit_by_bit),
        cmocka_unit_test(any_number_of_threads_makes_the_same_bits),
        cmocka_unit_test(a_snapshot_is_of_one_drawing),
        cmocka_unit_test(a_hash_knows_what_drag_there_is_and_not_where_it_is_kept),
        cmocka_unit_test(a_hash_is_made_of_numbers_alone),
        cmocka_unit_test(a_step_takes_no_memory),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(nothing_a_caller_may_set_breaks_it),
        cmocka_unit_test(bad_values_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
