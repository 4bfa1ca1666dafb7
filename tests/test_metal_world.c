// test_metal_world.c: what metal promises in the world, with the engine and the demo assets. With
// WROUGHT_SLOW set, what takes longer (make soak).
#include "check.h"
#include "folder.h"

#include "../bench/metal_world.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

// --- scenes -----------------------------------------------------------------------------------

static const char *scenes_folder(void)
{
    return getenv("WROUGHT_SCENES");
}

static show start_with(const char *assets, const char *text, const wr_tasks *tasks)
{
    show s = {0};
    wr_error error = {0};
    if (!scenes_folder()) {
        print_message("WROUGHT_SCENES is not set; no assets\n");
        skip();
    }
    if (!show_start(&s, in_folder("scene.json"), scenes_folder(), assets, text, tasks, &error)) {
        fail_msg("%s", error.message);
    }
    return s;
}

static show start(const char *text)
{
    return start_with(NULL, text, NULL);
}

static void step_frames(wr_world *world, int count)
{
    for (int i = 0; i < count; i++) {
        wr_world_step_frame(world);
    }
}

// Until nothing bends any more.
static void settle(wr_world *world)
{
    for (int i = 0, idle = 0; i < 1200 && !idle; i++) {
        wr_world_step_frame(world);
        idle = 1;
        for (int k = 0; k < metal_count(world); k++) {
            idle = idle && metal_at(world, k)->bending_count == 0;
        }
    }
}

static void check_sound(const wr_world *world)
{
    for (int i = 0; i < metal_count(world); i++) {
        const char *fault = find_fault(metal_at(world, i));
        if (fault) {
            fail_msg("body %d: %s", i, fault);
        }
    }
}

// --- at rest ----------------------------------------------------------------------------------

// Of tin, which the weight on the corners of the lowest would bend if it added up.
static void rest_in_a_stack(int frames)
{
    show s = start("'sleeping': false, 'bodies': [{'shape': 'plane'}, {'asset': 'crate', "
                   "'material': {'metal': 'tin'}, 'at': [0, 0.4, 0], 'copies': {'count': 10, "
                   "'step': [0, 0.8, 0]}}]");
    step_frames(s.world, frames);
    for (int i = 0; i < 10; i++) {
        assert_true(is_undented(metal_at(s.world, i)));
        wr_pose pose = wr_world_frame(s.world)->poses[i + 1];
        CHECK_NEAR(pose.position.x, 0.0, 0.01);
        CHECK_NEAR(pose.position.y, 0.4 + 0.8 * i, 0.01);
        CHECK_NEAR(pose.position.z, 0.0, 0.01);
    }
    show_end(&s);
}

static void a_stack_of_ten_rests_without_a_dent(void **state)
{
    (void)state;
    rest_in_a_stack(30);
}

static void a_stack_of_ten_rests_for_a_minute(void **state)
{
    (void)state;
    rest_in_a_stack(3600);
}

// --- direction ----------------------------------------------------------------------------------

// Barrels stand on rims that are not quite level: whether they come to rest depends on which points
// of a contact are kept from step to step. 3 km from the origin a float has 0.2 mm.
static void a_stack_sleeps_wherever_it_stands(void **state)
{
    (void)state;
    const double places[][2] = {{0, 0}, {3000, 900}, {-1234.5, 2890}};
    for (int k = 0; k < WRI_COUNT(places); k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "'bodies': [{'shape': 'plane'}, {'asset': 'barrel', 'material': 'metal', 'at': "
                 "[%g, 0.46, %g], 'copies': {'count': 3, 'step': [0.01, 0.92, -0.015]}}]",
                 places[k][0], places[k][1]);
        show s = start(text);
        int frames = 0;
        do {
            step_frames(s.world, 1);
            frames++;
        } while (wr_world_stats(s.world).awake > 0 && frames < 360);
        printf("    at (%g, %g) asleep after %.1f s\n", places[k][0], places[k][1], frames / 60.0);
        assert_true(frames < 360);
        assert_true(wr_rigid_center(s.world->rigid, metal_engine(s.world, 2)).y > 2.0f);
        show_end(&s);
    }
}

static void a_hit_along_the_example_that_leads_chooses_it(void **state)
{
    (void)state;
    static const char *const names[] = {"barrel", "crate"};
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char text[128];
        snprintf(text, sizeof text, "'bodies': [{'asset': '%s', 'material': 'metal'}]", names[i]);
        show s = start(text);
        directions d = find_directions(metal_at(s.world, 0), 25);
        CHECK_NEAR(d.chosen, d.tried, 1e-9);
        assert_true(d.clear >= 0.6 * d.area);
        show_end(&s);
    }
}

