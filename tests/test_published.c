// test_published.c: rigs of others, from $WROUGHT_DATA or written here, become assets.
#include "check.h"

#include "wrought/wrought.h"

#include "../src/base/os.h"

static temporary_folder folder;

static void need(bool ok, const wr_error *error)
{
    if (!ok) {
        fail_msg("%s", error->message);
    }
}

// --- the barrel -------------------------------------------------------------------------------

static const char *data_path(char *out, size_t size, const char *name)
{
    const char *data = getenv("WROUGHT_DATA");
    snprintf(out, size, "%s/ebpd/barrel%s%s", data ? data : "", *name ? "/" : "", name);
    if (!data || !wri_file_exists(out)) {
        print_message("%s is not there\n", out);
        skip();
    }
    return out;
}

// Read once, in centimetres as it is meant, or in metres as the numbers stand.
static wr_asset *barrels[2];

static const wr_asset *read_barrel(bool centimetres)
{
    char path[1024];
    wr_error error = {0};
    const wr_read_options options = {.unit = centimetres ? "cm" : "m"};
    wr_asset **kept = &barrels[centimetres];
    data_path(path, sizeof path, "");
    *kept = *kept ? *kept : wr_asset_read_published(path, &options, NULL, &error);
    need(*kept, &error);
    return *kept;
}

static void the_barrel_has_its_counts(void **state)
{
    (void)state;
    const wr_asset *asset = read_barrel(true);
    const wr_rig *rig = &asset->rig;
    assert_string_equal(asset->name, "barrel");
    assert_int_equal(rig->vertex_count, 1790);
    assert_int_equal(rig->element_count, 8238);
    assert_int_equal(rig->handle_count, 12);
    assert_int_equal(rig->example_count, 4);
    assert_int_equal(rig->ride_count, 22916);
    assert_int_equal(asset->model->meshes->vertex_count, 22916);
    wr_vec3 size = wr_box_size(wr_mesh_bounds(asset->model->meshes));
    CHECK_NEAR((double)size.y, 0.735, 0.001); // as tall as a small barrel
}

// Every pivot is a vertex of the simulation mesh that follows its own handle alone.
static void pivots_lie_on_vertices_with_full_weight(void **state)
{
    (void)state;
    const wr_asset *asset = read_barrel(false);
    const wr_rig *rig = &asset->rig;
    for (int b = 0; b < rig->handle_count; b++) {
        int v = rig->handles[b].vertex;
        assert_true(v >= 0 && rig->handles[b].parent == -1);
        CHECK_NEAR((double)rig->weights[v * rig->handle_count + b], 1.0, 1e-6);
        assert_memory_equal(&rig->rest[v], &rig->handles[b].pivot, sizeof(wr_vec3));
    }
}

// A number of the example file: example, bone, which of seven.
typedef double graph[4][12][7];

static void read_graph(graph out)
{
    char path[1024];
    size_t size;
    char *text =
        wri_file_read(data_path(path, sizeof path, "exampleGraph.txt"), 1 << 20, NULL, &size, NULL);
    assert_non_null(text);
    char *at = text;
    assert_int_equal(strtol(at, &at, 10), 4);
    for (int e = 0; e < 4; e++) {
        for (int k = 0; k < 5; k++) {
            (void)strtod(at, &at);
        }
        assert_int_equal(strtol(at, &at, 10), 12);
        for (int i = 0; i < 12 * 7; i++) {
            out[e][i / 7][i % 7] = strtod(at, &at);
        }
    }
    wri_free(NULL, text, size + 1, 1);
}

