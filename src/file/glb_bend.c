// glb_bend.c: joints, morph targets and skins as glTF has them.
//
// Joints come in sets of four with weights, largest first, in the form of wri_tidy_influences,
// which the Khronos validator accepts. Morph targets that change normals need a mesh that has some.
#include "glb_pack.h"

#include <stdio.h>

// --- joints -----------------------------------------------------------------------------------

typedef struct influences { // rows of 4 * set_count, tidy
    int set_count, last_joint;
    int *joints;
    float *weights;
} influences;

static void copy_vertex(const wr_mesh *mesh, int vertex, influences *all)
{
    size_t n = (size_t)mesh->influence_count, row = 4 * (size_t)all->set_count;
    int *joints = all->joints + (size_t)vertex * row;
    float *weights = all->weights + (size_t)vertex * row;
    memcpy(joints, mesh->joints + (size_t)vertex * n, n * sizeof *joints);
    memcpy(weights, mesh->weights + (size_t)vertex * n, n * sizeof *weights);
    wri_tidy_influences((int)row, joints, weights);
    for (size_t i = 0; i < row; i++) {
        all->last_joint = joints[i] > all->last_joint ? joints[i] : all->last_joint;
    }
}

static bool add_set(wri_glb *glb, const influences *all, int vertices, int set, wri_glb_bend *out)
{
    size_t count = (size_t)vertices, row = 4 * (size_t)all->set_count;
    int *joints = wri_alloc(NULL, count, 4 * sizeof *joints);
    float *weights = wri_alloc(NULL, count, 4 * sizeof *weights);
    for (size_t i = 0; i < 4 * count && joints && weights; i++) {
        size_t from = i / 4 * row + 4 * (size_t)set + i % 4;
        joints[i] = all->joints[from];
        weights[i] = all->weights[from];
    }
    bool ok = joints && weights;
    if (ok) {
        out->sets[set][0] = wri_glb_add_joints(glb, joints, vertices, all->last_joint);
        out->sets[set][1] = wri_glb_add_weights(glb, weights, vertices);
        ok = out->sets[set][0] >= 0 && out->sets[set][1] >= 0;
    }
    if (joints) {
        wri_free(NULL, joints, count, 4 * sizeof *joints);
    }
    if (weights) {
        wri_free(NULL, weights, count, 4 * sizeof *weights);
    }
    return ok || wri_glb_fail_memory(glb);
}

static bool add_sets(wri_glb *glb, const wr_mesh *mesh, influences *all, wri_glb_bend *out)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        copy_vertex(mesh, i, all);
    }
    if (all->last_joint > UINT16_MAX) {
        return wri_fail(glb->error, WR_E_UNSUPPORTED, "%s: joint %d, glTF has at most %d",
                        glb->path, all->last_joint, UINT16_MAX);
    }
    out->set_count = all->set_count;
    out->sets = wri_arena_alloc(&glb->arena, (size_t)all->set_count, sizeof *out->sets);
    if (!out->sets) {
        return wri_glb_fail_memory(glb);
    }
    for (int i = 0; i < all->set_count; i++) {
        if (!add_set(glb, all, mesh->vertex_count, i, out)) {
            return false;
        }
    }
    return true;
}

static bool add_influences(wri_glb *glb, const wr_mesh *mesh, wri_glb_bend *out)
{
    influences all = {.set_count = mesh->influence_count / 4 + (mesh->influence_count % 4 > 0)};
    size_t count = 4 * (size_t)all.set_count, vertices = (size_t)mesh->vertex_count;
    all.joints = wri_alloc(NULL, vertices, count * sizeof *all.joints);
    all.weights = wri_alloc(NULL, vertices, count * sizeof *all.weights);
    bool ok = all.joints && all.weights ? add_sets(glb, mesh, &all, out) : wri_glb_fail_memory(glb);
    if (all.joints) {
        wri_free(NULL, all.joints, vertices, count * sizeof *all.joints);
    }
    if (all.weights) {
        wri_free(NULL, all.weights, vertices, count * sizeof *all.weights);
    }
    return ok;
}

// --- morph targets ----------------------------------------------------------------------------

