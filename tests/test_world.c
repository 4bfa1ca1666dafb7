// test_world.c: worlds of rigid bodies and jelly keep what physics, recordings and snapshots
// promise.
#include "jelly.h"
#include "small_world.h"

static const double G = 9.81;

// A material with nothing but what must be there; it writes down how it is called.
typedef struct probe_log {
    int advances, substeps, ends;
    double first, time, covered; // covered: seconds of all substeps
    bool in_order;
} probe_log;

static probe_log probe;

static void *probe_create(const wr_material_desc *desc, wr_error *error)
{
    (void)desc;
    (void)error;
    return &probe;
}

static void probe_advance(void *body, const wr_material_step *step)
{
    probe_log *log = body;
    log->advances++;
    log->in_order = log->in_order && fabs(step->time - log->time) < 1e-6;
}

static void probe_take_contacts(void *body, const wr_material_step *step)
{
    probe_log *log = body;
    log->substeps++;
    log->in_order = log->in_order && fabs(step->time - log->time) < 1e-6;
    log->time += step->dt;
    log->covered += step->dt;
}

static void probe_end(void *body, const wr_material_step *step)
{
    probe_log *log = body;
    log->ends++;
    log->in_order = log->in_order && fabs(step->time + step->dt - log->time) < 1e-6;
}

static const wr_material probe_material = {
    STATELESS("probe"),
    .create = probe_create,
    .advance = probe_advance,
    .take_contacts = probe_take_contacts,
    .end_step = probe_end,
    .surface = stateless_surface,
    .is_sound = stateless_is_sound,
    .size = stateless_size,
};

const wr_material *const small_world_materials[] = {&jelly_material, &probe_material, NULL};

static wr_vec3 velocity(wr_world *world, int scene_body)
{
    return wr_rigid_velocity(wr_world_rigid(world), wr_world_body(world, scene_body));
}

static wr_vec3 position(const wr_world *world, int body)
{
    return wr_world_frame(world)->poses[body].position;
}

static int count_events(const wr_world *world, wr_event_kind kind, int subject)
{
    const wr_frame *frame = wr_world_frame(world);
    int count = 0;
    for (int i = 0; i < frame->event_count; i++) {
        count +=
            frame->events[i].kind == kind && (subject < 0 || frame->events[i].subject == subject);
    }
    return count;
}

static const void *jelly_of(const wr_world *world, int index)
{
    return world->materials[index].state;
}

#define CRATE(more) "{'name': 'crate', 'shape': {'box': [1, 1, 1]}" more "}"
#define JELLY(kind, more)                                                                          \
    "{'name': 'jelly', 'shape': {'box': [1, 1, 1]}, 'material': {'jelly': " kind "}" more "}"

// --- rigid bodies -----------------------------------------------------------------------------

static void a_falling_crate_follows_the_closed_form(void **state)
{
    (void)state;
    show s = start("'bodies': [" CRATE(", 'at': [1, 50, 2], 'velocity': [3, 0, 0]") "]");
    step_frames(s.world, 60);
    const wr_frame *frame = wr_world_frame(s.world);
    double dt = 1.0 / 240.0, n = 240.0;
    // Symplectic Euler: y_n = y_0 - g dt^2 n (n + 1) / 2
    CHECK_NEAR(frame->poses[0].position.y, 50.0 - G * dt * dt * n * (n + 1) / 2.0, 1e-4);
    CHECK_NEAR(frame->poses[0].position.x, 4.0, 1e-4);
    CHECK_NEAR(frame->poses[0].position.z, 2.0, 1e-6);
    CHECK_NEAR(frame->time, 1.0, 1e-12);
    assert_int_equal(frame->index, 60);
    wr_world_statistics stats = wr_world_stats(s.world);
    CHECK_NEAR(stats.top_speed, sqrt(9.0 + G * G), 1e-3);
    assert_int_equal(stats.moving, 1);
    assert_int_equal(stats.steps, 240);
    end(s);
}

static void a_driven_body_is_where_its_path_says(void **state)
{
    (void)state;
    show s = start("'bodies': [{'name': 'gate', 'shape': {'box': [4, 0.2, 4]}, 'path': ["
                   "{'time': 0.25, 'at': [0, 0, 0]}, {'time': 1.25, 'at': [2, 0, 1], 'turn': "
                   "{'axis': [0, 1, 0], 'by': 170}}]}]");
    for (int i = 1; i <= 90; i++) {
        step_frames(s.world, 1);
        double t = fmin(fmax(i / 60.0 - 0.25, 0.0), 1.0), angle = 170.0 * t * 3.14159265 / 180.0;
        wr_pose pose = wr_world_frame(s.world)->poses[0];
        CHECK_NEAR(wr_distance(pose.position, wr_v3((float)(2 * t), 0, (float)t)), 0.0, 2e-6);
        wr_vec3 x = wr_rotate(pose.rotation, wr_v3(1, 0, 0)); // turns evenly
        CHECK_NEAR(x.x, cos(angle), 2e-6);
        CHECK_NEAR(x.z, -sin(angle), 2e-6);
    }
    end(s);
}

static void a_driven_floor_carries_what_stands_on_it(void **state)
{
    (void)state;
    show s =
        start("'bodies': [{'name': 'belt', 'shape': {'box': [9, 1, 3]}, 'friction': 1, 'path': "
              "[{'time': 0.5, 'at': [0, -0.5, 0]}, {'time': 3.5, 'at': [3, -0.5, 0]}]}, " CRATE(
                  ", 'at': [0, 0.5, 0], 'friction': 1") "]");
    step_frames(s.world, 150);
    CHECK_NEAR(velocity(s.world, 1).x, 1.0, 0.01);
    CHECK_NEAR(position(s.world, 1).x, 2.0, 0.1); // it slipped a little at the start
    CHECK_NEAR(position(s.world, 1).y, 0.5, 0.01);
    end(s);
}

