// What sprites do does not depend on where one stands: the same scene turned, mirrored or seen from
// a train goes the same way. Terms that cancel while everything is upright and at rest do not here.
#include "sprite_trial.h"

// The scene as somebody sees it: mirrored first, turned then, and passing by.
typedef struct view {
    bool mirrored;
    float angle;
    wr_vec2 velocity;
} view;

static wr_vec2 see_direction(const view *v, wr_vec2 d)
{
    float x = v->mirrored ? -d.x : d.x, s = sinf(v->angle), c = cosf(v->angle);
    return (wr_vec2){c * x - s * d.y, s * x + c * d.y};
}

static wr_vec2 see_place(const view *v, wr_vec2 p, float time)
{
    wr_vec2 seen = see_direction(v, p);
    return (wr_vec2){seen.x + time * v->velocity.x, seen.y + time * v->velocity.y};
}

static float see_turn(const view *v, float turn)
{
    return v->mirrored ? -turn : turn;
}

static trial begin_view(const view *v, float gravity)
{
    trial t = {0};
    wr_sprite_world_desc desc = wr_sprite_world_desc_default();
    desc.gravity = see_direction(v, (wr_vec2){0.0f, -gravity});
    t.world = wr_sprite_world_create(&desc, NULL);
    assert_non_null(t.world);
    return t;
}

// Flipped where it is mirrored; the scene's own angle is then counted the other way.
static int add_seen(trial *t, const view *v, wr_sprite_desc desc)
{
    wr_vec2 velocity = see_direction(v, desc.velocity);
    float spin = see_turn(v, desc.angular_velocity);
    desc.position = see_place(v, desc.position, 0.0f);
    desc.angle = v->mirrored ? desc.angle - v->angle : desc.angle + v->angle;
    desc.velocity = (wr_vec2){0.0f, 0.0f};
    desc.angular_velocity = 0.0f;
    int sprite = add(t, &desc);
    if (v->mirrored) {
        wr_sprite_flip(t->world, sprite);
    }
    velocity = (wr_vec2){velocity.x + v->velocity.x, velocity.y + v->velocity.y};
    wr_sprite_add_velocity(t->world, sprite, velocity, spin);
    return sprite;
}

// A level piece that passes by: where it is in the scene, and how it moves there.
typedef struct seen_level {
    wr_vec2 position, velocity;
    float angle, spin;
} seen_level;

static int add_seen_level(trial *t, const view *v, const wr_vec2 *corners, int count,
                          const seen_level *l, float friction)
{
    wr_vec2 seen[8];
    for (int i = 0; i < count; i++) {
        wr_vec2 c = corners[v->mirrored ? count - 1 - i : i];
        seen[i] = (wr_vec2){v->mirrored ? -c.x : c.x, c.y};
    }
    wr_sprite_level level = {.corners = count ? seen : NULL,
                             .corner_count = count,
                             .position = see_place(v, l->position, 0.0f),
                             .angle = v->angle + see_turn(v, l->angle),
                             .friction = friction};
    int number = wr_sprite_add_level(t->world, &level, NULL);
    assert_true(number >= 0);
    return number;
}

static void move_seen_level(trial *t, const view *v, int number, const seen_level *l, float time)
{
    wr_vec2 at = {l->position.x + time * l->velocity.x, l->position.y + time * l->velocity.y};
    wr_sprite_move_level(t->world, number, see_place(v, at, time),
                         v->angle + see_turn(v, l->angle + time * l->spin));
}

// --- scenes -----------------------------------------------------------------------------------

enum { STEPS = 40, LOOK = 8, LOOKS = STEPS / LOOK, SPRITES = 1 };

typedef struct course {
    wr_sprite_facts facts[LOOKS][SPRITES];
    int count;
} course;

typedef void scene_fn(const view *v, course *out);

static void note(const trial *t, int step, course *out)
{
    for (int i = 0; step % LOOK == 0 && i < out->count; i++) {
        out->facts[step / LOOK - 1][i] = facts_of(t, i);
    }
}

// A block that leans, slides and spins lands on a slope, gives way and bounces.
static void land_on_slope(const view *v, course *out)
{
    trial t = begin_view(v, G);
    const seen_level slope = {.angle = -0.3f};
    add_seen_level(&t, v, NULL, 0, &slope, 0.9f);
    wr_sprite_desc desc = describe(add_block(&t, 1.0f, 0.6f, 8, 5), 0.1f, 0.75f);
    desc.parameters.give = 1.0f;
    desc.parameters.friction = 0.3f;
    desc.pose = wr_sprite_asset_example_point(desc.asset, TOY_SHEARED);
    desc.angle = 0.35f;
    desc.velocity = (wr_vec2){1.5f, -3.0f};
    desc.angular_velocity = -1.0f;
    out->count = 1;
    add_seen(&t, v, desc);
    for (int i = 1; i <= STEPS; i++) {
        move_seen_level(&t, v, 0, &slope, (float)i * DT);
        wr_sprite_world_step(t.world, DT, NULL);
        note(&t, i, out);
    }
    end(&t);
}

