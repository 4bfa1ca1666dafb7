// nodes.c: the tree of Assimp as nodes in metres, +Y up.
//
// Of FBX Assimp 5.2 hands over axes and units unused, beside the scene. COLLADA's it has put into
// the root. A uniform scale of the root goes into all lengths below it, so that what is left of
// units and axes is at most a turned root.
#include "import.h"

#include <assimp/cimport.h>

typedef struct tree {
    importer *im;
    int count;
    const struct aiNode **sources; // parents first
    int *parents;
    struct aiMatrix4x4 *places; // relative to the parent, in metres
    wr_node *nodes;
} tree;

// --- axes and units ---------------------------------------------------------------------------

static bool find_number(const struct aiMetadata *data, const char *key, double *out)
{
    for (unsigned i = 0; data && i < data->mNumProperties; i++) {
        const struct aiMetadataEntry *entry = &data->mValues[i];
        if (strcmp(data->mKeys[i].data, key) == 0 && entry->mData) {
            switch (entry->mType) {
            case AI_INT32:
                *out = *(const int32_t *)entry->mData;
                return true;
            case AI_FLOAT:
                *out = *(const float *)entry->mData;
                return true;
            case AI_DOUBLE:
                *out = *(const double *)entry->mData;
                return true;
            default:
                return false;
            }
        }
    }
    return false;
}

bool import_is_fbx(const struct aiScene *scene)
{
    double number;
    return find_number(scene->mMetaData, "UnitScaleFactor", &number);
}

static bool find_axis(const struct aiMetadata *data, const char *key, const char *sign_key,
                      float axis[3])
{
    double index, sign = 1.0;
    if (!find_number(data, key, &index) || !(index >= 0.0 && index <= 2.0)) {
        return false;
    }
    find_number(data, sign_key, &sign);
    axis[(int)index] = sign < 0.0 ? -1.0f : 1.0f;
    return true;
}

// Turns FBX axes so that up is +Y and right is +X; front follows, for the axes are right-handed.
static void turn_axes(const struct aiMetadata *data, struct aiMatrix4x4 *root)
{
    float up[3] = {0}, right[3] = {0};
    if (!aiMatrix4IsIdentity(root) || // a later Assimp has turned it
        !find_axis(data, "UpAxis", "UpAxisSign", up) ||
        !find_axis(data, "CoordAxis", "CoordAxisSign", right)) {
        return;
    }
    wr_vec3 x = wr_v3(right[0], right[1], right[2]), y = wr_v3(up[0], up[1], up[2]);
    wr_vec3 z = wr_cross(x, y);
    if (wr_dot(x, y) == 0.0f) {
        *root =
            (struct aiMatrix4x4){x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0, 0, 0, 0, 1};
    }
}

static void scale_columns(struct aiMatrix4x4 *m, float s)
{
    float *rows[3] = {&m->a1, &m->b1, &m->c1};
    for (int i = 0; i < 9; i++) {
        rows[i / 3][i % 3] *= s;
    }
}

static void scale_shift(struct aiMatrix4x4 *m, float s)
{
    m->a4 *= s;
    m->b4 *= s;
    m->c4 *= s;
}

static double column_length(float x, float y, float z)
{
    return sqrt((double)x * x + (double)y * y + (double)z * z);
}

// Moves a scale that is the same in all directions from the root into *scale.
static void take_scale(struct aiMatrix4x4 *root, float *scale)
{
    double x = column_length(root->a1, root->b1, root->c1);
    double y = column_length(root->a2, root->b2, root->c2);
    double z = column_length(root->a3, root->b3, root->c3);
    if (x > 0.0 && fabs(y - x) < 1e-5 * x && fabs(z - x) < 1e-5 * x) {
        *scale = (float)x;
        scale_columns(root, (float)(1.0 / x));
    }
}

// Only exchanges axes: then it is no turn of the artist's, but Assimp's way to say where up is.
static bool is_axes(const struct aiMatrix4x4 *root)
{
    const float *rows[3] = {&root->a1, &root->b1, &root->c1};
    for (int i = 0; i < 9; i++) {
        float a = fabsf(rows[i / 3][i % 3]);
        if (a > 1e-6f && fabsf(a - 1.0f) > 1e-6f) {
            return false;
        }
    }
    return root->a4 == 0.0f && root->b4 == 0.0f && root->c4 == 0.0f;
}

static void set_unit(importer *im, struct aiMatrix4x4 *root)
{
    const struct aiMetadata *data = im->scene->mMetaData;
    double centimetres = 100.0; // per unit
    im->is_fbx = find_number(data, "UnitScaleFactor", &centimetres);
    if (im->is_fbx && !im->keep_axes) {
        turn_axes(data, root);
    }
    float unit = centimetres > 0.0 && centimetres < 1e12 ? (float)(centimetres * 0.01) : 1.0f;
    float scale = 1.0f;
    take_scale(root, &scale);
    scale_shift(root, im->keep_unit ? 1.0f / scale : unit);
    im->unit = im->keep_unit ? 1.0f : unit * scale;
    if (im->keep_axes && is_axes(root)) {
        aiIdentityMatrix4(root);
    }
}

