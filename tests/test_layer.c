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

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Six times the volume that abcd has when abc is seen from d counterclockwise... see check_prism.
static double sixfold(wr_vec3 o, wr_vec3 p, wr_vec3 q, wr_vec3 r)
{
    double a[3], b[3], c[3];
    subtract(p, o, a);
    subtract(q, o, b);
    subtract(r, o, c);
    return determinant(a, b, c);
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

// The three tetrahedra by the smallest number, written down once more; signs are those of a
// triangle whose order is that of the numbers. Returns the volume.
static double check_prism(const wr_layer *l, int t)
{
    const int *v = &l->triangles[3 * t];
    int a = v[0] < v[1] ? (v[0] < v[2] ? v[0] : v[2]) : (v[1] < v[2] ? v[1] : v[2]);
    int c = v[0] > v[1] ? (v[0] > v[2] ? v[0] : v[2]) : (v[1] > v[2] ? v[1] : v[2]);
    int b = v[0] + v[1] + v[2] - a - c;
    int at = v[0] == a ? 0 : v[1] == a ? 1 : 2;
    double side = v[(at + 1) % 3] == b ? 1.0 : -1.0, sum = 0.0;
    const wr_vec3 *s = l->skin, *k = l->core;
    const double volumes[3] = {-side * sixfold(s[a], s[b], s[c], k[c]) / 6.0,
                               side * sixfold(s[a], s[b], k[b], k[c]) / 6.0,
                               -side * sixfold(s[a], k[a], k[b], k[c]) / 6.0};
    const int twice[3] = {c, b, a};
    double h = 0.0;
    for (int i = 0; i < 3; i++) {
        h += (double)wr_distance(s[v[i]], k[v[i]]) / 3.0;
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
        double v = sixfold(p[0], p[1], p[2], p[3]) / 6.0;
        assert_true(v > 0.0);
        sum += v;
    }
    return sum;
}

// Checks all that holds for every layer; returns the volume of the flesh.
static double check_layer(const wr_layer *l, const wr_layer_desc *d)
{
    int fixed = 0;
    double sum = 0.0;
    for (int i = 0; i < l->node_count; i++) {
        assert_int_equal(l->node_of[l->vertex_of[i]], i);
        assert_true(same_place(l->skin[i], d->positions[l->vertex_of[i]]));
        assert_int_equal(l->fixed[i], same_place(l->skin[i], l->core[i]));
        CHECK_NEAR(wr_distance(l->skin[i], l->core[i]), l->thicknesses[i],
                   1e-6 * (double)(wr_length(l->skin[i]) + l->thicknesses[i]));
        fixed += l->fixed[i];
    }
    assert_int_equal(fixed, l->fixed_count);
    assert_int_equal(l->triangle_count + l->dropped_count, d->triangle_count);
    for (int t = 0; t < l->triangle_count; t++) {
        double volume = check_prism(l, t);
        CHECK_NEAR(check_split(l, t), volume, 1e-9 * volume);
        sum += volume;
        for (int k = 0; k < 3; k++) {
            int n = l->node_of[d->triangles[3 * l->triangle_of[t] + k]];
            const int *v = &l->triangles[3 * t];
            assert_true(n == v[0] || n == v[1] || n == v[2]);
        }
    }
    return sum;
}

// --- smooth bodies ----------------------------------------------------------------------------

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
        CHECK_NEAR(wr_length(l->core[i]), 0.7, 2e-3);
    }
    CHECK_NEAR(sum, volume(&s.mesh) * (1.0 - 0.343), 5e-3);
    wr_layer_destroy(l);
    d.thickness = 0.0;
    l = create(&d);
    check_layer(l, &d);
    CHECK_NEAR(l->thickness, 0.5, 5e-3);
    wr_layer_destroy(l);
    shape_destroy(&s);
}

// --- models of others -------------------------------------------------------------------------

static void try_model(const char *path)
{
    wr_model *m = wr_model_read(path, NULL, NULL);
    for (int k = 0; m && k < m->mesh_count; k++) {
        const wr_mesh *mesh = &m->meshes[k];
        wr_layer_desc d = desc_of(mesh, 0.0);
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        wr_layer *l = wr_layer_create(&d, NULL);
        clock_gettime(CLOCK_MONOTONIC, &b);
        if (l) {
            check_layer(l, &d);
            double h = 0.0;
            for (int i = 0; i < l->node_count; i++) {
                h += (double)l->thicknesses[i] / l->node_count;
            }
            printf("%-28.28s %6d vertices %6d nodes, h %.3g m, mean %2.0f %%, fixed %4.1f %%, "
                   "thinned %4.1f %%, dropped %d, turned %d, %.1f ms\n",
                   strrchr(path, '/') + 1, mesh->vertex_count, l->node_count, l->thickness,
                   100.0 * h / l->thickness, 100.0 * l->fixed_count / l->node_count,
                   100.0 * l->thinned_count / l->node_count, l->dropped_count, l->turned_count,
                   1e3 * (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_nsec - a.tv_nsec));
        } else {
            printf("%s: refused\n", path);
        }
        wr_layer_destroy(l);
    }
    wr_model_destroy(m);
}

static void models_of_others_get_a_sound_layer(void **state)
{
    (void)state;
    static const char *const names[] = {"ebpd/barrel/mesh.obj",
                                        "libigl/arm.obj",
                                        "libigl/bunny.off",
                                        "libigl/cow.off",
                                        "libigl/decimated-knight.off",
                                        "libigl/hand.mesh",
                                        "libigl/octopus-low.mesh",
                                        "libigl/truck.obj",
                                        "khronos/Fox.glb",
                                        "khronos/CesiumMilkTruck.glb",
                                        "khronos/RiggedFigure.glb",
                                        "khronos/RiggedSimple.glb",
                                        "khronos/GlamVelvetSofa.glb",
                                        "khronos/SheenChair.glb",
                                        "khronos/SunglassesKhronos.glb",
                                        "khronos/GlassVaseFlowers.glb",
                                        "khronos/IridescenceLamp.glb"};
    const char *folder = getenv("WROUGHT_DATA");
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data", names[i]);
        if (access(path, R_OK) == 0)
            try_model(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_core_of_a_ball_is_a_ball),
        cmocka_unit_test(models_of_others_get_a_sound_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
