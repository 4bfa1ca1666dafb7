// test_flesh_skin.c: what becomes of a model's skin when its body is flesh: coarse models are
// refined wherever they are seen and felt, and painted maps make it softer, thicker or hard.
#include "check.h"

#include "../src/base/os.h"
#include "../src/world/flesh.h"
#include "../src/world/world.h"
#include "show.h"

#define GROUND "{'shape': 'plane'}"

static show start(const char *assets, const char *text)
{
    return start_with(assets, text, NULL);
}

static double height_of(const show *s, int body)
{
    return (double)wr_rigid_center(s->world->rigid, wr_world_body(s->world, body)).y;
}

// --- refinement ---------------------------------------------------------------------------------

// A ball a quarter of the box's edges in radius, on a box whose top is at 0.4 m.
static double drop_ball(const char *spacing)
{
    char text[600];
    snprintf(text, sizeof text,
             "'bodies': [" GROUND ", {'shape': {'box': [0.4, 0.4, 0.4]}, 'at': [0, 0.2, 0], "
             "'material': {'flesh': 'tyre'%s}}, {'shape': {'sphere': 0.1}, 'at': [0.02, 0.6, "
             "0.01], 'density': 300, 'restitution': 0}]",
             spacing);
    show s = start(NULL, text);
    step_frames(s.world, 60);
    double height = height_of(&s, 2);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    show_end(&s);
    return height;
}

static void a_small_ball_does_not_pass_into_a_box_of_twelve_triangles(void **state)
{
    (void)state;
    double fine = drop_ball(""), coarse = drop_ball(", 'spacing': 0");
    printf("    at %.3f m, without refinement at %.3f m\n", fine, coarse);
    assert_true(fine > 0.48 && fine < 0.501);
    assert_true(coarse < 0.4);
}

static const wr_mesh *mesh_of(const show *s, int body)
{
    return s->scene->models[s->scene->bodies[body].model]->meshes;
}

static void a_refined_body_is_drawn_and_recorded_with_its_new_vertices(void **state)
{
    (void)state;
    show s = start(NULL, "'bodies': [" GROUND
                         ", {'shape': {'box': [0.4, 0.4, 0.4]}, 'at': [0, 0.22, 0], 'material': "
                         "{'flesh': 'jelly'}}, {'shape': {'box': [0.4, 0.4, 0.4]}, 'at': [2, 0.2, "
                         "0]}, {'shape': {'box': [0.4, 0.4, 0.4]}, 'at': [4, 0.2, 0], 'material': "
                         "{'flesh': 'fat'}}]");
    const wr_mesh *fine = mesh_of(&s, 1), *coarse = mesh_of(&s, 2);
    int count = fine->vertex_count;
    printf("    %d vertices\n", count);
    assert_int_equal(s.scene->model_count, 2); // nobody draws the coarse one twice
    assert_ptr_equal(fine, mesh_of(&s, 3));
    assert_true(coarse->vertex_count == 24 && count > 1500 && count < 2500);
    assert_true(s.scene->bodies[1].added.first == 24 && s.scene->bodies[2].added.count == 0);
    assert_int_equal(s.scene->bodies[1].added.count, count - 24);
    const wr_record_info *info = wr_world_record_info(s.world);
    assert_int_equal(info->model_count, 2);
    assert_int_equal(info->models[s.scene->bodies[1].model]->meshes->vertex_count, count);
    assert_int_equal(info->models[s.scene->bodies[1].model]->look_count, 1);
    assert_non_null(info->models[s.scene->bodies[1].model]->looks);
    step_frames(s.world, 10);
    const wr_frame *frame = wr_world_frame(s.world);
    assert_int_equal(frame->points_count, 2);
    assert_int_equal(frame->points[0].count, count);
    show_end(&s);
}

static void a_fine_model_stays_as_it_is(void **state)
{
    (void)state;
    char bar[600];
    snprintf(bar, sizeof bar, "'bar': '%s/models/bar.glb'", getenv("WROUGHT_SCENES"));
    show s = start(bar, "'bodies': [{'asset': 'bar', 'material': 'flesh'}, {'asset': 'bar', 'at': "
                        "[0, 3, 0]}]");
    assert_int_equal(s.scene->model_count, 1);
    assert_int_equal(s.scene->bodies[0].added.count, 0);
    assert_ptr_equal(mesh_of(&s, 0), mesh_of(&s, 1));
    show_end(&s);
}

