// tet_mesh.c: tetrahedra as one block of memory, their volume and their boundary.
//
// The boundary is found by entering every face, under its three sorted corners, into a table: a
// face that was met once only lies on the outside.
#include "wrought/geometry.h"

#include "../base/base.h"

typedef struct owner {
    wri_arena arena;
    wr_tet_mesh mesh; // lives in the arena that it owns
} owner;

wr_tet_mesh *wr_tet_mesh_create(int vertex_count, int tetrahedron_count, int triangle_count,
                                const wr_allocator *allocator, wr_error *error)
{
    if (vertex_count < 0 || tetrahedron_count < 0 || triangle_count < 0) {
        wri_fail(error, WR_E_ARGUMENT,
                 "vertex_count, tetrahedron_count or triangle_count: %d, %d, %d", vertex_count,
                 tetrahedron_count, triangle_count);
        return NULL;
    }
    wri_arena arena = wri_arena_create(allocator);
    owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    wr_vec3 *positions = wri_arena_alloc(&arena, (size_t)vertex_count, sizeof *positions);
    int *tetrahedra = wri_arena_alloc(&arena, (size_t)tetrahedron_count, 4 * sizeof(int));
    int *triangles = wri_arena_alloc(&arena, (size_t)triangle_count, 3 * sizeof(int));
    if (!o || !positions || !tetrahedra || !triangles) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, (size_t)vertex_count * sizeof *positions);
        return NULL;
    }
    *o = (owner){
        arena,
        {vertex_count, tetrahedron_count, triangle_count, positions, tetrahedra, triangles, o}};
    return &o->mesh;
}

void wr_tet_mesh_destroy(wr_tet_mesh *mesh)
{
    if (mesh) {
        wri_arena arena = ((owner *)mesh->memory)->arena;
        wri_arena_destroy(&arena);
    }
}

// --- volume -----------------------------------------------------------------------------------

static double tetrahedron_volume(const wr_tet_mesh *mesh, int index)
{
    const int *corner = &mesh->tetrahedra[4 * (size_t)index];
    const wr_vec3 *p = mesh->positions;
    wr_vec3 a = p[corner[0]];
    double e[3][3];
    for (int i = 0; i < 3; i++) {
        wr_vec3 b = p[corner[i + 1]];
        e[i][0] = (double)b.x - a.x;
        e[i][1] = (double)b.y - a.y;
        e[i][2] = (double)b.z - a.z;
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
            e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6.0;
}

wr_tet_volume wr_tet_mesh_volume(const wr_tet_mesh *mesh)
{
    wr_tet_volume out = {0};
    for (int i = 0; i < mesh->tetrahedron_count; i++) {
        double volume = tetrahedron_volume(mesh, i);
        out.total += volume;
        out.inverted_count += volume < 0.0;
        out.flat_count += volume == 0.0;
    }
    return out;
}

// --- boundary ---------------------------------------------------------------------------------

typedef struct boundary {
    const wr_tet_mesh *mesh;
    int *table;     // face + 1 by hash of its corners, 0 is free
    uint8_t *count; // times a face was met, 0 to 2; kept at the first one met
    size_t table_size, face_count;
    wr_allocator allocator;
} boundary;

// Lists three corners, counter-clockwise seen from outside a positive tetrahedron.
static void face_corners(const wr_tet_mesh *mesh, size_t face, int out[3])
{
    static const int corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int i = 0; i < 3; i++) {
        out[i] = mesh->tetrahedra[face / 4 * 4 + (size_t)corners[face % 4][i]];
    }
}

static void sort3(int v[3])
{
    for (int i = 0; i < 3; i++) {
        int a = i % 2, b = a + 1; // 0-1, 1-2, 0-1
        if (v[a] > v[b]) {
            int kept = v[a];
            v[a] = v[b];
            v[b] = kept;
        }
    }
}

static void enter_face(boundary *b, size_t face)
{
    int key[3], other[3];
    face_corners(b->mesh, face, key);
    sort3(key);
    size_t slot = wri_hash(key, sizeof key, 0) & (b->table_size - 1);
    for (; b->table[slot]; slot = (slot + 1) & (b->table_size - 1)) {
        size_t met = (size_t)b->table[slot] - 1;
        face_corners(b->mesh, met, other);
        sort3(other);
        if (memcmp(key, other, sizeof key) == 0) {
            b->count[met] = 2;
            return;
        }
    }
    b->table[slot] = (int)face + 1;
    b->count[face] = 1;
}

static bool find_boundary(boundary *b, wr_error *error)
{
    if (b->mesh->tetrahedron_count > INT32_MAX / 16 || b->mesh->triangle_count > INT32_MAX / 4) {
        return wri_fail(error, WR_E_UNSUPPORTED,
                        "%d tetrahedra or %d triangles are too many to find their surface",
                        b->mesh->tetrahedron_count, b->mesh->triangle_count);
    }
    b->face_count = 4 * (size_t)b->mesh->tetrahedron_count;
    for (b->table_size = 64; b->table_size < 2 * b->face_count;) {
        b->table_size *= 2;
    }
    b->table = wri_alloc(&b->allocator, b->table_size, sizeof *b->table);
    b->count = wri_alloc(&b->allocator, b->face_count, 1);
    if (!b->table || !b->count) {
        return wri_fail_memory(error, b->table_size * sizeof *b->table);
    }
    for (size_t i = 0; i < b->face_count; i++) {
        enter_face(b, i);
    }
    return true;
}

