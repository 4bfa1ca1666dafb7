// test_clay.c: bodies of clay against closed forms, and what they must keep.
#include "clay_measure.h"

static wr_clay_world *world_of(const clay_block *block)
{
    wr_clay_world *world = clay_world(NULL);
    assert_non_null(world);
    assert_int_equal(clay_add_block(world, block, NULL), 0);
    return world;
}

static clay_block elastic_block(int x, int y, int z, float spacing)
{
    clay_block block = clay_block_default(x, y, z, spacing);
    block.desc.parameters.flow = 0.0f;
    block.desc.parameters.viscosity = 0.0f;
    return block;
}

static void find_forces(wri_clay *c)
{
    wri_clay_find_stresses(c, 0.0f, NULL);
    wri_clay_find_forces(c, NULL);
}

// --- elasticity ---------------------------------------------------------------------------------

// A bar along z that is pulled at both ends, until it is at rest.
static void pull(wri_clay *c, float traction, const clay_block *block, int rounds)
{
    float dt = 1.0f / c->state.omega, s = block->spacing;
    float end = s * (0.5f * (float)(block->n[2] - 1) - 0.1f);
    for (int round = 0; round < rounds; round++) {
        find_forces(c);
        for (int i = 0; i < c->count; i++) {
            float z = c->e[i][2], sign = z > end ? 1.0f : z < -end ? -1.0f : 0.0f;
            f4 force = c->force[i] + (f4){0.0f, 0.0f, sign * traction * s * s, 0.0f};
            c->v[i] = 0.98f * (c->v[i] + dt / c->m[i] * force);
            c->x[i] += dt * c->v[i];
        }
    }
}

// Strain along an axis in the middle of the bar: the slope of x against e.
static double strain(const wri_clay *c, int axis, float middle)
{
    double xe = 0.0, ee = 0.0;
    for (int i = 0; i < c->count; i++) {
        if (fabsf(c->e[i][2]) < middle) {
            xe += (double)c->x[i][axis] * (double)c->e[i][axis];
            ee += (double)c->e[i][axis] * (double)c->e[i][axis];
        }
    }
    return xe / ee - 1.0;
}

static void stretching_gives_young_and_poisson(void **state)
{
    (void)state;
    const int across[] = {5, 8, 12};
    for (int k = 0; k < 3; k++) {
        int n = across[k];
        clay_block block = elastic_block(n, n, 3 * n, 1.0f / (float)n);
        block.desc.parameters.poisson = 0.3f;
        wr_clay_world *world = world_of(&block);
        wri_clay *c = wri_clay_of(world, 0);
        float E = c->moduli.pressure * block.desc.parameters.stiffness;
        pull(c, 0.01f * E, &block, 120 * n);
        double along = strain(c, 2, 0.75f);
        CHECK_NEAR(0.01 / along, 1.0, 0.03);
        CHECK_NEAR(-strain(c, 0, 0.75f) / along, 0.3, 0.01);
        CHECK_NEAR(-strain(c, 1, 0.75f) / along, 0.3, 0.01);
        wr_clay_world_destroy(world);
    }
}

// Forces over those of a strain of 1.
static double largest_force(const wri_clay *c)
{
    float most = 0.0f, s = 2.0f * c->radius[0];
    for (int i = 0; i < c->count; i++) {
        most = fmaxf(most, f4_dot(c->force[i], c->force[i]));
    }
    return (double)(sqrtf(most) / (c->moduli.mu * s * s));
}

static void rigid_motion_makes_no_force(void **state)
{
    (void)state;
    const wr_vec3 places[] = {{0.0f, 0.0f, 0.0f}, {100.0f, -60.0f, 33.0f}};
    for (int k = 0; k < 2; k++) {
        clay_block block = elastic_block(6, 7, 8, 0.05f);
        block.center = places[k];
        wr_clay_world *world = world_of(&block);
        wri_clay *c = wri_clay_of(world, 0);
        wr_quat turn = wr_quat_from_axis_angle(wr_normalize(wr_v3(1, -2, 0.5f)), 2.6f);
        for (int i = 0; i < c->count; i++) {
            c->x[i] = f4_of(wr_add(wr_rotate(turn, f4_vec3(c->x[i])), wr_v3(0.3f, 0.1f, -0.2f)));
        }
        find_forces(c);
        CHECK_NEAR(largest_force(c), 0.0, 1e-5);
        wr_clay_world_destroy(world);
    }
}

