// test_sprite_scene.c: what scenes promise about sprites: that they move as the library alone moves
// them, on a level cut out of rigid shapes, and that worlds with them resume, record and complain
// as all others do.
#include "flat_scene.h"

#include "wrought/record.h"
#include "wrought/scene.h"

#include "../bench/toy.h"
#include "../src/base/os.h"
#include "../src/file/png.h"
#include "../src/world/sprite_cut.h"
#include "../src/world/sprite.h"
#include "../src/sprite/world.h"
#include "../src/world/world.h"

// --- drawings and scenes ----------------------------------------------------------------------

static const float LIFT = 0.03f; // of what is drawn, in the pose "sheared"

static wr_asset *make_asset(const toy *t)
{
    static const char *const handles[TOY_HANDLES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    wr_asset *asset = make_flat_asset(&t->rig, "toy", handles);
    size_t n = (size_t)t->rig.vertex_count;
    wr_vec3 *details = wr_asset_alloc(asset, n, sizeof *details);
    for (size_t i = 0; i < n; i++) {
        details[i] = wr_v3(0.02f, 0.01f, LIFT);
    }
    asset->rig.examples[TOY_SHEARED].details = details;
    return asset;
}

// Two of a toy, side by side, the second one in front and held by two pins.
static void write_pair(const toy *t, const char *name)
{
    toy *pair = toy_create_block(0.6f, 0.3f, 6, 7); // as many particles as two of them
    int n = t->rig.vertex_count, m = t->rig.element_count;
    assert_int_equal(pair->rig.vertex_count, 2 * n);
    pair->rig.element_count = 2 * m;
    for (int i = 0; i < 2 * n; i++) {
        pair->rest[i] = wr_add(t->rest[i % n], wr_v3(i < n ? 0.0f : 0.5f, 0.0f, 0.0f));
    }
    for (int i = 0; i < 6 * m; i++) {
        pair->elements[i] = t->elements[i % (3 * m)] + (i < 3 * m ? 0 : n);
    }
    wr_asset *asset = make_asset(pair);
    for (int i = n; i < 2 * n; i++) {
        asset->rig.rides[i].weights[3] = LIFT;
    }
    asset->pin_count = 2;
    asset->pins = wr_asset_alloc(asset, 2, sizeof *asset->pins);
    for (int i = 0; i < 2; i++) { // the left side of the second, near the right side of the first
        asset->pins[i] = (wr_pin){.particle = n + 7 * (i + 1), .corners = {5, 6, 13}};
        asset->pins[i].weights[i] = 1.0f;
    }
    write_flat_asset(asset, name);
    toy_destroy(pair);
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    toy *ball = toy_create_disc(0.25f, 4), *block = toy_create_block(0.6f, 0.3f, 6, 3);
    ball->handles[1].vertex = 2; // "b"
    toy *beam = toy_create_block(1.0f, 0.2f, 10, 2);
    for (int k = 0; k < 2; k++) { // "a" is its right end, "e" its left one
        wr_handle *handle = &beam->handles[4 * k];
        handle->vertex = 11 + (k ? 0 : 10);
        handle->pivot = beam->rest[handle->vertex];
    }
    write_flat_asset(make_asset(beam), "beam.glb");
    toy_destroy(beam);
    write_flat_asset(make_asset(ball), "ball.glb");
    write_flat_asset(make_asset(block), "block.glb");
    write_pair(block, "pair.glb");
    toy_destroy(ball);
    toy_destroy(block);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

#define HEAD                                                                                       \
    "{'wrought': 1, 'assets': {'ball': 'ball.glb', 'block': 'block.glb', 'beam': 'beam.glb'}, "    \
    "'length': 3, "
#define GROUND "{'shape': 'plane'}"

static wr_sprite_facts facts_of(const wr_world *world, int index)
{
    int sprite;
    const wr_sprite_world *own = wri_sprite_world_of(world->materials[index].state, &sprite);
    return wr_sprite_get_facts(own, sprite);
}

static float lowest(const wr_frame *frame, int index)
{
    float low = INFINITY;
    for (int i = 0; i < frame->points[index].count; i++) {
        low = fminf(low, frame->points[index].positions[i].y);
    }
    return low;
}

// --- as the library alone ---------------------------------------------------------------------

static void a_scene_moves_a_ball_as_the_library_alone_does(void **state)
{
    (void)state;
    show s = start(HEAD "'substeps': 2, 'bodies': [" GROUND
                        ", {'shape': {'box': [0.5, 1, 2]}, 'motion': 'static', 'at': [1, 0.5, 0], "
                        "'friction': 0.3}, {'asset': 'ball', 'at': [0.2, 1.5, 0.4], 'velocity': "
                        "[1.5, 0, 0], 'spin': [0, 0, 90], 'turn': {'axis': [0, 0, 1], 'by': 30}, "
                        "'scale': 1.2, 'material': 'sprite'}]}");
    wr_sprite_world_desc world_desc = wr_sprite_world_desc_default();
    wr_sprite_world *world = wr_sprite_world_create(&world_desc, NULL);
    wr_sprite_asset_desc asset_desc = wr_sprite_asset_desc_default();
    asset_desc.rig = &s.scene->bodies[2].asset->rig;
    asset_desc.scale = 1.2f;
    asset_desc.density = 10.0f;
    wr_sprite_asset *asset = wr_sprite_asset_create(&asset_desc, NULL);
    wr_sprite_desc desc = wr_sprite_desc_default();
    desc.asset = asset;
    desc.position = (wr_vec2){0.2f, 1.5f};
    desc.velocity.x = 1.5f;
    wr_quat turn = s.scene->bodies[2].rigid.pose.rotation;
    desc.angle = wri_cut_turn(WR_QUAT_IDENTITY, turn);
    CHECK_NEAR(desc.angle, 30.0 * 3.14159265 / 180.0, 1e-6);
    desc.angular_velocity = s.scene->bodies[2].rigid.angular_velocity.z;
    const wr_vec2 corners[4] = {{-0.25f, -0.5f}, {0.25f, -0.5f}, {0.25f, 0.5f}, {-0.25f, 0.5f}};
    assert_true(wr_sprite_add_level(world, &(wr_sprite_level){.friction = 0.6f}, NULL) >= 0);
    wr_sprite_level box = {
        .corners = corners, .corner_count = 4, .position = {1.0f, 0.5f}, .friction = 0.3f};
    assert_true(wr_sprite_add_level(world, &box, NULL) >= 0);
    int sprite = wr_sprite_add(world, &desc, NULL);
    assert_int_equal(sprite, 0);
    bool touched = false;
    for (int i = 0; i < 120; i++) {
        wr_world_step_frame(s.world);
        wr_sprite_world_step(world, (float)(1.0 / 120.0), NULL);
        wr_sprite_world_step(world, (float)(1.0 / 120.0), NULL);
        touched = touched || wr_sprite_get_facts(world, sprite).touching;
        const wr_frame *frame = wr_world_frame(s.world);
        const wr_vec2 *x = wr_sprite_positions(world, sprite);
        assert_int_equal(frame->points_count, 1);
        for (int k = 0; k < frame->points[0].count; k++) {
            wr_vec3 p = frame->points[0].positions[k];
            assert_true(p.x == x[k].x && p.y == x[k].y && p.z == 0.4f);
        }
    }
    assert_true(touched);
    wr_sprite_world_destroy(world);
    wr_sprite_asset_destroy(asset);
    end(&s);
}

static void what_is_not_said_is_the_librarys_default(void **state)
{
    (void)state;
    show s = start(HEAD "'bodies': [{'asset': 'ball', 'material': 'sprite'}]}");
    int sprite;
    const wr_sprite_world *own = wri_sprite_world_of(s.world->materials[0].state, &sprite);
    wr_sprite_parameters p = *wr_sprite_get_parameters(own, sprite);
    wr_sprite_parameters d = wr_sprite_parameters_default();
    const float is[] = {p.firmness,  p.hold,         p.wobble,   p.settle, p.give,
                        p.give_from, p.stretch,      p.bounce,   p.drag,   p.release,
                        p.angle,     p.aim_strength, p.friction, p.gravity};
    const float wanted[] = {d.firmness,  d.hold,         d.wobble,   d.settle, d.give,
                            d.give_from, d.stretch,      d.bounce,   d.drag,   d.release,
                            d.angle,     d.aim_strength, d.friction, d.gravity};
    assert_memory_equal(is, wanted, sizeof is);
    assert_true(p.rounds == d.rounds && p.smooth == d.smooth && p.aim == d.aim);
    assert_true(p.give_way == d.give_way && p.stretch_example == -1);
    wr_sprite_asset_info info = wr_sprite_asset_describe(wr_sprite_get_asset(own, sprite));
    assert_int_equal(info.simplex_count, TOY_EXAMPLES - 1); // a star round rest
    CHECK_NEAR(info.mass, s.scene->bodies[0].rigid.mass.mass, 1e-5);
    end(&s);
}

static void what_a_scene_says_reaches_the_sprite(void **state)
{
    (void)state;
    show s =
        start(HEAD "'bodies': [{'asset': 'ball', 'mass': 3, 'friction': 0.25, 'material': "
                   "{'sprite': 'jelly', 'rounds': 7, 'bounce': 0.5, 'aim': 'axis', 'angle': 90, "
                   "'turn': 'spring', 'aim_strength': 0.5, 'ring': 2, 'clusters': 9, 'give_way': "
                   "'along', 'gravity': -1}, 'manifold': {'start': 'squashed', 'edges': [['rest', "
                   "'squashed']], 'poses': ['sheared'], 'stretch_to': 'rest', 'give_to': "
                   "'squashed', 'drag': {'sheared': 4}}}]}");
    int sprite;
    const wr_sprite_world *own = wri_sprite_world_of(s.world->materials[0].state, &sprite);
    const wr_sprite_parameters *p = wr_sprite_get_parameters(own, sprite);
    assert_true(p->rounds == 7 && p->bounce == 0.5f && p->aim == WR_SPRITE_AIM_AXIS && !p->smooth);
    assert_true(p->friction == 0.25f && p->gravity == -1.0f && p->hold == 0.5f);
    CHECK_NEAR(p->angle, 1.5707963, 1e-6);
    assert_true(p->give_way == WR_SPRITE_ENERGY_EXAMPLE && p->give_example == TOY_SQUASHED);
    assert_int_equal(p->stretch_example, TOY_REST);
    assert_true(p->drag_of_example[TOY_SHEARED] == 4.0f && p->drag_of_example[TOY_REST] == 1.0f);
    const wr_sprite_asset *asset = wr_sprite_get_asset(own, sprite);
    wr_sprite_asset_info info = wr_sprite_asset_describe(asset);
    assert_true(info.simplex_count == 2 && info.cluster_count <= 9);
    CHECK_NEAR(info.mass, 3.0, 1e-5);
    CHECK_NEAR(wr_sprite_get_facts(own, sprite).equilibrium.shares[1], 1.0, 0.0);
    step_frames(s.world, 10);
    assert_true(facts_of(s.world, 0).velocity.y > 0.5f);
    end(&s);
}

// --- what is drawn ----------------------------------------------------------------------------

static void details_and_depth_turn_and_flip_with_the_drawing(void **state)
{
    (void)state;
    show s = start(HEAD "'gravity': [0, 0, 0], 'bodies': [{'asset': 'ball', 'at': [1, 2, 0.5], "
                        "'turn': {'axis': [0, 0, 1], 'by': 90}, 'material': 'sprite', 'manifold': "
                        "{'start': 'sheared'}}]}");
    int sprite;
    wr_sprite_world *own = wri_sprite_world_of(s.world->materials[0].state, &sprite);
    for (int flipped = 0; flipped < 2; flipped++) {
        const wr_vec2 *x = wr_sprite_positions(own, sprite);
        wr_material_surface surface =
            s.world->materials[0].material->surface(s.world->materials[0].state);
        for (int i = 0; i < surface.vertex_count; i++) {
            CHECK_NEAR(surface.positions[i].x - x[i].x, flipped ? 0.01 : -0.01, 1e-4);
            CHECK_NEAR(surface.positions[i].y - x[i].y, 0.02, 1e-4);
            CHECK_NEAR(surface.positions[i].z, 0.5 + (double)LIFT, 1e-5);
        }
        wr_sprite_flip(own, sprite);
    }
    end(&s);
}

static void copies_stand_side_by_side_and_share_their_drawing(void **state)
{
    (void)state;
    show s =
        start(HEAD "'bodies': [" GROUND ", {'asset': 'ball', 'at': [0, 0.25, 0], 'material': "
                   "'sprite', 'copies': {'count': 5, 'step': [0.7, 0, 0.1]}}, {'asset': 'ball', "
                   "'at': [9, 1, 0], 'material': 'sprite', 'manifold': {'edges': [['rest', "
                   "'squashed']]}}, {'asset': 'ball', 'at': [8, 1, 0], 'material': 'sprite', "
                   "'mass': 1}]}");
    const wr_frame *frame = wr_world_frame(s.world);
    assert_int_equal(frame->points_count, 7);
    for (int i = 0; i < 5; i++) {
        wr_vec3 middle = frame->points[i].positions[0];
        CHECK_NEAR(middle.x, 0.7 * i, 1e-5);
        CHECK_NEAR(middle.z, 0.1 * i, 1e-6);
        assert_ptr_equal(s.world->materials[i].shared, s.world->materials[0].shared);
    }
    for (int i = 5; i < 7; i++) {
        assert_ptr_not_equal(s.world->materials[i].shared, s.world->materials[0].shared);
    }
    end(&s);
}

static void nails_hold_handles_until_they_let_go(void **state)
{
    (void)state;
    show s = start(HEAD "'bodies': ["
                        "{'asset': 'beam', 'material': 'sprite', 'at': [0, 5, 0], 'nails': ['a', "
                        "'e'], 'copies': {'count': 2, 'step': [3, 1, 0]}},"
                        "{'asset': 'beam', 'material': 'sprite', 'at': [-3, 5, 0], 'nails': ["
                        "{'handle': 'a', 'until': 0.5}, {'handle': 'e'}]},"
                        "{'asset': 'beam', 'material': 'sprite', 'at': [-6, 5, 0], 'scale': 2, "
                        "'nails': [{'handle': 'a', 'until': 0}]}]}");
    step_frames(s.world, 30); // 0.5 s
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(facts_of(s.world, i).center.x, i == 2 ? -3.0 : 3.0 * i, 0.01);
        CHECK_NEAR(facts_of(s.world, i).center.y, i == 1 ? 6.0 : 5.0, 0.01);
    }
    CHECK_NEAR(facts_of(s.world, 3).velocity.y, -0.5 * 9.81, 0.1); // never held
    size_t size;
    wr_error error = {0};
    const void *bytes = wr_world_save(s.world, &size, &error);
    wr_world *later = play(s.scene, 0);
    step_frames(later, 60); // where the nail is out already
    assert_true(bytes && wr_world_restore(later, bytes, size, &error));
    for (int i = 0; i < 18; i++) {
        wr_world_step_frame(s.world);
        wr_world_step_frame(later);
        assert_true(wr_world_frame(s.world)->hash == wr_world_frame(later)->hash);
    }
    CHECK_NEAR(facts_of(s.world, 0).center.y, 5.0, 0.01);
    wr_sprite_facts f = facts_of(s.world, 2); // turns about its left end
    assert_true(f.center.y < 4.8f && f.angle < -0.4f);
    CHECK_NEAR(f.center.x, -3.5 + 0.5 * cos((double)f.angle), 0.02);
    CHECK_NEAR(f.center.y, 5.0 + 0.5 * sin((double)f.angle), 0.02);
    wr_world_destroy(later);
    end(&s);
}

static void layers_are_pinned_and_drawn_in_front_of_each_other(void **state)
{
    (void)state;
    show s =
        start("{'wrought': 1, 'assets': {'pair': 'pair.glb'}, 'bodies': [" GROUND ", {'asset': "
              "'pair', 'at': [0, 2, 0.1], 'scale': 2, 'material': 'sprite', 'manifold': {'edges': "
              "[['rest', "
              "'squashed']]}}]}");
    const wr_sprite_asset *asset = s.world->materials[0].shared;
    assert_int_equal(asset->layer_count, 2);
    assert_int_equal(asset->pin_count, 2);
    int n = asset->N / 2;
    assert_true(asset->pins[1].particle == n + 14 && asset->pins[1].weights[1] == 1.0f);
    step_frames(s.world, 60);
    const wr_vec3 *points = wr_world_frame(s.world)->points[0].positions;
    for (int i = 0; i < 2 * n; i++) {
        CHECK_NEAR(points[i].z, 0.1 + (i < n ? 0.0 : 2.0 * (double)LIFT), 1e-6);
    }
    end(&s);
}

// --- the level --------------------------------------------------------------------------------

static wri_array cut(wr_shape shape, wr_pose pose)
{
    wri_array out = wri_array_create(NULL, sizeof(wr_vec2));
    assert_true(wri_cut_piece(&shape, 0, pose, &out));
    return out;
}

static double area_of(const wri_array *polygon)
{
    double sum = 0.0;
    for (int i = 0; i < polygon->count; i++) {
        wr_vec2 a = WRI_ITEM(*polygon, wr_vec2, i);
        wr_vec2 b = WRI_ITEM(*polygon, wr_vec2, (i + 1) % polygon->count);
        sum += 0.5 * ((double)a.x * (double)b.y - (double)b.x * (double)a.y);
    }
    return sum;
}

static float highest_of(const wri_array *polygon)
{
    float high = -INFINITY;
    for (int i = 0; i < polygon->count; i++) {
        high = fmaxf(high, WRI_ITEM(*polygon, wr_vec2, i).y);
    }
    return high;
}

static wr_pose turned(float z, wr_vec3 axis, double degrees)
{
    wr_pose pose = {wr_v3(0.0f, 0.0f, z), WR_QUAT_IDENTITY};
    double half = degrees * 3.14159265358979 / 360.0;
    axis = wr_scale((float)sin(half), wr_normalize(axis));
    pose.rotation = (wr_quat){axis.x, axis.y, axis.z, (float)cos(half)};
    return pose;
}

static void the_plane_cuts_what_geometry_says(void **state)
{
    (void)state;
    const wr_vec3 x = {1, 0, 0}, z = {0, 0, 1};
    const double pi = 3.14159265358979;
    wr_shape box = {.kind = WR_SHAPE_BOX, .size = {2, 1, 3}};
    wr_shape ball = {.kind = WR_SHAPE_SPHERE, .size = {0.5f, 0, 0}};
    wr_shape tube = {.kind = WR_SHAPE_CYLINDER, .size = {0.5f, 2, 0}};
    wr_shape pill = {.kind = WR_SHAPE_CAPSULE, .size = {0.5f, 2, 0}};
    const struct {
        wr_shape shape;
        wr_pose pose;
        int corners; // 0: nothing, -1: round
        double area, top;
    } cases[] = {
        {box, turned(0, z, 0), 4, 2.0, 0.5},
        {box, turned(0, z, 90), 4, 2.0, 1.0},
        {box, turned(1.4f, z, 30), 4, 2.0, 1.0 * 0.5 + 0.5 * sqrt(0.75)},
        {box, turned(1.6f, z, 0), 0, 0, 0},
        {box, turned(0, x, 90), 4, 6.0, 1.5},
        {box, turned(0, wr_v3(1, 1, 0), 90), -1, -1, -1},
        {ball, turned(0, z, 0), -1, 0.25 * pi, 0.5},
        {ball, turned(0.3f, z, 0), -1, 0.16 * pi, 0.4},
        {ball, turned(0.6f, z, 0), 0, 0, 0},
        {tube, turned(0, x, 90), -1, 0.25 * pi, 0.5},
        {tube, turned(0, z, 0), 4, 2.0, 1.0},
        {tube, turned(0.3f, z, 0), 4, 1.6, 1.0},
        {pill, turned(0, z, 0), -1, 2.0 + 0.25 * pi, 1.5},
        {pill, turned(0, z, 90), -1, 2.0 + 0.25 * pi, 0.5},
        {pill, turned(0.8f, x, 90), -1, 0.25 * pi, 0.5},
        {pill, turned(1.3f, x, 90), -1, 0.16 * pi, 0.4},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wri_array polygon = cut(cases[i].shape, cases[i].pose);
        print_message("    %d: %d corners, area %.4f\n", i, polygon.count, area_of(&polygon));
        if (cases[i].corners >= 0) {
            assert_int_equal(polygon.count, cases[i].corners);
        } else {
            assert_true(polygon.count >= 4);
        }
        if (polygon.count && cases[i].area >= 0.0) {
            CHECK_NEAR(area_of(&polygon), cases[i].area, 4e-3 * cases[i].area);
            CHECK_NEAR(highest_of(&polygon), cases[i].top, 2e-3);
        }
        wri_array_destroy(&polygon);
    }
    wr_vec2 at;
    float angle;
    wr_pose slope = turned(2.0f, z, 30);
    slope.position.y = 1.0f;
    assert_true(wri_cut_plane(slope, &at, &angle));
    CHECK_NEAR(angle, pi / 6.0, 1e-6);
    CHECK_NEAR(at.y, 1.0, 1e-6);
    assert_false(wri_cut_plane(turned(0, x, 90), &at, &angle));
    assert_true(wri_cut_plane(turned(1.0f, x, 45), &at, &angle)); // y = -z where it is solid
    CHECK_NEAR(at.y, 1.0, 1e-5);
}

static void balls_come_to_rest_on_what_they_fall_on(void **state)
{
    (void)state;
    show s = start(
        HEAD "'bodies': [{'shape': 'plane', 'at': [0, -1, 0]}, {'shape': {'box': [1, 1, 1]}, "
             "'motion': 'static', 'at': [0, 0, 0.2]}, {'asset': 'block', 'motion': 'static', "
             "'shape': {'cylinder': {'radius': 0.4, 'height': 1}}, 'at': [2, 0, 0]}, {'shape': "
             "{'box': [1, 1, 1]}, 'motion': 'static', 'at': [4, 0, 5]}, {'shape': {'box': [1, 2, "
             "1]}, 'motion': 'static', 'at': [6, 0, 0], 'groups': ['glass']}, {'asset': 'block', "
             "'at': [0, 1, 0], 'material': {'sprite': 'default', 'bounce': 0}, 'copies': {'count': "
             "3, 'step': [2, 0, 0]}, 'misses': ['glass']}, {'asset': 'block', 'at': [6, 2, 0], "
             "'material': {'sprite': 'default', 'bounce': 0}}, {'asset': 'block', 'at': [6, 0.3, "
             "0], 'material': {'sprite': 'default', 'bounce': 0}, 'misses': ['glass']}]}");
    assert_int_equal(s.scene->warning_count, 0);
    step_frames(s.world, 180);
    const wr_frame *frame = wr_world_frame(s.world);
    const double floors[] = {0.5, 0.5, -1.0, 1.0, -1.0}; // the box at z = 5 is only scenery
    for (int i = 0; i < WRI_COUNT(floors); i++) {
        CHECK_NEAR(lowest(frame, i), floors[i], 0.02 * 0.6);
    }
    CHECK_NEAR(facts_of(s.world, 4).center.x, 6.0, 0.05); // nothing has pushed it aside
    end(&s);
}

static void a_driven_platform_carries_what_stands_on_it(void **state)
{
    (void)state;
    show s = start(HEAD "'bodies': [{'name': 'lift', 'shape': {'box': [3, 0.2, 1]}, 'path': "
                        "[{'time': 0.5, 'at': [0, 0, 0]}, {'time': 2.5, 'at': [2, 1, 0]}]}, "
                        "{'asset': 'block', 'at': [0, 0.25, 0], 'material': 'sprite'}]}");
    step_frames(s.world, 120);
    wr_sprite_facts facts = facts_of(s.world, 0);
    CHECK_NEAR(facts.velocity.x, 1.0, 0.02);
    CHECK_NEAR(facts.velocity.y, 0.5, 0.05);
    assert_true(facts.on_ground);
    CHECK_NEAR(lowest(wr_world_frame(s.world), 0), 0.1 + 0.75, 0.02 * 0.6);
    end(&s);
    // Turning, too: a paddle that turns by 60 degrees lifts its end and what lies there.
    s = start(HEAD "'bodies': [{'shape': {'box': [3, 0.2, 1]}, 'path': [{'time': 0, 'at': [0, 0, "
                   "0]}, {'time': 1, 'at': [0, 0, 0], 'turn': {'axis': [0, 0, 1], 'by': 15}}]}, "
                   "{'asset': 'block', 'at': [1, 0.25, 0], 'material': 'sprite'}]}");
    step_frames(s.world, 60);
    facts = facts_of(s.world, 0);
    CHECK_NEAR(facts.angle, 15.0 * 3.14159265 / 180.0, 0.03);
    CHECK_NEAR(facts.center.y, 0.25 / cos(0.2618) + (double)facts.center.x * tan(0.2618), 0.02);
    end(&s);
}

// --- as all worlds ----------------------------------------------------------------------------

#define CROWD                                                                                      \
    HEAD "'bodies': [" GROUND ", {'shape': {'box': [1, 0.2, 1]}, 'path': [{'time': 0, 'at': [-1, " \
         "0.5, 0]}, {'time': 3, 'at': [1, 0.6, 0], 'turn': {'axis': [0, 0, 1], 'by': 20}}]}, "     \
         "{'asset': 'ball', 'at': [-1, 1, 0], 'material': {'sprite': 'rubber ball', 'aim': "       \
         "'axis'}, 'copies': [{'count': 4, 'step': [0.5, 0, 0]}, {'count': 2, 'step': [0, 0.8, "   \
         "0]}], 'manifold': {'stretch_to': 'stretched', 'edges': [['rest', 'squashed'], ['rest', " \
         "'stretched']]}}, {'asset': 'block', 'at': [0, 3, 0], 'material': 'sprite'}, "            \
         "{'asset': 'beam', 'at': [0.4, 2.2, 0], 'material': 'sprite', 'nails': ['a', {'handle': " \
         "'e', 'until': 1.2}]}]}"

static void resuming_is_the_same_as_going_on(void **state)
{
    (void)state;
    enum { FRAMES = 120 };
    show s = start(CROWD);
    uint64_t hashes[FRAMES + 1];
    wr_world *resumed[2];
    const int saved[2] = {60, 83};
    for (int i = 1; i <= FRAMES; i++) {
        wr_world_step_frame(s.world);
        hashes[i] = wr_world_frame(s.world)->hash;
        for (int k = 0; k < 2; k++) {
            if (i == saved[k]) {
                size_t size;
                wr_error error = {0};
                const void *bytes = wr_world_save(s.world, &size, &error);
                resumed[k] = play(s.scene, 0);
                step_frames(resumed[k], 7); // so that it is not fresh
                if (!bytes || !wr_world_restore(resumed[k], bytes, size, &error)) {
                    fail_msg("%s", error.message);
                }
            }
        }
    }
    for (int k = 0; k < 2; k++) {
        for (int i = saved[k] + 1; i <= FRAMES; i++) {
            wr_world_step_frame(resumed[k]);
            if (wr_world_frame(resumed[k])->hash != hashes[i]) {
                fail_msg("frame %d after a save at %d differs", i, saved[k]);
            }
        }
        wr_world_destroy(resumed[k]);
    }
    end(&s);
}

static void one_and_two_threads_make_the_same_world(void **state)
{
    (void)state;
    show s = start(CROWD);
    wr_world *other = play(s.scene, 2);
    for (int i = 0; i < 60; i++) {
        wr_world_step_frame(s.world);
        wr_world_step_frame(other);
        assert_true(wr_world_frame(s.world)->hash == wr_world_frame(other)->hash);
    }
    wr_world_statistics stats = wr_world_stats(s.world);
    assert_int_equal(stats.sprites, 10);
    assert_true(stats.moving == 10 && stats.awake == 10); // the rigid ones are fixed and driven
    assert_true(stats.contacts > 60);
    assert_int_equal(stats.frozen, 0);
    assert_true(stats.top_speed > 0.1f);
    wr_world_destroy(other);
    end(&s);
}

static void a_frozen_sprite_is_shown_and_felt_no_more(void **state)
{
    (void)state;
    show s = start(CROWD);
    step_frames(s.world, 20);
    int sprite;
    wr_sprite_world *own = wri_sprite_world_of(s.world->materials[3].state, &sprite);
    wr_vec3 shown = wr_world_frame(s.world)->points[3].positions[0];
    wri_sprite_of(own, sprite)->vx[5] = NAN;
    wr_world_step_frame(s.world);
    const wr_frame *frame = wr_world_frame(s.world);
    assert_int_equal(frame->event_count, 1);
    assert_true(frame->events[0].kind == WR_EVENT_FROZEN && frame->events[0].subject == 5);
    uint64_t left = wr_sprite_hash(own, sprite);
    step_frames(s.world, 60);
    assert_true(wr_sprite_hash(own, sprite) == left);
    frame = wr_world_frame(s.world);
    wr_world_statistics stats = wr_world_stats(s.world);
    assert_true(stats.frozen == 1 && stats.moving == 10 && stats.awake == 9);
    assert_memory_equal(&frame->points[3].positions[0], &shown, sizeof shown);
    assert_int_equal(frame->points_count, 10);
    assert_int_equal(frame->blend_count, 9);
    size_t size;
    const void *bytes = wr_world_save(s.world, &size, NULL);
    wr_world *other = play(s.scene, 0);
    wr_error error = {0};
    if (!wr_world_restore(other, bytes, size, &error)) {
        fail_msg("%s", error.message);
    }
    for (int i = 0; i < 30; i++) {
        wr_world_step_frame(s.world);
        wr_world_step_frame(other);
        assert_true(wr_world_frame(s.world)->hash == wr_world_frame(other)->hash);
    }
    assert_memory_equal(&wr_world_frame(other)->points[3].positions[0], &shown, sizeof shown);
    wr_world_destroy(other);
    end(&s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_scene *scene = read_text(CROWD, &error);
    assert_non_null(scene);
    counting_heap heap = {.budget = 1 << 30};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    desc.allocator = (wr_allocator){counting_alloc, counting_free, &heap};
    wr_world_destroy(wr_world_create(&desc, &error));
    assert_int_equal(heap.alive, 0);
    int calls = heap.calls;
    for (int i = 0; i < calls; i += 1 + i / 40) {
        heap = (counting_heap){.budget = i};
        wr_world *world = wr_world_create(&desc, &error);
        if (!world) {
            assert_int_equal(error.code, WR_E_MEMORY);
        }
        wr_world_destroy(world);
        assert_int_equal(heap.alive, 0);
    }
    wr_scene_destroy(scene);
}

static void a_frame_takes_no_memory(void **state)
{
    (void)state;
    wr_scene *scene = read_text(CROWD, NULL);
    counting_heap heap = {.budget = 1 << 30};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    desc.allocator = (wr_allocator){counting_alloc, counting_free, &heap};
    wr_world *world = wr_world_create(&desc, NULL);
    step_frames(world, 5);
    int calls = heap.calls;
    step_frames(world, 40);
    assert_int_equal(heap.calls, calls);
    wr_world_destroy(world);
    wr_scene_destroy(scene);
}

// --- recordings -------------------------------------------------------------------------------

static void check_blend(const wr_blend *is, const wr_blend *was)
{
    float sum = 0.0f;
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        assert_int_equal(is->examples[k], was->examples[k]);
        CHECK_NEAR(is->shares[k], was->shares[k], 0.51 / 65535.0);
        sum += is->shares[k];
    }
    CHECK_NEAR(sum, 1.0, 1e-3);
}

static void a_recording_knows_where_in_its_poses_a_body_was(void **state)
{
    (void)state;
    enum { FRAMES = 80 };
    show s = start(CROWD);
    const wr_record_info *info = wr_world_record_info(s.world);
    const char *path = in_folder("recording.wrought");
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, info, &error);
    assert_non_null(writer);
    static wr_blend looks[FRAMES + 1], wishes[FRAMES + 1];
    float squashed = 0.0f;
    for (int i = 0; i <= FRAMES; i++) {
        const wr_frame *frame = wr_world_frame(s.world);
        if (i == 40) {
            assert_true(wr_record_add_snapshot(writer, "x", 1, &error)); // the next one is whole
        }
        if (!wr_record_add_frame(writer, frame, &error)) {
            fail_msg("%s", error.message);
        }
        looks[i] = frame->blends[2].looks;
        wishes[i] = frame->blends[2].wishes;
        wr_sprite_facts facts = facts_of(s.world, 2);
        for (int k = 0; k < 2; k++) {
            assert_true(looks[i].shares[k] == facts.projected.shares[k]);
            assert_true(wishes[i].shares[k] == facts.wished.shares[k]);
        }
        wr_world_step_frame(s.world);
    }
    assert_true(wr_record_finish(writer, false, &error));
    wr_record_writer_destroy(writer);
    wr_record_reader *reader = wr_record_open(path, &error);
    if (!reader) {
        fail_msg("%s", error.message);
    }
    info = wr_record_about(reader);
    assert_int_equal(info->manifold_count, 10);
    assert_int_equal(info->manifolds[2].body, 4);
    assert_int_equal(info->manifolds[2].simplex_count, 2);
    const wr_simplex *simplex = &info->manifolds[2].simplices[1];
    assert_true(simplex->corner_count == 2 && simplex->corners[1] == TOY_STRETCHED);
    assert_int_equal(info->manifolds[8].simplex_count, 3);
    const wr_asset *asset = wr_record_asset(info, &info->bodies[4], NULL);
    assert_string_equal(asset->rig.examples[TOY_SQUASHED].name, "squashed");
    for (int pass = 0; pass < 2; pass++) {
        for (int i = pass ? FRAMES : 0; pass ? i >= 0 : i <= FRAMES; i += pass ? -7 : 1) {
            const wr_frame *frame = wr_record_read_frame(reader, i, &error);
            assert_non_null(frame);
            assert_int_equal(frame->blend_count, 10);
            assert_int_equal(frame->blends[2].body, 4);
            check_blend(&frame->blends[2].looks, &looks[i]);
            check_blend(&frame->blends[2].wishes, &wishes[i]);
            for (int k = 0; k < frame->blend_count; k++) {
                const wr_blend *b = &frame->blends[k].looks;
                squashed = fmaxf(squashed, b->examples[1] == TOY_SQUASHED ? b->shares[1] : 0.0f);
            }
        }
    }
    assert_true(squashed > 0.2f);
    wr_record_close(reader);
    end(&s);
}

