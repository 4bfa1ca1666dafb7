// test_clay_touch.c: contact of clay whose two sides differ, step by step: friction, stiffness and
// stickiness of each, gaps and overlaps in short substeps; grips that are turned; what carries a
// model along.
#include "clay.h"

static void step_free(wr_clay_world *world, float dt, int substeps)
{
    wr_clay_step step = {.dt = dt, .substeps = substeps};
    wr_clay_world_step(world, &step);
}

static int add_block(wr_clay_world *world, const clay_block *block)
{
    int body = clay_add_block(world, block, NULL);
    assert_true(body >= 0);
    return body;
}

static void set_velocity(wr_clay_world *world, int body, f4 v)
{
    wri_clay *c = wri_clay_of(world, body);
    for (int i = 0; i < c->count; i++) {
        c->v[i] = v;
    }
}

static f4 mean_velocity(const wr_clay_world *world, int body)
{
    const wri_clay *c = wri_clay_of(world, body);
    f4 sum = {0};
    for (int i = 0; i < c->count; i++) {
        sum += c->v[i] / (float)c->count;
    }
    return sum;
}

static clay_block firm_block(int x, int y, int z)
{
    clay_block b = clay_block_default(x, y, z, 0.05f);
    b.desc.parameters.stiffness = 200.0f;
    b.desc.parameters.flow = 0.0f;
    b.desc.parameters.viscosity = 0.0f;
    return b;
}

// --- against rigid bodies -----------------------------------------------------------------------

// Coulomb: a block that slides obliquely is braked by mu g, mu the geometric mean of both sides.
static void friction_is_the_mean_of_both_sides(void **state)
{
    (void)state;
    static const float sides[3][2] = {{0.9f, 0.1f}, {0.1f, 0.9f}, {0.5f, 0.5f}};
    for (int k = 0; k < 3; k++) {
        clay_block block = firm_block(6, 3, 6);
        block.shake = 0.0f;
        block.center = wr_v3(7.0f, 0.075f, -2.0f);
        block.desc.parameters.friction = sides[k][0];
        wr_clay_world *world = clay_world(NULL);
        add_block(world, &block);
        set_velocity(world, 0, (f4){2.4f, 0.0f, -1.0f, 0.0f});
        for (int i = 0; i < 48; i++) {
            clay_step_on_ground(world, 1.0f / 240.0f, 0.0f, sides[k][1]);
        }
        f4 v = mean_velocity(world, 0);
        double speed = hypot((double)v[0], (double)v[2]),
               mu = sqrt((double)(sides[k][0] * sides[k][1]));
        CHECK_NEAR(2.6 - speed, mu * 9.81 * 0.2, 0.1 * mu * 9.81 * 0.2);
        CHECK_NEAR(v[2] / v[0], -1.0 / 2.4, 0.01); // straight on
        wr_clay_world_destroy(world);
    }
}

typedef struct floor_world {
    wr_clay_world *world;
    wr_clay_touch touches[16];
    int count;
    float gap; // of all of them
} floor_world;

// A block four by four wide, whose lowest layer is `gap` above a floor, or in it.
static floor_world above_floor(float gap)
{
    clay_block block = firm_block(4, 3, 4);
    block.shake = 0.0f;
    block.desc.parameters.stiffness = 1.0f;
    block.center = wr_v3(0.0f, 0.075f + gap, 0.0f);
    floor_world f = {.world = clay_world(NULL), .gap = gap};
    add_block(f.world, &block);
    const wri_clay *c = wri_clay_of(f.world, 0);
    for (int i = 0; i < c->count; i++) {
        if ((double)c->x[i][1] + c->state.origin[1] < 0.05) {
            f.touches[f.count++] = (wr_clay_touch){.particle = i, .local_normal = {0, 1, 0}};
        }
    }
    assert_int_equal(f.count, 16);
    return f;
}

// Steps once and returns how far the lowest layer is above the floor then.
static float step_on_floor(floor_world *f, float dt, int substeps)
{
    wr_body_copy ground = {.pose = WR_POSE_IDENTITY};
    wr_clay_step step = {.dt = dt,
                         .substeps = substeps,
                         .bodies = &ground,
                         .body_count = 1,
                         .touches = f->touches,
                         .touch_count = f->count};
    wr_clay_world_step(f->world, &step);
    const wri_clay *c = wri_clay_of(f->world, 0);
    float sum = 0.0f;
    for (int k = 0; k < f->count; k++) {
        int i = f->touches[k].particle;
        sum += (float)((double)c->x[i][1] + c->state.origin[1] - (double)c->radius[i]);
    }
    return sum / (float)f->count;
}

