// test_morph_contact.c: bodies of morph against rigid ones: impulses, overlap, friction, both ways.
#include "check.h"

#include "morph_arm.h"

static arm shared;

typedef struct scene {
    arm_body b;
    wr_morph_touch *touches;
    wr_body_copy rigid;
    bool has_rigid;
    float friction;
    wr_vec3 sum; // N s: on what is below, in the last step
} scene;

static scene scene_start(const arm *a, bool is_full, float dt)
{
    wr_morph_model_desc desc = arm_model(a);
    desc.is_full = is_full;
    desc.dt = dt;
    scene s = {.b = arm_start(&desc)};
    s.touches = arm_room((size_t)a->vertex_count, sizeof *s.touches);
    return s;
}

static void scene_stop(scene *s)
{
    arm_stop(&s->b);
    free(s->touches);
}

// Every vertex that is near a plane through `at` touches it.
static void scene_step(scene *s, const arm *a, wr_vec3 at, wr_vec3 normal)
{
    int count = 0;
    for (int v = 0; v < a->vertex_count; v++) {
        wr_vec3 x = wr_morph_position(s->b.world, 0, v);
        if (wr_dot(normal, wr_sub(x, at)) < 0.05f) {
            s->touches[count++] =
                (wr_morph_touch){.morph = 0,
                                 .vertex = v,
                                 .body = s->has_rigid ? 0 : -1,
                                 .point = wr_add_scaled(x, -wr_dot(normal, wr_sub(x, at)), normal),
                                 .normal = normal,
                                 .friction = s->friction};
        }
    }
    s->b.step.touches = s->touches;
    s->b.step.touch_count = count;
    s->b.step.bodies = s->has_rigid ? &s->rigid : NULL;
    s->b.step.body_count = s->has_rigid;
    arm_advance(&s->b, 1);
    s->sum = wr_v3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        s->sum = wr_add(s->sum, s->touches[i].impulse);
        assert_true(wr_dot(s->touches[i].impulse, normal) <= 1e-6f);
    }
}

static float deepest(const scene *s, const arm *a, wr_vec3 at, wr_vec3 normal)
{
    float depth = 0.0f;
    wr_vec3 *places = arm_room((size_t)a->vertex_count, sizeof *places);
    wr_morph_positions(s->b.world, 0, NULL, places);
    for (int v = 0; v < a->vertex_count; v++) {
        depth = wr_maxf(depth, -wr_dot(normal, wr_sub(places[v], at)));
    }
    free(places);
    return depth;
}

static void move_arm(scene *s, wr_vec3 by)
{
    wr_pose poses[2] = {WR_POSE_IDENTITY, WR_POSE_IDENTITY};
    poses[0].position = poses[1].position = by;
    wr_morph_drive(s->b.world, 0, poses, NULL);
}

// Bones press the arm 2 cm into the floor. It goes flat there, and floor and skin agree.
static void a_floor_presses_the_skin_flat(void **state)
{
    const arm *a = *state;
    double force[2];
    for (int is_full = 0; is_full < 2; is_full++) {
        scene s = scene_start(a, is_full, 1.0f / 120.0f);
        wr_vec3 floor = wr_v3(0.0f, 0.0f, 0.0f), up = wr_v3(0.0f, 1.0f, 0.0f);
        s.b.step.gravity = wr_v3(0, 0, 0);
        for (int i = 0; i < 240; i++) {
            move_arm(&s, wr_v3(0.0f, -0.02f * wr_minf(1.0f, (float)i / 60.0f), 0.0f));
            scene_step(&s, a, floor, up);
        }
        float depth = deepest(&s, a, floor, up);
        assert_true(depth < 0.002f);
        force[is_full] = -120.0 * (double)s.sum.y;
        assert_true(wr_morph_describe(s.b.world, 0).touched > 20);
        scene_stop(&s);
    }
    printf("    %.0f N in few modes, %.0f N of all nodes\n", force[0], force[1]);
    assert_true(force[1] > 100.0);
    CHECK_NEAR(force[0], force[1], 0.4 * force[1]); // few modes, and springs for the rest
}

