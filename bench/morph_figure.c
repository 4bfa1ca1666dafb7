// morph_figure.c: the figures of the gallery, for measurements of morph.
#include "morph_bench.h"

#include "wrought/recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool morph_body_finish(morph_body *body, wr_error *error)
{
    const wr_morph_data *d = body->data;
    for (int i = 0; i < d->node_count; i++) {
        body->free_count += !d->fixed[i];
    }
    body->poses = calloc((size_t)(MORPH_BENCH_POSES * d->bone_count), sizeof *body->poses);
    return body->poses || wri_fail_memory(error, 0);
}

void morph_body_destroy(morph_body *body)
{
    wr_morph_data_destroy(body->data);
    free(body->poses);
    *body = (morph_body){0};
}

static const wr_rig_clip *find_clip(const wr_asset *asset, const char *name, wr_error *error)
{
    for (int i = 0; i < asset->clip_count; i++) {
        if (strcmp(asset->clips[i].name, name) == 0) {
            return &asset->clips[i];
        }
    }
    wri_fail(error, WR_E_FORMAT, "morph: the asset has no clip \"%s\"", name);
    return NULL;
}

// The map from the bind pose to where a handle is.
static wr_pose find_pose(const wr_handle *handle, const wr_handle_pose *pose)
{
    wr_vec3 at = wr_add(handle->pivot, pose->offset);
    return (wr_pose){wr_sub(at, wr_rotate(pose->rotation, handle->pivot)), pose->rotation};
}

static bool play(morph_body *out, const wr_asset *asset, const wr_rig_clip *clip, wr_error *error)
{
    int bones = out->data->bone_count;
    wr_handle_pose *moved = calloc((size_t)bones, sizeof *moved);
    for (int i = 0; moved && i < MORPH_BENCH_POSES; i++) {
        double there = 0.5 - 0.5 * cos(2.0 * 3.14159265 * i / MORPH_BENCH_POSES);
        wr_rig_clip_poses(clip, asset->rig.handles, bones, there * clip->length, false, moved);
        for (int k = 0; k < bones; k++) {
            out->poses[i * bones + k] = find_pose(&asset->rig.handles[k], &moved[k]);
        }
    }
    bool ok = moved != NULL;
    free(moved);
    return ok || wri_fail_memory(error, 0);
}

bool morph_figure_create(morph_body *out, const char *recipe, const char *clip, wr_error *error)
{
    wr_build_desc desc = wr_build_desc_default();
    wr_recipe *read = wr_recipe_read(recipe, NULL, error);
    wr_asset *asset = read ? wr_recipe_build(read, &desc, NULL, error) : NULL;
    const wr_rig_clip *played = asset ? find_clip(asset, clip, error) : NULL;
    *out = (morph_body){0};
    out->data = played ? wr_morph_data_read(asset->morph, asset->morph_size, NULL, error) : NULL;
    bool ok = out->data && morph_body_finish(out, error) && play(out, asset, played, error);
    if (!ok) {
        morph_body_destroy(out);
    }
    wr_asset_destroy(asset);
    wr_recipe_destroy(read);
    return ok;
}
