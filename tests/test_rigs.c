// test_rigs.c: rigs as others make them become figures of flesh: bones that are scaled unevenly,
// mirrored or not at all, and files by Khronos. A body starts where its file is, as a player of
// glTF shows it; then it moves for two seconds by physics alone, by a clip and by torques.
#include "flesh_figure.h"
#include "gltf_player.h"
#include "show.h"

#include "../src/flesh/flesh.h"
#include "../src/flesh/parameters.h"
#include "../src/world/flesh.h"

enum { FRAMES = 60, FEW = 20 }; // one second; test_flesh_skeleton.c runs those of others

static char path[600], assets[700];

// --- rigs by construction ---------------------------------------------------------------------

typedef void change_fn(wr_model *model);

// The joints as they are now are those that the skin was bound to.
static void bind_anew(wr_model *model)
{
    const wr_model_skin *skin = model->skins;
    for (int i = 0; i < skin->joint_count; i++) {
        player_matrix a = player_global_matrix(model, skin->joints[i], -1.0f);
        double d = 0.0, c[3][3];
        for (int k = 0; k < 9; k++) {
            int r = k / 3, s = k % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3;
            int s1 = (s + 1) % 3, s2 = (s + 2) % 3;
            c[s][r] = a.m[r1][s1] * a.m[r2][s2] - a.m[r1][s2] * a.m[r2][s1];
            d += r == 0 ? a.m[0][s] * c[s][0] : 0.0;
        }
        for (int r = 0; r < 3; r++) {
            double t = 0.0;
            for (int s = 0; s < 3; s++) {
                skin->inverse_bind[i].m[r][s] = (float)(c[r][s] / d);
                t -= c[r][s] / d * a.m[s][3];
            }
            skin->inverse_bind[i].m[r][3] = (float)t;
        }
    }
}

static void set_paths(void)
{
    snprintf(path, sizeof path, "%s/rig.glb", folder.path);
    snprintf(assets, sizeof assets, "'rig': '%s'", path);
}

// Three rods under one skin, with a clip that bends them, changed.
static void write_rods(int bend, change_fn *change)
{
    wr_error error = {0};
    figure f = ROD_FIGURE;
    f.rods = 3;
    f.is_one = true;
    f.bend = bend;
    set_paths();
    figure_write(f, path);
    wr_model *model = wr_model_read(path, NULL, &error);
    assert_non_null(model);
    change(model);
    if (!wr_model_write_glb(model, path, &error)) {
        fail_msg("%s", error.message);
    }
    wr_model_destroy(model);
}

static int node_named(const wr_model *model, const char *name)
{
    int found = -1;
    for (int i = 0; i < model->node_count; i++) {
        found = strcmp(model->nodes[i].name, name) == 0 ? i : found;
    }
    assert_true(found >= 0);
    return found;
}

static void scale_node(wr_model *model, const char *name, wr_vec3 scale)
{
    model->nodes[node_named(model, name)].scale = scale;
}

static void leave(wr_model *model)
{
    (void)model;
}

static void scale_unevenly(wr_model *model)
{
    wr_quat turn = wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 2, -1)), 0.4f);
    scale_node(model, "rod 1", wr_v3(1.5f, 0.7f, 1.0f));
    scale_node(model, "rod 2", wr_v3(0.8f, 1.3f, 1.1f));
    model->nodes[node_named(model, "rod 2")].pose.rotation = turn;
}

static void mirror_all(wr_model *model)
{
    scale_node(model, "above", wr_v3(-1, 1, 1));
}

static void scale_bound(wr_model *model)
{
    scale_unevenly(model);
    bind_anew(model);
}

static void mirror_bound(wr_model *model)
{
    mirror_all(model);
    scale_node(model, "rod 3", wr_v3(1, 1, -1));
    bind_anew(model);
}

static void mirror_tip(wr_model *model)
{
    scale_node(model, "rod 3", wr_v3(1, 1, -1));
}

static void shrink_tip(wr_model *model)
{
    scale_node(model, "rod 3", wr_v3(0.1f, 0.1f, 0.1f));
    bind_anew(model);
}

static void flatten_middle(wr_model *model)
{
    scale_node(model, "rod 2", wr_v3(1, 0.1f, 1));
    bind_anew(model);
}

