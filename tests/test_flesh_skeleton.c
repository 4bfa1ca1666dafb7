// test_flesh_skeleton.c: rigged models as figures of flesh: by physics, by clips, by torque.
#include "flesh_figure.h"

#include "../src/flesh/parameters.h"
#include "flesh_world.h"
#include "show.h"

static void path_of(const char *name, char path[600])
{
    snprintf(path, 600, "%s/%s.glb", folder.path, name);
}

#define RODS "'bodies': [{'asset': 'rods', 'material': {'flesh': 'muscle', 'spacing': 0}}]"

// A scene with "rods", the figure.
static show start_rods(figure f, const char *text, const wr_tasks *tasks)
{
    char path[600], assets[700];
    path_of("rods", path);
    figure_write(f, path);
    snprintf(assets, sizeof assets, "'rods': '%s'", path);
    return start_with(assets, text, tasks);
}

static void hold_first(wri_flesh *f)
{
    f->is_driven[0] = true;
    f->goals[0] = f->bones[0];
}

// --- by physics alone -------------------------------------------------------------------------

// Seconds, from the second to the last time it passes the middle.
static double find_period(wr_world *world, const wri_flesh *f, int frames)
{
    double before = 0.0, first = 0.0, last = 0.0;
    int count = 0;
    for (int i = 1; i <= frames; i++) {
        step_frames(world, 1);
        double now = f->bones[1].turn[2];
        if (before < 0.0 && now >= 0.0) {
            last = (i - now / (now - before)) / 240.0;
            first = count++ == 0 ? last : first;
        }
        before = now;
    }
    assert_true(count > 2);
    return (last - first) / (count - 1);
}

// Half turned away from it, so that the file's mass and place matter and not the axes.
static void a_rod_that_hangs_on_another_swings_as_its_closed_form(void **state)
{
    (void)state;
    show s = start_rods(
        ROD_FIGURE,
        "'frames': 240, 'substeps': 1, 'bodies': [{'asset': 'rods', 'at': [1, 2, "
        "3], 'material': {'flesh': 'tyre', 'stiffness': 4e4, 'joints': 0, 'spacing': 0}}]",
        NULL);
    wri_flesh *f = flesh_at(s.world, 0);
    assert_int_equal(f->model->bone_count, 2);
    hold_first(f);
    double by[3] = {0.0, 0.0, 0.05};
    wri_turn_on(f->bones[1].turn, by);
    wri_flesh_find_turns(f);
    double period = find_period(s.world, f, 1200);
    // A prism of n sides about the middle of its end, of inertia m (L^2 / 3 + (6 R^2 - s^2) / 24).
    double L = (double)ROD_LENGTH, R = (double)ROD_RADIUS,
           side = 2.0 * R * sin((double)WR_PI / AROUND);
    double inertia = L * L / 3.0 + (6.0 * R * R - side * side) / 24.0;
    double expected = 2.0 * (double)WR_PI * sqrt(inertia / (9.81 * 0.5 * L));
    printf("    it swings in %.4f s, expected %.4f s\n", period, expected);
    CHECK_NEAR(period, expected, 0.01 * expected);
    show_end(&s);
}

static void joints_stay_closed_while_it_crumples(void **state)
{
    (void)state;
    figure f = ROD_FIGURE;
    f.rods = 4;
    f.is_one = true;
    show s = start_rods(
        f,
        "'bodies': [{'shape': 'plane'}, {'asset': 'rods', 'at': [0, 1.0, 0], "
        "'turn': {'axis': [1, 0, 0.3], 'by': 70}, 'material': {'flesh': "
        "'muscle', 'joints': 0.01, 'spacing': 0}, 'sleep': false}, {'shape': {'box': [0.5, 0.5, "
        "0.5]}, 'at': [0.1, 0.3, -0.8]}]",
        NULL);
    const wri_flesh *body = flesh_at(s.world, 0);
    double most = 0.0;
    assert_int_equal(body->model->joint_count, 3);
    for (int i = 0; i < 32; i++) {
        step_frames(s.world, 1);
        most = fmax(most, flesh_farthest_apart(body));
    }
    printf("    apart by %.1e m at most\n", most);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    assert_true(most < 1e-3 * (double)body->model->size);
    show_end(&s);
}