// --- one hit ------------------------------------------------------------------------------------

// In empty space a ball of the barrel's weight flies into its side, or a box.
#define SPACE "'gravity': [0, 0, 0], "
#define THROWN                                                                                     \
    "{'name': 'thrown', 'shape': {%s}, 'mass': 150, 'at': [0.6, 0.1, 0.03], 'velocity': [-%g, 0, " \
    "0], 'restitution': 0}"
#define BALL "'sphere': 0.15"
#define BOX "'box': [0.2, 0.12, 0.2]"
#define STRUCK                                                                                     \
    "{'name': 'barrel', 'asset': '%s', 'material': {'metal': 'default', 'bend': 0.6, 'reach': "    \
    "0.5, 'bounce': 0%s}}"

static show hit_asset(const char *assets, const char *asset, const char *more, const char *thrown,
                      int substeps, double speed)
{
    char text[2048];
    snprintf(text, sizeof text, SPACE "'substeps': %d, 'bodies': [" STRUCK ", " THROWN "]",
             substeps, asset, more, thrown, speed);
    show s = start_with(assets, text, NULL);
    step_frames(s.world, 20);
    settle(s.world);
    check_sound(s.world);
    return s;
}

static show hit(const char *more, int substeps, double speed)
{
    return hit_asset(NULL, "barrel", more, BALL, substeps, speed);
}

// The render mesh as the simulation mesh carries it; free it.
static wr_vec3 *ride(const wr_metal *body, int *count)
{
    const wr_skin *skin = wr_metal_asset_skin(body->asset);
    *count = wr_skin_describe(skin).ride_count;
    wr_vec3 *out = malloc((size_t)*count * sizeof *out);
    wr_skin_ride_positions(skin, body->E, body->x, NULL, 0, NULL, out);
    return out;
}

// The largest distance between the shapes two hits left, body sizes. Of the render mesh, so that
// assets with other simulation meshes can be compared.
static double gap(show *a, show *b)
{
    int counts[2];
    wr_vec3 *x = ride(metal_at(a->world, 0), &counts[0]);
    wr_vec3 *y = ride(metal_at(b->world, 0), &counts[1]);
    float most = 0.0f;
    assert_int_equal(counts[0], counts[1]);
    for (int i = 0; i < counts[0]; i++) {
        most = fmaxf(most, wr_distance(x[i], y[i]));
    }
    free(x);
    free(y);
    return (double)(most / metal_info(a->world, 0).size);
}

static void report(const char *what, show *a, show *b, double limit)
{
    double d = gap(a, b), depth = (double)deepest_dent(metal_at(a->world, 0));
    printf("    %s: %.2f %% of body size, of a dent of %.1f %%\n", what, 100.0 * d, 100.0 * depth);
    assert_true(depth > 0.05);
    assert_true(d < limit && d < 0.25 * depth);
}

static void the_fade_does_not_change_the_weights_of_a_hit(void **state)
{
    (void)state;
    static const char *const fades[] = {"", ", 'fade': 0", ", 'fade': 1.5"};
    const double speed = 12.0;
    show shows[3];
    for (int k = 0; k < 3; k++) {
        shows[k] = hit(fades[k], 4, speed);
    }
    const wr_metal *first = metal_at(shows[0].world, 0);
    int E = first->asset->E;
    float most = 0.0f, rest = 1.0f;
    for (int i = 0; i < first->asset->N * E; i++) {
        for (int k = 1; k < 3; k++) {
            most = fmaxf(most, fabsf(first->E[i] - metal_at(shows[k].world, 0)->E[i]));
        }
        rest = i % E ? rest : fminf(rest, first->E[i]);
    }
    printf("    at %g m/s weights differ by %.4f; the least rest weight is %.2f\n", speed,
           (double)most, (double)rest);
    assert_true(rest > 0.02f && rest < 0.8f); // inside the simplex, and a dent
    assert_true(most < 0.02f);
    for (int k = 0; k < 3; k++) {
        show_end(&shows[k]);
    }
}

static void half_the_step_gives_the_same_dent(void **state)
{
    (void)state;
    show a = hit("", 4, 10.0), b = hit("", 8, 10.0);
    report("half the step", &a, &b, 0.03);
    show_end(&a);
    show_end(&b);
}

