// Promises of the layer of flesh under a skin: as deep as wished where there is room, never more
// than its side of the body, of sound tetrahedra whatever the mesh.
#include "shape.h"

#include "wrought/file.h"
#include "wrought/layer.h"

#include <time.h>

static wr_layer_desc desc_of(const wr_mesh *mesh, double thickness)
{
    wr_layer_desc desc = wr_layer_desc_default();
    desc.positions = mesh->positions;
    desc.vertex_count = mesh->vertex_count;
    desc.triangles = mesh->triangles;
    desc.triangle_count = mesh->triangle_count;
    desc.thickness = thickness;
    return desc;
}

static wr_layer *create(const wr_layer_desc *desc)
{
    wr_error error = {0};
    wr_layer *layer = wr_layer_create(desc, &error);
    if (!layer) {
        fail_msg("%s", error.message);
    }
    return layer;
}

// --- an independent look at the tetrahedra ----------------------------------------------------

static void subtract(wr_vec3 a, wr_vec3 b, double out[3])
{
    out[0] = (double)a.x - b.x, out[1] = (double)a.y - b.y, out[2] = (double)a.z - b.z;
}

static double distance(wr_vec3 a, wr_vec3 b)
{
    double d[3];
    subtract(a, b, d);
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static double tet_volume(wr_vec3 o, wr_vec3 p, wr_vec3 q, wr_vec3 r)
{
    double a[3], b[3], c[3];
    subtract(p, o, a);
    subtract(q, o, b);
    subtract(r, o, c);
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
            a[2] * (b[0] * c[1] - b[1] * c[0])) /
           6.0;
}

static double area_of(const wr_layer *l, const int *v)
{
    double a[3], b[3];
    subtract(l->skin[v[1]], l->skin[v[0]], a);
    subtract(l->skin[v[2]], l->skin[v[0]], b);
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    double z = a[0] * b[1] - a[1] * b[0];
    return 0.5 * sqrt(x * x + y * y + z * z);
}

// The split by the order of the nodes, written down once more, with the signs that a triangle has
// whose order is that of the numbers. Returns the volume.
static double check_prism(const wr_layer *l, int t)
{
    const int *v = &l->triangles[3 * t];
    int at = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : (v[1] < v[2] ? 1 : 2);
    int a = v[at], b = v[(at + 1) % 3], c = v[(at + 2) % 3];
    double side = b < c ? 1.0 : -1.0, sum = 0.0, h = 0.0;
    if (b > c) {
        int swap = b;
        b = c, c = swap;
    }
    const wr_vec3 *s = l->skin, *k = l->core;
    const double volumes[3] = {-side * tet_volume(s[a], s[b], s[c], k[c]),
                               side * tet_volume(s[a], s[b], k[b], k[c]),
                               -side * tet_volume(s[a], k[a], k[b], k[c])};
    const int twice[3] = {c, b, a};
    for (int i = 0; i < 3; i++) {
        h += distance(s[v[i]], k[v[i]]) / 3.0;
    }
    for (int i = 0; i < 3; i++) {
        if (!l->fixed[twice[i]]) {
            assert_true(volumes[i] > 0.0);
            assert_true(volumes[i] >= 0.0499 * area_of(l, v) * h / 3.0);
            sum += volumes[i];
        }
    }
    return sum;
}

// The public split has the same tetrahedra.
static double check_split(const wr_layer *l, int t)
{
    int tets[3][4], count = wr_layer_split(l, t, tets), fixed = 0;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        fixed += l->fixed[l->triangles[3 * t + k]];
    }
    assert_int_equal(count, 3 - fixed);
    for (int i = 0; i < count; i++) {
        wr_vec3 p[4];
        for (int k = 0; k < 4; k++) {
            int n = tets[i][k];
            p[k] = n < l->node_count ? l->skin[n] : l->core[n - l->node_count];
        }
        double v = tet_volume(p[0], p[1], p[2], p[3]);
        assert_true(v > 0.0);
        sum += v;
    }
    return sum;
}

static void check_nodes(const wr_layer *l, const wr_layer_desc *d)
{
    int fixed = 0;
    for (int i = 0; i < l->node_count; i++) {
        wr_vec3 p = l->skin[i];
        double place = fabs((double)p.x) + fabs((double)p.y) + fabs((double)p.z);
        assert_int_equal(l->node_of[l->vertex_of[i]], i);
        assert_true(same_place(p, d->positions[l->vertex_of[i]]));
        assert_int_equal(l->fixed[i], same_place(p, l->core[i]));
        assert_int_equal(l->fixed[i], l->thicknesses[i] == 0.0f);
        CHECK_NEAR(distance(p, l->core[i]), l->thicknesses[i],
                   1e-6 * (place + (double)l->thicknesses[i]));
        assert_true((double)l->thicknesses[i] <=
                    1.000001 * l->thickness *
                        (d->factors ? (double)d->factors[l->vertex_of[i]] : 1.0));
        fixed += l->fixed[i];
    }
    assert_int_equal(fixed, l->fixed_count);
    for (int i = 0; i < d->vertex_count; i++) {
        assert_true(l->vertex_of[l->node_of[i]] <= i);
    }
}

// Checks all that holds for every layer; returns the volume of the flesh.
static double check_layer(const wr_layer *l, const wr_layer_desc *d)
{
    double sum = 0.0;
    check_nodes(l, d);
    assert_int_equal(l->triangle_count + l->dropped_count, d->triangle_count);
    for (int t = 0; t < l->triangle_count; t++) {
        double volume = check_prism(l, t);
        CHECK_NEAR(check_split(l, t), volume, 1e-9 * volume);
        sum += volume;
        for (int k = 0; k < 3; k++) {
            int n = l->node_of[d->triangles[3 * l->triangle_of[t] + k]];
            const int *v = &l->triangles[3 * t];
            assert_true(n == v[0] || n == v[1] || n == v[2]);
            int next = v[(k + 1) % 3];
            double change = (double)l->thicknesses[v[k]] - (double)l->thicknesses[next];
            double apart = distance(l->skin[v[k]], l->skin[next]);
            double rounding = 2e-7 * (double)l->thicknesses[next]; // of two floats
            assert_true(fabs(change) <= 1.00001 * apart + rounding);
        }
    }
    return sum;
}

