// test_models.c: the models of the demo scenes are what the scenes take them for.
#include "wrought/file.h"
#include "wrought/recipe.h"
#include "../src/base/base.h"
#include "../src/base/os.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct expectation {
    const char *name;
    wr_box bounds;
    float slack; // metres by which the bounds may be smaller: dents
    int triangles_min, triangles_max, bytes_max;
    const char *morphs[6]; // how it fails, for the rig; NULL at the end
} expectation;

static const expectation EXPECTED[] = {
    {"crate",
     {{-0.4f, -0.4f, -0.4f}, {0.4f, 0.4f, 0.4f}},
     0.0f,
     500,
     6000,
     600000,
     {"corner", "flat", "side"}},
    {"barrel",
     {{-0.29f, -0.44f, -0.29f}, {0.29f, 0.44f, 0.29f}},
     0.0f,
     1500,
     8000,
     800000,
     {"caved", "crushed", "lid", "struck", "kicked"}},
    {"ball", {{-0.6f, -0.6f, -0.6f}, {0.6f, 0.768f, 0.6f}}, 0.006f, 1000, 3000, 150000},
    {"link", {{-0.09f, -0.18f, -0.025f}, {0.09f, 0.18f, 0.025f}}, 0.0f, 200, 800, 150000},
    {"gantry", {{-2.0f, 0.0f, -3.0f}, {2.0f, 9.0f, 3.0f}}, 0.0f, 500, 3000, 150000},
    {"container",
     {{-3.03f, -1.295f, -1.22f}, {3.03f, 1.295f, 1.22f}},
     0.0f,
     500,
     10000,
     900000,
     {"side", "roof", "end"}},
    {"beam",
     {{-0.08f, -0.15f, -2.0f}, {0.08f, 0.15f, 2.0f}},
     0.0f,
     500,
     5000,
     600000,
     {"bent", "buckled", "twisted"}},
};

typedef struct fixture {
    wri_arena arena;
    const char *paths[WRI_COUNT(EXPECTED)];
    wr_model *models[WRI_COUNT(EXPECTED)];
} fixture;

static int read_models(void **state)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        *state = NULL;
        return 0;
    }
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->arena = wri_arena_create(NULL);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        wr_error error = {0};
        f->paths[i] = wri_arena_printf(&f->arena, "%s/models/%s.glb", scenes, EXPECTED[i].name);
        f->models[i] = wr_model_read(f->paths[i], NULL, &error);
        if (!f->models[i]) {
            print_error("%s\n", error.message);
            return 1;
        }
    }
    return 0;
}

static int free_models(void **state)
{
    fixture *f = *state;
    if (f) {
        for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
            wr_model_destroy(f->models[i]);
        }
        wri_arena_destroy(&f->arena);
        free(f);
    }
    return 0;
}

static fixture *models(void **state)
{
    if (!*state) {
        print_message("WROUGHT_SCENES is not set; no models to look at\n");
        skip();
    }
    return *state;
}

static void a_model_is_one_mesh_on_one_node(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        const wr_model *m = f->models[i];
        assert_int_equal(m->mesh_count, 1);
        assert_int_equal(m->node_count, 1);
        assert_int_equal(m->nodes[0].mesh, 0);
        assert_true(wr_length(m->nodes[0].pose.position) == 0.0f);
        assert_non_null(m->meshes[0].uvs);
        for (int k = 0; k < m->image_count; k++) {
            assert_in_range(m->images[k].width, 1, 512);
            assert_in_range(m->images[k].height, 1, 512);
        }
    }
}

// --- closed -----------------------------------------------------------------------------------

typedef struct edge {
    float low[3], high[3]; // the end that sorts first comes first
    int direction;         // +1 when the triangle runs from low to high
} edge;