// In equilibrium the floor carries what elasticity presses: more where targets are firm.
static void a_firm_body_presses_harder(void **state)
{
    const arm *a = *state;
    double force[2];
    for (int target = 0; target < 2; target++) {
        wr_morph_model_desc desc = arm_model(a);
        desc.dt = 1.0f / 60.0f;
        desc.stiffness = target ? 4.0 : 1.0;
        scene s = {.b = arm_start(&desc)};
        wr_vec3 up = wr_v3(0.0f, 1.0f, 0.0f);
        s.touches = arm_room((size_t)a->vertex_count, sizeof *s.touches);
        s.b.step.gravity = wr_v3(0, 0, 0);
        for (int i = 0; i < 240; i++) {
            move_arm(&s, wr_v3(0.0f, -0.01f * wr_minf(1.0f, (float)i / 60.0f), 0.0f));
            scene_step(&s, a, wr_v3(0, 0, 0), up);
        }
        force[target] = -60.0 * (double)s.sum.y;
        scene_stop(&s);
    }
    assert_true(force[0] > 1.0);
    CHECK_NEAR(force[1] / force[0], 4.0, 0.2);
}

// A light box that the arm swings against takes what the arm loses: impulses on both are one.
static void a_rigid_body_is_pushed_away(void **state)
{
    const arm *a = *state;
    for (int is_full = 0; is_full < 2; is_full++) {
        scene s = scene_start(a, is_full, 1.0f / 120.0f);
        wr_vec3 normal = wr_v3(0.0f, -1.0f, 0.0f); // out of the body: it lies on top of the arm
        s.has_rigid = true;
        s.rigid = (wr_body_copy){.pose = WR_POSE_IDENTITY,
                                 .center = wr_v3(0.5f, 0.35f, 0.1f),
                                 .inverse_mass = 0.5f,
                                 .inverse_inertia = {{{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}}};
        s.b.step.gravity = wr_v3(0, 0, 0);
        float height = 0.30f, given = 0.0f, before = 0.0f;
        for (int i = 0; i < 60; i++) {
            move_arm(&s, wr_v3(0.0f, 0.02f * (float)i / 120.0f * 60.0f, 0.0f)); // 1.2 m/s
            scene_step(&s, a, wr_v3(0.0f, height, 0.0f), normal);
            height += s.rigid.velocity.y / 120.0f;
            given += s.sum.y;
            CHECK_NEAR((double)(s.rigid.velocity.y - before) * 2.0, (double)s.sum.y, 1e-4);
            before = s.rigid.velocity.y;
        }
        assert_true(given > 0.0f);
        assert_true(s.rigid.velocity.y > 1.0f && s.rigid.velocity.y < 3.0f);
        CHECK_NEAR((double)s.rigid.impulse[1], (double)given, 1e-3);
        scene_stop(&s);
    }
}

static void friction_holds_the_skin_back(void **state)
{
    const arm *a = *state;
    float slid[2];
    for (int rough = 0; rough < 2; rough++) {
        scene s = scene_start(a, false, 1.0f / 120.0f);
        s.friction = rough ? 1.0f : 0.0f;
        s.b.step.gravity = wr_v3(0, 0, 0);
        wr_vec3 mean = {0, 0, 0};
        for (int i = 0; i < 120; i++) {
            float x = i < 60 ? 0.0f : 0.01f * (float)(i - 60) / 60.0f;
            move_arm(&s, wr_v3(x, -0.02f * wr_minf(1.0f, (float)i / 40.0f), 0.0f));
            scene_step(&s, a, wr_v3(0, 0, 0), wr_v3(0.0f, 1.0f, 0.0f));
            for (int k = 0; k < s.b.step.touch_count; k++) {
                float along = wr_length(wr_v3(s.touches[k].impulse.x, 0, s.touches[k].impulse.z));
                assert_true(along <= s.friction * -s.touches[k].impulse.y * 1.001f + 1e-6f);
            }
        }
        int count = 0;
        for (int v = 0; v < a->vertex_count; v++) {
            if (a->vertices[v].y == 0.0f) {
                mean = wr_add(mean, wr_sub(wr_morph_position(s.b.world, 0, v), a->vertices[v]));
                count++;
            }
        }
        slid[rough] = mean.x / (float)count;
        scene_stop(&s);
    }
    assert_true(slid[0] > 0.008f);
    assert_true(slid[1] < 0.97f * slid[0]);
}

// What flies into a wall does not come back faster than it was: no energy comes from contacts.
static void a_wall_takes_energy(void **state)
{
    const arm *a = *state;
    scene s = scene_start(a, false, 1.0f / 120.0f);
    s.b.step.gravity = wr_v3(0, 0, 0);
    double most = 0.0;
    wr_pose begin[2] = {WR_POSE_IDENTITY, WR_POSE_IDENTITY};
    begin[0].position.x = begin[1].position.x = -1.0f;
    wr_morph_put(s.b.world, 0, begin, NULL);
    for (int i = 0; i < 240; i++) { // bones stop dead at the wall, skin goes on
        float t = (float)i / 120.0f;
        move_arm(&s, wr_v3(wr_minf(0.05f, 2.0f * t * t - 1.0f), 0.0f, 0.0f));
        scene_step(&s, a, wr_v3(1.06f, 0.0f, 0.0f), wr_v3(-1.0f, 0.0f, 0.0f));
        wr_morph_statistics now = wr_morph_describe(s.b.world, 0);
        most = fmax(most, now.elastic_energy + now.motion_energy);
    }
    assert_true(most < 0.5 * 60.0 * 8.5); // of the whole arm at 2.9 m/s
    wr_morph_statistics end = wr_morph_describe(s.b.world, 0);
    assert_true(end.elastic_energy + end.motion_energy < 0.05 * most);
    scene_stop(&s);
}

static double energy_of(const scene *s)
{
    wr_morph_statistics now = wr_morph_describe(s->b.world, 0);
    return now.elastic_energy + now.motion_energy;
}

// A vertex is hit obliquely, off the middle, then let go. Where steps are long for the body, its
// acceleration after the hit, h^2 a, is many times its dent: that must not throw it farther than it
// was.
static void a_stiff_body_gives_back_no_more_than_it_took(void **state)
{
    const arm *a = *state;
    for (int kind = 0; kind < 4; kind++) {
        wr_morph_model_desc desc = arm_model(a);
        desc.is_full = kind & 1;
        desc.dt = 1.0f / 60.0f;
        desc.stiffness = 300.0;
        desc.damping = kind & 2 ? 0.01f : 0.0f;
        scene s = {.b = arm_start(&desc)};
        int vertex = a->vertex_count * 3 / 5;
        wr_morph_touch touch = {.vertex = vertex,
                                .point = wr_morph_position(s.b.world, 0, vertex),
                                .normal = wr_normalize(wr_v3(0.3f, -1.0f, 0.2f))};
        s.rigid = (wr_body_copy){.pose = WR_POSE_IDENTITY,
                                 .center = touch.point,
                                 .inverse_mass = 0.05f,
                                 .velocity = wr_scale(3.0f, touch.normal)};
        s.b.step.gravity = wr_v3(0, 0, 0);
        s.b.step.bodies = &s.rigid, s.b.step.body_count = 1;
        s.b.step.touches = &touch, s.b.step.touch_count = 1;
        arm_advance(&s.b, 1);
        s.b.step.touch_count = s.b.step.body_count = 0;
        double first = energy_of(&s), most = first;
        assert_true(first > 0.01);
        for (int i = 0; i < 60; i++) {
            arm_advance(&s.b, 1);
            most = fmax(most, energy_of(&s));
        }
        printf("    %s, damping %g: %.4g J, %.5f of it at most\n", kind & 1 ? "full" : "reduced",
               (double)desc.damping, first, most / first);
        assert_true(most < 1.001 * first);
        arm_stop(&s.b);
    }
}

// A vertex is hit, and rings: undamped, and so stiff that its velocity changes sign in every step.
// Blocks that do not turn come to it one after another, each without a gap, at another angle and
// speed. An impulse works by the mean of the speeds before and after a step, so none of them may
// make energy: skin that moves away from a block as a step begins must not be thrown back by it,
// nor along it.
static void ringing_skin_gains_nothing(void **state)
{
    const arm *a = *state;
    const double mass = 2.0;
    for (int kind = 0; kind < 4; kind++) {
        wr_morph_model_desc desc = arm_model(a);
        desc.is_full = kind & 1;
        desc.dt = 1.0f / 60.0f;
        desc.stiffness = kind < 2 ? 600.0 : 20.0;
        desc.damping = 0.0f;
        desc.gamma = 0.5f;
        arm_body b = arm_start(&desc);
        wr_morph_touch touch = {.vertex = a->vertex_count * 3 / 5};
        wr_body_copy block;
        b.step.gravity = wr_v3(0, 0, 0);
        b.step.touches = &touch, b.step.touch_count = 1;
        b.step.bodies = &block, b.step.body_count = 1;
        double first = 0.0, gained = -1e9;
        for (int i = 0; i < 40; i++) {
            float turn = 2.4f * (float)i;
            wr_vec3 normal = wr_normalize(wr_v3(cosf(turn), -1.0f, sinf(turn)));
            touch.point = wr_morph_position(b.world, 0, touch.vertex);
            touch.normal = normal;
            touch.friction = i % 2 ? 0.8f : 0.0f;
            block = (wr_body_copy){.pose = WR_POSE_IDENTITY,
                                   .center = touch.point,
                                   .inverse_mass = (float)(1.0 / mass),
                                   .velocity = i == 0 ? wr_scale(9.0f, normal) : wr_v3(0, 0, 0)};
            wr_morph_statistics s = wr_morph_describe(b.world, 0);
            double before = s.elastic_energy + s.motion_energy +
                            0.5 * mass * (double)wr_dot(block.velocity, block.velocity);
            arm_advance(&b, 1);
            s = wr_morph_describe(b.world, 0);
            double after = s.elastic_energy + s.motion_energy +
                           0.5 * mass * (double)wr_dot(block.velocity, block.velocity);
            first = i == 0 ? before : first;
            gained = fmax(gained, (after - before) / first);
        }
        printf("    %s, %g times as stiff: gained %.1e of %.3g J in a step\n",
               desc.is_full ? "full" : "reduced", desc.stiffness, gained, first);
        assert_true(gained < 2e-5);
        arm_stop(&b);
    }
}

static void contacts_do_not_depend_on_the_number_of_threads(void **state)
{
    const arm *a = *state;
    uint64_t hash[2];
    for (int many = 0; many < 2; many++) {
        scene s = scene_start(a, false, 1.0f / 60.0f);
        s.friction = 0.4f;
        wri_test_block_shuffle = many ? 3 : 0;
        s.b.step.tasks = many ? wr_tasks_openmp(3) : (wr_tasks){0};
        for (int i = 0; i < 20; i++) {
            move_arm(&s, wr_v3(0.001f * (float)i, -0.002f * (float)i, 0.0f));
            scene_step(&s, a, wr_v3(0, 0, 0), wr_v3(0.0f, 1.0f, 0.0f));
        }
        hash[many] = wr_morph_hash(s.b.world, 0);
        scene_stop(&s);
    }
    wri_test_block_shuffle = 0;
    assert_true(hash[0] == hash[1]);
}

// --- two bodies ---------------------------------------------------------------------------------

// A world of two arms, one of them turned, after a step in which a vertex of the first is deep in a
// triangle of the second; or in which nothing meets.
typedef struct pair {
    arm_body b;
    wri_morph *other;
    wr_morph_meeting meeting;
} pair;

static pair pair_step(const arm *a, bool meets)
{
    wr_morph_model_desc desc = arm_model(a);
    desc.dt = 1.0f / 60.0f;
    pair p = {.b = arm_start(&desc)};
    assert_int_equal(wr_morph_add(p.b.world, p.b.model, NULL), 1);
    p.other = wri_morph_of(p.b.world, 1);
    wr_pose pose = {{0.1f, 0.2f, -0.1f},
                    wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 2, 3)), 0.7f)};
    wr_pose poses[2] = {pose, pose};
    wr_morph_put(p.b.world, 1, poses, NULL);
    p.meeting = (wr_morph_meeting){.other = 1,
                                   .corners = {a->vertex_count / 2, a->vertex_count / 2 + 3, 7},
                                   .weights = {0.5f, 0.3f, 0.2f},
                                   .morph = 0,
                                   .vertex = a->vertex_count - 5,
                                   .friction = 0.5f};
    wr_vec3 way = wr_morph_position(p.b.world, 0, p.meeting.vertex);
    for (int i = 0; i < 3; i++) {
        way = wr_add_scaled(way, -p.meeting.weights[i],
                            wr_morph_position(p.b.world, 1, p.meeting.corners[i]));
    }
    p.meeting.normal = wr_normalize(wr_add(wr_scale(-1.0f, way), wr_v3(0.02f, -0.03f, 0.01f)));
    p.b.step.meetings = &p.meeting;
    p.b.step.meeting_count = meets;
    arm_advance(&p.b, 1);
    return p;
}

