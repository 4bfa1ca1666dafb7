// test_clay_physics.c: bodies of clay alone against closed forms of mechanics, and what must not
// change them: steps, particles, sizes. With WROUGHT_SLOW set, finer bodies too (make soak).
#include "clay_measure.h"

static const double PI = 3.14159265358979323846;

static wr_clay_world *world_of(const clay_block *block)
{
    wr_clay_world *world = clay_world(NULL);
    assert_non_null(world);
    assert_int_equal(clay_add_block(world, block, NULL), 0);
    return world;
}

// --- bars ---------------------------------------------------------------------------------------

// A square bar of edge 1 m along its own z, turned out of all axes.
typedef struct bar {
    wr_clay_world *world;
    wri_clay *c;
    wr_vec3 axes[3];
    float spacing;
    double half, E, rho, nu; // of the length; Pa; kg/m^3
} bar;

static bar make_bar(int across, int aspect)
{
    clay_block block = clay_block_default(across, across, across * aspect, 1.0f / (float)across);
    block.rotation = wr_quat_from_axis_angle(wr_normalize(wr_v3(2, -1, 0.7f)), 1.1f);
    block.desc.parameters.flow = 0.0f;
    block.desc.parameters.viscosity = 0.0f;
    block.desc.parameters.poisson = 0.3f;
    bar b = {.world = world_of(&block),
             .axes = {wr_rotate(block.rotation, wr_v3(1, 0, 0)),
                      wr_rotate(block.rotation, wr_v3(0, 1, 0)),
                      wr_rotate(block.rotation, wr_v3(0, 0, 1))},
             .spacing = block.spacing,
             .half = 0.5 * aspect,
             .rho = 1000.0,
             .nu = 0.3};
    b.c = wri_clay_of(b.world, 0);
    b.E = (double)b.c->moduli.pressure * (double)block.desc.parameters.stiffness;
    return b;
}

static float along(const bar *b, int i, int axis)
{
    return wr_dot(b->axes[axis], f4_vec3(b->c->seed[i]));
}

// One step of a bar whose first layer is held and whose last one is loaded, damped by `keep`.
static void pull_end(const bar *b, f4 load, float dt, float keep)
{
    wri_clay *c = b->c;
    float end = (float)b->half - 0.6f * b->spacing;
    wri_clay_find_stresses(c, 0.0f, NULL);
    wri_clay_find_forces(c, NULL);
    for (int i = 0; i < c->count; i++) {
        float z = along(b, i, 2);
        f4 force = z > end ? c->force[i] + load : c->force[i];
        c->v[i] = z < -end ? (f4){0} : keep * (c->v[i] + dt / c->m[i] * force);
        f4 low = c->x_low[i] + dt * c->v[i], sum = c->x[i] + low;
        c->x_low[i] = low - (sum - c->x[i]);
        c->x[i] = sum;
    }
}

// How far the end moved along `way`.
static double end_shift(const bar *b, wr_vec3 way)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < b->c->count; i++) {
        if (along(b, i, 2) > (float)b->half - 0.6f * b->spacing) {
            f4 off = b->c->x[i] - b->c->seed[i] + b->c->x_low[i];
            sum += (double)wr_dot(way, f4_vec3(off));
            count++;
        }
    }
    return sum / count;
}

// A force at the end of a beam, and how it bends it: Timoshenko's, with Cowper's shear coefficient.
typedef struct beam {
    double L, EI, shear; // m, N m^2, N
    double P;            // N
} beam;

static beam beam_of(const bar *b)
{
    double G = b->E / (2.0 * (1.0 + b->nu));
    beam out = {.L = 2.0 * b->half - (double)b->spacing,
                .EI = b->E / 12.0,
                .shear = G * 10.0 * (1.0 + b->nu) / (12.0 + 11.0 * b->nu)};
    out.P = 0.02 / (out.L * out.L / (3.0 * out.EI) + 1.0 / out.shear);
    return out;
}

static double deflection(const beam *m, double z)
{
    return m->P * (z * z * (3.0 * m->L - z) / (6.0 * m->EI) + z / m->shear);
}

// It starts almost bent, so that little is left to swing out.
static void bend(const bar *b, const beam *m, wr_vec3 way)
{
    for (int i = 0; i < b->c->count; i++) {
        double z = (double)along(b, i, 2) + 0.5 * m->L;
        double turn = m->P * z * (2.0 * m->L - z) / (2.0 * m->EI);
        float side = wr_dot(way, f4_vec3(b->c->seed[i]));
        wr_vec3 off = wr_scale((float)deflection(m, z), way);
        off = wr_add_scaled(off, -(float)turn * side, b->axes[2]);
        b->c->x[i] += 0.9f * f4_of(off);
    }
}

