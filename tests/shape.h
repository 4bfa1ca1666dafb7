// shape.h: small meshes with known properties, and checks of surfaces, for the geometry tests.
#pragma once

#include "check.h"

#include "wrought/geometry.h"

static const double PI = 3.14159265358979323846;

// --- meshes to test with ----------------------------------------------------------------------

typedef struct shape {
    wri_array positions, triangles;
    wr_mesh mesh;
} shape;

static inline shape shape_create(void)
{
    return (shape){wri_array_create(NULL, sizeof(wr_vec3)), wri_array_create(NULL, 3 * sizeof(int)),
                   .mesh = {.name = "shape"}};
}

static inline void shape_destroy(shape *s)
{
    wri_array_destroy(&s->positions);
    wri_array_destroy(&s->triangles);
}

static inline int add_point(shape *s, wr_vec3 p)
{
    *(wr_vec3 *)wri_array_add(&s->positions, 1) = p;
    s->mesh.positions = s->positions.items;
    return s->mesh.vertex_count++;
}

static inline void add_triangle(shape *s, int a, int b, int c)
{
    int *t = wri_array_add(&s->triangles, 1);
    t[0] = a, t[1] = b, t[2] = c;
    s->mesh.triangles = s->triangles.items;
    s->mesh.triangle_count++;
}

static inline void add_quad(shape *s, int a, int b, int c, int d)
{
    add_triangle(s, a, b, c);
    add_triangle(s, a, c, d);
}

// Eight shared corners; the last quad is the lid at max.z.
static inline void add_box(shape *s, wr_vec3 min, wr_vec3 max)
{
    int v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = add_point(
            s, wr_v3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
    }
    add_quad(s, v[0], v[2], v[3], v[1]);
    add_quad(s, v[0], v[1], v[5], v[4]);
    add_quad(s, v[2], v[6], v[7], v[3]);
    add_quad(s, v[0], v[4], v[6], v[2]);
    add_quad(s, v[1], v[3], v[7], v[5]);
    add_quad(s, v[4], v[5], v[7], v[6]);
}

// Turns a profile (radius, height), from the lower to the upper pole, around Y in n steps.
static inline shape lathe(const double (*profile)[2], int count, int n)
{
    shape s = shape_create();
    int south = add_point(&s, wr_v3(0, (float)profile[0][1], 0));
    int north = add_point(&s, wr_v3(0, (float)profile[count - 1][1], 0));
    for (int row = 1; row < count - 1; row++) {
        for (int i = 0; i < n; i++) {
            double angle = 2.0 * PI * i / n, r = profile[row][0];
            add_point(&s, wr_v3((float)(r * sin(angle)), (float)profile[row][1],
                                (float)(r * cos(angle))));
        }
    }
    for (int i = 0; i < n; i++) {
        int j = (i + 1) % n, last = 2 + (count - 3) * n;
        add_triangle(&s, south, 2 + j, 2 + i);
        for (int row = 0; row < count - 3; row++) {
            int low = 2 + row * n, high = low + n;
            add_quad(&s, low + i, low + j, high + j, high + i);
        }
        add_triangle(&s, last + i, last + j, north);
    }
    return s;
}

// A ball cut at the equator, its halves `length` apart; length 0 is a ball.
static inline shape round_shape(double radius, double length, int n)
{
    enum { MOST = 260 };
    double profile[MOST][2];
    int count = 0;
    for (int i = 0; i <= n; i++) {
        double angle = PI * (i - n / 2) / n;
        profile[count][0] = radius * cos(angle);
        profile[count++][1] = radius * sin(angle) + (i <= n / 2 ? -0.5 : 0.5) * length;
        if (i == n / 2 && length > 0.0) {
            profile[count][0] = radius;
            profile[count++][1] = 0.5 * length;
        }
    }
    return lathe((const double(*)[2])profile, count, 2 * n);
}

static inline shape prism(double radius, double height, int n)
{
    const double profile[][2] = {
        {0.0, -0.5 * height}, {radius, -0.5 * height}, {radius, 0.5 * height}, {0.0, 0.5 * height}};
    return lathe(profile, 4, n);
}

// --- checks -----------------------------------------------------------------------------------

static inline wr_mass_properties find_mass(const wr_mesh *mesh, double density)
{
    wr_mass_properties mass = {0};
    wr_error error = {0};
    if (!wr_mesh_find_mass(mesh, density, &mass, &error)) {
        fail_msg("%s", error.message);
    }
    return mass;
}

static inline void check_mass(wr_mass_properties a, wr_mass_properties b, double relative)
{
    double size = sqrt((b.inertia[0][0] + b.inertia[1][1] + b.inertia[2][2]) / b.mass);
    CHECK_NEAR(a.mass, b.mass, relative * b.mass);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(a.center[i], b.center[i], relative * (size + fabs(b.center[i])));
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(a.inertia[i][j], b.inertia[i][j], relative * b.mass * size * size);
        }
    }
}

static inline double volume(const wr_mesh *mesh)
{
    return find_mass(mesh, 1.0).mass;
}

static inline bool same_place(wr_vec3 a, wr_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Every edge is used once in each direction; vertices at the same place are one. Returns
// V - E + F, which is 2 for a surface like a ball.
static inline int check_closed(const wr_mesh *mesh)
{
    size_t n = (size_t)mesh->vertex_count;
    int *first = malloc(n * sizeof *first);
    bool *used = calloc(n, 1);
    uint8_t *edges = calloc(n * n, 1);
    for (int i = 0; i < mesh->vertex_count; i++) {
        first[i] = 0;
        while (!same_place(mesh->positions[first[i]], mesh->positions[i])) {
            first[i]++;
        }
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            int a = first[mesh->triangles[3 * i + k]];
            int b = first[mesh->triangles[3 * i + (k + 1) % 3]];
            assert_int_not_equal(a, b); // no triangle is a line
            edges[(size_t)a * n + (size_t)b]++;
            used[a] = true;
        }
    }
    int vertices = 0, edge_count = 0;
    for (size_t a = 0; a < n; a++) {
        vertices += used[a];
        for (size_t b = 0; b < n; b++) {
            assert_true(edges[a * n + b] <= 1);
            assert_int_equal(edges[a * n + b], edges[b * n + a]);
            edge_count += edges[a * n + b];
        }
    }
    free(first);
    free(used);
    free(edges);
    return vertices - edge_count / 2 + mesh->triangle_count;
}

static inline wr_vec3 triangle_area(const wr_mesh *mesh, int i)
{
    const int *t = &mesh->triangles[3 * i];
    wr_vec3 a = mesh->positions[t[0]];
    return wr_scale(0.5f,
                    wr_cross(wr_sub(mesh->positions[t[1]], a), wr_sub(mesh->positions[t[2]], a)));
}