// A tall block falls hard on a slope and stays there, flattened by its own fall.
static void fall_flat(const view *v, course *out)
{
    trial t = begin_view(v, G);
    const seen_level slope = {.angle = 0.3f};
    add_seen_level(&t, v, NULL, 0, &slope, 1.0f);
    wr_sprite_desc desc = describe(add_block(&t, 0.6f, 1.0f, 5, 8), 0.0f, 0.75f);
    desc.parameters.give = 2.0f;
    desc.parameters.bounce = 0.3f;
    desc.parameters.friction = 1.0f;
    desc.pose = wr_sprite_asset_example_point(desc.asset, TOY_SHEARED);
    desc.angle = 0.15f;
    desc.velocity = (wr_vec2){0.0f, -5.0f};
    out->count = 1;
    add_seen(&t, v, desc);
    for (int i = 1; i <= STEPS; i++) {
        move_seen_level(&t, v, 0, &slope, (float)i * DT);
        wr_sprite_world_step(t.world, DT, NULL);
        note(&t, i, out);
    }
    end(&t);
}

// The corner of a wedge that comes along askew and turns pushes a soft ball.
static void meet_wedge(const view *v, course *out)
{
    static const wr_vec2 wedge[3] = {{-1.5f, -0.5f}, {0.0f, 0.0f}, {-1.5f, 0.7f}};
    trial t = begin_view(v, 0.0f);
    const seen_level along = {{-0.6f, -0.15f}, {2.0f, 0.7f}, 0.1f, 0.4f};
    add_seen_level(&t, v, wedge, 3, &along, 0.9f);
    wr_sprite_desc desc = describe(add_ball(&t, 1.0f, 4), 0.0f, 0.0f);
    desc.parameters.friction = 0.3f;
    desc.parameters.hold = 0.8f;
    desc.velocity = (wr_vec2){-0.3f, 0.5f};
    out->count = 1;
    add_seen(&t, v, desc);
    for (int i = 1; i <= STEPS; i++) {
        move_seen_level(&t, v, 0, &along, (float)i * DT);
        wr_sprite_world_step(t.world, DT, NULL);
        note(&t, i, out);
    }
    end(&t);
}

static void nail_seen(const trial *t, const view *v, int particle, wr_vec2 place, float time)
{
    assert_true(wr_sprite_set_nail(t->world, 0, particle, see_place(v, place, time), NULL));
}

// A wedge hits a beam on nails that are carried along, the second of them past the first one.
static void hit_nailed(const view *v, int nails, course *out)
{
    static const wr_vec2 wedge[3] = {{0.0f, 0.0f}, {0.5f, 1.0f}, {-0.4f, 1.0f}};
    trial t = begin_view(v, G);
    const wr_sprite_asset *beam = add_block(&t, 1.6f, 0.3f, 16, 3);
    const seen_level along = {{-0.35f, 0.35f}, {0.5f, -1.0f}, 0.1f, 0.0f};
    add_seen_level(&t, v, wedge, 3, &along, 0.9f);
    wr_sprite_desc desc = describe(beam, 0.0f, 0.0f);
    out->count = 1;
    add_seen(&t, v, desc);
    const int corner = beam->edges[0];
    wr_vec2 places[2];
    for (int k = 0; k < nails; k++) { // the first corner, and the farthest one from it
        const wr_vec3 *u = t.toys[0]->rest;
        int i = corner;
        for (int n = 0; k > 0 && n < beam->N; n++) {
            i = wr_distance(u[n], u[corner]) > wr_distance(u[i], u[corner]) ? n : i;
        }
        places[k] = (wr_vec2){u[i].x, u[i].y};
        nail_seen(&t, v, i, places[k], 0.0f);
    }
    for (int i = 1; i <= STEPS; i++) {
        float time = (float)i * DT;
        for (int k = 0; k < nails; k++) {
            wr_vec2 at = {places[k].x + 0.3f * time, places[k].y + (k ? 0.5f : -0.1f) * time};
            int particle = wri_sprite_of(t.world, 0)->state.nails[k].particle;
            nail_seen(&t, v, particle, at, time);
        }
        move_seen_level(&t, v, 0, &along, time);
        wr_sprite_world_step(t.world, DT, NULL);
        note(&t, i, out);
    }
    end(&t);
}

static void hit_pendulum(const view *v, course *out)
{
    hit_nailed(v, 1, out);
}

static void hit_beam(const view *v, course *out)
{
    hit_nailed(v, 2, out);
}

// --- views ------------------------------------------------------------------------------------