// What falls as far as twice the gap in a step arrives at the floor in it, in however many
// substeps: it is stopped where the floor is and not before.
static void a_gap_is_used_up_before_anything_is_stopped(void **state)
{
    (void)state;
    for (int substeps = 1; substeps <= 16; substeps *= 4) {
        floor_world f = above_floor(0.004f);
        float dt = 1.0f / 240.0f;
        set_velocity(f.world, 0, (f4){0.0f, -2.0f * f.gap / dt, 0.0f, 0.0f});
        CHECK_NEAR(step_on_floor(&f, dt, substeps), 0.0, 0.03 * 0.004);
        wr_clay_world_destroy(f.world);
    }
}

// An overlap goes by a fifth in a step, in however many substeps, and without velocity.
static void an_overlap_goes_by_a_fifth_in_a_step(void **state)
{
    (void)state;
    for (int substeps = 1; substeps <= 16; substeps *= 4) {
        floor_world f = above_floor(-0.005f);
        CHECK_NEAR(step_on_floor(&f, 1.0f / 240.0f, substeps) / -0.005f, 0.81, 0.02);
        CHECK_NEAR(mean_velocity(f.world, 0)[1], 0.0, 0.01);
        wr_clay_world_destroy(f.world);
    }
}

// How far a block under a ceiling falls from it in half a second.
static float hang_for_half_a_second(float sticks)
{
    clay_block block = firm_block(4, 3, 4);
    block.shake = 0.0f;
    block.desc.parameters.sticks = sticks;
    block.desc.parameters.viscosity = 0.1f;
    block.center = wr_v3(0.0f, -0.075f, 0.0f);
    wr_clay_world *world = clay_world(NULL);
    add_block(world, &block);
    const wri_clay *c = wri_clay_of(world, 0);
    for (int n = 0; n < 120; n++) {
        wr_body_copy ceiling = {.pose = WR_POSE_IDENTITY};
        wr_clay_touch touches[16];
        wr_clay_step step = {.dt = 1.0f / 240.0f,
                             .gravity = {0, -9.81f, 0},
                             .bodies = &ceiling,
                             .body_count = 1,
                             .touches = touches};
        for (int i = 0; i < c->count; i++) {
            if (c->seed[i][1] > 0.04f) {
                touches[step.touch_count++] =
                    (wr_clay_touch){.particle = i, .local_normal = {0, -1, 0}, .friction = 1};
            }
        }
        wr_clay_world_step(world, &step);
    }
    double height = 0.0;
    for (int i = 0; i < c->count; i++) {
        height += ((double)c->x[i][1] + c->state.origin[1]) / c->count;
    }
    wr_clay_world_destroy(world);
    return (float)(-0.075 - height);
}

// Its weight is 0.82 own weights on the area that hangs.
static void what_is_sticky_hangs_from_a_ceiling(void **state)
{
    (void)state;
    double fall = 0.5 * 9.81 * 0.25;
    CHECK_NEAR(hang_for_half_a_second(0.0f), fall, 0.02 * fall);
    assert_true(hang_for_half_a_second(0.4f) > 0.3);
    assert_true(hang_for_half_a_second(1.5f) < 0.01);
}

// --- against clay -------------------------------------------------------------------------------

typedef struct sums {
    double p[3], L[3];
} sums;

static sums sum_of(const wr_clay_world *world)
{
    sums s = {{0}, {0}};
    for (int b = 0; b < world->bodies.count; b++) {
        const wri_clay *c = wri_clay_of(world, b);
        for (int i = 0; i < c->count; i++) {
            double m = (double)c->m[i], x[3];
            for (int k = 0; k < 3; k++) {
                x[k] = (double)c->x[i][k] + c->state.origin[k];
                s.p[k] += m * (double)c->v[i][k];
            }
            for (int k = 0; k < 3; k++) {
                int l = (k + 1) % 3, n = (k + 2) % 3;
                s.L[k] += m * (x[l] * (double)c->v[i][n] - x[n] * (double)c->v[i][l]);
            }
        }
    }
    return s;
}

