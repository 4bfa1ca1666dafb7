// test_limbs_film.c: films of five driven bones whose skin is cut in two half way: recordings,
// snapshots, frozen bodies, memory.
#include "limbs_world.h"

// The times lie between steps. Bodies: the ground, rex, a block on its skin, a crate that falls on
// its last bone, a lamp that hangs on the third.
#define REX_TIMES "'kick_at': 0.494, 'cut_at': 1.494, 'release_at': 2.494, 'vanish_at': 3.494"
enum { REX = 1, FRAMES = 255, KICK = 30, CUT = 90, RELEASE = 150, VANISH = 210 };
#define FILM                                                                                       \
    "'bodies': [" GROUND ", " LIMBS(                                                               \
        ", 'swing': 0.05, " REX_TIMES,                                                             \
        ", 'at': [0, 1, 0], 'turn': {'axis': [1, 3, 1], 'by': 10}, "                               \
        "'friction': 1") ", " BLOCK("block", "[0.4, 0.3, 0.3]", "'particles': 36",                 \
                                    ", 'at': [-0.4, 1.5, 0.1], 'density': 60, 'friction': 1, "     \
                                    "'velocity': [0.2, 0, 0]") ", "                                \
                                                               "{'name': 'crate', 'shape': "       \
                                                               "{'box': [0.2, 0.3, 0.25]}, 'at': " \
                                                               "[0.8, 2.2, 0], 'turn': {'axis': "  \
                                                               "[1, 2, 0], 'by': 20}, 'density': " \
                                                               "300}, {'name': 'lamp', 'shape': "  \
                                                               "{'box': [0.2, 0.3, 0.1]}, "        \
                                                               "'at': [0.1, 0.4, 0.2]}], "         \
                                                               "'joints': [{'bodies': ['lamp', "   \
                                                               "'rex/bone 3'], 'at': [0.05, 1, "   \
                                                               "0]}]"

// --- what a frame says ------------------------------------------------------------------------

static uint64_t mark_surface(const wr_record_surface *s, uint64_t mark)
{
    const uint32_t own[] = {
        (uint32_t)s->body, (uint32_t)s->number,       s->topology,
        s->in_world,       (uint32_t)s->vertex_count, (uint32_t)s->triangle_count};
    mark = wri_hash(own, sizeof own, mark);
    if (s->vertex_count) {
        mark = wri_hash(s->positions, (size_t)s->vertex_count * sizeof(wr_vec3), mark);
        mark = wri_hash(s->triangles, (size_t)s->triangle_count * 3 * sizeof(int), mark);
    }
    return mark;
}

static uint64_t mark_surfaces(const wr_frame *frame)
{
    uint64_t mark = 0;
    for (int i = 0; i < frame->surface_count; i++) {
        mark = mark_surface(&frame->surfaces[i], mark);
    }
    return mark;
}

static uint64_t mark_frame(const wr_frame *frame)
{
    uint64_t mark = mark_surfaces(frame) ^ frame->hash;
    mark = wri_hash(frame->poses, (size_t)frame->body_count * sizeof(wr_pose), mark);
    for (int i = 0; i < frame->event_count; i++) {
        const int event[] = {frame->events[i].kind, frame->events[i].subject};
        mark = wri_hash(event, sizeof event, mark);
    }
    for (int i = 0; i < frame->contact_count; i++) {
        mark = wri_hash(&frame->contacts[i], sizeof(wr_record_contact), mark);
    }
    for (int i = 0; i < frame->particles_count; i++) {
        const wr_record_particles *p = &frame->particles[i];
        mark = wri_hash(p->positions, (size_t)p->count * sizeof(wr_vec3), mark);
    }
    return mark;
}

// --- recordings -------------------------------------------------------------------------------

static void check_events(const wr_frame *frame, int index)
{
    int topologies = 0, born = 0;
    for (int i = 0; i < frame->event_count; i++) {
        const wr_event *e = &frame->events[i];
        topologies += e->kind == WR_EVENT_TOPOLOGY && e->subject == REX;
        if (e->kind == WR_EVENT_BORN) {
            static const char *const names[] = {"rex/bone 2", "rex/bone 3", "rex/bone 4",
                                                "rex/bone 5", "rex/tail"};
            assert_string_equal(e->born.name, names[born]);
            assert_string_equal(e->born.material, "limbs");
            assert_int_equal(e->subject, 5 + born++);
            assert_int_equal(e->other, REX);
        }
    }
    assert_int_equal(topologies, index == 0 || index == CUT || index == VANISH);
    assert_int_equal(born, index == 0 ? LIMBS_PARTS - 1 : 0);
}

