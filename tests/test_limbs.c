// test_limbs.c: what the table of a material promises about parts, joints and boundaries, by five
// driven bones with a tail and a skin.
#include "asset_sample.h"
#include "limbs_world.h"

static const float G = 9.81f;

static void momentum_of(springs_view b, double p[3])
{
    p[0] = p[1] = p[2] = 0.0;
    for (int i = 0; i < b.count; i++) {
        p[0] += b.mass * b.v[i].x, p[1] += b.mass * b.v[i].y, p[2] += b.mass * b.v[i].z;
    }
}

static wr_vec3 middle_of(springs_view b)
{
    double x[3] = {0};
    for (int i = 0; i < b.count; i++) {
        x[0] += b.x[i].x, x[1] += b.x[i].y, x[2] += b.x[i].z;
    }
    return wr_v3((float)(x[0] / b.count), (float)(x[1] / b.count), (float)(x[2] / b.count));
}

// --- driven parts -----------------------------------------------------------------------------

static void check_bones(const wr_world *world, int index)
{
    for (int i = 0; i < LIMBS_BONES; i++) {
        wr_pose wanted = limbs_of(world, index).bones[i], is = part_pose(world, index, i);
        CHECK_NEAR(wr_distance(is.position, wanted.position), 0.0, 1e-6);
        CHECK_NEAR(fabsf(wr_quat_dot(is.rotation, wanted.rotation)), 1.0, 1e-6);
    }
}

// Also where the engine splits the step: the ball is fast and the wall thin.
static void bones_are_where_they_are_told_after_every_step(void **state)
{
    (void)state;
    show s = start(STEPS "'bodies': [" LIMBS(
        ", 'swing': 0.4, 'period': 0.7",
        ", 'velocity': [0.3, 0.2, -0.5], 'turn': {'axis': [1, 2, -1], 'by': 35}") //
                   ", {'name': 'ball', 'shape': {'sphere': 0.1}, 'at': [0, 9, 0], 'velocity': "
                   "[-300, 0, 0]}, {'name': 'wall', 'shape': {'box': [0.01, 9, 9]}, 'at': [-60, 9, "
                   "0], 'motion': 'static'}]");
    wr_pose first = part_pose(s.world, 0, 4);
    float farthest = 0.0f;
    for (int i = 0; i < 120; i++) {
        step_frames(s.world, 1);
        check_bones(s.world, 0);
        farthest = fmaxf(farthest, wr_distance(part_pose(s.world, 0, 4).position, first.position));
    }
    assert_true(farthest > 0.4f);
    assert_true(wr_world_stats(s.world).most_substeps > 1);
    end(s);
}

// A corner of the crate lies in the way of the third bone: with n the normal of the bone, r the arm
// of the corner and v the speed of the bone along n, the inelastic impulse without friction is
//     J = v / (1/m + (r x n) . I^-1 (r x n)).
typedef struct blow {
    wr_vec3 velocity, angular_velocity; // of the crate
    double impulse;                     // N s
} blow;

static blow expected_blow(const wr_scene_body *crate, wr_vec3 corner, wr_vec3 n, double v)
{
    wr_quat turn = crate->rigid.pose.rotation;
    const wr_mass_properties *mass = &crate->rigid.mass;
    wr_vec3 own = wr_rotate_back(turn, n), arm = wr_cross(corner, own);
    wr_vec3 answer =
        wr_v3((float)(arm.x / mass->inertia[0][0]), (float)(arm.y / mass->inertia[1][1]),
              (float)(arm.z / mass->inertia[2][2]));
    double j = v / (1.0 / mass->mass + wr_dot(arm, answer));
    return (blow){wr_scale((float)(j / mass->mass), n), wr_rotate(turn, wr_scale((float)j, answer)),
                  j};
}

// The engine rounds off edges by a part of the median size: small things keep them sharp.
#define PEBBLES                                                                                    \
    "{'name': 'pebble', 'shape': {'sphere': 0.05}, 'at': [9, 9, 9], 'copies': {'count': 3, "       \
    "'step': [1, 0, 0]}}"
#define CRATE_TURN "'turn': {'axis': [2, -1, 1], 'by': 50}"
static const wr_vec3 crate_size = {0.3f, 0.5f, 0.4f};

