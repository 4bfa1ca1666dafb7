// test_pose.c: promises of clips, skins and morphs: what moves, and where vertices go.
#include "check.h"

#include "wrought/geometry.h"

// --- tracks -----------------------------------------------------------------------------------

static float sample(const wr_track *track, double time)
{
    float value;
    wr_track_sample(track, 1, time, &value);
    return value;
}

static void lines_are_straight_and_stay_at_their_ends(void **state)
{
    (void)state;
    float times[] = {1.0f, 2.0f, 4.0f}, values[] = {10.0f, 20.0f, 0.0f};
    wr_track track = {0, WR_CHANNEL_WEIGHTS, WR_INTERPOLATION_LINEAR, 3, times, values};
    const double at[] = {-1, 0.5, 1, 1.25, 1.5, 2, 3, 3.5, 4, 9};
    const double expected[] = {10, 10, 10, 12.5, 15, 20, 10, 5, 0, 0};
    for (int i = 0; i < WRI_COUNT(at); i++) {
        CHECK_NEAR(sample(&track, at[i]), expected[i], 1e-6);
    }
    track.interpolation = WR_INTERPOLATION_STEP;
    const double steps[] = {10, 10, 10, 10, 10, 20, 20, 20, 0, 0};
    for (int i = 0; i < WRI_COUNT(at); i++) {
        assert_true((double)sample(&track, at[i]) == steps[i]);
    }
    track.key_count = 1;
    track.interpolation = WR_INTERPOLATION_LINEAR;
    assert_true(sample(&track, 0.0) == 10.0f && sample(&track, 7.0) == 10.0f);
}

// The formula of glTF 2.0, appendix C.5, and that slopes are per second.
static void cubic_tracks_follow_the_formula_of_gltf(void **state)
{
    (void)state;
    float times[] = {0.5f, 2.5f, 3.0f};
    float values[] = {7.0f, 1.0f, -2.0f, /**/ 3.0f, 4.0f, 5.0f, /**/ 0.25f, 2.0f, 9.0f};
    wr_track track = {0, WR_CHANNEL_WEIGHTS, WR_INTERPOLATION_CUBIC, 3, times, values};
    for (int i = 0; i <= 50; i++) {
        double time = 0.5 + 0.05 * i;
        int k = time < 2.5 ? 0 : 1;
        double td = (double)times[k + 1] - (double)times[k], t = (time - (double)times[k]) / td;
        double vk = values[3 * k + 1], bk = values[3 * k + 2];
        double vn = values[3 * k + 4], an = values[3 * k + 3];
        double expected = (2 * t * t * t - 3 * t * t + 1) * vk +
                          td * (t * t * t - 2 * t * t + t) * bk +
                          (-2 * t * t * t + 3 * t * t) * vn + td * (t * t * t - t * t) * an;
        CHECK_NEAR(sample(&track, time), expected, 1e-5);
    }
    double slope = ((double)sample(&track, 0.501) - 1.0) / 0.001;
    CHECK_NEAR(slope, -2.0, 0.02);
    assert_true(sample(&track, 0.0) == 1.0f && sample(&track, 8.0) == 2.0f); // values, not slopes
}

// A cubic through samples of a cubic polynomial with its slopes is that polynomial.
static void cubic_tracks_reproduce_cubics(void **state)
{
    (void)state;
    float times[4], values[12];
    for (int i = 0; i < 4; i++) {
        float t = times[i] = 0.75f * (float)i;
        values[3 * i] = values[3 * i + 2] = 3.0f * t * t - 4.0f * t + 1.0f;
        values[3 * i + 1] = t * t * t - 2.0f * t * t + t + 5.0f;
    }
    wr_track track = {0, WR_CHANNEL_WEIGHTS, WR_INTERPOLATION_CUBIC, 4, times, values};
    for (double t = 0.0; t <= 2.25; t += 0.01) {
        CHECK_NEAR(sample(&track, t), t * t * t - 2.0 * t * t + t + 5.0, 2e-6);
    }
}

