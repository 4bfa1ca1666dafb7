// Promises of bodies with skins in recordings: bones come back bit for bit, displacements and the
// points that both make within what they say; faults have their sentence; rest costs nothing.
#include "skinned_film.h"
#include "folder.h"

static skinned_film film;
static char path[600];

static int begin(void **state)
{
    set_up(state);
    film_create(&film);
    snprintf(path, sizeof path, "%s/film.wrought", folder.path);
    return 0;
}

static int end(void **state)
{
    film_destroy(&film);
    return tear_down(state);
}

static wr_record_reader *open_film(void)
{
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(path, &error);
    if (!reader) {
        fail_msg("%s", error.message);
    }
    return reader;
}

static float size_of(int b)
{
    return wr_length(wr_box_size(wr_mesh_bounds(film.models[b / 2]->meshes)));
}

static void expect_body(const wr_frame *frame, int b)
{
    const wr_record_skinned *got = wr_frame_skinned(frame, b);
    const wr_record_skinned *wanted = &film.skinned[b];
    const float near = size_of(b) / 131072.0f; // half a quantum
    assert_non_null(got);
    assert_memory_equal(got->bones, wanted->bones, (size_t)wanted->bone_count * sizeof(wr_pose));
    assert_int_equal(got->node_count, wanted->node_count);
    for (int i = 0; i < got->node_count; i++) {
        wr_vec3 d = wr_sub(got->displacements[i], wanted->displacements[i]);
        CHECK_NEAR((double)fmaxf(fabsf(d.x), fmaxf(fabsf(d.y), fabsf(d.z))), 0.0, (double)near);
    }
    const wr_record_points *points = NULL;
    for (int i = 0; i < frame->points_count; i++) {
        points = frame->points[i].body == b ? &frame->points[i] : points;
    }
    assert_non_null(points);
    assert_int_equal(points->count, film.shown[b].count);
    for (int i = 0; i < points->count; i++) {
        CHECK_NEAR((double)wr_distance(points->positions[i], film.points[b][i]), 0.0,
                   (double)(2.0f * near));
    }
}

static void expect_frame(wr_record_reader *reader, int index)
{
    wr_error error = {0};
    const wr_frame *frame = wr_record_read_frame(reader, index, &error);
    if (!frame) {
        fail_msg("%s", error.message);
    }
    film_frame(&film, index);
    assert_int_equal(frame->points_count, FILM_BODIES);
    for (int b = 0; b < FILM_BODIES; b++) {
        expect_body(frame, b);
    }
}

static void the_description_has_bones_nodes_and_weights(void **state)
{
    (void)state;
    film_write(&film, path, 0);
    wr_record_reader *reader = open_film();
    const wr_record_info *info = wr_record_about(reader);
    assert_int_equal(info->skin_count, 2);
    const wr_record_skin *skin = wr_record_skin_of(info, 1), *own = &film.skins[0];
    assert_ptr_equal(skin, wr_record_skin_of(info, 0));
    for (int i = 0; i < FILM_BONES; i++) {
        assert_string_equal(skin->bones[i].name, own->bones[i].name);
        assert_int_equal(skin->bones[i].parent, own->bones[i].parent);
        assert_memory_equal(&skin->bones[i].origin, &own->bones[i].origin, sizeof(wr_vec3));
    }
    size_t nodes = (size_t)own->node_count;
    assert_int_equal(skin->node_count, own->node_count);
    assert_memory_equal(skin->nodes, own->nodes, (size_t)own->vertex_count * sizeof(int));
    assert_memory_equal(skin->joints, own->joints, 4 * nodes * sizeof(int));
    assert_memory_equal(skin->weights, own->weights, 4 * nodes * sizeof(float));
    assert_null(wr_record_skin_of(info, 2)->weights);
    assert_null(wr_record_skin_of(info, FILM_BODIES));
    wr_record_close(reader);
}

static void frames_come_back_in_order_and_from_key_frames(void **state)
{
    (void)state;
    film_write(&film, path, 7);
    wr_record_reader *reader = open_film();
    for (int i = 0; i < FILM_FRAMES; i++) {
        expect_frame(reader, i);
    }
    const int jumps[] = {17, 3, 30, 14, 13, 21};
    for (int i = 0; i < WRI_COUNT(jumps); i++) {
        expect_frame(reader, jumps[i]);
    }
    wr_record_close(reader);
}

static int64_t frame_bytes(void)
{
    wr_record_reader *reader = open_film();
    wr_record_share shares[16];
    int64_t size = 0;
    for (int i = wr_record_shares(reader, shares) - 1; i >= 0; i--) {
        size += strcmp(shares[i].kind, "FRAM") == 0 ? shares[i].size : 0;
    }
    wr_record_close(reader);
    return size;
}

