// test_readers.c: promises of the small readers: OFF, MEDIT, DMAT, TGF, and odd OBJ and PLY files.
#include "folder.h"

#include "../src/base/os.h"
#include "../src/file/model.h"

static const char *put_file(const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(name);
    wr_error error = {0};
    if (!wri_file_write(path, bytes, size, &error)) {
        fail_msg("%s", error.message);
    }
    return path;
}

static const char *put_text(const char *name, const char *text)
{
    return put_file(name, text, strlen(text));
}

static void *expect(void *thing, const wr_error *error)
{
    if (!thing) {
        fail_msg("%s", error->message);
    }
    return thing;
}

static wr_model *read_model(const char *name, const char *text)
{
    wr_error error = {0};
    return expect(wr_model_read(put_text(name, text), NULL, &error), &error);
}

static wr_tet_mesh *read_tets(const char *text)
{
    wr_error error = {0};
    return expect(wr_tet_mesh_read(put_text("t.mesh", text), NULL, &error), &error);
}

static wr_matrix *read_matrix(const void *bytes, size_t size)
{
    wr_error error = {0};
    return expect(wr_matrix_read(put_file("m.dmat", bytes, size), NULL, &error), &error);
}

static wr_handle_graph *read_graph(const char *text)
{
    wr_error error = {0};
    return expect(wr_handle_graph_read(put_text("g.tgf", text), NULL, &error), &error);
}

static void expect_point(wr_vec3 p, float x, float y, float z)
{
    if (p.x != x || p.y != y || p.z != z) {
        fail_msg("found %g %g %g, expected %g %g %g", p.x, p.y, p.z, x, y, z);
    }
}

static void expect_ints(const int *found, int count, const int *expected)
{
    for (int i = 0; i < count; i++) {
        if (found[i] != expected[i]) {
            fail_msg("number %d is %d, expected %d", i, found[i], expected[i]);
        }
    }
}

// --- OFF --------------------------------------------------------------------------------------

#define FOUR "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
#define SIDES "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n"

static void off_headers_come_in_many_forms(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "OFF\n4 4 6\n" FOUR SIDES,
        "OFF 4 4 6\n" FOUR SIDES,
        "OFF4 4 6\n" FOUR SIDES, // as in ModelNet
        "4 4 6\n" FOUR SIDES,
        "OFF\n4 4\n" FOUR SIDES,
        "\xef\xbb\xbf# made by hand\nOFF # keyword\n\n# counts\n4 4 0\n\n" FOUR "#\n" SIDES "# end",
        "OFF\r\n4 4 6\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n0 0 1\r\n3 0 2 1\r\n3 0 1 3\r\n3 1 2 3\r\n"
        "3 2 0 3",
        "OFF\r4 4 6\r0 0 0\r1 0 0\r0 1 0\r0 0 1\r3 0 2 1\r3 0 1 3\r3 1 2 3\r3 2 0 3\r",
        "OFF\n4 6 6\n 0\t0 0\n1 0 0 \n0 1 0\n0 0 1\n1 0\n2 0 1\n" SIDES, // a point and an edge
    };
    static const int sides[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    for (int i = 0; i < WRI_COUNT(texts); i++) {
        wr_model *m = read_model("t.off", texts[i]);
        const wr_mesh *mesh = m->meshes;
        assert_string_equal(m->name, "t");
        assert_int_equal(mesh->vertex_count, 4);
        assert_int_equal(mesh->triangle_count, 4);
        expect_ints(mesh->triangles, 12, sides);
        expect_point(mesh->positions[3], 0, 0, 1);
        assert_null(mesh->normals);
        assert_null(mesh->colors);
        assert_null(mesh->uvs);
        assert_int_equal(m->look_count, 0);
        assert_int_equal(mesh->parts[0].triangle_count, 4);
        wr_model_destroy(m);
    }
}

static void off_keeps_normals_colors_and_texture_coordinates(void **state)
{
    (void)state;
    wr_model *m = read_model("t.off", "STCNOFF\n3 1 3\n"
                                      "0 0 0  0 0 2  255 0 0 51  0 0\n"
                                      "1 0 0  0 0 1  0 255 0  1 0.25\n"
                                      "0 1 0  0 1 0  0 0 255 255  0.5 1\n"
                                      "3 0 1 2\n");
    const wr_mesh *mesh = m->meshes;
    expect_point(mesh->normals[0], 0, 0, 1);
    expect_point(mesh->normals[2], 0, 1, 0);
    CHECK_NEAR(mesh->colors[0].r, 1.0, 0);
    CHECK_NEAR(mesh->colors[0].a, 0.2, 1e-6);
    CHECK_NEAR(mesh->colors[1].g, 1.0, 0);
    CHECK_NEAR(mesh->colors[1].a, 1.0, 0); // not said
    CHECK_NEAR(mesh->uvs[1].x, 1.0, 0);
    CHECK_NEAR(mesh->uvs[1].y, 0.75, 0); // ours count from the top
    wr_model_destroy(m);
    m = read_model("f.off", "COFF\n3 1 3\n0 0 0 0.5 0 0 1\n1 0 0 0 1 0 1\n0 1 0 0 0 1 0.5\n"
                            "3 0 1 2\n");
    CHECK_NEAR(m->meshes->colors[0].r, 0.2140411, 1e-6); // sRGB 0.5
    CHECK_NEAR(m->meshes->colors[2].a, 0.5, 0);
    wr_model_destroy(m);
}

static void off_polygons_are_cut_and_face_colors_become_looks(void **state)
{
    (void)state;
    wr_model *m = read_model("p.off", "OFF\n5 4 0\n0 0 0\n2 0 0\n2 2 0\n1 0.5 0\n0 2 0\n"
                                      "5 0 1 2 3 4 255 0 0 # not convex\n"
                                      "3 0 1 2 255 0 0\n3 0 1 2\n4 0 1 2 4 0 0 255 127.5\n");
    const wr_mesh *mesh = m->meshes;
    assert_int_equal(mesh->triangle_count, 3 + 1 + 1 + 2);
    double area = 0.0;
    for (int i = 0; i < 3; i++) {
        const int *t = &mesh->triangles[3 * i];
        wr_vec3 a = mesh->positions[t[0]];
        wr_vec3 n = wr_cross(wr_sub(mesh->positions[t[1]], a), wr_sub(mesh->positions[t[2]], a));
        assert_true(n.z > 0.0f); // none lies over another
        area += 0.5 * n.z;
    }
    CHECK_NEAR(area, 2.5, 1e-6); // the square less the notch
    assert_int_equal(m->look_count, 2);
    assert_int_equal(mesh->part_count, 3);
    assert_int_equal(mesh->parts[0].triangle_count, 4);
    assert_int_equal(mesh->parts[0].look, 0);
    assert_int_equal(mesh->parts[1].look, -1);
    assert_int_equal(mesh->parts[2].first_triangle, 5);
    assert_int_equal(mesh->parts[2].look, 1);
    CHECK_NEAR(m->looks[0].base_color.r, 1.0, 0);
    CHECK_NEAR(m->looks[1].base_color.b, 1.0, 0);
    CHECK_NEAR(m->looks[1].base_color.a, 0.5, 1e-6);
    wr_model_destroy(m);
}

