// example_shapes.c: shapes of a model: at a time of a clip, with a morph target.
#include "wrought/example.h"

#include "../base/base.h"
#include "../geometry/affine.h"

#include <stdio.h>
#include <stdlib.h>

enum { LOOKS = 64 }; // looked at, of the keys of a clip

int wr_shape_vertex_count(const wr_model *model)
{
    int64_t count = 0;
    for (int i = 0; i < model->node_count; i++) {
        int mesh = model->nodes[i].mesh;
        count += mesh >= 0 ? model->meshes[mesh].vertex_count : 0;
    }
    return count <= INT32_MAX ? (int)count : INT32_MAX;
}

int wr_clip_find(const wr_model *model, const char *name, wr_error *error)
{
    if (!WRI_REQUIRE(error, model, name)) {
        return -1;
    }
    char text[240];
    for (int i = 0; i < model->clip_count; i++) {
        char number[16];
        snprintf(number, sizeof number, "#%d", i);
        if (strcmp(model->clips[i].name, name) == 0 || strcmp(number, name) == 0) {
            return i;
        }
    }
    size_t count = (size_t)model->clip_count;
    const char **names = wri_alloc(NULL, count, sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        names[i] = model->clips[i].name;
    }
    if (names) {
        wri_fail(error, WR_E_ARGUMENT, "%.100s: there is no clip \"%.80s\"%s", model->name, name,
                 wri_suggest_word(text, sizeof text, name, names, model->clip_count));
    } else {
        wri_fail_memory(error, count * sizeof *names);
    }
    wri_free(NULL, names, count, sizeof *names);
    return -1;
}

// --- a model in a pose ------------------------------------------------------------------------

typedef struct posed {
    const wr_model *model;
    wr_mat34 *world, *joints; // joints: of the largest skin
    float *weights;
} posed;

static bool alloc_posed(posed *p, wri_arena *arena, wr_error *error)
{
    const wr_model *model = p->model;
    int most = 0;
    for (int i = 0; i < model->skin_count; i++) {
        most = model->skins[i].joint_count > most ? model->skins[i].joint_count : most;
    }
    p->world = wri_arena_alloc(arena, (size_t)model->node_count, sizeof *p->world);
    p->joints = wri_arena_alloc(arena, (size_t)most, sizeof *p->joints);
    p->weights = wri_arena_alloc(arena, (size_t)wr_model_weight_count(model), sizeof *p->weights);
    return (p->world && p->joints && p->weights) || wri_fail_memory(error, arena->total);
}

// All meshes, node after node, as wr_model_flatten does it.
static bool write_shape(const posed *p, wr_vec3 *positions, wr_error *error)
{
    const wr_model *model = p->model;
    const float *weights = p->weights;
    for (int i = 0; i < model->node_count; i++) {
        const wr_node *node = &model->nodes[i];
        if (node->mesh < 0) {
            continue;
        }
        const wr_mesh *mesh = &model->meshes[node->mesh];
        bool is_skinned = mesh->influence_count > 0 && node->skin >= 0;
        if (is_skinned) {
            wr_model_skin_matrices(&model->skins[node->skin], p->world, p->joints);
        }
        wr_mesh_deform(mesh, weights, &p->world[i], is_skinned ? p->joints : NULL, positions, NULL);
        int lost = wri_find_lost_vertex(positions, NULL, mesh->vertex_count);
        if (lost >= 0) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "%.100s: node \"%.100s\": vertex %d has no finite place", model->name,
                            node->name, lost);
        }
        positions += mesh->vertex_count;
        weights += mesh->morph_count;
    }
    return true;
}

bool wr_shape_from_clip(const wr_model *model, int clip, double time, wr_vec3 *positions,
                        wr_error *error)
{
    if (!WRI_REQUIRE(error, model, positions)) {
        return false;
    }
    if (clip < -1 || clip >= model->clip_count || !isfinite(time) || time < 0.0) {
        return wri_fail(error, WR_E_ARGUMENT, "%.100s: clip %d of %d at %g s", model->name, clip,
                        model->clip_count, time);
    }
    wri_arena arena = wri_arena_create(NULL);
    posed p = {.model = model};
    bool ok = alloc_posed(&p, &arena, error);
    if (ok) {
        wr_model_pose(model, clip < 0 ? NULL : &model->clips[clip], time, p.world, p.weights);
        ok = write_shape(&p, positions, error);
    }
    wri_arena_destroy(&arena);
    return ok;
}

// --- the keys that differ most
// -------------------------------------------------------------------------

static int compare_times(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// All key times, ascending, each once.
static int list_times(const wr_clip *clip, float **times, wri_arena *arena)
{
    size_t count = 0;
    for (int i = 0; i < clip->track_count; i++) {
        count += (size_t)clip->tracks[i].key_count;
    }
    float *all = *times = wri_arena_alloc(arena, count, sizeof *all);
    if (!all) {
        return -1;
    }
    count = 0;
    for (int i = 0; i < clip->track_count; i++) {
        memcpy(all + count, clip->tracks[i].times, (size_t)clip->tracks[i].key_count * sizeof *all);
        count += (size_t)clip->tracks[i].key_count;
    }
    qsort(all, count, sizeof *all, compare_times);
    int kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || all[i] > all[kept - 1]) {
            all[kept++] = all[i];
        }
    }
    return kept;
}

static double shape_distance(const wr_vec3 *rest, wr_vec3 *positions, int count)
{
    double sum = 0.0;
    wr_shape_align(rest, count, positions);
    for (int i = 0; i < count; i++) {
        double d = (double)wr_distance(rest[i], positions[i]);
        sum += d * d / count;
    }
    return sqrt(sum);
}

