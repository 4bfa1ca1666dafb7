// test_frozen.c: bodies that lost their numbers are shown as they last were, also by a world that
// was resumed: in the frame of their part, without what is not finite, and with its ids.
#include "small_world.h"

// --- a body of two blocks, whose surface is in the frame of the second -------------------------

enum { CORNERS = 8, DOTS = 5 };

typedef struct pair {
    wr_vec3 corners[CORNERS];
    wr_piece piece;
    wr_material_part parts[2];
    wr_vec3 dots[DOTS];
    float radii[DOTS];
    uint32_t ids[DOTS];
    wr_record_surface surface;
    bool is_lost;
} pair;

static pair the_pair; // one in every world, for there is no state in it to share

static void *pair_create(const wr_material_desc *desc, wr_error *error)
{
    (void)error;
    pair *p = &the_pair;
    for (int i = 0; i < CORNERS; i++) {
        p->corners[i] = wr_v3(i & 1 ? 0.5f : -0.5f, i & 2 ? 0.4f : -0.4f, i & 4 ? 0.3f : -0.3f);
    }
    p->piece = (wr_piece){p->corners, CORNERS};
    for (int i = 0; i < 2; i++) {
        p->parts[i] = (wr_material_part){
            .alive = true,
            .pieces = &p->piece,
            .piece_count = 1,
            .mass = {2.0, {0, 0, 0}, {{0.2, 0, 0}, {0, 0.3, 0}, {0, 0, 0.4}}},
            .pose = wr_pose_multiply(desc->pose,
                                     (wr_pose){wr_v3(3.0f * (float)i, 0, 0), WR_QUAT_IDENTITY}),
            .velocity = wr_v3(0, 1, i ? 2 : -3),
            .angular_velocity = wr_v3(1, i ? -2 : 3, 0.5f)};
    }
    for (int i = 0; i < DOTS; i++) {
        p->dots[i] = wr_v3((float)i, 1, 2);
        p->radii[i] = 0.1f + 0.01f * (float)i;
        p->ids[i] = (uint32_t)(10 * i + 7);
    }
    static const int triangle[3] = {0, 1, 2};
    p->surface = (wr_record_surface){.number = 0,
                                     .topology = 3,
                                     .in_world = true,
                                     .look = -1,
                                     .color = {1, 1, 1, 1},
                                     .vertex_count = 3,
                                     .triangle_count = 1,
                                     .positions = p->dots,
                                     .triangles = triangle};
    p->is_lost = false;
    return p;
}

static const wr_material_part *pair_parts(const void *body, int *count)
{
    *count = 2;
    return ((const pair *)body)->parts;
}

static wr_material_surface pair_surface(const void *body)
{
    return (wr_material_surface){
        .part = 1, .positions = ((const pair *)body)->corners, .vertex_count = CORNERS};
}

static const wr_record_surface *pair_surfaces(const void *body, int *count)
{
    *count = 1;
    return &((const pair *)body)->surface;
}

static bool pair_particles(const void *body, wr_record_particles *out)
{
    const pair *p = body;
    *out = (wr_record_particles){.count = DOTS,
                                 .in_world = true,
                                 .color = {1, 1, 1, 1},
                                 .positions = p->dots,
                                 .radii = p->radii,
                                 .ids = p->ids};
    return true;
}

static bool pair_is_sound(const void *body)
{
    return !((const pair *)body)->is_lost;
}

static const wr_material pair_material = {
    STATELESS("pair"),         .create = pair_create,     .parts = pair_parts,
    .surface = pair_surface,   .surfaces = pair_surfaces, .particles = pair_particles,
    .is_sound = pair_is_sound, .size = stateless_size,
};

const wr_material *const small_world_materials[] = {&pair_material, NULL};

#define PAIR SPACE "'bodies': [{'name': 'pair', 'shape': {'box': [1, 1, 1]}, 'material': 'pair'}]"

// Steps until the body is frozen; then two of its dots are nowhere.
static show freeze(void)
{
    show s = start(PAIR);
    step_frames(s.world, 20);
    the_pair.is_lost = true;
    step_frames(s.world, 1);
    assert_int_equal(wr_world_stats(s.world).frozen, 1);
    the_pair.dots[1].y = NAN;
    the_pair.radii[3] = INFINITY;
    step_frames(s.world, 1);
    return s;
}

// --- promises ---------------------------------------------------------------------------------

static void a_frozen_surface_stays_in_the_frame_of_its_part(void **state)
{
    (void)state;
    show s = freeze();
    wr_error error = {0};
    size_t size;
    step_frames(s.world, 45); // the world has saved itself since
    wr_pose was = wr_world_frame(s.world)->poses[0];
    assert_true(fabsf(was.position.x - 3.0f) < 0.1f && was.position.z > 0.5f); // of the second
    const void *bytes = wr_world_save(s.world, &size, &error);
    assert_non_null(bytes);
    wr_world *fresh = make_world(s.scene, NULL);
    assert_true(wr_world_restore(fresh, bytes, size, &error));
    assert_memory_equal(&wr_world_frame(fresh)->poses[0], &was, sizeof was);
    step_frames(fresh, 1);
    step_frames(s.world, 1);
    was = wr_world_frame(s.world)->poses[0];
    assert_memory_equal(&wr_world_frame(fresh)->poses[0], &was, sizeof was);
    wr_world_destroy(fresh);
    end(s);
}

// Those that are somewhere keep their ids, and with them their radii.
static void frozen_particles_keep_their_ids(void **state)
{
    (void)state;
    show s = freeze();
    const wr_frame *frame = wr_world_frame(s.world);
    static const int left[3] = {0, 2, 4};
    assert_int_equal(frame->particles_count, 1);
    assert_int_equal(frame->particles[0].count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(frame->particles[0].ids[i], 10 * left[i] + 7);
        assert_true(frame->particles[0].radii[i] == the_pair.radii[left[i]]);
        assert_true(frame->particles[0].positions[i].x == (float)left[i]);
    }
    end(s);
}

// A surface 0 that is nowhere has no triangles and another topology, which an event tells once.
static void a_frozen_surface_that_is_nowhere_is_hidden(void **state)
{
    (void)state;
    show s = freeze();
    const wr_frame *frame = wr_world_frame(s.world);
    assert_int_equal(frame->surface_count, 1);
    assert_int_equal(frame->surfaces[0].triangle_count, 0);
    assert_true(frame->surfaces[0].topology != 3);
    int events = 0;
    for (int i = 0; i < frame->event_count; i++) {
        events += frame->events[i].kind == WR_EVENT_TOPOLOGY && frame->events[i].subject == 0;
    }
    assert_int_equal(events, 1);
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frozen_surface_stays_in_the_frame_of_its_part),
        cmocka_unit_test(frozen_particles_keep_their_ids),
        cmocka_unit_test(a_frozen_surface_that_is_nowhere_is_hidden),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