// Many targets add up: their steps are smaller than that of the positions.
static bool add_morphs(wri_glb *glb, const wr_mesh *mesh, float step, wri_glb_bend *out)
{
    int n = mesh->vertex_count;
    float morph_step = step / 4.0f, normal_step = 0x1p-10f;
    out->morph_count = mesh->morph_count;
    out->morphs = wri_arena_alloc(&glb->arena, (size_t)mesh->morph_count, sizeof *out->morphs);
    bool ok = out->morphs != NULL;
    for (int i = 0; i < mesh->morph_count && ok; i++) {
        const wr_morph *morph = &mesh->morphs[i];
        bool normals = mesh->normals && morph->normals;
        int *added = out->morphs[i];
        const wri_glb_floats places = {&morph->positions->x, n,   3, WRI_GLB_VERTICES, true,
                                       morph_step,           true};
        added[0] = wri_glb_add_floats(glb, places);
        added[1] = normals ? wri_glb_add_floats(glb, (wri_glb_floats){&morph->normals->x, n, 3,
                                                                      WRI_GLB_VERTICES, false,
                                                                      normal_step, true})
                           : -1;
        int *listed = wri_array_add(&glb->targets, 1);
        ok = added[0] >= 0 && (added[1] >= 0 || !normals) && listed;
        if (ok) {
            *listed = added[0];
        }
    }
    return ok || wri_glb_fail_memory(glb);
}

bool wri_glb_add_bend(wri_glb *glb, const wr_mesh *mesh, bool skinned, float step,
                      wri_glb_bend *out)
{
    *out = (wri_glb_bend){0};
    return (!skinned || mesh->influence_count == 0 || add_influences(glb, mesh, out)) &&
           add_morphs(glb, mesh, step, out);
}

// --- JSON -------------------------------------------------------------------------------------

void wri_glb_write_sets(wri_glb *glb, const wri_glb_bend *bend)
{
    for (int i = 0; i < bend->set_count; i++) {
        char key[24];
        snprintf(key, sizeof key, "JOINTS_%d", i);
        wri_json_write_int(&glb->json, key, bend->sets[i][0]);
        snprintf(key, sizeof key, "WEIGHTS_%d", i);
        wri_json_write_int(&glb->json, key, bend->sets[i][1]);
    }
}

void wri_glb_write_targets(wri_glb *glb, const wri_glb_bend *bend)
{
    if (bend->morph_count == 0) {
        return;
    }
    wri_json_begin_array(&glb->json, "targets");
    for (int i = 0; i < bend->morph_count; i++) {
        wri_json_begin_object(&glb->json, NULL);
        wri_json_write_int(&glb->json, "POSITION", bend->morphs[i][0]);
        if (bend->morphs[i][1] >= 0) {
            wri_json_write_int(&glb->json, "NORMAL", bend->morphs[i][1]);
        }
        wri_json_end_object(&glb->json);
    }
    wri_json_end_array(&glb->json);
}

void wri_glb_write_morphs(wri_glb *glb, const wr_mesh *mesh)
{
    wri_json_writer *json = &glb->json;
    bool named = false;
    if (mesh->morph_count == 0) {
        return;
    }
    wri_json_begin_array(json, "weights");
    for (int i = 0; i < mesh->morph_count; i++) {
        wri_json_write_float(json, NULL, mesh->morphs[i].weight);
        named = named || (mesh->morphs[i].name && *mesh->morphs[i].name);
    }
    wri_json_end_array(json);
    if (named) { // every program looks for them there, though no standard says so
        wri_json_begin_object(json, "extras");
        wri_json_begin_array(json, "targetNames");
        for (int i = 0; i < mesh->morph_count; i++) {
            const char *name = mesh->morphs[i].name;
            wri_json_write_string(json, NULL, name ? name : "");
        }
        wri_json_end_array(json);
        wri_json_end_object(json);
    }
}

static bool write_skin(wri_glb *glb, const wr_model_skin *skin)
{
    wri_json_writer *json = &glb->json;
    int matrices = wri_glb_add_matrices(glb, skin->inverse_bind, skin->joint_count);
    if (matrices < 0) {
        return wri_glb_fail_memory(glb);
    }
    wri_json_begin_object(json, NULL);
    wri_glb_write_name(glb, skin->name);
    wri_json_write_int(json, "inverseBindMatrices", matrices);
    wri_json_begin_array(json, "joints");
    for (int i = 0; i < skin->joint_count; i++) {
        wri_json_write_int(json, NULL, skin->joints[i]);
    }
    wri_json_end_array(json);
    wri_json_end_object(json);
    return true;
}

bool wri_glb_write_skins(wri_glb *glb, const wr_model *model, const int *map)
{
    bool open = false;
    for (int i = 0; i < model->skin_count; i++) {
        if (map[i] < 0) {
            continue;
        }
        if (!open) {
            wri_json_begin_array(&glb->json, "skins");
            open = true;
        }
        if (!write_skin(glb, &model->skins[i])) {
            return false;
        }
    }
    if (open) {
        wri_json_end_array(&glb->json);
    }
    return true;
}
