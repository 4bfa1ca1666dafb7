// test_same_shape.c: the same shape gives the same axes, lattice, handles and convex pieces,
// however it is turned, mirrored, numbered and divided into objects.
#include "rigs.h"
#include "shape.h"
#include "variant.h"

#include "../src/author/own_frame.h"
#include "../src/geometry/shape_frame.h"
#include "wrought/metal.h"

enum { VERTICES = 500, HANDLES = 7, MOST_POINTS = 4096 };

// --- a shape without any symmetry -------------------------------------------------------------

// A ball of n by 2 n patches, moved, stretched and bent.
static void add_lump(shape *s, wr_vec3 center, wr_vec3 size, float bend, int n)
{
    int first = s->mesh.vertex_count;
    for (int i = 0; i <= n; i++) {
        for (int k = 0; k < 2 * n; k++) {
            float a = WR_PI * (float)i / (float)n, b = WR_PI * (float)k / (float)n;
            wr_vec3 p = wr_v3(size.x * sinf(a) * cosf(b), size.y * cosf(a),
                              size.z * sinf(a) * sinf(b) * (1.0f + 0.4f * cosf(b)));
            p.x += bend * (p.y * p.y - 0.3f * p.z * p.y);
            p.z += bend * (0.4f * p.x + p.y) * (p.x - 0.2f * p.y);
            add_point(s, wr_add(center, p));
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 2 * n; k++) {
            int a = first + 2 * n * i + k, b = first + 2 * n * i + (k + 1) % (2 * n);
            add_quad(s, a, b, b + 2 * n, a + 2 * n);
        }
    }
}

// Several parts, one of which crosses another.
static shape make_statue(void)
{
    shape s = shape_create();
    add_lump(&s, wr_v3(0.1f, 0.0f, -0.2f), wr_v3(0.35f, 0.6f, 0.25f), 0.5f, 12);
    add_lump(&s, wr_v3(0.35f, 0.75f, -0.15f), wr_v3(0.2f, 0.16f, 0.18f), 0.8f, 8);
    add_lump(&s, wr_v3(-0.55f, 0.1f, 0.1f), wr_v3(0.14f, 0.3f, 0.1f), -0.9f, 8);
    add_lump(&s, wr_v3(0.5f, -0.6f, 0.3f), wr_v3(0.2f, 0.1f, 0.3f), 1.2f, 7);
    return s;
}

static const char *const names[] = {"renumbered", "split", "mirrored", "turned", "turned image"};

static variant make_variant(int kind)
{
    double m[3][3];
    variant_turn(0.3, -0.7, 0.5, 67.0, m);
    for (int i = 0; i < 3; i++) {
        m[i][0] *= kind == 4 ? -1.0 : 1.0;
    }
    variant v = variant_of(kind < 2    ? VARIANT_IDENTITY
                           : kind == 2 ? VARIANT_MIRROR
                                       : (const double(*)[3])m,
                           1.0);
    v.shuffle = kind == 0 || kind == 4 ? 99 : 0;
    v.split = kind == 1 || kind == 4;
    return v;
}

static wr_model *make_model(const variant *v, const wr_mesh *mesh)
{
    wr_error error = {0};
    int *source = make_room(2 * mesh->vertex_count, sizeof *source);
    wr_model *made = variant_create(v, mesh, source), *flat = wr_model_flatten(made, &error);
    assert_non_null(flat);
    wr_model_destroy(made);
    free(source);
    return flat;
}

// --- axes -------------------------------------------------------------------------------------

static void the_frame_of_a_shape_goes_with_it(void **state)
{
    (void)state;
    shape s = make_statue();
    double axes[3][3], found[3][3];
    wri_shape_frame(s.mesh.positions, s.mesh.triangles, s.mesh.triangle_count, axes);
    for (int kind = 0; kind < WRI_COUNT(names); kind++) {
        variant v = make_variant(kind);
        wr_model *model = make_model(&v, &s.mesh);
        const wr_mesh *mesh = model->meshes;
        wri_shape_frame(mesh->positions, mesh->triangles, mesh->triangle_count, found);
        for (int i = 0; i < 9; i++) {
            double expected = 0.0;
            for (int k = 0; k < 3; k++) {
                expected += v.map[i % 3][k] * axes[i / 3][k];
            }
            CHECK_NEAR(found[i / 3][i % 3], expected, 1e-5);
        }
        wr_model_destroy(model);
    }
    shape_destroy(&s);
}

// Its sides tell, not its moments of inertia: a handle on a side would tilt those.
static void a_box_with_a_knob_has_the_axes_of_the_box(void **state)
{
    (void)state;
    shape s = shape_create();
    double axes[3][3];
    add_box(&s, wr_v3(-1, -2, -0.5f), wr_v3(1, 2, 0.5f));
    add_box(&s, wr_v3(0.6f, 1.5f, 0.5f), wr_v3(0.9f, 1.9f, 0.7f));
    wri_shape_frame(s.mesh.positions, s.mesh.triangles, s.mesh.triangle_count, axes);
    static const int along[3] = {1, 0, 2}; // by length
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(axes[i][along[i]]) == 1.0);
    }
    shape_destroy(&s);
}

