// skeleton.c: the skeleton of a body whose material follows poses: the joints of its model's skin,
// the handles of its asset, or, for a body that is taken along a path, one that carries all of it.
#include "wrought/example.h"

#include "../author/build.h"
#include "scene.h"

typedef struct finder {
    wri_reader *reader;
    const wri_json *json; // the body
    wri_asset *asset;
    wr_skeleton *out;
} finder;

// --- the skin of a model ----------------------------------------------------------------------

static bool has_skin(const wr_model *model, bool *has_weights, int *node)
{
    bool found = false;
    *has_weights = true;
    for (int i = 0; i < model->node_count; i++) {
        if (model->nodes[i].mesh >= 0 && model->nodes[i].skin >= 0) {
            bool weighs = model->meshes[model->nodes[i].mesh].influence_count > 0;
            *node = weighs ? *node : i;
            *has_weights = *has_weights && weighs;
            found = true;
        }
    }
    return found;
}

static int top_of(const wr_model *model, int node)
{
    while (model->nodes[node].parent >= 0) {
        node = model->nodes[node].parent;
    }
    return node;
}

// The clip's own name, or its number; a number behind it where another clip has it.
static const char *name_clip(const finder *f, const char *own, int clip)
{
    wri_arena *arena = f->reader->arena;
    const char *base = own && own[0] ? own : wri_arena_printf(arena, "#%d", clip), *name = base;
    for (int i = 0, number = 2; name && i < f->out->clip_count; i++) {
        if (strcmp(f->out->clips[i].name, name) == 0) {
            name = wri_arena_printf(arena, "%s %d", base, number++);
            i = -1; // once more from the beginning
        }
    }
    return name;
}

// A clip that cannot be had is a warning.
static bool add_clips(const finder *f)
{
    const wr_model *model = f->asset->source;
    wri_arena *arena = f->reader->arena;
    wr_rig_clip *clips = wri_arena_alloc(arena, (size_t)model->clip_count, sizeof *clips);
    wr_box box = wr_mesh_bounds(f->asset->flat->meshes);
    f->out->clips = clips;
    bool ok = clips || wri_fail_memory(f->reader->error, sizeof *clips);
    for (int i = 0; ok && i < model->clip_count; i++) {
        wr_error why = {0};
        wr_rig_clip *clip = &clips[f->out->clip_count];
        if (wri_clip_import(model, i, f->asset->joints, (double)wr_distance(box.min, box.max),
                            arena, clip, &why)) {
            clip->name = name_clip(f, model->clips[i].name, i);
            f->out->clip_count += clip->name != NULL;
            ok = clip->name || wri_fail_memory(f->reader->error, 1);
        } else {
            ok = wri_scene_warn(
                f->reader, wri_arena_printf(arena, "%s: the clip \"%s\" is left out: %s",
                                            f->asset->path, model->clips[i].name, why.message));
        }
    }
    return ok;
}

// A joint of no size, whose skin is squashed to nothing, cannot be a bone.
static bool check_extents(const finder *f, const wr_skin_handles *joints)
{
    size_t count = (size_t)joints->handle_count;
    wr_handle_pose *poses = wri_arena_alloc(f->reader->arena, count, sizeof *poses);
    wr_error why = {0};
    if (!poses) {
        return wri_fail_memory(f->reader->error, count * sizeof *poses);
    }
    return wr_poses_from_clip(f->asset->source, -1, 0.0, joints->handles, joints->nodes,
                              joints->handle_count, poses, &why) ||
           wri_fail_inner(f->reader, f->json, &why);
}

