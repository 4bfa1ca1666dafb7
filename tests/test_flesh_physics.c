// test_flesh_physics.c: how bodies of flesh depend on their step and stiffness, against closed
// forms, eigenvalues and the thesis' own approximation.
#include "check.h"

#include "flesh_dense.h"

static const double NONE[3] = {0.0, 0.0, 0.0}, DOWN[3] = {0.0, -9.81, 0.0};

static void advance(flesh_fixture *x, wri_flesh_step_desc *step, int count)
{
    for (int i = 0; i < count; i++) {
        assert_true(wri_flesh_step(&(wri_flesh *){&x->body}, 1, step, &x->scratch));
    }
}

// Metres: the largest displacement of skin from where its bones have it; not a number passes.
static double find_stretch(const wri_flesh *f)
{
    double most = 0.0;
    for (int i = 0; i < f->model->node_count; i++) {
        double square = (double)f4_dot(f->q[i], f->q[i]);
        most = square <= most * most ? most : sqrt(square);
    }
    return most;
}

// --- half the step ----------------------------------------------------------------------------

// Where a node of each kind of body is after 0.4 s.
typedef struct traveller {
    flesh_shape s;
    flesh_fixture x;
    int node;
} traveller;

static traveller start_flight(float dt)
{
    traveller t = {.s = flesh_pear(4)};
    t.x = flesh_start(&t.s, 2e4, dt, 1e-3f);
    const double v[3] = {1.0, 2.0, -0.5}, alpha[3] = {3.0, -2.0, 1.0};
    memcpy(t.x.body.bones[0].v, v, sizeof v);
    memcpy(t.x.body.bones[0].alpha, alpha, sizeof alpha);
    t.node = t.x.model->node_of[0];
    return t;
}

// Three links, of which the first is held.
static traveller start_chain(float dt)
{
    traveller t = {.s = flesh_tube(3, 30, 8)};
    for (int i = 0; i < 2; i++) {
        t.s.joints[t.s.joint_count++] = (wr_flesh_joint){.a = i + 1,
                                                         .b = i,
                                                         .kind = WR_FLESH_BALL,
                                                         .at = {0.2f * (float)(i + 1), 0, 0},
                                                         .axis = {1, 0, 0},
                                                         .least = -INFINITY,
                                                         .most = INFINITY,
                                                         .swing = INFINITY};
    }
    t.x = flesh_start(&t.s, 5e4, dt, 2e-3f);
    t.x.body.is_driven[0] = true;
    t.x.body.goals[0] = t.x.body.bones[0];
    t.node = t.x.model->node_of[t.s.node_count - 1];
    return t;
}

static wr_vec3 travel(traveller t, double seconds, wr_vec3 *from)
{
    wri_flesh_step_desc step = in_gravity(DOWN);
    *from = wri_flesh_place(&t.x.body, t.node);
    advance(&t.x, &step, (int)(seconds / (double)t.x.model->dt + 0.5));
    wr_vec3 to = wri_flesh_place(&t.x.body, t.node);
    flesh_end(&t.x);
    flesh_shape_destroy(&t.s);
    return to;
}

static void half_the_step_is_nearly_the_same_motion(void **state)
{
    (void)state;
    traveller (*const kinds[])(float) = {start_flight, start_chain};
    static const char *const names[] = {"a flight", "a chain"};
    for (int kind = 0; kind < 2; kind++) {
        wr_vec3 from, whole = travel(kinds[kind](1.0f / 240.0f), 0.4, &from);
        wr_vec3 half = travel(kinds[kind](1.0f / 480.0f), 0.4, &from);
        double way = (double)wr_distance(from, half), off = (double)wr_distance(whole, half);
        printf("    %s of %.3f m: half the step changes it by %.2f %%\n", names[kind], way,
               100.0 * off / way);
        assert_true(way > 0.2 && off < 0.03 * way);
    }
}

// --- long steps -------------------------------------------------------------------------------

