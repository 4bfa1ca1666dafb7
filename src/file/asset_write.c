// asset_write.c: an asset as one .glb: the preview, and the extension with all the rest.
//
// docs/asset.md describes the extension. Its arrays are accessors, each in a buffer view of its
// own; names and single numbers are JSON.
#include "asset.h"
#include "glb_pack.h"
#include "../base/os.h"
#include "../skin/skin.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct source {
    const wr_asset *asset;
    const wr_model *preview;
    bool moves[WR_SKIN_EXAMPLES_MAX]; // examples whose morph target says their details
    bool any_moves;
} source;

// --- arrays -----------------------------------------------------------------------------------

static bool fail_count(wri_glb *glb, const char *key, int64_t count)
{
    return wri_fail(glb->error, WR_E_UNSUPPORTED, "%s: %s: %" PRId64 " numbers do not fit a file",
                    glb->path, key, count);
}

static bool write_index(wri_glb *glb, const char *key, int added)
{
    if (added < 0) {
        return wri_glb_fail_memory(glb);
    }
    wri_json_write_int(&glb->json, key, added);
    return true;
}

static bool write_real(wri_glb *glb, const char *key, const float *values, int64_t count,
                       int components)
{
    return count * components > INT32_MAX / 8
               ? fail_count(glb, key, count * components)
               : write_index(glb, key, wri_glb_add_real(glb, values, (int)count, components));
}

static bool write_whole(wri_glb *glb, const char *key, const int *values, int64_t count)
{
    return count > INT32_MAX / 8
               ? fail_count(glb, key, count)
               : write_index(glb, key, wri_glb_add_whole(glb, values, (int)count));
}

// --- the rig ----------------------------------------------------------------------------------

static bool write_simulation(wri_glb *glb, const wr_rig *rig)
{
    int64_t corners = (int64_t)rig->element_count * (rig->dimension + 1);
    wri_json_begin_object(&glb->json, "simulation");
    wri_json_write_int(&glb->json, "dimension", rig->dimension);
    bool ok = write_real(glb, "rest", &rig->rest->x, rig->vertex_count, 3) &&
              write_whole(glb, "elements", rig->elements, corners);
    wri_json_end_object(&glb->json);
    return ok;
}

static bool write_handles(wri_glb *glb, const wr_rig *rig)
{
    wri_json_writer *json = &glb->json;
    size_t count = (size_t)rig->handle_count;
    if (count == 0) {
        return true;
    }
    wr_vec3 *pivots = wri_arena_alloc(&glb->arena, count, sizeof *pivots);
    if (!pivots) {
        return wri_glb_fail_memory(glb);
    }
    wri_json_begin_array(json, "handles");
    for (size_t i = 0; i < count; i++) {
        const wr_handle *handle = &rig->handles[i];
        pivots[i] = handle->pivot;
        wri_json_begin_object(json, NULL);
        wri_json_write_string(json, "name", handle->name);
        if (handle->parent >= 0) {
            wri_json_write_int(json, "parent", handle->parent);
        }
        if (handle->vertex >= 0) {
            wri_json_write_int(json, "vertex", handle->vertex);
        }
        wri_json_end_object(json);
    }
    wri_json_end_array(json);
    return write_real(glb, "pivots", &pivots->x, rig->handle_count, 3) &&
           write_real(glb, "weights", rig->weights, (int64_t)rig->vertex_count * rig->handle_count,
                      1);
}

