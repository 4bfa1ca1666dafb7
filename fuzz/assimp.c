// assimp.c: scenes as Assimp might hand them over, made of bytes.
//
// Arrays are as long as their counts say and names are shorter than their room, which Assimp takes
// care of; everything else is up to the bytes. Most of them mean something usual, so that random
// ones reach far: indices of things that are there, small numbers, names that occur elsewhere.
#include "fuzz.h"

#include <assimp/material.h>
#include <assimp/scene.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct source {
    const uint8_t *at, *end;
    wri_array *blocks;
    int depth; // of nodes
} source;

// --- small things -----------------------------------------------------------------------------

static uint8_t byte(source *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

static uint32_t word(source *s)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        value = value << 8 | byte(s);
    }
    return value;
}

static unsigned count_to(source *s, unsigned most)
{
    return byte(s) % (most + 1);
}

static bool coin(source *s)
{
    return byte(s) % 2;
}

static void *make(source *s, size_t count, size_t size)
{
    void *memory = calloc(count, size); // one each, so that the sanitizers see every end
    void **slot = wri_array_add(s->blocks, 1);
    if (!slot || (!memory && count > 0)) {
        fuzz_complain("out of memory");
    }
    return *slot = memory;
}

// Of `count` things, seldom beyond.
static unsigned choose(source *s, unsigned count)
{
    uint8_t b = byte(s);
    return b < 248 && count > 0 ? b % count : b < 252 ? b : word(s);
}