// How far its end goes, over what the beam's does.
static double cantilever(int across)
{
    bar b = make_bar(across, 4);
    beam m = beam_of(&b);
    double omega = 3.516 / (m.L * m.L) * sqrt(m.EI / b.rho), expected = deflection(&m, m.L);
    wr_vec3 way = wr_add(wr_scale(0.8f, b.axes[0]), wr_scale(0.6f, b.axes[1]));
    float dt = 1.5f / b.c->state.omega, keep = 1.0f - 1.6f * (float)omega * dt;
    int rounds = (int)(10.0 / (omega * (double)dt));
    f4 load = f4_of(wr_scale((float)m.P / (float)(across * across), way));
    bend(&b, &m, way);
    double shift = 0.0, last = 0.0;
    for (int i = 0; i < rounds; i++) {
        pull_end(&b, load, dt, keep);
        last = i == rounds * 3 / 4 ? end_shift(&b, way) : last;
    }
    shift = end_shift(&b, way);
    CHECK_NEAR(last, shift, 0.01 * shift); // it is at rest
    wr_clay_world_destroy(b.world);
    printf("    %2d across: %.4f of the beam's\n", across, shift / expected);
    return shift / expected;
}

static void a_cantilever_bends_as_timoshenko_says(void **state)
{
    (void)state;
    double coarse = cantilever(4), fine = cantilever(8);
    assert_true(fabs(fine - 1.0) < 0.08 && fabs(fine - 1.0) < fabs(coarse - 1.0));
}

static void a_fine_cantilever_bends_as_timoshenko_says(void **state)
{
    (void)state;
    double coarse = cantilever(8), middle = cantilever(12), fine = cantilever(16);
    assert_true(fabs(middle - 1.0) < 0.08 && fabs(middle - 1.0) < fabs(coarse - 1.0));
    assert_true(fabs(fine - 1.0) < 0.05 && fabs(fine - 1.0) < fabs(middle - 1.0));
}

typedef wr_vec3 (*mode)(const bar *b, int i);

static wr_vec3 longitudinal(const bar *b, int i)
{
    float z = along(b, i, 2);
    return wr_scale((float)sin(0.5 * PI * (double)z / b->half), b->axes[2]);
}

// Close to the first mode of a free beam.
static wr_vec3 flexural(const bar *b, int i)
{
    double z = (double)along(b, i, 2) / b->half, q = 2.36502;
    double shape = cos(q * z) / cos(q) + cosh(q * z) / cosh(q);
    wr_vec3 way = wr_add(wr_scale(0.8f, b->axes[0]), wr_scale(-0.6f, b->axes[1]));
    return wr_scale(0.5f * (float)shape, way);
}

// Set swinging in a mode; 1/s from the first to the third time that it passes through rest.
static double frequency(int across, int aspect, mode shape)
{
    bar b = make_bar(across, aspect);
    float dt = 1.6f / b.c->state.omega;
    for (int i = 0; i < b.c->count; i++) {
        b.c->v[i] = 0.02f * f4_of(shape(&b, i));
    }
    double last = 1.0, times[3];
    for (int step = 1, crossed = 0; crossed < 3; step++) {
        double now = 0.0;
        step_free(b.world, dt);
        for (int i = 0; i < b.c->count; i++) {
            now += (double)wr_dot(shape(&b, i), f4_vec3(b.c->v[i]));
        }
        if (step > 1 && now * last < 0.0) {
            times[crossed++] = (double)dt * (step - now / (now - last));
        }
        last = now;
    }
    wr_clay_world_destroy(b.world);
    return 1.0 / (times[2] - times[0]);
}

// sqrt(E / rho) / (2 L), and what Rayleigh says that moving sideways takes away.
static void a_bar_rings_along_as_rayleigh_says(void **state)
{
    (void)state;
    bar b = make_bar(12, 4);
    double L = 2.0 * b.half, sideways = b.nu * PI / L;
    double expected = sqrt(b.E / b.rho) / (2.0 * L) * (1.0 - sideways * sideways / 12.0);
    wr_clay_world_destroy(b.world);
    double found = frequency(12, 4, longitudinal);
    printf("    %.4f of the first longitudinal frequency\n", found / expected);
    CHECK_NEAR(found / expected, 1.0, 0.05);
}

