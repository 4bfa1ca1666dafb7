// test_rigid_views.c: promises of rigid.h to those who look at many bodies at once.
#include "rigid_world.h"

// --- states -----------------------------------------------------------------------------------

static void states_read_at_once_are_those_read_one_by_one(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    add_floor(rigid);
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 0.5f, 2), 500, wr_v3(0, 3, 0));
    desc.mass.center[0] = 0.1;
    desc.velocity = wr_v3(1, 2, 3);
    desc.angular_velocity = wr_v3(-1, 4, 0.5f);
    add(rigid, &desc);
    desc.pose.position.x = 5;
    int frozen = add(rigid, &desc), asleep = add(rigid, &desc);
    wr_rigid_freeze(rigid, frozen);
    step(rigid, 0.1, DT);
    wr_rigid_sleep(rigid, asleep);
    const int bodies[] = {3, 1, 0, 2, 1};
    wr_rigid_state states[5];
    wr_rigid_read_states(rigid, bodies, 5, states);
    for (int i = 0; i < 5; i++) {
        wr_pose pose = wr_rigid_pose(rigid, bodies[i]);
        wr_vec3 center = wr_rigid_center(rigid, bodies[i]);
        wr_vec3 velocity = wr_rigid_velocity(rigid, bodies[i]);
        wr_vec3 angular_velocity = wr_rigid_angular_velocity(rigid, bodies[i]);
        assert_memory_equal(&states[i].pose, &pose, sizeof pose);
        assert_memory_equal(&states[i].center, &center, sizeof center);
        assert_memory_equal(&states[i].velocity, &velocity, sizeof velocity);
        assert_memory_equal(&states[i].angular_velocity, &angular_velocity,
                            sizeof angular_velocity);
        assert_int_equal(states[i].asleep, bodies[i] == asleep);
        assert_int_equal(states[i].frozen, bodies[i] == frozen);
    }
    assert_true(wr_distance(states[1].center, states[1].pose.position) > 0.05f);
    wr_rigid_destroy(rigid);
}

// --- views ------------------------------------------------------------------------------------

static wr_vec3 multiply(const float m[3][3], wr_vec3 v)
{
    return wr_v3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                 m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                 m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

static wr_rigid_body_desc lopsided(uint64_t *seed)
{
    wr_vec3 size = wr_v3(random_float(seed, 0.2f, 2), random_float(seed, 0.2f, 2),
                         random_float(seed, 0.2f, 2));
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, size, 300, wr_v3(0, 0, 0));
    desc.mass.center[1] = 0.1;
    desc.mass.inertia[0][1] = desc.mass.inertia[1][0] = 0.2 * desc.mass.inertia[0][0];
    desc.pose.position = wr_v3(random_float(seed, -5, 5), random_float(seed, -5, 5), 1);
    desc.pose.rotation = wr_quat_from_axis_angle(
        wr_v3(random_float(seed, -1, 1), 1, random_float(seed, -1, 1)), random_float(seed, -3, 3));
    desc.angular_velocity = wr_v3(1, -2, 3);
    return desc;
}

// dv = J / m and dw = I^-1 (r x J), for every size of world.
static void a_push_does_what_the_view_says(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 30; i++) {
        wr_rigid_desc world = wr_rigid_desc_default();
        world.unit_length = i % 3 == 0 ? 0.1f : i % 3 == 1 ? 1.0f : 20.0f;
        wr_rigid *rigid = create(&world);
        wr_rigid_body_desc desc = lopsided(&seed);
        int body = add(rigid, &desc);
        wr_vec3 at = wr_add(desc.pose.position, wr_v3(random_float(&seed, -1, 1), 0.3f, -0.2f));
        wr_vec3 push = wr_v3(random_float(&seed, -50, 50), random_float(&seed, -50, 50), 20);
        wr_rigid_view before, after;
        wr_rigid_find_views(rigid, &body, 1, &before);
        wr_rigid_push(rigid, body, at, push);
        wr_rigid_find_views(rigid, &body, 1, &after);
        wr_vec3 velocity = wr_add_scaled(before.velocity, before.inverse_mass, push);
        wr_vec3 turn = multiply((const float(*)[3])before.inverse_inertia,
                                wr_cross(wr_sub(at, before.center), push));
        assert_int_equal(before.motion, WR_MOTION_MOVING);
        CHECK_NEAR(before.inverse_mass * desc.mass.mass, 1, 1e-6);
        CHECK_NEAR(wr_distance(after.velocity, velocity), 0, 1e-5 * wr_length(velocity));
        CHECK_NEAR(wr_distance(after.angular_velocity, wr_add(before.angular_velocity, turn)), 0,
                   1e-5 * (wr_length(before.angular_velocity) + wr_length(turn)));
        assert_memory_equal(&before.pose, &after.pose, sizeof before.pose);
        CHECK_NEAR(before.friction, desc.friction, 0);
        CHECK_NEAR(before.restitution, desc.restitution, 0);
        wr_rigid_destroy(rigid);
    }
}