// --- MEDIT ------------------------------------------------------------------------------------

#define HEAD "MeshVersionFormatted 1\nDimension 3\n"
// A corner of a cube, and the same tetrahedron mirrored at its slanted side.
#define CORNERS "Vertices\n5\n0 0 0 1\n1 0 0 2\n0 1 0 3\n0 0 1 4\n1 1 1 5\n"

static void medit_sections_may_come_in_any_clothes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD CORNERS "Tetrahedra\n2\n1 2 3 4 0\n5 2 4 3 0\nEnd\n",
        "MeshVersionFormatted 2\n\nDimension\n3\n" CORNERS "Tetrahedra 2 1 2 3 4 0 5 2 4 3 0",
        "# by hand\nMeshVersionFormatted\n1 # old\nDimension 3 " CORNERS
        "Corners\n2\n1\n2\nEdges 1\n1 2 -7\nRidges\n0\nGeometry \"a file\"\n"
        "NormalAtVertices 1\n1 1\nNormals\n1\n0 0 1e0\n# two\nTetrahedra\n2\n1 2 3 4 0\n5 2 4 3 0\n"
        "RequiredVertices\n1\n3\nEnd\nand what stands behind it",
        "MeshVersionFormatted 1\r\nDimension 3\r\nVertices\r\n5\r\n0 0 0 1\r\n1 0 0 2\r\n0 1 0 "
        "3\r\n"
        "0 0 1 4\r\n1 1 1 5\r\nTetrahedra\r\n2\r\n1 2 3 4 0\r\n5 2 4 3 0\r\n End",
        HEAD CORNERS "Tetrahedra\n1\n1 2 3 4 0\nTetrahedra\n1\n5 2 4 3 0\n",
    };
    static const int tetrahedra[8] = {0, 1, 2, 3, 4, 1, 3, 2};
    for (int i = 0; i < WRI_COUNT(texts); i++) {
        wr_tet_mesh *m = read_tets(texts[i]);
        assert_int_equal(m->vertex_count, 5);
        assert_int_equal(m->tetrahedron_count, 2);
        assert_int_equal(m->triangle_count, 0);
        expect_ints(m->tetrahedra, 8, tetrahedra);
        expect_point(m->positions[4], 1, 1, 1);
        wr_tet_volume v = wr_tet_mesh_volume(m);
        CHECK_NEAR(v.total, 1.0 / 6.0 + 1.0 / 3.0, 1e-12);
        assert_int_equal(v.inverted_count + v.flat_count, 0);
        wr_tet_mesh_destroy(m);
    }
}

// Every edge is used as often in one direction as in the other, and only once.
static void expect_closed(const wr_mesh *mesh)
{
    size_t n = 3 * (size_t)mesh->triangle_count, size = 64;
    while (size < 2 * n) {
        size *= 2;
    }
    uint64_t *table = calloc(size, sizeof *table);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            uint64_t a = (uint64_t)mesh->triangles[i];
            uint64_t b = (uint64_t)mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
            uint64_t key = pass == 0 ? (a + 1) << 32 | (b + 1) : (b + 1) << 32 | (a + 1);
            size_t slot = wri_hash(&key, sizeof key, 0) & (size - 1);
            while (table[slot] && table[slot] != key) {
                slot = (slot + 1) & (size - 1);
            }
            if ((table[slot] == 0) != (pass == 0)) {
                fail_msg("edge %d %d: %s", (int)a, (int)b, pass ? "has no other side" : "twice");
            }
            table[slot] = key;
        }
    }
    free(table);
}

static void the_surface_is_closed_and_looks_outwards(void **state)
{
    (void)state;
    // The second and third text: one or both tetrahedra with two corners exchanged.
    static const char *const texts[] = {
        HEAD CORNERS "Tetrahedra\n2\n1 2 3 4 0\n5 2 4 3 0\n",
        HEAD CORNERS "Tetrahedra\n2\n1 2 3 4 0\n5 2 3 4 0\n",
        HEAD CORNERS "Triangles 1\n1 2 3 0 Tetrahedra\n2\n2 1 3 4 0\n2 5 4 3 0\n",
    };
    static const int inverted[] = {0, 1, 2};
    for (int i = 0; i < WRI_COUNT(texts); i++) {
        wr_tet_mesh *tets = read_tets(texts[i]);
        assert_int_equal(wr_tet_mesh_volume(tets).inverted_count, inverted[i]);
        wr_tet_mesh_destroy(tets);
        wr_model *m = read_model("both.mesh", texts[i]);
        assert_string_equal(m->name, "both");
        assert_string_equal(m->nodes[0].name, "both");
        assert_int_equal(m->meshes->triangle_count, 6);
        assert_int_equal(m->meshes->vertex_count, 5);
        expect_closed(m->meshes);
        wr_mass_properties mass;
        wr_error error = {0};
        assert_true(wr_mesh_find_mass(m->meshes, 1.0, &mass, &error));
        CHECK_NEAR(mass.mass, 0.5, 1e-9);
        wr_model_destroy(m);
    }
}

static void the_surface_leaves_inner_vertices_out(void **state)
{
    (void)state;
    // A tetrahedron cut in four around its middle, which comes first; and a vertex of nothing.
    wr_model *m = read_model("four.mesh", HEAD
                             "Vertices 6\n1 1 1 0\n9 9 9 0\n0 0 0 0\n4 0 0 0\n0 4 0 0\n0 0 4 0\n"
                             "Tetrahedra 4\n1 4 5 6 0\n3 1 5 6 0\n3 4 1 6 0\n3 4 5 1 0\nEnd");
    assert_int_equal(m->meshes->vertex_count, 4);
    assert_int_equal(m->meshes->triangle_count, 4);
    expect_point(m->meshes->positions[0], 0, 0, 0);
    expect_point(m->meshes->positions[3], 0, 0, 4);
    expect_closed(m->meshes);
    wr_model_destroy(m);
}

static void medit_without_tetrahedra_is_its_triangles(void **state)
{
    (void)state;
    wr_model *m = read_model("s.mesh", HEAD CORNERS "Triangles\n1\n1 3 2 9\n"
                                                    "Quadrilaterals\n1\n1 2 5 3 9\nEnd\n");
    static const int triangles[9] = {0, 2, 1, 0, 1, 3, 0, 3, 2};
    assert_int_equal(m->meshes->triangle_count, 3);
    assert_int_equal(m->meshes->vertex_count, 4); // (0, 0, 1) is not used
    expect_ints(m->meshes->triangles, 9, triangles);
    wr_model_destroy(m);
}

