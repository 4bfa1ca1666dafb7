// test_morph_meet.c: bodies of morph meet each other, flesh and clay, and both sides feel it.
#include "check.h"

#include "../src/math/double3.h"
#include "../src/math/triangle.h"
#include "../src/world/flesh.h"
#include "clay_world.h"
#include "flesh_body.h"
#include "morph_world.h"

#define AIRLESS "'frames': 120, 'substeps': 1, 'gravity': [0, 0, 0], "

static wri_flesh *flesh_of(const wr_world *world, int index)
{
    int body;
    wr_flesh_world *flesh = wri_flesh_world_of(world->materials[index].state, &body);
    return wri_flesh_of(flesh, body);
}

static void momentum_of(const wr_world *world, int index, double P[3])
{
    memset(P, 0, 3 * sizeof *P);
    const wri_clay *c = clay_at(world, index);
    for (int i = 0; c && i < c->count; i++) {
        for (int k = 0; k < 3; k++) {
            P[k] += (double)c->m[i] * (double)c->v[i][k];
        }
    }
    if (!c) {
        wr_scratch scratch = wri_scratch_create(NULL);
        wri_flesh_momentum m;
        assert_true(wri_flesh_find_momentum(flesh_of(world, index), NULL, &scratch, &m));
        memcpy(P, m.P, sizeof m.P);
        wri_scratch_destroy(&scratch);
    }
}

static double energy_of(const wr_world *world, int index)
{
    wri_clay *c = clay_at(world, index);
    if (c) {
        return clay_energy(c, 0.0, world->dt);
    }
    if (world->materials[index].material == &wri_flesh_material) {
        return flesh_energy(flesh_of(world, index), 0.0);
    }
    morph_at m = find_morph(world, index);
    wr_morph_statistics s = wr_morph_describe(m.world, m.body);
    return s.elastic_energy + s.motion_energy;
}

// Metres: how deep points are in the skin of a body of morph at most; and how many are, by the
// solid angle that it fills.
typedef struct depth {
    double most;
    int count;
} depth;

static double solid_angle(wr_vec3 a, wr_vec3 b, wr_vec3 c)
{
    double x = (double)wr_length(a), y = (double)wr_length(b), z = (double)wr_length(c);
    return 2.0 * atan2((double)wr_dot(a, wr_cross(b, c)), x * y * z + (double)wr_dot(a, b) * z +
                                                              (double)wr_dot(b, c) * x +
                                                              (double)wr_dot(c, a) * y);
}

static depth depth_in(const show *s, int index, const wr_vec3 *points, int count)
{
    morph_at m = find_morph(s->world, index);
    const wr_mesh *mesh =
        s->scene->models[s->scene->bodies[s->world->materials[index].scene_body].model]->meshes;
    wr_vec3 *x = morph_places(&m), zero = {0};
    wr_box box = WR_BOX_EMPTY;
    depth out = {0.0, 0};
    for (int i = 0; i < m.count; i++) {
        box = wr_box_add(box, x[i]);
    }
    for (int i = 0; i < count; i++) {
        if (!wr_boxes_meet(box, (wr_box){points[i], points[i]})) {
            continue;
        }
        double nearest = 1e9, angle = 0.0;
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int *k = &mesh->triangles[3 * t];
            wr_vec3 a = wr_sub(x[k[0]], points[i]), b = wr_sub(x[k[1]], points[i]);
            wr_vec3 c = wr_sub(x[k[2]], points[i]);
            float w[3];
            wri_nearest_in_triangle(zero, a, b, c, w);
            wr_vec3 at = wr_add(wr_add(wr_scale(w[0], a), wr_scale(w[1], b)), wr_scale(w[2], c));
            nearest = fmin(nearest, (double)wr_length(at));
            angle += solid_angle(a, b, c);
        }
        bool is_inside = angle > 2.0 * 3.14159265;
        out.count += is_inside;
        out.most = is_inside ? fmax(out.most, nearest) : out.most;
    }
    free(x);
    return out;
}

// --- what is thrown at it ---------------------------------------------------------------------

typedef struct thrown {
    const char *text;
    const char *freedom;
} thrown;

