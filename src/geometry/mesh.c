// mesh.c: models as blocks of memory, and simple questions to triangles.
#include "wrought/geometry.h"

#include "../base/base.h"
#include "../math/elementary.h"
#include "affine.h"
#include "normals.h"

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
                        "the nodes show more than 2^31 vertices or triangle corners");
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

// A skin mirrors a mesh when most vertices follow a joint that does.
static bool is_mirrored(const wr_mesh *mesh, const wr_mat34 *node, const wr_mat34 *joints)
{
    if (!joints) {
        return wri_determinant(wr_mat34_linear(*node)) < 0.0f;
    }
    int mirrored = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const wr_mat34 *joint = &joints[mesh->joints[(size_t)i * (size_t)mesh->influence_count]];
        mirrored += wri_determinant(wr_mat34_linear(*joint)) < 0.0f;
    }
    return mirrored > mesh->vertex_count / 2;
}

static void append_surface(wr_mesh *out, const wr_mesh *in, bool mirrored)
{
    int first_vertex = out->vertex_count, first_triangle = out->triangle_count;
    for (int i = 0; i < in->vertex_count; i++) {
        int o = first_vertex + i;
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

// Room for the pose of a model at rest.
typedef struct rest_pose {
    wri_arena arena;
    wr_mat34 *world, *joints; // joints: of the largest skin
    float *weights;
} rest_pose;

static bool find_rest_pose(const wr_model *model, rest_pose *rest, wr_error *error)
{
    int most = 0;
    for (int i = 0; i < model->skin_count; i++) {
        most = model->skins[i].joint_count > most ? model->skins[i].joint_count : most;
    }
    size_t nodes = (size_t)model->node_count, weights = (size_t)wr_model_weight_count(model);
    rest->world = wri_arena_alloc(&rest->arena, nodes, sizeof *rest->world);
    rest->joints = wri_arena_alloc(&rest->arena, (size_t)most, sizeof *rest->joints);
    rest->weights = wri_arena_alloc(&rest->arena, weights, sizeof *rest->weights);
    if (!rest->world || !rest->joints || !rest->weights) {
        return wri_fail_memory(error, nodes * sizeof *rest->world);
    }
    wr_model_pose(model, NULL, 0.0, rest->world, rest->weights);
    return true;
}

static bool append_nodes(const wr_model *model, const rest_pose *rest, wr_mesh *out,
                         wr_error *error)
{
    const float *weights = rest->weights;
    for (int i = 0; i < model->node_count; i++) {
        const wr_node *node = &model->nodes[i];
        if (node->mesh < 0) {
            continue;
        }
        const wr_mesh *mesh = &model->meshes[node->mesh];
        const wr_mat34 *joints = NULL;
        if (mesh->influence_count > 0 && node->skin >= 0) {
            wr_model_skin_matrices(&model->skins[node->skin], rest->world, rest->joints);
            joints = rest->joints;
        }
        wr_vec3 *positions = out->positions + out->vertex_count;
        wr_vec3 *normals = out->normals ? out->normals + out->vertex_count : NULL;
        wr_mesh_deform(mesh, weights, &rest->world[i], joints, positions, normals);
        int lost = wri_find_lost_vertex(positions, normals, mesh->vertex_count);
        if (lost >= 0) {
            return wri_fail(error, WR_E_ARGUMENT, "%s: node %d: vertex %d has no finite place",
                            model->name, i, lost);
        }
        append_surface(out, mesh, is_mirrored(mesh, &rest->world[i], joints));
        weights += mesh->morph_count;
    }
    return true;
}

static bool flatten(const wr_model *model, wr_model *flat, wr_error *error)
{
    flat->name = model->name;
    flat->looks = model->looks;
    flat->look_count = model->look_count;
    flat->images = model->images;
    flat->image_count = model->image_count;
    flat->meshes = wr_model_alloc(flat, 1, sizeof *flat->meshes);
    flat->nodes = wr_model_alloc(flat, 1, sizeof *flat->nodes);
    if (!flat->meshes || !flat->nodes) {
        return wri_fail_memory(error, sizeof *flat->meshes);
    }
    const owner *source = model->memory;
    rest_pose rest = {.arena = wri_arena_create(&source->arena.allocator)};
    bool ok = alloc_mesh(flat, flat->meshes, count_all(model), error) &&
              find_rest_pose(model, &rest, error) &&
              append_nodes(model, &rest, flat->meshes, error);
    wri_arena_destroy(&rest.arena);
    flat->meshes->name = model->name;
    flat->mesh_count = flat->node_count = 1;
    flat->nodes[0] = (wr_node){.name = model->name,
                               .parent = -1,
                               .skin = -1,
                               .pose = WR_POSE_IDENTITY,
                               .scale = {1, 1, 1}};
    return ok;
}

wr_model *wr_model_flatten(const wr_model *model, wr_error *error)
{
    if (!WRI_REQUIRE(error, model)) {
        return NULL;
    }
    const owner *source = model->memory;
    wr_model *flat = wr_model_create(&source->arena.allocator, error);
    if (flat && !flatten(model, flat, error)) {
        wr_model_destroy(flat);
        return NULL;
    }
    return flat;
}

// --- questions --------------------------------------------------------------------------------

wr_look_maps wr_look_maps_default(void)
{
    wr_look_maps maps = {
        .normal_scale = 1.0f, .occlusion_strength = 1.0f, .emission = {0.0f, 0.0f, 0.0f, 1.0f}};
    for (int i = 0; i < WR_LOOK_MAP_COUNT; i++) {
        maps.images[i] = -1;
        maps.layouts[i] = (wr_map_layout){.scale = {1.0f, 1.0f}};
    }
    return maps;
}

bool wr_map_layout_is_plain(const wr_map_layout *layout)
{
    return layout->offset[0] == 0.0f && layout->offset[1] == 0.0f && layout->turn == 0.0f &&
           layout->scale[0] == 1.0f && layout->scale[1] == 1.0f;
}

void wr_map_layout_find(const wr_map_layout *layout, float out[2][3])
{
    float s, c;
    wri_sin_cos(layout->turn, &s, &c);
    const float all[2][3] = {
        {c * layout->scale[0], s * layout->scale[1], layout->offset[0]},
        {0.0f - s * layout->scale[0], c * layout->scale[1], layout->offset[1]}}; // no -0
    memcpy(out, all, sizeof all);
}

void wr_look_apply(const wr_look_change *change, wr_look *look)
{
    if (change->said & WR_LOOK_COLOR) {
        look->base_color = change->color;
        look->texture = -1;
    }
    look->metallic = change->said & WR_LOOK_METALLIC ? change->metallic : look->metallic;
    look->roughness = change->said & WR_LOOK_ROUGHNESS ? change->roughness : look->roughness;
    look->transmission = change->said & WR_LOOK_GLASS ? change->transmission : look->transmission;
    look->double_sided = change->said & WR_LOOK_SIDES ? change->double_sided : look->double_sided;
    look->maps = change->said & ~WR_LOOK_SIDES ? NULL : look->maps;
    look->unlit = look->unlit && change->said == 0;
}

wr_box wr_mesh_bounds(const wr_mesh *mesh)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < mesh->vertex_count; i++) {
        box = wr_box_add(box, mesh->positions[i]);
    }
    return box;
}

double wr_mesh_area(const wr_mesh *mesh)
{
    double sum = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * i];
        wr_vec3 a = mesh->positions[t[0]];
        wr_vec3 n = wr_cross(wr_sub(mesh->positions[t[1]], a), wr_sub(mesh->positions[t[2]], a));
        sum += 0.5 * (double)wr_length(n);
    }
    return sum;
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

// Makes the same bits of the same place: -0 becomes 0.
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
        wri_add_normal(positions, &triangles[3 * i], normals);
    }
    for (int i = 0; i < vertex_count; i++) {
        wr_vec3 n = wr_normalize(normals[i]);
        normals[i] = wr_dot(n, n) > 0.5f ? n : wr_v3(0.0f, 1.0f, 0.0f);
    }
}
