// What nails promise, from physics: pendulums, beams that carry, momentum that a nail takes.
#include "sprite_trial.h"

// --- nailed blocks ----------------------------------------------------------------------------

enum { ACROSS = 20, UP = 4, BENT = TOY_SHEARED };

// The particle of a block with UP + 1 rows, counted from the lower left.
static int at(int column, int row)
{
    return row * (ACROSS + 1) + column;
}

static void nail(const trial *t, int sprite, int particle)
{
    wr_error error = {0};
    wr_vec2 place = wr_sprite_positions(t->world, sprite)[particle];
    if (!wr_sprite_set_nail(t->world, sprite, particle, place, &error)) {
        fail_msg("%s", error.message);
    }
}

// A beam 2 m wide; its last example hangs down by `depth` in the middle.
static const wr_sprite_asset *add_beam(trial *t, float depth)
{
    const float half = 1.0f;
    toy *made = toy_create_block(2.0f * half, 0.2f, ACROSS, UP);
    for (int b = 0; b < TOY_HANDLES; b++) {
        float x = made->handles[b].pivot.x, slope = 2.0f * depth * x / (half * half);
        wr_mat34 map = WR_MAT34_IDENTITY;
        map.m[1][0] = slope;
        map.m[1][3] = -depth * (1.0f - x * x / (half * half)) - slope * x;
        made->poses[BENT][b] = wr_handle_pose_from_affine(map, made->handles[b].pivot);
    }
    return add_asset(t, made);
}

static int add_nailed_beam(trial *t, const wr_sprite_desc *desc)
{
    int beam = add(t, desc);
    nail(t, beam, at(0, UP / 2));
    nail(t, beam, at(ACROSS, UP / 2));
    return beam;
}

// About a particle: moment of inertia, and how far from it the centre of mass is.
static double inertia_about(const trial *t, int sprite, int particle, double *distance)
{
    const wr_sprite_asset *asset = wr_sprite_get_asset(t->world, sprite);
    const wr_vec2 *x = wr_sprite_positions(t->world, sprite);
    double sum = 0.0, cx = 0.0, cy = 0.0;
    for (int i = 0; i < asset->N; i++) {
        double m = (double)asset->masses[i], dx = (double)(x[i].x - x[particle].x),
               dy = (double)(x[i].y - x[particle].y);
        sum += m * (dx * dx + dy * dy);
        cx += m * dx / (double)asset->mass;
        cy += m * dy / (double)asset->mass;
    }
    *distance = sqrt(cx * cx + cy * cy);
    return sum;
}

// --- swinging ---------------------------------------------------------------------------------

static void a_pendulum_keeps_its_period_and_its_swing(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const float holds[3] = {1.0f, 0.97f, 0.6f}, amplitude = 0.25f;
        trial t = begin(G);
        wr_sprite_desc desc = describe(add_beam(&t, 0.0f), 0.0f, 0.0f);
        desc.angle = -0.5f * WR_PI + amplitude; // hangs from its left end
        desc.parameters.hold = holds[k];
        int beam = add(&t, &desc), top = at(0, UP / 2);
        nail(&t, beam, top);
        double d, I = inertia_about(&t, beam, top, &d);
        double mass = (double)wr_sprite_asset_describe(t.assets[0]).mass;
        double period = 2.0 * (double)WR_PI * sqrt(I / (mass * (double)G * d)) *
                        (1.0 + (double)(amplitude * amplitude) / 16.0);
        wr_vec2 place = wr_sprite_positions(t.world, beam)[top];
        double last = 0.0, crossed[9], swing = 0.0;
        int n = 0;
        for (int step = 1; n < 9 && step < 3000; step++) {
            wr_sprite_world_step(t.world, DT, NULL);
            double x = (double)facts_of(&t, beam).center.x - (double)place.x;
            if (last > 0.0 && x <= 0.0) {
                crossed[n++] = ((double)step - x / (x - last)) * (double)DT;
            }
            swing = n >= 8 ? fmax(swing, fabs(x)) : 0.0;
            last = x;
            CHECK_NEAR(wr_sprite_positions(t.world, beam)[top].x, place.x, 1e-6);
            CHECK_NEAR(wr_sprite_positions(t.world, beam)[top].y, place.y, 1e-6);
        }
        assert_int_equal(n, 9);
        double found = (crossed[8] - crossed[0]) / 8.0;
        swing /= d * sin((double)amplitude);
        print_message("    hold %.2f: period %.4f s of %.4f, %.3f of its swing left\n",
                      (double)holds[k], found, period, swing);
        CHECK_NEAR(found / period, 1.0, 0.01);
        CHECK_NEAR(swing, 1.0, 0.03);
        end(&t);
    }
}

