// Promises of surfaces sampled by texels: as closed as their source and where it is, regular, at
// the UVs of the file where these will do; and the source's vertices go where the samples go.
#include "shape.h"

#include "wrought/file.h"
#include "wrought/texels.h"

#include "../src/geometry/texels.h"

static const wr_color WHITE = {1.0f, 1.0f, 1.0f, 1.0f};

static wr_texels *sample(const wr_mesh *mesh, int side)
{
    wr_error error = {0};
    wr_texels_desc desc = wr_texels_desc_default();
    desc.mesh = mesh;
    desc.side = side;
    wr_texels *texels = wr_texels_create(&desc, &error);
    if (!texels) {
        fail_msg("%s", error.message);
    }
    return texels;
}

static wr_mesh mesh_of(const wr_texels *t)
{
    return (wr_mesh){.name = "texels",
                     .vertex_count = t->vertex_count,
                     .triangle_count = t->triangle_count,
                     .positions = t->positions,
                     .triangles = t->triangles};
}

static wr_mesh_report inspect(const wr_mesh *mesh)
{
    wr_error error = {0};
    wr_mesh_report report;
    assert_true(wr_mesh_inspect(mesh, NULL, &report, &error));
    return report;
}

static wr_uv_report inspect_uvs(const wr_mesh *mesh)
{
    wr_error error = {0};
    wr_uv_report report;
    assert_true(wr_mesh_inspect_uvs(mesh, NULL, &report, &error));
    return report;
}

static wr_model *create_ball(float radius)
{
    return wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(radius, 0, 0), WHITE, NULL);
}

static wr_model *create_box(void)
{
    return wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1.0f, 0.6f, 0.3f), WHITE, NULL);
}

// --- surfaces -----------------------------------------------------------------------------------

// The share of vertices with six triangles around them.
static double share_of_six(const wr_texels *t)
{
    int *around = calloc((size_t)t->vertex_count, sizeof *around), count = 0;
    for (int i = 0; i < 3 * t->triangle_count; i++) {
        around[t->triangles[i]]++;
    }
    for (int i = 0; i < t->vertex_count; i++) {
        count += around[i] == 6;
    }
    free(around);
    return (double)count / t->vertex_count;
}

// Largest distance of the source's vertices from what they ride on.
static double largest_offset(const wr_texels *t)
{
    double most = 0.0;
    for (int i = 0; i < t->ride_count; i++) {
        most = fmax(most, (double)wr_length(t->rides[i].offset));
    }
    return most;
}

typedef struct limits {
    double area, volume; // share that may be lost
    double six;          // least share of vertices with six neighbours
} limits;

static void check_samples(const char *name, const wr_mesh *mesh, int side, limits least)
{
    clock_t start = clock();
    wr_texels *t = sample(mesh, side);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    wr_mesh made = mesh_of(t);
    wr_mesh_report before = inspect(mesh), after = inspect(&made);
    printf("    %-22s %3d: %5d texels, %4d of seams, %2d charts%s, six %.2f, area %.4f, volume "
           "%.4f, off %.4f, %.2f s\n",
           name, side, t->texel_count, t->seam_count, t->chart_count,
           t->is_generated ? "" : " of the file", share_of_six(t), after.area / before.area,
           after.volume / before.volume, largest_offset(t) / sqrt(before.area), seconds);
    assert_true(before.is_sound && after.is_sound);
    assert_int_equal(after.shells, before.shells);
    assert_int_equal(t->left_count, 0);
    assert_int_equal(after.unused_vertices + after.duplicate_vertices, 0);
    assert_int_equal(t->texel_count + t->seam_count, t->vertex_count);
    CHECK_NEAR(after.area / before.area, 1.0, least.area);
    CHECK_NEAR(after.volume / before.volume, 1.0, least.volume);
    assert_true(share_of_six(t) >= least.six);
    wr_texels_destroy(t);
}

static void shapes_stay_closed(void **state)
{
    (void)state;
    static const char *const names[] = {"box", "sphere", "capsule", "cylinder"};
    static const wr_vec3 sizes[] = {
        {1.0f, 0.6f, 0.3f}, {1.0f, 0.0f, 0.0f}, {0.3f, 1.0f, 0.0f}, {0.3f, 1.0f, 0.0f}};
    for (int i = 0; i < 4; i++) {
        wr_model *model = wr_model_create_primitive((wr_primitive)i, sizes[i], WHITE, NULL);
        check_samples(names[i], model->meshes, 16, (limits){0.06, 0.1, 0.2});
        check_samples(names[i], model->meshes, 64, (limits){0.005, 0.01, 0.75});
        check_samples(names[i], model->meshes, 256, (limits){0.001, 0.001, 0.9});
        wr_model_destroy(model);
    }
}