// --- what is found in the file ----------------------------------------------------------------

static void light_joints_are_parts_of_those_above(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "'hen': '%s/models/hen.glb'", getenv("WROUGHT_SCENES"));
    show s = start_with(path, "'bodies': [{'asset': 'hen', 'material': 'flesh'}]", NULL);
    const wr_flesh_model *m = flesh_at(s.world, 0)->model;
    printf("    31 joints are %d bones and %d joints\n", m->bone_count, m->joint_count);
    assert_true(m->bone_count > 4 && m->bone_count < 31 && m->joint_count == m->bone_count - 1);
    for (int i = 0; i < m->bone_count; i++) {
        assert_true(m->bones[i].M[0][0] > 0.009 * m->total_mass);
    }
    show_end(&s);
}

static void clips_tell_kinds_and_limits_of_joints(void **state)
{
    (void)state;
    for (int bend = -1; bend <= 2; bend++) {
        figure f = ROD_FIGURE;
        f.bend = bend;
        show s = start_rods(f, RODS, NULL);
        const wr_flesh_joint *j = &flesh_at(s.world, 0)->model->joints[0];
        if (bend == 1 || bend == 0) { // from -0.6 to 0.5 rad
            assert_int_equal(j->kind, WR_FLESH_HINGE);
            double side = j->axis.z > 0.0f ? 1.0 : -1.0;
            CHECK_NEAR(fabs((double)j->axis.z), 1.0, 1e-4);
            CHECK_NEAR(side > 0.0 ? (double)j->least : -(double)j->most, -0.82, 1e-3);
            CHECK_NEAR(side > 0.0 ? (double)j->most : -(double)j->least, 0.72, 1e-3);
        } else {
            assert_int_equal(j->kind, WR_FLESH_BALL);
            CHECK_NEAR(fabs((double)j->axis.y), 1.0, 1e-3);
            double swing =
                bend < 0 ? 100.0 * (double)WR_PI / 180.0 : 0.6 + fmax(0.12, (double)WR_PI / 18.0);
            CHECK_NEAR((double)j->swing, swing, 2e-2);
        }
        show_end(&s);
    }
}

// Half as long, by a node above the skeleton: the model is where its file says.
static void scaled_skeletons_have_their_joints_in_place(void **state)
{
    (void)state;
    figure f = ROD_FIGURE;
    f.scale = 0.5f;
    show s = start_rods(
        f,
        "'bodies': [{'asset': 'rods', 'scale': 2, 'material': {'flesh': 'muscle', 'spacing': 0}}]",
        NULL);
    const wr_flesh_model *m = flesh_at(s.world, 0)->model;
    CHECK_NEAR((double)m->joints[0].at.y, -0.5, 1e-6);
    for (int i = 0; i < m->node_count; i++) {
        bool is_upper = m->rest[i][1] > -0.5f;
        assert_true(m->rest[i][1] == -0.5f || m->bone_ids[4 * i] == (is_upper ? 0 : 1));
    }
    double volume = 3.0 * 0.1 * 0.1 * 1.0; // two rods of 12 sides
    CHECK_NEAR(m->total_mass, 1000.0 * volume, 0.03 * 1000.0 * volume);
    show_end(&s);
}

// --- by clips ---------------------------------------------------------------------------------

#define CLIP_SCENE                                                                                 \
    "'bodies': [{'shape': 'plane', 'at': [0, -9, 0]}, {'asset': 'rods', 'scale': 0.7, 'at': [1, "  \
    "2, 3], 'turn': {'axis': [1, 2, 3], 'by': 50}, 'pose': {'clip': 'bend', 'speed': 0.5, "        \
    "'loop': false}, 'material': {'flesh': 'muscle', 'spacing': 0, 'follow': '%s'}}%s]"

