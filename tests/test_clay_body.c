// test_clay_body.c: what a scene says about a body of clay is what its particles are: mass, motion,
// real units, contact radii, groups, colour, and grips that only wait.
#include "small_world.h"

#include "../src/clay/clay.h"
#include "../src/world/clay.h"

const wr_material *const small_world_materials[] = {NULL};

static wri_clay *clay_of(const show *s, int material)
{
    int body;
    const wr_clay_world *world = wri_clay_world_of(s->world->materials[material].state, &body);
    return wri_clay_of(world, body);
}

// A block of 0.4 x 0.2 x 0.3 m that is a metre beside its origin, every corner of another colour.
static void write_block(void)
{
    static const int faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2},
                                     {1, 3, 7}, {1, 7, 5}, {4, 5, 7}, {4, 7, 6}};
    char path[600], text[2000], *out = text;
    out += sprintf(out, "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float "
                        "y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty "
                        "uchar blue\nelement face 12\nproperty list uchar int vertex_indices\n"
                        "end_header\n");
    for (int i = 0; i < 8; i++) {
        out += sprintf(out, "%g %g %g 255 0 %d\n", i & 1 ? 1.4 : 1.0, i & 2 ? 0.2 : 0.0,
                       i & 4 ? 0.3 : 0.0, i < 4 ? 255 : 0);
    }
    for (int i = 0; i < 12; i++) {
        out += sprintf(out, "3 %d %d %d\n", faces[i][0], faces[i][1], faces[i][2]);
    }
    snprintf(path, sizeof path, "%s/block.ply", folder.path);
    assert_true(wri_file_write(path, text, strlen(text), NULL));
}

#define BLOCK "'asset': 'block', 'material': {'clay': 'default', 'particles': 150"
#define ASSETS "'assets': {'block': 'block.ply'}, "

typedef struct motion {
    double mass, center[3], p[3], L[3], I[3][3]; // L, I: about the centre
} motion;

static motion motion_of(const wri_clay *c)
{
    motion m = {0};
    for (int i = 0; i < c->count; i++) {
        m.mass += (double)c->m[i];
        for (int k = 0; k < 3; k++) {
            m.center[k] += (double)c->m[i] * (double)c->x[i][k];
            m.p[k] += (double)c->m[i] * (double)c->v[i][k];
        }
    }
    for (int i = 0; i < c->count; i++) {
        double r[3], v[3], r2 = 0.0, w = (double)c->m[i];
        for (int k = 0; k < 3; k++) {
            r[k] = (double)c->x[i][k] - m.center[k] / m.mass;
            v[k] = (double)c->v[i][k];
            r2 += r[k] * r[k];
        }
        for (int k = 0; k < 3; k++) {
            m.L[k] += w * (r[(k + 1) % 3] * v[(k + 2) % 3] - r[(k + 2) % 3] * v[(k + 1) % 3]);
            for (int l = 0; l < 3; l++) {
                m.I[k][l] += w * ((k == l ? r2 : 0.0) - r[k] * r[l]);
            }
        }
    }
    return m;
}

// p = m v of the centre, wherever the origin of the model is, and L = I w; w in degrees per second.
static void mass_velocity_and_spin_are_as_said(void **state)
{
    (void)state;
    show s = start(SPACE ASSETS "'bodies': [{" BLOCK "}, 'mass': 7, 'at': [3, 1, -2], 'turn': "
                                "{'axis': [1, 2, 0.5], 'by': 50}, 'velocity': [1, 2, -1], 'spin': "
                                "[90, -60, 30]}, {" BLOCK "}, 'density': 2500, 'at': [9, 0, 0]}]");
    motion m = motion_of(clay_of(&s, 0));
    const double v[3] = {1, 2, -1}, degrees[3] = {90, -60, 30};
    CHECK_NEAR(m.mass, 7.0, 1e-4);
    for (int k = 0; k < 3; k++) {
        double L = 0.0;
        for (int l = 0; l < 3; l++) {
            L += m.I[k][l] * degrees[l] * 3.14159265358979 / 180.0;
        }
        CHECK_NEAR(m.p[k], 7.0 * v[k], 1e-3);
        CHECK_NEAR(m.L[k], L, 1e-4);
    }
    CHECK_NEAR(motion_of(clay_of(&s, 1)).mass, 2500.0 * 0.4 * 0.2 * 0.3, 0.5);
    end(s);
}