// A box touches the side along a line, and so several pieces at once.
static void twice_the_pieces_give_the_same_dent(void **state)
{
    (void)state;
    show a = hit_asset(NULL, "barrel", "", BOX, 4, 9.0),
         b = hit_asset(NULL, "barrel", ", 'pieces': 24", BOX, 4, 9.0);
    int pieces[2] = {metal_info(a.world, 0).piece_count, metal_info(b.world, 0).piece_count};
    printf("    %d and %d pieces\n", pieces[0], pieces[1]);
    assert_true(pieces[1] >= 1.8 * pieces[0]);
    report("twice the pieces", &a, &b, 0.10);
    show_end(&a);
    show_end(&b);
}

// A recipe like the demo's with twice the vertices.
static void twice_the_vertices_give_the_same_dent(void **state)
{
    (void)state;
    char path[600];
    size_t size;
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/barrel.recipe.json", scenes_folder());
    char *text = wri_file_read(path, 1 << 20, NULL, &size, &error);
    assert_non_null(text);
    char *model = strstr(text, "models/"), *count = strstr(text, "1790");
    assert_true(model && count && model < count);
    wri_arena arena = wri_arena_create(NULL);
    char *fine = wri_arena_printf(&arena, "%.*s%s/%.*s3580%s", (int)(model - text), text,
                                  scenes_folder(), (int)(count - model), model, count + 4);
    assert_true(wri_file_write(in_folder("fine.recipe.json"), fine, strlen(fine), &error));
    show a = hit("", 4, 12.0),
         b = hit_asset("'fine': 'fine.recipe.json'", "fine", "", BALL, 4, 12.0);
    int coarse_count = metal_info(a.world, 0).vertex_count;
    assert_true(metal_info(b.world, 0).vertex_count > 1.8 * coarse_count);
    report("twice the vertices", &a, &b, 0.05);
    show_end(&a);
    show_end(&b);
    wri_arena_destroy(&arena);
    wri_free(NULL, text, size + 1, 1);
}

// --- momentum and energy ------------------------------------------------------------------------

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double distance3(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return length3(d);
}

// Struck off centre, with a dent that takes its time. Everything flies along at `drift` m/s.
static show strike_in_flight(double drift)
{
    char text[2048];
    snprintf(text, sizeof text,
             SPACE "'bodies': [{'name': 'barrel', 'asset': 'barrel', 'spin': [40, 300, -200], "
                   "'angular_damping': 0, 'velocity': [0, 0, %g], 'material': {'metal': 'default', "
                   "'fade': 1}}, {'shape': {'sphere': 0.15}, 'mass': 150, 'at': [0.6, 0.25, 0.03], "
                   "'velocity': [-12, 0, %g], 'angular_damping': 0}]",
             drift, drift);
    return start(text);
}

static void momentum_is_kept_while_a_body_bends_in_flight(void **state)
{
    (void)state;
    show s = strike_in_flight(0.0);
    motion before = {0};
    int flight = 0;
    float dent = 0.0f;
    double worst[2] = {0};
    for (int i = 0; i < 90; i++) {
        step_frames(s.world, 1);
        motion m = metal_motion(s.world, 0);
        bool free = wr_world_frame(s.world)->contact_count == 0 && i > 0;
        if (free && metal_at(s.world, 0)->statistics.hits_total > 0) {
            before = flight == 0 ? m : before;
            dent = flight == 0 ? deepest_dent(metal_at(s.world, 0)) : dent;
            flight++;
            worst[0] = fmax(worst[0], distance3(m.linear, before.linear) / length3(before.linear));
            worst[1] =
                fmax(worst[1], distance3(m.spinning, before.spinning) / length3(before.spinning));
        }
    }
    float more = deepest_dent(metal_at(s.world, 0)) - dent;
    double gain = wr_world_stats(s.world).material_gain;
    printf("    %d frames of flight, bent by %.1f %% of body size more: momentum kept to %.1e, "
           "angular momentum to %.1e; %.3f J gained of %.0f J\n",
           flight, 100.0 * (double)more, worst[0], worst[1], gain, before.energy);
    assert_true(flight > 60 && more > 0.03f);
    assert_true(worst[0] < 1e-4 && worst[1] < 1e-4);
    assert_true(gain != 0.0 && fabs(gain) < 0.1 * before.energy);
    show_end(&s);
}

