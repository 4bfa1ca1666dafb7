// test_figures.c: the shapes of the figures of the demo scenes, of gear, ridges and cylinders, and
// the modeller that makes them.
#include "figures.h"

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
        const float *range = FIGURES[i].mass;
        wr_mesh_report report = {0};
        assert_int_equal(euler_number(&n), 2);
        assert_int_equal(wr_mesh_find_shells(mesh, shells), 1);
        assert_true(wr_mesh_inspect(mesh, NULL, &report, NULL));
        assert_int_equal(report.self_intersections, 0);
        assert_true(wr_mesh_find_mass(mesh, 1000.0, &mass, NULL));
        assert_true(mass.mass > (double)range[0] && mass.mass < (double)range[1]);
        assert_in_range(w.count, FIGURES[i].vertices[0], FIGURES[i].vertices[1]);
        assert_true(fabs(mass.center[0]) < 1e-6 || is_whole(&FIGURES[i]));
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

// The longest edge by the shortest one.
static float find_unevenness(const wr_mesh *mesh)
{
    float shortest = 1e9f, longest = 0.0f;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const int *c = mesh->triangles + i / 3 * 3;
        float edge = wr_distance(mesh->positions[c[i % 3]], mesh->positions[c[(i + 1) % 3]]);
        shortest = fminf(shortest, edge);
        longest = fmaxf(longest, edge);
    }
    return longest / shortest;
}

static void triangles_are_even_and_none_is_a_sliver(void **state)
{
    fixture *f = *state;
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        float least = least_angle(mesh), uneven = find_unevenness(mesh);
        print_message("%s: %d triangles, least angle %.1f degrees, edges 1 to %.1f\n",
                      FIGURES[i].name, mesh->triangle_count, (double)least, (double)uneven);
        assert_in_range(wri_file_size(f->paths[i]), 1, FIGURES[i].bytes);
        assert_true(least > LEAST_ANGLE);
        assert_true(uneven < FIGURES[i].uneven);
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
            if (!(wr_dot(wr_cross(b, d), n) > 0.0f)) {
                fail_msg("%s: the normal at %g %g %g", FIGURES[i].name, (double)a.x, (double)a.y,
                         (double)a.z);
            }
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
        assert_true(box.max.y > FIGURES[i].height[0] && box.max.y < FIGURES[i].height[1]);
        assert_true(box.min.y >= 0.0f);
        if (!FIGURES[i].animal) {
            continue;
        }
        assert_true(box.min.y == 0.0f);
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
    const char *own = m->nodes[skin->joints[joint]].name;
    size_t length = strlen(own);
    snprintf(name, sizeof name, "%s", own);
    if (length > 2 && own[length - 2] == '.') {
        name[length - 1] = own[length - 1] == 'L' ? 'R' : 'L';
    } else if (strncmp(own, "left ", 5) == 0) {
        snprintf(name, sizeof name, "right %s", own + 5);
    } else if (strncmp(own, "right ", 6) == 0) {
        snprintf(name, sizeof name, "left %s", own + 6);
    }
    for (int i = 0; i < skin->joint_count; i++) {
        if (strcmp(m->nodes[skin->joints[i]].name, name) == 0) {
            return i;
        }
    }
    return -1;
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
        if (is_whole(&FIGURES[i])) {
            continue;
        }
        point *here = sort_points(mesh, 1.0f), *there = sort_points(mesh, -1.0f);
        for (int k = 0; k < mesh->vertex_count; k++) {
            assert_int_equal(compare_places(here[k].at, there[k].at), 0);
            assert_true(same_color(here[k].color, there[k].color));
            if (FIGURES[i].joints > 0) {
                check_twin(m, here[k].vertex, there[k].vertex);
            }
        }
        free(here);
        free(there);
    }
}

// --- gear, ridges and cylinders ----------------------------------------------------------------

static wr_model *read_other(const char *name)
{
    char path[4096];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/models/%s.glb", getenv("WROUGHT_SCENES"), name);
    wr_model *m = wr_model_read(path, NULL, &error);
    if (!m) {
        fail_msg("%s", error.message);
    }
    return m;
}

