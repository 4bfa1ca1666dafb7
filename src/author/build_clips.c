// build_clips.c: the clips that an asset keeps: those of the model whose joints its handles are.
#include "build.h"

#include "../file/asset.h"

// The clip's own name, or its number; a number behind it where another clip has it.
static const char *make_name(wr_asset *asset, const wr_model *model, int clip)
{
    wri_arena *arena = wri_asset_arena(asset);
    const char *own = model->clips[clip].name;
    const char *base = own && own[0] ? own : wri_arena_printf(arena, "#%d", clip), *name = base;
    for (int i = 0, number = 2; name && i < asset->clip_count; i++) {
        if (strcmp(asset->clips[i].name, name) == 0) {
            name = wri_arena_printf(arena, "%s %d", base, number++);
            i = -1; // once more from the beginning
        }
    }
    return name ? wri_arena_text(arena, name, strlen(name)) : NULL;
}

static bool add_clip(wri_builder *b, int clip, wr_error *why)
{
    wr_asset *asset = b->asset;
    wr_rig_clip *out = &asset->clips[asset->clip_count];
    wr_box box = wr_mesh_bounds(asset->model->meshes);
    if (!wri_clip_import(b->source, clip, b->joints, (double)wr_distance(box.min, box.max),
                         wri_asset_arena(asset), out, why)) {
        return false;
    }
    out->name = make_name(asset, b->source, clip);
    asset->clip_count += out->name != NULL;
    return out->name || wri_fail_memory(why, 1);
}

// All of them; one that cannot be had is a warning.
static bool add_all(wri_builder *b)
{
    wr_error why = {0};
    for (int i = 0; i < b->source->clip_count; i++) {
        if (!add_clip(b, i, &why) &&
            (why.code == WR_E_MEMORY || !wri_build_warn(b, "the clip \"%s\" is left out: %s",
                                                        b->source->clips[i].name, why.message))) {
            return wri_build_fail(b, b->recipe->root, "clips", &why);
        }
    }
    return true;
}

static bool add_chosen(wri_builder *b)
{
    const wri_json *list = b->recipe->raw.clips;
    wr_error why = {0};
    for (int i = 0; i < list->count; i++) {
        int clip = wr_clip_find(b->source, list->items[i].string, &why);
        if (clip < 0 || !add_clip(b, clip, &why)) {
            return wri_build_fail(b, &list->items[i], "clips", &why);
        }
    }
    return true;
}

bool wri_build_clips(wri_builder *b)
{
    const wri_json *list = b->recipe->raw.clips;
    if (!b->joints) {
        return true;
    }
    size_t most = (size_t)(list ? list->count : b->source->clip_count);
    b->asset->clips = wr_asset_alloc(b->asset, most, sizeof *b->asset->clips);
    if (!b->asset->clips) {
        return wri_fail_memory(b->reader.error, most * sizeof *b->asset->clips);
    }
    return list ? add_chosen(b) : add_all(b);
}