typedef struct look {
    double time, distance; // metres: from the nearest of the shapes taken so far
} look;

// Lowers the distances of all looks to that from one more shape.
static bool look_from(const wr_model *model, int clip, const wr_vec3 *from, wr_vec3 *shape,
                      look *looks, int count, wr_error *error)
{
    int vertices = wr_shape_vertex_count(model);
    for (int i = 0; i < count; i++) {
        if (!wr_shape_from_clip(model, clip, looks[i].time, shape, error)) {
            return false;
        }
        looks[i].distance = fmin(looks[i].distance, shape_distance(from, shape, vertices));
    }
    return true;
}

// Of looks that are equally far but for rounding the first.
static int find_farthest(const look *looks, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++) {
        best = looks[i].distance > looks[best].distance * (1.0 + 1e-6) ? i : best;
    }
    return best;
}

int wr_clip_find_moments(const wr_model *model, int clip, int most, double least_share,
                         wr_clip_moment *moments, wr_error *error)
{
    if (!WRI_REQUIRE(error, model, moments)) {
        return -1;
    }
    wri_arena arena = wri_arena_create(NULL);
    size_t vertices = (size_t)wr_shape_vertex_count(model);
    wr_vec3 *from = wri_arena_alloc(&arena, vertices, sizeof *from);
    wr_vec3 *shape = wri_arena_alloc(&arena, vertices, sizeof *shape);
    look looks[LOOKS];
    float *times = NULL;
    int found = list_times(&model->clips[clip], &times, &arena), taken = 0;
    int count = found < LOOKS ? found : LOOKS;
    bool ok = (from && shape && found >= 0) || wri_fail_memory(error, arena.total);
    for (int i = 0; ok && i < count; i++) {
        int key = count == found ? i : (int)((int64_t)i * (found - 1) / (count - 1));
        looks[i] = (look){times[key], INFINITY};
    }
    ok = ok && wr_shape_from_clip(model, -1, 0.0, from, error) &&
         look_from(model, clip, from, shape, looks, count, error);
    while (ok && taken < most && count > 0) {
        const look *next = &looks[find_farthest(looks, count)];
        if (taken > 0 && !(next->distance > least_share * moments[0].distance)) {
            break;
        }
        moments[taken++] = (wr_clip_moment){next->time, next->distance};
        ok = taken == most || (wr_shape_from_clip(model, clip, next->time, from, error) &&
                               look_from(model, clip, from, shape, looks, count, error));
    }
    wri_arena_destroy(&arena);
    return ok ? taken : -1;
}

// --- morph targets ----------------------------------------------------------------------------

// True when morph k of a mesh has this name, or this number.
static bool is_called(const wr_mesh *mesh, int k, const char *name, bool by_number)
{
    char number[16];
    snprintf(number, sizeof number, "#%d", k);
    const char *own = mesh->morphs[k].name;
    return strcmp(by_number ? number : own ? own : "", name) == 0;
}

// True when no morph has this name: it is a number.
static bool is_number(const wr_model *model, const char *name)
{
    for (int m = 0; m < model->mesh_count; m++) {
        for (int k = 0; k < model->meshes[m].morph_count; k++) {
            if (is_called(&model->meshes[m], k, name, false)) {
                return false;
            }
        }
    }
    return true;
}

static bool fail_morph(const wr_model *model, const char *name, wri_arena *arena, wr_error *error)
{
    int count = wr_model_weight_count(model), listed = 0;
    const char **names = wri_arena_alloc(arena, (size_t)count, sizeof *names);
    char text[240];
    for (int i = 0; names && i < model->node_count; i++) {
        const wr_mesh *mesh =
            model->nodes[i].mesh < 0 ? NULL : &model->meshes[model->nodes[i].mesh];
        for (int k = 0; mesh && k < mesh->morph_count; k++) {
            const char *own = mesh->morphs[k].name;
            names[listed] = own && own[0] ? own : wri_arena_printf(arena, "#%d", k);
            listed += names[listed] != NULL;
        }
    }
    return wri_fail(error, WR_E_ARGUMENT, "%.100s: there is no morph target \"%.80s\"%s",
                    model->name, name,
                    wri_suggest_word(text, sizeof text, name, names, names ? listed : 0));
}

bool wr_shape_from_morph(const wr_model *model, const char *name, double weight, wr_vec3 *positions,
                         wr_error *error)
{
    if (!WRI_REQUIRE(error, model, name, positions)) {
        return false;
    }
    wri_arena arena = wri_arena_create(NULL);
    posed p = {.model = model};
    int found = 0;
    bool by_number = is_number(model, name), ok = alloc_posed(&p, &arena, error);
    if (ok) {
        wr_model_pose(model, NULL, 0.0, p.world, p.weights);
    }
    for (int i = 0, first = 0; ok && i < model->node_count; i++) {
        const wr_mesh *mesh =
            model->nodes[i].mesh < 0 ? NULL : &model->meshes[model->nodes[i].mesh];
        for (int k = 0; mesh && k < mesh->morph_count; k++, first++) {
            if (is_called(mesh, k, name, by_number)) {
                p.weights[first] = (float)weight;
                found++;
            }
        }
    }
    ok = ok && (found > 0 || fail_morph(model, name, &arena, error)) &&
         write_shape(&p, positions, error);
    wri_arena_destroy(&arena);
    return ok;
}