static void check_surfaces(const wr_frame *frame, int index)
{
    const wr_record_surface *skin = wr_frame_surface(frame, REX, 0);
    const wr_record_surface *tip = wr_frame_surface(frame, REX, 1);
    assert_non_null(skin);
    assert_string_equal(skin->name, "skin");
    assert_true(skin->in_world);
    assert_int_equal(skin->vertex_count, (index < CUT ? 40 : 24) * 8 + 2);
    assert_int_equal(skin->triangle_count, (index < CUT ? 40 : 24) * 16);
    assert_int_equal(tip != NULL, index >= CUT && index < VANISH);
    if (tip) {
        assert_string_equal(tip->name, "end");
        assert_int_equal(tip->vertex_count, 16 * 8 + 2);
        assert_int_equal(tip->triangle_count, 16 * 16);
    }
}

// A snapshot in the middle, so that reading may start there.
static void record(wr_world *world, const char *path, uint64_t marks[FRAMES + 1])
{
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, wr_world_record_info(world), &error);
    assert_non_null(writer);
    for (int i = 0; i <= FRAMES; i++) {
        step_frames(world, i > 0);
        const wr_frame *frame = wr_world_frame(world);
        check_events(frame, i);
        check_surfaces(frame, i);
        marks[i] = mark_surfaces(frame);
        if (!wr_record_add_frame(writer, frame, &error)) {
            fail_msg("frame %d: %s", i, error.message);
        }
        if (i == 120) {
            size_t size;
            const void *bytes = wr_world_save(world, &size, &error);
            assert_non_null(bytes);
            assert_true(wr_record_add_snapshot(writer, bytes, size, &error));
        }
    }
    assert_true(wr_record_finish(writer, false, &error));
    wr_record_writer_destroy(writer);
}

static void check_frame(wr_record_reader *reader, int index, const uint64_t marks[FRAMES + 1])
{
    wr_error error = {0};
    const wr_frame *frame = wr_record_read_frame(reader, index, &error);
    if (!frame) {
        fail_msg("frame %d: %s", index, error.message);
    }
    check_events(frame, index);
    check_surfaces(frame, index);
    if (mark_surfaces(frame) != marks[index]) {
        fail_msg("frame %d has other surfaces than were recorded", index);
    }
}

static void a_film_that_is_cut_half_way_is_read_in_any_order(void **state)
{
    (void)state;
    show s = start(FILM);
    char path[600];
    uint64_t marks[FRAMES + 1];
    snprintf(path, sizeof path, "%s/take.wrought", folder.path);
    record(s.world, path, marks);
    end(s);
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(path, &error);
    assert_non_null(reader);
    for (int i = 0; i <= FRAMES; i++) {
        check_frame(reader, i, marks);
    }
    for (int i = FRAMES; i >= 0; i -= 7) { // backwards over both changes
        check_frame(reader, i, marks);
    }
    const int jumps[] = {VANISH, CUT - 1, VANISH - 1, 0, CUT, 121, 120, CUT - 1, FRAMES};
    for (int i = 0; i < WRI_COUNT(jumps); i++) {
        check_frame(reader, jumps[i], marks);
    }
    wr_record_close(reader);
}

// --- snapshots --------------------------------------------------------------------------------

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static bytes save(wr_world *world)
{
    wr_error error = {0};
    bytes b = {0};
    const void *saved = wr_world_save(world, &b.size, &error);
    if (!saved) {
        fail_msg("%s", error.message);
    }
    b.data = malloc(b.size);
    return (bytes){memcpy(b.data, saved, b.size), b.size};
}

// Goes on for some frames, or to the end.
static void check_restored(wr_world *world, bytes b, int frame, const uint64_t *marks)
{
    wr_error error = {0};
    if (!wr_world_restore(world, b.data, b.size, &error)) {
        fail_msg("frame %d: %s", frame, error.message);
    }
    assert_int_equal(wr_world_frame(world)->index, frame);
    assert_int_equal(wr_world_frame(world)->event_count, 0);
    for (int i = frame + 1; i <= FRAMES && i <= frame + 15; i++) {
        step_frames(world, 1);
        if (mark_frame(wr_world_frame(world)) != marks[i]) {
            fail_msg("frame %d differs after a restore at %d", i, frame);
        }
    }
}