// --- DMAT -------------------------------------------------------------------------------------

static void dmat_values_stand_column_by_column(void **state)
{
    (void)state;
    static const char *const texts[] = {"2 3\n1\n2\n3\n4\n5e-1\n-6\n", "2 3 1 2 3 4 0.5 -6",
                                        "2 3\r\n1\r\n2\r\n3\r\n\r\n4\r\n.5\r\n-6.\r\n"};
    static const double values[6] = {1, 2, 3, 4, 0.5, -6};
    for (int i = 0; i < WRI_COUNT(texts); i++) {
        wr_matrix *m = read_matrix(texts[i], strlen(texts[i]));
        assert_int_equal(m->rows, 3);
        assert_int_equal(m->columns, 2);
        assert_memory_equal(m->values, values, sizeof values);
        wr_matrix_destroy(m);
    }
}

// As igl::writeDMAT(..., false) does it; the bytes spelt out so that any machine agrees.
static const char binary_dmat[] = "0 0\n1 2\n"
                                  "\0\0\0\0\0\0\xf8\x3f"              // 1.5
                                  "\x9a\x99\x99\x99\x99\x99\xb9\xbf"; // -0.1

static void dmat_is_read_as_bytes_too(void **state)
{
    (void)state;
    wr_matrix *m = read_matrix(binary_dmat, sizeof binary_dmat - 1);
    assert_int_equal(m->rows, 2);
    assert_int_equal(m->columns, 1);
    assert_true(m->values[0] == 1.5 && m->values[1] == -0.1);
    wr_matrix_destroy(m);
}

// --- TGF --------------------------------------------------------------------------------------

static const char graph_text[] = "   7 1 2 3 nan 1e999 more\n-2 -1 .5 0\r\n\n3 0 0 0 0 0\n#\n"
                                 "7 -2\n3 7 1 0 0 \n3 -2 0 1 1 8 9\n#\n1 2 3 4\nanything\n";

static void tgf_edges_join_nodes_by_their_ids(void **state)
{
    (void)state;
    wr_handle_graph *g = read_graph(graph_text);
    static const int ids[3] = {7, -2, 3};
    assert_int_equal(g->node_count, 3);
    assert_int_equal(g->edge_count, 3);
    expect_ints(g->ids, 3, ids);
    expect_point(g->positions[0], 1, 2, 3);
    expect_point(g->positions[1], -1, 0.5f, 0);
    static const wr_handle_edge edges[3] = {
        {0, 1, true, false, false}, {2, 0, true, false, false}, {2, 1, false, true, true}};
    for (int i = 0; i < 3; i++) {
        const wr_handle_edge *e = &g->edges[i];
        assert_int_equal(e->from, edges[i].from);
        assert_int_equal(e->to, edges[i].to);
        assert_int_equal(e->is_bone, edges[i].is_bone);
        assert_int_equal(e->is_pseudo, edges[i].is_pseudo);
        assert_int_equal(e->is_cage, edges[i].is_cage);
    }
    wr_handle_graph_destroy(g);
    g = read_graph("1 0 0 0\n2 1 1 1"); // point handles alone
    assert_int_equal(g->node_count, 2);
    assert_int_equal(g->edge_count, 0);
    wr_handle_graph_destroy(g);
}

// --- OBJ and PLY of the wild ------------------------------------------------------------------

static void obj_forgives_what_programs_write(void **state)
{
    (void)state;
    put_text("my looks.mtl", "newmtl dark blue\r\nKd 0 0 1\r\n");
    put_text("more.mtl", "newmtl red #1\nKd 1 0 0\n");
    wr_model *m = read_model(
        "wild.obj",
        "\xef\xbb\xbfv 0 0 0\r\nv\t1 0 0\r\nv 1 \\\r\n 1 0\r\nv 0 1 0 1.0\r\nvn 0 0 1\r\n"
        "vt 0\r\nvt 0.5 0.5\r\nvt 1 1 0\r\nvp 0.1 0.2\r\n"
        "mtllib missing.mtl my looks.mtl other one.mtl more.mtl\r\n"
        "g a b c\r\ns off\r\ns 1\r\nl 1 2 3\r\np 1\r\n"
        "usemtl dark blue\r\nf 1//1 2//1 3//1\r\n"
        "usemtl red\r\nf -4/-3/-1 -2/-2/-1 \\\r\n-1/-1/-1 \r\n\tf 1/1 2/2/ 3 # mixed\r\n"
        "cstype bezier\r\nend\r\n");
    const wr_mesh *mesh = m->meshes;
    assert_int_equal(m->mesh_count, 1);
    assert_int_equal(mesh->triangle_count, 3);
    assert_int_equal(m->look_count, 2);
    assert_int_equal(mesh->part_count, 2);
    assert_string_equal(m->looks[mesh->parts[0].look].name, "dark blue");
    assert_string_equal(m->looks[mesh->parts[1].look].name, "red");
    CHECK_NEAR(m->looks[mesh->parts[1].look].base_color.r, 1.0, 0);
    expect_point(mesh->positions[mesh->triangles[0]], 0, 0, 0);
    expect_point(mesh->positions[mesh->triangles[2]], 1, 1, 0); // the continued line
    expect_point(mesh->positions[mesh->triangles[3]], 0, 0, 0);
    expect_point(mesh->positions[mesh->triangles[5]], 0, 1, 0);
    CHECK_NEAR(mesh->uvs[mesh->triangles[4]].x, 0.5, 0);
    wr_model_destroy(m);
}

// Counted back from the end, as far as the first of many.
static void obj_indices_may_count_from_the_end(void **state)
{
    (void)state;
    char text[400] = "";
    for (int i = 0; i < 12; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "v %d %d 0\nvt 0.%02d 0\nvn 0 0 1\n", i, i * i,
                 i);
    }
    strcat(text, "f -12/-1/-3 -11/-2/-2 -1/-12/-1\n");
    wr_model *model = read_model("back.obj", text);
    const wr_mesh *mesh = model->meshes;
    static const int corners[] = {0, 1, 11};
    static const float coordinates[] = {0.11f, 0.10f, 0.00f};
    for (int i = 0; i < 3; i++) {
        int v = mesh->triangles[i];
        assert_true(mesh->positions[v].x == (float)corners[i]);
        CHECK_NEAR(mesh->uvs[v].x, coordinates[i], 1e-7);
    }
    wr_model_destroy(model);
}

static void obj_that_names_libraries_forever_is_refused(void **state)
{
    (void)state;
    enum { LINES = 400, LINE = 7 + 2 * 32 + 1 };
    char *text = malloc(LINES * LINE + 1), *at = text;
    for (int i = 0; i < LINES; i++) {
        memcpy(at, "mtllib ", 7);
        for (int k = 0; k < 32; k++) {
            memcpy(at + 7 + 2 * k, "a ", 2);
        }
        at[LINE - 1] = '\n';
        at += LINE;
    }
    *at = 0;
    wr_error error = {0};
    assert_null(wr_model_read(put_text("forever.obj", text), NULL, &error));
    assert_int_equal(error.code, WR_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "forever.obj: names more than 10000 material libraries"));
    free(text);
}

