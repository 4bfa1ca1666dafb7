// What two bodies do to one another does not depend on which of them moves, on which of them was
// there first, nor on what they remember of the step before.
#include "rigid_world.h"

// --- who moves --------------------------------------------------------------------------------

// Substeps of the step in which two thin plates, 1 m apart, fly at one another.
static int count_substeps(float first, float second)
{
    wr_rigid *rigid = make_world(false, false);
    for (int i = 0; i < 2; i++) {
        wr_rigid_body_desc body =
            solid(WR_SHAPE_BOX, wr_v3(0.1f, 1.0f, 1.0f), 500, wr_v3((float)i, 0, 0));
        body.velocity = wr_v3(i ? second : first, 0, 0);
        add(rigid, &body);
    }
    wr_rigid_step(rigid, 1.0f / 60.0f, NULL, NULL);
    int substeps = wr_rigid_stats(rigid).substeps;
    wr_rigid_destroy(rigid);
    return substeps;
}

static void substeps_follow_from_the_speed_between_two(void **state)
{
    (void)state;
    int one = count_substeps(90, 0);
    assert_true(one > 8);
    assert_int_equal(count_substeps(0, -90), one);
    assert_int_equal(count_substeps(45, -45), one);
    assert_int_equal(count_substeps(20, -70), one);
    assert_int_equal(count_substeps(150, 60), one);
    assert_int_equal(count_substeps(90, 90), 1); // they never meet
}

// --- who was there first ----------------------------------------------------------------------

typedef struct outcome {
    wr_vec3 velocity, spin;
} outcome;

// The corner of a box strikes a longer one off its middle and askew, and slides; they are added in
// this order or the other way round, and `along` is added to the velocities of both. `cut`: each is
// of eight convex pieces.
static void strike(bool small_first, bool cut, wr_vec3 along, outcome out[2])
{
    wr_rigid *rigid = make_world(false, false);
    wr_rigid_body_desc bodies[2] = {
        solid(WR_SHAPE_BOX, wr_v3(0.6f, 1.0f, 1.6f), 300, wr_v3(0, 0, 0)),
        solid(WR_SHAPE_BOX, wr_v3(0.5f, 0.3f, 0.4f), 900, wr_v3(-0.9f, 0.3f, 0.5f))};
    bodies[0].pose.rotation = wr_quat_from_axis_angle(wr_v3(1, 2, -1), 0.15f);
    bodies[1].pose.rotation = wr_quat_from_axis_angle(wr_v3(0.3f, -1, 1), 0.9f);
    bodies[0].angular_velocity = wr_v3(0.5f, -1.0f, 0.3f);
    bodies[1].velocity = wr_v3(6, 1.5f, -2.5f);
    bodies[1].angular_velocity = wr_v3(3, 8, -5);
    int numbers[2];
    eight_boxes pieces[2];
    for (int i = 0; i < 2; i++) {
        int k = small_first ? 1 - i : i;
        if (cut) {
            use_hulls(&bodies[k], &pieces[k], bodies[k].shape.size);
        }
        bodies[k].velocity = wr_add(bodies[k].velocity, along);
        bodies[k].friction = 0.2f;
        bodies[k].restitution = 0.3f;
        bodies[k].linear_damping = bodies[k].angular_damping = 0.0f;
        numbers[k] = add(rigid, &bodies[k]);
    }
    for (int i = 0; i < 40; i++) {
        wr_rigid_step(rigid, DT, NULL, NULL);
    }
    for (int k = 0; k < 2; k++) {
        out[k] = (outcome){wr_sub(wr_rigid_velocity(rigid, numbers[k]), along),
                           wr_rigid_angular_velocity(rigid, numbers[k])};
    }
    wr_rigid_destroy(rigid);
}

static void check_same(const outcome *a, const outcome *b, double tolerance)
{
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(wr_distance(a[k].velocity, b[k].velocity), 0.0, tolerance);
        CHECK_NEAR(wr_distance(a[k].spin, b[k].spin), 0.0, tolerance);
    }
}

static void it_does_not_matter_who_was_added_first(void **state)
{
    (void)state;
    const wr_vec3 still = {0, 0, 0};
    for (int cut = 0; cut < 2; cut++) {
        outcome one[2], other[2];
        strike(false, cut, still, one);
        strike(true, cut, still, other);
        assert_true(wr_distance(one[1].velocity, wr_v3(6, 1.5f, -2.5f)) > 1.0f); // it did strike
        check_same(one, other, 1e-5);
    }
}