static void check_model(const char *path, const char *name, int side, limits least)
{
    wr_error error = {0};
    wr_model *source = wr_model_read(path, NULL, &error);
    wr_model *flat = source ? wr_model_flatten(source, &error) : NULL;
    if (!flat) {
        fail_msg("%s", error.message);
    }
    check_samples(name, flat->meshes, side, least);
    wr_model_destroy(flat);
    wr_model_destroy(source);
}

static void figures_stay_closed(void **state)
{
    (void)state;
    static const char *const names[] = {"tyre", "pumpkin", "hand", "snake", "deer-light", "gear"};
    const char *folder = getenv("WROUGHT_SCENES");
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/models/%s.glb", folder ? folder : "scenes", names[i]);
        check_model(path, names[i], 64, (limits){0.05, 0.12, 0.15});
        check_model(path, names[i], 256, (limits){0.01, 0.01, 0.65});
    }
}

static void models_of_others_stay_closed(void **state)
{
    (void)state;
    static const char *const names[] = {"khronos/Fox.glb",          "khronos/RiggedFigure.glb",
                                        "khronos/RiggedSimple.glb", "libigl/bunny.off",
                                        "libigl/hand.mesh",         "libigl/decimated-knight.off",
                                        "libigl/arm.obj",           "ebpd/barrel/mesh.obj"};
    const char *folder = getenv("WROUGHT_DATA");
    int found = 0;
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data", names[i]);
        if (access(path, R_OK) == 0) {
            check_model(path, names[i], 128, (limits){0.02, 0.01, 0.5});
            found++;
        }
    }
    if (!found) {
        print_message("the models of others are not there: skipped\n");
        skip();
    }
}

// With far too few texels a figure is a poor one, but still closed.
static void too_few_texels_leave_it_closed(void **state)
{
    (void)state;
    static const char *const names[] = {"deer", "hand", "hen", "tyre", "fish", "link"};
    const char *folder = getenv("WROUGHT_SCENES");
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char path[1024];
        wr_error error = {0};
        snprintf(path, sizeof path, "%s/models/%s.glb", folder ? folder : "scenes", names[i]);
        wr_model *source = wr_model_read(path, NULL, &error);
        wr_model *flat = source ? wr_model_flatten(source, &error) : NULL;
        assert_non_null(flat);
        for (int side = 20; side <= 44; side += 8) {
            wr_texels *t = sample(flat->meshes, side);
            wr_mesh made = mesh_of(t);
            wr_mesh_report r = inspect(&made);
            double size = sqrt(r.area);
            printf("    %-5s %d: %4d vertices, volume %.3f, off %.3f\n", names[i], side,
                   t->vertex_count, r.volume / inspect(flat->meshes).volume,
                   largest_offset(t) / size);
            assert_int_equal(r.boundary_edges + r.non_manifold_edges + r.inconsistent_edges, 0);
            assert_int_equal(r.duplicate_triangles + r.back_to_back_triangles, 0);
            assert_int_equal(r.shells, 1);
            assert_true(r.closed_shells == 1 && r.inverted_shells == 0);
            assert_true(largest_offset(t) < 0.15 * size);
            wr_texels_destroy(t);
        }
        wr_model_destroy(flat);
        wr_model_destroy(source);
    }
}

