// test_crush.c: sheet that is pressed keeps its lengths and its folds, whichever way it is turned;
// nonsense is refused in one sentence.
#include "check.h"

#include "../src/base/os.h"
#include "../src/crush/plate.h"

#include "wrought/recipe.h"

// --- sheets -----------------------------------------------------------------------------------

typedef wr_vec3 surface_fn(double u, double v);

// A grid of columns times rows cells over the unit square.
static wr_model *create_grid(int columns, int rows, surface_fn *surface)
{
    wr_model *model = wr_model_create(NULL, NULL);
    wr_mesh *mesh = wr_model_alloc(model, 1, sizeof *mesh);
    model->meshes = mesh;
    model->mesh_count = 1;
    mesh->name = "grid";
    mesh->vertex_count = (columns + 1) * (rows + 1);
    mesh->triangle_count = 2 * columns * rows;
    mesh->positions = wr_model_alloc(model, (size_t)mesh->vertex_count, sizeof *mesh->positions);
    mesh->triangles = wr_model_alloc(model, (size_t)mesh->triangle_count, 3 * sizeof(int));
    for (int i = 0; i < mesh->vertex_count; i++) {
        int column = i % (columns + 1), row = i / (columns + 1);
        mesh->positions[i] = surface((double)column / columns, (double)row / rows);
    }
    int *t = mesh->triangles;
    for (int i = 0; i < columns * rows; i++) {
        int a = i / columns * (columns + 1) + i % columns, b = a + 1, c = a + columns + 1,
            d = c + 1;
        const int even[6] = {a, b, d, a, d, c}, odd[6] = {a, b, c, b, d, c};
        memcpy(t + 6 * i, (i % columns + i / columns) % 2 ? odd : even, sizeof even);
    }
    return model;
}

// A strip of 1 m that leans back; along -z its upper end comes first.
static wr_vec3 leaning(double u, double v)
{
    return wr_v3((float)(0.3 * (u - 0.5)), (float)(0.8 * v), (float)(0.6 * v));
}

// A tube along z, its seam at two columns of vertices in one place.
static wr_vec3 tube(double u, double v)
{
    double angle = u < 1.0 ? 2.0 * 3.14159265358979 * u : 0.0;
    return wr_v3((float)(0.3 * cos(angle)), (float)(0.3 * sin(angle)), (float)(v - 0.5));
}

static wr_crush_desc strip_desc(const wr_model *model)
{
    wr_crush_desc desc = wr_crush_desc_default();
    desc.mesh = model->meshes;
    desc.shape = WR_CRUSH_POST;
    desc.axis = wr_v3(1, 0, 0);
    desc.at = wr_v3(0, 0.75f, 0);
    desc.has_at = true;
    desc.size = 0.1;
    desc.direction = wr_v3(0, 0, -1);
    desc.depth = 0.3;
    desc.steps = 200;
    return desc;
}

static wr_vec3 *room(const wr_crush_desc *desc)
{
    wr_vec3 *out = calloc((size_t)desc->mesh->vertex_count, sizeof *out);
    assert_non_null(out);
    return out;
}

static wr_crush_report crush(const wr_crush_desc *desc, wr_vec3 *out)
{
    wr_error error = {0};
    wr_crush_report report;
    if (!wr_crush(desc, out, &report, &error)) {
        fail_msg("%s", error.message);
    }
    for (int i = 0; i < desc->mesh->vertex_count; i++) {
        assert_true(wr_is_finite3(out[i]));
    }
    return report;
}

// --- physics ----------------------------------------------------------------------------------

static void gradients_of_an_angle_are_its_differences(void **state)
{
    (void)state;
    double x[4][3] = {{0.3, 0.9, 0.2}, {0.2, -0.8, 0.5}, {0, 0.1, 0}, {1, 0, 0.1}};
    const wri_plate_hinge h = {.wing = {0, 1}, .edge = {2, 3}};
    double angle, more, less, gradient[4][3], unused[4][3], e = 1e-6;
    assert_true(wri_hinge_angle((const double(*)[3])x, &h, &angle, gradient));
    for (int i = 0; i < 12; i++) {
        x[i / 3][i % 3] += e;
        wri_hinge_angle((const double(*)[3])x, &h, &more, unused);
        x[i / 3][i % 3] -= 2.0 * e;
        wri_hinge_angle((const double(*)[3])x, &h, &less, unused);
        x[i / 3][i % 3] += e;
        CHECK_NEAR(gradient[i / 3][i % 3], (more - less) / (2.0 * e), 1e-7);
    }
}