static wr_vec3 lowest_corner(wr_quat turn, wr_vec3 n)
{
    wr_vec3 lowest = {0, 0, 0};
    for (int i = 0; i < 8; i++) {
        wr_vec3 c =
            wr_v3((i & 1 ? 0.5f : -0.5f) * crate_size.x, (i & 2 ? 0.5f : -0.5f) * crate_size.y,
                  (i & 4 ? 0.5f : -0.5f) * crate_size.z);
        lowest = wr_dot(wr_rotate(turn, c), n) < wr_dot(wr_rotate(turn, lowest), n) ? c : lowest;
    }
    return lowest;
}

static void a_driven_bone_pushes_a_crate_as_the_closed_form_says(void **state)
{
    (void)state;
    const wr_quat turn = wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 2, -1)), 0.6108652f);
    const wr_quat crate_turn = wr_quat_from_axis_angle(wr_normalize(wr_v3(2, -1, 1)), 0.8726646f);
    wr_vec3 n = wr_rotate(turn, wr_v3(0, 1, 0)), along = wr_rotate(turn, wr_v3(0.4f, 0, -0.2f));
    wr_vec3 velocity = wr_add_scaled(along, 1.2f, n), corner = lowest_corner(crate_turn, n);
    wr_vec3 at = wr_add_scaled(wr_rotate(turn, wr_v3(0.03f, 0, -0.02f)), 0.08f + 0.02f, n);
    at = wr_sub(at, wr_rotate(crate_turn, corner));
    char text[1024];
    snprintf(text, sizeof text,
             SPACE "'bodies': [" LIMBS(
                 ", 'swing': 0", ", 'velocity': [%.9g, %.9g, %.9g], 'turn': {'axis': [1, 2, -1], "
                                 "'by': 35}, 'friction': 0, 'restitution': 0") //
             ", {'name': 'crate', 'shape': {'box': [0.3, 0.5, 0.4]}, 'density': 300, 'at': "
             "[%.9g, %.9g, %.9g], " CRATE_TURN
             ", 'friction': 0, 'restitution': 0, 'angular_damping': 0}, " PEBBLES "]",
             (double)velocity.x, (double)velocity.y, (double)velocity.z, (double)at.x, (double)at.y,
             (double)at.z);
    show s = start(text);
    blow b = expected_blow(&s.scene->bodies[1], corner, n, wr_dot(velocity, n));
    step_frames(s.world, 4);
    int crate = wr_world_body(s.world, 1);
    wr_vec3 v = wr_rigid_velocity(wr_world_rigid(s.world), crate);
    wr_vec3 angular_velocity = wr_rigid_angular_velocity(wr_world_rigid(s.world), crate);
    CHECK_NEAR(wr_distance(v, b.velocity), 0.0, 0.01 * wr_length(b.velocity));
    CHECK_NEAR(wr_distance(angular_velocity, b.angular_velocity), 0.0,
               0.02 * wr_length(b.angular_velocity));
    const double *felt = limbs_of(s.world, 0).felt[2]; // the bone is told, but does not care
    wr_vec3 told = wr_v3((float)felt[0], (float)felt[1], (float)felt[2]);
    CHECK_NEAR(wr_distance(told, wr_scale((float)-s.scene->bodies[1].rigid.mass.mass, v)), 0.0,
               1e-4 * b.impulse);
    check_bones(s.world, 0);
    end(s);
}

// --- what parts touch -------------------------------------------------------------------------

// Of the tail, in joule.
static double tail_energy(const wr_world *world)
{
    limbs_view l = limbs_of(world, 0);
    wr_mass_properties mass =
        wr_primitive_mass(WR_PRIMITIVE_BOX, l.tail_size,
                          l.tail_mass / (double)(l.tail_size.x * l.tail_size.y * l.tail_size.z));
    wr_pose pose = part_pose(world, 0, LIMBS_TAIL);
    wr_vec3 v = part_velocity(world, 0, LIMBS_TAIL);
    wr_vec3 w = wr_rotate_back(pose.rotation, part_angular_velocity(world, 0, LIMBS_TAIL));
    return 0.5 * l.tail_mass * (double)wr_dot(v, v) +
           0.5 * (mass.inertia[0][0] * w.x * w.x + mass.inertia[1][1] * w.y * w.y +
                  mass.inertia[2][2] * w.z * w.z) +
           l.tail_mass * (double)(G * pose.position.y);
}