// However few texels there are, in the atlas every triangle has area and faces up, and pieces of
// seams are about as long as texels, though the source's edges are shorter.
static void the_atlas_is_well_shaped(void **state)
{
    (void)state;
    shape s = round_shape(0.3, 1.0, 80);
    for (int side = 12; side <= 60; side += 16) {
        wr_texels_desc desc = wr_texels_desc_default();
        wri_texel_work w = {.desc = &desc, .arena = wri_arena_create(NULL)};
        wr_error error = {0};
        assert_true(wri_facets_create(&w.facets, &w.arena, &s.mesh));
        assert_true(wri_atlas_generate(&w.atlas, &w.facets, side, &error));
        assert_true(wri_texels_sample(&w));
        const wri_half_mesh *m = &w.mesh;
        double length = 0.0;
        int count = 0;
        for (int i = 0; i < 3 * m->triangle_count; i++) {
            int t = i / 3 * 3;
            bool is_seam = m->corner[i] >= 0 && m->mark[i] & WRI_HALF_SEAM;
            assert_true(m->corner[t] < 0 || wri_cross2(m->uv[t], m->uv[t + 1], m->uv[t + 2]) > 0.0);
            length += is_seam ? wri_half_length(m, i) : 0.0;
            count += is_seam;
        }
        printf("    %d: pieces of seams of %.2f texels\n", side, length / count);
        assert_true(length > 0.6 * count && length < 1.1 * count);
        wri_arena_destroy(&w.arena);
    }
    shape_destroy(&s);
}

// Samples are on the source, its vertices near the samples, and all the nearer the more there are.
static void more_texels_come_nearer(void **state)
{
    (void)state;
    wr_model *ball = create_ball(1.0f);
    double last_offset = INFINITY, last_lost = INFINITY;
    for (int side = 32; side <= 256; side *= 2) {
        wr_texels *t = sample(ball->meshes, side);
        wr_mesh made = mesh_of(t);
        double offset = largest_offset(t);
        double lost = 1.0 - inspect(&made).volume / inspect(ball->meshes).volume;
        assert_true(offset < 0.7 * last_offset);
        assert_true(lost < 0.4 * last_lost);
        for (int i = 0; i < t->vertex_count; i++) {
            float r = wr_length(t->positions[i]);
            assert_true(r < 1.000001f && r > 0.993f); // its triangles are 0.0062 below the ball
        }
        last_offset = offset;
        last_lost = lost;
        wr_texels_destroy(t);
    }
    wr_model_destroy(ball);
}

static void a_box_keeps_its_edges(void **state)
{
    (void)state;
    wr_model *box = create_box();
    wr_texels *t = sample(box->meshes, 64);
    int corners = 0;
    for (int i = 0; i < t->vertex_count; i++) {
        wr_vec3 p = t->positions[i];
        int sides = (fabsf(fabsf(p.x) - 0.5f) < 1e-6f) + (fabsf(fabsf(p.y) - 0.3f) < 1e-6f) +
                    (fabsf(fabsf(p.z) - 0.15f) < 1e-6f);
        assert_true(sides >= 1);
        assert_true((sides > 1) == (t->texel[i] < 0)); // edges are seams
        corners += sides == 3;
    }
    assert_int_equal(corners, 8);
    wr_mesh made = mesh_of(t);
    CHECK_NEAR(inspect(&made).volume, 0.18, 1e-7);
    wr_texels_destroy(t);
    wr_model_destroy(box);
}

// --- the grid -----------------------------------------------------------------------------------

// Whether a vertex and the eight around it in the atlas are texels.
static bool is_inner(const wr_texels *t, const int *vertex_at, int vertex)
{
    int texel = t->texel[vertex], side = t->side, x = texel % side, y = texel / side;
    bool inner = texel >= 0 && x > 0 && y > 0 && x < side - 1 && y < side - 1;
    for (int k = 0; k < 9 && inner; k++) {
        inner = vertex_at[texel + k % 3 - 1 + side * (k / 3 - 1)] >= 0;
    }
    return inner;
}

// Among texels everybody has the six neighbours (1, 0), (0, 1), (-1, 1) and their opposites.
static void texels_among_texels_have_six_neighbours(void **state)
{
    (void)state;
    wr_model *ball = create_ball(0.5f);
    wr_texels *t = sample(ball->meshes, 96);
    int side = t->side, inner = 0, vertex_at[96 * 96];
    int *around = calloc((size_t)t->vertex_count, sizeof *around);
    memset(vertex_at, -1, sizeof vertex_at);
    for (int i = 0; i < t->vertex_count; i++) {
        if (t->texel[i] >= 0) {
            assert_int_equal(vertex_at[t->texel[i]], -1);
            vertex_at[t->texel[i]] = i;
        }
    }
    for (int i = 0; i < 3 * t->triangle_count; i++) {
        int a = t->triangles[i], b = t->triangles[i % 3 == 2 ? i - 2 : i + 1];
        around[a]++;
        if (is_inner(t, vertex_at, a)) {
            int x = t->texel[b] % side - t->texel[a] % side;
            int y = t->texel[b] / side - t->texel[a] / side;
            assert_true(x >= -1 && x <= 1 && y >= -1 && y <= 1 && x != y);
        }
    }
    for (int i = 0; i < t->vertex_count; i++) {
        assert_true(!is_inner(t, vertex_at, i) || around[i] == 6);
        inner += is_inner(t, vertex_at, i);
    }
    printf("    %d of %d vertices among texels\n", inner, t->vertex_count);
    assert_true(inner > 0.7 * t->vertex_count);
    free(around);
    wr_texels_destroy(t);
    wr_model_destroy(ball);
}