// ASTM E1876: flexural resonance of a free bar of square section, edge t.
static void a_bar_swings_as_astm_says(void **state)
{
    (void)state;
    bar b = make_bar(12, 5);
    double L = 2.0 * b.half, q = 1.0 / (L * L), nu = b.nu;
    double T = 1.0 + 6.585 * (1.0 + 0.0752 * nu + 0.8109 * nu * nu) * q - 0.868 * q * q -
               8.34 * (1.0 + 0.2023 * nu + 2.173 * nu * nu) * q * q /
                   (1.0 + 6.338 * (1.0 + 0.1408 * nu + 1.536 * nu * nu) * q);
    double expected = sqrt(b.E / (0.9465 * b.rho * L * L * L * L * T));
    wr_clay_world_destroy(b.world);
    double found = frequency(12, 5, flexural);
    printf("    %.4f of the first flexural frequency\n", found / expected);
    CHECK_NEAR(found / expected, 1.0, 0.05);
}

// --- plasticity ---------------------------------------------------------------------------------

typedef struct hardened {
    double stress; // own weights, |dev P| that is left
    double yield;  // own weights, at which it flows when loaded again
    double trial;  // own weights, before the flow
} hardened;

static void shear(wri_clay *c, float by)
{
    for (int i = 0; i < c->count; i++) {
        c->x[i] = c->seed[i] + (f4){by * (c->seed[i][1] + 0.4f * c->seed[i][2]), 0.0f, 0.0f, 0.0f};
    }
}

static double stress_in(wri_clay *c) // of a particle in the middle
{
    wri_clay_energy e = wri_clay_find_energy(c);
    double V = 0.0;
    for (int i = 0; i < c->count; i++) {
        V += (double)wri_clay_volume(c, i);
    }
    // of a pure shear mu |dev|^2 is energy per volume, and |dev P| = 2 mu |dev|
    return 2.0 * sqrt(e.elastic / V * (double)c->moduli.mu) / (double)c->moduli.pressure;
}

// Flows until it is at rest, is let half go, and is loaded again until it flows.
static hardened harden(float yield, float hardening)
{
    clay_block block = clay_block_default(6, 6, 6, 0.05f);
    block.desc.parameters.yield = yield;
    block.desc.parameters.flow = 0.3f;
    block.desc.parameters.hardening = hardening;
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    hardened h = {0};
    const float by = 0.04f;
    shear(c, by);
    h.trial = stress_in(c);
    for (int i = 0; i < 400; i++) {
        wri_clay_find_stresses(c, 0.001f, NULL);
        wri_clay_flow(c, NULL);
    }
    h.stress = stress_in(c);
    float before = c->flowed[c->count / 2];
    for (float again = 0.9f * by; h.yield == 0.0; again += 0.001f * by) {
        shear(c, again);
        wri_clay_find_stresses(c, 1e-6f, NULL);
        wri_clay_flow(c, NULL);
        if (c->flowed[c->count / 2] > before) {
            h.yield = stress_in(c);
        }
    }
    wr_clay_world_destroy(world);
    return h;
}

// What flows takes d alpha = -d|P| off a small strain: |P| + alpha stays p0, and it stops at
// |P| = P_Y + K alpha = (P_Y + K p0) / (1 + K).
static void yield_grows_and_falls_with_what_was_forgotten(void **state)
{
    (void)state;
    const float hardenings[] = {0.0f, 0.5f, 2.0f, -0.3f};
    for (int k = 0; k < WRI_COUNT(hardenings); k++) {
        double K = (double)hardenings[k], P_Y = 1.2;
        hardened h = harden((float)P_Y, (float)K);
        double expected = (P_Y + K * h.trial) / (1.0 + K);
        printf("    K %4.1f: from %.3f own weights to %.3f, yields again at %.3f; expected %.3f\n",
               K, h.trial, h.stress, h.yield, expected);
        CHECK_NEAR(h.stress, expected, 0.02 * expected);
        CHECK_NEAR(h.yield, expected, 0.03 * expected);
    }
}

// A corner that is too dense gets coarser all over: no particle swallows those around it.
static void none_merges_with_all_around_it(void **state)
{
    (void)state;
    clay_block block = clay_block_default(8, 8, 8, 0.05f);
    block.desc.parameters.resamples = true;
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    const float one = c->m[0];
    float heaviest = 0.0f;
    c->state.dense *= 0.55f; // some are above it
    for (int i = 0; i < 480; i++) {
        c->has_moved = true; // as if it flowed all the time
        step_free(world, 1.0f / 240.0f);
    }
    for (int i = 0; i < c->count; i++) {
        heaviest = fmaxf(heaviest, c->m[i]);
    }
    printf("    %g merges, the heaviest is %.1f\n", c->state.merges, (double)(heaviest / one));
    assert_true(c->state.merges > 10.0);
    assert_true(heaviest < 6.0f * one);
    wr_clay_world_destroy(world);
}