// Contacts of the last step between the tail and a part of its own body.
static int own_contacts(const wr_world *world, int part)
{
    const int *engine = world->materials[0].part_bodies;
    int count, found = 0;
    const wr_contact *contacts = wr_rigid_contacts(wr_world_rigid(world), &count);
    for (int i = 0; i < count; i++) {
        int a = contacts[i].body_a, b = contacts[i].body_b;
        found += (a == engine[LIMBS_TAIL] && b == engine[part]) ||
                 (b == engine[LIMBS_TAIL] && a == engine[part]);
    }
    return found;
}

static double felt_by(const wr_world *world, int part)
{
    const double *felt = limbs_of(world, 0).felt[part];
    return fabs(felt[0]) + fabs(felt[1]) + fabs(felt[2]);
}

#define PENDULUM(touches)                                                                          \
    "'bodies': [" LIMBS(", 'swing': 0, 'touches': '" touches "'",                                  \
                        ", 'turn': {'axis': [1, 2, -1], 'by': 35}, 'angular_damping': 0") "]"

// The tail begins within the last two bones and is a pendulum, unless it touches them.
static void own_parts_pass_through_each_other_unless_they_touch_all(void **state)
{
    (void)state;
    show s = start(PENDULUM("others"));
    double first = tail_energy(s.world), height = part_pose(s.world, 0, LIMBS_TAIL).position.y;
    double fall = 0.0;
    for (int i = 0; i < 60; i++) {
        step_frames(s.world, 1);
        fall = fmax(fall, height - part_pose(s.world, 0, LIMBS_TAIL).position.y);
        CHECK_NEAR(tail_energy(s.world), first, 0.02 * limbs_of(s.world, 0).tail_mass * G * 0.3);
        assert_int_equal(own_contacts(s.world, 3) + own_contacts(s.world, 4), 0);
    }
    assert_true(fall > 0.3);
    end(s);
    s = start(PENDULUM("all"));
    step_frames(s.world, 1);
    assert_true(own_contacts(s.world, 3) > 0);
    assert_int_equal(own_contacts(s.world, 4), 0); // the joint keeps these two apart
    end(s);
}

// The tail flies through two of three walls until it heeds them, when it is past the first.
static show fly_at_walls(double until)
{
    char text[1024];
    snprintf(text, sizeof text,
             SPACE "'bodies': [" LIMBS(", 'swing': 0, 'meets': 0, 'release_at': 0, "
                                       "'ignores_until': %g",
                                       ", 'velocity': [6, 0.3, -0.2]") //
             ", {'shape': {'box': [0.2, 4, 4]}, 'at': [2.5, 0, 0], 'motion': 'static', 'copies': "
             "{'count': 3, 'step': [2, 0, 0]}, 'turn': {'axis': [0, 1, 3], 'by': 7}}]",
             until);
    return start(text);
}

static void a_part_passes_through_what_its_material_solves(void **state)
{
    (void)state;
    const double until[] = {0, 0.45, 9};
    const float wall[] = {2.5f, 4.5f, 6.5f};
    for (int k = 0; k < 3; k++) {
        show s = fly_at_walls(until[k]);
        step_frames(s.world, 35);
        size_t size;
        const void *saved = wr_world_save(s.world, &size, NULL);
        show other = fly_at_walls(until[k]);
        assert_true(wr_world_restore(other.world, saved, size, NULL));
        float farthest = 0;
        for (int i = 35; i < 90; i++) {
            step_frames(s.world, 1);
            step_frames(other.world, 1);
            farthest = fmaxf(farthest, part_pose(s.world, 0, LIMBS_TAIL).position.x);
        }
        assert_true(farthest > wall[k] - 1.0f && farthest < wall[k]);
        assert_true(wr_world_frame(s.world)->hash == wr_world_frame(other.world)->hash);
        end(other);
        end(s);
    }
}

// Bones run into a block of springs, the tail into a wall.
static show run_into(const char *touches)
{
    char text[1024];
    snprintf(text, sizeof text,
             SPACE "'bodies': [" LIMBS(
                 ", 'swing': 0, 'meets': 0, 'release_at': 0, 'touches': '%s'",
                 ", 'velocity': [0.4, -3, 0.5], 'turn': {'axis': [0, 0, 1], 'by': 8}") //
             ", " BLOCK("block", "[0.4, 0.3, 0.5]", "'particles': 100",
                        ", 'at': [-0.7, -0.8, 0.2], 'density': 40") //
             ", {'name': 'wall', 'shape': {'box': [2, 0.2, 2]}, 'at': [1.5, -0.9, 0.3], "
             "'turn': {'axis': [2, 1, 1], 'by': 12}, 'motion': 'static'}]",
             touches);
    return start(text);
}