// Two that meet obliquely, of other friction, stiffness, weight, size and stickiness each: what one
// gets the other loses, and it does not matter which was added first.
static void unequal_blocks_that_meet_keep_momenta(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        clay_block blocks[2] = {firm_block(4, 4, 4), firm_block(5, 3, 4)};
        blocks[0].desc.parameters.friction = 0.9f;
        blocks[1].desc.parameters.friction = 0.1f;
        blocks[0].desc.parameters.stiffness = 100.0f;
        blocks[1].desc.parameters.stiffness = 15.0f;
        blocks[0].desc.density = 3000.0;
        blocks[1].desc.parameters.sticks = 0.5f;
        blocks[1].center = wr_v3(0.03f, 0.21f, 0.02f);
        wr_clay_world *world = clay_world(NULL);
        add_block(world, &blocks[order]);
        add_block(world, &blocks[1 - order]);
        set_velocity(world, order ? 0 : 1, (f4){2.0f, -3.0f, 0.7f, 0.0f});
        sums before = sum_of(world);
        for (int i = 0; i < 24; i++) {
            step_free(world, 1.0f / 240.0f, 0);
        }
        sums after = sum_of(world);
        f4 heavy = mean_velocity(world, order ? 1 : 0);
        assert_true(heavy[1] < -0.2f && heavy[0] > 0.01f); // it was pushed, and dragged along
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(after.p[k], before.p[k], 2e-4 * 24.0);
            CHECK_NEAR(after.L[k], before.L[k], 2e-4 * 6.0);
        }
        wr_clay_world_destroy(world);
    }
}

// Blocks that are a little apart pull at each other where both are sticky, also when a third, far
// off, is not; one alone does not stick.
static void only_what_is_sticky_on_both_sides_sticks(void **state)
{
    (void)state;
    for (int sticky = 0; sticky < 4; sticky++) {
        wr_clay_world *world = clay_world(NULL);
        for (int i = 0; i < 3; i++) {
            clay_block block = firm_block(4, 4, 4);
            block.shake = 0.0f;
            block.desc.parameters.sticks = i < 2 && sticky >> i & 1 ? 2.0f : 0.0f;
            block.center = i < 2 ? wr_v3(0.21f * (float)i, 0, 0) : wr_v3(9, 9, 9);
            add_block(world, &block); // a fifth of a spacing apart
        }
        step_free(world, 1.0f / 480.0f, 0);
        float nearer = mean_velocity(world, 0)[0] - mean_velocity(world, 1)[0];
        if (sticky == 3) {
            assert_true(nearer > 1e-3f);
        } else {
            CHECK_NEAR(nearer, 0.0, 1e-6);
        }
        wr_clay_world_destroy(world);
    }
}

// --- grips that are turned ----------------------------------------------------------------------

// A turned box holds what is in it, as its own axes have it, and what it holds stays where it is.
static void a_turned_grip_holds_what_is_inside(void **state)
{
    (void)state;
    clay_block block = firm_block(7, 7, 4);
    block.center = wr_v3(2.0f, -1.0f, 0.5f);
    wr_clay_world *world = clay_world(NULL);
    add_block(world, &block);
    wri_clay *c = wri_clay_of(world, 0);
    wr_pose pose = {wr_v3(2.02f, -1.01f, 0.5f), wr_quat_from_axis_angle(wr_v3(0, 0, 1), 0.5f)};
    assert_int_equal(wr_clay_add_grip(world, 0, pose, wr_v3(0.3f, 0.08f, 1.0f), NULL), 0);
    int held = 0;
    f4 *before = calloc((size_t)c->count, sizeof *before);
    memcpy(before, c->x, (size_t)c->count * sizeof *before);
    for (int i = 0; i < c->count; i++) {
        double x = (double)c->x[i][0] + c->state.origin[0] - 2.02;
        double y = (double)c->x[i][1] + c->state.origin[1] + 1.01;
        double along = cos(0.5) * x + sin(0.5) * y, across = cos(0.5) * y - sin(0.5) * x;
        bool inside = fabs(along) < 0.15 && fabs(across) < 0.04;
        assert_int_equal((c->flags[i] & WRI_CLAY_HELD) != 0, inside);
        held += inside;
    }
    assert_true(held > 20 && held < 60);
    step_free(world, 1.0f / 120.0f, 0);
    for (int i = 0; i < c->count; i++) {
        f4 off = c->x[i] - before[i];
        assert_true(!(c->flags[i] & WRI_CLAY_HELD) || f4_dot(off, off) < 1e-12f);
    }
    free(before);
    wr_clay_world_destroy(world);
}