static double volume_of(const wr_mesh *mesh)
{
    double volume = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * i];
        const wr_vec3 *p = mesh->positions;
        volume += (double)wr_dot(p[t[0]], wr_cross(p[t[1]], p[t[2]])) / 6.0;
    }
    return volume;
}

// Its own frame may be a mirror's: the triangles still face outwards there.
static void a_shape_in_its_own_frame_is_not_inside_out(void **state)
{
    (void)state;
    shape s = make_statue();
    int mirrored = 0;
    for (int kind = 0; kind < WRI_COUNT(names); kind++) {
        variant v = make_variant(kind);
        wr_model *model = make_model(&v, &s.mesh);
        wri_arena arena = wri_arena_create(NULL);
        wri_own_frame own;
        assert_true(wri_own_frame_create(&own, model->meshes, &arena));
        mirrored += own.is_mirrored;
        CHECK_NEAR(volume_of(&own.mesh), volume_of(&s.mesh), 1e-4 * fabs(volume_of(&s.mesh)));
        wri_arena_destroy(&arena);
        wr_model_destroy(model);
    }
    assert_true(mirrored > 0 && mirrored < WRI_COUNT(names));
    shape_destroy(&s);
}

// --- lattices and handles ---------------------------------------------------------------------

static wr_lattice *fill(const wr_mesh *mesh)
{
    wr_error error = {0};
    wr_lattice_desc desc = wr_lattice_desc_default();
    desc.mesh = mesh;
    desc.vertices = VERTICES;
    wr_lattice *l = wr_lattice_create(&desc, &error);
    assert_non_null(l);
    return l;
}

static double element_volume(const wr_lattice *l, int element)
{
    const int *v = &l->elements[4 * (size_t)element];
    wr_vec3 a = l->rest[v[0]];
    return (double)wr_dot(wr_cross(wr_sub(l->rest[v[1]], a), wr_sub(l->rest[v[2]], a)),
                          wr_sub(l->rest[v[3]], a));
}

static void the_same_shape_has_the_same_lattice(void **state)
{
    (void)state;
    shape s = make_statue();
    wr_lattice *l = fill(&s.mesh);
    for (int kind = 0; kind < WRI_COUNT(names); kind++) {
        variant v = make_variant(kind);
        wr_model *model = make_model(&v, &s.mesh);
        wr_lattice *other = fill(model->meshes);
        print_message("%s: %d vertices\n", names[kind], other->vertex_count);
        assert_int_equal(other->vertex_count, l->vertex_count);
        assert_int_equal(other->element_count, l->element_count);
        for (int i = 0; i < l->vertex_count; i++) {
            wr_vec3 p = variant_unmap(&v, other->rest[i]);
            assert_true(wr_distance(p, l->rest[i]) <= (kind < 2 ? 0.0f : 1e-4f));
        }
        for (int i = 0; i < l->element_count; i++) {
            assert_true(element_volume(other, i) > 0.0);
        }
        wr_lattice_destroy(other);
        wr_model_destroy(model);
    }
    wr_lattice_destroy(l);
    shape_destroy(&s);
}

static void the_same_shape_has_the_same_handles(void **state)
{
    (void)state;
    shape s = make_statue();
    variant own = variant_of(VARIANT_IDENTITY, 1.0);
    small_rig r = small_rig_create(make_model(&own, &s.mesh), VERTICES, HANDLES);
    for (int kind = 0; kind < WRI_COUNT(names); kind++) {
        variant v = make_variant(kind);
        small_rig other = small_rig_create(make_model(&v, &s.mesh), VERTICES, HANDLES);
        for (int i = 0; i < HANDLES; i++) {
            wr_vec3 p = variant_unmap(&v, other.rig.handles[i].pivot);
            CHECK_NEAR(wr_distance(p, r.rig.handles[i].pivot), 0.0, 1e-4);
        }
        small_rig_destroy(&other);
    }
    small_rig_destroy(&r);
    shape_destroy(&s);
}

// --- pieces -----------------------------------------------------------------------------------

typedef struct piece_list {
    int piece_count, begin[65];
    wr_vec3 points[MOST_POINTS];
    float size;
} piece_list;