static void plastic_sheet_stays_bent_and_elastic_sheet_springs_back(void **state)
{
    (void)state;
    wr_model *model = create_grid(3, 8, leaning);
    wr_crush_desc desc = strip_desc(model);
    wr_vec3 *out = room(&desc);
    desc.steps = 1000;
    desc.yield = 1.0;
    double plastic = crush(&desc, out).largest_move;
    desc.yield = 1e6;
    desc.bend = 1e3;
    double elastic = crush(&desc, out).largest_move;
    // The post turns what is free of the strip, L = 0.45 m, by 0.78. Of that it springs back by L
    // times the yield curvature, 1 / 1.04 m, at most: 0.35 stay. The end has then moved by 0.08 m
    // when bent evenly (L theta / 2), by 0.16 m with a fold where it is held (L theta).
    assert_true(plastic > 0.15);
    assert_true(elastic < 0.4 * plastic); // and nears 0 the longer it rests
    free(out);
    wr_model_destroy(model);
}

static void a_strip_bent_around_a_post_keeps_its_lengths(void **state)
{
    (void)state;
    wr_model *model = create_grid(6, 20, leaning);
    wr_crush_desc desc = strip_desc(model);
    wr_vec3 *out = room(&desc);
    desc.depth = 0.4;
    desc.yield = 1.0;
    desc.steps = 1000;
    wr_crush_report report = crush(&desc, out);
    // L theta / 2, now for 1.1 of which 0.67 stay, is 0.15; air around the sheet takes back some.
    assert_true(report.largest_move > 0.125);
    assert_true(report.length_worst < 0.02);
    // Its length from the lower end, which is held, to the upper one, along the middle.
    double length = 0.0;
    for (int row = 0; row < 20; row++) {
        length += (double)wr_distance(out[7 * row + 3], out[7 * (row + 1) + 3]);
    }
    CHECK_NEAR(length, 1.0, 0.005);
    free(out);
    wr_model_destroy(model);
}

static void turned_and_scaled_sheets_bend_alike(void **state)
{
    (void)state;
    wr_model *model = create_grid(6, 20, leaning), *other = create_grid(6, 20, leaning);
    wr_crush_desc desc = strip_desc(model), moved = strip_desc(other);
    wr_vec3 *out = room(&desc), *again = room(&moved);
    wr_quat turn = wr_quat_from_axis_angle(wr_normalize(wr_v3(1, -2, 0.5f)), 1.1f);
    const float scale = 8.0f;
    for (int i = 0; i < other->meshes->vertex_count; i++) {
        other->meshes->positions[i] = wr_scale(scale, wr_rotate(turn, other->meshes->positions[i]));
    }
    moved.direction = wr_rotate(turn, desc.direction);
    moved.axis = wr_rotate(turn, desc.axis);
    moved.at = wr_scale(scale, wr_rotate(turn, desc.at));
    moved.depth *= scale;
    moved.size *= scale;
    crush(&desc, out);
    crush(&moved, again);
    for (int i = 0; i < model->meshes->vertex_count; i++) {
        wr_vec3 expected = wr_scale(scale, wr_rotate(turn, out[i]));
        CHECK_NEAR(wr_distance(expected, again[i]) / scale, 0.0, 1e-5);
    }
    free(out);
    free(again);
    wr_model_destroy(model);
    wr_model_destroy(other);
}

static void a_tube_buckles_where_it_is_struck(void **state)
{
    (void)state;
    wr_model *model = create_grid(32, 28, tube);
    wr_crush_desc desc = wr_crush_desc_default();
    desc.mesh = model->meshes;
    desc.steps = 300;
    wr_crush_desc_set_place(&desc, WR_CRUSH_FRONT, wr_mesh_bounds(desc.mesh));
    assert_true(desc.direction.z == -1.0f);
    wr_vec3 *out = room(&desc), *again = room(&desc);
    wr_crush_report report = crush(&desc, out);
    assert_true(report.length_change < 0.05);
    assert_true(report.creases >= 3);
    assert_true(report.struck_share >= 0.8);
    CHECK_NEAR(report.largest_move, desc.depth, 0.35 * desc.depth);
    for (int row = 0; row <= 28; row++) { // both sides of the seam are one
        assert_memory_equal(&out[33 * row], &out[33 * row + 32], sizeof *out);
    }
    crush(&desc, again);
    assert_memory_equal(out, again, (size_t)model->meshes->vertex_count * sizeof *out);
    free(out);
    free(again);
    wr_model_destroy(model);
}

