// test_lattice.c: promises of simulation meshes of models and of what rides in them.
#include "shape.h"

#include "../src/author/key_table.h"
#include "../src/base/os.h"
#include "wrought/author.h"
#include "wrought/file.h"

// --- helpers ----------------------------------------------------------------------------------

static wr_lattice *fill_with(const wr_lattice_desc *desc)
{
    wr_error error = {0};
    wr_lattice *l = wr_lattice_create(desc, &error);
    if (!l) {
        fail_msg("%s", error.message);
    }
    return l;
}

static wr_lattice *fill(const wr_mesh *mesh, int vertices)
{
    wr_lattice_desc desc = wr_lattice_desc_default();
    desc.mesh = mesh;
    desc.vertices = vertices;
    return fill_with(&desc);
}

static wr_tet_mesh as_tet_mesh(const wr_lattice *l)
{
    return (wr_tet_mesh){.vertex_count = l->vertex_count,
                         .tetrahedron_count = l->element_count,
                         .positions = l->rest,
                         .tetrahedra = l->elements};
}

// Every face belongs to one tetrahedron, or to two that see it from different sides.
static void check_conforming(const wr_lattice *l)
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    wri_key_table pairs = wri_key_table_create(NULL), table = wri_key_table_create(NULL);
    wri_array seen = wri_array_create(NULL, 2); // from either side
    for (int i = 0; i < 4 * l->element_count; i++) {
        int v[3], odd = 0;
        for (int k = 0; k < 3; k++) {
            v[k] = l->elements[i / 4 * 4 + faces[i % 4][k]];
        }
        for (int k = 0; k < 3; k++) {
            int a = k % 2, b = a + 1;
            if (v[a] > v[b]) {
                int swap = v[a];
                v[a] = v[b], v[b] = swap;
                odd ^= 1;
            }
        }
        int pair = wri_key_table_add(&pairs, (uint64_t)v[0] << 32 | (uint64_t)v[1]);
        int face = wri_key_table_add(&table, (uint64_t)pair << 32 | (uint64_t)v[2]);
        if (face == seen.count) {
            wri_array_add(&seen, 1);
        }
        uint8_t *sides = (uint8_t *)seen.items + 2 * (size_t)face;
        assert_int_equal(sides[odd]++, 0);
    }
    for (int i = 0; i < seen.count; i++) { // what is seen once lies on the boundary
        const uint8_t *sides = (const uint8_t *)seen.items + 2 * (size_t)i;
        if (sides[0] + sides[1] == 1) {
            uint64_t key = wri_key_table_key(&table, i);
            uint64_t pair = wri_key_table_key(&pairs, (int)(key >> 32));
            assert_true(l->is_boundary[key & 0xffffffff] && l->is_boundary[pair >> 32] &&
                        l->is_boundary[pair & 0xffffffff]);
        }
    }
    wri_key_table_destroy(&pairs);
    wri_key_table_destroy(&table);
    wri_array_destroy(&seen);
}

static void check_sound(const wr_lattice *l)
{
    wr_tet_mesh tets = as_tet_mesh(l);
    wr_tet_volume volume = wr_tet_mesh_volume(&tets);
    assert_int_equal(l->dimension, 3);
    assert_int_equal(volume.inverted_count, 0);
    assert_int_equal(volume.flat_count, 0);
    assert_true(l->report.least_volume > 0.0);
    uint8_t *used = calloc((size_t)l->vertex_count, 1);
    for (int i = 0; i < 4 * l->element_count; i++) {
        int v = l->elements[i];
        assert_in_range(v, 0, l->vertex_count - 1);
        assert_int_equal(l->vertex_parts[v], l->vertex_parts[l->elements[i / 4 * 4]]);
        used[v] = 1;
    }
    for (int i = 0; i < l->vertex_count; i++) {
        assert_true(used[i]);
        assert_in_range(l->vertex_parts[i], 0, l->report.parts - 1);
    }
    free(used);
    check_conforming(l);
}

