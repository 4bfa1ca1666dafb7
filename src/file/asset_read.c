// asset_read.c: an asset out of its .glb.
//
// The model is read as any model, without the preview; everything else is in the extension
// WROUGHT_asset, which docs/asset.md describes. Counts follow from the accessors, each of which is
// checked against its bytes before memory is taken.
#include "asset.h"
#include "gltf.h"
#include "../base/os.h"
#include "../skin/skin.h"

#include <inttypes.h>

typedef struct reader {
    wri_gltf *g;
    wr_asset *asset;
    const wri_json *root; // the extension
    bool *moves;          // of each example: its details are moves so far
} reader;

// --- members ----------------------------------------------------------------------------------

static bool fail_missing(reader *r, const wri_json *object, const char *key)
{
    return wri_gltf_fail(r->g, object, WR_E_FORMAT, "%s without \"%s\"",
                         object->key ? object->key : "an item", key);
}

// The object at a place of an array.
static bool open_item(reader *r, const wri_json *array, int index, const wri_json **out)
{
    *out = &array->items[index];
    return (*out)->type == WRI_JSON_OBJECT ||
           wri_gltf_fail(r->g, *out, WR_E_FORMAT, "%s: item %d is %s, expected an object",
                         array->key, index, wri_json_type_name((*out)->type));
}

static bool read_text(reader *r, const wri_json *object, const char *key, const char *fallback,
                      const char **out)
{
    const char *text = fallback;
    if (!wri_gltf_text(r->g, object, key, &text)) {
        return false;
    }
    *out = text ? wri_asset_text(r->asset, text) : NULL;
    return *out || !text || wri_fail_memory(r->g->error, strlen(text));
}

static void *take(reader *r, int64_t count, size_t size)
{
    void *memory = wr_asset_alloc(r->asset, (size_t)count, size);
    if (!memory) {
        wri_fail_memory(r->g->error, (size_t)count * size);
    }
    return memory;
}

// The accessor of a member, in *out with count 0 when there is no such member. count -1: any.
static bool open_member(reader *r, const wri_json *object, const char *key, int64_t count,
                        int components, bool whole, wri_gltf_accessor *out)
{
    wri_gltf *g = r->g;
    const wri_json *json = wri_json_find(object, key);
    int index = -1;
    *out = (wri_gltf_accessor){0};
    if (!json) {
        return true;
    }
    if (!wri_gltf_as_index(g, json, g->accessors ? g->accessors->count : 0, &index) ||
        !wri_gltf_open_accessor(g, index, out)) {
        return false;
    }
    bool type = whole ? out->component_type != 5126 : out->component_type == 5126;
    if (!type || out->components != components) {
        return wri_gltf_fail(g, json, WR_E_FORMAT, "%s: accessor %d has not %d %s%s per element",
                             key, index, components, whole ? "whole number" : "float",
                             wri_plural(components, "", "s"));
    }
    return count < 0 || out->count == count ||
           wri_gltf_fail(g, json, WR_E_FORMAT, "%s: accessor %d has %d elements, expected %" PRId64,
                         key, index, out->count, count);
}

// count * components floats; *out stays NULL when there is no such member. count -1: any, see *got.
static bool read_real(reader *r, const wri_json *object, const char *key, int64_t count,
                      int components, float **out, int *got)
{
    wri_gltf_accessor a;
    if (!open_member(r, object, key, count, components, false, &a)) {
        return false;
    }
    if (got) {
        *got = a.count;
    }
    if (a.count == 0) {
        return true;
    }
    *out = take(r, a.count, (size_t)components * sizeof **out);
    return *out && wri_gltf_read_floats(r->g, &a, *out);
}

static bool need_real(reader *r, const wri_json *object, const char *key, int64_t count,
                      int components, float **out, int *got)
{
    return read_real(r, object, key, count, components, out, got) &&
           (*out || fail_missing(r, object, key));
}