// The nail is at the origin of the world: it takes momentum, but no angular momentum about it.
static void a_hit_on_a_rod_turns_it_about_its_nail(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    wr_sprite_desc rod = describe(add_beam(&t, 0.0f), 1.0f, 0.0f);
    wr_sprite_desc ball = describe(add_ball(&t, 0.4f, 4), 0.6f, 0.7f);
    ball.velocity = (wr_vec2){2.0f, -4.0f};
    ball.parameters.friction = rod.parameters.friction = 0.0f;
    int beam = add(&t, &rod), b = add(&t, &ball);
    nail(&t, beam, at(0, UP / 2));
    momentum before = momentum_of(&t);
    for (int i = 0; i < 40; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        momentum now = momentum_of(&t);
        CHECK_NEAR(now.turn / before.turn, 1.0, 1e-3);
    }
    wr_sprite_facts f = facts_of(&t, beam), g = facts_of(&t, b);
    momentum after = momentum_of(&t);
    double d, I = inertia_about(&t, beam, at(0, UP / 2), &d);
    print_message("    rod %.3f rad/s, ball %.3f m/s; the nail took %.3f of %.3f kg m/s\n",
                  (double)f.angular_velocity, (double)g.velocity.y, before.y - after.y, before.y);
    // Without friction the ball keeps its momentum along the rod; what it loses across it, the rod
    // has as angular momentum.
    double m = (double)wr_sprite_asset_describe(t.assets[1]).mass, lost = 0.0;
    lost = before.turn - m * ((double)g.center.x * (double)g.velocity.y -
                              (double)g.center.y * (double)g.velocity.x);
    assert_true(f.angular_velocity < -0.5f);
    CHECK_NEAR(I * (double)f.angular_velocity, lost, 0.03 * fabs(lost));
    assert_true(fabs(before.y - after.y) > 0.1 * fabs(before.y));
    CHECK_NEAR(f.velocity.y, (double)f.angular_velocity * (double)f.center.x,
               0.01); // a turn about the nail
    end(&t);
}

// One contact pushes the middle row up by 1 mm at 0.5 m from the left end.
static wri_touch press(const trial *t, int sprite)
{
    wri_sprite *s = wri_sprite_of(t->world, sprite);
    wri_sprite_begin_match(s);
    wri_sprite_fit_whole(s);
    wri_touch *touch = wri_sprite_add_touch(t->world);
    int i = at(ACROSS / 4, UP / 2);
    *touch = (wri_touch){.a = &s->whole, .normal = {0.0f, 1.0f}, .depth = 1e-3f, .share = 1.0f};
    touch->at_a[0] = s->x[i] - (float)s->center[0];
    touch->at_a[1] = s->y[i] - (float)s->center[1];
    wri_sprite_solve_touches(t->world);
    return *touch;
}

static void a_push_finds_what_nails_leave_free(void **state)
{
    (void)state;
    trial t = begin(G);
    wr_sprite_desc desc = describe(add_beam(&t, 0.0f), 0.0f, 0.0f);
    int beam = add(&t, &desc), left = at(0, UP / 2), pushed = at(ACROSS / 4, UP / 2);
    nail(&t, beam, left);
    double d, I = inertia_about(&t, beam, left, &d);
    wri_sprite *s = wri_sprite_of(t.world, beam);
    float end_y = s->y[at(ACROSS, UP / 2)], y = s->y[pushed];
    wri_touch touch = press(&t, beam);
    CHECK_NEAR(touch.lambda_n, 1e-3 * I / (0.5 * 0.5), 1e-4 * I); // (r x n)^2 / I gives way
    CHECK_NEAR(s->y[pushed] - y, 1e-3, 1e-5);
    CHECK_NEAR(s->y[at(ACROSS, UP / 2)] - end_y, 4e-3, 4e-5); // at 2 m four times as far
    CHECK_NEAR(s->whole.positional_impulse[1], touch.lambda_n, 1e-6);
    nail(&t, beam, at(ACROSS, UP / 2));
    s->whole.positional_impulse[1] = 0.0f;
    y = s->y[pushed];
    press(&t, beam);
    CHECK_NEAR(s->y[pushed], y, 1e-7); // nothing is left free
    CHECK_NEAR(s->whole.positional_impulse[1], 0.0, 1e-9);
    end(&t);
}