static float number(source *s)
{
    uint8_t b = byte(s);
    if (b < 240) {
        return (float)(b - 100) / 16.0f;
    }
    uint32_t bits = word(s);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_name(source *s, struct aiString *out)
{
    static const char *const usual[] = {
        "",   "root",    "a",           "b",  "b*0",      "c.dae",
        "*0", "dot.png", "X:\\dot.png", "*1", "none.png", "DefaultMaterial"};
    uint8_t b = byte(s);
    if (b < 240) {
        out->length =
            (ai_uint32)snprintf(out->data, sizeof out->data, "%s", usual[b % WRI_COUNT(usual)]);
        return;
    }
    out->length = byte(s);
    for (unsigned i = 0; i < out->length; i++) {
        uint8_t letter = byte(s);
        out->data[i] = (char)(letter == '/' || letter == 0 ? '_' : letter); // no other folder
    }
}

static struct aiVector3D *vectors(source *s, unsigned count)
{
    struct aiVector3D *v = make(s, count, sizeof *v);
    for (unsigned i = 0; i < count; i++) {
        v[i] = (struct aiVector3D){number(s), number(s), number(s)};
    }
    return v;
}

static struct aiMatrix4x4 matrix(source *s)
{
    struct aiMatrix4x4 m = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    float *entries[12] = {&m.a1, &m.a2, &m.a3, &m.a4, &m.b1, &m.b2,
                          &m.b3, &m.b4, &m.c1, &m.c2, &m.c3, &m.c4};
    unsigned changed = count_to(s, 12);
    for (unsigned i = 0; i < changed; i++) {
        *entries[byte(s) % 12] = number(s);
    }
    return m;
}

// --- meshes -----------------------------------------------------------------------------------

static struct aiBone *bone(source *s, const struct aiMesh *mesh)
{
    struct aiBone *b = make(s, 1, sizeof *b);
    put_name(s, &b->mName);
    b->mOffsetMatrix = matrix(s);
    b->mNumWeights = count_to(s, 20);
    b->mWeights = make(s, b->mNumWeights, sizeof *b->mWeights);
    for (unsigned i = 0; i < b->mNumWeights; i++) {
        b->mWeights[i] = (struct aiVertexWeight){choose(s, mesh->mNumVertices), number(s)};
    }
    return b;
}

static struct aiAnimMesh *morph(source *s, const struct aiMesh *mesh)
{
    struct aiAnimMesh *m = make(s, 1, sizeof *m);
    put_name(s, &m->mName);
    m->mNumVertices = coin(s) ? count_to(s, 30) : mesh->mNumVertices;
    m->mVertices = byte(s) % 8 ? vectors(s, m->mNumVertices) : NULL;
    m->mNormals = coin(s) ? vectors(s, m->mNumVertices) : NULL;
    m->mWeight = number(s);
    return m;
}

static void put_faces(source *s, struct aiMesh *m)
{
    m->mNumFaces = count_to(s, 24);
    m->mFaces = make(s, m->mNumFaces, sizeof *m->mFaces);
    for (unsigned i = 0; i < m->mNumFaces; i++) {
        struct aiFace *face = &m->mFaces[i];
        uint8_t b = byte(s);
        face->mNumIndices = b < 200 ? 3 : b % 24;
        face->mIndices = make(s, face->mNumIndices, sizeof *face->mIndices);
        for (unsigned k = 0; k < face->mNumIndices; k++) {
            face->mIndices[k] = choose(s, m->mNumVertices);
        }
    }
}

static struct aiMesh *mesh(source *s, unsigned materials)
{
    struct aiMesh *m = make(s, 1, sizeof *m);
    put_name(s, &m->mName);
    m->mNumVertices = count_to(s, 30);
    m->mVertices = vectors(s, m->mNumVertices);
    m->mNormals = coin(s) ? vectors(s, m->mNumVertices) : NULL;
    for (int i = 0; i < 2; i++) {
        m->mTextureCoords[i] = coin(s) ? vectors(s, m->mNumVertices) : NULL;
    }
    m->mColors[0] = coin(s) ? make(s, m->mNumVertices, sizeof **m->mColors) : NULL;
    for (unsigned i = 0; m->mColors[0] && i < m->mNumVertices; i++) {
        m->mColors[0][i] = (struct aiColor4D){number(s), number(s), number(s), number(s)};
    }
    m->mMaterialIndex = choose(s, materials);
    put_faces(s, m);
    m->mNumBones = count_to(s, 3);
    m->mBones = make(s, m->mNumBones, sizeof(void *));
    for (unsigned i = 0; i < m->mNumBones; i++) {
        m->mBones[i] = bone(s, m);
    }
    m->mNumAnimMeshes = count_to(s, 2);
    m->mAnimMeshes = make(s, m->mNumAnimMeshes, sizeof(void *));
    for (unsigned i = 0; i < m->mNumAnimMeshes; i++) {
        m->mAnimMeshes[i] = morph(s, m);
    }
    return m;
}

// --- nodes ------------------------------------------------------------------------------------

static struct aiNode *node(source *s, unsigned meshes, struct aiNode *parent)
{
    struct aiNode *n = make(s, 1, sizeof *n);
    put_name(s, &n->mName);
    n->mParent = parent;
    n->mTransformation = matrix(s);
    n->mNumMeshes = count_to(s, 2);
    n->mMeshes = make(s, n->mNumMeshes, sizeof *n->mMeshes);
    for (unsigned i = 0; i < n->mNumMeshes; i++) {
        n->mMeshes[i] = choose(s, meshes);
    }
    s->depth++;
    n->mNumChildren = s->depth < 6 ? count_to(s, 3) : 0;
    n->mChildren = make(s, n->mNumChildren, sizeof(void *));
    for (unsigned i = 0; i < n->mNumChildren; i++) {
        n->mChildren[i] = node(s, meshes, n);
    }
    s->depth--;
    return n;
}

static struct aiMetadata *metadata(source *s)
{
    static const char *const keys[] = {"UnitScaleFactor", "UpAxis",        "UpAxisSign",
                                       "CoordAxis",       "CoordAxisSign", "Other"};
    struct aiMetadata *m = make(s, 1, sizeof *m);
    m->mNumProperties = count_to(s, 6);
    m->mKeys = make(s, m->mNumProperties, sizeof *m->mKeys);
    m->mValues = make(s, m->mNumProperties, sizeof *m->mValues);
    for (unsigned i = 0; i < m->mNumProperties; i++) {
        m->mKeys[i].length = (ai_uint32)snprintf(m->mKeys[i].data, sizeof m->mKeys[i].data, "%s",
                                                 keys[byte(s) % WRI_COUNT(keys)]);
        uint8_t kind = byte(s) % 4;
        float value = number(s);
        m->mValues[i].mData = make(s, 1, 8);
        m->mValues[i].mType = kind == 0   ? AI_INT32
                              : kind == 1 ? AI_FLOAT
                              : kind == 2 ? AI_DOUBLE
                                          : AI_BOOL;
        if (kind == 0) {
            *(int32_t *)m->mValues[i].mData = (int32_t)byte(s) - 3;
        } else if (kind == 1) {
            *(float *)m->mValues[i].mData = value;
        } else if (kind == 2) {
            *(double *)m->mValues[i].mData = value;
        }
    }
    return m;
}

// --- materials --------------------------------------------------------------------------------

static struct aiMaterialProperty *property(source *s)
{
    static const char *const keys[] = {
        "$clr.diffuse",  "$clr.base", "$mat.opacity", "$mat.roughnessFactor", "$mat.metallicFactor",
        "$mat.twosided", "?mat.name", "$tex.file",    "$tex.uvwsrc"};
    struct aiMaterialProperty *p = make(s, 1, sizeof *p);
    int key = byte(s) % WRI_COUNT(keys);
    p->mKey.length = (ai_uint32)snprintf(p->mKey.data, sizeof p->mKey.data, "%s", keys[key]);
    p->mSemantic = key >= 7 ? (coin(s) ? aiTextureType_DIFFUSE : aiTextureType_BASE_COLOR) : 0;
    if (key == 6 || key == 7) {
        struct aiString text = {0};
        put_name(s, &text);
        p->mType = aiPTI_String;
        p->mDataLength = 4 + text.length + 1;
        p->mData = make(s, p->mDataLength, 1);
        memcpy(p->mData, &text.length, 4);
        memcpy(p->mData + 4, text.data, text.length);
        return p;
    }
    unsigned count = key < 2 ? 3 + count_to(s, 1) : 1;
    p->mType = key == 5 || key == 8 ? aiPTI_Integer : aiPTI_Float;
    p->mDataLength = 4 * count;
    p->mData = make(s, count, 4);
    for (unsigned i = 0; i < count; i++) {
        float value = number(s);
        int whole = p->mType == aiPTI_Integer ? (int)choose(s, 3) : 0;
        memcpy(p->mData + 4 * i, p->mType == aiPTI_Integer ? (void *)&whole : (void *)&value, 4);
    }
    return p;
}

static struct aiMaterial *material(source *s)
{
    struct aiMaterial *m = make(s, 1, sizeof *m);
    m->mNumProperties = m->mNumAllocated = count_to(s, 9);
    m->mProperties = make(s, m->mNumProperties, sizeof(void *));
    for (unsigned i = 0; i < m->mNumProperties; i++) {
        m->mProperties[i] = property(s);
    }
    return m;
}

static struct aiTexture *texture(source *s)
{
    struct aiTexture *t = make(s, 1, sizeof *t);
    put_name(s, &t->mFilename);
    bool packed = coin(s);
    t->mWidth = count_to(s, packed ? 200 : 5);
    t->mHeight = packed ? 0 : 1 + count_to(s, 4);
    size_t size = packed ? t->mWidth : 4 * (size_t)t->mWidth * t->mHeight;
    uint8_t *bytes = make(s, size, 1);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = byte(s);
    }
    t->pcData = (struct aiTexel *)bytes;
    return t;
}