static void what_cannot_be_moved_has_no_inverse_mass(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 1, 1), 500, wr_v3(0, 5, 0));
    int bodies[4], frozen = 2, removed = 3;
    for (int i = 0; i < 4; i++) {
        desc.motion = i == 0 ? WR_MOTION_STATIC : i == 1 ? WR_MOTION_DRIVEN : WR_MOTION_MOVING;
        desc.pose.position.x = 3 * (float)i;
        bodies[i] = add(rigid, &desc);
    }
    wr_rigid_freeze(rigid, bodies[frozen]);
    wr_rigid_remove_body(rigid, bodies[removed]);
    wr_pose target = {wr_v3(3, 5 + 2 * DT, 0), {0, 0, 0, 1}};
    wr_rigid_set_target(rigid, bodies[1], target);
    step(rigid, DT, DT);
    wr_rigid_view views[4];
    wr_rigid_find_views(rigid, bodies, 4, views);
    static const float zero[3][3] = {{0}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(views[i].motion, i == 1 ? WR_MOTION_DRIVEN : WR_MOTION_STATIC);
        assert_true(views[i].inverse_mass == 0);
        assert_memory_equal(views[i].inverse_inertia, zero, sizeof zero);
    }
    CHECK_NEAR(views[1].velocity.y, 2, 1e-3); // a driven body is as fast as it was driven
    wr_rigid_destroy(rigid);
}

// --- supports ---------------------------------------------------------------------------------

static bool has_normal(const wr_support *supports, int count, wr_vec3 n)
{
    for (int i = 0; i < count; i++) {
        if (wr_distance(supports[i].normal, n) < 1e-3f) {
            return true;
        }
    }
    return false;
}

// A cube of 1 m whose lower face is there, on something that rises so fast.
static void check_stands(wr_rigid *rigid, int body, wr_vec3 bottom, float speed)
{
    wr_support n[16];
    int count = wr_rigid_find_supports(rigid, body, n, 16);
    wr_vec3 mean = {0.0f, 0.0f, 0.0f};
    assert_true(count >= 3); // fewer do not hold it
    for (int i = 0; i < count; i++) {
        assert_true(n[i].normal.y > 0.999f);
        CHECK_NEAR(wr_distance(n[i].velocity, wr_v3(0, speed, 0)), 0, 1e-3);
        mean = wr_add_scaled(mean, 1.0f / (float)count, n[i].point);
    }
    CHECK_NEAR(wr_distance(mean, bottom), 0, 0.02);
}

