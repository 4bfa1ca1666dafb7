// Promises of refinement: the same surface with shorter edges, without cracks, whatever vertices
// carry.
#include "shape.h"

#include "wrought/file.h"

static wr_model *refine(const wr_mesh *mesh, double length, wr_added_vertices *added)
{
    wr_error error = {0};
    wr_model *model = wr_mesh_refine(mesh, length, 1 << 20, NULL, added, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

static wr_model *create_box(float x, float y, float z)
{
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(x, y, z), white, NULL);
    assert_non_null(box);
    return box;
}

static wr_mesh_report inspect(const wr_mesh *mesh)
{
    wr_mesh_report report;
    assert_true(wr_mesh_inspect(mesh, NULL, &report, NULL));
    return report;
}

static double distance(wr_vec3 a, wr_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

static double longest_edge(const wr_mesh *mesh)
{
    double longest = 0.0;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        longest = fmax(longest, distance(mesh->positions[mesh->triangles[i]],
                                         mesh->positions[mesh->triangles[next]]));
    }
    return longest;
}

// Degrees, of all triangles with an area.
static double smallest_angle(const wr_mesh *mesh)
{
    double smallest = 180.0;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[i - i % 3];
        wr_vec3 p = mesh->positions[t[i % 3]];
        wr_vec3 a = wr_sub(mesh->positions[t[(i + 1) % 3]], p);
        wr_vec3 b = wr_sub(mesh->positions[t[(i + 2) % 3]], p);
        double height = (double)wr_length(wr_cross(a, b));
        if (height > 0.0) {
            smallest = fmin(smallest, atan2(height, (double)wr_dot(a, b)) * 180.0 / PI);
        }
    }
    return smallest;
}

static void check_originals(const wr_mesh *source, const wr_mesh *mesh)
{
    size_t n = (size_t)source->vertex_count;
    assert_true(mesh->vertex_count >= source->vertex_count);
    assert_memory_equal(mesh->positions, source->positions, n * sizeof(wr_vec3));
    assert_true(!source->normals == !mesh->normals && !source->uvs == !mesh->uvs &&
                !source->colors == !mesh->colors);
    if (source->normals) {
        assert_memory_equal(mesh->normals, source->normals, n * sizeof(wr_vec3));
    }
    if (source->uvs) {
        assert_memory_equal(mesh->uvs, source->uvs, n * sizeof(wr_vec2));
    }
    if (source->colors) {
        assert_memory_equal(mesh->colors, source->colors, n * sizeof(wr_color));
    }
}

// What must be true of any mesh.
static void check_refined(const wr_mesh *source, const wr_mesh *mesh, double length)
{
    wr_mesh_report before = inspect(source), after = inspect(mesh);
    check_originals(source, mesh);
    assert_true(longest_edge(mesh) <= length);
    CHECK_NEAR(after.area, before.area, 1e-6 * before.area);
    CHECK_NEAR(after.volume, before.volume, 1e-6 * fmax(before.volume, before.area * length));
    assert_true((after.degenerate_triangles == 0) == (before.degenerate_triangles == 0));
    assert_int_equal(after.shells, before.shells);
    assert_int_equal(after.closed_shells, before.closed_shells);
    assert_int_equal(after.holes, before.holes);
    assert_true((after.boundary_edges == 0) == (before.boundary_edges == 0));
    assert_true((after.non_manifold_edges == 0) == (before.non_manifold_edges == 0));
    assert_true((after.inconsistent_edges == 0) == (before.inconsistent_edges == 0));
    CHECK_NEAR(after.largest_hole_length, before.largest_hole_length,
               1e-6 * before.largest_hole_length);
}

// --- shapes -------------------------------------------------------------------------------------

static void a_box_of_twelve_triangles_becomes_a_fine_one(void **state)
{
    (void)state;
    wr_model *box = create_box(1.0f, 0.6f, 0.3f);
    const double lengths[] = {2.0, 0.7, 0.31, 0.1, 0.04};
    for (int i = 0; i < WRI_COUNT(lengths); i++) {
        wr_model *fine = refine(box->meshes, lengths[i], NULL);
        check_refined(box->meshes, fine->meshes, lengths[i]);
        assert_int_equal(check_closed(fine->meshes), 2);
        assert_true(smallest_angle(fine->meshes) > smallest_angle(box->meshes) - 1e-3);
        assert_true(longest_edge(fine->meshes) > 0.5 * lengths[i] || i == 0);
        printf("    %g m: %d vertices, smallest angle %.1f degrees\n", lengths[i],
               fine->meshes->vertex_count, smallest_angle(fine->meshes));
        wr_model_destroy(fine);
    }
    wr_model_destroy(box);
}

