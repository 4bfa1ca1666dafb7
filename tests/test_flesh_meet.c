// test_flesh_meet.c: what skins promise that meet each other and themselves.
#include "check.h"

#include "flesh_body.h"

typedef struct pair {
    flesh_shape shapes[2];
    wr_flesh_model *models[2];
    wr_flesh_world *world;
    wr_flesh_detection detection;
} pair;

static wr_flesh_model *model_of(const flesh_shape *s, double young, float dt)
{
    wr_flesh_model_desc desc = flesh_describe(s, young, dt);
    desc.origins = s->bone_count > 1 ? s->origins : NULL; // a single bone: its centre of mass
    return flesh_model(&desc);
}

// Of different sizes, shapes and numbers of nodes.
static pair start(wr_vec3 size, float dt)
{
    pair p = {
        .shapes = {flesh_sphere(12, size, 0.5f), flesh_sphere(9, wr_v3(0.15f, 0.13f, 0.16f), 0.5f)},
        .world = wr_flesh_world_create(NULL, NULL)};
    assert_non_null(p.world);
    p.models[0] = model_of(&p.shapes[0], 2e4, dt);
    p.models[1] = model_of(&p.shapes[1], 5e4, dt);
    return p;
}

static int add(pair *p, int which, wr_vec3 at, float turn, wr_vec3 velocity, wr_vec3 spin)
{
    wr_flesh_desc desc = wr_flesh_desc_default();
    desc.model = p->models[which];
    desc.pose.position = at;
    desc.pose.rotation = wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 2, 3)), turn);
    desc.velocity = velocity;
    desc.angular_velocity = spin;
    desc.detection = p->detection;
    int body = wr_flesh_add(p->world, &desc, NULL);
    assert_true(body >= 0);
    return body;
}

static void end(pair *p)
{
    wr_flesh_world_destroy(p->world);
    for (int i = 0; i < 2; i++) {
        wr_flesh_model_destroy(p->models[i]);
        flesh_shape_destroy(&p->shapes[i]);
    }
}

typedef struct total {
    double P[3], L[3], size, turn, energy; // size, turn: sums of m |v| and m |r| |v|, of the whole
} total;

// Of all bodies, about the origin.
static total find_total(const pair *p, wr_scratch *scratch)
{
    total t = {.P = {0}};
    for (int i = 0; wri_flesh_of(p->world, i); i++) {
        const wri_flesh *f = wri_flesh_of(p->world, i);
        wri_flesh_momentum m;
        double moment[3];
        assert_true(wri_flesh_find_momentum(f, NULL, scratch, &m));
        wri_cross3(m.center, m.P, moment);
        for (int k = 0; k < 3; k++) {
            t.P[k] += m.P[k];
            t.L[k] += moment[k] + m.spin[k];
        }
        t.size += sqrt(wri_dot3(m.P, m.P));
        t.turn += sqrt(wri_dot3(moment, moment)) + sqrt(wri_dot3(m.spin, m.spin));
        t.energy += flesh_energy(f, 0.0);
    }
    return t;
}

// Metres: how far nodes of the upper body near the axis are below the nodes of the lower one that
// are nearest to them seen from above, which is nearly flat there.
static float overlap_of(const pair *p, int lower, int upper)
{
    const wri_flesh *f = wri_flesh_of(p->world, upper), *g = wri_flesh_of(p->world, lower);
    float most = -INFINITY;
    for (int i = 0; i < f->model->node_count; i++) {
        wr_vec3 x = wri_flesh_place(f, i), under = {0.0f, -INFINITY, 0.0f};
        float nearest = INFINITY;
        for (int k = 0; k < g->model->node_count && x.x * x.x + x.z * x.z < 0.002f; k++) {
            wr_vec3 y = wri_flesh_place(g, k);
            float off = (x.x - y.x) * (x.x - y.x) + (x.z - y.z) * (x.z - y.z);
            if (y.y > 0.0f && off < nearest) {
                nearest = off;
                under = y;
            }
        }
        most = fmaxf(most, under.y - x.y);
    }
    return most;
}