static bool need_vectors(reader *r, const wri_json *object, const char *key, int64_t count,
                         wr_vec3 **out, int *got)
{
    float *values = NULL;
    bool ok = need_real(r, object, key, count, 3, &values, got);
    *out = (wr_vec3 *)values;
    return ok;
}

static bool need_whole(reader *r, const wri_json *object, const char *key, int64_t count, int **out,
                       int *got)
{
    wri_gltf_accessor a;
    if (!open_member(r, object, key, count, 1, true, &a)) {
        return false;
    }
    if (a.count == 0) {
        return fail_missing(r, object, key);
    }
    *got = a.count;
    *out = take(r, a.count, sizeof **out);
    return *out && wri_gltf_read_indices(r->g, &a, *out);
}

// --- the rig ----------------------------------------------------------------------------------

static bool read_simulation(reader *r)
{
    wr_rig *rig = &r->asset->rig;
    const wri_json *json = NULL;
    int corners = 0;
    rig->dimension = 0;
    if (!wri_gltf_object(r->g, r->root, "simulation", &json)) {
        return false;
    }
    if (!json) {
        return fail_missing(r, r->root, "simulation");
    }
    if (!wri_gltf_index(r->g, json, "dimension", INT32_MAX, &rig->dimension)) {
        return false;
    }
    if (rig->dimension != 2 && rig->dimension != 3) {
        return wri_gltf_fail(r->g, json, WR_E_FORMAT, "simulation: dimension %d, expected 2 or 3",
                             rig->dimension);
    }
    if (!need_vectors(r, json, "rest", -1, &rig->rest, &rig->vertex_count) ||
        !need_whole(r, json, "elements", -1, &rig->elements, &corners)) {
        return false;
    }
    rig->element_count = corners / (rig->dimension + 1);
    return corners % (rig->dimension + 1) == 0 ||
           wri_gltf_fail(r->g, json, WR_E_FORMAT,
                         "elements: %d corners are not a multiple of the %d of an element", corners,
                         rig->dimension + 1);
}

static bool read_handle(reader *r, const wri_json *array, int index, wr_vec3 pivot)
{
    wr_rig *rig = &r->asset->rig;
    wr_handle *handle = &rig->handles[index];
    const wri_json *json;
    *handle = (wr_handle){.pivot = pivot, .parent = -1, .vertex = -1};
    return open_item(r, array, index, &json) && read_text(r, json, "name", "", &handle->name) &&
           wri_gltf_index(r->g, json, "parent", index, &handle->parent) &&
           wri_gltf_index(r->g, json, "vertex", rig->vertex_count, &handle->vertex);
}

static bool read_handles(reader *r)
{
    wr_rig *rig = &r->asset->rig;
    const wri_json *json = NULL;
    wr_vec3 *pivots = NULL;
    if (!wri_gltf_array(r->g, r->root, "handles", &json)) {
        return false;
    }
    int count = json ? json->count : 0;
    rig->handles = take(r, count, sizeof *rig->handles);
    if (!rig->handles) {
        return false;
    }
    rig->handle_count = count;
    if (count == 0) {
        const wri_json *lone = wri_json_find(r->root, "weights");
        rig->weights = take(r, 0, sizeof *rig->weights);
        return lone ? fail_missing(r, lone, "handles") : rig->weights != NULL;
    }
    if (!need_vectors(r, r->root, "pivots", count, &pivots, NULL)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!read_handle(r, json, i, pivots[i])) {
            return false;
        }
    }
    return need_real(r, r->root, "weights", (int64_t)rig->vertex_count * count, 1, &rig->weights,
                     NULL);
}