static int compare_points(const float *a, const float *b)
{
    for (int k = 0; k < 3; k++) {
        if (a[k] != b[k]) {
            return a[k] < b[k] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_edges(const void *a, const void *b)
{
    int low = compare_points(((const edge *)a)->low, ((const edge *)b)->low);
    return low != 0 ? low : compare_points(((const edge *)a)->high, ((const edge *)b)->high);
}

static edge edge_between(wr_vec3 from, wr_vec3 to)
{
    edge e = {{from.x, from.y, from.z}, {to.x, to.y, to.z}, 1};
    if (compare_points(e.low, e.high) > 0) {
        e = (edge){{to.x, to.y, to.z}, {from.x, from.y, from.z}, -1};
    }
    return e;
}

// Edges, welded by position, that do not have exactly one triangle on either side.
static int count_open_edges(const wr_mesh *mesh)
{
    int count = 3 * mesh->triangle_count, open = 0;
    edge *edges = calloc((size_t)count, sizeof *edges);
    for (int i = 0; i < count; i++) {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        edges[i] = edge_between(mesh->positions[mesh->triangles[i]],
                                mesh->positions[mesh->triangles[next]]);
        open += compare_points(edges[i].low, edges[i].high) == 0;
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0, end; i < count; i = end) {
        int sum = 0;
        for (end = i; end < count && compare_edges(&edges[i], &edges[end]) == 0; end++) {
            sum += edges[end].direction;
        }
        open += end - i != 2 || sum != 0;
    }
    free(edges);
    return open;
}

static void every_edge_has_one_triangle_on_either_side(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        int open = count_open_edges(&f->models[i]->meshes[0]);
        if (open > 0) {
            fail_msg("%s: %d edges are open or shared by more than two triangles", f->paths[i],
                     open);
        }
    }
}

// --- outward ----------------------------------------------------------------------------------

static double signed_volume(const wr_mesh *mesh, const int *shell_of_vertex, int shell)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * t;
        if (shell_of_vertex[c[0]] == shell) {
            wr_vec3 n = wr_cross(mesh->positions[c[1]], mesh->positions[c[2]]);
            sum += (double)wr_dot(mesh->positions[c[0]], n) / 6.0;
        }
    }
    return sum;
}

static void every_shell_faces_outward(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        const wr_mesh *mesh = &f->models[i]->meshes[0];
        wr_mass_properties mass = {0};
        wr_error error = {0};
        assert_true(wr_mesh_find_mass(mesh, 1.0, &mass, &error));
        int *shell_of_vertex = calloc((size_t)mesh->vertex_count, sizeof *shell_of_vertex);
        int shells = wr_mesh_find_shells(mesh, shell_of_vertex);
        assert_true(shells >= 1);
        double total = 0.0;
        for (int k = 0; k < shells; k++) {
            double volume = signed_volume(mesh, shell_of_vertex, k);
            assert_true(volume > 0.0);
            total += volume;
        }
        assert_true(fabs(total - mass.mass) < 1e-4 * mass.mass);
        free(shell_of_vertex);
    }
}

static void normals_are_unit_and_on_the_side_of_their_triangles(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        const wr_mesh *mesh = &f->models[i]->meshes[0];
        assert_non_null(mesh->normals);
        for (int k = 0; k < mesh->vertex_count; k++) {
            assert_true(fabsf(wr_length(mesh->normals[k]) - 1.0f) < 1e-4f);
        }
        for (int k = 0; k < 3 * mesh->triangle_count; k++) {
            const int *c = mesh->triangles + k / 3 * 3;
            wr_vec3 a = mesh->positions[c[0]];
            wr_vec3 b = wr_sub(mesh->positions[c[1]], a), d = wr_sub(mesh->positions[c[2]], a);
            assert_true(wr_dot(wr_cross(b, d), mesh->normals[mesh->triangles[k]]) > 0.0f);
        }
    }
}

// --- sizes ------------------------------------------------------------------------------------

static void check_bound(float found, float expected, float slack, float inward)
{
    float shy = inward * (found - expected); // how far inside the stated bound
    assert_true(shy > -1e-5f && shy < slack + 1e-5f);
}

static void bounds_are_those_the_scenes_count_on(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        const expectation *e = &EXPECTED[i];
        wr_box box = wr_mesh_bounds(&f->models[i]->meshes[0]);
        check_bound(box.min.x, e->bounds.min.x, e->slack, 1.0f);
        check_bound(box.min.y, e->bounds.min.y, e->slack, 1.0f);
        check_bound(box.min.z, e->bounds.min.z, e->slack, 1.0f);
        check_bound(box.max.x, e->bounds.max.x, e->slack, -1.0f);
        check_bound(box.max.y, e->bounds.max.y, e->slack, -1.0f);
        check_bound(box.max.z, e->bounds.max.z, e->slack, -1.0f);
    }
}

static void triangles_and_bytes_stay_within_budget(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        assert_in_range(f->models[i]->meshes[0].triangle_count, EXPECTED[i].triangles_min,
                        EXPECTED[i].triangles_max);
        assert_in_range(wri_file_size(f->paths[i]), 1, EXPECTED[i].bytes_max);
    }
}

// --- morphs -----------------------------------------------------------------------------------

static void models_to_be_rigged_have_their_morphs_by_name(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        const wr_mesh *mesh = &f->models[i]->meshes[0];
        int count = 0;
        while (EXPECTED[i].morphs[count]) {
            count++;
        }
        assert_int_equal(mesh->morph_count, count);
        for (int k = 0; k < count; k++) {
            assert_string_equal(mesh->morphs[k].name, EXPECTED[i].morphs[k]);
            assert_true(mesh->morphs[k].weight == 0.0f); // a scene shows the model whole
            assert_non_null(mesh->morphs[k].normals);
        }
    }
}

