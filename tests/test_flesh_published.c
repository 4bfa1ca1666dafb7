// test_flesh_published.c: the thesis' own approximations, against an independent dense solve of its
// equations 4.27 to 4.32, and what they do that ours do not.
#include "check.h"

#include "flesh_body.h"

#include "../src/flesh/published.h"

static flesh_fixture start(const flesh_shape *s, double young, float dt, bool published)
{
    flesh_fixture x = {.scratch = wri_scratch_create(NULL)};
    wr_flesh_model_desc desc = flesh_describe(s, young, dt);
    desc.damping = 1e-3f;
    desc.published = published;
    x.model = flesh_model(&desc);
    assert_true(wri_flesh_create(&x.body, x.model, NULL));
    return x;
}

// --- the dense system ---------------------------------------------------------------------------

// x = A^-1 x, by elimination with pivots.
static void solve_dense(int size, double *A, double *x)
{
    for (int i = 0; i < size; i++) {
        int best = i;
        for (int j = i; j < size; j++) {
            best = fabs(A[j * size + i]) > fabs(A[best * size + i]) ? j : best;
        }
        for (int k = 0; k <= size; k++) {
            double *a = k < size ? &A[i * size + k] : &x[i],
                   *b = k < size ? &A[best * size + k] : &x[best], kept = *a;
            *a = *b;
            *b = kept;
        }
        for (int j = 0; j < size; j++) {
            double share = j == i ? 0.0 : A[j * size + i] / A[i * size + i];
            for (int k = i; k < size && share != 0.0; k++) {
                A[j * size + k] -= share * A[i * size + k];
            }
            x[j] -= share * x[i];
        }
    }
    for (int i = 0; i < size; i++) {
        x[i] /= A[i * size + i];
    }
}