static void parts_that_touch_nothing_are_felt_by_nobody(void **state)
{
    (void)state;
    double p[3], start_p[3];
    show s = run_into("nothing");
    wr_vec3 from = part_pose(s.world, 0, LIMBS_TAIL).position;
    momentum_of(block_of(s.world, 1), start_p);
    step_frames(s.world, 36);
    wr_vec3 way = wr_sub(part_pose(s.world, 0, LIMBS_TAIL).position, from);
    CHECK_NEAR(wr_distance(way, wr_scale(0.6f, wr_v3(0.4f, -3, 0.5f))), 0.0, 1e-4);
    momentum_of(block_of(s.world, 1), p);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(p[i], 0.0, 1e-5);
    }
    CHECK_NEAR(felt_by(s.world, LIMBS_TAIL), 0.0, 0.0);
    end(s);
}

// The other side of the same: what the block loses, the bones are told.
static void pushes_on_driven_bones_reach_them_as_contacts(void **state)
{
    (void)state;
    show s = run_into("others");
    wr_vec3 from = part_pose(s.world, 0, LIMBS_TAIL).position;
    step_frames(s.world, 36);
    assert_true(from.y - part_pose(s.world, 0, LIMBS_TAIL).position.y < 1.4f); // it hit the wall
    assert_true(felt_by(s.world, LIMBS_TAIL) > 1.0);
    double p[3], told[3] = {0}, size = 0.0;
    momentum_of(block_of(s.world, 1), p);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < LIMBS_BONES; k++) {
            told[i] += limbs_of(s.world, 0).felt[k][i];
        }
        size += fabs(p[i]);
    }
    assert_true(size > 1.0);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(told[i], -p[i], 1e-5 * size);
    }
    check_bones(s.world, 0);
    end(s);
}

// --- the tail ---------------------------------------------------------------------------------

static double joint_gap(const wr_world *world)
{
    limbs_view l = limbs_of(world, 0);
    return wr_distance(wr_pose_point(part_pose(world, 0, LIMBS_BONES - 1), l.bone_point),
                       wr_pose_point(part_pose(world, 0, LIMBS_TAIL), l.tail_point));
}

// A hundred steps of free fall. Symplectic Euler: x_n = x_0 + n h v_0 + g h^2 n (n + 1) / 2.
static void check_free_fall(wr_world *world)
{
    wr_vec3 x = part_pose(world, 0, LIMBS_TAIL).position, v = part_velocity(world, 0, LIMBS_TAIL);
    const double h = 1.0 / 240.0;
    for (int n = 1; n <= 100; n++) {
        step_frames(world, 1);
        wr_vec3 now = part_pose(world, 0, LIMBS_TAIL).position;
        CHECK_NEAR(now.x, x.x + n * h * v.x, 1e-5);
        CHECK_NEAR(now.y, x.y + n * h * v.y - G * h * h * n * (n + 1) / 2.0, 1e-5);
        CHECK_NEAR(now.z, x.z + n * h * v.z, 1e-5);
    }
}

#define TAIL(more)                                                                                 \
    STEPS "'bodies': [" LIMBS(", 'swing': 0.05, 'period': 2" more,                                 \
                              ", 'velocity': [0.3, 0.1, -0.2], 'turn': {'axis': [1, 2, -1], "      \
                              "'by': 35}") "]"

static void the_tail_hangs_on_its_joint_until_it_is_gone(void **state)
{
    (void)state;
    show s = start(TAIL(", 'kick_at': 0.399, 'release_at': 0.799"));
    wr_vec3 angular_velocity = {0, 0, 0};
    for (int i = 0; i < 192; i++) {
        angular_velocity = part_angular_velocity(s.world, 0, LIMBS_TAIL);
        step_frames(s.world, 1);
        CHECK_NEAR(joint_gap(s.world), 0.0, 1e-3);
        limbs_view l = limbs_of(s.world, 0);
        assert_int_equal(l.kicked, i >= 96);
        assert_int_equal(l.released, i >= 192);
        if (i == 96) { // it turned about the joint: gravity alone changes it, for a step
            wr_vec3 now = part_angular_velocity(s.world, 0, LIMBS_TAIL);
            CHECK_NEAR(wr_distance(now, l.given[1]), 0.0, 0.15);
            assert_true(wr_distance(now, angular_velocity) > 1.0f);
        }
    }
    step_frames(s.world, 1);
    assert_true(limbs_of(s.world, 0).released);
    check_free_fall(s.world);
    assert_true(joint_gap(s.world) > 0.3);
    end(s);
}