static bool read_poses(reader *r)
{
    wr_rig *rig = &r->asset->rig;
    int64_t count = (int64_t)rig->example_count * rig->handle_count;
    float *rotations = NULL, *offsets = NULL, *stretches = NULL;
    wr_handle_pose *poses = take(r, count, sizeof *poses);
    if (!poses) {
        return false;
    }
    if (count > 0 && (!need_real(r, r->root, "rotations", count, 4, &rotations, NULL) ||
                      !need_real(r, r->root, "offsets", count, 3, &offsets, NULL) ||
                      !read_real(r, r->root, "stretches", 6 * count, 1, &stretches, NULL))) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        poses[i] = (wr_handle_pose){.stretch = {1, 1, 1, 0, 0, 0}};
        memcpy(&poses[i].rotation, rotations + 4 * i, sizeof poses[i].rotation);
        memcpy(&poses[i].offset, offsets + 3 * i, sizeof poses[i].offset);
        if (stretches) {
            memcpy(poses[i].stretch, stretches + 6 * i, sizeof poses[i].stretch);
        }
    }
    for (int e = 0; e < rig->example_count; e++) {
        rig->examples[e].poses = poses + (int64_t)e * rig->handle_count;
    }
    return true;
}

static bool read_example(reader *r, const wri_json *array, int index)
{
    wr_rig *rig = &r->asset->rig;
    wr_example *example = &rig->examples[index];
    const wri_json *json;
    float *correctives = NULL, *details = NULL, *moves = NULL;
    if (!open_item(r, array, index, &json) || !read_text(r, json, "name", "", &example->name) ||
        !read_real(r, json, "correctives", rig->vertex_count, 3, &correctives, NULL) ||
        !read_real(r, json, "details", rig->ride_count, 3, &details, NULL) ||
        !read_real(r, json, "moves", rig->ride_count, 3, &moves, NULL)) {
        return false;
    }
    example->correctives = (wr_vec3 *)correctives;
    example->details = (wr_vec3 *)(moves ? moves : details);
    r->moves[index] = moves != NULL;
    return true;
}

static bool read_examples(reader *r)
{
    wr_rig *rig = &r->asset->rig;
    const wri_json *json = NULL;
    if (!wri_gltf_array(r->g, r->root, "examples", &json)) {
        return false;
    }
    if (!json || json->count > WR_SKIN_EXAMPLES_MAX) {
        return json ? wri_gltf_fail(r->g, json, WR_E_FORMAT, "examples: %d, at most %d",
                                    json->count, WR_SKIN_EXAMPLES_MAX)
                    : fail_missing(r, r->root, "examples");
    }
    rig->examples = take(r, json->count, sizeof *rig->examples);
    if (!rig->examples) {
        return false;
    }
    rig->example_count = json->count;
    for (int i = 0; i < json->count; i++) {
        if (!read_example(r, json, i)) {
            return false;
        }
    }
    return read_poses(r);
}

static bool read_ride_list(reader *r, const wri_json *json, wr_ride **rides, int *count)
{
    int *elements = NULL;
    float *weights = NULL;
    if (!need_whole(r, json, "elements", -1, &elements, count) ||
        !need_real(r, json, "weights", *count, 4, &weights, NULL)) {
        return false;
    }
    *rides = take(r, *count, sizeof **rides);
    for (int i = 0; *rides && i < *count; i++) {
        (*rides)[i].element = elements[i];
        memcpy((*rides)[i].weights, weights + 4 * (size_t)i, sizeof(*rides)[i].weights);
    }
    return *rides != NULL;
}

static bool read_rides(reader *r)
{
    const wri_json *json = NULL;
    if (!wri_gltf_object(r->g, r->root, "rides", &json)) {
        return false;
    }
    return json ? read_ride_list(r, json, &r->asset->rig.rides, &r->asset->rig.ride_count)
                : fail_missing(r, r->root, "rides");
}

// --- clips ------------------------------------------------------------------------------------