static void contacts_of_a_pair_are_summed_over_the_frame(void **state)
{
    (void)state;
    show s = start("'sleeping': false, 'bodies': [" GROUND ", " CRATE(", 'at': [0, 0.5, 0]") "]");
    step_frames(s.world, 60);
    double mass = s.scene->bodies[1].rigid.mass.mass;
    for (int i = 0; i < 10; i++) {
        step_frames(s.world, 1);
        const wr_frame *frame = wr_world_frame(s.world);
        assert_int_equal(frame->contact_count, 1); // four points, four steps: one entry
        const wr_record_contact *c = &frame->contacts[0];
        assert_true(c->body_a == 0 && c->body_b == 1);
        CHECK_NEAR(c->impulse, mass * G / 60.0, 0.02 * mass * G / 60.0);
        CHECK_NEAR(c->normal.y, -1.0, 1e-3); // from the crate to the ground
        CHECK_NEAR(c->point.y, 0.0, 0.01);
    }
    end(s);
}

static bool count_down(void *user)
{
    return (*(int *)user)-- > 0;
}

// The frame before is the present one, and the world stands still until it is restored.
static void a_watch_ends_a_frame_between_two_steps(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", " CRATE(", 'at': [0, 1.5, 0]") "]");
    int steps_left = 5 * 4 + 2;
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = s.scene;
    desc.watch = (wr_world_watch){count_down, &steps_left};
    wr_world *watched = wr_world_create(&desc, NULL);
    assert_non_null(watched);
    size_t size;
    const void *bytes = wr_world_save(s.world, &size, NULL);
    wr_error error = {0};
    for (int i = 0; i < 5; i++) {
        step_frames(watched, 1);
        assert_true(wr_world_check(watched, &error));
    }
    for (int i = 0; i < 2; i++, steps_left = 100) {
        step_frames(watched, 1);
        assert_false(wr_world_check(watched, &error));
        assert_int_equal(error.code, WR_E_CANCELLED);
        assert_string_equal(error.message,
                            "interrupted in the middle of frame 6, which was dropped");
        assert_int_equal(wr_world_frame(watched)->index, 5);
        assert_int_equal(wr_world_stats(watched).steps, 5 * 4 + 2);
    }
    size_t none;
    assert_null(wr_world_save(watched, &none, &error));
    assert_true(error.code == WR_E_CANCELLED);
    assert_true(wr_world_restore(watched, bytes, size, &error));
    step_frames(s.world, 20);
    step_frames(watched, 20);
    assert_true(wr_world_check(watched, &error));
    assert_true(wr_world_frame(watched)->hash == wr_world_frame(s.world)->hash);
    wr_world_destroy(watched);
    end(s);
}

static void a_sleeping_pile_costs_no_contacts(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", " CRATE(", 'at': [0, 0.5, 0], 'copies': [{'count': 3, "
                                                   "'step': [1.1, 0, 0]}, {'count': 3, 'step': [0, "
                                                   "1, 0]}]") "]");
    step_frames(s.world, 1);
    assert_true(wr_world_frame(s.world)->contact_count >= 9);
    assert_int_equal(wr_world_stats(s.world).awake, 9);
    step_frames(s.world, 299);
    assert_int_equal(wr_world_frame(s.world)->contact_count, 0);
    wr_world_statistics before = wr_world_stats(s.world);
    assert_int_equal(before.awake, 0);
    CHECK_NEAR(before.top_speed, 0.0, 0.01);
    step_frames(s.world, 10);
    assert_int_equal(wr_world_stats(s.world).contacts, before.contacts);
    end(s);
}

// A weight that falls into its rope; the rope of the other holds.
static void a_joint_that_breaks_is_an_event(void **state)
{
    (void)state;
    show s =
        start("'bodies': [{'name': 'weight', 'shape': {'box': [1, 1, 1]}, 'mass': 10, 'copies': "
              "{'count': 2, 'step': [5, 0, 0]}}], 'joints': [{'bodies': ['weight.1'], 'at': [0, "
              "0.5, 0], 'breaks': 1000}, {'bodies': ['weight.2'], 'at': [5, 0.5, 0], 'breaks': "
              "1}]"); // m g / 60 = 1.6 N s
    int broken = 0;
    for (int i = 0; i < 30; i++) {
        step_frames(s.world, 1);
        broken += count_events(s.world, WR_EVENT_BROKEN, 1);
        assert_int_equal(count_events(s.world, WR_EVENT_BROKEN, 0), 0);
    }
    assert_int_equal(broken, 1);
    assert_int_equal(wr_world_stats(s.world).broken_joints, 1);
    assert_int_equal(wr_world_stats(s.world).joints, 2);
    CHECK_NEAR(position(s.world, 0).y, 0.0, 0.01);
    assert_true(position(s.world, 1).y < -0.5f);
    end(s);
}

// A pile, all lengths times `scale` and all times times its root.
static wr_scene *read_pile(double scale)
{
    char text[2048];
    double f = 600.0 / sqrt(scale), s = scale;
    snprintf(
        text, sizeof text,
        "'frames': [%d, 10], 'bodies': [" GROUND ", {'shape': {'box': [%g, %g, %g]}, 'at': [0, "
        "%g, 0], 'copies': {'count': 3, 'step': [%g, %g, 0], 'turn': {'axis': [0, 1, 0], 'by': "
        "10}}}, {'shape': {'sphere': %g}, 'at': [%g, %g, %g], 'velocity': [%g, 0, 0]}, {'shape': "
        "{'cylinder': {'radius': %g, 'height': %g}}, 'at': [%g, %g, 0]}]",
        (int)(f + 0.5), s, 0.5 * s, s, 0.3 * s, 0.1 * s, 0.6 * s, 0.4 * s, -3.0 * s, 0.5 * s,
        0.1 * s, 4.0 * sqrt(s), 0.3 * s, s, 3.0 * s, 0.6 * s);
    return read_scene(text);
}