// Of all metal bodies together: mass times place of the centre, and both momenta.
static void sum_motions(const wr_world *world, double center[3], double linear[3],
                        double angular[3])
{
    double mass = 0.0;
    for (int k = 0; k < 3; k++) {
        center[k] = linear[k] = angular[k] = 0.0;
    }
    for (int i = 0; i < world->material_count; i++) {
        motion m = metal_motion(world, i);
        wr_vec3 at = wr_rigid_center(world->rigid, metal_engine(world, i));
        const double place[3] = {(double)at.x, (double)at.y, (double)at.z};
        mass += metal_at(world, i)->mass;
        for (int k = 0; k < 3; k++) {
            center[k] += metal_at(world, i)->mass * place[k];
            linear[k] += m.linear[k];
            angular[k] += m.angular[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        center[k] /= mass;
    }
}

// Two different bodies, spinning, meet off centre; their dents take their time.
static void a_dent_moves_no_common_centre(void **state)
{
    (void)state;
    show s = start(
        SPACE "'bodies': [{'asset': 'barrel', 'spin': [40, 300, -200], 'angular_damping': 0, "
              "'velocity': [1, 0.5, -2], 'material': {'metal': 'default', 'fade': 1}}, {'asset': "
              "'crate', 'at': [1.5, 0.35, 0.2], 'turn': {'axis': [1, 2, 3], 'by': 50}, 'velocity': "
              "[-13, 0.5, -2], 'spin': [100, -80, 60], 'angular_damping': 0, 'material': {'metal': "
              "'default', 'fade': 0.5}}]");
    double center[3], linear[3], angular[3], c[3], l[3], a[3], worst[3] = {0};
    sum_motions(s.world, center, linear, angular);
    double mass = metal_at(s.world, 0)->mass + metal_at(s.world, 1)->mass;
    double first = total_energy(s.world), dented = 0.0, last = 0.0;
    for (int i = 1; i <= 90; i++) {
        step_frames(s.world, 1);
        sum_motions(s.world, c, l, a);
        for (int k = 0; k < 3; k++) {
            c[k] -= linear[k] / mass * i / 60.0;
        }
        worst[0] = fmax(worst[0], distance3(c, center));
        worst[1] = fmax(worst[1], distance3(l, linear) / length3(linear));
        worst[2] = fmax(worst[2], distance3(a, angular) / length3(angular));
        dented = i == 12 ? total_energy(s.world) : dented;
        last = total_energy(s.world);
    }
    printf("    common centre within %.1e m, momentum to %.1e, angular momentum to %.1e; of %.0f J "
           "%.1f were left after the hit and %.1f in the end\n",
           worst[0], worst[1], worst[2], first, dented, last);
    assert_true(deepest_dent(metal_at(s.world, 0)) > 0.02f);
    assert_true(deepest_dent(metal_at(s.world, 1)) > 0.02f);
    assert_true(worst[0] < 1e-5 && worst[1] < 1e-5 && worst[2] < 1e-5);
    show_end(&s);
}

static void a_dent_does_not_depend_on_who_flies_along(void **state)
{
    (void)state;
    show a = strike_in_flight(0.0), b = strike_in_flight(32.0);
    step_frames(a.world, 60);
    step_frames(b.world, 60);
    motion m = metal_motion(a.world, 0), n = metal_motion(b.world, 0);
    assert_true(deepest_dent(metal_at(a.world, 0)) > 0.05f);
    CHECK_NEAR(distance3(m.spinning, n.spinning) / length3(m.spinning), 0.0, 1e-4);
    CHECK_NEAR(gap(&a, &b), 0.0, 1e-3);
    show_end(&a);
    show_end(&b);
}

// Barrels in a closed box of steel, without gravity, all over the place.
static void a_closed_scene_gains_no_energy(void **state)
{
    (void)state;
    show s =
        start(SPACE "'sleeping': false, 'bodies': ["
                    "{'name': 'wall', 'shape': {'box': [5, 0.4, 5]}, 'at': [0, -1.7, 0], 'motion': "
                    "'static', 'restitution': 0.8, 'copies': {'count': 2, 'step': [0, 3.4, 0]}},"
                    "{'name': 'side', 'shape': {'box': [0.4, 3, 5]}, 'at': [-1.7, 0, 0], 'motion': "
                    "'static', 'restitution': 0.8, 'copies': {'count': 2, 'step': [3.4, 0, 0]}},"
                    "{'name': 'end', 'shape': {'box': [3, 3, 0.4]}, 'at': [0, 0, -1.7], 'motion': "
                    "'static', 'restitution': 0.8, 'copies': {'count': 2, 'step': [0, 0, 3.4]}},"
                    "{'asset': 'barrel', 'at': [-0.7, 0, -0.7], 'velocity': [8, 3, 5], 'spin': "
                    "[200, 900, 100], 'angular_damping': 0, 'material': {'metal': 'default', "
                    "'bounce': 0.6}, 'copies': [{'count': 2, 'step': [1.4, 0, 0]}, {'count': 2, "
                    "'step': [0, 0, 1.4], 'turn': {'axis': [1, 0, 0], 'by': 70}}]}]");
    double first = total_energy(s.world), last = first, rises = 0.0;
    int64_t hits = 0;
    for (int i = 0; i < 600; i++) {
        step_frames(s.world, 1);
        double now = total_energy(s.world);
        assert_true(isfinite(now));
        rises += fmax(now - last, 0.0);
        last = now;
    }
    check_sound(s.world);
    for (int k = 0; k < metal_count(s.world); k++) {
        hits += metal_at(s.world, k)->statistics.hits_total;
    }
    printf("    %lld hits; energy %.0f J, after 10 s %.0f J, all rises together %.2f J, %.2f J by "
           "changes of shape\n",
           (long long)hits, first, last, rises, wr_world_stats(s.world).material_gain);
    assert_true(hits > 20);
    assert_true(rises < 0.01 * first && last < first);
    show_end(&s);
}

// --- bounce -------------------------------------------------------------------------------------

// How high a barrel that falls by 1.5 m onto a hard floor comes up again the first time, and how
// deep it was bent; metres, body sizes.
static double first_bounce(double absorb, double yield, float *dent)
{
    char text[1024];
    snprintf(text, sizeof text,
             "'bodies': [{'shape': 'plane', 'restitution': 0}, {'asset': 'barrel', 'at': [0, 1.8, "
             "0], 'turn': {'axis': [0, 0, 1], 'by': 90}, 'material': {'metal': 'default', "
             "'bounce': 0.7, 'absorb': %g, 'yield': %g, "
             "'fade': 0}}]",
             absorb, yield);
    show s = start(text);
    double low = 2.0, top = 0.0;
    for (int i = 0; i < 90; i++) {
        step_frames(s.world, 1);
        motion m = metal_motion(s.world, 0);
        low = fmin(low, m.height);
        top = fmax(top, m.height - low);
        if (top > 0.0 && m.linear[1] < 0.0) {
            break; // down again
        }
    }
    *dent = deepest_dent(metal_at(s.world, 0));
    show_end(&s);
    return top;
}

// Equation 15 is about collisions that bend a body: the one that does counts, too.
static void a_hit_that_bends_bounces_less_itself(void **state)
{
    (void)state;
    float dents[3];
    double whole = first_bounce(0.0, 0.1, &dents[0]), some = first_bounce(3.0, 0.1, &dents[1]),
           none = first_bounce(1000.0, 0.1, &dents[2]);
    float untouched;
    double rigid = first_bounce(1000.0, 1e6, &untouched);
    printf("    up again by %.2f m, absorb 3: %.2f m, absorb 1000: %.3f m; unbent %.2f m\n", whole,
           some, none, rigid);
    assert_true(dents[0] > 0.03f && dents[1] > 0.03f && dents[2] > 0.03f && untouched == 0.0f);
    CHECK_NEAR(rigid, 0.49 * 1.5, 0.08);
    assert_true(whole > 0.5 * rigid && some < 0.7 * whole && none < 0.02);
}

// A ball that flies into a barrel, off its middle; nothing else is there, and the dent takes its
// time: it will move the centre of mass.
static void momentum_is_kept_when_a_bounce_is_eaten(void **state)
{
    (void)state;
    double parting[2];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            SPACE
            "'bodies': [{'asset': 'barrel', 'angular_damping': 0, 'material': {'metal': "
            "'default', 'bounce': 0.8, 'fade': 100, 'absorb': %d}}, {'shape': {'sphere': 0.15}, "
            "'mass': 150, 'at': [0.6, 0.2, 0.05], 'velocity': [-12, 0, 0], "
            "'restitution': 0, 'angular_damping': 0}]",
            k ? 1000 : 0);
        show s = start(text);
        const wr_mass_properties *ball = &s.scene->bodies[1].rigid.mass;
        int engine = s.world->engine_of_body[1];
        motion before = find_motion(s.world->rigid, engine, ball);
        step_frames(s.world, 4);
        motion a = metal_motion(s.world, 0), b = find_motion(s.world->rigid, engine, ball);
        assert_true(metal_at(s.world, 0)->statistics.to_come > 0.01);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(a.linear[i] + b.linear[i], before.linear[i], 1e-6 * length3(before.linear));
            CHECK_NEAR(a.angular[i] + b.angular[i], before.angular[i],
                       1e-5 * length3(before.angular));
        }
        parting[k] = b.linear[0] / ball->mass - a.linear[0] / metal_at(s.world, 0)->mass;
        assert_true(a.energy + b.energy < before.energy);
        show_end(&s);
    }
    printf("    the centres part with %.2f m/s, with bounce eaten %.2f m/s\n", parting[0],
           parting[1]);
    assert_true(parting[0] > 2.0 && parting[1] < 0.5 * parting[0]);
}