// They come at each other askew, spinning, squeeze, and part.
static void hit_askew(wr_flesh_detection detection)
{
    pair p = start(wr_v3(0.2f, 0.22f, 0.18f), 1.0f / 240.0f);
    p.detection = detection;
    wr_scratch scratch = wri_scratch_create(NULL);
    add(&p, 0, wr_v3(0, 0, 0), 0.7f, wr_v3(0.5f, 0.1f, 0), wr_v3(0, 3, 1));
    add(&p, 1, wr_v3(0.45f, 0.08f, 0.05f), 0.7f, wr_v3(-1.5f, 0, 0.2f), wr_v3(2, 0, -4));
    total first = find_total(&p, &scratch), last;
    double most = first.energy, squeezed = 0.0;
    for (int i = 0; i < 120; i++) {
        wr_flesh_step step = wr_flesh_step_default();
        step.gravity = wr_v3(0, 0, 0);
        assert_true(wr_flesh_world_step(p.world, &step));
        last = find_total(&p, &scratch);
        most = fmax(most, last.energy);
        squeezed = fmax(squeezed, wr_flesh_energy_of(p.world, 0));
    }
    double lost = 0.0, turned = 0.0;
    for (int k = 0; k < 3; k++) {
        lost = fmax(lost, fabs(last.P[k] - first.P[k]));
        turned = fmax(turned, fabs(last.L[k] - first.L[k]));
    }
    wri_flesh *a = wri_flesh_of(p.world, 0), *b = wri_flesh_of(p.world, 1);
    double apart = b->bones[0].v[0] - a->bones[0].v[0];
    printf("    lost %.1e and %.1e of the sizes; energy at most %.4f of the start; %.2f J in the "
           "skin; apart with %.2f m/s\n",
           lost / first.size, turned / first.turn, most / first.energy, squeezed, apart);
    assert_true(lost < 1e-5 * first.size && turned < 1e-5 * first.turn);
    assert_true(most < 1.001 * first.energy && squeezed > 0.1 && apart > 0.1);
    wri_scratch_destroy(&scratch);
    end(&p);
}

// What a body at rest gets from one that slides past while it hits: its direction.
static wr_vec3 slide_past(float friction, float other)
{
    pair p = start(wr_v3(0.2f, 0.2f, 0.2f), 1.0f / 240.0f);
    wr_scratch scratch = wri_scratch_create(NULL);
    wri_flesh_momentum m;
    add(&p, 0, wr_v3(0, 0, 0), 0.7f, wr_v3(0, 0, 0), wr_v3(0, 0, 0));
    add(&p, 1, wr_v3(0.352f, 0, 0), 0.7f, wr_v3(-1.5f, 3, -1), wr_v3(0, 0, 0));
    wri_flesh_of(p.world, 0)->friction = friction;
    wri_flesh_of(p.world, 1)->friction = other;
    for (int i = 0; i < 24; i++) {
        wr_flesh_step step = wr_flesh_step_default();
        step.gravity = wr_v3(0, 0, 0);
        assert_true(wr_flesh_world_step(p.world, &step));
    }
    assert_true(wri_flesh_find_momentum(wri_flesh_of(p.world, 0), NULL, &scratch, &m));
    wri_scratch_destroy(&scratch);
    end(&p);
    return wr_normalize(wr_v3((float)m.P[0], (float)m.P[1], (float)m.P[2]));
}

// Friction leans impulses by the arc tangent of its coefficient, the square root of the product of
// both, towards where the other one slides.
static void friction_is_that_of_both_skins(void **state)
{
    (void)state;
    wr_vec3 normal = slide_past(0.0f, 0.0f), slides = wr_v3(0, 3, -1);
    for (int order = 0; order < 2; order++) {
        wr_vec3 J = order ? slide_past(0.9f, 0.1f) : slide_past(0.1f, 0.9f);
        wr_vec3 across = wr_add_scaled(J, -wr_dot(J, normal), normal);
        double mu = (double)(wr_length(across) / wr_dot(J, normal));
        printf("    friction %.3f of 0.3\n", mu);
        CHECK_NEAR(mu, 0.3, 0.03);
        assert_true(wr_dot(wr_normalize(across), wr_normalize(slides)) > 0.95f);
    }
}

static void two_that_hit_each_other_keep_both_momenta(void **state)
{
    (void)state;
    hit_askew(WR_FLESH_EXACT);
    hit_askew(WR_FLESH_RASTER);
}

// The lower one is flat and held. The other lies on it, in a dent of both.
static void lie(wr_flesh_detection detection)
{
    pair p = start(wr_v3(1.4f, 0.25f, 1.2f), 1.0f / 120.0f);
    p.detection = detection;
    int lower = add(&p, 0, wr_v3(0, 0, 0), 0.0f, wr_v3(0, 0, 0), wr_v3(0, 0, 0));
    add(&p, 1, wr_v3(0, 0.4f, 0), 0.7f, wr_v3(0, 0, 0), wr_v3(0, 0, 0));
    wr_flesh_drive(p.world, lower, 0, wr_flesh_bone_pose(p.world, lower, 0));
    double least = 1.0, most = 0.0;
    for (int i = 0; i < 180; i++) {
        wr_flesh_step step = wr_flesh_step_default();
        assert_true(wr_flesh_world_step(p.world, &step));
        double y = wri_flesh_of(p.world, 1)->bones[0].c[1];
        least = i > 150 ? fmin(least, y) : least;
        most = i > 150 ? fmax(most, y) : most;
    }
    float overlap = overlap_of(&p, lower, 1);
    printf("    rests at %.4f to %.4f m; overlaps by %.1e m\n", least, most, (double)overlap);
    assert_true(most < 0.4 && least > 0.3 && most - least < 0.01);
    assert_true(overlap < 0.005f && overlap > -0.005f);
    end(&p);
}