static void equal_sides_stay_equal(void **state)
{
    (void)state;
    shape s = shape_create();
    add_triangle(&s, add_point(&s, wr_v3(0, 0, 0)), add_point(&s, wr_v3(1, 0, 0)),
                 add_point(&s, wr_v3(0.5f, 0.8660254f, 0)));
    wr_model *fine = refine(&s.mesh, 0.13, NULL);
    assert_int_equal(fine->meshes->triangle_count, 64);
    assert_true(smallest_angle(fine->meshes) > 59.9);
    wr_model_destroy(fine);
    shape_destroy(&s);
}

// Without flips, or if what they make superfluous were split before them, it had over 1 700
// vertices.
static void thin_triangles_become_no_thinner(void **state)
{
    (void)state;
    shape s = shape_create();
    int top = add_point(&s, wr_v3(0.1f, 1, 0)), last = add_point(&s, wr_v3(-1, 0, 0));
    for (int i = 1; i <= 40; i++) {
        float x = -1.0f + 0.05f * (float)i;
        int next = add_point(&s, wr_v3(x, 0.1f * x * x, 0.2f * x));
        add_triangle(&s, last, next, top);
        last = next;
    }
    double before = smallest_angle(&s.mesh);
    wr_model *fine = refine(&s.mesh, 0.08, NULL);
    check_refined(&s.mesh, fine->meshes, 0.08);
    printf("    %d vertices, smallest angle %.2f, was %.2f degrees\n", fine->meshes->vertex_count,
           smallest_angle(fine->meshes), before);
    assert_true(smallest_angle(fine->meshes) > 0.9 * before);
    assert_true(fine->meshes->vertex_count < 900);
    wr_model_destroy(fine);
    shape_destroy(&s);
}

static void any_triangle_is_covered_once(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 400; i++) {
        shape s = shape_create();
        float thin = powf(10.0f, random_float(&seed, -3.0f, 0.0f));
        for (int k = 0; k < 3; k++) {
            add_point(&s, wr_v3(random_float(&seed, -1, 1), thin * random_float(&seed, -1, 1),
                                random_float(&seed, -1, 1) * (i % 2 ? thin : 1.0f)));
        }
        add_triangle(&s, 0, 1, 2);
        double length = longest_edge(&s.mesh) * (double)random_float(&seed, 0.03f, 0.9f);
        wr_model *fine = refine(&s.mesh, length, NULL);
        double before = wr_mesh_area(&s.mesh), after = wr_mesh_area(fine->meshes);
        assert_true(longest_edge(fine->meshes) <= length);
        assert_int_equal(inspect(fine->meshes).degenerate_triangles, 0);
        CHECK_NEAR(after, before, 1e-6 * fmax(before, 0.1 * longest_edge(&s.mesh)));
        wr_model_destroy(fine);
        shape_destroy(&s);
    }
}

static void a_mesh_without_long_edges_comes_back_bit_for_bit(void **state)
{
    (void)state;
    wr_model *box = create_box(1.0f, 0.6f, 0.3f);
    const wr_mesh *mesh = box->meshes;
    wr_added_vertices added;
    wr_model *same = refine(mesh, longest_edge(mesh), &added);
    assert_int_equal(added.count, 0);
    assert_int_equal(same->meshes->vertex_count, mesh->vertex_count);
    assert_int_equal(same->meshes->triangle_count, mesh->triangle_count);
    check_originals(mesh, same->meshes);
    assert_memory_equal(same->meshes->triangles, mesh->triangles,
                        3 * (size_t)mesh->triangle_count * sizeof(int));
    assert_int_equal(same->meshes->part_count, 1);
    assert_memory_equal(same->meshes->parts, mesh->parts, sizeof *mesh->parts);
    assert_string_equal(same->name, mesh->name);
    wr_model_destroy(same);
    wr_model_destroy(box);
}

// --- seams and faults of others -----------------------------------------------------------------