static void put_text(const char *name, const char *text)
{
    char path[600], json[4096];
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    snprintf(json, sizeof json, "%s", text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    assert_true(wri_file_write(path, json, strlen(json), NULL));
}

static void where_refinement_ends_is_said(void **state)
{
    (void)state;
    put_text("fine.json", "{'wrought': 1, 'bodies': [{'name': 'cube', 'shape': {'box': [1, 1, 1]}, "
                          "'material': {'flesh': 'fat', 'spacing': '1 mm'}}]}");
    char path[600];
    snprintf(path, sizeof path, "%s/fine.json", folder.path);
    wr_error error = {0};
    wr_scene *scene = wr_scene_read(path, NULL, &error);
    if (!scene) {
        fail_msg("%s", error.message);
    }
    int count = scene->models[scene->bodies[0].model]->meshes->vertex_count;
    assert_int_equal(scene->warning_count, 1);
    printf("    %d vertices; %s\n", count, strstr(scene->warnings[0], "body"));
    assert_non_null(strstr(scene->warnings[0], "fine.json:1:27: body \"cube\": edges of its "
                                               "model stay up to 0.01"));
    assert_true(count > 20000 && count <= 100000);
    wr_scene_destroy(scene);
}

// --- painted maps -------------------------------------------------------------------------------

enum { LONG = 24, WIDE = 12, RING = 2 * (WIDE + 1) };

// A slab of 2 m by 0.2 by 1, painted black on its left and red on its right half. Every vertex is
// there twice, as at seams, and faces take the one or the other.
static void put_slab(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/slab.ply", folder.path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
            "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
            "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
            2 * (LONG + 1) * RING, LONG * RING + 2 * WIDE);
    for (int i = 0; i < (LONG + 1) * RING; i++) { // rings along x: over the bottom, back on top
        int along = i / RING, around = i % RING;
        double z = (double)(around > WIDE ? RING - 1 - around : around) / WIDE - 0.5;
        int red = 2 * along < LONG ? 0 : 2 * along > LONG ? 255 : 128;
        for (int k = 0; k < 2; k++) {
            fprintf(f, "%g %g %g %d 0 0\n", 2.0 * along / LONG - 1.0, around > WIDE ? 0.1 : -0.1, z,
                    red);
        }
    }
    for (int i = 0; i < LONG * RING; i++) {
        int a = 2 * i + i % 2, b = 2 * (i / RING * RING + (i + 1) % RING) + i % 2;
        fprintf(f, "4 %d %d %d %d\n", a, a + 2 * RING, b + 2 * RING, b);
    }
    for (int i = 0; i < WIDE; i++) {
        int first = 2 * i, last = 2 * (LONG * RING + i), up = 2 * (RING - 1 - 2 * i);
        fprintf(f, "4 %d %d %d %d\n", first, first + 2, first + up - 2, first + up);
        fprintf(f, "4 %d %d %d %d\n", last, last + up, last + up - 2, last + 2);
    }
    fclose(f);
}

// How far the skin of the top is pressed in below the boxes on the left and on the right, in the
// mean and at most; metres.
typedef struct pressed {
    double mean[2], most[2];
} pressed;

static pressed find_pressed(const show *s, const wr_vec3 *rest, int count)
{
    int body, nodes[2] = {0};
    const wr_flesh_world *flesh = wri_flesh_world_of(s->world->materials[0].state, &body);
    wr_vec3 *places = malloc((size_t)count * sizeof *places);
    wr_pose back = wr_pose_inverse(wr_flesh_bone_pose(flesh, body, 0));
    wr_flesh_positions(flesh, body, places);
    pressed out = {0};
    for (int i = 0; i < count; i++) {
        float x = fabsf(rest[i].x);
        if (rest[i].y > 0.0999f && x > 0.3f && x < 0.8f && fabsf(rest[i].z) < 0.35f) {
            int side = rest[i].x > 0.0f;
            double depth = (double)rest[i].y - (double)wr_pose_point(back, places[i]).y;
            out.mean[side] += depth;
            out.most[side] = fmax(out.most[side], fabs(depth));
            nodes[side]++;
        }
    }
    for (int side = 0; side < 2; side++) {
        assert_true(nodes[side] > 20);
        out.mean[side] /= nodes[side];
    }
    free(places);
    return out;
}

