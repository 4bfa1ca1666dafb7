// build_morph.c: the morph targets of a model with their poses and stiffness, as the data that
// bodies of morph are made of.
#include "build.h"
#include "morph.h"

#include "../file/asset.h"

// Where a sentence of the preprocessing belongs, and what it is about.
typedef struct stage {
    wri_builder *b;
    const wri_json *at;
    const char *where;
    wr_error why;
} stage;

// --- bones ------------------------------------------------------------------------------------

// Handles are bones where they hang together, or where there is one alone.
static bool check_bones(stage *s)
{
    const wr_rig *rig = &s->b->asset->rig;
    bool joined = rig->handle_count == 1;
    for (int i = 0; i < rig->handle_count; i++) {
        joined = joined || rig->handles[i].parent >= 0;
    }
    s->at = s->b->recipe->raw.handles ? s->b->recipe->raw.handles : s->at;
    return joined || wri_fail(&s->why, WR_E_FORMAT,
                              "\"morph\" needs bones, but none of the handles has a parent; "
                              "expected \"skin\": true, a \"graph\" with bones, or no \"handles\"");
}

static void find_bones(const wr_rig *rig, wri_morph_bone *bones)
{
    for (int i = 0; i < rig->handle_count; i++) {
        bones[i] =
            (wri_morph_bone){.parent = rig->handles[i].parent, .origin = rig->handles[i].pivot};
    }
    wri_morph_find_tails(rig->rest, rig->vertex_count, rig->weights, rig->handle_count, bones);
}

// --- targets ----------------------------------------------------------------------------------

// The map that takes the bind pose to where a handle moves it.
static wr_pose bone_pose(const wr_handle *handle, const wr_handle_pose *pose)
{
    wr_vec3 at =
        wr_sub(wr_add(handle->pivot, pose->offset), wr_rotate(pose->rotation, handle->pivot));
    return (wr_pose){at, pose->rotation};
}

static bool find_poses(stage *s, const raw_target *raw, const wri_json *json, wr_pose *out)
{
    wri_builder *b = s->b;
    const wr_rig *rig = &b->asset->rig;
    size_t count = (size_t)rig->handle_count;
    s->at = wri_json_find(json, "clip");
    if (!b->joints) {
        return wri_fail(&s->why, WR_E_FORMAT,
                        "\"clip\" means nothing without a skin: the model has none, or "
                        "\"handles\" are not its joints");
    }
    int clip = wr_clip_find(b->source, raw->clip, &s->why);
    if (clip < 0) {
        return false;
    }
    double length = wr_clip_length(&b->source->clips[clip]);
    if (raw->time > length + 1e-4) {
        s->at = wri_json_find(json, "time");
        return wri_fail(&s->why, WR_E_FORMAT, "\"time\" is %s s, the clip ends at %s s",
                        WRI_NUMBER(raw->time, 6), WRI_NUMBER(length, 6));
    }
    wr_handle_pose *poses = wri_arena_alloc(&b->arena, count, sizeof *poses);
    if (!poses) {
        return wri_fail_memory(&s->why, count * sizeof *poses);
    }
    if (!wr_poses_from_clip(b->source, clip, raw->time < 0.0 ? length : raw->time, rig->handles,
                            b->joints->nodes, rig->handle_count, poses, &s->why)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = bone_pose(&rig->handles[i], &poses[i]);
    }
    return true;
}

static bool find_displacements(stage *s, const char *name, wr_vec3 *out)
{
    wri_builder *b = s->b;
    const wr_mesh *mesh = b->asset->model->meshes;
    if (!wr_shape_from_morph(b->source, name, 1.0, out, &s->why)) {
        return false;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        out[i] = wr_sub(out[i], mesh->positions[i]);
    }
    return true;
}

// Multiplies factors by what is painted; nothing is as good as nothing.
static bool add_paint(stage *s, const wri_recipe_paint *paint, float *factors)
{
    const wr_mesh *mesh = s->b->asset->model->meshes;
    const raw_paint *raw = &paint->raw;
    size_t count = (size_t)mesh->vertex_count;
    if (!paint->json) {
        return true;
    }
    float *surface = wri_arena_alloc(&s->b->arena, count, sizeof *surface);
    s->at = paint->json;
    if (!surface) {
        return wri_fail_memory(&s->why, count * sizeof *surface);
    }
    if (!wri_build_surface(s->b, raw, surface, &s->why)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        double factor = raw->from + (double)surface[i] * (raw->to - raw->from);
        factors[i] *= factor > 1e-4 ? (float)factor : 1e-4f;
    }
    return true;
}

static bool find_target(stage *s, const wri_recipe_target *t, wri_morph_target *out)
{
    wri_builder *b = s->b;
    size_t vertices = (size_t)b->asset->model->meshes->vertex_count;
    bool is_rest = strcmp(t->raw.target, "rest") == 0;
    wr_pose *poses = wri_arena_alloc(&b->arena, (size_t)b->asset->rig.handle_count, sizeof *poses);
    wr_vec3 *moved = wri_arena_alloc(&b->arena, is_rest ? 0 : vertices, sizeof *moved);
    float *factors = wri_arena_alloc(&b->arena, vertices, sizeof *factors);
    if (!poses || !moved || !factors) {
        return wri_fail_memory(&s->why, vertices * sizeof *moved);
    }
    for (size_t i = 0; i < vertices; i++) {
        factors[i] = 1.0f;
    }
    s->where = wri_arena_printf(&b->arena, "target \"%s\"", t->raw.target);
    *out = (wri_morph_target){.name = t->raw.target,
                              .displacements = is_rest ? NULL : moved,
                              .displacement_count = (int)vertices,
                              .poses = t->raw.clip ? poses : NULL,
                              .scalars = t->scalars,
                              .stiffness = t->raw.stiffness,
                              .paint = factors,
                              .poisson = (float)t->raw.poisson};
    s->at = is_rest ? t->json : wri_json_find(t->json, "target");
    bool ok = is_rest || find_displacements(s, t->raw.target, moved);
    ok = ok && (!t->raw.clip || find_poses(s, &t->raw, t->json, poses));
    return ok && add_paint(s, &b->recipe->morph_paint, factors) && add_paint(s, &t->paint, factors);
}