// --- the tree ---------------------------------------------------------------------------------

static size_t count_nodes(const struct aiNode *node)
{
    size_t count = 1;
    for (unsigned i = 0; i < node->mNumChildren; i++) {
        count += count_nodes(node->mChildren[i]);
    }
    return count;
}

static void put_node(tree *t, const struct aiNode *node, int parent)
{
    int i = t->count++;
    t->sources[i] = node;
    t->parents[i] = parent;
    t->places[i] = node->mTransformation;
    if (parent >= 0) {
        scale_shift(&t->places[i], t->im->unit);
    } else {
        set_unit(t->im, &t->places[i]);
    }
    for (unsigned k = 0; k < node->mNumChildren; k++) {
        put_node(t, node->mChildren[k], i);
    }
}

// False when the place also shears: no node of ours could say it.
static bool set_place(const struct aiMatrix4x4 *place, wr_node *node)
{
    struct aiVector3D s, shift;
    struct aiQuaternion turn;
    aiDecomposeMatrix(place, &s, &turn, &shift);
    wr_quat q = wr_quat_normalize((wr_quat){turn.x, turn.y, turn.z, turn.w});
    node->pose = (wr_pose){wr_v3(shift.x, shift.y, shift.z), q};
    node->scale = wr_v3(s.x, s.y, s.z);
    const wr_mat3 r = wr_mat3_from_quat(q);
    const float scale[3] = {s.x, s.y, s.z}, *rows[3] = {&place->a1, &place->b1, &place->c1};
    float error = 0.0f;
    for (int i = 0; i < 9; i++) {
        int row = i / 3, column = i % 3;
        error = fmaxf(error, fabsf(rows[row][column] - r.m[row][column] * scale[column]));
    }
    return error <= 1e-4f * (fabsf(s.x) + fabsf(s.y) + fabsf(s.z));
}

static bool set_places(tree *t)
{
    bool tidy = true;
    for (int i = 0; i < t->count; i++) {
        tidy = set_place(&t->places[i], &t->nodes[i]) && tidy;
    }
    return tidy;
}

// --- meshes of nodes --------------------------------------------------------------------------

static bool same_meshes(const struct aiNode *a, const struct aiNode *b)
{
    return a->mNumMeshes == b->mNumMeshes &&
           memcmp(a->mMeshes, b->mMeshes, a->mNumMeshes * sizeof *a->mMeshes) == 0;
}

// Nodes that show the same meshes share ours. seen: per mesh of the scene the last node whose list
// begins with it; before: per node the one before with the same beginning.
static int find_shared(const tree *t, const int *seen, const int *before, int node)
{
    for (int i = seen[t->sources[node]->mMeshes[0]] - 1; i >= 0; i = before[i]) {
        if (same_meshes(t->sources[i], t->sources[node])) {
            return i;
        }
    }
    return -1;
}

static bool add_mesh(tree *t, int i, const struct aiMatrix4x4 *place)
{
    importer *im = t->im;
    wr_mesh *mesh = &im->model->meshes[im->model->mesh_count];
    int skin;
    if (!import_mesh(im, t->sources[i], place, mesh, &skin)) {
        return false;
    }
    bool empty = mesh->triangle_count == 0;
    t->nodes[i].mesh = empty ? -1 : im->model->mesh_count++;
    t->nodes[i].skin = empty ? -1 : skin;
    return true;
}

static bool add_meshes(tree *t)
{
    importer *im = t->im;
    size_t meshes = im->scene->mNumMeshes;
    int *seen = wri_arena_alloc(&im->arena, meshes, sizeof *seen);
    int *before = wri_arena_alloc(&im->arena, (size_t)t->count, sizeof *before);
    if (!seen || !before) {
        return wri_fail_memory(im->error, meshes * sizeof *seen);
    }
    for (int i = 0; i < t->count; i++) {
        const struct aiNode *node = t->sources[i];
        if (node->mNumMeshes == 0) {
            continue;
        }
        int shared = find_shared(t, seen, before, i);
        if (shared >= 0) {
            t->nodes[i].mesh = t->nodes[shared].mesh;
            t->nodes[i].skin = t->nodes[shared].skin;
        } else if (!add_mesh(t, i, NULL)) {
            return false;
        }
        before[i] = seen[node->mMeshes[0]] - 1;
        seen[node->mMeshes[0]] = i + 1;
    }
    return true;
}

