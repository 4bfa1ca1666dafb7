// test_sprite_demo.c: what the shipped scenes of sprites promise: the hero walks steadily and stays
// upright, games get where they shall, and what has come to rest neither sinks in nor trembles.
#include "sprite_depth.h"
#include "sprite_show.h"

#include "wrought/controller.h"

// --- at rest ----------------------------------------------------------------------------------

static float top_speed(const show *g, int sprite)
{
    const wr_vec2 *v = wr_sprite_velocities(g->sprites, sprite);
    float top = 0.0f;
    for (int i = 0; i < wr_sprite_get_asset(g->sprites, sprite)->N; i++) {
        top = fmaxf(top, sqrtf(v[i].x * v[i].x + v[i].y * v[i].y));
    }
    return top;
}

// --- walking ----------------------------------------------------------------------------------

// The hero's scene as it is, but with a floor as long as the way, and the button held. A scene is
// plain data before its world is made.
static wr_scene *long_walk(wr_buttons_down *right)
{
    wr_scene *scene = read_shipped("hero");
    wr_scene_body *bodies = (wr_scene_body *)(uintptr_t)scene->bodies;
    for (int i = 0; i < scene->body_count; i++) {
        if (bodies[i].rigid.motion == WR_MOTION_STATIC) {
            bodies[i].rigid.pose.position.y = -50.0f;
        }
    }
    wr_scene_body *floor = &bodies[body_of(scene, "ground")];
    floor->rigid.pose.position = wr_v3(100.0f, -1.0f, 0.0f);
    floor->rigid.shape.size.x = 300.0f;
    wr_scene_body *hero = &bodies[body_of(scene, "hero")];
    wr_sprite_setup *setup = (wr_sprite_setup *)(uintptr_t)hero->setup;
    *right = (wr_buttons_down){0, 1u << setup->controller->right};
    setup->played = right;
    setup->played_count = 1;
    return scene;
}

static void the_hero_walks_steadily_and_upright_for_a_minute(void **state)
{
    (void)state;
    wr_buttons_down right;
    show g = play(long_walk(&right));
    int hero = sprite_of(&g, "hero");
    const float pace = 0.9f * wr_sprite_get_asset(g.sprites, hero)->L; // as its controller says
    double ways[60], sum = 0.0;
    for (int second = 0; second < 60; second++) {
        float from = wr_sprite_get_facts(g.sprites, hero).center.x;
        for (int f = 0; f < 60; f++) {
            wr_world_step_frame(g.world);
            CHECK_NEAR(wr_sprite_get_facts(g.sprites, hero).angle, 0.0, 0.3);
        }
        ways[second] = (double)(wr_sprite_get_facts(g.sprites, hero).center.x - from);
        sum += second > 0 ? ways[second] : 0.0; // it starts from rest
    }
    double mean = sum / 59.0;
    CHECK_NEAR(mean, pace, 0.05 * pace);
    for (int second = 1; second < 60; second++) {
        CHECK_NEAR(ways[second], mean, 0.03 * mean);
    }
    end(&g);
}

// Mean horizontal speed of the particles that touch the floor, m/s; 0: none do.
static double sole_speed(const show *g, int hero)
{
    const float touching = 0.005f; // m
    const wr_vec2 *x = wr_sprite_positions(g->sprites, hero);
    const wr_vec2 *v = wr_sprite_velocities(g->sprites, hero);
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < wr_sprite_get_asset(g->sprites, hero)->N; i++) {
        if (x[i].y < touching) {
            sum += fabs((double)v[i].x);
            count++;
        }
    }
    return count ? sum / count : 0.0;
}

// Feet are drawn along with the distance travelled, not planted: docs/gallery/sprite.md says by how
// much they slide.
static void the_hero_s_feet_slide_no_more_than_said(void **state)
{
    (void)state;
    enum { SECONDS = 20 };
    wr_buttons_down right;
    show g = play(long_walk(&right));
    int hero = sprite_of(&g, "hero"), planted = 0;
    double sum = 0.0;
    for (int f = 0; f < 60 * (SECONDS + 2); f++) {
        wr_world_step_frame(g.world);
        double speed = f < 120 ? 0.0 : sole_speed(&g, hero);
        planted += f >= 120 && speed < 0.3;
        sum += speed;
    }
    print_message("    soles slide at %.2f m/s on average, below 0.3 m/s in %.0f %% of the time\n",
                  sum / (60.0 * SECONDS), 100.0 * planted / (60.0 * SECONDS));
    CHECK_NEAR(sum / (60.0 * SECONDS), 0.70, 0.05);
    CHECK_NEAR(planted / (60.0 * SECONDS), 0.26, 0.05);
    end(&g);
}

// --- the scenes as they are -------------------------------------------------------------------

// How far a body's start is shifted, m. A level is sound if that does not change where it ends:
// what hangs on the last bits ends differently with every compiler.
static const wr_vec2 shifts[] = {{0.0f, 0.0f}, {0.01f, 0.004f}, {-0.006f, 0.01f}};

static wr_scene *read_shifted(const char *name, const char *body, wr_vec2 by)
{
    wr_scene *scene = read_shipped(name);
    wr_scene_body *bodies = (wr_scene_body *)(uintptr_t)scene->bodies;
    wr_vec3 *position = &bodies[body_of(scene, body)].rigid.pose.position;
    position->x += by.x;
    position->y += by.y;
    return scene;
}

