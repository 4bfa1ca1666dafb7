// gltf_bend.c: what bends a glTF mesh: joints with weights, and morph targets.
//
// JOINTS_n and WEIGHTS_n of all sets become one list per vertex, in the order and form that
// wri_tidy_influences gives it, as long as the longest needs. Targets keep positions and normals;
// tangents are passed over, as are normals of a mesh that has none.
#include "gltf.h"

#include <stdio.h>

// --- one primitive ----------------------------------------------------------------------------

static bool read_sets(wri_gltf *g, const wri_json *attributes, wri_gltf_bend *out)
{
    int accessors = g->accessors ? g->accessors->count : 0;
    for (int i = 0; i <= WRI_GLTF_SETS; i++) {
        char joints[16], weights[16];
        snprintf(joints, sizeof joints, "JOINTS_%d", i);
        snprintf(weights, sizeof weights, "WEIGHTS_%d", i);
        const wri_json *one = wri_json_find(attributes, joints);
        const wri_json *other = wri_json_find(attributes, weights);
        if (!one && !other) {
            break;
        }
        if (!one || !other) {
            return wri_gltf_fail(g, attributes, WR_E_FORMAT, "%s without %s",
                                 one ? joints : weights, one ? weights : joints);
        }
        if (i == WRI_GLTF_SETS) {
            return wri_gltf_fail(g, one, WR_E_UNSUPPORTED, "more than %d joints per vertex",
                                 4 * WRI_GLTF_SETS);
        }
        if (!wri_gltf_as_index(g, one, accessors, &out->joints[i]) ||
            !wri_gltf_as_index(g, other, accessors, &out->weights[i])) {
            return false;
        }
        out->set_count++;
    }
    return true;
}

static bool read_targets(wri_gltf *g, const wri_json *targets, wri_gltf_bend *out)
{
    int accessors = g->accessors ? g->accessors->count : 0;
    out->target_count = targets->count;
    out->targets = wri_arena_alloc(&g->arena, (size_t)targets->count, sizeof *out->targets);
    if (!out->targets) {
        return wri_fail_memory(g->error, (size_t)targets->count * sizeof *out->targets);
    }
    for (int i = 0; i < targets->count; i++) {
        const wri_json *target = &targets->items[i];
        out->targets[i][0] = out->targets[i][1] = -1;
        if (target->type != WRI_JSON_OBJECT) {
            return wri_gltf_fail(g, target, WR_E_FORMAT,
                                 "morph target %d is %s, expected an object", i,
                                 wri_json_type_name(target->type));
        }
        if (!wri_gltf_index(g, target, "POSITION", accessors, &out->targets[i][0]) ||
            !wri_gltf_index(g, target, "NORMAL", accessors, &out->targets[i][1])) {
            return false;
        }
    }
    return true;
}

bool wri_gltf_read_bend(wri_gltf *g, const wri_json *primitive, wri_gltf_bend *out)
{
    const wri_json *attributes = NULL, *targets = NULL;
    *out = (wri_gltf_bend){0};
    return wri_gltf_object(g, primitive, "attributes", &attributes) &&
           wri_gltf_array(g, primitive, "targets", &targets) && read_sets(g, attributes, out) &&
           (!targets || read_targets(g, targets, out));
}

bool wri_gltf_same_bend(const wri_gltf_bend *a, const wri_gltf_bend *b)
{
    size_t sets = (size_t)a->set_count, targets = (size_t)a->target_count;
    return a->set_count == b->set_count && a->target_count == b->target_count &&
           memcmp(a->joints, b->joints, sets * sizeof *a->joints) == 0 &&
           memcmp(a->weights, b->weights, sets * sizeof *a->weights) == 0 &&
           (targets == 0 || memcmp(a->targets, b->targets, targets * sizeof *a->targets) == 0);
}

// --- meeting the primitives -------------------------------------------------------------------

