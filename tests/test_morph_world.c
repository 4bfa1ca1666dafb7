// test_morph_world.c: what morph promises in the world: shapes that follow poses, scalars and
// forces of scenes, contact both ways, sizes and densities, and the same bits again.
#include "check.h"

#include "../src/world/morph_body.h"
#include "morph_world.h"

#include "wrought/file.h"

#define AIRLESS "'gravity': [0, 0, 0], "

// --- shapes -----------------------------------------------------------------------------------

// The model as any program would show it: a morph target, and then the skin of a clip.
static wr_vec3 *find_sculpted(const char *file, const char *target, const char *clip, double time)
{
    char path[4096];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/models/%s", getenv("WROUGHT_SCENES"), file);
    wr_model *m = wr_model_read(path, NULL, &error);
    if (!m) {
        fail_msg("%s", error.message);
    }
    const wr_mesh *mesh = m->meshes;
    const wr_clip *played = NULL;
    wr_mat34 *world = calloc((size_t)m->node_count, sizeof *world);
    wr_mat34 *joints = calloc((size_t)m->skins[0].joint_count, sizeof *joints);
    float *weights = calloc((size_t)mesh->morph_count, sizeof *weights);
    wr_vec3 *places = calloc((size_t)mesh->vertex_count, sizeof *places);
    for (int i = 0; i < m->clip_count; i++) {
        played = strcmp(m->clips[i].name, clip) == 0 ? &m->clips[i] : played;
    }
    for (int i = 0; i < mesh->morph_count; i++) {
        weights[i] = strcmp(mesh->morphs[i].name, target) == 0 ? 1.0f : 0.0f;
    }
    assert_non_null(played);
    wr_model_pose(m, played, time, world, NULL);
    wr_model_skin_matrices(m->skins, world, joints);
    wr_mesh_deform(mesh, weights, NULL, joints, places, NULL);
    free(world);
    free(joints);
    free(weights);
    wr_model_destroy(m);
    return places;
}

// Both kinds of freedom, at every pose that has a target: 1e-4 of the arm's length.
static void at_the_pose_of_a_target_skin_is_what_was_sculpted(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        double time;
    } poses[] = {{"rest", 0.0}, {"bent by 40", 0.5}, {"bent by 80", 1.0}, {"bent by 120", 1.5}};
    for (int k = 0; k < 2 * WRI_COUNT(poses); k++) {
        char text[600];
        const char *freedom = k % 2 ? "full" : "reduced";
        double time = poses[k / 2].time, most = 0.0;
        snprintf(text, sizeof text,
                 AIRLESS "'bodies': [{'asset': 'elbow', 'pose': {'clip': 'bend', 'start': %g, "
                         "'speed': 0, 'loop': false}, 'material': {'morph': 'muscle', 'freedom': "
                         "'%s'}}]",
                 time, freedom);
        show s = start_morph(text);
        step_frames(s.world, 2);
        morph_at m = find_morph(s.world, 0);
        wr_vec3 *places = morph_places(&m);
        wr_vec3 *sculpted = find_sculpted("elbow.glb", poses[k / 2].target, "bend", time);
        for (int i = 0; i < m.count; i++) {
            most = fmax(most, (double)wr_distance(places[i], sculpted[i]));
        }
        printf("    %-12s %-8s within %.1e m\n", poses[k / 2].target, freedom, most);
        assert_true(most < 1e-4 * 0.76);
        free(places);
        free(sculpted);
        show_end(&s);
    }
}

static void without_targets_it_is_the_model_in_every_pose(void **state)
{
    (void)state;
    show s = start_morph(
        AIRLESS "'bodies': [{'asset': 'elbow', 'pose': {'clip': 'bend', 'start': "
                "1.5, 'speed': 0, 'loop': false}, 'material': {'morph': 'muscle', 'targets': "
                "'none'}}]");
    step_frames(s.world, 1);
    morph_at m = find_morph(s.world, 0);
    wr_vec3 *moved = morph_moved(&m);
    for (int i = 0; i < m.count; i++) {
        assert_true(wr_length(moved[i]) < 1e-5f);
    }
    free(moved);
    show_end(&s);
}