// Distance along a ray to the nearest triangle that it meets from behind, by trying all of them.
static double find_exit(const wr_layer *l, int node, const double d[3])
{
    double exit = INFINITY;
    for (int t = 0; t < l->triangle_count; t++) {
        const int *v = &l->triangles[3 * t];
        double e[3][3], side[3], n = 0.0, sum = 0.0;
        for (int k = 0; k < 3; k++) {
            subtract(l->skin[v[k]], l->skin[node], e[k]);
        }
        for (int k = 0; k < 3; k++) { // six times the volumes with the edges of the triangle
            const double *a = e[(k + 1) % 3], *b = e[(k + 2) % 3];
            side[k] = d[0] * (a[1] * b[2] - a[2] * b[1]) + d[1] * (a[2] * b[0] - a[0] * b[2]) +
                      d[2] * (a[0] * b[1] - a[1] * b[0]);
            sum += side[k];
        }
        for (int k = 0; k < 3; k++) { // where the ray meets the plane
            n += side[k] / sum * (e[k][0] * d[0] + e[k][1] * d[1] + e[k][2] * d[2]);
        }
        bool own = v[0] == node || v[1] == node || v[2] == node;
        if (!own && side[0] > 0.0 && side[1] > 0.0 && side[2] > 0.0 && n > 0.0) {
            exit = fmin(exit, n);
        }
    }
    return exit;
}

// Nowhere is the core farther than 0.45 of the way through the body.
static void check_ways(const wr_layer *l)
{
    for (int i = 0; i < l->node_count; i++) {
        double d[3], h = distance(l->core[i], l->skin[i]);
        subtract(l->core[i], l->skin[i], d);
        for (int k = 0; k < 3 && !l->fixed[i]; k++) {
            d[k] /= h;
        }
        assert_true(l->fixed[i] || h <= 0.4501 * find_exit(l, i, d));
    }
}

static wr_layer *create_checked(const wr_mesh *mesh, double thickness)
{
    wr_layer_desc d = desc_of(mesh, thickness);
    wr_layer *l = create(&d);
    check_layer(l, &d);
    return l;
}

// --- smooth bodies ----------------------------------------------------------------------------

static void stretch(shape *s, float x, float y, float z)
{
    for (int i = 0; i < s->mesh.vertex_count; i++) {
        wr_vec3 *p = &s->mesh.positions[i];
        *p = wr_v3(x * p->x, y * p->y, z * p->z);
    }
}

static void turn_inside_out(shape *s)
{
    for (int t = 0; t < s->mesh.triangle_count; t++) {
        int *v = &s->mesh.triangles[3 * t], swap = v[0];
        v[0] = v[1], v[1] = swap;
    }
}

static void the_core_of_a_ball_is_a_ball(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.0, 40);
    wr_layer_desc d = desc_of(&s.mesh, 0.3);
    wr_layer *l = create(&d);
    double sum = check_layer(l, &d);
    assert_int_equal(l->node_count, s.mesh.vertex_count);
    assert_int_equal(l->triangle_count, s.mesh.triangle_count);
    assert_int_equal(l->fixed_count + l->thinned_count + l->dropped_count + l->turned_count, 0);
    for (int i = 0; i < l->node_count; i++) {
        CHECK_NEAR(l->thicknesses[i], 0.3, 1e-6);
        CHECK_NEAR(wr_length(l->core[i]), 0.7, 1e-3);
    }
    CHECK_NEAR(sum, volume(&s.mesh) * (1.0 - 0.343), 5e-3);
    wr_layer_destroy(l);
    shape_destroy(&s);
}

// Half of the radius of balls and limbs, whatever their ends are; 0.05 of the size of a sheet.
static void the_default_thickness_is_half_of_the_radius(void **state)
{
    (void)state;
    const double lengths[] = {0.0, 8.0};
    for (int k = 0; k < 2; k++) {
        shape s = round_shape(1.0, lengths[k], 40);
        wr_layer *l = create_checked(&s.mesh, 0.0);
        CHECK_NEAR(l->thickness, 0.5, 5e-3);
        assert_int_equal(l->fixed_count, 0);
        wr_layer_destroy(l);
        s.mesh.triangle_count = 1;
        l = create_checked(&s.mesh, 0.0);
        double size = 0.0;
        for (int i = 0; i < 3; i++) { // a triangle of the lower cap: its largest edge is not less
            size =
                fmax(size, distance(l->skin[l->triangles[i]], l->skin[l->triangles[(i + 1) % 3]]));
        }
        assert_true(l->thickness > 0.049 * size && l->thickness < 0.08 * size);
        wr_layer_destroy(l);
        shape_destroy(&s);
    }
}

static void an_egg_has_the_wished_thickness_everywhere(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.0, 40);
    stretch(&s, 1.0f, 2.0f, 0.7f);
    wr_layer *l = create_checked(&s.mesh, 0.15); // the least radius of curvature is 0.7^2 / 2
    assert_int_equal(l->thinned_count, 0);
    for (int i = 0; i < l->node_count; i++) {
        wr_vec3 p = l->core[i];
        CHECK_NEAR(l->thicknesses[i], 0.15, 1e-6);
        assert_true(p.x * p.x + p.y * p.y / 4.0f + p.z * p.z / 0.49f < 1.0f);
    }
    wr_layer_destroy(l);
    shape_destroy(&s);
}

static shape torus(double outer, double inner, int n)
{
    shape s = shape_create();
    for (int i = 0; i < 2 * n * n; i++) {
        double a = PI * (i / n) / n, b = 2.0 * PI * (i % n) / n, r = outer + inner * cos(b);
        add_point(&s, wr_v3((float)(r * cos(a)), (float)(inner * sin(b)), (float)(r * sin(a))));
    }
    for (int i = 0; i < 2 * n * n; i++) {
        int row = i / n * n, next = (row + n) % (2 * n * n), j = (i + 1) % n;
        add_quad(&s, i, row + j, next + j, next + i % n);
    }
    return s;
}

