// test_import_rig.c: a small rig with everything at once, oblique and uneven, comes through Assimp
// as our own reader sees it: corner by corner, at rest and at several times of two clips; and files
// that know no rigs have it as it stands.
#include "check.h"
#include "usda.h"
#include "whole_rig.h"

#include "../src/base/os.h"
#include "../src/file/foreign.h"

static temporary_folder folder;
static wr_error error;

// --- comparison -------------------------------------------------------------------------------

typedef struct posed {
    const wr_mesh *mesh;
    wr_vec3 positions[4 * CORNERS], normals[4 * CORNERS];
} posed;

static int find_node(const wr_model *m, const char *name)
{
    for (int i = 0; i < m->node_count; i++) {
        if (m->nodes[i].mesh >= 0 && strcmp(m->nodes[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no node %s with a mesh", name);
    return -1;
}

// The mesh of a node at a time of a clip, NULL: at rest.
static posed pose(const wr_model *m, const char *name, const wr_clip *clip, double time)
{
    wr_mat34 world[4 * NODES], joints[4];
    float weights[4 * MORPHS], *at = weights;
    assert_true(m->node_count <= 4 * NODES && wr_model_weight_count(m) <= 4 * MORPHS);
    wr_model_pose(m, clip, time, world, weights);
    int node = find_node(m, name), skin = m->nodes[node].skin;
    for (int i = 0; i < node; i++) {
        at += m->nodes[i].mesh < 0 ? 0 : m->meshes[m->nodes[i].mesh].morph_count;
    }
    posed p = {.mesh = &m->meshes[m->nodes[node].mesh]};
    assert_true(p.mesh->vertex_count <= 4 * CORNERS);
    if (skin >= 0) {
        wr_model_skin_matrices(&m->skins[skin], world, joints);
    }
    wr_mesh_deform(p.mesh, at, &world[node], skin >= 0 ? joints : NULL, p.positions, p.normals);
    return p;
}

// Those of a vertex come in order, the heaviest first, and make up one.
static void check_influences(const wr_mesh *mesh)
{
    for (int i = 0; i < mesh->vertex_count && mesh->influence_count; i++) {
        const float *weights = &mesh->weights[i * mesh->influence_count];
        float sum = weights[0];
        for (int k = 1; k < mesh->influence_count; k++) {
            assert_true(weights[k] <= weights[k - 1]);
            sum += weights[k];
        }
        CHECK_NEAR(sum, 1.0, 1e-6);
    }
}

static void compare_posed(const posed *ours, const posed *theirs)
{
    assert_int_equal(ours->mesh->triangle_count, theirs->mesh->triangle_count);
    for (int i = 0; i < 3 * ours->mesh->triangle_count; i++) {
        int a = ours->mesh->triangles[i], b = theirs->mesh->triangles[i];
        CHECK_NEAR(wr_distance(ours->positions[a], theirs->positions[b]), 0.0, 5e-5);
        CHECK_NEAR(wr_distance(ours->normals[a], theirs->normals[b]), 0.0, 5e-4);
    }
}

static const wr_look *look_of(const wr_model *m, const wr_mesh *mesh, int triangle)
{
    for (int i = 0; i < mesh->part_count; i++) {
        int after = triangle - mesh->parts[i].first_triangle;
        if (after >= 0 && after < mesh->parts[i].triangle_count && mesh->parts[i].look >= 0) {
            return &m->looks[mesh->parts[i].look];
        }
    }
    fail_msg("triangle %d has no look", triangle);
    return NULL;
}

static void compare_looks(const wr_model *ours, const wr_look *a, const wr_model *theirs,
                          const wr_look *b)
{
    assert_string_equal(a->name, b->name);
    CHECK_NEAR(a->base_color.r, b->base_color.r, 1e-6);
    CHECK_NEAR(a->base_color.g, b->base_color.g, 1e-6);
    CHECK_NEAR(a->base_color.b, b->base_color.b, 1e-6);
    CHECK_NEAR(a->roughness, b->roughness, 1e-6);
    CHECK_NEAR(a->metallic, b->metallic, 1e-6);
    assert_int_equal(a->double_sided, b->double_sided);
    const wr_image *x = &ours->images[a->texture], *y = &theirs->images[b->texture];
    assert_true(b->texture >= 0 && x->width == y->width && x->height == y->height);
    assert_memory_equal(x->pixels, y->pixels, 8);
}

static void compare_surface(const wr_model *ours, const wr_mesh *a, const wr_model *theirs,
                            const wr_mesh *b)
{
    for (int i = 0; i < 3 * a->triangle_count; i++) {
        int p = a->triangles[i], q = b->triangles[i];
        CHECK_NEAR(a->uvs[p].x, b->uvs[q].x, 1e-6);
        CHECK_NEAR(a->uvs[p].y, b->uvs[q].y, 1e-6);
        const float *c = a->colors ? &a->colors[p].r : NULL, *d = c ? &b->colors[q].r : NULL;
        for (int k = 0; k < 4 && c; k++) {
            CHECK_NEAR(c[k], d[k], 1e-6);
        }
        compare_looks(ours, look_of(ours, a, i / 3), theirs, look_of(theirs, b, i / 3));
    }
}

static const wr_clip *clip_named(const wr_model *m, const char *name)
{
    for (int i = 0; i < m->clip_count; i++) {
        if (strcmp(m->clips[i].name, name) == 0) {
            return &m->clips[i];
        }
    }
    fail_msg("there is no clip %s", name);
    return NULL;
}

static wr_model *ours, *theirs;

static void what_bends_and_moves_comes_through_assimp(void **state)
{
    (void)state;
    static const char *const nodes[] = {"legs", "flag"}, *const clips[] = {NULL, "walk", "wave"};
    static const double times[] = {0, 0.25, 0.4, 1.1, 2, 3};
    assert_int_equal(theirs->clip_count, 2);
    for (int i = 0; i < 2 * 3 * WRI_COUNT(times); i++) {
        const char *node = nodes[i % 2], *clip = clips[i / 2 % 3];
        double time = times[i / 6];
        posed a = pose(ours, node, clip ? clip_named(ours, clip) : NULL, time);
        posed b = pose(theirs, node, clip ? clip_named(theirs, clip) : NULL, time);
        check_influences(b.mesh);
        compare_posed(&a, &b);
    }
}

static void colours_looks_and_pictures_come_through_assimp(void **state)
{
    (void)state;
    static const char *const nodes[] = {"legs", "flag"};
    for (int i = 0; i < 2; i++) {
        const wr_mesh *a = &ours->meshes[ours->nodes[find_node(ours, nodes[i])].mesh];
        const wr_mesh *b = &theirs->meshes[theirs->nodes[find_node(theirs, nodes[i])].mesh];
        assert_int_equal(a->triangle_count, b->triangle_count);
        assert_int_equal(a->colors != NULL, b->colors != NULL);
        compare_surface(ours, a, theirs, b);
    }
}

// Whether a mesh has this triangle, from whichever corner it begins.
static bool has_triangle(const wr_mesh *mesh, const wr_vec3 corners[3])
{
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        double off = 0.0;
        for (int k = 0; k < 3; k++) {
            int corner = mesh->triangles[i - i % 3 + (i + k) % 3];
            off = fmax(off, (double)wr_distance(mesh->positions[corner], corners[k]));
        }
        if (off < 1e-4) {
            return true;
        }
    }
    return false;
}

// Two nodes show the morphed mesh, each with weights of its own, and one the skinned mesh.
static void obj_and_ply_have_every_triangle_where_it_is(void **state)
{
    (void)state;
    float first[MORPHS] = {0.3f, 0}, second[MORPHS] = {0, 0.75f};
    wr_model *rig = make_rig();
    rig->nodes[ROOT].mesh = 1;
    rig->nodes[ROOT].morph_weights = first;
    rig->nodes[FLAG].morph_weights = second;
    for (int i = 0; i < 2; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/rig.%s", folder.path, i ? "ply" : "obj");
        bool ok = i ? wr_model_write_ply(rig, false, path, &error)
                    : wr_model_write_obj(rig, NULL, path, &error);
        wr_model *back = ok ? wr_model_read(path, NULL, &error) : NULL;
        wr_model *flat = back ? wr_model_flatten(back, &error) : NULL;
        if (!flat) {
            fail_msg("%s", error.message);
        }
        static const char *const nodes[] = {"root", "legs", "flag"};
        assert_int_equal(flat->meshes->triangle_count, 3 * TRIANGLES);
        for (int t = 0; t < 3 * TRIANGLES; t++) {
            posed p = pose(rig, nodes[t / TRIANGLES], NULL, 0.0);
            const int *corners = &p.mesh->triangles[3 * (t % TRIANGLES)];
            wr_vec3 placed[3] = {p.positions[corners[0]], p.positions[corners[1]],
                                 p.positions[corners[2]]};
            assert_true(has_triangle(flat->meshes, placed));
        }
        wr_model_destroy(flat);
        wr_model_destroy(back);
    }
    wr_model_destroy(rig);
}

// The first triangle is blue, the others are red.
static void usd_binds_every_triangle_to_its_look(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/rig.usda", folder.path);
    wr_model *rig = make_rig();
    assert_true(wr_model_write_usda(rig, NULL, path, &error));
    size_t size;
    char *text = wri_file_read(path, 1 << 20, NULL, &size, &error);
    usda u;
    usda_read(&u, text, size);
    static const char *const meshes[] = {"legs", "flag"};
    for (int i = 0; i < 4; i++) {
        const char *look = i % 2 ? "blue" : "red";
        char prim[160], looks[200];
        snprintf(prim, sizeof prim, "/rig/root/%s/mesh/%s", meshes[i / 2], look);
        snprintf(looks, sizeof looks, "</rig/root/%s/Looks/%s>", meshes[i / 2], look);
        const usda_attribute *faces = usda_attribute_of(&u, prim, "int[] indices");
        const usda_attribute *bound = usda_attribute_of(&u, prim, "rel material:binding");
        assert_non_null(faces);
        assert_non_null(bound);
        wri_array numbers = usda_numbers(faces->value, faces->length);
        assert_int_equal(numbers.count, i % 2 ? 1 : TRIANGLES - 1);
        for (int k = 0; k < numbers.count; k++) {
            CHECK_NEAR(WRI_ITEM(numbers, double, k), i % 2 ? 0 : k + 1, 0);
        }
        assert_memory_equal(bound->value, looks, strlen(looks));
        wri_array_destroy(&numbers);
    }
    usda_destroy(&u);
    wri_free(NULL, text, size + 1, 1);
    wr_model_destroy(rig);
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    char path[600];
    snprintf(path, sizeof path, "%s/rig.glb", folder.path);
    wr_model *rig = make_rig();
    bool ok = wr_model_write_glb(rig, path, &error);
    wr_model_destroy(rig);
    wri_foreign_options options = wri_foreign_options_default(10000);
    ours = ok ? wr_model_read(path, NULL, &error) : NULL;
    theirs = ours ? wri_foreign_import(path, &options, NULL, &error) : NULL;
    if (!theirs) {
        print_message("%s\n", error.message);
    }
    return theirs ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    wr_model_destroy(ours);
    wr_model_destroy(theirs);
    temporary_folder_destroy(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_bends_and_moves_comes_through_assimp),
        cmocka_unit_test(colours_looks_and_pictures_come_through_assimp),
        cmocka_unit_test(obj_and_ply_have_every_triangle_where_it_is),
        cmocka_unit_test(usd_binds_every_triangle_to_its_look),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
