// test_morph_bones.c: bodies of morph whose bones are those of flesh, as physics moves them.
#include "check.h"

#include "../src/morph/morph.h"
#include "../src/world/flesh.h"
#include "morph_world.h"

// An arm of flesh is hit from below, off its middle; arms of morph beside it, one of them listed
// before it and turned, follow its bones.
#define ARMS                                                                                       \
    "'frames': 60, 'substeps': 1, 'gravity': [0, 0, 0], 'bodies': ["                               \
    "{'name': 'early', 'asset': 'elbow', 'at': [2, 1, 3], 'turn': {'axis': [1, 2, 3], 'by': 50}, " \
    "'pose': {'bones': 'flesh'}, 'material': {'morph': 'muscle', 'freedom': 'full'}}, "            \
    "{'name': 'flesh', 'asset': 'elbow', 'scale': 1.5, 'material': {'flesh': 'muscle', "           \
    "'spacing': 0}}, "                                                                             \
    "{'name': 'late', 'asset': 'elbow', 'at': [-3, 0, 0], 'scale': 1.5, 'pose': {'bones': "        \
    "'flesh'}, 'material': 'morph'}, {'name': 'copy', 'asset': 'elbow', 'at': [-6, 0, 0], "        \
    "'scale': 1.5, 'pose': {'body': 'late'}, 'material': 'morph'}, "                               \
    "{'shape': {'sphere': 0.12}, 'at': [-0.45, -0.2, 0.02], 'velocity': [0, 4, 0], 'mass': 6}]"

static const char *arm_asset(void)
{
    static char text[4096];
    snprintf(text, sizeof text, "'elbow': '%s/elbow.recipe.json'", getenv("WROUGHT_SCENES"));
    return text;
}

typedef struct arms {
    show s;
    wr_flesh_world *flesh;
    int body;
    morph_at early, late, copy;
} arms;

static arms start_arms(void)
{
    arms a = {.s = start_with(arm_asset(), ARMS, NULL)};
    const wri_material_body *flesh = &a.s.world->materials[1];
    assert_ptr_equal(flesh->material, &wri_flesh_material);
    a.flesh = wri_flesh_world_of(flesh->state, &a.body);
    a.early = find_morph(a.s.world, 0);
    a.late = find_morph(a.s.world, 2);
    a.copy = find_morph(a.s.world, 3);
    return a;
}

static wr_pose start_of(const arms *a, int body)
{
    return a->s.scene->bodies[body].rigid.pose;
}

// Metres: how far a bone of morph is from the bone of flesh, if both bodies began in one place.
static double off_the_bones(const arms *a, const morph_at *m, int body)
{
    double most = 0.0;
    float scale = a->s.scene->bodies[1].scale / a->s.scene->bodies[body].scale;
    for (int i = 0; i < 4; i++) {
        wr_pose theirs = wr_flesh_bone_pose(a->flesh, a->body, i);
        wr_pose own = wr_pose_multiply(wr_pose_inverse(start_of(a, body)),
                                       wr_morph_bone_pose(m->world, m->body, i));
        for (int k = 0; k < 4; k++) {
            wr_vec3 p = wr_v3(k == 1, k == 2, k == 3);
            wr_vec3 there = wr_pose_point(theirs, p);
            wr_vec3 here = wr_scale(scale, wr_pose_point(own, wr_scale(1.0f / scale, p)));
            most = fmax(most, (double)wr_distance(there, here));
        }
    }
    return most;
}

// Degrees between the two middle bones of flesh.
static double bent(const arms *a)
{
    wr_quat p = wr_flesh_bone_pose(a->flesh, a->body, 1).rotation;
    wr_quat q = wr_flesh_bone_pose(a->flesh, a->body, 2).rotation;
    return 2.0 * acos(fmin(1.0, fabs((double)wr_quat_dot(p, q)))) * 180.0 / 3.14159265;
}

// Largest difference of the targets' shares from those of the bones of flesh.
static double off_the_angles(const arms *a, const morph_at *m, double *of_targets)
{
    double is[8] = {0}, wanted[8] = {0}, most = 0.0;
    wr_pose poses[4];
    for (int i = 0; i < 4; i++) {
        poses[i] = wr_flesh_bone_pose(a->flesh, a->body, i);
    }
    wr_morph_shares(m->world, m->body, is);
    wr_morph_model_shares(wri_morph_of(m->world, m->body)->model, poses, NULL, false, wanted);
    for (int i = 0; i < 4; i++) {
        most = fmax(most, fabs(is[i] - wanted[i]));
    }
    *of_targets = fmax(*of_targets, 1.0 - is[0]);
    return most;
}