// --- animations -------------------------------------------------------------------------------

static struct aiVectorKey *vector_keys(source *s, unsigned *count)
{
    *count = count_to(s, 5);
    struct aiVectorKey *keys = make(s, *count, sizeof *keys);
    for (unsigned i = 0; i < *count; i++) {
        keys[i].mTime = number(s);
        keys[i].mValue = (struct aiVector3D){number(s), number(s), number(s)};
    }
    return keys;
}

static struct aiNodeAnim *channel(source *s)
{
    struct aiNodeAnim *c = make(s, 1, sizeof *c);
    put_name(s, &c->mNodeName);
    c->mPositionKeys = vector_keys(s, &c->mNumPositionKeys);
    c->mScalingKeys = vector_keys(s, &c->mNumScalingKeys);
    c->mNumRotationKeys = count_to(s, 5);
    c->mRotationKeys = make(s, c->mNumRotationKeys, sizeof *c->mRotationKeys);
    for (unsigned i = 0; i < c->mNumRotationKeys; i++) {
        c->mRotationKeys[i].mTime = number(s);
        c->mRotationKeys[i].mValue =
            (struct aiQuaternion){number(s), number(s), number(s), number(s)};
    }
    return c;
}

static struct aiMeshMorphAnim *morph_channel(source *s)
{
    struct aiMeshMorphAnim *c = make(s, 1, sizeof *c);
    put_name(s, &c->mName);
    c->mNumKeys = count_to(s, 5);
    c->mKeys = make(s, c->mNumKeys, sizeof *c->mKeys);
    for (unsigned i = 0; i < c->mNumKeys; i++) {
        struct aiMeshMorphKey *key = &c->mKeys[i];
        key->mTime = number(s);
        key->mNumValuesAndWeights = count_to(s, 3);
        key->mValues = make(s, key->mNumValuesAndWeights, sizeof *key->mValues);
        key->mWeights = make(s, key->mNumValuesAndWeights, sizeof *key->mWeights);
        for (unsigned k = 0; k < key->mNumValuesAndWeights; k++) {
            key->mValues[k] = choose(s, 3);
            key->mWeights[k] = number(s);
        }
    }
    return c;
}