// A sheet of 12 by 12 quads with UVs, a little bent.
static wr_model *create_sheet(void)
{
    enum { N = 12 };
    wr_error error;
    wr_model *m = wr_model_create(NULL, &error);
    m->meshes = wr_model_alloc(m, 1, sizeof *m->meshes);
    m->mesh_count = 1;
    wr_mesh *mesh = m->meshes;
    mesh->name = "sheet";
    mesh->positions = wr_model_alloc(m, (N + 1) * (N + 1), sizeof *mesh->positions);
    mesh->uvs = wr_model_alloc(m, (N + 1) * (N + 1), sizeof *mesh->uvs);
    mesh->triangles = wr_model_alloc(m, 2 * N * N, 3 * sizeof(int));
    for (int i = 0; i <= N; i++) {
        for (int k = 0; k <= N; k++) {
            float x = (float)k / N, y = (float)i / N;
            mesh->positions[mesh->vertex_count] = wr_v3(x, y, 0.1f * x * x);
            mesh->uvs[mesh->vertex_count++] = (wr_vec2){0.1f + 0.8f * x, 0.9f - 0.8f * y};
        }
    }
    for (int i = 0; i < N * N; i++) {
        int a = i / N * (N + 1) + i % N, *t = &mesh->triangles[3 * mesh->triangle_count];
        const int quad[6] = {a, a + 1, a + N + 2, a, a + N + 2, a + N + 1};
        memcpy(t, quad, sizeof quad);
        mesh->triangle_count += 2;
    }
    return m;
}

static void texels_are_at_the_uvs_of_the_file(void **state)
{
    (void)state;
    wr_model *sheet = create_sheet();
    wr_texels *t = sample(sheet->meshes, 50);
    assert_true(t->uvs.has_uvs && t->uvs.is_injective && t->uvs.is_usable && !t->is_generated);
    assert_int_equal(t->chart_count, 1);
    assert_int_equal(t->texel_count, 40 * 40);
    float *uvs = malloc((size_t)t->vertex_count * 2 * sizeof *uvs);
    wr_texels_interpolate(t, 2, &sheet->meshes->uvs->x, uvs);
    for (int i = 0; i < t->vertex_count; i++) {
        if (t->texel[i] >= 0) {
            CHECK_NEAR((double)uvs[2 * i], (t->texel[i] % 50 + 0.5) / 50.0, 1e-5);
            CHECK_NEAR(1.0 - (double)uvs[2 * i + 1], (t->texel[i] / 50 + 0.5) / 50.0, 1e-5);
        }
    }
    free(uvs);
    wr_texels_destroy(t);
    wr_model_destroy(sheet);
}