static void fly(wr_clay_world *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        wr_clay_step step = {.dt = 1.0f / 240.0f};
        wr_clay_world_step(world, &step);
    }
}

static void a_block_that_flies_far_has_no_stress(void **state)
{
    (void)state;
    clay_block block = elastic_block(6, 7, 8, 0.05f);
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    for (int i = 0; i < c->count; i++) {
        c->v[i] = (f4){400.0f, -150.0f, 90.0f, 0.0f};
    }
    fly(world, 240);
    wr_vec3 place = wri_clay_place(c, c->x[0]), from = f4_vec3(c->seed[0]);
    CHECK_NEAR(place.x - from.x, 400.0, 1e-3);
    CHECK_NEAR(place.y - from.y, -150.0, 1e-3);
    find_forces(c);
    CHECK_NEAR(largest_force(c), 0.0, 1e-5);
    wr_clay_world_destroy(world);
}

// Rounding makes the stiffest yield all the time: rest shapes must not drift apart or swell by it.
static void what_is_stiff_and_flows_gets_no_stress_of_its_own(void **state)
{
    (void)state;
    clay_block block = elastic_block(5, 6, 5, 0.25f);
    wr_error error;
    assert_true(wr_clay_find_preset("putty", &block.desc.parameters, &error));
    block.desc.parameters.stiffness = 1e7f;
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    fly(world, 120);
    double E = 2.6 * (double)c->moduli.mu, V = 150.0 * 0.25 * 0.25 * 0.25;
    double share = wri_clay_find_energy(c).elastic / (E * V);
    printf("    elastic energy %.1e of E V\n", share);
    assert_true(share < 1e-9);
    wr_clay_world_destroy(world);
}

static void stretched_forces_are_there(void **state) // so that the test above can fail
{
    (void)state;
    clay_block block = elastic_block(6, 7, 8, 0.05f);
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    for (int i = 0; i < c->count; i++) {
        c->x[i] *= 1.001f;
    }
    find_forces(c);
    assert_true(largest_force(c) > 1e-4);
    wr_clay_world_destroy(world);
}

// --- momenta and energy -------------------------------------------------------------------------

static void momenta_are_kept(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) { // elastic, viscous, implicitly, flowing
        clay_block block = elastic_block(6, 7, 9, 0.05f);
        wr_clay_parameters *p = &block.desc.parameters;
        p->viscosity = kind == 0 ? 0.0f : 0.05f;
        p->implicit = kind == 2;
        p->flow = kind == 3 ? 0.3f : 0.0f;
        p->yield = 0.1f;
        wr_clay_world *world = world_of(&block);
        stir(world, 0, 1.0f);
        sums before = sum_of(world);
        for (int i = 0; i < 60; i++) {
            step_free(world, 1.0f / 240.0f);
        }
        check_momenta(world, &before);
        wr_clay_world_destroy(world);
    }
}

static void elastic_energy_is_kept(void **state)
{
    (void)state;
    clay_block block = elastic_block(6, 7, 9, 0.05f);
    wr_clay_world *world = world_of(&block);
    stir(world, 0, 0.5f);
    double before = energy_of(world);
    for (int i = 0; i < 240; i++) {
        step_free(world, 1.0f / 240.0f);
        CHECK_NEAR(energy_of(world), before, 0.02 * before);
    }
    wr_clay_world_destroy(world);
}

static void viscosity_does_not_brake_a_spin(void **state)
{
    (void)state;
    clay_block block = elastic_block(8, 8, 8, 0.05f);
    block.desc.parameters.viscosity = 0.5f;
    block.desc.parameters.implicit = true;
    block.desc.parameters.stiffness = 3000.0f;
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    for (int i = 0; i < c->count; i++) {
        c->v[i] = f4_of(wr_cross(wr_v3(1.0f, 2.0f, -0.5f), f4_vec3(c->x[i])));
    }
    double before = sum_of(world).kinetic;
    for (int i = 0; i < 240; i++) {
        step_free(world, 1.0f / 240.0f);
    }
    CHECK_NEAR(sum_of(world).kinetic, before, 0.01 * before);
    wr_clay_world_destroy(world);
}