// It tumbles with 6 rad/s, a fifth of a radian per step.
static void long_steps_in_flight_do_not_explode(void **state)
{
    (void)state;
    for (double young = 1e3; young < 2e8; young *= 10.0) {
        flesh_shape s = flesh_pear(4);
        flesh_fixture x = flesh_start(&s, young, 1.0f / 30.0f, 0.0f);
        wri_flesh_step_desc step = in_gravity(NONE);
        const double alpha[3] = {4.0, -3.0, 3.0};
        memcpy(x.body.bones[0].alpha, alpha, sizeof alpha);
        double first = flesh_energy(&x.body, 0.0), most = first, stretch = 0.0;
        for (int i = 0; i < 150; i++) {
            advance(&x, &step, 1);
            most = fmax(most, flesh_energy(&x.body, 0.0));
            stretch = fmax(stretch, find_stretch(&x.body));
        }
        printf("    %.0e Pa: energy at most %.4f of the start; displaced by %.1e sizes\n", young,
               most / first, stretch / (double)x.model->size);
        assert_true(most < 1.05 * first && stretch < 0.3 * (double)x.model->size);
        flesh_end(&x);
        flesh_shape_destroy(&s);
    }
}

static void long_steps_on_the_ground_do_not_explode(void **state)
{
    (void)state;
    const wr_vec3 up = {0, 1, 0};
    for (double young = 1e3; young < 2e8; young *= 10.0) {
        flesh_shape s = flesh_sphere(7, wr_v3(0.13f, 0.08f, 0.11f), 0.6f);
        flesh_fixture x = flesh_start(&s, young, 1.0f / 30.0f, 2e-3f);
        wri_flesh_contact *contacts = flesh_room((size_t)s.node_count, sizeof *contacts);
        wri_flesh_step_desc step = in_gravity(DOWN);
        step.contacts = contacts;
        step.slop = 1e-4f;
        x.body.bones[0].c[1] = 0.085;
        double first = flesh_energy(&x.body, 9.81), most = first, stretch = 0.0, low = 1.0;
        for (int i = 0; i < 150; i++) {
            step.contact_count = touch_plane(&x.body, up, 0.02f, 0.5f, contacts);
            advance(&x, &step, 1);
            most = fmax(most, flesh_energy(&x.body, 9.81));
            stretch = fmax(stretch, find_stretch(&x.body));
            low = fmin(low, x.body.bones[0].c[1]);
        }
        printf("    %.0e Pa: energy at most %.4f of the start; displaced by %.1e sizes; the core "
               "came down to %.4f m\n",
               young, most / first, stretch / (double)x.model->size, low);
        assert_true(most < 1.01 * first && flesh_energy(&x.body, 9.81) < first && low > 0.03);
        assert_true(stretch < 0.5 * (double)x.model->size);
        free(contacts);
        flesh_end(&x);
        flesh_shape_destroy(&s);
    }
}

// --- many contacts ----------------------------------------------------------------------------

// A sphere hits the ground askew with hundreds of nodes at once: no node passes it, none is pulled,
// what is pressed stays there, and friction keeps within its cone.
static void many_contacts_press_or_part(void **state)
{
    (void)state;
    const wr_vec3 up = {0, 1, 0};
    const double rubs = 0.4, dt = 1.0 / 60.0, fast = 2.0;
    for (double young = 5e3; young < 1e6; young *= 10.0) {
        flesh_shape s = flesh_sphere(16, wr_v3(0.13f, 0.1f, 0.11f), 0.6f);
        flesh_fixture x = flesh_start(&s, young, (float)dt, 2e-3f);
        wri_flesh_contact *contacts = flesh_room((size_t)s.node_count, sizeof *contacts);
        x.body.bones[0].c[1] = 0.101;
        x.body.bones[0].v[1] = -fast;
        x.body.bones[0].v[0] = x.body.bones[0].alpha[1] = 0.7;
        int count = touch_plane(&x.body, up, 0.06f, (float)rubs, contacts), pressed = 0;
        assert_true(wri_flesh_solve_contacts(&(wri_flesh *){&x.body}, 1, contacts, count, NULL, 0,
                                             NULL, &x.scratch));
        double deepest = 0.0, loosest = 0.0, beyond = 0.0, largest = 0.0;
        for (int i = 0; i < count; i++) {
            const wri_flesh_contact *c = &contacts[i];
            double left = (double)wri_flesh_velocity(&x.body, c->node).y + (double)c->gap / dt;
            double along = (double)c->impulse.y,
                   across = hypot((double)c->impulse.x, (double)c->impulse.z);
            deepest = fmax(deepest, -left);
            loosest = fmax(loosest, along > 0.0 ? left : 0.0);
            beyond = fmax(beyond, across - rubs * along);
            largest = fmax(largest, along);
            pressed += along > 0.0;
            assert_true(along >= 0.0);
        }
        printf("    %.0e Pa: %d of %d nodes are pressed; off by %.1e and %.1e of the speed\n",
               young, pressed, count, deepest / fast, loosest / fast);
        assert_true(count > 200 && pressed > 20 && pressed < count);
        assert_true(deepest < 5e-3 * fast && loosest < 5e-3 * fast && beyond < 1e-5 * largest);
        free(contacts);
        flesh_end(&x);
        flesh_shape_destroy(&s);
    }
}

