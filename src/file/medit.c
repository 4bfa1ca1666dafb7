// medit.c: MEDIT .mesh as text: tetrahedra, triangles, quadrilaterals.
//
// P. Frey. MEDIT: an interactive mesh visualization software. INRIA RT-0253, 2001. Words and
// numbers, where lines mean nothing: MeshVersionFormatted 1 or 2, Dimension 3, then sections of a
// keyword, a count and that many rows. Indices start at 1 and every row ends with a reference,
// which is checked and dropped. Sections of other names are passed over up to the next keyword.
// End, where it is there, ends the file. # opens a comment.
#include "convert.h"
#include "model.h"
#include "words.h"
#include "../base/os.h"

#include <stdio.h>

typedef struct reader {
    wri_words words;
    wri_array positions, tetrahedra, triangles; // wr_vec3, int, int
    wri_polygon polygon;
    bool has_vertices;
} reader;

// --- sections ---------------------------------------------------------------------------------

static bool read_reference(reader *r)
{
    int ignored;
    return wri_words_whole(&r->words, "the reference at the end of a row", INT32_MIN, INT32_MAX,
                           &ignored);
}

static bool read_vertices(reader *r)
{
    int count = 0;
    if (r->has_vertices) {
        return wri_words_fail(&r->words, "more than one section Vertices");
    }
    if (!wri_words_count(&r->words, "the number of vertices", 8, &count)) {
        return false;
    }
    wr_vec3 *out = wri_array_add(&r->positions, count);
    if (!out) {
        return wri_fail_memory(r->words.error, (size_t)count * sizeof *out);
    }
    r->has_vertices = true;
    for (int i = 0; i < count; i++) {
        if (!wri_words_float(&r->words, "x of a vertex", &out[i].x) ||
            !wri_words_float(&r->words, "y of a vertex", &out[i].y) ||
            !wri_words_float(&r->words, "z of a vertex", &out[i].z) || !read_reference(r)) {
            return false;
        }
    }
    return true;
}

static bool read_corners(reader *r, const char *what, int corners, int *out)
{
    for (int i = 0; i < corners; i++) {
        if (!wri_words_whole(&r->words, what, 1, r->positions.count, &out[i])) {
            return false;
        }
        out[i]--;
    }
    return read_reference(r);
}

typedef struct kind {
    const char *name, *count_name, *corner_name;
    int corners;
} kind;

static const kind tetrahedron_kind = {"Tetrahedra", "the number of tetrahedra",
                                      "a corner of a tetrahedron", 4};
static const kind triangle_kind = {"Triangles", "the number of triangles", "a corner of a triangle",
                                   3};
static const kind quadrilateral_kind = {"Quadrilaterals", "the number of quadrilaterals",
                                        "a corner of a quadrilateral", 4};

static bool begin_elements(reader *r, const kind *k, int *count)
{
    if (!r->has_vertices) {
        return wri_words_fail(&r->words, "%s before Vertices cannot be read", k->name);
    }
    return wri_words_count(&r->words, k->count_name, 2 * k->corners + 2, count);
}

static bool read_elements(reader *r, const kind *k, wri_array *to)
{
    int count = 0;
    if (!begin_elements(r, k, &count)) {
        return false;
    }
    int *out = wri_array_add(to, k->corners * count); // they are at most half a GiB
    if (!out) {
        return wri_fail_memory(r->words.error, (size_t)count * (size_t)k->corners * sizeof *out);
    }
    for (int i = 0; i < count; i++) {
        if (!read_corners(r, k->corner_name, k->corners, out + (size_t)i * (size_t)k->corners)) {
            return false;
        }
    }
    return true;
}