// Metres: how far bones are from where the clip of the file has them.
static double off_the_clip(const show *s, double time)
{
    char path[600];
    path_of("rods", path);
    wr_model *model = wr_model_read(path, NULL, NULL);
    wr_mat34 now[8];
    assert_non_null(model);
    wr_model_pose(model, &model->clips[0], time, now, NULL);
    const wri_flesh *f = flesh_at(s->world, 0);
    const wr_scene_body *body = &s->scene->bodies[1];
    double most = 0.0;
    for (int i = 0; i < f->model->bone_count; i++) {
        wr_vec3 tip = wr_v3(0.1f, -0.3f, 0.2f), pivot = wr_v3(0, -ROD_LENGTH * (float)i, 0);
        wr_vec3 wanted =
            wr_pose_point(body->rigid.pose, wr_scale(0.7f, wr_mat34_apply(now[2 + i], tip)));
        double r[3] = {0.7 * (double)tip.x, 0.7 * (double)tip.y, 0.7 * (double)tip.z}, x[3];
        CHECK_NEAR(f->model->bones[i].origin[1], 0.7 * (double)pivot.y, 1e-6);
        wri_apply(WRI_MATRIX(f->Q[i].m), r, x);
        wr_vec3 is = wr_v3((float)(x[0] + f->bones[i].c[0]), (float)(x[1] + f->bones[i].c[1]),
                           (float)(x[2] + f->bones[i].c[2]));
        most = fmax(most, (double)wr_distance(is, wanted));
    }
    wr_model_destroy(model);
    return most;
}

static void bones_are_where_a_clip_has_them(void **state)
{
    (void)state;
    char text[600];
    figure f = ROD_FIGURE;
    f.rods = 4;
    f.is_one = true;
    f.bend = 2;
    snprintf(text, sizeof text, CLIP_SCENE, "exactly", "");
    show s = start_rods(f, text, NULL);
    double most = off_the_clip(&s, 0.0);
    for (int i = 1; i <= 90; i++) {
        step_frames(s.world, 1);
        most = fmax(most, off_the_clip(&s, 0.5 * i / 60.0));
    }
    printf("    off by %.1e m at most\n", most);
    assert_true(most < 1e-4);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    show_end(&s);
}

// --- by torque --------------------------------------------------------------------------------

static void what_follows_by_torque_comes_back_after_a_push(void **state)
{
    (void)state;
    char text[900];
    figure f = ROD_FIGURE;
    f.rods = 3;
    f.is_one = true;
    f.bend = 1;
    snprintf(text, sizeof text, "'gravity': [0, 0, 0], " CLIP_SCENE, "by torque", "");
    show s = start_rods(f, text, NULL);
    double pushed = 0.0, before = 0.0, after = 0.0;
    for (int i = 1; i <= 240; i++) {
        step_frames(s.world, 1);
        double off = off_the_clip(&s, fmin(0.5 * i / 60.0, 1.0));
        if (i == 15) {
            flesh_at(s.world, 0)->bones[1].v[0] += 8.0;
        }
        before = i < 15 ? fmax(before, off) : before;
        pushed = fmax(pushed, off);
        after = i > 200 ? fmax(after, off) : after;
    }
    printf("    off by %.3f m, %.3f m when it was pushed, and %.3f m in the end\n", before, pushed,
           after);
    assert_true(before < 0.05 && pushed > 0.1 && after < 0.03);
    show_end(&s);
}

static void without_balance_it_falls(void **state)
{
    (void)state;
    figure f = ROD_FIGURE;
    f.bend = 1;
    show s = start_rods(f,
                        "'bodies': [{'shape': 'plane', 'at': [0, -9, 0]}, {'asset': 'rods', "
                        "'pose': {'clip': 'bend'}, 'material': {'flesh': 'muscle', 'follow': 'by "
                        "torque', 'balance': 0, 'spacing': 0}}]",
                        NULL);
    step_frames(s.world, 60);
    CHECK_NEAR(flesh_at(s.world, 0)->bones[0].c[1], -4.9, 0.2);
    show_end(&s);
}