// Rides of the mesh's own vertices: exact, and not far outside.
static wr_ride_report check_rides(const wr_lattice *l, const wr_mesh *mesh)
{
    wr_ride *rides = malloc((size_t)mesh->vertex_count * sizeof *rides);
    wr_ride_report report;
    wr_error error = {0};
    if (!wr_lattice_find_rides(l, mesh->positions, l->render_parts, mesh->vertex_count, NULL, rides,
                               &report, &error)) {
        fail_msg("%s", error.message);
    }
    double size = wr_length(wr_box_size(wr_mesh_bounds(mesh)));
    double far = wr_length(wr_box_center(wr_mesh_bounds(mesh))) + size;
    for (int i = 0; i < mesh->vertex_count; i++) {
        double p[3] = {0}, sum = 0.0;
        const int *c = &l->elements[4 * rides[i].element];
        for (int k = 0; k < 4; k++) {
            double w = rides[i].weights[k];
            p[0] += w * l->rest[c[k]].x, p[1] += w * l->rest[c[k]].y, p[2] += w * l->rest[c[k]].z;
            sum += w;
        }
        double reach = 1.0 - fmin(report.least_weight, 0.0);
        CHECK_NEAR(sum, 1.0, 1e-6 * reach);
        CHECK_NEAR(p[0], mesh->positions[i].x, 1e-6 * reach * far);
        CHECK_NEAR(p[1], mesh->positions[i].y, 1e-6 * reach * far);
        CHECK_NEAR(p[2], mesh->positions[i].z, 1e-6 * reach * far);
        assert_true(l->render_parts[i] < 0 || l->vertex_parts[c[0]] == l->render_parts[i]);
    }
    free(rides);
    return report;
}

static void check_count(const wr_lattice *l, int wanted)
{
    CHECK_NEAR(l->vertex_count, wanted, 0.1 * wanted);
}

static shape torus(double radius, double thickness, int n)
{
    shape s = shape_create();
    for (int i = 0; i < n * n; i++) {
        double a = 2.0 * PI * (i / n) / n, b = 2.0 * PI * (i % n) / n;
        double r = radius + thickness * cos(b);
        add_point(&s, wr_v3((float)(r * cos(a)), (float)(thickness * sin(b)), (float)(r * sin(a))));
    }
    for (int i = 0; i < n * n; i++) {
        int a = i / n, b = i % n, c = (a + 1) % n, d = (b + 1) % n;
        add_quad(&s, a * n + b, a * n + d, c * n + d, c * n + b);
    }
    return s;
}

// --- shapes -----------------------------------------------------------------------------------

static void volumes_converge(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        shape s = k == 0 ? round_shape(1.0, 0.0, 40) : k == 1 ? shape_create() : torus(1, 0.4, 40);
        if (k == 1) {
            add_box(&s, wr_v3(-1, -2, -0.5f), wr_v3(1, 2, 0.5f));
        }
        double exact = fabs(volume(&s.mesh));
        wr_lattice *coarse = fill(&s.mesh, 300), *fine = fill(&s.mesh, 6000);
        check_sound(coarse);
        check_sound(fine);
        CHECK_NEAR(coarse->report.volume, exact, 0.15 * exact);
        CHECK_NEAR(fine->report.volume, exact, 0.02 * exact);
        assert_true(fabs(fine->report.volume - exact) < fabs(coarse->report.volume - exact));
        wr_ride_report rides = check_rides(fine, &s.mesh);
        assert_true(rides.largest_outside < 0.6 * fine->report.spacing);
        wr_lattice_destroy(coarse);
        wr_lattice_destroy(fine);
        shape_destroy(&s);
    }
}

static void the_number_of_vertices_is_within_a_tenth(void **state)
{
    (void)state;
    const int wanted[] = {100, 300, 1800, 5000, 20000};
    for (int k = 0; k < 3; k++) {
        shape s = k == 0 ? round_shape(1.0, 0.0, 20) : k == 1 ? shape_create() : torus(1, 0.2, 30);
        if (k == 1) { // flat sides reach the next layer of cells all at once
            add_box(&s, wr_v3(-1, -1, -1), wr_v3(1, 1, 1));
        }
        for (int i = 0; i < WRI_COUNT(wanted); i++) {
            wr_lattice *l = fill(&s.mesh, wanted[i]);
            check_count(l, wanted[i]);
            check_sound(l);
            wr_lattice_destroy(l);
        }
        shape_destroy(&s);
    }
}