static int run_program(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "cd '%s' && '%s' %s >said 2>&1", folder.path,
             getenv("WROUGHT_PROGRAM"), arguments);
    return system(command);
}

static bool was_said(const char *words)
{
    char text[8192] = {0};
    FILE *file = fopen(in_folder("said"), "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    return size > 0 && strstr(text, words);
}

static void the_program_tells_of_sprites_and_draws_their_poses(void **state)
{
    (void)state;
    if (!getenv("WROUGHT_PROGRAM")) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    wr_scene_destroy(read_text(CROWD, NULL));
    assert_int_equal(run_program("info scene.json"), 0);
    assert_true(was_said("sprites              10"));
    assert_int_equal(run_program("sim scene.json -o out"), 0);
    assert_true(was_said("10 sprites"));
    assert_int_equal(run_program("info out"), 0);
    assert_true(was_said("bodies with poses    10"));
    assert_int_equal(run_program("render out --view manifold -o poses.png --from 0 --to 0.1"), 0);
    // Copies are one plot.
    assert_true(was_said("body 3, the mean of 8: never reached \"squashed\""));
    assert_true(was_said("poses.png: 960x720"));
    assert_int_not_equal(run_program("render out --view manifold -o poses.mp4"), 0);
    assert_true(was_said("a view of manifold is a picture, expected a .png"));
    assert_int_not_equal(run_program("render ball.glb --view manifold -o poses.png"), 0);
    assert_true(was_said("only recordings have a view of manifold"));
    wr_scene_destroy(read_text(HEAD "'bodies': [{'shape': {'sphere': 1}}]}", NULL));
    assert_int_equal(run_program("sim scene.json -o plain"), 0);
    assert_int_not_equal(run_program("render plain --view manifold -o poses.png"), 0);
    assert_true(was_said("has no sprites"));
}

// The middle of what is red in a picture, as shares of its width and height; its area as a share.
static void find_red(const char *name, float *x, float *y, float *area)
{
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    wr_image image;
    size_t size;
    char *bytes = wri_file_read(in_folder(name), 1 << 24, &arena.allocator, &size, &error);
    assert_non_null(bytes);
    assert_true(wri_png_decode(&arena, bytes, size, name, &image, &error));
    double sum_x = 0.0, sum_y = 0.0, count = 0.0;
    for (int i = 0; i < image.width * image.height; i++) {
        const uint8_t *p = image.pixels + 4 * i;
        if (p[0] > 2 * p[1] + 40 && p[0] > 2 * p[2] + 40) {
            sum_x += (i % image.width + 0.5) / image.width;
            sum_y += ((double)(i / image.width) + 0.5) / image.height;
            count += 1.0;
        }
    }
    assert_true(count > 0.0);
    *x = (float)(sum_x / count);
    *y = (float)(sum_y / count);
    *area = (float)(count / (image.width * image.height));
    wri_free(&arena.allocator, bytes, size + 1, 1);
    wri_arena_destroy(&arena);
}

#define RUNNER                                                                                     \
    "'bodies': [{'name': 'floor', 'shape': {'box': [100, 1, 9]}, 'at': [40, -0.5, 0], 'motion': "  \
    "'static', 'color': '#202020'}, {'name': 'post', 'shape': {'box': [0.2, 1, 0.2]}, 'at': [9, "  \
    "0.5, 0]}, {'name': 'ball', 'shape': {'sphere': 0.5}, 'at': [0, 0.5, 3], 'velocity': [8, 0, "  \
    "0], 'friction': 0, 'color': '#ff0000'}]"

static void draw_runner(const char *text, const char *frame, float *x, float *y, float *area)
{
    char line[128];
    wr_scene_destroy(read_text(text, NULL));
    assert_int_equal(run_program("sim scene.json -o run --fresh"), 0);
    snprintf(line, sizeof line, "render run -s 160x90 -o run.png --frame %s", frame);
    assert_int_equal(run_program(line), 0);
    find_red("run.png", x, y, area);
}

static void cameras_go_along(void **state)
{
    (void)state;
    if (!getenv("WROUGHT_PROGRAM")) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    const char *const flat[] = {
        "{'wrought': 1, 'length': 4, 'flat': true, " RUNNER "}",
        "{'wrought': 1, 'length': 4, 'flat': true, " RUNNER ", 'cameras': [{'follow': 'ball'}]}",
        "{'wrought': 1, 'length': 4, " RUNNER ", 'cameras': [{'follow': 'ball'}]}",
        "{'wrought': 1, 'length': 4, " RUNNER ", 'cameras': [{'follow': 'ball', 'from': [-2, 2, "
        "9], 'to': [0, 1, 0]}]}"};
    for (int i = 0; i < 4; i++) {
        float x[3], y[3], area[3];
        draw_runner(flat[i], "0", &x[0], &y[0], &area[0]);
        draw_runner(flat[i], "120", &x[1], &y[1], &area[1]);
        draw_runner(flat[i], "240", &x[2], &y[2], &area[2]);
        for (int k = 0; k < 3; k++) {
            assert_true(x[k] > 0.05f && x[k] < 0.95f && y[k] > 0.3f && y[k] < 0.9f);
            assert_true(area[k] > (i == 0 ? 0.001f : 0.005f));
        }
        assert_true(fabsf(x[1] - 0.5f) < 0.2f);
        assert_true(fabsf(area[1] - area[2]) < 0.4f * area[1]); // it does not come nearer
    }
}

static wr_record_reader *record_one(const wr_record_info *info, const wr_frame *frame,
                                    wr_error *error)
{
    const char *path = in_folder("odd.wrought");
    wr_record_writer *writer = wr_record_create(path, info, error);
    bool ok = writer && wr_record_add_frame(writer, frame, error) &&
              wr_record_finish(writer, false, error);
    wr_record_writer_destroy(writer);
    return ok ? wr_record_open(path, error) : NULL;
}

static void poses_that_are_not_there_are_refused(void **state)
{
    (void)state;
    show s = start(CROWD);
    wr_error error = {0};
    wr_record_info info = *wr_world_record_info(s.world);
    wr_frame frame = *wr_world_frame(s.world);
    wr_record_blend odd = frame.blends[1];
    frame.blends = &odd;
    frame.blend_count = 1;
    odd.wishes.examples[1] = TOY_EXAMPLES; // the writer does not know the asset
    wr_record_reader *reader = record_one(&info, &frame, &error);
    assert_non_null(reader);
    assert_null(wr_record_read_frame(reader, 0, &error));
    assert_non_null(strstr(error.message, "a blend of examples that are not there"));
    wr_record_close(reader);
    odd.wishes = odd.looks;
    odd.looks.shares[0] = NAN;
    assert_null(record_one(&info, &frame, &error));
    assert_non_null(strstr(error.message, "blend of body 3: corner 0 is none"));
    odd.looks = odd.wishes;
    odd.body = info.body_count;
    assert_null(record_one(&info, &frame, &error));
    odd.body = 3;
    wr_simplex far = {2, {0, TOY_EXAMPLES}};
    wr_record_manifold manifold = {3, 1, &far};
    info.manifolds = &manifold;
    info.manifold_count = 1;
    assert_null(record_one(&info, &frame, &error));
    assert_non_null(strstr(error.message, "a pose manifold of examples that are not there"));
    far.corner_count = 0;
    assert_null(record_one(&info, &frame, &error));
    assert_non_null(strstr(error.message, "a simplex without corners"));
    manifold.body = -1;
    assert_null(record_one(&info, &frame, &error));
    end(&s);
}

// --- complaints -------------------------------------------------------------------------------

static void complaints_name_the_line_and_what_was_expected(void **state)
{
    (void)state;
    static const struct {
        const char *body; // from line 3 on
        const char *sentence;
    } cases[] = {
        {"'manifold': {'edges': [['rest',\n'squashd']]}",
         ":4:1: body \"hero\": unknown pose \"squashd\"; did you mean \"squashed\"?"},
        {"'manifold': {\n'start': 'up'}", ":4:10: body \"hero\": unknown pose \"up\""},
        {"'manifold': {'edges': []}", "the manifold is empty"},
        {"'manifold': {'edges': [['rest', 'squashed'],\n['squashed', 'rest']]}",
         ":4:1: body \"hero\": the same edge as in line 3"},
        {"'manifold': {'triangles': [['rest', 'squashed', 'sheared']],\n'edges': [['rest', "
         "'sheared']]}",
         ":4:11: body \"hero\": this edge is part of what line 3 says"},
        {"'manifold': {'edges': [['rest', 'squashed']], 'poses': [\n'rest']}",
         ":4:1: body \"hero\": this pose is part of"},
        {"'manifold': {'edges': [['rest', 'rest']]}", "the pose \"rest\" twice in one edge"},
        {"'manifold': {'edges': [['rest']]}", "expected a list of 2 poses"},
        {"'manifold': {'triangles': [['rest', 'squashed']]}", "expected a list of 3 poses"},
        {"'manifold': {'poses': [3]}", "expected"},
        {"'manifold': {'edges': [['rest', 'squashed']], 'start': 'sheared'}",
         "\"start\" is \"sheared\", which is in no edge"},
        {"'manifold': {'edges': [['rest', 'squashed']], 'give_to': 'sheared'}",
         "\"give_to\" is \"sheared\", which is in no edge"},
        {"'manifold': {'drag': {\n'shered': 2}}",
         ":4:1: body \"hero\": unknown pose \"shered\"; did you mean \"sheared\"?"},
        {"'manifold': {'drag': {'sheared': -2}}", "expected"},
        {"'manifold': {'edge': []}", "unknown"},
        {"'manifold': []", "expected"},
        {"'nails': ['b',\n'bb']",
         ":4:1: body \"hero\": unknown handle \"bb\"; did you mean \"b\"?"},
        {"'nails': ['c']", "the handle \"c\" has no vertex of its own"},
        {"'nails': ['b',\n{'handle': 'b', 'until': 2}]",
         ":4:1: body \"hero\": the same handle as in line 3"},
        {"'nails': [{\n'handel': 'b'}]",
         ":4:1: body \"hero\": unknown key \"handel\"; did you mean"},
        {"'nails': [{'until': 2}]", "handle"},
        {"'nails': [{'handle': 'b', 'until': -1}]", "until"},
        {"'nails': [3]", "expected the name of a handle"},
        {"'nails': 'b'", "expected"},
        {"'shape': 'hull'", "\"shape\" has no effect on a body of \"sprite\""},
        {"'restitution': 0.5", "\"restitution\" has no effect on a body of \"sprite\""},
        {"'turn': {'axis': [1, 0, 0], 'by': 20}", "lives in the plane, expected a turn about z"},
        {"'copies': {'count': 2, 'turn': {'axis': [1, 0, 0], 'by': 20}}",
         "expected a turn about z"},
        {"'velocity': [0, 0, 1]", "expected no velocity along z"},
        {"'spin': [0, 5, 1]", "expected spin about z alone"},
        {"'motion': 'static'", "expected the motion \"moving\""},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{'wrought': 1, 'assets': {'ball': 'ball.glb'}, 'bodies': [\n{'name': 'hero', "
                 "'asset': 'ball', 'material': 'sprite',\n%s}]}",
                 cases[i].body);
        wr_error error = {0};
        wr_scene *scene = read_text(text, &error);
        print_message("    %s\n", error.message);
        assert_null(scene);
        assert_int_equal(error.code, WR_E_FORMAT);
        if (!strstr(error.message, cases[i].sentence)) {
            fail_msg("expected: %s", cases[i].sentence);
        }
    }
}

static void other_bodies_have_no_poses_and_sprites_need_a_drawing(void **state)
{
    (void)state;
    wr_error error = {0};
    assert_null(read_text(HEAD "'bodies': [{'shape': {'sphere': 1}, 'manifold': {}}]}", &error));
    assert_non_null(
        strstr(error.message, "\"manifold\" has no effect on a body that is no sprite"));
    assert_null(read_text(HEAD "'bodies': [{'shape': {'sphere': 1}, 'nails': []}]}", &error));
    assert_non_null(strstr(error.message, "\"nails\" has no effect on a body that is no sprite"));
    assert_null(read_text(HEAD "'bodies': [{'material': 'sprite'}]}", &error));
    assert_non_null(strstr(error.message, "expects an \"asset\" with a flat rig"));
}

static void scenes_warn_of_what_sprites_do_not_feel(void **state)
{
    (void)state;
    show s = start(
        HEAD "'bodies': [" GROUND ", {'name': 'crate', 'shape': {'box': [1, 1, 1]}, 'at': [5, 2, "
             "0]}, {'name': 'rock', 'asset': 'ball', 'shape': 'mesh', 'motion': 'static', 'at': "
             "[9, 0, 0]}, {'name': 'door', 'shape': {'box': [1, 1, 1]}, 'path': [{'time': 0, 'at': "
             "[0, 0, 0]}, {'time': 1, 'at': [0, 0, 1]}]}, {'asset': 'ball', 'material': 'sprite', "
             "'at': [0, 3, 0]}]}");
    assert_int_equal(s.scene->warning_count, 2); // they feel the crate
    assert_non_null(strstr(s.scene->warnings[0], "body \"rock\" is a mesh"));
    assert_non_null(strstr(s.scene->warnings[1], "body \"door\" leaves the plane"));
    end(&s);
}

// --- presets ----------------------------------------------------------------------------------

static float second_apex(const char *preset)
{
    char text[512];
    snprintf(text, sizeof text,
             HEAD "'bodies': [" GROUND ", {'asset': 'ball', 'at': [0, 1.25, 0], 'material': "
                  "{'sprite': '%s'}, 'manifold': {'edges': [['rest', 'squashed']]}}]}",
             preset);
    show s = start(text);
    float apex = 0.0f, least = INFINITY;
    bool hit = false;
    for (int i = 0; i < 90; i++) {
        wr_world_step_frame(s.world);
        float low = lowest(wr_world_frame(s.world), 0);
        hit = hit || low < 0.01f;
        apex = hit ? fmaxf(apex, low) : apex;
        least = fminf(least, low);
    }
    step_frames(s.world, 90);
    assert_int_equal(wr_world_stats(s.world).material_trouble, 0);
    assert_true(least > -0.02f);
    print_message("    %-12s rises %.3f m of 1 m\n", preset, (double)apex);
    end(&s);
    return apex;
}

static void presets_bounce_as_they_are_called(void **state)
{
    (void)state;
    float rubber = second_apex("rubber ball"), jelly = second_apex("jelly");
    float card = second_apex("stiff card"), cloth = second_apex("cloth");
    float springy = second_apex("springy");
    assert_true(rubber > 0.5f && rubber < 1.0f && springy > 0.5f);
    assert_true(jelly < 0.5f * rubber && card < 0.1f && cloth < 0.1f);
}

static int substeps_of(const char *text)
{
    show s = start(text);
    int substeps = s.scene->substeps;
    end(&s);
    return substeps;
}

static void sprites_alone_step_at_60_hertz(void **state)
{
    (void)state;
    assert_int_equal(substeps_of(HEAD "'bodies': [" GROUND ", {'asset': 'ball', 'material': "
                                      "'sprite'}]}"),
                     1);
    assert_int_equal(substeps_of(HEAD "'frames': 24, 'bodies': [{'asset': 'ball', 'material': "
                                      "'sprite'}]}"),
                     3);
    assert_int_equal(substeps_of(HEAD "'bodies': [{'shape': {'sphere': 1}}, {'asset': 'ball', "
                                      "'at': [0, 5, 0], 'material': 'sprite'}]}"),
                     4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_moves_a_ball_as_the_library_alone_does),
        cmocka_unit_test(what_is_not_said_is_the_librarys_default),
        cmocka_unit_test(what_a_scene_says_reaches_the_sprite),
        cmocka_unit_test(details_and_depth_turn_and_flip_with_the_drawing),
        cmocka_unit_test(copies_stand_side_by_side_and_share_their_drawing),
        cmocka_unit_test(nails_hold_handles_until_they_let_go),
        cmocka_unit_test(layers_are_pinned_and_drawn_in_front_of_each_other),
        cmocka_unit_test(the_plane_cuts_what_geometry_says),
        cmocka_unit_test(balls_come_to_rest_on_what_they_fall_on),
        cmocka_unit_test(a_driven_platform_carries_what_stands_on_it),
        cmocka_unit_test(resuming_is_the_same_as_going_on),
        cmocka_unit_test(one_and_two_threads_make_the_same_world),
        cmocka_unit_test(a_frozen_sprite_is_shown_and_felt_no_more),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_frame_takes_no_memory),
        cmocka_unit_test(a_recording_knows_where_in_its_poses_a_body_was),
        cmocka_unit_test(the_program_tells_of_sprites_and_draws_their_poses),
        cmocka_unit_test(poses_that_are_not_there_are_refused),
        cmocka_unit_test(cameras_go_along),
        cmocka_unit_test(complaints_name_the_line_and_what_was_expected),
        cmocka_unit_test(other_bodies_have_no_poses_and_sprites_need_a_drawing),
        cmocka_unit_test(scenes_warn_of_what_sprites_do_not_feel),
        cmocka_unit_test(presets_bounce_as_they_are_called),
        cmocka_unit_test(sprites_alone_step_at_60_hertz),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