static void vanish_tip(wr_model *model)
{
    scale_node(model, "rod 3", wr_v3(0, 0, 0));
}

static void vanish_middle(wr_model *model)
{
    scale_node(model, "rod 2", wr_v3(1, 0, 1));
}

// --- what becomes of them ---------------------------------------------------------------------

static show start_rig(const char *body)
{
    char text[700];
    snprintf(text, sizeof text,
             "'bodies': [{'shape': 'plane', 'at': [0, 0.7, 0]}, {'asset': 'rig', %s}]", body);
    return start_with(assets, text, NULL);
}

// Metres: how far vertices are off from where a player has them.
static float off_the_file(const show *s, float time)
{
    wr_error error = {0};
    wr_model *model = wr_model_read(path, NULL, &error);
    assert_non_null(model);
    const wr_scene_body *body = &s->scene->bodies[1];
    const wr_frame *frame = wr_world_frame(s->world);
    assert_int_equal(frame->points_count, 1);
    const wr_vec3 *points = frame->points[0].positions;
    float most = 0.0f;
    for (int i = 0, first = 0; i < model->node_count; i++) {
        int mesh = model->nodes[i].mesh;
        if (mesh < 0) {
            continue;
        }
        int count = model->meshes[mesh].vertex_count;
        wr_vec3 *places = calloc((size_t)count, sizeof *places);
        play(model, i, time, places);
        for (int v = 0; v < count; v++) {
            wr_vec3 at = wr_pose_point(body->rigid.pose, wr_scale(body->scale, places[v]));
            most = fmaxf(most, wr_distance(at, points[first + v]));
        }
        first += count;
        free(places);
    }
    wr_model_destroy(model);
    return most;
}

static void run(show *s, int frames, const char *what)
{
    step_frames(s->world, frames);
    const wr_frame *frame = wr_world_frame(s->world);
    assert_int_equal(wr_world_stats(s->world).frozen, 0);
    assert_int_equal(frame->points_count, 1);
    float farthest = 0.0f;
    for (int i = 0; i < frame->points[0].count; i++) {
        assert_true(wr_is_finite3(frame->points[0].positions[i]));
        farthest = fmaxf(farthest, wr_length(frame->points[0].positions[i]));
    }
    printf("    %s: %d vertices within %.1f m\n", what, frame->points[0].count, (double)farthest);
    assert_true(farthest < 20.0f);
    show_end(s);
}

#define OBLIQUE "'scale': 0.7, 'at': [1, 2, 3], 'turn': {'axis': [1, 2, 3], 'by': 50}, "

// is_rigid: bones neither grow nor shear in the clip, so that it, too, begins as in the file.
static void expect_right(change_fn *change, const char *what, bool is_rigid)
{
    static const char *const ways[] = {
        "'material': {'flesh': 'muscle', 'spacing': 0}",
        "'pose': {'clip': 'bend'}, 'material': {'flesh': 'muscle', 'spacing': 0}",
        ("'pose': {'clip': 'bend'}, "
         "'material': {'flesh': 'muscle', 'spacing': 0, 'follow': 'by torque'}")};
    for (int i = 0; i < WRI_COUNT(ways); i++) {
        char body[400];
        write_rods(1, change);
        snprintf(body, sizeof body, OBLIQUE "%s", ways[i]);
        show s = start_rig(body);
        if (i == 0 || is_rigid) {
            CHECK_NEAR((double)off_the_file(&s, i == 0 ? -1.0f : 0.0f), 0.0, 2e-6);
        } else {
            assert_non_null(strstr(s.scene->warnings[0], "keep their size"));
        }
        run(&s, FRAMES, what);
    }
}

static void a_plain_rig_starts_where_its_file_is(void **state)
{
    (void)state;
    expect_right(leave, "plain", true);
}

static void unevenly_scaled_bones_start_where_their_file_is(void **state)
{
    (void)state;
    expect_right(scale_unevenly, "uneven", false);
    expect_right(scale_bound, "bound to uneven", false);
}

static void mirrored_bones_start_where_their_file_is(void **state)
{
    (void)state;
    expect_right(mirror_all, "mirrored", true);
    expect_right(mirror_tip, "mirrored tip", true);
    expect_right(mirror_bound, "bound to mirrors", true);
}

static void small_bones_start_where_their_file_is(void **state)
{
    (void)state;
    expect_right(shrink_tip, "small tip", true);
    expect_right(flatten_middle, "flat middle", false);
}