static bool begin(wri_gltf_bender *b, const wri_gltf_bend *bend)
{
    wri_arena *arena = &b->g->arena;
    size_t count = (size_t)bend->target_count;
    b->set_count = bend->set_count;
    b->offsets = wri_arena_alloc(arena, count, 2 * sizeof *b->offsets);
    b->has_normals = wri_arena_alloc(arena, count, sizeof *b->has_normals);
    if (!b->offsets || !b->has_normals) {
        return wri_fail_memory(b->g->error, count * sizeof *b->offsets);
    }
    for (size_t i = 0; i < 2 * count; i++) {
        b->offsets[i] = wri_array_create(&arena->allocator, sizeof(wr_vec3));
    }
    b->influences = wri_array_create(&arena->allocator, sizeof(wri_gltf_influence));
    b->target_count = bend->target_count;
    b->begun = true;
    return true;
}

bool wri_gltf_bender_meet(wri_gltf_bender *b, const wri_json *primitive, const wri_gltf_bend *bend)
{
    if (!b->begun && !begin(b, bend)) {
        return false;
    }
    if (bend->target_count != b->target_count) {
        return wri_gltf_fail(b->g, primitive, WR_E_FORMAT,
                             "the primitive has %d morph targets, others of its mesh have %d",
                             bend->target_count, b->target_count);
    }
    if ((bend->set_count == 0) != (b->set_count == 0)) {
        return wri_gltf_fail(b->g, primitive, WR_E_FORMAT,
                             "only some primitives of the mesh have joints");
    }
    b->set_count = bend->set_count > b->set_count ? bend->set_count : b->set_count;
    for (int i = 0; i < b->target_count; i++) {
        b->has_normals[i] = b->has_normals[i] || bend->targets[i][1] >= 0;
    }
    return true;
}

void wri_gltf_bender_destroy(wri_gltf_bender *b)
{
    for (int i = 0; b->begun && i < 2 * b->target_count; i++) {
        wri_array_destroy(&b->offsets[i]);
    }
    if (b->begun) {
        wri_array_destroy(&b->influences);
    }
}

// --- vertices ---------------------------------------------------------------------------------

// The floats of an accessor with this many numbers for each vertex; wri_free them. NULL on failure.
// what, which: name and number of what they are.
static float *load(wri_gltf *g, const wri_json *primitive, const char *what, int which, int index,
                   int components, int vertices)
{
    wri_gltf_accessor a;
    if (!wri_gltf_open_accessor(g, index, &a)) {
        return NULL;
    }
    if (a.components != components || a.count != vertices) {
        wri_gltf_fail(g, primitive, WR_E_FORMAT,
                      "%s %d: accessor %d has %d elements of %d numbers, expected %d of %d, one "
                      "per vertex",
                      what, which, index, a.count, a.components, vertices, components);
        return NULL;
    }
    size_t count = (size_t)vertices * (size_t)components;
    float *values = wri_alloc(&g->arena.allocator, count, sizeof *values);
    if (!values) {
        wri_fail_memory(g->error, count * sizeof *values);
        return NULL;
    }
    if (!wri_gltf_read_floats(g, &a, values)) {
        wri_free(&g->arena.allocator, values, count, sizeof *values);
        return NULL;
    }
    return values;
}

static void unload(wri_gltf *g, float *values, int components, int vertices)
{
    if (values) {
        wri_free(&g->arena.allocator, values, (size_t)vertices * (size_t)components,
                 sizeof *values);
    }
}

// Weights a little below zero come from rounding.
static bool store_set(wri_gltf *g, const wri_json *primitive, const float *joints,
                      const float *weights, const int *remap, int vertices, size_t row,
                      wri_gltf_influence *out)
{
    for (int i = 0; i < vertices; i++) {
        for (size_t k = 0; k < 4 && remap[i] >= 0; k++) {
            float joint = joints[4 * (size_t)i + k], weight = weights[4 * (size_t)i + k];
            if (!(weight >= -1e-4f) || !isfinite(weight)) {
                return wri_gltf_fail(g, primitive, WR_E_FORMAT, "vertex %d has the weight %g", i,
                                     (double)weight);
            }
            out[(size_t)remap[i] * row + k] =
                (wri_gltf_influence){(int)joint, weight > 0.0f ? weight : 0.0f};
        }
    }
    return true;
}