// In the same frame, wherever they stand in the list, whatever their place, turn and scale; and
// the shares of targets are those of the simulated angles of the joints.
static void bones_and_angles_are_those_of_flesh_after_its_step(void **state)
{
    (void)state;
    arms a = start_arms();
    double off = 0.0, most = 0.0, moved = 0.0, of_targets = 0.0, off_angles = 0.0;
    for (int i = 0; i < 60; i++) {
        step_frames(a.s.world, 1);
        off = fmax(off, off_the_bones(&a, &a.early, 0));
        off = fmax(off, off_the_bones(&a, &a.late, 2));
        off = fmax(off, off_the_bones(&a, &a.copy, 3));
        off_angles = fmax(off_angles, off_the_angles(&a, &a.late, &of_targets));
        most = fmax(most, bent(&a));
        moved = (double)wr_length(wr_flesh_bone_pose(a.flesh, a.body, 0).position);
    }
    printf("    bent by %.1f degrees, flew %.2f m; off by %.1e m at most\n", most, moved, off);
    printf("    targets have up to %.3f; off by %.1e\n", of_targets, off_angles);
    assert_true(most > 5.0 && moved > 0.1 && of_targets > 0.05);
    assert_true(off < 1e-5 && off_angles < 1e-5);
    assert_int_equal(wr_world_stats(a.s.world).frozen, 0);
    show_end(&a.s);
}

// Skin lags behind as that of a body of its own that somebody tells, step by step, where the bones
// of flesh are.
static void the_inertia_of_the_bones_reaches_the_skin(void **state)
{
    (void)state;
    arms a = start_arms();
    wr_morph_world *world = wr_morph_world_create(NULL, NULL);
    const wr_morph_model *model = wri_morph_of(a.late.world, a.late.body)->model;
    morph_at alone = {world, wr_morph_add(world, model, NULL), a.late.count};
    wr_pose start = start_of(&a, 2), poses[4] = {start, start, start, start};
    double most = 0.0, off = 0.0;
    wr_morph_put(world, alone.body, poses, NULL);
    for (int i = 0; i < 40; i++) {
        wr_morph_step step = wr_morph_step_default();
        step.gravity = wr_v3(0, 0, 0);
        step_frames(a.s.world, 1);
        for (int k = 0; k < 4; k++) {
            poses[k] = wr_pose_multiply(start, wr_flesh_bone_pose(a.flesh, a.body, k));
        }
        wr_morph_drive(world, alone.body, poses, NULL);
        assert_true(wr_morph_world_step(world, &step));
        wr_vec3 *is = morph_moved(&a.late), *wanted = morph_moved(&alone);
        for (int k = 0; k < a.late.count; k++) {
            most = fmax(most, (double)wr_length(wanted[k]));
            off = fmax(off, (double)wr_distance(is[k], wanted[k]));
        }
        free(is);
        free(wanted);
    }
    printf("    skin moves by up to %.4f m, off by %.1e m\n", most, off);
    assert_true(most > 1e-3 && off < 1e-2 * most);
    wr_morph_world_destroy(world);
    show_end(&a.s);
}

// Metres the skin of the late arm has moved after the ball's hit, in the mean, as it stands
// somewhere among two figures of flesh; nobody has the bones of the second, whose box meets that of
// the first.
static wr_vec3 moved_beside(const char *at, wr_pose *bone, int *contacts)
{
    char text[1500];
    snprintf(text, sizeof text,
             "'frames': 60, 'substeps': 1, 'gravity': [0, 0, 0], 'bodies': ["
             "{'name': 'flesh', 'asset': 'elbow', 'visible': false, 'material': {'flesh': "
             "'muscle', 'spacing': 0}}, "
             "{'asset': 'elbow', 'at': [%s], 'pose': {'bones': 'flesh'}, 'material': 'morph', "
             "'misses': ['balls']}, "
             "{'asset': 'elbow', 'at': [0.22, 0.42, 0], 'turn': {'axis': [0, 0, 1], 'by': -45}, "
             "'material': {'flesh': 'muscle', "
             "'spacing': 0}}, {'shape': {'sphere': 0.08}, 'at': [-0.3, -0.14, 0.013], "
             "'velocity': [0, 4, 0], 'mass': 2, 'groups': ['balls']}]",
             at);
    show s = start_with(arm_asset(), text, NULL);
    step_frames(s.world, 20);
    *contacts = (int)wr_world_stats(s.world).contacts;
    int body;
    wr_flesh_world *flesh = wri_flesh_world_of(s.world->materials[0].state, &body);
    *bone = wr_flesh_bone_pose(flesh, body, 2);
    wr_vec3 moved = mean_moved(s.world, 1);
    show_end(&s);
    return moved;
}

