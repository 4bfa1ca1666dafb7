// test_texels_world.c: bodies of flesh whose nodes are texels: they sag, fall and spin like those
// whose nodes are vertices, seams do not show, and the picture, weights and paint go with them.
#include "check.h"

#include "wrought/texels.h"

#include "../src/base/os.h"
#include "../src/flesh/flesh.h"
#include "../src/math/double3.h"
#include "../src/world/flesh.h"
#include "../src/world/flesh_texels.h"
#include "show.h"

static wri_flesh *flesh_at(const show *s, int index)
{
    int body;
    wr_flesh_world *flesh = wri_flesh_world_of(s->world->materials[index].state, &body);
    return wri_flesh_of(flesh, body);
}

static double energy_of(const show *s)
{
    int body;
    const wr_flesh_world *flesh = wri_flesh_world_of(s->world->materials[0].state, &body);
    return wr_flesh_energy_of(flesh, body);
}

static const wr_mesh *drawn_mesh(const show *s, int body)
{
    return s->scene->models[s->scene->bodies[body].model]->meshes;
}

// Where the vertices of the only body are, world.
static const wr_vec3 *drawn(const show *s)
{
    const wr_frame *frame = wr_world_frame(s->world);
    assert_int_equal(frame->points_count, 1);
    return frame->points[0].positions;
}

// --- sagging ------------------------------------------------------------------------------------

#define HELD                                                                                       \
    "'bodies': [{%s, 'path': [{'time': 0, 'at': [1, 2, 3]}], 'material': {'flesh': 'fat', "        \
    "'stiffness': 6, 'damping': 0.3, 'thickness': '0.07 m', %s}}]"

// Hangs on its core until it rests.
static show hang(const char *shape, const char *nodes)
{
    char text[600];
    snprintf(text, sizeof text, HELD, shape, nodes);
    show s = start_with(NULL, text, NULL);
    step_frames(s.world, 60);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    return s;
}

// Metres, in the mean over the area that is drawn.
static double mean_sag(const show *s)
{
    const wr_mesh *mesh = drawn_mesh(s, 0);
    const wr_vec3 *p = drawn(s), *rest = mesh->positions;
    double sum = 0.0, all = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *v = &mesh->triangles[3 * i];
        wr_vec3 e = wr_sub(rest[v[1]], rest[v[0]]), f = wr_sub(rest[v[2]], rest[v[0]]);
        double area = (double)wr_length(wr_cross(e, f)) / 2.0;
        for (int k = 0; k < 3; k++) {
            sum += area / 3.0 * ((double)rest[v[k]].y + 2.0 - (double)p[v[k]].y);
        }
        all += area;
    }
    return sum / all;
}

static void texels_sag_like_vertices(void **state)
{
    (void)state;
    static const char *const shapes[] = {"'shape': {'sphere': 0.3}",
                                         "'shape': {'box': [0.5, 0.4, 0.3]}"};
    for (int i = 0; i < 2; i++) {
        show a = hang(shapes[i], "'texels': 64"), b = hang(shapes[i], "'spacing': 0.8");
        const wri_flesh *f = flesh_at(&a, 0), *g = flesh_at(&b, 0);
        double sag[2] = {mean_sag(&a), mean_sag(&b)}, energy[2] = {energy_of(&a), energy_of(&b)};
        printf("    %s: %d texels, %d vertices: sag by %.3f and %.3f mm, %.4f and %.4f J\n",
               shapes[i], f->model->node_count, g->model->node_count, 1e3 * sag[0], 1e3 * sag[1],
               energy[0], energy[1]);
        // At edges the layer is as thin as its nodes allow, and differs.
        double limit = i == 0 ? 0.01 : 0.04;
        CHECK_NEAR(f->model->total_mass / g->model->total_mass, 1.0, 0.005);
        CHECK_NEAR(sag[0] / sag[1], 1.0, limit);
        CHECK_NEAR(energy[0] / energy[1], 1.0, limit);
        show_end(&a);
        show_end(&b);
    }
}

