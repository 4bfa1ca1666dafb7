// places.c: the damage that every body can have, and the parts of a model that stay rigid in it.
#include "plate.h"

static const char *const names[WR_CRUSH_PLACE_COUNT] = {"front",      "rear", "left side",
                                                        "right side", "roof", "flattened"};

const char *wr_crush_place_name(wr_crush_place place)
{
    return names[place];
}

// Shapes and depths as shares of the extent along the direction; sizes of the body's size.
typedef struct kind {
    wr_crush_shape shape;
    double depth, size, hold;
} kind;

static const kind kinds[WR_CRUSH_PLACE_COUNT] = {
    [WR_CRUSH_FRONT] = {WR_CRUSH_PLANE, 0.14, 0.0, 0.42},
    [WR_CRUSH_REAR] = {WR_CRUSH_PLANE, 0.14, 0.0, 0.42},
    [WR_CRUSH_LEFT] = {WR_CRUSH_POST, 0.22, 0.1, 0.42},
    [WR_CRUSH_RIGHT] = {WR_CRUSH_POST, 0.22, 0.1, 0.42},
    [WR_CRUSH_ROOF] = {WR_CRUSH_BOX, 0.2, 0.2, 0.45},
    [WR_CRUSH_FLATTENED] = {WR_CRUSH_PLANE, 0.5, 0.0, 1.0},
};

void wr_crush_desc_set_place(wr_crush_desc *desc, wr_crush_place place, wr_box bounds)
{
    wr_vec3 extent = wr_sub(bounds.max, bounds.min), up = wr_v3(0, 1, 0);
    wr_vec3 ahead = extent.x > 1.001f * extent.z ? wr_v3(1, 0, 0) : wr_v3(0, 0, 1);
    wr_vec3 left = wr_cross(up, ahead);
    const wr_vec3 directions[WR_CRUSH_PLACE_COUNT] = {
        wr_scale(-1, ahead), ahead, wr_scale(-1, left), left, wr_scale(-1, up), wr_scale(-1, up)};
    const kind *k = &kinds[place];
    desc->shape = k->shape;
    desc->direction = directions[place];
    double along = fabs((double)wr_dot(extent, directions[place]));
    desc->depth = k->depth * along;
    desc->size = k->size * (double)wr_length(extent);
    desc->hold = k->hold;
    desc->axis = wr_v3(0, 0, 0);
    desc->has_at = false;
}

// --- rigid parts ------------------------------------------------------------------------------

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains(const char *text, const char *word)
{
    for (; text && *text; text++) {
        size_t i = 0;
        while (word[i] && lower(text[i]) == lower(word[i])) {
            i++;
        }
        if (!word[i]) {
            return true;
        }
    }
    return false;
}

// A node or one above it.
static bool is_named(const wr_model *model, int node, const char *word)
{
    bool found = contains(model->meshes[model->nodes[node].mesh].name, word);
    for (; !found && node >= 0; node = model->nodes[node].parent) {
        found = contains(model->nodes[node].name, word);
    }
    return found;
}

// Marks the vertices of a word, in the order of wr_model_flatten: node after node.
static bool mark_word(const wr_model *model, const char *word, int *rigid)
{
    bool any = false;
    for (int n = 0, base = 0; n < model->node_count; n++) {
        if (model->nodes[n].mesh < 0) {
            continue;
        }
        const wr_mesh *mesh = &model->meshes[model->nodes[n].mesh];
        bool whole = is_named(model, n, word);
        for (int v = 0; whole && v < mesh->vertex_count; v++) {
            rigid[base + v] = 0;
        }
        for (int i = 0; i < mesh->part_count; i++) {
            const wr_mesh_part *part = &mesh->parts[i];
            if (part->look < 0 || !contains(model->looks[part->look].name, word)) {
                continue;
            }
            for (int c = 0; c < 3 * part->triangle_count; c++) {
                rigid[base + mesh->triangles[3 * part->first_triangle + c]] = 0;
            }
            any = any || part->triangle_count > 0;
        }
        any = any || whole;
        base += mesh->vertex_count;
    }
    return any;
}

static int find_root(int *root, int i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

// Shells of marked vertices whose bounds overlap are one part: tyre, rim and nuts of a wheel.
static bool number_parts(const wr_mesh *flat, int *rigid)
{
    size_t count = (size_t)flat->vertex_count;
    wri_arena arena = wri_arena_create(NULL);
    int *shell = wri_arena_alloc(&arena, count, sizeof *shell);
    int *root = wri_arena_alloc(&arena, count, sizeof *root);
    wr_box *boxes = wri_arena_alloc(&arena, count, sizeof *boxes);
    int shells = shell && root && boxes ? wr_mesh_find_shells(flat, shell) : -1;
    for (int i = 0; i < shells; i++) {
        root[i] = i;
        boxes[i] = WR_BOX_EMPTY;
    }
    for (int v = 0; shells >= 0 && v < flat->vertex_count; v++) {
        if (rigid[v] >= 0) {
            boxes[shell[v]] = wr_box_add(boxes[shell[v]], flat->positions[v]);
        }
    }
    for (int i = 0; i < shells; i++) {
        for (int k = 0; k < i && boxes[i].min.x <= boxes[i].max.x; k++) {
            wr_vec3 low = wr_max3(boxes[i].min, boxes[k].min);
            wr_vec3 high = wr_min3(boxes[i].max, boxes[k].max);
            if (low.x <= high.x && low.y <= high.y && low.z <= high.z) {
                root[find_root(root, i)] = find_root(root, k);
            }
        }
    }
    for (int v = 0; shells >= 0 && v < flat->vertex_count; v++) {
        rigid[v] = rigid[v] < 0 ? -1 : find_root(root, shell[v]);
    }
    wri_arena_destroy(&arena);
    return shells >= 0;
}

bool wr_crush_find_rigid(const wr_model *model, const wr_mesh *flat, const char *const *words,
                         int word_count, int *rigid, wr_error *error)
{
    if (!WRI_REQUIRE(error, model, flat, rigid)) {
        return false;
    }
    for (int v = 0; v < flat->vertex_count; v++) {
        rigid[v] = -1;
    }
    for (int i = 0; i < word_count; i++) {
        if (!mark_word(model, words[i], rigid)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "nothing is called \"%s\": no node, mesh or look has that in its name",
                            words[i]);
        }
    }
    return number_parts(flat, rigid) || wri_fail_memory(error, 0);
}
