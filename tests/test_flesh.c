// test_flesh.c: layers of tetrahedra, and how skin and bones move together, against closed forms
// and dense sums.
#include "check.h"

#include "flesh_dense.h"

static const double GRAVITY[3] = {1.3, -9.81, 0.4};

// --- layers -------------------------------------------------------------------------------------

// A plate of n x n squares of edge 1 cm above its core, turned obliquely.
static flesh_shape plate(int n, float thickness, wr_quat turn)
{
    flesh_shape s = flesh_shape_create((n + 1) * (n + 1), 2 * n * n);
    for (int i = 0; i < s.node_count; i++) {
        s.skin[i] = wr_v3(0.01f * (float)(i % (n + 1)), 0.0f, -0.01f * (float)(i / (n + 1)));
        s.core[i] = wr_sub(s.skin[i], wr_v3(0.0f, thickness, 0.0f));
    }
    for (int i = 0; i < n * n; i++) {
        int a = i / n * (n + 1) + i % n, b = a + 1, c = a + n + 1, d = c + 1;
        int two[2][6] = {{a, b, c, b, d, c}, {a, b, d, a, d, c}};
        memcpy(&s.triangles[6 * i], two[i % 2], sizeof two[0]);
    }
    flesh_shape_turn(&s, (wr_pose){wr_v3(0.3f, -0.2f, 0.1f), turn});
    return s;
}

static wri_layer_desc layer_of(const flesh_shape *s, double young)
{
    return (wri_layer_desc){
        s->node_count, s->triangle_count, s->skin, s->core, NULL, s->triangles, NULL, young, 0.3f,
        1200.0};
}

// Skin that moves as one strains the layer evenly: the forces are those of a slab.
static void a_plate_resists_as_a_slab(void **state)
{
    (void)state;
    const wr_quat turn = wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 2, -0.5f)), 0.8f);
    const wr_vec3 up = wr_rotate(turn, wr_v3(0, 1, 0)),
                  along = wr_rotate(turn, wr_v3(0.6f, 0, 0.8f));
    flesh_shape s = plate(5, 0.004f, turn);
    wri_layer_desc desc = layer_of(&s, 3e4f);
    wri_arena arena = wri_arena_create(NULL);
    wri_layer layer;
    wr_error error = {0};
    assert_true(wri_layer_build(&desc, &arena, &layer, &error));
    assert_true(wri_blocks_check(&layer.K, &error));
    double E = 3e4, mu = E / 2.6, lambda = E * 0.3 / (1.3 * 0.4), area = 25e-4, h = 0.004;
    for (int kind = 0; kind < 2; kind++) {
        wr_vec3 move = kind ? along : up, sum = {0, 0, 0};
        for (int i = 0; i < layer.K.count; i++) {
            for (int k = layer.K.begin[i]; k < layer.K.begin[i + 1]; k++) {
                const float *b = layer.K.value[k];
                wr_mat3 block = {{{b[0], b[1], b[2]}, {b[3], b[4], b[5]}, {b[6], b[7], b[8]}}};
                sum = wr_add(sum, wr_mat3_apply(block, move));
            }
        }
        double expected = area / h * (kind ? mu : lambda + 2.0 * mu);
        CHECK_NEAR(wr_dot(sum, move), expected, 1e-4 * expected);
        CHECK_NEAR(wr_length(wr_sub(sum, wr_scale(wr_dot(sum, move), move))), 0.0, 1e-3 * expected);
    }
    double mass = 0.0;
    for (int i = 0; i < s.node_count; i++) {
        mass += (double)layer.mass[i] + (double)layer.core_mass[i];
    }
    CHECK_NEAR(layer.volume, area * h, 1e-4 * area * h);
    CHECK_NEAR(mass, 1200.0 * area * h, 1e-4 * mass);
    wri_arena_destroy(&arena);
    flesh_shape_destroy(&s);
}

