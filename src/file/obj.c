// obj.c: Wavefront OBJ with its material library MTL.
//
// Read: v (with colours behind the coordinates), vt, vn, f, o, usemtl, mtllib; newmtl, Kd, d,
// map_Kd, Pr, Pm. Other lines are passed over. Corners with equal v/vt/vn become one vertex.
// Several objects become several meshes. Kd is taken as linear light, as Blender writes it; vertex
// colours as sRGB; vt counts from the lower left. A material library or texture that is not there
// is a warning.
//
// The vertices of a mesh stand in the order of the v lines, since point caches and other programs
// count by them. Where corners at one v differ in vt or vn, the first takes its place and the
// others follow behind all of the mesh's v. A v that no face uses stays with the object below whose
// o line it stands, and what comes before the first one belongs to that.
#include "model.h"
#include "mtl.h"

#include <stdlib.h>

typedef struct corner {
    int v, vt, vn; // -1 for none
    int object;
} corner;

typedef struct object {
    const char *name;
    int first_position, position_end; // v lines below its o line
    int first_vertex, first_triangle;
} object;

typedef struct run {
    int first_triangle, look, object;
} run;

typedef struct reader {
    wri_text text;
    wr_model *model;
    wri_mtl mtl;
    wri_array positions, colors, uvs, normals; // arrays as in the file; colors one per position
    wri_array vertices;                        // corner
    wri_array triangles;                       // int
    wri_array objects, runs;
    wri_polygon polygon;
    int *table; // vertex + 1 by hash of the corner, 0 is free
    size_t table_size;
    bool has_colors;
    int look;
    int *first_of_v;     // vertex that takes the place of a v in the mesh at hand; -1: unused
    int *number_of_v;    // number in the mesh at hand, when that has it
    int *number;         // number of a vertex in its mesh
    wri_array v_of_mesh; // int: the v of the mesh at hand, in order
    wr_error *error;
} reader;

static bool fail_memory(reader *r, size_t size)
{
    return wri_fail_memory(r->error, size);
}

// --- vertices ---------------------------------------------------------------------------------

static bool read_position(reader *r)
{
    float n[8];
    int count = wri_text_floats(&r->text, n, 8);
    if (count < 3) {
        return count >= 0 && wri_text_fail(&r->text, "v: expected three numbers");
    }
    wr_vec3 *position = wri_array_add(&r->positions, 1);
    wr_color *color = wri_array_add(&r->colors, 1);
    if (!position || !color) {
        return fail_memory(r, sizeof *color);
    }
    *position = wr_v3(n[0], n[1], n[2]);
    *color = (wr_color){1.0f, 1.0f, 1.0f, 1.0f};
    if (count >= 6) { // four numbers are x y z w; six and seven have a colour
        color->r = wri_srgb_to_linear(wr_clampf(n[3], 0.0f, 1.0f));
        color->g = wri_srgb_to_linear(wr_clampf(n[4], 0.0f, 1.0f));
        color->b = wri_srgb_to_linear(wr_clampf(n[5], 0.0f, 1.0f));
        color->a = count >= 7 ? wr_clampf(n[6], 0.0f, 1.0f) : 1.0f;
        r->has_colors = true;
    }
    return true;
}

static bool read_uv(reader *r)
{
    float n[3] = {0};
    int count = wri_text_floats(&r->text, n, 3);
    if (count < 1) {
        return count >= 0 && wri_text_fail(&r->text, "vt: expected two numbers");
    }
    wr_vec2 *uv = wri_array_add(&r->uvs, 1);
    if (!uv) {
        return fail_memory(r, sizeof *uv);
    }
    *uv = (wr_vec2){n[0], 1.0f - n[1]};
    return true;
}