// The triangles at x <= 0 become images of those at x >= 0; none crosses x = 0.
static void mirror_half(shape *s)
{
    int count = s->mesh.triangle_count, first = s->mesh.vertex_count, kept = 0;
    for (int i = 0; i < first; i++) {
        wr_vec3 p = s->mesh.positions[i];
        add_point(s, wr_v3(-p.x, p.y, p.z));
    }
    for (int i = 0; i < count; i++) {
        int *t = &s->mesh.triangles[3 * i];
        const wr_vec3 *x = s->mesh.positions;
        if (x[t[0]].x + x[t[1]].x + x[t[2]].x > 0.0f) {
            memmove(&s->mesh.triangles[3 * kept++], t, 3 * sizeof *t);
        }
    }
    s->mesh.triangle_count = s->triangles.count = kept;
    for (int i = 0; i < kept; i++) {
        const int *t = &s->mesh.triangles[3 * i];
        add_triangle(s, first + t[0], first + t[2], first + t[1]);
    }
}

// Symmetric in x, but not in y and z. Vertices in the plane of symmetry that are pulled to one of
// two places on either side, equally near, leave it a little.
static void a_symmetric_shape_has_a_symmetric_lattice(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.0, 24);
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        wr_vec3 *p = &s.mesh.positions[i];
        *p = wr_v3(fabsf(p->x) < 1e-6f ? 0.0f : p->x * (1.0f + 0.3f * p->y),
                   0.7f * p->y + 0.2f * p->z * p->z, 1.6f * p->z + 0.3f * p->y * p->y * p->y);
    }
    mirror_half(&s);
    for (int smoothing = 0; smoothing <= 8; smoothing += 8) {
        wr_lattice_desc desc = wr_lattice_desc_default();
        desc.mesh = &s.mesh;
        desc.vertices = 600;
        desc.smoothing = smoothing;
        wr_lattice *l = fill_with(&desc);
        check_sound(l);
        for (int i = 0; i < l->vertex_count; i++) {
            wr_vec3 mirrored = l->rest[i];
            mirrored.x = -mirrored.x;
            float nearest = INFINITY;
            for (int k = 0; k < l->vertex_count; k++) {
                nearest = fminf(nearest, wr_distance(mirrored, l->rest[k]));
            }
            assert_true((double)nearest < (smoothing ? 0.1 * l->report.spacing : 1e-5));
        }
        wr_lattice_destroy(l);
    }
    shape_destroy(&s);
}

static void open_and_inverted_surfaces_are_filled_like_closed_ones(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.0, 30);
    double exact = volume(&s.mesh);
    for (int i = 0; i < s.mesh.triangle_count; i++) { // inside out
        int *t = &s.mesh.triangles[3 * i], swap = t[1];
        t[1] = t[2], t[2] = swap;
    }
    int kept = 0;
    for (int i = 0; i < s.mesh.triangle_count; i++) { // every ninth is missing
        if (i % 9) {
            memmove(&s.mesh.triangles[3 * kept++], &s.mesh.triangles[3 * i], 3 * sizeof(int));
        }
    }
    s.mesh.triangle_count = kept;
    wr_lattice *l = fill(&s.mesh, 1500);
    check_sound(l);
    check_count(l, 1500);
    CHECK_NEAR(l->report.volume, exact, 0.06 * exact);
    wr_lattice_destroy(l);
    shape_destroy(&s);
}

static void sheets_lines_and_single_triangles_get_cells(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        shape s = shape_create();
        int a = add_point(&s, wr_v3(-1, 0, -1)), b = add_point(&s, wr_v3(1, 0, -1));
        int c = add_point(&s, wr_v3(1, 0, 1)), d = add_point(&s, wr_v3(-1, 0, 1));
        if (k == 0) {
            add_quad(&s, a, b, c, d); // in a plane of the lattice
        } else if (k == 1) {
            add_triangle(&s, a, b, c);
        } else {
            add_triangle(&s, a, c, c); // a line
        }
        wr_lattice *l = fill(&s.mesh, 300);
        check_sound(l);
        check_count(l, 300);
        check_rides(l, &s.mesh);
        wr_lattice_destroy(l);
        shape_destroy(&s);
    }
}