static void momenta_are_kept_through_splits_and_merges(void **state)
{
    (void)state;
    clay_block block = clay_block_default(7, 6, 9, 0.05f);
    block.desc.parameters.flow = 0.2f;
    block.desc.parameters.yield = 0.1f;
    block.desc.parameters.resamples = true;
    wr_clay_world *world = world_of(&block);
    wri_clay *c = wri_clay_of(world, 0);
    const float sparse = c->state.sparse, dense = c->state.dense;
    stir(world, 0, 0.5f);
    sums before = sum_of(world);
    double mass = 0.0;
    for (int i = 0; i < 240; i++) { // in turns too sparse and too dense for what is asked
        c->state.sparse = i / 40 % 2 ? sparse : 20.0f * sparse;
        c->state.dense = i / 40 % 2 ? 0.3f * dense : dense;
        c->has_moved = true; // as if it flowed all the time
        step_free(world, 1.0f / 240.0f);
        check_momenta(world, &before);
    }
    for (int i = 0; i < c->count; i++) {
        mass += (double)c->m[i];
    }
    printf("    %g splits, %g merges\n", c->state.splits, c->state.merges);
    assert_true(c->state.splits > 50.0 && c->state.merges > 50.0);
    assert_true(wr_clay_is_sound(world, 0));
    CHECK_NEAR(mass, 7 * 6 * 9 * 0.125, 1e-5 * mass);
    wr_clay_world_destroy(world);
}

static void what_is_too_stiff_for_its_substeps_is_made_softer(void **state)
{
    (void)state;
    clay_block block = clay_block_default(5, 6, 7, 0.05f);
    block.desc.parameters.stiffness = 1e8f;
    wr_clay_world *world = world_of(&block);
    stir(world, 0, 0.5f);
    double energy = energy_of(world);
    for (int i = 0; i < 24; i++) {
        step_free(world, 1.0f / 240.0f);
        assert_true(energy_of(world) <= 1.02 * energy);
    }
    wr_clay_statistics s = wr_clay_get_statistics(world, 0);
    assert_true(s.ease < 0.1f && s.ease > 0.0f && s.substeps <= 100);
    wr_clay_world_destroy(world);
}

// --- steps, particles, sizes --------------------------------------------------------------------

// A bar of 1 x 1.2 x 3, in `across` particles along the shortest edge.
typedef struct trial {
    int across;
    float dt, size; // s, m
    const char *preset;
    bool is_pressed; // between plates, else dropped
} trial;

static wr_body_copy plate(wr_vec3 at, float turn, wr_vec3 velocity)
{
    wr_quat rotation = wr_quat_from_axis_angle(wr_v3(0, 0, 1), turn);
    return (wr_body_copy){.pose = {at, rotation}, .center = at, .velocity = velocity};
}

static clay_block bar_of(const trial *t)
{
    int n = t->across;
    clay_block block = clay_block_default(n, n * 6 / 5, 3 * n, t->size / (float)n);
    wr_error error = {0};
    assert_true(wr_clay_find_preset(t->preset, &block.desc.parameters, &error));
    float turn = t->is_pressed ? 0.0f : 0.35f, height = t->is_pressed ? 0.61f : 1.3f;
    block.center = wr_v3(0.0f, height * t->size, 0.0f);
    block.rotation = wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 0.4f, 0.3f)), turn);
    return block;
}

// In the mean: the stress that was forgotten, over 2 mu.
static double plastic_strain(const wri_clay *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) {
        sum += (double)c->alpha[i];
    }
    return sum / c->count / (2.0 * (double)c->moduli.mu);
}