static bool read_normal(reader *r)
{
    float n[3];
    int count = wri_text_floats(&r->text, n, 3);
    if (count < 3) {
        return count >= 0 && wri_text_fail(&r->text, "vn: expected three numbers");
    }
    wr_vec3 *normal = wri_array_add(&r->normals, 1);
    if (!normal) {
        return fail_memory(r, sizeof *normal);
    }
    *normal = wri_unit_normal(wr_v3(n[0], n[1], n[2]));
    return true;
}

// --- corners ----------------------------------------------------------------------------------

static size_t corner_slot(const reader *r, const corner *c)
{
    size_t slot = wri_hash(c, sizeof *c, 0) & (r->table_size - 1);
    while (r->table[slot] &&
           memcmp(&WRI_ITEM(r->vertices, corner, r->table[slot] - 1), c, sizeof *c) != 0) {
        slot = (slot + 1) & (r->table_size - 1);
    }
    return slot;
}

static bool grow_table(reader *r)
{
    if (2 * (size_t)r->vertices.count < r->table_size) {
        return true;
    }
    const wr_allocator *allocator = &r->vertices.allocator;
    size_t size = r->table_size ? 2 * r->table_size : 1024;
    int *table = wri_alloc(allocator, size, sizeof *table);
    if (!table) {
        return fail_memory(r, size * sizeof *table);
    }
    wri_free(allocator, r->table, r->table_size, sizeof *r->table);
    r->table = table;
    r->table_size = size;
    for (int i = 0; i < r->vertices.count; i++) {
        r->table[corner_slot(r, &WRI_ITEM(r->vertices, corner, i))] = i + 1;
    }
    return true;
}

// The number of the vertex with these indices, made when it is new; -1 when out of memory.
static int find_vertex(reader *r, const corner *c)
{
    if (!grow_table(r)) {
        return -1;
    }
    size_t slot = corner_slot(r, c);
    if (!r->table[slot]) {
        corner *added = wri_array_add(&r->vertices, 1);
        if (!added) {
            fail_memory(r, sizeof *added);
            return -1;
        }
        *added = *c;
        r->table[slot] = r->vertices.count;
    }
    return r->table[slot] - 1;
}

// One index of a corner: from 1, or negative from the end. Nothing between slashes is -1.
static bool read_index(reader *r, const char **s, const char *end, const char *kind, int count,
                       int *out)
{
    const char *first = *s;
    double value = 0.0;
    while (*s < end && **s != '/') {
        (*s)++;
    }
    *out = -1;
    if (*s == first) {
        return true;
    }
    int length = *s - first < 40 ? (int)(*s - first) : 40;
    if (!wri_parse_double(first, (size_t)(*s - first), &value) || value != floor(value)) {
        return wri_text_fail(&r->text, "f: \"%.*s\" is not an index", length, first);
    }
    double index = value < 0.0 ? (double)count + value : value - 1.0;
    if (!(index >= 0.0 && index < (double)count)) {
        return wri_text_fail(&r->text, "f: %s %.0f does not exist, there are %d so far", kind,
                             value, count);
    }
    *out = (int)index;
    return true;
}

static bool read_corner(reader *r, const char *s, const char *end, corner *out)
{
    struct {
        const char *kind;
        int count;
        int *out;
    } parts[3] = {{"vertex", r->positions.count, &out->v},
                  {"texture coordinate", r->uvs.count, &out->vt},
                  {"normal", r->normals.count, &out->vn}};
    *out = (corner){-1, -1, -1, r->objects.count - 1};
    for (int i = 0; i < 3; i++) {
        if (!read_index(r, &s, end, parts[i].kind, parts[i].count, parts[i].out)) {
            return false;
        }
        if (s == end || i == 2) {
            break;
        }
        s++;
    }
    if (s != end || out->v < 0) {
        return wri_text_fail(&r->text, "f: expected corners as v, v/vt, v//vn or v/vt/vn");
    }
    return true;
}

// --- faces ------------------------------------------------------------------------------------

static void end_object(reader *r)
{
    if (r->objects.count) {
        object *last = &WRI_ITEM(r->objects, object, r->objects.count - 1);
        last->position_end = r->positions.count;
    }
}