// Of the shape at rest and bent, both of which the pieces have to be true to.
static void find_pieces(const variant *v, const wr_mesh *mesh, piece_list *out)
{
    wr_error error = {0};
    small_rig r = small_rig_create(make_model(v, mesh), VERTICES, HANDLES);
    made_example rest = made_example_create(&r.rig), bent = made_example_create(&r.rig);
    for (int b = 0; b < HANDLES; b++) {
        wr_vec3 p = variant_unmap(v, r.rig.handles[b].pivot);
        wr_vec3 offset = wr_scale(-0.4f, wr_v3(p.x, 0.5f * p.y + 0.3f * p.x, p.z * p.z));
        bent.poses[b].offset = variant_map(v, offset);
    }
    wr_example both[2] = {{"rest", rest.poses, NULL, NULL}, {"bent", bent.poses, NULL, NULL}};
    r.rig.examples = both;
    r.rig.example_count = 2;
    wr_metal_asset_desc asset_desc = wr_metal_asset_desc_default();
    asset_desc.rig = &r.rig;
    wr_metal_asset *asset = wr_metal_asset_create(&asset_desc, &error);
    wr_metal_desc desc = wr_metal_desc_default();
    desc.asset = asset;
    wr_metal *body = asset ? wr_metal_create(&desc, &error) : NULL;
    assert_non_null(body);
    wr_metal_asset_info info = wr_metal_asset_describe(asset);
    *out = (piece_list){.piece_count = info.piece_count, .size = info.size};
    assert_true(info.piece_points <= MOST_POINTS);
    for (int i = 0; i < info.piece_count; i++) {
        int count;
        const wr_vec3 *points = wr_metal_piece_points(body, i, &count);
        for (int k = 0; k < count; k++) {
            out->points[out->begin[i] + k] = variant_unmap(v, points[k]);
        }
        out->begin[i + 1] = out->begin[i] + count;
    }
    wr_metal_destroy(body);
    wr_metal_asset_destroy(asset);
    made_example_destroy(&rest);
    made_example_destroy(&bent);
    small_rig_destroy(&r);
}

// How far the points reach in a direction.
static double reach_of(const piece_list *p, int piece, wr_vec3 direction)
{
    double most = -INFINITY;
    for (int i = p->begin[piece]; i < p->begin[piece + 1]; i++) {
        most = fmax(most, (double)wr_dot(direction, p->points[i]));
    }
    return most;
}

// A point that adds less than a hundredth of the size to a hull may be left out here and stay
// there.
static void check_pieces(const wr_mesh *mesh)
{
    static piece_list own, other;
    variant original = variant_of(VARIANT_IDENTITY, 1.0);
    find_pieces(&original, mesh, &own);
    for (int kind = 0; kind < WRI_COUNT(names); kind++) {
        variant v = make_variant(kind);
        find_pieces(&v, mesh, &other);
        print_message("%s: %d pieces, %d points\n", names[kind], other.piece_count,
                      other.begin[other.piece_count]);
        CHECK_NEAR(other.size, own.size, 1e-5 * (double)own.size);
        assert_int_equal(other.piece_count, own.piece_count);
        uint64_t seed = 5;
        for (int i = 0; i < own.piece_count; i++) {
            for (int k = 0; k < 50; k++) {
                wr_vec3 d =
                    wr_normalize(wr_v3(random_float(&seed, -1, 1), random_float(&seed, -1, 1),
                                       random_float(&seed, -1, 1)));
                CHECK_NEAR(reach_of(&other, i, d), reach_of(&own, i, d), 0.01 * (double)own.size);
            }
        }
    }
}

static void the_same_shape_has_the_same_pieces(void **state)
{
    (void)state;
    shape s = make_statue();
    check_pieces(&s.mesh);
    shape_destroy(&s);
}

// Its lattice has layers of elements at the same height, but for the last bits when it is turned.
static void layers_of_a_lattice_stay_together(void **state)
{
    (void)state;
    shape s = shape_create();
    add_box(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(2.3f, 0.5f, 1.1f));
    add_box(&s, wr_v3(0.0f, 0.6f, 0.1f), wr_v3(0.6f, 1.7f, 0.9f));
    add_box(&s, wr_v3(1.1f, 0.55f, 0.2f), wr_v3(1.5f, 0.9f, 1.3f));
    check_pieces(&s.mesh);
    shape_destroy(&s);
}

static void models_of_others_have_the_same_pieces(void **state)
{
    (void)state;
    static const char *const files[] = {"decimated-knight.off", "truck.obj"};
    const char *data = getenv("WROUGHT_DATA");
    for (int i = 0; i < WRI_COUNT(files); i++) {
        char path[1024];
        wr_error error = {0};
        snprintf(path, sizeof path, "%s/libigl/%s", data ? data : "", files[i]);
        wr_model *model = data ? wr_model_read(path, NULL, &error) : NULL;
        if (!model) {
            print_message("skipped: %s is not in WROUGHT_DATA\n", files[i]);
            skip();
        }
        wr_model *flat = wr_model_flatten(model, &error);
        assert_non_null(flat);
        check_pieces(flat->meshes);
        wr_model_destroy(flat);
        wr_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frame_of_a_shape_goes_with_it),
        cmocka_unit_test(a_box_with_a_knob_has_the_axes_of_the_box),
        cmocka_unit_test(a_shape_in_its_own_frame_is_not_inside_out),
        cmocka_unit_test(the_same_shape_has_the_same_lattice),
        cmocka_unit_test(the_same_shape_has_the_same_handles),
        cmocka_unit_test(the_same_shape_has_the_same_pieces),
        cmocka_unit_test(layers_of_a_lattice_stay_together),
        cmocka_unit_test(models_of_others_have_the_same_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