static bool read_channel(reader *r, const wri_json *json, wr_rig_channel *out)
{
    const char *path = NULL;
    if (!wri_gltf_text(r->g, json, "path", &path)) {
        return false;
    }
    for (int i = 0; path && i < WR_RIG_CHANNELS; i++) {
        if (strcmp(path, wri_rig_channel_names[i]) == 0) {
            *out = (wr_rig_channel)i;
            return true;
        }
    }
    return path ? wri_gltf_fail(r->g, json, WR_E_FORMAT,
                                "path is \"%.40s\", expected \"%s\", "
                                "\"%s\" or \"%s\"",
                                path, wri_rig_channel_names[0], wri_rig_channel_names[1],
                                wri_rig_channel_names[2])
                : fail_missing(r, json, "path");
}

static bool read_track(reader *r, const wri_json *array, int index, wr_rig_track *track)
{
    const wri_json *json;
    track->handle = -1;
    if (!open_item(r, array, index, &json) || !read_channel(r, json, &track->channel) ||
        !wri_gltf_index(r->g, json, "handle", r->asset->rig.handle_count, &track->handle)) {
        return false;
    }
    if (track->handle < 0) {
        return fail_missing(r, json, "handle");
    }
    bool stretches = track->channel == WR_RIG_STRETCH; // glTF has no type of six numbers
    int width = wr_rig_channel_width(track->channel);
    return need_real(r, json, "input", -1, 1, &track->times, &track->key_count) &&
           need_real(r, json, "output", (int64_t)track->key_count * (stretches ? width : 1),
                     stretches ? 1 : width, &track->values, NULL);
}

static bool read_clip(reader *r, const wri_json *array, int index)
{
    wr_rig_clip *clip = &r->asset->clips[index];
    const wri_json *json, *tracks = NULL;
    if (!open_item(r, array, index, &json) || !read_text(r, json, "name", "", &clip->name) ||
        !wri_gltf_array(r->g, json, "tracks", &tracks)) {
        return false;
    }
    const wri_json *length = wri_json_find(json, "length");
    if (!length || length->type != WRI_JSON_NUMBER) {
        return length ? wri_gltf_fail(r->g, length, WR_E_FORMAT, "length is %s, expected a number",
                                      wri_json_type_name(length->type))
                      : fail_missing(r, json, "length");
    }
    clip->length = length->number;
    clip->track_count = tracks ? tracks->count : 0;
    clip->tracks = take(r, clip->track_count, sizeof *clip->tracks);
    bool ok = clip->tracks != NULL;
    for (int i = 0; i < clip->track_count && ok; i++) {
        ok = read_track(r, tracks, i, &clip->tracks[i]);
    }
    return ok;
}

static bool read_clips(reader *r)
{
    const wri_json *json = NULL;
    if (!wri_gltf_array(r->g, r->root, "clips", &json)) {
        return false;
    }
    int count = json ? json->count : 0;
    r->asset->clips = take(r, count, sizeof *r->asset->clips);
    bool ok = r->asset->clips != NULL;
    for (int i = 0; i < count && ok; i++) {
        ok = read_clip(r, json, i);
    }
    r->asset->clip_count = count;
    return ok;
}

// --- what the artist said ---------------------------------------------------------------------

static bool read_maps(reader *r)
{
    const wri_json *json = NULL;
    bool ok = wri_gltf_object(r->g, r->root, "maps", &json);
    for (int i = 0; i < WR_MAP_COUNT && ok && json; i++) {
        ok = read_real(r, json, wr_map_name((wr_map_kind)i), r->asset->rig.vertex_count, 1,
                       &r->asset->maps[i], NULL);
    }
    return ok;
}

// A list of names, which may be missing.
static bool read_texts(reader *r, const wri_json *json, const char *key, const char ***out,
                       int *count)
{
    const wri_json *list = NULL;
    if (!wri_gltf_array(r->g, json, key, &list) || !list) {
        return !wri_json_find(json, key);
    }
    *out = take(r, list->count, sizeof **out);
    bool ok = *out != NULL;
    for (int i = 0; i < list->count && ok; i++) {
        const wri_json *name = &list->items[i];
        ok = name->type == WRI_JSON_STRING ||
             wri_gltf_fail(r->g, name, WR_E_FORMAT, "%s: item %d is %s, expected a name", key, i,
                           wri_json_type_name(name->type));
        (*out)[i] = ok ? wri_asset_text(r->asset, name->string) : NULL;
        ok = ok && ((*out)[i] || wri_fail_memory(r->g->error, strlen(name->string)));
    }
    *count = list->count;
    return ok;
}

