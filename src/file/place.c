// place.c: transforms of nodes, with scales and mirrorings, applied to their meshes.
#include "place.h"

// x -> linear x + offset; normals go through the cofactors, which also carry mirrorings.
typedef struct wri_affine {
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

static affine multiply(affine a, affine b)
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

static bool is_identity(const affine *a)
{
    bool same = a->offset.x == 0.0f && a->offset.y == 0.0f && a->offset.z == 0.0f;
    for (int i = 0; i < 9; i++) {
        same = same && a->linear.m[i / 3][i % 3] == (i % 4 == 0 ? 1.0f : 0.0f);
    }
    return same;
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

bool wri_place_create(wri_place *place, const wr_model *model, wr_error *error)
{
    *place = (wri_place){.model = model, .arena = wri_arena_create(NULL)};
    size_t most = 0, nodes = (size_t)model->node_count;
    for (int i = 0; i < model->node_count; i++) {
        int mesh = model->nodes[i].mesh;
        size_t count = mesh < 0 ? 0 : (size_t)model->meshes[mesh].vertex_count;
        most = count > most ? count : most;
    }
    place->world = wri_arena_alloc(&place->arena, nodes, sizeof *place->world);
    place->position_room = wri_arena_alloc(&place->arena, most, sizeof(wr_vec3));
    place->normal_room = wri_arena_alloc(&place->arena, most, sizeof(wr_vec3));
    if (!place->world || !place->position_room || !place->normal_room) {
        wri_place_destroy(place);
        return wri_fail_memory(error, most * sizeof(wr_vec3));
    }
    for (int i = 0; i < model->node_count; i++) {
        const wr_node *node = &model->nodes[i];
        affine local = node_affine(node);
        place->world[i] = node->parent < 0 ? local : multiply(place->world[node->parent], local);
    }
    return true;
}

void wri_place_destroy(wri_place *place)
{
    wri_arena_destroy(&place->arena);
    *place = (wri_place){.arena = wri_arena_create(NULL)};
}

void wri_place_node(wri_place *place, int node)
{
    const wr_mesh *mesh = &place->model->meshes[place->model->nodes[node].mesh];
    const affine *world = &place->world[node];
    wr_mat3 turn = cofactors(world->linear);
    const float *row = world->linear.m[0];
    place->mirrored = row[0] * turn.m[0][0] + row[1] * turn.m[0][1] + row[2] * turn.m[0][2] < 0.0f;
    place->positions = mesh->positions;
    place->normals = mesh->normals;
    if (is_identity(world)) {
        return;
    }
    place->positions = place->position_room;
    place->normals = mesh->normals ? place->normal_room : NULL;
    float side = place->mirrored ? -1.0f : 1.0f;
    for (int i = 0; i < mesh->vertex_count; i++) {
        place->position_room[i] =
            wr_add(wr_mat3_apply(world->linear, mesh->positions[i]), world->offset);
        if (mesh->normals) {
            wr_vec3 n = wr_mat3_apply(turn, mesh->normals[i]);
            place->normal_room[i] = wr_normalize(wr_scale(side, n));
        }
    }
}