static bool begin_object(reader *r, const char *name, size_t length)
{
    object *o = r->objects.count ? &WRI_ITEM(r->objects, object, r->objects.count - 1) : NULL;
    int first_position = o ? r->positions.count : 0;
    if (!o || o->first_triangle != r->triangles.count / 3) { // one without faces is taken over
        end_object(r);
        o = wri_array_add(&r->objects, 1);
    }
    const char *copy = wri_arena_text(wri_model_arena(r->model), name, length);
    if (!o || !copy) {
        return fail_memory(r, length);
    }
    *o = (object){.name = copy,
                  .first_position = first_position,
                  .first_vertex = r->vertices.count,
                  .first_triangle = r->triangles.count / 3};
    return true;
}

static bool begin_run(reader *r)
{
    run *last = r->runs.count ? &WRI_ITEM(r->runs, run, r->runs.count - 1) : NULL;
    int number = r->objects.count - 1;
    if (last && last->look == r->look && last->object == number) {
        return true;
    }
    run *added = wri_array_add(&r->runs, 1);
    if (!added) {
        return fail_memory(r, sizeof *added);
    }
    *added = (run){r->triangles.count / 3, r->look, number};
    return true;
}

static bool cut_polygon(reader *r)
{
    wr_error why = {0};
    return wri_polygon_cut(&r->polygon, &r->triangles, &why) ||
           wri_fail(r->error, why.code, "%s:%d: f: %s", r->text.path, r->text.line, why.message);
}

static bool read_face(reader *r)
{
    const char *word;
    size_t length;
    if (r->objects.count == 0 && !begin_object(r, "", 0)) {
        return false;
    }
    while (wri_text_word(&r->text, &word, &length)) {
        corner c;
        if (!read_corner(r, word, word + length, &c)) {
            return false;
        }
        int vertex = find_vertex(r, &c);
        if (vertex < 0 ||
            !wri_polygon_add(&r->polygon, vertex, WRI_ITEM(r->positions, wr_vec3, c.v), r->error)) {
            return false;
        }
    }
    if (r->polygon.corners.count < 3) {
        return wri_text_fail(&r->text, "f: expected at least three corners");
    }
    return begin_run(r) && cut_polygon(r);
}

// --- lines ------------------------------------------------------------------------------------

// A library that is not there was a warning already; (none) is what we write for no look.
static bool use_look(reader *r, const char *name, size_t length)
{
    r->look = wri_mtl_find(&r->mtl, name, length);
    bool none = length == 6 && memcmp(name, "(none)", 6) == 0;
    return r->look >= 0 || none || r->mtl.looks.count == 0 ||
           wri_text_warn(&r->text, r->model, "usemtl: there is no material \"%.*s\"",
                         length < 120 ? (int)length : 120, name);
}

// Warns of what would show but has no triangles, and passes over it.
static bool pass_over(reader *r)
{
    static const char *const shown[] = {"l", "p", "curv", "curv2", "surf"};
    for (int i = 0; i < WRI_COUNT(shown); i++) {
        if (wri_text_is(&r->text, shown[i])) {
            return wri_text_warn(&r->text, r->model, "%s: lines, points, curves are passed over",
                                 shown[i]);
        }
    }
    return true;
}

static bool read_line(reader *r)
{
    const char *rest;
    size_t length;
    if (wri_text_is(&r->text, "v")) {
        return read_position(r);
    }
    if (wri_text_is(&r->text, "vt")) {
        return read_uv(r);
    }
    if (wri_text_is(&r->text, "vn")) {
        return read_normal(r);
    }
    if (wri_text_is(&r->text, "f")) {
        return read_face(r);
    }
    if (wri_text_is(&r->text, "o")) {
        wri_text_rest(&r->text, &rest, &length);
        return begin_object(r, rest, length);
    }
    if (wri_text_is(&r->text, "usemtl")) {
        wri_text_rest(&r->text, &rest, &length);
        return use_look(r, rest, length);
    }
    if (wri_text_is(&r->text, "mtllib")) {
        wri_text_rest(&r->text, &rest, &length);
        return wri_mtl_read(&r->mtl, rest, length, r->text.line);
    }
    return pass_over(r);
}

