// test_rigid_state.c: what a world of rigid bodies remembers, and what contacts do to each of two
// bodies: oblique, asymmetric, against sums taken here.
#include "momenta.h"
#include "rigid_world.h"

// --- what is remembered -------------------------------------------------------------------------

enum { BODIES = 14, JOINTS = 6, CONTACTS = 128, STEPS = 90 };

// Everything that lasts from one step to the next.
typedef struct memory {
    wri_body_state states[BODIES];
    wri_rigid_body bodies[BODIES];
    wri_rigid_joint joints[JOINTS];
    wri_joint_state rows[JOINTS];
    wri_bullet_contact contacts[CONTACTS];
    int body_count, joint_count, contact_count, pair_count;
    wri_body_pair pairs[4];
    wr_vec3 points[8]; // of the piece that changed
    wr_rigid_statistics statistics;
} memory;

static int compare_contacts(const void *a, const void *b)
{
    const wri_bullet_contact *x = a, *y = b;
    return x->body_a != y->body_a   ? (x->body_a > y->body_a) - (x->body_a < y->body_a)
           : x->body_b != y->body_b ? (x->body_b > y->body_b) - (x->body_b < y->body_b)
                                    : memcmp(x->local_a, y->local_a, sizeof x->local_a);
}

static memory read_memory(wr_rigid *rigid, int changed)
{
    memory m = {.body_count = rigid->bodies.count,
                .joint_count = rigid->joints.count,
                .statistics = wr_rigid_stats(rigid)};
    assert_true(m.body_count <= BODIES && m.joint_count <= JOINTS);
    wri_bullet_read_states(rigid->bullet, m.states);
    for (int i = 0; i < m.body_count; i++) {
        m.bodies[i] = *wri_rigid_body_at(rigid, i);
    }
    for (int i = 0; i < m.joint_count; i++) {
        m.joints[i] = *wri_rigid_joint_at(rigid, i);
        wri_bullet_read_joint(rigid->bullet, i, &m.rows[i]);
    }
    m.contact_count = wri_bullet_contact_count(rigid->bullet);
    assert_in_range(m.contact_count, 1, CONTACTS);
    wri_bullet_read_contacts(rigid->bullet, m.contacts);
    qsort(m.contacts, (size_t)m.contact_count, sizeof *m.contacts, compare_contacts);
    const wri_body_pair *pairs = wri_bullet_apart(rigid->bullet, &m.pair_count);
    assert_in_range(m.pair_count, 1, 4);
    memcpy(m.pairs, pairs, (size_t)m.pair_count * sizeof *pairs);
    memcpy(m.points, wri_rigid_body_at(rigid, changed)->points, sizeof m.points);
    return m;
}

#define SAME(field) assert_memory_equal(&a->field, &b->field, sizeof a->field)

static void check_bodies(const wri_rigid_body *a, const wri_rigid_body *b)
{
    SAME(principal);
    SAME(mass);
    SAME(target);
    SAME(engine.inertia);
    SAME(engine.mass);
    SAME(engine.shape);
    SAME(engine.friction);
    SAME(engine.restitution);
    SAME(engine.radius);
    SAME(engine.linear_damping);
    SAME(engine.angular_damping);
    assert_true(a->has_target == b->has_target && a->frozen == b->frozen);
    assert_true(a->engine.present == b->engine.present && a->engine.motion == b->engine.motion);
}

static void check_joints(const wri_rigid_joint *a, const wri_rigid_joint *b)
{
    SAME(window);
    SAME(impulse);
    SAME(engine.frame_a);
    SAME(engine.frame_b);
    assert_true(a->broken == b->broken && a->removed == b->removed);
    assert_true(a->engine.present == b->engine.present);
}

static void check_contacts(const wri_bullet_contact *a, const wri_bullet_contact *b)
{
    SAME(local_a);
    SAME(local_b);
    SAME(point);
    SAME(normal);
    SAME(friction_a);
    SAME(friction_b);
    SAME(distance);
    SAME(impulse);
    SAME(impulse_a);
    SAME(impulse_b);
    SAME(restitution);
    SAME(age);
    assert_true(a->body_a == b->body_a && a->body_b == b->body_b);
    assert_true(a->part_a == b->part_a && a->part_b == b->part_b);
    assert_true(a->index_a == b->index_a && a->index_b == b->index_b);
}

