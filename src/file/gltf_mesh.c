// gltf_mesh.c: the primitives of one glTF mesh become the parts of one mesh.
//
// Neighbouring primitives that name the same vertex arrays share their vertices, as they do in the
// file. A group of primitives that uses less than half of its arrays takes only the vertices it
// uses: some exporters put the vertices of a whole scene into one array.
#include "gltf.h"

#include <stdio.h>

enum { POSITION, NORMAL, UV, COLOR, ATTRIBUTES };
enum { TRIANGLES = 4, TRIANGLE_STRIP = 5, TRIANGLE_FAN = 6 };

typedef struct primitive {
    const wri_json *json;
    int attributes[ATTRIBUTES]; // accessors, -1 for none
    int indices;                // accessor, -1 for none
    int mode, look;
    wri_gltf_layout layout;
    wri_gltf_bend bend;
} primitive;

typedef struct builder {
    wri_gltf *g;
    const wri_gltf_layout *layouts; // of looks
    wri_array primitives;
    wri_array positions, normals, uvs, colors; // one per vertex, whether given or not
    wri_array triangles;                       // corners
    wri_array parts;
    bool given[ATTRIBUTES]; // true when any primitive gives it
    bool missing_normals;
    wri_gltf_bender bender;
} builder;

// --- primitives -------------------------------------------------------------------------------

static bool read_primitive(builder *b, const wri_json *json)
{
    wri_gltf *g = b->g;
    int accessors = g->accessors ? g->accessors->count : 0;
    primitive p = {.json = json, .attributes = {-1, -1, -1, -1}, .indices = -1, .look = -1};
    uint64_t mode = TRIANGLES;
    const wri_json *attributes = NULL;
    if (!wri_gltf_integer(g, json, "mode", 7, &mode) ||
        !wri_gltf_index(g, json, "indices", accessors, &p.indices) ||
        !wri_gltf_index(g, json, "material", g->model->look_count, &p.look) ||
        !wri_gltf_object(g, json, "attributes", &attributes)) {
        return false;
    }
    static const wri_gltf_layout plain = {0, {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}}};
    p.layout = p.look >= 0 ? b->layouts[p.look] : plain;
    char uv[24];
    snprintf(uv, sizeof uv, "TEXCOORD_%d", p.layout.set);
    const char *names[ATTRIBUTES] = {"POSITION", "NORMAL", uv, "COLOR_0"};
    for (int i = 0; i < ATTRIBUTES; i++) {
        if (!wri_gltf_index(g, attributes, names[i], accessors, &p.attributes[i])) {
            return false;
        }
    }
    p.mode = (int)mode;
    if (p.mode < TRIANGLES || p.attributes[POSITION] < 0) {
        return wri_gltf_warn(g, json, "points and lines are passed over"); // they have no surface
    }
    if ((!g->plain && !wri_gltf_read_bend(g, json, &p.bend)) ||
        !wri_gltf_bender_meet(&b->bender, json, &p.bend)) {
        return false;
    }
    primitive *added = wri_array_add(&b->primitives, 1);
    if (!added) {
        return wri_fail_memory(g->error, sizeof *added);
    }
    *added = p;
    return true;
}

// True when p can use the vertices of a group; if so the group learns what only p knows.
static bool join_group(primitive *group, const primitive *p)
{
    if (!wri_gltf_same_bend(&group->bend, &p->bend)) {
        return false;
    }
    for (int i = 0; i < ATTRIBUTES; i++) {
        int a = group->attributes[i], b = p->attributes[i];
        if (a != b && (i == POSITION || (a >= 0 && b >= 0))) {
            return false;
        }
        if (i == UV && a >= 0 && b >= 0 &&
            memcmp(group->layout.change, p->layout.change, sizeof p->layout.change) != 0) {
            return false;
        }
    }
    for (int i = 0; i < ATTRIBUTES; i++) {
        if (group->attributes[i] < 0) {
            group->attributes[i] = p->attributes[i];
            group->layout = i == UV ? p->layout : group->layout;
        }
    }
    return true;
}

// --- triangles --------------------------------------------------------------------------------

static int triangle_count(int mode, int corners)
{
    return mode == TRIANGLES ? corners / 3 : corners < 3 ? 0 : corners - 2;
}