static void supports_are_what_holds_a_body(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    add_floor(rigid);
    add_static_box(rigid, wr_v3(1, 4, 4), wr_v3(-0.5f, 2, 0)); // a wall, its side at x = 0
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 1, 1), 500, wr_v3(0.5f, 0.5f, 0));
    int corner = add(rigid, &desc);
    desc.pose.position = wr_v3(5, 0.5f, 0);
    int lower = add(rigid, &desc);
    desc.pose.position.y = 1.5f;
    int upper = add(rigid, &desc);
    desc.pose.position.y = 20;
    int flying = add(rigid, &desc);
    desc.pose.position = wr_v3(10, 1.5f, 0);
    int carried = add(rigid, &desc);
    desc.pose.position.y = 0.5f;
    desc.motion = WR_MOTION_DRIVEN;
    int lift = add(rigid, &desc);
    for (int i = 0; i < 240; i++) {
        wr_pose up = {wr_v3(10, 0.5f + 0.3f * DT * (float)(i + 1), 0), {0, 0, 0, 1}};
        wr_rigid_set_target(rigid, lift, up);
        wr_rigid_push(rigid, corner, wr_rigid_center(rigid, corner), wr_v3(-50, 0, 0));
        step(rigid, DT, DT);
    }
    wr_support n[16];
    int count = wr_rigid_find_supports(rigid, corner, n, 16);
    assert_true(has_normal(n, count, wr_v3(0, 1, 0)) && has_normal(n, count, wr_v3(1, 0, 0)));
    assert_int_equal(wr_rigid_find_supports(rigid, corner, n, 1), 1);
    check_stands(rigid, lower, wr_v3(5, 0, 0), 0.0f);
    check_stands(rigid, carried, wr_v3(10, 1.0f + 0.3f, 0), 0.3f);
    assert_int_equal(wr_rigid_find_supports(rigid, upper, n, 16), 0); // stands on what can move
    assert_int_equal(wr_rigid_find_supports(rigid, flying, n, 16), 0);
    wr_rigid_set_velocity(rigid, corner, wr_v3(2, 0, 0), wr_v3(0, 0, 0));
    step(rigid, 0.05, DT);
    count = wr_rigid_find_supports(rigid, corner, n, 16);
    assert_true(count > 0 && !has_normal(n, count, wr_v3(1, 0, 0))); // off the wall
    wr_rigid_remove_body(rigid, flying);
    step(rigid, 6, DT);
    assert_true(wr_rigid_is_asleep(rigid, lower));
    check_stands(rigid, lower, wr_v3(5, 0, 0), 0.0f); // also asleep,
    size_t size;
    assert_non_null(wr_rigid_save(rigid, &size, NULL));
    check_stands(rigid, lower, wr_v3(5, 0, 0), 0.0f); // and after forgetting
    wr_rigid_destroy(rigid);
}

// --- bodies in the plane ------------------------------------------------------------------------

static void a_planar_body_stays_in_the_plane(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    add_floor(rigid);
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 0.5f, 0.2f), 500, wr_v3(0, 3, 0.3f));
    desc.is_planar = true;
    desc.pose.rotation = wr_quat_from_axis_angle(wr_v3(0, 0, 1), 0.4f);
    desc.velocity = wr_v3(1, 0, 2);
    desc.angular_velocity = wr_v3(1, 2, 3);
    int body = add(rigid, &desc);
    assert_true(wr_rigid_velocity(rigid, body).z == 0.0f &&
                wr_rigid_angular_velocity(rigid, body).y == 0.0f);
    CHECK_NEAR(wr_rigid_angular_velocity(rigid, body).z, 3.0, 1e-6);
    // A push beside the centre turns it by the moment about z alone.
    wr_vec3 arm = wr_v3(0.3f, 0.2f, 0.1f), push = wr_v3(10, -20, 30);
    wr_rigid_push(rigid, body, wr_add(wr_rigid_center(rigid, body), arm), push);
    double turn = 0.3 * -20.0 - 0.2 * 10.0;
    CHECK_NEAR(wr_rigid_angular_velocity(rigid, body).z, 3.0 + turn / desc.mass.inertia[2][2],
               1e-4);
    desc = solid(WR_SHAPE_SPHERE, wr_v3(0.4f, 0, 0), 500, wr_v3(0.1f, 5, 0.5f)); // falls beside it
    add(rigid, &desc);
    for (int i = 0; i < 1200; i++) {
        step(rigid, DT, DT);
        wr_pose pose = wr_rigid_pose(rigid, body);
        assert_true(pose.position.z == 0.3f);
        assert_true(fabsf(pose.rotation.x) < 1e-6f && fabsf(pose.rotation.y) < 1e-6f);
    }
    CHECK_NEAR(wr_rigid_pose(rigid, body).position.y, 0.25, 0.01);
    wr_rigid_destroy(rigid);
}

// --- contacts as they stand ---------------------------------------------------------------------