static void toys_and_ships_behave_alike(void **state)
{
    (void)state;
    wr_scene *scenes[3] = {read_pile(1.0), read_pile(0.01), read_pile(100.0)};
    const double scale[3] = {1.0, 0.01, 100.0};
    wr_vec3 places[3][6] = {0};
    wr_vec3 before[6] = {0};
    for (int i = 0; i < 3; i++) {
        wr_world *world = make_world(scenes[i], NULL);
        for (int k = 1; i == 0 && k < 6; k++) {
            before[k] = position(world, k);
        }
        step_frames(world, 60);
        CHECK_NEAR(wr_world_frame(world)->time, sqrt(scale[i]), 1e-6 * sqrt(scale[i]));
        for (int k = 1; k < 6; k++) {
            places[i][k] = wr_scale((float)(1.0 / scale[i]), position(world, k));
            CHECK_NEAR(wr_distance(places[i][k], places[0][k]), 0.0, 0.01);
        }
        wr_world_destroy(world);
        wr_scene_destroy(scenes[i]);
    }
    assert_true(wr_distance(before[4], places[0][4]) > 1.0f); // the ball did hit the pile
    assert_true(wr_distance(before[3], places[0][3]) > 0.02f);
}

// --- jelly and rigid bodies -------------------------------------------------------------------

typedef struct momentum {
    double x, y, z, mass, jelly_x; // jelly_x: of the particles and parts alone
} momentum;

static momentum find_momentum(wr_world *world)
{
    const wr_rigid *rigid = wr_world_rigid(world);
    momentum m = {0};
    for (int i = 0; i < world->owner_of_engine.count; i++) {
        const wri_part *part = wri_part_of_engine(world, i);
        int record = WRI_ITEM(world->record_of_engine, int, i);
        if (part && !part->alive) {
            continue;
        }
        double mass = part ? jelly_look(jelly_of(world, part->owner)).part_masses[part->index]
                           : world->scene->bodies[record].rigid.mass.mass;
        wr_vec3 v = wr_rigid_velocity(rigid, i);
        m.x += mass * v.x, m.y += mass * v.y, m.z += mass * v.z, m.mass += mass;
        m.jelly_x += part ? mass * v.x : 0.0;
    }
    for (int i = 0; i < world->material_count; i++) {
        jelly_view j = jelly_look(jelly_of(world, i));
        for (int k = 0; k < j.count; k++) {
            m.x += j.particle_mass * j.v[k].x;
            m.y += j.particle_mass * j.v[k].y;
            m.z += j.particle_mass * j.v[k].z;
            m.mass += j.particle_mass;
            m.jelly_x += j.particle_mass * j.v[k].x;
        }
    }
    return m;
}

static void check_momentum(momentum now, momentum first)
{
    double size = sqrt(first.x * first.x + first.y * first.y + first.z * first.z);
    CHECK_NEAR(now.x, first.x, 1e-4 * size);
    CHECK_NEAR(now.y, first.y, 1e-4 * size);
    CHECK_NEAR(now.z, first.z, 1e-4 * size);
    CHECK_NEAR(now.mass, first.mass, 1e-5 * first.mass);
}

static momentum run_collision(show s, int frames)
{
    momentum first = find_momentum(s.world);
    for (int i = 0; i < frames; i++) {
        step_frames(s.world, 1);
        check_momentum(find_momentum(s.world), first);
    }
    return first;
}

static void a_crate_thrown_at_jelly_pushes_it(void **state)
{
    (void)state;
    show s = start(SPACE "'bodies': [" CRATE(
        ", 'at': [-2, 0.1, 0], 'velocity': [3, 0, 0]") ", " JELLY("'default'", "") "]");
    momentum first = run_collision(s, 90);
    momentum last = find_momentum(s.world);
    CHECK_NEAR(first.jelly_x, 0.0, 1e-6);
    assert_true(last.jelly_x > 0.3 * first.x);
    assert_true(velocity(s.world, 0).x < 2.0f); // what the jelly got, the crate lost
    end(s);
}

static void jelly_thrown_at_a_crate_pushes_it(void **state)
{
    (void)state;
    show s = start(SPACE "'bodies': [" CRATE(", 'at': [2, 0.1, 0]") ", " JELLY(
        "'firm'", ", 'velocity': [3, 0, 0], 'spin': [20, 30, 0]") "]");
    momentum first = run_collision(s, 90);
    momentum last = find_momentum(s.world);
    assert_true(velocity(s.world, 0).x > 1.0f);
    assert_true(last.jelly_x < 0.7 * first.x);
    end(s);
}

// As the engine knows it.
static wr_touch touch_body(wr_world *world, int engine)
{
    wr_ball ball = {.center = wr_rigid_center(wr_world_rigid(world), engine), .radius = 0.02f};
    wr_touch_query query = wr_touch_query_default();
    query.balls = &ball;
    query.ball_count = 1;
    int count;
    const wr_touch *touches =
        wr_rigid_find_touches(wr_world_change_rigid(world), &query, &count, NULL);
    assert_non_null(touches);
    return count ? touches[0] : (wr_touch){.body = -1};
}

static float core_restitution(wr_world *world, int scene_body)
{
    wr_touch touch = touch_body(world, wr_world_body(world, scene_body));
    assert_int_equal(touch.body, wr_world_body(world, scene_body));
    return touch.restitution;
}