// m/s^2: of an oblique block that nothing else holds, once it is falling. The limit is that of the
// force as a step begins, so that it is passed where the force grows fast.
static double fall_of(const char *balance)
{
    char text[500];
    snprintf(text, sizeof text,
             "'bodies': [{'shape': {'box': [0.3, 0.5, 0.2]}, 'at': [1, 2, 3], 'turn': {'axis': "
             "[1, 2, 3], 'by': 50}, 'material': {'flesh': 'muscle', 'spacing': 3, 'follow': 'by "
             "torque', 'balance': %s}}]",
             balance);
    show s = start_with(NULL, text, NULL);
    step_frames(s.world, 15);
    double before = flesh_at(s.world, 0)->bones[0].v[1];
    step_frames(s.world, 15);
    double after = flesh_at(s.world, 0)->bones[0].v[1];
    show_end(&s);
    return (before - after) / 0.25;
}

static void balance_is_a_share_of_the_weight(void **state)
{
    (void)state;
    CHECK_NEAR(fall_of("0"), 9.81, 0.01);
    CHECK_NEAR(fall_of("0.25"), 0.75 * 9.81, 0.1);
    CHECK_NEAR(fall_of("0.75"), 0.25 * 9.81, 0.1);
}

// The spring of its balance gives way by 0.02 of how far its mass is off its middle, root mean
// square: of a solid block sqrt((a^2 + b^2 + c^2) / 12).
static void a_block_by_torque_stays_where_it_starts(void **state)
{
    (void)state;
    show s = start_with(NULL,
                        "'bodies': [{'shape': {'box': [0.3, 0.5, 0.2]}, 'at': [1, 2, 3], 'turn': "
                        "{'axis': [1, 2, 3], 'by': 50}, 'material': {'flesh': 'muscle', "
                        "'spacing': 3, 'follow': 'by torque'}}]",
                        NULL);
    wri_flesh_pose start = flesh_at(s.world, 0)->bones[0];
    double sag = 0.02 * sqrt((0.3 * 0.3 + 0.5 * 0.5 + 0.2 * 0.2) / 12.0), turned = 0.0;
    step_frames(s.world, 60);
    wri_flesh *f = flesh_at(s.world, 0);
    CHECK_NEAR(start.c[1] - f->bones[0].c[1], sag, 0.03 * sag);
    f->bones[0].alpha[0] += 4.0;
    f->bones[0].alpha[2] -= 3.0;
    f->bones[0].v[2] += 1.0;
    step_frames(s.world, 4);
    CHECK_NEAR(f->bones[0].c[2], start.c[2], 0.1);
    assert_true(f->bones[0].c[2] > start.c[2] + 0.01);
    step_frames(s.world, 116);
    for (int k = 0; k < 4; k++) {
        turned = fmax(turned, fabs(f->bones[0].turn[k] - start.turn[k]));
    }
    CHECK_NEAR(turned, 0.0, 1e-3);
    CHECK_NEAR(f->bones[0].c[0], start.c[0], 1e-3);
    CHECK_NEAR(f->bones[0].c[2], start.c[2], 1e-3);
    show_end(&s);
}

// The spring goes along with the path, so that only its weight keeps the ball behind; a balance
// of less than that lets it fall.
static void a_core_by_torque_goes_along_a_path(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "'bodies': [{'shape': {'sphere': 0.2}, 'path': [{'time': 0, 'at': [1, 2, 3]}, "
                 "{'time': 1, 'at': [2, 2, 3.5]}], 'material': {'flesh': 'muscle', 'spacing': 3, "
                 "'follow': 'by torque', 'balance': %g}}]",
                 i ? 0.5 : 2.0);
        show s = start_with(NULL, text, NULL);
        step_frames(s.world, 45);
        const double *c = flesh_at(s.world, 0)->bones[0].c, sag = 0.02 * sqrt(0.6) * 0.2;
        if (i) {
            assert_true(c[1] < 1.0);
        } else {
            CHECK_NEAR(c[0], 1.75, 1e-3);
            CHECK_NEAR(c[1], 2.0 - sag, 0.03 * sag);
            CHECK_NEAR(c[2], 3.375, 1e-3);
        }
        show_end(&s);
    }
}