static void separate_shells_have_separate_lattices(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0, 0, 0), wr_v3(1, 1, 1));
    add_box(&s, wr_v3(1, 0.1f, 0.1f), wr_v3(2, 0.9f, 0.9f));       // touches the first
    add_box(&s, wr_v3(0.4f, 0.4f, 0.4f), wr_v3(0.6f, 0.6f, 0.6f)); // inside the first
    wr_lattice *l = fill(&s.mesh, 800);
    check_sound(l);
    check_count(l, 800);
    assert_int_equal(l->report.shells, 3);
    assert_int_equal(l->report.parts, 2);
    assert_int_equal(l->report.nested_shells, 1);
    assert_int_equal(l->report.glued_shells, 0);
    assert_int_equal(l->render_parts[0], l->render_parts[16]);
    assert_int_not_equal(l->render_parts[0], l->render_parts[8]);
    check_rides(l, &s.mesh);
    wr_lattice_destroy(l);
    wr_lattice_desc desc = wr_lattice_desc_default();
    desc.mesh = &s.mesh;
    desc.separate_parts = false;
    l = fill_with(&desc);
    check_sound(l);
    assert_int_equal(l->report.parts, 1);
    wr_lattice_destroy(l);
    shape_destroy(&s);
}

static void more_shells_than_vertices_are_glued_and_reported(void **state)
{
    (void)state;
    shape s = shape_create();
    for (int i = 0; i < 100; i++) {
        wr_vec3 at = wr_v3((float)(i % 10), (float)(i / 10), 0);
        add_box(&s, at, wr_add(at, wr_v3(0.3f, 0.3f, 0.3f)));
    }
    wr_lattice *l = fill(&s.mesh, 300);
    check_sound(l);
    check_count(l, 300);
    assert_int_equal(l->report.shells, 100);
    assert_int_equal(l->report.parts + l->report.glued_shells, 100);
    assert_true(l->report.glued_shells > 50);
    check_rides(l, &s.mesh);
    wr_lattice_destroy(l);
    shape_destroy(&s);
}

// Every vertex of a part can be reached from every other one of it along edges.
static void check_parts_hang_together(const wr_lattice *l)
{
    int *root = malloc((size_t)l->vertex_count * sizeof *root), roots = 0;
    for (int i = 0; i < l->vertex_count; i++) {
        root[i] = i;
    }
    for (int i = 0; i < 4 * l->element_count; i++) {
        int a = l->elements[i / 4 * 4], b = l->elements[i];
        while (root[a] != a) {
            a = root[a];
        }
        while (root[b] != b) {
            b = root[b];
        }
        root[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < l->vertex_count; i++) {
        roots += root[i] == i;
    }
    free(root);
    assert_int_equal(roots, l->report.parts);
}

// A box and, as fractions of its size: a knob that touches it by a corner, one a little off, one
// that a rod pierces the side of with no vertex near it, a box beside it that is too large, and a
// chain of links, the first of which touches the box.
enum { KNOB, OFF, ROD, LARGE, LINK, LINKS = 4, THINGS = LINK + LINKS + 1 };
static shape make_trimmed(bool small_first, int first[THINGS])
{
    static const float low[THINGS][3] = {
        {1.3f, 0.4f, 0.5f},   {-0.098f, 0.3f, 0.2f},  {0.5f, 0.85f, 0.31f},
        {0.2f, 0.3f, 1},      {0.2f, -0.1f, 0.2f},    {0.26f, -0.19f, 0.21f},
        {0.2f, -0.28f, 0.2f}, {0.26f, -0.37f, 0.21f}, {0, 0, 0}};
    static const float size[THINGS][3] = {
        {0.07f, 0.1f, 0.06f}, {0.09f, 0.08f, 0.07f}, {0.01f, 0.15f, 0.02f},
        {0.4f, 0.3f, 0.5f},   {0.08f, 0.1f, 0.08f},  {0.08f, 0.1f, 0.08f},
        {0.08f, 0.1f, 0.08f}, {0.08f, 0.1f, 0.08f},  {1.3f, 0.9f, 1}};
    shape s = shape_create();
    for (int i = 0; i < THINGS; i++) {
        int k = small_first ? i : THINGS - 1 - i;
        wr_vec3 corner = wr_v3(low[k][0], low[k][1], low[k][2]);
        first[k] = s.mesh.vertex_count;
        add_box(&s, corner, wr_add(corner, wr_v3(size[k][0], size[k][1], size[k][2])));
    }
    const wr_quat turn = wr_quat_from_axis_angle(wr_v3(0.3f, 0.9f, -0.2f), 0.7f);
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        s.mesh.positions[i] = wr_add(wr_rotate(turn, s.mesh.positions[i]), wr_v3(3, -1, 2));
    }
    return s;
}