static void check_memory(const memory *a, const memory *b)
{
    assert_true(a->body_count == b->body_count && a->joint_count == b->joint_count);
    for (int i = 0; i < a->body_count; i++) {
        check_bodies(&a->bodies[i], &b->bodies[i]);
        if (a->bodies[i].engine.present) {
            SAME(states[i].frame);
            SAME(states[i].velocity);
            SAME(states[i].angular_velocity);
            SAME(states[i].mean_velocity);
            SAME(states[i].mean_angular_velocity);
            SAME(states[i].deactivation_time);
            SAME(states[i].activation);
        }
    }
    for (int i = 0; i < a->joint_count; i++) {
        check_joints(&a->joints[i], &b->joints[i]);
        SAME(rows[i].force);
        SAME(rows[i].row);
        SAME(rows[i].row_count);
    }
    assert_int_equal(a->contact_count, b->contact_count);
    for (int i = 0; i < a->contact_count; i++) {
        check_contacts(&a->contacts[i], &b->contacts[i]);
    }
    assert_int_equal(a->pair_count, b->pair_count);
    SAME(pairs);
    SAME(points);
    assert_true(a->statistics.too_fast == b->statistics.too_fast &&
                a->statistics.frozen == b->statistics.frozen &&
                a->statistics.runaway == b->statistics.runaway);
}

static bool any_nonzero(const double *values, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++) {
        any = any || values[i] != 0;
    }
    return any;
}

// Fields that are zero when they are saved prove nothing.
static void check_that_all_is_there(const memory *m)
{
    bool drowsy = false, mean = false, sliding = false, bounced = false, driven = false;
    bool asleep = false, wakeful = false, frozen = false, absent = false, target = false;
    for (int i = 0; i < m->body_count; i++) {
        const wri_body_state *s = &m->states[i];
        drowsy = drowsy || (s->activation == WRI_ACTIVE && s->deactivation_time > 0);
        mean =
            mean || (any_nonzero(s->mean_velocity, 3) && any_nonzero(s->mean_angular_velocity, 3));
        asleep = asleep || (m->bodies[i].motion == WR_MOTION_MOVING && s->activation == WRI_ASLEEP);
        wakeful = wakeful || s->activation == WRI_NEVER_SLEEPS;
        driven = driven || (m->bodies[i].motion == WR_MOTION_DRIVEN &&
                            any_nonzero(s->velocity, 3) && any_nonzero(s->angular_velocity, 3));
        frozen = frozen || m->bodies[i].frozen;
        absent = absent || !m->bodies[i].engine.present;
        target = target || m->bodies[i].has_target;
    }
    for (int i = 0; i < m->contact_count; i++) {
        const wri_bullet_contact *c = &m->contacts[i];
        sliding =
            sliding || (c->impulse > 0 && c->impulse_a != 0 && c->impulse_b != 0 && c->age > 1);
        bounced = bounced || c->restitution > 0;
    }
    assert_true(drowsy && mean && sliding && bounced && driven);
    assert_true(asleep && wakeful && frozen && absent && target);
    bool broken = false, removed = false, loaded = false;
    for (int i = 0; i < m->joint_count; i++) {
        const wri_rigid_joint *j = &m->joints[i];
        broken = broken || j->broken;
        removed = removed || j->removed;
        loaded =
            loaded || (any_nonzero(j->impulse, 3) && j->window.head > 0 && j->window.fill > 0 &&
                       any_nonzero(m->rows[i].force, 3) && any_nonzero(m->rows[i].row, 6));
    }
    assert_true(broken && removed && loaded);
    assert_true(m->statistics.frozen > 0 && m->statistics.runaway > 0 &&
                m->statistics.runaway < m->statistics.frozen && m->statistics.too_fast > 0);
}

typedef struct menagerie {
    wr_rigid *rigid;
    int hull, lift, ball, lost[2], bullet, gone, sleeper;
} menagerie;

static int add_hanging(wr_rigid *rigid, wr_joint_kind kind, float x, float breaking)
{
    wr_rigid_body_desc desc =
        solid(WR_SHAPE_BOX, wr_v3(0.3f, 0.5f, 0.2f), 700, wr_v3(x, 6.0f, 0.2f));
    desc.mass.center[0] = 0.03;
    desc.angular_velocity = wr_v3(0.3f, -0.2f, 0.5f);
    wr_joint_desc joint = wr_joint_desc_default();
    joint.kind = kind;
    joint.body_a = add(rigid, &desc);
    joint.body_b = -1;
    joint.at = wr_v3(x + 0.4f, 6.5f, 0.1f);
    joint.axis = wr_v3(0.2f, 0.3f, 1.0f);
    joint.breaking_impulse = breaking;
    return join(rigid, &joint);
}

