// test_export_shapes.c: a body that turns and bends, exported as .glb and read back: the first
// frame without any animation, normals of every shape, and turns that take the shorter way.
#include "check.h"

#include "wrought/file.h"
#include "wrought/show.h"

enum { FRAMES = 41, CORNERS = 24 };

static temporary_folder folder;

static wr_pose pose_at(int frame)
{
    float t = (float)frame / (FRAMES - 1);
    wr_vec3 axis = wr_normalize(wr_v3(1, -2, 0.5f));
    wr_quat q = wr_quat_from_axis_angle(axis, 1.0f + 5.0f * t * t);
    bool flips = q.w < 0.0f; // as the engine has them
    return (wr_pose){wr_v3(t, t * t, 0), flips ? (wr_quat){-q.x, -q.y, -q.z, -q.w} : q};
}

// Bent from the first frame on, to and fro, each time another way.
static wr_vec3 bend(wr_vec3 p, int frame)
{
    float t = sinf(9.0f * (float)frame / (FRAMES - 1));
    return wr_v3(p.x + 0.3f * (0.4f + t) * p.y, p.y * (1.2f - 0.5f * t * t),
                 p.z + 0.2f * p.x * p.y * t);
}

static wr_model *export_and_read(void)
{
    const wr_color white = {1, 1, 1, 1};
    wr_error error = {0};
    char path[600], out[600];
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 2, 1.5f), white, &error);
    assert_int_equal(box->meshes->vertex_count, CORNERS);
    wr_record_body body = {"body", "rigid", 0, false, false, white};
    wr_record_info info = {.title = "film",
                           .program = "test",
                           .rate_numerator = 30,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = FRAMES - 1,
                           .stage = wr_stage_default(),
                           .model_count = 1,
                           .models = (const wr_model *const *)&box,
                           .body_count = 1,
                           .bodies = &body};
    snprintf(path, sizeof path, "%s/film.wrought", folder.path);
    snprintf(out, sizeof out, "%s/film.glb", folder.path);
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    for (int k = 0; k < FRAMES; k++) {
        wr_vec3 bent[CORNERS];
        for (int i = 0; i < CORNERS; i++) {
            bent[i] = bend(box->meshes->positions[i], k);
        }
        wr_pose pose = pose_at(k);
        const wr_record_points points = {0, CORNERS, bent};
        wr_frame frame = {.index = k,
                          .time = k / 30.0,
                          .body_count = 1,
                          .poses = &pose,
                          .points = &points,
                          .points_count = 1};
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    wr_take *take = wr_take_open(path, &error);
    wr_export_desc desc = wr_export_desc_default();
    if (!take || !wr_take_export(take, out, &desc, NULL, &error)) {
        fail_msg("%s", error.message);
    }
    wr_take_close(take);
    wr_model_destroy(box);
    wr_model *model = wr_model_read(out, NULL, &error);
    assert_non_null(model);
    return model;
}

static wr_model *model;

// Who does not play animations adds the shapes up as they are weighed, and has the first frame.
static void without_its_animation_it_is_the_first_frame(void **state)
{
    (void)state;
    const wr_color white = {1, 1, 1, 1};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 2, 1.5f), white, NULL);
    const wr_mesh *mesh = model->meshes;
    assert_true(mesh->morph_count >= 2 && mesh->vertex_count == CORNERS);
    float most = 0.0f;
    for (int i = 0; i < CORNERS; i++) {
        wr_vec3 p = mesh->positions[i];
        for (int k = 0; k < mesh->morph_count; k++) {
            p = wr_add_scaled(p, mesh->morphs[k].weight, mesh->morphs[k].positions[i]);
            most = fmaxf(most, mesh->morphs[k].weight);
        }
        CHECK_NEAR(wr_distance(p, bend(box->meshes->positions[i], 0)), 0.0, 1e-4);
    }
    assert_true(most > 0.01f); // it does take weights
    wr_model_destroy(box);
}

// The normals of a shape come on top of those of the mesh: together they are of length one.
static void normals_of_shapes_are_differences(void **state)
{
    (void)state;
    const wr_mesh *mesh = model->meshes;
    for (int k = 0; k < mesh->morph_count; k++) {
        assert_non_null(mesh->morphs[k].normals);
        for (int i = 0; i < CORNERS; i++) {
            wr_vec3 n = wr_add(mesh->normals[i], mesh->morphs[k].normals[i]);
            CHECK_NEAR(wr_length(n), 1.0, 1e-3);
        }
    }
}

static void turns_take_the_shorter_way_from_key_to_key(void **state)
{
    (void)state;
    const wr_clip *clip = &model->clips[0];
    int turns = 0;
    for (int t = 0; t < clip->track_count; t++) {
        const wr_track *track = &clip->tracks[t];
        for (int k = 1; k < track->key_count && track->channel == WR_CHANNEL_ROTATION; k++) {
            const float *a = &track->values[4 * k - 4], *b = &track->values[4 * k];
            assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0.0f);
            turns++;
        }
    }
    assert_true(turns > 5);
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    model = export_and_read();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wr_model_destroy(model);
    temporary_folder_destroy(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_its_animation_it_is_the_first_frame),
        cmocka_unit_test(normals_of_shapes_are_differences),
        cmocka_unit_test(turns_take_the_shorter_way_from_key_to_key),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