// --- order ------------------------------------------------------------------------------------

// The part of the arrays that is one object.
typedef struct range {
    int index;
    int first_position, position_end, first_vertex, vertex_count, first_triangle, triangle_count;
    int first_run, run_count;
} range;

static bool alloc_order(reader *r)
{
    const wr_allocator *allocator = &r->vertices.allocator;
    size_t positions = (size_t)r->positions.count, vertices = (size_t)r->vertices.count;
    r->first_of_v = wri_alloc(allocator, positions, sizeof(int));
    r->number_of_v = wri_alloc(allocator, positions, sizeof(int));
    r->number = wri_alloc(allocator, vertices, sizeof(int));
    if (!r->first_of_v || !r->number_of_v || !r->number) {
        return fail_memory(r, (positions + vertices) * sizeof(int));
    }
    for (size_t i = 0; i < positions; i++) {
        r->first_of_v[i] = -1;
    }
    for (int i = r->vertices.count - 1; i >= 0; i--) { // the first one is written last
        r->first_of_v[WRI_ITEM(r->vertices, corner, i).v] = i;
    }
    return true;
}

static bool add_v(reader *r, int v)
{
    int *added = wri_array_add(&r->v_of_mesh, 1);
    if (!added) {
        return fail_memory(r, sizeof *added);
    }
    *added = v;
    return true;
}

static bool collect_v(reader *r, const range *o)
{
    r->v_of_mesh.count = 0;
    for (int i = o->first_vertex; i < o->first_vertex + o->vertex_count; i++) {
        int v = WRI_ITEM(r->vertices, corner, i).v, *first = &r->first_of_v[v];
        if (WRI_ITEM(r->vertices, corner, *first).object != o->index) {
            *first = i; // the one so far was of an object before
        }
        if (*first == i && !add_v(r, v)) {
            return false;
        }
    }
    for (int v = o->first_position; v < o->position_end; v++) {
        if (r->first_of_v[v] < 0 && !add_v(r, v)) {
            return false;
        }
    }
    return true;
}

static int compare_ints(const void *a, const void *b)
{
    int s = *(const int *)a, t = *(const int *)b;
    return (s > t) - (s < t);
}

// Objects mostly use v that stand together: these are ticked off and gone through.
static void sort_v(reader *r, int mesh)
{
    int count = r->v_of_mesh.count, *list = r->v_of_mesh.items, low = INT32_MAX, high = 0;
    for (int i = 0; i < count; i++) {
        low = list[i] < low ? list[i] : low;
        high = list[i] > high ? list[i] : high;
    }
    if (high - low > 8 * (int64_t)count) {
        qsort(list, (size_t)count, sizeof *list, compare_ints);
        return;
    }
    int tick = -1 - mesh; // no number, and no other object's
    for (int i = 0; i < count; i++) {
        r->number_of_v[list[i]] = tick;
    }
    for (int v = low; v <= high; v++) {
        if (r->number_of_v[v] == tick) {
            *list++ = v;
        }
    }
}

// Fills v_of_mesh and numbers the object's vertices; *count becomes how many its mesh has.
static bool order_vertices(reader *r, const range *o, int *count)
{
    if (!collect_v(r, o)) {
        return false;
    }
    sort_v(r, o->index);
    for (int i = 0; i < r->v_of_mesh.count; i++) {
        r->number_of_v[WRI_ITEM(r->v_of_mesh, int, i)] = i;
    }
    *count = r->v_of_mesh.count;
    for (int i = o->first_vertex; i < o->first_vertex + o->vertex_count; i++) {
        int v = WRI_ITEM(r->vertices, corner, i).v;
        r->number[i] = r->first_of_v[v] == i ? r->number_of_v[v] : (*count)++;
    }
    return true;
}

