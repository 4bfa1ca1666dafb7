// test_export_dents.c: bodies of one asset that are dented each in its own way: as .glb and .usda
// they share the mesh, have morphs of the vertices that move, and play as they were recorded.
#include "folder.h"
#include "gltf_player.h"
#include "usda.h"

#include "../src/base/os.h"
#include "../src/file/json.h"

#include "wrought/show.h"

// Along a column in the middle there are two vertices at each place, as where texture coordinates
// part.
enum { FRAMES = 61, BODIES = 3, WIDE = 13, SEAM = 6, GRID = WIDE * WIDE, POINTS = GRID + WIDE };

static wr_model *sheet;
static wr_export_report report;
static const char *const names[BODIES] = {"left", "middle one", "right"};

static wr_vec3 rest_of(int i)
{
    i = i < GRID ? i : (i - GRID) * WIDE + SEAM;
    float x = (float)(i % WIDE) / (WIDE - 1), z = (float)(i / WIDE) / (WIDE - 1);
    return wr_v3(1.5f * x, 0.2f * x * x - 0.1f * z, 1.1f * z);
}

static void create_sheet(void)
{
    sheet = wr_model_create(NULL, NULL);
    wr_mesh *mesh = sheet->meshes = wr_model_alloc(sheet, 1, sizeof *mesh);
    sheet->nodes = wr_model_alloc(sheet, 1, sizeof *sheet->nodes);
    sheet->name = "sheet";
    sheet->mesh_count = sheet->node_count = 1;
    sheet->nodes[0] = (wr_node){"sheet", -1, 0, -1, WR_POSE_IDENTITY, {1, 1, 1}, NULL};
    *mesh = (wr_mesh){.name = "sheet", .vertex_count = POINTS};
    mesh->positions = wr_model_alloc(sheet, POINTS, sizeof(wr_vec3));
    mesh->normals = wr_model_alloc(sheet, POINTS, sizeof(wr_vec3));
    mesh->triangles = wr_model_alloc(sheet, 6 * POINTS, sizeof(int));
    for (int i = 0; i < POINTS; i++) {
        mesh->positions[i] = rest_of(i);
        if (i < GRID && i % WIDE < WIDE - 1 && i / WIDE < WIDE - 1) {
            bool right = i % WIDE == SEAM; // of the seam
            int a = right ? GRID + i / WIDE : i, b = right ? a + 1 : i + WIDE;
            const int corners[6] = {a, b, i + 1, i + 1, b, i + WIDE + 1};
            memcpy(mesh->triangles + 3 * mesh->triangle_count, corners, sizeof corners);
            mesh->triangle_count += 2;
        }
    }
    sheet->look_count = mesh->part_count = 2;
    sheet->looks = wr_model_alloc(sheet, 2, sizeof *sheet->looks);
    sheet->looks[0] = (wr_look){.name = "paint", .base_color = {1, 1, 1, 1}, .texture = -1};
    sheet->looks[1] = (wr_look){.name = "rust", .base_color = {1, 0, 0, 1}, .texture = -1};
    mesh->parts = wr_model_alloc(sheet, 2, sizeof *mesh->parts);
    mesh->parts[0] = (wr_mesh_part){0, 100, 0};
    mesh->parts[1] = (wr_mesh_part){100, mesh->triangle_count - 100, 1};
    wr_find_normals(mesh->positions, POINTS, mesh->triangles, mesh->triangle_count, mesh->normals);
}

// Each body is dented twice, at other places and times.
static wr_vec3 dented(int body, int i, int frame)
{
    wr_vec3 p = rest_of(i), q = p;
    for (int k = 0; k < 2; k++) {
        float dx = p.x - 0.3f - 0.35f * (float)(body + k), dz = p.z - 0.2f - 0.3f * (float)body;
        float near = fmaxf(0.0f, 1.0f - (dx * dx + dz * dz) / (0.12f - 0.05f * (float)k));
        int start = 5 + 9 * body + 17 * k;
        float t = wr_clampf((float)(frame - start) / 3.0f, 0.0f, 1.0f);
        q = wr_add_scaled(q, near * t * (2.0f - t), wr_v3(0.05f, -0.2f, 0.03f * (float)k));
    }
    return q;
}