// All of it hangs on the first rod, which balance holds, and joints hold the others to it.
static void a_figure_by_torque_without_a_pose_stays_where_it_starts(void **state)
{
    (void)state;
    double fallen[2];
    for (int i = 0; i < 2; i++) {
        figure f = ROD_FIGURE;
        f.rods = 3;
        show s = start_rods(f,
                            i ? "'bodies': [{'asset': 'rods', 'at': [1, 2, 3], 'material': "
                                "{'flesh': 'muscle', 'follow': 'by torque', 'spacing': 0}}]"
                              : "'bodies': [{'asset': 'rods', 'at': [1, 2, 3], 'material': "
                                "{'flesh': 'muscle', 'follow': 'by torque', 'balance': 0, "
                                "'spacing': 0}}]",
                            NULL);
        double before = flesh_at(s.world, 0)->bones[0].c[1];
        step_frames(s.world, 60);
        fallen[i] = before - flesh_at(s.world, 0)->bones[0].c[1];
        show_end(&s);
    }
    CHECK_NEAR(fallen[0], 4.9, 0.1);
    CHECK_NEAR(fallen[1], 0.0, 0.05);
}

static void single_joints_may_be_stiffer(void **state)
{
    (void)state;
    figure f = ROD_FIGURE;
    f.rods = 4;
    double k[2][3];
    for (int i = 0; i < 2; i++) {
        show s = start_rods(f,
                            i ? "'bodies': [{'asset': 'rods', 'material': {'flesh': 'muscle', "
                                "'spacing': 0}, 'joint_stiffness': {'rod 3': 5}}]"
                              : RODS,
                            NULL);
        for (int j = 0; j < 3; j++) {
            k[i][j] = flesh_at(s.world, 0)->model->joints[j].stiffness;
        }
        show_end(&s);
    }
    for (int j = 0; j < 3; j++) {
        CHECK_NEAR(k[1][j] / k[0][j], j == 1 ? 5.0 : 1.0, 1e-9);
    }
}

// --- along a path -----------------------------------------------------------------------------

// Two balls that are carried askew into each other, until they overlap by more than their radius,
// and then stay. Both give way by four fifths of their layers, not as far as the paths say.
static void skins_of_driven_bones_yield_as_far_as_their_layers(void **state)
{
    (void)state;
    show s = start_with(
        NULL,
        "'bodies': [{'shape': {'sphere': 0.2}, 'path': [{'time': 0, 'at': [0, 1, 0]}, {'time': "
        "0.5, 'at': [0.2, 1.1, 0.05]}], 'material': {'flesh': 'muscle', 'spacing': 2}}, {'shape': "
        "{'sphere': 0.2}, 'path': [{'time': 0, 'at': [0.6, 1.05, 0]}, {'time': 0.5, 'at': [0.35, "
        "1.1, 0]}], 'material': {'flesh': 'muscle', 'spacing': 2}}]",
        NULL);
    const wri_flesh *f[2] = {flesh_at(s.world, 0), flesh_at(s.world, 1)};
    double deepest = 0.0, energy[2];
    for (int i = 0; i < 2; i++) {
        for (int frame = 0; frame < 45; frame++) {
            step_frames(s.world, 1);
            deepest = fmax(deepest, fmax(flesh_deepest(f[0]), flesh_deepest(f[1])));
        }
        energy[i] =
            wr_flesh_energy_of(wri_flesh_world_of(s.world->materials[0].state, &(int){0}), 0);
    }
    printf("    pressed in by %.2f layers, %.3g and %.3g J\n", deepest, energy[0], energy[1]);
    assert_true(deepest > 0.7 && deepest < 1.2);
    CHECK_NEAR(energy[1], energy[0], 0.02 * energy[0]);
    show_end(&s);
}