static void rotations_turn_evenly_along_the_shorter_arc(void **state)
{
    (void)state;
    wr_vec3 axis = wr_normalize(wr_v3(1, 2, -2));
    for (int flip = 0; flip < 2; flip++) {
        wr_quat a = wr_quat_from_axis_angle(axis, 0.3f), b = wr_quat_from_axis_angle(axis, 2.7f);
        float s = flip ? -1.0f : 1.0f, times[] = {0.0f, 2.0f};
        float values[] = {a.x, a.y, a.z, a.w, s * b.x, s * b.y, s * b.z, s * b.w};
        wr_track track = {0, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, 2, times, values};
        for (int i = 0; i <= 10; i++) {
            wr_quat q, expected = wr_quat_from_axis_angle(axis, 0.3f + 0.24f * (float)i);
            wr_track_sample(&track, 4, 0.2 * i, &q.x);
            CHECK_NEAR(fabs((double)wr_quat_dot(q, expected)), 1.0, 1e-6);
            CHECK_NEAR(wr_quat_dot(q, q), 1.0, 1e-6);
        }
    }
}

// --- models -----------------------------------------------------------------------------------

enum { RINGS = 11, SIDES = 8, BAR = RINGS * SIDES };

// A bar along y from 0 to 2, bound to two bones that meet at y = 1. Nothing of the nodes' places is
// trivial: the skeleton stands on a turned and scaled root, the mesh hangs on a moved node, and the
// mesh's own frame is not the skeleton's.
typedef struct bar {
    wr_model *model;
    wr_mesh *mesh;
    wr_vec3 straight[BAR]; // in the skeleton's frame
    float follow[BAR];     // weight of the upper bone
} bar;

static const wr_vec3 SHIFT = {5, -3, 2}; // from the skeleton's frame to the mesh's

static void fill_bar(bar *b)
{
    for (int i = 0; i < BAR; i++) {
        float y = 0.2f * (float)(i / SIDES), turn = 2.0f * WR_PI * (float)(i % SIDES) / SIDES;
        wr_vec3 out = wr_v3(cosf(turn), 0.0f, sinf(turn));
        b->straight[i] = wr_v3(0.1f * out.x, y, 0.1f * out.z);
        b->follow[i] = wr_clampf(2.5f * (y - 0.8f), 0.0f, 1.0f);
        b->mesh->positions[i] = wr_add(b->straight[i], SHIFT);
        b->mesh->normals[i] = out;
        b->mesh->joints[2 * i] = 0;
        b->mesh->joints[2 * i + 1] = 1;
        b->mesh->weights[2 * i] = 1.0f - b->follow[i];
        b->mesh->weights[2 * i + 1] = b->follow[i];
    }
}

static bar make_bar(void)
{
    wr_model *m = wr_model_create(NULL, NULL);
    bar b = {.model = m};
    b.mesh = m->meshes = wr_model_alloc(m, 1, sizeof *m->meshes);
    *b.mesh = (wr_mesh){.name = "bar", .vertex_count = BAR, .influence_count = 2};
    b.mesh->positions = wr_model_alloc(m, BAR, sizeof(wr_vec3));
    b.mesh->normals = wr_model_alloc(m, BAR, sizeof(wr_vec3));
    b.mesh->joints = wr_model_alloc(m, BAR, 2 * sizeof(int));
    b.mesh->weights = wr_model_alloc(m, BAR, 2 * sizeof(float));
    fill_bar(&b);
    m->nodes = wr_model_alloc(m, 4, sizeof *m->nodes);
    m->skins = wr_model_alloc(m, 1, sizeof *m->skins);
    m->mesh_count = m->skin_count = 1;
    m->node_count = 4;
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 1, 0), 0.7f);
    m->nodes[0] = (wr_node){"root", -1, -1, -1, {{3, 1, 4}, turn}, {2, 2, 2}, NULL};
    m->nodes[1] = (wr_node){"lower", 0, -1, -1, WR_POSE_IDENTITY, {1, 1, 1}, NULL};
    m->nodes[2] = (wr_node){"upper", 1, -1, -1, {{0, 1, 0}, {0, 0, 0, 1}}, {1, 1, 1}, NULL};
    m->nodes[3] = (wr_node){"bar", 0, 0, 0, {{9, 9, 9}, turn}, {7, 7, 7}, NULL};
    wr_model_skin *skin = m->skins;
    *skin = (wr_model_skin){.name = "bones", .joint_count = 2};
    skin->joints = wr_model_alloc(m, 2, sizeof *skin->joints);
    skin->inverse_bind = wr_model_alloc(m, 2, sizeof *skin->inverse_bind);
    for (int i = 0; i < 2; i++) {
        skin->joints[i] = 1 + i;
        wr_pose back = {wr_sub(wr_v3(0, (float)-i, 0), SHIFT), {0, 0, 0, 1}};
        skin->inverse_bind[i] = wr_mat34_from_pose(back, wr_v3(1, 1, 1));
    }
    return b;
}