// A body that is turned and moved by a path has the same shape, there.
static void a_path_carries_it_along(void **state)
{
    (void)state;
    show s = start_morph(
        AIRLESS "'bodies': [{'asset': 'elbow', 'pose': {'clip': 'bend', 'start': 0.7, 'speed': 0}, "
                "'path': [{'time': 0, 'at': [1, 2, 3], 'turn': {'axis': [1, 2, 3], 'by': 50}}], "
                "'material': 'morph'}, {'asset': 'elbow', 'pose': {'clip': 'bend', 'start': 0.7, "
                "'speed': 0}, 'material': 'morph'}]");
    step_frames(s.world, 1);
    morph_at a = find_morph(s.world, 0), b = find_morph(s.world, 1);
    wr_vec3 *here = morph_places(&b), *there = morph_places(&a);
    wr_quat q = wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 2, 3)), 50.0f * WR_PI / 180.0f);
    for (int i = 0; i < a.count; i++) {
        wr_vec3 p = wr_add(wr_v3(1, 2, 3), wr_rotate(q, here[i]));
        assert_true(wr_distance(p, there[i]) < 2e-6f);
    }
    free(here);
    free(there);
    show_end(&s);
}

// --- scalars and forces -----------------------------------------------------------------------

static double size_of_moved(const show *s)
{
    morph_at m = find_morph(s->world, 0);
    wr_vec3 *moved = morph_moved(&m);
    double sum = 0.0;
    for (int i = 0; i < m.count; i++) {
        sum += (double)wr_length(moved[i]);
    }
    free(moved);
    return sum / m.count;
}

#define ANGRY(value)                                                                               \
    AIRLESS "'bodies': [{'asset': 'jelly', 'material': 'morph', 'scalars': {'angry': " value "}}]"

static void a_slider_swells_it_up_over_time(void **state)
{
    (void)state;
    show calm = start_morph(ANGRY("0")), angry = start_morph(ANGRY("1"));
    show keyed = start_morph(ANGRY("[{'time': 0.5, 'value': 0}, {'time': 1, 'value': 1}]"));
    step_frames(calm.world, 1);
    step_frames(angry.world, 1);
    double whole = size_of_moved(&angry);
    assert_true(size_of_moved(&calm) < 1e-5 && whole > 1e-3);
    step_frames(keyed.world, 30);
    assert_true(size_of_moved(&keyed) < 0.05 * whole);
    step_frames(keyed.world, 15);
    double half = size_of_moved(&keyed);
    step_frames(keyed.world, 45);
    printf("    half way %.3f, in the end %.3f of the whole\n", half / whole,
           size_of_moved(&keyed) / whole);
    assert_true(half > 0.3 * whole && half < 0.7 * whole);
    CHECK_NEAR(size_of_moved(&keyed), whole, 0.02 * whole);
    show_end(&calm);
    show_end(&angry);
    show_end(&keyed);
}

// The turn of a joint, and how fast it moves, as numbers of the pose.
static void joints_speak_through_scalars(void **state)
{
    (void)state;
    show turned = start_morph(
        AIRLESS "'bodies': [{'asset': 'jelly', 'pose': {'clip': 'nod', 'start': 0.45, 'speed': 0}, "
                "'material': 'morph', 'scalars': {'angry': {'turn': 'head'}}}]");
    show fast = start_morph(
        AIRLESS "'bodies': [{'asset': 'jelly', 'path': [{'time': 0, 'at': [0, 0, 0]}, {'time': 1, "
                "'at': [2, 0, 0]}], 'material': 'morph', 'scalars': {'angry': {'speed': "
                "'foot'}}}]");
    step_frames(turned.world, 1);
    step_frames(fast.world, 30);
    morph_at a = find_morph(turned.world, 0), b = find_morph(fast.world, 0);
    double shares[8] = {0};
    wr_morph_shares(a.world, a.body, shares);
    assert_true(shares[2] > 0.5); // 30 degrees are much angrier than 1
    wr_morph_shares(b.world, b.body, shares);
    assert_true(shares[2] > 0.5); // 2 m/s
    step_frames(fast.world, 60);
    wr_morph_shares(b.world, b.body, shares);
    assert_true(shares[2] < 1e-3 && shares[0] > 0.99);
    show_end(&turned);
    show_end(&fast);
}

