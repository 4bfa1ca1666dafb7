// test_figures.c: the figures of the demo scenes, and the modeller that makes them.
#include "wrought/file.h"
#include "../src/base/base.h"
#include "../src/base/os.h"
#include "../tools/figure_field.h"
#include "../tools/net.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FIGURES = 3, MAX_TRIANGLES = 12000, MAX_BYTES = 600000 };
static const char *const NAMES[FIGURES] = {"rabbit", "hen", "pig"};
static const float LEAST_ANGLE = 20.0f; // degrees

typedef struct fixture {
    wri_arena arena;
    const char *paths[FIGURES];
    wr_model *models[FIGURES];
} fixture;

static int read_figures(void **state)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        *state = NULL;
        return 0;
    }
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->arena = wri_arena_create(NULL);
    for (int i = 0; i < FIGURES; i++) {
        wr_error error = {0};
        f->paths[i] = wri_arena_printf(&f->arena, "%s/models/%s.glb", scenes, NAMES[i]);
        f->models[i] = wr_model_read(f->paths[i], NULL, &error);
        if (!f->models[i]) {
            print_error("%s\n", error.message);
            return 1;
        }
    }
    return 0;
}

static int free_figures(void **state)
{
    fixture *f = *state;
    for (int i = 0; f && i < FIGURES; i++) {
        wr_model_destroy(f->models[i]);
    }
    if (f) {
        wri_arena_destroy(&f->arena);
        free(f);
    }
    return 0;
}

// One of the figures per call; NULL behind the last.
static const wr_model *figure_at(void **state, int i)
{
    fixture *f = *state;
    if (!f) {
        print_message("WROUGHT_SCENES is not set; no figures to look at\n");
        skip();
    }
    return i < FIGURES ? f->models[i] : NULL;
}

static int compare_places(const void *a, const void *b)
{
    const float *x = a, *y = b;
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

// --- shape ------------------------------------------------------------------------------------

typedef struct welded {
    int count;
    wr_vec3 *places; // sorted, no two alike
} welded;

static welded weld(const wr_mesh *mesh)
{
    welded w = {0};
    w.places = calloc((size_t)mesh->vertex_count, sizeof *w.places);
    memcpy(w.places, mesh->positions, (size_t)mesh->vertex_count * sizeof *w.places);
    qsort(w.places, (size_t)mesh->vertex_count, sizeof *w.places, compare_places);
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (i == 0 || compare_places(&w.places[w.count - 1], &w.places[i]) != 0) {
            w.places[w.count++] = w.places[i];
        }
    }
    return w;
}

static int find_place(const welded *w, wr_vec3 p)
{
    p.x = p.x == 0.0f ? 0.0f : p.x; // there is a negative zero
    const wr_vec3 *found =
        bsearch(&p, w->places, (size_t)w->count, sizeof *w->places, compare_places);
    return found ? (int)(found - w->places) : -1;
}

static net net_of_mesh(const wr_mesh *mesh, const welded *w)
{
    net n = net_create();
    for (int i = 0; i < w->count; i++) {
        net_add_vertex(&n, w->places[i]);
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        int corners[3];
        for (int k = 0; k < 3; k++) {
            corners[k] = find_place(w, mesh->positions[mesh->triangles[3 * t + k]]);
        }
        net_add_triangle(&n, corners[0], corners[1], corners[2]);
    }
    net_join_twins(&n);
    return n;
}

// A closed surface has a neighbour across every edge that runs the other way, and one fan of
// triangles around every vertex: then Euler's number is even, 2 for a ball.
static int euler_number(const net *n)
{
    int corners = 0;
    for (int h = 0; h < 3 * n->triangle_count; h++) {
        assert_true(n->twin[h] >= 0 && n->twin[n->twin[h]] == h);
        assert_int_equal(n->corner[n->twin[h]], net_head(n, h));
    }
    for (int v = 0; v < n->vertex_count; v++) {
        int ring[NET_MAX_RING];
        corners += net_ring(n, v, ring);
    }
    assert_int_equal(corners, 3 * n->triangle_count);
    return n->vertex_count - n->triangle_count / 2;
}

static void a_figure_is_one_ball_of_clay(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        assert_int_equal(m->mesh_count, 1);
        welded w = weld(mesh);
        net n = net_of_mesh(mesh, &w);
        int *shells = calloc((size_t)mesh->vertex_count, sizeof *shells);
        wr_mass_properties mass = {0};
        assert_int_equal(euler_number(&n), 2);
        assert_int_equal(wr_mesh_find_shells(mesh, shells), 1);
        assert_true(wr_mesh_find_mass(mesh, 1000.0, &mass, NULL));
        assert_true(mass.mass > 3.0 && mass.mass < 12.0);
        assert_true(mass.center[0] == 0.0 || fabs(mass.center[0]) < 1e-7);
        free(shells);
        net_destroy(&n);
        free(w.places);
    }
}