// How many edges of a hundred are longer or shorter by more than `most`.
static double count_strained(const wr_mesh *mesh, const wr_vec3 *bent, float most)
{
    int strained = 0, count = 3 * mesh->triangle_count;
    for (int i = 0; i < count; i++) {
        int a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        float rest = wr_distance(mesh->positions[a], mesh->positions[b]);
        strained += fabsf(wr_distance(bent[a], bent[b]) - rest) > most * rest;
    }
    return 100.0 * strained / count;
}

// The largest distance of a vertex from where it was, in sizes of the mesh.
static float find_travel(const wr_mesh *mesh, const wr_vec3 *bent)
{
    float most = 0.0f;
    for (int i = 0; i < mesh->vertex_count; i++) {
        most = fmaxf(most, wr_distance(bent[i], mesh->positions[i]));
    }
    return most / wr_length(wr_box_size(wr_mesh_bounds(mesh)));
}

// Steel and wood fold and break; they hardly stretch. Half way lines are straight, so that what
// turns gets shorter: that much is given.
static void morphs_are_deep_and_keep_lengths(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        const wr_mesh *mesh = &f->models[i]->meshes[0];
        wr_vec3 *bent = calloc((size_t)mesh->vertex_count, sizeof *bent);
        for (int k = 0; k < mesh->morph_count; k++) {
            float weights[WRI_COUNT(EXPECTED[i].morphs)] = {0};
            weights[k] = 1.0f;
            wr_mesh_deform(mesh, weights, NULL, NULL, bent, NULL);
            double full = count_strained(mesh, bent, 0.15f);
            float travel = find_travel(mesh, bent);
            weights[k] = 0.5f;
            wr_mesh_deform(mesh, weights, NULL, NULL, bent, NULL);
            double half = count_strained(mesh, bent, 0.15f);
            print_message(
                "%s, %s: %.3f of its size; strained by 15 %%: %.2f %%, half way %.2f %%\n",
                EXPECTED[i].name, mesh->morphs[k].name, (double)travel, full, half);
            assert_true(travel > 0.03f && travel < 0.5f);
            assert_true(full < 5.0);
            assert_true(half < 10.0);
        }
        free(bent);
    }
}

// The one morph that clearly moves a vertex most, -1: there is none. As wrought bench metal has it.
static int find_leader(const wr_mesh *mesh, int vertex, float size)
{
    int best = 0;
    for (int k = 1; k < mesh->morph_count; k++) {
        best = wr_length(mesh->morphs[k].positions[vertex]) >
                       wr_length(mesh->morphs[best].positions[vertex])
                   ? k
                   : best;
    }
    wr_vec3 way = mesh->morphs[best].positions[vertex];
    bool clear = wr_length(way) > 0.01f * size;
    for (int k = 0; k < mesh->morph_count && clear; k++) {
        wr_vec3 other = wr_normalize(mesh->morphs[k].positions[vertex]);
        clear = k == best || wr_dot(other, wr_normalize(way)) < 0.8f;
    }
    return clear ? best : -1;
}

// A hit can tell examples apart by its direction only.
static void one_morph_leads_on_much_of_a_surface(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        const wr_mesh *mesh = &f->models[i]->meshes[0];
        wr_vec3 extent = wr_box_size(wr_mesh_bounds(mesh));
        float size = fmaxf(extent.x, fmaxf(extent.y, extent.z));
        double all = 0.0, led = 0.0;
        for (int t = 0; mesh->morph_count > 0 && t < 3 * mesh->triangle_count; t++) {
            const int *c = mesh->triangles + t / 3 * 3;
            const wr_vec3 *x = mesh->positions;
            double area =
                (double)wr_length(wr_cross(wr_sub(x[c[1]], x[c[0]]), wr_sub(x[c[2]], x[c[0]])));
            all += area;
            led += find_leader(mesh, mesh->triangles[t], size) >= 0 ? area : 0.0;
        }
        if (mesh->morph_count > 0) {
            print_message("%s: one morph leads on %.0f %% of the surface\n", EXPECTED[i].name,
                          100.0 * led / all);
            assert_true(led > 0.4 * all); // inner sides and floors are part of it
        }
    }
}

static void normals_of_morphs_are_those_of_the_bent_surface(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        const wr_mesh *mesh = &f->models[i]->meshes[0];
        size_t count = (size_t)mesh->vertex_count;
        wr_vec3 *bent = calloc(count, sizeof *bent), *normals = calloc(count, sizeof *normals);
        for (int k = 0; k < mesh->morph_count; k++) {
            float weights[WRI_COUNT(EXPECTED[i].morphs)] = {0};
            int wrong = 0;
            weights[k] = 1.0f;
            wr_mesh_deform(mesh, weights, NULL, NULL, bent, normals);
            for (int t = 0; t < 3 * mesh->triangle_count; t++) {
                const int *c = mesh->triangles + t / 3 * 3;
                wr_vec3 b = wr_sub(bent[c[1]], bent[c[0]]), d = wr_sub(bent[c[2]], bent[c[0]]);
                wrong += wr_dot(wr_cross(b, d), normals[mesh->triangles[t]]) <= 0.0f;
            }
            assert_true(wrong < 3 * mesh->triangle_count / 50); // at the sharpest creases
        }
        free(bent);
        free(normals);
    }
}