// What the increments of bones and nodes do at a node, in the world: 3 rows of `size`.
static void fill_velocity(const wri_flesh *f, int node, double *L, int size)
{
    const wr_flesh_model *m = f->model;
    memset(L, 0, 3 * (size_t)size * sizeof *L);
    for (int e = 4 * node; e < 4 * node + 4; e++) {
        int bone = m->bone_ids[e];
        double r[3];
        for (int k = 0; k < 3; k++) {
            r[k] = (double)m->rest[node][k] + (double)f->q[node][k] - m->bones[bone].origin[k];
        }
        for (int c = 0; c < 9; c++) {
            double unit[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
            int column = c < 6 ? 6 * bone + c : 6 * m->bone_count + 3 * node + c - 6;
            if (c >= 3 && c < 6) {
                wri_cross3(unit, r, unit);
            }
            wri_apply(WRI_MATRIX(f->Q[bone].m), unit, unit);
            for (int k = 0; k < 3; k++) {
                L[k * size + column] += (double)m->weights[e] * unit[k];
            }
        }
    }
}

// M_b, M_bs and the block diagonal of A, into the first rows and columns.
static void fill_masses(const wr_flesh_model *m, double *A, int size)
{
    double dt = (double)m->dt, stiff = (double)m->damping_stiffness * dt + dt * dt;
    int bones = 6 * m->bone_count;
    for (int i = 0; i < 36 * m->bone_count; i++) {
        int bone = i / 36, k = i % 36;
        A[(6 * bone + k / 6) * size + 6 * bone + k % 6] = m->bones[bone].M[k / 6][k % 6];
    }
    for (int e = 0; e < 4 * m->node_count; e++) {
        int node = e / 4, bone = m->bone_ids[e];
        double r[3], share = (double)m->mass[node] * (double)m->weights[e];
        for (int k = 0; k < 3; k++) {
            r[k] = (double)m->rest[node][k] - m->bones[bone].origin[k];
        }
        for (int c = 0; c < 18; c++) {
            double unit[3] = {c / 3 % 3 == 0, c / 3 % 3 == 1, c / 3 % 3 == 2};
            if (c >= 9) {
                wri_cross3(unit, r, unit);
            }
            int row = bones + 3 * node + c % 3, column = 6 * bone + c / 3;
            A[row * size + column] += share * unit[c % 3];
            A[column * size + row] += share * unit[c % 3];
        }
    }
    for (int node = 0; node < m->node_count; node++) {
        for (int e = m->K.begin[node]; e < m->K.begin[node + 1]; e++) {
            for (int k = 0; k < 9 && m->K.column[e] == node; k++) {
                int row = bones + 3 * node + k / 3, column = bones + 3 * node + k % 3;
                A[row * size + column] =
                    stiff * (double)m->K.value[e][k] + (k % 4 == 0 ? (double)m->mass[node] : 0.0);
            }
        }
    }
}

// A row and its transpose.
static void add_row(double *A, int size, int at, const double *J, int count)
{
    for (int k = 0; k < count; k++) {
        A[at * size + k] += J[k];
        A[k * size + at] -= J[k];
    }
}

// --- three links, of which two are touched ------------------------------------------------------

static const wr_vec3 AXIS = {1, 0.2f, -0.1f};

static flesh_shape chain(void)
{
    flesh_shape s = flesh_tube(3, 9, 5);
    for (int i = 0; i < 2; i++) {
        s.joints[s.joint_count++] = (wr_flesh_joint){.a = i + 1,
                                                     .b = i,
                                                     .kind = i ? WR_FLESH_HINGE : WR_FLESH_BALL,
                                                     .at = {0.2f * (float)(i + 1), 0.01f, 0},
                                                     .axis = AXIS,
                                                     .least = -INFINITY,
                                                     .most = INFINITY,
                                                     .swing = INFINITY,
                                                     .stiffness = 0.5,
                                                     .damping = 0.01};
    }
    for (int i = 0; i < s.node_count; i++) { // no symmetry is left
        float grow = 1.0f + 0.8f * s.skin[i].x + 3.0f * s.skin[i].y;
        s.skin[i].y *= grow, s.skin[i].z *= grow, s.core[i].y *= grow, s.core[i].z *= grow;
    }
    flesh_shape_turn(&s, (wr_pose){wr_v3(0.2f, -0.4f, 0.1f),
                                   wr_quat_from_axis_angle(wr_normalize(wr_v3(1, -2, 1)), 0.7f)});
    return s;
}

static void stir(wri_flesh *f)
{
    for (int i = 0; i < f->model->bone_count; i++) {
        const double by[3] = {0.3 - 0.1 * i, 0.2 * i, -0.25};
        wri_turn_on(f->bones[i].turn, by);
        for (int k = 0; k < 3; k++) {
            f->bones[i].v[k] = 0.2 * k - 0.3 * i - 1.0;
            f->bones[i].alpha[k] = 0.5 - 0.3 * k + 0.2 * i;
        }
    }
    for (int i = 0; i < f->model->node_count; i++) {
        f4 u = f->model->rest[i];
        f->q[i] = 0.01f * (f4){u[1], -u[2], u[0], 0};
        f->v[i] = (f4){0.1f, 0.02f * (float)(i % 5), -0.05f, 0.0f};
    }
    wri_flesh_find_turns(f);
}

enum { TOUCHES = 7, ROWS = 4 }; // of which so many are rows, the first ones

// Overlaps, one that arrives, and three that are none: too far off, on its way out, and less deep
// than another of the same node. All against the way its node goes.
static void touch(const wri_flesh *f, wri_flesh_contact *c)
{
    for (int i = 0; i < TOUCHES; i++) {
        int node = f->model->node_of[i < 6 ? 7 * i + 3 : 3];
        wr_vec3 v = wri_flesh_velocity(f, node), askew = {0.3f, -0.1f * (float)i, 0.2f};
        wr_vec3 n = wr_normalize(wr_add(wr_scale(i == 5 ? 1.0f : -1.0f, v), askew));
        c[i] = (wri_flesh_contact){.node = node,
                                   .body = i == 1 ? 0 : WRI_FIXED,
                                   .point = wri_flesh_place(f, node),
                                   .normal = n,
                                   .gap = i == 2   ? 1e-3f
                                          : i == 4 ? 0.5f
                                                   : -1e-3f * (float)(7 - i),
                                   .friction = i == 3   ? 0.2f
                                               : i == 0 ? 10.0f
                                                        : 0.0f};
        c[i].approach = 2.0f;
        c[i].bounce = i == 0 ? 0.8f : 0.0f;
    }
}

static double *velocities_of(const wri_flesh *f, int size)
{
    double *v = flesh_room((size_t)size, sizeof *v);
    wri_flesh_find_velocities(f, v);
    for (int i = 0; i < 3 * f->model->node_count; i++) {
        v[6 * f->model->bone_count + i] = (double)f->v[i / 3][i % 3];
    }
    return v;
}

// Eq. 3.20 for one contact: adds to v, given the velocities before.
static void rub(const wri_flesh *f, const wri_flesh_contact *c, wr_vec3 wall, const double *before,
                double *v, int size)
{
    int bones = 6 * f->model->bone_count;
    double *L = flesh_room(3 * (size_t)size, sizeof *L), slip[3], n[3], changed[3], along = 0.0;
    const double w[3] = {(double)wall.x, (double)wall.y, (double)wall.z};
    n[0] = (double)c->normal.x, n[1] = (double)c->normal.y, n[2] = (double)c->normal.z;
    fill_velocity(f, c->node, L, size);
    for (int k = 0; k < 3; k++) {
        slip[k] = -w[k];
        changed[k] = 0.0;
        for (int i = 0; i < size; i++) {
            slip[k] += L[k * size + i] * before[i];
            changed[k] += L[k * size + i] * (v[i] - before[i]);
        }
    }
    along = wri_dot3(n, slip);
    for (int k = 0; k < 3; k++) {
        slip[k] -= along * n[k];
    }
    double share = fmin(1.0, (double)c->friction * wri_length3(changed) / wri_length3(slip));
    for (int i = bones; i < size; i++) {
        for (int k = 0; k < 3; k++) {
            v[i] -= L[k * size + i] * share * slip[k];
        }
    }
    free(L);
}

static void contacts_are_those_of_the_published_equations(void **state)
{
    (void)state;
    flesh_shape s = chain();
    flesh_fixture x = start(&s, 4e4, 1.0f / 60.0f, true);
    wri_flesh *f = &x.body;
    stir(f);
    assert_true(wri_flesh_find_joints(f));
    int bones = 18, moving = bones + 3 * s.node_count, joints = f->joints.count;
    int size = moving + joints + ROWS;
    wri_flesh_contact contacts[TOUCHES];
    // So heavy that nothing stops it.
    wr_body_copy body = {
        .pose = {{0, 0, 0}, {0, 0, 0, 1}}, .velocity = {0.4f, 0.3f, 0.1f}, .inverse_mass = 1e-9f};
    touch(f, contacts);
    double *A = flesh_room((size_t)size * (size_t)size, sizeof *A);
    double *b = flesh_room((size_t)size, sizeof *b), *v = velocities_of(f, moving);
    double *before = velocities_of(f, moving);
    double *L = flesh_room(3 * (size_t)moving, sizeof *L);
    double *J = flesh_room((size_t)moving, sizeof *J);
    fill_masses(f->model, A, size);
    for (int i = 0; i < joints; i++) {
        const wri_joint_row *row = &f->joints.rows[i];
        memset(J, 0, (size_t)moving * sizeof *J);
        memcpy(&J[6 * row->a], row->J_a, sizeof row->J_a);
        memcpy(&J[6 * row->b], row->J_b, sizeof row->J_b);
        add_row(A, size, moving + i, J, moving);
        A[(moving + i) * size + moving + i] = row->epsilon;
    }
    for (int i = 0; i < ROWS; i++) {
        const wr_vec3 n = contacts[i].normal;
        double wall = i == 1 ? (double)wr_dot(body.velocity, n) : 0.0, speed = -wall;
        fill_velocity(f, contacts[i].node, L, moving);
        for (int k = 0; k < moving; k++) {
            J[k] =
                (double)n.x * L[k] + (double)n.y * L[moving + k] + (double)n.z * L[2 * moving + k];
            speed += J[k] * v[k];
        }
        assert_true(speed < 0.0);
        add_row(A, size, moving + joints + i, J, moving);
        b[moving + joints + i] = -(i == 0 ? 1.4 : 1.0) * speed;
    }
    solve_dense(size, A, b);
    for (int i = 0; i < moving; i++) {
        v[i] += b[i];
    }
    rub(f, &contacts[0], wr_v3(0, 0, 0), before, v, moving);
    rub(f, &contacts[3], wr_v3(0, 0, 0), before, v, moving);

    wri_flesh_step_desc step = {
        .contacts = contacts, .contact_count = TOUCHES, .bodies = &body, .body_count = 1};
    assert_true(wri_published_solve_contacts(&f, 1, &step, &x.scratch));
    double *got = velocities_of(f, moving), largest = 0.0;
    const double *lambda = &b[moving + joints];
    for (int i = 0; i < ROWS; i++) {
        largest = fmax(largest, fabs(lambda[i]));
    }
    for (int i = 0; i < TOUCHES; i++) {
        double along = (double)wr_dot(contacts[i].impulse, contacts[i].normal);
        CHECK_NEAR(along, i < ROWS ? lambda[i] : 0.0, 1e-4 * largest);
    }
    for (int i = 0; i < moving; i++) {
        CHECK_NEAR(got[i], v[i], i < bones ? 1e-4 : 1e-3);
    }
    CHECK_NEAR(body.impulse[0], -lambda[1] * (double)contacts[1].normal.x, 1e-4 * largest);
    free(A);
    free(b);
    free(v);
    free(got);
    free(before);
    free(L);
    free(J);
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// --- what is met, and gives way -----------------------------------------------------------------

// Something rigid, so many times as heavy, is met by a stiff ball that flies: neither is thrown
// back faster than it came.
static void what_is_lighter_or_heavier_is_not_thrown_far(void **state)
{
    (void)state;
    for (double ratio = 0.01; ratio < 200.0; ratio *= 100.0) {
        flesh_shape s = flesh_sphere(8, wr_v3(0.1f, 0.1f, 0.1f), 0.6f);
        flesh_fixture x = start(&s, 1e6, 1.0f / 60.0f, true);
        wri_flesh *f = &x.body;
        wri_flesh_contact *contacts = flesh_room((size_t)s.node_count, sizeof *contacts);
        wr_body_copy body = {.pose = {{0, 0, 0}, {0, 0, 0, 1}}, .center = {0, -0.1f, 0}};
        body.inverse_mass = (float)(1.0 / (ratio * x.model->total_mass));
        f->bones[0].c[1] = 0.099;
        f->bones[0].v[1] = -1.0;
        wri_flesh_step_desc step = {.contacts = contacts, .bodies = &body, .body_count = 1};
        step.contact_count = touch_plane(f, wr_v3(0, 1, 0), 0.0f, 0.0f, contacts);
        for (int i = 0; i < step.contact_count; i++) {
            contacts[i].body = 0;
        }
        assert_true(wri_published_solve_contacts(&f, 1, &step, &x.scratch));
        printf("    %g times as heavy: %.3f m/s, and the ball %.3f m/s\n", ratio,
               (double)body.velocity.y, f->bones[0].v[1]);
        assert_true(body.velocity.y < 0.0f && body.velocity.y > -1.01f);
        assert_true(f->bones[0].v[1] > -1.0 && f->bones[0].v[1] < 0.1);
        free(contacts);
        flesh_end(&x);
        flesh_shape_destroy(&s);
    }
}

// Eq. 3.21: a node that is too deep is moved out by its skin, against a wall by all of it.
static void overlaps_are_taken_back(void **state)
{
    (void)state;
    flesh_shape s = flesh_sphere(6, wr_v3(0.1f, 0.1f, 0.1f), 0.6f);
    flesh_fixture x = start(&s, 2e4, 1.0f / 240.0f, true);
    wri_flesh *f = &x.body;
    int node = f->model->node_of[17];
    wr_vec3 n = wr_normalize(wr_v3(0.3f, 0.8f, -0.2f)), before = wri_flesh_place(f, node);
    wri_flesh_contact c = {
        .node = node, .body = WRI_FIXED, .point = before, .normal = n, .gap = -2e-3f};
    wri_flesh_step_desc step = {.contacts = &c, .contact_count = 1, .slop = 1e-4f};
    assert_true(wri_flesh_step(&f, 1, &step, &x.scratch));
    float way = wr_dot(wr_sub(wri_flesh_place(f, node), before), n);
    printf("    of 2 mm %.2f are taken back in a step\n", 1e3 * (double)way);
    assert_true(way > 1e-4f && way < 2e-3f);
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// By either method, until what stays is the slop.
static void overlaps_are_taken_back_to_the_slop(void **state)
{
    (void)state;
    for (int published = 0; published < 2; published++) {
        flesh_shape s = flesh_sphere(6, wr_v3(0.1f, 0.1f, 0.1f), 0.6f);
        flesh_fixture x = start(&s, 2e4, 1.0f / 240.0f, published);
        wri_flesh *f = &x.body;
        int node = f->model->node_of[17];
        wr_vec3 n = wr_normalize(wr_v3(0.3f, 0.8f, -0.2f)), before = wri_flesh_place(f, node);
        wri_flesh_contact c = {.node = node, .body = WRI_FIXED, .normal = n, .gap = -2e-3f};
        wri_flesh_step_desc step = {.contacts = &c, .contact_count = 1, .slop = 1e-4f};
        f->is_driven[0] = true;
        f->goals[0] = f->bones[0];
        for (int i = 0; i < 60; i++) {
            c.point = wri_flesh_place(f, node);
            c.gap = wr_dot(wr_sub(c.point, before), n) - 2e-3f;
            c.approach = -wr_dot(wri_flesh_velocity(f, node), n);
            assert_true(wri_flesh_step(&f, 1, &step, &x.scratch));
        }
        printf("    of 2 mm %.3f mm are left\n", -1e3 * (double)c.gap);
        assert_true(c.gap < 0.0f && c.gap > -1.2e-4f);
        flesh_end(&x);
        flesh_shape_destroy(&s);
    }
}

// --- where it differs from ours ---------------------------------------------------------------

// A sphere of 10 cm that meets the ground at 2 m/s: what its core gains in one step, m/s.
static double core_after_a_hit(int n, float dt, bool published)
{
    flesh_shape s = flesh_sphere(n, wr_v3(0.1f, 0.1f, 0.1f), 0.6f);
    flesh_fixture x = start(&s, 2e4, dt, published);
    wri_flesh *f = &x.body;
    wri_flesh_contact *contacts = flesh_room((size_t)s.node_count, sizeof *contacts);
    f->bones[0].c[1] = 0.1 - 0.008;
    f->bones[0].v[1] = -2.0;
    wri_flesh_step_desc step = {.contacts = contacts};
    step.contact_count = touch_plane(f, wr_v3(0, 1, 0), 0.0f, 0.0f, contacts);
    assert_true(published ? wri_published_solve_contacts(&f, 1, &step, &x.scratch)
                          : wri_flesh_solve_contacts(&f, 1, contacts, step.contact_count, NULL, 0,
                                                     NULL, &x.scratch));
    double v = f->bones[0].v[1] + 2.0;
    free(contacts);
    flesh_end(&x);
    flesh_shape_destroy(&s);
    return v;
}

static void the_core_is_hit_harder_under_finer_skins(void **state)
{
    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        float dt = fine ? 1.0f / 240.0f : 1.0f / 60.0f;
        double got[3][2];
        for (int i = 0; i < 3; i++) {
            for (int published = 0; published < 2; published++) {
                got[i][published] = core_after_a_hit(8 << i, dt, published);
            }
            printf("    1/%.0f s, %4d nodes: the core gains %.3f m/s, exactly %.3f\n",
                   1.0 / (double)dt, 4 * (8 << i) * (8 << i) + 2, got[i][1], got[i][0]);
        }
        assert_true(got[1][1] > 1.5 * got[0][1] && got[2][1] > 1.2 * got[1][1]);
        assert_true(fabs(got[2][0] / got[1][0] - 1.0) < 0.1);
    }
}

// Ours and a published one that touch the ground, not each other: together they do what each does
// alone.
static void each_member_of_a_group_is_solved_its_own_way(void **state)
{
    (void)state;
    flesh_shape s = flesh_pear(4);
    wri_flesh_contact alone[2][200], together[400];
    flesh_fixture x[2][2]; // alone, together
    int counts[2], count = 0;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            x[k][i] = start(&s, 3e4, 1.0f / 60.0f, i == 1);
            x[k][i].body.bones[0].v[1] = -1.0;
        }
        counts[i] = touch_plane(&x[0][i].body, wr_v3(0, 1, 0), 0.96f, 0.3f, alone[i]);
        assert_in_range(counts[i], 5, 150);
        for (int k = 0; k < counts[i]; k++) {
            alone[i][k].gap -= 0.96f;
            together[count] = alone[i][k];
            together[count++].member = i;
        }
        wri_flesh *f = &x[0][i].body;
        wri_flesh_step_desc step = {.contacts = alone[i], .contact_count = counts[i]};
        assert_true(i ? wri_published_solve_contacts(&f, 1, &step, &x[0][i].scratch)
                      : wri_flesh_solve_contacts(&f, 1, alone[i], counts[i], NULL, 0, NULL,
                                                 &x[0][i].scratch));
    }
    wri_flesh *members[] = {&x[1][0].body, &x[1][1].body};
    wri_flesh_step_desc step = {.contacts = together, .contact_count = count};
    assert_true(wri_published_solve_contacts(members, 2, &step, &x[1][0].scratch));
    for (int i = 0; i < count; i++) {
        const wri_flesh_contact *c = i < counts[0] ? &alone[0][i] : &alone[1][i - counts[0]];
        assert_memory_equal(&together[i].impulse, &c->impulse, sizeof c->impulse);
        assert_memory_equal(together[i].softness, c->softness, sizeof c->softness);
    }
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(x[0][i].body.v, x[1][i].body.v, (size_t)s.node_count * sizeof(f4));
        flesh_end(&x[0][i]);
        flesh_end(&x[1][i]);
    }
    flesh_shape_destroy(&s);
}