static void a_velocity_that_a_material_changes_arrives_in_the_same_step(void **state)
{
    (void)state;
    show s = start(TAIL(", 'release_at': 0.299, 'kick_at': 0.499"));
    step_frames(s.world, 120);
    assert_false(limbs_of(s.world, 0).kicked);
    step_frames(s.world, 1);
    limbs_view l = limbs_of(s.world, 0);
    assert_true(l.kicked && wr_length(l.given[0]) > 0.3f);
    wr_vec3 fallen = wr_add(l.given[0], wr_v3(0, -G / 240.0f, 0));
    CHECK_NEAR(wr_distance(part_velocity(s.world, 0, LIMBS_TAIL), fallen), 0.0, 1e-5);
    CHECK_NEAR(wr_distance(part_angular_velocity(s.world, 0, LIMBS_TAIL), l.given[1]), 0.0, 0.05);
    check_free_fall(s.world);
    end(s);
}

// The block hits the falling tail when its velocity is changed; nothing else holds either.
static void pushes_and_a_changed_velocity_add_up(void **state)
{
    (void)state;
    show s = start(
        STEPS "'bodies': [" LIMBS(", 'swing': 0, 'meets': 0, 'release_at': 0, 'kick_at': 0.2749",
                                  "") //
        ", " BLOCK("block", "[0.4, 0.3, 0.5]", "'particles': 100",
                   ", 'at': [0.65, -1, 0.1], 'density': 40, 'velocity': [0.2, 3, 0]") "]");
    step_frames(s.world, 66);
    double before[3], after[3], push[3];
    momentum_of(block_of(s.world, 1), before);
    assert_false(limbs_of(s.world, 0).kicked);
    step_frames(s.world, 1);
    limbs_view l = limbs_of(s.world, 0);
    assert_true(l.kicked);
    momentum_of(block_of(s.world, 1), after);
    for (int i = 0; i < 3; i++) {
        push[i] = before[i] - after[i];
    }
    double fall = (double)G / 240.0, mass = block_of(s.world, 1).mass * block_of(s.world, 1).count;
    push[1] -= mass * fall;
    assert_true(fabs(push[1]) > 0.05);
    wr_vec3 v = part_velocity(s.world, 0, LIMBS_TAIL);
    CHECK_NEAR(v.x, l.given[0].x + push[0] / l.tail_mass, 1e-4);
    CHECK_NEAR(v.y, l.given[0].y + push[1] / l.tail_mass - fall, 1e-4);
    CHECK_NEAR(v.z, l.given[0].z + push[2] / l.tail_mass, 1e-4);
    end(s);
}

// --- the skin ---------------------------------------------------------------------------------

// How far a point is outside of the skin, along the normal of the nearest triangle.
static float height_over_skin(limbs_view l, wr_vec3 p)
{
    float nearest = INFINITY, height = 0.0f;
    for (int i = 0; i < l.triangle_count; i++) {
        const int *t = &l.triangles[3 * i];
        wr_vec3 a = l.skin[t[0]], n = wr_cross(wr_sub(l.skin[t[1]], a), wr_sub(l.skin[t[2]], a));
        wr_vec3 middle = wr_scale(1.0f / 3.0f, wr_add(a, wr_add(l.skin[t[1]], l.skin[t[2]])));
        float distance = wr_distance(p, middle);
        if (distance < nearest) {
            nearest = distance;
            height = wr_dot(wr_sub(p, a), wr_normalize(n));
        }
    }
    return height;
}

static float lowest_height(limbs_view l, springs_view b)
{
    float lowest = INFINITY;
    for (int i = 0; i < b.count; i++) {
        lowest = fminf(lowest, height_over_skin(l, b.x[i]));
    }
    return lowest;
}

// Two blocks fall on a wide skin, one behind the cut. The skin slides away under them and swings.
#define RIDE                                                                                       \
    "'bodies': [{'name': 'rex', 'shape': {'box': [3, 0.4, 1.4]}, 'velocity': [0.5, 0.1, 0.2], "    \
    "'turn': {'axis': [1, 0, 2], 'by': 4}, 'friction': 1, 'material': {'limbs': 'default', "       \
    "'swing': 0.02, 'cut_at': 0.699, 'vanish_at': 1.199, 'touches': 'nothing'}}, " BLOCK(          \
        "front", "[0.5, 0.3, 0.4]", "'particles': 90",                                             \
        ", 'at': [-0.5, 0.45, 0.1], 'density': 60, 'friction': 1") ", " BLOCK("back",              \
                                                                              "[0.4, 0.4, 0.3]",   \
                                                                              "'particles': 60",   \
                                                                              ", 'at': [1.1, "     \
                                                                              "0.5, -0.1], "       \
                                                                              "'density': 60, "    \
                                                                              "'friction': 1") "]"