static float least_angle(const wr_mesh *mesh)
{
    float least = 180.0f;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const int *c = mesh->triangles + i / 3 * 3;
        wr_vec3 at = mesh->positions[c[i % 3]];
        wr_vec3 u = wr_sub(mesh->positions[c[(i + 1) % 3]], at);
        wr_vec3 v = wr_sub(mesh->positions[c[(i + 2) % 3]], at);
        float angle = atan2f(wr_length(wr_cross(u, v)), wr_dot(u, v));
        least = fminf(least, 180.0f / WR_PI * angle);
    }
    return least;
}

static void triangles_are_few_and_none_is_a_sliver(void **state)
{
    fixture *f = *state;
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        float least = least_angle(mesh);
        print_message("%s: %d triangles, least angle %.1f degrees\n", NAMES[i],
                      mesh->triangle_count, (double)least);
        assert_in_range(mesh->triangle_count, MAX_TRIANGLES / 2, MAX_TRIANGLES);
        assert_in_range(wri_file_size(f->paths[i]), 1, MAX_BYTES);
        assert_true(least > LEAST_ANGLE);
    }
}

static void normals_are_unit_and_on_the_side_of_their_triangles(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        for (int k = 0; k < 3 * mesh->triangle_count; k++) {
            const int *c = mesh->triangles + k / 3 * 3;
            wr_vec3 a = mesh->positions[c[0]], n = mesh->normals[mesh->triangles[k]];
            wr_vec3 b = wr_sub(mesh->positions[c[1]], a), d = wr_sub(mesh->positions[c[2]], a);
            assert_true(fabsf(wr_length(n) - 1.0f) < 1e-4f);
            assert_true(wr_dot(wr_cross(b, d), n) > 0.0f);
        }
    }
}

static void it_stands_on_the_floor_and_looks_along_z(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        wr_box box = wr_mesh_bounds(mesh);
        wr_vec3 eye = {0};
        assert_true(box.min.y == 0.0f && box.max.y > 0.28f && box.max.y < 0.4f);
        for (int k = 0; k < mesh->part_count; k++) {
            if (strcmp(m->looks[mesh->parts[k].look].name, "eye") == 0) {
                eye = mesh->positions[mesh->triangles[3 * mesh->parts[k].first_triangle]];
            }
        }
        assert_true(eye.z > 0.0f && eye.y > 0.5f * box.max.y);
    }
}

// --- symmetry ---------------------------------------------------------------------------------

static bool same_color(wr_color a, wr_color b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
}