// Where a place shears, the meshes themselves are put into the model's frame.
static bool bake_meshes(tree *t)
{
    int kept = 0;
    for (int i = 0; i < t->count; i++) {
        if (t->parents[i] >= 0) {
            struct aiMatrix4x4 place = t->places[t->parents[i]];
            aiMultiplyMatrix4(&place, &t->places[i]);
            t->places[i] = place;
        }
        wr_node *node = &t->nodes[i];
        node->parent = -1;
        node->pose = WR_POSE_IDENTITY;
        node->scale = wr_v3(1.0f, 1.0f, 1.0f);
        if (t->sources[i]->mNumMeshes > 0 && !add_mesh(t, i, &t->places[i])) {
            return false;
        }
        if (node->mesh >= 0) {
            t->nodes[kept++] = *node;
        }
    }
    t->im->model->node_count = kept;
    return true;
}

int import_find_node(const importer *im, const char *name, size_t length)
{
    for (int i = 0; i < im->model->node_count; i++) {
        const struct aiString *own = &im->sources[i]->mName;
        if (own->length == length && memcmp(own->data, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

// --- the whole --------------------------------------------------------------------------------

static bool same_text(const struct aiString *a, const struct aiString *b)
{
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

bool import_has_bones(const struct aiScene *scene, const struct aiString *name)
{
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        const struct aiMesh *mesh = scene->mMeshes[i];
        for (unsigned k = 0; k < mesh->mNumBones; k++) {
            if (!name || same_text(&mesh->mBones[k]->mName, name)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_animated(const struct aiScene *scene, const struct aiString *name)
{
    for (unsigned i = 0; i < scene->mNumAnimations; i++) {
        const struct aiAnimation *clip = scene->mAnimations[i];
        for (unsigned k = 0; k < clip->mNumChannels; k++) {
            if (same_text(&clip->mChannels[k]->mNodeName, name)) {
                return true;
            }
        }
    }
    return false;
}

// The root that Assimp adds when it says nothing.
static void drop_empty_root(tree *t)
{
    const struct aiScene *scene = t->im->scene;
    const struct aiString *name = &t->sources[0]->mName;
    if (t->count < 2 || t->sources[0]->mNumMeshes > 0 || !aiMatrix4IsIdentity(&t->places[0]) ||
        import_has_bones(scene, name) || is_animated(scene, name)) {
        return;
    }
    t->count--;
    memmove(t->sources, t->sources + 1, (size_t)t->count * sizeof *t->sources);
    memmove(t->places, t->places + 1, (size_t)t->count * sizeof *t->places);
    for (int i = 0; i < t->count; i++) {
        t->parents[i] = t->parents[i + 1] - 1;
    }
}

static bool check_meshes(const importer *im, const struct aiNode *node)
{
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        if (node->mMeshes[i] >= im->scene->mNumMeshes) {
            return wri_fail(im->error, WR_E_FORMAT, "a node shows mesh %u of %u", node->mMeshes[i],
                            im->scene->mNumMeshes);
        }
    }
    return true;
}

static bool name_nodes(tree *t)
{
    for (int i = 0; i < t->count; i++) {
        const char *name = import_text(t->im, &t->sources[i]->mName);
        if (!name || !check_meshes(t->im, t->sources[i])) {
            return false;
        }
        t->nodes[i].name = name;
        t->nodes[i].parent = t->parents[i];
        t->nodes[i].mesh = -1;
        t->nodes[i].skin = -1;
    }
    return true;
}

bool import_nodes(importer *im)
{
    size_t count = count_nodes(im->scene->mRootNode);
    tree t = {
        .im = im,
        .sources = wri_arena_alloc(&im->arena, count, sizeof *t.sources),
        .parents = wri_arena_alloc(&im->arena, count, sizeof *t.parents),
        .places = wri_arena_alloc(&im->arena, count, sizeof *t.places),
        .nodes = wr_model_alloc(im->model, count, sizeof *t.nodes),
    };
    im->model->meshes = wr_model_alloc(im->model, count, sizeof *im->model->meshes);
    im->model->skins = wr_model_alloc(im->model, count, sizeof *im->model->skins);
    if (!im->model->skins || !t.sources || !t.parents || !t.places || !t.nodes ||
        !im->model->meshes || count > INT32_MAX) {
        return wri_fail_memory(im->error, count * sizeof *t.nodes);
    }
    put_node(&t, im->scene->mRootNode, -1);
    drop_empty_root(&t);
    im->model->nodes = t.nodes;
    im->model->node_count = t.count;
    im->sources = t.sources;
    if (!name_nodes(&t)) {
        return false;
    }
    // What moves needs its nodes; there the nearest place without shear has to do.
    bool moves = im->scene->mNumAnimations > 0 || import_has_bones(im->scene, NULL);
    return set_places(&t) || moves ? add_meshes(&t) : bake_meshes(&t);
}