static void trim_belongs_to_what_it_touches(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        int first[THINGS], body = THINGS - 1;
        shape s = make_trimmed(i == 0, first);
        wr_lattice_desc desc = wr_lattice_desc_default();
        desc.mesh = &s.mesh;
        desc.vertices = 900;
        wr_lattice *l = fill_with(&desc);
        assert_int_equal(l->report.parts, THINGS);
        assert_int_equal(l->report.trim_shells, 0);
        wr_lattice_destroy(l);
        desc.trim = 0.1;
        l = fill_with(&desc);
        check_sound(l);
        check_parts_hang_together(l);
        check_count(l, 900);
        assert_int_equal(l->report.trim_shells, 4);
        assert_int_equal(l->report.parts, THINGS - 4);
        for (int k = 0; k < body; k++) {
            bool is_trim = k == KNOB || k == OFF || k == ROD || k == LINK;
            assert_true(is_trim == (l->render_parts[first[k]] == l->render_parts[first[body]]));
        }
        check_rides(l, &s.mesh);
        wr_lattice_destroy(l);
        shape_destroy(&s);
    }
}

// The cells of a thin rod are smaller than the gap between it and a plate.
static void trim_a_little_off_is_held_by_cells(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0, 0, 0), wr_v3(2, 0.008f, 0.01f));
    add_box(&s, wr_v3(1.3f, 0.024f, -0.04f), wr_v3(1.44f, 0.03f, 0.09f));
    wr_lattice_desc desc = wr_lattice_desc_default();
    desc.mesh = &s.mesh;
    desc.vertices = 5000;
    desc.trim = 0.1;
    wr_lattice *l = fill_with(&desc);
    check_sound(l);
    assert_true(l->report.spacing < 0.016);
    assert_int_equal(l->report.parts, 1);
    check_parts_hang_together(l);
    wr_lattice_destroy(l);
    shape_destroy(&s);
}

static void random_soups_give_sound_lattices(void **state)
{
    (void)state;
    uint64_t seed = 77;
    for (int round = 0; round < 20; round++) {
        shape s = shape_create();
        float scale = powf(10.0f, (float)(round % 7 - 3));
        wr_vec3 shift = wr_v3(round % 3 ? 0 : 20 * scale, 0, 0);
        for (int i = 0; i < 30; i++) {
            wr_vec3 p = wr_v3(random_float(&seed, -1, 1), random_float(&seed, -1, 1),
                              random_float(&seed, -1, 1));
            add_point(&s, wr_add_scaled(shift, scale, p));
        }
        for (int i = 0; i < 5 + 4 * round; i++) {
            int t[3];
            for (int k = 0; k < 3; k++) {
                t[k] = (int)(random_bits(&seed) % 30);
            }
            add_triangle(&s, t[0], t[1], t[2]);
        }
        wr_vec3 handles[8];
        for (int i = 0; i < 8; i++) {
            handles[i] = wr_add_scaled(
                shift, scale, wr_v3(random_float(&seed, -1, 1), random_float(&seed, -1, 1), 0));
        }
        wr_lattice_desc desc = wr_lattice_desc_default();
        desc.mesh = &s.mesh;
        desc.vertices = 200 + 60 * round;
        desc.handles = handles;
        desc.handle_count = 8;
        wr_lattice *l = fill_with(&desc);
        check_sound(l);
        check_count(l, desc.vertices);
        check_rides(l, &s.mesh);
        wr_lattice_destroy(l);
        shape_destroy(&s);
    }
}

// --- handles ----------------------------------------------------------------------------------