static wr_vec3 place_on_root(wr_vec3 p)
{
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 1, 0), 0.7f);
    return wr_add(wr_v3(3, 1, 4), wr_rotate(turn, wr_scale(2.0f, p)));
}

static void a_bent_bar_is_where_the_closed_form_says(void **state)
{
    (void)state;
    bar b = make_bar();
    wr_quat half = wr_quat_from_axis_angle(wr_v3(0, 0, 1), 0.5f * WR_PI);
    float times[] = {0.0f, 1.0f}, values[] = {0, 0, 0, 1, half.x, half.y, half.z, half.w};
    wr_track track = {2, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, 2, times, values};
    wr_clip clip = {"bend", 1, &track};
    CHECK_NEAR(wr_clip_length(&clip), 1.0, 0.0);
    for (int step = 0; step <= 4; step++) {
        wr_mat34 world[4], joints[2];
        wr_vec3 positions[BAR], normals[BAR];
        wr_model_pose(b.model, &clip, 0.25 * step, world, NULL);
        wr_model_skin_matrices(b.model->skins, world, joints);
        wr_mesh_deform(b.mesh, NULL, &world[3], joints, positions, normals);
        float angle = 0.125f * WR_PI * (float)step, c = cosf(angle), s = sinf(angle);
        for (int i = 0; i < BAR; i++) {
            wr_vec3 p = b.straight[i];
            wr_vec3 bent = wr_v3(c * p.x - s * (p.y - 1), 1 + s * p.x + c * (p.y - 1), p.z);
            wr_vec3 expected = place_on_root(wr_lerp3(p, bent, b.follow[i]));
            CHECK_NEAR(wr_distance(positions[i], expected), 0.0, 5e-6);
            CHECK_NEAR(wr_length(normals[i]), 1.0, 1e-6);
        }
    }
    wr_model_destroy(b.model);
}

// The node of a skinned mesh stands anywhere; only its joints place it.
static void flattening_a_skin_ignores_the_node_and_keeps_the_rest_pose(void **state)
{
    (void)state;
    bar b = make_bar();
    static int triangle[3] = {0, 1, 2};
    b.mesh->triangles = triangle;
    b.mesh->triangle_count = 1;
    wr_error error = {0};
    wr_model *flat = wr_model_flatten(b.model, &error);
    assert_non_null(flat);
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 1, 0), 0.7f);
    for (int i = 0; i < BAR; i++) {
        CHECK_NEAR(wr_distance(flat->meshes->positions[i], place_on_root(b.straight[i])), 0, 5e-6);
        wr_vec3 n = wr_rotate(turn, b.mesh->normals[i]);
        CHECK_NEAR(wr_distance(flat->meshes->normals[i], n), 0.0, 1e-6);
    }
    assert_int_equal(flat->skin_count, 0);
    assert_int_equal(flat->meshes->influence_count, 0);
    assert_int_equal(flat->nodes[0].skin, -1);
    assert_int_equal(flat->meshes->triangles[1], 1);
    wr_model_destroy(flat);
    b.model->nodes[0].scale.x = -2.0f; // now the skeleton is mirrored, and with it the triangle
    flat = wr_model_flatten(b.model, &error);
    assert_int_equal(flat->meshes->triangles[1], 2);
    wr_model_destroy(flat);
    b.model->nodes[3].skin = -1; // without its skin the node counts
    flat = wr_model_flatten(b.model, &error);
    wr_mat34 world[4];
    wr_model_pose(b.model, NULL, 0.0, world, NULL);
    wr_vec3 expected = wr_mat34_apply(world[3], b.mesh->positions[0]);
    assert_memory_equal(&flat->meshes->positions[0], &expected, sizeof expected);
    wr_model_destroy(flat);
    wr_model_destroy(b.model);
}