// Thrown obliquely, off the middle: what it loses of momentum the skin has got, nobody gains
// energy, and it does not come out on the other side.
static void throw_at_jelly(thrown t)
{
    char text[900];
    snprintf(text, sizeof text,
             AIRLESS
             "'bodies': [{'asset': 'jelly', 'material': {'morph': 'muscle', 'freedom': '%s', "
             "'touch_points': 400}}, %s]",
             t.freedom, t.text);
    show s = start_morph(text);
    morph_at m = find_morph(s.world, 0);
    double before[3], after[3], given[3] = {0.0}, most = 0.0, size = 0.0;
    momentum_of(s.world, 1, before);
    double energy = energy_of(s.world, 1);
    for (int i = 0; i < 100; i++) {
        step_frames(s.world, 1);
        wr_morph_statistics now = wr_morph_describe(m.world, m.body);
        for (int k = 0; k < 3; k++) {
            given[k] += now.impulse[k];
            size += fabs(now.impulse[k]);
        }
        most = fmax(most, (energy_of(s.world, 0) + energy_of(s.world, 1)) / energy);
    }
    momentum_of(s.world, 1, after);
    double off = 0.0;
    for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs(after[k] - before[k] + given[k]) / size);
    }
    printf("    %-8s momentum %.2f %.2f %.2f to %.2f %.2f %.2f, off by %.1e; energy %.4f at most, "
           "%.3f left\n",
           t.freedom, before[0], before[1], before[2], after[0], after[1], after[2], off, most,
           energy_of(s.world, 1) / energy);
    assert_true(size > 0.1 * wri_length3(before));
    assert_true(off < 1e-5);
    assert_true(most < 1.001);
    assert_true(after[2] > 0.3 * before[2]); // it came along -z
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    show_end(&s);
}

static void clay_and_skin_push_each_other(void **state)
{
    (void)state;
    static const char clay[] =
        "{'shape': {'sphere': 0.07}, 'at': [0.04, 0.24, 0.5], 'velocity': [-0.6, 0.2, -3], "
        "'density': 150, 'material': {'clay': 'rubber', 'particles': 300}}";
    throw_at_jelly((thrown){clay, "reduced"});
    throw_at_jelly((thrown){clay, "full"});
}

static void flesh_and_skin_push_each_other(void **state)
{
    (void)state;
    static const char flesh[] =
        "{'shape': {'sphere': 0.08}, 'at': [0.04, 0.24, 0.5], 'velocity': [-0.6, 0.2, -3], "
        "'density': 150, 'material': {'flesh': 'muscle'}}";
    throw_at_jelly((thrown){flesh, "reduced"});
    throw_at_jelly((thrown){flesh, "full"});
}

// --- each other -------------------------------------------------------------------------------

// One is led against the other, obliquely, until their skins would overlap by some centimetres.
#define AGAINST                                                                                    \
    AIRLESS                                                                                        \
    "'bodies': [{'asset': 'jelly', 'turn': {'axis': [0, 1, 0], 'by': 90}, 'material': "            \
    "{'morph': 'muscle', 'freedom': '%s', 'touch_points': 900}%s}, {'asset': 'jelly', "            \
    "'path': [{'time': 0, 'at': [0.36, 0.03, 0.1], 'turn': {'axis': [0, 1, 0], 'by': 80}}, "       \
    "{'time': 0.5, 'at': [0.25, 0, 0.02], 'turn': {'axis': [0, 1, 0], 'by': 80}}], "               \
    "'material': {'morph': 'muscle', 'freedom': '%s', 'touch_points': 900}%s}]"

static depth overlap_of(const show *s)
{
    morph_at a = find_morph(s->world, 0), b = find_morph(s->world, 1);
    wr_vec3 *of_a = morph_places(&a), *of_b = morph_places(&b);
    depth one = depth_in(s, 1, of_a, a.count), two = depth_in(s, 0, of_b, b.count);
    free(of_a);
    free(of_b);
    return (depth){fmax(one.most, two.most), one.count + two.count};
}

// The overlap after a while. off: of the impulses on both, of the largest.
static depth press(const char *first, const char *second, const char *words, double *off)
{
    char text[900];
    snprintf(text, sizeof text, AGAINST, first, words, second, words);
    show s = start_morph(text);
    morph_at a = find_morph(s.world, 0), b = find_morph(s.world, 1);
    double most = 0.0, size = 0.0;
    for (int i = 0; i < 72; i++) {
        step_frames(s.world, 1);
        wr_morph_statistics x = wr_morph_describe(a.world, a.body);
        wr_morph_statistics y = wr_morph_describe(b.world, b.body);
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(x.impulse[k] + y.impulse[k]));
            size = fmax(size, fabs(x.impulse[k]));
        }
    }
    *off = size > 0.0 ? most / size : -1.0;
    depth is = overlap_of(&s);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    show_end(&s);
    return is;
}