static void a_cannon_turns_about_its_nail(void **state)
{
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++) {
        trial t = begin(G);
        wr_sprite_desc desc = describe(add_beam(&t, 0.0f), 0.0f, 0.0f);
        desc.parameters.aim = WR_SPRITE_AIM_ANGLE;
        desc.parameters.angle = 0.8f;
        desc.parameters.smooth = smooth;
        desc.parameters.aim_strength = smooth ? 20.0f : 0.5f;
        int beam = add(&t, &desc), end_of_it = at(0, UP / 2);
        wr_vec2 place = wr_sprite_positions(t.world, beam)[end_of_it];
        nail(&t, beam, end_of_it);
        run(&t, 1.5f, DT);
        wr_vec2 now = wr_sprite_positions(t.world, beam)[end_of_it];
        wr_sprite_facts f = facts_of(&t, beam);
        CHECK_NEAR(now.x, place.x, 1e-6);
        CHECK_NEAR(now.y, place.y, 1e-6);
        CHECK_NEAR(f.angle, 0.8, 0.06); // less what its weight turns it
        CHECK_NEAR(f.center.x, (double)place.x + cos((double)f.angle), 0.02);
        CHECK_NEAR(f.center.y, (double)place.y + sin((double)f.angle), 0.02);
        CHECK_NEAR(f.angular_velocity, 0.0, 0.2);
        end(&t);
    }
}

// A reservoir that pushed it off the wall would get its energy from the nail.
static void a_bell_rings_no_higher_however_bouncy(void **state)
{
    (void)state;
    trial t = begin(G);
    wr_sprite_desc desc = describe(add_beam(&t, 0.0f), 0.0f, 0.0f);
    desc.angle = -0.5f * WR_PI + 0.6f;
    desc.parameters.bounce = 3.0f;
    int beam = add(&t, &desc), top = at(0, UP / 2);
    nail(&t, beam, top);
    wr_vec2 place = wr_sprite_positions(t.world, beam)[top];
    add_wall(&t, place.x - 0.6f, place.y - 1.5f, 1.0f, 2.0f); // its right side just left of below
    float start = facts_of(&t, beam).center.y, highest = -INFINITY;
    bool touched = false;
    for (int i = 0; i < 600; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        touched = touched || facts_of(&t, beam).touching;
        highest = touched ? fmaxf(highest, facts_of(&t, beam).center.y) : highest;
    }
    print_message("    up to %.3f of its height\n",
                  (double)((highest - place.y + 1.0f) / (start - place.y + 1.0f)));
    assert_true(touched && highest < start);
    CHECK_NEAR(facts_of(&t, beam).velocity.x, 0.0, 0.02);
    end(&t);
}

// --- hanging between nails --------------------------------------------------------------------

static void a_beam_between_nails_sags_evenly_and_rests(void **state)
{
    (void)state;
    float sags[4];
    for (int k = 0; k < 4; k++) {
        const float holds[4] = {0.97f, 0.6f, 0.3f, 0.0f};
        trial t = begin(G);
        wr_sprite_desc desc = describe(add_beam(&t, 0.0f), 3.0f, 2.0f);
        desc.parameters.hold = holds[k];
        int beam = add_nailed_beam(&t, &desc);
        run(&t, 3.0f, DT);
        const wr_vec2 *x = wr_sprite_positions(t.world, beam);
        float uneven = 0.0f;
        sags[k] = 2.0f - x[at(ACROSS / 2, UP / 2)].y;
        for (int c = 0; c <= ACROSS / 2; c++) {
            wr_vec2 a = x[at(c, UP / 2)], b = x[at(ACROSS - c, UP / 2)];
            uneven = fmaxf(uneven, fabsf(a.y - b.y));
            uneven = fmaxf(uneven, fabsf(a.x - 3.0f + (b.x - 3.0f)));
            assert_true(c == 0 || x[at(c, UP / 2)].y <= x[at(c - 1, UP / 2)].y + 1e-4f);
        }
        // It hangs on its nails with all of its neighbourhood: nothing tears out there.
        float at_nail = hypotf(x[at(1, UP / 2)].x - x[at(0, UP / 2)].x,
                               x[at(1, UP / 2)].y - x[at(0, UP / 2)].y);
        assert_true(at_nail < 1.1f * 2.0f / ACROSS);
        float fastest = 0.0f;
        for (int i = 0; i < 60; i++) {
            wr_sprite_world_step(t.world, DT, NULL);
            fastest = fmaxf(fastest, extent_of(&t, beam).speed);
        }
        print_message("    hold %.2f: sags by %.4f m, uneven by %.6f m, fastest %.6f m/s\n",
                      (double)holds[k], (double)sags[k], (double)uneven, (double)fastest);
        assert_true(uneven < 0.02f * sags[k] + 1e-4f);
        assert_true(fastest < 1e-3f); // of a fall speed of 6 m/s
        assert_true(k == 0 || sags[k] > sags[k - 1]);
        end(&t);
    }
    assert_true(sags[0] < 0.01f && sags[3] > 0.05f && sags[3] < 0.6f);
}