// The largest difference of places (m), velocities (m/s) and turns (radians, radians/s).
static double difference(scene_fn *scene, const view *v)
{
    const view plain = {0};
    course one = {0}, other = {0};
    double most = 0.0;
    scene(&plain, &one);
    scene(v, &other);
    for (int k = 0; k < LOOKS * one.count; k++) {
        const wr_sprite_facts *a = &one.facts[k / one.count][k % one.count];
        const wr_sprite_facts *b = &other.facts[k / one.count][k % one.count];
        float time = (float)((k / one.count + 1) * LOOK) * DT;
        wr_vec2 place = see_place(v, a->center, time), speed = see_direction(v, a->velocity);
        speed = (wr_vec2){speed.x + v->velocity.x, speed.y + v->velocity.y};
        most = fmax(most, hypot((double)(place.x - b->center.x), (double)(place.y - b->center.y)));
        most =
            fmax(most, hypot((double)(speed.x - b->velocity.x), (double)(speed.y - b->velocity.y)));
        most = fmax(most, fabs((double)(v->angle + see_turn(v, a->angle) - b->angle)));
        most = fmax(most, fabs((double)(see_turn(v, a->angular_velocity) - b->angular_velocity)));
    }
    return most;
}

static scene_fn *const scenes[] = {land_on_slope, fall_flat, meet_wedge, hit_pendulum, hit_beam};

static void check_view(const view *v)
{
    for (int i = 0; i < WRI_COUNT(scenes); i++) {
        double found = difference(scenes[i], v);
        if (!(found < 2e-3)) {
            fail_msg("scene %d, turned by %g%s: differs by %g", i, (double)v->angle,
                     v->mirrored ? " and mirrored" : "", found);
        }
    }
}

static void a_turned_scene_goes_the_same_way(void **state)
{
    (void)state;
    check_view(&(view){.angle = 0.7f});
    check_view(&(view){.angle = 2.2f});
}

static void a_mirrored_scene_goes_the_same_way(void **state)
{
    (void)state;
    check_view(&(view){.mirrored = true});
    check_view(&(view){.mirrored = true, .angle = -0.6f});
}

static void a_scene_that_passes_by_goes_the_same_way(void **state)
{
    (void)state;
    check_view(&(view){.velocity = {3.0f, 1.0f}});
    check_view(&(view){.velocity = {-20.0f, 7.0f}});
}

// Two alike in one another part like two at rest, whatever speed they have in common.
static void what_is_deep_in_another_gets_out_on_its_way_too(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 6; k++) {
        const view v = {.velocity = {30.0f, k % 3 == 0 ? 8.0f : -50.0f}};
        trial t = begin_view(&v, 0.0f);
        const wr_sprite_asset *asset =
            k % 2 ? add_block(&t, 1.0f, 0.6f, 8, 5) : add_ball(&t, 1.0f, 4);
        for (int i = 0; i < 2; i++) {
            add_seen(&t, &v, describe(asset, 0.05f * (float)(k / 2) * (float)i, 0.0f));
        }
        run(&t, 2.0f, DT);
        wr_sprite_facts a = facts_of(&t, 0), b = facts_of(&t, 1);
        float apart = hypotf(a.center.x - b.center.x, a.center.y - b.center.y);
        float speed = hypotf(a.velocity.x - b.velocity.x, a.velocity.y - b.velocity.y);
        assert_true(apart > (k % 2 ? 0.55f : 0.95f) && speed < 2.0f);
        end(&t);
    }
}

// What passes through another in a step or two is not deep in it; how fast that is depends on the
// step: a twenty-fifth of half the smaller one in it.
static void what_is_deep_depends_on_the_way_of_a_step(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        float dt = k < 3 ? DT : 0.25f * DT, size = k % 3 == 2 ? 0.7f : 1.0f;
        for (int fast = 0; fast < 2; fast++) {
            trial t = begin(0.0f);
            const wr_sprite_asset *assets[2] = {add_ball(&t, 1.0f, 4), add_ball(&t, size, 4)};
            for (int i = 0; i < 2; i++) {
                wr_sprite_desc desc = describe(assets[k % 2 ? 1 - i : i], 0.03f * (float)i, 0.02f);
                float way = (fast ? 1.1f : 0.9f) * 0.04f * 0.5f * size;
                desc.velocity = (wr_vec2){i ? 0.6f * way / dt : 0.0f, i ? -0.8f * way / dt : 0.0f};
                add(&t, &desc);
            }
            wr_sprite_world_step(t.world, dt, NULL);
            assert_int_equal(t.world->pair_count, 1);
            assert_int_equal(WRI_ITEM(t.world->pairs, wri_sprite_pair, 0).deep, !fast);
            end(&t);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turned_scene_goes_the_same_way),
        cmocka_unit_test(a_mirrored_scene_goes_the_same_way),
        cmocka_unit_test(a_scene_that_passes_by_goes_the_same_way),
        cmocka_unit_test(what_is_deep_in_another_gets_out_on_its_way_too),
        cmocka_unit_test(what_is_deep_depends_on_the_way_of_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
