// off.c: OFF, polygons as text.
//
// Read: [ST][C][N]OFF, also without the keyword or with the numbers right behind it. One vertex a
// line: coordinates, then normal (N), colour (C), texture coordinates (ST). One face a line: how
// many corners, their vertices from 0, perhaps a colour; faces of one colour share a look, up to
// MOST_COLORS of them. Colours count to 255 when one of the file passes 1, else to 1, and are taken
// as sRGB. Texture coordinates count from the lower left. # opens a comment.
#include "model.h"
#include "words.h"

#include <stdio.h>

enum { MOST_COLORS = 256, MOST_NUMBERS = 12 };

typedef struct reader {
    wri_words words;
    wr_model *model;
    wr_mesh *mesh;
    bool has_normals, has_colors, has_uvs;
    int face_count;
    wri_array triangles; // int
    wri_polygon polygon;
    wri_array face_colors; // wr_color as in the file
    wri_array parts;       // wr_mesh_part; look: index into face_colors
    wr_error *error;
} reader;

// --- header -----------------------------------------------------------------------------------

static bool fail_keyword(reader *r)
{
    int length = r->words.length < 40 ? (int)r->words.length : 40;
    return wri_words_fail(&r->words, "\"%.*s\" is not OFF, COFF, NOFF, STOFF or a mix of them",
                          length, r->words.word);
}

// The keyword at hand. Numbers may stand right behind it.
static bool read_keyword(reader *r)
{
    const char *s = r->words.word, *end = s + r->words.length;
    bool more_dimensions = false;
    if (end - s >= 2 && s[0] == 'S' && s[1] == 'T') {
        r->has_uvs = true;
        s += 2;
    }
    for (; s < end && *s != 'O'; s++) {
        r->has_colors |= *s == 'C';
        r->has_normals |= *s == 'N';
        more_dimensions |= *s == '4' || *s == 'n';
        if (!strchr("CN4n", *s) || !*s) {
            return fail_keyword(r);
        }
    }
    if (end - s < 3 || memcmp(s, "OFF", 3) != 0) {
        return fail_keyword(r);
    }
    if (more_dimensions) {
        return wri_fail(r->error, WR_E_UNSUPPORTED,
                        "%s:%d: OFF with more than three dimensions cannot be read", r->words.path,
                        r->words.line);
    }
    r->words.at = s + 3;
    return true;
}

static bool read_header(reader *r)
{
    double number;
    wri_words *w = &r->words;
    if (!wri_words_next(w)) {
        return wri_words_fail(w, "the file ends here, expected OFF");
    }
    if (wri_words_parse(w, &number)) {
        w->at = w->word; // no keyword: read the number again
    } else if (!read_keyword(r)) {
        return false;
    }
    wri_words ahead = *w;
    if (wri_words_next(&ahead) && wri_words_is(&ahead, "BINARY")) {
        return wri_fail(r->error, WR_E_UNSUPPORTED, "%s:%d: binary OFF cannot be read", w->path,
                        ahead.line);
    }
    if (!wri_words_count(w, "the number of vertices", 6, &r->mesh->vertex_count) ||
        !wri_words_count(w, "the number of faces", 2, &r->face_count)) {
        return false;
    }
    wri_words_skip_line(w); // the number of edges means nothing
    return true;
}

// --- vertices ---------------------------------------------------------------------------------

// The numbers up to the end of the line of the next word; -1 on failure.
static int read_row(reader *r, const char *what, float *out)
{
    int count = 0;
    do {
        if (count == MOST_NUMBERS) {
            wri_words_fail(&r->words, "more than %d numbers in a line, expected %s", MOST_NUMBERS,
                           what);
            return -1;
        }
        if (!wri_words_float(&r->words, what, &out[count])) {
            return -1;
        }
        count++;
    } while (wri_words_on_line(&r->words));
    return count;
}

static bool read_vertex(reader *r, int index)
{
    float row[MOST_NUMBERS];
    int least = 3 + 3 * r->has_normals + 2 * r->has_uvs;
    int count = read_row(r, "a vertex", row);
    int colors = count - least;
    if (count < 0) {
        return false;
    }
    if (r->has_colors ? colors != 3 && colors != 4 : colors != 0) {
        return wri_words_fail(&r->words, "vertex %d has %d numbers in its line, expected %d%s",
                              index, count, r->has_colors ? least + 3 : least,
                              r->has_colors ? " or one more" : "");
    }
    wr_mesh *mesh = r->mesh;
    const float *at = row + 3;
    mesh->positions[index] = wr_v3(row[0], row[1], row[2]);
    if (r->has_normals) {
        mesh->normals[index] = wri_unit_normal(wr_v3(at[0], at[1], at[2]));
        at += 3;
    }
    if (r->has_colors) { // alpha below 0: not said
        mesh->colors[index] = (wr_color){at[0], at[1], at[2], colors == 4 ? at[3] : -1.0f};
        at += colors;
    }
    if (r->has_uvs) {
        mesh->uvs[index] = (wr_vec2){at[0], 1.0f - at[1]};
    }
    return true;
}