static void ply_forgives_what_programs_write(void **state)
{
    (void)state;
    wr_model *m = read_model(
        "wild.ply", "\xef\xbb\xbfply\r\nformat ascii 1.0\r\ncomment made by a b c d e f g h i j\r\n"
                    "obj_info num_cols 512\r\n\r\nelement  vertex 4\r\nproperty double x\r\n"
                    "property float64 y\r\nproperty\tdouble z\r\nproperty uchar quality\r\n"
                    "property list uchar float rest\r\n"
                    "element edge 1\r\nproperty int vertex1\r\nproperty int vertex2\r\n"
                    "element face 2\r\nproperty uchar flags\r\n"
                    "property list uint8 uchar vertex_indices\r\n"
                    "property list uchar float texcoord\r\nelement tristrips 0\r\n"
                    "property list int int vertex_indices\r\nend_header\r\n"
                    "0 0 0 1 0\r\n1 0 0 2 1 0.5\r\n1 1 0 3 2 1 2\r\n0 1e0 0 4 0\r\n0 1\r\n"
                    "7 3 0 1 2 6 0 0 1 0 1 1\r\n8 4 0 1 2 3 0");
    assert_int_equal(m->meshes->vertex_count, 4);
    assert_int_equal(m->meshes->triangle_count, 3);
    expect_point(m->meshes->positions[3], 0, 1, 0);
    wr_model_destroy(m);
}

// --- broken files -----------------------------------------------------------------------------

typedef struct broken {
    const char *name, *text;
    const char *sentence; // behind the path
} broken;

#define OFF "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n"
#define V3 "Vertices\n3\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
#define NODES "1 0 0 0\n2 1 0 0\n#\n"
#define PLY "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"