static bool is_kind_of_joint(wri_gltf *g, int index)
{
    uint64_t type = 0;
    const wri_json *json = &g->accessors->items[index];
    return wri_gltf_integer(g, json, "componentType", 10000, &type) &&
           (type == 5121 || type == 5123 ||
            wri_gltf_fail(g, json, WR_E_FORMAT,
                          "accessor %d holds joints with componentType %d, expected 5121 or 5123",
                          index, (int)type));
}

static bool add_influences(wri_gltf_bender *b, const wri_json *primitive, const wri_gltf_bend *bend,
                           const int *remap, int vertices, int kept)
{
    size_t row = 4 * (size_t)b->set_count;
    if (!wri_gltf_keep(b->g, primitive, kept, row * sizeof(wri_gltf_influence))) {
        return false;
    }
    bool fits = (size_t)kept <= INT32_MAX / row;
    wri_gltf_influence *out = fits ? wri_array_add(&b->influences, kept * (int)row) : NULL;
    if (!out) {
        return wri_fail_memory(b->g->error, row * (size_t)kept * sizeof *out);
    }
    bool ok = true;
    for (int i = 0; i < bend->set_count && ok; i++) {
        float *joints =
            is_kind_of_joint(b->g, bend->joints[i])
                ? load(b->g, primitive, "set of joints", i, bend->joints[i], 4, vertices)
                : NULL;
        float *weights =
            joints ? load(b->g, primitive, "set of weights", i, bend->weights[i], 4, vertices)
                   : NULL;
        ok = weights &&
             store_set(b->g, primitive, joints, weights, remap, vertices, row, out + 4 * (size_t)i);
        unload(b->g, joints, 4, vertices);
        unload(b->g, weights, 4, vertices);
    }
    return ok;
}

static bool add_offsets(wri_gltf_bender *b, const wri_json *primitive, int target, int accessor,
                        const int *remap, int vertices, int kept, wri_array *array)
{
    if (!wri_gltf_keep(b->g, primitive, kept, sizeof(wr_vec3))) {
        return false;
    }
    wr_vec3 *out = wri_array_add(array, kept);
    if (!out) {
        return wri_fail_memory(b->g->error, (size_t)kept * sizeof *out);
    }
    if (accessor < 0) {
        return wri_gltf_count_work(b->g, primitive, kept);
    }
    float *values = load(b->g, primitive, "morph target", target, accessor, 3, vertices);
    for (int i = 0; i < vertices && values; i++) {
        if (remap[i] >= 0) {
            const float *v = &values[3 * (size_t)i];
            out[remap[i]] = wr_v3(v[0], v[1], v[2]);
        }
    }
    unload(b->g, values, 3, vertices);
    return values != NULL;
}

bool wri_gltf_bender_add(wri_gltf_bender *b, const wri_json *primitive, const wri_gltf_bend *bend,
                         const int *remap, int vertices, int kept)
{
    if (b->set_count > 0 && !add_influences(b, primitive, bend, remap, vertices, kept)) {
        return false;
    }
    for (int i = 0; i < b->target_count; i++) {
        for (int k = 0; k < (b->has_normals[i] ? 2 : 1); k++) {
            if (!add_offsets(b, primitive, i, bend->targets[i][k], remap, vertices, kept,
                             &b->offsets[2 * i + k])) {
                return false;
            }
        }
    }
    return true;
}

// --- the mesh ---------------------------------------------------------------------------------