static void a_crate_dropped_on_jelly_squashes_it_and_is_held(void **state)
{
    (void)state;
    show s =
        start("'bodies': [" GROUND ", {'name': 'jelly', 'shape': {'box': [1, 1, 1]}, 'at': [0, "
              "0.6, 0], 'material': 'jelly', 'copies': {'count': 2, 'step': [5, 0, 0]}}, " CRATE(
                  ", 'at': [0, 2, 0], 'density': 300") "]");
    step_frames(s.world, 240);
    jelly_view under = jelly_look(jelly_of(s.world, 0)), alone = jelly_look(jelly_of(s.world, 1));
    assert_true(alone.squash[1] < 0.995f && alone.squash[1] > 0.9f); // its own weight
    assert_true(under.squash[1] < alone.squash[1] - 0.005f && under.squash[0] > alone.squash[0]);
    CHECK_NEAR(position(s.world, 3).y, 1.6, 0.1); // on top of it
    CHECK_NEAR(position(s.world, 3).x, 0.0, 0.05);
    CHECK_NEAR(wr_length(velocity(s.world, 3)), 0.0, 0.1);
    const wr_rigid *rigid = wr_world_rigid(s.world); // the core is squashed with it
    wr_vec3 core = wr_box_size(wr_rigid_bounds(rigid, wr_world_body(s.world, 1)));
    wr_vec3 other = wr_box_size(wr_rigid_bounds(rigid, wr_world_body(s.world, 2)));
    CHECK_NEAR(core.y - other.y, 0.4 * (under.squash[1] - alone.squash[1]), 0.005);
    assert_true(core.y < other.y - 0.002f);
    assert_true(core_restitution(s.world, 1) < core_restitution(s.world, 2));
    wr_material_statistics loaded = jelly_material.statistics(jelly_of(s.world, 0));
    wr_material_statistics free = jelly_material.statistics(jelly_of(s.world, 1));
    assert_true(loaded.energy > free.energy && free.energy > 0.0);
    assert_int_equal(loaded.active, JELLY_COUNT);
    assert_int_equal(loaded.trouble, 0);
    end(s);
}

// Pellets that pass between the particles and hit the core, one after the other.
#define PELLETS(count)                                                                             \
    "{'name': 'pellet', 'shape': {'sphere': 0.05}, 'mass': 20, 'at': [0.18, 0.18, -2], "           \
    "'velocity': [0, 0, 20], 'copies': {'count': " count ", 'step': [0, 0, -4]}}"
#define SHATTERING                                                                                 \
    SPACE "'bodies': [" JELLY("'default', 'shatter': 100, 'lifetime': '300 ms'", "") ", " CRATE(   \
        ", 'at': [3, 0, 0], 'velocity': [-2, 0, 0]") ", " PELLETS("3") "]"

static void a_split_core_keeps_mass_and_momentum(void **state)
{
    (void)state;
    show s =
        start(SPACE "'bodies': [" JELLY("'default', 'shatter': 100", "") ", " PELLETS("3") "]");
    momentum first = run_collision(s, 60);
    assert_true(first.z > 0.0);
    assert_int_equal(jelly_look(jelly_of(s.world, 0)).part_count, 4);
    end(s);
}

static void births_and_removals_are_in_the_frames_and_the_recording(void **state)
{
    (void)state;
    show s = start(SHATTERING);
    wr_error error = {0};
    char path[600];
    snprintf(path, sizeof path, "%s/take.wrought", folder.path);
    wr_record_writer *writer = wr_record_create(path, wr_world_record_info(s.world), &error);
    assert_non_null(writer);
    int bodies[61], born = 0, removed = 0;
    for (int i = 0; i <= 60; i++) {
        const wr_frame *frame = wr_world_frame(s.world);
        for (int k = 0; k < frame->event_count; k++) {
            const wr_event *e = &frame->events[k];
            if (e->kind == WR_EVENT_BORN) {
                char name[32];
                assert_int_equal(e->subject, s.scene->body_count + born++);
                assert_int_equal(e->other, 0);
                snprintf(name, sizeof name, "jelly/%d", born);
                assert_string_equal(e->born.name, name);
                assert_string_equal(e->born.material, "jelly");
            } else {
                assert_int_equal(e->kind, WR_EVENT_REMOVED);
                assert_int_equal(e->subject, s.scene->body_count + removed++);
            }
        }
        bodies[i] = frame->body_count;
        assert_int_equal(frame->body_count, s.scene->body_count + born);
        if (!wr_record_add_frame(writer, frame, &error)) {
            fail_msg("%s", error.message);
        }
        step_frames(s.world, 1);
    }
    assert_true(born == 3 && removed >= 2);
    for (int i = 0; i < s.world->parts.count; i++) {
        const wri_part *part = &WRI_ITEM(s.world->parts, wri_part, i);
        assert_int_equal(touch_body(s.world, part->engine).body == part->engine, part->alive);
    }
    assert_true(wr_record_finish(writer, false, &error));
    wr_record_writer_destroy(writer);
    end(s);
    wr_record_reader *reader = wr_record_open(path, &error);
    assert_non_null(reader);
    for (int i = 0; i <= 60; i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, &error);
        assert_non_null(frame);
        assert_int_equal(frame->body_count, bodies[i]);
        assert_int_equal(frame->points_count, 1);
    }
    int count;
    const wr_record_body *known = wr_record_bodies(reader, &count);
    assert_int_equal(count, bodies[60]);
    assert_string_equal(known[count - 1].name, "jelly/3");
    wr_record_close(reader);
}