// 3 own times on the ground; pressed: by a plate that is not level, down to two thirds and up
// again.
static clay_box run_trial(const trial *t, double *volume)
{
    clay_block block = bar_of(t);
    wr_clay_world *world = world_of(&block);
    clay_box box = clay_box_create(world, 0, &block);
    float s = t->size, time = sqrtf(2.0f * s / 9.81f), speed = 0.5f * s / time;
    for (int i = 0; !t->is_pressed && i < wr_clay_count(world, 0); i++) {
        wri_clay_of(world, 0)->v[i] = 8.0f * speed * (f4){0.3f, -1.0f, 0.1f, 0.0f};
    }
    int steps = (int)(3.0f * time / t->dt + 0.5f);
    *volume = clay_box_volume(&box);
    for (int i = 0; i < steps; i++) {
        float now = (float)i * t->dt / time;
        wr_vec3 down = {0.0f, now < 1.0f ? -speed : now < 2.0f ? speed : 0.0f, 0.0f};
        float high = now < 1.0f ? 1.3f - 0.5f * now : now < 2.0f ? 0.3f + 0.5f * now : 1.3f;
        wr_body_copy plates[2] = {plate(wr_v3(0, 0, 0), 0.0f, wr_v3(0, 0, 0)),
                                  plate(wr_v3(0, high * s, 0), 3.14159265f + 0.1f, down)};
        clay_step_at_planes(world, t->dt, plates, t->is_pressed ? 2 : 1, 0.6f);
    }
    const wri_clay *c = wri_clay_of(world, 0);
    assert_true(wr_clay_is_sound(world, 0));
    printf("    plastic strain %.2f\n", plastic_strain(c));
    assert_true(plastic_strain(c) > 0.2 || c->parameters.flow == 0.0f);
    clay_box_move(&box, world, 0);
    *volume = clay_box_volume(&box) / *volume;
    wr_clay_skin_destroy(box.skin);
    wr_clay_world_destroy(world);
    box.skin = NULL;
    return box;
}

static double distance_of_trials(const trial *a, const trial *b, const char *what)
{
    double volumes[2];
    clay_box first = run_trial(a, &volumes[0]), second = run_trial(b, &volumes[1]);
    for (int i = 0; i < BOX_VERTICES; i++) {
        second.vertices[i] = wr_scale(a->size / b->size, second.vertices[i]);
    }
    double distance = clay_box_distance(&first, &second);
    CHECK_NEAR(volumes[0], 1.0, 0.05);
    CHECK_NEAR(volumes[1], 1.0, 0.05);
    printf("    %s, %s, %s: %.2f %% of the diagonal; volumes %.3f and %.3f\n", a->preset,
           a->is_pressed ? "pressed" : "dropped", what, 100.0 * distance, volumes[0], volumes[1]);
    return distance;
}

static void half_the_step_gives_the_same_shape(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        trial a = {5, 1.0f / 240.0f, 0.3f, k ? "putty" : "clay", k}, b = a;
        b.dt *= 0.5f;
        assert_true(distance_of_trials(&a, &b, "half the step") < 0.03);
    }
}

static void twice_the_particles_give_the_same_shape(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        trial a = {6, 1.0f / 240.0f, 0.3f, k ? "clay" : "putty", k}, b = a;
        b.across = 8;
        assert_true(distance_of_trials(&a, &b, "twice the particles") < 0.05);
    }
}

static void small_and_large_ones_are_alike(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        trial a = {5, 1.0f / 240.0f, 0.3f, k ? "putty" : "clay", k}, b = a;
        b.size *= k ? 0.01f : 100.0f;
        b.dt *= k ? 0.1f : 10.0f;
        assert_true(distance_of_trials(&a, &b, k ? "size x 0.01" : "size x 100") < 0.01);
    }
}

static void plastic_flow_keeps_the_volume_of_the_skin(void **state)
{
    (void)state;
    int count;
    const wr_preset *all = wr_clay_presets(&count);
    for (int k = 0; k < 2 * count; k++) {
        trial t = {6, 1.0f / 240.0f, 0.3f, all[k / 2].name, k % 2};
        double volume;
        run_trial(&t, &volume);
        printf("    %s, %s: volume of the skin %.4f\n", t.preset,
               t.is_pressed ? "pressed" : "dropped", volume);
        CHECK_NEAR(volume, 1.0, 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_bends_as_timoshenko_says),
        cmocka_unit_test(a_bar_rings_along_as_rayleigh_says),
        cmocka_unit_test(yield_grows_and_falls_with_what_was_forgotten),
        cmocka_unit_test(none_merges_with_all_around_it),
        cmocka_unit_test(momenta_are_kept_through_splits_and_merges),
        cmocka_unit_test(what_is_too_stiff_for_its_substeps_is_made_softer),
        cmocka_unit_test(half_the_step_gives_the_same_shape),
        cmocka_unit_test(small_and_large_ones_are_alike),
    };
    const struct CMUnitTest slow[] = {
        cmocka_unit_test(a_bar_swings_as_astm_says),
        cmocka_unit_test(twice_the_particles_give_the_same_shape),
        cmocka_unit_test(plastic_flow_keeps_the_volume_of_the_skin),
        cmocka_unit_test(a_fine_cantilever_bends_as_timoshenko_says),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (getenv("WROUGHT_SLOW") ? cmocka_run_group_tests(slow, NULL, NULL) : 0);
}