// Before and after each of the four changes, where the world forgets and where it does not.
static void a_film_goes_on_bit_for_bit_from_any_frame(void **state)
{
    (void)state;
    static const int saves[] = {20, 29, 30, 60, 89, 90, 100, 120, 149, 170, 180, 209, 220, 240};
    wr_scene *scene = read_scene(FILM);
    wr_world *world = make_world(scene, NULL), *saver = make_world(scene, NULL);
    wr_world *fresh = make_world(scene, NULL);
    uint64_t marks[FRAMES + 1] = {0};
    bytes saved[WRI_COUNT(saves)];
    int forgetting = 0;
    for (int i = 1, k = 0; i <= FRAMES; i++) {
        step_frames(world, 1);
        step_frames(saver, 1);
        marks[i] = mark_frame(wr_world_frame(world));
        assert_true(mark_frame(wr_world_frame(saver)) == marks[i]); // a save changes nothing
        limbs_view l = limbs_of(world, 0);
        assert_true(l.kicked == (i >= KICK) && l.cut == (i >= CUT));
        assert_true(l.released == (i >= RELEASE) && l.gone == (i >= VANISH));
        if (k < WRI_COUNT(saves) && i == saves[k]) {
            forgetting += wr_world_forgets(saver);
            saved[k++] = save(saver);
        }
    }
    assert_int_equal(forgetting, 4);
    for (int k = WRI_COUNT(saves) - 1; k >= 0; k--) {
        check_restored(fresh, saved[k], saves[k], marks);
        check_restored(saver, saved[k], saves[k], marks);
        bytes again = save(fresh); // what is saved of a restored one, later
        check_restored(world, again, wr_world_frame(fresh)->index, marks);
        free(again.data);
        free(saved[k].data);
    }
    wr_world_destroy(world);
    wr_world_destroy(saver);
    wr_world_destroy(fresh);
    wr_scene_destroy(scene);
}

static void threads_and_their_order_do_not_change_a_bit(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    wr_scene *scene = read_scene(
        "'bodies': [" GROUND ", {'name': 'rex', 'shape': {'box': [2, 0.4, 0.6]}, 'at': [0, 1, 0], "
        "'material': {'limbs': 'default', 'cut_at': 0.05}, 'copies': {'count': 3, 'step': [0.4, "
        "0.5, 0.1]}}, " BLOCK(
            "block", "[0.4, 0.3, 0.3]", "'particles': 100",
            ", 'at': [0.4, 2.4, 0.1], 'density': 60, 'velocity': [0, -2, 0]") "]");
    uint64_t first[COUNT], again[COUNT];
    for (int run = 0; run < 4; run++) {
        wr_tasks tasks = run % 2 ? wr_tasks_openmp(2) : (wr_tasks){0};
        wr_world *world = make_world(scene, &tasks);
        wri_test_block_shuffle = run >= 2 ? 5 * run : 0;
        for (int i = 0; i < COUNT; i++) {
            step_frames(world, 1);
            (run ? again : first)[i] = mark_frame(wr_world_frame(world));
        }
        wri_test_block_shuffle = 0;
        wr_world_destroy(world);
        assert_memory_equal(first, run ? again : first, sizeof first);
    }
    assert_true(first[0] != first[1]);
    wr_scene_destroy(scene);
}

// --- frozen bodies ----------------------------------------------------------------------------

#define POISONED(times)                                                                            \
    "'bodies': [{'name': 'crate', 'shape': {'box': [1, 1, 1]}, 'at': [9, 0, 0]}, "                 \
    "{'name': 'rex', 'shape': {'box': [2, 0.4, 0.6]}, 'material': {'limbs': 'default', "           \
    "'poison_at': 0.494" times "}}, {'name': 'max', 'shape': {'box': [2, 0.4, 0.6]}, 'at': [0, "   \
    "3, 0], 'material': 'limbs'}]"
enum { POISON = 30, MAX = 2 };