// Example after example, handle after handle.
static bool write_poses(wri_glb *glb, const wr_rig *rig)
{
    static const float none[6] = {1, 1, 1, 0, 0, 0};
    size_t B = (size_t)rig->handle_count, count = B * (size_t)rig->example_count;
    wr_quat *rotations = wri_arena_alloc(&glb->arena, count, sizeof *rotations);
    wr_vec3 *offsets = wri_arena_alloc(&glb->arena, count, sizeof *offsets);
    float *stretches = wri_arena_alloc(&glb->arena, count, sizeof none);
    bool stretched = false;
    if (!rotations || !offsets || !stretches) {
        return wri_glb_fail_memory(glb);
    }
    for (size_t i = 0; i < count; i++) {
        const wr_handle_pose *pose = &rig->examples[i / B].poses[i % B];
        rotations[i] = pose->rotation;
        offsets[i] = pose->offset;
        memcpy(&stretches[6 * i], pose->stretch, sizeof none);
        stretched = stretched || memcmp(pose->stretch, none, sizeof none) != 0;
    }
    return count == 0 ||
           (write_real(glb, "rotations", &rotations->x, (int64_t)count, 4) &&
            write_real(glb, "offsets", &offsets->x, (int64_t)count, 3) &&
            (!stretched || write_real(glb, "stretches", stretches, 6 * (int64_t)count, 1)));
}

static bool write_details(wri_glb *glb, const source *s, int example, int morph)
{
    const wr_rig *rig = &s->asset->rig;
    const wr_vec3 *details = rig->examples[example].details;
    return !details            ? true
           : s->moves[example] ? write_index(glb, "moves", WRI_ITEM(glb->targets, int, morph))
                               : write_real(glb, "details", &details->x, rig->ride_count, 3);
}

static bool write_examples(wri_glb *glb, const source *s)
{
    const wr_rig *rig = &s->asset->rig;
    bool ok = true;
    wri_json_begin_array(&glb->json, "examples");
    for (int i = 0, morph = 0; i < rig->example_count && ok; i++) {
        const wr_example *example = &rig->examples[i];
        wri_json_begin_object(&glb->json, NULL);
        wri_json_write_string(&glb->json, "name", example->name);
        ok = (!example->correctives ||
              write_real(glb, "correctives", &example->correctives->x, rig->vertex_count, 3)) &&
             write_details(glb, s, i, morph);
        morph += i > 0 && wri_asset_has_morph(rig, i);
        wri_json_end_object(&glb->json);
    }
    wri_json_end_array(&glb->json);
    return ok && write_poses(glb, rig);
}

static bool write_rides(wri_glb *glb, const char *key, const wr_ride *rides, int ride_count)
{
    size_t count = (size_t)ride_count;
    int *elements = wri_arena_alloc(&glb->arena, count, sizeof *elements);
    float *weights = wri_arena_alloc(&glb->arena, count, 4 * sizeof *weights);
    if (!elements || !weights) {
        return wri_glb_fail_memory(glb);
    }
    for (size_t i = 0; i < count; i++) {
        elements[i] = rides[i].element;
        memcpy(&weights[4 * i], rides[i].weights, 4 * sizeof *weights);
    }
    wri_json_begin_object(&glb->json, key);
    bool ok = write_whole(glb, "elements", elements, ride_count) &&
              write_real(glb, "weights", weights, ride_count, 4);
    wri_json_end_object(&glb->json);
    return ok;
}

// --- clips ------------------------------------------------------------------------------------

static bool write_track(wri_glb *glb, const wr_rig_track *track, const wri_glb_sampler *shared)
{
    wri_json_begin_object(&glb->json, NULL);
    wri_json_write_int(&glb->json, "handle", track->handle);
    wri_json_write_string(&glb->json, "path", wri_rig_channel_names[track->channel]);
    bool ok = true;
    if (shared) {
        wri_json_write_int(&glb->json, "input", shared->input);
        wri_json_write_int(&glb->json, "output", shared->output);
    } else {
        int64_t count = (int64_t)track->key_count * wr_rig_channel_width(track->channel);
        ok = write_real(glb, "input", track->times, track->key_count, 1) &&
             write_real(glb, "output", track->values, count, 1);
    }
    wri_json_end_object(&glb->json);
    return ok;
}