// --- the stiff limit --------------------------------------------------------------------------

// A node off the middle meets something fixed, without friction: the velocity of the centre of mass
// after one step, over that of a rigid body,
//     v+ = v - n (1 / m) lambda,   lambda = v.n / (1 / m + (r x n).I^-1 (r x n)).
static double hit_beside_rigid(double young)
{
    flesh_shape s = flesh_pear(3);
    flesh_fixture x = flesh_start(&s, young, 1.0f / 240.0f, 0.0f);
    wri_flesh *f = &x.body;
    wri_flesh_momentum m;
    const double n[3] = {0.0, 1.0, 0.0};
    f->bones[0].v[1] = -1.0;
    int node = 0;
    for (int i = 1; i < s.node_count; i++) {
        node = wri_flesh_place(f, i).y < wri_flesh_place(f, node).y ? i : node;
    }
    wri_flesh_contact hit = {.node = node, .body = WRI_FIXED, .normal = {0, 1, 0}};
    hit.point = wri_flesh_place(f, node);
    assert_true(wri_flesh_find_momentum(f, NULL, &x.scratch, &m));
    double r[3] = {(double)hit.point.x - m.center[0], (double)hit.point.y - m.center[1],
                   (double)hit.point.z - m.center[2]};
    double I[9], arm[3], turned[3];
    memcpy(I, m.inertia, sizeof I);
    wri_cross3(r, n, arm);
    memcpy(turned, arm, sizeof turned);
    assert_true(wri_dense_factor(3, I));
    wri_dense_solve(3, I, turned);
    double lambda = 1.0 / (1.0 / m.mass + wri_dot3(arm, turned));
    assert_true(wri_flesh_solve_contacts(&(wri_flesh *){f}, 1, &hit, 1, NULL, 0, NULL, &x.scratch));
    flesh_end(&x);
    flesh_shape_destroy(&s);
    return (double)hit.impulse.y / lambda;
}

static void stiff_ones_are_hit_as_rigid_bodies(void **state)
{
    (void)state;
    double before = 0.0, share = 0.0;
    for (double young = 1e4; young < 2e10; young *= 100.0) {
        share = hit_beside_rigid(young);
        printf("    %.0e Pa: the impulse is %.4f of that on a rigid body\n", young, share);
        assert_true(share > before && share < 1.001);
        before = share;
    }
    assert_true(share > 0.98);
}

// --- frequencies ------------------------------------------------------------------------------

// M^-1/2 K M^-1/2 of the skin.
static double *scaled_stiffness(const wr_flesh_model *m)
{
    int n = 3 * m->node_count;
    double *A = flesh_room((size_t)(n * n), sizeof *A);
    for (int node = 0; node < m->node_count; node++) {
        for (int e = m->K.begin[node]; e < m->K.begin[node + 1]; e++) {
            int other = m->K.column[e];
            double scale = 1.0 / sqrt((double)m->mass[node] * (double)m->mass[other]);
            for (int k = 0; k < 9; k++) {
                A[(3 * node + k / 3) * n + 3 * other + k % 3] = scale * (double)m->K.value[e][k];
            }
        }
    }
    return A;
}

static double amplitude(const wri_flesh *f, const double *mode)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * f->model->node_count; i++) {
        double root = sqrt((double)f->model->mass[i / 3]);
        sum += mode[i] * root * (double)f->q[i / 3][i % 3];
    }
    return sum;
}