static menagerie make_menagerie(void)
{
    menagerie m = {.rigid = make_world(true, true)};
    eight_boxes boxes;
    int floor = add_floor(m.rigid);
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 0.4f, 0.7f), 500, wr_v3(0, 0.25f, 0));
    desc.velocity = wr_v3(2.5f, 0, 1.3f);
    desc.mass.center[2] = 0.04;
    desc.mass.inertia[0][1] = desc.mass.inertia[1][0] = 2.0;
    desc.can_sleep = false;
    use_hulls(&desc, &boxes, desc.shape.size);
    m.hull = add(m.rigid, &desc);
    desc = solid(WR_SHAPE_BOX, wr_v3(0.5f, 0.5f, 0.5f), 500, wr_v3(-9, 0.25f, 0));
    add(m.rigid, &desc); // stands: about to sleep
    desc.pose.position.x = -12;
    m.sleeper = add(m.rigid, &desc);
    desc.motion = WR_MOTION_DRIVEN;
    desc.pose.position = wr_v3(-5, 4, 0);
    m.lift = add(m.rigid, &desc);
    desc = solid(WR_SHAPE_SPHERE, wr_v3(0.2f, 0, 0), 500, wr_v3(9, 0.87f, 0));
    desc.restitution = 0.08f;
    desc.velocity = wr_v3(0.5f, 0, -0.7f);
    m.ball = add(m.rigid, &desc);
    for (int i = 0; i < 2; i++) {
        desc.pose.position = wr_v3(20.0f + (float)i, 5, 0);
        m.lost[i] = add(m.rigid, &desc);
    }
    desc.pose.position = wr_v3(30, 5, 0);
    m.bullet = add(m.rigid, &desc);
    desc.pose.position = wr_v3(40, 5, 0);
    m.gone = add(m.rigid, &desc);
    add_hanging(m.rigid, WR_JOINT_POINT, 4, 0.5f); // breaks at once
    add_hanging(m.rigid, WR_JOINT_HINGE, 8, INFINITY);
    wr_rigid_remove_joint(m.rigid, add_hanging(m.rigid, WR_JOINT_FIXED, 12, INFINITY));
    wr_joint_desc joint = wr_joint_desc_default(); // one body hangs on another
    joint.kind = WR_JOINT_SLIDER;
    joint.body_a = m.gone + 2;
    joint.body_b = m.gone + 3;
    joint.at = wr_v3(10, 6, 0);
    joint.axis = wr_v3(1, 0.2f, 0.1f);
    join(m.rigid, &joint);
    assert_true(wr_rigid_set_collides_with(m.rigid, m.ball, m.hull, false, NULL));
    assert_true(wr_rigid_set_collides_with(m.rigid, floor, m.gone, false, NULL));
    return m;
}

static void run_menagerie(const menagerie *m, int first, int last)
{
    for (int i = first; i < last; i++) {
        if (i == 10) {
            wr_vec3 points[8];
            box_points(wr_v3(-0.5f, -0.2f, -0.35f), wr_v3(0.02f, 0.03f, 0.01f), points);
            wr_rigid_set_piece(m->rigid, m->hull, 0, points);
            wr_rigid_set_surface(m->rigid, m->hull, 0.35f, 0.25f);
            wr_mass_properties mass = wri_rigid_body_at(m->rigid, m->hull)->mass;
            mass.center[0] = 0.01;
            mass.inertia[0][2] = mass.inertia[2][0] = -1.5;
            wr_rigid_set_mass(m->rigid, m->hull, &mass);
            wr_rigid_set_velocity(m->rigid, m->lost[0], wr_v3(NAN, 0, 0), wr_v3(0, 0, 0));
            wr_rigid_set_velocity(m->rigid, m->lost[1], wr_v3(1e9f, 0, 0), wr_v3(0, 0, 0));
            wr_rigid_set_pose(m->rigid, m->bullet, (wr_pose){wr_v3(-50, 4, 0), WR_QUAT_IDENTITY});
            wr_rigid_set_velocity(m->rigid, m->bullet, wr_v3(20000, 0, 0), wr_v3(0, 0, 0));
            wr_rigid_remove_body(m->rigid, m->gone);
        } else if (i == 40) {
            wr_rigid_sleep(m->rigid, m->sleeper);
        }
        wr_pose to = {wr_v3(-5, 4.0f + 0.01f * (float)i, 0.004f * (float)i),
                      wr_quat_from_axis_angle(wr_v3(0.3f, 0.8f, -0.2f), 0.03f * (float)i)};
        wr_rigid_set_target(m->rigid, m->lift, to);
        if (i + 1 < last) {
            wr_rigid_step(m->rigid, DT, NULL, NULL);
        }
    }
}

// Going on after a save is the same as after a restore because both start from the saved bytes:
// what they lack is lost to both, so only the world as it was before can tell.
static void a_save_keeps_everything_that_lasts(void **state)
{
    (void)state;
    menagerie a = make_menagerie(), b = make_menagerie();
    run_menagerie(&a, 0, STEPS);
    memory before = read_memory(a.rigid, a.hull);
    check_that_all_is_there(&before);
    size_t size;
    wr_error error = {0};
    const void *bytes = wr_rigid_save(a.rigid, &size, &error);
    assert_non_null(bytes);
    memory after = read_memory(a.rigid, a.hull);
    check_memory(&before, &after);
    void *copy = malloc(size);
    memcpy(copy, bytes, size);
    if (!wr_rigid_restore(b.rigid, copy, size, &error)) {
        fail_msg("%s", error.message);
    }
    after = read_memory(b.rigid, b.hull);
    check_memory(&before, &after);
    free(copy);
    wr_rigid_destroy(a.rigid);
    wr_rigid_destroy(b.rigid);
}