static float channel(float value, float most)
{
    return wr_clampf(value / most, 0.0f, 1.0f);
}

// Colours of the file into linear light; one above 1 says that all count to 255.
static void finish_colors(wr_color *colors, int count)
{
    float most = 1.0f;
    for (int i = 0; i < count; i++) {
        const wr_color *c = &colors[i];
        most = c->r > 1.0f || c->g > 1.0f || c->b > 1.0f || c->a > 1.0f ? 255.0f : most;
    }
    for (int i = 0; i < count; i++) {
        wr_color *c = &colors[i];
        c->r = wri_srgb_to_linear(channel(c->r, most));
        c->g = wri_srgb_to_linear(channel(c->g, most));
        c->b = wri_srgb_to_linear(channel(c->b, most));
        c->a = c->a < 0.0f ? 1.0f : channel(c->a, most);
    }
}

static bool read_vertices(reader *r)
{
    wr_mesh *mesh = r->mesh;
    size_t n = (size_t)mesh->vertex_count;
    mesh->positions = wr_model_alloc(r->model, n, sizeof *mesh->positions);
    mesh->normals = r->has_normals ? wr_model_alloc(r->model, n, sizeof *mesh->normals) : NULL;
    mesh->colors = r->has_colors ? wr_model_alloc(r->model, n, sizeof *mesh->colors) : NULL;
    mesh->uvs = r->has_uvs ? wr_model_alloc(r->model, n, sizeof *mesh->uvs) : NULL;
    if (!mesh->positions || (r->has_normals && !mesh->normals) ||
        (r->has_colors && !mesh->colors) || (r->has_uvs && !mesh->uvs)) {
        return wri_fail_memory(r->error, n * sizeof *mesh->positions);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (!read_vertex(r, i)) {
            return false;
        }
    }
    if (mesh->colors) {
        finish_colors(mesh->colors, mesh->vertex_count);
    }
    return true;
}

// --- faces ------------------------------------------------------------------------------------

// The number of a colour, -1 for none and for those that are too many; false: out of memory.
static bool find_color(reader *r, const float *row, int count, int *out)
{
    *out = -1;
    if (count < 3) {
        return true; // none, or a place in a colour map that nobody has
    }
    wr_color color = {row[0], row[1], row[2], count > 3 ? row[3] : -1.0f};
    int known = r->face_colors.count;
    for (int i = known - 1; i >= 0; i--) { // neighbours have the same
        const wr_color *c = &WRI_ITEM(r->face_colors, wr_color, i);
        if (c->r == color.r && c->g == color.g && c->b == color.b && c->a == color.a) {
            *out = i;
            return true;
        }
    }
    if (known == MOST_COLORS) {
        char place[512];
        snprintf(place, sizeof place, "%s:%d", r->words.path, r->words.line);
        return wri_model_warn(r->model, r->error, place,
                              "more than %d colours of faces; this and others are left out",
                              MOST_COLORS);
    }
    wr_color *added = wri_array_add(&r->face_colors, 1);
    if (!added) {
        return wri_fail_memory(r->error, sizeof *added);
    }
    *added = color;
    *out = known;
    return true;
}

// Gives a colour to all triangles that have none yet.
static bool extend_parts(reader *r, int color)
{
    int count = r->triangles.count / 3;
    wr_mesh_part *last =
        r->parts.count ? &WRI_ITEM(r->parts, wr_mesh_part, r->parts.count - 1) : NULL;
    if (last && last->look == color) {
        last->triangle_count = count - last->first_triangle;
        return true;
    }
    int first = last ? last->first_triangle + last->triangle_count : 0;
    wr_mesh_part *added = wri_array_add(&r->parts, 1);
    if (!added) {
        return wri_fail_memory(r->error, sizeof *added);
    }
    *added = (wr_mesh_part){first, count - first, color};
    return true;
}