static const broken broken_files[] = {
    {"a.off", "", ": the file is empty"},
    {"a.off", "# nothing\n", ":2: the file ends here, expected OFF"},
    {"a.off", "OGF\n1 1 1\n", ":1: \"OGF\" is not OFF, COFF, NOFF, STOFF or a mix of them"},
    {"a.off", "XOFF\n1 1 1\n", ":1: \"XOFF\" is not OFF, COFF, NOFF, STOFF or a mix of them"},
    {"a.off", "4OFF\n1 1 1\n", ":1: OFF with more than three dimensions cannot be read"},
    {"a.off", "# x\nnOFF\n4\n1 1 1\n", ":2: OFF with more than three dimensions cannot be read"},
    {"a.off", "OFF BINARY\n\1\2\3", ":1: binary OFF cannot be read"},
    {"a.off", "OFF\n", ":2: the file ends here, expected the number of vertices"},
    {"a.off", "OFF\n-3 1 0\n",
     ":2: \"-3\" cannot be the number of vertices, expected a whole number from 0 to 2147483647"},
    {"a.off", "OFF\n3.5 1 0\n",
     ":2: \"3.5\" cannot be the number of vertices, expected a whole number from 0 to 2147483647"},
    {"a.off", "OFF\n1000000000 1 0\n0 0 0\n",
     ":2: the number of vertices is 1000000000, which cannot fit into the rest of the file"},
    {"a.off", "OFF\n1 99 0\n0 0 0\n",
     ":2: the number of faces is 99, which cannot fit into the rest of the file"},
    {"a.off", "OFF\n2 1 0\n0 0 0\n0 x 0\n3 0 1 0\n",
     ":4: \"x\" is not a finite number, expected a vertex"},
    {"a.off", "OFF\n2 1 0\n0 0 0\n0 1e39 0\n3 0 1 0\n",
     ":4: \"1e39\" is not a finite number, expected a vertex"},
    {"a.off", "OFF\n2 1 0\n0 0 0\n0 nan 0\n3 0 1 0\n",
     ":4: \"nan\" is not a finite number, expected a vertex"},
    {"a.off", "OFF\n2 1 0\n0 0 0\n1 2\n3 0 1 0\n",
     ":4: vertex 1 has 2 numbers in its line, expected 3"},
    {"a.off", "OFF\n2 1 0\n0 0 0 255 0 0\n1 2 3\n3 0 1 0\n",
     ":3: vertex 0 has 6 numbers in its line, expected 3"},
    {"a.off", "COFF\n2 1 0\n0 0 0\n1 2 3\n3 0 1 0\n",
     ":3: vertex 0 has 3 numbers in its line, expected 6 or one more"},
    {"a.off", "OFF\n1 1 0\n1 2 3 4 5 6 7 8 9 10 11 12 13\n3 0 0 0\n",
     ":3: more than 12 numbers in a line, expected a vertex"},
    {"a.off", OFF "3 0 1 3\n",
     ":6: \"3\" cannot be a vertex of a face, expected a whole number from 0 to 2"},
    {"a.off", OFF "3 0 1 -1\n",
     ":6: \"-1\" cannot be a vertex of a face, expected a whole number from 0 to 2"},
    {"a.off", OFF "300 0 1 2\n",
     ":6: the number of corners is 300, which cannot fit into the rest of the file"},
    {"a.off", OFF "3 0 1 2 red\n",
     ":6: \"red\" is not a finite number, expected the colour of a face"},
    {"a.off", OFF "3 0 1\n", ":7: the file ends here, expected a vertex of a face"},
    {"a.off", OFF "3 0 1 2\n3 0 1 2\n", ":7: more than 1 faces, expected the end of the file"},
    {"a.off", OFF "2 0 1\n", ":7: holds no faces"},

    {"a.mesh", "Mesh 1\n", ":1: expected MeshVersionFormatted at the beginning"},
    {"a.mesh", "MeshVersionFormatted 3\n",
     ":1: \"3\" cannot be the version, expected a whole number from 1 to 2"},
    {"a.mesh", "MeshVersionFormatted 1\nVertices\n", ":2: expected Dimension 3"},
    {"a.mesh", "MeshVersionFormatted 1\nDimension\n2\n",
     ":3: \"2\" cannot be the dimension, expected 3"},
    {"a.mesh", HEAD, ":3: holds no triangles and no tetrahedra"},
    {"a.mesh", HEAD V3 "End\n", ":8: holds no triangles and no tetrahedra"},
    {"a.mesh", HEAD "Triangles\n1\n1 2 3 0\n" V3, ":3: Triangles before Vertices cannot be read"},
    {"a.mesh", HEAD V3 V3, ":8: more than one section Vertices"},
    {"a.mesh", HEAD "Vertices\n30\n0 0 0 0\n",
     ":4: the number of vertices is 30, which cannot fit into the rest of the file"},
    {"a.mesh", HEAD "Vertices 2\n0 0 zero 0\n1 1 1 1\n",
     ":4: \"zero\" is not a finite number, expected z of a vertex"},
    {"a.mesh", HEAD "Vertices\n2\n0 0 0\n0.5 0 0\n",
     ":6: \"0.5\" cannot be the reference at the end of a row, expected a whole number from "
     "-2147483648 to 2147483647"},
    {"a.mesh", HEAD V3 "Tetrahedra\n1\n1 2 3 4 0\n",
     ":10: \"4\" cannot be a corner of a tetrahedron, expected a whole number from 1 to 3"},
    {"a.mesh", HEAD V3 "Triangles\n1\n0 2 3 0\n",
     ":10: \"0\" cannot be a corner of a triangle, expected a whole number from 1 to 3"},
    {"a.mesh", HEAD V3 "Quadrilaterals\n1\n1 2 3 1.5 0\n",
     ":10: \"1.5\" cannot be a corner of a quadrilateral, expected a whole number from 1 to 3"},
    {"a.mesh", HEAD V3 "Triangles\n2000000000\n1 2 3 0\n",
     ":9: the number of triangles is 2000000000, which cannot fit into the rest of the file"},
    {"a.mesh", HEAD V3 "Triangles\n1\n1 2     3",
     ":10: the file ends here, expected the reference at the end of a row"},
    {"a.mesh", HEAD V3 "Tetraedra\n1\n1 2 3 1 0\n",
     ":8: unknown section \"Tetraedra\"; did you mean \"Tetrahedra\"?"},
    {"a.mesh", HEAD V3 "Triangles\n1\n1 2 3 0\n1 2 3 0\n",
     ":11: \"1\" stands where a section must begin"},
    {"a.mesh", HEAD CORNERS "Tetrahedra\n2\n1 2 3 4 0\n4 3 2 1 0\n",
     ": no face belongs to one tetrahedron only"},

    {"a.dmat", "", ":1: the file ends here, expected the number of columns"},
    {"a.dmat", "3\n", ":2: the file ends here, expected the number of rows"},
    {"a.dmat", "-1 2\n",
     ":1: \"-1\" cannot be the number of columns, expected a whole number from 0 to 2147483647"},
    {"a.dmat", "2 two\n",
     ":1: \"two\" cannot be the number of rows, expected a whole number from 0 to 2147483647"},
    {"a.dmat", "0 0\n", ":1: the matrix holds no values"},
    {"a.dmat", "3 0\n", ":1: the matrix holds no values"},
    {"a.dmat", "2000000000 2000000000\n1\n",
     ":1: a matrix of 2000000000 rows and 2000000000 columns cannot fit into the rest of the file"},
    {"a.dmat", "1 4\n1\n2\n",
     ":1: a matrix of 4 rows and 1 columns cannot fit into the rest of "
     "the file"},
    {"a.dmat", "1 3\n1\n2000\n", ":4: the file ends here, expected a value of the matrix"},
    {"a.dmat", "1 2\n1\nnan\n",
     ":3: \"nan\" is not a finite number, expected a value of the matrix"},
    {"a.dmat", "1 2\n1\n0x10\n",
     ":3: \"0x10\" is not a finite number, expected a value of the matrix"},
    {"a.dmat", "1 2\n1\n2\n3\n", ":4: more than 2 x 1 values, expected the end of the file"},
    {"a.dmat", "0 0\n1 x\n",
     ":2: \"x\" cannot be the number of rows, expected a whole number from 0 to 2147483647"},
    {"a.dmat", "0 0\n1 1", ":2: expected a line end behind the number of rows"},
    {"a.dmat", "0 0\n1 2\n12345678",
     ":2: a matrix of 2 rows and 1 columns cannot fit into the rest of the file"},
    {"a.dmat", "0 0\n1 1\n123456789",
     ": byte 16: expected the end of the file behind 1 x 1 values"},
    {"a.dmat", "0 0\n2 1\n12345678\xff\xff\xff\xff\xff\xff\xff\xff",
     ": byte 16: a value is not finite"},

    {"a.tgf", "", ":1: holds no nodes"},
    {"a.tgf", "#\n", ":2: holds no nodes"},
    {"a.tgf", "1 0 0\n", ":1: the line ends here, expected z of a node"},
    {"a.tgf", "1 0 0 0\nb 1 1 1\n",
     ":2: \"b\" cannot be the id of a node, expected a whole number from -2147483648 to "
     "2147483647"},
    {"a.tgf", "1 0 0 0\n2 1 inf 1\n", ":2: \"inf\" is not a finite number, expected y of a node"},
    {"a.tgf", "1 0 0 0\n1 1 1 1\n", ":2: a second node with the id 1"},
    {"a.tgf", NODES "1 3\n", ":4: there is no node with the id 3"},
    {"a.tgf", NODES "0 1\n", ":4: there is no node with the id 0"},
    {"a.tgf", NODES "1 2\n1\n", ":5: the line ends here, expected the second node of an edge"},
    {"a.tgf", NODES "2 2\n", ":4: an edge joins a node with itself"},
    {"a.tgf", NODES "1 2 2\n",
     ":4: \"2\" cannot be a flag of an edge, expected a whole number from 0 to 1"},

    {"a.obj", "v 0 0 0\nf 1 1 1/1/1/1\n",
     ":2: f: texture coordinate 1 does not exist, there are 0 "
     "so far"},
    {"a.obj", "v 0 0 0\nvn 0 0 1\nf 1//1 1//2 1//1\n",
     ":3: f: normal 2 does not exist, there are 1 so far"},
    {"a.obj", "v 0 0 0\nf 1 \\\n1 \\\nx\n", ":4: f: \"x\" is not an index"},
    {"a.obj", "v 0 0 0\nf /1 1 1\n",
     ":2: f: texture coordinate 1 does not exist, there are 0 so "
     "far"},
    {"a.obj", "v 0 0 0\nf // 1 1\n", ":2: f: expected corners as v, v/vt, v//vn or v/vt/vn"},
    {"a.obj", "vn 0 1\n", ":1: vn: expected three numbers"},
    {"a.obj", "vt\n", ":1: vt: expected two numbers"},
    {"a.obj", "# a\rv 0 0 0\nl 1 2\n", ": holds no triangles"},

    {"a.ply", PLY "element tristrips 1\n", ":3: triangle strips cannot be read, expected faces"},
    {"a.ply", "ply\nformat ascii 2.0\n", ":2: expected version 1.0"},
    {"a.ply", PLY "element vertex many\n", ":3: expected element NAME COUNT"},
    {"a.ply", PLY "element vertex 1\nproperty list float int x\n",
     ":4: the length of a list must have a whole type"},
    {"a.ply", PLY "element vertex 1\n" XYZ "end_header\n0 0   \n",
     ":9: the file ends here, expected a number"},
    {"a.ply", PLY "element vertex 1\n" XYZ "element vertex 1\n" XYZ "end_header\n0 0 0\n1 1 1\n",
     ":7: more than one element called vertex"},
    {"a.ply", PLY "element vertex 3\nelement vertex 3\n" XYZ "end_header\n0 0 0\n1 1 1\n",
     ":4: more than one element called vertex"},
};