// A layer between plates: shear relaxes as e^(-eta k^2 t / rho) for a velocity sin(k y) along x.
static void implicit_viscosity_is_stable_and_damps(void **state)
{
    (void)state;
    clay_block block = elastic_block(6, 6, 6, 0.05f);
    block.desc.parameters.viscosity = 20.0f;
    block.desc.parameters.implicit = true;
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    assert_true(wri_clay_fastest_decay(c) * (1.0f / 240.0f) > 100.0f); // explicitly impossible
    stir(world, 0, 1.0f);
    double before = energy_of(world);
    for (int i = 0; i < 30; i++) {
        step_free(world, 1.0f / 240.0f);
        double now = energy_of(world);
        assert_true(now <= before * 1.001);
        before = now;
    }
    assert_true(wr_clay_is_sound(world, 0));
    wr_clay_world_destroy(world);
}

// What is so viscous that it would need thousands of substeps stands as firmly as before: viscosity
// is solved for, and goes on so after a restore.
static void viscosity_does_not_make_it_softer(void **state)
{
    (void)state;
    clay_block block = elastic_block(6, 6, 6, 0.05f);
    block.center = wr_v3(0.0f, 0.15f, 0.0f);
    block.desc.parameters.viscosity = 300.0f;
    wr_clay_world *world = world_of(&block), *other = world_of(&block);
    size_t size = wr_clay_save_size(world, 0);
    void *bytes = malloc(size);
    for (int i = 0; i < 60; i++) {
        clay_step_on_ground(world, 1.0f / 240.0f, 0.0f, 1.0f);
    }
    wr_clay_save(world, 0, bytes);
    assert_true(wr_clay_restore(other, 0, bytes, size, NULL));
    for (int i = 0; i < 60; i++) {
        clay_step_on_ground(world, 1.0f / 240.0f, 0.0f, 1.0f);
        clay_step_on_ground(other, 1.0f / 240.0f, 0.0f, 1.0f);
    }
    const wri_clay *c = wri_clay_of(world, 0);
    float top = 0.0f;
    for (int i = 0; i < c->count; i++) {
        top = fmaxf(top, c->x[i][1] + (float)c->state.origin[1] + c->radius[i]);
    }
    CHECK_NEAR(top, 0.3, 0.01);
    assert_true(wr_clay_get_statistics(world, 0).ease == 1.0f);
    assert_true(wr_clay_hash(world, 0) == wr_clay_hash(other, 0));
    free(bytes);
    wr_clay_world_destroy(world);
    wr_clay_world_destroy(other);
}

// --- numbers ------------------------------------------------------------------------------------

static void a_particle_is_known_by_its_place_in_the_desc(void **state)
{
    (void)state;
    wr_vec3 points[64], now[64];
    float volumes[64];
    for (int i = 0; i < 64; i++) { // not the order of a curve through space
        int k = i * 37 % 64;
        points[i] = wr_v3(0.1f * (float)(k % 4), 0.1f * (float)(k / 4 % 4), 0.1f * (float)(k / 16));
        volumes[i] = 1e-3f;
    }
    wr_clay_desc desc = wr_clay_desc_default();
    desc.positions = points;
    desc.volumes = volumes;
    desc.count = 64;
    wr_clay_world *world = clay_world(NULL);
    assert_int_equal(wr_clay_add(world, &desc, NULL), 0);
    wr_clay_positions(world, 0, now);
    const uint32_t *ids = wr_clay_ids(world, 0);
    for (int i = 0; i < 64; i++) {
        CHECK_NEAR(wr_distance(now[i], points[ids[i]]), 0.0, 1e-6);
    }
    wr_clay_world_destroy(world);
}

static void the_number_of_a_removed_body_is_given_again(void **state)
{
    (void)state;
    clay_block block = elastic_block(4, 4, 4, 0.05f);
    wr_clay_world *world = clay_world(NULL);
    for (int i = 0; i < 3; i++) {
        block.center = wr_v3((float)i, 0.0f, 0.0f);
        assert_int_equal(clay_add_block(world, &block, NULL), i);
    }
    wr_clay_remove(world, 1);
    step_free(world, 1.0f / 240.0f);
    block.center = wr_v3(5.0f, 0.0f, 0.0f);
    assert_int_equal(clay_add_block(world, &block, NULL), 1);
    assert_int_equal(clay_add_block(world, &block, NULL), 3);
    step_free(world, 1.0f / 240.0f);
    wr_clay_world_destroy(world);
}

// --- plasticity ---------------------------------------------------------------------------------