static void one_lies_on_another_and_does_not_sink(void **state)
{
    (void)state;
    lie(WR_FLESH_EXACT);
    lie(WR_FLESH_RASTER);
}

// A tube whose hinges turn so far that its ends would pass through each other.
typedef struct fold {
    int bones;
    int first, last; // of the joints that are hinges
    float angle;     // radians, of each
} fold;

static const fold TWEEZERS = {4, 1, 1, 3.05f}; // adjacent bones meet
static const fold TONGS = {5, 1, 2, 1.83f};    // only those at the ends do

static float ends_of_folded_tube(const fold *way, bool meets_itself, wr_flesh_detection detection)
{
    flesh_shape s = flesh_tube(way->bones, 12 * way->bones, 16);
    for (int i = 0; i < way->bones - 1; i++) {
        bool turns = i >= way->first && i <= way->last;
        s.joints[i] = (wr_flesh_joint){.a = i,
                                       .b = i + 1,
                                       .kind = turns ? WR_FLESH_HINGE : WR_FLESH_FIXED,
                                       .at = wr_v3(0.2f * (float)(i + 1), 0, 0),
                                       .axis = {0.0f, 0.0f, 1.0f},
                                       .least = -INFINITY,
                                       .most = INFINITY,
                                       .swing = INFINITY,
                                       .stiffness = 300.0,
                                       .damping = 30.0};
    }
    s.joint_count = way->bones - 1;
    wr_flesh_model *model = model_of(&s, 2e4, 1.0f / 120.0f);
    wr_flesh_world *world = wr_flesh_world_create(NULL, NULL);
    wr_flesh_desc desc = wr_flesh_desc_default();
    desc.model = model;
    desc.detection = detection;
    desc.collides = meets_itself ? UINT32_MAX : 0;
    int body = wr_flesh_add(world, &desc, NULL);
    assert_true(body >= 0);
    for (int i = way->first; i <= way->last; i++) {
        wr_flesh_aim(world, body, i, wr_v3(0, 0, way->angle), wr_v3(0, 0, 0));
    }
    float nearest = INFINITY;
    for (int i = 0; i < 180; i++) {
        wr_flesh_step step = wr_flesh_step_default();
        step.gravity = wr_v3(0, 0, 0);
        assert_true(wr_flesh_world_step(world, &step));
        assert_true(wr_flesh_is_sound(world, body));
        const wri_flesh *f = wri_flesh_of(world, body);
        double off[3];
        for (int k = 0; k < 3; k++) {
            off[k] = f->bones[way->bones - 1].c[k] - f->bones[0].c[k];
        }
        nearest = fminf(nearest, (float)sqrt(wri_dot3(off, off)));
    }
    wr_flesh_world_destroy(world);
    wr_flesh_model_destroy(model);
    flesh_shape_destroy(&s);
    return nearest;
}

static void check_fold(const fold *way, float least, float most)
{
    float with = ends_of_folded_tube(way, true, WR_FLESH_EXACT);
    float drawn = ends_of_folded_tube(way, true, WR_FLESH_RASTER);
    float without = ends_of_folded_tube(way, false, WR_FLESH_EXACT);
    printf("    the first and the last bone come as near as %.3f m, drawn %.3f m, %.3f m if they "
           "may pass\n",
           (double)with, (double)drawn, (double)without);
    assert_true(without < 0.06f);
    assert_true(with > least && with < most && drawn > least && drawn < most);
}

static void a_body_meets_itself(void **state)
{
    (void)state;
    check_fold(&TWEEZERS, 0.085f, 0.12f); // twice the radius is 0.1 m
    check_fold(&TONGS, 0.07f, 0.11f);     // their ends squeeze each other
}

// What sleeps wakes when it is hit, and not before.
static void what_is_hit_wakes(void **state)
{
    (void)state;
    pair p = start(wr_v3(0.2f, 0.22f, 0.18f), 1.0f / 240.0f);
    int still = add(&p, 0, wr_v3(0, 0, 0), 0.7f, wr_v3(0, 0, 0), wr_v3(0, 0, 0));
    add(&p, 1, wr_v3(1.0f, 0.05f, 0), 0.7f, wr_v3(-2, 0, 0), wr_v3(0, 0, 0));
    wri_flesh_of(p.world, still)->asleep = true;
    int woke = -1;
    for (int i = 0; i < 120 && woke < 0; i++) {
        wr_flesh_step step = wr_flesh_step_default();
        step.gravity = wr_v3(0, 0, 0);
        assert_true(wr_flesh_world_step(p.world, &step));
        woke = wr_flesh_is_asleep(p.world, still) ? -1 : i;
    }
    assert_true(woke > 70 && woke < 90); // 0.65 m of way at 2 m/s
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_that_of_both_skins),
        cmocka_unit_test(two_that_hit_each_other_keep_both_momenta),
        cmocka_unit_test(one_lies_on_another_and_does_not_sink),
        cmocka_unit_test(a_body_meets_itself),
        cmocka_unit_test(what_is_hit_wakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