// Off the change of velocities that an impulse of the world at vertices makes, of its size.
static double off_the_answer(const wri_morph *met, const wri_morph *free, const int *vertices,
                             const float *weights, int count, wr_vec3 impulse)
{
    int r = met->model->freedom;
    double dv[WR_MORPH_MODES_MAX] = {0.0}, off = 0.0, size = 0.0;
    for (int i = 0; i < count; i++) {
        double B[3][3], f[3];
        wri_vertex_turn(met, vertices[i], B);
        for (int k = 0; k < 3; k++) {
            f[k] = (double)weights[i] * (B[0][k] * (double)impulse.x + B[1][k] * (double)impulse.y +
                                         B[2][k] * (double)impulse.z);
        }
        wri_vertex_force(met, vertices[i], f, dv);
    }
    wri_reduced_answer(met, dv);
    for (int i = 0; i < r; i++) {
        off = fmax(off, fabs(met->v[i] - free->v[i] - dv[i]));
        size = fmax(size, fabs(dv[i]));
    }
    assert_true(size > 0.0);
    return off / size;
}

// What one gets the other loses: both move as if pushed by the impulse that is answered, once each
// way.
static void two_skins_push_each_other_alike(void **state)
{
    const arm *a = *state;
    pair met = pair_step(a, true), free = pair_step(a, false);
    const wr_morph_meeting *m = &met.meeting;
    const float one[1] = {1.0f};
    wr_vec3 back = wr_scale(-1.0f, m->impulse), across;
    float along = wr_dot(back, m->normal);
    across = wr_add_scaled(back, -along, m->normal);
    double first = off_the_answer(met.b.body, free.b.body, &m->vertex, one, 1, back);
    double second = off_the_answer(met.other, free.other, m->corners, m->weights, 3, m->impulse);
    printf("    %.3g N s along the normal, %.3g across; off by %.1e and %.1e\n", (double)along,
           (double)wr_length(across), first, second);
    assert_true(along > 0.0f && wr_length(across) > 0.01f * along);
    assert_true(wr_length(across) < 0.5001f * along);
    assert_true(first < 1e-5 && second < 1e-5);
    arm_stop(&met.b);
    arm_stop(&free.b);
}

static int set_up(void **state)
{
    arm_desc desc = arm_default();
    arm_describe(&shared, &desc);
    arm_finish(&shared);
    *state = &shared;
    return 0;
}

static int tear_down(void **state)
{
    arm_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_floor_presses_the_skin_flat),
        cmocka_unit_test(a_firm_body_presses_harder),
        cmocka_unit_test(a_rigid_body_is_pushed_away),
        cmocka_unit_test(friction_holds_the_skin_back),
        cmocka_unit_test(a_wall_takes_energy),
        cmocka_unit_test(a_stiff_body_gives_back_no_more_than_it_took),
        cmocka_unit_test(ringing_skin_gains_nothing),
        cmocka_unit_test(two_skins_push_each_other_alike),
        cmocka_unit_test(contacts_do_not_depend_on_the_number_of_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