// Shears the body by k at once; returns how far the rest shape of the middle particle followed.
static double flow_of(float shear, float yield, float flow, int substeps, float time)
{
    clay_block block = elastic_block(6, 6, 6, 0.05f);
    block.desc.parameters.yield = yield;
    block.desc.parameters.flow = flow;
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    for (int i = 0; i < c->count; i++) {
        c->x[i][0] += shear * c->x[i][1];
    }
    for (int i = 0; i < substeps; i++) {
        wri_clay_find_stresses(c, time / (float)substeps, NULL);
        wri_clay_flow(c, NULL);
    }
    double change = 0.0;
    for (int k = 0; k < 9; k++) {
        double off = (double)c->plastic[c->count / 2 * 9 + k] - (k % 4 == 0);
        change += off * off;
    }
    wr_clay_world_destroy(world);
    return sqrt(change);
}

static void nothing_flows_below_the_yield(void **state)
{
    (void)state;
    // |dev P| = sqrt(2) mu k for a small shear k, mu = E / 2.7 with Poisson's ratio 0.35
    double stress = sqrt(2.0) * 100.0 / 2.7 * 0.02;
    assert_true(flow_of(0.02f, (float)(1.05 * stress), 0.5f, 10, 0.1f) == 0.0);
    assert_true(flow_of(0.02f, (float)(0.95 * stress), 0.5f, 10, 0.1f) > 1e-5);
}

static void flow_does_not_depend_on_substeps(void **state)
{
    (void)state;
    double coarse = flow_of(0.1f, 0.5f, 0.3f, 4, 0.004f);
    double fine = flow_of(0.1f, 0.5f, 0.3f, 40, 0.004f);
    assert_true(coarse > 0.01);
    CHECK_NEAR(coarse, fine, 0.01 * fine);
}

static void plastic_flow_keeps_volumes(void **state)
{
    (void)state;
    clay_block block = elastic_block(6, 6, 6, 0.05f);
    block.desc.parameters.yield = 0.0f;
    block.desc.parameters.flow = 0.5f;
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    for (int i = 0; i < c->count; i++) {
        c->x[i] *= (f4){1.3f, 0.8f, 1.0f, 0.0f};
        c->x[i][2] += 0.2f * c->x[i][0];
    }
    for (int i = 0; i < 200; i++) {
        wri_clay_find_stresses(c, 0.002f, NULL);
        wri_clay_flow(c, NULL);
    }
    for (int i = 0; i < c->count; i++) {
        const float *p = &c->plastic[i * 9];
        double det = (double)p[0] * ((double)p[4] * (double)p[8] - (double)p[5] * (double)p[7]) -
                     (double)p[1] * ((double)p[3] * (double)p[8] - (double)p[5] * (double)p[6]) +
                     (double)p[2] * ((double)p[3] * (double)p[7] - (double)p[4] * (double)p[6]);
        CHECK_NEAR(det, 1.0, 1e-3);
    }
    wr_clay_world_destroy(world);
}

static void an_inverted_neighbourhood_recovers(void **state)
{
    (void)state;
    clay_block block = elastic_block(6, 6, 6, 0.05f);
    block.desc.parameters.viscosity = 0.05f;
    block.desc.parameters.implicit = true;
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    for (int i = 0; i < c->count; i++) { // one corner is turned inside out
        if (c->x[i][0] > 0.0f && c->x[i][1] > 0.0f && c->x[i][2] > 0.0f) {
            c->x[i][0] *= -0.7f;
        }
    }
    for (int i = 0; i < 480; i++) {
        step_free(world, 1.0f / 240.0f);
    }
    assert_true(wr_clay_is_sound(world, 0));
    find_forces(c);
    assert_true(largest_force(c) < 0.02);
    wr_clay_world_destroy(world);
}

// --- contact ------------------------------------------------------------------------------------

static void blocks_that_meet_keep_momenta(void **state)
{
    (void)state;
    clay_block a = elastic_block(5, 6, 7, 0.05f), b = elastic_block(6, 5, 5, 0.04f);
    b.center = wr_v3(0.32f, 0.06f, 0.03f);
    b.desc.density = 400.0;
    b.desc.parameters.stiffness = 40.0f;
    wr_clay_world *world = world_of(&a);
    assert_int_equal(clay_add_block(world, &b, NULL), 1);
    wri_clay *second = wri_clay_of(world, 1);
    for (int i = 0; i < second->count; i++) {
        second->v[i] = (f4){-3.0f, 0.5f, 0.2f, 0.0f};
    }
    sums before = sum_of(world);
    double energy = energy_of(world), most = 0.0;
    for (int i = 0; i < 120; i++) {
        step_free(world, 1.0f / 240.0f);
        most = fmax(most, energy_of(world));
    }
    check_momenta(world, &before);
    assert_true(most <= 1.02 * energy);
    double speed = 0.0;
    for (int i = 0; i < second->count; i++) {
        speed += (double)second->v[i][0] / second->count;
    }
    assert_true(speed > -1.0); // the first one stopped it
    wr_clay_world_destroy(world);
}

