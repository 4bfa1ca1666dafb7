// glb_read.c: glTF 2.0 models, as .glb (one file) or .gltf (JSON with neighbours).
//
// Read: the nodes of the default scene, their meshes with base colours, textures, morph targets and
// skins, and the animations of those nodes. What a file hides by KHR_node_visibility is left out;
// KHR_texture_transform is laid into the texture coordinates. Cameras and lights are passed over.
// With a warning, textures in formats other than PNG and JPEG are, too: their looks keep the base
// colour; and a node's matrix that shears becomes the nearest translation, rotation and scale.
#include "glb_pack.h"
#include "gltf.h"

typedef struct scene {
    wri_gltf g;
    wri_gltf_extra_fn *extra;               // or NULL
    void *context;                          // context of extra
    const wri_json *meshes, *nodes, *skins; // arrays or NULL
    wri_gltf_layout *layouts;               // of looks
    int *mesh_map; // number in the model of each glTF mesh; -1 none, -2 not looked at yet
} scene;

static int length_of(const wri_json *array)
{
    return array ? array->count : 0;
}

// --- container --------------------------------------------------------------------------------

static uint32_t read_u32(const char *bytes)
{
    const uint8_t *b = (const uint8_t *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

enum { CHUNK_JSON = 0x4e4f534a, CHUNK_BIN = 0x004e4942 };

static bool check_header(wri_gltf *g, const char *bytes, size_t size)
{
    if (size < 20) {
        return wri_fail(g->error, WR_E_FORMAT,
                        "%s: byte %zu: the file ends within the header of 20 bytes", g->path, size);
    }
    if (read_u32(bytes + 4) != 2) {
        return wri_fail(g->error, WR_E_UNSUPPORTED, "%s: byte 4: GLB version %u, expected 2",
                        g->path, (unsigned)read_u32(bytes + 4));
    }
    if (read_u32(bytes + 8) > size) {
        return wri_fail(g->error, WR_E_FORMAT,
                        "%s: byte %zu: the file ends here, expected %u bytes", g->path, size,
                        (unsigned)read_u32(bytes + 8));
    }
    return true;
}

// Finds the JSON and the BIN chunk; other chunks are allowed and skipped.
static bool open_chunks(wri_gltf *g, const char *bytes, size_t size, const char **json,
                        size_t *json_size)
{
    if (!check_header(g, bytes, size)) {
        return false;
    }
    size_t end = read_u32(bytes + 8);
    for (size_t at = 12, number = 0; end >= 8 && at <= end - 8; number++) {
        size_t length = read_u32(bytes + at);
        uint32_t type = read_u32(bytes + at + 4);
        if (length > end - at - 8) {
            return wri_fail(g->error, WR_E_FORMAT,
                            "%s: byte %zu: a chunk of %zu bytes does not fit into the file",
                            g->path, at, length);
        }
        if ((number == 0) != (type == CHUNK_JSON)) {
            return wri_fail(g->error, WR_E_FORMAT,
                            "%s: byte %zu: the first chunk, and only that, must be JSON", g->path,
                            at);
        }
        if (type == CHUNK_JSON) {
            *json = bytes + at + 8;
            *json_size = length;
        } else if (type == CHUNK_BIN && !g->binary) {
            g->binary = (const uint8_t *)bytes + at + 8;
            g->binary_size = length;
        }
        at += 8 + (length + 3) / 4 * 4;
    }
    return *json || wri_fail(g->error, WR_E_FORMAT, "%s: byte 12: no JSON chunk", g->path);
}

static bool open_document(wri_gltf *g, const char *bytes, size_t size)
{
    const char *json = bytes;
    size_t json_size = size;
    g->json_path = g->path;
    if (size >= 4 && memcmp(bytes, "glTF", 4) == 0) {
        json = NULL;
        g->json_path = wri_arena_printf(&g->arena, "%s: JSON", g->path);
        if (!g->json_path) {
            return wri_fail_memory(g->error, strlen(g->path));
        }
        if (!open_chunks(g, bytes, size, &json, &json_size)) {
            return false;
        }
        while (json_size > 0 && json[json_size - 1] == 0) { // a common way of padding it wrongly
            json_size--;
        }
    }
    g->root = wri_json_parse(&g->arena, json, json_size, g->json_path, false, g->error);
    return g->root != NULL;
}

static bool is_among(const char *name, const char *const *list, int count)
{
    for (int i = 0; i < count; i++) {
        size_t length = strlen(list[i]);
        if (strncmp(name, list[i], length) == 0 && (list[i][length - 1] == '_' || !name[length])) {
            return true;
        }
    }
    return false;
}

static bool is_known_extension(const char *name)
{
    static const char *const known[] = {
        "EXT_meshopt_compression", "KHR_draco_mesh_compression", "KHR_lights_punctual",
        "KHR_materials_",          "KHR_mesh_quantization",      "KHR_meshopt_compression",
        "KHR_node_visibility",     "KHR_texture_transform",      "WROUGHT_asset",
    };
    return is_among(name, known, WRI_COUNT(known));
}

// Formats of pictures: without them a model has its shape, and plain colours.
static bool is_picture_extension(const char *name)
{
    static const char *const formats[] = {"EXT_texture_avif", "EXT_texture_webp",
                                          "KHR_texture_basisu", "MSFT_texture_dds"};
    return is_among(name, formats, WRI_COUNT(formats));
}

// Warns of extensions that a file uses and that are not read: those that it does not require are
// there for those who know them.
static bool warn_of_extensions(wri_gltf *g)
{
    const wri_json *used = NULL;
    if (!wri_gltf_array(g, g->root, "extensionsUsed", &used)) {
        return false;
    }
    for (int i = 0; i < length_of(used); i++) {
        const wri_json *name = &used->items[i];
        if (name->type != WRI_JSON_STRING || is_known_extension(name->string)) {
            continue;
        }
        bool ok = is_picture_extension(name->string)
                      ? wri_gltf_warn(g, name,
                                      "textures in the format of %.60s cannot be read; the plain "
                                      "colour stands in their place",
                                      name->string)
                      : wri_gltf_warn(g, name, "the extension %.60s is passed over", name->string);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool check_needs(wri_gltf *g)
{
    const wri_json *asset = NULL, *extensions = NULL;
    const char *version = "";
    if (!wri_gltf_object(g, g->root, "asset", &asset) ||
        !wri_gltf_text(g, asset, "version", &version) ||
        !wri_gltf_array(g, g->root, "extensionsRequired", &extensions)) {
        return false;
    }
    if (wri_json_find(g->root, "wrought")) {
        return wri_fail(g->error, WR_E_FORMAT, "%s: is a %s, expected a model", g->path,
                        wri_json_find(g->root, "bodies") ? "scene" : "recipe");
    }
    if (strncmp(version, "2.", 2) != 0) {
        return wri_gltf_fail(g, asset ? asset : g->root, WR_E_UNSUPPORTED,
                             "asset.version is \"%.20s\", expected glTF 2.0", version);
    }
    for (int i = 0; i < length_of(extensions); i++) {
        const wri_json *name = &extensions->items[i];
        if (name->type != WRI_JSON_STRING ||
            (!is_known_extension(name->string) && !is_picture_extension(name->string))) {
            return wri_gltf_fail(g, name, WR_E_UNSUPPORTED,
                                 "needs the extension %.60s, which cannot be read",
                                 name->type == WRI_JSON_STRING ? name->string : "?");
        }
    }
    return warn_of_extensions(g);
}

// --- transforms -------------------------------------------------------------------------------

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Unit columns; one that vanished is rebuilt from the other two. False when no frame is left.
static bool unit_columns(double m[3][3])
{
    int vanished = -1;
    for (int i = 0; i < 3; i++) {
        double length = sqrt(dot(m[i], m[i]));
        if (length < 1e-30) {
            if (vanished >= 0) {
                return false;
            }
            vanished = i;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            m[i][k] /= length;
        }
    }
    if (vanished >= 0) {
        cross(m[(vanished + 1) % 3], m[(vanished + 2) % 3], m[vanished]);
    }
    return true;
}

// The rotation nearest to m, whose columns are m[0], m[1], m[2], by Higham's iteration
// R <- (R + R^-T) / 2. False when m is singular.
static bool nearest_rotation(double m[3][3])
{
    for (int round = 0; round < 40; round++) {
        double inverse[3][3], change = 0.0; // columns of the cofactor matrix, then of R^-T
        for (int i = 0; i < 3; i++) {
            cross(m[(i + 1) % 3], m[(i + 2) % 3], inverse[i]);
        }
        double determinant = dot(m[0], inverse[0]);
        if (!(fabs(determinant) > 1e-9)) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                double next = 0.5 * (m[i][k] + inverse[i][k] / determinant);
                change = fmax(change, fabs(next - m[i][k]));
                m[i][k] = next;
            }
        }
        if (change < 1e-15) {
            break;
        }
    }
    return true;
}

// Shepperd's method: divide by the largest of the four components.
static wr_quat quat_from_columns(double m[3][3])
{
    double q[4], trace = m[0][0] + m[1][1] + m[2][2];
    int best = 3;
    double largest = trace;
    for (int i = 0; i < 3; i++) {
        if (m[i][i] > largest) {
            largest = m[i][i];
            best = i;
        }
    }
    if (best == 3) {
        q[3] = 1.0 + trace;
        q[0] = m[1][2] - m[2][1];
        q[1] = m[2][0] - m[0][2];
        q[2] = m[0][1] - m[1][0];
    } else {
        int i = best, j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = 1.0 + m[i][i] - m[j][j] - m[k][k];
        q[j] = m[i][j] + m[j][i];
        q[k] = m[i][k] + m[k][i];
        q[3] = m[j][k] - m[k][j];
    }
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (wr_quat){(float)(q[0] / length), (float)(q[1] / length), (float)(q[2] / length),
                     (float)(q[3] / length)};
}

// m is column by column, as glTF has it. False when rotation and scale are not all of it: it
// shears.
static bool decompose(const float m[16], wr_node *node)
{
    double r[3][3], columns[3][3], scale[3], c[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            r[i][k] = columns[i][k] = m[4 * i + k];
        }
    }
    cross(columns[1], columns[2], c);
    if (dot(columns[0], c) < 0.0) { // a mirroring goes into the scale of x
        for (int k = 0; k < 3; k++) {
            r[0][k] = -r[0][k];
        }
    }
    bool ok = unit_columns(r) && nearest_rotation(r);
    for (int i = 0; i < 3; i++) {
        scale[i] = ok ? dot(r[i], columns[i]) : sqrt(dot(columns[i], columns[i]));
    }
    node->pose.rotation = ok ? quat_from_columns(r) : WR_QUAT_IDENTITY;
    node->pose.position = wr_v3(m[12], m[13], m[14]);
    node->scale = wr_v3((float)scale[0], (float)scale[1], (float)scale[2]);
    double off = 0.0, size = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            double kept = ok ? r[i][k] : i == k; // without a frame only the scale remains
            off = fmax(off, fabs(scale[i] * kept - columns[i][k]));
            size = fmax(size, fabs(columns[i][k]));
        }
    }
    return off <= 1e-4 * size;
}