// Mirrored as a whole, it has its core inside.
static void a_mirrored_rig_weighs_as_much(void **state)
{
    (void)state;
    static change_fn *const changes[] = {leave, mirror_all};
    double masses[2];
    for (int i = 0; i < 2; i++) {
        int body;
        write_rods(-1, changes[i]);
        show s = start_rig("'material': {'flesh': 'muscle', 'spacing': 0}");
        const wr_flesh_world *flesh = wri_flesh_world_of(s.world->materials[0].state, &body);
        const wr_flesh_model *m = wri_flesh_of(flesh, body)->model;
        masses[i] = m->total_mass;
        for (int n = 0; n < m->node_count; n++) {
            wr_vec3 x = f4_vec3(m->rest[n]), out = f4_vec3(m->outward[n]);
            bool is_side = x.y < -0.1f && x.y > -1.4f;
            assert_true(!is_side || wr_dot(out, wr_v3(x.x, 0, x.z)) > 0.0f);
        }
        show_end(&s);
    }
    CHECK_NEAR(masses[1], masses[0], 1e-3 * masses[0]);
}

// --- rigs that cannot be ----------------------------------------------------------------------

static void expect_failure(const char *text, const char *words)
{
    char scene[600];
    wr_error error = {0};
    show s = {0};
    snprintf(scene, sizeof scene, "%s/scene.json", folder.path);
    assert_false(show_start(&s, scene, ".", assets, text, NULL, &error));
    printf("    %s\n", strrchr(error.message, '/') + 1);
    if (!strstr(error.message, words)) {
        fail_msg("%s", error.message);
    }
}

static void expect_sentence(change_fn *change, const char *words)
{
    write_rods(1, change);
    expect_failure("'bodies': [{'asset': 'rig', 'material': 'flesh'}]", words);
}

static void bones_of_no_size_give_a_sentence(void **state)
{
    (void)state;
    expect_sentence(vanish_tip, "joint \"rod 3\" has no extent at rest");
    expect_sentence(vanish_middle, "joint \"rod 2\" has no extent at rest");
}

// The clip scales the first joint to `grows`.
static void write_scaling(float grows)
{
    figure f = ROD_FIGURE;
    f.bend = 1;
    f.grows = grows;
    set_paths();
    figure_write(f, path);
}

static void clips_that_scale_are_told_of_and_run(void **state)
{
    (void)state;
    static const float grows[] = {0.2f, 2.0f};
    for (int i = 0; i < 4; i++) {
        char body[300];
        write_scaling(grows[i / 2]);
        snprintf(body, sizeof body,
                 "'at': [0, 2, 0], 'pose': {'clip': 'bend'}, 'material': {'flesh': 'muscle', "
                 "'spacing': 0, 'follow': '%s'}",
                 wri_flesh_follow_words[i % 2]);
        show s = start_rig(body);
        assert_int_equal(s.scene->warning_count, 1);
        assert_non_null(strstr(s.scene->warnings[0], "the clip \"bend\" scales \"rod 1\""));
        run(&s, FRAMES / 2, "a clip that scales");
    }
}

static struct {
    const char *joint;
    float way; // metres, along z and back
} shift;

// The clip moves a joint instead of turning one.
static void shift_joint(wr_model *model)
{
    int node = node_named(model, shift.joint);
    wr_track *track = &model->clips[0].tracks[0];
    float *values = wr_model_alloc(model, 9, sizeof *values);
    assert_true(values && track->key_count == 3);
    for (int k = 0; k < 3; k++) {
        const wr_vec3 *rest = &model->nodes[node].pose.position;
        memcpy(&values[3 * k], rest, sizeof *rest);
    }
    values[5] += shift.way;
    track->node = node;
    track->channel = WR_CHANNEL_POSITION;
    track->values = values;
}

static void clips_that_squash_or_mirror_give_a_sentence(void **state)
{
    (void)state;
    static const float grows[] = {0.0f, -1.0f};
    for (int i = 0; i < 2; i++) {
        write_scaling(grows[i]);
        expect_failure("'bodies': [{'asset': 'rig', 'pose': {'clip': 'bend'}, 'material': "
                       "'flesh'}]",
                       "the clip \"bend\" squashes \"rod 1\" to nothing or turns it inside out");
    }
}