// A bellows lays fold on fold.
static wr_vec3 bellows(double u, double v)
{
    wr_vec3 p = tube(u, v);
    float wave = 1.0f + 0.15f * (float)cos(40.0 * v);
    return wr_v3(wave * p.x, wave * p.y, p.z);
}

static void folds_lie_on_folds_and_do_not_cross(void **state)
{
    (void)state;
    wr_model *model = create_grid(32, 40, bellows);
    wr_crush_desc desc = wr_crush_desc_default();
    desc.mesh = model->meshes;
    desc.direction = wr_v3(0, 0, -1);
    desc.depth = 0.5;
    desc.hold = 1.0;
    desc.steps = 200;
    wr_vec3 *out = room(&desc);
    wr_crush_report report = crush(&desc, out);
    assert_int_equal(report.crossing, 0);
    assert_true(report.largest_move > 0.15);
    free(out);
    wr_model_destroy(model);
}

// Planks of the crate lie on one another, and go through each other when it is flat.
static void a_press_ends_where_too_many_triangles_would_cross(void **state)
{
    (void)state;
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        skip();
    }
    char path[600];
    snprintf(path, sizeof path, "%s/models/crate.glb", scenes);
    wr_error error = {0};
    wr_model *read = wr_model_read(path, NULL, &error);
    wr_model *model = read ? wr_model_flatten(read, &error) : NULL;
    if (!model) {
        fail_msg("%s", error.message);
    }
    wr_crush_desc desc = wr_crush_desc_default();
    desc.mesh = model->meshes;
    wr_crush_desc_set_place(&desc, WR_CRUSH_FLATTENED, wr_mesh_bounds(desc.mesh));
    desc.steps = 200;
    desc.crossing = 1.0;
    wr_vec3 *out = room(&desc), *full = room(&desc);
    wr_crush_report deep = crush(&desc, full);
    assert_true(deep.depth == desc.depth);
    assert_true(deep.crossing >= 50);
    desc.crossing = deep.crossing_share; // as many as may
    assert_true(crush(&desc, out).depth == desc.depth);
    assert_memory_equal(out, full, (size_t)desc.mesh->vertex_count * sizeof *out);
    desc.crossing = 0.5 * deep.crossing_share;
    wr_crush_report report = crush(&desc, out);
    assert_true(report.crossing_share <= desc.crossing);
    assert_true(report.depth > 0.0 && report.depth < desc.depth);
    assert_true(report.largest_move < deep.largest_move);
    desc.crossing = -1.0;
    assert_false(wr_crush(&desc, out, NULL, &error));
    free(full);
    free(out);
    wr_model_destroy(model);
    wr_model_destroy(read);
}

// Its nudges fold a sheet only as far as something presses it.
static void a_shallow_press_leaves_little(void **state)
{
    (void)state;
    wr_model *model = create_grid(32, 40, bellows);
    wr_crush_desc desc = wr_crush_desc_default();
    desc.mesh = model->meshes;
    desc.direction = wr_v3(0, -1, 0);
    desc.hold = 1.0;
    desc.depth = 0.002;
    desc.steps = 200;
    wr_vec3 *out = room(&desc);
    wr_crush_report report = crush(&desc, out);
    assert_true(report.largest_move < 3.0 * desc.depth);
    assert_int_equal(report.creases, 0);
    free(out);
    wr_model_destroy(model);
}

// Places of a tube go to and fro, a few at a time, so that it runs through itself: what is kept of
// the last search and what moved make up what a search from the beginning finds.
static void crossings_that_are_kept_are_those_found_anew(void **state)
{
    (void)state;
    enum { ROUNDS = 25, TRIANGLES = 2 * 24 * 16 };
    wr_model *model = create_grid(24, 16, tube);
    wri_arena arena = wri_arena_create(NULL);
    wri_topology topology;
    wri_crossings kept;
    uint64_t seed = 5;
    uint8_t a[TRIANGLES], b[TRIANGLES];
    assert_true(wri_topology_begin(&topology, &arena, model->meshes, 1e-6) &&
                wri_topology_find_fates(&topology));
    assert_true(wri_crossings_begin(&kept, &topology, NULL, &arena));
    int places = topology.place_count, most = 0;
    wr_vec3 *points = wri_arena_alloc(&arena, (size_t)places, sizeof *points);
    memcpy(points, topology.points, (size_t)places * sizeof *points);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 12 && round > 0; i++) {
            int place = (int)(random_bits(&seed) % (uint64_t)places);
            wr_vec3 rest = topology.points[place];
            points[place] =
                random_bits(&seed) % 3 ? wr_scale(random_float(&seed, -1, 1), rest) : rest;
        }
        assert_true(wri_crossings_find(&kept, points, a) &&
                    wri_find_crossings(&topology, NULL, points, b));
        assert_memory_equal(a, b, sizeof a);
        int crossing = 0;
        for (int t = 0; t < TRIANGLES; t++) {
            crossing += a[t];
        }
        most = crossing > most ? crossing : most;
    }
    assert_true(most > 100);
    wri_crossings_end(&kept);
    wri_arena_destroy(&arena);
    wr_model_destroy(model);
}