static void a_layer_that_is_turned_inside_out_is_refused(void **state)
{
    (void)state;
    flesh_shape s = flesh_sphere(2, wr_v3(1, 1, 1), 0.7f);
    s.core[5] = wr_scale(1.2f, s.skin[5]);
    wri_layer_desc desc = layer_of(&s, 1e4f);
    wri_arena arena = wri_arena_create(NULL);
    wri_layer layer;
    wr_error error = {0};
    assert_false(wri_layer_build(&desc, &arena, &layer, &error));
    assert_non_null(strstr(error.message, "inside out"));
    wri_arena_destroy(&arena);
    flesh_shape_destroy(&s);
}

// --- motion -------------------------------------------------------------------------------------

static void what_falls_freely_keeps_its_shape(void **state)
{
    (void)state;
    flesh_shape s = flesh_pear(4);
    flesh_fixture x = flesh_start(&s, 2e4f, 1.0f / 60.0f, 0.0f);
    double dt = 1.0 / 60.0, start[3];
    // One step without what restores momenta: bones and skin agree about gravity by themselves.
    assert_true(wri_flesh_move_freely(&x.body, GRAVITY, NULL, &x.scratch));
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(x.body.bones[0].v[k], GRAVITY[k] * dt, 1e-5);
        CHECK_NEAR(x.body.bones[0].alpha[k], 0.0, 1e-4);
        x.body.bones[0].v[k] = x.body.bones[0].alpha[k] = 0.0;
    }
    memset(x.body.v, 0, (size_t)s.node_count * sizeof(f4));
    memcpy(start, x.body.bones[0].c, sizeof start);
    wri_flesh_step_desc step = in_gravity(GRAVITY);
    for (int i = 0; i < 120; i++) {
        assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
    }
    for (int k = 0; k < 3; k++) { // g dt^2 N (N + 1) / 2
        double fallen = GRAVITY[k] * dt * dt * 120.0 * 121.0 / 2.0;
        CHECK_NEAR(x.body.bones[0].c[k] - start[k], fallen, 1e-5 * fabs(fallen));
    }
    for (int i = 0; i < s.node_count; i++) {
        assert_true(f4_dot(x.body.q[i], x.body.q[i]) < 1e-12f);
    }
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

static void stir(wri_flesh *f, float speed)
{
    for (int i = 0; i < f->model->node_count; i++) {
        f4 u = f->model->rest[i];
        f->v[i] = speed * (f4){u[1] - 0.3f * u[2], 0.5f * u[0] * u[2] + 0.2f, u[0] - u[1], 0.0f};
    }
    for (int i = 0; i < f->model->bone_count; i++) {
        const double v[3] = {20.0, -7.0, 4.0}, alpha[3] = {3.0, 5.0, -4.0};
        memcpy(f->bones[i].v, v, sizeof v);
        memcpy(f->bones[i].alpha, alpha, sizeof alpha);
    }
}

// By an independent sum over the images of all nodes, and the core.
static void momenta_of(const wri_flesh *f, double P[3], double L[3])
{
    const wr_flesh_model *m = f->model;
    memset(P, 0, 3 * sizeof *P);
    memset(L, 0, 3 * sizeof *L);
    for (int e = 0; e < m->node_count * WRI_FLESH_BONES; e++) {
        int node = e / WRI_FLESH_BONES, bone = m->bone_ids[e];
        double r[3], v[3], moment[3], mass = (double)m->mass[node] * (double)m->weights[e];
        for (int k = 0; k < 3; k++) {
            r[k] = (double)m->rest[node][k] + (double)f->q[node][k] - m->bones[bone].origin[k];
        }
        wri_cross3(f->bones[bone].alpha, r, v);
        for (int k = 0; k < 3; k++) {
            v[k] += (double)f->v[node][k];
        }
        wri_apply(WRI_MATRIX(f->Q[bone].m), r, r);
        wri_apply(WRI_MATRIX(f->Q[bone].m), v, v);
        for (int k = 0; k < 3; k++) {
            r[k] += f->bones[bone].c[k];
            v[k] += f->bones[bone].v[k];
        }
        wri_cross3(r, v, moment);
        for (int k = 0; k < 3; k++) {
            P[k] += mass * v[k];
            L[k] += mass * moment[k];
        }
    }
    for (int i = 0; i < m->bone_count; i++) {
        const wri_flesh_bone *b = &m->bones[i];
        double p[3], first[3], spin[3], moment[3], own[3];
        wri_cross3(f->bones[i].alpha, b->core_first, p);
        wri_apply(WRI_MATRIX(f->Q[i].m), p, p);
        wri_apply(WRI_MATRIX(f->Q[i].m), b->core_first, first);
        wri_apply(WRI_MATRIX(b->core_inertia), f->bones[i].alpha, spin);
        wri_apply(WRI_MATRIX(f->Q[i].m), spin, spin);
        wri_cross3(first, f->bones[i].v, own);
        for (int k = 0; k < 3; k++) {
            p[k] += b->core_mass * f->bones[i].v[k];
            P[k] += p[k];
        }
        wri_cross3(f->bones[i].c, p, moment);
        for (int k = 0; k < 3; k++) {
            L[k] += moment[k] + own[k] + spin[k];
        }
    }
}