// x_i = sum_b W_ib (u_i + t_b), from the files themselves: no bone of theirs turns.
static void examples_are_where_their_authors_have_them(void **state)
{
    (void)state;
    char path[1024];
    graph g;
    read_graph(g);
    wr_matrix *W = wr_matrix_read(data_path(path, sizeof path, "coarseWeights.dmat"), NULL, NULL);
    wr_tet_mesh *mesh = wr_tet_mesh_read(data_path(path, sizeof path, "mesh.mesh"), NULL, NULL);
    const wr_asset *asset = read_barrel(false);
    wr_error error = {0};
    wr_skin_desc desc = wr_skin_desc_default();
    wr_skin *skin = wr_skin_create(&asset->rig, &desc, &error);
    need(skin, &error);
    wr_mat34 maps[12];
    wr_vec3 *x = calloc(1790, sizeof *x);
    double moved = 0.0;
    for (int e = 0; e < 4; e++) {
        float blend[4] = {0};
        blend[e] = 1.0f;
        wr_skin_blend(skin, blend, NULL, maps, x);
        for (int i = 0; i < 1790; i++) {
            double sum[3] = {0};
            wr_vec3 u = mesh->positions[i];
            const double rest[3] = {(double)u.x, (double)u.y, (double)u.z};
            for (int k = 0; k < 3; k++) {
                for (int b = 0; b < 12; b++) {
                    sum[k] += W->values[b * 1790 + i] * (rest[k] + g[e][b][k]);
                }
                moved = fmax(moved, fabs(sum[k] - rest[k]));
            }
            CHECK_NEAR((double)x[i].x, sum[0], 2e-5); // of a body of 76
            CHECK_NEAR((double)x[i].y, sum[1], 2e-5);
            CHECK_NEAR((double)x[i].z, sum[2], 2e-5);
        }
    }
    assert_true(moved > 30.0);
    free(x);
    wr_skin_destroy(skin);
    wr_tet_mesh_destroy(mesh);
    wr_matrix_destroy(W);
}

// The quaternions of the file are 1 0 0 0: with w last all would turn half a circle, rest included.
static void nothing_turns_in_the_barrel(void **state)
{
    (void)state;
    const wr_asset *asset = read_barrel(false);
    for (int e = 0; e < 4; e++) {
        for (int b = 0; b < 12; b++) {
            wr_quat q = asset->rig.examples[e].poses[b].rotation;
            assert_true(q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f);
        }
    }
}

static void units_scale_everything_alike(void **state)
{
    (void)state;
    const wr_asset *large = read_barrel(false), *small = read_barrel(true);
    for (int i = 0; i < 1790; i++) {
        CHECK_NEAR((double)small->rig.rest[i].y, 0.01 * (double)large->rig.rest[i].y, 1e-7);
    }
    for (int b = 0; b < 12; b++) {
        CHECK_NEAR((double)small->rig.examples[2].poses[b].offset.z,
                   0.01 * (double)large->rig.examples[2].poses[b].offset.z, 1e-7);
        CHECK_NEAR((double)small->rig.handles[b].pivot.x,
                   0.01 * (double)large->rig.handles[b].pivot.x, 1e-7);
        assert_int_equal(small->rig.handles[b].vertex, large->rig.handles[b].vertex);
    }
}

static void the_surface_rides_where_it_is(void **state)
{
    (void)state;
    const wr_asset *asset = read_barrel(true);
    const wr_rig *rig = &asset->rig;
    double gap = 0.0, least = 1.0;
    for (int i = 0; i < rig->ride_count; i++) {
        wr_vec3 p = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            int v = rig->elements[4 * rig->rides[i].element + k];
            p = wr_add_scaled(p, rig->rides[i].weights[k], rig->rest[v]);
            least = fmin(least, (double)rig->rides[i].weights[k]);
        }
        gap = fmax(gap, (double)wr_distance(p, asset->model->meshes->positions[i]));
    }
    CHECK_NEAR(gap, 0.0, 1e-6);
    assert_true(least >= 0.0); // the tetrahedra enclose it
}

static char *read_bytes(const char *path, size_t *size)
{
    char *bytes = wri_file_read(path, 1 << 26, NULL, size, NULL);
    assert_non_null(bytes);
    return bytes;
}