static bool cut_polygon(reader *r)
{
    wr_error why = {0};
    return wri_polygon_cut(&r->polygon, &r->triangles, &why) ||
           wri_fail(r->error, why.code, "%s:%d: %s", r->words.path, r->words.line, why.message);
}

static bool read_face(reader *r)
{
    float row[MOST_NUMBERS];
    int n = 0, color = -1;
    if (!wri_words_count(&r->words, "the number of corners", 2, &n)) {
        return false;
    }
    r->polygon.corners.count = r->polygon.points.count = 0;
    for (int i = 0; i < n; i++) {
        int corner = 0;
        if (!wri_words_whole(&r->words, "a vertex of a face", 0, r->mesh->vertex_count - 1,
                             &corner) ||
            !wri_polygon_add(&r->polygon, corner, r->mesh->positions[corner], r->error)) {
            return false;
        }
    }
    if (wri_words_on_line(&r->words)) {
        int count = read_row(r, "the colour of a face", row);
        if (count < 0 || !find_color(r, row, count, &color)) {
            return false;
        }
    }
    return n < 3 || (cut_polygon(r) && extend_parts(r, color)); // a point or an edge: left out
}

// --- the whole --------------------------------------------------------------------------------

static bool add_looks(reader *r)
{
    wr_model *model = r->model;
    const wr_color *colors = r->face_colors.items;
    size_t count = (size_t)r->face_colors.count;
    model->looks = wr_model_alloc(model, count, sizeof *model->looks);
    if (!model->looks) {
        return wri_fail_memory(r->error, count * sizeof *model->looks);
    }
    model->look_count = r->face_colors.count;
    finish_colors(r->face_colors.items, r->face_colors.count);
    for (int i = 0; i < model->look_count; i++) {
        char *name = wri_arena_printf(wri_model_arena(model), "color %d", i + 1);
        if (!name) {
            return wri_fail_memory(r->error, 16);
        }
        model->looks[i] =
            (wr_look){.name = name, .base_color = colors[i], .texture = -1, .roughness = 0.8f};
    }
    return true;
}

static bool finish(reader *r)
{
    wr_mesh *mesh = r->mesh;
    size_t corners = (size_t)r->triangles.count, parts = (size_t)r->parts.count;
    if (corners == 0) {
        return wri_words_fail(&r->words, "holds no faces");
    }
    mesh->triangles = wr_model_alloc(r->model, corners, sizeof(int));
    mesh->parts = wr_model_alloc(r->model, parts, sizeof *mesh->parts);
    if (!mesh->triangles || !mesh->parts) {
        return wri_fail_memory(r->error, corners * sizeof(int));
    }
    memcpy(mesh->triangles, r->triangles.items, corners * sizeof(int));
    memcpy(mesh->parts, r->parts.items, parts * sizeof *mesh->parts);
    mesh->triangle_count = r->triangles.count / 3;
    mesh->part_count = r->parts.count;
    r->model->mesh_count = 1;
    return add_looks(r) && wri_model_add_nodes(r->model, r->words.path, r->error);
}

static bool read_off(reader *r)
{
    r->model->meshes = r->mesh = wr_model_alloc(r->model, 1, sizeof *r->mesh);
    if (!r->mesh) {
        return wri_fail_memory(r->error, sizeof *r->mesh);
    }
    if (!read_header(r) || !read_vertices(r)) {
        return false;
    }
    for (int i = 0; i < r->face_count; i++) {
        if (!read_face(r)) {
            return false;
        }
    }
    if (wri_words_next(&r->words)) {
        return wri_words_fail(&r->words, "more than %d faces, expected the end of the file",
                              r->face_count);
    }
    return finish(r);
}

wr_model *wri_off_read(const char *path, const char *bytes, size_t size,
                       const wr_allocator *allocator, wr_error *error)
{
    wr_model *model = wr_model_create(allocator, error);
    if (!model) {
        return NULL;
    }
    reader r = {
        .words = wri_words_open(path, bytes, size, '#', error),
        .model = model,
        .triangles = wri_array_create(allocator, sizeof(int)),
        .polygon = wri_polygon_create(allocator),
        .face_colors = wri_array_create(allocator, sizeof(wr_color)),
        .parts = wri_array_create(allocator, sizeof(wr_mesh_part)),
        .error = error,
    };
    bool ok = read_off(&r);
    wri_polygon_destroy(&r.polygon);
    wri_array_destroy(&r.triangles);
    wri_array_destroy(&r.face_colors);
    wri_array_destroy(&r.parts);
    if (!ok) {
        wr_model_destroy(model);
        return NULL;
    }
    return model;
}