// A rope with something on it; what it carries does not move, so its nails carry both.
static void a_rope_carries_a_load(void **state)
{
    (void)state;
    trial t = begin(G);
    wr_sprite_desc desc = describe(add_beam(&t, 0.0f), 0.0f, 0.0f);
    wr_sprite_desc load = describe(add_ball(&t, 0.4f, 4), 0.0f, 0.3f);
    desc.parameters.hold = 0.01f;
    desc.parameters.rounds = 8;
    int rope = add_nailed_beam(&t, &desc);
    run(&t, 3.0f, DT);
    float empty = wr_sprite_positions(t.world, rope)[at(ACROSS / 2, UP)].y;
    load.position.y = empty + 0.25f;
    int ball = add(&t, &load);
    run(&t, 6.0f, DT);
    momentum sum = {0};
    float fastest = 0.0f;
    for (int i = 0; i < 60; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        momentum now = momentum_of(&t);
        sum.x = fmax(sum.x, fabs(now.x));
        sum.y = fmax(sum.y, fabs(now.y));
        fastest = fmaxf(fastest, fmaxf(extent_of(&t, ball).speed, extent_of(&t, rope).speed));
    }
    float loaded = wr_sprite_positions(t.world, rope)[at(ACROSS / 2, UP)].y;
    double weight = (double)G * (double)(wr_sprite_asset_describe(t.assets[0]).mass +
                                         wr_sprite_asset_describe(t.assets[1]).mass);
    print_message("    sags by %.3f m, with the load %.3f; fastest %.4f m/s\n", 0.1 - (double)empty,
                  0.1 - (double)loaded, (double)fastest);
    assert_true(loaded < empty - 0.02f);
    assert_true(facts_of(&t, ball).on_ground);
    assert_true(extent_of(&t, ball).low > loaded - 0.04f);
    assert_true(fastest < 0.02f);
    // In a second the weight would have given them this much; the nails took it.
    assert_true(sum.x < 0.005 * weight && sum.y < 0.005 * weight);
    end(&t);
}

static void let_go_it_falls_free(void **state)
{
    (void)state;
    trial t = begin(G);
    wr_sprite_desc desc = describe(add_beam(&t, 0.0f), 0.0f, 0.0f);
    int beam = add_nailed_beam(&t, &desc);
    run(&t, 1.0f, DT);
    wr_sprite_facts from = facts_of(&t, beam);
    CHECK_NEAR(from.center.y, 0.0, 0.01);
    wr_sprite_remove_nail(t.world, beam, at(0, UP / 2));
    wr_sprite_remove_nail(t.world, beam, at(ACROSS, UP / 2));
    wr_sprite_remove_nail(t.world, beam, at(3, 0)); // there is none: nothing happens
    run(&t, 0.5f, DT);
    wr_sprite_facts to = facts_of(&t, beam);
    CHECK_NEAR(to.center.y - from.center.y, -0.5 * (double)G * 0.5 * (0.5 + (double)DT), 1e-3);
    CHECK_NEAR(to.velocity.y, -0.5 * (double)G, 1e-3);
    CHECK_NEAR(to.center.x, from.center.x, 1e-4);
    CHECK_NEAR(to.angle, 0.0, 1e-3);
    end(&t);
}