static wr_pose pose_of(int body, int frame)
{
    float t = (float)frame / FRAMES;
    return (wr_pose){wr_v3((float)body, 2.0f - t, 0.5f * t),
                     wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 2, -1)), t + (float)body)};
}

static void record(void)
{
    wr_record_body bodies[BODIES];
    wr_error error = {0};
    for (int b = 0; b < BODIES; b++) {
        float green = b == 2 ? 0.5f : 1.0f;
        bodies[b] = (wr_record_body){names[b], "metal", 0, false, false, {1, green, 1, 1}};
    }
    wr_record_info info = {.title = "dents",
                           .program = "test",
                           .rate_numerator = 30,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = FRAMES - 1,
                           .stage = wr_stage_default(),
                           .model_count = 1,
                           .models = (const wr_model *const *)&sheet,
                           .body_count = BODIES,
                           .bodies = bodies};
    wr_record_writer *writer = wr_record_create(in_folder("dents.wrought"), &info, &error);
    for (int k = 0; k < FRAMES; k++) {
        static wr_vec3 places[BODIES][POINTS];
        wr_record_points points[BODIES];
        wr_pose poses[BODIES];
        for (int b = 0; b < BODIES; b++) {
            for (int i = 0; i < POINTS; i++) {
                places[b][i] = dented(b, i, k);
            }
            points[b] = (wr_record_points){b, POINTS, places[b]};
            poses[b] = pose_of(b, k);
        }
        wr_frame frame = {.index = k,
                          .time = k / 30.0,
                          .body_count = BODIES,
                          .poses = poses,
                          .points = points,
                          .points_count = BODIES};
        if (!wr_record_add_frame(writer, &frame, &error)) {
            fail_msg("%s", error.message);
        }
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
}

static void export(const char *name, float tolerance)
{
    wr_error error = {0};
    wr_take *take = wr_take_open(in_folder("dents.wrought"), &error);
    wr_export_desc desc = wr_export_desc_default();
    desc.tolerance = tolerance;
    if (!take || !wr_take_export(take, in_folder(name), &desc, &report, &error)) {
        fail_msg("%s", error.message);
    }
    wr_take_close(take);
}

static float size_of_sheet(void)
{
    return wr_length(wr_box_size(wr_mesh_bounds(sheet->meshes)));
}

static void a_glb_plays_what_was_recorded_within_the_error_it_reports(void **state)
{
    (void)state;
    export("dents.glb", 1e-3f);
    assert_true(report.error > 0.0f && report.error <= 4e-3f * size_of_sheet());
    wr_model *model = wr_model_read(in_folder("dents.glb"), NULL, NULL);
    assert_non_null(model);
    for (int n = 0; n < BODIES; n++) {
        int b = 0;
        while (strcmp(names[b], model->nodes[n].name) != 0) {
            b++;
        }
        for (int k = 0; k < FRAMES; k++) {
            wr_vec3 places[POINTS];
            play(model, n, (float)k / 30.0f, places);
            for (int i = 0; i < POINTS; i++) {
                wr_vec3 p = wr_pose_point(pose_of(b, k), dented(b, i, k));
                assert_true(wr_distance(places[i], p) <= report.error + 2e-5f * size_of_sheet());
            }
        }
    }
    wr_model_destroy(model);
}

static void a_seam_stays_closed_in_every_frame(void **state)
{
    (void)state;
    export("dents.glb", 1e-3f);
    wr_model *model = wr_model_read(in_folder("dents.glb"), NULL, NULL);
    assert_non_null(model);
    float way = 0.0f;
    for (int n = 0; n < BODIES; n++) {
        for (int k = 0; k < 4 * FRAMES; k++) { // also between frames
            wr_vec3 places[POINTS];
            play(model, n, (float)k / 120.0f, places);
            for (int i = GRID; i < POINTS; i++) {
                int other = (i - GRID) * WIDE + SEAM;
                assert_true(wr_distance(places[i], places[other]) <= 1e-6f);
                wr_vec3 edge = wr_sub(places[i], places[other + 1]);
                wr_vec3 rest = wr_sub(rest_of(i), rest_of(other + 1));
                way = fmaxf(way, fabsf(wr_length(edge) - wr_length(rest)));
            }
        }
    }
    assert_true(way > 0.01f); // it was dented
    wr_model_destroy(model);
}

static int64_t number_at(const wri_json *primitive, const char *key)
{
    const wri_json *value = wri_json_find(primitive, key);
    assert_non_null(value);
    return (int64_t)value->number;
}

static void meshes_of_one_asset_share_their_accessors(void **state)
{
    (void)state;
    export("dents.glb", 1e-3f);
    size_t size;
    char *file = wri_file_read(in_folder("dents.glb"), 1 << 28, NULL, &size, NULL);
    uint32_t length;
    memcpy(&length, file + 12, sizeof length);
    wri_arena arena = wri_arena_create(NULL);
    const wri_json *root = wri_json_parse(&arena, file + 20, length, "dents.glb", false, NULL);
    assert_non_null(root);
    const wri_json *meshes = wri_json_find(root, "meshes");
    assert_int_equal(meshes->count, BODIES);
    const wri_json *first = &wri_json_find(&meshes->items[0], "primitives")->items[0];
    for (int b = 1; b < BODIES; b++) {
        const wri_json *one = &wri_json_find(&meshes->items[b], "primitives")->items[0];
        const wri_json *its = wri_json_find(one, "attributes");
        const wri_json *other = wri_json_find(first, "attributes");
        assert_int_equal(number_at(its, "POSITION"), number_at(other, "POSITION"));
        assert_int_equal(number_at(its, "NORMAL"), number_at(other, "NORMAL"));
        assert_int_equal(number_at(one, "indices"), number_at(first, "indices"));
        const wri_json *targets = wri_json_find(one, "targets");
        assert_true(targets && targets->count >= 2);
        assert_int_not_equal(number_at(&targets->items[0], "POSITION"), number_at(its, "POSITION"));
    }
    wri_arena_destroy(&arena);
    wri_free(NULL, file, size + 1, 1);
}

// Without profiles, shapes are found together.
static void no_tolerance_means_as_near_as_the_shapes_come(void **state)
{
    (void)state;
    export("near.glb", 0.0f);
    float near = report.error;
    export("dents.glb", 1e-3f);
    assert_true(near < 5e-6f * size_of_sheet() && report.error > 1e-4f * size_of_sheet());
}

// --- USD --------------------------------------------------------------------------------------

static usda read_usda(const char *name)
{
    size_t size;
    usda u = {0};
    char *text = wri_file_read(in_folder(name), 1 << 28, NULL, &size, NULL);
    assert_non_null(text);
    usda_read(&u, text, size);
    return u;
}

static wri_array numbers_of(const usda *u, const char *prim, const char *declaration)
{
    const usda_attribute *a = usda_attribute_of(u, prim, declaration);
    if (!a) {
        fail_msg("%s has no %s", prim, declaration);
    }
    return usda_numbers(a->value, a->length);
}

// The mesh that stands once, in metres, and its point of every vertex.
typedef struct shared_mesh {
    int count, points[POINTS];
    wr_vec3 rest[POINTS];
    float unit;
} shared_mesh;

static shared_mesh read_mesh(const usda *u, const char *prim)
{
    shared_mesh m = {0};
    wri_array points = numbers_of(u, prim, "point3f[] points");
    wri_array corners = numbers_of(u, prim, "int[] faceVertexIndices");
    wri_array scale = numbers_of(u, prim, "float3 xformOp:scale");
    m.unit = (float)WRI_ITEM(scale, double, 0);
    m.count = points.count / 3;
    assert_true(m.count <= POINTS);
    for (int i = 0; i < m.count; i++) {
        const double *p = (const double *)points.items + 3 * i;
        m.rest[i] = wr_scale(m.unit, wr_v3((float)p[0], (float)p[1], (float)p[2]));
    }
    assert_int_equal(corners.count, 3 * sheet->meshes->triangle_count);
    for (int i = 0; i < corners.count; i++) {
        m.points[sheet->meshes->triangles[i]] = (int)WRI_ITEM(corners, double, i);
    }
    wri_array_destroy(&points);
    wri_array_destroy(&corners);
    wri_array_destroy(&scale);
    return m;
}

static void add_shape(const usda *u, const shared_mesh *m, const char *prim, double weight,
                      wr_vec3 *places)
{
    wri_array offsets = numbers_of(u, prim, "uniform vector3f[] offsets");
    bool listed = usda_attribute_of(u, prim, "uniform int[] pointIndices") != NULL;
    wri_array indices = {0};
    if (listed) {
        indices = numbers_of(u, prim, "uniform int[] pointIndices");
        assert_int_equal(offsets.count, 3 * indices.count);
    } else {
        assert_int_equal(offsets.count, 3 * m->count);
    }
    for (int i = 0; i < offsets.count / 3; i++) {
        const double *d = (const double *)offsets.items + 3 * i;
        assert_true(d[0] == floor(d[0]) && d[1] == floor(d[1]) && d[2] == floor(d[2]));
        wr_vec3 *p = &places[listed ? (int)WRI_ITEM(indices, double, i) : i];
        *p = wr_add_scaled(*p, (float)weight * m->unit,
                           wr_v3((float)d[0], (float)d[1], (float)d[2]));
    }
    wri_array_destroy(&offsets);
    if (listed) {
        wri_array_destroy(&indices);
    }
}

static void expect_body(const usda *u, const shared_mesh *m, int b, const char *path)
{
    char prim[600];
    int count = 0;
    for (int i = 0; i < u->prims.count; i++) {
        const usda_prim *p = &WRI_ITEM(u->prims, usda_prim, i);
        count += strcmp(p->type, "BlendShape") == 0 && strncmp(p->path, path, strlen(path)) == 0;
    }
    assert_true(count >= 2 && count <= 64);
    wri_array box = numbers_of(u, path, "float3[] extent");
    assert_int_equal(box.count, 6);
    for (int k = 0; k < FRAMES; k++) {
        double weights[64];
        wr_vec3 places[POINTS];
        memcpy(places, m->rest, sizeof places);
        snprintf(prim, sizeof prim, "%s/motion", path);
        usda_sample(u, prim, "float[] blendShapeWeights.timeSamples", count, false, k, weights);
        for (int j = 0; j < count; j++) {
            snprintf(prim, sizeof prim, "%s/mesh/shape%d", path, j + 1);
            add_shape(u, m, prim, weights[j], places);
        }
        for (int i = 0; i < 3 * m->count; i++) {
            double x = (double)((const float *)places)[i];
            assert_true(x >= WRI_ITEM(box, double, i % 3) - 1e-6);
            assert_true(x <= WRI_ITEM(box, double, 3 + i % 3) + 1e-6);
        }
        wr_pose pose = usda_pose(u, path, k);
        for (int i = 0; i < POINTS; i++) {
            wr_vec3 recorded = wr_pose_point(pose_of(b, k), dented(b, i, k));
            wr_vec3 shown = wr_pose_point(pose, places[m->points[i]]);
            assert_true(wr_distance(shown, recorded) <= report.error + 2e-6f);
        }
    }
    wri_array_destroy(&box);
}

static int count_prims(const usda *u, const char *type)
{
    int count = 0;
    for (int i = 0; i < u->prims.count; i++) {
        count += strcmp(WRI_ITEM(u->prims, usda_prim, i).type, type) == 0;
    }
    return count;
}

// One of them has a colour of its own, for which the mesh does not stand there again.
static void usd_has_one_mesh_and_blend_shapes_that_play_what_was_recorded(void **state)
{
    (void)state;
    for (float tolerance = 1e-3f; tolerance > 1e-5f; tolerance *= 0.1f) {
        export("dents.usda", tolerance);
        assert_true(report.error > 0.0f && report.error <= 5e-3f * size_of_sheet());
        usda u = read_usda("dents.usda");
        int meshes = 0;
        for (int i = 0; i < u.attributes.count; i++) {
            const usda_attribute *a = &WRI_ITEM(u.attributes, usda_attribute, i);
            meshes += strcmp(a->declaration, "point3f[] points") == 0;
        }
        assert_int_equal(meshes, 1);
        assert_int_equal(count_prims(&u, "SkelRoot"), BODIES);
        shared_mesh m = read_mesh(&u, "/Shapes/sheet_geometry");
        assert_int_equal(m.count, GRID); // the seam is closed: there are no texture coordinates
        expect_body(&u, &m, 0, "/dents/left");
        expect_body(&u, &m, 1, "/dents/middle_one");
        expect_body(&u, &m, 2, "/dents/right");
        usda_destroy(&u);
        wri_free(NULL, u.text, u.size + 1, 1);
    }
}

static void expect_text(const usda *u, const char *prim, const char *declaration, const char *value)
{
    const usda_attribute *a = usda_attribute_of(u, prim, declaration);
    if (!a) {
        fail_msg("%s has no %s", prim, declaration);
    }
    assert_int_equal(a->length, strlen(value));
    assert_memory_equal(a->value, value, a->length);
}

static void bodies_of_two_colours_share_faces_and_have_materials_of_their_own(void **state)
{
    (void)state;
    export("dents.usda", 1e-3f);
    usda u = read_usda("dents.usda");
    assert_int_equal(count_prims(&u, "GeomSubset"), 2);
    const char *binding = "rel material:binding";
    expect_text(&u, "/Shapes/sheet/mesh/rust", binding, "</Shapes/sheet/Looks/rust>");
    expect_text(&u, "/Shapes/sheet_2/mesh/rust", binding, "</Shapes/sheet_2/Looks/rust>");
    expect_text(&u, "/Shapes/sheet/mesh/paint", binding, "</Shapes/sheet/Looks/paint>");
    expect_text(&u, "/Shapes/sheet/Looks/paint/Surface", "color3f inputs:diffuseColor",
                "(1, 1, 1)");
    expect_text(&u, "/Shapes/sheet_2/Looks/paint/Surface", "color3f inputs:diffuseColor",
                "(1, 0.5, 1)");
    assert_null(usda_attribute_of(&u, "/Shapes/sheet_geometry/rust", binding));
    assert_non_null(strstr(usda_find(&u, "/Shapes/sheet_2/mesh")->metadata,
                           "references = </Shapes/sheet_geometry>"));
    assert_non_null(strstr(usda_find(&u, "/dents/right")->metadata, "</Shapes/sheet_2>"));
    assert_non_null(strstr(usda_find(&u, "/dents/left")->metadata, "</Shapes/sheet>"));
    usda_destroy(&u);
    wri_free(NULL, u.text, u.size + 1, 1);
}

// Bodies without profiles, by wish or because there are too few shapes: their points in each frame.
static void expect_points(const char *name, float tolerance, int shapes)
{
    wr_error error = {0};
    wr_take *take = wr_take_open(in_folder("dents.wrought"), &error);
    wr_export_desc desc = wr_export_desc_default();
    desc.tolerance = tolerance;
    desc.shapes = shapes;
    assert_true(wr_take_export(take, in_folder(name), &desc, &report, &error));
    wr_take_close(take);
    usda u = read_usda(name);
    for (int i = 0; i < u.prims.count; i++) {
        assert_string_not_equal(WRI_ITEM(u.prims, usda_prim, i).type, "BlendShape");
    }
    wri_array n = numbers_of(&u, "/dents/right/mesh", "point3f[] points.timeSamples");
    const double *sample = (const double *)n.items + n.count - (3 * POINTS + 1), last = sample[0];
    CHECK_NEAR(last, 43.0, 0.0); // it does not change any more
    for (int i = 0; i < POINTS; i++) {
        wr_vec3 p = dented(2, i, FRAMES - 1), q;
        q = wr_v3((float)sample[3 * i + 1], (float)sample[3 * i + 2], (float)sample[3 * i + 3]);
        assert_true(wr_distance(p, q) < 1e-5f);
    }
    wri_array_destroy(&n);
    usda_destroy(&u);
    wri_free(NULL, u.text, u.size + 1, 1);
}

static void usd_has_points_where_no_profiles_do(void **state)
{
    (void)state;
    expect_points("points.usda", 0.0f, 32);
    expect_points("few.usda", 1e-4f, 1);
}

static int record_sheets(void **state)
{
    int failed = set_up(state);
    create_sheet();
    record();
    return failed;
}

static int drop_sheets(void **state)
{
    wr_model_destroy(sheet);
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_glb_plays_what_was_recorded_within_the_error_it_reports),
        cmocka_unit_test(a_seam_stays_closed_in_every_frame),
        cmocka_unit_test(meshes_of_one_asset_share_their_accessors),
        cmocka_unit_test(no_tolerance_means_as_near_as_the_shapes_come),
        cmocka_unit_test(usd_has_one_mesh_and_blend_shapes_that_play_what_was_recorded),
        cmocka_unit_test(bodies_of_two_colours_share_faces_and_have_materials_of_their_own),
        cmocka_unit_test(usd_has_points_where_no_profiles_do),
    };
    return cmocka_run_group_tests(tests, record_sheets, drop_sheets);
}
