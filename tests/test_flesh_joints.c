// test_flesh_joints.c: bones that are joined, driven, limited and aimed, under skin they share.
#include "check.h"

#include "flesh_body.h"

static const wr_pose ASKEW = {{0.3f, 2.0f, -0.1f}, {0.1826f, 0.3651f, 0.5477f, 0.7303f}};

// Links joined as `kind` says, obliquely in space.
static flesh_shape chain(int bones, wr_flesh_joint_kind kind)
{
    flesh_shape s = flesh_tube(bones, 10 * bones, 8);
    for (int i = 0; i + 1 < bones; i++) {
        s.joints[s.joint_count++] = (wr_flesh_joint){.a = i + 1,
                                                     .b = i,
                                                     .kind = kind,
                                                     .at = {0.2f * (float)(i + 1), 0, 0},
                                                     .axis = {0, 0.6f, 0.8f},
                                                     .least = -INFINITY,
                                                     .most = INFINITY,
                                                     .swing = INFINITY};
    }
    flesh_shape_turn(&s, ASKEW);
    return s;
}

// Radians: of bone a against bone b.
static double angle_of(const wri_flesh *f, int joint)
{
    const double *a = f->bones[f->model->joints[joint].a].turn;
    const double *b = f->bones[f->model->joints[joint].b].turn;
    double cosine = fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
    return 2.0 * acos(fmin(cosine, 1.0));
}

static void drive(wri_flesh *f, int bone)
{
    f->is_driven[bone] = true;
    f->goals[bone] = f->bones[bone];
}