// A gear has a bore: its Euler number is 0.
static void gear_ridges_and_cylinders_are_closed_and_small(void **state)
{
    static const struct {
        const char *name;
        int euler, triangles;
        float least_angle;
    } OTHERS[] = {{"gear", 0, 2000, 14.0f},
                  {"ridges", 2, 9000, 14.0f},
                  {"cylinder", 2, 14000, 14.0f},
                  {"roller", 2, 7000, 14.0f}};
    figure_at(state, 0);
    for (int i = 0; i < WRI_COUNT(OTHERS); i++) {
        wr_model *m = read_other(OTHERS[i].name);
        const wr_mesh *mesh = &m->meshes[0];
        wr_mesh_report report = {0};
        welded w = weld(mesh);
        net n = net_of_mesh(mesh, &w);
        assert_int_equal(euler_number(&n), OTHERS[i].euler);
        assert_in_range(mesh->triangle_count, 1000, OTHERS[i].triangles);
        assert_true(least_angle(mesh) > OTHERS[i].least_angle);
        assert_true(wr_mesh_inspect(mesh, NULL, &report, NULL) && report.is_sound);
        assert_int_equal(m->skin_count, 0);
        net_destroy(&n);
        free(w.places);
        wr_model_destroy(m);
    }
}

// Its skin is nowhere outside of a cylinder along x, and on its round all but the edges, which are
// 30 mm wide; half of it is soft.
static void a_cylinder_is_round_and_soft_on_its_left(void **state)
{
    figure_at(state, 0);
    wr_model *m = read_other("cylinder");
    const wr_mesh *mesh = &m->meshes[0];
    int round = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        wr_vec3 p = mesh->positions[v];
        float radius = hypotf(p.y - 0.2f, p.z), firm = mesh->colors[v].a;
        assert_true(radius < 0.2f + 1e-6f && fabsf(p.x) < 0.4f + 1e-6f);
        assert_true(radius > 0.2f - 1e-6f || fabsf(p.x) > 0.37f - 1e-6f);
        assert_true(fabsf(p.x) < 1e-6f ? firm > 0.0f && firm < 1.0f : firm == (float)(p.x > 0.0f));
        round += radius > 0.2f - 1e-6f;
    }
    assert_true(round > mesh->vertex_count / 2);
    wr_model_destroy(m);
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

static void check_bytes(const char *made, const char *shipped)
{
    FILE *a = fopen(made, "rb"), *b = fopen(shipped, "rb");
    assert_non_null(a);
    assert_non_null(b);
    for (int c = 0; c != EOF;) {
        c = fgetc(a);
        assert_int_equal(c, fgetc(b));
    }
    fclose(a);
    fclose(b);
}

// Those that are made in no time stand for all.
static void the_files_are_what_is_made(void **state)
{
    static const struct {
        const char *name;
        wr_model *(*make)(void);
    } QUICK[] = {{"tube", make_tube},
                 {"gear", make_gear},
                 {"ridges", make_ridges},
                 {"cylinder", make_cylinder}};
    figure_at(state, 0);
    temporary_folder folder = temporary_folder_create();
    for (int i = 0; i < WRI_COUNT(QUICK); i++) {
        char made[1024], shipped[4096];
        wr_error error = {0};
        wr_model *model = QUICK[i].make();
        snprintf(made, sizeof made, "%s/%s.glb", folder.path, QUICK[i].name);
        snprintf(shipped, sizeof shipped, "%s/models/%s.glb", getenv("WROUGHT_SCENES"),
                 QUICK[i].name);
        assert_true(wr_model_write_glb(model, made, &error));
        check_bytes(made, shipped);
        wr_model_destroy(model);
    }
    temporary_folder_destroy(&folder);
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
        cmocka_unit_test(triangles_are_even_and_none_is_a_sliver),
        cmocka_unit_test(normals_are_unit_and_on_the_side_of_their_triangles),
        cmocka_unit_test(it_stands_on_the_floor_and_looks_along_z),
        cmocka_unit_test(the_right_is_the_left_in_a_mirror),
        cmocka_unit_test(gear_ridges_and_cylinders_are_closed_and_small),
        cmocka_unit_test(a_cylinder_is_round_and_soft_on_its_left),
        cmocka_unit_test(shares_add_up_and_are_those_of_the_gradient),
        cmocka_unit_test(making_twice_gives_the_same_bits),
        cmocka_unit_test(the_files_are_what_is_made),
        cmocka_unit_test(a_ball_has_its_volume),
    };
    return cmocka_run_group_tests(tests, read_figures, free_figures);
}
