// test_flesh_raster.c: what contact planes promise, alone and beside the exact stage.
#include "check.h"

#include "../src/flesh/meet.h"
#include "flesh_world.h"
#include "show.h"

enum { BODIES = 2 };

typedef struct stage {
    flesh_shape shapes[BODIES];
    wr_flesh_model *models[BODIES];
    wr_flesh_world *world;
    wri_skin skins[BODIES];
    wri_meetings found;
    wr_scratch scratch;
} stage;

static stage start(flesh_shape a, flesh_shape b)
{
    stage s = {.shapes = {a, b},
               .world = wr_flesh_world_create(NULL, NULL),
               .scratch = wri_scratch_create(NULL)};
    for (int i = 0; i < BODIES; i++) {
        wr_flesh_model_desc desc = flesh_describe(&s.shapes[i], 2e4, 1.0f / 240.0f);
        desc.origins = NULL;
        s.models[i] = flesh_model(&desc);
    }
    return s;
}

static void add(stage *s, int which, wr_flesh_desc desc)
{
    desc.model = s->models[which];
    assert_int_equal(wr_flesh_add(s->world, &desc, NULL), which);
}

static wr_flesh_desc drawn_at(wr_vec3 at)
{
    wr_flesh_desc desc = wr_flesh_desc_default();
    desc.pose.position = at;
    desc.detection = WR_FLESH_RASTER;
    return desc;
}

static void detect(stage *s, float texel)
{
    wri_array_destroy(&s->found.list);
    wri_scratch_reset(&s->scratch);
    s->found = (wri_meetings){.skins = s->skins,
                              .skin_count = BODIES,
                              .texel = texel,
                              .list = wri_array_create(NULL, sizeof(wri_flesh_contact))};
    for (int i = 0; i < BODIES; i++) {
        s->skins[i] = (wri_skin){.f = wri_flesh_of(s->world, i), .body = i};
    }
    assert_true(wri_flesh_find_meetings(&s->found, &s->scratch));
}

static void end(stage *s)
{
    wri_array_destroy(&s->found.list);
    wri_scratch_destroy(&s->scratch);
    wr_flesh_world_destroy(s->world);
    for (int i = 0; i < BODIES; i++) {
        wr_flesh_model_destroy(s->models[i]);
        flesh_shape_destroy(&s->shapes[i]);
    }
}

// --- against the closed form --------------------------------------------------------------------

static const float RADII[BODIES] = {0.2f, 0.15f};

typedef struct accuracy {
    double mean, worst, askew; // metres; sine of the angle to the mean normal of the spheres
    float deepest;             // metres
    int missed;                // nodes that overlap by more than a texel
} accuracy;

static accuracy compare_with_spheres(const stage *s, const wr_vec3 centers[BODIES], float texel)
{
    accuracy out = {.deepest = 0.0f};
    for (int i = 0; i < s->found.list.count; i++) {
        const wri_flesh_contact *c = &WRI_ITEM(s->found.list, wri_flesh_contact, i);
        wr_vec3 off = wr_sub(c->point, centers[c->other]), q = {0};
        double gap = (double)(wr_length(off) - RADII[c->other]);
        for (int k = 0; k < 3; k++) {
            wr_vec3 corner = wri_flesh_place(s->skins[c->other].f, c->corners[k]);
            q = wr_add_scaled(q, c->shares[k], corner);
        }
        double error = fabs((double)c->gap - gap);
        out.mean += error / s->found.list.count;
        out.worst = fmax(out.worst, error);
        wr_vec3 own = wr_normalize(wr_sub(c->point, centers[c->member]));
        wr_vec3 n = wr_normalize(wr_sub(wr_normalize(off), own));
        out.askew = fmax(out.askew, (double)wr_length(wr_cross(c->normal, n)));
        out.deepest = fminf(out.deepest, c->gap);
        assert_true(wr_dot(c->normal, off) > 0.0f);
        assert_true(wr_length(wr_sub(q, c->point)) < 2.0f * texel + fabsf(c->gap));
    }
    for (int b = 0; b < BODIES; b++) {
        const wri_skin *skin = &s->skins[b];
        for (int i = 0; i < s->models[b]->node_count; i++) {
            float gap = wr_length(wr_sub(skin->x[i], centers[1 - b])) - RADII[1 - b];
            out.missed += gap < -texel && skin->met[i] < 0;
        }
    }
    return out;
}

static void depths_of_spheres_are_right_within_a_texel(void **state)
{
    (void)state;
    const float overlap = 0.012f, sizes[] = {1.0f, 0.5f, 0.25f};
    wr_vec3 way = wr_normalize(wr_v3(1.0f, 0.7f, -0.4f));
    const wr_vec3 centers[] = {wr_v3(0.3f, -0.1f, 0.2f),
                               wr_add_scaled(wr_v3(0.3f, -0.1f, 0.2f), 0.35f - overlap, way)};
    stage s = start(flesh_sphere(24, wr_v3(RADII[0], RADII[0], RADII[0]), 0.5f),
                    flesh_sphere(17, wr_v3(RADII[1], RADII[1], RADII[1]), 0.5f));
    add(&s, 0, drawn_at(centers[0]));
    add(&s, 1, drawn_at(centers[1]));
    float edge = fminf(s.models[0]->patches.edge, s.models[1]->patches.edge);
    for (int k = 0; k < 3; k++) {
        float texel = sizes[k] * edge;
        detect(&s, sizes[k]);
        accuracy got = compare_with_spheres(&s, centers, texel);
        printf("    texels of %.2f edges: %d contacts, off by %.3f texels in the mean and %.3f at "
               "most; normals by %.3f; deepest %.4f m of %.3f; %d missed\n",
               (double)sizes[k], s.found.list.count, got.mean / (double)texel,
               got.worst / (double)texel, got.askew, (double)-got.deepest, (double)overlap,
               got.missed);
        assert_true(s.found.list.count > 30 && got.missed == 0);
        assert_true(got.worst < (double)texel && got.mean < 0.1 * (double)texel &&
                    got.askew < 0.05);
        CHECK_NEAR((double)-got.deepest, (double)overlap, 0.25 * (double)texel);
    }
    end(&s);
}