static void materials_advance_once_per_step_however_the_engine_splits_it(void **state)
{
    (void)state;
    probe = (probe_log){.in_order = true};
    show s = start("'bodies': [{'shape': {'box': [1, 1, 1]}, 'material': 'probe'}, " CRATE(
        ", 'velocity': [0, 0, 1000]") ", {'shape': {'box': [9, 9, 0.01]}, 'at': [0, 0, 5], "
                                      "'motion': "
                                      "'static'}]");
    assert_int_equal(wr_world_body(s.world, 0), -1); // it has no part
    step_frames(s.world, 6);
    assert_int_equal(probe.advances, 6 * 4);
    assert_int_equal(probe.ends, probe.advances);
    assert_true(probe.substeps > probe.advances); // the wall is thin and the crate is fast
    assert_true(probe.in_order);
    CHECK_NEAR(probe.covered, 0.1, 1e-5);
    assert_int_equal(wr_world_frame(s.world)->points_count, 0);
    end(s);
}

static void a_joint_needs_a_rigid_part(void **state)
{
    (void)state;
    wr_scene *scene =
        read_scene("'bodies': [{'name': 'ghost', 'shape': {'box': [1, 1, 1]}, "
                   "'material': 'probe'}], 'joints': [{'bodies': ['ghost'], 'at': [0, "
                   "0, 0]}]");
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    wr_error error = {0};
    assert_null(wr_world_create(&desc, &error));
    assert_string_equal(error.message, "joint 1: body \"ghost\" has no rigid part");
    wr_scene_destroy(scene);
}

static void jelly_falls_asleep_and_wakes_when_hit(void **state)
{
    (void)state;
    show s = start(SPACE "'bodies': [" JELLY("'default'", "") ", " CRATE(
        ", 'at': [-6, 0, 0], 'velocity': [3, 0, 0]") "]");
    step_frames(s.world, 29);
    assert_false(jelly_material.is_asleep(jelly_of(s.world, 0)));
    step_frames(s.world, 3);
    assert_true(jelly_material.is_asleep(jelly_of(s.world, 0)));
    uint64_t hash = jelly_material.hash(jelly_of(s.world, 0));
    step_frames(s.world, 50);
    assert_true(jelly_material.is_asleep(jelly_of(s.world, 0)));
    assert_true(hash == jelly_material.hash(jelly_of(s.world, 0))); // nothing is computed
    assert_int_equal(jelly_material.statistics(jelly_of(s.world, 0)).active, 0);
    step_frames(s.world, 60);
    assert_false(jelly_material.is_asleep(jelly_of(s.world, 0)));
    assert_true(jelly_look(jelly_of(s.world, 0)).v[JELLY_CENTER].x > 0.3f);
    end(s);
}

// A bar that turns in its place, without going anywhere, sweeps over it.
static void jelly_wakes_when_something_that_turns_hits_it(void **state)
{
    (void)state;
    show s = start(SPACE "'bodies': [" JELLY(
        "'default'", "") ", {'shape': {'box': [0.2, 4, 0.2]}, "
                         "'path': [{'time': 0, 'at': [2.3, 0, 0]}, {'time': 1, 'at': [2.3, 0, 0]}, "
                         "{'time': 3, 'at': [2.3, 0, 0], "
                         "'turn': {'axis': [0, 0, 1], 'by': 150}}]}]");
    step_frames(s.world, 50);
    assert_true(jelly_material.is_asleep(jelly_of(s.world, 0)));
    step_frames(s.world, 110);
    assert_false(jelly_material.is_asleep(jelly_of(s.world, 0)));
    end(s);
}

// Its springs hold the core against gravity; asleep they do not, so the core must sleep with them.
static void a_sleeping_material_keeps_its_parts_where_they_are(void **state)
{
    (void)state;
    show s = start("'bodies': [" GROUND ", " JELLY("'default'", ", 'at': [0, 0.6, 0]") "]");
    int core = wr_world_body(s.world, 1);
    int frames = 0;
    for (; frames < 900 && !jelly_material.is_asleep(jelly_of(s.world, 0)); frames++) {
        step_frames(s.world, 1);
    }
    assert_true(frames < 900);
    step_frames(s.world, 1);
    assert_true(wr_rigid_is_asleep(wr_world_rigid(s.world), core));
    float height = wr_rigid_pose(wr_world_rigid(s.world), core).position.y;
    step_frames(s.world, 60);
    assert_true(jelly_material.is_asleep(jelly_of(s.world, 0)));
    assert_true(wr_rigid_pose(wr_world_rigid(s.world), core).position.y == height);
    wr_rigid_push(wr_world_change_rigid(s.world), core, wr_v3(0, height, 0), wr_v3(0, 20, 0));
    step_frames(s.world, 1);
    assert_false(jelly_material.is_asleep(jelly_of(s.world, 0)));
    end(s);
}

// --- the same bits ----------------------------------------------------------------------------

#define FOUR_JELLIES                                                                               \
    "'bodies': [" GROUND ", {'name': 'jelly', 'shape': {'box': [1, 1, 1]}, 'at': [-2, 0.7, 0], "   \
    "'material': 'jelly', 'copies': {'count': 4, 'step': [1.3, 0.1, 0.05]}}, " CRATE(              \
        ", 'at': [-1.4, 2.2, 0], 'copies': {'count': 2, 'step': [2.6, 0, 0]}") "]"

static void run_hashes(const wr_scene *scene, const wr_tasks *tasks, uint64_t *hashes, int count)
{
    wr_world *world = make_world(scene, tasks);
    for (int i = 0; i < count; i++) {
        step_frames(world, 1);
        hashes[i] = wr_world_frame(world)->hash;
    }
    wr_world_destroy(world);
}

static void threads_and_their_order_do_not_change_a_bit(void **state)
{
    (void)state;
    enum { COUNT = 16 };
    wr_scene *scene = read_scene(FOUR_JELLIES);
    uint64_t first[COUNT], again[COUNT];
    wr_tasks one = wr_tasks_openmp(1), two = wr_tasks_openmp(2);
    const wr_tasks *const tasks[] = {NULL, &one, NULL, &two};
    run_hashes(scene, NULL, first, COUNT);
    for (int i = 0; i < WRI_COUNT(tasks); i++) {
        wri_test_block_shuffle = i >= 2 ? i : 0;
        run_hashes(scene, tasks[i], again, COUNT);
        wri_test_block_shuffle = 0;
        assert_memory_equal(first, again, sizeof first);
    }
    for (int i = 1; i < COUNT; i++) {
        assert_true(first[i] != first[i - 1]); // positive control: hashes do see motion
    }
    wr_scene_destroy(scene);
}

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