static void a_moving_skin_carries_what_falls_on_it(void **state)
{
    (void)state;
    show s = start(RIDE);
    float radius = 0.5f * block_of(s.world, 1).spacing;
    wr_vec3 begin = {0},
            lain = {0}; // when it lies still: in the world, and as the second bone sees it
    for (int i = 1; i <= 96; i++) {
        step_frames(s.world, 1);
        limbs_view l = limbs_of(s.world, 0);
        if (i == 36) {
            begin = middle_of(block_of(s.world, 1));
            lain = wr_pose_local(l.bones[1], begin);
        }
        assert_true(lowest_height(l, block_of(s.world, 1)) > -radius);
        assert_true(l.gone || lowest_height(l, block_of(s.world, 2)) > -radius);
    }
    wr_vec3 now = middle_of(block_of(s.world, 1));
    assert_true(wr_distance(now, begin) > 0.4f);
    CHECK_NEAR(wr_distance(wr_pose_local(limbs_of(s.world, 0).bones[1], now), lain), 0.0, 0.02);
    CHECK_NEAR(lowest_height(limbs_of(s.world, 0), block_of(s.world, 1)), radius, 0.05 * radius);
    double p[3]; // what lay on the end has fallen since it vanished
    springs_view back = block_of(s.world, 2);
    momentum_of(back, p);
    CHECK_NEAR(p[1] / (back.mass * back.count), -9.81 * 0.4, 0.3);
    end(s);
}

// Two blocks fly into a swinging skin, one obliquely from below into what vanishes later.
static void a_skin_gets_what_the_others_lose(void **state)
{
    (void)state;
    show s = start(SPACE "'bodies': [" LIMBS(
        ", 'swing': 0.2, 'period': 1, 'cut_at': 0.099, 'vanish_at': 0.499, 'touches': 'nothing'",
        ", 'turn': {'axis': [1, 2, -1], 'by': 35}, 'velocity': [0.3, 0.5, 0]") //
                   ", " BLOCK("above", "[0.5, 0.3, 0.4]", "'particles': 90",
                              ", 'at': [-0.3, 1.1, 0.1], 'density': 60, 'velocity': [1, -3, "
                              "0.5], 'spin': [30, 60, 200]") //
                   ", " BLOCK("below", "[0.4, 0.4, 0.3]", "'particles': 60",
                              ", 'at': [0.46, -1.1, -0.12], 'density': 90, 'velocity': [0.2, 4, "
                              "-0.7]") "]");
    double first[3], other[3];
    momentum_of(block_of(s.world, 1), first);
    momentum_of(block_of(s.world, 2), other);
    double size = fabs(first[1]) + fabs(other[1]);
    for (int i = 1; i <= 60; i++) {
        step_frames(s.world, 1);
        double p[3], q[3];
        momentum_of(block_of(s.world, 1), p);
        momentum_of(block_of(s.world, 2), q);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(limbs_of(s.world, 0).skin_impulse[k], first[k] - p[k] + other[k] - q[k],
                       1e-5 * size);
        }
        if (i == 60) {
            assert_true(p[1] > 0.0 && q[1] < 0.5 * other[1]); // both of them hit
        }
    }
    end(s);
}

// One skin comes down on the other and slides over it, and neither can be moved that way.
static void impulses_on_what_moves_along_one_axis_only_are_finite(void **state)
{
    (void)state;
    show s = start(SPACE STEPS
                   "'bodies': [" LIMBS(", 'gives': 0.5, 'touches': 'nothing', 'swing': 0", "") //
                   ", {'name': 'max', 'shape': {'box': [1, 0.3, 0.5]}, 'at': [0.2, 0.5, 0.1], "
                   "'velocity': [0.7, -1, 0.4], 'material': {'limbs': 'default', 'touches': "
                   "'nothing', 'swing': 0}}]");
    const double *a = limbs_of(s.world, 0).skin_impulse, *b = limbs_of(s.world, 1).skin_impulse;
    for (int i = 0; i < 60 && a[1] > -0.1; i++) {
        step_frames(s.world, 1);
        assert_int_equal(wr_world_stats(s.world).frozen, 0);
    }
    assert_true(a[1] < -0.1);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(a[i], -b[i], 1e-5 * fabs(a[1]));
    }
    end(s);
}