// A displacement has no jump at seams: along edges there it changes no faster than elsewhere.
static void seams_do_not_show(void **state)
{
    (void)state;
    wr_error error = {0};
    show s = hang("'shape': {'sphere': 0.3}", "'texels': 64");
    wr_texels_desc desc = wr_texels_desc_default();
    desc.mesh = drawn_mesh(&s, 0);
    desc.side = 64;
    wr_texels *t = wr_texels_create(&desc, &error);
    int body, n = t->vertex_count;
    const wr_flesh_world *flesh = wri_flesh_world_of(s.world->materials[0].state, &body);
    assert_int_equal(wr_flesh_count(flesh, body), n);
    wr_vec3 *u = malloc((size_t)n * sizeof *u);
    wr_flesh_positions(flesh, body, u);
    for (int i = 0; i < n; i++) {
        u[i] = wr_sub(wr_sub(u[i], t->positions[i]), wr_v3(1, 2, 3));
    }
    double most[3] = {0.0, 0.0, 0.0}; // among texels, across to a seam, along it
    for (int i = 0; i < 3 * t->triangle_count; i++) {
        int a = t->triangles[i], b = t->triangles[i % 3 == 2 ? i - 2 : i + 1];
        int kind = (t->texel[a] < 0) + (t->texel[b] < 0);
        float length = wr_distance(t->positions[a], t->positions[b]);
        most[kind] = fmax(most[kind], (double)(wr_distance(u[a], u[b]) / length));
    }
    printf("    strains of %.4f among texels, %.4f towards seams, %.4f along them\n", most[0],
           most[1], most[2]);
    assert_true(most[0] > 0.01 && most[1] < 1.4 * most[0] && most[2] < 1.4 * most[0]);
    free(u);
    wr_texels_destroy(t);
    show_end(&s);
}

// --- falling ------------------------------------------------------------------------------------

static wri_flesh_momentum momentum_of(const show *s)
{
    wr_scratch scratch = wri_scratch_create(NULL);
    wri_flesh_momentum m;
    assert_true(wri_flesh_find_momentum(flesh_at(s, 0), NULL, &scratch, &m));
    wri_scratch_destroy(&scratch);
    return m;
}

static void texels_fall_and_spin_exactly(void **state)
{
    (void)state;
    show s = start_with(NULL,
                        "'bodies': [{'shape': {'box': [0.4, 0.3, 0.2]}, 'velocity': [1, 5, 2], "
                        "'spin': [200, 90, -300], 'material': {'flesh': 'fat', 'texels': 48}}]",
                        NULL);
    wri_flesh_momentum before = momentum_of(&s);
    step_frames(s.world, 60);
    wri_flesh_momentum after = momentum_of(&s);
    double mass = flesh_at(&s, 0)->model->total_mass, spin = wri_length3(before.spin);
    CHECK_NEAR(mass, 24.0, 1e-3);
    CHECK_NEAR(after.P[1] - before.P[1], -9.81 * mass, 1e-6 * mass);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(k == 1 ? 0.0 : after.P[k], k == 1 ? 0.0 : before.P[k], 1e-9 * mass);
        CHECK_NEAR(after.spin[k], before.spin[k], 1e-9 * spin);
    }
    show_end(&s);
}

static void texels_squash_and_lie_still(void **state)
{
    (void)state;
    show s = start_with(NULL,
                        "'bodies': [{'shape': 'plane'}, {'shape': {'sphere': 0.2}, 'at': [0, 0.4, "
                        "0], 'material': {'flesh': 'muscle', 'texels': 40}}]",
                        NULL);
    step_frames(s.world, 150);
    double height = flesh_at(&s, 0)->bones[0].c[1];
    const wr_vec3 *p = drawn(&s);
    float least = 1.0f;
    for (int i = 0; i < drawn_mesh(&s, 1)->vertex_count; i++) {
        least = fminf(least, p[i].y);
    }
    printf("    the core rests at %.3f m, the skin is drawn from %.4f m on\n", height,
           (double)least);
    assert_int_equal(wr_world_stats(s.world).frozen, 0);
    assert_true(height > 0.15 && height < 0.2 && fabsf(least) < 0.002f);
    show_end(&s);
}

// --- what goes with the model -------------------------------------------------------------------

static void a_hand_of_texels_closes_as_one_of_vertices_does(void **state)
{
    (void)state;
    char hand[600], text[2][600];
    snprintf(hand, sizeof hand, "'hand': '%s/models/hand.glb'", getenv("WROUGHT_SCENES"));
    show s[2];
    for (int k = 0; k < 2; k++) {
        snprintf(text[k], sizeof text[k],
                 "'gravity': [0, 0, 0], 'bodies': [{'asset': 'hand', 'pose': {'clip': 'close'}, "
                 "'material': {'flesh': 'muscle', %s}}]",
                 k == 0 ? "'texels': 96" : "'spacing': 0");
        s[k] = start_with(hand, text[k], NULL);
        step_frames(s[k].world, 20);
    }
    const wri_flesh *f = flesh_at(&s[0], 0), *g = flesh_at(&s[1], 0);
    assert_int_equal(f->model->bone_count, g->model->bone_count);
    const wr_vec3 *p = drawn(&s[0]), *q = drawn(&s[1]);
    const wr_vec3 *rest = drawn_mesh(&s[0], 0)->positions;
    double apart = 0.0, moved = 0.0, mean = 0.0;
    int count = drawn_mesh(&s[1], 0)->vertex_count;
    for (int i = 0; i < count; i++) {
        apart = fmax(apart, (double)wr_distance(p[i], q[i]));
        mean += (double)wr_distance(p[i], q[i]) / count;
        moved = fmax(moved, (double)wr_distance(rest[i], q[i]));
    }
    printf("    %d bones, %d texels; moved by %.4f m, %.5f apart at most, %.6f in the mean\n",
           f->model->bone_count, f->model->node_count, moved, apart, mean);
    assert_true(moved > 0.02 && apart < 0.15 * moved && mean < 0.01 * moved);
    show_end(&s[0]);
    show_end(&s[1]);
}

