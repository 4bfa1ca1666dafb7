// mesh.c: models as blocks of memory, and simple questions to triangles.
#include "wrought/geometry.h"

#include "../base/base.h"

// --- models -----------------------------------------------------------------------------------

typedef struct owner {
    wri_arena arena;
    wr_model model; // the model lives in the arena that it owns
} owner;

wr_model *wr_model_create(const wr_allocator *allocator, wr_error *error)
{
    wri_arena arena = wri_arena_create(allocator);
    owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    if (!o) {
        wri_fail_memory(error, sizeof *o);
        return NULL;
    }
    o->arena = arena;
    o->model.name = "";
    o->model.memory = o;
    return &o->model;
}

void *wr_model_alloc(wr_model *model, size_t count, size_t size)
{
    return wri_arena_alloc(&((owner *)model->memory)->arena, count, size);
}

void wr_model_destroy(wr_model *model)
{
    if (model) {
        wri_arena arena = ((owner *)model->memory)->arena;
        wri_arena_destroy(&arena);
    }
}

// --- flattening -------------------------------------------------------------------------------

// x -> linear x + offset; normals go through the cofactors, which also carry mirrorings.
typedef struct affine {
    wr_mat3 linear;
    wr_vec3 offset;
} affine;

static affine node_affine(const wr_node *node)
{
    affine a = {wr_mat3_from_quat(node->pose.rotation), node->pose.position};
    for (int r = 0; r < 3; r++) {
        a.linear.m[r][0] *= node->scale.x;
        a.linear.m[r][1] *= node->scale.y;
        a.linear.m[r][2] *= node->scale.z;
    }
    return a;
}

static affine affine_multiply(affine a, affine b)
{
    affine c = {.offset = wr_add(wr_mat3_apply(a.linear, b.offset), a.offset)};
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < 3; j++) {
                c.linear.m[r][k] += a.linear.m[r][j] * b.linear.m[j][k];
            }
        }
    }
    return c;
}

static wr_mat3 cofactors(wr_mat3 a)
{
    wr_mat3 c;
    for (int r = 0; r < 3; r++) {
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
        for (int k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            c.m[r][k] = a.m[r1][k1] * a.m[r2][k2] - a.m[r1][k2] * a.m[r2][k1];
        }
    }
    return c;
}

static float determinant(wr_mat3 a)
{
    wr_mat3 c = cofactors(a);
    return a.m[0][0] * c.m[0][0] + a.m[0][1] * c.m[0][1] + a.m[0][2] * c.m[0][2];
}

typedef struct totals {
    int64_t vertices, triangles, parts;
    bool normals, uvs, colors;
} totals;

static totals count_all(const wr_model *model)
{
    totals t = {.normals = true};
    for (int i = 0; i < model->node_count; i++) {
        int index = model->nodes[i].mesh;
        if (index < 0) {
            continue;
        }
        const wr_mesh *mesh = &model->meshes[index];
        t.vertices += mesh->vertex_count;
        t.triangles += mesh->triangle_count;
        t.parts += mesh->part_count;
        t.normals = t.normals && mesh->normals;
        t.uvs = t.uvs || mesh->uvs;
        t.colors = t.colors || mesh->colors;
    }
    return t;
}

static bool alloc_mesh(wr_model *model, wr_mesh *mesh, totals t, wr_error *error)
{
    if (t.vertices > INT32_MAX || t.triangles > INT32_MAX / 3 || t.parts > INT32_MAX) {
        return wri_fail(error, WR_E_UNSUPPORTED,
                        "%s: has more than 2^31 vertices or triangle corners", model->name);
    }
    size_t n = (size_t)t.vertices;
    mesh->positions = wr_model_alloc(model, n, sizeof(wr_vec3));
    mesh->normals = t.normals ? wr_model_alloc(model, n, sizeof(wr_vec3)) : NULL;
    mesh->uvs = t.uvs ? wr_model_alloc(model, n, sizeof(wr_vec2)) : NULL;
    mesh->colors = t.colors ? wr_model_alloc(model, n, sizeof(wr_color)) : NULL;
    mesh->triangles = wr_model_alloc(model, (size_t)t.triangles, 3 * sizeof(int));
    mesh->parts = wr_model_alloc(model, (size_t)t.parts, sizeof(wr_mesh_part));
    bool ok = mesh->positions && (mesh->normals || !t.normals) && (mesh->uvs || !t.uvs) &&
              (mesh->colors || !t.colors) && mesh->triangles && mesh->parts;
    return ok || wri_fail_memory(error, n * sizeof(wr_vec3));
}

static void append_mesh(wr_mesh *out, const wr_mesh *in, affine world)
{
    int first_vertex = out->vertex_count, first_triangle = out->triangle_count;
    wr_mat3 turn = cofactors(world.linear);
    bool mirrored = determinant(world.linear) < 0.0f;
    float side = mirrored ? -1.0f : 1.0f;
    for (int i = 0; i < in->vertex_count; i++) {
        int o = first_vertex + i;
        out->positions[o] = wr_add(wr_mat3_apply(world.linear, in->positions[i]), world.offset);
        if (out->normals) {
            out->normals[o] = wr_normalize(wr_scale(side, wr_mat3_apply(turn, in->normals[i])));
        }
        if (out->uvs && in->uvs) {
            out->uvs[o] = in->uvs[i];
        }
        if (out->colors) {
            out->colors[o] = in->colors ? in->colors[i] : (wr_color){1.0f, 1.0f, 1.0f, 1.0f};
        }
    }
    for (int i = 0; i < in->triangle_count; i++) {
        const int *t = &in->triangles[3 * i];
        int *o = &out->triangles[3 * (first_triangle + i)];
        o[0] = first_vertex + t[0];
        o[1] = first_vertex + t[mirrored ? 2 : 1];
        o[2] = first_vertex + t[mirrored ? 1 : 2];
    }
    for (int i = 0; i < in->part_count; i++) {
        out->parts[out->part_count] = in->parts[i];
        out->parts[out->part_count++].first_triangle += first_triangle;
    }
    out->vertex_count += in->vertex_count;
    out->triangle_count += in->triangle_count;
}