static void the_core_of_a_ring_is_a_ring(void **state)
{
    (void)state;
    shape s = torus(1.0, 0.4, 32);
    wr_layer *l = create_checked(&s.mesh, 0.1);
    assert_int_equal(l->thinned_count, 0);
    for (int i = 0; i < l->node_count; i++) {
        wr_vec3 p = l->core[i];
        float r = sqrtf(p.x * p.x + p.z * p.z) - 1.0f;
        CHECK_NEAR(sqrtf(r * r + p.y * p.y), 0.3, 2e-3);
    }
    wr_layer_destroy(l);
    shape_destroy(&s);
}

// --- thin and sharp ---------------------------------------------------------------------------

// A box of n x n x 1 cells around the origin, without shared normals: one vertex per place.
static shape plate(float size, float thickness, int n)
{
    shape s = shape_create();
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i <= n; i++) {
            for (int k = 0; k <= n; k++) {
                add_point(&s, wr_v3(size * ((float)i / (float)n - 0.5f),
                                    size * ((float)k / (float)n - 0.5f),
                                    side ? 0.5f * thickness : -0.5f * thickness));
            }
        }
    }
    int row = n + 1, top = row * row;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            int a = i * row + k;
            add_quad(&s, a, a + 1, a + row + 1, a + row);
            add_quad(&s, top + a, top + a + row, top + a + row + 1, top + a + 1);
        }
        int a = i * row, b = a + n, c = i, e = n * row + i;
        add_quad(&s, a, a + row, top + a + row, top + a);
        add_quad(&s, b, top + b, top + b + row, b + row);
        add_quad(&s, c, top + c, top + c + 1, c + 1);
        add_quad(&s, e, e + 1, top + e + 1, top + e);
    }
    return s;
}

static void the_two_sides_of_a_plate_do_not_meet(void **state)
{
    (void)state;
    shape s = plate(1.0f, 0.08f, 20);
    assert_int_equal(check_closed(&s.mesh), 2);
    wr_layer *l = create_checked(&s.mesh, 0.2);
    assert_int_equal(l->turned_count, 0);
    assert_int_equal(l->thinned_count, l->node_count);
    int exact = 0;
    for (int i = 0; i < l->node_count; i++) {
        assert_true(l->skin[i].z > 0.0f ? l->core[i].z >= 0.0039f : l->core[i].z <= -0.0039f);
        exact += fabsf(fabsf(l->core[i].z) - 0.004f) < 1e-5f;
    }
    assert_true(exact > l->node_count / 2);
    assert_int_equal(l->fixed_count, 0);
    wr_layer_destroy(l);
    shape_destroy(&s);
}

// A flat stone with bumps.
static void the_core_is_at_most_0_45_of_the_way_through(void **state)
{
    (void)state;
    const double thickness[] = {0.1, 0.2, 10.0};
    for (int k = 0; k < 3; k++) {
        shape s = round_shape(1.0, 0.0, 24);
        uint64_t seed = 7;
        for (int i = 0; i < s.mesh.vertex_count; i++) {
            s.mesh.positions[i] = wr_scale(random_float(&seed, 0.95f, 1.05f), s.mesh.positions[i]);
        }
        stretch(&s, 1.0f, 0.25f, 0.8f);
        wr_layer *l = create_checked(&s.mesh, thickness[k]);
        check_ways(l);
        wr_layer_destroy(l);
        shape_destroy(&s);
    }
}

static void tips_of_cones_have_flesh(void **state)
{
    (void)state;
    const double slopes[] = {0.2, 0.5, 1.0}; // radius per height
    for (int k = 0; k < 3; k++) {
        enum { ROWS = 20 };
        double profile[ROWS + 2][2] = {{0.0, 0.0}};
        for (int i = 0; i <= ROWS; i++) {
            profile[i + 1][0] = slopes[k] * (ROWS - i) / ROWS;
            profile[i + 1][1] = 1.0 * i / ROWS;
        }
        shape s = lathe((const double(*)[2])profile, ROWS + 2, 24);
        wr_layer *l = create_checked(&s.mesh, 0.2);
        assert_int_equal(l->fixed_count, 0);
        assert_true(l->thicknesses[1] > 0.001f); // the tip
        CHECK_NEAR(l->core[1].x, 0.0, 1e-4);
        CHECK_NEAR(l->core[1].z, 0.0, 1e-4);
        for (int i = 0; i < l->node_count; i++) {
            wr_vec3 p = l->core[i];
            double r = sqrt((double)(p.x * p.x + p.z * p.z));
            assert_true(r < slopes[k] * (1.0 - (double)p.y) && p.y > 0.0f);
        }
        wr_layer_destroy(l);
        shape_destroy(&s);
    }
}

static void sharp_edges_have_flesh(void **state)
{
    (void)state;
    const float degrees[] = {60.0f, 20.0f, 12.0f, 6.0f};
    for (int k = 0; k < 4; k++) {
        shape s = plate(1.0f, 1.0f, 20);
        float slope = tanf(0.5f * degrees[k] * (float)PI / 180.0f);
        for (int i = 0; i < s.mesh.vertex_count; i++) {
            wr_vec3 *p = &s.mesh.positions[i];
            p->z *= 2.0f * slope * (p->x + 0.5f); // 0 at x = -0.5: the two edges weld
        }
        wr_layer *l = create_checked(&s.mesh, 0.1);
        assert_int_equal(l->node_count, s.mesh.vertex_count - 21);
        assert_int_equal(l->dropped_count, 42);
        int fixed = 0;
        for (int i = 0; i < l->node_count; i++) {
            fixed += l->fixed[i] && l->skin[i].x == -0.5f && fabsf(l->skin[i].y) < 0.49f;
        }
        assert_int_equal(fixed, degrees[k] < 7.0f ? 19 : 0);
        wr_layer_destroy(l);
        shape_destroy(&s);
    }
}