// --- balance ----------------------------------------------------------------------------------

typedef struct heard {
    int count;
    char last[400];
} heard;

static void hear(void *user, const char *text)
{
    heard *h = user;
    h->count++;
    snprintf(h->last, sizeof h->last, "%s", text);
}

// words: a part of the only sentence; NULL: there is none.
static void expect_warning(const char *body, const char *words)
{
    heard h = {0};
    wr_error error = {0};
    char text[500];
    snprintf(text, sizeof text, "'at': [0, 4, 0], %s", body);
    show s = start_rig(text);
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = s.scene;
    desc.log = (wr_log){hear, &h};
    wr_world *world = wr_world_create(&desc, &error);
    assert_non_null(world);
    step_frames(world, 2);
    if (h.count != (words != NULL) || (words && !strstr(h.last, words))) {
        fail_msg("%d warnings for %s: %s", h.count, body, h.last);
    }
    wr_world_destroy(world);
    show_end(&s);
}

static void balance_without_effect_is_told_of(void **state)
{
    (void)state;
    write_rods(1, leave);
    expect_warning("'material': {'flesh': 'muscle', 'spacing': 0, 'follow': 'by torque'}", NULL);
    expect_warning("'material': {'flesh': 'muscle', 'spacing': 0, 'balance': 3}",
                   "does not follow by torque");
    expect_warning(
        "'pose': {'clip': 'bend'}, 'material': {'flesh': 'muscle', 'spacing': 0, 'balance': 3}",
        "does not follow by torque");
    expect_warning(
        "'pose': {'clip': 'bend'}, 'material': {'flesh': 'muscle', 'spacing': 0, 'follow': 'by "
        "torque', 'balance': 3}",
        NULL);
    expect_warning("'material': {'flesh': 'muscle', 'spacing': 0}", NULL);
    figure f = ROD_FIGURE;
    f.rods = 1;
    f.bend = 1;
    f.grows = 1.1f;
    figure_write(f, path);
    expect_warning(
        "'pose': {'clip': 'bend'}, 'material': {'flesh': 'muscle', 'spacing': 0, 'follow': 'by "
        "torque'}",
        NULL);
}

static void words_without_effect_are_told_of(void **state)
{
    (void)state;
    write_rods(1, leave);
#define MUSCLE "'material': {'flesh': 'muscle', 'spacing': 0"
    expect_warning(MUSCLE ", 'torque': 30}",
                   "does not follow by torque: its \"torque\" has no effect");
    expect_warning(MUSCLE ", 'joints': 3, 'follow': 'by torque'}",
                   "follows by torque: its \"joints\" has no effect");
    expect_warning("'pose': {'clip': 'bend'}, " MUSCLE ", 'joints': 3}",
                   "follows its pose exactly: its \"joints\" has no effect");
    expect_warning("'copies': {'count': 3, 'step': [2, 0, 0]}, " MUSCLE ", 'torque': 30}",
                   "does not follow by torque: its \"torque\" has no effect");
    expect_warning("'pose': {'clip': 'bend'}, 'joint_stiffness': {'rod 2': 5}, " MUSCLE "}",
                   "follows its pose exactly: its \"joint_stiffness\" has no effect");
    expect_warning("'joint_stiffness': {'rod 2': 5}, " MUSCLE ", 'joints': 3}", NULL);
    expect_warning(MUSCLE ", 'torque': 30, 'follow': 'by torque'}", NULL);
    expect_warning(MUSCLE ", 'detection': 'raster'}", NULL);
    expect_warning(MUSCLE ", 'detection': 'raster'}}, {'shape': {'sphere': 0.1}, 'at': [9, 2, 0], "
                          "'material': 'flesh'",
                   "find each other exactly: only one of them has");
    expect_warning(MUSCLE "}}, {'shape': {'sphere': 0.1}, 'at': [9, 2, 0], 'material': {'flesh': "
                          "'muscle', 'torque': 3, 'follow': 'by torque'}",
                   "has no joints: its \"torque\" has no effect");
#undef MUSCLE
}

