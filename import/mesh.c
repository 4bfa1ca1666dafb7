// mesh.c: the meshes of one node as one mesh with parts.
//
// Assimp cuts a mesh by material and, for most formats, gives every corner of every polygon a
// vertex of its own. Here the pieces are put together again: vertices that agree in everything, bit
// by bit, are one. Polygons are cut by our own reader's function, so that none is lost.
#include "import.h"

#include <assimp/mesh.h>

// A vertex while its mesh is built: a row of floats. Where each thing begins, -1: not there.
typedef struct layout {
    int normal, uv, color, joint, morph;
    int stride;
} layout;

typedef struct builder {
    importer *im;
    const struct aiNode *node;
    const struct aiMatrix4x4 *place; // NULL: none
    layout at;
    wri_arena arena;  // lives as long as the building
    wri_array points; // wr_vec3: of the polygon at hand
    wr_scratch scratch;
    float *rows;
    int row_count;
    int *row_of;    // per row the number of its vertex, -1: nobody uses it
    bool mirrored;  // place turns triangles inside out
    bool no_normal; // some piece comes without
    int morph_count;
    bool morph_normals;
    int influence_count; // per row
    int *joints;
    float *weights;
} builder;

static const struct aiMesh *piece(const builder *b, unsigned i)
{
    return b->im->scene->mMeshes[b->node->mMeshes[i]];
}

static const struct aiVector3D *piece_uvs(const builder *b, const struct aiMesh *m)
{
    unsigned material = m->mMaterialIndex;
    int channel = material < b->im->scene->mNumMaterials ? b->im->uv_channel_of[material] : 0;
    return m->mTextureCoords[channel] ? m->mTextureCoords[channel] : m->mTextureCoords[0];
}

// Another shape of a piece, NULL: none.
static const struct aiAnimMesh *piece_morph(const struct aiMesh *m, int i)
{
    const struct aiAnimMesh *morph = (unsigned)i < m->mNumAnimMeshes ? m->mAnimMeshes[i] : NULL;
    return morph && morph->mVertices && morph->mNumVertices == m->mNumVertices ? morph : NULL;
}

// --- sizes ------------------------------------------------------------------------------------

static int claim(layout *at, bool wanted, int floats)
{
    int begin = wanted ? at->stride : -1;
    at->stride += wanted ? floats : 0;
    return begin;
}

static bool measure(builder *b, wr_mesh *mesh)
{
    bool normals = false, uvs = false, colors = false;
    size_t rows = 0, triangles = 0;
    for (unsigned i = 0; i < b->node->mNumMeshes; i++) {
        const struct aiMesh *m = piece(b, i);
        normals = normals || (m->mNormals && !b->im->drop_normals);
        uvs = uvs || piece_uvs(b, m);
        colors = colors || m->mColors[0];
        b->no_normal = b->no_normal || !m->mNormals;
        int morphs = m->mNumAnimMeshes < 4096 ? (int)m->mNumAnimMeshes : 4096;
        b->morph_count = morphs > b->morph_count ? morphs : b->morph_count;
        for (int k = 0; k < morphs; k++) {
            const struct aiAnimMesh *morph = piece_morph(m, k);
            b->morph_normals = b->morph_normals || (morph && morph->mNormals && m->mNormals);
        }
        rows += m->mNumVertices;
        for (unsigned k = 0; k < m->mNumFaces; k++) {
            triangles += m->mFaces[k].mNumIndices > 2 ? m->mFaces[k].mNumIndices - 2 : 0;
        }
    }
    if (rows > INT32_MAX / 16 || triangles > INT32_MAX / 16) {
        return wri_fail(b->im->error, WR_E_UNSUPPORTED,
                        "a mesh has %zu vertices and %zu triangles, more than can be read", rows,
                        triangles);
    }
    b->at.stride = 3;
    b->at.normal = claim(&b->at, normals, 3);
    b->at.uv = claim(&b->at, uvs, 2);
    b->at.color = claim(&b->at, colors, 4);
    b->at.joint = claim(&b->at, b->influence_count > 0, 2 * b->influence_count);
    b->morph_normals = b->morph_normals && normals;
    b->at.morph = claim(&b->at, b->morph_count > 0, b->morph_count * (b->morph_normals ? 6 : 3));
    b->row_count = (int)rows;
    mesh->triangle_count = (int)triangles;
    return true;
}