static void the_barrel_survives_the_file(void **state)
{
    (void)state;
    char a[600], b[600];
    size_t sizes[2];
    wr_error error = {0};
    const wr_asset *asset = read_barrel(true);
    snprintf(a, sizeof a, "%s/a.glb", folder.path);
    snprintf(b, sizeof b, "%s/b.glb", folder.path);
    need(wr_asset_write(asset, a, &error), &error);
    wr_asset *again = wr_asset_read(a, NULL, &error);
    need(again, &error);
    need(wr_asset_write(again, b, &error), &error);
    const wr_rig *x = &asset->rig, *y = &again->rig;
    assert_memory_equal(x->rest, y->rest, 1790 * sizeof *x->rest);
    assert_memory_equal(x->elements, y->elements, 8238 * 4 * sizeof(int));
    assert_memory_equal(x->weights, y->weights, 1790 * 12 * sizeof(float));
    assert_memory_equal(x->rides, y->rides, 22916 * sizeof *x->rides);
    for (int e = 0; e < 4; e++) {
        assert_memory_equal(x->examples[e].poses, y->examples[e].poses,
                            12 * sizeof(wr_handle_pose));
    }
    assert_memory_equal(asset->model->meshes->positions, again->model->meshes->positions,
                        22916 * sizeof(wr_vec3));
    assert_memory_equal(asset->model->meshes->triangles, again->model->meshes->triangles,
                        3 * 45828 * sizeof(int));
    char *p = read_bytes(a, &sizes[0]), *q = read_bytes(b, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(p, q, sizes[0]);
    print_message("the barrel has %zu bytes\n", sizes[0]);
    wri_free(NULL, p, sizes[0] + 1, 1);
    wri_free(NULL, q, sizes[1] + 1, 1);
    wr_asset_destroy(again);
}

// --- a small one ------------------------------------------------------------------------------

// Two tetrahedra, one inside out and one flat beside them; two bones, the second a child.
static const struct {
    const char *name, *text;
} sound[] = {
    {"mesh.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 5\n0 0 0 0\n2 0 0 0\n0 2 0 0\n"
                  "0 0 2 0\n0 -2 0 0\nTetrahedra 3\n1 2 3 4 0\n1 2 5 4 0\n1 2 3 5 0\n"},
    {"coarseWeights.dmat", "2 5\n1 0 0.5 0.5 0.25\n0 1 0.5 0.5 0.75\n"},
    {"bone_roots.bf", "0 -1 0 0 0 1 0 0 0 and so on\n1 0 2 0 0\n"},
    {"exampleGraph.txt", "2\n0 0 1 1 1\n2\n0 0 0 1 0 0 0\n0 0 0 1 0 0 0\n0 0 1 1 1\n2\n"
                         "0 0 1 1 0 0 0\n1 2 3 0 0 0 1\n1\n2\n0 1\n"},
    {"mesh.obj", "v 0.1 0.1 0.1\nv 1 0.1 0.1\nv 0.1 1 0.1\nf 1 2 3\n"},
};

static const char *put_folder(const char *name, const char *text)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/small", folder.path);
    assert_true(wri_folder_create(path, NULL));
    for (int i = 0; i < WRI_COUNT(sound); i++) {
        char file[700];
        const char *bytes = name && strcmp(name, sound[i].name) == 0 ? text : sound[i].text;
        snprintf(file, sizeof file, "%s/%s", path, sound[i].name);
        wri_file_remove(file);
        FILE *out = bytes ? fopen(file, "wb") : NULL;
        assert_true(!bytes || (out && fputs(bytes, out) >= 0 && fclose(out) == 0));
    }
    return path;
}

// Half a turn about z through the origin with t = (1, 2, 3): the pivot (2, 0, 0) goes to (-1, 2,
// 3).
static void rotations_keep_their_maps_about_the_pivots(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_asset *asset = wr_asset_read_published(put_folder(NULL, NULL), NULL, NULL, &error);
    need(asset, &error);
    const wr_rig *rig = &asset->rig;
    assert_int_equal(rig->element_count, 2); // the flat one is left out
    assert_true(rig->elements[4] == 0 && rig->elements[6] == 3 && rig->elements[7] == 4);
    assert_int_equal(rig->handles[1].parent, 0);
    assert_int_equal(rig->handles[1].vertex, 1);
    assert_true(rig->handles[1].pivot.x == 2.0f && rig->handles[1].pivot.y == 0.0f);
    const wr_handle_pose *pose = &rig->examples[1].poses[1];
    CHECK_NEAR((double)pose->rotation.z, 1.0, 1e-6);
    CHECK_NEAR((double)pose->offset.x, -3.0, 1e-6);
    CHECK_NEAR((double)pose->offset.y, 2.0, 1e-6);
    CHECK_NEAR((double)pose->offset.z, 3.0, 1e-6);
    wr_asset_destroy(asset);
    // The same with z up: (-3, 2, 3) becomes (-3, 3, -2), the turn is about y.
    asset = wr_asset_read_published(put_folder(NULL, NULL), &(wr_read_options){.up = "z"}, NULL,
                                    &error);
    need(asset, &error);
    pose = &asset->rig.examples[1].poses[1];
    CHECK_NEAR((double)pose->rotation.y, 1.0, 1e-6);
    CHECK_NEAR((double)pose->offset.y, 3.0, 1e-6);
    CHECK_NEAR((double)pose->offset.z, -2.0, 1e-6);
    wr_asset_destroy(asset);
}