// --- pose sources -----------------------------------------------------------------------------

// An asset of six handles with the clip "walk".
static void write_fox(void)
{
    char path[600];
    wr_error error = {0};
    wr_asset *asset = sample_asset_create((sample_shape){3, 2, 6, false});
    assert_non_null(asset);
    asset->material = NULL;
    asset->clips[0].name = "walk";
    snprintf(path, sizeof path, "%s/fox.glb", folder.path);
    if (!wr_asset_write(asset, path, &error)) {
        fail_msg("%s", error.message);
    }
    wr_asset_destroy(asset);
}

// A bone lies at rest as the others do along the model's box, and goes with its handle from there.
static wr_pose followed(const wr_scene *scene, int bone, double time)
{
    const wr_scene_body *body = &scene->bodies[0];
    const wr_rig *rig = &body->asset->rig;
    wr_handle_pose poses[6];
    wr_rig_clip_poses(&body->asset->clips[0], rig->handles, 6, time, true, poses);
    wr_box box = wr_mesh_bounds(scene->models[body->model]->meshes);
    wr_vec3 rest = wr_box_center(box), pivot = wr_scale(body->scale, rig->handles[bone].pivot);
    rest.x += 0.2f * ((float)bone - 2.0f) * wr_box_size(box).x;
    wr_vec3 at = wr_add_scaled(pivot, body->scale, poses[bone].offset);
    at = wr_add(at, wr_rotate(poses[bone].rotation, wr_sub(rest, pivot)));
    return wr_pose_multiply(body->rigid.pose, (wr_pose){at, poses[bone].rotation});
}

// From the first frame on: they do not jump there in the first step.
static void bones_follow_the_first_handles_of_a_clip(void **state)
{
    (void)state;
    write_fox();
    show s =
        start(SPACE "'assets': {'fox': 'fox.glb'}, 'bodies': [{'name': 'rex', 'asset': 'fox', "
                    "'scale': 1.5, 'at': [1, 2, 3], 'turn': {'axis': [1, 2, -1], 'by': 35}, "
                    "'material': {'limbs': 'default'}, 'pose': {'clip': 'walk', 'start': 0}}]");
    float farthest = 0.0f;
    for (int i = 0; i <= 60; i++) {
        for (int k = 0; k < LIMBS_BONES; k++) {
            wr_pose is = part_pose(s.world, 0, k), wanted = followed(s.scene, k, i / 60.0);
            CHECK_NEAR(wr_distance(is.position, wanted.position), 0.0, 1e-5);
            CHECK_NEAR(fabsf(wr_quat_dot(is.rotation, wanted.rotation)), 1.0, 1e-5);
            wr_vec3 first = followed(s.scene, k, 0.0).position;
            farthest = fmaxf(farthest, wr_distance(is.position, first));
        }
        step_frames(s.world, 1);
    }
    assert_true(farthest > 0.1f);
    end(s);
}

// --- joints of the scene ----------------------------------------------------------------------

#define LAMP "{'name': 'lamp', 'shape': {'box': [0.2, 0.3, 0.1]}, 'at': [0.1, -0.6, 0.2]}"
#define HANG(bodies) ", 'joints': [{'bodies': [" bodies "], 'at': [0.05, 0.02, 0.04]}]"

// From the lamp's end of the joint to that of the bone.
static double lamp_gap(const show *s, int lamp, int bone)
{
    wr_vec3 at = s->scene->joints[0].joint.at;
    wr_pose hung = s->scene->bodies[lamp].rigid.pose, held = {0};
    int count;
    held = limbs_material.parts(s->world->materials[0].state, &count)[bone].pose;
    wr_pose now = wr_rigid_pose(wr_world_rigid(s->world), wr_world_body(s->world, lamp));
    return wr_distance(wr_pose_point(now, wr_pose_local(hung, at)),
                       wr_pose_point(part_pose(s->world, 0, bone), wr_pose_local(held, at)));
}