static void chains_fall_as_one(void **state)
{
    (void)state;
    flesh_shape s = chain(3, WR_FLESH_BALL);
    flesh_fixture x = flesh_start(&s, 2e4, 1.0f / 60.0f, 1e-3f);
    wri_flesh_step_desc step = {.gravity = {1.0, -9.81, 2.0}};
    for (int i = 0; i < 60; i++) {
        assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
    }
    for (int i = 0; i < s.bone_count; i++) {
        const wri_flesh_pose *b = &x.body.bones[i];
        double fallen = b->c[1] - x.model->bones[i].origin[1];
        CHECK_NEAR(fallen, -9.81 / 3600.0 * 60.0 * 61.0 / 2.0, 1e-4);
        assert_true(sqrt(wri_dot3(b->alpha, b->alpha)) < 1e-3);
    }
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// The first bone is held, the others hang on it and swing for a minute.
static void joints_hold_for_a_minute(void **state)
{
    (void)state;
    for (int kind = WR_FLESH_BALL; kind <= WR_FLESH_FIXED; kind++) {
        flesh_shape s = chain(4, (wr_flesh_joint_kind)kind);
        flesh_fixture x = flesh_start(&s, 2e4, 1.0f / 60.0f, 1e-3f);
        drive(&x.body, 0);
        wri_flesh_step_desc step = {.gravity = {0.0, -9.81, 0.0}};
        double most = 0.0, turned = 0.0, moved = 0.0;
        for (int i = 0; i < 3600; i++) {
            assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
            for (int k = 0; k < 3; k++) {
                most = fmax(most, flesh_apart(&x.body, k));
                turned = fmax(turned, angle_of(&x.body, k));
                moved = fmax(moved, fabs(x.body.bones[0].c[k] - x.model->bones[0].origin[k]));
            }
        }
        printf("    kind %d: apart by %.1e m, turned by %.2f rad; the held bone moved %.0e m\n",
               kind, most, turned, moved);
        assert_true(most < 1e-3 * 0.8 && moved < 1e-6);
        assert_true(kind == WR_FLESH_FIXED ? turned < 0.02 : turned > 0.3);
        flesh_end(&x);
        flesh_shape_destroy(&s);
    }
}

static void limits_hold(void **state)
{
    (void)state;
    flesh_shape s = chain(2, WR_FLESH_HINGE);
    s.joints[0].least = -0.2f;
    s.joints[0].most = 0.3f;
    flesh_fixture x = flesh_start(&s, 2e4, 1.0f / 60.0f, 1e-3f);
    drive(&x.body, 0);
    double most[2] = {0.0, 0.0};
    for (int side = 0; side < 2; side++) {
        wr_vec3 g =
            wr_scale(side ? 20.0f : -20.0f, wr_rotate(ASKEW.rotation, wr_v3(0, -0.8f, 0.6f)));
        wri_flesh_step_desc step = {.gravity = {(double)g.x, (double)g.y, (double)g.z}};
        for (int i = 0; i < 240; i++) {
            assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
            most[side] = fmax(most[side], i > 60 || side == 0 ? angle_of(&x.body, 0) : 0.0);
        }
    }
    printf("    turned by at most %.3f and %.3f rad\n", most[0], most[1]);
    double low = fmin(most[0], most[1]), high = fmax(most[0], most[1]);
    assert_true(low > 0.19 && low < 0.25 && high > 0.29 && high < 0.35);
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// Across its axis a ball has a limit of its own, to all sides.
static void swings_hold(void **state)
{
    (void)state;
    flesh_shape s = chain(2, WR_FLESH_BALL);
    s.joints[0].least = -0.05f;
    s.joints[0].most = 0.1f;
    s.joints[0].swing = 0.35f;
    flesh_fixture x = flesh_start(&s, 2e4, 1.0f / 60.0f, 1e-3f);
    drive(&x.body, 0);
    for (int side = 0; side < 2; side++) {
        wr_vec3 g =
            wr_scale(side ? 20.0f : -20.0f, wr_rotate(ASKEW.rotation, wr_v3(0, 0.6f, 0.8f)));
        wri_flesh_step_desc step = {.gravity = {(double)g.x, (double)g.y, (double)g.z}};
        for (int i = 0; i < 240; i++) {
            assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
        }
        printf("    swung by %.3f rad\n", angle_of(&x.body, 0));
        CHECK_NEAR(angle_of(&x.body, 0), 0.35, 0.02); // with a twist of at most 0.1
    }
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// Near many limits at once, and about all axes.
static void limits_that_are_not_met_do_nothing(void **state)
{
    (void)state;
    flesh_shape s = chain(6, WR_FLESH_BALL);
    for (int i = 0; i < s.joint_count; i++) {
        s.joints[i].least = -0.2f;
        s.joints[i].most = i % 2 ? 0.3f : 0.1f;
        s.joints[i].swing = 0.25f;
        s.joints[i].stiffness = 0.1;
        s.joints[i].damping = 0.01;
    }
    flesh_fixture x = flesh_start(&s, 2e4, 1.0f / 240.0f, 1e-3f);
    wri_flesh_step_desc step = {.gravity = {0.0, -9.81, 0.0}};
    for (int i = 0; i < 60; i++) {
        assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
        for (int k = 0; k < s.bone_count; k++) {
            assert_true(wri_length3(x.body.bones[k].alpha) < 1e-3);
        }
    }
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// Without gravity a stiff joint goes where it is aimed, and both momenta stay.
static void joints_go_where_they_are_aimed(void **state)
{
    (void)state;
    flesh_shape s = chain(2, WR_FLESH_BALL);
    s.joints[0].stiffness = 20.0;
    s.joints[0].damping = 1.0;
    flesh_fixture x = flesh_start(&s, 2e4, 1.0f / 120.0f, 1e-3f);
    x.body.targets[0] = (wri_target){.angle = {0.3, -0.4, 0.5}};
    wri_flesh_step_desc step = {{0.0, 0.0, 0.0}};
    for (int i = 0; i < 600; i++) {
        assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
    }
    wri_flesh_momentum m;
    assert_true(wri_flesh_find_momentum(&x.body, NULL, &x.scratch, &m));
    CHECK_NEAR(angle_of(&x.body, 0), sqrt(0.5), 0.01);
    CHECK_NEAR(sqrt(wri_dot3(m.P, m.P)), 0.0, 1e-9);
    CHECK_NEAR(sqrt(wri_dot3(m.spin, m.spin)), 0.0, 1e-9);
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// A hit on the skin of the last link turns the links before it, too.
static void a_hit_on_the_skin_moves_the_whole_chain(void **state)
{
    (void)state;
    flesh_shape s = chain(3, WR_FLESH_BALL);
    flesh_fixture x = flesh_start(&s, 2e4, 1.0f / 60.0f, 1e-3f);
    wri_flesh_step_desc step = {{0.0, 0.0, 0.0}};
    wr_vec3 up = wr_rotate(ASKEW.rotation, wr_v3(0, 1, 0));
    int node = x.model->node_of[25 * 8]; // of the last link, on its upper side
    wri_flesh_contact hit = {
        .node = node, .body = 0, .normal = wr_scale(-1.0f, up), .friction = 0.5f};
    hit.point = wri_flesh_place(&x.body, node);
    wr_body_copy hammer = {.pose = WR_POSE_IDENTITY,
                           .center = hit.point,
                           .inverse_mass = 0.5f,
                           .velocity = wr_scale(-3.0f, up)};
    step.contacts = &hit;
    step.contact_count = 1;
    step.bodies = &hammer;
    step.body_count = 1;
    assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
    wri_flesh_momentum m;
    assert_true(wri_flesh_find_momentum(&x.body, NULL, &x.scratch, &m));
    double lost = sqrt(wri_dot3(hammer.impulse, hammer.impulse));
    printf("    the hammer lost %.3f kg m/s; bones turn by %.2f, %.2f, %.2f rad/s\n", lost,
           sqrt(wri_dot3(x.body.bones[0].alpha, x.body.bones[0].alpha)),
           sqrt(wri_dot3(x.body.bones[1].alpha, x.body.bones[1].alpha)),
           sqrt(wri_dot3(x.body.bones[2].alpha, x.body.bones[2].alpha)));
    assert_true(lost > 0.3);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(m.P[k], -hammer.impulse[k], 1e-6 * lost);
    }
    for (int i = 0; i < 2; i++) {
        assert_true(wri_dot3(x.body.bones[i].alpha, x.body.bones[i].alpha) > 1e-4);
        assert_true(flesh_apart(&x.body, i) < 1e-3);
    }
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_fall_as_one),
        cmocka_unit_test(joints_hold_for_a_minute),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(swings_hold),
        cmocka_unit_test(limits_that_are_not_met_do_nothing),
        cmocka_unit_test(joints_go_where_they_are_aimed),
        cmocka_unit_test(a_hit_on_the_skin_moves_the_whole_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