// --- meshes -----------------------------------------------------------------------------------

static bool alloc_mesh(reader *r, const range *o, int vertex_count, wr_mesh *mesh)
{
    size_t n = (size_t)vertex_count;
    bool uvs = false, normals = false;
    for (int i = 0; i < o->vertex_count; i++) {
        const corner *c = &WRI_ITEM(r->vertices, corner, o->first_vertex + i);
        uvs = uvs || c->vt >= 0;
        normals = normals || c->vn >= 0;
    }
    *mesh = (wr_mesh){
        .vertex_count = vertex_count,
        .triangle_count = o->triangle_count,
        .part_count = o->run_count,
        .positions = wr_model_alloc(r->model, n, sizeof *mesh->positions),
        .normals = normals ? wr_model_alloc(r->model, n, sizeof *mesh->normals) : NULL,
        .uvs = uvs ? wr_model_alloc(r->model, n, sizeof *mesh->uvs) : NULL,
        .colors = r->has_colors ? wr_model_alloc(r->model, n, sizeof *mesh->colors) : NULL,
        .triangles = wr_model_alloc(r->model, (size_t)o->triangle_count, 3 * sizeof(int)),
        .parts = wr_model_alloc(r->model, (size_t)o->run_count, sizeof *mesh->parts),
    };
    bool ok = mesh->positions && mesh->triangles && mesh->parts && (!normals || mesh->normals) &&
              (!uvs || mesh->uvs) && (!r->has_colors || mesh->colors);
    return ok || fail_memory(r, n * sizeof *mesh->positions);
}

static void place_vertex(const reader *r, wr_mesh *mesh, int i, int v)
{
    mesh->positions[i] = WRI_ITEM(r->positions, wr_vec3, v);
    if (mesh->colors) {
        mesh->colors[i] = WRI_ITEM(r->colors, wr_color, v);
    }
}

static void fill_vertices(const reader *r, const range *o, wr_mesh *mesh)
{
    for (int i = 0; i < r->v_of_mesh.count; i++) {
        place_vertex(r, mesh, i, WRI_ITEM(r->v_of_mesh, int, i));
    }
    for (int i = o->first_vertex; i < o->first_vertex + o->vertex_count; i++) {
        place_vertex(r, mesh, r->number[i], WRI_ITEM(r->vertices, corner, i).v);
    }
    if (mesh->normals) { // first for those corners that name none
        wr_find_normals(mesh->positions, mesh->vertex_count, mesh->triangles, mesh->triangle_count,
                        mesh->normals);
    }
    for (int i = o->first_vertex; i < o->first_vertex + o->vertex_count; i++) {
        const corner *c = &WRI_ITEM(r->vertices, corner, i);
        if (c->vn >= 0) {
            mesh->normals[r->number[i]] = WRI_ITEM(r->normals, wr_vec3, c->vn);
        }
        if (c->vt >= 0) {
            mesh->uvs[r->number[i]] = WRI_ITEM(r->uvs, wr_vec2, c->vt);
        }
    }
}

static bool build_mesh(reader *r, const range *o, wr_mesh *mesh)
{
    int vertex_count = 0;
    if (!order_vertices(r, o, &vertex_count) || !alloc_mesh(r, o, vertex_count, mesh)) {
        return false;
    }
    for (size_t i = 0; i < 3 * (size_t)o->triangle_count; i++) {
        size_t from = 3 * (size_t)o->first_triangle + i;
        mesh->triangles[i] = r->number[WRI_ITEM(r->triangles, int, from)];
    }
    for (int i = 0; i < o->run_count; i++) {
        int k = o->first_run + i;
        const run *part = &WRI_ITEM(r->runs, run, k);
        int end = k + 1 < r->runs.count ? part[1].first_triangle : r->triangles.count / 3;
        mesh->parts[i] = (wr_mesh_part){part->first_triangle - o->first_triangle,
                                        end - part->first_triangle, part->look};
    }
    fill_vertices(r, o, mesh);
    return true;
}

