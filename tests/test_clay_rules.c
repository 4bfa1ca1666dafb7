// test_clay_rules.c: what flows and what does not, particle by particle; units of the body's own
// time; clumps that stay where they were, fuse and tear.
#include "clay.h"
#include "clay_measure.h"

#include <limits.h>

static wr_clay_world *one_block(const clay_block *block)
{
    wr_clay_world *world = clay_world(NULL);
    assert_int_equal(clay_add_block(world, block, NULL), 0);
    return world;
}

// --- yield --------------------------------------------------------------------------------------

// Pulled out of shape: only what is neither too strong nor forbidden to flow does.
static void painted_factors_decide_what_flows(void **state)
{
    (void)state;
    clay_block block = clay_block_default(6, 4, 4, 0.05f);
    block.desc.parameters.yield = 0.5f;
    block.desc.parameters.flow = 0.3f;
    float yield[96], flow[96];
    for (int i = 0; i < 96; i++) {
        yield[i] = i % 3 == 0 ? 1e5f : 1.0f;
        flow[i] = i % 5 == 0 ? 0.0f : 1.0f;
    }
    block.desc.yield = yield;
    block.desc.flow = flow;
    wr_clay_world *world = one_block(&block);
    wri_clay *c = wri_clay_of(world, 0);
    for (int i = 0; i < c->count; i++) {
        c->x[i][0] *= 1.3f;
    }
    wri_clay_find_stresses(c, 1e-3f, NULL);
    for (int i = 0; i < c->count; i++) {
        int from = (int)c->id[i];
        assert_int_equal(c->gamma[i] > 0.0f, from % 3 != 0 && from % 5 != 0);
    }
    wr_clay_world_destroy(world);
}

// Pressed alike from all sides nothing flows, however little it can bear; sheared as little it
// does.
static void pressure_alone_makes_nothing_flow(void **state)
{
    (void)state;
    for (int shear = 0; shear < 2; shear++) {
        clay_block block = clay_block_default(4, 4, 4, 0.05f);
        block.desc.parameters.yield = 0.01f;
        block.desc.parameters.flow = 0.3f;
        block.rotation = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 0.7f);
        wr_clay_world *world = one_block(&block);
        wri_clay *c = wri_clay_of(world, 0);
        for (int i = 0; i < c->count; i++) {
            f4 x = c->x[i];
            c->x[i] = shear ? (f4){x[0] + 0.05f * x[1], x[1], x[2], 0.0f} : 0.93f * x;
        }
        wri_clay_find_stresses(c, 1e-3f, NULL);
        for (int i = 0; i < c->count; i++) {
            assert_int_equal(c->gamma[i] > 0.0f, shear);
        }
        wr_clay_world_destroy(world);
    }
}

// --- units --------------------------------------------------------------------------------------

// `flow` is the share of a stress that is forgotten in a hundredth of the body's own time,
// viscosity is in pressures times that time, whatever the size.
static void rates_are_in_the_own_time_of_the_body(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        float spacing = k == 0 ? 0.002f : k == 1 ? 0.05f : 3.0f;
        clay_block block = clay_block_default(4, 5, 6, spacing);
        block.desc.parameters.flow = 0.4f;
        block.desc.parameters.viscosity = 0.3f;
        block.desc.density = 1300.0;
        wr_clay_world *world = one_block(&block);
        const wri_clay_moduli *m = &wri_clay_of(world, 0)->moduli;
        double L = (double)spacing * cbrt(120.0), time = sqrt(2.0 * L / 9.81);
        CHECK_NEAR(exp((double)m->forget * 0.01 * time), 0.6, 1e-4);
        CHECK_NEAR((double)m->eta / (0.3 * 1300.0 * 9.81 * L * time), 1.0, 1e-4);
        wr_clay_world_destroy(world);
    }
}