static void momenta_stay_while_it_flies_and_wobbles(void **state)
{
    (void)state;
    const double none[3] = {0};
    flesh_shape s = flesh_pear(4);
    flesh_fixture x = flesh_start(&s, 2e4f, 1.0f / 240.0f, 1e-4f);
    stir(&x.body, 2.0f);
    double P[3], L[3], P_now[3], L_now[3], p_size = 0.0, l_size = 0.0;
    momenta_of(&x.body, P, L);
    wri_flesh_step_desc step = in_gravity(none);
    for (int i = 0; i < 480; i++) {
        assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
    }
    momenta_of(&x.body, P_now, L_now);
    wri_flesh_momentum sums;
    assert_true(wri_flesh_find_momentum(&x.body, NULL, &x.scratch, &sums));
    for (int k = 0; k < 3; k++) {
        p_size += P[k] * P[k];
        l_size += L[k] * L[k];
        CHECK_NEAR(sums.P[k], P_now[k], 1e-9 * fabs(P_now[k]));
    }
    double spin = sqrt(wri_dot3(sums.spin, sums.spin)), off = 0.0;
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(P_now[k], P[k], 1e-7 * sqrt(p_size));
        off += (L_now[k] - L[k]) * (L_now[k] - L[k]);
    }
    printf("    momentum %.3g, angular %.3g of which spin %.3g; off by %.1e\n", sqrt(p_size),
           sqrt(l_size), spin, sqrt(off));
    assert_true(sqrt(off) < 1e-5 * spin);
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// Euler's equations in tiny steps, for the inertia of the whole at rest.
static void stiff_ones_tumble_as_rigid_bodies(void **state)
{
    (void)state;
    const double none[3] = {0};
    double errors[2];
    for (int fine = 0; fine < 2; fine++) {
        flesh_shape s = flesh_pear(3);
        int steps = fine ? 960 : 240;
        double dt = 1.0 / steps;
        flesh_fixture x = flesh_start(&s, 1e8f, (float)dt, 0.0f);
        wri_flesh_momentum m;
        x.body.bones[0].alpha[0] = 3.0, x.body.bones[0].alpha[1] = 1.0,
        x.body.bones[0].alpha[2] = -2.0;
        assert_true(wri_flesh_find_momentum(&x.body, NULL, &x.scratch, &m));
        double I[9], turn[4] = {0, 0, 0, 1}, L[3];
        memcpy(I, m.inertia, sizeof I);
        memcpy(L, m.spin, sizeof L);
        assert_true(wri_dense_factor(3, I));
        for (int i = 0; i < 20000; i++) { // midpoint rule for the turn, L fixed in the world
            double Q[3][3], omega[3], half[3], middle[4];
            wri_turn_matrix(turn, Q);
            wri_apply_transposed(WRI_MATRIX(Q), L, omega);
            wri_dense_solve(3, I, omega);
            memcpy(middle, turn, sizeof middle);
            for (int k = 0; k < 3; k++) {
                half[k] = 0.5 * omega[k] / 20000.0;
            }
            wri_turn_on(middle, half);
            wri_turn_matrix(middle, Q);
            wri_apply_transposed(WRI_MATRIX(Q), L, omega);
            wri_dense_solve(3, I, omega);
            for (int k = 0; k < 3; k++) {
                omega[k] /= 20000.0;
            }
            wri_turn_on(turn, omega);
        }
        wri_flesh_step_desc step = in_gravity(none);
        for (int i = 0; i < steps; i++) {
            assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
        }
        const double *got = x.body.bones[0].turn;
        double cosine =
            fabs(got[0] * turn[0] + got[1] * turn[1] + got[2] * turn[2] + got[3] * turn[3]);
        errors[fine] = 2.0 * acos(fmin(cosine, 1.0));
        flesh_end(&x);
        flesh_shape_destroy(&s);
    }
    printf("    after a second and 3.7 rad off by %.4f rad, with a quarter of the step %.4f\n",
           errors[0], errors[1]);
    assert_true(errors[0] < 0.05 && errors[1] < 0.35 * errors[0]);
}

