// ply.c: Stanford PLY, as text or as bytes in either order.
//
// Read: vertices with x y z, normals nx ny nz, colours red green blue [alpha], texture coordinates
// (s t, u v, or texture_u texture_v), and faces as lists vertex_indices or vertex_index. Elements
// and properties of other names are passed over. Colours are taken as sRGB, texture coordinates as
// counted from the lower left, which is what programs that write PLY mean by them. Triangle strips
// are refused.
#include "model.h"

#include <stdio.h>

typedef enum form { TEXT, LITTLE, BIG } form;
typedef enum type { I8, U8, I16, U16, I32, U32, F32, F64, TYPES } type;

static const int type_size[TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};

// The use of a property of a vertex.
typedef enum role { X, Y, Z, NX, NY, NZ, RED, GREEN, BLUE, ALPHA, U, V, ROLES, NO_ROLE } role;

typedef struct property {
    char name[64];
    type item, length; // length: of lists only
    bool is_list, is_face;
    role role;
} property;

typedef struct element {
    char name[64];
    int count, first_property, property_count;
} element;

typedef struct reader {
    const char *path;
    const char *start, *at, *end;
    int line; // line of `at`, text only
    form form;
    wri_array elements, properties;
    wri_array triangles; // int
    wri_polygon polygon;
    wr_model *model;
    wr_mesh *mesh;
    bool has[ROLES];
    wr_error *error;
} reader;

// --- messages ---------------------------------------------------------------------------------

static bool fail_with(reader *r, wr_code code, const char *message)
{
    return r->line > 0 ? wri_fail(r->error, code, "%s:%d: %s", r->path, r->line, message)
                       : wri_fail(r->error, code, "%s: byte %lld: %s", r->path,
                                  (long long)(r->at - r->start), message);
}