static void skins_give_way_to_each_other(void **state)
{
    (void)state;
    static const char *const kinds[3][2] = {
        {"reduced", "reduced"}, {"full", "reduced"}, {"full", "full"}};
    double off;
    depth through = press("reduced", "reduced", ", 'groups': ['a'], 'misses': ['a']", &off);
    assert_true(off < 0.0 && through.most > 0.04);
    for (int k = 0; k < 3; k++) {
        depth is = press(kinds[k][0], kinds[k][1], "", &off);
        printf("    %s and %s: %.4f m and %d vertices deep, not %.4f and %d; impulses off by "
               "%.1e\n",
               kinds[k][0], kinds[k][1], is.most, is.count, through.most, through.count, off);
        assert_true(off >= 0.0 && off < 1e-5);
        assert_true(is.most < 0.35 * through.most && 3 * is.count < through.count);
    }
}

// One passes the other at a constant speed, obliquely, so that skins press and rub for a while and
// come apart again. Energies are of motion against the bones: the bones of the second, which move,
// put in what their speed times the impulses on it says. No more may come out, at any time.
typedef struct passing {
    const char *first, *second;
    double newmark, stiffness, friction;
} passing;

static void pass_by(passing p)
{
    char text[1500], material[300];
    const wr_vec3 speed = {0.5f, 0.08f, -0.16f};
    snprintf(material, sizeof material,
             "'touch_points': 400, 'damping': 0, 'newmark': %g, 'stiffness': %g}, 'friction': %g",
             p.newmark, p.stiffness, p.friction);
    snprintf(text, sizeof text,
             AIRLESS
             "'bodies': [{'asset': 'jelly', 'turn': {'axis': [0, 1, 0], 'by': 90}, 'material': "
             "{'morph': 'muscle', 'freedom': '%s', %s}, {'asset': 'jelly', 'path': [{'time': 0, "
             "'at': [-0.22, -0.05, 0.29], 'turn': {'axis': [0.2, 1, 0], 'by': 60}}, {'time': 1, "
             "'at': [0.28, 0.03, 0.13], 'turn': {'axis': [0.2, 1, 0], 'by': 60}}], 'material': "
             "{'morph': 'muscle', 'freedom': '%s', %s}]",
             p.first, material, p.second, material);
    show s = start_morph(text);
    morph_at a = find_morph(s.world, 0), b = find_morph(s.world, 1);
    double work = 0.0, start = 0.0, most = -1e9, left = 0.0;
    for (int i = 0; i < 110; i++) {
        step_frames(s.world, 1);
        wr_morph_statistics x = wr_morph_describe(a.world, a.body);
        wr_morph_statistics y = wr_morph_describe(b.world, b.body);
        left = x.elastic_energy + x.motion_energy + y.elastic_energy + y.motion_energy;
        start = i == 1 ? left : start; // bones have come to their speed
        assert_true(i > 1 || wri_length3(x.impulse) == 0.0);
        work += x.impulse[0] * (double)speed.x + x.impulse[1] * (double)speed.y +
                x.impulse[2] * (double)speed.z;
        most = i > 1 ? fmax(most, left - start - work) : most;
    }
    printf("    %s and %s, newmark %.1f, %g times as stiff: bones gave %.3g J, %.3g left of them, "
           "%.1e made\n",
           p.first, p.second, p.newmark, p.stiffness, work, left - start, most);
    assert_true(work > 1.0 && left - start > 0.0);
    assert_true(most < 1e-4 * work);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    show_end(&s);
}

static void skins_that_pass_make_no_energy(void **state)
{
    (void)state;
    pass_by((passing){"reduced", "reduced", 0.5, 1.0, 0.5});
    pass_by((passing){"reduced", "full", 0.6, 1.0, 0.5});
    pass_by((passing){"full", "full", 0.5, 100.0, 0.5});
}

// --- all together -------------------------------------------------------------------------------

static void threads_and_resuming_change_no_bit(void **state)
{
    (void)state;
    static const char text[] =
        "'substeps': 1, 'bodies': [{'shape': 'plane'}, {'asset': 'jelly', 'material': 'morph', "
        "'copies': {'count': 2, 'step': [0.3, 0, 0.05]}}, {'shape': {'sphere': 0.1}, 'at': [0.1, "
        "0.6, 0], 'density': 200, 'material': {'clay': 'putty', 'particles': 150}}, {'shape': "
        "{'sphere': 0.1}, 'at': [0.4, 0.7, 0], 'density': 200, 'material': {'flesh': 'fat', "
        "'spacing': 3}}]";
    const hash_run run = {morph_assets(), text, 61, 4};
    check_same_bits(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clay_and_skin_push_each_other),
        cmocka_unit_test(flesh_and_skin_push_each_other),
        cmocka_unit_test(skins_give_way_to_each_other),
        cmocka_unit_test(skins_that_pass_make_no_energy),
        cmocka_unit_test(threads_and_resuming_change_no_bit),
    };
    return cmocka_run_group_tests(tests, set_up_with_cache, tear_down);
}