static bool build_meshes(reader *r)
{
    wr_model *model = r->model;
    model->meshes = wr_model_alloc(model, (size_t)r->objects.count, sizeof *model->meshes);
    if (!model->meshes) {
        return fail_memory(r, (size_t)r->objects.count * sizeof *model->meshes);
    }
    if (!alloc_order(r)) {
        return false;
    }
    for (int i = 0, first_run = 0; i < r->objects.count; i++) {
        const object *o = &WRI_ITEM(r->objects, object, i);
        const object end = {.first_vertex = r->vertices.count,
                            .first_triangle = r->triangles.count / 3};
        const object *next = i + 1 < r->objects.count ? o + 1 : &end;
        range span = {.index = i,
                      .first_position = o->first_position,
                      .position_end = o->position_end,
                      .first_vertex = o->first_vertex,
                      .vertex_count = next->first_vertex - o->first_vertex,
                      .first_triangle = o->first_triangle,
                      .triangle_count = next->first_triangle - o->first_triangle,
                      .first_run = first_run};
        while (first_run < r->runs.count && WRI_ITEM(r->runs, run, first_run).object == i) {
            first_run++;
            span.run_count++;
        }
        wr_mesh *mesh = &model->meshes[model->mesh_count];
        if (span.triangle_count > 0) {
            if (!build_mesh(r, &span, mesh)) {
                return false;
            }
            mesh->name = o->name;
            model->mesh_count++;
        }
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool read_obj(reader *r)
{
    while (wri_text_line(&r->text)) {
        if (!read_line(r)) {
            return false;
        }
    }
    end_object(r);
    return wri_mtl_finish(&r->mtl) && build_meshes(r) &&
           wri_model_add_nodes(r->model, r->text.path, r->error);
}

wr_model *wri_obj_read(const char *path, const char *bytes, size_t size,
                       const wr_allocator *allocator, wr_error *error)
{
    wr_model *model = wr_model_create(allocator, error);
    if (!model) {
        return NULL;
    }
    reader r = {
        .text = wri_text_open(path, bytes, size, error),
        .model = model,
        .mtl = wri_mtl_create(model, path, size, error),
        .positions = wri_array_create(allocator, sizeof(wr_vec3)),
        .colors = wri_array_create(allocator, sizeof(wr_color)),
        .uvs = wri_array_create(allocator, sizeof(wr_vec2)),
        .normals = wri_array_create(allocator, sizeof(wr_vec3)),
        .vertices = wri_array_create(allocator, sizeof(corner)),
        .triangles = wri_array_create(allocator, sizeof(int)),
        .objects = wri_array_create(allocator, sizeof(object)),
        .runs = wri_array_create(allocator, sizeof(run)),
        .v_of_mesh = wri_array_create(allocator, sizeof(int)),
        .polygon = wri_polygon_create(allocator),
        .look = -1,
        .error = error,
    };
    bool ok = read_obj(&r);
    int positions = r.positions.count, vertices = r.vertices.count;
    wri_array *arrays[] = {&r.positions, &r.colors,  &r.uvs,  &r.normals,  &r.vertices,
                           &r.triangles, &r.objects, &r.runs, &r.v_of_mesh};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        wri_array_destroy(arrays[i]);
    }
    wri_polygon_destroy(&r.polygon);
    wri_free(allocator, r.table, r.table_size, sizeof *r.table);
    wri_free(allocator, r.first_of_v, (size_t)positions, sizeof(int));
    wri_free(allocator, r.number_of_v, (size_t)positions, sizeof(int));
    wri_free(allocator, r.number, (size_t)vertices, sizeof(int));
    wri_mtl_destroy(&r.mtl);
    if (!ok) {
        wr_model_destroy(model);
        return NULL;
    }
    return model;
}