// --- contact ------------------------------------------------------------------------------------

// The lowest node as it is now.
static int lowest_of(const wri_flesh *f, int beside)
{
    int best = -1;
    for (int i = 0; i < f->model->node_count; i++) {
        if (i != beside && (best < 0 || wri_flesh_place(f, i).y < wri_flesh_place(f, best).y)) {
            best = i;
        }
    }
    return best;
}

// J of one contact: three rows for the increments of the bone and of all nodes.
static void jacobian(const wri_flesh *f, int node, double *J, int size)
{
    const wr_flesh_model *m = f->model;
    double r[3];
    for (int k = 0; k < 3; k++) {
        r[k] = (double)m->rest[node][k] + (double)f->q[node][k] - m->bones[0].origin[k];
    }
    for (int c = 0; c < 9; c++) {
        double unit[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2}, moved[3];
        memcpy(moved, unit, sizeof moved);
        if (c >= 3 && c < 6) {
            wri_cross3(unit, r, moved);
        }
        wri_apply(WRI_MATRIX(f->Q[0].m), moved, moved);
        for (int k = 0; k < 3; k++) {
            J[k * size + (c < 6 ? c : 6 + 3 * node + c - 6)] = moved[k];
        }
    }
}

// A body that is within a wall is driven out on both sides of it at once, which cannot be.
static void contacts_that_contradict_each_other_add_no_energy(void **state)
{
    (void)state;
    enum { CONTACTS = 40 };
    flesh_shape s = flesh_sphere(4, wr_v3(0.1f, 0.1f, 0.1f), 0.7f);
    flesh_fixture x = flesh_start(&s, 1e7f, 1.0f / 60.0f, 1e-3f);
    wri_flesh *f = &x.body;
    wri_flesh_contact contacts[CONTACTS] = {{0}};
    f->bones[0].v[1] = -0.3, f->bones[0].alpha[2] = 0.5;
    for (int i = 0; i < CONTACTS; i++) {
        float side = i % 2 ? 1.0f : -1.0f;
        contacts[i] = (wri_flesh_contact){.node = i, .body = WRI_FIXED, .gap = -1e-4f};
        contacts[i].normal = wr_normalize(wr_v3(0.2f, side, 0.01f * (float)i));
        contacts[i].point = wri_flesh_place(f, i);
        contacts[i].bounce = 1.0f;
    }
    wri_flesh_momentum before, after;
    assert_true(wri_flesh_find_momentum(f, NULL, &x.scratch, &before));
    assert_true(wri_flesh_solve_contacts(&(wri_flesh *){f}, 1, contacts, CONTACTS, NULL, 0, NULL,
                                         &x.scratch));
    assert_true(wri_flesh_find_momentum(f, NULL, &x.scratch, &after));
    printf("    %.4g J of motion before, %.4g after\n", before.motion, after.motion);
    assert_true(before.motion > 0.0 && after.motion <= before.motion);
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

static void contacts_are_solved_as_the_dense_system_is(void **state)
{
    (void)state;
    enum { CONTACTS = 3 };
    flesh_shape s = flesh_pear(2);
    flesh_fixture x = flesh_start(&s, 4e4f, 1.0f / 60.0f, 1e-3f);
    wri_flesh *f = &x.body;
    const double by[3] = {0.4, -0.9, 0.3};
    wri_turn_on(f->bones[0].turn, by);
    wri_flesh_find_turns(f);
    for (int i = 0; i < s.node_count; i++) {
        f->q[i] =
            0.02f * (f4){f->model->rest[i][1], -f->model->rest[i][2], f->model->rest[i][0], 0};
        f->v[i] = (f4){0.1f, 0.02f * (float)(i % 5), -0.05f, 0.0f};
    }
    f->bones[0].v[0] = 0.3, f->bones[0].v[1] = -2.0, f->bones[0].alpha[2] = 0.8;
    int size = 6 + 3 * s.node_count, first = lowest_of(f, -1);
    int second = lowest_of(f, first), nodes[CONTACTS] = {first, second, 0};
    while (nodes[2] == first || nodes[2] == second) {
        nodes[2]++;
    }
    wri_flesh_contact contacts[CONTACTS] = {{0}};
    double *M = flesh_room((size_t)(size * size), sizeof *M), c[3 * CONTACTS],
           W[9 * CONTACTS * CONTACTS];
    double *J = flesh_room((size_t)(3 * CONTACTS * size), sizeof *J);
    double *answer = flesh_room((size_t)(3 * CONTACTS * size), sizeof *answer);
    double *v = flesh_room((size_t)size, sizeof *v);
    dense_system(f->model, M, size);
    assert_true(wri_dense_factor(size, M));
    wri_apply_transposed(WRI_MATRIX(f->Q[0].m), f->bones[0].v, v);
    memcpy(&v[3], f->bones[0].alpha, 3 * sizeof *v);
    for (int i = 0; i < 3 * s.node_count; i++) {
        v[6 + i] = (double)f->v[i / 3][i % 3];
    }
    for (int i = 0; i < CONTACTS; i++) {
        contacts[i] = (wri_flesh_contact){.node = nodes[i], .body = WRI_FIXED, .friction = 1e6f};
        contacts[i].normal = wr_normalize(wr_v3(0.1f * (float)i, 1.0f, -0.1f));
        contacts[i].point = wri_flesh_place(f, nodes[i]);
        jacobian(f, nodes[i], &J[3 * i * size], size);
    }
    for (int i = 0; i < 3 * CONTACTS; i++) {
        memcpy(&answer[i * size], &J[i * size], (size_t)size * sizeof *J);
        wri_dense_solve(size, M, &answer[i * size]);
        c[i] = 0.0;
        for (int k = 0; k < size; k++) {
            c[i] -= J[i * size + k] * v[k];
        }
        for (int j = 0; j < 3 * CONTACTS; j++) {
            W[i * 3 * CONTACTS + j] = 0.0;
            for (int k = 0; k < size; k++) {
                W[i * 3 * CONTACTS + j] += J[j * size + k] * answer[i * size + k];
            }
        }
    }
    assert_true(wri_dense_factor(3 * CONTACTS, W));
    wri_dense_solve(3 * CONTACTS, W, c); // now the impulses
    assert_true(wri_flesh_solve_contacts(&(wri_flesh *){f}, 1, contacts, CONTACTS, NULL, 0, NULL,
                                         &x.scratch));
    double largest = 0.0;
    for (int i = 0; i < 3 * CONTACTS; i++) {
        largest = fmax(largest, fabs(c[i]));
        for (int k = 0; k < size; k++) {
            v[k] += answer[i * size + k] * c[i];
        }
    }
    for (int i = 0; i < CONTACTS; i++) {
        CHECK_NEAR(contacts[i].impulse.x, c[3 * i], 2e-3 * largest);
        CHECK_NEAR(contacts[i].impulse.y, c[3 * i + 1], 2e-3 * largest);
        CHECK_NEAR(contacts[i].impulse.z, c[3 * i + 2], 2e-3 * largest);
        assert_true(contacts[i].impulse.y > 0.0f);
    }
    for (int i = 0; i < 3 * s.node_count; i++) {
        CHECK_NEAR(f->v[i / 3][i % 3], v[6 + i], 5e-3);
    }
    double a[3];
    wri_apply_transposed(WRI_MATRIX(f->Q[0].m), f->bones[0].v, a);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(a[k], v[k], 2e-3);
        CHECK_NEAR(f->bones[0].alpha[k], v[3 + k], 2e-2);
    }
    free(M);
    free(J);
    free(answer);
    free(v);
    flesh_end(&x);
    flesh_shape_destroy(&s);
}