// The mean by which bodies fall asleep: of a quarter of a second, summed here.
static void the_mean_of_a_velocity_follows_it(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 0.4f, 0.7f), 500, wr_v3(0, 9, 0));
    desc.velocity = wr_v3(1, 2, -3);
    desc.angular_velocity = wr_v3(2, 3, -1);
    int body = add(rigid, &desc);
    double mean[3] = {0}, turn[3] = {0}, share = (double)DT / 0.25;
    for (int i = 0; i < 60; i++) {
        wr_rigid_step(rigid, DT, NULL, NULL);
        wri_body_state now = *wri_rigid_state_at(rigid, body);
        for (int k = 0; k < 3; k++) {
            mean[k] += share * (now.velocity[k] - mean[k]);
            turn[k] += share * (now.angular_velocity[k] - turn[k]);
            CHECK_NEAR(now.mean_velocity[k], mean[k], 1e-6);
            CHECK_NEAR(now.mean_angular_velocity[k], turn[k], 1e-6);
        }
        size_t size;
        assert_true(i % 7 || wr_rigid_save(rigid, &size, NULL));
    }
    wr_rigid_destroy(rigid);
}

// --- what contacts do to each side ------------------------------------------------------------

// What a contact says that it gave to one of its bodies.
static void add_contact(momenta *m, const wr_contact *c, bool is_a)
{
    wr_vec3 j = wr_add_scaled(c->tangential_impulse, c->normal_impulse, c->normal);
    add_impulse(m, c->point, wr_scale(is_a ? 1.0f : -1.0f, j));
}

// Its unit of length is none of the bodies', so that no unit is 1.
static wr_rigid *make_space(void)
{
    wr_rigid_desc desc = wr_rigid_desc_default();
    desc.gravity = wr_v3(0, 0, 0);
    desc.sleeping = false;
    desc.unit_length = 0.3f;
    return create(&desc);
}

// No axis of it is like another, and its centre of mass lies beside its shape's.
static wr_rigid_body_desc lopsided(eight_boxes *boxes, wr_vec3 size, wr_vec3 at)
{
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, size, 300, at);
    use_hulls(&desc, boxes, size);
    desc.mass = lopsided_mass(size, 300);
    desc.angular_damping = 0;
    desc.friction = 0.5f;
    return desc;
}

static void contacts_are_what_both_bodies_feel(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) { // who is added first
        wr_rigid *rigid = make_space();
        eight_boxes boxes[2];
        wr_rigid_body_desc descs[2] = {
            lopsided(&boxes[0], wr_v3(1, 0.6f, 0.8f), wr_v3(0, 0, 0)),
            lopsided(&boxes[1], wr_v3(0.7f, 0.9f, 0.5f), wr_v3(1.5f, 0.15f, 0.4f))};
        descs[0].pose.rotation = wr_quat_from_axis_angle(wr_v3(1, 2, -1), 0.7f);
        descs[1].pose.rotation = wr_quat_from_axis_angle(wr_v3(-2, 1, 3), 1.1f);
        descs[0].angular_velocity = wr_v3(1, -2, 3);
        descs[1].velocity = wr_v3(-4, 1, -2);
        int bodies[2], contact_count = 0;
        double slid = 0;
        bodies[order] = add(rigid, &descs[order]);
        bodies[1 - order] = add(rigid, &descs[1 - order]);
        for (int i = 0; i < 60; i++) {
            momenta expected[2], found;
            for (int k = 0; k < 2; k++) {
                expected[k] = momenta_of(rigid, bodies[k], &descs[k].mass);
            }
            wr_rigid_step(rigid, DT, NULL, NULL);
            int count;
            const wr_contact *contacts = wr_rigid_contacts(rigid, &count);
            for (int c = 0; c < count; c++) {
                contact_count += contacts[c].normal_impulse > 0;
                slid += (double)wr_length(contacts[c].tangential_impulse);
                for (int k = 0; k < 2; k++) {
                    add_contact(&expected[k], &contacts[c], contacts[c].body_a == bodies[k]);
                }
            }
            for (int k = 0; k < 2; k++) {
                found = momenta_of(rigid, bodies[k], &descs[k].mass);
                check_momenta(&found, &expected[k], 2e-4); // of some hundred
            }
        }
        assert_true(contact_count > 0 && slid > 10.0);
        wr_rigid_destroy(rigid);
    }
}

// --- bounces that are taken back --------------------------------------------------------------

typedef struct bounce {
    wr_rigid *rigid;
    int bodies[2];
    wr_mass_properties mass[2];
} bounce;

