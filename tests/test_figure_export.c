// test_figure_export.c: bodies with skins, exported as .glb. The file is read back and played by a
// player of our own; vertices are compared with those that were recorded.
#include "flesh_figure.h"
#include "gltf_player.h"
#include "show.h"
#include "skinned_film.h"

#include "wrought/show.h"

enum { GONE = 25 }; // frame from which body 1 is removed

static skinned_film film;
static char path[600], out[600];
static wr_export_report report;

// --- the film ---------------------------------------------------------------------------------

static void write_film(void)
{
    wr_error error = {0};
    const wr_event gone = {.kind = WR_EVENT_REMOVED, .subject = 1, .other = -1};
    wr_record_writer *writer = wr_record_create(path, &film.info, &error);
    assert_non_null(writer);
    for (int k = 0; k < FILM_FRAMES; k++) {
        wr_frame frame = *film_frame(&film, k);
        frame.events = &gone;
        frame.event_count = k == GONE;
        if (!wr_record_add_frame(writer, &frame, &error)) {
            fail_msg("%s", error.message);
        }
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
}

static wr_model *export_film(int shapes)
{
    wr_error error = {0};
    wr_take *take = wr_take_open(path, &error);
    wr_export_desc desc = wr_export_desc_default();
    desc.shapes = shapes;
    report = (wr_export_report){0};
    if (!take || !wr_take_export(take, out, &desc, &report, &error)) {
        fail_msg("%s", error.message);
    }
    wr_take_close(take);
    wr_model *model = wr_model_read(out, NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

static int begin(void **state)
{
    set_up(state);
    film_create(&film);
    snprintf(path, sizeof path, "%s/film.wrought", folder.path);
    snprintf(out, sizeof out, "%s/film.glb", folder.path);
    write_film();
    return 0;
}

static int end(void **state)
{
    film_destroy(&film);
    return tear_down(state);
}

static int node_of(const wr_model *model, const char *name)
{
    for (int i = 0; i < model->node_count; i++) {
        if (strcmp(model->nodes[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("no node \"%s\"", name);
    return -1;
}

// The largest distance between what is played and what was simulated.
static float find_error(const wr_model *model, int b, int frame, bool animated)
{
    int node = node_of(model, film.bodies[b].name);
    int count = model->meshes[model->nodes[node].mesh].vertex_count;
    wr_vec3 *places = calloc((size_t)count, sizeof *places);
    assert_int_equal(count, film.skins[b / 2].vertex_count);
    play(model, node, animated ? (float)frame / 30.0f : -1.0f, places);
    film_frame(&film, frame);
    float most = 0.0f;
    for (int i = 0; i < count; i++) {
        most = fmaxf(most, wr_distance(places[i], film.points[b][i]));
    }
    free(places);
    return most;
}

static float size_of(int b)
{
    return wr_length(wr_box_size(wr_mesh_bounds(film.models[b / 2]->meshes)));
}

// --- promises ---------------------------------------------------------------------------------

static void expect_film(const wr_model *model)
{
    for (int b = 0; b < FILM_BODIES; b++) {
        for (int k = 0; k < (b == 1 ? GONE : FILM_FRAMES); k++) {
            float near = report.error + 3e-5f * size_of(b); // keys, and 16 bits of displacements
            CHECK_NEAR((double)find_error(model, b, k, true), 0.0, (double)near);
        }
    }
}

static void every_frame_plays_as_it_was_simulated(void **state)
{
    (void)state;
    wr_model *model = export_film(32);
    expect_film(model);
    assert_true(report.error < 1e-4f);
    wr_model_destroy(model);
}

static void fewer_shapes_are_off_by_no_more_than_the_report_says(void **state)
{
    (void)state;
    wr_model *model = export_film(2);
    assert_int_equal(report.shapes, 2 * FILM_BODIES);
    assert_true(report.error > 1e-3f && report.error < 0.1f);
    expect_film(model);
    wr_model_destroy(model);
}

static void without_the_animation_the_first_frame_is_seen(void **state)
{
    (void)state;
    wr_model *model = export_film(32);
    for (int b = 0; b < FILM_BODIES; b++) {
        CHECK_NEAR((double)find_error(model, b, 0, false), 0.0, 1e-4);
    }
    wr_model_destroy(model);
}

static void bones_are_joints_that_hang_on_each_other(void **state)
{
    (void)state;
    wr_model *model = export_film(32);
    assert_int_equal(model->skin_count, 2);
    const wr_node *worm = &model->nodes[node_of(model, "worm")];
    const wr_model_skin *skin = &model->skins[worm->skin];
    assert_int_equal(skin->joint_count, FILM_BONES);
    for (int i = 0; i < FILM_BONES; i++) {
        const wr_node *joint = &model->nodes[skin->joints[i]];
        assert_string_equal(joint->name, film.bones[i].name);
        int parent = film.bones[i].parent;
        const char *above = parent < 0 ? "worm skeleton" : film.bones[parent].name;
        assert_string_equal(model->nodes[joint->parent].name, above);
    }
    assert_int_equal(worm->parent, -1);
    assert_int_equal(model->nodes[node_of(model, "ball")].skin, -1);
    assert_int_equal(report.nodes, FILM_BODIES + 2 * (1 + FILM_BONES) + 2); // a camera, a sun
    wr_model_destroy(model);
}

static void a_body_that_is_gone_shrinks_to_a_point(void **state)
{
    (void)state;
    wr_model *model = export_film(32);
    int node = node_of(model, "other"), count = film.skins[0].vertex_count;
    wr_vec3 *places = calloc((size_t)count, sizeof *places);
    play(model, node, GONE / 30.0f, places);
    for (int i = 1; i < count; i++) {
        CHECK_NEAR((double)wr_distance(places[i], places[0]), 0.0, 1e-6);
    }
    free(places);
    wr_model_destroy(model);
}

// Recordings of earlier versions have points alone.
static void points_without_bones_become_shapes_in_the_world(void **state)
{
    (void)state;
    wr_error error = {0};
    film.info.skin_count = 0;
    wr_record_writer *writer = wr_record_create(path, &film.info, &error);
    assert_null(writer); // bodies refer to skins that are not there
    film.info.body_skins = NULL;
    writer = wr_record_create(path, &film.info, &error);
    for (int k = 0; k < FILM_FRAMES; k++) {
        wr_frame frame = *film_frame(&film, k);
        frame.skinned_count = 0;
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    wr_model *model = export_film(32);
    assert_int_equal(model->skin_count, 0);
    for (int b = 0; b < FILM_BODIES; b++) {
        float near = report.error + 1e-5f * size_of(b);
        CHECK_NEAR((double)find_error(model, b, 17, true), 0.0, (double)near);
    }
    wr_model_destroy(model);
}

// --- a simulation -----------------------------------------------------------------------------

enum { SIMULATED = 40 };

// Points of the last frame, of both bodies.
static void record_rods(show *s, wr_vec3 *points[2])
{
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, wr_world_record_info(s->world), &error);
    for (int k = 0; k <= SIMULATED; k++) {
        if (!writer || !wr_record_add_frame(writer, wr_world_frame(s->world), &error)) {
            fail_msg("%s", error.message);
        }
        if (k < SIMULATED) {
            wr_world_step_frame(s->world);
        }
    }
    assert_true(wr_record_finish(writer, false, &error));
    wr_record_writer_destroy(writer);
    const wr_frame *frame = wr_world_frame(s->world);
    assert_int_equal(frame->points_count, 2);
    for (int b = 0; b < 2; b++) {
        size_t size = (size_t)frame->points[b].count * sizeof(wr_vec3);
        points[b] = malloc(size);
        memcpy(points[b], frame->points[b].positions, size);
    }
}

static void rods_of_flesh_that_fell_askew_play_as_they_were_simulated(void **state)
{
    (void)state;
    char model_path[600], assets[700];
    snprintf(model_path, sizeof model_path, "%s/rods.glb", folder.path);
    snprintf(assets, sizeof assets, "'rods': '%s'", model_path);
    figure f = ROD_FIGURE;
    f.rods = 3;
    f.is_one = true;
    figure_write(f, model_path);
    show s = start_with(assets,
                        "'bodies': [{'name': 'ground', 'shape': 'plane'},"
                        "{'name': 'one', 'asset': 'rods', 'at': [0, 1.6, 0], 'material': 'flesh'},"
                        "{'name': 'two', 'asset': 'rods', 'at': [2, 1.2, 1], 'material': 'flesh',"
                        " 'turn': {'axis': [1, 2, 3], 'by': 70}}]",
                        NULL);
    wr_vec3 *points[2];
    record_rods(&s, points);
    wr_model *model = export_film(32);
    const char *names[2] = {"one", "two"};
    for (int b = 0; b < 2; b++) {
        int node = node_of(model, names[b]);
        const wr_mesh *mesh = &model->meshes[model->nodes[node].mesh];
        wr_vec3 *places = calloc((size_t)mesh->vertex_count, sizeof *places);
        play(model, node, SIMULATED / 60.0f, places);
        for (int i = 0; i < mesh->vertex_count; i++) {
            CHECK_NEAR((double)wr_distance(places[i], points[b][i]), 0.0,
                       (double)(report.error + 5e-5f));
        }
        free(places);
        free(points[b]);
    }
    assert_true(report.error < 1e-3f * 1.5f);
    wr_model_destroy(model);
    show_end(&s);
}

// Spindles from where a bone turns to where its children do, in the world; outside is outside. The
// ball, which has one bone, is shown as it looks.
static void skeletons_are_drawn_without_their_skins(void **state)
{
    (void)state;
    enum { FRAME = 7, CORNERS = 24 };
    wr_error error = {0};
    wr_drawing list;
    wr_take *take = wr_take_open(path, &error);
    assert_true(wr_take_read(take, FRAME, WR_PAINT_BONES, &list, &error));
    assert_int_equal(list.count, FILM_BODIES);
    assert_ptr_equal(list.things[2].mesh, NULL);
    film_frame(&film, FRAME);
    for (int b = 0; b < 2; b++) {
        const wr_mesh *mesh = list.things[b].mesh;
        const wr_vec3 *x = mesh->positions;
        // from the trunk to tail and head, and from these to the ends of the worm
        const wr_vec3 tails[] = {film.bones[0].origin, film.bones[2].origin};
        const int bones[] = {1, 1, 0, 2};
        assert_int_equal(mesh->vertex_count, 4 * CORNERS);
        for (int i = 0; i < 4; i++, x += CORNERS) {
            wr_pose pose = film.bone_poses[b][bones[i]];
            wr_vec3 tail = wr_pose_local(pose, x[3]);
            CHECK_NEAR(wr_distance(x[0], wr_pose_point(pose, film.bones[bones[i]].origin)), 0,
                       1e-5);
            if (i < 2) {
                CHECK_NEAR(wr_distance(tail, tails[i]), 0.0, 1e-5);
            } else {
                CHECK_NEAR((double)tail.y, i == 2 ? -1.5 : 1.5, 0.01);
            }
            for (int k = 0; k < CORNERS; k += 3) { // normals point away from the bone
                wr_vec3 away = wr_sub(x[k], wr_lerp3(x[0], x[3], 0.2f));
                assert_true(wr_dot(mesh->normals[x + k - mesh->positions], away) > 0.0f);
            }
        }
    }
    wr_take_close(take);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skeletons_are_drawn_without_their_skins),
        cmocka_unit_test(every_frame_plays_as_it_was_simulated),
        cmocka_unit_test(fewer_shapes_are_off_by_no_more_than_the_report_says),
        cmocka_unit_test(without_the_animation_the_first_frame_is_seen),
        cmocka_unit_test(bones_are_joints_that_hang_on_each_other),
        cmocka_unit_test(a_body_that_is_gone_shrinks_to_a_point),
        cmocka_unit_test(points_without_bones_become_shapes_in_the_world), // rewrites the film
        cmocka_unit_test(rods_of_flesh_that_fell_askew_play_as_they_were_simulated),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