// Writes the stretches; everything else stands in the preview's animation already. first: its
// samplers.
static bool write_clip(wri_glb *glb, const wr_rig_clip *clip, int first)
{
    bool ok = true;
    wri_json_begin_object(&glb->json, NULL);
    wri_json_write_string(&glb->json, "name", clip->name);
    wri_json_write_number(&glb->json, "length", clip->length);
    wri_json_begin_array(&glb->json, "tracks");
    for (int i = 0; i < clip->track_count && ok; i++) {
        bool own = clip->tracks[i].channel == WR_RIG_STRETCH;
        ok = write_track(glb, &clip->tracks[i],
                         own ? NULL : &WRI_ITEM(glb->samplers, wri_glb_sampler, first));
        first += !own;
    }
    wri_json_end_array(&glb->json);
    wri_json_end_object(&glb->json);
    return ok;
}

static bool write_clips(wri_glb *glb, const source *s)
{
    const wr_model *preview = s->preview;
    int examples = s->asset->rig.example_count - 1, first = 0;
    bool ok = true;
    for (int i = 0; i < examples; i++) {
        first += preview->clips[i].track_count;
    }
    for (int i = 0; i < s->asset->clip_count && ok; i++) {
        if (i == 0) {
            wri_json_begin_array(&glb->json, "clips");
        }
        ok = write_clip(glb, &s->asset->clips[i], first);
        first += preview->clips[examples + i].track_count;
    }
    if (s->asset->clip_count > 0) {
        wri_json_end_array(&glb->json);
    }
    return ok;
}

// --- what the artist said ---------------------------------------------------------------------

static bool write_maps(wri_glb *glb, const wr_asset *asset)
{
    bool ok = true, open = false;
    for (int i = 0; i < WR_MAP_COUNT && ok; i++) {
        if (asset->maps[i]) {
            if (!open) {
                wri_json_begin_object(&glb->json, "maps");
                open = true;
            }
            ok = write_real(glb, wr_map_name((wr_map_kind)i), asset->maps[i],
                            asset->rig.vertex_count, 1);
        }
    }
    if (open) {
        wri_json_end_object(&glb->json);
    }
    return ok;
}

static void write_texts(wri_json_writer *json, const char *key, const char *const *texts, int count)
{
    wri_json_begin_array(json, key);
    for (int i = 0; i < count; i++) {
        wri_json_write_string(json, NULL, texts[i]);
    }
    wri_json_end_array(json);
}

// Bytes that the material itself understands, and the names of the scalars in them.
static bool write_morph(wri_glb *glb, const wr_asset *asset)
{
    if (!asset->morph) {
        return true;
    }
    wri_json_begin_object(&glb->json, "morph");
    bool ok = write_index(
        glb, "data", wri_glb_add_view(glb, asset->morph, asset->morph_size, WRI_GLB_NO_TARGET));
    if (asset->scalar_count > 0) {
        write_texts(&glb->json, "scalars", asset->scalars, asset->scalar_count);
    }
    wri_json_end_object(&glb->json);
    return ok;
}

static bool write_cut(wri_glb *glb, const wr_asset *asset, const wr_cut *cut)
{
    wri_json_writer *json = &glb->json;
    bool ok = true;
    wri_json_begin_object(json, NULL);
    if (cut->seed_count > 0) {
        ok = write_real(glb, "seeds", &cut->seeds->x, cut->seed_count, 3);
    } else if (cut->group_count > 0) {
        wri_json_begin_array(json, "groups");
        for (int b = 0; b < asset->rig.handle_count; b++) {
            wri_json_write_int(json, NULL, cut->groups[b]);
        }
        wri_json_end_array(json);
    } else if (cut->part_count > 0) {
        write_texts(json, "parts", cut->parts, cut->part_count);
    } else {
        wri_glb_write_floats(glb, "normal", &cut->normal.x, 3);
        wri_glb_write_floats(glb, "at", &cut->at.x, 3);
    }
    wri_json_write_number(json, "strength", cut->strength);
    wri_json_end_object(json);
    return ok;
}