static void the_rest_shape_tells_the_order_of_quaternions(void **state)
{
    (void)state;
    wr_error error = {0};
    const char *text = "2\n0 0 1 1 1\n2\n0 0 0 0 0 0 1\n0 0 0 0 0 0 1\n0 0 1 1 1\n2\n"
                       "0 0 1 0 0 0 1\n1 2 3 0 0 1 0\n";
    wr_asset *asset =
        wr_asset_read_published(put_folder("exampleGraph.txt", text), NULL, NULL, &error);
    need(asset, &error);
    CHECK_NEAR((double)asset->rig.examples[1].poses[1].rotation.z, 1.0, 1e-6);
    CHECK_NEAR((double)asset->rig.examples[1].poses[0].rotation.w, 1.0, 1e-6);
    wr_asset_destroy(asset);
}

static void write_file(const char *path, const char *name, const char *text)
{
    char file[700];
    snprintf(file, sizeof file, "%s/%s", path, name);
    FILE *out = fopen(file, "wb");
    assert_true(out && fputs(text, out) >= 0 && fclose(out) == 0);
}

static void remove_file(const char *path, const char *name)
{
    char file[700];
    snprintf(file, sizeof file, "%s/%s", path, name);
    wri_file_remove(file);
}

// Two tetrahedra that share a face have six others, two of which the flat one covers with its own.
static void without_a_surface_that_of_the_tetrahedra_serves(void **state)
{
    (void)state;
    wr_error error = {0};
    char path[700];
    snprintf(path, sizeof path, "%s/", put_folder("mesh.obj", NULL)); // also with a slash
    wr_asset *asset = wr_asset_read_published(path, &(wr_read_options){.unit = "cm"}, NULL, &error);
    need(asset, &error);
    const wr_mesh *mesh = asset->model->meshes;
    assert_string_equal(asset->name, "small");
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(mesh->triangle_count, 6);
    CHECK_NEAR((double)wr_box_size(wr_mesh_bounds(mesh)).y, 0.04, 1e-8);
    assert_int_equal(asset->rig.ride_count, 5);
    for (int i = 0; i < 5; i++) { // each rides on itself
        const wr_ride *ride = &asset->rig.rides[i];
        wr_vec3 p = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            int v = asset->rig.elements[4 * ride->element + k];
            p = wr_add_scaled(p, ride->weights[k], asset->rig.rest[v]);
        }
        CHECK_NEAR((double)wr_distance(p, mesh->positions[i]), 0.0, 1e-8);
    }
    wr_asset_destroy(asset);
}