// What is drawn has the file's vertices, and edges that are short enough to show what texels do.
static void a_body_of_texels_is_drawn_with_the_models_vertices(void **state)
{
    (void)state;
    show s = start_with(NULL,
                        "'bodies': [{'shape': {'box': [0.5, 0.4, 0.3]}, 'at': [0, 1, 0], "
                        "'material': {'flesh': 'fat', 'texels': 64}}]",
                        NULL);
    const wr_mesh *mesh = drawn_mesh(&s, 0);
    int count = mesh->vertex_count;
    assert_int_equal(s.scene->bodies[0].added.first, 24);
    assert_int_equal(s.scene->bodies[0].added.count, count - 24);
    printf("    %d vertices for %d texels\n", count, flesh_at(&s, 0)->model->node_count);
    assert_true(count > 800 && count < 4000);
    const wr_vec3 *p = drawn(&s);
    for (int i = 0; i < count; i++) {
        assert_true(wr_distance(p[i], wr_add(mesh->positions[i], wr_v3(0, 1, 0))) < 1e-6f);
    }
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

// A box of 24 by 12 by 2 quads, its right half red, as a file.
static void put_painted_box(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/slab.ply", folder.path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    enum { LONG = 24, WIDE = 12, RING = 2 * (WIDE + 1) };
    fprintf(f,
            "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
            "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
            "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
            (LONG + 1) * RING, LONG * RING + 2 * WIDE);
    for (int i = 0; i < (LONG + 1) * RING; i++) {
        int along = i / RING, around = i % RING;
        double z = (double)(around > WIDE ? RING - 1 - around : around) / WIDE - 0.5;
        fprintf(f, "%g %g %g %d 0 0\n", 2.0 * along / LONG - 1.0, around > WIDE ? 0.1 : -0.1, z,
                2 * along < LONG ? 0 : 255);
    }
    for (int i = 0; i < LONG * RING; i++) {
        int b = i / RING * RING + (i + 1) % RING;
        fprintf(f, "4 %d %d %d %d\n", i, i + RING, b + RING, b);
    }
    for (int i = 0; i < WIDE; i++) {
        int last = LONG * RING + i, up = RING - 1 - 2 * i;
        fprintf(f, "4 %d %d %d %d\n", i, i + 1, i + up - 1, i + up);
        fprintf(f, "4 %d %d %d %d\n", last, last + up, last + up - 1, last + 1);
    }
    fclose(f);
}

// Paint of a model's vertices is that of its texels.
static void painted_texels_sag_less_where_they_are_stiffer(void **state)
{
    (void)state;
    put_painted_box();
    put_text("slab.recipe.json",
             "{'wrought': 1, 'model': 'slab.ply', 'simulation': {'vertices': 400}, 'handles': "
             "{'automatic': 2}, 'paint': {'strength': {'vertex_color': 'red', 'from': 1, 'to': "
             "4}}}");
    char text[700];
    snprintf(text, sizeof text, HELD, "'asset': 'slab'", "'poisson': 0, 'texels': 64");
    show s = start_with("'slab': 'slab.recipe.json'", text, NULL);
    step_frames(s.world, 60);
    const wr_vec3 *p = drawn(&s);
    const wr_mesh *mesh = drawn_mesh(&s, 0);
    double sum[2] = {0.0, 0.0};
    int count[2] = {0, 0};
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 at = mesh->positions[i];
        if (at.y > 0.0999f && fabsf(at.x) > 0.3f && fabsf(at.x) < 0.8f && fabsf(at.z) < 0.35f) {
            sum[at.x > 0.0f] += (double)(at.y + 2.0f - p[i].y);
            count[at.x > 0.0f]++;
        }
    }
    double ratio = sum[0] / count[0] / (sum[1] / count[1]);
    printf("    sags by %.5f and %.5f m\n", sum[0] / count[0], sum[1] / count[1]);
    assert_true(count[0] > 20 && count[1] > 20);
    CHECK_NEAR(ratio, 4.0, 0.2);
    show_end(&s);
}