// A sphere of 10 cm that meets the ground at 2 m/s: what its core's velocity is after one step.
static double core_after_a_hit(int n, float dt)
{
    flesh_shape s = flesh_sphere(n, wr_v3(0.1f, 0.1f, 0.1f), 0.6f);
    flesh_fixture x = flesh_start(&s, 2e4f, dt, 0.0f);
    const wr_vec3 up = {0, 1, 0};
    wri_flesh_contact *contacts = flesh_room((size_t)s.node_count, sizeof *contacts);
    x.body.bones[0].c[1] = 0.1 - 0.008;
    x.body.bones[0].v[1] = -2.0;
    int count = touch_plane(&x.body, up, 0.0f, 0.3f, contacts);
    assert_true(wri_flesh_solve_contacts(&(wri_flesh *){&x.body}, 1, contacts, count, NULL, 0, NULL,
                                         &x.scratch));
    double v = x.body.bones[0].v[1];
    for (int i = 0; i < count; i++) {
        assert_true(contacts[i].impulse.y >= 0.0f);
    }
    printf("    %5d nodes, 1/%.0f s, %d contacts: the core goes on with %.3f m/s\n", s.node_count,
           1.0 / (double)dt, count, v);
    free(contacts);
    flesh_end(&x);
    flesh_shape_destroy(&s);
    return v + 2.0;
}