// Radians per step: from zeroes of the amplitude, between which it goes half around.
static double measure_turn(flesh_fixture *x, const double *mode, int steps)
{
    wri_flesh_step_desc step = in_gravity(NONE);
    double before = amplitude(&x->body, mode), first = 0.0, last = 0.0;
    int count = 0;
    for (int i = 1; i <= steps; i++) {
        advance(x, &step, 1);
        double now = amplitude(&x->body, mode);
        if ((before > 0.0) != (now > 0.0)) {
            last = i - now / (now - before);
            first = count++ == 0 ? last : first;
        }
        before = now;
    }
    assert_true(count > 3);
    return (double)WR_PI * (count - 1) / (last - first);
}

// Backward Euler multiplies an amplitude by 1 / (1 - i omega dt): it turns by atan(omega dt).
static void a_mode_swings_as_backward_euler_sees_its_eigenvalue(void **state)
{
    (void)state;
    flesh_shape s = flesh_sphere(3, wr_v3(0.1f, 0.12f, 0.09f), 0.6f);
    for (int kind = 0; kind < 3; kind++) {
        static const float steps[] = {1e-3f, 4e-3f, 5e-4f};
        flesh_fixture x = flesh_start(&s, 2e4, steps[kind], 0.0f);
        int n = 3 * s.node_count, which = 0;
        double *A = scaled_stiffness(x.model), *V = flesh_room((size_t)(n * n), sizeof *V);
        dense_eigen(n, A, V);
        for (int i = 1; i < n; i++) { // the lowest, or the highest
            double now = A[i * n + i], best = A[which * n + which];
            which = (kind < 2 ? now < best : now > best) ? i : which;
        }
        x.body.is_driven[0] = true;
        x.body.goals[0] = x.body.bones[0];
        for (int i = 0; i < n; i++) {
            double root = sqrt((double)x.model->mass[i / 3]);
            x.body.q[i / 3][i % 3] = (float)(1e-5 * V[which * n + i] / root);
        }
        double omega = sqrt(A[which * n + which]), dt = (double)x.model->dt;
        double turn = measure_turn(&x, &V[which * n], 200);
        printf("    omega %.1f/s, omega dt %.3f: %.5f rad per step, expected %.5f\n", omega,
               omega * dt, turn, atan(omega * dt));
        CHECK_NEAR(turn, atan(omega * dt), 0.003 * atan(omega * dt));
        free(A);
        free(V);
        flesh_end(&x);
    }
    flesh_shape_destroy(&s);
}

// Of the mode alone, with Rayleigh's alpha: (1 + alpha dt + (omega dt)^2) v' = v - omega^2 dt q.
static void drag_slows_a_mode_as_backward_euler_does(void **state)
{
    (void)state;
    flesh_shape s = flesh_sphere(3, wr_v3(0.1f, 0.12f, 0.09f), 0.6f);
    wr_flesh_model_desc desc = flesh_describe(&s, 2e4, 2e-3f);
    flesh_fixture x = {.scratch = wri_scratch_create(NULL)};
    desc.damping = 1e-4f;
    desc.drag = 60.0f;
    x.model = flesh_model(&desc);
    assert_true(wri_flesh_create(&x.body, x.model, NULL));
    int n = 3 * s.node_count;
    double *A = scaled_stiffness(x.model), *V = flesh_room((size_t)(n * n), sizeof *V);
    dense_eigen(n, A, V);
    x.body.is_driven[0] = true;
    x.body.goals[0] = x.body.bones[0];
    for (int i = 0; i < n; i++) {
        x.body.v[i / 3][i % 3] = (float)(1e-3 * V[i] / sqrt((double)x.model->mass[i / 3]));
    }
    double square = A[0], dt = (double)x.model->dt, q = 0.0, v = 1e-3, most = 0.0;
    wri_flesh_step_desc step = in_gravity(NONE);
    for (int i = 0; i < 60; i++) {
        advance(&x, &step, 1);
        v = (v - square * dt * q) / (1.0 + 60.0 * dt + square * dt * (dt + 1e-4));
        q += dt * v;
        most = fmax(most, fabs(q));
        CHECK_NEAR(amplitude(&x.body, V), q, 2e-3 * most);
    }
    free(A);
    free(V);
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// N m: of the Coriolis forces on the skin, about the bone's origin, in the bind pose.
static void coriolis_of(const wri_flesh *f, double out[3])
{
    const double *alpha = f->bones[0].alpha, *o = f->model->bones[0].origin;
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < f->model->node_count; i++) {
        double r[3], v[3], force[3], moment[3];
        for (int k = 0; k < 3; k++) {
            r[k] = (double)(f->model->rest[i][k] + f->q[i][k]) - o[k];
            v[k] = (double)f->v[i][k];
        }
        wri_cross3(alpha, v, force);
        wri_cross3(r, force, moment);
        for (int k = 0; k < 3; k++) {
            out[k] += 2.0 * (double)f->model->mass[i] * moment[k];
        }
    }
}