static void check_finite(const wr_frame *frame)
{
    for (int i = 0; i < frame->surface_count; i++) {
        for (int k = 0; k < frame->surfaces[i].vertex_count; k++) {
            assert_true(wr_is_finite3(frame->surfaces[i].positions[k]));
        }
    }
    for (int i = 0; i < frame->body_count; i++) {
        assert_true(wr_pose_is_finite(frame->poses[i]));
    }
}

// What the others do, whatever happened to rex.
static void check_the_others(const wr_world *world, int frame)
{
    const double h = 1.0 / 240.0, n = 4.0 * frame;
    CHECK_NEAR(wr_world_frame(world)->poses[0].position.y, -9.81 * h * h * n * (n + 1) / 2.0, 1e-4);
    for (int i = 0; i < LIMBS_BONES; i++) {
        CHECK_NEAR(
            wr_distance(part_pose(world, 1, i).position, limbs_of(world, 1).bones[i].position), 0.0,
            1e-6);
    }
    const wr_record_surface *skin = wr_frame_surface(wr_world_frame(world), MAX, 0);
    assert_memory_equal(skin->positions, limbs_of(world, 1).skin,
                        (size_t)skin->vertex_count * sizeof(wr_vec3));
}

static void run_poisoned(wr_world *world, wr_record_writer *writer, uint64_t *rex_marks)
{
    wr_error error = {0};
    for (int i = 0; i <= 60; i++) {
        step_frames(world, i > 0);
        const wr_frame *frame = wr_world_frame(world);
        check_finite(frame);
        check_the_others(world, i);
        assert_int_equal(count_events(world, WR_EVENT_FROZEN, -1), i == POISON);
        assert_int_equal(count_events(world, WR_EVENT_FROZEN, REX), i == POISON);
        assert_int_equal(wr_world_stats(world).frozen, i >= POISON);
        if (!wr_record_add_frame(writer, frame, &error)) {
            fail_msg("frame %d: %s", i, error.message);
        }
        const wr_record_surface *skin = wr_frame_surface(frame, REX, 0);
        assert_non_null(skin);
        rex_marks[i] = mark_surface(skin, 0);
    }
}

static void check_poisoned(const char *text, bool is_hidden)
{
    show s = start(text);
    wr_error error = {0};
    char path[600];
    uint64_t marks[61];
    snprintf(path, sizeof path, "%s/take.wrought", folder.path);
    wr_record_writer *writer = wr_record_create(path, wr_world_record_info(s.world), &error);
    assert_non_null(writer);
    run_poisoned(s.world, writer, marks);
    wr_record_writer_destroy(writer);
    const wr_frame *frame = wr_world_frame(s.world);
    assert_int_equal(wr_frame_surface(frame, REX, 0)->triangle_count == 0, is_hidden);
    assert_null(wr_frame_surface(frame, REX, 1));
    assert_true(marks[POISON - 1] != marks[POISON - 2] && marks[POISON] == marks[60]);
    wr_world *fresh = make_world(s.scene, NULL);
    for (int i = 0; i < 2; i++) { // at a frame where it forgets, and later
        bytes b = save(s.world);
        assert_true(wr_world_restore(fresh, b.data, b.size, &error));
        assert_int_equal(wr_world_stats(fresh).frozen, 1);
        for (int k = 0; k < 10; k++) {
            assert_true(mark_surfaces(wr_world_frame(fresh)) ==
                        mark_surfaces(wr_world_frame(s.world)));
            step_frames(s.world, 1);
            step_frames(fresh, 1);
            assert_true(mark_frame(wr_world_frame(fresh)) == mark_frame(wr_world_frame(s.world)));
        }
        free(b.data);
    }
    wr_world_destroy(fresh);
    end(s);
}

static void frozen_limbs_show_the_surfaces_that_are_finite(void **state)
{
    (void)state;
    check_poisoned(POISONED(", 'cut_at': 0.294"), false);
}

// Its model, a box, does not come back.
static void frozen_limbs_without_a_finite_skin_are_hidden(void **state)
{
    (void)state;
    check_poisoned(POISONED(""), true);
}

// --- memory -----------------------------------------------------------------------------------