// --- size -----------------------------------------------------------------------------------

// Lengths times s; speeds and times are those of falls in the same gravity: times sqrt(s).
static show drop_scaled(double s, int frames)
{
    char text[2048];
    snprintf(text, sizeof text,
             "'frames': %d, 'bodies': [{'shape': 'plane'}, {'name': 'post', 'shape': {'box': [%g, "
             "%g, %g]}, 'motion': 'static', 'at': [0, %g, 0]}, {'asset': 'barrel', 'scale': %g, "
             "'at': [%g, %g, 0], 'turn': {'axis': [0, 0, 1], 'by': 80}, 'velocity': [0, %g, 0], "
             "'material': {'metal': 'default'}}]",
             frames, 0.2 * s, 0.4 * s, 2.0 * s, 0.2 * s, s, 0.05 * s, 1.2 * s, -6.0 * sqrt(s));
    show w = start(text);
    step_frames(w.world, 30);
    return w;
}

static void any_size_dents_alike(void **state)
{
    (void)state;
    static const double scales[] = {1.0, 0.01, 100.0};
    static const int rates[] = {60, 600, 6};
    show shows[3];
    for (int k = 0; k < 3; k++) {
        shows[k] = drop_scaled(scales[k], rates[k]);
    }
    const wr_metal *first = metal_at(shows[0].world, 0);
    for (int k = 1; k < 3; k++) {
        const wr_metal *other = metal_at(shows[k].world, 0);
        float most = 0.0f;
        for (int i = 0; i < first->asset->N; i++) {
            wr_vec3 x = wr_scale((float)(1.0 / scales[k]), other->x[i]);
            most = fmaxf(most, wr_distance(x, first->x[i]) / first->asset->L);
        }
        printf("    scale %g: %.3f %% of body size, of a dent of %.1f %%\n", scales[k],
               100.0 * (double)most, 100.0 * (double)deepest_dent(first));
        assert_true(most < 0.01f);
    }
    assert_true(deepest_dent(first) > 0.05f);
    for (int k = 0; k < 3; k++) {
        show_end(&shows[k]);
    }
}