static void what_is_wrong_with_uvs_is_found(void **state)
{
    (void)state;
    wr_model *sheet = create_sheet();
    wr_mesh *mesh = sheet->meshes;
    wr_vec2 *kept = mesh->uvs, *uvs = wr_model_alloc(sheet, 169, sizeof *uvs);
    mesh->uvs = NULL;
    assert_false(inspect_uvs(mesh).has_uvs || inspect_uvs(mesh).is_usable);
    mesh->uvs = uvs;
    enum { WHOLE, ALL_MIRRORED, FOLDED, OUTSIDE, LINE, STRETCHED, TWICE, CASES };
    for (int kind = WHOLE; kind < CASES; kind++) {
        for (int i = 0; i < 169; i++) {
            float x = kept[i].x, y = kept[i].y;
            uvs[i].x = kind == ALL_MIRRORED ? 1.0f - x
                       : kind == FOLDED     ? fabsf(x - 0.3f)
                       : kind == OUTSIDE    ? x + 0.2f
                       : kind == LINE       ? 0.5f
                                            : x;
            uvs[i].y = kind == STRETCHED ? 0.1f * y : y;
        }
        if (kind == TWICE) { // its right half once more over the left one
            for (int i = 0; i < 169; i++) {
                bool is_moved = i % 13 > 6;
                uvs[i].x = is_moved ? kept[i].x - 0.39f : kept[i].x;
            }
            for (int t = 0; t < mesh->triangle_count; t++) {
                int *v = &mesh->triangles[3 * t];
                bool is_between = v[0] % 13 == 6 && v[1] % 13 == 7;
                is_between = is_between || v[1] % 13 == 7 || v[2] % 13 == 7;
                if (is_between && (v[0] % 13 == 6 || v[1] % 13 == 6 || v[2] % 13 == 6)) {
                    v[1] = v[2] = v[0];
                }
            }
        }
        wr_uv_report r = inspect_uvs(mesh);
        assert_int_equal(r.outside, kind == OUTSIDE ? 24 * 2 : 0);
        assert_int_equal(r.degenerate, kind == LINE ? 288 : 0);
        assert_int_equal(r.mirrored > 0, kind == FOLDED);
        assert_int_equal(r.overlaps, kind == TWICE);
        assert_int_equal(r.is_injective,
                         kind == WHOLE || kind == ALL_MIRRORED || kind == STRETCHED);
        assert_int_equal(r.is_usable, kind == WHOLE || kind == ALL_MIRRORED);
        wr_texels *t = sample(mesh, 32);
        assert_int_equal(t->is_generated, !r.is_usable);
        wr_texels_destroy(t);
    }
    wr_model_destroy(sheet);
}

// --- the source's vertices ----------------------------------------------------------------------

static void vertices_ride_along(void **state)
{
    (void)state;
    wr_model *ball = create_ball(0.5f);
    const wr_mesh *mesh = ball->meshes;
    wr_texels *t = sample(mesh, 64);
    size_t n = (size_t)t->vertex_count, rides = (size_t)t->ride_count;
    wr_vec3 *moved = malloc(n * sizeof *moved), *out = malloc(rides * sizeof *out);
    assert_int_equal(t->ride_count, mesh->vertex_count);
    wr_texels_follow(t, t->positions, out);
    for (size_t i = 0; i < rides; i++) {
        assert_true(wr_distance(out[i], mesh->positions[i]) < 1e-6f);
    }
    wr_pose pose = {wr_v3(3, 2, 1), wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 2, 3)), 1.0f)};
    for (size_t i = 0; i < n; i++) {
        moved[i] = wr_pose_point(pose, t->positions[i]);
    }
    wr_texels_follow(t, moved, out);
    for (size_t i = 0; i < rides; i++) {
        assert_true(wr_distance(out[i], wr_pose_point(pose, mesh->positions[i])) < 3e-6f);
    }
    for (size_t i = 0; i < n; i++) {
        moved[i] = t->positions[i];
        moved[i].x *= 2.0f;
    }
    wr_texels_follow(t, moved, out);
    for (size_t i = 0; i < rides; i++) {
        wr_vec3 p = mesh->positions[i];
        p.x *= 2.0f;
        assert_true(wr_distance(out[i], p) < 2.0f * (float)largest_offset(t));
    }
    free(moved);
    free(out);
    wr_texels_destroy(t);
    wr_model_destroy(ball);
}

// Vertices that are split for their normals stay together.
static void a_seam_of_the_source_does_not_open(void **state)
{
    (void)state;
    wr_model *box = create_box();
    const wr_mesh *mesh = box->meshes;
    wr_texels *t = sample(mesh, 32);
    wr_vec3 moved[4096], out[24];
    assert_true(t->vertex_count < 4096 && t->ride_count == 24);
    for (int i = 0; i < t->vertex_count; i++) {
        wr_vec3 p = t->positions[i];
        moved[i] = wr_v3(p.x + 0.1f * p.y * p.y, p.y + 0.2f * p.x * p.z, p.z - 0.1f * p.x);
    }
    wr_texels_follow(t, moved, out);
    for (int i = 0; i < 24; i++) {
        for (int k = 0; k < i; k++) {
            assert_int_equal(wr_distance(mesh->positions[i], mesh->positions[k]) == 0.0f,
                             wr_distance(out[i], out[k]) == 0.0f);
        }
    }
    wr_texels_destroy(t);
    wr_model_destroy(box);
}