// --- what is behind -----------------------------------------------------------------------------

// Two bulbs with a waist between them: what faces down of the upper bulb lies behind the lower one.
static flesh_shape hourglass(void)
{
    flesh_shape s = flesh_sphere(16, wr_v3(1.0f, 1.0f, 1.0f), 0.5f);
    for (int i = 0; i < s.node_count; i++) {
        wr_vec3 x = s.skin[i];
        float wide = 0.1f * (0.3f + 2.0f * x.y * x.y);
        s.skin[i] = wr_v3(wide * x.x, 0.08f * x.y, wide * x.z);
        s.core[i] = wr_scale(0.5f, s.skin[i]);
    }
    return s;
}

static void what_is_behind_its_own_surface_is_not_met(void **state)
{
    (void)state;
    const float radius = 0.4f;
    wr_vec3 way = wr_normalize(wr_v3(1, 1, 1)); // the box of the sphere reaches far beyond it here
    stage s = start(hourglass(), flesh_sphere(24, wr_v3(radius, radius, radius), 0.5f));
    wr_flesh_desc upper = drawn_at(wr_scale(radius + 0.075f, way));
    wr_vec3 axis = wr_normalize(wr_cross(wr_v3(0, 1, 0), way));
    upper.velocity = wr_scale(-40.0f, way); // so far that both bulbs are near enough
    upper.pose.rotation = wr_quat_from_axis_angle(axis, acosf(way.y));
    add(&s, 0, upper);
    add(&s, 1, drawn_at(wr_v3(0, 0, 0)));
    detect(&s, WRI_FLESH_TEXEL);
    int near = 0, behind = 0;
    for (int i = 0; i < s.models[0]->node_count; i++) {
        near += s.skins[0].met[i] >= 0 && s.models[0]->rest[i][1] < 0.0f;
        behind += s.skins[0].met[i] >= 0 && s.models[0]->rest[i][1] > 0.0f;
    }
    printf("    %d nodes of the lower bulb are met, %d of the upper one\n", near, behind);
    assert_true(near > 5);
    assert_int_equal(behind, 0);
    end(&s);
}

// --- the same again -----------------------------------------------------------------------------

static uint64_t hash_of_collision(wr_flesh_detection first, wr_flesh_detection second, int workers)
{
    stage s = start(flesh_sphere(12, wr_v3(0.2f, 0.22f, 0.18f), 0.5f),
                    flesh_sphere(9, wr_v3(0.15f, 0.13f, 0.16f), 0.5f));
    wr_tasks tasks = wr_tasks_openmp(workers);
    wr_flesh_desc a = drawn_at(wr_v3(0, 0, 0)), b = drawn_at(wr_v3(0.36f, 0.08f, 0.05f));
    a.detection = first, b.detection = second;
    b.velocity = wr_v3(-1.5f, 0, 0.2f);
    add(&s, 0, a);
    add(&s, 1, b);
    for (int i = 0; i < 40; i++) {
        wr_flesh_step step = wr_flesh_step_default();
        step.tasks = tasks;
        assert_true(wr_flesh_world_step(s.world, &step));
    }
    uint64_t hash = wr_flesh_hash(s.world, 0) ^ wr_flesh_hash(s.world, 1);
    end(&s);
    return hash;
}

static void threads_change_nothing(void **state)
{
    (void)state;
    uint64_t hash = hash_of_collision(WR_FLESH_RASTER, WR_FLESH_RASTER, 1);
    for (int workers = 2; workers < 4; workers++) {
        assert_true(hash_of_collision(WR_FLESH_RASTER, WR_FLESH_RASTER, workers) == hash);
    }
}

static void both_must_say_so(void **state)
{
    (void)state;
    uint64_t hash = hash_of_collision(WR_FLESH_EXACT, WR_FLESH_EXACT, 1);
    assert_true(hash_of_collision(WR_FLESH_RASTER, WR_FLESH_EXACT, 1) == hash);
    assert_true(hash_of_collision(WR_FLESH_EXACT, WR_FLESH_RASTER, 1) == hash);
    assert_true(hash_of_collision(WR_FLESH_RASTER, WR_FLESH_RASTER, 1) != hash);
}

// --- in scenes ----------------------------------------------------------------------------------

static void a_scene_says_which(void **state)
{
    (void)state;
    show s = start_with(NULL,
                        "'bodies': [{'shape': {'sphere': 0.2}, 'material': {'flesh': 'jelly', "
                        "'spacing': 2, 'detection': 'raster'}}, {'shape': {'sphere': 0.2}, 'at': "
                        "[1, 0, 0], 'material': {'flesh': 'jelly', 'spacing': 2}}]",
                        NULL);
    assert_int_equal(flesh_at(s.world, 0)->detection, WR_FLESH_RASTER);
    assert_int_equal(flesh_at(s.world, 1)->detection, WR_FLESH_EXACT);
    show_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_of_spheres_are_right_within_a_texel),
        cmocka_unit_test(what_is_behind_its_own_surface_is_not_met),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(both_must_say_so),
        cmocka_unit_test(a_scene_says_which),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