static void a_core_goes_along_a_path(void **state)
{
    (void)state;
    show s = start_with(NULL,
                        "'bodies': [{'shape': {'sphere': 0.2}, 'path': [{'time': 0, 'at': [1, 2, "
                        "3]}, {'time': 1, 'at': [2, 2, 3], 'turn': {'axis': [0, 1, 0], 'by': "
                        "90}}], 'material': {'flesh': 'muscle', 'spacing': 3}}]",
                        NULL);
    step_frames(s.world, 90);
    const wri_flesh *f = flesh_at(s.world, 0);
    CHECK_NEAR(f->bones[0].c[0], 2.0, 1e-5);
    CHECK_NEAR(f->bones[0].c[1], 2.0, 1e-5);
    CHECK_NEAR(f->bones[0].turn[1], sqrt(0.5), 1e-5);
    show_end(&s);
}

// --- same bits --------------------------------------------------------------------------------

static void resumed_figures_are_bit_identical_on_any_threads(void **state)
{
    (void)state;
    char path[600], assets[700], text[900], others[400];
    figure f = ROD_FIGURE;
    f.rods = 3;
    f.is_one = true;
    f.bend = 2;
    path_of("rods", path);
    figure_write(f, path);
    snprintf(assets, sizeof assets, "'rods': '%s'", path);
    for (int k = 0; k < 2; k++) { // the second has no clip, but all else of the first
        const char *follow = wri_flesh_follow_words[k];
        snprintf(others, sizeof others,
                 ", {'asset': 'rods', 'scale': 0.7, 'at': [1, 0.12, 2.4], 'velocity': [0, 4.4, 0], "
                 "'material': {'flesh': "
                 "'muscle', 'spacing': 0, 'follow': '%s'}}, {'shape': 'plane', 'at': [0, -1, 0]}, "
                 "{'shape': {'sphere': 0.1}, 'at': [1.3, 1.7, 4], 'velocity': [0, 3, -6]}",
                 follow);
        snprintf(text, sizeof text, "'frames': 8, 'substeps': 8, " CLIP_SCENE, follow, others);
        check_same_bits(
            &(hash_run){assets, text, 9, 2}); // it hits the ground when it forgets, at frame 8
    }
}

// --- rigs of others ---------------------------------------------------------------------------

typedef struct foreign_rig {
    const char *file, *clip;
    double scale;
    int frames;
} foreign_rig;

static const foreign_rig FOREIGN[] = {{"RiggedSimple", "#0", 0.1, 90},
                                      {"RiggedFigure", "#0", 1.0, 40},
                                      {"Fox", "Run", 0.01, 40},
                                      {"RecursiveSkeletons", "Track0", 0.02, 20}};

// One that plays the clip, and one that falls far beside it: exactly as the first, both are made of
// the same model.
static show start_foreign(const foreign_rig *rig, const char *follow)
{
    char assets[600], text[900];
    snprintf(assets, sizeof assets, "'x': '%s/khronos/%s.glb'", getenv("WROUGHT_DATA"), rig->file);
    snprintf(text, sizeof text,
             "'substeps': 2, 'bodies': [{'shape': 'plane'}, {'asset': 'x', 'scale': %g, 'at': [0, "
             "0.05, 0], 'pose': {'clip': '%s'}, 'material': {'flesh': 'muscle', 'spacing': 0, "
             "'follow': '%s'}}, {'asset': 'x', 'scale': %g, 'at': [20, 0.8, 0], 'material': "
             "{'flesh': 'muscle', 'spacing': 0, 'follow': '%s'}}]",
             rig->scale, rig->clip, follow, rig->scale, follow);
    return start_with(assets, text, NULL);
}

static void run_foreign(const foreign_rig *rig, int way)
{
    const char *follow = wri_flesh_follow_words[way];
    show s = start_foreign(rig, follow);
    const wri_flesh *played = flesh_at(s.world, 0), *fallen = flesh_at(s.world, 1);
    double energy = flesh_energy(fallen, 9.81), most = energy, gap = 0.0;
    for (int i = 0; i < rig->frames; i++) {
        step_frames(s.world, 1);
        most = fmax(most, flesh_energy(fallen, 9.81));
        gap = fmax(gap, flesh_farthest_apart(fallen));
        gap = fmax(gap, way == WRI_FLESH_EXACTLY ? 0.0 : flesh_farthest_apart(played));
    }
    double size = (double)fallen->model->size, fall = fallen->model->total_mass * 9.81 * size;
    printf("    %-18s %-9s %2d bones: apart by %.0e sizes, energy up by %.3f falls\n", rig->file,
           follow, fallen->model->bone_count, gap / size, (most - energy) / fall);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    assert_true(gap < 1e-3 * size && most < energy + 0.02 * fall);
    show_end(&s);
}