// What is made softer is so in all its moduli, and restored as soft as it was.
static void softening_is_of_all_moduli_and_is_restored(void **state)
{
    (void)state;
    clay_block block = clay_block_default(4, 4, 4, 0.05f);
    block.desc.parameters.viscosity = 0.2f;
    wr_clay_world *world = one_block(&block), *other = one_block(&block);
    wri_clay *c = wri_clay_of(world, 0);
    c->state.ease = 0.25f;
    wri_clay_ease(c);
    size_t size = wr_clay_save_size(world, 0);
    void *bytes = malloc(size);
    wr_clay_save(world, 0, bytes);
    wr_clay_freeze(other, 0);
    assert_true(wr_clay_restore(other, 0, bytes, size, NULL));
    for (int k = 0; k < 2; k++) {
        const wri_clay *one = wri_clay_of(k ? other : world, 0);
        CHECK_NEAR(one->moduli.mu / one->created.mu, 0.25, 1e-6);
        CHECK_NEAR(one->moduli.lambda / one->created.lambda, 0.25, 1e-6);
        CHECK_NEAR(one->moduli.eta / one->created.eta, 0.25, 1e-6);
        assert_false(one->frozen);
    }
    free(bytes);
    wr_clay_world_destroy(world);
    wr_clay_world_destroy(other);
}

// --- viscosity ----------------------------------------------------------------------------------

// Of particles of unequal mass, solved for: linear and angular momentum stay, motion within goes.
static void viscosity_keeps_the_momenta_of_unequal_masses(void **state)
{
    (void)state;
    clay_block block = clay_block_default(5, 4, 4, 0.05f);
    block.desc.parameters.viscosity = 2.0f;
    block.desc.parameters.implicit = true;
    wr_clay_world *world = one_block(&block);
    wri_clay *c = wri_clay_of(world, 0);
    double totals[2][6] = {{0}}, energy[2] = {0};
    for (int i = 0; i < c->count; i++) {
        c->m[i] *= 1.0f + (float)(c->id[i] % 5);
        c->v[i] = wri_clay_noise(c->id[i]) + (f4){0.3f, -1.0f, 0.5f, 0.0f};
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < c->count; i++) {
            double m = (double)c->m[i];
            f4 x = c->x[i], v = c->v[i];
            energy[k] += m * (double)f4_dot(v, v);
            for (int a = 0; a < 3; a++) {
                int b = (a + 1) % 3, d = (a + 2) % 3;
                totals[k][a] += m * (double)v[a];
                totals[k][3 + a] += m * (double)(x[b] * v[d] - x[d] * v[b]);
            }
        }
        if (k == 0) {
            wri_clay_solve_viscosity(c, 1.0f / 60.0f, NULL, &world->scratch);
        }
    }
    for (int a = 0; a < 6; a++) {
        CHECK_NEAR(totals[1][a], totals[0][a], 1e-4 * (a < 3 ? 30.0 : 3.0));
    }
    assert_true(energy[1] < 0.8 * energy[0]);
    wr_clay_world_destroy(world);
}

// --- two clumps ---------------------------------------------------------------------------------

enum { SIDE = 4, CLUMP = SIDE * SIDE * SIDE };

// One body of two clumps, 4 m from each other along x; seeds of the second have x > 0.
static wri_clay *two_clumps(wr_clay_world *world, bool fuses)
{
    wr_vec3 positions[2 * CLUMP];
    float volumes[2 * CLUMP];
    uint32_t random = 3;
    for (int i = 0; i < 2 * CLUMP; i++) {
        float at[3] = {(float)(i % SIDE), (float)(i / SIDE % SIDE),
                       (float)(i / (SIDE * SIDE) % SIDE)};
        for (int k = 0; k < 3; k++) {
            at[k] = 0.1f * (at[k] + 0.1f * clay_random(&random));
        }
        positions[i] = wr_v3(at[0] + (i < CLUMP ? 0.0f : 4.0f), at[1], at[2]);
        volumes[i] = 1e-3f;
    }
    wr_clay_desc desc = wr_clay_desc_default();
    desc.positions = positions;
    desc.volumes = volumes;
    desc.count = 2 * CLUMP;
    desc.parameters.fuses = fuses;
    assert_int_equal(wr_clay_add(world, &desc, NULL), 0);
    return wri_clay_of(world, 0);
}