static bool write_cuts(wri_glb *glb, const wr_asset *asset)
{
    bool ok = true;
    if (asset->cut_count == 0) {
        return true;
    }
    wri_json_begin_array(&glb->json, "cuts");
    for (int i = 0; i < asset->cut_count && ok; i++) {
        ok = write_cut(glb, asset, &asset->cuts[i]);
    }
    wri_json_end_array(&glb->json);
    return ok;
}

static void write_bond(wri_glb *glb, const wr_bond *bond)
{
    wri_json_writer *json = &glb->json;
    wri_json_begin_object(json, NULL);
    wri_json_write_int(json, "a", bond->a);
    wri_json_write_int(json, "b", bond->b);
    wri_glb_write_floats(glb, "at", &bond->at.x, 3);
    wri_glb_write_floats(glb, "normal", &bond->normal.x, 3);
    const float numbers[3] = {bond->area, bond->radius, bond->strength};
    wri_glb_write_floats(glb, "section", numbers, 3);
    wri_json_end_object(json);
}

static bool write_fracture(wri_glb *glb, const wr_asset *asset)
{
    wri_json_writer *json = &glb->json;
    const wr_fracture *f = &asset->fracture;
    if (f->fragment_count == 0) {
        return true;
    }
    wri_json_begin_object(json, "fracture");
    wri_json_write_int(json, "count", f->fragment_count);
    bool ok = write_whole(glb, "fragments", f->fragments, asset->rig.vertex_count) &&
              write_whole(glb, "origins", f->origins, asset->rig.vertex_count) &&
              write_real(glb, "shares", f->shares, asset->rig.element_count, 4) &&
              (f->corner_count == 0 || write_rides(glb, "corners", f->corners, f->corner_count));
    wri_json_begin_array(json, "bonds");
    for (int i = 0; i < f->bond_count; i++) {
        write_bond(glb, &f->bonds[i]);
    }
    wri_json_end_array(json);
    wri_json_end_object(json);
    return ok;
}

static void write_pins(wri_glb *glb, const wr_asset *asset)
{
    wri_json_writer *json = &glb->json;
    if (asset->pin_count == 0) {
        return;
    }
    wri_json_begin_array(json, "pins");
    for (int i = 0; i < asset->pin_count; i++) {
        const wr_pin *pin = &asset->pins[i];
        wri_json_begin_object(json, NULL);
        wri_json_write_int(json, "particle", pin->particle);
        wri_json_begin_array(json, "corners");
        for (int k = 0; k < 3; k++) {
            wri_json_write_int(json, NULL, pin->corners[k]);
        }
        wri_json_end_array(json);
        wri_glb_write_floats(glb, "weights", pin->weights, 3);
        wri_json_end_object(json);
    }
    wri_json_end_array(json);
}

static bool has_heights(const wr_rig *rig)
{
    bool any = false;
    for (int i = 0; i < rig->ride_count; i++) {
        any = any || (rig->dimension == 2 && rig->rides[i].weights[3] != 0.0f);
    }
    return any;
}

static bool has_parts(const wr_asset *asset)
{
    bool any = false;
    for (int i = 0; i < asset->cut_count; i++) {
        any = any || asset->cuts[i].part_count > 0;
    }
    return any;
}

// The oldest version that knows all that is in it.
static int version_of(const source *s)
{
    const wr_asset *asset = s->asset;
    return s->any_moves                                              ? WRI_ASSET_VERSION
           : has_parts(asset)                                        ? WRI_ASSET_PARTS_READER
           : asset->fracture.fragment_count > 0                      ? WRI_ASSET_BREAKS_WRITER
           : asset->morph                                            ? WRI_ASSET_MORPH_WRITER
           : asset->maps[WR_MAP_THICKNESS]                           ? WRI_ASSET_FLESH_WRITER
           : asset->maps[WR_MAP_FLOW] || asset->maps[WR_MAP_SPACING] ? WRI_ASSET_CLAY_WRITER
           : asset->clip_count > 0                                   ? WRI_ASSET_CLIPS_WRITER
                                                                     : WRI_ASSET_PLAIN_WRITER;
}