// --- vertices ---------------------------------------------------------------------------------

static void put3(float *row, wr_vec3 v)
{
    row[0] = v.x;
    row[1] = v.y;
    row[2] = v.z;
}

static wr_vec3 get3(const float *row)
{
    return wr_v3(row[0], row[1], row[2]);
}

static wr_vec3 placed(const struct aiMatrix4x4 *m, wr_vec3 p)
{
    return wr_v3(m->a1 * p.x + m->a2 * p.y + m->a3 * p.z + m->a4,
                 m->b1 * p.x + m->b2 * p.y + m->b3 * p.z + m->b4,
                 m->c1 * p.x + m->c2 * p.y + m->c3 * p.z + m->c4);
}

// By the cofactors of the place, which keep normals at right angles to their surface.
static wr_vec3 placed_normal(const builder *b, wr_vec3 n)
{
    const struct aiMatrix4x4 *m = b->place;
    wr_vec3 x = wr_v3(m->a1, m->b1, m->c1), y = wr_v3(m->a2, m->b2, m->c2);
    wr_vec3 z = wr_v3(m->a3, m->b3, m->c3);
    wr_vec3 sum = wr_scale(n.x, wr_cross(y, z));
    sum = wr_add_scaled(sum, n.y, wr_cross(z, x));
    sum = wr_add_scaled(sum, n.z, wr_cross(x, y));
    return b->mirrored ? wr_scale(-1.0f, sum) : sum;
}