static void the_core_answers_alike_under_coarse_and_fine_skins(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        float dt = k ? 1.0f / 240.0f : 1.0f / 60.0f;
        double coarse = core_after_a_hit(16, dt), fine = core_after_a_hit(32, dt);
        assert_true(fabs(coarse / fine - 1.0) < 0.1);
    }
}

typedef struct rest_run {
    flesh_fixture x;
    flesh_shape s;
    wri_flesh_contact *contacts;
    int count;
} rest_run;

static rest_run rest_start(int n, wr_vec3 size, float young, float dt, float height)
{
    rest_run r = {.s = flesh_sphere(n, size, 0.6f)};
    r.x = flesh_start(&r.s, young, dt, 2e-3f);
    r.contacts = flesh_room((size_t)r.s.node_count, sizeof *r.contacts);
    r.x.body.bones[0].c[1] = (double)height;
    return r;
}

static void rest_step(rest_run *r, wr_vec3 normal, float friction)
{
    const double g[3] = {0.0, -9.81, 0.0};
    wri_flesh_step_desc step = in_gravity(g);
    step.contacts = r->contacts;
    step.contact_count = r->count = touch_plane(&r->x.body, normal, 0.01f, friction, r->contacts);
    step.slop = 1e-4f;
    assert_true(wri_flesh_step(&(wri_flesh *){&r->x.body}, 1, &step, &r->x.scratch));
}

static void rest_end(rest_run *r)
{
    free(r->contacts);
    flesh_end(&r->x);
    flesh_shape_destroy(&r->s);
}