static void displacements_take_less_than_half_of_what_points_take(void **state)
{
    (void)state;
    film_write(&film, path, 0);
    int64_t skinned = frame_bytes();
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, &film.info, &error);
    for (int k = 0; k < FILM_FRAMES; k++) {
        wr_frame frame = *film_frame(&film, k);
        frame.skinned_count = 0;
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    int64_t points = frame_bytes();
    print_message("%lld bytes, as points %lld\n", (long long)skinned, (long long)points);
    assert_true(2 * skinned < points);
}

static void a_body_may_have_points_alone_at_times(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, &film.info, &error);
    for (int k = 0; k < 4; k++) {
        wr_frame frame = *film_frame(&film, k);
        frame.skinned_count = k == 2 ? 1 : FILM_BODIES; // as if the others were frozen
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    assert_true(wr_record_finish(writer, false, &error));
    wr_record_writer_destroy(writer);
    wr_record_reader *reader = open_film();
    const wr_frame *frame = wr_record_read_frame(reader, 2, &error);
    assert_non_null(frame);
    assert_int_equal(frame->skinned_count, 1);
    assert_int_equal(frame->points_count, FILM_BODIES);
    expect_frame(reader, 3);
    wr_record_close(reader);
}

// --- faults -----------------------------------------------------------------------------------

static void expect_refusal(const wr_record_info *info, const char *words)
{
    wr_error error = {0};
    assert_null(wr_record_create(path, info, &error));
    if (!strstr(error.message, words)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    }
}

static void skins_that_cannot_be_are_refused(void **state)
{
    (void)state;
    wr_record_skin skins[2] = {film.skins[0], film.skins[1]};
    wr_record_info info = film.info;
    info.skins = skins;
    wr_record_bone bones[FILM_BONES];
    memcpy(bones, film.bones, sizeof bones);
    skins[0].bones = bones;
    bones[1].parent = 2;
    expect_refusal(&info, "hangs on itself");
    bones[1].parent = FILM_BONES;
    expect_refusal(&info, "parent");
    bones[1].parent = -1;
    skins[0].bone_count = 0;
    expect_refusal(&info, "skin 0");
    skins[0].bone_count = FILM_BONES - 1; // nodes have the last one
    expect_refusal(&info, "the bone of a node");
    skins[0] = skins[1]; // of the ball
    expect_refusal(&info, "body 0: its skin is not one of its model");
}

static void expect_refused_frame(const wr_frame *frame, const char *words)
{
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, &film.info, &error);
    assert_non_null(writer);
    assert_false(wr_record_add_frame(writer, frame, &error));
    if (!strstr(error.message, words)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    }
    wr_record_writer_destroy(writer);
}

static void frames_that_cannot_be_are_refused(void **state)
{
    (void)state;
    const wr_frame *frame = film_frame(&film, 0);
    film.skinned[1].body = 0;
    expect_refused_frame(frame, "twice");
    film_frame(&film, 0);
    film.skinned[1].node_count--;
    expect_refused_frame(frame, "nodes");
    film_frame(&film, 0);
    film.displacements[2][5].y = NAN;
    expect_refused_frame(frame, "finite");
    film_frame(&film, 0);
    film.bone_poses[0][1].rotation.w = INFINITY;
    expect_refused_frame(frame, "finite");
    film.bodies[2].model = -1;
    expect_refusal(&film.info, "body 2: its skin");
    film.bodies[2].model = 1;
}

// However large a displacement is, it is as near as floats are.
static void huge_displacements_are_kept(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, &film.info, &error);
    for (int k = 0; k < 3; k++) {
        const wr_frame *frame = film_frame(&film, k);
        film.displacements[2][5].y = k == 1 ? -3e8f : 1.0f;
        assert_true(wr_record_add_frame(writer, frame, &error));
    }
    assert_true(wr_record_finish(writer, false, &error));
    wr_record_writer_destroy(writer);
    wr_record_reader *reader = open_film();
    const wr_frame *frame = wr_record_read_frame(reader, 1, &error);
    CHECK_NEAR((double)wr_frame_skinned(frame, 2)->displacements[5].y, -3e8, 32.0);
    frame = wr_record_read_frame(reader, 2, &error);
    CHECK_NEAR((double)wr_frame_skinned(frame, 2)->displacements[5].y, 1.0, 1e-5);
    wr_record_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_description_has_bones_nodes_and_weights),
        cmocka_unit_test(frames_come_back_in_order_and_from_key_frames),
        cmocka_unit_test(displacements_take_less_than_half_of_what_points_take),
        cmocka_unit_test(a_body_may_have_points_alone_at_times),
        cmocka_unit_test(skins_that_cannot_be_are_refused),
        cmocka_unit_test(frames_that_cannot_be_are_refused),
        cmocka_unit_test(huge_displacements_are_kept),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