// The bytes alone: what they mean is checked where the material is known.
static bool read_morph(reader *r)
{
    wri_gltf *g = r->g;
    const wri_json *json = NULL;
    const uint8_t *bytes = NULL;
    uint64_t size = 0, stride = 0;
    int view = -1;
    if (!wri_gltf_object(g, r->root, "morph", &json) || !json) {
        return !wri_json_find(r->root, "morph");
    }
    if (!wri_gltf_index(g, json, "data", g->views ? g->views->count : 0, &view)) {
        return false;
    }
    if (view < 0 || !wri_gltf_find_view(g, view, &bytes, &size, &stride)) {
        return view < 0 ? fail_missing(r, json, "data") : false;
    }
    uint8_t *own = take(r, (int64_t)size, 1);
    if (own) {
        memcpy(own, bytes, (size_t)size);
    }
    r->asset->morph = own;
    r->asset->morph_size = (size_t)size;
    return own && read_texts(r, json, "scalars", &r->asset->scalars, &r->asset->scalar_count);
}

// A number per handle, -1: of no group.
static bool read_groups(reader *r, const wri_json *json, wr_cut *cut)
{
    const wri_json *list = NULL;
    int count = r->asset->rig.handle_count;
    if (!wri_gltf_array(r->g, json, "groups", &list)) {
        return false;
    }
    if (!list || list->count != count) {
        return wri_gltf_fail(r->g, json, WR_E_FORMAT, "groups: expected one per handle, %d", count);
    }
    cut->groups = take(r, count, sizeof *cut->groups);
    for (int i = 0; cut->groups && i < count; i++) {
        const wri_json *item = &list->items[i];
        double value = item->type == WRI_JSON_NUMBER ? item->number : -2.0;
        if (!(value >= -1.0 && value < WR_FRAGMENTS_MAX)) {
            return wri_gltf_fail(r->g, item, WR_E_FORMAT, "groups: expected -1 to %d",
                                 WR_FRAGMENTS_MAX - 1);
        }
        cut->groups[i] = (int)value;
        cut->group_count =
            cut->groups[i] >= cut->group_count ? cut->groups[i] + 1 : cut->group_count;
    }
    return cut->groups != NULL;
}

static bool read_cut(reader *r, const wri_json *array, int index)
{
    wr_cut *cut = &r->asset->cuts[index];
    const wri_json *json;
    if (!open_item(r, array, index, &json)) {
        return false;
    }
    const wri_json *strength = wri_json_find(json, "strength");
    if (strength && strength->type != WRI_JSON_NUMBER) {
        return wri_gltf_fail(r->g, strength, WR_E_FORMAT, "strength is %s, expected a number",
                             wri_json_type_name(strength->type));
    }
    cut->strength = strength ? strength->number : 1.0;
    if (wri_json_find(json, "seeds")) {
        return need_vectors(r, json, "seeds", -1, &cut->seeds, &cut->seed_count);
    }
    if (wri_json_find(json, "groups")) {
        return read_groups(r, json, cut);
    }
    if (wri_json_find(json, "parts")) {
        return read_texts(r, json, "parts", &cut->parts, &cut->part_count);
    }
    if (!wri_json_find(json, "normal") || !wri_json_find(json, "at")) {
        return fail_missing(r, json, wri_json_find(json, "normal") ? "at" : "normal");
    }
    return wri_gltf_floats(r->g, json, "normal", 3, &cut->normal.x) &&
           wri_gltf_floats(r->g, json, "at", 3, &cut->at.x);
}