static void a_block_comes_to_rest_on_the_ground(void **state)
{
    (void)state;
    clay_block block = clay_block_default(5, 6, 5, 0.05f);
    block.center = wr_v3(3000.0f, 0.3f, -2000.0f);
    block.rotation = wr_quat_from_axis_angle(wr_v3(0, 0, 1), 0.2f);
    wr_clay_world *world = world_of(&block);
    for (int i = 0; i < 1920 && !wr_clay_is_asleep(world, 0); i++) {
        clay_step_on_ground(world, 1.0f / 240.0f, 0.0f, 0.6f);
    }
    assert_true(wr_clay_is_asleep(world, 0));
    const wri_clay *c = wri_clay_of(world, 0);
    for (int i = 0; i < c->count; i++) {
        assert_true((double)c->x[i][1] + c->state.origin[1] > 0.8 * (double)c->radius[i]);
    }
    wr_clay_world_destroy(world);
}

static void runaways_are_brought_back(void **state)
{
    (void)state;
    clay_block block = clay_block_default(6, 6, 6, 0.05f);
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    for (int i = 0; i < c->count; i++) { // all of it is fast, which is no trouble
        c->v[i] = (f4){90.0f, 20.0f, 0.0f, 0.0f};
    }
    step_free(world, 1.0f / 240.0f);
    assert_int_equal(wr_clay_get_statistics(world, 0).retired, 0);
    c->v[17] = (f4){-3000.0f, 0.0f, 100.0f, 0.0f};
    c->x[40] = (f4){NAN, 0.0f, 0.0f, 0.0f};
    c->v[99][1] = INFINITY;
    for (int i = 0; i < 120; i++) {
        step_free(world, 1.0f / 240.0f);
    }
    assert_true(wr_clay_is_sound(world, 0));
    assert_true(wr_clay_get_statistics(world, 0).retired >= 3);
    for (int i = 0; i < c->count; i++) {
        f4 off = c->x[i] - c->x[0];
        assert_true(f4_dot(off, off) < 1.0f);
        CHECK_NEAR(c->v[i][0], 90.0, 9.0);
    }
    wr_clay_world_destroy(world);
}

// --- state --------------------------------------------------------------------------------------

// A world in the middle of things: two bodies, flowing, viscous, on the ground.
static wr_clay_world *busy_world(void)
{
    clay_block a = clay_block_default(5, 6, 5, 0.05f), b = clay_block_default(4, 5, 6, 0.05f);
    a.center = wr_v3(0.0f, 0.16f, 0.0f);
    b.center = wr_v3(0.07f, 0.5f, 0.05f);
    b.desc.parameters.implicit = true;
    b.desc.parameters.yield = 0.1f;
    wr_clay_world *world = world_of(&a);
    assert_int_equal(clay_add_block(world, &b, NULL), 1);
    stir(world, 1, 0.5f);
    return world;
}

static void run(wr_clay_world *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        clay_step_on_ground(world, 1.0f / 240.0f, 0.0f, 0.5f);
    }
}

static void restored_bodies_go_on_with_the_same_bits(void **state)
{
    (void)state;
    wr_clay_world *a = busy_world(), *b = busy_world();
    run(a, 70);
    for (int body = 0; body < 2; body++) {
        size_t size = wr_clay_save_size(a, body);
        void *bytes = malloc(size);
        wr_clay_save(a, body, bytes);
        assert_true(wr_clay_restore(b, body, bytes, size, NULL));
        assert_true(wr_clay_hash(a, body) == wr_clay_hash(b, body));
        ((uint8_t *)bytes)[size / 2] ^= 4;
        wr_error error = {0};
        assert_false(wr_clay_restore(b, body, bytes, size, &error));
        assert_false(wr_clay_restore(b, body, bytes, size / 2, &error));
        free(bytes);
    }
    assert_true(wri_clay_of(a, 0)->state.embeddings > 0.0); // it did flow
    run(a, 60);
    run(b, 60);
    for (int body = 0; body < 2; body++) {
        assert_true(wr_clay_hash(a, body) == wr_clay_hash(b, body));
    }
    wr_clay_world_destroy(a);
    wr_clay_world_destroy(b);
}