static void restore(wr_world *world, bytes b)
{
    wr_error error = {0};
    if (!wr_world_restore(world, b.data, b.size, &error)) {
        fail_msg("%s", error.message);
    }
}

enum { TAKE = 85 };
static const int SAVED[] = {25, 50, 60, 75}; // a world forgets at frame 60

// Of everything a frame says.
static uint64_t mark_frame(const wr_frame *frame)
{
    uint64_t mark =
        wri_hash(frame->poses, (size_t)frame->body_count * sizeof(wr_pose), frame->hash);
    for (int i = 0; i < frame->event_count; i++) {
        const int event[] = {frame->events[i].kind, frame->events[i].subject};
        mark = wri_hash(event, sizeof event, mark);
    }
    for (int i = 0; i < frame->points_count; i++) {
        const wr_record_points *points = &frame->points[i];
        mark = wri_hash(points->positions, (size_t)points->count * sizeof(wr_vec3), mark);
    }
    for (int i = 0; i < frame->contact_count; i++) {
        mark = wri_hash(&frame->contacts[i], sizeof(wr_record_contact), mark);
    }
    return mark;
}

// Goes on to frame TAKE; keeps what was saved at `keep`, the only save. Somebody pushes at
// frame 30.
static bytes run_take(wr_world *world, uint64_t marks[TAKE + 1], int keep)
{
    bytes kept = {0};
    for (int i = wr_world_frame(world)->index; i < TAKE;) {
        if (i == 30) {
            wr_rigid *rigid = wr_world_change_rigid(world);
            wr_rigid_push(rigid, 0, wr_rigid_center(rigid, 0), wr_v3(0.3f, 0.1f, 0.2f));
            wr_rigid_push(rigid, 1, wr_rigid_center(rigid, 1), wr_v3(0.1f, 0.5f, -0.2f));
        }
        step_frames(world, 1);
        i = wr_world_frame(world)->index;
        marks[i] = mark_frame(wr_world_frame(world));
        if (i == keep) {
            kept = save(world);
        }
    }
    return kept;
}

static void check_restored(wr_world *world, bytes b, const uint64_t *expected, int frame)
{
    uint64_t marks[TAKE + 1] = {0};
    restore(world, b);
    assert_int_equal(wr_world_frame(world)->index, frame);
    assert_int_equal(wr_world_frame(world)->event_count, 0);
    run_take(world, marks, -1);
    for (int i = frame + 1; i <= TAKE; i++) {
        if (marks[i] != expected[i]) {
            fail_msg("frame %d differs after a restore at %d", i, frame);
        }
    }
}

static void check_resuming(const char *text)
{
    wr_scene *scene = read_scene(text);
    wr_world *undisturbed = make_world(scene, NULL);
    uint64_t expected[TAKE + 1] = {0};
    run_take(undisturbed, expected, -1);
    wr_world_destroy(undisturbed);
    for (int k = 0; k < WRI_COUNT(SAVED); k++) {
        int frame = SAVED[k];
        uint64_t marks[TAKE + 1] = {0};
        wr_world *world = make_world(scene, NULL), *fresh = make_world(scene, NULL);
        bytes b = run_take(world, marks, frame);
        assert_memory_equal(marks, expected, sizeof marks); // a save changes nothing
        check_restored(fresh, b, marks, frame);
        check_restored(world, b, marks, frame); // into a later one
        restore(fresh, b);
        bytes again = save(fresh); // what is saved of a restored one
        check_restored(world, again, marks, frame);
        free(again.data);
        free(b.data);
        wr_world_destroy(world);
        wr_world_destroy(fresh);
    }
    wr_scene_destroy(scene);
}

static void a_restored_world_goes_on_bit_for_bit(void **state)
{
    (void)state;
    check_resuming(SHATTERING);
}

static void a_restored_world_on_the_ground_goes_on_bit_for_bit(void **state)
{
    (void)state;
    check_resuming("'bodies': [" GROUND
                   ", " JELLY("'firm'", ", 'at': [0, 0.6, 0], 'rolling': 0.2") ", " CRATE(
                       ", 'at': [0.3, 1.8, 0]") ", {'name': 'gate', 'shape': {'box': [1, 1, 1]}, "
                                                "'path': [{'time': "
                                                "0, 'at': [-3, 0.5, 0]}, {'time': 1, 'at': [-1, "
                                                "0.5, 0]}]}, {'name': 'lamp', 'shape': "
                                                "{'sphere': 0.3}, 'at': [1, 3, 0]}], 'joints': "
                                                "[{'bodies': ['lamp'], 'at': [0, 3, 0]}]");
}

// A change by hand is in what is saved at once, and in what is saved later.
static void a_change_by_hand_is_saved(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++) {
        show s = start("'bodies': [" GROUND ", " CRATE(", 'at': [0, 2, 0]") "]");
        wr_world *fresh = make_world(s.scene, NULL);
        step_frames(s.world, 7);
        int crate = wr_world_body(s.world, 1);
        wr_rigid_set_velocity(wr_world_change_rigid(s.world), crate, wr_v3(1, 2, 3),
                              wr_v3(4, 5, 6));
        step_frames(s.world, 2 * later);
        bytes b = save(s.world);
        restore(fresh, b);
        for (int i = 0; i < 3; i++) {
            assert_true(wr_distance(velocity(fresh, 1), velocity(s.world, 1)) == 0.0f);
            assert_true(later || i > 0 || velocity(fresh, 1).z == 3.0f);
            step_frames(fresh, 1);
            step_frames(s.world, 1);
            assert_true(wr_world_frame(fresh)->hash == wr_world_frame(s.world)->hash);
        }
        free(b.data);
        wr_world_destroy(fresh);
        end(s);
    }
}