// Lines 0 and 2 are no bones, and the columns of the others are not in the order of the lines: each
// pose belongs to the line it stands for.
static void poses_belong_to_lines_of_the_bone_file(void **state)
{
    (void)state;
    wr_error error = {0};
    const char *path = put_folder("bone_roots.bf",
                                  "-3 -1 1 0 0 1 0\n1 0 1 0 0\n-2147483648 -1 9 9 9\n0 -1 0 0 0\n");
    write_file(path, "exampleGraph.txt",
               "2\n0 0 1 1 1\n4\n0 0 0 1 0 0 0\n0 0 0 1 0 0 0\n0 0 0 1 0 0 0\n0 0 0 1 0 0 0\n"
               "0 0 1 1 1\n4\n7 7 7 1 0 0 0\n1 2 3 1 0 0 0\n8 8 8 5 5 5 5\n4 5 6 1 0 0 0\n0\n");
    wr_asset *asset = wr_asset_read_published(path, NULL, NULL, &error);
    need(asset, &error);
    const wr_rig *rig = &asset->rig;
    assert_int_equal(rig->handle_count, 2);
    assert_true(rig->handles[1].pivot.x == 2.0f && rig->handles[0].pivot.x == 0.0f);
    assert_int_equal(rig->handles[1].parent, -1); // what it hangs on is no bone
    const wr_handle_pose *poses = rig->examples[1].poses;
    CHECK_NEAR((double)poses[1].offset.x, 1.0, 1e-6);
    CHECK_NEAR((double)poses[1].offset.z, 3.0, 1e-6);
    CHECK_NEAR((double)poses[0].offset.x, 4.0, 1e-6);
    CHECK_NEAR((double)poses[0].offset.y, 5.0, 1e-6);
    wr_asset_destroy(asset);
}

static void the_render_mesh_is_what_is_drawn(void **state)
{
    (void)state;
    wr_error error = {0};
    const char *path = put_folder(NULL, NULL);
    write_file(path, "mesh_render.obj",
               "mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n");
    wr_asset *asset = wr_asset_read_published(path, NULL, NULL, &error);
    remove_file(path, "mesh_render.obj");
    need(asset, &error);
    assert_int_equal(asset->model->meshes->triangle_count, 2);
    assert_int_equal(asset->rig.ride_count, 4);
    assert_int_equal(asset->model->warning_count, 1); // of the library of looks
    assert_non_null(strstr(asset->model->warnings[0], "none.mtl"));
    wr_asset_destroy(asset);
}

static void what_is_not_read_is_said(void **state)
{
    (void)state;
    wr_error error = {0};
    const char *path = put_folder(NULL, NULL);
    write_file(path, "allSpheres.txt", "0\n");
    wr_asset *asset = wr_asset_read_published(path, NULL, NULL, &error);
    remove_file(path, "allSpheres.txt");
    need(asset, &error);
    assert_int_equal(asset->model->warning_count, 1);
    assert_non_null(strstr(asset->model->warnings[0], "spheres for collisions"));
    wr_asset_destroy(asset);
    asset = wr_asset_read_published(path, NULL, NULL, &error);
    need(asset, &error);
    assert_int_equal(asset->model->warning_count, 0);
    wr_asset_destroy(asset);
}