static void an_oblique_push_moves_the_sheet_along_with_it(void **state)
{
    (void)state;
    wr_model *model = create_grid(24, 20, tube);
    wr_crush_desc desc = wr_crush_desc_default();
    desc.mesh = model->meshes;
    desc.direction = wr_v3(-1, 0.4f, -0.7f);
    desc.depth = 0.15;
    desc.steps = 200;
    wr_vec3 *out = room(&desc), sum = {0}, way = wr_normalize(desc.direction);
    crush(&desc, out);
    for (int i = 0; i < model->meshes->vertex_count; i++) {
        sum = wr_add(sum, wr_sub(out[i], model->meshes->positions[i]));
    }
    assert_true(wr_dot(wr_normalize(sum), way) > 0.8f);
    free(out);
    wr_model_destroy(model);
}

static void rigid_parts_stay_rigid(void **state)
{
    (void)state;
    wr_model *model = create_grid(24, 20, tube);
    wr_crush_desc desc = wr_crush_desc_default();
    desc.mesh = model->meshes;
    wr_crush_desc_set_place(&desc, WR_CRUSH_FRONT, wr_mesh_bounds(desc.mesh));
    desc.steps = 200;
    wr_vec3 *out = room(&desc);
    int *rigid = calloc((size_t)model->meshes->vertex_count, sizeof *rigid);
    for (int i = 0; i < model->meshes->vertex_count; i++) {
        wr_vec3 p = model->meshes->positions[i];
        rigid[i] = p.z > 0.3f && p.x > 0.1f ? 5 : -1;
    }
    double loose = crush(&desc, out).length_change;
    desc.rigid = rigid;
    wr_crush_report report = crush(&desc, out);
    assert_true(report.rigid_error < 1e-6);
    assert_true(report.largest_move > 0.05 && loose >= 0.0);
    wr_crush_report without;
    desc.rigid = NULL;
    crush(&desc, out);
    assert_true(wr_crush_measure(desc.mesh, out, rigid, desc.direction, &without, NULL));
    assert_true(without.rigid_error > 1e-3); // the measure sees what is not
    free(rigid);
    free(out);
    wr_model_destroy(model);
}

// --- measures ---------------------------------------------------------------------------------

static wr_vec3 flat(double u, double v)
{
    return wr_v3((float)u, 0.0f, (float)v);
}

static void a_fold_is_one_crease_and_a_stretch_is_a_change_of_length(void **state)
{
    (void)state;
    wr_model *model = create_grid(8, 8, flat);
    wr_mesh *mesh = model->meshes;
    wr_vec3 out[81];
    wr_crush_report report;
    for (int i = 0; i < 81; i++) { // up by a right angle behind the middle
        wr_vec3 p = mesh->positions[i];
        out[i] = p.z > 0.5f ? wr_v3(p.x, p.z - 0.5f, 0.5f) : p;
    }
    assert_true(wr_crush_measure(mesh, out, NULL, wr_v3(0, 0, -1), &report, NULL));
    assert_int_equal(report.creases, 1);
    assert_int_equal(report.crossing, 0);
    CHECK_NEAR(report.length_change, 0.0, 1e-6);
    for (int i = 0; i < 81; i++) {
        out[i] = wr_scale(1.1f, mesh->positions[i]);
    }
    assert_true(wr_crush_measure(mesh, out, NULL, wr_v3(0, 0, -1), &report, NULL));
    assert_int_equal(report.creases, 0);
    CHECK_NEAR(report.length_change, 0.1, 1e-5);
    for (int i = 0; i < 81; i++) { // rolled in by more than a turn: it passes through itself
        wr_vec3 p = mesh->positions[i];
        float a = 8.0f * p.z, r = 0.2f - 0.05f * p.x * p.z;
        out[i] = wr_v3(p.x, r * sinf(a) + 0.3f * p.x * p.z, r * cosf(a));
    }
    assert_true(wr_crush_measure(mesh, out, NULL, wr_v3(0, 0, -1), &report, NULL));
    assert_true(report.crossing > 0);
    wr_model_destroy(model);
}

