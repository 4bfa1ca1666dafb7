// test_fracture_ties.c: promises of metal whose fragments the engine joins at the vertices they
// share, and how that compares with bonds.
#include "fracture_bar.h"
#include "momenta.h"

#include "../src/tune/tune.h"

#include <math.h>

#define THREE                                                                                      \
    "[{'plane': {'normal': [1, 0.2, 0], 'at': [-0.12, 0, 0]}}, {'plane': {'normal': [1, -0.1, "    \
    "0.1], 'at': [0.15, 0, 0]}}]"

static int make_recipes(void **state)
{
    int failed = set_up_bar(state);
    write_recipe("middle.recipe.json", "[{'plane': {'normal': [1, 0, 0], 'at': [0.1, 0, 0]}}]");
    write_recipe("three.recipe.json", THREE);
    write_recipe("shards.recipe.json", "[{'scatter': 9, 'seed': 2}]");
    return failed;
}

static wr_metal *body_of(const show *s)
{
    return metal_at(s->world, 0);
}

static int part_count(const show *s)
{
    return wr_metal_part_count(body_of(s));
}

static const wr_metal_asset *asset_of(const show *s)
{
    return body_of(s)->asset;
}

static wr_pose pose_of(const show *s, int part)
{
    return wr_rigid_pose(s->world->rigid, s->world->materials[0].part_bodies[part]);
}

// Where a place of the bar at rest is now.
static wr_vec3 place_of(const show *s, wr_vec3 at)
{
    bool tied = body_of(s)->tie_loads != NULL;
    int fragment = wr_metal_fragment_at(body_of(s), at);
    return wr_pose_point(pose_of(s, tied ? fragment : wr_metal_fragment_part(body_of(s), fragment)),
                         at);
}

// --- where --------------------------------------------------------------------------------------

static bool has_vertex(const wr_metal_asset *asset, int fragment, wr_vec3 at)
{
    bool has = false;
    for (int i = asset->fragment_begin[fragment]; i < asset->fragment_begin[fragment + 1]; i++) {
        has = has || wr_distance(asset->rest[i], at) == 0.0f;
    }
    return has;
}

static void ties_are_the_vertices_that_fragments_share(void **state)
{
    (void)state;
    static const char *const recipes[] = {"three", "shards"};
    for (int r = 0; r < 2; r++) {
        show s = start(recipes[r], "'bodies': [{'name': 'bar', 'asset': 'bar', 'material': "
                                   "{'metal': 'tin', 'joined': 'ties'}}]");
        const wr_metal_asset *asset = asset_of(&s);
        int count, shared = 0, of_bond[WR_FRAGMENTS_MAX * WR_FRAGMENTS_MAX] = {0};
        const wr_metal_tie *ties = wr_metal_asset_ties(asset, &count);
        for (int i = 0; i < count; i++) {
            const wr_bond *bond = &asset->bonds[ties[i].bond];
            assert_true(ties[i].a == bond->a && ties[i].b == bond->b);
            of_bond[ties[i].bond]++;
        }
        for (int i = 0; i < count; i++) {
            if (of_bond[ties[i].bond] > 3) { // else three places on the bond may stand for them
                assert_true(has_vertex(asset, ties[i].a, ties[i].at));
                assert_true(has_vertex(asset, ties[i].b, ties[i].at));
            }
        }
        for (int v = 0; v < asset->N; v++) {
            for (int w = 0; w < v; w++) {
                int a = asset->fragments[v], b = asset->fragments[w];
                int bond = asset->bond_between[a * asset->F + b];
                shared += asset->origins[v] == asset->origins[w] && bond >= 0 && of_bond[bond] > 3;
            }
        }
        for (int i = 0; i < asset->bond_count; i++) {
            assert_true(of_bond[i] >= 3);
            shared += of_bond[i] == 3 ? 3 : 0;
        }
        assert_int_equal(count, shared);
        assert_int_equal(s.world->materials[0].part_count, asset->F);
        show_end(&s);
    }
}

// --- when ---------------------------------------------------------------------------------------