// --- threads, snapshots, trouble
// ------------------------------------------------------------------

#define HEAP                                                                                       \
    "'bodies': [{'shape': 'plane'}, {'asset': 'barrel', 'at': [0, 0.6, 0], 'turn': {'axis': [1, "  \
    "0, 1], 'by': 60}, 'velocity': [0, -9, 0], 'material': {'metal': 'tin'}, 'copies': [{'count':" \
    " 2, 'step': [0.7, 0.3, 0]}, {'count': 2, 'step': [0.1, 1, 0.1]}]}]"

static void resumed_worlds_of_metal_are_bit_identical_on_any_threads(void **state)
{
    (void)state;
    const wr_tasks tasks = wr_tasks_openmp(2);
    show a = start(HEAP), b = start_with(NULL, HEAP, &tasks), c = start_with(NULL, HEAP, &tasks);
    wr_error error = {0};
    for (int i = 1; i <= 60; i++) {
        b.world->phase_seconds[0] = b.world->phase_seconds[1] = b.world->phase_seconds[2] = 1.0;
        step_frames(a.world, 1);
        step_frames(b.world, 1);
        assert_true(wr_world_frame(a.world)->hash == wr_world_frame(b.world)->hash);
    }
    int64_t hits = metal_at(a.world, 0)->statistics.hits_total;
    assert_true(hits > 0 && wr_world_forgets(a.world));
    size_t size;
    const void *bytes = wr_world_save(a.world, &size, &error);
    assert_non_null(bytes);
    if (!wr_world_restore(c.world, bytes, size, &error)) {
        fail_msg("%s", error.message);
    }
    assert_true(wr_world_frame(a.world)->hash == wr_world_frame(c.world)->hash);
    for (int i = 1; i <= 60; i++) {
        step_frames(a.world, 1);
        step_frames(b.world, 1);
        step_frames(c.world, 1);
        assert_true(wr_world_frame(a.world)->hash == wr_world_frame(b.world)->hash);
        assert_true(wr_world_frame(a.world)->hash == wr_world_frame(c.world)->hash);
    }
    for (int k = 0; k < metal_count(a.world); k++) {
        size_t vertices = (size_t)metal_at(a.world, k)->asset->N;
        assert_memory_equal(metal_at(a.world, k)->x, metal_at(c.world, k)->x,
                            vertices * sizeof(wr_vec3));
    }
    size_t size_c; // what they save next is the same, too, so that recordings are
    const void *bytes_c = wr_world_save(c.world, &size_c, &error);
    bytes = wr_world_save(a.world, &size, &error);
    assert_int_equal(size, size_c);
    assert_memory_equal(bytes, bytes_c, size);
    show_end(&a);
    show_end(&b);
    show_end(&c);
}