static bool read_cuts(reader *r)
{
    const wri_json *json = NULL;
    if (!wri_gltf_array(r->g, r->root, "cuts", &json)) {
        return false;
    }
    int count = json ? json->count : 0;
    r->asset->cuts = take(r, count, sizeof *r->asset->cuts);
    bool ok = r->asset->cuts != NULL;
    for (int i = 0; i < count && ok; i++) {
        ok = read_cut(r, json, i);
    }
    r->asset->cut_count = count;
    return ok;
}

static bool read_bond(reader *r, const wri_json *array, int index)
{
    wr_fracture *f = &r->asset->fracture;
    wr_bond *bond = &f->bonds[index];
    const wri_json *json;
    float section[3] = {0};
    bond->a = bond->b = -1;
    if (!open_item(r, array, index, &json) ||
        !wri_gltf_index(r->g, json, "a", f->fragment_count, &bond->a) ||
        !wri_gltf_index(r->g, json, "b", f->fragment_count, &bond->b) ||
        !wri_gltf_floats(r->g, json, "at", 3, &bond->at.x) ||
        !wri_gltf_floats(r->g, json, "normal", 3, &bond->normal.x) ||
        !wri_gltf_floats(r->g, json, "section", 3, section)) {
        return false;
    }
    bond->area = section[0];
    bond->radius = section[1];
    bond->strength = section[2];
    return bond->b > bond->a || fail_missing(r, json, bond->a < 0 ? "a" : "b");
}

static bool read_bonds(reader *r, const wri_json *json)
{
    wr_fracture *f = &r->asset->fracture;
    const wri_json *list = NULL;
    if (!wri_gltf_array(r->g, json, "bonds", &list)) {
        return false;
    }
    f->bond_count = list ? list->count : 0;
    f->bonds = take(r, f->bond_count, sizeof *f->bonds);
    bool ok = f->bonds != NULL;
    for (int i = 0; i < f->bond_count && ok; i++) {
        ok = read_bond(r, list, i);
    }
    return ok;
}

static bool read_fracture(reader *r)
{
    wr_fracture *f = &r->asset->fracture;
    const wri_json *json = NULL, *corners = NULL;
    int n = r->asset->rig.vertex_count, got;
    if (!wri_gltf_object(r->g, r->root, "fracture", &json) || !json) {
        return json == NULL && !wri_json_find(r->root, "fracture");
    }
    return wri_gltf_index(r->g, json, "count", WR_FRAGMENTS_MAX + 1, &f->fragment_count) &&
           need_whole(r, json, "fragments", n, &f->fragments, &got) &&
           need_whole(r, json, "origins", n, &f->origins, &got) &&
           need_real(r, json, "shares", r->asset->rig.element_count, 4, &f->shares, NULL) &&
           wri_gltf_object(r->g, json, "corners", &corners) &&
           (!corners || read_ride_list(r, corners, &f->corners, &f->corner_count)) &&
           read_bonds(r, json);
}

static bool read_pin(reader *r, const wri_json *array, int index)
{
    wr_pin *pin = &r->asset->pins[index];
    const wri_json *json, *corners = NULL;
    int n = r->asset->rig.vertex_count;
    pin->particle = -1;
    if (!open_item(r, array, index, &json) ||
        !wri_gltf_index(r->g, json, "particle", n, &pin->particle) ||
        !wri_gltf_array(r->g, json, "corners", &corners)) {
        return false;
    }
    if (pin->particle < 0 || !corners || !wri_json_find(json, "weights")) {
        return fail_missing(r, json,
                            pin->particle < 0 ? "particle"
                            : corners         ? "weights"
                                              : "corners");
    }
    if (corners->count != 3) {
        return wri_gltf_fail(r->g, corners, WR_E_FORMAT, "corners: %d of them, expected 3",
                             corners->count);
    }
    for (int k = 0; k < 3; k++) {
        if (!wri_gltf_as_index(r->g, &corners->items[k], n, &pin->corners[k])) {
            return false;
        }
    }
    return wri_gltf_floats(r->g, json, "weights", 3, pin->weights);
}