// Reads with whatever the ending asks for; true when something came out.
static bool read_any(const char *path, const wr_allocator *allocator, wr_error *error)
{
    const wr_read_options options = {.allocator = allocator};
    const char *ending = strrchr(path, '.');
    if (strcmp(ending, ".dmat") == 0) {
        wr_matrix *matrix = wr_matrix_read(path, allocator, error);
        wr_matrix_destroy(matrix);
        return matrix != NULL;
    }
    if (strcmp(ending, ".tgf") == 0) {
        wr_handle_graph *graph = wr_handle_graph_read(path, &options, error);
        wr_handle_graph_destroy(graph);
        return graph != NULL;
    }
    wr_model *model = wr_model_read(path, &options, error);
    wr_model_destroy(model);
    return model != NULL;
}

static void every_broken_file_gets_its_sentence(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < WRI_COUNT(broken_files); i++) {
        const broken *b = &broken_files[i];
        const char *path = put_text(b->name, b->text);
        char expected[1024];
        snprintf(expected, sizeof expected, "%s%s", path, b->sentence);
        wr_error error = {0};
        bool read = read_any(path, NULL, &error);
        if (read || strcmp(error.message, expected) != 0 ||
            (error.code != WR_E_FORMAT && error.code != WR_E_UNSUPPORTED)) {
            print_message("%d: found    \"%s\"\n    expected \"%s\"\n", i, error.message, expected);
            wrong++;
        }
        assert_false(read_any(path, NULL, NULL)); // nobody needs to ask why
    }
    assert_int_equal(wrong, 0);
}

static void missing_files_are_one_sentence(void **state)
{
    (void)state;
    static const char *const names[] = {"no.off", "no.mesh", "no.dmat", "no.tgf"};
    for (int i = 0; i < WRI_COUNT(names); i++) {
        wr_error error = {0};
        char expected[1024];
        snprintf(expected, sizeof expected, "%s: cannot open: No such file or directory",
                 in_folder(names[i]));
        assert_false(read_any(in_folder(names[i]), NULL, &error));
        assert_int_equal(error.code, WR_E_IO);
        assert_string_equal(error.message, expected);
    }
}

// --- memory -----------------------------------------------------------------------------------

static const struct {
    const char *name, *bytes;
    size_t size;
} samples[] = {
#define SAMPLE(name, text)                                                                         \
    {                                                                                              \
        name, text, sizeof text - 1                                                                \
    }
    SAMPLE("s.off", "STCNOFF 3 2 0\n0 0 0 0 0 1 1 0 0 1 0 0\n1 0 0 0 0 1 1 0 0 1 0 0\n"
                    "0 1 0 0 0 1 1 0 0 1 0 0\n3 0 1 2 9 9 9\n4 0 1 2 0\n"),
    SAMPLE("s.mesh", HEAD CORNERS "Triangles\n1\n1 2 3 0\nQuadrilaterals 1\n1 2 5 3 0\n"
                                  "Corners 1\n1\nTetrahedra\n2\n1 2 3 4 0\n5 2 4 3 0\nEnd\n"),
    SAMPLE("s.dmat", "2 2\n1\n2.5\n-3e-2\n4\n"),
    SAMPLE("b.dmat", "0 0\n1 2\n\0\0\0\0\0\0\xf8\x3f\x9a\x99\x99\x99\x99\x99\xb9\xbf"),
    SAMPLE("s.tgf", "1 0 0 0\n2 1 0 0\n3 1 1 1\n#\n1 2\n2 3 1 0 0\n#\n"),
    SAMPLE("s.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nmtllib a b\no a\n"
                    "f 1/1/1 2//1 \\\n3\ng x\nf -1 -2 -3\n"),
    SAMPLE("s.ply", PLY "element vertex 3\n" XYZ "property uchar red\nelement face 1\n"
                        "property list uchar int vertex_index\nend_header\n"
                        "0 0 0 1\n1 0 0 2\n0 1 0 3\n3 0 1 2\n"),
};

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(samples); i++) {
        const char *path = put_file(samples[i].name, samples[i].bytes, samples[i].size);
        bool read = false;
        for (int budget = 0; !read; budget++) {
            counting_heap heap = {.budget = budget};
            wr_allocator allocator = counting_allocator(&heap);
            wr_error error = {0};
            read = read_any(path, &allocator, &error);
            if (!read && error.code != WR_E_MEMORY) {
                fail_msg("%s, allocation %d: %s", samples[i].name, budget, error.message);
            }
            assert_int_equal(heap.alive, 0);
        }
    }
}

static void big_promises_of_small_files_take_no_memory(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"p.off", "OFF\n2000000000 2000000000 0\n0 0 0\n"},
        {"p.off", "OFF\n1 1 0\n0 0 0\n2147483647 0 0 0\n"},
        {"p.mesh", HEAD "Vertices\n2147483647\n0 0 0 0\n"},
        {"p.mesh", HEAD V3 "Tetrahedra\n2147483647\n1 2 3 1 0\n"},
        {"p.mesh", HEAD V3 "Quadrilaterals\n1000000000\n1 2 3 1 0\n"},
        {"p.dmat", "2147483647 2147483647\n1\n"},
        {"p.dmat", "0 0\n65536 65536\n12345678"},
    };
    for (int i = 0; i < WRI_COUNT(texts); i++) {
        counting_heap heap = {.budget = INT32_MAX};
        wr_allocator allocator = counting_allocator(&heap);
        assert_false(read_any(put_text(texts[i][0], texts[i][1]), &allocator, NULL));
        if (heap.largest > 20000) {
            fail_msg("%s: asked for %zu bytes", texts[i][1], heap.largest);
        }
    }
}

// --- damage -----------------------------------------------------------------------------------

// Reads from a block of exactly this size, so that a sanitizer sees every byte too many.
static bool try_bytes(const char *name, const char *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    const char *ending = strrchr(name, '.');
    wr_error error = {0};
    bool read;
    if (strcmp(ending, ".dmat") == 0) {
        wr_matrix *matrix = wri_dmat_read(name, copy, size, NULL, &error);
        for (int i = 0; matrix && i < matrix->rows * matrix->columns; i++) {
            assert_true(isfinite(matrix->values[i]));
        }
        read = matrix != NULL;
        wr_matrix_destroy(matrix);
    } else if (strcmp(ending, ".tgf") == 0) {
        wr_handle_graph *graph = wri_tgf_read(name, copy, size, NULL, &error);
        for (int i = 0; graph && i < graph->edge_count; i++) {
            assert_in_range(graph->edges[i].from, 0, graph->node_count - 1);
            assert_in_range(graph->edges[i].to, 0, graph->node_count - 1);
        }
        read = graph != NULL;
        wr_handle_graph_destroy(graph);
    } else {
        wr_model *model =
            strcmp(ending, ".off") == 0   ? wri_off_read(name, copy, size, NULL, &error)
            : strcmp(ending, ".obj") == 0 ? wri_obj_read(name, copy, size, NULL, &error)
            : strcmp(ending, ".ply") == 0 ? wri_ply_read(name, copy, size, NULL, &error)
                                          : wri_medit_read_model(name, copy, size, NULL, &error);
        read = model != NULL;
        if (read) {
            assert_true(wri_model_check(model, name, WR_E_FORMAT, &error));
        }
        wr_model_destroy(model);
    }
    if (!read && !error.message[0]) {
        fail_msg("%s: no sentence", name);
    }
    free(copy);
    return read;
}