static void a_nail_that_moves_takes_it_along(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    wr_sprite_desc desc = describe(add_beam(&t, 0.0f), 0.0f, 0.0f);
    int beam = add_nailed_beam(&t, &desc);
    const int nails[2] = {at(0, UP / 2), at(ACROSS, UP / 2)};
    wr_vec2 places[2];
    for (int k = 0; k < 2; k++) {
        places[k] = wr_sprite_positions(t.world, beam)[nails[k]];
    }
    for (int i = 1; i <= 120; i++) {
        for (int k = 0; k < 2; k++) {
            places[k].x += 1.2f * DT;
            places[k].y += 0.6f * DT;
            assert_true(wr_sprite_set_nail(t.world, beam, nails[k], places[k], NULL));
        }
        wr_sprite_world_step(t.world, DT, NULL);
        wr_vec2 v = wr_sprite_velocities(t.world, beam)[nails[0]];
        CHECK_NEAR(v.x, 1.2, 1e-3);
        CHECK_NEAR(v.y, 0.6, 1e-3);
    }
    wr_sprite_facts f = facts_of(&t, beam);
    CHECK_NEAR(f.center.x, 2.4, 0.01);
    CHECK_NEAR(f.center.y, 1.2, 0.01);
    CHECK_NEAR(f.velocity.x, 1.2, 0.01);
    CHECK_NEAR(f.velocity.y, 0.6, 0.01);
    wr_sprite_world_step(t.world, DT, NULL); // not told anything new they stand still
    CHECK_NEAR(wr_sprite_velocities(t.world, beam)[nails[0]].x, 0.0, 1e-3);
    end(&t);
}

// --- platforms --------------------------------------------------------------------------------

typedef struct landing {
    float lowest, highest; // of the ball from its place on the platform: in the hit, after it
    float bent, left;      // of the platform, at most; at last
    float fastest;         // at last
} landing;

// A ball falls by 1 m onto the middle of a platform, in steps of dt.
static landing land(const wr_sprite_parameters *platform, float bounce, float dt)
{
    trial t = begin(G);
    wr_sprite_desc desc = describe(add_beam(&t, 0.4f), 0.0f, 0.0f);
    wr_sprite_desc falling = describe(add_ball(&t, 0.4f, 4), 0.0f, 1.3f);
    desc.parameters = *platform;
    falling.parameters.bounce = bounce;
    int beam = add_nailed_beam(&t, &desc), ball = add(&t, &falling);
    landing l = {INFINITY, -INFINITY, 0.0f, 0.0f, 0.0f};
    bool rises = false;
    for (int i = 0; i < (int)(5.0f / dt); i++) {
        wr_sprite_world_step(t.world, dt, NULL);
        wr_sprite_facts f = facts_of(&t, ball), g = facts_of(&t, beam);
        rises = rises || f.velocity.y > 0.0f;
        l.lowest = fminf(l.lowest, f.center.y - 0.3f);
        if (rises && (float)i * dt < 1.4f) { // once up and down
            l.highest = fmaxf(l.highest, f.center.y - 0.3f);
        }
        l.left = share_of(&t, beam, g.projected, BENT);
        l.bent = fmaxf(l.bent, l.left);
        l.fastest = fmaxf(extent_of(&t, beam).speed, extent_of(&t, ball).speed);
    }
    end(&t);
    return l;
}

static wr_sprite_parameters stiff(void)
{
    wr_sprite_parameters p = wr_sprite_parameters_default();
    p.give = 0.0f;
    p.bounce = 1.0f;
    return p;
}

static wr_sprite_parameters springy(void)
{
    wr_sprite_parameters p = stiff();
    p.give = 12.0f;
    p.give_way = WR_SPRITE_ENERGY_EXAMPLE;
    p.give_example = BENT;
    p.firmness = 0.7f;
    p.hold = 0.9f;
    p.wobble = 1.0f;
    p.settle = 0.1f;
    return p;
}

// In steps of 1/240 s the same numbers make a livelier spring, so that less of them does.
static void a_springy_platform_bends_and_throws_up_again(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        wr_sprite_parameters rigid = stiff(), spring = springy();
        float dt = k ? 1.0f / 240.0f : DT;
        spring.give = k ? 3.0f : spring.give;
        spring.wobble = k ? 0.8f : spring.wobble;
        landing a = land(&rigid, 0.0f, dt), b = land(&spring, 0.0f, dt);
        print_message("    stiff: bent by %.3f, up to %.3f m; springy: by %.3f, down to %.3f m, up "
                      "to %.3f; at last %.3f, %.4f m/s\n",
                      (double)a.bent, (double)a.highest, (double)b.bent, (double)b.lowest,
                      (double)b.highest, (double)b.left, (double)b.fastest);
        assert_true(a.bent < 0.05f && b.bent > 0.25f);
        assert_true(b.lowest < -0.02f);
        assert_true(a.highest < 0.05f && b.highest > a.highest + 0.1f);
        assert_true(b.left < 0.05f && a.fastest < 0.01f);
    }
}