// The joint on the other side, or the joint itself.
static int find_opposite(const wr_model *m, int joint)
{
    char name[64];
    const wr_model_skin *skin = &m->skins[0];
    snprintf(name, sizeof name, "%s", m->nodes[skin->joints[joint]].name);
    size_t length = strlen(name);
    if (length > 2 && name[length - 2] == '.') {
        name[length - 1] = name[length - 1] == 'L' ? 'R' : 'L';
    }
    for (int i = 0; i < skin->joint_count; i++) {
        if (strcmp(m->nodes[skin->joints[i]].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static float weight_of(const wr_mesh *mesh, int vertex, int joint)
{
    for (int k = 0; k < mesh->influence_count; k++) {
        int at = vertex * mesh->influence_count + k;
        if (mesh->joints[at] == joint && mesh->weights[at] > 0.0f) {
            return mesh->weights[at];
        }
    }
    return 0.0f;
}

static void check_twin(const wr_model *m, int a, int b)
{
    const wr_mesh *mesh = &m->meshes[0];
    for (int k = 0; k < mesh->influence_count; k++) {
        int joint = mesh->joints[a * mesh->influence_count + k];
        int opposite = find_opposite(m, joint);
        assert_true(opposite >= 0);
        assert_true(fabsf(weight_of(mesh, a, joint) - weight_of(mesh, b, opposite)) < 1e-6f);
    }
}

// Vertices with colours, mirrored or not, in an order of their own.
typedef struct point {
    float at[3];
    wr_color color;
    int vertex;
} point;

static int compare_points(const void *a, const void *b)
{
    const point *x = a, *y = b;
    int place = compare_places(x->at, y->at);
    return place ? place : memcmp(&x->color, &y->color, sizeof x->color);
}

static point *sort_points(const wr_mesh *mesh, float side)
{
    point *points = calloc((size_t)mesh->vertex_count, sizeof *points);
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 p = mesh->positions[i];
        float x = p.x == 0.0f ? 0.0f : side * p.x;
        points[i] = (point){{x, p.y, p.z}, mesh->colors[i], i};
    }
    qsort(points, (size_t)mesh->vertex_count, sizeof *points, compare_points);
    return points;
}

static void the_right_is_the_left_in_a_mirror(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        point *here = sort_points(mesh, 1.0f), *there = sort_points(mesh, -1.0f);
        for (int k = 0; k < mesh->vertex_count; k++) {
            assert_int_equal(compare_places(here[k].at, there[k].at), 0);
            assert_true(same_color(here[k].color, there[k].color));
            check_twin(m, here[k].vertex, there[k].vertex);
        }
        free(here);
        free(there);
    }
}

// --- skin -------------------------------------------------------------------------------------

static void check_weights(const wr_mesh *mesh)
{
    assert_in_range(mesh->influence_count, 1, 4);
    for (int v = 0; v < mesh->vertex_count; v++) {
        double sum = 0.0;
        for (int k = 0; k < mesh->influence_count; k++) {
            float weight = mesh->weights[v * mesh->influence_count + k];
            assert_true(weight >= 0.0f);
            sum += (double)weight;
        }
        assert_true(fabs(sum - 1.0) < 1e-6);
    }
}

static void weights_of_a_vertex_add_up_to_one(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        check_weights(&m->meshes[0]);
    }
}

static void find_bent(const wr_model *m, wr_vec3 *bent)
{
    wr_mat34 *world = calloc((size_t)m->node_count, sizeof *world);
    wr_mat34 *joints = calloc((size_t)m->skins[0].joint_count, sizeof *joints);
    wr_model_pose(m, NULL, 0.0, world, NULL);
    wr_model_skin_matrices(&m->skins[0], world, joints);
    wr_mesh_deform(&m->meshes[0], NULL, NULL, joints, bent, NULL);
    free(world);
    free(joints);
}

static int find_node(const wr_model *m, const char *name)
{
    for (int i = 0; i < m->node_count; i++) {
        if (strcmp(m->nodes[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// The largest distance that a vertex below a height moved.
static float find_way_below(const wr_mesh *mesh, const wr_vec3 *bent, float height)
{
    float most = 0.0f;
    for (int v = 0; v < mesh->vertex_count; v++) {
        float way = wr_distance(bent[v], mesh->positions[v]);
        most = mesh->positions[v].y < height ? fmaxf(most, way) : most;
    }
    return most;
}

// The smallest distance that a vertex of an eye moved.
static float find_way_of_eyes(const wr_model *m, const wr_vec3 *bent)
{
    const wr_mesh *mesh = &m->meshes[0];
    float least = 1.0f;
    for (int k = 0; k < mesh->part_count; k++) {
        const wr_mesh_part *part = &mesh->parts[k];
        bool eye = strcmp(m->looks[part->look].name, "eye") == 0;
        for (int c = 0; c < 3 * part->triangle_count && eye; c++) {
            int v = mesh->triangles[3 * part->first_triangle + c];
            least = fminf(least, wr_distance(bent[v], mesh->positions[v]));
        }
    }
    return least;
}

// At rest it is as modelled. When it nods, the eyes go with the head and the feet stay.
static void joints_bend_it_where_they_should(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        int head = find_node(m, "head");
        wr_vec3 *bent = calloc((size_t)mesh->vertex_count, sizeof *bent);
        assert_true(head >= 0);
        find_bent(m, bent);
        assert_true(find_way_below(mesh, bent, 1.0f) < 1e-6f);
        m->nodes[head].pose.rotation = wr_quat_from_axis_angle(wr_v3(1.0f, 0.0f, 0.0f), 0.3f);
        find_bent(m, bent);
        m->nodes[head].pose.rotation = WR_QUAT_IDENTITY;
        assert_true(find_way_below(mesh, bent, 0.02f) < 1e-6f);
        assert_true(find_way_of_eyes(m, bent) > 0.005f);
        free(bent);
    }
}

// --- the modeller -----------------------------------------------------------------------------

static const figure_color BLOB_COLORS[] = {{"grey", {0.5f, 0.5f, 0.5f}, 0.9f},
                                           {"red", {1.0f, 0.0f, 0.0f}, 0.9f}};
static const figure_part BLOB_PARTS[] = {
    {.name = "body",
     .from = {0.0f, 0.03f, 0.0f},
     .to = {0.0f, 0.06f, 0.0f},
     .radius = {0.06f, 0.05f}},
    {.name = "arm",
     .parent = "body",
     .from = {0.04f, 0.05f, 0.0f},
     .to = {0.11f, 0.07f, 0.02f},
     .radius = {0.03f, 0.02f},
     .blend = 0.02f,
     .color = 1},
    {.parent = "body",
     .use = FIGURE_CARVE,
     .from = {0.0f, 0.06f, 0.07f},
     .to = {0.0f, 0.04f, 0.07f},
     .radius = {0.02f, 0.015f},
     .blend = 0.01f},
};
static const figure BLOB = {.name = "blob",
                            .parts = BLOB_PARTS,
                            .part_count = WRI_COUNT(BLOB_PARTS),
                            .colors = BLOB_COLORS,
                            .color_count = 2,
                            .fine = 0.008f,
                            .coarse = 0.012f,
                            .cell = 0.01f,
                            .sole = 0.005f};

static void shares_add_up_and_are_those_of_the_gradient(void **state)
{
    (void)state;
    field f = field_create(&BLOB);
    for (int i = 0; i < 500; i++) {
        wr_vec3 p = wr_v3(0.12f * chance(1u, i), 0.01f + 0.1f * chance(2u, i),
                          0.16f * chance(3u, i) - 0.08f);
        for (int k = 0; k < 10; k++) {
            p = field_project(&f, p);
        }
        field_shares shares, mirrored;
        wr_vec3 gradient;
        float sum = 0.0f, d = field_distance(&f, p, &gradient, &shares);
        field_distance(&f, wr_v3(-p.x, p.y, p.z), NULL, &mirrored);
        for (int k = 0; k < f.count; k++) {
            sum += shares.left[k] + shares.right[k];
            if (f.parts[k].paired) {
                assert_true(shares.left[k] == mirrored.right[k]);
            }
        }
        assert_true(fabsf(d) < 1e-5f);
        assert_true(fabsf(sum - 1.0f) < 1e-5f);
        if (p.y > 0.02f) { // the sole's edge is rounder than a difference can tell
            assert_true(wr_dot(field_normal(&f, p), wr_normalize(gradient)) > 0.9995f);
        }
    }
}

static void making_twice_gives_the_same_bits(void **state)
{
    (void)state;
    wr_model *one = figure_make(&BLOB), *two = figure_make(&BLOB);
    const wr_mesh *a = &one->meshes[0], *b = &two->meshes[0];
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->positions, b->positions, (size_t)a->vertex_count * sizeof *a->positions);
    assert_memory_equal(a->weights, b->weights, 4 * (size_t)a->vertex_count * sizeof *a->weights);
    assert_true(least_angle(a) > LEAST_ANGLE);
    assert_int_equal(a->part_count, 2);
    check_weights(a); // files are tidied when they are written
    wr_model_destroy(one);
    wr_model_destroy(two);
}

// A ball of the modeller has the volume of a ball.
static void a_ball_has_its_volume(void **state)
{
    (void)state;
    const figure_part part = {.name = "ball",
                              .from = {0.0f, 0.1f, 0.0f},
                              .to = {0.0f, 0.1f, 0.0f},
                              .radius = {0.05f, 0.05f}};
    figure ball = BLOB;
    ball.parts = &part;
    ball.part_count = 1;
    ball.coarse = 0.008f;
    wr_model *model = figure_make(&ball);
    wr_mass_properties mass = {0};
    assert_true(wr_mesh_find_mass(&model->meshes[0], 1.0, &mass, NULL));
    double expected = 4.0 / 3.0 * (double)WR_PI * 0.05 * 0.05 * 0.05;
    assert_true(fabs(mass.mass / expected - 1.0) < 0.02);
    assert_true(fabs(mass.center[1] - 0.1) < 1e-4);
    wr_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_figure_is_one_ball_of_clay),
        cmocka_unit_test(triangles_are_few_and_none_is_a_sliver),
        cmocka_unit_test(normals_are_unit_and_on_the_side_of_their_triangles),
        cmocka_unit_test(it_stands_on_the_floor_and_looks_along_z),
        cmocka_unit_test(the_right_is_the_left_in_a_mirror),
        cmocka_unit_test(weights_of_a_vertex_add_up_to_one),
        cmocka_unit_test(joints_bend_it_where_they_should),
        cmocka_unit_test(shares_add_up_and_are_those_of_the_gradient),
        cmocka_unit_test(making_twice_gives_the_same_bits),
        cmocka_unit_test(a_ball_has_its_volume),
    };
    return cmocka_run_group_tests(tests, read_figures, free_figures);
}