// A ball hits a long box near its end, both with their weight beside their middle; the box is
// added first or second. held: the box does not move.
static bounce make_bounce(int order, bool held, float restitution)
{
    bounce b = {.rigid = make_space()};
    eight_boxes boxes;
    wr_vec3 long_size = wr_v3(2, 0.4f, 0.6f), size = wr_v3(0.5f, 0.4f, 0.6f);
    wr_rigid_body_desc descs[2] = {lopsided(&boxes, long_size, wr_v3(0.1f, -0.2f, 0.1f)),
                                   lopsided(&boxes, size, wr_v3(0.8f, 0.9f, 0.2f))};
    use_hull(&descs[0], &boxes, long_size);
    descs[1].shape = (wr_shape){.kind = WR_SHAPE_SPHERE, .size = wr_v3(0.3f, 0, 0)};
    descs[0].pose.rotation = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 0.3f);
    descs[0].motion = held ? WR_MOTION_STATIC : WR_MOTION_MOVING;
    descs[0].angular_velocity = held ? wr_v3(0, 0, 0) : wr_v3(1, -0.5f, 0.3f);
    descs[1].angular_velocity = wr_v3(1, -2, 3);
    descs[1].velocity = wr_v3(0.5f, -4, -0.3f);
    for (int k = 0; k < 2; k++) {
        descs[k].friction = 0;
        descs[k].restitution = restitution;
        b.mass[k] = descs[k].mass;
    }
    b.bodies[order] = add(b.rigid, &descs[order]);
    b.bodies[1 - order] = add(b.rigid, &descs[1 - order]);
    return b;
}

static momenta total_of(const bounce *b)
{
    momenta sum = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
        momenta m = momenta_of(b->rigid, b->bodies[k], &b->mass[k]);
        for (int i = 0; i < 3; i++) {
            sum.p[i] += m.p[i];
            sum.L[i] += m.L[i];
        }
    }
    return sum;
}

// Steps until they have hit each other.
static void hit(const bounce *b, float dt)
{
    int count = 0;
    for (int i = 0; i < 2000 && count == 0; i++) {
        wr_rigid_step(b->rigid, dt, NULL, NULL);
        wr_rigid_contacts(b->rigid, &count);
    }
    assert_int_equal(count, 1);
}

static void a_bounce_taken_back_is_a_weaker_bounce_for_both(void **state)
{
    (void)state;
    const float dt = 1.0f / 4000.0f, strong = 0.8f, weak = 0.3f;
    for (int i = 0; i < 4; i++) {
        bounce a = make_bounce(i % 2, i / 2, strong), b = make_bounce(i % 2, i / 2, weak);
        hit(&a, dt);
        hit(&b, dt);
        momenta before = total_of(&a);
        wr_vec3 was = wr_rigid_velocity(a.rigid, a.bodies[1]);
        wr_rigid_take_back_bounces(a.rigid); // nothing has changed yet
        assert_true(wr_distance(was, wr_rigid_velocity(a.rigid, a.bodies[1])) == 0.0f);
        wr_rigid_set_surface(a.rigid, a.bodies[0], 0, weak);
        wr_rigid_take_back_bounces(a.rigid); // the other one still is as it was
        assert_true(wr_distance(was, wr_rigid_velocity(a.rigid, a.bodies[1])) == 0.0f);
        wr_rigid_set_surface(a.rigid, a.bodies[1], 0, weak);
        wr_rigid_take_back_bounces(a.rigid);
        assert_true(wr_distance(was, wr_rigid_velocity(a.rigid, a.bodies[1])) > 0.3f);
        if (i < 2) {
            momenta after = total_of(&a);
            check_momenta(&after, &before, 1e-3);
        }
        for (int k = 0; k < 2; k++) {
            momenta found = momenta_of(a.rigid, a.bodies[k], &a.mass[k]);
            momenta expected = momenta_of(b.rigid, b.bodies[k], &b.mass[k]);
            check_momenta(&found, &expected, 0.2); // of some hundred; it has moved on meanwhile
        }
        wr_vec3 now = wr_rigid_velocity(a.rigid, a.bodies[1]);
        wr_rigid_take_back_bounces(a.rigid); // once is enough
        assert_true(wr_distance(now, wr_rigid_velocity(a.rigid, a.bodies[1])) == 0.0f);
        wr_rigid_destroy(a.rigid);
        wr_rigid_destroy(b.rigid);
    }
}

// Restitutions that are lowered twice after one hit end where lowering them at once does.
static void a_bounce_taken_back_in_two_parts_is_one(void **state)
{
    (void)state;
    static const float lowered[2][2] = {{0.55f, 0.2f}, {0.2f, 0.2f}};
    for (int i = 0; i < 4; i++) {
        wr_vec3 v[2][2], w[2][2];
        for (int way = 0; way < 2; way++) {
            bounce b = make_bounce(i % 2, i / 2, 0.9f);
            hit(&b, 1.0f / 4000.0f);
            for (int k = 0; k < 2; k++) {
                wr_rigid_set_surface(b.rigid, b.bodies[0], 0, lowered[way][k]);
                wr_rigid_set_surface(b.rigid, b.bodies[1], 0, lowered[way][k]);
                wr_rigid_take_back_bounces(b.rigid);
            }
            for (int k = 0; k < 2; k++) {
                v[way][k] = wr_rigid_velocity(b.rigid, b.bodies[k]);
                w[way][k] = wr_rigid_angular_velocity(b.rigid, b.bodies[k]);
            }
            wr_rigid_destroy(b.rigid);
        }
        for (int k = 0; k < 2; k++) {
            CHECK_NEAR(wr_distance(v[0][k], v[1][k]), 0.0, 1e-4);
            CHECK_NEAR(wr_distance(w[0][k], w[1][k]), 0.0, 1e-4);
        }
    }
}