// --- welding and sides ------------------------------------------------------------------------

// Every face has corners of its own; the core is a cube.
static void a_cube_with_hard_edges_has_eight_nodes(void **state)
{
    (void)state;
    shape box = shape_create(), s = shape_create();
    add_box(&box, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 1.0f));
    for (int t = 0; t < 12; t++) {
        const int *v = &box.mesh.triangles[3 * t];
        for (int k = 0; k < 3; k++) {
            add_point(&s, box.mesh.positions[v[k]]);
        }
        s.mesh.positions[3 * t].y += 3e-7f; // rounding of an exporter
        add_triangle(&s, 3 * t, 3 * t + 1, 3 * t + 2);
    }
    wr_layer *l = create_checked(&s.mesh, 0.3);
    assert_int_equal(l->node_count, 8);
    assert_int_equal(l->triangle_count, 12);
    assert_int_equal(l->thinned_count, 0);
    float deep = 0.3f / sqrtf(3.0f);
    for (int i = 0; i < 36; i++) {
        const wr_vec3 p = s.mesh.positions[i];
        const wr_vec3 q = l->core[l->node_of[i]];
        assert_true(distance(p, l->skin[l->node_of[i]]) < 1e-6);
        CHECK_NEAR(q.x, p.x < 0.5f ? deep : 1.0f - deep, 1e-5);
        CHECK_NEAR(q.y, p.y < 0.5f ? deep : 1.0f - deep, 1e-5);
        CHECK_NEAR(q.z, p.z < 0.5f ? deep : 1.0f - deep, 1e-5);
    }
    wr_layer_destroy(l);
    shape_destroy(&box);
    shape_destroy(&s);
}

static void shells_are_turned_to_face_outwards(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) { // a ball inside out, one of mixed sides, one with a hole
        shape s = round_shape(1.0, 0.0, 24);
        int turned = s.mesh.triangle_count;
        if (k == 2) {
            s.mesh.triangle_count = turned = turned / 3 * 2;
        }
        turn_inside_out(&s);
        for (int t = 0; k == 1 && t < s.mesh.triangle_count; t += 7) {
            int *v = &s.mesh.triangles[3 * t], swap = v[0];
            v[0] = v[1], v[1] = swap;
            turned--;
        }
        wr_layer *l = create_checked(&s.mesh, 0.2);
        assert_int_equal(l->turned_count, turned);
        assert_int_equal(l->thinned_count, k == 2 ? l->fixed_count : 0);
        for (int i = 0; i < l->node_count; i++) {
            assert_true(l->fixed[i] || wr_length(l->core[i]) < 0.85f);
        }
        wr_layer_destroy(l);
        shape_destroy(&s);
    }
}

static void add_shape(shape *s, const shape *other, wr_vec3 by, float scale)
{
    int first = s->mesh.vertex_count;
    for (int i = 0; i < other->mesh.vertex_count; i++) {
        add_point(s, wr_add_scaled(by, scale, other->mesh.positions[i]));
    }
    for (int t = 0; t < other->mesh.triangle_count; t++) {
        const int *v = &other->mesh.triangles[3 * t];
        add_triangle(s, first + v[0], first + v[1], first + v[2]);
    }
}

// The wall between radius 1 and 0.8 is 0.2 thick: flesh of both sides is in it, 0.09 each.
static void a_cavity_has_its_own_flesh(void **state)
{
    (void)state;
    shape ball = round_shape(1.0, 0.0, 32), s = round_shape(1.0, 0.0, 32);
    turn_inside_out(&ball);
    add_shape(&s, &ball, wr_v3(0.0f, 0.0f, 0.0f), 0.8f);
    wr_layer *l = create_checked(&s.mesh, 0.5);
    assert_int_equal(l->turned_count, 0);
    for (int i = 0; i < l->node_count; i++) {
        float r = wr_length(l->core[i]);
        CHECK_NEAR(r, wr_length(l->skin[i]) > 0.9f ? 0.91 : 0.89, 5e-3);
    }
    wr_layer_destroy(l);
    shape_destroy(&ball);
    shape_destroy(&s);
}

// A small ball inside or on the border does not thin the flesh of the large one.
static void shells_that_overlap_are_one_body(void **state)
{
    (void)state;
    shape ball = round_shape(1.0, 0.0, 24), s = round_shape(1.0, 0.0, 24);
    add_shape(&s, &ball, wr_v3(0.85f, 0.03f, 0.07f), 0.2f);
    wr_layer *l = create_checked(&s.mesh, 0.3);
    for (int i = 0; i < ball.mesh.vertex_count; i++) {
        CHECK_NEAR(l->thicknesses[i], 0.3, 1e-6);
    }
    wr_layer_destroy(l);
    shape_destroy(&ball);
    shape_destroy(&s);
}

// --- surfaces without an inside ---------------------------------------------------------------

// A square of n x n cells at a height, facing down.
static void add_sheet(shape *s, int n, float z)
{
    int first = s->mesh.vertex_count, row = n + 1;
    for (int i = 0; i < row * row; i++) {
        add_point(s, wr_v3((float)(i / row) / (float)n, (float)(i % row) / (float)n, z));
    }
    for (int i = 0; i < n * n; i++) {
        int a = first + i / n * row + i % n;
        add_quad(s, a, a + 1, a + row + 1, a + row);
    }
}

static void a_sheet_keeps_the_wished_thickness(void **state)
{
    (void)state;
    shape s = shape_create();
    add_sheet(&s, 10, 0.0f);
    wr_layer *l = create_checked(&s.mesh, 0.07);
    assert_int_equal(l->thinned_count, 0);
    for (int i = 0; i < l->node_count; i++) {
        CHECK_NEAR(l->core[i].z, 0.07, 1e-6);
    }
    wr_layer_destroy(l);
    shape_destroy(&s);
}