// Without the twist at the end of a step: what the forces of a turning frame are for. Skin moves
// outwards and spins, so that without them spin would be lost at once, and not by the step's error.
static void spin_stays_while_skin_moves_outwards(void **state)
{
    (void)state;
    flesh_shape s = flesh_sphere(5, wr_v3(0.1f, 0.13f, 0.08f), 0.6f);
    flesh_fixture x = flesh_start(&s, 2e4, 1e-4f, 1e-3f);
    wri_flesh *f = &x.body;
    const double spin[3] = {3.0, -7.0, 5.0};
    memcpy(f->bones[0].alpha, spin, sizeof spin);
    for (int i = 0; i < f->model->node_count; i++) {
        f->v[i] = 0.3f * f->model->outward[i];
        f->v[i][3] = 0.0f;
    }
    wri_flesh_momentum before, after;
    double moment[3], lost[3], dt = (double)f->model->dt;
    coriolis_of(f, moment);
    assert_true(wri_flesh_find_momentum(f, NULL, &x.scratch, &before));
    assert_true(wri_flesh_move_freely(f, NONE, NULL, &x.scratch));
    wri_flesh_drift(f, NULL);
    assert_true(wri_flesh_find_momentum(f, NULL, &x.scratch, &after));
    for (int k = 0; k < 3; k++) {
        lost[k] = (after.spin[k] - before.spin[k]) / dt;
    }
    printf("    %.2g N m of %.2g N m\n", wri_length3(lost), wri_length3(moment));
    assert_true(wri_length3(lost) < 0.05 * wri_length3(moment));
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// --- condensation -----------------------------------------------------------------------------

// M_b - M_bs X M_bs^T and M_bs X F_s, X the inverse of A or of its block diagonal.
typedef struct condensed {
    double M[36], F[6];
} condensed;

static condensed condense(const double *system, int size, const double *F, bool is_exact)
{
    int n = size - 6;
    condensed c;
    double *A = flesh_room((size_t)(n * n), sizeof *A), *y = flesh_room((size_t)n, sizeof *y);
    for (int i = 0; i < n * n; i++) {
        bool is_kept = is_exact || i / n / 3 == i % n / 3;
        A[i] = is_kept ? system[(6 + i / n) * size + 6 + i % n] : 0.0;
    }
    assert_true(wri_dense_factor(n, A));
    for (int column = 0; column < 7; column++) { // six of M_bs^T, and F_s
        for (int i = 0; i < n; i++) {
            y[i] = column < 6 ? system[(6 + i) * size + column] : F[6 + i];
        }
        wri_dense_solve(n, A, y);
        for (int row = 0; row < 6; row++) {
            double *out = column < 6 ? &c.M[6 * row + column] : &c.F[row];
            *out = column < 6 ? system[row * size + column] : F[row];
            for (int i = 0; i < n; i++) {
                *out -= system[row * size + 6 + i] * y[i];
            }
        }
    }
    free(A);
    free(y);
    return c;
}

// What a core that falls freely gains in a step, over g dt: with M of one and F of another
// condensation, thesis eq. 4.25.
static double fall_of(const condensed *left, const condensed *right, double dt)
{
    double M[36], v[6];
    memcpy(M, left->M, sizeof M);
    memcpy(v, right->F, sizeof v);
    assert_true(wri_dense_factor(6, M));
    wri_dense_solve(6, M, v);
    return v[1] / (-9.81 * dt);
}

// The largest eigenvalue of the approximate against the exact one: 1 where they agree.
static double compare(const condensed *exact, const condensed *approximate)
{
    double values[36], vectors[36], scaled[36], B[36];
    memcpy(values, exact->M, sizeof values);
    dense_eigen(6, values, vectors);
    for (int i = 0; i < 36; i++) { // the exact one to the power of -1/2, times its vectors
        scaled[i] = vectors[i] / sqrt(values[i / 6 * 7]);
    }
    for (int i = 0; i < 36; i++) {
        B[i] = 0.0;
        for (int k = 0; k < 36; k++) {
            B[i] += scaled[i / 6 * 6 + k / 6] * approximate->M[k] * scaled[i % 6 * 6 + k % 6];
        }
    }
    dense_eigen(6, B, vectors);
    double most = 0.0;
    for (int i = 0; i < 6; i++) {
        most = fmax(most, fmax(B[7 * i], 1.0 / B[7 * i]));
    }
    return most;
}

// What a body of that mode gains in a step, likewise.
static double fall_published(const flesh_shape *s, double young, double dt)
{
    wr_flesh_model_desc desc = flesh_describe(s, young, (float)dt);
    desc.damping = 0.0f;
    desc.published = true;
    wr_flesh_model *model = flesh_model(&desc);
    wr_scratch scratch = wri_scratch_create(NULL);
    wri_flesh body;
    assert_true(wri_flesh_create(&body, model, NULL));
    assert_true(wri_flesh_step(&(wri_flesh *){&body}, 1,
                               &(wri_flesh_step_desc){.gravity = {0, -9.81, 0}}, &scratch));
    double v = body.bones[0].v[1];
    wri_flesh_destroy(&body);
    wr_flesh_model_destroy(model);
    wri_scratch_destroy(&scratch);
    return v / (-9.81 * dt);
}

static void exact_condensation_falls_freely_and_the_approximate_one_does_not(void **state)
{
    (void)state;
    double worst = 0.0;
    flesh_shape s = flesh_sphere(4, wr_v3(0.1f, 0.1f, 0.1f), 0.6f);
    printf("      1/dt       Pa   exact  approximate  published  eigenvalues up to\n");
    for (int k = 0; k < 6; k++) {
        double dt = k < 3 ? 1.0 / 60.0 : 1.0 / 240.0, young = k % 3 == 0   ? 2e3
                                                              : k % 3 == 1 ? 2e4
                                                                           : 2e6;
        flesh_fixture x = flesh_start(&s, young, (float)dt, 0.0f);
        int size = 6 + 3 * s.node_count;
        double *system = flesh_room((size_t)(size * size), sizeof *system);
        double *F = flesh_room((size_t)size, sizeof *F);
        dense_system(x.model, system, size);
        for (int i = 0; i < size; i++) { // gravity is what an acceleration of the bone would do
            F[i] = -9.81 * dt * system[i * size + 1];
        }
        condensed exact = condense(system, size, F, true), near = condense(system, size, F, false);
        double right = fall_of(&exact, &exact, dt), both = fall_of(&near, &near, dt);
        double published = fall_of(&near, &exact, dt);
        wri_flesh_move_freely(&x.body, DOWN, NULL, &x.scratch);
        printf("    %6.0f %8.0e %7.4f %12.4f %10.4f %18.2f\n", 1.0 / dt, young, right, both,
               published, compare(&exact, &near));
        CHECK_NEAR(right, 1.0, 1e-9);
        CHECK_NEAR(x.body.bones[0].v[1], -9.81 * dt, 1e-5 * 9.81 * dt);
        CHECK_NEAR(fall_published(&s, young, dt), published, 1e-3);
        worst = fmax(worst, fabs(published - 1.0));
        free(system);
        free(F);
        flesh_end(&x);
    }
    assert_true(worst > 0.05);
    flesh_shape_destroy(&s);
}

// --- rest -------------------------------------------------------------------------------------

// A layer of a bone that is held askew comes to K q = m g, as a direct solve of the dense system
// has it.
static void a_layer_sags_as_a_direct_solve_has_it(void **state)
{
    (void)state;
    const double by[3] = {0.4, -0.9, 0.3}, g[3] = {1.3, -9.81, 0.4};
    flesh_shape s = flesh_pear(2);
    flesh_fixture x = flesh_start(&s, 4e3, 1.0f / 60.0f, 2e-2f);
    wri_flesh *f = &x.body;
    wri_turn_on(f->bones[0].turn, by);
    wri_flesh_find_turns(f);
    f->is_driven[0] = true;
    f->goals[0] = f->bones[0];
    wri_flesh_step_desc step = in_gravity(g);
    advance(&x, &step, 600);
    int n = 3 * s.node_count;
    double *A = scaled_stiffness(x.model), *q = flesh_room((size_t)n, sizeof *q), own[3];
    wri_apply_transposed(WRI_MATRIX(f->Q[0].m), g, own);
    for (int i = 0; i < n; i++) {
        q[i] = sqrt((double)x.model->mass[i / 3]) * own[i % 3];
    }
    assert_true(wri_dense_factor(n, A));
    wri_dense_solve(n, A, q);
    double most = 0.0, off = 0.0;
    for (int i = 0; i < n; i++) {
        double wanted = q[i] / sqrt((double)x.model->mass[i / 3]);
        most = fmax(most, fabs(wanted));
        off = fmax(off, fabs(wanted - (double)f->q[i / 3][i % 3]));
    }
    printf("    sags by %.3g mm, off by %.1e of that\n", 1e3 * most, off / most);
    assert_true(most > 1e-4 * (double)x.model->size && off < 1e-3 * most);
    free(A);
    free(q);
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// It lies still, then gravity turns around: nothing holds it back.
static void what_rests_does_not_stick(void **state)
{
    (void)state;
    const wr_vec3 up = {0, 1, 0};
    flesh_shape s = flesh_sphere(8, wr_v3(0.13f, 0.08f, 0.11f), 0.6f);
    flesh_fixture x = flesh_start(&s, 2e4, 1.0f / 240.0f, 2e-3f);
    wri_flesh_contact *contacts = flesh_room((size_t)s.node_count, sizeof *contacts);
    wri_flesh_step_desc step = in_gravity(DOWN);
    step.contacts = contacts;
    step.slop = 1e-4f;
    x.body.bones[0].c[1] = 0.08;
    for (int i = 0; i < 1500; i++) {
        step.contact_count = touch_plane(&x.body, up, 0.01f, 0.5f, contacts);
        advance(&x, &step, 1);
    }
    wri_flesh_momentum m;
    assert_true(wri_flesh_find_momentum(&x.body, NULL, &x.scratch, &m));
    double rest = m.center[1], steps = 60.0, elastic = 0.0, dt = 1.0 / 240.0;
    elastic = flesh_energy(&x.body, 0.0);
    step.gravity[1] = 9.81;
    for (int i = 0; i < 60; i++) {
        step.contact_count = touch_plane(&x.body, up, 0.01f, 0.5f, contacts);
        advance(&x, &step, 1);
        for (int k = 0; k < step.contact_count; k++) {
            assert_true(contacts[k].impulse.y >= 0.0f);
        }
    }
    assert_true(wri_flesh_find_momentum(&x.body, NULL, &x.scratch, &m));
    // What was stored in the skin may make it faster, and nothing slower.
    double least = 9.81 * dt * dt * steps * (steps + 1.0) / 2.0, risen = m.center[1] - rest;
    double most = least + sqrt(2.0 * elastic / m.mass) * steps * dt;
    printf("    it has risen by %.4f m, expected %.4f to %.4f\n", risen, least, most);
    assert_true(risen > least - 1e-6 && risen < most);
    free(contacts);
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_the_step_is_nearly_the_same_motion),
        cmocka_unit_test(long_steps_in_flight_do_not_explode),
        cmocka_unit_test(long_steps_on_the_ground_do_not_explode),
        cmocka_unit_test(many_contacts_press_or_part),
        cmocka_unit_test(stiff_ones_are_hit_as_rigid_bodies),
        cmocka_unit_test(a_mode_swings_as_backward_euler_sees_its_eigenvalue),
        cmocka_unit_test(drag_slows_a_mode_as_backward_euler_does),
        cmocka_unit_test(spin_stays_while_skin_moves_outwards),
        cmocka_unit_test(exact_condensation_falls_freely_and_the_approximate_one_does_not),
        cmocka_unit_test(a_layer_sags_as_a_direct_solve_has_it),
        cmocka_unit_test(what_rests_does_not_stick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