static bool read_pins(reader *r)
{
    const wri_json *json = NULL;
    if (!wri_gltf_array(r->g, r->root, "pins", &json)) {
        return false;
    }
    int count = json ? json->count : 0;
    r->asset->pins = take(r, count, sizeof *r->asset->pins);
    bool ok = r->asset->pins != NULL;
    for (int i = 0; i < count && ok; i++) {
        ok = read_pin(r, json, i);
    }
    r->asset->pin_count = count;
    return ok;
}

static bool read_hash(reader *r)
{
    const wri_json *json = wri_json_find(r->root, "recipeHash");
    const char *text = NULL;
    if (!wri_gltf_text(r->g, r->root, "recipeHash", &text) || !text) {
        return !json;
    }
    uint64_t hash = 0;
    size_t length = strspn(text, "0123456789abcdef");
    for (size_t i = 0; i < 16 && i < length; i++) {
        hash = hash << 4 | (uint64_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    }
    r->asset->recipe_hash = hash;
    return (length == 16 && !text[16]) ||
           wri_gltf_fail(r->g, json, WR_E_FORMAT, "recipeHash: expected 16 hexadecimal digits");
}

static bool read_head(reader *r)
{
    uint64_t version = 0, oldest = 0;
    if (!wri_gltf_integer(r->g, r->root, "version", (uint64_t)1 << 31, &version) ||
        !wri_gltf_integer(r->g, r->root, "oldestReader", (uint64_t)1 << 31, &oldest)) {
        return false;
    }
    if (version == 0 || oldest == 0) {
        return fail_missing(r, r->root, version == 0 ? "version" : "oldestReader");
    }
    if (oldest > WRI_ASSET_VERSION) {
        return wri_gltf_fail(r->g, r->root, WR_E_UNSUPPORTED,
                             "an asset of version %d, which needs a reader of version %d; this one "
                             "has %d",
                             (int)version, (int)oldest, WRI_ASSET_VERSION);
    }
    return read_text(r, r->root, "name", "", &r->asset->name) &&
           read_text(r, r->root, "material", NULL, &r->asset->material) && read_hash(r);
}

// --- the whole --------------------------------------------------------------------------------

static const wri_json *find_extension(const wri_json *root)
{
    return wri_json_find(wri_json_find(root, "extensions"), WRI_ASSET_EXTENSION);
}

typedef struct source {
    wr_asset *asset;
    bool is_alone; // there are no other files that it could name
    bool moves[WR_SKIN_EXAMPLES_MAX];
} source;

static bool read_extension(wri_gltf *g, void *context)
{
    source *s = context;
    reader r = {.g = g, .asset = s->asset, .root = find_extension(g->root), .moves = s->moves};
    g->is_alone = s->is_alone;
    if (!r.root) {
        return wri_fail(g->error, WR_E_FORMAT,
                        "%s: a model without the extension " WRI_ASSET_EXTENSION
                        ", so it is not an asset",
                        g->path);
    }
    if (r.root->type != WRI_JSON_OBJECT) {
        return wri_gltf_fail(g, r.root, WR_E_FORMAT, WRI_ASSET_EXTENSION " is %s, expected %s",
                             wri_json_type_name(r.root->type), wri_json_type_name(WRI_JSON_OBJECT));
    }
    return read_head(&r) && read_simulation(&r) && read_handles(&r) && read_rides(&r) &&
           read_examples(&r) && read_clips(&r) && read_maps(&r) && read_morph(&r) &&
           read_cuts(&r) && read_fracture(&r) && read_pins(&r);
}

// The node that shows the mesh remains.
static bool strip_model(wr_asset *asset, wr_error *error)
{
    wr_model *model = asset->model;
    if (model->mesh_count != 1) {
        return wri_fail(error, WR_E_FORMAT, "the nodes show %d meshes, expected one",
                        model->mesh_count);
    }
    int shown = 0;
    while (model->nodes[shown].mesh < 0) {
        shown++;
    }
    model->nodes[0] = (wr_node){.name = model->nodes[shown].name,
                                .parent = -1,
                                .skin = -1,
                                .pose = WR_POSE_IDENTITY,
                                .scale = {1.0f, 1.0f, 1.0f}};
    model->node_count = 1;
    model->name = asset->name;
    return wri_model_check(model, "model", WR_E_FORMAT, error) &&
           wri_asset_tidy_model(model, false, error) && wr_asset_check(asset, error);
}

// After the check, for it needs rides within the elements.
static bool find_details(const source *s, wr_error *error)
{
    const wr_rig *rig = &s->asset->rig;
    bool any = false;
    for (int e = 0; e < rig->example_count; e++) {
        const wr_example *example = &rig->examples[e];
        if (s->moves[e]) {
            wri_rig_find_details(rig, example->correctives, example->details, example->details);
            any = true;
        }
    }
    return !any || wr_asset_check(s->asset, error); // the sums may be too large
}

static wr_asset *read_bytes(const char *path, const void *bytes, size_t size, bool is_alone,
                            const wr_allocator *allocator, wr_error *error)
{
    wr_error why = {0};
    wr_asset *asset = wri_asset_create(allocator, error);
    source s = {.asset = asset, .is_alone = is_alone};
    const wr_read_options options = {.allocator = allocator};
    if (asset) {
        asset->model = wri_gltf_read_with(path, bytes, size, read_extension, &s, &options, error);
    }
    bool ok = asset && asset->model;
    if (ok && !(strip_model(asset, &why) && find_details(&s, &why))) {
        wr_code code = why.code == WR_E_ARGUMENT ? WR_E_FORMAT : why.code;
        ok = wri_fail(error, code, "%s: %s", path, why.message);
    }
    if (!ok) {
        wr_asset_destroy(asset);
        return NULL;
    }
    return asset;
}

wr_asset *wri_asset_unpack(const char *path, const void *bytes, size_t size,
                           const wr_allocator *allocator, wr_error *error)
{
    return read_bytes(path, bytes, size, true, allocator, error);
}

wr_asset *wr_asset_read(const char *path, const wr_allocator *allocator, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    size_t size = 0;
    char *bytes = wri_file_read(path, WRI_MODEL_LIMIT, allocator, &size, error);
    wr_asset *asset = bytes ? read_bytes(path, bytes, size, false, allocator, error) : NULL;
    if (bytes) {
        wri_free(allocator, bytes, size + 1, 1);
    }
    return asset;
}

// --- whether it is one ------------------------------------------------------------------------

static uint32_t read_u32(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

bool wr_asset_is_one(const char *path)
{
    wri_file *file = wri_file_open(path, WRI_FILE_READ, NULL);
    wri_arena arena = wri_arena_create(NULL);
    uint8_t head[20];
    bool found = file && wri_file_read_at(file, 0, head, sizeof head, NULL) &&
                 memcmp(head, "glTF\2\0\0", 8) == 0 && memcmp(head + 16, "JSON", 4) == 0;
    size_t size = found ? read_u32(head + 12) : 0;
    if (found && (int64_t)size <= wri_file_length(file) - (int64_t)sizeof head) {
        char *text = wri_arena_alloc(&arena, size, 1);
        bool read = text && wri_file_read_at(file, sizeof head, text, size, NULL);
        found =
            read && find_extension(wri_json_parse(&arena, text, size, path, false, NULL)) != NULL;
    } else {
        found = false;
    }
    wri_arena_destroy(&arena);
    if (file) {
        (void)wri_file_close(file, NULL);
    }
    return found;
}