// Two halves of a strip whose vertices at the seam are not quite in one place.
static void a_seam_that_is_not_quite_closed_is_split_alike(void **state)
{
    (void)state;
    shape s = shape_create();
    const float off = 4e-7f;
    for (int side = 0; side < 2; side++) {
        float x = side ? 1.0f : -1.0f, seam = side ? off : 0.0f;
        int a = add_point(&s, wr_v3(seam, 0, 0)), b = add_point(&s, wr_v3(x, 0.1f, 0.2f));
        int c = add_point(&s, wr_v3(seam, 1.0f + seam, 0));
        add_triangle(&s, a, side ? b : c, side ? c : b);
    }
    // The first length is between those of the two sides.
    for (double length = 1.0 + 2e-7; length > 0.1; length *= 0.7) {
        wr_model *fine = refine(&s.mesh, length, NULL);
        const wr_mesh *mesh = fine->meshes;
        int left = 0, partners = 0;
        for (int i = 0; i < mesh->vertex_count; i++) {
            left += mesh->positions[i].x == 0.0f;
            for (int k = 0; k < mesh->vertex_count && mesh->positions[i].x == 0.0f; k++) {
                partners += k != i && distance(mesh->positions[i], mesh->positions[k]) < 1e-6;
            }
        }
        assert_true(left > 2 && partners == left);
        wr_model_destroy(fine);
    }
    shape_destroy(&s);
}

static void faults_of_a_mesh_stay_as_they_are(void **state)
{
    (void)state;
    shape s = shape_create();
    int a = add_point(&s, wr_v3(0, 0, 0)), b = add_point(&s, wr_v3(1, 0, 0));
    for (int i = 0; i < 5; i++) { // five triangles at one edge
        add_triangle(&s, a, b, add_point(&s, wr_v3(0.4f, cosf((float)i), sinf((float)i))));
    }
    int c = add_point(&s, wr_v3(1, 0, 0)); // at b's place
    add_triangle(&s, a, b, c);
    add_triangle(&s, a, b, b);
    add_triangle(&s, a, a, a);
    add_point(&s, wr_v3(9, 9, 9));
    wr_model *fine = refine(&s.mesh, 0.2, NULL);
    wr_mesh_report before = inspect(&s.mesh), after = inspect(fine->meshes);
    assert_true(longest_edge(fine->meshes) <= 0.2);
    CHECK_NEAR(after.area, before.area, 1e-6 * before.area);
    CHECK_NEAR(after.largest_hole_length, before.largest_hole_length, 1e-5);
    assert_int_equal(after.holes, before.holes);
    assert_int_equal(after.shells, before.shells);
    assert_int_equal(after.unused_vertices, before.unused_vertices);
    assert_true(after.non_manifold_edges >= 8);
    wr_model_destroy(fine);
    shape_destroy(&s);
}

// --- what vertices carry ------------------------------------------------------------------------

static wr_vec2 uv_at(wr_vec3 p)
{
    return (wr_vec2){0.3f + 0.5f * p.x - 0.25f * p.y, 2.0f * p.y + p.z};
}

static wr_color color_at(wr_vec3 p)
{
    return (wr_color){p.x, 0.5f * p.y, 0.25f + 0.125f * p.z, 1.0f - p.x};
}

static wr_vec3 morph_at(wr_vec3 p)
{
    return wr_v3(p.y - p.z, 3.0f * p.x, 0.5f);
}