// The rest shape of one has changed unevenly. Neither of them is shifted in the mean, though all of
// the other one is where it was.
static void parts_of_a_body_are_not_shifted_by_others(void **state)
{
    (void)state;
    wr_clay_world *world = clay_world(NULL);
    wri_clay *c = two_clumps(world, false);
    double before[2] = {0, 0}, after[2] = {0, 0}, most = 0.0;
    for (int i = 0; i < c->count; i++) {
        bool far = c->seed[i][0] > 0.0f;
        before[far] += (double)c->e[i][0];
        for (int k = 0; far && k < NEIGHBOURS; k++) {
            c->u[i * NEIGHBOURS + k][0] *= c->e[i][1] > 0.0f ? 1.3f : 1.0f;
        }
    }
    wri_clay_find_all_bases(c, NULL);
    assert_true(wri_clay_embed(c, NULL, &world->scratch));
    for (int i = 0; i < c->count; i++) {
        after[c->seed[i][0] > 0.0f] += (double)c->e[i][0];
        most = fmax(most, fabs((double)c->e[i][0] - (double)c->seed[i][0]));
    }
    assert_true(most > 0.005); // it did change
    CHECK_NEAR(after[0] / CLUMP, before[0] / CLUMP, 1e-6);
    CHECK_NEAR(after[1] / CLUMP, before[1] / CLUMP, 1e-6);
    wr_clay_world_destroy(world);
}

// Brought together they become neighbours only where clay fuses.
static void clumps_that_meet_fuse_only_when_told(void **state)
{
    (void)state;
    for (int fuses = 0; fuses < 2; fuses++) {
        wr_clay_world *world = clay_world(NULL);
        wri_clay *c = two_clumps(world, fuses);
        for (int i = 0; i < c->count; i++) {
            float shift = c->seed[i][0] > 0.0f ? -3.6f : 0.0f; // a spacing apart
            c->x[i][0] += shift;
            c->e[i][0] += shift;
        }
        assert_true(wri_clay_find_neighbours(c, NULL, &world->scratch));
        int across = 0;
        for (int edge = 0; edge < c->count * NEIGHBOURS; edge++) {
            int i = edge / NEIGHBOURS, j = c->neighbours[edge];
            across += (c->seed[i][0] > 0.0f) != (c->seed[j][0] > 0.0f);
        }
        assert_true(fuses ? across > 20 : across == 0);
        wr_clay_world_destroy(world);
    }
}

// Neighbours let go when they are further apart than `tears` times their rest, not before.
static void neighbours_let_go_beyond_the_limit(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        clay_block block = clay_block_default(5, 4, 4, 0.05f);
        block.desc.parameters.tears = k ? 1.3f : 2.0f;
        wr_clay_world *world = one_block(&block);
        wri_clay *c = wri_clay_of(world, 0);
        int before = 0, after = 0;
        for (int edge = 0; edge < c->count * NEIGHBOURS; edge++) {
            before += c->neighbours[edge] != edge / NEIGHBOURS;
        }
        for (int i = 0; i < c->count; i++) {
            c->x[i][0] *= 1.7f;
        }
        assert_true(wri_clay_find_neighbours(c, NULL, &world->scratch));
        for (int edge = 0; edge < c->count * NEIGHBOURS; edge++) {
            after += c->neighbours[edge] != edge / NEIGHBOURS;
        }
        assert_true(k ? after < 0.9 * before : after >= before);
        wr_clay_world_destroy(world);
    }
}