static void the_order_of_blocks_does_not_matter(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        wri_test_block_shuffle = 3 * k;
        wr_clay_world *world = busy_world();
        run(world, 90);
        hashes[k] = wr_clay_hash(world, 0) ^ wr_clay_hash(world, 1);
        wr_clay_world_destroy(world);
    }
    wri_test_block_shuffle = 0;
    assert_true(hashes[0] == hashes[1]);
}

// --- input --------------------------------------------------------------------------------------

static void wrong_bodies_are_refused_with_a_sentence(void **state)
{
    (void)state;
    wr_clay_world *world = clay_world(NULL);
    clay_block block = clay_block_default(3, 1, 1, 0.1f);
    wr_error error = {0};
    assert_int_equal(clay_add_block(world, &block, &error), -1);
    assert_string_equal(error.message, "count: 3 particles, need 4 to 2000000");
    block = clay_block_default(3, 3, 3, 0.1f);
    block.desc.parameters.poisson = 0.5f;
    assert_int_equal(clay_add_block(world, &block, &error), -1);
    assert_non_null(strstr(error.message, "poisson"));
    block = clay_block_default(3, 3, 3, 0.1f);
    block.desc.parameters.stiffness = -1.0f;
    assert_int_equal(clay_add_block(world, &block, &error), -1);
    assert_non_null(strstr(error.message, "stiffness"));
    block = clay_block_default(3, 3, 3, 0.0f);
    assert_int_equal(clay_add_block(world, &block, &error), -1);
    assert_non_null(strstr(error.message, "volumes[0]"));
    block = clay_block_default(3, 3, 3, 0.1f);
    block.desc.cookie = 0;
    assert_int_equal(clay_add_block(world, &block, &error), -1);
    assert_int_equal(error.code, WR_E_ARGUMENT);
    wr_clay_world_destroy(world);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = {counting_alloc, counting_free, &heap};
        wr_error error = {0};
        wr_clay_world *world = clay_world(&allocator);
        clay_block block = clay_block_default(4, 4, 4, 0.1f);
        done = world && clay_add_block(world, &block, &error) == 0;
        assert_true(done || !world || error.code == WR_E_MEMORY);
        heap.budget = done ? 1000 : 0;
        for (int i = 0; done && i < 20; i++) { // steps warm up, then they take nothing
            step_free(world, 1.0f / 240.0f);
        }
        int calls = heap.calls;
        heap.budget = 0;
        for (int i = 0; done && i < 20; i++) {
            step_free(world, 1.0f / 240.0f);
        }
        assert_int_equal(heap.calls, calls);
        wr_clay_world_destroy(world);
        assert_int_equal(heap.alive, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretching_gives_young_and_poisson),
        cmocka_unit_test(rigid_motion_makes_no_force),
        cmocka_unit_test(a_block_that_flies_far_has_no_stress),
        cmocka_unit_test(what_is_stiff_and_flows_gets_no_stress_of_its_own),
        cmocka_unit_test(stretched_forces_are_there),
        cmocka_unit_test(momenta_are_kept),
        cmocka_unit_test(elastic_energy_is_kept),
        cmocka_unit_test(viscosity_does_not_brake_a_spin),
        cmocka_unit_test(implicit_viscosity_is_stable_and_damps),
        cmocka_unit_test(viscosity_does_not_make_it_softer),
        cmocka_unit_test(a_particle_is_known_by_its_place_in_the_desc),
        cmocka_unit_test(the_number_of_a_removed_body_is_given_again),
        cmocka_unit_test(nothing_flows_below_the_yield),
        cmocka_unit_test(flow_does_not_depend_on_substeps),
        cmocka_unit_test(plastic_flow_keeps_volumes),
        cmocka_unit_test(an_inverted_neighbourhood_recovers),
        cmocka_unit_test(blocks_that_meet_keep_momenta),
        cmocka_unit_test(a_block_comes_to_rest_on_the_ground),
        cmocka_unit_test(runaways_are_brought_back),
        cmocka_unit_test(restored_bodies_go_on_with_the_same_bits),
        cmocka_unit_test(the_order_of_blocks_does_not_matter),
        cmocka_unit_test(wrong_bodies_are_refused_with_a_sentence),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