static void everything_that_is_linear_stays_linear(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0, 0, 0), wr_v3(1, 2, 3));
    wr_mesh mesh = s.mesh;
    enum { N = 8 };
    wr_vec2 uvs[N];
    wr_color colors[N];
    wr_vec3 offsets[N], normals[N];
    for (int i = 0; i < N; i++) {
        wr_vec3 p = mesh.positions[i];
        uvs[i] = uv_at(p);
        colors[i] = color_at(p);
        offsets[i] = morph_at(p);
        normals[i] = wr_normalize(wr_sub(p, wr_v3(0.5f, 1.0f, 1.5f)));
    }
    wr_morph morph = {"bulge", offsets, offsets, 0.25f};
    mesh.uvs = uvs, mesh.colors = colors, mesh.normals = normals;
    mesh.morphs = &morph, mesh.morph_count = 1;
    wr_added_vertices added;
    wr_model *fine = refine(&mesh, 0.4, &added);
    const wr_mesh *m = fine->meshes;
    assert_true(added.first == N && added.count == m->vertex_count - N && added.count > 100);
    assert_true(m->morph_count == 1 && strcmp(m->morphs[0].name, "bulge") == 0 &&
                m->morphs[0].weight == 0.25f);
    for (int i = 0; i < m->vertex_count; i++) {
        wr_vec3 p = m->positions[i];
        wr_vec2 uv = uv_at(p);
        wr_color color = color_at(p);
        assert_true(fabsf(m->uvs[i].x - uv.x) < 1e-6f && fabsf(m->uvs[i].y - uv.y) < 2e-6f);
        assert_true(fabsf(m->colors[i].r - color.r) < 1e-6f &&
                    fabsf(m->colors[i].b - color.b) < 1e-6f &&
                    fabsf(m->colors[i].a - color.a) < 1e-6f);
        assert_true(distance(m->morphs[0].positions[i], morph_at(p)) < 1e-6);
        assert_true(distance(m->morphs[0].normals[i], morph_at(p)) < 1e-6);
        CHECK_NEAR((double)wr_length(m->normals[i]), 1.0, 1e-6);
    }
    for (int i = 0; i < added.count; i++) {
        int a = added.parents[2 * i], b = added.parents[2 * i + 1], c = N + i;
        wr_vec3 middle = wr_scale(0.5f, wr_add(m->positions[a], m->positions[b]));
        wr_vec3 mean = wr_normalize(wr_add(m->normals[a], m->normals[b]));
        assert_true(a >= 0 && a < c && b >= 0 && b < c && a != b);
        assert_true(distance(m->positions[c], middle) < 1e-7 &&
                    distance(m->normals[c], mean) < 1e-6);
    }
    wr_model_destroy(fine);
    shape_destroy(&s);
}

static void influences_of_both_parents_are_merged(void **state)
{
    (void)state;
    shape s = shape_create();
    add_triangle(&s, add_point(&s, wr_v3(0, 0, 0)), add_point(&s, wr_v3(1, 0, 0)),
                 add_point(&s, wr_v3(0, 0.5f, 0)));
    int joints[] = {3, 5, 5, 7, 1, 0};
    float weights[] = {0.75f, 0.25f, 0.625f, 0.375f, 1.0f, 0.0f};
    wr_mesh mesh = s.mesh;
    mesh.influence_count = 2, mesh.joints = joints, mesh.weights = weights;
    wr_model *fine = refine(&mesh, 0.9, NULL);
    const wr_mesh *m = fine->meshes;
    assert_int_equal(m->vertex_count, 5); // in the middles of 0 1 and of 1 2
    // 3: 0.375, 5: 0.4375, 7: 0.1875; the last has no room.
    assert_int_equal(m->joints[6], 5);
    assert_int_equal(m->joints[7], 3);
    CHECK_NEAR((double)m->weights[6], 0.4375 / 0.8125, 1e-6);
    CHECK_NEAR((double)m->weights[7], 0.375 / 0.8125, 1e-6);
    // 1: 0.5, 5: 0.3125, 7: 0.1875.
    assert_int_equal(m->joints[8], 1);
    assert_int_equal(m->joints[9], 5);
    CHECK_NEAR((double)m->weights[8], 0.5 / 0.8125, 1e-6);
    wr_model_destroy(fine);
    shape_destroy(&s);
}

static void values_of_the_source_are_interpolated(void **state)
{
    (void)state;
    wr_model *box = create_box(1.0f, 1.0f, 1.0f);
    wr_added_vertices added;
    wr_model *fine = refine(box->meshes, 0.2, &added);
    int count = fine->meshes->vertex_count;
    float *values = calloc((size_t)count, sizeof *values);
    for (int i = 0; i < added.first; i++) {
        values[i] = fine->meshes->positions[i].y;
    }
    wr_added_interpolate(&added, 1, values);
    for (int i = 0; i < count; i++) {
        CHECK_NEAR((double)values[i], (double)fine->meshes->positions[i].y, 1e-6);
    }
    free(values);
    wr_model_destroy(fine);
    wr_model_destroy(box);
}