static bool read_quadrilaterals(reader *r)
{
    int count = 0;
    if (!begin_elements(r, &quadrilateral_kind, &count)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        int corner[4];
        if (!read_corners(r, quadrilateral_kind.corner_name, 4, corner)) {
            return false;
        }
        for (int k = 0; k < 4; k++) {
            wr_vec3 point = WRI_ITEM(r->positions, wr_vec3, corner[k]);
            if (!wri_polygon_add(&r->polygon, corner[k], point, r->words.error)) {
                return false;
            }
        }
        if (!wri_polygon_cut(&r->polygon, &r->triangles, r->words.error)) {
            return false; // out of memory: four corners are never too many
        }
    }
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// A section that we have no use for: anything up to the next word that starts with a letter. One
// that is almost a section we read is more likely misspelt.
static bool skip_section(reader *r)
{
    static const char *const known[] = {"Vertices", "Triangles", "Quadrilaterals", "Tetrahedra",
                                        "End"};
    wri_words *w = &r->words;
    char name[64];
    snprintf(name, sizeof name, "%.*s", w->length < 60 ? (int)w->length : 60, w->word);
    const char *nearest = wri_nearest_word(name, known, WRI_COUNT(known));
    if (nearest) {
        return wri_words_fail(w, "unknown section \"%s\"; did you mean \"%s\"?", name, nearest);
    }
    if (!is_letter(name[0])) {
        return wri_words_fail(w, "\"%s\" stands where a section must begin", name);
    }
    for (wri_words ahead = *w; wri_words_next(&ahead) && !is_letter(*ahead.word);) {
        *w = ahead;
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool read_sections(reader *r)
{
    wri_words *w = &r->words;
    while (wri_words_next(w) && !wri_words_is(w, "End")) {
        bool ok = wri_words_is(w, "Vertices") ? read_vertices(r)
                  : wri_words_is(w, "Tetrahedra")
                      ? read_elements(r, &tetrahedron_kind, &r->tetrahedra)
                  : wri_words_is(w, "Triangles") ? read_elements(r, &triangle_kind, &r->triangles)
                  : wri_words_is(w, "Quadrilaterals") ? read_quadrilaterals(r)
                                                      : skip_section(r);
        if (!ok) {
            return false;
        }
    }
    return r->triangles.count + r->tetrahedra.count > 0 ||
           wri_words_fail(w, "holds no triangles and no tetrahedra");
}

static bool read_header(reader *r)
{
    wri_words *w = &r->words;
    int version = 0, dimension = 0;
    if (!wri_words_next(w) || !wri_words_is(w, "MeshVersionFormatted")) {
        return wri_words_fail(w, "expected MeshVersionFormatted at the beginning");
    }
    if (!wri_words_whole(w, "the version", 1, 2, &version)) {
        return false;
    }
    if (!wri_words_next(w) || !wri_words_is(w, "Dimension")) {
        return wri_words_fail(w, "expected Dimension 3");
    }
    return wri_words_whole(w, "the dimension", 3, 3, &dimension);
}

static wr_tet_mesh *finish(const reader *r, const wr_allocator *allocator)
{
    wr_tet_mesh *mesh = wr_tet_mesh_create(r->positions.count, r->tetrahedra.count / 4,
                                           r->triangles.count / 3, allocator, r->words.error);
    if (!mesh) {
        return NULL;
    }
    const struct {
        void *to;
        const wri_array *from;
    } copies[] = {{mesh->positions, &r->positions},
                  {mesh->tetrahedra, &r->tetrahedra},
                  {mesh->triangles, &r->triangles}};
    for (int i = 0; i < WRI_COUNT(copies); i++) {
        const wri_array *from = copies[i].from;
        if (from->count) {
            memcpy(copies[i].to, from->items, (size_t)from->count * from->item_size);
        }
    }
    return mesh;
}

wr_tet_mesh *wri_medit_read(const char *path, const char *bytes, size_t size,
                            const wr_allocator *allocator, wr_error *error)
{
    reader r = {
        .words = wri_words_open(path, bytes, size, '#', error),
        .positions = wri_array_create(allocator, sizeof(wr_vec3)),
        .tetrahedra = wri_array_create(allocator, sizeof(int)),
        .triangles = wri_array_create(allocator, sizeof(int)),
        .polygon = wri_polygon_create(allocator),
    };
    wr_tet_mesh *mesh = read_header(&r) && read_sections(&r) ? finish(&r, allocator) : NULL;
    wri_array_destroy(&r.positions);
    wri_array_destroy(&r.tetrahedra);
    wri_array_destroy(&r.triangles);
    wri_polygon_destroy(&r.polygon);
    return mesh;
}

wr_model *wri_medit_read_model(const char *path, const char *bytes, size_t size,
                               const wr_allocator *allocator, wr_error *error)
{
    wr_tet_mesh *mesh = wri_medit_read(path, bytes, size, allocator, error);
    wr_error why = {0};
    wr_model *model = mesh ? wr_tet_mesh_create_surface(mesh, allocator, &why) : NULL;
    wr_tet_mesh_destroy(mesh);
    if (!mesh) {
        return NULL;
    }
    if (!model) {
        wri_fail(error, why.code == WR_E_ARGUMENT ? WR_E_FORMAT : why.code, "%s: %s", path,
                 why.message);
        return NULL;
    }
    model->meshes[0].name = NULL; // it is named after the file
    if (!wri_model_add_nodes(model, path, error)) {
        wr_model_destroy(model);
        return NULL;
    }
    return model;
}

wr_tet_mesh *wr_tet_mesh_read(const char *path, const wr_read_options *options, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    const wr_allocator *allocator = options ? options->allocator : NULL;
    wri_conversion conversion;
    size_t size = 0;
    if (!wri_conversion_create(options, &conversion, error)) {
        return NULL;
    }
    char *bytes = wri_file_read(path, WRI_MODEL_LIMIT, allocator, &size, error);
    wr_tet_mesh *mesh = bytes ? wri_medit_read(path, bytes, size, allocator, error) : NULL;
    wri_free(allocator, bytes, size + 1, 1);
    if (mesh && !wri_convert_points(&conversion, mesh->positions, mesh->vertex_count)) {
        wri_fail(error, WR_E_FORMAT, "%s: a vertex is not finite in metres", path);
        wr_tet_mesh_destroy(mesh);
        return NULL;
    }
    return mesh;
}