static void contacts_stand_between_steps_also_of_what_sleeps(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    add_floor(rigid);
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 1, 1), 500, wr_v3(0, 0.5f, 0));
    int lower = add(rigid, &desc);
    desc.pose.position.y = 1.5f;
    int upper = add(rigid, &desc);
    step(rigid, 5, DT);
    assert_true(wr_rigid_is_asleep(rigid, lower) && wr_rigid_is_asleep(rigid, upper));
    for (int round = 0; round < 2; round++) {
        int on_floor = 0, between = 0, count = wr_rigid_find_contacts(rigid, NULL, 0);
        wr_contact contacts[32];
        assert_true(count > 0 && count <= 32);
        assert_int_equal(wr_rigid_find_contacts(rigid, contacts, 32), count);
        for (int i = 0; i < count; i++) {
            const wr_contact *c = &contacts[i];
            bool high = c->body_a == upper || c->body_b == upper;
            on_floor += !high;
            between += high;
            CHECK_NEAR(c->point.y, high ? 1.0 : 0.0, 0.01);
            CHECK_NEAR(c->distance, 0.0, 0.005);
            CHECK_NEAR(fabsf(c->normal.y), 1.0, 1e-3);
        }
        assert_true(on_floor == 4 && between == 4);
        size_t size;
        assert_non_null(wr_rigid_save(rigid, &size, NULL)); // and after forgetting
    }
    wr_rigid_destroy(rigid);
}

// --- who touches whom -------------------------------------------------------------------------

typedef struct crates {
    wr_rigid *rigid;
    int table, ghost, solid; // a table, a crate that passes through it, one that does not
} crates;

static crates make_crates(bool told)
{
    crates c = {.rigid = make_world(true, true)};
    add_floor(c.rigid);
    c.table = add_static_box(c.rigid, wr_v3(8, 0.5f, 4), wr_v3(0, 3, 0));
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 1, 1), 500, wr_v3(-2, 3.8f, 0));
    c.ghost = add(c.rigid, &desc);
    desc.pose.position.x = 2;
    c.solid = add(c.rigid, &desc);
    if (told) {
        assert_true(wr_rigid_set_collides_with(c.rigid, c.ghost, c.table, false, NULL));
    }
    return c;
}

static float height(wr_rigid *rigid, int body)
{
    return wr_rigid_pose(rigid, body).position.y;
}

static void bodies_told_apart_pass_through_each_other_only(void **state)
{
    (void)state;
    crates c = make_crates(true);
    step(c.rigid, 4, DT);
    CHECK_NEAR(height(c.rigid, c.ghost), 0.5, 0.01);
    CHECK_NEAR(height(c.rigid, c.solid), 3.75, 0.01);
    // One that rests wakes and falls, and is caught when they touch again.
    assert_true(wr_rigid_is_asleep(c.rigid, c.solid));
    assert_true(wr_rigid_set_collides_with(c.rigid, c.table, c.solid, false, NULL));
    step(c.rigid, 0.1, DT);
    CHECK_NEAR(height(c.rigid, c.solid), 3.75 - 0.05, 0.005); // g t^2 / 2
    assert_true(wr_rigid_set_collides_with(c.rigid, c.table, c.solid, true, NULL));
    step(c.rigid, 2, DT);
    CHECK_NEAR(height(c.rigid, c.solid), 3.75, 0.01);
    wr_rigid_destroy(c.rigid);
}

// Nothing moves, so that nothing but the telling can bring them together.
static void bodies_told_to_touch_again_do_so_where_they_are(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(false, true);
    wr_rigid_body_desc desc = solid(WR_SHAPE_SPHERE, wr_v3(1, 0, 0), 500, wr_v3(0, 0, 0));
    int a = add(rigid, &desc);
    desc.pose.position.x = 1.5f;
    int b = add(rigid, &desc);
    assert_true(wr_rigid_set_collides_with(rigid, b, a, false, NULL));
    step(rigid, 4, DT);
    CHECK_NEAR(wr_distance(wr_rigid_center(rigid, a), wr_rigid_center(rigid, b)), 1.5, 0);
    assert_true(wr_rigid_set_collides_with(rigid, a, b, true, NULL));
    step(rigid, 1, DT);
    assert_true(wr_distance(wr_rigid_center(rigid, a), wr_rigid_center(rigid, b)) > 1.95f);
    wr_rigid_destroy(rigid);
}