static void parts_keep_their_triangles_and_looks(void **state)
{
    (void)state;
    wr_model *box = create_box(1.0f, 1.0f, 1.0f);
    wr_mesh mesh = *box->meshes;
    wr_mesh_part parts[] = {{0, 3, 4}, {3, 0, 1}, {3, 9, 2}};
    mesh.parts = parts, mesh.part_count = 3;
    wr_model *fine = refine(&mesh, 0.3, NULL);
    const wr_mesh *m = fine->meshes;
    assert_int_equal(m->part_count, 3);
    assert_int_equal(m->parts[1].triangle_count, 0);
    assert_int_equal(m->parts[2].first_triangle, m->parts[0].triangle_count);
    assert_int_equal(m->parts[0].triangle_count + m->parts[2].triangle_count, m->triangle_count);
    for (int k = 0; k < 3; k++) {
        double area = 0.0;
        for (int i = 0; i < m->parts[k].triangle_count; i++) {
            area += (double)wr_length(triangle_area(m, m->parts[k].first_triangle + i));
        }
        assert_int_equal(m->parts[k].look, parts[k].look);
        CHECK_NEAR(area, 0.5 * parts[k].triangle_count, 1e-6);
    }
    wr_model_destroy(fine);
    wr_model_destroy(box);
}

// --- order, limits, memory ----------------------------------------------------------------------

static int compare_triangles(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(int));
}

// Triangles begin with their lowest vertex and are sorted.
static int *sorted_triangles(const wr_mesh *mesh)
{
    size_t count = (size_t)mesh->triangle_count;
    int *out = malloc(count * 3 * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        const int *t = &mesh->triangles[3 * i];
        int k = t[0] < t[1] ? (t[0] < t[2] ? 0 : 2) : (t[1] < t[2] ? 1 : 2);
        for (int j = 0; j < 3; j++) {
            out[3 * i + (size_t)j] = t[(k + j) % 3];
        }
    }
    qsort(out, count, 3 * sizeof *out, compare_triangles);
    return out;
}

static void check_order(const wr_mesh *source, double length)
{
    wr_model *first = refine(source, length, NULL);
    size_t vertices = (size_t)first->meshes->vertex_count;
    size_t corners = 3 * (size_t)first->meshes->triangle_count;
    int *wanted = sorted_triangles(first->meshes), count = source->triangle_count;
    int *triangles = malloc(3 * (size_t)count * sizeof *triangles);
    for (int turn = 0; turn < 11; turn++) {
        for (int i = 0; i < 3 * count; i++) {
            const int *t = &source->triangles[3 * ((5 * (i / 3) + turn) % count)];
            triangles[i] = t[(i % 3 + i / 3 + turn) % 3];
        }
        wr_mesh mesh = *source;
        mesh.triangles = triangles;
        wr_model *fine = refine(&mesh, length, NULL);
        int *found = sorted_triangles(fine->meshes);
        assert_int_equal(fine->meshes->vertex_count, vertices);
        assert_int_equal(3 * fine->meshes->triangle_count, corners);
        assert_memory_equal(fine->meshes->positions, first->meshes->positions,
                            vertices * sizeof(wr_vec3));
        assert_memory_equal(found, wanted, corners * sizeof(int));
        free(found);
        wr_model_destroy(fine);
    }
    free(triangles);
    free(wanted);
    wr_model_destroy(first);
}

// Of a slender double pyramid all long edges are equally long.
static void the_order_of_triangles_does_not_matter(void **state)
{
    (void)state;
    wr_model *box = create_box(1.0f, 0.8f, 0.8f);
    check_order(box->meshes, 0.15);
    wr_model_destroy(box);
    shape s = shape_create();
    int top = add_point(&s, wr_v3(0, 1, 0)), bottom = add_point(&s, wr_v3(0, -1, 0));
    const float around[4][2] = {{0.2f, 0}, {0, -0.2f}, {-0.2f, 0}, {0, 0.2f}};
    for (int i = 0; i < 4; i++) {
        add_point(&s, wr_v3(around[i][0], 0, around[i][1]));
    }
    for (int i = 0; i < 4; i++) {
        add_triangle(&s, top, 2 + i, 2 + (i + 1) % 4);
        add_triangle(&s, bottom, 2 + (i + 1) % 4, 2 + i);
    }
    assert_true(volume(&s.mesh) > 0.0);
    for (double length = 0.9; length > 0.05; length *= 0.6) {
        check_order(&s.mesh, length);
    }
    shape_destroy(&s);
}