// A bar that is held at its right end, straight down or like a beam, askew.
static show hang(bool down, double breaks, int substeps)
{
    char text[900];
    snprintf(text, sizeof text,
             "'length': 3, 'substeps': %d, 'bodies': [{'name': 'bar', 'asset': 'bar', 'at': [0, 2, "
             "0], 'turn': {'axis': [%s], 'by': %d}, 'density': 500, 'material': {'metal': 'cast "
             "iron', 'joined': 'ties', 'break': %.9g}}], 'joints': [{'kind': 'fixed', 'bodies': "
             "['bar'], 'at': [%s]}]",
             substeps, down ? "0, 0, 1" : "0.3, 1, 0.1", down ? 90 : 50, breaks,
             down ? "0, 2.4, 0" : "0.2684, 2.0435, -0.2934");
    return start("middle", text);
}

// What hangs on the ties is the weight of the fragment beyond them, and its moment: F dt / (1 -
// decay) is what a force F adds up to in the window. How the ties share it does not matter.
static void ties_carry_what_hangs_on_them(void **state)
{
    (void)state;
    for (int down = 0; down < 2; down++) {
        show s = hang(down, 1e6, 4);
        for (int i = 0; i < 150; i++) {
            wr_world_step_frame(s.world);
        }
        const wr_metal *body = body_of(&s);
        int count, heavy = wr_metal_fragment_at(body, wr_v3(-0.4f, 0, 0));
        const wr_metal_tie *ties = wr_metal_asset_ties(body->asset, &count);
        wr_mass_properties mass = wr_metal_fragment_mass(body, heavy);
        wr_vec3 center = wr_rigid_center(s.world->rigid, s.world->materials[0].part_bodies[heavy]);
        double size = 9.81 * mass.mass / 240.0 / (1.0 - body->window_decay);
        double sum[3] = {0}, turn[3] = {0};
        for (int i = 0; i < count; i++) {
            wr_vec3 at = wr_sub(wr_pose_point(pose_of(&s, heavy), ties[i].at), center);
            const double arm[3] = {at.x, at.y, at.z}, sign = ties[i].a == heavy ? 1.0 : -1.0;
            double j[3];
            for (int k = 0; k < 3; k++) {
                j[k] = sign * body->tie_loads[i].impulse[k];
                sum[k] += j[k];
            }
            add_cross(arm, j, turn);
        }
        for (int k = 0; k < 3; k++) { // nothing turns: no moment about its centre
            CHECK_NEAR(sum[k], k == 1 ? size : 0.0, 0.01 * size);
            CHECK_NEAR(turn[k], 0.0, 0.01 * size * 0.25);
        }
        show_end(&s);
    }
}

static bool breaks_when_hung(double breaks, int substeps)
{
    show s = hang(true, breaks, substeps);
    for (int i = 0; i < 60; i++) {
        wr_world_step_frame(s.world);
    }
    bool broken = part_count(&s) > 1;
    show_end(&s);
    return broken;
}

// The engine does not share a load evenly among ties, so they tear at a tenth of the load of the
// bond; but as well at one step as at half of it.
static void a_hanging_body_breaks_by_its_weight(void **state)
{
    (void)state;
    for (int substeps = 4; substeps <= 8; substeps += 4) {
        assert_false(breaks_when_hung(1.1, substeps));
        assert_true(breaks_when_hung(0.7, substeps));
    }
}

// What is torn, and what is in the windows, is in snapshots.
static void check_snapshot(const wr_metal *body, wr_metal *other)
{
    size_t size = wr_metal_save_size(body);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    wr_metal_save(body, bytes);
    assert_true(wr_metal_restore(other, bytes, size, NULL));
    free(bytes);
    assert_memory_equal(other->tie_loads, body->tie_loads,
                        (size_t)body->asset->tie_count * sizeof *body->tie_loads);
    assert_true(wr_metal_hash(body) == wr_metal_hash(other));
}