// Its own bounce times the platform's, as of the level's; neutral it comes back to where it was.
static void what_lands_on_a_platform_bounces_by_both(void **state)
{
    (void)state;
    const float bounces[5] = {0.3f, 0.6f, 0.8f, 1.0f, 1.2f};
    float last = -1.0f;
    for (int k = 0; k < 5; k++) {
        wr_sprite_parameters p = stiff();
        p.bounce = bounces[k];
        landing l = land(&p, 1.0f, DT);
        print_message("    bounce %.1f: up to %.3f m\n", (double)bounces[k], (double)l.highest);
        assert_true(l.highest > last);
        CHECK_NEAR(l.highest, (double)(bounces[k] * bounces[k]), 0.08);
        last = l.highest;
    }
}

// --- snapshots, errors ------------------------------------------------------------------------

static trial busy_world(bool nailed)
{
    trial t = begin(G);
    wr_sprite_desc desc = describe(add_beam(&t, 0.4f), 0.0f, 0.0f);
    wr_sprite_desc ball = describe(add_ball(&t, 0.4f, 4), 0.2f, 0.8f);
    desc.parameters = springy();
    int beam = add(&t, &desc);
    desc.position.y = -1.0f;
    int rod = add(&t, &desc);
    add(&t, &ball);
    if (nailed) {
        nail(&t, beam, at(0, UP / 2));
        nail(&t, beam, at(ACROSS, UP / 2));
        nail(&t, rod, at(3, 0));
    }
    return t;
}

static void a_restored_world_goes_on_bit_by_bit(void **state)
{
    (void)state;
    trial a = busy_world(true), b = busy_world(false);
    run(&a, 0.5f, DT);
    wr_sprite_remove_nail(a.world, 0, at(0, UP / 2));
    for (int i = 0; i < 3; i++) {
        size_t size = wr_sprite_save_size(a.world, i);
        uint8_t *bytes = malloc(size);
        wr_error error = {0};
        wr_sprite_save(a.world, i, bytes);
        assert_true(wr_sprite_restore(b.world, i, bytes, size, &error));
        free(bytes);
    }
    for (int step = 0; step < 60; step++) {
        for (int i = 0; i < 3; i++) {
            assert_true(wr_sprite_hash(a.world, i) == wr_sprite_hash(b.world, i));
        }
        wr_sprite_world_step(a.world, DT, NULL);
        wr_sprite_world_step(b.world, DT, NULL);
    }
    uint64_t hash = wr_sprite_hash(a.world, 1);
    nail(&a, 1, at(5, 0));
    assert_true(wr_sprite_hash(a.world, 1) != hash); // nails are part of what it is
    end(&a);
    end(&b);
}

static void a_nail_that_was_never_used_changes_nothing(void **state)
{
    (void)state;
    trial a = busy_world(true), b = busy_world(false);
    for (int k = 0; k < 2; k++) {
        wr_sprite_remove_nail(a.world, 0, at(k ? ACROSS : 0, UP / 2));
    }
    wr_sprite_remove_nail(a.world, 1, at(3, 0));
    for (int step = 0; step < 30; step++) {
        wr_sprite_world_step(a.world, DT, NULL);
        wr_sprite_world_step(b.world, DT, NULL);
        assert_true(wr_sprite_hash(a.world, 0) == wr_sprite_hash(b.world, 0));
        assert_true(wr_sprite_hash(a.world, 1) == wr_sprite_hash(b.world, 1));
    }
    end(&a);
    end(&b);
}

static void a_mirrored_beam_stays_on_its_nails(void **state)
{
    (void)state;
    trial t = begin(G);
    wr_sprite_desc desc = describe(add_beam(&t, 0.0f), 3.0f, 0.0f);
    int beam = add_nailed_beam(&t, &desc);
    run(&t, 0.5f, DT);
    wr_sprite_flip(t.world, beam);
    for (int i = 0; i < 30; i++) {
        wr_sprite_world_step(t.world, DT, NULL);
        assert_true(extent_of(&t, beam).speed < 0.05f);
        CHECK_NEAR(facts_of(&t, beam).center.x, 3.0, 1e-3);
    }
    end(&t);
}