// A smooth ball that flies far along a wall while it hits it: what is taken back goes through its
// centre, whichever of them comes first.
static void a_bounce_taken_back_does_not_turn_a_ball(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        wr_rigid *rigid = make_world(false, false);
        wr_rigid_body_desc ball =
            solid(WR_SHAPE_SPHERE, wr_v3(0.3f, 0, 0), 800, wr_v3(-1, 0.31f, 0));
        wr_rigid_body_desc wall = solid(WR_SHAPE_BOX, wr_v3(20, 2, 20), 800, wr_v3(0, -1, 0));
        wall.motion = WR_MOTION_STATIC;
        ball.velocity = wr_v3(8, -4, 5);
        ball.friction = wall.friction = 0;
        ball.restitution = wall.restitution = 0.8f;
        int first = add(rigid, order ? &ball : &wall), second = add(rigid, order ? &wall : &ball);
        int moving = order ? first : second;
        for (int i = 0; i < 20 && wr_rigid_velocity(rigid, moving).y < 0.0f; i++) {
            wr_rigid_step(rigid, 1.0f / 60.0f, NULL, NULL);
        }
        CHECK_NEAR(wr_rigid_velocity(rigid, moving).y, 3.2, 0.01);
        wr_rigid_set_surface(rigid, first, 0, 0.2f);
        wr_rigid_set_surface(rigid, second, 0, 0.2f);
        wr_rigid_take_back_bounces(rigid);
        CHECK_NEAR(wr_rigid_velocity(rigid, moving).y, 0.8, 0.01);
        CHECK_NEAR(wr_length(wr_rigid_angular_velocity(rigid, moving)), 0.0, 0.01);
        wr_rigid_destroy(rigid);
    }
}

// Velocity of a point of a body.
static wr_vec3 velocity_at(const wr_rigid *rigid, int body, wr_vec3 point)
{
    wr_vec3 arm = wr_sub(point, wr_rigid_center(rigid, body));
    return wr_add(wr_rigid_velocity(rigid, body),
                  wr_cross(wr_rigid_angular_velocity(rigid, body), arm));
}

// Coulomb's law between two bodies that both move, off their centres: friction is as large as it
// can be, against the sliding that is left.
static void friction_of_two_moving_bodies_is_against_their_sliding(void **state)
{
    (void)state;
    const float mu = 0.2f;
    for (int order = 0; order < 2; order++) {
        bounce b = make_bounce(order, false, 0.0f);
        for (int k = 0; k < 2; k++) {
            wr_rigid_set_surface(b.rigid, b.bodies[k], mu, 0.0f);
        }
        wr_rigid_set_velocity(b.rigid, b.bodies[1], wr_v3(1.5f, -4, -1), wr_v3(12, -5, 9));
        hit(&b, 1.0f / 4000.0f);
        int count;
        wr_contact c = wr_rigid_contacts(b.rigid, &count)[0];
        wr_vec3 slip = wr_sub(velocity_at(b.rigid, c.body_a, c.point),
                              velocity_at(b.rigid, c.body_b, c.point));
        slip = wr_add_scaled(slip, -wr_dot(slip, c.normal), c.normal);
        assert_true(wr_length(slip) > 0.5f && c.normal_impulse > 1.0f);
        CHECK_NEAR(wr_length(c.tangential_impulse), mu * c.normal_impulse, 1e-4 * c.normal_impulse);
        float cosine = wr_dot(wr_normalize(slip), wr_normalize(c.tangential_impulse));
        CHECK_NEAR(cosine, -1.0, 1e-4);
        wr_rigid_destroy(b.rigid);
    }
}

// --- driven bodies ----------------------------------------------------------------------------

static void a_driven_body_turns_the_short_way_round(void **state)
{
    (void)state;
    const wr_vec3 axes[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},   {0, -1, 0}, {0, 0, 1},
                            {0, 0, -1}, {1, 2, -3}, {-1, -2, 3}, {-3, 1, 2}, {3, -1, -2}};
    const float angles[] = {0.3f, 1.5f, 2.2f, 3.0f};
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 0.6f, 0.8f), 300, wr_v3(0, 0, 0));
    desc.motion = WR_MOTION_DRIVEN;
    for (int i = 0; i < WRI_COUNT(axes) * WRI_COUNT(angles); i++) {
        wr_vec3 axis = wr_normalize(axes[i % WRI_COUNT(axes)]);
        float angle = angles[i / WRI_COUNT(axes)];
        wr_rigid *rigid = make_world(false, false);
        desc.pose.rotation = wr_quat_from_axis_angle(wr_v3(1, -2, 2), 2.5f);
        int body = add(rigid, &desc);
        wr_quat turn = wr_quat_from_axis_angle(axis, angle);
        wr_quat end = wr_quat_multiply(turn, desc.pose.rotation);
        end = i % 3 ? end : (wr_quat){-end.x, -end.y, -end.z, -end.w}; // the same one
        wr_pose to = {wr_v3(0.01f, -0.02f, 0.03f), end};
        wr_rigid_set_target(rigid, body, to);
        wr_rigid_step(rigid, DT, NULL, NULL);
        wr_vec3 w = wr_rigid_angular_velocity(rigid, body);
        CHECK_NEAR(wr_distance(wr_scale(DT, w), wr_scale(angle, axis)), 0, 1e-4);
        wr_vec3 v = wr_rigid_velocity(rigid, body);
        CHECK_NEAR(wr_distance(wr_scale(DT, v), to.position), 0, 1e-6);
        wr_rigid_destroy(rigid);
    }
}