static wr_vec3 difference(struct aiVector3D a, struct aiVector3D b)
{
    return wr_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static void fill_morphs(const builder *b, const struct aiMesh *m, unsigned i, float *row)
{
    for (int k = 0; k < b->morph_count; k++, row += b->morph_normals ? 6 : 3) {
        const struct aiAnimMesh *morph = piece_morph(m, k);
        if (morph) {
            put3(row, wr_scale(b->im->unit, difference(morph->mVertices[i], m->mVertices[i])));
        }
        if (morph && b->morph_normals && morph->mNormals && m->mNormals) {
            put3(row + 3, difference(morph->mNormals[i], m->mNormals[i]));
        }
    }
}

static void fill_row(const builder *b, const struct aiMesh *m, unsigned i, float *row)
{
    const struct aiVector3D *v = &m->mVertices[i], *uvs = piece_uvs(b, m);
    float unit = b->im->unit;
    wr_vec3 position = wr_v3(unit * v->x, unit * v->y, unit * v->z);
    put3(row, b->place ? placed(b->place, position) : position);
    if (b->at.normal >= 0 && m->mNormals) {
        wr_vec3 n = wr_v3(m->mNormals[i].x, m->mNormals[i].y, m->mNormals[i].z);
        put3(row + b->at.normal, wri_unit_normal(b->place ? placed_normal(b, n) : n));
    }
    if (b->at.uv >= 0 && uvs) {
        row[b->at.uv] = uvs[i].x;
        row[b->at.uv + 1] = 1.0f - uvs[i].y;
    }
    if (b->at.color >= 0) {
        const struct aiColor4D white = {1.0f, 1.0f, 1.0f, 1.0f};
        const struct aiColor4D *c = m->mColors[0] ? &m->mColors[0][i] : &white;
        const float rgba[4] = {c->r, c->g, c->b, c->a};
        memcpy(row + b->at.color, rgba, sizeof rgba);
    }
    if (b->at.morph >= 0) {
        fill_morphs(b, m, i, row + b->at.morph);
    }
}

static void fill_influences(builder *b)
{
    size_t n = (size_t)b->influence_count;
    for (size_t i = 0; i < (size_t)b->row_count; i++) {
        float *row = b->rows + i * (size_t)b->at.stride + b->at.joint;
        for (size_t k = 0; k < n; k++) {
            row[2 * k] = (float)b->joints[i * n + k]; // exact: there are few joints
            row[2 * k + 1] = b->weights[i * n + k];
        }
    }
}

static void fill_rows(builder *b)
{
    float *row = b->rows;
    for (unsigned i = 0; i < b->node->mNumMeshes; i++) {
        const struct aiMesh *m = piece(b, i);
        for (unsigned k = 0; k < m->mNumVertices; k++, row += b->at.stride) {
            fill_row(b, m, k, row);
        }
    }
}

// --- triangles --------------------------------------------------------------------------------

static bool check_face(const builder *b, const struct aiMesh *m, const struct aiFace *face)
{
    for (unsigned i = 0; i < face->mNumIndices; i++) {
        if (face->mIndices[i] >= m->mNumVertices) {
            return wri_fail(b->im->error, WR_E_FORMAT, "a polygon uses vertex %u of %u",
                            face->mIndices[i], m->mNumVertices);
        }
    }
    return true;
}

// Adds n - 2 triangles of rows.
static bool split_face(builder *b, const struct aiFace *face, int first_row, int *triangles)
{
    size_t n = face->mNumIndices;
    b->points.count = 0;
    wr_vec3 *corners = n > INT32_MAX / 3 ? NULL : wri_array_add(&b->points, (int)n);
    if (!corners) {
        return wri_fail_memory(b->im->error, n * sizeof *corners);
    }
    for (size_t i = 0; i < n; i++) {
        size_t row = (size_t)first_row + face->mIndices[i];
        corners[i] = get3(b->rows + row * (size_t)b->at.stride);
    }
    if (!wri_polygon_split(&b->scratch, corners, (int)n, triangles, b->im->error)) {
        return false;
    }
    for (size_t i = 0; i < 3 * (n - 2); i++) {
        triangles[i] = first_row + (int)face->mIndices[triangles[i]];
    }
    for (size_t i = 0; i < 3 * (n - 2) && b->mirrored; i += 3) {
        int corner = triangles[i + 1];
        triangles[i + 1] = triangles[i + 2];
        triangles[i + 2] = corner;
    }
    return true;
}

static void add_part(wr_mesh *mesh, int first_triangle, int triangle_count, int look)
{
    wr_mesh_part *last = mesh->part_count > 0 ? &mesh->parts[mesh->part_count - 1] : NULL;
    if (last && last->look == look) {
        last->triangle_count += triangle_count;
    } else if (triangle_count > 0) {
        mesh->parts[mesh->part_count++] = (wr_mesh_part){first_triangle, triangle_count, look};
    }
}

static bool fill_triangles(builder *b, wr_mesh *mesh)
{
    int first_row = 0, count = 0;
    for (unsigned i = 0; i < b->node->mNumMeshes; i++) {
        const struct aiMesh *m = piece(b, i);
        int first = count;
        for (unsigned k = 0; k < m->mNumFaces; k++) {
            const struct aiFace *face = &m->mFaces[k];
            if (face->mNumIndices < 3) {
                continue; // points and lines
            }
            if (!check_face(b, m, face) ||
                !split_face(b, face, first_row, mesh->triangles + 3 * (size_t)count)) {
                return false;
            }
            count += (int)face->mNumIndices - 2;
        }
        unsigned material = m->mMaterialIndex;
        int look = material < b->im->scene->mNumMaterials ? b->im->look_of[material] : -1;
        add_part(mesh, first, count - first, look);
        first_row += (int)m->mNumVertices;
    }
    return true;
}

// Pieces without normals in a mesh that has some get them from the triangles.
static bool fill_normals(builder *b, const wr_mesh *mesh)
{
    if (b->at.normal < 0 || !b->no_normal) {
        return true;
    }
    size_t count = (size_t)b->row_count;
    wr_vec3 *positions = wri_arena_alloc(&b->arena, count, sizeof *positions);
    wr_vec3 *normals = wri_arena_alloc(&b->arena, count, sizeof *normals);
    if (!positions || !normals) {
        return wri_fail_memory(b->im->error, count * sizeof *normals);
    }
    for (size_t i = 0; i < count; i++) {
        positions[i] = get3(b->rows + i * (size_t)b->at.stride);
    }
    wr_find_normals(positions, (int)count, mesh->triangles, mesh->triangle_count, normals);
    size_t row = 0;
    for (unsigned i = 0; i < b->node->mNumMeshes; i++) {
        const struct aiMesh *m = piece(b, i);
        for (unsigned k = 0; k < m->mNumVertices; k++, row++) {
            if (!m->mNormals) {
                put3(b->rows + row * (size_t)b->at.stride + b->at.normal, normals[row]);
            }
        }
    }
    return true;
}

// --- welding ----------------------------------------------------------------------------------

// Numbers the rows that triangles use, equal ones alike, in their order. Returns how many.
static int weld(builder *b, const wr_mesh *mesh)
{
    size_t size = 16, stride = (size_t)b->at.stride;
    while (size < 2 * (size_t)b->row_count) {
        size *= 2;
    }
    int *table = wri_arena_alloc(&b->arena, size, sizeof *table); // row + 1 by hash, 0 is free
    if (!table) {
        wri_fail_memory(b->im->error, size * sizeof *table);
        return -1;
    }
    for (int i = 0; i < b->row_count; i++) {
        b->row_of[i] = -1;
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        b->row_of[mesh->triangles[i]] = 0;
    }
    int count = 0;
    for (int i = 0; i < b->row_count; i++) {
        if (b->row_of[i] < 0) {
            continue;
        }
        const float *row = b->rows + (size_t)i * stride;
        size_t slot = wri_hash(row, stride * sizeof *row, 0) & (size - 1);
        while (table[slot] && memcmp(b->rows + (size_t)(table[slot] - 1) * stride, row,
                                     stride * sizeof *row) != 0) {
            slot = (slot + 1) & (size - 1);
        }
        b->row_of[i] = table[slot] ? b->row_of[table[slot] - 1] : count++;
        table[slot] = table[slot] ? table[slot] : i + 1;
    }
    return count;
}

static void store_vertex(const builder *b, const float *row, wr_mesh *mesh, int vertex)
{
    mesh->positions[vertex] = get3(row);
    if (mesh->normals) {
        mesh->normals[vertex] = get3(row + b->at.normal);
    }
    if (mesh->uvs) {
        mesh->uvs[vertex] = (wr_vec2){row[b->at.uv], row[b->at.uv + 1]};
    }
    if (mesh->colors) {
        const float *c = row + b->at.color;
        mesh->colors[vertex] = (wr_color){c[0], c[1], c[2], c[3]};
    }
    for (int i = 0; i < mesh->influence_count; i++) {
        size_t to = (size_t)vertex * (size_t)mesh->influence_count + (size_t)i;
        mesh->joints[to] = (int)row[b->at.joint + 2 * i];
        mesh->weights[to] = row[b->at.joint + 2 * i + 1];
    }
    const float *morph = row + (b->at.morph < 0 ? 0 : b->at.morph);
    for (int i = 0; i < mesh->morph_count; i++, morph += b->morph_normals ? 6 : 3) {
        mesh->morphs[i].positions[vertex] = get3(morph);
        if (b->morph_normals) {
            mesh->morphs[i].normals[vertex] = get3(morph + 3);
        }
    }
}

// The name and weight of a morph as the first piece that has it says.
static bool name_morph(const builder *b, int index, wr_morph *out)
{
    for (unsigned i = 0; i < b->node->mNumMeshes; i++) {
        const struct aiAnimMesh *morph = piece_morph(piece(b, i), index);
        if (morph) {
            // Of FBX Assimp says 1 whatever the file says.
            out->weight = b->im->is_fbx || !isfinite(morph->mWeight) ? 0.0f : morph->mWeight;
            out->name = import_text(b->im, &morph->mName);
            return out->name != NULL;
        }
    }
    out->name = "";
    return true;
}

static bool alloc_bends(const builder *b, wr_mesh *mesh)
{
    wr_model *model = b->im->model;
    size_t count = (size_t)mesh->vertex_count, influences = count * (size_t)b->influence_count;
    mesh->influence_count = b->influence_count;
    mesh->morph_count = b->morph_count;
    mesh->joints = wr_model_alloc(model, influences, sizeof *mesh->joints);
    mesh->weights = wr_model_alloc(model, influences, sizeof *mesh->weights);
    mesh->morphs = wr_model_alloc(model, (size_t)b->morph_count, sizeof *mesh->morphs);
    bool ok = mesh->joints && mesh->weights && mesh->morphs;
    for (int i = 0; i < b->morph_count && ok; i++) {
        wr_morph *morph = &mesh->morphs[i];
        morph->positions = wr_model_alloc(model, count, sizeof *morph->positions);
        morph->normals =
            b->morph_normals ? wr_model_alloc(model, count, sizeof *morph->normals) : NULL;
        ok = name_morph(b, i, morph) && morph->positions && (morph->normals || !b->morph_normals);
    }
    return ok || wri_fail_memory(b->im->error, influences * sizeof *mesh->joints);
}

static bool store_vertices(builder *b, wr_mesh *mesh)
{
    wr_model *model = b->im->model;
    mesh->vertex_count = weld(b, mesh);
    size_t count = mesh->vertex_count < 0 ? 0 : (size_t)mesh->vertex_count;
    mesh->positions = wr_model_alloc(model, count, sizeof *mesh->positions);
    mesh->normals = b->at.normal < 0 ? NULL : wr_model_alloc(model, count, sizeof *mesh->normals);
    mesh->uvs = b->at.uv < 0 ? NULL : wr_model_alloc(model, count, sizeof *mesh->uvs);
    mesh->colors = b->at.color < 0 ? NULL : wr_model_alloc(model, count, sizeof *mesh->colors);
    if (mesh->vertex_count < 0 || !mesh->positions || (b->at.normal >= 0 && !mesh->normals) ||
        (b->at.uv >= 0 && !mesh->uvs) || (b->at.color >= 0 && !mesh->colors)) {
        return wri_fail_memory(b->im->error, count * sizeof *mesh->colors);
    }
    if (!alloc_bends(b, mesh)) {
        return false;
    }
    for (int i = 0; i < b->row_count; i++) {
        if (b->row_of[i] >= 0) {
            store_vertex(b, b->rows + (size_t)i * (size_t)b->at.stride, mesh, b->row_of[i]);
        }
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        mesh->triangles[i] = b->row_of[mesh->triangles[i]];
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool build(builder *b, wr_mesh *mesh)
{
    wr_model *model = b->im->model;
    size_t rows = (size_t)b->row_count;
    b->rows = wri_arena_alloc(&b->arena, rows * (size_t)b->at.stride, sizeof *b->rows);
    b->row_of = wri_arena_alloc(&b->arena, rows, sizeof *b->row_of);
    mesh->triangles =
        wr_model_alloc(model, 3 * (size_t)mesh->triangle_count, sizeof *mesh->triangles);
    mesh->parts = wr_model_alloc(model, b->node->mNumMeshes, sizeof *mesh->parts);
    if (!b->rows || !b->row_of || !mesh->triangles || !mesh->parts) {
        return wri_fail_memory(b->im->error, rows * (size_t)b->at.stride * sizeof *b->rows);
    }
    fill_rows(b);
    if (b->influence_count > 0) {
        fill_influences(b);
    }
    return fill_triangles(b, mesh) && fill_normals(b, mesh) && store_vertices(b, mesh);
}

static float determinant(const struct aiMatrix4x4 *m)
{
    return wr_dot(wr_v3(m->a1, m->b1, m->c1),
                  wr_cross(wr_v3(m->a2, m->b2, m->c2), wr_v3(m->a3, m->b3, m->c3)));
}

bool import_mesh(importer *im, const struct aiNode *node, const struct aiMatrix4x4 *place,
                 wr_mesh *mesh, int *skin)
{
    builder b = {
        .im = im,
        .node = node,
        .place = place,
        .arena = wri_arena_create(NULL),
        .points = wri_array_create(NULL, sizeof(wr_vec3)),
        .scratch = wri_scratch_create(NULL),
        .mirrored = place && determinant(place) < 0.0f,
    };
    *mesh = (wr_mesh){0};
    const struct aiString *name = &piece(&b, 0)->mName;
    mesh->name = import_text(im, name->length > 0 ? name : &node->mName);
    *skin = -1;
    bool ok = mesh->name && (place || import_skin(im, node, skin));
    if (ok && *skin >= 0) {
        ok =
            import_influences(im, node, *skin, &b.arena, &b.influence_count, &b.joints, &b.weights);
    }
    ok = ok && measure(&b, mesh);
    if (ok && mesh->triangle_count > 0) {
        ok = build(&b, mesh);
    }
    wri_arena_destroy(&b.arena);
    wri_array_destroy(&b.points);
    wri_scratch_destroy(&b.scratch);
    return ok;
}