static void files_cut_off_anywhere_do_no_harm(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(samples); i++) {
        assert_true(try_bytes(samples[i].name, samples[i].bytes, samples[i].size));
        for (size_t size = 0; size < samples[i].size; size++) {
            try_bytes(samples[i].name, samples[i].bytes, size);
        }
    }
    for (size_t size = 0; size < sizeof binary_dmat - 1; size++) { // bytes never pass for less
        assert_false(try_bytes("b.dmat", binary_dmat, size));
    }
}

static void flipped_bytes_never_do_harm(void **state)
{
    (void)state;
    enum { ROUNDS = 4000 };
    uint64_t seed = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < WRI_COUNT(samples); i++) {
        char copy[512];
        size_t size = samples[i].size;
        int sound = 0;
        assert_true(size <= sizeof copy);
        for (int round = 0; round < ROUNDS; round++) {
            memcpy(copy, samples[i].bytes, size);
            for (int k = 1 + (int)(random_bits(&seed) % 3); k > 0; k--) {
                uint64_t r = random_bits(&seed);
                char *at = &copy[r % size];
                *at = r >> 60 < 8 ? (char)(*at ^ 1 << (r >> 40 & 7)) : "019-e\n #"[r >> 32 & 7];
            }
            sound += try_bytes(samples[i].name, copy, size);
        }
        assert_in_range(sound, 1, ROUNDS - 1); // otherwise nothing was tried
    }
}

// --- files of others --------------------------------------------------------------------------

static const char *data_path(const char *name)
{
    static char path[1024];
    const char *data = getenv("WROUGHT_DATA");
    snprintf(path, sizeof path, "%s/%s", data ? data : ".", name);
    if (!data || !wri_file_exists(path)) {
        print_message("skipped: %s is not there (WROUGHT_DATA)\n", name);
        skip();
    }
    return path;
}

static void expect_bounds(wr_box box, const double bounds[6])
{
    const float found[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(found[i], bounds[i], 1e-7 * fabs(bounds[i]));
    }
}

// All constants below were found by a few lines of Python that split the files at blanks.
static void off_files_of_others_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int vertices, triangles;
        double bounds[6];
    } files[] = {
        {"libigl/bunny.off",
         3485,
         6966,
         {-0.0947581, 0.0329874, -0.0619614, 0.0610375, 0.187363, 0.0588308}},
        {"libigl/cow.off",
         2762,
         5520,
         {-0.522196, -0.319838, -0.170141, 0.522196, 0.319838, 0.170141}},
        {"libigl/decimated-knight.off",
         502,
         1000,
         {0.228402003645897, 0.0513135008513927, 0.36039200425148, 0.771604001522064,
          0.950226008892059, 0.635456025600433}},
    };
    for (int i = 0; i < WRI_COUNT(files); i++) {
        wr_error error = {0};
        wr_model *m = expect(wr_model_read(data_path(files[i].name), NULL, &error), &error);
        assert_int_equal(m->meshes->vertex_count, files[i].vertices);
        assert_int_equal(m->meshes->triangle_count, files[i].triangles);
        expect_bounds(wr_mesh_bounds(m->meshes), files[i].bounds);
        expect_closed(m->meshes);
        wr_model_destroy(m);
    }
}

static void tetrahedra_of_others_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int vertices, tetrahedra, triangles, inverted, surface_vertices, surface_triangles;
        double volume, bounds[6];
    } files[] = {
        {"libigl/hand.mesh",
         7234,
         29998,
         9556,
         0,
         4780,
         9556,
         0.16046557598879294,
         {-0.578565, -0.806256, -0.286928, 0.578565, 0.763502, 0.286928}},
        {"libigl/octopus-low.mesh",
         452,
         1140,
         898,
         0,
         451,
         898,
         0.009135547847518207,
         {-0.460819, -0.319216, -0.191107, 0.52901, 0.416735, 0.354741}},
        // The other way round than the two above, all but one.
        {"ebpd/barrel/mesh.mesh",
         1790,
         8238,
         17216,
         8237,
         742,
         1480,
         -215877.93601760198,
         {-33.2445, -22.7902, -33.1984, 32.8646, 53.1932, 32.8042}},
    };
    for (int i = 0; i < WRI_COUNT(files); i++) {
        wr_error error = {0};
        const char *path = data_path(files[i].name);
        wr_tet_mesh *m = expect(wr_tet_mesh_read(path, NULL, &error), &error);
        assert_int_equal(m->vertex_count, files[i].vertices);
        assert_int_equal(m->tetrahedron_count, files[i].tetrahedra);
        assert_int_equal(m->triangle_count, files[i].triangles);
        wr_tet_volume volume = wr_tet_mesh_volume(m);
        assert_int_equal(volume.inverted_count, files[i].inverted);
        assert_int_equal(volume.flat_count, 0);
        CHECK_NEAR(volume.total, files[i].volume, 1e-6 * fabs(files[i].volume));
        wr_box box = WR_BOX_EMPTY;
        for (int k = 0; k < m->vertex_count; k++) {
            box = wr_box_add(box, m->positions[k]);
        }
        expect_bounds(box, files[i].bounds);
        wr_tet_mesh_destroy(m);
        wr_model *surface = expect(wr_model_read(path, NULL, &error), &error);
        assert_int_equal(surface->meshes->vertex_count, files[i].surface_vertices);
        assert_int_equal(surface->meshes->triangle_count, files[i].surface_triangles);
        expect_closed(surface->meshes);
        wr_mass_properties mass;
        assert_true(wr_mesh_find_mass(surface->meshes, 1.0, &mass, &error));
        CHECK_NEAR(mass.mass, fabs(files[i].volume), 1e-5 * fabs(files[i].volume));
        wr_model_destroy(surface);
    }
}

// What stands in a .mesh, by the C library and as simply as can be: no one else here reads MEDIT.
typedef struct plain_mesh {
    int vertices, tetrahedra, triangles;
    double low[3], high[3];
} plain_mesh;

static int count_of(const char *text, const char *keyword)
{
    const char *at = strstr(text, keyword);
    return at ? (int)strtol(at + strlen(keyword), NULL, 10) : 0;
}