static struct aiAnimation *animation(source *s)
{
    struct aiAnimation *a = make(s, 1, sizeof *a);
    put_name(s, &a->mName);
    a->mTicksPerSecond = number(s);
    a->mNumChannels = count_to(s, 3);
    a->mChannels = make(s, a->mNumChannels, sizeof(void *));
    for (unsigned i = 0; i < a->mNumChannels; i++) {
        a->mChannels[i] = channel(s);
    }
    a->mNumMorphMeshChannels = count_to(s, 2);
    a->mMorphMeshChannels = make(s, a->mNumMorphMeshChannels, sizeof(void *));
    for (unsigned i = 0; i < a->mNumMorphMeshChannels; i++) {
        a->mMorphMeshChannels[i] = morph_channel(s);
    }
    return a;
}

// --- the whole --------------------------------------------------------------------------------

#define LIST(scene, list, number_of, most, one)                                                    \
    do {                                                                                           \
        (scene)->number_of = count_to(&s, most);                                                   \
        (scene)->list = make(&s, (scene)->number_of, sizeof(void *));                              \
        for (unsigned i = 0; i < (scene)->number_of; i++) {                                        \
            (scene)->list[i] = one;                                                                \
        }                                                                                          \
    } while (0)

const struct aiScene *fuzz_assimp_scene(wri_array *blocks, const uint8_t *bytes, size_t size)
{
    source s = {.at = bytes, .end = bytes + size, .blocks = blocks};
    struct aiScene *scene = make(&s, 1, sizeof *scene);
    LIST(scene, mMaterials, mNumMaterials, 3, material(&s));
    LIST(scene, mTextures, mNumTextures, 2, texture(&s));
    LIST(scene, mMeshes, mNumMeshes, 4, mesh(&s, scene->mNumMaterials));
    scene->mRootNode = node(&s, scene->mNumMeshes, NULL);
    scene->mMetaData = coin(&s) ? metadata(&s) : NULL;
    LIST(scene, mAnimations, mNumAnimations, 2, animation(&s));
    return scene;
}

void fuzz_assimp_free(wri_array *blocks)
{
    for (int i = 0; i < blocks->count; i++) {
        free(WRI_ITEM(*blocks, void *, i));
    }
    wri_array_destroy(blocks);
}