// --- bits, limits, sentences --------------------------------------------------------------------

static void resumed_texels_are_bit_identical_on_any_threads(void **state)
{
    (void)state;
    const char *text = "'bodies': [{'shape': 'plane'}, {'shape': {'sphere': 0.2}, 'at': [0, 0.25, "
                       "0], 'spin': [100, 30, 0], 'velocity': [0, -2, 0], 'material': {'flesh': "
                       "'jelly', 'texels': 32}}]";
    check_same_bits(&(hash_run){NULL, text, 5, 15});
}

static void check_said(const char *material, const char *sentence)
{
    char text[600], path[600];
    wr_error error = {0};
    show s = {0};
    snprintf(text, sizeof text,
             "'bodies': [{'name': 'cube', 'shape': {'box': [1, 1, 1]}, 'material': {'flesh': "
             "'fat', %s}}]",
             material);
    snprintf(path, sizeof path, "%s/scene.json", folder.path);
    assert_false(show_start(&s, path, getenv("WROUGHT_SCENES"), NULL, text, NULL, &error));
    if (!strstr(error.message, sentence)) {
        fail_msg("%s", error.message);
    }
}

static void what_texels_cannot_be_is_said(void **state)
{
    (void)state;
    check_said("'texels': -1", "\"texels\" is -1, expected");
    check_said("'texels': 2000", "\"texels\" is 2000, expected");
    check_said("'texels': 12.5", "\"texels\" is 12.5, expected");
    check_said("'texels': 7", "body \"cube\": \"texels\" is 7, expected 8 to 1024, or 0");
    check_said("'texels': 64, 'spacing': 1",
               "\"texels\" and \"spacing\" exclude each other, expected one of them");
}

static void listen(void *user, const char *message)
{
    snprintf(user, 512, "%s", message);
}

static void more_nodes_than_there_may_be_are_said(void **state)
{
    (void)state;
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    char heard[512] = "";
    wr_error error = {0};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1), white, &error);
    wr_material_desc desc = {
        .name = "cube", .place = "here:1:2", .model = box, .log = {listen, heard}};
    wr_texels *t = wri_flesh_sample(&desc, 256.0, &error);
    assert_true(t && t->side == 256 && !heard[0]);
    wr_texels_destroy(t);
    t = wri_flesh_sample(&desc, 1024.0, &error);
    assert_true(t && t->side > 300 && t->vertex_count > 60000 && t->vertex_count <= 100000);
    printf("    %d nodes; %s\n", t->vertex_count, heard);
    assert_non_null(strstr(heard, "here:1:2: body \"cube\" has "));
    assert_non_null(strstr(heard, " texels along a side, not 1024 as wanted: it would have more "
                                  "than 100000 nodes"));
    wr_texels_destroy(t);
    wr_model_destroy(box);
}

// A ball of 8 texels along a side is inside what is drawn, which went 8 cm into the ground.
static void so_few_texels_that_they_are_elsewhere_are_said(void **state)
{
    (void)state;
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    wr_error error = {0};
    wr_model *ball =
        wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(0.2f, 0.2f, 0.2f), white, &error);
    for (int side = 8; side <= 64; side *= 2) {
        char heard[512] = "";
        wr_material_desc desc = {.name = "ball", .model = ball, .log = {listen, heard}};
        wr_texels_destroy(wri_flesh_sample(&desc, side, &error));
        printf("    %d: %s\n", side, heard);
        bool is_said = strstr(heard, "body \"ball\" has 8 texels along a side, too few");
        assert_true(side == 8 ? is_said : side < 32 || !heard[0]);
    }
    wr_model_destroy(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(so_few_texels_that_they_are_elsewhere_are_said),
        cmocka_unit_test(texels_sag_like_vertices),
        cmocka_unit_test(seams_do_not_show),
        cmocka_unit_test(texels_fall_and_spin_exactly),
        cmocka_unit_test(texels_squash_and_lie_still),
        cmocka_unit_test(a_hand_of_texels_closes_as_one_of_vertices_does),
        cmocka_unit_test(a_body_of_texels_is_drawn_with_the_models_vertices),
        cmocka_unit_test(painted_texels_sag_less_where_they_are_stiffer),
        cmocka_unit_test(resumed_texels_are_bit_identical_on_any_threads),
        cmocka_unit_test(what_texels_cannot_be_is_said),
        cmocka_unit_test(more_nodes_than_there_may_be_are_said),
    };
    return cmocka_run_group_tests(tests, set_up_with_cache, tear_down);
}