// --- nonsense ---------------------------------------------------------------------------------

static void check_refused(const wr_crush_desc *desc, const char *sentence)
{
    wr_vec3 *out = room(desc);
    wr_error error = {0};
    assert_false(wr_crush(desc, out, NULL, &error));
    if (!strstr(error.message, sentence)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, sentence);
    }
    free(out);
}

// Two strips side by side, and nothing between them.
static wr_vec3 apart(double u, double v)
{
    return wr_v3((float)(u < 0.5 ? 0.4 * u - 0.8 : 0.8 * u - 0.2), (float)(0.8 * v),
                 (float)(0.6 * v));
}

// The right one is broader, and so nearer to the middle of both.
static void a_tool_that_finds_nothing_in_the_middle_takes_what_is_nearest(void **state)
{
    (void)state;
    wr_model *model = create_grid(9, 10, apart);
    wr_mesh *mesh = model->meshes;
    for (int i = 0; i < mesh->triangle_count; i++) { // without those across the gap
        int *t = mesh->triangles + 3 * i;
        bool left = mesh->positions[t[0]].x < 0.0f, right = false;
        for (int k = 0; k < 3; k++) {
            right = right || (mesh->positions[t[k]].x < 0.0f) != left;
        }
        if (right) {
            memmove(t, t + 3, (size_t)(mesh->triangle_count - i - 1) * 3 * sizeof *t);
            mesh->triangle_count--;
            i--;
        }
    }
    wr_crush_desc desc = strip_desc(model);
    desc.axis = wr_v3(0, 1, 0);
    desc.has_at = false;
    wr_vec3 *out = room(&desc);
    crush(&desc, out);
    double left = 0.0, right = 0.0; // the farthest along the press
    for (int i = 0; i < mesh->vertex_count; i++) {
        double moved = (double)(mesh->positions[i].z - out[i].z);
        left = fmax(left, mesh->positions[i].x < 0.0f ? moved : 0.0);
        right = fmax(right, mesh->positions[i].x > 0.0f ? moved : 0.0);
    }
    assert_true(right > 0.1 && left < 0.01);
    desc.has_at = true;
    desc.at = wr_v3(-0.1f, 0.4f, 0.3f);
    check_refused(&desc, "the post misses the body");
    free(out);
    wr_model_destroy(model);
}

static void nonsense_is_refused_in_one_sentence(void **state)
{
    (void)state;
    wr_model *model = create_grid(6, 10, leaning);
    const wr_crush_desc good = strip_desc(model);
    wr_crush_desc bad = good;
    bad.depth = 0.0;
    check_refused(&bad, "the depth is 0 m, expected more than 0");
    bad.depth = 0.7;
    check_refused(&bad, "expected less than the body's 0.6 m along the direction");
    bad = good;
    bad.direction = wr_v3(0, 0, 0);
    check_refused(&bad, "the direction is zero");
    bad = good;
    bad.at = wr_v3(0, 5, 0);
    check_refused(&bad, "the post misses the body");
    bad = good;
    bad.axis = wr_v3(0, 0, 2);
    check_refused(&bad, "the axis is along the direction");
    bad = good;
    bad.hold = 0.0;
    check_refused(&bad, "\"hold\" is 0");
    bad = good;
    bad.cell = 1e-4;
    check_refused(&bad, "the cell is 0.0001 m, expected at least 0.000");
    bad = good;
    bad.shape = WR_CRUSH_MESH;
    check_refused(&bad, "the tool has no area");
    for (int i = 0; i < model->meshes->vertex_count; i++) {
        model->meshes->positions[i] = wr_v3((float)i, 0, 0);
    }
    check_refused(&good, "the mesh has no area");
    wr_model_destroy(model);
}