// Two clumps of one body, the upper one turned and thrown onto the other one.
static void clumps_that_are_pressed_together_fuse_when_told(void **state)
{
    (void)state;
    for (int fuses = 0; fuses < 2; fuses++) {
        wr_vec3 positions[128], velocities[128];
        float volumes[128];
        for (int i = 0; i < 128; i++) {
            bool upper = i >= 64;
            wr_vec3 p = {0.05f * (float)(i % 4), 0.05f * (float)(i / 4 % 4),
                         0.05f * (float)(i / 16 % 4)};
            wr_quat turn = wr_quat_from_axis_angle(wr_v3(0, 1, 0), upper ? 0.5f : 0.0f);
            positions[i] = wr_add(wr_rotate(turn, p), wr_v3(0, upper ? 0.4f : 0.0f, 0));
            velocities[i] = wr_v3(0, upper ? -1.0f : 1.0f, 0);
            volumes[i] = 0.05f * 0.05f * 0.05f;
        }
        wr_clay_desc desc = wr_clay_desc_default();
        desc.positions = positions;
        desc.velocities = velocities;
        desc.volumes = volumes;
        desc.count = 128;
        desc.parameters.fuses = fuses;
        wr_clay_world *world = clay_world(NULL);
        assert_int_equal(wr_clay_add(world, &desc, NULL), 0);
        const wri_clay *c = wri_clay_of(world, 0);
        sums before = sum_of(world);
        for (int i = 0; i < 120; i++) {
            step_free(world, 1.0f / 240.0f);
        }
        int parts = 0;
        for (int i = 0; i < c->count; i++) {
            parts += c->component[i] == i;
        }
        assert_int_equal(parts, fuses ? 1 : 2);
        check_momenta(world, &before);
        wr_clay_world_destroy(world);
    }
}

// --- substeps ---------------------------------------------------------------------------------

static void a_step_has_the_substeps_that_are_asked_for_within_limits(void **state)
{
    (void)state;
    static const int asked[] = {-5, 0, 30, WR_CLAY_SUBSTEPS_MAX, WR_CLAY_SUBSTEPS_MAX + 1, INT_MAX};
    int own = 0;
    for (int k = 0; k < WRI_COUNT(asked); k++) {
        clay_block block = clay_block_default(4, 4, 4, 0.05f);
        wr_clay_world *world = one_block(&block);
        wr_clay_step step = wr_clay_step_default();
        step.substeps = asked[k];
        wr_clay_world_step(world, &step);
        int taken = wr_clay_get_statistics(world, 0).substeps;
        own = k == 0 ? taken : own;
        assert_int_equal(taken, k < 2 ? own : k == 2 ? 30 : WR_CLAY_SUBSTEPS_MAX);
        wr_clay_world_destroy(world);
    }
    assert_true(own > 1 && own < 30);
}

// --- rest and strays ----------------------------------------------------------------------------

static double top_of(const wri_clay *c)
{
    double top = -INFINITY;
    for (int i = 0; i < c->count; i++) {
        top = fmax(top, (double)wri_clay_place(c, c->x[i]).y);
    }
    return top;
}

// Toffee gives in to its own weight for half a minute.
static void what_creeps_does_not_sleep(void **state)
{
    (void)state;
    clay_block block = clay_block_default(3, 5, 3, 0.06f);
    block.center = wr_v3(0, 0.15f, 0);
    wr_error error;
    assert_true(wr_clay_find_preset("toffee", &block.desc.parameters, &error));
    wr_clay_world *world = one_block(&block);
    const wri_clay *c = wri_clay_of(world, 0);
    double heights[3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 1200; i++) {
            clay_step_on_ground(world, 1.0f / 240.0f, 0.0f, 0.6f);
        }
        heights[k] = top_of(c);
    }
    printf("    after 5, 10 and 15 s it is %.3f, %.3f and %.3f m high\n", heights[0], heights[1],
           heights[2]);
    assert_true(heights[1] < 0.97 * heights[0] && heights[2] < 0.99 * heights[1]);
    wr_clay_world_destroy(world);
}