static void broken_folders_get_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *sentence;
    } cases[] = {
        {"mesh.obj", "f 1 2 3\n", "small/mesh.obj:1: "},
        {"mesh.mesh", NULL, "small/mesh.mesh: "},
        {"coarseWeights.dmat", NULL, "small/coarseWeights.dmat: "},
        {"bone_roots.bf", NULL, "small/bone_roots.bf: "},
        {"exampleGraph.txt", NULL, "small/exampleGraph.txt: "},
        {"mesh.mesh",
         "MeshVersionFormatted 1\nDimension 3\nVertices 3\n0 0 0 0\n2 0 0 0\n0 2 0 0\n"
         "Triangles 1\n1 2 3 0\n",
         "small/mesh.mesh: holds no tetrahedra with a volume"},
        {"coarseWeights.dmat", "2 4\n1 0 1 0\n0 1 0 1\n",
         "small/coarseWeights.dmat: 4 rows, but the mesh has 5 vertices"},
        {"coarseWeights.dmat", "2 5\n1 0 0.5 0.5 0.25\n0 1 0.5 0.5 0.25\n",
         "small: weights: those of vertex 4 add up to 0.5, not 1"},
        {"bone_roots.bf", "0 -1 0 0 0\n", "bf:1: no bone has the weights of column 1"},
        {"bone_roots.bf", "0 -1 0 0 0\n0 -1 1 0 0\n",
         "bf:2: a second bone with the weights of column 0"},
        {"bone_roots.bf", "2 -1 0 0 0\n",
         "bf:1: \"2\" cannot be the column of a bone, expected a whole number from -2147483648 to "
         "1"},
        {"bone_roots.bf", "0 0 0 0 0\n", "bf:1: \"0\" cannot be the parent of a bone"},
        {"bone_roots.bf", "0 -1 0 0\n1 0 2 0 0\n",
         "bf:1: the line ends here, expected z of a bone"},
        {"exampleGraph.txt", "", "txt:1: the file ends here, expected the number of examples"},
        {"exampleGraph.txt", "300\n",
         "txt:1: \"300\" cannot be the number of examples, expected a whole number from 1 to 256"},
        {"exampleGraph.txt", "1\n0 0 1 1 1\n3\n",
         "txt:3: \"3\" cannot be the number of bones, expected 2"},
        {"exampleGraph.txt", "1\n0 0 1 1 1\n2\n0 0 0 1 0 0 0\n0 0 9 1 0 0 0\n",
         "txt:5: the first example is not the rest shape"},
        {"exampleGraph.txt", "2\n0 0 1 1 1\n2\n0 0 0 1 0 0 0\n0 0 0 1 0 0",
         "txt:5: the file ends here, expected the quaternion of a bone"},
        {"exampleGraph.txt",
         "2\n0 0 1 1 1\n2\n0 0 0 1 0 0 0\n0 0 0 1 0 0 0\n0 0 1 1 1\n2\n"
         "0 0 0 1 0 0 0\n0 0 0 1 1 0 0\n",
         "txt:9: example 1, bone 1: a quaternion not of unit length, or a translation that is too "
         "large"},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_error error = {0};
        const char *path = put_folder(cases[i].name, cases[i].text);
        assert_null(wr_asset_read_published(path, NULL, NULL, &error));
        if (!strstr(error.message, cases[i].sentence) || error.code == WR_OK) {
            fail_msg("\"%s\", expected \"%s\"", error.message, cases[i].sentence);
        }
    }
    wr_error error = {0};
    assert_null(wr_asset_read_published(put_folder(NULL, NULL), &(wr_read_options){.unit = "ell"},
                                        NULL, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    assert_null(wr_asset_read_published("/no such folder", NULL, NULL, &error));
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *path = put_folder(NULL, NULL);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_asset *asset = wr_asset_read_published(path, NULL, &allocator, &error);
        done = asset != NULL;
        if (!done) {
            assert_int_equal(error.code, WR_E_MEMORY);
        }
        wr_asset_destroy(asset);
        assert_int_equal(heap.alive, 0);
    }
}

// Characters of numbers, blanks and line ends anywhere.
static void damaged_folders_are_read_or_refused(void **state)
{
    (void)state;
    static const char letters[] = "0123456789.-+e \n#x";
    uint64_t seed = 3;
    int refused = 0;
    for (int i = 0; i < 1000; i++) {
        int file = i % WRI_COUNT(sound);
        char text[512];
        wr_error error = {0};
        size_t length = (size_t)snprintf(text, sizeof text, "%s", sound[file].text);
        for (int k = 0; k < 1 + i % 4; k++) {
            text[random_bits(&seed) % length] = letters[random_bits(&seed) % (sizeof letters - 1)];
        }
        wr_asset *asset =
            wr_asset_read_published(put_folder(sound[file].name, text), NULL, NULL, &error);
        assert_true(asset ? error.code == WR_OK : error.code != WR_OK && error.message[0]);
        refused += !asset;
        wr_asset_destroy(asset);
    }
    assert_true(refused > 300 && refused < 1000);
}

// --- cuts -------------------------------------------------------------------------------------

// A block of 6 x 3 x 2 cm. An oblique plane parts it; another one only what is right of the first.
enum { NX = 7, NY = 4, NZ = 3, CELLS = 6 * 3 * 2, TETS = 6 * CELLS };
static const char two_planes[] = "2 0.5 0 5.8\n\n  0 0 -3 -3.3\n";

static int piece_at(const double p[3])
{
    return 2.0 * p[0] + 0.5 * p[1] < 5.8 ? 0 : p[2] > 1.1 ? 1 : 2;
}