static void bad_nails_are_said(void **state)
{
    (void)state;
    trial t = begin(G);
    wr_error error = {0};
    wr_sprite_desc desc = describe(add_beam(&t, 0.0f), 0.0f, 0.0f);
    int beam = add(&t, &desc);
    const wr_vec2 here = {0.0f, 0.0f};
    const int wrong[2] = {-1, (ACROSS + 1) * (UP + 1)};
    for (int k = 0; k < 2; k++) {
        assert_false(wr_sprite_set_nail(t.world, beam, wrong[k], here, &error));
        assert_non_null(strstr(error.message, "particle"));
    }
    assert_false(wr_sprite_set_nail(t.world, beam, 0, (wr_vec2){NAN, 0.0f}, &error));
    assert_non_null(strstr(error.message, "finite"));
    for (int i = 0; i < WR_SPRITE_NAILS_MAX; i++) {
        nail(&t, beam, i);
    }
    nail(&t, beam, 0); // there already
    assert_false(wr_sprite_set_nail(t.world, beam, WR_SPRITE_NAILS_MAX, here, &error));
    assert_non_null(strstr(error.message, "32"));
    run(&t, 0.2f, DT);
    CHECK_NEAR(facts_of(&t, beam).center.y, 0.0, 0.02);
    end(&t);
}

// Nails put in, torn about and taken out anywhere, into one another and into the level.
static void nothing_a_nail_may_do_breaks_it(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 20; round++) {
        trial t = begin(G);
        add_plane(&t, random_float(&seed, -0.5f, 0.5f), 1.0f);
        add_wall(&t, 1.0f, 0.5f, 0.4f, 2.0f);
        const wr_sprite_asset *beam = add_beam(&t, 0.4f);
        for (int i = 0; i < 4; i++) {
            wr_sprite_desc desc = describe(beam, random_float(&seed, -1, 1), 0.5f * (float)i);
            desc.parameters = i % 2 ? springy() : stiff();
            desc.parameters.hold = random_float(&seed, 0, 1);
            desc.parameters.aim = (wr_sprite_aim)(random_bits(&seed) % 4);
            add(&t, &desc);
        }
        for (int step = 0; step < 90; step++) {
            int sprite = (int)(random_bits(&seed) % 4), particle = (int)(random_bits(&seed) % 105);
            wr_vec2 place = wr_sprite_positions(t.world, sprite)[particle];
            float way = step % 9 ? 0.05f : 3.0f;
            place.x += random_float(&seed, -way, way);
            place.y += random_float(&seed, -way, way);
            if (step % 3) {
                wr_sprite_remove_nail(t.world, sprite,
                                      wri_sprite_of(t.world, sprite)->state.nails[0].particle);
            } else {
                assert_true(wr_sprite_set_nail(t.world, sprite, particle, place, NULL));
            }
            if (step % 20 == 7) {
                wr_sprite_flip(t.world, sprite);
            }
            wr_sprite_world_step(t.world, DT, NULL);
            for (int i = 0; i < 4; i++) {
                assert_true(wr_sprite_is_sound(t.world, i));
            }
        }
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_keeps_its_period_and_its_swing),
        cmocka_unit_test(a_hit_on_a_rod_turns_it_about_its_nail),
        cmocka_unit_test(a_push_finds_what_nails_leave_free),
        cmocka_unit_test(a_cannon_turns_about_its_nail),
        cmocka_unit_test(a_bell_rings_no_higher_however_bouncy),
        cmocka_unit_test(a_beam_between_nails_sags_evenly_and_rests),
        cmocka_unit_test(a_rope_carries_a_load),
        cmocka_unit_test(let_go_it_falls_free),
        cmocka_unit_test(a_nail_that_moves_takes_it_along),
        cmocka_unit_test(a_springy_platform_bends_and_throws_up_again),
        cmocka_unit_test(what_lands_on_a_platform_bounces_by_both),
        cmocka_unit_test(a_restored_world_goes_on_bit_by_bit),
        cmocka_unit_test(a_nail_that_was_never_used_changes_nothing),
        cmocka_unit_test(a_mirrored_beam_stays_on_its_nails),
        cmocka_unit_test(bad_nails_are_said),
        cmocka_unit_test(nothing_a_nail_may_do_breaks_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