// --- the whole --------------------------------------------------------------------------------

static void describe(wri_builder *b, wri_morph_build_desc *desc)
{
    const raw_morph *raw = &b->recipe->morph;
    const wr_rig *rig = &b->asset->rig;
    const wr_mesh *mesh = b->asset->model->meshes;
    desc->node_count = rig->vertex_count;
    desc->nodes = rig->rest;
    desc->tet_count = rig->element_count;
    desc->tets = rig->elements;
    desc->node_weights = rig->weights;
    desc->bone_count = rig->handle_count;
    desc->vertex_count = mesh->vertex_count;
    desc->vertices = mesh->positions;
    desc->rides = rig->rides;
    desc->vertex_weights = b->joints ? b->joints->weights : NULL;
    desc->triangle_count = mesh->triangle_count;
    desc->triangles = mesh->triangles;
    desc->scalar_count = b->recipe->scalar_count;
    desc->scalar_scale = b->recipe->scalar_scales;
    desc->young = raw->stiffness;
    desc->poisson = (float)raw->poisson;
    desc->smoothing = (float)raw->smoothing;
    desc->rounding = (float)raw->rounding;
    desc->mode_count = raw->modes;
    desc->with_cubic = raw->stvk;
    desc->tasks = b->desc.tasks;
    desc->allocator = &b->desc.allocator;
}

static void report(wri_builder *b, const wri_morph_report *r)
{
    wr_morph_build_report *out = &b->report->morph;
    *out = (wr_morph_build_report){.target_count = b->recipe->target_count,
                                   .mode_count = r->mode_count,
                                   .fixed_count = r->fixed_count,
                                   .outside_bones = r->outside_bones,
                                   .turned_count = r->turned_count,
                                   .largest_detail = r->largest_detail};
    for (int i = 0; i < WRI_COUNT(r->seconds); i++) {
        out->seconds += r->seconds[i];
    }
}

static bool keep_scalars(stage *s)
{
    wr_asset *asset = s->b->asset;
    const wr_recipe *r = s->b->recipe;
    asset->scalars = wr_asset_alloc(asset, (size_t)r->scalar_count, sizeof *asset->scalars);
    bool ok = asset->scalars != NULL;
    for (int i = 0; i < r->scalar_count && ok; i++) {
        asset->scalars[i] = wri_asset_text(asset, r->scalars[i]);
        ok = asset->scalars[i] != NULL;
    }
    asset->scalar_count = ok ? r->scalar_count : 0;
    return ok || wri_fail_memory(&s->why, 1);
}

static bool keep(stage *s, const wr_morph_data *data)
{
    wr_asset *asset = s->b->asset;
    size_t size = wr_morph_data_size(data);
    void *bytes = wr_asset_alloc(asset, size, 1);
    if (!bytes) {
        return wri_fail_memory(&s->why, size);
    }
    wr_morph_data_write(data, bytes);
    asset->morph = bytes;
    asset->morph_size = size;
    return keep_scalars(s);
}

static bool build(stage *s)
{
    wri_builder *b = s->b;
    const wr_rig *rig = &b->asset->rig;
    size_t count = (size_t)b->recipe->target_count, bone_count = (size_t)rig->handle_count;
    wri_morph_target *targets = wri_arena_alloc(&b->arena, count, sizeof *targets);
    wri_morph_bone *bones = wri_arena_alloc(&b->arena, bone_count, sizeof *bones);
    if (!targets || !bones) {
        return wri_fail_memory(&s->why, bone_count * sizeof *bones);
    }
    if (!check_bones(s)) {
        return false;
    }
    find_bones(rig, bones);
    for (size_t i = 0; i < count; i++) {
        if (!find_target(s, &b->recipe->targets[i], &targets[i])) {
            return false;
        }
    }
    s->at = b->recipe->raw.morph;
    s->where = "morph";
    wri_stage_progress progress = {b, 0.8, 1.0};
    wri_morph_build_desc desc = wri_morph_build_desc_default();
    describe(b, &desc);
    desc.bones = bones;
    desc.targets = targets;
    desc.target_count = (int)count;
    desc.progress = wri_part_of_progress(&progress);
    wri_morph_report own = {0};
    wr_morph_data *data = wri_morph_build(&desc, &own, &s->why);
    bool ok = data && keep(s, data);
    report(b, &own);
    wr_morph_data_destroy(data);
    return ok;
}

bool wri_build_morph(wri_builder *b)
{
    stage s = {.b = b, .at = b->recipe->raw.morph, .where = "morph"};
    return !b->recipe->raw.morph || build(&s) || wri_build_fail(b, s.at, s.where, &s.why);
}