// The recipe turns the lid against the floor.
static void the_barrel_is_fine_enough_for_a_twist_of_60_degrees(void **state)
{
    fixture *f = models(state);
    const wr_mesh *mesh = &f->models[1]->meshes[0];
    wr_vec3 *bent = calloc((size_t)mesh->vertex_count, sizeof *bent);
    wr_vec3 *normals = calloc((size_t)mesh->vertex_count, sizeof *normals);
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 p = mesh->positions[i];
        float turn = WR_PI / 3.0f * (p.y + 0.44f) / 0.88f;
        wr_quat q = wr_quat_from_axis_angle(wr_v3(0.0f, 1.0f, 0.0f), turn);
        bent[i] = wr_rotate(q, p);
        normals[i] = wr_rotate(q, mesh->normals[i]);
    }
    for (int t = 0; t < 3 * mesh->triangle_count; t++) {
        const int *c = mesh->triangles + t / 3 * 3;
        wr_vec3 b = wr_sub(bent[c[1]], bent[c[0]]), d = wr_sub(bent[c[2]], bent[c[0]]);
        assert_true(wr_dot(wr_cross(b, d), normals[mesh->triangles[t]]) > 0.0f);
    }
    assert_true(count_strained(mesh, bent, 0.2f) < 1.0);
    free(bent);
    free(normals);
}

// --- recipes ----------------------------------------------------------------------------------

static wr_recipe *read_recipe(fixture *f, const char *name)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    const char *path = wri_arena_printf(&f->arena, "%s/%s.recipe.json", scenes, name);
    wr_error error = {0};
    wr_recipe *recipe = wr_recipe_read(path, NULL, &error);
    if (!recipe) {
        fail_msg("%s", error.message);
    }
    return recipe;
}

static void every_model_with_morphs_has_a_recipe(void **state)
{
    fixture *f = models(state);
    for (int i = 0; i < WRI_COUNT(EXPECTED); i++) {
        if (EXPECTED[i].morphs[0]) {
            wr_recipe *recipe = read_recipe(f, EXPECTED[i].name);
            assert_string_equal(wr_recipe_describe(recipe).name, EXPECTED[i].name);
            wr_recipe_destroy(recipe);
        }
    }
}

static void the_barrel_becomes_an_asset_with_five_dents_and_a_twist(void **state)
{
    fixture *f = models(state);
    const char *const names[] = {"caved", "crushed", "lid", "struck", "kicked", "twisted"};
    wr_recipe *recipe = read_recipe(f, "barrel");
    wr_build_desc desc = wr_build_desc_default();
    wr_build_report report = {0};
    wr_error error = {0};
    desc.tasks = wr_tasks_openmp(2);
    wr_asset *asset = wr_recipe_build(recipe, &desc, &report, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(report.example_count, WRI_COUNT(names));
    for (int i = 0; i < report.example_count; i++) {
        assert_string_equal(report.examples[i].name, names[i]);
        assert_true(report.examples[i].largest_move > 0.1);
    }
    wr_build_report_clear(&report);
    wr_asset_destroy(asset);
    wr_recipe_destroy(recipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_one_mesh_on_one_node),
        cmocka_unit_test(every_edge_has_one_triangle_on_either_side),
        cmocka_unit_test(every_shell_faces_outward),
        cmocka_unit_test(normals_are_unit_and_on_the_side_of_their_triangles),
        cmocka_unit_test(bounds_are_those_the_scenes_count_on),
        cmocka_unit_test(triangles_and_bytes_stay_within_budget),
        cmocka_unit_test(models_to_be_rigged_have_their_morphs_by_name),
        cmocka_unit_test(morphs_are_deep_and_keep_lengths),
        cmocka_unit_test(one_morph_leads_on_much_of_a_surface),
        cmocka_unit_test(normals_of_morphs_are_those_of_the_bent_surface),
        cmocka_unit_test(the_barrel_is_fine_enough_for_a_twist_of_60_degrees),
        cmocka_unit_test(every_model_with_morphs_has_a_recipe),
        cmocka_unit_test(the_barrel_becomes_an_asset_with_five_dents_and_a_twist),
    };
    return cmocka_run_group_tests_name("models", tests, read_models, free_models);
}