static bool find_in_skin(const finder *f)
{
    const wr_model *model = f->asset->source;
    wr_error why = {0};
    wr_skin_handles *joints = wr_handles_from_skin(model, &f->reader->arena->allocator, &why);
    f->asset->joints = joints;
    if (!joints) {
        return wri_fail_inner(f->reader, f->json, &why);
    }
    if (!check_extents(f, joints)) {
        return false;
    }
    int *trees = wri_arena_alloc(f->reader->arena, (size_t)joints->handle_count, sizeof *trees);
    for (int i = 0; trees && i < joints->handle_count; i++) {
        trees[i] = top_of(model, joints->nodes[i]);
    }
    WR_ASSERT(joints->vertex_count == f->asset->flat->meshes->vertex_count);
    *f->out = (wr_skeleton){.handle_count = joints->handle_count,
                            .handles = joints->handles,
                            .trees = trees,
                            .vertex_count = joints->vertex_count,
                            .weights = joints->weights};
    return (trees || wri_fail_memory(f->reader->error, 1)) && add_clips(f);
}

// --- the handles of an asset ------------------------------------------------------------------

// Handles are a skeleton where some have parents.
static bool has_bones(const wr_rig *rig)
{
    bool has = rig->dimension == 3 && rig->handle_count == 1;
    for (int i = 0; i < rig->handle_count; i++) {
        has = has || (rig->dimension == 3 && rig->handles[i].parent >= 0);
    }
    return has;
}

// Vertices of the render mesh have the weights of the element that they ride on.
static bool find_in_rig(const finder *f)
{
    const wr_rig *rig = &f->asset->rigged->rig;
    size_t count = (size_t)rig->ride_count, handles = (size_t)rig->handle_count;
    float *weights = wri_arena_alloc(f->reader->arena, count * handles, sizeof *weights);
    if (!weights) {
        return wri_fail_memory(f->reader->error, count * handles * sizeof *weights);
    }
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 4; k++) {
            size_t corner = (size_t)rig->elements[4 * rig->rides[i].element + k];
            for (size_t b = 0; b < handles; b++) {
                weights[i * handles + b] +=
                    rig->rides[i].weights[k] * rig->weights[corner * handles + b];
            }
        }
    }
    *f->out = (wr_skeleton){.handle_count = rig->handle_count,
                            .handles = rig->handles,
                            .vertex_count = rig->ride_count,
                            .weights = weights,
                            .clip_count = f->asset->rigged->clip_count,
                            .clips = f->asset->rigged->clips};
    return true;
}

// --- the whole --------------------------------------------------------------------------------

// One that carries all.
static void find_core(const finder *f)
{
    static const wr_handle core = {.name = "core", .parent = -1, .vertex = -1};
    *f->out = (wr_skeleton){.handle_count = 1, .handles = &core};
}

// Leaves the skeleton empty where there is none.
static bool find_in_asset(const finder *f)
{
    const wr_model *model = f->asset->source;
    bool has_weights = true;
    int node = 0;
    if (f->asset->rigged) {
        return !has_bones(&f->asset->rigged->rig) || find_in_rig(f);
    }
    if (!has_skin(model, &has_weights, &node)) {
        return true;
    }
    const char *name = model->nodes[node].name;
    return has_weights ? find_in_skin(f)
                       : wri_fail_at(f->reader, f->json,
                                     "%s: node %d, \"%s\", has a skin, but its mesh has no weights",
                                     f->asset->path, node, name ? name : "");
}

bool wri_find_skeleton(wri_reader *reader, const wri_json *json, const wri_asset *asset,
                       bool has_path, wr_scene_body *body)
{
    const wri_scene_context *c = reader->context;
    if (!body->material || !body->material->follows_pose) {
        return true;
    }
    wri_asset *own = asset ? &c->owner->assets[asset - c->owner->assets] : NULL;
    body->skeleton = own ? own->skeleton : NULL;
    wr_skeleton *out = wri_arena_alloc(reader->arena, 1, sizeof *out);
    const finder f = {reader, json, own, out};
    if (body->skeleton || !out) {
        return out || wri_fail_memory(reader->error, sizeof *out);
    }
    if (own && !find_in_asset(&f)) {
        return false;
    }
    if (out->handle_count > 0) {
        own->skeleton = body->skeleton = out;
    } else if (has_path && !body->asset) {
        find_core(&f);
        body->skeleton = out;
    }
    return true;
}