static void bodies_told_apart_do_not_make_steps_shorter(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        crates c = make_crates(false);
        assert_true(wr_rigid_set_collides_with(c.rigid, c.table, c.ghost, !told, NULL));
        wr_rigid_set_velocity(c.rigid, c.ghost, wr_v3(0, -400, 0), wr_v3(0, 0, 0));
        step(c.rigid, DT, DT);
        assert_int_equal(wr_rigid_stats(c.rigid).substeps > 1, !told);
        wr_rigid_destroy(c.rigid);
    }
}

static void who_touches_whom_is_saved(void **state)
{
    (void)state;
    crates a = make_crates(true), b = make_crates(false);
    step(a.rigid, 0.1, DT);
    size_t size;
    const void *bytes = wr_rigid_save(a.rigid, &size, NULL);
    assert_true(bytes && wr_rigid_restore(b.rigid, bytes, size, NULL));
    for (int i = 0; i < 480; i++) {
        step(a.rigid, DT, DT);
        step(b.rigid, DT, DT);
        assert_true(wr_rigid_hash(a.rigid) == wr_rigid_hash(b.rigid));
    }
    CHECK_NEAR(height(b.rigid, b.ghost), 0.5, 0.01);
    CHECK_NEAR(height(b.rigid, b.solid), 3.75, 0.01);
    wr_rigid_destroy(a.rigid);
    // The other way round: what was told since is forgotten.
    crates c = make_crates(false);
    bytes = wr_rigid_save(c.rigid, &size, NULL);
    assert_true(bytes && wr_rigid_restore(b.rigid, bytes, size, NULL));
    step(b.rigid, 2, DT);
    CHECK_NEAR(height(b.rigid, b.ghost), 3.75, 0.01);
    wr_rigid_destroy(b.rigid);
    wr_rigid_destroy(c.rigid);
}

// --- joints -----------------------------------------------------------------------------------

static wr_rigid *make_pendulum(int *bob, int *joint)
{
    wr_rigid *rigid = make_world(true, true);
    wr_rigid_body_desc desc = solid(WR_SHAPE_SPHERE, wr_v3(0.1f, 0, 0), 1000, wr_v3(0, 9, 0));
    *bob = add(rigid, &desc);
    wr_joint_desc hang = wr_joint_desc_default();
    hang.kind = WR_JOINT_POINT;
    hang.body_a = *bob;
    hang.at = wr_v3(0, 10, 0);
    *joint = join(rigid, &hang);
    return rigid;
}

static void a_removed_joint_holds_nothing_and_is_not_broken(void **state)
{
    (void)state;
    int bob, joint;
    wr_rigid *rigid = make_pendulum(&bob, &joint), *other = make_pendulum(&bob, &joint);
    step(rigid, 6, DT);
    assert_true(wr_rigid_is_asleep(rigid, bob));
    wr_rigid_remove_joint(rigid, joint);
    wr_rigid_remove_joint(rigid, joint); // again: nothing
    size_t size;
    const void *bytes = wr_rigid_save(rigid, &size, NULL);
    assert_true(bytes && wr_rigid_restore(other, bytes, size, NULL));
    step(rigid, 0.25, DT);
    step(other, 0.25, DT);
    assert_true(wr_rigid_save(rigid, &size, NULL) && wr_rigid_save(other, &size, NULL));
    step(rigid, 0.25, DT);
    step(other, 0.25, DT);
    CHECK_NEAR(height(rigid, bob), 9 - 0.5 * (double)G * 0.25, 0.02);
    assert_true(wr_rigid_hash(rigid) == wr_rigid_hash(other));
    assert_false(wr_rigid_joint_is_broken(rigid, joint));
    assert_false(wr_rigid_joint_is_broken(other, joint));
    wr_rigid_destroy(rigid);
    wr_rigid_destroy(other);
}

// --- driven bodies ----------------------------------------------------------------------------