typedef struct turning {
    const wr_rigid *rigid;
    int body, substeps;
    double turned[3]; // sum of the angular velocities times the substeps
} turning;

static void note_turn(void *user, float dt, const wr_contact *contacts, int count)
{
    (void)contacts;
    (void)count;
    turning *t = user;
    wr_vec3 w = wr_rigid_angular_velocity(t->rigid, t->body);
    t->turned[0] += (double)(w.x * dt);
    t->turned[1] += (double)(w.y * dt);
    t->turned[2] += (double)(w.z * dt);
    t->substeps++;
}

// About one axis turns add up; whichever way round the engine writes the rotations between.
static void a_driven_body_turns_the_short_way_in_every_substep(void **state)
{
    (void)state;
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 0.6f, 0.8f), 300, wr_v3(0, 0, 0));
    desc.motion = WR_MOTION_DRIVEN;
    for (int i = 0; i < 48; i++) {
        wr_vec3 axis = wr_normalize(wr_v3(1, i % 2 ? -2.0f : 2.0f, i % 3 ? 0.5f : -3.0f));
        wr_rigid *rigid = make_world(false, false);
        desc.pose.rotation = wr_quat_from_axis_angle(wr_v3(1, -2, 2), 0.13f * (float)i);
        int body = add(rigid, &desc);
        float angle = 0.8f + 0.5f * (float)(i % 4);
        wr_quat turn = wr_quat_from_axis_angle(axis, angle);
        wr_rigid_set_target(rigid, body,
                            (wr_pose){wr_v3(0, 0, 0), wr_quat_multiply(turn, desc.pose.rotation)});
        turning t = {.rigid = rigid, .body = body};
        wr_rigid_step(rigid, 0.1f, note_turn, &t);
        assert_true(t.substeps > 3);
        CHECK_NEAR(t.turned[0], angle * axis.x, 1e-4);
        CHECK_NEAR(t.turned[1], angle * axis.y, 1e-4);
        CHECK_NEAR(t.turned[2], angle * axis.z, 1e-4);
        wr_rigid_destroy(rigid);
    }
}

// --- bodies in the plane -------------------------------------------------------------------------

// Of all its moments only z . I z counts, z being the world's in the body's frame.
static void a_tilted_planar_body_turns_by_its_moment_about_z(void **state)
{
    (void)state;
    wr_rigid *rigid = make_space();
    eight_boxes boxes;
    wr_rigid_body_desc desc = lopsided(&boxes, wr_v3(1, 0.6f, 0.8f), wr_v3(0.3f, 0.2f, 0.1f));
    desc.pose.rotation = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 0.9f);
    desc.is_planar = true;
    int body = add(rigid, &desc);
    double R[3][3], moment = 0.0;
    rotation_of(desc.pose.rotation, R);
    for (int i = 0; i < 9; i++) {
        moment += R[2][i / 3] * desc.mass.inertia[i / 3][i % 3] * R[2][i % 3];
    }
    wr_rigid_twist(rigid, body, wr_v3(3, 4, 5));
    wr_vec3 w = wr_rigid_angular_velocity(rigid, body);
    CHECK_NEAR(w.z, 5.0 / moment, 1e-5);
    assert_true(w.x == 0.0f && w.y == 0.0f);
    wr_vec3 arm = wr_v3(0.2f, -0.3f, 0.4f), push = wr_v3(6, 7, 8);
    wr_rigid_push(rigid, body, wr_add(wr_rigid_center(rigid, body), arm), push);
    CHECK_NEAR(wr_rigid_angular_velocity(rigid, body).z, (5.0 + 0.2 * 7.0 + 0.3 * 6.0) / moment,
               1e-5);
    wr_rigid_view view;
    wr_rigid_find_views(rigid, &body, 1, &view);
    CHECK_NEAR(view.inverse_inertia[2][2], 1.0 / moment, 1e-5 / moment);
    wr_rigid_destroy(rigid);
}

// --- changes to the second of two bodies ---------------------------------------------------------

typedef struct pair {
    wr_rigid *rigid;
    int lower, upper;
    wr_mass_properties mass;
    wr_vec3 points[8];
} pair;