static void list_tetrahedra(int tets[TETS][4])
{
    static const int paths[6][2] = {{1, NX},      {NX, 1},       {1, NX * NY},
                                    {NX * NY, 1}, {NX, NX * NY}, {NX * NY, NX}};
    for (int i = 0; i < TETS; i++) {
        int c = i / 6, at = c % 6 + NX * (c / 6 % 3) + NX * NY * (c / 18);
        int a = at + paths[i % 6][0], b = a + paths[i % 6][1];
        const int corners[4] = {at, a, b, at + 1 + NX + NX * NY};
        memcpy(tets[i], corners, sizeof corners);
    }
}

static void place_of(int vertex, double p[3])
{
    p[0] = vertex % NX;
    p[1] = vertex / NX % NY;
    p[2] = vertex / NX / NY;
}

// The list of a piece. No tetrahedron of piece 1 is whole.
static void write_piece(const char *path, int tets[TETS][4], int piece)
{
    char text[20000], whole[21000], name[32];
    size_t size = 0;
    int count = 0;
    for (int i = 0; i < TETS; i++) {
        int within = 0;
        for (int k = 0; k < 4; k++) {
            double p[3];
            place_of(tets[i][k], p);
            within += piece_at(p) == piece;
        }
        if (within > 0) {
            size += (size_t)snprintf(text + size, sizeof text - size, "%d %d %d %d\n", tets[i][0],
                                     tets[i][1], tets[i][2], tets[i][3]);
            count++;
        }
    }
    snprintf(whole, sizeof whole, "%d\n%s", count, text);
    snprintf(name, sizeof name, "tetmesh.%d.txt", piece);
    write_file(path, name, whole);
}

static const char *put_block(int tets[TETS][4])
{
    static char path[600];
    char text[20000];
    int n = NX * NY * NZ;
    snprintf(path, sizeof path, "%s/block", folder.path);
    assert_true(wri_folder_create(path, NULL));
    list_tetrahedra(tets);
    size_t size = (size_t)snprintf(text, sizeof text,
                                   "MeshVersionFormatted 1\nDimension 3\nVertices %d\n", n);
    for (int i = 0; i < n; i++) {
        double p[3];
        place_of(i, p);
        size += (size_t)snprintf(text + size, sizeof text - size, "%g %g %g 0\n", p[0], p[1], p[2]);
    }
    size += (size_t)snprintf(text + size, sizeof text - size, "Tetrahedra %d\n", TETS);
    for (int i = 0; i < TETS; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%d %d %d %d 0\n", tets[i][0] + 1,
                                 tets[i][1] + 1, tets[i][2] + 1, tets[i][3] + 1);
    }
    write_file(path, "mesh.mesh", text);
    size = (size_t)snprintf(text, sizeof text, "2 %d\n", n);
    for (int i = 0; i < 2 * n; i++) {
        double x = i % n % NX / 6.0;
        size += (size_t)snprintf(text + size, sizeof text - size, "%.17g\n", i < n ? 1.0 - x : x);
    }
    write_file(path, "coarseWeights.dmat", text);
    write_file(path, "bone_roots.bf", "0 -1 0 0 0\n1 -1 6 0 0\n");
    write_file(path, "exampleGraph.txt",
               "2\n0 0 1 1 1\n2\n0 0 0 1 0 0 0\n0 0 0 1 0 0 0\n"
               "0 0 1 1 1\n2\n0 0 1 1 0 0 0\n0 0 -1 1 0 0 0\n");
    return path;
}

// Areas of the faces of all bonds along a direction; of those that nothing parts: their number.
static double sum_bonds(const wr_asset *asset, wr_vec3 normal, int *whole)
{
    double sum = 0.0;
    for (int i = 0; i < asset->fracture.bond_count; i++) {
        const wr_bond *bond = &asset->fracture.bonds[i];
        sum += fabsf(wr_dot(bond->normal, normal)) > 0.999f ? (double)bond->area : 0.0;
        *whole += bond->area == 0.0f;
    }
    return sum;
}