static void a_lamp_hangs_on_a_bone_and_swings_with_it(void **state)
{
    (void)state;
    show s = start("'bodies': [" LIMBS(
        ", 'swing': 0.2", ", 'velocity': [0.2, 0.1, 0]") ", " LAMP
                                                         "]" HANG("'lamp', 'rex/bone 3'"));
    assert_string_equal(s.scene->joints[0].part_b, "bone 3");
    assert_null(s.scene->joints[0].part_a);
    wr_vec3 begin = part_pose(s.world, 0, 2).position;
    float farthest = 0.0f;
    for (int i = 0; i < 120; i++) {
        step_frames(s.world, 1);
        CHECK_NEAR(lamp_gap(&s, 1, 2), 0.0, 1e-3);
        farthest = fmaxf(farthest, wr_distance(part_pose(s.world, 0, 2).position, begin));
    }
    assert_true(farthest > 0.3f);
    end(s);
}

// Nothing moves for three seconds, then the bone does.
static void a_lamp_that_fell_asleep_wakes_with_its_bone(void **state)
{
    (void)state;
    show s = start("'bodies': [" LIMBS(", 'swing': 0.2, 'start': 3", "") //
                   ", {'name': 'lamp', 'shape': {'box': [0.2, 0.3, 0.1]}, 'at': [0.05, -0.6, 0.04]}"
                   "]" HANG("'lamp', 'rex/bone 3'"));
    int lamp = wr_world_body(s.world, 1);
    step_frames(s.world, 179);
    assert_true(wr_rigid_is_asleep(wr_world_rigid(s.world), lamp));
    for (int i = 0; i < 60; i++) {
        step_frames(s.world, 1);
        CHECK_NEAR(lamp_gap(&s, 1, 2), 0.0, 1e-3);
    }
    assert_false(wr_rigid_is_asleep(wr_world_rigid(s.world), lamp));
    end(s);
}

static void check_bad_joint(const char *bodies, const char *message)
{
    char text[1024];
    snprintf(text, sizeof text, "'bodies': [" LIMBS("", "") ", " LAMP "]" HANG("%s"), bodies);
    wr_scene *scene = read_scene(text);
    wr_world_desc desc = wr_world_desc_default();
    wr_error error = {0};
    desc.scene = scene;
    assert_null(wr_world_create(&desc, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    assert_string_equal(error.message, message);
    wr_scene_destroy(scene);
}

static void a_joint_with_a_part_that_is_not_there_is_a_sentence(void **state)
{
    (void)state;
    check_bad_joint("'lamp', 'rex/bone 9'",
                    "joint 1: body \"rex\" has no part \"bone 9\"; did you mean \"bone 1\"?");
    check_bad_joint("'rex/tai', 'lamp'",
                    "joint 1: body \"rex\" has no part \"tai\"; did you mean \"tail\"?");
    check_bad_joint("'rex/', 'lamp'",
                    "joint 1: body \"rex\" has no part \"\"; there are \"bone 1\", \"bone 2\", "
                    "\"bone 3\", \"bone 4\", \"bone 5\", \"tail\"");
    check_bad_joint("'rex', 'lamp/bulb'",
                    "joint 1: body \"lamp\" is rigid and has no part \"bulb\"");
    check_bad_joint("'rex', 'rex/bone 1'", "joint 1: body_b: a body cannot be joined to itself");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bones_are_where_they_are_told_after_every_step),
        cmocka_unit_test(a_driven_bone_pushes_a_crate_as_the_closed_form_says),
        cmocka_unit_test(own_parts_pass_through_each_other_unless_they_touch_all),
        cmocka_unit_test(a_part_passes_through_what_its_material_solves),
        cmocka_unit_test(parts_that_touch_nothing_are_felt_by_nobody),
        cmocka_unit_test(pushes_on_driven_bones_reach_them_as_contacts),
        cmocka_unit_test(the_tail_hangs_on_its_joint_until_it_is_gone),
        cmocka_unit_test(a_velocity_that_a_material_changes_arrives_in_the_same_step),
        cmocka_unit_test(pushes_and_a_changed_velocity_add_up),
        cmocka_unit_test(a_moving_skin_carries_what_falls_on_it),
        cmocka_unit_test(a_skin_gets_what_the_others_lose),
        cmocka_unit_test(impulses_on_what_moves_along_one_axis_only_are_finite),
        cmocka_unit_test(bones_follow_the_first_handles_of_a_clip),
        cmocka_unit_test(a_lamp_hangs_on_a_bone_and_swings_with_it),
        cmocka_unit_test(a_lamp_that_fell_asleep_wakes_with_its_bone),
        cmocka_unit_test(a_joint_with_a_part_that_is_not_there_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