static void rigs_of_others_run(void **state)
{
    (void)state;
    char path[400];
    for (int i = 0; i < WRI_COUNT(FOREIGN); i++) {
        const char *data = getenv("WROUGHT_DATA");
        snprintf(path, sizeof path, "%s/khronos/%s.glb", data ? data : ".", FOREIGN[i].file);
        if (access(path, R_OK) != 0) {
            print_message("skipped: there is no %s\n", path);
            skip();
        }
        run_foreign(&FOREIGN[i], WRI_FLESH_EXACTLY);
        run_foreign(&FOREIGN[i], WRI_FLESH_BY_TORQUE);
    }
}

// --- rigs that cannot be ----------------------------------------------------------------------

// Writes over the words of a file, all that are there, by others of the same length.
static void replace(const char *path, const char *words, const char *others)
{
    size_t size, length = strlen(words);
    char *bytes = wri_file_read(path, (size_t)1 << 24, NULL, &size, NULL);
    int count = 0;
    assert_true(bytes && strlen(others) == length);
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(&bytes[i], words, length) == 0) {
            memcpy(&bytes[i], others, length);
            count++;
        }
    }
    assert_true(count > 0 && wri_file_write(path, bytes, size, NULL));
    wri_free(NULL, bytes, size + 1, 1);
}

// Zeroes every occurrence of these bytes in a file, which there must be.
static void erase(const char *path, const void *values, size_t length)
{
    size_t size, count = 0;
    uint8_t *bytes = (uint8_t *)wri_file_read(path, 1 << 24, NULL, &size, NULL);
    assert_non_null(bytes);
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(&bytes[i], values, length) == 0) {
            memset(&bytes[i], 0, length);
            count++;
        }
    }
    assert_true(count > 0 && wri_file_write(path, bytes, size, NULL));
    wri_free(NULL, bytes, size + 1, 1);
}

typedef struct bad_rig {
    const char *words, *others; // see replace; NULL: the file is as it was made
    const char *material;
    const char *sentence; // a part of it
    const void *erased;   // see erase; NULL: nothing is
    size_t erased_size;   // bytes
} bad_rig;

static void expect_sentence(figure f, const bad_rig *bad)
{
    char path[600], assets[700], scene[600], text[300];
    wr_error error = {0};
    show s = {0};
    path_of("rods", path);
    figure_write(f, path);
    if (bad->words) {
        replace(path, bad->words, bad->others);
    }
    if (bad->erased) {
        erase(path, bad->erased, bad->erased_size);
    }
    snprintf(assets, sizeof assets, "'rods': '%s'", path);
    snprintf(scene, sizeof scene, "%s/scene.json", folder.path);
    snprintf(text, sizeof text, "'bodies': [{'asset': 'rods', 'material': %s}]", bad->material);
    assert_false(show_start(&s, scene, ".", assets, text, NULL, &error));
    printf("    %s\n", strrchr(error.message, '/') + 1);
    if (!strstr(error.message, bad->sentence)) {
        fail_msg("%s", error.message);
    }
}

static void rigs_that_cannot_be_give_a_sentence(void **state)
{
    (void)state;
    const bad_rig detached = {NULL, NULL, "'flesh'", "hang on no joint in common"},
                  flat = {NULL, NULL, "'flesh'", "flat"};
    const bad_rig others[] = {
        {"TS_0", "TZ_0", "'flesh'", "has a skin, but its mesh has no weights"},
        {"\"children\":[3]", "\"children\":[2]", "'flesh'", "must form trees"},
        {NULL, NULL, "{'flesh': 'muscle', 'thickness': 1e-9}", "nowhere thick enough"},
    };
    figure f = ROD_FIGURE;
    f.is_one = true;
    for (int i = 0; i < WRI_COUNT(others); i++) {
        expect_sentence(f, &others[i]);
    }
    f.is_detached = true;
    expect_sentence(f, &detached);
    f.is_detached = false;
    f.scale = 0.0f;
    expect_sentence(f, &flat);
}