// Two boxes, one on each half, of 0.7 m by 0.9, press with 1000 Pa on a layer of 0.02 m.
static pressed press(const char *paint)
{
    char text[1200];
    put_slab();
    snprintf(text, sizeof text,
             "{'wrought': 1, 'model': 'slab.ply', 'simulation': {'vertices': 400}, 'handles': "
             "{'automatic': 2}, 'paint': {%s}}",
             paint);
    put_text("slab.recipe.json", text);
    const double mass = 1000.0 * 0.7 * 0.9 / 9.81;
    snprintf(text, sizeof text,
             "'bodies': [" GROUND
             ", {'asset': 'slab', 'at': [0, 0.101, 0], 'density': 500, 'material': {'flesh': "
             "'muscle', 'stiffness': '20000 Pa', 'poisson': 0, 'damping': '0.05 s', 'thickness': "
             "'0.02 m'}}, {'shape': {'box': [0.7, 0.1, 0.9]}, 'at': [-0.55, 0.2525, 0], 'mass': "
             "%.17g, 'restitution': 0}, {'shape': {'box': [0.7, 0.1, 0.9]}, 'at': "
             "[0.55, 0.2525, 0], 'mass': %.17g, 'restitution': 0}]",
             mass, mass);
    show s = start("'slab': 'slab.recipe.json'", text);
    int body;
    const wr_flesh_world *flesh = wri_flesh_world_of(s.world->materials[0].state, &body);
    int count = wr_flesh_count(flesh, body);
    wr_vec3 *rest = malloc((size_t)count * sizeof *rest);
    wr_pose back = wr_pose_inverse(wr_flesh_bone_pose(flesh, body, 0));
    wr_flesh_positions(flesh, body, rest);
    for (int i = 0; i < count; i++) {
        rest[i] = wr_pose_point(back, rest[i]);
    }
    step_frames(s.world, 120);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    pressed out = find_pressed(&s, rest, count);
    printf("    %d nodes: pressed in by %.4f and %.4f mm\n", count, 1e3 * out.mean[0],
           1e3 * out.mean[1]);
    free(rest);
    show_end(&s);
    return out;
}

#define PAINT(kind, from, to) "'" kind "': {'vertex_color': 'red', 'from': " from ", 'to': " to "}"
static const double WANTED = 1000.0 * 0.02 / 20000.0; // p h / E, of a slab that is wide

static void painted_stiffness_divides_how_far_it_gives_way(void **state)
{
    (void)state;
    pressed p = press(PAINT("strength", "1", "4"));
    CHECK_NEAR(p.mean[0], WANTED, 0.1 * WANTED);
    CHECK_NEAR(p.mean[0] / p.mean[1], 4.0, 0.1);
}

static void painted_thickness_multiplies_how_far_it_gives_way(void **state)
{
    (void)state;
    pressed p = press(PAINT("thickness", "1", "0.5"));
    CHECK_NEAR(p.mean[0], WANTED, 0.1 * WANTED);
    CHECK_NEAR(p.mean[0] / p.mean[1], 2.0, 0.06);
}

static void without_thickness_skin_does_not_give_way(void **state)
{
    (void)state;
    pressed p = press(PAINT("thickness", "1", "0"));
    CHECK_NEAR(p.mean[0], WANTED, 0.1 * WANTED);
    printf("    hard skin gives way by %.2g m at most\n", p.most[1]);
    assert_true(p.most[1] < 3e-6); // as far as numbers let what is fixed
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_ball_does_not_pass_into_a_box_of_twelve_triangles),
        cmocka_unit_test(a_refined_body_is_drawn_and_recorded_with_its_new_vertices),
        cmocka_unit_test(a_fine_model_stays_as_it_is),
        cmocka_unit_test(where_refinement_ends_is_said),
        cmocka_unit_test(painted_stiffness_divides_how_far_it_gives_way),
        cmocka_unit_test(painted_thickness_multiplies_how_far_it_gives_way),
        cmocka_unit_test(without_thickness_skin_does_not_give_way),
    };
    return cmocka_run_group_tests(tests, set_up_with_cache, tear_down);
}