// A clip may shift what hangs on nothing.
static void clips_that_take_joints_apart_are_told_of(void **state)
{
    (void)state;
    static const char *const joints[] = {"rod 1", "rod 2"};
    for (int joint = 0; joint < 2; joint++) {
        for (int i = 0; i < 2; i++) {
            shift.joint = joints[joint];
            shift.way = i == 0 ? 0.4f : 0.02f;
            write_rods(1, shift_joint);
            show s = start_rig("'pose': {'clip': 'bend'}, 'scale': 2, 'material': {'flesh': "
                               "'muscle', 'spacing': 0}");
            bool is_apart = joint > 0 && i == 0;
            assert_int_equal(s.scene->warning_count, is_apart);
            if (is_apart && !strstr(s.scene->warnings[0], "the clip \"bend\" takes \"rod 2\" off "
                                                          "\"rod 1\" by up to 0.8 m")) {
                fail_msg("%s", s.scene->warnings[0]);
            }
            show_end(&s);
        }
    }
}

static void keys_of_rigid_bodies_are_refused(void **state)
{
    (void)state;
    static const char *const keys[] = {"'linear_damping': 3", "'angular_damping': 0.5",
                                       "'rolling': 0.1"};
    write_rods(1, leave);
    for (int i = 0; i < WRI_COUNT(keys); i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "'bodies': [{'shape': {'sphere': 0.1}, 'material': 'flesh', %s}]", keys[i]);
        expect_failure(text, "means nothing for a body of \"flesh\"");
    }
}

// --- rigs of others ---------------------------------------------------------------------------

typedef struct foreign_rig {
    const char *file, *clip;
    float scale;
    double near; // metres: of the clip's beginning; light joints do as those above do
} foreign_rig;

static const foreign_rig FOREIGN[] = {
    {"RiggedSimple", "#0", 0.1f, 1e-5},
    {"RiggedFigure", "#0", 1.0f, 1e-5},
    {"Fox", "Survey", 0.01f, 0.04},
    {"RecursiveSkeletons", "Track0", 0.02f, 1e-5},
};

static void run_foreign(const foreign_rig *rig, int way)
{
    static const char *const words[] = {"", "'pose': {'clip': '%s'}, ", "'pose': {'clip': '%s'}, "};
    char body[300], pose[100];
    snprintf(pose, sizeof pose, way > 0 ? words[way] : "%.0s", rig->clip);
    snprintf(body, sizeof body,
             "'scale': %g, 'at': [0, 1.5, 0], %s'material': {'flesh': 'muscle', 'spacing': 0, "
             "'follow': '%s'}",
             (double)rig->scale, pose, wri_flesh_follow_words[way == 2]);
    show s = start_rig(body);
    float off = off_the_file(&s, way == 0 ? -1.0f : 0.0f);
    printf("    %s %d: off by %.1e m\n", rig->file, way, (double)off);
    CHECK_NEAR((double)off, 0.0, way == 0 ? 1e-5 : rig->near);
    run(&s, FEW, rig->file);
}

static void rigs_of_others_start_where_their_files_are(void **state)
{
    (void)state;
    const char *data = getenv("WROUGHT_DATA");
    for (int i = 0; i < WRI_COUNT(FOREIGN); i++) {
        snprintf(path, sizeof path, "%s/khronos/%s.glb", data ? data : ".", FOREIGN[i].file);
        snprintf(assets, sizeof assets, "'rig': '%s'", path);
        if (access(path, R_OK) != 0) {
            print_message("skipped: there is no %s\n", path);
            skip();
        }
        for (int way = 0; way < 3; way++) {
            run_foreign(&FOREIGN[i], way);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_rig_starts_where_its_file_is),
        cmocka_unit_test(unevenly_scaled_bones_start_where_their_file_is),
        cmocka_unit_test(mirrored_bones_start_where_their_file_is),
        cmocka_unit_test(small_bones_start_where_their_file_is),
        cmocka_unit_test(a_mirrored_rig_weighs_as_much),
        cmocka_unit_test(bones_of_no_size_give_a_sentence),
        cmocka_unit_test(clips_that_scale_are_told_of_and_run),
        cmocka_unit_test(clips_that_squash_or_mirror_give_a_sentence),
        cmocka_unit_test(balance_without_effect_is_told_of),
        cmocka_unit_test(words_without_effect_are_told_of),
        cmocka_unit_test(clips_that_take_joints_apart_are_told_of),
        cmocka_unit_test(keys_of_rigid_bodies_are_refused),
        cmocka_unit_test(rigs_of_others_start_where_their_files_are),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