static void values_are_interpolated(void **state)
{
    (void)state;
    wr_model *ball = create_ball(0.5f);
    wr_texels *t = sample(ball->meshes, 64);
    float *out = malloc((size_t)t->vertex_count * 3 * sizeof *out);
    wr_texels_interpolate(t, 3, &ball->meshes->positions->x, out);
    for (int i = 0; i < t->vertex_count; i++) {
        wr_vec3 p = {out[3 * i], out[3 * i + 1], out[3 * i + 2]};
        assert_true(wr_distance(p, t->positions[i]) < 1e-6f);
        const float *w = t->at[i].weights;
        assert_true(w[0] >= 0.0f && w[1] >= 0.0f && w[2] >= -1e-6f);
        CHECK_NEAR((double)(w[0] + w[1] + w[2]), 1.0, 1e-6);
    }
    free(out);
    wr_texels_destroy(t);
    wr_model_destroy(ball);
}

// --- odd surfaces -------------------------------------------------------------------------------

static void shells_are_turned_outwards(void **state)
{
    (void)state;
    wr_model *ball = create_ball(0.5f);
    wr_mesh *mesh = ball->meshes;
    for (int i = 0; i < mesh->triangle_count; i++) {
        int *v = &mesh->triangles[3 * i], swap = v[1];
        v[1] = v[2];
        v[2] = swap;
    }
    wr_texels *t = sample(mesh, 48);
    wr_mesh made = mesh_of(t);
    assert_true(inspect(&made).is_sound);
    wr_texels_destroy(t);
    wr_model_destroy(ball);
}

// Two boxes with an edge in common, which has four triangles, and a triangle on its own.
static void what_is_not_manifold_is_sampled_as_it_is(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0, 0, 0), wr_v3(1, 1, 1));
    add_box(&s, wr_v3(1, 1, 0), wr_v3(2, 2, 1));
    int a = add_point(&s, wr_v3(3, 0, 0)), b = add_point(&s, wr_v3(4, 0, 0));
    add_triangle(&s, a, b, add_point(&s, wr_v3(3, 1, 0)));
    add_triangle(&s, a, b, b);
    add_point(&s, wr_v3(5, 5, 5));
    wr_texels *t = sample(&s.mesh, 64);
    wr_mesh made = mesh_of(t);
    wr_mesh_report r = inspect(&made);
    assert_true(r.shells == 3 && r.closed_shells == 2 && r.inconsistent_edges == 0);
    CHECK_NEAR(r.area, 12.5, 1e-5);
    CHECK_NEAR(r.volume, 2.0, 1e-5);
    wr_vec3 *out = malloc((size_t)t->ride_count * sizeof *out);
    wr_texels_follow(t, t->positions, out);
    for (int i = 0; i < t->ride_count; i++) {
        assert_true(t->rides[i].triangle >= 0 && t->rides[i].triangle < t->triangle_count);
        assert_true(wr_distance(out[i], s.mesh.positions[i]) < 1e-5f);
    }
    free(out);
    wr_texels_destroy(t);
    shape_destroy(&s);
}

// A triangle without area carries nobody, not even a vertex of no triangle that is next to it.
static void triangles_without_area_carry_nobody(void **state)
{
    (void)state;
    shape s = shape_create();
    int a = add_point(&s, wr_v3(0, 0, 0)), b = add_point(&s, wr_v3(1, 0, 0));
    add_triangle(&s, a, b, add_point(&s, wr_v3(0, 1, 0)));
    a = add_point(&s, wr_v3(5, 0, 0)), b = add_point(&s, wr_v3(6, 0, 0));
    add_triangle(&s, a, b, add_point(&s, wr_v3(7, 0, 0)));
    add_point(&s, wr_v3(6, 1, 0));
    wr_texels *t = sample(&s.mesh, 24);
    wr_vec3 out[7];
    wr_texels_follow(t, t->positions, out);
    for (int i = 0; i < 7; i++) {
        assert_true(wr_distance(out[i], s.mesh.positions[i]) < 1e-5f);
    }
    wr_texels_destroy(t);
    shape_destroy(&s);
}