static void clips_move_what_they_name_and_leave_the_rest(void **state)
{
    (void)state;
    bar b = make_bar();
    float zero = 0.0f, place[] = {1, 2, 3}, size[] = {2, 3, 4};
    wr_track tracks[] = {{1, WR_CHANNEL_POSITION, WR_INTERPOLATION_STEP, 1, &zero, place},
                         {2, WR_CHANNEL_SCALE, WR_INTERPOLATION_STEP, 1, &zero, size}};
    wr_clip clip = {"c", 2, tracks};
    wr_mat34 rest[4], moved[4];
    wr_model_pose(b.model, NULL, 0.0, rest, NULL);
    wr_model_pose(b.model, &clip, 3.0, moved, NULL);
    assert_memory_equal(&rest[0], &moved[0], sizeof rest[0]);
    assert_memory_equal(&rest[3], &moved[3], sizeof rest[3]);
    wr_vec3 p = wr_mat34_apply(moved[2], wr_v3(1, 1, 1));
    CHECK_NEAR(wr_distance(p, place_on_root(wr_v3(1 + 2, 2 + 1 + 3, 3 + 4))), 0.0, 5e-6);
    wr_model_destroy(b.model);
}

// --- morphs -----------------------------------------------------------------------------------

static void morphs_add_up_in_proportion_to_their_weights(void **state)
{
    (void)state;
    wr_vec3 base[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, up[3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    wr_vec3 first[3] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, tilt[3] = {{1, 0, 0}};
    wr_vec3 second[3] = {{0, 4, 0}, {0, 5, 0}, {0, 6, 0}};
    wr_morph morphs[] = {{"a", first, tilt, 0.0f}, {"b", second, NULL, 0.5f}};
    wr_mesh mesh = {.name = "m", .vertex_count = 3, .positions = base, .normals = up};
    mesh.morphs = morphs;
    mesh.morph_count = 2;
    float own[] = {0.25f, 1.0f}, zero = 0.0f, moving[] = {1.0f, 2.0f};
    wr_node nodes[] = {{"x", -1, 0, -1, WR_POSE_IDENTITY, {1, 1, 1}, NULL},
                       {"none", -1, -1, -1, WR_POSE_IDENTITY, {1, 1, 1}, NULL},
                       {"between", -1, 0, -1, WR_POSE_IDENTITY, {1, 1, 1}, NULL},
                       {"y", -1, 0, -1, WR_POSE_IDENTITY, {1, 1, 1}, own}};
    wr_model model = {.meshes = &mesh, .mesh_count = 1, .nodes = nodes, .node_count = 4};
    wr_track track = {3, WR_CHANNEL_WEIGHTS, WR_INTERPOLATION_STEP, 1, &zero, moving};
    wr_clip clip = {"c", 1, &track};
    assert_int_equal(wr_model_weight_count(&model), 6);
    wr_mat34 world[4];
    float weights[6];
    wr_model_pose(&model, NULL, 0.0, world, weights);
    const float rest[] = {0.0f, 0.5f, 0.0f, 0.5f, 0.25f, 1.0f};
    const float moved[] = {0.0f, 0.5f, 0.0f, 0.5f, 1.0f, 2.0f};
    assert_memory_equal(weights, rest, sizeof rest);
    wr_vec3 positions[3], normals[3];
    wr_mesh_deform(&mesh, weights + 4, NULL, NULL, positions, normals);
    CHECK_NEAR(wr_distance(positions[2], wr_v3(0.75f, 7, 0)), 0.0, 1e-6);
    CHECK_NEAR(wr_distance(normals[0], wr_normalize(wr_v3(0.25f, 0, 1))), 0.0, 1e-6);
    wr_model_pose(&model, &clip, 0.0, world, weights);
    assert_memory_equal(weights, moved, sizeof moved);
    wr_mesh_deform(&mesh, NULL, NULL, NULL, positions, NULL); // the mesh's own weights
    CHECK_NEAR(wr_distance(positions[1], wr_v3(1, 2.5f, 0)), 0.0, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_straight_and_stay_at_their_ends),
        cmocka_unit_test(cubic_tracks_follow_the_formula_of_gltf),
        cmocka_unit_test(cubic_tracks_reproduce_cubics),
        cmocka_unit_test(rotations_turn_evenly_along_the_shorter_arc),
        cmocka_unit_test(a_bent_bar_is_where_the_closed_form_says),
        cmocka_unit_test(flattening_a_skin_ignores_the_node_and_keeps_the_rest_pose),
        cmocka_unit_test(clips_move_what_they_name_and_leave_the_rest),
        cmocka_unit_test(morphs_add_up_in_proportion_to_their_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