// Back to back they are the two sides of a body; one behind the other they have nothing to do with
// each other.
static void two_sheets_share_what_is_between_their_backs(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        shape s = shape_create();
        add_sheet(&s, 10, k ? 0.1f : 0.0f);
        if (k) {
            turn_inside_out(&s);
        }
        add_sheet(&s, 10, k ? 0.0f : 0.1f);
        wr_layer *l = create_checked(&s.mesh, 0.2);
        assert_int_equal(l->thinned_count, k ? l->node_count : 0);
        for (int i = 0; i < l->node_count; i++) {
            CHECK_NEAR(l->thicknesses[i], k ? 0.045 : 0.2, 1e-6);
        }
        wr_layer_destroy(l);
        shape_destroy(&s);
    }
}

// The side of a box is split at the middle of an edge, that of its neighbour is not: a triangle
// without area closes the crack.
static void triangles_without_area_are_dropped(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 1.0f));
    int *v = s.mesh.triangles, middle = add_point(&s, wr_v3(0.0f, 0.5f, 0.0f)); // of edge 0 2
    assert_true(v[0] == 0 && v[1] == 2);
    v[0] = middle;
    add_triangle(&s, 0, middle, s.mesh.triangles[2]);
    add_triangle(&s, 0, 2, middle);
    wr_layer *l = create_checked(&s.mesh, 0.2);
    assert_int_equal(l->dropped_count, 1);
    assert_int_equal(l->turned_count, 0);
    assert_int_equal(l->fixed_count, 0);
    wr_layer_destroy(l);
    shape_destroy(&s);
}

// Three pages of a book: their common edge has no inside, their other corners have.
static void edges_of_three_triangles_are_fixed(void **state)
{
    (void)state;
    shape s = shape_create();
    add_point(&s, wr_v3(0, 0, 0));
    add_point(&s, wr_v3(0, 1, 0));
    for (int k = 0; k < 3; k++) {
        float angle = 2.0f * (float)k;
        add_triangle(&s, 0, 1, add_point(&s, wr_v3(cosf(angle), 0.5f, sinf(angle))));
    }
    wr_layer *l = create_checked(&s.mesh, 0.1);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(l->fixed[i], i < 2);
    }
    wr_layer_destroy(l);
    shape_destroy(&s);
}

// Two boxes that touch in one corner; two triangles that do.
static void nodes_of_several_fans_are_fixed(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 1.0f));
    add_box(&s, wr_v3(1.0f, 1.0f, 1.0f), wr_v3(2.0f, 2.0f, 2.0f));
    wr_layer *l = create_checked(&s.mesh, 0.2);
    assert_int_equal(l->node_count, 15);
    assert_int_equal(l->fixed_count, 1);
    assert_true(l->fixed[l->node_of[7]]);
    assert_int_equal(l->node_of[7], l->node_of[8]);
    wr_layer_destroy(l);
    shape_destroy(&s);
    s = shape_create();
    add_triangle(&s, add_point(&s, wr_v3(0, 0, 0)), add_point(&s, wr_v3(1, 0, 0)),
                 add_point(&s, wr_v3(0, 1, 0)));
    add_triangle(&s, 0, add_point(&s, wr_v3(-1, 0, 0)), add_point(&s, wr_v3(0, -1, 0)));
    l = create_checked(&s.mesh, 0.1);
    assert_int_equal(l->fixed_count, 1);
    assert_true(l->fixed[0]);
    wr_layer_destroy(l);
    shape_destroy(&s);
}

static shape moebius_strip(int n)
{
    shape s = shape_create();
    for (int i = 0; i < n; i++) {
        double a = 2.0 * PI * i / n;
        for (int k = -1; k <= 1; k++) {
            double r = 1.0 + 0.3 * k * cos(0.5 * a);
            add_point(&s, wr_v3((float)(r * cos(a)), (float)(0.3 * k * sin(0.5 * a)),
                                (float)(r * sin(a))));
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 2; k++) {
            int a = 3 * i + k, b = i + 1 < n ? a + 3 : 2 - k, c = i + 1 < n ? a + 4 : 1 - k;
            add_quad(&s, a, b, c, a + 1);
        }
    }
    return s;
}

// Somewhere around it a strip of one side has to change it: there, and only there, it is fixed. A
// crease there looks as if it had an inside.
static void a_moebius_strip_is_fixed_where_its_side_changes(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        shape s = moebius_strip(40);
        for (int i = 0; i < 3; i++) {
            s.mesh.positions[i].y += k ? 0.2f : 0.0f;
        }
        wr_layer *l = create_checked(&s.mesh, 0.03);
        assert_int_equal(l->fixed_count, 3);
        assert_true(l->fixed[0] && l->fixed[1] && l->fixed[2]);
        wr_layer_destroy(l);
        shape_destroy(&s);
    }
}

// A doubled sheet has an inside nowhere; what has no triangle has none, either.
static void what_has_no_inside_is_fixed(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 0.0f));
    add_point(&s, wr_v3(7.0f, 7.0f, 7.0f));
    wr_layer *l = create_checked(&s.mesh, 0.1);
    assert_int_equal(l->node_count, 5);
    assert_int_equal(l->fixed_count, 5);
    assert_int_equal(l->dropped_count, 8);
    wr_layer_destroy(l);
    shape_destroy(&s);
}

// --- paint ------------------------------------------------------------------------------------

static void paint_scales_the_thickness_and_steps_become_slopes(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 4.0, 32);
    float *factors = malloc((size_t)s.mesh.vertex_count * sizeof *factors);
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        float y = s.mesh.positions[i].y;
        factors[i] = y < -2.5f ? 0.0f : y < 2.5f ? 1.0f : 0.5f;
    }
    wr_layer_desc d = desc_of(&s.mesh, 0.3);
    d.factors = factors;
    wr_layer *l = create(&d);
    check_layer(l, &d);
    for (int i = 0; i < l->node_count; i++) {
        float y = l->skin[i].y;
        assert_int_equal(l->fixed[i], y < -2.5f);
        if (y > 2.5f || (y > -2.0f && y < 2.1f)) {
            CHECK_NEAR(l->thicknesses[i], y > 2.5f ? 0.15f : 0.3f, y > 2.5f ? 1e-6 : 0.03);
        }
    }
    wr_layer_destroy(l);
    free(factors);
    shape_destroy(&s);
}