static void planes_of_a_folder_cut_its_body(void **state)
{
    (void)state;
    static int tets[TETS][4];
    wr_error error = {0};
    const wr_read_options options = {.unit = "cm", .up = "z"};
    const char *path = put_block(tets);
    wr_asset *asset = wr_asset_read_published(path, &options, NULL, &error);
    need(asset, &error);
    assert_int_equal(asset->fracture.fragment_count, 0); // without planes it stays whole
    wr_asset_destroy(asset);
    write_file(path, "planes.txt", two_planes);
    asset = wr_asset_read_published(path, &options, NULL, &error);
    need(asset, &error);
    int whole = 0;
    wr_vec3 up = {0, 1, 0}, oblique = wr_normalize(wr_v3(2, 0, -0.5f)); // with z up
    assert_int_equal(asset->cut_count, 2);
    assert_int_equal(asset->fracture.fragment_count, 4);
    CHECK_NEAR(sum_bonds(asset, up, &whole), 18e-4, 1e-8);
    CHECK_NEAR(sum_bonds(asset, oblique, &whole), 1e-4 * 2.0 * 3.0 * sqrt(1.0 + 0.0625), 1e-8);
    assert_int_equal(whole, 0);
    wr_asset_destroy(asset);
    for (int piece = 0; piece < 3; piece++) {
        write_piece(path, tets, piece);
    }
    asset = wr_asset_read_published(path, &options, NULL, &error);
    need(asset, &error);
    // The left half is one piece: only right of the oblique plane, x = 2.9 - y / 4, the other
    // parts.
    CHECK_NEAR(sum_bonds(asset, up, &whole), 10.425e-4, 1e-8);
    assert_int_equal(whole, 1);
    wr_asset_destroy(asset);
}

static void wrong_cuts_get_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *sentence;
    } cases[] = {
        {"planes.txt", "1 0 0\n2 0 0 1\n",
         "planes.txt:1: the line ends here, expected the distance"},
        {"planes.txt", "1 0 0 2\n1 0 x 1\n",
         "planes.txt:2: \"x\" is not a finite number, expected z of a"},
        {"planes.txt", "\n0 0 0 2\n", "planes.txt:2: the normal of a plane is zero"},
        {"planes.txt", "1 0 0 2 3\n", "planes.txt:1: more than four numbers"},
        {"tetmesh.1.txt", "1\n0 1 2 84\n", "tetmesh.1.txt:2: \"84\" cannot be a vertex"},
        {"tetmesh.1.txt", "900000\n0 1 2 3\n", "tetmesh.1.txt:1: "},
    };
    static int tets[TETS][4];
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_error error = {0};
        const char *path = put_block(tets);
        write_file(path, "planes.txt", two_planes);
        for (int piece = 0; piece < 3; piece++) {
            write_piece(path, tets, piece);
        }
        write_file(path, cases[i].name, cases[i].text);
        assert_null(wr_asset_read_published(path, NULL, NULL, &error));
        if (!strstr(error.message, cases[i].sentence)) {
            fail_msg("\"%s\", expected \"%s\"", error.message, cases[i].sentence);
        }
    }
}

int main(void)
{
    folder = temporary_folder_create();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_barrel_has_its_counts),
        cmocka_unit_test(pivots_lie_on_vertices_with_full_weight),
        cmocka_unit_test(examples_are_where_their_authors_have_them),
        cmocka_unit_test(nothing_turns_in_the_barrel),
        cmocka_unit_test(units_scale_everything_alike),
        cmocka_unit_test(the_surface_rides_where_it_is),
        cmocka_unit_test(the_barrel_survives_the_file),
        cmocka_unit_test(rotations_keep_their_maps_about_the_pivots),
        cmocka_unit_test(the_rest_shape_tells_the_order_of_quaternions),
        cmocka_unit_test(without_a_surface_that_of_the_tetrahedra_serves),
        cmocka_unit_test(poses_belong_to_lines_of_the_bone_file),
        cmocka_unit_test(the_render_mesh_is_what_is_drawn),
        cmocka_unit_test(what_is_not_read_is_said),
        cmocka_unit_test(planes_of_a_folder_cut_its_body),
        cmocka_unit_test(wrong_cuts_get_a_sentence),
        cmocka_unit_test(broken_folders_get_a_sentence),
        cmocka_unit_test(damaged_folders_are_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wr_asset_destroy(barrels[0]);
    wr_asset_destroy(barrels[1]);
    temporary_folder_destroy(&folder);
    return failed;
}