// A slab falls on its corner and slides off down a steep plane, which is added first or last.
static outcome slide(bool plane_first, bool cut)
{
    wr_rigid *rigid = make_world(true, false);
    eight_boxes pieces;
    wr_rigid_body_desc slab =
        solid(WR_SHAPE_BOX, wr_v3(0.9f, 0.4f, 0.6f), 700, wr_v3(0.1f, 0.9f, -0.2f));
    wr_rigid_body_desc plane = wr_rigid_body_desc_default();
    plane.shape.kind = WR_SHAPE_PLANE;
    plane.motion = WR_MOTION_STATIC;
    plane.pose.rotation = wr_quat_from_axis_angle(wr_v3(1, 0, 2), 0.6f);
    slab.pose.rotation = wr_quat_from_axis_angle(wr_v3(1, -0.5f, 0.7f), 0.8f);
    slab.friction = plane.friction = 0.2f;
    if (cut) {
        use_hulls(&slab, &pieces, slab.shape.size);
    }
    int body = -1;
    for (int i = 0; i < 2; i++) {
        if ((i == 0) == plane_first) {
            add(rigid, &plane);
        } else {
            body = add(rigid, &slab);
        }
    }
    for (int i = 0; i < 150; i++) {
        wr_rigid_step(rigid, DT, NULL, NULL);
    }
    outcome out = {wr_rigid_velocity(rigid, body), wr_rigid_angular_velocity(rigid, body)};
    wr_rigid_destroy(rigid);
    return out;
}

static void a_plane_may_come_first_or_last_and_below_pieces(void **state)
{
    (void)state;
    outcome first = slide(true, false), last = slide(false, false);
    outcome cut_first = slide(true, true), cut_last = slide(false, true);
    CHECK_NEAR(wr_distance(first.velocity, last.velocity), 0.0, 1e-5);
    CHECK_NEAR(wr_distance(cut_first.velocity, cut_last.velocity), 0.0, 1e-5);
    CHECK_NEAR(wr_distance(cut_first.spin, cut_last.spin), 0.0, 1e-5);
    CHECK_NEAR(wr_distance(first.velocity, cut_first.velocity), 0.0, 0.05);
    CHECK_NEAR(wr_distance(first.spin, cut_first.spin), 0.0, 0.1);
    assert_true(first.velocity.y > -4.0f); // it slides and does not fall
}

static void a_common_velocity_changes_nothing(void **state)
{
    (void)state;
    const wr_vec3 still = {0, 0, 0}, along = {4, -7, 2};
    outcome one[2], other[2];
    strike(false, false, still, one);
    strike(false, false, along, other);
    check_same(one, other, 5e-3);
}

// --- what pairs remember ----------------------------------------------------------------------

typedef struct couple {
    wr_rigid *rigid;
    int bodies[2];
    eight_boxes pieces[2];
} couple;

static void start_couple(couple *c)
{
    c->rigid = make_world(false, false);
    for (int i = 0; i < 2; i++) {
        wr_vec3 size = i ? wr_v3(0.6f, 0.5f, 0.7f) : wr_v3(1.0f, 0.8f, 1.2f);
        wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, size, 500, wr_v3(0, 3.0f * (float)i, 0));
        use_hulls(&desc, &c->pieces[i], size);
        c->bodies[i] = add(c->rigid, &desc);
    }
}

// One rocks above the other, which swells and shrinks under it. Returns how deep they are in each
// other then, metres; negative: they do not touch.
static float rock(couple *c, int t)
{
    float a = 0.4f * sinf(0.004f * (float)t), b = 0.3f * cosf(0.007f * (float)t);
    float swell = 0.06f * sinf(0.11f * (float)t), deepest = -1.0f;
    wr_quat turn = wr_quat_multiply(wr_quat_from_axis_angle(wr_v3(0, 0, 1), a),
                                    wr_quat_from_axis_angle(wr_v3(1, 0, 0), b));
    wr_pose poses[2] = {{{0, 0, 0}, {0, 0, 0, 1}}, {{0, 0.78f, 0}, turn}};
    for (int i = 0; i < 2; i++) {
        wr_rigid_set_pose(c->rigid, c->bodies[i], poses[i]);
        wr_rigid_set_velocity(c->rigid, c->bodies[i], wr_v3(0, 0, 0), wr_v3(0, 0, 0));
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 8 && i & 2; k++) {
            c->pieces[0].points[i][k].y = k & 2 ? 0.4f + swell : 0.0f;
        }
        if (i & 2) {
            wr_rigid_set_piece(c->rigid, c->bodies[0], i, c->pieces[0].points[i]);
        }
    }
    wr_rigid_step(c->rigid, DT, NULL, NULL);
    int count;
    const wr_contact *contacts = wr_rigid_contacts(c->rigid, &count);
    for (int i = 0; i < count; i++) {
        deepest = fmaxf(deepest, -contacts[i].distance);
    }
    return deepest;
}

static void pairs_that_remember_find_what_new_ones_find(void **state)
{
    (void)state;
    couple kept;
    int touching = 0, apart = 0;
    start_couple(&kept);
    for (int t = 0; t < 600; t++) {
        couple fresh;
        start_couple(&fresh);
        float expected = rock(&fresh, t), found = rock(&kept, t);
        touching += expected > 0.0f;
        apart += expected < 0.0f;
        CHECK_NEAR(found, expected, 1e-4);
        wr_rigid_destroy(fresh.rigid);
    }
    assert_true(touching > 100 && apart > 100);
    wr_rigid_destroy(kept.rigid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substeps_follow_from_the_speed_between_two),
        cmocka_unit_test(it_does_not_matter_who_was_added_first),
        cmocka_unit_test(a_common_velocity_changes_nothing),
        cmocka_unit_test(a_plane_may_come_first_or_last_and_below_pieces),
        cmocka_unit_test(pairs_that_remember_find_what_new_ones_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