static double sum_changes(const wr_layer *l, const float *values)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * l->triangle_count; i++) {
        int a = l->triangles[i], b = l->triangles[i % 3 == 2 ? i - 2 : i + 1];
        sum += fabs((double)values[a] - (double)values[b]);
    }
    return sum;
}

static void rough_paint_becomes_smooth(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.0, 32);
    float *factors = malloc((size_t)s.mesh.vertex_count * sizeof *factors);
    uint64_t seed = 2;
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        factors[i] = random_float(&seed, 0.5f, 1.0f);
    }
    wr_layer_desc d = desc_of(&s.mesh, 0.05);
    d.factors = factors;
    wr_layer *l = create(&d);
    check_layer(l, &d);
    assert_true(sum_changes(l, l->thicknesses) < 0.6 * 0.05 * sum_changes(l, factors));
    wr_layer_destroy(l);
    free(factors);
    shape_destroy(&s);
}

// --- everything else --------------------------------------------------------------------------

// A ball with noise, holes, turned and doubled triangles, and shuffled vertices.
static shape broken_ball(uint64_t *seed)
{
    shape s = round_shape(1.0, 0.0, 4 + (int)(random_bits(seed) % 8));
    float noise = random_float(seed, 0.0f, 1.0f), faults = random_float(seed, -0.1f, 0.1f);
    noise *= noise;
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        wr_vec3 by = wr_v3(random_float(seed, -noise, noise), random_float(seed, -noise, noise),
                           random_float(seed, -noise, noise));
        s.mesh.positions[i] = wr_add(s.mesh.positions[i], by);
    }
    int count = s.mesh.triangle_count;
    for (int t = 0; t < count; t++) {
        int *v = &s.mesh.triangles[3 * t], swap = v[0];
        if (random_float(seed, 0.0f, 1.0f) < faults) {
            v[0] = v[1], v[1] = swap;
        } else if (random_float(seed, 0.0f, 1.0f) < faults) {
            v[2] = (int)(random_bits(seed) % (uint64_t)s.mesh.vertex_count);
        } else if (random_float(seed, 0.0f, 1.0f) < faults) {
            memmove(v, &s.mesh.triangles[3 * (count - 1)], 3 * sizeof *v);
        }
    }
    return s;
}

// Six times the volume of an element, by Sarrus' rule on its edges: what tet_volume does otherwise.
static double determinant_of(const wr_layer *l, const int *tet)
{
    double e[3][3];
    for (int k = 0; k < 4; k++) {
        int n = tet[k];
        const wr_vec3 *x = n < l->node_count ? &l->skin[n] : &l->core[n - l->node_count];
        for (int c = 0; c < 3; c++) {
            double value = (double)(&x->x)[c];
            for (int row = 0; row < 3; row++) {
                e[row][c] = k == 0 ? -value : e[row][c] + (k == row + 1 ? value : 0.0);
            }
        }
    }
    double sum = 0.0;
    for (int c = 0; c < 3; c++) {
        sum += e[0][c] * e[1][(c + 1) % 3] * e[2][(c + 2) % 3];
        sum -= e[0][c] * e[1][(c + 2) % 3] * e[2][(c + 1) % 3];
    }
    return sum;
}

// Of any mesh, however thick its flesh is wished.
static void no_element_is_inverted(void **state)
{
    (void)state;
    uint64_t seed = 12;
    int count = 0;
    for (int i = 0; i < 60; i++) {
        shape s = i % 4 == 0   ? torus(1.0, 0.15 + 0.01 * i, 14)
                  : i % 4 == 1 ? plate(1.0f, 0.003f * (float)(i + 1), 6)
                               : broken_ball(&seed);
        stretch(&s, 1.0f, 0.3f + 0.05f * (float)i, 1.7f);
        wr_layer_desc d = desc_of(&s.mesh, 0.005 * (i + 1) * (i + 1));
        wr_layer *l = create(&d);
        for (int t = 0; t < l->triangle_count; t++) {
            int tets[3][4], found = wr_layer_split(l, t, tets);
            for (int k = 0; k < found; k++) {
                assert_true(determinant_of(l, tets[k]) > 0.0);
            }
            count += found;
        }
        wr_layer_destroy(l);
        shape_destroy(&s);
    }
    printf("    of %d elements none\n", count);
    assert_true(count > 10000);
}

static void any_mesh_gets_sound_tetrahedra(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int nodes = 0, fixed = 0;
    for (int i = 0; i < 1000; i++) {
        shape s = broken_ball(&seed);
        float *factors = malloc((size_t)s.mesh.vertex_count * sizeof *factors);
        for (int k = 0; k < s.mesh.vertex_count; k++) {
            factors[k] = random_float(&seed, 0.0f, 2.0f);
        }
        wr_layer_desc d = desc_of(&s.mesh, i % 3 ? (double)random_float(&seed, 0.01f, 2.0f) : 0.0);
        d.factors = i % 2 ? factors : NULL;
        wr_layer *l = create(&d);
        check_layer(l, &d);
        nodes += l->node_count;
        fixed += l->fixed_count;
        wr_layer_destroy(l);
        free(factors);
        shape_destroy(&s);
    }
    printf("of %d nodes of noisy meshes %.1f %% are fixed\n", nodes, 100.0 * fixed / nodes);
    assert_true(fixed < nodes / 2);
}