// Triangle number i of a list, strip or fan, as positions in the sequence of corners.
static void triangle_corners(int mode, int i, int out[3])
{
    if (mode == TRIANGLES) {
        out[0] = 3 * i;
        out[1] = 3 * i + 1;
        out[2] = 3 * i + 2;
    } else if (mode == TRIANGLE_STRIP) { // every second one is turned round
        out[0] = i;
        out[1] = i + 1 + i % 2;
        out[2] = i + 2 - i % 2;
    } else {
        out[0] = i + 1;
        out[1] = i + 2;
        out[2] = 0;
    }
}

static bool add_part(builder *b, const primitive *p, const int *sequence, int corners, int vertices)
{
    int count = triangle_count(p->mode, corners);
    if (count == 0) {
        return true;
    }
    if (!wri_gltf_keep(b->g, p->json, count, 3 * sizeof(int))) {
        return false;
    }
    int first = b->triangles.count / 3;
    int *out = count > INT32_MAX / 3 ? NULL : wri_array_add(&b->triangles, 3 * count);
    wr_mesh_part *part = out ? wri_array_add(&b->parts, 1) : NULL;
    if (!part) {
        return wri_fail_memory(b->g->error, 3 * sizeof(int) * (size_t)count);
    }
    *part = (wr_mesh_part){first, count, p->look};
    for (int i = 0; i < count; i++) {
        int at[3];
        triangle_corners(p->mode, i, at);
        for (int k = 0; k < 3; k++) {
            int vertex = sequence ? sequence[at[k]] : at[k];
            if (vertex >= vertices) {
                return wri_gltf_fail(b->g, p->json, WR_E_FORMAT,
                                     "index %d is vertex %d, but there are %d vertices", at[k],
                                     vertex, vertices);
            }
            *out++ = vertex;
        }
    }
    return true;
}

static bool add_triangles(builder *b, const primitive *p, int vertices)
{
    wri_gltf *g = b->g;
    if (p->indices < 0) {
        return wri_gltf_count_work(g, p->json, vertices) &&
               add_part(b, p, NULL, vertices, vertices);
    }
    wri_gltf_accessor a;
    if (!wri_gltf_open_accessor(g, p->indices, &a)) {
        return false;
    }
    const wr_allocator *allocator = &g->arena.allocator;
    int *sequence = wri_alloc(allocator, (size_t)a.count, sizeof *sequence);
    if (!sequence) {
        return wri_fail_memory(g->error, (size_t)a.count * sizeof *sequence);
    }
    bool ok = wri_gltf_read_indices(g, &a, sequence) && add_part(b, p, sequence, a.count, vertices);
    wri_free(allocator, sequence, (size_t)a.count, sizeof *sequence);
    return ok;
}

// --- vertices ---------------------------------------------------------------------------------

// remap[i] becomes the new number of vertex i, -1 when it is left out. Returns how many stay.
static int choose_vertices(const builder *b, int first_corner, int *remap, int vertices)
{
    int used = 0;
    for (int i = 0; i < vertices; i++) {
        remap[i] = -1;
    }
    for (int i = first_corner; i < b->triangles.count; i++) {
        int *seen = &remap[WRI_ITEM(b->triangles, int, i)];
        used += *seen < 0;
        *seen = 0;
    }
    if (used == 0) {
        return 0;
    }
    bool all = b->g->plain || used >= vertices - used;
    int kept = 0;
    for (int i = 0; i < vertices; i++) {
        remap[i] = all || remap[i] == 0 ? kept++ : -1;
    }
    return kept;
}