// --- in a world -------------------------------------------------------------------------------

typedef struct pair {
    flesh_shape shapes[2];
    wr_flesh_model *models[2];
    wr_flesh_world *world;
} pair;

// A published one above another, which is so, too, or ours.
static pair start_pair(bool both)
{
    pair p = {.shapes = {flesh_sphere(9, wr_v3(0.15f, 0.13f, 0.16f), 0.5f), flesh_pear(6)},
              .world = wr_flesh_world_create(NULL, NULL)};
    for (int i = 0; i < 2; i++) {
        wr_flesh_model_desc model = flesh_describe(&p.shapes[i], 3e4, 1.0f / 240.0f);
        wr_flesh_desc desc = wr_flesh_desc_default();
        model.published = both || i == 1;
        p.models[i] = flesh_model(&model);
        desc.model = p.models[i];
        desc.pose.position = i ? wr_v3(-0.45f, -0.45f, 0.3f) : wr_v3(0, 0.14f, 0);
        desc.velocity = wr_v3(0.1f, i ? -1.0f : 0.0f, 0);
        assert_int_equal(wr_flesh_add(p.world, &desc, NULL), i);
    }
    return p;
}

static void end_pair(pair *p)
{
    wr_flesh_world_destroy(p->world);
    for (int i = 0; i < 2; i++) {
        wr_flesh_model_destroy(p->models[i]);
        flesh_shape_destroy(&p->shapes[i]);
    }
}