// The hull rises and grows upwards at the same time, as a part of a soft body would.
static void a_driven_hull_carries_while_its_points_change(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    eight_boxes boxes;
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(2, 1, 2), 500, wr_v3(0, 0.5f, 0));
    use_hull(&desc, &boxes, desc.shape.size);
    desc.motion = WR_MOTION_DRIVEN;
    int hull = add(rigid, &desc);
    wr_rigid_body_desc crate =
        solid(WR_SHAPE_BOX, wr_v3(0.5f, 0.5f, 0.5f), 500, wr_v3(0, 1.25f, 0));
    int top = add(rigid, &crate);
    step(rigid, 4, DT);
    assert_true(wr_rigid_is_asleep(rigid, top));
    wr_pose pose = desc.pose;
    wr_vec3 points[8];
    for (int i = 1; i <= 240; i++) {
        pose.position.y = 0.5f + 0.5f * (float)i / 240;
        box_points(wr_v3(-1, -0.5f, -1), wr_v3(1, 0.5f + 0.25f * (float)i / 240, 1), points);
        wr_rigid_set_piece(rigid, hull, 0, points);
        wr_rigid_set_target(rigid, hull, pose);
        step(rigid, DT, DT);
    }
    step(rigid, 0.5, DT); // it jumps a little when the rise ends
    CHECK_NEAR(height(rigid, hull), 1.0, 1e-5);
    CHECK_NEAR(height(rigid, top), 1.0 + 0.75 + 0.25, 0.005);
    wr_rigid_destroy(rigid);
}

// Slowly, so that the joint alone would not: it moves away by a hundredth of a millimetre a step.
static void a_driven_body_wakes_what_hangs_on_it(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 0.2f, 1), 500, wr_v3(0, 2, 0));
    desc.motion = WR_MOTION_DRIVEN;
    int beam = add(rigid, &desc);
    wr_rigid_body_desc lamp = solid(WR_SHAPE_SPHERE, wr_v3(0.2f, 0, 0), 500, wr_v3(0.1f, 1, 0));
    int hanging = add(rigid, &lamp);
    wr_joint_desc joint = wr_joint_desc_default();
    joint.body_a = hanging;
    joint.body_b = beam;
    joint.at = wr_v3(0.1f, 2, 0);
    join(rigid, &joint);
    step(rigid, 4, DT);
    assert_true(wr_rigid_is_asleep(rigid, hanging));
    wr_pose pose = desc.pose;
    for (int i = 0; i < 240; i++) {
        pose.position.y += 1e-5f;
        wr_rigid_set_target(rigid, beam, pose);
        step(rigid, DT, DT);
        assert_false(wr_rigid_is_asleep(rigid, hanging));
    }
    CHECK_NEAR(height(rigid, hanging), 1.0024, 1e-4);
    step(rigid, 4, DT); // it stands still again
    assert_true(wr_rigid_is_asleep(rigid, hanging));
    wr_rigid_destroy(rigid);
}

static void a_new_velocity_wakes(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    add_floor(rigid);
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 1, 1), 500, wr_v3(0, 0.5f, 0));
    desc.friction = 0;
    int box = add(rigid, &desc);
    step(rigid, 4, DT);
    assert_true(wr_rigid_is_asleep(rigid, box));
    wr_rigid_set_velocity(rigid, box, wr_v3(2, 0, 0), wr_v3(0, 0, 0));
    assert_false(wr_rigid_is_asleep(rigid, box));
    step(rigid, 0.5, DT);
    CHECK_NEAR(wr_rigid_pose(rigid, box).position.x, 1, 0.01);
    wr_rigid_destroy(rigid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planar_body_stays_in_the_plane),
        cmocka_unit_test(contacts_stand_between_steps_also_of_what_sleeps),
        cmocka_unit_test(states_read_at_once_are_those_read_one_by_one),
        cmocka_unit_test(a_push_does_what_the_view_says),
        cmocka_unit_test(what_cannot_be_moved_has_no_inverse_mass),
        cmocka_unit_test(supports_are_what_holds_a_body),
        cmocka_unit_test(bodies_told_apart_pass_through_each_other_only),
        cmocka_unit_test(bodies_told_to_touch_again_do_so_where_they_are),
        cmocka_unit_test(bodies_told_apart_do_not_make_steps_shorter),
        cmocka_unit_test(who_touches_whom_is_saved),
        cmocka_unit_test(a_removed_joint_holds_nothing_and_is_not_broken),
        cmocka_unit_test(a_driven_hull_carries_while_its_points_change),
        cmocka_unit_test(a_driven_body_wakes_what_hangs_on_it),
        cmocka_unit_test(a_new_velocity_wakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