// A ramp that winds up twice: seen from above it covers itself, and becomes two charts at least.
static void what_covers_itself_becomes_several_charts(void **state)
{
    (void)state;
    shape s = shape_create();
    enum { STEPS = 80 };
    for (int i = 0; i <= STEPS; i++) {
        double angle = 4.0 * PI * i / STEPS, y = 0.8 * i / STEPS;
        for (int k = 1; k <= 2; k++) {
            add_point(&s, wr_v3((float)(k * cos(angle)), (float)y, (float)(-k * sin(angle))));
        }
    }
    for (int i = 0; i < STEPS; i++) {
        add_quad(&s, 2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2);
    }
    wr_texels *t = sample(&s.mesh, 64);
    wr_mesh made = mesh_of(t);
    wr_mesh_report before = inspect(&s.mesh), after = inspect(&made);
    assert_true(t->is_generated && t->chart_count >= 2);
    assert_true(after.shells == 1 && after.holes == 1 && after.inconsistent_edges == 0);
    CHECK_NEAR(after.area / before.area, 1.0, 0.01);
    wr_texels_destroy(t);
    shape_destroy(&s);
}

// --- what cannot be -----------------------------------------------------------------------------

static void check_error(const wr_texels_desc *desc, wr_code code, const char *text)
{
    wr_error error = {0};
    assert_null(wr_texels_create(desc, &error));
    assert_int_equal(error.code, code);
    assert_string_equal(error.message, text);
}

static void what_cannot_be_is_said(void **state)
{
    (void)state;
    wr_model *box = create_box();
    wr_texels_desc desc = wr_texels_desc_default();
    wr_error error = {0};
    assert_null(wr_texels_create(&desc, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    desc.mesh = box->meshes;
    desc.side = 7;
    check_error(&desc, WR_E_ARGUMENT, "side: 7 texels, expected 8 to 1024");
    desc.side = 1025;
    check_error(&desc, WR_E_ARGUMENT, "side: 1025 texels, expected 8 to 1024");
    desc.side = 128;
    desc.vertex_limit = 1000;
    check_error(&desc, WR_E_LIMIT,
                "mesh \"box\": 128 texels along a side make 8628 vertices, expected at most 1000");
    shape s = shape_create();
    add_triangle(&s, add_point(&s, wr_v3(0, 0, 0)), add_point(&s, wr_v3(1, 0, 0)),
                 add_point(&s, wr_v3(2, 0, 0)));
    desc.mesh = &s.mesh;
    check_error(&desc, WR_E_ARGUMENT, "mesh \"shape\" has no triangle with any area");
    for (int i = 0; i < 100; i++) {
        float x = (float)i;
        add_triangle(&s, add_point(&s, wr_v3(x, 1, 0)), add_point(&s, wr_v3(x + 0.5f, 1, 0)),
                     add_point(&s, wr_v3(x, 2, 0)));
    }
    desc.side = 8;
    check_error(&desc, WR_E_LIMIT,
                "8 texels along a side are too few for 101 charts of the surface");
    shape_destroy(&s);
    wr_model_destroy(box);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_model *ball = create_ball(1.0f);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_texels_desc desc = wr_texels_desc_default();
        desc.mesh = ball->meshes;
        desc.side = 16;
        desc.allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_texels *t = wr_texels_create(&desc, &error);
        done = t != NULL;
        assert_true(done || error.code == WR_E_MEMORY);
        wr_texels_destroy(t);
        assert_int_equal(heap.alive, 0);
        assert_true(budget < 1000);
    }
    wr_model_destroy(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_stay_closed),
        cmocka_unit_test(figures_stay_closed),
        cmocka_unit_test(models_of_others_stay_closed),
        cmocka_unit_test(too_few_texels_leave_it_closed),
        cmocka_unit_test(the_atlas_is_well_shaped),
        cmocka_unit_test(more_texels_come_nearer),
        cmocka_unit_test(a_box_keeps_its_edges),
        cmocka_unit_test(texels_among_texels_have_six_neighbours),
        cmocka_unit_test(texels_are_at_the_uvs_of_the_file),
        cmocka_unit_test(what_is_wrong_with_uvs_is_found),
        cmocka_unit_test(vertices_ride_along),
        cmocka_unit_test(a_seam_of_the_source_does_not_open),
        cmocka_unit_test(values_are_interpolated),
        cmocka_unit_test(shells_are_turned_outwards),
        cmocka_unit_test(what_is_not_manifold_is_sampled_as_it_is),
        cmocka_unit_test(triangles_without_area_carry_nobody),
        cmocka_unit_test(what_covers_itself_becomes_several_charts),
        cmocka_unit_test(what_cannot_be_is_said),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