WRI_PRINTF(2, 3) static bool fail(reader *r, const char *format, ...)
{
    char message[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail_with(r, WR_E_FORMAT, message);
}

// --- header -----------------------------------------------------------------------------------

typedef struct words {
    const char *word[8];
    int length[8];
    int count;
} words;

// The words of the next line; true when there was a whole line.
static bool next_line(reader *r, words *out)
{
    const char *stop = r->at;
    while (stop < r->end && *stop != '\n' && *stop != '\r') {
        stop++;
    }
    if (stop == r->end) {
        return fail(r, "the header ends without end_header");
    }
    out->count = 0;
    for (const char *s = r->at; s < stop;) {
        const char *first = s;
        while (s < stop && *s != ' ' && *s != '\t') {
            s++;
        }
        if (s > first && out->count < WRI_COUNT(out->word)) {
            out->word[out->count] = first;
            out->length[out->count++] = (int)(s - first);
        }
        s += s < stop;
    }
    r->at = stop + (*stop == '\r' && stop + 1 < r->end && stop[1] == '\n' ? 2 : 1);
    return true;
}

static bool is_word(const words *w, int i, const char *text)
{
    return i < w->count && (int)strlen(text) == w->length[i] &&
           memcmp(w->word[i], text, strlen(text)) == 0;
}

static bool read_type(reader *r, const words *w, int i, type *out)
{
    static const char *const names[2][TYPES] = {
        {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
        {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
    for (int k = 0; k < 2 * TYPES; k++) {
        if (is_word(w, i, names[k / TYPES][k % TYPES])) {
            *out = (type)(k % TYPES);
            return true;
        }
    }
    return fail(r, "\"%.*s\" is not a type of PLY", i < w->count ? w->length[i] : 0,
                i < w->count ? w->word[i] : "");
}

static void copy_word(const words *w, int i, char out[64])
{
    int length = w->length[i] < 63 ? w->length[i] : 63;
    memcpy(out, w->word[i], (size_t)length);
    out[length] = 0;
}

static role find_role(const char *name)
{
    static const struct {
        const char *name;
        role role;
    } roles[] = {{"x", X},       {"y", Y},         {"z", Z},         {"nx", NX},
                 {"ny", NY},     {"nz", NZ},       {"red", RED},     {"green", GREEN},
                 {"blue", BLUE}, {"alpha", ALPHA}, {"s", U},         {"t", V},
                 {"u", U},       {"v", V},         {"texture_u", U}, {"texture_v", V}};
    for (int i = 0; i < WRI_COUNT(roles); i++) {
        if (strcmp(name, roles[i].name) == 0) {
            return roles[i].role;
        }
    }
    return NO_ROLE;
}

static bool read_property(reader *r, const words *w)
{
    property p = {.role = NO_ROLE};
    p.is_list = is_word(w, 1, "list");
    int name = p.is_list ? 4 : 2;
    if (r->elements.count == 0 || w->count <= name) {
        return fail(r,
                    "expected property TYPE NAME or property list TYPE TYPE NAME, after element");
    }
    if (!read_type(r, w, p.is_list ? 3 : 1, &p.item) ||
        (p.is_list && !read_type(r, w, 2, &p.length))) {
        return false;
    }
    if (p.is_list && p.length >= F32) {
        return fail(r, "the length of a list must have a whole type");
    }
    copy_word(w, name, p.name);
    element *e = &WRI_ITEM(r->elements, element, r->elements.count - 1);
    if (strcmp(e->name, "vertex") == 0 && !p.is_list) {
        p.role = find_role(p.name);
        if (p.role != NO_ROLE) {
            r->has[p.role] = true;
        }
    }
    p.is_face = strcmp(e->name, "face") == 0 && p.is_list && p.item < F32 &&
                (strcmp(p.name, "vertex_indices") == 0 || strcmp(p.name, "vertex_index") == 0);
    property *added = wri_array_add(&r->properties, 1);
    if (!added) {
        return wri_fail_memory(r->error, sizeof *added);
    }
    *added = p;
    e->property_count++;
    return true;
}

static bool read_element(reader *r, const words *w)
{
    double count = -1.0;
    if (w->count < 3 || !wri_parse_double(w->word[2], (size_t)w->length[2], &count) ||
        count < 0.0 || count != floor(count)) {
        return fail(r, "expected element NAME COUNT");
    }
    if (is_word(w, 1, "tristrips") && count > 0.0) {
        return wri_fail(r->error, WR_E_UNSUPPORTED,
                        "%s:%d: triangle strips cannot be read, expected faces", r->path, r->line);
    }
    if (count > (double)(r->end - r->at)) { // no row is shorter than a byte
        return fail(r, "%.0f rows cannot fit into the rest of the file", count);
    }
    for (int i = 0; i < r->elements.count; i++) {
        if (is_word(w, 1, "vertex") &&
            strcmp(WRI_ITEM(r->elements, element, i).name, "vertex") == 0) {
            return fail(r, "more than one element called vertex");
        }
    }
    element *e = wri_array_add(&r->elements, 1);
    if (!e) {
        return wri_fail_memory(r->error, sizeof *e);
    }
    copy_word(w, 1, e->name);
    e->count = (int)count;
    e->first_property = r->properties.count;
    return true;
}

static bool read_form(reader *r, const words *w)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int i = 0; i < 3; i++) {
        if (is_word(w, 1, names[i])) {
            r->form = (form)i;
            return is_word(w, 2, "1.0") || fail(r, "expected version 1.0");
        }
    }
    return fail(r, "expected ascii, binary_little_endian or binary_big_endian");
}

static bool read_header(reader *r)
{
    bool formed = false;
    words w;
    for (r->line = 1;; r->line++) {
        if (!next_line(r, &w)) {
            return false;
        }
        bool ok = true;
        if (r->line == 1) {
            ok = is_word(&w, 0, "ply") || fail(r, "expected ply in the first line");
        } else if (is_word(&w, 0, "format")) {
            ok = read_form(r, &w);
            formed = true;
        } else if (is_word(&w, 0, "element")) {
            ok = read_element(r, &w);
        } else if (is_word(&w, 0, "property")) {
            ok = read_property(r, &w);
        } else if (is_word(&w, 0, "end_header")) {
            break;
        } else if (w.count && !is_word(&w, 0, "comment") && !is_word(&w, 0, "obj_info")) {
            ok = fail(r, "unknown word %.*s in the header", w.length[0] < 40 ? w.length[0] : 40,
                      w.word[0]);
        }
        if (!ok) {
            return false;
        }
    }
    if (!formed) {
        return fail(r, "the header has no format");
    }
    r->line = r->form == TEXT ? r->line + 1 : 0;
    return true;
}

// --- values -----------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool read_text(reader *r, double *out)
{
    while (r->at < r->end && is_blank(*r->at)) {
        r->line += *r->at == '\n';
        r->at++;
    }
    const char *first = r->at;
    while (r->at < r->end && !is_blank(*r->at)) {
        r->at++;
    }
    if (first == r->at) {
        return fail(r, "the file ends here, expected a number");
    }
    if (!wri_parse_double(first, (size_t)(r->at - first), out)) {
        int length = r->at - first < 40 ? (int)(r->at - first) : 40;
        return fail(r, "\"%.*s\" is not a finite number", length, first);
    }
    return true;
}

static uint64_t read_bits(const reader *r, int size)
{
    uint64_t bits = 0;
    for (int i = 0; i < size; i++) {
        int at = r->form == BIG ? i : size - 1 - i;
        bits = bits << 8 | (uint8_t)r->at[at];
    }
    return bits;
}

static double from_bits(uint64_t bits, type t)
{
    uint32_t low = (uint32_t)bits;
    float f;
    double d;
    switch (t) {
    case I8:
        return (int8_t)low;
    case I16:
        return (int16_t)low;
    case I32:
        return (int32_t)low;
    case F32:
        memcpy(&f, &low, sizeof f);
        return f;
    case F64:
        memcpy(&d, &bits, sizeof d);
        return d;
    default:
        return (double)bits;
    }
}

static bool read_value(reader *r, type t, double *out)
{
    if (r->form == TEXT) {
        return read_text(r, out);
    }
    if (r->end - r->at < type_size[t]) {
        return fail(r, "the file ends here, expected a value of %d bytes", type_size[t]);
    }
    *out = from_bits(read_bits(r, type_size[t]), t);
    r->at += type_size[t];
    return true;
}

static bool read_length(reader *r, const property *p, int *out)
{
    double length = 0.0;
    if (!read_value(r, p->length, &length)) {
        return false;
    }
    double room = (double)(r->end - r->at) / (r->form == TEXT ? 1 : type_size[p->item]);
    if (length < 0.0 || length != floor(length) || length > room) {
        return fail(r, "a list of %.17g items cannot be read", length);
    }
    *out = (int)length;
    return true;
}

static bool skip_property(reader *r, const property *p)
{
    double ignored;
    int count = 1;
    if (p->is_list && !read_length(r, p, &count)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!read_value(r, p->item, &ignored)) {
            return false;
        }
    }
    return true;
}

// --- vertices ---------------------------------------------------------------------------------

static float color_value(double value, type t)
{
    static const double one[TYPES] = {127.0,        255.0,        32767.0, 65535.0,
                                      2147483647.0, 4294967295.0, 1.0,     1.0};
    return wr_clampf((float)(value / one[t]), 0.0f, 1.0f);
}

static void store(wr_mesh *mesh, int i, role what, double value, type t)
{
    float v = (float)value;
    switch (what) {
    case X:
    case Y:
    case Z:
        ((float *)&mesh->positions[i])[what - X] = v;
        break;
    case NX:
    case NY:
    case NZ:
        if (mesh->normals) {
            ((float *)&mesh->normals[i])[what - NX] = v;
        }
        break;
    case RED:
    case GREEN:
    case BLUE:
        if (mesh->colors) {
            ((float *)&mesh->colors[i])[what - RED] = wri_srgb_to_linear(color_value(value, t));
        }
        break;
    case ALPHA:
        if (mesh->colors) {
            mesh->colors[i].a = color_value(value, t);
        }
        break;
    default:
        if (mesh->uvs) {
            ((float *)&mesh->uvs[i])[what - U] = what == V ? 1.0f - v : v;
        }
    }
}

static bool read_vertex(reader *r, const element *e, int index)
{
    if (r->mesh->colors) {
        r->mesh->colors[index].a = 1.0f;
    }
    for (int i = 0; i < e->property_count; i++) {
        const property *p = &WRI_ITEM(r->properties, property, e->first_property + i);
        double value = 0.0;
        if (p->role == NO_ROLE) {
            if (!skip_property(r, p)) {
                return false;
            }
            continue;
        }
        if (!read_value(r, p->item, &value)) {
            return false;
        }
        if (!isfinite((float)value)) {
            return fail(r, "vertex %d: %s is not finite", index, p->name);
        }
        store(r->mesh, index, p->role, value, p->item);
    }
    if (r->mesh->normals) {
        r->mesh->normals[index] = wri_unit_normal(r->mesh->normals[index]);
    }
    return true;
}

// The least number of bytes that one row can take.
static int row_size(const reader *r, const element *e)
{
    int size = 0;
    for (int i = 0; i < e->property_count; i++) {
        const property *p = &WRI_ITEM(r->properties, property, e->first_property + i);
        size += r->form == TEXT ? 2 : type_size[p->is_list ? p->length : p->item];
    }
    return size;
}

static bool read_vertices(reader *r, const element *e)
{
    wr_mesh *mesh = r->mesh;
    size_t n = (size_t)e->count;
    bool normals = r->has[NX] && r->has[NY] && r->has[NZ];
    bool colors = r->has[RED] && r->has[GREEN] && r->has[BLUE], uvs = r->has[U] && r->has[V];
    if (!r->has[X] || !r->has[Y] || !r->has[Z]) {
        return fail(r, "the vertices have no x, y and z");
    }
    if (e->count > (r->end - r->at + 1) / row_size(r, e)) { // + 1: text may lack the last line end
        return fail(r, "%d vertices cannot fit into the rest of the file", e->count);
    }
    mesh->positions = wr_model_alloc(r->model, n, sizeof *mesh->positions);
    mesh->normals = normals ? wr_model_alloc(r->model, n, sizeof *mesh->normals) : NULL;
    mesh->colors = colors ? wr_model_alloc(r->model, n, sizeof *mesh->colors) : NULL;
    mesh->uvs = uvs ? wr_model_alloc(r->model, n, sizeof *mesh->uvs) : NULL;
    if (!mesh->positions || (normals && !mesh->normals) || (colors && !mesh->colors) ||
        (uvs && !mesh->uvs)) {
        return wri_fail_memory(r->error, n * sizeof *mesh->positions);
    }
    mesh->vertex_count = e->count;
    for (int i = 0; i < e->count; i++) {
        if (!read_vertex(r, e, i)) {
            return false;
        }
    }
    return true;
}

// --- faces ------------------------------------------------------------------------------------

static bool cut_polygon(reader *r)
{
    wr_error why = {0};
    return wri_polygon_cut(&r->polygon, &r->triangles, &why) || fail_with(r, why.code, why.message);
}

static bool read_face(reader *r, const property *p, int index)
{
    int count = 0;
    if (!read_length(r, p, &count)) {
        return false;
    }
    r->polygon.corners.count = r->polygon.points.count = 0;
    for (int i = 0; i < count; i++) {
        double value = 0.0;
        if (!read_value(r, p->item, &value)) {
            return false;
        }
        if (!(value >= 0.0 && value < (double)r->mesh->vertex_count) || value != floor(value)) {
            return fail(r, "face %d uses vertex %.17g of %d", index, value, r->mesh->vertex_count);
        }
        int corner = (int)value;
        if (!wri_polygon_add(&r->polygon, corner, r->mesh->positions[corner], r->error)) {
            return false;
        }
    }
    return count < 3 || cut_polygon(r); // a point or an edge: left out
}

static bool read_rows(reader *r, const element *e)
{
    bool is_face = strcmp(e->name, "face") == 0;
    for (int i = 0; i < e->count && e->property_count > 0; i++) {
        for (int k = 0; k < e->property_count; k++) {
            const property *p = &WRI_ITEM(r->properties, property, e->first_property + k);
            if (is_face && p->is_face && !r->mesh->positions) {
                return fail(r, "faces before vertices cannot be read");
            }
            if (!(p->is_face ? read_face(r, p, i) : skip_property(r, p))) {
                return false;
            }
        }
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool finish(reader *r)
{
    wr_mesh *mesh = r->mesh;
    size_t corners = (size_t)r->triangles.count;
    mesh->triangle_count = r->triangles.count / 3;
    if (mesh->triangle_count == 0) {
        return fail(r, "holds no faces");
    }
    mesh->triangles = wr_model_alloc(r->model, corners, sizeof(int));
    mesh->parts = wr_model_alloc(r->model, 1, sizeof *mesh->parts);
    if (!mesh->triangles || !mesh->parts) {
        return wri_fail_memory(r->error, corners * sizeof(int));
    }
    memcpy(mesh->triangles, r->triangles.items, corners * sizeof(int));
    mesh->parts[0] = (wr_mesh_part){0, mesh->triangle_count, -1};
    mesh->part_count = 1;
    r->model->mesh_count = 1;
    return wri_model_add_nodes(r->model, r->path, r->error);
}

static bool read_ply(reader *r)
{
    r->model->meshes = r->mesh = wr_model_alloc(r->model, 1, sizeof *r->mesh);
    if (!r->mesh) {
        return wri_fail_memory(r->error, sizeof *r->mesh);
    }
    if (!read_header(r)) {
        return false;
    }
    for (int i = 0; i < r->elements.count; i++) {
        const element *e = &WRI_ITEM(r->elements, element, i);
        bool ok = strcmp(e->name, "vertex") == 0 ? read_vertices(r, e) : read_rows(r, e);
        if (!ok) {
            return false;
        }
    }
    return finish(r);
}

wr_model *wri_ply_read(const char *path, const char *bytes, size_t size,
                       const wr_allocator *allocator, wr_error *error)
{
    wr_model *model = wr_model_create(allocator, error);
    if (!model) {
        return NULL;
    }
    bool marked = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0; // byte order mark
    reader r = {
        .path = path,
        .start = bytes,
        .at = bytes + (marked ? 3 : 0),
        .end = bytes + size,
        .elements = wri_array_create(allocator, sizeof(element)),
        .properties = wri_array_create(allocator, sizeof(property)),
        .triangles = wri_array_create(allocator, sizeof(int)),
        .polygon = wri_polygon_create(allocator),
        .model = model,
        .error = error,
    };
    bool ok = read_ply(&r);
    wri_polygon_destroy(&r.polygon);
    wri_array_destroy(&r.elements);
    wri_array_destroy(&r.properties);
    wri_array_destroy(&r.triangles);
    if (!ok) {
        wr_model_destroy(model);
        return NULL;
    }
    return model;
}