static void write_head(wri_glb *glb, const source *s)
{
    const wr_asset *asset = s->asset;
    wri_json_writer *json = &glb->json;
    wri_json_write_int(json, "version", version_of(s));
    wri_json_write_int(json, "oldestReader",
                       s->any_moves               ? WRI_ASSET_MOVES_READER
                       : has_parts(asset)         ? WRI_ASSET_PARTS_READER
                       : has_heights(&asset->rig) ? WRI_ASSET_LAYERS_READER
                                                  : WRI_ASSET_OLDEST_READER);
    wri_json_write_string(json, "name", asset->name);
    if (asset->recipe_hash) {
        char text[20];
        snprintf(text, sizeof text, "%016" PRIx64, asset->recipe_hash);
        wri_json_write_string(json, "recipeHash", text);
    }
    if (asset->material) {
        wri_json_write_string(json, "material", asset->material);
    }
}

static bool write_extension(wri_glb *glb, void *context)
{
    const source *s = context;
    const wr_asset *asset = s->asset;
    wri_json_writer *json = &glb->json;
    wri_glb_write_extensions(glb, WRI_ASSET_EXTENSION);
    wri_json_begin_object(json, "extensions");
    wri_json_begin_object(json, WRI_ASSET_EXTENSION);
    write_head(glb, s);
    bool ok = write_simulation(glb, &asset->rig) && write_handles(glb, &asset->rig) &&
              write_examples(glb, s) &&
              write_rides(glb, "rides", asset->rig.rides, asset->rig.ride_count) &&
              write_clips(glb, s) && write_maps(glb, asset) && write_morph(glb, asset) &&
              write_cuts(glb, asset) && write_fracture(glb, asset);
    write_pins(glb, asset);
    wri_json_end_object(json);
    wri_json_end_object(json);
    return ok;
}

// --- the whole --------------------------------------------------------------------------------

static bool find_moves(source *s, wr_error *error)
{
    const wr_rig *rig = &s->asset->rig;
    wri_arena arena = wri_arena_create(NULL);
    wr_vec3 *room = wri_arena_alloc(&arena, (size_t)rig->ride_count, sizeof *room);
    for (int e = 1; e < rig->example_count && room; e++) {
        s->moves[e] = wri_rig_find_moves(rig, e, room);
        s->any_moves = s->any_moves || s->moves[e];
    }
    wri_arena_destroy(&arena);
    return room || wri_fail_memory(error, (size_t)rig->ride_count * sizeof *room);
}

bool wri_asset_pack(const wr_asset *asset, const char *path, uint8_t **file, size_t *size,
                    wr_error *error)
{
    wr_error why = {0};
    wr_model *preview = wr_asset_check(asset, &why) ? wri_asset_create_preview(asset, &why) : NULL;
    if (!preview) {
        return wri_fail(error, why.code, "%s: %s", path, why.message);
    }
    source s = {.asset = asset, .preview = preview};
    bool ok = find_moves(&s, error) &&
              wri_glb_pack_model(preview, path, write_extension, &s, file, size, error);
    wr_model_destroy(preview);
    if (ok && *size > WRI_MODEL_LIMIT) {
        wri_free(NULL, *file, *size, 1);
        return wri_fail(error, WR_E_UNSUPPORTED,
                        "%s: would have %zu bytes, more than the %d that can be read", path, *size,
                        WRI_MODEL_LIMIT);
    }
    return ok;
}

bool wr_asset_write(const wr_asset *asset, const char *path, wr_error *error)
{
    if (!WRI_REQUIRE(error, asset, path)) {
        return false;
    }
    uint8_t *file;
    size_t size;
    if (!wri_asset_pack(asset, path, &file, &size, error)) {
        return false;
    }
    bool ok = wri_file_write(path, file, size, error);
    wri_free(NULL, file, size, 1);
    return ok;
}
