// test_sprite_rigid.c: sprites and rigid bodies of a scene feel each other: with the engine in
// between, what test_sprite_body.c promises without it; and sleep, filters, snapshots, the plane.
#include "flat_scene.h"

#include "wrought/scene.h"

#include "../bench/toy.h"
#include "../src/sprite/world.h"
#include "../src/world/sprite.h"
#include "../src/world/sprite_cut.h"
#include "../src/world/world.h"

static int set_up(void **state)
{
    (void)state;
    static const char *const handles[TOY_HANDLES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    folder = temporary_folder_create();
    toy *block = toy_create_block(0.6f, 0.3f, 6, 3), *beam = toy_create_block(1.0f, 0.2f, 10, 2);
    for (int k = 0; k < 2; k++) { // "a" is its right end, "e" its left one
        wr_handle *handle = &beam->handles[4 * k];
        handle->vertex = 11 + (k ? 0 : 10);
        handle->pivot = beam->rest[handle->vertex];
    }
    write_flat_asset(make_flat_asset(&block->rig, "toy", handles), "block.glb");
    write_flat_asset(make_flat_asset(&beam->rig, "toy", handles), "beam.glb");
    toy_destroy(block);
    toy_destroy(beam);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

#define HEAD "{'wrought': 1, 'assets': {'block': 'block.glb', 'beam': 'beam.glb'}, 'length': 20, "
#define GROUND "{'shape': 'plane'}"

static wr_sprite_world *sprites_of(const wr_world *world)
{
    int sprite;
    return wri_sprite_world_of(world->materials[0].state, &sprite);
}

static wr_sprite_facts facts_of(const wr_world *world, int sprite)
{
    return wr_sprite_get_facts(sprites_of(world), sprite);
}

static int engine_of(const show *s, int body)
{
    return s->world->engine_of_body[body];
}

// How deep particles of sprite 0 are in a box.
static float depth_in_box(const show *s, int body)
{
    const wr_sprite_world *sprites = sprites_of(s->world);
    const wr_vec2 *x = wr_sprite_positions(sprites, 0);
    wr_pose pose = wr_rigid_pose(s->world->rigid, engine_of(s, body));
    wr_vec3 half = wr_scale(0.5f, s->scene->bodies[body].rigid.shape.size);
    float depth = 0.0f;
    for (int i = 0; i < wr_sprite_get_asset(sprites, 0)->N; i++) {
        wr_vec3 p = wr_sub(wr_v3(x[i].x, x[i].y, 0.0f), pose.position);
        p = wr_rotate(wr_quat_conjugate(pose.rotation), p);
        depth = fmaxf(depth, fminf(half.x - fabsf(p.x), half.y - fabsf(p.y)));
    }
    return depth;
}

// --- momentum ---------------------------------------------------------------------------------

typedef struct sums {
    double x, y, angular_momentum, size, energy;
} sums;

static void add_mass(sums *s, double m, wr_vec2 x, wr_vec2 v)
{
    s->x += m * (double)v.x;
    s->y += m * (double)v.y;
    s->angular_momentum += m * ((double)x.x * (double)v.y - (double)x.y * (double)v.x);
    s->size += m * hypot((double)v.x, (double)v.y);
    s->energy += 0.5 * m * ((double)v.x * (double)v.x + (double)v.y * (double)v.y);
}

// Of all sprites and of one rigid body.
static sums sum_all(const show *of, int body, double gravity)
{
    sums s = {0};
    const wr_sprite_world *sprites = sprites_of(of->world);
    for (int k = 0; k < wr_sprite_count(sprites); k++) {
        const wr_sprite_asset *asset = wr_sprite_get_asset(sprites, k);
        const wr_vec2 *x = wr_sprite_positions(sprites, k), *v = wr_sprite_velocities(sprites, k);
        for (int i = 0; i < asset->N; i++) {
            add_mass(&s, (double)asset->masses[i], x[i], v[i]);
            s.energy += gravity * (double)(asset->masses[i] * x[i].y);
        }
    }
    const wr_mass_properties *mass = &of->scene->bodies[body].rigid.mass;
    wr_rigid_state state;
    wr_rigid_read_states(of->world->rigid, &of->world->engine_of_body[body], 1, &state);
    add_mass(&s, mass->mass, (wr_vec2){state.center.x, state.center.y},
             (wr_vec2){state.velocity.x, state.velocity.y});
    double w = (double)state.angular_velocity.z;
    s.angular_momentum += mass->inertia[2][2] * w;
    s.energy += 0.5 * mass->inertia[2][2] * w * w + mass->mass * gravity * (double)state.center.y;
    return s;
}

static void a_thrown_crate_pushes_a_sprite_and_is_pushed_back(void **state)
{
    (void)state;
    for (double mass = 0.01; mass < 200.0; mass *= 10.0) {
        char text[700];
        snprintf(text, sizeof text,
                 HEAD "'gravity': [0, 0, 0], 'bodies': [{'shape': {'box': [0.4, 0.4, 0.4]}, "
                      "'mass': %g, 'at': [-1, 0.05, 0], 'velocity': [3, 0, 0], 'angular_damping': "
                      "0, 'turn': {'axis': [0, 0, 1], 'by': 20}}, {'asset': 'block', 'mass': 1, "
                      "'material': {'sprite': 'default', 'drag': 0}}]}",
                 mass);
        show s = start(text);
        sums before = sum_all(&s, 0, 0.0);
        double whole = 3.0 * (1.0 + mass);
        for (int i = 0; i < 30; i++) {
            wr_world_step_frame(s.world);
            sums now = sum_all(&s, 0, 0.0);
            CHECK_NEAR((now.x - before.x) / whole, 0.0, 1e-5);
            CHECK_NEAR((now.y - before.y) / whole, 0.0, 1e-5);
            CHECK_NEAR((now.angular_momentum - before.angular_momentum) / whole, 0.0, 5e-4);
            assert_true(now.energy < before.energy * (1.0 + 1e-4));
        }
        wr_vec3 v = wr_rigid_velocity(s.world->rigid, engine_of(&s, 0));
        assert_true(v.x < 3.0f * (float)(mass / (mass + 0.7)));
        assert_true(facts_of(s.world, 0).velocity.x > 3.0f * (float)(mass / (mass + 1.3)));
        end(&s);
    }
}

// --- rest -------------------------------------------------------------------------------------

// Puts one on the other and looks after 10 s; the sprite weighs 1 kg.
static void check_rest(double mass, bool on_crate, int substeps)
{
    char text[700];
    snprintf(text, sizeof text,
             HEAD "'substeps': %d, 'bodies': [" GROUND ", {'shape': {'box': [0.5, 0.5, 0.5]}, "
                  "'mass': %g, 'at': [%s, 0]}, {'asset': 'block', 'mass': 1, 'at': [%s, 0], "
                  "'material': 'sprite'}]}",
             substeps, mass, on_crate ? "0, 0.25" : "0.01, 0.57",
             on_crate ? "0.02, 0.9" : "0, 0.15");
    show s = start(text);
    sums before = sum_all(&s, 1, 9.81);
    float y = on_crate ? 0.25f : 0.55f, late = 0.0f;
    for (int i = 0; i < 600; i++) {
        wr_world_step_frame(s.world);
        assert_true(sum_all(&s, 1, 9.81).energy < before.energy * 1.01);
        late = i > 480 ? fmaxf(late, depth_in_box(&s, 1)) : 0.0f;
    }
    wr_sprite_facts f = facts_of(s.world, 0);
    wr_vec3 c = wr_rigid_center(s.world->rigid, engine_of(&s, 1));
    assert_true(late < 0.005f);
    CHECK_NEAR(c.y, y, mass > 10.0 && !on_crate ? 0.03 : 0.01); // gives a little under 100 kg
    CHECK_NEAR(f.center.y, on_crate ? 0.65 : 0.15, mass > 10.0 && !on_crate ? 0.02 : 0.01);
    assert_true(fabsf(c.x) < 0.2f && fabsf(f.center.x - c.x) < 0.2f);
    assert_true(wr_length(wr_rigid_velocity(s.world->rigid, engine_of(&s, 1))) < 0.2f);
    end(&s);
}

static void a_sprite_and_a_crate_rest_on_each_other(void **state)
{
    (void)state;
    const double masses[] = {0.01, 1.0, 100.0};
    for (int i = 0; i < WRI_COUNT(masses); i++) {
        for (int on_crate = 0; on_crate < 2; on_crate++) {
            check_rest(masses[i], on_crate, 4);
        }
        check_rest(masses[i], true, 1);
    }
}

static void a_stack_of_crates_carries_a_sprite(void **state)
{
    (void)state;
    show s = start(HEAD "'bodies': [" GROUND ", {'shape': {'box': [0.5, 0.5, 0.5]}, 'mass': 0.2, "
                        "'at': [0, 0.25, 0], 'copies': {'count': 3, 'step': [0, 0.5, 0]}}, "
                        "{'asset': 'block', 'mass': 2, 'at': [0.02, 1.75, 0], 'material': "
                        "'sprite'}]}");
    step_frames(s.world, 600);
    CHECK_NEAR(facts_of(s.world, 0).center.y, 1.65, 0.01);
    for (int k = 0; k < 3; k++) {
        wr_vec3 c = wr_rigid_center(s.world->rigid, engine_of(&s, 1 + k));
        CHECK_NEAR(c.y, 0.25 + 0.5 * k, 0.01);
        CHECK_NEAR(c.x, 0.0, 0.05);
    }
    end(&s);
}

// --- sleep ------------------------------------------------------------------------------------

static void what_lies_on_a_sprite_falls_when_that_goes(void **state)
{
    (void)state;
    show s = start(HEAD "'bodies': [" GROUND ", {'shape': {'box': [0.3, 0.3, 0.3]}, 'mass': 0.5, "
                        "'at': [0, 2.3, 0]}, {'asset': 'beam', 'mass': 1, 'at': [0, 2, 0], "
                        "'nails': [{'handle': 'a', 'until': 5}, {'handle': 'e', 'until': 5}], "
                        "'material': 'sprite'}]}");
    step_frames(s.world, 295);
    float y = wr_rigid_center(s.world->rigid, engine_of(&s, 1)).y;
    assert_true(y > 1.9f && y < 2.3f);
    step_frames(s.world, 60);
    assert_true(wr_rigid_center(s.world->rigid, engine_of(&s, 1)).y < 0.6f);
    end(&s);
}

static void a_sprite_wakes_what_it_falls_on(void **state)
{
    (void)state;
    show s = start(HEAD "'bodies': [{'shape': {'box': [2, 0.2, 1]}, 'mass': 1, 'at': [0, 0.1, 0]}, "
                        "{'shape': {'box': [1, 1, 1]}, 'motion': 'static', 'at': [0, -0.5, 0]}, "
                        "{'asset': 'block', 'mass': 5, 'at': [0.8, 80, 0], 'material': "
                        "'sprite'}]}");
    int board = engine_of(&s, 0);
    bool slept = false;
    for (int i = 0; i < 230; i++) {
        wr_world_step_frame(s.world);
        slept = slept || wr_rigid_is_asleep(s.world->rigid, board);
    }
    assert_true(slept && facts_of(s.world, 0).center.y > 1.0f);
    float least = 0.0f;
    for (int i = 0; i < 30; i++) {
        wr_world_step_frame(s.world);
        wr_quat turn = wr_rigid_pose(s.world->rigid, board).rotation;
        least = fminf(least, wri_cut_turn(WR_QUAT_IDENTITY, turn));
    }
    assert_true(least < -0.1f); // the board tips towards it
    end(&s);
}

// --- who feels whom ---------------------------------------------------------------------------

static void groups_count_from_both_sides(void **state)
{
    (void)state;
    const char *const crates[] = {"'groups': ['ghost']", "'misses': ['thin']", "'friction': 0.5"};
    for (int i = 0; i < WRI_COUNT(crates); i++) {
        char text[700];
        snprintf(text, sizeof text,
                 HEAD "'gravity': [0, 0, 0], 'bodies': [{'shape': {'box': [0.4, 0.4, 0.4]}, "
                      "'mass': 1, 'at': [-1, 0, 0], 'velocity': [3, 0, 0], %s}, {'asset': "
                      "'block', 'mass': 1, 'groups': ['thin'], 'misses': ['ghost'], 'material': "
                      "'sprite'}]}",
                 crates[i]);
        show s = start(text);
        for (int k = 0; k < 40; k++) {
            wr_world_step_frame(s.world);
        }
        bool passes = wr_rigid_velocity(s.world->rigid, engine_of(&s, 0)).x > 2.99f;
        assert_true(passes == (i < 2));
        end(&s);
    }
}

// --- the plane --------------------------------------------------------------------------------

static float area_of_level(const wr_sprite_world *sprites, int index)
{
    const wri_level *level = &WRI_ITEM(sprites->levels, wri_level, index);
    float area = 0.0f;
    for (int i = 0; i < level->count; i++) {
        wr_vec2 a = WRI_ITEM(sprites->corners, wr_vec2, level->first + i);
        wr_vec2 b = WRI_ITEM(sprites->corners, wr_vec2, level->first + (i + 1) % level->count);
        area += 0.5f * (a.x * b.y - b.x * a.y);
    }
    return area;
}

static void what_tilts_is_cut_anew_and_what_leaves_is_gone(void **state)
{
    (void)state;
    show s = start(HEAD "'gravity': [0, 0, 0], 'bodies': [{'shape': {'box': [0.4, 0.4, 0.4]}, "
                        "'mass': 1, 'at': [5, 0, 0], 'spin': [90, 0, 0], 'angular_damping': 0}, "
                        "{'shape': {'sphere': 0.3}, 'mass': 1, 'at': [-5, 0, 0], 'velocity': [0, "
                        "0, 0.25]}, {'asset': 'block', 'mass': 1, 'material': 'sprite'}]}");
    const wr_sprite_world *sprites = sprites_of(s.world);
    CHECK_NEAR(area_of_level(sprites, 0), 0.16, 1e-6);
    for (int i = 0; i < 90; i++) {
        wr_world_step_frame(s.world);
        double time = (i + 0.75) / 60.0; // as the last of four steps began
        double turn = fmod(time, 1.0) * 0.5 * 3.14159265358979;
        double side =
            0.4 / fmax(fabs(cos(turn)), fabs(sin(turn))); // of a square through its middle
        CHECK_NEAR(area_of_level(sprites, 0), 0.4 * side, 1e-3);
        double r2 = 0.09 - 0.0625 * time * time;
        CHECK_NEAR(area_of_level(sprites, 1), r2 > 0.0 ? 3.1365 * r2 : 0.0, 2e-3); // 64 corners
    }
    end(&s);
}

static void a_flat_scene_keeps_rigid_bodies_in_the_plane(void **state)
{
    (void)state;
    const char *const rest =
        "'bodies': [" GROUND ", {'name': 'stone', 'shape': {'box': [0.5, 0.5, 0.5]}, 'mass': 1, "
        "'at': [0, 0.25, 0.2], 'spin': [0, 90, 0], 'copies': {'count': 2, 'step': [0.1, 0.6, "
        "0]}}, {'asset': 'block', 'mass': 1, 'at': [0.02, 2, 0], 'material': 'sprite'}]}";
    char text[900];
    snprintf(text, sizeof text, HEAD "'flat': true, %s", rest);
    show s = start(text);
    assert_int_equal(s.scene->warning_count, 1);
    assert_non_null(strstr(s.scene->warnings[0], "body \"stone.1\" stays in the plane"));
    assert_true(s.scene->bodies[1].rigid.is_planar && !s.scene->bodies[0].rigid.is_planar);
    for (int i = 0; i < 300; i++) {
        wr_world_step_frame(s.world);
        for (int k = 1; k < 3; k++) {
            wr_pose pose = wr_rigid_pose(s.world->rigid, engine_of(&s, k));
            assert_true(pose.position.z == 0.2f && fabsf(pose.rotation.y) < 1e-6f);
        }
    }
    end(&s);
    snprintf(text, sizeof text, HEAD "%s", rest);
    s = start(text);
    assert_true(s.scene->warning_count == 0 && !s.scene->bodies[1].rigid.is_planar);
    end(&s);
}

// --- the same bits ----------------------------------------------------------------------------

#define HEAP                                                                                       \
    HEAD                                                                                           \
        "'bodies': [" GROUND                                                                       \
        ", {'shape': {'box': [0.4, 0.4, 0.4]}, 'at': [-1, 0.3, 0], 'copies': "                     \
        "[{'count': 4, 'step': [0.5, 0, 0]}, {'count': 2, 'step': [0.1, 1, 0]}], 'density': 20}, " \
        "{'shape': {'sphere': 0.2}, 'at': [0, 4, 0], 'mass': 10}, {'asset': 'block', 'mass': 1, "  \
        "'at': [-1, 0.8, 0], 'material': 'sprite', 'copies': [{'count': 3, 'step': [0.7, 0, 0]}, " \
        "{'count': 2, 'step': [0.1, 1.2, 0]}]}, {'asset': 'beam', 'mass': 1, 'at': [0, 3, 0], "    \
        "'nails': ['a', 'e'], 'material': 'sprite'}]}"

static void threads_and_snapshots_change_no_bit(void **state)
{
    (void)state;
    wr_scene *scene = read_good(HEAP);
    wr_world *one = play(scene, 1), *three = play(scene, 3);
    wr_world *resumed = NULL;
    for (int i = 1; i <= 240; i++) {
        wr_world_step_frame(one);
        wr_world_step_frame(three);
        uint64_t hash = wr_world_frame(one)->hash;
        assert_true(hash == wr_world_frame(three)->hash);
        if (resumed) {
            wr_world_step_frame(resumed);
            assert_true(hash == wr_world_frame(resumed)->hash);
        }
        if (i == 120) {
            size_t size;
            wr_error error = {0};
            assert_true(wr_world_forgets(one));
            const void *bytes = wr_world_save(one, &size, &error);
            resumed = play(scene, 2);
            assert_true(bytes && wr_world_restore(resumed, bytes, size, &error));
        }
    }
    wr_world_destroy(one);
    wr_world_destroy(three);
    wr_world_destroy(resumed);
    wr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thrown_crate_pushes_a_sprite_and_is_pushed_back),
        cmocka_unit_test(a_sprite_and_a_crate_rest_on_each_other),
        cmocka_unit_test(a_stack_of_crates_carries_a_sprite),
        cmocka_unit_test(what_lies_on_a_sprite_falls_when_that_goes),
        cmocka_unit_test(a_sprite_wakes_what_it_falls_on),
        cmocka_unit_test(groups_count_from_both_sides),
        cmocka_unit_test(what_tilts_is_cut_anew_and_what_leaves_is_gone),
        cmocka_unit_test(a_flat_scene_keeps_rigid_bodies_in_the_plane),
        cmocka_unit_test(threads_and_snapshots_change_no_bit),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