// --- damaged snapshots ------------------------------------------------------------------------

static void reseal(bytes b)
{
    uint64_t hash = wri_hash(b.data + 16, b.size - 16, 0);
    for (int i = 0; i < 8; i++) {
        b.data[8 + i] = (uint8_t)(hash >> (8 * i));
    }
}

static void check_refused(wr_world *world, bytes b)
{
    wr_error error = {0};
    assert_false(wr_world_restore(world, b.data, b.size, &error));
    assert_true(error.code != WR_OK && strlen(error.message) > 10);
}

static void a_cut_snapshot_is_a_sentence(void **state)
{
    (void)state;
    show s = start(SHATTERING);
    uint64_t hashes[TAKE + 1] = {0};
    bytes whole = run_take(s.world, hashes, 24);
    for (size_t size = 0; size < whole.size; size++) {
        bytes cut = {malloc(size + 1), size}; // so that a sanitizer sees reading behind the end
        memcpy(cut.data, whole.data, size);
        check_refused(s.world, cut);
        if (size >= 16 && size % 23 == 0) { // also when nothing but the length is wrong
            reseal(cut);
            check_refused(s.world, cut);
        }
        free(cut.data);
    }
    check_restored(s.world, whole, hashes, 24); // a good one still works
    free(whole.data);
    end(s);
}

static void a_flipped_byte_is_a_sentence(void **state)
{
    (void)state;
    show s = start(SHATTERING);
    step_frames(s.world, 20);
    bytes b = save(s.world);
    uint64_t seed = 7;
    int survived = 0;
    for (size_t i = 0; i < b.size; i += 1 + random_bits(&seed) % 29) {
        uint8_t good = b.data[i], hash[8];
        memcpy(hash, b.data + 8, sizeof hash);
        b.data[i] ^= (uint8_t)(1u << random_bits(&seed) % 8);
        check_refused(s.world, b);
        if (i >= 16) { // a wrong number under a right hash may be believed, but harms nobody
            reseal(b);
            wr_error error = {0};
            if (wr_world_restore(s.world, b.data, b.size, &error)) {
                step_frames(s.world, 1);
                survived++;
            } else {
                assert_true(strlen(error.message) > 10);
            }
        }
        memcpy(b.data + 8, hash, sizeof hash);
        b.data[i] = good;
    }
    assert_true(survived > 0);
    restore(s.world, b);
    free(b.data);
    end(s);
}

static void a_snapshot_of_another_scene_is_refused(void **state)
{
    (void)state;
    show a = start("'bodies': [" CRATE("") "]"),
         b = start("'bodies': [" CRATE("") ", " CRATE("") "]"),
         c = start("'bodies': [" CRATE("") ", " JELLY("'default'", "") "]");
    bytes saved = save(a.world);
    check_refused(b.world, saved);
    check_refused(c.world, saved);
    free(saved.data);
    saved = save(c.world);
    check_refused(a.world, saved);
    saved.data[32] = 0; // number of materials, but not of parts
    reseal(saved);
    check_refused(a.world, saved);
    free(saved.data);
    end(a);
    end(b);
    end(c);
}

// --- frozen bodies ----------------------------------------------------------------------------

static void poisoned_jelly_is_frozen_and_the_rest_goes_on(void **state)
{
    (void)state;
    show s = start("'bodies': [" JELLY("'default', 'poison_at': 0.25", "") ", " CRATE(
        ", 'at': [5, 0, 0]") ", {'name': 'other', 'shape': {'box': [1, 1, 1]}, 'at': [9, 0, 0], "
                             "'material': 'jelly'}]");
    int events = 0;
    wr_vec3 last = {0, 0, 0};
    for (int i = 1; i <= 30; i++) {
        step_frames(s.world, 1);
        const wr_frame *frame = wr_world_frame(s.world);
        events += count_events(s.world, WR_EVENT_FROZEN, 0);
        assert_int_equal(count_events(s.world, WR_EVENT_FROZEN, -1), i == 16);
        assert_int_equal(wr_world_stats(s.world).frozen, i >= 16);
        assert_int_equal(frame->points_count, 2);
        assert_int_equal(frame->points[0].count, frame->points[1].count);
        for (int k = 0; k < frame->points[0].count; k++) {
            assert_true(wr_is_finite3(frame->points[0].positions[k]));
        }
        if (i > 16) { // stays where it was seen last
            CHECK_NEAR(wr_distance(last, frame->points[0].positions[0]), 0.0, 0);
        }
        last = frame->points[0].positions[0];
    }
    assert_int_equal(events, 1);
    double dt = 1.0 / 240.0, n = 120.0; // jelly takes shorter steps, the crate does not
    CHECK_NEAR(position(s.world, 1).y, -G * dt * dt * n * (n + 1) / 2.0, 1e-4);
    CHECK_NEAR(jelly_look(jelly_of(s.world, 1)).x[JELLY_CENTER].y, -G * 0.125, 0.03);
    assert_true(last.y > -1.0f);

    bytes b = save(s.world); // a frozen body survives resuming
    uint64_t hash = wr_world_frame(s.world)->hash;
    wr_world *fresh = make_world(s.scene, NULL);
    restore(fresh, b);
    assert_true(wr_world_frame(fresh)->hash == hash);
    assert_int_equal(wr_world_stats(fresh).frozen, 1);
    step_frames(fresh, 1);
    step_frames(s.world, 1);
    assert_true(wr_world_frame(fresh)->hash == wr_world_frame(s.world)->hash);
    assert_int_equal(wr_world_frame(fresh)->event_count, 0);
    CHECK_NEAR(wr_distance(last, wr_world_frame(fresh)->points[0].positions[0]), 0.0, 0);
    free(b.data);
    wr_world_destroy(fresh);
    end(s);
}

