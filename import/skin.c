// skin.c: bones of Assimp as skins and influences.
#include "import.h"

#include <assimp/mesh.h>

static const struct aiMesh *piece(const importer *im, const struct aiNode *node, unsigned i)
{
    return im->scene->mMeshes[node->mMeshes[i]];
}

// --- joints -----------------------------------------------------------------------------------

static int find_joint(const wr_model_skin *skin, int node)
{
    for (int i = 0; i < skin->joint_count; i++) {
        if (skin->joints[i] == node) {
            return i;
        }
    }
    return -1;
}

static wr_mat34 bind_matrix(const struct aiMatrix4x4 *m, float unit)
{
    return (wr_mat34){{{m->a1, m->a2, m->a3, unit * m->a4},
                       {m->b1, m->b2, m->b3, unit * m->b4},
                       {m->c1, m->c2, m->c3, unit * m->c4}}};
}

static bool find_bone_node(importer *im, const struct aiBone *bone, int *node)
{
    *node = import_find_node(im, bone->mName.data, bone->mName.length);
    return *node >= 0 ||
           wri_fail(im->error, WR_E_FORMAT, "bone %.60s has no node", bone->mName.data);
}

static bool add_bones(importer *im, const struct aiMesh *mesh, wr_model_skin *skin)
{
    for (unsigned k = 0; k < mesh->mNumBones; k++) {
        const struct aiBone *bone = mesh->mBones[k];
        int node;
        if (!find_bone_node(im, bone, &node)) {
            return false;
        }
        if (find_joint(skin, node) < 0) {
            skin->inverse_bind[skin->joint_count] = bind_matrix(&bone->mOffsetMatrix, im->unit);
            skin->joints[skin->joint_count++] = node;
        }
    }
    return true;
}

bool import_skin(importer *im, const struct aiNode *node, int *out)
{
    size_t most = 0;
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        most += piece(im, node, i)->mNumBones;
    }
    if (most == 0) {
        return true;
    }
    wr_model_skin *skin = &im->model->skins[im->model->skin_count];
    skin->name = import_text(im, &node->mName);
    skin->joints = wr_model_alloc(im->model, most, sizeof *skin->joints);
    skin->inverse_bind = wr_model_alloc(im->model, most, sizeof *skin->inverse_bind);
    if (!skin->name || !skin->joints || !skin->inverse_bind) {
        return wri_fail_memory(im->error, most * sizeof *skin->inverse_bind);
    }
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        if (!add_bones(im, piece(im, node, i), skin)) {
            return false;
        }
    }
    *out = im->model->skin_count++;
    return true;
}

// --- influences -------------------------------------------------------------------------------

typedef struct influences {
    int most; // per vertex
    int *joints;
    float *weights;
    int *used; // per vertex
} influences;

// Where there are more than may be, the lightest goes.
static void add_influence(influences *all, size_t vertex, int joint, float weight)
{
    float *weights = all->weights + vertex * (size_t)all->most;
    int *joints = all->joints + vertex * (size_t)all->most, slot = all->used[vertex];
    if (slot < all->most) {
        all->used[vertex]++;
    } else {
        slot = 0;
        for (int i = 1; i < all->most; i++) {
            slot = weights[i] < weights[slot] ? i : slot;
        }
        if (weights[slot] >= weight) {
            return;
        }
    }
    joints[slot] = joint;
    weights[slot] = weight;
}

static bool is_weight(const struct aiMesh *mesh, const struct aiVertexWeight *w)
{
    return w->mVertexId < mesh->mNumVertices && isfinite(w->mWeight) && w->mWeight > 0.0f;
}

static bool add_piece(importer *im, const struct aiMesh *mesh, const wr_model_skin *skin,
                      size_t first, influences *all)
{
    for (unsigned k = 0; k < mesh->mNumBones; k++) {
        const struct aiBone *bone = mesh->mBones[k];
        int node;
        if (!find_bone_node(im, bone, &node)) {
            return false;
        }
        for (unsigned i = 0; i < bone->mNumWeights; i++) {
            const struct aiVertexWeight *w = &bone->mWeights[i];
            if (is_weight(mesh, w)) {
                add_influence(all, first + w->mVertexId, find_joint(skin, node), w->mWeight);
            }
        }
    }
    return true;
}

static bool count_influences(importer *im, const struct aiNode *node, wri_arena *arena,
                             size_t *vertices, int *most)
{
    *vertices = 0;
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh *mesh = piece(im, node, i);
        int *counts = wri_arena_alloc(arena, mesh->mNumVertices, sizeof *counts);
        if (!counts) {
            return wri_fail_memory(im->error, mesh->mNumVertices * sizeof *counts);
        }
        for (unsigned k = 0; k < mesh->mNumBones; k++) {
            for (unsigned n = 0; n < mesh->mBones[k]->mNumWeights; n++) {
                const struct aiVertexWeight *w = &mesh->mBones[k]->mWeights[n];
                int count = is_weight(mesh, w) ? ++counts[w->mVertexId] : 0;
                *most = count > *most ? count : *most;
            }
        }
        *vertices += mesh->mNumVertices;
    }
    *most = *most < IMPORT_MOST_INFLUENCES ? *most : IMPORT_MOST_INFLUENCES;
    return true;
}

bool import_influences(importer *im, const struct aiNode *node, int skin, wri_arena *arena,
                       int *count, int **joints, float **weights)
{
    size_t vertices, first = 0;
    int most = 1;
    if (!count_influences(im, node, arena, &vertices, &most)) {
        return false;
    }
    size_t total = vertices * (size_t)most;
    influences all = {
        .most = most,
        .joints = wri_arena_alloc(arena, total, sizeof *all.joints),
        .weights = wri_arena_alloc(arena, total, sizeof *all.weights),
        .used = wri_arena_alloc(arena, vertices, sizeof *all.used),
    };
    if (!all.joints || !all.weights || !all.used) {
        return wri_fail_memory(im->error, total * sizeof *all.joints);
    }
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh *mesh = piece(im, node, i);
        if (!add_piece(im, mesh, &im->model->skins[skin], first, &all)) {
            return false;
        }
        first += mesh->mNumVertices;
    }
    for (size_t i = 0; i < vertices; i++) {
        wri_tidy_influences(most, all.joints + i * (size_t)most, all.weights + i * (size_t)most);
    }
    *count = most;
    *joints = all.joints;
    *weights = all.weights;
    return true;
}