// A cube of 20 cm in a thousandth of earth's gravity, in which it is slow for seconds: in the air,
// and on the ground.
static void what_floats_and_moves_does_not_sleep(void **state)
{
    (void)state;
    static const struct {
        float gravity, speed, seconds; // m/s^2, m/s, s
        bool on_ground, sleeps;
    } cases[] = {
        {-0.01f, 0.0f, 4.0f, false, false}, // falls
        {0.0f, 1e-4f, 4.0f, false, false},  // drifts
        {0.0f, 0.0f, 4.0f, false, true},
        {-0.01f, 0.0f, 8.0f, true, true},
    };
    for (int k = 0; k < WRI_COUNT(cases); k++) {
        clay_block block = clay_block_default(4, 4, 4, 0.05f);
        block.center = wr_v3(0, 0.1f, 0);
        wr_clay_world *world = one_block(&block);
        wri_clay *c = wri_clay_of(world, 0);
        for (int i = 0; i < c->count; i++) {
            c->v[i] = (f4){0.0f, cases[k].speed, 0.0f, 0.0f};
        }
        double start = c->state.origin[1], t = (double)cases[k].seconds;
        for (int i = 0; i < (int)(240.0 * t) && !c->state.asleep; i++) {
            clay_step_in(world, 1.0f / 240.0f, cases[k].on_ground ? 0.0f : -9.0f, 0.6f,
                         wr_v3(0, cases[k].gravity, 0));
        }
        assert_int_equal(c->state.asleep, cases[k].sleeps);
        if (!cases[k].sleeps) {
            double way = (double)cases[k].speed * t + 0.5 * (double)cases[k].gravity * t * t;
            CHECK_NEAR(c->state.origin[1] - start, way, 0.01 * fabs(way));
        }
        wr_clay_world_destroy(world);
    }
}

// One particle is moved away together with everybody's idea of where it is: no stress brings it
// back. Another block is stretched as a whole: nobody is alone there.
static void a_stray_is_taken_in_and_momenta_are_kept(void **state)
{
    (void)state;
    for (int stretched = 0; stretched < 2; stretched++) {
        clay_block block = clay_block_default(5, 4, 6, 0.05f);
        block.desc.parameters.resamples = true;
        wr_clay_world *world = one_block(&block);
        wri_clay *c = wri_clay_of(world, 0);
        const f4 far = {0.2f, 0.35f, -0.1f, 0.0f};
        for (int i = 0; i < c->count; i++) {
            bool is_stray = c->id[i] == 7 && !stretched;
            c->x[i] = is_stray ? c->x[i] + far : stretched ? 4.0f * c->x[i] : c->x[i];
            for (int k = 0; k < NEIGHBOURS; k++) {
                int j = c->neighbours[i * NEIGHBOURS + k];
                f4 *u = &c->u[i * NEIGHBOURS + k];
                *u += j == i || stretched ? (f4){0}
                      : is_stray          ? -far
                      : c->id[j] == 7     ? far
                                          : (f4){0};
            }
        }
        stir(world, 0, 0.5f);
        sums before = sum_of(world);
        assert_int_equal(wri_clay_resample(c, 1e-3f, NULL, &world->scratch), !stretched);
        check_momenta(world, &before);
        assert_true(c->state.retired == (stretched ? 0.0 : 1.0));
        assert_int_equal(c->count, stretched ? 120 : 119);
        wr_clay_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(painted_factors_decide_what_flows),
        cmocka_unit_test(pressure_alone_makes_nothing_flow),
        cmocka_unit_test(rates_are_in_the_own_time_of_the_body),
        cmocka_unit_test(softening_is_of_all_moduli_and_is_restored),
        cmocka_unit_test(viscosity_keeps_the_momenta_of_unequal_masses),
        cmocka_unit_test(parts_of_a_body_are_not_shifted_by_others),
        cmocka_unit_test(clumps_that_meet_fuse_only_when_told),
        cmocka_unit_test(clumps_that_are_pressed_together_fuse_when_told),
        cmocka_unit_test(neighbours_let_go_beyond_the_limit),
        cmocka_unit_test(a_step_has_the_substeps_that_are_asked_for_within_limits),
        cmocka_unit_test(what_creeps_does_not_sleep),
        cmocka_unit_test(what_floats_and_moves_does_not_sleep),
        cmocka_unit_test(a_stray_is_taken_in_and_momenta_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