static void every_shape_presses(void **state)
{
    (void)state;
    wr_model *model = create_grid(16, 14, tube);
    wr_model *ball = wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(0.15f, 0, 0),
                                               (wr_color){1, 1, 1, 1}, NULL);
    for (int i = 0; i < WR_CRUSH_SHAPE_COUNT; i++) {
        wr_crush_desc desc = wr_crush_desc_default();
        desc.mesh = model->meshes;
        desc.shape = (wr_crush_shape)i;
        desc.tool = ball->meshes;
        desc.direction = wr_v3(-1, 0, 0);
        desc.depth = 0.15;
        desc.hold = 0.6;
        desc.steps = 100;
        wr_vec3 *out = room(&desc);
        wr_crush_report report = crush(&desc, out);
        assert_true(report.largest_move > 0.08 && report.largest_move < 0.3);
        assert_true(report.struck_share > 0.5);
        free(out);
    }
    wr_model_destroy(ball);
    wr_model_destroy(model);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_model *model = create_grid(2, 6, leaning);
    for (int budget = 0;; budget++) {
        counting_heap heap = {.budget = budget};
        wr_crush_desc desc = strip_desc(model);
        desc.allocator = counting_allocator(&heap);
        desc.steps = 10;
        wr_vec3 *out = room(&desc);
        wr_error error = {0};
        bool ok = wr_crush(&desc, out, NULL, &error);
        assert_true(ok || error.code == WR_E_MEMORY);
        assert_int_equal(heap.alive, 0);
        free(out);
        if (ok) {
            break;
        }
    }
    wr_model_destroy(model);
}

static bool never(void *user)
{
    ++*(int *)user;
    return false;
}

static void it_can_be_stopped(void **state)
{
    (void)state;
    wr_model *model = create_grid(6, 10, leaning);
    wr_crush_desc desc = strip_desc(model);
    int calls = 0;
    desc.go_on = never;
    desc.user = &calls;
    wr_vec3 *out = room(&desc);
    wr_error error = {0};
    assert_false(wr_crush(&desc, out, NULL, &error));
    assert_int_equal(error.code, WR_E_CANCELLED);
    assert_int_equal(calls, 1);
    free(out);
    wr_model_destroy(model);
}

// --- recipes ----------------------------------------------------------------------------------

static void write_file(const char *path, const char *text)
{
    assert_true(wri_file_write(path, text, strlen(text), NULL));
}

// A tube that is called wheel.
static void write_tube(const char *path)
{
    wr_model *model = create_grid(12, 10, tube);
    model->nodes = wr_model_alloc(model, 1, sizeof *model->nodes);
    model->nodes[0] = (wr_node){
        .name = "wheel", .parent = -1, .skin = -1, .pose = WR_POSE_IDENTITY, .scale = {1, 1, 1}};
    model->node_count = 1;
    wr_error error = {0};
    if (!wr_model_write_glb(model, path, &error)) {
        fail_msg("%s", error.message);
    }
    wr_model_destroy(model);
}

static void a_recipe_crushes_and_new_gives_six_dents(void **state)
{
    (void)state;
    temporary_folder folder = temporary_folder_create();
    char model_path[600], recipe_path[600];
    snprintf(model_path, sizeof model_path, "%s/tube.glb", folder.path);
    snprintf(recipe_path, sizeof recipe_path, "%s/tube.recipe.json", folder.path);
    wr_error error = {0};
    write_tube(model_path);
    const wr_recipe_start start = {.model = "tube.glb", .path = model_path, .dents = true};
    size_t size;
    char *text = wr_recipe_write_new(&start, &size, &error);
    assert_non_null(text);
    for (int i = 0; i < WR_CRUSH_PLACE_COUNT; i++) {
        assert_non_null(strstr(text, wr_crush_place_name((wr_crush_place)i)));
    }
    assert_non_null(strstr(text, "\"wheel\"") && strstr(text, "\"metal\"") ? text : NULL);
    write_file(recipe_path, text);
    wr_recipe *read = wr_recipe_read(recipe_path, NULL, &error);
    assert_non_null(read);
    wr_recipe_destroy(read);
    wr_text_destroy(text, size);
    write_file(recipe_path,
               "{\"wrought\": 1, \"model\": \"tube.glb\", \"simulation\": {\"vertices\": 100}, "
               "\"handles\": {\"automatic\": 4}, \"examples\": [{\"name\": \"dent\", "
               "\"crush\": {\"direction\": [0, 0, -1], \"depth\": 0.25}}]}");
    read = wr_recipe_read(recipe_path, NULL, &error);
    wr_build_desc desc = wr_build_desc_default();
    wr_build_report report = {0};
    wr_asset *asset = read ? wr_recipe_build(read, &desc, &report, &error) : NULL;
    if (!asset) {
        fail_msg("%s", error.message);
    }
    assert_true(report.examples[0].largest_move > 0.03);
    wr_build_report_clear(&report);
    wr_asset_destroy(asset);
    wr_recipe_destroy(read);
    write_file(recipe_path, "{\"wrought\": 1, \"model\": \"tube.glb\", \"examples\": [{\"name\": "
                            "\"dent\", \"crush\": {\"direction\": [0, 0, 0]}}]}");
    assert_null(wr_recipe_read(recipe_path, NULL, &error));
    assert_non_null(strstr(error.message, "\"direction\" is zero"));
    temporary_folder_destroy(&folder);
}