static void put_boundary(const boundary *b, wri_array *triangles)
{
    int *out = triangles->items;
    for (size_t i = 0; i < b->face_count; i++) {
        if (b->count[i] != 1) {
            continue;
        }
        face_corners(b->mesh, i, out);
        if (tetrahedron_volume(b->mesh, (int)(i / 4)) < 0.0) {
            int kept = out[1];
            out[1] = out[2];
            out[2] = kept;
        }
        out += 3;
    }
}

// The corners of all faces of the surface.
static bool collect_faces(boundary *b, wri_array *triangles, wr_error *error)
{
    if (!find_boundary(b, error)) {
        return false;
    }
    int count = 0;
    for (size_t i = 0; i < b->face_count; i++) {
        count += b->count[i] == 1;
    }
    bool own = b->mesh->tetrahedron_count == 0;
    count = own ? b->mesh->triangle_count : count;
    if (count == 0) {
        return wri_fail(error, WR_E_ARGUMENT, "no face belongs to one tetrahedron only");
    }
    if (!wri_array_add(triangles, 3 * count)) {
        return wri_fail_memory(error, 3 * (size_t)count * sizeof(int));
    }
    if (own) {
        memcpy(triangles->items, b->mesh->triangles, 3 * (size_t)count * sizeof(int));
    } else {
        put_boundary(b, triangles);
    }
    return true;
}

// --- the model --------------------------------------------------------------------------------

// Numbers the vertices that faces use, -1 for the others. Returns how many there are.
static int number_vertices(const wri_array *triangles, int vertex_count, int *place)
{
    int count = 0;
    for (int i = 0; i < triangles->count; i++) {
        place[WRI_ITEM(*triangles, int, i)] = 1;
    }
    for (int i = 0; i < vertex_count; i++) {
        place[i] = place[i] ? count++ : -1;
    }
    return count;
}

static bool fill_surface(wr_model *model, const wr_tet_mesh *source, const wri_array *triangles,
                         int *place, wr_error *error)
{
    size_t corners = (size_t)triangles->count;
    int vertex_count = number_vertices(triangles, source->vertex_count, place);
    wr_mesh *mesh = wr_model_alloc(model, 1, sizeof *mesh);
    wr_node *node = wr_model_alloc(model, 1, sizeof *node);
    wr_mesh_part *part = wr_model_alloc(model, 1, sizeof *part);
    int *out = wr_model_alloc(model, corners, sizeof *out);
    wr_vec3 *positions = wr_model_alloc(model, (size_t)vertex_count, sizeof *positions);
    if (!mesh || !node || !part || !out || !positions) {
        return wri_fail_memory(error, corners * sizeof *out);
    }
    for (int i = 0; i < source->vertex_count; i++) {
        if (place[i] >= 0) {
            positions[place[i]] = source->positions[i];
        }
    }
    for (size_t i = 0; i < corners; i++) {
        out[i] = place[WRI_ITEM(*triangles, int, i)];
    }
    *part = (wr_mesh_part){0, triangles->count / 3, -1};
    *mesh = (wr_mesh){.name = "surface",
                      .vertex_count = vertex_count,
                      .triangle_count = triangles->count / 3,
                      .part_count = 1,
                      .positions = positions,
                      .triangles = out,
                      .parts = part};
    *node = (wr_node){"surface", -1, 0, -1, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}};
    model->name = "surface";
    model->meshes = mesh;
    model->nodes = node;
    model->mesh_count = model->node_count = 1;
    return true;
}

wr_model *wr_tet_mesh_create_surface(const wr_tet_mesh *mesh, const wr_allocator *allocator,
                                     wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh)) {
        return NULL;
    }
    boundary b = {.mesh = mesh, .allocator = allocator ? *allocator : *wr_allocator_default()};
    wri_array triangles = wri_array_create(allocator, sizeof(int));
    wr_model *model = wr_model_create(allocator, error);
    size_t vertices = (size_t)mesh->vertex_count;
    int *place = wri_alloc(allocator, vertices, sizeof *place);
    bool ok = model && (place || wri_fail_memory(error, vertices * sizeof *place)) &&
              collect_faces(&b, &triangles, error) &&
              fill_surface(model, mesh, &triangles, place, error);
    wri_free(allocator, place, vertices, sizeof *place);
    wri_free(&b.allocator, b.table, b.table_size, sizeof *b.table);
    wri_free(&b.allocator, b.count, b.face_count, 1);
    wri_array_destroy(&triangles);
    if (!ok) {
        wr_model_destroy(model);
        return NULL;
    }
    return model;
}