// Powers of two change no bit but the exponents'.
static void size_does_not_matter(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.5, 12), big = round_shape(1.0, 0.5, 12);
    uint64_t seed = 5;
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        s.mesh.positions[i] = wr_scale(random_float(&seed, 0.8f, 1.2f), s.mesh.positions[i]);
    }
    wr_layer *l = create_checked(&s.mesh, 0.0);
    const float scales[] = {0x1p+110f, 0x1p+10f, 0x1p-100f};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < s.mesh.vertex_count; i++) {
            big.mesh.positions[i] = wr_scale(scales[k], s.mesh.positions[i]);
        }
        wr_layer *m = create_checked(&big.mesh, 0.0);
        assert_int_equal(l->thinned_count, m->thinned_count);
        for (int i = 0; i < l->node_count; i++) {
            assert_true(same_place(wr_scale(scales[k], l->core[i]), m->core[i]));
        }
        wr_layer_destroy(m);
    }
    wr_layer_destroy(l);
    shape_destroy(&s);
    shape_destroy(&big);
}

// Far from the origin floats are coarse: tetrahedra are sound where the rounding puts them.
static void a_place_far_away_leaves_sound_tetrahedra(void **state)
{
    (void)state;
    const float places[] = {1e3f, 1e5f, 3e6f};
    for (int k = 0; k < 3; k++) {
        shape s = round_shape(1.0, 0.0, 16);
        for (int i = 0; i < s.mesh.vertex_count; i++) {
            s.mesh.positions[i] =
                wr_add(s.mesh.positions[i], wr_v3(places[k], -places[k], 0.3f * places[k]));
        }
        wr_layer *l = create_checked(&s.mesh, 0.2);
        assert_true(k > 0 || l->fixed_count == 0);
        wr_layer_destroy(l);
        shape_destroy(&s);
    }
}

static void check_same(const wr_layer *a, const wr_layer *b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->thinned_count, b->thinned_count);
    size_t n = (size_t)a->node_count;
    assert_memory_equal(a->core, b->core, n * sizeof *a->core);
    assert_memory_equal(a->fixed, b->fixed, n * sizeof *a->fixed);
    assert_memory_equal(a->thicknesses, b->thicknesses, n * sizeof *a->thicknesses);
    assert_memory_equal(a->triangles, b->triangles,
                        3 * (size_t)a->triangle_count * sizeof *a->triangles);
}

static void threads_and_order_of_blocks_do_not_matter(void **state)
{
    (void)state;
    shape s = torus(1.0, 0.3, 40);
    uint64_t seed = 3;
    for (int i = 0; i < s.mesh.vertex_count; i++) {
        s.mesh.positions[i].y += random_float(&seed, -0.03f, 0.03f);
    }
    wr_layer_desc d = desc_of(&s.mesh, 0.0);
    wr_layer *one = create(&d);
    assert_true(one->thinned_count > one->node_count / 10);
    for (int i = 0; i < 3; i++) {
        wri_test_block_shuffle = i < 2 ? 0 : 5;
        d.tasks = wr_tasks_openmp(i == 0 ? 1 : 2);
        wr_layer *other = create(&d);
        wri_test_block_shuffle = 0;
        check_same(one, other);
        wr_layer_destroy(other);
    }
    wr_layer_destroy(one);
    shape_destroy(&s);
}

// --- errors -----------------------------------------------------------------------------------

static void check_error(const wr_layer_desc *desc, wr_code code, const char *message)
{
    wr_error error = {0};
    assert_null(wr_layer_create(desc, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(error.code, code);
}

static void bad_input_is_named(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(1.0f, 1.0f, 1.0f));
    wr_layer_desc d = desc_of(&s.mesh, -1.0);
    check_error(&d, WR_E_ARGUMENT, "thickness: -1 m, expected a positive number, or 0");
    d.thickness = NAN;
    check_error(&d, WR_E_ARGUMENT, "thickness: nan m, expected a positive number, or 0");
    d.thickness = INFINITY;
    check_error(&d, WR_E_ARGUMENT, "thickness: inf m, expected a positive number, or 0");
    d.thickness = 1e308; // is as good as any
    wr_layer *l = create(&d);
    check_layer(l, &d);
    wr_layer_destroy(l);
    d.thickness = 0.0;
    s.mesh.positions[5].y = NAN;
    check_error(&d, WR_E_ARGUMENT, "positions[5]: not finite");
    s.mesh.positions[5].y = 0.0f;
    s.mesh.triangles[4] = 99;
    check_error(&d, WR_E_ARGUMENT, "triangles[1]: vertex 99 of 8");
    s.mesh.triangles[4] = -1;
    check_error(&d, WR_E_ARGUMENT, "triangles[1]: vertex -1 of 8");
    s.mesh.triangles[4] = 0;
    const float factors[8] = {1, 1, 1, -1, 1, 1, 1, 1};
    d.factors = factors;
    check_error(&d, WR_E_ARGUMENT, "factors[3]: -1, expected a number in [0, 1000]");
    d.factors = NULL;
    d.triangle_count = 0;
    check_error(&d, WR_E_ARGUMENT,
                "the model of 0 triangles has no surface: no triangle has an area");
    d.vertex_count = 0;
    check_error(&d, WR_E_ARGUMENT,
                "the model of 0 triangles has no surface: no triangle has an area");
    d.positions = NULL;
    d.vertex_count = 8;
    check_error(&d, WR_E_ARGUMENT, "desc->positions is NULL, but desc->vertex_count is 8");
    d.cookie = 0;
    check_error(&d, WR_E_ARGUMENT, "desc->cookie is not set: start from wr_layer_desc_default()");
    shape_destroy(&s);
}

static void a_model_without_area_is_refused(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(1.0f, 1.0f, 1.0f), wr_v3(1.0f, 1.0f, 2.0f)); // a line
    wr_layer_desc d = desc_of(&s.mesh, 0.1);
    check_error(&d, WR_E_ARGUMENT,
                "the model of 12 triangles has no surface: no triangle has an area");
    d.triangle_count = 1;
    check_error(&d, WR_E_ARGUMENT,
                "the model of 1 triangle has no surface: no triangle has an area");
    shape_destroy(&s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    shape s = round_shape(1.0, 0.0, 5);
    add_box(&s, wr_v3(0.5f, 0.0f, 0.0f), wr_v3(2.0f, 1.0f, 0.1f));
    for (int budget = 0;; budget++) {
        counting_heap heap = {.budget = budget};
        wr_layer_desc d = desc_of(&s.mesh, 0.0);
        d.allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_layer *l = wr_layer_create(&d, &error);
        bool done = l != NULL;
        assert_int_equal(error.code, done ? WR_OK : WR_E_MEMORY);
        wr_layer_destroy(l);
        assert_int_equal(heap.alive, 0);
        if (done) {
            assert_true(budget > 5);
            break;
        }
    }
    shape_destroy(&s);
}

// --- models of others -------------------------------------------------------------------------

// Processor time: the machine may be busy with other things.
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_layer(const char *name, const wr_layer *l, double time)
{
    double sum = 0.0, n = l->node_count;
    for (int i = 0; i < l->node_count; i++) {
        sum += (double)l->thicknesses[i];
    }
    printf("%-28s %6d nodes, h %.3g m, mean %3.0f %%; %.1f %% fixed, %.1f %% thinned, "
           "%d dropped, %d turned; %.1f ms\n",
           name, l->node_count, l->thickness, 100.0 * sum / n / l->thickness,
           100.0 * l->fixed_count / n, 100.0 * l->thinned_count / n, l->dropped_count,
           l->turned_count, 1e3 * time);
}

static void a_fine_skin_takes_little_time(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        shape s = round_shape(1.0, 0.0, 142);
        uint64_t seed = 1;
        for (int i = 0; k == 1 && i < s.mesh.vertex_count; i++) { // bumps of a part of an edge
            s.mesh.positions[i] =
                wr_scale(random_float(&seed, 0.998f, 1.002f), s.mesh.positions[i]);
        }
        wr_layer_desc d = desc_of(&s.mesh, 0.0);
        double begin = seconds();
        wr_layer *l = create(&d);
        print_layer(k ? "ball with bumps" : "ball", l, seconds() - begin);
        check_layer(l, &d);
        assert_true(l->node_count > 40000);
        wr_layer_destroy(l);
        shape_destroy(&s);
    }
}