static void handles_lie_exactly_on_vertices(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.0, 24);
    enum { COUNT = 64 };
    wr_vec3 handles[COUNT];
    uint64_t seed = 31;
    for (int i = 0; i < COUNT; i++) {
        float reach = i < 40 ? 0.5f : 0.75f; // the last ones partly outside
        handles[i] = wr_v3(random_float(&seed, -reach, reach), random_float(&seed, -reach, reach),
                           random_float(&seed, -reach, reach));
    }
    handles[60] = wr_v3(0, 1.6f, 0);                            // far outside
    handles[61] = wr_v3(0, 1, 0);                               // on the surface
    handles[62] = wr_add(handles[0], wr_v3(0.002f, 0, 0.001f)); // beside another
    handles[63] = handles[0];                                   // on another
    for (int wanted = 400; wanted <= 4000; wanted *= 10) {
        wr_lattice_desc desc = wr_lattice_desc_default();
        desc.mesh = &s.mesh;
        desc.vertices = wanted;
        desc.handles = handles;
        desc.handle_count = COUNT;
        wr_lattice *l = fill_with(&desc);
        check_sound(l);
        check_count(l, wanted);
        assert_int_equal(l->report.handles_missed, 0);
        for (int i = 0; i < COUNT; i++) {
            assert_true(l->handle_vertices[i] >= 0);
            assert_memory_equal(&l->rest[l->handle_vertices[i]], &handles[i], sizeof *handles);
        }
        assert_int_equal(l->handle_vertices[63], l->handle_vertices[0]);
        assert_int_not_equal(l->handle_vertices[62], l->handle_vertices[0]);
        wr_lattice_destroy(l);
    }
    shape_destroy(&s);
}

// --- bad input --------------------------------------------------------------------------------

static void expect_failure(const wr_lattice_desc *desc, const char *words)
{
    wr_error error = {0};
    assert_null(wr_lattice_create(desc, &error));
    if (!strstr(error.message, words)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    }
}

static void bad_input_is_one_sentence(void **state)
{
    (void)state;
    shape s = shape_create();
    wr_lattice_desc desc = wr_lattice_desc_default();
    desc.mesh = &s.mesh;
    expect_failure(&desc, "at least one triangle");
    add_point(&s, wr_v3(1, 2, 3));
    add_triangle(&s, 0, 0, 0);
    expect_failure(&desc, "no extent");
    add_box(&s, wr_v3(0, 0, 0), wr_v3(1, 1, 1));
    desc.vertices = 3;
    expect_failure(&desc, "vertices: 3");
    desc.vertices = 500;
    desc.smoothing = -1;
    expect_failure(&desc, "smoothing: -1");
    desc.smoothing = 8;
    desc.trim = -0.1;
    expect_failure(&desc, "trim: -0.1");
    desc.trim = NAN;
    expect_failure(&desc, "trim: ");
    desc.trim = 0.0;
    wr_vec3 handle = {NAN, 0, 0};
    desc.handles = &handle;
    desc.handle_count = 1;
    expect_failure(&desc, "handles[0]: not finite");
    handle = wr_v3(50, 0, 0);
    expect_failure(&desc, "handles[0]: 49");
    desc.handle_count = 0;
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        s.mesh.positions[i].x += 1e7f;
    }
    expect_failure(&desc, "float numbers");
    s.mesh.positions[2].y = INFINITY;
    expect_failure(&desc, "not finite");
    shape_destroy(&s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0, 0, 0), wr_v3(1, 1, 1));
    add_box(&s, wr_v3(0.3f, 0.3f, 0.3f), wr_v3(0.7f, 0.7f, 0.7f));
    add_box(&s, wr_v3(2, 0, 0), wr_v3(3, 1, 1));
    const wr_vec3 handles[2] = {{0.5f, 0.5f, 0.5f}, {0.5f, 1.3f, 0.5f}};
    counting_heap heap = {0};
    wr_lattice_desc desc = wr_lattice_desc_default();
    desc.mesh = &s.mesh;
    desc.vertices = 120;
    desc.handles = handles;
    desc.handle_count = 2;
    desc.allocator = counting_allocator(&heap);
    wr_lattice *l = NULL;
    int step = 1;
    for (int budget = 0; !l; budget += step) {
        heap = (counting_heap){.budget = budget};
        wr_error error = {0};
        l = wr_lattice_create(&desc, &error);
        if (!l) {
            assert_int_equal(error.code, WR_E_MEMORY);
            assert_int_equal(heap.alive, 0);
        }
        step = budget < 200 ? 1 : 7;
    }
    wr_lattice_destroy(l);
    assert_int_equal(heap.alive, 0);
    shape_destroy(&s);
}