wr_model *wr_model_flatten(const wr_model *model, wr_error *error)
{
    const owner *source = model->memory;
    wr_model *flat = wr_model_create(&source->arena.allocator, error);
    if (!flat) {
        return NULL;
    }
    flat->name = model->name;
    flat->looks = model->looks;
    flat->look_count = model->look_count;
    flat->images = model->images;
    flat->image_count = model->image_count;
    flat->meshes = wr_model_alloc(flat, 1, sizeof *flat->meshes);
    flat->nodes = wr_model_alloc(flat, 1, sizeof *flat->nodes);
    affine *world = wr_model_alloc(flat, (size_t)model->node_count, sizeof *world);
    if (!flat->meshes || !flat->nodes || !world) {
        wri_fail_memory(error, (size_t)model->node_count * sizeof *world);
        wr_model_destroy(flat);
        return NULL;
    }
    if (!alloc_mesh(flat, flat->meshes, count_all(model), error)) {
        wr_model_destroy(flat);
        return NULL;
    }
    for (int i = 0; i < model->node_count; i++) {
        const wr_node *node = &model->nodes[i];
        affine local = node_affine(node);
        world[i] = node->parent < 0 ? local : affine_multiply(world[node->parent], local);
        if (node->mesh >= 0) {
            append_mesh(flat->meshes, &model->meshes[node->mesh], world[i]);
        }
    }
    flat->meshes->name = model->name;
    flat->mesh_count = flat->node_count = 1;
    flat->nodes[0] = (wr_node){model->name, -1, 0, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}};
    return flat;
}

// --- questions --------------------------------------------------------------------------------

wr_box wr_mesh_bounds(const wr_mesh *mesh)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < mesh->vertex_count; i++) {
        box = wr_box_add(box, mesh->positions[i]);
    }
    return box;
}

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The smaller root wins, so that shells are numbered by their first vertex.
static void unite(int *parent, int a, int b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

// The same bits for the same place: -0 becomes 0.
static wr_vec3 place(wr_vec3 p)
{
    return wr_add(p, wr_v3(0.0f, 0.0f, 0.0f));
}

static void unite_equal_positions(const wr_mesh *mesh, int *parent, int *slots, size_t slot_count)
{
    memset(slots, 0xff, slot_count * sizeof *slots);
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 p = place(mesh->positions[i]);
        size_t slot = wri_hash(&p, sizeof p, 0) & (slot_count - 1);
        while (slots[slot] >= 0) {
            wr_vec3 q = place(mesh->positions[slots[slot]]);
            if (memcmp(&p, &q, sizeof p) == 0) {
                break;
            }
            slot = (slot + 1) & (slot_count - 1);
        }
        if (slots[slot] < 0) {
            slots[slot] = i;
        } else {
            unite(parent, slots[slot], i);
        }
    }
}

int wr_mesh_find_shells(const wr_mesh *mesh, int *shell_of_vertex)
{
    size_t slot_count = 16;
    while (slot_count < 2 * (size_t)mesh->vertex_count) {
        slot_count *= 2;
    }
    int *slots = wri_alloc(NULL, slot_count, sizeof *slots);
    if (!slots) {
        return -1;
    }
    int *parent = shell_of_vertex;
    for (int i = 0; i < mesh->vertex_count; i++) {
        parent[i] = i;
    }
    unite_equal_positions(mesh, parent, slots, slot_count);
    wri_free(NULL, slots, slot_count, sizeof *slots);
    for (int i = 0; i < mesh->triangle_count; i++) {
        unite(parent, mesh->triangles[3 * i], mesh->triangles[3 * i + 1]);
        unite(parent, mesh->triangles[3 * i], mesh->triangles[3 * i + 2]);
    }
    int shells = 0;
    for (int i = 0; i < mesh->vertex_count; i++) { // roots come before what hangs on them
        int root = parent[i] == i ? i : parent[i];
        if (root == i) {
            parent[i] = ~shells++;
        } else {
            while (parent[root] >= 0) {
                root = parent[root];
            }
            parent[i] = parent[root];
        }
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        shell_of_vertex[i] = ~parent[i];
    }
    return shells;
}

void wr_find_normals(const wr_vec3 *positions, int vertex_count, const int *triangles,
                     int triangle_count, wr_vec3 *normals)
{
    memset(normals, 0, (size_t)vertex_count * sizeof *normals);
    for (int i = 0; i < triangle_count; i++) {
        const int *t = &triangles[3 * i];
        wr_vec3 area = wr_cross(wr_sub(positions[t[1]], positions[t[0]]),
                                wr_sub(positions[t[2]], positions[t[0]]));
        for (int k = 0; k < 3; k++) {
            normals[t[k]] = wr_add(normals[t[k]], area);
        }
    }
    for (int i = 0; i < vertex_count; i++) {
        wr_vec3 n = wr_normalize(normals[i]);
        normals[i] = wr_dot(n, n) > 0.5f ? n : wr_v3(0.0f, 1.0f, 0.0f);
    }
}