// Velocities of what is held are those in the middle of a substep: for a turn by a right angle in
// one step, along the chord, not along the tangent where it began.
static void what_is_held_moves_as_in_the_middle_of_a_substep(void **state)
{
    (void)state;
    clay_block block = firm_block(5, 5, 3);
    wr_clay_world *world = clay_world(NULL);
    add_block(world, &block);
    wri_clay *c = wri_clay_of(world, 0);
    wr_pose pose = WR_POSE_IDENTITY;
    assert_int_equal(wr_clay_add_grip(world, 0, pose, wr_v3(9, 9, 9), NULL), 0);
    wr_vec3 *before = calloc((size_t)c->count, sizeof *before);
    wr_clay_positions(world, 0, before);
    const float dt = 0.01f, angle = 0.4f;
    pose.rotation = wr_quat_from_axis_angle(wr_v3(0, 0, 1), angle);
    wr_clay_move_grip(world, 0, 0, pose);
    step_free(world, dt, 0);
    float part = angle / (float)c->substeps, middle = angle - 0.5f * part; // of the last substep
    for (int i = 0; i < c->count; i++) {
        wr_vec3 arm = wr_rotate(wr_quat_from_axis_angle(wr_v3(0, 0, 1), middle), before[i]);
        wr_vec3 wanted = wr_cross(wr_v3(0, 0, angle / dt), arm);
        CHECK_NEAR(wr_distance(f4_vec3(c->v[i]), wanted), 0.0, 1e-3);
    }
    free(before);
    wr_clay_world_destroy(world);
}

// --- what is carried along ----------------------------------------------------------------------

static f4 sheared(f4 v)
{
    return (f4){1.1f * v[0] + 0.6f * v[1], 0.9f * v[1] - 0.2f * v[2], v[2] + 0.3f * v[0], v[3]};
}

// All of it has flowed by one matrix that is not symmetric: a model goes exactly with it.
static void a_model_flows_as_its_particles_do(void **state)
{
    (void)state;
    clay_block block = firm_block(6, 5, 4);
    wr_clay_world *world = clay_world(NULL);
    add_block(world, &block);
    wri_clay *c = wri_clay_of(world, 0);
    const wr_vec3 points[3] = {
        {0.07f, -0.04f, 0.03f}, {-0.11f, 0.09f, 0.06f}, {0.02f, 0.1f, -0.07f}};
    wr_clay_skin *skin = wr_clay_skin_create(world, 0, points, 3, NULL);
    assert_non_null(skin);
    for (int i = 0; i < c->count; i++) {
        c->x[i] = sheared(c->x[i]);
        for (int k = 0; k < NEIGHBOURS; k++) {
            c->u[i * NEIGHBOURS + k] = sheared(c->u[i * NEIGHBOURS + k]);
        }
        for (int k = 0; k < 3; k++) {
            f4 column = sheared((f4){k == 0, k == 1, k == 2, 0.0f});
            for (int row = 0; row < 3; row++) {
                c->plastic[9 * i + 3 * row + k] = column[row];
            }
        }
    }
    wri_clay_find_all_bases(c, NULL);
    wr_vec3 out[3];
    assert_true(wr_clay_skin_positions(skin, world, 0, 0.0f, NULL, out));
    for (int i = 0; i < 3; i++) {
        const double *o = c->state.origin;
        f4 local = {(float)((double)points[i].x - o[0]), (float)((double)points[i].y - o[1]),
                    (float)((double)points[i].z - o[2]), 0.0f};
        CHECK_NEAR(wr_distance(out[i], wri_clay_place(c, sheared(local))), 0.0, 1e-5);
    }
    wr_clay_skin_destroy(skin);
    wr_clay_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_the_mean_of_both_sides),
        cmocka_unit_test(a_gap_is_used_up_before_anything_is_stopped),
        cmocka_unit_test(an_overlap_goes_by_a_fifth_in_a_step),
        cmocka_unit_test(what_is_sticky_hangs_from_a_ceiling),
        cmocka_unit_test(unequal_blocks_that_meet_keep_momenta),
        cmocka_unit_test(only_what_is_sticky_on_both_sides_sticks),
        cmocka_unit_test(a_turned_grip_holds_what_is_inside),
        cmocka_unit_test(what_is_held_moves_as_in_the_middle_of_a_substep),
        cmocka_unit_test(a_model_flows_as_its_particles_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