static void real_units_become_what_they_say(void **state)
{
    (void)state;
    show s =
        start(SPACE ASSETS "'bodies': [{" BLOCK ", 'stiffness': '200000 Pa', 'yield': '900 Pa', "
                           "'viscosity': '35 Pa s'}, 'mass': 7}]");
    const wri_clay *c = clay_of(&s, 0);
    CHECK_NEAR(2.0f * c->moduli.mu * (1.0f + c->parameters.poisson), 2e5, 2.0);
    CHECK_NEAR(c->moduli.yield, 900.0, 0.1);
    CHECK_NEAR(c->moduli.eta, 35.0, 1e-3);
    end(s);
}

// Particles touch others where the model ends, but for those that lie deep or very near to it.
static void contact_radii_end_where_the_model_does(void **state)
{
    (void)state;
    show s = start(SPACE ASSETS "'bodies': [{" BLOCK "}}]");
    const wri_clay *c = clay_of(&s, 0);
    int outer = 0;
    for (int i = 0; i < c->count; i++) {
        wr_vec3 p = wri_clay_place(c, c->x[i]);
        float depth = fminf(fminf(p.x - 1.0f, 1.4f - p.x),
                            fminf(fminf(p.y, 0.2f - p.y), fminf(p.z, 0.3f - p.z)));
        float usual = 0.5f * cbrtf(c->m[i] / c->moduli.rho);
        CHECK_NEAR(c->radius[i], fminf(fmaxf(depth, 0.5f * usual), usual), 1e-4);
        outer += c->radius[i] < 0.99f * usual;
    }
    assert_true(outer > 20);
    end(s);
}

// Two in each other: they push each other apart unless one of them misses the other's group.
static void who_misses_a_group_is_not_pushed_by_it(void **state)
{
    (void)state;
    for (int misses = 0; misses < 2; misses++) {
        char text[1024];
        snprintf(text, sizeof text,
                 SPACE ASSETS "'bodies': [{" BLOCK "}, 'groups': ['soft']}, {" BLOCK
                              "}, 'at': [0.1, 0.05, 0]%s}]",
                 misses ? ", 'misses': ['soft']" : "");
        show s = start(text);
        step_frames(s.world, 2);
        double most = 0.0;
        for (int i = 0; i < 2; i++) {
            motion m = motion_of(clay_of(&s, i));
            most = fmax(most, hypot(m.p[0], m.p[1]) / m.mass);
        }
        assert_true(misses ? most < 1e-5 : most > 0.01);
        end(s);
    }
}

// The surface around particles has the mean colour of the model: all red, half of it blue.
static void particles_have_the_mean_colour_of_the_model(void **state)
{
    (void)state;
    show s = start(SPACE ASSETS "'bodies': [{" BLOCK ", 'surface': 'particles'}}]");
    step_frames(s.world, 1);
    const wr_frame *frame = wr_world_frame(s.world);
    assert_int_equal(frame->particles_count, 1);
    wr_color color = frame->particles[0].color;
    CHECK_NEAR(color.r, 1.0, 1e-5);
    CHECK_NEAR(color.g, 0.0, 1e-5);
    CHECK_NEAR(color.b, 0.5, 1e-5);
    end(s);
}