// On the ground.
static uint64_t run_pair(pair *p, int steps, int threads)
{
    wr_vec3 places[1000];
    wr_flesh_touch touches[2000];
    uint64_t hash = 0;
    for (int i = 0; i < steps; i++) {
        wr_body_copy ground = {.pose = {{0, 0, 0}, {0, 0, 0, 1}}};
        wr_flesh_step step = wr_flesh_step_default();
        step.bodies = &ground, step.body_count = 1;
        step.touches = touches;
        step.tasks = wr_tasks_openmp(threads);
        for (int body = 0; body < 2; body++) {
            wr_flesh_positions(p->world, body, places);
            for (int k = 0; k < wr_flesh_count(p->world, body); k++) {
                if (places[k].y < 0.02f) {
                    touches[step.touch_count++] = (wr_flesh_touch){
                        .flesh = body, .node = k, .normal = {0, 1, 0}, .friction = 0.5f};
                }
            }
        }
        assert_true(wr_flesh_world_step(p->world, &step));
    }
    for (int body = 0; body < 2; body++) {
        uint64_t one = wr_flesh_hash(p->world, body);
        assert_true(wr_flesh_is_sound(p->world, body));
        hash = wri_hash(&one, sizeof one, hash);
    }
    return hash;
}

static void it_goes_on_from_a_save_on_any_number_of_threads(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        pair p = start_pair(both);
        void *saved[2];
        run_pair(&p, 60, 1);
        for (int i = 0; i < 2; i++) {
            saved[i] = flesh_room(wr_flesh_save_size(p.world, i), 1);
            wr_flesh_save(p.world, i, saved[i]);
        }
        uint64_t first = run_pair(&p, 60, 1);
        for (int i = 0; i < 2; i++) {
            size_t size = wr_flesh_save_size(p.world, i);
            assert_true(wr_flesh_restore(p.world, i, saved[i], size, NULL));
            free(saved[i]);
        }
        assert_true(run_pair(&p, 60, 2) == first);
        end_pair(&p);
    }
}