static void what_touches_it_makes_it_angry_for_a_while(void **state)
{
    (void)state;
    show s = start_morph("'bodies': [{'asset': 'jelly', 'material': 'morph', 'scalars': {'angry': "
                         "{'touched': 0.5}}}, {'shape': {'sphere': 0.1}, 'at': [0, 0.75, 0.5], "
                         "'velocity': [0, 0, -2], 'density': 200}]");
    morph_at m = find_morph(s.world, 0);
    double shares[8], most = 0.0;
    wr_morph_shares(m.world, m.body, shares);
    assert_true(shares[2] < 1e-3);
    for (int i = 0; i < 60; i++) {
        step_frames(s.world, 1);
        wr_morph_shares(m.world, m.body, shares);
        most = fmax(most, shares[2]);
    }
    assert_true(most > 0.9);
    step_frames(s.world, 90); // the ball is far below
    wr_morph_shares(m.world, m.body, shares);
    assert_true(shares[2] < 1e-3);
    show_end(&s);
}

// The same force on the bent arm: eight times stiffer, eight times less.
static void a_force_moves_stiff_skin_less(void **state)
{
    (void)state;
    float moved[2];
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 AIRLESS
                 "'bodies': [{'asset': '%s', 'pose': {'clip': 'bend', 'start': 1.5, "
                 "'speed': 0, 'loop': false}, 'material': {'morph': 'muscle', 'freedom': 'full'}, "
                 "'forces': [{'at': [-0.13, 0.36, 0], 'force': [0, -4, 0], 'radius': "
                 "0.05, 'from': 0.5}]}]",
                 k ? "elbow" : "soft");
        show s = start_morph(text);
        step_frames(s.world, 30);
        float before = mean_moved(s.world, 0).y;
        step_frames(s.world, 150);
        moved[k] = before - mean_moved(s.world, 0).y;
        show_end(&s);
    }
    printf("    %.3g m and %.3g m, %.3f times\n", (double)moved[0], (double)moved[1],
           (double)(moved[0] / moved[1]));
    assert_true(moved[1] > 0.0f);
    CHECK_NEAR((double)(moved[0] / moved[1]), 8.0, 0.8);
}

static void wind_blows_skin_away(void **state)
{
    (void)state;
    show s = start_morph(AIRLESS "'wind': [6, 0, 0], 'bodies': [{'asset': 'jelly', 'material': "
                                 "{'morph': 'jelly', 'air': 5}}, {'asset': 'jelly', 'at': [2, 0, "
                                 "0], 'material': 'morph'}]");
    step_frames(s.world, 120);
    wr_vec3 blown = mean_moved(s.world, 0), calm = mean_moved(s.world, 1);
    assert_true(blown.x > 1e-4f && fabsf(blown.z) < 0.1f * blown.x);
    assert_true(wr_length(calm) < 1e-6f);
    show_end(&s);
}

// --- sizes and densities ----------------------------------------------------------------------

static double sag_of(const char *words, double scale)
{
    char text[600];
    snprintf(text, sizeof text,
             "'bodies': [{'asset': 'jelly', %s, 'material': {'morph': 'muscle', 'damping': 0.05}}]",
             words);
    show s = start_morph(text);
    step_frames(s.world, 240);
    double sag = -(double)mean_moved(s.world, 0).y / scale;
    show_end(&s);
    return sag;
}

// It sags under its weight in proportion to density times size over stiffness.
static void twice_the_size_or_the_density_sags_twice_as_far(void **state)
{
    (void)state;
    double usual = sag_of("'scale': 1", 1.0), heavy = sag_of("'density': 2000", 1.0);
    double large = sag_of("'scale': 2", 2.0);
    printf("    %.3g of its size; heavier %.4f, larger %.4f times\n", usual, heavy / usual,
           large / usual);
    assert_true(usual > 1e-4);
    CHECK_NEAR(heavy / usual, 2.0, 0.01);
    CHECK_NEAR(large / usual, 2.0, 0.01);
}

// --- contact ----------------------------------------------------------------------------------