// The hash of the last frame as `wrought sim` tells it, or "" when the program was killed after so
// many bytes of recording.
static void run_program(const char *out, const char *threads, int64_t kill_at, char hash[32])
{
    char recording[700], statistics[700];
    snprintf(recording, sizeof recording, "%s/%s/recording.wrought", folder.path, out);
    snprintf(statistics, sizeof statistics, "%s/%s/statistics.json", folder.path, out);
    pid_t child = fork();
    if (child == 0) {
        const char *program = getenv("WROUGHT_PROGRAM");
        if (freopen("said", "w", stderr) && freopen("/dev/null", "w", stdout)) {
            execl(program, program, "sim", "scene.json", "-o", out, "--threads", threads,
                  (char *)NULL);
        }
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (kill_at > 0 && wri_file_size(recording) > kill_at) {
            kill(child, SIGKILL);
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    hash[0] = 0;
    if (WIFEXITED(status)) {
        size_t size;
        assert_int_equal(WEXITSTATUS(status), 0);
        char *text = wri_file_read(statistics, 1 << 20, NULL, &size, NULL);
        char *found = text ? strstr(text, "\"hash\"") : NULL;
        assert_true(found && sscanf(found, "\"hash\": \"%16[0-9a-f]", hash) == 1);
        wri_free(NULL, text, size + 1, 1);
    }
}

// By the state's hash: at the end all dents are done, and what went wrong on the way may not show.
static void assert_same_frames(const char *a, const char *b)
{
    wr_error error = {0};
    wr_record_reader *readers[2] = {wr_record_open(a, &error), wr_record_open(b, &error)};
    assert_true(readers[0] && readers[1]);
    int count = wr_record_frame_count(readers[0]);
    assert_int_equal(wr_record_frame_count(readers[1]), count);
    for (int i = 0; i < count; i++) {
        const wr_frame *frames[2] = {wr_record_read_frame(readers[0], i, &error),
                                     wr_record_read_frame(readers[1], i, &error)};
        assert_true(frames[0] && frames[1] && frames[0]->hash == frames[1]->hash);
    }
    wr_record_close(readers[0]);
    wr_record_close(readers[1]);
}

static void a_killed_run_of_metal_resumes_to_the_same_bits(void **state)
{
    (void)state;
    if (!getenv("WROUGHT_PROGRAM")) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    show s = start("'length': 2.5, " HEAP); // leaves scene.json
    show_end(&s);
    assert_int_equal(chdir(folder.path), 0);
    char whole[32], pieces[32], killed[32];
    run_program("whole", "1", 0, whole);
    char recording[700];
    snprintf(recording, sizeof recording, "%s/whole/recording.wrought", folder.path);
    int64_t size = wri_file_size(recording);
    run_program("pieces", "2", size * 9 / 10, killed);
    assert_string_equal(killed, "");
    run_program("pieces", "2", 0, pieces);
    assert_string_equal(pieces, whole);
    assert_same_frames("whole/recording.wrought", "pieces/recording.wrought");
    size_t length;
    char *said = wri_file_read("said", 1 << 20, NULL, &length, NULL), *at;
    int frame = 0;
    assert_true(said && (at = strstr(said, " at frame ")) && sscanf(at, " at frame %d", &frame));
    printf("    resumed at frame %d\n", frame);
    assert_true(frame > 0); // not from the beginning
    wri_free(NULL, said, length + 1, 1);
}

static const wr_record_weights *weights_of(const wr_world *world, int body)
{
    const wr_frame *frame = wr_world_frame(world);
    for (int i = 0; i < frame->weights_count; i++) {
        if (frame->weights[i].body == body) {
            return &frame->weights[i];
        }
    }
    fail_msg("body %d has no weights", body);
    return NULL;
}

// A frozen body is shown with the dents and in the place it was seen with last, also in a world
// that was restored.
static void check_restored_frozen(show *s, int body)
{
    wr_error error = {0};
    size_t size;
    const void *bytes = wr_world_save(s->world, &size, &error);
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = s->scene;
    wr_world *fresh = wr_world_create(&desc, &error);
    if (!bytes || !fresh || !wr_world_restore(fresh, bytes, size, &error)) {
        fail_msg("%s", error.message);
    }
    for (int i = 0; i < 2; i++) {
        const wr_record_weights *a = weights_of(s->world, body), *b = weights_of(fresh, body);
        size_t n = (size_t)a->entry_count;
        assert_true(n > 10 && b->entry_count == a->entry_count);
        assert_memory_equal(a->vertices, b->vertices, n * sizeof *a->vertices);
        assert_memory_equal(a->examples, b->examples, n * sizeof *a->examples);
        assert_memory_equal(a->weights, b->weights, n * sizeof *a->weights);
        assert_memory_equal(wr_world_frame(s->world)->poses, wr_world_frame(fresh)->poses,
                            (size_t)wr_world_frame(fresh)->body_count * sizeof(wr_pose));
        step_frames(s->world, 1);
        step_frames(fresh, 1);
    }
    wr_world_destroy(fresh);
}

static void a_body_that_is_not_finite_is_frozen_and_the_rest_goes_on(void **state)
{
    (void)state;
    show s = start(HEAP);
    step_frames(s.world, 20);
    wr_metal *bad = metal_at(s.world, 1);
    for (int i = 0; i < bad->asset->N; i++) { // as if memory had been hit
        bad->E[(size_t)i * (size_t)bad->asset->E + 1] = NAN;
    }
    int frozen = 0;
    wr_vec3 last = wr_world_frame(s.world)->poses[1].position;
    for (int i = 0; i < 60; i++) {
        step_frames(s.world, 1);
        const wr_frame *frame = wr_world_frame(s.world);
        for (int k = 0; k < frame->event_count; k++) {
            frozen += frame->events[k].kind == WR_EVENT_FROZEN && frame->events[k].subject == 2;
        }
        for (int k = 0; k < frame->body_count; k++) {
            assert_true(wr_pose_is_finite(frame->poses[k]));
        }
        for (int k = 0; k < frame->points_count; k++) {
            for (int v = 0; v < frame->points[k].count; v++) {
                assert_true(wr_is_finite3(frame->points[k].positions[v]));
            }
        }
    }
    assert_int_equal(frozen, 1);
    assert_int_equal(wr_world_stats(s.world).frozen, 1);
    assert_true(wr_rigid_is_frozen(s.world->rigid, metal_engine(s.world, 1)));
    assert_true(wr_distance(last, wr_world_frame(s.world)->poses[1].position) > 0.0f);
    check_restored_frozen(&s, 2);
    // The engine's numbers, too.
    wr_rigid_set_velocity(s.world->rigid, metal_engine(s.world, 2), wr_v3(NAN, 0, 0),
                          wr_v3(0, 0, 0));
    step_frames(s.world, 2);
    assert_int_equal(wr_world_stats(s.world).frozen, 2);
    show_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_of_ten_rests_without_a_dent),
        cmocka_unit_test(a_stack_sleeps_wherever_it_stands),
        cmocka_unit_test(a_hit_along_the_example_that_leads_chooses_it),
        cmocka_unit_test(the_fade_does_not_change_the_weights_of_a_hit),
        cmocka_unit_test(half_the_step_gives_the_same_dent),
        cmocka_unit_test(twice_the_pieces_give_the_same_dent),
        cmocka_unit_test(momentum_is_kept_while_a_body_bends_in_flight),
        cmocka_unit_test(a_dent_moves_no_common_centre),
        cmocka_unit_test(a_dent_does_not_depend_on_who_flies_along),
        cmocka_unit_test(a_closed_scene_gains_no_energy),
        cmocka_unit_test(a_hit_that_bends_bounces_less_itself),
        cmocka_unit_test(momentum_is_kept_when_a_bounce_is_eaten),
        cmocka_unit_test(any_size_dents_alike),
        cmocka_unit_test(resumed_worlds_of_metal_are_bit_identical_on_any_threads),
        cmocka_unit_test(a_body_that_is_not_finite_is_frozen_and_the_rest_goes_on),
    };
    const struct CMUnitTest slow[] = {
        cmocka_unit_test(a_stack_of_ten_rests_for_a_minute),
        cmocka_unit_test(twice_the_vertices_give_the_same_dent),
        cmocka_unit_test(a_killed_run_of_metal_resumes_to_the_same_bits),
    };
    return getenv("WROUGHT_SLOW") ? cmocka_run_group_tests(slow, set_up_with_cache, tear_down)
                                  : cmocka_run_group_tests(tests, set_up_with_cache, tear_down);
}