// A body meets other flesh, but not the figure whose bones it has: in its place both move as if
// they stood apart.
static void skin_misses_the_figure_whose_bones_it_has(void **state)
{
    (void)state;
    wr_pose bones[3];
    int contacts[3];
    wr_vec3 apart = moved_beside("-6, 0, 0", &bones[0], &contacts[0]);
    wr_vec3 within = moved_beside("0, 0, 0", &bones[1], &contacts[1]);
    moved_beside("0.2, 0.3, 0.02", &bones[2], &contacts[2]);
    printf("    the mean of the skin moves by %.2e m, off by %.1e m; contacts %d, %d, %d\n",
           (double)wr_length(apart), (double)wr_distance(apart, within), contacts[0], contacts[1],
           contacts[2]);
    assert_true(wr_length(apart) > 1e-4f);
    assert_true(wr_distance(apart, within) < 1e-3f * wr_length(apart));
    assert_true(wr_distance(bones[0].position, bones[1].position) < 1e-6f);
    assert_int_equal(contacts[0], contacts[1]);
    assert_true(contacts[2] > contacts[0]);
}

static void threads_and_resuming_change_no_bit(void **state)
{
    (void)state;
    const hash_run run = {arm_asset(), ARMS, 61, 4};
    check_same_bits(&run);
}

// --- mistakes ---------------------------------------------------------------------------------

static void refuse(const char *bodies, const char *expected)
{
    char text[1200], path[600];
    wr_error error = {0};
    show s = {0};
    snprintf(text, sizeof text, "'bodies': [%s]", bodies);
    snprintf(path, sizeof path, "%s/scene.json", folder.path);
    assert_false(show_start(&s, path, getenv("WROUGHT_SCENES"), arm_asset(), text, NULL, &error));
    if (!strstr(error.message, expected)) {
        fail_msg("%s\nexpected %s", error.message, expected);
    }
}

#define ARM(name, rest) "{'name': '" name "', 'asset': 'elbow', " rest "}"

static void who_cannot_lead_or_follow_is_told_so(void **state)
{
    (void)state;
    refuse(ARM("a", "'material': 'morph', 'pose': {'bones': 'b'}") ", " ARM("b",
                                                                            "'material': 'morph'"),
           "\"b\" has no simulated bones, expected a rigged body of \"flesh\"");
    refuse(ARM("a", "'material': 'flesh', 'pose': {'bones': 'b'}") ", " ARM("b",
                                                                            "'material': 'flesh'"),
           "a body of \"flesh\" cannot follow simulated bones, expected one of \"morph\"");
    refuse(ARM("a", "'material': 'flesh', 'pose': {'body': 'm'}") ", " ARM(
               "m", "'material': 'morph', 'pose': {'bones': 'b'}") ", " ARM("b", "'material': "
                                                                                 "'flesh'"),
           "a body of \"flesh\" cannot follow simulated bones, expected one of \"morph\"");
    refuse(ARM("a",
               "'material': 'morph', 'pose': {'bones': 'b'}, 'path': [{'time': 0, 'at': [0, 0, "
               "0]}]") ", " ARM("b", "'material': 'flesh'"),
           "a body that follows them has no \"path\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bones_and_angles_are_those_of_flesh_after_its_step),
        cmocka_unit_test(the_inertia_of_the_bones_reaches_the_skin),
        cmocka_unit_test(skin_misses_the_figure_whose_bones_it_has),
        cmocka_unit_test(threads_and_resuming_change_no_bit),
        cmocka_unit_test(who_cannot_lead_or_follow_is_told_so),
    };
    return cmocka_run_group_tests(tests, set_up_with_cache, tear_down);
}