// A plate lies on four heads of jelly, which give way and bear it.
static void a_plate_rests_on_jelly_and_jelly_gives_way(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "'bodies': [{'asset': 'jelly', 'material': {'morph': 'muscle', 'freedom': '%s', "
                 "'touch_points': 600}, 'copies': [{'count': 2, 'step': [0.6, 0, 0]}, {'count': 2, "
                 "'step': [0, 0, 0.6]}]}, {'shape': {'box': [0.9, 0.1, 0.9]}, 'at': [0.3, 0.6, "
                 "0.3], 'mass': 2, 'restitution': 0}]",
                 k ? "full" : "reduced");
        show s = start_morph(text);
        step_frames(s.world, 60);
        double top = 0.0, low = 1.0, high = 0.0;
        for (int i = 0; i < 30; i++) {
            step_frames(s.world, 1);
            double y = (double)wr_rigid_center(s.world->rigid, wr_world_body(s.world, 4)).y;
            low = fmin(low, y);
            high = fmax(high, y);
        }
        morph_at m = find_morph(s.world, 0);
        wr_vec3 *places = morph_places(&m);
        for (int i = 0; i < m.count; i++) {
            top = fmax(top, (double)places[i].y);
        }
        printf("    %-8s box at %.4f to %.4f m, skin reaches %.4f m\n", k ? "full" : "reduced", low,
               high, top);
        assert_int_equal(wr_world_stats(s.world).frozen, 0);
        assert_true(low > 0.4 && high - low < 0.02 && high < 0.58);
        assert_true(top < low - 0.05 + 0.02);
        free(places);
        show_end(&s);
    }
}

// What flies against it is stopped by as much momentum as it had, and bounces back no faster.
static void a_ball_is_thrown_back_by_soft_skin(void **state)
{
    (void)state;
    show s = start_morph(AIRLESS "'bodies': [{'asset': 'jelly', 'material': 'morph'}, {'shape': "
                                 "{'sphere': 0.08}, 'at': [0, 0.2, 1], 'velocity': [0, 0, -3], "
                                 "'mass': 0.3}]");
    double fastest = 0.0;
    for (int i = 0; i < 120; i++) {
        step_frames(s.world, 1);
        fastest =
            fmax(fastest, (double)wr_rigid_velocity(s.world->rigid, wr_world_body(s.world, 1)).z);
    }
    double at = (double)wr_rigid_center(s.world->rigid, wr_world_body(s.world, 1)).z;
    printf("    comes back at %.2f m/s\n", fastest);
    assert_true(fastest > 0.05 && fastest < 3.0 && at > 0.2);
    show_end(&s);
}

// A body with all its vertices and triangles, and those that touch, as others meet them.
typedef struct whole {
    const wri_morph_body *b;
    wr_boundary_point *skin, *touching;
    wr_boundary of_skin, of_touching;
} whole;

static whole whole_of(const wr_world *world, int index)
{
    whole w = {.b = world->materials[index].state};
    const wri_morph_shared *shared = w.b->shared;
    morph_at m = find_morph(world, index);
    wr_vec3 *places = morph_places(&m);
    w.skin = calloc((size_t)m.count, sizeof *w.skin);
    w.touching = calloc((size_t)shared->touching_count, sizeof *w.touching);
    for (int i = 0; i < m.count; i++) {
        w.skin[i] = (wr_boundary_point){.position = places[i],
                                        .velocity = wr_morph_velocity(m.world, m.body, i),
                                        .radius = 0.06f * (float)shared->size};
    }
    for (int i = 0; i < shared->touching_count; i++) {
        w.touching[i] = w.skin[shared->touching[i]];
    }
    w.of_skin = (wr_boundary){.points = w.skin,
                              .point_count = m.count,
                              .triangles = w.b->mesh->triangles,
                              .triangle_count = w.b->mesh->triangle_count};
    w.of_touching = (wr_boundary){.points = w.touching, .point_count = shared->touching_count};
    free(places);
    return w;
}

// Those of one's vertices that are within half a per cent of the size of the other's skin when the
// step ends, or behind it.
static int list_meetings(const whole *one, const whole *other, float dt, wr_morph_meeting *out)
{
    wr_scratch scratch = wri_scratch_create(NULL);
    wri_array near = wri_array_create(NULL, sizeof(wri_nearness));
    wri_reach a = wri_boundary_reach(&one->of_touching, dt);
    wri_reach b = wri_boundary_reach(&other->of_skin, dt);
    int count = 0;
    assert_true(wri_boundaries_near(&a, &b, dt, &scratch, &near));
    for (int i = 0; i < near.count; i++) {
        const wri_nearness *n = &WRI_ITEM(near, wri_nearness, i);
        wr_vec3 v = one->touching[n->point].velocity;
        for (int k = 0; k < 3; k++) {
            v = wr_add_scaled(v, -n->weights[k], other->skin[n->others[k]].velocity);
        }
        float size = (float)one->b->shared->size, gap = n->gap + 0.12f * size;
        if (gap + fminf(0.0f, dt * wr_dot(v, n->normal)) < 0.005f * size) {
            out[count++] = (wr_morph_meeting){
                .other = other->b->body,
                .corners = {n->others[0], n->others[1], n->others[2]},
                .morph = one->b->body,
                .vertex = one->b->shared->touching[n->point],
            };
        }
    }
    wri_array_destroy(&near);
    wri_scratch_destroy(&scratch);
    return count;
}