static void try_model(const char *path)
{
    wr_error error = {0};
    wr_model *m = wr_model_read(path, NULL, &error);
    for (int k = 0; m && k < m->mesh_count && k < 8; k++) {
        wr_layer_desc d = desc_of(&m->meshes[k], 0.0);
        double begin = seconds();
        wr_layer *l = create(&d);
        print_layer(strrchr(path, '/') + 1, l, seconds() - begin);
        check_layer(l, &d);
        wr_layer_destroy(l);
    }
    wr_model_destroy(m);
}

static void models_of_others_get_a_sound_layer(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ebpd/barrel/mesh.obj",
        "libigl/arm.obj",
        "libigl/bunny.off",
        "libigl/cow.off",
        "libigl/decimated-knight.off",
        "libigl/hand.mesh",
        "libigl/octopus-low.mesh",
        "libigl/truck.obj",
        "khronos/AnimatedMorphCube.glb",
        "khronos/CesiumMilkTruck.glb",
        "khronos/ClearCoatCarPaint.glb",
        "khronos/CompareRoughness.glb",
        "khronos/Fox.glb",
        "khronos/GlamVelvetSofa.glb",
        "khronos/GlassVaseFlowers.glb",
        "khronos/IridescenceLamp.glb",
        "khronos/MetalRoughSpheresNoTextures.glb",
        "khronos/MorphPrimitivesTest.glb",
        "khronos/MorphStressTest.glb",
        "khronos/NegativeScaleTest.glb",
        "khronos/RecursiveSkeletons.glb",
        "khronos/RiggedFigure.glb",
        "khronos/RiggedSimple.glb",
        "khronos/SheenChair.glb",
        "khronos/SunglassesKhronos.glb",
    };
    const char *folder = getenv("WROUGHT_DATA");
    int found = 0;
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data", names[i]);
        if (access(path, R_OK) == 0) {
            try_model(path);
            found++;
        }
    }
    if (found == 0) {
        printf("skipped: there are no models of others\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_core_of_a_ball_is_a_ball),
        cmocka_unit_test(the_default_thickness_is_half_of_the_radius),
        cmocka_unit_test(an_egg_has_the_wished_thickness_everywhere),
        cmocka_unit_test(the_core_of_a_ring_is_a_ring),
        cmocka_unit_test(the_two_sides_of_a_plate_do_not_meet),
        cmocka_unit_test(the_core_is_at_most_0_45_of_the_way_through),
        cmocka_unit_test(tips_of_cones_have_flesh),
        cmocka_unit_test(sharp_edges_have_flesh),
        cmocka_unit_test(a_cube_with_hard_edges_has_eight_nodes),
        cmocka_unit_test(shells_are_turned_to_face_outwards),
        cmocka_unit_test(a_cavity_has_its_own_flesh),
        cmocka_unit_test(shells_that_overlap_are_one_body),
        cmocka_unit_test(a_sheet_keeps_the_wished_thickness),
        cmocka_unit_test(two_sheets_share_what_is_between_their_backs),
        cmocka_unit_test(triangles_without_area_are_dropped),
        cmocka_unit_test(edges_of_three_triangles_are_fixed),
        cmocka_unit_test(nodes_of_several_fans_are_fixed),
        cmocka_unit_test(a_moebius_strip_is_fixed_where_its_side_changes),
        cmocka_unit_test(what_has_no_inside_is_fixed),
        cmocka_unit_test(paint_scales_the_thickness_and_steps_become_slopes),
        cmocka_unit_test(rough_paint_becomes_smooth),
        cmocka_unit_test(any_mesh_gets_sound_tetrahedra),
        cmocka_unit_test(no_element_is_inverted),
        cmocka_unit_test(size_does_not_matter),
        cmocka_unit_test(a_place_far_away_leaves_sound_tetrahedra),
        cmocka_unit_test(threads_and_order_of_blocks_do_not_matter),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(a_model_without_area_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_fine_skin_takes_little_time),
        cmocka_unit_test(models_of_others_get_a_sound_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