// Nothing explodes, and at the end, long after the last input, everything lies.
static void play_to_the_end(show *g)
{
    int count = wr_sprite_count(g->sprites), frames = wr_scene_frame_count(g->scene);
    while (wr_world_frame(g->world)->index < frames) {
        wr_world_step_frame(g->world);
        for (int i = 0; i < count; i++) {
            wr_vec2 v = wr_sprite_get_facts(g->sprites, i).velocity;
            CHECK_NEAR(sqrtf(v.x * v.x + v.y * v.y), 0.0, 20.0);
        }
    }
    assert_int_equal(wr_world_stats(g->world).frozen, 0);
    for (int i = 0; i < count; i++) {
        CHECK_NEAR(sprite_depth(g->sprites, i), 0.0, 0.02);
        CHECK_NEAR(top_speed(g, i), 0.0, 0.05);
    }
}

static void the_hero_comes_back_over_his_blocks(void **state)
{
    (void)state;
    show g = play(read_shipped("hero"));
    play_to_the_end(&g);
    wr_sprite_facts hero = facts_of(&g, "hero");
    assert_true(hero.on_ground && hero.flipped);
    CHECK_NEAR(hero.angle, 0.0, 0.05);
    CHECK_NEAR(hero.center.x, 3.7, 1.0); // between the gap and the lower block
    CHECK_NEAR(hero.center.y, 0.82, 0.05);
    end(&g);
}

static void the_snake_reaches_the_flag_from_wherever_it_starts(void **state)
{
    (void)state;
    for (int k = 0; k < WRI_COUNT(shifts); k++) {
        show g = play(read_shifted("platformer", "snake", shifts[k]));
        play_to_the_end(&g);
        wr_sprite_facts snake = facts_of(&g, "snake");
        print_message("    the snake is at %.2f, %.2f m\n", (double)snake.center.x,
                      (double)snake.center.y);
        assert_true(snake.on_ground);
        CHECK_NEAR(snake.center.x, 9.5, 0.3); // before the flag, on the finish that begins at 8.1
        CHECK_NEAR(snake.center.y, 0.4, 0.05);
        end(&g);
    }
}

static void the_ball_is_thrown_into_the_target_from_wherever_it_starts(void **state)
{
    (void)state;
    for (int k = 0; k < WRI_COUNT(shifts); k++) {
        show g = play(read_shifted("puzzle", "player", shifts[k]));
        play_to_the_end(&g);
        wr_vec2 ball = facts_of(&g, "player").center;
        print_message("    the ball is at %.2f, %.2f m\n", (double)ball.x, (double)ball.y);
        assert_true(ball.x > 6.4f && ball.x < 8.0f); // between the rims
        assert_true(ball.y > 1.4f && ball.y < 2.0f); // on the pillar, or on another ball there
        end(&g);
    }
}

// He sinks in until less than half of him looks out, and his jacket lifts him over the edge.
static void the_hero_dives_into_the_balls_and_rises_out_of_them(void **state)
{
    (void)state;
    show g = play(read_shipped("ragdoll"));
    int hero = sprite_of(&g, "hero"), frames = wr_scene_frame_count(g.scene);
    const float pace = 0.9f * wr_sprite_get_asset(g.sprites, hero)->L; // as his controller says
    float x[3] = {0}, deep = INFINITY, high = -INFINITY;
    for (int i = 1; i <= frames; i++) {
        wr_world_step_frame(g.world);
        wr_vec2 center = wr_sprite_get_facts(g.sprites, hero).center;
        if (i % 60 == 0 && i <= 180) {
            x[i / 60 - 1] = center.x;
        }
        deep = i < 6 * 60 ? fminf(deep, center.y) : deep; // before the jacket fills
        high = i > 6 * 60 ? fmaxf(high, center.y) : high;
    }
    print_message("    down to %.2f m, up to %.2f m\n", (double)deep, (double)high);
    CHECK_NEAR(x[1] - x[0], pace, 0.05 * pace);
    CHECK_NEAR(x[2] - x[1], pace, 0.05 * pace);
    assert_true(deep < -0.3f && high > 2.0f); // standing at the edge he is at 0.82
    wr_sprite_facts end_facts = wr_sprite_get_facts(g.sprites, hero);
    assert_true(end_facts.on_ground && end_facts.center.x > 4.0f);
    CHECK_NEAR(end_facts.center.y, 0.82, 0.05);
    for (int i = 0; i < wr_sprite_count(g.sprites); i++) {
        CHECK_NEAR(sprite_depth(g.sprites, i), 0.0, 0.02);
    }
    end(&g);
}

// Off the ground for as long as the button is held, and swinging.
static void the_hero_hangs_from_the_bar_until_he_lets_go(void **state)
{
    (void)state;
    show g = play(read_shipped("bar"));
    float least = 0.0f, most = 0.0f;
    for (int i = 1; i <= wr_scene_frame_count(g.scene); i++) {
        wr_world_step_frame(g.world);
        wr_sprite_facts hero = facts_of(&g, "hero");
        if (i > 90 && i < 174) { // 1.5 to 2.9 s
            assert_true(hero.center.y > 1.3f);
            least = fminf(least, hero.angle);
            most = fmaxf(most, hero.angle);
        }
    }
    assert_true(most - least > 0.5f);
    assert_true(facts_of(&g, "hero").center.y < 1.0f);
    end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hero_walks_steadily_and_upright_for_a_minute),
        cmocka_unit_test(the_hero_s_feet_slide_no_more_than_said),
        cmocka_unit_test(the_hero_comes_back_over_his_blocks),
        cmocka_unit_test(the_snake_reaches_the_flag_from_wherever_it_starts),
        cmocka_unit_test(the_ball_is_thrown_into_the_target_from_wherever_it_starts),
        cmocka_unit_test(the_hero_dives_into_the_balls_and_rises_out_of_them),
        cmocka_unit_test(the_hero_hangs_from_the_bar_until_he_lets_go),
    };
    return cmocka_run_group_tests_name("sprite_demo", tests, NULL, NULL);
}