// Two nodes show one mesh of two triangles that stand upright side by side, one of them twice as
// large and turned.
static void write_two_sheets(const char *path)
{
    wr_model *model = create_grid(1, 1, leaning);
    model->nodes = wr_model_alloc(model, 2, sizeof *model->nodes);
    for (int i = 0; i < 2; i++) {
        model->nodes[i] = (wr_node){.name = i ? "wheel" : "door",
                                    .parent = -1,
                                    .skin = -1,
                                    .pose = WR_POSE_IDENTITY,
                                    .scale = {1.0f + (float)i, 1.0f + (float)i, 1.0f + (float)i}};
        model->nodes[i].pose.position.x = 3.0f * (float)i;
    }
    model->node_count = 2;
    wr_error error = {0};
    if (!wr_model_write_glb(model, path, &error)) {
        fail_msg("%s", error.message);
    }
    wr_model_destroy(model);
}

static double longest_edge(const wr_mesh *mesh)
{
    double longest = 0.0;
    for (int c = 0; c < 3 * mesh->triangle_count; c++) {
        int next = c % 3 == 2 ? c - 2 : c + 1;
        double length = (double)wr_distance(mesh->positions[mesh->triangles[c]],
                                            mesh->positions[mesh->triangles[next]]);
        longest = fmax(longest, length);
    }
    return longest;
}

static wr_crush_report crush_left_side(const wr_mesh *mesh)
{
    wr_crush_desc desc = wr_crush_desc_default();
    desc.mesh = mesh;
    wr_crush_desc_set_place(&desc, WR_CRUSH_LEFT, wr_mesh_bounds(mesh));
    wr_vec3 *out = room(&desc);
    wr_crush_report report = crush(&desc, out);
    free(out);
    return report;
}

static void triangles_smaller_than_the_folds_crease(void **state)
{
    (void)state;
    wr_model *model = create_grid(6, 3, tube);
    wr_model *fine = wr_mesh_refine(model->meshes, 0.04, 10000, NULL, NULL, NULL);
    assert_non_null(fine);
    assert_true(crush_left_side(model->meshes).creases < 3);
    wr_crush_report report = crush_left_side(fine->meshes);
    assert_true(report.creases >= 3);
    assert_true(report.length_change <= 0.05 && report.struck_share >= 0.8);
    assert_int_equal(report.crossing, 0);
    wr_model_destroy(fine);
    wr_model_destroy(model);
}

// Its wheel is named in the file, of which every mesh is refined.
static void coarse_models_are_refined_before_they_are_pressed(void **state)
{
    (void)state;
    temporary_folder folder = temporary_folder_create();
    char model_path[600], recipe_path[600];
    snprintf(model_path, sizeof model_path, "%s/sheets.glb", folder.path);
    snprintf(recipe_path, sizeof recipe_path, "%s/sheets.recipe.json", folder.path);
    write_two_sheets(model_path);
    const wr_recipe_start start = {.model = "sheets.glb", .path = model_path, .dents = true};
    wr_error error = {0};
    size_t size;
    char *text = wr_recipe_write_new(&start, &size, &error);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"refine\": 0.04"));
    wr_text_destroy(text, size);
    write_file(recipe_path,
               "{\"wrought\": 1, \"model\": \"sheets.glb\", \"refine\": 0.04, \"simulation\": "
               "{\"vertices\": 100}, \"handles\": {\"automatic\": 4}, \"examples\": [{\"name\": "
               "\"dent\", \"crush\": {\"place\": \"roof\", \"rigid\": [\"wheel\"]}}]}");
    wr_recipe *recipe = wr_recipe_read(recipe_path, NULL, &error);
    wr_build_desc desc = wr_build_desc_default();
    wr_build_report report = {0};
    wr_asset *asset = recipe ? wr_recipe_build(recipe, &desc, &report, &error) : NULL;
    if (!asset) {
        fail_msg("%s", error.message);
    }
    const wr_mesh *mesh = asset->model->meshes;
    wr_vec3 extent = wr_box_size(wr_mesh_bounds(mesh));
    double most = 0.04 * fmax(extent.x, fmax(extent.y, extent.z));
    assert_int_equal(report.coarse_vertices, 8);
    assert_int_equal(report.vertices, mesh->vertex_count);
    assert_true(longest_edge(mesh) <= most && longest_edge(mesh) > 0.4 * most);
    wr_build_report_clear(&report);
    wr_asset_destroy(asset);
    wr_recipe_destroy(recipe);
    temporary_folder_destroy(&folder);
}