static bool read_transform(wri_gltf *g, const wri_json *json, wr_node *node)
{
    float m[16], t[3] = {0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    if (wri_json_find(json, "matrix")) {
        if (!wri_gltf_floats(g, json, "matrix", 16, m)) {
            return false;
        }
        if (!decompose(m, node) &&
            !wri_gltf_warn(g, json,
                           "the node's matrix shears; the nearest without shear is taken")) {
            return false;
        }
    } else {
        if (!wri_gltf_floats(g, json, "translation", 3, t) ||
            !wri_gltf_floats(g, json, "rotation", 4, r) ||
            !wri_gltf_floats(g, json, "scale", 3, s)) {
            return false;
        }
        node->pose.position = wr_v3(t[0], t[1], t[2]);
        node->pose.rotation = wri_unit_quat((wr_quat){r[0], r[1], r[2], r[3]});
        node->scale = wr_v3(s[0], s[1], s[2]);
    }
    return (wr_pose_is_finite(node->pose) && wr_is_finite3(node->scale)) ||
           wri_gltf_fail(g, json, WR_E_FORMAT, "the node's transform is too large");
}

// --- nodes ------------------------------------------------------------------------------------

static int *alloc_map(scene *s, int count)
{
    int *map = wri_arena_alloc(&s->g.arena, (size_t)count, sizeof *map);
    for (int i = 0; i < count && map; i++) {
        map[i] = -2;
    }
    return map;
}

// Reads a mesh when a node first asks for it.
static bool find_mesh(scene *s, int index, int *out)
{
    wri_gltf *g = &s->g;
    if (s->mesh_map[index] == -2) {
        const wri_json *json = &s->meshes->items[index];
        wr_mesh *mesh = &g->model->meshes[g->model->mesh_count];
        mesh->name = wri_gltf_copy_name(g, json);
        if (!mesh->name || !wri_gltf_read_mesh(g, json, s->layouts, mesh)) {
            return false;
        }
        s->mesh_map[index] = mesh->triangle_count ? g->model->mesh_count++ : -1;
    }
    *out = s->mesh_map[index];
    return true;
}

typedef struct tree {
    int *parent;  // glTF number; -1 root
    bool *inside; // reached from the scene
    bool *hidden; // with all below it: KHR_node_visibility
    int *stack;
    int depth;
} tree;

static bool enter(scene *s, tree *t, const wri_json *where, int node, int parent)
{
    if (t->inside[node]) {
        return wri_gltf_fail(&s->g, where, WR_E_FORMAT,
                             "node %d is reached twice; nodes must form trees", node);
    }
    t->inside[node] = true;
    t->parent[node] = parent;
    t->stack[t->depth++] = node;
    return true;
}

static bool reach(scene *s, tree *t, const wri_json *where, int root)
{
    if (!enter(s, t, where, root, -1)) {
        return false;
    }
    while (t->depth > 0) {
        int node = t->stack[--t->depth], child = -1;
        const wri_json *children = NULL;
        if (!wri_gltf_array(&s->g, &s->nodes->items[node], "children", &children)) {
            return false;
        }
        for (int i = 0; i < length_of(children); i++) {
            if (!wri_gltf_as_index(&s->g, &children->items[i], s->nodes->count, &child) ||
                !enter(s, t, &children->items[i], child, node)) {
                return false;
            }
        }
    }
    return true;
}

// Without a scene everything counts: first from the nodes that are nobody's child.
static bool reach_all(scene *s, tree *t)
{
    bool *is_child = wri_arena_alloc(&s->g.arena, (size_t)s->nodes->count, sizeof *is_child);
    if (!is_child) {
        return wri_fail_memory(s->g.error, (size_t)s->nodes->count);
    }
    for (int i = 0; i < s->nodes->count; i++) {
        const wri_json *children = NULL;
        int child = -1;
        if (!wri_gltf_array(&s->g, &s->nodes->items[i], "children", &children)) {
            return false;
        }
        for (int k = 0; k < length_of(children); k++) {
            if (!wri_gltf_as_index(&s->g, &children->items[k], s->nodes->count, &child)) {
                return false;
            }
            is_child[child] = true;
        }
    }
    for (int i = 0; i < s->nodes->count; i++) {
        if (!is_child[i] && !reach(s, t, &s->nodes->items[i], i)) {
            return false;
        }
    }
    for (int i = 0; i < s->nodes->count; i++) {
        if (!t->inside[i]) {
            return wri_gltf_fail(&s->g, &s->nodes->items[i], WR_E_FORMAT,
                                 "node %d is its own ancestor", i);
        }
    }
    return true;
}

static bool reach_scene(scene *s, tree *t)
{
    wri_gltf *g = &s->g;
    const wri_json *scenes = NULL, *roots = NULL;
    int number = 0, root = -1;
    if (!wri_gltf_array(g, g->root, "scenes", &scenes)) {
        return false;
    }
    if (length_of(scenes) == 0) {
        return reach_all(s, t);
    }
    if (!wri_gltf_index(g, g->root, "scene", scenes->count, &number) ||
        !wri_gltf_array(g, &scenes->items[number], "nodes", &roots)) {
        return false;
    }
    for (int i = 0; i < length_of(roots); i++) {
        if (!wri_gltf_as_index(g, &roots->items[i], s->nodes->count, &root) ||
            !reach(s, t, &roots->items[i], root)) {
            return false;
        }
    }
    return true;
}

// Weights of its own for the morphs of its mesh. The nodes' weights together stay within the work
// that is allowed, because whoever poses the model keeps room for them all.
static bool read_weights(scene *s, const wri_json *json, wr_node *node)
{
    wri_gltf *g = &s->g;
    int count = node->mesh < 0 ? 0 : g->model->meshes[node->mesh].morph_count;
    if (count == 0) {
        return true;
    }
    if (!wri_gltf_count_work(g, json, count)) {
        return false;
    }
    if (!wri_json_find(json, "weights")) {
        return true;
    }
    node->morph_weights = wr_model_alloc(g->model, (size_t)count, sizeof *node->morph_weights);
    if (!node->morph_weights) {
        return wri_fail_memory(g->error, (size_t)count * sizeof *node->morph_weights);
    }
    return wri_gltf_floats(g, json, "weights", count, node->morph_weights);
}

// KHR_node_visibility; *hidden: whether what is above it is hidden.
static bool read_visibility(scene *s, const wri_json *json, bool *hidden)
{
    const wri_json *extensions = NULL, *visibility = NULL;
    bool visible = true;
    bool ok = wri_gltf_object(&s->g, json, "extensions", &extensions) &&
              wri_gltf_object(&s->g, extensions, "KHR_node_visibility", &visibility) &&
              wri_gltf_bool(&s->g, visibility, "visible", &visible);
    *hidden = *hidden || !visible;
    return ok;
}

// A hidden node moves what hangs on it, but has no mesh.
static bool read_node(scene *s, int index, int parent, bool hidden)
{
    wri_gltf *g = &s->g;
    const wri_json *json = &s->nodes->items[index];
    wr_node *node = &g->model->nodes[g->model->node_count++];
    int mesh = -1;
    node->parent = parent;
    node->mesh = node->skin = -1;
    node->name = wri_gltf_copy_name(g, json);
    return node->name && read_transform(g, json, node) &&
           wri_gltf_index(g, json, "mesh", length_of(s->meshes), &mesh) &&
           wri_gltf_index(g, json, "skin", length_of(s->skins), &node->skin) &&
           (mesh < 0 || hidden || find_mesh(s, mesh, &node->mesh)) && read_weights(s, json, node);
}

// Reads nodes in the order of the file, except that a node waits for its ancestors.
static bool read_tree(scene *s, tree *t)
{
    int count = s->nodes->count;
    int *number = alloc_map(s, count);
    s->g.node_map = number;
    s->g.node_count = count;
    s->g.model->nodes = wr_model_alloc(s->g.model, (size_t)count, sizeof(wr_node));
    if (!number || !s->g.model->nodes) {
        return wri_fail_memory(s->g.error, (size_t)count * sizeof(wr_node));
    }
    for (int i = 0; i < count; i++) {
        if (!t->inside[i]) {
            continue;
        }
        for (int k = i; k >= 0 && number[k] < 0; k = t->parent[k]) {
            t->stack[t->depth++] = k;
        }
        while (t->depth > 0) {
            int k = t->stack[--t->depth];
            int parent = t->parent[k];
            number[k] = s->g.model->node_count;
            t->hidden[k] = parent >= 0 && t->hidden[parent];
            if (!read_visibility(s, &s->nodes->items[k], &t->hidden[k]) ||
                !read_node(s, k, parent >= 0 ? number[parent] : -1, t->hidden[k])) {
                return false;
            }
        }
    }
    return true;
}

static bool read_nodes(scene *s)
{
    wri_gltf *g = &s->g;
    size_t count = (size_t)length_of(s->nodes), meshes = (size_t)length_of(s->meshes);
    tree t = {
        .parent = wri_arena_alloc(&g->arena, count, sizeof *t.parent),
        .inside = wri_arena_alloc(&g->arena, count, sizeof *t.inside),
        .hidden = wri_arena_alloc(&g->arena, count, sizeof *t.hidden),
        .stack = wri_arena_alloc(&g->arena, count, sizeof *t.stack),
    };
    s->mesh_map = alloc_map(s, (int)meshes);
    g->model->meshes = wr_model_alloc(g->model, meshes, sizeof *g->model->meshes);
    if (!t.parent || !t.inside || !t.hidden || !t.stack || !s->mesh_map || !g->model->meshes) {
        return wri_fail_memory(g->error, count * sizeof *t.parent);
    }
    return count == 0 || (reach_scene(s, &t) && read_tree(s, &t));
}

// --- the whole --------------------------------------------------------------------------------

static bool read_scene(scene *s, const char *bytes, size_t size)
{
    wri_gltf *g = &s->g;
    if (!open_document(g, bytes, size) || !check_needs(g) || !wri_gltf_open_buffers(g) ||
        !wri_gltf_array(g, g->root, "meshes", &s->meshes) ||
        !wri_gltf_array(g, g->root, "nodes", &s->nodes) ||
        !wri_gltf_array(g, g->root, "skins", &s->skins) || (s->extra && !s->extra(g, s->context))) {
        return false;
    }
    g->model->name = wri_model_stem(g->model, g->path);
    if (!g->model->name) {
        return wri_fail_memory(g->error, strlen(g->path));
    }
    return wri_gltf_read_looks(g, &s->layouts) && wri_gltf_decode_draco(g, s->meshes) &&
           read_nodes(s) && (g->plain || (wri_gltf_read_skins(g) && wri_gltf_read_clips(g)));
}

wr_model *wri_gltf_read_with(const char *path, const char *bytes, size_t size,
                             wri_gltf_extra_fn *extra, void *context,
                             const wr_read_options *options, wr_error *error)
{
    const wr_allocator *allocator = options ? options->allocator : NULL;
    wr_model *model = wr_model_create(allocator, error);
    if (!model) {
        return NULL;
    }
    scene s = {.g = {.path = path,
                     .arena = wri_arena_create(allocator),
                     .model = model,
                     .source_size = size,
                     .follow_links = options && options->follow_links,
                     .plain = extra != NULL,
                     .error = error},
               .extra = extra,
               .context = context};
    bool ok = read_scene(&s, bytes, size);
    wri_arena_destroy(&s.g.arena);
    if (!ok) {
        wr_model_destroy(model);
        return NULL;
    }
    return model;
}

wr_model *wri_gltf_read(const char *path, const char *bytes, size_t size,
                        const wr_allocator *allocator, wr_error *error)
{
    const wr_read_options options = {.allocator = allocator};
    return wri_gltf_read_with(path, bytes, size, NULL, NULL, &options, error);
}