// A block lies on the skin and a crate on the bones: all that can happen does so every second.
static void after_warm_up_a_step_allocates_nothing(void **state)
{
    (void)state;
    wr_scene *scene = read_scene(
        "'sleeping': false, 'bodies': [{'name': 'rex', 'shape': {'box': [3, 0.4, 1.4]}, "
        "'friction': 1, 'material': {'limbs': 'default', 'swing': 0.005, 'period': 1, 'cut_at': "
        "0.494, 'vanish_at': 2.494}}, " BLOCK("block", "[0.5, 0.3, 0.4]", "'particles': 60",
                                              ", 'at': [-0.5, 0.36, 0.1], 'density': 60, "
                                              "'friction': 1") //
        ", {'name': 'crate', 'shape': {'box': [0.2, 0.2, 0.3]}, 'at': [0.6, 0.19, 0], 'friction': "
        "1}]");
    counting_heap heap = {.budget = 1000000};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    desc.allocator = counting_allocator(&heap);
    wr_world *world = wr_world_create(&desc, NULL);
    step_frames(world, 120);
    int calls = heap.calls;
    step_frames(world, 120); // the end of the skin vanishes
    assert_true(limbs_of(world, 0).gone && limbs_of(world, 0).skin_impulse[1] < -30.0);
    assert_int_equal(heap.calls, calls);
    wr_world_destroy(world);
    assert_int_equal(heap.alive, 0);
    wr_scene_destroy(scene);
}

static int count_creation(const wr_scene *scene)
{
    for (int budget = 0;; budget++) {
        counting_heap heap = {.budget = budget};
        wr_world_desc desc = wr_world_desc_default();
        desc.scene = scene;
        desc.allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_world *world = wr_world_create(&desc, &error);
        bool done = world != NULL;
        if (!world && error.code != WR_E_MEMORY) {
            fail_msg("allocation %d: %s", budget, error.message);
        }
        wr_world_destroy(world);
        assert_int_equal(heap.alive, 0);
        if (done) {
            return budget;
        }
    }
}

// Everything happens within a few frames; what cannot be done is left out.
static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_scene *scene = read_scene(
        "'frames': [6, 1], 'substeps': 40, 'bodies': [" LIMBS(
            ", 'kick_at': 0.02, 'cut_at': 0.04, 'release_at': 0.06, 'vanish_at': "
            "0.1",
            "") //
        ", " BLOCK("block", "[0.4, 0.3, 0.3]", "'particles': 36",
                   ", 'at': [-0.4, 0.37, 0.1], 'density': 60, 'velocity': [0, -2, 0]") //
        ", {'name': 'max', 'shape': {'box': [2, 0.4, 0.6]}, 'at': [0, 3, 0], 'material': {'limbs': "
        "'default', 'meets': 0}}, " BLOCK("other", "[0.4, 0.3, 0.3]", "'particles': 36",
                                          ", 'at': [-0.4, 3.21, 0.1], 'density': 60, 'velocity': "
                                          "[0, -2, 0]") //
        ", {'name': 'crate', 'shape': {'box': [0.2, 0.3, 0.25]}, 'at': [0.8, 0.27, 0], "
        "'velocity': [0, -2, 0]}], 'joints': [{'bodies': ['crate', 'rex/bone 2'], 'at': [0.5, 0, "
        "0], 'breaks': 0.1}]");
    int needed = count_creation(scene);
    for (int more = 0; more < 80; more++) {
        counting_heap heap = {.budget = needed + more};
        wr_world_desc desc = wr_world_desc_default();
        desc.scene = scene;
        desc.allocator = counting_allocator(&heap);
        wr_world *world = wr_world_create(&desc, NULL);
        assert_non_null(world);
        step_frames(world, 9);
        size_t size;
        wr_error error = {0};
        const void *saved = wr_world_save(world, &size, &error);
        assert_true(saved || error.code == WR_E_MEMORY);
        if (saved && !wr_world_restore(world, saved, size, &error)) {
            assert_int_equal(error.code, WR_E_MEMORY);
        }
        wr_world_destroy(world);
        assert_int_equal(heap.alive, 0);
    }
    wr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_film_that_is_cut_half_way_is_read_in_any_order),
        cmocka_unit_test(a_film_goes_on_bit_for_bit_from_any_frame),
        cmocka_unit_test(threads_and_their_order_do_not_change_a_bit),
        cmocka_unit_test(frozen_limbs_show_the_surfaces_that_are_finite),
        cmocka_unit_test(frozen_limbs_without_a_finite_skin_are_hidden),
        cmocka_unit_test(after_warm_up_a_step_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