static void ties_tear_one_by_one(void **state)
{
    (void)state;
    show s = hang(true, 1.0, 4);
    wr_metal_desc desc = wr_metal_desc_default();
    desc.asset = body_of(&s)->asset;
    desc.parameters = body_of(&s)->parameters;
    wr_metal *body = wr_metal_create(&desc, NULL), *other = wr_metal_create(&desc, NULL);
    int count, breaks;
    const wr_metal_tie *ties = wr_metal_asset_ties(desc.asset, &count);
    const wr_bond *bond = &desc.asset->bonds[ties[0].bond];
    float limit = (float)(body->mass * (double)desc.asset->v_L * (double)bond->area /
                          desc.asset->area / count);
    for (int i = 0; i < count; i++) { // below, then twice within the window
        wr_metal_add_tie_impulse(body, i, wr_v3(0.6f * limit, 0, -0.79f * limit));
        wr_metal_step(body, 1.0f / 240.0f);
        assert_true(wr_metal_tie_holds(body, i));
        wr_metal_add_tie_impulse(body, i, wr_v3(0.6f * limit, 0, -0.79f * limit));
        wr_metal_step(body, 1.0f / 240.0f);
        assert_false(wr_metal_tie_holds(body, i));
        check_snapshot(body, other);
        const wr_metal_break *last = wr_metal_breaks(body, &breaks);
        assert_int_equal(breaks, i == count - 1);
        if (breaks > 0) { // each tore a little above its share of the limit
            double strength = (double)last->strength * body->mass / (double)limit / count;
            assert_true(strength > 1.0 && strength < 2.0);
        }
        assert_int_equal(wr_metal_part_count(body), i == count - 1 ? 2 : 1);
    }
    uint8_t bytes[2000];
    size_t size = wr_metal_write_damage(body, bytes);
    assert_true(size <= sizeof bytes && wr_metal_read_damage(other, bytes, size, NULL));
    assert_false(wr_metal_tie_holds(other, 0));
    assert_true(wr_metal_is_idle(other));
    wr_metal_destroy(body);
    wr_metal_destroy(other);
    show_end(&s);
}

// --- what stays ---------------------------------------------------------------------------------

// A bar in empty space, hit by a ball beside its middle.
static show strike(const char *joined, double breaks)
{
    char text[1200];
    snprintf(text, sizeof text,
             "'gravity': [0, 0, 0], 'length': 3, 'bodies': [{'name': 'bar', 'asset': 'bar', 'at': "
             "[0, 1, 0], 'turn': {'axis': [1, 2, 0.5], 'by': 50}, 'spin': [0.5, 1, 0.25], "
             "'density': 500, 'linear_damping': 0, 'angular_damping': 0, 'material': {'metal': "
             "'thin steel', 'joined': '%s', 'bend': 0, 'break': %g}}, {'name': 'ball', 'shape': "
             "{'sphere': 0.1}, 'at': [0.16, 2, -0.23], 'velocity': [0.5, -9, 0.2], 'mass': 6, "
             "'linear_damping': 0, 'angular_damping': 0}]",
             joined, breaks);
    return start("three", text);
}

// Its ends are where they are with bonds, to 2 % of its length, and the fragments at each other.
static void unbroken_it_moves_as_one_body(void **state)
{
    (void)state;
    show tied = strike("ties", 1e6), bonded = strike("bonds", 1e6);
    int count;
    float gap = 0.0f, off = 0.0f;
    const wr_metal_tie *ties = wr_metal_asset_ties(asset_of(&tied), &count);
    for (int i = 0; i < 30; i++) {
        wr_world_step_frame(tied.world);
        wr_world_step_frame(bonded.world);
        for (int k = 0; k < count; k++) {
            gap = fmaxf(gap, wr_distance(wr_pose_point(pose_of(&tied, ties[k].a), ties[k].at),
                                         wr_pose_point(pose_of(&tied, ties[k].b), ties[k].at)));
        }
    }
    assert_int_equal(part_count(&tied), 1);
    for (int end = -1; end <= 1; end += 2) {
        wr_vec3 at = {0.4f * (float)end, 0.1f * (float)end, -0.08f * (float)end};
        wr_vec3 now = place_of(&bonded, at);
        assert_true(wr_distance(now, wr_v3(0, 1, 0)) > 0.5f);
        off = fmaxf(off, wr_distance(place_of(&tied, at), now));
    }
    print_message("ends off by %.2g m of 0.8, ties open by %.2g m\n", (double)off, (double)gap);
    assert_true(off < 0.02f * 0.8f && gap < 0.005f * 0.8f);
    show_end(&tied);
    show_end(&bonded);
}

static momenta all_momenta(const show *s)
{
    int count;
    const wri_material_body *body = &s->world->materials[0];
    const wr_material_part *parts = body->material->parts(body->state, &count);
    momenta sum =
        momenta_of(s->world->rigid, s->world->engine_of_body[1], &s->scene->bodies[1].rigid.mass);
    for (int i = 0; i < count; i++) {
        momenta m = momenta_of(s->world->rigid, body->part_bodies[i], &parts[i].mass);
        for (int k = 0; k < 3; k++) {
            sum.p[k] += m.p[k];
            sum.L[k] += m.L[k];
        }
    }
    return sum;
}

