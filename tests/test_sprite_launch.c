// test_sprite_launch.c: what the shipped balls and launchers show: poses are reached when they
// should be, in the scenes with dynamic sprites and in no other.
#include "sprite_show.h"

// How much it looks like a pose, [0, 1].
static float looks(const show *s, int sprite, const char *pose)
{
    float blend[32];
    const wr_sprite_asset *asset = wr_sprite_get_asset(s->sprites, sprite);
    assert_true(wr_sprite_asset_describe(asset).example_count <= WRI_COUNT(blend));
    wr_sprite_asset_blend(asset, wr_sprite_get_facts(s->sprites, sprite).projected, blend);
    return blend[wr_sprite_asset_find_example(asset, pose)];
}

// The most it looks like a pose from a time to another.
static float most(show *s, double from, double to, int sprite, const char *pose)
{
    float most = 0.0f;
    while (wr_world_frame(s->world)->time < to) {
        wr_world_step_frame(s->world);
        float now = looks(s, sprite, pose);
        most = wr_world_frame(s->world)->time >= from ? fmaxf(most, now) : most;
    }
    return most;
}

// --- balls ------------------------------------------------------------------------------------

static void the_ball_squashes_stretches_and_hops_down_every_step(void **state)
{
    (void)state;
    show s = play(read_shipped("ball"));
    int ball = sprite_of(&s, "ball");
    float squashed = 0.0f, stretched = 0.0f, tilt = 0.0f;
    int hops[4] = {0}; // on each of the steps
    while (wr_world_frame(s.world)->index < wr_scene_frame_count(s.scene)) {
        wr_world_step_frame(s.world);
        wr_sprite_facts f = wr_sprite_get_facts(s.sprites, ball);
        squashed = fmaxf(squashed, looks(&s, ball, "squashed"));
        stretched = fmaxf(stretched, looks(&s, ball, "stretched"));
        int step = (int)floorf((f.center.x + 4.4f) / 1.5f);
        hops[step < 0 ? 0 : step > 3 ? 3 : step] += f.touching && f.velocity.y >= 0.0f;
        tilt =
            wr_world_frame(s.world)->time < 5.0 ? fmaxf(tilt, fabsf(f.angle)) : tilt; // no ramp yet
    }
    print_message("    squashed %.2f, stretched %.2f, tilted by %.0f degrees\n", (double)squashed,
                  (double)stretched, 57.3 * (double)tilt);
    assert_true(squashed > 0.5f && stretched > 0.3f && tilt < 1.0f);
    for (int i = 0; i < 4; i++) {
        assert_true(hops[i] > 0);
    }
    end(&s);
}

static void three_balls_are_three_characters(void **state)
{
    (void)state;
    static const char *const names[] = {"heavy", "rubber", "jelly"};
    show s = play(read_shipped("three-balls"));
    float squashed[3] = {0}, apex[3] = {0};
    bool hit[3] = {0};
    while (wr_world_frame(s.world)->time < 2.0) {
        wr_world_step_frame(s.world);
        for (int i = 0; i < 3; i++) {
            int ball = sprite_of(&s, names[i]);
            wr_sprite_facts f = wr_sprite_get_facts(s.sprites, ball);
            hit[i] = hit[i] || f.touching;
            squashed[i] = fmaxf(squashed[i], looks(&s, ball, "squashed"));
            apex[i] = hit[i] && !f.touching ? fmaxf(apex[i], f.center.y) : apex[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        print_message("    %-6s squashed %.2f, back at %.2f m\n", names[i], (double)squashed[i],
                      (double)apex[i]);
    }
    assert_true(squashed[0] < 0.3f && squashed[1] > 0.5f && squashed[2] > 0.8f);
    assert_true(apex[0] < 1.2f && apex[1] > apex[2] && apex[2] > apex[0]);
    end(&s);
}

// --- launchers --------------------------------------------------------------------------------

static void the_stuntman_flies_like_superman_and_curls_up(void **state)
{
    (void)state;
    show s = play(read_shipped("launcher"));
    int cannon = sprite_of(&s, "cannon"), man = sprite_of(&s, "stuntman");
    wr_sprite_facts before = facts_of(&s, "stuntman");
    assert_true(most(&s, 0.0, 0.8, cannon, "contracted") < 0.1f);
    CHECK_NEAR(facts_of(&s, "stuntman").center.x, before.center.x, 0.01); // waits
    assert_true(most(&s, 0.8, 1.1, cannon, "contracted") > 0.8f);
    assert_true(most(&s, 1.1, 1.3, man, "superman") > 0.8f);
    float bent[2] = {0};
    float curled = 0.0f;
    while (wr_world_frame(s.world)->time < 4.5) {
        wr_world_step_frame(s.world);
        curled = fmaxf(curled, looks(&s, man, "fetal"));
        for (int k = 0; k < 2; k++) {
            int beam = sprite_of(&s, k ? "beam.2" : "beam.1");
            bent[k] = fmaxf(bent[k], looks(&s, beam, "bent up"));
            bent[k] = fmaxf(bent[k], looks(&s, beam, "bent down"));
        }
    }
    print_message("    the beams bend by %.2f and %.2f\n", (double)bent[0], (double)bent[1]);
    assert_true(curled > 0.8f);
    assert_true(fmaxf(bent[0], bent[1]) > 0.5f);
    end(&s);
}

// What the other columns of the comparison leave out.
static void without_dynamic_sprites_nobody_takes_a_pose_by_himself(void **state)
{
    (void)state;
    static const char *const names[] = {"launcher-examples", "launcher-matching"};
    for (int i = 0; i < 2; i++) {
        show s = play(read_shipped(names[i]));
        int cannon = sprite_of(&s, "cannon"), man = sprite_of(&s, "stuntman");
        float start_x = facts_of(&s, "stuntman").center.x;
        float contracted = most(&s, 0.0, 1.1, cannon, "contracted");
        assert_true(contracted < 0.2f && most(&s, 1.1, 1.3, man, "superman") < 0.3f);
        assert_true(facts_of(&s, "stuntman").center.x > start_x + 1.0f); // flies all the same
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ball_squashes_stretches_and_hops_down_every_step),
        cmocka_unit_test(three_balls_are_three_characters),
        cmocka_unit_test(the_stuntman_flies_like_superman_and_curls_up),
        cmocka_unit_test(without_dynamic_sprites_nobody_takes_a_pose_by_himself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