// What falls on the other does not go through it, whichever kind that is.
static void published_ones_meet_either_kind(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        pair p = start_pair(both);
        wr_scratch scratch = wri_scratch_create(NULL);
        run_pair(&p, 40, 1);
        wri_flesh_momentum lower, upper;
        assert_true(wri_flesh_find_momentum(wri_flesh_of(p.world, 0), NULL, &scratch, &lower) &&
                    wri_flesh_find_momentum(wri_flesh_of(p.world, 1), NULL, &scratch, &upper));
        printf("    %s: at %.3f and %.3f m\n", both ? "two published ones" : "one on ours",
               lower.center[1], upper.center[1]);
        assert_true(lower.center[1] > 0.08 && lower.center[1] < 0.15);
        assert_true(upper.center[1] > lower.center[1] + 0.1);
        wri_scratch_destroy(&scratch);
        end_pair(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_the_published_equations),
        cmocka_unit_test(what_is_lighter_or_heavier_is_not_thrown_far),
        cmocka_unit_test(overlaps_are_taken_back),
        cmocka_unit_test(overlaps_are_taken_back_to_the_slop),
        cmocka_unit_test(the_core_is_hit_harder_under_finer_skins),
        cmocka_unit_test(each_member_of_a_group_is_solved_its_own_way),
        cmocka_unit_test(it_goes_on_from_a_save_on_any_number_of_threads),
        cmocka_unit_test(published_ones_meet_either_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