static int count_found(const wri_array *meetings, const wr_morph_meeting *wanted, int count)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < meetings->count; k++) {
            const wr_morph_meeting *m = &WRI_ITEM(*meetings, wr_morph_meeting, k);
            found += m->other == wanted[i].other && m->morph == wanted[i].morph &&
                     m->vertex == wanted[i].vertex &&
                     memcmp(m->corners, wanted[i].corners, sizeof m->corners) == 0;
        }
    }
    return found;
}

// A step looks at few triangles of few bodies; all of them, with all speeds, say the same. Three
// stand or pass side by side, one as fast as a third of its size per step.
static void all_that_meet_are_found(void **state)
{
    (void)state;
    enum { BODIES = 3, MOST = 20000 };
    wr_morph_meeting *wanted = calloc(MOST, sizeof *wanted);
    show s = start_morph(
        AIRLESS "'frames': 120, 'substeps': 1, 'bodies': [{'asset': 'jelly', 'pose': {'clip': "
                "'sway'}, 'material': {'morph': "
                "'jelly', 'touch_points': 200}}, {'asset': 'jelly', 'path': [{'time': 0, 'at': "
                "[-3, 0.1, 0.3], 'turn': {'axis': [0.2, 1, 0], 'by': 60}}, {'time': 0.5, 'at': [3, "
                "-0.05, 0.12], 'turn': {'axis': [0.2, 1, 0], 'by': 140}}], 'material': {'morph': "
                "'muscle', 'freedom': 'full', 'touch_points': 300}}, {'asset': 'jelly', 'at': "
                "[0.47, 0, 0.1], 'pose': {'clip': 'nod'}, 'material': {'morph': 'jelly', "
                "'touch_points': 60}}]");
    int sum = 0;
    for (int frame = 0; frame < 60; frame++) {
        whole w[BODIES];
        int count = 0;
        for (int i = 0; i < BODIES; i++) {
            w[i] = whole_of(s.world, i);
        }
        for (int i = 0; i < BODIES * BODIES; i++) {
            if (i / BODIES != i % BODIES) {
                count += list_meetings(&w[i / BODIES], &w[i % BODIES], s.world->dt, wanted + count);
            }
        }
        const wri_array *found = &w[0].b->ensemble->meetings;
        step_frames(s.world, 1);
        if (found->count != count || count_found(found, wanted, count) != count) {
            fail_msg("frame %d: %d of %d meetings, %d of them wanted", frame, found->count, count,
                     count_found(found, wanted, count));
        }
        sum += count;
        for (int i = 0; i < BODIES; i++) {
            free(w[i].skin);
            free(w[i].touching);
        }
    }
    printf("    %d meetings\n", sum);
    assert_true(sum > 200);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    free(wanted);
    show_end(&s);
}

// --- the same again ---------------------------------------------------------------------------

static void threads_and_resuming_change_no_bit(void **state)
{
    (void)state;
    static const char text[] =
        "'bodies': [{'shape': 'plane'}, {'asset': 'jelly', 'pose': {'clip': 'sway'}, 'material': "
        "'morph', 'scalars': {'angry': {'touched': 1}}, 'copies': {'count': 5, 'step': [0.4, 0, "
        "0]}}, {'asset': 'elbow', 'at': [0, 0.5, 1], 'pose': {'clip': 'curl'}, 'material': "
        "{'morph': 'muscle', 'freedom': 'full'}}, {'asset': 'elbow', 'at': [0, 0.5, 2], 'pose': "
        "{'clip': 'curl', 'speed': 2}, 'material': {'morph': 'fat', 'elasticity': 'stvk'}}, "
        "{'shape': {'box': [2, 0.1, 0.2]}, 'at': [0.8, 0.6, 0], 'mass': 2}]";
    const hash_run run = {morph_assets(), text, 65, 20};
    check_same_bits(&run);
}