// Dropped from a height of a body. What is flatter than a ball cannot roll away, but rocks for a
// while.
static void a_lump_comes_to_rest_and_gains_nothing(void **state)
{
    (void)state;
    const wr_vec3 up = {0, 1, 0}, sizes[] = {{0.1f, 0.1f, 0.1f}, {0.13f, 0.08f, 0.11f}};
    for (int k = 0; k < 2; k++) {
        rest_run r = rest_start(8, sizes[k], 2e4f, 1.0f / 240.0f, 0.2f);
        const wri_flesh_pose *core = &r.x.body.bones[0];
        double start = flesh_energy(&r.x.body, 9.81), most = start, low = 1.0, high = 0.0;
        for (int i = 0; i < 2640; i++) {
            rest_step(&r, up, 0.5f);
            most = fmax(most, flesh_energy(&r.x.body, 9.81));
            low = i < 2400 ? 1.0 : fmin(low, core->c[1]);
            high = i < 2400 ? 0.0 : fmax(high, core->c[1]);
        }
        printf(
            "    energy at most %.4f of the start; in the last second the core is between %.5f and "
            "%.5f m; it turns by %.1e rad/s\n",
            most / start, low, high, sqrt(wri_dot3(core->alpha, core->alpha)));
        assert_true(most < 1.01 * start);
        assert_true(low > 0.6 * (double)sizes[k].y && high < (double)sizes[k].y);
        assert_true(k == 0 || high - low < 3e-5);
        rest_end(&r);
    }
}

// Its acceleration down a slope, with friction of 0.5.
static double slide_of(double slope)
{
    const double g = 9.81;
    flesh_shape s = flesh_sphere(8, wr_v3(0.2f, 0.04f, 0.2f), 0.6f); // flat: it does not roll
    flesh_fixture x = flesh_start(&s, 1e5f, 1.0f / 240.0f, 2e-3f);
    wri_flesh_contact *contacts = flesh_room((size_t)s.node_count, sizeof *contacts);
    const wr_vec3 up = {0, 1, 0};
    x.body.bones[0].c[1] = 0.04;
    wri_flesh_step_desc step = {.gravity = {g * sin(slope), -g * cos(slope), 0.0}, .slop = 1e-4f};
    double before = 0.0;
    for (int i = 0; i < 240; i++) {
        step.contacts = contacts;
        step.contact_count = touch_plane(&x.body, up, 0.01f, 0.5f, contacts);
        assert_true(wri_flesh_step(&(wri_flesh *){&x.body}, 1, &step, &x.scratch));
        before = i == 119 ? x.body.bones[0].v[0] : before;
    }
    double acceleration = (x.body.bones[0].v[0] - before) / 0.5;
    free(contacts);
    flesh_end(&x);
    flesh_shape_destroy(&s);
    return acceleration;
}

static void it_slides_from_the_angle_of_friction_on(void **state)
{
    (void)state;
    double angle = atan(0.5), two = 2.0 * 3.14159265358979 / 180.0;
    double below = slide_of(angle - two), above = slide_of(angle + two), steep = slide_of(0.7);
    double coulomb = 9.81 * (sin(0.7) - 0.5 * cos(0.7));
    printf("    accelerates by %.3f, %.3f; on 40 degrees by %.3f, Coulomb %.3f m/s^2\n", below,
           above, steep, coulomb);
    assert_true(fabs(below) < 0.05 && above > 0.2);
    assert_true(fabs(steep / coulomb - 1.0) < 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_resists_as_a_slab),
        cmocka_unit_test(a_layer_that_is_turned_inside_out_is_refused),
        cmocka_unit_test(what_falls_freely_keeps_its_shape),
        cmocka_unit_test(momenta_stay_while_it_flies_and_wobbles),
        cmocka_unit_test(stiff_ones_tumble_as_rigid_bodies),
        cmocka_unit_test(contacts_that_contradict_each_other_add_no_energy),
        cmocka_unit_test(contacts_are_solved_as_the_dense_system_is),
        cmocka_unit_test(the_core_answers_alike_under_coarse_and_fine_skins),
        cmocka_unit_test(a_lump_comes_to_rest_and_gains_nothing),
        cmocka_unit_test(it_slides_from_the_angle_of_friction_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