// Two boxes of hulls that have stood on each other for a while; the upper one is added last or
// first.
static pair make_pair(int order, bool sleeping)
{
    pair p = {.rigid = make_world(true, sleeping)};
    eight_boxes boxes;
    add_floor(p.rigid);
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 1, 1), 500, wr_v3(0, 0.5f, 0));
    use_hulls(&desc, &boxes, desc.shape.size);
    p.mass = desc.mass;
    for (int i = 0; i < 2; i++) {
        bool is_lower = i == order;
        desc.pose.position.y = is_lower ? 0.5f : 1.5f;
        *(is_lower ? &p.lower : &p.upper) = add(p.rigid, &desc);
    }
    step(p.rigid, sleeping ? 4.0 : 0.5, DT);
    return p;
}

// The number of contacts between the two that are a quarter of a second old; pieces: of any age,
// that touch with that piece of the body.
static int count_old(const pair *p, int body, int piece, int *pieces)
{
    wri_bullet_contact contacts[CONTACTS];
    int count = wri_bullet_contact_count(p->rigid->bullet), old = 0;
    assert_in_range(count, 1, CONTACTS);
    wri_bullet_read_contacts(p->rigid->bullet, contacts);
    *pieces = 0;
    for (int i = 0; i < count; i++) {
        const wri_bullet_contact *c = &contacts[i];
        if (c->body_a + c->body_b == p->lower + p->upper) {
            old += c->age > 60;
            int index = c->body_a == body ? c->index_a : c->index_b;
            *pieces += index == piece && c->distance < 0.005;
        }
    }
    return old;
}

static void contacts_outlive_a_new_centre_of_mass_of_either_body(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        pair p = make_pair(i % 2, false);
        int body = i / 2 ? p.lower : p.upper, unused;
        assert_true(count_old(&p, body, 0, &unused) >= 24);
        for (int k = 0; k < 2; k++) {           // twice before the engine hears of it
            p.mass.center[0] = 0.001 * (k + 1); // what stands on what can move goes the other way
            p.mass.inertia[0][1] = p.mass.inertia[1][0] = 12.0 * (k + 1);
            p.mass.inertia[1][2] = p.mass.inertia[2][1] = -9.0;
            wr_rigid_set_mass(p.rigid, body, &p.mass);
        }
        wr_rigid_step(p.rigid, DT, NULL, NULL);
        assert_true(count_old(&p, body, 0, &unused) >= 20);
        wr_rigid_destroy(p.rigid);
    }
}

static void contacts_of_a_piece_that_went_are_gone_of_either_body(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        pair p = make_pair(i % 2, false);
        int body = i / 2 ? p.lower : p.upper, piece = i / 2 ? 3 : 1, count; // between the two
        count_old(&p, body, piece, &count);
        assert_true(count > 0);
        float y = i / 2 ? 0.485f : -0.485f; // still near enough to be looked at
        box_points(wr_v3(0, fminf(y, 0), -0.5f), wr_v3(0.5f, fmaxf(y, 0), 0), p.points);
        wr_rigid_set_piece(p.rigid, body, piece, p.points);
        wr_rigid_step(p.rigid, DT, NULL, NULL);
        count_old(&p, body, piece, &count);
        assert_int_equal(count, 0);
        wr_rigid_destroy(p.rigid);
    }
}

static void the_other_of_two_bodies_wakes_when_one_goes(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        pair p = make_pair(i % 2, true);
        int body = i / 2 ? p.lower : p.upper, other = i / 2 ? p.upper : p.lower;
        assert_true(wr_rigid_is_asleep(p.rigid, body) && wr_rigid_is_asleep(p.rigid, other));
        wr_rigid_remove_body(p.rigid, body); // awake itself it would take the other along
        wr_rigid_step(p.rigid, DT, NULL, NULL);
        assert_false(wr_rigid_is_asleep(p.rigid, other));
        wr_rigid_destroy(p.rigid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_save_keeps_everything_that_lasts),
        cmocka_unit_test(the_mean_of_a_velocity_follows_it),
        cmocka_unit_test(contacts_are_what_both_bodies_feel),
        cmocka_unit_test(a_bounce_taken_back_is_a_weaker_bounce_for_both),
        cmocka_unit_test(a_bounce_taken_back_in_two_parts_is_one),
        cmocka_unit_test(a_bounce_taken_back_does_not_turn_a_ball),
        cmocka_unit_test(friction_of_two_moving_bodies_is_against_their_sliding),
        cmocka_unit_test(a_driven_body_turns_the_short_way_round),
        cmocka_unit_test(a_driven_body_turns_the_short_way_in_every_substep),
        cmocka_unit_test(a_tilted_planar_body_turns_by_its_moment_about_z),
        cmocka_unit_test(contacts_outlive_a_new_centre_of_mass_of_either_body),
        cmocka_unit_test(contacts_of_a_piece_that_went_are_gone_of_either_body),
        cmocka_unit_test(the_other_of_two_bodies_wakes_when_one_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