static void a_rigid_body_that_lost_its_numbers_is_frozen_and_reported(void **state)
{
    (void)state;
    show s = start("'bodies': [" CRATE(", 'at': [0, 5, 0]") ", " CRATE(", 'at': [3, 5, 0]") "]");
    step_frames(s.world, 5);
    wr_vec3 was = position(s.world, 0);
    wr_rigid_set_velocity(wr_world_change_rigid(s.world), wr_world_body(s.world, 0),
                          wr_v3(NAN, 0, 0), wr_v3(0, 0, 0));
    step_frames(s.world, 1);
    assert_int_equal(count_events(s.world, WR_EVENT_FROZEN, 0), 1);
    assert_int_equal(wr_world_stats(s.world).frozen, 1);
    step_frames(s.world, 20);
    assert_int_equal(count_events(s.world, WR_EVENT_FROZEN, -1), 0); // said once
    CHECK_NEAR(wr_distance(position(s.world, 0), was), 0.0, 1e-6);
    assert_true(position(s.world, 1).y < 4.5f);
    end(s);
}

static void jelly_whose_part_the_engine_froze_is_frozen_too(void **state)
{
    (void)state;
    show s = start(SPACE "'bodies': [" JELLY("'default'", "") "]");
    step_frames(s.world, 2);
    wr_rigid_set_velocity(wr_world_change_rigid(s.world), wr_world_body(s.world, 0),
                          wr_v3(0, NAN, 0), wr_v3(0, 0, 0));
    step_frames(s.world, 1);
    assert_int_equal(count_events(s.world, WR_EVENT_FROZEN, 0), 1);
    assert_int_equal(wr_world_stats(s.world).frozen, 1);
    end(s);
}

// --- memory -----------------------------------------------------------------------------------

static void after_warm_up_a_step_allocates_nothing(void **state)
{
    (void)state;
    wr_scene *scene = read_scene("'sleeping': false, " FOUR_JELLIES);
    counting_heap heap = {.budget = 1000000};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    desc.allocator = counting_allocator(&heap);
    wr_world *world = wr_world_create(&desc, NULL);
    step_frames(world, 60);
    int calls = heap.calls;
    step_frames(world, 60);
    assert_int_equal(heap.calls, calls);
    wr_world_destroy(world);
    assert_int_equal(heap.alive, 0);
    wr_scene_destroy(scene);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_scene *scene = read_scene(SHATTERING);
    int needed = -1;
    for (int budget = 0; needed < 0; budget++) {
        counting_heap heap = {.budget = budget};
        wr_world_desc desc = wr_world_desc_default();
        desc.scene = scene;
        desc.allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_world *world = wr_world_create(&desc, &error);
        needed = world ? budget : -1;
        if (!world && error.code != WR_E_MEMORY) {
            fail_msg("allocation %d: %s", budget, error.message);
        }
        wr_world_destroy(world);
        assert_int_equal(heap.alive, 0);
    }
    for (int more = 0; more < 60; more += 2) { // on the way: what cannot be done is left out
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
        wr_world_destroy(world);
        assert_int_equal(heap.alive, 0);
    }
    wr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_crate_follows_the_closed_form),
        cmocka_unit_test(a_driven_body_is_where_its_path_says),
        cmocka_unit_test(a_driven_floor_carries_what_stands_on_it),
        cmocka_unit_test(contacts_of_a_pair_are_summed_over_the_frame),
        cmocka_unit_test(a_watch_ends_a_frame_between_two_steps),
        cmocka_unit_test(a_sleeping_pile_costs_no_contacts),
        cmocka_unit_test(a_joint_that_breaks_is_an_event),
        cmocka_unit_test(toys_and_ships_behave_alike),
        cmocka_unit_test(a_crate_thrown_at_jelly_pushes_it),
        cmocka_unit_test(jelly_thrown_at_a_crate_pushes_it),
        cmocka_unit_test(a_crate_dropped_on_jelly_squashes_it_and_is_held),
        cmocka_unit_test(a_split_core_keeps_mass_and_momentum),
        cmocka_unit_test(births_and_removals_are_in_the_frames_and_the_recording),
        cmocka_unit_test(materials_advance_once_per_step_however_the_engine_splits_it),
        cmocka_unit_test(a_joint_needs_a_rigid_part),
        cmocka_unit_test(jelly_falls_asleep_and_wakes_when_hit),
        cmocka_unit_test(jelly_wakes_when_something_that_turns_hits_it),
        cmocka_unit_test(a_sleeping_material_keeps_its_parts_where_they_are),
        cmocka_unit_test(threads_and_their_order_do_not_change_a_bit),
        cmocka_unit_test(a_restored_world_goes_on_bit_for_bit),
        cmocka_unit_test(a_restored_world_on_the_ground_goes_on_bit_for_bit),
        cmocka_unit_test(a_change_by_hand_is_saved),
        cmocka_unit_test(a_cut_snapshot_is_a_sentence),
        cmocka_unit_test(a_flipped_byte_is_a_sentence),
        cmocka_unit_test(a_snapshot_of_another_scene_is_refused),
        cmocka_unit_test(poisoned_jelly_is_frozen_and_the_rest_goes_on),
        cmocka_unit_test(a_rigid_body_that_lost_its_numbers_is_frozen_and_reported),
        cmocka_unit_test(jelly_whose_part_the_engine_froze_is_frozen_too),
        cmocka_unit_test(after_warm_up_a_step_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