// --- threads, models, time --------------------------------------------------------------------

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    shape s = torus(1, 0.4, 30);
    add_box(&s, wr_v3(2, 0, 0), wr_v3(3, 1, 1));
    wr_lattice *one = fill(&s.mesh, 1500);
    for (int workers = 1; workers <= 3; workers++) {
        wr_lattice_desc desc = wr_lattice_desc_default();
        desc.mesh = &s.mesh;
        desc.vertices = 1500;
        desc.tasks = wr_tasks_openmp(workers);
        wri_test_block_shuffle = workers;
        wr_lattice *l = fill_with(&desc);
        wri_test_block_shuffle = 0;
        assert_int_equal(l->vertex_count, one->vertex_count);
        assert_int_equal(l->element_count, one->element_count);
        assert_memory_equal(l->rest, one->rest, (size_t)l->vertex_count * sizeof *l->rest);
        assert_memory_equal(l->elements, one->elements, (size_t)l->element_count * 4 * sizeof(int));
        wr_lattice_destroy(l);
    }
    wr_lattice_destroy(one);
    shape_destroy(&s);
}

static void check_model(const char *folder, const char *name, int vertices)
{
    char path[1024];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    wr_model *model = wr_model_read(path, NULL, &error);
    wr_model *flat = model ? wr_model_flatten(model, &error) : NULL;
    if (!flat) {
        fail_msg("%s: %s", path, error.message);
    }
    wr_lattice *l = fill(flat->meshes, vertices);
    print_message("%s: %d vertices, %d tetrahedra, %d parts\n", name, l->vertex_count,
                  l->element_count, l->report.parts);
    check_sound(l);
    check_count(l, vertices);
    check_rides(l, flat->meshes);
    wr_lattice_destroy(l);
    wr_model_destroy(flat);
    wr_model_destroy(model);
}

static void models_of_others_become_lattices(void **state)
{
    (void)state;
    const char *data = getenv("WROUGHT_DATA");
    if (!data || access(data, R_OK) != 0) {
        print_message("skipped: WROUGHT_DATA is not set or not there\n");
        skip();
    }
    const char *names[] = {"libigl/bunny.off",
                           "libigl/cow.off",
                           "libigl/decimated-knight.off",
                           "libigl/octopus-low.mesh",
                           "libigl/arm.obj",
                           "libigl/truck.obj",
                           "libigl/hand.mesh",
                           "ebpd/barrel/mesh.obj",
                           "khronos/AnimatedMorphCube.glb",
                           "khronos/CesiumMilkTruck.glb",
                           "khronos/Fox.glb",
                           "khronos/MorphPrimitivesTest.glb",
                           "khronos/RiggedFigure.glb",
                           "khronos/RiggedSimple.glb"};
    for (int i = 0; i < WRI_COUNT(names); i++) {
        check_model(data, names[i], i % 2 ? 1800 : 300);
    }
}

static void our_models_become_lattices(void **state)
{
    (void)state;
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        print_message("skipped: WROUGHT_SCENES is not set\n");
        skip();
    }
    const char *names[] = {"models/ball.glb",      "models/barrel.glb", "models/beam.glb",
                           "models/container.glb", "models/crate.glb",  "models/gantry.glb",
                           "models/link.glb"};
    for (int i = 0; i < WRI_COUNT(names); i++) {
        check_model(scenes, names[i], 1800);
    }
}

static void a_large_lattice_has_as_many_vertices_as_asked(void **state)
{
    (void)state;
    shape s = torus(1, 0.4, 60);
    wr_lattice_desc desc = wr_lattice_desc_default();
    desc.mesh = &s.mesh;
    desc.vertices = 50000;
    desc.tasks = wr_tasks_openmp(2);
    wr_lattice *l = fill_with(&desc);
    check_count(l, 50000);
    wr_lattice_destroy(l);
    shape_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_converge),
        cmocka_unit_test(the_number_of_vertices_is_within_a_tenth),
        cmocka_unit_test(a_symmetric_shape_has_a_symmetric_lattice),
        cmocka_unit_test(open_and_inverted_surfaces_are_filled_like_closed_ones),
        cmocka_unit_test(sheets_lines_and_single_triangles_get_cells),
        cmocka_unit_test(separate_shells_have_separate_lattices),
        cmocka_unit_test(trim_belongs_to_what_it_touches),
        cmocka_unit_test(trim_a_little_off_is_held_by_cells),
        cmocka_unit_test(more_shells_than_vertices_are_glued_and_reported),
        cmocka_unit_test(random_soups_give_sound_lattices),
        cmocka_unit_test(handles_lie_exactly_on_vertices),
        cmocka_unit_test(bad_input_is_one_sentence),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(models_of_others_become_lattices),
        cmocka_unit_test(our_models_become_lattices),
        cmocka_unit_test(a_large_lattice_has_as_many_vertices_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
