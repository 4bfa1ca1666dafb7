// test_fracture_parts.c: promises of bodies that are cut into parts of their model.
#include "fragments.h"
#include "recipe_text.h"

enum { ALONG = 12 }; // rings of quads of the beam

static void add_box(FILE *out, wr_vec3 low, wr_vec3 high, int *vertices)
{
    static const int faces[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5},
                                    {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
    for (int i = 0; i < 8; i++) {
        fprintf(out, "v %g %g %g\n", (double)(i & 1 ? high.x : low.x),
                (double)(i & 2 ? high.y : low.y), (double)(i & 4 ? high.z : low.z));
    }
    for (int i = 0; i < 6; i++) {
        fprintf(out, "f %d %d %d %d\n", *vertices + faces[i][0], *vertices + faces[i][1],
                *vertices + faces[i][2], *vertices + faces[i][3]);
    }
    *vertices += 8;
}

// A beam of 1.2 x 0.3 x 0.2 m, one closed surface whose last third is rubber, and two knobs on it.
static void write_model(void)
{
    FILE *out = fopen(in_folder("beam.obj"), "w");
    assert_non_null(out);
    fprintf(out, "mtllib beam.mtl\no beam\n");
    for (int i = 0; i < 4 * (ALONG + 1); i++) {
        int corner = i % 4;
        fprintf(out, "v %g %g %g\n", -0.6 + 0.1 * (i / 4), corner == 1 || corner == 2 ? 0.3 : 0.0,
                corner >= 2 ? 0.2 : 0.0);
    }
    fprintf(out, "vt 0 0\nvt 1 1\nusemtl steel\nf 1/1 4/1 3/1 2/1\n"); // a seam between looks
    for (int i = 0; i < 4 * ALONG; i++) {
        int a = i / 4 * 4 + i % 4 + 1, b = i / 4 * 4 + (i + 1) % 4 + 1;
        int uv = i < 32 ? 1 : 2;
        fprintf(out, "%sf %d/%d %d/%d %d/%d %d/%d\n", i == 32 ? "usemtl rubber\n" : "", a, uv, b,
                uv, b + 4, uv, a + 4, uv);
    }
    int vertices = 4 * (ALONG + 1);
    fprintf(out, "f %d/2 %d/2 %d/2 %d/2\n", vertices - 3, vertices - 2, vertices - 1, vertices);
    fprintf(out, "usemtl steel\no knob.a\n");
    add_box(out, wr_v3(-0.5f, 0.3f, 0.05f), wr_v3(-0.35f, 0.45f, 0.15f), &vertices);
    fprintf(out, "o knob.b\n");
    add_box(out, wr_v3(-0.2f, 0.3f, 0.05f), wr_v3(0.05f, 0.4f, 0.15f), &vertices);
    assert_int_equal(fclose(out), 0);
    out = fopen(in_folder("beam.mtl"), "w");
    fprintf(out, "newmtl steel\nKd 0.5 0.5 0.6\nnewmtl rubber\nKd 0.1 0.1 0.1\n");
    assert_int_equal(fclose(out), 0);
}

static int make_model(void **state)
{
    int failed = set_up(state);
    write_model();
    return failed;
}

static wr_asset *build(const char *cuts, wr_error *error)
{
    char text[800];
    snprintf(text, sizeof text,
             "{'wrought': 1, 'model': 'beam.obj', 'simulation': {'vertices': 700}, 'handles': "
             "{'automatic': 4}, 'cuts': %s}",
             cuts);
    return build_recipe_text("beam.recipe.json", text, error);
}

static wr_asset *must_build(const char *cuts)
{
    wr_error error = {0};
    wr_asset *asset = build(cuts, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    return asset;
}

// Area of the triangles of a fragment with a look.
static double area_of(const wr_asset *asset, int fragment, const char *look)
{
    const wr_mesh *mesh = asset->model->meshes;
    double sum = 0.0;
    for (int p = 0; p < mesh->part_count; p++) {
        const wr_mesh_part *part = &mesh->parts[p];
        for (int i = part->first_triangle; i < part->first_triangle + part->triangle_count; i++) {
            const int *t = &mesh->triangles[3 * i];
            int own = wr_fragment_of(&asset->fracture, &asset->rig, asset->rig.rides[*t].element);
            wr_vec3 n = wr_cross(wr_sub(mesh->positions[t[1]], mesh->positions[*t]),
                                 wr_sub(mesh->positions[t[2]], mesh->positions[*t]));
            bool counts =
                own == fragment && strcmp(asset->model->looks[part->look].name, look) == 0;
            sum += counts ? 0.5 * (double)wr_length(n) : 0.0;
        }
    }
    return sum;
}

static int find_by_volume(const wr_asset *asset, double wanted)
{
    int found = -1;
    for (int f = 0; f < asset->fracture.fragment_count; f++) {
        wr_mesh mesh = mesh_of(asset, f);
        check_no_hole(&mesh);
        found = fabs(volume_of(&mesh) - wanted) < 1e-6 ? f : found;
        free(mesh.triangles);
    }
    assert_true(found >= 0);
    return found;
}

// Volumes of the render mesh are those of the artist's parts, exactly; so are the painted areas,
// and the cut face that the rubber leaves. The simulation mesh parts there to within an element.
static void parts_are_those_of_the_model(void **state)
{
    (void)state;
    wr_asset *asset = must_build("[{'parts': ['rubber', 'knob*'], 'strength': 0.5}]");
    wr_error error = {0};
    assert_true(wr_asset_check(asset, &error));
    assert_int_equal(asset->fracture.fragment_count, 4); // knobs are two heaps of one name
    int steel = find_by_volume(asset, 0.8 * 0.3 * 0.2), rubber = find_by_volume(asset, 0.4 * 0.06);
    int a = find_by_volume(asset, 0.15 * 0.15 * 0.1), b = find_by_volume(asset, 0.25 * 0.01);
    CHECK_NEAR(area_of(asset, rubber, "rubber"), 0.06 + 0.4 * 1.0, 1e-6);
    CHECK_NEAR(area_of(asset, rubber, "inside"), 0.06, 1e-6);
    CHECK_NEAR(area_of(asset, rubber, "steel"), 0.0, 1e-9);
    CHECK_NEAR(area_of(asset, steel, "rubber"), 0.0, 1e-9);
    CHECK_NEAR(area_of(asset, a, "inside") + area_of(asset, b, "inside"), 0.0, 1e-9);
    bool found = false;
    for (int i = 0; i < asset->fracture.bond_count; i++) {
        const wr_bond *bond = &asset->fracture.bonds[i];
        if (bond->a + bond->b == steel + rubber && (bond->a == steel || bond->b == steel)) {
            found = true;
            CHECK_NEAR(bond->at.x, 0.2, 0.06);
            assert_true(fabsf(bond->normal.x) > 0.95f);
            CHECK_NEAR(bond->strength, 0.5, 1e-6);
        }
    }
    assert_true(found);
    wr_asset_destroy(asset);
}

// A plane divides the parts, and their cut faces, once more.
static void later_cuts_divide_parts(void **state)
{
    (void)state;
    wr_asset *asset = must_build("[{'parts': ['rubber']}, {'plane': {'normal': [0, 0, 1], 'at': "
                                 "[0, 0, 0.12]}}]");
    int low = find_by_volume(asset, 0.4 * 0.3 * 0.12),
        high = find_by_volume(asset, 0.4 * 0.3 * 0.08);
    CHECK_NEAR(area_of(asset, low, "inside"), 0.3 * (0.12 + 0.4), 1e-6);
    CHECK_NEAR(area_of(asset, high, "inside"), 0.3 * (0.08 + 0.4), 1e-6);
    wr_asset_destroy(asset);
}

static void the_file_keeps_their_names(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_asset *asset = must_build("[{'parts': ['rubber', 'knob*']}]");
    assert_true(wr_asset_write(asset, in_folder("beam.glb"), &error));
    wr_asset_destroy(asset);
    asset = wr_asset_read(in_folder("beam.glb"), NULL, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(asset->cuts[0].part_count, 2);
    assert_string_equal(asset->cuts[0].parts[1], "knob*");
    assert_int_equal(asset->fracture.fragment_count, 4);
    wr_asset_destroy(asset);
}

// A factor for parts of the model, on all vertices that carry nothing else: fragments keep it.
static void factors_are_painted_on_parts(void **state)
{
    (void)state;
    wr_asset *asset =
        must_build("[{'plane': {'normal': [1, 0.1, 0], 'at': [0.4, 0, 0]}}], 'paint': "
                   "{'strength': {'parts': ['rubber', 'knob*'], 'from': 1, 'to': 500}}");
    const float *map = asset->maps[WR_MAP_STRENGTH];
    int full = 0, none = 0;
    assert_non_null(map);
    for (int i = 0; i < asset->rig.vertex_count; i++) {
        wr_vec3 at = asset->rig.rest[i];
        if (at.x > 0.35f || at.y > 0.35f) { // of the knobs some vertices carry the beam, too
            CHECK_NEAR(map[i], 500.0, at.x > 0.35f ? 1e-3 : 250.0);
            full++;
        } else if (at.x < 0.05f && at.y < 0.2f) {
            CHECK_NEAR(map[i], 1.0, 1e-6);
            none++;
        }
    }
    assert_true(full > 50 && none > 50);
    wr_asset_destroy(asset);
}

static void wrong_names_get_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *cuts, *sentence;
    } cases[] = {
        {"[{'parts': ['ruber']}]",
         "beam.recipe.json:1:108: cut: the model has no node, mesh or look "
         "\"ruber\"; did you mean \"rubber\"?"},
        {"[{'parts': ['zzz*']}]", "the model has no node, mesh or look \"zzz*\""},
        {"[{'parts': []}]", "\"parts\" has 0 names, expected 1 to 63"},
        {"[{'parts': [7]}]", "cut: found a number, expected a text"},
        {"[{'parts': ['rubber'], 'scatter': 3}]", "needs one of \"plane\", \"seeds\""},
        {"[], 'paint': {'yield': {'parts': ['ruber']}}",
         "paint: the model has no node, mesh or look "
         "\"ruber\"; did you mean \"rubber\"?"},
        {"[], 'paint': {'yield': {'parts': ['rubber'], 'picture': 'a.png'}}",
         "\"yield\" needs one of \"vertex_color\", \"picture\" and \"parts\""},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_error error = {0};
        assert_null(build(cases[i].cuts, &error));
        if (!strstr(error.message, cases[i].sentence)) {
            fail_msg("\"%s\", expected \"%s\"", error.message, cases[i].sentence);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_of_the_model),
        cmocka_unit_test(later_cuts_divide_parts),
        cmocka_unit_test(the_file_keeps_their_names),
        cmocka_unit_test(factors_are_painted_on_parts),
        cmocka_unit_test(wrong_names_get_a_sentence),
    };
    return cmocka_run_group_tests(tests, make_model, tear_down);
}