static void momenta_stay_when_a_ball_tears_it(void **state)
{
    (void)state;
    show s = strike("ties", 1.0);
    momenta before = all_momenta(&s);
    double size = 0.0;
    for (int k = 0; k < 3; k++) {
        size += fabs(before.p[k]) + fabs(before.L[k]);
    }
    for (int i = 0; i < 40; i++) {
        wr_world_step_frame(s.world);
    }
    assert_true(part_count(&s) > 1);
    momenta after = all_momenta(&s);
    check_momenta(&before, &after, 1e-4 * size);
    show_end(&s);
}

// A fragment that something moved away by more than 2 % of the size goes: it is not pulled back at
// a speed that depends on the step.
static void ties_that_are_far_open_tear(void **state)
{
    (void)state;
    for (int torn = 0; torn < 2; torn++) {
        show s = strike("ties", 1e6);
        const wri_material_body *body = &s.world->materials[0];
        wr_rigid *rigid = s.world->rigid;
        int end = wr_metal_fragment_at(body_of(&s), wr_v3(0.4f, 0, 0));
        wr_pose pose = wr_rigid_pose(rigid, body->part_bodies[end]);
        wr_vec3 shift = {0.3f, -0.7f, 0.64f};
        pose.position = wr_add_scaled(pose.position, torn ? 0.03f : 0.005f, shift);
        wr_rigid_set_pose(rigid, body->part_bodies[end], pose);
        wr_world_step_frame(s.world);
        wr_world_step_frame(s.world); // the ball is not there yet
        assert_int_equal(part_count(&s), 1 + torn);
        if (torn) { // what was given to tear it is no load
            int breaks;
            const wr_metal_break *last = wr_metal_breaks(body_of(&s), &breaks);
            for (int i = 0; i < breaks; i++) {
                assert_true(last[i].strength > 0.0f && isfinite(last[i].strength));
            }
        }
        for (int i = 0; torn && i < body->part_count; i++) {
            assert_true(wr_length(wr_rigid_velocity(rigid, body->part_bodies[i])) < 1.5f);
        }
        show_end(&s);
    }
}

static void what_moves_bodies_as_a_whole_is_refused(void **state)
{
    (void)state;
    show s = {0};
    wr_error error = {0};
    assert_false(show_start(&s, in_folder("scene.json"), folder.path, "'bar': 'three.recipe.json'",
                            "'bodies': [{'name': 'bar', 'asset': 'bar', 'velocity': [1, 0, 0], "
                            "'hold': 1, 'material': {'metal': 'tin', 'joined': 'ties'}}]",
                            NULL, &error));
    assert_non_null(strstr(error.message, "body \"bar\": \"hold\" moves bodies as a whole"));
}

// Tuning simulates metal from behind a table of its own: fragments must hold together there, too.
static void tuning_passes_on_what_joints_say(void **state)
{
    (void)state;
    show s = hang(true, 1e6, 4);
    wr_error error = {0};
    wr_tune_desc desc = wr_tune_desc_default();
    desc.scene = s.scene;
    wr_tuning *tuning = wr_tuning_create(&desc, &error);
    assert_non_null(tuning);
    for (int i = 0; i < 60; i++) {
        assert_true(wr_tuning_step(tuning, &error));
    }
    const wr_world *world = tuning->world;
    for (int i = 0; i < world->materials[0].part_count; i++) {
        assert_true(wr_rigid_center(world->rigid, world->materials[0].part_bodies[i]).y > 1.6f);
    }
    wr_tuning_destroy(tuning);
    show_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_are_the_vertices_that_fragments_share),
        cmocka_unit_test(ties_carry_what_hangs_on_them),
        cmocka_unit_test(a_hanging_body_breaks_by_its_weight),
        cmocka_unit_test(ties_tear_one_by_one),
        cmocka_unit_test(unbroken_it_moves_as_one_body),
        cmocka_unit_test(momenta_stay_when_a_ball_tears_it),
        cmocka_unit_test(ties_that_are_far_open_tear),
        cmocka_unit_test(tuning_passes_on_what_joints_say),
        cmocka_unit_test(what_moves_bodies_as_a_whole_is_refused),
    };
    return cmocka_run_group_tests(tests, make_recipes, tear_down);
}