static void what_cannot_be_is_said(void **state)
{
    (void)state;
    wr_model *box = create_box(1.0f, 1.0f, 1.0f);
    wr_error error = {0};
    assert_null(wr_mesh_refine(box->meshes, 0.01, 1000, NULL, NULL, &error));
    assert_int_equal(error.code, WR_E_LIMIT);
    assert_string_equal(error.message,
                        "mesh \"box\": more than 1000 vertices are needed for edges of at most "
                        "0.01 m");
    assert_null(wr_mesh_refine(box->meshes, 1e-12, 100000, NULL, NULL, &error));
    assert_int_equal(error.code, WR_E_LIMIT);
    const double lengths[] = {0.0, -1.0, (double)NAN};
    for (int i = 0; i < 3; i++) {
        assert_null(wr_mesh_refine(box->meshes, lengths[i], 1000, NULL, NULL, &error));
        assert_int_equal(error.code, WR_E_ARGUMENT);
        assert_non_null(strstr(error.message, "length"));
    }
    wr_mesh empty = {0};
    wr_model *nothing = refine(&empty, 1.0, NULL);
    assert_int_equal(nothing->meshes->vertex_count, 0);
    wr_model_destroy(nothing);
    wr_model_destroy(box);
}

// Two vertices as near to each other as float can tell have no middle.
static void edges_that_cannot_be_halved_end_at_the_limit(void **state)
{
    (void)state;
    shape s = shape_create();
    float near = nextafterf(1000.0f, 2000.0f);
    add_triangle(&s, add_point(&s, wr_v3(1000, 0, 0)), add_point(&s, wr_v3(near, 0, 0)),
                 add_point(&s, wr_v3(1000, 1e-6f, 0)));
    wr_error error = {0};
    assert_null(wr_mesh_refine(&s.mesh, 1e-5, 1000, NULL, NULL, &error));
    assert_int_equal(error.code, WR_E_LIMIT);
    shape_destroy(&s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_model *box = create_box(1.0f, 1.0f, 1.0f);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_model *fine = wr_mesh_refine(box->meshes, 0.3, 100000, &allocator, NULL, &error);
        done = fine != NULL;
        assert_true(done || error.code == WR_E_MEMORY);
        wr_model_destroy(fine);
        assert_int_equal(heap.alive, 0);
        assert_true(budget < 1000);
    }
    wr_model_destroy(box);
}

// --- models of others ---------------------------------------------------------------------------

static void models_of_others_keep_their_surface(void **state)
{
    (void)state;
    static const char *const names[] = {
        "khronos/Fox.glb", "khronos/RiggedFigure.glb",    "khronos/CesiumMilkTruck.glb",
        "libigl/cow.off",  "libigl/decimated-knight.off", "ebpd/barrel/mesh.obj"};
    const char *folder = getenv("WROUGHT_DATA");
    int found = 0;
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data", names[i]);
        if (access(path, R_OK) != 0) {
            continue;
        }
        found++;
        wr_error error = {0};
        wr_model *source = wr_model_read(path, NULL, &error);
        wr_model *flat = source ? wr_model_flatten(source, &error) : NULL;
        assert_non_null(flat);
        wr_mesh *mesh = flat->meshes;
        double length = 0.03 * distance(wr_mesh_bounds(mesh).min, wr_mesh_bounds(mesh).max);
        wr_model *fine = refine(mesh, length, NULL);
        check_refined(mesh, fine->meshes, length);
        printf("    %-28s %5d vertices, then %5d; smallest angle %.3g, then %.3g degrees\n",
               names[i], mesh->vertex_count, fine->meshes->vertex_count, smallest_angle(mesh),
               smallest_angle(fine->meshes));
        wr_model_destroy(fine);
        wr_model_destroy(flat);
        wr_model_destroy(source);
    }
    if (!found) {
        print_message("the models of others are not there: skipped\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_of_twelve_triangles_becomes_a_fine_one),
        cmocka_unit_test(equal_sides_stay_equal),
        cmocka_unit_test(thin_triangles_become_no_thinner),
        cmocka_unit_test(any_triangle_is_covered_once),
        cmocka_unit_test(a_mesh_without_long_edges_comes_back_bit_for_bit),
        cmocka_unit_test(a_seam_that_is_not_quite_closed_is_split_alike),
        cmocka_unit_test(faults_of_a_mesh_stay_as_they_are),
        cmocka_unit_test(everything_that_is_linear_stays_linear),
        cmocka_unit_test(influences_of_both_parents_are_merged),
        cmocka_unit_test(values_of_the_source_are_interpolated),
        cmocka_unit_test(parts_keep_their_triangles_and_looks),
        cmocka_unit_test(the_order_of_triangles_does_not_matter),
        cmocka_unit_test(what_cannot_be_is_said),
        cmocka_unit_test(edges_that_cannot_be_halved_end_at_the_limit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(models_of_others_keep_their_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