// A grip that holds still and lets go later lets go, though nothing has moved for long.
static void a_grip_that_only_waits_lets_go(void **state)
{
    (void)state;
    show s = start(SPACE ASSETS "'bodies': [{" BLOCK ", 'stiffness': 20}, 'grips': [{'at': [1.2, "
                                "0.1, 0.15], 'size': [9, 9, 9], 'until': 1.5}]}]");
    const wri_clay *c = clay_of(&s, 0);
    step_frames(s.world, 84);
    assert_true(c->state.grips[0].count > 0 && c->state.asleep);
    step_frames(s.world, 8);
    assert_int_equal(c->state.grips[0].count, 0);
    end(s);
}

// All of it is moved at 1 m/s and let go: it flies on, or stands still where the scene says so.
static void what_is_let_go_rests_when_it_is_said(void **state)
{
    (void)state;
    for (int rest = 0; rest < 2; rest++) {
        char text[1024];
        snprintf(text, sizeof text,
                 SPACE ASSETS "'bodies': [{" BLOCK
                              "}, 'grips': [{'at': [1.2, 0.1, 0.15], 'size': [9, "
                              "9, 9], 'path': [{'time': 1, 'at': [1.2, 1.1, 0.15]}], 'until': "
                              "0.5%s}]}]",
                 rest ? ", 'rest': true" : "");
        show s = start(text);
        step_frames(s.world, 33);
        motion m = motion_of(clay_of(&s, 0));
        CHECK_NEAR(m.p[1] / m.mass, rest ? 0.0 : 1.0, 1e-3);
        end(s);
    }
}

// The speed is that of the mean energy: 3 m/s for all of it; what sleeps has no active particles.
static void statistics_are_those_of_the_particles(void **state)
{
    (void)state;
    show s = start(SPACE ASSETS "'bodies': [{" BLOCK "}, 'velocity': [1, 2, -2]}, {" BLOCK
                                ", 'stiffness': 20}, 'at': [9, 0, 0]}]");
    const wri_material_body *bodies = s.world->materials;
    CHECK_NEAR(wri_clay_material.statistics(bodies[0].state).speed, 3.0, 1e-4);
    assert_int_equal(wri_clay_material.statistics(bodies[1].state).active, clay_of(&s, 1)->count);
    step_frames(s.world, 90);
    assert_true(clay_of(&s, 1)->state.asleep);
    assert_int_equal(wri_clay_material.statistics(bodies[1].state).active, 0);
    assert_int_equal(wri_clay_material.statistics(bodies[0].state).active, clay_of(&s, 0)->count);
    end(s);
}

// A world that goes back shows the model where it was then.
static void a_restored_model_is_where_it_was(void **state)
{
    (void)state;
    show s = start(SPACE ASSETS "'bodies': [{" BLOCK "}, 'velocity': [1, 2, -2]}]");
    wr_error error = {0};
    size_t size;
    step_frames(s.world, 60); // the world saves itself
    wr_vec3 was[8];
    assert_int_equal(wr_world_frame(s.world)->points[0].count, 8);
    memcpy(was, wr_world_frame(s.world)->points[0].positions, sizeof was);
    const void *saved = wr_world_save(s.world, &size, &error);
    void *bytes = malloc(size);
    memcpy(bytes, saved, size);
    step_frames(s.world, 5);
    assert_true(wr_world_restore(s.world, bytes, size, &error));
    assert_memory_equal(wr_world_frame(s.world)->points[0].positions, was, sizeof was);
    free(bytes);
    end(s);
}

static int begin_tests(void **state)
{
    set_up(state);
    write_block();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_velocity_and_spin_are_as_said),
        cmocka_unit_test(real_units_become_what_they_say),
        cmocka_unit_test(contact_radii_end_where_the_model_does),
        cmocka_unit_test(who_misses_a_group_is_not_pushed_by_it),
        cmocka_unit_test(particles_have_the_mean_colour_of_the_model),
        cmocka_unit_test(a_grip_that_only_waits_lets_go),
        cmocka_unit_test(what_is_let_go_rests_when_it_is_said),
        cmocka_unit_test(statistics_are_those_of_the_particles),
        cmocka_unit_test(a_restored_model_is_where_it_was),
    };
    return cmocka_run_group_tests(tests, begin_tests, tear_down);
}