// Tidies every vertex; returns how many joints the one with the most has.
static int tidy(wri_gltf_influence *influences, int vertices, int row)
{
    int most = 1;
    for (int i = 0; i < vertices; i++) {
        wri_gltf_influence *first = influences + (size_t)i * (size_t)row;
        int joints[4 * WRI_GLTF_SETS];
        float weights[4 * WRI_GLTF_SETS];
        for (int k = 0; k < row; k++) {
            joints[k] = first[k].joint;
            weights[k] = first[k].weight;
        }
        wri_tidy_influences(row, joints, weights);
        for (int k = 0; k < row; k++) {
            first[k] = (wri_gltf_influence){joints[k], weights[k]};
            most = weights[k] > 0.0f && k >= most ? k + 1 : most;
        }
    }
    return most;
}

static bool has_weights(const wri_gltf_influence *influences, size_t count)
{
    bool has = false;
    for (size_t i = 0; i < count && !has; i++) {
        has = influences[i].weight > 0.0f;
    }
    return has;
}

// Weights that are 0 everywhere are none.
static bool finish_influences(wri_gltf_bender *b, wr_mesh *mesh)
{
    int row = 4 * b->set_count;
    wri_gltf_influence *all = b->influences.items;
    if (!has_weights(all, (size_t)mesh->vertex_count * (size_t)row)) {
        return true;
    }
    mesh->influence_count = tidy(all, mesh->vertex_count, row);
    size_t kept = (size_t)mesh->influence_count, count = (size_t)mesh->vertex_count * kept;
    mesh->joints = wr_model_alloc(b->g->model, count, sizeof *mesh->joints);
    mesh->weights = wr_model_alloc(b->g->model, count, sizeof *mesh->weights);
    if (!mesh->joints || !mesh->weights) {
        return wri_fail_memory(b->g->error, count * sizeof *mesh->weights);
    }
    for (size_t i = 0; i < count; i++) {
        const wri_gltf_influence *from = &all[i / kept * (size_t)row + i % kept];
        mesh->joints[i] = from->joint;
        mesh->weights[i] = from->weight;
    }
    return true;
}

static wr_vec3 *keep(wri_gltf_bender *b, const wri_array *array)
{
    size_t count = (size_t)array->count;
    wr_vec3 *copy = wr_model_alloc(b->g->model, count, sizeof *copy);
    if (!copy) {
        wri_fail_memory(b->g->error, count * sizeof *copy);
        return NULL;
    }
    return count ? memcpy(copy, array->items, count * sizeof *copy) : copy;
}

static bool finish_morphs(wri_gltf_bender *b, const wri_json *json, wr_mesh *mesh)
{
    size_t count = (size_t)b->target_count;
    const wri_json *names = wri_json_find(wri_json_find(json, "extras"), "targetNames");
    mesh->morphs = wr_model_alloc(b->g->model, count, sizeof *mesh->morphs);
    float *weights = wri_arena_alloc(&b->g->arena, count, sizeof *weights);
    if (!mesh->morphs || !weights) {
        return wri_fail_memory(b->g->error, count * sizeof *mesh->morphs);
    }
    if (!wri_gltf_floats(b->g, json, "weights", b->target_count, weights)) {
        return false;
    }
    mesh->morph_count = b->target_count;
    for (int i = 0; i < b->target_count; i++) {
        wr_morph *morph = &mesh->morphs[i];
        bool named = names && names->type == WRI_JSON_ARRAY && i < names->count &&
                     names->items[i].type == WRI_JSON_STRING;
        bool normals = b->has_normals[i] && mesh->normals;
        morph->weight = weights[i];
        morph->name = wri_gltf_copy_text(b->g, named ? names->items[i].string : "");
        morph->positions = keep(b, &b->offsets[2 * i]);
        morph->normals = normals ? keep(b, &b->offsets[2 * i + 1]) : NULL;
        if (!morph->name || !morph->positions || (normals && !morph->normals)) {
            return false;
        }
    }
    return true;
}

bool wri_gltf_bender_finish(wri_gltf_bender *b, const wri_json *json, wr_mesh *mesh)
{
    return (b->set_count == 0 || finish_influences(b, mesh)) &&
           (b->target_count == 0 || finish_morphs(b, json, mesh));
}