static wr_asset *build_with(const wr_recipe *recipe, int threads, int shuffle)
{
    wr_build_desc desc = wr_build_desc_default();
    wr_error error = {0};
    desc.tasks = wr_tasks_openmp(threads);
    wri_test_block_shuffle = shuffle;
    wr_asset *asset = wr_recipe_build(recipe, &desc, NULL, &error);
    wri_test_block_shuffle = 0;
    if (!asset) {
        fail_msg("%s", error.message);
    }
    return asset;
}

static void threads_and_their_order_do_not_matter(void **state)
{
    (void)state;
    temporary_folder folder = temporary_folder_create();
    char model_path[600], recipe_path[600];
    snprintf(model_path, sizeof model_path, "%s/tube.glb", folder.path);
    snprintf(recipe_path, sizeof recipe_path, "%s/tube.recipe.json", folder.path);
    write_tube(model_path);
    write_file(recipe_path,
               "{\"wrought\": 1, \"model\": \"tube.glb\", \"simulation\": {\"vertices\": 100}, "
               "\"handles\": {\"automatic\": 4}, \"examples\": ["
               "{\"name\": \"front\", \"crush\": {\"direction\": [0, 0, -1], \"depth\": 0.25}}, "
               "{\"name\": \"side\", \"crush\": {\"place\": \"left side\"}}, "
               "{\"name\": \"top\", \"crush\": {\"place\": \"roof\"}}]}");
    wr_recipe *recipe = wr_recipe_read(recipe_path, NULL, NULL);
    assert_non_null(recipe);
    wr_asset *one = build_with(recipe, 1, 0), *three = build_with(recipe, 3, 5);
    for (int e = 1; e < 4; e++) {
        const wr_example *a = &one->rig.examples[e], *b = &three->rig.examples[e];
        assert_memory_equal(a->details, b->details,
                            (size_t)one->rig.ride_count * sizeof *a->details);
        assert_memory_equal(a->correctives, b->correctives,
                            (size_t)one->rig.vertex_count * sizeof *a->correctives);
    }
    wr_asset_destroy(one);
    wr_asset_destroy(three);
    wr_recipe_destroy(recipe);
    temporary_folder_destroy(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_an_angle_are_its_differences),
        cmocka_unit_test(plastic_sheet_stays_bent_and_elastic_sheet_springs_back),
        cmocka_unit_test(a_strip_bent_around_a_post_keeps_its_lengths),
        cmocka_unit_test(turned_and_scaled_sheets_bend_alike),
        cmocka_unit_test(a_tube_buckles_where_it_is_struck),
        cmocka_unit_test(folds_lie_on_folds_and_do_not_cross),
        cmocka_unit_test(a_press_ends_where_too_many_triangles_would_cross),
        cmocka_unit_test(a_shallow_press_leaves_little),
        cmocka_unit_test(crossings_that_are_kept_are_those_found_anew),
        cmocka_unit_test(an_oblique_push_moves_the_sheet_along_with_it),
        cmocka_unit_test(rigid_parts_stay_rigid),
        cmocka_unit_test(a_fold_is_one_crease_and_a_stretch_is_a_change_of_length),
        cmocka_unit_test(a_tool_that_finds_nothing_in_the_middle_takes_what_is_nearest),
        cmocka_unit_test(nonsense_is_refused_in_one_sentence),
        cmocka_unit_test(every_shape_presses),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(a_recipe_crushes_and_new_gives_six_dents),
        cmocka_unit_test(triangles_smaller_than_the_folds_crease),
        cmocka_unit_test(coarse_models_are_refined_before_they_are_pressed),
        cmocka_unit_test(threads_and_their_order_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