// Coordinates that nothing changes keep their bits: -0 + 0 would be 0.
static wr_vec2 lay_on(const wri_gltf_layout *layout, const float *v)
{
    static const float none[2][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    const float(*c)[3] = layout->change;
    return memcmp(c, none, sizeof none) == 0 ? (wr_vec2){v[0], v[1]}
                                             : (wr_vec2){c[0][0] * v[0] + c[0][1] * v[1] + c[0][2],
                                                         c[1][0] * v[0] + c[1][1] * v[1] + c[1][2]};
}

static void store(builder *b, const wri_gltf_layout *layout, int attribute, int vertex,
                  const float *v, int components)
{
    switch (attribute) {
    case POSITION:
        WRI_ITEM(b->positions, wr_vec3, vertex) = wr_v3(v[0], v[1], v[2]);
        break;
    case NORMAL:
        WRI_ITEM(b->normals, wr_vec3, vertex) = wri_unit_normal(wr_v3(v[0], v[1], v[2]));
        break;
    case UV:
        WRI_ITEM(b->uvs, wr_vec2, vertex) = lay_on(layout, v);
        break;
    default:
        WRI_ITEM(b->colors, wr_color, vertex) =
            (wr_color){v[0], v[1], v[2], components == 4 ? v[3] : 1.0f};
    }
}

static bool copy_attribute(builder *b, const wri_gltf_layout *layout, const wri_gltf_accessor *a,
                           int attribute, const int *remap, int first_vertex)
{
    wri_gltf *g = b->g;
    size_t count = (size_t)a->count * (size_t)a->components;
    float *values = wri_alloc(&g->arena.allocator, count, sizeof *values);
    if (!values) {
        return wri_fail_memory(g->error, count * sizeof *values);
    }
    bool ok = wri_gltf_read_floats(g, a, values);
    for (int i = 0; i < a->count && ok; i++) {
        if (remap[i] >= 0) {
            store(b, layout, attribute, first_vertex + remap[i],
                  values + (size_t)i * (size_t)a->components, a->components);
        }
    }
    wri_free(&g->arena.allocator, values, count, sizeof *values);
    b->given[attribute] = true;
    return ok;
}

static bool read_attribute(builder *b, const primitive *p, int attribute, const int *remap,
                           int vertices, int first_vertex)
{
    static const int least[ATTRIBUTES] = {3, 3, 2, 3}, most[ATTRIBUTES] = {3, 3, 2, 4};
    wri_gltf_accessor a;
    if (p->attributes[attribute] < 0) {
        b->missing_normals = b->missing_normals || attribute == NORMAL;
        return true;
    }
    if (!wri_gltf_open_accessor(b->g, p->attributes[attribute], &a)) {
        return false;
    }
    if (a.components < least[attribute] || a.components > most[attribute]) {
        return wri_gltf_fail(b->g, p->json, WR_E_FORMAT,
                             "accessor %d has %d numbers per vertex, expected %d", a.index,
                             a.components, most[attribute]);
    }
    if (a.count != vertices) {
        return wri_gltf_fail(b->g, p->json, WR_E_FORMAT,
                             "accessor %d has %d elements, but there are %d vertices", a.index,
                             a.count, vertices);
    }
    return copy_attribute(b, &p->layout, &a, attribute, remap, first_vertex);
}

static bool add_room(builder *b, const wri_json *json, int count)
{
    if (!wri_gltf_keep(b->g, json, count,
                       2 * sizeof(wr_vec3) + sizeof(wr_vec2) + sizeof(wr_color))) {
        return false;
    }
    wr_color *colors = wri_array_add(&b->colors, count);
    if (!wri_array_add(&b->positions, count) || !wri_array_add(&b->normals, count) ||
        !wri_array_add(&b->uvs, count) || !colors) {
        return wri_fail_memory(b->g->error, sizeof(wr_color) * (size_t)count);
    }
    for (int i = 0; i < count; i++) {
        colors[i] = (wr_color){1.0f, 1.0f, 1.0f, 1.0f};
    }
    return true;
}

static bool add_vertices(builder *b, const primitive *group, int first_corner, int vertices,
                         int *remap)
{
    int kept = choose_vertices(b, first_corner, remap, vertices);
    int first_vertex = b->positions.count;
    if (kept == 0) {
        return true;
    }
    if (!add_room(b, group->json, kept)) {
        return false;
    }
    for (int i = 0; i < ATTRIBUTES; i++) {
        if (!read_attribute(b, group, i, remap, vertices, first_vertex)) {
            return false;
        }
    }
    if (!wri_gltf_bender_add(&b->bender, group->json, &group->bend, remap, vertices, kept)) {
        return false;
    }
    for (int i = first_corner; i < b->triangles.count; i++) {
        int *corner = &WRI_ITEM(b->triangles, int, i);
        *corner = first_vertex + remap[*corner];
    }
    return true;
}

// Reads the primitives from `first` on that share vertices; returns the one after, -1 on failure.
static int read_group(builder *b, int first)
{
    const wr_allocator *allocator = &b->g->arena.allocator;
    primitive *list = b->primitives.items;
    primitive group = list[first];
    wri_gltf_accessor positions;
    if (!wri_gltf_open_accessor(b->g, group.attributes[POSITION], &positions)) {
        return -1;
    }
    int first_corner = b->triangles.count, end = first;
    for (; end < b->primitives.count && join_group(&group, &list[end]); end++) {
        if (!add_triangles(b, &list[end], positions.count)) {
            return -1;
        }
    }
    int *remap = wri_alloc(allocator, (size_t)positions.count, sizeof *remap);
    if (!remap) {
        wri_fail_memory(b->g->error, (size_t)positions.count * sizeof *remap);
        return -1;
    }
    bool ok = add_vertices(b, &group, first_corner, positions.count, remap);
    wri_free(allocator, remap, (size_t)positions.count, sizeof *remap);
    return ok ? end : -1;
}

// --- the mesh ---------------------------------------------------------------------------------

// Hands an array to the model and frees it, so that few of them exist twice at a time.
static void *keep(builder *b, wri_array *array, bool given)
{
    size_t count = (size_t)array->count;
    void *copy = given ? wr_model_alloc(b->g->model, count, array->item_size) : NULL;
    if (copy && count) {
        memcpy(copy, array->items, count * array->item_size);
    }
    wri_array_destroy(array);
    return copy;
}

// Vertices without a normal in a mesh that has some get one from the triangles.
static bool fill_normals(builder *b, wr_mesh *mesh)
{
    if (!mesh->normals || !b->missing_normals) {
        return true;
    }
    const wr_allocator *allocator = &b->g->arena.allocator;
    size_t count = (size_t)mesh->vertex_count;
    wr_vec3 *found = wri_alloc(allocator, count, sizeof *found);
    if (!found) {
        return wri_fail_memory(b->g->error, count * sizeof *found);
    }
    wr_find_normals(mesh->positions, mesh->vertex_count, mesh->triangles, mesh->triangle_count,
                    found);
    for (size_t i = 0; i < count; i++) {
        if (wr_dot(mesh->normals[i], mesh->normals[i]) == 0.0f) {
            mesh->normals[i] = found[i];
        }
    }
    wri_free(allocator, found, count, sizeof *found);
    return true;
}

static bool finish(builder *b, wr_mesh *mesh)
{
    mesh->vertex_count = b->positions.count;
    mesh->triangle_count = b->triangles.count / 3;
    mesh->part_count = b->parts.count;
    mesh->colors = keep(b, &b->colors, b->given[COLOR]);
    mesh->positions = keep(b, &b->positions, true);
    mesh->normals = keep(b, &b->normals, b->given[NORMAL]);
    mesh->uvs = keep(b, &b->uvs, b->given[UV]);
    mesh->triangles = keep(b, &b->triangles, true);
    mesh->parts = keep(b, &b->parts, true);
    if (!mesh->positions || !mesh->triangles || !mesh->parts ||
        (b->given[NORMAL] && !mesh->normals) || (b->given[UV] && !mesh->uvs) ||
        (b->given[COLOR] && !mesh->colors)) {
        return wri_fail_memory(b->g->error, sizeof(wr_vec3) * (size_t)mesh->vertex_count);
    }
    return fill_normals(b, mesh);
}

static bool build(builder *b, const wri_json *json, wr_mesh *mesh)
{
    const wri_json *primitives = NULL;
    if (!wri_gltf_array(b->g, json, "primitives", &primitives)) {
        return false;
    }
    for (int i = 0; primitives && i < primitives->count; i++) {
        if (!read_primitive(b, &primitives->items[i])) {
            return false;
        }
    }
    for (int i = 0; i < b->primitives.count;) {
        i = read_group(b, i);
        if (i < 0) {
            return false;
        }
    }
    return b->triangles.count == 0 ||
           (finish(b, mesh) && wri_gltf_bender_finish(&b->bender, json, mesh));
}

bool wri_gltf_read_mesh(wri_gltf *g, const wri_json *json, const wri_gltf_layout *layouts,
                        wr_mesh *mesh)
{
    const wr_allocator *allocator = &g->arena.allocator;
    builder b = {
        .g = g,
        .layouts = layouts,
        .primitives = wri_array_create(allocator, sizeof(primitive)),
        .positions = wri_array_create(allocator, sizeof(wr_vec3)),
        .normals = wri_array_create(allocator, sizeof(wr_vec3)),
        .uvs = wri_array_create(allocator, sizeof(wr_vec2)),
        .colors = wri_array_create(allocator, sizeof(wr_color)),
        .triangles = wri_array_create(allocator, sizeof(int)),
        .parts = wri_array_create(allocator, sizeof(wr_mesh_part)),
        .bender = {.g = g},
    };
    bool ok = build(&b, json, mesh);
    wri_array_destroy(&b.primitives);
    wri_array_destroy(&b.positions);
    wri_array_destroy(&b.normals);
    wri_array_destroy(&b.uvs);
    wri_array_destroy(&b.colors);
    wri_array_destroy(&b.triangles);
    wri_array_destroy(&b.parts);
    wri_gltf_bender_destroy(&b.bender);
    return ok;
}