// Bytes that are too few, or damaged, are refused, and the world goes on as before.
static void damaged_snapshots_are_refused(void **state)
{
    (void)state;
    show s = start_morph("'bodies': [{'asset': 'jelly', 'material': 'morph'}]");
    const wri_material_body *body = &s.world->materials[0];
    size_t size = wri_morph_material.size(body->state);
    char *bytes = calloc(size, 1);
    wri_morph_material.save(body->state, bytes);
    uint64_t hash = wri_morph_material.hash(body->state);
    wr_error error = {0};
    assert_false(wri_morph_material.restore(body->state, bytes, 2, &error));
    assert_false(wri_morph_material.restore(body->state, bytes, size - 1, &error));
    assert_true(wri_morph_material.hash(body->state) == hash);
    assert_true(wri_morph_material.restore(body->state, bytes, size, &error));
    free(bytes);
    show_end(&s);
}

// kg, of balls of 3 kg and 10 cm at these places, when they were told to share.
static double shared_mass(const wr_vec3 *places, int count, float mass)
{
    wr_body_copy copies[400] = {0};
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        copies[i] = (wr_body_copy){.center = places[i], .inverse_mass = 1.0f / 3.0f};
    }
    wri_morph_share_mass(copies, count, 0.1f, mass);
    for (int i = 0; i < count; i++) {
        CHECK_NEAR((double)copies[i].inverse_mass, (double)copies[0].inverse_mass, 1e-6);
        sum += 1.0 / (double)copies[i].inverse_mass;
    }
    return sum;
}

// A disc answers as it is wide, not as many balls it has; a single ball as it is.
static void balls_that_are_met_together_share_their_mass(void **state)
{
    (void)state;
    wr_vec3 places[400];
    const wr_vec3 across = wr_normalize(wr_v3(1, -2, 0.5f)), other = wr_v3(5, 3, -2);
    const wr_vec3 along = wr_normalize(wr_cross(across, other));
    places[0] = other;
    CHECK_NEAR(shared_mass(places, 1, 1e3f), 3.0, 1e-5);
    for (int i = 0; i < 4; i++) { // a row, whose mean square is 0.05 m^2
        places[i] = wr_add_scaled(other, 0.2f * (float)i, across);
    }
    CHECK_NEAR(shared_mass(places, 4, 1e3f), 3.0 * sqrt(0.01 + 2.0 * 0.05) / 0.1, 1e-4);
    CHECK_NEAR(shared_mass(places, 4, 5.0f), 5.0, 1e-5);
    for (float radius = 0.6f; radius < 2.0f; radius *= 1.5f) {
        int count = 0;
        for (int i = 0; i < 400; i++) {
            wr_vec2 at = {0.2f * (float)(i % 20 - 10), 0.2f * (float)(i / 20 - 10)};
            if (at.x * at.x + at.y * at.y <= radius * radius) {
                wr_vec3 place = wr_add_scaled(other, at.x, across);
                places[count++] = wr_add_scaled(place, at.y, along);
            }
        }
        CHECK_NEAR(shared_mass(places, count, 1e3f), 3.0 * (double)radius / 0.1,
                   0.08 * 3.0 * (double)radius / 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_that_are_met_together_share_their_mass),
        cmocka_unit_test(at_the_pose_of_a_target_skin_is_what_was_sculpted),
        cmocka_unit_test(without_targets_it_is_the_model_in_every_pose),
        cmocka_unit_test(a_path_carries_it_along),
        cmocka_unit_test(a_slider_swells_it_up_over_time),
        cmocka_unit_test(joints_speak_through_scalars),
        cmocka_unit_test(what_touches_it_makes_it_angry_for_a_while),
        cmocka_unit_test(a_force_moves_stiff_skin_less),
        cmocka_unit_test(wind_blows_skin_away),
        cmocka_unit_test(twice_the_size_or_the_density_sags_twice_as_far),
        cmocka_unit_test(a_plate_rests_on_jelly_and_jelly_gives_way),
        cmocka_unit_test(a_ball_is_thrown_back_by_soft_skin),
        cmocka_unit_test(all_that_meet_are_found),
        cmocka_unit_test(threads_and_resuming_change_no_bit),
        cmocka_unit_test(damaged_snapshots_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_with_cache, tear_down);
}