static void numbers_that_are_all_zero_give_a_sentence(void **state)
{
    (void)state;
    static const uint16_t weights[16] = {UINT16_MAX, 0, 0, 0, UINT16_MAX, 0, 0, 0,
                                         UINT16_MAX, 0, 0, 0, UINT16_MAX, 0, 0, 0};
    const bad_rig none = {
        NULL, NULL, "'flesh'", "has a skin, but its mesh has no weights", weights, sizeof weights};
    figure f = ROD_FIGURE;
    f.bend = 1;
    expect_sentence(f, &none);
    char path[600];
    path_of("rods", path);
    figure_write(f, path);
    wr_model *model = wr_model_read(path, NULL, NULL);
    assert_non_null(model);
    const float *key = model->clips[0].tracks[0].values;
    const bad_rig turn = {NULL, NULL, "'flesh'", "key 0 is the quaternion 0 0 0 0", key, 16};
    expect_sentence(f, &turn);
    wr_model_destroy(model);
}

static void joints_that_share_no_skin_may_be_detached(void **state)
{
    (void)state;
    figure f = ROD_FIGURE;
    f.is_detached = true;
    show s = start_rods(f, RODS, NULL);
    assert_int_equal(flesh_at(s.world, 0)->model->bone_count, 2);
    assert_int_equal(flesh_at(s.world, 0)->model->joint_count, 0);
    step_frames(s.world, 10);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    show_end(&s);
}

static void clips_that_scale_are_told_of(void **state)
{
    (void)state;
    figure f = ROD_FIGURE;
    f.bend = 1;
    f.grows = 1.3f;
    show s = start_rods(f,
                        "'bodies': [{'asset': 'rods', 'pose': {'clip': 'bend'}, 'material': "
                        "{'flesh': 'muscle', 'spacing': 0}}]",
                        NULL);
    assert_int_equal(s.scene->warning_count, 1);
    assert_non_null(strstr(s.scene->warnings[0], "the clip \"bend\" scales \"rod 1\""));
    step_frames(s.world, 60);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    show_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_that_hangs_on_another_swings_as_its_closed_form),
        cmocka_unit_test(joints_stay_closed_while_it_crumples),
        cmocka_unit_test(light_joints_are_parts_of_those_above),
        cmocka_unit_test(clips_tell_kinds_and_limits_of_joints),
        cmocka_unit_test(scaled_skeletons_have_their_joints_in_place),
        cmocka_unit_test(bones_are_where_a_clip_has_them),
        cmocka_unit_test(what_follows_by_torque_comes_back_after_a_push),
        cmocka_unit_test(without_balance_it_falls),
        cmocka_unit_test(balance_is_a_share_of_the_weight),
        cmocka_unit_test(a_block_by_torque_stays_where_it_starts),
        cmocka_unit_test(a_core_by_torque_goes_along_a_path),
        cmocka_unit_test(a_figure_by_torque_without_a_pose_stays_where_it_starts),
        cmocka_unit_test(single_joints_may_be_stiffer),
        cmocka_unit_test(a_core_goes_along_a_path),
        cmocka_unit_test(skins_of_driven_bones_yield_as_far_as_their_layers),
        cmocka_unit_test(resumed_figures_are_bit_identical_on_any_threads),
        cmocka_unit_test(rigs_of_others_run),
        cmocka_unit_test(rigs_that_cannot_be_give_a_sentence),
        cmocka_unit_test(numbers_that_are_all_zero_give_a_sentence),
        cmocka_unit_test(joints_that_share_no_skin_may_be_detached),
        cmocka_unit_test(clips_that_scale_are_told_of),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