static plain_mesh read_plainly(const char *text)
{
    plain_mesh m = {.vertices = count_of(text, "\nVertices"),
                    .tetrahedra = count_of(text, "\nTetrahedra"),
                    .triangles = count_of(text, "\nTriangles"),
                    .low = {INFINITY, INFINITY, INFINITY},
                    .high = {-INFINITY, -INFINITY, -INFINITY}};
    char *at = (char *)strstr(text, "\nVertices") + strlen("\nVertices");
    strtol(at, &at, 10);
    for (int i = 0; i < m.vertices; i++) {
        for (int k = 0; k < 3; k++) {
            double x = strtod(at, &at);
            m.low[k] = fmin(m.low[k], x);
            m.high[k] = fmax(m.high[k], x);
        }
        strtol(at, &at, 10);
    }
    return m;
}

static void tetrahedra_of_others_agree_with_their_text(void **state)
{
    (void)state;
    static const char *const names[] = {"libigl/hand.mesh", "libigl/octopus-low.mesh",
                                        "ebpd/barrel/mesh.mesh"};
    for (int i = 0; i < WRI_COUNT(names); i++) {
        wr_error error = {0};
        const char *path = data_path(names[i]);
        size_t size = 0;
        char *text = expect(wri_file_read(path, 1 << 24, NULL, &size, &error), &error);
        plain_mesh plain = read_plainly(text);
        wr_tet_mesh *m = expect(wr_tet_mesh_read(path, NULL, &error), &error);
        assert_int_equal(m->vertex_count, plain.vertices);
        assert_int_equal(m->tetrahedron_count, plain.tetrahedra);
        assert_int_equal(m->triangle_count, plain.triangles);
        wr_box box = WR_BOX_EMPTY;
        for (int k = 0; k < m->vertex_count; k++) {
            box = wr_box_add(box, m->positions[k]);
        }
        const float *low = &box.min.x, *high = &box.max.x;
        for (int k = 0; k < 3; k++) {
            assert_true(low[k] == (float)plain.low[k] && high[k] == (float)plain.high[k]);
        }
        wr_tet_mesh_destroy(m);
        wri_free(NULL, text, size + 1, 1);
    }
}

static void matrices_of_others_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int rows, columns;
        double first, last, least, most;
        bool is_weights;
    } files[] = {
        {"libigl/arm-weights.dmat", 8311, 4, 0.5761395659334769, 0.0002506868184579618,
         8.009500478002038e-08, 0.9999906593129237, true},
        {"libigl/hand-pose.dmat", 80, 1, 0.6161814202945385, 0.8381696260388357,
         -0.3717264640608214, 1.0, false},
        {"ebpd/barrel/coarseWeights.dmat", 1790, 12, 4.475813012471521e-06, 8.434845625475644e-06,
         0.0, 1.0, true},
    };
    for (int i = 0; i < WRI_COUNT(files); i++) {
        wr_error error = {0};
        wr_matrix *m = expect(wr_matrix_read(data_path(files[i].name), NULL, &error), &error);
        assert_int_equal(m->rows, files[i].rows);
        assert_int_equal(m->columns, files[i].columns);
        size_t count = (size_t)m->rows * (size_t)m->columns;
        double least = m->values[0], most = least;
        for (size_t k = 0; k < count; k++) {
            least = fmin(least, m->values[k]);
            most = fmax(most, m->values[k]);
        }
        assert_true(m->values[0] == files[i].first && m->values[count - 1] == files[i].last);
        assert_true(least == files[i].least && most == files[i].most);
        for (int row = 0; files[i].is_weights && row < m->rows; row++) {
            double sum = 0.0;
            for (int k = 0; k < m->columns; k++) {
                sum += m->values[(size_t)k * (size_t)m->rows + (size_t)row];
            }
            CHECK_NEAR(sum, 1.0, 1e-14);
        }
        wr_matrix_destroy(m);
    }
}

static void graphs_of_others_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int nodes, edges, first_from, first_to;
        double bounds[6];
    } files[] = {
        {"libigl/arm.tgf",
         5,
         4,
         0,
         1,
         {-0.78317295, -0.17523362, -0.1327604, 0.73572894, 0.21661256, 0.090210152}},
        {"libigl/hand.tgf",
         21,
         20,
         5,
         6,
         {-0.53251027, -0.76590296, -0.11140733, 0.54469073, 0.71934417, 0.220108}},
    };
    for (int i = 0; i < WRI_COUNT(files); i++) {
        wr_error error = {0};
        wr_handle_graph *g =
            expect(wr_handle_graph_read(data_path(files[i].name), NULL, &error), &error);
        assert_int_equal(g->node_count, files[i].nodes);
        assert_int_equal(g->edge_count, files[i].edges);
        assert_int_equal(g->edges[0].from, files[i].first_from);
        assert_int_equal(g->edges[0].to, files[i].first_to);
        wr_box box = WR_BOX_EMPTY;
        for (int k = 0; k < g->node_count; k++) {
            assert_int_equal(g->ids[k], k + 1);
            box = wr_box_add(box, g->positions[k]);
        }
        expect_bounds(box, files[i].bounds);
        for (int k = 0; k < g->edge_count; k++) {
            assert_true(g->edges[k].is_bone);
        }
        wr_handle_graph_destroy(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_headers_come_in_many_forms),
        cmocka_unit_test(off_keeps_normals_colors_and_texture_coordinates),
        cmocka_unit_test(off_polygons_are_cut_and_face_colors_become_looks),
        cmocka_unit_test(medit_sections_may_come_in_any_clothes),
        cmocka_unit_test(the_surface_is_closed_and_looks_outwards),
        cmocka_unit_test(the_surface_leaves_inner_vertices_out),
        cmocka_unit_test(medit_without_tetrahedra_is_its_triangles),
        cmocka_unit_test(dmat_values_stand_column_by_column),
        cmocka_unit_test(dmat_is_read_as_bytes_too),
        cmocka_unit_test(tgf_edges_join_nodes_by_their_ids),
        cmocka_unit_test(obj_forgives_what_programs_write),
        cmocka_unit_test(obj_indices_may_count_from_the_end),
        cmocka_unit_test(obj_that_names_libraries_forever_is_refused),
        cmocka_unit_test(ply_forgives_what_programs_write),
        cmocka_unit_test(every_broken_file_gets_its_sentence),
        cmocka_unit_test(missing_files_are_one_sentence),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(big_promises_of_small_files_take_no_memory),
        cmocka_unit_test(files_cut_off_anywhere_do_no_harm),
        cmocka_unit_test(flipped_bytes_never_do_harm),
        cmocka_unit_test(off_files_of_others_read),
        cmocka_unit_test(tetrahedra_of_others_read),
        cmocka_unit_test(tetrahedra_of_others_agree_with_their_text),
        cmocka_unit_test(matrices_of_others_read),
        cmocka_unit_test(graphs_of_others_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
