// place.c: a model at rest, node by node; wr_model_flatten does the same for all at once.
#include "place.h"

#include "../geometry/affine.h"

static bool alloc_place(wri_place *place)
{
    const wr_model *model = place->model;
    size_t most = 0, joints = 0, nodes = (size_t)model->node_count;
    for (int i = 0; i < model->node_count; i++) {
        int mesh = model->nodes[i].mesh;
        size_t count = mesh < 0 ? 0 : (size_t)model->meshes[mesh].vertex_count;
        most = count > most ? count : most;
    }
    for (int i = 0; i < model->skin_count; i++) {
        size_t count = (size_t)model->skins[i].joint_count;
        joints = count > joints ? count : joints;
    }
    wri_arena *arena = &place->arena;
    place->world = wri_arena_alloc(arena, nodes, sizeof *place->world);
    place->joints = wri_arena_alloc(arena, joints, sizeof *place->joints);
    place->weights =
        wri_arena_alloc(arena, (size_t)wr_model_weight_count(model), sizeof *place->weights);
    place->first_weight = wri_arena_alloc(arena, nodes, sizeof *place->first_weight);
    place->position_room = wri_arena_alloc(arena, most, sizeof(wr_vec3));
    place->normal_room = wri_arena_alloc(arena, most, sizeof(wr_vec3));
    return place->world && place->joints && place->weights && place->first_weight &&
           place->position_room && place->normal_room;
}

bool wri_place_create(wri_place *place, const wr_model *model, wr_error *error)
{
    *place = (wri_place){.model = model, .arena = wri_arena_create(NULL)};
    if (!alloc_place(place)) {
        wri_place_destroy(place);
        return wri_fail_memory(error, (size_t)model->node_count * sizeof *place->world);
    }
    int first = 0;
    for (int i = 0; i < model->node_count; i++) {
        int mesh = model->nodes[i].mesh;
        place->first_weight[i] = first;
        first += mesh < 0 ? 0 : model->meshes[mesh].morph_count;
    }
    wr_model_pose(model, NULL, 0.0, place->world, place->weights);
    return true;
}

void wri_place_destroy(wri_place *place)
{
    wri_arena_destroy(&place->arena);
    *place = (wri_place){.arena = wri_arena_create(NULL)};
}

static bool is_identity(const wr_mat34 *a)
{
    bool same = true;
    for (int i = 0; i < 12; i++) {
        same = same && a->m[i / 4][i % 4] == (i % 5 == 0 ? 1.0f : 0.0f);
    }
    return same;
}

static bool is_morphed(const wri_place *place, int node, const wr_mesh *mesh)
{
    bool morphed = false;
    for (int i = 0; i < mesh->morph_count; i++) {
        morphed = morphed || place->weights[place->first_weight[node] + i] != 0.0f;
    }
    return morphed;
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

bool wri_place_node(wri_place *place, int index, wr_error *error)
{
    const wr_node *node = &place->model->nodes[index];
    const wr_mesh *mesh = &place->model->meshes[node->mesh];
    const wr_mat34 *world = &place->world[index], *joints = NULL;
    if (mesh->influence_count > 0 && node->skin >= 0) {
        wr_model_skin_matrices(&place->model->skins[node->skin], place->world, place->joints);
        joints = place->joints;
    }
    place->mirrored = is_mirrored(mesh, world, joints);
    place->positions = mesh->positions;
    place->normals = mesh->normals;
    if (joints || is_morphed(place, index, mesh) || !is_identity(world)) {
        wr_mesh_deform(mesh, place->weights + place->first_weight[index], world, joints,
                       place->position_room, mesh->normals ? place->normal_room : NULL);
        place->positions = place->position_room;
        place->normals = mesh->normals ? place->normal_room : NULL;
    }
    int lost = wri_find_lost_vertex(place->positions, place->normals, mesh->vertex_count);
    return lost < 0 || wri_fail(error, WR_E_ARGUMENT, "%s: node %d: vertex %d has no finite place",
                                place->model->name, index, lost);
}
